//! The families of atomic intrinsics, and the types over them. Text is composed and parsed: the names are made of parts,
//! which `macro_rules` cannot do.

use proc_macro2::TokenStream;
use std::fmt::Write;
use syn::Result;

const SCOPES: [(&str, &str, &str); 3] = [
    ("Block", "block", "the threads of the block"),
    ("Device", "device", "the threads of the device"),
    ("System", "system", "all threads of the system"),
];
const ORDERINGS: [(&str, &str); 5] = [
    ("Relaxed", "relaxed"),
    ("Acquire", "acquire"),
    ("Release", "release"),
    ("AcqRel", "acqrel"),
    ("SeqCst", "seqcst"),
];

/// A value type: its name in the atomic's, the Rust type, the type of its bits, bytes.
struct Element {
    name: &'static str,
    ty: &'static str,
    bits: &'static str,
    size: usize,
}
const ELEMENTS: [Element; 7] = [
    Element {
        name: "U32",
        ty: "u32",
        bits: "u32",
        size: 4,
    },
    Element {
        name: "I32",
        ty: "i32",
        bits: "i32",
        size: 4,
    },
    Element {
        name: "U64",
        ty: "u64",
        bits: "u64",
        size: 8,
    },
    Element {
        name: "I64",
        ty: "i64",
        bits: "i64",
        size: 8,
    },
    Element {
        name: "F16",
        ty: "F16",
        bits: "u16",
        size: 2,
    },
    Element {
        name: "F32",
        ty: "f32",
        bits: "u32",
        size: 4,
    },
    Element {
        name: "F64",
        ty: "f64",
        bits: "u64",
        size: 8,
    },
];

pub fn atomics(input: TokenStream) -> Result<TokenStream> {
    let text = match input.to_string().as_str() {
        "intrinsics" => intrinsics(),
        "types" => types(),
        _ => {
            return Err(syn::Error::new_spanned(
                input,
                "expected `intrinsics` or `types`",
            ));
        }
    };
    text.parse()
        .map_err(|e| syn::Error::new(proc_macro2::Span::call_site(), format!("{e}")))
}

fn orderings(op: &str) -> impl Iterator<Item = (&'static str, &'static str)> {
    let loads = op == "load";
    let stores = op == "store";
    ORDERINGS.into_iter().filter(move |(_, o)| match *o {
        "acquire" => !stores,
        "release" => !loads,
        "acqrel" => !loads && !stores,
        _ => true,
    })
}

/// The operations on a type by intrinsics of that type.
fn operations(ty: &str) -> &'static [&'static str] {
    match ty {
        "u16" => &["load", "store", "cmpxchg", "rmw_xchg"],
        "f32" | "f64" => &["rmw_add", "rmw_sub", "rmw_min", "rmw_max"],
        "u32" | "u64" => &[
            "load", "store", "cmpxchg", "rmw_xchg", "rmw_add", "rmw_sub", "rmw_and", "rmw_or",
            "rmw_xor", "rmw_min", "rmw_max", "rmw_inc", "rmw_dec",
        ],
        _ => &[
            "load", "store", "cmpxchg", "rmw_xchg", "rmw_add", "rmw_sub", "rmw_and", "rmw_or",
            "rmw_xor", "rmw_min", "rmw_max",
        ],
    }
}

fn intrinsics() -> String {
    let mut out = String::from("intrinsics! {");
    for ty in ["u16", "u32", "i32", "u64", "i64", "f32", "f64"] {
        for (_, scope, _) in SCOPES {
            for op in operations(ty) {
                for (_, ordering) in orderings(op) {
                    let rest = match *op {
                        "load" => format!("(ptr: *mut {ty}) -> {ty}"),
                        "store" => format!("(ptr: *mut {ty}, value: {ty})"),
                        "cmpxchg" => format!("(ptr: *mut {ty}, expected: {ty}, new: {ty}) -> {ty}"),
                        _ => format!("(ptr: *mut {ty}, value: {ty}) -> {ty}"),
                    };
                    let _ = write!(out, "fn __nvvm_atomic_{op}_{ty}_{scope}_{ordering}{rest};");
                }
            }
        }
    }
    out.push('}');
    out
}

/// `match order { … }` over the intrinsics of an operation.
fn dispatch(op: &str, ty: &str, scope: &str, order: &str, args: &str) -> String {
    let mut out = format!("match {order} {{");
    for (variant, ordering) in orderings(op) {
        let _ = write!(
            out,
            "AtomicOrdering::{variant} => unsafe {{ crate::intrinsics::__nvvm_atomic_{op}_{ty}_{scope}_{ordering}({args}) }},"
        );
    }
    match op {
        "load" => {
            out.push_str("_ => panic!(\"a load is relaxed, acquire or sequentially consistent\"),")
        }
        "store" => {
            out.push_str("_ => panic!(\"a store is relaxed, release or sequentially consistent\"),")
        }
        _ => {}
    }
    out.push('}');
    out
}

fn types() -> String {
    let mut out = String::new();
    for (scope_name, scope, who) in SCOPES {
        for e in &ELEMENTS {
            one_type(&mut out, scope_name, scope, who, e);
        }
    }
    out
}

