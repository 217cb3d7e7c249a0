//! The host API over the simulator's library, with PTX written by hand.

use artifact::{Arg, Artifact, Frame, Kernel, Param, Route, SideTable};
use cuda_core::__private::{self, Expected};
use cuda_core::*;
use std::ffi::c_void;
use std::sync::{Arc, Mutex, Once, mpsc};

const PTX: &str = r#".version 7.8
.target sm_80
.address_size 64
.visible .global .u64 __oxide_panic_record;
.visible .global .u32 counter = 7;
.visible .entry scale(.param .u64 x, .param .u64 n, .param .f32 k, .param .u64 y)
{
    .reg .pred %p<2>; .reg .b32 %r<5>; .reg .f32 %f<4>; .reg .b64 %rd<8>;
    ld.param.u64 %rd1, [x];
    ld.param.u64 %rd2, [n];
    ld.param.f32 %f1, [k];
    ld.param.u64 %rd3, [y];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %ntid.x;
    mov.u32 %r3, %tid.x;
    mad.lo.s32 %r4, %r1, %r2, %r3;
    cvt.u64.u32 %rd4, %r4;
    setp.ge.u64 %p1, %rd4, %rd2;
    @%p1 bra done;
    shl.b64 %rd5, %rd4, 2;
    add.s64 %rd6, %rd1, %rd5;
    add.s64 %rd7, %rd3, %rd5;
    ld.global.f32 %f2, [%rd6];
    mul.f32 %f3, %f1, %f2;
    st.global.f32 [%rd7], %f3;
done:
    ret;
}
.visible .entry panics()
{
    .reg .b32 %r<3>; .reg .b64 %rd<3>;
    ld.global.u64 %rd1, [__oxide_panic_record];
    mov.u32 %r1, %tid.x;
    cvt.u64.u32 %rd2, %r1;
    st.u32 [%rd1+4], 1;
    st.u64 [%rd1+8], 42;
    st.u32 [%rd1+56], 12;
    st.u32 [%rd1+60], 9;
    st.u32 [%rd1+76], %r1;
    st.u32 [%rd1+88], 3;
    st.u32 [%rd1+92], 4;
    st.u8 [%rd1+96], 123;
    st.u8 [%rd1+97], 48;
    st.u8 [%rd1+98], 125;
    st.u32 [%rd1+1120], 1936862822;
    membar.sys;
    st.u32 [%rd1], 2;
    trap;
}
.visible .entry meets(.param .u64 out)
{
    .reg .pred %p<3>; .reg .b32 %r<9>; .reg .b64 %rd<9>;
    ld.param.u64 %rd1, [out];
    mov.u32 %r1, %envreg1;
    mov.u32 %r2, %envreg2;
    mov.b64 %rd2, {%r2, %r1};
    mov.u32 %r3, %ctaid.x;
    mov.u32 %r4, %nctaid.x;
    mul.wide.u32 %rd3, %r3, 4;
    add.s64 %rd4, %rd1, %rd3;
    add.u32 %r5, %r3, 1;
    st.global.u32 [%rd4], %r5;
    membar.gl;
    atom.global.add.u32 %r6, [%rd2], 1;
wait:
    ld.acquire.gpu.global.u32 %r7, [%rd2];
    setp.lt.u32 %p1, %r7, %r4;
    @%p1 bra wait;
    setp.ne.u32 %p2, %r5, %r4;
    @%p2 ret;
    ld.global.u32 %r8, [%rd1];
    st.global.u32 [%rd4], %r8;
    ret;
}
.visible .entry attributes()
{
    .local .align 8 .b8 frame[40];
    .shared .align 4 .b8 tile[100];
    .reg .b64 %rd<20>;
    mov.u64 %rd1, frame;
    mov.u64 %rd2, tile;
    st.local.u64 [%rd1], %rd2;
    ret;
}
"#;

