//! The one owner of type layouts: what rustc says about size, alignment, offsets and tags.
//!
//! ```text
//! let mut db = LayoutDb::new(crate_name);              // primitives, pointers, arrays, Option<&T>: built in
//! db.add_type_sizes(text)?;                            // what -Zprint-type-sizes printed
//! db.add_llvm_ir(text)?;                               // debug metadata of --emit=llvm-ir -C debuginfo=2
//! let l: Arc<Layout> = db.layout(&ty)?;                // or LayoutError that names the type
//! ```
//! rustc's layout algorithm is not computed anew: where no source tells a layout, that is an error.

mod model;

pub use model::*;
