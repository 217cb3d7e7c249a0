//! Recording launches, over the simulator; listings and pages without any tool.

use artifact::{Artifact, Frame, Kernel, Route, SideTable, Stage};
use cuda_core::*;
use reflect::*;
use std::sync::{Arc, Once};

const PTX: &str = "\
.version 7.8
.target sm_80
.address_size 64
.shared .align 4 .b8 tile[1024];
.visible .entry one(.param .u64 p)
{
\t.reg .b32 %r<3>;
\tmov.u32 %r1, %tid.x;
\tst.shared.u32 [tile], %r1;
\tbar.sync 0;
\tret;
}
.visible .entry two()
{
\tret;
}
";

fn context() -> Arc<CudaContext> {
    static ONCE: Once = Once::new();
    // SAFETY: before the first context, and every test of this program does it first.
    ONCE.call_once(|| unsafe { std::env::set_var("CUDA_OXIDE_DEVICE", "sim") });
    CudaContext::new(0).unwrap()
}

fn artifact() -> Artifact {
    let kernel = |name: &str| Kernel {
        key: format!("app::kernels::{name}"),
        ptx_name: name.to_string(),
        symbol: String::new(),
        route: Route::Mir,
        launch_bounds: None,
        source: None,
        args: Vec::new(),
        params: Vec::new(),
    };
    let mut side = SideTable::default();
    let (main, library) = (
        side.intern_file("src/main.rs"),
        side.intern_file("/lib/shared.rs"),
    );
    let (one, store) = (side.intern_function("one"), side.intern_function("store"));
    let frame = |file, line, function| Frame {
        file,
        line,
        column: 1,
        function,
    };
    side.lines.insert(8, vec![frame(main, 10, one)]);
    side.lines
        .insert(9, vec![frame(library, 77, store), frame(main, 11, one)]);
    side.lines.insert(10, vec![frame(main, 12, one)]);
    side.lines.insert(11, vec![frame(main, 0, one)]);
    Artifact {
        crate_name: "app".to_string(),
        arch: "sm_80".to_string(),
        ptx: PTX.to_string(),
        side,
        kernels: vec![kernel("one"), kernel("two")],
        stages: vec![Stage {
            kernel: Some("app::kernels::one".to_string()),
            stage: "mir".to_string(),
            text: "fn one() {}".to_string(),
        }],
        ..Artifact::default()
    }
}

#[test]
fn texts_of_a_kernel() {
    let artifact = artifact();
    let one = kernel(&artifact, "one").unwrap();
    assert_eq!(
        kernel(&artifact, "kernels::one").unwrap().kernel.key,
        one.kernel.key
    );
    assert_eq!(code_mir(one).unwrap(), "fn one() {}");
    let ptx = code_ptx(one, Some("sm_90")).unwrap();
    assert!(
        ptx.contains(".entry one") && !ptx.contains(".entry two"),
        "{ptx}"
    );
    let e = code_ptx(one, Some("sm_75")).unwrap_err().to_string();
    assert!(
        e.contains("built for sm_80") && e.contains("--arch sm_75"),
        "{e}"
    );
    let e = code_dialect_mir(one).unwrap_err().to_string();
    assert!(e.contains("CUDA_OXIDE_STAGES=1"), "{e}");
    let e = kernel(&artifact, "three").unwrap_err().to_string();
    assert!(e.contains("app::kernels::one, app::kernels::two"), "{e}");
}

#[test]
fn sass_asks_for_an_architecture_on_the_simulator() {
    let _ctx = context();
    let artifact = artifact();
    let e = code_sass(kernel(&artifact, "one").unwrap(), None)
        .unwrap_err()
        .to_string();
    assert!(
        e.contains("simulator") && e.contains("name an architecture"),
        "{e}"
    );
}

