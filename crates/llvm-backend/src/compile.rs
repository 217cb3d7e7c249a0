//! The path from texts of LLVM IR to PTX.

use std::borrow::Cow;
use std::path::Path;

use artifact::SideTable;

use crate::ffi;
use crate::library::{self, Library};
use crate::module::{Context, Machine, Module};
use crate::programs::{self, Programs};
use crate::remainder;
use crate::saturating;
use crate::side;
use crate::signs;
use crate::{Arch, Error, Sources, Unresolved, fatal};

/// The functions that a kernel may call without a body: the driver provides them (CUDA programming guide).
const SYSTEM_CALLS: &[&str] = &["vprintf", "malloc", "free", "__assertfail"];

/// The block's dynamic shared memory (crate `dialect-nvvm`): the launch gives it, so nothing defines it.
const DYNAMIC_SHARED: &str = "__oxide_dynamic_shared";

/// The panic functions and their record, see ARCHITECTURE.md "Panics".
const RUNTIME: &str = include_str!("runtime.ll");
const PANIC: [&str; 2] = ["__oxide_panic", "__oxide_panic2"];

/// `ptx_kernel` in LLVM's numbering of calling conventions (`llvm/IR/CallingConv.h`).
const PTX_KERNEL: u32 = 71;
const INTERNAL: u32 = 8;
const PRIVATE: u32 = 9;
/// `LLVMFastMathAllowContract`.
const CONTRACT: u32 = 1 << 5;

/// How much LLVM optimises.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum OptLevel {
    O0,
    O1,
    O2,
    #[default]
    O3,
}

impl OptLevel {
    pub(crate) fn pipeline(self) -> &'static str {
        match self {
            OptLevel::O0 => "default<O0>",
            OptLevel::O1 => "default<O1>",
            OptLevel::O2 => "default<O2>",
            OptLevel::O3 => "default<O3>",
        }
    }

    /// `LLVMCodeGenOptLevel`.
    pub(crate) fn codegen(self) -> i32 {
        match self {
            OptLevel::O0 => 0,
            OptLevel::O1 => 1,
            OptLevel::O2 => 2,
            OptLevel::O3 => 3,
        }
    }
}

/// What the PTX says of the source. The side table is there in each case, and so are the instructions.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugKind {
    /// Nothing.
    #[default]
    Off,
    /// `.file` and `.loc` (without `, debug` in `.target`, so that ptxas goes on optimising).
    LineTables,
}

/// What to make.
#[derive(Clone, Debug, Default)]
pub struct Options {
    pub arch: Arch,
    /// A PTX version × 10 that the operations need, when it is newer than the architecture's own.
    pub min_ptx: Option<u32>,
    pub opt: OptLevel,
    /// Lets `a * b + c` become one rounding, as nvcc does. Off, the bytes equal those of the CPU.
    pub fmad: bool,
    pub debug: DebugKind,
    /// What `.file` directives call the sources.
    pub sources: Sources,
    /// Symbols that stay visible besides kernels and `externally_initialized` variables.
    pub keep: Vec<String>,
}

/// What came out.
#[derive(Clone, Debug)]
pub struct Emitted {
    pub ptx: String,
    pub side: SideTable,
    /// What LLVM warned of.
    pub warnings: Vec<String>,
}

/// LLVM: rustc's library, opened, or the programs that `CUDA_OXIDE_LLC` names.
#[derive(Clone, Copy)]
pub struct Llvm {
    engine: Engine,
}

