//! Is a type that MIR prints the one that debug metadata names? MIR prints visible paths (`std::slice::Iter<'_, u8>`, `E` for a
//! type of the crate's root), metadata the paths of definitions (`core::slice::iter::Iter<u8>`, `krate::E`).

use std::collections::HashMap;

use rustc_mir::ty::*;

use crate::defaults::Defaults;

/// What is known about names.
#[derive(Default)]
pub(crate) struct Names {
    /// The crate whose MIR is read: its types are printed without it.
    pub krate: String,
    /// `{closure@a.rs:1:2: 3:4}` to where closures with that printed type are defined: parent's path, number. Closures of one
    /// macro share a printed type.
    pub closures: HashMap<ClosureTy, Vec<(Vec<String>, u32)>>,
    /// Arguments that MIR leaves out.
    pub defaults: Defaults,
}

/// How a metadata type is looked up: `Option<u32>` → `Option`, `(u8, u8)` → `(`, `{closure_env#0}<u8>` → `{closure_env#0}`.
pub(crate) fn short_debug_name(name: &str) -> String {
    if name.starts_with('(') {
        return "(".into();
    }
    name.split('<').next().unwrap_or(name).to_string()
}

impl Names {
    /// Under which short names the type can be.
    pub fn debug_keys(&self, ty: &Ty) -> Vec<String> {
        match ty {
            Ty::Tuple(_) => vec!["(".into()],
            Ty::Path(p) => p
                .last_ident()
                .map(|n| n.trim_start_matches("r#").to_string())
                .into_iter()
                .collect(),
            Ty::Closure(c) => match &c.at {
                ClosureAt::Span(_) => {
                    let at = self.closures.get(c).map_or(&[][..], |v| v);
                    at.iter()
                        .map(|(_, n)| format!("{{closure_env#{n}}}"))
                        .collect()
                }
                ClosureAt::Path(p) => match p.segments.last().map(|s| &s.name) {
                    Some(SegmentName::Numbered(k, n)) if k == "closure" => {
                        vec![format!("{{closure_env#{n}}}")]
                    }
                    _ => Vec::new(),
                },
                ClosureAt::Of(_) => Vec::new(),
            },
            _ => Vec::new(),
        }
    }

    /// `scope` and `name` are those of a metadata type.
    pub fn same(&self, ty: &Ty, scope: &[String], name: &str) -> bool {
        // Metadata writes a variant part's name for enums only in other debuggers' formats; here the name is Rust's.
        let full = match scope {
            [] => name.to_string(),
            _ => format!("{}::{name}", scope.join("::")),
        };
        Ty::parse(&full).is_ok_and(|di| Same { names: self }.ty(ty, &di))
    }
}

/// Defaults of the standard library, for which rustc need not be asked.
fn usual_default(a: &GenericArg) -> bool {
    match a {
        GenericArg::Type(Ty::Tuple(ts)) => ts.is_empty(),
        GenericArg::Type(Ty::Path(p)) => matches!(p.last_ident(), Some("Global" | "RandomState")),
        _ => false,
    }
}

/// One comparison.
struct Same<'n> {
    names: &'n Names,
}

