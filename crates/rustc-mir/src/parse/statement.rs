//! Statements, right-hand sides, terminators.

use super::cursor::{Cursor, Res};
use crate::ast::*;
use crate::ty::Ty;

/// What one line of a block is.
pub(crate) enum Line {
    Statement(StatementKind),
    Terminator(TerminatorKind),
}

/// Gives the type of a place, where the text tells it.
pub(crate) type TypeOf<'t> = &'t dyn Fn(&Place) -> Option<Ty>;

impl<'a> Cursor<'a> {
    /// Up to the `;`, which is not consumed.
    pub fn line(&mut self, type_of: TypeOf<'_>) -> Res<Line> {
        if self.at_local() || self.at("(") {
            return self.assignment(type_of);
        }
        if let Some(s) = self.keyword_statement()? {
            return Ok(Line::Statement(s));
        }
        Ok(Line::Terminator(self.keyword_terminator()?))
    }

    fn keyword_statement(&mut self) -> Res<Option<StatementKind>> {
        let s = if self.eat("StorageLive(") {
            StatementKind::StorageLive(self.local()?)
        } else if self.eat("StorageDead(") {
            StatementKind::StorageDead(self.local()?)
        } else if self.eat("discriminant(") {
            let p = self.place()?;
            self.expect(") = ")?;
            return Ok(Some(StatementKind::SetDiscriminant(p, self.u32()?)));
        } else if self.eat("assume(") {
            StatementKind::Assume(self.operand()?)
        } else if self.eat("copy_nonoverlapping(dst = ") {
            let dst = self.operand()?;
            self.expect(", src = ")?;
            let src = self.operand()?;
            self.expect(", count = ")?;
            let count = self.operand()?;
            StatementKind::CopyNonOverlapping { dst, src, count }
        } else if self.eat("BackwardIncompatibleDropHint(") {
            StatementKind::BackwardIncompatibleDropHint(self.place()?)
        } else if self.eat("Deinit(") {
            StatementKind::Deinit(self.place()?)
        } else if self.eat("PlaceMention(") {
            StatementKind::PlaceMention(self.place()?)
        } else if self.eat("Retag(") {
            let kind = if self.eat("[") {
                let k = self.balanced()?.to_string();
                self.expect("] ")?;
                k
            } else {
                String::new()
            };
            StatementKind::Retag(kind, self.place()?)
        } else if self.eat("FakeRead(") {
            let rest = self.rest();
            let n = rest.find(", _").or_else(|| rest.find(", ("));
            let n = n.ok_or_else(|| self.fail("expected a place"))?;
            self.pos += n + 2;
            StatementKind::FakeRead(rest[..n].to_string(), self.place()?)
        } else if self.eat("AscribeUserType(") {
            let p = self.place()?;
            self.expect(", ")?;
            StatementKind::AscribeUserType(p, self.balanced()?.to_string())
        } else if self.at("Coverage::") {
            let rest = self.rest();
            let n = rest.find(';').ok_or_else(|| self.fail("expected `;`"))?;
            self.pos += n;
            return Ok(Some(StatementKind::Coverage(rest[..n].to_string())));
        } else if self.eat("ConstEvalCounter") {
            return Ok(Some(StatementKind::ConstEvalCounter));
        } else if self.eat("nop") {
            return Ok(Some(StatementKind::Nop));
        } else {
            return Ok(None);
        };
        self.expect(")")?;
        Ok(Some(s))
    }

