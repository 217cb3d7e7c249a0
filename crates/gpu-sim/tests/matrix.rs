//! `mma.sync`, `ldmatrix` and `stmatrix` against plain products of matrices on the CPU. Fragments are filled by the
//! formulas of the PTX ISA's figures, written out for each shape.

use gpu_sim::{Config, Device, LaunchParams, Module};

/// Runs `body` on one warp. Each lane has its words of `input` in `%w0…` and puts `words` results into `%o0…`.
fn run(input: &[Vec<u32>], words: usize, body: &str) -> Vec<Vec<u32>> {
    let given = input[0].len();
    let mut ptx = format!(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 in, .param .u64 out)\n{{\n\
         .reg .b32 %w<64>; .reg .b32 %o<64>; .reg .b32 %r<8>; .reg .b64 %rd<8>; .reg .f64 %fd<64>;\n\
         .shared .align 128 .b8 tile[2048];\n\
         ld.param.u64 %rd1, [in]; ld.param.u64 %rd2, [out]; mov.u32 %r1, %tid.x;\n\
         mad.wide.u32 %rd3, %r1, {}, %rd1; mad.wide.u32 %rd4, %r1, {}, %rd2;\n",
        given * 4,
        words * 4
    );
    for k in 0..given {
        ptx += &format!("ld.global.u32 %w{k}, [%rd3+{}];\n", 4 * k);
    }
    ptx += body;
    for k in 0..words {
        ptx += &format!("\nst.global.u32 [%rd4+{}], %o{k};", 4 * k);
    }
    ptx += "\nret;\n}\n";
    let device = Device::new(Config::default());
    let module = Module::load(&device.memory, &ptx).unwrap_or_else(|e| panic!("{e}\n{ptx}"));
    let kernel = module.kernel("k").unwrap_or_else(|e| panic!("{e}"));
    let bytes: Vec<u8> = input
        .iter()
        .flatten()
        .flat_map(|w| w.to_le_bytes())
        .collect();
    let at = device.memory.alloc(bytes.len() as u64).unwrap();
    device.memory.write_bytes(at, &bytes).unwrap();
    let out = device.memory.alloc(32 * 4 * words as u64).unwrap();
    let launch = LaunchParams {
        grid: [1; 3],
        block: [32, 1, 1],
        params: [at.to_le_bytes(), out.to_le_bytes()].concat(),
        ..LaunchParams::default()
    };
    device
        .launch(&kernel, &launch)
        .unwrap_or_else(|e| panic!("{e}"));
    let mut got = vec![0; 32 * 4 * words];
    device.memory.read(out, &mut got).unwrap();
    let all: Vec<u32> = got
        .chunks(4)
        .map(|c| u32::from_le_bytes(c.try_into().unwrap()))
        .collect();
    all.chunks(words).map(<[u32]>::to_vec).collect()
}

/// Small whole numbers, so that every sum is exact in any order and format.
fn number(seed: usize) -> i32 {
    ((seed as u64).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 58) as i32 % 8 - 3
}

fn f16(v: i32) -> u32 {
    let m = v.unsigned_abs();
    if m == 0 {
        return 0;
    }
    let e = 31 - m.leading_zeros();
    u32::from(v < 0) << 15 | (e + 15) << 10 | (m << (10 - e) & 0x3ff)
}

fn bf16(v: i32) -> u32 {
    (v as f32).to_bits() >> 16
}

struct Case {
    /// Behind `mma.sync.aligned.`.
    name: &'static str,
    m: usize,
    n: usize,
    k: usize,
    /// Bits of an element of A and B, and of C and D.
    bits: [u32; 2],
    encode: fn(i32) -> u64,
    result: fn(i32) -> u64,
    /// Row and column of element `i` of lane group `g`, lane `t` of it.
    a: fn(usize, usize, usize) -> (usize, usize),
    b: fn(usize, usize, usize) -> (usize, usize),
}

/// Of all of these shapes.
fn c(g: usize, t: usize, i: usize) -> (usize, usize) {
    (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1))
}

