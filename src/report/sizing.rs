//! Sizes: how much is enough, what it gives, what it costs.

use serde_json::{Value as Json, json};

use super::number::{NONE, bytes, fixed, grouped};
use super::sheet::{self, Sheet};
use crate::analysis::size::apart::Apart;
use crate::analysis::size::noise::Noise;
use crate::analysis::size::peak::{Sizing, Step};
use crate::analysis::size::{Found, Method};

/// Sizes of several strategies for one need.
#[derive(Debug)]
pub struct Sizes<'a> {
    /// Bound on max over mean.
    pub max_over_mean: f64,
    /// Its probability.
    pub confidence: f64,
    /// Keys, if their noise counts.
    pub keys: Option<u64>,
    /// By strategy; an error tells why one cannot.
    pub sizings: &'a [(String, Result<Sizing, String>)],
}

/// The sheet of sizes.
pub fn sizes(all: &Sizes<'_>) -> Vec<Sheet> {
    let columns = [
        ("strategy", false),
        ("set", false),
        ("nodes", true),
        ("P(within)", true),
        ("max/mean\nmedian", true),
        ("95 %", true),
        ("points", true),
        ("bytes", true),
        ("look-up", false),
        ("from", false),
    ];
    let mut sheet = Sheet::new("", &columns);
    let keys = all.keys.map_or("of the owned shares".into(), |k| format!("of {} keys", grouped(k)));
    sheet.above.push(format!(
        "max over mean {keys} at most {} with probability {}",
        all.max_over_mean, all.confidence
    ));
    for (name, sizing) in all.sizings {
        match sizing {
            Ok(sizing) => sheet.rows.extend(sizing.steps.iter().enumerate().map(|(i, s)| {
                let first = i == 0;
                row(sizing, s, first)
            })),
            Err(reason) => sheet.below.push(format!("{name}: {reason}")),
        }
    }
    for (_, sizing) in all.sizings {
        sheet.below.extend(sizing.as_ref().ok().and_then(method_note));
    }
    vec![sheet]
}

fn setting(sizing: &Sizing) -> String {
    match sizing.param {
        "" => "nothing to set".into(),
        param => format!("{param} = {}", sizing.found.value),
    }
}

fn row(sizing: &Sizing, step: &Step, first: bool) -> Vec<String> {
    let once = |text: String| if first { text } else { String::new() };
    let p = match (step.p, sizing.found.method) {
        (Some(p), _) => fixed(p[0], 4),
        (None, Method::Trials { interval, .. }) => format!("≥ {}", fixed(interval[0], 3)),
        _ => NONE.into(),
    };
    let [median, p95] = match step.peak {
        Some(peak) => peak.map(|x| fixed(x, 3)),
        None => [NONE.into(), NONE.into()],
    };
    let lookup = match step.lookup {
        Some((steps, what)) => format!("{} {what}", fixed(steps, 0)),
        None => step.lookup_order.into(),
    };
    let from = match sizing.found.method {
        Method::Exact => "counting",
        Method::Theory { .. } => "theory",
        Method::Trials { .. } => "trials",
        Method::Fixed => "fixed shares",
    };
    vec![
        once(sizing.strategy.into()),
        once(setting(sizing)),
        step.nodes.to_string(),
        p,
        median,
        p95,
        if step.points > 0 { grouped(step.points) } else { NONE.into() },
        bytes(step.heap_bytes),
        lookup,
        once(from.into()),
    ]
}

/// How sure the value is.
fn method_note(sizing: &Sizing) -> Option<String> {
    let (name, param, value) = (sizing.strategy, sizing.param, sizing.found.value);
    Some(match sizing.found.method {
        Method::Theory { least } if least == value => {
            format!("{name}: {param} = {value} by both bounds of theory; one less is not enough.")
        }
        Method::Theory { least } => format!(
            "{name}: {param} = {value} is enough by the union bound; below {least} none is, by the product \
             bound (negative association)."
        ),
        Method::Trials { count, least, interval } => format!(
            "{name}: {param} = {value} from {} draws of each value; 99 % interval of the probability {} to \
             {}; below {least} the interval does not reach the confidence.",
            grouped(u64::from(count)),
            fixed(interval[0], 4),
            fixed(interval[1], 4)
        ),
        Method::Exact => {
            format!("{name}: {param} = {value} by counting whole cells: no chance in it.")
        }
        Method::Fixed => return None,
    })
}

/// Sizes for other programs.
pub fn sizes_csv(all: &Sizes<'_>) -> String {
    let header = [
        "strategy",
        "parameter",
        "value",
        "from",
        "least-possible",
        "trials",
        "nodes",
        "p-low",
        "p-high",
        "peak-median",
        "peak-p95",
        "points",
        "heap-bytes",
        "lookup-steps",
    ];
    let text = |x: Option<f64>| x.map_or(String::new(), |x| fixed(x, 6));
    let mut rows = Vec::new();
    for sizing in all.sizings.iter().filter_map(|(_, s)| s.as_ref().ok()) {
        let Found { value, method } = sizing.found;
        let (from, least, trials) = facts(method, value);
        for step in &sizing.steps {
            rows.push(vec![
                sizing.strategy.into(),
                sizing.param.into(),
                if sizing.param.is_empty() { String::new() } else { value.to_string() },
                from.into(),
                least.map_or(String::new(), |x| x.to_string()),
                trials.map_or(String::new(), |x| x.to_string()),
                step.nodes.to_string(),
                text(step.p.map(|p| p[0])),
                text(step.p.map(|p| p[1])),
                text(step.peak.map(|p| p[0])),
                text(step.peak.map(|p| p[1])),
                step.points.to_string(),
                step.heap_bytes.to_string(),
                text(step.lookup.map(|l| l.0)),
            ]);
        }
    }
    sheet::csv(&header, &rows)
}

