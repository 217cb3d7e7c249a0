//! Storage, accesses, copies, atomics, addresses of symbols.

use crate::{Result, function::Lowering, module::identifier, op_error, types};
use dialect_llvm::llvm::{
    attributes::{
        AtomicOrderingAttr, GepNoWrapFlags, ICmpPredicateAttr, IntegerOverflowFlagsAttr,
        SyncScopeAttr,
    },
    ops::*,
};
use dialect_mir::{
    attributes::{self as mir, AtomicAttr, Ordering, RmwKind, U64Attr},
    ops as m,
    types::{PtrType, as_type, float_width, int_width, is_ptr, size_align},
};
use dialect_nvvm::atomic::{Atomic, AtomicKind, Element, Ordering as Order, Rmw, Scope};
use pliron::{
    builtin::attributes::{BoolAttr, StringAttr},
    context::Ptr,
    op::Op,
    operation::Operation,
    r#type::{TypeHandle, Typed},
    value::Value,
};

impl Lowering<'_, '_> {
    fn align(&self, op: Ptr<Operation>) -> u64 {
        m::alignment(self.ctx(), op).max(1)
    }

    fn elem_type(&self, op: Ptr<Operation>) -> Result<(TypeHandle, u64)> {
        let ctx = self.ctx();
        let ty = m::elem_type(ctx, op);
        ty.and_then(|ty| Some((ty, size_align(ctx, ty)?.0)))
            .ok_or_else(|| op_error(ctx, op, "the type in memory has a known size"))
    }

    /// A scalar's own type, for readers of the IR; bytes for everything else.
    fn storage_type(&self, ty: TypeHandle, size: u64) -> TypeHandle {
        let ctx = self.ctx();
        let scalar = int_width(ctx, ty).is_some_and(|width| width > 1)
            || float_width(ctx, ty).is_some()
            || is_ptr(ctx, ty);
        match types::lower(ctx, ty) {
            Ok(lowered) if scalar => lowered,
            _ => types::bytes(ctx, size),
        }
    }

    pub fn mir_alloca(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (ty, size) = self.elem_type(op)?;
        let align = self.align(op);
        let ty = self.storage_type(ty, size);
        let value = self.alloca(ty, align);
        self.define(op, value);
        Ok(())
    }

    pub fn mir_load(&mut self, op: Ptr<Operation>) -> Result<()> {
        let address = self.operand(op, 0)?;
        let ty = op.deref(self.ctx()).get_type(0);
        let volatile = m::is_volatile(self.ctx(), op);
        let align = self.align(op);
        let value = self.read(address, ty, align, volatile)?;
        self.define(op, value);
        Ok(())
    }

    /// Reads a scalar or pair of `dialect-mir` type `ty`.
    pub fn read(
        &mut self,
        address: Value,
        ty: TypeHandle,
        align: u64,
        volatile: bool,
    ) -> Result<Value> {
        let lowered = types::lower(self.ctx(), ty)?;
        if int_width(self.ctx(), ty) == Some(1) {
            let byte = types::int(self.ctx(), 8).into();
            let byte = self.load(address, byte, align, volatile);
            return Ok(self.cast::<TruncOp>(byte, lowered));
        }
        if types::is_pair(self.ctx(), ty) {
            let space = as_type::<dialect_mir::types::SliceType>(self.ctx(), ty)
                .map_or(0, |slice| slice.addrspace);
            let pointer = types::ptr(self.ctx(), space);
            let word = types::int(self.ctx(), 64).into();
            let first = self.load(address, pointer, align, volatile);
            let second = self.offset(address, 8);
            let second = self.load(second, word, align.min(8), volatile);
            return Ok(self.construct(lowered, &[first, second]));
        }
        Ok(self.load(address, lowered, align, volatile))
    }

    pub fn mir_store(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let address = self.operand(op, 1)?;
        let ty = self.mir_type(op, 0)?;
        let volatile = m::is_volatile(self.ctx(), op);
        let align = self.align(op);
        if int_width(self.ctx(), ty) == Some(1) {
            let byte = types::int(self.ctx(), 8).into();
            let byte = self.cast_nneg::<ZExtOp>(value, byte);
            self.store(byte, address, align, volatile);
        } else if types::is_pair(self.ctx(), ty) {
            let first = self.extract(value, 0);
            let second = self.extract(value, 1);
            self.store(first, address, align, volatile);
            let address = self.offset(address, 8);
            self.store(second, address, align.min(8), volatile);
        } else {
            self.store(value, address, align, volatile);
        }
        Ok(())
    }

