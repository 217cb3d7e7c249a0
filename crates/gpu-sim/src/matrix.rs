//! Matrices whose elements lie spread over the lanes of a warp: `mma.sync`, `ldmatrix`, `stmatrix`.
//!
//! With `g = lane / 4` and `t = lane % 4`, register `r` of a fragment holds `e` elements of a row or column side by side:
//! `A[g + 8 (r % 2)][t e + i + 4 e (r / 2)]`, `B[t e + i + 4 e r][g]`, and of C and D, element `i` of all of a lane's,
//! `[g + 8 (i / 2)][2 t + i % 2]`. Where A has eight rows, `r % 2` is 0. Source: the figures of the PTX ISA, chapter on
//! `mma`.
//!
//! Products are exact, their sum with C is rounded once for every result of `f32` and `f16`; a GPU's tensor cores cut bits
//! off between, so the last bits of a result differ. Integer results are exact, and `f64` ones are sums of fused
//! operations in the order of k.

use crate::access::{Place, addresses, locate};
use crate::error::{AccessKind, Fault};
use crate::float::{BF16, F16, Rounding, canonical};
use crate::inst::*;
use crate::lanes::Rows;
use crate::launch::Env;

/// The type of an element in a register.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Element {
    F16,
    Bf16,
    Tf32,
    F32,
    F64,
    S8,
    U8,
    S32,
}

impl Element {
    /// Bits.
    pub fn bits(self) -> u32 {
        match self {
            Element::S8 | Element::U8 => 8,
            Element::F16 | Element::Bf16 => 16,
            Element::Tf32 | Element::F32 | Element::S32 => 32,
            Element::F64 => 64,
        }
    }

    /// Bytes of a register that holds it, and how many it holds.
    pub fn register(self) -> (Width, u32) {
        match self {
            Element::F64 => (8, 1),
            e => (4, 32 / e.bits()),
        }
    }

    /// The value of the bits; integers are small enough to be exact.
    fn value(self, bits: u64) -> f64 {
        match self {
            Element::F16 => F16.to_f64(bits & 0xffff),
            Element::Bf16 => BF16.to_f64(bits & 0xffff),
            // The lowest 13 bits are not read.
            Element::Tf32 => f32::from_bits(bits as u32 & !0x1fff).into(),
            Element::F32 => f32::from_bits(bits as u32).into(),
            Element::F64 => f64::from_bits(bits),
            Element::S8 => f64::from(bits as i8),
            Element::U8 => f64::from(bits as u8),
            Element::S32 => f64::from(bits as i32),
        }
    }
}

/// A matrix instruction.
#[derive(Clone, Debug)]
pub(crate) enum Matrix {
    /// D = A B + C.
    Multiply {
        m: usize,
        n: usize,
        k: usize,
        a: Element,
        b: Element,
        /// Of C and D.
        c: Element,
        d: Element,
        /// Integer sums stop at the ends of their range.
        saturate: bool,
        registers: [Vec<u32>; 4],
    },
    /// 8 × 8 matrices of 16-bit elements, from shared memory or to it; each row's address comes from a lane.
    Move {
        store: bool,
        transposed: bool,
        registers: Vec<u32>,
        /// The address; of it space, base and offset count.
        mem: Mem,
    },
}

/// Reads element `i` of a lane's registers.
///
/// # Safety
/// The registers are rows of the frame, as wide as the element's registers.
unsafe fn element(rows: &Rows, regs: &[u32], e: Element, lane: usize, i: usize) -> u64 {
    let (width, each) = e.register();
    // SAFETY: the caller's promise.
    let word = unsafe { rows.lane(regs[i / each as usize], width, lane) };
    if e.bits() == 64 {
        return word;
    }
    word >> (i as u32 % each * e.bits()) & ((1 << e.bits()) - 1)
}

/// Where element `i` of C and D stands.
fn place_of_result(lane: usize, i: usize) -> (usize, usize) {
    (lane / 4 + 8 * (i / 2), lane % 4 * 2 + i % 2)
}

pub(crate) fn execute(
    env: &mut Env<'_>,
    rows: &Rows,
    place: &Place,
    matrix: &Matrix,
) -> Result<(), (Fault, u32)> {
    match matrix {
        Matrix::Multiply { .. } => {
            multiply(rows, matrix);
            Ok(())
        }
        Matrix::Move {
            store,
            transposed,
            registers,
            mem,
        } => transfer(env, rows, place, *store, *transposed, registers, mem),
    }
}

