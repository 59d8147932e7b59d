//! Which needs a candidate misses, each time with a declared fact or a measured figure.

use super::measures::{Measures, shows};
use super::{Evidence, Reason};
use crate::record::{Moved, QueryRecord, Record};
use crate::report::number::{bytes, fixed, percent};
use crate::scenario::needs::REMOVAL;
use crate::scenario::{Needs, Scenario};

/// What the cluster and the keys ask for, whatever is stated.
pub const CLUSTER: &str = "cluster";
/// That every key has a node.
pub const EVERY_KEY: &str = "every-key";
/// That a key's node does not depend on other requests, unless `may-spill` allows it.
pub const OWN_PLACE: &str = "own-place";
/// Needs that hold without being stated.
pub const ALWAYS: &[&str] = &[CLUSTER, EVERY_KEY, OWN_PLACE];

/// The needs that hold, by name, in words.
pub fn texts(needs: &Needs, scenario: &Scenario) -> Vec<(&'static str, String)> {
    let mut texts =
        vec![(CLUSTER, "the strategy can do this cluster, its changes and its keys".into())];
    texts.push((EVERY_KEY, "every key has a node".to_string()));
    let mut add = |need, text: String| texts.push((need, text));
    if !needs.may_spill {
        let text =
            "a key's node does not depend on the requests that are open (unless `may-spill`)";
        add(OWN_PLACE, text.into());
    }
    if needs.unequal_nodes {
        add("unequal-nodes", "nodes may differ in weight".into());
    }
    if needs.arbitrary_removal {
        let first = scenario.cells.iter().find(|cell| cell.path == REMOVAL);
        let name = first.and_then(|cell| cell.steps[0].cluster.nodes.first());
        let name = name.map_or(String::new(), |node| format!(" (tried: {})", node.name));
        add(
            "arbitrary-removal",
            format!("any node may leave{name}, at up to twice the least movement"),
        );
    }
    if needs.range_queries {
        add("range-queries", "neighbouring keys are found without asking every node".into());
    }
    if needs.zones {
        add("zones", "the copies of a key lie in different zones".into());
    }
    if let Some(most) = needs.max_over_mean {
        let over = percent(most - 1.0, 1);
        add(
            "max-over-mean",
            format!("the fullest node carries at most {over} % more than is fair"),
        );
    }
    if let Some(most) = needs.excess_moved {
        let most = percent(most, 1);
        add("excess-moved", format!("at most {most} % of the keys move beyond the least"));
    }
    if let Some(most) = needs.lookup_steps {
        add("lookup-steps", format!("a look-up takes at most {} steps", fixed(most, 1)));
    }
    if let Some(most) = needs.table_bytes {
        add("table-bytes", format!("a router's tables take at most {}", bytes(most)));
    }
    if let Some(name) = &needs.matches {
        add("match", format!("every key goes to the node that {name} sends it to"));
    }
    texts
}

/// Why a candidate is ruled out; empty: it meets every need.
pub fn judge(
    needs: &Needs,
    scenario: &Scenario,
    record: &Record,
    cells: &[usize],
    measures: Option<&Measures>,
) -> Vec<Reason> {
    let mut reasons = unsupported(scenario, record, cells);
    let Some(measures) = measures else { return reasons };
    let figure = |need, text: String, measured: f64, allowed: f64| Reason {
        need,
        evidence: Evidence::Measured,
        text,
        measured: Some(measured),
        allowed: Some(allowed),
    };
    if measures.homeless > 0.0 {
        let share = percent(measures.homeless, 1);
        reasons.push(figure(
            EVERY_KEY,
            format!("{share} % of the keys get no node"),
            measures.homeless,
            0.0,
        ));
    }
    let first = &scenario.cells[cells[0]].steps[0];
    if !needs.may_spill && first.strategy.caps.sessions {
        let text = "a key's node depends on the requests that are open: right for a cache or a balancer, not for \
                    stored data";
        reasons.push(declared(OWN_PLACE, text.into()));
    }
    if needs.arbitrary_removal {
        reasons.extend(removal(scenario, record, cells));
    }
    if needs.range_queries && (needs.may_spill || !first.strategy.caps.sessions) {
        reasons.extend(ranges(record, cells));
    }
    if needs.zones {
        reasons.extend(zones(record, cells));
    }
    if let Some(most) = needs.max_over_mean.filter(|most| measures.skew() > *most) {
        let skew = measures.skew();
        let (up_to, how) = match measures.p95 {
            Some(p95) if p95 < skew => {
                ("", format!(", unluckily: 95 of 100 draws stay below {} ×", times(p95)))
            }
            Some(_) => ("up to ", " in 95 of 100 draws".to_string()),
            None => ("", String::new()),
        };
        let text = format!("the fullest node carries {up_to}{} × its fair load{how}", times(skew));
        reasons.push(figure("max-over-mean", text, skew, most));
    }
    if let Some(most) = needs.excess_moved.filter(|most| measures.excess > *most) {
        let (moved, least) = (measures.moved, measures.moved - measures.excess);
        let text =
            format!("moves {} % of the keys where {} % must", percent(moved, 1), percent(least, 1));
        reasons.push(figure("excess-moved", text, measures.excess, most));
    }
    if let (Some(most), Some(steps)) = (needs.lookup_steps, measures.lookup_steps)
        && steps > most
    {
        let text = format!("a look-up takes {} steps", fixed(steps, 1));
        reasons.push(figure("lookup-steps", text, steps, most));
    }
    if let Some(most) = needs.table_bytes.filter(|most| measures.table_bytes > *most) {
        let text = format!("its tables take {}", bytes(measures.table_bytes));
        reasons.push(figure("table-bytes", text, measures.table_bytes as f64, most as f64));
    }
    if let Some(name) = &needs.matches {
        match measures.differs {
            Some(share) if share > 0.0 => {
                let text =
                    format!("sends {} % of the keys elsewhere than {name}", some_percent(share));
                reasons.push(figure("match", text, share, 0.0));
            }
            Some(_) => {}
            // That a key has no node of its own is said already.
            None if !needs.may_spill => {}
            None => reasons.push(declared(
                "match",
                "its answer depends on the requests that are open, not on the key alone".into(),
            )),
        }
    }
    reasons
}