    fn space(&self, pointer: Value) -> u32 {
        use dialect_llvm::llvm::types::PointerType;
        let ctx = self.ctx();
        pointer
            .get_type(ctx)
            .deref(ctx)
            .downcast_ref::<PointerType>()
            .map_or(0, PointerType::address_space)
    }

    /// `mir.assign`, `mir.memcpy`, `mir.memmove`.
    pub fn copy(&mut self, op: Ptr<Operation>, function: &str, bytes: Option<u64>) -> Result<()> {
        let (to, from) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let bytes = match bytes {
            Some(0) => return Ok(()),
            Some(bytes) => self.int(64, u128::from(bytes)),
            None => self.operand(op, 2)?,
        };
        let volatile = m::is_volatile(self.ctx(), op);
        let volatile = self.int(1, u128::from(volatile));
        let align = self.align(op);
        let name = format!(
            "llvm.{function}.p{}.p{}.i64",
            self.space(to),
            self.space(from)
        );
        self.intrinsic_void(&name, vec![to, from, bytes, volatile], &[align, align]);
        Ok(())
    }

    pub fn assign(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (_, size) = self.elem_type(op)?;
        // Source and destination may be the same address, which `llvm.memcpy` allows.
        self.copy(op, "memcpy", Some(size))
    }

    pub fn memset(&mut self, op: Ptr<Operation>) -> Result<()> {
        let mut operands = self.operands(op)?;
        let volatile = m::is_volatile(self.ctx(), op);
        operands.push(self.int(1, u128::from(volatile)));
        let align = self.align(op);
        let name = format!("llvm.memset.p{}.i64", self.space(operands[0]));
        self.intrinsic_void(&name, operands, &[align]);
        Ok(())
    }

    /// A loop over the bytes: there is no library to call.
    pub fn memcmp(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (left, right, count) = (
            self.operand(op, 0)?,
            self.operand(op, 1)?,
            self.operand(op, 2)?,
        );
        let word: TypeHandle = types::int(self.ctx(), 64).into();
        let int: TypeHandle = types::int(self.ctx(), 32).into();
        let byte: TypeHandle = types::int(self.ctx(), 8).into();
        let head = self.new_block(vec![word]);
        let body = self.new_block(vec![]);
        let next = self.new_block(vec![]);
        let done = self.new_block(vec![int]);
        let zero = self.int(64, 0);
        let equal = self.int(32, 0);
        self.branch(head, vec![zero]);

        self.block = head;
        let index = head.deref(self.ctx()).get_argument(0);
        let more = self.icmp(ICmpPredicateAttr::ULT, index, count);
        self.cond_branch(more, (body, vec![]), (done, vec![equal]));

        self.block = body;
        let l = self.element(left, index, byte, GepNoWrapFlags::INBOUNDS);
        let l = self.load(l, byte, 1, false);
        let r = self.element(right, index, byte, GepNoWrapFlags::INBOUNDS);
        let r = self.load(r, byte, 1, false);
        let same = self.icmp(ICmpPredicateAttr::EQ, l, r);
        let l = self.cast_nneg::<ZExtOp>(l, int);
        let r = self.cast_nneg::<ZExtOp>(r, int);
        let flags = IntegerOverflowFlagsAttr::default();
        let difference = self.wrapping::<SubOp>(l, r, flags.clone());
        self.cond_branch(same, (next, vec![]), (done, vec![difference]));

        self.block = next;
        let one = self.int(64, 1);
        let following = self.wrapping::<AddOp>(index, one, flags);
        self.branch(head, vec![following]);

        self.block = done;
        let value = done.deref(self.ctx()).get_argument(0);
        self.define(op, value);
        Ok(())
    }

    pub fn same_address(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        self.define(op, value);
        Ok(())
    }

