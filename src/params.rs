//! Parameters of open sets: declared once, from which the scenario reader, `list`, the JSON Schema
//! and the README tables all come.

use std::collections::BTreeMap;
use std::fmt;

use crate::cluster::{MAX_WEIGHT, MIN_WEIGHT, is_weight};
use crate::error::Error;
use crate::hash::{self, HasherInfo, Seed};
use crate::keys::ColumnSpec;
use crate::keys::view::View;
use crate::quantity;

/// A value as a scenario file can hold it.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `true` or `false`
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number.
    Float(f64),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Value>),
    /// An (inline) table, in file order.
    Table(Vec<(String, Value)>),
}

impl Value {
    /// The number, whole or not.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Value::Int(i) => Some(*i as f64),
            Value::Float(f) => Some(*f),
            _ => None,
        }
    }

    /// The value as JSON.
    pub fn to_json(&self) -> serde_json::Value {
        use serde_json::Value as Json;
        match self {
            Value::Bool(b) => Json::from(*b),
            Value::Int(i) => Json::from(*i),
            Value::Float(f) => Json::from(*f),
            Value::Text(t) => Json::from(t.as_str()),
            Value::List(items) => items.iter().map(Value::to_json).collect(),
            Value::Table(pairs) => {
                Json::Object(pairs.iter().map(|(k, v)| (k.clone(), v.to_json())).collect())
            }
        }
    }
}

/// The value as an id shows it: texts bare, lists joined by commas.
impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Value::Bool(b) => write!(f, "{b}"),
            Value::Int(i) => write!(f, "{i}"),
            Value::Float(x) => write!(f, "{x}"),
            Value::Text(t) => f.write_str(t),
            Value::List(items) => {
                for (i, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", if i > 0 { "," } else { "" })?;
                }
                Ok(())
            }
            Value::Table(pairs) => {
                for (i, (key, value)) in pairs.iter().enumerate() {
                    write!(f, "{}{key}={value}", if i > 0 { "," } else { "" })?;
                }
                Ok(())
            }
        }
    }
}

/// The type and range of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Type {
    /// `true` or `false`
    Bool,
    /// A whole number in an inclusive range.
    Int {
        /// Least.
        min: i64,
        /// Largest.
        max: i64,
    },
    /// A number in an inclusive range; never NaN or infinite.
    Float {
        /// Least.
        min: f64,
        /// Largest.
        max: f64,
    },
    /// Any text.
    Text,
    /// A text of one line with at least one character: names stand in tables, ids and lists.
    Name,
    /// A key: a text, or a whole number, which becomes its text.
    Key,
    /// A node's weight: 0, or a number within the bounds of [`crate::cluster::is_weight`].
    Weight,
    /// One of the names.
    Choice(&'static [&'static str]),
    /// The name of a hasher.
    Hasher,
    /// A view in its text form, e.g. `slice:0..4`.
    View,
    /// A label template with these placeholders allowed, without their braces.
    Label(&'static [&'static str]),
    /// A path to a file, relative to the scenario.
    File,
    /// A duration such as `40m`.
    Duration,
    /// A rate per second such as `3000 rows/s`, or a number; bytes a second where `bytes` is true.
    Rate {
        /// Whether it may count bytes.
        bytes: bool,
    },
    /// A list of scalars of this type; not a sweep.
    List(&'static Type),
}

/// What a parameter is when the scenario does not give it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Default {
    /// The scenario must give it.
    Required,
    /// It may be absent; what that means stands in its `doc`.
    Absent,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A text.
    Text(&'static str),
}

/// One declared parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Param {
    /// Kebab-case name in the scenario file.
    pub name: &'static str,
    /// Type and range.
    pub ty: Type,
    /// The value when not given.
    pub default: Default,
    /// What it is, with its unit; one sentence without a full stop.
    pub doc: &'static str,
}

impl Param {
    /// A parameter; `const` so that lists of them can be statics.
    pub const fn new(name: &'static str, ty: Type, default: Default, doc: &'static str) -> Self {
        Param { name, ty, default, doc }
    }
}

/// `hasher`: which hash function turns a key into a digest.
pub const HASHER: Param =
    Param::new("hasher", Type::Hasher, Default::Text("murmur3-32"), "hash function of the key");
