//! Counting by arc instead of key by key.
//!
//! Where a key's digest alone decides ([`Placement::segments`](crate::strategy::Placement::segments)),
//! all keys between two neighbouring ends live together at every step of a cell. So a batch's digests
//! are sorted once a column, and each cell only counts how many of them lie in each of its arcs; who
//! lives there, and what moves, is worked out once, at the end. A further cell then costs a walk over
//! the sorted digests and not a look-up and a count for each key and step. The counts are the same.

use super::plan::{Plan, PlannedCell};
use super::tally::{CellTally, Extras, Load};
use crate::keys::{BATCH_ROWS, ColumnSpec, KeyBatch};
use crate::strategy::Slot;
use crate::strategy::ring::points::Points;
use crate::strategy::ring::width::Width;

/// Fewest placements that read a column for which sorting it pays. Sorting costs about as much as
/// looking up and counting twice does.
const MIN_PLACEMENTS: usize = 4;

/// Most bytes that the arcs of all cells and their counts may take together; cells beyond are counted key by key.
const MAX_BYTES: u64 = 256 << 20;

/// The cells of a plan that are counted by arc.
#[derive(Debug, Default)]
pub struct Arcs {
    columns: Vec<ColumnArcs>,
}

/// The cells that read one column.
#[derive(Debug)]
struct ColumnArcs {
    spec: ColumnSpec,
    cells: Vec<CellArcs>,
}

/// The arcs of one cell: within each, no step changes its owner.
#[derive(Debug)]
struct CellArcs {
    /// Index into the plan's cells.
    cell: usize,
    /// First digest of each arc but the first, which begins at 0; ascending.
    firsts: Vec<u64>,
    /// Owners by step and arc.
    owners: Vec<Vec<Slot>>,
}

impl Arcs {
    /// Those cells, of the ones for which `wanted` holds, whose every step goes by arcs of one column,
    /// and for which that is less work than key by key.
    pub fn new(plan: &Plan<'_>, loads: &[Load], wanted: impl Fn(usize) -> bool, rows: u64) -> Self {
        let counted_bytes = 8 * loads.len() * rayon::current_num_threads();
        let batch_rows = rows.min(BATCH_ROWS as u64);
        let mut bytes = 0;
        let mut columns: Vec<ColumnArcs> = Vec::new();
        for (index, cell) in plan.cells.iter().enumerate().filter(|(index, _)| wanted(*index)) {
            let Some(spec) = column_of(plan, cell, batch_rows) else { continue };
            let arcs = CellArcs::new(plan, cell, index);
            bytes += arcs.bytes(counted_bytes);
            if bytes > MAX_BYTES {
                break;
            }
            match columns.iter_mut().find(|column| column.spec == *spec) {
                Some(column) => column.cells.push(arcs),
                None => columns.push(ColumnArcs { spec: spec.clone(), cells: vec![arcs] }),
            }
        }
        columns.retain(|column| {
            column.cells.iter().map(|cell| cell.owners.len()).sum::<usize>() >= MIN_PLACEMENTS
        });
        Arcs { columns }
    }

    /// Whether a cell of the plan is counted by arc.
    pub fn has(&self, cell: usize) -> bool {
        self.cells().any(|arcs| arcs.cell == cell)
    }

    fn cells(&self) -> impl Iterator<Item = &CellArcs> {
        self.columns.iter().flat_map(|column| &column.cells)
    }

    /// The tallies of these cells, by index into the plan's cells.
    pub fn tallies<'a>(
        &'a self,
        plan: &'a Plan<'_>,
        loads: &'a [Load],
        extras: Extras,
        counts: &'a ArcCounts,
    ) -> impl Iterator<Item = (usize, CellTally)> + 'a {
        self.cells().zip(&counts.amounts).map(move |(arcs, amounts)| {
            let mut tally = CellTally::new(&plan.cells[arcs.cell], loads, extras);
            let owners: Vec<&[Slot]> = arcs.owners.iter().map(Vec::as_slice).collect();
            let amounts: Vec<&[u64]> = amounts.iter().map(Vec::as_slice).collect();
            tally.count_amounts(&amounts, &owners);
            (arcs.cell, tally)
        })
    }
}

/// The one column whose digest decides at every step, unless counting key by key is less work: when
/// there are more arcs than keys of a batch to place, or when copies of keys are counted.
fn column_of<'p>(
    plan: &'p Plan<'_>,
    cell: &PlannedCell<'_>,
    batch_rows: u64,
) -> Option<&'p ColumnSpec> {
    let steps = cell.steps.as_ref().ok().filter(|_| cell.cell.replicas == 1)?;
    let placement = |step: &usize| plan.routed[*step].placement.as_ref();
    let points: u64 = steps.iter().map(|step| placement(step).points()).sum();
    let [spec] = placement(steps.first()?).columns() else { return None };
    let alike = steps.iter().all(|step| placement(step).columns() == std::slice::from_ref(spec));
    let few = points <= batch_rows * steps.len() as u64;
    (alike && few && steps.iter().all(|step| placement(step).segments().is_some())).then_some(spec)
}

