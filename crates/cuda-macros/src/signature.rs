//! A kernel's signature, checked, and what each argument is at the launch.

use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::parse::{Parse, ParseStream};
use syn::spanned::Spanned;
use syn::{
    Error, FnArg, GenericArgument, GenericParam, Ident, ItemFn, Pat, PathArguments, Result,
    ReturnType, Type,
};

/// What stands in `#[kernel(…)]`, `#[launch_bounds(…)]` and `#[cuda_module(…)]`.
#[derive(Clone, Default)]
pub struct Options {
    /// Products and sums may fuse.
    pub fmad: bool,
    /// `(max_threads, min_blocks)`.
    pub launch_bounds: Option<(u32, u32)>,
    /// Blocks in a cluster.
    pub cluster: Option<(u32, u32, u32)>,
    /// All blocks run at once.
    pub cooperative: bool,
    /// What a launch must have.
    pub contract: Option<Contract>,
    /// The path of `cuda_device` where it was named.
    pub device: Option<syn::Path>,
    /// The path of `cuda_core` where it was named.
    pub core: Option<syn::Path>,
}

/// Attributes beside `#[kernel]` that say something about launches.
pub const OF_LAUNCHES: [&str; 4] = [
    "launch_bounds",
    "cluster_launch",
    "cooperative_launch",
    "launch_contract",
];

/// `#[launch_contract]`.
#[derive(Clone, Default)]
pub struct Contract {
    pub grid: Option<(u32, u32, u32)>,
    pub block: Option<(u32, u32, u32)>,
    pub shared: u32,
}

impl Parse for Options {
    fn parse(input: ParseStream) -> Result<Self> {
        let mut options = Options::default();
        options.parse_more(input)?;
        Ok(options)
    }
}

impl Options {
    /// Adds what stands there.
    pub fn parse_more(&mut self, input: ParseStream) -> Result<()> {
        let options = self;
        while !input.is_empty() {
            let name: Ident = input.parse()?;
            match name.to_string().as_str() {
                "fmad" => options.fmad = true,
                "device" => {
                    input.parse::<syn::Token![=]>()?;
                    options.device = Some(input.parse()?);
                }
                "core" => {
                    input.parse::<syn::Token![=]>()?;
                    options.core = Some(input.parse()?);
                }
                "launch_bounds" => {
                    let content;
                    syn::parenthesized!(content in input);
                    options.launch_bounds = Some(parse_bounds(&content)?);
                }
                "cluster_launch" => {
                    let content;
                    syn::parenthesized!(content in input);
                    let (x, y, z) = dimensions(&content)?;
                    // PTX ISA, "Cluster": 8 blocks everywhere, 16 where a kernel may be less portable.
                    if u64::from(x) * u64::from(y) * u64::from(z) > 8 {
                        return Err(Error::new(name.span(), "a cluster has at most 8 blocks"));
                    }
                    options.cluster = Some((x, y, z));
                }
                "cooperative_launch" => options.cooperative = true,
                "launch_contract" => {
                    let content;
                    syn::parenthesized!(content in input);
                    options.contract = Some(contract(&content)?);
                }
                other => {
                    let text = format!(
                        "`{other}` is not known here: expected `fmad`, `device = path` or `core = path`"
                    );
                    return Err(Error::new(name.span(), text));
                }
            }
            if !input.is_empty() {
                input.parse::<syn::Token![,]>()?;
            }
        }
        Ok(())
    }
}

/// `x`, `x, y` or `x, y, z`: what is left out is 1.
fn dimensions(input: ParseStream) -> Result<(u32, u32, u32)> {
    let span = input.span();
    let list = input.parse_terminated(<syn::LitInt as Parse>::parse, syn::Token![,])?;
    let mut all = [1u32; 3];
    if list.is_empty() || list.len() > 3 {
        return Err(Error::new(span, "expected one to three numbers"));
    }
    for (place, literal) in all.iter_mut().zip(&list) {
        *place = literal.base10_parse()?;
        if *place == 0 {
            return Err(Error::new(literal.span(), "a dimension is at least 1"));
        }
    }
    Ok((all[0], all[1], all[2]))
}

fn contract(input: ParseStream) -> Result<Contract> {
    let mut out = Contract::default();
    while !input.is_empty() {
        let name: Ident = input.parse()?;
        let content;
        syn::parenthesized!(content in input);
        match name.to_string().as_str() {
            "grid_dim" => out.grid = Some(dimensions(&content)?),
            "block_dim" => out.block = Some(dimensions(&content)?),
            "shared_mem_bytes" => out.shared = content.parse::<syn::LitInt>()?.base10_parse()?,
            _ => {
                return Err(Error::new(
                    name.span(),
                    "expected `grid_dim(…)`, `block_dim(…)` or `shared_mem_bytes(…)`",
                ));
            }
        }
        if !input.is_empty() {
            input.parse::<syn::Token![,]>()?;
        }
    }
    Ok(out)
}

