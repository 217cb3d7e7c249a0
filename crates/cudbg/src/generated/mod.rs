// Written by generate.py.

//! What follows from the table of the header's facts.

pub(crate) mod constants;
mod control;
pub(crate) mod enums;
mod query;
mod read;
mod slots;
pub(crate) mod structs;
mod write;
