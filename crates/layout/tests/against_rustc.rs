//! The sources of layouts against each other, and against what a compiled program measures.

use std::path::{Path, PathBuf};
use std::process::Command;

use layout::{Abi, Layout, LayoutDb, Probe, Scalar, Variants};
use rustc_mir::MirFile;
use rustc_mir::ty::Ty;

fn rustc() -> PathBuf {
    std::env::var_os("RUSTC").map_or_else(|| PathBuf::from("rustc"), PathBuf::from)
}

/// A folder for one test's files, inside the target folder.
fn folder(test: &str) -> PathBuf {
    let dir = Path::new(env!("CARGO_TARGET_TMPDIR")).join(test);
    std::fs::create_dir_all(&dir).expect("a folder for the test");
    dir
}

fn run(cmd: &mut Command) -> String {
    let out = cmd.output().expect("it runs");
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    String::from_utf8_lossy(&out.stdout).into_owned()
}

/// Compiles `tests/cases/types.rs` to metadata, MIR and LLVM IR.
fn compile(dir: &Path) {
    run(Command::new(rustc())
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "--edition",
            "2024",
            "--emit=metadata,mir,llvm-ir",
            "-O",
            "-C",
            "panic=abort",
        ])
        .args([
            "-C",
            "debuginfo=2",
            "-C",
            "no-prepopulate-passes",
            "-Zmir-include-spans=on",
        ])
        .args([
            "-Ztrim-diagnostic-paths=no",
            "-Zcross-crate-inline-threshold=never",
            "-Awarnings",
        ])
        .arg("--out-dir")
        .arg(dir)
        .arg(concat!(env!("CARGO_MANIFEST_DIR"), "/tests/cases/types.rs")));
}

fn probe(dir: &Path, with_crate: bool) -> Probe {
    let crate_ = ("types".to_string(), dir.join("libtypes.rmeta"));
    Probe {
        rustc: rustc(),
        externs: if with_crate { vec![crate_] } else { Vec::new() },
        search: vec![dir.to_path_buf()],
        scratch: dir.to_path_buf(),
        ..Probe::default()
    }
}

fn debug_only(dir: &Path) -> LayoutDb {
    let mut db = LayoutDb::new("types");
    db.add_llvm_ir(std::fs::read_to_string(dir.join("types.ll")).expect("LLVM IR"));
    let mir = std::fs::read_to_string(dir.join("types.mir")).expect("MIR");
    db.add_mir(&MirFile::parse("types.mir", mir).expect("the MIR is indexed"));
    db
}

fn ty(text: &str) -> Ty {
    Ty::parse(text).unwrap_or_else(|e| panic!("{text}: {e}"))
}

fn get(db: &LayoutDb, text: &str) -> Layout {
    (*db.layout(&ty(text)).unwrap_or_else(|e| panic!("{e}"))).clone()
}

/// Every type here has a variable, so that both sources know it.
const BOTH: [&str; 17] = [
    "R",
    "E",
    "C8",
    "Neg",
    "Single",
    "One",
    "Multi",
    "Big",
    "Pk",
    "Al",
    "Un",
    "Gn<u16, 3>",
    "(u8, u32)",
    "std::option::Option<u32>",
    "std::option::Option<(u32, bool)>",
    "std::option::Option<std::option::Option<bool>>",
    "std::option::Option<char>",
];

#[test]
fn probe_and_debug_metadata_agree() {
    let dir = folder("agree");
    compile(&dir);
    let debug = debug_only(&dir);
    let mut both = debug_only(&dir);
    both.set_probe(probe(&dir, true));
    let types: Vec<Ty> = BOTH.iter().map(|t| ty(t)).collect();
    both.prefetch(&types).expect("rustc answers");
    for text in BOTH {
        let (a, b) = (get(&debug, text), get(&both, text));
        assert_eq!(
            (a.size, a.align, a.uninhabited),
            (b.size, b.align, b.uninhabited),
            "{text}"
        );
        let offsets = |l: &Layout| l.fields.iter().map(|f| f.offset).collect::<Vec<_>>();
        assert_eq!(offsets(&a), offsets(&b), "{text}");
        // Where metadata's class is more than `Memory`, it is rustc's.
        if a.abi != Abi::Memory {
            assert_eq!(a.abi, b.abi, "{text}");
        }
        let offsets = |l: &Layout| -> Vec<Vec<u64>> {
            l.variants()
                .iter()
                .map(|v| v.fields.iter().map(|f| f.offset).collect())
                .collect()
        };
        assert_eq!(offsets(&a), offsets(&b), "{text}");
        let discriminants = |l: &Layout| {
            l.variants()
                .iter()
                .map(|v| (v.name.clone(), v.discriminant))
                .collect::<Vec<_>>()
        };
        assert_eq!(discriminants(&a), discriminants(&b), "{text}");
        match (a.variants, b.variants) {
            (Variants::Single { index: i }, Variants::Single { index: j }) => {
                assert_eq!(i, j, "{text}")
            }
            (Variants::Tagged { tag: t, .. }, Variants::Tagged { tag: u, .. }) => {
                assert_eq!(t, u, "{text}")
            }
            (
                Variants::Niche {
                    tag: t,
                    untagged_variant: v,
                    niche_variants: n,
                    niche_start: s,
                    ..
                },
                Variants::Niche {
                    tag: u,
                    untagged_variant: w,
                    niche_variants: m,
                    niche_start: r,
                    ..
                },
            ) => assert_eq!((t, v, n, s), (u, w, m, r), "{text}"),
            (a, b) => panic!("{text}: {a:?} and {b:?}"),
        }
    }
}

