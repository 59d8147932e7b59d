//! Several columns as one key, such as `tenant|user`.
//!
//! Idea: every column is a source of its own; their rows are read side by side and the texts joined with
//! `|`. Cost: the file is read once a column.

use super::{Access, KeyBatch, KeyKind, KeySource, OpenRows, RowReader};
use crate::error::Error;

/// What stands between the parts of a key.
const BETWEEN: u8 = b'|';

/// Sources of texts that are read in order, side by side.
#[derive(Debug)]
pub struct Joined(Vec<Box<dyn KeySource>>);

impl Joined {
    /// Joins sources, at least one, of as many rows each.
    ///
    /// # Errors
    /// A source that is not read in order, or that has no texts.
    pub fn new(parts: Vec<Box<dyn KeySource>>) -> Result<Self, Error> {
        let fits = |part: &dyn KeySource| {
            part.kind() == KeyKind::Text && matches!(part.access(), Access::InOrder(_))
        };
        if parts.is_empty() || !parts.iter().all(|part| fits(part.as_ref())) {
            return Err(Error::invalid("only columns of texts of a file can be joined to one key"));
        }
        Ok(Joined(parts))
    }
}

impl KeySource for Joined {
    fn kind(&self) -> KeyKind {
        KeyKind::Text
    }

    fn rows(&self) -> Result<u64, Error> {
        self.0[0].rows()
    }

    fn access(&self) -> Access<'_> {
        Access::InOrder(self)
    }
}

impl OpenRows for Joined {
    fn open(&self) -> Result<Box<dyn RowReader + '_>, Error> {
        let mut readers = Vec::with_capacity(self.0.len());
        for part in &self.0 {
            match part.access() {
                Access::InOrder(file) => {
                    readers.push((file.open()?, KeyBatch::new(KeyKind::Text)));
                }
                Access::AnyOrder(_) => unreachable!("refused when they were joined"),
            }
        }
        Ok(Box::new(JoinedRows(readers)))
    }
}

struct JoinedRows<'a>(Vec<(Box<dyn RowReader + 'a>, KeyBatch)>);

impl RowReader for JoinedRows<'_> {
    fn read(&mut self, rows: usize, batch: &mut KeyBatch) -> Result<(), Error> {
        let mut wanted = rows;
        for (reader, part) in &mut self.0 {
            part.clear(0);
            // A part whose texts are long ends a read early; the first one says how many rows there are.
            while part.len() < wanted {
                let before = part.len();
                reader.read(wanted - before, part)?;
                if part.len() == before {
                    break;
                }
            }
            wanted = part.len();
        }
        for row in 0..wanted {
            for (i, (_, part)) in self.0.iter().enumerate() {
                if i > 0 {
                    batch.text.arena().push(BETWEEN);
                }
                batch.text.arena().extend_from_slice(part.text.get(row));
            }
            batch.text.end();
        }
        batch.grow(wanted);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keys::{PatternBuild, file};
    use crate::params::{Params, Value};

    #[test]
    fn columns_are_joined_row_by_row() {
        let temp = tempfile::tempdir().unwrap();
        std::fs::write(temp.path().join("t.csv"), "a,b\n1,x\n2,y\n3,z\n").unwrap();
        let column = |name: &str| {
            let given = [("file", "t.csv"), ("key", name)];
            let given = given.map(|(n, v)| (n.to_string(), Value::Text(v.to_string())));
            let params = Params::from_pairs(file::INFO.params, given.into()).unwrap();
            let build = PatternBuild { params: &params, seed: 1, base: temp.path() };
            (file::INFO.build)(&build).unwrap()
        };
        let joined = Joined::new(vec![column("b"), column("a")]).unwrap();
        assert_eq!(joined.rows().unwrap(), 3);
        let mut reader = OpenRows::open(&joined).unwrap();
        let mut batch = KeyBatch::new(KeyKind::Text);
        let mut seen = Vec::new();
        loop {
            batch.clear(0);
            reader.read(2, &mut batch).unwrap();
            if batch.is_empty() {
                break;
            }
            seen.extend((0..batch.len()).map(|i| batch.key(i).to_string()));
        }
        assert_eq!(seen, ["x|1", "y|2", "z|3"]);
        assert!(Joined::new(Vec::new()).is_err());
    }
}
