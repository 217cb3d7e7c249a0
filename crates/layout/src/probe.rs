//! Asks rustc for whole layouts: a crate of `#[rustc_layout(debug)] type L0 = …;` is compiled to metadata, and rustc answers
//! with its own layout of each, backend representation and tag encoding included. One run answers for many types
//! (about 30 ms). What it cannot answer for: types that another crate cannot name (private ones, closures), and the names and
//! discriminants of an enum's variants, which a layout does not hold.

use std::collections::{BTreeSet, HashMap};
use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use rustc_mir::ty::*;

use crate::LayoutError;
use crate::debug_value::{self, Value};
use crate::debuginfo::DebugInfo;
use crate::defaults::STAND_IN;
use crate::kept::{Kept, stamp};
use crate::model::*;

/// The probe's crate.
const PROBE: &str = "oxide_layout_probe";

/// How to run rustc.
#[derive(Clone, Debug, Default)]
pub struct Probe {
    /// The compiler: the one that compiles the crates whose layouts are asked for.
    pub rustc: PathBuf,
    /// `("cuda_device", "…/libcuda_device-1234.rmeta")`
    pub externs: Vec<(String, PathBuf)>,
    /// Folders for the externs' own dependencies.
    pub search: Vec<PathBuf>,
    /// More arguments (`--target`, `-C target-feature`, …).
    pub args: Vec<String>,
    /// A folder for the metadata that comes out.
    pub scratch: PathBuf,
    /// Where answers are kept from run to run; `None`: nowhere.
    pub kept: Option<PathBuf>,
    /// `rustc --version`, for `kept`.
    pub version: String,
}

/// A type as rustc lays it out, before its variants have names.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Raw {
    pub size: u64,
    pub align: u64,
    pub abi: Abi,
    pub uninhabited: bool,
    /// False: `size` is that of what stands before the unsized tail.
    pub sized: bool,
    pub offsets: Vec<u64>,
    pub variants: RawVariants,
}

#[derive(Clone, Debug, PartialEq)]
pub(crate) enum RawVariants {
    Single(u32),
    Tagged {
        tag: Tag,
        variants: Vec<Raw>,
    },
    Niche {
        tag: Tag,
        untagged: u32,
        range: (u32, u32),
        start: u128,
        variants: Vec<Raw>,
    },
}

impl Probe {
    /// The layouts of those of `types` that rustc can answer for, and for the others why not.
    ///
    /// # Errors
    /// rustc cannot be run, or says what is not understood.
    pub(crate) fn ask(
        &self,
        types: &[Ty],
        local_crate: Option<&str>,
        kept: &Kept,
    ) -> Result<Vec<Result<Raw, String>>, LayoutError> {
        let mut out: Vec<Result<Raw, String>> = Vec::with_capacity(types.len());
        let mut lines: Vec<Option<String>> = Vec::with_capacity(types.len());
        for ty in types {
            let source = Source {
                externs: &self.externs,
                local_crate,
            };
            match source.ty(ty) {
                Ok(text) => {
                    lines.push(Some(text));
                    out.push(Err("rustc did not answer".into()));
                }
                Err(why) => {
                    lines.push(None);
                    out.push(Err(why));
                }
            }
        }
        let keys: Vec<_> = lines
            .iter()
            .map(|l| kept.key(&format!("layout {}", l.as_ref()?)))
            .collect();
        for ((line, key), out) in lines.iter_mut().zip(&keys).zip(&mut out) {
            match key.and_then(|k| kept.get(k)) {
                // What cannot be read is asked for again.
                Some(Ok(text)) => {
                    if let Ok(raw) = read_layout(&text) {
                        (*line, *out) = (None, Ok(raw));
                    }
                }
                Some(Err(why)) => (*line, *out) = (None, Err(why)),
                None => {}
            }
        }
        for (i, line) in lines.iter_mut().enumerate() {
            if let Some(l) = line {
                *l = format!("#[rustc_layout(debug)] pub type L{i} = {l};");
            }
        }
        let answers = self.rounds(&mut lines, "", "metadata")?;
        let keep = |i: usize, answer: Result<String, String>| {
            if let Some(key) = keys.get(i).copied().flatten() {
                kept.put(key, answer);
            }
        };
        for (i, why) in answers.refused {
            keep(i, Err(why.clone()));
            out[i] = Err(why);
        }
        for (i, text) in answers.layouts {
            let Some(slot) = out.get_mut(i) else { continue };
            *slot = Ok(read_layout(&text).map_err(|e| LayoutError::new(&types[i].to_string(), e))?);
            keep(i, Ok(text));
        }
        kept.save();
        Ok(out)
    }

