//! From counts to the record: names, shares, balance, movement, theory.

use super::capacity::Capacities;
use super::copies::record::copies;
use super::failure::failure;
use super::input::Input;
use super::plan::{Plan, PlannedCell, Routed};
use super::queries::record::StepQueries;
use super::queries::{Matcher, QuerySet};
use super::replay::Replayed;
use super::tally::{CellTally, Flow, Load, LoadTally, StepTally, alive};
use crate::cluster::{Change, ChangeKind, Cluster};
use crate::error::Error;
use crate::metrics::balance::{balance, balance_of_shares};
use crate::metrics::movement::{Tally, moved};
use crate::metrics::theory;
use crate::preset;
use crate::record::{
    AlongPath, ByLoad, CellRecord, ChartRecord, Copies, DataRecord, MovementRecord, NodeMoved,
    NodeRecord, Outcomes, Pair, Queries, ScenarioRecord, StepRecord, Theory, WorkloadRecord,
};
use crate::scenario::{Cell, Scenario, Step, TOGETHER};
use crate::strategy::{Movement, Slot, ring};

/// How the reserved outcomes are called where a node's name would stand, in tally order.
pub const OUTCOME_NAMES: [&str; Slot::OUTCOMES] = ["(misrouted)", "(refused)", "(absent)"];

/// Which scenario was run, its key files fingerprinted; each once, in order of first use.
pub fn scenario<'a>(
    scenario: &Scenario,
    inputs: impl Iterator<Item = &'a Input>,
) -> Result<ScenarioRecord, Error> {
    let mut data: Vec<DataRecord> = Vec::new();
    for input in inputs {
        if let Some(file) = input.source.data()? {
            let record = DataRecord { file: file.file, sha256: file.sha256, rows: file.rows };
            if !data.contains(&record) {
                data.push(record);
            }
        }
    }
    Ok(ScenarioRecord {
        name: scenario.name.clone(),
        title: scenario.title.clone(),
        question: scenario.question.clone(),
        analysis: scenario.analysis.clone(),
        sha256: scenario.sha256.clone(),
        data,
    })
}

/// The charts that the scenario configures.
pub fn charts(scenario: &Scenario) -> Vec<ChartRecord> {
    let json = |chart: &crate::scenario::ChartSpec| {
        chart.params.iter().map(|(name, value)| (name.to_string(), value.to_json())).collect()
    };
    scenario
        .charts
        .iter()
        .map(|chart| ChartRecord { kind: chart.kind.clone(), params: json(chart) })
        .collect()
}

/// Facts of the rows that all cells of a workload share.
pub fn workload(cell: &Cell, input: &Input, replayed: &Replayed) -> WorkloadRecord {
    let workload = &cell.workload;
    let hottest =
        (replayed.requests > 0).then(|| replayed.hottest as f64 / replayed.requests as f64);
    let distinct = input.source.distinct().map(|d| d + input.hot.len() as u64);
    WorkloadRecord {
        family: workload.family.as_ref().map(|family| family.to_string()),
        pattern: workload.pattern.name.into(),
        traffic: workload.traffic.map(|t| t.name.into()),
        rows: input.all_rows(),
        distinct,
        hottest_share: hottest,
    }
}

/// Facts of the rows of several families together. Whether a key of one is a key of another too is not
/// known, and so neither is the number of distinct ones.
pub fn together(families: &[&WorkloadRecord], replayed: &Replayed) -> WorkloadRecord {
    let names = |name: &dyn Fn(&WorkloadRecord) -> String| {
        let mut names: Vec<String> = Vec::new();
        for name in families.iter().map(|family| name(family)) {
            if !names.contains(&name) {
                names.push(name);
            }
        }
        names.join(" + ")
    };
    WorkloadRecord {
        family: Some(TOGETHER.into()),
        pattern: names(&|family| family.pattern.clone()),
        traffic: families[0].traffic.clone(),
        rows: families.iter().map(|family| family.rows).sum(),
        distinct: None,
        hottest_share: (replayed.requests > 0)
            .then(|| replayed.hottest as f64 / replayed.requests as f64),
    }
}

