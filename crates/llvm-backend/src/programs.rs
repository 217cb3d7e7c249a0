//! The same path by LLVM's programs: for a rustc without a libLLVM of its own. `CUDA_OXIDE_LLC` names `llc`; `opt`, `llvm-link` and
//! `llvm-dis` of the same build lie beside it, with the same ending (`llc-22`, `opt-22`).
//!
//! Between the programs everything is text: what the library's API does to a module in memory is done to lines here. The side table is
//! made in the same way as there, by locations whose lines are our numbers.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::compile::{self, Options};
use crate::side::{self, Frame, Numbered};
use crate::signs;
use crate::{Emitted, Error, LLVM_MAJOR, Unresolved};

/// The variable that names `llc`.
pub(crate) const VARIABLE: &str = "CUDA_OXIDE_LLC";

/// NVPTX's data layout in LLVM 22, where there is no machine to ask (a test compares them).
pub(crate) const DATA_LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";

const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// LLVM's programs, of one version that is ours.
pub(crate) struct Programs {
    llc: PathBuf,
    opt: PathBuf,
    link: PathBuf,
    disassemble: PathBuf,
    pub version: (u32, u32, u32),
}

static PROGRAMS: OnceLock<Result<Programs, Error>> = OnceLock::new();

/// The programs, if the variable is set; asked for their versions once.
pub(crate) fn shared() -> Option<Result<&'static Programs, Error>> {
    let llc = std::env::var_os(VARIABLE).filter(|p| !p.is_empty())?;
    let found = PROGRAMS.get_or_init(|| Programs::find(Path::new(&llc)));
    Some(found.as_ref().map_err(Clone::clone))
}

impl Programs {
    pub fn find(llc: &Path) -> Result<Self, Error> {
        let broken = |path: &Path, reason: String| Error::BrokenProgram {
            path: path.to_owned(),
            reason,
        };
        let name = llc.file_name().unwrap_or_default().to_string_lossy();
        let ending = name
            .strip_prefix("llc")
            .ok_or_else(|| broken(llc, "its name does not begin with `llc`".to_owned()))?;
        let beside = |program: &str| llc.with_file_name(format!("{program}{ending}"));
        let mut version = (0, 0, 0);
        let (opt, link, disassemble) = (beside("opt"), beside("llvm-link"), beside("llvm-dis"));
        for path in [llc, &opt, &link] {
            let out = Command::new(path).arg("--version").output();
            let out = out.map_err(|e| broken(path, e.to_string()))?;
            let text = String::from_utf8_lossy(&out.stdout).into_owned();
            let found = version_in(&text)
                .ok_or_else(|| broken(path, "`--version` says no version of LLVM".to_owned()))?;
            if found.0 != LLVM_MAJOR {
                return Err(Error::WrongProgram {
                    path: path.to_owned(),
                    version: found,
                });
            }
            if path == llc {
                version = found;
                if !text.contains("nvptx64") {
                    return Err(broken(
                        path,
                        "it was built without the NVPTX target".to_owned(),
                    ));
                }
            } else if found != version {
                return Err(broken(
                    path,
                    "it is of another version than `llc`".to_owned(),
                ));
            }
        }
        Ok(Self {
            llc: llc.to_owned(),
            opt,
            link,
            disassemble,
            version,
        })
    }

    pub fn path(&self) -> &Path {
        &self.llc
    }

    pub fn disassemble(&self, bitcode: &[u8]) -> Result<String, Error> {
        let folder = Folder::new()?;
        let input = folder.write("in.bc", bitcode)?;
        run(
            Command::new(&self.disassemble).args(["-o", "-"]).arg(input),
            "disassemble",
        )
    }

    pub fn compile(
        &self,
        modules: &[(&str, &[u8])],
        options: &Options,
        ptx: Option<u32>,
    ) -> Result<Emitted, Error> {
        let folder = Folder::new()?;
        let text = self.optimised(&folder, modules, options, ptx)?;
        let (text, numbered) = number(&text);
        let input = folder.write("numbered.ll", text.as_bytes())?;
        let mut llc = Command::new(&self.llc);
        llc.arg(format!("-O{}", options.opt.codegen()))
            // As the library is told: there is no function of the device for these.
            .args([
                "-expand-fp-convert-bits=64",
                "-asm-verbose=false",
                "-o",
                "-",
            ])
            .args(target(options, ptx))
            .arg(input);
        let emitted = run(&mut llc, "emit").map_err(|e| match e {
            Error::Emit(message) => Error::Emit(numbered.in_message(&message)),
            other => other,
        })?;
        let (ptx, side) = side::read_back(&emitted, &numbered, options)?;
        Ok(Emitted {
            ptx,
            side,
            warnings: Vec::new(),
        })
    }

