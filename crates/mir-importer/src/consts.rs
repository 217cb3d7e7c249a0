//! Constants: scalars as values, everything else as bytes with relocations in a global.

use dialect_mir::{attributes::*, ops::*, types as mt};
use pliron::{r#type::TypeHandle, value::Value};
use rustc_mir::{
    ast::{
        AllocId, AllocKind, Body, Const, ConstKind, Memory, Operand, PathConst, Rvalue,
        StatementKind,
    },
    ty::{FloatTy, Path, Ty},
};

use crate::{
    func::{Func, Res, Val},
    module::{GlobalKey, Module},
    types::{Kind, element, is_slice_like, is_transparent, pointee},
};

/// Bytes of a constant, with the addresses in them: offset, symbol, addend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Data {
    pub bytes: Vec<u8>,
    pub relocs: Vec<(u64, String, u64)>,
}

/// The type of a constant, where the text says it.
pub fn const_ty(c: &Const) -> Res<Ty> {
    if let Some(t) = &c.ty {
        return Ok(t.clone());
    }
    kind_ty(&c.kind).ok_or_else(|| "a constant whose type the text does not say".into())
}

fn kind_ty(kind: &ConstKind) -> Option<Ty> {
    Some(match kind {
        ConstKind::Bool(_) => Ty::Bool,
        ConstKind::Char(_) => Ty::Char,
        ConstKind::Int(_, t) => Ty::Int(*t),
        ConstKind::Uint(_, t) => Ty::Uint(*t),
        ConstKind::Float(f) => Ty::Float(f.ty),
        ConstKind::Str(_) => Ty::Ref(rustc_mir::ty::Mutability::Not, Box::new(Ty::Str)),
        ConstKind::Tuple(ts) => Ty::Tuple(ts.iter().map(kind_ty).collect::<Option<_>>()?),
        ConstKind::Array(ts) => {
            let n = rustc_mir::ty::ConstArg::Uint(ts.len() as u128);
            Ty::Array(Box::new(kind_ty(ts.first()?)?), Box::new(n))
        }
        ConstKind::Pointer { ty, .. }
        | ConstKind::IntPointer { ty, .. }
        | ConstKind::Transmute { ty, .. }
        | ConstKind::ZeroSized(ty)
        | ConstKind::Indirect { ty, .. }
        | ConstKind::Unreachable(ty)
        | ConstKind::Slice { ty, .. } => ty.clone(),
        _ => return None,
    })
}

impl Func<'_, '_> {
    /// A constant of type `ty`.
    pub fn constant(&mut self, kind: &ConstKind, ty: &Ty) -> Res<Val> {
        if matches!(kind, ConstKind::Fn(_)) {
            return Ok(Val::Zst);
        }
        let how = self.m.kind(ty)?;
        if how == Kind::Zst {
            return Ok(Val::Zst);
        }
        if matches!(kind, ConstKind::Uninit) {
            return match how {
                Kind::Memory => {
                    let at = self.temp_of(ty)?;
                    Ok(Val::Memory(at.addr, at.align))
                }
                _ => {
                    let t = self.m.types.convert(self.ctx, ty)?;
                    let op = UndefOp::new(self.ctx, t);
                    Ok(Val::Ssa(self.val(&op)))
                }
            };
        }
        let krate = self.key.0;
        // A shared static's address is of address space 3; it does not go through bytes.
        if let ConstKind::Pointer { alloc, offset, .. } = kind
            && how == Kind::Scalar
        {
            let t = self.m.types.convert(self.ctx, ty)?;
            return Ok(Val::Ssa(self.alloc_address(krate, *alloc, *offset, t)?));
        }
        let size = self.m.types.size_align(ty)?.0;
        let mut data = Data {
            bytes: vec![0; size as usize],
            relocs: vec![],
        };
        self.m
            .const_bytes(self.ctx, krate, kind, ty, 0, &mut data)?;
        self.data_value(data, ty)
    }

