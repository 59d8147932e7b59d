//! Snowflake ids: milliseconds, worker and a sequence number in one integer.
//!
//! Idea: id = milliseconds since the epoch ‖ worker ‖ sequence. Ids arrive at each worker at a rate; what
//! the sequence does when a millisecond begins decides whether the low bits are even.
//! Source: Twitter Snowflake, 2010 (41/10/12 bits); Discord 42/10/12; Instagram 41/13/10; `vibrate` is
//! Apache ShardingSphere's `max-vibration-offset`.
//! Cost: about 40 ns an id; 24 bytes a worker while a chunk is read.
//! Choices where the sources are silent:
//! - Any chunk can be opened alone: chunk c begins at the millisecond start + c × span, with span =
//!   ⌈2 × 65 536 / (ids of all workers in a millisecond)⌉, and with fresh workers. A chunk of arrivals
//!   ends within its span (twice the expected time; the odds against it are astronomic), after which the
//!   generators rest until the next chunk. `carry` starts from 0 in each chunk, which continues exactly
//!   for one worker and up to 16 sequence bits.
//! - Rows are in order of millisecond, then worker (`arrivals = "even"`: round-robin over the workers).
//! - With several `calls` a row is a request, and of the ids that it takes the row is the `call`-th. Two
//!   families of one stream that differ in `call` are then the order's and the item's id of one request.
//! - A worker gives at most 2^sequence-bits ids a millisecond. Callers beyond that are turned away rather
//!   than queued, so a rate near or above the limit acts as the limit. A start above 0 wraps around.

mod arrivals;

use self::arrivals::Arrivals;
use super::counts::{COUNT, count};
use super::format::push_u64;
use super::{
    Access, CHUNK_ROWS, Cursor, Generate, KeyBatch, KeyKind, KeySource, PatternBuild, PatternInfo,
    Want,
};
use crate::error::Error;
use crate::params::{Default, Param, Params, Type};
use crate::rng::{Purpose, Stream};

/// The pattern.
pub static INFO: PatternInfo = PatternInfo {
    name: "snowflake",
    summary: "ids of milliseconds, worker and sequence number",
    source: "Twitter Snowflake, 2010; sequence policies of its successors",
    params: &[
        COUNT,
        Param::new(
            "epoch-ms",
            Type::Int { min: 0, max: MAX_MS },
            Default::Int(1_288_834_974_657),
            "time 0 of the ids, in milliseconds since 1970; Twitter's by default",
        ),
        Param::new(
            "start-ms",
            Type::Int { min: 0, max: MAX_MS },
            // 2025-01-15 00:00 UTC.
            Default::Int(1_736_899_200_000),
            "when the first chunk begins, in milliseconds since 1970",
        ),
        Param::new(
            "timestamp-bits",
            Type::Int { min: 1, max: 63 },
            Default::Int(41),
            "bits of the milliseconds",
        ),
        Param::new(
            "worker-bits",
            Type::Int { min: 0, max: 31 },
            Default::Int(10),
            "bits of the worker",
        ),
        Param::new(
            "sequence-bits",
            Type::Int { min: 0, max: 31 },
            Default::Int(12),
            "bits of the sequence number",
        ),
        Param::new(
            "worker",
            Type::Int { min: 0, max: (1 << 31) - 1 },
            Default::Int(0),
            "number of the first worker",
        ),
        Param::new(
            "workers",
            Type::Int { min: 1, max: 65_536 },
            Default::Int(1),
            "how many workers",
        ),
        Param::new(
            "rate",
            Type::Float { min: 1e-6, max: 1e6 },
            Default::Float(1.0),
            "requests a worker answers in a millisecond, on average; each takes `calls` ids",
        ),
        Param::new(
            "arrivals",
            Type::Choice(&["poisson", "even"]),
            Default::Text("poisson"),
            "whether ids arrive at random or evenly spaced",
        ),
        Param::new(
            "sequence",
            Type::Choice(&["restart", "carry", "random-start", "vibrate"]),
            Default::Text("restart"),
            "the sequence in a new millisecond: from 0, on from the last, from a random number, or from 0, 1, … vibration in turn",
        ),
        Param::new(
            "vibration",
            Type::Int { min: 0, max: (1 << 31) - 1 },
            Default::Int(1),
            "largest start of `vibrate`",
        ),
        Param::new(
            "calls",
            Type::Int { min: 1, max: 64 },
            Default::Int(1),
            "ids that each request takes from its worker, one after the other in one millisecond",
        ),
        Param::new(
            "call",
            Type::Int { min: 1, max: 64 },
            Default::Int(1),
            "which of a request's ids these keys are: the first, the second …",
        ),
    ],
    build,
};