const CASES: &[Case] = &[
    Case {
        name: "m16n8k16.row.col.f32.f16.f16.f32",
        m: 16,
        n: 8,
        k: 16,
        bits: [16, 32],
        encode: |v| f16(v).into(),
        result: |v| (v as f32).to_bits().into(),
        a: |g, t, i| {
            let row = if i < 2 || (4..6).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, t * 2 + (i & 1) + if i >= 4 { 8 } else { 0 })
        },
        b: |g, t, i| (t * 2 + (i & 1) + if i >= 2 { 8 } else { 0 }, g),
    },
    Case {
        name: "m16n8k8.row.col.f16.f16.f16.f16",
        m: 16,
        n: 8,
        k: 8,
        bits: [16, 16],
        encode: |v| f16(v).into(),
        result: |v| f16(v).into(),
        a: |g, t, i| (if i < 2 { g } else { g + 8 }, t * 2 + (i & 1)),
        b: |g, t, i| (t * 2 + i, g),
    },
    Case {
        name: "m16n8k16.row.col.f32.bf16.bf16.f32",
        m: 16,
        n: 8,
        k: 16,
        bits: [16, 32],
        encode: |v| bf16(v).into(),
        result: |v| (v as f32).to_bits().into(),
        a: |g, t, i| {
            let row = if i < 2 || (4..6).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, t * 2 + (i & 1) + if i >= 4 { 8 } else { 0 })
        },
        b: |g, t, i| (t * 2 + (i & 1) + if i >= 2 { 8 } else { 0 }, g),
    },
    Case {
        name: "m16n8k8.row.col.f32.tf32.tf32.f32",
        m: 16,
        n: 8,
        k: 8,
        bits: [32, 32],
        // What is below a tf32's last bit is not read.
        encode: |v| u64::from((v as f32).to_bits() | 0x1fff),
        result: |v| (v as f32).to_bits().into(),
        a: |g, t, i| {
            let row = if i == 0 || i == 2 { g } else { g + 8 };
            (row, if i < 2 { t } else { t + 4 })
        },
        b: |g, t, i| (if i == 0 { t } else { t + 4 }, g),
    },
    Case {
        name: "m16n8k4.row.col.f32.tf32.tf32.f32",
        m: 16,
        n: 8,
        k: 4,
        bits: [32, 32],
        encode: |v| (v as f32).to_bits().into(),
        result: |v| (v as f32).to_bits().into(),
        a: |g, t, i| (if i == 0 { g } else { g + 8 }, t),
        b: |g, t, _| (t, g),
    },
    Case {
        name: "m16n8k32.row.col.s32.s8.s8.s32",
        m: 16,
        n: 8,
        k: 32,
        bits: [8, 32],
        encode: |v| u64::from(v as u8),
        result: |v| u64::from(v as u32),
        a: |g, t, i| {
            let row = if i < 4 || (8..12).contains(&i) {
                g
            } else {
                g + 8
            };
            (row, t * 4 + (i & 3) + if i < 8 { 0 } else { 16 })
        },
        b: |g, t, i| (t * 4 + (i & 3) + if i < 4 { 0 } else { 16 }, g),
    },
    Case {
        name: "m8n8k16.row.col.s32.s8.s8.s32",
        m: 8,
        n: 8,
        k: 16,
        bits: [8, 32],
        encode: |v| u64::from(v as u8),
        result: |v| u64::from(v as u32),
        a: |g, t, i| (g, t * 4 + i),
        b: |g, t, i| (t * 4 + i, g),
    },
    Case {
        name: "m8n8k4.row.col.f64.f64.f64.f64",
        m: 8,
        n: 8,
        k: 4,
        bits: [64, 64],
        encode: |v| f64::from(v).to_bits(),
        result: |v| f64::from(v).to_bits(),
        a: |g, t, _| (g, t),
        b: |g, t, _| (t, g),
    },
    Case {
        name: "m16n8k8.row.col.f64.f64.f64.f64",
        m: 16,
        n: 8,
        k: 8,
        bits: [64, 64],
        encode: |v| f64::from(v).to_bits(),
        result: |v| f64::from(v).to_bits(),
        a: |g, t, i| {
            (
                if i % 2 == 0 { g } else { g + 8 },
                if i < 2 { t } else { t + 4 },
            )
        },
        b: |g, t, i| (if i == 0 { t } else { t + 4 }, g),
    },
];

