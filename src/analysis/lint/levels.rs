//! Two numbers from one digest: a node and a slot in it, a database and a table.
//!
//! x mod a and x mod b together take lcm(a, b) values, not a · b (the Chinese remainder theorem): with a node
//! by x mod 16 and a slot by x mod 1024 every node uses 64 of its 1024 slots.

use super::profile::gcd;
use super::trial::Trial;
use super::{Finding, LEVELS, Severity, Shows, percent};
use crate::error::Error;
use crate::hash::{self, Half, Input as Reads, Seed};
use crate::keys::{ColumnSpec, KeyBatch};
use crate::sim::Progress;
use crate::sim::input::Input;
use crate::sim::scan::scan;

/// Most cells that are counted.
pub const MOST_CELLS: u64 = 1 << 20;

/// How the second number is had.
#[derive(Debug, Clone, PartialEq)]
pub struct Second {
    /// In words.
    pub what: String,
    /// Numbers of nodes and of slots a node.
    pub numbers: [u64; 2],
    /// Cells that theory says can be reached; None where the second number is independent.
    pub reachable: Option<u64>,
    /// Cells that some key reached.
    pub reached: u64,
    /// Most slots that are used on one node.
    pub slots_of_a_node: u64,
    /// Most keys of a cell ÷ keys ÷ cells.
    pub max_over_mean: f64,
    /// Fewest keys of a cell.
    pub least: u64,
    /// Most keys of a cell.
    pub most: u64,
}

impl Second {
    /// Cells in all.
    pub fn cells(&self) -> u64 {
        self.numbers[0] * self.numbers[1]
    }
}

/// What became of two levels.
#[derive(Debug, Clone, PartialEq)]
pub struct Levels {
    /// Keys.
    pub keys: u64,
    /// Cells that so many keys reach in as many cells, hashed well twice.
    pub ideal: f64,
    /// The same digest twice.
    pub same: Second,
    /// Ways to mend it, the smallest first.
    pub fixes: Vec<Second>,
}

/// How a cell's number follows from the digests.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Same,
    Quotient,
    Other,
}

struct Way {
    what: String,
    rule: Rule,
    slots: u64,
}

impl Way {
    fn cell(&self, nodes: u64, x: u64, y: u64) -> usize {
        let slot = match self.rule {
            Rule::Same => x % self.slots,
            Rule::Quotient => x / nodes % self.slots,
            Rule::Other => y % self.slots,
        };
        (x % nodes * self.slots + slot) as usize
    }
}

/// Counts the cells that keys reach, by the digest that the routing reads.
///
/// # Errors
/// Numbers that are 0 or make too many cells; a routing that reads no digest; a fault of a key file; an
/// interrupt.
pub fn levels(
    [nodes, slots]: [u64; 2],
    routing: &Trial,
    input: &Input,
    progress: &dyn Progress,
) -> Result<Levels, Error> {
    let cells = nodes.checked_mul(slots).filter(|cells| (1..=MOST_CELLS).contains(cells));
    if cells.is_none() {
        return Err(Error::invalid(format!("{nodes} × {slots} cells"))
            .help(format!("allowed: two numbers from 1, up to {MOST_CELLS} cells in all")));
    }
    let column = routing.columns().first().ok_or_else(|| {
        Error::unsupported("the routing reads no digest: two levels cannot share one")
    })?;
    let (other, other_name) = other_column(column)?;
    let mut ways = vec![
        Way { what: "both from x".into(), rule: Rule::Same, slots },
        Way {
            what: format!("(x / {nodes}) mod {slots}: the quotient"),
            rule: Rule::Quotient,
            slots,
        },
        Way { what: format!("{other_name} for the second"), rule: Rule::Other, slots },
    ];
    let coprime = (1..=REACH).map(|d| slots + d).find(|n| gcd(*n, nodes) == 1);
    if gcd(nodes, slots) > 1
        && let Some(n) = coprime
    {
        ways.push(Way {
            what: format!("{n} slots instead of {slots}: coprime to {nodes}"),
            rule: Rule::Same,
            slots: n,
        });
    }
    progress.begin("counting cells", input.rows);
    let new =
        || ways.iter().map(|way| vec![0u64; (nodes * way.slots) as usize]).collect::<Vec<_>>();
    let visit = |counts: &mut Vec<Vec<u64>>, batch: &KeyBatch| {
        let (x, y) = (batch.digests(column), batch.digests(&other));
        for (way, counts) in ways.iter().zip(counts) {
            x.iter().zip(y).for_each(|(&x, &y)| counts[way.cell(nodes, x, y)] += 1);
        }
    };
    let columns = [column.clone(), other.clone()];
    let parts = scan(input, &columns, progress, new, visit)?;
    let mut sums = new();
    for part in &parts {
        for (sum, part) in sums.iter_mut().zip(part) {
            sum.iter_mut().zip(part).for_each(|(sum, n)| *sum += n);
        }
    }
    let keys: u64 = sums[0].iter().sum();
    let mut seconds: Vec<Second> =
        ways.iter().zip(&sums).map(|(way, counts)| second(way, nodes, counts, keys)).collect();
    let same = seconds.remove(0);
    let cells = same.cells() as f64;
    let ideal = cells * (1.0 - libm::pow(1.0 - 1.0 / cells, keys as f64));
    Ok(Levels { keys, ideal, same, fixes: seconds })
}