/// Latest time in milliseconds since 1970: beyond the year 9999.
const MAX_MS: i64 = 1 << 48;

/// What the sequence does when a millisecond begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Policy {
    Restart,
    Carry,
    RandomStart,
    /// Largest start.
    Vibrate(u64),
}

#[derive(Debug)]
struct Snowflake {
    count: u64,
    seed: u64,
    /// Timestamp field at the start of chunk 0.
    first_ms: u64,
    /// Milliseconds from chunk to chunk.
    span_ms: u64,
    worker_bits: u32,
    sequence_bits: u32,
    first_worker: u64,
    workers: u64,
    rate: f64,
    even: bool,
    policy: Policy,
    /// Ids a request takes.
    calls: u64,
    /// Which of them is the key, from 0.
    call: u64,
}

fn build(build: &PatternBuild<'_>) -> Result<Box<dyn KeySource>, Error> {
    let p = build.params;
    let bits = |name| p.int(name) as u32;
    let timestamp_bits = bits("timestamp-bits");
    let (worker_bits, sequence_bits) = (bits("worker-bits"), bits("sequence-bits"));
    if timestamp_bits + worker_bits + sequence_bits > 63 {
        return Err(Error::invalid(format!(
            "the bits are {timestamp_bits} + {worker_bits} + {sequence_bits} = {}",
            timestamp_bits + worker_bits + sequence_bits
        ))
        .help("allowed: at most 63 in total, so that ids are positive")
        .field("timestamp-bits"));
    }
    let (first_worker, workers) = (p.int("worker") as u64, p.int("workers") as u64);
    if first_worker + workers > 1 << worker_bits {
        return Err(Error::invalid(format!(
            "worker {} does not fit into {worker_bits} bits",
            first_worker + workers - 1
        ))
        .help(format!("allowed: 0 to {}", (1u64 << worker_bits) - 1))
        .field(if workers > 1 { "workers" } else { "worker" }));
    }
    let rate = p.float("rate");
    let (calls, call) = (p.int("calls") as u64, p.int("call") as u64);
    if call > calls {
        return Err(Error::invalid(format!("`call` is {call}, but a request makes {calls} calls"))
            .help(format!("allowed: 1 to {calls}, or raise `calls`"))
            .field("call"));
    }
    if calls > 1 << sequence_bits {
        return Err(Error::invalid(format!(
            "{calls} ids of a request do not fit into {sequence_bits} sequence bits"
        ))
        .help(format!("allowed: up to {} calls", 1u64 << sequence_bits))
        .field("calls"));
    }
    let in_a_ms = rate.min(((1u64 << sequence_bits) / calls) as f64) * workers as f64;
    let mut source = Snowflake {
        count: count(build),
        seed: build.seed,
        first_ms: 0,
        span_ms: libm::ceil(2.0 * CHUNK_ROWS as f64 / in_a_ms) as u64,
        worker_bits,
        sequence_bits,
        first_worker,
        workers,
        rate,
        even: p.text("arrivals") == "even",
        policy: policy(p, sequence_bits)?,
        calls,
        call: call - 1,
    };
    source.first_ms = first_ms(p, &source, timestamp_bits)?;
    Ok(Box::new(source))
}

