//! The rooms in their order.

use crate::{
    Artifact, Compiled, DebugKind, Diagnostic, Diagnostics, Instances, KernelSummary, LlvmIr,
    Options, Role, RouteChoice, Stage, Staged, Summary, Unit, kernels, mir_route, statics,
};
use rustc_llvm::{IrFile, Root};
use rustc_mir::MirFile;
use std::cell::{OnceCell, RefCell};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// A crate's kernels, compiled as far as is asked.
pub struct Compiler {
    units: Vec<Unit>,
    options: Options,
    ir: Box<dyn LlvmIr>,
    /// The units' MIR, indexed.
    files: Vec<OnceCell<MirFile>>,
    timings: RefCell<Vec<(&'static str, Duration)>>,
}

/// Kernels that are compiled together: modules to be linked, and what is known of the kernels in them.
struct Module {
    texts: Vec<String>,
    kernels: Vec<Kernel>,
    from_mir: Vec<String>,
    from_llvm: Vec<String>,
    /// Functions of C's mathematics that it calls.
    math: Vec<String>,
    /// Statics that are written to, by the route that defines them.
    mir_statics: Vec<String>,
    llvm_statics: Vec<String>,
}

/// A compiled kernel and what the artifact does not hold of it.
struct Kernel {
    display: String,
    fmad: bool,
    entry: artifact::Kernel,
}

impl Compiler {
    pub fn new(units: Vec<Unit>, options: Options, ir: Box<dyn LlvmIr>) -> Self {
        crate::use_llvm(&options.libllvm);
        let files = units.iter().map(|_| OnceCell::new()).collect();
        Self {
            units,
            options,
            ir,
            files,
            timings: RefCell::default(),
        }
    }

    fn own(&self) -> usize {
        self.units
            .iter()
            .position(|u| u.role == Role::Own)
            .unwrap_or(0)
    }

    fn crate_name(&self) -> &str {
        &self.units[self.own()].crate_name
    }

    /// Adds what a step took to the time of that name.
    fn timed<T>(&self, name: &'static str, step: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = step();
        let mut timings = self.timings.borrow_mut();
        match timings.iter_mut().find(|(n, _)| *n == name) {
            Some((_, time)) => *time += start.elapsed(),
            None => timings.push((name, start.elapsed())),
        }
        result
    }

    fn file(&self, unit: usize) -> Result<&MirFile, Diagnostics> {
        if let Some(file) = self.files[unit].get() {
            return Ok(file);
        }
        let path = &self.units[unit].mir;
        let read = || std::fs::read_to_string(path);
        let text = self.timed("read MIR", read).map_err(|e| {
            Diagnostic::error(format!("cannot read {}: {e}", path.display()))
                .help("cargo oxide clean")
        })?;
        let parse = || MirFile::parse(path.display().to_string(), text);
        let file = self.timed("index MIR", parse);
        let file = file.map_err(|e| mir_route::of_reader(&e))?;
        Ok(self.files[unit].get_or_init(|| file))
    }

    fn text(&self, unit: usize) -> Result<&str, Diagnostics> {
        Ok(self.file(unit)?.text())
    }

    /// Whether the crate has generic kernels, whose instances are in rustc's LLVM IR alone.
    fn has_generic(&self) -> Result<bool, Diagnostics> {
        Ok(self.text(self.own())?.contains("__oxide_kernel_instance"))
    }

    /// The names of the crate's kernels: the path, and for an instance of a generic one its type arguments too.
    pub fn kernels(&self) -> Result<Vec<String>, Diagnostics> {
        let mut names = kernels::marked(self.crate_name(), self.text(self.own())?);
        if self.has_generic()? {
            let instances = self.modules(|root| root.is_instance(), false)?;
            names.extend(
                instances
                    .iter()
                    .flat_map(|m| &m.kernels)
                    .map(|k| k.display.clone()),
            );
        }
        Ok(names)
    }