    pub fn optimised_ir(
        &self,
        modules: &[(&str, &[u8])],
        options: &Options,
        ptx: Option<u32>,
    ) -> Result<String, Error> {
        self.optimised(&Folder::new()?, modules, options, ptx)
    }

    fn optimised(
        &self,
        folder: &Folder,
        modules: &[(&str, &[u8])],
        options: &Options,
        ptx: Option<u32>,
    ) -> Result<String, Error> {
        let mut texts = Vec::new();
        for (name, bytes) in modules {
            let text = compile::rewritten(bytes);
            let text = String::from_utf8(text.into_owned()).map_err(|_| Error::Parse {
                name: name.to_string(),
                message: "it is no text, and by LLVM's programs only texts are compiled".to_owned(),
            })?;
            texts.push(text);
        }
        if texts.is_empty() {
            return Err(Error::Empty);
        }
        for (symbols, definitions) in compile::runtimes() {
            let declared = |text: &String| {
                let mut lines = text.lines().filter(|l| l.starts_with("declare "));
                lines.any(|l| symbols.iter().any(|s| l.contains(&format!("@{s}("))))
            };
            if texts.iter().any(declared) {
                texts.push(definitions);
            }
        }
        let mut files = Vec::new();
        for (index, text) in texts.iter().enumerate() {
            let text = retargeted(text, options.fmad);
            files.push(folder.write(&format!("{index}.ll"), text.as_bytes())?);
        }
        let linked = run(
            Command::new(&self.link).args(["-S", "-o", "-"]).args(files),
            "link",
        )?;
        let keep = visible(&linked, &options.keep);
        let input = folder.write("linked.ll", linked.as_bytes())?;
        let level = options.opt.pipeline();
        let mut opt = Command::new(&self.opt);
        opt.arg("-S")
            .arg(format!("-passes=verify,internalize,{level},globaldce"))
            .arg(format!("-internalize-public-api-list={}", keep.join(",")))
            .args(["-o", "-"])
            .args(target(options, ptx))
            .arg(input);
        let text = run(&mut opt, "optimise")?;
        check_externals(&text)?;
        Ok(signs::to_the_bit_in_text(&text))
    }
}

fn target(options: &Options, ptx: Option<u32>) -> Vec<String> {
    let mut out = vec![
        format!("-mtriple={TRIPLE}"),
        format!("-mcpu={}", options.arch.name()),
    ];
    out.extend(ptx.map(|ptx| format!("-mattr=+ptx{ptx}")));
    out
}

/// `  LLVM version 22.1.2-rust-1.95.0-stable`, or with a name in front as distributions write it.
fn version_in(text: &str) -> Option<(u32, u32, u32)> {
    let rest = &text[text.find("LLVM version ")? + "LLVM version ".len()..];
    let mut numbers = rest.split(|c: char| !c.is_ascii_digit()).map(str::parse);
    let mut next = || numbers.next()?.ok();
    Some((next()?, next()?, next().unwrap_or(0)))
}

/// Runs one of the programs; what it prints is the result.
fn run(command: &mut Command, step: &str) -> Result<String, Error> {
    let out = command.output().map_err(|e| Error::BrokenProgram {
        path: PathBuf::from(command.get_program()),
        reason: e.to_string(),
    })?;
    if !out.status.success() {
        let said = String::from_utf8_lossy(&out.stderr).trim().to_owned();
        return Err(match step {
            "link" => Error::Link(said),
            "optimise" => Error::Passes {
                pipeline: "opt".to_owned(),
                message: said,
            },
            _ => Error::Emit(said),
        });
    }
    String::from_utf8(out.stdout).map_err(|_| Error::Emit("the text is not UTF-8".to_owned()))
}

