//! Streams and events.

use crate::context::report_drop;
use crate::driver::{CUevent, CUstream, NOT_READY};
use crate::{CudaContext, DriverError};
use std::ffi::c_void;
use std::sync::Arc;

/// A queue of work: what is given to one stream runs in order.
pub struct CudaStream {
    ctx: Arc<CudaContext>,
    stream: CUstream,
}

// SAFETY: the driver API takes a stream from any thread.
unsafe impl Send for CudaStream {}
// SAFETY: as above.
unsafe impl Sync for CudaStream {}

impl CudaStream {
    #[inline(never)]
    pub(crate) fn default_of(ctx: &Arc<CudaContext>) -> Self {
        CudaStream {
            ctx: ctx.clone(),
            stream: std::ptr::null_mut(),
        }
    }

    #[inline(never)]
    pub(crate) fn new(ctx: &Arc<CudaContext>) -> Result<Self, DriverError> {
        ctx.bind()?;
        let mut stream = std::ptr::null_mut();
        // SAFETY: into a local; CU_STREAM_NON_BLOCKING is 1.
        unsafe { ctx.driver.cuStreamCreate(&mut stream, 1)? };
        Ok(CudaStream {
            ctx: ctx.clone(),
            stream,
        })
    }

    #[inline(never)]
    pub(crate) fn raw(&self) -> CUstream {
        self.stream
    }

    /// The stream's context.
    #[inline(never)]
    pub fn context(&self) -> &Arc<CudaContext> {
        &self.ctx
    }

    /// Waits until everything that was given to the stream is done.
    #[inline(never)]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.ctx.bind()?;
        // SAFETY: the stream is alive.
        unsafe { self.ctx.driver.cuStreamSynchronize(self.stream) }.map_err(|e| self.ctx.explain(e))
    }

    /// A new stream whose work begins after what this one has now.
    #[inline(never)]
    pub fn fork(&self) -> Result<Arc<CudaStream>, DriverError> {
        let new = CudaStream::new(&self.ctx)?;
        new.wait(&self.record_event(None)?)?;
        Ok(Arc::new(new))
    }

    /// What is given to this stream from now on begins after what `other` has now.
    #[inline(never)]
    pub fn join(&self, other: &CudaStream) -> Result<(), DriverError> {
        self.wait(&other.record_event(None)?)
    }

    /// What is given to this stream from now on begins after the event.
    #[inline(never)]
    pub fn wait(&self, event: &CudaEvent) -> Result<(), DriverError> {
        self.ctx.bind()?;
        // SAFETY: both are alive; the driver keeps an event until its waiters are done.
        unsafe {
            self.ctx
                .driver
                .cuStreamWaitEvent(self.stream, event.event, 0)
        }
    }

    /// An event that happens when what the stream has now is done. `flags` are the driver's (`CU_EVENT_…`); without, the
    /// event has a time.
    #[inline(never)]
    pub fn record_event(&self, flags: Option<u32>) -> Result<CudaEvent, DriverError> {
        let event = CudaEvent::with_flags(&self.ctx, flags.unwrap_or(0))?;
        event.record(self)?;
        Ok(event)
    }

    /// Calls a function on the host when what the stream has now is done. It must not call the driver.
    #[inline(never)]
    pub fn launch_host_function(
        &self,
        f: impl FnOnce() + Send + 'static,
    ) -> Result<(), DriverError> {
        type Boxed = Box<dyn FnOnce() + Send>;
        unsafe extern "C" fn call(data: *mut c_void) {
            // SAFETY: the pointer that was given to the driver, which calls once.
            let f = unsafe { Box::from_raw(data.cast::<Boxed>()) };
            // A panic must not unwind into the driver.
            if std::panic::catch_unwind(std::panic::AssertUnwindSafe(f)).is_err() {
                std::process::abort();
            }
        }
        self.ctx.bind()?;
        let data = Box::into_raw(Box::new(Box::new(f) as Boxed)).cast();
        // SAFETY: `call` takes what `data` is.
        let result = unsafe { self.ctx.driver.cuLaunchHostFunc(self.stream, call, data) };
        if result.is_err() {
            // SAFETY: the driver did not take it.
            drop(unsafe { Box::from_raw(data.cast::<Boxed>()) });
        }
        result
    }
}

impl Drop for CudaStream {
    #[inline(never)]
    fn drop(&mut self) {
        if !self.stream.is_null() {
            // SAFETY: made by `new`; the driver finishes its work first.
            let result = self
                .ctx
                .bind()
                .and_then(|()| unsafe { self.ctx.driver.cuStreamDestroy_v2(self.stream) });
            report_drop("a stream", result);
        }
    }
}

/// A point in a stream.
pub struct CudaEvent {
    ctx: Arc<CudaContext>,
    event: CUevent,
}

// SAFETY: the driver API takes an event from any thread.
unsafe impl Send for CudaEvent {}
// SAFETY: as above.
unsafe impl Sync for CudaEvent {}

impl CudaEvent {
    /// A new event, with timing.
    #[inline(never)]
    pub fn new(ctx: &Arc<CudaContext>) -> Result<Self, DriverError> {
        Self::with_flags(ctx, 0)
    }

    #[inline(never)]
    fn with_flags(ctx: &Arc<CudaContext>, flags: u32) -> Result<Self, DriverError> {
        ctx.bind()?;
        let mut event = std::ptr::null_mut();
        // SAFETY: into a local.
        unsafe { ctx.driver.cuEventCreate(&mut event, flags)? };
        Ok(CudaEvent {
            ctx: ctx.clone(),
            event,
        })
    }

    /// Happens when what the stream has now is done.
    #[inline(never)]
    pub fn record(&self, stream: &CudaStream) -> Result<(), DriverError> {
        self.ctx.bind()?;
        // SAFETY: both are alive.
        unsafe { self.ctx.driver.cuEventRecord(self.event, stream.raw()) }
    }

    /// Whether it has happened.
    #[inline(never)]
    pub fn query(&self) -> Result<bool, DriverError> {
        self.ctx.bind()?;
        // SAFETY: the event is alive.
        match unsafe { self.ctx.driver.cuEventQuery(self.event) } {
            Ok(()) => Ok(true),
            Err(e) if e.code() == Some(NOT_READY) => Ok(false),
            Err(e) => Err(self.ctx.explain(e)),
        }
    }

    /// Waits for it.
    #[inline(never)]
    pub fn synchronize(&self) -> Result<(), DriverError> {
        self.ctx.bind()?;
        // SAFETY: the event is alive.
        unsafe { self.ctx.driver.cuEventSynchronize(self.event) }.map_err(|e| self.ctx.explain(e))
    }

    /// Milliseconds from this event to `end`; waits for both.
    #[inline(never)]
    pub fn elapsed_ms(&self, end: &CudaEvent) -> Result<f32, DriverError> {
        self.synchronize()?;
        end.synchronize()?;
        let mut milliseconds = 0.0;
        // SAFETY: both are alive; into a local.
        unsafe {
            self.ctx
                .driver
                .cuEventElapsedTime(&mut milliseconds, self.event, end.event)?
        };
        Ok(milliseconds)
    }
}

impl Drop for CudaEvent {
    #[inline(never)]
    fn drop(&mut self) {
        // SAFETY: made by `new`.
        let result = self
            .ctx
            .bind()
            .and_then(|()| unsafe { self.ctx.driver.cuEventDestroy_v2(self.event) });
        report_drop("an event", result);
    }
}
