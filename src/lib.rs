//! shardlab: a deterministic simulator and benchmark lab for key placement: sharding, partitioning,
//! consistent hashing. It answers with evidence: where does each key live, how uneven will it be, what
//! moves when the cluster changes, what does a look-up cost?
//!
//! # Bird's eye
//!
//! ```text
//! scenario.toml ──► cells ──► keys + traffic ──► digests ──► placements ──► counts ──► record ──► charts, reports
//!   scenario        scenario    keys, traffic      hash       strategy        sim       record      charts, report
//! ```
//!
//! A scenario is a sweep. Each point of it, a *cell*, is one strategy on one path of cluster changes.
//! Cells with the same keys and traffic share one pass over the rows: a batch of about a thousand keys
//! is generated, every digest that some placement reads is computed once, every distinct placement
//! places the batch (or, where a digest alone decides, its sorted digests are counted by arc), and the
//! counts of every cell and step are integers. Everything shown is derived
//! from the [`record`]; nothing downstream is called from upstream.
//!
//! # Code map
//!
//! | module | what it holds |
//! | --- | --- |
//! | [`scenario`] | the TOML file: read with spans, checked against declared parameters, swept into cells |
//! | [`cluster`] | nodes, weights, labels, the changes along a path, server lists, maps of real clusters (`map::ALL`) |
//! | [`keys`] | keys in batches, views, key patterns and key files (`ALL`) |
//! | [`hash`] | hash functions (`ALL`) |
//! | [`traffic`] | traffic shapes: expected counts, not draws (`ALL`) |
//! | [`strategy`] | placement algorithms (`ALL`) |
//! | [`preset`] | named real systems (`ALL`) |
//! | [`remedy`] | what helps against hot keys and big tenants, as cells beside the plain one (`ALL`) |
//! | [`sim`] | the engine: scan, plan, replay, tally, families, queries, session, cascade, trials, events, assemble |
//! | [`timeline`] | a migration as discrete events: units, phases, faults, what is lost |
//! | [`metrics`] | balance, movement, theory, the distributions behind p-values (`ALL`) |
//! | [`analysis`] | questions beyond a record: where two routers disagree, what a change moves, which claims hold, why loads are uneven, how much is enough, whether a routing is acceptable, what is wrong with keys, which strategy meets the needs, what differs between two records |
//! | [`record`] | the raw result, schema `shardlab.record/1` |
//! | [`charts`] | a chart is data; one renderer makes SVG of it (`ALL`) |
//! | [`report`] | table, CSV, JSON, Markdown: record to bytes (`ALL`) |
//! | [`cli`] | one file per subcommand |
//! | [`params`], [`error`], [`rng`] | declared parameters, the one error type, the random streams |
//! | [`quantity`] | durations, rates and decimals as scenarios and people write them |
//! | `text_file` | small text files, read within a bound |
//!
//! # Invariants
//!
//! 1. The core (`hash keys traffic strategy preset remedy cluster sim timeline metrics
//!    analysis`) reads no clock, no
//!    environment, no global random state and, key files and table files apart, does no IO. *Watched by
//!    `tests/tidy.rs`.*
//! 2. A run is a function of (scenario, data files, version): every output except measured times is
//!    byte-identical on any number of threads and every platform. Counts are integers, sums are folded
//!    in a fixed order, transcendental functions come from `libm`, no hash map's order reaches an
//!    output. *Watched by `tests/engine.rs` on 1, 2 and 7 threads, by `tests/tidy.rs`, and by CI over
//!    every shipped scenario.*
//! 3. Measured times go to `timings.json` only, and only when asked for.
//! 4. Randomness is one ChaCha8 stream per (seed, purpose, index): [`rng::Stream`]. A chunk of 65 536
//!    rows is fixed for good, since it fixes the streams.
//! 5. What a scenario can get wrong is found before any key is placed, with file, line and column.
//!    [`sim::run`] then fails only for a key source or an interrupt, and nothing is published before it
//!    returns.
//! 6. Abilities are data: [`strategy::Caps`], `movement`, `history`, `order`. A cell that a strategy
//!    cannot do is reported as `unsupported` with the reason. *Watched by `tests/contracts.rs`, both
//!    ways.*
//! 7. Memory does not grow with the number of keys (sessions apart, which are capped); limits on nodes,
//!    points, tables and matrices are checked before anything is allocated. *Measured by P6 of
//!    `benches/replay.rs`.*
//!
//! # How to add a …
//!
//! * **strategy, key pattern, view, hasher, traffic shape, remedy, metric, chart, report**: one new file with its
//!   `INFO` and two lines in the folder's `mod.rs`. Names, "did you mean", `list`, README tables, the JSON
//!   Schema, legends, contract tests and benches follow from the `ALL` list.
//! * **scenario**: one TOML in `scenarios/`; CI runs it on 1, 2 and 7 threads and compares its report.
//! * **subcommand**: one file and two lines in `src/cli/mod.rs`.
//!
//! # From Rust
//!
//! ```
//! use shardlab::{scenario, sim};
//! let text = r#"
//! title = "eight to nine"
//! [cluster]
//! nodes = 8
//! [keys]
//! pattern = "sequential"
//! count = 10_000
//! [[strategy]]
//! kind = "jump"
//! [[change]]
//! add = 1
//! "#;
//! let base = std::path::Path::new(".");
//! let scenario = scenario::parse(text, "inline.toml", "inline", base, &Default::default())
//!     .map_err(|errors| errors[0].clone())?;
//! let record = sim::run(&scenario, sim::Options::default(), &sim::Silent)?;
//! let moved = &record.cells[0].steps[1].movement.as_ref().unwrap().loads["keys"];
//! assert_eq!(moved.excess_share, 0.0);
//! # Ok::<(), shardlab::error::Error>(())
//! ```
#![deny(unsafe_code)]
#![warn(missing_docs)]

pub mod analysis;
pub mod charts;
pub mod cli;
pub mod cluster;
pub mod error;
pub mod hash;
pub mod keys;
pub mod metrics;
pub mod params;
pub mod preset;
pub mod quantity;
pub mod record;
pub mod remedy;
pub mod report;
pub mod rng;
pub mod scenario;
pub mod sim;
pub mod strategy;
mod text_file;
pub mod timeline;
pub mod traffic;
