//! Instructions against references written in Rust, on edge and random operands.

#![allow(clippy::precedence, clippy::neg_cmp_op_on_partial_ord)]

use gpu_sim::{Config, Device, LaunchParams, Module};
use proptest::prelude::*;

/// Runs `op d, a, b, c;` for each triple of operands. Types give the registers' widths.
fn run(op: &str, d: &str, sources: &[&str], operands: &[[u64; 3]]) -> Vec<u64> {
    let width = |t: &str| {
        if t == "pred" {
            1
        } else {
            t[1..].parse::<usize>().unwrap() / 8
        }
    };
    let bits = |t: &str| format!("b{}", width(t) * 8);
    let mut body = String::new();
    for (k, t) in sources.iter().enumerate() {
        body += &format!(
            "\t.reg .{0} s{k};\n\tld.global.{0} s{k}, [%rd4+{1}];\n",
            bits(t),
            k * 8
        );
    }
    let list: Vec<String> = (0..sources.len()).map(|k| format!("s{k}")).collect();
    let store = if d == "pred" {
        "\t.reg .b32 r;\n\tselp.b32 r, 1, 0, d;\n\tst.global.b32 [%rd4+24], r;\n".to_string()
    } else {
        format!("\tst.global.{} [%rd4+24], d;\n", bits(d))
    };
    let reg = if d == "pred" {
        "pred".to_string()
    } else {
        bits(d)
    };
    let text = format!(
        ".version 8.6\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 p, .param .u32 n)\n{{
\t.reg .pred %p<2>;\n\t.reg .b32 %r<6>;\n\t.reg .b64 %rd<5>;\n\t.reg .{reg} d;
\tld.param.b64 %rd1, [p];\n\tld.param.b32 %r1, [n];\n\tmov.u32 %r2, %ctaid.x;\n\tmov.u32 %r3, %tid.x;
\tmad.lo.u32 %r4, %r2, 32, %r3;\n\tsetp.ge.u32 %p1, %r4, %r1;\n\t@%p1 ret;
\tmul.wide.u32 %rd2, %r4, 32;\n\tadd.s64 %rd4, %rd1, %rd2;\n{body}\t{op} d, {};\n{store}\tret;\n}}\n",
        list.join(", ")
    );
    let device = Device::new(Config::default());
    let module = Module::load(&device.memory, &text).unwrap_or_else(|e| panic!("{e}\n{text}"));
    let kernel = module.kernel("k").unwrap_or_else(|e| panic!("{e}"));
    let p = device.memory.alloc(operands.len() as u64 * 32).unwrap();
    let bytes: Vec<u8> = operands
        .iter()
        .flat_map(|o| o.iter().chain(&[0]).flat_map(|v| v.to_le_bytes()))
        .collect();
    device.memory.write_bytes(p, &bytes).unwrap();
    let mut params = p.to_le_bytes().to_vec();
    params.extend((operands.len() as u32).to_le_bytes());
    let grid = [(operands.len() as u32).div_ceil(32), 1, 1];
    device
        .launch(
            &kernel,
            &LaunchParams {
                grid,
                block: [32, 1, 1],
                dynamic_shared: 0,
                params,
                ..LaunchParams::default()
            },
        )
        .unwrap_or_else(|e| panic!("{e}"));
    let mut out = vec![0; operands.len() * 32];
    device.memory.read(p, &mut out).unwrap();
    out.chunks(32)
        .map(|c| u64::from_le_bytes(c[24..].try_into().unwrap()))
        .collect()
}

const EDGES: &[u64] = &[
    0,
    1,
    2,
    3,
    7,
    31,
    32,
    33,
    63,
    64,
    0x7f,
    0x80,
    0xff,
    0x7fff,
    0x8000,
    0xffff,
    0x7fff_ffff,
    0x8000_0000,
    0xffff_ffff,
    0x1_0000_0000,
    0x7fff_ffff_ffff_ffff,
    0x8000_0000_0000_0000,
    u64::MAX,
    0x1234_5678_9abc_def0,
    // Floats: 1, -1.5, infinities, NaN, subnormals, halves, values at the edges of integers.
    0x3f80_0000,
    0xbfc0_0000,
    0x7f80_0000,
    0xff80_0000,
    0x7fc0_0000,
    0x0000_0001_0000_0001,
    0x8000_0003,
    0x3f00_0000,
    0x4f00_0000,
    0xcf00_0000,
    0x4f80_0000,
    0x5f00_0000,
    0x3ff0_0000_0000_0000,
    0xbff8_0000_0000_0000,
    0x7ff0_0000_0000_0000,
    0xfff0_0000_0000_0000,
    0x7ff8_0000_0000_0000,
    0x3fe0_0000_0000_0000,
    0x41df_ffff_ffc0_0000,
    0x3c00,
    0xbc00,
    0x7c00,
    0x0001,
    0x3555,
];

