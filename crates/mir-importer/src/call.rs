//! Calls: device intrinsics, rustc's intrinsics, panics, bodies of the MIR route, bodies of the LLVM route.

use dialect_mir::{ops::*, types as mt};
use pliron::{
    r#type::{TypeHandle, Typed},
    value::Value,
};
use rustc_mir::{
    ast::{BlockId, Call, ConstKind, Operand, Place},
    ty::{Path, SegmentName, Ty},
};

use crate::{
    diag::Diagnostic,
    func::{Fail, Func, PlaceRef, Res, Val},
    loc,
    module::{Signature, llvm_type},
    source::{CallSite, ExternFn, LlvmTy},
    types::{Kind, pointee},
};

impl Func<'_, '_> {
    /// `destination = func(args) -> target`.
    pub fn call(&mut self, call: &Call) -> Res<()> {
        let fty = self.operand_ty(&call.func);
        let (path, sig) = match (&call.func, fty) {
            (Operand::Const(c), fty) => match (&c.kind, fty) {
                (ConstKind::Fn(p), Ok(Ty::FnDef(sig, _))) => (p.clone(), Some(sig)),
                (ConstKind::Fn(p), _) => (p.clone(), None),
                (_, Ok(Ty::FnDef(sig, p))) => (*p, Some(sig)),
                _ => return Err("a call of a constant that is no function".into()),
            },
            (_, Ok(Ty::FnDef(sig, p))) => (*p, Some(sig)),
            (_, Ok(Ty::FnPtr(sig))) => return self.call_pointer(call, &sig.inputs, &sig.output),
            (_, Ok(t)) => return Err(format!("a call of a `{t}`").into()),
            (_, Err(e)) => return Err(e),
        };
        let name = path.last_ident().unwrap_or_default().to_string();
        if name.starts_with("__nvvm_") {
            return self.call_device(call, &name);
        }
        // A check of an unsafe function's contract; it stands behind `ub_checks`, and gives nothing.
        if name == "precondition_check" {
            return self.finish_call(call.target);
        }
        if self.is_core(&path) {
            if self.rustc_intrinsic(call, &path, &name)? {
                return Ok(());
            }
            if call.target.is_none() {
                return self.panic_call(call, &path, &name);
            }
        }
        if let Some(d) = self.host_only(&path) {
            return Err(d.into());
        }
        let (inputs, output) = match &sig {
            Some(sig) => (sig.inputs.clone(), sig.output.clone()),
            None => {
                let inputs = call
                    .args
                    .iter()
                    .map(|a| self.operand_ty(a))
                    .collect::<Res<Vec<_>>>()?;
                (inputs, self.place_ty(&call.destination)?)
            }
        };
        if let Some(callee) = self.find_body(&path, &inputs, &output)? {
            return self.call_body(call, &callee);
        }
        if matches!(name.as_str(), "call" | "call_mut" | "call_once")
            && self.call_closure(call, &path)?
        {
            return Ok(());
        }
        let frames = self
            .source
            .as_ref()
            .map(|s| loc::frames(&self.body, s))
            .unwrap_or_default();
        if let Some(bodies) = self.m.bodies {
            let krate = self.m.crates[self.key.0].name().to_string();
            let body = self.body.path.to_string();
            let site = CallSite {
                caller: (&krate, &body),
                spans: frames.iter().map(|f| f.1.clone()).collect(),
                callee: path.to_string(),
            };
            if let Some(f) = bodies
                .resolve(&site)
                .map_err(|e| format!("`{path}`: {e}"))?
            {
                return self.call_extern(call, &f);
            }
        }
        if call.target.is_none() {
            return self.panic_call(call, &path, &name);
        }
        Err(Diagnostic::error(
            "no-body",
            format!("no body for `{path}`, which this calls"),
            None,
        )
        .help("mark the function `#[inline]`, or give the compiler rustc's LLVM IR of this crate")
        .into())
    }

