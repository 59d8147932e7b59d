//! Loads from text: numbers in a row, or a table `node,count[,weight]`.

use std::collections::BTreeMap;
use std::sync::Arc;

use super::Observation;
use crate::error::{Error, Place};

/// Reads a table: `node,count[,weight]`, or `count` alone, parted by comma, semicolon, tab or spaces. A
/// first line without numbers is a header, from whose words the columns are taken. Empty lines and lines
/// that begin with # are skipped.
///
/// Errors: with file, line and column.
pub fn parse(text: &str, file: &str, keys: Option<u64>) -> Result<Observation, Error> {
    let lines = || {
        let mut at = 0;
        text.split_inclusive('\n').filter_map(move |line| {
            let start = at;
            at += line.len();
            let trimmed = line.trim();
            let skip = trimmed.is_empty() || trimmed.starts_with('#');
            (!skip).then(|| (start + (line.len() - line.trim_start().len()), trimmed))
        })
    };
    let at = |start: usize, part: &str| Place {
        file: file.into(),
        text: Arc::from(text),
        span: start..start + part.len(),
    };
    let Some((_, first)) = lines().next() else {
        return Err(Error::data(format!("`{file}` holds no loads"))
            .help("give one node a line: node,count or node,count,weight"));
    };
    let columns = Columns::of(first);
    let most = split(first).len();
    let mut amounts = columns.amounts;
    let mut lines_of: BTreeMap<String, usize> = BTreeMap::new();
    let (mut names, mut loads, mut weights) = (Vec::new(), Vec::new(), Vec::new());
    for (start, line) in lines().skip(usize::from(columns.header)) {
        let fields = split(line);
        if fields.len() > most {
            return Err(Error::data(format!(
                "{} fields in this line, {most} in the first",
                fields.len()
            ))
            .help("put numbers with commas between thousands in quotes, or write them without")
            .at(at(start, line)));
        }
        let field = |column: usize, what: &str| {
            fields.get(column).copied().ok_or_else(|| {
                Error::data(format!("no {what} in this line: {} field(s)", fields.len()))
                    .help("give one node a line: node,count or node,count,weight")
                    .at(at(start, line))
            })
        };
        let number = |column: usize, what: &str| {
            let (offset, text) = field(column, what)?;
            parse_number(text).ok_or_else(|| {
                Error::data(format!("{what} `{text}` is not a number"))
                    .help(
                        "allowed: digits, a decimal point, `_` or `,` between thousands in quotes",
                    )
                    .at(at(start + offset, text))
            })
        };
        loads.push(number(columns.load, "count")?);
        amounts |= fields[columns.load].1.ends_with('%');
        weights.push(match columns.weight {
            Some(column) if column < fields.len() => number(column, "weight")?,
            _ => 1.0,
        });
        names.push(match columns.name {
            Some(column) => {
                let (offset, name) = field(column, "node")?;
                let place = at(start + offset, name);
                let here = place.line_column().0;
                if let Some(before) = lines_of.insert(name.to_string(), here) {
                    return Err(Error::data(format!("`{name}` is listed twice"))
                        .help(format!("first in line {before}; give one line a node"))
                        .at(place));
                }
                name.to_string()
            }
            None => format!("node {}", names.len()),
        });
    }
    if loads.is_empty() {
        return Err(Error::data(format!("`{file}` holds no numbers"))
            .help("give one node a line: node,count or node,count,weight")
            .at(at(lines().next().map_or(0, |(start, _)| start), first)));
    }
    let seen = Observation::new(names, loads, weights, keys)?;
    let keys = if amounts { keys } else { seen.keys };
    Ok(Observation { named: columns.name.is_some(), keys, ..seen })
}

