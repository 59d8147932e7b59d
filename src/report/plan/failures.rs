//! A failure in a change plan, in sentences: what is lost, who inherits it, the waves of a cascade.

use crate::analysis::plan::StepPlan;
use crate::record::FailureRecord;
use crate::report::number::{fixed, grouped, percent};

/// A failure in sentences.
pub(super) fn failure_lines(step: &StepPlan, failure: &FailureRecord) -> Vec<String> {
    let who = failure.failed.join(", ");
    let mut lines = Vec::new();
    for (load, lost) in &failure.loads {
        let mut line = format!(
            "{who}: {} {load} lose their node, {} %",
            grouped(lost.lost),
            percent(lost.lost_share, 2)
        );
        match (&lost.largest_heir, lost.heirs) {
            _ if failure.on_fail == "unavailable" => line += "; nothing is routed anew",
            (Some(heir), heirs) => {
                let heirs = heirs.map_or("heirs not counted".into(), |n| match n {
                    1 => "1 heir".to_string(),
                    n => format!("{n} heirs"),
                });
                line += &format!("; {heirs}; the largest, {heir}, +{}", grouped(lost.heir_gain));
                if let Some(share) = lost.heir_gain_share {
                    line += &format!(" (+{} % of what it had)", percent(share, 1));
                }
            }
            (None, _) => line += "; no survivor's load grows",
        }
        if let Some(t) = step.totals.get(load)
            && let (Some(before), Some(after)) = (t.max_over_mean_before, t.max_over_mean_after)
        {
            let (before, after) = (fixed(before, 3), fixed(after, 3));
            line += &format!("; largest ÷ fair {before} → {after}");
        }
        lines.push(line);
    }
    lines.extend(cascade_lines(failure));
    lines
}

/// The waves of a cascade, a line each.
fn cascade_lines(failure: &FailureRecord) -> Vec<String> {
    /// Nodes named in a line.
    const NAMED: usize = 6;
    let Some(cascade) = &failure.cascade else { return Vec::new() };
    let mut lines = Vec::new();
    if !cascade.over_before.is_empty() {
        let over = cascade.over_before.join(", ");
        lines.push(format!("above capacity before the failure already: {over}"));
    }
    for (number, wave) in cascade.wave.iter().enumerate() {
        let name = |over: &crate::record::OverloadRecord| {
            let (has, capacity) = (grouped(over.has), grouped(over.capacity));
            format!("{} ({} {has} > {capacity})", over.node, over.load)
        };
        let mut names: Vec<String> = wave.failed.iter().take(NAMED).map(name).collect();
        if wave.failed.len() > NAMED {
            names.push(format!("and {} more", wave.failed.len() - NAMED));
        }
        let (number, left) = (number + 1, wave.nodes_left);
        let verb = if wave.failed.len() == 1 { "fails" } else { "fail" };
        lines.push(format!("wave {number}: {} {verb}, {left} left", names.join(", ")));
    }
    lines.push(match (cascade.waves, cascade.ends.as_str()) {
        (0, "stable") => "no node is above its capacity: no cascade".into(),
        (_, "stable") if cascade.nodes_left == 1 => "stable with 1 node".into(),
        (_, "stable") => format!("stable with {} nodes", cascade.nodes_left),
        (_, "all down") => "all down".into(),
        (_, ends) => format!("{ends}; {} nodes left", cascade.nodes_left),
    });
    lines
}
