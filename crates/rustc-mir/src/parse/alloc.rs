//! Memory dumps.

use super::cursor::{Cursor, Res};
use crate::ast::*;

impl<'a> Cursor<'a> {
    /// From `alloc9 (` to the end of the dump.
    pub fn alloc(&mut self) -> Res<Alloc> {
        self.expect("alloc")?;
        let id = AllocId(self.u64()?);
        self.expect(" (")?;
        let kind = if self.eat("fn: ") {
            let rest = self.rest();
            let line = &rest[..rest.find('\n').unwrap_or(rest.len())];
            let path_end = line.rfind(')').ok_or_else(|| self.fail("expected `)`"))?;
            let end = self.pos + path_end;
            let path = self.path(true)?;
            let mut suffix = None;
            if self.eat(" - ") {
                suffix = self.src.get(self.pos..end).map(str::to_string);
                self.pos = end.max(self.pos);
            }
            self.expect(")")?;
            AllocKind::Fn(Callee { path, suffix })
        } else if self.eat("vtable: impl ") {
            let trait_ = if self.eat("<auto trait>") {
                None
            } else {
                if self.at("for<") {
                    // A bound lifetime of the trait's arguments.
                    self.pos += 4;
                    self.balanced()?;
                    self.expect("> ")?;
                }
                Some(self.path(false)?)
            };
            self.expect(" for ")?;
            let ty = self.ty()?;
            self.expect(")")?;
            AllocKind::VTable { trait_, ty }
        } else if self.eat("extern static: ") {
            let path = self.path(true)?;
            self.expect(")")?;
            AllocKind::ExternStatic(path)
        } else if self.at("static: ") {
            let start = self.pos;
            self.pos += "static: ".len();
            let path = self.path(true)?;
            if self.eat(")") {
                return Ok(Alloc {
                    id,
                    kind: AllocKind::StaticRef(path),
                });
            }
            self.expect(", ")?;
            if self.at("size: ") {
                AllocKind::Static {
                    path,
                    memory: self.memory()?,
                }
            } else {
                self.pos = start;
                AllocKind::Other(self.other()?)
            }
        } else if self.at("size: ") {
            AllocKind::Memory(self.memory()?)
        } else {
            AllocKind::Other(self.other()?)
        };
        Ok(Alloc { id, kind })
    }

    /// What rustc says of memory that it cannot show: to the closing parenthesis at the line's end.
    fn other(&mut self) -> Res<String> {
        let at = self.pos;
        let text = self.line_rest();
        match text.strip_suffix(')') {
            Some(t) => Ok(t.to_string()),
            None => Err(self.fail_at(at, "an allocation that is not known")),
        }
    }

    /// `size: 16, align: 8) {` and the dump.
    fn memory(&mut self) -> Res<Memory> {
        self.expect("size: ")?;
        let size = self.u64()?;
        self.expect(", align: ")?;
        let align = self.u64()?;
        self.expect(")")?;
        let mut m = Memory {
            size,
            align,
            bytes: Vec::new(),
            uninit: Vec::new(),
            relocations: Vec::new(),
        };
        if self.eat(" {}") {
            return if size == 0 {
                Ok(m)
            } else {
                Err(self.fail("no bytes are shown"))
            };
        }
        self.expect(" {\n")?;
        while !self.at("}") {
            self.dump_line(&mut m)?;
        }
        if m.bytes.len() as u64 != size {
            let what = format!("{} bytes are shown of {size}", m.bytes.len());
            return Err(self.fail(what));
        }
        self.expect("}")?;
        Ok(m)
    }

    /// `    0x10 │ 00 __ ╾───alloc1<imm>───╼ 01 │ ascii`
    fn dump_line(&mut self, m: &mut Memory) -> Res<()> {
        self.spaces();
        if self.at("0x") {
            let at = self.pos;
            let start = self.hex()?;
            if start != m.bytes.len() as u128 {
                return Err(self.fail_at(at, "a line is missing in the dump"));
            }
            self.expect(" │ ")?;
        }
        // A pointer that is printed over two lines is complete only in the second.
        loop {
            self.spaces();
            if self.eat("│") {
                self.line_rest();
                return self.expect("\n");
            }
            if self.at("╾") {
                self.pointer_bytes(m)?;
            } else if self.eat("__") {
                let at = m.bytes.len() as u64;
                match m.uninit.last_mut() {
                    Some((_, end)) if *end == at => *end += 1,
                    _ => m.uninit.push((at, at + 1)),
                }
                m.bytes.push(0);
            } else {
                let byte = self.src.get(self.pos..self.pos + 2);
                let byte = byte
                    .filter(|b| b.bytes().all(|b| b.is_ascii_hexdigit()))
                    .and_then(|b| u8::from_str_radix(b, 16).ok());
                m.bytes
                    .push(byte.ok_or_else(|| self.fail("expected a byte of memory"))?);
                self.pos += 2;
            }
        }
    }

    /// `╾──alloc1+0x10<imm>──╼`, `╾a1+0x10<imm>╼`; or its two parts with a line's end between them, the name in either.
    fn pointer_bytes(&mut self, m: &mut Memory) -> Res<()> {
        let at = self.pos;
        let offset = m.bytes.len() as u64;
        self.expect("╾")?;
        self.lines();
        let mut target = self.pointer_name()?;
        self.lines();
        if !self.eat("╼") {
            self.expect(" │")?;
            self.line_rest();
            self.expect("\n")?;
            self.spaces();
            self.hex()?;
            self.expect(" │ ")?;
            self.lines();
            if target.is_none() {
                target = self.pointer_name()?;
            }
            self.lines();
            self.expect("╼")?;
        }
        let (target, addend) =
            target.ok_or_else(|| self.fail_at(at, "a pointer in memory without its target"))?;
        m.relocations.push(Relocation {
            offset,
            target,
            addend,
        });
        m.bytes.extend_from_slice(&addend.to_le_bytes());
        Ok(())
    }

    fn lines(&mut self) {
        while self.eat("─") {}
    }

    fn pointer_name(&mut self) -> Res<Option<(AllocId, u64)>> {
        if !self.eat("alloc") && !self.eat("a") {
            return Ok(None);
        }
        let id = AllocId(self.u64()?);
        let addend = self.pointer_offset()?;
        self.eat(" (8 ptr bytes)");
        Ok(Some((id, addend)))
    }
}
