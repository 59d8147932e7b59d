//! Hashers that are one function: of the bytes, or of an integer key. Seeds are bound by the closure.

use std::fmt;

use super::identity::identity;
use super::{KeyHash, hash_all};
use crate::keys::ByteColumn;

/// A hasher of bytes. Each closure makes its own loop over a column.
pub(crate) fn of_bytes(
    function: impl Fn(&[u8]) -> u64 + Send + Sync + 'static,
) -> Box<dyn KeyHash> {
    Box::new(OfBytes(function))
}

/// A hasher of integer keys, given as their 64 bits.
pub(crate) fn of_integers(
    function: impl Fn(u64) -> u64 + Send + Sync + 'static,
) -> Box<dyn KeyHash> {
    Box::new(OfIntegers(function))
}

struct OfBytes<F>(F);

impl<F: Fn(&[u8]) -> u64 + Send + Sync> KeyHash for OfBytes<F> {
    fn hash(&self, bytes: &[u8]) -> u64 {
        (self.0)(bytes)
    }

    fn batch(&self, keys: &ByteColumn, out: &mut [u64]) {
        hash_all(keys, out, &self.0);
    }
}

struct OfIntegers<F>(F);

impl<F: Fn(u64) -> u64 + Send + Sync> KeyHash for OfIntegers<F> {
    fn hash(&self, bytes: &[u8]) -> u64 {
        (self.0)(identity(bytes))
    }

    fn batch(&self, keys: &ByteColumn, out: &mut [u64]) {
        hash_all(keys, out, |bytes| (self.0)(identity(bytes)));
    }

    fn batch_integers(&self, keys: &[u64], out: &mut [u64]) {
        for (digest, &key) in out.iter_mut().zip(keys) {
            *digest = (self.0)(key);
        }
    }
}

impl<F> fmt::Debug for OfBytes<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::any::type_name::<F>())
    }
}

impl<F> fmt::Debug for OfIntegers<F> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(std::any::type_name::<F>())
    }
}
