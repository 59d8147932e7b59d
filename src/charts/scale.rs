//! From values to pixels, and the ticks of an axis with their texts.

use super::model::{Axis, Scale, Unit};

/// Share of a log or linear axis that stays free beyond its outermost values.
const PADDING: f64 = 0.04;

/// An axis with its range, mapped onto pixels.
#[derive(Debug, Clone, PartialEq)]
pub struct Map {
    log: bool,
    /// Range in values, or in decimal logarithms of values.
    low: f64,
    high: f64,
    /// Pixels of `low` and `high`.
    from: f64,
    to: f64,
}

impl Map {
    /// The axis over its values; `room` is the share of the range to leave free above them for texts.
    /// Categories reach half a step beyond their middles.
    pub fn new(axis: &Axis, values: &[f64], room: f64) -> Map {
        let log = axis.scale == Scale::Log;
        let seen = values.iter().filter(|v| !log || **v > 0.0);
        let seen: Vec<f64> = seen.map(|&v| if log { libm::log10(v) } else { v }).collect();
        let mut low = seen.iter().copied().fold(f64::INFINITY, f64::min);
        let mut high = seen.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        if low > high {
            (low, high) = (0.0, 1.0);
        }
        match &axis.scale {
            Scale::Category(names) => (low, high) = (-0.5, names.len().max(1) as f64 - 0.5),
            Scale::FromZero => {
                (low, high) = (low.min(0.0), high.max(0.0));
                if low == high {
                    high = 1.0;
                }
                let span = high - low;
                // Shares of a whole that come near it are shown against the whole.
                let whole = axis.unit == Unit::Percent && (75.0..=100.0).contains(&high);
                high = if whole { 100.0 * (1.0 + room) } else { high + span * (PADDING + room) };
                if low < 0.0 {
                    low -= span * PADDING;
                }
            }
            Scale::Linear | Scale::Log => {
                let span = high - low;
                let pad = if span > 0.0 { span * PADDING } else { libm::fabs(high) * 0.1 + 0.1 };
                (low, high) = (low - pad, high + pad + span * room);
            }
        }
        Map { log, low, high, from: 0.0, to: 1.0 }
    }

    /// The same with so much less at either end, in steps of categories.
    #[must_use]
    pub fn tightened(self, by: f64) -> Map {
        Map { low: self.low + by, high: self.high - by, ..self }
    }

    /// The same range onto other pixels: those of its low and of its high end.
    #[must_use]
    pub fn onto(&self, from: f64, to: f64) -> Map {
        Map { from, to, ..self.clone() }
    }

