//! What sm_90a has beyond sm_80, executed and checked: clusters and their shared memory, barriers that count bytes, tiles by the tensor memory
//! accelerator in one to five dimensions, products of a warpgroup, `stmatrix`, and the meeting of the whole grid.
//!
//! A simulator does not know all of it: what it refuses is named, and everything else must be right.

mod checks;
mod device;

use cuda_core::{CudaContext, DriverError};
use device::kernels;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let ctx = CudaContext::new(0)?;
    let (major, minor) = ctx.compute_capability()?;
    let simulated = ctx.device_name()?.contains("simulator");
    if !simulated && (major, minor) != (9, 0) {
        println!(
            "sm_90a is compute capability 9.0 alone, and this is {major}.{minor}: nothing to check"
        );
        return Ok(());
    }
    let mut failed = 0;
    let mut absent = 0;
    for (what, check) in checks::ALL {
        // Each has a context's memory and module of its own, so that one failure does not hide the next.
        let run = || -> Result<(), Failure> {
            let module = kernels::load(&ctx)?;
            check(&ctx, &module)
        };
        match run() {
            Ok(()) => println!("{what}: right"),
            Err(Failure::Driver(e)) if simulated && not_simulated(&e) => {
                absent += 1;
                println!("{what}: not simulated, use a GPU");
            }
            Err(e) => {
                failed += 1;
                println!("{what}: WRONG: {e}");
            }
        }
    }
    println!(
        "{} checks, {failed} wrong, {absent} not simulated",
        checks::ALL.len()
    );
    if failed > 0 {
        return Err("some checks failed".into());
    }
    Ok(())
}

fn not_simulated(e: &DriverError) -> bool {
    // The last is what `cuda_core` says of a driver function that the library lacks.
    [
        "CUDA_ERROR_NOT_SUPPORTED",
        "CUDA_OXIDE_ERROR_FUNCTION_NOT_FOUND",
    ]
    .contains(&e.error_name())
}

/// Why a check failed.
pub enum Failure {
    Driver(DriverError),
    Different(String),
}

impl From<DriverError> for Failure {
    fn from(e: DriverError) -> Self {
        Failure::Driver(e)
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Failure::Driver(e) => write!(f, "{e}"),
            Failure::Different(text) => f.write_str(text),
        }
    }
}