    /// `place = …`: an assignment, a call, or a yield.
    fn assignment(&mut self, type_of: TypeOf<'_>) -> Res<Line> {
        let place = self.place()?;
        self.expect(" = ")?;
        if self.eat("yield(") {
            let value = self.operand()?;
            self.expect(") -> ")?;
            let (resume, drop) = if self.eat("[resume: ") {
                let r = self.block()?;
                let d = if self.eat(", drop: ") {
                    Some(self.block()?)
                } else {
                    None
                };
                self.expect("]")?;
                (r, d)
            } else {
                (self.block()?, None)
            };
            let kind = TerminatorKind::Yield {
                value,
                resume_arg: place,
                resume,
                drop,
            };
            return Ok(Line::Terminator(kind));
        }
        let start = self.pos;
        if let Some(op) = self.marked_operand()? {
            if self.eat("(") {
                let args = self.operands(")")?;
                return self.call(place, op, args);
            }
            let rv = self.after_operand(op)?;
            return Ok(Line::Statement(StatementKind::Assign(place, rv)));
        }
        let dest = type_of(&place);
        if let Some(rv) = self.keyword_rvalue(dest.as_ref())? {
            return Ok(Line::Statement(StatementKind::Assign(place, rv)));
        }
        // A path: a call, an aggregate, or a function item as a value.
        let path = self.path(true).map_err(|mut e| {
            if e.pos == start {
                e.what = "a right-hand side that is not known".into();
            }
            e
        })?;
        let path_end = self.pos;
        if self.eat("(") {
            let args = self.operands(")")?;
            if self.at(" -> ") {
                let end = std::mem::replace(&mut self.pos, path_end);
                let f = self.fn_const(path, start);
                self.pos = end;
                return self.call(place, Operand::Const(f), args);
            }
            let rv = Rvalue::Aggregate(Aggregate::AdtTuple { path, fields: args });
            return Ok(Line::Statement(StatementKind::Assign(place, rv)));
        }
        let rv = if self.eat(" { ") {
            let fields = self.named_operands(" }")?;
            Rvalue::Aggregate(Aggregate::AdtStruct { path, fields })
        } else if self.eat(" {}") {
            Rvalue::Aggregate(Aggregate::AdtStruct {
                path,
                fields: Vec::new(),
            })
        } else if self.at(" as ") {
            let f = self.fn_const(path, start);
            self.after_operand(Operand::Const(f))?
        } else if self.find_note(&self.src[start..path_end]).is_some() {
            Rvalue::Use(Operand::Const(self.fn_const(path, start)))
        } else {
            Rvalue::Aggregate(Aggregate::AdtTuple {
                path,
                fields: Vec::new(),
            })
        };
        Ok(Line::Statement(StatementKind::Assign(place, rv)))
    }

    /// ` as T (Kind)` or nothing.
    fn after_operand(&mut self, op: Operand) -> Res<Rvalue> {
        if !self.eat(" as ") {
            return Ok(Rvalue::Use(op));
        }
        let ty = self.ty()?;
        self.expect(" (")?;
        let kind = self.cast_kind()?;
        self.expect(")")?;
        Ok(Rvalue::Cast(kind, op, ty))
    }

    fn cast_kind(&mut self) -> Res<CastKind> {
        use CastKind::*;
        let start = self.pos;
        Ok(match self.ident()? {
            "PointerExposeProvenance" => PointerExposeProvenance,
            "PointerWithExposedProvenance" => PointerWithExposedProvenance,
            "IntToInt" => IntToInt,
            "FloatToInt" => FloatToInt,
            "FloatToFloat" => FloatToFloat,
            "IntToFloat" => IntToFloat,
            "PtrToPtr" => PtrToPtr,
            "FnPtrToPtr" => FnPtrToPtr,
            "Transmute" => Transmute,
            "Subtype" => Subtype,
            "PointerCoercion" => {
                self.expect("(")?;
                let at = self.pos;
                let kind = match self.ident()? {
                    "ReifyFnPointer" => {
                        if self.eat("(") {
                            self.balanced()?;
                            self.expect(")")?;
                        }
                        crate::ast::PointerCoercion::ReifyFnPointer
                    }
                    "UnsafeFnPointer" => crate::ast::PointerCoercion::UnsafeFnPointer,
                    "MutToConstPointer" => crate::ast::PointerCoercion::MutToConstPointer,
                    "ArrayToPointer" => crate::ast::PointerCoercion::ArrayToPointer,
                    "Unsize" => crate::ast::PointerCoercion::Unsize,
                    "ClosureFnPointer" => {
                        self.expect("(")?;
                        let is_unsafe = self.balanced()? == "Unsafe";
                        self.expect(")")?;
                        crate::ast::PointerCoercion::ClosureFnPointer { is_unsafe }
                    }
                    other => {
                        return Err(self.fail_at(
                            at,
                            format!("a pointer coercion that is not known: `{other}`"),
                        ));
                    }
                };
                let source = if self.eat(", AsCast)") {
                    CoercionSource::AsCast
                } else {
                    self.expect(", Implicit)")?;
                    CoercionSource::Implicit
                };
                PointerCoercion(kind, source)
            }
            other => {
                return Err(self.fail_at(start, format!("a cast that is not known: `{other}`")));
            }
        })
    }

