//! PTX to the decoded form: names become rows, offsets and addresses; an instruction or modifier that is not known is
//! an error that shows it.
//!
//! A kernel is decoded with all functions that it reaches, so that a module with something exotic in one kernel still
//! runs the others.

mod alu;
mod asynchronous;
mod bits;
mod by_type;
mod carry;
mod compare;
mod control;
mod convert;
mod float;
mod half;
mod matrix;
mod memory;
mod moves;

use crate::error::SimError;
use crate::inst::*;
use crate::module::{Module, Symbol, size_of_variable, unknown_variable};
use ptx::{FunctionKind, Instruction, Operand, Space, Span, Statement, Type, Variable};
use std::collections::HashMap;

/// Decodes the kernel at `index` of the module's functions.
pub(crate) fn program(module: &Module, index: usize) -> Result<Program, SimError> {
    let mut decoder = Decoder::new(module, 0);
    decoder.run(index)?;
    if decoder.dynamic_used && decoder.shared_size > 0 {
        // Dynamic shared memory lies behind the static variables, whose size is known only now.
        let base = decoder.shared_size.next_multiple_of(decoder.dynamic_align);
        decoder = Decoder::new(module, base);
        decoder.run(index)?;
    }
    decoder.finish(index)
}

/// What a name in a function means.
#[derive(Clone, Debug)]
enum Meaning {
    Register(Register),
    /// A range `%r<n>`, whose registers get rows when they are first used.
    Range {
        ty: Type,
        count: u32,
    },
    Local {
        offset: u32,
    },
    Shared {
        offset: u32,
    },
    Memory {
        address: u64,
    },
    KernelParam {
        offset: u32,
    },
    FrameParam(Block),
    Targets(Vec<String>),
    Prototype,
}

#[derive(Default)]
struct Scope {
    parent: Option<usize>,
    names: HashMap<String, Meaning>,
    labels: HashMap<String, u32>,
}

/// A place in the code that needs the address of a label once all are known.
enum Fixup {
    Branch {
        pc: u32,
        scope: usize,
        label: String,
        span: Span,
    },
    Table {
        table: usize,
        entry: usize,
        scope: usize,
        label: String,
        span: Span,
    },
}

pub(crate) struct Decoder<'m> {
    module: &'m Module,
    code: Vec<Inst>,
    spans: Vec<Span>,
    consts: Vec<ConstRow>,
    const_rows: HashMap<(u128, Width), u32>,
    mems: Vec<Mem>,
    calls: Vec<Call>,
    tables: Vec<Vec<u32>>,
    functions: Vec<Function>,
    /// Module index of a function to its place in `functions`.
    reached: HashMap<usize, u32>,
    queue: Vec<usize>,
    addresses: HashMap<u64, u32>,
    shared: HashMap<String, u32>,
    shared_size: u32,
    dynamic_base: u32,
    dynamic_used: bool,
    /// The strictest alignment that is asked of dynamic shared memory, at least 16.
    dynamic_align: u32,
    params: Vec<KernelParam>,
    param_size: u32,
    // The function that is being decoded.
    scopes: Vec<Scope>,
    scope: usize,
    fixups: Vec<Fixup>,
    frame: u32,
    local: u32,
    rows: Vec<Register>,
    blocks: Vec<Block>,
    registers: HashMap<String, Register>,
    function_name: String,
    returns: Vec<Block>,
    is_entry: bool,
    carry: Option<u32>,
    guard: (u32, bool),
    span: Span,
    current: String,
}

type Decoded<T> = Result<T, SimError>;

/// The modifiers of an instruction, taken one after the other; what is left in the end is not known.
struct Mods<'a> {
    left: Vec<&'a str>,
}

impl<'a> Mods<'a> {
    fn new(i: &'a Instruction) -> Self {
        Mods {
            left: i.modifiers.iter().map(String::as_str).collect(),
        }
    }

    /// Takes a modifier if it is there.
    fn take(&mut self, name: &str) -> bool {
        match self.left.iter().position(|m| *m == name) {
            Some(i) => {
                self.left.remove(i);
                true
            }
            None => false,
        }
    }

    /// Takes the first modifier for which `f` has an answer.
    fn find<T>(&mut self, f: impl Fn(&str) -> Option<T>) -> Option<T> {
        let (i, v) = self
            .left
            .iter()
            .enumerate()
            .find_map(|(i, m)| f(m).map(|v| (i, v)))?;
        self.left.remove(i);
        Some(v)
    }

