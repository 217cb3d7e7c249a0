//! Locations as debug metadata.
//!
//! A location is `Named(function, SrcPos)`; a call that was inlined is `CallSite(callee: inner, caller: outer)`. The outermost frame is
//! the function that holds the instruction; each inlined callee gets a subprogram of its own.

use crate::{DebugKind, ExportOptions, metadata::Metadata, names::escaped};
use pliron::{
    context::Context,
    location::{Location, Source},
    printable::Printable,
};
use std::collections::HashMap;

pub(crate) struct Debug {
    unit: usize,
    /// Shared by every subprogram: LLVM 23 drops debug info of one without a type.
    subroutine: usize,
    producer: String,
    emission: &'static str,
    /// The file of the first position: the unit's own.
    unit_file: Option<usize>,
    inlined: HashMap<(String, usize), usize>,
    function_file: Option<usize>,
    function: Option<usize>,
}

impl Debug {
    pub fn new(metadata: &mut Metadata, options: &ExportOptions) -> Self {
        let unit = metadata.reserve();
        let subroutine = metadata.add("!DISubroutineType(types: !{})".to_string());
        let version = metadata.add("!{i32 2, !\"Debug Info Version\", i32 3}".to_string());
        let dwarf = metadata.add("!{i32 2, !\"Dwarf Version\", i32 2}".to_string());
        metadata.named("llvm.dbg.cu").push(format!("!{unit}"));
        metadata
            .named("llvm.module.flags")
            .extend([format!("!{version}"), format!("!{dwarf}")]);
        let mut debug = Debug {
            unit,
            subroutine,
            producer: options.producer.clone(),
            emission: match options.debug {
                DebugKind::Full => "FullDebug",
                DebugKind::Off | DebugKind::LineTables => "DebugDirectivesOnly",
            },
            unit_file: None,
            inlined: HashMap::new(),
            function_file: None,
            function: None,
        };
        let file = metadata.add(file_node("<unknown>"));
        debug.write_unit(metadata, file);
        debug
    }

    fn write_unit(&mut self, metadata: &mut Metadata, file: usize) {
        metadata.set(
            self.unit,
            format!(
                "distinct !DICompileUnit(language: DW_LANG_Rust, file: !{file}, producer: \"{}\", isOptimized: true, emissionKind: {})",
                escaped(&self.producer),
                self.emission
            ),
        );
    }

    fn file(&mut self, ctx: &Context, metadata: &mut Metadata, source: &Source) -> usize {
        let path = match source {
            Source::File(_) => source.disp(ctx).to_string().trim_matches('"').to_string(),
            Source::InMemory => "<memory>".to_string(),
        };
        let file = metadata.add(file_node(&path));
        if self.unit_file.is_none() {
            self.unit_file = Some(file);
            self.write_unit(metadata, file);
        }
        file
    }

    /// Begins a function; gives the number of its subprogram.
    pub fn function(
        &mut self,
        ctx: &Context,
        metadata: &mut Metadata,
        name: &str,
        symbol: &str,
        location: &Location,
    ) -> usize {
        let (file, line) = match innermost(location) {
            Some((source, line, _)) => (self.file(ctx, metadata, &source), line),
            None => (metadata.add(file_node("<unknown>")), 0),
        };
        let id = self.subprogram(metadata, name, Some(symbol), file, line);
        self.function = Some(id);
        self.function_file = Some(file);
        id
    }

    fn subprogram(
        &self,
        metadata: &mut Metadata,
        name: &str,
        symbol: Option<&str>,
        file: usize,
        line: u32,
    ) -> usize {
        let linkage = symbol
            .filter(|symbol| *symbol != name)
            .map_or(String::new(), |symbol| {
                format!(", linkageName: \"{}\"", escaped(symbol))
            });
        metadata.add(format!(
            "distinct !DISubprogram(name: \"{}\"{linkage}, scope: !{file}, file: !{file}, line: {line}, type: !{}, scopeLine: {line}, spFlags: DISPFlagDefinition | DISPFlagOptimized, unit: !{})",
            escaped(name),
            self.subroutine,
            self.unit
        ))
    }

    /// The number of an instruction's location in the current function.
    pub fn location(
        &mut self,
        ctx: &Context,
        metadata: &mut Metadata,
        location: &Location,
    ) -> Option<usize> {
        self.frame(ctx, metadata, location, None, None)
    }

    /// A location without a line, for calls, which must have one.
    pub fn artificial(&mut self, metadata: &mut Metadata) -> Option<usize> {
        let function = self.function?;
        Some(metadata.add(format!("!DILocation(line: 0, scope: !{function})")))
    }

    fn frame(
        &mut self,
        ctx: &Context,
        metadata: &mut Metadata,
        location: &Location,
        name: Option<&str>,
        at: Option<usize>,
    ) -> Option<usize> {
        match location {
            Location::Unknown => None,
            Location::Fused { locations, .. } => locations
                .iter()
                .find_map(|location| self.frame(ctx, metadata, location, name, at)),
            Location::Named { name, child_loc } => {
                self.frame(ctx, metadata, child_loc, Some(name), at)
            }
            Location::CallSite { callee, caller } => {
                let outer = match self.frame(ctx, metadata, caller, None, at) {
                    Some(outer) => outer,
                    // Where the call stands is unknown: line 0 of the caller.
                    None => match at {
                        Some(at) => at,
                        None => self.artificial(metadata)?,
                    },
                };
                self.frame(ctx, metadata, callee, None, Some(outer))
                    .or(Some(outer))
            }
            Location::SrcPos { src, pos } => {
                let file = self.file(ctx, metadata, src);
                let line = u32::try_from(pos.line).unwrap_or(0);
                // LLVM keeps columns in 16 bits.
                let column = u16::try_from(pos.column).unwrap_or(0);
                let Some(at) = at else {
                    let scope = self.function?;
                    let scope = if self.function_file == Some(file) {
                        scope
                    } else {
                        metadata.add(format!(
                            "!DILexicalBlockFile(scope: !{scope}, file: !{file}, discriminator: 0)"
                        ))
                    };
                    return Some(metadata.add(format!(
                        "!DILocation(line: {line}, column: {column}, scope: !{scope})"
                    )));
                };
                let name = name.unwrap_or("{inlined}");
                let scope = match self.inlined.get(&(name.to_string(), file)) {
                    Some(scope) => *scope,
                    None => {
                        let scope = self.subprogram(metadata, name, None, file, line);
                        self.inlined.insert((name.to_string(), file), scope);
                        scope
                    }
                };
                Some(metadata.add(format!(
                    "!DILocation(line: {line}, column: {column}, scope: !{scope}, inlinedAt: !{at})"
                )))
            }
        }
    }
}

fn innermost(location: &Location) -> Option<(Source, u32, u32)> {
    match location {
        Location::SrcPos { src, pos } => Some((
            *src,
            u32::try_from(pos.line).unwrap_or(0),
            u32::try_from(pos.column).unwrap_or(0),
        )),
        Location::Named { child_loc, .. } => innermost(child_loc),
        Location::CallSite { caller, callee } => innermost(caller).or_else(|| innermost(callee)),
        Location::Fused { locations, .. } => locations.iter().find_map(innermost),
        Location::Unknown => None,
    }
}

fn file_node(path: &str) -> String {
    let (directory, name) = match path.rsplit_once('/') {
        Some(("", name)) => ("/", name),
        Some((directory, name)) => (directory, name),
        None => ("", path),
    };
    format!(
        "!DIFile(filename: \"{}\", directory: \"{}\")",
        escaped(name),
        escaped(directory)
    )
}