    /// A right-hand side that begins with a word or mark of its own.
    fn keyword_rvalue(&mut self, dest: Option<&Ty>) -> Res<Option<Rvalue>> {
        let rv = match self.peek() {
            Some(b'&') => self.borrow()?,
            Some(b'[') => {
                self.pos += 1;
                if self.eat("]") {
                    return Ok(Some(Rvalue::Aggregate(Aggregate::Array(Vec::new()))));
                }
                let first = self.operand()?;
                if self.eat("; ") {
                    let n = self.array_len()?;
                    self.expect("]")?;
                    Rvalue::Repeat(first, n)
                } else {
                    let mut items = vec![first];
                    if !self.eat("]") {
                        self.expect(", ")?;
                        items.extend(self.operands("]")?);
                    }
                    Rvalue::Aggregate(Aggregate::Array(items))
                }
            }
            Some(b'(') => {
                self.pos += 1;
                Rvalue::Aggregate(Aggregate::Tuple(self.operands(")")?))
            }
            Some(b'*') => {
                let Ty::RawPtr(mutability, pointee) = self.ty()? else {
                    return Err(self.fail("expected a raw pointer's type"));
                };
                self.expect(" from (")?;
                let data = self.operand()?;
                self.expect(", ")?;
                let metadata = self.operand()?;
                self.expect(")")?;
                let pointee = *pointee;
                Rvalue::Aggregate(Aggregate::RawPtr {
                    pointee,
                    mutability,
                    data,
                    metadata,
                })
            }
            Some(b'{') => {
                let ty = self.ty()?;
                let fields = if self.eat(" { ") {
                    self.named_operands(" }")?
                } else {
                    Vec::new()
                };
                let identity = self.closure_note.take();
                Rvalue::Aggregate(Aggregate::Closure {
                    ty,
                    fields,
                    identity,
                })
            }
            Some(b'a'..=b'z' | b'A'..=b'Z') => return self.word_rvalue(dest),
            _ => return Ok(None),
        };
        Ok(Some(rv))
    }

    fn borrow(&mut self) -> Res<Rvalue> {
        if self.eat("&/*tls*/ ") {
            let m = if self.eat("mut ") {
                Mutability::Mut
            } else {
                Mutability::Not
            };
            return Ok(Rvalue::ThreadLocalRef(m, self.path(true)?));
        }
        for (text, kind) in [
            ("&raw const (fake) ", RawPtrKind::FakeForPtrMetadata),
            ("&raw const ", RawPtrKind::Const),
            ("&raw mut ", RawPtrKind::Mut),
        ] {
            if self.eat(text) {
                return Ok(Rvalue::RawPtr(kind, self.place()?));
            }
        }
        self.expect("&")?;
        if self.skip_lifetime() {
            self.eat(" ");
        }
        let kind = if self.eat("mut ") {
            BorrowKind::Mut
        } else if self.eat("fake shallow ") {
            BorrowKind::Fake { shallow: true }
        } else if self.eat("fake ") {
            BorrowKind::Fake { shallow: false }
        } else {
            BorrowKind::Shared
        };
        Ok(Rvalue::Ref(kind, self.place()?))
    }

