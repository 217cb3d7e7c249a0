//! How an exported function is written.

/// Defines exported functions. The body answers with `Result<(), CUresult>`; a panic in it becomes
/// `CUDA_ERROR_UNKNOWN`, since nothing may unwind into the caller's C. `sticky` functions first answer with the error
/// of an earlier launch, if there was one.
macro_rules! driver_api {
    ($($(#[$doc:meta])* $mode:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$doc])*
        ///
        /// # Safety
        /// As the CUDA driver API says of the function of this name: pointers are valid for what it reads and writes.
        #[unsafe(no_mangle)]
        #[allow(clippy::too_many_arguments)]
        pub unsafe extern "C" fn $name($($arg: $ty),*) -> $crate::CUresult {
            let body = move || -> Result<(), $crate::CUresult> {
                driver_api!(@ $mode);
                $body
            };
            match std::panic::catch_unwind(std::panic::AssertUnwindSafe(body)) {
                Ok(Ok(())) => $crate::CUDA_SUCCESS,
                Ok(Err(e)) => e,
                Err(_) => $crate::CUDA_ERROR_UNKNOWN,
            }
        }
    )*};
    (@ sticky) => { $crate::state::check()?; };
    (@ plain) => {};
}
