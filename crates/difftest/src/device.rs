//! The kernels' side: whichever device `cuda-core` finds.

use crate::{Backend, Case};
use cuda_core::{CudaContext, CudaStream, DeviceBuffer, DriverError, LaunchConfig};
use std::any::{Any, TypeId};
use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

/// Launches the kernel of a case.
pub type Launch =
    fn(&Gpu, LaunchConfig, &DeviceBuffer<u32>, &mut DeviceBuffer<u32>) -> Result<(), DriverError>;

/// A context, its stream, and the modules that were loaded into it.
pub struct Gpu {
    context: Arc<CudaContext>,
    stream: Arc<CudaStream>,
    modules: RefCell<HashMap<TypeId, Rc<dyn Any>>>,
}

impl Gpu {
    /// The first device.
    pub fn new() -> Result<Self, DriverError> {
        let context = CudaContext::new(0)?;
        let stream = context.default_stream();
        Ok(Gpu {
            context,
            stream,
            modules: RefCell::default(),
        })
    }

    /// The stream of every launch.
    pub fn stream(&self) -> &Arc<CudaStream> {
        &self.stream
    }

    /// The module that `load` makes, loaded once.
    pub fn module<M: 'static>(
        &self,
        load: impl FnOnce(&Arc<CudaContext>) -> Result<M, DriverError>,
    ) -> Result<Rc<M>, DriverError> {
        if let Some(module) = self.modules.borrow().get(&TypeId::of::<M>()) {
            return Ok(Rc::downcast(module.clone()).expect("modules are kept by their type"));
        }
        let module = Rc::new(load(&self.context)?);
        self.modules
            .borrow_mut()
            .insert(TypeId::of::<M>(), module.clone());
        Ok(module)
    }

    fn outputs(&self, case: &Case, inputs: &[u32], count: usize) -> Result<Vec<u32>, DriverError> {
        // Words that no kernel writes by chance: one that writes nothing must not pass.
        let blank = vec![0xdead_beef_u32; count * case.output_words];
        let inputs = DeviceBuffer::from_host(&self.stream, inputs)?;
        let mut outputs = DeviceBuffer::from_host(&self.stream, &blank)?;
        // Small blocks, so that there are several, the last of them partly idle.
        let block = 64;
        let grid = (count as u32).div_ceil(block);
        let config = LaunchConfig {
            grid_dim: (grid, 1, 1),
            block_dim: (block, 1, 1),
            shared_mem_bytes: 0,
        };
        (case.launch)(self, config, &inputs, &mut outputs)?;
        self.stream.synchronize()?;
        outputs.to_host_vec(&self.stream)
    }
}

/// A context that a failed kernel has broken is replaced before the next case.
impl Backend for Option<Gpu> {
    fn run(&mut self, case: &Case, inputs: &[u32], count: usize) -> Result<Vec<u32>, String> {
        if self.is_none() {
            *self = Some(Gpu::new().map_err(|error| format!("no device: {error}"))?);
        }
        let gpu = self.as_ref().expect("made above");
        gpu.outputs(case, inputs, count).map_err(|error| {
            *self = None;
            error.to_string()
        })
    }
}