fn policy(params: &Params, sequence_bits: u32) -> Result<Policy, Error> {
    Ok(match params.text("sequence") {
        "carry" => Policy::Carry,
        "random-start" => Policy::RandomStart,
        "vibrate" => {
            let most = (1u64 << sequence_bits) - 1;
            let vibration = params.int("vibration") as u64;
            if vibration > most {
                return Err(Error::invalid(format!(
                    "`vibration` is {vibration}, which does not fit into {sequence_bits} sequence bits"
                ))
                .help(format!("allowed: 0 to {most}"))
                .field("vibration"));
            }
            Policy::Vibrate(vibration)
        }
        _ => Policy::Restart,
    })
}

/// The timestamp field of the first chunk, if that of the last chunk fits too.
fn first_ms(params: &Params, source: &Snowflake, timestamp_bits: u32) -> Result<u64, Error> {
    let (start, epoch) = (params.int("start-ms"), params.int("epoch-ms"));
    if start < epoch {
        return Err(Error::invalid(format!("`start-ms` is {start}, before the epoch {epoch}"))
            .help(format!("allowed: from {epoch}"))
            .field("start-ms"));
    }
    let first = (start - epoch) as u64;
    let chunks = source.count.div_ceil(CHUNK_ROWS);
    let end = u128::from(first) + u128::from(chunks) * u128::from(source.span_ms);
    if end > 1 << timestamp_bits {
        return Err(Error::invalid(format!(
            "{} ids at rate {} end up to {end} ms after the epoch, which does not fit into {timestamp_bits} bits",
            source.count, source.rate
        ))
        .help(format!("allowed: up to {} ms; lower `count`, raise `rate` or move `start-ms` and `epoch-ms` together", 1u64 << timestamp_bits))
        .field(if first >= 1 << timestamp_bits { "start-ms" } else { "rate" }));
    }
    Ok(first)
}

impl KeySource for Snowflake {
    fn kind(&self) -> KeyKind {
        KeyKind::I64
    }

    fn rows(&self) -> Result<u64, Error> {
        Ok(self.count)
    }

    /// All: no worker gives a sequence number twice in a millisecond, and chunks share none.
    fn distinct(&self) -> Option<u64> {
        Some(self.count)
    }

    fn access(&self) -> Access<'_> {
        Access::AnyOrder(self)
    }
}

impl Generate for Snowflake {
    fn open(&self, chunk: u64, want: Want) -> Box<dyn Cursor + '_> {
        let most = 1 << self.sequence_bits;
        let fresh = match self.policy {
            // The step before the first start, or before the first number.
            Policy::Vibrate(vibration) => Worker { ms: u64::MAX, sequence: 0, start: vibration },
            _ => Worker { ms: u64::MAX, sequence: most - 1, start: 0 },
        };
        Box::new(Walk {
            source: self,
            want,
            base_ms: self.first_ms + chunk * self.span_ms,
            stream: Stream::new(self.seed, Purpose::Keys, chunk),
            arrivals: Arrivals::new(self.rate, self.workers, most / self.calls, self.even),
            workers: vec![fresh; self.workers as usize],
        })
    }
}

/// One worker's memory.
#[derive(Debug, Clone)]
struct Worker {
    /// The last millisecond in which it gave an id, from the start of the chunk.
    ms: u64,
    /// The last sequence number.
    sequence: u64,
    /// The last start of `vibrate`.
    start: u64,
}

struct Walk<'a> {
    source: &'a Snowflake,
    want: Want,
    /// Timestamp field at the start of the chunk.
    base_ms: u64,
    stream: Stream,
    arrivals: Arrivals,
    workers: Vec<Worker>,
}