    /// Is it an item of `core`, `std` or `alloc`?
    pub fn is_core(&self, path: &Path) -> bool {
        let text = path.to_string();
        let text = text.trim_start_matches('<');
        ["core::", "std::", "alloc::"]
            .iter()
            .any(|p| text.starts_with(p))
            || matches!(
                &path.segments.first().map(|s| &s.name),
                Some(SegmentName::Impl { .. })
            )
    }

    /// What a GPU does not have.
    fn host_only(&self, path: &Path) -> Option<Diagnostic> {
        let text = path.to_string();
        let has = |p: &str| text.contains(p);
        let (what, help) = if has("alloc::alloc::")
            || has("__rust_alloc")
            || has("std::vec::")
            || has("alloc::vec::")
            || has("std::boxed::")
            || has("alloc::boxed::")
            || has("std::string::")
            || has("alloc::string::")
            || has("alloc::raw_vec::")
            || has("alloc::fmt::format")
            || has("std::fmt::format")
        {
            (
                "allocates memory",
                "a GPU has no heap here: use arrays, slices that the host gives, or `SharedArray`",
            )
        } else if has("std::io::") {
            (
                "does input or output",
                "use `gpu_printf!` to print from a kernel",
            )
        } else if has("std::fs::")
            || has("std::net::")
            || has("std::env::")
            || has("std::process::")
        {
            (
                "needs the operating system",
                "do it on the host and give the kernel the data",
            )
        } else if has("std::thread::") || has("std::sync::Mutex") {
            (
                "uses the host's threads",
                "use `thread::sync_threads` and atomics",
            )
        } else if has("std::time::") {
            (
                "reads the host's clock",
                "use `cuda_device::debug::clock64` or `globaltimer`",
            )
        } else {
            return None;
        };
        Some(
            Diagnostic::error(
                "not-on-gpu",
                format!("a kernel cannot call `{text}`: it {what}"),
                None,
            )
            .help(help),
        )
    }

    /// The body of a callee on the MIR route, if it is concrete and the only one of its name.
    pub fn find_body(&mut self, path: &Path, inputs: &[Ty], output: &Ty) -> Res<Option<Signature>> {
        let generic = path.segments.iter().any(|s| {
            s.args
                .iter()
                .any(|a| !matches!(a, rustc_mir::ty::GenericArg::Type(Ty::Infer)))
        });
        if generic {
            return Ok(None);
        }
        let text = path.to_string();
        let mut found_as_method = false;
        let mut found = if path.plain_name().is_some() {
            self.m.find_function(self.key.0, &text)
        } else {
            vec![]
        };
        if found.is_empty()
            && let Some(name) = path.last_ident()
            && path.segments.len() > 1 | usize::from(path.root != rustc_mir::ty::Root::Plain)
        {
            // A trait's provided method may be what is called, when an impl of the same name is another's.
            let provided = path.root != rustc_mir::ty::Root::Plain && self.provided(path, name);
            if !provided {
                found_as_method = true;
                found = self.m.find_method(self.key.0, name, inputs, output);
            }
        }
        let [key] = found[..] else { return Ok(None) };
        // A path without arguments is a concrete plain function. A method of a blanket impl may be generic nonetheless.
        if path.plain_name().is_none_or(|_| found_as_method)
            && self.is_generic(key, path, inputs, output)?
        {
            return Ok(None);
        }
        let chain = self.chain_to_here();
        Ok(Some(self.m.function(key, &chain)?))
    }

    /// Does a method's body mention what may be a parameter and is not in the call?
    fn is_generic(
        &self,
        key: crate::module::BodyKey,
        path: &Path,
        inputs: &[Ty],
        output: &Ty,
    ) -> Res<bool> {
        let body = self.m.body(key)?;
        let mut known = std::collections::HashSet::new();
        let mut add = |t: &Ty| {
            if let Some(n) = t.as_maybe_param() {
                known.insert(n.to_string());
            }
        };
        path.walk(&mut |t| add(t));
        inputs
            .iter()
            .chain([output])
            .for_each(|t| t.walk(&mut |t| add(t)));
        let param = |n: &str| {
            n.len() <= 2 && n.starts_with(|c: char| c.is_ascii_uppercase()) && !known.contains(n)
        };
        Ok(body.is_certainly_generic() || body.maybe_params().into_iter().any(param))
    }