    /// Takes the last type.
    fn last_type(&mut self) -> Option<Type> {
        let ty = Type::from_name(self.left.last()?)?;
        self.left.pop();
        Some(ty)
    }
}

impl<'m> Decoder<'m> {
    fn new(module: &'m Module, dynamic_base: u32) -> Self {
        Decoder {
            module,
            code: Vec::new(),
            spans: Vec::new(),
            consts: Vec::new(),
            const_rows: HashMap::new(),
            mems: Vec::new(),
            calls: Vec::new(),
            tables: Vec::new(),
            functions: Vec::new(),
            reached: HashMap::new(),
            queue: Vec::new(),
            addresses: HashMap::new(),
            shared: HashMap::new(),
            shared_size: 0,
            dynamic_base,
            dynamic_used: false,
            dynamic_align: 16,
            params: Vec::new(),
            param_size: 0,
            scopes: Vec::new(),
            scope: 0,
            fixups: Vec::new(),
            frame: 0,
            local: 0,
            rows: Vec::new(),
            blocks: Vec::new(),
            registers: HashMap::new(),
            function_name: String::new(),
            returns: Vec::new(),
            is_entry: false,
            carry: None,
            guard: (NONE, false),
            span: Span::default(),
            current: String::new(),
        }
    }

    fn run(&mut self, kernel: usize) -> Decoded<()> {
        self.reach(kernel);
        let mut next = 0;
        while next < self.queue.len() {
            let index = self.queue[next];
            next += 1;
            self.function(index)?;
        }
        Ok(())
    }

    fn finish(self, kernel: usize) -> Decoded<Program> {
        let f = self.module.function(kernel);
        let product = |d: &ptx::Directive| d.values.iter().product::<u64>().min(1024) as u32;
        let find = |name: &str| f.directives.iter().find(|d| d.name == name);
        let max_threads = find(".reqntid")
            .or(find(".maxntid"))
            .map_or(1024, product)
            .max(1);
        let sizes = |d: &ptx::Directive| {
            let at = |i: usize| d.values.get(i).map_or(1, |v| *v as u32);
            [at(0), at(1), at(2)]
        };
        let required_block = find(".reqntid").map(sizes);
        let required_cluster = find(".reqnctapercluster").map(sizes);
        Ok(Program {
            name: f.name.clone(),
            code: self.code,
            spans: self.spans,
            source: self.module.source.clone(),
            consts: self.consts,
            mems: self.mems,
            calls: self.calls,
            tables: self.tables,
            functions: self.functions,
            addresses: self.addresses,
            params: self.params,
            param_size: self.param_size,
            shared: if self.dynamic_used {
                self.shared_size.next_multiple_of(self.dynamic_align)
            } else {
                self.shared_size
            },
            max_threads,
            required_block,
            required_cluster,
        })
    }

    /// Takes note that the function is needed, and answers with its index in the program.
    fn reach(&mut self, index: usize) -> u32 {
        if let Some(i) = self.reached.get(&index) {
            return *i;
        }
        let i = self.queue.len() as u32;
        self.reached.insert(index, i);
        self.queue.push(index);
        i
    }

    fn function(&mut self, index: usize) -> Decoded<()> {
        let f = self.module.function(index);
        self.scopes = vec![Scope::default()];
        self.scope = 0;
        self.fixups.clear();
        (self.frame, self.local) = (0, 0);
        self.rows.clear();
        self.blocks.clear();
        self.registers.clear();
        self.carry = None;
        self.function_name = f.name.clone();
        self.is_entry = f.kind == FunctionKind::Entry;
        self.span = f.span;
        self.current = f.name.clone();
        let mut params = Vec::new();
        if self.is_entry {
            let mut offset = 0u32;
            for p in &f.params {
                let size = size_of_variable(p)? as u32;
                offset = offset.next_multiple_of(p.alignment().next_power_of_two());
                self.params.push(KernelParam {
                    name: p.name.clone(),
                    offset,
                    size,
                });
                self.scopes[0]
                    .names
                    .insert(p.name.clone(), Meaning::KernelParam { offset });
                offset += size;
            }
            self.param_size = offset;
        } else {
            for p in &f.params {
                params.push(self.param_block(p)?);
            }
        }
        let mut returns = Vec::new();
        for p in &f.returns {
            returns.push(self.param_block(p)?);
        }
        self.returns = returns.clone();
        let entry = self.code.len() as u32;
        self.statements(f.body.as_deref().unwrap_or(&[]))?;
        // A body that runs over its end returns.
        (self.guard, self.span) = ((NONE, false), f.span);
        self.emit(Op::Return);
        self.resolve()?;
        let end = self.code.len() as u32;
        self.functions.push(Function {
            name: f.name.clone(),
            entry,
            end,
            frame: self.frame.max(64),
            local: self.local.next_multiple_of(16),
            params,
            returns,
            registers: std::mem::take(&mut self.registers),
            rows: std::mem::take(&mut self.rows),
            blocks: std::mem::take(&mut self.blocks),
        });
        Ok(())
    }