/// Loads in a row, as arguments give them: one an argument, where commas stand between thousands, or
/// several in one. Per cents are amounts.
pub fn from_numbers(
    texts: &[String],
    weights: Option<&[f64]>,
    keys: Option<u64>,
) -> Result<Observation, Error> {
    let mut loads = Vec::new();
    let words: Vec<&str> = texts.iter().flat_map(|text| text.split_whitespace()).collect();
    let separate = words.len() > 1 && words.iter().all(|w| !w.contains(',') || has_thousands(w));
    let texts = if separate { words } else { texts.iter().map(String::as_str).collect() };
    let parts = |text| if separate { vec![(0, text)] } else { split(text) };
    let amounts = texts.iter().any(|text| text.contains('%'));
    for text in texts {
        for part in parts(text) {
            let load = parse_number(part.1).ok_or_else(|| {
                Error::invalid(format!("count `{}` is not a number", part.1))
                    .help("give what each node holds, e.g. 414182 388317 362089, or --file")
            })?;
            loads.push(load);
        }
    }
    let weights = match weights {
        Some(weights) if weights.len() != loads.len() => {
            return Err(Error::invalid(format!(
                "{} weights for {} nodes",
                weights.len(),
                loads.len()
            ))
            .help("give one weight a node: --weights 1,1,2"));
        }
        Some(weights) => weights.to_vec(),
        None => vec![1.0; loads.len()],
    };
    let names = (0..loads.len()).map(|i| format!("node {i}")).collect();
    let seen = Observation::new(names, loads, weights, keys)?;
    Ok(if amounts { Observation { keys, ..seen } } else { seen })
}

/// Words in heads of columns that hold amounts, whose numbers say nothing of how many keys are behind them.
const AMOUNTS: &[&str] = &[
    "size",
    "sizes",
    "bytes",
    "kb",
    "mb",
    "gb",
    "tb",
    "kib",
    "mib",
    "gib",
    "disk",
    "memory",
    "percent",
    "percentage",
    "share",
    "cpu",
    "utilization",
    "utilisation",
];

/// Whether the head of a column has one of the words.
fn says_amounts(head: &str) -> bool {
    let head = head.to_ascii_lowercase();
    let words = head.split(|c: char| !c.is_alphanumeric());
    head.contains('%') || words.into_iter().any(|word| AMOUNTS.contains(&word))
}

/// Which column is which.
struct Columns {
    header: bool,
    name: Option<usize>,
    load: usize,
    weight: Option<usize>,
    /// Whether the header says that loads are no counts.
    amounts: bool,
}

impl Columns {
    fn of(first: &str) -> Self {
        let fields = split(first);
        let header = fields.iter().all(|(_, text)| parse_number(text).is_none());
        if !header {
            let named = fields.len() > 1;
            return Columns {
                header,
                name: named.then_some(0),
                load: usize::from(named),
                weight: (fields.len() > 2).then_some(2),
                amounts: false,
            };
        }
        let find = |words: &[&str]| {
            fields.iter().position(|(_, text)| {
                let text = text.to_ascii_lowercase();
                words.iter().any(|w| text.contains(w))
            })
        };
        let weight = find(&["weight"]);
        let name = find(&["node", "name", "shard", "host", "server", "partition", "broker"]);
        let counts = find(&["count", "keys", "load", "requests", "docs", "rows"]);
        let amounts = fields.iter().position(|(_, text)| says_amounts(text));
        let load = counts.or(amounts).filter(|&at| Some(at) != name);
        let free = (0..fields.len()).find(|&i| Some(i) != name && Some(i) != weight);
        let load = load.or(free).unwrap_or(0);
        let amounts = counts != Some(load) && says_amounts(fields[load].1);
        Columns { header, name, load, weight, amounts }
    }
}

/// The fields of a line with their places. The separator is the first of `, ; tab` that it has, else
/// spaces; a field in double quotes keeps its separators.
fn split(line: &str) -> Vec<(usize, &str)> {
    let separator = [',', ';', '\t'].into_iter().find(|&c| line.contains(c));
    let mut fields = Vec::new();
    let (mut start, mut quoted) = (0, false);
    let mut push = |start: usize, end: usize| {
        let raw = &line[start..end];
        let text = raw.trim().trim_matches('"').trim();
        if separator.is_some() || !text.is_empty() {
            let offset = raw.find(text).filter(|_| !text.is_empty()).unwrap_or(0);
            fields.push((start + offset, text));
        }
    };
    for (i, c) in line.char_indices() {
        if c == '"' {
            quoted = !quoted;
        }
        let ends = match separator {
            Some(separator) => c == separator,
            None => c.is_whitespace(),
        };
        if ends && !quoted {
            push(start, i);
            start = i + c.len_utf8();
        }
    }
    push(start, line.len());
    fields
}

/// Whether commas stand between thousands and nowhere else: `12,345` or `1,234,567.5`.
fn has_thousands(text: &str) -> bool {
    let whole = text.trim_end_matches('%').split('.').next().unwrap_or("");
    let mut groups = whole.split(',');
    let digits = |g: &str| !g.is_empty() && g.bytes().all(|b| b.is_ascii_digit());
    let first = groups.next().is_some_and(|g| digits(g) && g.len() <= 3);
    first && groups.all(|g| digits(g) && g.len() == 3)
}

