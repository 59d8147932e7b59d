//! Shares as a cumulative fixed-point table: a uniform 64-bit number picks an item by its weight.

/// 2⁶⁴ as a float.
const TWO_64: f64 = 18_446_744_073_709_551_616.0;

/// Bits of a number that index the guide.
const GUIDE_BITS: u32 = 12;

/// The table. Item `i` is picked by the numbers from end `i − 1` up to, not including, end `i`.
#[derive(Debug)]
pub(super) struct Cumulative {
    /// Ends of all items but the last, which ends at 2⁶⁴.
    ends: Vec<u64>,
    /// For each value of the top bits, the item that its least number picks.
    guide: Vec<u32>,
}

impl Cumulative {
    /// The table of these weights: finite, not negative, not all zero, fewer than 2³² of them.
    pub(super) fn new(weights: &[f64]) -> Self {
        let total: f64 = weights.iter().sum();
        assert!(total > 0.0 && total.is_finite(), "weights are checked before");
        let last = weights.iter().rposition(|&w| w > 0.0).expect("some weight is positive");
        let mut sum = 0.0;
        let ends: Vec<u64> = weights[..last]
            .iter()
            .map(|w| {
                sum += w;
                // A cast saturates, and a sum of growing prefixes never falls.
                libm::floor(sum / total * TWO_64) as u64
            })
            .collect();
        let guide = (0..1u64 << GUIDE_BITS)
            .map(|top| ends.partition_point(|&end| end <= top << (64 - GUIDE_BITS)) as u32)
            .collect();
        Cumulative { ends, guide }
    }

    /// The end of item 0; None where it is all that is picked.
    pub(super) fn first_end(&self) -> Option<u64> {
        self.ends.first().copied()
    }

    /// The item that `number` picks. Items of weight zero are never picked.
    #[inline]
    pub(super) fn pick(&self, number: u64) -> usize {
        let top = (number >> (64 - GUIDE_BITS)) as usize;
        let low = self.guide[top] as usize;
        let high = self.guide.get(top + 1).map_or(self.ends.len(), |&item| item as usize);
        low + self.ends[low..high].partition_point(|&end| end <= number)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shares_follow_the_weights() {
        let table = Cumulative::new(&[1.0, 0.0, 2.0, 1.0, 0.0]);
        assert_eq!(table.ends, [1 << 62, 1 << 62, 3 << 62]);
        assert_eq!(table.pick(0), 0);
        assert_eq!(table.pick((1 << 62) - 1), 0);
        assert_eq!(table.pick(1 << 62), 2);
        assert_eq!(table.pick(u64::MAX), 3);
    }

    #[test]
    fn the_guide_gives_the_answer_of_a_plain_search() {
        let weights: Vec<f64> = (1..=10_000).map(|i| 1.0 / f64::from(i)).collect();
        let table = Cumulative::new(&weights);
        let mut number = 1u64;
        for _ in 0..10_000 {
            number = number.wrapping_mul(0x5851_f42d_4c95_7f2d).wrapping_add(1);
            let plain = table.ends.iter().take_while(|&&end| end <= number).count();
            assert_eq!(table.pick(number), plain);
        }
    }
}