    /// Bytes as a value of type `ty`.
    fn data_value(&mut self, data: Data, ty: &Ty) -> Res<Val> {
        match self.m.kind(ty)? {
            Kind::Zst => Ok(Val::Zst),
            Kind::Scalar => {
                let t = self.m.types.convert(self.ctx, ty)?;
                Ok(Val::Ssa(self.scalar_of(&data, 0, t)?))
            }
            Kind::Slice => {
                let t = self.m.types.convert(self.ctx, ty)?;
                let i64_ty: TypeHandle = mt::int_type(self.ctx, 64).into();
                let fields = field_types(self.ctx, t).ok_or("a slice")?;
                let (p, n) = (
                    self.scalar_of(&data, 0, fields[0])?,
                    self.scalar_of(&data, 8, i64_ty)?,
                );
                Ok(Val::Ssa(self.make_slice(t, p, n)))
            }
            Kind::Memory => {
                let align = self.m.types.size_align(ty)?.1;
                let symbol = self
                    .m
                    .bytes_global(self.ctx, data, align, &format!("const {ty}"))?;
                let pointee = self.m.types.pointee(self.ctx, ty);
                let t = self.ptr_ty(pointee);
                Ok(Val::Memory(self.global_address(&symbol, 1, 0, t), align))
            }
        }
    }

    fn scalar_of(&mut self, data: &Data, at: usize, t: TypeHandle) -> Res<Value> {
        if let Some(w) = mt::int_width(self.ctx, t) {
            let size = (w as usize).div_ceil(8);
            return Ok(self.int(w, read_uint(&data.bytes, at, size)));
        }
        if let Some(w) = mt::float_width(self.ctx, t) {
            let bits = read_uint(&data.bytes, at, w as usize / 8) as u64;
            let op = FloatConstantOp::new(self.ctx, t, bits);
            return Ok(self.val(&op));
        }
        match data.relocs.iter().find(|r| r.0 == at as u64) {
            Some((_, symbol, addend)) => {
                let (symbol, addend) = (symbol.clone(), *addend);
                Ok(self.global_address(&symbol, 1, addend, t))
            }
            None => {
                let v = self.int(64, read_uint(&data.bytes, at, 8));
                Ok(self.cast(v, t, CastKindAttr::IntToPtr))
            }
        }
    }

    /// The generic address of a global in `space`, `addend` bytes in, as a `t`.
    pub fn global_address(
        &mut self,
        symbol: &str,
        space: u32,
        addend: u64,
        t: TypeHandle,
    ) -> Value {
        let i8_ty = mt::int_type(self.ctx, 8).into();
        let in_space = mt::PtrType::get(self.ctx, i8_ty, true, space).into();
        let v = if space == 3 {
            let op = SharedAllocOp::new(self.ctx, symbol, in_space);
            self.val(&op)
        } else {
            let op = GlobalAllocOp::new(self.ctx, symbol, in_space);
            self.val(&op)
        };
        let generic = self.ptr_ty(i8_ty);
        let mut v = self.cast(v, generic, CastKindAttr::AddrSpace);
        if addend != 0 {
            let n = self.usize(addend);
            let op = PtrOffsetOp::new(self.ctx, v, n, 1, true);
            v = self.val(&op);
        }
        self.coerce(v, t)
    }

    /// The address of an allocation as a `t`.
    fn alloc_address(
        &mut self,
        krate: usize,
        id: AllocId,
        offset: u64,
        t: TypeHandle,
    ) -> Res<Value> {
        match self.m.alloc_global(self.ctx, krate, id)? {
            Target::Global(symbol, space) => Ok(self.global_address(&symbol, space, offset, t)),
            Target::Function(key) => {
                let chain = self.chain_to_here();
                let sig = self.m.function(key, &chain)?;
                let op = FuncAddrOp::new(self.ctx, &sig.symbol, t);
                Ok(self.val(&op))
            }
        }
    }
}

/// What an allocation is.
pub enum Target {
    /// Symbol and address space.
    Global(String, u32),
    Function(crate::module::BodyKey),
}

