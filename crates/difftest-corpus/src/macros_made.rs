//! Impls, functions, closures and kernels that macros made: several items with one source position.

trait Go {
    const ID: u32;
    fn go(self, x: u32) -> u32;
    fn id(&self) -> u32 {
        Self::ID
    }
}

macro_rules! go {
    ($($ty:ty => $id:literal, $op:expr);* $(;)?) => {$(
        impl Go for $ty {
            const ID: u32 = $id;
            fn go(self, x: u32) -> u32 {
                let f: fn($ty, u32) -> u32 = $op;
                f(self, x)
            }
        }
    )*};
}

go! {
    u8 => 1, |a, x| x.wrapping_add(a as u32);
    i8 => 2, |a, x| x.wrapping_mul(a as u32);
    u16 => 3, |a, x| x ^ a as u32;
    i16 => 4, |a, x| x.wrapping_sub(a as u32);
    bool => 5, |a, x| if a { !x } else { x };
    char => 6, |a, x| x.rotate_left(a as u32 & 31);
    (u8, u8) => 7, |(a, b), x| x.wrapping_mul(a as u32 + 1) ^ b as u32;
    [u8; 3] => 8, |a, x| x.wrapping_add(a[0] as u32) ^ (a[2] as u32) << 8;
}

macro_rules! functions {
    ($($name:ident $n:literal)*) => {$(
        fn $name(x: u32) -> u32 {
            let step = |y: u32| y.wrapping_mul($n).wrapping_add(x);
            step(step(x))
        }
    )*};
}

functions!(by_three 3 by_five 5 by_seven 7);

macro_rules! pair_of_closures {
    ($a:expr, $b:expr) => {
        (move |x: u32| x.wrapping_add($a), move |x: u32| x.wrapping_mul($b))
    };
}

macro_rules! twice {
    ($e:expr) => {{
        let f = || $e;
        f() ^ f().rotate_left(1)
    }};
}

macro_rules! kinds {
    ($name:ident { $($variant:ident = $weight:literal),* $(,)? }) => {
        #[derive(Clone, Copy, PartialEq, Eq)]
        enum $name { $($variant(u16)),* }
        impl $name {
            const ALL: &'static [&'static str] = &[$(stringify!($variant)),*];
            fn weight(self) -> u32 {
                match self { $($name::$variant(n) => $weight * n as u32),* }
            }
            fn at(i: usize, n: u16) -> Self {
                let all = [$($name::$variant(n)),*];
                all[i % all.len()]
            }
        }
    };
}

kinds!(Kind { Stone = 7, Paper = 2, Knife = 5, Well = 11 });
kinds!(Other { Round = 3, Square = 4 });

macro_rules! count {
    () => { 0u32 };
    ($head:tt $($tail:tt)*) => { 1u32 + count!($($tail)*) };
}

macro_rules! largest {
    ($x:expr) => { $x };
    ($x:expr, $($rest:expr),+) => {{
        let (x, y) = ($x, largest!($($rest),+));
        if x > y { x } else { y }
    }};
}

macro_rules! nested_impls {
    ($($ty:ident($inner:ty)),*) => {$(
        struct $ty($inner);
        impl core::ops::Deref for $ty {
            type Target = $inner;
            fn deref(&self) -> &$inner { &self.0 }
        }
        impl Drop for $ty {
            fn drop(&mut self) { self.0 = Default::default(); }
        }
    )*};
}

nested_impls!(Wide(u64), Narrow(u8), Real(f32));

fn all<A: Go, B: Go>(a: A, b: B, x: u32) -> u32 {
    let (i, j) = (a.id(), b.id());
    a.go(b.go(x)).wrapping_mul(i * 10 + j)
}

difftest::diff! {
    tag macros;

    fn one_impl_for_each_type(a: u16, c: char, b: bool, x: u32) -> [u32; 4] {
        [all(a as u8, a as i8, x), all(a, a as i16, x), all(b, c, x), all((a as u8, 3u8), [1u8, 2, a as u8], x)]
    }

    fn impls_of_one_macro_called_directly(a: u8, x: u32) -> [u32; 4] {
        [a.go(x), (a as i8).go(x), Go::go(a as u16, x), <i16 as Go>::go(a as i16, x)]
    }

    fn functions_of_one_macro(x: u32) -> [u32; 3] {
        [by_three(x), by_five(x), by_seven(x)]
    }

    fn closures_of_one_macro(x: u32, a: u32, b: u32) -> [u32; 4] {
        let (f, g) = pair_of_closures!(a, b);
        let (h, i) = pair_of_closures!(b, a);
        [f(g(x)), g(f(x)), h(i(x)), i(f(h(x)))]
    }

    fn closures_over_their_expression(x: u32, v: [u8; 4]) -> [u32; 3] {
        [twice!(x.wrapping_mul(3)), twice!(v[1] as u32 + v[2] as u32), twice!(twice!(x ^ v[0] as u32))]
    }

    fn enums_of_one_macro(i: u8, n: u16) -> (u32, u32, u32, bool) {
        let (k, o) = (Kind::at(i as usize, n), Other::at(i as usize, n));
        (k.weight(), o.weight(), Kind::ALL[i as usize & 3].len() as u32 * 10 + Other::ALL.len() as u32, k == Kind::Paper(n))
    }

    fn recursive_macros(a: i32, b: i32, c: i32) -> (u32, i32, i32) {
        (count!(a b c (d e) [f] {g}), largest!(a, b, c), largest!(a))
    }

    fn hygiene(x: u32) -> u32 {
        macro_rules! add_to {
            ($y:ident, $e:expr) => {
                let x = 1000u32;
                $y = $y.wrapping_add($e).wrapping_add(x);
            };
        }
        let mut y = x;
        add_to!(y, x);
        add_to!(y, x ^ y);
        y
    }

    fn drops_and_derefs_of_one_macro(a: u64, b: f32) -> (u64, u8, f32, u32) {
        let (w, n, r) = (Wide(a), Narrow(a as u8), Real(b));
        (w.rotate_left(4), n.wrapping_neg(), r.abs(), w.count_ones())
    }

    fn arrays_of_closures_results_by_macro(x: u32) -> [u32; 4] {
        macro_rules! each {
            ($($op:tt)*) => { [$((|a: u32, b: u32| a $op (b & 7 | 1))(x, x >> 3)),*] };
        }
        each!(/ % ^ &)
    }

    fn matches_made_by_macro(x: u8) -> (u32, bool) {
        macro_rules! ranges {
            ($x:expr; $($low:literal..=$high:literal => $value:literal),*) => {
                match $x { $($low..=$high => $value,)* _ => 0 }
            };
        }
        (ranges!(x; 0..=9 => 1, 10..=10 => 2, 11..=99 => 3, 100..=254 => 4), matches!(x, 1 | 3 | 5..=8 | 200..))
    }
}