    fn param_block(&mut self, p: &Variable) -> Decoded<Block> {
        let block = self.block(size_of_variable(p)? as u32);
        self.scopes[self.scope]
            .names
            .insert(p.name.clone(), Meaning::FrameParam(block));
        Ok(block)
    }

    /// Room in the frame for a parameter block.
    fn block(&mut self, size: u32) -> Block {
        // Each lane's part is a multiple of 16 bytes, so that its elements are aligned.
        let size = size.next_multiple_of(16).max(16);
        let block = Block {
            offset: self.frame,
            size,
        };
        self.frame += (size * 32).next_multiple_of(64);
        self.blocks.push(block);
        block
    }

    /// Room in the frame for a register.
    fn row(&mut self, width: Width) -> u32 {
        let offset = self.frame;
        self.frame += (u32::from(width).max(1) * 32).next_multiple_of(64);
        self.rows.push(Register { offset, width });
        offset
    }

    fn statements(&mut self, body: &[Statement]) -> Decoded<()> {
        // Labels of `.branchtargets` and prototypes are known in their whole scope.
        for pair in body.windows(2) {
            if let Statement::Label { name, .. } = &pair[0] {
                let meaning = match &pair[1] {
                    Statement::Targets { names, .. } => Meaning::Targets(names.clone()),
                    Statement::Prototype { .. } => Meaning::Prototype,
                    _ => continue,
                };
                self.scopes[self.scope].names.insert(name.clone(), meaning);
            }
        }
        for s in body {
            match s {
                Statement::Reg {
                    ty,
                    vector,
                    names,
                    span,
                } => {
                    self.span = *span;
                    if *vector > 1 {
                        return Err(self.unknown_text(&s.to_string(), "registers of vector type"));
                    }
                    for (name, count) in names {
                        let meaning = match count {
                            Some(count) => Meaning::Range {
                                ty: *ty,
                                count: *count,
                            },
                            None => {
                                let r = Register {
                                    offset: self.row(width_of(*ty)),
                                    width: width_of(*ty),
                                };
                                self.registers.insert(name.clone(), r);
                                Meaning::Register(r)
                            }
                        };
                        self.scopes[self.scope].names.insert(name.clone(), meaning);
                    }
                }
                Statement::Variable(v) => self.variable(v)?,
                Statement::Label { name, .. } => {
                    let pc = self.code.len() as u32;
                    self.scopes[self.scope].labels.insert(name.clone(), pc);
                }
                Statement::Block { statements, .. } => {
                    let outer = self.scope;
                    self.scopes.push(Scope {
                        parent: Some(outer),
                        ..Scope::default()
                    });
                    self.scope = self.scopes.len() - 1;
                    self.statements(statements)?;
                    self.scope = outer;
                }
                Statement::Instruction(i) => {
                    self.span = i.span;
                    self.current = i.to_string();
                    self.guard = match &i.guard {
                        None => (NONE, false),
                        Some(g) => (self.predicate_register(&g.register)?, g.negated),
                    };
                    self.instruction(i)?;
                }
                Statement::Loc(_) | Statement::Pragma { .. } => {}
                Statement::Targets { .. } | Statement::Prototype { .. } => {}
            }
        }
        Ok(())
    }

