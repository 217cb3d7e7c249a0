//! Assignments: every rvalue into its place.

use dialect_mir::{attributes::*, ops::*, types as mt};
use pliron::{
    r#type::{TypeHandle, Typed},
    value::Value,
};
use rustc_mir::{
    ast::{
        Aggregate, BinOp, BorrowKind, CastKind, NullOp, Operand, Place, PointerCoercion,
        RawPtrKind, Rvalue, UnOp,
    },
    ty::{Path, Ty},
};

use crate::{
    func::{Func, PlaceRef, Res, Val},
    types::{Kind, element, is_signed, is_slice_like, pointee, tail_len},
};

impl Func<'_, '_> {
    /// `place = rvalue`.
    pub fn assign(&mut self, place: &Place, rvalue: &Rvalue) -> Res<()> {
        let ty = self.place_ty(place)?;
        // Nothing is stored for a type without bytes; operands are read for their effects alone, and they have none.
        if self.m.kind(&ty)? == Kind::Zst {
            return Ok(());
        }
        match rvalue {
            Rvalue::Aggregate(a) => self.aggregate(place, &ty, a),
            Rvalue::Repeat(op, n) => self.repeat(
                place,
                &ty,
                op,
                n.as_u64().ok_or("a length that is not evaluated")?,
            ),
            _ => {
                let v = self.rvalue(rvalue, &ty)?;
                let at = self.place(place)?;
                self.write(&at, v)
            }
        }
    }

    fn rvalue(&mut self, rvalue: &Rvalue, ty: &Ty) -> Res<Val> {
        Ok(match rvalue {
            Rvalue::Use(op) => self.operand_as(op, ty)?,
            Rvalue::CopyForDeref(p) => {
                let at = self.place(p)?;
                self.read(&at)?
            }
            Rvalue::Ref(BorrowKind::Shared | BorrowKind::Mut | BorrowKind::Fake { .. }, p) => {
                self.reference(p, ty)?
            }
            Rvalue::RawPtr(
                RawPtrKind::Const | RawPtrKind::Mut | RawPtrKind::FakeForPtrMetadata,
                p,
            ) => self.reference(p, ty)?,
            Rvalue::Len(p) => {
                let at = self.place(p)?;
                Val::Ssa(self.len(&at)?)
            }
            Rvalue::Cast(kind, op, to) => self.cast_rvalue(*kind, op, to)?,
            Rvalue::BinaryOp(op, a, b) => self.binary(*op, a, b, ty)?,
            Rvalue::UnaryOp(UnOp::PtrMetadata, op) => {
                let v = self.scalar(op)?;
                Val::Ssa(self.slice_parts(v).1)
            }
            Rvalue::UnaryOp(UnOp::Not, op) => {
                let v = self.scalar(op)?;
                let op = NotOp::new(self.ctx, v);
                Val::Ssa(self.val(&op))
            }
            Rvalue::UnaryOp(UnOp::Neg, op) => {
                let v = self.scalar(op)?;
                let op = NegOp::new(self.ctx, v);
                Val::Ssa(self.val(&op))
            }
            Rvalue::Discriminant(p) => self.discriminant(p, ty)?,
            Rvalue::NullaryOp(op) => self.nullary(op)?,
            Rvalue::WrapUnsafeBinder(op, _) => self.operand(op)?,
            Rvalue::ThreadLocalRef(..) => return Err("thread locals do not exist on a GPU".into()),
            Rvalue::ShallowInitBox(..) => return Err("a GPU has no heap for a `Box`".into()),
            Rvalue::Aggregate(_) | Rvalue::Repeat(..) => {
                return Err("an aggregate where a value is needed".into());
            }
        })
    }

    fn reference(&mut self, place: &Place, ty: &Ty) -> Res<Val> {
        let at = self.place(place)?;
        Ok(Val::Ssa(self.reference_to(&at, ty)?))
    }

