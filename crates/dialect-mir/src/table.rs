//! The inventory: every operation with its group, and whether the dialect document names it or it is ours.

/// The document's groups.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Group {
    Function,
    Control,
    Constant,
    Memory,
    Arithmetic,
    Comparison,
    Aggregate,
    Enum,
    Cast,
    Storage,
    Call,
}

/// Who names it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Origin {
    /// The dialect document.
    Document,
    /// An addition of this project.
    Ours,
}

/// The document's groups with the number of operations that it gives each.
pub const DOCUMENT_GROUPS: &[(Group, usize)] = &[
    (Group::Function, 1),
    (Group::Control, 5),
    (Group::Constant, 3),
    (Group::Memory, 9),
    (Group::Arithmetic, 15),
    (Group::Comparison, 6),
    (Group::Aggregate, 8),
    (Group::Enum, 3),
    (Group::Cast, 1),
    (Group::Storage, 2),
    (Group::Call, 1),
];

/// The seven types.
pub const TYPES: &[&str] = &[
    "mir.tuple",
    "mir.ptr",
    "mir.array",
    "mir.struct",
    "mir.slice",
    "mir.disjoint_slice",
    "mir.enum",
];

macro_rules! table {
    ($($origin:ident $group:ident: $($name:literal)+;)+) => {
        /// Every operation.
        pub const OPERATIONS: &[(&str, Group, Origin)] = &[
            $($(($name, Group::$group, Origin::$origin),)+)+
        ];
    };
}

table! {
    Document Function: "mir.func";
    Document Control: "mir.goto" "mir.cond_br" "mir.return" "mir.assert" "mir.unreachable";
    Document Constant: "mir.constant" "mir.float_constant" "mir.undef";
    Document Memory: "mir.alloca" "mir.load" "mir.store" "mir.assign" "mir.ref" "mir.ptr_offset" "mir.shared_alloc"
        "mir.global_alloc" "mir.extern_shared";
    Document Arithmetic: "mir.add" "mir.sub" "mir.mul" "mir.div" "mir.rem" "mir.checked_add" "mir.checked_sub"
        "mir.checked_mul" "mir.neg" "mir.not" "mir.shr" "mir.shl" "mir.bitand" "mir.bitor" "mir.bitxor";
    Document Comparison: "mir.eq" "mir.ne" "mir.lt" "mir.le" "mir.gt" "mir.ge";
    Document Aggregate: "mir.extract_field" "mir.insert_field" "mir.construct_struct" "mir.construct_tuple"
        "mir.construct_array" "mir.extract_array_element" "mir.field_addr" "mir.array_element_addr";
    Document Enum: "mir.get_discriminant" "mir.construct_enum" "mir.enum_payload";
    Document Cast: "mir.cast";
    Document Storage: "mir.storage_live" "mir.storage_dead";
    Document Call: "mir.call";
    Ours Function: "mir.global" "mir.func_addr";
    Ours Control: "mir.switch" "mir.panic";
    Ours Memory: "mir.memcpy" "mir.memmove" "mir.memset" "mir.memcmp" "mir.atomic_load" "mir.atomic_store"
        "mir.atomic_rmw" "mir.atomic_cmpxchg" "mir.atomic_fence";
    Ours Arithmetic: "mir.intrinsic" "mir.select" "mir.assume";
    Ours Aggregate: "mir.construct_slice";
    Ours Enum: "mir.set_discriminant";
    Ours Call: "mir.call_indirect" "mir.ptx_asm";
}
