//! The table of driver functions, and which library it is loaded from.
//!
//! Names and prototypes are those of the CUDA driver API (`cu*`). Three functions are optional: the simulator's.
#![allow(non_snake_case, non_camel_case_types)]

use crate::DriverError;
use libloading::Library;
use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

pub type CUresult = c_int;
pub type CUdevice = c_int;
/// An address in the device's memory.
pub type CUdeviceptr = u64;
pub type CUcontext = *mut c_void;
pub type CUstream = *mut c_void;
pub type CUevent = *mut c_void;
pub type CUmodule = *mut c_void;
pub type CUfunction = *mut c_void;
pub type CUhostFn = unsafe extern "C" fn(*mut c_void);

macro_rules! driver_functions {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?);)*) => {
        /// The functions of one driver library.
        pub(crate) struct Driver {
            $($name: Option<unsafe extern "C" fn($($ty),*) -> CUresult>,)*
            /// Whether the library is the simulator.
            pub(crate) simulated: bool,
            /// Keeps the functions mapped.
            _library: Library,
        }

        impl Driver {
            /// Takes the functions out of a library.
            fn from_library(library: Library, simulated: bool) -> Self {
                Driver {
                    $($name: {
                        // SAFETY: the prototype is the driver API's; the library stays loaded as long as the table.
                        let symbol = unsafe { library.get(concat!(stringify!($name), "\0").as_bytes()) };
                        symbol.ok().map(|s| *s)
                    },)*
                    simulated,
                    _library: library,
                }
            }

            $(
                // The three that write words are called through the table's field, for their result is not an error.
                #[allow(clippy::too_many_arguments, dead_code)]
                pub(crate) unsafe fn $name(&self, $($arg: $ty),*) -> Result<(), DriverError> {
                    match self.$name {
                        // SAFETY: the caller keeps the function's contract.
                        Some(f) => self.check(unsafe { f($($arg),*) }),
                        None => Err(missing(stringify!($name))),
                    }
                }
            )*
        }
    };
}

driver_functions! {
    fn cuInit(flags: c_uint);
    fn cuGetErrorName(error: CUresult, name: *mut *const c_char);
    fn cuGetErrorString(error: CUresult, text: *mut *const c_char);
    fn cuDeviceGet(device: *mut CUdevice, ordinal: c_int);
    fn cuDeviceGetCount(count: *mut c_int);
    fn cuDeviceGetName(name: *mut c_char, len: c_int, device: CUdevice);
    fn cuDeviceGetAttribute(value: *mut c_int, attribute: c_int, device: CUdevice);
    fn cuDevicePrimaryCtxRetain(context: *mut CUcontext, device: CUdevice);
    fn cuDevicePrimaryCtxRelease_v2(device: CUdevice);
    fn cuCtxSetCurrent(context: CUcontext);
    fn cuCtxSynchronize();
    fn cuCtxGetLimit(value: *mut usize, limit: c_int);
    fn cuCtxSetLimit(limit: c_int, value: usize);
    fn cuStreamCreate(stream: *mut CUstream, flags: c_uint);
    fn cuStreamDestroy_v2(stream: CUstream);
    fn cuStreamSynchronize(stream: CUstream);
    fn cuStreamWaitEvent(stream: CUstream, event: CUevent, flags: c_uint);
    fn cuLaunchHostFunc(stream: CUstream, function: CUhostFn, data: *mut c_void);
    fn cuEventCreate(event: *mut CUevent, flags: c_uint);
    fn cuEventDestroy_v2(event: CUevent);
    fn cuEventRecord(event: CUevent, stream: CUstream);
    fn cuEventQuery(event: CUevent);
    fn cuEventSynchronize(event: CUevent);
    fn cuEventElapsedTime(milliseconds: *mut f32, start: CUevent, end: CUevent);
    fn cuMemAlloc_v2(address: *mut CUdeviceptr, bytes: usize);
    fn cuMemFree_v2(address: CUdeviceptr);
    fn cuMemHostAlloc(address: *mut *mut c_void, bytes: usize, flags: c_uint);
    fn cuMemFreeHost(address: *mut c_void);
    fn cuMemHostGetDevicePointer_v2(device: *mut CUdeviceptr, host: *mut c_void, flags: c_uint);
    fn cuMemcpyHtoDAsync_v2(to: CUdeviceptr, from: *const c_void, bytes: usize, stream: CUstream);
    fn cuMemcpyDtoHAsync_v2(to: *mut c_void, from: CUdeviceptr, bytes: usize, stream: CUstream);
    fn cuMemcpyHtoD_v2(to: CUdeviceptr, from: *const c_void, bytes: usize);
    fn cuMemsetD8Async(to: CUdeviceptr, value: u8, bytes: usize, stream: CUstream);
    fn cuModuleLoadDataEx(
        module: *mut CUmodule,
        image: *const c_void,
        options: c_uint,
        names: *mut c_int,
        values: *mut *mut c_void,
    );
    fn cuModuleUnload(module: CUmodule);
    fn cuModuleGetFunction(function: *mut CUfunction, module: CUmodule, name: *const c_char);
    fn cuModuleGetGlobal_v2(address: *mut CUdeviceptr, bytes: *mut usize, module: CUmodule, name: *const c_char);
    fn cuFuncGetAttribute(value: *mut c_int, attribute: c_int, function: CUfunction);
    fn cuFuncSetAttribute(function: CUfunction, attribute: c_int, value: c_int);
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: *mut c_int,
        function: CUfunction,
        block_size: c_int,
        dynamic_shared: usize,
    );
    fn cuLaunchKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
        extra: *mut *mut c_void,
    );
    fn cuLaunchCooperativeKernel(
        function: CUfunction,
        grid_x: c_uint,
        grid_y: c_uint,
        grid_z: c_uint,
        block_x: c_uint,
        block_y: c_uint,
        block_z: c_uint,
        shared: c_uint,
        stream: CUstream,
        params: *mut *mut c_void,
    );
    fn cuTensorMapEncodeTiled(
        map: *mut c_void,
        element: c_int,
        rank: c_uint,
        address: *mut c_void,
        dims: *const u64,
        strides: *const u64,
        tile: *const u32,
        steps: *const u32,
        interleave: c_int,
        swizzle: c_int,
        promotion: c_int,
        fill: c_int,
    );
    fn oxideModuleSetSideTable(module: CUmodule, bytes: *const c_void, len: usize);
    fn oxideLastError(buffer: *mut c_char, len: usize);
}

