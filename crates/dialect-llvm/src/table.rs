//! The dialect document's 62 operations in 12 groups, each with the operation that is it.

use crate::ops::InlineAsmMultiOp;
use pliron::op::{Op, OpId};
use pliron_llvm::ops::*;

/// A group of the document's table.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Group {
    Arithmetic,
    Cast,
    Control,
    Memory,
    Atomic,
    Compare,
    Aggregate,
    Call,
    InlineAsm,
    Constant,
    Symbol,
    Select,
}

/// Number of operations that the document gives each group.
pub const DOCUMENT: [(Group, usize); 12] = [
    (Group::Arithmetic, 19),
    (Group::Cast, 13),
    (Group::Control, 5),
    (Group::Memory, 4),
    (Group::Atomic, 5),
    (Group::Compare, 2),
    (Group::Aggregate, 3),
    (Group::Call, 2),
    (Group::InlineAsm, 2),
    (Group::Constant, 3),
    (Group::Symbol, 3),
    (Group::Select, 1),
];

macro_rules! operations {
    ($($group:ident: $($op:ident)*;)*) => {
        /// The operations. The document counts 19 of arithmetic and names nine; the other ten are the integer divisions, remainders,
        /// shifts and bitwise operations.
        pub const OPERATIONS: [(Group, fn() -> OpId); 62] = [
            $($((Group::$group, <$op as Op>::get_opid_static),)*)*
        ];
    };
}

operations! {
    Arithmetic: AddOp SubOp MulOp UDivOp SDivOp URemOp SRemOp ShlOp LShrOp AShrOp AndOp OrOp XorOp FAddOp FSubOp FMulOp FDivOp FRemOp FNegOp;
    Cast: ZExtOp SExtOp TruncOp FPExtOp FPTruncOp SIToFPOp UIToFPOp FPToSIOp FPToUIOp PtrToIntOp IntToPtrOp AddrSpaceCastOp BitcastOp;
    Control: BrOp CondBrOp SwitchOp ReturnOp UnreachableOp;
    Memory: LoadOp StoreOp AllocaOp GetElementPtrOp;
    Atomic: AtomicLoadOp AtomicStoreOp AtomicRmwOp AtomicCmpxchgOp FenceOp;
    Compare: ICmpOp FCmpOp;
    Aggregate: ExtractValueOp InsertValueOp ExtractElementOp;
    Call: CallOp CallIntrinsicOp;
    InlineAsm: InlineAsmOp InlineAsmMultiOp;
    Constant: ConstantOp ZeroOp UndefOp;
    Symbol: FuncOp GlobalOp AddressOfOp;
    Select: SelectOp;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn groups_have_the_documents_counts() {
        for (group, count) in DOCUMENT {
            let found = OPERATIONS.iter().filter(|(g, _)| *g == group).count();
            assert_eq!(found, count, "{group:?}");
        }
        let mut names: Vec<_> = OPERATIONS.iter().map(|(_, id)| id().to_string()).collect();
        assert!(names.iter().all(|name| name.starts_with("llvm.")));
        names.sort();
        names.dedup();
        assert_eq!(names.len(), 62);
    }
}