#[test]
fn a_program_measures_the_same() {
    let dir = folder("measure");
    compile(&dir);
    let mut db = debug_only(&dir);
    db.set_probe(probe(&dir, true));
    let source = include_str!("cases/types.rs");
    let program = dir.join("measure.rs");
    let main = r#"
use std::mem::{align_of, offset_of, size_of};
fn show<T>(name: &str, offsets: &[usize]) { println!("{name};{};{};{offsets:?}", size_of::<T>(), align_of::<T>()); }
fn bytes<T>(name: &str, v: T) { let p = &raw const v as *const u8; let b: Vec<u8> = (0..size_of::<T>()).map(|i| unsafe { *p.add(i) }).collect(); println!("{name}={b:?}"); }
fn main() {
    show::<R>("R", &[offset_of!(R, a), offset_of!(R, b), offset_of!(R, c), offset_of!(R, d)]);
    show::<Rc>("Rc", &[offset_of!(Rc, a), offset_of!(Rc, b)]);
    show::<Pk>("Pk", &[offset_of!(Pk, a), offset_of!(Pk, b)]);
    show::<Al>("Al", &[0]);
    show::<Gn<u16, 3>>("Gn<u16, 3>", &[offset_of!(Gn<u16, 3>, a), offset_of!(Gn<u16, 3>, b)]);
    show::<(u8, u64, u16)>("(u8, u64, u16)", &[offset_of!((u8, u64, u16), 0), offset_of!((u8, u64, u16), 1), offset_of!((u8, u64, u16), 2)]);
    show::<std::ops::Range<usize>>("std::ops::Range<usize>", &[offset_of!(std::ops::Range<usize>, start), offset_of!(std::ops::Range<usize>, end)]);
    bytes("std::option::Option<char>#None", None::<char>);
    bytes("std::option::Option<std::option::Option<bool>>#None", None::<Option<bool>>);
    bytes("std::option::Option<(u32, bool)>#None", unsafe { let mut z = [0u8; 8]; *(&raw mut z as *mut Option<(u32, bool)>) = None; z });
    bytes("Neg#X", Neg::X);
    bytes("C8#Y", C8::Y);
    bytes("std::cmp::Ordering#Less", std::cmp::Ordering::Less);
    bytes("std::option::Option<std::num::NonZero<u32>>#None", None::<std::num::NonZeroU32>);
    bytes("std::result::Result<(), E>#Ok", unsafe { let mut z = [0u8; 16]; *(&raw mut z as *mut Result<(), E>) = Ok(()); z });
}
"#;
    let source = source
        .replace("#![crate_type = \"lib\"]", "")
        .replace("#![crate_type=\"lib\"]", "");
    std::fs::write(&program, format!("{source}\n{main}")).expect("the program is written");
    run(Command::new(rustc())
        .args(["--edition", "2024", "-Awarnings", "-o"])
        .arg(dir.join("measure"))
        .arg(&program));
    let out = run(&mut Command::new(dir.join("measure")));
    let mut checked = 0;
    for line in out.lines() {
        checked += 1;
        if let Some((what, bytes)) = line.split_once("=[") {
            let (name, variant) = what.split_once('#').expect("type and variant");
            let bytes: Vec<u8> = bytes
                .trim_end_matches(']')
                .split(", ")
                .map(|b| b.parse().expect("a byte"))
                .collect();
            let l = get(&db, name);
            let (tag, value) = stored_tag(&l, variant);
            let stored = &bytes[tag.offset as usize..(tag.offset + tag.size) as usize];
            assert_eq!(stored, &value.to_le_bytes()[..tag.size as usize], "{line}");
            continue;
        }
        let parts: Vec<&str> = line.split(';').collect();
        let [name, size, align, offsets] = parts[..] else {
            panic!("{line}")
        };
        let l = get(&db, name);
        let measured: Vec<u64> = offsets
            .trim_matches(['[', ']'])
            .split(", ")
            .map(|o| o.parse().expect("an offset"))
            .collect();
        assert_eq!(l.size.to_string(), size, "{name}");
        assert_eq!(l.align.to_string(), align, "{name}");
        assert_eq!(
            l.fields.iter().map(|f| f.offset).collect::<Vec<_>>(),
            measured,
            "{name}"
        );
    }
    assert_eq!(checked, 15);
}

