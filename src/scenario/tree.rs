//! TOML as a tree of own values in which every key and value knows its place in the file.

use std::sync::Arc;

use toml::Spanned;
use toml::de::{DeTable, DeValue};

use crate::error::{Error, Place};
use crate::params::Value;

/// A scenario file larger than this is refused before it is read.
pub const MAX_FILE_BYTES: u64 = 16 << 20;

/// More parts of one dotted key than this are refused: the tree would be as deep as the key is long.
const MAX_KEY_PARTS: usize = 200;

/// The text that places point into.
#[derive(Debug, Clone)]
pub struct Source {
    /// How messages name it: a path, or an option of the command line.
    pub file: Arc<str>,
    /// The whole text.
    pub text: Arc<str>,
}

impl Source {
    /// A place in the text; the span is moved inside it if need be.
    pub fn place(&self, span: std::ops::Range<usize>) -> Place {
        let mut start = span.start.min(self.text.len());
        while !self.text.is_char_boundary(start) {
            start -= 1;
        }
        let mut end = span.end.clamp(start, self.text.len());
        while !self.text.is_char_boundary(end) {
            end += 1;
        }
        Place { file: self.file.clone(), text: self.text.clone(), span: start..end }
    }
}

/// A value with its place.
#[derive(Debug, Clone)]
pub struct Item {
    /// The value.
    pub data: Data,
    /// Where it stands.
    pub place: Place,
    /// The text on the command line, when it comes from there: the type of the parameter decides
    /// whether `10m` is a count or a text.
    pub raw: Option<String>,
}

/// What an [`Item`] holds.
#[derive(Debug, Clone)]
pub enum Data {
    /// A scalar.
    Scalar(Value),
    /// An array.
    List(Vec<Item>),
    /// A table.
    Table(Table),
}

/// A table in file order.
#[derive(Debug, Clone)]
pub struct Table {
    /// Its keys and values, in the order of the file.
    pub entries: Vec<Entry>,
    /// Its header, or the braces of an inline table.
    pub place: Place,
}

/// A key and its value.
#[derive(Debug, Clone)]
pub struct Entry {
    /// The key.
    pub key: String,
    /// Where the key stands.
    pub key_place: Place,
    /// The value.
    pub item: Item,
}

impl Item {
    /// The plain value without places.
    pub fn value(&self) -> Value {
        match &self.data {
            Data::Scalar(value) => value.clone(),
            Data::List(items) => Value::List(items.iter().map(Item::value).collect()),
            Data::Table(table) => Value::Table(table.pairs()),
        }
    }

    /// What kind of value it is, in words.
    pub fn kind(&self) -> &'static str {
        match &self.data {
            Data::Scalar(Value::Bool(_)) => "a truth value",
            Data::Scalar(Value::Int(_) | Value::Float(_)) => "a number",
            Data::Scalar(_) => "a text",
            Data::List(_) => "a list",
            Data::Table(_) => "a table",
        }
    }

    /// The items of a list; any other value as a list of one.
    pub fn one_or_many(&self) -> &[Item] {
        match &self.data {
            Data::List(items) => items,
            _ => std::slice::from_ref(self),
        }
    }
}

impl Table {
    /// The value of a key.
    pub fn get(&self, key: &str) -> Option<&Item> {
        self.entry(key).map(|e| &e.item)
    }

    /// The entry of a key.
    pub fn entry(&self, key: &str) -> Option<&Entry> {
        self.entries.iter().find(|e| e.key == key)
    }

    /// The plain keys and values.
    pub fn pairs(&self) -> Vec<(String, Value)> {
        self.entries.iter().map(|e| (e.key.clone(), e.item.value())).collect()
    }

    /// Where a field stands, or else the table.
    pub fn place_of(&self, key: &str) -> Place {
        self.entry(key).map_or(&self.place, |e| &e.item.place).clone()
    }

    /// Gives an error that names a field the place of that field; any other the place of the table.
    pub fn locate(&self, error: Error) -> Error {
        let place = error.field.map_or_else(|| self.place.clone(), |field| self.place_of(field));
        error.at(place)
    }

    /// Puts a value in place of the one under that key, or at the end; `key_place` is where the new key
    /// stands.
    pub fn put(&mut self, key: &str, key_place: Place, item: Item) {
        match self.entries.iter_mut().find(|e| e.key == key) {
            Some(entry) => entry.item = item,
            None => {
                self.entries.push(Entry { key: key.to_string(), key_place, item });
            }
        }
    }
}

/// Reads a TOML text; every syntax error is reported, and the tree holds what could be read.
pub fn read(source: &Source, errors: &mut Vec<Error>) -> Table {
    let root = source.place(0..0);
    if let Some(at) = overlong_key(&source.text) {
        let error = Error::invalid(format!("a key has more than {MAX_KEY_PARTS} parts"));
        errors.push(error.at(source.place(at..at + 1)));
        return Table { entries: Vec::new(), place: root };
    }
    let (table, faults) = DeTable::parse_recoverable(&source.text);
    let end = source.text.len();
    let mut faults: Vec<_> =
        faults.iter().map(|f| (f.span().unwrap_or(end..end), f.message())).collect();
    faults.sort_by_key(|(span, _)| span.start);
    report(&faults, source, errors);
    let entries = entries(table.get_ref(), source, errors);
    Table { entries, place: root }
}