    /// A reference or raw pointer of type `ty` to a place.
    pub fn reference_to(&mut self, at: &PlaceRef, ty: &Ty) -> Res<Value> {
        let t = self.m.types.convert(self.ctx, ty)?;
        if mt::is_slice(self.ctx, t) {
            let len = self.len(at)?;
            return Ok(self.make_slice(t, at.addr, len));
        }
        let Some(want) = mt::as_type::<mt::PtrType>(self.ctx, t) else {
            return Err(format!("a reference of type `{ty}`").into());
        };
        let have = mt::as_type::<mt::PtrType>(self.ctx, at.addr.get_type(self.ctx));
        if have.is_some_and(|h| {
            h.addrspace == want.addrspace && mt::pointee_matches(self.ctx, h.pointee, want.pointee)
        }) {
            let op = RefOp::new(self.ctx, at.addr, t);
            Ok(self.val(&op))
        } else {
            Ok(self.coerce(at.addr, t))
        }
    }

    fn discriminant(&mut self, place: &Place, ty: &Ty) -> Res<Val> {
        let at = self.place(place)?;
        let t = self.m.types.convert(self.ctx, ty)?;
        let Some(width) = mt::int_width(self.ctx, t) else {
            return Err(format!("a discriminant of type `{ty}`").into());
        };
        match self.m.types.enum_type(self.ctx, &at.ty, u64::from(width))? {
            Ok(e) => {
                let op = GetDiscriminantOp::new(self.ctx, at.addr, e);
                Ok(Val::Ssa(self.val(&op)))
            }
            Err(index) => Ok(Val::Ssa(self.int(width, u128::from(index)))),
        }
    }

    fn nullary(&mut self, op: &NullOp) -> Res<Val> {
        Ok(Val::Ssa(match op {
            NullOp::SizeOf(t) => {
                let size = self.m.types.size_align(t)?.0;
                self.usize(size)
            }
            NullOp::AlignOf(t) => {
                let align = self.m.types.size_align(t)?.1;
                self.usize(align)
            }
            NullOp::OffsetOf(t, path) => {
                let mut offset = 0;
                let mut ty = t.clone();
                for (i, (variant, field)) in path.iter().enumerate() {
                    let l = self.m.types.layout(&ty)?;
                    let f = l
                        .variant_fields(*variant)
                        .and_then(|f| f.get(*field as usize));
                    let f =
                        f.ok_or_else(|| format!("the layout of `{ty}` has no field {field}"))?;
                    offset += f.offset;
                    if i + 1 < path.len() {
                        ty = f.ty.clone().ok_or_else(|| {
                            format!("the type of field {field} of `{ty}` is not known")
                        })?;
                    }
                }
                self.usize(offset)
            }
            NullOp::UbChecks => {
                let on = self.m.options.debug_assertions;
                self.int(1, on.into())
            }
            NullOp::OverflowChecks => {
                let on = self.m.options.overflow_checks;
                self.int(1, on.into())
            }
            NullOp::ContractChecks => self.int(1, 0),
        }))
    }

