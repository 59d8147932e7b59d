//! How far a run has come: a bar on a terminal after the first second, the interrupt, and the wall
//! time of each stage for `--timings`.

use std::fmt;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressState, ProgressStyle};
use serde_json::{Value as Json, json};

use crate::report::number::grouped;
use crate::sim::Progress;

/// A run shorter than this shows no bar.
const QUIET_START: Duration = Duration::from_secs(1);

/// Time between two drawings of the bar.
const REDRAW: Duration = Duration::from_millis(100);

static INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Makes Ctrl-C ask the run to stop, so that nothing is left half written; a second one ends the
/// process at once.
pub fn catch_interrupts() {
    // Fails only if a handler is set already: by an earlier call.
    let _ = ctrlc::set_handler(|| {
        if INTERRUPTED.swap(true, Ordering::Relaxed) {
            std::process::exit(130);
        }
    });
}

/// Whether Ctrl-C was pressed.
pub fn interrupted() -> bool {
    INTERRUPTED.load(Ordering::Relaxed)
}

/// One stage of a run.
#[derive(Debug, Clone)]
struct Stage {
    what: String,
    units: u64,
    begun: Instant,
    ended: Option<Instant>,
}

/// Watches one run.
#[derive(Debug)]
pub struct Watch {
    bar: ProgressBar,
    /// Whether a bar may still be brought up.
    hidden: AtomicBool,
    begun: Instant,
    /// Units of the stage that are done.
    done: AtomicU64,
    /// Milliseconds on the clock when the bar was drawn last.
    drawn: AtomicU64,
    stages: Mutex<Vec<Stage>>,
}

impl Watch {
    /// Starts the clock; `visible` says whether a bar may be shown.
    pub fn new(visible: bool) -> Self {
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::hidden());
        let template = "{msg} {wide_bar} {percent:>3} %  {rate}/s, {eta} left";
        let style = ProgressStyle::with_template(template).expect("the template is ours");
        bar.set_style(style.with_key("rate", |state: &ProgressState, out: &mut dyn fmt::Write| {
            let _ = out.write_str(&grouped(state.per_sec() as u64));
        }));
        Watch {
            bar,
            hidden: AtomicBool::new(visible),
            begun: Instant::now(),
            done: AtomicU64::new(0),
            drawn: AtomicU64::new(0),
            stages: Mutex::new(Vec::new()),
        }
    }

    /// Takes the bar away and stops the clock of the last stage.
    pub fn end(&self) {
        self.bar.finish_and_clear();
        self.end_stage();
    }

    fn end_stage(&self) {
        let mut stages = self.stages.lock().expect("no holder of the lock panics");
        if let Some(stage) = stages.last_mut() {
            stage.ended.get_or_insert_with(Instant::now);
        }
    }

    /// The wall time of every stage.
    pub fn timings(&self) -> Json {
        let now = Instant::now();
        let stages = self.stages.lock().expect("no holder of the lock panics");
        let stages: Vec<Json> = stages
            .iter()
            .map(|stage| {
                let seconds = (stage.ended.unwrap_or(now) - stage.begun).as_secs_f64();
                json!({ "what": stage.what, "units": stage.units, "seconds": seconds,
                        "units-per-second": stage.units as f64 / seconds.max(1e-9) })
            })
            .collect();
        json!({ "total-seconds": (now - self.begun).as_secs_f64(), "stages": stages })
    }
}

impl Progress for Watch {
    fn begin(&self, what: &str, units: u64) {
        self.end_stage();
        let stage = Stage { what: what.into(), units, begun: Instant::now(), ended: None };
        self.stages.lock().expect("no holder of the lock panics").push(stage);
        self.done.store(0, Ordering::Relaxed);
        self.bar.reset();
        self.bar.set_length(units);
        self.bar.set_message(what.to_string());
    }

    fn advance(&self, units: u64) {
        let done = self.done.fetch_add(units, Ordering::Relaxed) + units;
        // The bar takes a lock, so it hears of progress a few times a second and not of every unit.
        let clock = self.begun.elapsed();
        let (now, drawn) = (clock.as_millis() as u64, self.drawn.load(Ordering::Relaxed));
        if clock < QUIET_START || now < drawn + REDRAW.as_millis() as u64 {
            return;
        }
        let mine = self.drawn.compare_exchange(drawn, now, Ordering::Relaxed, Ordering::Relaxed);
        if mine.is_ok() {
            if self.hidden.swap(false, Ordering::Relaxed) {
                self.bar.set_draw_target(ProgressDrawTarget::stderr());
            }
            self.bar.set_position(done);
        }
    }

    fn interrupted(&self) -> bool {
        interrupted()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stages_are_timed_one_after_the_other() {
        let watch = Watch::new(false);
        watch.begin("keys", 10);
        watch.advance(4);
        watch.advance(6);
        assert_eq!(watch.done.load(Ordering::Relaxed), 10);
        watch.begin("trials", 3);
        watch.end();
        let timings = watch.timings();
        assert_eq!(timings["stages"][0]["what"], "keys");
        assert_eq!(timings["stages"][1]["units"], 3);
        assert!(timings["total-seconds"].as_f64().unwrap() >= 0.0);
    }
}
