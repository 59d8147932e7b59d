//! The sweep: every combination of cluster, replicas, keys, traffic, strategy and path, in order.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::changes::PathSpec;
use super::cluster::ClusterVariant;
use super::families::{self, Family};
use super::fields::{MAX_CELLS, MAX_HISTORY_NODES, MAX_PLACED_NODES, MAX_PLACEMENTS};
use super::hot::Swept;
use super::migration::MigrationVariant;
use super::remedies::{self, Remedy};
use super::strategies::{self, StrategyTable, StrategyVariant};
use super::table::{Axis, too_many_cells};
use super::tree::Table;
use super::workload::{KeysVariant, TrafficVariant, workload};
use super::{At, Cell, Migration, Places, Step, Workload};
use crate::cluster::path::{self, History, Ids};
use crate::error::Error;
use crate::params::Value;
use crate::preset;

/// Everything that the tables of a scenario span.
#[derive(Debug)]
pub struct Sweep<'a> {
    /// The whole file.
    pub root: &'a Table,
    /// Seeds.
    pub seeds: Axis,
    /// Clusters at step 0.
    pub clusters: Vec<ClusterVariant>,
    /// Nodes per key.
    pub replicas: Axis,
    /// Keys.
    pub keys: Keys,
    /// Traffic.
    pub traffic: Vec<TrafficVariant>,
    /// Strategy tables.
    pub strategies: Vec<StrategyTable<'a>>,
    /// Paths.
    pub paths: Vec<PathSpec<'a>>,
    /// How movement is carried out.
    pub migrations: Vec<MigrationVariant>,
    /// What every cell is tried with.
    pub remedies: Vec<Remedy<'a>>,
}

/// The keys of a scenario.
#[derive(Debug)]
pub enum Keys {
    /// One source, with what its fields sweep over.
    One(Vec<KeysVariant>),
    /// Several families.
    Families(Vec<Family>),
}

impl Keys {
    /// How many workloads they make of one kind of traffic.
    fn len(&self) -> usize {
        match self {
            Keys::One(variants) => variants.len(),
            Keys::Families(families) => families.len() + 1,
        }
    }

    /// The workloads that they make of one kind of traffic, with the swept fields by dotted name.
    fn workloads(&self, traffic: &TrafficVariant, seed: u64) -> Vec<(Arc<Workload>, Swept)> {
        match self {
            Keys::One(variants) => {
                let one =
                    |keys| (Arc::new(workload(keys, traffic, seed)), dotted("keys", &keys.swept));
                variants.iter().map(one).collect()
            }
            Keys::Families(all) => families::workloads(all, traffic, seed)
                .into_iter()
                .map(|(name, workload)| {
                    let at = (families::AXIS.to_string(), Value::Text(name.to_string()));
                    (workload, vec![at])
                })
                .collect(),
        }
    }
}

/// What a cell has beside its strategy and path.
struct Outer {
    seed: u64,
    replicas: usize,
    workload: Arc<Workload>,
    migration: Option<Arc<Migration>>,
    swept: Vec<(String, Value)>,
}

