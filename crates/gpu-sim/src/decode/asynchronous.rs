//! What goes on beside the threads: `mbarrier`, `cp.async`, the barrier of a cluster, addresses in other blocks' shared
//! memory.

use super::{Decoded, Decoder, Mods, width_of};
use crate::inst::*;
use ptx::{Instruction, Operand, Type};

impl Decoder<'_> {
    /// The place that an operand names, as an access of `size` bytes.
    fn place(&mut self, o: &Operand, space: MemSpace, size: u8) -> Decoded<u32> {
        let (base, base_width, offset, space) = self.address(o, space)?;
        self.mems.push(Mem {
            space,
            base,
            base_width,
            offset,
            size,
            count: 1,
            signed: false,
            ordered: false,
            strong: false,
            regs: Vec::new(),
            atomic: None,
            swap: NONE,
        });
        Ok(self.mems.len() as u32 - 1)
    }

    pub(super) fn mbarrier(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        if !m.take("b64") {
            return self.unknown("type other than .b64");
        }
        if m.take("pending_count") {
            self.finish_mods(&m)?;
            return self.scalar(i, Type::U32, [Type::B64], |token, _, _| {
                crate::mbarrier::pending(token)
            });
        }
        let op = m.find(|s| {
            Some(match s {
                "init" => BarrierOp::Init,
                "inval" => BarrierOp::Invalidate,
                "arrive" => BarrierOp::Arrive { drop: false },
                "arrive_drop" => BarrierOp::Arrive { drop: true },
                "expect_tx" => BarrierOp::Expect,
                "complete_tx" => BarrierOp::Complete,
                "test_wait" | "try_wait" => BarrierOp::Test { parity: false },
                _ => return None,
            })
        });
        let mut op = self.need(op, "such operation")?;
        if m.take("expect_tx") {
            op = match op {
                BarrierOp::Arrive { drop: false } => BarrierOp::ArriveExpect,
                _ => return self.unknown("modifier `.expect_tx`"),
            };
        }
        // An arrival that cannot complete a phase is an arrival that does not.
        m.take("noComplete");
        if let BarrierOp::Test { parity } = &mut op {
            *parity = m.take("parity");
        }
        // Memory is coherent: orderings and scopes mean nothing more.
        m.find(|s| matches!(s, "release" | "acquire" | "relaxed").then_some(()));
        m.find(|s| matches!(s, "cta" | "cluster").then_some(()));
        let space = self.space(&mut m);
        self.finish_mods(&m)?;
        if !matches!(
            space,
            MemSpace::Generic | MemSpace::Shared | MemSpace::SharedCluster
        ) {
            return self.unknown("state space");
        }
        let operands = &i.operands[..];
        let (d, address, rest) = match (op, operands) {
            (BarrierOp::Test { .. }, [d, address, rest @ ..]) => {
                (self.dst_of(d, 0)?, address, rest)
            }
            (
                BarrierOp::Arrive { .. } | BarrierOp::ArriveExpect,
                [d @ Operand::Name(_), address, rest @ ..],
            ) => {
                let d = match self.dst(d)? {
                    (NONE, _) => NONE,
                    (d, 8) => d,
                    _ => return self.unknown("width of the result"),
                };
                (d, address, rest)
            }
            (_, [address, rest @ ..]) => (NONE, address, rest),
            (_, []) => return self.unknown("no operands"),
        };
        let x = self.place(address, space, 8)?;
        let a = match (op, rest) {
            (BarrierOp::Test { parity: false }, [token] | [token, _]) => {
                self.src_of(token, Type::B64)?
            }
            // How long the thread may be suspended changes nothing here.
            (BarrierOp::Test { parity: true }, [parity] | [parity, _]) => {
                self.src_of(parity, Type::B32)?
            }
            (BarrierOp::Invalidate, []) | (BarrierOp::Arrive { .. }, []) => NONE,
            (BarrierOp::Test { .. } | BarrierOp::Invalidate, _) => {
                return self.unknown("operands");
            }
            (_, [count]) => self.src_of(count, Type::U32)?,
            _ => return self.unknown("operands"),
        };
        let inst = self.inst(Op::Mbarrier(op));
        self.push(Inst { d, a, x, ..inst });
        Ok(())
    }

    pub(super) fn copy_instruction(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        if !m.take("async") {
            return self.unknown("instruction");
        }
        if m.take("commit_group") {
            self.finish_mods(&m)?;
            self.emit(Op::CopyCommit);
            return Ok(());
        }
        if m.take("wait_all") {
            self.finish_mods(&m)?;
            self.emit(Op::CopyWait { keep: None });
            return Ok(());
        }
        if m.take("wait_group") {
            self.finish_mods(&m)?;
            let keep = match self.operands::<1>(i)? {
                [Operand::Int(n)] => u32::try_from(*n).ok(),
                _ => None,
            };
            let keep = Some(self.need(keep, "number of groups")?);
            self.emit(Op::CopyWait { keep });
            return Ok(());
        }
        if m.take("mbarrier") {
            let increments = !m.take("noinc");
            if !m.take("arrive") || !m.take("b64") {
                return self.unknown("instruction");
            }
            let space = self.space(&mut m);
            self.finish_mods(&m)?;
            let [address] = self.operands::<1>(i)?;
            let x = self.place(address, space, 8)?;
            self.emit(Op::CopyWait { keep: None });
            let inst = self.inst(Op::Mbarrier(BarrierOp::ArriveCopies { increments }));
            self.push(Inst { x, ..inst });
            return Ok(());
        }
        if !m.take("ca") && !m.take("cg") {
            return self.unknown("bulk copies: not simulated, use a GPU");
        }
        if !m.take("shared") && !m.take("shared::cta") || !m.take("global") {
            return self.unknown("state spaces");
        }
        let hinted = m.take("L2::cache_hint");
        m.find(|s| matches!(s, "L2::64B" | "L2::128B" | "L2::256B").then_some(()));
        self.finish_mods(&m)?;
        let mut operands = &i.operands[..];
        if let (true, [rest @ .., _]) = (hinted, operands) {
            operands = rest;
        }
        let (to, from, size, rest) = match operands {
            [to, from, Operand::Int(size), rest @ ..] => (to, from, *size, rest),
            _ => return self.unknown("operands"),
        };
        if !matches!(size, 4 | 8 | 16) {
            return self.unknown("size of a copy");
        }
        let (mut a, mut b) = (NONE, NONE);
        match rest {
            [] => {}
            [one] => {
                let predicate = match one {
                    Operand::Name(n) => self.predicate_register(n).ok(),
                    _ => None,
                };
                match predicate {
                    Some(p) => b = p,
                    None => a = self.src_of(one, Type::U32)?,
                }
            }
            _ => return self.unknown("operands"),
        }
        let x = self.place(to, MemSpace::Shared, size as u8)?;
        let d2 = self.place(from, MemSpace::Global, size as u8)?;
        let inst = self.inst(Op::Copy);
        self.push(Inst {
            a,
            b,
            x,
            d2,
            ..inst
        });
        Ok(())
    }

    /// `barrier.cluster`: `.arrive` and `.wait`.
    pub(super) fn cluster_barrier(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        m.take("aligned");
        let op = if m.take("arrive") {
            m.find(|s| matches!(s, "release" | "relaxed").then_some(()));
            Op::ClusterArrive
        } else if m.take("wait") {
            m.take("acquire");
            Op::ClusterWait
        } else {
            return self.unknown("instruction");
        };
        self.finish_mods(&m)?;
        if !i.operands.is_empty() {
            return self.unknown("operands");
        }
        self.emit(op);
        Ok(())
    }

    /// `mapa`: the address that an address has in the block of a rank.
    pub(super) fn mapa(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        let ty = self.need(m.last_type(), "type")?;
        let shared = m.take("shared::cluster");
        self.finish_mods(&m)?;
        let width = width_of(ty);
        if width != 8 && (width != 4 || !shared) {
            return self.unknown("32-bit addresses");
        }
        self.scalar(i, ty, [ty, Type::U32], |address, rank, _| {
            crate::cluster::remote(address, rank)
        })
    }

    /// `getctarank`: the block of an address in shared memory.
    pub(super) fn getctarank(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        let ty = self.need(m.last_type(), "type")?;
        m.take("shared::cluster");
        self.finish_mods(&m)?;
        let [d, a] = self.operands::<2>(i)?;
        let (d, a) = (self.dst_of(d, 4)?, self.src_of(a, ty)?);
        let b = self.helper(Op::Special(Special::ClusterRank), 4, 4);
        let f = |address: u64, own: u64, _: u64| crate::cluster::rank_of(address).unwrap_or(own);
        let op = Op::Scalar(std::sync::Arc::new(Scalar {
            f: std::sync::Arc::new(f),
            widths: [width_of(ty), 4, 0, 4],
        }));
        let inst = self.inst(op);
        self.push(Inst { d, a, b, ..inst });
        Ok(())
    }
}