/// A folder for files between the programs, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Result<Self, Error> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let unique = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("oxide-llvm-{}-{unique}", std::process::id()));
        std::fs::create_dir_all(&path)
            .map_err(|e| Error::Internal(format!("cannot make {}: {e}", path.display())))?;
        Ok(Self(path))
    }

    fn write(&self, name: &str, bytes: &[u8]) -> Result<PathBuf, Error> {
        let path = self.0.join(name);
        std::fs::write(&path, bytes)
            .map_err(|e| Error::Internal(format!("cannot write {}: {e}", path.display())))?;
        Ok(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// The text with the device's triple and layout, and with `fmad` with the flag by which products and sums fuse.
fn retargeted(text: &str, fmad: bool) -> String {
    let mut out = format!("target datalayout = \"{DATA_LAYOUT}\"\ntarget triple = \"{TRIPLE}\"\n");
    for line in text.lines() {
        if line.starts_with("target datalayout") || line.starts_with("target triple") {
            continue;
        }
        let fused = |op: &str| {
            let word = format!(" = {op} ");
            let at = line.find(&word).filter(|_| fmad)? + word.len();
            let rest = &line[at..];
            let has = rest.starts_with("contract") || rest.starts_with("fast");
            (!has).then(|| format!("{}contract {rest}", &line[..at]))
        };
        let changed = ["fadd", "fsub", "fmul", "fneg"]
            .iter()
            .find_map(|op| fused(op));
        out.push_str(changed.as_deref().unwrap_or(line));
        out.push('\n');
    }
    out
}

/// The name after the first `@` of a line.
fn symbol(line: &str) -> Option<&str> {
    let rest = line.split_once('@')?.1;
    match rest.strip_prefix('"') {
        Some(quoted) => quoted.split('"').next(),
        None => rest
            .split(|c: char| !(c.is_alphanumeric() || matches!(c, '_' | '$' | '.' | '-')))
            .next(),
    }
}

/// What stays visible: kernels, variables that the host writes, and what the caller names.
fn visible(text: &str, keep: &[String]) -> Vec<String> {
    let mut out: BTreeSet<String> = keep.iter().cloned().collect();
    for line in text.lines() {
        let kernel = line.starts_with("define ") && line.contains(" ptx_kernel ");
        let written = line.starts_with('@') && line.contains(" externally_initialized ");
        if kernel || written {
            out.extend(symbol(line).map(str::to_owned));
        }
    }
    out.into_iter().collect()
}

/// Every declaration that is left must be an intrinsic of LLVM or what the driver provides.
fn check_externals(text: &str) -> Result<(), Error> {
    let mut unresolved = Vec::new();
    for line in text.lines() {
        let function = line.starts_with("declare ");
        let variable = line.starts_with('@') && line.contains(" external ");
        let Some(name) = symbol(line).filter(|_| function || variable) else {
            continue;
        };
        if name.starts_with("llvm.") || compile::is_provided(name) {
            continue;
        }
        let word = format!("@{name}");
        let mut user = "";
        let mut inside = "";
        for other in text.lines() {
            if other.starts_with("define ") {
                inside = symbol(other).unwrap_or("");
            } else if other == "}" {
                inside = "";
            } else if !inside.is_empty() && other.contains(&word) {
                user = inside;
                break;
            }
        }
        unresolved.push(Unresolved {
            symbol: name.to_owned(),
            user: user.to_owned(),
            frames: Vec::new(),
        });
    }
    if unresolved.is_empty() {
        return Ok(());
    }
    Err(Error::Unresolved(unresolved))
}

/// The number after a key, as `scope: !`.
fn field(line: &str, key: &str) -> Option<u32> {
    let rest = &line[line.find(key)? + key.len()..];
    let digits = rest.bytes().take_while(u8::is_ascii_digit).count();
    rest[..digits].parse().ok()
}

fn text_field<'a>(line: &'a str, key: &str) -> Option<&'a str> {
    line[line.find(key)? + key.len()..].split('"').next()
}

/// The numbered metadata of a text.
struct Metadata<'a>(HashMap<u32, &'a str>);

impl<'a> Metadata<'a> {
    fn of(text: &'a str) -> Self {
        let lines = text.lines().filter(|l| l.starts_with('!'));
        Self(lines.filter_map(|l| Some((field(l, "!")?, l))).collect())
    }

