//! The lines that say why, composed from the numbers.

use std::fmt::Write as _;

use super::claimed::{Claimed, Form, Style};
use super::record::{Probability, ReadingRecord, SpreadRecord};
use super::verdict::Verdict;
use crate::report::number::{bytes, duration, fixed, grouped, probability_percent};

/// A value in a style.
pub fn value(x: f64, style: Style) -> String {
    if x.is_nan() {
        return "none".into();
    }
    match style {
        Style::Percent => format!("{} %", percent(x)),
        Style::Ratio => format!("{} : 1", fixed(x, 2)),
        Style::Bytes => bytes(libm::round(x) as u64),
        Style::Duration => duration(x),
        Style::Plain => plain(x),
    }
}

/// Whole numbers in groups, small ones with three digits that count.
fn plain(x: f64) -> String {
    let size = libm::fabs(x);
    if x >= 0.0 && x == libm::trunc(x) && size < 1e15 {
        return grouped(x as u64);
    }
    if size < 1.0 && size > 0.9995 {
        // A p-value near 1 says how near.
        return format!("1 − {:.1e}", 1.0 - size);
    }
    match size {
        s if s >= 100.0 => trimmed(&fixed(x, 1)),
        s if s >= 0.0095 => trimmed(&fixed(x, 3)),
        _ => format!("{x:.1e}"),
    }
}

/// Without the zeros at the end of a fraction.
fn trimmed(text: &str) -> String {
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}

/// A share in per cent with as many digits as tell it from its neighbours.
fn percent(x: f64) -> String {
    let share = libm::fabs(x);
    if share == 0.0 || share >= 0.0005 { fixed(x * 100.0, 2) } else { probability_percent(x) }
}

/// A probability with its interval: `3.1 % (99 % interval 2.7–3.6 %, 10,000 label sets)`.
pub fn probability(p: &Probability, over: &str) -> String {
    format!(
        "{} % (99 % interval {}–{} %) of {} {over}",
        probability_percent(p.p),
        probability_percent(p.interval_99[0]),
        probability_percent(p.interval_99[1]),
        grouped(p.trials)
    )
}

/// The values that meet a claim: `26.5–27.5 %`, `under 9 %`.
pub fn meets(claimed: &Claimed) -> String {
    let end = |x: f64| value(x, claimed.style);
    match claimed.form {
        Form::Point => format!("{}–{}", end(claimed.low).trim_end_matches(" %"), end(claimed.high)),
        Form::Below => format!("under {}", end(claimed.value)),
        Form::AtMost => format!("at most {}", end(claimed.value)),
        Form::Above => format!("over {}", end(claimed.value)),
        Form::AtLeast => format!("at least {}", end(claimed.value)),
    }
}

/// The middle 95 % or 90 % of a spread.
pub fn range(low: f64, high: f64, style: Style) -> String {
    let low = value(low, style);
    format!("{}–{}", low.trim_end_matches(" %"), value(high, style))
}

/// Why a reading has its verdict.
pub fn reading(
    claimed: &Claimed,
    measured: f64,
    spread: Option<&SpreadRecord>,
    p: Option<&Probability>,
    verdict: Verdict,
) -> String {
    let holds = verdict != Verdict::Refuted;
    match (spread, p) {
        (Some(spread), Some(p)) if claimed.is_bound() => {
            format!("{} holds in {}", meets(claimed), probability(p, spread.over))
        }
        (Some(spread), _) => format!(
            "the middle 95 % of {} {}, {}, {} {}",
            grouped(spread.trials),
            spread.over,
            range(spread.p2_5, spread.p97_5, claimed.style),
            if holds { "meet" } else { "miss" },
            meets(claimed)
        ),
        _ => format!(
            "{} is {}{}",
            value(measured, claimed.style),
            if holds { "" } else { "not " },
            match claimed.form {
                Form::Point => format!("within {}", meets(claimed)),
                _ => meets(claimed),
            }
        ),
    }
}

/// Why a part has its verdict: the words of the deciding reading, named where it is not the plain one.
pub fn part(readings: &[ReadingRecord], decided_by: usize, verdict: Verdict) -> String {
    let decides = &readings[decided_by];
    let mut text = decides.why.clone();
    if verdict == Verdict::ReproducedUnder && (decided_by > 0 || decides.unstated) {
        let unstated = if decides.unstated { ", which is not stated" } else { "" };
        text = format!("only as {}{unstated}: {text}", decides.reading);
        // The reading that stands against it: the plain one, or where none is, the next.
        if let Some(other) = readings.get(usize::from(decided_by == 0)) {
            let _ = write!(text, "; as {}: {}", other.reading, other.why);
        }
    } else if verdict == Verdict::Refuted && readings.len() > 1 {
        text = format!("in no reading; as {}: {text}", decides.reading);
    } else if readings.len() > 1 {
        text = format!("as {}: {text}", decides.reading);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_written_in_their_style() {
        assert_eq!(value(2.0 / 3.0, Style::Percent), "66.67 %");
        assert_eq!(value(0.00042, Style::Percent), "0.042 %");
        assert_eq!(value(62_500.0, Style::Plain), "62,500");
        assert_eq!(value(1.5, Style::Plain), "1.5");
        assert_eq!(value(4.75, Style::Ratio), "4.75 : 1");
        assert_eq!(value(2048.0, Style::Bytes), "2.0 KiB");
        assert_eq!(value(1600.0, Style::Duration), "26m 40s");
        assert_eq!(value(f64::NAN, Style::Plain), "none");
    }

    #[test]
    fn claims_are_written_as_what_meets_them() {
        let text = |claim: &str| meets(&Claimed::parse(claim).unwrap());
        assert_eq!(text("27 %"), "26.50–27.50 %");
        assert_eq!(text("< 9 %"), "under 9.00 %");
        assert_eq!(text(">= 62 500"), "at least 62,500");
    }

    #[test]
    fn the_line_follows_from_the_numbers() {
        let point = Claimed::parse("12.9 %").unwrap();
        assert_eq!(
            reading(&point, 1.0 / 3.0, None, None, Verdict::Refuted),
            "33.33 % is not within 12.85–12.95 %"
        );
        let bound = Claimed::parse("< 9 %").unwrap();
        let spread = SpreadRecord {
            over: "sets of node names",
            on: "ownership",
            trials: 10_000,
            p2_5: 0.08,
            p5: 0.085,
            p50: 0.13,
            p95: 0.19,
            p97_5: 0.2,
            mean: 0.13,
        };
        let p = Probability { hits: 300, trials: 10_000, p: 0.03, interval_99: [0.026, 0.035] };
        assert_eq!(
            reading(&bound, 0.12, Some(&spread), Some(&p), Verdict::ReproducedUnder),
            "under 9.00 % holds in 3.000 % (99 % interval 2.600–3.500 %) of 10,000 sets of node names"
        );
    }
}