    /// The modules of the kernels for which `wanted` holds, from rustc's LLVM IR; with their texts if `cut`.
    fn modules(
        &self,
        wanted: impl Fn(&Root) -> bool,
        cut: bool,
    ) -> Result<Vec<Module>, Diagnostics> {
        let own = self.own();
        let generic = self.has_generic()?;
        let needed = if generic {
            Instances::All
        } else {
            Instances::OfKernels
        };
        let mut out: Vec<Module> = Vec::new();
        let mut known: std::collections::HashSet<String> = std::collections::HashSet::new();
        for (index, unit) in self.units.iter().enumerate() {
            // A crate above is asked for instances alone, and a crate without code of its own (a library of generics) has none.
            if !(index == own || generic && unit.role == Role::Dependent) {
                continue;
            }
            let path = self
                .timed("rustc (LLVM IR)", || self.ir.llvm_ir(index, needed))
                .map_err(Diagnostic::error)?;
            let text = std::fs::read_to_string(&path)
                .map_err(|e| Diagnostic::error(format!("cannot read {}: {e}", path.display())))?;
            let unreadable = |e: String| {
                Diagnostic::error(format!("rustc's LLVM IR is not understood: {e}"))
                    .note(path.display().to_string())
            };
            let file = self
                .timed("read LLVM IR", || IrFile::parse(&text))
                .map_err(unreadable)?;
            let roots =
                rustc_llvm::roots(&file, self.crate_name()).map_err(|e| self.of_rustc_llvm(e))?;
            let roots: Vec<Root> = roots
                .into_iter()
                .filter(|r| wanted(r) && known.insert(r.key.clone()))
                .collect();
            if roots.is_empty() {
                continue;
            }
            let made = if cut {
                self.cut(index, &file, &roots)?
            } else {
                Vec::new()
            };
            let (mut texts, mut functions, mut math) = (Vec::new(), Vec::new(), Vec::new());
            let mut llvm_statics = Vec::new();
            for cut in made {
                llvm_statics.extend(statics::of_rustc(&cut.text));
                texts.push(cut.text);
                math.extend(cut.math);
                functions.extend(cut.functions);
            }
            out.push(Module {
                texts,
                kernels: roots.iter().map(of_root).collect(),
                from_mir: Vec::new(),
                from_llvm: functions,
                math,
                mir_statics: Vec::new(),
                llvm_statics,
            });
        }
        Ok(out)
    }

    /// What the kernels reach, from their own crate's IR and, if that does not hold it all, from the crates under it.
    fn cut(
        &self,
        index: usize,
        file: &IrFile<'_>,
        roots: &[Root],
    ) -> Result<Vec<rustc_llvm::Cut>, Diagnostics> {
        let alone = self.timed("cut", || {
            rustc_llvm::compile(file, roots, &[], &[], &dialect_nvvm::llvm_definition)
        });
        let error = match alone {
            Ok(made) => return Ok(made),
            Err(error) => error,
        };
        let under =
            |(other, unit): &(usize, &Unit)| *other != index && unit.role != Role::Dependent;
        let mut texts = Vec::new();
        for (other, _) in self.units.iter().enumerate().filter(under) {
            let path = self
                .timed("rustc (LLVM IR)", || self.ir.llvm_ir(other, Instances::All))
                .map_err(Diagnostic::error)?;
            let read = std::fs::read_to_string(&path);
            texts.push(
                read.map_err(|e| {
                    Diagnostic::error(format!("cannot read {}: {e}", path.display()))
                })?,
            );
        }
        let mut error = error;
        // `core`'s compiled functions are asked for last: reading them takes a while.
        for with_core in [false, true] {
            if with_core {
                if !(error.title.starts_with("there is no body") && error.title.contains("core::"))
                {
                    break;
                }
                texts.extend(self.core()?);
            } else if texts.is_empty() {
                continue;
            }
            let unreadable =
                |e: String| Diagnostic::error(format!("rustc's LLVM IR is not understood: {e}"));
            let files = texts
                .iter()
                .map(|t| IrFile::parse(t))
                .collect::<Result<Vec<_>, _>>()
                .map_err(unreadable)?;
            let libraries: Vec<&IrFile<'_>> = files.iter().collect();
            let together = self.timed("cut", || {
                rustc_llvm::compile(file, roots, &[], &libraries, &dialect_nvvm::llvm_definition)
            });
            match together {
                Ok(made) => return Ok(made),
                Err(e) => error = e,
            }
        }
        Err(self.of_rustc_llvm(error))
    }

