//! The database: what is built in, then what rustc answers to a probe, then debug metadata.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use rustc_mir::MirFile;
use rustc_mir::ty::*;

use crate::LayoutError;
use crate::debuginfo::{DebugInfo, plain};
use crate::defaults::Defaults;
use crate::kept::Kept;
use crate::model::*;
use crate::names::Names;
use crate::probe::{Probe, Raw, RawVariants, std_variants};

/// Answers for layouts. The types are those of one crate's MIR.
pub struct LayoutDb {
    names: Names,
    probe: Option<Probe>,
    kept: Kept,
    /// The crate's own name where another crate can use it (a library).
    local_crate: Option<String>,
    debug: Vec<DebugInfo>,
    cache: Mutex<Cache>,
}

#[derive(Default)]
struct Cache {
    /// Types that will be asked for, so that rustc is asked once for all of them.
    expected: Vec<Ty>,
    layouts: HashMap<Ty, Result<Arc<Layout>, LayoutError>>,
    raw: HashMap<Ty, Result<Raw, String>>,
}

type Answer = Result<Arc<Layout>, LayoutError>;

/// Puts named variants into their encoding.
type Build = Box<dyn FnOnce(Vec<Variant>) -> Variants>;

impl LayoutDb {
    /// A database for a crate, which knows what is built in: primitives, pointers, arrays, `()`, function items,
    /// `Option` of a reference, `NonNull`, `Box` or function pointer.
    pub fn new(krate: impl Into<String>) -> LayoutDb {
        let names = Names {
            krate: krate.into(),
            closures: HashMap::new(),
            defaults: Defaults::default(),
        };
        LayoutDb {
            names,
            probe: None,
            kept: Kept::default(),
            local_crate: None,
            debug: Vec::new(),
            cache: Mutex::default(),
        }
    }

    /// Lets rustc be asked. `local`: the crate itself is among the externs (it is a library), so its public types can be named.
    pub fn set_probe(&mut self, probe: Probe) {
        self.local_crate = probe
            .externs
            .iter()
            .any(|(n, _)| *n == self.names.krate)
            .then(|| self.names.krate.clone());
        self.kept = probe.kept();
        self.probe = Some(probe);
        self.forget();
        self.names.defaults.forget();
        // What another way of asking rustc gave may differ.
        self.cache
            .get_mut()
            .unwrap_or_else(PoisonError::into_inner)
            .raw
            .clear();
    }

    /// Adds the debug metadata of textual LLVM IR.
    pub fn add_llvm_ir(&mut self, text: impl Into<Arc<str>>) {
        self.debug.push(DebugInfo::index(text.into()));
        self.forget();
    }

    /// Learns from a crate's MIR where closures are defined, without which they cannot be found in debug metadata, and which
    /// types its kernels (the functions beside an `__oxide_kernel__` static) mention: rustc is asked for all of these when it is
    /// first asked for one.
    pub fn add_mir(&mut self, file: &MirFile) {
        self.expect_kernels(file);
        for item in file.items() {
            let Some(name) = item.name.strip_suffix('}') else {
                continue;
            };
            let Some((parent, n)) = name.rsplit_once("::{closure#") else {
                continue;
            };
            let Ok(n) = n.parse() else { continue };
            let header = &file.text()[item.range.clone()];
            let Some(arg) = header.split_once("(_1: ").map(|(_, a)| a) else {
                continue;
            };
            let Some(start) = arg.find('{') else { continue };
            let Some(end) = arg.find('}') else { continue };
            let Ok(Ty::Closure(c)) = Ty::parse(arg.get(start..=end).unwrap_or("")) else {
                continue;
            };
            let parent = parent.split("::").map(str::to_string).collect();
            self.names.closures.entry(*c).or_default().push((parent, n));
        }
        self.forget();
    }

    fn expect_kernels(&mut self, file: &MirFile) {
        let cache = self.cache.get_mut().unwrap_or_else(PoisonError::into_inner);
        for item in file.items() {
            let (scope, last) = item.name.rsplit_once("::").unwrap_or(("", &item.name));
            let Some(kernel) = last.strip_prefix("__oxide_kernel__") else {
                continue;
            };
            let name = if scope.is_empty() {
                kernel.to_string()
            } else {
                format!("{scope}::{kernel}")
            };
            for f in file.find(&name).filter(|f| !f.for_ctfe) {
                // A body that cannot be read is an error where it is compiled.
                if let Ok(body) = file.body(f.id) {
                    body.for_each_type(&mut |t| {
                        if needs_source(t) {
                            cache.expected.push(t.clone());
                        }
                    });
                }
            }
        }
    }

