//! Claims about forms: what is right, what one draw may show, what another line says, and what is wrong.

use super::Verdict::{OtherLine, Possible, Right, Wrong};
use super::tests::{ask, int};
use super::*;
use crate::params::Value;

/// The claim about a form, whose required parameters have these values in their order.
fn claim(name: &str, given: &[f64], text: &str) -> Claim {
    let form = find(name).unwrap();
    let names = form.params.iter().map(|param| param.name);
    let value = |x: f64| if x == libm::floor(x) { int(x as i64) } else { Value::Float(x) };
    let given: Vec<_> = names.zip(given.iter().map(|&x| value(x))).collect();
    let mut answer = ask(name, &given);
    answer.compare(text).unwrap_or_else(|e| panic!("{name} {text}: {e}"));
    answer.claim.unwrap()
}

#[track_caller]
fn judge(name: &str, given: &[f64], cases: &[(&str, Verdict)]) {
    for (text, want) in cases {
        let found = claim(name, given, text);
        assert_eq!(found.verdict, *want, "{name} {given:?} --claimed {text}: {found:?}");
    }
}

#[test]
fn shares_are_right_to_the_digits_given() {
    let right = ["75%", "75", "0.75", "0.8", "75.0 %", "7.5e1", "7.5e-1", "8e-1", "75e-2", "8e1"];
    judge("modulo", &[3.0, 4.0], &right.map(|text| (text, Right)));
    let wrong = ["83%", "74%", "0.6", "0.74", "7.4e1", "6e-1", "7.50e2", "0", "1", "0%", "100%"];
    judge("modulo", &[3.0, 4.0], &wrong.map(|text| (text, Wrong)));
    let would = claim("modulo", &[3.0, 4.0], "83.3%").would_be;
    assert_eq!(would.as_deref(), Some("modulo 5 → 6"));
    let mut answer = ask("modulo", &[("before", int(3)), ("after", int(4))]);
    for text in ["most", "", "%", "75%%", "nan", "inf", "1e999"] {
        assert!(answer.compare(text).is_err(), "{text}");
    }
}

#[test]
fn none_and_all_are_no_rounded_numbers() {
    judge("modulo", &[2.0, 3.0], &[("1", Wrong), ("0", Wrong), ("1e0", Wrong)]);
    judge("modulo", &[4.0, 5.0], &[("1", Wrong), ("4e-1", Wrong), ("8e-1", Right)]);
    judge("modulo", &[4.0, 4.0], &[("0", Right), ("0%", Right), ("1", Wrong)]);
    // 0.0999 %: less than half a per cent, and not nothing.
    judge("jump", &[1000.0, 1001.0], &[("0%", Wrong), ("0", Wrong), ("0.1%", Right)]);
    judge("ring", &[3.0, 4.0], &[("0", Wrong), ("0%", Wrong), ("25%", Right)]);
    judge(
        "occupancy",
        &[10.0, 4.0],
        &[("0", Wrong), ("1", Wrong), ("0.22", Right), ("22%", Right)],
    );
    judge("occupancy", &[3.0, 4.0], &[("1", Right), ("100%", Right), ("0", Wrong)]);
    judge(
        "vnodes",
        &[10.0, 100.0],
        &[("1e-3", Wrong), ("0", Wrong), ("1", Wrong), ("9.5%", Right)],
    );
}

#[test]
fn a_whole_factor_is_met_within_a_tenth_of_its_excess() {
    judge("power-of-two", &[12.0], &[("1", Wrong), ("2", Wrong), ("1.5", Right), ("1.50", Right)]);
    judge("power-of-two", &[8.0], &[("1", Right), ("1.0", Right), ("2", Wrong)]);
    // 1.9375: met by 2 and by 1.9, not by 2.0.
    let cases = [("2", Right), ("1.9", Right), ("2.0", Wrong), ("1.94", Right), ("194%", Right)];
    judge("power-of-two", &[31.0], &cases);
    judge("hot-key", &[0.21, 30.0], &[("6", Right), ("7", Wrong), ("6.3", Right)]);
    judge("cells", &[32.0, 32.0], &[("32", Right), ("31", Wrong), ("1_024", OtherLine)]);
}