impl Module<'_> {
    /// A global with these bytes.
    pub fn bytes_global(
        &mut self,
        ctx: &mut pliron::context::Context,
        data: Data,
        align: u64,
        name: &str,
    ) -> Result<String, String> {
        let key = GlobalKey::Bytes(data.bytes.clone(), align, data.relocs.clone());
        self.global(ctx, key, name, |_, _, _| {
            Ok(global_attr(data, align, 1, false))
        })
    }

    /// The global of an allocation.
    pub fn alloc_global(
        &mut self,
        ctx: &mut pliron::context::Context,
        krate: usize,
        id: AllocId,
    ) -> Result<Target, String> {
        let alloc = self.crates[krate]
            .alloc(id)
            .map_err(|e| e.to_string())?
            .ok_or_else(|| format!("alloc{} is not printed", id.0))?;
        match &alloc.kind {
            AllocKind::Memory(memory) => {
                let memory = memory.clone();
                let symbol = self.global(
                    ctx,
                    GlobalKey::Alloc(krate, id.0),
                    &format!("alloc{}", id.0),
                    |m, ctx, _| {
                        let data = m.memory_data(ctx, krate, &memory)?;
                        Ok(global_attr(data, memory.align, 1, false))
                    },
                )?;
                Ok(Target::Global(symbol, 1))
            }
            AllocKind::Static { path, memory } => {
                let memory = memory.clone();
                self.static_global(ctx, krate, path, Some(memory))
            }
            AllocKind::ExternStatic(path) | AllocKind::StaticRef(path) => {
                self.static_global(ctx, krate, path, None)
            }
            AllocKind::Fn(callee) => match &self.find_function(krate, &callee.path.to_string())[..]
            {
                [one] => Ok(Target::Function(*one)),
                _ => Err(format!(
                    "a pointer to `{}`, whose body is not on the MIR route",
                    callee.path
                )),
            },
            AllocKind::VTable { ty, .. } => Err(format!(
                "a vtable of `{ty}`: `dyn` is not handled on the MIR route"
            )),
            AllocKind::Other(text) => Err(format!("memory that is printed as `{text}`")),
        }
    }

    /// The global of a static. Its type decides where it lies.
    fn static_global(
        &mut self,
        ctx: &mut pliron::context::Context,
        krate: usize,
        path: &Path,
        memory: Option<Memory>,
    ) -> Result<Target, String> {
        let text = path.to_string();
        let found = self.find_const(krate, &text, true);
        let [key] = &found[..] else {
            return Err(format!(
                "{} statics are named `{text}`",
                if found.is_empty() { "no" } else { "several" }
            ));
        };
        let key = *key;
        let body = self.body(key).map_err(|d| d.message)?;
        let ty = body.locals.first().map_or_else(Ty::unit, |l| l.ty.clone());
        let (size, align) = match &memory {
            Some(m) if m.size > 0 => (m.size, m.align),
            _ => self.types.size_align(&ty)?,
        };
        let is = |name| matches!(&ty, Ty::Path(p) if p.last_ident() == Some(name));
        let (shared, constant) = (is("SharedArray"), is("ConstantMemory"));
        let mutable = body.kind == rustc_mir::ast::BodyKind::Static(rustc_mir::ty::Mutability::Mut)
            || text_is_cell(&ty);
        let space = match (shared, constant) {
            (true, _) => 3,
            (_, true) => 4,
            _ => 1,
        };
        let name = format!("{}::{}", self.crates[key.0].name(), body.path);
        let symbol = self.global(
            ctx,
            GlobalKey::Static(key.0, body.path.to_string()),
            &name,
            |m, ctx, _| {
                if shared {
                    return Ok(GlobalAttr {
                        size,
                        align,
                        addrspace: 3,
                        mutable: true,
                        hex: String::new(),
                        relocations: vec![],
                    });
                }
                let data = match &memory {
                    Some(memory) => m.memory_data(ctx, krate, memory)?,
                    None => m.const_item(ctx, key, &ty)?,
                };
                // Constant memory is the host's to write.
                if mutable || constant {
                    m.statics.push(name.clone());
                }
                Ok(global_attr(data, align, space, mutable))
            },
        )?;
        Ok(Target::Global(symbol, space))
    }

    fn memory_data(
        &mut self,
        ctx: &mut pliron::context::Context,
        krate: usize,
        memory: &Memory,
    ) -> Result<Data, String> {
        let mut data = Data {
            bytes: memory.bytes.clone(),
            relocs: vec![],
        };
        for r in &memory.relocations {
            let symbol = match self.alloc_global(ctx, krate, r.target)? {
                Target::Global(symbol, 1) => symbol,
                Target::Global(..) => {
                    return Err("the address of shared or constant memory in a constant".into());
                }
                Target::Function(key) => self.function(key, &[]).map_err(|d| d.message)?.symbol,
            };
            let at = r.offset as usize;
            if let Some(bytes) = data.bytes.get_mut(at..at + 8) {
                bytes.fill(0);
            }
            data.relocs.push((r.offset, symbol, r.addend));
        }
        Ok(data)
    }

    /// Writes a constant of type `ty` at `at`.
    pub fn const_bytes(
        &mut self,
        ctx: &mut pliron::context::Context,
        krate: usize,
        kind: &ConstKind,
        ty: &Ty,
        at: u64,
        out: &mut Data,
    ) -> Result<(), String> {
        let size = self.types.size_align(ty)?.0;
        let put = |out: &mut Data, value: u128, size: u64| {
            let at = at as usize;
            if let Some(b) = out.bytes.get_mut(at..at + size as usize) {
                b.copy_from_slice(&value.to_le_bytes()[..size as usize]);
            }
        };
        match kind {
            ConstKind::Bool(b) => put(out, u128::from(*b), 1),
            ConstKind::Char(c) => put(out, u128::from(u32::from(*c)), 4),
            ConstKind::Int(v, t) => put(out, *v as u128, t.size()),
            ConstKind::Uint(v, t) => put(out, *v, t.size()),
            ConstKind::Float(f) => put(out, f.bits, float_size(f.ty)),
            ConstKind::Transmute { bits, .. } if size <= 16 => put(out, *bits, size),
            ConstKind::IntPointer { address, .. } => put(out, *address, 8),
            ConstKind::Uninit
            | ConstKind::ZeroSized(_)
            | ConstKind::Fn(_)
            | ConstKind::Unreachable(_) => {}
            ConstKind::Tuple(parts) => {
                let Ty::Tuple(tys) = ty else {
                    return Err(format!("a tuple of type `{ty}`"));
                };
                let l = if parts.is_empty() {
                    return Ok(());
                } else {
                    self.types.layout(ty)?
                };
                for (i, (p, t)) in parts.iter().zip(tys).enumerate() {
                    let offset = l
                        .fields
                        .get(i)
                        .ok_or_else(|| format!("the layout of `{ty}` has no field {i}"))?
                        .offset;
                    self.const_bytes(ctx, krate, p, t, at + offset, out)?;
                }
            }
            ConstKind::Array(parts) => {
                let elem = element(ty).ok_or_else(|| format!("an array of type `{ty}`"))?;
                let stride = self.types.size_align(&elem)?.0;
                for (i, p) in parts.iter().enumerate() {
                    self.const_bytes(ctx, krate, p, &elem, at + stride * i as u64, out)?;
                }
            }
            ConstKind::AdtTuple(path, parts) => {
                let parts: Vec<_> = parts.iter().collect();
                self.adt_bytes(ctx, krate, path, &parts, ty, at, out)?;
            }
            ConstKind::AdtStruct(path, parts) => {
                let parts: Vec<_> = parts.iter().map(|p| &p.1).collect();
                self.adt_bytes(ctx, krate, path, &parts, ty, at, out)?;
            }
            ConstKind::Path(path, PathConst::Value) => {
                self.adt_bytes(ctx, krate, path, &[], ty, at, out)?
            }
            ConstKind::Path(path, PathConst::Param) => {
                return Err(format!("the constant parameter `{path}` has no value here"));
            }
            ConstKind::Path(path, _) => {
                let found = self.find_const(krate, &path.to_string(), false);
                let unit = |m: &Self| {
                    let l = m.types.layout(ty).ok()?;
                    let name = path.last_ident()?;
                    l.variants()
                        .iter()
                        .any(|v| v.name == name && v.fields.is_empty())
                        .then_some(())
                };
                let data = match &found[..] {
                    [one] => self.const_item(ctx, *one, ty)?,
                    // Inside another constant nothing tells a unit variant from a name.
                    [] if unit(self).is_some() => {
                        return self.adt_bytes(ctx, krate, path, &[], ty, at, out);
                    }
                    [] => match core_const(&path.to_string(), ty) {
                        Some(bits) => {
                            put(out, bits, size);
                            return Ok(());
                        }
                        None => return Err(format!("the constant `{path}` is not printed")),
                    },
                    _ => return Err(format!("several constants are named `{path}`")),
                };
                paste(out, at, &data);
            }
            ConstKind::Promoted(path, index) => {
                let text = path.to_string();
                let wanted = rustc_mir::ast::BodyKind::Promoted(*index);
                let found: Vec<_> = self.crates[krate]
                    .items()
                    .iter()
                    .filter(|i| i.kind == wanted && !i.for_ctfe && i.path == text)
                    .map(|i| i.id)
                    .collect();
                let [id] = found[..] else {
                    return Err(format!(
                        "the promoted constant {index} of `{path}` is not printed once"
                    ));
                };
                let data = self.const_item(ctx, (krate, id), ty)?;
                paste(out, at, &data);
            }
            ConstKind::Str(text) => {
                self.pointer_to_bytes(ctx, text.as_bytes().to_vec(), 1, true, at, out)?
            }
            ConstKind::ByteStr(bytes) => {
                let wide = pointee(ty).is_some_and(|p| is_slice_like(p.0));
                self.pointer_to_bytes(ctx, bytes.clone(), 1, wide, at, out)?;
            }
            ConstKind::ByteArray(bytes) => {
                paste(
                    out,
                    at,
                    &Data {
                        bytes: bytes.clone(),
                        relocs: vec![],
                    },
                );
            }
            ConstKind::Pointer { alloc, offset, .. } => {
                let symbol = self.reloc_symbol(ctx, krate, *alloc)?;
                out.relocs.push((at, symbol, *offset));
                if let Some((p, _)) = pointee(ty)
                    && is_slice_like(p)
                {
                    // A wide pointer to a whole allocation: the length is in its size.
                    let elem =
                        element(p).map_or(Ok(1), |e| self.types.size_align(&e).map(|s| s.0))?;
                    let bytes = self.alloc_size(krate, *alloc)?;
                    let n = bytes.saturating_sub(*offset).checked_div(elem).unwrap_or(0);
                    let at = at as usize + 8;
                    if let Some(b) = out.bytes.get_mut(at..at + 8) {
                        b.copy_from_slice(&n.to_le_bytes());
                    }
                }
            }
            ConstKind::Slice { alloc, len, .. } => {
                let symbol = self.reloc_symbol(ctx, krate, *alloc)?;
                out.relocs.push((at, symbol, 0));
                let at = at as usize + 8;
                if let Some(b) = out.bytes.get_mut(at..at + 8) {
                    b.copy_from_slice(&len.to_le_bytes());
                }
            }
            ConstKind::Indirect { alloc, offset, .. } => {
                let alloc = self.crates[krate]
                    .alloc(*alloc)
                    .map_err(|e| e.to_string())?;
                let Some(AllocKind::Memory(memory)) = alloc.as_ref().map(|a| &a.kind) else {
                    return Err("a constant in memory that is not printed".into());
                };
                let data = self.memory_data(ctx, krate, memory)?;
                let (from, to) = (*offset as usize, (*offset + size) as usize);
                let bytes = data
                    .bytes
                    .get(from..to)
                    .ok_or("a constant beyond its memory")?
                    .to_vec();
                let relocs = data
                    .relocs
                    .into_iter()
                    .filter(|r| r.0 >= *offset && r.0 + 8 <= *offset + size)
                    .map(|r| (r.0 - offset, r.1, r.2))
                    .collect();
                paste(out, at, &Data { bytes, relocs });
            }
            ConstKind::Transmute { .. } | ConstKind::Source(_) => {
                return Err(format!(
                    "a constant of type `{ty}` in a form that is not understood"
                ));
            }
        }
        Ok(())
    }

    fn reloc_symbol(
        &mut self,
        ctx: &mut pliron::context::Context,
        krate: usize,
        id: AllocId,
    ) -> Result<String, String> {
        match self.alloc_global(ctx, krate, id)? {
            Target::Global(symbol, 1) => Ok(symbol),
            Target::Global(..) => {
                Err("the address of shared or constant memory in a constant".into())
            }
            Target::Function(key) => Ok(self.function(key, &[]).map_err(|d| d.message)?.symbol),
        }
    }

    fn alloc_size(&self, krate: usize, id: AllocId) -> Result<u64, String> {
        let alloc = self.crates[krate].alloc(id).map_err(|e| e.to_string())?;
        match alloc.as_ref().map(|a| &a.kind) {
            Some(AllocKind::Memory(m) | AllocKind::Static { memory: m, .. }) => Ok(m.size),
            _ => Err(format!("alloc{} has no size", id.0)),
        }
    }

    fn pointer_to_bytes(
        &mut self,
        ctx: &mut pliron::context::Context,
        bytes: Vec<u8>,
        align: u64,
        wide: bool,
        at: u64,
        out: &mut Data,
    ) -> Result<(), String> {
        let len = bytes.len() as u64;
        let symbol = self.bytes_global(
            ctx,
            Data {
                bytes,
                relocs: vec![],
            },
            align,
            "str",
        )?;
        out.relocs.push((at, symbol, 0));
        let at = at as usize + 8;
        if wide && let Some(b) = out.bytes.get_mut(at..at + 8) {
            b.copy_from_slice(&len.to_le_bytes());
        }
        Ok(())
    }

    #[allow(clippy::too_many_arguments)]
    fn adt_bytes(
        &mut self,
        ctx: &mut pliron::context::Context,
        krate: usize,
        path: &Path,
        parts: &[&ConstKind],
        ty: &Ty,
        at: u64,
        out: &mut Data,
    ) -> Result<(), String> {
        // `MaybeUninit` and `ManuallyDrop` have the bytes of what is in them.
        if matches!(ty, Ty::Path(p) if is_transparent(p)) {
            let Some((inner, ity)) = parts.last().and_then(|p| innermost(p)) else {
                return Err(format!(
                    "a constant of type `{ty}` in a form that is not understood"
                ));
            };
            return if self.types.size_align(&ity)?.0 == self.types.size_align(ty)?.0 {
                self.const_bytes(ctx, krate, inner, &ity, at, out)
            } else {
                Err(format!(
                    "a constant of type `{ty}` in a form that is not understood"
                ))
            };
        }
        let l = self.types.layout(ty)?;
        let variant = match &l.variants {
            layout::Variants::Single { .. } => None,
            _ => {
                let name = path.last_ident().unwrap_or_default();
                let i = l.variants().iter().position(|v| v.name == name);
                Some(
                    i.ok_or_else(|| format!("`{ty}` has no variant `{name}` in its layout"))?
                        as u32,
                )
            }
        };
        let fields = match variant {
            Some(v) => l.variant_fields(v).unwrap_or_default(),
            None => &l.fields[..],
        };
        for (i, part) in parts.iter().enumerate() {
            let field = fields.get(i);
            let pty = kind_ty(part).or_else(|| field.and_then(|f| f.ty.clone()));
            // A wrapper of one value (`NonZero(NonZeroInner(2))`) has the bytes of what is in it.
            if pty.is_none()
                && parts.len() == 1
                && let Some((inner, ity)) = innermost(part)
                && self.types.size_align(&ity)?.0 == l.size
            {
                self.const_bytes(ctx, krate, inner, &ity, at, out)?;
                continue;
            }
            let Some(pty) = pty else {
                return Err(format!("the type of field {i} of `{ty}` is not known"));
            };
            if self.types.size_align(&pty)?.0 == 0 {
                continue;
            }
            let offset = field
                .ok_or_else(|| format!("the layout of `{ty}` has no field {i}"))?
                .offset;
            self.const_bytes(ctx, krate, part, &pty, at + offset, out)?;
        }
        if let Some(v) = variant {
            write_tag(&l, v, at, out);
        }
        Ok(())
    }

    /// The bytes of a constant item, promoted or static, from its printed body.
    pub fn const_item(
        &mut self,
        ctx: &mut pliron::context::Context,
        key: crate::module::BodyKey,
        ty: &Ty,
    ) -> Result<Data, String> {
        let body = self.body(key).map_err(|d| d.message)?;
        let ty = body.locals.first().map_or(ty.clone(), |l| l.ty.clone());
        let size = self.types.size_align(&ty)?.0;
        if let Some(c) = &body.value {
            let mut data = Data {
                bytes: vec![0; size as usize],
                relocs: vec![],
            };
            self.const_bytes(ctx, key.0, &c.kind, &ty, 0, &mut data)?;
            return Ok(data);
        }
        crate::eval::run(self, ctx, key, &body, vec![], 0)
    }
}