/// `cuEventQuery`: not yet.
pub(crate) const NOT_READY: CUresult = 600;
/// The address or the symbol is not there.
pub(crate) const NOT_FOUND: CUresult = 500;
const NO_DEVICE: CUresult = 100;

impl Driver {
    fn check(&self, code: CUresult) -> Result<(), DriverError> {
        if code == 0 {
            return Ok(());
        }
        let text = |f: Option<unsafe extern "C" fn(CUresult, *mut *const c_char) -> CUresult>| {
            let mut text = std::ptr::null();
            // SAFETY: the function writes a pointer to a static string.
            let known = f.is_some_and(|f| unsafe { f(code, &mut text) } == 0) && !text.is_null();
            known.then(|| {
                // SAFETY: as above.
                unsafe { CStr::from_ptr(text) }
                    .to_string_lossy()
                    .into_owned()
            })
        };
        let name = text(self.cuGetErrorName).unwrap_or_else(|| format!("CUDA_ERROR_{code}"));
        let words =
            text(self.cuGetErrorString).unwrap_or_else(|| format!("the driver returned {code}"));
        Err(DriverError::from_driver(code, name, words))
    }

    /// The simulator's report of the last launch error; empty for a GPU.
    pub(crate) fn last_report(&self) -> String {
        let Some(report) = self.oxideLastError else {
            return String::new();
        };
        let mut buffer = vec![0u8; 1 << 16];
        // SAFETY: the function writes at most `len` bytes, a NUL among them.
        unsafe { report(buffer.as_mut_ptr().cast(), buffer.len()) };
        let len = buffer.iter().position(|b| *b == 0).unwrap_or(buffer.len());
        String::from_utf8_lossy(&buffer[..len]).into_owned()
    }

    /// Whether the library takes side tables.
    pub(crate) fn takes_side_tables(&self) -> bool {
        self.oxideModuleSetSideTable.is_some()
    }

    fn device_count(&self) -> Result<c_int, DriverError> {
        let mut count = 0;
        // SAFETY: the first call of a driver, and a query into a local.
        unsafe {
            self.cuInit(0)?;
            self.cuDeviceGetCount(&mut count)?;
        }
        Ok(count)
    }