/// A number with `_` or `,` between thousands and a `%` behind it, if there is one.
fn parse_number(text: &str) -> Option<f64> {
    let plain = text.trim().trim_end_matches('%').trim_end().replace(['_', ','], "");
    let digits = plain.bytes().any(|b| b.is_ascii_digit());
    plain.parse().ok().filter(|_| digits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tables_are_read_with_and_without_a_header() {
        for text in [
            "a,10\nb,20\n",
            "node,count\na,10\nb,20",
            "# from the dashboard\nshard;docs;weight\na;10;1\n\nb;20;1\n",
            "a 10\nb 20\n",
            "count,node\n10,a\n20,b\n",
        ] {
            let seen = parse(text, "f", None).unwrap();
            assert_eq!(
                (&seen.names[..], &seen.loads[..]),
                (&["a".into(), "b".into()][..], &[10.0, 20.0][..]),
                "{text}"
            );
            assert_eq!(seen.keys, Some(30));
        }
        for text in ["node,bytes\na,10\nb,20", "disk size\tnode\n10\ta\n20\tb", "a 10%\nb 20%"] {
            let seen = parse(text, "f", None).unwrap();
            assert_eq!((&seen.loads[..], seen.keys), (&[10.0, 20.0][..], None), "{text}");
            assert_eq!(parse(text, "f", Some(7)).unwrap().keys, Some(7));
        }
        let seen = parse("10\n20\n", "f", None).unwrap();
        assert_eq!(seen.names, ["node 0", "node 1"]);
        let seen = parse("a,10,1\nb,20,3\n", "f", None).unwrap();
        assert_eq!(seen.weights, [1.0, 3.0]);
        let seen = parse("a,\"1,000\"\nb,28.4 %\n", "f", None).unwrap();
        assert_eq!((&seen.loads[..], seen.keys), (&[1000.0, 28.4][..], None));
    }

    #[test]
    fn arguments_are_numbers_or_lists_of_them() {
        let loads = |texts: &[&str]| {
            let texts: Vec<String> = texts.iter().map(|t| t.to_string()).collect();
            let seen = from_numbers(&texts, None, None).unwrap();
            (seen.loads, seen.keys)
        };
        for texts in
            [&["1,000", "1,010", "990"] as &[&str], &["1,000 1,010 990"], &["1000,1010,990"]]
        {
            assert_eq!(loads(texts), (vec![1000.0, 1010.0, 990.0], Some(3000)), "{texts:?}");
        }
        assert_eq!(loads(&["1,2", "3,4"]).0, [1.0, 2.0, 3.0, 4.0]);
        assert_eq!(loads(&["27%", "25%", "24%", "24%"]), (vec![27.0, 25.0, 24.0, 24.0], None));
    }

    #[test]
    fn wrong_input_is_named_with_its_place() {
        for (text, want) in [
            ("", "`f` holds no loads"),
            ("node,count\n", "`f` holds no numbers"),
            ("hello\nworld\n", "count `world` is not a number"),
            ("a,1\nb,x\n", "count `x` is not a number"),
            ("a,1\nb\n", "no count in this line: 1 field(s)"),
            ("a,1\nb,-2\n", "load -2 of b is negative"),
            ("a,0\nb,0\n", "all loads are 0: there is nothing to explain"),
            ("a,5\n", "one node is given: there is no balance to explain"),
            ("a,1,0\nb,2,1\n", "a has weight 0 and load 1"),
            ("node,count\na,1,234\nb,2,345\n", "3 fields in this line, 2 in the first"),
            ("a,1\nb,2\na,3\n", "`a` is listed twice"),
            ("a,1e300\nb,2\n", "load 1e300"),
            ("x,1\na,nan\nb,1\n", "count `nan` is not a number"),
        ] {
            let error = parse(text, "f", None).unwrap_err();
            assert!(
                error.message.starts_with(want) || error.message.contains(want),
                "{text:?}: {error}"
            );
            assert!(!error.help.is_empty() || text.contains(",0\n"), "{text:?}: {error}");
        }
        let place = parse("a,1\nb,x\n", "f", None).unwrap_err().place.unwrap();
        assert_eq!(place.line_column(), (2, 3));
    }
}
