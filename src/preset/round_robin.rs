//! Smooth weighted round robin: turns in proportion to weights, spread evenly over time.

use crate::error::Error;

/// Whose turn it is, turn by turn: before each, every score grows by the weight; the first of the
/// highest scores wins and loses the total. HAProxy compares the scores in whole totals.
///
/// Scores stay within the total either way, whose sum with a weight must fit 64 bits.
pub fn turns(weights: &[u64], turns: usize) -> Vec<usize> {
    let total: i64 = weights.iter().sum::<u64>() as i64;
    if total == 0 {
        return Vec::new();
    }
    let mut scores = vec![0i64; weights.len()];
    let mut out = Vec::with_capacity(turns);
    while out.len() < turns {
        let mut best: Option<(i64, usize)> = None;
        for (i, (score, &weight)) in scores.iter_mut().zip(weights).enumerate() {
            *score += weight as i64;
            let whole = (*score + total) / total;
            if weight > 0 && best.is_none_or(|(most, _)| whole > most) {
                best = Some((whole, i));
            }
        }
        let (_, winner) = best.expect("some weight is above 0");
        scores[winner] -= total;
        out.push(winner);
    }
    out
}

/// Most steps that a table of turns may take: a few seconds.
const MAX_STEPS: f64 = 4e9;

/// Refuses a table that would take too long to fill.
pub fn check_turns(turns: u64, servers: usize) -> Result<(), Error> {
    let steps = turns as f64 * servers as f64;
    if steps <= MAX_STEPS {
        return Ok(());
    }
    Err(Error::invalid(format!("{turns} turns of {servers} servers take {steps:.0} steps"))
        .help(format!("at most {MAX_STEPS:.0}: take fewer nodes or smaller weights")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_period_gives_everyone_as_many_turns_as_it_weighs() {
        for weights in [vec![1; 8], vec![1, 2, 1, 2], vec![5, 1, 1], vec![0, 3, 4], vec![256, 1]] {
            let total: u64 = weights.iter().sum();
            let mut counts = vec![0; weights.len()];
            for turn in turns(&weights, total as usize) {
                counts[turn] += 1;
            }
            assert_eq!(counts, weights);
        }
        assert!(turns(&[], 5).is_empty() && turns(&[0, 0], 5).is_empty());
    }
}
