//! Kernels that run, on the simulator: from `new` to the program's own exit code, and what is said on the way.

mod common;

use common::User;

#[test]
fn a_new_crate_runs_tests_and_shows_its_stages() {
    let user = User::new("mine");
    user.oxide(&["new", "t-mine"]).success();
    // The toolchain of these tests is the one that runs them.
    std::fs::remove_file(user.dir.join("t-mine/rust-toolchain.toml")).unwrap();
    let run = user.oxide_in("t-mine", &["run"], &[]).success();
    assert_eq!(run.stdout, "SUCCESS: 1000 elements\n");
    let says = [
        "Compiling kernels (t_mine)",
        "Compiling t-mine v0.1.0",
        "Running `",
        "running on the simulator",
    ];
    let places: Vec<_> = says
        .iter()
        .map(|s| {
            run.stderr
                .find(s)
                .unwrap_or_else(|| panic!("{s}: {}", run.stderr))
        })
        .collect();
    assert!(places.is_sorted(), "{}", run.stderr);
    // Nothing is compiled again.
    let again = user.oxide_in("t-mine", &["run"], &[]).success();
    assert!(!again.stderr.contains("Compiling"), "{}", again.stderr);
    let test = user
        .oxide_in("t-mine", &["test", "--", "--nocapture"], &[])
        .success();
    assert!(
        test.stdout.contains("test saxpy_of_odd_lengths ... ok"),
        "{}",
        test.stdout
    );

    let ptx = user
        .oxide_in("t-mine", &["inspect", "--arch", "sm_90"], &[])
        .success()
        .stdout;
    assert!(
        ptx.contains(".target sm_90\n") && ptx.contains(".visible .entry saxpy("),
        "{ptx}"
    );
    assert!(
        !ptx.contains("fma.")
            && user
                .oxide_in("t-mine", &["inspect", "--fmad"], &[])
                .success()
                .stdout
                .contains("fma.rn.f32")
    );
    let lines = user
        .oxide_in("t-mine", &["inspect", "-g=line-tables"], &[])
        .success()
        .stdout;
    assert!(
        lines.contains("src/main.rs") && lines.contains("\t.loc\t"),
        "{lines}"
    );
    let llvm = user
        .oxide_in(
            "t-mine",
            &["inspect", "--stage", "llvm", "--kernel", "saxpy"],
            &[],
        )
        .success()
        .stdout;
    assert!(llvm.contains("define ptx_kernel void @"), "{llvm}");
    user.oxide_in("t-mine", &["inspect", "--arch", "sm_99"], &[])
        .fails(101, &["unknown GPU architecture `sm_99`", "sm_90a"]);

    let verbose = user
        .file("t-mine/src/lib.rs", "")
        .oxide_in("t-mine", &["inspect", "-v"], &[])
        .success();
    for says in [
        "Device pass ",
        "rustc t_mine ",
        "Kernel t_mine::kernels::saxpy: ",
        "Ours ",
        "LLVM ",
    ] {
        assert!(verbose.stderr.contains(says), "{says}: {}", verbose.stderr);
    }
}

