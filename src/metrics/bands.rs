//! Bands over label sets: percentiles by nearest rank, and where the scenario's own labels fall.

use super::{Family, MetricInfo, Point, Unit};
use crate::record::Band;

/// Reads one number of a band.
pub type ReadBand = fn(&Band) -> Option<f64>;

/// Percentiles of a band by the names they have in the record.
pub static PERCENTILES: &[(&str, ReadBand)] = &[
    ("p2.5", |b| Some(b.p2_5)),
    ("p5", |b| Some(b.p5)),
    ("p50", |b| Some(b.p50)),
    ("p95", |b| Some(b.p95)),
    ("p97.5", |b| Some(b.p97_5)),
    ("mean", |b| Some(b.mean)),
    ("own-percentile", |b| b.own_percentile),
];

/// What the trials tell of a step.
pub static FAMILY: Family = Family {
    name: "trials",
    forms: &["trials.STAT.PERCENTILE"],
    metrics: &[
        MetricInfo {
            name: "max-over-mean",
            unit: Unit::Ratio,
            range: "1 and more",
            doc: "largest owned share ÷ fair share over label sets",
            formula: "nearest rank over the trials",
            source: "",
            read: |p| p.band(|t| Some(t.max_over_mean)),
        },
        MetricInfo {
            name: "min-over-mean",
            unit: Unit::Ratio,
            range: "0 to 1",
            doc: "smallest owned share ÷ fair share over label sets",
            formula: "nearest rank over the trials",
            source: "",
            read: |p| p.band(|t| Some(t.min_over_mean)),
        },
        MetricInfo {
            name: "max-deviation",
            unit: Unit::Share,
            range: "0 and more",
            doc: "largest deviation from fair either way over label sets",
            formula: "nearest rank over the trials",
            source: "",
            read: |p| p.band(|t| Some(t.max_deviation)),
        },
        MetricInfo {
            name: "cv-squared",
            unit: Unit::Number,
            range: "0 and more",
            doc: "squared cv of the owned shares over label sets",
            formula: "mean for a ring: (n−1)/(n·v+1)",
            source: "",
            read: |p| p.band(|t| Some(t.cv_squared)),
        },
        MetricInfo {
            name: "share-moved",
            unit: Unit::Share,
            range: "0 to 1",
            doc: "share of the digest space that moves at the step over label sets",
            formula: "nearest rank over the trials",
            source: "",
            read: |p| p.band(|t| t.share_moved),
        },
    ],
};

impl Point<'_> {
    fn band(&self, of: fn(&crate::record::TrialStep) -> Option<Band>) -> Option<f64> {
        let trials = self.cell.trials.as_ref()?;
        let band = of(trials.steps.iter().find(|t| t.step == self.step.step)?)?;
        let (_, read) = PERCENTILES.iter().find(|(name, _)| *name == self.percentile)?;
        read(&band)
    }
}

/// The band of a statistic: `values` has one number per trial, at least one, and is sorted here;
/// `own` is the value under the scenario's own labels.
///
/// The p-th percentile is the ⌈p/100 · n⌉-th smallest value; the own percentile is the share of the
/// trials at or below `own`. The mean is summed in ascending order.
pub fn band(values: &mut [f64], own: Option<f64>) -> Band {
    assert!(!values.is_empty(), "a band needs a trial");
    values.sort_unstable_by(f64::total_cmp);
    let n = values.len();
    Band {
        p2_5: nearest_rank(values, 25),
        p5: nearest_rank(values, 50),
        p50: nearest_rank(values, 500),
        p95: nearest_rank(values, 950),
        p97_5: nearest_rank(values, 975),
        mean: values.iter().sum::<f64>() / n as f64,
        own_percentile: own
            .map(|own| values.partition_point(|&value| value <= own) as f64 / n as f64),
    }
}

/// The ⌈per_mille/1000 · n⌉-th smallest of n ≥ 1 sorted values (1 to 1000 per mille).
pub fn nearest_rank(sorted: &[f64], per_mille: usize) -> f64 {
    sorted[(per_mille * sorted.len()).div_ceil(1000) - 1]
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Purpose, Stream};

    #[test]
    fn forty_trials_by_hand() {
        let mut values: Vec<f64> = (1..=40).rev().map(f64::from).collect();
        let band = band(&mut values, Some(10.0));
        // ⌈0.025·40⌉ = 1, ⌈0.05·40⌉ = 2, 20, 38, 39; 10 of 40 are at or below 10.
        let want = Band {
            p2_5: 1.0,
            p5: 2.0,
            p50: 20.0,
            p95: 38.0,
            p97_5: 39.0,
            mean: 20.5,
            own_percentile: Some(0.25),
        };
        assert_eq!(band, want);
    }

    #[test]
    fn one_trial_is_every_percentile() {
        let only = band(&mut [7.0], None);
        assert_eq!([only.p2_5, only.p5, only.p50, only.p95, only.p97_5, only.mean], [7.0; 6]);
        assert_eq!(only.own_percentile, None);
        assert_eq!(band(&mut [7.0], Some(6.9)).own_percentile, Some(0.0));
        assert_eq!(band(&mut [7.0], Some(7.0)).own_percentile, Some(1.0));
    }

    /// Definition: the smallest value such that at least p of the values are at or below it.
    #[test]
    fn percentiles_agree_with_their_definition() {
        let mut stream = Stream::new(1, Purpose::Trials, 0);
        for n in [1, 2, 3, 19, 20, 21, 39, 40, 41, 999, 1000, 1001] {
            let mut values: Vec<f64> = (0..n).map(|_| stream.below(50) as f64).collect();
            let band = band(&mut values, None);
            for (have, per_mille) in [
                (band.p2_5, 25),
                (band.p5, 50),
                (band.p50, 500),
                (band.p95, 950),
                (band.p97_5, 975),
            ] {
                let below = |x: f64| values.iter().filter(|&&v| v <= x).count() * 1000;
                let want = (0..50).map(f64::from).find(|&x| below(x) >= per_mille * n).unwrap();
                assert_eq!(have, want, "{per_mille} ‰ of {n}");
            }
        }
    }
}