impl Sweep<'_> {
    /// The cells, in order. None: something is wrong and reported.
    pub fn cells(&self, errors: &mut Vec<Error>) -> Option<Vec<Cell>> {
        let before = errors.len();
        self.check_size(errors)?;
        let mut budget = MAX_HISTORY_NODES;
        let mut histories = Vec::new();
        for cluster in &self.clusters {
            let mut ids = Ids::default();
            let of_path = |path| history(cluster, &mut ids, path, &mut budget, errors);
            histories.push(self.paths.iter().map(of_path).collect::<Option<Vec<History>>>()?);
        }
        self.check_placed(&histories, errors)?;
        strategies::check_settings(&self.paths, &self.strategies, errors);
        if errors.len() > before {
            return None;
        }

        let places: Vec<Arc<Places>> =
            self.strategies.iter().map(|s| Arc::new(places(s.table))).collect();
        let mut cells = Vec::new();
        for (outer, cluster) in self.outer() {
            for (strategy, places) in self.strategies.iter().zip(&places) {
                for variant in &strategy.variants {
                    let map = self.clusters[cluster].map.as_ref();
                    let variant = &strategies::of_map(variant, strategy.table, map);
                    for (path, history) in self.paths.iter().zip(&histories[cluster]) {
                        match self.cell(&outer, strategy, variant, path, history) {
                            Ok(cell) => cells.push(Cell { places: places.clone(), ..cell }),
                            Err(error) => {
                                errors.push(error);
                                return None;
                            }
                        }
                    }
                }
            }
        }
        let cells = remedies::expand(cells, &self.remedies, self.root, errors)?;
        check_ids(&cells, errors);
        (errors.len() == before).then_some(cells)
    }

    /// Seeds × clusters × replicas × keys × traffic × migrations, with the index of the cluster.
    fn outer(&self) -> Vec<(Outer, usize)> {
        let number = |value: &Value| match value {
            Value::Int(i) => *i as u64,
            other => unreachable!("checked to be a whole number: {other}"),
        };
        let mut all = Vec::new();
        for seed in &self.seeds.values {
            // Made once, so that cells that differ in other things share them.
            let by_traffic: Vec<_> =
                self.traffic.iter().map(|t| self.keys.workloads(t, number(seed))).collect();
            for (c, cluster) in self.clusters.iter().enumerate() {
                for replicas in &self.replicas.values {
                    for k in 0..self.keys.len() {
                        for (traffic, workloads) in self.traffic.iter().zip(&by_traffic) {
                            let (workload, of_keys) = &workloads[k];
                            let mut swept = Vec::new();
                            if self.seeds.swept {
                                swept.push(("seed".to_string(), seed.clone()));
                            }
                            swept.extend(cluster.swept.iter().cloned());
                            if self.replicas.swept {
                                swept.push(("replicas".to_string(), replicas.clone()));
                            }
                            swept.extend(of_keys.iter().cloned());
                            if let Some(shape) = &traffic.shape {
                                swept.extend(dotted("traffic", &shape.swept));
                            }
                            swept.extend(traffic.swept.iter().cloned());
                            let outer = |variant: &MigrationVariant| Outer {
                                seed: number(seed),
                                replicas: number(replicas) as usize,
                                workload: workload.clone(),
                                migration: variant.migration.clone(),
                                swept: [swept.clone(), dotted("migration", &variant.swept)]
                                    .concat(),
                            };
                            all.extend(self.migrations.iter().map(|m| (outer(m), c)));
                        }
                    }
                }
            }
        }
        all
    }

    fn cell(
        &self,
        outer: &Outer,
        strategy: &StrategyTable<'_>,
        variant: &StrategyVariant,
        path: &PathSpec<'_>,
        history: &History,
    ) -> Result<Cell, Error> {
        let (mut info, mut params) = (variant.info, variant.params.clone());
        let mut steps = Vec::with_capacity(history.len());
        for (i, (change, cluster)) in history.iter().enumerate() {
            let mut rebuilt = false;
            if let Some(stated) = i.checked_sub(1).map(|i| &path.changes[i])
                && let Some((new_info, new_params)) = strategies::alter(stated, info, &params)?
            {
                (info, params, rebuilt) = (new_info, new_params, true);
            }
            steps.push(Step {
                change: change.clone(),
                cluster: cluster.clone(),
                strategy: info,
                params: params.clone(),
                rebuilt,
                fair: None,
            });
        }
        Ok(Cell {
            id: self.id(outer, strategy, variant, path),
            at: at(outer, variant, path),
            label: strategy.label.clone(),
            workload: outer.workload.clone(),
            seed: outer.seed,
            replicas: outer.replicas,
            path: path.name.clone(),
            steps,
            migration: outer.migration.clone(),
            places: Arc::default(),
            impossible: None,
            control: None,
        })
    }

    fn id(
        &self,
        outer: &Outer,
        strategy: &StrategyTable<'_>,
        variant: &StrategyVariant,
        path: &PathSpec<'_>,
    ) -> String {
        let mut id = strategy.label.clone().unwrap_or_else(|| variant.info.name.to_string());
        if let Some(hasher) = variant.params.text_opt("hasher") {
            id += &format!("/{hasher}");
        }
        for (name, value) in &variant.swept {
            // The kind or preset leads the id unless the table's name stands there.
            let leads = matches!(*name, "kind" | "preset") && strategy.label.is_none();
            if *name != "hasher" && !leads {
                id += &format!("/{name}={value}");
            }
        }
        for (name, value) in &outer.swept {
            id += &format!("/{name}={value}");
        }
        if self.paths.len() > 1 {
            id += &format!("/path={}", path.name);
        }
        id
    }

    /// Refuses a sweep that is too large, before anything is made of it.
    fn check_size(&self, errors: &mut Vec<Error>) -> Option<()> {
        let strategies: usize = self.strategies.iter().map(|s| s.variants.len()).sum();
        let cells = self
            .outer_count()
            .and_then(|n| n.checked_mul(strategies))
            .and_then(|n| n.checked_mul(self.paths.len()));
        let shown = cells.map_or("too many".to_string(), |n| n.to_string());
        if cells.is_none_or(|n| n > MAX_CELLS) {
            errors.push(too_many_cells(&shown, MAX_CELLS, self.root.place.clone()));
            return None;
        }
        Some(())
    }

    fn outer_count(&self) -> Option<usize> {
        [
            self.clusters.len(),
            self.replicas.values.len(),
            self.keys.len(),
            self.traffic.len(),
            self.migrations.len(),
        ]
        .into_iter()
        .try_fold(self.seeds.values.len(), usize::checked_mul)
    }

    /// Bounds what all cells together hold: placements, and node entries in them.
    fn check_placed(&self, histories: &[Vec<History>], errors: &mut Vec<Error>) -> Option<()> {
        let strategies: usize = self.strategies.iter().map(|s| s.variants.len()).sum();
        let per_history = self.outer_count()? / self.clusters.len() * strategies;
        let steps = histories.iter().flatten().flatten();
        let placements = steps.clone().count().saturating_mul(per_history);
        let nodes: usize = steps.map(|(_, cluster)| cluster.nodes.len()).sum();
        let nodes = nodes.saturating_mul(per_history);
        for (have, what, limit) in [
            (placements, "placements (cells × steps)", MAX_PLACEMENTS),
            (nodes, "node entries in all placements together", MAX_PLACED_NODES),
        ] {
            if have > limit {
                errors.push(
                    Error::invalid(format!("the scenario has {have} {what}"))
                        .help(format!(
                            "at most {limit}: shorten a sweep or a path, or split the scenario"
                        ))
                        .at(self.root.place.clone()),
                );
                return None;
            }
        }
        Some(())
    }
}

