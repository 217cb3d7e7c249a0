//! The driver API as a program sees it: through `dlopen` of the built library, and by the Rust library.

use std::ffi::{CStr, CString, c_char, c_int, c_uint, c_void};
use std::ptr::{null, null_mut};

type Handle = *mut c_void;

/// Finds functions by name.
trait Library {
    fn symbol(&self, name: &str) -> *const ();
}

struct Linked;

impl Library for Linked {
    fn symbol(&self, name: &str) -> *const () {
        let found = cuda_oxide_sim::EXPORTS.iter().find(|e| e.0 == name);
        found.unwrap_or_else(|| panic!("{name} is not exported")).1 as *const ()
    }
}

struct Loaded(libloading::Library);

impl Loaded {
    fn open() -> Self {
        let exe = std::env::current_exe().unwrap();
        let name = libloading::library_filename("cuda_oxide_sim");
        let folders = [exe.parent(), exe.parent().and_then(|p| p.parent())];
        let path = folders
            .into_iter()
            .flatten()
            .map(|d| d.join(&name))
            .find(|p| p.exists())
            .expect("the built library");
        // SAFETY: our own library, whose initialisers do nothing.
        Loaded(unsafe { libloading::Library::new(path) }.unwrap())
    }
}

impl Library for Loaded {
    fn symbol(&self, name: &str) -> *const () {
        // SAFETY: only the address is taken.
        unsafe {
            *self
                .0
                .get::<*const ()>(name.as_bytes())
                .unwrap_or_else(|e| panic!("{name}: {e}"))
        }
    }
}

/// Calls a function of the driver by name with arguments of exactly these types.
macro_rules! call {
    ($lib:expr, $name:ident($($arg:expr => $ty:ty),* $(,)?)) => {{
        let f = $lib.symbol(stringify!($name));
        // SAFETY: the types are those of the driver API.
        unsafe { std::mem::transmute::<*const (), unsafe extern "C" fn($($ty),*) -> c_int>(f)($($arg),*) }
    }};
}

const PTX: &str = r"
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .u32 factor = 3;
.visible .entry scale(.param .u64 x, .param .u32 n)
{
	.reg .pred %p<2>;
	.reg .b32 %r<8>;
	.reg .b64 %rd<5>;
	ld.param.b64 %rd1, [x];
	ld.param.b32 %r1, [n];
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mov.u32 %r4, %tid.x;
	mad.lo.s32 %r5, %r2, %r3, %r4;
	setp.ge.u32 %p1, %r5, %r1;
	@%p1 ret;
	mul.wide.u32 %rd2, %r5, 4;
	add.s64 %rd3, %rd1, %rd2;
	ld.global.b32 %r6, [%rd3];
	ld.global.b32 %r7, [factor];
	mul.lo.s32 %r6, %r6, %r7;
	st.global.b32 [%rd3], %r6;
	ret;
}
.visible .entry odd() { wgmma.fence.sync.aligned; ret; }
.visible .entry stop() { trap; }
";

