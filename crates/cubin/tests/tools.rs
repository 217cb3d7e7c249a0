//! With ptxas and nvdisasm: a missing tool is a failure here.

use cubin::*;
use std::path::PathBuf;

fn sample(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR"));
    std::fs::read(path.join("tests/samples").join(name)).unwrap()
}

fn tool(tool: Tool) -> FoundTool {
    find(tool, None).unwrap_or_else(|e| panic!("{e}"))
}

/// Name and code of every section of code.
fn code(cubin: &Cubin<'_>) -> Vec<(String, Vec<u8>)> {
    let mut out: Vec<_> = cubin
        .sections()
        .filter(|(name, _)| name.starts_with(".text."))
        .map(|(name, data)| (name.to_string(), data.to_vec()))
        .collect();
    out.sort();
    out
}

/// The restored PTX, assembled by the ptxas that made the cubin, gives the same code.
#[test]
fn reassembly() {
    let ptxas = tool(Tool::Ptxas);
    let mut compared = 0;
    for name in [
        "nvcc_lineinfo_sm90_13.5.cubin",
        "ptxas_custom_intermediate_ir_sm90_13.5.cubin",
        "ptxas_inlined_sm90_13.5.cubin",
        "tile_vadd_sm100_tk13.5_lineinfo.cubin",
    ] {
        let data = sample(name);
        let cubin = Cubin::parse(&data).unwrap();
        let ptx = extract_ptx(&cubin).unwrap()[0];
        let flags = match ptx.reassembly(&cubin).unwrap() {
            Reassembly::IdenticalWithFlags(flags) => flags,
            Reassembly::Identical => &[][..],
            other => panic!("{name}: {other:?}"),
        };
        let info = cubin.tool().unwrap().unwrap();
        let text = ptx.assemblable().to_string();
        let again = assemble(&ptxas, &text, info.arch().unwrap(), flags);
        let again = again
            .unwrap_or_else(|e| panic!("{name}: {e}\n{text}"))
            .cubin;
        let again = Cubin::parse(&again).unwrap();
        if again.tool().unwrap().unwrap().version != info.version {
            continue;
        }
        compared += 1;
        assert_eq!(code(&again), code(&cubin), "{name}");
    }
    assert_eq!(
        compared, 4,
        "the samples are of ptxas 13.5.37, and this is another"
    );
}

#[test]
fn our_own_ptx_comes_back_line_by_line() {
    let text = String::from_utf8(sample("ptxas_inlined.ptx")).unwrap();
    let made = assemble(&tool(Tool::Ptxas), &text, "sm_90", &[]).unwrap();
    assert_eq!(made.usage.len(), 1);
    assert_eq!(
        (
            made.usage[0].function.as_str(),
            made.usage[0].shared,
            made.usage[0].barriers
        ),
        ("k", 512, 1)
    );
    let cubin = Cubin::parse(&made.cubin).unwrap();
    let kernel = cubin.kernels().next().unwrap();
    let said = cubin.resources(&kernel).unwrap();
    assert_eq!(said.registers, Some(made.usage[0].registers));
    assert_eq!(said.shared, 512);
    let ptx = extract_ptx(&cubin).unwrap()[0];
    for (line, was) in ptx.lines().zip(text.lines()) {
        assert!(
            line.text.is_empty() || line.text == was.trim_start(),
            "{was}"
        );
    }
}

