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
    let Embedded {
        items: embedded,
        bytes: artifact,
    } = artifact();
    items.push(Item::Verbatim(quote! {
        #(#errors)*

        #embedded

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
    let checked = signature.options.contract.as_ref().map(|c| {
        let dims = |d: Option<(u32, u32, u32)>| match d {
            Some((x, y, z)) => quote!(::core::option::Option::Some((#x, #y, #z))),
            None => quote!(::core::option::Option::None),
        };
        let (grid, block, shared) = (dims(c.grid), dims(c.block), c.shared);
        quote!(#core::__private::keeps_contract(#text, &cfg, #grid, #block, #shared)?;)
    });
    let cooperative = signature.options.cooperative;
    let (on_device, on_host) = if signature.is_generic() {
        let desc = signature.desc(device);
        (
            quote!(#device::__oxide_kernel_instance(const { &#desc });),
            quote!(#core::__private::launch_instance(
                &self.module, #core::__symbol_of!(#instance), stream, cfg, #cooperative, &[#(#values),*],
            )),
        )
    } else {
        (
            quote!(),
            quote!(#core::__private::launch(
                &self.module, ::core::concat!(::core::module_path!(), "::", #text), stream, cfg, #cooperative, &[#(#values),*],
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
                {
                    let cfg: #core::LaunchConfig = cfg.into();
                    #checked
                    #on_host
                }
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

/// The artifact in this crate's objects.
struct Embedded {
    /// Items of the module.
    items: TokenStream,
    /// An `Option<&'static [u8]>`.
    bytes: TokenStream,
}

/// The artifact's bytes: from a path in the environment, which is tracked.
fn artifact() -> Embedded {
    let only = |bytes: TokenStream| Embedded {
        items: TokenStream::new(),
        bytes,
    };
    let tracked = quote!(
        const _: ::core::option::Option<&str> = ::core::option_env!("CUDA_OXIDE_ARTIFACTS");
    );
    let Some(folder) = std::env::var_os("CUDA_OXIDE_ARTIFACTS").filter(|f| !f.is_empty()) else {
        return only(quote!({ #tracked ::core::option::Option::None }));
    };
    let name = std::env::var("CARGO_CRATE_NAME").unwrap_or_default();
    let path = std::path::Path::new(&folder).join(format!("{name}.oxart"));
    if device_pass() {
        return only(quote!({ #tracked ::core::option::Option::None }));
    }
    let text = path.to_string_lossy().into_owned();
    let Some((hash, len)) = hash_of(&path) else {
        let words = format!(
            "CUDA_OXIDE_ARTIFACTS is set, but `{text}` is not there: the device pass made no artifact for the crate `{name}`. \
             Build with `cargo oxide build`, which sets the variable after the device pass"
        );
        return only(quote!({ #tracked ::core::compile_error!(#words) }));
    };
    let symbol = format!("__oxide_artifact_{name}_{hash:016x}");
    let assembly = once(&symbol, &text);
    Embedded {
        items: quote! {
            #[cfg(target_os = "linux")]
            ::core::arch::global_asm!(#assembly, options(raw));
            #[cfg(target_os = "linux")]
            unsafe extern "C" {
                // `safe`: the assembly above defines it, with this length, and nothing writes it.
                #[link_name = #symbol]
                safe static __OXIDE_ARTIFACT: [u8; #len];
            }
            #[cfg(not(target_os = "linux"))]
            static __OXIDE_ARTIFACT: [u8; #len] = *::core::include_bytes!(#text);
        },
        bytes: quote!({
            #tracked
            // By this rustc knows that the crate depends on the file.
            const _: () = ::core::assert!(::core::include_bytes!(#text).len() == #len);
            ::core::option::Option::Some(&__OXIDE_ARTIFACT as &[u8])
        }),
    }
}

/// Assembly that puts a file into the program once, however many modules and codegen units ask for it: a section in a group of its
/// symbol's name, of which the linker keeps one. The symbol has the content's hash in its name, since rustc keeps object code whose
/// assembly is the same.
fn once(symbol: &str, path: &str) -> String {
    let path = path.replace('\\', "\\\\").replace('"', "\\\"");
    format!(
        ".ifndef {symbol}\n\
         .pushsection .rodata.{symbol},\"aG\",@progbits,{symbol},comdat\n\
         .globl {symbol}\n\
         .hidden {symbol}\n\
         .type {symbol},@object\n\
         .balign 16\n\
         {symbol}:\n\
         .incbin \"{path}\"\n\
         .size {symbol}, . - {symbol}\n\
         .popsection\n\
         .endif"
    )
}

/// Hash and length of a file; read once for all the modules of a crate.
fn hash_of(path: &std::path::Path) -> Option<(u64, usize)> {
    use std::hash::{DefaultHasher, Hash, Hasher};
    use std::sync::Mutex;
    static KNOWN: Mutex<Option<(std::path::PathBuf, u64, usize)>> = Mutex::new(None);
    let mut known = KNOWN.lock().unwrap_or_else(|e| e.into_inner());
    if let Some((of, hash, len)) = &*known
        && of == path
    {
        return Some((*hash, *len));
    }
    let bytes = std::fs::read(path).ok()?;
    let mut hasher = DefaultHasher::new();
    bytes.hash(&mut hasher);
    let (hash, len) = (hasher.finish(), bytes.len());
    *known = Some((path.to_path_buf(), hash, len));
    Some((hash, len))
}

/// Whether this very compilation is the device pass; there no artifact exists yet.
fn device_pass() -> bool {
    let mut args = std::env::args();
    args.any(|a| a == "cuda_oxide_device" || a == "--cfg=cuda_oxide_device")
}
