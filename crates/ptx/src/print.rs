//! The syntax tree back to text.

use crate::ast::*;
use std::fmt::{self, Display, Formatter};

/// Writes `items` with `sep` between them.
fn list<T: Display>(f: &mut Formatter<'_>, items: &[T], sep: &str) -> fmt::Result {
    for (i, item) in items.iter().enumerate() {
        if i > 0 {
            f.write_str(sep)?;
        }
        write!(f, "{item}")?;
    }
    Ok(())
}

fn offset(f: &mut Formatter<'_>, n: i64) -> fmt::Result {
    // `+-4` is what the grammar has for a negative offset.
    if n == 0 { Ok(()) } else { write!(f, "+{n}") }
}

fn texts(f: &mut Formatter<'_>, texts: &[String]) -> fmt::Result {
    for (i, t) in texts.iter().enumerate() {
        write!(f, "{}\"{t}\"", if i > 0 { ", " } else { "" })?;
    }
    Ok(())
}

impl Display for Module {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        for item in &self.items {
            writeln!(f, "{item}")?;
        }
        Ok(())
    }
}

impl Display for Item {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Item::Version { major, minor, .. } => write!(f, ".version {major}.{minor}"),
            Item::Target { names, .. } => {
                f.write_str(".target ")?;
                list(f, names, ", ")
            }
            Item::AddressSize { bits, .. } => write!(f, ".address_size {bits}"),
            Item::Variable(v) => write!(f, "{v};"),
            Item::Function(x) => write!(f, "{x}"),
            Item::File {
                index, name, stamp, ..
            } => {
                write!(f, ".file {index} \"{name}\"")?;
                match stamp {
                    Some((t, s)) => write!(f, ", {t}, {s}"),
                    None => Ok(()),
                }
            }
            Item::Section { head, body, .. } => write!(f, "{head} {{{body}}}"),
            Item::Pragma { texts: t, .. } => {
                f.write_str(".pragma ")?;
                texts(f, t)?;
                f.write_str(";")
            }
            Item::Alias { name, target, .. } => write!(f, ".alias {name}, {target};"),
        }
    }
}

impl Display for Linkage {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Linkage::Internal => "",
            Linkage::Visible => ".visible ",
            Linkage::Extern => ".extern ",
            Linkage::Weak => ".weak ",
            Linkage::Common => ".common ",
        })
    }
}

impl Display for Variable {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.linkage, self.space.name())?;
        for a in &self.attributes {
            write!(f, " .attribute({a})")?;
        }
        if let Some(a) = self.align {
            write!(f, " .align {a}")?;
        }
        if self.vector > 1 {
            write!(f, " .v{}", self.vector)?;
        }
        write!(f, " .{}", self.ty.name())?;
        if let Some(p) = &self.ptr {
            f.write_str(" .ptr")?;
            if let Some(s) = p.space {
                write!(f, " {}", s.name())?;
            }
            if let Some(a) = p.align {
                write!(f, " .align {a}")?;
            }
        }
        write!(f, " {}", self.name)?;
        for d in &self.dims {
            match d {
                Some(n) => write!(f, "[{n}]")?,
                None => f.write_str("[]")?,
            }
        }
        match &self.init {
            Some(i) => write!(f, " = {i}"),
            None => Ok(()),
        }
    }
}

impl Display for Init {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Init::Int(n) => write!(f, "{n}"),
            Init::F32(b) => write!(f, "0f{b:08X}"),
            Init::F64(b) => write!(f, "0d{b:016X}"),
            Init::Symbol {
                name,
                offset: o,
                generic,
                mask,
            } => {
                if let Some(m) = mask {
                    write!(f, "0x{m:X}(")?;
                }
                if *generic {
                    write!(f, "generic({name})")?;
                } else {
                    write!(f, "{name}")?;
                }
                offset(f, *o)?;
                f.write_str(if mask.is_some() { ")" } else { "" })
            }
            Init::List(items) => {
                f.write_str("{")?;
                list(f, items, ", ")?;
                f.write_str("}")
            }
        }
    }
}

impl Display for Directive {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (i, v) in self.values.iter().enumerate() {
            write!(f, "{}{v}", if i > 0 { ", " } else { " " })?;
        }
        for (i, v) in self.texts.iter().enumerate() {
            write!(f, "{}{v}", if i > 0 { ", " } else { " " })?;
        }
        Ok(())
    }
}

