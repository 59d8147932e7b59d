//! The proleptic Gregorian calendar, up to 9999-12-31.

use crate::error::Error;

/// Days from 1970-01-01 to 9999-12-31.
pub(super) const LAST_DAY: i64 = 2_932_896;

/// Days since 1970-01-01 of a date written as yyyymmdd.
pub(super) fn parse_date(text: &str) -> Result<i64, Error> {
    let wrong = || {
        Error::invalid(format!("`date` is \"{text}\", which is no day of the calendar"))
            .help("allowed: yyyymmdd, e.g. \"20250115\"")
            .field("date")
    };
    if text.len() != 8 || !text.bytes().all(|b| b.is_ascii_digit()) {
        return Err(wrong());
    }
    let part = |range: std::ops::Range<usize>| text[range].parse::<i64>().expect("digits");
    let (year, month, day) = (part(0..4), part(4..6), part(6..8));
    let days = days_from_civil(year, month, day);
    // A date that does not exist comes back as another one.
    if !(1..=12).contains(&month) || civil_from_days(days) != (year, month, day) {
        return Err(wrong());
    }
    Ok(days)
}

/// Days since 1970-01-01 (Howard Hinnant, "chrono-compatible low-level date algorithms", 2013,
/// <https://howardhinnant.github.io/date_algorithms.html>).
pub(super) fn days_from_civil(year: i64, month: i64, day: i64) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = (153 * ((month + 9) % 12) + 2) / 5 + day - 1;
    let day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    era * 146_097 + day_of_era - 719_468
}

/// Year, month, day of a number of days since 1970-01-01 (same source).
pub(super) fn civil_from_days(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36_524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let shifted = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * shifted + 2) / 5 + 1;
    let month = if shifted < 10 { shifted + 3 } else { shifted - 9 };
    let year = year_of_era + era * 400 + i64::from(month <= 2);
    (year, month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_and_dates_are_each_other() {
        assert_eq!(parse_date("19700101").unwrap(), 0);
        assert_eq!(parse_date("20000229").unwrap(), 11_016);
        assert_eq!(parse_date("99991231").unwrap(), LAST_DAY);
        for days in (0..LAST_DAY).step_by(97) {
            let (year, month, day) = civil_from_days(days);
            assert_eq!(days_from_civil(year, month, day), days);
        }
        for wrong in ["20250229", "20251301", "2025011", "2025-1-1", "", "20250100"] {
            assert!(parse_date(wrong).is_err(), "{wrong}");
        }
    }
}
