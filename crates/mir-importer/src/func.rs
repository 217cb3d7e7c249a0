//! One body to one `mir.func`: locals, places, statements, terminators.

use std::collections::HashMap;
use std::sync::Arc;

use dialect_mir::{attributes::*, ops::*, types as mt};
use pliron::{
    basic_block::BasicBlock,
    context::{Context, Ptr},
    location::Location,
    op::Op,
    operation::Operation,
    r#type::{TypeHandle, Typed},
    value::Value,
};
use rustc_mir::{
    Span,
    ast::{
        AssertMessage, BlockId, Body, Local, Operand, Place, Projection, SourceInfo, StatementKind,
        TerminatorKind, Variant,
    },
    ty::Ty,
};

use crate::{
    diag::Diagnostic,
    loc,
    module::{BodyKey, Module},
    types::{Kind, element, is_slice_like, pointee},
};

/// A place as an address, with the length of a slice.
#[derive(Clone, Debug)]
pub struct PlaceRef {
    pub addr: Value,
    /// Number of elements, for `[T]` and `str`.
    pub len: Option<Value>,
    pub ty: Ty,
    pub variant: Option<u32>,
    /// What is known of the address.
    pub align: u64,
}

/// A value.
#[derive(Clone, Copy, Debug)]
pub enum Val {
    Zst,
    /// A scalar or slice.
    Ssa(Value),
    /// In memory here, with this alignment.
    Memory(Value, u64),
}

/// Why a statement could not be translated: the words, to which the caller adds the place.
pub type Res<T> = Result<T, Fail>;

/// See [`Res`].
#[derive(Debug)]
pub enum Fail {
    /// Not understood, or not possible on a GPU.
    Text(String),
    /// Already complete.
    Diagnostic(Box<Diagnostic>),
}

impl From<String> for Fail {
    fn from(s: String) -> Self {
        Fail::Text(s)
    }
}

impl From<&str> for Fail {
    fn from(s: &str) -> Self {
        Fail::Text(s.to_string())
    }
}

impl From<Diagnostic> for Fail {
    fn from(d: Diagnostic) -> Self {
        Fail::Diagnostic(Box::new(d))
    }
}

/// The translation of one body.
pub struct Func<'m, 'a> {
    pub m: &'m mut Module<'a>,
    pub ctx: &'m mut Context,
    pub key: BodyKey,
    pub body: Arc<Body>,
    pub func: FuncOp,
    entry: Ptr<BasicBlock>,
    /// Where operations go now.
    pub block: Ptr<BasicBlock>,
    pub loc: Location,
    pub source: Option<SourceInfo>,
    locals: HashMap<Local, (Value, u64)>,
    blocks: HashMap<BlockId, Ptr<BasicBlock>>,
    todo: Vec<BlockId>,
    /// The MIR block that is translated.
    current: BlockId,
    /// Where an aggregate result goes.
    pub sret: Option<Value>,
    /// The chain of calls from the kernel to this function.
    pub chain: Vec<(String, Option<Span>)>,
}

impl<'m, 'a> Func<'m, 'a> {
    /// `func` has its entry block already; its arguments are stored by the caller through [`Func::store_arg`].
    pub fn new(
        m: &'m mut Module<'a>,
        ctx: &'m mut Context,
        key: BodyKey,
        body: Arc<Body>,
        func: FuncOp,
        chain: Vec<(String, Option<Span>)>,
    ) -> Self {
        let entry = func.create_entry(ctx);
        Func {
            m,
            ctx,
            key,
            body,
            func,
            entry,
            block: entry,
            loc: Location::Unknown,
            source: None,
            locals: HashMap::new(),
            blocks: HashMap::new(),
            todo: vec![],
            current: BlockId(0),
            sret: None,
            chain,
        }
    }

    /// Appends an operation at the current place, with the current location.
    pub fn push(&mut self, op: &dyn Op) {
        let ptr = op.get_operation();
        ptr.deref_mut(self.ctx).set_loc(self.loc.clone());
        ptr.insert_at_back(self.block, self.ctx);
    }

    /// Appends and gives the only result.
    pub fn val(&mut self, op: &dyn Op) -> Value {
        self.push(op);
        op.get_operation().deref(self.ctx).get_result(0)
    }

    pub fn int(&mut self, bits: u32, value: u128) -> Value {
        let ty = mt::int_type(self.ctx, bits);
        let op = ConstantOp::new(self.ctx, ty, value);
        self.val(&op)
    }

    pub fn usize(&mut self, value: u64) -> Value {
        self.int(64, u128::from(value))
    }

    pub fn cast(&mut self, v: Value, ty: TypeHandle, kind: CastKindAttr) -> Value {
        let op = CastOp::new(self.ctx, v, ty, kind);
        self.val(&op)
    }

