//! The side table: which Rust line, through which inlined calls, each PTX line comes from.
//!
//! PTX's `.loc` carries one file and line and no inline chain. So, after optimisation, every debug location is replaced
//! by one whose *line* is the number of its chain in a list of ours; LLVM carries the numbers into `.loc` lines, and
//! they are read back and taken out of the text. Locations do not change which instructions LLVM emits, so the text
//! that is left equals the one without debug metadata (tests compare them).

use std::collections::HashMap;
use std::fmt::Write;

use artifact::SideTable;

use crate::ffi::{self, Api};
use crate::module::{Module, NO_STRING};
use crate::{DebugKind, Error, Options, Sources};

/// One frame of an inline chain.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Frame {
    pub file: String,
    /// 1-based; 0 where LLVM merged code of several lines.
    pub line: u32,
    /// 1-based; 0 for unknown.
    pub column: u32,
    pub function: String,
}

/// The chains whose numbers the module's locations now carry (number = index + 1).
pub(crate) struct Numbered {
    chains: Vec<Vec<Frame>>,
}

impl Numbered {
    pub fn new(chains: Vec<Vec<Frame>>) -> Self {
        Self { chains }
    }

    /// A message of LLVM in which our numbers stand for lines (`oxide-chains:7:0`), with the Rust places instead.
    pub fn in_message(&self, message: &str) -> String {
        let mut out = String::new();
        let mut rest = message;
        while let Some(at) = rest
            .find(FILE_NAME)
            .filter(|at| rest[at + FILE_NAME.len()..].starts_with(':'))
        {
            let after = &rest[at + FILE_NAME.len() + 1..];
            let digits = after.bytes().take_while(u8::is_ascii_digit).count();
            let number = after[..digits].parse::<usize>().ok();
            let chain = number.and_then(|n| self.chains.get(n.checked_sub(1)?));
            out.push_str(&rest[..at]);
            match chain.and_then(|chain| chain.iter().find(|f| f.line != 0)) {
                Some(f) => {
                    let _ = write!(out, "{}:{}:{}", f.file, f.line, f.column);
                    rest = after[digits..]
                        .strip_prefix(":0")
                        .unwrap_or(&after[digits..]);
                }
                None => {
                    out.push_str(&rest[at..at + FILE_NAME.len() + 1]);
                    rest = after;
                }
            }
        }
        out.push_str(rest);
        out
    }
}

/// What our numbers are lines of, for LLVM.
pub(crate) const FILE_NAME: &str = "oxide-chains";

/// Metadata kinds of the C API (`LLVMMetadataKind`).
mod kind {
    pub const DI_SUBPROGRAM: u32 = 17;
    pub const DI_LEXICAL_BLOCK: u32 = 18;
    pub const DI_LEXICAL_BLOCK_FILE: u32 = 19;
    pub const DI_NAMESPACE: u32 = 20;
    pub const DI_COMPOSITE_TYPE: u32 = 13;
}

/// `DebugDirectivesOnly` of `DICompileUnit::DebugEmissionKind`: `.loc` and `.file`, no sections and no `, debug`.
const DIRECTIVES_ONLY: u32 = 3;
/// `LLVMDWARFSourceLanguageC`: any will do, no DWARF is written.
const ANY_LANGUAGE: u32 = 1;
/// `LLVMModuleFlagBehaviorWarning`.
const FLAG_WARNING: i32 = 1;
/// The version of debug metadata, in the module flag of that name.
const DEBUG_INFO_VERSION: u64 = 3;

/// Reads chains out of debug metadata, each scope and location once.
struct Reader<'m> {
    api: &'m Api,
    context: ffi::Context,
    files: HashMap<ffi::Metadata, String>,
    functions: HashMap<ffi::Metadata, String>,
}

impl<'m> Reader<'m> {
    fn new(module: &Module<'m>) -> Self {
        let context = module.context();
        Self {
            api: context.api,
            context: context.raw(),
            files: HashMap::new(),
            functions: HashMap::new(),
        }
    }

    /// The frames of a `DILocation`, innermost first.
    fn chain(&mut self, mut location: ffi::Metadata) -> Vec<Frame> {
        let mut frames = Vec::new();
        while !location.is_null() {
            // SAFETY: `location` is a DILocation of a live module.
            let (line, column, scope, inlined_at) = unsafe {
                (
                    self.api.LLVMDILocationGetLine(location),
                    self.api.LLVMDILocationGetColumn(location),
                    self.api.LLVMDILocationGetScope(location),
                    self.api.LLVMDILocationGetInlinedAt(location),
                )
            };
            frames.push(Frame {
                file: self.file(scope),
                line,
                column,
                function: self.function(scope),
            });
            location = inlined_at;
        }
        frames
    }

