//! The prototypes of LLVM's C API that this crate calls, loaded from a shared library by name.
//!
//! Written by hand from LLVM 22's `llvm-c` headers: only what is used, so that a library that lacks one of
//! them is found out at load and not at the first call.

use std::ffi::{c_char, c_int, c_uint, c_void};

/// Declares an opaque pointer type of the C API.
macro_rules! opaque {
    ($($name:ident),* $(,)?) => {
        $(
            #[doc = concat!("`LLVM", stringify!($name), "Ref`.")]
            pub type $name = *mut c_void;
        )*
    };
}

opaque!(
    Context,
    Module,
    Value,
    Type,
    BasicBlock,
    Metadata,
    MemoryBuffer,
    Target,
    TargetMachine,
    TargetData,
    PassBuilderOptions,
    Error,
    DiagnosticInfo,
    DiBuilder,
    Builder,
);

/// `LLVMBool`: for most functions 0 is success.
pub type Bool = c_int;
/// `LLVMDiagnosticHandler`.
pub type DiagnosticHandler = unsafe extern "C" fn(DiagnosticInfo, *mut c_void);
/// `LLVMFatalErrorHandler`.
pub type FatalErrorHandler = unsafe extern "C" fn(*const c_char);

macro_rules! api {
    ($(fn $name:ident($($arg:ident: $ty:ty),* $(,)?) $(-> $ret:ty)?;)*) => {
        /// The loaded functions. The library is kept open for as long as the process runs.
        #[allow(non_snake_case)]
        pub struct Api {
            $(pub(crate) $name: unsafe extern "C" fn($($ty),*) $(-> $ret)?,)*
        }

        impl Api {
            /// Looks every function up; the error is the name of the first that is missing.
            ///
            /// # Safety
            /// `library` must be an LLVM of the major version that the prototypes are written from, and must
            /// never be unloaded while the result lives.
            pub unsafe fn load(library: &libloading::Library) -> Result<Self, &'static str> {
                Ok(Self {
                    $(
                        // SAFETY: the caller says that the library is LLVM 22, whose function of this name has
                        // this prototype.
                        $name: unsafe {
                            *library
                                .get::<unsafe extern "C" fn($($ty),*) $(-> $ret)?>(concat!(stringify!($name), "\0"))
                                .map_err(|_| stringify!($name))?
                        },
                    )*
                })
            }
        }

        impl Api {
            $(
                #[allow(non_snake_case, clippy::too_many_arguments)]
                #[inline]
                pub(crate) unsafe fn $name(&self, $($arg: $ty),*) $(-> $ret)? {
                    // SAFETY: the prototype is LLVM's; the caller answers for the arguments.
                    unsafe { (self.$name)($($arg),*) }
                }
            )*
        }
    };
}

