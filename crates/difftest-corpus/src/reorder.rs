//! Structs, tuples and unions whose fields rustc puts in another order, or whose layout is asked for.

use core::mem::{align_of, offset_of, size_of};

#[derive(Clone, Copy, PartialEq, Eq)]
struct Mixed {
    a: u8,
    b: u64,
    c: u16,
    d: u32,
    e: bool,
}

#[derive(Clone, Copy)]
struct Nested {
    flag: bool,
    first: Mixed,
    byte: u8,
    second: Mixed,
    tail: u16,
}

#[repr(C)]
#[derive(Clone, Copy)]
struct InOrder {
    a: u8,
    b: u32,
    c: u8,
    d: u64,
    e: u16,
}

#[repr(C, packed)]
#[derive(Clone, Copy)]
struct Packed {
    a: u8,
    b: u32,
    c: u16,
    d: u64,
}

#[repr(C, packed(2))]
#[derive(Clone, Copy)]
struct PackedTwo {
    a: u8,
    b: u32,
    c: u64,
}

#[repr(align(32))]
#[derive(Clone, Copy)]
struct Aligned {
    a: u8,
    b: u16,
}

#[repr(transparent)]
#[derive(Clone, Copy)]
struct Wrapper<T>(T);

struct Generic<T, U> {
    first: T,
    middle: u8,
    last: U,
}

#[derive(Clone, Copy)]
struct Empty;

#[derive(Clone, Copy)]
struct WithEmpty {
    a: u8,
    empty: Empty,
    unit: (),
    none: [u64; 0],
    b: u32,
}

#[repr(C)]
union Bits {
    float: f32,
    word: u32,
    bytes: [u8; 4],
    halves: (u16, u16),
}

fn mixed(x: u64) -> Mixed {
    Mixed { a: x as u8, b: x, c: (x >> 8) as u16, d: (x >> 24) as u32, e: x & 1 == 1 }
}

#[inline(never)]
fn sum(m: &Mixed) -> u64 {
    (m.a as u64).wrapping_add(m.b).wrapping_add(m.c as u64).wrapping_add(m.d as u64).wrapping_add(m.e as u64)
}

#[inline(never)]
fn by_value(mut m: Mixed, n: Nested) -> Mixed {
    m.b ^= n.second.b;
    m.c = n.tail;
    m.e = n.flag;
    m
}

