//! The symbol of an instance as a string: what joins the launch of a generic kernel to its device code.
//!
//! `type_name` is the same for two closures of one function, so it cannot. `sym` in `asm!` gives the mangled name of the
//! very instance, on stable; the string lies in a read-only section, and the code loads its address.

/// The mangled symbol of a function instance, as `&'static str`.
#[doc(hidden)]
#[macro_export]
macro_rules! __symbol_of {
    ($($instance:tt)+) => {{
        let text: *const ::core::ffi::c_char;
        // SAFETY: loads an address; the string ends in a NUL and lives as long as the program.
        unsafe {
            #[cfg(all(target_arch = "x86_64", target_os = "linux"))]
            ::core::arch::asm!(
                "lea {out}, [rip + 2f]",
                ".pushsection .rodata.cuda_oxide,\"a\",@progbits",
                "2: .asciz \"{symbol}\"",
                ".popsection",
                out = out(reg) text,
                symbol = sym $($instance)+,
                options(pure, nomem, nostack, preserves_flags),
            );
            #[cfg(all(target_arch = "aarch64", target_os = "linux"))]
            ::core::arch::asm!(
                "adrp {out}, 2f",
                "add {out}, {out}, :lo12:2f",
                ".pushsection .rodata.cuda_oxide,\"a\",@progbits",
                "2: .asciz \"{symbol}\"",
                ".popsection",
                out = out(reg) text,
                symbol = sym $($instance)+,
                options(pure, nomem, nostack, preserves_flags),
            );
            #[cfg(not(all(any(target_arch = "x86_64", target_arch = "aarch64"), target_os = "linux")))]
            ::core::compile_error!("generic kernels: the host's form of the instance's symbol is not there for this target");
            $crate::__private::c_str(text)
        }
    }};
}