    fn is_location(&self, node: u32) -> bool {
        self.0
            .get(&node)
            .is_some_and(|l| l.contains("!DILocation("))
    }

    fn frame(&self, scope: u32, line: u32, column: u32) -> Frame {
        let file = self
            .0
            .get(&scope)
            .and_then(|l| self.0.get(&field(l, "file: !")?));
        let path = file.map(|l| {
            let name = text_field(l, "filename: \"").unwrap_or("");
            match text_field(l, "directory: \"").filter(|d| !d.is_empty()) {
                Some(folder) if !name.starts_with('/') => format!("{folder}/{name}"),
                _ => name.to_owned(),
            }
        });
        let mut parts = Vec::new();
        let mut at = Some(scope);
        // Scopes end after a few steps; a text that goes in circles does not hang this.
        for _ in 0..1000 {
            let Some(l) = at.and_then(|n| self.0.get(&n)) else {
                break;
            };
            if !l.contains("!DILexicalBlock") {
                parts.extend(text_field(l, " name: \"").or_else(|| text_field(l, "(name: \"")));
            }
            at = field(l, "scope: !");
        }
        parts.reverse();
        Frame {
            file: path.unwrap_or_default(),
            line,
            column,
            function: parts.join("::"),
        }
    }

    /// The frames of a location, innermost first.
    fn chain(&self, location: u32) -> Vec<Frame> {
        let mut out = Vec::new();
        let mut at = Some(location);
        while let Some(line) = at.and_then(|n| self.0.get(&n)).filter(|_| out.len() < 1000) {
            let scope = field(line, "scope: !").unwrap_or(0);
            let (l, c) = (
                field(line, "line: ").unwrap_or(0),
                field(line, "column: ").unwrap_or(0),
            );
            out.push(self.frame(scope, l, c));
            at = field(line, "inlinedAt: !");
        }
        out
    }
}

