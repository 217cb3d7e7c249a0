//! Globals and functions of a module, and what functions share.

use crate::{LowerError, LowerOptions, Result, function, op_error, types};
use dialect_llvm::{
    attributes::SymbolOffsetAttr,
    llvm::{
        attributes::{AggregateAttr, BytesAttr, LinkageAttr, PoisonAttr, ZeroAttr},
        llvm_attrs::{LlvmAttrValue, LlvmAttributesAttr},
        op_interfaces::AlignableOpInterface,
        ops::{FuncOp as LlvmFunc, GlobalOp as LlvmGlobal},
        types::{FuncType, StructLayout, StructType},
    },
};
use dialect_mir::{
    attributes::GlobalAttr,
    ops::{FuncOp, GlobalOp},
};
use pliron::{
    attribute::AttrObj,
    basic_block::BasicBlock,
    builtin::{
        attr_interfaces::TypedAttrInterface,
        op_interfaces::{SingleBlockRegionInterface, SymbolOpInterface},
        ops::ModuleOp,
    },
    context::{Context, Ptr},
    identifier::Identifier,
    linked_list::ContainsLinkedList,
    op::Op,
    operation::Operation,
    r#type::{TypeHandle, TypedHandle},
};
use std::collections::HashMap;

/// What is known of a function that may be called.
#[derive(Clone)]
pub(crate) struct Callee {
    pub ty: TypedHandle<FuncType>,
    /// The arguments' types as `dialect-mir` has them.
    pub arguments: Vec<TypeHandle>,
}

/// The address space of constant memory.
const CONSTANT: u32 = 4;

/// State of one lowering.
pub(crate) struct Module<'a> {
    pub ctx: &'a mut Context,
    pub options: &'a LowerOptions,
    pub functions: HashMap<String, Callee>,
    /// Address space of each global.
    pub globals: HashMap<String, u32>,
    /// Where new functions and globals go.
    body: Ptr<BasicBlock>,
    /// Texts of panics, already in the module.
    texts: HashMap<String, Identifier>,
}

pub(crate) fn lower(
    ctx: &mut Context,
    module: ModuleOp,
    options: &LowerOptions,
) -> Result<ModuleOp> {
    let name = module.get_symbol_name(ctx);
    let lowered = ModuleOp::new(ctx, name);
    lowered
        .get_operation()
        .deref_mut(ctx)
        .set_loc(module.get_operation().deref(ctx).loc().clone());
    let body = lowered.get_body(ctx, 0);
    let ops: Vec<_> = module.get_body(ctx, 0).deref(ctx).iter(ctx).collect();
    let mut state = Module {
        ctx,
        options,
        functions: HashMap::new(),
        globals: HashMap::new(),
        body,
        texts: HashMap::new(),
    };
    for op in &ops {
        let ctx = &*state.ctx;
        if let Some(func) = Operation::get_op::<FuncOp>(*op, ctx) {
            let callee = function::signature(ctx, func)?;
            state
                .functions
                .insert(func.get_symbol_name(ctx).to_string(), callee);
        } else if let Some(global) = Operation::get_op::<GlobalOp>(*op, ctx) {
            let Some(data) = global.data(ctx) else {
                return Err(op_error(ctx, *op, "a global has its data"));
            };
            state
                .globals
                .insert(global.get_symbol_name(ctx).to_string(), data.addrspace);
        }
    }
    for op in ops {
        if let Some(func) = Operation::get_op::<FuncOp>(op, state.ctx) {
            function::lower(&mut state, func)?;
        } else if let Some(global) = Operation::get_op::<GlobalOp>(op, state.ctx) {
            state.global(global)?;
        } else {
            return Err(op_error(
                state.ctx,
                op,
                "a module holds functions and globals",
            ));
        }
    }
    Ok(lowered)
}