    /// The LLVM IR of `core`'s functions that are not generic, from the bitcode in the toolchain.
    fn core(&self) -> Result<Vec<String>, Diagnostics> {
        // Linux first: the host's name is made here alone.
        let target = format!("{}-unknown-linux-gnu", std::env::consts::ARCH);
        let modules = rustc_llvm::core_bitcode(&self.options.sysroot, &target)
            .map_err(|e| Diagnostic::error(e.to_string()))?;
        let llvm = llvm_backend::Llvm::load().map_err(|e| self.rooted(of_backend(&e)))?;
        self.timed("read core", || {
            modules
                .iter()
                .map(|m| {
                    llvm.disassemble("core", m)
                        .map_err(|e| self.rooted(of_backend(&e)))
                })
                .collect()
        })
    }

    fn of_rustc_llvm(&self, error: rustc_llvm::Error) -> Diagnostics {
        let mut out = Diagnostic::error(error.title);
        // The standard library's own frames are in the chain of names; its sources are not on this machine.
        for (at, frame) in error.frames.iter().filter(|f| !f.is_library()).enumerate() {
            let text = if at == 0 {
                error.label.clone()
            } else {
                format!("in `{}`", frame.function)
            };
            out = out.at(self.span(frame), text);
        }
        out.notes.extend(error.notes);
        out.help.extend(error.help);
        self.rooted(out)
    }

    /// Debug metadata has a position: where the range ends is in the MIR, and the name is made relative as rustc prints it.
    fn span(&self, frame: &rustc_llvm::Frame) -> rustc_mir::Span {
        let mut roots = self.units.iter().map(|unit| &unit.root);
        let found = roots.find_map(|root| {
            let rest = frame.file.strip_prefix(&format!("{}/", root.display()))?;
            Some((rest.to_string(), root))
        });
        let (file, root) = found.map_or((frame.file.clone(), None), |(f, r)| (f, Some(r)));
        let (line, col) = (frame.line, frame.column);
        // `src/lib.rs` is a file of each package that has a root of its own: only those of this root can mean it.
        let of_root = |unit: &Unit| root.is_none_or(|r| *r == unit.root);
        let files = self.units.iter().zip(&self.files);
        let end = files
            .filter(|(unit, _)| of_root(unit))
            .filter_map(|(_, file)| file.get())
            .filter_map(|f| kernels::shortest_range(f.text(), &file, line, col))
            .min();
        // A macro's call has no range there: its name is read off the source.
        let word = || (line, col + self.word(&frame.file, line, col).max(1));
        let (end_line, end_col) = end.unwrap_or_else(word);
        let place = |line, col| rustc_mir::span::LineCol { line, col };
        rustc_mir::Span {
            file: file.as_str().into(),
            lo: place(line, col),
            hi: place(end_line, end_col),
        }
    }

    /// How many characters of a path or macro's name stand at a place of a source; 0 where there is none.
    fn word(&self, file: &str, line: u32, col: u32) -> u32 {
        let read = |unit: &Unit| std::fs::read_to_string(unit.root.join(file)).ok();
        let Some(text) = self.units.iter().find_map(read) else {
            return 0;
        };
        let line = text.lines().nth(line.saturating_sub(1) as usize);
        let rest = line
            .into_iter()
            .flat_map(str::chars)
            .skip(col.saturating_sub(1) as usize);
        let of_name = |c: &char| c.is_alphanumeric() || matches!(c, '_' | ':' | '!');
        rest.take_while(of_name).count() as u32
    }