fn cases() -> Vec<[u64; 3]> {
    let mut all = Vec::new();
    for (i, a) in EDGES.iter().enumerate() {
        for (j, b) in EDGES.iter().enumerate() {
            all.push([*a, *b, EDGES[(i * 7 + j * 3) % EDGES.len()]]);
        }
    }
    all
}

fn check(op: &str, d: &str, sources: &[&str], reference: impl Fn(u64, u64, u64) -> u64) {
    check_on(op, d, sources, &cases(), &reference);
}

fn check_on(
    op: &str,
    d: &str,
    sources: &[&str],
    operands: &[[u64; 3]],
    reference: &dyn Fn(u64, u64, u64) -> u64,
) {
    let mask = match d {
        "pred" => 1,
        _ => u64::MAX >> (64 - d[1..].parse::<u32>().unwrap()),
    };
    for (o, got) in operands.iter().zip(run(op, d, sources, operands)) {
        let want = reference(o[0], o[1], o[2]) & mask;
        assert_eq!(
            got, want,
            "{op} of {o:x?}: got {got:#x}, expected {want:#x}"
        );
    }
}

fn f(v: u64) -> f32 {
    f32::from_bits(v as u32)
}

fn g(v: u64) -> f64 {
    f64::from_bits(v)
}

/// The bits of an `f32` with PTX's NaN.
fn b(v: f32) -> u64 {
    if v.is_nan() {
        0x7fff_ffff
    } else {
        v.to_bits().into()
    }
}

/// A NaN keeps its sign and the upper bits of its payload.
fn narrow(a: u64) -> u64 {
    if g(a).is_nan() {
        a >> 32 & 1 << 31 | 0x7fc0_0000 | a >> 29 & 0x3f_ffff
    } else {
        (g(a) as f32).to_bits().into()
    }
}

#[test]
fn integers() {
    check("add.u32", "u32", &["u32", "u32"], |a, b, _| {
        u64::from((a as u32).wrapping_add(b as u32))
    });
    check("sub.s64", "s64", &["s64", "s64"], |a, b, _| {
        a.wrapping_sub(b)
    });
    check("add.sat.s32", "s32", &["s32", "s32"], |a, b, _| {
        (a as i32).saturating_add(b as i32) as u32 as u64
    });
    check("mul.lo.s16", "s16", &["s16", "s16"], |a, b, _| {
        (a as i16).wrapping_mul(b as i16) as u16 as u64
    });
    check("mul.hi.s32", "s32", &["s32", "s32"], |a, b, _| {
        ((a as i32 as i64 * b as i32 as i64) >> 32) as u64
    });
    check("mul.hi.u64", "u64", &["u64", "u64"], |a, b, _| {
        ((a as u128 * b as u128) >> 64) as u64
    });
    check("mul.hi.s64", "s64", &["s64", "s64"], |a, b, _| {
        ((a as i64 as i128 * b as i64 as i128) >> 64) as u64
    });
    check("mul.wide.s32", "s64", &["s32", "s32"], |a, b, _| {
        (a as i32 as i64 * b as i32 as i64) as u64
    });
    check("mul.wide.u16", "u32", &["u16", "u16"], |a, b, _| {
        a as u16 as u64 * b as u16 as u64
    });
    check("mad.lo.s32", "s32", &["s32", "s32", "s32"], |a, b, c| {
        a.wrapping_mul(b).wrapping_add(c)
    });
    check("mad.wide.u32", "u64", &["u32", "u32", "u64"], |a, b, c| {
        (a as u32 as u64 * b as u32 as u64).wrapping_add(c)
    });
    check("mul24.lo.s32", "s32", &["s32", "s32"], |a, b, _| {
        (((a as i32) << 8 >> 8) as i64 * (((b as i32) << 8) >> 8) as i64) as u64
    });
    check("div.s32", "s32", &["s32", "s32"], |a, b, _| {
        if b as i32 == 0 {
            u64::MAX
        } else {
            (a as i32).wrapping_div(b as i32) as u64
        }
    });
    check("div.u64", "u64", &["u64", "u64"], |a, b, _| {
        a.checked_div(b).unwrap_or(u64::MAX)
    });
    check("rem.s64", "s64", &["s64", "s64"], |a, b, _| {
        if b == 0 {
            u64::MAX
        } else {
            (a as i64).wrapping_rem(b as i64) as u64
        }
    });
    check("min.s32", "s32", &["s32", "s32"], |a, b, _| {
        (a as i32).min(b as i32) as u64
    });
    check("max.u16", "u16", &["u16", "u16"], |a, b, _| {
        (a as u16).max(b as u16).into()
    });
    check("abs.s32", "s32", &["s32"], |a, _, _| {
        (a as i32).wrapping_abs() as u64
    });
    check("neg.s64", "s64", &["s64"], |a, _, _| a.wrapping_neg());
    check("sad.s32", "s32", &["s32", "s32", "s32"], |a, b, c| {
        (c as u32)
            .wrapping_add((a as i32).abs_diff(b as i32))
            .into()
    });
}

