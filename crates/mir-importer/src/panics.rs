//! Panics of core: recognised by their entry points; their words, and the numbers in them, taken from what the block builds.

use dialect_mir::ops::PanicOp;
use pliron::value::Value;
use rustc_mir::{
    ast::{
        Aggregate, Call, ConstKind, Local, Operand, Place, Projection, Rvalue, StatementKind,
        TerminatorKind,
    },
    ty::{Path, Ty},
};

use crate::{
    func::{Func, Res},
    types::pointee,
};

/// Arguments that a record has room for.
const MAX_ARGS: usize = 6;

/// The locals that an rvalue reads.
pub fn reads(r: &Rvalue) -> impl Iterator<Item = Local> {
    let mut out = vec![];
    let mut place = |p: &Place| {
        out.push(p.local);
        for x in &p.projection {
            if let Projection::Index(l) = x {
                out.push(*l);
            }
        }
    };
    let mut op = |o: &Operand| {
        if let Operand::Copy(p) | Operand::Move(p) = o {
            place(p);
        }
    };
    match r {
        Rvalue::Use(o)
        | Rvalue::Repeat(o, _)
        | Rvalue::Cast(_, o, _)
        | Rvalue::UnaryOp(_, o)
        | Rvalue::ShallowInitBox(o, _)
        | Rvalue::WrapUnsafeBinder(o, _) => op(o),
        Rvalue::BinaryOp(_, a, b) => {
            op(a);
            op(b);
        }
        Rvalue::Ref(_, p)
        | Rvalue::RawPtr(_, p)
        | Rvalue::Len(p)
        | Rvalue::Discriminant(p)
        | Rvalue::CopyForDeref(p) => place(p),
        Rvalue::Aggregate(a) => match a {
            Aggregate::Array(ops)
            | Aggregate::Tuple(ops)
            | Aggregate::AdtTuple { fields: ops, .. } => ops.iter().for_each(op),
            Aggregate::AdtStruct { fields, .. } | Aggregate::Closure { fields, .. } => {
                fields.iter().for_each(|f| op(&f.1))
            }
            Aggregate::RawPtr { data, metadata, .. } => {
                op(data);
                op(metadata);
            }
        },
        Rvalue::NullaryOp(_) | Rvalue::ThreadLocalRef(..) => {}
    }
    out.into_iter()
}

/// The types that a body's constants say to be without bytes.
pub fn zero_sized(body: &rustc_mir::ast::Body) -> Vec<Ty> {
    let mut out = vec![];
    let mut op = |o: &Operand| {
        if let Operand::Const(c) = o
            && let ConstKind::ZeroSized(ty) = &c.kind
        {
            out.push(ty.clone());
        }
    };
    for b in &body.blocks {
        for s in &b.statements {
            let StatementKind::Assign(_, r) = &s.kind else {
                continue;
            };
            match r {
                Rvalue::Use(o) | Rvalue::Repeat(o, _) | Rvalue::Cast(_, o, _) => op(o),
                Rvalue::Aggregate(
                    Aggregate::Array(ops)
                    | Aggregate::Tuple(ops)
                    | Aggregate::AdtTuple { fields: ops, .. },
                ) => {
                    ops.iter().for_each(&mut op);
                }
                Rvalue::Aggregate(
                    Aggregate::AdtStruct { fields, .. } | Aggregate::Closure { fields, .. },
                ) => {
                    fields.iter().for_each(|f| op(&f.1));
                }
                _ => {}
            }
        }
        if let TerminatorKind::Call(c) = &b.terminator.kind {
            c.args.iter().for_each(&mut op);
        }
    }
    out
}

/// One piece of a format template.
#[derive(Clone, Debug, PartialEq, Eq)]
enum Piece {
    Text(String),
    Argument,
}

/// The bytes of `fmt::Arguments` in 1.95: a length and as many bytes of text; 0x80, a length of two bytes and text; or
/// 0xC0 with bits for the options that follow. 0 ends.
fn template(bytes: &[u8]) -> Option<Vec<Piece>> {
    let mut out = vec![];
    let mut at = 0;
    loop {
        let b = *bytes.get(at)?;
        at += 1;
        match b {
            0 => return Some(out),
            1..=0x7f => {
                let text = bytes.get(at..at + usize::from(b))?;
                out.push(Piece::Text(String::from_utf8(text.to_vec()).ok()?));
                at += usize::from(b);
            }
            0x80 => {
                let n = usize::from(u16::from_le_bytes([*bytes.get(at)?, *bytes.get(at + 1)?]));
                at += 2;
                let text = bytes.get(at..at + n)?;
                out.push(Piece::Text(String::from_utf8(text.to_vec()).ok()?));
                at += n;
            }
            0xc0.. => {
                for (bit, size) in [(1, 4), (2, 2), (4, 2), (8, 2)] {
                    if b & bit != 0 {
                        at += size;
                    }
                }
                // An argument out of its order would need its index; no macro of core's panics makes one.
                if b & 8 != 0 {
                    return None;
                }
                out.push(Piece::Argument);
            }
            _ => return None,
        }
    }
}