api! {
    // Core: contexts, messages, diagnostics.
    fn LLVMContextCreate() -> Context;
    fn LLVMContextDispose(context: Context);
    fn LLVMContextSetDiagnosticHandler(context: Context, handler: DiagnosticHandler, data: *mut c_void);
    fn LLVMGetDiagInfoDescription(info: DiagnosticInfo) -> *mut c_char;
    fn LLVMGetDiagInfoSeverity(info: DiagnosticInfo) -> c_int;
    fn LLVMDisposeMessage(message: *mut c_char);
    fn LLVMInstallFatalErrorHandler(handler: FatalErrorHandler);
    fn LLVMParseCommandLineOptions(count: c_int, words: *const *const c_char, overview: *const c_char);
    fn LLVMGetErrorMessage(error: Error) -> *mut c_char;
    fn LLVMDisposeErrorMessage(message: *mut c_char);
    fn LLVMCreateMemoryBufferWithMemoryRangeCopy(data: *const c_char, len: usize, name: *const c_char) -> MemoryBuffer;
    fn LLVMGetBufferStart(buffer: MemoryBuffer) -> *const c_char;
    fn LLVMGetBufferSize(buffer: MemoryBuffer) -> usize;
    fn LLVMDisposeMemoryBuffer(buffer: MemoryBuffer);

    // Modules.
    fn LLVMParseIRInContext(context: Context, buffer: MemoryBuffer, module: *mut Module, message: *mut *mut c_char) -> Bool;
    fn LLVMDisposeModule(module: Module);
    fn LLVMSetTarget(module: Module, triple: *const c_char);
    fn LLVMSetModuleDataLayout(module: Module, layout: TargetData);
    fn LLVMLinkModules2(dest: Module, src: Module) -> Bool;
    fn LLVMVerifyModule(module: Module, action: c_int, message: *mut *mut c_char) -> Bool;
    fn LLVMPrintModuleToString(module: Module) -> *mut c_char;
    fn LLVMStripModuleDebugInfo(module: Module) -> Bool;
    fn LLVMAddModuleFlag(module: Module, behavior: c_int, key: *const c_char, len: usize, value: Metadata);
    fn LLVMGetModuleFlag(module: Module, key: *const c_char, len: usize) -> Metadata;
    fn LLVMGetFirstFunction(module: Module) -> Value;
    fn LLVMGetNextFunction(function: Value) -> Value;
    fn LLVMGetFirstGlobal(module: Module) -> Value;
    fn LLVMGetNextGlobal(global: Value) -> Value;

    // Values.
    fn LLVMGetValueName2(value: Value, len: *mut usize) -> *const c_char;
    fn LLVMIsDeclaration(value: Value) -> Bool;
    fn LLVMIsExternallyInitialized(value: Value) -> Bool;
    fn LLVMSetLinkage(value: Value, linkage: c_uint);
    fn LLVMGetLinkage(value: Value) -> c_uint;
    fn LLVMSetVisibility(value: Value, visibility: c_uint);
    fn LLVMGetFunctionCallConv(function: Value) -> c_uint;
    fn LLVMGetIntrinsicID(function: Value) -> c_uint;
    fn LLVMGetFirstUse(value: Value) -> *mut c_void;
    fn LLVMGetNextUse(r#use: *mut c_void) -> *mut c_void;
    fn LLVMGetUser(r#use: *mut c_void) -> Value;
    fn LLVMIsAInstruction(value: Value) -> Value;
    fn LLVMGetFirstBasicBlock(function: Value) -> BasicBlock;
    fn LLVMGetNextBasicBlock(block: BasicBlock) -> BasicBlock;
    fn LLVMGetBasicBlockParent(block: BasicBlock) -> Value;
    fn LLVMGetFirstInstruction(block: BasicBlock) -> Value;
    fn LLVMGetNextInstruction(instruction: Value) -> Value;
    fn LLVMGetInstructionParent(instruction: Value) -> BasicBlock;
    fn LLVMCanValueUseFastMathFlags(value: Value) -> Bool;
    fn LLVMGetFastMathFlags(value: Value) -> c_uint;
    fn LLVMSetFastMathFlags(value: Value, flags: c_uint);
    fn LLVMConstInt(ty: Type, value: u64, signed: Bool) -> Value;
    fn LLVMConstVector(values: *mut Value, count: c_uint) -> Value;
    fn LLVMInt32TypeInContext(context: Context) -> Type;
    fn LLVMIntTypeInContext(context: Context, bits: c_uint) -> Type;
    fn LLVMVectorType(element: Type, count: c_uint) -> Type;
    fn LLVMTypeOf(value: Value) -> Type;
    fn LLVMGetTypeKind(ty: Type) -> c_uint;
    fn LLVMGetElementType(ty: Type) -> Type;
    fn LLVMGetVectorSize(ty: Type) -> c_uint;
    fn LLVMGetInstructionOpcode(instruction: Value) -> c_uint;
    fn LLVMGetCalledValue(call: Value) -> Value;
    fn LLVMGetOperand(user: Value, index: c_uint) -> Value;
    fn LLVMReplaceAllUsesWith(old: Value, new: Value);
    fn LLVMInstructionEraseFromParent(instruction: Value);

    // Building instructions.
    fn LLVMCreateBuilderInContext(context: Context) -> Builder;
    fn LLVMDisposeBuilder(builder: Builder);
    fn LLVMPositionBuilderBefore(builder: Builder, instruction: Value);
    fn LLVMBuildBitCast(builder: Builder, value: Value, ty: Type, name: *const c_char) -> Value;
    fn LLVMBuildXor(builder: Builder, a: Value, b: Value, name: *const c_char) -> Value;
    fn LLVMBuildAnd(builder: Builder, a: Value, b: Value, name: *const c_char) -> Value;
    fn LLVMBuildOr(builder: Builder, a: Value, b: Value, name: *const c_char) -> Value;
    fn LLVMValueAsMetadata(value: Value) -> Metadata;

    // Debug metadata.
    fn LLVMMetadataAsValue(context: Context, metadata: Metadata) -> Value;
    fn LLVMGetMDNodeNumOperands(value: Value) -> c_uint;
    fn LLVMGetMDNodeOperands(value: Value, operands: *mut Value);
    fn LLVMGetMDString(value: Value, len: *mut c_uint) -> *const c_char;
    fn LLVMGetMetadataKind(metadata: Metadata) -> c_uint;
    fn LLVMGetSubprogram(function: Value) -> Metadata;
    fn LLVMSetSubprogram(function: Value, subprogram: Metadata);
    fn LLVMInstructionGetDebugLoc(instruction: Value) -> Metadata;
    fn LLVMInstructionSetDebugLoc(instruction: Value, location: Metadata);
    fn LLVMDILocationGetLine(location: Metadata) -> c_uint;
    fn LLVMDILocationGetColumn(location: Metadata) -> c_uint;
    fn LLVMDILocationGetScope(location: Metadata) -> Metadata;
    fn LLVMDILocationGetInlinedAt(location: Metadata) -> Metadata;
    fn LLVMDIScopeGetFile(scope: Metadata) -> Metadata;
    fn LLVMDIFileGetDirectory(file: Metadata, len: *mut c_uint) -> *const c_char;
    fn LLVMDIFileGetFilename(file: Metadata, len: *mut c_uint) -> *const c_char;
    fn LLVMDISubprogramGetLine(subprogram: Metadata) -> c_uint;
    fn LLVMCreateDIBuilder(module: Module) -> DiBuilder;
    fn LLVMDisposeDIBuilder(builder: DiBuilder);
    fn LLVMDIBuilderFinalize(builder: DiBuilder);
    fn LLVMDIBuilderCreateCompileUnit(
        builder: DiBuilder, lang: c_uint, file: Metadata, producer: *const c_char, producer_len: usize,
        optimized: Bool, flags: *const c_char, flags_len: usize, runtime_version: c_uint, split: *const c_char,
        split_len: usize, kind: c_uint, dwo_id: c_uint, split_inlining: Bool, profiling: Bool,
        sysroot: *const c_char, sysroot_len: usize, sdk: *const c_char, sdk_len: usize,
    ) -> Metadata;
    fn LLVMDIBuilderCreateFile(
        builder: DiBuilder, name: *const c_char, name_len: usize, directory: *const c_char, directory_len: usize,
    ) -> Metadata;
    fn LLVMDIBuilderCreateSubroutineType(
        builder: DiBuilder, file: Metadata, params: *mut Metadata, count: c_uint, flags: c_int,
    ) -> Metadata;
    fn LLVMDIBuilderCreateFunction(
        builder: DiBuilder, scope: Metadata, name: *const c_char, name_len: usize, linkage: *const c_char,
        linkage_len: usize, file: Metadata, line: c_uint, ty: Metadata, local: Bool, definition: Bool,
        scope_line: c_uint, flags: c_int, optimized: Bool,
    ) -> Metadata;
    fn LLVMDIBuilderCreateDebugLocation(
        context: Context, line: c_uint, column: c_uint, scope: Metadata, inlined_at: Metadata,
    ) -> Metadata;

    // Target and passes.
    fn LLVMInitializeNVPTXTargetInfo();
    fn LLVMInitializeNVPTXTarget();
    fn LLVMInitializeNVPTXTargetMC();
    fn LLVMInitializeNVPTXAsmPrinter();
    fn LLVMGetTargetFromTriple(triple: *const c_char, target: *mut Target, message: *mut *mut c_char) -> Bool;
    fn LLVMCreateTargetMachine(
        target: Target, triple: *const c_char, cpu: *const c_char, features: *const c_char, level: c_int,
        reloc: c_int, code_model: c_int,
    ) -> TargetMachine;
    fn LLVMDisposeTargetMachine(machine: TargetMachine);
    fn LLVMCreateTargetDataLayout(machine: TargetMachine) -> TargetData;
    fn LLVMDisposeTargetData(layout: TargetData);
    fn LLVMCopyStringRepOfTargetData(layout: TargetData) -> *mut c_char;
    fn LLVMTargetMachineEmitToMemoryBuffer(
        machine: TargetMachine, module: Module, kind: c_int, message: *mut *mut c_char, buffer: *mut MemoryBuffer,
    ) -> Bool;
    fn LLVMCreatePassBuilderOptions() -> PassBuilderOptions;
    fn LLVMDisposePassBuilderOptions(options: PassBuilderOptions);
    fn LLVMRunPasses(
        module: Module, passes: *const c_char, machine: TargetMachine, options: PassBuilderOptions,
    ) -> Error;
}

/// `LLVMGetVersion`, looked up before anything else so that the version decides whether to go on.
pub type GetVersion = unsafe extern "C" fn(*mut c_uint, *mut c_uint, *mut c_uint);
