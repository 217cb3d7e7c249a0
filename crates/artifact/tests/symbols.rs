//! Keys of real symbols: rustc compiles a crate twice with different crate metadata, as the two passes do.

use artifact::{ManglingError, canonical_instance, exact_instance, pretty};
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::process::Command;

const SOURCE: &str = r#"
#![allow(dead_code)]
pub struct S<const N: usize, const C: char, const B: bool>;
pub trait Tr { fn go(&self) -> u32; }
macro_rules! impls { ($($t:ty),*) => { $(impl Tr for $t { #[inline(never)] fn go(&self) -> u32 { *self as u32 } })* } }
impls!(u8, u16, i64);
impl<const N: usize, const C: char, const B: bool> S<N, C, B> { #[inline(never)] pub fn method<T>(&self, t: T) -> usize { std::mem::forget(t); N } }
#[inline(never)] pub fn kernel<T, F: Fn(T) -> T>(f: F, t: T) -> T { f(t) }
macro_rules! twice { ($k:expr) => { (kernel(move |x: f32| x * $k, 1.0), kernel(move |x: f32| x + $k, 1.0)) } }
#[inline(never)] pub fn dynamic<T: ?Sized>(_: &T) -> usize { std::mem::size_of_val(&0) }
mod größe { #[inline(never)] pub fn maß<T>() -> usize { std::mem::size_of::<T>() } }
pub fn all(k: f32) -> usize {
    let a = twice!(k);
    let nested = move |x: f32| kernel(move |y: f32| y * k, x);
    let b = kernel(nested, 2.0) + kernel(nested, 3.0);
    let c = kernel(|x: u8| x, 1).go() + 2u16.go() + (-3i64).go();
    let d = S::<3, 'ß', true>.method((1u8, [2i32; 4])) + S::<4, '_', false>.method(&[1u64][..]);
    let f: for<'a> fn(&'a u8) -> &'a u8 = |x| x;
    let g: unsafe extern "C" fn(*const u8, *mut i128) -> ! = stop;
    let e = dynamic::<dyn Fn(&u8) -> u8 + Send>(&|x: &u8| *x) + dynamic(&f) + dynamic(&g) + dynamic::<str>("x")
        + dynamic::<dyn Iterator<Item = (f64, char, bool, isize)>>(&std::iter::empty()) + größe::maß::<Option<Box<[u128]>>>();
    (a.0 + a.1 + b) as usize + c as usize + d + e
}
unsafe extern "C" fn stop(_: *const u8, _: *mut i128) -> ! { std::process::abort() }
"#;

/// The v0 symbols that one compilation defines or names.
fn symbols(metadata: &str) -> BTreeSet<String> {
    let dir = std::env::temp_dir().join(format!("oxide-symbols-{}-{metadata}", std::process::id()));
    std::fs::create_dir_all(&dir).unwrap();
    let file = dir.join("probe.rs");
    std::fs::write(&file, SOURCE).unwrap();
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let out = Command::new(rustc)
        .args([
            "--edition=2024",
            "--crate-type=lib",
            "--crate-name=probe",
            "--emit=llvm-ir",
            "-Csymbol-mangling-version=v0",
        ])
        .args([
            &format!("-Cmetadata={metadata}"),
            "-Copt-level=0",
            "-Ccodegen-units=1",
            "--out-dir",
        ])
        .args([&dir, &file])
        .output()
        .unwrap();
    assert!(
        out.status.success(),
        "{}",
        String::from_utf8_lossy(&out.stderr)
    );
    let ir = std::fs::read_to_string(dir.join("probe.ll")).unwrap();
    std::fs::remove_dir_all(&dir).unwrap();
    let word = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '.' | '$');
    ir.split(|c| !word(c))
        .filter(|w| w.starts_with("_R"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn two_passes_agree_and_instances_differ() {
    let (host, device) = (symbols("host"), symbols("device"));
    assert!(host.len() > 40, "{} symbols", host.len());
    let key = |s: &String| canonical_instance(s).unwrap_or_else(|e| panic!("{s}: {e}"));
    let keys = |symbols: &BTreeSet<String>| -> BTreeMap<String, String> {
        symbols.iter().map(|s| (key(s), s.clone())).collect()
    };
    let (host_keys, device_keys) = (keys(&host), keys(&device));
    assert_eq!(host_keys.len(), host.len(), "a key for each symbol");
    let ours = |keys: &BTreeMap<String, String>| -> Vec<String> {
        keys.keys()
            .filter(|k| k.contains("5probe"))
            .cloned()
            .collect()
    };
    assert_eq!(
        ours(&host_keys),
        ours(&device_keys),
        "the passes have the same keys"
    );
    assert!(
        ours(&host_keys)
            .iter()
            .any(|k| host_keys[k] != device_keys[k]),
        "though the symbols differ"
    );

    let instances: Vec<String> = ours(&host_keys)
        .iter()
        .filter(|k| k.starts_with("_RINvC5probe6kernel"))
        .map(|k| pretty(k))
        .collect();
    expect_test::expect![[r#"
        [
            "probe::kernel::<f32, probe::all::{closure#0}::{closure#0}>",
            "probe::kernel::<f32, probe::all::{closure#0}>",
            "probe::kernel::<f32, probe::all::{closure#4}>",
            "probe::kernel::<f32, probe::all::{closure#5}>",
            "probe::kernel::<u8, probe::all::{closure#1}>",
        ]
    "#]]
    .assert_debug_eq(&instances);

    let printed: BTreeSet<String> = host.iter().map(|s| pretty(s)).collect();
    for expected in [
        "<u8 as probe::Tr>::go",
        "<i64 as probe::Tr>::go",
        "<probe::S<3, 'ß', true>>::method::<(u8, [i32; 4])>",
        "<probe::S<4, '_', false>>::method::<&[u64]>",
        "probe::größe::maß::<core::option::Option<alloc::boxed::Box<[u128]>>>",
        "probe::dynamic::<dyn for<'a> core::ops::function::Fn<(&'a u8,), Output = u8> + core::marker::Send>",
        "probe::dynamic::<for<'a> fn(&'a u8) -> &'a u8>",
        "probe::dynamic::<unsafe extern \"C\" fn(*const u8, *mut i128) -> !>",
        "probe::dynamic::<dyn core::iter::traits::iterator::Iterator<Item = (f64, char, bool, isize)>>",
    ] {
        assert!(printed.contains(expected), "{expected} in {printed:#?}");
    }
}

#[test]
fn forms() {
    // A canonical form is a symbol, and its own canonical form.
    let symbol = "_RINvNtCs97cLcr6UGgy_5probe7kernels3mapfNCNvB4_4main0EB4_";
    let key = canonical_instance(symbol).unwrap();
    assert_eq!(key, "_RINvNtC5probe7kernels3mapfNCNvC5probe4main0E");
    assert_eq!(canonical_instance(&key).unwrap(), key);
    assert_eq!(
        exact_instance(symbol).unwrap(),
        "_RINvNtCs97cLcr6UGgy_5probe7kernels3mapfNCNvCs97cLcr6UGgy_5probe4main0E"
    );
    assert_eq!(
        pretty(&key),
        "probe::kernels::map::<f32, probe::main::{closure#0}>"
    );
    // What code generation appends is not part of it; nor is the crate that instantiates.
    assert_eq!(
        canonical_instance(&format!("{symbol}.llvm.1234")).unwrap(),
        key
    );
    assert_eq!(canonical_instance(&format!("_{symbol}")).unwrap(), key);
    // The second of two closures is another.
    assert_ne!(
        canonical_instance("_RINvC1a1mNCNvC1a1fs_0E").unwrap(),
        canonical_instance("_RINvC1a1mNCNvC1a1f0E").unwrap()
    );
    assert_eq!(
        pretty("_ZN3foo3bar17h05af221e174051e9E"),
        "_ZN3foo3bar17h05af221e174051e9E"
    );
}

#[test]
fn hostile_symbols_end() {
    let error = |s: &str| canonical_instance(s).unwrap_err();
    assert!(matches!(error("main"), ManglingError::NotV0 { .. }));
    assert!(matches!(error("_Rfoo"), ManglingError::NotV0 { .. }));
    assert!(matches!(error("_RNvC1a"), ManglingError::Syntax { .. }));
    assert!(matches!(
        error("_RNvC1a99999999999999999999x"),
        ManglingError::Syntax { .. }
    ));
    // A reference to what encloses it, and forwards.
    assert!(matches!(error("_RNvB_1a"), ManglingError::TooLarge { .. }));
    assert!(matches!(error("_RNvB9_1a"), ManglingError::Syntax { .. }));
    let deep = format!("_RIC1a{}uE", "S".repeat(100_000));
    assert!(matches!(error(&deep), ManglingError::TooLarge { .. }));
    // Each tuple is twice the one before: 2^40 when expanded.
    let mut wide = String::from("IC1aTuuE");
    let mut at = 4;
    for _ in 0..40 {
        let next = wide.len();
        let digits: String = base62(at);
        wide.push_str(&format!("TB{digits}B{digits}E"));
        at = next;
    }
    assert!(matches!(
        error(&format!("_R{wide}E")),
        ManglingError::TooLarge { .. }
    ));
}

fn base62(n: usize) -> String {
    const DIGITS: &[u8] = b"0123456789abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ";
    let Some(mut rest) = n.checked_sub(1) else {
        return "_".into();
    };
    let mut out = vec![b'_'];
    loop {
        out.push(DIGITS[rest % 62]);
        rest /= 62;
        if rest == 0 {
            break;
        }
    }
    out.reverse();
    String::from_utf8(out).unwrap()
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(3000))]
    /// Mutated symbols: a form or an error; a form is stable.
    #[test]
    fn mutations(at in any::<prop::sample::Index>(), with in "[A-Za-z0-9_.$]{0,3}", from in 0usize..3) {
        let symbols = [
            "_RINvNtCs97cLcr6UGgy_5probe7kernels3mapfNCNvB4_4main0EB4_",
            "_RNvXs_Cs3_5probehNtB4_2Tr2go",
            "_RINvCs1_5probe7dynamicDG_INtNtNtCs2_4core3ops8function2FnTRL0_hEEp6OutputhNtNtB1_6marker4SendEL_EB2_",
        ];
        let mut symbol = symbols[from].to_owned();
        let at = at.index(symbol.len());
        symbol.replace_range(at..=at, &with);
        let _ = pretty(&symbol);
        if let Ok(key) = canonical_instance(&symbol) {
            prop_assert_eq!(canonical_instance(&key).unwrap(), key);
        }
    }
}