#[test]
fn bits() {
    check("shl.b32", "b32", &["b32", "u32"], |a, n, _| {
        if n as u32 > 31 {
            0
        } else {
            (a as u32).wrapping_shl(n as u32).into()
        }
    });
    check("shr.u64", "u64", &["u64", "u32"], |a, n, _| {
        if n as u32 > 63 { 0 } else { a >> (n as u32) }
    });
    check("shr.s32", "s32", &["s32", "u32"], |a, n, _| {
        ((a as i32) >> (n as u32).min(31)) as u64
    });
    check("shr.s16", "s16", &["s16", "u32"], |a, n, _| {
        ((a as i16) >> (n as u32).min(15)) as u64
    });
    check(
        "shf.l.wrap.b32",
        "b32",
        &["b32", "b32", "u32"],
        |a, b, c| {
            let v = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
            (v << (c & 31)) >> 32
        },
    );
    check(
        "shf.r.clamp.b32",
        "b32",
        &["b32", "b32", "u32"],
        |a, b, c| {
            let v = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
            v >> (c as u32).min(32)
        },
    );
    check("popc.b64", "u32", &["b64"], |a, _, _| a.count_ones().into());
    check("clz.b32", "u32", &["b32"], |a, _, _| {
        (a as u32).leading_zeros().into()
    });
    check("brev.b32", "b32", &["b32"], |a, _, _| {
        (a as u32).reverse_bits().into()
    });
    check("bfind.s32", "u32", &["s32"], |a, _, _| {
        let v = if (a as i32) < 0 {
            !(a as u32)
        } else {
            a as u32
        };
        if v == 0 {
            u64::MAX
        } else {
            (31 - v.leading_zeros()).into()
        }
    });
    check("bfe.u32", "u32", &["u32", "u32", "u32"], |a, p, n| {
        let (p, n) = (p & 0xff, n & 0xff);
        (0..32)
            .filter(|i| *i < n && p + i < 32)
            .map(|i| ((a as u32 as u64) >> (p + i) & 1) << i)
            .sum()
    });
    check("bfe.s32", "s32", &["s32", "u32", "u32"], |a, p, n| {
        let (p, n) = (p & 0xff, n & 0xff);
        let sign = if n == 0 {
            0
        } else {
            (a as u32 as u64) >> (p + n - 1).min(31) & 1
        };
        (0..32)
            .map(|i| {
                if i < n && p + i < 32 {
                    ((a as u32 as u64) >> (p + i) & 1) << i
                } else {
                    sign << i
                }
            })
            .sum()
    });
    check("prmt.b32", "b32", &["b32", "b32", "b32"], |a, b, c| {
        let v = (b & 0xffff_ffff) << 32 | a & 0xffff_ffff;
        (0..4)
            .map(|k| {
                let s = c >> (4 * k) & 15;
                let byte = v >> (8 * (s & 7)) & 0xff;
                (if s & 8 != 0 {
                    if byte & 0x80 != 0 { 0xff } else { 0 }
                } else {
                    byte
                }) << (8 * k)
            })
            .sum()
    });
    check("dp4a.s32.u32", "s32", &["b32", "b32", "b32"], |a, b, c| {
        let s: i64 = (0..4)
            .map(|k| i64::from((a >> (8 * k)) as i8) * i64::from((b >> (8 * k)) as u8))
            .sum();
        c.wrapping_add(s as u64)
    });
}