    /// `mir.ptr_offset`, `mir.array_element_addr`.
    pub fn indexed(&mut self, op: Ptr<Operation>, flags: GepNoWrapFlags) -> Result<()> {
        let (base, index) = (self.operand(op, 0)?, self.operand(op, 1)?);
        let Some(U64Attr(stride)) = mir::get::<U64Attr>(self.ctx(), op, &mir::STRIDE) else {
            return Err(op_error(self.ctx(), op, "an offset says its stride"));
        };
        if stride == 0 {
            self.define(op, base);
            return Ok(());
        }
        let result = op.deref(self.ctx()).get_type(0);
        let pointee = as_type::<PtrType>(self.ctx(), result).map(|pointer| pointer.pointee);
        let element = match pointee {
            Some(pointee)
                if size_align(self.ctx(), pointee).map(|(size, _)| size) == Some(stride) =>
            {
                self.storage_type(pointee, stride)
            }
            _ => types::bytes(self.ctx(), stride),
        };
        let value = self.element(base, index, element, flags);
        self.define(op, value);
        Ok(())
    }

    pub fn ptr_offset(&mut self, op: Ptr<Operation>) -> Result<()> {
        let inbounds = mir::get::<BoolAttr>(self.ctx(), op, &mir::NOWRAP).is_some_and(bool::from);
        let flags = if inbounds {
            GepNoWrapFlags::INBOUNDS
        } else {
            GepNoWrapFlags::empty()
        };
        self.indexed(op, flags)
    }

    pub fn field_addr(&mut self, op: Ptr<Operation>) -> Result<()> {
        let base = self.operand(op, 0)?;
        let Some(U64Attr(offset)) = mir::get::<U64Attr>(self.ctx(), op, &mir::OFFSET) else {
            return Err(op_error(
                self.ctx(),
                op,
                "a field's address says its offset",
            ));
        };
        let value = self.offset(base, offset);
        self.define(op, value);
        Ok(())
    }

    /// `mir.global_alloc`, `mir.shared_alloc`, `mir.func_addr`.
    pub fn symbol_address(&mut self, op: Ptr<Operation>) -> Result<()> {
        let symbol: String = mir::get::<StringAttr>(self.ctx(), op, &mir::SYMBOL)
            .map(String::from)
            .unwrap_or_default();
        let space = match self.module.globals.get(&symbol) {
            Some(space) => *space,
            None if self.module.functions.contains_key(&symbol) => 0,
            None => {
                return Err(op_error(
                    self.ctx(),
                    op,
                    format!("`{symbol}` is a global or function of the module"),
                ));
            }
        };
        let address = self.address(identifier(&symbol)?, space);
        let to = self.result_type(op)?;
        if address.get_type(self.ctx()) != to {
            return Err(op_error(
                self.ctx(),
                op,
                format!("`{symbol}` lies in address space {space}"),
            ));
        }
        self.define(op, address);
        Ok(())
    }

    pub fn extern_shared(&mut self, op: Ptr<Operation>) -> Result<()> {
        let symbol = self.module.dynamic_shared();
        let address = self.address(symbol, 3);
        self.define(op, address);
        Ok(())
    }

    fn atomic_attr(&self, op: Ptr<Operation>) -> Result<AtomicAttr> {
        mir::get::<AtomicAttr>(self.ctx(), op, &mir::ATOMIC)
            .ok_or_else(|| op_error(self.ctx(), op, "an atomic access has its order"))
    }

