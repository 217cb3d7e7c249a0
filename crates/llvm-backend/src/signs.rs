//! The sign of a NaN. PTX says of `neg` and `abs` that a NaN gives "an unspecified NaN" (PTX ISA, "Floating Point
//! Instructions"; a GPU gives `0x7fffffff`), while Rust's `-x`, `abs` and `copysign` change the sign bit and nothing else. So
//! after the last optimisation, which would undo it, they become operations on the bits. Where every use is arithmetic,
//! which leaves the bits of a NaN open in Rust too, the instruction stays: ptxas makes it a modifier of that use.

use std::collections::HashSet;

use crate::ffi;
use crate::module::Module;

/// `LLVMOpcode` and `LLVMTypeKind` (`llvm-c/Core.h`).
const CALL: u32 = 45;
const FNEG: u32 = 66;
/// `FAdd FSub FMul FDiv FRem FPToUI FPToSI FPTrunc FPExt FCmp`.
const ARITHMETIC: [u32; 10] = [9, 11, 13, 16, 19, 33, 34, 37, 38, 43];
const HALF: u32 = 1;
const FLOAT: u32 = 2;
const DOUBLE: u32 = 3;
const VECTOR: u32 = 13;

/// Intrinsics (`llvm.<name>.<type>`) that leave the bits of a NaN open.
const OPEN: &[&str] = &[
    "fma",
    "fmuladd",
    "sqrt",
    "floor",
    "ceil",
    "trunc",
    "rint",
    "nearbyint",
    "round",
    "roundeven",
    "minnum",
    "maxnum",
    "minimum",
    "maximum",
    "minimumnum",
    "maximumnum",
    "fptosi.sat",
    "fptoui.sat",
];

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Sign {
    Negate,
    Absolute,
    Copy,
}

/// Replaces what PTX would not do to the bit.
pub(crate) fn to_the_bit(module: &Module<'_>) {
    for function in module.functions() {
        let found: Vec<(ffi::Value, Sign)> = module
            .instructions(function)
            .into_iter()
            .filter_map(|i| Some((i, sign_of(module, i)?)))
            .collect();
        // An operation is open when all its uses are: also those through another one that is.
        let mut open: HashSet<ffi::Value> = HashSet::new();
        for (instruction, sign) in found.iter().rev() {
            if *sign != Sign::Copy
                && users(module, *instruction)
                    .iter()
                    .all(|u| open.contains(u) || is_open(module, *u))
            {
                open.insert(*instruction);
            }
        }
        for (instruction, sign) in found {
            if !open.contains(&instruction) {
                replace(module, instruction, sign);
            }
        }
    }
}

fn intrinsic(module: &Module<'_>, instruction: ffi::Value) -> Option<String> {
    let api = module.context().api;
    // SAFETY: a live instruction; the callee of a call is a live value.
    unsafe {
        (api.LLVMGetInstructionOpcode(instruction) == CALL)
            .then(|| module.name(api.LLVMGetCalledValue(instruction)))
            .and_then(|name| name.strip_prefix("llvm.").map(str::to_owned))
    }
}

fn sign_of(module: &Module<'_>, instruction: ffi::Value) -> Option<Sign> {
    // SAFETY: a live instruction.
    if unsafe { module.context().api.LLVMGetInstructionOpcode(instruction) } == FNEG {
        return Some(Sign::Negate);
    }
    let name = intrinsic(module, instruction)?;
    if name.starts_with("fabs.") {
        Some(Sign::Absolute)
    } else if name.starts_with("copysign.") {
        Some(Sign::Copy)
    } else {
        None
    }
}

fn users(module: &Module<'_>, value: ffi::Value) -> Vec<ffi::Value> {
    let api = module.context().api;
    let mut all = Vec::new();
    // SAFETY: a walk over the uses of a live value.
    unsafe {
        let mut at = api.LLVMGetFirstUse(value);
        while !at.is_null() {
            all.push(api.LLVMGetUser(at));
            at = api.LLVMGetNextUse(at);
        }
    }
    all
}

fn is_open(module: &Module<'_>, user: ffi::Value) -> bool {
    // SAFETY: the user of an instruction's value is an instruction.
    let opcode = unsafe { module.context().api.LLVMGetInstructionOpcode(user) };
    ARITHMETIC.contains(&opcode)
        || intrinsic(module, user).is_some_and(|name| {
            OPEN.iter().any(|o| {
                name.strip_prefix(o)
                    .is_some_and(|rest| rest.starts_with('.'))
            })
        })
}

