//! `mem2reg`'s interfaces: an alloca of a scalar or wide pointer becomes SSA values if every use of its address is a plain
//! load or store of exactly that type, or a storage marker.

use pliron::{
    arg_err,
    context::Context,
    derive::op_interface_impl,
    irbuild::{inserter::Inserter, rewriter::Rewriter},
    op::Op,
    opts::mem2reg::{
        AllocInfo, PromotableAllocationInterface, PromotableOpInterface, PromotableOpKind,
    },
    result::Result,
    r#type::Typed,
    value::Value,
};
use thiserror::Error;

use crate::{
    ops::{
        AllocaOp, LoadOp, StorageDeadOp, StorageLiveOp, StoreOp, UndefOp, elem_type, is_volatile,
    },
    types::is_scalar_like,
};

/// `mem2reg` asked about an allocation that the operation does not use.
#[derive(Debug, Error)]
#[error("the allocation is not one that this operation uses")]
pub struct UnrelatedAllocation;

#[op_interface_impl]
impl PromotableAllocationInterface for AllocaOp {
    fn alloc_info(&self, ctx: &Context) -> Vec<AllocInfo> {
        match elem_type(ctx, self.get_operation()) {
            Some(ty) if is_scalar_like(ctx, ty) => vec![AllocInfo {
                ptr: self.result(ctx),
                ty,
            }],
            _ => vec![],
        }
    }

    fn default_value(
        &self,
        ctx: &mut Context,
        inserter: &mut dyn Inserter,
        info: &AllocInfo,
    ) -> Result<Value> {
        let undef = UndefOp::new(ctx, info.ty);
        inserter.insert_op(ctx, &undef);
        Ok(undef.result(ctx))
    }

    fn promote(
        &self,
        ctx: &mut Context,
        rewriter: &mut dyn Rewriter,
        infos: &[AllocInfo],
    ) -> Result<()> {
        if infos.len() != 1 || infos[0].ptr != self.result(ctx) {
            return arg_err!(self.loc(ctx), UnrelatedAllocation);
        }
        rewriter.erase_operation(ctx, self.get_operation());
        Ok(())
    }
}

#[op_interface_impl]
impl PromotableOpInterface for LoadOp {
    fn promotion_kind(&self, ctx: &Context, info: &AllocInfo) -> PromotableOpKind {
        let same = self.operand(ctx, 0) == info.ptr && self.result(ctx).get_type(ctx) == info.ty;
        if same && !is_volatile(ctx, self.get_operation()) {
            PromotableOpKind::Load
        } else {
            PromotableOpKind::NonPromotableUse
        }
    }

    fn promote(
        &self,
        ctx: &mut Context,
        defs: &[(AllocInfo, Value)],
        rewriter: &mut dyn Rewriter,
    ) -> Result<()> {
        let [(_, value)] = defs else {
            return arg_err!(self.loc(ctx), UnrelatedAllocation);
        };
        rewriter.replace_operation_with_values(ctx, self.get_operation(), vec![*value]);
        Ok(())
    }
}

#[op_interface_impl]
impl PromotableOpInterface for StoreOp {
    fn promotion_kind(&self, ctx: &Context, info: &AllocInfo) -> PromotableOpKind {
        let value = self.operand(ctx, 0);
        let same =
            self.operand(ctx, 1) == info.ptr && value != info.ptr && value.get_type(ctx) == info.ty;
        if same && !is_volatile(ctx, self.get_operation()) {
            PromotableOpKind::Store(value)
        } else {
            PromotableOpKind::NonPromotableUse
        }
    }

    fn promote(
        &self,
        ctx: &mut Context,
        defs: &[(AllocInfo, Value)],
        rewriter: &mut dyn Rewriter,
    ) -> Result<()> {
        if defs.len() != 1 {
            return arg_err!(self.loc(ctx), UnrelatedAllocation);
        }
        rewriter.erase_operation(ctx, self.get_operation());
        Ok(())
    }
}

macro_rules! storage_marker {
    ($name:ident) => {
        #[op_interface_impl]
        impl PromotableOpInterface for $name {
            fn promotion_kind(&self, ctx: &Context, info: &AllocInfo) -> PromotableOpKind {
                if self.operand(ctx, 0) == info.ptr {
                    PromotableOpKind::EliminatableUse
                } else {
                    PromotableOpKind::NonPromotableUse
                }
            }

            fn promote(
                &self,
                ctx: &mut Context,
                _defs: &[(AllocInfo, Value)],
                rewriter: &mut dyn Rewriter,
            ) -> Result<()> {
                rewriter.erase_operation(ctx, self.get_operation());
                Ok(())
            }
        }
    };
}

storage_marker!(StorageLiveOp);
storage_marker!(StorageDeadOp);