    /// Binary operations.
    pub fn binary(&mut self, op: BinOp, a: &Operand, b: &Operand, ty: &Ty) -> Res<Val> {
        let aty = self.operand_ty(a).or_else(|_| self.operand_ty(b))?;
        let signed = is_signed(&aty);
        if op == BinOp::Offset {
            let (p, n) = (self.scalar(a)?, self.scalar(b)?);
            let elem = pointee(&aty)
                .ok_or("an offset of what is no pointer")?
                .0
                .clone();
            let (size, _) = self.m.types.size_align(&elem)?;
            let op = PtrOffsetOp::new(self.ctx, p, n, size, true);
            return Ok(Val::Ssa(self.val(&op)));
        }
        if aty == Ty::unit() {
            let eq = matches!(op, BinOp::Eq | BinOp::Le | BinOp::Ge);
            return Ok(Val::Ssa(self.int(1, eq.into())));
        }
        let x = self.operand_as(a, &aty)?;
        let y = self.operand_as(b, &aty)?;
        let (Val::Ssa(x), Val::Ssa(mut y)) = (x, y) else {
            return Err(format!("{op:?} of two `{aty}`").into());
        };
        if mt::is_slice(self.ctx, x.get_type(self.ctx)) {
            return self.compare_slices(op, x, y);
        }
        let xt = x.get_type(self.ctx);
        if matches!(
            op,
            BinOp::Shl | BinOp::Shr | BinOp::ShlUnchecked | BinOp::ShrUnchecked
        ) {
            // The amount may be of another type. Its low bits count: the amount is taken modulo the width.
            y = self.int_resize(y, xt, false)?;
        } else if mt::is_ptr(self.ctx, xt) {
            y = self.coerce(y, xt);
        }
        macro_rules! arith {
            ($op:ident) => {{
                let op = $op::new(self.ctx, x, y, signed);
                self.val(&op)
            }};
        }
        macro_rules! nowrap {
            ($op:ident) => {{
                let op = $op::new(self.ctx, x, y, signed);
                if mt::int_width(self.ctx, xt).is_some() {
                    op.set_nowrap(self.ctx);
                }
                self.val(&op)
            }};
        }
        Ok(Val::Ssa(match op {
            BinOp::Add => arith!(AddOp),
            BinOp::Sub => arith!(SubOp),
            BinOp::Mul => arith!(MulOp),
            BinOp::AddUnchecked => nowrap!(AddOp),
            BinOp::SubUnchecked => nowrap!(SubOp),
            BinOp::MulUnchecked => nowrap!(MulOp),
            BinOp::Div => arith!(DivOp),
            BinOp::Rem => arith!(RemOp),
            BinOp::BitXor => arith!(BitXorOp),
            BinOp::BitAnd => arith!(BitAndOp),
            BinOp::BitOr => arith!(BitOrOp),
            BinOp::Shl | BinOp::ShlUnchecked => arith!(ShlOp),
            BinOp::Shr | BinOp::ShrUnchecked => arith!(ShrOp),
            BinOp::Eq => arith!(EqOp),
            BinOp::Ne => arith!(NeOp),
            BinOp::Lt => arith!(LtOp),
            BinOp::Le => arith!(LeOp),
            BinOp::Gt => arith!(GtOp),
            BinOp::Ge => arith!(GeOp),
            BinOp::Cmp => {
                let op = IntrinsicOp::new(self.ctx, IntrinsicAttr::ThreeWay, vec![x, y], signed);
                let v = self.val(&op);
                return self.bits_as(v, ty);
            }
            BinOp::AddWithOverflow | BinOp::SubWithOverflow | BinOp::MulWithOverflow => {
                let v = match op {
                    BinOp::AddWithOverflow => arith_checked::<CheckedAddOp>(self, x, y, signed),
                    BinOp::SubWithOverflow => arith_checked::<CheckedSubOp>(self, x, y, signed),
                    _ => arith_checked::<CheckedMulOp>(self, x, y, signed),
                };
                return self.spill_pair(v, ty);
            }
            BinOp::Offset => return Err("an offset".into()),
        }))
    }

    /// A `mir.tuple` value of two as a Rust tuple in memory.
    pub fn spill_pair(&mut self, v: Value, ty: &Ty) -> Res<Val> {
        let Ty::Tuple(parts) = ty else {
            return Err(format!("a pair of type `{ty}`").into());
        };
        let at = self.temp_of(ty)?;
        for (i, part) in parts.clone().into_iter().enumerate() {
            let op = ExtractFieldOp::new(self.ctx, v, i as u64);
            let x = self.val(&op);
            let f = self.field(&at, i as u32, part)?;
            self.write(&f, Val::Ssa(x))?;
        }
        Ok(Val::Memory(at.addr, at.align))
    }

    fn compare_slices(&mut self, op: BinOp, x: Value, y: Value) -> Res<Val> {
        let ((xp, xl), (yp, yl)) = (self.slice_parts(x), self.slice_parts(y));
        let yp = {
            let t = xp.get_type(self.ctx);
            self.coerce(yp, t)
        };
        let p = EqOp::new(self.ctx, xp, yp, false);
        let p = self.val(&p);
        let l = EqOp::new(self.ctx, xl, yl, false);
        let l = self.val(&l);
        let both = BitAndOp::new(self.ctx, p, l, false);
        let both = self.val(&both);
        Ok(Val::Ssa(match op {
            BinOp::Eq => both,
            BinOp::Ne => {
                let op = NotOp::new(self.ctx, both);
                self.val(&op)
            }
            _ => return Err("an order of wide pointers".into()),
        }))
    }

