//! Closed forms by name: what theory says of a number that somebody claims. The arguments are the
//! parameters of the set-up.

use super::extremes::{largest, largest_either_way};
use super::ideal::ideal_passes;
use super::theory::{cv_owned_ring, cv_sampling, gcd, modulo_moved};
use crate::error::Error;

/// How a formula's value stands to a measurement.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// Nothing is left to chance.
    Exact,
    /// The mean over label sets, seeds or keys.
    Expected,
    /// The median over label sets, from a normal approximation.
    Median,
    /// The probability that the claim holds for an ideal hash.
    Probability,
    /// No set-up lies below it.
    Least,
}

impl Kind {
    /// In one word.
    pub fn word(self) -> &'static str {
        match self {
            Kind::Exact => "exact",
            Kind::Expected => "expected",
            Kind::Median => "median",
            Kind::Probability => "probability",
            Kind::Least => "least",
        }
    }
}

/// A closed form.
#[derive(Debug)]
pub struct Formula {
    /// Its name.
    pub name: &'static str,
    /// Names of its arguments.
    pub args: &'static [&'static str],
    /// How its value stands to a measurement.
    pub kind: Kind,
    /// The formula as text.
    pub text: &'static str,
    /// What it gives; no full stop.
    pub doc: &'static str,
    /// Its value; the arguments are finite and positive.
    pub of: fn(&[f64]) -> f64,
}

