//! libketama, the original ketama in C.
//!
//! # Source
//! R. Jones, libketama, 2007, <https://github.com/RJ/ketama>; recorded through PyPI ketama 0.1.1.
//!
//! # Choices made where the source is silent
//! - Of equal points that of the earlier server wins; the source sorts them in no stated order.

use super::facts::{RING, RING_COST};
use super::ketama;
use super::points::{PointRing, Successor, check_points};
use super::servers::{host_port, whole_weights};
use super::{Answer, PresetInfo};
use crate::error::Error;
use crate::hash;
use crate::keys::ColumnSpec;
use crate::strategy::{Build, History, Movement, Order, Placement, StrategyInfo};

/// libketama.
pub static KETAMA: PresetInfo = PresetInfo {
    strategy: StrategyInfo {
        checked: "libketama.csv, libketama_points_n3.csv, libketama_points_w4_1_2_1_2.csv",
        name: "libketama",
        title: "libketama",
        summary: "the original ketama: 160 MD5 points a server of average weight",
        source: "R. Jones (2007), libketama/ketama.c, https://github.com/RJ/ketama",
        caps: RING,
        movement: Movement::Bounded,
        history: History::Free,
        order: Order::Free,
        params: &[],
        cost: RING_COST,
        build: libketama,
    },
    family: "ring",
    version: "libketama, as of PyPI ketama 0.1.1",
    rule: "server names: host:port-i, always with the port. Per server ⌊w / Σw · 40 · servers⌋ names, \
           from 0, the share and the product rounded to 32-bit floating point; the MD5 of each gives \
           four points (4 bytes, low byte first). The first 4 bytes of a key's MD5 belong to the first \
           point at or after them. Recorded for ASCII keys only: the binding mangles others",
    answer: Answer::Server,
};

fn libketama(build: &Build<'_>) -> Result<Box<dyn Placement>, Error> {
    let weights = whole_weights(build, 1, u32::MAX)?;
    check_points(weights.len() as f64 * 160.0)?;
    let total = weights.iter().sum();
    let points = build.cluster.nodes.iter().zip(&weights).map(|(node, &weight)| {
        let digests = ketama::digests_libketama(weight, total, weights.len());
        (node.id.into(), ketama::points(&host_port(node), digests))
    });
    let column = ColumnSpec::whole(hash::find("md5-32le")?);
    Ok(Box::new(PointRing::new(build, column, Successor::AtOrAfter, points)?))
}

#[cfg(test)]
mod tests {
    use crate::keys::KeyKind;
    use crate::preset::vectors::{Case, Servers, Vectors, numbers};

    #[test]
    fn recorded_placements() {
        let vectors = Vectors::read("libketama.csv", 172);
        let keys = vectors.keys("key", KeyKind::Text);
        let lists = Servers::read("hashring_libs_server_lists.json");
        for list in &vectors.columns()[1..] {
            // Weights as memory sizes: the same list, each weight times 100.
            let mut servers =
                lists.get(if list == "w3_300_100_600" { "n3" } else { list }).to_vec();
            if list == "w3_300_100_600" {
                for (server, weight) in servers.iter_mut().zip([300.0, 100.0, 600.0]) {
                    server.weight = weight;
                }
            }
            let case = Case { preset: "libketama", params: &[], servers: &servers };
            vectors.check(list, &keys, &case, numbers(&servers));
        }
        vectors.finish(&[]);
    }
}
