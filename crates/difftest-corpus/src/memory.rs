//! Moves and copies: swap, replace, uninitialised memory, transmute, raw pointers, volatile accesses, cells.

use core::cell::{Cell, RefCell, UnsafeCell};
use core::mem::{MaybeUninit, discriminant, replace, swap, transmute, zeroed};
use core::ptr;

#[derive(Clone, Copy, Default, PartialEq)]
struct Big {
    a: [u64; 5],
    b: u8,
    c: u32,
}

#[inline(never)]
fn change(mut big: Big, x: u64) -> Big {
    big.a[2] = x;
    big.b = big.b.wrapping_add(1);
    big
}

difftest::diff! {
    tag memory;

    fn swaps(x: u64, y: u64, v: [u8; 5]) -> (u64, u64, [u8; 5]) {
        let (mut a, mut b) = (x, y);
        swap(&mut a, &mut b);
        let mut v = v;
        let mut w = [9; 5];
        swap(&mut v, &mut w);
        w[0] = w[0].wrapping_add(v[1]);
        (a, b, w)
    }

    fn big_values_are_copied(x: u64, y: u8) -> (u64, u64, u32, bool) {
        let a = Big { a: [x; 5], b: y, c: 7 };
        let b = change(a, 5);
        let mut c = b;
        c.c += 1;
        (a.a[2], b.a[2], c.c * 100 + b.b as u32, a == b)
    }

    fn replaced_fields(x: u64) -> (u64, u64) {
        let mut big = Big::default();
        big.a[1] = x;
        let old = replace(&mut big.a, [3; 5]);
        (old[1], big.a[1])
    }

    fn uninitialised_until_written(v: [u32; 4], n: u8) -> (u32, u32) {
        let mut slots = [const { MaybeUninit::<u32>::uninit() }; 4];
        let n = (n % 5) as usize;
        for (slot, x) in slots.iter_mut().zip(v).take(n) {
            slot.write(x.wrapping_mul(3));
        }
        // SAFETY: the first n were written.
        let sum = slots[..n].iter().fold(0u32, |s, slot| s.wrapping_add(unsafe { slot.assume_init() }));
        (sum, n as u32)
    }

    #[allow(unnecessary_transmutes)]
    fn transmutes(x: f32, y: u64, v: [u8; 4]) -> (u32, [u16; 4], u32, i64) {
        // SAFETY: plain bits of one size.
        unsafe { (transmute::<f32, u32>(x), transmute::<u64, [u16; 4]>(y), transmute::<[u8; 4], u32>(v), transmute::<u64, i64>(y)) }
    }

    fn raw_copies(v: [u16; 8], a: u8, b: u8) -> [u16; 8] {
        let mut v = v;
        let (a, b) = ((a & 3) as usize, (b & 3) as usize);
        let p = v.as_mut_ptr();
        // SAFETY: four elements from at most the fourth.
        unsafe { ptr::copy(p.add(a), p.add(b), 4) };
        v
    }

    fn copies_that_do_not_overlap(v: [u64; 4], n: u8) -> ([u64; 4], u64) {
        let mut w = [1u64; 4];
        // SAFETY: at most four elements, of two arrays.
        unsafe { ptr::copy_nonoverlapping(v.as_ptr(), w.as_mut_ptr(), (n % 5) as usize) };
        // SAFETY: a place of the array.
        let z = unsafe { ptr::read(v.as_ptr().add((n & 3) as usize)) };
        (w, z)
    }

    fn unaligned_reads_and_writes(v: [u8; 16], at: u8) -> (u32, u64, u8) {
        let mut v = v;
        let at = (at % 8) as usize;
        // SAFETY: eight bytes from at most the eighth.
        unsafe {
            let p = v.as_mut_ptr().add(at);
            let a = p.cast::<u32>().read_unaligned();
            p.cast::<u64>().write_unaligned(0x0102_0304_0506_0708);
            (a, p.cast::<u64>().read_unaligned(), v[at])
        }
    }

    fn volatile_accesses(x: u32, y: u32) -> (u32, u32) {
        let mut place = x;
        let p = &raw mut place;
        // SAFETY: a local.
        unsafe {
            let a = p.read_volatile();
            p.write_volatile(y);
            (a ^ p.read_volatile(), place)
        }
    }

    fn cells(x: u32, y: u32) -> (u32, u32, u32) {
        let a = Cell::new(x);
        let r = &a;
        r.set(r.get().wrapping_add(y));
        let old = a.replace(5);
        let b = RefCell::new([x, y]);
        b.borrow_mut()[1] ^= 1;
        let busy = {
            let _held = b.borrow();
            b.try_borrow_mut().is_err() as u32
        };
        (old, b.borrow()[1].wrapping_add(a.get()), busy)
    }

    fn an_unsafe_cell_seen_twice(x: u32) -> u32 {
        let cell = UnsafeCell::new(x);
        let (p, q) = (cell.get(), cell.get());
        // SAFETY: one thread, no references.
        unsafe {
            *p = (*p).wrapping_add(1);
            *q = (*q).wrapping_mul(3);
            *p ^ 0xff
        }
    }

    fn zeroed_structs(x: u8) -> (u64, bool) {
        // SAFETY: all of its fields may be zero.
        let mut big: Big = unsafe { zeroed() };
        big.b = x;
        (big.a.iter().sum::<u64>() + big.c as u64, big == Big { b: x, ..Big::default() })
    }

    fn discriminants_compare(x: u32, y: u32) -> [bool; 2] {
        let o = |n: u32| if n & 1 == 0 { Some(n) } else { None };
        [discriminant(&o(x)) == discriminant(&o(y)), o(x) == o(y)]
    }

    fn pointers_to_pointers(x: u32, y: u32, which: bool) -> (u32, u32) {
        let (mut a, mut b) = (x, y);
        {
            let mut r: &mut u32 = &mut a;
            if which {
                r = &mut b;
            }
            let rr: &mut &mut u32 = &mut r;
            **rr = rr.wrapping_mul(17);
        }
        (a, b)
    }

    fn references_into_locals_that_move(x: u32, n: u8) -> (u32, u32) {
        let mut v = [[x; 2]; 3];
        let r = &mut v[n as usize % 3];
        r[1] = 5;
        let w = v;
        let first = &w[0];
        v[0][0] = 1;
        (first[0] ^ w[n as usize % 3][1], v[0][0])
    }

    fn a_byte_view_of_a_number(x: u64) -> (u8, u32) {
        // SAFETY: eight bytes of a local.
        let bytes = unsafe { core::slice::from_raw_parts((&raw const x).cast::<u8>(), 8) };
        (bytes[3], bytes.iter().map(|b| *b as u32).sum())
    }

    fn addresses_are_numbers(v: [u32; 4], n: u8) -> (u32, u32) {
        let base = v.as_ptr() as usize;
        let at = &raw const v[(n & 3) as usize] as usize;
        let p = (base + (n & 3) as usize * 4) as *const u32;
        // SAFETY: a place of the array, whose address was exposed.
        ((at - base) as u32, unsafe { *p })
    }
}