/// `hash-seed`: seed of the hash function.
pub const HASH_SEED: Param = Param::new(
    "hash-seed",
    Type::Int { min: 0, max: i64::MAX },
    Default::Int(0),
    "seed of the hash function, where it takes one",
);
/// `view`: what the hasher sees of the key.
pub const VIEW: Param =
    Param::new("view", Type::View, Default::Text("whole"), "what the hasher sees of the key");

/// Checked values of declared parameters, defaults filled in.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Params(BTreeMap<&'static str, Value>);

impl Params {
    /// All defaults of `declared`; a required parameter is an error naming it.
    pub fn defaults(declared: &'static [Param]) -> Result<Self, Error> {
        Self::from_pairs(declared, Vec::new())
    }

    /// Checks `given` against `declared` and fills in the defaults.
    pub fn from_pairs(
        declared: &'static [Param],
        given: Vec<(String, Value)>,
    ) -> Result<Self, Error> {
        let mut map = BTreeMap::new();
        for (name, value) in given {
            let param = find(declared, &name)?;
            map.insert(param.name, param.check(value)?);
        }
        for param in declared {
            if map.contains_key(param.name) {
                continue;
            }
            let value = match param.default {
                Default::Required => {
                    return Err(Error::invalid(format!("`{}` is missing", param.name))
                        .help(format!(
                            "`{}`: {}; allowed: {}",
                            param.name,
                            param.doc,
                            param.ty.describe()
                        ))
                        .field(param.name));
                }
                Default::Absent => continue,
                Default::Bool(b) => Value::Bool(b),
                Default::Int(i) => Value::Int(i),
                Default::Float(f) => Value::Float(f),
                Default::Text(t) => Value::Text(t.to_string()),
            };
            map.insert(param.name, value);
        }
        let params = Params(map);
        params.check_seed()?;
        Ok(params)
    }

    /// A `hash-seed` that the hasher would ignore or cut is an error.
    pub fn check_seed(&self) -> Result<(), Error> {
        if self.get("hasher").is_none() || self.get("hash-seed").is_none() {
            return Ok(());
        }
        let (hasher, seed) = (self.hasher(), self.int("hash-seed") as u64);
        let allowed = match hasher.seed {
            Seed::Fixed if seed > 0 => "takes no seed; leave `hash-seed` out or give 0",
            Seed::Bits32 if seed > u64::from(u32::MAX) => {
                "takes a seed of 32 bits; allowed: a whole number from 0 to 4294967295"
            }
            _ => return Ok(()),
        };
        Err(Error::invalid(format!("`hash-seed` is {seed} for hasher {}", hasher.name))
            .help(format!("{} {allowed}", hasher.name))
            .field("hash-seed"))
    }

    /// The value, if the parameter is declared and given or has a default.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// Replaces one value by another of the same type, already checked.
    pub fn set(&mut self, name: &'static str, value: Value) {
        self.0.insert(name, value);
    }

