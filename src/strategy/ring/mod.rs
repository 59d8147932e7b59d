//! Ring: consistent hashing with virtual nodes.
//!
//! # Idea
//! Hash v labels of every node, `db3#0`, `db3#1` …, to points on a circle of digests. A key belongs
//! to the node whose point comes first at or after the key's digest, going round.
//!
//! # Source
//! D. Karger et al., "Consistent Hashing and Random Trees", STOC 1997, doi 10.1145/258533.258660;
//! labels and `vnodes` as in libketama (R. Jones, 2007).
//!
//! # Cost
//! Look-up O(1) expected by an index over the top bits (`sorted` and `skip-list`: O(log nv); `slot-table`:
//! O(1)). Change: all labels are
//! hashed and sorted anew, O(nv). Bytes: a point and its owner, and 1–2 entries of the index a point;
//! owners and entries of 2 bytes where points and node ids are at most 65 535, else of 4.
//!
//! # Choices made where the source is silent
//! - A key that falls on a point belongs to it; beyond the last point comes the first.
//! - Of equal points of two nodes one wins: that of the smaller name (`tie = "name"`, which does not
//!   depend on the order of the nodes), of the earlier node (`first`), or of the later (`last`, as when
//!   points are put one by one into a sorted map). The losers stay as points that own nothing and are
//!   met by replicas.
//! - A node of weight w has round(v·w) points, halves up, at least one; none at weight 0.
//! - Of a 128-bit digest the first 64 bits count. Labels are hashed with the seed of the keys.
//! - `lookup = "slot-table"` cuts the digest space into equal slots, each of which belongs as a whole to
//!   the owner of its first digest: a look-up is one read, and shares are rounded to slots.
//! - Replicas are the next distinct nodes clockwise, or the next of distinct zones (`spread`).
//!
//! # Checked against
//! What `INFO.checked` says.

pub mod lookup;
pub mod points;
pub mod table;
pub mod width;

use lookup::Lookup;
use points::{Points, Tie};
use width::Width;

use super::spread::{Domains, SPREAD};
use super::support::{digest_step, hex, label_hash, mean_steps, step};
use super::{
    Build, Caps, Cost, Explanation, History, Movement, Order, Placement, Slot, StrategyInfo,
    Weights,
};
use crate::cluster::Node;
use crate::cluster::label::{Label, PLACEHOLDERS};
use crate::error::Error;
use crate::hash::{self, KeyHash};
use crate::keys::{ByteColumn, ColumnSpec, Key, KeyBatch};
use crate::params::{Default, HASH_SEED, HASHER, Param, Type, VIEW};

/// Static facts.
pub static INFO: StrategyInfo = StrategyInfo {
    name: "ring",
    title: "Ring",
    summary: "consistent hashing: the first of the nodes' points at or after the key's digest",
    source: "Karger et al. (1997), doi 10.1145/258533.258660",
    checked: "a search over all points; partition_point; the law of owned shares, mean cv² = (n − 1)/(nv + 1)",
    caps: Caps { weights: Weights::Rounded, replicas: true, names: true, ..Caps::NONE },
    movement: Movement::Minimal,
    history: History::Free,
    order: Order::Free,
    params: &{
        let [a, b, c, d, e, f, g, _] = PARAMS;
        [a, b, c, d, e, f, g, lookup::ANY, lookup::SLOTS, SPREAD]
    },
    cost: Cost { lookup: "O(1)", change: "O(n v)", bytes: "8–16 n v (32-bit digests)" },
    build: |build| Ok(Box::new(Ring::new(INFO.name, build)?)),
};

/// What every strategy on a ring takes, and more.
pub const PARAMS: [Param; 8] = [
    HASHER,
    HASH_SEED,
    VIEW,
    Param::new(
        "vnodes",
        Type::Int { min: 1, max: 100_000 },
        Default::Int(160),
        "virtual nodes per node of weight 1",
    ),
    Param::new(
        "label",
        Type::Label(PLACEHOLDERS),
        Default::Text("{node}#{i}"),
        "what is hashed for point {i} of a node",
    ),
    Param::new(
        "point-hasher",
        Type::Hasher,
        Default::Absent,
        "hash function of the labels, of as many bits as the key's; absent: the key's",
    ),
    Param::new(
        "tie",
        Type::Choice(&["name", "first", "last"]),
        Default::Text("name"),
        "who has a point that two nodes share: the smaller name, the first or the last in the cluster",
    ),
    lookup::EXACT,
];

/// A ring built for one cluster.
#[derive(Debug)]
pub struct Ring {
    columns: [ColumnSpec; 1],
    table: Width,
    lookup: Lookup,
    replicas: usize,
    domains: Domains,
    /// For explanations: the members, the label, and how it is hashed.
    nodes: Vec<Node>,
    label: Label,
    labels: ColumnSpec,
}

