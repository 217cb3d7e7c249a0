//! `#[kernel]` and `#[launch_bounds]`.

use crate::signature::{OF_LAUNCHES, Options, Signature};
use proc_macro2::TokenStream;
use quote::{format_ident, quote};
use syn::{Attribute, Ident, ItemFn, Result, parse::Parser};

pub fn kernel(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let mut f: ItemFn = syn::parse2(crate::unroll::unroll(item)?)?;
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

/// `#[launch_bounds]` and its like above `#[kernel]`: it hands itself on.
pub fn hand_on(name: &str, attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let name = Ident::new(name, proc_macro2::Span::call_site());
    let own = if attr.is_empty() {
        quote!(#name)
    } else {
        quote!(#name(#attr))
    };
    // Mistakes are reported here, once.
    syn::parse2::<Options>(own.clone())?;
    let mut f: ItemFn = syn::parse2(item)?;
    let Some(at) = f.attrs.iter().position(|a| is(a, "kernel")) else {
        return Err(syn::Error::new(
            f.sig.ident.span(),
            format!("`#[{name}]` needs `#[kernel]` on the same function"),
        ));
    };
    let path = f.attrs[at].path().clone();
    let rest = arguments(&f.attrs[at])?;
    f.attrs[at] = syn::parse_quote!(#[#path(#own, #rest)]);
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

/// Takes `#[launch_bounds]` and its like off a function's attributes.
pub fn take_bounds(attrs: &mut Vec<Attribute>, options: &mut Options) -> Result<()> {
    for name in OF_LAUNCHES {
        if let Some(at) = attrs.iter().position(|a| is(a, name)) {
            let attr = attrs.remove(at);
            let name = Ident::new(name, proc_macro2::Span::call_site());
            let rest = arguments(&attr)?;
            let own = if rest.is_empty() {
                quote!(#name)
            } else {
                quote!(#name(#rest))
            };
            let parse = |input: syn::parse::ParseStream| options.parse_more(input);
            Parser::parse2(parse, own)?;
        }
    }
    Ok(())
}

/// `#[constant]`: the type says it to the compiler, so the attribute only checks.
pub fn constant(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    if !attr.is_empty() {
        return Err(syn::Error::new_spanned(attr, "`#[constant]` takes nothing"));
    }
    let item: syn::ItemStatic = syn::parse2(item)?;
    let right = match &*item.ty {
        syn::Type::Path(p) => {
            let last = p.path.segments.last();
            last.is_some_and(|s| s.ident == "ConstantMemory")
        }
        _ => false,
    };
    if !right {
        return Err(syn::Error::new_spanned(
            &item.ty,
            "a static in constant memory has the type `ConstantMemory<T>`",
        ));
    }
    if let syn::StaticMutability::Mut(token) = &item.mutability {
        return Err(syn::Error::new_spanned(
            token,
            "kernels cannot write constant memory: leave `mut` out",
        ));
    }
    Ok(quote!(#[allow(dead_code)] #item))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn expand(attr: &str, item: &str) -> String {
        match kernel(attr.parse().unwrap(), item.parse().unwrap()) {
            Ok(tokens) => tokens.to_string(),
            Err(e) => e.to_compile_error().to_string(),
        }
    }

    /// Each mistake has its words, and the function stays beside the error.
    #[test]
    fn mistakes() {
        for (item, words) in [
            ("fn k(x: f32) -> f32 { x }", "a kernel returns nothing"),
            ("async fn k() {}", "a kernel cannot be `async`"),
            ("extern \"C\" fn k() {}", "a kernel has Rust's ABI"),
            ("fn k(&self) {}", "it has no `self`"),
            ("fn k((a, b): (u8, u8)) {}", "a plain name"),
            ("fn k(f: impl Fn(f32) -> f32) {}", "write a type parameter"),
            ("fn k(s: &str) {}", "as `&[u8]`"),
            ("fn k(d: &dyn Fn()) {}", "trait object"),
            ("fn k(d: DisjointSlice) {}", "write the element"),
        ] {
            let out = expand("", item);
            assert!(
                out.contains("compile_error") && out.contains(words),
                "{item}: {out}"
            );
            assert!(out.contains("fn k"), "{item}: {out}");
            assert!(!out.contains("__oxide_kernel__k"), "{item}: {out}");
        }
        assert!(expand("fast", "fn k() {}").contains("`fast` is not known here"));
        assert!(
            expand("launch_bounds(2048)", "fn k() {}").contains("a block has 1 to 1024 threads")
        );
        // Several mistakes are reported at once.
        assert_eq!(
            expand("", "async fn k(&self) -> u8 { 0 }")
                .matches("compile_error")
                .count(),
            3
        );
    }

    #[test]
    fn plain_kernels_have_a_sibling_and_generic_ones_none() {
        let plain = expand(
            "fmad, launch_bounds(128)",
            "pub fn k<'a>(x: &'a [f32], mut y: DisjointSlice<'a, f32>, _: u8) {}",
        );
        for words in [
            "__oxide_kernel__k",
            "KernelDesc :: < 3usize >",
            "max_threads : 128u32",
            "flags : 1u32",
            "name : \"_arg2\"",
        ] {
            assert!(plain.contains(words), "{words}: {plain}");
        }
        assert!(!expand("", "fn k<T: Copy>(x: T) {}").contains("__oxide_kernel__"));
        assert!(!expand("", "fn k<const N: usize>() {}").contains("__oxide_kernel__"));
    }

    #[test]
    fn launch_bounds_hands_itself_on() {
        let out = hand_on(
            "launch_bounds",
            "256, 2".parse().unwrap(),
            "#[kernel(fmad)] fn k() {}".parse().unwrap(),
        )
        .unwrap()
        .to_string();
        assert!(out.contains("launch_bounds (256 , 2) , fmad"), "{out}");
        let alone = |name: &str, attr: &str, item: &str| {
            hand_on(name, attr.parse().unwrap(), item.parse().unwrap())
        };
        assert!(alone("launch_bounds", "256", "fn k() {}").is_err());
        assert!(alone("cluster_launch", "3, 3", "#[kernel] fn k() {}").is_err());
        assert!(alone("cooperative_launch", "", "#[kernel] fn k() {}").is_ok());
        let out = expand("cluster_launch(2, 1, 1), cooperative_launch", "fn k() {}");
        assert!(
            out.contains(&format!("flags : {}u32", 0x0101_0202)),
            "{out}"
        );
    }

    #[test]
    fn constants_have_their_type() {
        let of = |item: &str| constant(TokenStream::new(), item.parse().unwrap());
        assert!(of("static A: ConstantMemory<u32> = ConstantMemory::new(1);").is_ok());
        assert!(of("static A: u32 = 1;").is_err());
        assert!(of("static mut A: ConstantMemory<u32> = ConstantMemory::new(1);").is_err());
    }
}