    /// Each type with all its arguments, those that are their parameters' defaults too, in the paths of definitions (as debug
    /// metadata has them). An argument that cannot be named is `oxide_layout_probe::OxideArgN`. `None`: rustc does not tell.
    ///
    /// # Errors
    /// rustc cannot be run.
    pub(crate) fn whole_types(
        &self,
        types: &[Path],
        local_crate: Option<&str>,
        kept: &Kept,
    ) -> Result<Vec<Option<Ty>>, LayoutError> {
        let source = Source {
            externs: &self.externs,
            local_crate,
        };
        let most = types.iter().map(|p| p.last_args().len()).max().unwrap_or(0);
        let mut head = String::new();
        for i in 0..most {
            head.push_str(&format!(
                "#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)] pub struct {STAND_IN}{i};"
            ));
        }
        let mut lines: Vec<Option<String>> = types
            .iter()
            .map(|p| source.path_with_stand_ins(p).ok())
            .collect();
        let keys: Vec<_> = lines
            .iter()
            .map(|l| kept.key(&format!("whole {}", l.as_ref()?)))
            .collect();
        let mut out = vec![None; types.len()];
        for ((line, key), out) in lines.iter_mut().zip(&keys).zip(&mut out) {
            if let Some(answer) = key.and_then(|k| kept.get(k)) {
                *line = None;
                *out = answer.ok().and_then(|t| Ty::parse(&t).ok());
            }
        }
        for (i, line) in lines.iter_mut().enumerate() {
            if let Some(ty) = line {
                *ty = format!("#[unsafe(no_mangle)] pub fn x{i}(oxide_{i}: *const {ty}) {{}}");
            }
        }
        let answers = self.rounds(&mut lines, &head, "llvm-ir")?;
        for (i, why) in answers.refused {
            if let Some(key) = keys[i] {
                kept.put(key, Err(why));
            }
        }
        if lines.iter().all(Option::is_none) {
            kept.save();
            return Ok(out);
        }
        let file = self.output();
        let text = std::fs::read_to_string(&file);
        let text =
            text.map_err(|e| LayoutError::new("", format!("cannot read {}: {e}", file.display())))?;
        let _ = std::fs::remove_file(&file);
        let debug = DebugInfo::index(text.into());
        for (i, key) in keys.iter().enumerate().filter(|(i, _)| lines[*i].is_some()) {
            let Some(text) = debug.pointee(&format!("oxide_{i}")) else {
                continue;
            };
            out[i] = Ty::parse(&text).ok();
            if let Some(key) = key {
                kept.put(*key, Ok(text));
            }
        }
        kept.save();
        Ok(out)
    }

    /// What was kept for questions like these.
    pub(crate) fn kept(&self) -> Kept {
        match &self.kept {
            None => Kept::default(),
            Some(file) => {
                let compiler = stamp(&self.rustc);
                let common = format!("1 {} {compiler} {:?}", self.version, self.args);
                Kept::new(file.clone(), common, self.externs.clone())
            }
        }
    }

    fn output(&self) -> PathBuf {
        self.scratch
            .join(format!("{PROBE}-{}.rmeta", std::process::id()))
    }