    fn variable(&mut self, v: &Variable) -> Decoded<()> {
        let size = size_of_variable(v)? as u32;
        let align = v.alignment().next_power_of_two();
        let meaning = match v.space {
            Space::Local => {
                let offset = self.local.next_multiple_of(align);
                self.local = offset + size;
                Meaning::Local { offset }
            }
            Space::Param => Meaning::FrameParam(self.block(size)),
            Space::Shared => {
                let key = format!("{}@{}", v.name, v.span.start);
                Meaning::Shared {
                    offset: self.shared_variable(key, size, align, v.dims.contains(&None)),
                }
            }
            Space::Global | Space::Const => match self.module.inner.get(&v.span.start) {
                Some(Symbol::Memory { address, .. }) => Meaning::Memory { address: *address },
                _ => return Err(unknown_variable(v, "a variable that was not placed")),
            },
            Space::Tex => return Err(unknown_variable(v, "textures are not simulated")),
        };
        self.scopes[self.scope]
            .names
            .insert(v.name.clone(), meaning);
        Ok(())
    }

    fn shared_variable(&mut self, key: String, size: u32, align: u32, dynamic: bool) -> u32 {
        if dynamic {
            self.dynamic_used = true;
            self.dynamic_align = self.dynamic_align.max(align);
            return self.dynamic_base;
        }
        if let Some(offset) = self.shared.get(&key) {
            return *offset;
        }
        let offset = self.shared_size.next_multiple_of(align);
        self.shared_size = offset + size;
        self.shared.insert(key, offset);
        offset
    }

    fn resolve(&mut self) -> Decoded<()> {
        for fixup in std::mem::take(&mut self.fixups) {
            let (scope, label, span) = match &fixup {
                Fixup::Branch {
                    scope, label, span, ..
                }
                | Fixup::Table {
                    scope, label, span, ..
                } => (*scope, label, *span),
            };
            let mut at = Some(scope);
            let mut found = None;
            while let Some(s) = at {
                found = self.scopes[s].labels.get(label).copied();
                if found.is_some() {
                    break;
                }
                at = self.scopes[s].parent;
            }
            let Some(target) = found else {
                return Err(SimError::Undefined {
                    name: label.clone(),
                    line: span.line,
                    function: self.function_name.clone(),
                });
            };
            match fixup {
                Fixup::Branch { pc, .. } => self.code[pc as usize].x = target,
                Fixup::Table { table, entry, .. } => self.tables[table][entry] = target,
            }
        }
        Ok(())
    }

    // Errors.

    fn unknown<T>(&self, why: impl Into<String>) -> Decoded<T> {
        Err(self.unknown_text(&self.current, why))
    }

    fn unknown_text(&self, text: &str, why: impl Into<String>) -> SimError {
        SimError::Unknown {
            text: text.into(),
            why: why.into(),
            line: self.span.line,
            function: self.function_name.clone(),
        }
    }

    fn undefined<T>(&self, name: &str) -> Decoded<T> {
        Err(SimError::Undefined {
            name: name.into(),
            line: self.span.line,
            function: self.function_name.clone(),
        })
    }

    /// Every modifier must have been understood.
    fn finish_mods(&self, mods: &Mods<'_>) -> Decoded<()> {
        match mods.left.first() {
            None => Ok(()),
            Some(m) => self.unknown(format!("modifier `.{m}`")),
        }
    }

    fn need<T>(&self, value: Option<T>, what: &str) -> Decoded<T> {
        match value {
            Some(v) => Ok(v),
            None => self.unknown(format!("no {what}")),
        }
    }

    // Names and operands.

    fn lookup(&mut self, name: &str) -> Option<Meaning> {
        let mut at = Some(self.scope);
        while let Some(s) = at {
            if let Some(m) = self.scopes[s].names.get(name)
                && !matches!(m, Meaning::Range { .. })
            {
                return Some(m.clone());
            }
            // `%r12` of the range `%r<20>`.
            let digits = name.len() - name.trim_end_matches(|c: char| c.is_ascii_digit()).len();
            for split in (name.len() - digits)..name.len() {
                let (prefix, number) = name.split_at(split);
                if number.len() > 1 && number.starts_with('0') {
                    continue;
                }
                if let Some(Meaning::Range { ty, count }) = self.scopes[s].names.get(prefix)
                    && number.parse::<u32>().is_ok_and(|n| n < *count)
                {
                    let ty = *ty;
                    let r = Register {
                        offset: self.row(width_of(ty)),
                        width: width_of(ty),
                    };
                    self.registers.insert(name.into(), r);
                    self.scopes[s]
                        .names
                        .insert(name.into(), Meaning::Register(r));
                    return Some(Meaning::Register(r));
                }
            }
            at = self.scopes[s].parent;
        }
        None
    }

