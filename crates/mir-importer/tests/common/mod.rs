//! Rust text to an imported, promoted module: rustc is run with the device pass's flags on a crate of one file, which holds
//! a stand-in for the device crate.

use std::{
    path::PathBuf,
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use layout::{LayoutDb, Probe};
use mir_importer::{BodySource, Diagnostic, FileCrate, Imported, Inputs, Options, import, promote};
use pliron::{context::Context, op::Op, printable::Printable};
use rustc_mir::MirFile;

/// What stands before every text.
const PRELUDE: &str = r#"
#![allow(unused, internal_features)]
pub mod dev {
    pub struct KernelDesc { pub entry: *const (), pub max_threads: u32, pub min_blocks: u32, pub flags: u32 }
    unsafe impl Sync for KernelDesc {}
    #[repr(C)]
    pub struct DisjointSlice<'a, T> { ptr: *mut T, len: usize, _p: core::marker::PhantomData<&'a mut [T]> }
    impl<'a, T> DisjointSlice<'a, T> {
        #[inline(always)]
        pub fn get_mut(&mut self, i: usize) -> Option<&mut T> {
            if i < self.len { Some(unsafe { &mut *self.ptr.add(i) }) } else { None }
        }
    }
    #[repr(C)]
    pub struct SharedArray<T, const N: usize> { data: core::cell::UnsafeCell<core::mem::MaybeUninit<[T; N]>> }
    impl<T, const N: usize> SharedArray<T, N> {
        pub const UNINIT: Self = SharedArray { data: core::cell::UnsafeCell::new(core::mem::MaybeUninit::uninit()) };
        #[inline(always)]
        pub fn raw(this: *mut Self) -> *mut T { this as *mut T }
    }
    unsafe extern "C" {
        pub fn __nvvm_read_ptx_sreg_tid_x() -> u32;
        pub fn __nvvm_barrier0();
    }
    #[inline(always)]
    pub fn tid() -> usize { unsafe { __nvvm_read_ptx_sreg_tid_x() as usize } }
}
use dev::*;
macro_rules! kernel {
    ($name:ident, $mark:ident, ($($arg:tt)*), $body:block) => {
        pub fn $name($($arg)*) $body
        #[used]
        pub static $mark: KernelDesc =
            KernelDesc { entry: $name as *const (), max_threads: 256, min_blocks: 2, flags: 0 };
    };
}
"#;

/// What came out.
pub struct Done {
    /// The module lives in it.
    #[allow(dead_code)]
    pub ctx: Context,
    pub result: Result<Imported, Vec<Diagnostic>>,
    pub text: String,
    /// The Rust text.
    pub source: String,
}

impl Done {
    /// The module's text; a panic with the diagnostics if there is none.
    pub fn ok(&self) -> &str {
        if let Err(ds) = &self.result {
            let source = self.source.clone();
            let read = |f: &str| f.ends_with("t.rs").then(|| source.clone());
            let text: Vec<_> = ds.iter().map(|d| d.render(&read, false)).collect();
            panic!("{}", text.join("\n"));
        }
        &self.text
    }

    /// The diagnostics, rendered.
    pub fn err(&self) -> String {
        match &self.result {
            Ok(_) => panic!("imported:\n{}", self.text),
            Err(ds) => {
                let source = self.source.clone();
                let read = |f: &str| f.ends_with("t.rs").then(|| source.clone());
                ds.iter()
                    .map(|d| d.render(&read, false))
                    .collect::<Vec<_>>()
                    .join("\n")
            }
        }
    }
}

/// Imports `rust` with options.
pub fn run_with(rust: &str, options: &Options, bodies: Option<&dyn BodySource>) -> Done {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let n = COUNT.fetch_add(1, Ordering::Relaxed);
    let dir = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
        .join(format!("import-{}-{n}", std::process::id()));
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    let source = format!("{PRELUDE}{rust}");
    std::fs::write(dir.join("t.rs"), &source).expect("the source");
    let out = Command::new("rustc")
        .current_dir(&dir)
        .env("RUSTC_BOOTSTRAP", "1")
        .args("--edition 2024 --crate-type lib --crate-name t --emit=metadata,mir,llvm-ir t.rs".split(' '))
        .args("-C panic=abort -O -Zmir-opt-level=3 -Zinline-mir=yes -Zinline-mir-threshold=100000".split(' '))
        .args("-Zinline-mir-hint-threshold=100000 -Zcross-crate-inline-threshold=always -Zalways-encode-mir".split(' '))
        .args("-Zmir-enable-passes=-JumpThreading -Zmir-include-spans=on -Ztrim-diagnostic-paths=no".split(' '))
        .args("-C symbol-mangling-version=v0 -C debuginfo=2 -C no-prepopulate-passes -C codegen-units=1".split(' '))
        .output()
        .expect("rustc runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let mir = std::fs::read_to_string(dir.join("t.mir")).expect("the MIR");
    let ll = std::fs::read_to_string(dir.join("t.ll")).expect("the LLVM IR");
    let file = MirFile::parse("t.mir", mir).expect("the MIR is read");
    let mut db = LayoutDb::new("t");
    db.set_probe(Probe {
        rustc: "rustc".into(),
        scratch: dir.clone(),
        ..Probe::default()
    });
    db.add_llvm_ir(ll);
    db.add_mir(&file);
    let krate = FileCrate::new("t", &file);
    let mut ctx = Context::new();
    let inputs = Inputs {
        crates: &[&krate],
        layouts: &db,
        bodies,
    };
    let result = import(&mut ctx, &inputs, options);
    let mut text = String::new();
    if let Ok(i) = &result {
        if let Err(d) = promote(&mut ctx, i.module.get_operation()) {
            panic!("{}", d.message);
        }
        text = i.module.get_operation().disp(&ctx).to_string();
    }
    let _ = std::fs::remove_dir_all(&dir);
    Done {
        ctx,
        result,
        text,
        source,
    }
}

/// Imports `rust`.
pub fn run(rust: &str) -> Done {
    run_with(rust, &Options::default(), None)
}
