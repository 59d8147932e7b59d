//! One report on several records, for `--format` with several scenarios: one document, not several
//! one after the other.

use super::ReportInfo;
use crate::record::Record;

/// The report on each record, joined as its format allows: JSON as one array, CSV under one header and
/// with the scenario's name in a first column, text with an empty line between. One record alone gives
/// what [`ReportInfo::write`] gives.
pub fn write(report: &ReportInfo, records: &[&Record]) -> Vec<u8> {
    let parts: Vec<Vec<u8>> = records.iter().map(|record| (report.write)(record)).collect();
    match (parts.len(), report.extension) {
        (1, _) => parts.concat(),
        (_, "json") => {
            let items: Vec<&[u8]> = parts.iter().map(|part| part.trim_ascii_end()).collect();
            [b"[\n", &items.join(&b",\n"[..])[..], b"\n]\n"].concat()
        }
        (_, "csv") => {
            let named = records.iter().map(|record| record.scenario.name.as_str());
            csv(&named.zip(&parts).collect::<Vec<_>>())
        }
        _ => parts.join(&b"\n"[..]),
    }
}

/// The rows of all parts under the columns of all parts, each column where it first stands.
fn csv(parts: &[(&str, &Vec<u8>)]) -> Vec<u8> {
    let mut columns: Vec<csv::StringRecord> = Vec::new();
    let mut all = csv::StringRecord::from(vec!["scenario"]);
    let mut readers = Vec::new();
    for (_, part) in parts {
        let mut reader = csv::Reader::from_reader(part.as_slice());
        let header = reader.headers().expect("a report is CSV").clone();
        for name in &header {
            if all.iter().all(|known| known != name) {
                all.push_field(name);
            }
        }
        columns.push(header);
        readers.push(reader);
    }
    let mut out = csv::Writer::from_writer(Vec::new());
    out.write_record(&all).expect("in memory");
    for (((scenario, _), reader), header) in parts.iter().zip(readers).zip(&columns) {
        let places: Vec<Option<usize>> =
            all.iter().map(|name| header.iter().position(|have| have == name)).collect();
        for row in reader.into_records() {
            let row = row.expect("a report is CSV");
            let cells = places[1..].iter().map(|place| place.map_or("", |i| &row[i]));
            out.write_record(std::iter::once(*scenario).chain(cells)).expect("in memory");
        }
    }
    out.flush().expect("in memory");
    out.into_inner().expect("in memory")
}

#[cfg(test)]
mod tests {
    use super::super::{find, sample};
    use super::*;

    #[test]
    fn json_of_several_is_one_array_and_of_one_the_object() {
        let record = sample::record();
        let json = find("json").unwrap();
        assert_eq!(write(json, &[&record]), (json.write)(&record));
        let both = write(json, &[&record, &record]);
        let both: serde_json::Value = serde_json::from_slice(&both).unwrap();
        assert_eq!(both.as_array().unwrap().len(), 2);
        assert_eq!(both[1], serde_json::to_value(&record).unwrap());
    }

    #[test]
    fn csv_of_several_has_one_header_with_the_columns_of_all() {
        let a = b"id,keys,\"a,b\"\nx,1,2\n".to_vec();
        let b = b"id,more,keys\ny,\"3\n3\",4\n".to_vec();
        let text = String::from_utf8(csv(&[("s", &a), ("t", &b)])).unwrap();
        assert_eq!(text, "scenario,id,keys,\"a,b\",more\ns,x,1,2,\nt,y,4,,\"3\n3\"\n");
    }
}