/// The text with numbered locations instead of its debug metadata, as `side::number` does it to a module.
fn number(text: &str) -> (String, Numbered) {
    let metadata = Metadata::of(text);
    let mut free = metadata.0.keys().max().map_or(0, |n| n + 1);
    let mut next = || {
        free += 1;
        free - 1
    };
    let (file, unit, ty, types) = (next(), next(), next(), next());
    let mut chains: Vec<Vec<Frame>> = Vec::new();
    let mut seen: HashMap<u32, u32> = HashMap::new();
    let mut out = String::with_capacity(text.len());
    let mut added = String::new();
    let mut subprogram: Option<u32> = None;
    let mut locations: HashMap<u32, u32> = HashMap::new();
    let debug = |line: &str| {
        let at = line
            .rfind("!dbg !")
            .filter(|at| !line[..*at].contains(" asm ") || line[*at..].find('"').is_none())?;
        let node = field(&line[at..], "!dbg !")?;
        let end = at + "!dbg !".len() + node.to_string().len();
        Some((at, end, node))
    };
    let mut dropped: HashSet<u32> = HashSet::new();
    for (node, line) in &metadata.0 {
        // The nodes of debug metadata would drag the old units in.
        if line.contains("!DI") {
            dropped.insert(*node);
        }
    }
    for line in text.lines() {
        let trimmed = line.trim_start();
        if trimmed.starts_with("#dbg_") || line.starts_with("!llvm.dbg.cu") {
            continue;
        }
        if line.starts_with('!') {
            let node = field(line, "!").filter(|_| !line.starts_with("!llvm"));
            if node.is_some_and(|n| dropped.contains(&n)) {
                continue;
            }
            // Loops name the locations of their ends.
            if let Some((head, list)) = line.split_once("!{") {
                let body = list.trim_end().trim_end_matches('}');
                let kept: Vec<&str> = body
                    .split(", ")
                    .filter(|o| {
                        let node = o.strip_prefix('!').and_then(|n| n.parse().ok());
                        !node.is_some_and(|n| metadata.is_location(n) || dropped.contains(&n))
                    })
                    .collect();
                let _ = writeln!(out, "{head}!{{{}}}", kept.join(", "));
                continue;
            }
            out.push_str(line);
            out.push('\n');
            continue;
        }
        let found = debug(line);
        if line.starts_with("define ") {
            subprogram = None;
            locations.clear();
            if let Some((at, end, node)) = found {
                let number = next();
                let first = metadata
                    .0
                    .get(&node)
                    .and_then(|l| field(l, "line: "))
                    .unwrap_or(0);
                chains.push(vec![metadata.frame(node, first, 0)]);
                let own = chains.len();
                let name = symbol(line).unwrap_or("");
                let _ = writeln!(
                    added,
                    "!{number} = distinct !DISubprogram(name: \"{name}\", scope: !{file}, file: !{file}, line: {own}, type: !{ty}, scopeLine: {own}, spFlags: DISPFlagLocalToUnit | DISPFlagDefinition | DISPFlagOptimized, unit: !{unit})"
                );
                let _ = writeln!(out, "{}!dbg !{number}{}", &line[..at], &line[end..]);
                subprogram = Some(number);
                continue;
            }
        } else if let Some((at, end, node)) = found {
            let place = subprogram.filter(|_| line.starts_with(' ')).map(|scope| {
                let number = *seen.entry(node).or_insert_with(|| {
                    chains.push(metadata.chain(node));
                    chains.len() as u32
                });
                *locations.entry(number).or_insert_with(|| {
                    let id = next();
                    let _ = writeln!(
                        added,
                        "!{id} = !DILocation(line: {number}, column: 0, scope: !{scope})"
                    );
                    id
                })
            });
            match place {
                Some(id) => {
                    let _ = writeln!(out, "{}!dbg !{id}{}", &line[..at], &line[end..]);
                }
                // A variable, or a function that is said nothing of.
                None => {
                    let _ = writeln!(
                        out,
                        "{}{}",
                        line[..at].trim_end().trim_end_matches(','),
                        &line[end..]
                    );
                }
            }
            continue;
        }
        out.push_str(line);
        out.push('\n');
    }
    if !chains.is_empty() {
        let _ = write!(
            out,
            "!llvm.dbg.cu = !{{!{unit}}}\n!{file} = !DIFile(filename: \"{}\", directory: \"\")\n\
             !{unit} = distinct !DICompileUnit(language: DW_LANG_C, file: !{file}, isOptimized: true, emissionKind: DebugDirectivesOnly)\n\
             !{ty} = !DISubroutineType(types: !{types})\n!{types} = !{{}}\n{added}",
            side::FILE_NAME
        );
    }
    (out, Numbered::new(chains))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn versions() {
        assert_eq!(
            version_in("LLVM (http://llvm.org/):\n  LLVM version 22.1.2-rust-1.95.0-stable\n"),
            Some((22, 1, 2))
        );
        assert_eq!(version_in("Debian LLVM version 14.0.6\n"), Some((14, 0, 6)));
        assert_eq!(version_in("gcc 12"), None);
    }

    #[test]
    fn the_layout_is_the_librarys() {
        assert_eq!(
            crate::Llvm::of_library().unwrap().data_layout().unwrap(),
            DATA_LAYOUT
        );
    }

    /// The library takes the numbered text, and emits from it what it emits from the module: the programs' way without the programs.
    #[test]
    fn numbered_texts_are_what_the_library_numbers() {
        let text = include_str!("../tests/inlined.ll");
        let llvm = crate::Llvm::of_library().unwrap();
        let options = Options::default();
        let ir = llvm.optimised_ir(&[("k.ll", text)], &options).unwrap();
        let (numbered, chains) = number(&ir);
        let emitted = llvm.emit_as_it_is(&numbered, &options).unwrap();
        let (ptx, side) = side::read_back(&emitted, &chains, &options).unwrap();
        let direct = llvm.compile(&[("k.ll", text)], &options).unwrap();
        assert_eq!(ptx, direct.ptx);
        let frames = |side: &crate::SideTable, line: u32| -> Vec<String> {
            side.frames(line)
                .map(|f| format!("{} {}:{}:{}", f.function, f.file, f.line, f.column))
                .collect()
        };
        for line in 1..=ptx.lines().count() as u32 {
            assert_eq!(
                frames(&side, line),
                frames(&direct.side, line),
                "line {line}"
            );
        }
    }
}