/// A message that is being put together.
#[derive(Default)]
struct Message {
    text: String,
    args: Vec<Value>,
}

impl Message {
    fn words(&mut self, s: &str) {
        self.text.push_str(&s.replace('{', "{{").replace('}', "}}"));
    }
}

impl Func<'_, '_> {
    /// Does a block with this end stop the thread in core?
    pub fn is_doomed(&self, t: &TerminatorKind) -> bool {
        let TerminatorKind::Call(Call {
            func: Operand::Const(c),
            target: None,
            ..
        }) = t
        else {
            return false;
        };
        match &c.kind {
            ConstKind::Fn(path) => self.is_core(path),
            _ => false,
        }
    }

    /// What a local was assigned, going backwards from the end of the block that is translated.
    fn assigned(&self, local: Local) -> Option<&Rvalue> {
        let at = |b: &rustc_mir::ast::BasicBlock| {
            b.statements.iter().rev().find_map(|s| match &s.kind {
                StatementKind::Assign(p, _) if p.local == local && p.projection.is_empty() => {
                    Some(())
                }
                _ => None,
            })
        };
        // Formatting assigns each of its locals once.
        let mut blocks = self.body.blocks.iter().filter(|b| at(b).is_some());
        let block = blocks.next()?;
        if blocks.next().is_some() {
            return None;
        }
        block.statements.iter().rev().find_map(|s| match &s.kind {
            StatementKind::Assign(p, r) if p.local == local && p.projection.is_empty() => Some(r),
            _ => None,
        })
    }

    /// The constant or the place that an operand comes from, through copies and casts.
    fn origin<'b>(&'b self, op: &'b Operand, depth: u32) -> Option<Origin<'b>> {
        match op {
            Operand::Const(c) => Some(Origin::Const(&c.kind)),
            Operand::Copy(p) | Operand::Move(p) if p.projection.is_empty() && depth < 12 => {
                match self.assigned(p.local) {
                    Some(Rvalue::Use(o) | Rvalue::Cast(_, o, _)) => self.origin(o, depth + 1),
                    // A reborrow of a reference is that reference.
                    Some(Rvalue::Ref(_, place) | Rvalue::RawPtr(_, place))
                        if place.projection[..] == [Projection::Deref] =>
                    {
                        match self.assigned(place.local) {
                            Some(Rvalue::Use(o) | Rvalue::Cast(_, o, _)) => {
                                match self.origin(o, depth + 1) {
                                    Some(Origin::Const(k)) => Some(Origin::Const(k)),
                                    _ => Some(Origin::RefTo(place)),
                                }
                            }
                            _ => Some(Origin::RefTo(place)),
                        }
                    }
                    Some(Rvalue::Ref(_, place) | Rvalue::RawPtr(_, place)) => {
                        Some(Origin::RefTo(place))
                    }
                    Some(Rvalue::Aggregate(a)) => Some(Origin::Aggregate(a)),
                    _ => None,
                }
            }
            _ => None,
        }
    }

    /// Shows what a reference points to, if it is a number or constant text.
    fn show_pointee(&mut self, op: &Operand, out: &mut Message) {
        let shown = match self.origin(op, 0) {
            Some(Origin::RefTo(place)) => {
                let place = place.clone();
                self.show_place(&place, out)
            }
            Some(Origin::Const(ConstKind::Str(s))) => {
                let s = s.clone();
                out.words(&s);
                true
            }
            _ => match op {
                Operand::Copy(p) | Operand::Move(p) => {
                    let mut p = p.clone();
                    p.projection.push(Projection::Deref);
                    self.show_place(&p, out)
                }
                _ => false,
            },
        };
        if !shown {
            out.text.push_str("{{…}}");
        }
    }

