//! CRUSH: the hash, the logarithm and the draw of Ceph's straw2 buckets, integer for integer.
//!
//! Source: S. Weil, S. Brandt, E. Miller, C. Maltzahn, "CRUSH: Controlled, Scalable, Decentralized
//! Placement of Replicated Data", SC 2006, doi 10.1145/1188455.1188582; straw2 and the integer formulas
//! as in Ceph 16.2.

mod ln_tables;

use ln_tables::{LH, LL, RH};

/// Seed of the hash family `rjenkins1`.
const SEED: u32 = 1_315_423_911;

/// Weight 1 in Ceph's fixed point of 16 bits.
pub const ONE: u32 = 1 << 16;

/// R. Jenkins's mixing of three words, 1996, <https://burtleburtle.net/bob/hash/evahash.html>.
#[inline]
fn mix(mut a: u32, mut b: u32, mut c: u32) -> (u32, u32, u32) {
    for [first, second, third] in [[13, 8, 13], [12, 16, 5], [3, 10, 15]] {
        a = a.wrapping_sub(b).wrapping_sub(c) ^ (c >> first);
        b = b.wrapping_sub(c).wrapping_sub(a) ^ (a << second);
        c = c.wrapping_sub(a).wrapping_sub(b) ^ (b >> third);
    }
    (a, b, c)
}

/// The hash of two numbers.
pub fn hash32_2(a: u32, b: u32) -> u32 {
    let hash = SEED ^ a ^ b;
    let (a, b, hash) = mix(a, b, hash);
    let (_, _, hash) = mix(231_232, a, hash);
    mix(b, 1232, hash).2
}

/// The hash of three numbers.
#[inline]
pub fn hash32_3(a: u32, b: u32, c: u32) -> u32 {
    let hash = SEED ^ a ^ b ^ c;
    let (a, b, hash) = mix(a, b, hash);
    let (c, x, hash) = mix(c, 231_232, hash);
    let (y, _, hash) = mix(1232, a, hash);
    let (_, _, hash) = mix(b, x, hash);
    mix(y, c, hash).2
}

/// About 2⁴⁴ · log₂(u + 1), by tables.
#[inline]
pub fn crush_ln(u: u16) -> u64 {
    // u + 1 with its highest bit moved to bit 15 or 16, and how far it was moved.
    let x = u32::from(u) + 1;
    let moved = if x & 0x1_8000 == 0 { x.leading_zeros() - 16 } else { 0 };
    let x = x << moved;
    let high = (x >> 8) as usize - 128;
    // x over the table's value just below it: 1 + k/2¹⁵ for the second table.
    let low = ((u64::from(x) * RH[high]) >> 48) as usize & 0xff;
    (u64::from(15 - moved) << 44) + ((LH[high] + LL[low]) >> 4)
}

/// An item's draw for input `x` in round `r`, a negative number, greatest for the winner; `weight` in
/// 1/65 536. An item of weight 0 draws the least there is.
#[inline]
pub fn straw2_draw(x: u32, item: u32, r: u32, weight: u32) -> i64 {
    if weight == 0 {
        return i64::MIN;
    }
    let u = hash32_3(x, item, r) as u16;
    (crush_ln(u) as i64 - (1 << 48)) / i64::from(weight)
}

/// The place of the winner among items and their weights; of equal draws the first. 0 if there are none.
#[inline]
pub fn straw2(x: u32, r: u32, items: &[(u32, u32)]) -> usize {
    let (mut best, mut at) = (i64::MIN, 0);
    for (i, &(item, weight)) in items.iter().enumerate() {
        let draw = straw2_draw(x, item, r, weight);
        if draw > best {
            (best, at) = (draw, i);
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logarithm_is_one_to_the_precision_of_its_tables() {
        let mut worst: f64 = 0.0;
        for u in 0..=u16::MAX {
            let want = libm::log2(f64::from(u) + 1.0) * (1u64 << 44) as f64;
            worst = worst.max((crush_ln(u) as f64 - want).abs() / (1u64 << 44) as f64);
        }
        assert!(worst < 1e-3, "off by {worst}");
        assert_eq!(crush_ln(0), 0);
    }

    /// A node with reweight 0.5 in 16 bits is passed by for the inputs whose hash with its number is not
    /// below it: `hash32_2` by what crushtool chose.
    #[test]
    fn a_node_at_half_weight_is_passed_by_for_the_recorded_inputs() {
        let weights = [1.0, 2.0, 1.0, 2.0, 1.0, 2.0, 1.0, 0.5];
        let items: Vec<(u32, u32)> =
            (0..8).map(|i| (i, (weights[i as usize] * f64::from(ONE)) as u32)).collect();
        let text = include_str!("../../../tests/vectors/ceph_crush_mappings.csv");
        let mut rows = 0;
        for record in csv::Reader::from_reader(text.as_bytes()).records() {
            let record = record.unwrap();
            if &record[0] != "1" || &record[1] != "osd1half" {
                continue;
            }
            let x = record[2].parse().unwrap();
            let is_out = |item| item == 1 && hash32_2(x, item) as u16 >= 0x8000;
            let mut chosen: Vec<u32> = Vec::new();
            for replica in 0..3 {
                let found = (replica..replica + 51)
                    .map(|round| items[straw2(x, round, &items)].0)
                    .find(|item| !chosen.contains(item) && !is_out(*item));
                chosen.extend(found);
            }
            let want: Vec<u32> = record[3].split(' ').map(|osd| osd.parse().unwrap()).collect();
            assert_eq!(chosen, want, "{record:?}");
            rows += 1;
        }
        assert_eq!(rows, 198);
    }
}