#[derive(Clone, Copy)]
enum Engine {
    Library(&'static Library),
    Programs(&'static Programs),
}

impl Llvm {
    /// Opens the libLLVM of the active Rust toolchain, or the one that `CUDA_OXIDE_LLVM` names; where `CUDA_OXIDE_LLC` is set, that
    /// program and those beside it do the work, and no library is looked for.
    pub fn load() -> Result<Self, Error> {
        match programs::shared() {
            Some(found) => Ok(Self {
                engine: Engine::Programs(found?),
            }),
            None => Self::of_library(),
        }
    }

    pub(crate) fn of_library() -> Result<Self, Error> {
        Ok(Self {
            engine: Engine::Library(library::shared()?),
        })
    }

    /// Where the library is, or `llc`.
    pub fn path(&self) -> &Path {
        match self.engine {
            Engine::Library(library) => &library.path,
            Engine::Programs(programs) => programs.path(),
        }
    }

    /// LLVM's version.
    pub fn version(&self) -> (u32, u32, u32) {
        match self.engine {
            Engine::Library(library) => library.version,
            Engine::Programs(programs) => programs.version,
        }
    }

    /// For what only the library can do.
    fn library(&self) -> Result<&'static Library, Error> {
        match self.engine {
            Engine::Library(library) => Ok(library),
            Engine::Programs(programs) => Err(Error::BrokenProgram {
                path: programs.path().to_owned(),
                reason: "this needs LLVM as a library".to_owned(),
            }),
        }
    }

    /// The data layout string of NVPTX, for exporters.
    pub fn data_layout(&self) -> Result<String, Error> {
        let Engine::Library(library) = self.engine else {
            return Ok(programs::DATA_LAYOUT.to_owned());
        };
        let api = &library.api;
        fatal::guarded(
            || Ok(Machine::new(api, &Arch::default(), None, OptLevel::O0)?.data_layout()),
        )
    }

    /// The text of a module in bitcode, as the toolchain's libraries carry it.
    pub fn disassemble(&self, name: &str, bitcode: &[u8]) -> Result<String, Error> {
        let library = match self.engine {
            Engine::Library(library) => library,
            Engine::Programs(programs) => return programs.disassemble(bitcode),
        };
        fatal::guarded(|| {
            let context = Context::new(&library.api);
            Ok(context.parse(name, bitcode)?.print())
        })
    }

    /// Links the modules (name for messages, text or bitcode), optimises, and emits PTX with its side table.
    pub fn compile<N, T>(&self, modules: &[(N, T)], options: &Options) -> Result<Emitted, Error>
    where
        N: AsRef<str> + Sync,
        T: AsRef<[u8]> + Sync,
    {
        let ptx = ptx_version(options)?;
        let library = match self.engine {
            Engine::Library(library) => library,
            Engine::Programs(programs) => {
                return programs.compile(&borrowed(modules), options, ptx);
            }
        };
        fatal::guarded(|| {
            let context = Context::new(&library.api);
            let module = self.optimised(&context, modules, options, ptx)?;
            let numbered = side::number(&module);
            module.verify()?;
            let machine = Machine::new(context.api, &options.arch, ptx, options.opt)?;
            let text = machine.emit(&module).map_err(|error| match error {
                Error::Emit(message) => Error::Emit(numbered.in_message(&message)),
                other => other,
            })?;
            let (ptx, side) = side::read_back(&text, &numbered, options)?;
            Ok(Emitted {
                ptx,
                side,
                warnings: context.take_warnings(),
            })
        })
    }

    /// The LLVM IR after linking and optimisation, as text: what the emitted PTX was made of.
    pub fn optimised_ir<N, T>(&self, modules: &[(N, T)], options: &Options) -> Result<String, Error>
    where
        N: AsRef<str> + Sync,
        T: AsRef<[u8]> + Sync,
    {
        let ptx = ptx_version(options)?;
        let library = match self.engine {
            Engine::Library(library) => library,
            Engine::Programs(programs) => {
                return programs.optimised_ir(&borrowed(modules), options, ptx);
            }
        };
        fatal::guarded(|| {
            let context = Context::new(&library.api);
            Ok(self.optimised(&context, modules, options, ptx)?.print())
        })
    }

    /// PTX as LLVM writes it for a module without any debug metadata: what [`DebugKind::Off`] must equal.
    #[doc(hidden)]
    pub fn compile_stripped<N, T>(
        &self,
        modules: &[(N, T)],
        options: &Options,
    ) -> Result<String, Error>
    where
        N: AsRef<str> + Sync,
        T: AsRef<[u8]> + Sync,
    {
        let ptx = ptx_version(options)?;
        let library = self.library()?;
        fatal::guarded(|| {
            let context = Context::new(&library.api);
            let module = self.optimised(&context, modules, options, ptx)?;
            // SAFETY: a live module.
            unsafe { context.api.LLVMStripModuleDebugInfo(module.raw()) };
            Machine::new(context.api, &options.arch, ptx, options.opt)?.emit(&module)
        })
    }

    /// PTX of a text as it is: no link, no pass.
    #[cfg(test)]
    pub(crate) fn emit_as_it_is(&self, text: &str, options: &Options) -> Result<String, Error> {
        let library = self.library()?;
        fatal::guarded(|| {
            let context = Context::new(&library.api);
            let module = context.parse("text", text.as_bytes())?;
            let machine = Machine::new(
                context.api,
                &options.arch,
                ptx_version(options)?,
                options.opt,
            )?;
            module.verify()?;
            machine.emit(&module)
        })
    }

    fn optimised<'c, N: AsRef<str>, T: AsRef<[u8]>>(
        &self,
        context: &'c Context<'c>,
        modules: &[(N, T)],
        options: &Options,
        ptx: Option<u32>,
    ) -> Result<Module<'c>, Error> {
        let machine = Machine::new(context.api, &options.arch, ptx, options.opt)?;
        let mut linked: Option<Module<'c>> = None;
        for (name, text) in modules {
            let text = rewritten(text.as_ref());
            let module = context.parse(name.as_ref(), &text)?;
            module.retarget(&machine);
            match &linked {
                None => linked = Some(module),
                Some(first) => first.link(module)?,
            }
        }
        let module = linked.ok_or(Error::Empty)?;
        for (symbols, text) in runtimes() {
            if needs(&module, &symbols) {
                let runtime = context.parse("runtime.ll", text.as_bytes())?;
                runtime.retarget(&machine);
                module.link(runtime)?;
            }
        }
        module.verify()?;
        if options.fmad {
            allow_contraction(&module);
        }
        internalise(&module, &options.keep);
        module.run_passes(options.opt.pipeline(), &machine)?;
        // `default<O0>` leaves what nothing uses.
        module.run_passes("globaldce", &machine)?;
        signs::to_the_bit(&module);
        let errors = context.take_errors();
        if !errors.is_empty() {
            return Err(Error::Emit(errors.join("\n")));
        }
        check_externals(&module)?;
        Ok(module)
    }
}