fn context() -> Arc<CudaContext> {
    static ONCE: Once = Once::new();
    // SAFETY: before the first driver call of the process; every test begins here.
    ONCE.call_once(|| unsafe { std::env::set_var("CUDA_OXIDE_DEVICE", "sim") });
    CudaContext::new(0).unwrap()
}

/// `fn scale(x: &[f32], k: f32, y: DisjointSlice<f32>)`, whose `y.len` the PTX does not take.
fn artifact() -> Artifact {
    let f32_layout = Some(<f32 as DeviceCopy>::LAYOUT);
    let arg = |name: &str, size| Arg {
        name: name.into(),
        type_name: "T".into(),
        size,
        align: 8,
        layout_hash: f32_layout,
    };
    let kernel = |key: &str| Kernel {
        key: key.into(),
        ptx_name: "scale".into(),
        symbol: String::new(),
        route: Route::Mir,
        launch_bounds: None,
        source: None,
        args: vec![arg("x", 16), arg("k", 4), arg("y", 16)],
        params: [(0, 0, 8), (0, 8, 8), (1, 0, 4), (2, 0, 8)]
            .map(|(arg, offset, size)| Param { arg, offset, size })
            .to_vec(),
    };
    let mut side = SideTable::default();
    let line = PTX
        .lines()
        .position(|l| l.contains("ld.global.f32"))
        .unwrap() as u32
        + 1;
    let frame = Frame {
        file: side.intern_file("src/app.rs"),
        line: 77,
        column: 5,
        function: side.intern_function("app::scale"),
    };
    side.lines.insert(line, vec![frame]);
    let instance = artifact::canonical_instance("_RINvCs1_3app3mapfE").unwrap();
    Artifact {
        crate_name: "app".into(),
        arch: "sm_80".into(),
        ptx: PTX.into(),
        kernels: vec![kernel("app::scale"), kernel(&instance)],
        side,
        ..Artifact::default()
    }
}

const EXPECTED: Expected = Expected {
    key: "app::scale",
    args: &[
        ("x", <f32 as DeviceCopy>::LAYOUT),
        ("k", <f32 as DeviceCopy>::LAYOUT),
        ("y", <f32 as DeviceCopy>::LAYOUT),
    ],
};

fn load(ctx: &Arc<CudaContext>, artifact: &Artifact) -> Result<Arc<CudaModule>, DriverError> {
    __private::load(ctx, Some(&artifact.to_bytes()), &[EXPECTED], "app")
}

#[test]
fn buffers() {
    let ctx = context();
    let stream = ctx.default_stream();
    let values: Vec<u32> = (0..1000).collect();
    let mut buffer = DeviceBuffer::from_host(&stream, &values).unwrap();
    assert_eq!(buffer.to_host_vec(&stream).unwrap(), values);
    assert_eq!(
        (buffer.len(), buffer.num_bytes(), buffer.is_empty()),
        (1000, 4000, false)
    );
    let mut out = vec![0; 1000];
    buffer.copy_from_host(&stream, &vec![9; 1000]).unwrap();
    buffer.copy_to_host(&stream, &mut out).unwrap();
    assert_eq!(out, [9; 1000]);
    let e = buffer.copy_from_host(&stream, &[1]).unwrap_err();
    assert!(
        e.error_string()
            .contains("the buffer has 1000 values, the slice 1"),
        "{e}"
    );
    assert_eq!(
        DeviceBuffer::<f64>::zeroed(&stream, 3)
            .unwrap()
            .to_host_vec(&stream)
            .unwrap(),
        [0.0; 3]
    );
    assert_eq!(
        DeviceBuffer::<f64>::zeroed(&stream, 0)
            .unwrap()
            .to_host_vec(&stream)
            .unwrap(),
        []
    );
    assert!(DeviceBuffer::<u64>::zeroed(&stream, usize::MAX).is_err());

    let address = buffer.cu_deviceptr();
    let chunks = buffer.cast_chunks::<8>().unwrap();
    assert_eq!((chunks.len(), chunks.cu_deviceptr()), (125, address));
    let (address, len, context) = chunks.into_raw_parts();
    // SAFETY: just taken apart.
    let chunks = unsafe { DeviceBuffer::<[u32; 8]>::from_raw_parts(address, len, context) };
    assert_eq!(chunks.to_host_vec(&stream).unwrap(), [[9u32; 8]; 125]);
    // SAFETY: all bytes are floats.
    let floats = unsafe { chunks.cast_elem::<[f32; 8]>() }.unwrap();
    assert_eq!(
        floats.to_host_vec(&stream).unwrap()[0][0],
        f32::from_bits(9)
    );
    assert!(floats.cast_chunks::<7>().is_err());

    let mut pinned = PinnedHostBuffer::from_slice(&ctx, &[1u8, 2, 3]).unwrap();
    pinned[1] = 7;
    assert_eq!(
        DeviceBuffer::from_host(&stream, &pinned)
            .unwrap()
            .to_host_vec(&stream)
            .unwrap(),
        [1, 7, 3]
    );
}

