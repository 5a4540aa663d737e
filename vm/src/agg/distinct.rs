//! How many different values there were: the state of `distinct()`. In: hashes. Out: an estimate, exact for few values.
//!
//! Up to [`FEW`] values their hashes are kept. Beyond that it is a HyperLogLog of 2^12 registers with Ertl's estimator
//! (arXiv:1702.01284), whose standard error is 1.6 %. Both forms are functions of the set of hashes alone, so that merging
//! is a union, in any order.

/// Values of which the hashes are kept.
const FEW: usize = 256;
/// Bits of a hash that choose a register.
const CHOICE: u32 = 12;
const REGISTERS: usize = 1 << CHOICE;
/// Bits of a hash that count zeros; the greatest register is one more.
const REST: u32 = 64 - CHOICE;

/// See the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Distinct {
    /// Hashes in ascending order.
    Few(Vec<u64>),
    /// For each register the greatest number of leading zeros, plus one.
    Many(Box<[u8]>),
}

impl Default for Distinct {
    fn default() -> Distinct {
        Distinct::Few(Vec::new())
    }
}

impl Distinct {
    /// Takes a value.
    pub fn add(&mut self, item: &[u8]) {
        self.add_hash(hash(item));
    }

    fn add_hash(&mut self, hash: u64) {
        match self {
            Distinct::Few(hashes) => {
                let Err(place) = hashes.binary_search(&hash) else { return };
                hashes.insert(place, hash);
                if hashes.len() > FEW {
                    let mut registers = vec![0; REGISTERS].into_boxed_slice();
                    hashes.iter().for_each(|&hash| register(&mut registers, hash));
                    *self = Distinct::Many(registers);
                }
            }
            Distinct::Many(registers) => register(registers, hash),
        }
    }

    /// Takes all that another has seen.
    pub fn merge(&mut self, other: &Distinct) {
        match other {
            Distinct::Few(hashes) => hashes.iter().for_each(|&hash| self.add_hash(hash)),
            Distinct::Many(theirs) => {
                if let Distinct::Few(hashes) = self {
                    let mut registers = theirs.clone();
                    hashes.iter().for_each(|&hash| register(&mut registers, hash));
                    *self = Distinct::Many(registers);
                } else if let Distinct::Many(ours) = self {
                    ours.iter_mut()
                        .zip(theirs.iter())
                        .for_each(|(ours, theirs)| *ours = (*ours).max(*theirs));
                }
            }
        }
    }

    /// How many there were.
    pub fn count(&self) -> u64 {
        match self {
            Distinct::Few(hashes) => hashes.len() as u64,
            Distinct::Many(registers) => estimate(registers).round() as u64,
        }
    }
}

fn register(registers: &mut [u8], hash: u64) {
    let zeros = (hash << CHOICE).leading_zeros().min(REST) as u8 + 1;
    if let Some(register) = registers.get_mut((hash >> REST) as usize) {
        *register = (*register).max(zeros);
    }
}

fn estimate(registers: &[u8]) -> f64 {
    let mut counts = [0_u32; REST as usize + 2];
    for &register in registers {
        if let Some(count) = counts.get_mut(usize::from(register)) {
            *count += 1;
        }
    }
    let m = REGISTERS as f64;
    let mut z = m * tau(1.0 - f64::from(counts[REST as usize + 1]) / m);
    for &count in counts[1..=REST as usize].iter().rev() {
        z = 0.5 * (z + f64::from(count));
    }
    z += m * sigma(f64::from(counts[0]) / m);
    m * m / (2.0 * std::f64::consts::LN_2 * z)
}

fn sigma(mut x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let (mut y, mut z) = (1.0, x);
    loop {
        x *= x;
        let before = z;
        z += x * y;
        y += y;
        if z <= before {
            return z;
        }
    }
}

fn tau(mut x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let (mut y, mut z) = (1.0, 1.0 - x);
    loop {
        x = x.sqrt();
        let before = z;
        y *= 0.5;
        z -= (1.0 - x).powi(2) * y;
        if z >= before {
            return z / 3.0;
        }
    }
}

/// A hash that is the same in every run and on every machine: FNV-1a, whose bits are then mixed (splitmix64's finish).
fn hash(item: &[u8]) -> u64 {
    let mut hash = item.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    });
    hash = (hash ^ hash >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ hash >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ hash >> 31
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(values: impl Iterator<Item = u64>) -> Distinct {
        let mut state = Distinct::default();
        values.for_each(|value| state.add(&value.to_le_bytes()));
        state
    }

    #[test]
    fn few_are_exact_and_many_within_five_percent() {
        for n in [0, 1, 2, 100, 256] {
            assert_eq!(of((0..n).chain(0..n)).count(), n);
        }
        for n in [257, 1000, 5000, 20_000, 200_000] {
            let count = of(0..n).count();
            assert!(count.abs_diff(n) * 20 <= n, "{count} for {n}");
        }
    }
}