    fn word_rvalue(&mut self, dest: Option<&Ty>) -> Res<Option<Rvalue>> {
        let start = self.pos;
        if self.eat("deref_copy ") {
            return Ok(Some(Rvalue::CopyForDeref(self.place()?)));
        }
        if self.eat("wrap_binder!(") {
            let op = self.operand()?;
            self.expect("; ")?;
            let t = self.ty()?;
            self.expect(")")?;
            return Ok(Some(Rvalue::WrapUnsafeBinder(op, t)));
        }
        let Ok(word) = self.ident() else {
            return Ok(None);
        };
        // A tuple-like struct of the crate's root can have the name of an operation (`Add(copy _1, copy _2)`); the
        // destination's type tells: no operation's result has a type of that name.
        let is_struct = matches!(dest, Some(Ty::Path(p)) if p.last_ident() == Some(word));
        if !self.eat("(") || is_struct {
            self.pos = start;
            return Ok(None);
        }
        let rv = if let Some(op) = bin_op(word) {
            let a = self.operand()?;
            self.expect(", ")?;
            Rvalue::BinaryOp(op, a, self.operand()?)
        } else if let Some(op) = un_op(word) {
            Rvalue::UnaryOp(op, self.operand()?)
        } else {
            match word {
                "discriminant" if self.at_local() || self.at("(") => {
                    Rvalue::Discriminant(self.place()?)
                }
                "Len" if self.at_local() || self.at("(") => Rvalue::Len(self.place()?),
                "SizeOf" => Rvalue::NullaryOp(NullOp::SizeOf(self.ty()?)),
                "AlignOf" => Rvalue::NullaryOp(NullOp::AlignOf(self.ty()?)),
                "OffsetOf" => {
                    let t = self.ty()?;
                    self.expect(", [")?;
                    let mut path = Vec::new();
                    while !self.eat("]") {
                        if !path.is_empty() {
                            self.expect(", ")?;
                        }
                        self.expect("(")?;
                        let v = self.u32()?;
                        self.expect(", ")?;
                        path.push((v, self.u32()?));
                        self.expect(")")?;
                    }
                    Rvalue::NullaryOp(NullOp::OffsetOf(t, path))
                }
                "UbChecks" if self.at(")") => Rvalue::NullaryOp(NullOp::UbChecks),
                "ContractChecks" if self.at(")") => Rvalue::NullaryOp(NullOp::ContractChecks),
                "OverflowChecks" if self.at(")") => Rvalue::NullaryOp(NullOp::OverflowChecks),
                "ShallowInitBox" => {
                    let op = self.operand()?;
                    self.expect(", ")?;
                    Rvalue::ShallowInitBox(op, self.ty()?)
                }
                _ => {
                    self.pos = start;
                    return Ok(None);
                }
            }
        };
        self.expect(")")?;
        Ok(Some(rv))
    }

    fn named_operands(&mut self, close: &'static str) -> Res<Vec<(String, Operand)>> {
        let mut out = Vec::new();
        loop {
            let name = self.field_name()?;
            self.expect(": ")?;
            out.push((name, self.operand()?));
            if self.eat(close) {
                return Ok(out);
            }
            self.expect(", ")?;
        }
    }

    fn call(&mut self, destination: Place, func: Operand, args: Vec<Operand>) -> Res<Line> {
        let (target, unwind) = self.call_edges("return")?;
        let kind = TerminatorKind::Call(Call {
            func,
            args,
            destination,
            target,
            unwind,
        });
        Ok(Line::Terminator(kind))
    }

    /// ` -> [return: bb1, unwind continue]`, ` -> unwind unreachable`, ` -> bb2` (cleanup alone).
    fn call_edges(&mut self, label: &'static str) -> Res<(Option<BlockId>, UnwindAction)> {
        self.expect(" -> ")?;
        if self.eat("unwind ") {
            return Ok((None, self.unwind_word()?));
        }
        if self.at("bb") {
            return Ok((None, UnwindAction::Cleanup(self.block()?)));
        }
        self.expect("[")?;
        self.expect(label)?;
        self.expect(": ")?;
        let target = self.block()?;
        self.expect(", unwind")?;
        let unwind = if self.eat(": ") {
            UnwindAction::Cleanup(self.block()?)
        } else {
            self.expect(" ")?;
            self.unwind_word()?
        };
        self.expect("]")?;
        Ok((Some(target), unwind))
    }

