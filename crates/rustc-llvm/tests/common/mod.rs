//! Rust source to PTX by the LLVM route, with rustc as the device pass calls it.

use std::path::PathBuf;
use std::process::Command;

use llvm_backend::{Emitted, Llvm, Options};
use rustc_llvm::{Cut, Error, IrFile, Root};

/// A stand-in for `cuda-device`: descriptions with the same layout, an array for shared memory, and a few intrinsics.
pub const DEVICE: &str = r#"
#![allow(unused, non_upper_case_globals, static_mut_refs, internal_features)]
#[repr(C)]
pub struct KernelDesc<const N: usize> {
    entry: *const (), path: &'static str, file: &'static str, line: u32, column: u32,
    max_threads: u32, min_blocks: u32, flags: u32, nargs: u32, args: [ArgDesc; N],
}
#[repr(C)]
#[derive(Clone, Copy)]
pub struct ArgDesc { name: &'static str, type_name: &'static str, size: u64, align: u64, layout: u64 }
unsafe impl<const N: usize> Sync for KernelDesc<N> {}
#[inline(never)]
pub fn __oxide_kernel_instance<const N: usize>(desc: &'static KernelDesc<N>) { core::hint::black_box(desc); }
pub const fn arg<T>(name: &'static str) -> ArgDesc {
    ArgDesc { name, type_name: "", size: size_of::<T>() as u64, align: align_of::<T>() as u64, layout: 0 }
}
pub const fn desc<const N: usize>(entry: *const (), path: &'static str, args: [ArgDesc; N]) -> KernelDesc<N> {
    KernelDesc { entry, path, file: "k.rs", line: 1, column: 1, max_threads: 0, min_blocks: 0, flags: 0, nargs: N as u32, args }
}
macro_rules! kernel {
    ($mark:ident, $f:ident, $($arg:ty),*) => {
        #[used]
        pub static $mark: KernelDesc<{ [$(stringify!($arg)),*].len() }> =
            desc($f as *const (), concat!("app::", stringify!($f)), [$(arg::<$arg>(stringify!($arg))),*]);
    };
}
macro_rules! kernel_with {
    ($mark:ident, $f:ident, $threads:literal, $blocks:literal, $flags:literal, $($arg:ty),*) => {
        #[used]
        pub static $mark: KernelDesc<{ [$(stringify!($arg)),*].len() }> = KernelDesc {
            max_threads: $threads, min_blocks: $blocks, flags: $flags,
            ..desc($f as *const (), concat!("app::", stringify!($f)), [$(arg::<$arg>(stringify!($arg))),*])
        };
    };
}
#[repr(C)]
pub struct SharedArray<T, const N: usize>(core::cell::UnsafeCell<core::mem::MaybeUninit<[T; N]>>);
impl<T, const N: usize> SharedArray<T, N> {
    pub const UNINIT: Self = SharedArray(core::cell::UnsafeCell::new(core::mem::MaybeUninit::uninit()));
    #[inline(always)]
    pub fn at(&self, i: usize) -> *mut T { unsafe { (self.0.get() as *mut T).add(i) } }
}
unsafe impl<T, const N: usize> Sync for SharedArray<T, N> {}
unsafe extern "C" {
    safe fn __nvvm_read_ptx_sreg_tid_x() -> u32;
    safe fn __nvvm_barrier0();
}
#[inline(always)]
pub fn tid() -> usize { __nvvm_read_ptx_sreg_tid_x() as usize }
fn main() { host(); }
"#;

/// Two definitions as the table of intrinsics gives them.
pub fn intrinsic(name: &str) -> Option<String> {
    Some(
        match name {
            "__nvvm_read_ptx_sreg_tid_x" => {
                "declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n\
                 define linkonce_odr i32 @__nvvm_read_ptx_sreg_tid_x() alwaysinline {\n  %1 = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()\n  ret i32 %1\n}\n"
            }
            "__nvvm_barrier0" => {
                "declare void @llvm.nvvm.barrier0() convergent\n\
                 define linkonce_odr void @__nvvm_barrier0() alwaysinline convergent {\n  call void @llvm.nvvm.barrier0() convergent\n  ret void\n}\n"
            }
            _ => return None,
        }
        .to_owned(),
    )
}

/// rustc's LLVM IR of `source` behind [`DEVICE`].
pub fn ir(name: &str, source: &str, flags: &[&str]) -> String {
    let folder: PathBuf =
        std::env::temp_dir().join(format!("rustc-llvm-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("k.rs"), format!("{DEVICE}{source}")).unwrap();
    let output = Command::new("rustc")
        .current_dir(&folder)
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "--crate-name",
            "app",
            "--edition",
            "2024",
            "--emit=llvm-ir=k.ll",
            "-C",
            "no-prepopulate-passes",
            "-C",
            "debuginfo=2",
        ])
        .args([
            "-C",
            "symbol-mangling-version=v0",
            "-C",
            "panic=abort",
            "-O",
            "-C",
            "codegen-units=1",
            "-Zmir-opt-level=3",
            "-Zinline-mir=yes",
            "-Zmir-enable-passes=-JumpThreading",
        ])
        .args(flags)
        .arg("k.rs")
        .output()
        .unwrap();
    assert!(
        output.status.success(),
        "{}",
        String::from_utf8_lossy(&output.stderr)
    );
    let text = std::fs::read_to_string(folder.join("k.ll")).unwrap();
    std::fs::remove_dir_all(&folder).unwrap();
    text
}

pub struct Made {
    pub roots: Vec<Root>,
    pub cuts: Vec<Cut>,
    pub emitted: Emitted,
    /// As LLVM writes it for the same module without any debug metadata.
    pub stripped: String,
}

/// The whole way; `libraries` are texts of other modules.
pub fn make(name: &str, source: &str, libraries: &[&str]) -> Result<Made, Error> {
    let text = ir(name, source, &[]);
    let file = IrFile::parse(&text).unwrap();
    let libraries: Vec<IrFile<'_>> = libraries
        .iter()
        .map(|l| IrFile::parse(l).unwrap())
        .collect();
    let libraries: Vec<&IrFile<'_>> = libraries.iter().collect();
    let roots = rustc_llvm::roots(&file, "app")?;
    assert!(!roots.is_empty(), "no kernels");
    let cuts = rustc_llvm::compile(&file, &roots, &[], &libraries, &intrinsic)?;
    let texts: Vec<(&str, &str)> = cuts.iter().map(|c| ("app.ll", c.text.as_str())).collect();
    let llvm = Llvm::load().unwrap();
    let emitted = llvm.compile(&texts, &Options::default());
    let emitted = emitted
        .unwrap_or_else(|e| panic!("{e}\n{}", texts.iter().map(|t| t.1).collect::<String>()));
    let stripped = llvm.compile_stripped(&texts, &Options::default()).unwrap();
    Ok(Made {
        roots,
        cuts,
        emitted,
        stripped,
    })
}

#[track_caller]
pub fn has(ptx: &str, snippet: &str) {
    assert!(ptx.contains(snippet), "no `{snippet}` in\n{ptx}");
}

#[track_caller]
pub fn lacks(ptx: &str, snippet: &str) {
    assert!(!ptx.contains(snippet), "`{snippet}` in\n{ptx}");
}
