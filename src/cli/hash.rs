//! `shardlab hash`: digests of keys.

use std::io::Write;

use clap::{ArgMatches, Args, ValueEnum};

use super::args::hash_seed;
use super::input::{KeysType, batches};
use super::ui::Ui;
use super::{CommandInfo, Exit, Failure, read};
use crate::error::Error;
use crate::hash::{self, HasherInfo, Input, Seed};
use crate::keys::format::{push_i64, push_u64};
use crate::keys::view::View;
use crate::keys::{ColumnSpec, Digester, KeyBatch};

/// The subcommand.
pub static INFO: CommandInfo = CommandInfo {
    name: "hash",
    summary: "Digests of keys, in decimal and hexadecimal",
    examples: "Examples:\n  shardlab hash --hasher murmur3-32 user:42\n  \
               seq 5 | shardlab hash --hasher md5 --format csv",
    augment: HashArgs::augment_args,
    run,
};

#[derive(Debug, Args)]
struct HashArgs {
    /// Hash function; `shardlab list hashers` shows them
    #[arg(long, value_name = "H")]
    hasher: String,
    /// Seed, where the hash function takes one
    #[arg(long, value_name = "S", value_parser = hash_seed)]
    seed: Option<u64>,
    /// What the hash function sees of a key; `shardlab list views` shows them
    #[arg(long, value_name = "V", default_value = "whole")]
    view: String,
    /// How keys are read; by default text, or int for hashers of integers
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

/// The two forms of output a line a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub enum LineFormat {
    /// For reading
    Text,
    /// For other programs, with a header
    Csv,
}

fn run(matches: &ArgMatches, ui: &mut Ui) -> Result<Exit, Failure> {
    let args: HashArgs = read(matches);
    let hasher = hash::find(&args.hasher)?;
    let seed = checked_seed(hasher, args.seed)?;
    let usual = if hasher.input == Input::Integer { KeysType::Int } else { KeysType::Text };
    let kind = args.keys_type.unwrap_or(usual).kind();
    let high = ColumnSpec { view: View::parse(&args.view)?, seed, ..ColumnSpec::whole(hasher) };
    high.fits(kind)?;
    let low = (hasher.bits == 128).then(|| high.low());
    let specs: Vec<ColumnSpec> = std::iter::once(high).chain(low).collect();
    let mut digester = Digester::new(&specs);
    let (csv, mut line) = (args.format == LineFormat::Csv, Vec::new());
    if csv {
        ui.out().write_all(b"key,digest\n")?;
    }
    batches(&args.keys, kind, |batch| {
        digester.compute(batch);
        line.clear();
        for row in 0..batch.len() {
            push_line(&mut line, batch, row, &specs, csv);
        }
        Ok::<(), Failure>(ui.out().write_all(&line)?)
    })?;
    Ok(Exit::Done)
}

/// The seed that was given, if the hasher takes it.
fn checked_seed(hasher: &HasherInfo, seed: Option<u64>) -> Result<u64, Error> {
    let seed = seed.unwrap_or(0);
    let most = match hasher.seed {
        Seed::Fixed => 0,
        Seed::Bits32 => u64::from(u32::MAX),
        Seed::Bits64 => u64::MAX,
    };
    if seed <= most {
        return Ok(seed);
    }
    let allowed = if most == 0 {
        "it takes no seed; leave out --seed".to_string()
    } else {
        format!("allowed: 0 to {most}")
    };
    Err(Error::invalid(format!("hasher `{}` has no seed {seed}", hasher.name)).help(allowed))
}

/// As CSV the digest is one number: in decimal, and in 32 hexadecimal digits where it has 128 bits.
fn push_line(out: &mut Vec<u8>, batch: &KeyBatch, row: usize, specs: &[ColumnSpec], csv: bool) {
    let hasher = specs[0].hasher;
    let first = batch.digests(&specs[0])[row];
    let wide = specs.get(1).map(|low| {
        let low = batch.digests(low)[row];
        u128::from(first) << 64 | u128::from(low)
    });
    if csv {
        push_field(out, batch.text.get(row));
        out.push(b',');
        match wide {
            Some(digest) => out.extend_from_slice(format!("{digest:032x}").as_bytes()),
            None => push_digest(out, hasher, first),
        }
        out.push(b'\n');
        return;
    }
    push_shown(out, batch.text.get(row));
    out.extend_from_slice(b"  ");
    if let Some(digest) = wide {
        let _ = writeln!(out, "{digest}  {digest:032x}");
        return;
    }
    push_digest(out, hasher, first);
    let _ = writeln!(out, "  {first:0width$x}", width = hasher.bits as usize / 4);
}

/// Appends a digest of at most 64 bits in decimal, as the system reads it: the top bit of a signed
/// one's width is the sign.
pub fn push_digest(out: &mut Vec<u8>, hasher: &HasherInfo, digest: u64) {
    if hasher.signed {
        let unused = 64 - hasher.bits.min(64);
        push_i64((digest << unused) as i64 >> unused, out);
    } else {
        push_u64(digest, out);
    }
}

/// Appends a key as the text form shows it: the empty one as a pair of quotes.
pub fn push_shown(out: &mut Vec<u8>, key: &[u8]) {
    out.extend_from_slice(if key.is_empty() { b"\"\"" } else { key });
}

/// Appends a CSV field, quoted where it must be.
pub fn push_field(out: &mut Vec<u8>, field: &[u8]) {
    if field.iter().any(|b| matches!(b, b',' | b'"' | b'\n' | b'\r')) {
        out.push(b'"');
        for &b in field {
            if b == b'"' {
                out.push(b'"');
            }
            out.push(b);
        }
        out.push(b'"');
    } else {
        out.extend_from_slice(field);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_quoted_only_where_they_must_be() {
        let quoted = |text: &str| {
            let mut out = Vec::new();
            push_field(&mut out, text.as_bytes());
            String::from_utf8(out).unwrap()
        };
        assert_eq!(quoted("user:42"), "user:42");
        assert_eq!(quoted("a,\"b\""), "\"a,\"\"b\"\"\"");
    }

    #[test]
    fn a_seed_must_be_one_that_the_hasher_takes() {
        let md5 = hash::find("md5").unwrap();
        assert!(checked_seed(md5, Some(1)).unwrap_err().help[0].contains("no seed"));
        let murmur = hash::find("murmur3-32").unwrap();
        assert_eq!(checked_seed(murmur, Some(7)).unwrap(), 7);
        assert!(checked_seed(murmur, Some(1 << 32)).is_err());
    }
}
