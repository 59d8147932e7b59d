//! Simulated migrations: the table that compares them, watched keys, and the loads of every window and
//! node as CSV (`--format timeline`).

use super::grid::Grid;
use super::number::{duration, fixed, grouped, shortest};
use super::{ReportInfo, Written};
use crate::record::{CellRecord, Record, StepRecord};
use crate::timeline::Timeline;

/// The report's facts.
pub static INFO: ReportInfo = ReportInfo {
    name: "timeline",
    extension: "csv",
    summary: "of simulated migrations one row per cell, step, window and node: reads, writes, copies; a row for all nodes has what was unavailable",
    file: "timeline.csv",
    // Large, and all of it stands in the record.
    written: Written::Never,
    write,
};

/// How the row of all nodes is called.
const ALL_NODES: &str = "(all)";

/// The migrations of a record, in order.
fn migrations(record: &Record) -> impl Iterator<Item = (&CellRecord, &StepRecord, &Timeline)> {
    let steps = record.cells.iter().flat_map(|cell| cell.steps.iter().map(move |s| (cell, s)));
    steps.filter_map(|(cell, step)| Some((cell, step, step.timeline.as_ref()?)))
}

/// The cell's id without the axes of the migration, along which placements do not differ. Their values
/// may hold slashes; the path stands after them.
pub fn placement_id(cell: &CellRecord) -> String {
    let Some(end) = cell.id.find("/migration.") else { return cell.id.clone() };
    let path = cell.id.rfind("/path=").filter(|at| *at > end).map_or("", |at| &cell.id[at..]);
    format!("{}{path}", &cell.id[..end])
}

type Text = fn(&Timeline) -> String;

/// The columns of the table: head, and text; empty where there is nothing to tell.
const COLUMNS: &[(&str, Text)] = &[
    ("cut over\nafter", |t| t.migrated_seconds.map_or_else(|| beyond(t), duration)),
    ("old copies\ngone after", |t| t.finished_seconds.map_or_else(|| beyond(t), duration)),
    ("rows lost\n(moving)", |t| match t.rows_lost {
        0 => "0".into(),
        lost => format!("{} ({})", grouped(lost), grouped(t.rows_lost_moving)),
    }),
    ("unavailable\nkey-seconds", |t| count(t.key_seconds_unavailable)),
    ("refused\nwrites", |t| nonzero(t.writes_refused)),
    ("refused\nreads", |t| nonzero(t.reads_refused)),
    ("wrong-node\nwrites", |t| nonzero(t.wrong_node_writes)),
    ("turned\naway", |t| nonzero(t.turned_away_writes)),
    ("stale\nreads", |t| nonzero(t.stale_reads)),
    ("repeated\nreads", |t| nonzero(t.reads_repeated)),
    ("node writes\na write", |t| fixed(t.write_amplification, 2)),
    ("check-sums\nfound", |t| nonzero(t.rows_differing)),
    ("units", ended),
    ("peak node\nops/s", |t| count(t.peak_node_operations)),
];

/// What has not come to its end by the horizon takes longer than all that was simulated.
fn beyond(timeline: &Timeline) -> String {
    format!("> {}", duration(timeline.simulated_seconds - timeline.start_seconds))
}

/// Units that did not end in the usual way.
fn ended(timeline: &Timeline) -> String {
    let counts = [
        (timeline.units_rescued, "rescued"),
        (timeline.units_stayed, "stayed"),
        (timeline.units_dead, "dead"),
        (timeline.units_differing, "differ"),
    ];
    let some = counts.iter().filter(|(n, _)| *n > 0);
    some.map(|(n, what)| format!("{} {what}", grouped(*n))).collect::<Vec<_>>().join(", ")
}

fn nonzero(n: u64) -> String {
    if n == 0 { String::new() } else { grouped(n) }
}

fn count(x: f64) -> String {
    if x == 0.0 { String::new() } else { grouped(libm::round(x) as u128) }
}

/// What tells the cells apart: of each its values on the axes that vary, or its id if none does.
fn names(cells: &[&CellRecord]) -> Vec<Vec<String>> {
    let varies = |axis: &String| cells.iter().any(|c| c.at.get(axis) != cells[0].at.get(axis));
    let name = |cell: &&CellRecord| {
        let values = cell.at.iter().filter(|(axis, _)| varies(axis));
        let values: Vec<String> = values
            .map(|(axis, value)| match value.as_str() {
                Some(text) => text.to_string(),
                None => format!("{} {value}", axis.rsplit('.').next().unwrap_or(axis)),
            })
            .collect();
        vec![if values.is_empty() { cell.id.clone() } else { values.join(" · ") }]
    };
    cells.iter().map(name).collect()
}

/// The table of migrations; None if there are none. Columns that no row fills are left out.
pub fn summary(record: &Record) -> Option<Grid> {
    let rows: Vec<_> = migrations(record).collect();
    if rows.is_empty() {
        return None;
    }
    let mut grid = Grid {
        shared: Vec::new(),
        header: vec!["cell".into()],
        numeric: vec![false],
        rows: names(&rows.iter().map(|(cell, ..)| *cell).collect::<Vec<_>>()),
    };
    if rows.iter().any(|(cell, ..)| cell.steps.len() > 2) {
        grid.header.push("step".into());
        grid.numeric.push(false);
        for (row, (_, step, _)) in grid.rows.iter_mut().zip(&rows) {
            row.push(format!("{} {}", step.step, step.change.as_deref().unwrap_or("")));
        }
    }
    for (head, text) in COLUMNS {
        let texts: Vec<String> = rows.iter().map(|(.., timeline)| text(timeline)).collect();
        if texts.iter().all(String::is_empty) {
            continue;
        }
        grid.header.push((*head).into());
        grid.numeric.push(true);
        for (row, text) in grid.rows.iter_mut().zip(texts) {
            row.push(text);
        }
    }
    Some(grid)
}