    fn unwind_word(&mut self) -> Res<UnwindAction> {
        if self.eat("continue") {
            Ok(UnwindAction::Continue)
        } else if self.eat("unreachable") {
            Ok(UnwindAction::Unreachable)
        } else if self.eat("terminate(") {
            let why = self.balanced()?.to_string();
            self.expect(")")?;
            Ok(UnwindAction::Terminate(why))
        } else {
            Err(self.fail("expected an unwind action"))
        }
    }

    fn keyword_terminator(&mut self) -> Res<TerminatorKind> {
        let start = self.pos;
        if self.eat("goto -> ") {
            return Ok(TerminatorKind::Goto(self.block()?));
        }
        if self.eat("switchInt(") {
            return self.switch();
        }
        for (word, kind) in [
            ("return", TerminatorKind::Return),
            ("unreachable", TerminatorKind::Unreachable),
            ("resume", TerminatorKind::UnwindResume),
            ("coroutine_drop", TerminatorKind::CoroutineDrop),
        ] {
            if self.at_word(word) {
                self.pos += word.len();
                return Ok(kind);
            }
        }
        if self.eat("terminate(") {
            let why = self.balanced()?.to_string();
            self.expect(")")?;
            return Ok(TerminatorKind::UnwindTerminate(why));
        }
        if self.eat("drop(") {
            let place = self.place()?;
            self.expect(")")?;
            let (target, unwind) = self.call_edges("return")?;
            let target =
                target.ok_or_else(|| self.fail_at(start, "a drop that does not return"))?;
            return Ok(TerminatorKind::Drop {
                place,
                target,
                unwind,
            });
        }
        if self.eat("tailcall ") {
            let func = self.operand()?;
            self.expect("(")?;
            return Ok(TerminatorKind::TailCall {
                func,
                args: self.operands(")")?,
            });
        }
        if self.eat("assert(") {
            return self.assert();
        }
        if self.eat("asm!(") || self.eat("naked_asm!(") {
            return self.inline_asm();
        }
        if self.eat("falseEdge -> [real: ") {
            let real = self.block()?;
            self.expect(", imaginary: ")?;
            let imaginary = self.block()?;
            self.expect("]")?;
            return Ok(TerminatorKind::FalseEdge { real, imaginary });
        }
        if self.at("falseUnwind") {
            self.pos += "falseUnwind".len();
            let (real, unwind) = self.call_edges("real")?;
            let real = real.ok_or_else(|| self.fail_at(start, "expected a block"))?;
            return Ok(TerminatorKind::FalseUnwind { real, unwind });
        }
        Err(self.fail("a statement or terminator that is not known"))
    }

    fn switch(&mut self) -> Res<TerminatorKind> {
        let discr = self.operand()?;
        self.expect(") -> [")?;
        let mut targets = Vec::new();
        loop {
            if self.eat("otherwise: ") {
                let otherwise = self.block()?;
                self.expect("]")?;
                return Ok(TerminatorKind::SwitchInt {
                    discr,
                    targets,
                    otherwise,
                });
            }
            let value = self.u128()?;
            self.expect(": ")?;
            targets.push((value, self.block()?));
            self.expect(", ")?;
        }
    }

    fn assert(&mut self) -> Res<TerminatorKind> {
        let expected = !self.eat("!");
        let cond = self.operand()?;
        self.expect(", ")?;
        let at = self.pos;
        let text = self.string()?;
        let mut args = Vec::new();
        if !self.eat(")") {
            self.expect(", ")?;
            args = self.operands(")")?;
        }
        let msg = assert_message(&text, args).ok_or_else(|| {
            self.fail_at(at, format!("an assert message that is not known: {text:?}"))
        })?;
        let (target, unwind) = self.call_edges("success")?;
        let target = target.ok_or_else(|| self.fail_at(at, "an assert that does not return"))?;
        Ok(TerminatorKind::Assert {
            cond,
            expected,
            msg,
            target,
            unwind,
        })
    }

