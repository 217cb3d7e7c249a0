//! What is written is what is read; what is not an artifact is a typed error, whatever the bytes.

use artifact::*;
use proptest::prelude::*;

fn sample() -> Artifact {
    let mut side = SideTable::default();
    let (file, function) = (
        side.intern_file("src/main.rs"),
        side.intern_function("app::kernels::scale"),
    );
    let inner = Frame {
        file: side.intern_file("core/slice.rs"),
        line: 7,
        column: 9,
        function: side.intern_function("get"),
    };
    side.lines.insert(
        12,
        vec![
            inner,
            Frame {
                file,
                line: 30,
                column: 5,
                function,
            },
        ],
    );
    side.lines.insert(
        13,
        vec![Frame {
            file,
            line: 31,
            column: 1,
            function,
        }],
    );
    let arg = |name: &str, size, hash| Arg {
        name: name.into(),
        type_name: "&[f32]".into(),
        size,
        align: 8,
        layout_hash: hash,
    };
    let kernel = |key: &str, route| Kernel {
        key: key.into(),
        ptx_name: "scale".into(),
        symbol: "_RNvCs1_3app5scale".into(),
        route,
        launch_bounds: Some((256, 2)),
        source: Some(Source {
            file: "src/main.rs".into(),
            line: 30,
            column: 5,
        }),
        args: vec![arg("x", 16, Some(5)), arg("k", 4, None)],
        params: vec![
            Param {
                arg: 0,
                offset: 0,
                size: 8,
            },
            Param {
                arg: 0,
                offset: 8,
                size: 8,
            },
            Param {
                arg: 1,
                offset: 0,
                size: 4,
            },
        ],
    };
    Artifact {
        crate_name: "app".into(),
        arch: "sm_80".into(),
        ptx: ".version 7.8\n.visible .entry scale() { ret; }\n".into(),
        llvm_ir: "define void @scale() { ret void }".into(),
        side,
        kernels: vec![
            kernel("app::kernels::scale", Route::Mir),
            kernel("_RNvC3app5other", Route::Llvm),
        ],
        stages: vec![
            Stage {
                kernel: None,
                stage: "mir".into(),
                text: "fn scale() {}\n".repeat(1000),
            },
            Stage {
                kernel: Some("app::kernels::scale".into()),
                stage: "dialect-mir".into(),
                text: String::new(),
            },
        ],
        toolchain: "rustc 1.95.0".into(),
        options: "fmad=off".into(),
    }
}

#[test]
fn round_trip() {
    let artifact = sample();
    let bytes = artifact.to_bytes();
    assert_eq!(Artifact::from_bytes(&bytes).unwrap(), artifact);
    assert_eq!(
        bytes,
        sample().to_bytes(),
        "equal artifacts are equal files"
    );
    assert!(
        bytes.len() < 4000,
        "the long stage is compressed: {} bytes",
        bytes.len()
    );
    assert_eq!(
        Artifact::from_bytes(&Artifact::default().to_bytes()).unwrap(),
        Artifact::default()
    );
    assert_eq!(
        SideTable::from_bytes(&artifact.side.to_bytes()).unwrap(),
        artifact.side
    );
    assert_eq!(artifact.stage(None, "mir").unwrap().len(), 14000);
    assert_eq!(
        artifact.kernel("app::kernels::scale").unwrap().route,
        Route::Mir
    );
}

#[test]
fn frames_are_innermost_first() {
    let side = sample().side;
    let frames: Vec<_> = side
        .frames(12)
        .map(|f| (f.file, f.line, f.column, f.function))
        .collect();
    assert_eq!(
        frames,
        [
            ("core/slice.rs", 7, 9, "get"),
            ("src/main.rs", 30, 5, "app::kernels::scale")
        ]
    );
    assert_eq!(side.frames(14).count(), 0);
    let mut joined = SideTable::default();
    joined.intern_file("first.rs");
    joined.append(&side, 100);
    assert_eq!(joined.frames(112).next().unwrap().file, "core/slice.rs");
}