/// One cell's record, trials aside.
pub fn cell(
    plan: &Plan<'_>,
    planned: &PlannedCell<'_>,
    tally: Option<&CellTally>,
    queries: Option<(&QuerySet, &Matcher)>,
    workload: &WorkloadRecord,
) -> CellRecord {
    let cell = planned.cell;
    let first = &cell.steps[0];
    let hasher = first.params.get("hasher").map(|_| first.params.hasher().name.to_string());
    let steps = match (&planned.steps, tally) {
        (Ok(routed), Some(tally)) => (0..routed.len())
            .map(|step| {
                let routed: Vec<&Routed> = routed.iter().map(|&r| &plan.routed[r]).collect();
                let most_pairs = plan.most_pairs;
                StepAssembly {
                    planned,
                    routed: &routed,
                    tally,
                    queries,
                    step,
                    workload,
                    most_pairs,
                }
                .record()
            })
            .collect(),
        _ => Vec::new(),
    };
    CellRecord {
        id: cell.id.clone(),
        strategy: preset::family(first.strategy).into(),
        preset: preset::of(first.strategy).map(|p| p.strategy.name.into()),
        hasher,
        label: cell.label.clone(),
        at: cell.at.0.iter().map(|(axis, value)| (axis.clone(), value.to_json())).collect(),
        unsupported: planned.steps.as_ref().err().cloned(),
        workload: workload.clone(),
        steps,
        trials: None,
        control: None,
        price: None,
    }
}

/// What the record of one step is made from.
struct StepAssembly<'a> {
    planned: &'a PlannedCell<'a>,
    routed: &'a [&'a Routed],
    tally: &'a CellTally,
    queries: Option<(&'a QuerySet, &'a Matcher)>,
    step: usize,
    workload: &'a WorkloadRecord,
    most_pairs: usize,
}