    /// A pointer or slice as exactly this pointer or slice type.
    pub fn coerce(&mut self, v: Value, ty: TypeHandle) -> Value {
        let from = v.get_type(self.ctx);
        if from == ty {
            return v;
        }
        if let (Some(f), Some(t)) = (
            mt::as_type::<mt::PtrType>(self.ctx, from),
            mt::as_type::<mt::PtrType>(self.ctx, ty),
        ) {
            let kind = if f.addrspace == t.addrspace {
                CastKindAttr::PtrToPtr
            } else {
                CastKindAttr::AddrSpace
            };
            return self.cast(v, ty, kind);
        }
        if mt::is_slice(self.ctx, from) && mt::is_slice(self.ctx, ty) {
            return self.cast(v, ty, CastKindAttr::SliceToSlice);
        }
        v
    }

    pub fn ptr_ty(&mut self, pointee: TypeHandle) -> TypeHandle {
        mt::PtrType::get(self.ctx, mt::shallow(self.ctx, pointee), true, 0).into()
    }

    /// A new local of the function.
    pub fn temp(&mut self, ty: TypeHandle, align: u64, name: Option<&str>) -> Value {
        let op = AllocaOp::new(self.ctx, ty, align.max(1), name);
        op.get_operation().insert_at_front(self.entry, self.ctx);
        op.result(self.ctx)
    }

    /// A new local of a Rust type.
    pub fn temp_of(&mut self, ty: &Ty) -> Res<PlaceRef> {
        let (_, align) = self.m.types.size_align(ty)?;
        let t = self.m.types.convert(self.ctx, ty)?;
        let addr = self.temp(t, align, None);
        Ok(PlaceRef {
            addr,
            len: None,
            ty: ty.clone(),
            variant: None,
            align,
        })
    }

    pub fn local_ty(&self, local: Local) -> Res<Ty> {
        match self.body.locals.get(local.0 as usize) {
            Some(l) => Ok(l.ty.clone()),
            None => Err(format!("local _{} is not declared", local.0).into()),
        }
    }

    /// The address of a local.
    pub fn local(&mut self, local: Local) -> Res<(Value, u64)> {
        if let Some(l) = self.locals.get(&local) {
            return Ok(*l);
        }
        let ty = self.local_ty(local)?;
        let (_, align) = self.m.types.size_align(&ty)?;
        let t = self.m.types.convert(self.ctx, &ty)?;
        let name = self.body.debug.iter().find_map(|d| match &d.value {
            rustc_mir::ast::VarDebugValue::Place(p)
                if p.local == local && p.projection.is_empty() =>
            {
                Some(d.name.clone())
            }
            _ => None,
        });
        let addr = self.temp(t, align, name.as_deref());
        self.locals.insert(local, (addr, align));
        Ok((addr, align))
    }

    /// The type of a place.
    pub fn place_ty(&self, place: &Place) -> Res<Ty> {
        let mut ty = self.local_ty(place.local)?;
        for p in &place.projection {
            ty = project_ty(&ty, p)?;
        }
        Ok(ty)
    }

    /// The address of a place.
    pub fn place(&mut self, place: &Place) -> Res<PlaceRef> {
        let ty = self.local_ty(place.local)?;
        let (addr, align) = self.local(place.local)?;
        let mut at = PlaceRef {
            addr,
            len: None,
            ty,
            variant: None,
            align,
        };
        for p in &place.projection {
            at = self.project(at, p)?;
        }
        Ok(at)
    }

