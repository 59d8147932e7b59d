//! The rows of a unit by where their last acknowledged version is; see the head of [`super`].

use crate::rng::Stream;

/// Counts of rows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Rows {
    /// On the source; the copy has yet to reach them.
    pub ahead: u64,
    /// On the source; written behind the copy.
    pub changed: u64,
    /// On the source; believed to be copied.
    pub dropped: u64,
    /// On both.
    pub both: u64,
    /// On the target.
    pub target: u64,
}

/// Which rows a number of updates hits.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Hits(pub Rows);

/// Where rows go that are written on the source alone.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Fresh {
    /// The copy will find them.
    Ahead,
    /// They lie behind the copy, and a log or nobody knows.
    Changed,
    /// The source has given up its copy: they are on no live owner.
    Lost,
}

impl Rows {
    /// Rows that the target does not have as they are.
    pub fn source_only(&self) -> u64 {
        self.ahead + self.changed + self.dropped
    }

    /// All rows.
    pub fn live(&self) -> u64 {
        self.source_only() + self.both + self.target
    }

    /// Draws which rows `updates` writes hit: each with equal chance, none twice. Every state gets its
    /// expected number, rounded by chance; the caller's stream decides.
    pub fn draw(&self, updates: u64, stream: &mut Stream) -> Hits {
        let mut left = self.live();
        let mut wanted = updates.min(left);
        let mut hit = |count: u64| {
            let expected = u128::from(wanted) * u128::from(count);
            let mut hits = if count == left { wanted } else { part(expected, left, stream) };
            // No more than there are, and the rest must find room in the other states.
            hits = hits.clamp(wanted.saturating_sub(left - count), count.min(wanted));
            left -= count;
            wanted -= hits;
            hits
        };
        Hits(Rows {
            ahead: hit(self.ahead),
            changed: hit(self.changed),
            dropped: hit(self.dropped),
            both: hit(self.both),
            target: hit(self.target),
        })
    }

    /// Takes the rows out.
    fn take(&mut self, Hits(hits): Hits) -> u64 {
        self.ahead -= hits.ahead;
        self.changed -= hits.changed;
        self.dropped -= hits.dropped;
        self.both -= hits.both;
        self.target -= hits.target;
        hits.live()
    }

    /// Writes acknowledged by the target alone.
    pub fn write_target(&mut self, hits: Hits, inserts: u64) {
        self.target += self.take(hits) + inserts;
    }

    /// Writes acknowledged by both.
    pub fn write_both(&mut self, hits: Hits, inserts: u64) {
        self.both += self.take(hits) + inserts;
    }

    /// So many of the hits, each state in turn.
    pub fn split(Hits(hits): Hits, mut count: u64) -> Hits {
        let mut of = |n: u64| {
            let taken = n.min(count);
            count -= taken;
            taken
        };
        Hits(Rows {
            ahead: of(hits.ahead),
            changed: of(hits.changed),
            dropped: of(hits.dropped),
            both: of(hits.both),
            target: of(hits.target),
        })
    }

    /// Writes acknowledged by the source first, of which the target gets a whole row later: all of
    /// them are newest on the source until then, those that the copy has yet to reach among them.
    pub fn write_first(&mut self, hits: Hits, inserts: u64) {
        self.changed += self.take(hits) + inserts;
    }

    /// Writes acknowledged by the source alone; returns how many rows are lost by it. `logged`: a log
    /// tells the copy of rows that it believes to have.
    pub fn write_source(&mut self, hits: Hits, inserts: u64, fresh: Fresh, logged: bool) -> u64 {
        match fresh {
            Fresh::Lost => return self.take(hits) + inserts,
            Fresh::Ahead => self.ahead += self.take(hits) + inserts,
            Fresh::Changed => {
                // What the copy has yet to reach it reads as it then is; what it has dropped stays so.
                let Hits(Rows { dropped, both, target, .. }) = hits;
                let noticed = if logged { dropped } else { 0 };
                self.dropped -= noticed;
                self.both -= both;
                self.target -= target;
                self.changed += noticed + both + target + inserts;
            }
        }
        0
    }
}

impl Hits {
    /// The hits that are not among `part`.
    pub fn minus(self, Hits(part): Hits) -> Hits {
        let Hits(all) = self;
        Hits(Rows {
            ahead: all.ahead - part.ahead,
            changed: all.changed - part.changed,
            dropped: all.dropped - part.dropped,
            both: all.both - part.both,
            target: all.target - part.target,
        })
    }
}

/// `numerator ÷ denominator`, up or down by chance so that it is right on average.
pub fn part(numerator: u128, denominator: u64, stream: &mut Stream) -> u64 {
    let denominator_wide = u128::from(denominator);
    let whole = (numerator / denominator_wide) as u64;
    let rest = (numerator % denominator_wide) as u64;
    whole + u64::from(rest > 0 && stream.below(denominator) < rest)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::Purpose;

    #[test]
    fn updates_hit_as_many_rows_as_there_are_and_each_state_its_part() {
        let mut stream = Stream::new(1, Purpose::RowHits, 0);
        let rows = Rows { ahead: 600, changed: 0, dropped: 1, both: 300, target: 99 };
        let mut sums = [0u64; 5];
        for _ in 0..2000 {
            let Hits(h) = rows.draw(10, &mut stream);
            assert_eq!(h.live(), 10);
            for (sum, n) in sums.iter_mut().zip([h.ahead, h.changed, h.dropped, h.both, h.target]) {
                *sum += n;
            }
        }
        // 20 000 updates: 60 %, 0, 0.1 %, 30 %, 9.9 %. Rounding by chance has less spread than a
        // binomial, whose six standard errors are 416, 27, 389 and 253.
        for (sum, (expected, room)) in
            sums.iter().zip([(12_000, 416), (0, 0), (20, 27), (6000, 389), (1980, 253)])
        {
            assert!(sum.abs_diff(expected) <= room, "{sums:?}");
        }
        assert_eq!(rows.draw(5000, &mut stream), Hits(rows));
        assert_eq!(Rows::default().draw(5, &mut stream), Hits::default());
    }

    #[test]
    fn a_write_moves_rows_to_where_it_is_acknowledged() {
        let rows = Rows { ahead: 5, changed: 4, dropped: 3, both: 2, target: 1 };
        let each = Hits(Rows { ahead: 1, changed: 1, dropped: 1, both: 1, target: 1 });
        let mut r = rows;
        assert_eq!(r.write_source(each, 7, Fresh::Changed, false), 0);
        assert_eq!(r, Rows { ahead: 5, changed: 4 + 2 + 7, dropped: 3, both: 1, target: 0 });
        let mut r = rows;
        r.write_source(each, 7, Fresh::Changed, true);
        assert_eq!(r, Rows { ahead: 5, changed: 4 + 3 + 7, dropped: 2, both: 1, target: 0 });
        let mut r = rows;
        assert_eq!(r.write_source(each, 7, Fresh::Lost, true), 12);
        assert_eq!(r.live(), 10);
        let mut r = rows;
        r.write_both(each, 7);
        assert_eq!(r, Rows { ahead: 4, changed: 3, dropped: 2, both: 1 + 5 + 7, target: 0 });
    }
}
