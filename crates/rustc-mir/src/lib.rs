//! Reads what rustc --emit=mir prints into a typed syntax tree with spans and scopes
