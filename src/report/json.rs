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
const WIDTH: usize = 120;

fn write(record: &Record) -> Vec<u8> {
    let json = serde_json::to_value(record).expect("a record has only JSON values");
    let mut out = String::new();
    put(&json, 0, &mut out);
    out.push('\n');
    out.into_bytes()
}

/// Lists and objects without inner ones stand on one line if they fit: a line for a node or a pair
/// of nodes, a third of the bytes, and a change of one number shows as one line.
fn put(json: &Json, depth: usize, out: &mut String) {
    let items: Vec<(String, &Json)> = match json {
        Json::Array(items) => items.iter().map(|item| (String::new(), item)).collect(),
        Json::Object(map) => map
            .iter()
            .map(|(key, value)| (format!("{}: ", Json::from(key.as_str())), value))
            .collect(),
        scalar => return out.push_str(&scalar.to_string()),
    };
    let (open, close) = if json.is_array() { ("[", "]") } else { ("{ ", " }") };
    let flat = !items.iter().any(|(_, item)| item.is_array() || item.is_object());
    let line =
        items.iter().map(|(key, item)| format!("{key}{item}")).collect::<Vec<_>>().join(", ");
    // Two columns for brackets and a comma are close enough.
    if items.is_empty() || (flat && depth * 2 + line.len() + 2 <= WIDTH) {
        let brackets = if items.is_empty() { (open.trim(), close.trim()) } else { (open, close) };
        out.push_str(brackets.0);
        out.push_str(&line);
        return out.push_str(brackets.1);
    }
    out.push_str(open.trim());
    for (i, (key, item)) in items.iter().enumerate() {
        out.push_str(if i == 0 { "\n" } else { ",\n" });
        out.push_str(&"  ".repeat(depth + 1));
        out.push_str(key);
        put(item, depth + 1, out);
    }
    out.push('\n');
    out.push_str(&"  ".repeat(depth));
    out.push_str(close.trim());
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
    fn short_items_stand_on_one_line() {
        let json = serde_json::json!({
            "nodes": [{ "node": "a\"b", "keys": 0.1 }, {}, []],
            "long": ["x".repeat(80), "y".repeat(80)],
        });
        let mut text = String::new();
        put(&json, 0, &mut text);
        let (x, y) = ("x".repeat(80), "y".repeat(80));
        let nodes = r#"    { "node": "a\"b", "keys": 0.1 },"#;
        let want = [
            "{",
            "  \"nodes\": [",
            nodes,
            "    {},",
            "    []",
            "  ],",
            "  \"long\": [",
            &format!("    \"{x}\","),
            &format!("    \"{y}\""),
            "  ]",
            "}",
        ];
        assert_eq!(text, want.join("\n"));
    }
}