    fn provided(&self, path: &Path, name: &str) -> bool {
        match &path.root {
            rustc_mir::ty::Root::Qualified {
                trait_: Some(t), ..
            } => self
                .m
                .has_provided(&format!("{}::{name}", t.plain_name().unwrap_or_default())),
            _ => false,
        }
    }

    /// Goes on at the target, or nowhere.
    pub fn finish_call(&mut self, target: Option<BlockId>) -> Res<()> {
        match target {
            Some(b) => self.goto(b),
            None => {
                let op = UnreachableOp::new(self.ctx);
                self.push(&op);
            }
        }
        Ok(())
    }

    /// Stores a result and goes on.
    pub fn finish(&mut self, call: &Call, value: Val) -> Res<()> {
        let at = self.place(&call.destination)?;
        if self.m.kind(&at.ty)? != Kind::Zst {
            self.write(&at, value)?;
        }
        self.finish_call(call.target)
    }

    fn call_device(&mut self, call: &Call, symbol: &str) -> Res<()> {
        let mut args = vec![];
        for a in &call.args {
            args.push(self.scalar(a)?);
        }
        let ty = self.place_ty(&call.destination)?;
        let result = match self.m.kind(&ty)? {
            Kind::Zst => None,
            Kind::Scalar => Some(self.m.types.convert(self.ctx, &ty)?),
            _ => return Err(format!("the device function `{symbol}` gives a `{ty}`").into()),
        };
        let op = CallOp::new(self.ctx, symbol, args, result);
        self.push(&op);
        match result {
            Some(_) => {
                let v = op.result(self.ctx);
                self.finish(call, Val::Ssa(v))
            }
            None => self.finish_call(call.target),
        }
    }

    /// Arguments as a function of the MIR route takes them; aggregates by the address of a copy.
    fn body_args(&mut self, args: &[Operand], inputs: &[Ty]) -> Res<Vec<Value>> {
        let mut out = vec![];
        for (a, ty) in args.iter().zip(inputs) {
            let v = self.operand_as(a, ty)?;
            match self.m.kind(ty)? {
                Kind::Zst => {}
                Kind::Scalar | Kind::Slice => {
                    let Val::Ssa(v) = v else {
                        return Err(format!("an argument of type `{ty}`").into());
                    };
                    let t = self.m.types.convert(self.ctx, ty)?;
                    out.push(self.coerce(v, t));
                }
                Kind::Memory => {
                    let copy = self.temp_of(ty)?;
                    self.write(&copy, v)?;
                    out.push(copy.addr);
                }
            }
        }
        Ok(out)
    }

    fn call_body(&mut self, call: &Call, callee: &Signature) -> Res<()> {
        if call.args.len() != callee.inputs.len() {
            return Err(format!(
                "`{}` takes {} arguments and is called with {}",
                callee.symbol,
                callee.inputs.len(),
                call.args.len()
            )
            .into());
        }
        let args = self.body_args(&call.args, &callee.inputs)?;
        self.emit_call(call, callee, args)
    }

    fn emit_call(&mut self, call: &Call, callee: &Signature, mut args: Vec<Value>) -> Res<()> {
        match self.m.kind(&callee.output)? {
            Kind::Zst => {
                let op = CallOp::new(self.ctx, &callee.symbol, args, None);
                self.push(&op);
                self.finish_call(call.target)
            }
            Kind::Scalar | Kind::Slice => {
                let t = self.m.types.convert(self.ctx, &callee.output)?;
                let op = CallOp::new(self.ctx, &callee.symbol, args, Some(t));
                let v = self.val(&op);
                self.finish(call, Val::Ssa(v))
            }
            Kind::Memory => {
                let out = self.temp_of(&callee.output)?;
                args.insert(0, out.addr);
                let op = CallOp::new(self.ctx, &callee.symbol, args, None);
                self.push(&op);
                self.finish(call, Val::Memory(out.addr, out.align))
            }
        }
    }