/// `max_threads` or `max_threads, min_blocks`.
pub fn parse_bounds(input: ParseStream) -> Result<(u32, u32)> {
    let literal: syn::LitInt = input.parse()?;
    let max: u32 = literal.base10_parse()?;
    if !(1..=1024).contains(&max) {
        return Err(Error::new(literal.span(), "a block has 1 to 1024 threads"));
    }
    let mut min = 0;
    if !input.is_empty() {
        input.parse::<syn::Token![,]>()?;
        if !input.is_empty() {
            min = input.parse::<syn::LitInt>()?.base10_parse()?;
        }
    }
    Ok((max, min))
}

impl Options {
    pub fn device_path(&self) -> TokenStream {
        self.device
            .as_ref()
            .map_or_else(crate::paths::device, |p| p.to_token_stream())
    }
    pub fn core_path(&self) -> TokenStream {
        self.core
            .as_ref()
            .map_or_else(crate::paths::core, |p| p.to_token_stream())
    }
}

/// A checked kernel.
pub struct Signature {
    pub name: Ident,
    pub args: Vec<Arg>,
    /// Type and constant parameters, in order, as arguments of `k::<…>`.
    pub generics: Vec<Ident>,
    pub options: Options,
}

/// One argument.
pub struct Arg {
    pub name: Ident,
    /// As written.
    pub ty: Type,
    pub kind: Kind,
}

/// What an argument is at the launch.
pub enum Kind {
    /// `&[T]`
    Slice(Type),
    /// `&mut [T]` and `DisjointSlice<T>`
    SliceMut(Type),
    /// `DisjointSlice<T, Runtime2DIndex>`
    Pitched(Type),
    /// `&T`
    Ref(Type),
    /// `&mut T`
    RefMut(Type),
    /// A value of a `DeviceCopy` type
    Value,
    /// A value of a type parameter that is called: a closure
    Closure,
}

impl Signature {
    /// Checks what can be checked on the tokens; errors stand at them.
    pub fn new(f: &ItemFn, options: Options) -> Result<Self> {
        let sig = &f.sig;
        let mut errors: Option<Error> = None;
        let mut error = |span: Span, text: &str| {
            let new = Error::new(span, text);
            match &mut errors {
                Some(all) => all.combine(new),
                None => errors = Some(new),
            }
        };
        if let ReturnType::Type(_, ty) = &sig.output
            && !matches!(&**ty, Type::Tuple(t) if t.elems.is_empty())
        {
            error(
                ty.span(),
                "a kernel returns nothing: write results through a `DisjointSlice` argument",
            );
        }
        if let Some(token) = &sig.asyncness {
            error(token.span(), "a kernel cannot be `async`");
        }
        if let Some(token) = &sig.abi {
            error(
                token.span(),
                "a kernel has Rust's ABI: the launch knows how to pass its arguments",
            );
        }
        if let Some(token) = &sig.variadic {
            error(token.span(), "a kernel cannot be variadic");
        }
        let mut args = Vec::new();
        for input in &sig.inputs {
            match input {
                FnArg::Receiver(r) => {
                    error(r.span(), "a kernel is a free function: it has no `self`")
                }
                FnArg::Typed(typed) => {
                    let name = match &*typed.pat {
                        Pat::Ident(p) if p.by_ref.is_none() && p.subpat.is_none() => {
                            Some(p.ident.clone())
                        }
                        Pat::Wild(p) => Some(Ident::new(&format!("_arg{}", args.len()), p.span())),
                        other => {
                            error(
                                other.span(),
                                "a kernel's argument is a plain name: take it apart in the body",
                            );
                            None
                        }
                    };
                    match kind(&typed.ty, sig) {
                        Ok(kind) => args.extend(name.map(|name| Arg {
                            name,
                            ty: (*typed.ty).clone(),
                            kind,
                        })),
                        Err(e) => error(e.span(), &e.to_string()),
                    }
                }
            }
        }
        let generics = sig.generics.params.iter().filter_map(|p| match p {
            GenericParam::Type(t) => Some(t.ident.clone()),
            GenericParam::Const(c) => Some(c.ident.clone()),
            _ => None,
        });
        let generics = generics.collect();
        match errors {
            Some(e) => Err(e),
            None => Ok(Signature {
                name: sig.ident.clone(),
                args,
                generics,
                options,
            }),
        }
    }