    /// An integer in another width.
    pub fn int_resize(&mut self, v: Value, to: TypeHandle, signed: bool) -> Res<Value> {
        let from = v.get_type(self.ctx);
        let (Some(f), Some(t)) = (mt::int_width(self.ctx, from), mt::int_width(self.ctx, to))
        else {
            return Err("a width change of what is no integer".into());
        };
        Ok(match f.cmp(&t) {
            std::cmp::Ordering::Equal => v,
            std::cmp::Ordering::Greater => self.cast(v, to, CastKindAttr::Trunc),
            std::cmp::Ordering::Less => self.cast(
                v,
                to,
                if signed {
                    CastKindAttr::SExt
                } else {
                    CastKindAttr::ZExt
                },
            ),
        })
    }

    fn cast_rvalue(&mut self, kind: CastKind, op: &Operand, to: &Ty) -> Res<Val> {
        let from = self.operand_ty(op)?;
        match kind {
            CastKind::Transmute | CastKind::Subtype => {
                let v = self.operand(op)?;
                return self.transmute(v, &from, to);
            }
            CastKind::PointerCoercion(PointerCoercion::Unsize, _) => {
                return self.unsize(op, &from, to);
            }
            CastKind::PointerCoercion(
                PointerCoercion::ReifyFnPointer | PointerCoercion::ClosureFnPointer { .. },
                _,
            ) => return self.reify(&from, to),
            _ => {}
        }
        let v = self.scalar(op)?;
        let t = self.m.types.convert(self.ctx, to)?;
        let ft = v.get_type(self.ctx);
        Ok(Val::Ssa(match kind {
            CastKind::IntToInt => self.int_resize(v, t, is_signed(&from))?,
            CastKind::IntToFloat => {
                let kind = if is_signed(&from) {
                    CastKindAttr::SIntToFloat
                } else {
                    CastKindAttr::UIntToFloat
                };
                self.cast(v, t, kind)
            }
            CastKind::FloatToInt => {
                let kind = if is_signed(to) {
                    CastKindAttr::FloatToSInt
                } else {
                    CastKindAttr::FloatToUInt
                };
                self.cast(v, t, kind)
            }
            CastKind::FloatToFloat => {
                if ft == t {
                    v
                } else {
                    self.cast(v, t, CastKindAttr::FloatToFloat)
                }
            }
            CastKind::PointerExposeProvenance => {
                let i64_ty = mt::int_type(self.ctx, 64).into();
                let v = self.thin(v);
                let v = self.cast(v, i64_ty, CastKindAttr::PtrToInt);
                self.int_resize(v, t, false)?
            }
            CastKind::PointerWithExposedProvenance => {
                let i64_ty = mt::int_type(self.ctx, 64).into();
                let v = self.int_resize(v, i64_ty, false)?;
                self.cast(v, t, CastKindAttr::IntToPtr)
            }
            CastKind::PtrToPtr
            | CastKind::FnPtrToPtr
            | CastKind::PointerCoercion(
                PointerCoercion::MutToConstPointer
                | PointerCoercion::ArrayToPointer
                | PointerCoercion::UnsafeFnPointer,
                _,
            ) => {
                let v = if mt::is_slice(self.ctx, t) {
                    v
                } else {
                    self.thin(v)
                };
                self.coerce(v, t)
            }
            _ => return Err(format!("a cast of kind {kind:?}").into()),
        }))
    }

    /// The pointer of a thin or wide pointer.
    pub fn thin(&mut self, v: Value) -> Value {
        if mt::is_slice(self.ctx, v.get_type(self.ctx)) {
            self.slice_parts(v).0
        } else {
            v
        }
    }

    /// `&[T; N]` to `&[T]`.
    fn unsize(&mut self, op: &Operand, from: &Ty, to: &Ty) -> Res<Val> {
        let (Some((f, _)), Some((t, _))) = (pointee(from), pointee(to)) else {
            return Err(format!(
                "`{from}` as `{to}`: dynamic types are not handled on the MIR route"
            )
            .into());
        };
        match (f, t) {
            (Ty::Array(_, n), t) if is_slice_like(t) => {
                let n = n.as_u64().ok_or("an array length that is not evaluated")?;
                let v = self.scalar(op)?;
                let len = self.usize(n);
                let ty = self.m.types.convert(self.ctx, to)?;
                Ok(Val::Ssa(self.make_slice(ty, v, len)))
            }
            (f, t) if is_slice_like(t) && tail_len(f).is_some() => {
                let v = self.scalar(op)?;
                let len = self.usize(tail_len(f).unwrap_or(0));
                let ty = self.m.types.convert(self.ctx, to)?;
                Ok(Val::Ssa(self.make_slice(ty, v, len)))
            }
            _ => Err(
                format!("`{from}` as `{to}`: dynamic types are not handled on the MIR route")
                    .into(),
            ),
        }
    }