fn borrowed<N: AsRef<str>, T: AsRef<[u8]>>(modules: &[(N, T)]) -> Vec<(&str, &[u8])> {
    modules
        .iter()
        .map(|(n, t)| (n.as_ref(), t.as_ref()))
        .collect()
}

/// A module's text with calls of our functions for what NVPTX has no exact form of.
pub(crate) fn rewritten(module: &[u8]) -> Cow<'_, [u8]> {
    let exact = remainder::exact(module).map(String::into_bytes);
    let exact = exact.map_or(Cow::Borrowed(module), Cow::Owned);
    match saturating::renamed(&exact) {
        Some(text) => Cow::Owned(text.into_bytes()),
        None => exact,
    }
}

/// The functions that are linked when a module declares one of them, and their definitions as text.
pub(crate) fn runtimes() -> [(Vec<String>, String); 3] {
    let names = |all: &[&str]| all.iter().map(|n| n.to_string()).collect();
    [
        (names(&PANIC[..]), RUNTIME.to_owned()),
        (names(&remainder::FUNCTIONS[..]), remainder::definitions()),
        (
            saturating::functions()
                .iter()
                .map(|n| n.to_string())
                .collect(),
            saturating::definitions(),
        ),
    ]
}

/// Whether the driver or the launch defines a symbol.
pub(crate) fn is_provided(symbol: &str) -> bool {
    SYSTEM_CALLS.contains(&symbol) || symbol == DYNAMIC_SHARED
}