difftest::diff! {
    tag reorder;

    fn fields_of_a_mixed_struct(x: u64, y: u32) -> (u8, u64, u16, u32, bool) {
        let mut m = mixed(x);
        m.d = y;
        let m = m;
        (m.a, m.b, m.c, m.d, m.e)
    }

    fn a_struct_behind_a_reference(x: u64) -> u64 {
        let m = mixed(x);
        sum(&m)
    }

    fn structs_by_value_and_back(x: u64, y: u64) -> (u8, u64, u16, u32, bool) {
        let n = Nested { flag: y & 4 != 0, first: mixed(x), byte: 3, second: mixed(y), tail: 0xabcd };
        let m = by_value(mixed(x ^ y), n);
        (m.a.wrapping_add(n.byte), m.b ^ n.first.b, m.c, m.d, m.e)
    }

    fn an_array_of_structs(x: u64, y: u8) -> [u64; 4] {
        let mut all = [mixed(x); 4];
        all[(y & 3) as usize] = mixed(!x);
        let at = (y >> 2 & 3) as usize;
        all[at].b = 9;
        [sum(&all[0]), sum(&all[1]), sum(&all[2]), sum(&all[3])]
    }

    fn structs_compare_by_field(x: u64, y: u64) -> [bool; 3] {
        let (a, b) = (mixed(x), mixed(y));
        [a == b, a == Mixed { e: a.e, ..a }, a != Mixed { c: !a.c, ..a }]
    }

    fn in_declared_order(x: u64) -> (u8, u32, u8, u64, u16) {
        let s = InOrder { a: x as u8, b: x as u32, c: (x >> 32) as u8, d: x, e: (x >> 48) as u16 };
        let bytes = &s as *const InOrder as *const u8;
        // SAFETY: the fields of a repr(C) struct, at their offsets.
        unsafe {
            (
                *bytes,
                bytes.add(4).cast::<u32>().read(),
                bytes.add(8).read(),
                bytes.add(16).cast::<u64>().read(),
                bytes.add(24).cast::<u16>().read(),
            )
        }
    }

    fn packed_fields(x: u64, y: u32) -> (u8, u32, u16, u64, u32) {
        let mut p = Packed { a: x as u8, b: y, c: (x >> 8) as u16, d: x };
        p.b = p.b.wrapping_add(p.c as u32);
        p.d ^= y as u64;
        // SAFETY: reads the second field where it lies.
        let b = unsafe { (&raw const p.b).read_unaligned() };
        (p.a, p.b, p.c, p.d, b)
    }

    fn an_array_of_packed(x: u64, y: u8) -> (u32, u64, u8) {
        let mut all = [PackedTwo { a: 1, b: x as u32, c: x }; 3];
        let at = (y % 3) as usize;
        all[at].b = !all[at].b;
        all[(at + 1) % 3].c = 77;
        all[2].a = y;
        (all[0].b ^ all[1].b, all[0].c.wrapping_add(all[1].c).wrapping_mul(3), all[2].a)
    }

    fn layouts_are_the_hosts(x: u8) -> [u32; 6] {
        let _ = x;
        [
            (size_of::<Mixed>() << 8 | align_of::<Mixed>()) as u32,
            (offset_of!(Mixed, a) << 16 | offset_of!(Mixed, b) << 8 | offset_of!(Mixed, c)) as u32,
            (size_of::<Nested>() << 8 | offset_of!(Nested, tail)) as u32,
            (size_of::<Packed>() << 8 | size_of::<PackedTwo>()) as u32,
            (size_of::<Aligned>() << 8 | align_of::<Aligned>()) as u32,
            (size_of::<Generic<u8, u64>>() << 8 | size_of::<(u8, u32, u8)>()) as u32,
        ]
    }

    fn an_aligned_struct(x: u16, y: u8) -> (u8, u16, bool) {
        let pair = [Aligned { a: y, b: x }, Aligned { a: !y, b: !x }];
        let address = &raw const pair[1] as usize;
        (pair[(y & 1) as usize].a, pair[(x & 1) as usize].b, address % 32 == 0)
    }

    fn wrappers_are_transparent(x: u32) -> u32 {
        let w = Wrapper(Wrapper(Wrapper(x)));
        let Wrapper(Wrapper(inner)) = w;
        // SAFETY: a transparent wrapper has the layout of what it wraps.
        inner.0 ^ unsafe { core::mem::transmute::<Wrapper<Wrapper<Wrapper<u32>>>, u32>(w) } << 1
    }

    fn one_generic_in_three_layouts(x: u64) -> (u64, u64, u64) {
        let a = Generic { first: x as u8, middle: 1, last: x };
        let b = Generic { first: x, middle: 2, last: (x >> 8) as u16 };
        let c = Generic { first: [x as u8, (x >> 8) as u8, (x >> 16) as u8], middle: 3, last: (x as u32, true) };
        (
            (a.first as u64 + a.middle as u64).wrapping_add(a.last),
            b.first.wrapping_add(b.middle as u64 + b.last as u64),
            c.first[2] as u64 + c.middle as u64 + c.last.0 as u64 + c.last.1 as u64,
        )
    }

    fn fields_of_no_size(x: u32, y: u8) -> (u8, u32, u32) {
        let w = WithEmpty { a: y, empty: Empty, unit: (), none: [], b: x };
        let WithEmpty { a, empty: Empty, unit: (), none, b } = w;
        (a, b, none.len() as u32)
    }

    fn tuples_are_reordered_too(x: u64) -> (u8, u64, u8, u16) {
        let mut t = (x as u8, (x, (x >> 40) as u8), (x >> 16) as u16);
        t.1.0 = t.1.0.rotate_left(9);
        let ((a, (b, c), d), _) = (t, 0u8);
        (a, b, c, d)
    }

    fn a_union_read_four_ways(x: u32) -> (u32, u8, u16, bool) {
        let mut bits = Bits { word: x };
        // SAFETY: every field is plain bits of the same four bytes.
        unsafe {
            bits.bytes[1] ^= 0xff;
            (bits.float.to_bits(), bits.bytes[3], bits.halves.0, bits.word == x ^ 0xff00)
        }
    }

    fn update_syntax_keeps_the_rest(x: u64, y: u64) -> u64 {
        let base = mixed(x);
        let other = Mixed { b: y, d: 5, ..base };
        sum(&other) ^ sum(&base)
    }
}
