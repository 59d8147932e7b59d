//! From the text of a claims file to a checked [`Article`]. Set-ups are scenarios in sub-tables, read by the
//! scenario reader, so that every error has its line and column.

use std::path::Path;

use super::claimed::Claimed;
use super::fields::{BESIDE, CLAIM, FILE, FORMULA, GRID, PART, READING, SECOND};
use super::ledger::{
    Article, Beside, Claim, Column, Figure, Grid, Over, Part, Probe, Reading, Setup, Source,
};
use super::quantity::{Quantity, transform};
use crate::error::Error;
use crate::metrics::formulas::{self, Formula};
use crate::params::{Params, Value};
use crate::scenario::conditions::{check_step, filter};
use crate::scenario::table::{as_table, as_tables, closed};
use crate::scenario::tree::{self, Item, Table};
use crate::scenario::{Trials, read};

/// Label sets on which a point is judged unless the set-up says otherwise.
const POINT_TRIALS: u32 = 10_000;

/// Keys that a label set places unless the set-up says otherwise.
const TRIAL_KEYS: u64 = 100_000;

/// Reads a claims file. `label` is how messages name it, `base` the folder that key files of its set-ups
/// start from.
pub fn parse(text: &str, label: &str, base: &Path) -> Result<Article, Vec<Error>> {
    let source = tree::Source { file: label.into(), text: text.into() };
    let mut errors = Vec::new();
    let root = tree::read(&source, &mut errors);
    if !errors.is_empty() {
        return Err(errors);
    }
    let article = article(&root, text, base, &mut errors);
    article.filter(|_| errors.is_empty()).ok_or(errors)
}

fn article(root: &Table, text: &str, base: &Path, errors: &mut Vec<Error>) -> Option<Article> {
    let params = closed(root, &FILE, errors);
    let setups = setups(root, text, base, errors);
    let tables = root.get("claim").map_or(Vec::new(), |c| as_tables(c, "claim", errors));
    let (params, setups) = (params?, setups?);
    let mut claims: Vec<Claim> = Vec::new();
    for table in tables {
        let Some(claim) = claim(table, &setups, errors) else { continue };
        if claims.iter().any(|other| other.id == claim.id) {
            let error = Error::invalid(format!("two claims are called `{}`", claim.id));
            errors.push(error.help("each has its own id").at(table.place_of("id")));
        }
        claims.push(claim);
    }
    let text = |name: &str| params.text(name).to_string();
    Some(Article { letter: text("article"), title: text("title"), setups, claims })
}

fn setups(root: &Table, text: &str, base: &Path, errors: &mut Vec<Error>) -> Option<Vec<Setup>> {
    let Some(item) = root.get("setup") else { return Some(Vec::new()) };
    let before = errors.len();
    let mut setups = Vec::new();
    for entry in &as_table(item, "setup", errors)?.entries {
        let Some(table) = as_table(&entry.item, &entry.key, errors) else { continue };
        let Some(mut scenario) = read::check(table, text, &entry.key, base, true, errors) else {
            continue;
        };
        // A band is run only where a chart may show it; the claims draw their own label sets.
        let given = scenario.trials.clone();
        scenario.trials.take_if(|_| scenario.charts.is_empty());
        setups.push(Setup {
            name: entry.key.clone(),
            scenario,
            trials: given.unwrap_or(Trials { count: POINT_TRIALS, keys: TRIAL_KEYS }),
        });
    }
    (errors.len() == before).then_some(setups)
}

fn claim(table: &Table, setups: &[Setup], errors: &mut Vec<Error>) -> Option<Claim> {
    let params = closed(table, &CLAIM, errors);
    let many = |name: &str, errors: &mut Vec<Error>| match table.get(name) {
        Some(item) => as_tables(item, name, errors),
        None => Vec::new(),
    };
    let parts: Vec<Part> =
        many("part", errors).into_iter().filter_map(|table| part(table, setups, errors)).collect();
    let beside: Vec<Beside> = many("beside", errors)
        .into_iter()
        .filter_map(|table| beside(table, setups, errors))
        .collect();
    let grids: Vec<Grid> =
        many("grid", errors).into_iter().filter_map(|table| grid(table, setups, errors)).collect();
    let params = params?;
    if table.get("part").is_none() {
        let error = Error::invalid(format!("claim {} has no part", params.text("id")));
        errors.push(error.help("give at least one `[[claim.part]]`").at(table.place.clone()));
    }
    let text = |name: &str| params.text_opt(name).unwrap_or_default().trim().to_string();
    Some(Claim {
        id: text("id"),
        says: text("says"),
        parameters: text("parameters"),
        note: text("note"),
        parts,
        beside,
        grids,
    })
}

