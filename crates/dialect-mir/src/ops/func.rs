//! Functions (1), calls (1), and our additions: indirect calls, globals, inline PTX.

use pliron::{
    basic_block::BasicBlock,
    builtin::{
        attr_interfaces::TypedAttrInterface,
        attributes::{StringAttr, TypeAttr, UnitAttr},
        op_interfaces::{
            AtMostNRegionsInterface, AtMostOneRegionInterface, IsolatedFromAboveInterface,
            NOpdsInterface, NResultsInterface, SymbolOpInterface,
        },
        type_interfaces::FunctionTypeInterface,
        types::FunctionType,
    },
    common_traits::Verify,
    context::{Context, Ptr},
    derive::pliron_op,
    identifier::Identifier,
    linked_list::ContainsLinkedList,
    op::Op,
    operation::Operation,
    result::Result,
    r#type::{TypeHandle, Typed, TypedHandle},
    value::Value,
};

use super::{Check, mir_op};
use crate::{
    attributes::{
        self, FUNC_TYPE, GLOBAL, GlobalAttr, KERNEL, PARAMS, PTX_ASM, Param, ParamsAttr,
        PtxAsmAttr, SYMBOL,
    },
    errors::MirVerifyErr,
};

/// A function; without a region, the declaration of one that another module defines.
///
/// Attributes: `mir_func_type` (a `builtin.function`; at most one result: a scalar or a wide pointer; a `mir.slice`
/// stands for two parameters, pointer and `i64`), `mir_params` (one entry for each argument of the type), `mir_kernel`,
/// `mir_launch_bounds`, `mir_inline`, `mir_rust_name`.
///
/// Aggregates are passed by address (`Param::byval` in a kernel) and returned through an `sret` parameter; zero-sized
/// values are not passed.
#[pliron_op(
    name = "mir.func",
    format,
    interfaces = [
        SymbolOpInterface,
        IsolatedFromAboveInterface,
        AtMostNRegionsInterface<1>,
        AtMostOneRegionInterface,
        NResultsInterface<0>,
        NOpdsInterface<0>
    ]
)]
pub struct FuncOp;

impl FuncOp {
    /// A declaration. [`FuncOp::create_entry`] makes it a definition.
    pub fn new(
        ctx: &mut Context,
        name: Identifier,
        ty: TypedHandle<FunctionType>,
        params: Vec<Param>,
    ) -> Self {
        let op = Operation::new(ctx, Self::get_concrete_op_info(), vec![], vec![], vec![], 0);
        let func = FuncOp { op };
        func.set_symbol_name(ctx, name);
        attributes::set(ctx, op, &FUNC_TYPE, TypeAttr::new(ty.into()));
        attributes::set(ctx, op, &PARAMS, ParamsAttr(params));
        func
    }

    /// Adds the region with an entry block whose arguments are the function's.
    pub fn create_entry(&self, ctx: &mut Context) -> Ptr<BasicBlock> {
        let args = self.arg_types(ctx);
        let region = Operation::add_region(self.get_operation(), ctx);
        let entry = BasicBlock::new(ctx, Identifier::try_new("entry".to_string()).ok(), args);
        entry.insert_at_front(region, ctx);
        entry
    }

    /// The first block, if the function is defined here.
    pub fn entry(&self, ctx: &Context) -> Option<Ptr<BasicBlock>> {
        self.get_region(ctx).and_then(|r| r.deref(ctx).get_head())
    }

    fn func_type(&self, ctx: &Context) -> Option<TypedHandle<FunctionType>> {
        let attr = attributes::get::<TypeAttr>(ctx, self.get_operation(), &FUNC_TYPE)?;
        TypedHandle::from_handle(TypedAttrInterface::get_type(&attr, ctx), ctx).ok()
    }

    /// Types of the arguments.
    pub fn arg_types(&self, ctx: &Context) -> Vec<TypeHandle> {
        self.func_type(ctx)
            .map(|t| t.deref(ctx).arg_types())
            .unwrap_or_default()
    }

    /// None or one.
    pub fn result_types(&self, ctx: &Context) -> Vec<TypeHandle> {
        self.func_type(ctx)
            .map(|t| t.deref(ctx).res_types())
            .unwrap_or_default()
    }

    /// What is known of each argument.
    pub fn params(&self, ctx: &Context) -> Vec<Param> {
        attributes::get::<ParamsAttr>(ctx, self.get_operation(), &PARAMS)
            .map(|p| p.0)
            .unwrap_or_default()
    }

    /// Is it a kernel?
    pub fn is_kernel(&self, ctx: &Context) -> bool {
        attributes::get::<UnitAttr>(ctx, self.get_operation(), &KERNEL).is_some()
    }

    /// Make it a kernel.
    pub fn set_kernel(&self, ctx: &Context) {
        attributes::set(ctx, self.get_operation(), &KERNEL, UnitAttr::new());
    }
}

impl Verify for FuncOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        if self.func_type(ctx).is_none() {
            return c.fail(MirVerifyErr::MissingAttribute("mir_func_type"));
        }
        let (args, results) = (self.arg_types(ctx), self.result_types(ctx));
        c.ensure(
            results.len() <= 1,
            MirVerifyErr::ResultCount {
                expected: 1,
                found: results.len(),
            },
        )?;
        let params: ParamsAttr = c.attr(&PARAMS, "mir_params")?;
        c.ensure(
            params.0.len() == args.len(),
            MirVerifyErr::ParamsMismatch(params.0.len(), args.len()),
        )?;
        if let Some(entry) = self.entry(ctx) {
            let found: Vec<_> = entry
                .deref(ctx)
                .arguments()
                .map(|a| a.get_type(ctx))
                .collect();
            c.ensure(found == args, MirVerifyErr::EntryMismatch)?;
        }
        Ok(())
    }
}

