//! Inline assembly with several results.

use pliron::{
    builtin::attributes::{BoolAttr, StringAttr},
    common_traits::Verify,
    context::Context,
    derive::pliron_op,
    op::Op,
    operation::Operation,
    result::Result,
    r#type::TypeHandle,
    value::Value,
    verify_err,
};

/// Inline assembly with any number of results; LLVM's call gives them as a struct, the operation gives them apart.
///
/// | operand | |
/// |---|---|
/// | inputs | any number, in the order of the constraints |
///
/// Attributes: `llvm_asm_template` and `llvm_asm_constraints` (LLVM's syntax), `llvm_asm_side_effects`,
/// `llvm_asm_convergent`.
#[pliron_op(
    name = "llvm.inline_asm_multi",
    format,
    attributes = (
        llvm_asm_template: StringAttr,
        llvm_asm_constraints: StringAttr,
        llvm_asm_side_effects: BoolAttr,
        llvm_asm_convergent: BoolAttr
    )
)]
pub struct InlineAsmMultiOp;

/// Template, constraints and flags of inline assembly.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Asm {
    pub template: String,
    pub constraints: String,
    pub side_effects: bool,
    pub convergent: bool,
}

impl InlineAsmMultiOp {
    /// Assembly that takes `inputs` and gives values of types `results`.
    pub fn new(ctx: &mut Context, asm: Asm, inputs: Vec<Value>, results: Vec<TypeHandle>) -> Self {
        let op = Operation::new(
            ctx,
            Self::get_concrete_op_info(),
            results,
            inputs,
            vec![],
            0,
        );
        let op = Self { op };
        op.set_attr_llvm_asm_template(ctx, StringAttr::new(asm.template));
        op.set_attr_llvm_asm_constraints(ctx, StringAttr::new(asm.constraints));
        op.set_attr_llvm_asm_side_effects(ctx, BoolAttr::new(asm.side_effects));
        op.set_attr_llvm_asm_convergent(ctx, BoolAttr::new(asm.convergent));
        op
    }

    /// Template, constraints and flags; `None` if one is missing.
    pub fn asm(&self, ctx: &Context) -> Option<Asm> {
        Some(Asm {
            template: self.get_attr_llvm_asm_template(ctx)?.clone().into(),
            constraints: self.get_attr_llvm_asm_constraints(ctx)?.clone().into(),
            side_effects: self.get_attr_llvm_asm_side_effects(ctx)?.clone().into(),
            convergent: self.get_attr_llvm_asm_convergent(ctx)?.clone().into(),
        })
    }
}

/// Why an `llvm.inline_asm_multi` is wrong.
#[derive(Debug, thiserror::Error)]
pub enum InlineAsmMultiOpVerifyErr {
    #[error("template, constraints or a flag is missing")]
    MissingAttribute,
    #[error("the constraints name {constraints} outputs, but there are {results} results")]
    ResultCount { constraints: usize, results: usize },
    #[error("the constraints name {constraints} inputs, but there are {operands} operands")]
    OperandCount { constraints: usize, operands: usize },
}

impl Verify for InlineAsmMultiOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let loc = self.loc(ctx);
        let Some(asm) = self.asm(ctx) else {
            return verify_err!(loc, InlineAsmMultiOpVerifyErr::MissingAttribute);
        };
        let (mut outputs, mut inputs) = (0, 0);
        for constraint in asm.constraints.split(',').filter(|c| !c.is_empty()) {
            match constraint.as_bytes()[0] {
                b'=' => outputs += 1,
                b'~' => {}
                _ => inputs += 1,
            }
        }
        let op = self.get_operation().deref(ctx);
        let (operands, results) = (op.get_num_operands(), op.get_num_results());
        if outputs != results {
            return verify_err!(
                loc,
                InlineAsmMultiOpVerifyErr::ResultCount {
                    constraints: outputs,
                    results
                }
            );
        }
        if inputs != operands {
            return verify_err!(
                loc,
                InlineAsmMultiOpVerifyErr::OperandCount {
                    constraints: inputs,
                    operands
                }
            );
        }
        Ok(())
    }
}
