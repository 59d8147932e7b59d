//! What holds for every generated key pattern with its defaults.

use std::collections::BTreeSet;

use super::testing::{assert_laws, source, three_chunks};
use super::{ALL, PatternInfo, file};
use crate::params::Value;

fn generated() -> impl Iterator<Item = &'static PatternInfo> {
    ALL.iter().copied().filter(|info| info.name != file::INFO.name)
}

#[test]
fn chunks_read_the_same_in_any_pieces_and_any_order() {
    for info in generated() {
        assert_laws(info, vec![]);
    }
}

#[test]
fn as_many_keys_are_distinct_as_it_tells() {
    for info in generated() {
        let source = source(info, vec![("count", Value::Int(3 * 65_536))]);
        assert_eq!(source.rows().unwrap(), 3 * 65_536, "{}", info.name);
        if let Some(distinct) = source.distinct() {
            let keys: BTreeSet<String> = three_chunks(&*source).into_iter().collect();
            assert_eq!(keys.len() as u64, distinct, "{}", info.name);
        }
    }
}

#[test]
fn every_pattern_says_what_it_is() {
    for (i, info) in ALL.iter().enumerate() {
        assert!(!info.summary.is_empty() && !info.summary.ends_with('.'), "{}", info.name);
        assert!(!info.source.is_empty(), "{}", info.name);
        assert!(ALL[..i].iter().all(|other| other.name != info.name), "{}", info.name);
    }
}
