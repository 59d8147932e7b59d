//! What happened: totals, and loads by window and node.

use super::Tick;

/// Most windows; when they are full, each two become one.
const MOST_WINDOWS: usize = 48;

/// Milliseconds of a stretch that a peak is the mean of: windows grow with the simulation, so that the
/// peaks of two of them could not be compared.
const STRETCH_MS: u64 = 60_000;
/// Most stretches until the horizon: beyond they are longer.
const MOST_STRETCHES: Tick = 1 << 14;

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
    /// Rows at its end, lost ones too.
    pub rows: u64,
}

impl Window {
    fn empty(nodes: usize) -> Self {
        Window { ticks: 0, loads: vec![Load::default(); nodes], unavailable: 0, rows: 0 }
    }
}

/// The most operations that a node had in a stretch of fixed length.
#[derive(Debug)]
struct Peak {
    /// Ticks of a stretch.
    width: Tick,
    begun: Tick,
    /// By node, all operations until the stretch began.
    until: Vec<u64>,
    /// The most in a whole stretch; None: none is over.
    most: Option<u64>,
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
    /// By node, the operations of windows that are over.
    over: Vec<u64>,
    peak: Peak,
}

impl Ledger {
    /// Empty books for so many nodes, of ticks of so many milliseconds until a horizon.
    pub fn new(nodes: usize, tick_ms: u64, horizon: Tick) -> Self {
        let width = (STRETCH_MS / tick_ms).max(horizon / MOST_STRETCHES).max(1);
        Ledger {
            totals: Totals::default(),
            windows: vec![Window::empty(nodes)],
            width: 1,
            begun: 0,
            over: vec![0; nodes],
            peak: Peak { width, begun: 0, until: vec![0; nodes], most: None },
        }
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

    /// When the stretch of the peak that runs ends.
    pub fn stretch_ends(&self) -> Tick {
        self.peak.begun + self.peak.width
    }

    /// Operations of a node so far.
    fn so_far(&self, node: usize) -> u64 {
        let window = self.windows.last().expect("there is always one");
        self.over[node] + window.loads[node].sum()
    }

    /// The most operations of a node since the stretch began.
    fn busiest(&self) -> u64 {
        let since = |node: usize| self.so_far(node) - self.peak.until[node];
        (0..self.over.len()).map(since).max().unwrap_or(0)
    }

    /// Ends the stretch of the peak that runs.
    pub fn close_stretch(&mut self, now: Tick) {
        self.peak.most = self.peak.most.max(Some(self.busiest()));
        self.peak.until = (0..self.over.len()).map(|node| self.so_far(node)).collect();
        self.peak.begun = now;
    }

    /// Operations of the busiest node in its busiest stretch, and the ticks of it: the whole time if that
    /// was shorter.
    pub fn peak(&self, now: Tick) -> (u64, Tick) {
        match self.peak.most {
            Some(most) => (most, self.peak.width),
            None => (self.busiest(), now - self.peak.begun),
        }
    }

    /// Ends the window that runs, with so many rows.
    pub fn close(&mut self, now: Tick, rows: u64) {
        let ticks = now - self.begun;
        let window = self.window();
        (window.ticks, window.rows) = (ticks, rows);
        let window = self.windows.last().expect("there is always one");
        self.over.iter_mut().zip(&window.loads).for_each(|(sum, load)| *sum += load.sum());
        let next = Window::empty(window.loads.len());
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
            first.rows = second.rows;
            for (load, more) in first.loads.iter_mut().zip(&second.loads) {
                load.add(more);
            }
            self.windows.push(first);
        }
        self.width *= 2;
    }

    /// Ends the books: the last window is as long as it has run, or goes if it has not.
    pub fn finish(&mut self, now: Tick, rows: u64) {
        let ticks = now - self.begun;
        if ticks == 0 && self.windows.len() > 1 {
            self.windows.pop();
        } else {
            let window = self.window();
            (window.ticks, window.rows) = (ticks, rows);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_join_in_pairs_and_keep_their_sums() {
        let mut ledger = Ledger::new(1, 1000, 1000);
        let mut now = 0;
        let mut sent = 0;
        for _ in 0..200 {
            now = ledger.ends();
            ledger.load(0).reads += now;
            sent += now;
            ledger.close(now, sent);
        }
        ledger.finish(now, sent);
        assert!(ledger.windows.len() <= MOST_WINDOWS && ledger.windows.len() >= MOST_WINDOWS / 2);
        assert_eq!(ledger.windows.iter().map(|w| w.loads[0].reads).sum::<u64>(), sent);
        assert_eq!(ledger.windows.iter().map(|w| w.ticks).sum::<u64>(), now);
        assert!(ledger.windows.iter().all(|w| w.ticks == ledger.width));
    }

    #[test]
    fn a_peak_is_that_of_a_minute_however_long_the_simulation_is() {
        let mut ledger = Ledger::new(2, 1000, 100_000);
        assert_eq!(ledger.stretch_ends(), 60);
        // 5 a second on node 1, 20 a second in the second minute.
        for tick in 1..=10_000 {
            ledger.load(0).writes += 1;
            ledger.load(1).reads += if (61..=120).contains(&tick) { 20 } else { 5 };
            if tick == ledger.ends() {
                ledger.close(tick, 0);
            }
            if tick == ledger.stretch_ends() {
                ledger.close_stretch(tick);
            }
        }
        assert!(ledger.width > 60);
        assert_eq!(ledger.peak(10_000), (1200, 60));
        // Shorter than a minute: the whole of it. Long horizons have longer stretches, long ticks one.
        let mut ledger = Ledger::new(1, 1000, 1000);
        ledger.load(0).copies += 30;
        assert_eq!(ledger.peak(10), (30, 10));
        assert_eq!(Ledger::new(1, 1000, 1 << 22).stretch_ends(), 256);
        assert_eq!(Ledger::new(1, 86_400_000, 7).stretch_ends(), 1);
    }
}
