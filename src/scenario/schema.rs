//! The JSON Schema of the scenario file (draft-07, which editors read most widely), made from the
//! same declarations that the reader checks.

use serde_json::{Map, Value as Json, json};

use super::faults::FAULT;
use super::fields::{
    CACHE, CHANGE, CHART_COMMON, CLUSTER, CONDITION, EVENT, EXPECT, FAMILY_COMMON, HOT,
    KEYS_COMMON, NODE, PATH, REMEDY_COMMON, ROOT, SEARCH, SPLIT, STRATEGY_COMMON, TRAFFIC_COMMON,
    TRIALS,
};
use super::migration::MIGRATION;
use super::needs::NEEDS;
use super::queries::QUERY;
use super::table::{Holds, TableSpec};
use crate::cluster::{MAX_WEIGHT, MIN_WEIGHT};
use crate::params::{Default, Param, Type};
use crate::{charts, hash, keys, preset, remedy, strategy, traffic};

/// The closed tables, by the name of their definition.
const TABLES: &[(&str, &TableSpec)] = &[
    ("cluster", &CLUSTER),
    ("node", &NODE),
    ("change", &CHANGE),
    ("path", &PATH),
    ("trials", &TRIALS),
    ("event", &EVENT),
    ("search", &SEARCH),
    ("condition", &CONDITION),
    ("expect", &EXPECT),
    ("hot", &HOT),
    ("query", &QUERY),
    ("migration", &MIGRATION),
    ("fault", &FAULT),
    ("needs", &NEEDS),
    ("split", &SPLIT),
    ("cache", &CACHE),
];

/// The schema of a scenario file, for completion and checks in editors.
pub fn schema() -> Json {
    let mut definitions = Map::new();
    for (name, spec) in TABLES {
        definitions.insert((*name).to_string(), closed(spec));
    }
    let mut root = closed(&ROOT);
    let head = root.as_object_mut().expect("a closed table is an object");
    head.insert("$schema".into(), "http://json-schema.org/draft-07/schema#".into());
    head.insert("title".into(), "shardlab scenario".into());
    head.insert("definitions".into(), Json::Object(definitions));
    root
}

fn closed(spec: &TableSpec) -> Json {
    let mut properties = Map::new();
    for param in spec.params {
        let sweeps = spec.sweeps.contains(&param.name);
        properties.insert(param.name.into(), property(param, sweeps));
    }
    for nested in spec.nested {
        let mut holds = holds(&nested.holds);
        if let Some(object) = holds.as_object_mut() {
            object.insert("description".into(), nested.doc.into());
        }
        properties.insert(nested.name.into(), holds);
    }
    object(spec.doc, properties, &required(spec.params, None))
}

fn object(doc: &str, properties: Map<String, Json>, required: &[&str]) -> Json {
    let mut object = json!({
        "type": "object",
        "description": doc,
        "additionalProperties": false,
        "properties": properties,
    });
    if !required.is_empty() {
        object["required"] = json!(required);
    }
    object
}

