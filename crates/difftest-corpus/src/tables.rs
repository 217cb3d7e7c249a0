//! Constants and statics, with pointers inside and without.

struct Entry {
    name: &'static str,
    weights: &'static [u32],
    next: Option<&'static Entry>,
    scale: f32,
}

static NAMES: [&str; 5] = ["zero", "one", "two", "three", "a longer name, thirty-one bytes"];

static PRIMES: [u16; 12] = [2, 3, 5, 7, 11, 13, 17, 19, 23, 29, 31, 37];

static LISTS: [&[u32]; 4] = [&[], &[7], &[1, 2, 3], &[0xffff_ffff, 5, 0x8000_0000, 9, 11]];

static LAST: Entry = Entry { name: "last", weights: &[100, 200], next: None, scale: -0.0 };
static MIDDLE: Entry = Entry { name: "middle", weights: &[], next: Some(&LAST), scale: 1.5 };
static FIRST: Entry = Entry { name: "first", weights: &[1, 2, 3], next: Some(&MIDDLE), scale: f32::MIN_POSITIVE };

static INTERIOR: [&u16; 3] = [&PRIMES[3], &PRIMES[11], &PRIMES[0]];

static PAIRS: [(u8, u64, &str); 3] = [(1, u64::MAX, "x"), (2, 1 << 40, "yy"), (3, 0, "zzz")];

static OPTIONS: [Option<&u32>; 4] = [None, Some(&17), None, Some(&u32::MAX)];

static NESTED: [[[u8; 3]; 2]; 2] = [[[1, 2, 3], [4, 5, 6]], [[7, 8, 9], [10, 11, 12]]];

const SQUARES: [u32; 16] = {
    let mut table = [0; 16];
    let mut i = 0;
    while i < 16 {
        table[i] = (i * i) as u32;
        i += 1;
    }
    table
};

const CRC: [u32; 256] = {
    let mut table = [0; 256];
    let mut n = 0;
    while n < 256 {
        let mut c = n as u32;
        let mut k = 0;
        while k < 8 {
            c = if c & 1 == 1 { c >> 1 ^ 0xedb8_8320 } else { c >> 1 };
            k += 1;
        }
        table[n] = c;
        n += 1;
    }
    table
};

#[derive(Clone, Copy, PartialEq)]
enum Op {
    Push(i32),
    Add,
    Mul,
    Swap,
    Jump { by: i8, when: bool },
}

static PROGRAM: [Op; 8] = [
    Op::Push(3),
    Op::Swap,
    Op::Mul,
    Op::Push(-7),
    Op::Add,
    Op::Jump { by: -3, when: true },
    Op::Push(1),
    Op::Add,
];

trait Constants {
    const ID: u32;
    const TABLE: &'static [u8];
}

struct A;
struct B;

impl Constants for A {
    const ID: u32 = 11;
    const TABLE: &'static [u8] = b"abc";
}

impl Constants for B {
    const ID: u32 = A::ID * 3 + 1;
    const TABLE: &'static [u8] = &[9, 8, 7, 6, 5];
}

fn total<T: Constants>(n: u8) -> u32 {
    T::TABLE.iter().fold(T::ID, |a, x| a * 7 + *x as u32) + T::TABLE[n as usize % T::TABLE.len()] as u32
}