    fn predicate_register(&mut self, name: &str) -> Decoded<u32> {
        match self.lookup(name) {
            Some(Meaning::Register(r)) if r.width == 0 => Ok(r.offset),
            Some(_) => self.unknown(format!("`{name}` is no predicate")),
            None => self.undefined(name),
        }
    }

    /// A constant row of this value.
    fn constant(&mut self, bits: u128, width: Width) -> u32 {
        let bits = match width {
            0 => bits & 1,
            16 => bits,
            w => bits & ((1u128 << (8 * w)) - 1),
        };
        if let Some(offset) = self.const_rows.get(&(bits, width)) {
            return *offset | CONST_BIT;
        }
        let offset = (self.consts.len() * 64) as u32;
        let bytes: Vec<u8> = if width == 0 {
            (if bits != 0 { u32::MAX } else { 0 })
                .to_le_bytes()
                .to_vec()
        } else {
            bits.to_le_bytes()[..width as usize].repeat(32)
        };
        for chunk in bytes.chunks(64) {
            let mut row = ConstRow([0; 64]);
            row.0[..chunk.len()].copy_from_slice(chunk);
            self.consts.push(row);
        }
        self.const_rows.insert((bits, width), offset);
        offset | CONST_BIT
    }

    /// Adds an instruction with the guard of the current one.
    fn push(&mut self, inst: Inst) -> u32 {
        self.code.push(inst);
        self.spans.push(self.span);
        self.code.len() as u32 - 1
    }

    fn inst(&self, op: Op) -> Inst {
        let (guard, guard_negated) = self.guard;
        Inst {
            op,
            guard,
            guard_negated,
            d: NONE,
            d2: NONE,
            a: NONE,
            b: NONE,
            c: NONE,
            x: 0,
        }
    }

    fn emit(&mut self, op: Op) -> u32 {
        let i = self.inst(op);
        self.push(i)
    }

    /// Adds an instruction that makes a value for the next one: for all lanes, whatever the guard.
    fn helper(&mut self, op: Op, width: Width, x: u32) -> u32 {
        let d = self.row(width);
        self.push(Inst {
            op,
            guard: NONE,
            guard_negated: false,
            d,
            d2: NONE,
            a: NONE,
            b: NONE,
            c: NONE,
            x,
        });
        d
    }

    /// The destination register of an operand; `_` is `NONE`.
    fn dst(&mut self, o: &Operand) -> Decoded<(u32, Width)> {
        match o {
            Operand::Name(n) if n == "_" => Ok((NONE, 8)),
            Operand::Name(n) => match self.lookup(n) {
                Some(Meaning::Register(r)) => Ok((r.offset, r.width)),
                Some(_) => self.unknown(format!("`{n}` is no register")),
                None => self.undefined(n),
            },
            _ => self.unknown(format!("`{o}` is no register")),
        }
    }

    /// A destination register of exactly this width. `_` gives a row that nothing reads.
    fn dst_of(&mut self, o: &Operand, width: Width) -> Decoded<u32> {
        match self.dst(o)? {
            (NONE, _) => Ok(self.row(width)),
            (d, w) if w == width => Ok(d),
            (_, w) => self.unknown(format!(
                "`{o}` is {} bits wide, the instruction {}",
                bits_of(w),
                bits_of(width)
            )),
        }
    }

    /// The bits of an immediate for a type.
    fn immediate(&self, o: &Operand, ty: Type) -> Decoded<u128> {
        let float = matches!(ty, Type::F32 | Type::F64);
        Ok(match (o, ty) {
            (Operand::F32(b), Type::F64) => u128::from(f64::from(f32::from_bits(*b)).to_bits()),
            (Operand::F32(b), _) => u128::from(*b),
            (Operand::F64(b), Type::F32) => u128::from((f64::from_bits(*b) as f32).to_bits()),
            (Operand::F64(b), Type::F64 | Type::B64) => u128::from(*b),
            (Operand::F64(b), Type::B32) => u128::from((f64::from_bits(*b) as f32).to_bits()),
            (Operand::Int(n), Type::F32) if float => u128::from((*n as f32).to_bits()),
            (Operand::Int(n), Type::F64) if float => u128::from((*n as f64).to_bits()),
            (Operand::Int(n), _) => *n as u128,
            _ => return self.unknown(format!("operand `{o}`")),
        })
    }

