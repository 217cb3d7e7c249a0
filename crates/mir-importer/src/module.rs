//! The module that is being made: which functions and globals it has, and what is still to be translated.

use std::collections::{HashMap, VecDeque};
use std::sync::Arc;

use dialect_mir::{
    attributes::{self, GlobalAttr, Param, RUST_NAME},
    ops::{FuncOp, GlobalOp},
    types as mt,
};
use pliron::{
    builtin::{
        attributes::StringAttr, op_interfaces::SingleBlockRegionInterface, ops::ModuleOp,
        types::FunctionType,
    },
    context::Context,
    identifier::Identifier,
    op::Op,
    r#type::TypeHandle,
};
use rustc_mir::{
    Span,
    ast::{Body, BodyKind},
    ty::Ty,
};

use crate::{
    Options,
    diag::Diagnostic,
    source::{BodySource, MirCrate},
    types::{Kind, Types},
};

/// A body: which crate, which item. This is the identity of an instance on the MIR route, where bodies are concrete.
pub type BodyKey = (usize, usize);

/// Functions with the positions of the calls in them, from the kernel on.
pub type Chain = Vec<(String, Option<Span>)>;

/// How a function is called.
#[derive(Clone, Debug)]
pub struct Signature {
    pub symbol: String,
    pub inputs: Vec<Ty>,
    pub output: Ty,
}

/// Everything that is shared by the functions of one module.
pub struct Module<'a> {
    pub crates: &'a [&'a dyn MirCrate],
    pub types: Types<'a>,
    pub bodies: Option<&'a dyn BodySource>,
    pub options: &'a Options,
    pub op: ModuleOp,
    functions: HashMap<BodyKey, Signature>,
    symbols: HashMap<String, usize>,
    /// Functions that are called and not yet translated, each with the chain of calls that leads to it.
    pub queue: VecDeque<(BodyKey, Chain)>,
    globals: HashMap<GlobalKey, String>,
    externs: HashMap<String, crate::source::ExternFn>,
    bytes: HashMap<String, crate::consts::Data>,
    /// Statics in global memory that kernels write to, by crate and path.
    pub statics: Vec<String>,
    pub errors: Vec<Diagnostic>,
}

/// What makes two uses of a global the same one.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub enum GlobalKey {
    /// An allocation of a crate.
    Alloc(usize, u64),
    /// Constant bytes with alignment and relocations.
    Bytes(Vec<u8>, u64, Vec<(u64, String, u64)>),
    /// A static by crate and path.
    Static(usize, String),
}

