//! Small pieces of LLVM dialect, put at the end of the current block with the current location.

use crate::{function::Lowering, types};
use dialect_llvm::{
    attributes::{ATTR_KEY_PARAM_ATTRIBUTES, ParamAttributesAttr},
    llvm::{
        attributes::{GepNoWrapFlags, ICmpPredicateAttr, IntegerOverflowFlagsAttr},
        llvm_attrs::{LlvmAttrValue, LlvmAttributesAttr},
        op_interfaces::{
            AlignableOpInterface, BinArithOp, CastOpInterface, CastOpWithNNegInterface,
            IntBinArithOpWithOverflowFlag, VolatilityOpInterface,
        },
        ops::*,
        types::{FuncType, VoidType},
    },
};
use pliron::{
    basic_block::BasicBlock,
    builtin::attributes::StringAttr,
    context::Ptr,
    identifier::Identifier,
    op::Op,
    operation::Operation,
    r#type::{TypeHandle, Typed},
    value::Value,
};

impl Lowering<'_, '_> {
    /// Puts an operation at the end of the current block; gives its first result.
    pub fn emit(&mut self, op: Ptr<Operation>) -> Option<Value> {
        let loc = self.location.clone();
        op.deref_mut(self.ctx()).set_loc(loc);
        op.insert_at_back(self.block, self.ctx());
        op.deref(self.ctx()).results().next()
    }

    /// [`Lowering::emit`] for an operation with a result.
    pub fn emit_value(&mut self, op: Ptr<Operation>) -> Value {
        self.emit(op).expect("the operation has a result")
    }

    /// A new block at the end of the function.
    pub fn new_block(&mut self, arguments: Vec<TypeHandle>) -> Ptr<BasicBlock> {
        let region = self.region;
        let block = BasicBlock::new(self.ctx_mut(), None, arguments);
        block.insert_at_back(region, self.ctx());
        block
    }

    /// The integer constant of `bits` bits.
    pub fn int(&mut self, bits: u32, value: u128) -> Value {
        let ctx = self.ctx_mut();
        let ty = types::int(ctx, bits);
        let attr = dialect_mir::ops::int_attr(ctx, ty, value);
        let op = ConstantOp::new(ctx, Box::new(attr));
        self.emit_value(op.get_operation())
    }

    pub fn binary<O: BinArithOp>(&mut self, lhs: Value, rhs: Value) -> Value {
        let op = O::new(self.ctx_mut(), lhs, rhs);
        self.emit_value(op.get_operation())
    }

    pub fn wrapping<O: IntBinArithOpWithOverflowFlag>(
        &mut self,
        lhs: Value,
        rhs: Value,
        flags: IntegerOverflowFlagsAttr,
    ) -> Value {
        let op = O::new_with_overflow_flag(self.ctx_mut(), lhs, rhs, flags);
        self.emit_value(op.get_operation())
    }

    pub fn icmp(&mut self, predicate: ICmpPredicateAttr, lhs: Value, rhs: Value) -> Value {
        let op = ICmpOp::new(self.ctx_mut(), predicate, lhs, rhs);
        self.emit_value(op.get_operation())
    }

    pub fn cast<O: CastOpInterface>(&mut self, value: Value, ty: TypeHandle) -> Value {
        let op = O::new(self.ctx_mut(), value, ty);
        self.emit_value(op.get_operation())
    }

    pub fn cast_nneg<O: CastOpWithNNegInterface>(&mut self, value: Value, ty: TypeHandle) -> Value {
        let op = O::new_with_nneg(self.ctx_mut(), value, ty, false);
        self.emit_value(op.get_operation())
    }

    pub fn select(&mut self, condition: Value, yes: Value, no: Value) -> Value {
        let op = SelectOp::new(self.ctx_mut(), condition, yes, no);
        self.emit_value(op.get_operation())
    }

    pub fn undef(&mut self, ty: TypeHandle) -> Value {
        let op = UndefOp::new(self.ctx_mut(), ty).get_operation();
        self.scaffold.push(op);
        self.emit_value(op)
    }

    pub fn insert(&mut self, aggregate: Value, value: Value, index: u32) -> Value {
        let op = InsertValueOp::new(self.ctx_mut(), aggregate, value, vec![index]).get_operation();
        self.scaffold.push(op);
        self.emit_value(op)
    }

    /// Field `index`, which the aggregate has.
    pub fn extract(&mut self, aggregate: Value, index: u32) -> Value {
        let known = self.fields.get(&aggregate);
        if let Some(field) = known.and_then(|fields| fields.get(index as usize)) {
            return *field;
        }
        let op = ExtractValueOp::new(self.ctx_mut(), aggregate, vec![index])
            .expect("the caller knows the aggregate's fields");
        self.emit_value(op.get_operation())
    }