    fn project(&mut self, at: PlaceRef, p: &Projection) -> Res<PlaceRef> {
        let ty = project_ty(&at.ty, p)?;
        Ok(match p {
            Projection::Deref => {
                let v = self.load(&at)?;
                let elem_align = |f: &Self| match element(&ty).filter(|_| is_slice_like(&ty)) {
                    Some(e) => f.m.types.size_align(&e).map(|s| s.1),
                    None => f.m.types.size_align(&ty).map(|s| s.1),
                };
                // A pointee whose layout nobody knows may still be passed on; then nothing is known of its address.
                let align = elem_align(self).unwrap_or(1);
                if is_slice_like(&ty) {
                    let (addr, len) = self.slice_parts(v);
                    PlaceRef {
                        addr,
                        len: Some(len),
                        ty,
                        variant: None,
                        align,
                    }
                } else {
                    PlaceRef {
                        addr: v,
                        len: None,
                        ty,
                        variant: None,
                        align,
                    }
                }
            }
            Projection::Field(i, _) => self.field(&at, *i, ty)?,
            Projection::Index(local) => {
                let (addr, align) = self.local(*local)?;
                let i64_ty: TypeHandle = mt::int_type(self.ctx, 64).into();
                let op = LoadOp::new(self.ctx, addr, i64_ty, align);
                let index = self.val(&op);
                self.element(&at, index, ty)?
            }
            Projection::ConstantIndex {
                offset,
                from_end: false,
                ..
            } => {
                let index = self.usize(*offset);
                self.element(&at, index, ty)?
            }
            Projection::ConstantIndex { offset, .. } => {
                let len = self.len(&at)?;
                let back = self.usize(*offset);
                let op = SubOp::new(self.ctx, len, back, false);
                let index = self.val(&op);
                self.element(&at, index, ty)?
            }
            Projection::Subslice { from, to, from_end } => {
                let elem = element(&at.ty).ok_or("a subslice of what is no array or slice")?;
                let index = self.usize(*from);
                let start = self.element(&at, index, elem)?;
                let len = if is_slice_like(&ty) {
                    if *from_end {
                        let len = self.len(&at)?;
                        let less = self.usize(from + to);
                        let op = SubOp::new(self.ctx, len, less, false);
                        Some(self.val(&op))
                    } else {
                        Some(self.usize(to.saturating_sub(*from)))
                    }
                } else {
                    None
                };
                let target = self.m.types.pointee(self.ctx, &ty);
                let addr = if len.is_some() {
                    start.addr
                } else {
                    let t = self.ptr_ty(target);
                    self.coerce(start.addr, t)
                };
                PlaceRef {
                    addr,
                    len,
                    ty,
                    variant: None,
                    align: start.align,
                }
            }
            Projection::Downcast(v) => {
                let variant = self.variant_index(&at.ty, v)?;
                PlaceRef {
                    variant: Some(variant),
                    ..at
                }
            }
            Projection::Subtype(t) | Projection::OpaqueCast(t) => {
                let pointee = self.m.types.pointee(self.ctx, t);
                let t2 = self.ptr_ty(pointee);
                let addr = self.coerce(at.addr, t2);
                PlaceRef { addr, ty, ..at }
            }
            Projection::UnwrapUnsafeBinder(_) => {
                return Err("unsafe binders are not handled".into());
            }
        })
    }

    pub fn variant_index(&self, ty: &Ty, v: &Variant) -> Res<u32> {
        match v {
            Variant::Index(i) => Ok(*i),
            Variant::Name(name) => {
                let l = self.m.types.layout(ty)?;
                match &l.variants {
                    layout::Variants::Single { index } => Ok(*index),
                    _ => match l.variants().iter().position(|v| v.name == *name) {
                        Some(i) => Ok(i as u32),
                        None => Err(format!("`{ty}` has no variant `{name}` in its layout").into()),
                    },
                }
            }
        }
    }

    /// The place of a field.
    pub fn field(&mut self, at: &PlaceRef, index: u32, ty: Ty) -> Res<PlaceRef> {
        let l = self.m.types.layout(&at.ty)?;
        let fields = match at.variant {
            Some(v) => l.variant_fields(v),
            None => Some(&l.fields[..]),
        };
        let field = fields.and_then(|f| f.get(index as usize));
        let Some(offset) = field.map(|f| f.offset) else {
            // A field of no size may be missing from what rustc prints; it lies anywhere.
            if self.m.types.size_align(&ty).is_ok_and(|s| s.0 == 0) {
                return self.field_at(at, index, 0, ty);
            }
            return Err(format!("the layout of `{}` has no field {index}", at.ty).into());
        };
        self.field_at(at, index, offset, ty)
    }

    /// The place `offset` bytes further.
    pub fn field_at(&mut self, at: &PlaceRef, index: u32, offset: u64, ty: Ty) -> Res<PlaceRef> {
        let field_ty = self.m.types.pointee(self.ctx, &ty);
        let op = FieldAddrOp::new(
            self.ctx,
            at.addr,
            field_ty,
            u64::from(index),
            offset,
            at.variant.map(u64::from),
        );
        let addr = self.val(&op);
        let by_offset = if offset == 0 {
            at.align
        } else {
            at.align.min(1 << offset.trailing_zeros().min(32))
        };
        let own = self.m.types.size_align(&ty).map_or(1, |s| s.1);
        // The unsized tail has the length that the whole was pointed to with.
        let len = if is_slice_like(&ty) { at.len } else { None };
        Ok(PlaceRef {
            addr,
            len,
            ty,
            variant: None,
            align: own.min(by_offset),
        })
    }

    /// The place of an element.
    pub fn element(&mut self, at: &PlaceRef, index: Value, ty: Ty) -> Res<PlaceRef> {
        let (stride, align) = self.m.types.size_align(&ty)?;
        let elem = self.m.types.pointee(self.ctx, &ty);
        let op = ArrayElementAddrOp::new(self.ctx, at.addr, index, elem, stride);
        let addr = self.val(&op);
        Ok(PlaceRef {
            addr,
            len: None,
            ty,
            variant: None,
            align: align.min(at.align),
        })
    }

    /// Number of elements of an array or slice.
    pub fn len(&mut self, at: &PlaceRef) -> Res<Value> {
        if let Some(len) = at.len {
            return Ok(len);
        }
        match &at.ty {
            Ty::Array(_, n) => {
                let n = n.as_u64().ok_or("an array length that is not evaluated")?;
                Ok(self.usize(n))
            }
            t => Err(format!("the length of a `{t}`").into()),
        }
    }

