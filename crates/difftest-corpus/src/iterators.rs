//! Chains of core's iterators, shallow and deep.

use core::iter::{from_fn, once, repeat_n, successors, zip};

struct Collatz(u64);

impl Iterator for Collatz {
    type Item = u64;
    fn next(&mut self) -> Option<u64> {
        if self.0 <= 1 {
            return None;
        }
        self.0 = if self.0 % 2 == 0 { self.0 / 2 } else { self.0.wrapping_mul(3).wrapping_add(1) };
        Some(self.0)
    }
}

difftest::diff! {
    tag iterators;

    fn ranges(a: u8, b: u8) -> [u32; 5] {
        let (a, b) = (a as u32 % 50, b as u32 % 50);
        [
            (a..b).sum(),
            (a..=b).fold(0, |s, x| s * 3 % 1_000_003 + x),
            (a..b).rev().fold(0, |s, x| s * 5 % 1_000_003 + x),
            (a..b).step_by(3).sum(),
            (a..b).len() as u32,
        ]
    }

    fn ranges_of_other_types(a: i8, b: u64) -> (i32, u64, u32) {
        let s = (a.max(-120) - 5..=a.max(-120)).map(|x| x as i32).sum();
        let t = (b.min(u64::MAX - 5)..b.min(u64::MAX - 5) + 5).fold(0u64, |t, x| t.wrapping_mul(3) ^ x);
        (s, t, ('a'..='z').filter(|c| *c as u8 > a as u8).count() as u32)
    }

    fn zip_and_enumerate(v: [u32; 6], w: [u32; 4]) -> (u32, u32) {
        let dot = v.iter().zip(&w).fold(0u32, |s, (a, b)| s.wrapping_add(a.wrapping_mul(*b)));
        let weighted = zip(v, w).enumerate().map(|(i, (a, b))| (a ^ b).wrapping_mul(i as u32 + 1)).fold(0u32, u32::wrapping_add);
        (dot, weighted)
    }

    fn filter_and_map(v: [i32; 8]) -> (i32, u32, i64) {
        let evens = v.iter().filter(|x| *x % 2 == 0).map(|x| x / 2).fold(0i32, i32::wrapping_add);
        let small = v.iter().filter_map(|x| u8::try_from(*x).ok()).map(u32::from).sum::<u32>();
        (evens, small, v.iter().map(|x| *x as i64).sum())
    }

    fn take_and_skip(v: [u32; 10], a: u8, b: u8) -> [u32; 4] {
        let (a, b) = (a as usize % 12, b as usize % 12);
        let mix = |m: u32, x: &u32| m.wrapping_mul(31).wrapping_add(*x);
        [
            v.iter().take(a).fold(1, mix),
            v.iter().skip(b).fold(2, mix),
            v.iter().skip(a).take(b).fold(3, mix),
            v.iter().skip(a).step_by(b + 1).fold(4, mix),
        ]
    }

    fn take_while_and_skip_while(v: [i32; 8], limit: i32) -> (i32, i32, u32) {
        let head = v.iter().take_while(|x| **x < limit).fold(0i32, |s, x| s.wrapping_add(*x));
        let tail = v.iter().skip_while(|x| **x < limit).fold(0i32, |s, x| s.wrapping_mul(3) ^ x);
        (head, tail, v.iter().map_while(|x| x.checked_mul(2)).count() as u32)
    }

    fn scan_running_sums(v: [u32; 8], limit: u32) -> (u32, u32) {
        let last = v.iter().scan(0u32, |s, x| {
            *s = s.wrapping_add(*x);
            Some(*s)
        });
        let until = v.iter().scan(limit, |left, x| {
            *left = left.checked_sub(*x)?;
            Some(*left)
        });
        (last.fold(0, |m, x| m ^ x.rotate_left(3)), until.count() as u32)
    }

    fn flat_map_of_ranges(v: [u8; 5]) -> (u32, u32) {
        let total = v.iter().flat_map(|x| 0..(*x as u32 & 7)).fold(0u32, |s, x| s.wrapping_mul(5).wrapping_add(x));
        let flat = [[v[0], v[1]], [v[2], v[3]]].into_iter().flatten().map(u32::from).fold(0, |s, x| s * 3 + x);
        (total, flat)
    }

    fn chain_and_once(v: [u32; 3], w: [u32; 4]) -> (u32, u32) {
        let mix = |m: u32, x: u32| m.wrapping_mul(7).wrapping_add(x);
        let a = v.iter().chain(&w).copied().chain(once(99)).fold(0, mix);
        let b = repeat_n(v[0], 3).chain(w).rev().fold(0, mix);
        (a, b)
    }

    fn smallest_and_largest(v: [i32; 7]) -> (Option<i32>, Option<i32>, i32, i32) {
        let by = v.iter().copied().min_by(|a, b| (a & 0xff).cmp(&(b & 0xff))).unwrap_or(0);
        let key = v.iter().copied().max_by_key(|x| x.unsigned_abs().count_ones()).unwrap_or(0);
        (v.iter().copied().min(), v.iter().copied().max(), by, key)
    }

    fn smallest_of_floats(v: [f32; 6]) -> (f32, u32, f32) {
        let min = v.iter().copied().min_by(|a, b| a.total_cmp(b)).unwrap_or(0.0);
        let at = v.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).map_or(9, |(i, _)| i as u32);
        let max = v.iter().copied().filter(|x| !x.is_nan()).fold(f32::NEG_INFINITY, |a, b| if b > a { b } else { a });
        (if min.is_nan() { -1.0 } else { min }, at, max)
    }

    fn any_all_find_position(v: [u16; 9], x: u16) -> ([bool; 2], Option<u16>, Option<u32>, Option<u32>) {
        (
            [v.iter().any(|y| *y == x), v.iter().all(|y| *y >= x)],
            v.iter().copied().find(|y| *y > x),
            v.iter().position(|y| *y == x).map(|i| i as u32),
            v.iter().find_map(|y| (*y as u32).checked_sub(x as u32)),
        )
    }

    fn products_and_reductions(v: [u32; 5]) -> (u64, Option<u32>, u32) {
        let product = v.iter().map(|x| (*x & 0xfff) as u64 + 1).product();
        (product, v.into_iter().reduce(|a, b| a.wrapping_mul(b) ^ a), v.iter().copied().fold(0, u32::wrapping_add))
    }

    fn unzip_free_partition(v: [i32; 8], pivot: i32) -> ([i32; 8], u32) {
        let mut out = [0; 8];
        let below = v.iter().filter(|x| **x < pivot);
        let above = v.iter().filter(|x| **x >= pivot);
        let count = below.clone().count();
        for (place, x) in out.iter_mut().zip(below.chain(above)) {
            *place = *x;
        }
        (out, count as u32)
    }

    fn an_iterator_of_our_own(x: u16, n: u8) -> (u32, u64, u64) {
        let steps = Collatz(x as u64).count() as u32;
        let peak = Collatz(x as u64).max().unwrap_or(0);
        (steps, peak, Collatz(x as u64 + 1).step_by(3).take(n as usize % 20).fold(0, |a, y| a * 3 ^ y))
    }

    fn from_functions(x: u32, n: u8) -> (u32, u32) {
        let mut state = x;
        let stream = from_fn(|| {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            Some(state >> 16)
        });
        let a = stream.take(n as usize % 16).fold(0, |a, x| a ^ x);
        let b = successors(Some(x), |x| x.checked_mul(3)).take(n as usize).last().unwrap_or(0);
        (a, b)
    }

    fn peekable_run_lengths(v: [u8; 12]) -> (u32, u32) {
        let mut iter = v.iter().map(|x| x & 3).peekable();
        let mut runs = 0;
        let mut longest = 0;
        while let Some(x) = iter.next() {
            let mut length = 1;
            while iter.next_if_eq(&x).is_some() {
                length += 1;
            }
            runs += 1;
            longest = longest.max(length);
        }
        (runs, longest)
    }

    fn mutable_chains(v: [u32; 8], k: u32) -> [u32; 8] {
        let mut v = v;
        v.iter_mut().skip(1).step_by(2).for_each(|x| *x ^= k);
        v.iter_mut().rev().take(3).enumerate().for_each(|(i, x)| *x = x.wrapping_add(i as u32));
        let (a, b) = v.split_at_mut(4);
        a.iter_mut().zip(b).filter(|(a, b)| **a > **b).for_each(|(a, b)| core::mem::swap(a, b));
        v
    }

    fn early_exit_by_question_mark(v: [u32; 6], limit: u32) -> (Option<u32>, Result32) {
        let sum = v.iter().map(|x| x.checked_mul(3)).try_fold(0u32, |s, x| s.checked_add(x?));
        let found = v.iter().try_for_each(|x| if *x > limit { Err(*x) } else { Ok(()) });
        (sum, Result32(found.err()))
    }

    fn a_deep_chain(v: [u32; 16], w: [u32; 16], k: u8) -> u64 {
        v.iter()
            .zip(w.iter().rev())
            .enumerate()
            .filter(|(i, (a, b))| (*i as u32 ^ **a ^ **b) & 1 == 0)
            .map(|(i, (a, b))| (i as u64, *a as u64 + *b as u64))
            .skip_while(|(_, s)| *s < k as u64)
            .step_by(2)
            .take_while(|(i, _)| *i < 14)
            .inspect(|(i, _)| debug_assert!(*i < 14))
            .map(|(i, s)| s.rotate_left(i as u32))
            .fold(k as u64, |m, x| m.wrapping_mul(0x100_0000_01b3) ^ x)
    }

    fn compared_as_sequences(v: [u8; 5], w: [u8; 5], n: u8) -> (i32, bool, bool, bool) {
        let a = v.iter().take(n as usize % 6);
        let b = w.iter().take(n as usize / 6 % 6);
        (a.clone().cmp(b.clone()) as i32, a.clone().eq(b.clone()), a.clone().lt(b), a.is_sorted())
    }

    fn cycles_and_windows(v: [u32; 3], n: u8) -> (u32, u32) {
        let c = v.iter().cycle().skip(n as usize % 7).take(10).fold(0u32, |a, x| a.wrapping_mul(3).wrapping_add(*x));
        let d = v.windows(2).map(|w| w[1].wrapping_sub(w[0])).fold(0, |a, x| a ^ x);
        (c, d)
    }

    fn nth_and_last(v: [u32; 9], n: u8) -> (Option<u32>, Option<u32>, Option<u32>, Option<u32>) {
        let n = n as usize % 11;
        let mut i = v.iter();
        let a = i.nth(n / 2).copied();
        let b = i.nth_back(n / 4).copied();
        (a, b, i.next().copied(), i.last().copied())
    }

    fn arrays_from_functions(x: u32) -> ([u32; 5], [u32; 5]) {
        let a: [u32; 5] = core::array::from_fn(|i| x.rotate_left(i as u32 * 7));
        (a, a.map(|y| y.wrapping_mul(y)))
    }

    fn bytes_folded_into_words(v: [u8; 12]) -> [u32; 3] {
        let mut out = [0; 3];
        for (place, chunk) in out.iter_mut().zip(v.chunks_exact(4)) {
            *place = chunk.iter().rev().fold(0, |w, b| w << 8 | *b as u32);
        }
        out
    }

    fn matrix_product(a: [[i32; 3]; 3], b: [[i32; 3]; 3]) -> [[i32; 3]; 3] {
        let mut c = [[0; 3]; 3];
        for (row, out) in a.iter().zip(c.iter_mut()) {
            for (j, cell) in out.iter_mut().enumerate() {
                *cell = row.iter().zip(b.iter().map(|r| r[j])).fold(0, |s: i32, (x, y)| s.wrapping_add(x.wrapping_mul(y)));
            }
        }
        c
    }
}

/// An error as words: there is no `Output` for `Result`.
pub struct Result32(Option<u32>);

impl difftest::words::Output for Result32 {
    const WORDS: usize = 2;
    unsafe fn write(self, words: *mut u32) {
        // SAFETY: two words, as the caller promises.
        unsafe { self.0.write(words) }
    }
}