/// All formulas.
pub static ALL: &[Formula] = &[
    Formula {
        name: "modulo-moved",
        args: &["n", "m"],
        kind: Kind::Expected,
        text: "1 − min(n,m) ÷ lcm(n,m)",
        doc: "share of the keys that hash mod n → hash mod m moves; exact for whole periods",
        of: |a| modulo_moved(a[0] as u64, a[1] as u64),
    },
    Formula {
        name: "least-moved",
        args: &["n", "m"],
        kind: Kind::Expected,
        text: "|m − n| ÷ max(n,m)",
        doc: "least share of the keys that any strategy must move, and what a ring moves in the mean",
        of: |a| libm::fabs(a[1] - a[0]) / a[0].max(a[1]),
    },
    Formula {
        name: "fair",
        args: &["n"],
        kind: Kind::Exact,
        text: "1 ÷ n",
        doc: "share of one of n equal nodes",
        of: |a| 1.0 / a[0],
    },
    Formula {
        name: "rerouted",
        args: &["n"],
        kind: Kind::Expected,
        text: "1 − 1 ÷ n",
        doc: "share of the keys that an unrelated hash sends to another of n equal nodes",
        of: |a| 1.0 - 1.0 / a[0],
    },
    Formula {
        name: "remainder",
        args: &["key", "n"],
        kind: Kind::Exact,
        text: "key mod n",
        doc: "node of a whole number under modulo",
        of: |a| a[0] - a[1] * libm::floor(a[0] / a[1]),
    },
    Formula {
        name: "product",
        args: &["a", "b"],
        kind: Kind::Exact,
        text: "a · b",
        doc: "a number of things: nodes × points, slots × bytes",
        of: |a| a[0] * a[1],
    },
    Formula {
        name: "quotient",
        args: &["a", "b"],
        kind: Kind::Exact,
        text: "a ÷ b",
        doc: "one number as a multiple of another",
        of: |a| a[0] / a[1],
    },
    Formula {
        name: "blast-ratio",
        args: &["n"],
        kind: Kind::Expected,
        text: "n − 1",
        doc: "keys that modulo moves when the last of n nodes is lost, as a multiple of a ring's",
        of: |a| a[0] - 1.0,
    },
    Formula {
        name: "ring-cv",
        args: &["n", "v"],
        kind: Kind::Expected,
        text: "√((n − 1) ÷ (n·v + 1))",
        doc: "standard deviation of the shares of a ring of n nodes with v points each",
        of: |a| cv_owned_ring(a[0] as u64, a[1] as u64),
    },
    Formula {
        name: "ring-cv-ratio",
        args: &["n", "v", "w"],
        kind: Kind::Expected,
        text: "√((n·v + 1) ÷ (n·w + 1))",
        doc: "standard deviation of a ring's shares with w points a node, as a multiple of that with v",
        of: |a| {
            let cv = |v: f64| cv_owned_ring(a[0] as u64, v as u64);
            cv(a[2]) / cv(a[1])
        },
    },
    Formula {
        name: "ring-max-deviation",
        args: &["n", "v"],
        kind: Kind::Median,
        text: "√((n − 1) ÷ (n·v + 1)) · median of the largest of n normal deviations",
        doc: "largest deviation of a ring's shares either way",
        of: |a| cv_owned_ring(a[0] as u64, a[1] as u64) * largest_either_way(a[0] as usize),
    },
    Formula {
        name: "ring-largest",
        args: &["n", "v"],
        kind: Kind::Median,
        text: "1 + √((n − 1) ÷ (n·v + 1)) · median of the largest of n normal deviations",
        doc: "largest share of a ring ÷ fair share",
        of: |a| 1.0 + cv_owned_ring(a[0] as u64, a[1] as u64) * largest(a[0] as usize),
    },
    Formula {
        name: "ring-smallest",
        args: &["n", "v"],
        kind: Kind::Median,
        text: "1 − √((n − 1) ÷ (n·v + 1)) · median of the largest of n normal deviations",
        doc: "smallest share of a ring ÷ fair share",
        of: |a| 1.0 - cv_owned_ring(a[0] as u64, a[1] as u64) * largest(a[0] as usize),
    },
    Formula {
        name: "largest-arc",
        args: &["n"],
        kind: Kind::Expected,
        text: "Hₙ = 1 + ½ + … + 1 ÷ n",
        doc: "largest share ÷ fair share of n nodes with one point each",
        of: |a| (1..=a[0] as u64).map(|i| 1.0 / i as f64).sum::<f64>(),
    },
    Formula {
        name: "weight-share",
        args: &["n", "weight"],
        kind: Kind::Expected,
        text: "w ÷ (n − 1 + w)",
        doc: "share of one node of weight w among n − 1 of weight 1",
        of: |a| a[1] / (a[0] - 1.0 + a[1]),
    },
    Formula {
        name: "stride",
        args: &["n", "step"],
        kind: Kind::Exact,
        text: "gcd(n, step) − 1",
        doc: "largest deviation of whole numbers a step apart, taken mod n: every gcd-th remainder has them all",
        of: |a| gcd(a[0] as u64, a[1] as u64) as f64 - 1.0,
    },
    Formula {
        name: "shards-hit",
        args: &["n", "values"],
        kind: Kind::Expected,
        text: "n · (1 − (1 − 1 ÷ n)^v)",
        doc: "of n shards those that v distinct values reach under an ideal hash",
        of: |a| a[0] * (1.0 - libm::pow(1.0 - 1.0 / a[0], a[1])),
    },
    Formula {
        name: "sampling-cv",
        args: &["n", "keys"],
        kind: Kind::Expected,
        text: "√((n − 1) ÷ K)",
        doc: "standard deviation that an ideal hash shows with K keys on n nodes",
        of: |a| cv_sampling(a[0] as u64, a[1] as u64),
    },
    Formula {
        name: "ideal-max-deviation",
        args: &["n", "keys"],
        kind: Kind::Median,
        text: "√((n − 1) ÷ K) · median of the largest of n normal deviations",
        doc: "largest deviation either way that an ideal hash shows with K keys on n nodes",
        of: |a| cv_sampling(a[0] as u64, a[1] as u64) * largest_either_way(a[0] as usize),
    },
    Formula {
        name: "ideal-passes",
        args: &["n", "keys", "x"],
        kind: Kind::Probability,
        text: "P(no count of an ideal multinomial deviates by more than x)",
        doc: "chance that an ideal hash keeps each of n nodes within x of fair with K keys",
        of: |a| {
            let n = a[0] as usize;
            ideal_passes(&vec![1.0 / n as f64; n], a[1] as u64, a[2])
        },
    },
    Formula {
        name: "hot-key",
        args: &["n", "share"],
        kind: Kind::Least,
        text: "f · n",
        doc: "largest ÷ fair load that a key with a share f of the requests forces on n equal nodes",
        of: |a| a[0] * a[1],
    },
    Formula {
        name: "hot-key-load",
        args: &["n", "share"],
        kind: Kind::Expected,
        text: "f · n + 1 − f",
        doc: "load ÷ fair load of the node with the hot key, the other requests even",
        of: |a| a[0] * a[1] + 1.0 - a[1],
    },
    Formula {
        name: "split-work",
        args: &["share", "parts"],
        kind: Kind::Exact,
        text: "1 − f + f · r",
        doc: "reads that reach the nodes ÷ reads sent, when every read of a key with a share f asks all of r parts",
        of: |a| 1.0 - a[0] + a[0] * a[1],
    },
    Formula {
        name: "copy-seconds",
        args: &["rows", "rate"],
        kind: Kind::Least,
        text: "rows ÷ rate",
        doc: "seconds that a copy of so many rows takes at a rate a second, without catch-up and cut-over",
        of: |a| a[0] / a[1],
    },
    Formula {
        name: "half-written",
        args: &["writes", "seconds"],
        kind: Kind::Expected,
        text: "½ · w · s",
        doc: "writes that only one of two nodes has, at w a second, when the other follows after s seconds and either is first half of the time",
        of: |a| 0.5 * a[0] * a[1],
    },
    Formula {
        name: "negative-remainders",
        args: &["n"],
        kind: Kind::Expected,
        text: "½ · (1 − 1 ÷ n)",
        doc: "share of the keys whose signed digest leaves a negative remainder by n",
        of: |a| 0.5 * (1.0 - 1.0 / a[0]),
    },
    Formula {
        name: "any-collision",
        args: &["points", "bits"],
        kind: Kind::Probability,
        text: "1 − exp(−p·(p − 1) ÷ 2^(bits + 1))",
        doc: "chance that two of p random points of a ring are one",
        of: |a| 1.0 - libm::exp(-a[0] * (a[0] - 1.0) / libm::pow(2.0, a[1] + 1.0)),
    },
    Formula {
        name: "collisions",
        args: &["points", "bits"],
        kind: Kind::Expected,
        text: "p·(p − 1) ÷ 2^(bits + 1)",
        doc: "pairs of p random points of a ring that are one",
        of: |a| a[0] * (a[0] - 1.0) / libm::pow(2.0, a[1] + 1.0),
    },
    Formula {
        name: "binary-steps",
        args: &["points"],
        kind: Kind::Exact,
        text: "⌊log₂ p⌋ + 1",
        doc: "comparisons of a binary search over p points",
        of: |a| libm::floor(libm::log2(a[0])) + 1.0,
    },
    Formula {
        name: "binary-steps-ratio",
        args: &["p", "q"],
        kind: Kind::Exact,
        text: "(⌊log₂ q⌋ + 1) ÷ (⌊log₂ p⌋ + 1)",
        doc: "comparisons of a binary search over q points as a multiple of that over p",
        of: |a| (libm::floor(libm::log2(a[1])) + 1.0) / (libm::floor(libm::log2(a[0])) + 1.0),
    },
    Formula {
        name: "same-rack",
        args: &["racks"],
        kind: Kind::Expected,
        text: "1 − 1 ÷ racks",
        doc: "share of the requests that leave their rack when the node is chosen without regard to it",
        of: |a| 1.0 - 1.0 / a[0],
    },
];

