//! Rust's MIR as pliron operations and types
