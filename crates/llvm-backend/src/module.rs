//! Owners of LLVM's objects: each frees what it holds, and a module cannot outlive its context.

use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr::{null, null_mut};

use crate::ffi::{self, Api};
use crate::{Arch, Error, OptLevel};

/// The triple of everything that is emitted.
pub const TRIPLE: &CStr = c"nvptx64-nvidia-cuda";

/// What LLVM said through its diagnostic handler, in order.
#[derive(Default)]
struct Said {
    errors: Vec<String>,
    warnings: Vec<String>,
}

/// An LLVM context whose diagnostics are collected, never printed.
pub(crate) struct Context<'a> {
    pub api: &'a Api,
    raw: ffi::Context,
    /// Boxed twice so that LLVM's pointer to it stays valid when the context moves.
    said: *mut Said,
}

impl<'a> Context<'a> {
    pub fn new(api: &'a Api) -> Self {
        let said = Box::into_raw(Box::<Said>::default());
        // SAFETY: a fresh context; `said` lives until `drop`, after the context is gone.
        let raw = unsafe {
            let raw = api.LLVMContextCreate();
            api.LLVMContextSetDiagnosticHandler(raw, collect, said.cast());
            raw
        };
        Self { api, raw, said }
    }

    pub fn raw(&self) -> ffi::Context {
        self.raw
    }

    /// Takes the errors said since the last call.
    pub fn take_errors(&self) -> Vec<String> {
        // SAFETY: the handler runs only inside calls of LLVM on this thread, and none is running here.
        unsafe { std::mem::take(&mut (*self.said).errors) }
    }

    /// Takes the warnings said since the last call.
    pub fn take_warnings(&self) -> Vec<String> {
        // SAFETY: as in `take_errors`.
        unsafe { std::mem::take(&mut (*self.said).warnings) }
    }

    /// Parses textual IR or bitcode; `name` is what messages call it.
    pub fn parse(&self, name: &str, text: &[u8]) -> Result<Module<'_>, Error> {
        let c_name = CString::new(name.replace('\0', "")).expect("no NUL is left");
        let mut raw = null_mut();
        let mut message = null_mut();
        // SAFETY: the range is `text`'s; the copy gets the final 0 that LLVM's lexer needs; `LLVMParseIRInContext`
        // takes the buffer.
        let failed = unsafe {
            let buffer = self.api.LLVMCreateMemoryBufferWithMemoryRangeCopy(
                text.as_ptr().cast(),
                text.len(),
                c_name.as_ptr(),
            );
            self.api
                .LLVMParseIRInContext(self.raw, buffer, &mut raw, &mut message)
        };
        let message = take_message(self.api, message);
        if failed != 0 || raw.is_null() {
            return Err(Error::Parse {
                name: name.to_owned(),
                message: message.unwrap_or_default().trim().to_owned(),
            });
        }
        Ok(Module { context: self, raw })
    }
}

impl Drop for Context<'_> {
    fn drop(&mut self) {
        // SAFETY: modules borrow the context, so none is left; `said` came from `Box::into_raw`.
        unsafe {
            self.api.LLVMContextDispose(self.raw);
            drop(Box::from_raw(self.said));
        }
    }
}

unsafe extern "C" fn collect(info: ffi::DiagnosticInfo, data: *mut c_void) {
    let Ok(library) = crate::library::shared() else {
        return;
    };
    // SAFETY: `data` is the `Said` of the context that speaks, and nobody else holds a reference to it now.
    let said = unsafe { &mut *data.cast::<Said>() };
    // SAFETY: LLVM passes a live diagnostic.
    let (severity, message) = unsafe {
        (
            library.api.LLVMGetDiagInfoSeverity(info),
            library.api.LLVMGetDiagInfoDescription(info),
        )
    };
    let message = take_message(&library.api, message).unwrap_or_default();
    match severity {
        0 => said.errors.push(message),
        1 => said.warnings.push(message),
        _ => {}
    }
}

/// Copies and frees a message of LLVM; `None` for a null one.
fn take_message(api: &Api, message: *mut c_char) -> Option<String> {
    if message.is_null() {
        return None;
    }
    // SAFETY: a string that LLVM allocated for us and that ends in 0.
    unsafe {
        let text = CStr::from_ptr(message).to_string_lossy().into_owned();
        api.LLVMDisposeMessage(message);
        Some(text)
    }
}

/// A module, freed on drop.
pub(crate) struct Module<'c> {
    context: &'c Context<'c>,
    raw: ffi::Module,
}