#[test]
fn context_and_function_queries() {
    let ctx = context();
    assert!(ctx.is_simulated());
    assert!(!ctx.device_name().unwrap().is_empty());
    assert!(ctx.compute_capability().unwrap() >= (7, 0));
    assert!(ctx.multiprocessor_count().unwrap() >= 1);
    let limits = ctx.launch_limits().unwrap();
    assert_eq!((limits.max_threads_per_block, limits.warp_size), (1024, 32));
    ctx.set_stack_size(4096).unwrap();
    assert_eq!(ctx.stack_size().unwrap(), 4096);
    let module = ctx.load_module_from_ptx_src(PTX).unwrap();
    let function = module.load_function("scale").unwrap();
    assert!(function.max_threads_per_block().unwrap() >= 32);
    assert_eq!(function.static_shared_memory_bytes().unwrap(), 0);
    assert!(
        module
            .load_function("nothing")
            .unwrap_err()
            .error_string()
            .contains("no kernel `nothing`")
    );
    assert_eq!(module.get_global("counter").unwrap().1, 4);
    assert_eq!(
        CudaContext::new(99).err().unwrap().error_name(),
        "CUDA_ERROR_INVALID_DEVICE"
    );
}

#[test]
fn launches_a_function() {
    let ctx = context();
    let stream = ctx.new_stream().unwrap();
    let function = ctx
        .load_module_from_ptx_src(PTX)
        .unwrap()
        .load_function("scale")
        .unwrap();
    let x = DeviceBuffer::from_host(&stream, &[1.0f32, 2.0, 3.0]).unwrap();
    let y = DeviceBuffer::<f32>::zeroed(&stream, 3).unwrap();
    let (x_at, n, k, y_at) = (x.cu_deviceptr(), 3u64, 2.0f32, y.cu_deviceptr());
    let params = [
        (&raw const x_at).cast::<c_void>(),
        (&raw const n).cast(),
        (&raw const k).cast(),
        (&raw const y_at).cast(),
    ];
    // SAFETY: the four parameters of the kernel.
    unsafe { function.launch(&stream, LaunchConfig::for_num_elems(3), &params) }.unwrap();
    assert_eq!(y.to_host_vec(&stream).unwrap(), [2.0, 4.0, 6.0]);
}