#[test]
fn a_kernel_in_a_library_a_closure_and_the_exit_code() {
    let user = User::new("library");
    let manifest = |name: &str, rest: &str| {
        format!(
            "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n[dependencies]\ncuda-core = {{ path = \"{{crates}}/cuda-core\" }}\n\
             cuda-device = {{ path = \"{{crates}}/cuda-device\" }}\n{rest}"
        )
    };
    user.file(
        "Cargo.toml",
        "[workspace]\nresolver = \"3\"\nmembers = [\"kernels\", \"app\"]\n",
    );
    user.file("kernels/Cargo.toml", &manifest("t-kernels", ""));
    user.file(
        "kernels/src/lib.rs",
        "use cuda_device::{cuda_module, kernel, thread, DisjointSlice};\n#[cuda_module]\npub mod kernels {\n    use super::*;\n    #[kernel]\n    \
         pub fn map<F: Fn(u32) -> u32 + Copy>(f: F, x: &[u32], mut y: DisjointSlice<u32>) {\n        let i = thread::index_1d();\n        let n = i.get();\n        \
         if let Some(y) = y.get_mut(i) { *y = f(x[n]); }\n    }\n    #[kernel]\n    pub fn double(mut y: DisjointSlice<u32>) {\n        \
         if let Some(y) = y.get_mut(thread::index_1d()) { *y *= 2; }\n    }\n}\n",
    );
    user.file(
        "app/Cargo.toml",
        &manifest(
            "t-run",
            "inner = { path = \"../kernels\", package = \"t-kernels\" }\n",
        ),
    );
    user.file(
        "app/src/main.rs",
        "use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n    \
         let (a, b) = (3, std::env::args().count() as u32);\n    let ctx = CudaContext::new(0)?;\n    let stream = ctx.default_stream();\n    \
         let x = DeviceBuffer::from_host(&stream, &[1u32, 2, 3])?;\n    let mut y = DeviceBuffer::<u32>::zeroed(&stream, 3)?;\n    \
         let module = inner::kernels::load(&ctx)?;\n    let cfg = || LaunchConfig::for_num_elems(3);\n    unsafe {\n        \
         module.map(&stream, cfg(), move |x| x * a + b, &x, &mut y)?;\n        module.double(&stream, cfg(), &mut y)?;\n    }\n    \
         println!(\"{:?}\", y.to_host_vec(&stream)?);\n    std::process::exit(b as i32 + 40)\n}\n",
    );
    let run = user.oxide(&["run", "t-run", "--", "x", "y"]);
    assert_eq!(
        (run.code, run.stdout.as_str()),
        (43, "[12, 18, 24]\n"),
        "{}",
        run.stderr
    );
    // Plain cargo builds it too, and the program says how to build it with kernels.
    let plain = std::process::Command::new(std::env::var("CARGO").unwrap())
        .args(["run", "--quiet", "-p", "t-run"])
        .current_dir(&user.dir)
        .env("CARGO_TARGET_DIR", common::target_dir())
        .env_remove("CUDA_OXIDE_ARTIFACTS")
        .env("CUDA_OXIDE_DEVICE", "sim")
        .env("CUDA_OXIDE_SIM", "/nowhere")
        .output()
        .unwrap();
    assert!(!plain.status.success());
    let said = String::from_utf8_lossy(&plain.stderr);
    assert!(said.contains("cargo oxide run"), "{said}");
    let again = user.oxide(&["run", "t-run"]);
    assert_eq!(
        (again.code, again.stdout.as_str()),
        (41, "[8, 14, 20]\n"),
        "{}",
        again.stderr
    );
}

/// How often `part` is in `whole`.
fn count(whole: &[u8], part: &[u8]) -> usize {
    let first = part[0];
    let starts = (0..=whole.len() - part.len()).filter(|at| whole[*at] == first);
    starts.filter(|at| whole[*at..].starts_with(part)).count()
}

