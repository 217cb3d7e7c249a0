//! The CUDA Debugger API, 13.0 revision 163: every type, constant and slot under the header's names, and an [`Api`] whose
//! methods answer with `Result`.
//!
//! A library that implements the API fills a [`CUDBGAPI_st`]; a debugger gets one from [`Library`] (libcuda, or any library
//! by its path) or from a transport, and works with it through [`Api`].

#![allow(non_camel_case_types, non_snake_case)] // The header's names.

#[macro_use]
mod numbers;
mod api;
mod event;
mod generated;
mod load;
mod table;

pub use api::{Api, Error, Result};
pub use event::Event;
pub use generated::constants::*;
pub use generated::enums::*;
pub use generated::structs::*;
pub use load::{Library, LoadError, Version};
pub use numbers::Layout;
pub use table::*;
