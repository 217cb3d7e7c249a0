//! `docs/nvvm-table.md`, from the table.

use crate::table::{Effects, Module, Spec, specs};
use std::fmt::Write;

/// The document's text.
pub fn markdown() -> String {
    let mut text = String::from(
        "# dialect-nvvm: every operation\n\
         Made from the table in `crates/dialect-nvvm`; a test keeps it true (`UPDATE_EXPECT=1` rewrites it).\n\n\
         An operation `nvvm.x` is called from a kernel as `__nvvm_x` (crate `cuda-device` wraps it). Operations marked\n\
         * are ours, beyond the dialect document's. `all` is every GPU.\n\n\
         | module | of the document | there | ours |\n| --- | --- | --- | --- |\n",
    );
    for (module, count) in Module::DOCUMENT {
        let there = specs()
            .filter(|spec| spec.module == module && spec.document)
            .count();
        let ours = specs()
            .filter(|spec| spec.module == module && !spec.document)
            .count();
        line(
            &mut text,
            format_args!("| {} | {count} | {there} | {ours} |", module.name()),
        );
    }
    let mut last = None;
    for spec in specs() {
        if last != Some(spec.module) {
            last = Some(spec.module);
            line(
                &mut text,
                format_args!(
                    "\n## {}\n| operation | prototype | least SM | LLVM | PTX | |\n| --- | --- | --- | --- | --- | --- |",
                    spec.module.name()
                ),
            );
        }
        line(&mut text, format_args!("{}", row(spec)));
    }
    text.push_str(
        "\n## The atomic families\n\
         `atomic_{load,store,cmpxchg,rmw_<op>}_<type>_<scope>_<ordering>`: the four operations carry the rest of the name as an\n\
         attribute. `<op>` is add, sub, and, or, xor, nand, min, max, xchg, inc, dec; `<scope>` block, device, system; `<ordering>`\n\
         relaxed, acquire, release, acqrel, seqcst. LLVM drops semantics and scope of an `atomicrmw` that NVPTX has an\n\
         instruction for, so these are inline PTX (`atom.acq_rel.gpu.add.u32`); everything else keeps both in LLVM IR.\n",
    );
    text
}

fn row(spec: &Spec) -> String {
    let star = if spec.document { "" } else { " *" };
    let prototype = if spec.module == Module::Atomic {
        "by its attribute".to_string()
    } else {
        format!("`{}`", spec.prototype())
    };
    let intrinsics = spec.intrinsics();
    let llvm = if spec.module == Module::Atomic {
        "by its attribute".to_string()
    } else if let [one] = intrinsics.as_slice() {
        format!("`{one}`")
    } else if intrinsics.is_empty() && spec.body.contains("asm ") {
        "inline PTX".to_string()
    } else if intrinsics.is_empty() {
        spec.body
            .strip_prefix('@')
            .map_or("a global".to_string(), |name| format!("`{name}`"))
    } else {
        format!("`{}`, …", intrinsics[0])
    };
    let notes = match (spec.convergent, spec.effects) {
        (true, _) => "convergent",
        (false, Effects::Pure) => "pure",
        (false, Effects::Volatile) => "volatile",
        (false, Effects::Memory) => "",
    };
    format!(
        "| `{}`{star} | {prototype} | {} | {llvm} | `{}` | {notes} |",
        spec.op(),
        spec.minimum_sm,
        spec.ptx
    )
}

fn line(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    writeln!(text, "{arguments}").expect("a string takes everything");
}
