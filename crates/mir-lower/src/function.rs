//! One function: signature, arguments, blocks.

use crate::{
    Result,
    module::{Callee, Module},
    op_error, types,
};
use dialect_llvm::{
    attributes,
    llvm::{
        attributes::LinkageAttr,
        llvm_attrs::{LlvmAttrValue, LlvmAttributesAttr},
        op_interfaces::AlignableOpInterface,
        ops::{AddrSpaceCastOp, AllocaOp, ConstantOp, FuncOp as LlvmFunc},
        types::{FuncType, VoidType},
    },
};
use dialect_mir::{
    attributes::{self as mir, InlineAttr, LaunchBoundsAttr, Param},
    ops::FuncOp,
};
use pliron::{
    basic_block::BasicBlock,
    builtin::{attributes::StringAttr, op_interfaces::SymbolOpInterface},
    context::{Context, Ptr},
    linked_list::ContainsLinkedList,
    location::Location,
    op::Op,
    operation::Operation,
    region::Region,
    r#type::{TypeHandle, Typed},
    value::Value,
};
use std::collections::{HashMap, HashSet};

/// State of one function's lowering.
pub(crate) struct Lowering<'m, 'a> {
    pub module: &'m mut Module<'a>,
    /// The symbol, for messages.
    pub name: String,
    pub values: HashMap<Value, Value>,
    pub blocks: HashMap<Ptr<BasicBlock>, Ptr<BasicBlock>>,
    pub region: Ptr<Region>,
    pub entry: Ptr<BasicBlock>,
    /// Where operations go now.
    pub block: Ptr<BasicBlock>,
    /// Location of the operation that is lowered now.
    pub location: Location,
    /// Room for the arguments of a panic, once one needs it.
    pub panic_arguments: Option<Value>,
    /// Fields of aggregates that were put together here: taking one out again needs no instruction.
    pub fields: HashMap<Value, Vec<Value>>,
    /// Operations that only put aggregates together.
    pub scaffold: Vec<Ptr<Operation>>,
}

/// The type of a function: pairs are two parameters, a kernel's pairs point to global memory.
pub(crate) fn signature(ctx: &Context, func: FuncOp) -> Result<Callee> {
    let kernel = func.is_kernel(ctx);
    let arguments = func.arg_types(ctx);
    let mut parameters = Vec::new();
    for ty in &arguments {
        if types::is_pair(ctx, *ty) {
            let space = if kernel { 1 } else { pair_space(ctx, *ty) };
            parameters.push(types::ptr(ctx, space));
            parameters.push(types::int(ctx, 64).into());
        } else {
            parameters.push(types::lower(ctx, *ty)?);
        }
    }
    let result = match func.result_types(ctx).first() {
        Some(ty) => types::lower(ctx, *ty)?,
        None => VoidType::get(ctx).into(),
    };
    Ok(Callee {
        ty: FuncType::get(ctx, result, parameters, false),
        arguments,
    })
}

fn pair_space(ctx: &Context, ty: TypeHandle) -> u32 {
    dialect_mir::types::as_type::<dialect_mir::types::SliceType>(ctx, ty)
        .map_or(0, |slice| slice.addrspace)
}

pub(crate) fn lower(module: &mut Module<'_>, func: FuncOp) -> Result<()> {
    let internal = module.options.internal_functions;
    let ctx = &mut *module.ctx;
    let op = func.get_operation();
    let symbol = func.get_symbol_name(ctx);
    let name = symbol.to_string();
    let kernel = func.is_kernel(ctx);
    let callee = signature(ctx, func)?;
    let lowered = LlvmFunc::new(ctx, symbol, callee.ty);
    let llvm_op = lowered.get_operation();
    let location = op.deref(ctx).loc().clone();
    llvm_op.deref_mut(ctx).set_loc(location.clone());
    lowered.set_attr_llvm_func_attrs(ctx, function_attributes(ctx, op, kernel));
    let parameters = parameter_attributes(ctx, func, kernel);
    if parameters.iter().any(|attributes| !attributes.is_empty()) {
        attributes::set_param_attributes(ctx, llvm_op, parameters);
    }
    if kernel {
        attributes::set_kernel(ctx, llvm_op);
    } else if internal && func.entry(ctx).is_some() {
        lowered.set_attr_llvm_function_linkage(ctx, LinkageAttr::InternalLinkage);
    }
    if let Some(rust) = mir::get::<StringAttr>(ctx, op, &mir::RUST_NAME) {
        attributes::set_source_name(ctx, llvm_op, rust.into());
    }
    module.add(llvm_op);
    let ctx = &mut *module.ctx;
    let Some(mir_entry) = func.entry(ctx) else {
        return Ok(());
    };
    let entry = lowered.get_or_create_entry_block(ctx);
    let region = llvm_op.deref(ctx).get_region(0);
    let mut state = Lowering {
        module,
        name,
        values: HashMap::new(),
        blocks: HashMap::new(),
        region,
        entry,
        block: entry,
        location,
        panic_arguments: None,
        fields: HashMap::new(),
        scaffold: Vec::new(),
    };
    let order = reverse_postorder(state.ctx(), mir_entry);
    state.blocks.insert(mir_entry, entry);
    for block in &order[1..] {
        let ctx = state.ctx();
        let arguments = block
            .deref(ctx)
            .arguments()
            .map(|argument| types::lower(ctx, argument.get_type(ctx)))
            .collect::<Result<Vec<_>>>()?;
        let new = state.new_block(arguments);
        let ctx = state.ctx();
        let pairs: Vec<_> = {
            let (old, new) = (block.deref(ctx), new.deref(ctx));
            old.arguments().zip(new.arguments()).collect()
        };
        state.values.extend(pairs);
        state.blocks.insert(*block, new);
    }
    state.entry_arguments(mir_entry, &callee)?;
    for block in order {
        state.block = state.blocks[&block];
        let ops: Vec<_> = block.deref(state.ctx()).iter(state.ctx()).collect();
        for op in ops {
            for successor in op.deref(state.ctx()).successors() {
                if successor == mir_entry {
                    return Err(op_error(
                        state.ctx(),
                        op,
                        "no branch leads to the entry block",
                    ));
                }
            }
            let location = op.deref(state.ctx()).loc().clone();
            state.location = location;
            state.operation(op)?;
        }
    }
    state.clear_scaffold();
    Ok(())
}