    pub fn is_generic(&self) -> bool {
        !self.generics.is_empty()
    }

    /// `k::<T, N>`, or `k`.
    pub fn instance(&self) -> TokenStream {
        let (name, generics) = (&self.name, &self.generics);
        if generics.is_empty() {
            quote!(#name)
        } else {
            quote!(#name::<#(#generics),*>)
        }
    }

    /// The constant `KernelDesc` of the kernel.
    pub fn desc(&self, device: &TokenStream) -> TokenStream {
        let n = self.args.len();
        let n32 = n as u32;
        let instance = self.instance();
        let name = self.name.to_string();
        let (max, min) = self.options.launch_bounds.unwrap_or((0, 0));
        let (x, y, z) = self.options.cluster.unwrap_or((0, 0, 0));
        let flags = self.options.fmad as u32
            | (self.options.cooperative as u32) << 1
            | x << 8
            | y << 16
            | z << 24;
        let args = self.args.iter().map(|arg| {
            let (name, ty) = (arg.name.to_string(), erase_lifetimes(&arg.ty));
            let text = type_text(&arg.ty);
            let layout = arg.layout(device);
            quote! {
                #device::ArgDesc {
                    name: #name,
                    type_name: #text,
                    size: ::core::mem::size_of::<#ty>() as u64,
                    align: ::core::mem::align_of::<#ty>() as u64,
                    layout: #layout,
                }
            }
        });
        quote! {
            #device::KernelDesc::<#n> {
                entry: #instance as *const (),
                path: ::core::concat!(::core::module_path!(), "::", #name),
                file: ::core::file!(),
                line: ::core::line!(),
                column: ::core::column!(),
                max_threads: #max,
                min_blocks: #min,
                flags: #flags,
                nargs: #n32,
                args: [#(#args),*],
            }
        }
    }
}

impl Arg {
    /// The layout hash, as a constant expression. `krate` has `DeviceCopy` and `opaque_layout`.
    pub fn layout(&self, krate: &TokenStream) -> TokenStream {
        match &self.kind {
            Kind::Closure => {
                let ty = &self.ty;
                quote!(#krate::opaque_layout::<#ty>())
            }
            Kind::Value => {
                let ty = &self.ty;
                quote!(<#ty as #krate::DeviceCopy>::LAYOUT)
            }
            Kind::Slice(t)
            | Kind::SliceMut(t)
            | Kind::Pitched(t)
            | Kind::Ref(t)
            | Kind::RefMut(t) => {
                let t = erase_lifetimes(t);
                quote!(<#t as #krate::DeviceCopy>::LAYOUT)
            }
        }
    }

    /// The type that must be `DeviceCopy`, if one must.
    pub fn device_copy(&self) -> Option<&Type> {
        match &self.kind {
            Kind::Closure => None,
            Kind::Value => Some(&self.ty),
            Kind::Slice(t)
            | Kind::SliceMut(t)
            | Kind::Pitched(t)
            | Kind::Ref(t)
            | Kind::RefMut(t) => Some(t),
        }
    }
}

/// The type as a person writes it: what `quote` puts between tokens taken out.
fn type_text(ty: &Type) -> String {
    let text = ty.to_token_stream().to_string();
    let mut out = String::new();
    let chars: Vec<char> = text.chars().collect();
    for (i, &c) in chars.iter().enumerate() {
        let word = |c: Option<&char>| c.is_some_and(|c| c.is_alphanumeric() || *c == '_');
        let before = i.checked_sub(1).and_then(|i| chars.get(i));
        let after = chars.get(i + 1);
        if c == ' '
            && !(word(before) && word(after))
            && !matches!(before, Some(',' | ';' | '+'))
            && after != Some(&'+')
        {
            continue;
        }
        out.push(c);
    }
    out
}

/// The type with every named lifetime replaced by `'_` (in expressions, that is inferred).
pub fn erase_lifetimes(ty: &Type) -> TokenStream {
    fn walk(tokens: TokenStream) -> TokenStream {
        let mut out = Vec::new();
        let mut tokens = tokens.into_iter().peekable();
        while let Some(token) = tokens.next() {
            match token {
                proc_macro2::TokenTree::Group(g) => {
                    let mut group = proc_macro2::Group::new(g.delimiter(), walk(g.stream()));
                    group.set_span(g.span());
                    out.push(group.into());
                }
                proc_macro2::TokenTree::Punct(p) if p.as_char() == '\'' => {
                    let span = p.span();
                    out.push(proc_macro2::TokenTree::Punct(p));
                    if let Some(proc_macro2::TokenTree::Ident(name)) = tokens.next() {
                        let erased = if name == "static" {
                            name
                        } else {
                            Ident::new("_", span)
                        };
                        out.push(erased.into());
                    }
                }
                other => out.push(other),
            }
        }
        out.into_iter().collect()
    }
    walk(ty.to_token_stream())
}

/// The element as the host has it in a buffer: an atomic of the device is the plain value there.
fn host_element(ty: &Type) -> Type {
    let Type::Path(p) = ty else { return ty.clone() };
    let name = p
        .path
        .segments
        .last()
        .map(|s| s.ident.to_string())
        .unwrap_or_default();
    let value = ["DeviceAtomic", "BlockAtomic", "SystemAtomic", "Atomic"]
        .iter()
        .find_map(|kind| name.strip_prefix(kind));
    let value = match value {
        Some("U32") => "u32",
        Some("I32") => "i32",
        Some("U64") => "u64",
        Some("I64") => "i64",
        Some("F16") => "u16",
        Some("F32") => "f32",
        Some("F64") => "f64",
        _ => return ty.clone(),
    };
    let value = Ident::new(value, ty.span());
    syn::parse_quote!(#value)
}

fn kind(ty: &Type, sig: &syn::Signature) -> Result<Kind> {
    match ty {
        Type::Reference(r) => {
            let exclusive = r.mutability.is_some();
            match &*r.elem {
                Type::Slice(s) if exclusive => Ok(Kind::SliceMut(host_element(&s.elem))),
                Type::Slice(s) => Ok(Kind::Slice(host_element(&s.elem))),
                Type::TraitObject(t) => Err(Error::new(
                    t.span(),
                    "a kernel cannot take a trait object: its vtable is the host's",
                )),
                Type::Path(p) if p.path.is_ident("str") => Err(Error::new(
                    p.span(),
                    "a kernel cannot take a `&str`: pass its bytes as `&[u8]`",
                )),
                elem if exclusive => Ok(Kind::RefMut(host_element(elem))),
                elem => Ok(Kind::Ref(host_element(elem))),
            }
        }
        Type::ImplTrait(t) => {
            let text = "a kernel's argument has a named type: write a type parameter, `fn k<F: Fn(f32) -> f32 + Copy>(f: F)`";
            Err(Error::new(t.span(), text))
        }
        Type::Path(p) => {
            let Some(last) = p.path.segments.last() else {
                return Ok(Kind::Value);
            };
            if last.ident == "DisjointSlice" {
                return disjoint(&last.arguments, ty);
            }
            match p.path.get_ident() {
                Some(name) if is_callable(name, sig) => Ok(Kind::Closure),
                _ => Ok(Kind::Value),
            }
        }
        Type::Slice(s) => Err(Error::new(
            s.span(),
            "a slice is passed by reference: `&[T]`",
        )),
        _ => Ok(Kind::Value),
    }
}

fn disjoint(arguments: &PathArguments, ty: &Type) -> Result<Kind> {
    let PathArguments::AngleBracketed(list) = arguments else {
        return Err(Error::new(
            ty.span(),
            "write the element: `DisjointSlice<f32>`",
        ));
    };
    let mut types = list.args.iter().filter_map(|a| match a {
        GenericArgument::Type(t) => Some(t),
        _ => None,
    });
    let Some(element) = types.next() else {
        return Err(Error::new(
            ty.span(),
            "write the element: `DisjointSlice<f32>`",
        ));
    };
    let runtime = matches!(types.next(), Some(Type::Path(p)) if p.path.segments.last().is_some_and(|s| s.ident == "Runtime2DIndex"));
    Ok(if runtime {
        Kind::Pitched(element.clone())
    } else {
        Kind::SliceMut(element.clone())
    })
}

/// Whether a type parameter has a bound `Fn…(…)`.
fn is_callable(name: &Ident, sig: &syn::Signature) -> bool {
    let is_fn = |bounds: &syn::punctuated::Punctuated<syn::TypeParamBound, syn::Token![+]>| {
        bounds.iter().any(|b| match b {
            syn::TypeParamBound::Trait(t) => {
                let last = t.path.segments.last();
                last.is_some_and(|s| matches!(s.arguments, PathArguments::Parenthesized(_)))
            }
            _ => false,
        })
    };
    let inline = sig.generics.params.iter().any(|p| match p {
        GenericParam::Type(t) => t.ident == *name && is_fn(&t.bounds),
        _ => false,
    });
    let clause = sig
        .generics
        .where_clause
        .iter()
        .flat_map(|w| &w.predicates)
        .any(|p| match p {
            syn::WherePredicate::Type(t) => {
                matches!(&t.bounded_ty, Type::Path(p) if p.path.is_ident(name)) && is_fn(&t.bounds)
            }
            _ => false,
        });
    inline || clause
}
