//! `#[cuda_module]`: `load`, and a launch method for each kernel.

use crate::kernel::{arguments, is, take_bounds};
use crate::signature::{Kind, Options, Signature, erase_lifetimes};
use proc_macro2::TokenStream;
use quote::{quote, quote_spanned};
use syn::spanned::Spanned;
use syn::{Error, GenericParam, Item, ItemFn, ItemMod, Result, Visibility};

pub fn cuda_module(attr: TokenStream, item: TokenStream) -> Result<TokenStream> {
    let options: Options = syn::parse2(attr)?;
    let mut module: ItemMod = syn::parse2(item)?;
    let Some((_, items)) = &mut module.content else {
        return Err(Error::new_spanned(
            &module,
            "`#[cuda_module]` needs the module's body here: `mod kernels { … }`",
        ));
    };
    let (device, core) = (options.device_path(), options.core_path());
    let mut methods = Vec::new();
    let mut expected = Vec::new();
    let mut errors = Vec::new();
    for item in items.iter_mut() {
        let Item::Fn(f) = item else { continue };
        let Some(at) = f.attrs.iter().position(|a| is(a, "kernel")) else {
            continue;
        };
        match launch(f, at, &options, &device, &core) {
            Ok((method, expectation)) => {
                methods.push(method);
                expected.extend(expectation);
            }
            // `#[kernel]` itself reports the same error, once is enough; what only this macro sees is kept.
            Err(Failure::Reported) => {}
            Err(Failure::New(e)) => errors.push(e.to_compile_error()),
        }
    }
    if let Some(e) = no_kernel(items) {
        errors.push(e.to_compile_error());
    }
    let artifact = artifact();
    items.push(Item::Verbatim(quote! {
        #(#errors)*

        /// The kernels of this module, loaded into a context.
        #[derive(Clone)]
        pub struct LoadedModule {
            module: ::std::sync::Arc<#core::CudaModule>,
        }

        /// Loads this crate's kernels into a context, after comparing the layouts of their arguments.
        pub fn load(
            ctx: &::std::sync::Arc<#core::CudaContext>,
        ) -> ::core::result::Result<LoadedModule, #core::DriverError> {
            #device::__on_device! {
                {
                    let _ = ctx;
                    ::core::result::Result::Err(#core::__private::device_pass())
                }
                {
                    const EXPECTED: &[#core::__private::Expected] = &[#(#expected),*];
                    let module = #core::__private::load(ctx, #artifact, EXPECTED, ::core::module_path!())?;
                    ::core::result::Result::Ok(LoadedModule { module })
                }
            }
        }

        impl LoadedModule {
            /// The module itself, for what has no method here.
            pub fn module(&self) -> &::std::sync::Arc<#core::CudaModule> {
                &self.module
            }

            #(#methods)*
        }
    }));
    Ok(quote!(#module))
}

/// An error if there are functions and none of them is a kernel. What macros in the module make is not known here, and what `cfg`
/// takes away is not seen.
fn no_kernel(items: &[Item]) -> Option<Error> {
    let kernel = |f: &ItemFn| f.attrs.iter().any(|a| is(a, "kernel") || is(a, "cfg_attr"));
    let mut first = None;
    for item in items {
        match item {
            Item::Fn(f) if kernel(f) => return None,
            Item::Fn(f) => first = first.or(Some(f)),
            Item::Macro(_) | Item::Verbatim(_) => return None,
            _ => {}
        }
    }
    let text = "there is no kernel in this `#[cuda_module]`: write `#[kernel]` above the functions that the host launches";
    first.map(|f| Error::new(f.sig.ident.span(), text))
}

enum Failure {
    /// `#[kernel]` reports it.
    Reported,
    New(Error),
}

impl From<Error> for Failure {
    fn from(e: Error) -> Self {
        Failure::New(e)
    }
}

/// The launch method of a kernel, and for a plain kernel what `load` compares.
fn launch(
    f: &mut ItemFn,
    at: usize,
    module: &Options,
    device: &TokenStream,
    core: &TokenStream,
) -> std::result::Result<(TokenStream, Option<TokenStream>), Failure> {
    if ["load", "module"].iter().any(|name| f.sig.ident == name) {
        let text = format!(
            "a kernel in a `#[cuda_module]` cannot be called `{}`: the module has a function of that name",
            f.sig.ident
        );
        return Err(Error::new(f.sig.ident.span(), text).into());
    }
    let Ok(mut options) = syn::parse2::<Options>(arguments(&f.attrs[at])?) else {
        return Err(Failure::Reported);
    };
    take_bounds(&mut f.attrs.clone(), &mut options)?;
    if options.device.is_none()
        && let Some(path) = &module.device
    {
        // The kernel's own expansion needs the path too.
        let (attr, rest) = (f.attrs[at].path().clone(), arguments(&f.attrs[at])?);
        f.attrs[at] = syn::parse_quote!(#[#attr(device = #path, #rest)]);
    }
    let Ok(signature) = Signature::new(f, options) else {
        return Err(Failure::Reported);
    };

    let name = &signature.name;
    let docs = f
        .attrs
        .iter()
        .filter(|a| a.path().is_ident("doc") || a.path().is_ident("cfg"));
    let vis = match &f.vis {
        Visibility::Inherited => quote!(pub(crate)),
        vis => quote!(#vis),
    };
    // Lifetimes of references are those of the borrow during the launch: they are left to elision.
    let generics = f
        .sig
        .generics
        .params
        .iter()
        .filter(|p| !matches!(p, GenericParam::Lifetime(_)));
    let generics: Vec<_> = generics.collect();
    let predicates = f
        .sig
        .generics
        .where_clause
        .iter()
        .flat_map(|w| &w.predicates);
    let predicates: Vec<_> = predicates
        .filter(|p| !matches!(p, syn::WherePredicate::Lifetime(_)))
        .collect();

    let mut params = Vec::new();
    let mut values = Vec::new();
    let mut bounds = Vec::new();
    let mut names = Vec::new();
    for arg in &signature.args {
        let (name, ty) = (&arg.name, &arg.ty);
        names.push(name);
        let element = |t: &syn::Type| erase_lifetimes(t);
        let (param, value) = match &arg.kind {
            Kind::Slice(t) => {
                let t = element(t);
                (
                    quote_spanned!(ty.span()=> &#core::DeviceBuffer<#t>),
                    quote!(#core::__private::Arg::slice(#name)),
                )
            }
            Kind::SliceMut(t) => {
                let t = element(t);
                (
                    quote_spanned!(ty.span()=> &mut #core::DeviceBuffer<#t>),
                    quote!(#core::__private::Arg::slice(#name)),
                )
            }
            Kind::Pitched(t) => {
                let t = element(t);
                (
                    quote_spanned!(ty.span()=> #core::Pitched<'_, #t>),
                    quote!(#core::__private::Arg::pitched(&#name)),
                )
            }
            Kind::Ref(t) => {
                let t = element(t);
                (
                    quote_spanned!(ty.span()=> &#core::DeviceBuffer<#t>),
                    quote!(#core::__private::Arg::reference(#name)?),
                )
            }
            Kind::RefMut(t) => {
                let t = element(t);
                (
                    quote_spanned!(ty.span()=> &mut #core::DeviceBuffer<#t>),
                    quote!(#core::__private::Arg::reference(#name)?),
                )
            }
            Kind::Value => (quote!(#ty), quote!(#core::__private::Arg::value(&#name))),
            Kind::Closure => {
                bounds.push(quote_spanned!(ty.span()=> #ty: ::core::marker::Copy));
                (quote!(#ty), quote!(#core::__private::Arg::closure(&#name)))
            }
        };
        if let Some(t) = arg.device_copy() {
            let t = erase_lifetimes(t);
            if signature.is_generic() {
                bounds.push(quote_spanned!(ty.span()=> #t: #core::DeviceCopy));
            }
        }
        params.push(quote!(#name: #param));
        values.push(value);
    }

    let instance = signature.instance();
    let text = name.to_string();
    let (on_device, on_host) = if signature.is_generic() {
        let desc = signature.desc(device);
        (
            quote!(#device::__oxide_kernel_instance(const { &#desc });),
            quote!(#core::__private::launch_instance(
                &self.module, #core::__symbol_of!(#instance), stream, cfg.into(), &[#(#values),*],
            )),
        )
    } else {
        (
            quote!(),
            quote!(#core::__private::launch(
                &self.module, ::core::concat!(::core::module_path!(), "::", #text), stream, cfg.into(), &[#(#values),*],
            )),
        )
    };
    let method = quote! {
        #(#docs)*
        ///
        /// Launches the kernel of this name.
        ///
        /// # Safety
        /// The launch's shape is one that the kernel is written for, its indices stay within what it accesses unchecked,
        /// and nothing else accesses the buffers that it writes before it ends.
        #[allow(clippy::too_many_arguments, clippy::multiple_bound_locations, private_interfaces, private_bounds, unused_mut)]
        #vis unsafe fn #name<#(#generics),*>(
            &self,
            stream: &#core::CudaStream,
            cfg: impl ::core::convert::Into<#core::LaunchConfig>,
            #(#params),*
        ) -> ::core::result::Result<(), #core::DriverError>
        where
            #(#predicates,)*
            #(#bounds,)*
        {
            #device::__on_device! {
                {
                    #on_device
                    let _ = (stream, cfg, #(#names),*);
                    ::core::result::Result::Err(#core::__private::device_pass())
                }
                { #on_host }
            }
        }
    };
    let expected = (!signature.is_generic()).then(|| {
        let layouts = signature.args.iter().map(|a| a.layout(core));
        let arg_names = signature.args.iter().map(|a| a.name.to_string());
        let cfgs = f.attrs.iter().filter(|a| a.path().is_ident("cfg"));
        quote! {
            #(#cfgs)*
            #core::__private::Expected {
                key: ::core::concat!(::core::module_path!(), "::", #text),
                args: &[#((#arg_names, #layouts)),*],
            }
        }
    });
    Ok((method, expected))
}

/// The artifact's bytes: included by a path from the environment, which is tracked.
fn artifact() -> TokenStream {
    let tracked = quote!(
        const _: ::core::option::Option<&str> = ::core::option_env!("CUDA_OXIDE_ARTIFACTS");
    );
    let Some(folder) = std::env::var_os("CUDA_OXIDE_ARTIFACTS").filter(|f| !f.is_empty()) else {
        return quote!({ #tracked ::core::option::Option::None });
    };
    let name = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    let path = std::path::Path::new(&folder).join(format!("{name}.oxart"));
    if device_pass() {
        return quote!({ #tracked ::core::option::Option::None });
    }
    let text = path.to_string_lossy().into_owned();
    if !path.exists() {
        let words = format!(
            "CUDA_OXIDE_ARTIFACTS is set, but `{text}` is not there: the device pass made no artifact for the crate `{name}`. \
             Build with `cargo oxide build`, which sets the variable after the device pass"
        );
        return quote!({ #tracked ::core::compile_error!(#words) });
    }
    quote!({ #tracked ::core::option::Option::Some(::core::include_bytes!(#text) as &[u8]) })
}

/// Whether this very compilation is the device pass; there no artifact exists yet.
fn device_pass() -> bool {
    let mut args = std::env::args();
    args.any(|a| a == "cuda_oxide_device" || a == "--cfg=cuda_oxide_device")
}
