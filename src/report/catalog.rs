//! What there is: every open set as one list of entries, from which `shardlab list` and the
//! README's tables come. Nothing is named here that does not stand in an `ALL` list.

use std::fmt;

use serde_json::{Map, Value as Json, json};

use crate::cluster::map;
use crate::error::Error;
use crate::hash::{Input, Seed};
use crate::keys::view;
use crate::params::{Default, Param};
use crate::preset::{self, Answer};
use crate::strategy::{History, Movement, Order, StrategyInfo, Weights};
use crate::{charts, hash, keys, metrics, remedy, strategy, traffic};

/// One item of an open set.
#[derive(Debug, Clone)]
pub struct Entry {
    /// Its name in scenario files and arguments.
    pub name: String,
    /// One sentence.
    pub summary: String,
    /// Authors, year, URL; empty if it has none.
    pub source: String,
    /// Facts about it: name and value, the same names for all items of a kind.
    pub facts: Vec<(&'static str, String)>,
    /// Its parameters.
    pub params: &'static [Param],
}

/// A kind of open set.
pub struct Kind {
    /// Plural, as `shardlab list` takes it.
    pub name: &'static str,
    /// What its items are.
    pub summary: &'static str,
    /// Its items, in their order.
    pub entries: fn() -> Vec<Entry>,
}

impl fmt::Debug for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name)
    }
}

/// All kinds, in the order in which `list` shows them.
pub static ALL: &[Kind] = &[
    Kind { name: "strategies", summary: "families of placement algorithms", entries: strategies },
    Kind { name: "presets", summary: "named real systems, modelled bit for bit", entries: presets },
    Kind { name: "hashers", summary: "hash functions of keys", entries: hashers },
    Kind { name: "views", summary: "what a hasher sees of a key", entries: views },
    Kind { name: "keys", summary: "key patterns, files among them", entries: patterns },
    Kind { name: "traffic", summary: "how requests lie on the keys", entries: shapes },
    Kind {
        name: "remedies",
        summary: "what helps against hot keys and big tenants, for `[[remedy]] kind`",
        entries: remedies,
    },
    Kind {
        name: "metrics",
        summary: "numbers for `[[expect]] metric`; LOAD is keys, requests, bytes, reads or writes",
        entries: metric_entries,
    },
    Kind { name: "charts", summary: "kinds of SVG charts", entries: chart_entries },
    Kind {
        name: "maps",
        summary: "formats of real clusters' maps, for `[cluster] from`",
        entries: map_entries,
    },
    Kind { name: "reports", summary: "forms of the result for `--format`", entries: reports },
];

/// The kind of that name, or an error that suggests the nearest one.
pub fn find(name: &str) -> Result<&'static Kind, Error> {
    ALL.iter()
        .find(|kind| kind.name == name)
        .ok_or_else(|| Error::unknown("kind", name, ALL.iter().map(|kind| kind.name)))
}

fn entry(name: &str, summary: &str, source: &str, params: &'static [Param]) -> Entry {
    Entry {
        name: name.into(),
        summary: summary.into(),
        source: source.into(),
        facts: Vec::new(),
        params,
    }
}

fn strategies() -> Vec<Entry> {
    let entries = strategy::ALL.iter().map(|s| Entry {
        facts: strategy_facts(s),
        ..entry(s.name, s.summary, s.source, s.params)
    });
    entries.collect()
}

fn presets() -> Vec<Entry> {
    let entries = preset::ALL.iter().map(|p| {
        let answer = match p.answer {
            Answer::Server => "a server",
            Answer::Partition => "a partition",
        };
        let mut facts = vec![
            ("family", p.family.into()),
            ("version", p.version.into()),
            ("gives", answer.into()),
            ("rule", p.rule.into()),
        ];
        facts.extend(strategy_facts(&p.strategy).into_iter().filter(|(name, _)| *name != "title"));
        let s = &p.strategy;
        Entry { facts, ..entry(s.name, s.summary, s.source, s.params) }
    });
    entries.collect()
}

fn strategy_facts(s: &StrategyInfo) -> Vec<(&'static str, String)> {
    let yes = |b: bool| if b { "yes" } else { "no" }.to_string();
    vec![
        ("title", s.title.into()),
        (
            "weights",
            match s.caps.weights {
                Weights::Equal => "equal only",
                Weights::Exact => "exact",
                Weights::Rounded => "rounded",
                Weights::Fixed => "fixed by the scenario",
            }
            .into(),
        ),
        ("replicas", yes(s.caps.replicas)),
        (
            "movement",
            match s.movement {
                Movement::Minimal => "minimal",
                Movement::Bounded => "bounded",
                Movement::Full => "full",
            }
            .into(),
        ),
        (
            "history",
            match s.history {
                History::Free => "free",
                History::Dependent => "dependent",
            }
            .into(),
        ),
        (
            "node order",
            match s.order {
                Order::Free => "free",
                Order::Dependent => "dependent",
            }
            .into(),
        ),
        ("look-up", s.cost.lookup.into()),
        ("change", s.cost.change.into()),
        ("bytes", s.cost.bytes.into()),
        ("checked against", s.checked.into()),
    ]
}

