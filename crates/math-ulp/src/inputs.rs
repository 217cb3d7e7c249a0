//! Inputs: special values in all pairs, then, in turn, any bits, small numbers, and numbers near one.

/// A generator of random words: Steele, Lea and Flood's SplitMix64.
struct Words(u64);

impl Words {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    /// From -1 to 1.
    fn unit(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 52) as f64 - 1.0
    }

    fn draw(&mut self, n: usize, any: impl Fn(u64) -> f64) -> f64 {
        match n % 4 {
            0 => any(self.next()),
            1 => self.unit() * 10.0,
            2 => 1.0 + self.unit() / 16.0,
            _ => self.unit() * 750.0,
        }
    }
}

/// Zeros, ones, ends of ranges, multiples of parts of π, no numbers.
fn specials() -> Vec<f64> {
    use std::f64::consts::PI;
    let positive = [
        0.0,
        0.5,
        1.0,
        1.5,
        2.0,
        3.0,
        10.0,
        88.7,
        104.0,
        128.0,
        709.8,
        745.1,
        1024.0,
        1e10,
        1e22,
        PI / 4.0,
        PI / 2.0,
        PI,
        355.0,
        f64::EPSILON,
        f32::EPSILON.into(),
        f32::MIN_POSITIVE.into(),
        f32::from_bits(1).into(),
        f32::MAX.into(),
        16_777_217.0,
        f64::INFINITY,
        f64::NAN,
    ];
    positive.into_iter().flat_map(|x| [x, -x]).collect()
}

fn pairs(
    count: usize,
    seed: u64,
    own: &[f64],
    any: impl Fn(u64) -> f64 + Copy,
) -> (Vec<f64>, Vec<f64>) {
    let specials: Vec<f64> = specials().into_iter().chain(own.iter().copied()).collect();
    let (mut xs, mut ys) = (Vec::new(), Vec::new());
    for x in &specials {
        for y in &specials {
            xs.push(*x);
            ys.push(*y);
        }
    }
    let mut words = Words(seed);
    for n in 0..count {
        xs.push(words.draw(n, any));
        ys.push(words.draw(n / 4, any));
    }
    (xs, ys)
}

pub fn f32s(count: usize, seed: u64) -> (Vec<f32>, Vec<f32>) {
    let (x, y) = pairs(count, seed, &[], |w| f32::from_bits(w as u32).into());
    let single = |v: Vec<f64>| v.into_iter().map(|x| x as f32).collect();
    (single(x), single(y))
}

pub fn f64s(count: usize, seed: u64) -> (Vec<f64>, Vec<f64>) {
    let own = [f64::MIN_POSITIVE, f64::from_bits(1), f64::MAX, -f64::MAX];
    pairs(count, seed, &own, f64::from_bits)
}