impl<'a> Module<'a> {
    pub fn new(
        ctx: &mut Context,
        crates: &'a [&'a dyn MirCrate],
        types: Types<'a>,
        bodies: Option<&'a dyn BodySource>,
        options: &'a Options,
    ) -> Self {
        let name = Identifier::try_new("kernels".to_string()).expect("a legal name");
        Module {
            crates,
            types,
            bodies,
            options,
            op: ModuleOp::new(ctx, name),
            functions: HashMap::new(),
            symbols: HashMap::new(),
            queue: VecDeque::new(),
            globals: HashMap::new(),
            externs: HashMap::new(),
            bytes: HashMap::new(),
            statics: vec![],
            errors: vec![],
        }
    }

    /// A symbol like `wanted` that no other thing of the module has.
    pub fn unique_symbol(&mut self, wanted: &str) -> String {
        let mut s = String::new();
        for ch in wanted.chars() {
            match ch {
                'a'..='z' | 'A'..='Z' | '0'..='9' => s.push(ch),
                _ if s.ends_with('_') => {}
                _ => s.push('_'),
            }
        }
        let mut s = s.trim_end_matches('_').to_string();
        if s.is_empty() || s.starts_with(|c: char| c.is_ascii_digit()) {
            s.insert(0, '_');
        }
        let n = self.symbols.entry(s.clone()).or_insert(0);
        *n += 1;
        let n = *n;
        if n == 1 {
            s
        } else {
            self.unique_symbol(&format!("{s}_{n}"))
        }
    }

    /// The body of an item.
    pub fn body(&self, key: BodyKey) -> Result<Arc<Body>, Diagnostic> {
        self.crates[key.0].body(key.1).map_err(|e| mir_error(&e))
    }

    /// The function of a body; it is translated later if it is new.
    pub fn function(
        &mut self,
        key: BodyKey,
        chain: &[(String, Option<Span>)],
    ) -> Result<Signature, Diagnostic> {
        if let Some(s) = self.functions.get(&key) {
            return Ok(s.clone());
        }
        let body = self.body(key)?;
        let path = format!("{}::{}", self.crates[key.0].name(), body.path);
        let signature = Signature {
            symbol: self.unique_symbol(&format!("{path}_fn")),
            inputs: args(&body).to_vec(),
            output: body.locals.first().map_or_else(Ty::unit, |l| l.ty.clone()),
        };
        self.functions.insert(key, signature.clone());
        self.queue.push_back((key, chain.to_vec()));
        Ok(signature)
    }

    /// Is this function body already one of the module's?
    pub fn signature(&self, key: BodyKey) -> Option<&Signature> {
        self.functions.get(&key)
    }

    /// Makes `symbol` the function of `key`, so that a kernel's entry can be told from a function that is called.
    pub fn declare_extern(
        &mut self,
        ctx: &mut Context,
        f: &crate::source::ExternFn,
    ) -> Result<(), String> {
        if let Some(known) = self.externs.get(&f.symbol) {
            return if known == f {
                Ok(())
            } else {
                Err(format!("`{}` has two different types", f.symbol))
            };
        }
        let arg_types: Vec<_> = f.params.iter().map(|t| llvm_type(ctx, *t)).collect();
        let results: Vec<TypeHandle> = match &f.ret[..] {
            [] => vec![],
            [one] => vec![llvm_type(ctx, *one)],
            many => {
                let tys: Vec<_> = many.iter().map(|t| llvm_type(ctx, *t)).collect();
                vec![pair_type(ctx, tys)]
            }
        };
        let params = vec![Param::default(); arg_types.len()];
        let ty = FunctionType::get(ctx, arg_types, results);
        let name = Identifier::try_new(f.symbol.clone())
            .map_err(|_| format!("`{}` is no symbol", f.symbol))?;
        let func = FuncOp::new(ctx, name, ty, params);
        self.op.append_operation(ctx, func.get_operation(), 0);
        self.externs.insert(f.symbol.clone(), f.clone());
        Ok(())
    }

    /// Functions that the LLVM route has to define.
    pub fn extern_symbols(&self) -> Vec<crate::source::ExternFn> {
        let mut v: Vec<_> = self.externs.values().cloned().collect();
        v.sort_by(|a, b| a.symbol.cmp(&b.symbol));
        v
    }

    /// The symbol of a global with this key, made by `data` if it is new.
    pub fn global(
        &mut self,
        ctx: &mut Context,
        key: GlobalKey,
        name: &str,
        data: impl FnOnce(&mut Self, &mut Context, &str) -> Result<GlobalAttr, String>,
    ) -> Result<String, String> {
        if let Some(s) = self.globals.get(&key) {
            return Ok(s.clone());
        }
        let symbol = self.unique_symbol(name);
        // Known before its bytes are: allocations may point to each other in a ring.
        self.globals.insert(key, symbol.clone());
        let data = data(self, ctx, &symbol)?;
        if let Some(bytes) = data.bytes()
            && !data.mutable
        {
            let relocs = data
                .relocations
                .iter()
                .map(|r| (r.offset, r.symbol.clone(), r.addend))
                .collect();
            self.bytes
                .insert(symbol.clone(), crate::consts::Data { bytes, relocs });
        }
        let id =
            Identifier::try_new(symbol.clone()).map_err(|_| format!("`{symbol}` is no symbol"))?;
        let op = GlobalOp::new(ctx, id, data);
        attributes::set(
            ctx,
            op.get_operation(),
            &RUST_NAME,
            StringAttr::new(name.to_string()),
        );
        self.op.append_operation(ctx, op.get_operation(), 0);
        Ok(symbol)
    }

    /// The bytes of a global that nothing writes to.
    pub fn global_data(&self, _ctx: &Context, symbol: &str) -> Option<crate::consts::Data> {
        self.bytes.get(symbol).cloned()
    }

    /// Functions whose header has this path: exactly one, none, or too many.
    pub fn find_function(&self, from: usize, path: &str) -> Vec<BodyKey> {
        let mut found = vec![];
        for (c, krate) in self.crates.iter().enumerate() {
            let inside = if c == from {
                Some(path)
            } else {
                path.strip_prefix(krate.name())
                    .and_then(|p| p.strip_prefix("::"))
            };
            // A definition prints its crate-relative path; a caller in the same crate prints the same.
            let Some(inside) = inside else { continue };
            for item in krate.items() {
                if item.kind == BodyKind::Fn && !item.for_ctfe && item.path == inside {
                    found.push((c, item.id));
                }
            }
        }
        found
    }

    /// Constant items and statics by path.
    pub fn find_const(&self, from: usize, path: &str, statics: bool) -> Vec<BodyKey> {
        let mut found = vec![];
        for (c, krate) in self.crates.iter().enumerate() {
            let inside = if c == from {
                Some(path)
            } else {
                path.strip_prefix(krate.name())
                    .and_then(|p| p.strip_prefix("::"))
            };
            let Some(inside) = inside else { continue };
            for item in krate.items() {
                let kind = if statics {
                    matches!(item.kind, BodyKind::Static(_))
                } else {
                    item.kind == BodyKind::Const
                };
                if kind && item.path == inside {
                    found.push((c, item.id));
                }
            }
        }
        found
    }

    /// Associated functions by name and signature: `impl`s print `<impl at …>` where callers print a type.
    pub fn find_method(&self, from: usize, name: &str, inputs: &[Ty], output: &Ty) -> Vec<BodyKey> {
        let wanted: Vec<_> = inputs
            .iter()
            .chain([output])
            .map(|t| self.normal(from, t))
            .collect();
        let mut found = vec![];
        for (c, krate) in self.crates.iter().enumerate() {
            for item in krate.items() {
                let method = item.path.rsplit_once("::").is_some_and(|(rest, last)| {
                    last == name && rest.ends_with('>') && rest.contains("<impl at ")
                });
                if item.kind != BodyKind::Fn || item.for_ctfe || !method {
                    continue;
                }
                let Ok(body) = krate.body(item.id) else {
                    continue;
                };
                let output = body.locals.first().map_or_else(Ty::unit, |l| l.ty.clone());
                let has: Vec<_> = args(&body)
                    .iter()
                    .chain([&output])
                    .map(|t| self.normal(c, t))
                    .collect();
                if has == wanted {
                    found.push((c, item.id));
                }
            }
        }
        found
    }

    /// The bodies of closures of this type. Two closures of one macro have one printed type, and then there are two.
    pub fn find_closure(&self, from: usize, ty: &Ty) -> Vec<BodyKey> {
        let wanted = self.normal(from, ty);
        let mut found = vec![];
        for (c, krate) in self.crates.iter().enumerate() {
            for item in krate.items() {
                let closure = item
                    .path
                    .rsplit("::")
                    .next()
                    .is_some_and(|l| l.starts_with("{closure#"));
                if item.kind != BodyKind::Fn || item.for_ctfe || !closure {
                    continue;
                }
                let Ok(body) = krate.body(item.id) else {
                    continue;
                };
                let first = args(&body).first().cloned();
                let own = match &first {
                    Some(Ty::Ref(_, t)) => Some(&**t),
                    t => t.as_ref(),
                };
                if own.is_some_and(|t| matches!(t, Ty::Closure(_)) && self.normal(c, t) == wanted) {
                    found.push((c, item.id));
                }
            }
        }
        found
    }

    /// Is there a function (not in an impl) of this name: a trait's provided method that an impl may inherit?
    pub fn has_provided(&self, path: &str) -> bool {
        let tail = path.rsplit("::").take(2).collect::<Vec<_>>();
        self.crates.iter().any(|k| {
            k.items().iter().any(|i| {
                i.kind == BodyKind::Fn && i.path.rsplit("::").take(2).collect::<Vec<_>>() == tail
            })
        })
    }

    /// A type's text with crate prefixes taken off, as seen from any crate.
    pub fn normal(&self, krate: usize, ty: &Ty) -> String {
        let mut s = ty.to_string();
        let own = self.crates.get(krate).map_or("", |c| c.name());
        for prefix in ["std", "core", "alloc", own]
            .into_iter()
            .chain(self.crates.iter().map(|c| c.name()))
        {
            s = strip_prefix_everywhere(&s, prefix);
        }
        s
    }

    /// How a value of this type is handled; an error names the type.
    pub fn kind(&self, ty: &Ty) -> Result<Kind, String> {
        self.types.kind(ty)
    }
}