    fn first_device_name(&self) -> String {
        let mut name = [0u8; 128];
        // SAFETY: at most `len` bytes are written.
        let result =
            unsafe { self.cuDeviceGetName(name.as_mut_ptr().cast(), name.len() as c_int, 0) };
        match (result, CStr::from_bytes_until_nul(&name)) {
            (Ok(()), Ok(name)) => name.to_string_lossy().into_owned(),
            _ => "unknown device".to_owned(),
        }
    }
}

fn missing(function: &str) -> DriverError {
    DriverError::ours(
        "CUDA_OXIDE_ERROR_FUNCTION_NOT_FOUND",
        format!(
            "the driver library has no function `{function}`: it is too old, or not a CUDA driver"
        ),
    )
}

/// The driver that this process uses, chosen at the first call.
pub(crate) fn driver() -> Result<&'static Driver, DriverError> {
    static DRIVER: OnceLock<Result<Driver, DriverError>> = OnceLock::new();
    let choice = || choose(&Environment::of_process());
    DRIVER
        .get_or_init(choice)
        .as_ref()
        .map_err(DriverError::clone)
}

/// What decides the choice.
pub(crate) struct Environment {
    /// `CUDA_OXIDE_DEVICE`
    pub device: Option<String>,
    /// `CUDA_OXIDE_SIM`
    pub sim: Option<PathBuf>,
    /// `CUDA_OXIDE_CACHE`
    pub cache: Option<PathBuf>,
    /// The executable.
    pub exe: Option<PathBuf>,
    /// The name of the GPU's driver library.
    pub gpu_library: &'static str,
}

impl Environment {
    fn of_process() -> Self {
        let var = |name| std::env::var_os(name).filter(|v| !v.is_empty());
        Environment {
            device: var("CUDA_OXIDE_DEVICE").map(|v| v.to_string_lossy().into_owned()),
            sim: var("CUDA_OXIDE_SIM").map(PathBuf::from),
            cache: var("CUDA_OXIDE_CACHE").map(PathBuf::from),
            exe: std::env::current_exe().ok(),
            gpu_library: if cfg!(windows) {
                "nvcuda.dll"
            } else {
                "libcuda.so.1"
            },
        }
    }
}

/// The file name of the simulator's library.
pub(crate) fn sim_library() -> String {
    format!(
        "{}cuda_oxide_sim{}",
        std::env::consts::DLL_PREFIX,
        std::env::consts::DLL_SUFFIX
    )
}

/// Chooses and loads; says once on standard error what was chosen.
pub(crate) fn choose(env: &Environment) -> Result<Driver, DriverError> {
    match env.device.as_deref() {
        Some("gpu") => {
            let driver = load_gpu(env).map_err(|why| {
                let text = format!("CUDA_OXIDE_DEVICE=gpu, but there is no GPU to use: {why}");
                DriverError::ours("CUDA_OXIDE_ERROR_NO_GPU", text)
            })?;
            eprintln!("cuda-oxide: running on {}", driver.first_device_name());
            Ok(driver)
        }
        Some("sim") => {
            let driver = load_sim(env)?;
            eprintln!("cuda-oxide: running on the simulator (CUDA_OXIDE_DEVICE=sim)");
            Ok(driver)
        }
        Some(other) => {
            let text = format!("CUDA_OXIDE_DEVICE is `{other}`: expected `gpu` or `sim`");
            Err(DriverError::ours(
                "CUDA_OXIDE_ERROR_INVALID_ENVIRONMENT",
                text,
            ))
        }
        None => match load_gpu(env) {
            Ok(driver) => {
                eprintln!("cuda-oxide: running on {}", driver.first_device_name());
                Ok(driver)
            }
            Err(why) => {
                let driver = load_sim(env)
                    .map_err(|e| e.with_detail(format!("and there is no GPU: {why}")))?;
                eprintln!("cuda-oxide: running on the simulator ({why})");
                Ok(driver)
            }
        },
    }
}

/// The GPU's driver, or why not.
fn load_gpu(env: &Environment) -> Result<Driver, String> {
    let library = open(Path::new(env.gpu_library))
        .map_err(|_| format!("no `{}` on this machine", env.gpu_library))?;
    let driver = Driver::from_library(library, false);
    match driver.device_count() {
        Ok(1..) => Ok(driver),
        Ok(_) => Err("no CUDA device".to_owned()),
        Err(e) if e.code() == Some(NO_DEVICE) => Err("no CUDA device".to_owned()),
        Err(e) => Err(format!("the driver does not start: {e}")),
    }
}