    /// The path of a scope's file.
    fn file(&mut self, scope: ffi::Metadata) -> String {
        // SAFETY: a scope of a live module; strings are `len` bytes owned by it.
        let file = unsafe { self.api.LLVMDIScopeGetFile(scope) };
        if file.is_null() {
            return String::new();
        }
        if let Some(path) = self.files.get(&file) {
            return path.clone();
        }
        let text = |get: unsafe fn(&Api, ffi::Metadata, *mut u32) -> *const std::ffi::c_char| {
            let mut len = 0;
            // SAFETY: as above.
            unsafe {
                let start = get(self.api, file, &mut len);
                if len == 0 {
                    String::new()
                } else {
                    lossy(start, len as usize)
                }
            }
        };
        let name = text(Api::LLVMDIFileGetFilename);
        let folder = text(Api::LLVMDIFileGetDirectory);
        let path = if folder.is_empty() || name.starts_with('/') {
            name
        } else {
            format!("{folder}/{name}")
        };
        self.files.insert(file, path.clone());
        path
    }

    /// The path of the function that a scope is in: namespaces and names joined by `::`.
    fn function(&mut self, scope: ffi::Metadata) -> String {
        if let Some(name) = self.functions.get(&scope) {
            return name.clone();
        }
        let mut at = scope;
        // Out of blocks first: they are `{file, scope}`.
        while matches!(
            self.kind(at),
            kind::DI_LEXICAL_BLOCK | kind::DI_LEXICAL_BLOCK_FILE
        ) {
            match self.operand(at, 1) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        // Subprograms, types and namespaces are all `{file, scope, name, …}`.
        let mut parts = Vec::new();
        while matches!(
            self.kind(at),
            kind::DI_SUBPROGRAM | kind::DI_NAMESPACE | kind::DI_COMPOSITE_TYPE
        ) {
            parts.extend(self.string(at, 2));
            match self.operand(at, 1) {
                Some(parent) => at = parent,
                None => break,
            }
        }
        parts.reverse();
        let name = parts.join("::");
        self.functions.insert(scope, name.clone());
        name
    }

    fn kind(&self, node: ffi::Metadata) -> u32 {
        // SAFETY: live metadata.
        unsafe { self.api.LLVMGetMetadataKind(node) }
    }

    fn operands(&self, node: ffi::Metadata) -> Vec<ffi::Value> {
        // SAFETY: a live node; the buffer has as many places as LLVM fills.
        unsafe {
            let value = self.api.LLVMMetadataAsValue(self.context, node);
            let mut all =
                vec![std::ptr::null_mut(); self.api.LLVMGetMDNodeNumOperands(value) as usize];
            self.api.LLVMGetMDNodeOperands(value, all.as_mut_ptr());
            all
        }
    }

    fn operand(&self, node: ffi::Metadata, index: usize) -> Option<ffi::Metadata> {
        let value = self
            .operands(node)
            .get(index)
            .copied()
            .filter(|value| !value.is_null())?;
        // SAFETY: a metadata value of a live node.
        Some(unsafe { self.api.LLVMValueAsMetadata(value) })
    }

    fn string(&self, node: ffi::Metadata, index: usize) -> Option<String> {
        let value = self
            .operands(node)
            .get(index)
            .copied()
            .filter(|value| !value.is_null())?;
        let mut len = 0;
        // SAFETY: a metadata value; null comes back when it is no string.
        unsafe {
            let start = self.api.LLVMGetMDString(value, &mut len);
            (!start.is_null()).then(|| lossy(start, len as usize))
        }
    }
}

/// # Safety
/// `start` must be readable for `len` bytes.
unsafe fn lossy(start: *const std::ffi::c_char, len: usize) -> String {
    // SAFETY: the caller's.
    String::from_utf8_lossy(unsafe { std::slice::from_raw_parts(start.cast::<u8>(), len) })
        .into_owned()
}

/// Replaces the module's debug metadata by numbered locations.
pub(crate) fn number(module: &Module<'_>) -> Numbered {
    let api = module.context().api;
    let mut reader = Reader::new(module);
    let mut chains: Vec<Vec<Frame>> = Vec::new();
    let mut seen: HashMap<ffi::Metadata, u32> = HashMap::new();
    let mut functions = Vec::new();
    for function in module.functions() {
        // SAFETY: a live function.
        let subprogram = unsafe { api.LLVMGetSubprogram(function) };
        if subprogram.is_null() || module.is_declaration(function) {
            continue;
        }
        // The function's own line, for what comes before the first location.
        // SAFETY: a DISubprogram.
        let line = unsafe { api.LLVMDISubprogramGetLine(subprogram) };
        chains.push(vec![Frame {
            file: reader.file(subprogram),
            line,
            column: 0,
            function: reader.function(subprogram),
        }]);
        let own = chains.len() as u32;
        let mut numbers = Vec::new();
        for instruction in module.instructions(function) {
            // SAFETY: a live instruction.
            let location = unsafe { api.LLVMInstructionGetDebugLoc(instruction) };
            if location.is_null() {
                continue;
            }
            let number = *seen.entry(location).or_insert_with(|| {
                chains.push(reader.chain(location));
                chains.len() as u32
            });
            numbers.push((instruction, number));
        }
        functions.push((function, own, numbers));
    }
    // SAFETY: live objects of one context throughout; the builder is finalised and freed before it is left.
    unsafe {
        api.LLVMStripModuleDebugInfo(module.raw());
        if functions.is_empty() {
            return Numbered { chains };
        }
        let key = "Debug Info Version";
        if api
            .LLVMGetModuleFlag(module.raw(), key.as_ptr().cast(), key.len())
            .is_null()
        {
            let int = api.LLVMInt32TypeInContext(module.context().raw());
            let version = api.LLVMValueAsMetadata(api.LLVMMetadataAsValue(
                module.context().raw(),
                api.LLVMValueAsMetadata(api.LLVMConstInt(int, DEBUG_INFO_VERSION, 0)),
            ));
            api.LLVMAddModuleFlag(
                module.raw(),
                FLAG_WARNING,
                key.as_ptr().cast(),
                key.len(),
                version,
            );
        }
        let builder = api.LLVMCreateDIBuilder(module.raw());
        let (none, empty) = NO_STRING;
        let name = FILE_NAME;
        let file = api.LLVMDIBuilderCreateFile(
            builder,
            name.as_ptr().cast(),
            name.len(),
            c"".as_ptr(),
            empty,
        );
        let empty_text = c"".as_ptr();
        api.LLVMDIBuilderCreateCompileUnit(
            builder,
            ANY_LANGUAGE,
            file,
            empty_text,
            0,
            1,
            empty_text,
            0,
            0,
            none,
            empty,
            DIRECTIVES_ONLY,
            0,
            0,
            0,
            empty_text,
            0,
            empty_text,
            0,
        );
        let ty = api.LLVMDIBuilderCreateSubroutineType(builder, file, std::ptr::null_mut(), 0, 0);
        for (function, own, numbers) in functions {
            let name = module.name(function);
            let subprogram = api.LLVMDIBuilderCreateFunction(
                builder,
                file,
                name.as_ptr().cast(),
                name.len(),
                empty_text,
                0,
                file,
                own,
                ty,
                1,
                1,
                own,
                0,
                1,
            );
            api.LLVMSetSubprogram(function, subprogram);
            for (instruction, number) in numbers {
                let location = api.LLVMDIBuilderCreateDebugLocation(
                    module.context().raw(),
                    number,
                    0,
                    subprogram,
                    std::ptr::null_mut(),
                );
                api.LLVMInstructionSetDebugLoc(instruction, location);
            }
        }
        api.LLVMDIBuilderFinalize(builder);
        api.LLVMDisposeDIBuilder(builder);
    }
    Numbered { chains }
}

/// Reads the numbers back out of the PTX: the text without them (or with true `.loc` lines), and the table for it.
pub(crate) fn read_back(
    text: &str,
    numbered: &Numbered,
    options: &Options,
) -> Result<(String, SideTable), Error> {
    let mut out = String::with_capacity(text.len());
    let mut side = SideTable::default();
    let mut interned: HashMap<usize, Vec<artifact::Frame>> = HashMap::new();
    let mut files: Vec<&str> = Vec::new();
    let mut written: Option<(usize, u32, u32)> = None;
    let mut current: Option<usize> = None;
    let mut library: HashMap<String, bool> = HashMap::new();
    let mut in_body = false;
    let mut line = 0;
    for source in text.lines() {
        let trimmed = source.trim_start();
        if let Some(rest) = trimmed
            .strip_prefix(".loc")
            // `.local` is a variable.
            .filter(|rest| rest.starts_with(char::is_whitespace))
        {
            let number: usize = rest
                .split_whitespace()
                .nth(1)
                .and_then(|number| number.parse().ok())
                .ok_or_else(|| Error::Internal(format!("cannot read LLVM's `{trimmed}`")))?;
            // Number 0 is LLVM's own "no line"; what was before it holds on.
            if number != 0 {
                if number > numbered.chains.len() {
                    return Err(Error::Internal(format!("no chain for `{trimmed}`")));
                }
                current = Some(number - 1);
            }
            continue;
        }
        // An empty `.debug_macinfo` is all that is left of sections.
        if trimmed.starts_with(".file")
            || trimmed.starts_with(".section")
            || is_debug_label(trimmed)
        {
            continue;
        }
        match trimmed {
            "{" if source == trimmed => in_body = true,
            "}" if source == trimmed => {
                in_body = false;
                current = None;
                written = None;
            }
            _ => {}
        }
        if in_body
            && is_code(trimmed)
            && let Some(number) = current
        {
            let frames = &numbered.chains[number];
            if options.debug == DebugKind::LineTables
                && !is_frame_address(trimmed)
                && let Some(frame) = users_line(frames, &options.sources, &mut library)
            {
                let file = files
                    .iter()
                    .position(|file| *file == frame.file)
                    .unwrap_or_else(|| {
                        files.push(&frame.file);
                        files.len() - 1
                    });
                let place = (file + 1, frame.line, frame.column);
                if written != Some(place) {
                    let _ = writeln!(out, "\t.loc\t{} {} {}", place.0, place.1, place.2);
                    line += 1;
                    written = Some(place);
                }
            }
            let frames = interned.entry(number).or_insert_with(|| {
                let intern = |frame: &Frame| artifact::Frame {
                    file: side.intern_file(&frame.file),
                    line: frame.line,
                    column: frame.column,
                    function: side.intern_function(&frame.function),
                };
                frames.iter().map(intern).collect()
            });
            side.lines.insert(line + 1, frames.clone());
        }
        out.push_str(source);
        out.push('\n');
        line += 1;
    }
    for (index, file) in files.iter().enumerate() {
        let _ = writeln!(
            out,
            "\t.file\t{} \"{}\"",
            index + 1,
            options
                .sources
                .name(file)
                .replace('\\', "\\\\")
                .replace('"', "\\\"")
        );
    }
    Ok((out, side))
}

/// The labels that LLVM writes for debug metadata alone; left in, they would end ptxas's basic blocks.
fn is_debug_label(trimmed: &str) -> bool {
    trimmed.ends_with(':')
        && ["$L__tmp", "$L__func_begin", "$L__func_end"]
            .iter()
            .any(|prefix| trimmed.starts_with(prefix))
}

/// The frame whose line `.loc` gives: the innermost in the user's own code, so that stops and steps stay there, whatever was
/// inlined into it; in a function of a library itself, the innermost.
fn users_line<'a>(
    frames: &'a [Frame],
    sources: &Sources,
    library: &mut HashMap<String, bool>,
) -> Option<&'a Frame> {
    let mut with_line = frames.iter().filter(|frame| frame.line != 0);
    let innermost = with_line.clone().next()?;
    let users = with_line.find(|frame| match library.get(&frame.file) {
        Some(known) => !known,
        None => {
            let is = sources.is_library(&frame.file);
            library.insert(frame.file.clone(), is);
            !is
        }
    });
    Some(users.unwrap_or(innermost))
}