/// Constants of numbers that core defines, of which only the name is printed.
fn core_const(path: &str, ty: &Ty) -> Option<u128> {
    let (owner, name) = path.rsplit_once("::")?;
    let core = owner.starts_with("std::") || owner.starts_with("core::");
    if !core {
        return None;
    }
    macro_rules! floats {
        ($t:ident: $($n:ident)+; $($c:ident)+) => {
            if owner.ends_with("::consts") {
                match name {
                    $(stringify!($c) => std::$t::consts::$c,)+
                    _ => return None,
                }
            } else {
                match name {
                    $(stringify!($n) => $t::$n,)+
                    _ => return None,
                }
            }
        };
    }
    let width = match ty {
        Ty::Int(t) => 8 * t.size() as u32,
        Ty::Uint(t) => 8 * t.size() as u32,
        Ty::Float(FloatTy::F32) => {
            let v: f32 = floats!(f32: MAX MIN MIN_POSITIVE EPSILON INFINITY NEG_INFINITY NAN;
                PI TAU E FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI SQRT_2
                FRAC_1_SQRT_2 LN_2 LN_10 LOG2_E LOG10_E LOG2_10 LOG10_2);
            return Some(u128::from(v.to_bits()));
        }
        Ty::Float(FloatTy::F64) => {
            let v: f64 = floats!(f64: MAX MIN MIN_POSITIVE EPSILON INFINITY NEG_INFINITY NAN;
                PI TAU E FRAC_PI_2 FRAC_PI_3 FRAC_PI_4 FRAC_PI_6 FRAC_PI_8 FRAC_1_PI FRAC_2_PI FRAC_2_SQRT_PI SQRT_2
                FRAC_1_SQRT_2 LN_2 LN_10 LOG2_E LOG10_E LOG2_10 LOG10_2);
            return Some(u128::from(v.to_bits()));
        }
        _ => return None,
    };
    // `core::num::<impl i128>::MIN`: the type of the constant is the type of the impl for these two.
    let own = owner.ends_with(&format!("<impl {ty}>"));
    match (name, ty) {
        ("MAX", Ty::Int(_)) if own => Some(u128::MAX >> (129 - width)),
        ("MIN", Ty::Int(_)) if own => Some(1 << (width - 1)),
        ("MAX", Ty::Uint(_)) if own => Some(u128::MAX >> (128 - width)),
        ("MIN", Ty::Uint(_)) if own => Some(0),
        _ => None,
    }
}