impl<'c> Module<'c> {
    pub fn raw(&self) -> ffi::Module {
        self.raw
    }

    pub fn context(&self) -> &'c Context<'c> {
        self.context
    }

    fn api(&self) -> &'c Api {
        self.context.api
    }

    /// Sets triple and data layout from the machine.
    pub fn retarget(&self, machine: &Machine<'_>) {
        // SAFETY: live objects; the layout is freed after its text was copied into the module.
        unsafe {
            self.api().LLVMSetTarget(self.raw, TRIPLE.as_ptr());
            let layout = self.api().LLVMCreateTargetDataLayout(machine.raw);
            self.api().LLVMSetModuleDataLayout(self.raw, layout);
            self.api().LLVMDisposeTargetData(layout);
        }
    }

    pub fn verify(&self) -> Result<(), Error> {
        let mut message = null_mut();
        // SAFETY: a live module; action 2 is `LLVMReturnStatusAction`, which neither prints nor aborts.
        let failed = unsafe { self.api().LLVMVerifyModule(self.raw, 2, &mut message) };
        let message = take_message(self.api(), message);
        if failed != 0 {
            return Err(Error::Verify(message.unwrap_or_default().trim().to_owned()));
        }
        Ok(())
    }

    /// Links `other` into this module.
    pub fn link(&self, other: Module<'c>) -> Result<(), Error> {
        let source = other.raw;
        std::mem::forget(other);
        // SAFETY: both are of one context (the lifetime says so); the source is consumed, also on failure.
        let failed = unsafe { self.api().LLVMLinkModules2(self.raw, source) };
        if failed != 0 {
            return Err(Error::Link(self.context.take_errors().join("\n")));
        }
        Ok(())
    }

    /// Runs a textual pass pipeline with the machine's own passes in it.
    pub fn run_passes(&self, pipeline: &str, machine: &Machine<'_>) -> Result<(), Error> {
        let c_pipeline = CString::new(pipeline).map_err(|_| Error::Passes {
            pipeline: pipeline.to_owned(),
            message: "a NUL".to_owned(),
        })?;
        // SAFETY: live objects; the options are freed after the run; the error, if any, is consumed by its getter.
        unsafe {
            let options = self.api().LLVMCreatePassBuilderOptions();
            let error =
                self.api()
                    .LLVMRunPasses(self.raw, c_pipeline.as_ptr(), machine.raw, options);
            self.api().LLVMDisposePassBuilderOptions(options);
            if !error.is_null() {
                let message = self.api().LLVMGetErrorMessage(error);
                let text = CStr::from_ptr(message).to_string_lossy().into_owned();
                self.api().LLVMDisposeErrorMessage(message);
                return Err(Error::Passes {
                    pipeline: pipeline.to_owned(),
                    message: text,
                });
            }
        }
        Ok(())
    }

    pub fn print(&self) -> String {
        // SAFETY: a live module.
        take_message(self.api(), unsafe {
            self.api().LLVMPrintModuleToString(self.raw)
        })
        .unwrap_or_default()
    }

    /// All functions, in order.
    pub fn functions(&self) -> Vec<ffi::Value> {
        let mut all = Vec::new();
        // SAFETY: a walk over a live module.
        let mut at = unsafe { self.api().LLVMGetFirstFunction(self.raw) };
        while !at.is_null() {
            all.push(at);
            // SAFETY: as above.
            at = unsafe { self.api().LLVMGetNextFunction(at) };
        }
        all
    }

    /// All global variables, in order.
    pub fn globals(&self) -> Vec<ffi::Value> {
        let mut all = Vec::new();
        // SAFETY: a walk over a live module.
        let mut at = unsafe { self.api().LLVMGetFirstGlobal(self.raw) };
        while !at.is_null() {
            all.push(at);
            // SAFETY: as above.
            at = unsafe { self.api().LLVMGetNextGlobal(at) };
        }
        all
    }

    /// The instructions of `function`, in order.
    pub fn instructions(&self, function: ffi::Value) -> Vec<ffi::Value> {
        let mut all = Vec::new();
        // SAFETY: a walk over a live function.
        unsafe {
            let mut block = self.api().LLVMGetFirstBasicBlock(function);
            while !block.is_null() {
                let mut instruction = self.api().LLVMGetFirstInstruction(block);
                while !instruction.is_null() {
                    all.push(instruction);
                    instruction = self.api().LLVMGetNextInstruction(instruction);
                }
                block = self.api().LLVMGetNextBasicBlock(block);
            }
        }
        all
    }

    pub fn name(&self, value: ffi::Value) -> String {
        let mut len = 0;
        // SAFETY: a live value; the name is `len` bytes that live as long as it.
        unsafe {
            let start = self.api().LLVMGetValueName2(value, &mut len);
            String::from_utf8_lossy(std::slice::from_raw_parts(start.cast::<u8>(), len))
                .into_owned()
        }
    }

    pub fn is_declaration(&self, value: ffi::Value) -> bool {
        // SAFETY: a live global value.
        unsafe { self.api().LLVMIsDeclaration(value) != 0 }
    }
}

