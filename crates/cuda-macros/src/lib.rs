//! `#[kernel]`, `#[cuda_module]`, `#[derive(DeviceCopy)]` and the other attributes. `cuda_device` exports them.

use proc_macro::TokenStream;

mod atomics;
mod derive;
mod kernel;
mod module;
mod paths;
mod printf;
mod signature;

/// Makes a function a kernel.
///
/// It returns nothing, its arguments have plain names, and it may be generic over types, constants and closures.
/// `#[kernel(fmad)]` allows products and sums to fuse; `#[kernel(device = path)]` names `cuda_device` where it is
/// reached through another crate.
#[proc_macro_attribute]
pub fn kernel(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::kernel(attr.into(), item.into()))
}

/// Gives a module with kernels `load(&ctx)` and one `unsafe` launch method for each kernel.
#[proc_macro_attribute]
pub fn cuda_module(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(module::cuda_module(attr.into(), item.into()))
}

/// Marks what only kernels call; says so to readers and silences `dead_code` on the host.
#[proc_macro_attribute]
pub fn device(_attr: TokenStream, item: TokenStream) -> TokenStream {
    let item: proc_macro2::TokenStream = item.into();
    quote::quote!(#[allow(dead_code)] #item).into()
}

/// `#[launch_bounds(max_threads, min_blocks)]` beside `#[kernel]`: at most so many threads in a block, and registers so
/// that at least so many blocks fit on an SM (optional).
#[proc_macro_attribute]
pub fn launch_bounds(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::launch_bounds(attr.into(), item.into()))
}

/// Implements `DeviceCopy` for a `Copy` type whose fields have it.
#[proc_macro_derive(DeviceCopy)]
pub fn derive_device_copy(item: TokenStream) -> TokenStream {
    finish(derive::device_copy(item.into()))
}

/// Prints from the device: `gpu_printf!("thread {}: {:.3}\n", i, x)`, or with C's conversions,
/// `gpu_printf!("thread %d: %f\n", i, x)`.
#[proc_macro]
pub fn gpu_printf(input: TokenStream) -> TokenStream {
    finish(printf::gpu_printf(input.into()))
}

/// For `cuda_device` alone: the families of atomic intrinsics and types.
#[doc(hidden)]
#[proc_macro]
pub fn __atomics(input: TokenStream) -> TokenStream {
    finish(atomics::atomics(input.into()))
}

fn finish(result: syn::Result<proc_macro2::TokenStream>) -> TokenStream {
    result.unwrap_or_else(|e| e.to_compile_error()).into()
}