    pub fn slice_parts(&mut self, v: Value) -> (Value, Value) {
        let op = ExtractFieldOp::new(self.ctx, v, 0);
        let ptr = self.val(&op);
        let op = ExtractFieldOp::new(self.ctx, v, 1);
        (ptr, self.val(&op))
    }

    /// A slice of exactly this type.
    pub fn make_slice(&mut self, ty: TypeHandle, ptr: Value, len: Value) -> Value {
        if let Some(fields) = field_types(self.ctx, ty) {
            let ptr = self.coerce(ptr, fields[0]);
            let op = ConstructSliceOp::new(self.ctx, ty, vec![ptr, len]);
            self.val(&op)
        } else {
            ptr
        }
    }

    /// Reads a scalar or slice.
    pub fn load(&mut self, at: &PlaceRef) -> Res<Value> {
        let ty = self.m.types.convert(self.ctx, &at.ty)?;
        let p = self.ptr_ty(ty);
        let addr = self.coerce_place(at.addr, p);
        let op = LoadOp::new(self.ctx, addr, ty, at.align);
        Ok(self.val(&op))
    }

    /// A pointer whose pointee fits, as it is; else cast.
    fn coerce_place(&mut self, addr: Value, want: TypeHandle) -> Value {
        let (Some(f), Some(t)) = (
            mt::as_type::<mt::PtrType>(self.ctx, addr.get_type(self.ctx)),
            mt::as_type::<mt::PtrType>(self.ctx, want),
        ) else {
            return addr;
        };
        if mt::pointee_matches(self.ctx, f.pointee, t.pointee) {
            addr
        } else {
            self.coerce(addr, want)
        }
    }

    /// Reads a value of any kind.
    pub fn read(&mut self, at: &PlaceRef) -> Res<Val> {
        Ok(match self.m.kind(&at.ty)? {
            Kind::Zst => Val::Zst,
            Kind::Scalar | Kind::Slice => Val::Ssa(self.load(at)?),
            Kind::Memory => Val::Memory(at.addr, at.align),
        })
    }

    /// Writes a value of the place's type.
    pub fn write(&mut self, at: &PlaceRef, v: Val) -> Res<()> {
        match v {
            Val::Zst => {}
            Val::Ssa(v) => {
                let ty = self.m.types.convert(self.ctx, &at.ty)?;
                let v = self.coerce(v, ty);
                if v.get_type(self.ctx) != ty {
                    return Err(
                        format!("a value of another type is stored in a `{}`", at.ty).into(),
                    );
                }
                let p = self.ptr_ty(ty);
                let addr = self.coerce_place(at.addr, p);
                let op = StoreOp::new(self.ctx, v, addr, at.align);
                self.push(&op);
            }
            Val::Memory(from, align) => {
                let ty = self.m.types.convert(self.ctx, &at.ty)?;
                let op = AssignOp::new(self.ctx, at.addr, from, ty, align.min(at.align));
                self.push(&op);
            }
        }
        Ok(())
    }

    /// The type of an operand.
    pub fn operand_ty(&self, op: &Operand) -> Res<Ty> {
        match op {
            Operand::Copy(p) | Operand::Move(p) => self.place_ty(p),
            Operand::Const(c) => crate::consts::const_ty(c),
            Operand::RuntimeChecks(_) => Ok(Ty::Bool),
        }
    }

    /// The value of an operand.
    pub fn operand(&mut self, op: &Operand) -> Res<Val> {
        match op {
            Operand::Copy(p) | Operand::Move(p) => {
                let at = self.place(p)?;
                self.read(&at)
            }
            Operand::Const(c) => {
                let ty = crate::consts::const_ty(c)?;
                self.constant(&c.kind, &ty)
            }
            Operand::RuntimeChecks(r) => {
                let on = self.runtime_check(*r);
                Ok(Val::Ssa(self.int(1, on.into())))
            }
        }
    }

    /// The value of an operand of unknown-to-the-text type: a named constant without a comment has its destination's.
    pub fn operand_as(&mut self, op: &Operand, ty: &Ty) -> Res<Val> {
        match op {
            Operand::Const(c) if c.ty.is_none() && crate::consts::const_ty(c).is_err() => {
                self.constant(&c.kind, ty)
            }
            _ => self.operand(op),
        }
    }

    pub fn runtime_check(&self, r: rustc_mir::ast::RuntimeChecks) -> bool {
        use rustc_mir::ast::RuntimeChecks::*;
        match r {
            UbChecks => self.m.options.debug_assertions,
            OverflowChecks => self.m.options.overflow_checks,
            ContractChecks => false,
        }
    }