fn hashers() -> Vec<Entry> {
    let facts = |h: &hash::HasherInfo| {
        let seed = match h.seed {
            Seed::Fixed => "none",
            Seed::Bits32 => "32 bits",
            Seed::Bits64 => "64 bits",
        };
        let input = match h.input {
            Input::Bytes => "bytes",
            Input::Integer => "integers",
        };
        vec![
            ("bits", format!("{}{}", h.bits, if h.signed { ", signed" } else { "" })),
            ("seed", seed.to_string()),
            ("reads", input.to_string()),
        ]
    };
    let entry =
        |h: &hash::HasherInfo| Entry { facts: facts(h), ..entry(h.name, h.summary, h.source, &[]) };
    hash::ALL.iter().map(|h| entry(h)).collect()
}

fn views() -> Vec<Entry> {
    let entries = view::ALL.iter().map(|v| Entry {
        facts: vec![("written", v.syntax.to_string())],
        ..entry(v.name, v.doc, "", &[])
    });
    entries.collect()
}

fn patterns() -> Vec<Entry> {
    keys::ALL.iter().map(|p| entry(p.name, p.summary, p.source, p.params)).collect()
}

fn shapes() -> Vec<Entry> {
    traffic::ALL.iter().map(|t| entry(t.name, t.summary, t.source, t.params)).collect()
}

fn remedies() -> Vec<Entry> {
    let entries = remedy::ALL.iter().map(|r| Entry {
        facts: vec![("price", r.price.to_string())],
        ..entry(r.name, r.summary, r.source, r.params)
    });
    entries.collect()
}

fn metric_entries() -> Vec<Entry> {
    let entries = metrics::ALL.iter().flat_map(|family| {
        family.forms.iter().flat_map(|form| family.metrics.iter().map(move |m| (*form, m)))
    });
    let entry = |(form, m): (&str, &metrics::MetricInfo)| Entry {
        facts: vec![
            ("unit", m.unit.word().to_string()),
            ("range", m.range.to_string()),
            ("formula", m.formula.to_string()),
        ],
        ..entry(&form.replace("STAT", m.name), m.doc, m.source, &[])
    };
    entries.map(entry).collect()
}

fn chart_entries() -> Vec<Entry> {
    charts::ALL.iter().map(|c| entry(c.name, c.summary, "", c.params)).collect()
}

fn map_entries() -> Vec<Entry> {
    map::ALL.iter().map(|format| entry(format.name, format.summary, "", &[])).collect()
}

fn reports() -> Vec<Entry> {
    let entries = super::ALL.iter().map(|r| Entry {
        facts: vec![("file", r.file.to_string())],
        ..entry(r.name, r.summary, "", &[])
    });
    entries.collect()
}

/// A default as lists show it.
pub fn default_text(default: &Default) -> String {
    match default {
        Default::Required => "required".into(),
        Default::Absent => "absent".into(),
        Default::Bool(b) => b.to_string(),
        Default::Int(i) => i.to_string(),
        Default::Float(x) => x.to_string(),
        Default::Text(t) => format!("\"{t}\""),
    }
}

impl Entry {
    /// The entry as JSON.
    pub fn to_json(&self) -> Json {
        let params: Vec<Json> = self
            .params
            .iter()
            .map(|p| {
                json!({ "name": p.name, "type": p.ty.describe(),
                        "default": default_text(&p.default), "doc": p.doc })
            })
            .collect();
        let facts: Map<String, Json> =
            self.facts.iter().map(|(k, v)| (k.to_string(), Json::from(v.as_str()))).collect();
        json!({ "name": self.name, "summary": self.summary, "source": self.source,
                "facts": facts, "params": params })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_kind_lists_its_items_once() {
        for kind in ALL {
            let mut names: Vec<String> = (kind.entries)().into_iter().map(|e| e.name).collect();
            let all = names.len();
            names.sort();
            names.dedup();
            assert_eq!(names.len(), all, "{} lists a name twice", kind.name);
        }
        assert!(find("hasher").unwrap_err().help[0].contains("`hashers`"));
    }
}
