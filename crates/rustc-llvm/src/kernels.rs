//! Kernels as rustc's IR has them: descriptions (`cuda_device::KernelDesc`), exact symbols, parameters.

use crate::Error;
use crate::constant::{self, Bytes};
use crate::text::{IrFile, Kind, parameters, symbols};
use artifact::{Arg, Param};

/// What the statics that describe plain kernels have in their names.
pub const MARK: &str = "__oxide_kernel__";

/// A kernel that is to be compiled.
#[derive(Debug, Clone)]
pub struct Root {
    pub key: String,
    pub symbol: String,
    pub ptx_name: String,
    pub launch_bounds: Option<(u32, u32)>,
    pub fmad: bool,
    /// `#[cluster_launch]`.
    pub cluster: Option<(u32, u32, u32)>,
    pub source: artifact::Source,
    pub args: Vec<Arg>,
    pub params: Vec<Param>,
    /// Of an instance of a generic kernel: its name with type arguments.
    pretty: Option<String>,
    /// LLVM parameters, each with the size and alignment of what is passed by value behind a pointer.
    by_value: Vec<Option<(u64, u64)>>,
}

/// Offsets of `cuda_device::KernelDesc`, see there.
const ARGS: usize = 64;
const ARG: usize = 56;

/// The kernels of the crate `krate` that this IR holds: its own, and instances of its generic ones.
pub fn roots(file: &IrFile<'_>, krate: &str) -> Result<Vec<Root>, Error> {
    let mut out: Vec<Root> = Vec::new();
    let prefix = format!("{krate}::");
    for name in &file.order {
        let item = &file.symbols[name];
        if item.kind == Kind::Variable && name.contains(MARK) && item.text.contains(" constant ") {
            let root = describe(file, name, false)?;
            if root.key.starts_with(&prefix) {
                out.push(root);
            }
        }
        if item.kind == Kind::Define {
            for line in item.text.lines().filter(|l| {
                !l.starts_with(';')
                    && l.contains("__oxide_kernel_instance")
                    && l.contains("call ")
                    && !l.trim_start().starts_with(';')
            }) {
                let bad = |why: String| {
                    Error::new(format!("an instance of a kernel cannot be read: {why}"))
                        .help("cuda-device and cargo-oxide must be of one version")
                };
                let desc = symbols(line)
                    .nth(1)
                    .ok_or_else(|| bad(line.trim().to_string()))?;
                let path = constant::read(file, desc)
                    .map_err(bad)?
                    .str(file, 8)
                    .ok_or_else(|| bad(line.trim().to_string()))?;
                if path.starts_with(&prefix) {
                    out.push(describe(file, desc, true)?);
                }
            }
        }
    }
    let mut seen = std::collections::HashMap::new();
    let mut unique = Vec::new();
    for root in out {
        match seen.insert(root.key.clone(), root.symbol.clone()) {
            None => unique.push(root),
            Some(other) if other == root.symbol => {}
            Some(other) => {
                return Err(
                    Error::new(format!("two kernels have the key `{}`", root.key))
                        .note(format!("their symbols are {other} and {}", root.symbol)),
                );
            }
        }
    }
    Ok(unique)
}

fn describe(file: &IrFile<'_>, variable: &str, generic: bool) -> Result<Root, Error> {
    let bad = |why: String| {
        Error::new(format!("the description of a kernel cannot be read: {why}"))
            .help("cuda-device and cargo-oxide must be of one version")
    };
    let desc = constant::read(file, variable).map_err(&bad)?;
    let read = || -> Option<(Root, &str)> {
        let symbol = desc.pointer(0)?;
        let count = usize::try_from(desc.u32(60)?).ok()?;
        let args = (0..count)
            .map(|i| arg(file, &desc, ARGS + i * ARG))
            .collect::<Option<Vec<_>>>()?;
        let path = desc.str(file, 8)?;
        let (max, min) = (desc.u32(48)?, desc.u32(52)?);
        let source = artifact::Source {
            file: desc.str(file, 24)?,
            line: desc.u32(40)?,
            column: desc.u32(44)?,
        };
        let root = Root {
            key: path,
            symbol: symbol.to_string(),
            ptx_name: String::new(),
            launch_bounds: (max > 0).then_some((max, min)),
            fmad: desc.u32(56)? & 1 != 0,
            cluster: cluster(desc.u32(56)?),
            source,
            args,
            params: Vec::new(),
            pretty: None,
            by_value: Vec::new(),
        };
        Some((root, symbol))
    };
    let (mut root, symbol) = read().ok_or_else(|| bad(file.symbols[variable].text.to_string()))?;
    // A PTX name is the path, with `__` for `::`; an instance has its key's hash behind it.
    root.ptx_name = root
        .key
        .replace("::", "__")
        .chars()
        .map(|c| {
            if c.is_ascii_alphanumeric() || c == '_' {
                c
            } else {
                '_'
            }
        })
        .collect();
    if generic {
        root.pretty = Some(artifact::pretty(symbol));
        root.key =
            artifact::canonical_instance(symbol).map_err(|e| bad(format!("{symbol}: {e}")))?;
        root.ptx_name = format!(
            "{}__{:016x}",
            root.ptx_name,
            artifact::fnv1a_bytes(root.key.as_bytes())
        );
    }
    let header = file
        .symbols
        .get(symbol)
        .map(|i| i.text.lines().next().unwrap_or(""));
    let params = header
        .and_then(|h| parameters(symbol, h))
        .ok_or_else(|| bad(format!("`{symbol}` is not defined here")))?;
    map_parameters(&mut root, &params)?;
    Ok(root)
}