impl Ring {
    /// Builds a ring; `strategy` is the name for messages.
    pub fn new(strategy: &str, build: &Build<'_>) -> Result<Self, Error> {
        let counts = points::counts(build.cluster, build.params.int("vnodes") as u32)?;
        Self::with_counts(strategy, build, &counts)
    }

    /// Builds a ring of so many points of each node, in the cluster's order.
    pub fn with_counts(strategy: &str, build: &Build<'_>, counts: &[u32]) -> Result<Self, Error> {
        let params = build.params;
        let column = params.column();
        column.fits(build.keys)?;
        let mut labels = ColumnSpec { view: crate::keys::view::View::whole(), ..column.clone() };
        if let Some(name) = params.text_opt("point-hasher") {
            labels.hasher = hash::find(name)?;
            if labels.bits() != column.bits() {
                return Err(Error::invalid(format!(
                    "`point-hasher` {name} gives points of {} bits, `hasher` {} digests of {}",
                    labels.bits(),
                    column.hasher.name,
                    column.bits()
                ))
                .help("points and digests lie on one circle: choose hashers of equal width")
                .field("point-hasher"));
            }
        }
        let hash = label_hash(strategy, &labels).map_err(|e| {
            e.help("set `point-hasher` to a hasher of 64 bits that takes bytes, e.g. xxh3-64")
        })?;
        let tie = match params.text("tie") {
            "name" => Tie::Name,
            "first" => Tie::First,
            "last" => Tie::Last,
            other => unreachable!("`{other}` is not among the choices of `tie`"),
        };
        let label = Label::parse(params.text("label"), PLACEHOLDERS)?;
        let points = Points::hash(build.cluster, counts, &label, tie, hash.as_ref())?;
        let table = Width::new(column.bits(), &points);
        let lookup = Lookup::new(params, &table, column.bits())?;
        let nodes = build.cluster.nodes.clone();
        let (replicas, domains) = (build.replicas, Domains::new(build));
        Ok(Ring { columns: [column], table, lookup, replicas, domains, nodes, label, labels })
    }

    /// Number of points.
    pub fn len(&self) -> usize {
        self.table.len()
    }

    /// Whether no node has a point.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The first point at or after a digest (with a table of slots, after the start of its slot), going
    /// round.
    pub fn find(&self, digest: u64) -> usize {
        match &self.lookup {
            Lookup::Bucketed => self.table.find(digest),
            Lookup::Sorted => self.table.find_sorted(digest),
            Lookup::SkipList(list) => {
                let at = list.search(digest).0;
                if at == self.len() { 0 } else { at }
            }
            Lookup::SlotTable(slots) => self.table.find_sorted(slots.first(digest)),
        }
    }

    /// The owner of a point; ABSENT on an empty ring.
    pub fn owner(&self, at: usize) -> Slot {
        self.table.owner(at)
    }

    /// The label of point `at`, found again by hashing its owner's labels.
    fn label_of(&self, at: usize) -> Option<String> {
        let point = self.table.point(at);
        let owner = self.owner(at);
        let node = self.nodes.iter().find(|n| Slot::from(n.id) == owner)?;
        let hash = (self.labels.hasher.build)(self.labels.seed, self.labels.half);
        let mut text = Vec::new();
        (0..self.len() as u64).find_map(|i| {
            self.label.write(node, i, &mut text);
            let found = digest(hash.as_ref(), &text) == point;
            found.then(|| String::from_utf8_lossy(&text).into_owned())
        })
    }
}

/// The digest of one label.
fn digest(hash: &dyn KeyHash, label: &[u8]) -> u64 {
    let mut column = ByteColumn::default();
    column.push(label);
    let mut out = [0];
    hash.batch(&column, &mut out);
    out[0]
}

impl Placement for Ring {
    fn columns(&self) -> &[ColumnSpec] {
        &self.columns
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        let digests = batch.digests(&self.columns[0]);
        match (&self.lookup, self.replicas) {
            (Lookup::Bucketed, 1) => self.table.place(digests, out),
            (Lookup::Sorted, 1) => self.table.place_sorted(digests, out),
            (Lookup::SkipList(list), 1) => {
                // The point after the last has the first one's owner.
                for (slot, &digest) in out.iter_mut().zip(digests) {
                    *slot = self.table.owner(list.search(digest).0);
                }
            }
            (Lookup::SlotTable(slots), 1) => {
                for (slot, &digest) in out.iter_mut().zip(digests) {
                    *slot = slots.owner(digest);
                }
            }
            (_, replicas) => {
                for (slots, &digest) in out.chunks_exact_mut(replicas).zip(digests) {
                    self.table.walk(self.find(digest), &self.domains, slots);
                }
            }
        }
    }