    /// The template is printed unescaped, so its end is where operands or options begin.
    fn inline_asm(&mut self) -> Res<TerminatorKind> {
        self.expect("\"")?;
        let rest = self.rest();
        const NEXT: [&str; 10] = [
            "in(",
            "out(",
            "lateout(",
            "inout(",
            "inlateout(",
            "const ",
            "sym_fn ",
            "sym_static ",
            "label ",
            "options(",
        ];
        let end = rest
            .match_indices("\", ")
            .map(|(i, _)| i)
            .find(|i| NEXT.iter().any(|n| rest[i + 3..].starts_with(n)))
            .ok_or_else(|| self.fail("an assembly template that does not end"))?;
        let template = rest[..end].to_string();
        self.pos += end + 3;
        let mut operands = Vec::new();
        while !self.at("options(") {
            operands.push(self.asm_operand()?);
            self.expect(", ")?;
        }
        self.expect("options(")?;
        let options = self.balanced()?.to_string();
        self.expect("))")?;
        let (mut targets, mut unwind) = (Vec::new(), UnwindAction::Unreachable);
        if self.eat(" -> ") {
            if self.eat("unwind ") {
                unwind = self.unwind_word()?;
            } else if self.at("bb") {
                targets.push(self.block()?);
            } else {
                self.expect("[")?;
                loop {
                    if self.eat("unwind: ") {
                        unwind = UnwindAction::Cleanup(self.block()?);
                    } else if self.eat("unwind ") {
                        unwind = self.unwind_word()?;
                    } else {
                        let _ = self.eat("return: ") || self.eat("label: ");
                        targets.push(self.block()?);
                    }
                    if self.eat("]") {
                        break;
                    }
                    self.expect(", ")?;
                }
            }
        }
        Ok(TerminatorKind::InlineAsm(InlineAsm {
            template,
            operands,
            options,
            targets,
            unwind,
        }))
    }

    fn asm_operand(&mut self) -> Res<AsmOperand> {
        let start = self.pos;
        if self.eat("const ") {
            self.eat("const ");
            return Ok(AsmOperand::Const(self.constant()?));
        }
        if self.eat("sym_fn ") {
            return match self.operand()? {
                Operand::Const(c) => Ok(AsmOperand::SymFn(c)),
                _ => Err(self.fail_at(start, "expected a function")),
            };
        }
        if self.eat("sym_static ") {
            let rest = self.rest();
            let n = rest
                .find(", options(")
                .or_else(|| rest.find(", "))
                .unwrap_or(0);
            self.pos += n;
            return Ok(AsmOperand::SymStatic(rest[..n].to_string()));
        }
        if self.eat("label ") {
            return Ok(AsmOperand::Label(self.u32()?));
        }
        let word = self.ident()?;
        self.expect("(")?;
        let reg = self.balanced()?.to_string();
        self.expect(") ")?;
        match word {
            "in" => Ok(AsmOperand::In {
                reg,
                value: self.operand()?,
            }),
            "out" | "lateout" => Ok(AsmOperand::Out {
                reg,
                late: word == "lateout",
                place: self.asm_place()?,
            }),
            "inout" | "inlateout" => {
                let in_value = self.operand()?;
                self.expect(" => ")?;
                let out_place = self.asm_place()?;
                Ok(AsmOperand::InOut {
                    reg,
                    late: word == "inlateout",
                    in_value,
                    out_place,
                })
            }
            _ => Err(self.fail_at(start, "an assembly operand that is not known")),
        }
    }

    fn asm_place(&mut self) -> Res<Option<Place>> {
        if self.at("_,") {
            self.pos += 1;
            return Ok(None);
        }
        Ok(Some(self.place()?))
    }
}

pub(crate) fn bin_op(name: &str) -> Option<BinOp> {
    BIN_OPS.iter().find(|(n, _)| *n == name).map(|(_, op)| *op)
}

