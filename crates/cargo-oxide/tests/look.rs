//! `inspect` of foreign files, and of a crate where ptxas and nvdisasm are not needed or not there.

mod common;

use common::User;

fn sample(name: &str) -> String {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../cubin/tests/samples");
    format!("{folder}/{name}")
}

/// As on a machine without NVIDIA's tools.
const NO_TOOLS: &[(&str, &str)] = &[
    ("PATH", "/usr/bin:/bin"),
    ("CUDA_HOME", ""),
    ("VIRTUAL_ENV", ""),
    ("CUDA_OXIDE_PTXAS", ""),
    ("CUDA_OXIDE_NVDISASM", ""),
    ("CUDA_OXIDE_CACHE", "/nowhere/cache"),
];

#[test]
fn a_cubin_from_elsewhere() {
    let user = User::new("look");
    let cubin = sample("nvcc_lineinfo_sm90_13.5.cubin");
    let inspect = |words: &[&str]| {
        let all = [&["inspect", cubin.as_str()], words].concat();
        user.oxide_in(".", &all, NO_TOOLS)
    };
    let summary = inspect(&[]).success().stdout;
    assert!(
        summary.contains("by ptxas 13.5.37; embedded PTX: yes, Tile IR: no"),
        "{summary}"
    );
    let row = summary.lines().find(|l| l.starts_with("vadd")).unwrap();
    // Spills a cubin does not tell.
    assert!(
        row.contains(" 12 ") && row.contains("not told") && row.contains("556 B"),
        "{row}"
    );
    let ptx = inspect(&["--stage", "ptx"]).success().stdout;
    assert!(ptx.contains("// /src/tile/nv/t.cu:4\n"), "{ptx}");
    let usage = inspect(&["--usage", "--block", "1024", "--kernel", "vadd"])
        .success()
        .stdout;
    assert!(
        usage.contains("2 blocks of 1024, 64 of 64 warps") && !usage.contains("_Z2tk"),
        "{usage}"
    );
    inspect(&["--kernel", "vsub", "--usage"])
        .fails(101, &["no kernel is called `vsub`; there are: "]);
    inspect(&["--stage", "mir"]).fails(101, &["it has the stages ptx and sass"]);
    inspect(&["--stage", "sass"]).fails(
        101,
        &[
            "cannot find nvdisasm",
            "CUDA_OXIDE_NVDISASM",
            "cargo oxide toolchain install",
        ],
    );
    inspect(&["--line", "t.cu"]).fails(2, &["a line looks like main.rs:42"]);
    let json = inspect(&["--format", "json"]).success().stdout;
    let json: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(json[0]["kernels"].as_array().unwrap().len(), 2);
    assert_eq!(json[0]["arch"], "sm_90");
}

#[test]
fn fat_binaries_and_what_is_none() {
    let user = User::new("look-fat");
    let fat = sample("fatbinary_compress_all_sm90_13.5.fatbin");
    let said = user.oxide(&["inspect", &fat]).success().stdout;
    assert!(
        said.contains("cubin for sm_90") && said.contains("PTX for sm_90: 2407 bytes"),
        "{said}"
    );
    user.file("text.cubin", "#!/bin/sh\n");
    user.oxide(&["inspect", "text.cubin"]).fails(
        101,
        &[
            "text.cubin",
            "neither a cubin (an ELF file) nor a fat binary",
        ],
    );
    let plain = sample("nvcc_plain_sm90_13.5.cubin");
    user.oxide(&["inspect", &plain, "--stage", "ptx"])
        .fails(101, &["`.nv_debug_ptx_txt`", "-lineinfo"]);
}
