//! Rust to dialect-mir, feature by feature. Each test runs rustc; the module must verify before and after mem2reg.

mod common;
use common::run;

#[test]
fn vecadd() {
    let d = run(r#"
kernel!(vecadd, __oxide_kernel__vecadd, (a: &[f32], b: &[f32], mut c: DisjointSlice<f32>), {
    let n = tid();
    if let Some(v) = c.get_mut(n) { *v = a[n] + b[n]; }
});"#);
    let text = d.ok();
    assert!(text.contains("mir.add"), "{text}");
    assert!(text.contains("index out of bounds: the len is {0} but the index is {1}"), "{text}");
    let k = &d.result.as_ref().unwrap().kernels[0];
    assert_eq!((k.key.as_str(), k.symbol.as_str(), k.max_threads, k.min_blocks), ("t::vecadd", "vecadd", 256, 2));
    let params: Vec<_> = k.params.iter().map(|p| (p.arg, p.offset, p.size)).collect();
    assert_eq!(params, [(0, 0, 8), (0, 8, 8), (1, 0, 8), (1, 8, 8), (2, 0, 8), (2, 8, 8)]);
}