fn history(
    cluster: &ClusterVariant,
    ids: &mut Ids,
    path: &PathSpec<'_>,
    budget: &mut usize,
    errors: &mut Vec<Error>,
) -> Option<History> {
    let stated = path.changes.iter();
    let alterations: Vec<_> =
        stated.map(|c| (&c.alteration, Some(c.entry.item.place.clone()))).collect();
    path::resolve(&cluster.start, ids, &alterations, budget)
        .map_err(|error| errors.push(error.at(cluster.place.clone())))
        .ok()
}

fn dotted(table: &str, swept: &[(&'static str, Value)]) -> Vec<(String, Value)> {
    swept.iter().map(|(name, value)| (format!("{table}.{name}"), value.clone())).collect()
}

fn at(outer: &Outer, variant: &StrategyVariant, path: &PathSpec<'_>) -> At {
    let text = |value: &str| Value::Text(value.to_string());
    let mut axes = vec![("strategy".to_string(), text(preset::family(variant.info)))];
    if let Some(preset) = preset::of(variant.info) {
        axes.push(("preset".to_string(), text(preset.strategy.name)));
    }
    if let Some(hasher) = variant.params.text_opt("hasher") {
        axes.push(("hasher".to_string(), text(hasher)));
    }
    axes.push(("path".to_string(), text(&path.name)));
    for param in variant.info.params.iter().filter(|p| p.name != "hasher") {
        if let Some(value) = variant.params.get(param.name) {
            axes.push((param.name.to_string(), value.clone()));
        }
    }
    axes.extend(outer.swept.iter().cloned());
    At(axes)
}

/// Where a table and its fields stand.
pub(super) fn places(table: &Table) -> Places {
    let fields = table.entries.iter().map(|e| (e.key.clone(), e.item.place.clone())).collect();
    Places { table: Some(table.place.clone()), fields }
}

fn check_ids(cells: &[Cell], errors: &mut Vec<Error>) {
    let mut ids = BTreeSet::new();
    if let Some(cell) = cells.iter().find(|cell| !ids.insert(cell.id.as_str())) {
        let error = Error::invalid(format!("two cells have the id `{}`", cell.id))
            .help("give one of the strategy tables a name: `name = \"…\"`");
        errors.push(cell.locate(error));
    }
}
