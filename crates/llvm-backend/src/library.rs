//! Finding and opening the LLVM that is inside the Rust toolchain.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use crate::Error;
use crate::ffi::{Api, GetVersion};

/// The major version of LLVM whose C API and textual IR this crate is written for.
pub const LLVM_MAJOR: u32 = 22;

/// An opened libLLVM, shared by every user in the process: LLVM's own state (targets, fatal error handler) is global.
pub(crate) struct Library {
    pub api: Api,
    pub path: PathBuf,
    pub version: (u32, u32, u32),
}

static LIBRARY: OnceLock<Result<Library, Error>> = OnceLock::new();

/// The process's libLLVM, opened at the first call.
pub(crate) fn shared() -> Result<&'static Library, Error> {
    LIBRARY
        .get_or_init(|| open(&find()?))
        .as_ref()
        .map_err(Clone::clone)
}

/// The path of libLLVM: `CUDA_OXIDE_LLVM`, or the one in the sysroot of the active rustc.
fn find() -> Result<PathBuf, Error> {
    if let Some(path) = std::env::var_os("CUDA_OXIDE_LLVM").filter(|path| !path.is_empty()) {
        return Ok(path.into());
    }
    let rustc = std::env::var_os("RUSTC")
        .filter(|rustc| !rustc.is_empty())
        .unwrap_or_else(|| "rustc".into());
    let output = Command::new(&rustc)
        .args(["--print", "sysroot"])
        .output()
        .map_err(|error| Error::NoRustc {
            rustc: rustc.to_string_lossy().into_owned(),
            reason: error.to_string(),
        })?;
    if !output.status.success() {
        return Err(Error::NoRustc {
            rustc: rustc.to_string_lossy().into_owned(),
            reason: String::from_utf8_lossy(&output.stderr).trim().to_owned(),
        });
    }
    let sysroot = PathBuf::from(String::from_utf8_lossy(&output.stdout).trim());
    find_in(&sysroot.join("lib"))
}

/// The libLLVM among the files of `folder`. The toolchain has a small linker script beside it whose name also begins
/// with `libLLVM`; `dlopen` refuses that one, so it is told apart by its first bytes.
fn find_in(folder: &Path) -> Result<PathBuf, Error> {
    let none = || Error::NoLibrary {
        folder: folder.to_owned(),
    };
    let mut found: Vec<PathBuf> = std::fs::read_dir(folder)
        .map_err(|_| none())?
        .filter_map(|entry| Some(entry.ok()?.path()))
        .filter(|path| {
            path.file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("libLLVM"))
                && is_shared_object(path)
        })
        .collect();
    found.sort();
    found.pop().ok_or_else(none)
}

fn is_shared_object(path: &Path) -> bool {
    use std::io::Read;
    let mut magic = [0; 4];
    let read = std::fs::File::open(path).and_then(|mut file| file.read_exact(&mut magic));
    // ELF, or one of the forms of Mach-O.
    read.is_ok()
        && matches!(
            magic,
            [0x7f, b'E', b'L', b'F'] | [0xcf, 0xfa, 0xed, 0xfe] | [0xca, 0xfe, 0xba, 0xbe]
        )
}

fn open(path: &Path) -> Result<Library, Error> {
    let broken = |reason: String| Error::BrokenLibrary {
        path: path.to_owned(),
        reason,
    };
    // SAFETY: LLVM's initialisers only register its own options and passes.
    let library =
        unsafe { libloading::Library::new(path) }.map_err(|error| broken(error.to_string()))?;
    let mut version = (0, 0, 0);
    {
        // SAFETY: the prototype of `LLVMGetVersion` is the same in every LLVM that has it (16 and later).
        let get = unsafe { library.get::<GetVersion>(b"LLVMGetVersion\0") }
            .map_err(|_| broken("it has no LLVMGetVersion".to_owned()))?;
        // SAFETY: three pointers to writable integers, as asked for.
        unsafe { get(&mut version.0, &mut version.1, &mut version.2) };
    }
    if version.0 != LLVM_MAJOR {
        return Err(Error::WrongVersion {
            path: path.to_owned(),
            version,
        });
    }
    // SAFETY: the version is the one of the prototypes, and the library is leaked below.
    let api = unsafe { Api::load(&library) }.map_err(|name| broken(format!("it has no {name}")))?;
    // Unloading LLVM runs its global destructors under threads that may still be in it.
    std::mem::forget(library);
    // SAFETY: called once a process (under `LIBRARY`'s initialisation), before any other use of LLVM.
    unsafe {
        api.LLVMInitializeNVPTXTargetInfo();
        api.LLVMInitializeNVPTXTarget();
        api.LLVMInitializeNVPTXTargetMC();
        api.LLVMInitializeNVPTXAsmPrinter();
        api.LLVMInstallFatalErrorHandler(crate::fatal::handler);
        // Conversions between floats and integers of more than 64 bits have no library function on the device: LLVM
        // writes them out, as it does divisions.
        let words = [
            c"llvm-backend".as_ptr(),
            c"-expand-fp-convert-bits=64".as_ptr(),
        ];
        api.LLVMParseCommandLineOptions(words.len() as i32, words.as_ptr(), std::ptr::null());
    }
    Ok(Library {
        api,
        path: path.to_owned(),
        version,
    })
}