/// What happened to keys that were followed, a line each.
pub fn watched(record: &Record) -> Vec<String> {
    let mut lines = Vec::new();
    for (cell, step, timeline) in migrations(record) {
        for watch in &timeline.watch {
            let events: Vec<String> = watch
                .events
                .iter()
                .map(|event| format!("{} {}", duration(event.seconds), event.what))
                .collect();
            let (key, unit) = (&watch.key, &watch.unit);
            let at = format!("{}, step {}", cell.id, step.step);
            lines.push(format!("  {key} ({unit}; {at}): {}", events.join("; ")));
        }
    }
    lines
}

fn write(record: &Record) -> Vec<u8> {
    let mut out = csv::Writer::from_writer(Vec::new());
    let header = [
        "id",
        "step",
        "begin-seconds",
        "seconds",
        "node",
        "reads",
        "writes",
        "copies",
        "unavailable-key-seconds",
    ];
    out.write_record(header).expect("writing to memory");
    for (cell, step, timeline) in migrations(record) {
        let windows = &timeline.windows;
        for (i, unavailable) in windows.unavailable.iter().enumerate() {
            let last = i + 1 == windows.unavailable.len();
            let seconds = if last { windows.last_seconds } else { windows.seconds };
            let head = [
                cell.id.clone(),
                step.step.to_string(),
                shortest(windows.seconds * i as f64),
                shortest(seconds),
            ];
            let mut put = |tail: [String; 5]| {
                out.write_record(head.iter().chain(&tail)).expect("writing to memory");
            };
            let mut sums = [0u64; 3];
            for node in &windows.nodes {
                let loads = [node.reads[i], node.writes[i], node.copies[i]];
                sums.iter_mut().zip(loads).for_each(|(sum, load)| *sum += load);
                let [reads, writes, copies] = loads.map(|load| load.to_string());
                put([node.node.clone(), reads, writes, copies, String::new()]);
            }
            let [reads, writes, copies] = sums.map(|load| load.to_string());
            put([ALL_NODES.into(), reads, writes, copies, shortest(*unavailable)]);
        }
    }
    out.into_inner().expect("writing to memory")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn every_window_has_a_row_for_each_node_and_one_for_all() {
        let record = sample::migration();
        let text = String::from_utf8(write(&record)).unwrap();
        let timeline = record.cells[0].steps[1].timeline.as_ref().unwrap();
        let rows = timeline.windows.unavailable.len() * (timeline.windows.nodes.len() + 1);
        assert_eq!(text.lines().count(), 1 + rows);
        assert!(text.contains("vnodes=8,1,0.0,1.0,a,3,2,10,\n"), "{text}");
        assert!(text.contains("vnodes=8,1,0.0,1.0,(all),3,2,20,0.0\n"), "{text}");
        assert!(String::from_utf8(write(&sample::record())).unwrap().lines().count() == 1);
    }

    #[test]
    fn the_table_shows_what_happened_and_no_more() {
        let grid = summary(&sample::migration()).unwrap();
        let text = |head: &str| {
            let i = grid.header.iter().position(|h| h == head);
            i.map(|i| grid.rows[0][i].as_str())
        };
        assert_eq!(text("cut over\nafter"), Some("14 s"));
        assert_eq!(text("rows lost\n(moving)"), Some("0"));
        assert_eq!(text("unavailable\nkey-seconds"), Some("248"));
        assert_eq!(text("wrong-node\nwrites"), None);
        assert!(summary(&sample::record()).is_none());
        assert_eq!(watched(&sample::migration()).len(), 1);
    }

    #[test]
    fn what_has_not_ended_takes_longer_than_was_simulated() {
        let mut record = sample::migration();
        let timeline = record.cells[0].steps[1].timeline.as_mut().unwrap();
        (timeline.migrated_seconds, timeline.finished_seconds) = (None, None);
        timeline.simulated_seconds = timeline.start_seconds + 7200.0;
        timeline.key_seconds_unavailable = 1e20;
        let grid = summary(&record).unwrap();
        let row = grid.rows[0].join(" | ");
        assert!(row.contains("| > 2h 00m | > 2h 00m |"), "{row}");
        assert!(row.contains("100,000,000,000,000,000,000"), "{row}");
    }

    #[test]
    fn ids_of_placements_leave_the_migration_out() {
        let mut cell = sample::record().cells.remove(0);
        for (id, want) in [
            ("ring/md5/migration.mode=redirect/path=main", "ring/md5/path=main"),
            ("ring/md5/migration.copy-limit=3 rows/s/migration.mode=x", "ring/md5"),
            ("ring/md5/path=main", "ring/md5/path=main"),
        ] {
            cell.id = id.into();
            assert_eq!(placement_id(&cell), want);
        }
    }
}