impl Walk<'_> {
    #[inline]
    fn next(&mut self) -> u64 {
        let source = self.source;
        let (ms, number) = self.arrivals.next(&mut self.stream);
        let worker = &mut self.workers[number as usize];
        let mask = (1 << source.sequence_bits) - 1;
        let first = if worker.ms == ms {
            worker.sequence + 1
        } else {
            match source.policy {
                Policy::Restart => 0,
                Policy::Carry => worker.sequence + 1,
                Policy::RandomStart => self.stream.next_u64(),
                Policy::Vibrate(most) => {
                    worker.start = if worker.start >= most { 0 } else { worker.start + 1 };
                    worker.start
                }
            }
        } & mask;
        worker.ms = ms;
        worker.sequence = (first + source.calls - 1) & mask;
        let high = (self.base_ms + ms) << source.worker_bits | (source.first_worker + number);
        high << source.sequence_bits | (first + source.call) & mask
    }
}

impl Cursor for Walk<'_> {
    fn fill(&mut self, rows: usize, batch: &mut KeyBatch) {
        for _ in 0..rows {
            let id = self.next();
            batch.ints.push(id);
            if self.want.text {
                push_u64(id, batch.text.arena());
                batch.text.end();
            }
        }
        batch.grow(rows);
    }
}

#[cfg(test)]
mod tests {
    use super::super::testing::{Given, assert_laws, error, first, integers, source};
    use super::*;
    use crate::params::Value::{Float, Int, Text};

    fn with(sequence: &str, rate: f64, more: Given) -> Given {
        let mut given = vec![("sequence", Text(sequence.into())), ("rate", Float(rate))];
        given.extend(more);
        given
    }

    fn ids(given: Given, rows: usize) -> Vec<u64> {
        integers(&*source(&INFO, given), 0, rows)
    }

    /// How many ids fall on each residue of `modulus`.
    fn residues(ids: &[u64], modulus: u64) -> Vec<u32> {
        let mut counts = vec![0; modulus as usize];
        ids.iter().for_each(|id| counts[(id % modulus) as usize] += 1);
        counts
    }

    #[test]
    fn values_are_stable() {
        assert_eq!(
            first(&INFO, vec![], 3),
            ["1879317572613046272", "1879317572613046273", "1879317572617240576"]
        );
    }

    #[test]
    fn fields_are_where_they_belong() {
        let given =
            with("restart", 2.0, vec![("arrivals", Text("even".into())), ("worker", Int(5))]);
        let fields: Vec<_> = ids(given, 4)
            .iter()
            .map(|id| ((id >> 22) + 1_288_834_974_657, id >> 12 & 1023, id & 4095))
            .collect();
        let start = 1_736_899_200_000;
        assert_eq!(fields, [(start, 5, 0), (start, 5, 1), (start + 1, 5, 0), (start + 1, 5, 1)]);
    }

    #[test]
    fn laws_hold() {
        for sequence in ["restart", "carry", "random-start", "vibrate"] {
            assert_laws(&INFO, with(sequence, 0.7, vec![("workers", Int(3))]));
        }
        assert_laws(&INFO, with("restart", 100.0, vec![]));
        assert_laws(&INFO, with("vibrate", 0.1, vec![("arrivals", Text("even".into()))]));
    }

    #[test]
    fn ids_rise_and_never_repeat() {
        for (sequence, rate, bits) in [
            ("restart", 0.01, 12),
            ("carry", 5000.0, 12),
            ("random-start", 9.0, 3),
            ("restart", 1.0, 0),
        ] {
            let more =
                vec![("sequence-bits", Int(bits)), ("workers", Int(2)), ("count", Int(3 * 65_536))];
            let source = source(&INFO, with(sequence, rate, more));
            let mut ids: Vec<u64> =
                (0..3).flat_map(|chunk| integers(&*source, chunk, 65_536)).collect();
            let by_time = ids.windows(2).all(|pair| pair[0] >> bits <= pair[1] >> bits);
            assert!(by_time, "{sequence} {rate} {bits}");
            ids.sort_unstable();
            ids.dedup();
            assert_eq!(source.distinct(), Some(ids.len() as u64), "{sequence} {rate} {bits}");
        }
    }

