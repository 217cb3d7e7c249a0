//! Questions about a whole body: inline chains, and whether it is generic.

use std::collections::BTreeSet;

use crate::ast::*;
use crate::span::Span;
use crate::ty::{Bound, ConstArg, Root, SegmentName, Ty};

/// One level of an inline chain.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Frame<'b> {
    /// The position in this frame's function: of the statement itself in the innermost frame, of the call that was
    /// inlined in the others.
    pub span: Option<&'b Span>,
    /// The function that this frame is in; `None`: the body's own item, the last frame.
    pub function: Option<&'b Callee>,
    pub track_caller: bool,
}

impl Body {
    /// The frames of a position, innermost first. There is at least one, the body's own function.
    pub fn inline_chain<'b>(&'b self, source: &'b SourceInfo) -> Vec<Frame<'b>> {
        let mut frames = Vec::new();
        let mut span = source.span.as_ref();
        let mut scope = Some(source.scope);
        // Every scope is visited once at most: a parent is never inside its child in what the reader accepts, but a tree
        // that somebody else made may hold a cycle.
        let mut steps = self.scopes.len() + 1;
        while let Some(s) = scope
            && let Some(data) = self.scopes.get(s.0 as usize)
            && steps > 0
        {
            steps -= 1;
            if let Some(inlined) = &data.inlined {
                frames.push(Frame {
                    span,
                    function: Some(&inlined.callee),
                    track_caller: inlined.track_caller,
                });
                span = inlined.call_span.as_ref();
            }
            scope = data.parent;
        }
        frames.push(Frame {
            span,
            function: None,
            track_caller: false,
        });
        frames
    }

    /// Calls `f` on every type that the body mentions: of locals, in casts, aggregates, constants and callees.
    pub fn for_each_type<'b>(&'b self, f: &mut dyn FnMut(&'b Ty)) {
        for l in &self.locals {
            l.ty.walk(f);
        }
        for b in &self.blocks {
            for s in &b.statements {
                if let StatementKind::Assign(p, r) = &s.kind {
                    place(p, f);
                    rvalue(r, f);
                }
            }
            match &b.terminator.kind {
                TerminatorKind::Call(c) => {
                    operand(&c.func, f);
                    c.args.iter().for_each(|o| operand(o, f));
                    place(&c.destination, f);
                }
                TerminatorKind::TailCall { func, args } => {
                    operand(func, f);
                    args.iter().for_each(|o| operand(o, f));
                }
                TerminatorKind::Drop { place: p, .. } => place(p, f),
                _ => {}
            }
        }
    }

    /// Whether the body certainly belongs to a generic item: it mentions a projection that is not resolved, `Self`, an
    /// anonymous `impl` parameter, or a constant parameter. A body that mentions `T` alone may be generic too: see
    /// [`Body::maybe_params`].
    pub fn is_certainly_generic(&self) -> bool {
        let mut generic = false;
        self.for_each_type(&mut |t| {
            generic |= match t {
                Ty::Projection(p) => matches!(
                    p.root,
                    Root::Qualified {
                        trait_: Some(_),
                        ..
                    }
                ),
                Ty::Impl(bounds) => is_param(bounds),
                Ty::Array(_, n) => matches!(**n, ConstArg::Path(_) | ConstArg::Source(_)),
                t => t.as_maybe_param() == Some("Self"),
            }
        });
        generic
    }

    /// The names that may be type parameters: one word, no arguments, not primitive. Those that are names of types of the
    /// crate's root are not; the text does not tell.
    pub fn maybe_params(&self) -> BTreeSet<&str> {
        let mut out = BTreeSet::new();
        self.for_each_type(&mut |t| {
            if let Some(n) = t.as_maybe_param() {
                out.insert(n);
            }
        });
        out
    }
}

fn is_param(bounds: &[Bound]) -> bool {
    // An opaque type of a concrete function is resolved in optimised MIR, so what is left is a parameter.
    !bounds.is_empty()
}

fn place<'b>(p: &'b Place, f: &mut dyn FnMut(&'b Ty)) {
    for e in &p.projection {
        match e {
            Projection::Field(_, t)
            | Projection::OpaqueCast(t)
            | Projection::Subtype(t)
            | Projection::UnwrapUnsafeBinder(t) => t.walk(f),
            _ => {}
        }
    }
}

fn operand<'b>(o: &'b Operand, f: &mut dyn FnMut(&'b Ty)) {
    match o {
        Operand::Copy(p) | Operand::Move(p) => place(p, f),
        Operand::Const(c) => {
            if let Some(t) = &c.ty {
                t.walk(f);
            }
            if let ConstKind::Fn(p) | ConstKind::Path(p, _) | ConstKind::Promoted(p, _) = &c.kind {
                p.walk(f);
            }
        }
        Operand::RuntimeChecks(_) => {}
    }
}

fn rvalue<'b>(r: &'b Rvalue, f: &mut dyn FnMut(&'b Ty)) {
    match r {
        Rvalue::Use(o) | Rvalue::Repeat(o, _) | Rvalue::UnaryOp(_, o) => operand(o, f),
        Rvalue::Cast(_, o, t) | Rvalue::ShallowInitBox(o, t) | Rvalue::WrapUnsafeBinder(o, t) => {
            operand(o, f);
            t.walk(f);
        }
        Rvalue::BinaryOp(_, a, b) => {
            operand(a, f);
            operand(b, f);
        }
        Rvalue::Ref(_, p)
        | Rvalue::RawPtr(_, p)
        | Rvalue::Len(p)
        | Rvalue::Discriminant(p)
        | Rvalue::CopyForDeref(p) => place(p, f),
        Rvalue::NullaryOp(NullOp::SizeOf(t) | NullOp::AlignOf(t) | NullOp::OffsetOf(t, _)) => {
            t.walk(f)
        }
        Rvalue::NullaryOp(_) => {}
        Rvalue::ThreadLocalRef(_, p) => p.walk(f),
        Rvalue::Aggregate(a) => match a {
            Aggregate::Array(os) | Aggregate::Tuple(os) => os.iter().for_each(|o| operand(o, f)),
            Aggregate::AdtTuple { path, fields } => {
                path.walk(f);
                fields.iter().for_each(|o| operand(o, f));
            }
            Aggregate::AdtStruct { path, fields } => {
                path.walk(f);
                fields.iter().for_each(|(_, o)| operand(o, f));
            }
            Aggregate::Closure { ty, fields, .. } => {
                ty.walk(f);
                fields.iter().for_each(|(_, o)| operand(o, f));
            }
            Aggregate::RawPtr {
                pointee,
                data,
                metadata,
                ..
            } => {
                pointee.walk(f);
                operand(data, f);
                operand(metadata, f);
            }
        },
    }
}

impl SegmentName {
    /// The plain name.
    pub fn as_ident(&self) -> Option<&str> {
        match self {
            SegmentName::Ident(n) => Some(n),
            _ => None,
        }
    }
}