    fn reify(&mut self, from: &Ty, to: &Ty) -> Res<Val> {
        let Ty::FnDef(sig, path) = from else {
            return Err(format!(
                "a pointer to `{from}`: closures as function pointers go the LLVM route"
            )
            .into());
        };
        let t = self.m.types.convert(self.ctx, to)?;
        let text = path.to_string();
        if ["core::fmt::", "std::fmt::"]
            .iter()
            .any(|f| text.contains(f))
        {
            return Err(crate::diag::Diagnostic::error(
                "not-on-gpu",
                "text is formatted here, and a kernel cannot do that",
                None,
            )
            .help("use `gpu_printf!` to print from a kernel; a panic's message may hold numbers")
            .into());
        }
        let Some(callee) = self.find_body(path, &sig.inputs, &sig.output)? else {
            return Err(format!("no body for `{path}`, whose address is taken").into());
        };
        let op = FuncAddrOp::new(self.ctx, &callee.symbol, t);
        Ok(Val::Ssa(self.val(&op)))
    }

    /// The same bits as another type.
    pub fn transmute(&mut self, v: Val, from: &Ty, to: &Ty) -> Res<Val> {
        let (fs, ts) = (
            self.m.types.size_align(from)?.0,
            self.m.types.size_align(to)?.0,
        );
        if fs != ts {
            return Err(
                format!("a transmute between sizes {fs} and {ts}: `{from}` to `{to}`").into(),
            );
        }
        let (fk, tk) = (self.m.kind(from)?, self.m.kind(to)?);
        if tk == Kind::Zst {
            return Ok(Val::Zst);
        }
        let tt = self.m.types.convert(self.ctx, to)?;
        if let (Kind::Scalar, Kind::Scalar, Val::Ssa(v)) = (fk, tk, v) {
            let ft = v.get_type(self.ctx);
            if ft == tt {
                return Ok(Val::Ssa(v));
            }
            if mt::is_ptr(self.ctx, ft) && mt::is_ptr(self.ctx, tt) {
                return Ok(Val::Ssa(self.coerce(v, tt)));
            }
            // `bool` has one bit as a value and eight in memory.
            let (fw, tw) = (mt::int_width(self.ctx, ft), mt::int_width(self.ctx, tt));
            if fw.is_some() && tw.is_some() {
                return Ok(Val::Ssa(self.int_resize(v, tt, false)?));
            }
            let kind = if mt::is_ptr(self.ctx, ft) {
                CastKindAttr::PtrToInt
            } else if mt::is_ptr(self.ctx, tt) {
                CastKindAttr::IntToPtr
            } else {
                CastKindAttr::Bitcast
            };
            let int = |t| mt::int_width(self.ctx, t) == Some(64);
            let direct = match kind {
                CastKindAttr::PtrToInt => int(tt),
                CastKindAttr::IntToPtr => int(ft),
                _ => true,
            };
            if direct {
                return Ok(Val::Ssa(self.cast(v, tt, kind)));
            }
        }
        if let (Kind::Slice, Kind::Slice, Val::Ssa(v)) = (fk, tk, v) {
            return Ok(Val::Ssa(self.coerce(v, tt)));
        }
        // Through memory: at the bigger of the two alignments.
        let align = self
            .m
            .types
            .size_align(from)?
            .1
            .max(self.m.types.size_align(to)?.1);
        let tt_or_ft = if tk == Kind::Memory {
            tt
        } else {
            self.m.types.convert(self.ctx, from)?
        };
        let temp = self.temp(tt_or_ft, align, None);
        let as_from = {
            let t = self.m.types.pointee(self.ctx, from);
            let t = self.ptr_ty(t);
            self.coerce(temp, t)
        };
        self.write(
            &PlaceRef {
                addr: as_from,
                len: None,
                ty: from.clone(),
                variant: None,
                align,
            },
            v,
        )?;
        let as_to = {
            let t = self.m.types.pointee(self.ctx, to);
            let t = self.ptr_ty(t);
            self.coerce(temp, t)
        };
        self.read(&PlaceRef {
            addr: as_to,
            len: None,
            ty: to.clone(),
            variant: None,
            align,
        })
    }

