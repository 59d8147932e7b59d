//! `[[query]]`: queries over many keys, given or to be drawn.

use std::path::Path;

use super::cells::{Keys, places};
use super::fields::{MAX_QUERIES, MAX_QUERY_WIDTH, name, text};
use super::table::{self, TableSpec};
use super::tree::Table;
use super::workload::KeysVariant;
use super::{Query, QueryForm};
use crate::error::Error;
use crate::keys::parse::push_text;
use crate::keys::{KeyBatch, KeyKind, KeyRange, PatternBuild};
use crate::params::{Default, Param, Params, Type, Value};

/// Most keys that the queries of one table draw or list together.
const MAX_QUERY_KEYS: i64 = 500_000;

/// `[[query]]`
pub static QUERY: TableSpec = TableSpec {
    name: "[[query]]",
    doc: "A query over many keys, or some drawn at random: a range, a prefix, or a list of keys",
    params: &[
        name("name", "name of the query; what it asks for when absent"),
        Param::new(
            "share",
            Type::Float { min: 0.000_001, max: 1e9 },
            Default::Float(1.0),
            "how often it is asked, relative to the other queries; drawn ones have it together",
        ),
        Param::new("from", Type::Key, Default::Absent, "first key of a range; none: no lower end"),
        Param::new(
            "to",
            Type::Key,
            Default::Absent,
            "end of a range, itself excluded; none: no upper end",
        ),
        text("prefix", "what the keys begin with; for text keys and UUIDs"),
        Param::new("keys", Type::List(&Type::Key), Default::Absent, "the keys asked for"),
        Param::new(
            "kind",
            Type::Choice(&["range", "prefix", "list"]),
            Default::Absent,
            "what to draw at random from the scenario's keys, with `count` and `width`",
        ),
        Param::new(
            "count",
            Type::Int { min: 1, max: MAX_QUERIES },
            Default::Absent,
            "number of queries to draw",
        ),
        Param::new(
            "width",
            Type::Int { min: 1, max: MAX_QUERY_WIDTH },
            Default::Absent,
            "size of a drawn query: distinct keys of a range from a random one on, characters of a \
             prefix of one, random keys of a list",
        ),
    ],
    sweeps: &[],
    nested: &[],
};

/// The fields that say what a query asks for, each of them alone.
const FORMS: &[&[&str]] = &[&["from", "to"], &["prefix"], &["keys"], &["kind"]];

/// `[[query]]`. None: something is wrong and reported.
pub fn read(root: &Table, keys: &Keys, base: &Path, errors: &mut Vec<Error>) -> Option<Vec<Query>> {
    let before = errors.len();
    let mut queries: Vec<Query> = Vec::new();
    let tables = root.get("query").map_or(Vec::new(), |q| table::as_tables(q, "query", errors));
    for table in tables {
        let Some(params) = table::closed(table, &QUERY, errors) else { continue };
        match query(table, &params) {
            Ok(query) if queries.iter().any(|q| q.name == query.name) => errors.push(
                Error::invalid(format!("two queries are called `{}`", query.name))
                    .help("give one of them a name of its own: `name = \"…\"`")
                    .at(table.place_of("name")),
            ),
            Ok(query) => queries.push(query),
            Err(error) => errors.push(table.locate(error)),
        }
    }
    if errors.len() == before && !queries.is_empty() {
        match keys {
            Keys::One(keys) => check_kinds(&queries, keys, base, errors),
            Keys::Families(_) => errors.push(
                Error::invalid("queries ask one source of keys, and there are several families")
                    .help("leave one `[[keys]]` in a scenario with queries, without `family`")
                    .at(root.place_of("query")),
            ),
        }
    }
    (errors.len() == before).then_some(queries)
}

fn query(table: &Table, params: &Params) -> Result<Query, Error> {
    let given = |fields: &[&str]| fields.iter().any(|field| table.get(field).is_some());
    let mut forms = FORMS.iter().filter(|fields| given(fields));
    let write =
        "give a range (`from`, `to`), a `prefix`, a list of `keys`, or a `kind` to draw at random";
    let form = match (forms.next(), forms.next()) {
        (Some(form), None) => form[0],
        (None, _) => return Err(Error::invalid("the query asks for nothing").help(write)),
        (Some(one), Some(other)) => {
            let field = if table.get(other[0]).is_some() { other[0] } else { other[1] };
            let (one, other) = (one.join("`, `"), other.join("`, `"));
            return Err(Error::invalid(format!("the query has both `{one}` and `{other}`"))
                .help(write)
                .help("write a [[query]] for each")
                .field(field));
        }
    };
    if form != "kind"
        && let Some(field) = ["count", "width"].into_iter().find(|f| table.get(f).is_some())
    {
        return Err(Error::invalid(format!("`{field}` belongs to queries drawn at random"))
            .help("leave it out, or say what to draw: `kind = \"range\"`, \"prefix\" or \"list\"")
            .field(field));
    }
    let text = |name: &str| params.text_opt(name).map(str::to_string);
    let form = match form {
        "from" => QueryForm::Range { from: text("from"), to: text("to") },
        "prefix" => QueryForm::Prefix(params.text("prefix").to_string()),
        "keys" => list(params.list("keys").expect("it is given"))?,
        _ => drawn(params)?,
    };
    let name = text("name").unwrap_or_else(|| form.to_string());
    if name.chars().any(char::is_control) {
        return Err(Error::invalid("the query has no name that fits in one line")
            .help("give it one: `name = \"…\"`"));
    }
    Ok(Query { name, share: params.float("share"), form, places: places(table) })
}