/// Blocks in a cluster, from a description's flags.
fn cluster(flags: u32) -> Option<(u32, u32, u32)> {
    let [_, x, y, z] = flags.to_le_bytes().map(u32::from);
    (x > 0).then_some((x, y.max(1), z.max(1)))
}

fn arg(file: &IrFile<'_>, desc: &Bytes<'_>, at: usize) -> Option<Arg> {
    let layout = desc.u64(at + 48)?;
    Some(Arg {
        name: desc.str(file, at)?,
        type_name: desc.str(file, at + 16)?,
        size: desc.u64(at + 32)?,
        align: desc.u64(at + 40)?,
        layout_hash: (layout != 0).then_some(layout),
    })
}

/// Bytes of an LLVM type that rustc passes.
fn size(ty: &str) -> Option<u64> {
    Some(match ty {
        "ptr" | "double" => 8,
        "float" => 4,
        "half" | "bfloat" => 2,
        _ => {
            if let Some(bits) = ty.strip_prefix('i') {
                return Some(bits.parse::<u64>().ok()?.div_ceil(8));
            }
            let inner = ty
                .strip_prefix('[')
                .and_then(|t| t.strip_suffix(']'))
                .or_else(|| ty.strip_prefix('<')?.strip_suffix('>'))?;
            let (count, element) = inner.split_once(" x ")?;
            count.parse::<u64>().ok()? * size(element)?
        }
    })
}

/// The type at the start of a parameter.
pub(crate) fn type_of(parameter: &str) -> &str {
    if parameter.starts_with(['[', '<']) {
        let close = if parameter.starts_with('[') { ']' } else { '>' };
        return parameter
            .find(close)
            .map_or(parameter, |e| &parameter[..=e]);
    }
    parameter.split_whitespace().next().unwrap_or("")
}

/// The bytes of an integer that is no power of two of them: rustc passes `[u8; 3]` as an `i24`.
fn odd(parameter: &str) -> Option<u64> {
    let ty = type_of(parameter);
    let bytes = size(ty).filter(|_| ty.starts_with('i'))?;
    (!bytes.is_power_of_two()).then_some(bytes)
}

/// The name of such a parameter's number in the body; its own name is its address.
fn number_of(name: &str) -> String {
    format!("%number.{}", &name[1..])
}

/// A line of the body with the parameters' numbers for the parameters.
pub(crate) fn with_numbers(line: &str, odd: &[(String, String)]) -> String {
    let mut line = line.to_owned();
    for (name, _) in odd {
        let mut out = String::with_capacity(line.len());
        let mut rest = line.as_str();
        while let Some(at) = rest.find(name.as_str()) {
            let (before, after) = (&rest[..at], &rest[at + name.len()..]);
            let whole =
                !after.starts_with(|c: char| c.is_ascii_alphanumeric() || "._$-".contains(c));
            out.push_str(before);
            out.push_str(&if whole { number_of(name) } else { name.clone() });
            rest = after;
        }
        out.push_str(rest);
        line = out;
    }
    line
}

/// What the body begins with: the numbers, read from their bytes.
pub(crate) fn read_numbers(odd: &[(String, String)]) -> String {
    odd.iter()
        .map(|(name, ty)| format!("  {} = load {ty}, ptr {name}, align 1\n", number_of(name)))
        .collect()
}

fn name_of(parameter: &str) -> &str {
    parameter.rsplit(' ').next().unwrap_or("")
}

