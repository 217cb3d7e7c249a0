//! With ptxas and nvdisasm: a missing tool is a failure here.

use artifact::{Artifact, Frame, Kernel, Route, SideTable};
use reflect::*;

#[test]
fn sass_has_rust_lines_and_usage() {
    let ptx = "\
.version 7.8
.target sm_80
.address_size 64
.visible .entry k(.param .u64 p)
{
\t.reg .b64 %rd<3>;
\t.reg .f32 %f<3>;
\tld.param.u64 %rd1, [p];
\tcvta.to.global.u64 %rd2, %rd1;
\tld.global.f32 %f1, [%rd2];
\tadd.f32 %f2, %f1, %f1;
\tst.global.f32 [%rd2], %f2;
\tret;
}
";
    let mut side = SideTable::default();
    let (file, function) = (side.intern_file("src/main.rs"), side.intern_function("k"));
    for line in 8..14 {
        let frame = Frame {
            file,
            line: 100 + line,
            column: 1,
            function,
        };
        side.lines.insert(line, vec![frame]);
    }
    let artifact = Artifact {
        crate_name: "app".to_string(),
        arch: "sm_80".to_string(),
        ptx: ptx.to_string(),
        side,
        kernels: vec![Kernel {
            key: "app::k".to_string(),
            ptx_name: "k".to_string(),
            symbol: String::new(),
            route: Route::Mir,
            launch_bounds: Some((128, 0)),
            source: None,
            args: Vec::new(),
            params: Vec::new(),
        }],
        ..Artifact::default()
    };
    for arch in ["sm_80", "sm_90", "sm_100a", "sm_120"] {
        let listing = code_sass(kernel(&artifact, "k").unwrap(), Some(arch)).unwrap();
        let k = &listing.kernels[0];
        let load = k.sass.iter().find(|r| r.text.contains("LDG")).unwrap();
        assert_eq!(
            (load.ptx_line, load.frames[0].line),
            (Some(10), 110),
            "{arch}"
        );
        assert_eq!(load.mark.access.as_deref(), Some("load global 4 B"));
        assert_eq!(load.encoding.len(), 32);
        let usage = k.usage.as_ref().unwrap();
        assert_eq!((usage.spill_stores, usage.stack), (Some(0), 0));
        assert!(usage.registers > 0);
        assert_eq!(usage.occupancy.as_ref().unwrap().block, 128);
        let text = text::annotate(&listing, &Sources::default());
        assert!(
            text.contains("LDG") && text.contains("ld.global.f32"),
            "{text}"
        );
    }
    let e = code_sass(kernel(&artifact, "k").unwrap(), Some("sm_75")).unwrap_err();
    assert!(matches!(e, Error::OlderArch { .. }), "{e}");
}