    fn call_pointer(&mut self, call: &Call, inputs: &[Ty], output: &Ty) -> Res<()> {
        let callee = self.scalar(&call.func)?;
        let mut args = self.body_args(&call.args, inputs)?;
        match self.m.kind(output)? {
            Kind::Zst => {
                let op = CallIndirectOp::new(self.ctx, callee, args, None);
                self.push(&op);
                self.finish_call(call.target)
            }
            Kind::Scalar | Kind::Slice => {
                let t = self.m.types.convert(self.ctx, output)?;
                let op = CallIndirectOp::new(self.ctx, callee, args, Some(t));
                let v = self.val(&op);
                self.finish(call, Val::Ssa(v))
            }
            Kind::Memory => {
                let out = self.temp_of(output)?;
                args.insert(0, out.addr);
                let op = CallIndirectOp::new(self.ctx, callee, args, None);
                self.push(&op);
                self.finish(call, Val::Memory(out.addr, out.align))
            }
        }
    }

    /// `<{closure@…} as Fn…<(A, B)>>::call…(closure, (a, b))`: the closure's body takes the arguments one by one.
    fn call_closure(&mut self, call: &Call, path: &Path) -> Res<bool> {
        let rustc_mir::ty::Root::Qualified { self_ty, .. } = &path.root else {
            return Ok(false);
        };
        let [this, tuple] = &call.args[..] else {
            return Ok(false);
        };
        if !matches!(**self_ty, Ty::Closure(_)) {
            return Ok(false);
        }
        let [key] = self.m.find_closure(self.key.0, self_ty)[..] else {
            return Ok(false);
        };
        let body = self.m.body(key)?;
        let output = body.locals.first().map_or_else(Ty::unit, |l| l.ty.clone());
        if self.is_generic(key, path, &[], &output)? {
            return Ok(false);
        }
        let Ty::Tuple(parts) = self.operand_ty(tuple)? else {
            return Ok(false);
        };
        let chain = self.chain_to_here();
        let callee = self.m.function(key, &chain)?;
        if callee.inputs.len() != parts.len() + 1 {
            return Ok(false);
        }
        let mut args = vec![];
        // The closure itself: by reference or by value, as the body has it.
        let given = self.operand_ty(this)?;
        let value = self.operand(this)?;
        let by_ref = |t: &Ty| matches!(t, Ty::Ref(..));
        match (by_ref(&given), by_ref(&callee.inputs[0])) {
            (true, true) => {
                let Val::Ssa(v) = value else {
                    return Err("a reference to a closure".into());
                };
                let t = self.m.types.convert(self.ctx, &callee.inputs[0])?;
                args.push(self.coerce(v, t));
            }
            (false, true) => {
                let copy = self.temp_of(&given)?;
                if self.m.kind(&given)? != Kind::Zst {
                    self.write(&copy, value)?;
                }
                let t = self.m.types.convert(self.ctx, &callee.inputs[0])?;
                args.push(self.coerce(copy.addr, t));
            }
            (false, false) => {
                if let Val::Memory(..) = value {
                    let copy = self.temp_of(&given)?;
                    self.write(&copy, value)?;
                    args.push(copy.addr);
                }
            }
            (true, false) => return Ok(false),
        }
        let tuple_value = self.operand(tuple)?;
        for (i, ty) in parts.iter().enumerate() {
            let v = match tuple_value {
                Val::Memory(addr, align) => {
                    let at = PlaceRef {
                        addr,
                        len: None,
                        ty: Ty::Tuple(parts.clone()),
                        variant: None,
                        align,
                    };
                    let f = self.field(&at, i as u32, ty.clone())?;
                    self.read(&f)?
                }
                _ => Val::Zst,
            };
            match v {
                Val::Zst => {}
                Val::Ssa(v) => args.push(v),
                v => {
                    let copy = self.temp_of(ty)?;
                    self.write(&copy, v)?;
                    args.push(copy.addr);
                }
            }
        }
        self.emit_call(call, &callee, args)?;
        Ok(true)
    }

