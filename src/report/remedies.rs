//! The columns of the summary that hold remedies against each other: what each brings, and its price.

use super::grid::{Column, add_of_cell};
use super::number::{fixed, grouped, percent};
use crate::record::{CellRecord, Price};

/// Adds the columns of prices.
pub(super) fn columns(columns: &mut Vec<Column>) {
    type Number = fn(&Price) -> Option<String>;
    let numbers: [(&str, Number); 4] = [
        ("largest ÷\nwithout", |p| p.largest.map(|x| fixed(x, 3))),
        ("others\nmax/mean", |p| p.others_max_over_mean.map(|x| fixed(x, 3))),
        ("work ÷\nwithout", |p| p.work.map(|x| fixed(x, 3))),
        ("keys\nmoved %", |p| p.moved.map(|x| percent(x, 2))),
    ];
    for (head, text) in numbers {
        add_of_cell(columns, head, true, move |cell| cell.price.as_ref().and_then(text));
    }
    add_of_cell(columns, "price, verdict", false, |cell| {
        Some(words(cell)).filter(|w| !w.is_empty())
    });
}

/// What a remedy costs in words, as far as no column says it.
fn words(cell: &CellRecord) -> String {
    let Some(price) = &cell.price else { return String::new() };
    let count = |x: f64| grouped(x as u64);
    let mut parts: Vec<String> = Vec::new();
    if let Some(control) = &cell.control {
        parts.push(control.verdict.clone());
    }
    if price.extra_nodes > 0.0 {
        let nodes = if price.extra_nodes == 1.0 { "node" } else { "nodes" };
        parts.push(format!("{} {nodes} more", count(price.extra_nodes)));
    }
    if let Some(points) = price.points.filter(|points| *points >= 1.5) {
        parts.push(format!("{} times the points", fixed(points, 0)));
    }
    if let Some(buckets) = price.buckets_moved {
        parts.push(format!("{} buckets moved", count(buckets)));
    }
    if let (Some(total), Some(moved)) = (price.moved_total, price.moved)
        && total > moved + 1e-9
    {
        parts.push(format!("{} % moved in all rounds", percent(total, 1)));
    }
    if let Some(spill) = price.spill {
        parts.push(format!("{} % of requests spill", percent(spill, 1)));
    }
    if let Some(entries) = price.cache_entries {
        parts.push(format!("{} cache entries", count(entries)));
    }
    if let Some(parts_read) = price.read_fan_out {
        parts.push(format!("{} reads for one", count(parts_read)));
    }
    parts.join(", ")
}

#[cfg(test)]
mod tests {
    use super::super::sample;
    use super::*;

    #[test]
    fn a_price_reads_as_a_sentence() {
        let mut cell = sample::record().cells.remove(0);
        cell.price = Some(Price {
            extra_nodes: 1.0,
            points: Some(10.0),
            moved: Some(0.1),
            moved_total: Some(0.35),
            spill: Some(0.125),
            cache_entries: Some(2000.0),
            ..Price::default()
        });
        let want = "1 node more, 10 times the points, 35.0 % moved in all rounds, 12.5 % of requests spill, 2,000 cache entries";
        assert_eq!(words(&cell), want);
        cell.price = Some(Price::default());
        assert_eq!(words(&cell), "");
    }
}
