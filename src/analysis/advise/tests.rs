use std::path::Path;

use super::front::{Cost, rank};
use super::measures::Measures;
use super::{Advice, Evidence, advise};
use crate::rng::{Purpose, Stream};
use crate::scenario::{Overrides, parse};
use crate::sim::{Options, Silent, run};

fn cost(skew: u64, excess: u64, steps: u64, bytes: u64) -> Cost {
    Cost { skew, excess, steps, bytes }
}

/// Places by index, and who dominates.
fn ranked(costs: &[Cost]) -> Vec<(usize, Option<usize>)> {
    rank(costs).into_iter().map(|r| (r.index, r.dominated_by)).collect()
}

#[test]
fn the_front_by_hand() {
    let costs = [
        cost(125, 0, 25, 20_000), // a ring: fewer steps than 2, but 4 has fewer still, and less skew
        cost(102, 500, 10, 40),   // modulo: cheapest to look up, moves half of everything
        cost(102, 0, 30, 40),     // jump
        cost(102, 0, 120, 100),   // rendezvous: jump is better in steps and bytes
        cost(102, 0, 10, 4096),   // a bucket table
    ];
    // 2 % for 4 and 2 and 3, by steps; 25 % for the ring; 52 % for modulo.
    let order = ranked(&costs);
    assert_eq!(order, [(4, None), (2, None), (3, Some(2)), (0, Some(4)), (1, None)]);
}

#[test]
fn equal_costs_do_not_beat_each_other_and_keep_their_order() {
    let same = cost(110, 5, 10, 64);
    assert_eq!(ranked(&[same, same]), [(0, None), (1, None)]);
    // Better in one thing and worse in another.
    assert_eq!(ranked(&[cost(110, 5, 20, 64), cost(110, 5, 10, 65)]), [(1, None), (0, None)]);
    assert_eq!(ranked(&[cost(110, 5, 20, 64), cost(110, 5, 10, 64)]), [(1, None), (0, Some(1))]);
    assert!(ranked(&[]).is_empty());
}

#[test]
fn a_hundredth_of_skew_weighs_what_ten_thousandths_of_movement_do() {
    // 3 % skew against 2 % skew and 1.1 % movement.
    assert_eq!(ranked(&[cost(102, 11, 1, 1), cost(103, 0, 9, 9)])[0].0, 1);
    assert_eq!(ranked(&[cost(102, 9, 9, 9), cost(103, 0, 1, 1)])[0].0, 0);
}

#[test]
fn no_member_of_the_front_is_dominated_and_all_others_are_by_one_above_them() {
    let mut rng = Stream::new(7, Purpose::Keys, 0);
    for round in 0..300 {
        let n = rng.below(40) as usize;
        // Few values, so that ties are frequent.
        let mut draw = |most| rng.below(most);
        let costs: Vec<Cost> =
            (0..n).map(|_| cost(100 + draw(4), 10 * draw(4), 10 + draw(4), 1 << draw(4))).collect();
        let ranking = rank(&costs);
        let mut seen: Vec<usize> = ranking.iter().map(|r| r.index).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..n).collect::<Vec<_>>(), "round {round}");
        let place = |index| ranking.iter().position(|r| r.index == index).unwrap();
        for one in &ranking {
            let by = (0..n).filter(|&other| costs[other].dominates(&costs[one.index]));
            let by: Vec<usize> = by.collect();
            match one.dominated_by {
                None => assert!(by.is_empty(), "round {round}: {:?}", costs[one.index]),
                Some(other) => {
                    assert!(by.contains(&other), "round {round}");
                    // The one that is named is on the front, and whatever dominates stands above.
                    assert!(ranking[place(other)].dominated_by.is_none(), "round {round}");
                    assert!(by.iter().all(|&b| place(b) < place(one.index)), "round {round}");
                }
            }
        }
    }
}

#[test]
fn costs_are_the_figures_as_shown_and_uncounted_steps_are_the_most() {
    let measures = Measures {
        load: "keys",
        max_over_mean: 1.0249,
        p95: Some(1.0151),
        moved: 0.5,
        excess: 0.000_49,
        lookup_steps: Some(2.449),
        table_bytes: 77,
        nodes_asked: None,
        differs: None,
        homeless: 0.0,
    };
    assert_eq!(Cost::of(&measures), cost(102, 0, 24, 77));
    let other = Measures { p95: Some(1.026), lookup_steps: None, excess: -1e-18, ..measures };
    assert_eq!(Cost::of(&other), cost(103, 0, u64::MAX, 77));
}