fn part(table: &Table, setups: &[Setup], errors: &mut Vec<Error>) -> Option<Part> {
    let before = errors.len();
    let params = closed(table, &PART, errors);
    let stated = table.get("claimed").and_then(|item| claimed(item, errors));
    let clock = params.as_ref().and_then(|p| p.text_opt("clock")).map(str::to_string);
    let tables = table.get("reading").map_or(Vec::new(), |r| as_tables(r, "reading", errors));
    let mut readings = Vec::new();
    for table in tables {
        let params = closed(table, &READING, errors);
        let own = table.get("claimed").and_then(|item| claimed(item, errors));
        let figure = figure(table, setups, errors);
        let (Some(params), Some(figure)) = (params, figure) else { continue };
        let claimed = own.or_else(|| stated.clone());
        if claimed.is_none() && clock.is_none() && errors.len() == before {
            let error = Error::invalid("nothing is claimed that the reading could be held against");
            errors.push(error.help("give `claimed`, or `clock`").at(table.place.clone()));
        }
        let words = params.text("as").to_string();
        let claimed = claimed.filter(|_| clock.is_none());
        let unstated = params.get("unstated") == Some(&Value::Bool(true));
        readings.push(Reading { words, claimed, unstated, figure });
    }
    if readings.is_empty() && clock.is_none() && errors.len() == before {
        let error = Error::invalid("the part has neither a reading nor `clock`");
        errors
            .push(error.help("give at least one `[[claim.part.reading]]`").at(table.place.clone()));
    }
    let params = params?;
    let aside = params.get("aside") == Some(&Value::Bool(true));
    Some(Part { says: params.text("says").to_string(), clock, aside, readings })
}

fn claimed(item: &Item, errors: &mut Vec<Error>) -> Option<Claimed> {
    Claimed::parse(&item.value().to_string())
        .map_err(|error| errors.push(error.at(item.place.clone())))
        .ok()
}

fn beside(table: &Table, setups: &[Setup], errors: &mut Vec<Error>) -> Option<Beside> {
    let words = closed(table, &BESIDE, errors).map(|p| p.text("as").to_string());
    let source = match table.get("event") {
        Some(item) => {
            let setup = setup(table, setups, errors)?;
            let name = item.value().to_string();
            let events = &setups[setup].scenario.events;
            if events.iter().all(|event| event.name != name) {
                let known = events.iter().map(|event| event.name.as_str());
                errors.push(Error::unknown("event", &name, known).at(item.place.clone()));
                return None;
            }
            Source::Event(setup, name)
        }
        None => Source::Figure(Box::new(figure(table, setups, errors)?)),
    };
    Some(Beside { words: words?, source })
}

fn figure(table: &Table, setups: &[Setup], errors: &mut Vec<Error>) -> Option<Figure> {
    let first = probe(table, None, setups, errors);
    let second = table.get("with").map(|item| {
        let with = as_table(item, "with", errors)?;
        closed(with, &SECOND, errors)?;
        probe(with, Some(table), setups, errors)
    });
    let theory = table.get("theory").map(|item| theory(item, errors));
    let name = table.get("formula").map_or("value".to_string(), |item| item.value().to_string());
    let transform = transform(&name).map_err(|error| errors.push(table.locate(error))).ok()?;
    if transform.two != second.is_some() {
        let error = match transform.two {
            true => Error::invalid(format!("`formula` {name} takes a second probe"))
                .help("give `with = { … }`: what it lacks is as in the first probe"),
            false => Error::invalid(format!("`formula` {name} takes no second probe"))
                .help("leave out `with`, or write formula = \"ratio\""),
        };
        errors.push(error.at(table.place_of("formula")));
        return None;
    }
    let second = match second {
        Some(second) => Some(second?),
        None => None,
    };
    let theory = match theory {
        Some(theory) => Some(theory?),
        None => None,
    };
    Some(Figure { first: first?, second, transform, theory })
}