/// The tag's bytes of a variant, by the rules in [`Variants`].
fn stored_tag(l: &Layout, variant: &str) -> (layout::Tag, u128) {
    let index = l
        .variants()
        .iter()
        .position(|v| v.name == variant)
        .expect("the variant") as u32;
    match &l.variants {
        Variants::Tagged { tag, variants } => (*tag, variants[index as usize].discriminant as u128),
        Variants::Niche {
            tag,
            niche_variants,
            niche_start,
            untagged_variant,
            ..
        } => {
            assert_ne!(index, *untagged_variant);
            (
                *tag,
                niche_start.wrapping_add((index - niche_variants.0) as u128),
            )
        }
        Variants::Single { .. } => panic!("no tag"),
    }
}

#[test]
fn closures_are_found_by_where_they_are() {
    let dir = folder("closures");
    compile(&dir);
    let mut db = debug_only(&dir);
    db.set_probe(probe(&dir, true));
    let mir = std::fs::read_to_string(dir.join("types.mir")).expect("MIR");
    let file = MirFile::parse("types.mir", mir).expect("the MIR is indexed");
    let cl = file.find("cl").next().expect("the function");
    let body = file.body(cl.id).expect("the body");
    let closure = body
        .locals
        .iter()
        .find(|l| matches!(l.ty, Ty::Closure(_)))
        .expect("a closure");
    let l = db.layout(&closure.ty).expect("its layout");
    assert_eq!((l.size, l.align), (24, 8));
    // Captured in the order k, w, s: u32, u64, f64.
    let names: Vec<_> = l
        .fields
        .iter()
        .map(|f| f.name.as_deref().unwrap_or(""))
        .collect();
    assert_eq!(names, ["k", "w", "s"]);
    assert_eq!(
        l.fields.iter().map(|f| f.offset).collect::<Vec<_>>(),
        [16, 0, 8]
    );
}

#[test]
fn many_types_at_once_with_lifetimes_and_unstable_ones() {
    let dir = folder("many");
    compile(&dir);
    let mut db = LayoutDb::new("types");
    db.set_probe(probe(&dir, false));
    let types = [
        "std::iter::Enumerate<std::slice::IterMut<'_, u32>>",
        "core::num::niche_types::NonZeroU32Inner",
        "std::num::NonZero<u32>",
        "std::mem::MaybeUninit<[u8; 3]>",
        "(u8, u64, u16)",
        "std::ops::ControlFlow<f32>",
        "std::iter::Zip<std::slice::Iter<'_, f32>, std::slice::ChunksExact<'_, f32>>",
        "Hidden",
    ]
    .map(ty);
    db.prefetch(&types).expect("rustc answers");
    assert_eq!(db.layout(&types[0]).expect("Enumerate").fields.len(), 2);
    assert_eq!(
        db.layout(&types[1]).expect("unstable").abi,
        Abi::Scalar(Scalar::Int {
            size: 4,
            signed: false
        })
    );
    assert_eq!(db.layout(&types[3]).expect("union").size, 3);
    assert_eq!(
        db.layout(&types[4])
            .expect("tuple")
            .fields
            .iter()
            .map(|f| f.offset)
            .collect::<Vec<_>>(),
        [8, 0, 10]
    );
    assert_eq!(db.layout(&types[5]).expect("enum").variants().len(), 2);
    let e = db.layout(&types[7]).expect_err("it is not known");
    assert_eq!(e.ty, "Hidden");
    assert!(e.needs_llvm_ir);
}

#[test]
fn guaranteed_layouts_need_no_rustc() {
    let db = LayoutDb::new("none");
    let l = get(&db, "std::option::Option<&mut f32>");
    assert_eq!((l.size, l.align), (8, 8));
    let Variants::Niche {
        untagged_variant,
        niche_start,
        ..
    } = l.variants
    else {
        panic!("{l:?}")
    };
    assert_eq!((untagged_variant, niche_start), (1, 0));
    assert_eq!(get(&db, "&[u8]").size, 16);
    assert_eq!(get(&db, "[(u16,); 5]").size, 10);
    assert!(db.layout(&ty("(u8, u16)")).is_err());
    assert!(db.layout(&ty("[u8]")).is_err());
}