/// The value in wrappers of one field each.
fn innermost(kind: &ConstKind) -> Option<(&ConstKind, Ty)> {
    match kind {
        ConstKind::AdtTuple(_, parts) if parts.len() == 1 => innermost(&parts[0]),
        ConstKind::AdtStruct(_, parts) if parts.len() == 1 => innermost(&parts[0].1),
        kind => Some((kind, kind_ty(kind)?)),
    }
}

/// Writes the tag of variant `v`.
pub fn write_tag(l: &layout::Layout, v: u32, at: u64, out: &mut Data) {
    let (tag, value) = match &l.variants {
        layout::Variants::Single { .. } => return,
        layout::Variants::Tagged { tag, variants } => {
            (tag, variants[v as usize].discriminant as u128)
        }
        layout::Variants::Niche {
            tag,
            untagged_variant,
            niche_variants,
            niche_start,
            ..
        } => {
            if v == *untagged_variant {
                return;
            }
            (
                tag,
                niche_start.wrapping_add(u128::from(v - niche_variants.0)),
            )
        }
    };
    let at = (at + tag.offset) as usize;
    let size = tag.size as usize;
    if let Some(b) = out.bytes.get_mut(at..at + size) {
        b.copy_from_slice(&value.to_le_bytes()[..size]);
    }
}

