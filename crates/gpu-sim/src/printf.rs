//! Functions that the device library has: `vprintf` and `__assertfail`.

use crate::access::{Place, locate};
use crate::error::{AccessKind, Fault};
use crate::inst::{Builtin, MemSpace};
use crate::launch::Env;

/// Longest string that is read from device memory.
const LONGEST: usize = 1 << 16;

fn bytes(
    env: &mut Env<'_>,
    place: &Place,
    lane: u32,
    address: u64,
    n: u64,
) -> Result<u64, (Fault, u32)> {
    let p = locate(
        env,
        place,
        MemSpace::Generic,
        address,
        n,
        AccessKind::Load,
        lane,
    )
    .map_err(|f| (f, lane))?;
    // SAFETY: `locate` has checked `n` bytes and their alignment.
    Ok(unsafe {
        match n {
            1 => u64::from(*p),
            4 => u64::from(*(p as *const u32)),
            _ => *(p as *const u64),
        }
    })
}

fn string(
    env: &mut Env<'_>,
    place: &Place,
    lane: u32,
    address: u64,
) -> Result<Vec<u8>, (Fault, u32)> {
    let mut s = Vec::new();
    while s.len() < LONGEST {
        match bytes(env, place, lane, address + s.len() as u64, 1)? {
            0 => break,
            c => s.push(c as u8),
        }
    }
    Ok(s)
}

/// Runs a function of the device library for one lane; `args` point to its arguments.
pub(crate) fn builtin(
    env: &mut Env<'_>,
    place: &Place,
    which: Builtin,
    args: &[*const u8],
    block: [u32; 3],
    thread: [u32; 3],
    lane: u32,
) -> Result<u32, (Fault, u32)> {
    // SAFETY: each argument is a parameter block of at least 16 bytes.
    let arg = |k: usize| unsafe { (args[k] as *const u64).read_unaligned() };
    match which {
        Builtin::Vprintf => {
            let format = string(env, place, lane, arg(0))?;
            let (text, count) = print(env, place, lane, &format, arg(1))?;
            env.launch.output.print(&text);
            Ok(count)
        }
        Builtin::AssertFail => {
            let text = |env: &mut Env<'_>, k| {
                string(env, place, lane, arg(k)).map(|s| String::from_utf8_lossy(&s).into_owned())
            };
            let (message, file, function) = (text(env, 0)?, text(env, 1)?, text(env, 3)?);
            let line = arg(2) as u32;
            let ([bx, by, bz], [tx, ty, tz]) = (block, thread);
            let message = format!(
                "{file}:{line}: {function}: block: [{bx},{by},{bz}], thread: [{tx},{ty},{tz}] Assertion `{message}` failed."
            );
            Err((Fault::Assert { message }, lane))
        }
    }
}