    /// The SSA value of a scalar or slice operand.
    pub fn scalar(&mut self, op: &Operand) -> Res<Value> {
        match self.operand(op)? {
            Val::Ssa(v) => Ok(v),
            _ => Err(format!("a `{}` where a scalar is needed", self.operand_ty(op)?).into()),
        }
    }

    /// Translates the body, from `bb0`.
    pub fn run(&mut self) {
        let known = crate::panics::zero_sized(&self.body);
        let of_core = |t: &Ty| matches!(t, Ty::Closure(c) if matches!(c.at, rustc_mir::ty::ClosureAt::Path(_)));
        *self.m.types.zero_sized.borrow_mut() = known.into_iter().filter(of_core).collect();
        let Some(first) = self.body.blocks.first().map(|_| BlockId(0)) else {
            self.m.errors.push(Diagnostic::error(
                "mir-empty",
                format!("`{}` has no blocks", self.body.path),
                None,
            ));
            return;
        };
        let b = self.block_for(first);
        let op = GotoOp::new(self.ctx, b, vec![]);
        self.push(&op);
        while let Some(id) = self.todo.pop() {
            self.block = self.blocks[&id];
            self.current = id;
            if let Err((fail, source)) = self.translate_block(id) {
                let d = self.diagnose(fail, &source);
                self.m.errors.push(d);
                // The block needs an end for the rest of the function to be looked at too.
                let op = UnreachableOp::new(self.ctx);
                self.push(&op);
            }
        }
    }

    fn translate_block(&mut self, id: BlockId) -> Result<(), (Fail, SourceInfo)> {
        let body = self.body.clone();
        let block = &body.blocks[id.0 as usize];
        let doomed = self.is_doomed(&block.terminator.kind);
        // In a block that ends in a panic, locals that could not be computed: they are for the message alone.
        let mut lost = std::collections::HashSet::new();
        for s in &block.statements {
            self.at(&s.source);
            if doomed
                && let StatementKind::Assign(place, rvalue) = &s.kind
                && !place.projection.contains(&Projection::Deref)
            {
                let reads_lost = crate::panics::reads(rvalue).any(|l| lost.contains(&l));
                if reads_lost || self.assign(place, rvalue).is_err() {
                    lost.insert(place.local);
                }
                continue;
            }
            self.statement(&s.kind).map_err(|e| (e, s.source.clone()))?;
        }
        self.at(&block.terminator.source);
        self.terminator(&block.terminator.kind)
            .map_err(|e| (e, block.terminator.source.clone()))
    }

    fn at(&mut self, source: &SourceInfo) {
        self.loc = loc::span_to_loc(self.ctx, &self.body, source);
        self.source = Some(source.clone());
    }

    /// A failure with its place and the chain of calls to it.
    fn diagnose(&self, fail: Fail, source: &SourceInfo) -> Diagnostic {
        let frames = loc::frames(&self.body, source);
        let mut d = match fail {
            Fail::Diagnostic(d) => *d,
            Fail::Text(t) => Diagnostic::error("unsupported", t, None)
                .help("this construct is not handled by the MIR route; write it another way, or report it"),
        };
        if d.span.is_none() {
            d.span = loc::user_span(&frames).or_else(|| frames.iter().find_map(|f| f.1.clone()));
        }
        let inner = frames.first().and_then(|f| f.1.clone());
        if inner.is_some() && inner != d.span {
            for (name, span) in &frames[..frames.len() - 1] {
                d.notes.push(match span {
                    Some(s) => format!("inlined: `{name}` at {s}"),
                    None => format!("inlined: `{name}`"),
                });
            }
        }
        for (name, span) in self.chain.iter().rev() {
            d.notes.push(match span {
                Some(s) => format!("called from `{name}` at {s}"),
                None => format!("in kernel `{name}`"),
            });
        }
        d
    }

    /// The chain of calls to a function that is called here.
    pub fn chain_to_here(&self) -> Vec<(String, Option<Span>)> {
        let mut chain = self.chain.clone();
        let span = self
            .source
            .as_ref()
            .and_then(|s| loc::user_span(&loc::frames(&self.body, s)));
        chain.push((self.body.path.to_string(), span));
        chain
    }

    /// The pliron block of a MIR block; it is translated when it is new.
    pub fn block_for(&mut self, id: BlockId) -> Ptr<BasicBlock> {
        if let Some(b) = self.blocks.get(&id) {
            return *b;
        }
        let b = self.new_block();
        self.blocks.insert(id, b);
        self.todo.push(id);
        b
    }

    pub fn new_block(&mut self) -> Ptr<BasicBlock> {
        let region = self.func.get_operation().deref(self.ctx).get_region(0);
        let b = BasicBlock::new(self.ctx, None, vec![]);
        b.insert_at_back(region, self.ctx);
        b
    }

    pub fn goto(&mut self, id: BlockId) {
        let b = self.block_for(id);
        let op = GotoOp::new(self.ctx, b, vec![]);
        self.push(&op);
    }