pub(crate) const BIN_OPS: [(&str, BinOp); 26] = [
    ("Add", BinOp::Add),
    ("AddUnchecked", BinOp::AddUnchecked),
    ("AddWithOverflow", BinOp::AddWithOverflow),
    ("Sub", BinOp::Sub),
    ("SubUnchecked", BinOp::SubUnchecked),
    ("SubWithOverflow", BinOp::SubWithOverflow),
    ("Mul", BinOp::Mul),
    ("MulUnchecked", BinOp::MulUnchecked),
    ("MulWithOverflow", BinOp::MulWithOverflow),
    ("Div", BinOp::Div),
    ("Rem", BinOp::Rem),
    ("BitXor", BinOp::BitXor),
    ("BitAnd", BinOp::BitAnd),
    ("BitOr", BinOp::BitOr),
    ("Shl", BinOp::Shl),
    ("ShlUnchecked", BinOp::ShlUnchecked),
    ("Shr", BinOp::Shr),
    ("ShrUnchecked", BinOp::ShrUnchecked),
    ("Eq", BinOp::Eq),
    ("Lt", BinOp::Lt),
    ("Le", BinOp::Le),
    ("Ne", BinOp::Ne),
    ("Ge", BinOp::Ge),
    ("Gt", BinOp::Gt),
    ("Cmp", BinOp::Cmp),
    ("Offset", BinOp::Offset),
];

fn un_op(name: &str) -> Option<UnOp> {
    Some(match name {
        "Not" => UnOp::Not,
        "Neg" => UnOp::Neg,
        "PtrMetadata" => UnOp::PtrMetadata,
        _ => return None,
    })
}

/// The messages of `rustc_middle::mir::AssertKind`.
fn assert_message(text: &str, args: Vec<Operand>) -> Option<AssertMessage> {
    let n = args.len();
    let mut args = args.into_iter();
    let mut next = || args.next();
    let overflow = |op, left, right| Some(AssertMessage::Overflow { op, left, right });
    match (text, n) {
        ("index out of bounds: the length is {} but the index is {}", 2) => {
            Some(AssertMessage::BoundsCheck {
                len: next()?,
                index: next()?,
            })
        }
        ("attempt to negate `{}`, which would overflow", 1) => {
            Some(AssertMessage::OverflowNeg(next()?))
        }
        ("attempt to divide `{}` by zero", 1) => Some(AssertMessage::DivisionByZero(next()?)),
        ("attempt to calculate the remainder of `{}` with a divisor of zero", 1) => {
            Some(AssertMessage::RemainderByZero(next()?))
        }
        ("attempt to compute `{} + {}`, which would overflow", 2) => {
            overflow(BinOp::Add, next(), next()?)
        }
        ("attempt to compute `{} - {}`, which would overflow", 2) => {
            overflow(BinOp::Sub, next(), next()?)
        }
        ("attempt to compute `{} * {}`, which would overflow", 2) => {
            overflow(BinOp::Mul, next(), next()?)
        }
        ("attempt to compute `{} / {}`, which would overflow", 2) => {
            overflow(BinOp::Div, next(), next()?)
        }
        (
            "attempt to compute the remainder of `{} % {}`, which would overflow"
            | "attempt to compute `{} % {}`, which would overflow",
            2,
        ) => overflow(BinOp::Rem, next(), next()?),
        ("attempt to shift left by `{}`, which would overflow", 1) => {
            overflow(BinOp::Shl, None, next()?)
        }
        ("attempt to shift right by `{}`, which would overflow", 1) => {
            overflow(BinOp::Shr, None, next()?)
        }
        (
            "misaligned pointer dereference: address must be a multiple of {} but is {}"
            | "misaligned pointer dereference: address must be a multiple of {} but is {:#x}",
            2,
        ) => Some(AssertMessage::MisalignedPointerDereference {
            required: next()?,
            found: next()?,
        }),
        ("null pointer dereference occurred", 0) => Some(AssertMessage::NullPointerDereference),
        ("trying to construct an enum from an invalid value {}", 1)
        | ("trying to construct an enum from an invalid value {:#x}", 1) => {
            Some(AssertMessage::InvalidEnumConstruction(next()?))
        }
        (m, 0) if m.contains("resumed after") => Some(AssertMessage::Resumed(m.to_string())),
        _ => None,
    }
}
