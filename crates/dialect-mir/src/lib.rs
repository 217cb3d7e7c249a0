//! # dialect-mir
//!
//! Rust's MIR as pliron operations and types: 7 types, the document's 54 operations in 11 groups, and our additions
//! (`table::OPERATIONS` is the inventory).
//!
//! ## How a function looks
//! - Integers are pliron's *signless* `IntegerType` (`bool` is `i1`, `char` is `i32`). Where the sign matters (division,
//!   shifts right, comparisons, casts, overflow flags) it is on the operation: the attribute `mir_signed`.
//! - A MIR local is a `mir.alloca` in the entry block. A place is an address, computed by `mir.field_addr`,
//!   `mir.array_element_addr`, `mir.ptr_offset`. Scalars and wide pointers (`mir.slice`, an SSA pair) go through
//!   `mir.load`/`mir.store`; aggregates move by `mir.assign` from address to address and are built in place.
//! - After `mem2reg` the allocas of scalars and slices whose address does not escape are gone; joins are block arguments.
//! - In memory an `i1` is one byte, 0 or 1; a `mir.slice` is two words, pointer first.
//! - The location of an operation is its Rust position: `SrcPos`, wrapped in `CallSite` for each inlined call.
//!
//! Semantics are Rust's: integer arithmetic wraps unless marked `mir_nowrap`, shift amounts are masked to the width,
//! float-to-integer casts saturate, comparisons with NaN are false except `mir.ne`.

pub mod attributes;
pub mod errors;
pub mod mem2reg;
pub mod ops;
pub mod table;
pub mod types;
