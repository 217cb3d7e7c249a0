//! What the simulated driver calls in a debugged program.

use crate::engine::{ENGINE, Image};
use crate::grid::Grid;
use crate::image::{self, Text};
use crate::{VARIABLE, server, slots};
use cudbg::Event;
use gpu_sim::{Device, Kernel, LaunchError, LaunchParams, Module};
use std::os::unix::net::UnixStream;
use std::sync::{Arc, Mutex, Once};

/// Launches take turns: the API shows one grid at a time.
static LAUNCH: Mutex<()> = Mutex::new(());

/// Connects with the debugger that the environment names, once, and waits until it is ready. Without one this does nothing.
/// A debugger that cannot be reached ends the program: it was started to be debugged.
pub fn start(device: &'static Device) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let Some(path) = std::env::var_os(VARIABLE).filter(|p| !p.is_empty()) else {
            return;
        };
        let stream = match UnixStream::connect(&path) {
            Ok(s) => s,
            Err(e) => {
                eprintln!(
                    "cuda-oxide: {VARIABLE} names a debugger that cannot be reached: {}: {e}",
                    path.display()
                );
                std::process::exit(1);
            }
        };
        attach(device, stream);
        drop(ENGINE.wait(ENGINE.lock(), |c| !c.initialized && !c.detached));
    });
}

/// Serves the API on a connected socket. When the debugger hangs up without `finalize`, the program ends: it must not be left behind.
pub fn attach(device: &'static Device, stream: UnixStream) {
    let Ok(writer) = stream.try_clone() else {
        return;
    };
    let writer = Arc::new(Mutex::new(writer));
    ENGINE.lock().device = Some(device);
    ENGINE.set_notifier(writer.clone());
    let serve = move || {
        server::serve(slots::table(), stream, &writer);
        if !ENGINE.lock().detached {
            eprintln!("cuda-oxide: the debugger is gone");
            std::process::exit(1);
        }
    };
    if let Err(e) = std::thread::Builder::new()
        .name("cudbg calls".into())
        .spawn(serve)
    {
        eprintln!("cuda-oxide: no thread for the debugger: {e}");
        std::process::exit(1);
    }
}

/// Whether a debugger is there.
pub fn debugged() -> bool {
    let c = ENGINE.lock();
    c.initialized && !c.detached
}

/// A context that is used for the first time.
fn context(handle: u64) {
    if ENGINE.lock().contexts.insert(handle) {
        ENGINE.event(
            Event::ContextCreate {
                dev: 0,
                tid: std::process::id(),
                context: handle,
            },
            true,
        );
    }
}

/// Shows a module, with its side table, before its first kernel runs.
fn module(context: u64, handle: u64, module: &Arc<Module>, side: &[u8]) {
    let mut c = ENGINE.lock();
    if c.images.iter().any(|i| i.handle == handle) {
        return;
    }
    let mut texts = Vec::new();
    for name in module.kernels() {
        // A kernel that cannot be decoded cannot run, and has no code.
        if let Ok(kernel) = module.kernel(&name) {
            let base = c.place_code(kernel.instruction_count());
            texts.push(Text { kernel, base });
        }
    }
    let bytes = match image::build(&texts, module.text(), side) {
        Ok(b) => b,
        Err(e) => {
            eprintln!("cuda-oxide: no image for the debugger: {e}");
            return;
        }
    };
    let size = bytes.len() as u64;
    c.images.push(Image {
        handle,
        bytes,
        texts,
    });
    drop(c);
    ENGINE.event(
        Event::ElfImageLoaded {
            dev: 0,
            context,
            module: handle,
            size,
            handle,
            properties: 0,
        },
        true,
    );
}

/// A module goes.
pub fn unload(handle: u64) {
    let mut c = ENGINE.lock();
    let Some(at) = c.images.iter().position(|i| i.handle == handle) else {
        return;
    };
    let image = c.images.remove(at);
    let gone = |a: &u64| image.texts.iter().any(|t| (t.base..t.end()).contains(a));
    c.breakpoints.retain(|a| !gone(a));
    let context = c.contexts.last().copied().unwrap_or(0);
    drop(c);
    ENGINE.event(
        Event::ElfImageUnloaded {
            dev: 0,
            context,
            module: handle,
            size: image.bytes.len() as u64,
            handle,
        },
        true,
    );
}

/// What a launch belongs to.
pub struct Launched<'a> {
    /// The driver's handles.
    pub context: u64,
    /// The driver's handle.
    pub module: u64,
    /// The driver's handle.
    pub function: u64,
    /// The kernel.
    pub kernel: &'a Kernel,
    /// The side table's bytes, empty without.
    pub side: &'a [u8],
}

/// Runs a kernel to its end under the debugger.
pub fn launch(
    device: &'static Device,
    of: &Launched<'_>,
    params: &LaunchParams,
) -> Result<(), LaunchError> {
    let _turn = LAUNCH.lock().unwrap_or_else(|e| e.into_inner());
    context(of.context);
    module(of.context, of.module, of.kernel.module(), of.side);
    let mut c = ENGINE.lock();
    c.last_grid += 1;
    let id = c.last_grid;
    let texts = c
        .images
        .iter()
        .filter(|i| i.handle == of.module)
        .flat_map(|i| &i.texts);
    let entry = texts
        .into_iter()
        .find(|t| t.kernel.name() == of.kernel.name())
        .map_or(0, |t| t.base);
    let defer = c.defer_launches;
    drop(c);
    let mut grid = Grid::new(device, of.kernel, params, id, entry)?;
    (grid.context, grid.module) = (of.context, of.module);
    let tid = std::process::id();
    if !defer {
        let ready = Event::KernelReady {
            dev: 0,
            tid,
            grid: id,
            context: of.context,
            module: of.module,
            function: of.function,
            entry,
            grid_dim: params.grid,
            block_dim: params.block,
        };
        ENGINE.event(ready, true);
    }
    ENGINE.run(grid)?;
    if !defer {
        let finished = Event::KernelFinished {
            dev: 0,
            tid,
            grid: id,
            context: of.context,
            module: of.module,
            function: of.function,
            entry,
        };
        ENGINE.event(finished, true);
    }
    Ok(())
}