    /// Compiles the items until rustc takes all that are left: each round drops items that it refuses or turns on features
    /// that it asks for; so it ends.
    fn rounds(
        &self,
        lines: &mut [Option<String>],
        head: &str,
        emit: &str,
    ) -> Result<Answers, LayoutError> {
        let mut features: BTreeSet<String> = BTreeSet::from(["rustc_attrs".to_string()]);
        let mut refused: Vec<(usize, String)> = Vec::new();
        while lines.iter().any(Option::is_some) {
            let mut answers = self.run(lines, head, emit, &features)?;
            let mut changed = false;
            for (i, answer) in &answers.errors {
                if let Some(feature) = answer.feature.as_ref().filter(|f| !features.contains(*f)) {
                    features.insert(feature.clone());
                    changed = true;
                } else if let Some(i) = i
                    && lines.get(*i).is_some_and(Option::is_some)
                {
                    // Features are tried first: an error may be gone with them.
                    if !answers
                        .errors
                        .iter()
                        .any(|(_, a)| a.feature.as_ref().is_some_and(|f| !features.contains(f)))
                    {
                        lines[*i] = None;
                        refused.push((*i, answer.text.clone()));
                        changed = true;
                    }
                } else if i.is_none() {
                    return Err(LayoutError::new("", format!("rustc: {}", answer.text)));
                }
            }
            if !changed {
                answers.refused = refused;
                return Ok(answers);
            }
        }
        Ok(Answers {
            refused,
            ..Answers::default()
        })
    }

    fn run(
        &self,
        lines: &[Option<String>],
        head: &str,
        emit: &str,
        features: &BTreeSet<String>,
    ) -> Result<Answers, LayoutError> {
        let io = |e: std::io::Error| {
            LayoutError::new("", format!("{} cannot be run: {e}", self.rustc.display()))
        };
        // The first line holds the attributes, so that type `i` is on line `i + 2`.
        let features: Vec<&str> = features.iter().map(String::as_str).collect();
        let mut source = format!(
            "#![feature({})]#![allow(warnings)]#![no_std]extern crate std;extern crate alloc;{head}\n",
            features.join(",")
        );
        for l in lines {
            if let Some(l) = l {
                source.push_str(l);
            }
            source.push('\n');
        }
        let mut cmd = Command::new(&self.rustc);
        cmd.args([
            "--crate-name",
            PROBE,
            "--crate-type",
            "lib",
            "--edition",
            "2024",
        ])
        .args([
            "--error-format=json",
            "-Awarnings",
            "-C",
            "debuginfo=2",
            "-",
        ])
        .arg(format!("--emit={emit}"))
        .arg("-o")
        .arg(self.output())
        .args(&self.args);
        for (name, path) in &self.externs {
            cmd.arg("--extern")
                .arg(format!("{name}={}", path.display()));
        }
        for dir in &self.search {
            cmd.arg("-L").arg(format!("dependency={}", dir.display()));
        }
        cmd.env("RUSTC_BOOTSTRAP", "1")
            .stdin(Stdio::piped())
            .stdout(Stdio::null())
            .stderr(Stdio::piped());
        let mut child = cmd.spawn().map_err(io)?;
        let stdin = child.stdin.take();
        // rustc reads all of its input before it prints, so this cannot block on a full pipe.
        if let Some(mut stdin) = stdin {
            stdin.write_all(source.as_bytes()).map_err(io)?;
        }
        let output = child.wait_with_output().map_err(io)?;
        let mut answers = Answers::default();
        for line in String::from_utf8_lossy(&output.stderr).lines() {
            let Ok(json) = serde_json::from_str::<serde_json::Value>(line) else {
                if line.trim().is_empty() {
                    continue;
                }
                return Err(LayoutError::new("", format!("rustc: {line}")));
            };
            let message = json["message"].as_str().unwrap_or("").to_string();
            if json["level"].as_str() != Some("error") || message.starts_with("aborting due to") {
                continue;
            }
            let index = json["spans"].as_array().and_then(|s| {
                let of_probe = s
                    .iter()
                    .filter(|s| s["file_name"].as_str() == Some("<anon>"));
                let line = of_probe.filter_map(|s| s["line_start"].as_u64()).next()?;
                usize::try_from(line).ok()?.checked_sub(2)
            });
            if message.starts_with("layout_of(") {
                if let Some(i) = index {
                    answers.layouts.push((i, message));
                }
                continue;
            }
            let feature = (json["code"]["code"].as_str() == Some("E0658"))
                .then(|| feature_name(&message, &json))
                .flatten();
            answers.errors.push((
                index,
                Answer {
                    text: message,
                    feature,
                },
            ));
        }
        Ok(answers)
    }
}