    /// A scalar's bits as a value of type `ty`, whose size they have (`Ordering` from an `i8`).
    pub fn bits_as(&mut self, v: Value, ty: &Ty) -> Res<Val> {
        if self.m.kind(ty)? != Kind::Memory {
            return Ok(Val::Ssa(v));
        }
        let at = self.temp_of(ty)?;
        let t = v.get_type(self.ctx);
        let p = self.ptr_ty(t);
        let addr = self.coerce(at.addr, p);
        let op = StoreOp::new(self.ctx, v, addr, at.align);
        self.push(&op);
        Ok(Val::Memory(at.addr, at.align))
    }

    fn repeat(&mut self, place: &Place, ty: &Ty, op: &Operand, n: u64) -> Res<()> {
        let elem = element(ty).ok_or_else(|| format!("a repetition of type `{ty}`"))?;
        if let Operand::Const(c) = op
            && c.kind == rustc_mir::ast::ConstKind::Uninit
        {
            return Ok(());
        }
        let v = self.operand_as(op, &elem)?;
        let at = self.place(place)?;
        let (size, align) = self.m.types.size_align(&elem)?;
        if n == 0 || size == 0 {
            return Ok(());
        }
        if let (Val::Ssa(byte), 1) = (v, size) {
            let i8_ty: TypeHandle = mt::int_type(self.ctx, 8).into();
            let byte = self.int_resize(byte, i8_ty, false)?;
            let bytes = self.usize(n);
            let op = MemsetOp::new(self.ctx, at.addr, byte, bytes, align);
            self.push(&op);
            return Ok(());
        }
        if n <= 16 {
            for i in 0..n {
                let index = self.usize(i);
                let e = self.element(&at, index, elem.clone())?;
                self.write(&e, v)?;
            }
            return Ok(());
        }
        // A loop over a counter in memory; mem2reg makes it a block argument.
        let i64_ty: TypeHandle = mt::int_type(self.ctx, 64).into();
        let counter = self.temp(i64_ty, 8, None);
        let zero = self.usize(0);
        let st = StoreOp::new(self.ctx, zero, counter, 8);
        self.push(&st);
        let (body, done) = (self.new_block(), self.new_block());
        let go = GotoOp::new(self.ctx, body, vec![]);
        self.push(&go);
        self.block = body;
        let ld = LoadOp::new(self.ctx, counter, i64_ty, 8);
        let i = self.val(&ld);
        let e = self.element(&at, i, elem)?;
        self.write(&e, v)?;
        let one = self.usize(1);
        let next = AddOp::new(self.ctx, i, one, false);
        let next = self.val(&next);
        let st = StoreOp::new(self.ctx, next, counter, 8);
        self.push(&st);
        let end = self.usize(n);
        let more = LtOp::new(self.ctx, next, end, false);
        let more = self.val(&more);
        let br = CondBrOp::new(self.ctx, more, (body, vec![]), (done, vec![]));
        self.push(&br);
        self.block = done;
        Ok(())
    }

