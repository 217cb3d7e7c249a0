//! Rust's v0 symbol mangling (RFC 2603 and what rustc has added since): a full parser, and three printers.
//!
//! The key that joins a launch to its instance is the symbol written anew with back references expanded and crate
//! disambiguators dropped. The mangling is a prefix grammar, so the expanded form is as injective as the symbol.
//!
//! What rustc does is in `rustc_symbol_mangling::v0`; the grammar is in the reference's chapter on symbol mangling.

mod ast;
mod parse;
mod print;

/// Why a string is not a v0 symbol that we understand.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ManglingError {
    /// It does not begin with `_R`.
    #[error("`{symbol}` is not a v0 symbol (compile with `-C symbol-mangling-version=v0`)")]
    NotV0 { symbol: String },
    /// The text does not follow the grammar.
    #[error("v0 symbol, byte {at}: expected {expected}")]
    Syntax { at: usize, expected: &'static str },
    /// Nested deeper, or longer when expanded, than any real symbol.
    #[error("v0 symbol: {what}")]
    TooLarge { what: &'static str },
}

/// The canonical form of an instance's symbol: the key of a generic kernel.
///
/// Back references are expanded; crate disambiguators are dropped (they differ between the host pass and the device
/// pass), and so are the instantiating crate (one instance may be instantiated in several crates, and which one
/// depends on the optimisation level) and what code generation appends (`.llvm.1234`). Everything else is kept, the
/// disambiguators of closures and impls included, so that instances which differ have keys which differ.
pub fn canonical_instance(v0_symbol: &str) -> Result<String, ManglingError> {
    Ok(print::mangled(&parse::symbol(v0_symbol)?, false))
}

/// As [`canonical_instance`], with the crate disambiguators: equal for two symbols exactly when they are one instance
/// of one crate graph. Two symbols with one key but different exact forms are two crates of one name.
pub fn exact_instance(v0_symbol: &str) -> Result<String, ManglingError> {
    Ok(print::mangled(&parse::symbol(v0_symbol)?, true))
}

/// The symbol as a person reads it: `app::kernels::map::<f32, app::main::{closure#0}>`.
/// What is not a v0 symbol comes back as it is.
pub fn pretty(symbol: &str) -> String {
    match parse::symbol(symbol) {
        Ok(path) => print::pretty(&path),
        Err(_) => symbol.to_owned(),
    }
}