/// Copies `data` into `out` at `at`.
pub fn paste(out: &mut Data, at: u64, data: &Data) {
    let start = at as usize;
    if let Some(b) = out.bytes.get_mut(start..start + data.bytes.len()) {
        b.copy_from_slice(&data.bytes);
    }
    let end = at + data.bytes.len() as u64;
    out.relocs.retain(|r| r.0 < at || r.0 >= end);
    out.relocs
        .extend(data.relocs.iter().map(|r| (r.0 + at, r.1.clone(), r.2)));
}

/// `size` bytes at `at` as a number.
pub fn read_uint(bytes: &[u8], at: usize, size: usize) -> u128 {
    let mut b = [0; 16];
    if let Some(s) = bytes.get(at..at + size) {
        b[..size].copy_from_slice(s);
    }
    u128::from_le_bytes(b)
}

fn float_size(ty: FloatTy) -> u64 {
    ty.size()
}

/// Statics of these types are written to although they are not `mut`.
fn text_is_cell(ty: &Ty) -> bool {
    let s = ty.to_string();
    s.contains("UnsafeCell") || s.contains("Atomic") || s.contains("Cell<")
}

fn global_attr(data: Data, align: u64, addrspace: u32, mutable: bool) -> GlobalAttr {
    let relocations = data
        .relocs
        .into_iter()
        .map(|(offset, symbol, addend)| Relocation {
            offset,
            symbol,
            addend,
        })
        .collect();
    GlobalAttr {
        size: data.bytes.len() as u64,
        align,
        addrspace,
        mutable,
        hex: GlobalAttr::to_hex(&data.bytes),
        relocations,
    }
}