/// Whether a line computes where a variable lies in the frame. LLVM gives it the line of its first use and puts it at the
/// function's start, where that line would stop a debugger much too early.
fn is_frame_address(trimmed: &str) -> bool {
    trimmed.starts_with("add.") && (trimmed.contains("%SP,") || trimmed.contains("%SPL,"))
}

/// Whether a line of a body is part of an instruction, not a directive, a label, a brace or a comment.
fn is_code(trimmed: &str) -> bool {
    !(trimmed.is_empty()
        || trimmed.starts_with('.')
        || trimmed.starts_with("//")
        || trimmed.starts_with('{')
        || trimmed.starts_with('}')
        || trimmed.ends_with(':'))
}

/// The first function that uses `value`, with the chain of the use.
pub(crate) fn first_user(module: &Module<'_>, value: ffi::Value) -> (String, Vec<Frame>) {
    let api = module.context().api;
    // A use can be deep in constants; the walk is bounded by the number of values, each taken once.
    let mut pending = vec![value];
    let mut seen = std::collections::HashSet::new();
    while let Some(at) = pending.pop() {
        if !seen.insert(at) {
            continue;
        }
        // SAFETY: live values; an instruction in a module has a block, and that a function.
        unsafe {
            let mut r#use = api.LLVMGetFirstUse(at);
            while !r#use.is_null() {
                let user = api.LLVMGetUser(r#use);
                if !api.LLVMIsAInstruction(user).is_null() {
                    let function = api.LLVMGetBasicBlockParent(api.LLVMGetInstructionParent(user));
                    let location = api.LLVMInstructionGetDebugLoc(user);
                    return (module.name(function), Reader::new(module).chain(location));
                }
                pending.push(user);
                r#use = api.LLVMGetNextUse(r#use);
            }
        }
    }
    ("a constant".to_owned(), Vec::new())
}