#[test]
fn floats() {
    check("add.rn.f32", "f32", &["f32", "f32"], |x, y, _| {
        b(f(x) + f(y))
    });
    check("mul.rn.f32", "f32", &["f32", "f32"], |x, y, _| {
        b(f(x) * f(y))
    });
    check("div.rn.f32", "f32", &["f32", "f32"], |x, y, _| {
        b(f(x) / f(y))
    });
    check("fma.rn.f32", "f32", &["f32", "f32", "f32"], |x, y, z| {
        b(f(x).mul_add(f(y), f(z)))
    });
    check("sqrt.rn.f32", "f32", &["f32"], |x, _, _| b(f(x).sqrt()));
    check("add.rn.sat.f32", "f32", &["f32", "f32"], |x, y, _| {
        let r = f(x) + f(y);
        b(if r > 0.0 { r.min(1.0) } else { 0.0 })
    });
    check("add.ftz.f32", "f32", &["f32", "f32"], |x, y, _| {
        let flush = |v: f32| {
            if v.is_subnormal() {
                0f32.copysign(v)
            } else {
                v
            }
        };
        b(flush(flush(f(x)) + flush(f(y))))
    });
    check("min.f32", "f32", &["f32", "f32"], |x, y, _| {
        let (x, y) = (f(x), f(y));
        b(if x == y && x == 0.0 {
            if x.is_sign_negative() { x } else { y }
        } else {
            x.min(y)
        })
    });
    check("neg.f32", "f32", &["f32"], |x, _, _| b(-f(x)));
    check("copysign.f64", "f64", &["f64", "f64"], |x, y, _| {
        g(y).copysign(g(x)).to_bits()
    });
    check("setp.lt.f32", "pred", &["f32", "f32"], |x, y, _| {
        (f(x) < f(y)).into()
    });
    check("setp.ltu.f32", "pred", &["f32", "f32"], |x, y, _| {
        (!(f(x) >= f(y))).into()
    });
    check("setp.ne.f64", "pred", &["f64", "f64"], |x, y, _| {
        (g(x) < g(y) || g(x) > g(y)).into()
    });
    check("setp.neu.f64", "pred", &["f64", "f64"], |x, y, _| {
        (g(x) != g(y)).into()
    });
    check("setp.nan.f32", "pred", &["f32", "f32"], |x, y, _| {
        (f(x).is_nan() || f(y).is_nan()).into()
    });
    check("testp.subnormal.f32", "pred", &["f32"], |x, _, _| {
        f(x).is_subnormal().into()
    });
    // Directed rounding brackets the exact value: up is down, or the next number.
    let all = cases();
    let (down, up) = (
        run("mul.rm.f32", "f32", &["f32", "f32"], &all),
        run("mul.rp.f32", "f32", &["f32", "f32"], &all),
    );
    for ((o, d), u) in all.iter().zip(down).zip(up) {
        let exact = f64::from(f(o[0])) * f64::from(f(o[1]));
        let (d, u) = (f(d), f(u));
        if exact.is_nan() {
            assert!(d.is_nan() && u.is_nan());
        } else {
            assert!(
                f64::from(d) <= exact && exact <= f64::from(u) && (d == u || d.next_up() == u),
                "{o:x?}: {d} {u}"
            );
        }
    }
}

