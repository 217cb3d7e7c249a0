//! Generics and traits, nested in themselves.

use core::fmt::Debug;
use core::marker::PhantomData;
use core::ops::{Add, Index, IndexMut, Mul, Neg, Sub};

trait Number: Copy + Add<Output = Self> + Mul<Output = Self> + Sub<Output = Self> + PartialOrd {
    const ZERO: Self;
    const ONE: Self;
    fn from_small(n: u8) -> Self;
    fn bits(self) -> u64;
}

macro_rules! number {
    ($($ty:ident),*) => {$(
        #[derive(Clone, Copy, PartialEq, PartialOrd)]
        struct $ty(inner::$ty);
        impl Add for $ty {
            type Output = Self;
            fn add(self, other: Self) -> Self { $ty(self.0.wrapping_add(other.0)) }
        }
        impl Sub for $ty {
            type Output = Self;
            fn sub(self, other: Self) -> Self { $ty(self.0.wrapping_sub(other.0)) }
        }
        impl Mul for $ty {
            type Output = Self;
            fn mul(self, other: Self) -> Self { $ty(self.0.wrapping_mul(other.0)) }
        }
        impl Number for $ty {
            const ZERO: Self = $ty(0);
            const ONE: Self = $ty(1);
            fn from_small(n: u8) -> Self { $ty(n as inner::$ty) }
            fn bits(self) -> u64 { self.0 as u64 }
        }
    )*};
}

mod inner {
    pub type W8 = u8;
    pub type W32 = i32;
    pub type W64 = u64;
}

number!(W8, W32, W64);

/// A complex number over any number, itself a number: so it can be nested.
#[derive(Clone, Copy, PartialEq, PartialOrd)]
struct Complex<T> {
    re: T,
    im: T,
}

impl<T: Number> Add for Complex<T> {
    type Output = Self;
    fn add(self, other: Self) -> Self {
        Complex { re: self.re + other.re, im: self.im + other.im }
    }
}

impl<T: Number> Sub for Complex<T> {
    type Output = Self;
    fn sub(self, other: Self) -> Self {
        Complex { re: self.re - other.re, im: self.im - other.im }
    }
}

impl<T: Number> Mul for Complex<T> {
    type Output = Self;
    fn mul(self, other: Self) -> Self {
        Complex { re: self.re * other.re - self.im * other.im, im: self.re * other.im + self.im * other.re }
    }
}

impl<T: Number> Neg for Complex<T> {
    type Output = Self;
    fn neg(self) -> Self {
        Complex { re: T::ZERO - self.re, im: T::ZERO - self.im }
    }
}

impl<T: Number> Number for Complex<T> {
    const ZERO: Self = Complex { re: T::ZERO, im: T::ZERO };
    const ONE: Self = Complex { re: T::ONE, im: T::ZERO };
    fn from_small(n: u8) -> Self {
        Complex { re: T::from_small(n), im: T::from_small(n / 3) }
    }
    fn bits(self) -> u64 {
        self.re.bits().rotate_left(9) ^ self.im.bits()
    }
}

fn power<T: Number>(x: T, n: u8) -> T {
    let mut result = T::ONE;
    for _ in 0..n {
        result = result * x;
    }
    result
}

#[inline(never)]
fn polynomial<T: Number, const N: usize>(coefficients: &[T; N], x: T) -> T {
    coefficients.iter().rev().fold(T::ZERO, |sum, c| sum * x + *c)
}

#[derive(Clone, Copy)]
struct Matrix<T, const R: usize, const C: usize>([[T; C]; R]);

impl<T: Number, const R: usize, const C: usize, const K: usize> Mul<Matrix<T, C, K>> for Matrix<T, R, C> {
    type Output = Matrix<T, R, K>;
    fn mul(self, other: Matrix<T, C, K>) -> Matrix<T, R, K> {
        let mut out = Matrix([[T::ZERO; K]; R]);
        for i in 0..R {
            for j in 0..K {
                for k in 0..C {
                    out[(i, j)] = out[(i, j)] + self[(i, k)] * other[(k, j)];
                }
            }
        }
        out
    }
}

impl<T, const R: usize, const C: usize> Index<(usize, usize)> for Matrix<T, R, C> {
    type Output = T;
    fn index(&self, (i, j): (usize, usize)) -> &T {
        &self.0[i][j]
    }
}

impl<T, const R: usize, const C: usize> IndexMut<(usize, usize)> for Matrix<T, R, C> {
    fn index_mut(&mut self, (i, j): (usize, usize)) -> &mut T {
        &mut self.0[i][j]
    }
}

trait Depth {
    const DEPTH: u32;
    fn value(&self) -> u32;
}

