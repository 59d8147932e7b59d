//! Sessions: strategies whose answer depends on which requests are open. One serial walk over a
//! stated order of the requests per step; cells run in parallel.

use rayon::prelude::*;

use super::Progress;
use super::input::Input;
use super::plan::Plan;
use super::replay::place;
use super::scan::scan;
use super::tally::{CellTally, Extras, Load};
use crate::error::{Error, ErrorKind};
use crate::keys::{ColumnSpec, KeyBatch};
use crate::record::Spill;
use crate::rng::{Purpose, Stream};
use crate::scenario::Workload;
use crate::strategy::Slot;

/// Most requests that a session walks: they are the one thing whose memory grows with the keys.
pub const MAX_REQUESTS: u64 = 10_000_000;

/// Requests walked between two looks at the interrupt flag.
const STRIDE: usize = 65_536;

/// The rows of a workload in their order, and the order of the requests.
struct Requests {
    columns: Vec<(ColumnSpec, Vec<u64>)>,
    /// By placement with a session: the home of each row, where its requests go while there is room.
    homes: Vec<(usize, Vec<Slot>)>,
    order: Vec<u32>,
}

/// What the walk of a cell counted.
pub struct Walked {
    /// Where the requests went.
    pub tally: CellTally,
    /// By step: how many did not go to their key's home.
    pub spills: Vec<Spill>,
}

/// Runs every cell with a session; the other cells stay None.
pub fn sessions(
    input: &Input,
    plan: &Plan<'_>,
    is_session: &[bool],
    seed: u64,
    progress: &dyn Progress,
) -> Result<Vec<Option<Walked>>, Error> {
    let requests = collect(input, plan, is_session, seed, progress)
        .map_err(|error| locate(error, plan, is_session))?;
    let chosen: Vec<usize> = (0..plan.cells.len()).filter(|&c| is_session[c]).collect();
    let steps: usize = chosen.iter().map(|&c| plan.cells[c].cell.steps.len()).sum();
    progress.begin("routing requests", (requests.order.len() * steps) as u64);
    let done: Vec<Walked> =
        chosen.par_iter().map(|&c| walk(plan, c, &requests, progress)).collect::<Result<_, _>>()?;
    let mut cells: Vec<Option<Walked>> = plan.cells.iter().map(|_| None).collect();
    for (c, walked) in chosen.into_iter().zip(done) {
        cells[c] = Some(walked);
    }
    Ok(cells)
}

/// Fails if strategies with open requests would have to walk too many, as far as that is known before
/// any key is read: `rows` are those of the source and the named hot keys.
pub fn check_size(workload: &Workload, rows: u64, plan: &Plan<'_>) -> Result<(), Error> {
    let counted = workload.loads().contains(&"requests");
    // A shape that shares nothing out may stand in a sweep beside one that does.
    let shared = workload.requests.filter(|_| workload.traffic.is_some_and(|t| t.build.is_some()));
    let requests = shared.unwrap_or(if counted { 0 } else { rows });
    let is_session = session_cells(plan);
    if requests > MAX_REQUESTS && is_session.contains(&true) {
        return Err(locate(too_many(requests), plan, &is_session));
    }
    Ok(())
}

/// Points an error at the first strategy with sessions.
fn locate(error: Error, plan: &Plan<'_>, is_session: &[bool]) -> Error {
    match plan.cells.iter().zip(is_session).find(|(_, session)| **session) {
        Some((cell, _)) => cell.cell.locate(error),
        None => error,
    }
}

/// Which cells of a plan have sessions.
pub fn session_cells(plan: &Plan<'_>) -> Vec<bool> {
    plan.cells
        .iter()
        .map(|cell| {
            cell.steps
                .as_ref()
                .is_ok_and(|steps| plan.routed[steps[0]].placement.session().is_some())
        })
        .collect()
}