fn one_type(out: &mut String, scope_name: &str, scope: &str, who: &str, e: &Element) {
    let Element {
        name,
        ty,
        bits,
        size,
    } = *e;
    let float = name.starts_with('F');
    let (to, from) = match name {
        "F16" => (".0", "F16(BITS)"),
        "F32" | "F64" => (
            ".to_bits()",
            if name == "F32" {
                "f32::from_bits(BITS)"
            } else {
                "f64::from_bits(BITS)"
            },
        ),
        _ => ("", "BITS"),
    };
    let from = |expr: &str| from.replace("BITS", expr);
    let _ = write!(
        out,
        "/// `{ty}` that {who} access atomically.\n\
         #[repr(C, align({size}))]\n\
         pub struct {scope_name}Atomic{name} {{ value: core::cell::UnsafeCell<{ty}> }}\n\
         // SAFETY: all access is atomic.\n\
         unsafe impl Sync for {scope_name}Atomic{name} {{}}\n\
         impl {scope_name}Atomic{name} {{\n\
         /// A new one.\n\
         pub const fn new(value: {ty}) -> Self {{ Self {{ value: core::cell::UnsafeCell::new(value) }} }}\n\
         /// Atomic access to memory that lies elsewhere.\n\
         ///\n\
         /// # Safety\n\
         /// `ptr` is valid for `'a` and aligned to {size}, and all access to it in that time is atomic.\n\
         #[inline(always)]\n\
         pub const unsafe fn from_ptr<'a>(ptr: *mut {ty}) -> &'a Self {{ unsafe {{ &*(ptr as *const Self) }} }}\n\
         /// The memory.\n\
         #[inline(always)]\n\
         pub const fn as_ptr(&self) -> *mut {ty} {{ self.value.get() }}\n\
         #[inline(always)]\n\
         fn bits(&self) -> *mut {bits} {{ self.value.get() as *mut {bits} }}\n"
    );
    let load = dispatch("load", bits, scope, "order", "self.bits()");
    let store = dispatch(
        "store",
        bits,
        scope,
        "order",
        &format!("self.bits(), value{to}"),
    );
    let swap = dispatch(
        "rmw_xchg",
        bits,
        scope,
        "order",
        &format!("self.bits(), value{to}"),
    );
    let exchange = dispatch(
        "cmpxchg",
        bits,
        scope,
        "order",
        &format!("self.bits(), current{to}, new{to}"),
    );
    let _ = write!(
        out,
        "/// The value.\n#[inline(always)]\n\
         pub fn load(&self, order: AtomicOrdering) -> {ty} {{ let bits = {load}; {load_from} }}\n\
         /// Sets the value.\n#[inline(always)]\n\
         pub fn store(&self, value: {ty}, order: AtomicOrdering) {{ {store} }}\n\
         /// Sets the value; returns the old one.\n#[inline(always)]\n\
         pub fn swap(&self, value: {ty}, order: AtomicOrdering) -> {ty} {{ let bits = {swap}; {load_from} }}\n\
         /// Sets the value to `new` if its bits are those of `current`; returns the old one, as `Ok` if it was set.\n\
         #[inline(always)]\n\
         pub fn compare_exchange(&self, current: {ty}, new: {ty}, success: AtomicOrdering, failure: AtomicOrdering) \
         -> Result<{ty}, {ty}> {{\n\
         let order = exchange_order(success, failure); let bits = {exchange};\n\
         if bits == current{to} {{ Ok({load_from}) }} else {{ Err({load_from}) }} }}\n",
        load_from = from("bits"),
    );
    let operations: &[(&str, &str)] = match name {
        "F16" | "F32" | "F64" => &[
            ("add", "Adds"),
            ("sub", "Subtracts"),
            ("min", "Takes the lesser"),
            ("max", "Takes the greater"),
        ],
        _ => &[
            ("add", "Adds, wrapping"),
            ("sub", "Subtracts, wrapping"),
            ("and", "Bitwise and"),
            ("or", "Bitwise or"),
            ("xor", "Bitwise exclusive or"),
            ("min", "Takes the lesser"),
            ("max", "Takes the greater"),
        ],
    };
    for (op, words) in operations {
        let body = if name == "F16" {
            // 16-bit floats have no atomic instructions on all targets: a loop of compare-exchange on the bits.
            let combined = match *op {
                "add" => "old.to_f32() + value.to_f32()",
                "sub" => "old.to_f32() - value.to_f32()",
                "min" => "old.to_f32().min(value.to_f32())",
                _ => "old.to_f32().max(value.to_f32())",
            };
            let failure = "AtomicOrdering::Relaxed";
            format!(
                "let mut old = self.load({failure}); loop {{ let new = F16::from_f32({combined}); \
                 match self.compare_exchange(old, new, order, {failure}) {{ Ok(old) => return old, Err(now) => old = now }} }}"
            )
        } else {
            dispatch(
                &format!("rmw_{op}"),
                if float { ty } else { bits },
                scope,
                "order",
                "self.value.get(), value",
            )
        };
        let _ = write!(
            out,
            "/// {words}; returns the old value.\n#[inline(always)]\n\
             pub fn fetch_{op}(&self, value: {ty}, order: AtomicOrdering) -> {ty} {{ {body} }}\n"
        );
    }
    if matches!(name, "U32" | "U64") {
        for (op, words) in [
            ("inc", "`old >= value ? 0 : old + 1`"),
            ("dec", "`old == 0 || old > value ? value : old - 1`"),
        ] {
            let body = dispatch(
                &format!("rmw_{op}"),
                bits,
                scope,
                "order",
                "self.value.get(), value",
            );
            let _ = write!(
                out,
                "/// {words}; returns the old value.\n#[inline(always)]\n\
                 pub fn fetch_{op}(&self, value: {ty}, order: AtomicOrdering) -> {ty} {{ {body} }}\n"
            );
        }
    }
    out.push_str("}\n");
}
