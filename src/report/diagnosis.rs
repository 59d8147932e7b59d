//! The diagnosis of `explain counts`: what is seen, what chance says, the causes, the remedies.

use serde_json::{Value as Json, json};

use super::number::{NONE, fixed, grouped, percent};
use super::sheet::{self, Sheet};
use crate::analysis::explain::counts::Diagnosis;
use crate::analysis::explain::counts::causes::Finding;
use crate::analysis::explain::counts::chance::{Chance, Method, Verdict};
use crate::analysis::explain::counts::fit::Stray;
use crate::analysis::peak::Law;

/// How causes are ranked, said below their table.
const RULE: &str = "Rank: by ln likelihood of the counts, less ½ ln K for each share that was fitted (½ ln n for a \
    spread) and ln c for a choice among c; \"fit\" is log10 of the ratio to chance. Equal ranks: the counts \
    alone cannot tell them apart.";

/// For the terminal.
pub fn table(diagnosis: &Diagnosis<'_>) -> String {
    sheet::table(&sheets(diagnosis))
}

/// For a page or an issue.
pub fn markdown(diagnosis: &Diagnosis<'_>) -> String {
    sheet::markdown(&sheets(diagnosis))
}

/// The causes, for other programs.
pub fn csv(diagnosis: &Diagnosis<'_>) -> String {
    let header =
        ["rank", "cause", "fits", "log10-fit", "evidence", "remedy", "peak-median", "peak-p95"];
    let mut rows = Vec::new();
    for finding in &diagnosis.findings {
        let first = |rest: [String; 3]| {
            let [remedy, median, p95] = rest;
            vec![
                finding.rank.to_string(),
                finding.cause.name.to_string(),
                finding.fits.to_string(),
                fixed(finding.log10_fit, 3),
                finding.evidence.join("; "),
                remedy,
                median,
                p95,
            ]
        };
        if finding.remedies.is_empty() {
            rows.push(first([String::new(), String::new(), String::new()]));
        }
        for remedy in &finding.remedies {
            let peak = |i: usize| remedy.peak.map_or(String::new(), |p| fixed(p[i], 4));
            rows.push(first([remedy.what.clone(), peak(0), peak(1)]));
        }
    }
    sheet::csv(&header, &rows)
}

fn sheets(d: &Diagnosis<'_>) -> Vec<Sheet> {
    let mut sheets = vec![seen(d), chance(d), causes(d), remedies(d)];
    sheets[0].above.push(in_short(d));
    sheets
}

/// The answer in a sentence.
fn in_short(d: &Diagnosis<'_>) -> String {
    let answer = verdict(d.chance.verdict);
    // Where chance is enough, what else would fit as well is no answer.
    let by_chance = d.chance.verdict == Verdict::Explained;
    let wanted = |f: &&Finding| if by_chance { f.fits && f.cause.is_chance() } else { f.rank == 1 };
    let best: Vec<&str> = d.findings.iter().filter(wanted).map(|f| f.cause.title).collect();
    match best.is_empty() {
        true => format!("In short: {answer}"),
        false => {
            let unknown = d.chance.verdict == Verdict::Unknown;
            let likeliest = if unknown { "If not chance, likeliest" } else { "Likeliest" };
            format!("In short: {answer} {likeliest}: {}.", best.join("; or "))
        }
    }
}

/// Nodes that are listed one by one.
const SHOWN: usize = 12;

fn seen(d: &Diagnosis<'_>) -> Sheet {
    let case = &d.case;
    let columns = [("node", false), ("load", true), ("fair", true), ("load/fair", true)];
    let mut sheet = Sheet::new("What is seen", &columns);
    let (n, total) = (case.fair.len(), case.seen.total());
    let keys = match case.seen.keys {
        Some(keys) if keys as f64 == total => format!("{} keys", grouped(keys)),
        Some(keys) => format!("{} in all, on {} keys", plain(total), grouped(keys)),
        None => format!("{} in all, on an unknown number of keys", plain(total)),
    };
    let b = &d.balance;
    sheet.above.push(format!("{n} nodes, {keys}."));
    sheet.above.push(format!(
        "max/mean {} ({}), min/mean {} ({}), cv {}, largest deviation {} %, Gini {}",
        fixed(b.max_over_mean, 3),
        case.seen.names[case.extreme(true)],
        fixed(b.min_over_mean, 3),
        case.seen.names[case.extreme(false)],
        fixed(b.cv, 4),
        percent(b.max_deviation, 1),
        fixed(b.gini, 4),
    ));
    if n <= SHOWN {
        for i in 0..n {
            let fair = case.fair[i] * total;
            let ratio = if fair > 0.0 { fixed(case.seen.loads[i] / fair, 3) } else { NONE.into() };
            sheet.rows.push(vec![
                case.seen.names[i].clone(),
                plain(case.seen.loads[i]),
                if fair >= 1000.0 { grouped(libm::floor(fair + 0.5) as u64) } else { plain(fair) },
                ratio,
            ]);
        }
    }
    sheet
}