    fn segments(&self) -> Option<Vec<(u64, Slot)>> {
        Some(match &self.lookup {
            Lookup::SlotTable(slots) => slots.segments(),
            _ => self.table.segments(),
        })
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let column = &self.columns[0];
        let batch = KeyBatch::single(key, &self.columns);
        let digest = batch.digests(column)[0];
        let mut steps = vec![digest_step(column, key, digest)];
        if self.is_empty() {
            return Explanation { steps, slot: Slot::ABSENT };
        }
        let at = self.find(digest);
        let point = self.table.point(at);
        let mut from = digest;
        if let Lookup::SlotTable(slots) = &self.lookup {
            from = slots.first(digest);
            steps.push(step("first digest of its slot", hex(from, column.bits())));
        }
        let wrapped = if point < from { ", past the end" } else { "" };
        steps.push(step(
            format!("first point at or after it{wrapped}"),
            format!("number {at} of {}: {}", self.len(), hex(point, column.bits())),
        ));
        if let Some(label) = self.label_of(at) {
            steps.push(step("label of that point", label));
        }
        if self.replicas > 1 {
            let mut slots = vec![Slot::ABSENT; self.replicas];
            self.table.walk(at, &self.domains, &mut slots);
            let name = |slot: &Slot| {
                self.nodes.iter().find(|n| Slot::from(n.id) == *slot).map_or("none", |n| &n.name)
            };
            let names: Vec<&str> = slots.iter().map(name).collect();
            steps.push(step("copies clockwise", names.join(", ")));
        }
        Explanation { steps, slot: self.owner(at) }
    }

    fn heap_bytes(&self) -> u64 {
        self.table.heap_bytes() + self.lookup.heap_bytes()
    }

    fn points(&self) -> u64 {
        self.len() as u64
    }

    fn shared_points(&self) -> Option<u64> {
        let distinct = (1..self.len()).filter(|&i| self.table.point(i) != self.table.point(i - 1));
        Some((self.len() as u64).saturating_sub(1) - distinct.count() as u64)
    }