    fn aggregate(&mut self, place: &Place, ty: &Ty, a: &Aggregate) -> Res<()> {
        match a {
            Aggregate::RawPtr { data, metadata, .. } => {
                let p = self.scalar(data)?;
                let t = self.m.types.convert(self.ctx, ty)?;
                let v = if mt::is_slice(self.ctx, t) {
                    let len = self.scalar(metadata)?;
                    self.make_slice(t, p, len)
                } else {
                    self.coerce(p, t)
                };
                let at = self.place(place)?;
                self.write(&at, Val::Ssa(v))
            }
            Aggregate::Array(ops) => {
                let elem = element(ty).ok_or_else(|| format!("an array of type `{ty}`"))?;
                let values = self.values(ops, |_| Ok(Some(elem.clone())))?;
                let at = self.place(place)?;
                for (i, v) in values.into_iter().enumerate() {
                    let index = self.usize(i as u64);
                    let e = self.element(&at, index, elem.clone())?;
                    self.write(&e, v)?;
                }
                Ok(())
            }
            Aggregate::Tuple(ops) => {
                let Ty::Tuple(parts) = ty else {
                    return Err(format!("a tuple of type `{ty}`").into());
                };
                let values = self.values(ops, |i| Ok(parts.get(i).cloned()))?;
                let at = self.place(place)?;
                self.fields(&at, ops, values)
            }
            Aggregate::AdtTuple { path, fields } => self.adt(place, ty, path, fields, None),
            Aggregate::AdtStruct { path, fields } => {
                let names: Vec<_> = fields.iter().map(|f| f.0.clone()).collect();
                let ops: Vec<_> = fields.iter().map(|f| f.1.clone()).collect();
                self.adt(place, ty, path, &ops, Some(&names))
            }
            Aggregate::Closure { fields, .. } => {
                let ops: Vec<_> = fields.iter().map(|f| f.1.clone()).collect();
                let values = self.values(&ops, |_| Ok(None))?;
                let at = self.place(place)?;
                self.fields(&at, &ops, values)
            }
        }
    }

    /// All operands are read before anything is written.
    fn values(&mut self, ops: &[Operand], ty: impl Fn(usize) -> Res<Option<Ty>>) -> Res<Vec<Val>> {
        let mut out = vec![];
        for (i, op) in ops.iter().enumerate() {
            out.push(match ty(i)? {
                Some(t) => self.operand_as(op, &t)?,
                None => self.operand(op)?,
            });
        }
        Ok(out)
    }

    fn fields(&mut self, at: &PlaceRef, ops: &[Operand], values: Vec<Val>) -> Res<()> {
        for (i, v) in values.into_iter().enumerate() {
            if matches!(v, Val::Zst) {
                continue;
            }
            let ty = match (&at.ty, self.operand_ty(&ops[i])) {
                (Ty::Tuple(parts), _) => parts[i].clone(),
                (_, ty) => ty?,
            };
            let f = self.field(at, i as u32, ty)?;
            self.write(&f, v)?;
        }
        Ok(())
    }

    fn adt(
        &mut self,
        place: &Place,
        ty: &Ty,
        path: &Path,
        ops: &[Operand],
        names: Option<&[String]>,
    ) -> Res<()> {
        let l = self.m.types.layout(ty)?;
        let variant = match &l.variants {
            layout::Variants::Single { index } => {
                (*index != 0 || names.is_none()).then_some(*index)
            }
            _ => {
                let name = path.last_ident().unwrap_or_default();
                match l.variants().iter().position(|v| v.name == name) {
                    Some(i) => Some(i as u32),
                    None => {
                        return Err(format!("`{ty}` has no variant `{name}` in its layout").into());
                    }
                }
            }
        };
        let values = self.values(ops, |_| Ok(None))?;
        let mut at = self.place(place)?;
        at.variant = variant.filter(|_| !l.variants().is_empty());
        let union_field = names.filter(|n| {
            n.len() == 1 && l.fields.len() > 1 && l.fields.iter().all(|f| f.offset == 0)
        });
        for (i, v) in values.into_iter().enumerate() {
            if matches!(v, Val::Zst) {
                continue;
            }
            let fty = self.operand_ty(&ops[i])?;
            let f = if union_field.is_some() {
                self.field_at(&at, 0, 0, fty)?
            } else {
                self.field(&at, i as u32, fty)?
            };
            self.write(&f, v)?;
        }
        match at.variant {
            Some(v) => {
                at.variant = None;
                self.set_discriminant(&at, v)
            }
            None => Ok(()),
        }
    }
}

/// The three checked operations, by type.
trait Checked {
    fn make(f: &mut Func<'_, '_>, x: Value, y: Value, signed: bool) -> Value;
}

macro_rules! checked {
    ($($op:ident)+) => {
        $(impl Checked for $op {
            fn make(f: &mut Func<'_, '_>, x: Value, y: Value, signed: bool) -> Value {
                let op = $op::new(f.ctx, x, y, signed);
                f.val(&op)
            }
        })+
    };
}
checked!(CheckedAddOp CheckedSubOp CheckedMulOp);

fn arith_checked<T: Checked>(f: &mut Func<'_, '_>, x: Value, y: Value, signed: bool) -> Value {
    T::make(f, x, y, signed)
}
