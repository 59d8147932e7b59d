//! The ledger's result: everything that reports show of it. Schema `shardlab.claims/1`.

use serde::Serialize;

use super::claimed::Style;
use super::verdict::Verdict;
use crate::metrics::Unit;
use crate::record::Record;

/// Name of the schema.
pub const SCHEMA: &str = "shardlab.claims/1";

/// The ledger, measured.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct LedgerRecord {
    /// Always [`SCHEMA`].
    pub schema: &'static str,
    /// Version of shardlab.
    pub shardlab: &'static str,
    /// The claims, in order.
    pub claims: Vec<Entry>,
}

/// One claim, measured.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Entry {
    /// The article's letter and a number.
    pub id: String,
    /// What the article is about.
    pub article: String,
    /// The claim in one sentence.
    pub claim: String,
    /// Under which parameters it is made.
    pub parameters: String,
    /// What a reader should know.
    pub note: String,
    /// The verdict on the whole: that on its weakest part.
    pub verdict: Verdict,
    /// Why, in one line.
    pub why: String,
    /// What it states.
    pub parts: Vec<PartRecord>,
    /// Figures that do not judge.
    pub beside: Vec<BesideRecord>,
    /// Tables.
    pub grids: Vec<GridRecord>,
    /// Records of the set-ups that ask for charts: what is drawn of them.
    #[serde(skip)]
    pub records: Vec<Record>,
}

/// One part, measured.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct PartRecord {
    /// What it states.
    pub part: String,
    /// What only a clock could tell.
    pub clock: Option<String>,
    /// Whether its verdict stands beside the claim's and does not enter it.
    pub aside: bool,
    /// The verdict on it.
    pub verdict: Verdict,
    /// Why, in one line.
    pub why: String,
    /// Index of the reading that decides.
    pub decided_by: Option<usize>,
    /// The readings, the plain one first.
    pub readings: Vec<ReadingRecord>,
}

/// One reading, measured.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct ReadingRecord {
    /// In words.
    pub reading: String,
    /// Whether it takes a condition that the article does not state.
    pub unstated: bool,
    /// What is claimed, as it is written.
    pub claimed: Option<String>,
    /// Least and largest value that meet it; null is no limit.
    pub meets: Option<[Option<f64>; 2]>,
    /// What was measured.
    #[serde(flatten)]
    pub figure: FigureRecord,
    /// How often the claim holds.
    pub probability: Option<Probability>,
    /// The verdict on this reading.
    pub verdict: Option<Verdict>,
    /// Why, in one line.
    pub why: String,
}

/// A number, where it comes from, and what to expect of it.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct FigureRecord {
    /// The value; null where the cell has none.
    pub measured: Option<f64>,
    /// The value as text.
    pub shown: String,
    /// How it is written.
    #[serde(skip)]
    pub style: Style,
    /// The metric, and what is made of it.
    pub metric: String,
    /// Set-up, cells and step that it was read from.
    pub from: String,
    /// The closed form.
    pub theory: Option<TheoryRecord>,
    /// The spread over label sets.
    pub spread: Option<SpreadRecord>,
}

/// What theory says.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct TheoryRecord {
    /// `exact`, `expected`, `median`, `probability` or `least`.
    pub kind: &'static str,
    /// Its value.
    pub value: f64,
    /// The value as text.
    pub shown: String,
    /// The formula with its arguments.
    pub formula: String,
}

/// Percentiles over label sets.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct SpreadRecord {
    /// `node names` or `hash seeds`.
    pub over: &'static str,
    /// `ownership` or `keys`.
    pub on: &'static str,
    /// Number of label sets.
    pub trials: u64,
    /// 2.5th percentile.
    #[serde(rename = "p2.5")]
    pub p2_5: f64,
    /// 5th percentile.
    pub p5: f64,
    /// Median.
    pub p50: f64,
    /// 95th percentile.
    pub p95: f64,
    /// 97.5th percentile.
    #[serde(rename = "p97.5")]
    pub p97_5: f64,
    /// Mean.
    pub mean: f64,
}

/// How often something holds.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct Probability {
    /// Label sets in which it held.
    pub hits: u64,
    /// Label sets tried.
    pub trials: u64,
    /// hits ÷ trials.
    pub p: f64,
    /// Clopper–Pearson interval of 99 %.
    #[serde(rename = "interval-99")]
    pub interval_99: [f64; 2],
}

/// A figure that does not judge.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct BesideRecord {
    /// What it is.
    pub figure: String,
    /// Its value as text.
    pub shown: String,
    /// The number behind it.
    #[serde(flatten)]
    pub value: Option<FigureRecord>,
    /// The probability behind it.
    pub probability: Option<Probability>,
}

/// A table.
#[derive(Debug, Clone, Serialize)]
#[serde(rename_all = "kebab-case")]
pub struct GridRecord {
    /// What it shows.
    pub title: String,
    /// How to read it.
    pub note: String,
    /// Heads of the columns, that of the rows first.
    pub header: Vec<String>,
    /// The rows: name, then values as text.
    pub rows: Vec<Vec<String>>,
}

/// The style in which values of a unit are written.
pub fn style_of(unit: Unit) -> Style {
    match unit {
        Unit::Share => Style::Percent,
        Unit::Bytes => Style::Bytes,
        Unit::Count | Unit::Ratio | Unit::Number => Style::Plain,
    }
}
