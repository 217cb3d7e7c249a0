//! Sorting: core's, and our own.

difftest::diff! {
    tag sorting;

    fn insertion_sort(v: [i32; 9]) -> [i32; 9] {
        let mut v = v;
        for i in 1..v.len() {
            let mut j = i;
            while j > 0 && v[j - 1] > v[j] {
                v.swap(j - 1, j);
                j -= 1;
            }
        }
        v
    }

    fn bubble_sort_of_pairs(v: [u16; 8]) -> [u16; 8] {
        let mut pairs: [(u8, u8); 8] = v.map(|x| ((x & 0xff) as u8, (x >> 8) as u8));
        let mut sorted = false;
        while !sorted {
            sorted = true;
            for i in 1..8 {
                if pairs[i] < pairs[i - 1] {
                    pairs.swap(i, i - 1);
                    sorted = false;
                }
            }
        }
        pairs.map(|(a, b)| (b as u16) << 8 | a as u16)
    }

    fn heap_sort(v: [u32; 11]) -> [u32; 11] {
        fn sift(v: &mut [u32], mut root: usize) {
            loop {
                let mut child = 2 * root + 1;
                if child >= v.len() {
                    return;
                }
                if child + 1 < v.len() && v[child] < v[child + 1] {
                    child += 1;
                }
                if v[root] >= v[child] {
                    return;
                }
                v.swap(root, child);
                root = child;
            }
        }
        let mut v = v;
        for root in (0..v.len() / 2).rev() {
            sift(&mut v, root);
        }
        for end in (1..v.len()).rev() {
            v.swap(0, end);
            sift(&mut v[..end], 0);
        }
        v
    }

    fn a_sorting_network(v: [f32; 4]) -> [f32; 4] {
        let mut v = v.map(|x| if x.is_nan() { 0.5 } else { x + 0.0 });
        for (a, b) in [(0, 1), (2, 3), (0, 2), (1, 3), (1, 2)] {
            if v[a] > v[b] {
                v.swap(a, b);
            }
        }
        v
    }

    fn core_sort_unstable(v: [i32; 12]) -> [i32; 12] {
        let mut v = v;
        v.sort_unstable();
        v
    }

    fn core_sort_by_key(v: [u16; 9]) -> [u16; 9] {
        let mut v = v;
        // The key is a bijection: an unstable sort has one answer.
        v.sort_unstable_by_key(|x| x.reverse_bits());
        v
    }

    fn core_select_nth(v: [u32; 9], n: u8) -> u32 {
        let mut v = v;
        *v.select_nth_unstable(n as usize % 9).1
    }
}