#[derive(Default)]
struct Answers {
    layouts: Vec<(usize, String)>,
    /// Items that rustc refused, and why.
    refused: Vec<(usize, String)>,
    errors: Vec<(Option<usize>, Answer)>,
}

struct Answer {
    text: String,
    feature: Option<String>,
}

/// "use of unstable library feature `x`", or a help "add `#![feature(x)]` …".
fn feature_name(message: &str, json: &serde_json::Value) -> Option<String> {
    if let Some((_, rest)) = message.split_once("library feature `") {
        return rest.split_once('`').map(|(f, _)| f.to_string());
    }
    let children = json["children"].as_array()?;
    children.iter().find_map(|c| {
        let (_, rest) = c["message"].as_str()?.split_once("#![feature(")?;
        rest.split_once(')').map(|(f, _)| f.to_string())
    })
}

/// From `layout_of(T) = Layout { … }`.
fn read_layout(text: &str) -> Result<Raw, String> {
    let value = text
        .split_once(" = ")
        .and_then(|(_, t)| debug_value::parse(t));
    match value.as_ref().map(raw) {
        Some(answer) => answer,
        None => Err("rustc's layout cannot be read".to_string()),
    }
}

/// Writes a type so that the probe's crate can name it.
struct Source<'a> {
    externs: &'a [(String, PathBuf)],
    local_crate: Option<&'a str>,
}