/// The contents of a file with `edit` made to them and the checksum put right, so that the reader proper sees them.
fn edited(edit: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut bytes = sample().to_bytes();
    let mut body = bytes.split_off(16);
    edit(&mut body);
    bytes[8..16].copy_from_slice(&fnv1a_bytes(&body).to_le_bytes());
    bytes.extend(body);
    bytes
}

#[test]
fn each_failure_has_its_error() {
    let read = |bytes: &[u8]| Artifact::from_bytes(bytes).unwrap_err();
    assert!(matches!(read(b""), FormatError::Magic { .. }));
    assert!(matches!(read(b"OXART\0"), FormatError::Truncated { .. }));
    let mut other = sample().to_bytes();
    other[6] = 99;
    assert!(matches!(
        read(&other),
        FormatError::Version { found: 99, .. }
    ));
    let mut damaged = sample().to_bytes();
    *damaged.last_mut().unwrap() ^= 1;
    assert!(matches!(read(&damaged), FormatError::Checksum { .. }));
    assert!(matches!(
        read(&edited(|b| b.push(0))),
        FormatError::Trailing { left: 1 }
    ));
    assert!(matches!(
        read(&edited(|b| b[4] = 0xff)),
        FormatError::Utf8 {
            field: "crate_name",
            ..
        }
    ));
    assert!(matches!(
        read(&edited(|b| b[0..4].fill(0xff))),
        FormatError::Truncated { .. }
    ));

    let with = |change: fn(&mut Artifact)| {
        let mut artifact = sample();
        change(&mut artifact);
        Artifact::from_bytes(&artifact.to_bytes()).unwrap_err()
    };
    assert!(matches!(
        with(|a| a.kernels[1].key = a.kernels[0].key.clone()),
        FormatError::DuplicateKey { .. }
    ));
    assert!(matches!(
        with(|a| a.kernels[0].params[2].arg = 2),
        FormatError::Value { .. }
    ));
    assert!(matches!(
        with(|a| a.kernels[0].params[2].offset = 1),
        FormatError::Value { .. }
    ));
    assert!(matches!(
        with(|a| a.kernels[0].params[2].offset = u64::MAX),
        FormatError::Value { .. }
    ));
    assert!(matches!(
        with(|a| a.kernels[0].args[0].align = 3),
        FormatError::Value { .. }
    ));
    assert!(matches!(
        with(|a| a.side.lines.get_mut(&12).unwrap()[0].file = 9),
        FormatError::Value { .. }
    ));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(2000))]

    /// Any change of any bytes, checksum put right: an artifact or an error, never a panic, never much memory.
    #[test]
    fn mutated_bytes(changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..6), cut in any::<prop::sample::Index>(), truncate: bool) {
        let bytes = edited(|body| {
            for (at, value) in &changes {
                let at = at.index(body.len());
                body[at] = *value;
            }
            if truncate {
                body.truncate(cut.index(body.len()));
            }
        });
        if let Ok(read) = Artifact::from_bytes(&bytes) {
            prop_assert_eq!(Artifact::from_bytes(&read.to_bytes()).unwrap(), read);
        }
        let _ = Artifact::from_bytes(&bytes[16..]);
    }

    #[test]
    fn mutated_side_tables(at in any::<prop::sample::Index>(), value: u8, cut in any::<prop::sample::Index>()) {
        let mut bytes = sample().side.to_bytes();
        let at = at.index(bytes.len());
        bytes[at] = value;
        if let Ok(side) = SideTable::from_bytes(&bytes) {
            prop_assert_eq!(SideTable::from_bytes(&side.to_bytes()).unwrap(), side);
        }
        bytes.truncate(cut.index(bytes.len()));
        prop_assert!(SideTable::from_bytes(&bytes).is_err());
    }
}