difftest::diff! {
    tag tables;

    fn a_table_of_strings(at: u8, n: u8) -> (u32, u32, bool) {
        let name = NAMES[at as usize % NAMES.len()];
        let bytes = name.as_bytes();
        (name.len() as u32, bytes[n as usize % bytes.len()] as u32, name == "three")
    }

    fn a_table_of_numbers(at: u8) -> (u16, u32) {
        let at = at as usize % PRIMES.len();
        (PRIMES[at], PRIMES[..at].iter().map(|p| *p as u32).sum())
    }

    fn a_table_of_slices(at: u8, n: u8) -> (u32, u32, u32) {
        let list = LISTS[(at & 3) as usize];
        (list.len() as u32, list.get(n as usize & 7).copied().unwrap_or(77), list.iter().fold(0u32, |a, x| a.wrapping_add(*x)))
    }

    fn structs_that_point_to_structs(n: u8) -> (u32, u32, u32, f32) {
        let mut entry = &FIRST;
        let mut sum = 0;
        let mut letters = 0;
        for _ in 0..n & 3 {
            sum += entry.weights.iter().sum::<u32>();
            letters += entry.name.len() as u32;
            match entry.next {
                Some(next) => entry = next,
                None => break,
            }
        }
        (sum, letters, entry.name.as_bytes()[0] as u32, entry.scale)
    }

    fn pointers_into_another_table(at: u8) -> (u16, i32) {
        let place = INTERIOR[at as usize % 3];
        // SAFETY: the pointers of INTERIOR point into PRIMES.
        (*place, unsafe { (place as *const u16).offset_from(PRIMES.as_ptr()) } as i32)
    }

    fn a_table_of_tuples(at: u8) -> (u8, u64, u32) {
        let (a, b, c) = PAIRS[at as usize % 3];
        (a, b, c.len() as u32)
    }

    fn a_table_of_options(at: u8) -> (Option<u32>, u32) {
        (OPTIONS[(at & 3) as usize].copied(), OPTIONS.iter().flatten().count() as u32)
    }

    fn a_table_of_tables(a: u8, b: u8, c: u8) -> (u8, u32) {
        let (a, b, c) = ((a & 1) as usize, (b & 1) as usize, c as usize % 3);
        (NESTED[a][b][c], NESTED[a].iter().flatten().map(|x| *x as u32).sum())
    }

    fn tables_made_by_const_code(at: u8, v: [u8; 6]) -> (u32, u32) {
        let mut crc = !0u32;
        for byte in v {
            crc = crc >> 8 ^ CRC[((crc ^ byte as u32) & 0xff) as usize];
        }
        (SQUARES[(at & 15) as usize], !crc)
    }

    fn a_program_in_a_table(x: i32, y: i32) -> (i32, i32, u32) {
        let (mut top, mut under) = (x, y);
        let mut at = 0i32;
        let mut steps = 0;
        while (at as usize) < PROGRAM.len() && steps < 40 {
            steps += 1;
            at += 1;
            match PROGRAM[at as usize - 1] {
                Op::Push(n) => (top, under) = (n, top),
                Op::Add => top = top.wrapping_add(under),
                Op::Mul => top = top.wrapping_mul(under),
                Op::Swap => core::mem::swap(&mut top, &mut under),
                Op::Jump { by, when } => {
                    if (top & 1 == 0) == when {
                        at += by as i32;
                    }
                }
            }
        }
        (top, under, steps)
    }

    fn constants_of_traits(n: u8) -> (u32, u32) {
        (total::<A>(n), total::<B>(n))
    }

    fn promoted_references(n: u8) -> (u32, u32, u32) {
        let r: &'static [u32; 3] = &[10, 20, 30];
        let s: &[&[u8]] = &[&[1, 2], &[], &[3]];
        let t = match n & 3 {
            0 => &5u32,
            1 => &r[1],
            _ => &(7 * 6),
        };
        (r[n as usize % 3], s[n as usize % 3].len() as u32, *t)
    }

    fn byte_strings_and_characters(at: u8) -> (u8, u32, u32) {
        const DIGITS: &[u8; 16] = b"0123456789abcdef";
        const WORD: &str = "aé漢🦀";
        static CHARS: [char; 4] = ['a', 'é', '漢', '🦀'];
        (DIGITS[(at >> 4) as usize], CHARS[(at & 3) as usize] as u32, WORD.len() as u32 * CHARS.len() as u32)
    }

    fn floats_in_a_table(at: u8) -> (u32, f64) {
        static FLOATS: [f32; 6] = [0.0, -0.0, f32::INFINITY, 1e-45, f32::MAX, 0.1];
        const DOUBLES: [f64; 3] = [core::f64::consts::PI, -1e-310, 1.0 / 3.0];
        (FLOATS[at as usize % 6].to_bits(), DOUBLES[at as usize % 3])
    }

    fn wide_numbers_in_a_table(at: u8) -> (u128, i128) {
        static WIDE: [u128; 3] = [u128::MAX / 3, 1 << 100, 12_345_678_901_234_567_890_123_456_789];
        const SIGNED: [i128; 2] = [i128::MIN, -1];
        (WIDE[at as usize % 3], SIGNED[(at & 1) as usize])
    }

    fn a_table_searched_by_name(at: u8) -> (Option<u32>, Option<u32>) {
        let wanted = NAMES[at as usize % NAMES.len()];
        let found = NAMES.iter().position(|name| *name == wanted).map(|i| i as u32);
        let lookup = [("one", 1u32), ("three", 3), ("zero", 0)].iter().find(|(name, _)| *name == wanted).map(|(_, n)| *n);
        (found, lookup)
    }
}