#[test]
fn launches_by_the_artifacts_table() {
    let ctx = context();
    let stream = ctx.default_stream();
    let module = load(&ctx, &artifact()).unwrap();
    let x = DeviceBuffer::from_host(&stream, &[1.0f32, 2.0, 3.0]).unwrap();
    let mut y = DeviceBuffer::<f32>::zeroed(&stream, 3).unwrap();
    let cfg = LaunchConfig::for_num_elems(3);
    let args = |k: &f32, y: &mut DeviceBuffer<f32>| {
        let args = [
            __private::Arg::slice(&x),
            __private::Arg::value(k),
            __private::Arg::slice(y),
        ];
        // SAFETY: the kernel's arguments.
        unsafe { __private::launch(&module, "app::scale", &stream, cfg, false, &args) }
    };
    args(&3.0, &mut y).unwrap();
    assert_eq!(y.to_host_vec(&stream).unwrap(), [3.0, 6.0, 9.0]);

    // The instance of a generic kernel, by the symbol that another pass gave it.
    let args = [
        __private::Arg::slice(&x),
        __private::Arg::value(&5.0f32),
        __private::Arg::slice(&y),
    ];
    // SAFETY: the kernel's arguments.
    unsafe {
        __private::launch_instance(
            &module,
            "_RINvCsOther_3app3mapfECs2_3bin",
            &stream,
            cfg,
            false,
            &args,
        )
    }
    .unwrap();
    assert_eq!(y.to_host_vec(&stream).unwrap(), [5.0, 10.0, 15.0]);
    // SAFETY: nothing is launched.
    let e = unsafe {
        __private::launch_instance(&module, "_RINvC3app3mapdE", &stream, cfg, false, &args)
    }
    .unwrap_err();
    assert!(
        e.error_string().contains("no kernel `app::map::<f64>`"),
        "{e}"
    );
    assert!(e.error_string().contains("app::map::<f32>"), "{e}");
    // SAFETY: nothing is launched.
    let e = unsafe { __private::launch(&module, "app::scale", &stream, cfg, false, &args[..2]) }
        .unwrap_err();
    assert_eq!(e.error_name(), "CUDA_OXIDE_ERROR_LAYOUT_MISMATCH");
    let wrong = [
        __private::Arg::slice(&x),
        __private::Arg::value(&5.0f64),
        __private::Arg::slice(&y),
    ];
    // SAFETY: nothing is launched.
    let e = unsafe { __private::launch(&module, "app::scale", &stream, cfg, false, &wrong) }
        .unwrap_err();
    assert!(
        e.error_string()
            .contains("`k: T` has 4 bytes on the device and 8 on the host"),
        "{e}"
    );
}

#[test]
fn load_refuses_what_does_not_fit() {
    let ctx = context();
    let error = |bytes: Option<&[u8]>| {
        __private::load(&ctx, bytes, &[EXPECTED], "app::kernels")
            .err()
            .unwrap()
    };
    let e = error(None);
    assert!(
        e.error_string().contains("plain cargo build")
            && e.error_string().contains("cargo oxide build"),
        "{e}"
    );
    assert_eq!(
        error(Some(b"text")).error_name(),
        "CUDA_OXIDE_ERROR_INVALID_ARTIFACT"
    );

    let mut other = artifact();
    other.kernels[0].args[2].layout_hash = Some(<f64 as DeviceCopy>::LAYOUT);
    let e = error(Some(&other.to_bytes()));
    assert_eq!(e.error_name(), "CUDA_OXIDE_ERROR_LAYOUT_MISMATCH");
    assert!(
        e.error_string()
            .contains("kernel `app::scale`: argument `y: T`"),
        "{e}"
    );
    // What the compiler does not know is not compared.
    other.kernels[0].args[2].layout_hash = None;
    assert!(load(&ctx, &other).is_ok());

    other.kernels.remove(0);
    assert!(
        error(Some(&other.to_bytes()))
            .error_string()
            .contains("has no kernel `app::scale`")
    );
    other = artifact();
    other.ptx = other.ptx.replace("mul.f32 %f3", "mul.f32 (%f3");
    let e = error(Some(&other.to_bytes()));
    assert!(
        e.detail()
            .is_some_and(|d| d.contains("PTX") || d.contains("ptx")),
        "the log of the PTX compiler: {e}"
    );
}