fn exercise(lib: &dyn Library) {
    let mut n: c_int = 0;
    assert_eq!(
        call!(lib, cuDeviceGetCount(&mut n => *mut c_int)),
        3,
        "before cuInit"
    );
    assert_eq!(call!(lib, cuInit(0 => c_uint)), 0);
    assert_eq!(call!(lib, cuDeviceGetCount(&mut n => *mut c_int)), 0);
    assert_eq!(n, 1);
    let mut name = [0 as c_char; 64];
    assert_eq!(
        call!(lib, cuDeviceGetName(name.as_mut_ptr() => *mut c_char, 64 => c_int, 0 => c_int)),
        0
    );
    // SAFETY: the driver has written a text with a zero.
    assert_eq!(
        // SAFETY: the driver has written a text with a zero.
        unsafe { CStr::from_ptr(name.as_ptr()) }.to_str(),
        Ok("cuda-oxide simulator")
    );
    let mut major = 0;
    assert_eq!(
        call!(lib, cuDeviceGetAttribute(&mut major => *mut c_int, 75 => c_int, 0 => c_int)),
        0
    );
    assert_eq!(major, 9);
    let mut p = 0u64;
    assert_eq!(
        call!(lib, cuMemAlloc_v2(&mut p => *mut u64, 16 => usize)),
        201,
        "no context is current"
    );
    let mut context: Handle = null_mut();
    assert_eq!(
        call!(lib, cuDevicePrimaryCtxRetain(&mut context => *mut Handle, 0 => c_int)),
        0
    );
    assert_eq!(call!(lib, cuCtxSetCurrent(context => Handle)), 0);

    // A module with an error in it says where.
    let bad = CString::new(".version 8.0\n.target sm_80\n.address_size 64\n.visible .entry k()\n{\n\tadd.s32 %r1 %r2;\n}\n").unwrap();
    let mut log = vec![0u8; 512];
    let options: [c_int; 2] = [5, 6];
    let mut values: [*mut c_void; 2] = [log.as_mut_ptr().cast(), 512 as *mut c_void];
    let mut module: Handle = null_mut();
    let r = call!(lib, cuModuleLoadDataEx(
        &mut module => *mut Handle, bad.as_ptr().cast() => *const c_void, 2 => c_uint,
        options.as_ptr() => *const c_int, values.as_mut_ptr() => *mut *mut c_void));
    assert_eq!(r, 218);
    let log = String::from_utf8_lossy(&log).into_owned();
    assert!(log.contains("line 6"), "{log}");

    let text = CString::new(PTX).unwrap();
    assert_eq!(
        call!(lib, cuModuleLoadData(&mut module => *mut Handle, text.as_ptr().cast() => *const c_void)),
        0
    );
    let function = |name: &CStr| {
        let mut f: Handle = null_mut();
        let r = call!(lib, cuModuleGetFunction(&mut f => *mut Handle, module => Handle, name.as_ptr() => *const c_char));
        (r, f)
    };
    assert_eq!(function(c"nothing").0, 500);
    assert_eq!(function(c"odd").0, 801);
    let report = || {
        let mut text = vec![0 as c_char; 4096];
        assert_eq!(
            call!(lib, oxideLastError(text.as_mut_ptr() => *mut c_char, 4096 => usize)),
            0
        );
        // SAFETY: the driver has written a text with a zero.
        unsafe { CStr::from_ptr(text.as_ptr()) }
            .to_str()
            .unwrap()
            .to_string()
    };
    assert!(
        report().contains("wgmma.fence.sync.aligned"),
        "{}",
        report()
    );
    let (r, scale) = function(c"scale");
    assert_eq!(r, 0);

    let (mut address, mut size) = (0u64, 0usize);
    assert_eq!(
        call!(lib, cuModuleGetGlobal_v2(
        &mut address => *mut u64, &mut size => *mut usize, module => Handle, c"factor".as_ptr() => *const c_char)),
        0
    );
    assert_eq!(size, 4);
    let seven = 7u32;
    assert_eq!(
        call!(lib, cuMemcpyHtoD_v2(address => u64, (&raw const seven).cast() => *const c_void, 4 => usize)),
        0
    );

    let host: Vec<u32> = (0..1000).collect();
    assert_eq!(
        call!(lib, cuMemAlloc_v2(&mut p => *mut u64, 4000 => usize)),
        0
    );
    assert_eq!(
        call!(lib, cuMemcpyHtoD_v2(p => u64, host.as_ptr().cast() => *const c_void, 4000 => usize)),
        0
    );
    let launch = |f: Handle, grid: c_uint, p: u64, n: u32| {
        let (mut p, mut n) = (p, n);
        let mut params: [*mut c_void; 2] = [(&raw mut p).cast(), (&raw mut n).cast()];
        call!(lib, cuLaunchKernel(
            f => Handle, grid => c_uint, 1 => c_uint, 1 => c_uint, 128 => c_uint, 1 => c_uint, 1 => c_uint, 0 => c_uint,
            null_mut() => Handle, params.as_mut_ptr() => *mut *mut c_void, null_mut() => *mut *mut c_void))
    };
    assert_eq!(launch(scale, 8, p, 1000), 0);
    assert_eq!(call!(lib, cuCtxSynchronize()), 0);
    let mut back = vec![0u32; 1000];
    assert_eq!(
        call!(lib, cuMemcpyDtoH_v2(back.as_mut_ptr().cast() => *mut c_void, p => u64, 4000 => usize)),
        0
    );
    assert!(back.iter().zip(&host).all(|(b, h)| *b == 7 * h));

    // Mapped memory: the host sees what a kernel writes.
    let mut pinned: *mut c_void = null_mut();
    assert_eq!(
        call!(lib, cuMemHostAlloc(&mut pinned => *mut *mut c_void, 512 => usize, 2 => c_uint)),
        0
    );
    let mut mapped = 0u64;
    assert_eq!(
        call!(lib, cuMemHostGetDevicePointer_v2(&mut mapped => *mut u64, pinned => *mut c_void, 0 => c_uint)),
        0
    );
    // SAFETY: 512 bytes were allocated.
    let words = unsafe { std::slice::from_raw_parts_mut(pinned.cast::<u32>(), 128) };
    words.fill(5);
    assert_eq!(launch(scale, 1, mapped, 128), 0);
    assert!(words.iter().all(|w| *w == 35));
    assert_eq!(call!(lib, cuMemFreeHost(pinned => *mut c_void)), 0);

    // The buffer form of parameters.
    let mut buffer = [0u8; 12];
    buffer[..8].copy_from_slice(&p.to_le_bytes());
    buffer[8..].copy_from_slice(&1u32.to_le_bytes());
    let mut len = 12usize;
    let option = |n: usize| n as *mut c_void;
    let mut extra: [*mut c_void; 5] = [
        option(1),
        buffer.as_mut_ptr().cast(),
        option(2),
        (&raw mut len).cast(),
        null_mut(),
    ];
    assert_eq!(
        call!(lib, cuLaunchKernel(
        scale => Handle, 1 => c_uint, 1 => c_uint, 1 => c_uint, 1 => c_uint, 1 => c_uint, 1 => c_uint, 0 => c_uint,
        null_mut() => Handle, null_mut() => *mut *mut c_void, extra.as_mut_ptr() => *mut *mut c_void)),
        0
    );

    // Too many threads is a refusal that does not stay.
    assert_eq!(
        call!(lib, cuLaunchKernel(
        scale => Handle, 1 => c_uint, 1 => c_uint, 1 => c_uint, 2048 => c_uint, 1 => c_uint, 1 => c_uint, 0 => c_uint,
        null_mut() => Handle, null_mut() => *mut *mut c_void, extra.as_mut_ptr() => *mut *mut c_void)),
        1
    );
    assert_eq!(call!(lib, cuCtxSynchronize()), 0);

    let mut lanes = 0u64;
    assert_eq!(call!(lib, oxideStatistics(&mut lanes => *mut u64)), 0);
    assert!(lanes > 10_000);

    // A side table gives Rust lines; a fault stays until the context ends.
    let mut table = artifact::SideTable::default();
    let (file, function_name) = (
        table.intern_file("src/main.rs"),
        table.intern_function("scale"),
    );
    let line = 1 + PTX[..PTX.find("ld.global.b32 %r6").unwrap()]
        .matches('\n')
        .count() as u32;
    table.lines.insert(
        line,
        vec![artifact::Frame {
            file,
            line: 42,
            column: 7,
            function: function_name,
        }],
    );
    let bytes = table.to_bytes();
    assert_eq!(
        call!(lib, oxideModuleSetSideTable(
        module => Handle, bytes.as_ptr().cast() => *const c_void, bytes.len() => usize)),
        0
    );
    assert_eq!(call!(lib, cuMemFree_v2(p => u64)), 0);
    assert_eq!(launch(scale, 1, p, 10), 0, "a launch is asynchronous");
    assert_eq!(call!(lib, cuCtxSynchronize()), 700);
    assert_eq!(
        call!(lib, cuMemAlloc_v2(&mut p => *mut u64, 16 => usize)),
        700
    );
    let text = report();
    for piece in [
        "use after free",
        "in kernel `scale`, block (0, 0, 0), thread (0, 0, 0)",
        "src/main.rs:42:7 in scale",
    ] {
        assert!(text.contains(piece), "{piece} is not in {text}");
    }
    let mut name: *const c_char = null();
    assert_eq!(
        call!(lib, cuGetErrorName(700 => c_int, &mut name => *mut *const c_char)),
        0
    );
    // SAFETY: a static text.
    assert_eq!(
        // SAFETY: a static text.
        unsafe { CStr::from_ptr(name) }.to_str(),
        Ok("CUDA_ERROR_ILLEGAL_ADDRESS")
    );
    assert_eq!(call!(lib, cuDevicePrimaryCtxRelease_v2(0 => c_int)), 0);
    assert_eq!(
        call!(lib, cuDevicePrimaryCtxRetain(&mut context => *mut Handle, 0 => c_int)),
        0
    );
    assert_eq!(call!(lib, cuCtxSetCurrent(context => Handle)), 0);
    assert_eq!(call!(lib, cuCtxSynchronize()), 0);
    let (r, stop) = function(c"stop");
    assert_eq!(r, 0);
    assert_eq!(launch(stop, 1, 0, 0), 0);
    assert_eq!(call!(lib, cuCtxSynchronize()), 719);
    assert_eq!(call!(lib, cuModuleUnload(module => Handle)), 0);
}

#[test]
fn by_dlopen() {
    exercise(&Loaded::open());
}

#[test]
fn by_the_rust_library() {
    exercise(&Linked);
}

/// Every name of the table is a symbol of the shared library.
#[test]
fn exports() {
    let lib = Loaded::open();
    assert!(cuda_oxide_sim::EXPORTS.len() > 90);
    for (name, _) in cuda_oxide_sim::EXPORTS {
        assert!(!lib.symbol(name).is_null(), "{name}");
    }
}
