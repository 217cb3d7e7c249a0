//! Enums in every encoding: tagged, niche in bool, char, reference, nested enum, range; several data variants; explicit
//! discriminants; no variants.

use core::cmp::Ordering;
use core::convert::Infallible;
use core::mem::size_of;
use core::num::{NonZeroI16, NonZeroU8, NonZeroU32, NonZeroU64};

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Plain {
    A,
    B,
    C,
    D,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Shape {
    Dot,
    Line(u32),
    Rect { w: u16, h: u64 },
    Poly([u8; 5], bool),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InBool {
    Flag(bool),
    Two,
    Three,
    Four,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum InChar {
    None,
    Char(char),
    Eof,
}

/// Two data variants share the niche of one field (the second one fits around it).
#[derive(Clone, Copy, PartialEq, Eq)]
enum Around {
    Big(u32, bool, u32),
    Small(u16),
    Nothing,
}

#[repr(u8)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Numbered {
    Low = 3,
    High = 200,
    Mid = 100,
}

#[repr(i64)]
#[derive(Clone, Copy, PartialEq, Eq)]
enum Signed {
    Least = i64::MIN,
    MinusOne = -1,
    Most = i64::MAX,
}

#[repr(C, u16)]
#[derive(Clone, Copy)]
enum CLike {
    Number(u64),
    Pair(u8, u8),
    Unit,
}

#[derive(Clone, Copy)]
enum Inner {
    X(u8),
    Y,
    Z(InBool),
}

fn plain(x: u32) -> Plain {
    match x % 4 {
        0 => Plain::A,
        1 => Plain::B,
        2 => Plain::C,
        _ => Plain::D,
    }
}

fn shape(x: u64) -> Shape {
    match x & 3 {
        0 => Shape::Dot,
        1 => Shape::Line((x >> 2) as u32),
        2 => Shape::Rect { w: (x >> 2) as u16, h: x },
        _ => Shape::Poly([(x >> 2) as u8; 5], x & 4 != 0),
    }
}

fn in_bool(x: u32) -> InBool {
    match x % 5 {
        0 => InBool::Flag(false),
        1 => InBool::Flag(true),
        2 => InBool::Two,
        3 => InBool::Three,
        _ => InBool::Four,
    }
}

#[inline(never)]
fn nested(x: u32) -> Option<Option<Option<bool>>> {
    match x & 7 {
        0 => None,
        1 => Some(None),
        2 => Some(Some(None)),
        3 => Some(Some(Some(false))),
        _ => Some(Some(Some(true))),
    }
}

#[inline(never)]
fn parse(x: u32) -> Result<NonZeroU8, Plain> {
    NonZeroU8::new(x as u8).ok_or(plain(x >> 8))
}

difftest::diff! {
    tag niche;

    fn a_plain_enum(x: u32, y: u32) -> (u32, bool, i32, bool) {
        let (a, b) = (plain(x), plain(y));
        (a as u32, a == b, a.cmp(&b) as i32, a < b)
    }

    fn payloads_through_a_match(x: u64) -> (u64, u32) {
        match shape(x) {
            Shape::Dot => (0, 1),
            Shape::Line(n) => (n as u64, 2),
            Shape::Rect { w, h } => (h ^ w as u64, 3),
            Shape::Poly(bytes, closed) => (bytes[4] as u64, 4 + closed as u32),
        }
    }

    fn enums_with_payloads_compare(x: u64, y: u64) -> [bool; 3] {
        let (a, b) = (shape(x), shape(y));
        [a == b, a == shape(x), a != Shape::Line(7)]
    }

    fn a_payload_changed_in_place(x: u64) -> (u64, u32) {
        let mut s = shape(x);
        match &mut s {
            Shape::Line(n) => *n = n.wrapping_add(1),
            Shape::Rect { h, .. } => *h = !*h,
            Shape::Poly(bytes, closed) => {
                bytes[2] = 42;
                *closed = !*closed;
            }
            Shape::Dot => {}
        }
        let dot = matches!(s, Shape::Dot);
        if dot {
            s = Shape::Rect { w: 1, h: x };
        }
        match s {
            Shape::Rect { w, h } => (h, w as u32),
            Shape::Poly(bytes, closed) => (bytes[2] as u64, closed as u32),
            Shape::Line(n) => (n as u64, 99),
            Shape::Dot => (1, 1),
        }
    }

    fn niche_in_a_bool(x: u32, y: u32) -> (u32, bool, u32) {
        let number = |e| match e {
            InBool::Flag(b) => b as u32,
            InBool::Two => 2,
            InBool::Three => 3,
            InBool::Four => 4,
        };
        (number(in_bool(x)), in_bool(x) == in_bool(y), size_of::<InBool>() as u32)
    }

    fn niche_in_a_char(c: char, x: u8) -> (u32, u32, bool) {
        let e = match x & 3 {
            0 => InChar::None,
            1 => InChar::Eof,
            _ => InChar::Char(c),
        };
        let n = match e {
            InChar::Char(c) => c as u32,
            InChar::Eof => 0xffff_ffff,
            InChar::None => 0xffff_fffe,
        };
        (n, size_of::<InChar>() as u32, e == InChar::Char('a'))
    }

    fn two_variants_around_a_niche(x: u32, y: u32) -> (u32, bool, u32) {
        let make = |n: u32| match n % 3 {
            0 => Around::Big(n, n & 8 != 0, !n),
            1 => Around::Small(n as u16),
            _ => Around::Nothing,
        };
        let n = match make(x) {
            Around::Big(a, b, c) => a ^ c.rotate_left(b as u32),
            Around::Small(s) => s as u32,
            Around::Nothing => 5,
        };
        (n, make(x) == make(y), size_of::<Around>() as u32)
    }

    fn options_in_options(x: u32) -> (u32, u32) {
        let n = match nested(x) {
            None => 1,
            Some(None) => 2,
            Some(Some(None)) => 3,
            Some(Some(Some(b))) => 4 + b as u32,
        };
        (n, size_of::<Option<Option<Option<bool>>>>() as u32)
    }

    fn options_of_nonzero(x: u32, y: u64, z: i16) -> (u32, u64, i16, u32) {
        let a = NonZeroU32::new(x);
        let b = NonZeroU64::new(y);
        let c = NonZeroI16::new(z);
        (
            a.map_or(7, |n| n.get().trailing_zeros()),
            b.map_or(9, |n| n.get().wrapping_mul(3)),
            c.map_or(11, |n| n.get().wrapping_neg()),
            (size_of::<Option<NonZeroU32>>() * 100 + size_of::<Option<NonZeroI16>>()) as u32,
        )
    }

    fn results_with_two_niches(x: u32) -> (u32, u32) {
        let r = parse(x);
        let n = match r {
            Ok(n) => n.get() as u32,
            Err(Plain::A) => 1000,
            Err(other) => 2000 + other as u32,
        };
        (n, size_of::<Result<NonZeroU8, Plain>>() as u32)
    }

    fn an_option_of_an_ordering(x: i32, y: i32, some: bool) -> (i32, bool) {
        let o: Option<Ordering> = if some { Some(x.cmp(&y)) } else { None };
        let n = match o {
            None => 5,
            Some(Ordering::Less) => -1,
            Some(Ordering::Equal) => 0,
            Some(Ordering::Greater) => 1,
        };
        (n, o == Some(Ordering::Less))
    }

    fn numbered_variants(x: u8) -> (u8, i32, bool) {
        let e = match x % 3 {
            0 => Numbered::Low,
            1 => Numbered::High,
            _ => Numbered::Mid,
        };
        let o = if x > 128 { Some(e) } else { None };
        (e as u8, e as u8 as i8 as i32, o == Some(Numbered::High))
    }

    fn signed_variants(x: u8) -> (i64, bool) {
        let e = match x % 3 {
            0 => Signed::Least,
            1 => Signed::MinusOne,
            _ => Signed::Most,
        };
        (e as i64, matches!(e, Signed::Least | Signed::Most))
    }

    fn a_repr_c_enum(x: u64) -> (u64, u32) {
        let e = match x & 3 {
            0 => CLike::Number(x),
            1 => CLike::Pair(x as u8, (x >> 8) as u8),
            _ => CLike::Unit,
        };
        let n = match e {
            CLike::Number(n) => n,
            CLike::Pair(a, b) => (a as u64) << 8 | b as u64,
            CLike::Unit => u64::MAX,
        };
        (n, size_of::<CLike>() as u32)
    }

    fn enums_inside_enums(x: u32) -> (u32, u32) {
        let e = match x % 3 {
            0 => Inner::X(x as u8),
            1 => Inner::Y,
            _ => Inner::Z(in_bool(x / 3)),
        };
        let o = if x & 0x100 == 0 { Some(e) } else { None };
        let n = match o {
            Some(Inner::X(n)) if n > 100 => 1,
            Some(Inner::X(n)) => 1000 + n as u32,
            Some(Inner::Z(InBool::Flag(true))) => 2,
            Some(Inner::Z(InBool::Flag(false))) => 3,
            Some(Inner::Z(InBool::Three)) => 4,
            Some(Inner::Z(_)) => 5,
            Some(Inner::Y) => 6,
            None => 7,
        };
        (n, size_of::<Option<Inner>>() as u32)
    }

    fn an_error_that_cannot_be(x: u32) -> u32 {
        let r: Result<u32, Infallible> = Ok(x);
        let Ok(n) = r;
        match r {
            Ok(m) => n ^ m << 1,
            Err(never) => match never {},
        }
    }

    fn an_array_of_enums(x: u64, y: u8) -> (u32, u64) {
        let mut all = [Shape::Dot, shape(x), Shape::Line(3), shape(!x)];
        all[(y & 3) as usize] = Shape::Poly([y; 5], true);
        let mut kinds = 0;
        let mut total = 0u64;
        for s in &all {
            kinds = kinds * 10
                + match s {
                    Shape::Dot => 1,
                    Shape::Line(n) => {
                        total = total.wrapping_add(*n as u64);
                        2
                    }
                    Shape::Rect { h, .. } => {
                        total ^= h;
                        3
                    }
                    Shape::Poly(b, _) => {
                        total = total.wrapping_mul(b[0] as u64 + 1);
                        4
                    }
                };
        }
        (kinds, total)
    }

    fn take_and_replace_options(x: u32) -> (u32, bool, Option<u32>, Option<bool>) {
        let mut a = Some(x);
        let taken = a.take();
        let mut b = NonZeroU8::new(x as u8);
        let was = b.replace(NonZeroU8::MIN).is_some();
        let c = a.get_or_insert(9);
        *c += 1;
        (taken.unwrap_or(0) ^ b.map_or(0, |b| b.get() as u32), was, a, a.map(|n| n > 9).filter(|b| !*b))
    }

    fn question_marks(x: u32, y: u32) -> (Option<u32>, u32) {
        fn options(x: u32, y: u32) -> Option<u32> {
            let a = x.checked_add(y)?;
            let b = NonZeroU8::new(a as u8)?;
            (1000u32).checked_div(b.get() as u32 - 1)
        }
        fn results(x: u32, y: u32) -> Result<u32, Plain> {
            let a = parse(x)?;
            let b = parse(y)?;
            Ok(a.get() as u32 * b.get() as u32)
        }
        (options(x, y), results(x, y).unwrap_or_else(|e| 0x10_0000 + e as u32))
    }

    fn an_enum_of_wide_numbers(x: u128, y: u8) -> (u128, u32) {
        enum Wide {
            A(u128),
            B(i128, u8),
            C,
        }
        let e = match y & 3 {
            0 => Wide::A(x),
            1 => Wide::B(!x as i128, y),
            _ => Wide::C,
        };
        match e {
            Wide::A(n) => (n, 1),
            Wide::B(n, b) => (n as u128 >> 1, b as u32),
            Wide::C => (0, size_of::<Wide>() as u32),
        }
    }
}
