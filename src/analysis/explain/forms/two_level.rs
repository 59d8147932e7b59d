//! Two levels by one number or one hash: what cannot be reached.

use super::{Answer, FormInfo, gcd, nodes, whole};
use crate::error::Error;
use crate::metrics::Unit;
use crate::params::Params;

/// `cells a b`
pub static CELLS: FormInfo = FormInfo {
    name: "cells",
    summary: "cells in use when database = x mod a and table = x mod b",
    params: &[nodes("databases", "number of databases"), nodes("tables", "tables a database")],
    positional: 2,
    formula: "reachable = lcm(a,b) of a·b cells; x mod a and ⌊x/a⌋ mod b reach all",
    source: "Chinese remainder theorem",
    answer: cells,
};

fn cells(params: &Params) -> Result<Answer, Error> {
    let (a, b) = (whole(params, "databases"), whole(params, "tables"));
    let g = gcd(a, b);
    let reachable = a / g * b;
    let mut answer = Answer::default();
    answer.push("cells that keys reach", reachable as f64, Unit::Count, format!("lcm({a},{b})"));
    if a * b <= 4_000_000 {
        let mut seen = vec![false; (a * b) as usize];
        (0..reachable).for_each(|x| seen[(x % a * b + x % b) as usize] = true);
        let count = seen.iter().filter(|&&s| s).count();
        answer.check(count as f64, 1e-9, "a period of x, counted");
    }
    answer.push("cells in all", (a * b) as f64, Unit::Count, format!("{a}·{b}"));
    answer.push("share of the cells", 1.0 / g as f64, Unit::Share, format!("1 ÷ gcd({a},{b})"));
    answer.push("max over mean of cells", g as f64, Unit::Ratio, "gcd(a,b)");
    Ok(answer)
}

/// `same-hash n m`
pub static SAME_HASH: FormInfo = FormInfo {
    name: "same-hash",
    summary: "slots that a node reaches when hash mod n chose it and the same hash mod m chooses the slot",
    params: &[
        nodes("nodes", "modulus of the level before"),
        nodes("slots", "modulus of this level"),
    ],
    positional: 2,
    formula: "reachable = m ÷ gcd(n,m) slots of m on each node",
    source: "keys of a node agree modulo n, so their remainders by m agree modulo gcd(n,m)",
    answer: same_hash,
};

fn same_hash(params: &Params) -> Result<Answer, Error> {
    let (n, m) = (whole(params, "nodes"), whole(params, "slots"));
    let g = gcd(n, m);
    let mut answer = Answer::default();
    answer.push(
        "slots in use on a node",
        (m / g) as f64,
        Unit::Count,
        format!("{m} ÷ gcd({n},{m})"),
    );
    let mut seen = vec![false; m as usize];
    (0..m / g).for_each(|i| seen[(i * n % m) as usize] = true);
    answer.check(
        seen.iter().filter(|&&s| s).count() as f64,
        1e-9,
        "keys of node 0, a period counted",
    );
    answer.push("share of the slots", 1.0 / g as f64, Unit::Share, format!("1 ÷ {g}"));
    answer.push("max over mean of slots", g as f64, Unit::Ratio, "gcd(n,m)");
    if g == 1 {
        answer.note("Coprime: nothing is lost.");
    } else {
        answer.note("Another seed or other bits at one level reach all slots again; so does a modulus without a common factor.");
    }
    Ok(answer)
}
