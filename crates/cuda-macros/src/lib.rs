//! `#[kernel]`, `#[cuda_module]`, `#[derive(DeviceCopy)]` and the other attributes. `cuda_device` exports them.

use proc_macro::TokenStream;

mod atomics;
mod derive;
mod kernel;
mod module;
mod paths;
mod printf;
mod ptx_asm;
mod signature;
mod unroll;

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
///
/// In it and in kernels, `#[unroll] for i in 0..8 { … }` with literal bounds is written out, eight times the body.
#[proc_macro_attribute]
pub fn device(_attr: TokenStream, item: TokenStream) -> TokenStream {
    let item = unroll::unroll(item.into());
    finish(item.map(|item| quote::quote!(#[allow(dead_code)] #item)))
}

/// `#[launch_bounds(max_threads, min_blocks)]` beside `#[kernel]`: at most so many threads in a block, and registers so
/// that at least so many blocks fit on an SM (optional).
#[proc_macro_attribute]
pub fn launch_bounds(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::hand_on("launch_bounds", attr.into(), item.into()))
}

/// `#[cluster_launch(x, y, z)]` beside `#[kernel]`: its blocks run in clusters of this shape. sm_90.
#[proc_macro_attribute]
pub fn cluster_launch(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::hand_on("cluster_launch", attr.into(), item.into()))
}

/// `#[cooperative_launch]` beside `#[kernel]`: all blocks run at once, so that `grid::sync` works. A launch of more blocks than fit is an error.
#[proc_macro_attribute]
pub fn cooperative_launch(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::hand_on(
        "cooperative_launch",
        attr.into(),
        item.into(),
    ))
}

/// `#[launch_contract(block_dim(256), grid_dim(8, 8), shared_mem_bytes(1024))]` beside `#[kernel]`: launches of another shape are errors before they
/// reach the driver. Dimensions that are left out are 1; `shared_mem_bytes` is the least.
#[proc_macro_attribute]
pub fn launch_contract(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::hand_on("launch_contract", attr.into(), item.into()))
}

/// Marks a `static` of type `ConstantMemory<T>`, which lies in constant memory.
#[proc_macro_attribute]
pub fn constant(attr: TokenStream, item: TokenStream) -> TokenStream {
    finish(kernel::constant(attr.into(), item.into()))
}

/// Says that a function's control flow must stay as it is around its calls. The compiler takes every device function for one until LLVM has shown that
/// it holds no barrier, shuffle or vote, so that nothing is lost without the attribute.
#[proc_macro_attribute]
pub fn convergent(_attr: TokenStream, item: TokenStream) -> TokenStream {
    item
}

/// Inline PTX: `ptx_asm!("add.u32 {0}, {1}, {2};", out("r") sum, in("r") a, in("r") b)`.
///
/// `{0}`, `{name}` (`name = in("r") x`) and `{}` are operands, `{{` and `}}` braces of PTX. Registers: `"h"` 16 bits, `"r"` 32, `"l"` 64 and
/// pointers, `"f"` `f32`, `"d"` `f64`. `options(pure)`: a function of its inputs, which may go if nothing uses it; `options(convergent)`: it meets other
/// threads. Unsafe: the compiler believes what is written.
#[proc_macro]
pub fn ptx_asm(input: TokenStream) -> TokenStream {
    finish(ptx_asm::ptx_asm(input.into()))
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