impl StepAssembly<'_> {
    fn now(&self) -> &Step {
        &self.planned.cell.steps[self.step]
    }

    fn counts(&self) -> &StepTally {
        &self.tally.steps[self.step]
    }

    fn record(&self) -> StepRecord {
        let cluster = &self.now().cluster;
        let ids = cluster.ids;
        let live = live(cluster);
        let placement = self.routed[self.step].placement.as_ref();
        let owned = placement.ownership().map(|o| o.shares(ids));
        let fair = self.now().fair_shares();
        let fair_live: Vec<f64> = live.iter().map(|&id| fair[id]).collect();
        let totals = self.by_load(|load| load.at.iter().sum());
        let first = &self.counts().loads[0].at;
        let mut balances = self.by_load(|load| {
            let loads: Vec<u64> = live.iter().map(|&id| load.at[id]).collect();
            balance(&loads, &fair_live)
        });
        let keys: Vec<u64> = live.iter().map(|&id| first[id]).collect();
        let owned_live: Option<Vec<f64>> =
            owned.as_ref().map(|owned| live.iter().map(|&id| owned[id]).collect());
        // Rows that repeat are not independent, and requests never are.
        if self.workload.distinct == Some(self.workload.rows)
            && let Some(balance) = balances.get_mut(Load::Keys.name())
        {
            balance.test_keys(&keys, &fair_live, owned_live.as_deref());
        }
        if let Some(owned) = &owned_live {
            balances.insert("owned".into(), balance_of_shares(owned, &fair_live));
        }
        let capacities = Capacities::new(self.planned.cell, self.tally);
        let per_node = cluster
            .nodes
            .iter()
            .filter(|node| !cluster.down.contains(&node.id))
            .map(|node| NodeRecord {
                node: node.name.to_string(),
                weight: node.weight,
                loads: self.by_load(|load| load.at[node.id.0 as usize]),
                owned_share: owned.as_ref().map(|shares| shares[node.id.0 as usize]),
                capacity: capacities.by_load(node),
            })
            .collect();
        StepRecord {
            step: self.step,
            change: self.now().change.as_ref().map(|c| c.text.clone()),
            nodes: live.len(),
            points: placement.points(),
            heap_bytes: placement.heap_bytes(),
            shared_points: placement.shared_points(),
            lookup_steps: placement.lookup_steps(),
            outcomes: Outcomes {
                misrouted: first[ids],
                refused: first[ids + 1],
                absent: first[ids + 2],
            },
            totals,
            per_node,
            balance: balances,
            copies: self.copies(&live, &fair_live),
            queries: self.queried(&live),
            theory: self.theory(&fair_live, keys.iter().sum(), owned.is_some()),
            movement: (self.step > 0).then(|| self.movement()),
            timeline: None,
            failure: failure(self.planned, self.tally, self.step, &names(self.planned.cell)),
            phases: None,
            spill: None,
        }
    }

    fn by_load<T>(&self, get: impl Fn(&LoadTally) -> T) -> ByLoad<T> {
        let tallies = self.tally.loads.iter().zip(&self.counts().loads);
        let tallies = tallies.filter(|(load, _)| load.is_whole());
        tallies.map(|(load, tally)| (load.name().to_string(), get(tally))).collect()
    }

    fn copies(&self, live: &[usize], fair: &[f64]) -> Option<Copies> {
        let tally = self.counts().copies.as_ref()?;
        Some(copies(tally, self.planned.cell.replicas, live, fair))
    }

    fn queried(&self, live: &[usize]) -> Option<Queries> {
        let (set, matcher) = self.queries?;
        let (counts, routed) = (&self.counts().queried, self.routed[self.step]);
        let cluster = &self.now().cluster;
        StepQueries { set, matcher, counts, routed, cluster, live }.record()
    }

    fn theory(&self, fair: &[f64], keys: u64, owns: bool) -> Theory {
        let step = self.now();
        // The closed form is for rings: strategies that own arcs between points of their nodes' names.
        let ring = owns
            && step.strategy.caps.names
            && step.params.get("vnodes").is_some()
            && step.cluster.down.is_empty()
            && (step.cluster.is_unweighted() || *step.strategy == ring::INFO);
        // Bounded load gives a key several owners, and so no floor holds.
        let bounded = self.routed[self.step].placement.session().is_some();
        let hottest = self.workload.hottest_share.filter(|_| !bounded);
        Theory {
            cv_owned: ring.then(|| self.cv_owned(fair)),
            cv_sampling: (keys > 0).then(|| theory::cv_sampling_shares(fair, keys)),
            hot_key_floor: hottest.map(|share| theory::hot_key_floor(share, fair)),
            share_moved: self.expected_movement(),
        }
    }

    fn cv_owned(&self, fair: &[f64]) -> f64 {
        let (cluster, vnodes) = (&self.now().cluster, self.now().params.int("vnodes"));
        if cluster.is_unweighted() {
            return theory::cv_owned_ring(fair.len() as u64, vnodes as u64);
        }
        let points = ring::points::counts(cluster, vnodes as u32).expect("the ring was built");
        theory::cv_owned_points(&points, fair)
    }

    /// Where a closed form is known: nodes join, and the strategy is modulo or moves the minimum.
    fn expected_movement(&self) -> Option<f64> {
        let step = self.now();
        let ChangeKind::Add(_) = step.change.as_ref()?.kind else { return None };
        let earlier = &self.planned.cell.steps[self.step - 1];
        let before = &earlier.cluster;
        match step.strategy.movement {
            Movement::Minimal => {
                Some(theory::minimum_share(&earlier.fair_shares(), &step.fair_shares()))
            }
            _ if step.strategy.name == crate::strategy::modulo::INFO.name => {
                let (n, m) = (before.nodes.len() as u64, step.cluster.nodes.len() as u64);
                Some(theory::modulo_moved(n, m))
            }
            _ => None,
        }
    }

    fn movement(&self) -> MovementRecord {
        let cell = self.planned.cell;
        let names = names(cell);
        let since = |before: usize, flow: &dyn Fn(&LoadTally) -> &Flow| {
            let (was, is) = (alive(self.planned, before), alive(self.planned, self.step));
            let fair_before = cell.steps[before].fair_shares();
            let fair_after = self.now().fair_shares();
            let start = &self.tally.steps[before].loads;
            let ids = self.now().cluster.ids;
            self.tally
                .loads
                .iter()
                .zip(start.iter().zip(&self.counts().loads))
                .filter(|(load, _)| load.is_whole())
                .map(|(load, (before, now))| {
                    let tally = Tally {
                        before: &before.at,
                        after: &now.at,
                        alive_before: &was[..ids],
                        alive_after: &is[..ids],
                        fair_before: &fair_before,
                        fair_after: &fair_after,
                        flows: &flow(now).sums,
                    };
                    (load.name().to_string(), moved(&tally))
                })
                .collect::<ByLoad<_>>()
        };
        let change = self.now().change.as_ref();
        let failed = |c: &Change| matches!(c.kind, ChangeKind::Fail(..));
        MovementRecord {
            verb: if change.is_some_and(failed) { "lost" } else { "moved" }.into(),
            loads: since(self.step - 1, &|load| &load.moved),
            per_node: self.per_node_moved(&names),
            pairs: self.pairs(&names),
            from_start: (self.step > 1).then(|| since(0, &|load| &load.from_start)),
            along_path: self.along_path(),
        }
    }

    /// How often the same keys have moved so far, where that was counted.
    fn along_path(&self) -> Option<ByLoad<AlongPath>> {
        let repeats = self.tally.repeats.as_ref()?;
        let of = |(l, load): (usize, &Load)| {
            let total: u64 = self.tally.steps[0].loads[l].at.iter().sum();
            let share = |part: u64| if total == 0 { 0.0 } else { part as f64 / total as f64 };
            let steps = &self.tally.steps[1..=self.step];
            // Shares are summed: the amounts of a thousand steps might not fit.
            let share_moved = steps.iter().map(|s| share(s.loads[l].moved.sums.moved)).sum();
            let moved =
                steps.iter().fold(0u64, |sum, s| sum.saturating_add(s.loads[l].moved.sums.moved));
            let seen = repeats.seen[l][self.step];
            let along = AlongPath {
                moved,
                share_moved,
                ever: seen.ever,
                ever_share: share(seen.ever),
                more_than_once: seen.again,
                more_than_once_share: share(seen.again),
                most_moves: seen.most,
            };
            (load.name().to_string(), along)
        };
        Some(self.tally.loads.iter().enumerate().map(of).collect())
    }

    /// Nodes alive before or after, by id, then the outcomes that take part.
    fn per_node_moved(&self, names: &[String]) -> Vec<NodeMoved> {
        let was = alive(self.planned, self.step - 1);
        let is = alive(self.planned, self.step);
        (0..names.len())
            .map(|row| {
                let gives = self.by_load(|load| load.moved.sums.gives[row]);
                let receives = self.by_load(|load| load.moved.sums.receives[row]);
                (row, NodeMoved { node: names[row].clone(), gives, receives })
            })
            .filter(|(row, node)| {
                was[*row] | is[*row]
                    || node.gives.values().chain(node.receives.values()).any(|&n| n > 0)
            })
            .map(|(_, node)| node)
            .collect()
    }

    fn pairs(&self, names: &[String]) -> Option<Vec<Pair>> {
        let rows = names.len();
        let loads = &self.counts().loads;
        if loads[0].moved.pairs.is_empty() {
            return None;
        }
        let mut pairs = Vec::new();
        for from in 0..rows {
            for to in (0..rows).filter(|&to| to != from) {
                let amounts = self.by_load(|load| load.moved.pairs[from * rows + to]);
                if amounts.values().any(|&n| n > 0) {
                    let (from, to) = (names[from].clone(), names[to].clone());
                    pairs.push(Pair { from, to, loads: amounts });
                    if pairs.len() > self.most_pairs {
                        return None;
                    }
                }
            }
        }
        Some(pairs)
    }
}

/// Ids of the members that are up, in the cluster's order.
fn live(cluster: &Cluster) -> Vec<usize> {
    let up = cluster.nodes.iter().filter(|node| !cluster.down.contains(&node.id));
    up.map(|node| node.id.0 as usize).collect()
}

/// Names by tally row: every node that any step of the cell has, then the outcomes.
pub fn names(cell: &Cell) -> Vec<String> {
    let ids = cell.steps[0].cluster.ids;
    let mut names = vec![String::new(); ids];
    for step in &cell.steps {
        for node in &step.cluster.nodes {
            names[node.id.0 as usize] = node.name.to_string();
        }
    }
    names.extend(OUTCOME_NAMES.map(String::from));
    names
}