/// Runs `body` in a process of its own: after a fault the context is dead, as on a GPU, and the tests of one process share it.
fn in_own_process(test: &str, body: fn()) {
    const CHILD: &str = "CUDA_CORE_TEST_CHILD";
    if std::env::var_os(CHILD).is_some_and(|name| name == test) {
        return body();
    }
    let output = std::process::Command::new(std::env::current_exe().unwrap())
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, test)
        .output()
        .unwrap();
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
fn a_panic_says_what_the_kernel_said() {
    in_own_process("a_panic_says_what_the_kernel_said", panics);
}

fn panics() {
    let ctx = context();
    let stream = ctx.default_stream();
    let function = ctx
        .load_module_from_ptx_src(PTX)
        .unwrap()
        .load_function("panics")
        .unwrap();
    // SAFETY: no parameters.
    let launched = unsafe { function.launch(&stream, LaunchConfig1D::new(1, 1), &[]) };
    let e = launched.and_then(|()| stream.synchronize()).unwrap_err();
    assert!(
        e.error_string()
            .contains("kernel panicked at f.rs:12:9, block (0, 0, 0), thread (0, 0, 0):\n42"),
        "{e}"
    );
}

#[test]
fn a_wild_access_says_the_rust_line() {
    in_own_process("a_wild_access_says_the_rust_line", wild_access);
}

fn wild_access() {
    let ctx = context();
    let stream = ctx.default_stream();
    let module = load(&ctx, &artifact()).unwrap();
    let x = DeviceBuffer::from_host(&stream, &[1.0f32]).unwrap();
    let y = DeviceBuffer::<f32>::zeroed(&stream, 300).unwrap();
    let function = module.load_function("app::scale").unwrap();
    let (x_at, n, k, y_at) = (x.cu_deviceptr(), 300u64, 2.0f32, y.cu_deviceptr());
    let params = [
        (&raw const x_at).cast::<c_void>(),
        (&raw const n).cast(),
        (&raw const k).cast(),
        (&raw const y_at).cast(),
    ];
    // SAFETY: the four parameters; that the length is wrong is what the simulator finds.
    let launched = unsafe { function.launch(&stream, LaunchConfig::for_num_elems(300), &params) };
    let e = launched.and_then(|()| stream.synchronize()).unwrap_err();
    assert_eq!(e.error_name(), "CUDA_ERROR_ILLEGAL_ADDRESS");
    assert!(e.error_string().contains("src/app.rs:77"), "{e}");
}

#[test]
fn streams_and_events() {
    let ctx = context();
    let stream = ctx.new_stream().unwrap();
    let start = stream.record_event(None).unwrap();
    let order = Arc::new(Mutex::new(Vec::new()));
    let (send, receive) = mpsc::channel();
    for i in 0..3 {
        let (order, send) = (order.clone(), send.clone());
        let f = move || {
            order.lock().unwrap().push(i);
            send.send(()).unwrap();
        };
        stream.launch_host_function(f).unwrap();
    }
    let forked = stream.fork().unwrap();
    stream.join(&forked).unwrap();
    let end = stream.record_event(None).unwrap();
    stream.synchronize().unwrap();
    ctx.synchronize().unwrap();
    assert_eq!(receive.try_iter().count(), 3);
    assert_eq!(*order.lock().unwrap(), [0, 1, 2]);
    assert!(start.query().unwrap() && end.query().unwrap());
    assert!(start.elapsed_ms(&end).unwrap() >= 0.0);
}

