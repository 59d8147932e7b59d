//! Maps of real clusters for `plan`: what to say of the one that was read, and the one to write.

use std::collections::BTreeMap;
use std::path::Path;

use super::placements::source;
use super::ui::Ui;
use crate::cluster::Node;
use crate::cluster::map::State;
use crate::error::Error;
use crate::preset;
use crate::scenario::{Cell, Scenario};
use crate::sim::plan::Plan;
use crate::strategy::{Ownership, bucket_table, redis_slots};

/// The map of the cluster after the last step, in the format that it was read in.
pub fn new_map(scenario: &Scenario, file: &Path) -> Result<String, Error> {
    let Some(map) = &scenario.map else {
        return Err(Error::invalid("--write-map, but the cluster was read from no map")
            .help("give `[cluster] from = \"FILE\"`; the new map is written in the same format"));
    };
    let [cell] = &scenario.cells[..] else {
        let ids: Vec<&str> = scenario.cells.iter().map(|cell| cell.id.as_str()).collect();
        return Err(Error::invalid(format!("--write-map with {} cells", ids.len()))
            .help(format!("pick one with --cell: {}", ids.join(", "))));
    };
    if file.is_dir() {
        return Err(Error::invalid(format!("--write-map: `{}` is a folder", file.display())));
    }
    let folder = file.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !folder.is_dir() {
        return Err(Error::invalid(format!("--write-map: no folder `{}`", folder.display())));
    }
    let last = &cell.steps[cell.steps.len() - 1].cluster;
    if let Some(down) = last.down.first() {
        let name = last.node(*down).map_or("a node", |node| &node.name);
        return Err(Error::invalid(format!(
            "{name} is down at the last step and owns what it owned"
        ))
        .help("a new map needs a path whose failures are rerouted or followed by `remove`"));
    }
    let owners = match &map.buckets {
        Some(_) => Some(last_owners(scenario, cell)?),
        None => None,
    };
    map.write(&State { nodes: &last.nodes, owners: owners.as_deref() })
}

/// Who owns each bucket at the last step, as indices into the members.
fn last_owners(scenario: &Scenario, cell: &Cell) -> Result<Vec<u32>, Error> {
    let kind = source(&cell.workload, &scenario.base)?.kind();
    let plan = Plan::new(&[cell], kind, &scenario.base)?;
    let cannot = |why: &str| {
        Error::invalid(format!("no map of buckets to write: {why}")).help(
            "take kind = \"redis-slots\" or kind = \"bucket-table\", which start from the map",
        )
    };
    let steps = plan.cells[0].steps.as_ref().map_err(|reason| cannot(reason))?;
    let routed = &plan.routed[*steps.last().expect("step 0 is there")];
    let Some(Ownership::Buckets(owners)) = routed.placement.ownership() else {
        return Err(cannot(&format!("cell `{}` has no buckets", cell.id)));
    };
    let last = &cell.steps[cell.steps.len() - 1].cluster;
    let place: BTreeMap<u32, u32> =
        (0..).zip(&last.nodes).map(|(index, node)| (node.id.0, index)).collect();
    let owner = |slot: &crate::strategy::Slot| {
        place.get(&slot.0).copied().ok_or_else(|| cannot("some buckets have no owner at the end"))
    };
    owners.iter().map(owner).collect()
}

/// What a person should know of the map that the cluster came from.
pub fn map_notes(scenario: &Scenario, ui: &mut Ui) {
    let Some(map) = &scenario.map else { return };
    for note in &map.notes {
        ui.note(&format!("note: {note}"));
    }
    let least = map.nodes.iter().map(|node| node.weight).fold(f64::INFINITY, f64::min);
    let light =
        |node: &&Node| node.weight == 1.0 && map.nodes.iter().all(|have| have.name != node.name);
    let joined = scenario.cells.iter().flat_map(|cell| &cell.steps).flat_map(|s| &s.cluster.nodes);
    if let Some(node) = joined.filter(|_| least > 1.0).find(light) {
        ui.note(&format!(
            "note: {} joins with weight 1, the nodes of the map have {least} and more: give it a `weight`",
            node.name
        ));
    }
    let uses = |cell: &&Cell| {
        let name = preset::family(cell.steps[0].strategy);
        name == redis_slots::INFO.name || name == bucket_table::INFO.name
    };
    for cell in scenario.cells.iter().filter(|cell| map.buckets.is_some() && !uses(cell)) {
        ui.note(&format!(
            "note: {} places by the nodes of the map; who owns which bucket there does not count for it",
            cell.id
        ));
    }
}