#[test]
fn one_ring_may_show_what_is_not_the_expectation() {
    // The standard deviation that Lamping and Veach measured with 1000 nodes of 10 points.
    judge("vnodes", &[1000.0, 10.0], &[("0.3151810", Possible), ("0.25", Wrong), ("40%", Wrong)]);
    judge("vnodes", &[10.0, 100.0], &[("10%", Possible), ("20%", Wrong), ("2%", Wrong)]);
    judge(
        "ring",
        &[10.0, 11.0],
        &[("10%", Possible), ("9.1%", Right), ("12%", Wrong), ("6%", Wrong)],
    );
    judge("sampling", &[16.0, 100_000.0], &[("1.4%", Possible), ("3%", Wrong)]);
    judge("points", &[3.0, 4.0], &[("37%", Possible), ("60%", Wrong)]);
    // Nothing is left to chance where keys alone are drawn, or nothing moves.
    judge("jump", &[10.0, 11.0], &[("10%", Wrong)]);
    judge("ring", &[4.0, 4.0], &[("1%", Wrong), ("0", Right)]);
}

/// The middle 95 % of what one ring moves hold 95 % of the rings.
#[test]
fn what_one_ring_shows_is_beta() {
    let answer = ask("ring", &[("before", int(1)), ("after", int(2)), ("vnodes", int(1))]);
    let chance = answer.quantities[0].chance.clone().unwrap();
    // One point of two is uniform.
    assert!((chance.low - 0.025).abs() < 1e-9 && (chance.high - 0.975).abs() < 1e-9, "{chance:?}");
    let answer = ask("ring", &[("before", int(10)), ("after", int(11)), ("vnodes", int(1))]);
    let chance = answer.quantities[0].chance.clone().unwrap();
    assert!((chance.high - (1.0 - libm::pow(0.025, 0.1))).abs() < 1e-9, "{chance:?}");
}

#[test]
fn the_value_of_another_line_is_said_to_be_that() {
    for (name, given, text, line) in [
        ("hot-key", &[0.2, 10.0] as &[f64], "2.8", "max over mean where the rest is even"),
        ("vnodes", &[10.0, 100.0], "1.161", "max over mean, expected"),
        ("remove", &[3.0, 0.0], "66.7%", "moved under modulo, gap closed"),
        ("buckets", &[3.0, 4.0, 16_384.0], "4096", "buckets that move"),
    ] {
        let found = claim(name, given, text);
        assert_eq!(
            (found.verdict, &found.lines[..]),
            (OtherLine, &[line.to_string()][..]),
            "{name}"
        );
    }
    // What the answer is only set against is none, however often it is claimed; one digit tells no line.
    let found = claim("modulo", &[4.0, 5.0], "20%");
    assert_eq!(found.verdict, Wrong);
    assert_eq!(found.lines, ["kept", "least that any strategy moves"]);
    assert_eq!(claim("modulo", &[4.0, 5.0], "0.2").lines, [""; 0]);
}

#[test]
fn shares_say_how_they_were_read() {
    let read = |text| claim("jump", &[100.0, 101.0], text);
    for (text, want) in [("0.99", "99 %"), ("9.1", "9.1 %"), ("0.5", "50 %"), ("1e-3", "0.1 %")] {
        assert_eq!(read(text).read_as.as_deref(), Some(want), "{text}");
    }
    assert_eq!(read("0.99%").read_as, None);
    assert!(read("0.99").right_in_percent && !read("0.98").right_in_percent);
    assert_eq!(claim("power-of-two", &[12.0], "2").read_as, None);
}
