//! Small kernels from Rust source to PTX by the LLVM route.

#[allow(dead_code)]
mod common;
use common::{Made, has, lacks, make};

/// What holds for every module is checked for each.
fn ok(name: &str, source: &str) -> Made {
    let made = make(name, source, &[]).unwrap_or_else(|e| panic!("{e}"));
    assert!(
        made.emitted.ptx == made.stripped,
        "debug metadata changed the PTX of {name}"
    );
    let missing: Vec<&str> = made
        .emitted
        .ptx
        .lines()
        .enumerate()
        .filter(|(at, _)| !made.emitted.side.lines.contains_key(&(*at as u32 + 1)))
        .map(|(_, line)| line.trim())
        .filter(|line| line.ends_with(';') && !line.starts_with(['.', ')', ';']))
        .collect();
    // What has no location is of functions without debug metadata: the runtime's.
    let runtime = made.emitted.ptx.contains("__oxide_");
    assert!(
        missing.is_empty() || runtime,
        "no lines for {missing:?} in {name}"
    );
    made
}

const HOST: &str = "pub fn host() {}\n";

const MAP: &str = "
pub fn map<T: Copy, F: Fn(T) -> T>(f: F, x: &[T], y: *mut T) {
    let i = tid();
    unsafe { *y.add(i) = f(x[i]); }
}
#[inline(always)]
fn launch<T: Copy, F: Fn(T) -> T>(f: F) {
    __oxide_kernel_instance(&const { desc(map::<T, F> as *const (), \"app::map\", [arg::<F>(\"f\"), arg::<&[T]>(\"x\"), arg::<*mut T>(\"y\")]) });
    core::hint::black_box(f);
}
#[inline(never)]
fn generic<T: Copy + core::ops::Add<Output = T>>(k: T) { launch::<T, _>(move |x| x + k); }
pub fn host() {
    let k = std::env::args().count() as f32;
    launch::<f32, _>(move |x| x * k);
    launch::<f32, _>(move |x| x - k);
    generic(3u32);
    generic([1u64, 2, 3].len());
    let table = [k; 5];
    launch::<f32, _>(move |x| x + table[x as usize % 5]);
}
";

#[test]
fn instances_of_a_generic_kernel() {
    let made = ok("map", MAP);
    assert_eq!(made.roots.len(), 5);
    let keys: std::collections::BTreeSet<&str> =
        made.roots.iter().map(|r| r.key.as_str()).collect();
    assert_eq!(keys.len(), 5, "{keys:?}");
    assert_eq!(made.emitted.ptx.matches(".visible .entry").count(), 5);
    for instruction in ["mul.rn.f32", "sub.rn.f32", "add.s32", "add.s64"] {
        has(&made.emitted.ptx, instruction);
    }
    // A closure with one float, a slice in two parts, a pointer.
    let root = made.roots.iter().find(|r| r.args[0].size == 4).unwrap();
    let ranges: Vec<(u32, u64, u64)> = root
        .params
        .iter()
        .map(|p| (p.arg, p.offset, p.size))
        .collect();
    assert_eq!(ranges, [(0, 0, 4), (1, 0, 8), (1, 8, 8), (2, 0, 8)]);
    // The closure with a table of 20 bytes goes by value.
    let table = made.roots.iter().find(|r| r.args[0].size == 20).unwrap();
    assert_eq!((table.params[0].offset, table.params[0].size), (0, 20));
    has(&made.emitted.ptx, "_param_0[20]");
    // "index", as PTX writes bytes.
    has(&made.emitted.ptx, "105, 110, 100, 101, 120");
}

#[test]
fn a_barrier_between_branches_stays_one() {
    let made = ok(
        "barrier",
        &format!(
            "{HOST}
static TILE: SharedArray<f32, 64> = SharedArray::UNINIT;
pub fn k(x: &[f32], y: *mut f32) {{
    let t = tid();
    unsafe {{
        if x.len() > 7 {{ *TILE.at(t) = x[t]; }} else {{ *TILE.at(t) = 1.0; }}
        __nvvm_barrier0();
        if x.len() > 7 {{ *y.add(t) = *TILE.at(63 - t); }} else {{ *y.add(t) = 2.0; }}
    }}
}}
kernel!(__oxide_kernel__k, k, &[f32], *mut f32);"
        ),
    );
    assert_eq!(made.roots[0].key, "app::k");
    let ptx = &made.emitted.ptx;
    assert_eq!(
        ptx.matches("bar.sync").count() + ptx.matches("barrier.sync").count(),
        1,
        "{ptx}"
    );
    has(ptx, ".shared .align 4 .b8");
    has(ptx, "[256]");
    has(ptx, "ld.shared");
    has(ptx, "st.shared");
}

#[test]
fn a_barrier_in_a_function_that_is_called_through_a_pointer() {
    let made = ok(
        "pointer",
        &format!(
            "{HOST}
#[inline(never)]
fn a(y: *mut u32) {{ unsafe {{ *y = 1; }} __nvvm_barrier0(); unsafe {{ *y.add(1) = 1; }} }}
#[inline(never)]
fn b(y: *mut u32) {{ unsafe {{ *y = 2; }} __nvvm_barrier0(); unsafe {{ *y.add(1) = 2; }} }}
static TABLE: [fn(*mut u32); 2] = [a, b];
pub fn k(n: u32, y: *mut u32) {{ TABLE[n as usize % 2](y); }}
kernel!(__oxide_kernel__k, k, u32, *mut u32);"
        ),
    );
    has(&made.emitted.ptx, ".callprototype");
    assert_eq!(
        made.emitted.ptx.matches("bar.sync").count()
            + made.emitted.ptx.matches("barrier.sync").count(),
        2
    );
}

#[test]
fn language() {
    let made = ok(
        "language",
        &format!("{HOST}
trait Shape {{ fn area(&self, k: f32) -> f32; }}
struct Square(f32);
struct Circle {{ r: f32 }}
impl Shape for Square {{ #[inline(never)] fn area(&self, k: f32) -> f32 {{ self.0 * self.0 * k }} }}
impl Shape for Circle {{ #[inline(never)] fn area(&self, k: f32) -> f32 {{ 3.0 * self.r * self.r + k }} }}
struct Loud<'a>(&'a core::cell::Cell<u32>, u32);
impl Drop for Loud<'_> {{ fn drop(&mut self) {{ self.0.set(self.0.get() * 10 + self.1); }} }}
static PRIMES: [u32; 5] = [2, 3, 5, 7, 11];
static NAMES: [&str; 2] = [\"ab\", \"cde\"];
pub fn dynamic(n: u32, y: &mut [f32]) {{
    let (a, b) = (Square(2.0), Circle {{ r: 3.0 }});
    let s: &dyn Shape = if n > 3 {{ &a }} else {{ &b }};
    y[0] = s.area(n as f32);
}}
pub fn sorted(x: &mut [u32]) {{ x.sort_unstable(); }}
pub fn chain(x: &[u32], y: &mut [u32]) {{
    y[0] = x.iter().zip(PRIMES.iter().cycle()).filter(|(a, _)| *a % 2 == 0).flat_map(|(a, p)| [*a, *p]).map(|v| v.wrapping_mul(3)).fold(0, |s, v| s ^ v);
    y[1] = x.windows(3).map(|w| w[0].max(w[2])).rev().skip(1).step_by(2).sum();
}}
pub fn wide(a: i128, b: u64, y: &mut [i128]) {{ y[0] = a.wrapping_mul(b as i128) / 7 - (a >> 5); }}
pub fn drops(y: &mut [u32]) {{
    let c = core::cell::Cell::new(0);
    {{ let _a = Loud(&c, 1); let _b = [Loud(&c, 2), Loud(&c, 3)]; }}
    y[0] = c.get();
}}
pub fn names(i: usize, y: &mut [u8]) {{ for (d, s) in y.iter_mut().zip(NAMES[i].bytes()) {{ *d = s; }} }}
#[inline(never)]
fn fib(n: u32) -> u32 {{ if n < 2 {{ n }} else {{ fib(n - 1) + fib(n - 2) }} }}
pub fn recursion(n: Option<u32>, m: [u8; 3], y: &mut [u32]) {{ y[0] = fib(n.unwrap_or(5)) + m[1] as u32; }}
kernel!(__oxide_kernel__dynamic, dynamic, u32, &mut [f32]);
kernel!(__oxide_kernel__sorted, sorted, &mut [u32]);
kernel!(__oxide_kernel__chain, chain, &[u32], &mut [u32]);
kernel!(__oxide_kernel__wide, wide, i128, u64, &mut [i128]);
kernel!(__oxide_kernel__drops, drops, &mut [u32]);
kernel!(__oxide_kernel__names, names, usize, &mut [u8]);
kernel!(__oxide_kernel__recursion, recursion, Option<u32>, [u8; 3], &mut [u32]);"),
    );
    let ptx = &made.emitted.ptx;
    assert_eq!(ptx.matches(".visible .entry").count(), 7);
    lacks(ptx, ".extern");
    // Drops run in the order of Rust, and LLVM has computed what comes of it: 231.
    has(ptx, "231");
    let recursion = made
        .roots
        .iter()
        .find(|r| r.key == "app::recursion")
        .unwrap();
    let ranges: Vec<(u32, u64, u64)> = recursion
        .params
        .iter()
        .map(|p| (p.arg, p.offset, p.size))
        .collect();
    assert_eq!(
        ranges,
        [(0, 0, 4), (0, 4, 4), (1, 0, 3), (2, 0, 8), (2, 8, 8)]
    );
}

#[test]
fn what_comes_from_c_and_compiler_rt() {
    let made = ok(
        "runtime",
        &format!("{HOST}
pub fn bytes(a: &[u8], b: &[u8], y: &mut [u32]) {{
    y[0] = (a == b) as u32;
    y[1] = a.cmp(b) as i32 as u32;
    y[2] = match a {{ b\"left\" => 1, b\"right\" => 2, _ => 3 }};
}}
pub fn division(a: i128, b: i128, u: u128, y: &mut [u128]) {{
    y[0] = (a / b) as u128;
    y[1] = u % 1_000_000_007;
    y[2] = (a % b) as u128;
}}
pub fn copies(n: usize, x: &[[u64; 9]], y: &mut [[u64; 9]]) {{ y[..n].copy_from_slice(&x[..n]); y[n..].fill([7; 9]); y.rotate_left(n); }}
pub fn floats(a: f64, b: f64, n: i128, y: &mut [f64]) {{ y[0] = a % b; y[1] = a.floor().mul_add(b, 1.0); y[2] = a.max(b).copysign(a); y[3] = (a as f32).round() as f64; y[4] = n as f64; y[5] = (a as i128 >> 64) as f64; }}
kernel!(__oxide_kernel__bytes, bytes, &[u8], &[u8], &mut [u32]);
kernel!(__oxide_kernel__division, division, i128, i128, u128, &mut [u128]);
kernel!(__oxide_kernel__copies, copies, usize, &[[u64; 9]], &mut [[u64; 9]]);
kernel!(__oxide_kernel__floats, floats, f64, f64, i128, &mut [f64]);"),
    );
    lacks(&made.emitted.ptx, ".extern");
    has(&made.emitted.ptx, "fma.rn.f64");
}

#[test]
fn launch_bounds_and_fmad() {
    let made = ok(
        "bounds",
        &format!(
            "{HOST}
#[inline(never)]
fn shared(a: f32, b: f32) -> f32 {{ a * b + 7.0 }}
pub fn fused(a: f32, b: f32, c: f32, y: &mut [f32]) {{ y[0] = a * b + c; y[1] = shared(a, b); }}
pub fn exact(a: f32, b: f32, c: f32, y: &mut [f32]) {{ y[0] = a * b + c; y[1] = shared(a, b); }}
kernel_with!(__oxide_kernel__fused, fused, 256, 2, 1, f32, f32, f32, &mut [f32]);
kernel_with!(__oxide_kernel__exact, exact, 128, 0, 0, f32, f32, f32, &mut [f32]);"
        ),
    );
    let ptx = &made.emitted.ptx;
    let body = |name: &str| {
        let start = ptx.find(&format!(".visible .entry {name}(")).unwrap();
        &ptx[start..start + ptx[start..].find("\n}\n").unwrap()]
    };
    has(body("app__fused"), ".maxntid 256");
    has(body("app__fused"), ".minnctapersm 2");
    has(body("app__fused"), "fma.rn.f32");
    has(body("app__exact"), ".maxntid 128");
    lacks(body("app__exact"), "fma");
    has(body("app__exact"), "mul.rn.f32");
}

#[test]
fn pairs_that_are_put_into_memory() {
    let made = ok(
        "pairs",
        &format!("{HOST}
pub fn k(mut n: Option<u32>, mut p: (u8, u64), z: (), mut s: &[u32], big: [u64; 2], w: [u8; 12], y: &mut [u64]) {{
    if let Some(v) = &mut n {{ *v += 1; core::hint::black_box(&mut n); }}
    core::hint::black_box((&mut p, &mut s, &big, &w));
    y[0] = n.unwrap_or(3) as u64 + p.1 + s.len() as u64 + big[1] + w[3] as u64;
}}
kernel!(__oxide_kernel__k, k, Option<u32>, (u8, u64), (), &[u32], [u64; 2], [u8; 12], &mut [u64]);"),
    );
    let ranges: Vec<(u32, u64, u64)> = made.roots[0]
        .params
        .iter()
        .map(|p| (p.arg, p.offset, p.size))
        .collect();
    // `(u8, u64)` has its `u64` first in memory or not, as rustc likes; the two ranges cover both.
    let pair: Vec<_> = ranges.iter().filter(|r| r.0 == 1).map(|r| r.2).collect();
    assert_eq!(
        {
            let mut p = pair;
            p.sort();
            p
        },
        [1, 8]
    );
    let rest: Vec<_> = ranges.iter().copied().filter(|r| r.0 != 1).collect();
    assert_eq!(
        rest,
        [
            (0, 0, 4),
            (0, 4, 4),
            (3, 0, 8),
            (3, 8, 8),
            (4, 0, 16),
            (5, 0, 12),
            (6, 0, 8),
            (6, 8, 8)
        ]
    );
}

/// The templates in a cut, unescaped.
fn messages(made: &Made) -> Vec<String> {
    let mut out = Vec::new();
    for line in made
        .cuts
        .iter()
        .flat_map(|c| c.text.lines())
        .filter(|l| l.starts_with("@__oxide_message."))
    {
        let text = line.split_once(" c\"").unwrap().1.trim_end_matches('"');
        out.push(text.replace("\\0A", "\n").replace("\\E2\\80\\A6", "…"));
    }
    out
}

#[test]
fn messages_of_panics() {
    let made = ok(
        "panics",
        &format!(
            "{HOST}
pub fn k(n: Option<u32>, i: i16, f: f32, s: &[u8], y: &mut [u32]) {{
    let v = n.expect(\"need n\");
    if v == 7 {{ panic!(\"seven {{}} of {{}} {{:?}} {{{{x}}}}\", v, i, s); }}
    assert_eq!(v, 3, \"not three {{}}\", f);
    assert_ne!(i, 4);
    assert!(f < 100.0);
    assert!(f > 1.0, \"small\");
    if v == 9 {{ panic!(\"hex {{:#x}} wide {{:5}} {{}}\", v, i, 'c'); }}
    if v == 10 {{ unreachable!(\"never {{1}} {{0}}\", v, f); }}
    y[0] = 10 / v;
}}
kernel!(__oxide_kernel__k, k, Option<u32>, i16, f32, &[u8], &mut [u32]);"
        ),
    );
    let messages = messages(&made);
    for expected in [
        "seven {0} of {1:i} {{…}} {{x}}",
        "assertion `left == right` failed: not three {0:f}\n  left: {1}\n right: {2}",
        "assertion `left != right` failed\n  left: {0:i}\n right: {1:i}",
        "small",
        "hex {{…}} wide {{…}} {0:c}",
        "internal error: entered unreachable code: never {0:f} {1}",
    ] {
        assert!(
            messages.iter().any(|m| m == expected),
            "no `{expected}` in {messages:#?}"
        );
    }
    let ptx = &made.emitted.ptx;
    has(ptx, ".visible .global .align 8 .u64 __oxide_panic_record;");
    lacks(ptx, ".extern");
    lacks(ptx, "core3fmt");
}

#[test]
fn what_a_gpu_cannot_do() {
    let error = |name: &str, body: &str| {
        let source = format!(
            "{HOST}
#[inline(never)]
fn helper(n: u32) -> u32 {{ {body} }}
pub fn k(n: u32, y: &mut [u32]) {{ y[0] = helper(n); }}
kernel!(__oxide_kernel__k, k, u32, &mut [u32]);"
        );
        make(name, &source, &[])
            .err()
            .unwrap_or_else(|| panic!("{name} was compiled"))
    };
    let line = common::DEVICE.lines().count() as u32 + 4;
    let vec = error("vec", "let v: Vec<u32> = (0..n).collect(); v.len() as u32");
    assert_eq!(vec.title, "kernels cannot allocate memory");
    let at = vec
        .frames
        .iter()
        .find(|f| f.function == "app::helper")
        .unwrap();
    assert!(
        at.file.ends_with("k.rs") && at.line == line,
        "{at:?} is not line {line}"
    );
    assert!(vec.frames.last().unwrap().function == "app::k", "{vec}");
    assert!(
        vec.notes
            .iter()
            .any(|n| n.contains("`app::helper`, called by `app::k`")),
        "{vec}"
    );

    assert_eq!(
        error("print", "println!(\"{n}\"); n").title,
        "kernels cannot print to standard output"
    );
    assert!(
        error("file", "std::fs::read(\"x\").is_ok() as u32")
            .frames
            .iter()
            .any(|f| f.line == line)
    );
    let c = error(
        "extern",
        "unsafe extern \"C\" { safe fn nowhere(n: u32) -> u32; } nowhere(n)",
    );
    assert_eq!(c.title, "there is no body for `nowhere` on the device");
    let asm = error("asm", "unsafe { core::arch::asm!(\"nop\"); } n");
    assert!(asm.title.contains("assembly of the host"), "{asm}");
    let wrong = error(
        "math",
        "unsafe extern \"C\" { safe fn sinf(n: u32) -> u32; } sinf(n)",
    );
    assert!(wrong.title.contains("`sinf`"), "{wrong}");
    assert!(
        error(
            "nvvm",
            "unsafe extern \"C\" { safe fn __nvvm_nonsense() -> u32; } __nvvm_nonsense()"
        )
        .title
        .contains("__nvvm_nonsense")
    );
}

#[test]
fn lines_of_inlined_functions() {
    let made = ok("lines", MAP);
    let ptx = &made.emitted.ptx;
    let line = 1 + ptx.lines().position(|l| l.contains("mul.rn.f32")).unwrap() as u32;
    let frames: Vec<_> = made.emitted.side.frames(line).collect();
    let source = format!("{}{MAP}", common::DEVICE);
    let of = |text: &str| 1 + source.lines().position(|l| l.contains(text)).unwrap() as u32;
    assert_eq!(frames[0].line, of("x * k"), "{frames:?}");
    assert!(frames[0].function.contains("host::{closure"), "{frames:?}");
    assert_eq!(frames[1].line, of("*y.add(i) = f(x[i])"));
    assert!(frames[1].function.starts_with("app::map"), "{frames:?}");
}

#[test]
fn bodies_of_another_module() {
    let library = "define float @sinf(float %x) {\nstart:\n  %y = fmul float %x, 3.0\n  ret float %y\n}\n\
        define i32 @elsewhere(i32 %x) {\nstart:\n  %y = mul i32 %x, 77\n  ret i32 %y\n}\n";
    let source = format!(
        "{HOST}
unsafe extern \"C\" {{ safe fn elsewhere(n: u32) -> u32; }}
pub fn k(n: u32, y: &mut [f32]) {{ y[0] = (n as f32).sin(); y[1] = elsewhere(n) as f32; }}
kernel!(__oxide_kernel__k, k, u32, &mut [f32]);"
    );
    let made = make("library", &source, &[library]).unwrap_or_else(|e| panic!("{e}"));
    has(&made.emitted.ptx, "0f40400000");
    has(&made.emitted.ptx, ", 77;");
    let wrong = library.replace("@elsewhere(i32 %x)", "@elsewhere(i64 %z, i32 %x)");
    let error = make("wrong", &source, &[&wrong]).err().unwrap();
    assert!(error.title.contains("another type"), "{error}");
}

/// rustc passes `[u8; 3]` as a number of 24 bits, for which PTX has no parameter.
#[test]
fn arguments_of_odd_sizes() {
    let source = format!(
        "{HOST}
pub fn k(a: [u8; 3], b: [u8; 5], c: [u8; 6], d: [u8; 7], e: [u8; 4], y: &mut [u32]) {{
    y[0] = a[2] as u32 + b[4] as u32 + c[5] as u32 + d[6] as u32 + e[3] as u32;
}}
kernel!(__oxide_kernel__k, k, [u8; 3], [u8; 5], [u8; 6], [u8; 7], [u8; 4], &mut [u32]);"
    );
    let made = make("odd", &source, &[]).unwrap_or_else(|e| panic!("{e}"));
    let ptx = &made.emitted.ptx;
    for n in [3, 5, 6, 7] {
        has(ptx, &format!("[{n}]"));
        lacks(ptx, &format!(".u{}", n * 8));
    }
    let sizes: Vec<u64> = made.roots[0].params.iter().map(|p| p.size).collect();
    assert_eq!(sizes, [3, 5, 6, 7, 4, 8, 8]);
}

/// Methods of `Debug` that only the tables of a panic's arguments name.
#[test]
fn text_with_panics_in_it() {
    let source = format!(
        "{HOST}
pub fn k(x: &[u8], y: &mut [u32]) {{
    let s = unsafe {{ core::str::from_utf8_unchecked(x) }};
    y[0] = s.split(',').map(|w| w.len() as u32).sum();
    y[1] = x.is_ascii() as u32;
    y[2] = s.trim().len() as u32 + s.split_whitespace().count() as u32;
    y[3] = s[1..].find(\"ab\").unwrap_or(0) as u32;
}}
kernel!(__oxide_kernel__k, k, &[u8], &mut [u32]);"
    );
    let made = make("text_panics", &source, &core_texts()).unwrap_or_else(|e| panic!("{e}"));
    lacks(&made.emitted.ptx, ".extern");
    let print = format!(
        "{HOST}
struct Sink(u32);
impl core::fmt::Write for Sink {{
    fn write_str(&mut self, s: &str) -> core::fmt::Result {{ self.0 += s.len() as u32; Ok(()) }}
}}
pub fn k(x: u32, y: &mut [u32]) {{
    let mut sink = Sink(0);
    let _ = core::fmt::write(&mut sink, format_args!(\"{{x:?}}\"));
    y[0] = sink.0;
}}
kernel!(__oxide_kernel__k, k, u32, &mut [u32]);"
    );
    // What would call them has no body.
    assert!(make("writes", &print, &core_texts()).is_err());
}

fn core_texts() -> Vec<&'static str> {
    static TEXTS: std::sync::OnceLock<Vec<String>> = std::sync::OnceLock::new();
    let texts = TEXTS.get_or_init(|| {
        let sysroot = std::process::Command::new("rustc")
            .args(["--print", "sysroot"])
            .output()
            .unwrap()
            .stdout;
        let sysroot = String::from_utf8(sysroot).unwrap();
        let modules =
            rustc_llvm::core_bitcode(sysroot.trim().as_ref(), "x86_64-unknown-linux-gnu").unwrap();
        assert!(!modules.is_empty());
        let llvm = llvm_backend::Llvm::load().unwrap();
        modules
            .iter()
            .map(|m| llvm.disassemble("core", m).unwrap())
            .collect()
    });
    texts.iter().map(String::as_str).collect()
}

#[test]
fn bodies_of_core() {
    let texts = core_texts();
    // `from_str_radix` and UTF-8 validation are `core`'s own, compiled.
    let source = format!(
        "{HOST}
pub fn k(x: &[u8], y: &mut [u32]) {{ y[0] = core::str::from_utf8(x).is_ok() as u32; }}
kernel!(__oxide_kernel__k, k, &[u8], &mut [u32]);"
    );
    assert!(make("without_core", &source, &[]).is_err());
    let made = make("core", &source, &texts).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(made.cuts.len(), 2);
    lacks(&made.emitted.ptx, ".extern");
}