    /// Where relative names in spans can start: the crate's own root before those of what it depends on.
    fn roots(&self) -> Vec<PathBuf> {
        let mut roots = vec![self.units[self.own()].root.clone()];
        for unit in &self.units {
            if !roots.contains(&unit.root) {
                roots.push(unit.root.clone());
            }
        }
        roots
    }

    /// Relative names in spans start where rustc ran.
    fn rooted(&self, mut diagnostic: Diagnostic) -> Diagnostics {
        diagnostic.roots = self.roots();
        diagnostic.into()
    }

    /// The kernels that a name means; all without one.
    fn named(&self, name: Option<&str>) -> Result<Vec<String>, Diagnostics> {
        Ok(self
            .kernels()?
            .into_iter()
            .filter(|k| name.is_none_or(|n| kernels::is_named(k, n)))
            .collect())
    }

    /// The text of a stage, of the kernels that the name means.
    pub fn stage(&self, kernel: Option<&str>, stage: Stage) -> Result<Staged, Diagnostics> {
        let staged = |text: String, summary: Summary| Staged {
            text,
            summary,
            warnings: Diagnostics::default(),
        };
        match stage {
            Stage::Mir => {
                let (name, text) = (self.crate_name(), self.text(self.own())?);
                let mut out = Vec::new();
                for key in self.named(kernel)? {
                    let body = kernels::function_text(name, &key, text);
                    out.push(body.ok_or_else(|| {
                        Diagnostic::error(format!("rustc printed no MIR of `{key}`"))
                    })?);
                }
                Ok(staged(out.join("\n"), self.summary(&[])))
            }
            Stage::DialectMir | Stage::DialectMirSsa | Stage::DialectLlvm => {
                let mut out = Vec::new();
                for key in self.named(kernel)? {
                    out.push(self.mir(Some(&key), stage)?.text);
                }
                Ok(staged(out.join("\n"), self.summary(&[])))
            }
            Stage::Llvm | Stage::Ptx => {
                let modules = self.routed(kernel)?;
                let summary = self.summary(&modules);
                if stage == Stage::Llvm {
                    return Ok(staged(
                        modules
                            .iter()
                            .flat_map(|m| &m.texts)
                            .map(String::as_str)
                            .collect::<Vec<_>>()
                            .join("\n"),
                        summary,
                    ));
                }
                let emitted = self.emit(&modules)?;
                Ok(staged(emitted.ptx, self.summary(&modules)))
            }
        }
    }

    /// The modules by the route that was asked for. Without a wish, kernels come from MIR, and those that the MIR route cannot
    /// compile, and instances of generic kernels, from rustc's LLVM IR.
    fn routed(&self, kernel: Option<&str>) -> Result<Vec<Module>, Diagnostics> {
        let mut not_mir = Vec::new();
        loop {
            let modules = self.routed_but(kernel, &not_mir)?;
            // A static that two of them define would be two things under one name. rustc's LLVM IR has it once.
            let groups: Vec<Vec<String>> = modules
                .iter()
                .flat_map(|m| [m.mir_statics.clone(), m.llvm_statics.clone()])
                .collect();
            let Some((name, at)) = statics::doubled(&groups) else {
                return Ok(modules);
            };
            let kernels = at.iter().flat_map(|i| &modules[i / 2].kernels);
            let keys: Vec<&Kernel> = kernels.collect();
            let more: Vec<String> = keys
                .iter()
                .filter(|k| k.entry.route == artifact::Route::Mir)
                .map(|k| k.entry.key.clone())
                .collect();
            if more.is_empty() || self.options.route == RouteChoice::Mir {
                let names: Vec<&str> = keys.iter().map(|k| k.display.as_str()).collect();
                return Err(Diagnostic::error(format!(
                    "the static `{name}` would not be one thing for the kernels that use it: {}",
                    names.join(", ")
                ))
                .note("these kernels cannot be compiled into one module")
                .help("give each of them memory of its own, or pass a buffer to all")
                .into());
            }
            not_mir.extend(more);
        }
    }

