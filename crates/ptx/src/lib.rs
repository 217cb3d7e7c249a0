//! PTX lexer, parser and printer