/// From bytes and from a file: text that ends with its bytes or with a zero.
#[test]
fn modules_of_images_and_files() {
    let ctx = context();
    let image = format!("{PTX}\0");
    // SAFETY: PTX that ends in a zero.
    let module = unsafe { ctx.load_module_from_image(image.as_bytes()) }.unwrap();
    assert_eq!(module.get_global("counter").unwrap().1, 4);
    module.load_function("scale").unwrap();
    let path = std::env::temp_dir().join(format!("cuda-core-{}.ptx", std::process::id()));
    std::fs::write(&path, PTX).unwrap();
    let module = ctx.load_module_from_file(&path).unwrap();
    module.load_function("panics").unwrap();
    std::fs::remove_file(&path).unwrap();
    let e = ctx.load_module_from_file(&path).err().unwrap();
    assert!(e.to_string().contains(&*path.to_string_lossy()), "{e}");
    // SAFETY: text that ends in a zero; that it is no PTX is what is said of it.
    let e = unsafe { ctx.load_module_from_image(b"no module\0") }
        .err()
        .unwrap();
    assert!(e.error_name().starts_with("CUDA_ERROR_INVALID"), "{e}");
}

#[test]
fn attributes_of_functions() {
    let ctx = context();
    let module = ctx.load_module_from_ptx_src(PTX).unwrap();
    let f = module.load_function("attributes").unwrap();
    assert_eq!(f.static_shared_memory_bytes().unwrap(), 100);
    assert!((40..64).contains(&f.local_size_bytes().unwrap()));
    assert_eq!(f.const_size_bytes().unwrap(), 0);
    assert!((2..=255).contains(&f.num_registers().unwrap()));
    assert_eq!(f.max_threads_per_block().unwrap(), 1024);
    // 2048 threads, 32 blocks, 227 KiB of shared memory an SM.
    let fit = |threads, shared| {
        f.max_active_blocks_per_multiprocessor(threads, shared)
            .unwrap()
    };
    assert_eq!((fit(1024, 0), fit(32, 0), fit(32, 100 << 10)), (2, 32, 2));
}

#[test]
fn cooperative_launches() {
    let ctx = context();
    assert!(ctx.supports_cooperative_launch().unwrap());
    assert!(ctx.supports_cluster_launch().unwrap());
    let stream = ctx.default_stream();
    let module = ctx.load_module_from_ptx_src(PTX).unwrap();
    let function = module.load_function("meets").unwrap();
    let out = DeviceBuffer::<u32>::zeroed(&stream, 40).unwrap();
    let at = out.cu_deviceptr();
    let params = [(&raw const at).cast::<c_void>()];
    let launch = |blocks| {
        let cfg = LaunchConfig1D::new(blocks, 1);
        // SAFETY: one element for each block, or a launch that is refused.
        unsafe { function.launch_cooperative(&stream, cfg, &params) }
    };
    // Each launch has a workspace that begins with zeroes.
    launch(40).unwrap();
    launch(40).unwrap();
    let expected = (1..=40).map(|i| if i == 40 { 1 } else { i });
    assert!(out.to_host_vec(&stream).unwrap().into_iter().eq(expected));
    let fit = function.max_active_blocks_per_multiprocessor(1, 0).unwrap()
        * ctx.multiprocessor_count().unwrap();
    let e = launch(fit + 1).unwrap_err();
    assert_eq!(e.error_name(), "CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE");
    assert!(
        e.error_string()
            .contains(&format!("grid ({}, 1, 1)", fit + 1)),
        "{e}"
    );
    // It was only refused.
    stream.synchronize().unwrap();
}

fn generic<T, F: Fn(T) -> T>(f: F, t: T) -> T {
    f(t)
}

#[test]
fn an_instance_knows_its_symbol() {
    fn symbol<T, F: Fn(T) -> T>(_: &F) -> &'static str {
        __symbol_of!(generic::<T, F>)
    }
    // The test crate has the legacy mangling, so only that the names are of this function and differ.
    let (a, b) = (|x: u8| x, |x: u8| x + 1);
    assert_eq!(generic(a, 1) + generic(b, 1), 3);
    assert!(symbol(&a).contains("generic"), "{}", symbol(&a));
    assert_ne!(symbol(&a), symbol(&b));
    assert_eq!(symbol(&a), symbol(&a));
}