    /// A source of any width; immediates and addresses take the width of `ty`.
    fn src(&mut self, o: &Operand, ty: Type) -> Decoded<(u32, Width)> {
        let width = width_of(ty);
        match o {
            Operand::Int(_) | Operand::F32(_) | Operand::F64(_) => {
                let bits = self.immediate(o, ty)?;
                Ok((self.constant(bits, width), width))
            }
            Operand::Name(n) | Operand::Offset(n, _) => {
                let offset = if let Operand::Offset(_, k) = o { *k } else { 0 };
                match self.lookup(n) {
                    Some(Meaning::Register(r)) if offset == 0 => Ok((r.offset, r.width)),
                    Some(Meaning::Register(..)) => self.unknown(format!("operand `{o}`")),
                    Some(m) => self.address_of(&m, n, offset, width),
                    None if offset == 0 && n.starts_with('%') => match special(n) {
                        Some(Special::Constant(c)) => {
                            Ok((self.constant(u128::from(c), width), width))
                        }
                        Some(s) => {
                            Ok((self.helper(Op::Special(s), width, u32::from(width)), width))
                        }
                        None => self.undefined(n),
                    },
                    None if n == "WARP_SZ" => Ok((self.constant(32, width), width)),
                    None => self.global_name(n, offset, width),
                }
            }
            Operand::Not(inner) if ty == Type::Pred => {
                let (a, _) = self.src_of(inner, Type::Pred).map(|r| (r, 0))?;
                let d = self.row(0);
                let op = Op::Lanes(crate::lanes::predicates(|a, _, _| !a));
                self.push(Inst {
                    op,
                    guard: NONE,
                    guard_negated: false,
                    d,
                    d2: NONE,
                    a,
                    b: NONE,
                    c: NONE,
                    x: 0,
                });
                Ok((d, 0))
            }
            _ => self.unknown(format!("operand `{o}`")),
        }
    }

    /// A source of exactly the width of `ty`.
    fn src_of(&mut self, o: &Operand, ty: Type) -> Decoded<u32> {
        let (row, width) = self.src(o, ty)?;
        if width == width_of(ty) {
            return Ok(row);
        }
        self.unknown(format!(
            "`{o}` is {} bits wide, the instruction {}",
            bits_of(width),
            bits_of(width_of(ty))
        ))
    }

    /// The value that a name of the function stands for: its address in its own space.
    fn address_of(
        &mut self,
        m: &Meaning,
        name: &str,
        offset: i64,
        width: Width,
    ) -> Decoded<(u32, Width)> {
        let plus = |base: u64| u128::from(base.wrapping_add(offset as u64));
        match m {
            Meaning::Local { offset: o } => {
                let x = o.wrapping_add(offset as u32);
                Ok((self.helper(Op::LocalAddress { width }, width, x), width))
            }
            Meaning::Shared { offset: o } => Ok((self.constant(plus(u64::from(*o)), width), width)),
            Meaning::Memory { address } => Ok((self.constant(plus(*address), width), width)),
            Meaning::KernelParam { offset: o, .. } => {
                Ok((self.constant(plus(u64::from(*o)), width), width))
            }
            Meaning::FrameParam(_) => self.unknown(format!(
                "the address of the parameter `{name}` of a function"
            )),
            _ => self.unknown(format!("`{name}` as an operand")),
        }
    }

    /// The address of a name of the module.
    fn global_name(&mut self, name: &str, offset: i64, width: Width) -> Decoded<(u32, Width)> {
        let module = self.module;
        let address = match module.symbols.get(name) {
            Some(Symbol::Memory { address, .. }) => *address,
            Some(Symbol::Shared {
                size,
                align,
                dynamic,
            }) => {
                let (size, align) = (*size as u32, align.next_power_of_two());
                u64::from(self.shared_variable(name.into(), size, align, *dynamic))
            }
            Some(Symbol::Function { index, address }) => {
                let i = self.reach(*index);
                self.addresses.insert(*address, i);
                *address
            }
            Some(Symbol::Declared) | None => return self.undefined(name),
        };
        Ok((
            self.constant(u128::from(address.wrapping_add(offset as u64)), width),
            width,
        ))
    }