    /// All values by name, in alphabetical order.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.0.iter().map(|(k, v)| (*k, v))
    }

    /// A whole number that is declared and has a value.
    pub fn int(&self, name: &str) -> i64 {
        match self.get(name) {
            Some(Value::Int(i)) => *i,
            other => panic!("parameter `{name}` is {other:?}, not a whole number"),
        }
    }

    /// A number that is declared and has a value.
    pub fn float(&self, name: &str) -> f64 {
        match self.get(name).and_then(Value::as_f64) {
            Some(x) => x,
            None => panic!("parameter `{name}` is {:?}, not a number", self.get(name)),
        }
    }

    /// A text that is declared and has a value.
    pub fn text(&self, name: &str) -> &str {
        match self.get(name) {
            Some(Value::Text(t)) => t,
            other => panic!("parameter `{name}` is {other:?}, not a text"),
        }
    }

    /// A text that may be absent.
    pub fn text_opt(&self, name: &str) -> Option<&str> {
        self.get(name).map(|_| self.text(name))
    }

    /// A truth value that is declared and has a value.
    pub fn bool(&self, name: &str) -> bool {
        match self.get(name) {
            Some(Value::Bool(b)) => *b,
            other => panic!("parameter `{name}` is {other:?}, not a truth value"),
        }
    }

    /// A list that may be absent.
    pub fn list(&self, name: &str) -> Option<&[Value]> {
        match self.get(name) {
            None => None,
            Some(Value::List(items)) => Some(items),
            Some(other) => panic!("parameter `{name}` is {other:?}, not a list"),
        }
    }

    /// Milliseconds of a duration that may be absent.
    pub fn duration_ms(&self, name: &str) -> Option<u64> {
        self.text_opt(name).map(|t| quantity::duration_ms(t).expect("checked when it was read"))
    }

    /// A rate that may be absent.
    pub fn rate(&self, name: &str) -> Option<quantity::Rate> {
        let rate = |value| quantity::rate_of(value, true).expect("checked when it was read");
        self.get(name).map(rate)
    }

    /// The hasher named by `hasher`.
    pub fn hasher(&self) -> &'static HasherInfo {
        hash::find(self.text("hasher")).expect("checked when it was read")
    }

    /// The digest column that `hasher`, `hash-seed` and `view` describe; `view` defaults to whole.
    pub fn column(&self) -> ColumnSpec {
        let view = self.text_opt("view").unwrap_or("whole");
        ColumnSpec {
            view: View::parse(view).expect("checked when it was read"),
            hasher: self.hasher(),
            seed: self.get("hash-seed").map_or(0, |_| self.int("hash-seed") as u64),
            half: hash::Half::High,
        }
    }
}

/// A number as a message shows it: with an exponent where its digits would fill the line.
pub fn number(x: f64) -> String {
    const LONGEST: usize = 25;
    let plain = x.to_string();
    if plain.len() <= LONGEST { plain } else { format!("{x:e}") }
}

