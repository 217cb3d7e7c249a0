//! A loaded PTX module: its variables have addresses and their initial values, its kernels are decoded on demand.

use crate::decode;
use crate::error::{SimError, SourceMap};
use crate::inst::{KernelParam, Program};
use crate::memory::{CODE_WINDOW, Memory};
use ptx::{Function, FunctionKind, Init, Linkage, Space, Statement, Variable};
use std::collections::HashMap;
use std::sync::{Arc, Mutex, RwLock};

/// What a name at module scope means.
#[derive(Clone, Debug)]
pub(crate) enum Symbol {
    /// A variable in global or constant memory.
    Memory { address: u64, size: u64 },
    /// A shared variable; its address is the kernel's matter.
    Shared {
        size: u64,
        align: u32,
        dynamic: bool,
    },
    /// A function with a body: its index among the module's functions, and its address.
    Function { index: usize, address: u64 },
    /// A function without a body.
    Declared,
}

/// A loaded module.
pub struct Module {
    pub(crate) ast: ptx::Module,
    pub(crate) source: Arc<str>,
    /// Functions with a body, in order.
    pub(crate) functions: Vec<usize>,
    pub(crate) symbols: HashMap<String, Symbol>,
    /// Variables of global and constant memory declared inside functions, by where their declaration starts.
    pub(crate) inner: HashMap<u32, Symbol>,
    memory: Arc<Memory>,
    owned: Vec<u64>,
    kernels: Mutex<HashMap<String, Result<Arc<Program>, SimError>>>,
    source_map: RwLock<Option<Arc<dyn SourceMap>>>,
}

/// A kernel of a module, decoded. Cheap to clone.
#[derive(Clone)]
pub struct Kernel {
    pub(crate) program: Arc<Program>,
    pub(crate) module: Arc<Module>,
}

impl std::fmt::Debug for Kernel {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Kernel")
            .field("name", &self.program.name)
            .finish_non_exhaustive()
    }
}

impl Kernel {
    /// Its name.
    pub fn name(&self) -> &str {
        &self.program.name
    }

    /// Its parameters, in order.
    pub fn params(&self) -> &[KernelParam] {
        &self.program.params
    }

    /// Bytes of the parameter buffer.
    pub fn param_size(&self) -> u32 {
        self.program.param_size
    }

    /// Bytes of static shared memory.
    pub fn static_shared(&self) -> u32 {
        self.program.shared
    }

    /// Bytes of local memory a thread of the kernel's own frame.
    pub fn local_bytes(&self) -> u32 {
        self.program.functions[0].local
    }

    /// Most threads a block may have.
    pub fn max_threads(&self) -> u32 {
        self.program.max_threads
    }

    /// Decoded instructions, functions included.
    pub fn instruction_count(&self) -> usize {
        self.program.code.len()
    }

    /// 32-bit registers a thread of the kernel's frame, rounded up.
    pub fn registers(&self) -> u32 {
        self.program.functions[0]
            .rows
            .iter()
            .map(|r| u32::from(r.width).div_ceil(4))
            .sum::<u32>()
            .clamp(8, 255)
    }

    /// The module it belongs to.
    pub fn module(&self) -> &Arc<Module> {
        &self.module
    }
}

impl Module {
    /// Reads PTX and puts its variables into memory.
    pub fn load(memory: &Arc<Memory>, text: &str) -> Result<Arc<Module>, SimError> {
        let (ast, errors) = ptx::parse(text);
        if !errors.is_empty() {
            return Err(SimError::Parse { errors });
        }
        if ast.version().is_none() {
            let span = ptx::Span {
                start: 0,
                end: 0,
                line: 1,
            };
            let message = "no .version directive: this is not PTX".to_string();
            return Err(SimError::Parse {
                errors: vec![ptx::Error { span, message }],
            });
        }
        let mut module = Module {
            ast,
            source: text.into(),
            functions: Vec::new(),
            symbols: HashMap::new(),
            inner: HashMap::new(),
            memory: memory.clone(),
            owned: Vec::new(),
            kernels: Mutex::default(),
            source_map: RwLock::default(),
        };
        module.link()?;
        Ok(Arc::new(module))
    }

    fn link(&mut self) -> Result<(), SimError> {
        let items = std::mem::take(&mut self.ast.items);
        let result = self.link_items(&items);
        self.ast.items = items;
        result
    }