/// The PTX version to ask LLVM for; `None` leaves it the architecture's own.
fn ptx_version(options: &Options) -> Result<Option<u32>, Error> {
    let own = options.arch.min_ptx();
    match options.min_ptx {
        Some(asked) if asked > own => Ok(Some(asked)),
        _ => Ok(None),
    }
}

/// Whether the module declares one of these functions without a body.
fn needs(module: &Module<'_>, symbols: &[String]) -> bool {
    module
        .functions()
        .into_iter()
        .any(|f| module.is_declaration(f) && symbols.contains(&module.name(f)))
}

/// Sets the flag by which LLVM may fuse a multiplication and an addition.
fn allow_contraction(module: &Module<'_>) {
    let api = module.context().api;
    for function in module.functions() {
        for instruction in module.instructions(function) {
            // SAFETY: a live instruction; flags are set only where LLVM says that it has any.
            unsafe {
                if api.LLVMCanValueUseFastMathFlags(instruction) != 0 {
                    let flags = api.LLVMGetFastMathFlags(instruction);
                    api.LLVMSetFastMathFlags(instruction, flags | CONTRACT);
                }
            }
        }
    }
}

/// Makes everything private to the module that the host does not look up by name.
fn internalise(module: &Module<'_>, keep: &[String]) {
    let api = module.context().api;
    let is_kept = |value: ffi::Value, name: &str| {
        // SAFETY: a live global value.
        let local = unsafe { matches!(api.LLVMGetLinkage(value), INTERNAL | PRIVATE) };
        local
            || module.is_declaration(value)
            || name.starts_with("llvm.")
            || keep.iter().any(|k| k == name)
    };
    let hide = |value: ffi::Value| {
        // SAFETY: a live definition; what is internal must have default visibility.
        unsafe {
            api.LLVMSetVisibility(value, 0);
            api.LLVMSetLinkage(value, INTERNAL);
        }
    };
    for function in module.functions() {
        // SAFETY: a live function.
        let kernel = unsafe { api.LLVMGetFunctionCallConv(function) } == PTX_KERNEL;
        if !kernel && !is_kept(function, &module.name(function)) {
            hide(function);
        }
    }
    for global in module.globals() {
        // SAFETY: a live global variable.
        let host_writes = unsafe { api.LLVMIsExternallyInitialized(global) } != 0;
        if !host_writes && !is_kept(global, &module.name(global)) {
            hide(global);
        }
    }
}

/// Every declaration that is still used must be an intrinsic of LLVM or a system call of the driver.
fn check_externals(module: &Module<'_>) -> Result<(), Error> {
    let api = module.context().api;
    let mut unresolved = Vec::new();
    for value in module.functions().into_iter().chain(module.globals()) {
        let name = module.name(value);
        // SAFETY: a live global value.
        let unused = unsafe { api.LLVMGetFirstUse(value) }.is_null();
        let provided = is_provided(&name);
        if !module.is_declaration(value) || unused || provided {
            continue;
        }
        let (user, frames) = side::first_user(module, value);
        if name.starts_with("llvm.") {
            // SAFETY: as above; a name with this prefix is a function's.
            if unsafe { api.LLVMGetIntrinsicID(value) } == 0 {
                return Err(Error::UnknownIntrinsic { symbol: name, user });
            }
            continue;
        }
        unresolved.push(Unresolved {
            symbol: name,
            user,
            frames,
        });
    }
    if unresolved.is_empty() {
        Ok(())
    } else {
        Err(Error::Unresolved(unresolved))
    }
}