    /// A call of a function that rustc's LLVM IR defines: arguments by rustc's ABI, checked against the types there.
    fn call_extern(&mut self, call: &Call, f: &ExternFn) -> Res<()> {
        self.m.declare_extern(self.ctx, f)?;
        let out_ty = self.place_ty(&call.destination)?;
        let mut params = f.params.iter().copied();
        let mut args = vec![];
        let differs =
            |what: &str| Fail::Text(format!("`{}`: {what} differs from its LLVM type", f.symbol));
        let mut sret = None;
        if f.sret {
            params.next().ok_or_else(|| differs("the result"))?;
            let out = self.temp_of(&out_ty)?;
            let t = llvm_type(self.ctx, LlvmTy::Ptr);
            args.push(self.coerce(out.addr, t));
            sret = Some(out);
        }
        for a in &call.args {
            let ty = self.operand_ty(a)?;
            let v = self.operand(a)?;
            self.extern_arg(v, &ty, &mut params, &mut args)
                .map_err(|e| match e {
                    Fail::Text(t) => Fail::Text(format!("`{}`: {t}", f.symbol)),
                    d => d,
                })?;
        }
        if params.next().is_some() {
            return Err(differs("the number of arguments"));
        }
        let result = match &f.ret[..] {
            [] => None,
            [one] => Some(llvm_type(self.ctx, *one)),
            many => {
                let tys = many.iter().map(|t| llvm_type(self.ctx, *t)).collect();
                Some(crate::module::pair_type(self.ctx, tys))
            }
        };
        let op = CallOp::new(self.ctx, &f.symbol, args, result);
        self.push(&op);
        if let Some(out) = sret {
            return self.finish(call, Val::Memory(out.addr, out.align));
        }
        if self.m.kind(&out_ty)? == Kind::Zst {
            return if f.ret.is_empty() {
                self.finish_call(call.target)
            } else {
                Err(differs("the result"))
            };
        }
        if f.ret.is_empty() {
            return Err(differs("the result"));
        }
        let v = op.result(self.ctx);
        let parts: Vec<Value> = if f.ret.len() == 1 {
            vec![v]
        } else {
            (0..f.ret.len() as u64)
                .map(|i| {
                    let op = ExtractFieldOp::new(self.ctx, v, i);
                    self.val(&op)
                })
                .collect()
        };
        let value = self.assemble(&parts, &f.ret, &out_ty)?;
        self.finish(call, value)
    }

    /// Offsets of the scalars of a pair.
    fn part_offsets(parts: &[LlvmTy]) -> Vec<u64> {
        let mut at = 0u64;
        parts
            .iter()
            .map(|t| {
                let size = llvm_size(*t);
                let here = at.next_multiple_of(size);
                at = here + size;
                here
            })
            .collect()
    }

    fn assemble(&mut self, parts: &[Value], tys: &[LlvmTy], ty: &Ty) -> Res<Val> {
        match (self.m.kind(ty)?, parts) {
            (Kind::Scalar, [v]) => {
                let t = self.m.types.convert(self.ctx, ty)?;
                let v = self.coerce(*v, t);
                if v.get_type(self.ctx) == t {
                    Ok(Val::Ssa(v))
                } else {
                    Err(format!("a result of type `{ty}` differs from its LLVM type").into())
                }
            }
            (Kind::Slice, [p, n]) => {
                let t = self.m.types.convert(self.ctx, ty)?;
                Ok(Val::Ssa(self.make_slice(t, *p, *n)))
            }
            (Kind::Memory, parts) => {
                let size = self.m.types.size_align(ty)?.0;
                let offsets = Self::part_offsets(tys);
                let end =
                    offsets.last().copied().unwrap_or(0) + tys.last().map_or(0, |t| llvm_size(*t));
                if end > size.next_multiple_of(8) {
                    return Err(
                        format!("a result of type `{ty}` differs from its LLVM type").into(),
                    );
                }
                let at = self.temp_of(ty)?;
                // An integer as wide as the type may be stored where the type is narrower than the store: not so here,
                // `iN` is exactly N bits.
                for ((v, t), offset) in parts.iter().zip(tys).zip(offsets) {
                    self.store_part(&at, offset, *v, *t, size)?;
                }
                Ok(Val::Memory(at.addr, at.align))
            }
            _ => Err(format!("a result of type `{ty}` differs from its LLVM type").into()),
        }
    }

