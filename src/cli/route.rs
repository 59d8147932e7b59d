//! `shardlab route`: where each key lives, why, and whether it moves.

use std::io::Write;

use clap::{ArgMatches, Args};

use super::choice::ChoiceArgs;
use super::hash::{LineFormat, push_digest, push_field, push_shown};
use super::input::{KeysType, batches};
use super::placements::{Placed, Router};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::keys::{ColumnSpec, Digester, KeyKind};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "route",
    summary: "Where each key lives, why, and whether it moves",
    examples: "Examples:\n  shardlab route --strategy ring --nodes 16 user:42\n  \
               shardlab route --strategy ring --servers 'a,b,c weight=2' --param vnodes=40 user:42\n  \
               shardlab route --scenario my.toml --cell ring/md5/vnodes=160 --step 1 user:42\n  \
               shardlab route --preset nginx-consistent --servers servers.txt --format csv < keys.txt\n  \
               shardlab route --preset kafka --param partitions=12 user:42",
    augment: RouteArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct RouteArgs {
    #[command(flatten)]
    router: ChoiceArgs,
    /// How keys are read; by default as the scenario's keys are, else text
    #[arg(long = "keys", value_name = "TYPE")]
    keys_type: Option<KeysType>,
    /// Form of the output
    #[arg(long, value_name = "F", default_value = "text")]
    format: LineFormat,
    /// Keys; without any, one a line on stdin, where an empty line is the empty key and a byte order mark before the
    /// first is left out (give a key that begins with one here)
    #[arg(value_name = "KEY")]
    keys: Vec<String>,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: RouteArgs = read(matches);
    let choice = args.router.choose()?;
    let kind = match args.keys_type {
        Some(keys_type) => keys_type.kind(),
        None => choice.usual_kind()?,
    };
    let (now, before) = choice.placed(kind)?;
    route(&now, before.as_ref(), choice.replicas(), kind, &args, ui)?;
    Ok(Exit::Done)
}

fn route(
    now: &Placed<'_>,
    before: Option<&Placed<'_>>,
    replicas: usize,
    kind: KeyKind,
    args: &RouteArgs,
    ui: &mut Ui,
) -> Result<(), Failure> {
    let placements = std::iter::once(now).chain(before).map(|p| p.placement.columns());
    let columns: Vec<ColumnSpec> = placements.flatten().cloned().collect();
    let mut digester = Digester::new(&columns);
    let mut router = Router::new(now, replicas);
    let mut earlier = before.map(|placed| Router::new(placed, replicas));
    if router.has_session() {
        ui.note(
            "note: each key is a request that stays open; where it goes depends on those before",
        );
    }
    let (csv, mut text) = (args.format == LineFormat::Csv, Vec::new());
    if csv {
        let header =
            if before.is_some() { "key,digest,node,before,moves" } else { "key,digest,node" };
        writeln!(ui.out(), "{header}")?;
    }
    let digest = now.placement.columns().first();
    batches(&args.keys, kind, |batch| {
        digester.compute(batch);
        router.route(batch);
        if let Some(earlier) = &mut earlier {
            earlier.route(batch);
        }
        text.clear();
        let digests = digest.map(|column| batch.digests(column));
        for row in 0..batch.len() {
            if csv {
                push_field(&mut text, batch.text.get(row));
                text.push(b',');
                if let (Some(column), Some(digests)) = (digest, digests) {
                    push_digest(&mut text, column.hasher, digests[row]);
                }
                text.push(b',');
                push_nodes(&mut text, row, &router, earlier.as_ref(), csv);
            } else {
                push_shown(&mut text, batch.text.get(row));
                text.extend_from_slice(" → ".as_bytes());
                push_nodes(&mut text, row, &router, earlier.as_ref(), csv);
                explain(&mut text, now, &batch.key(row));
            }
        }
        Ok::<(), Failure>(ui.out().write_all(&text)?)
    })
}

/// Where key `row` lives, where it lived, and whether that is the same.
fn push_nodes(
    out: &mut Vec<u8>,
    row: usize,
    router: &Router<'_>,
    earlier: Option<&Router<'_>>,
    csv: bool,
) {
    let mut names = Vec::new();
    router.push_names(row, &mut names);
    let field = |out: &mut Vec<u8>, names: &[u8]| {
        if csv { push_field(out, names) } else { out.extend_from_slice(names) }
    };
    field(out, &names);
    if let Some(earlier) = earlier {
        let mut old = Vec::new();
        earlier.push_names(row, &mut old);
        let moves = old != names;
        if csv {
            out.push(b',');
            field(out, &old);
            out.extend_from_slice(if moves { b",yes" } else { b",no" });
        } else if moves {
            out.extend_from_slice(b" (moves from ");
            field(out, &old);
            out.push(b')');
        } else {
            out.extend_from_slice(b" (stays)");
        }
    }
    out.push(b'\n');
}

fn explain(out: &mut Vec<u8>, placed: &Placed<'_>, key: &crate::keys::Key<'_>) {
    let explanation = placed.placement.explain(key);
    let width = explanation.steps.iter().map(|s| s.what.chars().count()).max().unwrap_or(0);
    for step in &explanation.steps {
        let line = format!("    {:width$}  {}", step.what, step.value);
        let _ = writeln!(out, "{}", line.trim_end());
    }
}