impl Source<'_> {
    fn ty(&self, ty: &Ty) -> Result<String, String> {
        Ok(match ty {
            Ty::Ref(m, t) => format!(
                "&'static {}({})",
                if *m == Mutability::Mut { "mut " } else { "" },
                self.ty(t)?
            ),
            Ty::RawPtr(m, t) => format!(
                "*{} ({})",
                if *m == Mutability::Mut {
                    "mut"
                } else {
                    "const"
                },
                self.ty(t)?
            ),
            Ty::Slice(t) => format!("[{}]", self.ty(t)?),
            Ty::Array(t, n) => format!("[{}; {}]", self.ty(t)?, self.const_arg(n)?),
            Ty::Tuple(ts) => {
                let items = ts
                    .iter()
                    .map(|t| Ok(self.ty(t)? + ","))
                    .collect::<Result<Vec<_>, String>>()?;
                format!("({})", items.concat())
            }
            Ty::Path(p) | Ty::Projection(p) => self.path(p)?,
            Ty::FnPtr(sig) => {
                let abi = sig
                    .abi
                    .as_ref()
                    .map_or(String::new(), |a| format!("extern {a:?} "));
                let mut ins = sig
                    .inputs
                    .iter()
                    .map(|t| self.ty(t))
                    .collect::<Result<Vec<_>, _>>()?;
                if sig.c_variadic {
                    ins.push("...".into());
                }
                let unsafety = if sig.is_unsafe { "unsafe " } else { "" };
                format!(
                    "{unsafety}{abi}fn({}) -> {}",
                    ins.join(", "),
                    self.ty(&sig.output)?
                )
            }
            Ty::Dyn(bounds) => {
                let bs = bounds
                    .iter()
                    .map(|b| self.path(&b.path))
                    .collect::<Result<Vec<_>, _>>()?;
                format!("dyn {} + 'static", bs.join(" + "))
            }
            Ty::Bool | Ty::Char | Ty::Str | Ty::Never | Ty::Int(_) | Ty::Uint(_) | Ty::Float(_) => {
                ty.to_string()
            }
            Ty::Closure(_)
            | Ty::FnDef(..)
            | Ty::Impl(_)
            | Ty::Pattern(..)
            | Ty::UnsafeBinder(_)
            | Ty::Infer => return Err(format!("`{ty}` cannot be written in another crate")),
        })
    }

    fn path(&self, p: &Path) -> Result<String, String> {
        // A private enum without variants, in the types of `array::from_fn` and `[T; N]::map`. rustc lays out all enums
        // without variants alike, and this one can be named.
        if p.last_ident() == Some("NeverShortCircuitResidual")
            && p.plain_name().is_some_and(|n| {
                matches!(n.split("::").next(), Some("std" | "core")) && n.contains("::try_trait::")
            })
        {
            return Ok("::core::convert::Infallible".into());
        }
        let mut out = String::new();
        match &p.root {
            Root::Plain => {
                let first = match p.segments.first().map(|s| &s.name) {
                    Some(SegmentName::Ident(n)) => n.as_str(),
                    _ => return Err(format!("`{p}` cannot be written in another crate")),
                };
                let known = matches!(first, "std" | "core" | "alloc")
                    || self.externs.iter().any(|(n, _)| n == first);
                if known && p.segments.len() > 1 {
                    out.push_str("::");
                } else if let Some(c) = self.local_crate {
                    out.push_str(&format!("::{c}::"));
                } else {
                    return Err(format!(
                        "`{p}` belongs to a crate that another one cannot use"
                    ));
                }
            }
            Root::Qualified { self_ty, trait_ } => {
                out.push_str(&format!("<{}", self.ty(self_ty)?));
                if let Some(t) = trait_ {
                    out.push_str(&format!(" as {}", self.path(t)?));
                }
                out.push_str(">::");
            }
        }
        for (i, s) in p.segments.iter().enumerate() {
            if i > 0 {
                out.push_str("::");
            }
            let SegmentName::Ident(name) = &s.name else {
                return Err(format!("`{p}` cannot be written in another crate"));
            };
            out.push_str(name);
            let mut args = vec!["'static".to_string(); s.lifetimes.0 as usize];
            if s.parenthesized {
                let [GenericArg::Type(Ty::Tuple(ins)), rest @ ..] = &s.args[..] else {
                    return Err(format!("`{p}` cannot be written in another crate"));
                };
                let ins = ins
                    .iter()
                    .map(|t| self.ty(t))
                    .collect::<Result<Vec<_>, _>>()?;
                out.push_str(&format!("({})", ins.join(", ")));
                if let [GenericArg::Binding(_, o)] = rest {
                    out.push_str(&format!(" -> {}", self.arg(o)?));
                }
                continue;
            }
            for a in &s.args {
                args.push(self.arg(a)?);
            }
            if !args.is_empty() {
                out.push_str(&format!("<{}>", args.join(", ")));
            }
        }
        Ok(out)
    }

    /// The same with [`STAND_IN`] types for the last segment's arguments that cannot be named.
    fn path_with_stand_ins(&self, p: &Path) -> Result<String, String> {
        let mut p = p.clone();
        let Some(last) = p.segments.last_mut() else {
            return Err(format!("`{p}` has no name"));
        };
        let mut args = vec!["'static".to_string(); last.lifetimes.0 as usize];
        for (i, a) in std::mem::take(&mut last.args).iter().enumerate() {
            args.push(match (self.arg(a), a) {
                (Ok(text), _) => text,
                (Err(_), GenericArg::Type(_)) => format!("{STAND_IN}{i}"),
                (Err(e), _) => return Err(e),
            });
        }
        last.lifetimes = Lifetimes(0);
        Ok(format!("{}<{}>", self.path(&p)?, args.join(", ")))
    }

    fn arg(&self, a: &GenericArg) -> Result<String, String> {
        match a {
            GenericArg::Type(t) => self.ty(t),
            GenericArg::Const(c) => self.const_arg(c),
            GenericArg::Binding(p, a) => Ok(format!("{p} = {}", self.arg(a)?)),
        }
    }

    fn const_arg(&self, c: &ConstArg) -> Result<String, String> {
        match c {
            ConstArg::Uint(_) | ConstArg::NegInt(_) | ConstArg::Bool(_) | ConstArg::Char(_) => {
                Ok(c.to_string())
            }
            // A constant's path and source text mean something in their own crate only.
            _ => Err(format!("the constant `{c}` is not evaluated")),
        }
    }
}