/// The advice for a scenario of 4 nodes and 5000 keys.
fn advice(rest: &str) -> Advice {
    let text = format!(
        "title = \"t\"\n[cluster]\nnodes = 4\n[keys]\npattern = \"sequential\"\ncount = 5000\n{rest}"
    );
    let scenario = parse(&text, "t.toml", "t", Path::new("."), &Overrides::default());
    let scenario =
        scenario.unwrap_or_else(|errors| panic!("{}", crate::scenario::render(&errors, false)));
    let options = Options { threads: Some(1), ..Options::default() };
    let record = run(&scenario, options, &Silent).unwrap();
    let differs = match scenario.needs.as_ref().and_then(|needs| needs.matches.as_deref()) {
        Some(name) => super::matching::shares(&scenario, name, &Silent).unwrap(),
        None => Vec::new(),
    };
    advise(&scenario, &record, &differs)
}

const THREE: &str = "[[strategy]]\nkind = \"modulo\"\n[[strategy]]\nkind = \"jump\"\n[[strategy]]\nkind = \"ring\"\nvnodes = [1, 160]\n";

/// By candidate the needs that it misses, and what tells so.
fn missed(advice: &Advice) -> Vec<(&str, Vec<(&str, Evidence)>)> {
    let mut all: Vec<(&str, Vec<(&str, Evidence)>)> = advice
        .candidates
        .iter()
        .map(|c| {
            let reasons = c.ruled_out.iter().map(|reason| (reason.need, reason.evidence));
            (c.candidate.as_str(), reasons.collect())
        })
        .collect();
    all.sort_by_key(|(name, _)| *name);
    all
}

#[test]
fn without_needs_nothing_that_can_be_built_is_ruled_out() {
    let advice = advice(&format!("{THREE}[needs]\n"));
    assert!(missed(&advice).iter().all(|(_, reasons)| reasons.is_empty()));
    assert!(!advice.own_list && !advice.changes && advice.needs.is_empty());
    let ranks: Vec<Option<usize>> = advice.candidates.iter().map(|c| c.rank).collect();
    assert_eq!(ranks, [Some(1), Some(2), Some(3), Some(4)]);
    assert_eq!(advice.candidates[3].candidate, "ring/murmur3-32/vnodes=1");
}

#[test]
fn skew_and_movement_rule_out_by_figures() {
    let advice =
        advice(&format!("{THREE}[needs]\ngrowth = [5]\nmax-over-mean = 1.3\nexcess-moved = 0.1\n"));
    use Evidence::Measured;
    assert_eq!(
        missed(&advice),
        [
            ("jump/murmur3-32", vec![]),
            ("modulo/murmur3-32", vec![("excess-moved", Measured)]),
            ("ring/murmur3-32/vnodes=1", vec![("max-over-mean", Measured)]),
            ("ring/murmur3-32/vnodes=160", vec![]),
        ]
    );
    let modulo = advice.candidates.iter().find(|c| c.strategy == "modulo").unwrap();
    // 4 → 5 moves 1 − 4/20; the least is a fifth.
    let measures = modulo.measures.unwrap();
    assert!((measures.moved - 0.8).abs() < 0.02 && (measures.excess - 0.6).abs() < 0.03);
    assert_eq!((modulo.rank, modulo.front), (None, false));
    let need = advice.needs.iter().find(|need| need.need == "excess-moved").unwrap();
    assert_eq!((need.rules_out, need.alone, need.nearest), (1, 1, Some(measures.excess)));
}

#[test]
fn what_a_strategy_declares_rules_it_out_with_its_words() {
    let text = format!("{THREE}[[strategy]]\nkind = \"bounded-ring\"\n[needs]\n");
    let of = |advice: &Advice, name: &str| -> Vec<(&'static str, Evidence, String)> {
        let found = advice.candidates.iter().find(|c| c.candidate.starts_with(name)).unwrap();
        found.ruled_out.iter().map(|r| (r.need, r.evidence, r.text.clone())).collect()
    };
    let unequal = advice(&format!("{text}unequal-nodes = true\nmay-spill = true\n"));
    let jump = of(&unequal, "jump");
    assert_eq!((jump[0].0, jump[0].1), ("unequal-nodes", Evidence::Declared));
    assert!(jump[0].2.contains("it has no weights"), "{jump:?}");
    assert!(of(&unequal, "ring/murmur3-32/vnodes=160").is_empty());
    assert!(of(&unequal, "bounded-ring").is_empty());
    let stored = advice(&text);
    let bounded = of(&stored, "bounded-ring");
    assert_eq!((bounded.len(), bounded[0].0, bounded[0].1), (1, "own-place", Evidence::Declared));
}