#[test]
fn products() {
    for case in CASES {
        let Case { name, m, n, k, .. } = *case;
        let left = |r: usize, j: usize| number(r * k + j);
        let right = |j: usize, q: usize| number(1000 + j * n + q);
        let third = |r: usize, q: usize| number(2000 + r * n + q);
        // Elements side by side in 32-bit words, the lowest first; wider ones in two words.
        let pack = |values: Vec<u64>, bits: u32| -> Vec<u32> {
            if bits == 64 {
                return values
                    .iter()
                    .flat_map(|v| [*v as u32, (*v >> 32) as u32])
                    .collect();
            }
            let each = (32 / bits) as usize;
            let word = |c: &[u64]| {
                let parts = c.iter().enumerate();
                parts.fold(0, |w, (i, v)| w | (*v as u32) << (i as u32 * bits))
            };
            values.chunks(each).map(word).collect()
        };
        let [small, big] = case.bits;
        let input: Vec<Vec<u32>> = (0..32)
            .map(|lane| {
                let (g, t) = (lane / 4, lane % 4);
                let fill = |count, f: &dyn Fn(usize) -> u64| (0..count).map(f).collect::<Vec<_>>();
                let a = fill(m * k / 32, &|i| {
                    let (r, j) = (case.a)(g, t, i);
                    (case.encode)(left(r, j))
                });
                let b = fill(k * n / 32, &|i| {
                    let (j, q) = (case.b)(g, t, i);
                    (case.encode)(right(j, q))
                });
                let c = fill(m * n / 32, &|i| {
                    let (r, q) = c(g, t, i);
                    (case.result)(third(r, q))
                });
                [pack(a, small), pack(b, small), pack(c, big)].concat()
            })
            .collect();
        let words = |count: usize, bits: u32| count * bits as usize / 32 / 32;
        let (na, nb, nc) = (words(m * k, small), words(k * n, small), words(m * n, big));
        let mut body = String::new();
        let operand = |prefix: &str, from: usize, count: usize| {
            let names: Vec<_> = (from..from + count)
                .map(|i| format!("%{prefix}{i}"))
                .collect();
            format!("{{{}}}", names.join(", "))
        };
        if small == 64 {
            for i in 0..(na + nb + nc) / 2 {
                body += &format!("mov.b64 %fd{i}, {{%w{}, %w{}}};\n", 2 * i, 2 * i + 1);
            }
            let (na, nb, nc) = (na / 2, nb / 2, nc / 2);
            let d = na + nb + nc;
            body += &format!(
                "mma.sync.aligned.{name} {}, {}, {}, {};\n",
                operand("fd", d, nc),
                operand("fd", 0, na),
                operand("fd", na, nb),
                operand("fd", na + nb, nc)
            );
            for i in 0..nc {
                body += &format!("mov.b64 {{%o{}, %o{}}}, %fd{};\n", 2 * i, 2 * i + 1, d + i);
            }
        } else {
            body += &format!(
                "mma.sync.aligned.{name} {}, {}, {}, {};\n",
                operand("o", 0, nc),
                operand("w", 0, na),
                operand("w", na, nb),
                operand("w", na + nb, nc)
            );
        }
        let got = run(&input, nc, &body);
        for (lane, got) in got.iter().enumerate().take(32) {
            let values = (0..m * n / 32)
                .map(|i| {
                    let (r, q) = c(lane / 4, lane % 4, i);
                    let sum: i32 = (0..k).map(|j| left(r, j) * right(j, q)).sum();
                    (case.result)(sum + third(r, q))
                })
                .collect();
            assert_eq!(*got, pack(values, big), "{name}, lane {lane}");
        }
    }
}

