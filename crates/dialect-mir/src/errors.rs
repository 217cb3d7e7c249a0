//! What a verifier of this dialect can say.

use thiserror::Error;

/// A rule that an operation or type of `dialect-mir` breaks.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum MirVerifyErr {
    #[error("expected {expected} operands, found {found}")]
    OperandCount { expected: usize, found: usize },
    #[error("expected {expected} results, found {found}")]
    ResultCount { expected: usize, found: usize },
    #[error("expected {expected} successors, found {found}")]
    SuccessorCount { expected: usize, found: usize },
    #[error("attribute `{0}` is missing or of the wrong type")]
    MissingAttribute(&'static str),
    #[error("operand {0} must be {1}")]
    OperandType(usize, &'static str),
    #[error("result {0} must be {1}")]
    ResultType(usize, &'static str),
    #[error("operands must have the same type")]
    OperandTypesDiffer,
    #[error("the result's type must be the operands' type")]
    ResultTypeDiffers,
    #[error("an operation on integers must say whether they are signed (`mir_signed`)")]
    SignMissing,
    #[error("the value's type does not match the pointer's pointee type")]
    PointeeMismatch,
    #[error("field {index} is out of bounds of a type with {count} fields")]
    FieldOutOfBounds { index: u64, count: usize },
    #[error("variant {index} is out of bounds of an enum with {count} variants")]
    VariantOutOfBounds { index: u64, count: usize },
    #[error("the type of field {0} does not match")]
    FieldTypeMismatch(usize),
    #[error("a cast of kind {0} cannot take these types")]
    CastTypes(String),
    #[error("the intrinsic {0} cannot take these types")]
    IntrinsicTypes(String),
    #[error("{0} case values for {1} case successors")]
    SwitchCases(usize, usize),
    #[error("a case value's type differs from the switched value's type")]
    SwitchCaseType,
    #[error("return does not match the function's result type")]
    ReturnMismatch,
    #[error("the entry block's arguments do not match the function type")]
    EntryMismatch,
    #[error("{0} parameter descriptions for {1} parameters")]
    ParamsMismatch(usize, usize),
    #[error("a panic site takes at most 6 arguments, each i64")]
    PanicArguments,
    #[error("layout: {0}")]
    Layout(&'static str),
}
