//! Numbers that are the same on every machine for a seed (SplitMix64).

/// A generator; two with one seed give the same numbers.
pub struct Rng(u64);

impl Rng {
    /// A generator for `seed` and a name: what a case gets does not depend on which other cases run.
    pub fn new(seed: u64, name: &str) -> Self {
        // FNV-1a over the name, so that cases do not share their inputs.
        let hash = name.bytes().fold(0xcbf2_9ce4_8422_2325u64, |hash, byte| {
            (hash ^ byte as u64).wrapping_mul(0x100_0000_01b3)
        });
        Rng(seed ^ hash)
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// A number below `bound`, which is not 0.
    pub fn below(&mut self, bound: u64) -> u64 {
        self.bits() % bound
    }
}