    fn show_place(&mut self, place: &Place, out: &mut Message) -> bool {
        let mut place = place.clone();
        for _ in 0..4 {
            let Ok(ty) = self.place_ty(&place) else {
                return false;
            };
            match ty {
                Ty::Int(_) | Ty::Uint(_) | Ty::Bool | Ty::Char | Ty::Float(_) => {
                    if out.args.len() >= MAX_ARGS {
                        return false;
                    }
                    return match self.message_arg(&Operand::Copy(place), out.args.len()) {
                        Ok((v, how)) => {
                            out.args.push(v);
                            out.text.push_str(&how);
                            true
                        }
                        Err(_) => false,
                    };
                }
                Ty::Ref(_, t) if *t == Ty::Str => {
                    return match self.origin(&Operand::Copy(place), 0) {
                        Some(Origin::Const(ConstKind::Str(s))) => {
                            let s = s.clone();
                            out.words(&s);
                            true
                        }
                        _ => false,
                    };
                }
                Ty::Ref(..) => {
                    // A promoted constant has no place that could be followed; a local reference has.
                    if let Some(Origin::RefTo(p)) = self.origin(&Operand::Copy(place.clone()), 0) {
                        place = p.clone();
                    } else {
                        place.projection.push(Projection::Deref);
                    }
                }
                _ => return false,
            }
        }
        false
    }

    /// The words of a `fmt::Arguments`.
    fn format(&mut self, op: &Operand, out: &mut Message) -> bool {
        let Some(Origin::Aggregate(Aggregate::AdtStruct { fields, .. })) = self.origin(op, 0)
        else {
            return false;
        };
        let field = |name: &str| fields.iter().find(|f| f.0 == name).map(|f| &f.1);
        let (Some(t), Some(a)) = (field("template"), field("args")) else {
            return false;
        };
        let (t, a) = (self.origin(t, 0), self.origin(a, 0));
        let pieces = match &t {
            Some(Origin::Const(ConstKind::ByteStr(bytes))) => template(bytes),
            Some(Origin::Const(ConstKind::Str(s))) => Some(vec![Piece::Text((*s).clone())]),
            _ => None,
        };
        let Some(pieces) = pieces else { return false };
        let mut args: Vec<Operand> = vec![];
        if let Some(Origin::RefTo(place)) = a
            && let Some(Rvalue::Aggregate(Aggregate::Array(ops))) = self.assigned(place.local)
        {
            args = ops.iter().filter_map(|o| self.argument_value(o)).collect();
            if args.len() != ops.len() {
                args.clear();
            }
        }
        let mut next = 0;
        for p in pieces {
            match p {
                Piece::Text(s) => out.words(&s),
                Piece::Argument => {
                    match args.get(next).cloned() {
                        Some(a) => self.show_pointee(&a, out),
                        None => out.text.push_str("{{…}}"),
                    }
                    next += 1;
                }
            }
        }
        true
    }

    /// The reference in a `fmt::rt::Argument`.
    fn argument_value(&self, op: &Operand) -> Option<Operand> {
        let Some(Origin::Aggregate(Aggregate::AdtStruct { fields, .. })) = self.origin(op, 0)
        else {
            return None;
        };
        let ty = &fields.iter().find(|f| f.0 == "ty")?.1;
        let Some(Origin::Aggregate(Aggregate::AdtStruct { fields, .. })) = self.origin(ty, 0)
        else {
            return None;
        };
        Some(fields.iter().find(|f| f.0 == "value")?.1.clone())
    }

    /// A call that does not return, of core: a panic with its words.
    pub fn panic_call(&mut self, call: &Call, path: &Path, name: &str) -> Res<()> {
        let mut out = Message::default();
        self.panic_message(call, path, name, &mut out)?;
        let site = self.site(out.text);
        let op = PanicOp::new(self.ctx, site, out.args);
        self.push(&op);
        Ok(())
    }