/// Word, least possible value, number of trials.
fn facts(method: Method, value: u64) -> (&'static str, Option<u64>, Option<u32>) {
    match method {
        Method::Exact => ("counting", Some(value), None),
        Method::Theory { least } => ("theory", Some(least), None),
        Method::Trials { count, least, .. } => ("trials", Some(least), Some(count)),
        Method::Fixed => ("fixed", None, None),
    }
}

/// Sizes for other programs, everything.
pub fn sizes_json(all: &Sizes<'_>) -> Json {
    let one = |(name, sizing): &(String, Result<Sizing, String>)| match sizing {
        Err(reason) => json!({ "strategy": name, "unsupported": reason }),
        Ok(sizing) => {
            let Found { value, method } = sizing.found;
            let (from, least, trials) = facts(method, value);
            let interval = match method {
                Method::Trials { interval, .. } => Some(interval),
                _ => None,
            };
            let steps: Vec<Json> = sizing
                .steps
                .iter()
                .map(|s| {
                    json!({
                        "nodes": s.nodes, "p": s.p, "max-over-mean": s.peak.map(|p| p[0]),
                        "max-over-mean-p95": s.peak.map(|p| p[1]), "points": s.points,
                        "heap-bytes": s.heap_bytes, "lookup-steps": s.lookup.map(|l| l.0),
                        "lookup-order": s.lookup_order,
                    })
                })
                .collect();
            let param = (!sizing.param.is_empty()).then_some(sizing.param);
            json!({
                "strategy": name, "parameter": param, "value": param.map(|_| value), "from": from,
                "least-possible": least, "trials": trials, "interval-99": interval, "steps": steps,
            })
        }
    };
    json!({
        "max-over-mean": all.max_over_mean, "confidence": all.confidence, "keys": all.keys,
        "sizes": all.sizings.iter().map(one).collect::<Vec<_>>(),
    })
}

/// Keys for a noise.
pub fn noise(all: &[Noise], bound: f64, confidence: f64) -> Sheet {
    let columns = [("nodes", true), ("keys for cv", true), ("keys for max/mean", true)];
    let mut sheet = Sheet::new("", &columns);
    sheet.above.push(format!(
        "keys until sampling noise is below {bound}: cv, and max over mean at most {} with probability {confidence}",
        1.0 + bound
    ));
    sheet.rows.extend(all.iter().map(|n| {
        let peak = n.keys_for_peak.map_or("beyond 10^15".into(), grouped);
        vec![n.nodes.to_string(), grouped(n.keys_for_cv), peak]
    }));
    sheet.below.push(
        "cv: (n−1) ÷ y². max over mean: union bound over binomial counts (theory), three digits."
            .into(),
    );
    sheet.below.push(
        "Under any strategy with fair shares; on a ring the arcs' own spread comes on top.".into(),
    );
    sheet
}

/// The same for other programs.
pub fn noise_rows(all: &[Noise]) -> (Vec<&'static str>, Vec<Vec<String>>) {
    let rows = all.iter().map(|n| {
        let peak = n.keys_for_peak.map_or(String::new(), |k| k.to_string());
        vec![n.nodes.to_string(), n.keys_for_cv.to_string(), peak]
    });
    (vec!["nodes", "keys-for-cv", "keys-for-max-over-mean"], rows.collect())
}

/// Everything about the noise.
pub fn noise_json(all: &[Noise], bound: f64, confidence: f64) -> Json {
    let rows = all.iter().map(|n| {
        json!({ "nodes": n.nodes, "keys-for-cv": n.keys_for_cv, "keys-for-max-over-mean": n.keys_for_peak })
    });
    json!({
        "noise-below": bound, "confidence": confidence, "from": "theory",
        "sizes": rows.collect::<Vec<_>>(),
    })
}

/// Keys kept apart.
pub fn apart(found: &Apart) -> Sheet {
    let mut sheet = Sheet::new("", &[("key", false), ("node", true)]);
    let k = found.keys;
    sheet.above.push(match found.nodes {
        Some(n) => format!("{k} keys are first all apart on {n} nodes."),
        None => format!("{k} keys are never all apart on {k} to {} nodes.", found.most),
    });
    const SHOWN: usize = 40;
    sheet.rows.extend(
        found
            .places
            .iter()
            .take(SHOWN)
            .map(|(key, node)| vec![key.clone(), node.map_or(NONE.into(), |n| n.to_string())]),
    );
    sheet
        .below
        .push(format!("On {k} nodes {} of them share a node with another.", found.meet_at_start));
    sheet.below.push(format!(
        "An ideal hash keeps {k} keys apart as likely as not from {} nodes on (birthday problem).",
        grouped(found.by_chance as u64)
    ));
    if let (Some(n), Some(p)) = (found.nodes, found.p) {
        sheet.below.push(format!("On {n} nodes it does with probability {}: below that this is luck, and any new key may end it.", fixed(p, 3)));
    }
    sheet.below.push("An assignment table keeps them apart on as many nodes as keys.".into());
    sheet
}

/// Everything about keys kept apart.
pub fn apart_json(found: &Apart) -> Json {
    let places = found.places.iter().map(|(key, node)| json!({ "key": key, "node": node }));
    json!({
        "keys": found.keys, "nodes": found.nodes, "looked-up-to": found.most,
        "meet-on-as-many-nodes-as-keys": found.meet_at_start,
        "ideal-hash-half": found.by_chance, "p-ideal-hash": found.p,
        "places": places.collect::<Vec<_>>(),
    })
}
