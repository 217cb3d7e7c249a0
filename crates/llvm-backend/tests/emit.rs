//! PTX for small modules: what the instructions are, and what they are not.

use llvm_backend::{Arch, DebugKind, Emitted, Error, Llvm, OptLevel, Options, Sources};

fn llvm() -> Llvm {
    Llvm::load().expect("the toolchain has a libLLVM")
}

fn compile(text: &str, options: &Options) -> Result<Emitted, Error> {
    llvm().compile(&[("test.ll", text)], options)
}

fn ptx(text: &str) -> String {
    compile(text, &Options::default()).expect("it compiles").ptx
}

#[track_caller]
fn has(ptx: &str, snippet: &str) {
    assert!(ptx.contains(snippet), "no `{snippet}` in\n{ptx}");
}

#[track_caller]
fn lacks(ptx: &str, snippet: &str) {
    assert!(!ptx.contains(snippet), "`{snippet}` in\n{ptx}");
}

const MULADD: &str = "
define ptx_kernel void @k(ptr %p, float %a, float %b, float %c, double %x, double %y, double %z) {
  %m = fmul float %a, %b
  %s = fadd float %m, %c
  %q = fdiv float %s, %b
  %r = call float @llvm.sqrt.f32(float %q)
  store float %r, ptr %p, align 4
  %md = fmul double %x, %y
  %sd = fadd double %md, %z
  %d = getelementptr i8, ptr %p, i64 8
  store double %sd, ptr %d, align 8
  ret void
}
declare float @llvm.sqrt.f32(float)
";

/// `neg` and `abs` of a NaN give an unspecified one in PTX; what Rust writes out must change in its sign bit alone.
#[test]
fn signs_change_to_the_bit() {
    for (ty, word) in [("half", "b16"), ("float", "b32"), ("double", "b64")] {
        let suffix = match ty {
            "half" => "f16",
            "float" => "f32",
            _ => "f64",
        };
        for opt in [OptLevel::O0, OptLevel::O3] {
            let options = Options {
                opt,
                ..Options::default()
            };
            let text = |body: &str| {
                let text = format!(
                    "define ptx_kernel void @k(ptr %p, {ty} %x, {ty} %y) {{
  {body}
  store {ty} %r, ptr %p
  ret void
}}
declare {ty} @llvm.fabs.{suffix}({ty})
declare {ty} @llvm.copysign.{suffix}({ty}, {ty})
"
                );
                compile(&text, &options).expect("it compiles").ptx
            };
            let negated = text(&format!("%r = fneg {ty} %x"));
            has(&negated, &format!("xor.{word}"));
            lacks(&negated, "neg.f");
            let absolute = text(&format!("%r = call {ty} @llvm.fabs.{suffix}({ty} %x)"));
            has(&absolute, &format!("and.{word}"));
            lacks(&absolute, "abs.f");
            let copied = text(&format!(
                "%r = call {ty} @llvm.copysign.{suffix}({ty} %x, {ty} %y)"
            ));
            has(&copied, &format!("and.{word}"));
            for approximate in ["abs.f", "neg.f", "copysign"] {
                lacks(&copied, approximate);
            }
            // Arithmetic leaves the bits of a NaN open, and `neg` costs nothing there.
            let used = text(&format!("%n = fneg {ty} %x\n  %r = fmul {ty} %n, %y"));
            lacks(&used, "xor");
        }
    }
    let pair = ptx("define ptx_kernel void @k(ptr %p, <2 x half> %x) {
  %r = fneg <2 x half> %x
  store <2 x half> %r, ptr %p
  ret void
}
");
    lacks(&pair, "neg.f16");
}

#[test]
fn arithmetic_is_that_of_ieee_754() {
    let ptx = ptx(MULADD);
    for exact in [
        "mul.rn.f32",
        "add.rn.f32",
        "div.rn.f32",
        "sqrt.rn.f32",
        "mul.rn.f64",
        "add.rn.f64",
    ] {
        has(&ptx, exact);
    }
    for inexact in ["fma", ".ftz", ".approx", ".full"] {
        lacks(&ptx, inexact);
    }
}

#[test]
fn fmad_fuses() {
    let ptx = compile(
        MULADD,
        &Options {
            fmad: true,
            ..Options::default()
        },
    )
    .unwrap()
    .ptx;
    has(&ptx, "fma.rn.f32");
    has(&ptx, "fma.rn.f64");
    has(&ptx, "div.rn.f32");
    has(&ptx, "sqrt.rn.f32");
    lacks(&ptx, ".ftz");
}

