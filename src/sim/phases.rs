//! Balance by phase, where the traffic changes with time.

use super::plan::PlannedCell;
use super::tally::{CellTally, Load, alive};
use crate::metrics::balance::balance;
use crate::record::{CellRecord, PhaseRecord, Phases};
use crate::traffic::Phase;

/// Adds the phases of its traffic to every step of a cell's record.
pub fn add(record: &mut CellRecord, cell: &PlannedCell<'_>, tally: &CellTally, phases: &[Phase]) {
    if phases.is_empty() || !tally.loads.contains(&Load::Phase(0)) {
        return;
    }
    for (at, step) in record.steps.iter_mut().enumerate() {
        let cluster = &cell.cell.steps[at].cluster;
        let fair = cell.cell.steps[at].fair_shares();
        let alive = alive(cell, at);
        let live = cluster.nodes.iter().map(|node| node.id.0 as usize).filter(|&id| alive[id]);
        let live: Vec<usize> = live.collect();
        let fair: Vec<f64> = live.iter().map(|&id| fair[id]).collect();
        let each = tally
            .loads
            .iter()
            .zip(&tally.steps[at].loads)
            .filter_map(|(load, counts)| match load {
                Load::Phase(phase) => Some((&phases[usize::from(*phase)], &counts.at)),
                _ => None,
            })
            .map(|(phase, counts)| {
                let per_node: Vec<u64> = live.iter().map(|&id| counts[id]).collect();
                PhaseRecord {
                    phase: phase.name.clone(),
                    time_share: phase.time,
                    requests: counts.iter().sum(),
                    balance: balance(&per_node, &fair),
                    per_node,
                }
            });
        step.phases = Some(summary(each.collect(), &fair));
    }
}

fn summary(each: Vec<PhaseRecord>, fair: &[f64]) -> Phases {
    let placed: f64 = each.iter().flat_map(|p| &p.per_node).map(|&load| load as f64).sum();
    let (mut peak, mut peak_phase) = (0.0, String::new());
    for phase in &each {
        for (&load, share) in phase.per_node.iter().zip(fair).filter(|(_, share)| **share > 0.0) {
            let relative = load as f64 / phase.time_share / (placed * share);
            if relative > peak {
                (peak, peak_phase) = (relative, phase.phase.clone());
            }
        }
    }
    let time: f64 = each.iter().map(|p| p.time_share).sum();
    let mean = each.iter().map(|p| p.time_share * p.balance.max_over_mean).sum::<f64>() / time;
    Phases {
        count: each.len() as u64,
        worst_max_over_mean: each.iter().map(|p| p.balance.max_over_mean).fold(0.0, f64::max),
        mean_max_over_mean: mean,
        peak_over_average: peak,
        peak_phase,
        each,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_peak_is_a_rate_over_the_average_rate() {
        // Two nodes; a quiet phase of 0.9 of the time with 90, a sale of 0.1 with 110 of which one
        // node takes 100: its rate is 1000, the average rate of a node 100.
        let phase = |name: &str, time_share, per_node: [u64; 2]| PhaseRecord {
            phase: name.into(),
            time_share,
            requests: per_node.iter().sum(),
            balance: balance(&per_node, &[0.5, 0.5]),
            per_node: per_node.to_vec(),
        };
        let have = summary(
            vec![phase("quiet", 0.9, [45, 45]), phase("sale", 0.1, [100, 10])],
            &[0.5, 0.5],
        );
        assert!(libm::fabs(have.peak_over_average - 10.0) < 1e-12);
        assert_eq!(have.peak_phase, "sale");
        assert!(libm::fabs(have.worst_max_over_mean - 100.0 / 55.0) < 1e-12);
        assert!(libm::fabs(have.mean_max_over_mean - (0.9 + 0.1 * 100.0 / 55.0)) < 1e-12);
    }
}