fn declared(need: &'static str, text: String) -> Reason {
    Reason { need, evidence: Evidence::Declared, text, measured: None, allowed: None }
}

/// A ratio with as many digits as tell it from a round one.
fn times(x: f64) -> String {
    fixed(x, if x < 10.0 { 3 } else { 1 })
}

/// A share that is not 0, with the digits that show it.
fn some_percent(share: f64) -> String {
    let digits = if share < 0.001 { 4 } else { 1 };
    percent(share, digits)
}

/// What the strategy cannot do, once for each need that it is about.
fn unsupported(scenario: &Scenario, record: &Record, cells: &[usize]) -> Vec<Reason> {
    let mut reasons: Vec<Reason> = Vec::new();
    // What the plain cluster shows is not said again of a path of a need.
    let mut order: Vec<usize> = cells.to_vec();
    order.sort_by_key(|&index| !shows(&scenario.cells[index]).is_empty());
    for index in order {
        let Some(why) = &record.cells[index].unsupported else { continue };
        if reasons.iter().any(|reason| reason.text == *why) {
            continue;
        }
        let need = Some(shows(&scenario.cells[index])).filter(|need| !need.is_empty());
        reasons.push(declared(need.unwrap_or(CLUSTER), why.clone()));
    }
    reasons
}

/// Whether the node that leaves takes more than twice the least along.
fn removal(scenario: &Scenario, record: &Record, cells: &[usize]) -> Option<Reason> {
    let paths = cells.iter().filter(|&&index| scenario.cells[index].path == REMOVAL);
    let worst = paths.filter_map(|&index| {
        let movement = record.cells[index].steps.get(1)?.movement.as_ref()?;
        movement.loads.get("keys").or_else(|| movement.loads.get("requests"))
    });
    let times = |moved: &Moved| moved.share_moved - 2.0 * moved.minimum_actual_share;
    let worst = worst.max_by(|a, b| times(a).total_cmp(&times(b)))?;
    let positional = cells.iter().any(|&i| scenario.cells[i].steps[0].strategy.caps.positional);
    (times(worst) > 1e-9).then(|| Reason {
        need: "arbitrary-removal",
        evidence: Evidence::Measured,
        text: format!(
            "the first node leaves, and {} % of the keys move where {} % must{}",
            percent(worst.share_moved, 1),
            percent(worst.minimum_actual_share, 1),
            if positional { ": it goes by the order of the nodes" } else { "" },
        ),
        measured: Some(worst.share_moved),
        allowed: Some(2.0 * worst.minimum_actual_share),
    })
}

/// Whether a range must ask every node.
fn ranges(record: &Record, cells: &[usize]) -> Option<Reason> {
    let steps = || {
        let able = cells.iter().map(|&index| &record.cells[index]);
        able.flat_map(|cell| &cell.steps)
    };
    if steps().any(|step| step.queries.is_none()) {
        let text = "keys have no place of their own, so that no range of them has: it depends on the requests \
                    that are open";
        return Some(declared("range-queries", text.into()));
    }
    let scattered =
        |query: &&QueryRecord| query.kind != "list" && query.figures.scatter_share > 0.0;
    let (nodes, query) = steps().find_map(|step| {
        let query = step.queries.as_ref()?.each.iter().find(scattered)?;
        Some((step.nodes, query))
    })?;
    Some(Reason {
        need: "range-queries",
        evidence: Evidence::Measured,
        text: format!(
            "a query ({}) asks {} of {nodes} nodes: nothing tells where neighbouring keys are",
            query.query,
            fixed(query.figures.nodes_asked, 1),
        ),
        measured: Some(query.figures.nodes_asked),
        allowed: None,
    })
}

/// Whether copies share a zone.
fn zones(record: &Record, cells: &[usize]) -> Option<Reason> {
    let steps = cells.iter().flat_map(|&index| &record.cells[index].steps);
    let copies = steps.map(|step| step.copies.as_ref().and_then(|copies| copies.short_zones_share));
    let mut worst = 0.0;
    for share in copies {
        match share {
            Some(share) => worst = f64::max(worst, share),
            None => return Some(declared("zones", "it says nothing of copies".into())),
        }
    }
    (worst > 0.0).then(|| Reason {
        need: "zones",
        evidence: Evidence::Measured,
        text: format!("{} % of the keys have copies in one zone together", some_percent(worst)),
        measured: Some(worst),
        allowed: Some(0.0),
    })
}
