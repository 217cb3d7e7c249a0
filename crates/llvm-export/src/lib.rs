//! A pliron module as LLVM's textual IR.

mod constants;
mod debug;
mod function;
mod instruction;
mod metadata;
pub mod names;
mod types;

use debug::Debug;
use dialect_llvm::{
    attributes,
    llvm::{
        attributes::LinkageAttr,
        llvm_attrs::{LlvmAttrValue, LlvmAttributesAttr},
        op_interfaces::{AlignableOpInterface, IsDeclaration, LlvmSymbolName},
        ops::{FuncOp, GlobalOp},
    },
};
use metadata::Metadata;
use pliron::{
    builtin::{
        op_interfaces::{SingleBlockRegionInterface, SymbolOpInterface},
        ops::ModuleOp,
        type_interfaces::FunctionTypeInterface,
    },
    context::{Context, Ptr},
    linked_list::ContainsLinkedList,
    op::Op,
    operation::Operation,
    r#type::Typed,
};
use std::{
    collections::{BTreeMap, HashMap},
    fmt::Write,
};

/// LLVM 22's data layout for NVPTX.
pub const DATA_LAYOUT: &str = "e-p6:32:32-i64:64-i128:128-i256:256-v16:16-v32:32-n16:32:64";
/// The target.
pub const TRIPLE: &str = "nvptx64-nvidia-cuda";

/// What the debugger is to know.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum DebugKind {
    /// Nothing; locations are still written if [`ExportOptions::locations`] says so, for the side table.
    #[default]
    Off,
    /// Source lines.
    LineTables,
    /// Source lines under the emission kind that variables need. Variables themselves come with the operations that declare them.
    Full,
}

/// How to export.
#[derive(Clone, Debug)]
pub struct ExportOptions {
    pub debug: DebugKind,
    /// Write `!dbg` whatever `debug` says.
    pub locations: bool,
    /// Name in the debug metadata of the compile unit.
    pub producer: String,
}

impl Default for ExportOptions {
    fn default() -> Self {
        ExportOptions {
            debug: DebugKind::Off,
            locations: true,
            producer: "cuda-oxide".to_string(),
        }
    }
}

/// What has no text in LLVM IR.
#[derive(Debug, thiserror::Error)]
pub enum ExportError {
    #[error("{location}: `{op}` has no LLVM IR: {rule}")]
    Op {
        op: String,
        location: String,
        rule: String,
    },
    #[error("type `{0}` has no LLVM IR")]
    Type(String),
    #[error("constant `{0}` has no LLVM IR")]
    Constant(String),
    #[error("`{name}` is declared as both `{first}` and `{second}`")]
    Declaration {
        name: String,
        first: String,
        second: String,
    },
}

type Result<T> = std::result::Result<T, ExportError>;

/// Prints `module` as LLVM IR.
pub fn export(ctx: &Context, module: ModuleOp, options: &ExportOptions) -> Result<String> {
    let mut exporter = Exporter {
        ctx,
        spaces: HashMap::new(),
        symbols: HashMap::new(),
        declarations: BTreeMap::new(),
        helpers: BTreeMap::new(),
        metadata: Metadata::default(),
        debug: None,
        convergent: false,
    };
    if options.locations || options.debug != DebugKind::Off {
        exporter.debug = Some(Debug::new(&mut exporter.metadata, options));
    }
    exporter.module(module)
}

/// What the parts of the exporter share.
struct Exporter<'a> {
    ctx: &'a Context,
    /// Address space of each global.
    spaces: HashMap<String, u32>,
    /// LLVM's name of a symbol, where it is not the symbol.
    symbols: HashMap<String, String>,
    /// Functions and globals of others that the code names: name to whole line.
    declarations: BTreeMap<String, String>,
    /// Definitions of `dialect-nvvm` operations with control flow.
    helpers: BTreeMap<String, String>,
    metadata: Metadata,
    debug: Option<Debug>,
    /// Whether attribute group `#0` is used.
    convergent: bool,
}