/// Formats as C does; arguments lie in memory at multiples of their size. Answers with the text and the number of
/// arguments.
fn print(
    env: &mut Env<'_>,
    place: &Place,
    lane: u32,
    format: &[u8],
    mut at: u64,
) -> Result<(Vec<u8>, u32), (Fault, u32)> {
    let mut out = Vec::new();
    let mut count = 0;
    let mut i = 0;
    let mut next = |env: &mut Env<'_>, size: u64| {
        at = at.next_multiple_of(size);
        let v = bytes(env, place, lane, at, size);
        at += size;
        v
    };
    while i < format.len() {
        let c = format[i];
        i += 1;
        if c != b'%' {
            out.push(c);
            continue;
        }
        let start = i - 1;
        let (mut left, mut zero, mut plus, mut space, mut alternate) =
            (false, false, false, false, false);
        while let Some(f) = format.get(i) {
            match f {
                b'-' => left = true,
                b'0' => zero = true,
                b'+' => plus = true,
                b' ' => space = true,
                b'#' => alternate = true,
                _ => break,
            }
            i += 1;
        }
        let mut number = |i: &mut usize, env: &mut Env<'_>| -> Result<Option<i64>, (Fault, u32)> {
            if format.get(*i) == Some(&b'*') {
                *i += 1;
                return Ok(Some(i64::from(next(env, 4)? as i32)));
            }
            let from = *i;
            while format.get(*i).is_some_and(u8::is_ascii_digit) {
                *i += 1;
            }
            Ok(std::str::from_utf8(&format[from..*i])
                .ok()
                .and_then(|s| s.parse().ok()))
        };
        let mut width = number(&mut i, env)?.unwrap_or(0);
        if width < 0 {
            (left, width) = (true, -width);
        }
        let mut precision = None;
        if format.get(i) == Some(&b'.') {
            i += 1;
            precision = Some(number(&mut i, env)?.unwrap_or(0).max(0) as usize);
        }
        let mut long = 0;
        while let Some(m) = format.get(i) {
            match m {
                b'l' => long += 1,
                b'h' => long -= 1,
                b'j' | b'z' | b't' | b'L' => long = 1,
                _ => break,
            }
            i += 1;
        }
        let Some(&conversion) = format.get(i) else {
            out.extend(&format[start..]);
            break;
        };
        i += 1;
        let precision = precision.map(|p| p.min(4096));
        let width = (width as usize).min(4096);
        let signed_prefix = |negative: bool| {
            if negative {
                "-"
            } else if plus {
                "+"
            } else if space {
                " "
            } else {
                ""
            }
        };
        let (prefix, body, numeric) = match conversion {
            b'%' => {
                out.push(b'%');
                continue;
            }
            b'd' | b'i' => {
                let raw = next(env, if long > 0 { 8 } else { 4 })?;
                let v = match long {
                    1.. => raw as i64,
                    0 => i64::from(raw as i32),
                    -1 => i64::from(raw as i16),
                    _ => i64::from(raw as i8),
                };
                (
                    signed_prefix(v < 0).to_string(),
                    digits(v.unsigned_abs().to_string(), precision),
                    precision.is_none(),
                )
            }
            b'u' | b'x' | b'X' | b'o' => {
                let raw = next(env, if long > 0 { 8 } else { 4 })?;
                let v = match long {
                    0.. => raw,
                    -1 => raw & 0xffff,
                    _ => raw & 0xff,
                };
                let (prefix, text) = match conversion {
                    b'u' => ("", v.to_string()),
                    b'x' => (
                        if alternate && v != 0 { "0x" } else { "" },
                        format!("{v:x}"),
                    ),
                    b'X' => (
                        if alternate && v != 0 { "0X" } else { "" },
                        format!("{v:X}"),
                    ),
                    _ => (if alternate { "0" } else { "" }, format!("{v:o}")),
                };
                (
                    prefix.to_string(),
                    digits(text, precision),
                    precision.is_none(),
                )
            }
            b'f' | b'F' | b'e' | b'E' | b'g' | b'G' | b'a' | b'A' => {
                let v = f64::from_bits(next(env, 8)?);
                let text = float(v.abs(), conversion, precision, alternate);
                (
                    signed_prefix(v.is_sign_negative() && !v.is_nan()).to_string(),
                    text,
                    v.is_finite(),
                )
            }
            b'c' => (
                String::new(),
                char::from(next(env, 4)? as u8).to_string(),
                false,
            ),
            b'p' => ("0x".to_string(), format!("{:x}", next(env, 8)?), true),
            b's' => {
                let address = next(env, 8)?;
                let s = if address == 0 {
                    b"(null)".to_vec()
                } else {
                    string(env, place, lane, address)?
                };
                let s = &s[..precision.unwrap_or(s.len()).min(s.len())];
                let pad = width.saturating_sub(s.len());
                let blank = std::iter::repeat_n(b' ', pad);
                if left {
                    out.extend(s);
                    out.extend(blank);
                } else {
                    out.extend(blank);
                    out.extend(s);
                }
                count += 1;
                continue;
            }
            _ => {
                // An unknown conversion is printed as it stands.
                out.extend(&format[start..i]);
                continue;
            }
        };
        count += 1;
        let pad = width.saturating_sub(prefix.len() + body.len());
        if left {
            out.extend(
                prefix
                    .bytes()
                    .chain(body.bytes())
                    .chain(std::iter::repeat_n(b' ', pad)),
            );
        } else if zero && numeric {
            out.extend(
                prefix
                    .bytes()
                    .chain(std::iter::repeat_n(b'0', pad))
                    .chain(body.bytes()),
            );
        } else {
            out.extend(
                std::iter::repeat_n(b' ', pad)
                    .chain(prefix.bytes())
                    .chain(body.bytes()),
            );
        }
    }
    Ok((out, count))
}

