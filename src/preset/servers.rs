//! What presets read off a server list alike: names, addresses, weights; and which keys systems take.

use crate::cluster::Node;
use crate::error::Error;
use crate::preset::address;
use crate::strategy::Build;

/// Memcached's usual port, which several clients leave out of a server's name.
pub const MEMCACHED_PORT: u16 = 11211;

/// `host:port`; the host alone where no port is known.
pub fn host_port(node: &Node) -> String {
    match address(node) {
        (host, Some(port)) => format!("{host}:{port}"),
        (host, None) => host.into(),
    }
}

/// `host:port`; the host alone for memcached's usual port.
pub fn host_port_unless_usual(node: &Node) -> String {
    match address(node) {
        (host, Some(MEMCACHED_PORT)) => host.into(),
        _ => host_port(node),
    }
}

/// The name that a server has beside its address.
pub fn alias(node: &Node) -> Option<&str> {
    let host = node.host.as_deref()?;
    let is_address = *node.name == *host
        || *node.name == host_port(node)
        || node.port.is_some_and(|port| *node.name == format!("[{host}]:{port}"));
    (!is_address).then_some(&node.name)
}

/// Weights of a system that takes whole numbers from `least` to `most`, in the order of the nodes.
///
/// # Errors
/// `Unsupported` for any other weight.
pub fn whole_weights(build: &Build<'_>, least: u32, most: u32) -> Result<Vec<u64>, Error> {
    let whole = |node: &Node| {
        let weight = node.weight;
        if libm::trunc(weight) == weight && (f64::from(least)..=f64::from(most)).contains(&weight) {
            return Ok(weight as u64);
        }
        Err(Error::unsupported(format!(
            "the system takes weights that are whole numbers from {least} to {most}; `{}` has {weight}",
            node.name
        )))
    };
    build.cluster.nodes.iter().map(whole).collect()
}

/// What memcached's text protocol takes: 1 to 250 bytes without blanks and control characters
/// (`doc/protocol.txt`).
pub fn is_memcached_key(key: &[u8]) -> bool {
    (1..=250).contains(&key.len()) && key.iter().all(|&byte| byte > b' ' && byte != 0x7f)
}

/// Systems that place an empty key without hashing it.
pub fn is_not_empty(key: &[u8]) -> bool {
    !key.is_empty()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::cluster::{Cluster, server_list};
    use crate::error::ErrorKind;
    use crate::keys::KeyKind;
    use crate::params::Params;

    #[test]
    fn names_and_addresses_are_told_apart() {
        let list = "cache1=10.0.0.1:11211,10.0.0.2:11211,10.0.0.3:80,db0,h=h:1,[::1]:80,x=x";
        let nodes = server_list::parse_inline(list, "servers").unwrap();
        let shown: Vec<_> =
            nodes.iter().map(|n| (alias(n), host_port(n), host_port_unless_usual(n))).collect();
        let row = |alias, full: &str, short: &str| (alias, full.to_string(), short.to_string());
        assert_eq!(
            shown,
            [
                row(Some("cache1"), "10.0.0.1:11211", "10.0.0.1"),
                row(None, "10.0.0.2:11211", "10.0.0.2"),
                row(None, "10.0.0.3:80", "10.0.0.3:80"),
                row(None, "db0", "db0"),
                row(None, "h:1", "h:1"),
                row(None, "::1:80", "::1:80"),
                row(None, "x", "x"),
            ]
        );
    }

    #[test]
    fn only_whole_weights_of_the_range_pass() {
        let params = Params::default();
        let base = std::path::Path::new(".");
        let weights = |weight: f64| {
            let mut cluster = Cluster::numbered(2, "db{i}");
            cluster.nodes[1].weight = weight;
            let build = Build {
                cluster: &cluster,
                params: &params,
                keys: KeyKind::Text,
                replicas: 1,
                base,
            };
            whole_weights(&build, 1, 256)
        };
        assert_eq!(weights(256.0).unwrap(), [1, 256]);
        for wrong in [0.0, 0.5, 1.5, 257.0, 1e300] {
            let error = weights(wrong).unwrap_err();
            assert_eq!(error.kind, ErrorKind::Unsupported);
            assert!(error.to_string().contains("`db1`"), "{error}");
        }
    }

    #[test]
    fn keys_of_memcached_follow_its_protocol() {
        assert!(is_memcached_key(b"user:1") && is_memcached_key("用户".as_bytes()));
        assert!(is_memcached_key(&[b'x'; 250]) && !is_memcached_key(&[b'x'; 251]));
        for wrong in [&b""[..], b"a b", b"a\n", b"\0", b"\x7f"] {
            assert!(!is_memcached_key(wrong), "{wrong:?}");
        }
    }
}
