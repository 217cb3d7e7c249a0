//! The Mandelbrot set, written as Rust is written: a complex type with operators, iterators, `Option`. The same function
//! runs on both sides.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DisjointSlice, cuda_module, kernel, thread};
use std::ops::{Add, Mul};

#[derive(Clone, Copy)]
struct Complex {
    re: f32,
    im: f32,
}

impl Add for Complex {
    type Output = Complex;
    fn add(self, other: Complex) -> Complex {
        Complex {
            re: self.re + other.re,
            im: self.im + other.im,
        }
    }
}

impl Mul for Complex {
    type Output = Complex;
    fn mul(self, other: Complex) -> Complex {
        Complex {
            re: self.re * other.re - self.im * other.im,
            im: self.re * other.im + self.im * other.re,
        }
    }
}

impl Complex {
    fn norm_squared(self) -> f32 {
        self.re * self.re + self.im * self.im
    }
}

/// After how many steps the point leaves the circle of radius 2, if it does.
fn escape(c: Complex, most: u32) -> Option<u32> {
    std::iter::successors(Some(c), |z| Some(*z * *z + c))
        .take(most as usize)
        .position(|z| z.norm_squared() > 4.0)
        .map(|steps| steps as u32)
}

/// The point of the plane at a pixel.
fn point(x: u32, y: u32, width: u32, height: u32) -> Complex {
    Complex {
        re: -2.0 + 3.0 * x as f32 / width as f32,
        im: -1.5 + 3.0 * y as f32 / height as f32,
    }
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn mandelbrot(width: u32, height: u32, most: u32, mut steps: DisjointSlice<u32>) {
        let i = thread::index_1d();
        let (x, y) = (i.get() as u32 % width, i.get() as u32 / width);
        if let Some(place) = steps.get_mut(i) {
            *place = escape(point(x, y, width, height), most).unwrap_or(most);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let width: u32 = std::env::args().nth(1).map_or(Ok(120), |n| n.parse())?;
    let (height, most) = (width / 2, 100);

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let mut steps = DeviceBuffer::<u32>::zeroed(&stream, (width * height) as usize)?;
    // SAFETY: one dimension, a thread for each pixel.
    unsafe {
        module.mandelbrot(
            &stream,
            LaunchConfig::for_num_elems(width * height),
            width,
            height,
            most,
            &mut steps,
        )?
    };

    let steps = steps.to_host_vec(&stream)?;
    for (i, got) in steps.iter().enumerate() {
        let (x, y) = (i as u32 % width, i as u32 / width);
        let want = escape(point(x, y, width, height), most).unwrap_or(most);
        if *got != want {
            return Err(format!("pixel ({x}, {y}): {got} steps instead of {want}").into());
        }
    }
    // Every second row and column, so that it fits a terminal.
    for row in steps
        .chunks(width as usize)
        .step_by((height as usize / 24).max(1))
    {
        let line: String = row
            .iter()
            .step_by((width as usize / 72).max(1))
            .map(|steps| match steps {
                0..=4 => ' ',
                5..=9 => '.',
                10..=19 => '+',
                20..=99 => '*',
                _ => '#',
            })
            .collect();
        println!("{}", line.trim_end());
    }
    println!("SUCCESS");
    Ok(())
}
