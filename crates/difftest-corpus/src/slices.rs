//! Slices cut every way.

#[inline(never)]
fn sum(values: &[u32]) -> u32 {
    let mut sum = values.len() as u32;
    for value in values {
        sum = sum.wrapping_mul(31).wrapping_add(*value);
    }
    sum
}

#[inline(never)]
fn halves(values: &mut [u32], at: usize) -> (&mut [u32], &mut [u32]) {
    values.split_at_mut(at)
}

difftest::diff! {
    tag slices;

    fn ranges_of_every_form(v: [u32; 8], a: u8, b: u8) -> [u32; 6] {
        let (a, b) = ((a % 9) as usize, (b % 9) as usize);
        let (a, b) = (a.min(b), a.max(b));
        let s = &v[..];
        [sum(&s[a..b]), sum(&s[a..]), sum(&s[..b]), sum(&s[..]), sum(&s[a..=b.min(7)]), sum(&s[a..][..b - a])]
    }

    fn get_by_index_and_range(v: [u32; 8], a: u8, b: u8) -> (Option<u32>, u32, u32, u32) {
        let (a, b) = ((a % 12) as usize, (b % 12) as usize);
        (
            v.get(a).copied(),
            v.get(a..b).map_or(1, sum),
            v.get(..=b).map_or(2, sum),
            v.get(b..).map_or(3, |s| s.first().map_or(4, |x| *x)),
        )
    }

    fn get_mut_by_index(v: [u32; 4], at: u8) -> ([u32; 4], bool) {
        let mut v = v;
        let hit = match v.get_mut((at % 6) as usize) {
            Some(place) => {
                *place = !*place;
                true
            }
            None => false,
        };
        (v, hit)
    }

    fn split_at_and_swap_halves(v: [u32; 8], at: u8) -> [u32; 8] {
        let mut v = v;
        let (left, right) = halves(&mut v, (at % 9) as usize);
        for (x, y) in left.iter_mut().zip(right.iter_mut().rev()) {
            core::mem::swap(x, y);
        }
        v
    }

    fn first_last_and_the_rest(v: [u32; 6], n: u8) -> [u32; 5] {
        let s = &v[..(n % 7) as usize];
        let first = s.first().map_or(1, |x| *x);
        let last = s.last().map_or(2, |x| *x);
        let rest = s.split_first().map_or(3, |(x, rest)| x ^ sum(rest));
        let front = s.split_last().map_or(4, |(x, front)| x ^ sum(front));
        let pair = s.first_chunk::<2>().map_or(5, |[a, b]| a.wrapping_sub(*b));
        [first, last, rest, front, pair]
    }

    fn patterns(v: [u32; 6], n: u8) -> (u32, u32) {
        match &v[..(n % 7) as usize] {
            [] => (0, 0),
            [one] => (1, *one),
            [a, b] => (2, a.wrapping_add(*b)),
            [a, .., z] if a == z => (3, *a),
            [0, rest @ ..] => (4, sum(rest)),
            [head @ .., 0] => (5, sum(head)),
            [a, middle @ .., y, z] => (6, a.wrapping_add(sum(middle)) ^ y.wrapping_mul(*z)),
        }
    }

    fn array_patterns(v: [u32; 5]) -> [u32; 4] {
        let [a, middle @ .., e] = v;
        let [.., d, _] = v;
        let [_, [b, c], ..] = [[a, e], [d, middle[1]], [0, 0]];
        [a ^ middle[0], e, b, c]
    }

    fn chunks_with_a_remainder(v: [u32; 10], n: u8) -> [u32; 3] {
        let n = (n % 5) as usize + 1;
        let mut a = 0u32;
        for chunk in v.chunks(n) {
            a = a.wrapping_mul(7).wrapping_add(sum(chunk));
        }
        let exact = v.chunks_exact(n);
        let left = sum(exact.remainder());
        let b = exact.fold(1u32, |b, chunk| b.wrapping_mul(7).wrapping_add(sum(chunk)));
        [a, b, left]
    }

    fn chunks_changed_in_place(v: [u32; 9], n: u8) -> [u32; 9] {
        let mut v = v;
        for (i, chunk) in v.chunks_mut((n % 4) as usize + 1).enumerate() {
            for x in chunk.iter_mut() {
                *x = x.wrapping_add(i as u32);
            }
            chunk.reverse();
        }
        v
    }

    fn chunks_from_the_end(v: [u32; 10], n: u8) -> u32 {
        v.rchunks((n % 5) as usize + 1).fold(0u32, |a, chunk| a.wrapping_mul(5).wrapping_add(sum(chunk)))
    }

    fn windows(v: [i32; 8], n: u8) -> (u32, i32) {
        let n = (n % 5) as usize + 1;
        let rising = v.windows(2).filter(|w| w[0] < w[1]).count();
        let best = v.windows(n).map(|w| w.iter().fold(0i32, |a, x| a.wrapping_add(*x))).max().unwrap_or(0);
        (rising as u32, best)
    }

    fn reversed(v: [u32; 7], n: u8) -> [u32; 2] {
        let s = &v[..(n & 7).min(7) as usize];
        let mut a = 0u32;
        for x in s.iter().rev() {
            a = a.wrapping_mul(3).wrapping_add(*x);
        }
        let b = s.iter().enumerate().rev().fold(0u32, |b, (i, x)| b.wrapping_mul(3) ^ x.wrapping_add(i as u32));
        [a, b]
    }

    fn swap_rotate_reverse_fill(v: [u32; 8], a: u8, b: u8) -> [u32; 8] {
        let mut v = v;
        v.swap((a & 7) as usize, (b & 7) as usize);
        v[1..7].rotate_left((a % 6) as usize);
        v[(b & 3) as usize..].reverse();
        v[..(a & 1) as usize].fill(9);
        v
    }

    fn copies_within_and_between(v: [u32; 8], a: u8) -> [u32; 8] {
        let mut v = v;
        let from = (a & 3) as usize;
        v.copy_within(from..from + 4, 2);
        let mut w = [1u32; 8];
        w[..3].copy_from_slice(&v[5..]);
        w[3..].clone_from_slice(&v[..5]);
        w
    }

    fn binary_search(v: [u32; 8], wanted: u32, at: u8) -> [u32; 3] {
        let mut v = v;
        // An insertion sort of our own, so that this is a test of the search alone.
        let mut i = 1;
        while i < 8 {
            let mut j = i;
            while j > 0 && v[j - 1] > v[j] {
                v.swap(j - 1, j);
                j -= 1;
            }
            i += 1;
        }
        let one = match v.binary_search(&wanted) {
            Ok(i) => v[i],
            Err(i) => 100 + i as u32,
        };
        let known = v[(at & 7) as usize];
        let two = v.binary_search(&known).map_or(7, |i| v[i]);
        [one, two, v.partition_point(|x| *x < wanted) as u32]
    }

    fn search_in_a_slice(v: [u8; 12], wanted: u8, n: u8) -> (bool, Option<u32>, Option<u32>, bool, bool) {
        let s = &v[(n % 5) as usize..];
        (
            s.contains(&wanted),
            s.iter().position(|x| *x == wanted).map(|i| i as u32),
            s.iter().rposition(|x| *x > wanted).map(|i| i as u32),
            s.starts_with(&v[..2]),
            s.ends_with(&v[10..]),
        )
    }

    fn slices_compare(v: [i8; 6], w: [i8; 6], n: u8) -> (bool, i32, bool) {
        let (a, b) = (&v[..(n % 7) as usize], &w[..(n / 7 % 7) as usize]);
        (a == b, a.cmp(b) as i32, v <= w)
    }

    fn split_by_a_predicate(v: [u8; 10], n: u8) -> [u32; 3] {
        let mut parts = 0;
        let mut longest = 0;
        let mut mix = 0u32;
        for part in v.split(|x| *x % 4 == n % 4) {
            parts += 1;
            longest = longest.max(part.len() as u32);
            mix = mix.wrapping_mul(17).wrapping_add(part.first().map_or(1, |x| *x as u32));
        }
        [parts, longest, mix]
    }

    fn a_matrix_by_rows_and_columns(v: [[u32; 3]; 4], r: u8, c: u8) -> [u32; 3] {
        let (r, c) = ((r & 3) as usize, (c % 3) as usize);
        let mut row = 0u32;
        let mut column = 0u32;
        for j in 0..3 {
            row = row.wrapping_mul(5).wrapping_add(v[r][j]);
        }
        for line in &v {
            column = column.wrapping_mul(5).wrapping_add(line[c]);
        }
        let flat = v.as_flattened();
        [row, column, flat[r * 3 + c]]
    }

    fn from_raw_parts(v: [u16; 9], a: u8, n: u8) -> (u32, u16) {
        let a = (a % 5) as usize;
        let n = (n % 5) as usize;
        let mut v = v;
        // SAFETY: a + n is at most 8.
        let s = unsafe { core::slice::from_raw_parts_mut(v.as_mut_ptr().add(a), n) };
        for x in s.iter_mut() {
            *x = x.swap_bytes();
        }
        (s.iter().fold(0u32, |m, x| m.wrapping_mul(257) ^ *x as u32), v[8])
    }

    fn pointers_into_a_slice(v: [u64; 6], a: u8, b: u8) -> (i32, u64, u32) {
        let (a, b) = ((a % 6) as usize, (b % 6) as usize);
        let p = &raw const v[a];
        let q = &raw const v[b];
        // SAFETY: both point into `v`.
        let (distance, sum) = unsafe { (q.offset_from(p), (*p).wrapping_add(*p.offset(q.offset_from(p)))) };
        (distance as i32, sum, (v[a.min(b)..].as_ptr() == p) as u32)
    }

    fn retain_in_place(v: [i32; 10]) -> (u32, [i32; 10]) {
        let mut v = v;
        let mut kept = 0;
        for i in 0..v.len() {
            if v[i] % 3 != 0 {
                v[kept] = v[i];
                kept += 1;
            }
        }
        v[kept..].fill(0);
        (kept as u32, v)
    }

    fn two_slices_zipped_by_index(v: [u32; 6], w: [u32; 6], n: u8) -> u32 {
        let a = &v[..(n % 7) as usize];
        let b = &w[(n / 7 % 7) as usize..];
        let mut dot = 0u32;
        for i in 0..a.len().min(b.len()) {
            dot = dot.wrapping_add(a[i].wrapping_mul(b[i]));
        }
        dot
    }

    fn array_of_slices(v: [u32; 8], at: u8) -> [u32; 2] {
        let parts: [&[u32]; 4] = [&v[..2], &v[2..2], &v[2..7], &v[7..]];
        let longest = parts.iter().map(|p| p.len()).max().unwrap_or(0);
        [sum(parts[(at & 3) as usize]), longest as u32]
    }

    fn as_chunks_and_arrays(v: [u8; 11]) -> (u32, u32, u32) {
        let word: [u8; 4] = v[2..6].try_into().unwrap_or([0; 4]);
        let wrong: Result<[u8; 4], _> = v[2..5].try_into();
        let last = v.last_chunk::<4>().map_or(0, |c| u32::from_be_bytes(*c));
        (u32::from_le_bytes(word), wrong.is_err() as u32, last)
    }
}
