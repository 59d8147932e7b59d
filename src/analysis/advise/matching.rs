//! How many keys a candidate sends elsewhere than the system that must be matched.

use std::sync::Arc;

use super::measures::surroundings;
use crate::analysis::disagree::{Side, disagree};
use crate::error::Error;
use crate::params::Value;
use crate::scenario::{Cell, Scenario};
use crate::sim::input::Input;
use crate::sim::plan::Plan;
use crate::sim::{self, Progress};

/// By cell the largest share of keys, over its steps, that lives elsewhere than with the preset at the same
/// step of the same path. None: it cannot be built, or has no answer for a key alone.
///
/// # Errors
/// The system itself cannot be built for this cluster; a fault of a key file; an interrupt.
pub fn shares(
    scenario: &Scenario,
    preset: &str,
    progress: &dyn Progress,
) -> Result<Vec<Option<f64>>, Error> {
    let mut all = vec![None; scenario.cells.len()];
    for (workload, members) in sim::workloads(scenario) {
        let input = Input::open(workload, &scenario.base, progress)
            .map_err(|error| scenario.locate(error))?;
        let cells: Vec<&Cell> = members.iter().map(|&index| &scenario.cells[index]).collect();
        let plan = Plan::new(&cells, input.source.kind(), &scenario.base)?;
        for (at, &index) in members.iter().enumerate() {
            let reference = reference(&cells, cells[at], preset);
            let Some(reference) = reference else { continue };
            let system = plan.cells[reference].steps.as_ref().map_err(|reason| {
                Error::unsupported(format!(
                    "{preset}, which must be matched, cannot be built: {reason}"
                ))
                .help("change the cluster, or leave `match` out of [needs]")
            })?;
            if let Ok(own) = &plan.cells[at].steps {
                let steps = own.iter().zip(system).enumerate();
                let mut worst = Some(0.0);
                for (step, (&own, &system)) in steps.filter(|(_, (own, system))| own != system) {
                    let side = |cell: &'_ Cell, routed: usize| {
                        (
                            cell.steps[step].cluster.clone(),
                            Arc::clone(&plan.routed[routed].placement),
                        )
                    };
                    let share = differ(
                        side(cells[at], own),
                        side(cells[reference], system),
                        &input,
                        progress,
                    )?;
                    worst = worst.and_then(|worst| share.map(|share| f64::max(worst, share)));
                }
                all[index] = worst;
            }
        }
    }
    Ok(all)
}

type Router = (Arc<crate::cluster::Cluster>, Arc<dyn crate::strategy::Placement>);

/// The share of keys on which two routers differ. None: one has no answer for a key alone.
fn differ(
    a: Router,
    b: Router,
    input: &Input,
    progress: &dyn Progress,
) -> Result<Option<f64>, Error> {
    if a.1.session().is_some() || b.1.session().is_some() {
        return Ok(None);
    }
    let sides =
        [&a, &b].map(|(cluster, placement)| Side { cluster, placement: Arc::clone(placement) });
    let found = disagree([&sides[0], &sides[1]], input, progress)?;
    Ok(Some(found.differ.keys as f64 / found.total.keys.max(1) as f64))
}

/// The first cell of the preset in the same surroundings.
fn reference(cells: &[&Cell], of: &Cell, preset: &str) -> Option<usize> {
    let named =
        |cell: &Cell| matches!(cell.at.get("preset"), Some(Value::Text(name)) if name == preset);
    let same = |cell: &Cell| surroundings(cell).eq(surroundings(of));
    cells.iter().position(|cell| named(cell) && same(cell))
}