#[test]
fn sass_has_encodings_and_lines() {
    let data = sample("ptxas_inlined_sm90_13.5.cubin");
    let cubin = Cubin::parse(&data).unwrap();
    let functions = disassemble(&tool(Tool::Nvdisasm), &cubin).unwrap();
    let [k] = &functions[..] else {
        panic!("one kernel")
    };
    assert!(k.entry && k.name == "k");
    let first = &k.instructions[0];
    assert_eq!(first.text(), "LDC R1, c[0x0][0x28]");
    assert_eq!(first.encoding, 0x000f_f000_0000_0800_0000_0a00_ff01_7b82);
    let load = k
        .instructions
        .iter()
        .find(|i| i.opcode == "LDG.E.64")
        .unwrap();
    assert_eq!(load.address, 0x30);
    assert_eq!(load.access.unwrap().to_string(), "load global 8 B");
    let source = load.source.as_ref().unwrap();
    assert_eq!((source.line, source.inlined[0].line), (20, 11));
    assert_eq!(load.ptx.as_ref().unwrap().line, 14);
    assert_eq!(k.instructions.iter().filter(|i| i.barrier).count(), 1);
    assert!(k.instructions.iter().all(|i| !i.spill));
}

/// Two kernels in one file: the rows that inlining names are counted within each.
#[test]
fn inlining_in_a_second_kernel() {
    let one = String::from_utf8(sample("ptxas_inlined.ptx")).unwrap();
    let entry = one.find(".visible .entry").unwrap();
    let end = one.find("}\n.file").unwrap() + 2;
    let second = one[entry..end]
        .replace("k(.param", "k2(.param")
        .replace("sm[", "sm2[")
        .replace("[sm]", "[sm2]");
    let text = format!("{}{second}{}", &one[..end], &one[end..]);
    let made = assemble(&tool(Tool::Ptxas), &text, "sm_90", &[]).unwrap();
    let cubin = Cubin::parse(&made.cubin).unwrap();
    let functions = disassemble(&tool(Tool::Nvdisasm), &cubin).unwrap();
    assert_eq!(functions.len(), 2);
    for f in &functions {
        let load = f
            .instructions
            .iter()
            .find(|i| i.opcode == "LDG.E.64")
            .unwrap();
        let source = load.source.as_ref().unwrap();
        assert_eq!(
            (source.line, source.inlined.len(), source.inlined[0].line),
            (20, 1, 11),
            "{}",
            f.name
        );
        let text = std::str::from_utf8(&made.cubin);
        assert!(text.is_err() || !text.unwrap().is_empty());
    }
}

#[test]
fn spills_are_marked() {
    let mut body = String::new();
    for i in 0..80 {
        body += &format!("\tld.global.u32 %r{i}, [%rd1+{}];\n", 4 * i);
    }
    body += "\tbar.sync 0;\n";
    for i in (0..80).rev() {
        body += &format!("\tst.global.u32 [%rd1+{}], %r{i};\n", 4 * (79 - i));
    }
    let ptx = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p)\n{{\n\t.reg .b32 %r<80>;\n\t.reg .b64 %rd<2>;\n\tld.param.u64 %rd1, [p];\n{body}\tret;\n}}\n"
    );
    let made = assemble(&tool(Tool::Ptxas), &ptx, "sm_90", &["--maxrregcount", "32"]).unwrap();
    let usage = &made.usage[0];
    assert!(usage.spill_stores > 0, "{usage:?}");
    let cubin = Cubin::parse(&made.cubin).unwrap();
    let k = &disassemble(&tool(Tool::Nvdisasm), &cubin).unwrap()[0];
    let bytes = |kind| -> u32 {
        let spills = k.instructions.iter().filter(|i| i.spill);
        spills
            .filter_map(|i| i.access)
            .filter(|a| a.kind == kind)
            .filter_map(|a| a.bytes)
            .sum()
    };
    assert_eq!(
        (bytes(AccessKind::Store), bytes(AccessKind::Load)),
        (usage.spill_stores, usage.spill_loads)
    );
}

#[test]
fn what_ptxas_refuses_is_told() {
    let e = assemble(
        &tool(Tool::Ptxas),
        ".version 8.0\n.target sm_90\nnonsense;\n",
        "sm_90",
        &[],
    )
    .unwrap_err();
    assert!(e.to_string().contains("kernels.ptx, line 3"), "{e}");
}
