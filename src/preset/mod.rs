//! Presets: named real systems as data that fixes strategy, hashers, views, labels and weights.
//!
//! None yet: a preset ships only with recorded vectors of its system.