#[test]
fn launches_are_recorded() {
    let ctx = context();
    let stream = ctx.default_stream();
    let other = ctx.new_stream().unwrap();
    let launch = |module: &Arc<CudaModule>, name: &str, stream: &CudaStream, n: u32| {
        let function = module.load_function(name).unwrap();
        let word = 0u64;
        let params: &[*const std::ffi::c_void] = &[(&raw const word).cast()];
        let params = if name == "one" { params } else { &[] };
        // SAFETY: the kernels take nothing, or a pointer that they do not use.
        unsafe {
            function
                .launch(stream, LaunchConfig1D::new(1, n), params)
                .unwrap()
        };
    };
    let before = ctx.load_module_from_ptx_src(PTX).unwrap();
    let ((), all) = record(|| {
        launch(&before, "one", &stream, 32);
        launch(&before, "one", &other, 32);
        launch(&before, "one", &stream, 64);
        // Loaded within, and gone before the end.
        let text = PTX.replace("two", "three");
        let within = ctx.load_module_from_ptx_src(&text).unwrap();
        let ((), inner) = record(|| launch(&within, "three", &stream, 1));
        assert_eq!(inner.len(), 1);
        // Another thread's launches are its own.
        std::thread::scope(|s| {
            let (before, stream) = (&before, &other);
            s.spawn(move || {
                let ((), mine) = record(|| launch(before, "two", stream, 1));
                assert_eq!(mine.len(), 1);
            });
        });
        ctx.synchronize().unwrap();
    });
    let said: Vec<(&str, u32, usize)> = all
        .iter()
        .map(|l| (l.name.as_str(), l.config.block_dim.0, l.count))
        .collect();
    assert_eq!(said, [("one", 32, 2), ("one", 64, 1), ("three", 1, 1)]);
    assert!(all[2].ptx().unwrap().contains(".entry three"));
    let e = all[0].stage("mir").unwrap_err().to_string();
    assert!(e.contains("was not compiled by this project"), "{e}");
    let (n, codes) = device_code_ptx(|| {
        launch(&before, "two", &stream, 1);
        7
    })
    .unwrap();
    assert_eq!((n, codes.len()), (7, 1));
    assert!(codes[0].code.contains(".entry two()") && !codes[0].code.contains(".entry one("));
    assert!(matches!(
        device_code_ptx(|| ()),
        Err(Error::NothingLaunched)
    ));
}

/// As the generated methods launch: the kernel has its Rust path, and the artifact's stages.
#[test]
fn launches_of_generated_methods() {
    use cuda_core::__private as generated;
    let ctx = context();
    let bytes = artifact().to_bytes();
    let module = generated::load(&ctx, Some(&bytes), &[], "app::kernels").unwrap();
    let stream = ctx.default_stream();
    let cfg: LaunchConfig = LaunchConfig1D::new(2, 32).into();
    let ((), all) = record(|| {
        // SAFETY: the kernel takes nothing.
        unsafe {
            generated::launch(&module, "app::kernels::two", &stream, cfg, false, &[]).unwrap()
        };
    });
    assert_eq!(
        (all.len(), all[0].name.as_str(), all[0].config),
        (1, "app::kernels::two", cfg)
    );
    assert!(all[0].ptx().unwrap().contains(".entry two"));
    let e = all[0].stage("mir").unwrap_err().to_string();
    assert!(e.contains("holds no text of stage `mir`"), "{e}");
}

#[test]
fn a_panic_ends_recording() {
    let caught = std::panic::catch_unwind(|| record(|| panic!("within")));
    assert!(caught.is_err());
    let ((), all) = record(|| ());
    assert!(all.is_empty());
}

#[test]
fn annotated_ptx() {
    let mut listing = of_artifact(&artifact(), &Tools::default(), None, None).unwrap();
    listing.keep_kernel("one").unwrap();
    let sources = Sources::default();
    let text = text::annotate(&listing, &sources);
    let at = |what: &str| {
        text.find(what)
            .unwrap_or_else(|| panic!("no `{what}` in\n{text}"))
    };
    // Inlined code stands under the line that called it.
    let places = [
        at("   10 |"),
        at("mov.u32 %r1, %tid.x;"),
        at("   11 |"),
        at("inlined from /lib/shared.rs:77 (store)"),
        at("st.shared.u32 [tile], %r1;  [store shared 4 B]"),
        at("   12 |"),
        at("bar.sync 0;  [barrier]"),
    ];
    assert!(places.is_sorted(), "{text}");
    assert!(
        !text.contains(" | 0000") && !text.contains("    0 |"),
        "{text}"
    );
    at("---- of no line\n      |     ret;");
    let json = listing.clone();
    assert_eq!(
        json.kernels[0].ptx[4].mark.access.as_deref(),
        Some("store shared 4 B")
    );
    let mut line = listing.clone();
    line.keep_line("shared.rs", 77);
    assert_eq!(line.kernels[0].ptx.len(), 1);
    line.keep_line("red.rs", 77);
    assert!(line.kernels.is_empty());
}

#[test]
fn the_page_stands_alone() {
    let mut artifact = artifact();
    artifact.kernels[0].key = "app::k<&str>".to_string();
    let listing = of_artifact(&artifact, &Tools::default(), None, None).unwrap();
    let page = html::page(&[listing], &Sources::default());
    for pane in ["rust", "ptx", "sass"] {
        assert_eq!(
            page.matches(&format!("data-pane=\"{pane}\"")).count(),
            2,
            "{pane}"
        );
    }
    assert!(page.contains("app::k&lt;&amp;str&gt;"));
    for outside in ["http:", "https:", "src=", "@import", "url("] {
        assert!(!page.contains(outside), "{outside}");
    }
    // What the script joins lines by: the PTX of an inlined store names both places.
    assert!(
        page.contains("data-at=\"/lib/shared.rs:77 src/main.rs:11\" data-ptx=\"9\""),
        "{page}"
    );
    assert!(page.contains("data-at=\"src/main.rs:11\""));
}
