//! Warp-wide operations, once all their lanes have come.

use crate::inst::*;
use crate::lanes::Rows;

/// Executes a `*.sync` instruction for the lanes of `rows.mask`, which are all the members that still live.
pub(crate) fn execute(rows: &Rows, inst: &Inst) {
    let active = rows.mask;
    let lanes = || (0..32u32).filter(move |l| active >> l & 1 != 0);
    // SAFETY (all blocks below): the decoder made the instruction for the rows of this frame, with these widths.
    match &inst.op {
        Op::Shuffle(kind) => {
            let (values, b, clamp): ([u32; 32], [u32; 32], [u32; 32]) =
                // SAFETY: see above.
                unsafe { (rows.get(inst.a), rows.get(inst.b), rows.get(inst.x)) };
            let (mut d, mut p) = ([0; 32], 0u32);
            for l in lanes() {
                let i = l as usize;
                let (bval, cval, segment) = (b[i] & 31, clamp[i] & 31, clamp[i] >> 8 & 31);
                let max = (l & segment) | (cval & !segment);
                let min = l & segment;
                let (j, valid) = match kind {
                    ShuffleKind::Up => {
                        let j = l as i32 - bval as i32;
                        (j, j >= max as i32)
                    }
                    ShuffleKind::Down => ((l + bval) as i32, l + bval <= max),
                    ShuffleKind::Bfly => ((l ^ bval) as i32, (l ^ bval) <= max),
                    ShuffleKind::Idx => {
                        let j = min | bval & !segment;
                        (j as i32, j <= max)
                    }
                };
                let j = if valid { j as u32 & 31 } else { l };
                if valid {
                    p |= 1 << l;
                }
                d[i] = values[j as usize];
            }
            // SAFETY: see above.
            unsafe {
                rows.put(inst.d, d);
                if inst.d2 != NONE {
                    rows.put_bits(inst.d2, p);
                }
            }
        }
        Op::Vote(kind) => {
            // SAFETY: see above.
            let p = unsafe { rows.bits(inst.a) } & active;
            let all = |yes: bool| if yes { u32::MAX } else { 0 };
            // SAFETY: see above.
            unsafe {
                match kind {
                    VoteKind::All => rows.put_bits(inst.d, all(p == active)),
                    VoteKind::Any => rows.put_bits(inst.d, all(p != 0)),
                    VoteKind::Uni => rows.put_bits(inst.d, all(p == active || p == 0)),
                    VoteKind::Ballot => rows.put(inst.d, [p; 32]),
                }
            }
        }
        Op::Match { all, width } => {
            // SAFETY: see above.
            let value = |l: u32| unsafe { rows.lane(inst.a, *width, l as usize) };
            let same = |l: u32| {
                lanes()
                    .filter(|k| value(*k) == value(l))
                    .fold(0u32, |s, k| s | 1 << k)
            };
            let mut d = [0u32; 32];
            let mut p = 0;
            for l in lanes() {
                let s = same(l);
                d[l as usize] = if !*all || s == active { s } else { 0 };
                if s == active {
                    p |= 1 << l;
                }
            }
            // SAFETY: see above.
            unsafe {
                rows.put(inst.d, d);
                if inst.d2 != NONE {
                    rows.put_bits(inst.d2, p);
                }
            }
        }
        Op::Redux(kind) => {
            // SAFETY: see above.
            let values: [u32; 32] = unsafe { rows.get(inst.a) };
            let join = |a: u32, b: u32| match kind {
                ReduxKind::Add => a.wrapping_add(b),
                ReduxKind::MinU => a.min(b),
                ReduxKind::MaxU => a.max(b),
                ReduxKind::MinS => a.cast_signed().min(b.cast_signed()).cast_unsigned(),
                ReduxKind::MaxS => a.cast_signed().max(b.cast_signed()).cast_unsigned(),
                ReduxKind::And => a & b,
                ReduxKind::Or => a | b,
                ReduxKind::Xor => a ^ b,
            };
            let r = lanes()
                .map(|l| values[l as usize])
                .reduce(join)
                .unwrap_or(0);
            // SAFETY: see above.
            unsafe { rows.put(inst.d, [r; 32]) };
        }
        Op::Elect => {
            let leader = active.trailing_zeros();
            // SAFETY: see above.
            unsafe {
                rows.put(inst.d, [leader; 32]);
                rows.put_bits(inst.d2, 1 << leader);
            }
        }
        // `bar.warp.sync` only waits, and the rest does not come here.
        _ => {}
    }
}