    fn statement(&mut self, s: &StatementKind) -> Res<()> {
        match s {
            StatementKind::Assign(place, rvalue) => self.assign(place, rvalue),
            StatementKind::SetDiscriminant(place, variant) => {
                let at = self.place(place)?;
                self.set_discriminant(&at, *variant)
            }
            StatementKind::StorageLive(l) | StatementKind::StorageDead(l) => {
                // A local whose layout nobody knows is one that nothing here uses.
                let live = matches!(s, StatementKind::StorageLive(_));
                let local = if live {
                    self.local(*l).ok()
                } else {
                    self.locals.get(l).copied()
                };
                if let Some((addr, _)) = local {
                    if live {
                        let op = StorageLiveOp::new(self.ctx, addr);
                        self.push(&op);
                    } else {
                        let op = StorageDeadOp::new(self.ctx, addr);
                        self.push(&op);
                    }
                }
                Ok(())
            }
            StatementKind::Assume(op) => {
                let v = self.scalar(op)?;
                let op = AssumeOp::new(self.ctx, v);
                self.push(&op);
                Ok(())
            }
            StatementKind::CopyNonOverlapping { dst, src, count } => {
                self.copy(dst, src, count, false, false)
            }
            StatementKind::BackwardIncompatibleDropHint(_)
            | StatementKind::Nop
            | StatementKind::ConstEvalCounter
            | StatementKind::Deinit(_)
            | StatementKind::Retag(..)
            | StatementKind::PlaceMention(_)
            | StatementKind::FakeRead(..)
            | StatementKind::AscribeUserType(..)
            | StatementKind::Coverage(_)
            | StatementKind::DebugAssign(..) => Ok(()),
        }
    }

    /// Copies `count` elements of what the pointers point to.
    pub fn copy(
        &mut self,
        dst: &Operand,
        src: &Operand,
        count: &Operand,
        overlap: bool,
        volatile: bool,
    ) -> Res<()> {
        let ty = self.operand_ty(src)?;
        let elem = pointee(&ty)
            .ok_or("a copy from what is no pointer")?
            .0
            .clone();
        let (size, align) = self.m.types.size_align(&elem)?;
        let (d, s, n) = (self.scalar(dst)?, self.scalar(src)?, self.scalar(count)?);
        if size == 0 {
            return Ok(());
        }
        let size = self.usize(size);
        let op = MulOp::new(self.ctx, n, size, false);
        let bytes = self.val(&op);
        let op: Ptr<Operation> = if overlap {
            MemmoveOp::new(self.ctx, d, s, bytes, align).get_operation()
        } else {
            MemcpyOp::new(self.ctx, d, s, bytes, align).get_operation()
        };
        if volatile {
            set(
                self.ctx,
                op,
                &VOLATILE,
                pliron::builtin::attributes::BoolAttr::new(true),
            );
        }
        let op = Operation::get_op_dyn(op, self.ctx);
        self.push(op.as_ref());
        Ok(())
    }

    pub fn set_discriminant(&mut self, at: &PlaceRef, variant: u32) -> Res<()> {
        if let Ok(ty) = self.m.types.enum_type(self.ctx, &at.ty, 64)? {
            let op = SetDiscriminantOp::new(self.ctx, at.addr, ty, u64::from(variant));
            self.push(&op);
        }
        Ok(())
    }

    fn terminator(&mut self, t: &TerminatorKind) -> Res<()> {
        match t {
            TerminatorKind::Goto(b)
            | TerminatorKind::FalseEdge { real: b, .. }
            | TerminatorKind::FalseUnwind { real: b, .. } => {
                self.goto(*b);
                Ok(())
            }
            TerminatorKind::SwitchInt {
                discr,
                targets,
                otherwise,
            } => self.switch(discr, targets, *otherwise),
            TerminatorKind::Return => self.ret(),
            TerminatorKind::Unreachable => {
                let op = UnreachableOp::new(self.ctx);
                self.push(&op);
                Ok(())
            }
            TerminatorKind::Drop { place, target, .. } => self.drop_place(place, *target),
            TerminatorKind::Call(call) => self.call(call),
            TerminatorKind::Assert {
                cond,
                expected,
                msg,
                target,
                ..
            } => self.assert(cond, *expected, msg, *target),
            TerminatorKind::UnwindResume | TerminatorKind::UnwindTerminate(_) => {
                let op = UnreachableOp::new(self.ctx);
                self.push(&op);
                Ok(())
            }
            TerminatorKind::InlineAsm(_) => Err(Diagnostic::error(
                "inline-asm",
                "`asm!` holds instructions of the host, not of a GPU",
                None,
            )
            .help("use `ptx_asm!` for PTX")
            .into()),
            TerminatorKind::TailCall { .. } => Err("tail calls are not handled".into()),
            TerminatorKind::CoroutineDrop | TerminatorKind::Yield { .. } => {
                Err("coroutines and `async` are not handled on a GPU".into())
            }
        }
    }