fn multiply(rows: &Rows, matrix: &Matrix) {
    let Matrix::Multiply {
        m,
        n,
        k,
        a,
        b,
        c,
        d,
        saturate,
        registers: [rd, ra, rb, rc],
    } = matrix
    else {
        return;
    };
    let (m, n, k) = (*m, *n, *k);
    let (mut left, mut right) = (vec![0f64; m * k], vec![0f64; k * n]);
    let row_halves = m / 8;
    for lane in 0..32 {
        let (g, t) = (lane / 4, lane % 4);
        let e = a.register().1 as usize;
        for i in 0..ra.len() * e {
            let (r, j) = (i / e, i % e);
            let (row, col) = (
                g + 8 * (r % row_halves),
                t * e + j + 4 * e * (r / row_halves),
            );
            // SAFETY: the decoder made the instruction for the rows of this frame.
            left[row * k + col] = a.value(unsafe { element(rows, ra, *a, lane, i) });
        }
        let e = b.register().1 as usize;
        for i in 0..rb.len() * e {
            let row = t * e + i % e + 4 * e * (i / e);
            // SAFETY: as above.
            right[row * n + g] = b.value(unsafe { element(rows, rb, *b, lane, i) });
        }
    }
    let mut results = [[0u64; 8]; 32];
    let count = m * n / 32;
    for (lane, results) in results.iter_mut().enumerate() {
        for (i, result) in results[..count].iter_mut().enumerate() {
            let (row, col) = place_of_result(lane, i);
            // SAFETY: as above.
            let c = c.value(unsafe { element(rows, rc, *c, lane, i) });
            let pairs = (0..k).map(|j| (left[row * k + j], right[j * n + col]));
            *result = match d {
                Element::F64 => pairs.fold(c, |s, (x, y)| x.mul_add(y, s)).to_bits(),
                Element::S32 => {
                    let sum = c as i64 + pairs.map(|(x, y)| (x * y) as i64).sum::<i64>();
                    if *saturate {
                        sum.clamp(i32::MIN.into(), i32::MAX.into()) as u64 & 0xffff_ffff
                    } else {
                        sum as u64 & 0xffff_ffff
                    }
                }
                Element::F16 => F16.round(sum(c, pairs), Rounding::Rn),
                _ => canonical(sum(c, pairs) as f32).to_bits().into(),
            };
        }
    }
    let (width, each) = d.register();
    for lane in (0..32usize).filter(|l| rows.mask >> l & 1 != 0) {
        for (r, reg) in rd.iter().enumerate() {
            let mut word = 0;
            for j in 0..each as usize {
                word |= results[lane][r * each as usize + j] << (j as u32 * d.bits() % 64);
            }
            // SAFETY: as above; the results are rows of the frame.
            unsafe { rows.put_lane(*reg, width, lane, word) };
        }
    }
}

/// The sum with a second word for what additions lose: exact but for the last of more than a hundred bits.
fn sum(c: f64, pairs: impl Iterator<Item = (f64, f64)>) -> f64 {
    let (mut high, mut low) = (c, 0.0);
    for (x, y) in pairs {
        // Products of 24-bit factors are exact in `f64`.
        let p = x * y;
        let s = high + p;
        let back = s - high;
        low += (high - (s - back)) + (p - back);
        high = s;
    }
    // Of infinities and NaNs the error terms are NaN.
    if low.is_finite() { high + low } else { high }
}

fn transfer(
    env: &mut Env<'_>,
    rows: &Rows,
    place: &Place,
    store: bool,
    transposed: bool,
    registers: &[u32],
    mem: &Mem,
) -> Result<(), (Fault, u32)> {
    let address = addresses(rows, mem);
    let kind = if store {
        AccessKind::Store
    } else {
        AccessKind::Load
    };
    for (k, reg) in registers.iter().enumerate() {
        let mut at = [std::ptr::null_mut::<u16>(); 8];
        for (row, at) in at.iter_mut().enumerate() {
            let lane = 8 * k + row;
            let p = locate(env, place, mem.space, address[lane], 16, kind, lane as u32);
            *at = p.map_err(|f| (f, lane as u32))?.cast();
        }
        for lane in (0..32usize).filter(|l| rows.mask >> l & 1 != 0) {
            let (g, t) = (lane / 4, lane % 4);
            let cells = [0, 1].map(|j| {
                if transposed {
                    (2 * t + j, g)
                } else {
                    (g, 2 * t + j)
                }
            });
            // SAFETY: `locate` has checked eight elements of each row; the register is a row of the frame.
            unsafe {
                if store {
                    let word = rows.lane(*reg, 4, lane);
                    for (j, (row, col)) in cells.into_iter().enumerate() {
                        at[row].add(col).write((word >> (16 * j)) as u16);
                    }
                } else {
                    let [low, high] = cells.map(|(row, col)| u64::from(at[row].add(col).read()));
                    rows.put_lane(*reg, 4, lane, low | high << 16);
                }
            }
        }
    }
    Ok(())
}
