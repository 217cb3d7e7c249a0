//! Operations on all 32 lanes of a warp at once.
//!
//! An operation is a closure without captures; [`op1`], [`op2`] and so on make from it a function that loops over the
//! lanes, twice: once for any machine, once for one with AVX2 and FMA, and take the one that fits this machine. All lanes
//! are computed, and those of the mask are written, so an operation must be defined for any bits.

use crate::inst::{CONST_BIT, Inst};
use std::marker::PhantomData;

/// Where the operands of an instruction are.
#[derive(Clone, Copy)]
pub(crate) struct Rows {
    /// The frame.
    pub regs: *mut u8,
    /// The constants of the program.
    pub consts: *const u8,
    /// Lanes that execute.
    pub mask: u32,
}

/// # Safety
/// The operands of the instruction are rows of the frame or the constants that `Rows` points to, of the width that the
/// operation was made for.
pub(crate) type LaneFn = unsafe fn(&Rows, &Inst);

impl Rows {
    /// The address of an operand.
    ///
    /// # Safety
    /// `operand` is a row of the frame or the constants.
    #[inline(always)]
    pub unsafe fn at(&self, operand: u32) -> *mut u8 {
        let base = if operand & CONST_BIT != 0 {
            self.consts as *mut u8
        } else {
            self.regs
        };
        // SAFETY: the caller's promise.
        unsafe { base.add((operand & !CONST_BIT) as usize) }
    }

    /// # Safety
    /// As `at`, and the row holds values of `T`.
    #[inline(always)]
    pub unsafe fn get<T: Copy>(&self, operand: u32) -> [T; 32] {
        // SAFETY: the caller's promise; rows are aligned to 64 bytes.
        unsafe { *(self.at(operand) as *const [T; 32]) }
    }

    /// Writes the lanes of the mask.
    ///
    /// # Safety
    /// As `get`, and the row is one of the frame.
    #[inline(always)]
    pub unsafe fn put<T: Copy>(&self, operand: u32, values: [T; 32]) {
        // SAFETY: the caller's promise; no reference into the frame is alive.
        unsafe {
            let row = self.at(operand) as *mut [T; 32];
            if self.mask == u32::MAX {
                *row = values;
            } else {
                let row = &mut *row;
                for l in 0..32 {
                    if self.mask >> l & 1 != 0 {
                        row[l] = values[l];
                    }
                }
            }
        }
    }

    /// A predicate.
    ///
    /// # Safety
    /// As `at`.
    #[inline(always)]
    pub unsafe fn bits(&self, operand: u32) -> u32 {
        // SAFETY: the caller's promise.
        unsafe { *(self.at(operand) as *const u32) }
    }

    /// Writes the lanes of the mask of a predicate.
    ///
    /// # Safety
    /// As `put`.
    #[inline(always)]
    pub unsafe fn put_bits(&self, operand: u32, bits: u32) {
        // SAFETY: the caller's promise.
        unsafe {
            let row = self.at(operand) as *mut u32;
            *row = *row & !self.mask | bits & self.mask;
        }
    }

    /// One lane of a row of any width, as raw bits; 0 for `NONE`.
    ///
    /// # Safety
    /// As `at`.
    #[inline(always)]
    pub unsafe fn lane(&self, operand: u32, width: u8, lane: usize) -> u64 {
        if operand == crate::inst::NONE {
            return 0;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let p = self.at(operand);
            match width {
                0 => u64::from(*(p as *const u32) >> lane & 1),
                1 => u64::from(*p.add(lane)),
                2 => u64::from(*(p as *const u16).add(lane)),
                4 => u64::from(*(p as *const u32).add(lane)),
                _ => *(p as *const u64).add(lane * (width as usize / 8)),
            }
        }
    }

    /// Writes one lane of a row of any width up to 8 bytes, whatever the mask; nothing for `NONE`.
    ///
    /// # Safety
    /// As `put`.
    #[inline(always)]
    pub unsafe fn put_lane(&self, operand: u32, width: u8, lane: usize, value: u64) {
        if operand == crate::inst::NONE {
            return;
        }
        // SAFETY: the caller's promise.
        unsafe {
            let p = self.at(operand);
            match width {
                0 => {
                    let p = p as *mut u32;
                    *p = *p & !(1 << lane) | ((value & 1) as u32) << lane;
                }
                1 => *p.add(lane) = value as u8,
                2 => *(p as *mut u16).add(lane) = value as u16,
                4 => *(p as *mut u32).add(lane) = value as u32,
                8 => *(p as *mut u64).add(lane) = value,
                _ => {
                    let p = (p as *mut u64).add(lane * 2);
                    *p = value;
                    *p.add(1) = 0;
                }
            }
        }
    }
}

/// Conjures the closure that a generic function was made for.
///
/// # Safety
/// A value of `F` was handed to the function that made the [`LaneFn`].
#[inline(always)]
unsafe fn conjure<F: Copy>() -> F {
    const { assert!(size_of::<F>() == 0, "an operation must not capture") };
    // SAFETY: `F` has no bytes, and the caller's promise says that a value of it exists and may be copied.
    unsafe { std::ptr::dangling::<F>().read() }
}

/// Whether this machine has what the second form of each operation needs.
pub(crate) fn fast_machine() -> bool {
    #[cfg(target_arch = "x86_64")]
    {
        use std::sync::OnceLock;
        static FAST: OnceLock<bool> = OnceLock::new();
        *FAST.get_or_init(|| {
            is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("fma")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt")
        })
    }
    #[cfg(not(target_arch = "x86_64"))]
    false
}

