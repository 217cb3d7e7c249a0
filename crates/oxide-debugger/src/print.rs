//! Values: kernel arguments, elements of slices, registers, memory.

use crate::session::{Answer, Focus, Session, triple};

/// Types whose bytes have one meaning.
const SCALARS: &[(&str, usize)] = &[
    ("u8", 1),
    ("i8", 1),
    ("bool", 1),
    ("u16", 2),
    ("i16", 2),
    ("u32", 4),
    ("i32", 4),
    ("f32", 4),
    ("char", 4),
    ("u64", 8),
    ("i64", 8),
    ("f64", 8),
    ("usize", 8),
    ("isize", 8),
    ("u128", 16),
    ("i128", 16),
];

fn size_of_scalar(ty: &str) -> Option<usize> {
    let plain = ty.rsplit("::").next().unwrap_or(ty);
    SCALARS.iter().find(|(n, _)| *n == plain).map(|(_, s)| *s)
}

fn scalar(ty: &str, b: &[u8]) -> String {
    let mut wide = [0u8; 16];
    wide[..b.len()].copy_from_slice(b);
    let bits = u128::from_le_bytes(wide);
    let shift = 128 - 8 * b.len() as u32;
    let signed = (bits << shift) as i128 >> shift;
    match ty.rsplit("::").next().unwrap_or(ty) {
        "f32" => format!("{:?}", f32::from_bits(bits as u32)),
        "f64" => format!("{:?}", f64::from_bits(bits as u64)),
        "bool" if bits < 2 => (bits == 1).to_string(),
        "bool" => format!("{bits:#x} (no bool)"),
        "char" => {
            char::from_u32(bits as u32).map_or(format!("{bits:#x} (no char)"), |c| format!("{c:?}"))
        }
        t if t.starts_with('i') => signed.to_string(),
        _ => bits.to_string(),
    }
}

/// The element type of a slice: `&[T]`, `&mut [T]`, `DisjointSlice<T>`.
fn element(ty: &str) -> Option<String> {
    let inner = if let (Some(a), Some(b)) = (ty.find('['), ty.rfind(']')) {
        if !ty.starts_with('&') || ty[..b].contains(';') {
            return None;
        }
        &ty[a + 1..b]
    } else if ty.contains("DisjointSlice") {
        let (a, b) = (ty.find('<')?, ty.rfind('>')?);
        ty.get(a + 1..b)?
            .split(',')
            .map(str::trim)
            .find(|p| !p.starts_with('\''))?
    } else {
        return None;
    };
    Some(inner.trim().to_string())
}

/// An argument of the kernel in focus.
#[derive(Clone, Debug)]
struct Argument {
    name: String,
    ty: String,
    bytes: Vec<u8>,
}

impl Argument {
    fn slice(&self) -> Option<(u64, u64, String)> {
        let element = element(&self.ty)?;
        let word = |at: usize| {
            Some(u64::from_le_bytes(
                self.bytes.get(at..at + 8)?.try_into().ok()?,
            ))
        };
        Some((word(0)?, word(8)?, element))
    }

