//! Kernels: finding them, their entries, and what the artifact says of their arguments.

use dialect_mir::{attributes::*, ops::*, types as mt};
use pliron::{
    builtin::{
        attributes::StringAttr, op_interfaces::SingleBlockRegionInterface, types::FunctionType,
    },
    context::Context,
    identifier::Identifier,
    op::Op,
    r#type::TypeHandle,
};
use rustc_mir::{
    Span,
    ast::{BodyKind, ConstKind, Local, Operand},
    ty::{GenericArg, Ty},
};

use crate::{
    consts::struct_constants,
    diag::Diagnostic,
    func::{Func, PlaceRef, Res, Val},
    module::{BodyKey, Module, args},
    types::{Kind, element, is_slice_like, pointee},
};

/// The mark of a kernel: a static of this name beside it.
const MARK: &str = "__oxide_kernel__";

/// A PTX parameter: a range of a Rust argument's bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KernelParam {
    pub arg: u32,
    pub offset: u32,
    pub size: u32,
}

/// A Rust argument.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelArg {
    pub name: String,
    pub type_name: String,
    pub size: u64,
    pub align: u64,
    /// `<T as DeviceCopy>::LAYOUT` where it is known: not for an implementation by hand.
    pub layout_hash: Option<u64>,
}

/// A kernel of the module.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelInfo {
    /// `crate::kernels::k`: the key that joins it to launches.
    pub key: String,
    /// The symbol in the module, so the PTX entry's name.
    pub symbol: String,
    pub params: Vec<KernelParam>,
    pub args: Vec<KernelArg>,
    /// `#[launch_bounds]`; 0: not said.
    pub max_threads: u32,
    pub min_blocks: u32,
    /// `#[kernel(fmad)]`.
    pub fmad: bool,
    pub span: Option<Span>,
}

/// The kernels of all crates: `(kernel function, static)`.
pub fn find(m: &Module<'_>) -> Vec<(BodyKey, BodyKey, String)> {
    let mut out = vec![];
    for (c, krate) in m.crates.iter().enumerate() {
        for item in krate.items() {
            if !matches!(item.kind, BodyKind::Static(_)) {
                continue;
            }
            let (scope, last) = item
                .path
                .rsplit_once("::")
                .map_or(("", &item.path[..]), |(s, l)| (s, l));
            let Some(name) = last.strip_prefix(MARK) else {
                continue;
            };
            let path = if scope.is_empty() {
                name.to_string()
            } else {
                format!("{scope}::{name}")
            };
            let found: Vec<_> = krate
                .items()
                .iter()
                .filter(|i| i.kind == BodyKind::Fn && !i.for_ctfe && i.path == path)
                .collect();
            if let [one] = found[..] {
                out.push(((c, one.id), (c, item.id), path));
            }
        }
    }
    out
}

/// Numbers and texts of the kernel's description.
struct Description {
    max_threads: u32,
    min_blocks: u32,
    flags: u32,
    names: Vec<(String, String)>,
}

fn describe(m: &Module<'_>, key: BodyKey) -> Result<Description, Diagnostic> {
    let body = m.body(key)?;
    let number = |fields: &[(String, Operand)], name: &str| {
        fields
            .iter()
            .find(|f| f.0 == name)
            .and_then(|(_, op)| match op {
                Operand::Const(c) => match c.kind {
                    ConstKind::Uint(v, _) => u32::try_from(v).ok(),
                    _ => None,
                },
                _ => None,
            })
    };
    let text = |fields: &[(String, Operand)], name: &str| {
        fields
            .iter()
            .find(|f| f.0 == name)
            .and_then(|(_, op)| match op {
                Operand::Const(c) => match &c.kind {
                    ConstKind::Str(s) => Some(s.clone()),
                    _ => None,
                },
                _ => None,
            })
            .unwrap_or_default()
    };
    let desc = struct_constants(&body, "KernelDesc");
    let desc = desc.first().copied().unwrap_or_default();
    Ok(Description {
        max_threads: number(desc, "max_threads").unwrap_or(0),
        min_blocks: number(desc, "min_blocks").unwrap_or(0),
        flags: number(desc, "flags").unwrap_or(0),
        names: struct_constants(&body, "ArgDesc")
            .iter()
            .map(|f| (text(f, "name"), text(f, "type_name")))
            .collect(),
    })
}