#[test]
fn conversions() {
    check("cvt.rzi.s32.f32", "s32", &["f32"], |a, _, _| {
        f(a) as i32 as u64
    });
    check("cvt.rzi.u8.f32", "u16", &["f32"], |a, _, _| {
        f(a) as u8 as u64
    });
    check("cvt.rzi.u64.f64", "u64", &["f64"], |a, _, _| {
        if g(a).is_nan() { 1 << 63 } else { g(a) as u64 }
    });
    check("cvt.rni.s32.f32", "s32", &["f32"], |a, _, _| {
        f(a).round_ties_even() as i32 as u64
    });
    check("cvt.rn.f32.s64", "f32", &["s64"], |a, _, _| {
        b(a as i64 as f32)
    });
    check("cvt.rn.f32.u64", "f32", &["u64"], |a, _, _| b(a as f32));
    check("cvt.rn.f32.f64", "f32", &["f64"], |a, _, _| narrow(a));
    check("cvt.f64.f32", "f64", &["f32"], |a, _, _| {
        f64::from(f(a)).to_bits()
    });
    check("cvt.s64.s8", "s64", &["s16"], |a, _, _| a as i8 as u64);
    check("cvt.u32.s16", "u32", &["s16"], |a, _, _| a as i16 as u64);
    check("cvt.sat.s8.s32", "s32", &["s32"], |a, _, _| {
        (a as i32).clamp(-128, 127) as u64
    });
    check("cvt.sat.u16.s32", "u16", &["s32"], |a, _, _| {
        (a as i32).clamp(0, 65535) as u64
    });
    check(
        "cvt.rmi.f32.f32",
        "f32",
        &["f32"],
        |a, _, _| b(f(a).floor()),
    );
}

#[test]
fn halves() {
    let half = |v: u64| {
        let (e, m) = ((v >> 10 & 31) as i32, (v & 1023) as f64);
        let s = if v & 0x8000 != 0 { -1.0 } else { 1.0 };
        s * match e {
            31 if m == 0.0 => f64::INFINITY,
            31 => f64::NAN,
            0 => m * 2f64.powi(-24),
            _ => (1024.0 + m) * 2f64.powi(e - 25),
        }
    };
    check("cvt.f32.f16", "f32", &["b16"], |a, _, _| {
        b(half(a & 0xffff) as f32)
    });
    // Every half is the nearest to itself, and survives the way through f32.
    let all: Vec<[u64; 3]> = (0..0x1_0000u64)
        .step_by(7)
        .map(|h| [f32::to_bits(half(h) as f32).into(), 0, 0])
        .collect();
    for (o, got) in all.iter().zip(run("cvt.rn.f16.f32", "b16", &["f32"], &all)) {
        let v = f(o[0]);
        assert!(
            if v.is_nan() {
                got == 0x7fff
            } else {
                half(got) == f64::from(v)
            },
            "{v}: {got:x}"
        );
    }
    check("add.rn.f16", "b16", &["b16", "b16"], |x, y, _| {
        // The sum of two halves is exact in f64; the nearest half is found by trying its neighbours.
        let s = half(x & 0xffff) + half(y & 0xffff);
        if s.is_nan() {
            return 0x7fff;
        }
        let sign = if s.is_sign_negative() { 0x8000 } else { 0 };
        if s.abs() >= 65520.0 {
            return sign | 0x7c00;
        }
        let best = (0..0x7c00u64).min_by(|p, q| {
            let d = |h: u64| (half(h) - s.abs()).abs();
            d(*p).total_cmp(&d(*q)).then((p & 1).cmp(&(q & 1)))
        });
        sign | best.unwrap()
    });
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 24, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn random_operands(v in prop::collection::vec(any::<[u64; 3]>(), 64)) {
        check_on("mad.lo.s32", "s32", &["s32", "s32", "s32"], &v, &|a, b, c| a.wrapping_mul(b).wrapping_add(c));
        check_on("fma.rn.f32", "f32", &["f32", "f32", "f32"], &v, &|x, y, z| b(f(x).mul_add(f(y), f(z))));
        check_on("sub.rn.f32", "f32", &["f32", "f32"], &v, &|x, y, _| b(f(x) - f(y)));
        check_on("div.u32", "u32", &["u32", "u32"], &v, &|a, b, _| (a as u32).checked_div(b as u32).map_or(u64::MAX, u64::from));
        check_on("cvt.rn.f32.f64", "f32", &["f64"], &v, &|a, _, _| narrow(a));
        check_on("cvt.rzi.s64.f64", "s64", &["f64"], &v, &|a, _, _| if g(a).is_nan() { 1 << 63 } else { g(a) as i64 as u64 });
        check_on("mul.hi.u32", "u32", &["u32", "u32"], &v, &|a, b, _| (a as u32 as u64 * b as u32 as u64) >> 32);
    }
}