    fn link_items(&mut self, items: &[ptx::Item]) -> Result<(), SimError> {
        let mut initialised: Vec<(&Variable, u64)> = Vec::new();
        for (i, item) in items.iter().enumerate() {
            match item {
                ptx::Item::Function(f) if f.body.is_some() => {
                    let index = self.functions.len();
                    self.functions.push(i);
                    let address = CODE_WINDOW + 16 * (index as u64 + 1);
                    self.symbols
                        .insert(f.name.clone(), Symbol::Function { index, address });
                    let mut inner = Vec::new();
                    inner_variables(f.body.as_deref().unwrap_or(&[]), &mut inner);
                    for v in inner {
                        let symbol = self.place(v, &mut initialised)?;
                        self.inner.insert(v.span.start, symbol);
                    }
                }
                ptx::Item::Function(f) => {
                    self.symbols
                        .entry(f.name.clone())
                        .or_insert(Symbol::Declared);
                }
                ptx::Item::Variable(v) => {
                    let symbol = match v.space {
                        Space::Shared => Symbol::Shared {
                            size: size_of_variable(v)?,
                            align: v.alignment(),
                            dynamic: v.dims.iter().any(Option::is_none),
                        },
                        Space::Global | Space::Const if v.linkage == Linkage::Extern => continue,
                        Space::Global | Space::Const => self.place(v, &mut initialised)?,
                        _ => {
                            return Err(unknown_variable(
                                v,
                                "a variable of this space at module scope",
                            ));
                        }
                    };
                    self.symbols.insert(v.name.clone(), symbol);
                }
                ptx::Item::Alias { name, target, span } => {
                    let symbol =
                        self.symbols
                            .get(target)
                            .cloned()
                            .ok_or_else(|| SimError::Undefined {
                                name: target.clone(),
                                line: span.line,
                                function: String::new(),
                            })?;
                    self.symbols.insert(name.clone(), symbol);
                }
                _ => {}
            }
        }
        // Initialisers may name what is declared below them.
        for (v, address) in initialised {
            let mut bytes = vec![0u8; size_of_variable(v)? as usize];
            if let Some(init) = &v.init {
                let mut at = 0;
                self.initialise(v, init, &mut bytes, &mut at, 0)?;
            }
            self.memory.write_bytes(address, &bytes);
        }
        Ok(())
    }

    fn place<'a>(
        &mut self,
        v: &'a Variable,
        todo: &mut Vec<(&'a Variable, u64)>,
    ) -> Result<Symbol, SimError> {
        // A dimension left open takes its length from the initialiser.
        let size = size_of_variable(v)?;
        let writable = v.space != Space::Const;
        let address = self
            .memory
            .alloc_named(size, u64::from(v.alignment()), &v.name, writable)?;
        self.owned.push(address);
        if v.init.is_some() {
            todo.push((v, address));
        }
        Ok(Symbol::Memory { address, size })
    }

    fn initialise(
        &self,
        v: &Variable,
        init: &Init,
        out: &mut [u8],
        at: &mut usize,
        depth: usize,
    ) -> Result<(), SimError> {
        let width = v.ty.bytes() as usize;
        let value = match init {
            Init::List(items) => {
                // A list fills its own part of the array, however short it is.
                let part = v
                    .dims
                    .iter()
                    .skip(depth)
                    .map(|d| d.unwrap_or(0) as usize)
                    .product::<usize>()
                    * width
                    * if depth > v.dims.len() {
                        1
                    } else {
                        v.vector as usize
                    };
                let start = *at;
                for item in items {
                    self.initialise(v, item, out, at, depth + 1)?;
                }
                if *at < start + part {
                    *at = start + part;
                }
                return Ok(());
            }
            Init::Int(n) if matches!(v.ty, ptx::Type::F32) => u128::from((*n as f32).to_bits()),
            Init::Int(n) if matches!(v.ty, ptx::Type::F64) => u128::from((*n as f64).to_bits()),
            Init::Int(n) => *n as u128,
            Init::F32(b) if width == 8 => u128::from(f64::from(f32::from_bits(*b)).to_bits()),
            Init::F32(b) => u128::from(*b),
            Init::F64(b) if width == 4 => u128::from((f64::from_bits(*b) as f32).to_bits()),
            Init::F64(b) => u128::from(*b),
            Init::Symbol {
                name, offset, mask, ..
            } => {
                let base = match self.symbols.get(name) {
                    Some(Symbol::Memory { address, .. } | Symbol::Function { address, .. }) => {
                        *address
                    }
                    Some(Symbol::Shared { .. } | Symbol::Declared) | None => {
                        return Err(SimError::Undefined {
                            name: name.clone(),
                            line: v.span.line,
                            function: format!("initialiser of {}", v.name),
                        });
                    }
                };
                let value = base.wrapping_add(*offset as u64);
                u128::from(match mask {
                    Some(m) if *m != 0 => (value & m) >> m.trailing_zeros(),
                    _ => value,
                })
            }
        };
        let Some(slot) = out.get_mut(*at..*at + width) else {
            return Err(unknown_variable(
                v,
                "an initialiser longer than the variable",
            ));
        };
        slot.copy_from_slice(&value.to_le_bytes()[..width]);
        *at += width;
        Ok(())
    }

