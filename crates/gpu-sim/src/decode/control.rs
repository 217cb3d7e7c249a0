//! Branches, calls, barriers and warp-wide operations.

use super::{Decoded, Decoder, Fixup, Meaning, Mods, width_of};
use crate::inst::*;
use crate::module::Symbol;
use ptx::{Instruction, Operand, Type};

impl Decoder<'_> {
    pub(super) fn control_instruction(&mut self, i: &Instruction) -> Decoded<()> {
        let mut m = Mods::new(i);
        match i.name.as_str() {
            "bra" => {
                m.take("uni");
                self.finish_mods(&m)?;
                let [Operand::Name(label)] = self.operands::<1>(i)? else {
                    return self.unknown("target");
                };
                let pc = self.emit(Op::Branch);
                let (scope, label, span) = (self.scope, label.clone(), self.span);
                self.fixups.push(Fixup::Branch {
                    pc,
                    scope,
                    label,
                    span,
                });
                Ok(())
            }
            "brx" => {
                if !m.take("idx") {
                    return self.unknown("instruction");
                }
                m.take("uni");
                self.finish_mods(&m)?;
                let [index, Operand::Name(list)] = self.operands::<2>(i)? else {
                    return self.unknown("list of targets");
                };
                let a = self.src_of(index, Type::U32)?;
                let names = match self.lookup(list) {
                    Some(Meaning::Targets(names)) => names,
                    _ => return self.undefined(list),
                };
                let table = self.tables.len();
                self.tables.push(vec![0; names.len()]);
                for (entry, label) in names.into_iter().enumerate() {
                    let (scope, span) = (self.scope, self.span);
                    self.fixups.push(Fixup::Table {
                        table,
                        entry,
                        scope,
                        label,
                        span,
                    });
                }
                let inst = self.inst(Op::BranchIndex);
                self.push(Inst {
                    a,
                    x: table as u32,
                    ..inst
                });
                Ok(())
            }
            "call" => self.call(i, m),
            "ret" => {
                m.take("uni");
                self.finish_mods(&m)?;
                self.emit(Op::Return);
                Ok(())
            }
            "exit" => self.plain(m, Op::Exit),
            "trap" => self.plain(m, Op::Trap),
            "brkpt" => self.plain(m, Op::Breakpoint),
            "nop" => self.plain(m, Op::Nop),
            "pmevent" => {
                // Profilers see it; that its number is one is the assembler's demand.
                let limit = if m.take("mask") { 1 << 16 } else { 16 };
                match self.operands::<1>(i)? {
                    [Operand::Int(n)] if (0..limit).contains(n) => self.plain(m, Op::Nop),
                    _ => self.unknown("number of the event"),
                }
            }
            "griddepcontrol" => {
                if !m.take("wait") && !m.take("launch_dependents") {
                    return self.unknown("instruction");
                }
                self.plain(m, Op::Nop)
            }
            "membar" | "fence" => {
                // Memory is coherent and the host's fences are as strong as any of these.
                while m
                    .find(|s| {
                        matches!(
                            s,
                            "sc" | "acq_rel"
                                | "acquire"
                                | "release"
                                | "cta"
                                | "cluster"
                                | "gpu"
                                | "sys"
                                | "gl"
                                | "proxy"
                                | "async"
                                | "alias"
                                | "global"
                                | "shared::cta"
                                | "shared::cluster"
                                | "mbarrier_init"
                        )
                        .then_some(())
                    })
                    .is_some()
                {}
                self.plain(m, Op::Fence)
            }
            "nanosleep" => {
                m.take("u32");
                self.plain(m, Op::Nanosleep)
            }
            "activemask" => {
                m.take("b32");
                self.finish_mods(&m)?;
                let [d] = self.operands::<1>(i)?;
                let d = self.dst_of(d, 4)?;
                let inst = self.inst(Op::ActiveMask);
                self.push(Inst { d, ..inst });
                Ok(())
            }
            "bar" | "barrier" => self.barrier(i, m),
            _ => self.warp_wide(i, m),
        }
    }

    fn plain(&mut self, m: Mods<'_>, op: Op) -> Decoded<()> {
        self.finish_mods(&m)?;
        self.emit(op);
        Ok(())
    }

    fn barrier(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        if m.take("warp") {
            if !m.take("sync") {
                return self.unknown("instruction");
            }
            self.finish_mods(&m)?;
            let [mask] = self.operands::<1>(i)?;
            let a = self.src_of(mask, Type::B32)?;
            let inst = self.inst(Op::WarpSync);
            self.push(Inst { a, ..inst });
            return Ok(());
        }
        if m.take("cluster") {
            return self.cluster_barrier(i, m);
        }
        m.take("cta");
        let kind = m.find(|s| matches!(s, "sync" | "arrive" | "red").then(|| s.to_string()));
        let kind = self.need(kind, "such barrier")?;
        m.take("aligned");
        let (mut d, mut c) = ((NONE, 0), NONE);
        let mut operands = &i.operands[..];
        let op = match kind.as_str() {
            "sync" => BarrierKind::Sync,
            "arrive" => BarrierKind::Arrive,
            _ => {
                let op = m.find(|s| match s {
                    "popc" => Some(BarrierKind::RedPopc),
                    "and" => Some(BarrierKind::RedAnd),
                    "or" => Some(BarrierKind::RedOr),
                    _ => None,
                });
                let op = self.need(op, "such reduction")?;
                m.find(|s| matches!(s, "u32" | "pred").then_some(()));
                let (Some(first), Some(last)) = (i.operands.first(), i.operands.last()) else {
                    return self.unknown("operands");
                };
                d = self.dst(first)?;
                c = self.src_of(last, Type::Pred)?;
                operands = operands.get(1..operands.len() - 1).unwrap_or(&[]);
                op
            }
        };
        self.finish_mods(&m)?;
        let (a, b) = match operands {
            [id] => (self.src_of(id, Type::U32)?, NONE),
            [id, count] => (self.src_of(id, Type::U32)?, self.src_of(count, Type::U32)?),
            _ => return self.unknown("operands"),
        };
        if op == BarrierKind::Arrive && b == NONE {
            return self.unknown("an arrival without a count");
        }
        let inst = self.inst(Op::Barrier(op));
        self.push(Inst {
            d: d.0,
            x: d.1.into(),
            a,
            b,
            c,
            ..inst
        });
        Ok(())
    }

    fn warp_wide(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        if i.name == "elect" {
            if !m.take("sync") {
                return self.unknown("instruction");
            }
            self.finish_mods(&m)?;
            let [d, mask] = self.operands::<2>(i)?;
            let (d, d2) = match d {
                Operand::Pair(lane, p) => (self.dst_of(lane, 4)?, self.dst_of(p, 0)?),
                _ => return self.unknown("results"),
            };
            let c = self.src_of(mask, Type::B32)?;
            let inst = self.inst(Op::Elect);
            self.push(Inst { d, d2, c, ..inst });
            return Ok(());
        }
        let ty = self.need(m.last_type(), "type")?;
        if !m.take("sync") {
            return self.unknown("the form without .sync");
        }
        match i.name.as_str() {
            "shfl" => {
                let kind = m.find(|s| match s {
                    "up" => Some(ShuffleKind::Up),
                    "down" => Some(ShuffleKind::Down),
                    "bfly" => Some(ShuffleKind::Bfly),
                    "idx" => Some(ShuffleKind::Idx),
                    _ => None,
                });
                let kind = self.need(kind, "such shuffle")?;
                self.finish_mods(&m)?;
                let [d, a, b, clamp, mask] = self.operands::<5>(i)?;
                let (d, d2) = match d {
                    Operand::Pair(v, p) => (self.dst_of(v, 4)?, self.dst_of(p, 0)?),
                    v => (self.dst_of(v, 4)?, NONE),
                };
                let (a, b) = (self.src_of(a, Type::B32)?, self.src_of(b, Type::U32)?);
                let (clamp, c) = (
                    self.src_of(clamp, Type::U32)?,
                    self.src_of(mask, Type::U32)?,
                );
                let inst = self.inst(Op::Shuffle(kind));
                self.push(Inst {
                    d,
                    d2,
                    a,
                    b,
                    c,
                    x: clamp,
                    ..inst
                });
                Ok(())
            }
            "vote" => {
                let kind = m.find(|s| match s {
                    "all" => Some(VoteKind::All),
                    "any" => Some(VoteKind::Any),
                    "uni" => Some(VoteKind::Uni),
                    "ballot" => Some(VoteKind::Ballot),
                    _ => None,
                });
                let kind = self.need(kind, "such vote")?;
                self.finish_mods(&m)?;
                let [d, p, mask] = self.operands::<3>(i)?;
                let (a, c) = (self.src_of(p, Type::Pred)?, self.src_of(mask, Type::U32)?);
                let d = self.dst_of(d, if kind == VoteKind::Ballot { 4 } else { 0 })?;
                let inst = self.inst(Op::Vote(kind));
                self.push(Inst { d, a, c, ..inst });
                Ok(())
            }
            "match" => {
                let all = m.take("all");
                if !all && !m.take("any") {
                    return self.unknown("neither .any nor .all");
                }
                self.finish_mods(&m)?;
                let [d, a, mask] = self.operands::<3>(i)?;
                let (d, d2) = match d {
                    Operand::Pair(v, p) if all => (self.dst_of(v, 4)?, self.dst_of(p, 0)?),
                    v => (self.dst_of(v, 4)?, NONE),
                };
                let width = width_of(ty);
                if width != 4 && width != 8 {
                    return self.unknown(format!("type .{}", ty.name()));
                }
                let (a, c) = (self.src_of(a, ty)?, self.src_of(mask, Type::U32)?);
                let inst = self.inst(Op::Match { all, width });
                self.push(Inst {
                    d,
                    d2,
                    a,
                    c,
                    ..inst
                });
                Ok(())
            }
            "redux" => {
                let sign = ty == Type::S32;
                let kind = m.find(|s| {
                    Some(match s {
                        "add" => ReduxKind::Add,
                        "min" if sign => ReduxKind::MinS,
                        "max" if sign => ReduxKind::MaxS,
                        "min" => ReduxKind::MinU,
                        "max" => ReduxKind::MaxU,
                        "and" => ReduxKind::And,
                        "or" => ReduxKind::Or,
                        "xor" => ReduxKind::Xor,
                        _ => return None,
                    })
                });
                let kind = self.need(kind, "such reduction")?;
                self.finish_mods(&m)?;
                if !matches!(ty, Type::U32 | Type::S32 | Type::B32) {
                    return self.unknown(format!("type .{}", ty.name()));
                }
                let [d, a, mask] = self.operands::<3>(i)?;
                let (a, c) = (self.src_of(a, ty)?, self.src_of(mask, Type::U32)?);
                let d = self.dst_of(d, 4)?;
                let inst = self.inst(Op::Redux(kind));
                self.push(Inst { d, a, c, ..inst });
                Ok(())
            }
            _ => self.unknown("instruction"),
        }
    }

    fn call(&mut self, i: &Instruction, mut m: Mods<'_>) -> Decoded<()> {
        m.take("uni");
        self.finish_mods(&m)?;
        let mut operands = i.operands.iter().peekable();
        let returns = match operands.peek() {
            Some(Operand::List(l)) => {
                operands.next();
                self.param_blocks(l)?
            }
            _ => Vec::new(),
        };
        let Some(Operand::Name(name)) = operands.next() else {
            return self.unknown("function");
        };
        let args = match operands.next() {
            Some(Operand::List(l)) => self.param_blocks(l)?,
            None => Vec::new(),
            // No arguments, and the prototype.
            Some(Operand::Name(n)) if matches!(self.lookup(n), Some(Meaning::Prototype)) => {
                Vec::new()
            }
            _ => return self.unknown("arguments"),
        };
        let callee = match self.lookup(name) {
            Some(Meaning::Register(r)) if r.width == 8 => {
                // Any function whose address is taken may be meant; those are reached where it is taken. A table of
                // functions in memory takes their addresses too.
                self.reach_address_taken();
                Callee::Pointer(r.offset)
            }
            Some(_) => return self.unknown(format!("`{name}` is no function")),
            None => match self.module.symbols.get(name) {
                Some(Symbol::Function { index, .. }) => {
                    let index = *index;
                    Callee::Function(self.reach(index))
                }
                Some(Symbol::Declared) => match name.as_str() {
                    "vprintf" if args.len() == 2 && returns.len() == 1 => {
                        Callee::Builtin(Builtin::Vprintf)
                    }
                    "__assertfail" if args.len() == 5 => Callee::Builtin(Builtin::AssertFail),
                    _ => return self.undefined(name),
                },
                _ => return self.undefined(name),
            },
        };
        let x = self.calls.len() as u32;
        self.calls.push(Call {
            callee,
            args,
            returns,
        });
        let inst = self.inst(Op::Call);
        self.push(Inst { x, ..inst });
        Ok(())
    }

    fn param_blocks(&mut self, list: &[Operand]) -> Decoded<Vec<Block>> {
        let mut blocks = Vec::new();
        for o in list {
            let block = match o {
                Operand::Name(n) => match self.lookup(n) {
                    Some(Meaning::FrameParam(b)) => b,
                    _ => {
                        return self
                            .unknown(format!("argument `{o}`, which is no .param variable"));
                    }
                },
                _ => return self.unknown(format!("argument `{o}`, which is no .param variable")),
            };
            blocks.push(block);
        }
        Ok(blocks)
    }

    /// Reaches every function whose address an initialiser of the module takes.
    fn reach_address_taken(&mut self) {
        let module = self.module;
        for v in module.ast.variables() {
            if let Some(init) = &v.init {
                self.reach_init(init);
            }
        }
    }

    fn reach_init(&mut self, init: &ptx::Init) {
        match init {
            ptx::Init::List(items) => items.iter().for_each(|i| self.reach_init(i)),
            ptx::Init::Symbol { name, .. } => {
                if let Some(Symbol::Function { index, address }) = self.module.symbols.get(name) {
                    let (index, address) = (*index, *address);
                    let i = self.reach(index);
                    self.addresses.insert(address, i);
                }
            }
            _ => {}
        }
    }
}