impl CellArcs {
    fn new(plan: &Plan<'_>, cell: &PlannedCell<'_>, index: usize) -> Self {
        let steps = cell.steps.as_ref().expect("only cells that can be done have a column");
        let segments: Vec<Vec<(u64, Slot)>> = steps
            .iter()
            .map(|&step| plan.routed[step].placement.segments().expect("checked for the column"))
            .collect();
        let mut ends: Vec<u64> = segments.iter().flatten().map(|(end, _)| *end).collect();
        ends.sort_unstable();
        ends.dedup();
        let firsts = ends[..ends.len() - 1].iter().map(|end| end + 1).collect();
        let owners = segments
            .iter()
            .zip(steps)
            .map(|(segments, &step)| {
                let down = &plan.routed[step].down;
                let owner = |slot: Slot| match slot.node() {
                    Some(node) if down.contains(&node) => Slot::ABSENT,
                    _ => slot,
                };
                let mut at = 0;
                let of = |&end: &u64| {
                    at += usize::from(segments[at].0 < end);
                    owner(segments[at].1)
                };
                ends.iter().map(of).collect()
            })
            .collect();
        CellArcs { cell: index, firsts, owners }
    }

    fn bytes(&self, counted_bytes: usize) -> u64 {
        (self.firsts.len() * (8 + 4 * self.owners.len() + counted_bytes)) as u64
    }
}

/// One thread's counts.
#[derive(Debug)]
pub struct ArcCounts {
    /// By cell, load and arc.
    amounts: Vec<Vec<Vec<u64>>>,
    loads: Vec<Load>,
    before: Vec<u32>,
}

impl ArcCounts {
    /// Nothing counted yet.
    pub fn new(arcs: &Arcs, loads: &[Load]) -> Self {
        let amounts =
            arcs.cells().map(|cell| vec![vec![0; cell.firsts.len() + 1]; loads.len()]).collect();
        ArcCounts { amounts, loads: loads.to_vec(), before: Vec::new() }
    }

    /// Counts the keys of a batch for all cells.
    pub fn batch(&mut self, arcs: &Arcs, batch: &KeyBatch) {
        let mut amounts = self.amounts.iter_mut();
        for column in &arcs.columns {
            let sorted = Sorted::new(batch, &column.spec, &self.loads);
            for cell in &column.cells {
                let amounts = amounts.next().expect("one for each cell");
                sorted.count(&cell.firsts, &mut self.before, amounts);
            }
        }
    }

    /// Adds another thread's counts.
    pub fn merge(&mut self, other: &ArcCounts) {
        let mine = self.amounts.iter_mut().flatten().flatten();
        for (mine, theirs) in mine.zip(other.amounts.iter().flatten().flatten()) {
            *mine = mine.wrapping_add(*theirs);
        }
    }
}

/// A batch's digests in order, and the loads of the keys before each.
#[derive(Debug)]
struct Sorted {
    /// The keys as points of a ring, their rows as owners where loads beside `keys` are counted.
    keys: Width,
    /// By load beside `keys`: the sum over the first so many keys.
    sums: Vec<Vec<u64>>,
}

impl Sorted {
    fn new(batch: &KeyBatch, spec: &ColumnSpec, loads: &[Load]) -> Self {
        let digests = batch.digests(spec).to_vec();
        let rows = digests.len() as u32;
        let others: Vec<&[u64]> = loads.iter().filter_map(|load| load.amounts(batch)).collect();
        let runs = match others.is_empty() {
            true => vec![(Slot(0), rows)],
            false => (0..rows).map(|row| (Slot(row), 1)).collect(),
        };
        let keys = Width::new(spec.bits(), &Points { digests, runs });
        let sums = others.iter().map(|amounts| {
            let mut sum = 0u64;
            let add = |at| {
                sum = sum.wrapping_add(amounts[keys.owner(at).0 as usize]);
                sum
            };
            std::iter::once(0).chain((0..keys.len()).map(add)).collect()
        });
        Sorted { sums: sums.collect(), keys }
    }