impl Same<'_> {
    fn ty(&self, a: &Ty, di: &Ty) -> bool {
        match (a, di) {
            (Ty::Path(p), Ty::Path(q)) => self.path(p, q),
            (Ty::Closure(c), Ty::Path(q)) => self.closure(c, q),
            (Ty::Ref(m, t), Ty::Ref(n, u)) | (Ty::RawPtr(m, t), Ty::RawPtr(n, u)) => {
                m == n && self.ty(t, u)
            }
            (Ty::Slice(t), Ty::Slice(u)) => self.ty(t, u),
            (Ty::Array(t, n), Ty::Array(u, m)) => n == m && self.ty(t, u),
            (Ty::Tuple(ts), Ty::Tuple(us)) => {
                ts.len() == us.len() && ts.iter().zip(us).all(|(t, u)| self.ty(t, u))
            }
            (Ty::FnPtr(s), Ty::FnPtr(t)) => {
                s.is_unsafe == t.is_unsafe
                    && s.c_variadic == t.c_variadic
                    && s.inputs.len() == t.inputs.len()
                    && s.inputs.iter().zip(&t.inputs).all(|(x, y)| self.ty(x, y))
                    && self.ty(&s.output, &t.output)
            }
            (Ty::Dyn(bs), Ty::Dyn(cs)) => {
                bs.len() == cs.len() && bs.iter().zip(cs).all(|(b, c)| self.path(&b.path, &c.path))
            }
            _ => a == di,
        }
    }

    /// The crate of a path and its names inside that crate.
    fn split<'p>(&'p self, names: &'p [String], local: bool) -> (&'p str, &'p [String]) {
        match names {
            [first, rest @ ..] if !local && !rest.is_empty() => (first, rest),
            _ => (&self.names.krate, names),
        }
    }

    fn path(&self, p: &Path, q: &Path) -> bool {
        let (Some(a), Some(b)) = (idents(p), idents(q)) else {
            return false;
        };
        let (Some((a_last, a_scope)), Some((b_last, b_scope))) = (a.split_last(), b.split_last())
        else {
            return false;
        };
        let (b_crate, b_mods) = self.split(b_scope, false);
        let b_crate = if b_scope.len() == 1 {
            &b_scope[0]
        } else {
            b_crate
        };
        let b_mods = if b_scope.len() == 1 { &[][..] } else { b_mods };
        let is_std = |n: &str| matches!(n, "std" | "core" | "alloc");
        let scope_ok = if is_std(b_crate) {
            a_scope.first().is_some_and(|n| is_std(n)) && subsequence(&a_scope[1..], b_mods)
        } else if b_crate == self.names.krate {
            a_scope == b_mods
        } else {
            a_scope.first().is_some_and(|n| n == b_crate) && subsequence(&a_scope[1..], b_mods)
        };
        a_last.trim_start_matches("r#") == b_last.trim_start_matches("r#")
            && scope_ok
            && self.args(p.last_args(), q.last_args())
            && self.left_out(p, q.last_args())
    }

    /// Those that both have.
    fn args(&self, a: &[GenericArg], di: &[GenericArg]) -> bool {
        a.len() <= di.len() && a.iter().zip(di).all(|(x, y)| self.arg(x, y))
    }

    /// MIR leaves out arguments that are the parameter's default (`Vec<u8>`), metadata writes them.
    fn left_out(&self, p: &Path, di: &[GenericArg]) -> bool {
        let rest = di.get(p.last_args().len()..).unwrap_or_default();
        rest.iter().all(usual_default)
            || self.names.defaults.behind(p).is_some_and(|behind| {
                behind.len() == rest.len() && behind.iter().zip(rest).all(|(x, y)| self.arg(x, y))
            })
    }

    fn arg(&self, a: &GenericArg, di: &GenericArg) -> bool {
        match (a, di) {
            (GenericArg::Type(t), GenericArg::Type(u)) => self.ty(t, u),
            (GenericArg::Binding(p, x), GenericArg::Binding(q, y)) => {
                p.last_ident() == q.last_ident() && self.arg(x, y)
            }
            _ => a == di,
        }
    }

    fn closure(&self, c: &ClosureTy, q: &Path) -> bool {
        let Some((last, scope)) = q.segments.split_last() else {
            return false;
        };
        let SegmentName::Numbered(kind, n) = &last.name else {
            return false;
        };
        if kind != "closure_env" {
            return false;
        }
        let scope: Vec<String> = scope.iter().map(|s| segment_text(&s.name)).collect();
        let inner = |names: &[String]| -> bool {
            scope.split_first().is_some_and(|(_, rest)| rest == names)
        };
        match &c.at {
            ClosureAt::Span(_) => {
                let at = self.names.closures.get(c).map_or(&[][..], |v| v);
                at.iter().any(|(names, k)| k == n && inner(names))
            }
            ClosureAt::Path(p) => match p.segments.split_last() {
                Some((
                    Segment {
                        name: SegmentName::Numbered(k, m),
                        ..
                    },
                    parents,
                )) => {
                    let names: Vec<String> =
                        parents.iter().map(|s| segment_text(&s.name)).collect();
                    k == "closure"
                        && m == n
                        && names
                            .split_first()
                            .is_some_and(|(_, rest)| subsequence(rest, &scope))
                }
                _ => false,
            },
            ClosureAt::Of(_) => false,
        }
    }
}

fn segment_text(s: &SegmentName) -> String {
    match s {
        SegmentName::Ident(n) => n.clone(),
        SegmentName::Numbered(k, n) => format!("{{{k}#{n}}}"),
        SegmentName::ImplAt(span) => format!("<impl at {span}>"),
        SegmentName::Impl { self_ty, .. } => format!("<impl {self_ty}>"),
    }
}

fn idents(p: &Path) -> Option<Vec<String>> {
    if p.root != Root::Plain {
        return None;
    }
    p.segments
        .iter()
        .map(|s| match &s.name {
            SegmentName::Ident(n) => Some(n.clone()),
            _ => None,
        })
        .collect()
}

fn subsequence(a: &[String], b: &[String]) -> bool {
    let mut rest = b.iter();
    a.iter().all(|x| rest.any(|y| x == y))
}
