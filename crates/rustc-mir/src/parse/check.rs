//! That every number in a body names something in it, so that its users can index without checking.

use crate::ast::*;

struct Check<'b>(&'b Body);

pub(crate) fn references(body: &Body) -> Result<(), String> {
    let c = Check(body);
    if body.locals.is_empty() {
        return Err("a body without a return place".into());
    }
    if body.blocks.is_empty() && body.value.is_none() {
        return Err("a body without blocks".into());
    }
    for l in &body.locals {
        c.source(&l.source)?;
    }
    for d in &body.debug {
        c.source(&d.source)?;
        if let VarDebugValue::Place(p) = &d.value {
            c.place(p)?;
        }
    }
    for b in &body.blocks {
        for s in &b.statements {
            c.source(&s.source)?;
            c.statement(&s.kind)?;
        }
        c.source(&b.terminator.source)?;
        c.terminator(&b.terminator.kind)?;
    }
    Ok(())
}

type R = Result<(), String>;

impl Check<'_> {
    fn source(&self, s: &SourceInfo) -> R {
        if (s.scope.0 as usize) < self.0.scopes.len() {
            Ok(())
        } else {
            Err(format!("scope {} does not exist", s.scope.0))
        }
    }

    fn local(&self, l: Local) -> R {
        if (l.0 as usize) < self.0.locals.len() {
            Ok(())
        } else {
            Err(format!("_{} is not declared", l.0))
        }
    }

    fn block(&self, b: BlockId) -> R {
        if (b.0 as usize) < self.0.blocks.len() {
            Ok(())
        } else {
            Err(format!("bb{} does not exist", b.0))
        }
    }

    fn place(&self, p: &Place) -> R {
        self.local(p.local)?;
        for e in &p.projection {
            if let Projection::Index(l) = e {
                self.local(*l)?;
            }
        }
        Ok(())
    }

    fn operand(&self, o: &Operand) -> R {
        match o {
            Operand::Copy(p) | Operand::Move(p) => self.place(p),
            Operand::Const(_) | Operand::RuntimeChecks(_) => Ok(()),
        }
    }

    fn operands<'a>(&self, os: impl IntoIterator<Item = &'a Operand>) -> R {
        os.into_iter().try_for_each(|o| self.operand(o))
    }

    fn statement(&self, s: &StatementKind) -> R {
        match s {
            StatementKind::Assign(p, r) => {
                self.place(p)?;
                self.rvalue(r)
            }
            StatementKind::StorageLive(l) | StatementKind::StorageDead(l) => self.local(*l),
            StatementKind::Assume(o) => self.operand(o),
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                self.operands([dst, src, count])
            }
            StatementKind::SetDiscriminant(p, _)
            | StatementKind::BackwardIncompatibleDropHint(p)
            | StatementKind::Deinit(p)
            | StatementKind::Retag(_, p)
            | StatementKind::PlaceMention(p)
            | StatementKind::FakeRead(_, p)
            | StatementKind::AscribeUserType(p, _) => self.place(p),
            StatementKind::DebugAssign(l, p) => {
                self.local(*l)?;
                p.iter().try_for_each(|p| self.place(p))
            }
            StatementKind::Nop | StatementKind::ConstEvalCounter | StatementKind::Coverage(_) => {
                Ok(())
            }
        }
    }

    fn rvalue(&self, r: &Rvalue) -> R {
        match r {
            Rvalue::Use(o)
            | Rvalue::Repeat(o, _)
            | Rvalue::Cast(_, o, _)
            | Rvalue::UnaryOp(_, o)
            | Rvalue::ShallowInitBox(o, _)
            | Rvalue::WrapUnsafeBinder(o, _) => self.operand(o),
            Rvalue::Ref(_, p)
            | Rvalue::RawPtr(_, p)
            | Rvalue::Len(p)
            | Rvalue::Discriminant(p)
            | Rvalue::CopyForDeref(p) => self.place(p),
            Rvalue::BinaryOp(_, a, b) => self.operands([a, b]),
            Rvalue::NullaryOp(_) | Rvalue::ThreadLocalRef(..) => Ok(()),
            Rvalue::Aggregate(a) => match a {
                Aggregate::Array(os)
                | Aggregate::Tuple(os)
                | Aggregate::AdtTuple { fields: os, .. } => self.operands(os),
                Aggregate::AdtStruct { fields, .. } | Aggregate::Closure { fields, .. } => {
                    self.operands(fields.iter().map(|(_, o)| o))
                }
                Aggregate::RawPtr { data, metadata, .. } => self.operands([data, metadata]),
            },
        }
    }

    fn unwind(&self, u: &UnwindAction) -> R {
        match u {
            UnwindAction::Cleanup(b) => self.block(*b),
            _ => Ok(()),
        }
    }

    fn terminator(&self, t: &TerminatorKind) -> R {
        match t {
            TerminatorKind::Goto(b) => self.block(*b),
            TerminatorKind::SwitchInt {
                discr,
                targets,
                otherwise,
            } => {
                self.operand(discr)?;
                targets.iter().try_for_each(|(_, b)| self.block(*b))?;
                self.block(*otherwise)
            }
            TerminatorKind::Return
            | TerminatorKind::Unreachable
            | TerminatorKind::UnwindResume
            | TerminatorKind::UnwindTerminate(_)
            | TerminatorKind::CoroutineDrop => Ok(()),
            TerminatorKind::Drop {
                place,
                target,
                unwind,
            } => {
                self.place(place)?;
                self.block(*target)?;
                self.unwind(unwind)
            }
            TerminatorKind::Call(c) => {
                self.operand(&c.func)?;
                self.operands(&c.args)?;
                self.place(&c.destination)?;
                c.target.iter().try_for_each(|b| self.block(*b))?;
                self.unwind(&c.unwind)
            }
            TerminatorKind::TailCall { func, args } => {
                self.operand(func)?;
                self.operands(args)
            }
            TerminatorKind::Assert {
                cond,
                msg,
                target,
                unwind,
                ..
            } => {
                self.operand(cond)?;
                self.message(msg)?;
                self.block(*target)?;
                self.unwind(unwind)
            }
            TerminatorKind::InlineAsm(a) => {
                for o in &a.operands {
                    match o {
                        AsmOperand::In { value, .. } => self.operand(value)?,
                        AsmOperand::Out { place, .. } => {
                            place.iter().try_for_each(|p| self.place(p))?
                        }
                        AsmOperand::InOut {
                            in_value,
                            out_place,
                            ..
                        } => {
                            self.operand(in_value)?;
                            out_place.iter().try_for_each(|p| self.place(p))?
                        }
                        AsmOperand::Const(_)
                        | AsmOperand::SymFn(_)
                        | AsmOperand::SymStatic(_)
                        | AsmOperand::Label(_) => {}
                    }
                }
                a.targets.iter().try_for_each(|b| self.block(*b))?;
                self.unwind(&a.unwind)
            }
            TerminatorKind::Yield {
                value,
                resume_arg,
                resume,
                drop,
            } => {
                self.operand(value)?;
                self.place(resume_arg)?;
                self.block(*resume)?;
                drop.iter().try_for_each(|b| self.block(*b))
            }
            TerminatorKind::FalseEdge { real, imaginary } => {
                self.block(*real)?;
                self.block(*imaginary)
            }
            TerminatorKind::FalseUnwind { real, unwind } => {
                self.block(*real)?;
                self.unwind(unwind)
            }
        }
    }

    fn message(&self, m: &AssertMessage) -> R {
        match m {
            AssertMessage::BoundsCheck { len: a, index: b }
            | AssertMessage::MisalignedPointerDereference {
                required: a,
                found: b,
            } => self.operands([a, b]),
            AssertMessage::Overflow { left, right, .. } => {
                self.operands(left)?;
                self.operand(right)
            }
            AssertMessage::OverflowNeg(o)
            | AssertMessage::DivisionByZero(o)
            | AssertMessage::RemainderByZero(o)
            | AssertMessage::InvalidEnumConstruction(o) => self.operand(o),
            AssertMessage::NullPointerDereference | AssertMessage::Resumed(_) => Ok(()),
        }
    }
}
