//! A debugger for kernels, over any library that has the CUDA Debugger API.
//!
//! [`Session`] takes commands and writes what they answer. It knows the API and what images say ([`Image`]); how the program is
//! started and how calls travel is the caller's matter.

mod breakpoints;
mod commands;
mod image;
mod info;
mod print;
mod session;
mod source;

pub use image::{Image, Place};
pub use session::{Reaction, Session, Signal};
