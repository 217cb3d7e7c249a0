//! `mma.sync`, `ldmatrix`, `stmatrix`.

use super::{Decoded, Decoder, Mods, width_of};
use crate::inst::*;
use crate::matrix::{Element, Matrix};
use ptx::{Instruction, Operand, Type};
use std::sync::Arc;

/// Rows of A, columns of B, columns of A that are multiplied at once, for a type of A.
const SHAPES: &[(&str, [usize; 3], &[Element])] = &[
    (
        "m16n8k8",
        [16, 8, 8],
        &[Element::F16, Element::Bf16, Element::Tf32, Element::F64],
    ),
    (
        "m16n8k16",
        [16, 8, 16],
        &[
            Element::F16,
            Element::Bf16,
            Element::S8,
            Element::U8,
            Element::F64,
        ],
    ),
    ("m16n8k4", [16, 8, 4], &[Element::Tf32, Element::F64]),
    ("m16n8k32", [16, 8, 32], &[Element::S8, Element::U8]),
    ("m8n8k4", [8, 8, 4], &[Element::F64]),
    ("m8n8k16", [8, 8, 16], &[Element::S8, Element::U8]),
];

fn element(name: &str) -> Option<Element> {
    Some(match name {
        "f16" => Element::F16,
        "bf16" => Element::Bf16,
        "tf32" => Element::Tf32,
        "f32" => Element::F32,
        "f64" => Element::F64,
        "s8" => Element::S8,
        "u8" => Element::U8,
        "s32" => Element::S32,
        _ => return None,
    })
}

impl Decoder<'_> {
    /// The registers of a fragment, as many as it has; one alone may stand without braces.
    fn fragment(
        &mut self,
        o: &Operand,
        e: Element,
        elements: usize,
        result: bool,
    ) -> Decoded<Vec<u32>> {
        let (width, each) = e.register();
        let parts = match o {
            Operand::Vector(v) => &v[..],
            one => std::slice::from_ref(one),
        };
        let count = elements / each as usize;
        if parts.len() != count {
            return self.unknown(format!("`{o}` where {count} registers belong"));
        }
        let ty = if width == 8 { Type::F64 } else { Type::B32 };
        let row = |p| {
            if result {
                self.dst_of(p, width_of(ty))
            } else {
                self.src_of(p, ty)
            }
        };
        parts.iter().map(row).collect()
    }

    fn matrix(&mut self, matrix: Matrix) -> Decoded<()> {
        // All lanes of the warp take part.
        let c = self.constant(u128::from(u32::MAX), 4);
        let inst = self.inst(Op::Matrix(Arc::new(matrix)));
        self.push(Inst { c, ..inst });
        Ok(())
    }

    pub(super) fn matrix_instruction(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        if !m.take("sync") || !m.take("aligned") {
            return self.unknown("the form without .sync.aligned");
        }
        if i.name == "mma" {
            return self.mma(i, m);
        }
        let store = i.name == "stmatrix";
        if !m.take("m8n8") {
            return self.unknown("shape: not simulated, use a GPU");
        }
        let count = m.find(|s| match s {
            "x1" => Some(1),
            "x2" => Some(2),
            "x4" => Some(4),
            _ => None,
        });
        let count = self.need(count, "number of matrices")?;
        let transposed = m.take("trans");
        if !m.take("b16") {
            return self.unknown("type: not simulated, use a GPU");
        }
        let space = self.space(&mut m);
        self.finish_mods(&m)?;
        let [a, b] = self.operands::<2>(i)?;
        let (address, registers) = if store { (a, b) } else { (b, a) };
        let (base, base_width, offset, space) = self.address(address, space)?;
        if !matches!(space, MemSpace::Shared | MemSpace::Generic) {
            return self.unknown("state space");
        }
        let registers = self.fragment(registers, Element::S32, count, !store)?;
        let mem = Mem {
            space,
            base,
            base_width,
            offset,
            size: 16,
            count: 1,
            signed: false,
            ordered: false,
            strong: false,
            regs: Vec::new(),
            atomic: None,
            swap: NONE,
        };
        self.matrix(Matrix::Move {
            store,
            transposed,
            registers,
            mem,
        })
    }

    fn mma(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let shape = m.find(|s| SHAPES.iter().find(|row| row.0 == s));
        let Some((_, [rows, columns, depth], types)) = shape else {
            return self.unknown("shape: not simulated, use a GPU");
        };
        if !m.take("row") || !m.take("col") {
            return self.unknown("layouts other than .row.col");
        }
        let saturate = m.take("satfinite");
        let mut next = || m.find(element);
        let (Some(d), Some(a), Some(b), Some(c)) = (next(), next(), next(), next()) else {
            return self.unknown("types: not simulated, use a GPU");
        };
        self.finish_mods(&m)?;
        use Element::*;
        let sums = match (a, b) {
            (F16, F16) => matches!((d, c), (F16 | F32, F16 | F32)),
            (Bf16, Bf16) | (Tf32, Tf32) => (d, c) == (F32, F32),
            (F64, F64) => (d, c) == (F64, F64),
            (S8 | U8, S8 | U8) => (d, c) == (S32, S32),
            _ => false,
        };
        if !sums || !types.contains(&a) || saturate && d != S32 {
            return self.unknown("types for this shape");
        }
        let (m, n, k) = (*rows, *columns, *depth);
        let [od, oa, ob, oc] = self.operands::<4>(i)?;
        let registers = [
            self.fragment(od, d, m * n / 32, true)?,
            self.fragment(oa, a, m * k / 32, false)?,
            self.fragment(ob, b, k * n / 32, false)?,
            self.fragment(oc, c, m * n / 32, false)?,
        ];
        self.matrix(Matrix::Multiply {
            m,
            n,
            k,
            a,
            b,
            c,
            d,
            saturate,
            registers,
        })
    }
}