    #[test]
    fn share_of_sequence_zero_is_as_poisson_arrivals_have_it() {
        // (1 − e^−r)/r. The standard deviation at r = 1 is 0.0016 (less elsewhere): five of them are
        // left with probability 6e-7.
        for (rate, want) in [(0.01, 0.995), (0.1, 0.952), (1.0, 0.632), (5.0, 0.199), (20.0, 0.05)]
        {
            let ids = ids(with("restart", rate, vec![]), 65_536);
            let zeros = ids.iter().filter(|&id| id & 4095 == 0).count();
            let have = zeros as f64 / 65_536.0;
            assert!(libm::fabs(have - want) < 0.008, "{rate}: {have} for {want}");
        }
    }

    #[test]
    fn a_restarting_sequence_reaches_few_shards_and_the_others_reach_all() {
        let shards = |sequence: &str| {
            residues(&ids(with(sequence, 5.0, vec![]), 65_536), 256)
                .iter()
                .filter(|&&c| c > 0)
                .count()
        };
        // More than 24 ids in one of 13 000 milliseconds has probability 1e-5.
        assert!((11..=24).contains(&shards("restart")));
        assert_eq!([shards("carry"), shards("random-start")], [256, 256]);
    }

    #[test]
    fn vibration_gives_one_residue_more_than_its_largest_start() {
        for vibration in [0, 1, 5] {
            let more = vec![("vibration", Int(vibration)), ("arrivals", Text("even".into()))];
            let counts = residues(&ids(with("vibrate", 0.1, more), 60_000), 64);
            let used = vibration as usize + 1;
            assert!(counts[..used].iter().all(|&c| c as usize == 60_000 / used), "{counts:?}");
        }
    }

    #[test]
    fn the_calls_of_a_request_are_neighbours() {
        // ShardingSphere 10732: order ids are the first call, item ids the second, from 0 each ms.
        let of = |sequence: &str, call: i64| {
            let more = vec![("calls", Int(2)), ("call", Int(call))];
            ids(with(sequence, 0.5, more), 5000)
        };
        for sequence in ["restart", "carry", "vibrate", "random-start"] {
            let (orders, items) = (of(sequence, 1), of(sequence, 2));
            for (order, item) in orders.iter().zip(&items) {
                assert_eq!(item & 4095, (order + 1) & 4095, "{sequence}");
                assert_eq!(item >> 12, order >> 12, "{sequence}");
            }
        }
        assert!(of("restart", 1).iter().all(|id| id % 2 == 0));
        assert!(of("restart", 2).iter().all(|id| id % 2 == 1));
        assert_eq!(error(&INFO, vec![("call", Int(2))]).field, Some("call"));
        let narrow = vec![("calls", Int(3)), ("sequence-bits", Int(1))];
        assert_eq!(error(&INFO, narrow).field, Some("calls"));
    }

    #[test]
    fn what_cannot_be_is_refused() {
        assert_eq!(error(&INFO, vec![("timestamp-bits", Int(42))]).field, Some("timestamp-bits"));
        assert_eq!(error(&INFO, vec![("worker", Int(1024))]).field, Some("worker"));
        assert_eq!(error(&INFO, vec![("workers", Int(1025))]).field, Some("workers"));
        assert_eq!(error(&INFO, vec![("start-ms", Int(0))]).field, Some("start-ms"));
        assert_eq!(
            error(&INFO, vec![("epoch-ms", Int(0)), ("timestamp-bits", Int(40))]).field,
            Some("start-ms")
        );
        let slow = with("restart", 1e-6, vec![("count", Int(1_000_000_000))]);
        assert_eq!(error(&INFO, slow).field, Some("rate"));
        let far = with("vibrate", 1.0, vec![("vibration", Int(4096))]);
        assert_eq!(error(&INFO, far).field, Some("vibration"));
    }
}