fn collect(
    input: &Input,
    plan: &Plan<'_>,
    is_session: &[bool],
    seed: u64,
    progress: &dyn Progress,
) -> Result<Requests, Error> {
    let mut specs: Vec<ColumnSpec> = Vec::new();
    let mut placed: Vec<usize> = Vec::new();
    for (cell, session) in plan.cells.iter().zip(is_session) {
        let Ok(steps) = &cell.steps else { continue };
        for &routed in steps.iter().filter(|_| *session) {
            if !placed.contains(&routed) {
                placed.push(routed);
            }
            for spec in plan.routed[routed].placement.columns() {
                if !specs.contains(spec) {
                    specs.push(spec.clone());
                }
            }
        }
    }
    progress.begin("collecting requests", input.rows);
    // Pieces keyed by their first row: sorted, they are the rows in order whatever thread had them.
    // A worker stops collecting once its own requests are over the limit; the sum then says so.
    type Piece = (u64, Vec<u64>, Vec<Vec<u64>>, Vec<Vec<Slot>>);
    let new = || (0u64, Vec::<Piece>::new());
    let states = scan(input, &specs, progress, new, |(sum, pieces), batch: &KeyBatch| {
        let counts = match batch.requests.is_empty() {
            true => vec![1; batch.len()],
            false => batch.requests.clone(),
        };
        *sum = counts.iter().fold(*sum, |sum, &c| sum.saturating_add(c));
        if *sum <= MAX_REQUESTS {
            let digests = specs.iter().map(|spec| batch.digests(spec).to_vec()).collect();
            let homes = placed.iter().map(|&routed| {
                let (routed, mut slots) = (&plan.routed[routed], Vec::new());
                place(routed.placement.as_ref(), &routed.down, routed.replicas, batch, &mut slots);
                slots
            });
            pieces.push((batch.first_row, counts, digests, homes.collect()));
        }
    })?;
    let total = states.iter().fold(0u64, |sum, (s, _)| sum.saturating_add(*s));
    if total > MAX_REQUESTS {
        return Err(too_many(total));
    }
    let mut pieces: Vec<Piece> = states.into_iter().flat_map(|(_, pieces)| pieces).collect();
    pieces.sort_unstable_by_key(|piece| piece.0);
    let mut columns: Vec<(ColumnSpec, Vec<u64>)> =
        specs.into_iter().map(|spec| (spec, Vec::new())).collect();
    let mut homes: Vec<(usize, Vec<Slot>)> =
        placed.into_iter().map(|routed| (routed, Vec::new())).collect();
    let mut order = Vec::with_capacity(total as usize);
    let mut row = 0u32;
    for (_, counts, digests, slots) in pieces {
        for (i, count) in counts.into_iter().enumerate() {
            if count > 0 {
                order.extend(std::iter::repeat_n(row, count as usize));
                columns.iter_mut().zip(&digests).for_each(|((_, all), piece)| all.push(piece[i]));
                homes.iter_mut().zip(&slots).for_each(|((_, all), piece)| all.push(piece[i]));
                row += 1;
            }
        }
    }
    Stream::new(seed, Purpose::Requests, 0).shuffle(&mut order);
    Ok(Requests { columns, homes, order })
}

fn walk(
    plan: &Plan<'_>,
    cell: usize,
    requests: &Requests,
    progress: &dyn Progress,
) -> Result<Walked, Error> {
    let planned = &plan.cells[cell];
    let steps = planned.steps.as_ref().expect("only supported cells have sessions");
    let mut slots: Vec<Vec<Slot>> = Vec::with_capacity(steps.len());
    for &routed in steps {
        let routed = &plan.routed[routed];
        let mut session = routed.placement.session().ok_or_else(|| {
            let what = "a path cannot switch between strategies with and without open requests";
            planned.cell.locate(
                Error::invalid(what).help("make them two strategies, each with its own path"),
            )
        })?;
        let columns: Vec<&[u64]> = routed
            .placement
            .columns()
            .iter()
            .map(|spec| {
                let column = requests.columns.iter().find(|(have, _)| have == spec);
                column.expect("collected for all steps").1.as_slice()
            })
            .collect();
        let mut digests = vec![0; columns.len()];
        let mut out = Vec::with_capacity(requests.order.len());
        for part in requests.order.chunks(STRIDE) {
            if progress.interrupted() {
                return Err(Error::new(ErrorKind::Interrupted, "interrupted"));
            }
            for &row in part {
                for (digest, column) in digests.iter_mut().zip(&columns) {
                    *digest = column[row as usize];
                }
                let slot = session.route(&digests);
                let down = slot.node().is_some_and(|node| routed.down.contains(&node));
                out.push(if down { Slot::ABSENT } else { slot });
            }
            progress.advance(part.len() as u64);
        }
        slots.push(out);
    }
    let spill = |(out, routed): (&Vec<Slot>, &usize)| {
        let (_, homes) = requests.homes.iter().find(|(at, _)| at == routed).expect("collected");
        spill(&requests.order, out, homes)
    };
    let spills = slots.iter().zip(steps).map(spill).collect();
    let extras = Extras { segments: 0, repeats: plan.repeats };
    let mut tally = CellTally::new(planned, &[Load::Requests], extras);
    let slots: Vec<&[Slot]> = slots.iter().map(Vec::as_slice).collect();
    tally.count_amounts(&[&[]], &slots);
    tally.finish();
    Ok(Walked { tally, spills })
}

/// How many requests did not go home, and how many keys' requests went to several nodes.
fn spill(order: &[u32], slots: &[Slot], homes: &[Slot]) -> Spill {
    let mut first: Vec<Option<Slot>> = vec![None; homes.len()];
    let mut scattered = vec![false; homes.len()];
    let mut away = 0;
    for (&row, &slot) in order.iter().zip(slots) {
        let row = row as usize;
        away += u64::from(slot != homes[row]);
        scattered[row] |= *first[row].get_or_insert(slot) != slot;
    }
    let keys = scattered.iter().filter(|scattered| **scattered).count() as u64;
    let share = |part: u64, whole: usize| if whole == 0 { 0.0 } else { part as f64 / whole as f64 };
    Spill {
        requests: away,
        share: share(away, order.len()),
        scattered_keys: keys,
        scattered_share: share(keys, homes.len()),
    }
}

fn too_many(requests: u64) -> Error {
    Error::invalid(format!(
        "{requests} requests are more than a strategy with open requests can walk: at most {MAX_REQUESTS}"
    ))
    .help("lower `traffic.requests` or `keys.count`, or leave this strategy out")
}
