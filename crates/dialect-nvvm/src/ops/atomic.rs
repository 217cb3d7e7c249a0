//! Atomic loads, stores, read-modify-writes and compare-exchanges: four operations with an attribute each.

use crate::{
    atomic::{ATTR_KEY_NVVM_ATOMIC, Atomic, AtomicAttr, AtomicKind},
    ops::{NvvmOpVerifyErr, verify_prototype},
    table::{Effects, MinimumSm, Module, Spec, Ty},
};
use pliron::{
    builtin::attributes::StringAttr,
    common_traits::Verify,
    context::{Context, Ptr},
    derive::{op_interface_impl, pliron_op},
    op::Op,
    operation::Operation,
    opts::dce::SideEffects,
    result::Result,
    value::Value,
    verify_err,
};

macro_rules! atomic_ops {
    ($($struct:ident $name:literal $ptx:literal;)*) => {
        /// The rows of this module. Operands and result depend on the attribute: [`Atomic::operands`].
        pub const SPECS: &[Spec] = &[$(
            Spec {
                name: $name,
                module: Module::Atomic,
                document: true,
                minimum_sm: MinimumSm::Sm(70),
                operands: &[],
                result: None,
                effects: Effects::Memory,
                convergent: false,
                body: "",
                ptx: $ptx,
                info: <$struct as Op>::get_concrete_op_info,
            },
        )*];
        $(
            #[doc = concat!("`", $name, "`, with what it does in the attribute `nvvm_atomic`.")]
            #[pliron_op(name = $name, format)]
            pub struct $struct;

            impl Verify for $struct {
                fn verify(&self, ctx: &Context) -> Result<()> {
                    verify_atomic(self, ctx, $name)
                }
            }

            #[op_interface_impl]
            impl SideEffects for $struct {
                fn has_side_effects(&self, _ctx: &Context) -> bool {
                    true
                }
            }
        )*
    };
}

atomic_ops! {
    AtomicLoadOp "nvvm.atomic_load" "ld.";
    AtomicStoreOp "nvvm.atomic_store" "st.";
    AtomicRmwOp "nvvm.atomic_rmw" "atom.";
    AtomicCmpxchgOp "nvvm.atomic_cmpxchg" "atom.";
}

impl Atomic {
    /// The row of the operation that does this.
    pub fn spec(&self) -> &'static Spec {
        &SPECS[match self.kind {
            AtomicKind::Load => 0,
            AtomicKind::Store => 1,
            AtomicKind::Rmw(_) => 2,
            AtomicKind::Cmpxchg => 3,
        }]
    }

    /// Creates the operation that does this.
    pub fn build(&self, ctx: &mut Context, operands: Vec<Value>) -> Ptr<Operation> {
        let results = self
            .result()
            .map(|ty: Ty| ty.get(ctx))
            .into_iter()
            .collect();
        let op = Operation::new(ctx, (self.spec().info)(), results, operands, vec![], 0);
        op.deref_mut(ctx)
            .attributes
            .set(ATTR_KEY_NVVM_ATOMIC.clone(), StringAttr::new(self.op()));
        op
    }

    /// What an operation of this module does.
    pub fn of(ctx: &Context, op: Ptr<Operation>) -> Option<Atomic> {
        let op = op.deref(ctx);
        let attr: &AtomicAttr = op.attributes.get(&ATTR_KEY_NVVM_ATOMIC)?;
        Atomic::parse(attr.as_str())
    }
}

fn verify_atomic(op: &dyn Op, ctx: &Context, name: &'static str) -> Result<()> {
    let loc = op.loc(ctx);
    let operation = op.get_operation();
    let text = operation
        .deref(ctx)
        .attributes
        .get::<AtomicAttr>(&ATTR_KEY_NVVM_ATOMIC)
        .map(|attr| attr.as_str().to_string());
    let Some(text) = text else {
        return verify_err!(loc, NvvmOpVerifyErr::NoAtomic { op: name });
    };
    match Atomic::parse(&text) {
        Some(atomic) if atomic.spec().name == name => {
            verify_prototype(op, ctx, name, atomic.operands(), atomic.result())
        }
        _ => verify_err!(
            loc,
            NvvmOpVerifyErr::WrongAtomic {
                op: name,
                found: text
            }
        ),
    }
}
