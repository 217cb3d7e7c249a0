//! A small evaluator of constant bodies: integers, floats, aggregates, references to what it made, loops, and calls of
//! functions whose bodies are printed. What it does not know is an error, never a guess.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use pliron::context::Context;
use rustc_mir::{
    ast::{
        Aggregate, BinOp, BlockId, Body, CastKind, ConstKind, Local, NullOp, Operand, Place,
        PointerCoercion, Projection, Rvalue, StatementKind, TerminatorKind, UnOp, Variant,
    },
    ty::{FloatTy, Ty},
};

use crate::{
    consts::{Data, const_ty, paste, read_uint, write_tag},
    module::{BodyKey, Module},
    types::{element, is_signed, is_slice_like, pointee},
};

type Res<T> = Result<T, String>;

/// Statements that one constant may take.
const BUDGET: u64 = 20_000_000;
/// Calls inside each other.
const DEPTH: u32 = 200;

struct Frame<'m, 'a, 'c> {
    m: &'m mut Module<'a>,
    ctx: &'c mut Context,
    key: BodyKey,
    body: Arc<Body>,
    locals: HashMap<Local, Data>,
    /// Locals that something points to: the pointer has the bytes of that moment, so they may not change any more.
    pinned: HashSet<Local>,
    depth: u32,
}

/// Where bytes lie.
enum At {
    Local(Local, u64),
    /// In finished bytes.
    Fixed(Data, u64),
}

/// Runs a body; the result is the return place's bytes.
pub fn run(
    m: &mut Module<'_>,
    ctx: &mut Context,
    key: BodyKey,
    body: &Arc<Body>,
    args: Vec<Data>,
    depth: u32,
) -> Res<Data> {
    if depth > DEPTH {
        return Err(format!("the constant `{}` calls too deeply", body.path));
    }
    let mut f = Frame {
        m,
        ctx,
        key,
        body: body.clone(),
        locals: HashMap::new(),
        pinned: HashSet::new(),
        depth,
    };
    for (i, a) in args.into_iter().enumerate() {
        f.locals.insert(Local(i as u32 + 1), a);
    }
    f.go()
}