#[test]
fn every_architecture_of_the_table_emits_its_own_ptx_version() {
    for arch in Arch::all() {
        let ptx = compile(
            MULADD,
            &Options {
                arch,
                ..Options::default()
            },
        )
        .unwrap()
        .ptx;
        has(&ptx, &format!(".target {arch}\n"));
        let version = arch.min_ptx();
        has(
            &ptx,
            &format!(".version {}.{}\n", version / 10, version % 10),
        );
    }
}

#[test]
fn a_newer_ptx_version_on_demand() {
    let options = Options {
        min_ptx: Some(78),
        ..Options::default()
    };
    has(&compile(MULADD, &options).unwrap().ptx, ".version 7.8\n");
    let options = Options {
        min_ptx: Some(60),
        ..Options::default()
    };
    has(&compile(MULADD, &options).unwrap().ptx, ".version 7.0\n");
}

#[test]
fn device_functions_are_inlined_and_gone() {
    let ptx = ptx("
define float @twice(float %x) {
  %y = fadd float %x, %x
  ret float %y
}
define float @unused(float %x) { ret float %x }
define ptx_kernel void @k(ptr %p, float %x) {
  %y = call float @twice(float %x)
  store float %y, ptr %p, align 4
  ret void
}");
    lacks(&ptx, ".func");
    has(&ptx, ".visible .entry k(");
}

#[test]
fn modules_are_linked() {
    let a = "declare i32 @f(i32)
define ptx_kernel void @k(ptr %p) {
  %x = call i32 @f(i32 3)
  store i32 %x, ptr %p, align 4
  ret void
}";
    let b = "define i32 @f(i32 %x) {
  %y = mul i32 %x, 7
  ret i32 %y
}";
    let ptx = llvm()
        .compile(&[("a.ll", a), ("b.ll", b)], &Options::default())
        .unwrap()
        .ptx;
    has(&ptx, "21");
    lacks(&ptx, ".extern");
}

