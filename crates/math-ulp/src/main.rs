//! `cargo oxide run math-ulp -- [INPUTS [SEED]]`: the table of docs/float-math.md, measured.

mod inputs;
mod measure;

use cuda_core::{CudaContext, CudaStream, DeviceBuffer, DriverError, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};
use measure::{Error, of_f32, of_f64};
use std::sync::Arc;

/// All the results for two lists of arguments.
type OnDevice<T> = fn(&Device, &[T], &[T]) -> Result<Vec<T>, DriverError>;
/// One result.
type OnHost<T> = fn(T, T) -> T;

/// One method: the kernels that call it, the same on the host, and what `libm` gives.
struct Row {
    name: &'static str,
    /// In ulps; the second for `f64`.
    limits: (f64, f64),
    f32_on_device: OnDevice<f32>,
    f64_on_device: OnDevice<f64>,
    f32_on_host: OnHost<f32>,
    f64_on_host: OnHost<f64>,
    /// Absent where `std` computes the method from others, on both sides with the same formula: what `f32` loses by that it
    /// loses on the CPU too, and so the CPU's `f32` is what it is measured against.
    libm: Option<(OnHost<f32>, OnHost<f64>)>,
}

struct Device {
    stream: Arc<CudaStream>,
    module: kernels::LoadedModule,
}

macro_rules! methods {
    ($($f32:ident $f64:ident ($x:ident, $y:ident) $body:expr; $limits:expr; $($libm32:expr, $libm64:expr)?;)*) => {
        #[cuda_module]
        mod kernels {
            use super::*;
            $(
                #[kernel]
                pub fn $f32(x: &[f32], y: &[f32], mut out: DisjointSlice<f32>) {
                    let i = thread::index_1d();
                    let n = i.get();
                    if let Some(out) = out.get_mut(i) {
                        let ($x, $y) = (x[n], y[n]);
                        let _ = $y;
                        *out = $body;
                    }
                }

                #[kernel]
                pub fn $f64(x: &[f64], y: &[f64], mut out: DisjointSlice<f64>) {
                    let i = thread::index_1d();
                    let n = i.get();
                    if let Some(out) = out.get_mut(i) {
                        let ($x, $y) = (x[n], y[n]);
                        let _ = $y;
                        *out = $body;
                    }
                }
            )*
        }

        fn rows() -> Vec<Row> {
            vec![$(Row {
                name: stringify!($body),
                limits: $limits,
                f32_on_device: |device, x, y| {
                    let stream = &device.stream;
                    let (x, y) = (DeviceBuffer::from_host(stream, x)?, DeviceBuffer::from_host(stream, y)?);
                    let mut out = DeviceBuffer::<f32>::zeroed(stream, x.len())?;
                    let config = LaunchConfig::for_num_elems(x.len() as u32);
                    // SAFETY: one dimension, as `index_1d` wants it.
                    unsafe { device.module.$f32(stream, config, &x, &y, &mut out)? };
                    out.to_host_vec(stream)
                },
                f64_on_device: |device, x, y| {
                    let stream = &device.stream;
                    let (x, y) = (DeviceBuffer::from_host(stream, x)?, DeviceBuffer::from_host(stream, y)?);
                    let mut out = DeviceBuffer::<f64>::zeroed(stream, x.len())?;
                    let config = LaunchConfig::for_num_elems(x.len() as u32);
                    // SAFETY: as above.
                    unsafe { device.module.$f64(stream, config, &x, &y, &mut out)? };
                    out.to_host_vec(stream)
                },
                f32_on_host: |$x, $y| {
                    let _ = $y;
                    $body
                },
                f64_on_host: |$x, $y| { let _ = $y; $body },
                libm: methods!(@libm ($x, $y) $($libm32, $libm64)?),
            }),*]
        }
    };
    (@libm ($x:ident, $y:ident)) => { None };
    (@libm ($x:ident, $y:ident) $f:expr, $d:expr) => {
        Some((|$x, $y| { let _ = $y; $f }, |$x, $y| { let _ = $y; $d }))
    };
}

const TWO: (f64, f64) = (2.0, 2.0);