    /// A struct value of its fields.
    pub fn construct(&mut self, ty: TypeHandle, fields: &[Value]) -> Value {
        let mut value = self.undef(ty);
        for (index, field) in fields.iter().enumerate() {
            value = self.insert(value, *field, index as u32);
        }
        self.fields.insert(value, fields.to_vec());
        value
    }

    /// Takes out the aggregates that nobody needed whole.
    pub fn clear_scaffold(&mut self) {
        for op in std::mem::take(&mut self.scaffold).into_iter().rev() {
            if !op.deref(self.ctx()).has_use() {
                Operation::erase(op, self.ctx_mut());
            }
        }
    }

    pub fn load(&mut self, address: Value, ty: TypeHandle, align: u64, volatile: bool) -> Value {
        let op = LoadOp::new(self.ctx_mut(), address, ty);
        op.set_alignment(self.ctx(), align as u32);
        if volatile {
            op.set_volatile(self.ctx(), true);
        }
        self.emit_value(op.get_operation())
    }

    pub fn store(&mut self, value: Value, address: Value, align: u64, volatile: bool) {
        let op = StoreOp::new(self.ctx_mut(), value, address);
        op.set_alignment(self.ctx(), align as u32);
        if volatile {
            op.set_volatile(self.ctx(), true);
        }
        self.emit(op.get_operation());
    }

    /// `base + offset` bytes, in the same allocation.
    pub fn offset(&mut self, base: Value, offset: u64) -> Value {
        if offset == 0 {
            return base;
        }
        let offset = self.int(64, u128::from(offset));
        let byte = types::int(self.ctx(), 8).into();
        self.element(base, offset, byte, GepNoWrapFlags::INBOUNDS)
    }

    /// `base + index * size_of(element)`.
    pub fn element(
        &mut self,
        base: Value,
        index: Value,
        element: TypeHandle,
        flags: GepNoWrapFlags,
    ) -> Value {
        let op = GetElementPtrOp::new_with_no_wrap_flags(
            self.ctx_mut(),
            base,
            vec![GepIndex::Value(index)],
            element,
            flags,
        );
        self.emit_value(op.get_operation())
    }

    /// The address of a symbol.
    pub fn address(&mut self, symbol: Identifier, space: u32) -> Value {
        let op = AddressOfOp::new(self.ctx_mut(), symbol, space);
        self.emit_value(op.get_operation())
    }

    /// A pointer in the generic address space.
    pub fn generic(&mut self, pointer: Value) -> Value {
        let generic = types::ptr(self.ctx(), 0);
        if pointer.get_type(self.ctx()) == generic {
            return pointer;
        }
        self.cast::<AddrSpaceCastOp>(pointer, generic)
    }

    /// A call of an intrinsic.
    pub fn intrinsic(&mut self, name: &str, operands: Vec<Value>, result: TypeHandle) -> Value {
        let op = self.intrinsic_op(name, operands, result);
        self.emit_value(op)
    }

    /// A call of an intrinsic without result; `aligns` are the alignments of its first operands.
    pub fn intrinsic_void(&mut self, name: &str, operands: Vec<Value>, aligns: &[u64]) {
        let void = VoidType::get(self.ctx()).into();
        let op = self.intrinsic_op(name, operands, void);
        if !aligns.is_empty() {
            let attributes = aligns
                .iter()
                .map(|align| {
                    let mut attributes = LlvmAttributesAttr::new();
                    attributes.set("align", LlvmAttrValue::Int(*align));
                    attributes
                })
                .collect();
            op.deref_mut(self.ctx()).attributes.set(
                ATTR_KEY_PARAM_ATTRIBUTES.clone(),
                ParamAttributesAttr(attributes),
            );
        }
        self.emit(op);
    }

    fn intrinsic_op(
        &mut self,
        name: &str,
        operands: Vec<Value>,
        result: TypeHandle,
    ) -> Ptr<Operation> {
        let ctx = self.ctx_mut();
        let arguments = operands.iter().map(|value| value.get_type(ctx)).collect();
        let ty = FuncType::get(ctx, result, arguments, false);
        CallIntrinsicOp::new(ctx, StringAttr::new(name.to_string()), ty, operands).get_operation()
    }

    pub fn branch(&mut self, to: Ptr<BasicBlock>, arguments: Vec<Value>) {
        let op = BrOp::new(self.ctx_mut(), to, arguments);
        self.emit(op.get_operation());
    }

    pub fn cond_branch(
        &mut self,
        condition: Value,
        yes: (Ptr<BasicBlock>, Vec<Value>),
        no: (Ptr<BasicBlock>, Vec<Value>),
    ) {
        let op = CondBrOp::new(self.ctx_mut(), condition, yes.0, yes.1, no.0, no.1);
        self.emit(op.get_operation());
    }
}
