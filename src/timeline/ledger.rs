//! What happened: totals, and loads by window and node.

use super::Tick;

/// Most windows; when they are full, each two become one.
const MOST_WINDOWS: usize = 48;

/// Sums over the whole simulation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Totals {
    /// Writes that clients sent.
    pub writes_sent: u64,
    /// Writes that were acknowledged.
    pub writes_acknowledged: u64,
    /// Writes that nobody took.
    pub writes_refused: u64,
    /// Acknowledged writes that were sent to two nodes.
    pub writes_doubled: u64,
    /// Writes with an old routing that a node turned away; each was repeated and counts once as sent.
    pub writes_turned_away: u64,
    /// Writes that an old routing sent to the source alone.
    pub wrong_node_writes: u64,
    /// Of [`Totals::writes_acknowledged`], those of units that move.
    pub moving_acknowledged: u64,
    /// What these writes cost: one for each node that was asked.
    pub moving_operations: u64,
    /// Reads that clients sent.
    pub reads_sent: u64,
    /// Reads that nobody answered.
    pub reads_refused: u64,
    /// Reads that were asked of a second node.
    pub reads_repeated: u64,
    /// Answers that lacked the last acknowledged version.
    pub stale_reads: u64,
    /// Rows that streams carried.
    pub rows_copied: u64,
    /// Rows whose check-sums were computed, once for each node.
    pub rows_summed: u64,
    /// Rows that differed when check-sums were compared.
    pub rows_differing: u64,
    /// Rows × ticks in which they could not be read.
    pub unreadable: u128,
    /// Rows × ticks in which they could not be written.
    pub unwritable: u128,
    /// Rows × ticks in which they could not be read or could not be written.
    pub unavailable: u128,
}

/// Operations on a node in a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Load {
    /// Reads of clients.
    pub reads: u64,
    /// Writes of clients.
    pub writes: u64,
    /// Rows that streams read or wrote, and rows read for check-sums.
    pub copies: u64,
}

impl Load {
    /// All of them.
    pub fn sum(&self) -> u64 {
        self.reads + self.writes + self.copies
    }

    fn add(&mut self, other: &Load) {
        self.reads += other.reads;
        self.writes += other.writes;
        self.copies += other.copies;
    }
}

/// A stretch of time.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Window {
    /// Its ticks; the last window may have fewer than the others.
    pub ticks: Tick,
    /// Loads by node.
    pub loads: Vec<Load>,
    /// Rows × ticks that could not be read or could not be written.
    pub unavailable: u128,
}

/// The books.
#[derive(Debug)]
pub struct Ledger {
    /// Sums.
    pub totals: Totals,
    /// Windows that are over, and the one that runs.
    pub windows: Vec<Window>,
    /// Ticks of a whole window.
    pub width: Tick,
    begun: Tick,
}

impl Ledger {
    /// Empty books for so many nodes.
    pub fn new(nodes: usize) -> Self {
        let first = Window { ticks: 0, loads: vec![Load::default(); nodes], unavailable: 0 };
        Ledger { totals: Totals::default(), windows: vec![first], width: 1, begun: 0 }
    }

    /// The window that runs.
    pub fn window(&mut self) -> &mut Window {
        self.windows.last_mut().expect("there is always one")
    }

    /// The load of a node in the window that runs.
    pub fn load(&mut self, node: usize) -> &mut Load {
        &mut self.window().loads[node]
    }

    /// When the window that runs ends.
    pub fn ends(&self) -> Tick {
        self.begun + self.width
    }

    /// Ends the window that runs.
    pub fn close(&mut self, now: Tick) {
        let ticks = now - self.begun;
        let window = self.window();
        window.ticks = ticks;
        let next =
            Window { ticks: 0, loads: vec![Load::default(); window.loads.len()], unavailable: 0 };
        self.begun = now;
        if self.windows.len() == MOST_WINDOWS {
            self.halve();
        }
        self.windows.push(next);
    }

    /// Makes one window of each two.
    fn halve(&mut self) {
        let pairs = std::mem::take(&mut self.windows);
        let mut pairs = pairs.into_iter();
        while let (Some(mut first), Some(second)) = (pairs.next(), pairs.next()) {
            first.ticks += second.ticks;
            first.unavailable += second.unavailable;
            for (load, more) in first.loads.iter_mut().zip(&second.loads) {
                load.add(more);
            }
            self.windows.push(first);
        }
        self.width *= 2;
    }

    /// Ends the books: the last window is as long as it has run, or goes if it has not.
    pub fn finish(&mut self, now: Tick) {
        let ticks = now - self.begun;
        if ticks == 0 && self.windows.len() > 1 {
            self.windows.pop();
        } else {
            self.window().ticks = ticks;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_join_in_pairs_and_keep_their_sums() {
        let mut ledger = Ledger::new(1);
        let mut now = 0;
        let mut sent = 0;
        for _ in 0..200 {
            now = ledger.ends();
            ledger.load(0).reads += now;
            sent += now;
            ledger.close(now);
        }
        ledger.finish(now);
        assert!(ledger.windows.len() <= MOST_WINDOWS && ledger.windows.len() >= MOST_WINDOWS / 2);
        assert_eq!(ledger.windows.iter().map(|w| w.loads[0].reads).sum::<u64>(), sent);
        assert_eq!(ledger.windows.iter().map(|w| w.ticks).sum::<u64>(), now);
        assert!(ledger.windows.iter().all(|w| w.ticks == ledger.width));
    }
}