methods! {
    sin_f32 sin_f64 (x, y) x.sin(); TWO; libm::sinf(x), libm::sin(x);
    cos_f32 cos_f64 (x, y) x.cos(); TWO; libm::cosf(x), libm::cos(x);
    tan_f32 tan_f64 (x, y) x.tan(); TWO; libm::tanf(x), libm::tan(x);
    asin_f32 asin_f64 (x, y) x.asin(); TWO; libm::asinf(x), libm::asin(x);
    acos_f32 acos_f64 (x, y) x.acos(); TWO; libm::acosf(x), libm::acos(x);
    atan_f32 atan_f64 (x, y) x.atan(); TWO; libm::atanf(x), libm::atan(x);
    sinh_f32 sinh_f64 (x, y) x.sinh(); TWO; libm::sinhf(x), libm::sinh(x);
    cosh_f32 cosh_f64 (x, y) x.cosh(); TWO; libm::coshf(x), libm::cosh(x);
    tanh_f32 tanh_f64 (x, y) x.tanh(); (2.1, 2.0); libm::tanhf(x), libm::tanh(x);
    asinh_f32 asinh_f64 (x, y) x.asinh(); TWO;;
    acosh_f32 acosh_f64 (x, y) x.acosh(); TWO;;
    atanh_f32 atanh_f64 (x, y) x.atanh(); TWO;;
    exp_f32 exp_f64 (x, y) x.exp(); TWO; libm::expf(x), libm::exp(x);
    exp2_f32 exp2_f64 (x, y) x.exp2(); TWO; libm::exp2f(x), libm::exp2(x);
    exp_m1_f32 exp_m1_f64 (x, y) x.exp_m1(); TWO; libm::expm1f(x), libm::expm1(x);
    ln_f32 ln_f64 (x, y) x.ln(); TWO; libm::logf(x), libm::log(x);
    log2_f32 log2_f64 (x, y) x.log2(); TWO; libm::log2f(x), libm::log2(x);
    log10_f32 log10_f64 (x, y) x.log10(); TWO; libm::log10f(x), libm::log10(x);
    ln_1p_f32 ln_1p_f64 (x, y) x.ln_1p(); TWO; libm::log1pf(x), libm::log1p(x);
    cbrt_f32 cbrt_f64 (x, y) x.cbrt(); TWO; libm::cbrtf(x), libm::cbrt(x);
    atan2_f32 atan2_f64 (x, y) x.atan2(y); TWO; libm::atan2f(x, y), libm::atan2(x, y);
    powf_f32 powf_f64 (x, y) x.powf(y); TWO; libm::powf(x, y), libm::pow(x, y);
    hypot_f32 hypot_f64 (x, y) x.hypot(y); TWO; libm::hypotf(x, y), libm::hypot(x, y);
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut words = std::env::args().skip(1);
    let count: usize = words.next().map_or(Ok(20_000), |n| n.parse())?;
    let seed: u64 = words.next().map_or(Ok(1), |n| n.parse())?;
    let context = CudaContext::new(0)?;
    let device = Device {
        stream: context.default_stream(),
        module: kernels::load(&context)?,
    };
    let (x32, y32) = inputs::f32s(count, seed);
    let (x64, y64) = inputs::f64s(count, seed);
    println!("| method | `f32` | at | `f64` | at |\n| --- | --- | --- | --- | --- |");
    let mut wrong = Vec::new();
    for row in rows() {
        let mut single = Error::default();
        let mut double = Error::default();
        let got = (row.f32_on_device)(&device, &x32, &y32)?;
        for (n, got) in got.into_iter().enumerate() {
            let (x, y) = (x32[n], y32[n]);
            let want = match row.libm {
                Some(_) => (row.f64_on_host)(x.into(), y.into()),
                None => (row.f32_on_host)(x, y).into(),
            };
            single.add(of_f32(got, want), || {
                format!("{x:e}, {y:e}: {got:e}, not {want:e}")
            });
            if let Some((libm, _)) = row.libm {
                let libm = libm(x, y);
                if got.to_bits() != libm.to_bits() && !(got.is_nan() && libm.is_nan()) {
                    single.add(f64::INFINITY, || {
                        format!("{x:e}, {y:e}: {got:e}, and libm's {libm:e}")
                    });
                }
            }
        }
        let got = (row.f64_on_device)(&device, &x64, &y64)?;
        for (n, got) in got.into_iter().enumerate() {
            let (x, y) = (x64[n], y64[n]);
            let want = (row.f64_on_host)(x, y);
            double.add(of_f64(got, want), || {
                format!("{x:e}, {y:e}: {got:e}, not {want:e}")
            });
            if let Some((_, libm)) = row.libm {
                let libm = libm(x, y);
                if got.to_bits() != libm.to_bits() && !(got.is_nan() && libm.is_nan()) {
                    double.add(f64::INFINITY, || {
                        format!("{x:e}, {y:e}: {got:e}, and libm's {libm:e}")
                    });
                }
            }
        }
        println!(
            "| `{}` | {:.2} | {} | {:.0} | {} |",
            row.name, single.worst, single.at, double.worst, double.at
        );
        if single.worst > row.limits.0 || double.worst > row.limits.1 {
            wrong.push(row.name);
        }
    }
    println!("{} inputs a function and type, seed {seed}", x32.len());
    if wrong.is_empty() {
        println!("SUCCESS");
        Ok(())
    } else {
        Err(format!("over the limit: {}", wrong.join(", ")).into())
    }
}