fn load_sim(env: &Environment) -> Result<Driver, DriverError> {
    let not_found = |text: String| DriverError::ours("CUDA_OXIDE_ERROR_NO_SIMULATOR", text);
    let file = match &env.sim {
        Some(file) if file.exists() => file.clone(),
        Some(file) => {
            return Err(not_found(format!(
                "CUDA_OXIDE_SIM names `{}`, which is not there; `cargo oxide run` builds the simulator and sets the variable",
                file.display()
            )));
        }
        None => {
            let name = sim_library();
            let places = sim_places(env);
            let found = places.iter().map(|p| p.join(&name)).find(|f| f.exists());
            found.ok_or_else(|| {
                let places: Vec<String> = places.iter().map(|p| format!("`{}`", p.display())).collect();
                not_found(format!(
                    "`{name}` is not in {}: run with `cargo oxide run`, which builds it, or name it by CUDA_OXIDE_SIM",
                    places.join(", ")
                ))
            })?
        }
    };
    let library = open(&file)
        .map_err(|e| not_found(format!("`{}` cannot be loaded: {e}", file.display())))?;
    let driver = Driver::from_library(library, true);
    driver.device_count()?;
    Ok(driver)
}

/// Beside the executable, above it (tests and examples lie one folder deeper), and the cache.
fn sim_places(env: &Environment) -> Vec<PathBuf> {
    let beside = env.exe.as_deref().and_then(Path::parent);
    let above = beside.and_then(Path::parent);
    [beside, above, env.cache.as_deref()]
        .into_iter()
        .flatten()
        .map(Path::to_owned)
        .collect()
}

fn open(file: &Path) -> Result<Library, libloading::Error> {
    // SAFETY: a driver library's initialisers have no preconditions.
    unsafe { Library::new(file) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment() -> Environment {
        let nowhere = PathBuf::from("/nowhere/at/all");
        Environment {
            device: None,
            sim: None,
            cache: Some(nowhere.clone()),
            exe: Some(nowhere.join("exe")),
            gpu_library: "libno-such-driver.so",
        }
    }

    fn error(env: &Environment) -> DriverError {
        match choose(env) {
            Ok(_) => panic!("a driver was found"),
            Err(e) => e,
        }
    }

    #[test]
    fn gpu_without_gpu_is_an_error_and_not_the_simulator() {
        let e = error(&Environment {
            device: Some("gpu".into()),
            ..environment()
        });
        assert_eq!(e.error_name(), "CUDA_OXIDE_ERROR_NO_GPU");
        assert!(
            e.error_string()
                .contains("no `libno-such-driver.so` on this machine"),
            "{e}"
        );
    }

    #[test]
    fn no_library_says_where_it_looked_and_what_to_do() {
        let e = error(&environment());
        assert_eq!(e.error_name(), "CUDA_OXIDE_ERROR_NO_SIMULATOR");
        for words in [
            "`/nowhere/at/all`",
            "cargo oxide run",
            "CUDA_OXIDE_SIM",
            "there is no GPU",
        ] {
            assert!(e.error_string().contains(words), "{words}: {e}");
        }
        let e = error(&Environment {
            device: Some("sim".into()),
            sim: Some("/nowhere/sim.so".into()),
            ..environment()
        });
        assert!(
            e.error_string()
                .contains("CUDA_OXIDE_SIM names `/nowhere/sim.so`"),
            "{e}"
        );
    }

    #[test]
    fn what_is_no_driver_is_an_error() {
        // A file that is no library, and a value that is no device.
        let file = std::env::temp_dir().join(format!("oxide-no-library-{}", std::process::id()));
        std::fs::write(&file, "text").unwrap();
        let e = error(&Environment {
            device: Some("sim".into()),
            sim: Some(file.clone()),
            ..environment()
        });
        std::fs::remove_file(file).unwrap();
        assert!(e.error_string().contains("cannot be loaded"), "{e}");
        let e = error(&Environment {
            device: Some("cpu".into()),
            ..environment()
        });
        assert!(e.error_string().contains("expected `gpu` or `sim`"), "{e}");
    }

    #[test]
    #[cfg(target_os = "linux")]
    fn a_library_without_the_functions_names_the_first() {
        // The C library is a library, but no driver.
        let e = error(&Environment {
            device: Some("gpu".into()),
            gpu_library: "libc.so.6",
            ..environment()
        });
        assert!(e.error_string().contains("no function `cuInit`"), "{e}");
    }
}