struct Leaf(u32);

struct Wrap<T> {
    tag: u8,
    inner: T,
}

impl Depth for Leaf {
    const DEPTH: u32 = 0;
    fn value(&self) -> u32 {
        self.0
    }
}

impl<T: Depth> Depth for Wrap<T> {
    const DEPTH: u32 = T::DEPTH + 1;
    fn value(&self) -> u32 {
        self.inner.value().wrapping_mul(31).wrapping_add(self.tag as u32 * Self::DEPTH)
    }
}

impl<T: Depth, U: Depth> Depth for (T, U) {
    const DEPTH: u32 = T::DEPTH * 10 + U::DEPTH;
    fn value(&self) -> u32 {
        self.0.value() ^ self.1.value().rotate_left(Self::DEPTH)
    }
}

impl<T: Depth> Depth for Option<T> {
    const DEPTH: u32 = T::DEPTH + 100;
    fn value(&self) -> u32 {
        self.as_ref().map_or(Self::DEPTH, T::value)
    }
}

impl<T: Depth + ?Sized> Depth for &T
where
    T: Sized,
{
    const DEPTH: u32 = T::DEPTH;
    fn value(&self) -> u32 {
        (**self).value() + 1
    }
}

trait Animal {
    fn legs(&self) -> u32 {
        4
    }
    fn name_length(&self) -> u32;
    fn both(&self) -> u32 {
        self.legs() * 100 + self.name_length()
    }
}

struct Dog;
struct Bird(u8);

impl Animal for Dog {
    fn name_length(&self) -> u32 {
        3
    }
}

impl Animal for Bird {
    fn legs(&self) -> u32 {
        2
    }
    fn name_length(&self) -> u32 {
        self.0 as u32
    }
}

struct Units<U> {
    value: i32,
    unit: PhantomData<U>,
}

trait Unit {
    const FACTOR: i32;
}

struct Metre;
struct Kilo<U>(PhantomData<U>);

impl Unit for Metre {
    const FACTOR: i32 = 1;
}

impl<U: Unit> Unit for Kilo<U> {
    const FACTOR: i32 = U::FACTOR * 1000;
}

impl<U: Unit> Units<U> {
    fn base(&self) -> i32 {
        self.value.wrapping_mul(U::FACTOR)
    }
    fn to<V: Unit>(&self) -> Units<V> {
        Units { value: self.base() / V::FACTOR, unit: PhantomData }
    }
}

trait Stack {
    type Item;
    fn push(&mut self, item: Self::Item) -> bool;
    fn pop(&mut self) -> Option<Self::Item>;
}

struct Fixed<T, const N: usize> {
    items: [T; N],
    length: usize,
}

impl<T: Copy, const N: usize> Stack for Fixed<T, N> {
    type Item = T;
    fn push(&mut self, item: T) -> bool {
        let Some(place) = self.items.get_mut(self.length) else { return false };
        *place = item;
        self.length += 1;
        true
    }
    fn pop(&mut self) -> Option<T> {
        self.length = self.length.checked_sub(1)?;
        Some(self.items[self.length])
    }
}

fn drain<S: Stack>(stack: &mut S, mut each: impl FnMut(S::Item)) -> u32
where
    S::Item: Debug,
{
    let mut count = 0;
    while let Some(item) = stack.pop() {
        each(item);
        count += 1;
    }
    count
}

