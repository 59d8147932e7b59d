//! `movement.csv`: what moved from which node to which, one row per pair.

use super::nodes::{amounts, loads};
use super::{ReportInfo, Written};
use crate::record::Record;

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "movement",
    extension: "csv",
    summary: "one row per cell, step and pair of nodes: what moved from one to the other",
    file: "movement.csv",
    written: Written::WithPairs,
    write,
};

fn write(record: &Record) -> Vec<u8> {
    let loads = loads(record);
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["id", "step", "change", "from", "to"];
    header.extend(&loads);
    out.write_record(&header).expect("writing to memory");
    for cell in &record.cells {
        for step in &cell.steps {
            let pairs = step.movement.as_ref().and_then(|m| m.pairs.as_deref());
            for pair in pairs.unwrap_or_default() {
                let change = step.change.clone().unwrap_or_default();
                let mut row = vec![cell.id.clone(), step.step.to_string(), change];
                row.extend([pair.from.clone(), pair.to.clone()]);
                row.extend(amounts(&loads, Some(&pair.loads)));
                out.write_record(&row).expect("writing to memory");
            }
        }
    }
    out.into_inner().expect("writing to memory")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_pair_is_a_row() {
        let record = super::super::sample::record();
        let text = String::from_utf8(write(&record)).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[0], "id,step,change,from,to,keys");
        assert_eq!(lines[1], "ring/murmur3-32/vnodes=8,1,add db2,db0,db2,200");
        assert_eq!(lines.len(), 3);
    }
}