    /// An error is forgotten when there is a new source.
    fn forget(&mut self) {
        let cache = self.cache.get_mut().unwrap_or_else(PoisonError::into_inner);
        cache.layouts.clear();
    }

    /// Asks rustc once for all of these types and what is inside them, so that [`LayoutDb::layout`] finds them.
    ///
    /// # Errors
    /// rustc cannot be run. (A type that it does not know is an error of `layout`.)
    pub fn prefetch<'t>(&self, types: impl IntoIterator<Item = &'t Ty>) -> Result<(), LayoutError> {
        let Some(probe) = &self.probe else {
            return Ok(());
        };
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let mut wanted = Vec::new();
        let mut seen = HashSet::new();
        let expected = std::mem::take(&mut cache.expected);
        let types: Vec<Ty> = types.into_iter().cloned().chain(expected).collect();
        for t in &types {
            t.walk(&mut |t| {
                if needs_source(t) && !cache.raw.contains_key(t) && seen.insert(t.clone()) {
                    wanted.push(t.clone());
                }
            });
        }
        if wanted.is_empty() {
            return Ok(());
        }
        let answers = probe.ask(&wanted, self.local_crate.as_deref(), &self.kept)?;
        cache.raw.extend(wanted.into_iter().zip(answers));
        Ok(())
    }

    /// The layout of a type.
    ///
    /// # Errors
    /// No source knows it. `needs_llvm_ir` says whether debug metadata may.
    pub fn layout(&self, ty: &Ty) -> Answer {
        if let Some(known) = self
            .cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .layouts
            .get(ty)
        {
            return known.clone();
        }
        let answer = self.compute(ty, 0);
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        cache.layouts.insert(ty.clone(), answer.clone());
        answer
    }

    fn compute(&self, ty: &Ty, depth: u32) -> Answer {
        if depth > 100 {
            return Err(LayoutError::new(&ty.to_string(), "it is nested too deeply"));
        }
        if let Some(l) = self.built_in(ty, depth)? {
            return Ok(Arc::new(l));
        }
        let raw = self.raw(ty)?;
        // rustc's answer tells apart types that metadata prints alike, and is complete for the standard library's enums.
        let debug = match &raw {
            Ok(_) if std_variants(ty).is_some() => None,
            Ok(raw) => self.debug_layout(ty, &|l| fits(raw, l))?,
            Err(_) => self.debug_layout(ty, &|_| true)?,
        };
        let no_name = |what: String| LayoutError {
            ty: ty.to_string(),
            what,
            needs_llvm_ir: self.debug.is_empty(),
        };
        match (raw, debug) {
            (Ok(raw), debug) => {
                if !raw.sized {
                    return Err(LayoutError::new(&ty.to_string(), "it has no size"));
                }
                self.named(ty, raw, debug).map(Arc::new).map_err(no_name)
            }
            (Err(_), Some(l)) => Ok(Arc::new(l)),
            (Err(why), None) => {
                let known = if self.debug.is_empty() {
                    ""
                } else {
                    ", and no variable has it"
                };
                Err(no_name(format!("{why}{known}")))
            }
        }
    }

    /// rustc's answer, from before or now.
    fn raw(&self, ty: &Ty) -> Result<Result<Raw, String>, LayoutError> {
        if self.probe.is_none() {
            return Ok(Err("rustc is not asked".into()));
        }
        let known = |db: &Self| {
            db.cache
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
                .raw
                .get(ty)
                .cloned()
        };
        if let Some(r) = known(self) {
            return Ok(r);
        }
        self.prefetch([ty])?;
        Ok(known(self).unwrap_or_else(|| Err("rustc did not answer".into())))
    }

    /// What debug metadata says; several answers that differ are an error.
    fn debug_layout(
        &self,
        ty: &Ty,
        fits: &dyn Fn(&Layout) -> bool,
    ) -> Result<Option<Layout>, LayoutError> {
        let mut found = self.found(ty);
        // A name that differs in arguments that MIR leaves out is decided by rustc; the answer may open another question.
        while self.names.defaults.ask(
            self.probe.as_ref(),
            self.local_crate.as_deref(),
            &self.kept,
        )? {
            found = self.found(ty);
        }
        // If none fits, the disagreement is to be seen.
        if found.len() > 1 && found.iter().any(fits) {
            found.retain(fits);
        }
        match found.len() {
            0 | 1 => Ok(found.pop()),
            n => Err(LayoutError::new(
                &ty.to_string(),
                format!("{n} types with different layouts have that printed name"),
            )),
        }
    }

    /// All different layouts that metadata has under the type's name.
    fn found(&self, ty: &Ty) -> Vec<Layout> {
        let mut found: Vec<Layout> = Vec::new();
        for l in self.debug.iter().flat_map(|d| d.find(ty, &self.names)) {
            if !found.contains(&l) {
                found.push(l);
            }
        }
        found
    }

    /// Gives rustc's answer the names and discriminants that it lacks.
    fn named(&self, ty: &Ty, raw: Raw, debug: Option<Layout>) -> Result<Layout, String> {
        let field_ty = |i: usize| match ty {
            Ty::Tuple(ts) => ts.get(i).cloned(),
            _ => None,
        };
        if let Some(d) = &debug
            && !fits(&raw, d)
        {
            return Err("rustc and its debug metadata disagree about it".into());
        }
        let names: Vec<Option<String>> = match &debug {
            Some(d) => d.fields.iter().map(|f| f.name.clone()).collect(),
            None => Vec::new(),
        };
        let fields = |offsets: &[u64]| -> Vec<FieldLayout> {
            let field = |(i, offset): (usize, &u64)| FieldLayout {
                offset: *offset,
                name: names.get(i).cloned().flatten(),
                size: debug
                    .as_ref()
                    .and_then(|d| d.fields.get(i))
                    .and_then(|f| f.size),
                ty: field_ty(i),
            };
            offsets.iter().enumerate().map(field).collect()
        };
        let base = Layout {
            fields: Vec::new(),
            ..plain(raw.size, raw.align, raw.abi, raw.uninhabited)
        };
        let (variants, build): (Vec<Raw>, Build) = match raw.variants {
            RawVariants::Single(index) => {
                return Ok(Layout {
                    fields: fields(&raw.offsets),
                    variants: Variants::Single { index },
                    ..base
                });
            }
            RawVariants::Tagged { tag, variants } => (
                variants,
                Box::new(move |variants| Variants::Tagged { tag, variants }),
            ),
            RawVariants::Niche {
                tag,
                untagged,
                range,
                start,
                variants,
            } => (
                variants,
                Box::new(move |variants| Variants::Niche {
                    tag,
                    untagged_variant: untagged,
                    niche_variants: range,
                    niche_start: start,
                    variants,
                }),
            ),
        };
        let known: Vec<(String, i128, Vec<Option<String>>)> = match (std_variants(ty), &debug) {
            (Some(table), _) => table
                .iter()
                .map(|(n, d)| (n.to_string(), *d, Vec::new()))
                .collect(),
            (None, Some(d)) => d
                .variants()
                .iter()
                .map(|v| {
                    (
                        v.name.clone(),
                        v.discriminant,
                        v.fields.iter().map(|f| f.name.clone()).collect(),
                    )
                })
                .collect(),
            (None, None) => {
                return Err("the names of its variants are known from debug metadata only".into());
            }
        };
        if known.len() != variants.len() {
            return Err(format!(
                "rustc lays out {} variants, {} are known",
                variants.len(),
                known.len()
            ));
        }
        let args: Vec<Option<Ty>> = match ty {
            Ty::Path(p) => p
                .last_args()
                .iter()
                .map(|a| {
                    if let GenericArg::Type(t) = a {
                        Some(t.clone())
                    } else {
                        None
                    }
                })
                .collect(),
            _ => Vec::new(),
        };
        let unit = Some(Ty::unit());
        let variants = variants
            .into_iter()
            .zip(known)
            .enumerate()
            .map(|(i, (raw, (name, discriminant, names)))| {
                let payload = match name.as_str() {
                    "Some" | "Ok" | "Break" | "Included" | "Excluded" => args.first(),
                    // A `ControlFlow<B>` continues with `()`.
                    "Continue" if args.len() == 1 => Some(&unit),
                    "Err" | "Continue" => args.get(1),
                    _ => None,
                };
                let is_std = std_variants(ty).is_some();
                let field = |(j, offset): (usize, &u64)| FieldLayout {
                    offset: *offset,
                    name: names.get(j).cloned().flatten(),
                    size: debug
                        .as_ref()
                        .and_then(|d| d.variant_fields(i as u32)?.get(j)?.size),
                    ty: payload.filter(|_| is_std).cloned().flatten(),
                };
                let fields = raw.offsets.iter().enumerate().map(field).collect();
                Variant {
                    name,
                    discriminant,
                    fields,
                    uninhabited: raw.uninhabited,
                }
            })
            .collect();
        Ok(Layout {
            variants: build(variants),
            ..base
        })
    }

    fn built_in(&self, ty: &Ty, depth: u32) -> Result<Option<Layout>, LayoutError> {
        let int =
            |size, signed| plain(size, size, Abi::Scalar(Scalar::Int { size, signed }), false);
        Ok(Some(match ty {
            Ty::Bool => int(1, false),
            Ty::Char => int(4, false),
            Ty::Int(i) => int(i.size(), true),
            Ty::Uint(u) => int(u.size(), false),
            Ty::Float(f) => plain(
                f.size(),
                f.size(),
                Abi::Scalar(Scalar::Float { size: f.size() }),
                false,
            ),
            Ty::Never => plain(0, 1, Abi::Zst, true),
            Ty::FnDef(..) => plain(0, 1, Abi::Zst, false),
            Ty::FnPtr(_) => plain(8, 8, Abi::Scalar(Scalar::Pointer), false),
            Ty::Ref(_, t) | Ty::RawPtr(_, t) => self.pointer(t)?,
            Ty::Array(t, n) => {
                let elem = self.layout_at(t, depth)?;
                let Some(n) = n.as_u64() else {
                    return Err(LayoutError::new(
                        &ty.to_string(),
                        "its length is not evaluated",
                    ));
                };
                let size = elem.size.checked_mul(n);
                let size =
                    size.ok_or_else(|| LayoutError::new(&ty.to_string(), "its size overflows"))?;
                let abi = if size == 0 { Abi::Zst } else { Abi::Memory };
                plain(size, elem.align, abi, elem.uninhabited && n > 0)
            }
            Ty::Tuple(ts) => match &ts[..] {
                [] => plain(0, 1, Abi::Zst, false),
                [t] => {
                    let inner = self.layout_at(t, depth)?;
                    let field = FieldLayout {
                        offset: 0,
                        name: Some("__0".into()),
                        size: Some(inner.size),
                        ty: Some(t.clone()),
                    };
                    Layout {
                        fields: vec![field],
                        ..plain(
                            inner.size,
                            inner.align,
                            inner.abi.clone(),
                            inner.uninhabited,
                        )
                    }
                }
                _ => return Ok(None),
            },
            Ty::Path(p) => return self.guaranteed(p),
            Ty::Str | Ty::Slice(_) | Ty::Dyn(_) => {
                return Err(LayoutError::new(&ty.to_string(), "it has no size"));
            }
            Ty::Impl(_) | Ty::Infer | Ty::Projection(_) => {
                return Err(LayoutError::new(
                    &ty.to_string(),
                    "it is not a concrete type",
                ));
            }
            Ty::Pattern(t, _) => (*self.layout_at(t, depth)?).clone(),
            Ty::Closure(_) | Ty::UnsafeBinder(_) => return Ok(None),
        }))
    }

    fn layout_at(&self, ty: &Ty, depth: u32) -> Answer {
        if let Some(known) = self
            .cache
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .layouts
            .get(ty)
        {
            return known.clone();
        }
        self.compute(ty, depth + 1)
    }

    /// A pointer, with what it carries for a pointee without a size.
    fn pointer(&self, pointee: &Ty) -> Result<Layout, LayoutError> {
        let usize_ = Scalar::Int {
            size: 8,
            signed: false,
        };
        let second = match pointee {
            Ty::Slice(_) | Ty::Str => Some(usize_),
            Ty::Dyn(_) => Some(Scalar::Pointer),
            Ty::Path(p) => self.metadata(pointee, p)?,
            _ => None,
        };
        Ok(match second {
            None => plain(8, 8, Abi::Scalar(Scalar::Pointer), false),
            Some(second) => {
                let abi = Abi::ScalarPair {
                    first: Scalar::Pointer,
                    second,
                    second_offset: 8,
                };
                plain(16, 8, abi, false)
            }
        })
    }

    /// A named type can end in an unsized field. rustc is asked about those that are not of the standard library.
    fn metadata(&self, pointee: &Ty, p: &Path) -> Result<Option<Scalar>, LayoutError> {
        let usize_ = Some(Scalar::Int {
            size: 8,
            signed: false,
        });
        let name = p.plain_name().unwrap_or_default();
        match name
            .split_once("::")
            .map(|(c, r)| (c, r.rsplit("::").next().unwrap_or(r)))
        {
            Some(("std" | "core" | "alloc", "CStr" | "OsStr" | "Path" | "Wtf8")) => Ok(usize_),
            Some(("std" | "core" | "alloc", _)) => {
                // `MaybeUninit<T>`, `UnsafeCell<T>` and their like end in their parameter.
                match p.last_args().last() {
                    Some(GenericArg::Type(Ty::Slice(_) | Ty::Str)) if wraps(&name) => Ok(usize_),
                    Some(GenericArg::Type(Ty::Dyn(_))) if wraps(&name) => Ok(Some(Scalar::Pointer)),
                    _ => Ok(None),
                }
            }
            _ => match self.raw(pointee)? {
                Ok(raw) if !raw.sized => Err(LayoutError::new(
                    &pointee.to_string(),
                    "pointers to named types without a size are not supported",
                )),
                _ => Ok(None),
            },
        }
    }

    /// `Option` of what is never null has its size and no tag, as the reference of `std::option` says; `PhantomData`
    /// has no bytes.
    fn guaranteed(&self, p: &Path) -> Result<Option<Layout>, LayoutError> {
        let name = p.plain_name().unwrap_or_default();
        let Some((krate, rest)) = name.split_once("::") else {
            return Ok(None);
        };
        if !matches!(krate, "std" | "core" | "alloc") {
            return Ok(None);
        }
        if rest == "marker::PhantomData" {
            return Ok(Some(plain(0, 1, Abi::Zst, false)));
        }
        let ("option::Option", [GenericArg::Type(payload)]) = (rest, p.last_args()) else {
            return Ok(None);
        };
        let pointer = match payload {
            Ty::Ref(_, t) => self.pointer(t)?,
            Ty::FnPtr(_) => plain(8, 8, Abi::Scalar(Scalar::Pointer), false),
            Ty::Path(q) => match (q.plain_name().as_deref(), q.last_args()) {
                (
                    Some(
                        "std::ptr::NonNull" | "core::ptr::NonNull" | "std::boxed::Box"
                        | "alloc::boxed::Box",
                    ),
                    [GenericArg::Type(t)],
                ) => self.pointer(t)?,
                _ => return Ok(None),
            },
            _ => return Ok(None),
        };
        let some = FieldLayout {
            offset: 0,
            name: Some("__0".into()),
            size: Some(pointer.size),
            ty: Some(payload.clone()),
        };
        let variant = |name: &str, discriminant, fields| Variant {
            name: name.into(),
            discriminant,
            fields,
            uninhabited: false,
        };
        Ok(Some(Layout {
            variants: Variants::Niche {
                tag: Tag {
                    offset: 0,
                    size: 8,
                    is_pointer: true,
                },
                untagged_variant: 1,
                niche_variants: (0, 0),
                niche_start: 0,
                variants: vec![
                    variant("None", 0, Vec::new()),
                    variant("Some", 1, vec![some]),
                ],
            },
            ..pointer
        }))
    }
}