#[test]
fn a_first_node_that_leaves_tells_the_order_of_nodes_from_the_rest() {
    let advice = advice(&format!("{THREE}[needs]\narbitrary-removal = true\n"));
    let out: Vec<&str> =
        missed(&advice).into_iter().filter(|m| !m.1.is_empty()).map(|m| m.0).collect();
    assert_eq!(out, ["jump/murmur3-32", "modulo/murmur3-32"]);
    let jump = advice.candidates.iter().find(|c| c.strategy == "jump").unwrap();
    let reason = &jump.ruled_out[0];
    assert!(reason.text.ends_with("it goes by the order of the nodes"), "{}", reason.text);
    assert!(reason.measured > reason.allowed);
}

#[test]
fn ranges_need_an_order_of_keys() {
    let range = "[[strategy]]\nkind = \"range\"\nmode = \"chunks\"\nto = 5000\nchunks = 64\n";
    let advice = advice(&format!("{THREE}{range}[needs]\nrange-queries = true\n"));
    let left: Vec<&str> = advice
        .candidates
        .iter()
        .filter(|c| c.rank.is_some())
        .map(|c| c.candidate.as_str())
        .collect();
    assert_eq!(left, ["range"]);
    assert!(advice.candidates[0].measures.unwrap().nodes_asked.unwrap() < 2.0);
    let ring = advice.candidates.iter().find(|c| c.strategy == "ring").unwrap();
    assert_eq!(ring.ruled_out[0].measured, Some(4.0));
}

#[test]
fn what_routes_alike_matches_and_the_rest_says_by_how_much_it_differs() {
    let advice = advice("[needs]\nmatch = \"libmemcached-ketama-weighted\"\ngrowth = [5]\n");
    let left: Vec<&str> = advice
        .candidates
        .iter()
        .filter(|c| c.rank.is_some())
        .map(|c| c.candidate.as_str())
        .collect();
    assert!(left.contains(&"libmemcached-ketama-weighted"), "{left:?}");
    for out in advice.candidates.iter().filter(|c| c.rank.is_none() && c.ruled_out.len() == 1) {
        if out.ruled_out[0].need == "match" {
            let share = out.measures.unwrap().differs.unwrap();
            assert!(share > 0.0 && out.ruled_out[0].measured == Some(share), "{}", out.candidate);
        }
    }
    // Chance alone sends a key to the same of four or five nodes one time in as many.
    let jump = advice.candidates.iter().find(|c| c.candidate == "jump/xxh3-64").unwrap();
    let differs = jump.measures.unwrap().differs.unwrap();
    assert!((0.75..0.85).contains(&differs), "{differs}");
}

#[test]
fn the_list_holds_every_strategy_or_says_why_not() {
    let advice = advice("[needs]\n");
    assert!(advice.own_list);
    for info in crate::strategy::ALL {
        let tried = advice.candidates.iter().any(|c| c.strategy == info.name);
        let told = advice.not_tried.iter().any(|n| n.strategy == info.name);
        assert!(tried != told, "{}", info.name);
    }
    // Every one says what a look-up takes; on four nodes jump makes 1 + ½ + ⅓ + ¼ turns on average.
    let steps = |name: &str| {
        let found = advice.candidates.iter().find(|c| c.candidate.starts_with(name)).unwrap();
        found.measures.unwrap().lookup_steps.unwrap()
    };
    assert_eq!(["modulo", "maglev", "rendezvous", "lookup-table"].map(steps), [1.0, 1.0, 4.0, 2.0]);
    assert!((steps("jump/") - 25.0 / 12.0).abs() < 0.05, "{}", steps("jump/"));
    // What begins with a jump counts it.
    assert_eq!(steps("memento"), steps("jump/"));
    assert!(advice.candidates.iter().all(|c| c.measures.unwrap().lookup_steps >= Some(1.0)));
}

#[test]
fn the_chance_of_few_keys_counts() {
    let of = |keys: u64| {
        let advice = advice(
            &format!("{THREE}[needs]\n")
                .replace("[needs]", &format!("[trials]\ncount = 50\nkeys = {keys}\n[needs]")),
        );
        let jump = advice.candidates.into_iter().find(|c| c.strategy == "jump").unwrap();
        jump.measures.unwrap().p95.unwrap()
    };
    // 5000 keys on 4 nodes: 1 + about 2.24 √(3/5000) by the law, whatever the trials place.
    assert_eq!(of(500), of(5000));
    assert!((1.04..1.07).contains(&of(500)), "{}", of(500));
}