    fn switch(
        &mut self,
        discr: &Operand,
        targets: &[(u128, BlockId)],
        otherwise: BlockId,
    ) -> Res<()> {
        let v = self.scalar(discr)?;
        let ty = v.get_type(self.ctx);
        let Some(width) = mt::int_width(self.ctx, ty) else {
            return Err("a switch on what is no integer".into());
        };
        if width == 1 && targets.len() == 1 {
            let (value, block) = targets[0];
            let (t, o) = (self.block_for(block), self.block_for(otherwise));
            let (yes, no) = if value == 0 { (o, t) } else { (t, o) };
            let op = CondBrOp::new(self.ctx, v, (yes, vec![]), (no, vec![]));
            self.push(&op);
            return Ok(());
        }
        let int = mt::int_type(self.ctx, width);
        let mut cases = vec![];
        for (value, block) in targets {
            let dest = self.block_for(*block);
            cases.push((int_attr(self.ctx, int, *value), dest));
        }
        let default = self.block_for(otherwise);
        let op = SwitchOp::new(self.ctx, v, default, cases);
        self.push(&op);
        Ok(())
    }

    fn ret(&mut self) -> Res<()> {
        let ty = self.local_ty(Local(0))?;
        let value = match self.m.kind(&ty)? {
            Kind::Zst => None,
            Kind::Scalar | Kind::Slice => {
                let (addr, align) = self.local(Local(0))?;
                Some(self.load(&PlaceRef {
                    addr,
                    len: None,
                    ty,
                    variant: None,
                    align,
                })?)
            }
            Kind::Memory => {
                let (addr, align) = self.local(Local(0))?;
                if let Some(sret) = self.sret {
                    let t = self.m.types.convert(self.ctx, &ty)?;
                    let op = AssignOp::new(self.ctx, sret, addr, t, align);
                    self.push(&op);
                }
                None
            }
        };
        let op = ReturnOp::new(self.ctx, value);
        self.push(&op);
        Ok(())
    }

    /// The user's position of the branch that leads to the current block.
    fn branch_span(&self) -> Option<Span> {
        self.body.blocks.iter().find_map(|b| {
            let leads = match &b.terminator.kind {
                TerminatorKind::Goto(t)
                | TerminatorKind::Assert { target: t, .. }
                | TerminatorKind::Drop { target: t, .. } => *t == self.current,
                TerminatorKind::SwitchInt {
                    targets, otherwise, ..
                } => *otherwise == self.current || targets.iter().any(|t| t.1 == self.current),
                TerminatorKind::Call(c) => c.target == Some(self.current),
                _ => false,
            };
            let sources = std::iter::once(&b.terminator.source)
                .chain(b.statements.iter().rev().map(|s| &s.source));
            leads
                .then(|| {
                    sources
                        .filter_map(|s| loc::user_span(&loc::frames(&self.body, s)))
                        .next()
                })
                .flatten()
        })
    }

    /// Where a panic here is reported: the user's own line.
    pub fn site(&self, template: impl Into<String>) -> PanicSiteAttr {
        let frames = self
            .source
            .as_ref()
            .map(|s| loc::frames(&self.body, s))
            .unwrap_or_default();
        // A macro of core has the position of its definition; the branch to here has the user's.
        let span = loc::user_span(&frames)
            .or_else(|| self.branch_span())
            .or_else(|| frames.iter().find_map(|f| f.1.clone()));
        match span {
            Some(s) => PanicSiteAttr {
                template: template.into(),
                file: s.file.to_string(),
                line: s.lo.line,
                column: s.lo.col,
            },
            None => PanicSiteAttr {
                template: template.into(),
                file: String::new(),
                line: 0,
                column: 0,
            },
        }
    }

    /// An operand as a message's argument, and how it is shown (`{0}`, `{0:i}`…).
    pub fn message_arg(&mut self, op: &Operand, index: usize) -> Res<(Value, String)> {
        let ty = self.operand_ty(op)?;
        let v = self.scalar(op)?;
        let i64_ty: TypeHandle = mt::int_type(self.ctx, 64).into();
        let t = v.get_type(self.ctx);
        if let Some(w) = mt::int_width(self.ctx, t) {
            let signed = crate::types::is_signed(&ty);
            let v = match w.cmp(&64) {
                std::cmp::Ordering::Equal => v,
                std::cmp::Ordering::Less => self.cast(
                    v,
                    i64_ty,
                    if signed {
                        CastKindAttr::SExt
                    } else {
                        CastKindAttr::ZExt
                    },
                ),
                std::cmp::Ordering::Greater => self.cast(v, i64_ty, CastKindAttr::Trunc),
            };
            let how = if ty == Ty::Char {
                ":c"
            } else if signed {
                ":i"
            } else {
                ""
            };
            return Ok((v, format!("{{{index}{how}}}")));
        }
        if let Some(w) = mt::float_width(self.ctx, t) {
            let f64_ty: TypeHandle = pliron::builtin::types::FP64Type::get(self.ctx).into();
            let v = if w == 64 {
                v
            } else {
                self.cast(v, f64_ty, CastKindAttr::FloatToFloat)
            };
            return Ok((
                self.cast(v, i64_ty, CastKindAttr::Bitcast),
                format!("{{{index}:f}}"),
            ));
        }
        Ok((
            self.cast(v, i64_ty, CastKindAttr::PtrToInt),
            format!("{{{index}}}"),
        ))
    }