impl Drop for Module<'_> {
    fn drop(&mut self) {
        // SAFETY: owned, and not consumed by `link` (which forgets it).
        unsafe { self.api().LLVMDisposeModule(self.raw) }
    }
}

/// A target machine. Use a fresh one for each emission: it keeps counters that show in the text.
pub(crate) struct Machine<'a> {
    api: &'a Api,
    raw: ffi::TargetMachine,
}

impl<'a> Machine<'a> {
    pub fn new(api: &'a Api, arch: &Arch, ptx: Option<u32>, opt: OptLevel) -> Result<Self, Error> {
        let cpu = CString::new(arch.name()).expect("a name of the table");
        let features =
            CString::new(ptx.map(|ptx| format!("+ptx{ptx}")).unwrap_or_default()).expect("digits");
        let mut target = null_mut();
        let mut message = null_mut();
        // SAFETY: out pointers are writable; the strings end in 0; relocation and code model are LLVM's defaults.
        let raw = unsafe {
            if api.LLVMGetTargetFromTriple(TRIPLE.as_ptr(), &mut target, &mut message) != 0 {
                return Err(Error::Internal(
                    take_message(api, message).unwrap_or_default(),
                ));
            }
            api.LLVMCreateTargetMachine(
                target,
                TRIPLE.as_ptr(),
                cpu.as_ptr(),
                features.as_ptr(),
                opt.codegen(),
                0,
                0,
            )
        };
        if raw.is_null() {
            return Err(Error::Internal(format!(
                "libLLVM gives no target machine for {}",
                arch.name()
            )));
        }
        Ok(Self { api, raw })
    }

    /// The data layout string of the target.
    pub fn data_layout(&self) -> String {
        // SAFETY: live objects, freed here.
        unsafe {
            let layout = self.api.LLVMCreateTargetDataLayout(self.raw);
            let text = self.api.LLVMCopyStringRepOfTargetData(layout);
            self.api.LLVMDisposeTargetData(layout);
            take_message(self.api, text).unwrap_or_default()
        }
    }

    /// Emits PTX text.
    pub fn emit(&self, module: &Module<'_>) -> Result<String, Error> {
        let mut message = null_mut();
        let mut buffer = null_mut();
        // SAFETY: live objects and writable out pointers; kind 0 is `LLVMAssemblyFile`.
        let failed = unsafe {
            self.api.LLVMTargetMachineEmitToMemoryBuffer(
                self.raw,
                module.raw,
                0,
                &mut message,
                &mut buffer,
            )
        };
        let message = take_message(self.api, message);
        let errors = module.context.take_errors();
        if failed != 0 || buffer.is_null() {
            return Err(Error::Emit(
                message
                    .into_iter()
                    .chain(errors)
                    .collect::<Vec<_>>()
                    .join("\n"),
            ));
        }
        // SAFETY: the buffer's range is readable until it is freed.
        let text = unsafe {
            let start = self.api.LLVMGetBufferStart(buffer).cast::<u8>();
            let text =
                std::slice::from_raw_parts(start, self.api.LLVMGetBufferSize(buffer)).to_vec();
            self.api.LLVMDisposeMemoryBuffer(buffer);
            text
        };
        if !errors.is_empty() {
            return Err(Error::Emit(errors.join("\n")));
        }
        String::from_utf8(text).map_err(|_| Error::Emit("the PTX is not UTF-8".to_owned()))
    }
}

impl Drop for Machine<'_> {
    fn drop(&mut self) {
        // SAFETY: owned.
        unsafe { self.api.LLVMDisposeTargetMachine(self.raw) }
    }
}

/// Null pointer and zero length, for the many optional strings of the debug builder.
pub(crate) const NO_STRING: (*const c_char, usize) = (null(), 0);