fn replace(module: &Module<'_>, instruction: ffi::Value, sign: Sign) {
    let context = module.context();
    let api = context.api;
    let none = c"".as_ptr();
    // SAFETY: live values and types of one context; the builder is freed here, and stands before the instruction, whose
    // debug location it takes over; the instruction has no use left when it goes.
    unsafe {
        let ty = api.LLVMTypeOf(instruction);
        let kind = api.LLVMGetTypeKind(ty);
        let element = if kind == VECTOR {
            api.LLVMGetElementType(ty)
        } else {
            ty
        };
        let width = match api.LLVMGetTypeKind(element) {
            HALF => 16,
            FLOAT => 32,
            DOUBLE => 64,
            // Nothing that rustc makes for a kernel.
            _ => return,
        };
        let int = api.LLVMIntTypeInContext(context.raw(), width);
        let lanes = if kind == VECTOR {
            api.LLVMGetVectorSize(ty)
        } else {
            1
        };
        let bits = if kind == VECTOR {
            api.LLVMVectorType(int, lanes)
        } else {
            int
        };
        let constant = |value: u64| {
            let one = api.LLVMConstInt(int, value, 0);
            if kind == VECTOR {
                api.LLVMConstVector(vec![one; lanes as usize].as_mut_ptr(), lanes)
            } else {
                one
            }
        };
        let (top, rest) = (1 << (width - 1), (1 << (width - 1)) - 1);
        let builder = api.LLVMCreateBuilderInContext(context.raw());
        api.LLVMPositionBuilderBefore(builder, instruction);
        let operand =
            |n| api.LLVMBuildBitCast(builder, api.LLVMGetOperand(instruction, n), bits, none);
        let changed = match sign {
            Sign::Negate => api.LLVMBuildXor(builder, operand(0), constant(top), none),
            Sign::Absolute => api.LLVMBuildAnd(builder, operand(0), constant(rest), none),
            Sign::Copy => {
                let magnitude = api.LLVMBuildAnd(builder, operand(0), constant(rest), none);
                let sign = api.LLVMBuildAnd(builder, operand(1), constant(top), none);
                api.LLVMBuildOr(builder, magnitude, sign, none)
            }
        };
        let back = api.LLVMBuildBitCast(builder, changed, ty, none);
        api.LLVMDisposeBuilder(builder);
        api.LLVMReplaceAllUsesWith(instruction, back);
        api.LLVMInstructionEraseFromParent(instruction);
    }
}

/// The same in a text, for LLVM's programs: every operation of one number, without a look at its uses.
pub(crate) fn to_the_bit_in_text(module: &str) -> String {
    let mut out = String::with_capacity(module.len());
    for (at, line) in module.lines().enumerate() {
        match written_out(line, at) {
            Some(lines) => out.push_str(&lines),
            None => out.push_str(line),
        }
        out.push('\n');
    }
    out
}

/// `%r = fneg float %x, !dbg !1`, and calls of `llvm.fabs` and `llvm.copysign`, as operations on the bits.
fn written_out(line: &str, at: usize) -> Option<String> {
    let (result, rest) = line.trim_start().split_once(" = ")?;
    let sign = if rest.starts_with("fneg ") {
        Sign::Negate
    } else if rest.contains("call ") && rest.contains(" @llvm.fabs.") {
        Sign::Absolute
    } else if rest.contains("call ") && rest.contains(" @llvm.copysign.") {
        Sign::Copy
    } else {
        return None;
    };
    // What is operated on: behind flags, or between parentheses; `!dbg` and a group may follow.
    let (operands, end) = match sign {
        Sign::Negate => match rest.split_once(", !") {
            Some((operands, end)) => (operands, format!(", !{end}")),
            None => (rest, String::new()),
        },
        _ => {
            let (_, arguments) = rest.split_once('(')?;
            let (operands, end) = arguments.rsplit_once(')')?;
            let debug = end.split_once(", !").map(|(_, end)| format!(", !{end}"));
            (operands, debug.unwrap_or_default())
        }
    };
    let ty = ["half", "float", "double"]
        .into_iter()
        .find(|ty| operands.split([' ', ',']).any(|w| w == *ty))?;
    if operands.contains('<') {
        return None;
    }
    let bits = match ty {
        "half" => 16,
        "float" => 32,
        _ => 64,
    };
    let (int, top, rest) = (
        format!("i{bits}"),
        i64::MIN >> (64 - bits),
        (1u64 << (bits - 1)) - 1,
    );
    let mut lines = String::new();
    for (n, operand) in operands.split(", ").enumerate() {
        let value = operand.rsplit(' ').next()?;
        lines += &format!("  %sign.{at}.{n} = bitcast {ty} {value} to {int}{end}\n");
    }
    lines += &match sign {
        Sign::Negate => format!("  %sign.{at} = xor {int} %sign.{at}.0, {top}{end}\n"),
        Sign::Absolute => format!("  %sign.{at} = and {int} %sign.{at}.0, {rest}{end}\n"),
        Sign::Copy => format!(
            "  %sign.{at}.a = and {int} %sign.{at}.0, {rest}{end}\n  %sign.{at}.b = and {int} %sign.{at}.1, {top}{end}\n  %sign.{at} = or {int} %sign.{at}.a, %sign.{at}.b{end}\n"
        ),
    };
    lines += &format!("  {result} = bitcast {int} %sign.{at} to {ty}{end}");
    Some(lines)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn in_a_text() {
        let text = "define float @f(float %a, double %b) {
  %1 = fneg nnan float %a, !dbg !3
  %2 = tail call double @llvm.fabs.f64(double %b) #2, !dbg !4
  %3 = tail call float @llvm.copysign.f32(float %1, float -1.000000e+00)
  %4 = fneg <2 x float> %v
  ret float %3
}
declare double @llvm.fabs.f64(double)
";
        let expected = "define float @f(float %a, double %b) {
  %sign.1.0 = bitcast float %a to i32, !dbg !3
  %sign.1 = xor i32 %sign.1.0, -2147483648, !dbg !3
  %1 = bitcast i32 %sign.1 to float, !dbg !3
  %sign.2.0 = bitcast double %b to i64, !dbg !4
  %sign.2 = and i64 %sign.2.0, 9223372036854775807, !dbg !4
  %2 = bitcast i64 %sign.2 to double, !dbg !4
  %sign.3.0 = bitcast float %1 to i32
  %sign.3.1 = bitcast float -1.000000e+00 to i32
  %sign.3.a = and i32 %sign.3.0, 2147483647
  %sign.3.b = and i32 %sign.3.1, -2147483648
  %sign.3 = or i32 %sign.3.a, %sign.3.b
  %3 = bitcast i32 %sign.3 to float
  %4 = fneg <2 x float> %v
  ret float %3
}
declare double @llvm.fabs.f64(double)
";
        assert_eq!(to_the_bit_in_text(text), expected);
    }
}