    /// The same, with these kernels from rustc's LLVM IR.
    fn routed_but(
        &self,
        kernel: Option<&str>,
        not_mir: &[String],
    ) -> Result<Vec<Module>, Diagnostics> {
        let wanted = |name: &str| kernel.is_none_or(|k| kernels::is_named(name, k));
        let mut out = Vec::new();
        let mut left: Vec<String> = Vec::new();
        let mut marked = kernels::marked(self.crate_name(), self.text(self.own())?);
        marked.retain(|key| wanted(key));
        // Together first: what two kernels share, a static above all, is then one thing.
        let together = kernel.is_none()
            && marked.len() > 1
            && not_mir.is_empty()
            && self.options.route != RouteChoice::Llvm;
        if together && let Ok(module) = self.mir_module(None) {
            out.push(module);
            marked.clear();
        }
        for key in marked {
            if self.options.route == RouteChoice::Llvm || not_mir.contains(&key) {
                left.push(key);
                continue;
            }
            match self.mir_module(Some(&key)) {
                Ok(module) => out.push(module),
                Err(error)
                    if self.options.route == RouteChoice::Mir
                        || error.0.iter().any(|d| d.is_final) =>
                {
                    return Err(error);
                }
                Err(_) => left.push(key),
            }
        }
        if !left.is_empty() || self.has_generic()? {
            let rest = |root: &Root| {
                wanted(&root.display()) && (root.is_instance() || left.contains(&root.key))
            };
            let instances = self.modules(rest, true)?;
            if self.options.route == RouteChoice::Mir && !instances.is_empty() {
                return Err(Diagnostic::error(
                    "instances of generic kernels come from rustc's LLVM IR alone",
                )
                .help("leave --route=mir out")
                .into());
            }
            out.extend(instances);
        }
        self.add_math(&mut out)?;
        Ok(out)
    }

    /// One kernel, or all, by the MIR route, up to a stage: first with MIR alone, then with what rustc's LLVM IR knows beside it.
    fn mir(&self, key: Option<&str>, stage: Stage) -> Result<mir_route::Output, Diagnostics> {
        let own = self.own();
        let under = |(_, u): &(usize, &Unit)| u.role == Role::Dependency;
        let order: Vec<usize> = std::iter::once(own)
            .chain(self.units.iter().enumerate().filter(under).map(|(i, _)| i))
            .collect();
        let mut files = Vec::new();
        for index in &order {
            files.push(self.file(*index)?);
        }
        let o = &self.options;
        let target = o.arch.as_deref().and_then(|a| {
            let digits = a.strip_prefix("sm_")?;
            let number = digits.trim_end_matches(['a', 'f']);
            Some((number.parse().ok()?, digits.len() > number.len()))
        });
        let mut input = mir_route::Input {
            units: order.iter().map(|i| &self.units[*i]).collect(),
            files,
            llvm_ir: None,
            rustc: o.rustc.clone(),
            host: o.host.clone(),
            toolchain: o.toolchain.clone(),
            overflow_checks: o.overflow_checks,
            debug_assertions: o.debug_assertions,
            fmad: o.fmad,
            target,
            kernel: key.map(str::to_string),
        };
        let rooted = |all: Vec<Diagnostic>| {
            let roots = self.roots();
            let all = all.into_iter().map(|d| Diagnostic {
                roots: roots.clone(),
                ..d
            });
            Diagnostics(all.collect())
        };
        match self.timed("MIR to LLVM IR", || mir_route::run(&input, stage)) {
            Ok(output) => return Ok(output),
            Err(all) if all.iter().any(|d| d.is_final) => return Err(rooted(all)),
            Err(_) => {}
        }
        let path = self
            .timed("rustc (LLVM IR)", || {
                self.ir.llvm_ir(own, Instances::OfKernels)
            })
            .map_err(Diagnostic::error)?;
        let ir = std::fs::read_to_string(&path)
            .map_err(|e| Diagnostic::error(format!("cannot read {}: {e}", path.display())))?;
        input.llvm_ir = Some(&ir);
        self.timed("MIR to LLVM IR", || mir_route::run(&input, stage))
            .map_err(rooted)
    }