impl Frame<'_, '_, '_> {
    fn go(&mut self) -> Res<Data> {
        let body = self.body.clone();
        let mut at = BlockId(0);
        let mut steps = 0u64;
        loop {
            let block = body
                .blocks
                .get(at.0 as usize)
                .ok_or("a constant's block is missing")?;
            for s in &block.statements {
                steps += 1;
                match &s.kind {
                    StatementKind::Assign(p, r) => self.assign(p, r)?,
                    StatementKind::SetDiscriminant(p, v) => {
                        let ty = self.place_ty(p)?;
                        let l = self.m.types.layout(&ty)?;
                        let (local, at) = self.local_at(p)?;
                        let out = self.local(local)?;
                        write_tag(&l, *v, at, out);
                    }
                    StatementKind::CopyNonOverlapping { .. } => {
                        return Err("a block copy in a constant".into());
                    }
                    _ => {}
                }
            }
            steps += 1;
            if steps > BUDGET {
                return Err(format!("the constant `{}` takes too long", body.path));
            }
            at = match &block.terminator.kind {
                TerminatorKind::Goto(b) => *b,
                TerminatorKind::Return => {
                    return self.local(Local(0)).cloned();
                }
                TerminatorKind::SwitchInt {
                    discr,
                    targets,
                    otherwise,
                } => {
                    let v = self.uint(discr)?;
                    targets
                        .iter()
                        .find(|t| t.0 == v)
                        .map_or(*otherwise, |t| t.1)
                }
                TerminatorKind::Assert {
                    cond,
                    expected,
                    target,
                    ..
                } => {
                    if (self.uint(cond)? != 0) != *expected {
                        return Err(format!("the constant `{}` panics", body.path));
                    }
                    *target
                }
                TerminatorKind::Drop { target, .. } => *target,
                TerminatorKind::Call(call) => {
                    let target = call.target.ok_or("a constant that does not return")?;
                    let result = self.call(call)?;
                    self.write(&call.destination, &result)?;
                    target
                }
                t => return Err(format!("in a constant: {t:?}").chars().take(120).collect()),
            };
        }
    }

    fn call(&mut self, call: &rustc_mir::ast::Call) -> Res<Data> {
        let Operand::Const(c) = &call.func else {
            return Err("an indirect call in a constant".into());
        };
        let (path, sig) = match (&c.kind, &c.ty) {
            (ConstKind::Fn(path), Some(Ty::FnDef(sig, _))) => (path.clone(), Some(sig.clone())),
            (ConstKind::Fn(path), _) => (path.clone(), None),
            _ => return Err("a call of what is no function".into()),
        };
        let name = path.last_ident().unwrap_or_default().to_string();
        let args = path.last_args().first().cloned();
        if let Some(rustc_mir::ty::GenericArg::Type(t)) = &args {
            match name.as_str() {
                "size_of" => return Ok(number(u128::from(self.m.types.size_align(t)?.0), 8)),
                "align_of" => return Ok(number(u128::from(self.m.types.size_align(t)?.1), 8)),
                _ => {}
            }
        }
        let text = path.to_string();
        let mut found = self.candidates(&text);
        if found.is_empty()
            && let Some(sig) = &sig
        {
            found = self
                .m
                .find_method(self.key.0, &name, &sig.inputs, &sig.output);
        }
        let [key] = found[..] else {
            return Err(format!(
                "a constant calls `{text}`, whose body is not printed once"
            ));
        };
        let body = self.m.body(key).map_err(|d| d.message)?;
        let values = call
            .args
            .iter()
            .map(|a| self.operand(a))
            .collect::<Res<Vec<_>>>()?;
        run(self.m, self.ctx, key, &body, values, self.depth + 1)
    }

    fn candidates(&self, path: &str) -> Vec<BodyKey> {
        self.m.find_function(self.key.0, path)
    }

    fn local(&mut self, l: Local) -> Res<&mut Data> {
        if !self.locals.contains_key(&l) {
            let ty = self
                .body
                .locals
                .get(l.0 as usize)
                .ok_or("a local that is not declared")?
                .ty
                .clone();
            let size = self.m.types.size_align(&ty)?.0;
            self.locals.insert(
                l,
                Data {
                    bytes: vec![0; size as usize],
                    relocs: vec![],
                },
            );
        }
        Ok(self.locals.get_mut(&l).expect("it was inserted"))
    }

    fn place_ty(&self, p: &Place) -> Res<Ty> {
        let mut ty = self
            .body
            .locals
            .get(p.local.0 as usize)
            .ok_or("a local that is not declared")?
            .ty
            .clone();
        for pr in &p.projection {
            ty = match pr {
                Projection::Deref => pointee(&ty).ok_or("a dereference in a constant")?.0.clone(),
                Projection::Field(_, t) => t.clone(),
                Projection::Index(_) | Projection::ConstantIndex { .. } => {
                    element(&ty).ok_or("an index in a constant")?
                }
                Projection::Downcast(_) => ty,
                _ => return Err("a projection in a constant".into()),
            };
        }
        Ok(ty)
    }

    fn at(&mut self, p: &Place) -> Res<At> {
        let mut at = At::Local(p.local, 0);
        let mut ty = self
            .body
            .locals
            .get(p.local.0 as usize)
            .ok_or("a local that is not declared")?
            .ty
            .clone();
        let mut variant = None;
        for pr in &p.projection {
            let mut step = 0u64;
            match pr {
                Projection::Deref => {
                    let target = pointee(&ty).ok_or("a dereference in a constant")?.0.clone();
                    let (data, start) = self.bytes_at(&at)?;
                    let Some((_, symbol, addend)) =
                        data.relocs.iter().find(|r| r.0 == start).cloned()
                    else {
                        return Err("a pointer in a constant that is not known".into());
                    };
                    let target_data = self
                        .m
                        .global_data(self.ctx, &symbol)
                        .ok_or("a pointer in a constant to what has no bytes")?;
                    at = At::Fixed(target_data, addend);
                    ty = target;
                    variant = None;
                    continue;
                }
                Projection::Field(i, t) => {
                    let l = self.m.types.layout(&ty)?;
                    let fields = match variant {
                        Some(v) => l.variant_fields(v).unwrap_or_default(),
                        None => &l.fields[..],
                    };
                    match fields.get(*i as usize) {
                        Some(f) => step = f.offset,
                        None if self.m.types.size_align(t)?.0 == 0 => {}
                        None => return Err(format!("the layout of `{ty}` has no field {i}")),
                    }
                    ty = t.clone();
                    variant = None;
                }
                Projection::Index(l) => {
                    let i = read_uint(&self.local(*l)?.bytes, 0, 8) as u64;
                    ty = element(&ty).ok_or("an index in a constant")?;
                    step = i * self.m.types.size_align(&ty)?.0;
                }
                Projection::ConstantIndex {
                    offset,
                    from_end: false,
                    ..
                } => {
                    ty = element(&ty).ok_or("an index in a constant")?;
                    step = offset * self.m.types.size_align(&ty)?.0;
                }
                Projection::Downcast(v) => {
                    let l = self.m.types.layout(&ty)?;
                    variant = match (v, &l.variants) {
                        (_, layout::Variants::Single { index }) => Some(*index),
                        (Variant::Index(i), _) => Some(*i),
                        (Variant::Name(n), _) => l
                            .variants()
                            .iter()
                            .position(|v| v.name == *n)
                            .map(|i| i as u32),
                    };
                }
                _ => return Err("a projection in a constant".into()),
            }
            at = match at {
                At::Local(l, a) => At::Local(l, a + step),
                At::Fixed(d, a) => At::Fixed(d, a + step),
            };
        }
        Ok(at)
    }

    fn local_at(&mut self, p: &Place) -> Res<(Local, u64)> {
        match self.at(p)? {
            At::Local(l, a) => Ok((l, a)),
            At::Fixed(..) => Err("a constant writes through a pointer".into()),
        }
    }

    fn bytes_at(&mut self, at: &At) -> Res<(Data, u64)> {
        Ok(match at {
            At::Local(l, a) => (self.local(*l)?.clone(), *a),
            At::Fixed(d, a) => (d.clone(), *a),
        })
    }

    fn read(&mut self, p: &Place) -> Res<Data> {
        let ty = self.place_ty(p)?;
        let size = self.m.types.size_align(&ty)?.0;
        let at = self.at(p)?;
        // Only the bytes that are wanted are copied: loops over big arrays would not end otherwise.
        let (data, from) = match &at {
            At::Local(l, a) => {
                self.local(*l)?;
                (&self.locals[l], *a)
            }
            At::Fixed(d, a) => (d, *a),
        };
        let bytes = data
            .bytes
            .get(from as usize..(from + size) as usize)
            .ok_or("a constant reads beyond its bytes")?
            .to_vec();
        let relocs = data
            .relocs
            .iter()
            .filter(|r| r.0 >= from && r.0 + 8 <= from + size)
            .map(|r| (r.0 - from, r.1.clone(), r.2))
            .collect();
        Ok(Data { bytes, relocs })
    }

    fn write(&mut self, p: &Place, value: &Data) -> Res<()> {
        let (l, at) = self.local_at(p)?;
        if self.pinned.contains(&l) {
            return Err("a constant changes what it has a pointer to".into());
        }
        paste(self.local(l)?, at, value);
        Ok(())
    }

    fn operand_ty(&self, op: &Operand) -> Res<Ty> {
        match op {
            Operand::Copy(p) | Operand::Move(p) => self.place_ty(p),
            Operand::Const(c) => const_ty(c).map_err(|_| "a constant of unknown type".to_string()),
            Operand::RuntimeChecks(_) => Ok(Ty::Bool),
        }
    }

    fn operand(&mut self, op: &Operand) -> Res<Data> {
        match op {
            Operand::Copy(p) | Operand::Move(p) => self.read(p),
            Operand::RuntimeChecks(_) => Ok(number(0, 1)),
            Operand::Const(c) => {
                let ty = self.operand_ty(op)?;
                let size = self.m.types.size_align(&ty)?.0;
                let mut out = Data {
                    bytes: vec![0; size as usize],
                    relocs: vec![],
                };
                self.m
                    .const_bytes(self.ctx, self.key.0, &c.kind, &ty, 0, &mut out)?;
                Ok(out)
            }
        }
    }

    fn operand_as(&mut self, op: &Operand, ty: &Ty) -> Res<Data> {
        match op {
            Operand::Const(c) if self.operand_ty(op).is_err() => {
                let size = self.m.types.size_align(ty)?.0;
                let mut out = Data {
                    bytes: vec![0; size as usize],
                    relocs: vec![],
                };
                self.m
                    .const_bytes(self.ctx, self.key.0, &c.kind, ty, 0, &mut out)?;
                Ok(out)
            }
            _ => self.operand(op),
        }
    }

    fn uint(&mut self, op: &Operand) -> Res<u128> {
        let d = self.operand(op)?;
        Ok(read_uint(&d.bytes, 0, d.bytes.len().min(16)))
    }

    fn assign(&mut self, p: &Place, r: &Rvalue) -> Res<()> {
        let ty = self.place_ty(p)?;
        let size = self.m.types.size_align(&ty)?.0;
        let value = self.rvalue(r, &ty, size)?;
        self.write(p, &value)
    }

    fn rvalue(&mut self, r: &Rvalue, ty: &Ty, size: u64) -> Res<Data> {
        let mut out = Data {
            bytes: vec![0; size as usize],
            relocs: vec![],
        };
        match r {
            Rvalue::Use(op) => return self.operand_as(op, ty),
            Rvalue::CopyForDeref(p) => return self.read(p),
            Rvalue::Repeat(op, n) => {
                let elem = element(ty).ok_or("a repetition of what is no array")?;
                let stride = self.m.types.size_align(&elem)?.0;
                let v = self.operand_as(op, &elem)?;
                for i in 0..n.as_u64().ok_or("a length that is not evaluated")? {
                    paste(&mut out, i * stride, &v);
                }
            }
            Rvalue::Ref(_, p) | Rvalue::RawPtr(_, p) => {
                // What a constant points to is finished when the pointer is made: later writes to it are refused.
                if let Some(Projection::Deref) = p.projection.last() {
                    let mut base = p.clone();
                    base.projection.pop();
                    return self.read(&base);
                }
                self.pinned.insert(p.local);
                let target = self.place_ty(p)?;
                let data = self.read(p)?;
                let align = self.m.types.size_align(&target)?.1;
                let symbol = self.m.bytes_global(self.ctx, data, align, "const")?;
                out.relocs.push((0, symbol, 0));
            }
            Rvalue::Aggregate(a) => self.aggregate(a, ty, &mut out)?,
            Rvalue::BinaryOp(op, a, b) => return self.binary(*op, a, b, ty),
            Rvalue::UnaryOp(op, a) => {
                let t = self.operand_ty(a)?;
                let d = self.operand(a)?;
                let n = d.bytes.len();
                match (op, &t) {
                    (UnOp::PtrMetadata, _) => {
                        return Ok(Data {
                            bytes: d.bytes[8..16].to_vec(),
                            relocs: vec![],
                        });
                    }
                    (UnOp::Not, Ty::Bool) => return Ok(number(1 - u128::from(d.bytes[0] & 1), 1)),
                    (UnOp::Not, _) => return Ok(number(!read_uint(&d.bytes, 0, n), n)),
                    (UnOp::Neg, Ty::Float(_)) => {
                        let mut d = d;
                        d.bytes[n - 1] ^= 0x80;
                        return Ok(d);
                    }
                    (UnOp::Neg, _) => {
                        return Ok(number(read_uint(&d.bytes, 0, n).wrapping_neg(), n));
                    }
                }
            }
            Rvalue::Cast(kind, op, to) => return self.cast(*kind, op, to),
            Rvalue::Discriminant(p) => {
                let t = self.place_ty(p)?;
                let d = self.read(p)?;
                let l = self.m.types.layout(&t)?;
                let v = read_discriminant(&l, &d.bytes);
                return Ok(number(v, size as usize));
            }
            Rvalue::NullaryOp(op) => {
                let v = match op {
                    NullOp::SizeOf(t) => self.m.types.size_align(t)?.0,
                    NullOp::AlignOf(t) => self.m.types.size_align(t)?.1,
                    NullOp::UbChecks | NullOp::ContractChecks | NullOp::OverflowChecks => 0,
                    NullOp::OffsetOf(..) => return Err("`offset_of!` in a constant".into()),
                };
                return Ok(number(u128::from(v), size as usize));
            }
            Rvalue::Len(p) => match self.place_ty(p)? {
                Ty::Array(_, n) => return Ok(number(n.as_u64().unwrap_or(0).into(), 8)),
                t => return Err(format!("the length of a `{t}` in a constant")),
            },
            _ => return Err("an rvalue in a constant that is not evaluated".into()),
        }
        Ok(out)
    }

    fn aggregate(&mut self, a: &Aggregate, ty: &Ty, out: &mut Data) -> Res<()> {
        let (ops, path): (Vec<&Operand>, _) = match a {
            Aggregate::Array(ops) => {
                let elem = element(ty).ok_or("an array")?;
                let stride = self.m.types.size_align(&elem)?.0;
                for (i, op) in ops.iter().enumerate() {
                    let v = self.operand_as(op, &elem)?;
                    paste(out, stride * i as u64, &v);
                }
                return Ok(());
            }
            Aggregate::RawPtr { data, metadata, .. } => {
                let (d, m) = (self.operand(data)?, self.operand(metadata)?);
                paste(out, 0, &d);
                paste(out, 8, &m);
                return Ok(());
            }
            Aggregate::Tuple(ops) => (ops.iter().collect(), None),
            Aggregate::AdtTuple { path, fields } => (fields.iter().collect(), Some(path)),
            Aggregate::AdtStruct { path, fields } => {
                (fields.iter().map(|f| &f.1).collect(), Some(path))
            }
            Aggregate::Closure { fields, .. } => (fields.iter().map(|f| &f.1).collect(), None),
        };
        if ops.is_empty() && out.bytes.is_empty() {
            return Ok(());
        }
        let l = self.m.types.layout(ty)?;
        let variant = match (&l.variants, path) {
            (layout::Variants::Single { .. }, _) | (_, None) => None,
            (_, Some(path)) => {
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
        for (i, op) in ops.iter().enumerate() {
            let v = match (ty, fields.get(i).and_then(|f| f.ty.clone())) {
                (Ty::Tuple(parts), _) if i < parts.len() => self.operand_as(op, &parts[i])?,
                (_, Some(t)) => self.operand_as(op, &t)?,
                _ => self.operand(op)?,
            };
            if v.bytes.is_empty() {
                continue;
            }
            let offset = fields
                .get(i)
                .ok_or_else(|| format!("the layout of `{ty}` has no field {i}"))?
                .offset;
            paste(out, offset, &v);
        }
        if let Some(v) = variant {
            write_tag(&l, v, 0, out);
        }
        Ok(())
    }

    fn cast(&mut self, kind: CastKind, op: &Operand, to: &Ty) -> Res<Data> {
        let from = self.operand_ty(op)?;
        let d = self.operand(op)?;
        let size = self.m.types.size_align(to)?.0 as usize;
        let v = read_uint(&d.bytes, 0, d.bytes.len().min(16));
        Ok(match kind {
            CastKind::IntToInt => number(extend(v, d.bytes.len(), is_signed(&from)) as u128, size),
            CastKind::IntToFloat => {
                let signed = is_signed(&from);
                let i = extend(v, d.bytes.len(), signed);
                match to {
                    Ty::Float(FloatTy::F32) => number(
                        u128::from(if signed { i as f32 } else { v as f32 }.to_bits()),
                        4,
                    ),
                    Ty::Float(FloatTy::F64) => number(
                        u128::from(if signed { i as f64 } else { v as f64 }.to_bits()),
                        8,
                    ),
                    t => return Err(format!("a cast to `{t}` in a constant")),
                }
            }
            CastKind::FloatToInt => {
                let x = to_f64(&from, v)?;
                let signed = is_signed(to);
                let bits = 8 * size as u32;
                if signed {
                    let (lo, hi) = (i128::MIN >> (128 - bits), i128::MAX >> (128 - bits));
                    number((x as i128).clamp(lo, hi) as u128, size)
                } else {
                    number((x as u128).min(u128::MAX >> (128 - bits)), size)
                }
            }
            CastKind::FloatToFloat => {
                let x = to_f64(&from, v)?;
                match to {
                    Ty::Float(FloatTy::F32) => number(u128::from((x as f32).to_bits()), 4),
                    Ty::Float(FloatTy::F64) => number(u128::from(x.to_bits()), 8),
                    t => return Err(format!("a cast to `{t}` in a constant")),
                }
            }
            CastKind::Transmute | CastKind::Subtype => d,
            CastKind::PtrToPtr | CastKind::FnPtrToPtr => Data {
                bytes: d.bytes[..size.min(d.bytes.len())].to_vec(),
                ..d
            },
            CastKind::PointerCoercion(PointerCoercion::Unsize, _) => {
                let (Some((Ty::Array(_, n), _)), Some((t, _))) = (pointee(&from), pointee(to))
                else {
                    return Err(format!("`{from}` as `{to}` in a constant"));
                };
                if !is_slice_like(t) {
                    return Err(format!("`{from}` as `{to}` in a constant"));
                }
                let mut d = d;
                d.bytes
                    .extend_from_slice(&n.as_u64().unwrap_or(0).to_le_bytes());
                d
            }
            CastKind::PointerCoercion(
                PointerCoercion::MutToConstPointer | PointerCoercion::ArrayToPointer,
                _,
            ) => d,
            k => return Err(format!("a cast of kind {k:?} in a constant")),
        })
    }

    fn binary(&mut self, op: BinOp, a: &Operand, b: &Operand, ty: &Ty) -> Res<Data> {
        let t = self.operand_ty(a).or_else(|_| self.operand_ty(b))?;
        let (x, y) = (self.operand_as(a, &t)?, self.operand_as(b, &t)?);
        if !x.relocs.is_empty() || !y.relocs.is_empty() {
            return Err("arithmetic on pointers in a constant".into());
        }
        let n = x.bytes.len();
        let (xv, yv) = (
            read_uint(&x.bytes, 0, n),
            read_uint(&y.bytes, 0, y.bytes.len()),
        );
        if let Ty::Float(_) = t {
            return float_binary(op, &t, xv, yv);
        }
        let signed = is_signed(&t);
        let bits = 8 * n as u32;
        let (xs, ys) = (extend(xv, n, signed), extend(yv, y.bytes.len(), signed));
        let amount = (yv as u32) & (bits.max(1) - 1);
        let less = |strict: bool| {
            if signed {
                xs < ys || (!strict && xs == ys)
            } else {
                xv < yv || (!strict && xv == yv)
            }
        };
        let (wrapped, overflow): (u128, bool) = match op {
            BinOp::Add | BinOp::AddUnchecked | BinOp::AddWithOverflow => arithmetic(
                xs.checked_add(ys),
                xv.checked_add(yv),
                xv.wrapping_add(yv),
                signed,
                bits,
            ),
            BinOp::Sub | BinOp::SubUnchecked | BinOp::SubWithOverflow => arithmetic(
                xs.checked_sub(ys),
                xv.checked_sub(yv),
                xv.wrapping_sub(yv),
                signed,
                bits,
            ),
            BinOp::Mul | BinOp::MulUnchecked | BinOp::MulWithOverflow => arithmetic(
                xs.checked_mul(ys),
                xv.checked_mul(yv),
                xv.wrapping_mul(yv),
                signed,
                bits,
            ),
            BinOp::Div | BinOp::Rem if yv == 0 => {
                return Err("a division by zero in a constant".into());
            }
            BinOp::Div if signed => (xs.wrapping_div(ys) as u128, false),
            BinOp::Div => (xv / yv, false),
            BinOp::Rem if signed => (xs.wrapping_rem(ys) as u128, false),
            BinOp::Rem => (xv % yv, false),
            BinOp::BitXor => (xv ^ yv, false),
            BinOp::BitAnd => (xv & yv, false),
            BinOp::BitOr => (xv | yv, false),
            BinOp::Shl | BinOp::ShlUnchecked => (xv << amount, false),
            BinOp::Shr | BinOp::ShrUnchecked if signed => ((xs >> amount) as u128, false),
            BinOp::Shr | BinOp::ShrUnchecked => (xv >> amount, false),
            BinOp::Eq => return Ok(number((xv == yv).into(), 1)),
            BinOp::Ne => return Ok(number((xv != yv).into(), 1)),
            BinOp::Lt => return Ok(number(less(true).into(), 1)),
            BinOp::Le => return Ok(number(less(false).into(), 1)),
            BinOp::Gt => return Ok(number((!less(false)).into(), 1)),
            BinOp::Ge => return Ok(number((!less(true)).into(), 1)),
            BinOp::Cmp => {
                let v: i128 = if xv == yv {
                    0
                } else if less(true) {
                    -1
                } else {
                    1
                };
                return Ok(number(v as u128, 1));
            }
            BinOp::Offset => return Err("arithmetic on pointers in a constant".into()),
        };
        let value = number(wrapped, n);
        if matches!(
            op,
            BinOp::AddWithOverflow | BinOp::SubWithOverflow | BinOp::MulWithOverflow
        ) {
            let l = self.m.types.layout(ty)?;
            let mut out = Data {
                bytes: vec![0; l.size as usize],
                relocs: vec![],
            };
            paste(&mut out, l.fields.first().map_or(0, |f| f.offset), &value);
            paste(
                &mut out,
                l.fields.get(1).map_or(n as u64, |f| f.offset),
                &number(overflow.into(), 1),
            );
            return Ok(out);
        }
        Ok(value)
    }
}

fn arithmetic(
    s: Option<i128>,
    u: Option<u128>,
    wrapped: u128,
    signed: bool,
    bits: u32,
) -> (u128, bool) {
    let overflow = if signed {
        s.is_none_or(|v| {
            bits < 128 && (v < (i128::MIN >> (128 - bits)) || v > (i128::MAX >> (128 - bits)))
        })
    } else {
        u.is_none_or(|v| bits < 128 && v > (u128::MAX >> (128 - bits)))
    };
    (wrapped, overflow)
}

fn number(v: u128, size: usize) -> Data {
    Data {
        bytes: v.to_le_bytes()[..size.min(16)].to_vec(),
        relocs: vec![],
    }
}

/// `v` of `size` bytes as a signed or unsigned number.
fn extend(v: u128, size: usize, signed: bool) -> i128 {
    let shift = 128 - 8 * size.clamp(1, 16) as u32;
    if signed {
        ((v << shift) as i128) >> shift
    } else {
        v as i128
    }
}

fn to_f64(ty: &Ty, bits: u128) -> Res<f64> {
    match ty {
        Ty::Float(FloatTy::F32) => Ok(f32::from_bits(bits as u32).into()),
        Ty::Float(FloatTy::F64) => Ok(f64::from_bits(bits as u64)),
        t => Err(format!("a `{t}` in a constant")),
    }
}

fn float_binary(op: BinOp, ty: &Ty, x: u128, y: u128) -> Res<Data> {
    let (a, b) = (to_f64(ty, x)?, to_f64(ty, y)?);
    let compare = match op {
        BinOp::Eq => Some(a == b),
        BinOp::Ne => Some(a != b),
        BinOp::Lt => Some(a < b),
        BinOp::Le => Some(a <= b),
        BinOp::Gt => Some(a > b),
        BinOp::Ge => Some(a >= b),
        _ => None,
    };
    if let Some(c) = compare {
        return Ok(number(c.into(), 1));
    }
    macro_rules! calc {
        ($a:expr, $b:expr) => {
            match op {
                BinOp::Add => $a + $b,
                BinOp::Sub => $a - $b,
                BinOp::Mul => $a * $b,
                BinOp::Div => $a / $b,
                BinOp::Rem => $a % $b,
                _ => return Err(format!("{op:?} of floats in a constant")),
            }
        };
    }
    Ok(match ty {
        Ty::Float(FloatTy::F32) => {
            let (a, b) = (f32::from_bits(x as u32), f32::from_bits(y as u32));
            number(u128::from(calc!(a, b).to_bits()), 4)
        }
        _ => number(u128::from(calc!(a, b).to_bits()), 8),
    })
}

/// The discriminant of an enum's bytes.
fn read_discriminant(l: &layout::Layout, bytes: &[u8]) -> u128 {
    match &l.variants {
        layout::Variants::Single { index } => u128::from(*index),
        layout::Variants::Tagged { tag, variants } => {
            let size = tag.size as usize;
            let v = read_uint(bytes, tag.offset as usize, size);
            let mask = if size >= 16 {
                u128::MAX
            } else {
                (1 << (8 * size)) - 1
            };
            variants
                .iter()
                .find(|x| x.discriminant as u128 & mask == v)
                .map_or(v, |x| x.discriminant as u128)
        }
        layout::Variants::Niche {
            tag,
            untagged_variant,
            niche_variants,
            niche_start,
            variants,
        } => {
            let size = tag.size as usize;
            let v = read_uint(bytes, tag.offset as usize, size);
            let mask = if size >= 16 {
                u128::MAX
            } else {
                (1 << (8 * size)) - 1
            };
            let k = v.wrapping_sub(*niche_start) & mask;
            let index = if k <= u128::from(niche_variants.1 - niche_variants.0) {
                niche_variants.0 + k as u32
            } else {
                *untagged_variant
            };
            variants
                .get(index as usize)
                .map_or(u128::from(index), |x| x.discriminant as u128)
        }
    }
}