    fn short(&self) -> String {
        match self.slice() {
            Some((ptr, len, _)) => format!("{} {{ptr: {ptr:#x}, len: {len}}}", self.ty),
            None => match size_of_scalar(&self.ty) {
                Some(n) if n == self.bytes.len() => scalar(&self.ty, &self.bytes),
                _ if self.bytes.len() == 8
                    && (self.ty.starts_with('&') || self.ty.starts_with('*')) =>
                {
                    let mut word = [0; 8];
                    word.copy_from_slice(&self.bytes);
                    format!("({}) {:#x}", self.ty, u64::from_le_bytes(word))
                }
                _ => format!("{} {{{}}}", self.ty, hex(&self.bytes)),
            },
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    bytes
        .iter()
        .map(|b| format!("{b:02x}"))
        .collect::<Vec<_>>()
        .join(" ")
}

impl Session {
    /// The arguments of the focus's kernel: names and types from the artifact, or else PTX's parameters.
    fn all_arguments(&self, f: &Focus) -> Answer<Vec<Argument>> {
        let pc = self.pc(f)?;
        let kernel = self
            .image(pc)
            .and_then(|i| i.kernel(pc))
            .ok_or("the focus is in no kernel")?;
        let known = self
            .artifacts
            .iter()
            .flat_map(|a| &a.kernels)
            .find(|k| k.ptx_name == kernel.name);
        let known = known.ok_or_else(|| {
            format!(
                "the arguments of {} are not known: it was not built by cargo oxide here",
                kernel.name
            )
        })?;
        // Parameters follow each other, each aligned as its part of the argument is.
        let mut out: Vec<Argument> = known
            .args
            .iter()
            .map(|a| Argument {
                name: a.name.clone(),
                ty: a.type_name.clone(),
                bytes: vec![0; a.size as usize],
            })
            .collect();
        let mut at = 0u64;
        for p in &known.params {
            let arg = known
                .args
                .get(p.arg as usize)
                .ok_or("the artifact is damaged")?;
            // A scalar or pointer is aligned to its size, an aggregate as its type.
            let align = if p.size == arg.size {
                arg.align
            } else {
                p.size.next_power_of_two().min(arg.align)
            }
            .max(1);
            at = at.next_multiple_of(align);
            let mut bytes = vec![0; p.size as usize];
            self.api()?
                .read_param_memory(0, f.sm, f.wp, at, &mut bytes)
                .map_err(|e| format!("parameters cannot be read: {e}"))?;
            let to = out.get_mut(p.arg as usize).and_then(|a| {
                a.bytes
                    .get_mut(p.offset as usize..(p.offset + p.size) as usize)
            });
            to.ok_or("the artifact is damaged")?.copy_from_slice(&bytes);
            at += p.size;
        }
        Ok(out)
    }

    pub(crate) fn arguments(&mut self) -> Answer {
        let f = self.focused()?;
        for a in self.all_arguments(&f)? {
            self.say(format!("{} = {}", a.name, a.short()));
        }
        Ok(())
    }

    /// ` (a=…, b=…)`, for a backtrace.
    pub(crate) fn argument_list(&self) -> Answer<String> {
        let f = self.focused()?;
        let all: Vec<String> = self
            .all_arguments(&f)?
            .iter()
            .map(|a| format!("{}={}", a.name, a.short()))
            .collect();
        Ok(format!(" ({})", all.join(", ")))
    }

    pub(crate) fn registers(&mut self) -> Answer {
        let f = self.focused()?;
        let pc = self.pc(&f)?;
        let names: Vec<String> = {
            let image = self.image(pc).ok_or("the focus is in no module")?;
            let function = image.function(pc).ok_or("the focus is in no function")?;
            image
                .registers
                .get(&function.name)
                .map_or(Vec::new(), |r| r.keys().cloned().collect())
        };
        self.say(format!("$pc = {pc:#x}"));
        for name in names {
            let value = self.register(&f, &name)?;
            self.say(format!("{name} = {value}"));
        }
        Ok(())
    }

    fn register(&self, f: &Focus, name: &str) -> Answer<String> {
        let pc = self.pc(f)?;
        let image = self.image(pc).ok_or("the focus is in no module")?;
        let function = image.function(pc).ok_or("the focus is in no function")?;
        let home = image
            .registers
            .get(&function.name)
            .and_then(|r| r.get(name));
        let home = *home.ok_or_else(|| format!("{} has no register {name}", function.name))?;
        let api = self.api()?;
        if home.predicate {
            let mut all = vec![0; home.number as usize + 1];
            api.read_predicates(0, f.sm, f.wp, f.lane, &mut all)
                .map_err(|e| e.to_string())?;
            return Ok((all[home.number as usize] != 0).to_string());
        }
        let mut words = vec![0; home.words as usize];
        api.read_register_range(0, f.sm, f.wp, f.lane, home.number, &mut words)
            .map_err(|e| e.to_string())?;
        let bits = words
            .iter()
            .rev()
            .fold(0u128, |b, w| b << 32 | u128::from(*w));
        Ok(format!("{bits:#x} ({bits})"))
    }

    fn memory(&self, f: &Focus, address: u64, n: usize) -> Answer<Vec<u8>> {
        let mut bytes = vec![0; n];
        let api = self.api()?;
        let read = api.read_generic_memory(0, f.sm, f.wp, f.lane, address, &mut bytes);
        read.map_err(|_| format!("there is no memory of {n} bytes at {address:#x}"))?;
        Ok(bytes)
    }

    pub(crate) fn evaluate(&mut self, text: &str) -> Answer<String> {
        let f = self.focused()?;
        let text = text.trim();
        let three = |v: [u32; 3], part: &str| match part {
            "" => Ok(triple(v)),
            ".x" => Ok(v[0].to_string()),
            ".y" => Ok(v[1].to_string()),
            ".z" => Ok(v[2].to_string()),
            other => Err(format!("`{other}` is no coordinate")),
        };
        if let Some(rest) = text.strip_prefix("threadIdx") {
            return three(f.thread, rest);
        } else if let Some(rest) = text.strip_prefix("blockIdx") {
            return three(f.block, rest);
        } else if let Some(rest) = text.strip_prefix("blockDim") {
            let d = self
                .api()?
                .get_block_dim(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            return three([d.x, d.y, d.z], rest);
        } else if let Some(rest) = text.strip_prefix("gridDim") {
            let d = self
                .api()?
                .get_grid_dim(0, f.sm, f.wp)
                .map_err(|e| e.to_string())?;
            return three([d.x, d.y, d.z], rest);
        } else if text == "$pc" {
            return Ok(format!("{:#x}", self.pc(&f)?));
        } else if text.starts_with('%') || text.starts_with('$') {
            return self.register(&f, &text.replacen('$', "%", 1));
        } else if text.is_empty() {
            return Err("print EXPR".into());
        }
        let (name, index) = match text.split_once('[') {
            Some((name, rest)) => (
                name.trim(),
                Some(
                    rest.trim_end()
                        .strip_suffix(']')
                        .ok_or("a `]` is missing")?,
                ),
            ),
            None => (text, None),
        };
        let (name, field) = match name.split_once('.') {
            Some((name, field)) => (name, Some(field.trim_end_matches("()"))),
            None => (name, None),
        };
        let arguments = self.all_arguments(&f)?;
        let argument = arguments.iter().find(|a| a.name == name);
        let argument = argument.ok_or_else(|| {
            let names: Vec<&str> = arguments.iter().map(|a| a.name.as_str()).collect();
            format!(
                "`{name}` is no argument of the kernel ({}); locals are not supported yet",
                names.join(", ")
            )
        })?;
        let slice = argument.slice();
        match (field, index, slice) {
            (None, None, None) => Ok(argument.short()),
            (Some("len"), None, Some((_, len, _))) => Ok(len.to_string()),
            (Some("ptr" | "as_ptr"), None, Some((ptr, ..))) => Ok(format!("{ptr:#x}")),
            (None, None, Some((ptr, len, ty))) => match size_of_scalar(&ty) {
                Some(_) => {
                    let shown = self.elements(&f, ptr, &ty, 0, len.min(8))?;
                    let more = if len > 8 { ", …" } else { "" };
                    Ok(format!("{} [{shown}{more}]", argument.short()))
                }
                None => Ok(argument.short()),
            },
            (None, Some(index), Some((ptr, len, ty))) => {
                let at = |text: &str| self.index(&f, text);
                let (from, to) = match index.split_once("..") {
                    Some((a, b)) => (
                        if a.trim().is_empty() { 0 } else { at(a)? },
                        if b.trim().is_empty() { len } else { at(b)? },
                    ),
                    None => (at(index)?, at(index)? + 1),
                };
                if from > to || to > len {
                    return Err(format!("{name}[{index}] is outside: the length is {len}"));
                }
                if to - from > 1024 {
                    return Err(format!("{} elements are more than 1024", to - from));
                }
                let shown = self.elements(&f, ptr, &ty, from, to)?;
                Ok(if index.contains("..") {
                    format!("[{shown}]")
                } else {
                    shown
                })
            }
            (Some(field), ..) => Err(format!(
                "`.{field}` is not supported; slices have .len and .ptr"
            )),
            (_, Some(_), None) => Err(format!("`{name}` is no slice: {}", argument.ty)),
        }
    }

    /// An index: a number, or a built-in.
    fn index(&self, f: &Focus, text: &str) -> Answer<u64> {
        match text.trim() {
            "threadIdx.x" => Ok(f.thread[0].into()),
            "threadIdx.y" => Ok(f.thread[1].into()),
            "blockIdx.x" => Ok(f.block[0].into()),
            "blockIdx.y" => Ok(f.block[1].into()),
            other => crate::commands::number(other),
        }
    }

    fn elements(&self, f: &Focus, ptr: u64, ty: &str, from: u64, to: u64) -> Answer<String> {
        let size = size_of_scalar(ty).ok_or_else(|| {
            format!("elements of type {ty} are not supported yet; x/ shows their bytes")
        })?;
        let start = from
            .checked_mul(size as u64)
            .and_then(|o| ptr.checked_add(o))
            .ok_or("the address is too large")?;
        if from == to {
            return Ok(String::new());
        }
        let bytes = self.memory(f, start, (to - from) as usize * size)?;
        Ok(bytes
            .chunks(size)
            .map(|c| scalar(ty, c))
            .collect::<Vec<_>>()
            .join(", "))
    }

    /// `x/4w ADDRESS`, or of a slice's start by its name.
    pub(crate) fn examine(&mut self, text: &str) -> Answer {
        let f = self.focused()?;
        let (form, place) = match text.strip_prefix('/') {
            Some(rest) => rest
                .split_once(char::is_whitespace)
                .ok_or("x/N[b|h|w|g|f] ADDRESS")?,
            None => ("1w", text),
        };
        let digits: String = form.chars().take_while(char::is_ascii_digit).collect();
        let n = if digits.is_empty() {
            1
        } else {
            crate::commands::number(&digits)?
        }
        .min(1024) as usize;
        let mut size = 4;
        let mut ty = "u32";
        for c in form[digits.len()..].chars() {
            (size, ty) = match c {
                'b' => (1, "u8"),
                'h' => (2, "u16"),
                'w' => (4, "u32"),
                'g' => (8, "u64"),
                'f' => (4, "f32"),
                'x' | 'u' => (size, ty),
                other => return Err(format!("`{other}` is no format; b, h, w, g and f are")),
            };
        }
        let place = place.trim();
        let address = match place.strip_prefix("0x") {
            Some(digits) => {
                u64::from_str_radix(digits, 16).map_err(|_| format!("`{place}` is no address"))?
            }
            None => {
                let arguments = self.all_arguments(&f)?;
                let slice = arguments
                    .iter()
                    .find(|a| a.name == place)
                    .and_then(Argument::slice);
                slice
                    .ok_or_else(|| format!("`{place}` is no address and no slice"))?
                    .0
            }
        };
        let bytes = self.memory(&f, address, n * size)?;
        for (row, chunk) in bytes.chunks(16).enumerate() {
            let values = chunk.chunks(size).map(|c| match ty {
                "f32" => scalar(ty, c),
                _ => {
                    let digits: String = c.iter().rev().map(|b| format!("{b:02x}")).collect();
                    format!("0x{digits}")
                }
            });
            let values: Vec<String> = values.collect();
            self.say(format!(
                "{:#x}: {}",
                address + 16 * row as u64,
                values.join(" ")
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_and_values() {
        assert_eq!(element("&[f32]").as_deref(), Some("f32"));
        assert_eq!(element("&mut [u8]").as_deref(), Some("u8"));
        assert_eq!(
            element("cuda_device::DisjointSlice<'_, f32>").as_deref(),
            Some("f32")
        );
        assert_eq!(element("[f32; 4]"), None);
        assert_eq!(element("&[f32; 4]"), None);
        assert_eq!(scalar("f32", &1.5f32.to_le_bytes()), "1.5");
        assert_eq!(scalar("i8", &[0xff]), "-1");
        assert_eq!(scalar("u8", &[0xff]), "255");
        assert_eq!(scalar("bool", &[2]), "0x2 (no bool)");
        assert_eq!(scalar("i64", &(-5i64).to_le_bytes()), "-5");
    }
}