    fn lookup_steps(&self) -> Option<f64> {
        Some(mean_steps(&self.columns[0], |digest| self.lookup.steps(&self.table, digest)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::Cluster;
    use crate::hash::{Half, mix::fmix64};
    use crate::keys::KeyKind;
    use crate::params::{Params, Value};
    use std::path::Path;

    fn ring(cluster: &Cluster, given: &[(&str, Value)]) -> Result<Ring, Error> {
        let given = given.iter().map(|(k, v)| (k.to_string(), v.clone())).collect();
        let params = Params::from_pairs(INFO.params, given)?;
        let build = Build {
            cluster,
            params: &params,
            keys: KeyKind::U64,
            replicas: 1,
            base: Path::new(""),
        };
        Ring::new("ring", &build)
    }

    fn text(value: &str) -> Value {
        Value::Text(value.to_string())
    }

    /// The points in order with their owners.
    fn points(ring: &Ring) -> Vec<(u64, Slot)> {
        (0..ring.len()).map(|at| (ring.table.point(at), ring.owner(at))).collect()
    }

    #[test]
    fn exact_look_ups_give_the_same_answers() {
        let cluster = Cluster::numbered(20, "db{i}");
        for hasher in ["crc16-xmodem", "murmur3-32", "xxh3-64", "md5"] {
            let bucketed = ring(&cluster, &[("hasher", text(hasher))]).unwrap();
            let sorted =
                ring(&cluster, &[("hasher", text(hasher)), ("lookup", text("sorted"))]).unwrap();
            let list =
                ring(&cluster, &[("hasher", text(hasher)), ("lookup", text("skip-list"))]).unwrap();
            let top = u64::MAX >> (64 - bucketed.columns[0].bits());
            for digest in (0..5000).map(|i| fmix64(i) & top).chain([0, top]) {
                assert_eq!(bucketed.find(digest), sorted.find(digest), "{hasher} {digest:#x}");
                assert_eq!(list.find(digest), sorted.find(digest), "{hasher} {digest:#x}");
            }
        }
    }

    #[test]
    fn only_a_slot_table_has_slots() {
        let cluster = Cluster::numbered(4, "db{i}");
        let slots = |lookup: &str, given: Option<i64>| {
            let mut pairs = vec![("lookup", text(lookup))];
            pairs.extend(given.map(|slots| ("slots", Value::Int(slots))));
            ring(&cluster, &pairs).map(|ring| ring.lookup.heap_bytes() / 4)
        };
        assert_eq!(slots("slot-table", Some(512)).unwrap(), 512);
        assert_eq!(slots("slot-table", None).unwrap(), 1024, "as documented");
        for lookup in ["bucketed", "sorted", "skip-list"] {
            let error = slots(lookup, Some(512)).unwrap_err();
            assert!(error.message.contains("`slots` is 512") && error.message.contains(lookup));
            assert_eq!(error.field, Some("slots"));
        }
    }

    #[test]
    fn points_are_the_digests_of_the_labels() {
        let cluster = Cluster::numbered(3, "db{i}");
        let ring = ring(&cluster, &[("vnodes", Value::Int(7))]).unwrap();
        let hash = (hash::find("murmur3-32").unwrap().build)(0, Half::High);
        let mut want: Vec<(u64, Slot)> = (0..3u32)
            .flat_map(|n| (0..7).map(move |i| (format!("db{n}#{i}"), Slot(n))))
            .map(|(label, slot)| (hash.hash(label.as_bytes()), slot))
            .collect();
        want.sort();
        assert_eq!(points(&ring), want);
    }

    #[test]
    fn shared_points_go_by_the_tie_rule() {
        let mut cluster = Cluster::numbered(2, "db{i}");
        cluster.nodes[0].name = "zebra".into();
        cluster.nodes[1].name = "ant".into();
        // Segments whose end is a point of both nodes, by owner. 100 000 labels a node on 65 536 points
        // leave thousands.
        let owners = |tie: &str| {
            let given = [
                ("hasher", text("crc16-xmodem")),
                ("vnodes", Value::Int(100_000)),
                ("tie", text(tie)),
            ];
            let ring = ring(&cluster, &given).unwrap();
            let mut shared = [0; 2];
            for run in points(&ring).chunk_by(|a, b| a.0 == b.0) {
                let winner = run[0].1;
                let both = run.iter().any(|(_, owner)| *owner != winner);
                shared[winner.0 as usize] += usize::from(both);
            }
            shared
        };
        let (name, first, last) = (owners("name"), owners("first"), owners("last"));
        assert!(name[1] > 1000 && name[0] == 0, "{name:?}");
        assert!(first[0] > 1000 && first[1] == 0, "{first:?}");
        assert_eq!(last, name, "the last of the cluster has the smaller name here");
    }

    #[test]
    fn owned_shares_vary_by_the_law() {
        // E[cv²] = (n − 1)/(nv + 1) = 0.005857 at 16 × 160. One ring's cv² has a relative deviation of
        // about √(2/15); the mean of 300 stays within 5 deviations, 11 %, but once in a million.
        let (nodes, vnodes, trials) = (16, 160, 300);
        let mut sum = 0.0;
        for trial in 0..trials {
            let cluster = Cluster::numbered(nodes, &format!("t{trial}-{{i}}"));
            let ring = ring(&cluster, &[("vnodes", Value::Int(vnodes))]).unwrap();
            let segments = ring.segments().unwrap();
            let mut shares = vec![0.0; nodes];
            let mut before = -1.0;
            for (end, slot) in segments {
                shares[slot.0 as usize] += (end as f64 - before) / (1u64 << 32) as f64;
                before = end as f64;
            }
            let n = nodes as f64;
            sum += shares.iter().map(|s| (s * n - 1.0) * (s * n - 1.0)).sum::<f64>() / n;
        }
        let (mean, law) = (sum / f64::from(trials), 15.0 / 2561.0);
        assert!((mean / law - 1.0).abs() < 0.11, "mean cv² {mean:.6}, law {law:.6}");
    }

    #[test]
    fn wrong_parameters_are_named() {
        let cluster = Cluster::numbered(2, "db{i}");
        let field = |given: &[(&str, Value)]| ring(&cluster, given).unwrap_err().field;
        assert_eq!(field(&[("point-hasher", text("xxh3-64"))]), Some("point-hasher"));
        assert_eq!(field(&[("label", text("{node}"))]), Some("label"));
        assert_eq!(field(&[("label", text("point {i}"))]), Some("label"));
        let many = Cluster::numbered(501, "db{i}");
        let error = ring(&many, &[("vnodes", Value::Int(100_000))]).unwrap_err();
        assert_eq!(error.field, Some("vnodes"));
        let error = ring(&cluster, &[("hasher", text("identity"))]).unwrap_err();
        assert_eq!(error.kind, crate::error::ErrorKind::Unsupported);
        let given = [("hasher", text("identity")), ("point-hasher", text("xxh3-64"))];
        assert!(ring(&cluster, &given).is_ok());
    }

    #[test]
    fn explanations_name_the_point() {
        let cluster = Cluster::numbered(3, "db{i}");
        let ring = ring(&cluster, &[]).unwrap();
        let told = ring.explain(&Key::U64(42));
        assert_eq!(told.steps.len(), 3);
        let label = &told.steps[2].value;
        assert!(label.starts_with(&format!("db{}#", told.slot.0)), "{label}");
        assert!(told.steps[0].value.starts_with("0x"), "{told:?}");
    }
}