/// At least `precision` digits; no digit for a zero with precision 0.
fn digits(text: String, precision: Option<usize>) -> String {
    match precision {
        Some(0) if text == "0" => String::new(),
        Some(p) => format!("{text:0>p$}"),
        None => text,
    }
}

/// A non-negative float.
fn float(v: f64, conversion: u8, precision: Option<usize>, alternate: bool) -> String {
    let upper = conversion.is_ascii_uppercase();
    let text = if v.is_nan() {
        "nan".to_string()
    } else if v.is_infinite() {
        "inf".to_string()
    } else {
        match conversion.to_ascii_lowercase() {
            b'f' => format!("{v:.*}", precision.unwrap_or(6)),
            b'e' => exponent(v, precision.unwrap_or(6)),
            b'g' => {
                let p = precision.unwrap_or(6).max(1);
                let e = exponent(v, p - 1);
                let x: i32 = e
                    .rsplit_once('e')
                    .and_then(|(_, x)| x.parse().ok())
                    .unwrap_or(0);
                let (mantissa, tail) = if x < -4 || x >= p as i32 {
                    let (m, t) = e.rsplit_once('e').unwrap_or((&e, "+00"));
                    (m.to_string(), format!("e{t}"))
                } else {
                    (
                        format!("{v:.*}", (p as i32 - 1 - x).max(0) as usize),
                        String::new(),
                    )
                };
                let mantissa = if alternate || !mantissa.contains('.') {
                    mantissa
                } else {
                    mantissa
                        .trim_end_matches('0')
                        .trim_end_matches('.')
                        .to_string()
                };
                mantissa + &tail
            }
            _ => hexadecimal(v, precision),
        }
    };
    if upper { text.to_uppercase() } else { text }
}

/// `1.5e+03`
fn exponent(v: f64, precision: usize) -> String {
    let s = format!("{v:.precision$e}");
    let (m, x) = s.split_once('e').unwrap_or((&s, "0"));
    let x: i32 = x.parse().unwrap_or(0);
    format!("{m}e{}{:02}", if x < 0 { '-' } else { '+' }, x.abs())
}

/// `0x1.8p+1`
fn hexadecimal(v: f64, precision: Option<usize>) -> String {
    let bits = v.to_bits();
    let (mut x, mut m) = ((bits >> 52 & 0x7ff) as i32 - 1023, bits & ((1 << 52) - 1));
    let mut lead = 1;
    if x == -1023 {
        (x, lead) = (if m == 0 { 0 } else { -1022 }, 0);
    }
    if let Some(p) = precision
        && p < 13
    {
        let drop = 4 * (13 - p as u32);
        let whole = (lead << 52) | m;
        let (kept, rest, half) = (whole >> drop, whole & ((1 << drop) - 1), 1u64 << (drop - 1));
        let rounded = (kept + u64::from(rest > half || rest == half && kept & 1 != 0)) << drop;
        (lead, m) = (rounded >> 52, rounded & ((1 << 52) - 1));
    }
    let mut fraction = format!("{m:013x}");
    match precision {
        Some(p) if p <= 13 => fraction.truncate(p),
        Some(p) => fraction = format!("{fraction:0<p$}"),
        None => fraction = fraction.trim_end_matches('0').to_string(),
    }
    let dot = if fraction.is_empty() { "" } else { "." };
    format!("0x{lead}{dot}{fraction}p{x:+}")
}