#[test]
fn integers_wrap_or_stop() {
    let input = vec![vec![0x7f7f_7f7f, 0x7f7f_7f7f, i32::MAX as u32, 5]; 32];
    let product = 16 * 127 * 127;
    for (modifier, expected) in [("", i32::MIN + product - 1), (".satfinite", i32::MAX)] {
        let body = format!(
            "mma.sync.aligned.m8n8k16.row.col{modifier}.s32.s8.s8.s32 {{%o0, %o1}}, {{%w0}}, {{%w1}}, {{%w2, %w3}};"
        );
        let got = run(&input, 2, &body);
        assert_eq!(
            got,
            vec![vec![expected as u32, product as u32 + 5]; 32],
            "{modifier}"
        );
    }
    let input = vec![vec![0xffff_ffff, 0x0101_0101, 0, 0]; 32];
    let got = run(
        &input,
        2,
        "mma.sync.aligned.m8n8k16.row.col.s32.u8.s8.s32 {%o0, %o1}, %w0, %w1, {%w2, %w3};",
    );
    assert_eq!(got, vec![vec![16 * 255; 2]; 32]);
}

/// A whole product the way programs do it: rows to shared memory, `ldmatrix` for A, transposed for B, and back by
/// `stmatrix`.
#[test]
fn matrices_from_shared_memory_and_back() {
    let left = |r: usize, j: usize| number(r * 16 + j);
    let right = |j: usize, q: usize| number(500 + j * 8 + q);
    // A is 16 rows of 32 bytes at 0, B 16 rows of 16 bytes at 512: each lane brings 24 bytes of both.
    let mut cells = Vec::new();
    cells.extend((0..256).map(|i| f16(left(i / 16, i % 16))));
    cells.extend((0..128).map(|i| f16(right(i / 8, i % 8))));
    let words: Vec<u32> = cells.chunks(2).map(|c| c[0] | c[1] << 16).collect();
    let input: Vec<Vec<u32>> = words.chunks(6).map(<[u32]>::to_vec).collect();
    let body = "
        mov.u32 %r2, tile;
        mad.lo.u32 %r3, %r1, 24, %r2;
        st.shared.v2.u32 [%r3], {%w0, %w1};
        st.shared.v2.u32 [%r3+8], {%w2, %w3};
        st.shared.v2.u32 [%r3+16], {%w4, %w5};
        bar.warp.sync 0xffffffff;
        // Lanes 0-15 are the rows of the left half of A, 16-31 of the right half.
        and.b32 %r4, %r1, 15;
        shr.u32 %r5, %r1, 4;
        mad.lo.u32 %r6, %r4, 32, %r2;
        mad.lo.u32 %r6, %r5, 16, %r6;
        ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%w10, %w11, %w12, %w13}, [%r6];
        mad.lo.u32 %r7, %r4, 16, %r2;
        ldmatrix.sync.aligned.m8n8.x2.trans.shared::cta.b16 {%w14, %w15}, [%r7+512];
        mov.u32 %w16, 0;
        mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%w20, %w21}, {%w10, %w11, %w12, %w13}, {%w14, %w15}, {%w16, %w16};
        bar.warp.sync 0xffffffff;
        stmatrix.sync.aligned.m8n8.x2.shared.b16 [%r7+1024], {%w20, %w21};
        stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%r7+1280], {%w20, %w21};
        bar.warp.sync 0xffffffff;
        mad.lo.u32 %r3, %r1, 16, %r2;
        ld.shared.v4.u32 {%o0, %o1, %o2, %o3}, [%r3+1024];";
    let got = run(&input, 4, body);
    let product = |r: usize, q: usize| {
        let sum: i32 = (0..16).map(|j| left(r, j) * right(j, q)).sum();
        f16(sum)
    };
    let halves: Vec<u32> = got
        .iter()
        .flatten()
        .flat_map(|w| [w & 0xffff, w >> 16])
        .collect();
    let plain = (0..128).map(|i| product(i / 8, i % 8));
    // Each of the two squares on its own.
    let turned = (0..128).map(|i| product(i / 64 * 8 + i % 8, i / 8 % 8));
    assert_eq!(halves, plain.chain(turned).collect::<Vec<_>>());
}
