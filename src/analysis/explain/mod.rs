//! Explanations: what a person sees, and whether it can be what they think it is.
//!
//! * [`counts`]: loads per node in; whether chance explains them under a strategy, the causes that fit by
//!   likelihood, and what each remedy would give.
//! * [`forms`]: closed forms by name (`explain modulo 3 4`): value, formula, source, and a check by
//!   simulation where that is cheap. One list, [`forms::ALL`].

pub mod counts;
pub mod forms;