    fn store_part(
        &mut self,
        at: &PlaceRef,
        offset: u64,
        v: Value,
        t: LlvmTy,
        size: u64,
    ) -> Res<()> {
        if offset + llvm_bytes(t) > size {
            return Err("a part of a value lies outside it".into());
        }
        let ty = llvm_type(self.ctx, t);
        let op = FieldAddrOp::new(self.ctx, at.addr, ty, 0, offset, None);
        let addr = self.val(&op);
        let align = if offset == 0 {
            at.align
        } else {
            at.align.min(1 << offset.trailing_zeros().min(16))
        };
        let op = StoreOp::new(self.ctx, v, addr, align);
        self.push(&op);
        Ok(())
    }

    fn extern_arg(
        &mut self,
        v: Val,
        ty: &Ty,
        params: &mut dyn Iterator<Item = LlvmTy>,
        args: &mut Vec<Value>,
    ) -> Res<()> {
        let missing = || Fail::Text(format!("an argument of type `{ty}` has no LLVM parameter"));
        match (self.m.kind(ty)?, v) {
            (Kind::Zst, _) => Ok(()),
            (Kind::Scalar, Val::Ssa(v)) => {
                let t = llvm_type(self.ctx, params.next().ok_or_else(missing)?);
                let v = self.coerce(v, t);
                if v.get_type(self.ctx) != t {
                    return Err(
                        format!("an argument of type `{ty}` differs from its LLVM type").into(),
                    );
                }
                args.push(v);
                Ok(())
            }
            (Kind::Slice, Val::Ssa(v)) => {
                let (p, n) = self.slice_parts(v);
                let (a, b) = (
                    params.next().ok_or_else(missing)?,
                    params.next().ok_or_else(missing)?,
                );
                if (a, b) != (LlvmTy::Ptr, LlvmTy::Int(64)) {
                    return Err(
                        format!("an argument of type `{ty}` differs from its LLVM type").into(),
                    );
                }
                let t = llvm_type(self.ctx, LlvmTy::Ptr);
                args.push(self.coerce(p, t));
                args.push(n);
                Ok(())
            }
            (Kind::Memory, Val::Memory(addr, align)) => {
                use layout::Abi;
                let l = self.m.types.layout(ty)?;
                let parts: Vec<u64> = match &l.abi {
                    Abi::Zst => vec![],
                    Abi::Scalar(_) => vec![0],
                    Abi::ScalarPair { second_offset, .. } => vec![0, *second_offset],
                    // Up to a register in one integer, else by address.
                    Abi::Memory if l.size <= 8 => vec![0],
                    Abi::Memory => {
                        if params.next() != Some(LlvmTy::Ptr) {
                            return Err(format!(
                                "an argument of type `{ty}` differs from its LLVM type"
                            )
                            .into());
                        }
                        let copy = self.temp_of(ty)?;
                        self.write(&copy, Val::Memory(addr, align))?;
                        let t = llvm_type(self.ctx, LlvmTy::Ptr);
                        args.push(self.coerce(copy.addr, t));
                        return Ok(());
                    }
                };
                for offset in parts {
                    let p = params.next().ok_or_else(missing)?;
                    if offset + llvm_bytes(p) > l.size {
                        return Err(format!(
                            "an argument of type `{ty}` differs from its LLVM type"
                        )
                        .into());
                    }
                    let t = llvm_type(self.ctx, p);
                    let op = FieldAddrOp::new(self.ctx, addr, t, 0, offset, None);
                    let a = self.val(&op);
                    let align = if offset == 0 {
                        align
                    } else {
                        align.min(1 << offset.trailing_zeros().min(16))
                    };
                    let op = LoadOp::new(self.ctx, a, t, align);
                    args.push(self.val(&op));
                }
                Ok(())
            }
            _ => Err(format!("an argument of type `{ty}`").into()),
        }
    }