fn theory(item: &Item, errors: &mut Vec<Error>) -> Option<(&'static Formula, Vec<f64>)> {
    let table = as_table(item, "theory", errors)?;
    let params = closed(table, &FORMULA, errors)?;
    let found = formulas::find(params.text("name")).map_err(|error| error.field("name"));
    let args: Vec<f64> =
        params.list("args").unwrap_or_default().iter().filter_map(Value::as_f64).collect();
    found
        .and_then(|formula| formula.value(&args).map(|_| (formula, args)))
        .map_err(|error| errors.push(table.locate(error)))
        .ok()
}

/// Index of the set-up that a table names.
fn setup(table: &Table, setups: &[Setup], errors: &mut Vec<Error>) -> Option<usize> {
    let Some(item) = table.get("setup") else {
        let error = Error::invalid("`setup` is missing");
        errors.push(error.help("name one of the file's `[setup.NAME]`").at(table.place.clone()));
        return None;
    };
    let name = item.value().to_string();
    let found = setups.iter().position(|setup| setup.name == name);
    if found.is_none() {
        let known = setups.iter().map(|setup| setup.name.as_str());
        errors.push(Error::unknown("set-up", &name, known).at(item.place.clone()));
    }
    found
}

/// A probe; what a second one lacks is as in the first.
fn probe(
    table: &Table,
    first: Option<&Table>,
    setups: &[Setup],
    errors: &mut Vec<Error>,
) -> Option<Probe> {
    let holder = |field: &str| match (table.get(field), first) {
        (None, Some(first)) => first,
        _ => table,
    };
    let setup = setup(holder("setup"), setups, errors)?;
    let cells = &setups[setup].scenario.cells;
    let filter = filter(holder("where"), cells, errors)?;
    let step = match holder("step").get("step").map(Item::value) {
        Some(Value::Int(step)) => step as usize,
        _ => 0,
    };
    check_step(holder("step"), &filter, step, cells, errors);
    let quantity = quantity(holder("metric"), errors)?;
    let cells: Vec<usize> = (0..cells.len()).filter(|&i| cells[i].at.matches(&filter)).collect();
    let over = match holder("over").get("over").map(|item| item.value().to_string()).as_deref() {
        Some("min") => Over::Min,
        Some(_) => Over::Max,
        None => Over::One,
    };
    if over == Over::One && cells.len() > 1 {
        let names: Vec<&str> =
            cells.iter().take(3).map(|&i| setups[setup].scenario.cells[i].id.as_str()).collect();
        errors.push(
            Error::invalid(format!("{} cells match, {} …", cells.len(), names.join(", ")))
                .help("name more axes in `where`, or say which value counts: over = \"max\" or \"min\"")
                .at(holder("where").place_of("where")),
        );
        return None;
    }
    Some(Probe { setup, cells, step, quantity, over })
}

fn quantity(table: &Table, errors: &mut Vec<Error>) -> Option<Quantity> {
    let Some(item) = table.get("metric") else {
        let error = Error::invalid("`metric` is missing");
        errors.push(error.help("e.g. metric = \"keys.max-deviation\"").at(table.place.clone()));
        return None;
    };
    Quantity::find(&item.value().to_string(), |field| table.get(field).map(Item::value))
        .map_err(|error| errors.push(table.locate(error)))
        .ok()
}

fn grid(table: &Table, setups: &[Setup], errors: &mut Vec<Error>) -> Option<Grid> {
    let params: Option<Params> = closed(table, &GRID, errors);
    let tables = table.get("column").map_or(Vec::new(), |c| as_tables(c, "column", errors));
    let rows = table.get("rows").map(|item| item.value().to_string())?;
    let mut columns = Vec::new();
    for table in tables {
        let Some(params) = closed(table, &BESIDE, errors) else { continue };
        let Some(setup) = setup(table, setups, errors) else { continue };
        let cells = &setups[setup].scenario.cells;
        let Some(filter) = filter(table, cells, errors) else { continue };
        let step = params.int("step") as usize;
        check_step(table, &filter, step, cells, errors);
        let Some(quantity) = quantity(table, errors) else { continue };
        if cells.iter().all(|cell| cell.at.get(&rows).is_none()) {
            let axes = cells.iter().flat_map(|c| c.at.0.iter().map(|(axis, _)| axis.as_str()));
            errors.push(Error::unknown("axis", &rows, axes).at(table.place.clone()));
        }
        columns.push(Column {
            words: params.text("as").to_string(),
            setup,
            filter,
            step,
            quantity,
        });
    }
    let params = params?;
    let text = |name: &str| params.text_opt(name).unwrap_or_default().trim().to_string();
    Some(Grid { title: text("title"), note: text("note"), rows, columns })
}