/// `DisjointSlice<T, ..>`'s element, and whether the slice carries a row width.
pub fn disjoint(ty: &Ty) -> Option<Ty> {
    let Ty::Path(p) = ty else { return None };
    if p.last_ident() != Some("DisjointSlice") {
        return None;
    }
    p.last_args().iter().find_map(|a| match a {
        GenericArg::Type(t) => Some(t.clone()),
        _ => None,
    })
}

/// Types that hold no cell, so that a shared reference to them is to memory that nobody writes.
fn is_frozen(ty: &Ty) -> bool {
    match ty {
        Ty::Bool | Ty::Char | Ty::Int(_) | Ty::Uint(_) | Ty::Float(_) => true,
        Ty::Array(t, _) | Ty::Slice(t) => is_frozen(t),
        Ty::Tuple(ts) => ts.iter().all(is_frozen),
        _ => false,
    }
}

impl Module<'_> {
    /// Makes the kernel's entry and translates its body.
    pub fn kernel(
        &mut self,
        ctx: &mut Context,
        key: BodyKey,
        desc: BodyKey,
        path: &str,
    ) -> Result<KernelInfo, Diagnostic> {
        let body = self.body(key)?;
        let span = body
            .debug
            .first()
            .and_then(|d| d.source.span.clone())
            .or_else(|| body.locals.first().and_then(|l| l.source.span.clone()));
        let describe = describe(self, desc)?;
        let krate = self.crates[key.0].name().to_string();
        let inputs = args(&body);
        let output = body.locals.first().map_or_else(Ty::unit, |l| l.ty.clone());
        if output != Ty::unit() {
            return Err(Diagnostic::error(
                "kernel-result",
                format!("the kernel `{path}` returns a `{output}`"),
                span,
            )
            .help("a kernel gives its results through a `DisjointSlice` or `&mut` argument"));
        }
        let fail = |e: String| {
            Diagnostic::error(
                "kernel-argument",
                format!("an argument of `{path}`: {e}"),
                span.clone(),
            )
        };
        let mut arg_types: Vec<TypeHandle> = vec![];
        let mut param_attrs: Vec<Param> = vec![];
        let mut params = vec![];
        let mut kernel_args = vec![];
        // For each Rust argument, how many arguments of the entry block hold it.
        let mut shapes = vec![];
        for (i, ty) in inputs.iter().enumerate() {
            let (size, align) = self.types.size_align(ty).map_err(&fail)?;
            let (name, type_name) = describe.names.get(i).cloned().unwrap_or_default();
            let name = if name.is_empty() {
                format!("arg{i}")
            } else {
                name
            };
            let type_name = if type_name.is_empty() {
                ty.to_string()
            } else {
                type_name
            };
            kernel_args.push(KernelArg {
                name: name.clone(),
                type_name,
                size,
                align,
                layout_hash: self.layout_hash(key.0, ty),
            });
            let whole = |offset: u32, size: u32| KernelParam {
                arg: i as u32,
                offset,
                size,
            };
            if let Some(elem) = disjoint(ty) {
                let elem_align = self.types.size_align(&elem).map_err(&fail)?.1;
                let e = self.types.pointee(ctx, &elem);
                arg_types.push(mt::DisjointSliceType::get(ctx, e).into());
                param_attrs.push(Param {
                    name,
                    noalias: true,
                    align: elem_align,
                    ..Param::default()
                });
                params.extend([whole(0, 8), whole(8, 8)]);
                if size > 16 {
                    arg_types.push(mt::int_type(ctx, 64).into());
                    param_attrs.push(Param::default());
                    params.push(whole(16, 8));
                    shapes.push(Shape::Disjoint(true));
                } else {
                    shapes.push(Shape::Disjoint(false));
                }
                continue;
            }
            match self.types.kind(ty).map_err(&fail)? {
                Kind::Zst => shapes.push(Shape::None),
                Kind::Scalar => {
                    let mut p = Param {
                        name,
                        ..Param::default()
                    };
                    if let (Ty::Ref(..), Some((t, mutable))) = (ty, pointee(ty))
                        && let Ok((tsize, talign)) = self.types.size_align(t)
                    {
                        p.noalias = mutable || is_frozen(t);
                        p.readonly = !mutable && is_frozen(t);
                        p.nonnull = true;
                        p.align = talign;
                        p.dereferenceable = tsize;
                    }
                    arg_types.push(self.types.convert(ctx, ty).map_err(&fail)?);
                    param_attrs.push(p);
                    params.push(whole(0, size as u32));
                    shapes.push(Shape::One);
                }
                Kind::Slice => {
                    let mut p = Param {
                        name,
                        ..Param::default()
                    };
                    if let (Ty::Ref(..), Some((t, mutable))) = (ty, pointee(ty)) {
                        let elem = element(t)
                            .filter(|_| is_slice_like(t))
                            .unwrap_or_else(Ty::unit);
                        p.noalias = mutable || is_frozen(&elem);
                        p.readonly = !mutable && is_frozen(&elem);
                        p.nonnull = true;
                        p.align = self.types.size_align(&elem).map_err(&fail)?.1;
                    }
                    arg_types.push(self.types.convert(ctx, ty).map_err(&fail)?);
                    param_attrs.push(p);
                    params.extend([whole(0, 8), whole(8, 8)]);
                    shapes.push(Shape::One);
                }
                Kind::Memory => {
                    let t = self.types.pointee(ctx, ty);
                    arg_types.push(mt::PtrType::get(ctx, t, false, 0).into());
                    param_attrs.push(Param {
                        name,
                        byval: size,
                        align,
                        nonnull: true,
                        ..Param::default()
                    });
                    params.push(whole(0, size as u32));
                    shapes.push(Shape::Memory);
                }
            }
        }
        // Kernels of one crate may end in different modules that are linked: a name is no other kernel's.
        let last = |path: &str| path.rsplit("::").next().unwrap_or(path).to_string();
        let short = last(path);
        let named = find(self)
            .iter()
            .filter(|(k, _, other)| k.0 == key.0 && last(other) == short)
            .count();
        let symbol = self.unique_symbol(&if named > 1 {
            format!("{krate}__{}", path.replace("::", "__"))
        } else {
            short
        });
        let fty = FunctionType::get(ctx, arg_types, vec![]);
        let name = Identifier::try_new(symbol.clone()).map_err(|_| {
            Diagnostic::error(
                "kernel-name",
                format!("`{symbol}` is no symbol"),
                span.clone(),
            )
        })?;
        let func = FuncOp::new(ctx, name, fty, param_attrs);
        func.set_kernel(ctx);
        set(
            ctx,
            func.get_operation(),
            &RUST_NAME,
            StringAttr::new(format!("{krate}::{path}")),
        );
        // `KernelDesc::flags`: three bytes are the cluster.
        let [_, cluster_x, cluster_y, cluster_z] = describe.flags.to_le_bytes().map(u32::from);
        if describe.max_threads != 0 || describe.min_blocks != 0 || cluster_x != 0 {
            let bounds = LaunchBoundsAttr {
                max_threads: describe.max_threads,
                min_blocks: describe.min_blocks,
                cluster_x,
                cluster_y,
                cluster_z,
            };
            set(ctx, func.get_operation(), &LAUNCH_BOUNDS, bounds);
        }
        self.op.append_operation(ctx, func.get_operation(), 0);
        let chain = vec![(format!("{krate}::{path}"), None)];
        let mut f = Func::new(self, ctx, key, body, func, chain);
        if let Err(e) = f.kernel_args(&inputs, &shapes) {
            let d = match e {
                crate::func::Fail::Text(t) => Diagnostic::error("kernel-argument", t, span.clone()),
                crate::func::Fail::Diagnostic(d) => *d,
            };
            return Err(d);
        }
        f.run();
        Ok(KernelInfo {
            key: format!("{krate}::{path}"),
            symbol,
            params,
            args: kernel_args,
            max_threads: describe.max_threads,
            min_blocks: describe.min_blocks,
            fmad: describe.flags & 1 != 0,
            span,
        })
    }

    /// Translates a function that is called.
    pub fn called(
        &mut self,
        ctx: &mut Context,
        key: BodyKey,
        chain: Vec<(String, Option<Span>)>,
    ) -> Result<(), Diagnostic> {
        let body = self.body(key)?;
        let Some(sig) = self.signature(key).cloned() else {
            return Ok(());
        };
        let fail =
            |e: String| Diagnostic::error("unsupported", format!("in `{}`: {e}", body.path), None);
        let mut arg_types: Vec<TypeHandle> = vec![];
        let mut params = vec![];
        let mut shapes = vec![];
        let mut results = vec![];
        let out_kind = self.types.kind(&sig.output).map_err(&fail)?;
        let (out_size, out_align) = self.types.size_align(&sig.output).map_err(&fail)?;
        match out_kind {
            Kind::Zst => {}
            Kind::Scalar | Kind::Slice => {
                results.push(self.types.convert(ctx, &sig.output).map_err(&fail)?)
            }
            Kind::Memory => {
                let t = self.types.pointee(ctx, &sig.output);
                arg_types.push(mt::PtrType::get(ctx, t, true, 0).into());
                params.push(Param {
                    noalias: true,
                    nonnull: true,
                    sret: out_size,
                    align: out_align,
                    ..Param::default()
                });
            }
        }
        for ty in &sig.inputs {
            match self.types.kind(ty).map_err(&fail)? {
                Kind::Zst => shapes.push(Shape::None),
                Kind::Scalar | Kind::Slice => {
                    arg_types.push(self.types.convert(ctx, ty).map_err(&fail)?);
                    params.push(Param::default());
                    shapes.push(Shape::One);
                }
                Kind::Memory => {
                    let t = self.types.pointee(ctx, ty);
                    let (size, align) = self.types.size_align(ty).map_err(&fail)?;
                    arg_types.push(mt::PtrType::get(ctx, t, true, 0).into());
                    params.push(Param {
                        noalias: true,
                        nonnull: true,
                        align,
                        dereferenceable: size,
                        ..Param::default()
                    });
                    shapes.push(Shape::Memory);
                }
            }
        }
        let fty = FunctionType::get(ctx, arg_types, results);
        let name = Identifier::try_new(sig.symbol.clone())
            .map_err(|_| fail(format!("`{}` is no symbol", sig.symbol)))?;
        let func = FuncOp::new(ctx, name, fty, params);
        let rust_name = format!("{}::{}", self.crates[key.0].name(), body.path);
        set(
            ctx,
            func.get_operation(),
            &RUST_NAME,
            StringAttr::new(rust_name),
        );
        self.op.append_operation(ctx, func.get_operation(), 0);
        let mut f = Func::new(self, ctx, key, body.clone(), func, chain);
        let first = if out_kind == Kind::Memory {
            let entry = f.block;
            let v = entry.deref(f.ctx).get_argument(0);
            f.sret = Some(v);
            1
        } else {
            0
        };
        f.function_args(&sig.inputs, &shapes, first)
            .map_err(|e| match e {
                crate::func::Fail::Text(t) => fail(t),
                crate::func::Fail::Diagnostic(d) => *d,
            })?;
        f.run();
        Ok(())
    }
}