/// From rustc's `Layout { … }`.
fn raw(v: &Value) -> Result<Raw, String> {
    let lost = |what: &str| format!("rustc's layout has no {what} that can be read");
    let size = v
        .get("size")
        .and_then(Value::bytes)
        .ok_or_else(|| lost("size"))?;
    let align = v.get("align").ok_or_else(|| lost("align"))?;
    let align = align
        .get("abi")
        .unwrap_or(align)
        .bytes()
        .ok_or_else(|| lost("align"))?;
    let repr = v.get("backend_repr").ok_or_else(|| lost("backend_repr"))?;
    let fields = v.get("fields").ok_or_else(|| lost("fields"))?;
    let offsets = match fields.name() {
        "Arbitrary" => {
            let list = fields.get("offsets").ok_or_else(|| lost("offsets"))?;
            list.items()
                .iter()
                .map(|o| o.bytes().ok_or_else(|| lost("offsets")))
                .collect::<Result<_, _>>()?
        }
        "Union" => {
            let n: usize = fields
                .at(0)
                .and_then(Value::number)
                .ok_or_else(|| lost("number of fields"))?;
            vec![0; n.min(1 << 16)]
        }
        // Arrays, whose elements are built in, and primitives, which have none.
        _ => Vec::new(),
    };
    let variants = v.get("variants").ok_or_else(|| lost("variants"))?;
    let variants = match variants.name() {
        "Single" => RawVariants::Single(
            variants
                .get("index")
                .and_then(Value::number)
                .ok_or_else(|| lost("variant"))?,
        ),
        "Empty" => RawVariants::Single(0),
        "Multiple" => multiple(variants, &offsets)?,
        other => {
            return Err(format!(
                "rustc's layout has variants `{other}` that are not known"
            ));
        }
    };
    let uninhabited = v.get("uninhabited").and_then(Value::atom) == Some("true");
    let abi = abi(repr, size).ok_or_else(|| lost("backend_repr"))?;
    let sized = repr.get("sized").and_then(Value::atom) != Some("false");
    Ok(Raw {
        size,
        align,
        abi,
        uninhabited,
        sized,
        offsets,
        variants,
    })
}

fn multiple(v: &Value, offsets: &[u64]) -> Result<RawVariants, String> {
    let lost = |what: &str| format!("rustc's layout has no {what} that can be read");
    let (scalar, size) = v.get("tag").and_then(scalar).ok_or_else(|| lost("tag"))?;
    let field: usize = v
        .get("tag_field")
        .and_then(Value::number)
        .ok_or_else(|| lost("tag_field"))?;
    let offset = *offsets.get(field).ok_or_else(|| lost("tag_field"))?;
    let tag = Tag {
        offset,
        size,
        is_pointer: scalar == Scalar::Pointer,
    };
    let list = v.get("variants").ok_or_else(|| lost("variants"))?;
    let variants = list
        .items()
        .iter()
        .map(raw)
        .collect::<Result<Vec<_>, _>>()?;
    let encoding = v.get("tag_encoding").ok_or_else(|| lost("tag_encoding"))?;
    match encoding.name() {
        "Direct" => Ok(RawVariants::Tagged { tag, variants }),
        "Niche" => {
            let number = |f: &str| {
                encoding
                    .get(f)
                    .and_then(Value::number)
                    .ok_or_else(|| lost(f))
            };
            let range = encoding.get("niche_variants").and_then(Value::atom);
            let range = range.and_then(|r| r.split_once("..="));
            let range =
                range.and_then(|(a, b)| Some((a.trim().parse().ok()?, b.trim().parse().ok()?)));
            Ok(RawVariants::Niche {
                tag,
                untagged: number("untagged_variant")?,
                range: range.ok_or_else(|| lost("niche_variants"))?,
                start: encoding
                    .get("niche_start")
                    .and_then(Value::number)
                    .ok_or_else(|| lost("niche_start"))?,
                variants,
            })
        }
        other => Err(format!(
            "rustc's layout has a tag encoding `{other}` that is not known"
        )),
    }
}