    fn panic_message(
        &mut self,
        call: &Call,
        path: &Path,
        name: &str,
        out: &mut Message,
    ) -> Res<()> {
        let text = path.to_string();
        if let Some(words) = fixed_words(name, &text) {
            out.words(words);
            return Ok(());
        }
        match (name, &call.args[..]) {
            ("panic_bounds_check", [index, len]) => {
                let (i, _) = self.message_arg(index, 0)?;
                let (l, _) = self.message_arg(len, 1)?;
                out.args = vec![i, l];
                out.text = "index out of bounds: the len is {1} but the index is {0}".into();
                return Ok(());
            }
            ("panic_fmt" | "panic_nounwind_fmt", [arguments, ..]) => {
                if !self.format(arguments, out) {
                    out.words("panicked with a message that is made at run time: {…}");
                }
                return Ok(());
            }
            ("assert_failed", [kind, left, right, message]) => {
                let op = match self.origin(kind, 0) {
                    Some(Origin::Const(ConstKind::Path(p, _) | ConstKind::AdtTuple(p, _)))
                        if p.last_ident() == Some("Ne") =>
                    {
                        "!="
                    }
                    _ => "==",
                };
                out.words(&format!("assertion `left {op} right` failed"));
                let before = out.text.len();
                out.words(": ");
                if let Operand::Const(_) = message {
                    out.text.truncate(before);
                } else {
                    let inner = match self.origin(message, 0) {
                        Some(Origin::Aggregate(Aggregate::AdtTuple { fields, .. })) => {
                            fields.first().cloned()
                        }
                        _ => None,
                    };
                    if !inner.is_some_and(|i| self.format(&i, out)) {
                        out.words("{…}");
                    }
                }
                out.words("\n  left: ");
                self.show_pointee(left, out);
                out.words("\n right: ");
                self.show_pointee(right, out);
                return Ok(());
            }
            ("unwrap_failed", [message, value]) => {
                match self.origin(message, 0) {
                    Some(Origin::Const(ConstKind::Str(s))) => {
                        let s = s.clone();
                        out.words(&s);
                    }
                    _ => out.words("{…}"),
                }
                out.words(": ");
                self.show_pointee(value, out);
                return Ok(());
            }
            _ => {}
        }
        // Text among the arguments is the message, numbers are shown after it.
        let mut numbers = vec![];
        let mut words = None;
        for a in &call.args {
            if let Some(Origin::Const(ConstKind::Str(s))) = self.origin(a, 0) {
                words = Some(s.clone());
            }
            let Ok(ty) = self.operand_ty(a) else { continue };
            let number = matches!(
                ty,
                Ty::Int(_) | Ty::Uint(_) | Ty::Bool | Ty::Char | Ty::Float(_)
            );
            if number && out.args.len() < MAX_ARGS {
                let (v, how) = self.message_arg(a, out.args.len())?;
                out.args.push(v);
                numbers.push(how);
            } else if pointee(&ty).is_some() && name == "panic_display" {
                let mut m = Message::default();
                self.show_pointee(a, &mut m);
                words = words.or(Some(m.text));
            }
        }
        let plain = matches!(
            name,
            "panic"
                | "panic_nounwind"
                | "expect_failed"
                | "panic_display"
                | "panic_str_2015"
                | "begin_panic"
        );
        match words {
            Some(w) if plain => out.words(&w),
            Some(w) => out.words(&format!("{}: {w}", short(&text))),
            None => out.words(&format!("panicked in {}", short(&text))),
        }
        if !numbers.is_empty() {
            out.text.push_str(&format!(" ({})", numbers.join(", ")));
        }
        Ok(())
    }
}

/// Where an operand comes from.
enum Origin<'b> {
    Const(&'b ConstKind),
    RefTo(&'b Place),
    Aggregate(&'b Aggregate),
}

/// Entry points whose message is always the same.
fn fixed_words(name: &str, path: &str) -> Option<&'static str> {
    Some(match name {
        "unwrap_failed" if path.contains("option") => "called `Option::unwrap()` on a `None` value",
        "panic_const_add_overflow" => "attempt to add with overflow",
        "panic_const_sub_overflow" => "attempt to subtract with overflow",
        "panic_const_mul_overflow" => "attempt to multiply with overflow",
        "panic_const_div_overflow" => "attempt to divide with overflow",
        "panic_const_rem_overflow" => "attempt to calculate the remainder with overflow",
        "panic_const_neg_overflow" => "attempt to negate with overflow",
        "panic_const_shl_overflow" => "attempt to shift left with overflow",
        "panic_const_shr_overflow" => "attempt to shift right with overflow",
        "panic_const_div_by_zero" => "attempt to divide by zero",
        "panic_const_rem_by_zero" => "attempt to calculate the remainder with a divisor of zero",
        "panic_explicit" => "explicit panic",
        "panic_already_borrowed" => "already borrowed",
        "panic_already_mutably_borrowed" => "already mutably borrowed",
        "panic_on_ord_violation" => {
            "user-provided comparison function does not correctly implement a total order"
        }
        _ => return None,
    })
}

/// The last two names of a path.
fn short(path: &str) -> String {
    let parts: Vec<_> = path.rsplit("::").take(2).collect();
    parts.into_iter().rev().collect::<Vec<_>>().join("::")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn templates() {
        let text = |s: &str| Piece::Text(s.to_string());
        assert_eq!(
            template(b"\x06seven \xc0\x05 and \xc0\x00"),
            Some(vec![
                text("seven "),
                Piece::Argument,
                text(" and "),
                Piece::Argument
            ])
        );
        assert_eq!(
            template(b"\xc3\x01\x02\x03\x04\x05\x06\x01!\x00"),
            Some(vec![Piece::Argument, text("!")])
        );
        assert_eq!(template(b"\x05ab"), None, "too short");
        assert_eq!(template(b"\x90\x00"), None, "unknown");
    }
}
