//! `record.json`: the record itself.

use serde_json::Value as Json;

use super::{ReportInfo, Written};
use crate::record::Record;

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "json",
    extension: "json",
    summary: "the whole record; schema `shardlab.record/1`",
    file: "record.json",
    written: Written::Always,
    write,
};

/// Longest line, indentation included, on which a list or an object stands whole.
const WIDTH: usize = 160;

fn write(record: &Record) -> Vec<u8> {
    let json = serde_json::to_value(record).expect("a record has only JSON values");
    let mut out = String::new();
    put(&json, 0, &mut out);
    out.push('\n');
    out.into_bytes()
}

/// What fits on a line stands on one, and lists of numbers and of short objects fill theirs: a line for a
/// node or for a few pairs of nodes, half the bytes, and a change of one number shows as one line.
fn put(json: &Json, depth: usize, out: &mut String) {
    let line = whole(json);
    // Two columns for brackets and a comma are close enough.
    if depth + line.len() + 2 <= WIDTH {
        return out.push_str(&line);
    }
    match json {
        Json::Array(items) if items.iter().all(|item| is_short(item, depth + 1)) => {
            out.push('[');
            fill(items, depth + 1, out);
        }
        Json::Array(items) => {
            out.push('[');
            for (i, item) in items.iter().enumerate() {
                next_line(i, depth + 1, out);
                put(item, depth + 1, out);
            }
        }
        Json::Object(map) => {
            out.push('{');
            for (i, (key, value)) in map.iter().enumerate() {
                next_line(i, depth + 1, out);
                out.push_str(&format!("{}: ", Json::from(key.as_str())));
                put(value, depth + 1, out);
            }
        }
        _ => return out.push_str(&line),
    }
    out.push('\n');
    out.push_str(&" ".repeat(depth));
    out.push(if json.is_array() { ']' } else { '}' });
}

fn next_line(item: usize, depth: usize, out: &mut String) {
    out.push_str(if item == 0 { "\n" } else { ",\n" });
    out.push_str(&" ".repeat(depth));
}

/// Whether two such items and more have room on a line: numbers, texts, and objects of a few of them.
fn is_short(item: &Json, depth: usize) -> bool {
    match item {
        Json::Array(_) => false,
        Json::Object(map) => {
            map.values().all(|value| !value.is_array() && !value.is_object())
                && depth + 2 * (whole(item).len() + 2) <= WIDTH
        }
        _ => true,
    }
}

/// Items in as many lines as they need.
fn fill(items: &[Json], depth: usize, out: &mut String) {
    let mut column = WIDTH;
    for (i, item) in items.iter().enumerate() {
        let item = whole(item);
        if column + item.len() + 2 > WIDTH {
            next_line(i, depth, out);
            column = depth;
        } else {
            out.push_str(", ");
            column += 2;
        }
        out.push_str(&item);
        column += item.len();
    }
}

/// The value on one line.
fn whole(json: &Json) -> String {
    match json {
        Json::Array(items) => {
            format!("[{}]", items.iter().map(whole).collect::<Vec<_>>().join(", "))
        }
        Json::Object(map) if map.is_empty() => "{}".into(),
        Json::Object(map) => {
            let pair = |(key, value): (&String, &Json)| {
                format!("{}: {}", Json::from(key.as_str()), whole(value))
            };
            format!("{{ {} }}", map.iter().map(pair).collect::<Vec<_>>().join(", "))
        }
        scalar => scalar.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_survives_the_round_trip() {
        let record = super::super::sample::record();
        let bytes = write(&record);
        assert_eq!(bytes.last(), Some(&b'\n'));
        assert_eq!(serde_json::from_slice::<Record>(&bytes).unwrap(), record);
    }

    #[test]
    fn what_fits_stands_on_one_line() {
        let json = serde_json::json!({
            "nodes": [{ "node": "a\"b", "keys": 0.1 }, {}, []],
            "long": ["x".repeat(80), "y".repeat(80)],
        });
        let mut text = String::new();
        put(&json, 0, &mut text);
        let (x, y) = ("x".repeat(80), "y".repeat(80));
        let want = [
            "{",
            r#" "nodes": [{ "node": "a\"b", "keys": 0.1 }, {}, []],"#,
            " \"long\": [",
            &format!("  \"{x}\","),
            &format!("  \"{y}\""),
            " ]",
            "}",
        ];
        assert_eq!(text, want.join("\n"));
    }

    #[test]
    fn numbers_fill_their_lines() {
        let numbers: Vec<u64> = (1000..1100).collect();
        let mut text = String::new();
        put(&Json::from(numbers.clone()), 3, &mut text);
        assert_eq!(serde_json::from_str::<Vec<u64>>(&text).unwrap(), numbers);
        // 26 numbers of four digits a line, 6 columns each.
        assert_eq!(text.lines().count(), 1 + 4 + 1);
        assert!(text.lines().all(|line| line.len() <= WIDTH + 1));
    }

    #[test]
    fn short_objects_share_lines() {
        let pair = |to: u64| serde_json::json!({ "from": "db0", "to": "db1", "keys": to });
        let pairs: Json = (1000..1010).map(pair).collect::<Vec<_>>().into();
        let mut text = String::new();
        put(&pairs, 6, &mut text);
        assert_eq!(serde_json::from_str::<Json>(&text).unwrap(), pairs);
        // Of 43 columns and a comma each, three a line.
        assert_eq!(text.lines().count(), 1 + 4 + 1);
        assert!(text.lines().all(|line| line.len() <= WIDTH + 1));
    }
}
