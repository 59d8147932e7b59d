//! The rule by which numbers become verdicts. Nothing but numbers enters it.
//!
//! * A bound is reproduced when it holds in half of the label sets or more, reproduced under a condition
//!   from one in a hundred on, refuted below. Where nothing is left to chance it holds or it does not.
//! * A point is reproduced when the interval of ± half its last digit meets the middle 95 % of what the
//!   set-up yields, else refuted.
//! * A reading with a condition that the article does not state is reproduced under it at best.
//! * The first reading of a part is the plain one. A part that holds only in another is reproduced under
//!   that reading. A claim is as good as its weakest part.

use serde::Serialize;

use super::claimed::Claimed;

/// What becomes of a claim; the weaker the later.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// It needs a machine or a wall clock.
    NotAPlacementClaim,
    /// It holds as it is stated.
    Reproduced,
    /// It holds under a condition, or in a reading, that is not stated.
    ReproducedUnder,
    /// It does not hold.
    Refuted,
}

impl Verdict {
    /// Its name in reports.
    pub fn name(self) -> &'static str {
        match self {
            Verdict::NotAPlacementClaim => "not-a-placement-claim",
            Verdict::Reproduced => "reproduced",
            Verdict::ReproducedUnder => "reproduced-under",
            Verdict::Refuted => "refuted",
        }
    }
}

/// A probability from this on reproduces a bound.
pub const LIKELY: f64 = 0.5;

/// A probability below this refutes a bound.
pub const RARE: f64 = 0.01;

/// What a set-up yields.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Evidence {
    /// One value, in which chance plays no part.
    Exact(f64),
    /// Many values.
    Chance {
        /// Their 2.5th percentile.
        p2_5: f64,
        /// Their 97.5th percentile.
        p97_5: f64,
        /// The share of them that meet the claim.
        p: f64,
    },
}

/// The verdict on one reading.
pub fn judge(claimed: &Claimed, evidence: Evidence) -> Verdict {
    let holds = match evidence {
        Evidence::Exact(value) => claimed.meets(value),
        Evidence::Chance { p, .. } if claimed.is_bound() => {
            return match p {
                p if p >= LIKELY => Verdict::Reproduced,
                p if p >= RARE => Verdict::ReproducedUnder,
                _ => Verdict::Refuted,
            };
        }
        Evidence::Chance { p2_5, p97_5, .. } => claimed.meets_range(p2_5, p97_5),
    };
    if holds { Verdict::Reproduced } else { Verdict::Refuted }
}

/// The verdict on a reading that takes a condition which is not stated: at best reproduced under it.
pub fn capped(verdict: Verdict, unstated: bool) -> Verdict {
    match verdict {
        Verdict::Reproduced if unstated => Verdict::ReproducedUnder,
        verdict => verdict,
    }
}

/// Whether an interval of a probability lies wholly on one side of both limits, so that more trials
/// change no verdict.
pub fn is_settled(interval: [f64; 2]) -> bool {
    [RARE, LIKELY].into_iter().all(|limit| interval[1] < limit || interval[0] >= limit)
}

/// The verdict on a part from those on its readings, the plain one first, and the reading that decides;
/// None without readings.
pub fn of_readings(readings: &[Verdict]) -> Option<(Verdict, usize)> {
    let plain = *readings.first()?;
    if plain == Verdict::Reproduced {
        return Some((plain, 0));
    }
    // The reading in which it holds best; of equals the earlier.
    let best = (0..readings.len()).min_by_key(|&i| (readings[i], i))?;
    match readings[best] {
        Verdict::Reproduced => Some((Verdict::ReproducedUnder, best)),
        verdict => Some((verdict, best)),
    }
}

/// The verdict on a claim from those on its parts: the weakest.
pub fn of_parts(parts: &[Verdict]) -> Verdict {
    parts.iter().copied().max().unwrap_or(Verdict::NotAPlacementClaim)
}

#[cfg(test)]
mod tests {
    use super::Verdict::*;
    use super::*;

    fn claimed(text: &str) -> Claimed {
        Claimed::parse(text).unwrap()
    }

    fn chance(p2_5: f64, p97_5: f64, p: f64) -> Evidence {
        Evidence::Chance { p2_5, p97_5, p }
    }

    #[test]
    fn bounds_go_by_their_probability() {
        let bound = claimed("< 9 %");
        for (p, want) in [
            (1.0, Reproduced),
            (0.5, Reproduced),
            (0.4999, ReproducedUnder),
            (0.01, ReproducedUnder),
            (0.00999, Refuted),
            (0.0, Refuted),
        ] {
            assert_eq!(judge(&bound, chance(0.0, 1.0, p)), want, "{p}");
        }
        assert_eq!(judge(&bound, Evidence::Exact(0.08)), Reproduced);
        assert_eq!(judge(&bound, Evidence::Exact(0.10)), Refuted);
    }

    #[test]
    fn points_must_meet_the_middle_of_the_set_up() {
        let point = claimed("12.9 %");
        assert_eq!(judge(&point, chance(0.10, 0.1286, 0.0)), Reproduced);
        assert_eq!(judge(&point, chance(0.10, 0.1284, 0.0)), Refuted);
        assert_eq!(judge(&point, chance(0.1294, 0.2, 0.0)), Reproduced);
        assert_eq!(judge(&point, chance(0.1296, 0.2, 0.0)), Refuted);
        assert_eq!(judge(&point, Evidence::Exact(1.0 / 3.0)), Refuted);
        assert_eq!(judge(&claimed("99 %"), Evidence::Exact(0.99)), Reproduced);
    }

    #[test]
    fn a_condition_that_is_not_stated_never_reproduces_outright() {
        assert_eq!(capped(Reproduced, true), ReproducedUnder);
        for verdict in [NotAPlacementClaim, ReproducedUnder, Refuted] {
            assert_eq!(capped(verdict, true), verdict);
        }
        assert_eq!(capped(Reproduced, false), Reproduced);
    }

    #[test]
    fn only_another_reading_is_a_condition() {
        assert_eq!(of_readings(&[Reproduced, Refuted]), Some((Reproduced, 0)));
        assert_eq!(of_readings(&[Refuted, Reproduced]), Some((ReproducedUnder, 1)));
        assert_eq!(of_readings(&[Refuted, ReproducedUnder]), Some((ReproducedUnder, 1)));
        assert_eq!(of_readings(&[ReproducedUnder, Reproduced]), Some((ReproducedUnder, 1)));
        assert_eq!(of_readings(&[Refuted, Refuted]), Some((Refuted, 0)));
        assert_eq!(of_readings(&[]), None);
    }

    #[test]
    fn a_claim_is_as_good_as_its_weakest_part() {
        assert_eq!(of_parts(&[Reproduced, Refuted]), Refuted);
        assert_eq!(of_parts(&[Reproduced, ReproducedUnder]), ReproducedUnder);
        assert_eq!(of_parts(&[NotAPlacementClaim, Reproduced]), Reproduced);
        assert_eq!(of_parts(&[NotAPlacementClaim]), NotAPlacementClaim);
    }

    #[test]
    fn trials_go_on_until_both_limits_are_clear() {
        assert!(is_settled([0.03, 0.04]) && is_settled([0.0, 0.009]) && is_settled([0.6, 1.0]));
        assert!(!is_settled([0.009, 0.011]) && !is_settled([0.49, 0.51]));
    }
}