/// Reports syntax errors, one a line. After one in an array it stops: what follows a bracket that is
/// never closed makes no sense.
fn report(faults: &[(std::ops::Range<usize>, &str)], source: &Source, errors: &mut Vec<Error>) {
    let mut last_line = 0;
    for (span, message) in faults {
        let place = source.place(span.clone());
        let (line, _) = place.line_column();
        if line == last_line {
            continue;
        }
        last_line = line;
        let error = Error::invalid(*message).at(place);
        if message.contains("array") {
            errors.push(error.help("is a `]` or a comma missing before this?"));
            return;
        }
        errors.push(error);
    }
}

/// Reads one value as TOML writes it.
pub fn read_value(text: &str, source: &Source, errors: &mut Vec<Error>) -> Option<Item> {
    if overlong_key(text).is_some() {
        return None;
    }
    let value = DeValue::parse(text).ok()?;
    convert(&value, source, errors)
}

fn entries(table: &DeTable<'_>, source: &Source, errors: &mut Vec<Error>) -> Vec<Entry> {
    let mut keys: Vec<_> = table.iter().collect();
    keys.sort_by_key(|(key, _)| key.span().start);
    keys.into_iter()
        .filter_map(|(key, value)| {
            let item = convert(value, source, errors)?;
            let key_place = source.place(key.span());
            Some(Entry { key: key.get_ref().to_string(), key_place, item })
        })
        .collect()
}

fn convert(value: &Spanned<DeValue<'_>>, source: &Source, errors: &mut Vec<Error>) -> Option<Item> {
    let place = source.place(value.span());
    let mut refuse = |message: String, help: &str| {
        errors.push(Error::invalid(message).help(help).at(place.clone()));
        None
    };
    let data = match value.get_ref() {
        DeValue::Boolean(b) => Data::Scalar(Value::Bool(*b)),
        DeValue::String(text) => Data::Scalar(Value::Text(text.to_string())),
        DeValue::Integer(digits) => match i64::from_str_radix(digits.as_str(), digits.radix()) {
            Ok(i) => Data::Scalar(Value::Int(i)),
            Err(_) => {
                return refuse(
                    format!("`{digits}` is too large for a whole number"),
                    "the largest is 9223372036854775807",
                );
            }
        },
        DeValue::Float(text) => match text.as_str().parse() {
            Ok(x) => Data::Scalar(Value::Float(x)),
            Err(_) => return refuse(format!("`{text}` is not a number"), "write e.g. 1.5"),
        },
        DeValue::Datetime(date) => {
            return refuse(
                format!("`{date}` is a date"),
                "a text needs quotes; dates and times are no numbers",
            );
        }
        DeValue::Array(items) => {
            Data::List(items.iter().filter_map(|item| convert(item, source, errors)).collect())
        }
        DeValue::Table(table) => {
            let entries = entries(table, source, errors);
            Data::Table(Table { entries, place: place.clone() })
        }
    };
    Some(Item { data, place, raw: None })
}

/// Where a run of dotted names longer than [`MAX_KEY_PARTS`] lies, if there is one.
fn overlong_key(text: &str) -> Option<usize> {
    let mut parts = 0;
    let mut after_name = false;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'.' if after_name => {
                parts += 1;
                after_name = false;
                if parts >= MAX_KEY_PARTS {
                    return Some(at);
                }
            }
            b' ' | b'\t' => {}
            b'_' | b'-' | b'"' | b'\'' => after_name = true,
            _ if byte.is_ascii_alphanumeric() => after_name = true,
            _ => {
                parts = 0;
                after_name = false;
            }
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tree(text: &str) -> (Table, Vec<Error>) {
        let source = Source { file: "s.toml".into(), text: text.into() };
        let mut errors = Vec::new();
        (read(&source, &mut errors), errors)
    }

    #[test]
    fn keys_stand_in_file_order_with_their_places() {
        let text = "b = 1\na = [1e7, 2]\n[z]\nk = 'x'\n[[y]]\nq.r = true\n";
        let (table, errors) = tree(text);
        assert!(errors.is_empty());
        let keys: Vec<_> = table.entries.iter().map(|e| e.key.as_str()).collect();
        assert_eq!(keys, ["b", "a", "z", "y"]);
        let a = table.get("a").unwrap();
        assert_eq!(&text[a.place.span.clone()], "[1e7, 2]");
        assert_eq!(&text[table.get("z").unwrap().place.span.clone()], "[z]");
        let y = &table.get("y").unwrap().one_or_many()[0];
        assert_eq!(&text[y.place.span.clone()], "[[y]]");
        assert_eq!(
            y.value(),
            Value::Table(vec![("q".into(), Value::Table(vec![("r".into(), Value::Bool(true))]))])
        );
    }

    #[test]
    fn several_syntax_errors_are_reported_at_once() {
        let (_, errors) = tree("a = \nb = [1,\nc = 1979-05-27\nd = 99999999999999999999\n");
        assert!(errors.len() >= 2, "{errors:?}");
    }

    #[test]
    fn nesting_is_bounded() {
        for text in [
            format!("a = {}", "[".repeat(100_000)),
            format!("a = {}", "{b = ".repeat(100_000)),
            format!("{} = 1", vec!["a"; 100_000].join(".")),
            format!("[{}]", vec!["'a'"; 100_000].join(" . ")),
        ] {
            assert!(!tree(&text).1.is_empty());
        }
    }
}
