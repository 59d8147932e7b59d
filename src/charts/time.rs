//! What the charts of simulated migrations share: which ones a table asks for, and the axis of time.

use super::data;
use super::model::{Axis, Scale, Unit};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::record::{CellRecord, Record};
use crate::timeline::Timeline;

/// `step`: which step's migration is shown.
pub const STEP: Param = Param::new(
    "step",
    Type::Int { min: 1, max: 1_000_000 },
    Default::Absent,
    "step of the path; the last one that migrates if absent",
);

/// A cell, its migration, and a name for it.
pub type Shown<'a> = (&'a CellRecord, &'a Timeline, String);

/// The cells that a chart shows.
pub fn migrations<'a>(record: &'a Record, params: &Params) -> Result<Vec<Shown<'a>>, Error> {
    let cells = data::cells(record, params)?;
    let names = data::names(&cells, &[]);
    let wanted = params.get("step").map(|_| params.int("step") as usize);
    let timeline = |cell: &'a CellRecord| {
        let mut steps = cell.steps.iter().rev();
        let here = |step: usize| wanted.is_none_or(|wanted| wanted == step);
        steps.find_map(|s| s.timeline.as_ref().filter(|_| here(s.step)))
    };
    let found = cells.into_iter().zip(names);
    Ok(found.filter_map(|(cell, name)| Some((cell, timeline(cell)?, name))).collect())
}

/// An axis of time: its title's unit, and how many seconds that is.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Clock {
    unit: &'static str,
    seconds: f64,
}

impl Clock {
    /// The unit that suits so many seconds.
    pub fn for_length(seconds: f64) -> Self {
        const UNITS: [(f64, &str, f64); 3] = [
            (300.0, "Seconds", 1.0),
            (4.0 * 3600.0, "Minutes", 60.0),
            (3.0 * 86_400.0, "Hours", 3600.0),
        ];
        let fits = UNITS.into_iter().find(|(most, ..)| seconds <= *most);
        let (_, unit, seconds) = fits.unwrap_or((0.0, "Days", 86_400.0));
        Clock { unit, seconds }
    }

    /// A moment on the axis.
    pub fn at(self, seconds: f64) -> f64 {
        seconds / self.seconds
    }

    /// The axis.
    pub fn axis(self) -> Axis {
        let title = format!("{} since the beginning of the simulation", self.unit);
        Axis::new(title, Unit::Number, Scale::FromZero)
    }
}

/// Middle and length of each window, in seconds.
pub fn windows(timeline: &Timeline) -> Vec<(f64, f64)> {
    let windows = &timeline.windows;
    let count = windows.unavailable.len();
    let length = |i: usize| if i + 1 == count { windows.last_seconds } else { windows.seconds };
    (0..count).map(|i| (windows.seconds * i as f64 + length(i) / 2.0, length(i))).collect()
}