difftest::diff! {
    tag generics;

    fn one_function_three_types(x: u8, n: u8) -> [u64; 3] {
        let n = n & 15;
        [power(W8(x), n).bits(), power(W32(x as i32 - 100), n).bits(), power(W64(x as u64 + 7), n).bits()]
    }

    fn complex_numbers(a: i32, b: i32, n: u8) -> u64 {
        power(Complex { re: W32(a), im: W32(b) }, n & 7).bits()
    }

    fn complex_numbers_of_complex_numbers(a: u8, b: u64, n: u8) -> (u64, u64) {
        let z = Complex { re: Complex { re: W64(b), im: W64(a as u64) }, im: Complex::from_small(a) };
        let w = Complex { re: z, im: -z };
        (power(z, n & 7).bits(), (power(w, n & 3) - w).bits())
    }

    fn polynomials_of_matrices_of_numbers(x: u8, c: [u8; 4]) -> (u64, u64) {
        let p = c.map(|c| Complex { re: W8(c), im: W8(c ^ 5) });
        let q = c.map(|c| W32(c as i32));
        (polynomial(&p, Complex { re: W8(x), im: W8(1) }).bits(), polynomial(&q, W32(x as i32)).bits())
    }

    fn matrices_of_const_sizes(a: [i32; 6], b: [i32; 6]) -> [u64; 4] {
        let m = Matrix([[W32(a[0]), W32(a[1]), W32(a[2])], [W32(a[3]), W32(a[4]), W32(a[5])]]);
        let n = Matrix([[W32(b[0]), W32(b[1])], [W32(b[2]), W32(b[3])], [W32(b[4]), W32(b[5])]]);
        let p = m * n;
        let q = p * p;
        [p[(0, 1)].bits(), q[(1, 0)].bits(), q[(1, 1)].bits(), (q * m)[(0, 2)].bits()]
    }

    fn wrapped_in_itself(x: u32, t: u8) -> (u32, u32) {
        let a = Wrap { tag: t, inner: Wrap { tag: 2, inner: Wrap { tag: 3, inner: Leaf(x) } } };
        let b = (Wrap { tag: t, inner: Leaf(1) }, Some(Wrap { tag: 9, inner: (Leaf(x), &Leaf(4)) }));
        (a.value(), b.value())
    }

    fn associated_constants_add_up(x: u8) -> [u32; 3] {
        fn depth<T: Depth>(_: &T) -> u32 {
            T::DEPTH
        }
        let a = Wrap { tag: x, inner: Some(Wrap { tag: x, inner: Leaf(0) }) };
        let none: Option<Wrap<Leaf>> = None;
        [depth(&a), depth(&(a, &none)), none.value() + x as u32]
    }

    fn default_methods(x: u8) -> [u32; 2] {
        fn ask<A: Animal>(a: &A) -> u32 {
            a.both()
        }
        [ask(&Dog), ask(&Bird(x))]
    }

    fn types_that_hold_no_data(x: i32) -> (i32, i32) {
        let m = Units::<Metre> { value: x, unit: PhantomData };
        let k: Units<Kilo<Metre>> = m.to();
        let mm: Units<Kilo<Kilo<Metre>>> = k.to();
        (k.value, mm.base())
    }

    fn stacks_with_associated_types(v: [u32; 6], n: u8) -> (u32, u32, u64) {
        let mut s = Fixed { items: [0u32; 4], length: 0 };
        let mut refused = 0;
        for x in v {
            refused += !s.push(x) as u32;
            if x & 3 == n as u32 & 3 {
                s.pop();
            }
        }
        let mut pairs = Fixed::<(u8, u64), 2> { items: [(0, 0); 2], length: 0 };
        pairs.push((n, 1 << 40));
        pairs.push((1, v[0] as u64));
        let mut mix = 0u64;
        let count = drain(&mut s, |x| mix = mix.wrapping_mul(31) ^ x as u64);
        drain(&mut pairs, |(a, b)| mix = mix.wrapping_add(a as u64).wrapping_mul(7) ^ b);
        (count, refused, mix)
    }

    fn conversions_by_traits(x: u8, c: char) -> (u64, f64, u32, i128) {
        struct Celsius(f64);
        struct Fahrenheit(f64);
        impl From<Celsius> for Fahrenheit {
            fn from(c: Celsius) -> Self {
                Fahrenheit(c.0 * 1.8 + 32.0)
            }
        }
        let f: Fahrenheit = Celsius(x as f64).into();
        (u64::from(x), f.0, u32::from(c), i128::from(x as i8))
    }

    fn operators_on_references_and_slices(a: [i32; 4], b: [i32; 4]) -> (i32, bool, i32) {
        struct V<'a>(&'a [i32]);
        impl Mul for &V<'_> {
            type Output = i32;
            fn mul(self, other: Self) -> i32 {
                self.0.iter().zip(other.0).fold(0, |s: i32, (x, y)| s.wrapping_add(x.wrapping_mul(*y)))
            }
        }
        impl PartialEq for V<'_> {
            fn eq(&self, other: &Self) -> bool {
                self.0[1..] == other.0[1..]
            }
        }
        let (v, w) = (V(&a), V(&b));
        (&v * &w, v == w, &v * &V(&a[..2]))
    }

    fn const_generic_expressions(v: [u32; 8], n: u8) -> (u32, u32) {
        fn blocks<const N: usize>(v: &[u32; 8]) -> u32 {
            let mut sum = 0u32;
            let mut i = 0;
            while i + N <= 8 {
                let block: [u32; N] = core::array::from_fn(|j| v[i + j]);
                sum = sum.wrapping_mul(N as u32 + 1).wrapping_add(block[N - 1] ^ block[0]);
                i += N;
            }
            sum
        }
        let r = match n & 3 {
            0 => blocks::<1>(&v),
            1 => blocks::<2>(&v),
            2 => blocks::<3>(&v),
            _ => blocks::<8>(&v),
        };
        (r, blocks::<4>(&v))
    }
}