    /// The function at an index of `functions`.
    pub(crate) fn function(&self, index: usize) -> &Function {
        match &self.ast.items[self.functions[index]] {
            ptx::Item::Function(f) => f,
            _ => unreachable!("`functions` holds indices of functions"),
        }
    }

    /// Decodes a kernel, once.
    pub fn kernel(self: &Arc<Self>, name: &str) -> Result<Kernel, SimError> {
        let mut kernels = self.kernels.lock().unwrap_or_else(|e| e.into_inner());
        let program = match kernels.get(name) {
            Some(p) => p.clone(),
            None => {
                let p = match self.symbols.get(name) {
                    Some(Symbol::Function { index, .. })
                        if self.function(*index).kind == FunctionKind::Entry =>
                    {
                        decode::program(self, *index).map(Arc::new)
                    }
                    _ => return Err(SimError::NotFound { name: name.into() }),
                };
                kernels.insert(name.into(), p.clone());
                p
            }
        };
        Ok(Kernel {
            program: program?,
            module: self.clone(),
        })
    }

    /// The PTX that it was loaded from.
    pub fn text(&self) -> &str {
        &self.source
    }

    /// The names behind `.target`.
    pub fn targets(&self) -> &[String] {
        self.ast.targets()
    }

    /// Names of the kernels, in order.
    pub fn kernels(&self) -> Vec<String> {
        let functions = self.ast.functions();
        functions
            .filter(|f| f.kind == FunctionKind::Entry && f.body.is_some())
            .map(|f| f.name.clone())
            .collect()
    }

    /// Address and size of a variable in global or constant memory.
    pub fn variable(&self, name: &str) -> Option<(u64, u64)> {
        match self.symbols.get(name)? {
            Symbol::Memory { address, size, .. } => Some((*address, *size)),
            _ => None,
        }
    }

    /// Sets what tells Rust positions for lines of the PTX.
    pub fn set_source_map(&self, map: Arc<dyn SourceMap>) {
        *self.source_map.write().unwrap_or_else(|e| e.into_inner()) = Some(map);
    }

    pub(crate) fn source_map(&self) -> Option<Arc<dyn SourceMap>> {
        self.source_map
            .read()
            .unwrap_or_else(|e| e.into_inner())
            .clone()
    }
}

impl Drop for Module {
    fn drop(&mut self) {
        for address in &self.owned {
            self.memory.free(*address);
        }
    }
}

pub(crate) fn unknown_variable(v: &Variable, why: &str) -> SimError {
    SimError::Unknown {
        text: v.to_string(),
        why: why.into(),
        line: v.span.line,
        function: String::new(),
    }
}

/// Size in bytes; a dimension left open takes its length from the initialiser.
pub(crate) fn size_of_variable(v: &Variable) -> Result<u64, SimError> {
    let mut v = v.clone();
    if let (Some(None), Some(Init::List(items))) = (v.dims.first(), &v.init) {
        v.dims[0] = Some(items.len() as u64);
    }
    v.size()
        .filter(|s| *s < 1 << 32)
        .ok_or_else(|| unknown_variable(&v, "larger than 4 GiB"))
}

fn inner_variables<'a>(body: &'a [Statement], out: &mut Vec<&'a Variable>) {
    for s in body {
        match s {
            Statement::Variable(v) if matches!(v.space, Space::Global | Space::Const) => {
                out.push(v)
            }
            Statement::Block { statements, .. } => inner_variables(statements, out),
            _ => {}
        }
    }
}
