//! `shardlab claims`: which published numbers can be true.

use std::path::{Path, PathBuf};

use clap::{ArgMatches, Args};

use super::args::threads;
use super::progress::{Watch, catch_interrupts};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::analysis::claims::{self, ledger::Article, record::LedgerRecord};
use crate::error::Error;
use crate::report::claims as report;
use crate::report::publish;
use crate::sim::Options;
use crate::text_file;

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "claims",
    summary: "The claims ledger: which published numbers about sharding can be true",
    examples: "Examples:\n  shardlab claims\n  shardlab claims A5\n  \
               shardlab claims --format markdown > ledger.md\n  shardlab claims --out reports/claims\n\n\
               Ids are an article's letter and a number. With ids the whole reasoning is printed and the\n\
               charts go to --out (default reports/claims). Exit code 0 whatever the verdicts.",
    augment: ClaimsArgs::augment_args,
    run,
};

/// Folder of the charts of single claims.
const CHARTS: &str = "reports/claims";

/// The ledger that comes with shardlab: name and text of each article's file.
const SHIPPED: [(&str, &str); 5] = [
    ("scenarios/claims/a.toml", include_str!("../../scenarios/claims/a.toml")),
    ("scenarios/claims/b.toml", include_str!("../../scenarios/claims/b.toml")),
    ("scenarios/claims/c.toml", include_str!("../../scenarios/claims/c.toml")),
    ("scenarios/claims/d.toml", include_str!("../../scenarios/claims/d.toml")),
    ("scenarios/claims/e.toml", include_str!("../../scenarios/claims/e.toml")),
];

/// Largest claims file that is read.
const MAX_FILE_BYTES: u64 = 4 << 20;

#[derive(Debug, Args)]
struct ClaimsArgs {
    /// Claims to show in full, e.g. A5; all in brief when there are none
    #[arg(value_name = "ID")]
    ids: Vec<String>,
    /// What to print: table, json, csv, markdown or html
    #[arg(long, value_name = "F", default_value = "table")]
    format: String,
    /// Folder for the ledger as JSON, CSV, Markdown and HTML, and for the charts
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
    /// A claims file of your own, in place of the shipped ledger; may be given several times
    #[arg(long, value_name = "FILE.toml")]
    file: Vec<PathBuf>,
    /// Worker threads; by default one per core. The results are the same on any number
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<u16>,
    /// Print nothing; for use with --out
    #[arg(long)]
    quiet: bool,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: ClaimsArgs = read(matches);
    let format = report::find(&args.format)?;
    let articles = articles(&args.file)?;
    let ids = ids(&args.ids, &articles)?;
    let charts_only = args.out.is_none() && !ids.is_empty();
    let out = match charts_only {
        true => Some(Path::new(CHARTS)),
        false => args.out.as_deref(),
    };
    if let Some(dir) = out {
        publish::ensure_writable(dir)?;
    }
    catch_interrupts();
    let watch = Watch::new(ui.can_show_progress() && !args.quiet);
    let options = Options { threads: args.threads.map(usize::from), ..Options::default() };
    let ledger = claims::measure(&articles, &ids, options, &watch);
    watch.end();
    let ledger = ledger?;
    let files = if charts_only { report::charts(&ledger) } else { report::files(&ledger) };
    if let Some(dir) = out
        && !files.is_empty()
    {
        publish::publish(dir, &files)?;
    }
    if args.quiet {
        return Ok(Exit::Done);
    }
    match format.name {
        "table" if !ids.is_empty() => show(&ledger, out, ui)?,
        _ => ui.report(&(format.write)(&ledger))?,
    }
    Ok(Exit::Done)
}

/// The whole reasoning of each claim, and where its charts are.
fn show(ledger: &LedgerRecord, out: Option<&Path>, ui: &mut Ui) -> Result<(), Failure> {
    for (i, entry) in ledger.claims.iter().enumerate() {
        if i > 0 {
            ui.report(b"\n")?;
        }
        ui.report(report::reasoning(entry).as_bytes())?;
        for (stem, _) in report::draw(entry) {
            let path = out.unwrap_or(Path::new(".")).join(format!("{stem}.svg"));
            ui.report(format!("chart: {}\n", path.display()).as_bytes())?;
        }
    }
    Ok(())
}

/// The shipped ledger, or the files that are given.
fn articles(files: &[PathBuf]) -> Result<Vec<Article>, Failure> {
    let (mut articles, mut errors) = (Vec::new(), Vec::new());
    let mut add = |parsed: Result<Article, Vec<Error>>| match parsed {
        Ok(article) => articles.push(article),
        Err(more) => errors.extend(more),
    };
    if files.is_empty() {
        for (label, text) in SHIPPED {
            add(claims::parse(text, label, Path::new(label).parent().unwrap_or(Path::new("."))));
        }
    }
    for path in files {
        let label = path.display().to_string();
        let base = path.parent().filter(|p| !p.as_os_str().is_empty()).unwrap_or(Path::new("."));
        add(text_file::read(path, &label, MAX_FILE_BYTES)
            .map_err(|error| vec![error])
            .and_then(|text| claims::parse(&text, &label, base)));
    }
    if errors.is_empty() { Ok(articles) } else { Err(errors.into()) }
}

/// The ids as the ledger writes them; every unknown one is reported.
fn ids(given: &[String], articles: &[Article]) -> Result<Vec<String>, Failure> {
    let known: Vec<&str> =
        articles.iter().flat_map(|a| &a.claims).map(|claim| claim.id.as_str()).collect();
    let (mut ids, mut errors) = (Vec::new(), Vec::new());
    for id in given {
        match known.iter().find(|known| known.eq_ignore_ascii_case(id.trim())) {
            Some(id) => ids.push(id.to_string()),
            None => errors.push(Error::unknown("claim", &id.to_uppercase(), known.iter().copied())),
        }
    }
    if errors.is_empty() { Ok(ids) } else { Err(errors.into()) }
}