    /// One kernel, or all, by the MIR route, with the functions that the LLVM route defines for it.
    fn mir_module(&self, key: Option<&str>) -> Result<Module, Diagnostics> {
        let mut output = self.mir(key, Stage::Llvm)?;
        // The MIR route says `__oxide_math_sinf` where C says `sinf`.
        let math: Vec<String> = output
            .text
            .lines()
            .filter(|l| l.starts_with("declare "))
            .filter_map(|l| {
                Some(
                    l.split_once("@__oxide_math_")?
                        .1
                        .split_once('(')?
                        .0
                        .to_owned(),
                )
            })
            .collect();
        if !math.is_empty() {
            output.text = output.text.replace("@__oxide_math_", "@");
        }
        let mut module = Module {
            texts: vec![output.text],
            kernels: output.kernels.iter().map(of_info).collect(),
            from_mir: output.functions,
            from_llvm: Vec::new(),
            math,
            mir_statics: output.statics,
            llvm_statics: Vec::new(),
        };
        if !output.externs.is_empty() {
            let path = self
                .timed("rustc (LLVM IR)", || {
                    self.ir.llvm_ir(self.own(), Instances::OfKernels)
                })
                .map_err(Diagnostic::error)?;
            let ir = std::fs::read_to_string(&path)
                .map_err(|e| Diagnostic::error(format!("cannot read {}: {e}", path.display())))?;
            let file = IrFile::parse(&ir).map_err(|e| {
                Diagnostic::error(format!("rustc's LLVM IR is not understood: {e}"))
            })?;
            let symbols: Vec<&str> = output.externs.iter().map(|f| f.symbol.as_str()).collect();
            let made = self.timed("cut", || {
                rustc_llvm::compile(&file, &[], &symbols, &[], &dialect_nvvm::llvm_definition)
            });
            for cut in made.map_err(|e| self.of_rustc_llvm(e))? {
                module.llvm_statics.extend(statics::of_rustc(&cut.text));
                module.texts.push(cut.text);
                module.from_llvm.extend(cut.functions);
                module.math.extend(cut.math);
            }
        }
        Ok(module)
    }

    /// The architecture that was asked for, which must have every operation; else the default, raised to what they need.
    fn arch(&self, modules: &[Module]) -> Result<llvm_backend::Arch, Diagnostics> {
        use dialect_nvvm::{MinimumSm, table};
        let failed = |e: llvm_backend::Error| self.rooted(of_backend(&e));
        let at = |module: &Module, title: String| {
            let mut out = Diagnostic::error(title);
            for kernel in &module.kernels {
                if let Some(s) = &kernel.entry.source {
                    let place = |col| rustc_mir::span::LineCol { line: s.line, col };
                    let span = rustc_mir::Span {
                        file: s.file.as_str().into(),
                        lo: place(s.column),
                        hi: place(s.column + 1),
                    };
                    out = out.at(span, format!("in `{}`", kernel.display));
                }
            }
            self.rooted(out)
        };
        if let Some(name) = &self.options.arch {
            let arch: llvm_backend::Arch = name.parse().map_err(failed)?;
            let specific = arch.name().ends_with(char::is_alphabetic);
            for module in modules {
                for spec in module.texts.iter().flat_map(|t| table::used(t)) {
                    if !spec.minimum_sm.allows(arch.sm(), specific) {
                        let (op, needs) = (spec.name, spec.minimum_sm);
                        let title =
                            format!("`{op}` needs {needs}, but the target is {}", arch.name());
                        return Err(at(module, title));
                    }
                }
            }
            return Ok(arch);
        }
        let default = llvm_backend::Arch::default();
        let mut needed = MinimumSm::Sm(default.sm());
        for module in modules {
            for text in &module.texts {
                let own = table::needed_sm(text).map_err(|(a, b)| {
                    at(
                        module,
                        format!("no GPU has both `{}` and `{}`", a.name, b.name),
                    )
                })?;
                needed = table::both(needed, own).ok_or_else(|| {
                    let title =
                        format!("this needs {own}, and other kernels of the crate {needed}");
                    at(module, title)
                })?;
            }
        }
        needed.target().parse().map_err(failed)
    }

