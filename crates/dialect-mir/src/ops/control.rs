//! Control flow (5), and our additions `mir.switch`, `mir.panic`.
//!
//! Operands after the fixed ones are arguments of the successors' blocks; segments say which belong to which.

use std::ops::Range;

use pliron::{
    basic_block::BasicBlock,
    builtin::{
        attr_interfaces::TypedAttrInterface,
        attributes::{BoolAttr, IntegerAttr},
        op_interfaces::{BranchOpInterface, IsTerminatorInterface, OperandSegmentInterface},
    },
    common_traits::Verify,
    context::{Context, Ptr},
    derive::{op_interface_impl, pliron_op},
    op::Op,
    operation::Operation,
    result::Result,
    r#type::Typed,
    value::Value,
};

use super::{Check, FuncOp};
use crate::{
    attributes::{self, CASES, CasesAttr, EXPECTED, PANIC, PanicSiteAttr},
    errors::MirVerifyErr,
    types::int_width,
};

/// Implements the branch interfaces for an operation whose segments are `$first` fixed ones, then one a successor.
macro_rules! branch {
    ($name:ident, fixed: $first:literal) => {
        #[op_interface_impl]
        impl OperandSegmentInterface for $name {
            fn expected_num_segments(&self, ctx: &Context) -> Option<usize> {
                Some($first + self.get_operation().deref(ctx).get_num_successors())
            }
        }

        #[op_interface_impl]
        impl BranchOpInterface for $name {
            fn verify_successor_operand_layout(&self, ctx: &Context) -> Result<()> {
                <Self as OperandSegmentInterface>::verify(self, ctx)
            }

            fn successor_operand_range(&self, ctx: &Context, succ_idx: usize) -> Range<usize> {
                self.segment_range(ctx, succ_idx + $first)
            }

            fn add_successor_operand(
                &self,
                ctx: &mut Context,
                succ_idx: usize,
                operand: Value,
            ) -> usize {
                self.push_to_segment(ctx, succ_idx + $first, operand)
            }

            fn remove_successor_operand(
                &self,
                ctx: &mut Context,
                succ_idx: usize,
                arg_idx: usize,
            ) -> Value {
                self.remove_from_segment(ctx, succ_idx + $first, arg_idx)
            }
        }

        impl $name {
            fn build(
                ctx: &mut Context,
                segments: Vec<Vec<Value>>,
                successors: Vec<Ptr<BasicBlock>>,
            ) -> Self {
                let (operands, sizes) = Self::compute_segment_sizes(segments);
                let op = Operation::new(
                    ctx,
                    Self::get_concrete_op_info(),
                    vec![],
                    operands,
                    successors,
                    0,
                );
                let op = $name { op };
                op.set_operand_segment_sizes(ctx, sizes);
                op
            }
        }
    };
}

fn branch_shape(c: &Check, successors: usize) -> Result<()> {
    let op = c.op.deref(c.ctx);
    let (r, s) = (op.get_num_results(), op.get_num_successors());
    drop(op);
    c.ensure(
        r == 0,
        MirVerifyErr::ResultCount {
            expected: 0,
            found: r,
        },
    )?;
    c.ensure(
        s == successors,
        MirVerifyErr::SuccessorCount {
            expected: successors,
            found: s,
        },
    )
}

/// Jump. Operands: the block's arguments.
#[pliron_op(name = "mir.goto", format, interfaces = [IsTerminatorInterface])]
pub struct GotoOp;
branch!(GotoOp, fixed: 0);

impl GotoOp {
    /// To `dest`.
    pub fn new(ctx: &mut Context, dest: Ptr<BasicBlock>, args: Vec<Value>) -> Self {
        Self::build(ctx, vec![args], vec![dest])
    }
}

impl Verify for GotoOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        branch_shape(
            &Check {
                ctx,
                op: self.get_operation(),
            },
            1,
        )
    }
}

/// Branch on an `i1`: to the first successor if true, else to the second.
///
/// Operands: the condition, arguments of the first, arguments of the second.
#[pliron_op(name = "mir.cond_br", format, interfaces = [IsTerminatorInterface])]
pub struct CondBrOp;
branch!(CondBrOp, fixed: 1);