impl Lowering<'_, '_> {
    pub fn ctx(&self) -> &Context {
        self.module.ctx
    }

    pub fn ctx_mut(&mut self) -> &mut Context {
        self.module.ctx
    }

    /// Maps the entry block's arguments, putting pairs together again.
    fn entry_arguments(&mut self, mir_entry: Ptr<BasicBlock>, callee: &Callee) -> Result<()> {
        let old: Vec<_> = mir_entry.deref(self.ctx()).arguments().collect();
        let mut new = {
            let entry = self.entry.deref(self.ctx());
            entry.arguments().collect::<Vec<_>>().into_iter()
        };
        for (old, ty) in old.into_iter().zip(&callee.arguments) {
            let first = new.next();
            let value = if types::is_pair(self.ctx(), *ty) {
                let (Some(pointer), Some(length)) = (first, new.next()) else {
                    continue;
                };
                let pair = types::lower(self.ctx(), *ty)?;
                let space = types::ptr(self.ctx(), pair_space(self.ctx(), *ty));
                let pointer = if pointer.get_type(self.ctx()) == space {
                    pointer
                } else {
                    self.cast::<AddrSpaceCastOp>(pointer, space)
                };
                self.construct(pair, &[pointer, length])
            } else {
                match first {
                    Some(value) => value,
                    None => continue,
                }
            };
            self.values.insert(old, value);
        }
        Ok(())
    }

    /// What a value has become.
    pub fn value(&self, op: Ptr<Operation>, value: Value) -> Result<Value> {
        self.values
            .get(&value)
            .copied()
            .ok_or_else(|| op_error(self.ctx(), op, "an operand is defined before its use"))
    }

    /// What operand `index` has become.
    pub fn operand(&self, op: Ptr<Operation>, index: usize) -> Result<Value> {
        let value = op.deref(self.ctx()).operands().nth(index);
        match value {
            Some(value) => self.value(op, value),
            None => Err(op_error(
                self.ctx(),
                op,
                format!("operand {index} is missing"),
            )),
        }
    }

    /// What all operands have become.
    pub fn operands(&self, op: Ptr<Operation>) -> Result<Vec<Value>> {
        let operands: Vec<_> = op.deref(self.ctx()).operands().collect();
        operands
            .into_iter()
            .map(|value| self.value(op, value))
            .collect()
    }

    /// The type of operand `index`, as `dialect-mir` has it.
    pub fn mir_type(&self, op: Ptr<Operation>, index: usize) -> Result<TypeHandle> {
        let ctx = self.ctx();
        let value = op.deref(ctx).operands().nth(index);
        value
            .map(|value| value.get_type(ctx))
            .ok_or_else(|| op_error(ctx, op, format!("operand {index} is missing")))
    }

    /// The lowered type of the result.
    pub fn result_type(&self, op: Ptr<Operation>) -> Result<TypeHandle> {
        let ty = op.deref(self.ctx()).result_types().next();
        match ty {
            Some(ty) => types::lower(self.ctx(), ty),
            None => Err(op_error(self.ctx(), op, "the operation has a result")),
        }
    }

    /// Says what the operation's result has become.
    pub fn define(&mut self, op: Ptr<Operation>, value: Value) {
        let result = op.deref(self.ctx()).results().next();
        if let Some(result) = result {
            self.values.insert(result, value);
        }
    }