/// Can it be the same type?
fn fits(raw: &Raw, l: &Layout) -> bool {
    let offsets = |fields: &[FieldLayout]| fields.iter().map(|f| f.offset).collect::<Vec<_>>();
    let same_variants = |raws: &[Raw]| {
        raws.len() == l.variants().len()
            && raws
                .iter()
                .zip(l.variants())
                .all(|(r, v)| r.offsets == offsets(&v.fields))
    };
    (raw.size, raw.align) == (l.size, l.align)
        && match &raw.variants {
            RawVariants::Single(_) => raw.uninhabited || raw.offsets == offsets(&l.fields),
            RawVariants::Tagged { tag, variants } => {
                let same_tag = matches!(&l.variants, Variants::Tagged { tag: t, .. } if t == tag);
                same_tag && same_variants(variants)
            }
            RawVariants::Niche {
                tag,
                start,
                variants,
                ..
            } => {
                let same_tag = matches!(&l.variants, Variants::Niche { tag: t, niche_start: s, .. }
                    if t == tag && s == start);
                same_tag && same_variants(variants)
            }
        }
}

/// Types of the standard library that end in their last parameter.
fn wraps(name: &str) -> bool {
    [
        "UnsafeCell",
        "Cell",
        "RefCell",
        "ManuallyDrop",
        "MaybeDangling",
        "Mutex",
        "RwLock",
        "SyncUnsafeCell",
    ]
    .iter()
    .any(|n| name.rsplit("::").next() == Some(n))
}

/// Is it a type that is not built in?
fn needs_source(ty: &Ty) -> bool {
    match ty {
        Ty::Tuple(ts) => ts.len() > 1,
        Ty::Path(_) => true,
        _ => false,
    }
}
