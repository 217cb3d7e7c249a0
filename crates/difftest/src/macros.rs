//! `diff!`: functions to functions, kernels and table entries.

/// Makes of each function, which takes [`Input`](crate::words::Input)s and returns an [`Output`](crate::words::Output),
///
/// - the function itself,
/// - a kernel of the same name in the module `kernels`, one thread for each input, which calls it,
/// - an entry in the constant `CASES`, under `tag`.
///
/// The module it stands in defines what the functions use; `cuda-device` and `difftest` are dependencies of the crate.
///
/// ```ignore
/// difftest::diff! {
///     tag nan;
///     fn less(x: f32, y: f32) -> [bool; 2] { [x < y, !(x >= y)] }
/// }
/// ```
#[macro_export]
macro_rules! diff {
    (tag $tag:ident; $($(#[$meta:meta])* fn $name:ident($($arg:ident: $ty:ty),+ $(,)?) -> $ret:ty $body:block)+) => {
        $($(#[$meta])* pub fn $name($($arg: $ty),+) -> $ret $body)+

        /// The kernels of this module's functions.
        #[::cuda_device::cuda_module]
        pub mod kernels {
            use super::*;
            $(
                /// One input for each thread.
                #[::cuda_device::kernel]
                pub fn $name(input: &[u32], mut output: ::cuda_device::DisjointSlice<u32>) {
                    const INPUT: usize = 0 $(+ <$ty as $crate::words::Input>::WORDS)+;
                    const OUTPUT: usize = <$ret as $crate::words::Output>::WORDS;
                    let thread = ::cuda_device::thread::index_1d().get();
                    if thread < input.len() / INPUT && thread < output.len() / OUTPUT {
                        // SAFETY: the thread's INPUT words lie in the input, by the test above.
                        let mut words = unsafe { input.as_ptr().add(thread * INPUT) };
                        $(
                            // SAFETY: the arguments' words add up to INPUT.
                            let $arg = unsafe { $crate::words::take::<$ty>(&mut words) };
                        )+
                        let result = super::$name($($arg),+);
                        // SAFETY: the thread's OUTPUT words lie in the output, by the test above, and are no other thread's.
                        unsafe { $crate::words::Output::write(result, output.as_mut_ptr().add(thread * OUTPUT)) }
                    }
                }
            )+
        }

        /// This module's functions, as the harness sees them.
        // Only the host needs the table; in the device pass it would be most of what rustc compiles.
        pub const CASES: &[$crate::Case] = ::cuda_device::__on_device!({ &[] } { &[$(
            $crate::Case {
                tag: stringify!($tag),
                name: stringify!($name),
                args: &[$($crate::Arg::new::<$ty>(stringify!($arg), stringify!($ty))),+],
                output_words: <$ret as $crate::words::Output>::WORDS,
                cpu: |input, output| {
                    assert_eq!(input.len(), 0 $(+ <$ty as $crate::words::Input>::WORDS)+);
                    assert_eq!(output.len(), <$ret as $crate::words::Output>::WORDS);
                    let mut words = input.as_ptr();
                    // SAFETY: the arguments' words add up to the length that was just checked.
                    $(let $arg = unsafe { $crate::words::take::<$ty>(&mut words) };)+
                    let _ = words;
                    let result = $name($($arg),+);
                    // SAFETY: as many words as were just checked.
                    unsafe { $crate::words::Output::write(result, output.as_mut_ptr()) }
                },
                launch: |gpu, config, input, output| {
                    let module = gpu.module(kernels::load)?;
                    // SAFETY: the kernel touches only its own thread's words of both buffers.
                    unsafe { module.$name(gpu.stream(), config, input, output) }
                },
            }
        ),+] });
    };
}
