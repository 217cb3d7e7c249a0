//! A pliron module as LLVM's textual IR
