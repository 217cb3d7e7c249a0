//! The one owner of type layouts: what rustc says about size, alignment, offsets and tags.
//!
//! ```text
//! let mut db = LayoutDb::new("my_crate");              // primitives, pointers, arrays, Option<&T>: built in
//! db.set_probe(Probe { rustc, externs, .. });          // rustc is asked for every type that another crate can name
//! db.add_llvm_ir(text);                                // debug metadata (-C debuginfo=2): private types, closures, and the
//!                                                      // names and discriminants of enums' variants
//! db.add_mir(&file);                                   // where closures are defined, to find them in debug metadata
//! db.prefetch(types)?;                                 // one run of rustc (30 ms) for many types; `layout` alone runs it for one
//! let l: Arc<Layout> = db.layout(&ty)?;                // or LayoutError { ty, what, needs_llvm_ir }
//! ```
//! rustc's layout algorithm is not computed anew: where no source tells a layout, that is an error. `needs_llvm_ir` in it
//! says that debug metadata was not there and may know.
//!
//! [`llvm_text`] reads the rest of that LLVM IR: the type of every function, and the calls in one with their positions.
//!

mod db;
mod debug_value;
mod debuginfo;
mod defaults;
mod error;
mod kept;
pub mod llvm_text;
mod metadata;
mod model;
mod names;
mod probe;

pub use db::LayoutDb;
pub use error::LayoutError;
pub use model::*;
pub use probe::Probe;
