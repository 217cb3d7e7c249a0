//! NVIDIA's GPU intrinsics as pliron operations, from one table.
//!
//! An operation is a row of [`table::TABLE`]: its module, its prototype, the minimum SM, the LLVM IR that it stands for
//! and the PTX instruction that comes out. Everything else here is made from the rows: the pliron operations and their
//! verifiers, the device functions `__nvvm_<op>` by which kernels call them, the LLVM definitions of those functions
//! for bodies that come as LLVM IR, and `docs/nvvm-table.md`.
//!
//! The four atomic operations are rows of the same table, but each stands for a family: what varies (operation, type,
//! scope, ordering) is an attribute, [`atomic::Atomic`].

pub mod asm;
pub mod atomic;
pub mod atomicrmw;
pub mod doc;
pub mod expand;
pub mod lookup;
pub mod ops;
pub mod table;

pub use expand::{Expansion, llvm_definition};
pub use lookup::{Resolved, lookup};
pub use table::{Effects, MinimumSm, Module, Spec, TABLE, Ty};
