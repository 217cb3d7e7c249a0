//! From a name to a row.

use crate::{
    atomic::Atomic,
    table::{MinimumSm, Spec, Ty, specs},
};
use pliron::{
    context::{Context, Ptr},
    operation::Operation,
    value::Value,
};
use std::{collections::HashMap, sync::OnceLock};

/// What a device function stands for.
#[derive(Clone, Copy, Debug)]
pub enum Resolved {
    Op(&'static Spec),
    Atomic(Atomic),
}

impl Resolved {
    /// The row.
    pub fn spec(&self) -> &'static Spec {
        match self {
            Resolved::Op(spec) => spec,
            Resolved::Atomic(atomic) => atomic.spec(),
        }
    }

    /// Types of the operands, in order: also those of the device function.
    pub fn operands(&self) -> &'static [Ty] {
        match self {
            Resolved::Op(spec) => spec.operands,
            Resolved::Atomic(atomic) => atomic.operands(),
        }
    }

    /// Type of the result, if there is one.
    pub fn result(&self) -> Option<Ty> {
        match self {
            Resolved::Op(spec) => spec.result,
            Resolved::Atomic(atomic) => atomic.result(),
        }
    }

    /// The least GPU that has it.
    pub fn minimum_sm(&self) -> MinimumSm {
        match self {
            Resolved::Op(spec) => spec.minimum_sm,
            Resolved::Atomic(atomic) => atomic.minimum_sm(),
        }
    }

    /// Whether LLVM must keep it under the control flow that it stands in.
    pub fn convergent(&self) -> bool {
        self.spec().convergent
    }

    /// Name of the device function.
    pub fn extern_name(&self) -> String {
        match self {
            Resolved::Op(spec) => spec.extern_name(),
            Resolved::Atomic(atomic) => format!("__nvvm_{}", atomic.op()),
        }
    }

    /// Creates the operation.
    pub fn build(&self, ctx: &mut Context, operands: Vec<Value>) -> Ptr<Operation> {
        match self {
            Resolved::Op(spec) => crate::ops::build(ctx, spec, operands),
            Resolved::Atomic(atomic) => atomic.build(ctx, operands),
        }
    }

    /// What an operation is, or `None` if it is not a well-formed one of this dialect.
    pub fn of(ctx: &Context, op: Ptr<Operation>) -> Option<Resolved> {
        let spec = crate::ops::spec_of(ctx, op)?;
        if spec.module == crate::Module::Atomic {
            return Atomic::of(ctx, op).map(Resolved::Atomic);
        }
        Some(Resolved::Op(spec))
    }
}

/// What the device function `extern_name` (`__nvvm_barrier0`) stands for.
pub fn lookup(extern_name: &str) -> Option<Resolved> {
    let op = extern_name.strip_prefix("__nvvm_")?;
    if let Some(atomic) = Atomic::parse(op) {
        return Some(Resolved::Atomic(atomic));
    }
    let spec = by_name(&format!("nvvm.{op}"))?;
    (spec.module != crate::Module::Atomic).then_some(Resolved::Op(spec))
}

/// The row of the operation `name` (`nvvm.barrier0`).
pub(crate) fn by_name(name: &str) -> Option<&'static Spec> {
    static NAMES: OnceLock<HashMap<&'static str, &'static Spec>> = OnceLock::new();
    NAMES
        .get_or_init(|| specs().map(|spec| (spec.name, spec)).collect())
        .get(name)
        .copied()
}
