//! Hot keys and tenants: phases of the traffic, bounded load's spill, loops that act on load, and what
//! remedies cost.

use super::{Family, MetricInfo, Point, Unit};
use crate::record::{ControlRecord, Phases, Price, Spill};

impl<'a> Point<'a> {
    fn phases(&self) -> Option<&'a Phases> {
        self.step.phases.as_ref()
    }

    fn spill(&self) -> Option<&'a Spill> {
        self.step.spill.as_ref()
    }

    fn control(&self) -> Option<&'a ControlRecord> {
        self.cell.control.as_ref()
    }

    fn price(&self) -> Option<&'a Price> {
        self.cell.price.as_ref()
    }

    fn verdict(&self, name: &str) -> Option<f64> {
        Some(f64::from(u8::from(self.control()?.verdict == name)))
    }
}

/// A metric of this file: nothing here has a formula or a source of its own beyond its text.
const fn metric(
    name: &'static str,
    unit: Unit,
    range: &'static str,
    doc: &'static str,
    read: fn(&Point<'_>) -> Option<f64>,
) -> MetricInfo {
    MetricInfo { name, unit, range, doc, formula: "", source: "", read }
}

/// How the requests lie in each phase of the traffic.
pub static PHASES: Family = Family {
    name: "phases",
    forms: &["phases.STAT"],
    metrics: &[
        metric("count", Unit::Count, "1 and more", "number of phases", |p| {
            Some(p.phases()?.count as f64)
        }),
        metric(
            "worst-max-over-mean",
            Unit::Ratio,
            "0 and more; 1 is even",
            "largest max over mean of the requests of any phase, within the phase",
            |p| Some(p.phases()?.worst_max_over_mean),
        ),
        metric(
            "mean-max-over-mean",
            Unit::Ratio,
            "0 and more; 1 is even",
            "max over mean of the requests of a phase, averaged over time",
            |p| Some(p.phases()?.mean_max_over_mean),
        ),
        metric(
            "peak-over-average",
            Unit::Ratio,
            "0 and more",
            "requests per time of the busiest node in its busiest phase ÷ its fair share of the average over all time",
            |p| Some(p.phases()?.peak_over_average),
        ),
    ],
};

/// Requests that bounded load sent past their first node.
pub static SPILL: Family = Family {
    name: "spill",
    forms: &["spill.STAT"],
    metrics: &[
        metric(
            "requests",
            Unit::Count,
            "0 and more",
            "requests that did not go to their key's home, whose node was full",
            |p| Some(p.spill()?.requests as f64),
        ),
        metric("share", Unit::Share, "0 to 1", "their share of all requests", |p| {
            Some(p.spill()?.share)
        }),
        metric(
            "scattered-keys",
            Unit::Count,
            "0 and more",
            "keys whose requests went to more than one node: affinity lost",
            |p| Some(p.spill()?.scattered_keys as f64),
        ),
        metric(
            "scattered-share",
            Unit::Share,
            "0 to 1",
            "their share of the keys with requests",
            |p| Some(p.spill()?.scattered_share),
        ),
    ],
};

/// How a loop that acts on measured load went.
pub static CONTROL: Family = Family {
    name: "control",
    forms: &["control.STAT"],
    metrics: &[
        metric("rounds", Unit::Count, "1 and more", "rounds of the loop", |p| {
            Some(p.control()?.rounds as f64)
        }),
        metric("start", Unit::Ratio, "1 and more", "max over mean before the first round", |p| {
            Some(p.control()?.start)
        }),
        metric("end", Unit::Ratio, "1 and more", "max over mean after the last round", |p| {
            Some(p.control()?.end)
        }),
        metric("best", Unit::Ratio, "1 and more", "least max over mean of any round", |p| {
            Some(p.control()?.best)
        }),
        metric("best-round", Unit::Count, "0 and more", "the round that reached it", |p| {
            Some(p.control()?.best_round as f64)
        }),
        metric(
            "late-span",
            Unit::Share,
            "0 and more; 0 stands still",
            "span of max over mean over the last third of the rounds ÷ its mean",
            |p| Some(p.control()?.late_span),
        ),
        metric(
            "moved-total",
            Unit::Share,
            "0 and more",
            "keys moved in all rounds together, as a share of the keys",
            |p| Some(p.control()?.moved_total),
        ),
        metric("converges", Unit::Number, "0 or 1", "1 where the verdict is so", |p| {
            p.verdict("converges")
        }),
        metric("diverges", Unit::Number, "0 or 1", "1 where the verdict is so", |p| {
            p.verdict("diverges")
        }),
        metric("oscillates", Unit::Number, "0 or 1", "1 where the verdict is so", |p| {
            p.verdict("oscillates")
        }),
    ],
};

/// What a remedy costs against the same cell without it.
pub static PRICE: Family = Family {
    name: "price",
    forms: &["price.STAT"],
    metrics: &[
        metric(
            "work",
            Unit::Ratio,
            "0 and more; 1 is the same",
            "requests that reach the nodes ÷ those without the remedy",
            |p| p.price()?.work,
        ),
        metric(
            "largest",
            Unit::Ratio,
            "0 and more; below 1 is a gain",
            "requests of the busiest node ÷ those of the busiest node without the remedy",
            |p| p.price()?.largest,
        ),
        metric(
            "others-max-over-mean",
            Unit::Ratio,
            "1 and more; 1 is even",
            "max over mean of the requests with the busiest node left out: how the neighbours fare",
            |p| p.price()?.others_max_over_mean,
        ),
        metric("extra-nodes", Unit::Count, "0 and more", "nodes more than without it", |p| {
            Some(p.price()?.extra_nodes)
        }),
        metric(
            "points",
            Unit::Ratio,
            "0 and more; 1 is the same",
            "points, table entries or buckets ÷ those without the remedy",
            |p| p.price()?.points,
        ),
        metric(
            "moved",
            Unit::Share,
            "0 to 1",
            "keys that live elsewhere than without the remedy, as a share of all",
            |p| p.price()?.moved,
        ),
        metric(
            "moved-total",
            Unit::Share,
            "0 and more",
            "keys moved in all rounds together, as a share of all",
            |p| p.price()?.moved_total,
        ),
        metric(
            "buckets-moved",
            Unit::Count,
            "0 and more",
            "buckets or chunks that were given to another node",
            |p| p.price()?.buckets_moved,
        ),
        metric(
            "spill",
            Unit::Share,
            "0 to 1",
            "share of the requests that do not go to their key's home",
            |p| p.price()?.spill,
        ),
        metric("cache-entries", Unit::Count, "0 and more", "entries of all caches together", |p| {
            p.price()?.cache_entries
        }),
        metric(
            "read-fan-out",
            Unit::Count,
            "1 and more",
            "parts that a read of the split key asks",
            |p| p.price()?.read_fan_out,
        ),
    ],
};
