//! Hot keys, bounded loads, and limits of one partition.

use super::{Answer, FormInfo, nodes, whole};
use crate::error::Error;
use crate::metrics::Unit;
use crate::params::{Default, Param, Params, Type};

const SHARE: Param = Param::new(
    "share",
    Type::Float { min: 1e-9, max: 1.0 },
    Default::Required,
    "share of the requests that one key has, e.g. 0.1 or 10%",
);

/// `hot-key f n`
pub static HOT_KEY: FormInfo = FormInfo {
    name: "hot-key",
    summary: "the max over mean that one key with share f forces on n nodes, and what a split in parts gives",
    params: &[
        SHARE,
        nodes("nodes", "number of nodes"),
        Param::new(
            "parts",
            Type::Int { min: 1, max: 1_000_000 },
            Default::Int(1),
            "parts into which its writes are split",
        ),
    ],
    positional: 2,
    formula: "max over mean ≥ f·n for every strategy that keeps a key on one node; 1 + f(n−1) where the rest is even",
    source: "the key's owner holds f of the load at least, and 1/n is fair",
    answer: hot_key,
};

fn hot_key(params: &Params) -> Result<Answer, Error> {
    let (f, n, parts) =
        (params.float("share"), whole(params, "nodes") as f64, whole(params, "parts") as f64);
    let mut answer = Answer::default();
    answer.push(
        "max over mean, at least",
        (f * n).max(1.0),
        Unit::Ratio,
        format!("max(1, {f}·{n})"),
    );
    answer.push(
        "max over mean where the rest is even",
        1.0 + f * (n - 1.0),
        Unit::Ratio,
        format!("1 + {f}·({n} − 1)"),
    );
    answer.push(
        "nodes beyond which more of them do not help",
        libm::floor(1.0 / f + 1e-9),
        Unit::Count,
        "1/f",
    );
    if parts > 1.0 {
        answer.push("share of a part", f / parts, Unit::Share, format!("{f} ÷ {parts}"));
        answer.push(
            "max over mean of writes then, at least",
            1.0 - f + f * n * libm::ceil(parts / n) / parts,
            Unit::Ratio,
            "1 − f + f·n·⌈r/n⌉/r: as few parts on one node as can be",
        );
        answer.push(
            "work of reads that ask every part",
            1.0 - f + parts * f,
            Unit::Ratio,
            "(1 − f) + r·f",
        );
    }
    answer.push(
        "parts that make it as small as a fair share",
        libm::ceil(f * n - 1e-9).max(1.0),
        Unit::Count,
        "⌈f·n⌉",
    );
    Ok(answer)
}

/// `bounded n c`
pub static BOUNDED: FormInfo = FormInfo {
    name: "bounded",
    summary: "what a bound of c times the mean does with a key of share f: nodes it needs, requests that lose affinity",
    params: &[
        nodes("nodes", "number of nodes"),
        Param::new(
            "factor",
            Type::Float { min: 1.0, max: 100.0 },
            Default::Float(1.25),
            "most that a node may hold, in multiples of the mean",
        ),
        Param::new(
            "share",
            Type::Float { min: 1e-9, max: 1.0 },
            Default::Float(0.1),
            "share of the requests that one key has",
        ),
    ],
    positional: 3,
    formula: "cap = ⌈c·(m+1)/n⌉ open requests; nodes ≥ ⌈f·n/c⌉; requests that leave their node ≥ 1 − c/(f·n)",
    source: "V. Mirrokni, M. Thorup, M. Zadimoghaddam, 2018, https://arxiv.org/abs/1608.01350",
    answer: bounded,
};

fn bounded(params: &Params) -> Result<Answer, Error> {
    let (n, c, f) = (whole(params, "nodes") as f64, params.float("factor"), params.float("share"));
    let mut answer = Answer::default();
    answer.push(
        "max over mean, at most",
        c.min(n),
        Unit::Ratio,
        "c (and one request, for whole numbers)",
    );
    answer.push(
        "nodes that the key needs",
        libm::ceil(f * n / c - 1e-9).max(1.0).min(n),
        Unit::Count,
        format!("⌈{f}·{n} ÷ {c}⌉"),
    );
    answer.push(
        "its requests that leave their node, at least",
        (1.0 - c / (f * n)).max(0.0),
        Unit::Share,
        format!("1 − {c} ÷ ({f}·{n})"),
    );
    answer.push("max over mean without a bound, at least", (f * n).max(1.0), Unit::Ratio, "f·n");
    answer.aside();
    answer.note("A bounded load buys evenness with stickiness: in a stable cluster one key goes to several nodes.");
    Ok(answer)
}

/// `suffixes rate limit`
pub static SUFFIXES: FormInfo = FormInfo {
    name: "suffixes",
    summary: "parts that one key needs so that each stays below the limit of one partition",
    params: &[
        Param::new(
            "rate",
            Type::Float { min: 1e-9, max: 1e15 },
            Default::Required,
            "requests of the key, e.g. a second",
        ),
        Param::new(
            "limit",
            Type::Float { min: 1e-9, max: 1e15 },
            Default::Required,
            "what one partition takes in the same time",
        ),
    ],
    positional: 2,
    formula: "parts = ⌈rate ÷ limit⌉; of a single key the limit serves limit ÷ rate, however many shards there are",
    source: "Amazon DynamoDB: 1000 write units and 3000 read units a partition and second; write sharding by suffix",
    answer: suffixes,
};

fn suffixes(params: &Params) -> Result<Answer, Error> {
    let (rate, limit) = (params.float("rate"), params.float("limit"));
    let parts = libm::ceil(rate / limit - 1e-9).max(1.0);
    let mut answer = Answer::default();
    answer.push("parts", parts, Unit::Count, format!("⌈{rate} ÷ {limit}⌉"));
    answer.push(
        "requests that are throttled without them",
        (1.0 - limit / rate).max(0.0),
        Unit::Share,
        "1 − limit ÷ rate",
    );
    answer.push("reads that one read of the whole becomes", parts, Unit::Count, "one a part");
    Ok(answer)
}