    fn assert(
        &mut self,
        cond: &Operand,
        expected: bool,
        msg: &AssertMessage,
        target: BlockId,
    ) -> Res<()> {
        use rustc_mir::ast::BinOp::*;
        let optional = match msg {
            AssertMessage::Overflow { op, .. } => matches!(op, Add | Sub | Mul | Shl | Shr),
            AssertMessage::OverflowNeg(_) => true,
            _ => false,
        };
        if optional && !self.m.options.overflow_checks {
            self.goto(target);
            return Ok(());
        }
        let mut args = vec![];
        let mut arg = |f: &mut Self, op: &Operand| -> Res<String> {
            let (v, text) = f.message_arg(op, args.len())?;
            args.push(v);
            Ok(text)
        };
        let text = match msg {
            AssertMessage::BoundsCheck { len, index } => {
                let (l, i) = (arg(self, len)?, arg(self, index)?);
                format!("index out of bounds: the len is {l} but the index is {i}")
            }
            AssertMessage::Overflow { op, left, right } => {
                let verb = match op {
                    Add => "add",
                    Sub => "subtract",
                    Mul => "multiply",
                    Div => "divide",
                    Rem => "calculate the remainder",
                    Shl => "shift left",
                    Shr => "shift right",
                    _ => "compute",
                };
                let mut text = format!("attempt to {verb} with overflow");
                match left {
                    Some(left) => {
                        let (l, r) = (arg(self, left)?, arg(self, right)?);
                        text.push_str(&format!(" ({l} and {r})"));
                    }
                    None => {
                        let r = arg(self, right)?;
                        text.push_str(&format!(" (by {r})"));
                    }
                }
                text
            }
            AssertMessage::OverflowNeg(op) => {
                let v = arg(self, op)?;
                format!("attempt to negate with overflow ({v})")
            }
            AssertMessage::DivisionByZero(op) => {
                let v = arg(self, op)?;
                format!("attempt to divide by zero ({v})")
            }
            AssertMessage::RemainderByZero(op) => {
                let v = arg(self, op)?;
                format!("attempt to calculate the remainder with a divisor of zero ({v})")
            }
            AssertMessage::MisalignedPointerDereference { required, found } => {
                let (r, f) = (arg(self, required)?, arg(self, found)?);
                format!(
                    "misaligned pointer dereference: address must be a multiple of {r} but is {f}"
                )
            }
            AssertMessage::NullPointerDereference => {
                "null pointer dereference occurred".to_string()
            }
            AssertMessage::InvalidEnumConstruction(op) => {
                let v = arg(self, op)?;
                format!("trying to construct an enum from an invalid value {v}")
            }
            AssertMessage::Resumed(text) => text.replace('{', "{{").replace('}', "}}"),
        };
        let c = self.scalar(cond)?;
        let dest = self.block_for(target);
        let site = self.site(text);
        let op = AssertOp::new(self.ctx, c, expected, site, args, dest);
        self.push(&op);
        Ok(())
    }
}

fn project_ty(ty: &Ty, p: &Projection) -> Res<Ty> {
    Ok(match p {
        Projection::Deref => match pointee(ty) {
            Some((t, _)) => t.clone(),
            None => {
                return Err(Diagnostic::error(
                    "allocation",
                    format!("`{ty}` lives on the heap, and a GPU has none"),
                    None,
                )
                .help("use arrays, references or shared memory instead")
                .into());
            }
        },
        Projection::Field(_, t)
        | Projection::OpaqueCast(t)
        | Projection::Subtype(t)
        | Projection::UnwrapUnsafeBinder(t) => t.clone(),
        Projection::Index(_) | Projection::ConstantIndex { .. } => {
            element(ty).ok_or_else(|| format!("an index into a `{ty}`"))?
        }
        Projection::Subslice { from, to, from_end } => match ty {
            Ty::Array(t, n) => {
                let n = n.as_u64().ok_or("an array length that is not evaluated")?;
                let end = if *from_end {
                    n.saturating_sub(*to)
                } else {
                    *to
                };
                let len = u128::from(end.saturating_sub(*from));
                Ty::Array(t.clone(), Box::new(rustc_mir::ty::ConstArg::Uint(len)))
            }
            t => t.clone(),
        },
        Projection::Downcast(_) => ty.clone(),
    })
}
