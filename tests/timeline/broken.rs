//! Copies of the model with one rule broken: some law must see each of them.

use shardlab::timeline::rules::Write;
use shardlab::timeline::{Mode, Phase, Rows, Rules, STATED};

use super::{laws, random};

/// How many of many random migrations break a law.
fn seen(rules: &Rules) -> usize {
    (0..300).filter(|&seed| laws::run(&random::job(seed), rules).is_err()).count()
}

#[test]
fn the_stated_rules_break_no_law() {
    assert_eq!(seen(&STATED), 0);
}

#[test]
fn a_skipped_catch_up_is_seen() {
    let rules = Rules {
        next: |mode, phase, verify| match phase {
            Phase::Copying if mode == Mode::Redirect => Phase::Kept,
            _ => (STATED.next)(mode, phase, verify),
        },
        ..STATED
    };
    assert!(seen(&rules) > 0);
}

#[test]
fn a_lost_write_that_is_not_counted_is_seen() {
    let forget: fn(&mut Rows) -> u64 = |rows| {
        (STATED.source_dies)(rows);
        0
    };
    assert!(seen(&Rules { source_dies: forget, ..STATED }) > 0);
    assert!(seen(&Rules { clean_up: forget, ..STATED }) > 0);
    let forget: fn(&mut Rows) -> u64 = |rows| {
        (STATED.target_dies)(rows);
        0
    };
    assert!(seen(&Rules { target_dies: forget, ..STATED }) > 0);
}

#[test]
fn a_double_write_that_asks_one_node_is_seen() {
    let rules = Rules {
        write: |scene| match (STATED.write)(scene) {
            Write::Both => Write::Source,
            write => write,
        },
        ..STATED
    };
    assert!(seen(&rules) > 0);
}

#[test]
fn a_cut_over_without_a_closed_door_is_seen() {
    // Writes go on while the last rows of the log are carried.
    let rules = Rules {
        next: |mode, phase, verify| match (STATED.next)(mode, phase, verify) {
            Phase::Closing if mode == Mode::Redirect => Phase::Kept,
            phase => phase,
        },
        ..STATED
    };
    assert!(seen(&rules) > 0);
}

#[test]
fn a_clean_up_that_leaves_the_old_copy_is_seen() {
    assert!(seen(&Rules { clean_up: |_| 0, ..STATED }) > 0);
}

#[test]
fn a_dead_source_that_leaves_its_rows_is_seen() {
    assert!(seen(&Rules { source_dies: |_| 0, ..STATED }) > 0);
}
