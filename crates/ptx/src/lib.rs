//! PTX lexer, parser and printer.
//!
//! [`parse`] reads any text and always answers with a [`Module`] and the list of what it could not read; it never
//! panics. A statement that cannot be read is left out and reported, and reading goes on behind its `;`.
//! Printing a [`Module`] gives text that parses to the same module again.
//!
//! The crate knows the grammar of PTX ISA 9, not the meaning of instructions: an instruction is a name, its
//! modifiers and operands.

mod ast;
mod lexer;
mod parser;
mod print;

pub use ast::*;
pub use lexer::{Token, TokenKind, lex};
pub use parser::parse;
