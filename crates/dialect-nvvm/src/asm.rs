//! Inline PTX: device functions that say in their own names what they do.
//!
//! `ptx_asm!` declares `__nvvm_asm_<flags>_<operands>_<template>`. Flags: `v`, it must stay where it is and as often as it is; `p`, it is a function of its inputs;
//! then `c`, convergent. Operands: for each an `i` (input), `o` (output) or `b` (both) and its class, as PTX's constraints have them: `h` 16 bits,
//! `r` 32, `l` 64, `f` `f32`, `d` `f64`. The template is the hexadecimal of LLVM's syntax, where `$0`, `$1`, … are the operands in that order.
//! An input is an argument by value; an output, or both, is one by address. So each call has a definition of its own, made here from the name.

use std::fmt::Write;

const PREFIX: &str = "__nvvm_asm_";

/// Whether a device function is inline PTX.
pub fn is(name: &str) -> bool {
    name.starts_with(PREFIX)
}

/// One operand: direction and class.
#[derive(Clone, Copy)]
struct Operand {
    direction: char,
    class: char,
}

impl Operand {
    fn parse(text: &str) -> Option<Operand> {
        let mut chars = text.chars();
        let operand = Operand {
            direction: chars.next().filter(|c| "iob".contains(*c))?,
            class: chars.next().filter(|c| "hrlfd".contains(*c))?,
        };
        chars.next().is_none().then_some(operand)
    }

    fn ty(self) -> &'static str {
        match self.class {
            'h' => "i16",
            'l' => "i64",
            'f' => "float",
            'd' => "double",
            _ => "i32",
        }
    }

    fn align(self) -> u32 {
        match self.class {
            'h' => 2,
            'l' | 'd' => 8,
            _ => 4,
        }
    }

    fn writes(self) -> bool {
        self.direction != 'i'
    }
}

/// The definition of a device function that is inline PTX; `None` if the name is not well formed.
pub fn definition(name: &str) -> Option<String> {
    let rest = name.strip_prefix(PREFIX)?;
    let mut parts: Vec<&str> = rest.split('_').collect();
    let template = from_hex(parts.pop()?)?;
    let flags = parts.first().copied()?;
    let (volatile, convergent) = match flags {
        "v" => (true, false),
        "vc" => (true, true),
        "p" => (false, false),
        "pc" => (false, true),
        _ => return None,
    };
    let operands = parts[1..]
        .iter()
        .map(|text| Operand::parse(text))
        .collect::<Option<Vec<_>>>()?;
    // LLVM wants outputs first.
    let outputs: Vec<usize> = (0..operands.len())
        .filter(|i| operands[*i].writes())
        .collect();
    let inputs: Vec<usize> = (0..operands.len())
        .filter(|i| !operands[*i].writes())
        .collect();
    let place = |index: usize| {
        let all = outputs.iter().chain(&inputs);
        all.into_iter().position(|i| *i == index)
    };
    let template = renumber(&template, operands.len(), &place)?;

    let parameters: Vec<_> = operands
        .iter()
        .enumerate()
        .map(|(index, operand)| {
            let ty = if operand.writes() {
                "ptr"
            } else {
                operand.ty()
            };
            format!("{ty} %a{index}")
        })
        .collect();
    let group = if convergent { " convergent" } else { "" };
    let mut text = format!(
        "define linkonce_odr hidden void @{name}({}) alwaysinline nounwind{group} {{\nentry:\n",
        parameters.join(", ")
    );
    let mut constraints: Vec<String> = outputs
        .iter()
        .map(|i| format!("={}", operands[*i].class))
        .collect();
    let mut arguments = Vec::new();
    for index in &inputs {
        constraints.push(operands[*index].class.to_string());
        arguments.push(format!("{} %a{index}", operands[*index].ty()));
    }
    for (at, index) in outputs.iter().enumerate() {
        let operand = operands[*index];
        if operand.direction == 'b' {
            write(
                &mut text,
                format_args!(
                    "  %b{index} = load {}, ptr %a{index}, align {}\n",
                    operand.ty(),
                    operand.align()
                ),
            );
            constraints.push(at.to_string());
            arguments.push(format!("{} %b{index}", operand.ty()));
        }
    }
    if volatile {
        constraints.push("~{memory}".to_string());
    }
    let result = match outputs.as_slice() {
        [] => "void".to_string(),
        [one] => operands[*one].ty().to_string(),
        many => {
            let types: Vec<_> = many.iter().map(|i| operands[*i].ty()).collect();
            format!("{{{}}}", types.join(", "))
        }
    };
    write(
        &mut text,
        format_args!(
            "  {}call {result} asm {}\"{template}\", \"{}\"({}){group}\n",
            if outputs.is_empty() { "" } else { "%r = " },
            if volatile { "sideeffect " } else { "" },
            constraints.join(","),
            arguments.join(", ")
        ),
    );
    for (at, index) in outputs.iter().enumerate() {
        let operand = operands[*index];
        let mut value = "%r".to_string();
        if outputs.len() > 1 {
            value = format!("%r{at}");
            write(
                &mut text,
                format_args!("  {value} = extractvalue {result} %r, {at}\n"),
            );
        }
        write(
            &mut text,
            format_args!(
                "  store {} {value}, ptr %a{index}, align {}\n",
                operand.ty(),
                operand.align()
            ),
        );
    }
    text.push_str("  ret void\n}\n");
    Some(text)
}

