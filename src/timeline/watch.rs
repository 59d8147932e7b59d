//! Keys that are followed singly: where their last acknowledged version is, and when that changes.
//!
//! A watched key is one of its unit's rows and shares its fate. The counts of the unit know nothing of
//! it; it goes by the same rules with a place in the copy's order, and sides of its own, drawn from its
//! own stream.

use super::Tick;
use super::engine::Simulation;
use super::rows::Fresh;
use super::rules::{Scene, Write};
use super::settings::{Job, Mode, PPM, WatchPlan};
use super::unit::{Meter, Phase};
use crate::rng::{Purpose, Stream};

/// Most changes that are noted of a key.
const MOST_EVENTS: usize = 64;

/// Where the last acknowledged version of a key is, as the counts of a unit tell rows apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Place {
    Ahead,
    Changed,
    Dropped,
    Both,
    Target,
    Lost,
}

/// A key that is followed.
#[derive(Debug)]
pub(super) struct Watch {
    pub plan: WatchPlan,
    place: Place,
    /// Its place in the order of the copy, in parts per million.
    position: u64,
    /// Rows that the copy had before it.
    rows: u64,
    writes: Meter,
    stream: Stream,
    /// What happened to it, and when.
    pub events: Vec<(Tick, String)>,
}

impl Watch {
    pub fn new(plan: &WatchPlan, index: usize, job: &Job) -> Self {
        let mut stream = Stream::new(job.settings.seed, Purpose::Watched, index as u64);
        let position = stream.below(PPM);
        let mut watch = Watch {
            plan: plan.clone(),
            place: Place::Ahead,
            position,
            rows: 0,
            writes: Meter::default(),
            stream,
            events: Vec::new(),
        };
        let home = &job.nodes[job.units[plan.unit].from];
        watch.note(
            0,
            match plan.present {
                true => format!("on {home}"),
                false => format!("none of the keys; one of this name would be on {home}"),
            },
        );
        watch
    }

    fn note(&mut self, now: Tick, text: String) {
        if self.events.len() < MOST_EVENTS {
            self.events.push((now, text));
        }
    }

    fn put(&mut self, place: Place, now: Tick, source: &str, target: &str) {
        if self.place == place || self.place == Place::Lost {
            return;
        }
        self.place = place;
        let text = match place {
            Place::Ahead => format!("on {source}"),
            Place::Changed => format!("on {source}, written behind the copy"),
            Place::Dropped => format!("on {source}, dropped by the copy"),
            Place::Both => format!("on {source} and {target}"),
            Place::Target => format!("on {target}"),
            Place::Lost => "lost".to_string(),
        };
        self.note(now, text);
    }
}

impl Simulation<'_> {
    /// Puts the watched keys of a unit where `to` says.
    fn watched(&mut self, index: usize, mut to: impl FnMut(&mut Watch) -> Option<Place>) {
        let plan = &self.units[index].plan;
        let source = &self.job.nodes[plan.from];
        let target = plan.to.map_or("", |to| &self.job.nodes[to]);
        for watch in self.watch.iter_mut().filter(|w| w.plan.unit == index) {
            if let Some(place) = to(watch) {
                watch.put(place, self.now, source, target);
            }
        }
    }

    /// A unit has gone into another phase.
    pub(super) fn noted(&mut self, index: usize) {
        if self.watch.is_empty() {
            return;
        }
        let (phase, ahead) = (self.units[index].phase, self.units[index].rows.ahead);
        let now = self.now;
        self.watched(index, |watch| {
            if watch.plan.unit == index {
                watch.note(now, format!("its unit is {}", phase.name()));
            }
            match (phase, watch.place) {
                (Phase::Copying, _) => {
                    watch.rows = ahead;
                    None
                }
                (Phase::Pending, Place::Changed | Place::Dropped) => Some(Place::Ahead),
                (Phase::Cleaning, Place::Both) => Some(Place::Target),
                (Phase::Cleaning, Place::Ahead | Place::Changed | Place::Dropped) => {
                    Some(Place::Lost)
                }
                _ => None,
            }
        });
    }

    /// What clients have sent to watched keys.
    pub(super) fn watch_traffic(&mut self, index: usize, scene: &Scene, ticks: Tick) {
        if self.watch.is_empty() {
            return;
        }
        let stale = self.is_rerouted(index).unwrap_or(0);
        let present = (self.rules.write)(scene);
        let check = self.job.settings.version_check;
        let fresh = self.fresh(scene);
        self.watched(index, |watch| {
            let amount = u128::from(watch.plan.writes) * u128::from(ticks);
            if watch.writes.take(amount, u128::from(1000 * PPM)) == 0 {
                return None;
            }
            let old = watch.stream.below(PPM) < stale && !check && present != Write::Refused;
            let write = if old && scene.source_up { Write::Source } else { present };
            match (write, fresh, watch.place) {
                (Write::Refused, ..) => None,
                (Write::Both, ..) => Some(Place::Both),
                (Write::Target, ..) => Some(Place::Target),
                (Write::First, ..) if watch.stream.below(2) == 0 => Some(Place::Target),
                (Write::First, ..) => Some(Place::Changed),
                (Write::Source, Fresh::Lost, _) => Some(Place::Lost),
                (Write::Source, Fresh::Ahead, _) => Some(Place::Ahead),
                (Write::Source, Fresh::Changed, Place::Both | Place::Target) => {
                    Some(Place::Changed)
                }
                (Write::Source, Fresh::Changed, Place::Dropped) if scene.mode == Mode::Redirect => {
                    Some(Place::Changed)
                }
                (Write::Source, Fresh::Changed, _) => None,
            }
        });
    }

    /// Second writes have reached a unit.
    pub(super) fn watch_landed(&mut self, index: usize, on_target: bool) {
        self.watched(index, |watch| match watch.place {
            Place::Changed if on_target => Some(Place::Both),
            Place::Target if !on_target => Some(Place::Both),
            _ => None,
        });
    }

    /// A unit's stream has carried rows.
    pub(super) fn watch_carried(&mut self, index: usize) {
        if self.watch.is_empty() {
            return;
        }
        let (phase, ahead, drops) =
            (self.units[index].phase, self.units[index].rows.ahead, self.drops);
        self.watched(index, |watch| match (phase, watch.place) {
            (Phase::Copying, Place::Ahead) => {
                let behind = u128::from(watch.rows) * u128::from(PPM - 1 - watch.position);
                let reached = u128::from(ahead) * u128::from(PPM) <= behind;
                let dropped = reached && watch.stream.below(PPM) < drops;
                reached.then_some(if dropped { Place::Dropped } else { Place::Both })
            }
            (Phase::CatchUp | Phase::Closing, Place::Changed) => Some(Place::Both),
            (Phase::Repairing, Place::Changed | Place::Dropped | Place::Target) => {
                Some(Place::Both)
            }
            _ => None,
        });
    }

    /// The source or the target of a unit is gone.
    pub(super) fn watch_died(&mut self, index: usize, source: bool) {
        self.watched(index, |watch| match (source, watch.place) {
            (true, Place::Ahead | Place::Changed | Place::Dropped) => Some(Place::Lost),
            (true, Place::Both) => Some(Place::Target),
            (false, Place::Target) => Some(Place::Lost),
            (false, Place::Both) => Some(Place::Ahead),
            _ => None,
        });
    }
}