/// Constants of a struct that a body builds: used to read a kernel's description.
pub fn struct_constants<'b>(body: &'b Body, name: &str) -> Vec<&'b [(String, Operand)]> {
    let mut out = vec![];
    for s in body.blocks.iter().flat_map(|b| &b.statements) {
        if let StatementKind::Assign(
            _,
            Rvalue::Aggregate(rustc_mir::ast::Aggregate::AdtStruct { path, fields }),
        ) = &s.kind
            && path.last_ident() == Some(name)
        {
            out.push(&fields[..]);
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustc_mir::ty::IntTy;

    #[test]
    fn constants_of_core() {
        let (i128_ty, f64_ty) = (Ty::Int(IntTy::I128), Ty::Float(FloatTy::F64));
        assert_eq!(
            core_const("core::num::<impl i128>::MIN", &i128_ty),
            Some(i128::MIN as u128)
        );
        assert_eq!(
            core_const("core::num::<impl i128>::MAX", &i128_ty),
            Some(i128::MAX as u128)
        );
        let pi = core_const("std::f64::consts::PI", &f64_ty);
        assert_eq!(pi, Some(u128::from(std::f64::consts::PI.to_bits())));
        assert_eq!(core_const("mine::f64::consts::PI", &f64_ty), None);
        assert_eq!(core_const("core::num::<impl u8>::MAX", &i128_ty), None);
    }
}