#[pliron::derive::op_interface_impl]
impl pliron::opts::dce::BlockArgRemoval for FuncOp {
    fn can_remove_block_args(&self, ctx: &Context, block: Ptr<BasicBlock>) -> bool {
        self.entry(ctx) != Some(block)
    }
}

mir_op!(
    /// Call the function `mir_symbol`: a `mir.func` of the module, or a device intrinsic `__nvvm_…` or runtime function
    /// `__oxide_…`, which have no `mir.func`.
    ///
    /// Operands: the arguments, as the function's type has them. None or one result.
    CallOp = "mir.call"
);

impl CallOp {
    /// Call `symbol`.
    pub fn new(
        ctx: &mut Context,
        symbol: &str,
        args: Vec<Value>,
        result: Option<TypeHandle>,
    ) -> Self {
        let op = Self::build(ctx, result.into_iter().collect(), args);
        attributes::set(
            ctx,
            op.get_operation(),
            &SYMBOL,
            StringAttr::new(symbol.to_string()),
        );
        op
    }

    /// Who is called.
    pub fn symbol(&self, ctx: &Context) -> String {
        attributes::get::<StringAttr>(ctx, self.get_operation(), &SYMBOL)
            .map(String::from)
            .unwrap_or_default()
    }
}

fn check_call_results(c: &Check) -> Result<()> {
    let n = c.op.deref(c.ctx).get_num_results();
    c.ensure(
        n <= 1,
        MirVerifyErr::ResultCount {
            expected: 1,
            found: n,
        },
    )
}

impl Verify for CallOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        let _: StringAttr = c.attr(&SYMBOL, "mir_symbol")?;
        check_call_results(&c)
    }
}

mir_op!(
    /// *Ours.* Call through a function pointer.
    ///
    /// Operands: the pointer, the arguments. None or one result.
    CallIndirectOp = "mir.call_indirect"
);

impl CallIndirectOp {
    /// Call `callee`.
    pub fn new(
        ctx: &mut Context,
        callee: Value,
        args: Vec<Value>,
        result: Option<TypeHandle>,
    ) -> Self {
        let operands = std::iter::once(callee).chain(args).collect();
        Self::build(ctx, result.into_iter().collect(), operands)
    }
}

impl Verify for CallIndirectOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        let n = self.get_operation().deref(ctx).get_num_operands();
        c.ensure(
            n > 0,
            MirVerifyErr::OperandCount {
                expected: 1,
                found: n,
            },
        )?;
        c.ptr(0)?;
        check_call_results(&c)
    }
}

/// *Ours.* A static, constant or promoted of the module, in the address space that [`GlobalAttr`] says.
#[pliron_op(
    name = "mir.global",
    format,
    interfaces = [SymbolOpInterface, NResultsInterface<0>, NOpdsInterface<0>]
)]
pub struct GlobalOp;

impl GlobalOp {
    /// Named `name`.
    pub fn new(ctx: &mut Context, name: Identifier, data: GlobalAttr) -> Self {
        let op = Operation::new(ctx, Self::get_concrete_op_info(), vec![], vec![], vec![], 0);
        let global = GlobalOp { op };
        global.set_symbol_name(ctx, name);
        attributes::set(ctx, op, &GLOBAL, data);
        global
    }

    /// Bytes, relocations, place.
    pub fn data(&self, ctx: &Context) -> Option<GlobalAttr> {
        attributes::get(ctx, self.get_operation(), &GLOBAL)
    }
}

impl Verify for GlobalOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        let data: GlobalAttr = c.attr(&GLOBAL, "mir_global")?;
        c.ensure(
            data.hex.is_empty() || data.bytes().is_some_and(|b| b.len() as u64 == data.size),
            MirVerifyErr::Layout("as many bytes as the size says"),
        )?;
        c.ensure(
            data.align.is_power_of_two(),
            MirVerifyErr::Layout("the alignment is a power of two"),
        )?;
        let inside = data.relocations.iter().all(|r| r.offset + 8 <= data.size);
        c.ensure(
            inside,
            MirVerifyErr::Layout("a relocation lies inside the bytes"),
        )?;
        c.ensure(
            matches!(data.addrspace, 1 | 3 | 4),
            MirVerifyErr::Layout("a global is in global, shared or constant memory"),
        )
    }
}

mir_op!(
    /// *Ours.* Inline PTX. Operands: the inputs. Results: the outputs. Attribute `mir_ptx_asm`.
    PtxAsmOp = "mir.ptx_asm"
);

impl PtxAsmOp {
    /// With outputs of types `results`.
    pub fn new(
        ctx: &mut Context,
        asm: PtxAsmAttr,
        inputs: Vec<Value>,
        results: Vec<TypeHandle>,
    ) -> Self {
        let op = Self::build(ctx, results, inputs);
        attributes::set(ctx, op.get_operation(), &PTX_ASM, asm);
        op
    }
}

impl Verify for PtxAsmOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.attr::<PtxAsmAttr>(&PTX_ASM, "mir_ptx_asm").map(|_| ())
    }
}
