//! A sketch of a set of hashes that says how many there are: `HyperLogLog` with 2^14 registers, with the estimator of
//! Ertl (2017), <https://arxiv.org/abs/1702.01284>. Its standard error is 0.8%.

use std::collections::BTreeMap;

use base64::{Engine, prelude::BASE64_STANDARD_NO_PAD};
use serde::{Deserialize, Serialize};

/// Bits of a hash that choose its register.
const PRECISION: u32 = 14;
const REGISTERS: usize = 1 << PRECISION;
/// Largest value of a register.
const LARGEST: usize = (64 - PRECISION + 1) as usize;
/// Registers that are listed one by one: three bytes each are fewer than all registers.
const LISTED: usize = 2_048;

/// A sketch of a set of hashes.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(into = "String", try_from = "String")]
pub struct VisitorSketch(Registers);

#[derive(Debug, Clone, PartialEq, Eq)]
enum Registers {
    /// The ones that aren't zero.
    Few(BTreeMap<u16, u8>),
    /// All.
    All(Vec<u8>),
}

impl From<VisitorSketch> for String {
    fn from(sketch: VisitorSketch) -> Self {
        sketch.to_text()
    }
}

impl TryFrom<String> for VisitorSketch {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::parse(&text)
    }
}

impl Default for VisitorSketch {
    fn default() -> Self {
        Self(Registers::Few(BTreeMap::new()))
    }
}

impl VisitorSketch {
    /// Adds a hash. Returns whether this changed the sketch.
    pub fn add(&mut self, hash: u64) -> bool {
        let register = (hash >> (64 - PRECISION)) as u16;
        let zeros = (hash << PRECISION).leading_zeros().min(64 - PRECISION);
        self.raise(register, u8::try_from(zeros + 1).unwrap_or(u8::MAX))
    }

    /// Adds the hashes of another sketch. Returns whether this changed the sketch.
    pub fn merge(&mut self, other: &Self) -> bool {
        let mut changed = false;
        match &other.0 {
            Registers::Few(registers) => {
                for (register, rank) in registers {
                    changed |= self.raise(*register, *rank);
                }
            }
            Registers::All(registers) => {
                for (register, rank) in (0..).zip(registers).filter(|(_, rank)| **rank > 0) {
                    changed |= self.raise(register, *rank);
                }
            }
        }
        changed
    }

    fn raise(&mut self, register: u16, rank: u8) -> bool {
        if let Registers::Few(few) = &self.0
            && few.len() >= LISTED
        {
            let mut all = vec![0; REGISTERS];
            for (register, rank) in few {
                all[usize::from(*register)] = *rank;
            }
            self.0 = Registers::All(all);
        }
        let value = match &mut self.0 {
            Registers::Few(few) => few.entry(register).or_default(),
            Registers::All(all) => &mut all[usize::from(register)],
        };
        let is_larger = rank > *value;
        *value = rank.max(*value);
        is_larger
    }

    /// About how many different hashes were added.
    #[expect(clippy::cast_possible_truncation, reason = "there are fewer than 2^52 hashes")]
    pub fn estimate(&self) -> i64 {
        let mut counts = [0_u32; LARGEST + 1];
        match &self.0 {
            Registers::Few(few) => {
                counts[0] = u32::try_from(REGISTERS - few.len()).unwrap_or_default();
                for rank in few.values() {
                    counts[usize::from(*rank)] += 1;
                }
            }
            Registers::All(all) => {
                for rank in all {
                    counts[usize::from(*rank)] += 1;
                }
            }
        }
        let registers = f64::from(1_u32 << PRECISION);
        let share = |count: u32| f64::from(count) / registers;
        let mut z = registers * tau(1.0 - share(counts[LARGEST]));
        for count in counts[1..LARGEST].iter().rev() {
            z = 0.5 * (z + f64::from(*count));
        }
        z += registers * sigma(share(counts[0]));
        (registers * registers / (2.0 * std::f64::consts::LN_2 * z)).round() as i64
    }

    /// The sketch as text.
    pub fn to_text(&self) -> String {
        match &self.0 {
            Registers::Few(few) => {
                let bytes = few.iter().flat_map(|(register, rank)| {
                    let [high, low] = register.to_be_bytes();
                    [high, low, *rank]
                });
                format!("few:{}", BASE64_STANDARD_NO_PAD.encode(bytes.collect::<Vec<_>>()))
            }
            Registers::All(all) => format!("all:{}", BASE64_STANDARD_NO_PAD.encode(all)),
        }
    }

    /// Reads the text of a sketch.
    pub(super) fn parse(text: &str) -> Result<Self, String> {
        let invalid = || "a sketch of visitors is damaged".to_owned();
        let (form, text) = text.split_once(':').ok_or_else(invalid)?;
        let bytes = BASE64_STANDARD_NO_PAD.decode(text).map_err(|_| invalid())?;
        let mut sketch = Self::default();
        match form {
            "few" if bytes.len() % 3 == 0 => {
                for part in bytes.chunks_exact(3) {
                    let register = u16::from_be_bytes([part[0], part[1]]);
                    if usize::from(register) >= REGISTERS || usize::from(part[2]) > LARGEST {
                        return Err(invalid());
                    }
                    sketch.raise(register, part[2]);
                }
            }
            "all" if bytes.len() == REGISTERS => {
                if bytes.iter().any(|rank| usize::from(*rank) > LARGEST) {
                    return Err(invalid());
                }
                sketch.0 = Registers::All(bytes);
            }
            _ => return Err(invalid()),
        }
        Ok(sketch)
    }
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

#[cfg(test)]
mod tests {
    use sha2::{Digest, Sha256};

    use super::*;

    fn hash(number: usize) -> u64 {
        let hash = Sha256::digest(number.to_le_bytes());
        u64::from_le_bytes(hash[..8].try_into().unwrap())
    }

    fn sketch(numbers: std::ops::Range<usize>) -> VisitorSketch {
        let mut sketch = VisitorSketch::default();
        numbers.for_each(|number| {
            sketch.add(hash(number));
        });
        sketch
    }

    #[test]
    fn estimate_is_within_two_percent() {
        assert_eq!(VisitorSketch::default().estimate(), 0);
        for count in [1_usize, 2, 10, 100, 1_000, 5_000, 20_000, 41_000, 60_000, 200_000] {
            let found = sketch(0..count).estimate();
            let count = i64::try_from(count).unwrap();
            assert!((found - count).abs() * 50 < count, "{count} are estimated as {found}");
        }
    }

    #[test]
    fn merged_sketch_is_that_of_all() {
        let (mut one, other) = (sketch(0..3_000), sketch(2_000..30_000));
        assert!(one.merge(&other));
        assert_eq!(one, sketch(0..30_000));
        assert!(!one.merge(&other), "merging again changes nothing");
        let mut few = sketch(0..10);
        few.merge(&sketch(5..20));
        assert_eq!(few, sketch(0..20));
    }

    #[test]
    fn text_is_read_back() {
        for sketch in [VisitorSketch::default(), sketch(0..50), sketch(0..9_000)] {
            assert_eq!(VisitorSketch::parse(&sketch.to_text()).unwrap(), sketch);
        }
        for damaged in ["", "few", "few:AA", "all:AAAA", "few:////", "other:", "few:!"] {
            assert!(VisitorSketch::parse(damaged).is_err(), "{damaged}");
        }
    }
}