/// Files beside the case can be named in `LAYOUT_LLVM_IR` to read them too.
#[test]
fn all_functions_and_calls_of_real_llvm_ir_are_understood() {
    let dir = folder("llvm");
    compile(&dir);
    let mut files = vec![dir.join("types.ll")];
    files.extend(
        std::env::var_os("LAYOUT_LLVM_IR")
            .iter()
            .flat_map(std::env::split_paths),
    );
    for file in files {
        let start = std::time::Instant::now();
        let m =
            layout::llvm_text::LlvmModule::index(std::fs::read_to_string(&file).expect("LLVM IR"));
        let indexed = start.elapsed();
        let (mut functions, mut calls, mut placed) = (0, 0, 0);
        let names: Vec<String> = m.functions().map(|(n, _)| n.to_string()).collect();
        for n in &names {
            functions += 1;
            let ty = m
                .function(n)
                .unwrap_or_else(|e| panic!("{}: {n}: {e}", file.display()))
                .expect("it is there");
            for c in m
                .calls(n)
                .unwrap_or_else(|e| panic!("{}: {n}: {e}", file.display()))
                .unwrap_or_default()
            {
                calls += 1;
                placed += usize::from(!c.frames.is_empty());
                // What a call passes is what its callee takes.
                if let layout::llvm_text::Callee::Symbol(s) = &c.callee
                    && let Some(callee) = m.function(s).expect("it is understood")
                    && !callee.variadic
                    && !s.starts_with("llvm.")
                {
                    let types = |t: &layout::llvm_text::FnType| -> Vec<_> {
                        t.params
                            .iter()
                            .map(|p| (p.ty.clone(), p.sret.clone()))
                            .collect()
                    };
                    assert_eq!(
                        (&callee.ret, types(&callee)),
                        (&c.ty.ret, types(&c.ty)),
                        "{n} calls {s}"
                    );
                }
            }
            let _ = ty;
        }
        println!(
            "{}: {functions} functions, {calls} calls, {placed} with a position; index {indexed:?}, all {:?}",
            file.display(),
            start.elapsed()
        );
        assert!(functions > 5 && placed > 0);
    }
}

/// rustc is asked once for what a kernel mentions, not once for each type: a rustc that counts its runs.
#[test]
#[cfg(unix)]
fn one_run_of_rustc_for_a_kernel() {
    use std::os::unix::fs::PermissionsExt;
    let dir = folder("runs");
    let source = dir.join("k.rs");
    std::fs::write(
        &source,
        "pub fn k(a: &[f32], n: usize) -> f32 { a.iter().enumerate().take(n).fold((0.0, 1u8), |(s, c), (i, x)| (s + *x * i as f32, c)).0 }\n\
         #[used] pub static __oxide_kernel__k: fn(&[f32], usize) -> f32 = k;\n",
    )
    .expect("the source is written");
    run(Command::new(rustc())
        .env("RUSTC_BOOTSTRAP", "1")
        .args([
            "--edition",
            "2024",
            "--crate-type",
            "lib",
            "--emit=metadata,mir",
            "-O",
            "-Zmir-opt-level=3",
        ])
        .args([
            "-Zinline-mir-threshold=1000",
            "-Zinline-mir-hint-threshold=1000",
            "-Zmir-include-spans=on",
        ])
        .args(["-Ztrim-diagnostic-paths=no", "-Awarnings"])
        .arg("--out-dir")
        .arg(&dir)
        .arg(&source));
    let mir = std::fs::read_to_string(dir.join("k.mir")).expect("MIR");
    let file = MirFile::parse("k.mir", mir).expect("the MIR is indexed");
    let counter = dir.join("runs.txt");
    let _ = std::fs::remove_file(&counter);
    let wrapper = dir.join("counting-rustc");
    let script = format!(
        "#!/bin/sh\necho run >> {}\nexec {} \"$@\"\n",
        counter.display(),
        rustc().display()
    );
    std::fs::write(&wrapper, script).expect("the wrapper is written");
    std::fs::set_permissions(&wrapper, std::fs::Permissions::from_mode(0o755))
        .expect("it can be run");
    let mut db = LayoutDb::new("k");
    db.set_probe(Probe {
        rustc: wrapper,
        scratch: dir.clone(),
        ..Probe::default()
    });
    db.add_mir(&file);
    let k = file.find("k").next().expect("k");
    let body = file.body(k.id).expect("it is read");
    let (mut known, mut closures) = (0, 0);
    for l in &body.locals {
        match db.layout(&l.ty) {
            Ok(_) => known += 1,
            // Types with closures in them are for debug metadata.
            Err(e) => {
                assert!(e.needs_llvm_ir, "{e}");
                closures += 1;
            }
        }
    }
    assert!(known > 10, "{known} known, {closures} not");
    let runs = std::fs::read_to_string(&counter)
        .expect("it ran")
        .lines()
        .count();
    // A second round where a type is refused or wants an unstable feature, and a third for both.
    assert!(runs <= 3, "{runs} runs");
}