/// The declared parameter of that name, or an error that suggests the nearest one.
pub fn find(declared: &'static [Param], name: &str) -> Result<&'static Param, Error> {
    declared
        .iter()
        .find(|p| p.name == name)
        .ok_or_else(|| Error::unknown("field", name, declared.iter().map(|p| p.name)))
}

impl Param {
    /// Checks a value against type and range; whole numbers pass as numbers.
    pub fn check(&self, value: Value) -> Result<Value, Error> {
        self.ty.check(value).map_err(|mut error| {
            error.message = format!("`{}` {}", self.name, error.message);
            error.field(self.name)
        })
    }
}

impl Type {
    /// What the type allows, in words.
    pub fn describe(&self) -> String {
        match self {
            Type::Bool => "true or false".into(),
            Type::Int { min, max: i64::MAX } => format!("a whole number from {min}"),
            Type::Int { min, max } => format!("a whole number from {min} to {max}"),
            Type::Float { min: f64::MIN, max: f64::MAX } => "a number".into(),
            Type::Float { min, max } if *max == f64::MAX => {
                format!("a number from {}", number(*min))
            }
            Type::Float { min, max } => {
                format!("a number from {} to {}", number(*min), number(*max))
            }
            Type::Text => "a text".into(),
            Type::Key => "a text or a whole number".into(),
            Type::Name => "a text of one line, not empty".into(),
            Type::Weight => {
                format!("0, or a number from {} to {}", number(MIN_WEIGHT), number(MAX_WEIGHT))
            }
            Type::Choice(names) => format!("one of {}", names.join(", ")),
            Type::Hasher => "the name of a hasher".into(),
            Type::View => "a view".into(),
            Type::Label(names) => format!("a text with {{{}}}", names.join("}, {")),
            Type::File => "the path of a file".into(),
            Type::Duration => "a duration such as 90s, 40m or 8h".into(),
            Type::Rate { .. } => "a rate per second above 0, such as 3000 rows/s".into(),
            Type::List(item) => format!("a list, each item {}", item.describe()),
        }
    }

    fn check(&self, value: Value) -> Result<Value, Error> {
        let wrong = |value: &Value| {
            let shown = match value {
                Value::Text(t) => format!("\"{t}\""),
                Value::Float(x) => number(*x),
                other => other.to_string(),
            };
            Error::invalid(format!("is {shown}")).help(format!("allowed: {}", self.describe()))
        };
        // A terminal would obey such a character where the text is shown.
        let one_line = matches!(self, Type::Name | Type::Label(_));
        let forbidden = |c: char| c.is_control() && (one_line || !matches!(c, '\n' | '\r' | '\t'));
        if let Value::Text(text) = &value
            && text.chars().any(forbidden)
        {
            let shown = text.escape_debug();
            return Err(Error::invalid(format!("is \"{shown}\", which holds a control character"))
                .help("write it in visible characters"));
        }
        match (self, &value) {
            (Type::Bool, Value::Bool(_))
            | (Type::Text | Type::Key | Type::File, Value::Text(_)) => Ok(value),
            (Type::Key, Value::Int(i)) => Ok(Value::Text(i.to_string())),
            (Type::Name, Value::Text(name)) if !name.is_empty() => Ok(value),
            (Type::Weight, Value::Int(_) | Value::Float(_))
                if value.as_f64().is_some_and(is_weight) =>
            {
                Ok(value)
            }
            (Type::Int { min, max }, Value::Int(i)) if min <= i && i <= max => Ok(value),
            // Counts may be written as 10e6; only exact whole numbers pass.
            (Type::Int { min, max }, Value::Float(f))
                if libm::trunc(*f) == *f && *min as f64 <= *f && *f <= *max as f64 =>
            {
                Ok(Value::Int(*f as i64))
            }
            (Type::Float { min, max }, Value::Int(_) | Value::Float(_)) => {
                let x = value.as_f64().expect("matched a number");
                if x.is_finite() && *min <= x && x <= *max { Ok(value) } else { Err(wrong(&value)) }
            }
            (Type::Choice(names), Value::Text(t)) => {
                if names.contains(&t.as_str()) {
                    Ok(value)
                } else {
                    let mut error = Error::unknown("", t, names.iter().copied());
                    error.message = format!("is \"{t}\"");
                    Err(error)
                }
            }
            (Type::Hasher, Value::Text(t)) => {
                hash::find(t).map(|_| value.clone()).map_err(|mut e| {
                    e.message = format!("names an {}", e.message);
                    e
                })
            }
            (Type::View, Value::Text(t)) => {
                View::parse(t).map(|_| value.clone()).map_err(|mut e| {
                    e.message = format!("is \"{t}\": {}", e.message);
                    e
                })
            }
            (Type::Label(names), Value::Text(t)) => crate::cluster::label::Label::parse(t, names)
                .map(|_| value.clone())
                .map_err(|mut e| {
                    e.message = format!("is \"{t}\": {}", e.message);
                    e
                }),
            (Type::Duration, Value::Text(t)) => quantity::duration_ms(t).map(|_| value.clone()),
            (Type::Rate { bytes }, _) => quantity::rate_of(&value, *bytes).map(|_| value.clone()),
            (Type::List(item), Value::List(items)) => items
                .iter()
                .map(|v| item.check(v.clone()))
                .collect::<Result<_, _>>()
                .map(Value::List),
            _ => Err(wrong(&value)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_refused_and_shown_escaped() {
        let error = Type::Text.check(Value::Text("\u{1b}[31mred".into())).unwrap_err();
        assert_eq!(error.message, "is \"\\u{1b}[31mred\", which holds a control character");
        assert!(Type::Text.check(Value::Text("two\nlines\tand a tab".into())).is_ok());
        for ty in [Type::Name, Type::Label(&["i"])] {
            let error = ty.check(Value::Text("db\n{i}".into())).unwrap_err();
            assert_eq!(error.message, "is \"db\\n{i}\", which holds a control character");
        }
        assert!(Type::Name.check(Value::Text(String::new())).is_err());
        assert!(Type::Name.check(Value::Text("Käse 7".into())).is_ok());
    }

    #[test]
    fn weights_are_zero_or_of_a_sensible_size() {
        for weight in [0.0, 1e-6, 0.5, 1e9] {
            assert!(Type::Weight.check(Value::Float(weight)).is_ok(), "{weight}");
        }
        for weight in [-1.0, 1e-300, 9e-7, 1.1e9, f64::INFINITY, f64::NAN] {
            let error = Type::Weight.check(Value::Float(weight)).unwrap_err();
            assert_eq!(error.help, ["allowed: 0, or a number from 0.000001 to 1000000000"]);
        }
    }
}
