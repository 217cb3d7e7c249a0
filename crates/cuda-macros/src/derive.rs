//! `#[derive(DeviceCopy)]`.

use crate::paths;
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Data, DeriveInput, Error, Fields, Result};

pub fn device_copy(item: TokenStream) -> Result<TokenStream> {
    let input: DeriveInput = syn::parse2(item)?;
    let krate = paths::trait_crate();
    let name = &input.ident;
    let (generics, arguments, clause) = input.generics.split_for_impl();
    let predicates = clause.iter().flat_map(|w| &w.predicates);
    let fields: Vec<&Fields> = match &input.data {
        Data::Struct(s) => vec![&s.fields],
        Data::Enum(e) => e.variants.iter().map(|v| &v.fields).collect(),
        Data::Union(u) => {
            return Err(Error::new(
                u.union_token.span(),
                "`DeviceCopy` cannot be derived for a union: what it holds is not known",
            ));
        }
    };
    let bounds = fields.iter().flat_map(|f| f.iter()).map(|field| {
        let ty = &field.ty;
        quote_spanned!(ty.span()=> #ty: #krate::DeviceCopy)
    });
    // The offsets in declaration order, which rustc may have changed in memory. An enum has none: its payloads overlap.
    let offsets: Vec<TokenStream> = match &input.data {
        Data::Struct(s) => s
            .fields
            .members()
            .map(|m| quote!(::core::mem::offset_of!(Self, #m) as u64))
            .collect(),
        _ => Vec::new(),
    };
    Ok(quote! {
        // SAFETY: every field is `DeviceCopy` (the bounds below), so the value is plain bytes.
        unsafe impl #generics #krate::DeviceCopy for #name #arguments
        where
            #(#predicates,)*
            #(#bounds,)*
        {
            const LAYOUT: u64 = #krate::layout_hash(
                ::core::mem::size_of::<Self>() as u64,
                ::core::mem::align_of::<Self>() as u64,
                &[#(#offsets),*],
            );
        }
    })
}