#[test]
fn the_artifact_is_in_a_program_once_however_many_modules_there_are() {
    let user = User::with_kernels("modules");
    let module = |name: &str, value: u32| {
        format!(
            "pub mod in_{name} {{\n#[cuda_device::cuda_module]\npub mod {name} {{\n    use cuda_device::{{kernel, thread, DisjointSlice}};\n    #[kernel]\n    \
             pub fn set(mut y: DisjointSlice<u32>) {{\n        if let Some(y) = y.get_mut(thread::index_1d()) {{ *y = {value}; }}\n    }}\n}}\n}}\n"
        )
    };
    let main = "use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};\nfn main() -> Result<(), Box<dyn std::error::Error>> {\n    \
        let ctx = CudaContext::new(0)?;\n    let stream = ctx.default_stream();\n    let mut y = DeviceBuffer::<u32>::zeroed(&stream, 1)?;\n    \
        let mut all = Vec::new();\n    let cfg = || LaunchConfig::for_num_elems(1);\n    \
        unsafe { in_a::a::load(&ctx)?.set(&stream, cfg(), &mut y)? };\n    all.extend(y.to_host_vec(&stream)?);\n    \
        unsafe { in_b::b::load(&ctx)?.set(&stream, cfg(), &mut y)? };\n    all.extend(y.to_host_vec(&stream)?);\n    \
        unsafe { in_c::c::load(&ctx)?.set(&stream, cfg(), &mut y)? };\n    all.extend(y.to_host_vec(&stream)?);\n    \
        println!(\"{all:?}\");\n    Ok(())\n}\n";
    // rustc keeps the object code of what did not change, and the second artifact is other bytes.
    for value in [1, 5] {
        let source = main.to_string() + &module("a", value) + &module("b", 2) + &module("c", 3);
        user.file("src/main.rs", &source);
        let run = user.oxide(&["run"]).success();
        assert_eq!(run.stdout, format!("[{value}, 2, 3]\n"), "{}", run.stderr);
        let artifact = common::target_dir().join("oxide/artifacts/debug/t_modules.oxart");
        let artifact = std::fs::read(artifact).unwrap();
        let program = std::fs::read(common::target_dir().join("debug/t-modules")).unwrap();
        assert_eq!(count(&program, &artifact), 1);
    }
}

#[test]
fn what_a_gpu_cannot_do_is_an_error_and_leaves_nothing() {
    let user = User::with_kernels("cannot");
    let with = |body: &str| {
        format!(
            "use cuda_device::{{cuda_module, kernel, thread, DisjointSlice}};\n#[cuda_module]\nmod kernels {{\n    use super::*;\n    #[kernel]\n    \
             pub fn bad(mut y: DisjointSlice<u32>) {{\n        if let Some(y) = y.get_mut(thread::index_1d()) {{\n            {body}\n        }}\n    }}\n}}\nfn main() {{}}\n"
        )
    };
    user.file("src/main.rs", &with("let v = vec![*y; 3]; *y = v[1];"));
    user.oxide(&["build"]).fails(
        101,
        &[
            "error: kernels cannot allocate memory",
            "src/main.rs:",
            "help: ",
            "could not compile the kernels of `t_cannot`",
        ],
    );
    user.file("src/main.rs", &with("println!(\"{y}\");"));
    user.oxide(&["build"]).fails(
        101,
        &[
            "error: kernels cannot print",
            "src/main.rs:8:13",
            "gpu_printf!",
        ],
    );
    let left = common::target_dir().join("oxide/artifacts/debug/t_cannot.oxart");
    assert!(!left.exists(), "{}", left.display());
    assert!(!common::target_dir().join("debug/t-cannot").exists());
}

#[test]
fn a_program_with_the_dependencies_that_programs_have() {
    let user = User::new("dependencies");
    user.file("Cargo.toml", common::POPULAR_MANIFEST);
    user.file("src/main.rs", common::POPULAR_MAIN);
    let run = user.oxide(&["run", "--", "--scale", "3"]).success();
    assert_eq!(
        run.stdout, "{\"kept\":[\"b7\",\"d11\"],\"sum\":54}\n",
        "{}",
        run.stderr
    );
}