fn required(params: &[Param], tag: Option<&'static str>) -> Vec<&'static str> {
    let needed = params.iter().filter(|p| p.default == Default::Required).map(|p| p.name);
    needed.chain(tag).collect()
}

fn definition(spec: &'static TableSpec) -> Json {
    let (name, _) = TABLES
        .iter()
        .find(|(_, table)| table.name == spec.name)
        .expect("every nested table has a definition");
    // Beside `$ref`, draft-07 ignores all else: descriptions need the detour.
    json!({ "allOf": [{ "$ref": format!("#/definitions/{name}") }] })
}

fn holds(holds: &Holds) -> Json {
    let scalar = json!({ "type": ["string", "number", "boolean"] });
    let name = json!({ "type": "string", "minLength": 1 });
    match holds {
        Holds::Table(spec) => definition(spec),
        Holds::Tables(spec) => json!({ "type": "array", "items": definition(spec) }),
        Holds::Map(ty) => json!({ "type": "object", "additionalProperties": of_type(ty) }),
        Holds::Any => json!({
            "type": "object",
            "additionalProperties": { "anyOf": [scalar, { "type": "array" }] },
        }),
        Holds::Names => json!({
            "anyOf": [name, { "type": "array", "items": name, "minItems": 1 }],
        }),
        Holds::Nodes(spec) => {
            let one = json!([{ "type": "integer", "minimum": 1 }, name, definition(spec)]);
            let list = json!({ "type": "array", "items": { "anyOf": one }, "minItems": 1 });
            let mut any = one;
            any.as_array_mut().expect("made as one").push(list);
            json!({ "anyOf": any })
        }
        // One table, or one for each family.
        Holds::Open { set: "keys", .. } => json!({
            "anyOf": [open("keys"), { "type": "array", "items": open("family"), "minItems": 1 }],
        }),
        Holds::Open { set, list } => {
            let table = open(set);
            if *list { json!({ "type": "array", "items": table }) } else { table }
        }
    }
}

/// Items of an open set: the field that names them, and for each its name, summary and parameters.
struct Items {
    tag: &'static str,
    items: Vec<(&'static str, &'static str, &'static [Param])>,
}

/// A table of an open set: one alternative for each item, and one for a list of items.
fn open(set: &str) -> Json {
    macro_rules! items {
        ($tag:literal, $set:ident) => {
            Items {
                tag: $tag,
                items: $set::ALL.iter().map(|i| (i.name, i.summary, i.params)).collect(),
            }
        };
    }
    // What names the items, the other common fields, and the items that need no name.
    let (named, common, absent): (_, _, &[&str]) = match set {
        "keys" => (vec![items!("pattern", keys)], KEYS_COMMON, &["file"]),
        "family" => (vec![items!("pattern", keys)], FAMILY_COMMON, &["file"]),
        "traffic" => (vec![items!("shape", traffic)], TRAFFIC_COMMON, &["none", "file"]),
        "remedy" => (vec![items!("kind", remedy)], REMEDY_COMMON, &[]),
        "strategy" => {
            let presets = preset::ALL.iter().map(|p| &p.strategy);
            let presets = presets.map(|s| (s.name, s.summary, s.params)).collect();
            let presets = Items { tag: "preset", items: presets };
            (vec![items!("kind", strategy), presets], STRATEGY_COMMON, &[])
        }
        _ => (vec![items!("kind", charts)], CHART_COMMON, &[]),
    };
    let tags: Vec<&str> = named.iter().map(|named| named.tag).collect();
    let sweeps = !matches!(set, "chart" | "family");
    let mut alternatives = Vec::new();
    for Items { tag, items } in named {
        let names: Vec<&str> = items.iter().map(|(name, ..)| *name).collect();
        for (name, summary, params) in items {
            let mut properties = Map::new();
            properties.insert(tag.into(), json!({ "const": name }));
            // A shape that shares nothing out takes no number of requests.
            let shares = set != "traffic" || !absent.contains(&name);
            let beside = common.iter().filter(|p| !tags.contains(&p.name));
            for param in beside.filter(|p| p.name != "requests" || shares) {
                let sweeps = set == "traffic";
                properties.insert(param.name.into(), property(param, sweeps));
            }
            if set == "traffic" {
                let hot = definition(&HOT);
                properties.insert("hot".into(), json!({ "type": "array", "items": hot }));
                properties.insert("cache".into(), definition(&CACHE));
            }
            for param in params {
                properties.insert(param.name.into(), property(param, sweeps));
            }
            let needs_tag = (!absent.contains(&name)).then_some(tag);
            let mut required = required(params, needs_tag);
            required
                .extend(common.iter().filter(|p| p.default == Default::Required).map(|p| p.name));
            alternatives.push(object(summary, properties, &required));
        }
        if sweeps {
            let list = json!({ "type": "array", "items": { "enum": names }, "minItems": 1 });
            alternatives.push(json!({
                "type": "object",
                "description": "each in turn; every other field belongs to at least one of them",
                "properties": { tag: list },
                "required": [tag],
            }));
        }
    }
    json!({ "anyOf": alternatives })
}

fn property(param: &Param, sweeps: bool) -> Json {
    let one = of_type(&param.ty);
    let mut property = if sweeps {
        json!({ "anyOf": [one, { "type": "array", "items": one, "minItems": 1 }] })
    } else {
        one
    };
    property["description"] = param.doc.into();
    let default = match param.default {
        Default::Required | Default::Absent => return property,
        Default::Bool(b) => json!(b),
        Default::Int(i) => json!(i),
        Default::Float(x) => json!(x),
        Default::Text(t) => json!(t),
    };
    property["default"] = default;
    property
}

fn of_type(ty: &Type) -> Json {
    match ty {
        Type::Bool => json!({ "type": "boolean" }),
        Type::Int { min, max } => {
            // Whole numbers may be written as 1e7, which TOML reads as a float.
            let mut whole = json!({ "type": ["integer", "number"], "multipleOf": 1 });
            bound(&mut whole, "minimum", *min != i64::MIN, json!(min));
            bound(&mut whole, "maximum", *max != i64::MAX, json!(max));
            whole
        }
        Type::Float { min, max } => {
            let mut number = json!({ "type": ["integer", "number"] });
            bound(&mut number, "minimum", *min != f64::MIN, json!(min));
            bound(&mut number, "maximum", *max != f64::MAX, json!(max));
            number
        }
        Type::Text | Type::View | Type::Label(_) | Type::File => json!({ "type": "string" }),
        Type::Key => json!({ "type": ["string", "integer"] }),
        Type::Name => json!({ "type": "string", "minLength": 1 }),
        Type::Weight => {
            let number = json!({
                "type": ["integer", "number"], "minimum": MIN_WEIGHT, "maximum": MAX_WEIGHT,
            });
            json!({ "anyOf": [{ "const": 0 }, number] })
        }
        Type::Choice(names) => json!({ "type": "string", "enum": names }),
        Type::Hasher => {
            let names: Vec<&str> = hash::ALL.iter().map(|h| h.name).collect();
            json!({ "type": "string", "enum": names })
        }
        Type::Duration => json!({ "type": "string" }),
        Type::Rate { .. } => json!({ "type": ["string", "number"], "exclusiveMinimum": 0 }),
        Type::List(item) => json!({ "type": "array", "items": of_type(item) }),
    }
}

fn bound(schema: &mut Json, name: &str, given: bool, value: Json) {
    if given {
        schema[name] = value;
    }
}