/// A load: whole ones in groups.
fn plain(x: f64) -> String {
    if x == libm::floor(x) {
        return grouped(x as u64);
    }
    fixed(
        x,
        if x < 1.0 {
            4
        } else if x < 100.0 {
            2
        } else {
            1
        },
    )
}

fn chance(d: &Diagnosis<'_>) -> Sheet {
    let mut sheet = Sheet::new("Is it chance?", &[]);
    let (case, c) = (&d.case, &d.chance);
    let name = case.strategy.name;
    let law = match &case.law {
        Law::Fixed(shares)
            if shares.iter().zip(&case.fair).all(|(s, w)| libm::fabs(s - w) < 1e-9) =>
        {
            format!("Under {name} each key falls on each node with its fair share.")
        }
        Law::Fixed(_) => {
            format!("Under {name} the nodes own parts that are whole slots or entries.")
        }
        Law::Points(points) => format!(
            "Under {name} the nodes own random arcs of {} points.",
            grouped(points.iter().sum::<f64>() as u64)
        ),
    };
    sheet.above.push(law);
    let parts = format!(
        "cv expected {} (placement {}, sampling {}), measured {}",
        fixed(c.cv_expected(), 4),
        fixed(libm::sqrt(c.placement), 4),
        fixed(libm::sqrt(c.sampling), 4),
        fixed(c.cv, 4)
    );
    let times = if c.cv_expected() > 0.0 {
        format!(": {} times", fixed(c.cv / c.cv_expected(), 2))
    } else {
        String::new()
    };
    sheet.above.push(format!("{parts}{times}"));
    if let Some(z) = c.z {
        sheet.above.push(format!(
            "furthest off: {}, z = {} of its own standard deviations",
            case.seen.names[c.furthest],
            fixed(z, if z.abs() < 100.0 { 2 } else { 0 })
        ));
    }
    sheet.above.extend(p_value(c));
    if let (Some(peak), Some(both)) = (c.p_peak, c.p_both) {
        sheet.above.push(format!(
            "the fullest node alone: p {}; the smaller of the two counts double: p {}",
            small(peak, 1e-300),
            small(both, 1e-300)
        ));
    }
    if case.seen.keys.is_some() || matches!(case.law, Law::Points(_)) {
        sheet.above.push(format!(
            "max/mean by chance: {} to {} in 90 of 100 cases; seen {}",
            fixed(c.band[0], 3),
            fixed(c.band[1], 3),
            fixed(d.balance.max_over_mean, 3)
        ));
    }
    sheet.above.push(format!("→ {}", verdict(c.verdict)));
    sheet
}

fn p_value(c: &Chance) -> Option<String> {
    let p = c.p?;
    Some(match c.method {
        Method::Theory => format!(
            "chi-square {} with {} degrees of freedom: p {} (theory)",
            if c.chi_square < 1e6 {
                fixed(c.chi_square, 2)
            } else {
                format!("{:.2e}", c.chi_square)
            },
            c.dof,
            small(p, 1e-300)
        ),
        Method::Normal => format!("p {} (normal law of the statistic)", small(p, 1e-300)),
        Method::Trials { count, hits, interval } => format!(
            "p = {}: {} of {} draws are at least as uneven (99 % interval {} to {})",
            fixed(p, 4),
            grouped(u64::from(hits)),
            grouped(u64::from(count)),
            fixed(interval[0], 4),
            fixed(interval[1], 4)
        ),
    })
}

/// A probability after its sign.
fn small(p: f64, least: f64) -> String {
    match p {
        p if p < least => format!("< {least:.0e}"),
        p if p < 0.001 => format!("= {p:.1e}"),
        p => format!("= {}", fixed(p, 4)),
    }
}

/// The verdict in words.
pub fn verdict(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Explained => "chance alone explains it.",
        Verdict::Doubtful => {
            "chance would do that once in 20 to 1000 times: look again with more data."
        }
        Verdict::Excluded => "chance is excluded: it would do that less than once in 1000 times.",
        Verdict::TooEven => {
            "more even than chance allows under this strategy: the keys were not placed so."
        }
        Verdict::Unknown => {
            "unknown: these are amounts, and how far chance throws them depends on how many keys stand behind \
             them (--keys N)."
        }
    }
}