/// A plain kernel comes from MIR and an instance of a generic one from LLVM IR: their static is one all the same.
#[test]
fn kernels_of_both_routes_share_a_static() {
    let user = User::with_kernels("statics");
    user.file(
        "src/main.rs",
        "use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};\nuse cuda_device::{cuda_module, kernel, thread, DisjointSlice};\n\
         #[cuda_module]\nmod kernels {\n    use super::*;\n    static mut SUM: u32 = 1;\n    #[kernel]\n    \
         pub fn plain(n: u32) {\n        if thread::threadIdx_x() == 0 { unsafe { SUM += n } }\n    }\n    #[kernel]\n    \
         pub fn generic<F: Fn(u32) -> u32 + Copy>(f: F, mut y: DisjointSlice<u32>) {\n        \
         if let Some(y) = y.get_mut(thread::index_1d()) { unsafe { SUM = f(SUM); *y = SUM } }\n    }\n}\n\
         fn main() -> Result<(), Box<dyn std::error::Error>> {\n    let ctx = CudaContext::new(0)?;\n    let stream = ctx.default_stream();\n    \
         let mut y = DeviceBuffer::<u32>::zeroed(&stream, 1)?;\n    let module = kernels::load(&ctx)?;\n    \
         let cfg = || LaunchConfig::for_num_elems(1);\n    let k = std::env::args().count() as u32;\n    unsafe {\n        \
         module.plain(&stream, cfg(), 5)?;\n        module.generic(&stream, cfg(), move |x| x * 10 + k, &mut y)?;\n        \
         module.plain(&stream, cfg(), 2)?;\n        module.generic(&stream, cfg(), move |x| x * 10 + k, &mut y)?;\n    }\n    \
         println!(\"{:?}\", y.to_host_vec(&stream)?);\n    Ok(())\n}\n",
    );
    let run = user.oxide(&["run"]).success();
    assert_eq!(run.stdout, "[631]\n", "{}", run.stderr);
}

/// A kernel that only LLVM IR gives parts the others into modules of their own: the function that they share is in each.
#[test]
fn kernels_apart_share_a_function() {
    let user = User::with_kernels("apart");
    user.file(
        "src/main.rs",
        "use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};\nuse cuda_device::{cuda_module, kernel, thread, DisjointSlice};\n\
         #[inline(never)]\nfn helper(x: u64) -> u64 { x * 3 + 1 }\nmod a {\n    use cuda_device::{cuda_module, kernel, thread, DisjointSlice};\n    \
         #[cuda_module]\n    pub mod k {\n        use super::*;\n        #[kernel]\n        pub fn first(mut y: DisjointSlice<u64>) {\n            \
         if let Some(y) = y.get_mut(thread::index_1d()) { *y = crate::helper(*y) }\n        }\n    }\n}\n\
         #[cuda_module]\nmod kernels {\n    use super::*;\n    #[kernel]\n    pub fn second(mut y: DisjointSlice<u64>) {\n        \
         if let Some(y) = y.get_mut(thread::index_1d()) { *y = helper(*y) }\n    }\n    #[kernel]\n    \
         pub fn dynamic(mut y: DisjointSlice<u64>) {\n        let n = thread::index_1d();\n        let all: [&dyn Fn(u64) -> u64; 2] = [&|x| x + 1, &|x| x * 2];\n        \
         let i = n.get();\n        if let Some(y) = y.get_mut(n) { *y = all[i % 2](helper(*y)) }\n    }\n}\n\
         fn main() -> Result<(), Box<dyn std::error::Error>> {\n    let ctx = CudaContext::new(0)?;\n    let stream = ctx.default_stream();\n    \
         let mut y = DeviceBuffer::from_host(&stream, &[5u64, 7])?;\n    let (one, two) = (a::k::load(&ctx)?, kernels::load(&ctx)?);\n    \
         let cfg = || LaunchConfig::for_num_elems(2);\n    unsafe {\n        \
         one.first(&stream, cfg(), &mut y)?;\n        two.second(&stream, cfg(), &mut y)?;\n        two.dynamic(&stream, cfg(), &mut y)?;\n    }\n    \
         println!(\"{:?}\", y.to_host_vec(&stream)?);\n    Ok(())\n}\n",
    );
    let run = user.oxide(&["run", "-v"]).success();
    // 5, 16, 49, 148 and 149; 7, 22, 67, 202 and 404.
    assert_eq!(run.stdout, "[149, 404]\n", "{}", run.stderr);
}
