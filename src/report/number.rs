//! Numbers as reports show them: the same text on every platform.

/// What stands for a number that there is not.
pub const NONE: &str = "–";

/// With `digits` digits after the point; never `-0.00`.
pub fn fixed(x: f64, digits: usize) -> String {
    if !x.is_finite() {
        return NONE.into();
    }
    let text = format!("{x:.digits$}");
    match text.strip_prefix('-') {
        Some(rest) if rest.bytes().all(|b| b == b'0' || b == b'.') => rest.into(),
        _ => text,
    }
}

/// A share as a number of per cent, without the sign: `0.0831` is `8.31`.
pub fn percent(share: f64, digits: usize) -> String {
    fixed(share * 100.0, digits)
}

/// A probability: two digits, or a power of ten where it is tiny.
pub fn probability(p: f64) -> String {
    if p > 0.0 && p < 0.005 { format!("{p:.0e}") } else { fixed(p, 2) }
}

/// A probability of per cent, with as many digits as show it: `0.012 %`.
pub fn probability_percent(p: f64) -> String {
    let percent = p * 100.0;
    if p <= 0.0 || percent >= 10.0 {
        fixed(percent, 1)
    } else if percent >= 0.001 {
        fixed(percent, 3)
    } else {
        format!("{percent:.1e}")
    }
}

/// The shortest text that reads back as the same number, as JSON writes it.
pub fn shortest(x: f64) -> String {
    serde_json::Number::from_f64(x).map_or_else(|| NONE.into(), |n| n.to_string())
}

/// A whole number in groups of three: `10,000,000`.
pub fn grouped(n: impl Into<u128>) -> String {
    let digits = n.into().to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// Bytes in the largest unit that leaves at least one: `20.0 KiB`.
pub fn bytes(n: u64) -> String {
    const UNITS: [&str; 5] = ["B", "KiB", "MiB", "GiB", "TiB"];
    let (mut value, mut unit) = (n as f64, 0);
    while value >= 1024.0 && unit + 1 < UNITS.len() {
        value /= 1024.0;
        unit += 1;
    }
    if unit == 0 { format!("{n} B") } else { format!("{value:.1} {}", UNITS[unit]) }
}

/// Seconds as a person says them: `14 s`, `26m 40s`, `8h 00m`, `2d 03h`.
pub fn duration(seconds: f64) -> String {
    let whole = libm::round(seconds) as u64;
    let (minutes, hours, days) = (whole / 60, whole / 3600, whole / 86_400);
    match whole {
        0..60 if seconds != whole as f64 => {
            format!("{} s", fixed(seconds, 1))
        }
        0..60 => format!("{whole} s"),
        60..3600 => format!("{minutes}m {:02}s", whole % 60),
        3600..86_400 => format!("{hours}h {:02}m", minutes % 60),
        _ => format!("{days}d {:02}h", hours % 24),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_negative_zero_and_no_nan_is_shown() {
        assert_eq!(fixed(-0.001, 2), "0.00");
        assert_eq!(fixed(-0.01, 2), "-0.01");
        assert_eq!(fixed(f64::NAN, 2), NONE);
        assert_eq!(percent(0.083_12, 2), "8.31");
    }

    #[test]
    fn groups_start_from_the_right() {
        let shown: Vec<String> = [0u64, 999, 1000, 65_536, 10_000_000].map(grouped).into();
        assert_eq!(shown, ["0", "999", "1,000", "65,536", "10,000,000"]);
    }

    #[test]
    fn tiny_probabilities_keep_their_magnitude() {
        assert_eq!(probability(3.2e-12), "3e-12");
        assert_eq!(probability(0.0), "0.00");
        assert_eq!(probability(0.53), "0.53");
        assert_eq!(probability_percent(0.000_12), "0.012");
        assert_eq!(probability_percent(0.0), "0.0");
    }

    #[test]
    fn durations_have_two_parts() {
        let shown = [0.0, 1.5, 14.0, 60.0, 1600.0, 28_800.0, 183_600.0].map(duration);
        assert_eq!(shown, ["0 s", "1.5 s", "14 s", "1m 00s", "26m 40s", "8h 00m", "2d 03h"]);
    }

    #[test]
    fn bytes_take_the_largest_unit() {
        assert_eq!(bytes(1023), "1023 B");
        assert_eq!(bytes(20_480), "20.0 KiB");
    }
}