#[test]
fn a_barrier_between_two_branches_stays_one() {
    let ptx = ptx("
declare void @llvm.nvvm.barrier0() convergent
define ptx_kernel void @k(ptr %p, i32 %x) {
entry:
  %c = icmp eq i32 %x, 0
  br i1 %c, label %a, label %b
a:
  store i32 1, ptr %p, align 4
  br label %join
b:
  store i32 2, ptr %p, align 4
  br label %join
join:
  call void @llvm.nvvm.barrier0() convergent
  br i1 %c, label %a2, label %b2
a2:
  store i32 3, ptr %p, align 4
  ret void
b2:
  store i32 4, ptr %p, align 4
  ret void
}");
    assert_eq!(
        ptx.matches("bar.sync").count() + ptx.matches("barrier.sync").count(),
        1,
        "{ptx}"
    );
}

#[test]
fn host_visible_variables_stay() {
    let ptx = ptx("
@table = addrspace(4) externally_initialized global [4 x i32] zeroinitializer, align 4
@private_table = addrspace(1) constant [4 x i32] [i32 1, i32 2, i32 3, i32 4], align 4
define ptx_kernel void @k(ptr %p, i64 %i) {
  %a = getelementptr [4 x i32], ptr addrspace(1) @private_table, i64 0, i64 %i
  %x = load i32, ptr addrspace(1) %a, align 4
  store i32 %x, ptr %p, align 4
  ret void
}");
    has(&ptx, ".visible .const .align 4 .b8 table[16]");
    lacks(&ptx, ".visible .global");
    has(&ptx, "private_table");
}

#[test]
fn the_panic_function_comes_only_when_it_is_used() {
    let without = ptx(MULADD);
    lacks(&without, "__oxide_panic");
    let with = ptx("
@msg = private constant [4 x i8] c\"oops\"
@file = private constant [4 x i8] c\"a.rs\"
declare void @__oxide_panic(ptr, i64, ptr, i64, i32, i32, ptr, i64) noreturn
define ptx_kernel void @k(i32 %x) {
  %c = icmp eq i32 %x, 0
  br i1 %c, label %bad, label %good
bad:
  call void @__oxide_panic(ptr @msg, i64 4, ptr @file, i64 4, i32 3, i32 5, ptr null, i64 0)
  unreachable
good:
  ret void
}");
    has(
        &with,
        ".visible .global .align 8 .u64 __oxide_panic_record;",
    );
    has(&with, "cas");
    has(&with, "trap;");
    has(&with, "sys");
}

#[test]
fn a_panic_with_two_integers_gives_its_kernel_no_frame() {
    let ptx = ptx("
@msg = private constant [4 x i8] c\"oops\"
declare void @__oxide_panic2(ptr, i64, ptr, i64, i32, i32, i64, i64, i64) noreturn
define ptx_kernel void @k(i64 %x, i64 %y) {
  %c = icmp ult i64 %x, %y
  br i1 %c, label %good, label %bad
bad:
  call void @__oxide_panic2(ptr @msg, i64 4, ptr @msg, i64 4, i32 3, i32 5, i64 %y, i64 %x, i64 2)
  unreachable
good:
  ret void
}");
    has(&ptx, "call.uni __oxide_panic2");
    lacks(&ptx, "local");
    has(&ptx, "trap;");
}

#[test]
fn optimisation_levels_differ() {
    let at = |opt| {
        compile(
            MULADD,
            &Options {
                opt,
                ..Options::default()
            },
        )
        .unwrap()
        .ptx
    };
    for opt in [OptLevel::O0, OptLevel::O1, OptLevel::O2, OptLevel::O3] {
        has(&at(opt), "mul.rn.f32");
        has(&at(opt), "add.rn.f32");
    }
}

#[test]
fn errors_say_what_is_wrong() {
    let parse = compile("define void @k( {", &Options::default()).unwrap_err();
    assert!(
        matches!(&parse, Error::Parse { name, message } if name == "test.ll" && message.contains("1:")),
        "{parse}"
    );

    let verify = compile(
        "define ptx_kernel void @k(ptr %p) {
entry:
  br label %b
b:
  %y = add i32 %x, 1
  %x = add i32 1, 1
  ret void
}",
        &Options::default(),
    )
    .unwrap_err();
    assert!(
        matches!(&verify, Error::Verify(message) if message.contains("dominate")),
        "{verify}"
    );

    let link = llvm()
        .compile(
            &[
                ("a", "define void @f() { ret void }"),
                ("b", "define void @f() { ret void }"),
            ],
            &Options::default(),
        )
        .unwrap_err();
    assert!(
        matches!(&link, Error::Link(message) if message.contains("f")),
        "{link}"
    );

    let unresolved = compile(
        "declare void @nowhere()
define ptx_kernel void @k() {
  call void @nowhere()
  ret void
}",
        &Options::default(),
    )
    .unwrap_err();
    assert!(
        matches!(&unresolved, Error::Unresolved(all) if all[0].symbol == "nowhere" && all[0].user == "k"),
        "{unresolved}"
    );

    let intrinsic = compile(
        "declare i32 @llvm.nvvm.read.ptx.sreg.nonsense()
define ptx_kernel void @k(ptr %p) {
  %x = call i32 @llvm.nvvm.read.ptx.sreg.nonsense()
  store i32 %x, ptr %p
  ret void
}",
        &Options::default(),
    )
    .unwrap_err();
    assert!(
        matches!(&intrinsic, Error::UnknownIntrinsic { .. }),
        "{intrinsic}"
    );

    assert!(matches!(
        llvm().compile::<&str, &str>(&[], &Options::default()),
        Err(Error::Empty)
    ));
    assert!(
        "sm_77"
            .parse::<Arch>()
            .unwrap_err()
            .to_string()
            .contains("sm_80")
    );
}

#[test]
fn what_the_target_cannot_do_is_an_error_and_not_an_abort() {
    // `redux.sync` is there from sm_80 on: LLVM calls its fatal error handler.
    let text = "declare i32 @llvm.nvvm.redux.sync.add(i32, i32) convergent
define ptx_kernel void @k(ptr %p) {
  %x = call i32 @llvm.nvvm.redux.sync.add(i32 1, i32 -1)
  store i32 %x, ptr %p, align 4
  ret void
}";
    let options = Options {
        arch: "sm_75".parse().unwrap(),
        ..Options::default()
    };
    for _ in 0..2 {
        let error = compile(text, &options).unwrap_err();
        assert!(
            matches!(&error, Error::Fatal(message) if message.contains("redux")),
            "{error}"
        );
    }
    // And the library still works.
    has(
        &compile(text, &Options::default()).unwrap().ptx,
        "redux.sync.add.s32",
    );
}

#[test]
fn many_threads_at_once() {
    let expected = ptx(MULADD);
    std::thread::scope(|scope| {
        let threads: Vec<_> = (0..4).map(|_| scope.spawn(|| ptx(MULADD))).collect();
        for thread in threads {
            assert_eq!(thread.join().unwrap(), expected);
        }
    });
}

#[test]
fn line_tables_only_add_directives() {
    let text = include_str!("inlined.ll");
    let off = compile(text, &Options::default()).unwrap().ptx;
    let lines = compile(
        text,
        &Options {
            debug: DebugKind::LineTables,
            ..Options::default()
        },
    )
    .unwrap()
    .ptx;
    has(&lines, ".loc\t1 ");
    has(&lines, "\t.file\t1 \"/src/");
    lacks(&lines, ", debug");
    let without: String = lines
        .lines()
        .filter(|line| {
            !line.trim_start().starts_with(".loc") && !line.trim_start().starts_with(".file")
        })
        .map(|line| format!("{line}\n"))
        .collect();
    assert_eq!(without, off);
}

/// The lines of a function's `.loc` directives, with the file's name.
fn lines_of(ptx: &str, function: &str) -> Vec<String> {
    let file = |number: &str| {
        let start = format!("\t.file\t{number} ");
        let name = ptx.lines().find_map(|line| line.strip_prefix(&start));
        name.unwrap().trim_matches('"').to_owned()
    };
    ptx.lines()
        .skip_while(|line| !(line.contains(function) && line.ends_with('(')))
        .take_while(|line| *line != "}")
        .filter_map(|line| line.trim_start().strip_prefix(".loc\t"))
        .map(|rest| {
            let words: Vec<&str> = rest.split_whitespace().collect();
            format!("{}:{}", file(words[0]), words[1])
        })
        .collect()
}

#[test]
fn what_is_inlined_from_a_library_has_the_line_that_called_it() {
    let lines = |library: &[&str]| {
        let options = Options {
            debug: DebugKind::LineTables,
            sources: Sources {
                library: library.iter().map(|folder| folder.into()).collect(),
                ..Sources::default()
            },
            ..Options::default()
        };
        compile(include_str!("inlined.ll"), &options).unwrap().ptx
    };
    let all = lines(&[]);
    assert!(lines_of(&all, ".entry k(").contains(&"/lib/helper.rs:22".to_owned()));
    let users = lines(&["/lib"]);
    let kernel = lines_of(&users, ".entry k(");
    assert!(
        kernel.contains(&"/src/kernel.rs:3".to_owned()),
        "{kernel:?}"
    );
    assert!(
        kernel
            .iter()
            .all(|line| line.starts_with("/src/kernel.rs:")),
        "{kernel:?}"
    );
    // A function of the library that stays one is nowhere else.
    assert_eq!(lines_of(&users, ".func"), lines_of(&all, ".func"));
    assert!(!lines_of(&users, ".func").is_empty());
}

#[test]
fn the_remainder_of_floats_is_exact() {
    // Constants go through the function at compile time: what is left is the result.
    let of = |ty: &str, x: &str, y: &str| {
        ptx(&format!(
            "define ptx_kernel void @k(ptr %p) {{
  %x = call {ty} @x()
  %r = frem {ty} %x, {y}
  store {ty} %r, ptr %p, align 8
  ret void
}}
define {ty} @x() {{ ret {ty} {x} }}"
        ))
    };
    has(&of("double", "5.5", "2.0"), "4609434218613702656"); // 1.5
    has(&of("double", "-5.5", "2.0"), "-4613937818241073152"); // -1.5
    has(&of("float", "7.0", "2.5"), "1073741824"); // 2.0
    // With variables it is the loop.
    let ptx = ptx("define ptx_kernel void @k(ptr %p, double %x, double %y) {
  %r = frem double %x, %y
  store double %r, ptr %p, align 8
  ret void
}");
    has(&ptx, "rem.u64");
    lacks(&ptx, "trunc");
}

#[test]
fn conversions_of_128_bits() {
    let ptx = ptx("define ptx_kernel void @k(ptr %p, double %x, i128 %n) {
  %a = sitofp i128 %n to double
  store double %a, ptr %p, align 8
  %b = fptoui double %x to i128
  store i128 %b, ptr %p, align 8
  ret void
}");
    lacks(&ptx, ".extern");
}

#[test]
fn saturating_conversions_to_128_bits() {
    let of = |sign: &str, ty: &str, suffix: &str, x: &str| {
        ptx(&format!(
            "declare i128 @llvm.fpto{sign}i.sat.i128.{suffix}({ty})
define ptx_kernel void @k(ptr %p) {{
  %x = call {ty} @x()
  %r = call i128 @llvm.fpto{sign}i.sat.i128.{suffix}({ty} %x)
  %high = lshr i128 %r, 64
  %h = trunc i128 %high to i64
  store i64 %h, ptr %p, align 8
  ret void
}}
define {ty} @x() {{ ret {ty} {x} }}"
        ))
    };
    // The upper 64 bits of the result.
    has(&of("s", "double", "f64", "-1.0"), ", -1;");
    has(&of("s", "double", "f64", "1.0e300"), "9223372036854775807");
    has(
        &of("s", "double", "f64", "-1.0e300"),
        "-9223372036854775808",
    );
    has(&of("u", "double", "f64", "1.0e300"), ", -1;");
    has(&of("u", "double", "f64", "-5.0"), ", 0;");
    has(&of("u", "float", "f32", "0x7FF0000000000000"), ", -1;");
    has(&of("s", "float", "f32", "0x7FF8000000000000"), ", 0;");
    has(&of("u", "double", "f64", "0x4420000000000000"), ", 8;"); // 2^67
}
