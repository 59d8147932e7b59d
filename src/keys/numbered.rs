//! Texts that differ in a number: a head and a zero-padded decimal that advances by a fixed step.
//!
//! Up to a hundred consecutive keys share everything but their last two digits. Such a run is written
//! as copies of one text of fixed width, each with its own two digits, and its ends are pushed in
//! bulk: nothing is formatted key by key.

use super::ByteColumn;
use super::format::push_u64;

/// "00" to "99".
const PAIRS: [[u8; 2]; 100] = {
    let mut pairs = [[b'0'; 2]; 100];
    let mut i = 0;
    while i < 100 {
        pairs[i] = [b'0' + (i / 10) as u8, b'0' + (i % 10) as u8];
        i += 1;
    }
    pairs
};

/// Longest text that is copied in one piece of fixed size.
const LONGEST_PIECE: usize = 64;

/// The texts head, number; head, number + step; and so on.
#[derive(Debug)]
pub(super) struct NumberedText {
    head: Vec<u8>,
    /// Least number of digits.
    digits: usize,
    next: i64,
    step: i64,
    /// The text of `next`.
    text: Vec<u8>,
}

impl NumberedText {
    /// Starts at number `next`; numbers of fewer than `digits` digits are padded with zeros.
    pub(super) fn new(head: &[u8], digits: usize, next: i64, step: i64) -> Self {
        assert!(step != 0, "a step of zero is refused before");
        NumberedText { head: head.to_vec(), digits, next, step, text: Vec::new() }
    }

    /// Appends the next `rows` texts. The numbers must stay within i64; the one after the last need not.
    pub(super) fn fill(&mut self, rows: usize, out: &mut ByteColumn) {
        let mut left = rows;
        while left > 0 {
            self.write_text();
            let run = self.run().min(left as u64) as usize;
            if run == 1 {
                out.push(&self.text);
            } else {
                self.write_run(run, out);
            }
            self.next = self.next.wrapping_add(self.step.wrapping_mul(run as i64));
            left -= run;
        }
    }

    /// How many keys from `next` on have the same text up to their last two digits.
    fn run(&self) -> u64 {
        let (magnitude, stride) = (self.next.unsigned_abs(), self.step.unsigned_abs());
        if stride >= 100 || (magnitude < 100 && self.digits < 2) {
            return 1;
        }
        let low = magnitude % 100;
        if self.rises() {
            (99 - low) / stride + 1
        } else {
            // A negative number must not reach zero, which has no sign.
            let floor = u64::from(self.next < 0 && magnitude < 100);
            (low - floor) / stride + 1
        }
    }

    /// Whether the number without its sign grows.
    fn rises(&self) -> bool {
        (self.step > 0) == (self.next >= 0)
    }

    fn write_text(&mut self) {
        self.text.clear();
        self.text.extend_from_slice(&self.head);
        if self.next < 0 {
            self.text.push(b'-');
        }
        push_padded(self.next.unsigned_abs(), self.digits, &mut self.text);
    }

    fn write_run(&self, run: usize, out: &mut ByteColumn) {
        let width = self.text.len();
        let low = (self.next.unsigned_abs() % 100) as usize;
        let stride = self.step.unsigned_abs() as usize;
        let delta = if self.rises() { stride } else { stride.wrapping_neg() };
        let arena = out.arena();
        let at = arena.len();
        arena.resize(at + run * width + LONGEST_PIECE, 0);
        let target = &mut arena[at..];
        match width {
            0..=16 => copies::<16>(&self.text, low, delta, run, target),
            17..=32 => copies::<32>(&self.text, low, delta, run, target),
            33..=LONGEST_PIECE => copies::<LONGEST_PIECE>(&self.text, low, delta, run, target),
            _ => long_copies(&self.text, low, delta, run, target),
        }
        arena.truncate(at + run * width);
        out.end_fixed(run, width);
    }
}

/// Writes `run` copies of `text` back to back, copying `N` bytes for each (a copy of a size that the
/// compiler knows is one or two moves); what it writes too much, the next copy overwrites.
#[inline]
fn copies<const N: usize>(text: &[u8], low: usize, delta: usize, run: usize, out: &mut [u8]) {
    let width = text.len();
    let mut piece = [0; N];
    piece[..width].copy_from_slice(text);
    let mut low = low;
    for i in 0..run {
        let slot = &mut out[i * width..i * width + N];
        slot.copy_from_slice(&piece);
        slot[width - 2..width].copy_from_slice(&PAIRS[low]);
        low = low.wrapping_add(delta);
    }
}

fn long_copies(text: &[u8], low: usize, delta: usize, run: usize, out: &mut [u8]) {
    let width = text.len();
    let mut low = low;
    for slot in out.chunks_exact_mut(width).take(run) {
        slot.copy_from_slice(text);
        slot[width - 2..].copy_from_slice(&PAIRS[low]);
        low = low.wrapping_add(delta);
    }
}

/// Appends `n` with zeros before it where it has fewer than `digits` digits.
fn push_padded(n: u64, digits: usize, out: &mut Vec<u8>) {
    let at = out.len();
    push_u64(n, out);
    let missing = digits.saturating_sub(out.len() - at);
    if missing > 0 {
        out.resize(out.len() + missing, b'0');
        out[at..].rotate_right(missing);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts by `format!`.
    fn plain(head: &str, digits: usize, start: i64, step: i64, rows: i64) -> Vec<String> {
        (0..rows)
            .map(|i| {
                let n = start.wrapping_add(step.wrapping_mul(i));
                let sign = if n < 0 { "-" } else { "" };
                format!("{head}{sign}{:0digits$}", n.unsigned_abs())
            })
            .collect()
    }

    #[test]
    fn runs_give_the_texts_of_format() {
        let heads = ["", "user:", "a-head-of-twenty-bytes", &"x".repeat(50), &"long".repeat(40)];
        for head in heads {
            for digits in [0, 2, 3, 12] {
                for step in [1, 7, 99, 100, -1, -3, -250] {
                    for start in [0, 98, 990, -7, -250, i64::MAX - 40_000_000] {
                        let want = plain(head, digits, start, step, 130);
                        let mut text = NumberedText::new(head.as_bytes(), digits, start, step);
                        let mut out = ByteColumn::default();
                        for piece in [1, 49, 80] {
                            text.fill(piece, &mut out);
                        }
                        let have: Vec<&[u8]> = out.iter().collect();
                        let want: Vec<&[u8]> = want.iter().map(String::as_bytes).collect();
                        assert_eq!(have, want, "{head} {digits} {step} {start}");
                    }
                }
            }
        }
    }

    #[test]
    fn the_ends_of_i64_are_written() {
        for (start, step) in [(i64::MIN, 1), (i64::MAX - 2, 1), (i64::MIN + 2, -1)] {
            let mut out = ByteColumn::default();
            NumberedText::new(b"", 0, start, step).fill(3, &mut out);
            let want: Vec<String> = (0..3).map(|i| (start + step * i).to_string()).collect();
            let have: Vec<&[u8]> = out.iter().collect();
            assert_eq!(have, want.iter().map(String::as_bytes).collect::<Vec<_>>());
        }
    }
}