    /// Room on the stack, in the entry block: what stands in a loop must not grow the stack.
    pub fn alloca(&mut self, ty: TypeHandle, align: u64) -> Value {
        let entry = self.entry;
        let location = self.location.clone();
        let ctx = self.ctx_mut();
        let i32_ty = types::int(ctx, 32);
        let one = dialect_mir::ops::int_attr(ctx, i32_ty, 1);
        let one = ConstantOp::new(ctx, Box::new(one)).get_operation();
        let count = one.deref(ctx).get_result(0);
        let alloca = AllocaOp::new(ctx, ty, count, 0);
        alloca.set_alignment(ctx, align as u32);
        let alloca = alloca.get_operation();
        alloca.deref_mut(ctx).set_loc(location);
        alloca.insert_at_front(entry, ctx);
        one.insert_at_front(entry, ctx);
        alloca.deref(ctx).get_result(0)
    }
}

fn reverse_postorder(ctx: &Context, entry: Ptr<BasicBlock>) -> Vec<Ptr<BasicBlock>> {
    let mut order = Vec::new();
    let mut seen = HashSet::from([entry]);
    // An explicit stack: functions have tens of thousands of blocks.
    let mut stack = vec![(entry, entry.deref(ctx).succs(ctx), 0usize)];
    while let Some((block, successors, next)) = stack.last_mut() {
        match successors.get(*next).copied() {
            Some(successor) => {
                *next += 1;
                if seen.insert(successor) {
                    let successors = successor.deref(ctx).succs(ctx);
                    stack.push((successor, successors, 0));
                }
            }
            None => {
                order.push(*block);
                stack.pop();
            }
        }
    }
    order.reverse();
    order
}

fn function_attributes(ctx: &Context, op: Ptr<Operation>, kernel: bool) -> LlvmAttributesAttr {
    let mut attrs = LlvmAttributesAttr::new();
    match mir::get::<InlineAttr>(ctx, op, &mir::INLINE) {
        Some(InlineAttr::Always) => attrs.set("alwaysinline", LlvmAttrValue::Unit),
        Some(InlineAttr::Hint) => attrs.set("inlinehint", LlvmAttrValue::Unit),
        Some(InlineAttr::Never) => attrs.set("noinline", LlvmAttrValue::Unit),
        None => {}
    }
    if !kernel {
        // Without it LLVM may duplicate or move a call of a function that holds a barrier. LLVM takes it off where it can.
        attrs.set("convergent", LlvmAttrValue::Unit);
        attrs.set("nounwind", LlvmAttrValue::Unit);
        return attrs;
    }
    let bounds = mir::get::<LaunchBoundsAttr>(ctx, op, &mir::LAUNCH_BOUNDS).unwrap_or_default();
    let mut number = |name: &str, value: u32| {
        if value != 0 {
            attrs.set(name, LlvmAttrValue::Str(value.to_string()));
        }
    };
    number("nvvm.maxntid", bounds.max_threads);
    number("nvvm.minctasm", bounds.min_blocks);
    if bounds.cluster_x != 0 {
        let size = format!(
            "{},{},{}",
            bounds.cluster_x,
            bounds.cluster_y.max(1),
            bounds.cluster_z.max(1)
        );
        attrs.set("nvvm.cluster_dim", LlvmAttrValue::Str(size));
    }
    attrs
}

fn parameter_attributes(ctx: &Context, func: FuncOp, kernel: bool) -> Vec<LlvmAttributesAttr> {
    let mut all = Vec::new();
    for (param, ty) in func.params(ctx).iter().zip(func.arg_types(ctx)) {
        all.push(parameter(ctx, param, kernel));
        if types::is_pair(ctx, ty) {
            all.push(LlvmAttributesAttr::new());
        }
    }
    all
}

fn parameter(ctx: &Context, param: &Param, kernel: bool) -> LlvmAttributesAttr {
    let mut attrs = LlvmAttributesAttr::new();
    if param.byval != 0 && kernel {
        let ty = types::bytes(ctx, param.byval);
        attrs.set("byval", LlvmAttrValue::Type(ty));
    }
    if param.sret != 0 {
        let ty = types::bytes(ctx, param.sret);
        attrs.set("sret", LlvmAttrValue::Type(ty));
    }
    for (set, name) in [
        (param.noalias || param.sret != 0, "noalias"),
        (param.readonly, "readonly"),
        (param.nonnull, "nonnull"),
    ] {
        if set {
            attrs.set(name, LlvmAttrValue::Unit);
        }
    }
    if param.align > 1 {
        attrs.set("align", LlvmAttrValue::Int(param.align));
    }
    if param.dereferenceable != 0 {
        attrs.set("dereferenceable", LlvmAttrValue::Int(param.dereferenceable));
    }
    attrs
}