/// How a Rust argument comes in.
#[derive(Clone, Copy)]
enum Shape {
    None,
    /// A scalar or a slice.
    One,
    /// By address.
    Memory,
    /// A pair, and with a width a third.
    Disjoint(bool),
}

impl Func<'_, '_> {
    fn kernel_args(&mut self, inputs: &[Ty], shapes: &[Shape]) -> Res<()> {
        self.function_args(inputs, shapes, 0)
    }

    fn function_args(&mut self, inputs: &[Ty], shapes: &[Shape], first: usize) -> Res<()> {
        let mut next = first;
        for (i, (ty, shape)) in inputs.iter().zip(shapes).enumerate() {
            if matches!(shape, Shape::None) {
                continue;
            }
            let (addr, align) = self.local(Local(i as u32 + 1))?;
            let at = PlaceRef {
                addr,
                len: None,
                ty: ty.clone(),
                variant: None,
                align,
            };
            let entry = self.block;
            let v = entry.deref(self.ctx).get_argument(next);
            next += 1;
            match shape {
                Shape::None => {}
                Shape::One => self.write(&at, Val::Ssa(v))?,
                Shape::Memory => {
                    let t = self.m.types.convert(self.ctx, ty)?;
                    let op = AssignOp::new(self.ctx, addr, v, t, align);
                    self.push(&op);
                }
                Shape::Disjoint(width) => {
                    let elem = disjoint(ty).ok_or("a disjoint slice")?;
                    let (p, n) = self.slice_parts(v);
                    // `repr(C)`: pointer, length, width.
                    let ptr_ty = Ty::RawPtr(rustc_mir::ty::Mutability::Mut, Box::new(elem));
                    let usize_ty = Ty::Uint(rustc_mir::ty::UintTy::Usize);
                    let f = self.field_at(&at, 0, 0, ptr_ty)?;
                    self.write(&f, Val::Ssa(p))?;
                    let f = self.field_at(&at, 1, 8, usize_ty.clone())?;
                    self.write(&f, Val::Ssa(n))?;
                    if *width {
                        let w = entry.deref(self.ctx).get_argument(next);
                        next += 1;
                        let f = self.field_at(&at, 2, 16, usize_ty)?;
                        self.write(&f, Val::Ssa(w))?;
                    }
                }
            }
        }
        Ok(())
    }
}