fn write(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("a string takes everything");
}

fn from_hex(text: &str) -> Option<String> {
    if !text.len().is_multiple_of(2) || !text.is_ascii() {
        return None;
    }
    let bytes: Option<Vec<u8>> = (0..text.len() / 2)
        .map(|i| u8::from_str_radix(&text[2 * i..2 * i + 2], 16).ok())
        .collect();
    String::from_utf8(bytes?).ok()
}

/// `$n` by the operand's place among outputs and inputs, and what LLVM's strings need escaped. `$$` is a dollar.
fn renumber(
    template: &str,
    count: usize,
    place: &dyn Fn(usize) -> Option<usize>,
) -> Option<String> {
    let mut out = String::new();
    let mut rest = template;
    while let Some(c) = rest.chars().next() {
        rest = &rest[c.len_utf8()..];
        match c {
            '$' if rest.starts_with('$') => {
                out.push_str("$$");
                rest = &rest[1..];
            }
            '$' => {
                let end = rest
                    .find(|c: char| !c.is_ascii_digit())
                    .unwrap_or(rest.len());
                let index: usize = rest[..end].parse().ok().filter(|i| *i < count)?;
                write(&mut out, format_args!("${}", place(index)?));
                rest = &rest[end..];
            }
            ' '..='~' if c != '"' && c != '\\' => out.push(c),
            _ => {
                let mut bytes = [0; 4];
                for byte in c.encode_utf8(&mut bytes).bytes() {
                    write(&mut out, format_args!("\\{byte:02X}"));
                }
            }
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn name(flags: &str, operands: &str, template: &str) -> String {
        let hex: String = template.bytes().map(|b| format!("{b:02x}")).collect();
        format!("{PREFIX}{flags}_{operands}_{hex}")
    }

    #[test]
    fn operands_keep_their_numbers() {
        let text = definition(&name("v", "ir_or_bl", "x $1, $0, $2; \"$$\"\n")).expect("it is one");
        assert!(
            text.contains("asm sideeffect \"x $0, $2, $1; \\22$$\\22\\0A\", \"=r,=l,r,1,~{memory}\"(i32 %a0, i64 %b2)"),
            "{text}"
        );
        assert!(text.contains("store i32 %r0, ptr %a1, align 4"), "{text}");
        assert!(text.contains("store i64 %r1, ptr %a2, align 8"), "{text}");
    }

    #[test]
    fn what_is_not_well_formed_is_none() {
        for name in [
            name("q", "ir", "x"),
            name("v", "ix", "x"),
            name("v", "ir", "x $1"),
            "__nvvm_asm_v_7".into(),
            "__nvvm_asm_".into(),
            "__nvvm_barrier0".into(),
        ] {
            assert!(definition(&name).is_none(), "{name}");
        }
    }

    #[test]
    fn llvm_takes_it() {
        let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
        let name = name("p", "or_ir_ir", "add.u32 $0, $1, $2;");
        let ll = definition(&name).expect("it is one")
            + &format!(
                "define ptx_kernel void @k(ptr %out, i32 %a) {{\n  call void @{name}(ptr %out, i32 %a, i32 7)\n  ret void\n}}\n"
            );
        let ptx = llvm
            .compile(&[("k.ll", &ll)], &Default::default())
            .unwrap_or_else(|err| panic!("{err}"))
            .ptx;
        assert!(ptx.contains("add.u32 %r"), "{ptx}");
        assert!(!ptx.contains("__nvvm_asm"), "{ptx}");
    }
}
