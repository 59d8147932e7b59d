//! How keys spread over the nodes of one router: counts, outcomes, and what chance has to say about them.

use crate::analysis::disagree::Side;
use crate::analysis::distinct::{Count, Distinct, fingerprint};
use crate::analysis::repeats::{Repeats, repeats};
use crate::error::Error;
use crate::keys::{ColumnSpec, KeyBatch};
use crate::metrics::balance::balance;
use crate::metrics::chi_square::{ChiSquare, chi_square};
use crate::record::Balance;
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::sim::replay::place;
use crate::sim::scan::scan;
use crate::strategy::{Session, Slot};

/// What a pass counted.
#[derive(Debug, Clone, PartialEq)]
pub struct Spread {
    /// Keys of each live node, in the cluster's order.
    pub counts: Vec<u64>,
    /// Fair share of each.
    pub fair: Vec<f64>,
    /// Owned share of each among the live nodes, where it is known.
    pub owned: Option<Vec<f64>>,
    /// Keys by outcome: misrouted, refused, absent.
    pub outcomes: [u64; Slot::OUTCOMES],
    /// Keys on a node that the cluster does not have.
    pub strange: u64,
    /// Distinct keys.
    pub distinct: Count,
    /// How often each key comes, where keys repeat: all rows of one are on one node. None as well where
    /// there are too many of them to count, and where open requests send a key here and there.
    pub repeats: Option<Repeats>,
}

/// The router of one kind of keys, and how many nodes it names for a key; the first one counts.
#[derive(Debug, Clone, Copy)]
pub struct Router<'a> {
    /// Cluster and placement.
    pub side: &'a Side<'a>,
    /// Nodes a key.
    pub replicas: usize,
}

impl<'a> Router<'a> {
    /// The columns to digest.
    pub fn columns(&self) -> &'a [ColumnSpec] {
        self.side.placement.columns()
    }

    /// Whether the answer depends on the requests that are open.
    pub fn has_session(&self) -> bool {
        self.side.placement.session().is_some()
    }

    /// Ids of the live nodes, in the cluster's order.
    pub fn live(&self) -> Vec<usize> {
        let cluster = self.side.cluster;
        let up = cluster.nodes.iter().filter(|node| !cluster.down.contains(&node.id));
        up.map(|node| node.id.0 as usize).collect()
    }

    /// A walk over batches, which keeps a session's open requests between them.
    pub fn walk(&self) -> Walk<'a> {
        Walk { router: *self, session: self.side.placement.session(), slots: Vec::new() }
    }
}

/// Places batches one after the other.
pub struct Walk<'a> {
    router: Router<'a>,
    session: Option<Box<dyn Session>>,
    slots: Vec<Slot>,
}

impl Walk<'_> {
    /// Where the keys of a batch live, whose digests are computed: the first node of each.
    pub fn place(&mut self, batch: &KeyBatch) -> &[Slot] {
        let Side { cluster, placement } = self.router.side;
        let replicas = self.router.replicas;
        match &mut self.session {
            None => {
                place(placement.as_ref(), &cluster.down, replicas, batch, &mut self.slots);
                if replicas > 1 {
                    let rows = batch.len();
                    (0..rows).for_each(|row| self.slots[row] = self.slots[row * replicas]);
                    self.slots.truncate(rows);
                }
            }
            Some(session) => {
                let columns = placement.columns();
                let mut digests = Vec::with_capacity(columns.len());
                self.slots.clear();
                for row in 0..batch.len() {
                    digests.clear();
                    digests.extend(columns.iter().map(|c| batch.digests(c)[row]));
                    self.slots.push(session.route(&digests));
                }
            }
        }
        &self.slots
    }
}

/// Runs `job` on a pool of so many threads.
pub fn on_threads<T: Send>(threads: usize, job: impl FnOnce() -> T + Send) -> Result<T, Error> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
    let pool = pool.map_err(|e| Error::invalid(format!("cannot start the worker threads: {e}")))?;
    Ok(pool.install(job))
}

/// One thread's counts.
struct Tally<'a> {
    walk: Walk<'a>,
    /// By tally row, then keys on strange nodes.
    at: Vec<u64>,
    distinct: Distinct,
}

