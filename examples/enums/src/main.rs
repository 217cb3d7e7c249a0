//! A table of enums with payloads goes to the device as it is, and a `match` there takes it apart: rustc's own layouts on
//! both sides.

use cuda_core::{CudaContext, DeviceBuffer, LaunchConfig};
use cuda_device::{DeviceCopy, DisjointSlice, cuda_module, kernel, thread};

#[derive(Clone, Copy, Debug, DeviceCopy)]
pub enum Shape {
    Point,
    Circle { radius: f32 },
    Rectangle { width: f32, height: f32 },
    Triangle([f32; 3]),
}

impl Shape {
    /// The area; none for three sides that make no triangle.
    fn area(&self) -> Option<f32> {
        match *self {
            Shape::Point => Some(0.0),
            Shape::Circle { radius } => Some(std::f32::consts::PI * radius * radius),
            Shape::Rectangle { width, height } => Some(width * height),
            Shape::Triangle([a, b, c]) if a + b > c && b + c > a && c + a > b => {
                let s = (a + b + c) / 2.0;
                Some((s * (s - a) * (s - b) * (s - c)).sqrt())
            }
            Shape::Triangle(_) => None,
        }
    }
}

#[cuda_module]
mod kernels {
    use super::*;

    #[kernel]
    pub fn areas(shapes: &[Shape], mut areas: DisjointSlice<f32>) {
        let i = thread::index_1d();
        let n = i.get();
        if let Some(place) = areas.get_mut(i) {
            *place = shapes[n].area().unwrap_or(-1.0);
        }
    }
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let n: usize = std::env::args().nth(1).map_or(Ok(10_000), |n| n.parse())?;
    let shapes: Vec<Shape> = (0..n)
        .map(|i| {
            let size = (i % 97) as f32 / 4.0;
            match i % 5 {
                0 => Shape::Point,
                1 => Shape::Circle { radius: size },
                2 => Shape::Rectangle {
                    width: size,
                    height: 2.0,
                },
                3 => Shape::Triangle([3.0, 4.0, 5.0]),
                _ => Shape::Triangle([1.0, 1.0, size]),
            }
        })
        .collect();

    let ctx = CudaContext::new(0)?;
    let stream = ctx.default_stream();
    let module = kernels::load(&ctx)?;
    let shapes_dev = DeviceBuffer::from_host(&stream, &shapes)?;
    let mut areas = DeviceBuffer::<f32>::zeroed(&stream, n)?;
    // SAFETY: one dimension, as many areas as shapes.
    unsafe {
        module.areas(
            &stream,
            LaunchConfig::for_num_elems(n as u32),
            &shapes_dev,
            &mut areas,
        )?
    };

    let areas = areas.to_host_vec(&stream)?;
    for (shape, got) in shapes.iter().zip(&areas) {
        let want = shape.area().unwrap_or(-1.0);
        if *got != want {
            return Err(format!("{shape:?}: {got} instead of {want}").into());
        }
    }
    println!(
        "{n} shapes, {} of them no triangles",
        areas.iter().filter(|area| **area < 0.0).count()
    );
    println!("SUCCESS");
    Ok(())
}