/// Makes the two forms of a loop and the function that picks one.
macro_rules! forms {
    ($name:ident, $body:ident, $wide:ident, $plain:ident, [$($g:ident),*], ($($p:ty),*) -> $r:ty, |$c:ident, $i:ident, $op:ident| $code:block) => {
        #[inline(always)]
        unsafe fn $body<$($g: Copy + Default,)* F: Fn($($p),*) -> $r + Copy>($c: &Rows, $i: &Inst) {
            // SAFETY: `$name` was given an `F`; the operands are rows of the right width, by the contract of `LaneFn`.
            unsafe {
                let $op = conjure::<F>();
                $code
            }
        }
        #[cfg(target_arch = "x86_64")]
        #[target_feature(enable = "avx2,fma,bmi1,bmi2,lzcnt,popcnt")]
        unsafe fn $wide<$($g: Copy + Default,)* F: Fn($($p),*) -> $r + Copy>(c: &Rows, i: &Inst) {
            // SAFETY: the same contract.
            unsafe { $body::<$($g,)* F>(c, i) }
        }
        unsafe fn $plain<$($g: Copy + Default,)* F: Fn($($p),*) -> $r + Copy>(c: &Rows, i: &Inst) {
            // SAFETY: the same contract.
            unsafe { $body::<$($g,)* F>(c, i) }
        }
        /// Makes a function over lanes from one over values.
        pub(crate) fn $name<$($g: Copy + Default,)* F: Fn($($p),*) -> $r + Copy>(_: F) -> LaneFn {
            #[cfg(target_arch = "x86_64")]
            if fast_machine() {
                // A function with target features is made an ordinary one behind a pointer: the machine has them.
                return $wide::<$($g,)* F> as LaneFn;
            }
            $plain::<$($g,)* F>
        }
    };
}

forms!(op1, body1, wide1, plain1, [A, D], (A) -> D, |c, i, f| {
    let a = c.get::<A>(i.a);
    let mut d = [D::default(); 32];
    for l in 0..32 {
        d[l] = f(a[l]);
    }
    c.put(i.d, d);
});

forms!(op2, body2, wide2, plain2, [A, B, D], (A, B) -> D, |c, i, f| {
    let a = c.get::<A>(i.a);
    let b = c.get::<B>(i.b);
    let mut d = [D::default(); 32];
    for l in 0..32 {
        d[l] = f(a[l], b[l]);
    }
    c.put(i.d, d);
});

forms!(op3, body3, wide3, plain3, [A, B, C, D], (A, B, C) -> D, |c, i, f| {
    let a = c.get::<A>(i.a);
    let b = c.get::<B>(i.b);
    let e = c.get::<C>(i.c);
    let mut d = [D::default(); 32];
    for l in 0..32 {
        d[l] = f(a[l], b[l], e[l]);
    }
    c.put(i.d, d);
});

// A comparison. `x` says how its result joins the predicate `c`: 0 not at all, 1 and, 2 or, 3 xor; 4 negates `c` first.
forms!(compare, body_compare, wide_compare, plain_compare, [A], (A, A) -> bool, |c, i, f| {
    let a = c.get::<A>(i.a);
    let b = c.get::<A>(i.b);
    let mut yes = [0u8; 32];
    for l in 0..32 {
        yes[l] = f(a[l], b[l]) as u8;
    }
    let mut bits = 0u32;
    for (k, part) in yes.chunks_exact(8).enumerate() {
        // Eight bytes of 0 and 1 to eight bits.
        let word = u64::from_le_bytes([part[0], part[1], part[2], part[3], part[4], part[5], part[6], part[7]]);
        bits |= ((word.wrapping_mul(0x0102_0408_1020_4080) >> 56) as u32) << (8 * k);
    }
    let mut not = !bits;
    if i.x != 0 {
        let p = c.bits(i.c) ^ if i.x & 4 != 0 { u32::MAX } else { 0 };
        let join = |v: u32| match i.x & 3 {
            0 => v,
            1 => v & p,
            2 => v | p,
            _ => v ^ p,
        };
        (bits, not) = (join(bits), join(not));
    }
    if i.d != crate::inst::NONE {
        c.put_bits(i.d, bits);
    }
    if i.d2 != crate::inst::NONE {
        c.put_bits(i.d2, not);
    }
});

// `c ? a : b` with a predicate.
forms!(select_form, body_select, wide_select, plain_select, [A], (A) -> A, |c, i, f| {
    let a = c.get::<A>(i.a);
    let b = c.get::<A>(i.b);
    let p = c.bits(i.c);
    let mut d = [A::default(); 32];
    for l in 0..32 {
        d[l] = f(if p >> l & 1 != 0 { a[l] } else { b[l] });
    }
    c.put(i.d, d);
});

/// `selp` on values of `A`.
pub(crate) fn select<A: Copy + Default>(_: PhantomData<A>) -> LaneFn {
    select_form::<A, _>(|a: A| a)
}

/// Logic on predicates: from the bits of `a`, `b`, `c` to those of `d`.
pub(crate) fn predicates<F: Fn(u32, u32, u32) -> u32 + Copy>(_: F) -> LaneFn {
    unsafe fn run<F: Fn(u32, u32, u32) -> u32 + Copy>(c: &Rows, i: &Inst) {
        // SAFETY: `predicates` was given an `F`; the operands are predicates, by the contract of `LaneFn`.
        unsafe {
            let get = |o| if o == crate::inst::NONE { 0 } else { c.bits(o) };
            let value = conjure::<F>()(get(i.a), get(i.b), get(i.c));
            c.put_bits(i.d, value);
        }
    }
    run::<F>
}