    /// Adds what lies in each arc to `amounts`, by load. Of the arcs after the first, `firsts` holds
    /// the first digest; `before` is memory for as many numbers.
    fn count(&self, firsts: &[u64], before: &mut Vec<u32>, amounts: &mut [Vec<u64>]) {
        before.resize(firsts.len(), 0);
        self.keys.below(firsts, before);
        let (keys, others) = amounts.split_first_mut().expect("keys are always counted");
        let mut start = 0;
        let ends = before.iter().copied().chain([self.keys.len() as u32]);
        for (amount, end) in keys.iter_mut().zip(ends.clone()) {
            *amount += u64::from(end - start);
            start = end;
        }
        for (amounts, sums) in others.iter_mut().zip(&self.sums) {
            let mut start = 0;
            for (amount, end) in amounts.iter_mut().zip(ends.clone()) {
                let sum = sums[end as usize];
                *amount = amount.wrapping_add(sum.wrapping_sub(start));
                start = sum;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scenario::{Cell, Overrides, Scenario, parse};
    use crate::sim::input::Input;
    use crate::sim::replay::place;
    use crate::sim::scan::scan;
    use crate::sim::tally::{loads_of, tallies};
    use crate::sim::{Silent, workloads};

    const EXTRAS: Extras = Extras { segments: 0, repeats: true };

    const PATH: &str =
        "[[change]]\nadd = 2\n[[change]]\nfail = [\"db1\"]\non-fail = \"unavailable\"
                        [[change]]\nremove = [\"db0\"]\n";

    fn scenario(strategy: &str, rest: &str) -> Scenario {
        let text = format!(
            "title = \"t\"\n[cluster]\nnodes = 5\nname = \"db{{i}}\"\n[keys]\npattern = \"sequential\"\nprefix = \"k\"
             count = 150_000\n{strategy}\n{rest}\n{PATH}"
        );
        parse(&text, "t.toml", "t", std::path::Path::new("."), &Overrides::default())
            .unwrap_or_else(|errors| panic!("{errors:?}"))
    }

    /// Every cell key by key: the slow way, which is the plain one.
    fn by_key(input: &Input, plan: &Plan<'_>, loads: &[Load]) -> Vec<Option<CellTally>> {
        let new = || tallies(plan, loads, EXTRAS);
        let visit = |tallies: &mut Vec<Option<CellTally>>, batch: &KeyBatch| {
            for (cell, tally) in plan.cells.iter().zip(tallies) {
                let Ok(steps) = &cell.steps else { continue };
                let placed: Vec<Vec<Slot>> = steps
                    .iter()
                    .map(|&step| {
                        let (routed, mut slots) = (&plan.routed[step], Vec::new());
                        place(routed.placement.as_ref(), &routed.down, 1, batch, &mut slots);
                        slots
                    })
                    .collect();
                let placed: Vec<&[Slot]> = placed.iter().map(Vec::as_slice).collect();
                tally.as_mut().expect("the cell can be done").count(batch, &placed);
            }
        };
        let mut workers = scan(input, &plan.columns(), &Silent, new, visit).unwrap();
        let mut first = workers.swap_remove(0);
        for worker in workers {
            for (mine, theirs) in first.iter_mut().flatten().zip(worker.iter().flatten()) {
                mine.merge(theirs);
            }
        }
        first
    }

    /// How many cells are counted by arc; their counts must be those of the slow way.
    fn check(strategy: &str, rest: &str) -> usize {
        let scenario = scenario(strategy, rest);
        let (workload, members) = workloads(&scenario).swap_remove(0);
        let input = Input::open(workload, &scenario.base, &Silent).unwrap();
        let cells: Vec<&Cell> = members.iter().map(|&i| &scenario.cells[i]).collect();
        let plan = Plan::new(&cells, input.source.kind(), &scenario.base).unwrap();
        let loads = loads_of(input.has_requests, input.source.has_bytes());
        let arcs = Arcs::new(&plan, &loads, |_| true, input.rows);
        let new = || ArcCounts::new(&arcs, &loads);
        let visit = |counts: &mut ArcCounts, batch: &KeyBatch| counts.batch(&arcs, batch);
        let mut workers = scan(&input, &plan.columns(), &Silent, new, visit).unwrap();
        let mut counts = workers.swap_remove(0);
        workers.iter().for_each(|worker| counts.merge(worker));
        let want = by_key(&input, &plan, &loads);
        let mut seen = 0;
        for (cell, mut tally) in arcs.tallies(&plan, &loads, EXTRAS, &counts) {
            let mut want = want[cell].clone().expect("the cell can be done");
            tally.finish();
            want.finish();
            for (step, (tally, want)) in tally.steps.iter().zip(&want.steps).enumerate() {
                assert_eq!(tally.loads, want.loads, "{} step {step}", cells[cell].id);
            }
            let moves = |tally: &CellTally| tally.repeats.clone().map(|repeats| repeats.seen);
            assert_eq!(moves(&tally), moves(&want), "{}", cells[cell].id);
            assert!(tally.steps.iter().all(|s| s.loads[0].at.iter().sum::<u64>() >= 150_000));
            seen += 1;
        }
        seen
    }

    #[test]
    fn arcs_count_what_keys_one_by_one_would() {
        let ring = "[[strategy]]\nkind = \"ring\"\nvnodes = [1, 7, 160]
                    hasher = [\"murmur3-32\", \"xxh3-64\", \"crc16-xmodem\"]";
        assert_eq!(check(ring, ""), 9);
        let zipf = "[traffic]\nshape = \"zipf\"\nrequests = 1_000_000_007
                    [[traffic.hot]]\nkey = \"hot\"\nshare = 0.3";
        assert_eq!(check(ring, zipf), 9);
        let preset = "[[strategy]]\npreset = \"libketama\"\n[[strategy]]\nkind = \"auto-split\"";
        assert!(check(preset, zipf) >= 1);
    }

    #[test]
    fn what_is_less_work_key_by_key_is_left_to_it() {
        let plan_has = |strategy: &str| check(strategy, "");
        assert_eq!(plan_has("[[strategy]]\nkind = \"jump\""), 0);
        // More points than keys of a batch.
        assert_eq!(plan_has("[[strategy]]\nkind = \"ring\"\nvnodes = 20_000"), 0);
    }
}
