//! What the kernel part lost, as counts since the last question. Comes in: counters that only grow. Goes out: [`Drops`].

use dtrail_vm::fault::Drops;

use crate::ebpf::{MapAccess, counter};
use crate::state::MappedState;

/// The counters as they were when they were last asked for.
#[derive(Debug)]
pub(super) struct Losses {
    /// The counters' map.
    map: u32,
    per_cpu: Vec<[u64; counter::WORDS as usize]>,
    missed: u64,
}

impl Losses {
    /// Nothing lost yet; `map` has the counters.
    pub(super) fn new(map: u32) -> Losses {
        Losses { map, per_cpu: Vec::new(), missed: 0 }
    }

    /// What was lost since the last call; `missed` is how often programs were not run, ever.
    pub(super) fn since_last<M: MapAccess>(&mut self, missed: u64, state: &mut MappedState<M>) -> Drops {
        let now = counters(state.maps(), self.map);
        let mut drops = difference(&self.per_cpu, &now);
        self.per_cpu = now;
        drops.missed = missed.saturating_sub(std::mem::replace(&mut self.missed, missed));
        drops.coalesced_cuts += state.take_coalesced();
        drops
    }
}

/// The counters, one array a CPU.
fn counters(maps: &mut dyn MapAccess, map: u32) -> Vec<[u64; counter::WORDS as usize]> {
    let value = maps.lookup(map, &0u32.to_le_bytes()).unwrap_or_default();
    value
        .chunks_exact(8 * counter::WORDS as usize)
        .map(|cpu| {
            let mut words = [0; counter::WORDS as usize];
            for (word, bytes) in words.iter_mut().zip(cpu.chunks_exact(8)) {
                *word = bytes.try_into().map_or(0, u64::from_le_bytes);
            }
            words
        })
        .collect()
}

/// The growth of each counter.
fn difference(before: &[[u64; counter::WORDS as usize]], now: &[[u64; counter::WORDS as usize]]) -> Drops {
    let mut drops = Drops::default();
    for (cpu, words) in now.iter().enumerate() {
        let grown = |word: u32| {
            let old = before.get(cpu).map_or(0, |old| old[word as usize]);
            words[word as usize].saturating_sub(old)
        };
        let cpu = cpu as u32;
        let without_memory = grown(counter::AGGREGATION_MEMORY);
        for (list, lost) in [
            (&mut drops.principal, grown(counter::PRINCIPAL)),
            (&mut drops.aggregation, grown(counter::AGGREGATION) + without_memory),
        ] {
            if lost > 0 {
                list.push((cpu, lost));
            }
        }
        drops.aggregation_memory += without_memory;
        drops.dynamic += grown(counter::DYNAMIC);
        drops.coalesced_cuts += grown(counter::COALESCED);
        drops.stacks += grown(counter::STACKS);
        drops.speculations_busy += grown(counter::SPECULATIONS_BUSY);
        drops.speculations_unavailable += grown(counter::SPECULATIONS_UNAVAILABLE);
    }
    drops
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_growth_is_reported() {
        let before = [[1, 0, 5, 2, 0, 1, 1, 0]];
        let now = [[4, 0, 6, 2, 0, 5, 3, 1], [0, 7, 1, 3, 0, 2, 0, 4]];
        let drops = difference(&before, &now);
        assert_eq!(
            drops,
            Drops {
                principal: vec![(0, 3)],
                aggregation: vec![(0, 4), (1, 9)],
                aggregation_memory: 6,
                dynamic: 2,
                coalesced_cuts: 3,
                speculations_busy: 2,
                speculations_unavailable: 5,
                ..Drops::default()
            }
        );
        assert!(difference(&now, &now).is_empty());
    }
}