/// The formula of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static Formula, Error> {
    ALL.iter()
        .find(|formula| formula.name == name)
        .ok_or_else(|| Error::unknown("formula", name, ALL.iter().map(|f| f.name)))
}

impl Formula {
    /// Its value; the arguments must be as many as it takes, finite and positive.
    pub fn value(&self, args: &[f64]) -> Result<f64, Error> {
        let sound = args.iter().all(|x| x.is_finite() && *x > 0.0);
        if args.len() != self.args.len() || !sound {
            return Err(Error::invalid(format!(
                "{} takes {} positive numbers: {}",
                self.name,
                self.args.len(),
                self.args.join(", ")
            )));
        }
        Ok((self.of)(args))
    }

    /// With its arguments: `1 − min(n,m) ÷ lcm(n,m), n = 8, m = 12`.
    pub fn with(&self, args: &[f64]) -> String {
        let pairs = self.args.iter().zip(args).map(|(name, x)| format!("{name} = {x}"));
        let pairs: Vec<String> = pairs.collect();
        format!("{}, {}", self.text, pairs.join(", "))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn close(name: &str, args: &[f64], want: f64, within: f64) {
        let have = find(name).unwrap().value(args).unwrap();
        assert!((have - want).abs() <= within, "{name}{args:?}: {have} for {want}");
    }

    #[test]
    fn values_by_hand() {
        close("modulo-moved", &[8.0, 12.0], 2.0 / 3.0, 1e-15);
        close("modulo-moved", &[3.0, 100.0], 0.99, 1e-15);
        close("least-moved", &[3.0, 100.0], 0.97, 1e-15);
        close("least-moved", &[16.0, 15.0], 1.0 / 16.0, 1e-15);
        close("ring-cv", &[16.0, 160.0], 0.07653, 5e-6);
        close("ring-cv-ratio", &[100.0, 100.0, 500.0], 0.4472, 5e-5);
        // 1 + 1/2 + 1/3 + 1/4 = 25/12.
        close("largest-arc", &[4.0], 25.0 / 12.0, 1e-15);
        close("weight-share", &[8.0, 2.0], 2.0 / 9.0, 1e-15);
        close("stride", &[16.0, 10.0], 1.0, 0.0);
        close("shards-hit", &[16.0, 10.0], 7.6089, 1e-3);
        close("hot-key-load", &[16.0, 0.2], 4.0, 1e-12);
        // 77 163 random numbers of 32 bits: the birthday bound of one half.
        close("any-collision", &[77_163.0, 32.0], 0.5, 1e-5);
        close("split-work", &[0.19, 100.0], 19.81, 1e-12);
        close("copy-seconds", &[7_200_000.0, 3000.0], 2400.0, 0.0);
        close("half-written", &[9000.0, 2.0], 9000.0, 0.0);
        close("binary-steps", &[16_000.0], 14.0, 0.0);
        close("negative-remainders", &[16.0], 15.0 / 32.0, 0.0);
        close("ideal-passes", &[2.0, 1000.0, 0.05], 0.8932, 2e-3);
    }

    #[test]
    fn names_are_unique_and_arguments_are_checked() {
        for (i, formula) in ALL.iter().enumerate() {
            assert!(ALL[..i].iter().all(|other| other.name != formula.name), "{}", formula.name);
            assert!(!formula.doc.is_empty() && !formula.doc.ends_with('.'));
            let args = vec![2.0; formula.args.len()];
            assert!(formula.value(&args).unwrap().is_finite(), "{}", formula.name);
            assert!(formula.value(&args[1..]).is_err());
            assert!(formula.value(&vec![0.0; formula.args.len()]).is_err());
        }
        assert!(find("modulo-movd").unwrap_err().help[0].contains("modulo-moved"));
    }
}