impl CondBrOp {
    /// `condition ? yes : no`.
    pub fn new(
        ctx: &mut Context,
        condition: Value,
        yes: (Ptr<BasicBlock>, Vec<Value>),
        no: (Ptr<BasicBlock>, Vec<Value>),
    ) -> Self {
        Self::build(ctx, vec![vec![condition], yes.1, no.1], vec![yes.0, no.0])
    }
}

fn check_condition(c: &Check, segment: u32) -> Result<()> {
    c.ensure(
        segment == 1,
        MirVerifyErr::OperandCount {
            expected: 1,
            found: segment as usize,
        },
    )?;
    c.ensure(
        int_width(c.ctx, c.operand(0)) == Some(1),
        MirVerifyErr::OperandType(0, "i1"),
    )
}

impl Verify for CondBrOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        branch_shape(&c, 2)?;
        <Self as OperandSegmentInterface>::verify(self, ctx)?;
        check_condition(&c, self.segment_size(ctx, 0))
    }
}

/// *Ours.* Branch on an integer: to the successor of the case with its value, else to the first successor.
///
/// Operands: the integer, arguments of the default, arguments of each case. Attribute `mir_cases`: the values, all
/// different.
#[pliron_op(name = "mir.switch", format, interfaces = [IsTerminatorInterface])]
pub struct SwitchOp;
branch!(SwitchOp, fixed: 1);

impl SwitchOp {
    /// No arguments yet: mem2reg adds them.
    pub fn new(
        ctx: &mut Context,
        value: Value,
        default: Ptr<BasicBlock>,
        cases: Vec<(IntegerAttr, Ptr<BasicBlock>)>,
    ) -> Self {
        let mut segments = vec![vec![value], vec![]];
        let mut successors = vec![default];
        let mut values = vec![];
        for (v, dest) in cases {
            segments.push(vec![]);
            successors.push(dest);
            values.push(v);
        }
        let op = Self::build(ctx, segments, successors);
        attributes::set(ctx, op.get_operation(), &CASES, CasesAttr(values));
        op
    }

    /// Case values, for successors 1 and on.
    pub fn cases(&self, ctx: &Context) -> Vec<IntegerAttr> {
        attributes::get::<CasesAttr>(ctx, self.get_operation(), &CASES)
            .map(|c| c.0)
            .unwrap_or_default()
    }
}

impl Verify for SwitchOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        let cases: CasesAttr = c.attr(&CASES, "mir_cases")?;
        branch_shape(&c, cases.0.len() + 1)?;
        <Self as OperandSegmentInterface>::verify(self, ctx)?;
        let n = self.segment_size(ctx, 0);
        c.ensure(
            n == 1,
            MirVerifyErr::OperandCount {
                expected: 1,
                found: n as usize,
            },
        )?;
        c.ensure(
            int_width(ctx, c.operand(0)).is_some(),
            MirVerifyErr::OperandType(0, "an integer"),
        )?;
        let same = cases
            .0
            .iter()
            .all(|v| TypedAttrInterface::get_type(v, ctx) == c.operand(0));
        c.ensure(same, MirVerifyErr::SwitchCaseType)
    }
}

/// Return from the function. Operand: the result, if the function has one.
#[pliron_op(name = "mir.return", format, interfaces = [IsTerminatorInterface])]
pub struct ReturnOp;

impl ReturnOp {
    /// With `value`.
    pub fn new(ctx: &mut Context, value: Option<Value>) -> Self {
        let operands = value.into_iter().collect();
        ReturnOp {
            op: Operation::new(
                ctx,
                Self::get_concrete_op_info(),
                vec![],
                operands,
                vec![],
                0,
            ),
        }
    }

    /// The result.
    pub fn value(&self, ctx: &Context) -> Option<Value> {
        self.get_operation().deref(ctx).operands().next()
    }
}

impl Verify for ReturnOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        branch_shape(&c, 0)?;
        let parent = self.get_operation().deref(ctx).get_parent_op(ctx);
        let Some(func) = parent.and_then(|p| Operation::get_op::<FuncOp>(p, ctx)) else {
            return Ok(());
        };
        let found: Vec<_> = self
            .get_operation()
            .deref(ctx)
            .operands()
            .map(|v| v.get_type(ctx))
            .collect();
        c.ensure(
            found == func.result_types(ctx),
            MirVerifyErr::ReturnMismatch,
        )
    }
}