/// The verdict as one word, for other programs.
fn verdict_word(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Explained => "explained",
        Verdict::Doubtful => "doubtful",
        Verdict::Excluded => "excluded",
        Verdict::TooEven => "too-even",
        Verdict::Unknown => "unknown",
    }
}

fn causes(d: &Diagnosis<'_>) -> Sheet {
    let columns = [
        ("rank", true),
        ("cause", false),
        ("fit", true),
        ("", false),
        ("what it is, and what speaks for it", false),
    ];
    let mut sheet = Sheet::new("What fits", &columns);
    for finding in &d.findings {
        let title = std::iter::once(finding.cause.title);
        let evidence = finding.evidence.iter().map(String::as_str);
        let lines = title.chain(evidence).collect::<Vec<_>>().join("\n");
        sheet.rows.push(vec![
            finding.rank.to_string(),
            finding.cause.name.into(),
            fixed(finding.log10_fit, 1),
            if finding.fits { "fits" } else { "" }.into(),
            lines,
        ]);
    }
    sheet.below.push(RULE.into());
    for finding in d.findings.iter().filter(|f| f.fits) {
        sheet.below.push(format!("To check {}: {}.", finding.cause.name, finding.cause.check));
    }
    sheet
}

fn remedies(d: &Diagnosis<'_>) -> Sheet {
    let columns = [
        ("if it is", false),
        ("then", false),
        ("max/mean then", true),
        ("in 95 of 100 below", true),
    ];
    let mut sheet = Sheet::new("What would help", &columns);
    let fitting: Vec<&Finding> = d.findings.iter().filter(|f| f.fits).collect();
    for finding in fitting {
        for remedy in &finding.remedies {
            let [median, p95] = match remedy.peak {
                Some(peak) => peak.map(|x| fixed(x, 3)),
                None => [NONE.into(), NONE.into()],
            };
            sheet.rows.push(vec![finding.cause.name.into(), remedy.what.clone(), median, p95]);
        }
    }
    if sheet.rows.is_empty() {
        sheet.below.push("Nothing here needs a remedy.".into());
    }
    sheet
}

/// Everything, for other programs.
pub fn json(d: &Diagnosis<'_>) -> Json {
    let (case, c, b) = (&d.case, &d.chance, &d.balance);
    let method = match c.method {
        Method::Theory => json!({ "from": "theory" }),
        Method::Normal => json!({ "from": "normal" }),
        Method::Trials { count, hits, interval } => {
            json!({ "from": "trials", "trials": count, "hits": hits, "interval-99": interval })
        }
    };
    let findings: Vec<Json> = d.findings.iter().map(finding).collect();
    json!({
        "strategy": case.strategy.name,
        "nodes": case.fair.len(),
        "keys": case.seen.keys,
        "balance": {
            "max-over-mean": b.max_over_mean, "min-over-mean": b.min_over_mean,
            "max-deviation": b.max_deviation, "cv": b.cv, "gini": b.gini,
        },
        "chance": {
            "verdict": verdict_word(c.verdict),
            "cv-placement": libm::sqrt(c.placement), "cv-sampling": libm::sqrt(c.sampling),
            "cv-expected": c.cv_expected(),
            "furthest": case.seen.names[c.furthest], "z": c.z,
            "chi-square": c.chi_square, "dof": c.dof,
            "p": c.p, "p-peak": c.p_peak, "method": method,
            "max-over-mean-p5": c.band[0], "max-over-mean-p95": c.band[1],
        },
        "effective-keys": finite(case.effective_keys(&case.expected)),
        "causes": findings,
    })
}

fn finite(x: f64) -> Option<f64> {
    x.is_finite().then_some(x)
}

fn finding(f: &Finding) -> Json {
    let remedies: Vec<Json> = f
        .remedies
        .iter()
        .map(|r| {
            json!({
                "what": r.what,
                "max-over-mean": r.peak.map(|p| p[0]),
                "max-over-mean-p95": r.peak.map(|p| p[1]),
            })
        })
        .collect();
    let precision = match f.fit.stray {
        Stray::Law => None,
        Stray::Precision(a) => finite(a),
    };
    json!({
        "rank": f.rank, "cause": f.cause.name, "title": f.cause.title, "fits": f.fits,
        "log10-fit": finite(f.log10_fit), "precision": precision, "left-times-chance": f.left,
        "evidence": f.evidence, "check": f.cause.check, "remedies": remedies,
    })
}