fn list(keys: &[Value]) -> Result<QueryForm, Error> {
    if keys.is_empty() {
        return Err(Error::invalid("`keys` is an empty list")
            .help("give the keys that the query asks for")
            .field("keys"));
    }
    if keys.len() as i64 > MAX_QUERY_KEYS {
        return Err(Error::invalid(format!("`keys` has {} keys", keys.len()))
            .help(format!("at most {MAX_QUERY_KEYS}"))
            .field("keys"));
    }
    Ok(QueryForm::List(keys.iter().map(ToString::to_string).collect()))
}

fn drawn(params: &Params) -> Result<QueryForm, Error> {
    let number = |field: &'static str, example: &str| {
        params.get(field).map(|_| params.int(field)).ok_or_else(|| {
            Error::invalid(format!("`{field}` is missing for queries drawn at random"))
                .help(format!("write e.g. {field} = {example}"))
                .field("kind")
        })
    };
    let (count, width) = (number("count", "100")?, number("width", "10")?);
    let kind = params.text("kind");
    if kind != "prefix" && count * width > MAX_QUERY_KEYS {
        return Err(Error::invalid(format!(
            "{count} queries of {width} keys are {} keys",
            count * width
        ))
        .help(format!("at most {MAX_QUERY_KEYS} in one [[query]]: draw fewer or smaller ones"))
        .field("count"));
    }
    debug_assert!(width <= MAX_QUERY_WIDTH);
    let (count, width) = (count as usize, width as usize);
    Ok(match kind {
        "range" => QueryForm::Ranges { count, width },
        "prefix" => QueryForm::Prefixes { count, width },
        _ => QueryForm::Lists { count, width },
    })
}

/// Queries must ask for keys of the kind that every swept pattern gives.
fn check_kinds(queries: &[Query], keys: &[KeysVariant], base: &Path, errors: &mut Vec<Error>) {
    for variant in keys {
        let build = PatternBuild { params: &variant.params, seed: 0, base };
        let Ok(source) = (variant.info.build)(&build) else { return };
        let before = errors.len();
        for query in queries {
            if let Err(error) = query.check(source.kind()) {
                let given = format!("pattern {} gives {} keys", variant.info.name, source.kind());
                errors.push(query.places.locate(error.help(given)));
            }
        }
        if errors.len() > before {
            return;
        }
    }
}

impl Query {
    /// Whether it can be asked of keys of that kind.
    fn check(&self, kind: KeyKind) -> Result<(), Error> {
        match &self.form {
            QueryForm::Range { .. } | QueryForm::Prefix(_) => self.range(kind).map(|_| ()),
            QueryForm::List(_) => self.listed(kind).map(|_| ()),
            QueryForm::Prefixes { .. } if kind.is_integer() => {
                Err(Error::invalid("integer keys have no prefix")
                    .help("draw ranges or lists")
                    .field("kind"))
            }
            QueryForm::Ranges { .. } | QueryForm::Prefixes { .. } | QueryForm::Lists { .. } => {
                Ok(())
            }
        }
    }

    /// The range that it asks for; the query is a range or a prefix.
    pub fn range(&self, kind: KeyKind) -> Result<KeyRange, Error> {
        match &self.form {
            QueryForm::Range { from, to } => {
                KeyRange::between(kind, from.as_deref(), to.as_deref())
            }
            QueryForm::Prefix(prefix) => KeyRange::prefix(kind, prefix),
            other => panic!("{other} is no range"),
        }
    }

    /// The keys that it lists; the query is a list.
    pub fn listed(&self, kind: KeyKind) -> Result<KeyBatch, Error> {
        let QueryForm::List(keys) = &self.form else { panic!("{} is no list", self.form) };
        let mut batch = KeyBatch::new(kind);
        for key in keys {
            push_text(&mut batch, key.as_bytes()).map_err(|wanted| {
                Error::invalid(format!("`keys` holds \"{key}\", which is not {wanted}"))
                    .help("list keys of the pattern's own kind")
                    .field("keys")
            })?;
        }
        Ok(batch)
    }
}
