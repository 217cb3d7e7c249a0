//! Attributes that LLVM needs on functions and constants and `pliron-llvm` has no place for.

use pliron::{
    attribute::Attribute,
    builtin::{
        attr_interfaces::TypedAttrInterface,
        attributes::{StringAttr, UnitAttr},
    },
    context::{Context, Ptr},
    derive::{attr_interface_impl, pliron_attr},
    dict_key,
    identifier::Identifier,
    operation::Operation,
    r#type::TypeHandle,
};
use pliron_llvm::{llvm_attrs::LlvmAttributesAttr, types::PointerType};

dict_key!(
    /// On `llvm.func`: a [`UnitAttr`] marks a kernel, which has LLVM's calling convention `ptx_kernel`.
    ATTR_KEY_KERNEL,
    "llvm_ext_kernel"
);

dict_key!(
    /// On `llvm.func`, and on a call for its arguments: [`ParamAttributesAttr`].
    ATTR_KEY_PARAM_ATTRIBUTES,
    "llvm_ext_param_attributes"
);

dict_key!(
    /// On `llvm.func`: a [`StringAttr`] with the name that people know the function by, for debug metadata.
    ATTR_KEY_SOURCE_NAME,
    "llvm_ext_source_name"
);

/// LLVM's attributes of each parameter of a function, in order.
#[pliron_attr(
    name = "llvm.param_attributes",
    format = "`[` vec($0, CharSpace(`,`)) `]`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct ParamAttributesAttr(pub Vec<LlvmAttributesAttr>);

/// The generic address `addend` bytes behind a global or function: a constant in an initialiser.
#[pliron_attr(
    name = "llvm.symbol_offset",
    format = "`<@` $symbol ` (` $address_space `) + ` $addend `>`",
    verifier = "succ"
)]
#[derive(PartialEq, Eq, Clone, Debug, Hash)]
pub struct SymbolOffsetAttr {
    pub symbol: Identifier,
    /// Where the symbol lies; the address itself is generic.
    pub address_space: u32,
    pub addend: u64,
}

#[attr_interface_impl]
impl TypedAttrInterface for SymbolOffsetAttr {
    fn get_type(&self, ctx: &Context) -> TypeHandle {
        PointerType::get(ctx, 0).into()
    }
}

/// Marks a function as a kernel.
pub fn set_kernel(ctx: &Context, func: Ptr<Operation>) {
    set(ctx, func, &ATTR_KEY_KERNEL, UnitAttr::new());
}

/// Whether a function is a kernel.
pub fn is_kernel(ctx: &Context, func: Ptr<Operation>) -> bool {
    let func = func.deref(ctx);
    func.attributes.get::<UnitAttr>(&ATTR_KEY_KERNEL).is_some()
}

/// Gives a function the attributes of its parameters.
pub fn set_param_attributes(
    ctx: &Context,
    func: Ptr<Operation>,
    attributes: Vec<LlvmAttributesAttr>,
) {
    let attr = ParamAttributesAttr(attributes);
    set(ctx, func, &ATTR_KEY_PARAM_ATTRIBUTES, attr);
}

/// The attributes of a function's parameters; empty if none were given.
pub fn param_attributes(ctx: &Context, func: Ptr<Operation>) -> Vec<LlvmAttributesAttr> {
    let func = func.deref(ctx);
    func.attributes
        .get::<ParamAttributesAttr>(&ATTR_KEY_PARAM_ATTRIBUTES)
        .map(|attr| attr.0.clone())
        .unwrap_or_default()
}

/// Gives a function the name that people know it by.
pub fn set_source_name(ctx: &Context, func: Ptr<Operation>, name: String) {
    set(ctx, func, &ATTR_KEY_SOURCE_NAME, StringAttr::new(name));
}

/// The name that people know a function by.
pub fn source_name(ctx: &Context, func: Ptr<Operation>) -> Option<String> {
    let func = func.deref(ctx);
    func.attributes
        .get::<StringAttr>(&ATTR_KEY_SOURCE_NAME)
        .map(|attr| attr.clone().into())
}

fn set(ctx: &Context, op: Ptr<Operation>, key: &Identifier, attr: impl Attribute) {
    op.deref_mut(ctx).attributes.set(key.clone(), attr);
}