    /// Adds the functions of C's mathematics that the modules call, once for all of them.
    fn add_math(&self, modules: &mut Vec<Module>) -> Result<(), Diagnostics> {
        let names: std::collections::BTreeSet<&str> = modules
            .iter()
            .flat_map(|m| &m.math)
            .map(String::as_str)
            .collect();
        if names.is_empty() {
            return Ok(());
        }
        let path = self
            .timed("rustc (LLVM IR)", || self.ir.libm())
            .map_err(Diagnostic::error)?;
        let text = std::fs::read_to_string(&path)
            .map_err(|e| Diagnostic::error(format!("cannot read {}: {e}", path.display())))?;
        let made = self.timed("cut", || {
            let text = rustc_llvm::math::with_c_names(&text);
            let file = IrFile::parse(&text).map_err(|e| {
                Diagnostic::error(format!("the LLVM IR of `libm` is not understood: {e}"))
            })?;
            let names: Vec<&str> = names.iter().copied().collect();
            rustc_llvm::math::modules(&file, &names, &dialect_nvvm::llvm_definition)
                .map_err(|e| self.of_rustc_llvm(e))
        })?;
        modules.push(Module {
            texts: made.into_iter().map(|cut| cut.text).collect(),
            kernels: Vec::new(),
            from_mir: Vec::new(),
            mir_statics: Vec::new(),
            llvm_statics: Vec::new(),
            from_llvm: Vec::new(),
            math: Vec::new(),
        });
        for module in modules {
            let math = std::mem::take(&mut module.math);
            module.from_llvm.extend(math);
        }
        Ok(())
    }

    fn emit(&self, modules: &[Module]) -> Result<llvm_backend::Emitted, Diagnostics> {
        let failed = |e: llvm_backend::Error| self.rooted(of_backend(&e));
        let llvm = self
            .timed("open libLLVM", llvm_backend::Llvm::load)
            .map_err(failed)?;
        let mut options = llvm_backend::Options {
            // A choice for the whole module: made if every kernel in it asks for it.
            fmad: self.options.fmad || modules.iter().flat_map(|m| &m.kernels).all(|k| k.fmad),
            ..Default::default()
        };
        options.arch = self.arch(modules)?;
        options.sources = llvm_backend::Sources {
            roots: self.roots(),
            remap: self.options.remap.clone(),
            library: self.options.library.clone(),
        };
        options.debug = match self.options.debug {
            DebugKind::Off => llvm_backend::DebugKind::Off,
            DebugKind::LineTables => llvm_backend::DebugKind::LineTables,
            DebugKind::Full => {
                return Err(
                    Diagnostic::error("debug information with variables is not there yet")
                        .help("use --debuginfo=line-tables")
                        .into(),
                );
            }
        };
        // What rustc wrote for `core::sync::atomic`: LLVM would select it without scope and ordering.
        let texts: Vec<_> = modules
            .iter()
            .flat_map(|m| &m.texts)
            .map(|t| ("kernels.ll", dialect_nvvm::atomicrmw::rewrite(t)))
            .collect();
        let texts: Vec<(&str, &str)> = texts.iter().map(|(n, t)| (*n, t.as_ref())).collect();
        options.min_ptx = texts
            .iter()
            .filter_map(|(_, t)| dialect_nvvm::table::needed_ptx(t))
            .max();
        if texts.is_empty() {
            return Ok(llvm_backend::Emitted {
                ptx: String::new(),
                side: artifact::SideTable::default(),
                warnings: Vec::new(),
            });
        }
        self.timed("LLVM", || llvm.compile(&texts, &options))
            .map_err(failed)
    }