fn abi(v: &Value, size: u64) -> Option<Abi> {
    Some(match v.name() {
        _ if size == 0 => Abi::Zst,
        "Scalar" => Abi::Scalar(scalar(v.at(0)?)?.0),
        "ScalarPair" => {
            let (first, first_size) = scalar(v.at(0)?)?;
            let (second, second_size) = scalar(v.at(1)?)?;
            // rustc puts the second behind the first at its own alignment, which is its size (16 at most).
            let second_offset = first_size.next_multiple_of(second_size.max(1));
            Abi::ScalarPair {
                first,
                second,
                second_offset,
            }
        }
        "Memory" | "SimdVector" | "ScalableVector" => Abi::Memory,
        _ => return None,
    })
}

/// `Initialized { value: Int(I32, false), … }`, `Union { value: Pointer(…) }`, with the size.
fn scalar(v: &Value) -> Option<(Scalar, u64)> {
    let value = v.get("value")?;
    Some(match value.name() {
        "Int" => {
            let size = match value.at(0)?.atom()? {
                "I8" => 1,
                "I16" => 2,
                "I32" => 4,
                "I64" => 8,
                "I128" => 16,
                _ => return None,
            };
            (
                Scalar::Int {
                    size,
                    signed: value.at(1)?.atom()? == "true",
                },
                size,
            )
        }
        "Float" => {
            let size = match value.at(0)?.atom()? {
                "F16" => 2,
                "F32" => 4,
                "F64" => 8,
                "F128" => 16,
                _ => return None,
            };
            (Scalar::Float { size }, size)
        }
        "Pointer" => (Scalar::Pointer, 8),
        _ => return None,
    })
}

/// Names of the variants of enums of the standard library that have no explicit discriminants, in order, so that the
/// probe's answer is complete. Others' names come from debug metadata.
pub(crate) fn std_variants(ty: &Ty) -> Option<&'static [(&'static str, i128)]> {
    let Ty::Path(p) = ty else { return None };
    let table: HashMap<&str, &'static [(&'static str, i128)]> = HashMap::from([
        ("option::Option", &[("None", 0), ("Some", 1)][..]),
        ("result::Result", &[("Ok", 0), ("Err", 1)][..]),
        (
            "cmp::Ordering",
            &[("Less", -1), ("Equal", 0), ("Greater", 1)][..],
        ),
        ("ops::ControlFlow", &[("Continue", 0), ("Break", 1)][..]),
        (
            "ops::control_flow::ControlFlow",
            &[("Continue", 0), ("Break", 1)][..],
        ),
        (
            "ops::Bound",
            &[("Included", 0), ("Excluded", 1), ("Unbounded", 2)][..],
        ),
        (
            "sync::atomic::Ordering",
            &[
                ("Relaxed", 0),
                ("Release", 1),
                ("Acquire", 2),
                ("AcqRel", 3),
                ("SeqCst", 4),
            ][..],
        ),
        (
            "num::FpCategory",
            &[
                ("Nan", 0),
                ("Infinite", 1),
                ("Zero", 2),
                ("Subnormal", 3),
                ("Normal", 4),
            ][..],
        ),
        ("convert::Infallible", &[][..]),
    ]);
    let name = p.plain_name()?;
    let (krate, rest) = name.split_once("::")?;
    matches!(krate, "std" | "core").then(|| table.get(rest).copied())?
}