/// Go on if an `i1` has the value `mir_expected`, else panic.
///
/// Operands: the condition, arguments of the message (`i64`, at most 6), arguments of the successor. One successor.
/// Attributes: `mir_expected`, `mir_panic`.
#[pliron_op(name = "mir.assert", format, interfaces = [IsTerminatorInterface])]
pub struct AssertOp;
branch!(AssertOp, fixed: 2);

impl AssertOp {
    /// To `dest` if `condition == expected`.
    pub fn new(
        ctx: &mut Context,
        condition: Value,
        expected: bool,
        site: PanicSiteAttr,
        args: Vec<Value>,
        dest: Ptr<BasicBlock>,
    ) -> Self {
        let op = Self::build(ctx, vec![vec![condition], args, vec![]], vec![dest]);
        attributes::set(ctx, op.get_operation(), &EXPECTED, BoolAttr::new(expected));
        attributes::set(ctx, op.get_operation(), &PANIC, site);
        op
    }

    /// The value with which it goes on.
    pub fn expected(&self, ctx: &Context) -> bool {
        attributes::get::<BoolAttr>(ctx, self.get_operation(), &EXPECTED).is_none_or(bool::from)
    }

    /// Message and place.
    pub fn site(&self, ctx: &Context) -> Option<PanicSiteAttr> {
        attributes::get(ctx, self.get_operation(), &PANIC)
    }

    /// Arguments of the message.
    pub fn message_args(&self, ctx: &Context) -> Vec<Value> {
        self.get_segment(ctx, 1)
    }
}

fn check_panic_args(c: &Check, range: Range<usize>) -> Result<()> {
    let ok = range.len() <= 6
        && range
            .clone()
            .all(|i| int_width(c.ctx, c.operand(i)) == Some(64));
    c.ensure(ok, MirVerifyErr::PanicArguments)
}

impl Verify for AssertOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        branch_shape(&c, 1)?;
        <Self as OperandSegmentInterface>::verify(self, ctx)?;
        check_condition(&c, self.segment_size(ctx, 0))?;
        check_panic_args(&c, self.segment_range(ctx, 1))?;
        let _: BoolAttr = c.attr(&EXPECTED, "mir_expected")?;
        c.attr::<PanicSiteAttr>(&PANIC, "mir_panic").map(|_| ())
    }
}

/// This point is never reached. No operand.
#[pliron_op(name = "mir.unreachable", format, interfaces = [IsTerminatorInterface])]
pub struct UnreachableOp;

impl UnreachableOp {
    /// Never reached.
    pub fn new(ctx: &mut Context) -> Self {
        UnreachableOp {
            op: Operation::new(ctx, Self::get_concrete_op_info(), vec![], vec![], vec![], 0),
        }
    }
}

impl Verify for UnreachableOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        Check {
            ctx,
            op: self.get_operation(),
        }
        .shape(0, 0)
    }
}

/// *Ours.* Report a panic and stop the thread. Operands: arguments of the message (`i64`, at most 6). Attribute
/// `mir_panic`. A terminator.
#[pliron_op(name = "mir.panic", format, interfaces = [IsTerminatorInterface])]
pub struct PanicOp;

impl PanicOp {
    /// With the message of `site`.
    pub fn new(ctx: &mut Context, site: PanicSiteAttr, args: Vec<Value>) -> Self {
        let op = Operation::new(ctx, Self::get_concrete_op_info(), vec![], args, vec![], 0);
        attributes::set(ctx, op, &PANIC, site);
        PanicOp { op }
    }

    /// Message and place.
    pub fn site(&self, ctx: &Context) -> Option<PanicSiteAttr> {
        attributes::get(ctx, self.get_operation(), &PANIC)
    }
}

impl Verify for PanicOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        branch_shape(&c, 0)?;
        let n = self.get_operation().deref(ctx).get_num_operands();
        check_panic_args(&c, 0..n)?;
        c.attr::<PanicSiteAttr>(&PANIC, "mir_panic").map(|_| ())
    }
}