    /// The type of a field as this body fills it, for types whose fields no layout tells.
    fn built_field(&self, ty: &Ty, index: usize) -> Option<Ty> {
        use rustc_mir::ast::{Aggregate, Rvalue, StatementKind};
        self.body
            .blocks
            .iter()
            .flat_map(|b| &b.statements)
            .find_map(|s| {
                let StatementKind::Assign(p, Rvalue::Aggregate(a)) = &s.kind else {
                    return None;
                };
                if self.place_ty(p).ok().as_ref() != Some(ty) {
                    return None;
                }
                let op = match a {
                    Aggregate::AdtTuple { fields, .. } => fields.get(index),
                    Aggregate::AdtStruct { fields, .. } | Aggregate::Closure { fields, .. } => {
                        fields.get(index).map(|f| &f.1)
                    }
                    _ => None,
                };
                self.operand_ty(op?).ok()
            })
    }

    /// Drop glue.
    pub fn drop_place(&mut self, place: &Place, target: BlockId) -> Res<()> {
        let at = self.place(place)?;
        if let Some(bodies) = self.m.bodies {
            let frames = self
                .source
                .as_ref()
                .map(|s| loc::frames(&self.body, s))
                .unwrap_or_default();
            let krate = self.m.crates[self.key.0].name().to_string();
            let body = self.body.path.to_string();
            let site = CallSite {
                caller: (&krate, &body),
                spans: frames.iter().map(|f| f.1.clone()).collect(),
                callee: format!("core::ptr::drop_in_place::<{}>", at.ty),
            };
            if let Ok(Some(f)) = bodies.resolve(&site)
                && f.params == [LlvmTy::Ptr]
                && f.ret.is_empty()
            {
                self.m.declare_extern(self.ctx, &f)?;
                let t = llvm_type(self.ctx, LlvmTy::Ptr);
                let v = self.coerce(at.addr, t);
                let op = CallOp::new(self.ctx, &f.symbol, vec![v], None);
                self.push(&op);
                self.goto(target);
                return Ok(());
            }
        }
        if self.drop_value(&at, 0)? == 0 {
            // rustc drops only what needs it, so a `Drop` that is not printed was missed.
            return Err(drop_unknown(&at.ty).into());
        }
        self.goto(target);
        Ok(())
    }