impl Module<'_> {
    /// Puts a function or global into the module.
    pub fn add(&mut self, op: Ptr<Operation>) {
        op.insert_at_back(self.body, self.ctx);
    }

    fn global(&mut self, global: GlobalOp) -> Result<()> {
        let ctx = &mut *self.ctx;
        let op = global.get_operation();
        let Some(data) = global.data(ctx) else {
            return Err(op_error(ctx, op, "a global has its data"));
        };
        let initializer = initializer(ctx, op, &data, &self.globals)?;
        let ty = pliron::attribute::attr_cast::<dyn TypedAttrInterface>(&*initializer)
            .map(|typed| typed.get_type(ctx));
        let Some(ty) = ty else {
            return Err(op_error(ctx, op, "an initialiser has a type"));
        };
        let name = global.get_symbol_name(ctx);
        let lowered = LlvmGlobal::new(ctx, name, ty);
        lowered.set_initializer_value(ctx, initializer);
        lowered.set_address_space(ctx, data.addrspace);
        // Constant memory is the host's to write: nobody else does, and its name must stay.
        let constant = data.addrspace == CONSTANT;
        lowered.set_constant(ctx, constant || !data.mutable && data.addrspace != 3);
        lowered.set_alignment(ctx, data.align as u32);
        if data.addrspace == 3 || !data.mutable && !constant {
            lowered.set_attr_llvm_global_linkage(ctx, LinkageAttr::InternalLinkage);
        }
        let loc = op.deref(ctx).loc().clone();
        lowered.get_operation().deref_mut(ctx).set_loc(loc);
        self.add(lowered.get_operation());
        Ok(())
    }

    /// A constant text; gives its symbol.
    pub fn text(&mut self, text: &str) -> Identifier {
        if let Some(name) = self.texts.get(text) {
            return name.clone();
        }
        let ctx = &mut *self.ctx;
        let name = Identifier::try_new(format!("__oxide_text_{}", self.texts.len()))
            .expect("letters, digits and underscores");
        let bytes = BytesAttr::new(text.as_bytes().to_vec());
        let ty = bytes.get_type(ctx);
        let global = LlvmGlobal::new(ctx, name.clone(), ty);
        global.set_initializer_value(ctx, Box::new(bytes));
        global.set_address_space(ctx, 1);
        global.set_constant(ctx, true);
        global.set_alignment(ctx, 1);
        global.set_attr_llvm_global_linkage(ctx, LinkageAttr::InternalLinkage);
        self.add(global.get_operation());
        self.texts.insert(text.to_string(), name.clone());
        name
    }

    /// The block's dynamic shared memory; gives its symbol.
    pub fn dynamic_shared(&mut self) -> Identifier {
        let name = identifier(dialect_nvvm::expand::DYNAMIC_SHARED.0).expect("it is one");
        if self.globals.contains_key(name.as_ref()) {
            return name;
        }
        self.globals.insert(name.to_string(), 3);
        let ty = types::bytes(self.ctx, 0);
        let global = LlvmGlobal::new(self.ctx, name.clone(), ty);
        global.set_address_space(self.ctx, 3);
        // The alignment of the declaration in dialect-nvvm, which may be in the same module.
        global.set_alignment(self.ctx, 128);
        self.add(global.get_operation());
        name
    }

    /// A function that the runtime has, declared once; `false` if it is known with another type.
    pub fn runtime(
        &mut self,
        name: &str,
        ty: TypedHandle<FuncType>,
        noreturn: bool,
    ) -> Result<bool> {
        if let Some(known) = self.functions.get(name) {
            return Ok(known.ty == ty);
        }
        let symbol = identifier(name)?;
        let func = LlvmFunc::new(self.ctx, symbol, ty);
        let mut attrs = LlvmAttributesAttr::new();
        attrs.set("nounwind", LlvmAttrValue::Unit);
        if noreturn {
            attrs.set("cold", LlvmAttrValue::Unit);
            attrs.set("noreturn", LlvmAttrValue::Unit);
        }
        func.set_attr_llvm_func_attrs(self.ctx, attrs);
        self.add(func.get_operation());
        self.functions.insert(
            name.to_string(),
            Callee {
                ty,
                arguments: vec![],
            },
        );
        Ok(true)
    }
}

/// A symbol's identifier.
pub(crate) fn identifier(name: &str) -> Result<Identifier> {
    Identifier::try_new(name.to_string()).map_err(|_| LowerError::Symbol(name.to_string()))
}

/// Bytes, or bytes and addresses, as a constant.
fn initializer(
    ctx: &mut Context,
    op: Ptr<Operation>,
    data: &GlobalAttr,
    globals: &HashMap<String, u32>,
) -> Result<AttrObj> {
    if data.addrspace == 3 {
        // Shared memory has no contents at launch.
        return Ok(Box::new(PoisonAttr(types::bytes(ctx, data.size))));
    }
    let bytes = match data.bytes() {
        Some(bytes) => bytes,
        None if data.relocations.is_empty() => {
            return Ok(Box::new(ZeroAttr(types::bytes(ctx, data.size))));
        }
        None => vec![0; data.size as usize],
    };
    if data.relocations.is_empty() {
        return Ok(Box::new(BytesAttr::new(bytes)));
    }
    let mut bytes = bytes;
    // NVPTX writes addresses as words, so the global is whole words; what is added is never read.
    bytes.resize(bytes.len().next_multiple_of(8), 0);
    let mut relocations = data.relocations.clone();
    relocations.sort_by_key(|relocation| relocation.offset);
    let mut elements: Vec<Box<dyn TypedAttrInterface>> = Vec::new();
    let mut at = 0usize;
    for relocation in relocations {
        let offset = relocation.offset as usize;
        if offset < at || offset + 8 > bytes.len() {
            return Err(op_error(
                ctx,
                op,
                "relocations do not overlap and lie inside the bytes",
            ));
        }
        if offset > at {
            elements.push(Box::new(BytesAttr::new(bytes[at..offset].to_vec())));
        }
        elements.push(Box::new(SymbolOffsetAttr {
            symbol: identifier(&relocation.symbol)?,
            address_space: globals.get(&relocation.symbol).copied().unwrap_or(0),
            addend: relocation.addend,
        }));
        at = offset + 8;
    }
    if at < bytes.len() {
        elements.push(Box::new(BytesAttr::new(bytes[at..].to_vec())));
    }
    let fields = elements.iter().map(|e| e.get_type(ctx)).collect();
    let ty = StructType::get_unnamed(ctx, (fields, StructLayout::Packed));
    Ok(Box::new(AggregateAttr::new(elements, ty.into())))
}
