//! Copies of keys: what they protect from, and what they cost. Their balance is in the family
//! `balance`.

use super::{Family, MetricInfo, Point, Unit};
use crate::record::Copies;

/// Sets of nodes that hold a key.
const COPYSETS: &str = "Cidon et al. (2013), Copysets, USENIX ATC";

/// Copies of keys.
pub static FAMILY: Family = Family {
    name: "copies",
    forms: &["copies.STAT"],
    metrics: &[
        MetricInfo {
            name: "replicas",
            unit: Unit::Count,
            range: "2 and more",
            doc: "copies wanted per key",
            formula: "",
            source: "",
            read: |p| of(p, |c| Some(c.replicas as f64)),
        },
        MetricInfo {
            name: "short-keys",
            unit: Unit::Count,
            range: "0 and more",
            doc: "keys with fewer distinct nodes than wanted",
            formula: "",
            source: "",
            read: |p| of(p, |c| Some(c.short_keys as f64)),
        },
        MetricInfo {
            name: "short-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of keys with fewer distinct nodes than wanted",
            formula: "short-keys ÷ keys",
            source: "",
            read: |p| of(p, |c| Some(c.short_share)),
        },
        MetricInfo {
            name: "short-zones-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of keys with fewer distinct zones (racks where no node has a zone) than copies wanted; null without zones",
            formula: "",
            source: "",
            read: |p| of(p, |c| c.short_zones_share),
        },
        MetricInfo {
            name: "node-sets",
            unit: Unit::Count,
            range: "0 and more",
            doc: "distinct sets of nodes that hold some key; null beyond 2^18",
            formula: "",
            source: COPYSETS,
            read: |p| of(p, |c| c.node_sets.map(|n| n as f64)),
        },
        MetricInfo {
            name: "loss-two",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "chance that losing two random live nodes at once loses a key",
            formula: "pairs that hold all copies of some key ÷ C(n, 2)",
            source: COPYSETS,
            read: |p| of(p, |c| c.loss_two),
        },
        MetricInfo {
            name: "loss-replicas",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "chance that losing as many random live nodes as there are copies loses a key; null where some keys have fewer",
            formula: "node-sets ÷ C(n, R)",
            source: COPYSETS,
            read: |p| of(p, |c| c.loss_replicas),
        },
        MetricInfo {
            name: "same-set",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "chance that two random keys live on the same set of nodes (shuffle sharding: share one another's fate)",
            formula: "Σ (keys of a set ÷ keys)²",
            source: "",
            read: |p| of(p, |c| c.same_set),
        },
        MetricInfo {
            name: "overlap-nodes",
            unit: Unit::Number,
            range: "0 to R",
            doc: "expected number of nodes that two random keys share",
            formula: "Σ (copies of a node ÷ keys)²",
            source: "",
            read: |p| of(p, |c| Some(c.overlap_nodes)),
        },
        MetricInfo {
            name: "heirs-least",
            unit: Unit::Count,
            range: "0 and more",
            doc: "fewest heirs of a primary: nodes that hold the second copies of its keys",
            formula: "",
            source: "",
            read: |p| of(p, |c| c.heirs_least.map(|n| n as f64)),
        },
        MetricInfo {
            name: "heir-share-max",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "largest share of a primary's keys whose second copy one node holds",
            formula: "",
            source: "",
            read: |p| of(p, |c| c.heir_share_max),
        },
        MetricInfo {
            name: "cross-zone-share",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of reads that leave their zone when clients read the copy in their zone, else the primary; clients are spread over zones as the weights are",
            formula: "",
            source: "",
            read: |p| of(p, |c| c.cross_zone_share),
        },
        MetricInfo {
            name: "cross-zone-primary",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "the same when clients read the primary",
            formula: "",
            source: "",
            read: |p| of(p, |c| c.cross_zone_primary),
        },
        MetricInfo {
            name: "zone-reads-max-over-mean",
            unit: Unit::Ratio,
            range: "0 and more",
            doc: "largest node against fair of the reads within zones: what locality costs in balance",
            formula: "",
            source: "",
            read: |p| of(p, |c| c.zone_reads_max_over_mean),
        },
    ],
};

fn of(point: &Point<'_>, read: fn(&Copies) -> Option<f64>) -> Option<f64> {
    read(point.step.copies.as_ref()?)
}
