//! How a rule chooses devices: `crush_do_rule` with the tunables of the profile jewel.

use super::map::{Bucket, DEVICE, Map, Rule};
use crate::strategy::crush::{hash32_2, straw2};

/// A choice: a map, who is out, and the input.
pub struct Choice<'a> {
    /// The map.
    pub map: &'a Map,
    /// Reweights of devices in 1/65 536; devices beyond its end are fully in.
    pub reweights: &'a [u32],
    /// The input.
    pub x: u32,
}

/// Where a way down ends.
enum End {
    /// At an item of the type that is looked for.
    Item(u32),
    /// In an empty bucket: another round may find one.
    Empty,
    /// At a device where a bucket is looked for: no round finds one.
    Wrong,
}

/// A place among those of `indep`.
#[derive(Clone, Copy, PartialEq)]
enum Place {
    Open,
    Never,
    Taken(u32),
}

impl Choice<'_> {
    /// The devices of a rule for so many replicas: with `firstn` those found, with `indep` a place for
    /// each, None where no device was found.
    pub fn run(&self, rule: &Rule, replicas: u32) -> Vec<Option<u32>> {
        let count = if rule.count == 0 { replicas } else { rule.count };
        let Some(root) = self.map.buckets.get(&rule.take) else { return Vec::new() };
        if rule.indep {
            self.indep(root, rule, count)
        } else {
            self.firstn(root, rule, count).into_iter().map(Some).collect()
        }
    }

    /// Replica after replica, each in rounds of its own, until an item is found that is neither taken nor
    /// out; a replica for which none is found is left out.
    fn firstn(&self, root: &Bucket, rule: &Rule, count: u32) -> Vec<u32> {
        let tries = rule.tries.unwrap_or(self.map.total_tries + 1);
        let (mut items, mut devices) = (Vec::new(), Vec::new());
        for replica in 0..count {
            for round in replica..replica + tries {
                let item = match self.descend(root, rule.kind, round) {
                    End::Item(item) => item,
                    End::Empty => continue,
                    End::Wrong => break,
                };
                if items.contains(&item) {
                    continue;
                }
                let device = match self.bucket(item) {
                    Some(host) if rule.leaf => {
                        self.leaf(host, round, rule.leaf_tries.unwrap_or(1), &devices)
                    }
                    _ => (!self.is_out(item)).then_some(item),
                };
                if let Some(device) = device {
                    items.push(item);
                    devices.push(device);
                    break;
                }
            }
        }
        devices
    }

    /// A device below a chosen bucket, from round `round` on.
    fn leaf(&self, host: &Bucket, round: u32, tries: u32, taken: &[u32]) -> Option<u32> {
        for round in round..round + tries {
            match self.descend(host, DEVICE, round) {
                End::Item(device) if !taken.contains(&device) && !self.is_out(device) => {
                    return Some(device);
                }
                End::Item(_) | End::Empty => {}
                End::Wrong => return None,
            }
        }
        None
    }

    /// All open places in every round; a place keeps its number whatever happens to the others.
    fn indep(&self, root: &Bucket, rule: &Rule, count: u32) -> Vec<Option<u32>> {
        let tries = rule.tries.unwrap_or(self.map.total_tries + 1);
        let mut items = vec![Place::Open; count as usize];
        let mut devices = vec![None; count as usize];
        for round in 0..tries {
            for place in 0..count {
                if items[place as usize] != Place::Open {
                    continue;
                }
                let r = place + count * round;
                let item = match self.descend(root, rule.kind, r) {
                    End::Item(item) => item,
                    End::Empty => continue,
                    End::Wrong => {
                        items[place as usize] = Place::Never;
                        continue;
                    }
                };
                if items.contains(&Place::Taken(item)) {
                    continue;
                }
                let device = match self.bucket(item) {
                    Some(host) if rule.leaf => {
                        let rounds =
                            (0..rule.leaf_tries.unwrap_or(1)).map(|i| place + r + count * i);
                        self.leaf_indep(host, rounds)
                    }
                    _ => (!self.is_out(item)).then_some(item),
                };
                if device.is_some() {
                    items[place as usize] = Place::Taken(item);
                    devices[place as usize] = device;
                }
            }
        }
        devices
    }

    /// A device below a chosen bucket in one of the rounds.
    fn leaf_indep(&self, host: &Bucket, rounds: impl Iterator<Item = u32>) -> Option<u32> {
        for round in rounds {
            match self.descend(host, DEVICE, round) {
                End::Item(device) if !self.is_out(device) => return Some(device),
                End::Item(_) | End::Empty => {}
                End::Wrong => return None,
            }
        }
        None
    }

    fn bucket(&self, item: u32) -> Option<&Bucket> {
        self.map.buckets.get(&item.cast_signed())
    }

    /// Whether a device is out by its reweight: always at 0, never at 1.
    fn is_out(&self, device: u32) -> bool {
        match self.reweights.get(device as usize) {
            None | Some(0x1_0000..) => false,
            Some(&weight) => hash32_2(self.x, device) & 0xffff >= weight,
        }
    }

    /// The first item of a type on the way down in a round.
    fn descend(&self, from: &Bucket, kind: u32, round: u32) -> End {
        let mut bucket = from;
        while !bucket.items.is_empty() {
            let item = bucket.items[straw2(self.x, round, &bucket.items)].0;
            match self.bucket(item) {
                Some(below) if below.kind == kind => return End::Item(item),
                Some(below) => bucket = below,
                None if kind == DEVICE && item < self.map.devices => return End::Item(item),
                None => return End::Wrong,
            }
        }
        End::Empty
    }
}
