//! Grouped keys: keys that go together (hash tags, tenants, batches), so that fewer things are placed than
//! keys are counted.

use super::super::Case;
use super::super::chance::Chance;
use super::super::remedy;
use super::{CauseInfo, Proposal};
use crate::report::number::{fixed, grouped};

/// The cause.
pub static INFO: CauseInfo = CauseInfo {
    name: "grouped-keys",
    title: "keys that go in groups: fewer independent keys than keys",
    check: "count the distinct values of what is hashed (hash tag, tenant, partition key) and their sizes",
    propose,
};

fn propose(case: &Case<'_>, _chance: &Chance) -> Vec<Proposal> {
    let fit = case.fit_spread(&case.expected, 0.0);
    let groups = case.effective_keys(&case.expected);
    let mut evidence =
        vec![format!("(n−1) ÷ cv² = {} equal groups would spread as far", remedy::amount(groups))];
    if let Some(keys) = case.seen.keys {
        if groups >= keys as f64 {
            return vec![];
        }
        let each = keys as f64 / groups;
        let whole = grouped(libm::floor(each + 0.5) as u64);
        let each = if each < 10.0 { fixed(each, 1) } else { whole };
        evidence.push(format!("about {each} keys each"));
    }
    let plan = Box::new(move |case: &Case<'_>| remedy::ungroup(case, groups));
    vec![Proposal { shares: case.expected.clone(), fit, evidence, plan }]
}