fn params(f: &mut Formatter<'_>, p: &[Variable]) -> fmt::Result {
    f.write_str("(")?;
    list(f, p, ", ")?;
    f.write_str(")")
}

impl Display for Function {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.linkage)?;
        f.write_str(match self.kind {
            FunctionKind::Entry => ".entry ",
            FunctionKind::Func => ".func ",
        })?;
        if !self.returns.is_empty() {
            params(f, &self.returns)?;
            f.write_str(" ")?;
        }
        f.write_str(&self.name)?;
        params(f, &self.params)?;
        for d in &self.directives {
            write!(f, "\n{d}{}", if d.name == ".pragma" { ";" } else { "" })?;
        }
        match &self.body {
            None => f.write_str(";"),
            Some(body) => {
                f.write_str("\n{\n")?;
                for s in body {
                    writeln!(f, "{s}")?;
                }
                f.write_str("}")
            }
        }
    }
}

impl Display for Statement {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Statement::Reg {
                ty, vector, names, ..
            } => {
                f.write_str("\t.reg ")?;
                if *vector > 1 {
                    write!(f, ".v{vector} ")?;
                }
                write!(f, ".{} ", ty.name())?;
                for (i, (name, count)) in names.iter().enumerate() {
                    f.write_str(if i > 0 { ", " } else { "" })?;
                    f.write_str(name)?;
                    if let Some(n) = count {
                        write!(f, "<{n}>")?;
                    }
                }
                f.write_str(";")
            }
            Statement::Variable(v) => write!(f, "\t{v};"),
            Statement::Label { name, .. } => write!(f, "{name}:"),
            Statement::Instruction(i) => write!(f, "\t{i};"),
            Statement::Block { statements, .. } => {
                f.write_str("\t{\n")?;
                for s in statements {
                    writeln!(f, "{s}")?;
                }
                f.write_str("\t}")
            }
            Statement::Loc(l) => {
                write!(
                    f,
                    "\t{} {} {} {}{}",
                    l.directive, l.file, l.line, l.column, l.rest
                )
            }
            Statement::Pragma { texts: t, .. } => {
                f.write_str("\t.pragma ")?;
                texts(f, t)?;
                f.write_str(";")
            }
            Statement::Targets {
                directive, names, ..
            } => {
                write!(f, "\t{directive} ")?;
                list(f, names, ", ")?;
                f.write_str(";")
            }
            Statement::Prototype {
                returns,
                params: p,
                directives,
                ..
            } => {
                f.write_str("\t.callprototype ")?;
                if !returns.is_empty() {
                    params(f, returns)?;
                    f.write_str(" ")?;
                }
                f.write_str("_ ")?;
                params(f, p)?;
                for d in directives {
                    write!(f, " {d}")?;
                }
                f.write_str(";")
            }
        }
    }
}

impl Display for Instruction {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        if let Some(g) = &self.guard {
            write!(f, "@{}{} ", if g.negated { "!" } else { "" }, g.register)?;
        }
        f.write_str(&self.name)?;
        for m in &self.modifiers {
            write!(f, ".{m}")?;
        }
        if !self.operands.is_empty() {
            f.write_str(" ")?;
            list(f, &self.operands, ", ")?;
        }
        Ok(())
    }
}

impl Display for Operand {
    fn fmt(&self, f: &mut Formatter<'_>) -> fmt::Result {
        match self {
            Operand::Name(n) => f.write_str(n),
            Operand::Offset(n, o) => {
                write!(f, "{n}+{o}")
            }
            Operand::Int(n) => write!(f, "{n}"),
            Operand::F32(b) => write!(f, "0f{b:08X}"),
            Operand::F64(b) => write!(f, "0d{b:016X}"),
            Operand::Not(o) => write!(f, "!{o}"),
            Operand::Vector(v) => {
                f.write_str("{")?;
                list(f, v, ", ")?;
                f.write_str("}")
            }
            Operand::Address { base, offset: o } => {
                f.write_str("[")?;
                match base {
                    Some(b) => {
                        f.write_str(b)?;
                        offset(f, *o)?;
                    }
                    None => write!(f, "{o}")?,
                }
                f.write_str("]")
            }
            Operand::Tuple(v) => {
                f.write_str("[")?;
                list(f, v, ", ")?;
                f.write_str("]")
            }
            Operand::Pair(a, b) => write!(f, "{a}|{b}"),
            Operand::List(v) => {
                f.write_str("(")?;
                list(f, v, ", ")?;
                f.write_str(")")
            }
        }
    }
}
