//! The samples of `tests/samples`, line by line against what ptxas was given.

use cubin::*;
use std::path::PathBuf;

fn sample(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"))
        .join("tests/samples")
        .join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

fn text(name: &str) -> String {
    String::from_utf8(sample(name)).unwrap()
}

/// Each line equals the captured one but for its leading blanks, or was blanked for a reason; returns how many lines there
/// are, and how many are equal to the byte with the restored layout.
fn compare(cubin: &str, captured: &str) -> (usize, usize) {
    let data = sample(cubin);
    let cubin = Cubin::parse(&data).unwrap();
    let [ptx] = &extract_ptx(&cubin).unwrap()[..] else {
        panic!("one section")
    };
    let captured = text(captured);
    let restored = ptx.text().to_string();
    let mut whole = 0;
    let mut count = 0;
    let all: Vec<&str> = captured
        .split('\n')
        .map(|l| l.trim_end_matches('\r'))
        .collect();
    for (line, restored) in ptx.lines().zip(restored.split('\n')) {
        let was = all[line.number as usize - 1];
        let stripped = was.trim_start();
        if line.text.is_empty() {
            let blanked = ["//", ".loc", ".file", ".b8"];
            assert!(
                stripped.is_empty() || blanked.iter().any(|b| stripped.starts_with(b)),
                "{}: {was:?}",
                line.number
            );
            continue;
        }
        assert_eq!(line.text, stripped, "line {}", line.number);
        assert_eq!(restored.trim_start(), stripped, "line {}", line.number);
        count += 1;
        // Indentation within the intermediate section is not guessed: `extract_tile_ir` has it.
        whole += usize::from(restored == was || line.intermediate);
    }
    // What is not there at the end was blank or blanked.
    for was in all.iter().skip(ptx.lines().count()) {
        let was = was.trim_start();
        assert!(
            was.is_empty() || was.starts_with(".file") || was.starts_with("//"),
            "{was}"
        );
    }
    (count, whole)
}

#[test]
fn nvcc_line_by_line() {
    let (count, whole) = compare(
        "nvcc_lineinfo_sm90_13.5.cubin",
        "nvcc_lineinfo_sm90_13.5.captured.ptx",
    );
    // All but one line of inline assembly, which has a blank of its own.
    assert_eq!((count, whole), (109, 108));
}

#[test]
fn tile_line_by_line() {
    let (count, whole) = compare(
        "tile_vadd_sm100_tk13.5_lineinfo.cubin",
        "tile_vadd_sm100_tk13.5_lineinfo.captured.ptx",
    );
    assert!(count > 90, "{count}");
    assert_eq!(count - whole, 0);
}

#[test]
fn hand_written_line_by_line() {
    compare("ptxas_odd_layout_sm90_13.5.cubin", "ptxas_odd_layout.ptx");
    compare(
        "ptxas_custom_intermediate_ir_sm90_13.5.cubin",
        "ptxas_custom_intermediate_ir.ptx",
    );
    let (count, whole) = compare("ptxas_inlined_sm90_13.5.cubin", "ptxas_inlined.ptx");
    assert_eq!(count, whole);
}

#[test]
fn source_lines_as_comments() {
    let data = sample("ptxas_inlined_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let ptx = extract_ptx(&cubin).unwrap()[0];
    let shown = ptx.with_locations(&cubin).unwrap().to_string();
    let plain = ptx.text().to_string();
    assert_eq!(
        shown.lines().count(),
        plain.lines().count(),
        "lines keep their numbers"
    );
    let inner = "\t// /src/a.rs:20, inlined at /src/a.rs:11\n\tld.global.v2.u32 {%r1,%r2}, [%rd1];";
    assert!(shown.contains(inner), "{shown}");
    let deep = "/src/a.rs:30, inlined at /src/a.rs:20, inlined at /src/a.rs:11";
    assert!(shown.contains(deep), "{shown}");
}

#[test]
fn inlining_has_names() {
    let data = sample("ptxas_inlined_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let kernel = cubin.kernels().next().unwrap();
    let table = cubin.lines(LineKind::Source).unwrap();
    let at = table.lookup(kernel.section, 0x40).unwrap();
    let said: Vec<(&str, u32)> = at
        .inlined
        .iter()
        .map(|i| (i.function.as_str(), i.line))
        .collect();
    assert_eq!((at.line, said), (30, vec![("abd", 20), ("abc", 11)]));
    assert_eq!(table.lookup(kernel.section, 0xa0).unwrap().line, 12);
    assert_eq!(table.lookup(kernel.section, 0x10000), None);
}

#[test]
fn kernels_and_resources() {
    let data = sample("nvcc_lineinfo_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    assert_eq!(cubin.sm(), 90);
    let names: Vec<(&str, bool)> = cubin.functions().map(|f| (f.name, f.entry)).collect();
    assert_eq!(
        names,
        [
            ("$vadd$_Z6helperf", false),
            ("_Z2tkIiEvPT_", true),
            ("vadd", true)
        ]
    );
    let vadd = cubin.kernels().find(|k| k.name == "vadd").unwrap();
    let r = cubin.resources(&vadd).unwrap();
    assert_eq!(
        (r.registers, r.stack, r.shared, r.constant, r.parameters),
        (Some(12), Some(0), 0, 0x22c, Some(28))
    );
    let tk = cubin.kernels().find(|k| k.name == "_Z2tkIiEvPT_").unwrap();
    assert_eq!(cubin.resources(&tk).unwrap().stack, Some(8));
    assert_eq!(cubin.code(&vadd).unwrap().len(), 640);
    let tool = cubin.tool().unwrap().unwrap();
    assert_eq!(
        (tool.name.as_str(), tool.number(), tool.arch()),
        ("ptxas", Some("13.5.37"), Some("sm_90"))
    );
    let names: Vec<_> = cubin
        .attributes(None)
        .unwrap()
        .map(|a| attribute_name(a.unwrap().id))
        .collect();
    assert_eq!(names.len(), 7);
    assert!(names.iter().all(Option::is_some));
}

/// The lines that `nvdisasm -gp -g` prints for this cubin.
#[test]
fn line_tables() {
    let data = sample("nvcc_lineinfo_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let vadd = cubin.kernels().find(|k| k.name == "vadd").unwrap();
    let source = cubin.lines(LineKind::Source).unwrap();
    let at = |a| source.lookup(vadd.section, a).map(|l| (l.file, l.line));
    let file = "/src/tile/nv/t.cu".to_string();
    assert_eq!(at(0), Some((file.clone(), 4)));
    assert_eq!(at(0x15f), Some((file.clone(), 4)));
    assert_eq!(at(0x160), Some((file, 2)));
    assert_eq!(at(0x280), None);
    let ptx = cubin.lines(LineKind::Ptx).unwrap();
    let first = ptx.lookup(vadd.section, 0).unwrap();
    assert_eq!((first.file.as_str(), first.line), (".nv_debug_ptx_txt", 44));
}

#[test]
fn linked_units_have_their_own_text() {
    let data = sample("nvlink_two_rdc_units_lineinfo_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let ptx = extract_ptx(&cubin).unwrap();
    let sections: Vec<&str> = ptx.iter().map(|p| p.section).collect();
    assert_eq!(
        sections,
        [".nv_debug_ptx_txt.536213466", ".nv_debug_ptx_txt.582520808"]
    );
    let table = cubin.lines(LineKind::Ptx).unwrap();
    let helper = cubin.functions().find(|f| f.name == "helper2").unwrap();
    let at = table.lookup(helper.section, 0).unwrap();
    assert_eq!((at.file.as_str(), at.line), (sections[1], 25));
    for p in &ptx {
        assert!(
            p.with_locations(&cubin)
                .unwrap()
                .to_string()
                .contains("// /src/"),
            "{}",
            p.section
        );
    }
}

#[test]
fn tile_ir() {
    let data = sample("tile_vadd_sm100_tk13.5_lineinfo.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let [ir] = &extract_tile_ir(&cubin).unwrap()[..] else {
        panic!("one text")
    };
    assert!(ir.text.starts_with("entry @vadd("), "{}", ir.text);
    assert!(ir.text.contains("\n  "), "indentation is kept");
    let kernel = cubin.kernels().next().unwrap();
    let table = cubin.lines(LineKind::TileIr).unwrap();
    let line = table.lookup(kernel.section, 0x100).unwrap();
    assert_eq!(line.file, ir.section);
    assert!(line.line as usize <= ir.text.lines().count());
    // The copy within the PTX is cut where it is to be assembled.
    let ptx = extract_ptx(&cubin).unwrap()[0];
    assert!(ptx.text().to_string().contains(".source_begin"));
    let cut = ptx.assemblable().to_string();
    assert!(!cut.contains("intermediate") && !cut.contains("source_begin") && cut.contains("ret;"));
    assert_eq!(
        ptx.reassembly(&cubin).unwrap(),
        Reassembly::IdenticalWithFlags(&["-uumn", "--enable-extended-smem=true"])
    );
}

#[test]
fn an_intermediate_text_of_our_own() {
    let data = sample("ptxas_custom_intermediate_ir_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let ir = extract_tile_ir(&cubin).unwrap();
    assert_eq!(ir[0].section, ".nv.tileir.debug_txt.deadbeef");
    assert_eq!(
        ir[0].text,
        "fn k(p) {\n  bb0: _1 = p; // comment\n  bb1: *_1 = 1;\n}"
    );
    assert_eq!(
        extract_ptx(&cubin).unwrap()[0].reassembly(&cubin).unwrap(),
        Reassembly::Identical
    );
}

#[test]
fn what_is_missing_and_why() {
    let say = |name: &str| {
        let data = sample(name);
        let cubin = Cubin::parse(&data).unwrap();
        extract_ptx(&cubin).unwrap_err().to_string()
    };
    let plain = say("nvcc_plain_sm90_13.5.cubin");
    assert!(
        plain.contains("`.nv_debug_ptx_txt`") && plain.contains("-lineinfo"),
        "{plain}"
    );
    let tile = say("tile_vadd_sm100_tk13.4_lineinfo_bytecode_without_debug.cubin");
    assert!(
        tile.contains("the bytecode has no debug information"),
        "{tile}"
    );
    let data = sample("tile_vadd_sm100_tk13.1_lineinfo.cubin");
    let old = Cubin::parse(&data).unwrap();
    let e = extract_tile_ir(&old).unwrap_err().to_string();
    assert!(e.contains("older than 13.4"), "{e}");
    assert!(extract_ptx(&old).is_ok());
    let data = sample("nvcc_plain_sm90_13.5.cubin");
    let e = Cubin::parse(&data)
        .unwrap()
        .lines(LineKind::Ptx)
        .unwrap_err()
        .to_string();
    assert!(e.contains(".nv_debug_line_sass"), "{e}");
}

#[test]
fn what_is_no_cubin() {
    let say = |data: &[u8]| Cubin::parse(data).unwrap_err().to_string();
    assert!(say(b"").contains("it is empty"));
    assert!(say(b"#!/bin/sh").contains("neither a cubin"));
    let mut data = sample("nvcc_lineinfo_sm90_13.5.cubin");
    data[18] = 62;
    assert!(say(&data).contains("x86-64"), "{}", say(&data));
    data[18] = 190;
    for end in [4, 20, 63, 64, 1000, 7000, 9000] {
        let e = say(&data[..end]);
        assert!(
            e.contains("cut off") || e.contains("no sections"),
            "{end}: {e}"
        );
    }
}

#[test]
fn fat_binaries() {
    let cubin = sample("nvcc_lineinfo_sm90_13.5.cubin");
    for (name, compressed) in [
        ("fatbinary_uncompressed_sm90_13.5.fatbin", false),
        ("fatbinary_compress_all_sm90_13.5.fatbin", true),
    ] {
        let data = sample(name);
        let Image::Fatbin(fatbin) = Image::parse(&data).unwrap() else {
            panic!("{name}")
        };
        let kinds: Vec<EntryKind> = fatbin.entries().map(|e| e.unwrap().kind).collect();
        assert_eq!(kinds, [EntryKind::Cubin, EntryKind::Ptx], "{name}");
        let entry = fatbin.find(EntryKind::Cubin, Some(90)).unwrap();
        assert_eq!(entry.is_compressed(), compressed);
        let data = entry.data().unwrap();
        // The same cubin but for the source's folder in `.debug_line`, whose name is as long.
        let same = |data: &[u8]| -> Vec<(String, Vec<u8>)> {
            let cubin = Cubin::parse(data).unwrap();
            let sections = cubin.sections().filter(|(name, _)| *name != ".debug_line");
            sections
                .map(|(name, data)| (name.to_string(), data.to_vec()))
                .collect()
        };
        assert_eq!(same(&data), same(&cubin), "{name}");
        let ptx = fatbin.find(EntryKind::Ptx, None).unwrap().data().unwrap();
        // fatbinary itself takes comments and blanks out.
        let words = |text: &str| -> Vec<String> {
            let lines = text
                .lines()
                .map(|l| l.split("//").next().unwrap_or_default().to_string());
            lines
                .filter(|l| !l.starts_with("\t.file") && !l.starts_with(".file"))
                .flat_map(|l| l.split_whitespace().map(str::to_string).collect::<Vec<_>>())
                .collect()
        };
        assert_eq!(
            words(&String::from_utf8_lossy(&ptx)),
            words(&text("nvcc_lineinfo_sm90_13.5.captured.ptx"))
        );
        let e = fatbin
            .find(EntryKind::TileIr, None)
            .unwrap_err()
            .to_string();
        assert!(
            e.contains("no Tile IR bytecode; it holds: cubin for sm_90, PTX for sm_90"),
            "{e}"
        );
    }
    let data = sample("fatbinary_tileir_kind128_13.5.fatbin");
    let entry = Fatbin::parse(&data)
        .unwrap()
        .find(EntryKind::TileIr, Some(100))
        .unwrap();
    let data = entry.data().unwrap();
    let bytecode = sample("vadd_13.4.tilebc");
    let padding = data.strip_prefix(&bytecode[..]).unwrap();
    assert_eq!(padding, [0; 5]);
    assert_eq!(
        (entry.version, entry.options),
        ((13, 4), &b"-O3 --lineinfo"[..])
    );
}
