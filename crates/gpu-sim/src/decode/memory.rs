//! Loads, stores, atomics and address conversion.

use super::{Decoded, Decoder, Meaning, Mods, width_of};
use crate::inst::*;
use crate::lanes::op2;
use crate::memory::{LOCAL_WINDOW, PARAM_WINDOW, SHARED_WINDOW, WINDOW_SIZE};
use ptx::{Instruction, Operand, Type};

/// Hints to caches, which change nothing here.
fn cache_hint(s: &str) -> bool {
    matches!(
        s,
        "ca" | "cg" | "cs" | "lu" | "cv" | "wb" | "wt" | "nc" | "unified"
    ) || s.starts_with("L1::")
        || matches!(
            s,
            "L2::64B"
                | "L2::128B"
                | "L2::256B"
                | "L2::evict_last"
                | "L2::evict_normal"
                | "L2::evict_first"
        )
}

impl Decoder<'_> {
    pub(super) fn space(&mut self, m: &mut Mods<'_>) -> MemSpace {
        m.find(|s| {
            Some(match s {
                "global" => MemSpace::Global,
                "shared" | "shared::cta" => MemSpace::Shared,
                "shared::cluster" => MemSpace::SharedCluster,
                "local" => MemSpace::Local,
                "const" => MemSpace::Const,
                "param" | "param::entry" | "param::func" => MemSpace::KernelParam,
                _ => return None,
            })
        })
        .unwrap_or(MemSpace::Generic)
    }

    /// Whether the access orders others around it, and whether it is more than a plain one. Scopes all mean the same here:
    /// memory is coherent.
    fn ordering(&mut self, m: &mut Mods<'_>) -> (bool, bool) {
        m.find(|s| matches!(s, "cta" | "cluster" | "gpu" | "sys").then_some(()));
        m.take("mmio");
        m.find(|s| match s {
            "weak" => Some((false, false)),
            "relaxed" | "volatile" => Some((false, true)),
            "acquire" | "release" | "acq_rel" | "sc" => Some((true, true)),
            _ => None,
        })
        .unwrap_or((false, false))
    }

    /// Base row, its width, offset, and the space that the name of a variable implies.
    pub(super) fn address(
        &mut self,
        o: &Operand,
        space: MemSpace,
    ) -> Decoded<(u32, Width, u64, MemSpace)> {
        let Operand::Address { base, offset } = o else {
            return self.unknown(format!("address `{o}`"));
        };
        let Some(name) = base else {
            return Ok((NONE, 8, *offset as u64, space));
        };
        match self.lookup(name) {
            Some(Meaning::Register(r)) if r.width == 4 || r.width == 8 => {
                if space == MemSpace::KernelParam && !self.is_entry {
                    return self.unknown("a parameter of a function by register");
                }
                Ok((r.offset, r.width, *offset as u64, space))
            }
            Some(Meaning::FrameParam(block)) if space == MemSpace::KernelParam => {
                let space = MemSpace::FrameParam {
                    block: block.offset,
                    size: block.size,
                };
                Ok((NONE, 8, *offset as u64, space))
            }
            Some(Meaning::KernelParam { offset: o, .. }) if space == MemSpace::KernelParam => {
                Ok((NONE, 8, u64::from(o).wrapping_add(*offset as u64), space))
            }
            Some(Meaning::Local { .. }) if space == MemSpace::Generic => {
                self.unknown("a local variable by a generic address")
            }
            Some(Meaning::Shared { .. }) if space == MemSpace::Generic => {
                self.unknown("a shared variable by a generic address")
            }
            Some(m @ (Meaning::Local { .. } | Meaning::Shared { .. } | Meaning::Memory { .. })) => {
                let (row, width) = self.address_of(&m, name, *offset, 8)?;
                Ok((row, width, 0, space))
            }
            Some(_) => self.unknown(format!("`{name}` in an address")),
            None => {
                let (row, width) = self.global_name(name, *offset, 8)?;
                Ok((row, width, 0, space))
            }
        }
    }

    pub(super) fn memory_instruction(&mut self, i: &Instruction) -> Decoded<()> {
        let m = Mods::new(i);
        match i.name.as_str() {
            "ld" | "ldu" | "st" => self.load_store(i, m),
            "atom" | "red" => self.atomic(i, m),
            "cvta" => self.cvta(i, m),
            "isspacep" => self.isspacep(i, m),
            "prefetch" | "prefetchu" | "applypriority" => {
                self.emit(Op::Nop);
                Ok(())
            }
            _ => self.unknown("instruction"),
        }
    }

    fn load_store(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let store = i.name == "st";
        let ty = self.need(m.last_type(), "type")?;
        let count = m.find(|s| match s {
            "v2" => Some(2),
            "v4" => Some(4),
            "v8" => Some(8),
            _ => None,
        });
        let space = self.space(&mut m);
        let (ordered, strong) = self.ordering(&mut m);
        let hinted = m.take("L2::cache_hint");
        while m.find(|s| cache_hint(s).then_some(())).is_some() {}
        self.finish_mods(&m)?;
        let wanted = 2 + usize::from(hinted);
        if i.operands.len() != wanted {
            return self.unknown(format!(
                "{} operands where {wanted} belong",
                i.operands.len()
            ));
        }
        let (address, value) = if store {
            (&i.operands[0], &i.operands[1])
        } else {
            (&i.operands[1], &i.operands[0])
        };
        let (base, base_width, offset, space) = self.address(address, space)?;
        if store && matches!(space, MemSpace::KernelParam | MemSpace::Const) {
            return self.unknown("a store to read-only memory");
        }
        let parts: Vec<&Operand> = match (value, count) {
            (Operand::Vector(v), Some(n)) if v.len() == n => v.iter().collect(),
            (Operand::Vector(v), None) if v.len() == 1 => v.iter().collect(),
            (Operand::Vector(_), _) | (_, Some(_)) => {
                return self.unknown("number of vector elements");
            }
            (o, None) => vec![o],
        };
        let least = width_of(ty);
        if least == 0 {
            return self.unknown("type .pred");
        }
        let mut regs = Vec::new();
        for p in parts {
            let r = if store {
                self.src(p, ty)?
            } else {
                self.dst(p)?
            };
            if r.0 != NONE && r.1 < least {
                return self.unknown(format!("`{p}` is narrower than .{}", ty.name()));
            }
            regs.push(r);
        }
        let count = regs.len() as u8;
        let signed = matches!(ty, Type::S8 | Type::S16 | Type::S32 | Type::S64);
        let mem = Mem {
            space,
            base,
            base_width,
            offset,
            size: least,
            count,
            signed,
            ordered,
            strong,
            regs,
            atomic: None,
            swap: NONE,
        };
        self.memory(mem, if store { Op::Store } else { Op::Load })
    }

    fn memory(&mut self, mem: Mem, op: Op) -> Decoded<()> {
        let x = self.mems.len() as u32;
        self.mems.push(mem);
        let inst = self.inst(op);
        self.push(Inst { x, ..inst });
        Ok(())
    }

    fn atomic(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let returns = i.name == "atom";
        let ty = self.need(m.last_type(), "type")?;
        let space = self.space(&mut m);
        let (ordered, _) = self.ordering(&mut m);
        m.take("noftz");
        let op = m.find(|s| {
            Some(match s {
                "add" => AtomicOp::Add,
                "min" => AtomicOp::Min,
                "max" => AtomicOp::Max,
                "inc" => AtomicOp::Inc,
                "dec" => AtomicOp::Dec,
                "and" => AtomicOp::And,
                "or" => AtomicOp::Or,
                "xor" => AtomicOp::Xor,
                "exch" => AtomicOp::Exch,
                "cas" => AtomicOp::Cas,
                _ => return None,
            })
        });
        let op = self.need(op, "such operation")?;
        self.finish_mods(&m)?;
        if !matches!(
            space,
            MemSpace::Generic | MemSpace::Global | MemSpace::Shared | MemSpace::SharedCluster
        ) {
            return self.unknown("state space");
        }
        use AtomicOp::*;
        use Type::*;
        let known = match op {
            Add => matches!(
                ty,
                U32 | S32 | U64 | S64 | F32 | F64 | F16 | F16x2 | Bf16 | Bf16x2
            ),
            Min | Max => matches!(ty, U32 | S32 | U64 | S64 | F16 | F16x2 | Bf16 | Bf16x2),
            Inc | Dec => ty == U32,
            And | Or | Xor => matches!(ty, B32 | B64 | U32 | S32 | U64 | S64),
            Exch => matches!(ty, B32 | B64 | B128 | U32 | S32 | U64 | S64 | F32 | F64),
            Cas => matches!(ty, B16 | B32 | B64 | B128 | U32 | S32 | U64 | S64 | U16),
        };
        if !known {
            return self.unknown(format!("type .{}", ty.name()));
        }
        let number = match ty {
            F16 => Number::F16,
            F16x2 => Number::F16x2,
            Bf16 => Number::Bf16,
            Bf16x2 => Number::Bf16x2,
            F32 => Number::F32,
            F64 => Number::F64,
            S32 | S64 => Number::Signed,
            U32 | U64 => Number::Unsigned,
            _ => Number::Bits,
        };
        let wanted = 2 + usize::from(returns) + usize::from(op == Cas);
        if i.operands.len() != wanted || !returns && matches!(op, Cas | Exch) {
            return self.unknown(format!("{} operands", i.operands.len()));
        }
        let width = width_of(ty);
        let k = usize::from(returns);
        let (base, base_width, offset, space) = self.address(&i.operands[k], space)?;
        let a = self.src_of(&i.operands[k + 1], ty)?;
        let swap = if op == Cas {
            self.src_of(&i.operands[k + 2], ty)?
        } else {
            NONE
        };
        let d = if returns {
            match self.dst(&i.operands[0])? {
                (NONE, _) => NONE,
                (d, w) if w == width => d,
                _ => return self.unknown("width of the result"),
            }
        } else {
            NONE
        };
        let mem = Mem {
            space,
            base,
            base_width,
            offset,
            size: width,
            count: 1,
            signed: false,
            ordered,
            strong: true,
            regs: vec![(d, width), (a, width)],
            atomic: Some((op, number)),
            swap,
        };
        self.memory(mem, Op::Atomic)
    }

    fn cvta(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let ty = self.need(m.last_type(), "type")?;
        let to = m.take("to");
        let space = self.space(&mut m);
        self.finish_mods(&m)?;
        if width_of(ty) != 8 {
            return self.unknown("32-bit addresses");
        }
        let [d, a] = self.operands::<2>(i)?;
        let window = match space {
            MemSpace::Global | MemSpace::Const => 0,
            MemSpace::Shared | MemSpace::SharedCluster => SHARED_WINDOW,
            MemSpace::Local => LOCAL_WINDOW,
            MemSpace::KernelParam => PARAM_WINDOW,
            _ => return self.unknown("state space"),
        };
        // `cvta.local x, variable` has the variable itself as its source.
        let (a, d) = (self.src_of(a, ty)?, self.dst_of(d, 8)?);
        let b = self.constant(u128::from(window), 8);
        let f = if to {
            op2(|a: u64, b: u64| a.wrapping_sub(b))
        } else {
            op2(|a: u64, b: u64| a.wrapping_add(b))
        };
        let inst = self.inst(Op::Lanes(f));
        self.push(Inst { d, a, b, ..inst });
        Ok(())
    }

    fn isspacep(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        let space = self.space(&mut m);
        self.finish_mods(&m)?;
        match space {
            MemSpace::SharedCluster => self.window_test(i, SHARED_WINDOW),
            MemSpace::Shared => self.scalar(i, Type::Pred, [Type::B64], |a, _, _| {
                // Another block's shared memory is that of the cluster, not of the block.
                let own = crate::cluster::rank_of(a).is_none();
                u64::from((SHARED_WINDOW..SHARED_WINDOW + WINDOW_SIZE).contains(&a) && own)
            }),
            MemSpace::Local => self.window_test(i, LOCAL_WINDOW),
            MemSpace::KernelParam => self.window_test(i, PARAM_WINDOW),
            MemSpace::Global => self.scalar(i, Type::Pred, [Type::B64], |a, _, _| {
                let other = [SHARED_WINDOW, LOCAL_WINDOW, PARAM_WINDOW];
                u64::from(!other.iter().any(|w| (*w..w + WINDOW_SIZE).contains(&a)))
            }),
            // Constants share the addresses of global memory.
            _ => self.unknown("state space"),
        }
    }

    fn window_test(&mut self, i: &Instruction, window: u64) -> Decoded<()> {
        self.scalar(i, Type::Pred, [Type::B64], move |a, _, _| {
            u64::from((window..window + WINDOW_SIZE).contains(&a))
        })
    }
}