/// Says which bytes of which argument each LLVM parameter is: rustc passes scalars and pairs of scalars as such, small aggregates as
/// integers, the rest behind a pointer, and nothing for what has no size.
fn map_parameters(root: &mut Root, params: &[&str]) -> Result<(), Error> {
    let key = root.key.clone();
    let wrong = |why: &str| {
        Error::new(format!(
            "the parameters of kernel `{key}` are not understood: {why}"
        ))
        .note(params.join(", "))
    };
    let mut at = 0;
    for (number, arg) in root.args.iter().enumerate() {
        if arg.size == 0 {
            continue;
        }
        let arg_number = number as u32;
        let first = *params
            .get(at)
            .ok_or_else(|| wrong(&format!("none for `{}`", arg.name)))?;
        let first_size = size(type_of(first)).ok_or_else(|| wrong(first))?;
        // A pair has the argument's name with `.0` and `.1`, or two numbers when it is put into memory at once.
        let pair = params.get(at + 1).filter(|p| {
            let (first_name, second_name) = (name_of(first), name_of(p));
            let base = first_name.strip_suffix(".0");
            let named = base.is_some() && second_name.strip_suffix(".1") == base;
            let number = |name: &str| name.strip_prefix('%')?.parse::<u32>().ok();
            let numbered = number(first_name).is_some_and(|n| number(second_name) == Some(n + 1));
            let second_size = size(type_of(p)).unwrap_or(0);
            let end = first_size.next_multiple_of(second_size.next_power_of_two()) + second_size;
            let fills = first_size < arg.size && end.next_multiple_of(arg.align) == arg.size;
            let behind_pointer =
                first.contains(&format!("dereferenceable({})", arg.size)) && arg.size > 8;
            named || numbered && fills && !behind_pointer
        });
        let mut push = |offset: u64, size: u64| {
            root.params.push(Param {
                arg: arg_number,
                offset,
                size,
            })
        };
        if let Some(second) = pair {
            let second_size = size(type_of(second)).ok_or_else(|| wrong(second))?;
            let offset = first_size.next_multiple_of(second_size.next_power_of_two());
            if offset + second_size > arg.size {
                return Err(wrong(&arg.name));
            }
            push(0, first_size);
            push(offset, second_size);
            root.by_value.extend([None, None]);
            at += 2;
        } else if first_size == arg.size
            || (first_size < arg.size
                && type_of(first) != "ptr"
                && first_size.next_multiple_of(arg.align) == arg.size)
        {
            push(0, first_size);
            root.by_value.push(None);
            at += 1;
        } else if type_of(first) == "ptr" && arg.size > 8 {
            push(0, arg.size);
            root.by_value.push(Some((arg.size, arg.align)));
            at += 1;
        } else {
            return Err(wrong(&arg.name));
        }
    }
    if at != params.len() {
        return Err(wrong("there are more than the arguments need"));
    }
    Ok(())
}

impl Root {
    /// The name for people: the path, with the type arguments of an instance.
    pub fn display(&self) -> String {
        self.pretty.clone().unwrap_or_else(|| self.key.clone())
    }

    pub fn is_instance(&self) -> bool {
        self.pretty.is_some()
    }

    /// The parameters that [`Self::header`] takes as bytes, by name, with their types in rustc's header.
    pub fn odd_parameters(&self, header: &str) -> Vec<(String, String)> {
        let params = parameters(&self.symbol, header).unwrap_or_default();
        params
            .iter()
            .zip(&self.by_value)
            .filter(|(p, by_value)| by_value.is_none() && odd(p).is_some())
            .map(|(p, _)| (name_of(p).to_owned(), type_of(p).to_owned()))
            .collect()
    }

    /// The kernel's own header, out of rustc's.
    pub fn header(&self, header: &str) -> Option<String> {
        let params = parameters(&self.symbol, header)?;
        let listed = params.join(", ");
        let rest = &header[header.find(&*listed)? + listed.len()..];
        let rest = rest
            .strip_prefix(')')?
            .replace(" unnamed_addr", "")
            .replace(" local_unnamed_addr", "");
        if !header.split(" @").next()?.ends_with(" void") {
            return None;
        }
        let params: Vec<String> = params
            .iter()
            .zip(&self.by_value)
            .map(|(p, by_value)| match by_value {
                Some((size, align)) => {
                    format!("ptr byval([{size} x i8]) align {align} {}", name_of(p))
                }
                // PTX has no parameter of 24 bits.
                None => match odd(p) {
                    Some(bytes) => {
                        format!("ptr byval([{bytes} x i8]) align 1 {}", name_of(p))
                    }
                    None => (*p).to_string(),
                },
            })
            .collect();
        let bounds = match self.launch_bounds {
            Some((max, 0)) => format!(" \"nvvm.maxntid\"=\"{max}\""),
            Some((max, min)) => format!(" \"nvvm.maxntid\"=\"{max}\" \"nvvm.minctasm\"=\"{min}\""),
            None => String::new(),
        };
        let cluster = match self.cluster {
            Some((x, y, z)) => format!(" \"nvvm.cluster_dim\"=\"{x},{y},{z}\""),
            None => String::new(),
        };
        let bounds = bounds + &cluster;
        // String attributes stand before `!dbg`.
        let (before, after) = rest.split_once(" !dbg").map_or(
            (rest.trim_end_matches('{').trim_end(), " {".to_string()),
            |(b, a)| (b, format!(" !dbg{a}")),
        );
        Some(format!(
            "define ptx_kernel void @{}({}){before}{bounds}{after}",
            self.ptx_name,
            params.join(", ")
        ))
    }
}
