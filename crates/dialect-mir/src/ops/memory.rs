//! Memory (9), storage (2), and our additions: block copies and fills.

use pliron::{
    builtin::attr_interfaces::TypedAttrInterface,
    builtin::attributes::{BoolAttr, StringAttr, TypeAttr},
    common_traits::Verify,
    context::{Context, Ptr},
    op::Op,
    operation::Operation,
    result::Result,
    r#type::{TypeHandle, Typed},
    value::Value,
};

use super::{Check, mir_op, pure};
use crate::{
    attributes::{self, ALIGN, ELEM_TYPE, RUST_NAME, STRIDE, SYMBOL, U64Attr, VOLATILE},
    errors::MirVerifyErr,
    types::{
        self, PtrType, as_type, int_width, is_ptr, is_scalar_like, pointee_matches, size_align,
    },
};

/// `mir_align` of an access, 1 if it is not said.
pub fn alignment(ctx: &Context, op: Ptr<Operation>) -> u64 {
    attributes::get::<U64Attr>(ctx, op, &ALIGN).map_or(1, |a| a.0)
}

/// Is `mir_volatile` set?
pub fn is_volatile(ctx: &Context, op: Ptr<Operation>) -> bool {
    attributes::get::<BoolAttr>(ctx, op, &VOLATILE).is_some_and(bool::from)
}

/// The type in `mir_elem_type`.
pub fn elem_type(ctx: &Context, op: Ptr<Operation>) -> Option<TypeHandle> {
    attributes::get::<TypeAttr>(ctx, op, &ELEM_TYPE).map(|a| TypedAttrInterface::get_type(&a, ctx))
}

mir_op!(
    /// Storage of a MIR local for the life of the function call; stands in the entry block.
    ///
    /// No operand. One result: `mir.ptr` (address space 0) to `mir_elem_type`. Attributes: `mir_elem_type`, `mir_align`,
    /// optionally `mir_rust_name`.
    AllocaOp = "mir.alloca"
);
pure!(AllocaOp);

impl AllocaOp {
    /// Storage for a value of type `ty`.
    pub fn new(ctx: &mut Context, ty: TypeHandle, align: u64, name: Option<&str>) -> Self {
        let pointee = types::shallow(ctx, ty);
        let ptr = PtrType::get(ctx, pointee, true, 0);
        let op = Self::build(ctx, vec![ptr.into()], vec![]);
        attributes::set(ctx, op.get_operation(), &ELEM_TYPE, TypeAttr::new(ty));
        attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
        if let Some(name) = name {
            attributes::set(
                ctx,
                op.get_operation(),
                &RUST_NAME,
                StringAttr::new(name.to_string()),
            );
        }
        op
    }
}

impl Verify for AllocaOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(0, 1)?;
        let _: U64Attr = c.attr(&ALIGN, "mir_align")?;
        let ty: TypeAttr = c.attr(&ELEM_TYPE, "mir_elem_type")?;
        let ty = TypedAttrInterface::get_type(&ty, ctx);
        c.ensure(
            size_align(ctx, ty).is_some(),
            MirVerifyErr::Layout("a local's type has a known size"),
        )?;
        let ok = as_type::<PtrType>(ctx, c.result(0))
            .is_some_and(|p| p.addrspace == 0 && pointee_matches(ctx, p.pointee, ty));
        c.ensure(ok, MirVerifyErr::PointeeMismatch)
    }
}

mir_op!(
    /// Read a scalar or wide pointer. An `i1` is read as a byte that is 0 or 1.
    ///
    /// One operand: the address. One result: the pointee. Attributes: `mir_align`, `mir_volatile`.
    LoadOp = "mir.load"
);

impl LoadOp {
    /// Read a `ty` at `address`.
    pub fn new(ctx: &mut Context, address: Value, ty: TypeHandle, align: u64) -> Self {
        let op = Self::build(ctx, vec![ty], vec![address]);
        attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
        op
    }

    /// Make the access volatile.
    pub fn set_volatile(&self, ctx: &Context) {
        attributes::set(ctx, self.get_operation(), &VOLATILE, BoolAttr::new(true));
    }
}

#[pliron::derive::op_interface_impl]
impl pliron::opts::dce::SideEffects for LoadOp {
    fn has_side_effects(&self, ctx: &Context) -> bool {
        is_volatile(ctx, self.get_operation())
    }
}