impl Exporter<'_> {
    fn module(mut self, module: ModuleOp) -> Result<String> {
        let ctx = self.ctx;
        let ops: Vec<_> = module.get_body(ctx, 0).deref(ctx).iter(ctx).collect();
        for op in &ops {
            if let Some(global) = Operation::get_op::<GlobalOp>(*op, ctx) {
                let name = global.get_symbol_name(ctx).to_string();
                self.spaces.insert(name.clone(), global.address_space(ctx));
                if let Some(llvm) = global.llvm_symbol_name(ctx) {
                    self.symbols.insert(name, llvm);
                }
            } else if let Some(func) = Operation::get_op::<FuncOp>(*op, ctx)
                && let Some(llvm) = func.llvm_symbol_name(ctx)
            {
                self.symbols
                    .insert(func.get_symbol_name(ctx).to_string(), llvm);
            }
        }
        let mut globals = String::new();
        let mut functions = String::new();
        let mut kernels = Vec::new();
        for op in ops {
            if let Some(global) = Operation::get_op::<GlobalOp>(op, ctx) {
                self.global(&mut globals, global)?;
            } else if let Some(func) = Operation::get_op::<FuncOp>(op, ctx) {
                if func.is_declaration(ctx) {
                    self.declare_function(func)?;
                } else {
                    self.function(&mut functions, func)?;
                }
                if attributes::is_kernel(ctx, op) {
                    kernels.push(self.symbol(func.get_symbol_name(ctx).as_ref()));
                }
            } else {
                return Err(self.unknown(op, "a module holds functions and globals"));
            }
        }
        for kernel in &kernels {
            let id = self
                .metadata
                .add(format!("!{{ptr {kernel}, !\"kernel\", i32 1}}"));
            self.metadata
                .named("nvvm.annotations")
                .push(format!("!{id}"));
        }

        let mut text =
            format!("target datalayout = \"{DATA_LAYOUT}\"\ntarget triple = \"{TRIPLE}\"\n");
        let mut section = |part: &str| {
            if !part.is_empty() {
                text.push('\n');
                text.push_str(part);
            }
        };
        section(&globals);
        let declarations: String = self
            .declarations
            .values()
            .map(|line| format!("{line}\n"))
            .collect();
        section(&declarations);
        for helper in self.helpers.values() {
            section(helper);
        }
        section(&functions);
        section(&self.metadata.text());
        if self.convergent {
            section("attributes #0 = { convergent }\n");
        }
        Ok(text)
    }

    /// `@name`, quoted if LLVM wants it.
    fn symbol(&self, name: &str) -> String {
        let name = self.symbols.get(name).map_or(name, String::as_str);
        format!("@{}", names::quoted(name))
    }

    fn global(&mut self, text: &mut String, global: GlobalOp) -> Result<()> {
        let ctx = self.ctx;
        let name = self.symbol(global.get_symbol_name(ctx).as_ref());
        let ty = self.ty(global.get_type(ctx))?;
        let space = match global.address_space(ctx) {
            0 => String::new(),
            // Constant memory may be written by the host before a launch, so its initialiser is not its value.
            4 => "addrspace(4) externally_initialized ".to_string(),
            n => format!("addrspace({n}) "),
        };
        let kind = if global.is_constant(ctx) {
            "constant"
        } else {
            "global"
        };
        let linkage = self.linkage(
            global.get_operation(),
            global.get_attr_llvm_global_linkage(ctx).as_deref(),
        )?;
        let initializer = match global.get_initializer_value(ctx) {
            Some(value) => {
                let literal = self.constant(&*value)?;
                format!(" {literal}")
            }
            None if global.get_initializer_block(ctx).is_some() => {
                return Err(self.unknown(
                    global.get_operation(),
                    "an initialiser is an attribute, not a region",
                ));
            }
            None => String::new(),
        };
        let align = global
            .alignment(ctx)
            .map_or(String::new(), |n| format!(", align {n}"));
        if initializer.is_empty() {
            // A declaration, which an operation of dialect-nvvm may need too.
            let line = format!("{name} = external {space}{kind} {ty}{align}");
            return self.declare(name, line);
        }
        push(
            text,
            format_args!("{name} = {linkage}{space}{kind} {ty}{initializer}{align}\n"),
        );
        Ok(())
    }

    fn linkage(&self, op: Ptr<Operation>, linkage: Option<&LinkageAttr>) -> Result<&'static str> {
        Ok(match linkage {
            None | Some(LinkageAttr::ExternalLinkage) => "",
            Some(LinkageAttr::InternalLinkage) => "internal ",
            Some(LinkageAttr::PrivateLinkage) => "private ",
            Some(LinkageAttr::LinkOnceODRLinkage) => "linkonce_odr ",
            Some(LinkageAttr::LinkOnceAnyLinkage) => "linkonce ",
            Some(LinkageAttr::WeakAnyLinkage) => "weak ",
            Some(LinkageAttr::WeakODRLinkage) => "weak_odr ",
            Some(_) => return Err(self.unknown(op, "a linkage that NVPTX has")),
        })
    }

    fn declare_function(&mut self, func: FuncOp) -> Result<()> {
        let ctx = self.ctx;
        let name = self.symbol(func.get_symbol_name(ctx).as_ref());
        let ty = func.get_type(ctx);
        let (result, arguments, variadic) = {
            let ty = ty.deref(ctx);
            (ty.result_type(), ty.arg_types(), ty.is_var_arg())
        };
        let result = self.ty(result)?;
        let mut arguments = arguments
            .into_iter()
            .map(|ty| self.ty(ty))
            .collect::<Result<Vec<_>>>()?;
        if variadic {
            arguments.push("...".to_string());
        }
        let attrs = func
            .get_attr_llvm_func_attrs(ctx)
            .map(|attrs| attrs.clone())
            .unwrap_or_default();
        let attrs = self.attributes(&attrs)?;
        if let Some(definition) = dialect_nvvm::asm::definition(func.get_symbol_name(ctx).as_ref())
        {
            self.helpers.insert(name, definition);
            return Ok(());
        }
        let line = format!("declare {result} {name}({}){attrs}", arguments.join(", "));
        self.declare(name, line)
    }

    fn declare(&mut self, name: String, line: String) -> Result<()> {
        match self.declarations.get(&name) {
            Some(first) if *first != line => Err(ExportError::Declaration {
                name,
                first: first.clone(),
                second: line,
            }),
            Some(_) => Ok(()),
            None => {
                self.declarations.insert(name, line);
                Ok(())
            }
        }
    }

    /// Attributes in LLVM's text, each with a space before it.
    fn attributes(&self, attributes: &LlvmAttributesAttr) -> Result<String> {
        let mut text = String::new();
        for (name, value) in attributes.iter() {
            match value {
                LlvmAttrValue::Unit => push(&mut text, format_args!(" {name}")),
                LlvmAttrValue::Int(n) if name == "align" => {
                    push(&mut text, format_args!(" align {n}"));
                }
                LlvmAttrValue::Int(n) => push(&mut text, format_args!(" {name}({n})")),
                LlvmAttrValue::Type(ty) => {
                    let ty = self.ty(*ty)?;
                    push(&mut text, format_args!(" {name}({ty})"));
                }
                LlvmAttrValue::Str(value) if value.is_empty() => {
                    push(&mut text, format_args!(" \"{}\"", names::escaped(name)));
                }
                LlvmAttrValue::Str(value) => push(
                    &mut text,
                    format_args!(
                        " \"{}\"=\"{}\"",
                        names::escaped(name),
                        names::escaped(value)
                    ),
                ),
            }
        }
        Ok(text)
    }

    fn unknown(&self, op: Ptr<Operation>, rule: impl Into<String>) -> ExportError {
        ExportError::Op {
            op: Operation::get_opid(op, self.ctx).to_string(),
            location: dialect_llvm::location_text(self.ctx, op.deref(self.ctx).loc()),
            rule: rule.into(),
        }
    }
}

fn push(text: &mut String, arguments: std::fmt::Arguments<'_>) {
    text.write_fmt(arguments)
        .expect("a string takes everything");
}
