//! The ledger as it is written: articles, their set-ups and claims, checked.

use super::claimed::Claimed;
use super::quantity::{Quantity, Transform};
use crate::metrics::formulas::Formula;
use crate::params::Value;
use crate::scenario::{Scenario, Trials};

/// The claims of one article.
#[derive(Debug)]
pub struct Article {
    /// Its letter.
    pub letter: String,
    /// What it is about.
    pub title: String,
    /// The set-ups that its claims are tested in.
    pub setups: Vec<Setup>,
    /// The claims, in order.
    pub claims: Vec<Claim>,
}

/// A scenario that claims are tested in.
#[derive(Debug)]
pub struct Setup {
    /// Its name in the file.
    pub name: String,
    /// The scenario; without a band unless it has charts.
    pub scenario: Scenario,
    /// How many label sets a point is judged on, and how many keys a label set places.
    pub trials: Trials,
}

/// A claim.
#[derive(Debug)]
pub struct Claim {
    /// The article's letter and a number.
    pub id: String,
    /// The claim in one sentence.
    pub says: String,
    /// Under which parameters it is made.
    pub parameters: String,
    /// What a reader should know.
    pub note: String,
    /// What it states.
    pub parts: Vec<Part>,
    /// Figures that do not judge.
    pub beside: Vec<Beside>,
    /// Tables.
    pub grids: Vec<Grid>,
}

/// One thing that a claim states.
#[derive(Debug)]
pub struct Part {
    /// What it states.
    pub says: String,
    /// What only a clock could tell.
    pub clock: Option<String>,
    /// Whether its verdict stands beside the claim's and does not enter it.
    pub aside: bool,
    /// The readings, the plain one first.
    pub readings: Vec<Reading>,
}

/// One way to understand a part.
#[derive(Debug)]
pub struct Reading {
    /// In words.
    pub words: String,
    /// What is claimed; None where a clock would be needed.
    pub claimed: Option<Claimed>,
    /// Whether it takes a condition that the article does not state.
    pub unstated: bool,
    /// What tests it.
    pub figure: Figure,
}

/// A number from one or two probes, and the closed form for it.
#[derive(Debug)]
pub struct Figure {
    /// The first probe.
    pub first: Probe,
    /// The second, where the transform takes two.
    pub second: Option<Probe>,
    /// What is made of the values.
    pub transform: &'static Transform,
    /// The closed form with its arguments.
    pub theory: Option<(&'static Formula, Vec<f64>)>,
}

/// A quantity of some cells of a set-up.
#[derive(Debug)]
pub struct Probe {
    /// Index of the set-up.
    pub setup: usize,
    /// Indices of the cells.
    pub cells: Vec<usize>,
    /// Which step.
    pub step: usize,
    /// What it reads.
    pub quantity: Quantity,
    /// Which value counts where there are several cells.
    pub over: Over,
}

/// Which of several values counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Over {
    /// There is one.
    One,
    /// The largest.
    Max,
    /// The smallest.
    Min,
}

impl Over {
    /// The value that counts.
    pub fn of(self, values: impl Iterator<Item = f64>) -> f64 {
        let take = |a: f64, b: f64| match self {
            Over::Min => a.min(b),
            Over::One | Over::Max => a.max(b),
        };
        values.reduce(take).unwrap_or(f64::NAN)
    }
}

/// A figure that does not judge.
#[derive(Debug)]
pub struct Beside {
    /// What it is.
    pub words: String,
    /// Where it comes from.
    pub source: Source,
}

/// Where a figure beside comes from.
#[derive(Debug)]
pub enum Source {
    /// Probes.
    Figure(Box<Figure>),
    /// The event of that name in a set-up.
    Event(usize, String),
}

/// A table of figures.
#[derive(Debug)]
pub struct Grid {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub note: String,
    /// The axis whose values make the rows.
    pub rows: String,
    /// Its columns.
    pub columns: Vec<Column>,
}

/// A column of a [`Grid`].
#[derive(Debug)]
pub struct Column {
    /// Its head.
    pub words: String,
    /// Index of the set-up.
    pub setup: usize,
    /// The cells that it reads, by the axes beside that of the rows.
    pub filter: Vec<(String, Value)>,
    /// Which step.
    pub step: usize,
    /// What it reads.
    pub quantity: Quantity,
}
