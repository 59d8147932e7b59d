//! The hash functions that a system lets its operator choose.

use crate::error::Error;
use crate::hash::{self, HasherInfo};
use crate::strategy::Build;

/// One choice of a parameter.
#[derive(Debug, Clone, Copy)]
pub struct HashMode {
    /// What the system calls it.
    pub name: &'static str,
    /// The hasher that computes it.
    pub hasher: &'static str,
    /// How many different digests it gives, where they do not fill their bits.
    pub digests: Option<u32>,
}

impl HashMode {
    /// A hash whose digests fill their bits.
    pub const fn new(name: &'static str, hasher: &'static str) -> Self {
        HashMode { name, hasher, digests: None }
    }

    /// A hash of so many different digests, from 0 up.
    pub const fn of_digests(name: &'static str, hasher: &'static str, digests: u32) -> Self {
        HashMode { name, hasher, digests: Some(digests) }
    }

    /// The hasher.
    pub fn hasher(&self) -> Result<&'static HasherInfo, Error> {
        hash::find(self.hasher)
    }
}

/// The mode that the parameter of that name chooses; it has a value.
pub fn chosen(build: &Build<'_>, param: &str, modes: &'static [HashMode]) -> &'static HashMode {
    let name = build.params.text(param);
    modes.iter().find(|mode| mode.name == name).expect("the choices of the parameter are the modes")
}

/// The names of modes, as the choices of a parameter.
pub const fn names<const N: usize>(modes: &[HashMode; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut i = 0;
    while i < N {
        names[i] = modes[i].name;
        i += 1;
    }
    names
}