/// Places all rows, or those whose text begins with `prefix`.
///
/// # Errors
/// A fault of a key file; an interrupt.
pub fn spread(
    router: Router<'_>,
    input: &Input,
    prefix: Option<&[u8]>,
    progress: &dyn Progress,
) -> Result<Spread, Error> {
    let ids = router.side.cluster.ids;
    let rows = ids + Slot::OUTCOMES;
    progress.begin("placing keys", input.rows);
    let new =
        || Tally { walk: router.walk(), at: vec![0; rows + 1], distinct: Distinct::default() };
    let visit = |tally: &mut Tally<'_>, batch: &KeyBatch| {
        let slots = tally.walk.place(batch);
        for (row, &slot) in slots.iter().enumerate() {
            if prefix.is_some_and(|prefix| !begins_with(batch, row, prefix)) {
                continue;
            }
            let known = slot.node().is_none_or(|node| (node.0 as usize) < ids);
            tally.at[if known { slot.index(ids) } else { rows }] += 1;
            tally.distinct.add(fingerprint(batch, row));
        }
    };
    let run = || scan(input, router.columns(), progress, new, visit);
    // A session meets the requests in the order of the rows: on one thread.
    let tallies = if router.has_session() { on_threads(1, run)?? } else { run()? };
    let mut at = vec![0u64; rows + 1];
    let mut distinct = Distinct::default();
    for tally in &tallies {
        at.iter_mut().zip(&tally.at).for_each(|(sum, n)| *sum += n);
        distinct.merge(&tally.distinct);
    }
    let live = router.live();
    let distinct = distinct.count();
    let fair = router.side.cluster.fair_shares();
    let owned = router.side.placement.ownership().map(|o| o.shares(ids));
    let pick = |shares: &[f64]| -> Vec<f64> { live.iter().map(|&id| shares[id]).collect() };
    let mut spread = Spread {
        counts: live.iter().map(|&id| at[id]).collect(),
        fair: pick(&fair),
        owned: owned.map(|owned| pick(&owned)),
        outcomes: [at[ids], at[ids + 1], at[ids + 2]],
        strange: at[rows],
        distinct,
        repeats: None,
    };
    if distinct.exact && !spread.is_distinct() && !router.has_session() {
        spread.repeats = Some(repeats(router, input, prefix, progress)?);
    }
    Ok(spread)
}

/// Whether the text of a key begins with these bytes.
pub fn begins_with(batch: &KeyBatch, row: usize, prefix: &[u8]) -> bool {
    if batch.text.is_empty() {
        batch.key(row).to_string().as_bytes().starts_with(prefix)
    } else {
        batch.text.get(row).starts_with(prefix)
    }
}

impl Spread {
    /// Keys on live nodes.
    pub fn placed(&self) -> u64 {
        self.counts.iter().sum()
    }

    /// All keys that were counted.
    pub fn keys(&self) -> u64 {
        self.placed() + self.outcomes.iter().sum::<u64>() + self.strange
    }

    /// Nodes with at least one key.
    pub fn used(&self) -> usize {
        self.counts.iter().filter(|&&n| n > 0).count()
    }

    /// How even the counts are.
    pub fn balance(&self) -> Balance {
        balance(&self.counts, &self.fair)
    }

    /// Whether no key occurs twice; where the count is an estimate, within four standard errors.
    pub fn is_distinct(&self) -> bool {
        self.distinct.is_all(self.keys())
    }

    /// Distinct keys of each live node; None where keys repeat and it is not known how often.
    pub fn distinct_counts(&self) -> Option<&[u64]> {
        match &self.repeats {
            Some(repeats) => Some(&repeats.counts),
            None => self.is_distinct().then_some(&self.counts),
        }
    }

    /// The chi-square test of the distinct keys, since rows of one key are not independent: against owned
    /// shares where they are known, otherwise against fair ones. None where there are too few of them, or
    /// where keys repeat and it is not known how often.
    pub fn chi_square(&self) -> Option<ChiSquare> {
        chi_square(self.distinct_counts()?, self.owned.as_deref().unwrap_or(&self.fair))
    }
}
