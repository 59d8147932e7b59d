//! Ketama: rings whose points are read from MD5 digests, four from each.
//!
//! # Source
//! R. Jones, libketama, 2007, <https://github.com/RJ/ketama>. What its descendants differ in is the
//! name of a server and how many digests a weight is worth, which each computes in a floating point
//! of its own.

use std::fmt::Write;

use crate::hash::md5::md5;

/// Digests of a server when all weigh the same.
pub const DIGESTS: u64 = 40;
/// Points read from one digest.
pub const POINTS_PER_DIGEST: usize = 4;

/// The points of the MD5 of `name-0` to `name-{digests − 1}`: of each four numbers of four bytes, low
/// byte first.
pub fn points(name: &str, digests: u64) -> Vec<u64> {
    points_by(|label| md5(label).to_be_bytes(), name, digests, POINTS_PER_DIGEST)
}

/// The same for the first 16 bytes of any digest, of which the first `each` numbers are points.
pub fn points_by(
    digest: impl Fn(&[u8]) -> [u8; 16],
    name: &str,
    digests: u64,
    each: usize,
) -> Vec<u64> {
    let mut out = Vec::with_capacity(digests as usize * each);
    let mut label = String::new();
    for i in 0..digests {
        label.clear();
        write!(label, "{name}-{i}").expect("a String takes everything");
        let digest = digest(label.as_bytes());
        let (words, _) = digest.as_chunks::<4>();
        out.extend(words.iter().take(each).map(|word| u64::from(u32::from_le_bytes(*word))));
    }
    out
}

/// Digests of a server of libmemcached and twemproxy: ⌊w / Σw · 160 / 4 · servers + 10⁻¹⁰⌋, each
/// step rounded to 32 bits.
pub fn digests_libmemcached(weight: u64, total: u64, servers: usize) -> u64 {
    let share = weight as f32 / total as f32;
    let digests = share * 160.0 / 4.0 * servers as f32;
    f64::from(libm::floorf((f64::from(digests) + 1e-10) as f32)) as u64
}

/// Digests of a server of libketama: ⌊w / Σw · 40 · servers⌋, the share rounded to 32 bits, and again
/// the product, which is computed in 64.
pub fn digests_libketama(weight: u64, total: u64, servers: usize) -> u64 {
    let share = weight as f32 / total as f32;
    let digests = f64::from(share) * DIGESTS as f64 * servers as f64;
    f64::from(libm::floorf(digests as f32)) as u64
}

/// Digests of a server of npm hashring: ⌊w / Σw · vnodes · servers⌋ in 64 bits, so that 1/7 · 40 · 7
/// is 39.99… and gives 39.
pub fn digests_hashring(weight: f64, total: f64, vnodes: u64, servers: usize) -> u64 {
    libm::floor(weight / total * vnodes as f64 * servers as f64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::preset::vectors::Vectors;

    #[test]
    fn shares_round_as_each_library_rounds() {
        for n in 1..200 {
            assert!([39, 40].contains(&digests_libmemcached(1, n, n as usize)), "{n}");
            assert!([39, 40].contains(&digests_libketama(1, n, n as usize)), "{n}");
        }
        assert_eq!(digests_hashring(1.0, 7.0, 40, 7), 39);
        assert_eq!(digests_hashring(1.0, 8.0, 40, 8), 40);
    }

    /// All points of libketama's ring in order, with the number of their server.
    fn recorded(file: &str, rows: usize, column: &str, weights: &[u64]) {
        let vectors = Vectors::read(file, rows);
        let total = weights.iter().sum();
        let mut want = Vec::new();
        for (i, &weight) in weights.iter().enumerate() {
            let name = format!("10.0.0.{}:11211", i + 1);
            let digests = digests_libketama(weight, total, weights.len());
            let points = points(&name, digests);
            want.extend(points.into_iter().map(|point| (point, i + 1)));
        }
        want.sort_unstable();
        let (points, servers) = (vectors.column("point_u32"), vectors.column(column));
        let got: Vec<(u64, usize)> = points
            .iter()
            .zip(servers)
            .map(|(p, s)| (p.parse().unwrap(), s.parse().unwrap()))
            .collect();
        assert_eq!(got, want, "{file}");
        vectors.finish(&[]);
    }

    #[test]
    fn points_are_those_of_libketama_and_uhashring() {
        recorded("libketama_points_n3.csv", 480, "server", &[1, 1, 1]);
        recorded("libketama_points_w4_1_2_1_2.csv", 632, "server", &[1, 2, 1, 2]);
        recorded("uhashring_ketama_points_n3.csv", 480, "node", &[1, 1, 1]);
    }
}
