//! One generic kernel, many launches: each with its own types and its own closure, which travels to the device with what
//! it captured.

use cuda_core::{CudaContext, CudaStream, DeviceBuffer, DriverError, LaunchConfig};
use cuda_device::{DeviceCopy, DisjointSlice, cuda_module, kernel, thread};
use std::sync::Arc;

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn map<T: DeviceCopy, F: Fn(T) -> T + Copy>(
        f: F,
        input: &[T],
        mut output: DisjointSlice<T>,
    ) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(place) = output.get_mut(i) {
            *place = f(input[n]);
        }
    }
}

/// A device with the kernels on it.
struct Mapper {
    stream: Arc<CudaStream>,
    module: kernels::LoadedModule,
    library: kernels_lib::kernels::LoadedModule,
}

impl Mapper {
    fn new() -> Result<Self, DriverError> {
        let ctx = CudaContext::new(0)?;
        let stream = ctx.default_stream();
        Ok(Mapper {
            stream,
            module: kernels::load(&ctx)?,
            library: kernels_lib::kernels::load(&ctx)?,
        })
    }

    /// Launches from a generic method: one line of source, an instance for each `T` and `F` that it is called with.
    fn map<T: DeviceCopy, F: Fn(T) -> T + Copy>(
        &self,
        input: &[T],
        f: F,
    ) -> Result<Vec<T>, DriverError> {
        let config = LaunchConfig::for_num_elems(input.len() as u32);
        let mut output = DeviceBuffer::zeroed(&self.stream, input.len())?;
        let input = DeviceBuffer::from_host(&self.stream, input)?;
        // SAFETY: one dimension, and as many outputs as inputs.
        unsafe {
            self.module
                .map::<T, F>(&self.stream, config, f, &input, &mut output)?
        };
        output.to_host_vec(&self.stream)
    }

    /// The same with the kernel of another crate.
    fn map_by_library<T: DeviceCopy, U: DeviceCopy>(
        &self,
        input: &[T],
        f: impl Fn(T) -> U + Copy,
    ) -> Result<Vec<U>, DriverError> {
        let config = LaunchConfig::for_num_elems(input.len() as u32);
        let mut output = DeviceBuffer::zeroed(&self.stream, input.len())?;
        let input = DeviceBuffer::from_host(&self.stream, input)?;
        // SAFETY: one dimension, and as many outputs as inputs.
        unsafe {
            self.library
                .map::<T, U, _>(&self.stream, config, f, &input, &mut output)?
        };
        output.to_host_vec(&self.stream)
    }
}

/// Launches from a function that the compiler does not inline.
#[inline(never)]
fn negate_all(mapper: &Mapper, input: &[i32]) -> Result<Vec<i32>, DriverError> {
    mapper.map(input, |x: i32| x.wrapping_neg())
}

fn check<T: PartialEq + std::fmt::Debug>(
    what: &str,
    got: Vec<T>,
    want: impl Iterator<Item = T>,
) -> Result<(), String> {
    let want: Vec<T> = want.collect();
    match got.iter().zip(&want).position(|(got, want)| got != want) {
        Some(i) => Err(format!(
            "{what}: element {i} is {:?} instead of {:?}",
            got[i], want[i]
        )),
        None if got.len() != want.len() => Err(format!(
            "{what}: {} elements instead of {}",
            got.len(),
            want.len()
        )),
        None => {
            println!("{what}: {} elements", got.len());
            Ok(())
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse())?;
    let mapper = Mapper::new()?;
    let floats: Vec<f32> = (0..n).map(|i| i as f32 / 8.0).collect();
    let numbers: Vec<i32> = (0..n as i32).map(|i| i * 7 - 1000).collect();

    // Two closures in one function: the same captures, not the same code.
    let (a, b) = (3.0f32, 0.25f32);
    check(
        "a * x + b",
        mapper.map(&floats, move |x| a * x + b)?,
        floats.iter().map(|x| a * x + b),
    )?;
    check(
        "(x - b) * a",
        mapper.map(&floats, move |x| (x - b) * a)?,
        floats.iter().map(|x| (x - b) * a),
    )?;

    // One line that is reached with two types.
    check(
        "i32",
        mapper.map(&numbers, |x| x ^ 0x55)?,
        numbers.iter().map(|x| x ^ 0x55),
    )?;

    // A closure in a closure, and a captured array.
    let table = [1i32, -1, 10, 100];
    let pick = move |i: i32| table[(i & 3) as usize];
    let nested = move |x: i32| pick(x).wrapping_mul(x) + pick(x >> 2);
    check(
        "nested closures",
        mapper.map(&numbers, nested)?,
        numbers.iter().map(|x| nested(*x)),
    )?;

    check(
        "from a helper",
        negate_all(&mapper, &numbers)?,
        numbers.iter().map(|x| -x),
    )?;

    let halves = move |x: i32| x as f64 / 2.0;
    check(
        "from another crate",
        mapper.map_by_library(&numbers, halves)?,
        numbers.iter().map(|x| halves(*x)),
    )?;
    println!("SUCCESS");
    Ok(())
}
