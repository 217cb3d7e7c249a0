//! `#[kernel]` and `#[launch_bounds]`.

use crate::signature::{Options, Signature, parse_bounds};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, ItemFn, Result, parse::Parser};

pub fn kernel(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut f: ItemFn = syn::parse2(item)?;
    let mut options: Options = syn::parse2(attr)?;
    take_bounds(&mut f.attrs, &mut options)?;
    let signature = match Signature::new(&f, options) {
        Ok(signature) => signature,
        // The function stays, so that its name is not reported as missing on top.
        Err(e) => {
            let e = e.to_compile_error();
            return Ok(quote!(#f #e));
        }
    };
    let device = signature.options.device_path();
    let sibling = (!signature.is_generic()).then(|| {
        let sibling = format_ident!("__oxide_kernel__{}", signature.name);
        let n = signature.args.len();
        let desc = signature.desc(&device);
        quote! {
            #device::__only_on_device! {
                #[doc(hidden)]
                #[used]
                #[allow(non_upper_case_globals)]
                pub static #sibling: #device::KernelDesc<#n> = #desc;
            }
        }
    });
    Ok(quote! {
        #[allow(dead_code, clippy::too_many_arguments)]
        #f
        #sibling
    })
}

/// `#[launch_bounds]` above `#[kernel]`: hands itself on to it.
pub fn launch_bounds(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let (max, min) = parse_bounds.parse2(attr)?;
    let mut f: ItemFn = syn::parse2(item)?;
    let Some(at) = f.attrs.iter().position(|a| is(a, "kernel")) else {
        return Err(syn::Error::new(
            f.sig.ident.span(),
            "`#[launch_bounds]` needs `#[kernel]` on the same function",
        ));
    };
    let path = f.attrs[at].path().clone();
    let rest = arguments(&f.attrs[at])?;
    f.attrs[at] = syn::parse_quote!(#[#path(launch_bounds(#max, #min), #rest)]);
    Ok(quote!(#f))
}

/// Whether an attribute is `#[name]`, by any path.
pub fn is(attr: &Attribute, name: &str) -> bool {
    attr.path().segments.last().is_some_and(|s| s.ident == name)
}

/// What stands between an attribute's parentheses.
pub fn arguments(attr: &Attribute) -> Result<TokenStream> {
    match &attr.meta {
        syn::Meta::Path(_) => Ok(TokenStream::new()),
        syn::Meta::List(list) => Ok(list.tokens.clone()),
        syn::Meta::NameValue(_) => Err(syn::Error::new_spanned(attr, "expected parentheses")),
    }
}

/// Takes `#[launch_bounds]` off a function's attributes.
pub fn take_bounds(attrs: &mut Vec<Attribute>, options: &mut Options) -> Result<()> {
    if let Some(at) = attrs.iter().position(|a| is(a, "launch_bounds")) {
        let attr = attrs.remove(at);
        options.launch_bounds = Some(parse_bounds.parse2(arguments(&attr)?)?);
    }
    Ok(())
}
