//! What the compiler finds of a kernel in the device pass.

/// The description of a kernel.
///
/// `#[kernel]` makes for each plain kernel `k` (device pass only)
/// `#[used] pub static __oxide_kernel__k: KernelDesc<N> = KernelDesc { entry: k as *const (), .. }`.
/// For a generic kernel, the launch method calls [`__oxide_kernel_instance`] with such a constant of the instance.
///
/// `repr(C)`, so that the constant's bytes can be read (64-bit host):
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 8 | `entry`: in LLVM IR a `ptr @<v0 symbol>` |
/// | 8 | 16 | `path`: pointer and length of `crate::module::name` (for a plain kernel, its key) |
/// | 24 | 16 | `file`: pointer and length |
/// | 40 | 4 | `line` |
/// | 44 | 4 | `column` |
/// | 48 | 4 | `max_threads` of `#[launch_bounds]`, 0 without |
/// | 52 | 4 | `min_blocks` of `#[launch_bounds]`, 0 without |
/// | 56 | 4 | `flags`: bit 0 is `#[kernel(fmad)]`, bit 1 `#[cooperative_launch]`; bits 8, 16 and 24 on, a byte each: x, y, z of `#[cluster_launch]` |
/// | 60 | 4 | `nargs`, equal to `N` |
/// | 64 + 56 i | 56 | `args[i]`, see [`ArgDesc`] |
#[repr(C)]
pub struct KernelDesc<const N: usize> {
    /// The kernel function.
    pub entry: *const (),
    /// `crate::module::name`.
    pub path: &'static str,
    /// Where `#[kernel]` stands.
    pub file: &'static str,
    pub line: u32,
    pub column: u32,
    /// `#[launch_bounds(max_threads, min_blocks)]`, 0 when not given.
    pub max_threads: u32,
    pub min_blocks: u32,
    /// Bit 0: products and sums may fuse. Bit 1: the launch is cooperative. Bytes 1 to 3: blocks in a cluster, 0 without.
    pub flags: u32,
    /// `N`.
    pub nargs: u32,
    pub args: [ArgDesc; N],
}

/// One argument of a kernel.
///
/// | offset | size | field |
/// | --- | --- | --- |
/// | 0 | 16 | `name`: pointer and length |
/// | 16 | 16 | `type_name`: pointer and length |
/// | 32 | 8 | `size` |
/// | 40 | 8 | `align` |
/// | 48 | 8 | `layout` |
#[repr(C)]
pub struct ArgDesc {
    /// The argument's name.
    pub name: &'static str,
    /// The type as written.
    pub type_name: &'static str,
    /// Size of the Rust argument.
    pub size: u64,
    /// Alignment of the Rust argument.
    pub align: u64,
    /// Layout hash: for slices and references that of the element.
    pub layout: u64,
}

// SAFETY: a description; nobody follows the pointer.
unsafe impl<const N: usize> Sync for KernelDesc<N> {}

/// Marks an instance of a generic kernel: wherever rustc instantiates a call of this with a constant description, the
/// compiler makes a kernel. Never executed.
#[inline(never)]
pub fn __oxide_kernel_instance<const N: usize>(desc: &'static KernelDesc<N>) {
    // Keeps the reference alive in every optimised form.
    core::hint::black_box(desc);
}
