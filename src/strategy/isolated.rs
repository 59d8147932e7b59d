//! A rule in front of a placement: some keys go to a node of their own, all others where they were.
//!
//! No strategy of its own: the engine puts it in front of the placement of the step before, whatever that
//! is, so that nothing moves but the keys of the rule.

use std::sync::Arc;

use super::support::step;
use super::{Explanation, Placement, Slot};
use crate::cluster::Isolation;
use crate::error::Error;
use crate::keys::{ColumnSpec, Key, KeyBatch, KeyKind};

/// A placement behind a rule.
#[derive(Debug)]
pub struct Isolated {
    inner: Arc<dyn Placement>,
    rule: Isolation,
    /// The key of the rule as the keys have it.
    integer: Option<u64>,
}

impl Isolated {
    /// Puts the rule in front of a placement.
    ///
    /// Errors: unsupported for copies and for open requests; invalid for texts where keys are numbers.
    pub fn new(
        inner: Arc<dyn Placement>,
        rule: &Isolation,
        keys: KeyKind,
        replicas: usize,
    ) -> Result<Self, Error> {
        if replicas > 1 {
            return Err(Error::unsupported("a tenant is isolated without copies: replicas = 1"));
        }
        if inner.session().is_some() {
            return Err(Error::unsupported("a strategy with open requests takes no rule in front"));
        }
        let number = |bits: Option<u64>| {
            bits.filter(|_| rule.whole).ok_or_else(|| {
                let text = &rule.text;
                Error::invalid(format!("the keys are whole numbers, and `{text}` is none"))
                    .help("isolate one of them by `key`; only text keys have a `prefix`")
                    .field(if rule.whole { "key" } else { "prefix" })
            })
        };
        let integer = match keys {
            KeyKind::I64 => Some(number(rule.text.parse::<i64>().ok().map(|i| i as u64))?),
            KeyKind::U64 => Some(number(rule.text.parse().ok())?),
            KeyKind::Text | KeyKind::Bytes => None,
            KeyKind::Uuid => return Err(Error::unsupported("generated UUIDs have no tenants")),
        };
        Ok(Isolated { inner, rule: rule.clone(), integer })
    }

    fn catches(&self, text: &[u8]) -> bool {
        let wanted = self.rule.text.as_bytes();
        if self.rule.whole { text == wanted } else { text.starts_with(wanted) }
    }
}

impl Placement for Isolated {
    fn columns(&self) -> &[ColumnSpec] {
        self.inner.columns()
    }

    fn place(&self, batch: &KeyBatch, out: &mut [Slot]) {
        self.inner.place(batch, out);
        let own = Slot::from(self.rule.node);
        match self.integer {
            Some(wanted) => {
                let hits = out.iter_mut().zip(&batch.ints).filter(|(_, key)| **key == wanted);
                hits.for_each(|(slot, _)| *slot = own);
            }
            None => {
                let hits = out.iter_mut().zip(batch.text.iter());
                hits.filter(|(_, text)| self.catches(text)).for_each(|(slot, _)| *slot = own);
            }
        }
    }

    fn explain(&self, key: &Key<'_>) -> Explanation {
        let text = key.to_string();
        let what = format!("rule in front: {}", self.rule.text);
        if !self.catches(text.as_bytes()) {
            let mut explanation = self.inner.explain(key);
            explanation.steps.insert(0, step(what, "does not apply"));
            return explanation;
        }
        Explanation { steps: vec![step(what, "applies")], slot: self.rule.node.into() }
    }

    fn heap_bytes(&self) -> u64 {
        self.inner.heap_bytes() + self.rule.text.len() as u64
    }

    fn lookup_steps(&self) -> Option<f64> {
        // The rule in front is looked at first.
        Some(1.0 + self.inner.lookup_steps()?)
    }

    fn points(&self) -> u64 {
        self.inner.points()
    }
}