impl Verify for LoadOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        let ptr = c.ptr(0)?;
        c.ensure(
            is_scalar_like(ctx, c.result(0)),
            MirVerifyErr::ResultType(0, "a scalar or a wide pointer"),
        )?;
        c.ensure(
            pointee_matches(ctx, ptr.pointee, c.result(0)),
            MirVerifyErr::PointeeMismatch,
        )
    }
}

mir_op!(
    /// Write a scalar or wide pointer. An `i1` is written as a byte, 0 or 1.
    ///
    /// | operand | |
    /// |---|---|
    /// | `value` | scalar or wide pointer |
    /// | `address` | pointer to that type |
    ///
    /// No result. Attributes: `mir_align`, `mir_volatile`.
    StoreOp = "mir.store"
);

impl StoreOp {
    /// Write `value` at `address`.
    pub fn new(ctx: &mut Context, value: Value, address: Value, align: u64) -> Self {
        let op = Self::build(ctx, vec![], vec![value, address]);
        attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
        op
    }

    /// Make the access volatile.
    pub fn set_volatile(&self, ctx: &Context) {
        attributes::set(ctx, self.get_operation(), &VOLATILE, BoolAttr::new(true));
    }
}

impl Verify for StoreOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 0)?;
        let ptr = c.ptr(1)?;
        c.ensure(
            is_scalar_like(ctx, c.operand(0)),
            MirVerifyErr::OperandType(0, "a scalar or a wide pointer"),
        )?;
        c.ensure(
            pointee_matches(ctx, ptr.pointee, c.operand(0)),
            MirVerifyErr::PointeeMismatch,
        )
    }
}

mir_op!(
    /// Copy a value of type `mir_elem_type` (any sized type) from one address to another: `size_of` bytes. Source and
    /// destination are the same or do not overlap.
    ///
    /// | operand | |
    /// |---|---|
    /// | `destination` | pointer |
    /// | `source` | pointer |
    ///
    /// No result. Attributes: `mir_elem_type`, `mir_align` (of both), `mir_volatile`.
    AssignOp = "mir.assign"
);

impl AssignOp {
    /// Copy a `ty`.
    pub fn new(
        ctx: &mut Context,
        destination: Value,
        source: Value,
        ty: TypeHandle,
        align: u64,
    ) -> Self {
        let op = Self::build(ctx, vec![], vec![destination, source]);
        attributes::set(ctx, op.get_operation(), &ELEM_TYPE, TypeAttr::new(ty));
        attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
        op
    }

    /// Make the access volatile.
    pub fn set_volatile(&self, ctx: &Context) {
        attributes::set(ctx, self.get_operation(), &VOLATILE, BoolAttr::new(true));
    }
}

impl Verify for AssignOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 0)?;
        c.ptr(0)?;
        c.ptr(1)?;
        let ty: TypeAttr = c.attr(&ELEM_TYPE, "mir_elem_type")?;
        let ty = TypedAttrInterface::get_type(&ty, ctx);
        c.ensure(
            size_align(ctx, ty).is_some(),
            MirVerifyErr::Layout("a copied type has a known size"),
        )
    }
}

mir_op!(
    /// A reference or raw pointer to a place: the address itself, with the result's mutability.
    ///
    /// One operand: the place's address. One result: a pointer of the same address space.
    RefOp = "mir.ref"
);
pure!(RefOp);

impl RefOp {
    /// `&place`, `&mut place` or `&raw place`.
    pub fn new(ctx: &mut Context, address: Value, ty: TypeHandle) -> Self {
        Self::build(ctx, vec![ty], vec![address])
    }
}

impl Verify for RefOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(1, 1)?;
        let from = c.ptr(0)?;
        let ok = as_type::<PtrType>(ctx, c.result(0)).is_some_and(|to| {
            to.addrspace == from.addrspace && pointee_matches(ctx, from.pointee, to.pointee)
        });
        c.ensure(ok, MirVerifyErr::PointeeMismatch)
    }
}

mir_op!(
    /// The address `index * mir_stride` bytes further (`index` is signed, of 64 bits; wrapping).
    ///
    /// | operand | |
    /// |---|---|
    /// | `pointer` | pointer |
    /// | `index` | i64 |
    ///
    /// One result of the pointer's type. `mir_nowrap`: the result is in the same allocation.
    PtrOffsetOp = "mir.ptr_offset"
);
pure!(PtrOffsetOp);

