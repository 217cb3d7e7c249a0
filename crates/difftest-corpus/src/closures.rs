//! Closures: what they capture, how they are passed, what they return.

fn apply<F: Fn(u32) -> u32>(f: F, x: u32) -> u32 {
    f(x)
}

#[inline(never)]
fn apply_far<F: Fn(u32) -> u32>(f: &F, x: u32) -> u32 {
    f(f(x))
}

fn compose<A, B, C>(f: impl Fn(A) -> B, g: impl Fn(B) -> C) -> impl Fn(A) -> C {
    move |x| g(f(x))
}

fn adder(n: u32) -> impl Fn(u32) -> u32 + Copy {
    move |x| x.wrapping_add(n)
}

fn repeat(n: u8, mut f: impl FnMut(u8)) {
    for i in 0..n {
        f(i);
    }
}

fn curried(a: u32) -> impl Fn(u32) -> Box3 {
    move |b| Box3 { a, b, c: a ^ b }
}

struct Box3 {
    a: u32,
    b: u32,
    c: u32,
}

struct Holder<F> {
    before: u8,
    f: F,
    after: u64,
}

impl<F: Fn(u64) -> u64> Holder<F> {
    fn call(&self, x: u64) -> u64 {
        (self.f)(x ^ self.before as u64).wrapping_add(self.after)
    }
}

#[inline(never)]
fn double(x: u32) -> u32 {
    x.wrapping_mul(2)
}

difftest::diff! {
    tag closures;

    fn captured_by_value_and_by_reference(x: u32, y: u32) -> (u32, u32) {
        let mut total = y;
        let by_value = move |n: u32| n.wrapping_mul(x);
        let mut by_reference = |n: u32| total = total.wrapping_add(n);
        by_reference(by_value(3));
        by_reference(by_value(y));
        (total, by_value(total))
    }

    fn captured_array(v: [u32; 6], at: u8) -> (u32, u32) {
        let pick = move |i: usize| v[i % 6];
        (pick(at as usize), apply(move |x| x ^ v[5], v[0]))
    }

    fn captured_array_changed(v: [u32; 6], at: u8) -> ([u32; 6], u32) {
        let mut v = v;
        let mut set = |i: u8, x: u32| v[(i % 6) as usize] = x;
        set(at, 5);
        set(at.wrapping_add(1), 6);
        let mut own = v;
        let mut next = move || {
            own.rotate_left(1);
            own[0]
        };
        let a = next();
        (v, a ^ next().rotate_left(8))
    }

    fn captured_mixed_sizes(a: u8, b: u64, c: u16, d: bool) -> u64 {
        let f = move |x: u64| (a as u64).wrapping_mul(x) ^ b.wrapping_add(c as u64) ^ d as u64;
        let holder = Holder { before: a, f, after: b };
        holder.call(c as u64)
    }

    fn disjoint_fields_are_captured_alone(x: u32, y: u32) -> (u32, u32, u32) {
        let mut b = Box3 { a: x, b: y, c: 0 };
        {
            let a = &b.a;
            let mut f = |n: u32| b.c = b.b.wrapping_add(n).wrapping_add(*a);
            f(1);
            f(2);
        }
        (b.a, b.b, b.c)
    }

    fn composed(x: u32, y: u32) -> (u32, u64, u32) {
        let f = compose(adder(y), |n| n.rotate_left(3));
        let g = compose(&f, |n| n as u64 * 3);
        (f(x), g(x), apply_far(&f, y))
    }

    fn a_closure_in_a_closure_in_a_closure(x: u32, y: u32, z: u32) -> u32 {
        let outer = |a: u32| {
            let middle = move |b: u32| {
                let inner = move |c: u32| a.wrapping_mul(b).wrapping_add(c) ^ x;
                inner(y).wrapping_add(inner(z))
            };
            middle(y) ^ middle(a)
        };
        outer(z)
    }

    fn returned_closures(x: u32, y: u32) -> [u32; 4] {
        let f = curried(x);
        let Box3 { a, b, c } = f(y);
        [a, b, c, adder(x)(adder(y)(1))]
    }

    fn a_mutable_closure_in_a_loop(n: u8, x: u32) -> (u32, u8) {
        let mut acc = x;
        let mut last = 255;
        repeat(n & 15, |i| {
            acc = acc.wrapping_mul(31).wrapping_add(i as u32);
            if i % 3 == 0 {
                last = i;
            }
        });
        (acc, last)
    }

    fn functions_as_closures(x: u32, v: [u32; 3]) -> (u32, [u32; 3], Option<u32>, u32) {
        (apply(double, x), v.map(double), Some(x).map(u32::swap_bytes), apply_far(&double, x))
    }

    fn function_pointers(x: u32, which: u8) -> (u32, u32) {
        fn triple(x: u32) -> u32 {
            x.wrapping_mul(3)
        }
        let f: fn(u32) -> u32 = match which % 3 {
            0 => double,
            1 => triple,
            _ => |x| !x,
        };
        let all: [fn(u32) -> u32; 2] = [triple, double];
        (f(x), all[(which & 1) as usize](x))
    }

    fn an_array_of_results_of_closures(x: u32, at: u8) -> u32 {
        let make = |i: usize| move |y: u32| y.rotate_left(i as u32) ^ x;
        let all = [make(1), make(5), make(31)];
        all.iter().fold(0u32, |a, f| a.wrapping_mul(3).wrapping_add(f(a))) ^ all[at as usize % 3](x)
    }

    fn closures_with_references_to_locals(v: [i32; 5], low: i32, high: i32) -> (i32, u32) {
        let within = |x: &&i32| **x >= low && **x <= high;
        let sum = v.iter().filter(within).fold(0i32, |a, x| a.wrapping_add(*x));
        let count = v.iter().filter(within).count();
        (sum, count as u32)
    }

    fn closures_over_generic_captures(x: u8, y: i64) -> (u64, u64) {
        fn both<T: Copy, U: Copy>(t: T, u: U, f: impl Fn(T, U) -> u64) -> impl Fn() -> u64 {
            move || f(t, u).wrapping_mul(2) ^ f(t, u)
        }
        let f = both(x, y, |a, b| a as u64 + b as u64 % 1000);
        let g = both([x; 3], (y, x), |a, b| a[1] as u64 ^ b.0 as u64 ^ b.1 as u64);
        (f(), g())
    }

    fn a_closure_that_captures_nothing_by_name(x: u32) -> u32 {
        let f = |a: u32, b: u32| a.max(b) - a.min(b);
        let g = f;
        f(x, 100) ^ g(100, x).rotate_left(16)
    }

    fn recursion_through_a_reference(n: u8) -> u32 {
        struct Fix<'a> {
            f: &'a dyn Fn(&Fix, u32) -> u32,
        }
        let fix = Fix { f: &|fix, n| if n < 2 { n } else { (fix.f)(fix, n - 1) + (fix.f)(fix, n - 2) } };
        (fix.f)(&fix, (n % 9) as u32)
    }
}