    /// `mir.atomic_load`, `mir.atomic_store`, `mir.atomic_rmw`: system scope, as Rust's are. Pointers go as integers.
    pub fn atomic(&mut self, op: Ptr<Operation>, name: &str) -> Result<()> {
        let attr = self.atomic_attr(op)?;
        let (address, value, ty) = match name {
            "load" => (self.operand(op, 0)?, None, op.deref(self.ctx()).get_type(0)),
            "store" => (
                self.operand(op, 1)?,
                Some(self.operand(op, 0)?),
                self.mir_type(op, 0)?,
            ),
            _ => (
                self.operand(op, 0)?,
                Some(self.operand(op, 1)?),
                self.mir_type(op, 1)?,
            ),
        };
        let (kind, signed) = match name {
            "load" => (AtomicKind::Load, false),
            "store" => (AtomicKind::Store, false),
            _ => {
                let (rmw, signed) = match attr.kind {
                    RmwKind::Xchg => (Rmw::Xchg, false),
                    RmwKind::Add => (Rmw::Add, false),
                    RmwKind::Sub => (Rmw::Sub, false),
                    RmwKind::And => (Rmw::And, false),
                    RmwKind::Nand => (Rmw::Nand, false),
                    RmwKind::Or => (Rmw::Or, false),
                    RmwKind::Xor => (Rmw::Xor, false),
                    RmwKind::SMax => (Rmw::Max, true),
                    RmwKind::SMin => (Rmw::Min, true),
                    RmwKind::UMax => (Rmw::Max, false),
                    RmwKind::UMin => (Rmw::Min, false),
                };
                (AtomicKind::Rmw(rmw), signed)
            }
        };
        let width = if is_ptr(self.ctx(), ty) {
            Some(64)
        } else {
            int_width(self.ctx(), ty)
        };
        let element = match (width, signed) {
            (Some(8), false) => Element::U8,
            (Some(8), true) => Element::I8,
            (Some(16), false) => Element::U16,
            (Some(16), true) => Element::I16,
            (Some(32), false) => Element::U32,
            (Some(32), true) => Element::I32,
            (Some(64), false) => Element::U64,
            (Some(64), true) => Element::I64,
            _ => {
                return Err(op_error(
                    self.ctx(),
                    op,
                    "an atomic access is of 8, 16, 32 or 64 bits",
                ));
            }
        };
        let atomic = Atomic {
            kind,
            element,
            scope: Scope::System,
            ordering: order(attr.success),
        };
        if !atomic.exists() {
            return Err(op_error(
                self.ctx(),
                op,
                format!("there is no {}", atomic.op()),
            ));
        }
        let mut operands = vec![self.generic(address)];
        if let Some(value) = value {
            let bits = atomic.operands()[1].get(self.ctx());
            operands.push(self.bits(value, bits));
        }
        let new = atomic.build(self.ctx_mut(), operands);
        if let Some(value) = self.emit(new) {
            let to = self.result_type(op)?;
            let value = self.bits(value, to);
            self.define(op, value);
        }
        Ok(())
    }

    pub fn atomic_cmpxchg(&mut self, op: Ptr<Operation>) -> Result<()> {
        let attr = self.atomic_attr(op)?;
        let operands = self.operands(op)?;
        let width = {
            let ty = self.mir_type(op, 1)?;
            int_width(self.ctx(), ty)
        };
        if !matches!(width, Some(8 | 16 | 32 | 64)) {
            return Err(op_error(
                self.ctx(),
                op,
                "an atomic access is of 8, 16, 32 or 64 bits",
            ));
        }
        let address = self.generic(operands[0]);
        let (success, failure) = (llvm_order(attr.success), llvm_order(attr.failure));
        let cas = AtomicCmpxchgOp::new(
            self.ctx_mut(),
            address,
            operands[1],
            operands[2],
            success,
            failure,
            SyncScopeAttr::System,
        );
        let value = self.emit_value(cas.get_operation());
        self.define(op, value);
        Ok(())
    }

    pub fn atomic_fence(&mut self, op: Ptr<Operation>) -> Result<()> {
        let attr = self.atomic_attr(op)?;
        if attr.success == Ordering::Relaxed {
            return Err(op_error(self.ctx(), op, "a fence is not relaxed"));
        }
        let ordering = llvm_order(attr.success);
        let fence = FenceOp::new(self.ctx_mut(), ordering, SyncScopeAttr::System);
        self.emit(fence.get_operation());
        Ok(())
    }
}

fn order(ordering: Ordering) -> Order {
    match ordering {
        Ordering::Relaxed => Order::Relaxed,
        Ordering::Acquire => Order::Acquire,
        Ordering::Release => Order::Release,
        Ordering::AcqRel => Order::AcqRel,
        Ordering::SeqCst => Order::SeqCst,
    }
}

fn llvm_order(ordering: Ordering) -> AtomicOrderingAttr {
    match ordering {
        Ordering::Relaxed => AtomicOrderingAttr::Monotonic,
        Ordering::Acquire => AtomicOrderingAttr::Acquire,
        Ordering::Release => AtomicOrderingAttr::Release,
        Ordering::AcqRel => AtomicOrderingAttr::AcqRel,
        Ordering::SeqCst => AtomicOrderingAttr::SeqCst,
    }
}