impl PtrOffsetOp {
    /// `pointer + index * stride`.
    pub fn new(
        ctx: &mut Context,
        pointer: Value,
        index: Value,
        stride: u64,
        inbounds: bool,
    ) -> Self {
        let ty = pointer.get_type(ctx);
        let op = Self::build(ctx, vec![ty], vec![pointer, index]);
        attributes::set(ctx, op.get_operation(), &STRIDE, U64Attr(stride));
        attributes::set(
            ctx,
            op.get_operation(),
            &attributes::NOWRAP,
            BoolAttr::new(inbounds),
        );
        op
    }

    /// Bytes for each step.
    pub fn stride(&self, ctx: &Context) -> u64 {
        attributes::get::<U64Attr>(ctx, self.get_operation(), &STRIDE).map_or(0, |s| s.0)
    }

    /// Is the result in the same allocation?
    pub fn inbounds(&self, ctx: &Context) -> bool {
        attributes::get::<BoolAttr>(ctx, self.get_operation(), &attributes::NOWRAP)
            .is_some_and(bool::from)
    }
}

impl Verify for PtrOffsetOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(2, 1)?;
        c.ptr(0)?;
        c.ensure(
            int_width(ctx, c.operand(1)) == Some(64),
            MirVerifyErr::OperandType(1, "i64"),
        )?;
        let _: U64Attr = c.attr(&STRIDE, "mir_stride")?;
        c.ensure(c.result(0) == c.operand(0), MirVerifyErr::ResultTypeDiffers)
    }
}

macro_rules! symbol_address {
    ($(#[$meta:meta])* $name:ident = $id:literal) => {
        mir_op!(
            $(#[$meta])*
            $name = $id
        );
        pure!($name);

        impl $name {
            /// The address of `symbol`.
            pub fn new(ctx: &mut Context, symbol: &str, ty: TypeHandle) -> Self {
                let op = Self::build(ctx, vec![ty], vec![]);
                attributes::set(ctx, op.get_operation(), &SYMBOL, StringAttr::new(symbol.to_string()));
                op
            }

            /// The symbol.
            pub fn symbol(&self, ctx: &Context) -> String {
                attributes::get::<StringAttr>(ctx, self.get_operation(), &SYMBOL).map(String::from).unwrap_or_default()
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(0, 1)?;
                let _: StringAttr = c.attr(&SYMBOL, "mir_symbol")?;
                c.ensure(is_ptr(ctx, c.result(0)), MirVerifyErr::ResultType(0, "a pointer"))
            }
        }
    };
}

symbol_address!(
    /// The address of the module's `mir.global` named `mir_symbol` that lies in global (1) or constant (4) memory.
    ///
    /// No operand, one result: a pointer of the global's address space.
    GlobalAllocOp = "mir.global_alloc"
);

symbol_address!(
    /// *Ours.* The address of the module's `mir.func` named `mir_symbol`. No operand, one result: a pointer of address
    /// space 0.
    FuncAddrOp = "mir.func_addr"
);

symbol_address!(
    /// The block's shared memory of the module's `mir.global` named `mir_symbol`, whose address space is 3. All
    /// operations of one symbol give one address.
    ///
    /// No operand, one result: a pointer of address space 3.
    SharedAllocOp = "mir.shared_alloc"
);

mir_op!(
    /// The beginning of the dynamic shared memory. Attribute `mir_align`.
    ///
    /// No operand, one result: a pointer of address space 3.
    ExternSharedOp = "mir.extern_shared"
);
pure!(ExternSharedOp);

impl ExternSharedOp {
    /// Aligned to `align` bytes.
    pub fn new(ctx: &mut Context, ty: TypeHandle, align: u64) -> Self {
        let op = Self::build(ctx, vec![ty], vec![]);
        attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
        op
    }
}

impl Verify for ExternSharedOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(0, 1)?;
        let _: U64Attr = c.attr(&ALIGN, "mir_align")?;
        let ok = as_type::<PtrType>(ctx, c.result(0)).is_some_and(|p| p.addrspace == 3);
        c.ensure(
            ok,
            MirVerifyErr::ResultType(0, "a pointer of address space 3"),
        )
    }
}

