//! `queries.csv`: one row per cell, step and query: whom it asks, and who answers. And the table of the
//! same that stands below the summary.

use super::grid::{Grid, Steps};
use super::number::{fixed, shortest};
use super::{ReportInfo, Written};
use crate::metrics::queries::FAMILY;
use crate::metrics::{self, MetricInfo};
use crate::record::{CellRecord, QueryFigures, QueryNode, QueryRecord, Record, StepRecord};

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "queries",
    extension: "csv",
    summary: "one row per cell, step and query: matches, nodes that must be asked, nodes with a match",
    file: "queries.csv",
    written: Written::WithQueries,
    write,
};

/// What stands above the table.
pub const TITLE: &str = "queries: nodes asked (nodes that hold a match); `all`: nothing tells which, so every node is asked";

/// More queries than this, and the table has only their mean.
const MOST_COLUMNS: usize = 8;

/// Whether any step of the record has queries.
pub fn has_any(record: &Record) -> bool {
    record.cells.iter().flat_map(|cell| &cell.steps).any(|step| step.queries.is_some())
}

fn write(record: &Record) -> Vec<u8> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let mut header = vec!["id", "step", "nodes", "query", "kind", "queries", "share", "answered"];
    header.extend(FAMILY.metrics.iter().map(|metric| metric.name));
    header.extend(["asked", "holding"]);
    out.write_record(&header).expect("writing to memory");
    for cell in &record.cells {
        for step in &cell.steps {
            for query in step.queries.iter().flat_map(|queries| &queries.each) {
                out.write_record(row(cell, step, query)).expect("writing to memory");
            }
        }
    }
    out.into_inner().expect("writing to memory")
}

fn row(cell: &CellRecord, step: &StepRecord, query: &QueryRecord) -> Vec<String> {
    let mut row = vec![
        cell.id.clone(),
        step.step.to_string(),
        step.nodes.to_string(),
        query.query.clone(),
        query.kind.clone(),
        query.queries.to_string(),
        shortest(query.share),
        query.answered.clone(),
    ];
    let figure = |metric: &MetricInfo| {
        let name = format!("query.{}.{}", query.query, metric.name);
        metrics::value(step, cell, &name).map_or_else(String::new, shortest)
    };
    row.extend(FAMILY.metrics.iter().map(figure));
    let names = |which: fn(&QueryNode) -> bool| {
        let nodes = query.nodes.iter().flatten().filter(|node| which(node));
        nodes.map(|node| node.node.as_str()).collect::<Vec<_>>().join(" ")
    };
    row.extend([names(|node| node.asked), names(|node| node.keys > 0)]);
    row
}

/// Cells and steps by query; None without queries.
pub fn grid(record: &Record, steps: Steps) -> Option<Grid> {
    let rows: Vec<(&CellRecord, &StepRecord)> = record
        .cells
        .iter()
        .flat_map(|cell| {
            let skip = if steps == Steps::Last { cell.steps.len().saturating_sub(1) } else { 0 };
            cell.steps.iter().skip(skip).map(move |step| (cell, step))
        })
        .filter(|(_, step)| step.queries.is_some())
        .collect();
    let queries = &rows.first()?.1.queries.as_ref()?.each;
    let several = record.cells.iter().any(|cell| cell.steps.len() > 1);
    let each = queries.len() <= MOST_COLUMNS;
    let mean = !each || queries.len() > 1;
    let mut header = vec!["cell".to_string()];
    let mut numeric = vec![false];
    let mut put = |head: &str, is_number: bool| {
        header.push(head.into());
        numeric.push(is_number);
    };
    if several {
        put("step", true);
    }
    put("nodes", true);
    queries.iter().filter(|_| each).for_each(|query| put(&query.query, true));
    if mean {
        put(&format!("mean of {}", queries.len()), true);
    }
    let rows = rows.into_iter().map(|(cell, step)| {
        let mut row = vec![cell.id.clone()];
        row.extend(several.then(|| step.step.to_string()));
        row.push(step.nodes.to_string());
        let queries = step.queries.as_ref().expect("filtered");
        row.extend(queries.each.iter().filter(|_| each).map(|query| {
            let all = if query.answered == "scatter" { "all " } else { "" };
            format!("{all}{}", asked(&query.figures, query.queries > 1))
        }));
        row.extend(mean.then(|| asked(&queries.all, true)));
        row
    });
    Some(Grid { shared: Vec::new(), header, numeric, rows: rows.collect() })
}

/// Nodes asked and, in brackets, touched.
fn asked(figures: &QueryFigures, is_mean: bool) -> String {
    let number = |x: f64| if is_mean { fixed(x, 1) } else { fixed(x, 0) };
    format!("{} ({})", number(figures.nodes_asked), number(figures.nodes_touched))
}

#[cfg(test)]
mod tests {
    use super::super::{files, sample};
    use super::*;
    use crate::record::Queries;

    fn figures(asked: f64, touched: f64) -> QueryFigures {
        QueryFigures {
            keys: 12.0,
            keys_sd: 0.5,
            keys_missing: 0.0,
            nodes_touched: touched,
            nodes_touched_sd: 0.0,
            nodes_touched_max: touched as u64,
            nodes_asked: asked,
            nodes_asked_sd: 0.0,
            nodes_asked_max: asked as u64,
            scatter_share: 1.0,
            busiest_node_share: None,
        }
    }

    fn record(queries: usize) -> Record {
        let mut record = sample::record();
        let query = |i: usize| QueryRecord {
            query: format!("q{i}"),
            kind: "range".into(),
            queries: 1 + i as u64,
            share: 1.0 / queries as f64,
            answered: "scatter".into(),
            figures: figures(2.0, 1.0),
            nodes: (i == 0).then(|| {
                let node = |node: &str, keys| QueryNode { node: node.into(), asked: true, keys };
                vec![node("db0", 12), node("db1", 0)]
            }),
        };
        for step in &mut record.cells[0].steps {
            let each = (0..queries).map(query).collect();
            step.queries = Some(Queries { all: figures(2.0, 1.25), each });
        }
        record
    }

    #[test]
    fn every_query_of_a_step_is_a_row() {
        let text = String::from_utf8(write(&record(2))).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines.len(), 1 + 2 * 2);
        assert!(lines[0].starts_with("id,step,nodes,query,kind,queries,share,answered,keys,"));
        assert!(lines[1].starts_with("ring/murmur3-32/vnodes=8,0,2,q0,range,1,0.5,scatter,12.0,"));
        assert!(lines[1].ends_with(",db0 db1,db0"), "{text}");
        assert!(lines[2].ends_with(",1.0,,,"), "{text}");
    }

    #[test]
    fn the_table_shows_each_query_while_there_are_few() {
        let grid = grid(&record(2), Steps::All).unwrap();
        assert_eq!(grid.header, ["cell", "step", "nodes", "q0", "q1", "mean of 2"]);
        assert_eq!(grid.rows[0][2..], ["2", "all 2 (1)", "all 2.0 (1.0)", "2.0 (1.2)"]);
        let many = super::grid(&record(MOST_COLUMNS + 1), Steps::Last).unwrap();
        assert_eq!(many.header, ["cell", "step", "nodes", "mean of 9"]);
        assert_eq!(many.rows.len(), 1);
        assert_eq!(super::grid(&sample::record(), Steps::All), None);
    }

    #[test]
    fn only_a_record_with_queries_has_the_file() {
        let has = |record: &Record| files(record, false).iter().any(|f| f.0 == "queries.csv");
        assert!(has(&record(1)) && !has(&sample::record()));
    }
}