/// How far from the number of slots a coprime one is looked for.
const REACH: u64 = 32;

/// A digest of the same keys that has nothing to do with the first.
fn other_column(column: &ColumnSpec) -> Result<(ColumnSpec, String), Error> {
    if column.hasher.seed != Seed::Fixed && column.hasher.input == Reads::Bytes {
        let seed = column.seed + 1;
        return Ok((ColumnSpec { seed, ..column.clone() }, format!("seed {seed}")));
    }
    let name = if column.hasher.name == "xxh3-64" { "murmur3-32" } else { "xxh3-64" };
    let hasher = hash::find(name)?;
    let other = ColumnSpec { hasher, seed: 0, half: Half::High, view: column.view };
    Ok((other, format!("hasher {name}")))
}

fn second(way: &Way, nodes: u64, counts: &[u64], keys: u64) -> Second {
    let slots = way.slots;
    let reached = |counts: &[u64]| counts.iter().filter(|&&n| n > 0).count() as u64;
    let most = counts.iter().copied().max().unwrap_or(0);
    let common = gcd(nodes, slots);
    Second {
        what: way.what.clone(),
        numbers: [nodes, slots],
        reachable: match way.rule {
            Rule::Same => Some(nodes / common * slots),
            Rule::Quotient => Some(nodes * slots),
            Rule::Other => None,
        },
        reached: reached(counts),
        slots_of_a_node: counts.chunks(slots as usize).map(reached).max().unwrap_or(0),
        max_over_mean: most as f64 * counts.len() as f64 / keys.max(1) as f64,
        least: counts.iter().copied().min().unwrap_or(0),
        most,
    }
}

impl Levels {
    /// The finding, where the two numbers share a factor.
    pub fn finding(&self) -> Option<Finding> {
        let [nodes, slots] = self.same.numbers;
        let common = gcd(nodes, slots);
        if common == 1 {
            return None;
        }
        let (cells, reachable) = (self.same.cells(), nodes / common * slots);
        let mut evidence = vec![
            format!(
                "x mod {nodes} and x mod {slots}: lcm = {reachable} of {cells} cells can be reached"
            ),
            format!(
                "reached by {} keys: {} ({})",
                self.keys,
                self.same.reached,
                cells_of(&self.same)
            ),
            format!(
                "on one node {} of {slots} slots are used (1 / gcd({nodes}, {slots}) = 1/{common})",
                self.same.slots_of_a_node
            ),
            format!("an ideal hash would reach {:.1}", self.ideal),
        ];
        for fix in &self.fixes {
            evidence.push(format!(
                "with {}: {} cells reached of {}, {}–{} keys a cell",
                fix.what,
                fix.reached,
                fix.cells(),
                fix.least,
                fix.most
            ));
        }
        let enough = |fix: &&Second| fix.reached as f64 >= 0.95 * self.ideal;
        let smallest = self.fixes.iter().find(enough);
        Some(Finding {
            rule: LEVELS,
            severity: Severity::Error,
            what: format!(
                "two numbers from one digest: {} of the cells stay empty",
                percent(1.0 - reachable as f64 / cells as f64)
            ),
            evidence,
            shows: Shows::Fixes,
            tried: Vec::new(),
            advice: smallest.map(|fix| format!("smallest fix: {}", fix.what)),
        })
    }
}

fn cells_of(second: &Second) -> String {
    percent(second.reached as f64 / second.cells() as f64)
}