macro_rules! storage {
    ($(#[$meta:meta])* $name:ident = $id:literal) => {
        mir_op!(
            $(#[$meta])*
            ///
            /// One operand: the address of a `mir.alloca`. No result.
            $name = $id
        );

        impl $name {
            /// Of the local at `address`.
            pub fn new(ctx: &mut Context, address: Value) -> Self {
                Self::build(ctx, vec![], vec![address])
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(1, 0)?;
                c.ptr(0).map(|_| ())
            }
        }
    };
}

storage!(
    /// The local's storage begins; its bytes are undefined.
    StorageLiveOp = "mir.storage_live"
);
storage!(
    /// The local's storage ends.
    StorageDeadOp = "mir.storage_dead"
);

macro_rules! block_copy {
    ($(#[$meta:meta])* $name:ident = $id:literal) => {
        mir_op!(
            $(#[$meta])*
            ///
            /// | operand | |
            /// |---|---|
            /// | `destination`, `source` | pointers |
            /// | `bytes` | i64 |
            ///
            /// No result. Attributes: `mir_align` (of both), `mir_volatile`.
            $name = $id
        );

        impl $name {
            /// Copy `bytes` bytes.
            pub fn new(ctx: &mut Context, destination: Value, source: Value, bytes: Value, align: u64) -> Self {
                let op = Self::build(ctx, vec![], vec![destination, source, bytes]);
                attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
                op
            }
        }

        impl Verify for $name {
            fn verify(&self, ctx: &Context) -> Result<()> {
                let c = Check { ctx, op: self.get_operation() };
                c.shape(3, 0)?;
                c.ptr(0)?;
                c.ptr(1)?;
                c.ensure(int_width(ctx, c.operand(2)) == Some(64), MirVerifyErr::OperandType(2, "i64"))
            }
        }
    };
}

block_copy!(
    /// *Ours.* Copy bytes that do not overlap.
    MemcpyOp = "mir.memcpy"
);
block_copy!(
    /// *Ours.* Copy bytes that may overlap.
    MemmoveOp = "mir.memmove"
);

mir_op!(
    /// *Ours.* Fill bytes.
    ///
    /// | operand | |
    /// |---|---|
    /// | `destination` | pointer |
    /// | `value` | i8 |
    /// | `bytes` | i64 |
    ///
    /// No result. Attributes: `mir_align`, `mir_volatile`.
    MemsetOp = "mir.memset"
);

impl MemsetOp {
    /// Write `bytes` copies of `value`.
    pub fn new(
        ctx: &mut Context,
        destination: Value,
        value: Value,
        bytes: Value,
        align: u64,
    ) -> Self {
        let op = Self::build(ctx, vec![], vec![destination, value, bytes]);
        attributes::set(ctx, op.get_operation(), &ALIGN, U64Attr(align));
        op
    }
}

impl Verify for MemsetOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(3, 0)?;
        c.ptr(0)?;
        c.ensure(
            int_width(ctx, c.operand(1)) == Some(8),
            MirVerifyErr::OperandType(1, "i8"),
        )?;
        c.ensure(
            int_width(ctx, c.operand(2)) == Some(64),
            MirVerifyErr::OperandType(2, "i64"),
        )
    }
}

mir_op!(
    /// *Ours.* Compare bytes as C's `memcmp`.
    ///
    /// | operand | |
    /// |---|---|
    /// | `left`, `right` | pointers |
    /// | `bytes` | i64 |
    ///
    /// One result, i32: negative, 0 or positive.
    MemcmpOp = "mir.memcmp"
);

impl MemcmpOp {
    /// Compare `bytes` bytes.
    pub fn new(ctx: &mut Context, left: Value, right: Value, bytes: Value) -> Self {
        let i32_ty = types::int_type(ctx, 32);
        Self::build(ctx, vec![i32_ty.into()], vec![left, right, bytes])
    }
}

impl Verify for MemcmpOp {
    fn verify(&self, ctx: &Context) -> Result<()> {
        let c = Check {
            ctx,
            op: self.get_operation(),
        };
        c.shape(3, 1)?;
        c.ptr(0)?;
        c.ptr(1)?;
        c.ensure(
            int_width(ctx, c.operand(2)) == Some(64),
            MirVerifyErr::OperandType(2, "i64"),
        )?;
        c.ensure(
            int_width(ctx, c.result(0)) == Some(32),
            MirVerifyErr::ResultType(0, "i32"),
        )
    }
}