/// Takes `prefix::` off wherever a path begins with it.
fn strip_prefix_everywhere(s: &str, prefix: &str) -> String {
    let pat = format!("{prefix}::");
    let mut out = String::with_capacity(s.len());
    let mut rest = s;
    let mut at_start = true;
    while let Some(ch) = rest.chars().next() {
        if at_start && !prefix.is_empty() && rest.starts_with(&pat) {
            rest = &rest[pat.len()..];
            continue;
        }
        at_start = !(ch.is_alphanumeric() || ch == '_' || ch == ':');
        out.push(ch);
        rest = &rest[ch.len_utf8()..];
    }
    out
}

/// Types of the arguments.
pub fn args(body: &Body) -> Vec<Ty> {
    body.locals
        .iter()
        .skip(1)
        .take(body.arg_count as usize)
        .map(|l| l.ty.clone())
        .collect()
}

/// A pair of scalars as a tuple value.
pub fn pair_type(ctx: &Context, tys: Vec<TypeHandle>) -> TypeHandle {
    let mut offsets = vec![];
    let (mut at, mut max) = (0u64, 1u64);
    for t in &tys {
        let (size, align) = mt::size_align(ctx, *t).unwrap_or((8, 8));
        at = at.next_multiple_of(align);
        offsets.push(at);
        at += size;
        max = max.max(align);
    }
    mt::TupleType::get(
        ctx,
        tys,
        mt::Layout::new(at.next_multiple_of(max), max, offsets),
    )
    .into()
}

/// The dialect's type for LLVM's.
pub fn llvm_type(ctx: &Context, ty: crate::source::LlvmTy) -> TypeHandle {
    use crate::source::LlvmTy::*;
    use pliron::builtin::types::{FP16Type, FP32Type, FP64Type};
    match ty {
        Int(w) => mt::int_type(ctx, w).into(),
        F16 => FP16Type::get(ctx).into(),
        F32 => FP32Type::get(ctx).into(),
        F64 => FP64Type::get(ctx).into(),
        Ptr => mt::PtrType::get(ctx, mt::unit_type(ctx).into(), true, 0).into(),
    }
}

/// The reader did not understand.
pub fn mir_error(e: &rustc_mir::MirError) -> Diagnostic {
    let mut d = Diagnostic::error(
        "mir-syntax",
        format!("this MIR is not understood: {}", e.what),
        e.rust_span.clone(),
    )
    .note(format!("at {}:{}:{}", e.file, e.line, e.col));
    d.help = e.help.clone();
    d
}