    fn drop_value(&mut self, at: &PlaceRef, depth: u32) -> Res<u32> {
        use rustc_mir::ty::Mutability;
        if is_plain(&at.ty) || never_dropped(&at.ty) {
            return Ok(0);
        }
        // The iterator of an array drops what is left in it: nothing, if its elements are never dropped.
        if let Ty::Path(p) = &at.ty
            && p.last_ident() == Some("IntoIter")
            && p.plain_name()
                .is_some_and(|n| n.ends_with("array::IntoIter"))
            && crate::types::type_args(p).first().is_some_and(is_plain)
        {
            return Ok(1);
        }
        let fail = drop_unknown;
        let mut calls = 0;
        if let Ty::Path(p) = &at.ty
            && p.plain_name().is_some_and(|n| {
                ["core::", "std::", "alloc::"]
                    .iter()
                    .any(|c| n.starts_with(c))
            })
        {
            return Err(fail(&at.ty).into());
        }
        if depth > 16 {
            return Err(fail(&at.ty).into());
        }
        // The type's own `Drop`, then its fields in the order of their declaration.
        let by_ref = Ty::Ref(Mutability::Mut, Box::new(at.ty.clone()));
        let found = self.m.find_method(
            self.key.0,
            "drop",
            std::slice::from_ref(&by_ref),
            &Ty::unit(),
        );
        match found[..] {
            [key] => {
                let chain = self.chain_to_here();
                let callee = self.m.function(key, &chain)?;
                let v = self.reference_to(at, &by_ref)?;
                let op = CallOp::new(self.ctx, &callee.symbol, vec![v], None);
                self.push(&op);
                calls += 1;
            }
            [] => {}
            _ => return Err(fail(&at.ty).into()),
        }
        match &at.ty {
            Ty::Tuple(parts) => {
                for (i, t) in parts.clone().into_iter().enumerate() {
                    let f = self.field(at, i as u32, t)?;
                    calls += self.drop_value(&f, depth + 1)?;
                }
                Ok(calls)
            }
            Ty::Array(elem, n) => {
                let n = n.as_u64().ok_or("an array length that is not evaluated")?;
                if n > 64 {
                    return Err(fail(&at.ty).into());
                }
                for i in 0..n {
                    let index = self.usize(i);
                    let e = self.element(at, index, (**elem).clone())?;
                    calls += self.drop_value(&e, depth + 1)?;
                }
                Ok(calls)
            }
            ty => {
                let l = self.m.types.layout(ty)?;
                if !l.variants().is_empty() {
                    return Err(fail(ty).into());
                }
                for (i, f) in l.fields.iter().enumerate() {
                    let Some(t) = f.ty.clone().or_else(|| self.built_field(ty, i)) else {
                        return Err(fail(ty).into());
                    };
                    let f = self.field(at, i as u32, t)?;
                    calls += self.drop_value(&f, depth + 1)?;
                }
                Ok(calls)
            }
        }
    }
}

fn drop_unknown(ty: &Ty) -> Diagnostic {
    Diagnostic::error(
        "drop-glue",
        format!("the drop glue of `{ty}` is not known on the MIR route"),
        None,
    )
    .help("give the compiler rustc's LLVM IR of this crate, or drop the parts by hand")
}

/// Types of the language that are never dropped.
fn is_plain(ty: &Ty) -> bool {
    match ty {
        Ty::Bool
        | Ty::Char
        | Ty::Int(_)
        | Ty::Uint(_)
        | Ty::Float(_)
        | Ty::Ref(..)
        | Ty::RawPtr(..)
        | Ty::FnPtr(_)
        | Ty::FnDef(..)
        | Ty::Never
        | Ty::Str => true,
        Ty::Array(t, _) | Ty::Slice(t) => is_plain(t),
        Ty::Tuple(ts) => ts.iter().all(is_plain),
        _ => false,
    }
}

/// Types of core that have no drop glue whatever is in them.
fn never_dropped(ty: &Ty) -> bool {
    let Ty::Path(p) = ty else { return false };
    let Some(name) = p.plain_name() else {
        return false;
    };
    let core = ["core::", "std::"].iter().any(|c| name.starts_with(c));
    core && matches!(
        p.last_ident(),
        Some("PhantomData" | "ManuallyDrop" | "MaybeUninit" | "NonNull" | "Ordering")
    )
}

fn llvm_size(t: LlvmTy) -> u64 {
    llvm_bytes(t).next_power_of_two()
}

fn llvm_bytes(t: LlvmTy) -> u64 {
    match t {
        LlvmTy::Int(w) => u64::from(w).div_ceil(8),
        LlvmTy::F16 => 2,
        LlvmTy::F32 => 4,
        LlvmTy::F64 | LlvmTy::Ptr => 8,
    }
}

/// The pointee's type of an argument, for intrinsics.
pub fn pointee_of(ty: &Ty) -> Res<Ty> {
    match pointee(ty) {
        Some((t, _)) => Ok(t.clone()),
        None => Err(format!("a `{ty}` where a pointer is needed").into()),
    }
}

/// An integer type.
pub fn i64_of(ctx: &pliron::context::Context) -> TypeHandle {
    mt::int_type(ctx, 64).into()
}
