//! Prints types and paths canonically: as rustc does, with lifetimes left out.

use std::fmt::{self, Formatter, Write};

use crate::ty::*;

/// Whether generic arguments are written `::<T>` (value position) or `<T>` (type position).
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Position {
    Value,
    Type,
}

fn comma<T>(
    f: &mut Formatter<'_>,
    items: &[T],
    mut each: impl FnMut(&mut Formatter<'_>, &T) -> fmt::Result,
) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(", ")?;
        }
        each(f, item)?;
    }
    Ok(())
}

pub(crate) fn ty(f: &mut Formatter<'_>, t: &Ty) -> fmt::Result {
    match t {
        Ty::Bool => f.write_str("bool"),
        Ty::Char => f.write_str("char"),
        Ty::Str => f.write_str("str"),
        Ty::Never => f.write_str("!"),
        Ty::Int(i) => f.write_str(i.name()),
        Ty::Uint(u) => f.write_str(u.name()),
        Ty::Float(x) => f.write_str(x.name()),
        Ty::Path(p) | Ty::Projection(p) => path(f, p, Position::Type),
        Ty::Ref(m, t) => {
            f.write_str(if *m == Mutability::Mut { "&mut " } else { "&" })?;
            pointee(f, t)
        }
        Ty::RawPtr(m, t) => {
            f.write_str(if *m == Mutability::Mut {
                "*mut "
            } else {
                "*const "
            })?;
            pointee(f, t)
        }
        Ty::Slice(t) => write!(f, "[{t}]"),
        Ty::Array(t, n) => write!(f, "[{t}; {n}]"),
        Ty::Tuple(ts) => {
            f.write_char('(')?;
            comma(f, ts, ty)?;
            f.write_str(if ts.len() == 1 { ",)" } else { ")" })
        }
        Ty::FnPtr(sig) => fn_sig(f, sig),
        Ty::FnDef(sig, p) => {
            fn_sig(f, sig)?;
            f.write_str(" {")?;
            path(f, p, Position::Value)?;
            f.write_char('}')
        }
        Ty::Closure(c) => {
            write!(f, "{{{}", c.kind)?;
            match &c.at {
                ClosureAt::Span(s) => write!(f, "@{s}")?,
                ClosureAt::Path(p) => {
                    f.write_char('@')?;
                    path(f, p, Position::Type)?
                }
                ClosureAt::Of(text) => write!(f, " of {text}")?,
            }
            f.write_char('}')
        }
        Ty::Dyn(bs) => {
            f.write_str("dyn ")?;
            bounds(f, bs)
        }
        Ty::Impl(bs) => {
            f.write_str("impl ")?;
            bounds(f, bs)
        }
        Ty::Pattern(t, pat) => write!(f, "({t}) is {pat}"),
        Ty::UnsafeBinder(t) => write!(f, "unsafe<> {t}"),
        Ty::Infer => f.write_char('_'),
    }
}

/// Several bounds need parentheses behind a pointer.
fn pointee(f: &mut Formatter<'_>, t: &Ty) -> fmt::Result {
    match t {
        Ty::Dyn(bs) | Ty::Impl(bs) if bs.len() > 1 => write!(f, "({t})"),
        _ => ty(f, t),
    }
}

fn bounds(f: &mut Formatter<'_>, bs: &[Bound]) -> fmt::Result {
    for (i, b) in bs.iter().enumerate() {
        if i > 0 {
            f.write_str(" + ")?;
        }
        f.write_str(&b.modifier)?;
        path(f, &b.path, Position::Type)?;
    }
    Ok(())
}

fn fn_sig(f: &mut Formatter<'_>, sig: &FnSig) -> fmt::Result {
    if sig.is_unsafe {
        f.write_str("unsafe ")?;
    }
    if let Some(abi) = &sig.abi {
        write!(f, "extern {abi:?} ")?;
    }
    f.write_str("fn(")?;
    comma(f, &sig.inputs, ty)?;
    if sig.c_variadic {
        f.write_str(if sig.inputs.is_empty() {
            "..."
        } else {
            ", ..."
        })?;
    }
    f.write_char(')')?;
    if sig.output != Ty::unit() {
        write!(f, " -> {}", sig.output)?;
    }
    Ok(())
}

pub(crate) fn path(f: &mut Formatter<'_>, p: &Path, pos: Position) -> fmt::Result {
    let mut first = true;
    if let Root::Qualified { self_ty, trait_ } = &p.root {
        write!(f, "<{self_ty}")?;
        if let Some(t) = trait_ {
            f.write_str(" as ")?;
            path(f, t, Position::Type)?;
        }
        f.write_char('>')?;
        first = false;
    }
    for s in &p.segments {
        if !first {
            f.write_str("::")?;
        }
        first = false;
        match &s.name {
            SegmentName::Ident(n) => f.write_str(n)?,
            SegmentName::Numbered(n, i) => write!(f, "{{{n}#{i}}}")?,
            SegmentName::ImplAt(span) => write!(f, "<impl at {span}>")?,
            SegmentName::Impl { self_ty, trait_ } => {
                f.write_str("<impl ")?;
                if let Some(t) = trait_ {
                    path(f, t, Position::Type)?;
                    f.write_str(" for ")?;
                }
                write!(f, "{self_ty}>")?;
            }
        }
        if s.parenthesized {
            sugared(f, &s.args)?;
        } else if !s.args.is_empty() {
            f.write_str(if pos == Position::Value { "::<" } else { "<" })?;
            comma(f, &s.args, generic_arg)?;
            f.write_char('>')?;
        }
    }
    Ok(())
}

/// `Fn(A, B) -> R`
fn sugared(f: &mut Formatter<'_>, args: &[GenericArg]) -> fmt::Result {
    for a in args {
        match a {
            GenericArg::Type(Ty::Tuple(ts)) => {
                f.write_char('(')?;
                comma(f, ts, ty)?;
                f.write_char(')')?;
            }
            GenericArg::Binding(_, out) => write!(f, " -> {out}")?,
            other => generic_arg(f, other)?,
        }
    }
    Ok(())
}

pub(crate) fn generic_arg(f: &mut Formatter<'_>, a: &GenericArg) -> fmt::Result {
    match a {
        GenericArg::Type(t) => ty(f, t),
        GenericArg::Const(c) => const_arg(f, c),
        GenericArg::Binding(p, v) => {
            path(f, p, Position::Type)?;
            write!(f, " = {v}")
        }
    }
}

pub(crate) fn const_arg(f: &mut Formatter<'_>, c: &ConstArg) -> fmt::Result {
    match c {
        ConstArg::Uint(n) => write!(f, "{n}"),
        ConstArg::NegInt(n) => write!(f, "{n}"),
        ConstArg::Bool(b) => write!(f, "{b}"),
        ConstArg::Char(c) => write!(f, "{c:?}"),
        ConstArg::Str(s) => write!(f, "{s:?}"),
        ConstArg::Path(p) => path(f, p, Position::Value),
        ConstArg::Infer => f.write_char('_'),
        ConstArg::Source(s) => f.write_str(s),
    }
}