    fn summary(&self, modules: &[Module]) -> Summary {
        let kernels = modules.iter().flat_map(|m| {
            m.kernels.iter().map(|kernel| KernelSummary {
                key: kernel.display.clone(),
                from_mir: m.from_mir.clone(),
                from_llvm: m.from_llvm.clone(),
            })
        });
        Summary {
            kernels: kernels.collect(),
            timings: self.timings.borrow().clone(),
        }
    }

    /// Everything that the host needs.
    pub fn artifact(&self) -> Result<Compiled, Diagnostics> {
        let none = kernels::marked(self.crate_name(), self.text(self.own())?).is_empty()
            && !self.has_generic()?;
        let modules = if none { Vec::new() } else { self.routed(None)? };
        let emitted = self.emit(&modules)?;
        let mut warnings = Diagnostics::default();
        for text in &emitted.warnings {
            let mut warning = Diagnostic::error(text.clone());
            warning.level = crate::Level::Warning;
            warnings.0.push(warning);
        }
        let o = &self.options;
        let kernels = modules
            .iter()
            .flat_map(|m| &m.kernels)
            .map(|k| k.entry.clone());
        let artifact = Artifact {
            crate_name: self.crate_name().to_string(),
            arch: self.arch(&modules)?.name().to_string(),
            ptx: emitted.ptx,
            llvm_ir: modules
                .iter()
                .flat_map(|m| &m.texts)
                .map(String::as_str)
                .collect::<Vec<_>>()
                .join("\n"),
            side: emitted.side,
            kernels: kernels.collect(),
            stages: Vec::new(),
            toolchain: o.toolchain.clone(),
            options: format!(
                "debug={:?} fmad={} overflow-checks={}",
                o.debug, o.fmad, o.overflow_checks
            ),
        };
        Ok(Compiled {
            artifact,
            summary: self.summary(&modules),
            warnings,
        })
    }
}

fn of_root(root: &Root) -> Kernel {
    let entry = artifact::Kernel {
        key: root.key.clone(),
        ptx_name: root.ptx_name.clone(),
        symbol: root.symbol.clone(),
        route: artifact::Route::Llvm,
        launch_bounds: root.launch_bounds,
        source: Some(root.source.clone()),
        args: root.args.clone(),
        params: root.params.clone(),
    };
    Kernel {
        display: root.display(),
        fmad: root.fmad,
        entry,
    }
}

fn of_info(info: &mir_importer::KernelInfo) -> Kernel {
    let arg = |a: &mir_importer::KernelArg| artifact::Arg {
        name: a.name.clone(),
        type_name: a.type_name.clone(),
        size: a.size,
        align: a.align,
        layout_hash: a.layout_hash,
    };
    let param = |p: &mir_importer::KernelParam| artifact::Param {
        arg: p.arg,
        offset: p.offset.into(),
        size: p.size.into(),
    };
    let source = |s: &rustc_mir::Span| artifact::Source {
        file: s.file.to_string(),
        line: s.lo.line,
        column: s.lo.col,
    };
    let entry = artifact::Kernel {
        key: info.key.clone(),
        ptx_name: info.symbol.clone(),
        symbol: String::new(),
        route: artifact::Route::Mir,
        launch_bounds: (info.max_threads > 0).then_some((info.max_threads, info.min_blocks)),
        source: info.span.as_ref().map(source),
        args: info.args.iter().map(arg).collect(),
        params: info.params.iter().map(param).collect(),
    };
    Kernel {
        display: info.key.clone(),
        fmad: info.fmad,
        entry,
    }
}

/// The back end's words in our form.
fn of_backend(error: &llvm_backend::Error) -> Diagnostic {
    let text = error.to_string();
    let (title, rest) = text.split_once('\n').unwrap_or((&text, ""));
    let mut out = Diagnostic::error(title);
    for line in rest.lines() {
        out = match line.trim().strip_prefix("help: ") {
            Some(help) => out.help(help),
            None => out.note(line.trim()),
        };
    }
    out
}
