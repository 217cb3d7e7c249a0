//! The remainder of floats. LLVM's NVPTX target expands `frem` to `x - trunc(x / y) * y`, which rounds; Rust's `%` is exact
//! (as C's `fmod`). So `frem` becomes a call of a function that computes with the bits.

use std::fmt::Write;

/// For `float` and `double`.
pub(crate) const FUNCTIONS: [&str; 2] = ["__oxide_fmodf", "__oxide_fmod"];

/// The module's text with its `frem` instructions replaced; `None` when there are none (or it is bitcode).
pub(crate) fn exact(module: &[u8]) -> Option<String> {
    let text = std::str::from_utf8(module)
        .ok()
        .filter(|text| text.contains(" = frem "))?;
    let mut out = String::with_capacity(text.len() + 256);
    let mut used = [false; 2];
    for line in text.lines() {
        match replaced(line) {
            Some((line, index)) => {
                used[index] = true;
                out.push_str(&line);
            }
            None => out.push_str(line),
        }
        out.push('\n');
    }
    for ((used, name), ty) in used.into_iter().zip(FUNCTIONS).zip(["float", "double"]) {
        if used {
            let _ = writeln!(out, "declare {ty} @{name}({ty}, {ty})");
        }
    }
    Some(out)
}

/// `%r = frem float %a, %b, !dbg !1` as a call, and which function it calls.
fn replaced(line: &str) -> Option<(String, usize)> {
    let (result, rest) = line.split_once(" = frem ")?;
    // Flags come before the type.
    let (index, ty) = if rest.contains("double ") {
        (1, "double")
    } else {
        (0, "float")
    };
    let operands = rest
        .split_once(&format!("{ty} "))
        .filter(|(flags, _)| !flags.contains('<'))?
        .1;
    let mut parts = operands.splitn(3, ", ");
    let (a, b, end) = (parts.next()?, parts.next()?, parts.next());
    let end = end.map(|end| format!(", {end}")).unwrap_or_default();
    Some((
        format!(
            "{result} = call {ty} @{}({ty} {a}, {ty} {b}){end}",
            FUNCTIONS[index]
        ),
        index,
    ))
}

/// Both functions.
pub(crate) fn definitions() -> String {
    definition(FUNCTIONS[0], "float", 32, 23) + &definition(FUNCTIONS[1], "double", 64, 52)
}

/// With `x = mx · 2^ex` and `y = my · 2^ey` (integers `mx`, `my`), `x mod y = (mx · 2^(ex - ey) mod my) · 2^ey`; the power is
/// multiplied in as many bits at a time as are free above the significand.
fn definition(name: &str, ty: &str, width: u32, fraction: u32) -> String {
    let int = format!("i{width}");
    let sign = i64::MIN >> (64 - width);
    let magnitude = (1u128 << (width - 1)) - 1;
    let infinity = magnitude >> fraction << fraction;
    let hidden = 1u64 << fraction;
    let mask = hidden - 1;
    let step = width - 1 - fraction;
    format!(
        "declare {int} @llvm.ctlz.{int}({int}, i1)
declare {int} @llvm.umin.{int}({int}, {int})
declare {int} @llvm.umax.{int}({int}, {int})
define {ty} @{name}({ty} %x, {ty} %y) nounwind {{
start:
  %bx = bitcast {ty} %x to {int}
  %by = bitcast {ty} %y to {int}
  %ax = and {int} %bx, {magnitude}
  %ay = and {int} %by, {magnitude}
  %sign = and {int} %bx, {sign}
  %zero = icmp eq {int} %ay, 0
  %endless = icmp uge {int} %ax, {infinity}
  %nan = icmp ugt {int} %ay, {infinity}
  %wrong.1 = or i1 %zero, %endless
  %wrong = or i1 %wrong.1, %nan
  br i1 %wrong, label %invalid, label %valid
invalid:
  %product = fmul {ty} %x, %y
  %not.a.number = fdiv {ty} %product, %product
  ret {ty} %not.a.number
valid:
  %small = icmp ult {int} %ax, %ay
  br i1 %small, label %same, label %prepare
same:
  ret {ty} %x
prepare:
  %ex.raw = lshr {int} %ax, {fraction}
  %ey.raw = lshr {int} %ay, {fraction}
  %fx = and {int} %ax, {mask}
  %fy = and {int} %ay, {mask}
  %ex = call {int} @llvm.umax.{int}({int} %ex.raw, {int} 1)
  %ey = call {int} @llvm.umax.{int}({int} %ey.raw, {int} 1)
  %nx = icmp ne {int} %ex.raw, 0
  %ny = icmp ne {int} %ey.raw, 0
  %hx = select i1 %nx, {int} {hidden}, {int} 0
  %hy = select i1 %ny, {int} {hidden}, {int} 0
  %mx = or {int} %fx, %hx
  %my = or {int} %fy, %hy
  %r0 = urem {int} %mx, %my
  %d0 = sub {int} %ex, %ey
  br label %head
head:
  %r = phi {int} [ %r0, %prepare ], [ %r.next, %body ]
  %d = phi {int} [ %d0, %prepare ], [ %d.next, %body ]
  %done = icmp eq {int} %d, 0
  br i1 %done, label %finish, label %body
body:
  %by.bits = call {int} @llvm.umin.{int}({int} %d, {int} {step})
  %shifted = shl {int} %r, %by.bits
  %r.next = urem {int} %shifted, %my
  %d.next = sub {int} %d, %by.bits
  br label %head
finish:
  %none = icmp eq {int} %r, 0
  br i1 %none, label %nothing, label %compose
nothing:
  %signed.zero = bitcast {int} %sign to {ty}
  ret {ty} %signed.zero
compose:
  %leading = call {int} @llvm.ctlz.{int}({int} %r, i1 true)
  %up = sub {int} %leading, {step}
  %room = sub {int} %ey, 1
  %shift = call {int} @llvm.umin.{int}({int} %up, {int} %room)
  %significand = shl {int} %r, %shift
  %exponent = sub {int} %room, %shift
  %exponent.bits = shl {int} %exponent, {fraction}
  %sum = add {int} %significand, %exponent.bits
  %bits = or {int} %sum, %sign
  %result = bitcast {int} %bits to {ty}
  ret {ty} %result
}}
"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn instructions_become_calls() {
        let text = b"define float @f(float %a) {\n  %r = frem nnan float %a, 2.0, !dbg !3\n  ret float %r\n}\n";
        let out = exact(text).unwrap();
        assert!(
            out.contains("  %r = call float @__oxide_fmodf(float %a, float 2.0), !dbg !3\n"),
            "{out}"
        );
        assert!(out.ends_with("declare float @__oxide_fmodf(float, float)\n"));
        assert_eq!(exact(b"define void @f() {\n  ret void\n}\n"), None);
    }
}