    /// Exactly this many operands.
    fn operands<'a, const N: usize>(&self, i: &'a Instruction) -> Decoded<&'a [Operand; N]> {
        match <&[Operand; N]>::try_from(&i.operands[..]) {
            Ok(o) => Ok(o),
            Err(_) => self.unknown(format!("{} operands where {N} belong", i.operands.len())),
        }
    }

    fn instruction(&mut self, i: &Instruction) -> Decoded<()> {
        match i.name.as_str() {
            "ld" | "ldu" | "st" | "atom" | "red" | "prefetch" | "prefetchu" | "applypriority"
            | "discard" | "isspacep" | "cvta" => self.memory_instruction(i),
            "bra" | "brx" | "call" | "ret" | "exit" | "trap" | "brkpt" | "bar" | "barrier"
            | "shfl" | "vote" | "match" | "redux" | "elect" | "activemask" | "membar" | "fence"
            | "nanosleep" | "pmevent" | "griddepcontrol" | "nop" => self.control_instruction(i),
            "cvt" => self.convert_instruction(i),
            "mbarrier" => self.mbarrier(i),
            "cp" => self.copy_instruction(i),
            "mapa" => self.mapa(i),
            "getctarank" => self.getctarank(i),
            "mma" | "ldmatrix" | "stmatrix" => self.matrix_instruction(i),
            "wmma"
            | "wgmma"
            | "tcgen05"
            | "tensormap"
            | "multimem"
            | "clusterlaunchcontrol"
            | "tex"
            | "tld4"
            | "txq"
            | "suld"
            | "sust"
            | "sured"
            | "suq"
            | "movmatrix" => self.unknown("not simulated: use a GPU"),
            _ => self.alu_instruction(i),
        }
    }
}

/// Width of a register of a type: 0 for predicates.
fn width_of(ty: Type) -> Width {
    if ty == Type::Pred {
        0
    } else {
        ty.bytes() as Width
    }
}

fn bits_of(width: Width) -> u32 {
    if width == 0 { 1 } else { u32::from(width) * 8 }
}

/// The special register of a name.
fn special(name: &str) -> Option<Special> {
    let (base, axis) = match name.rsplit_once('.') {
        Some((b, "x")) => (b, 0),
        Some((b, "y")) => (b, 1),
        Some((b, "z")) => (b, 2),
        _ => (name, 3),
    };
    Some(match (base, axis) {
        ("%tid", 0..3) => Special::Tid(axis),
        ("%ntid", 0..3) => Special::Ntid(axis),
        ("%ctaid", 0..3) => Special::Ctaid(axis),
        ("%nctaid", 0..3) => Special::Nctaid(axis),
        ("%clusterid", 0..3) => Special::ClusterId(axis),
        ("%nclusterid", 0..3) => Special::NClusterId(axis),
        ("%cluster_ctaid", 0..3) => Special::ClusterCtaid(axis),
        ("%cluster_nctaid", 0..3) => Special::ClusterNctaid(axis),
        _ => match name {
            "%laneid" => Special::LaneId,
            "%warpid" => Special::WarpId,
            "%nwarpid" => Special::NWarpId,
            "%smid" => Special::SmId,
            "%nsmid" => Special::NSmId,
            "%gridid" => Special::GridId,
            "%clock" => Special::Clock,
            "%clock_hi" => Special::ClockHi,
            "%clock64" => Special::Clock64,
            "%globaltimer" => Special::GlobalTimer,
            "%globaltimer_lo" => Special::GlobalTimerLo,
            "%globaltimer_hi" => Special::GlobalTimerHi,
            "%lanemask_eq" => Special::LaneMask(MaskKind::Eq),
            "%lanemask_lt" => Special::LaneMask(MaskKind::Lt),
            "%lanemask_le" => Special::LaneMask(MaskKind::Le),
            "%lanemask_gt" => Special::LaneMask(MaskKind::Gt),
            "%lanemask_ge" => Special::LaneMask(MaskKind::Ge),
            "%total_smem_size" | "%aggr_smem_size" => Special::TotalSmem,
            "%dynamic_smem_size" => Special::DynamicSmem,
            "%cluster_ctarank" => Special::ClusterRank,
            "%cluster_nctarank" => Special::ClusterSize,
            "%is_explicit_cluster" => Special::ExplicitCluster,
            "%envreg1" => Special::WorkspaceHigh,
            "%envreg2" => Special::WorkspaceLow,
            _ => {
                let n: u32 = name.strip_prefix("%envreg")?.parse().ok()?;
                (n < 32).then_some(Special::Constant(0))?
            }
        },
    })
}