    /// The pixel of a value; None if it cannot be shown.
    pub fn px(&self, value: f64) -> Option<f64> {
        let place = if self.log && value > 0.0 { libm::log10(value) } else { value };
        if !place.is_finite() || (self.log && value <= 0.0) {
            return None;
        }
        let share = ((place - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        Some(self.from + share * (self.to - self.from))
    }

    /// Ticks from many to few: the caller takes the first set whose texts do not collide.
    pub fn tick_sets(&self, unit: Unit) -> Vec<Vec<(f64, String)>> {
        let mut sets = Vec::new();
        if self.log && self.high - self.low > 0.7 {
            for digits in [&[1.0, 2.0, 5.0][..], &[1.0, 3.0], &[1.0]] {
                sets.push(self.log_ticks(digits, 1, unit));
            }
            // A tick per decade can be too many as well.
            sets.extend((2..40).map(|every| self.log_ticks(&[1.0], every, unit)));
        } else {
            let (low, high) = if self.log {
                (libm::pow(10.0, self.low), libm::pow(10.0, self.high))
            } else {
                (self.low, self.high)
            };
            sets.extend(
                [9.0, 7.0, 5.0, 4.0, 3.0, 2.0, 1.0].map(|n| linear_ticks(low, high, n, unit)),
            );
        }
        if unit == Unit::Count {
            for set in &mut sets {
                set.retain(|(value, _)| libm::fabs(*value - libm::round(*value)) < 1e-9);
                set.iter_mut().for_each(|(value, text)| *text = decimal(*value, 0));
            }
        }
        sets
    }

    fn log_ticks(&self, digits: &[f64], every: i32, unit: Unit) -> Vec<(f64, String)> {
        let first = libm::floor(self.low) as i32;
        let last = libm::ceil(self.high) as i32;
        let mut ticks = Vec::new();
        for exponent in (first..=last).filter(|e| e.rem_euclid(every) == 0) {
            for digit in digits {
                let value = digit * libm::pow(10.0, f64::from(exponent));
                let place = libm::log10(value);
                if (self.low..=self.high).contains(&place) {
                    ticks.push((value, tick_text(value, exponent, unit)));
                }
            }
        }
        ticks
    }
}

/// About `count` ticks at multiples of 1, 2 or 5 times a power of ten.
fn linear_ticks(low: f64, high: f64, count: f64, unit: Unit) -> Vec<(f64, String)> {
    let raw = (high - low) / count;
    let exponent = libm::floor(libm::log10(raw)) as i32;
    let power = libm::pow(10.0, f64::from(exponent));
    let digit =
        [1.0, 2.0, 5.0, 10.0].into_iter().find(|d| d * power >= raw * 0.999).unwrap_or(10.0);
    let step = digit * power;
    let exponent = if digit == 10.0 { exponent + 1 } else { exponent };
    let first = libm::ceil(low / step - 1e-9) as i64;
    let last = libm::floor(high / step + 1e-9) as i64;
    (first..=last).map(|i| (i as f64 * step, tick_text(i as f64 * step, exponent, unit))).collect()
}

/// A tick's text with as many decimals as a step of 10^exponent needs.
fn tick_text(value: f64, exponent: i32, unit: Unit) -> String {
    with_unit(decimal(value, (-exponent).clamp(0, 12) as usize), unit)
}

/// A measured value with three significant digits, at most four decimals: `0.0312`, `8.34 %`,
/// `12 300`. Bare numbers lose zeros at their end, so that whole ones look whole.
pub fn value_text(value: f64, unit: Unit) -> String {
    let size = libm::fabs(value);
    let decimals = match size {
        s if s >= 100.0 => 0,
        s if s >= 10.0 => 1,
        s if s >= 1.0 || s == 0.0 => 2,
        s if s >= 0.1 => 3,
        _ => 4,
    };
    let text = decimal(value, decimals);
    let text = if matches!(unit, Unit::Number | Unit::Count) && text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        text
    };
    with_unit(text, unit)
}

fn with_unit(number: String, unit: Unit) -> String {
    match unit {
        Unit::Number | Unit::Count => number,
        Unit::Percent => format!("{number} %"),
        Unit::Times => format!("{number} ×"),
    }
}

/// A number with a space between groups of three digits (from five digits on) and a real minus sign.
fn decimal(value: f64, decimals: usize) -> String {
    let plain = format!("{:.*}", decimals, libm::fabs(value));
    let (whole, fraction) = plain.split_once('.').unwrap_or((&plain, ""));
    let mut out = String::new();
    if value < 0.0 && plain.bytes().any(|b| (b'1'..=b'9').contains(&b)) {
        out.push('-');
    }
    if whole.len() > 18 {
        return format!("{out}{:.0e}", libm::fabs(value));
    }
    for (i, digit) in whole.chars().enumerate() {
        if i > 0 && whole.len() > 4 && (whole.len() - i) % 3 == 0 {
            out.push(' ');
        }
        out.push(digit);
    }
    if !fraction.is_empty() {
        out.push('.');
        out.push_str(fraction);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(scale: Scale, values: &[f64], unit: Unit, set: usize) -> Vec<String> {
        let map = Map::new(&Axis::new("", unit, scale), values, 0.0);
        map.tick_sets(unit)[set].iter().map(|t| t.1.clone()).collect()
    }

    #[test]
    fn log_ticks_go_1_2_5() {
        assert_eq!(
            texts(Scale::Log, &[1.0, 500.0], Unit::Number, 0),
            ["1", "2", "5", "10", "20", "50", "100", "200", "500"]
        );
        assert_eq!(texts(Scale::Log, &[0.2, 30.0], Unit::Percent, 2), ["1 %", "10 %"]);
    }

    #[test]
    fn linear_ticks_have_the_decimals_of_their_step() {
        assert_eq!(
            texts(Scale::FromZero, &[1.9], Unit::Times, 3),
            ["0.0 ×", "0.5 ×", "1.0 ×", "1.5 ×"]
        );
        assert_eq!(
            texts(Scale::FromZero, &[88.0], Unit::Percent, 2),
            ["0 %", "20 %", "40 %", "60 %", "80 %", "100 %"]
        );
    }

    #[test]
    fn counted_things_have_no_ticks_between_them() {
        assert_eq!(
            texts(Scale::Linear, &[1.0, 3.0], Unit::Number, 2),
            ["1.0", "1.5", "2.0", "2.5", "3.0"]
        );
        for set in 0..4 {
            assert_eq!(texts(Scale::Linear, &[1.0, 3.0], Unit::Count, set), ["1", "2", "3"]);
        }
        assert_eq!(
            texts(Scale::Linear, &[0.0, 20.0], Unit::Count, 2),
            ["0", "5", "10", "15", "20"]
        );
    }

    #[test]
    fn values_have_three_digits() {
        let shown =
            [0.0, 8.3421, 27.04, 0.0312, 12345.6, -0.5, 1.0].map(|v| value_text(v, Unit::Number));
        assert_eq!(shown, ["0", "8.34", "27", "0.0312", "12 346", "-0.5", "1"]);
        assert_eq!(value_text(26.42, Unit::Percent), "26.4 %");
        assert_eq!(value_text(2.0, Unit::Times), "2.00 ×");
    }

    #[test]
    fn the_ends_of_a_log_axis_lie_inside_it() {
        let map = Map::new(&Axis::new("", Unit::Number, Scale::Log), &[1.0, 500.0], 0.0);
        let map = map.onto(100.0, 200.0);
        let (low, high) = (map.px(1.0).unwrap(), map.px(500.0).unwrap());
        assert!(102.0 < low && low < 106.0 && 194.0 < high && high < 198.0, "{low} {high}");
        assert_eq!(map.px(0.0), None);
        assert_eq!(map.px(f64::NAN), None);
    }

    #[test]
    fn one_value_or_none_still_makes_a_range() {
        for scale in [Scale::Linear, Scale::FromZero, Scale::Log] {
            for values in [&[][..], &[0.0], &[3.0]] {
                let map = Map::new(&Axis::new("", Unit::Number, scale.clone()), values, 0.0);
                assert!(map.low < map.high);
                assert!(map.tick_sets(Unit::Number).iter().any(|s| !s.is_empty()));
            }
        }
    }
}
