//! When ids arrive and at which worker.

use crate::rng::Stream;

/// Largest mean that is drawn in one piece: above it, inversion needs more than a few steps.
const PIECE: f64 = 8.0;

/// The arrivals of one chunk, from its first millisecond on.
#[derive(Debug)]
pub(super) enum Arrivals {
    /// Id i arrives at millisecond ⌊i / per_ms⌋ at worker i mod workers.
    Even { next: u64, workers: u64, per_ms: f64 },
    /// Each worker has a Poisson number of arrivals in each millisecond.
    Poisson(Poisson),
}

impl Arrivals {
    /// Arrivals at `rate` a worker and millisecond; `most` is what a worker gives in a millisecond.
    pub(super) fn new(rate: f64, workers: u64, most: u64, even: bool) -> Self {
        if even {
            Arrivals::Even { next: 0, workers, per_ms: rate.min(most as f64) * workers as f64 }
        } else {
            Arrivals::Poisson(Poisson::new(rate, workers, most))
        }
    }

    /// Millisecond and worker of the next id.
    #[inline]
    pub(super) fn next(&mut self, stream: &mut Stream) -> (u64, u64) {
        match self {
            Arrivals::Even { next, workers, per_ms } => {
                let id = *next;
                *next += 1;
                // A cast towards zero is the floor of a positive number.
                ((id as f64 / *per_ms) as u64, id % *workers)
            }
            Arrivals::Poisson(poisson) => poisson.next(stream),
        }
    }
}

/// Poisson arrivals over slots: slot = millisecond × workers + worker.
#[derive(Debug)]
pub(super) struct Poisson {
    workers: u64,
    most: u64,
    /// Mean of one piece; a slot has `pieces` of them.
    mean: f64,
    pieces: u64,
    /// e^−mean: the probability of none in a piece.
    none: f64,
    /// 1 − e^−mean, exact for small means.
    some: f64,
    next_slot: u64,
    /// Millisecond and worker of the slot, and its arrivals that are left.
    at: (u64, u64),
    left: u64,
}

impl Poisson {
    fn new(rate: f64, workers: u64, most: u64) -> Self {
        // So far above the limit that fewer arrivals than the limit never happen (e^−100 for 1).
        let rate = rate.min(2.0 * most as f64 + 100.0);
        let pieces = libm::ceil(rate / PIECE);
        let mean = rate / pieces;
        Poisson {
            workers,
            most,
            mean,
            pieces: pieces as u64,
            none: libm::exp(-mean),
            some: -libm::expm1(-mean),
            next_slot: 0,
            at: (0, 0),
            left: 0,
        }
    }

    #[inline]
    fn next(&mut self, stream: &mut Stream) -> (u64, u64) {
        while self.left == 0 {
            let drawn = if self.pieces == 1 {
                self.next_slot += self.empty_slots(stream);
                self.at_least_one(stream)
            } else {
                (0..self.pieces).map(|_| self.number(stream)).sum()
            };
            self.left = drawn.min(self.most);
            self.at = (self.next_slot / self.workers, self.next_slot % self.workers);
            self.next_slot += 1;
        }
        self.left -= 1;
        self.at
    }

    /// How many slots stay empty: at least g of them with probability e^(−mean × g).
    fn empty_slots(&self, stream: &mut Stream) -> u64 {
        // In (0, 1], so that the logarithm is finite.
        let uniform = 1.0 - stream.unit();
        (-libm::log(uniform) / self.mean) as u64
    }

    /// A Poisson number, by inversion.
    fn number(&self, stream: &mut Stream) -> u64 {
        self.invert(stream.unit(), 0, self.none)
    }

    /// A Poisson number under the condition that it is not 0, by inversion.
    fn at_least_one(&self, stream: &mut Stream) -> u64 {
        self.invert(stream.unit(), 1, self.mean * self.none / self.some)
    }

    /// The least number whose cumulative probability exceeds `uniform`; `first` has the probability `p`.
    fn invert(&self, uniform: f64, first: u64, p: f64) -> u64 {
        let (mut number, mut p) = (first, p);
        let mut cumulative = p;
        // Probabilities end at 0 by underflow, even where rounding keeps their sum below 1.
        while uniform >= cumulative && p > 0.0 {
            number += 1;
            p *= self.mean / number as f64;
            cumulative += p;
        }
        number
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    /// Arrivals in each of the first `slots` slots of one worker.
    fn counts(rate: f64, slots: usize) -> Vec<u64> {
        let mut poisson = Poisson::new(rate, 1, 1 << 20);
        let mut stream = Stream::new(3, Purpose::Keys, 0);
        let mut counts = vec![0; slots];
        loop {
            let (ms, worker) = poisson.next(&mut stream);
            assert_eq!(worker, 0);
            match counts.get_mut(ms as usize) {
                Some(count) => *count += 1,
                None => return counts,
            }
        }
    }

    #[test]
    fn mean_and_variance_are_the_rate() {
        let slots = 4000;
        for rate in [0.05, 0.9, 7.9, 8.1, 60.0] {
            let counts = counts(rate, slots);
            let n = slots as f64;
            let mean = counts.iter().sum::<u64>() as f64 / n;
            let squares = counts.iter().map(|&c| (c as f64 - rate) * (c as f64 - rate));
            let variance = squares.sum::<f64>() / n;
            // Five standard deviations: √(r/n) of the mean, √((r + 2r²)/n) of the variance.
            assert!(libm::fabs(mean - rate) < 5.0 * libm::sqrt(rate / n), "{rate}: {mean}");
            let deviation = libm::sqrt((rate + 2.0 * rate * rate) / n);
            assert!(libm::fabs(variance - rate) < 5.0 * deviation, "{rate}: {variance}");
        }
    }

    #[test]
    fn empty_slots_have_their_probability() {
        for rate in [0.05, 0.9, 3.0] {
            let slots = 20_000;
            let empty = counts(rate, slots).iter().filter(|&&c| c == 0).count() as f64;
            let p = libm::exp(-rate);
            let (want, deviation) = (p * slots as f64, libm::sqrt(p * (1.0 - p) * slots as f64));
            assert!(libm::fabs(empty - want) < 5.0 * deviation, "{rate}: {empty} for {want}");
        }
    }

    #[test]
    fn a_worker_gives_no_more_than_its_sequence_allows() {
        let mut poisson = Poisson::new(1e6, 2, 4);
        let mut stream = Stream::new(3, Purpose::Keys, 0);
        let slots: Vec<_> = (0..16).map(|_| poisson.next(&mut stream)).collect();
        let want: Vec<_> = (0..16u64).map(|id| (id / 8, id / 4 % 2)).collect();
        assert_eq!(slots, want);
    }
}
