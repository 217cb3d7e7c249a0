//! Instructions.

use crate::{
    Exporter, Result,
    function::{Edges, Names},
    names, push,
};
use dialect_llvm::{
    llvm::{
        attributes::{
            AtomicOrderingAttr, AtomicRmwKindAttr, FCmpPredicateAttr, FastmathFlags,
            FastmathFlagsAttr, GepNoWrapFlags, ICmpPredicateAttr, IntegerOverflowFlagsAttr,
            SyncScopeAttr,
        },
        llvm_attrs::LlvmAttributesAttr,
        op_interfaces::{
            ATTR_KEY_FAST_MATH_FLAGS, ATTR_KEY_INTEGER_OVERFLOW_FLAGS, ATTR_KEY_LLVM_ALIGNMENT,
            ATTR_KEY_LLVM_VOLATILE, ATTR_KEY_NNEG_FLAG, ATTR_KEY_SYNC_SCOPE,
        },
        ops::*,
        types::{FuncType, VoidType},
    },
    ops::InlineAsmMultiOp,
};
use dialect_nvvm::Resolved;
use pliron::{
    basic_block::BasicBlock,
    builtin::{
        attr_interfaces::TypedAttrInterface,
        attributes::{BoolAttr, IntegerAttr},
        op_interfaces::{CallOpCallable, CallOpInterface},
        type_interfaces::FunctionTypeInterface,
    },
    context::Ptr,
    op::Op,
    operation::Operation,
    r#type::{TypeHandle, Typed, TypedHandle},
    value::Value,
};

/// An instruction without its name and debug location.
struct Line {
    text: String,
    /// LLVM's verifier wants a location on calls.
    call: bool,
}

impl Exporter<'_> {
    pub(crate) fn instruction(
        &mut self,
        text: &mut String,
        op: Ptr<Operation>,
        names: &mut Names,
        edges: &Edges,
    ) -> Result<()> {
        let ctx = self.ctx;
        let id = Operation::get_opid(op, ctx).to_string();
        if let Some(constant) = id.strip_prefix("llvm.")
            && matches!(
                constant,
                "constant" | "zero" | "undef" | "poison" | "addressof"
            )
        {
            return Ok(());
        }
        if id.starts_with("nvvm.") {
            return self.nvvm(text, op, names);
        }
        if id == "llvm.inline_asm_multi" {
            return self.asm_multi(text, op, names);
        }
        let line = self.line(&id, op, names, edges)?;
        let suffix = self.dbg(op, line.call);
        let result = op
            .deref(ctx)
            .results()
            .next()
            .filter(|value| !value.get_type(ctx).deref(ctx).is::<VoidType>());
        match result {
            Some(value) => {
                let name = self.value(op, names, value)?;
                push(text, format_args!("  {name} = {}{suffix}\n", line.text));
            }
            None => push(text, format_args!("  {}{suffix}\n", line.text)),
        }
        Ok(())
    }

    /// `, !dbg !7`, or nothing.
    fn dbg(&mut self, op: Ptr<Operation>, needed: bool) -> String {
        let ctx = self.ctx;
        let Some(debug) = &mut self.debug else {
            return String::new();
        };
        let location = op.deref(ctx).loc().clone();
        let mut id = debug.location(ctx, &mut self.metadata, &location);
        if id.is_none() && needed {
            id = debug.artificial(&mut self.metadata);
        }
        id.map_or(String::new(), |id| format!(", !dbg !{id}"))
    }

    fn value(&self, op: Ptr<Operation>, names: &Names, value: Value) -> Result<String> {
        names
            .get(value)
            .map(str::to_string)
            .ok_or_else(|| self.unknown(op, "an operand is defined in the function"))
    }

    fn operand(&self, op: Ptr<Operation>, names: &Names, index: usize) -> Result<String> {
        let value = self.operand_value(op, index)?;
        self.value(op, names, value)
    }

    fn operand_value(&self, op: Ptr<Operation>, index: usize) -> Result<Value> {
        let value = op.deref(self.ctx).operands().nth(index);
        value.ok_or_else(|| self.unknown(op, format!("operand {index} is missing")))
    }

    fn operand_type(&self, op: Ptr<Operation>, index: usize) -> Result<String> {
        let value = self.operand_value(op, index)?;
        self.ty(value.get_type(self.ctx))
    }

    fn typed(&self, op: Ptr<Operation>, names: &Names, index: usize) -> Result<String> {
        Ok(format!(
            "{} {}",
            self.operand_type(op, index)?,
            self.operand(op, names, index)?
        ))
    }

    fn result_type(&self, op: Ptr<Operation>) -> Result<String> {
        let ty = op.deref(self.ctx).result_types().next();
        match ty {
            Some(ty) => self.ty(ty),
            None => Err(self.unknown(op, "the operation has a result")),
        }
    }

    fn attribute<T: pliron::attribute::Attribute + Clone>(
        &self,
        op: Ptr<Operation>,
        key: &pliron::identifier::Identifier,
    ) -> Option<T> {
        op.deref(self.ctx).attributes.get::<T>(key).cloned()
    }

    fn block<'n>(
        &self,
        op: Ptr<Operation>,
        names: &'n Names,
        edges: &'n Edges,
        index: usize,
    ) -> Result<&'n str> {
        let (parent, to) = {
            let op = op.deref(self.ctx);
            (op.get_parent_block(), op.successors().nth(index))
        };
        let split = parent.and_then(|parent: Ptr<BasicBlock>| edges.split.get(&(parent, index)));
        split
            .or_else(|| to.and_then(|to| names.blocks.get(&to)))
            .map(String::as_str)
            .ok_or_else(|| self.unknown(op, "a successor is a block of the function"))
    }

    fn line(&mut self, id: &str, op: Ptr<Operation>, names: &Names, edges: &Edges) -> Result<Line> {
        let ctx = self.ctx;
        let name = id.strip_prefix("llvm.").unwrap_or("");
        let plain = |text: String| Ok(Line { text, call: false });
        match name {
            "add" | "sub" | "mul" | "shl" | "udiv" | "sdiv" | "urem" | "srem" | "and" | "or"
            | "xor" | "lshr" | "ashr" | "fadd" | "fsub" | "fmul" | "fdiv" | "frem" => {
                let mut flags = String::new();
                if let Some(wrap) =
                    self.attribute::<IntegerOverflowFlagsAttr>(op, &ATTR_KEY_INTEGER_OVERFLOW_FLAGS)
                {
                    if wrap.nuw {
                        flags += " nuw";
                    }
                    if wrap.nsw {
                        flags += " nsw";
                    }
                }
                flags += &self.fast_math(op);
                plain(format!(
                    "{name}{flags} {}, {}",
                    self.typed(op, names, 0)?,
                    self.operand(op, names, 1)?
                ))
            }
            "fneg" => plain(format!(
                "fneg{} {}",
                self.fast_math(op),
                self.typed(op, names, 0)?
            )),
            "icmp" => {
                let compare = self.op::<ICmpOp>(op)?;
                let predicate = match compare.predicate(ctx) {
                    ICmpPredicateAttr::EQ => "eq",
                    ICmpPredicateAttr::NE => "ne",
                    ICmpPredicateAttr::SLT => "slt",
                    ICmpPredicateAttr::SLE => "sle",
                    ICmpPredicateAttr::SGT => "sgt",
                    ICmpPredicateAttr::SGE => "sge",
                    ICmpPredicateAttr::ULT => "ult",
                    ICmpPredicateAttr::ULE => "ule",
                    ICmpPredicateAttr::UGT => "ugt",
                    ICmpPredicateAttr::UGE => "uge",
                };
                plain(format!(
                    "icmp {predicate} {}, {}",
                    self.typed(op, names, 0)?,
                    self.operand(op, names, 1)?
                ))
            }
            "fcmp" => {
                let compare = self.op::<FCmpOp>(op)?;
                let predicate = match compare.predicate(ctx) {
                    FCmpPredicateAttr::False => "false",
                    FCmpPredicateAttr::OEQ => "oeq",
                    FCmpPredicateAttr::OGT => "ogt",
                    FCmpPredicateAttr::OGE => "oge",
                    FCmpPredicateAttr::OLT => "olt",
                    FCmpPredicateAttr::OLE => "ole",
                    FCmpPredicateAttr::ONE => "one",
                    FCmpPredicateAttr::ORD => "ord",
                    FCmpPredicateAttr::UEQ => "ueq",
                    FCmpPredicateAttr::UGT => "ugt",
                    FCmpPredicateAttr::UGE => "uge",
                    FCmpPredicateAttr::ULT => "ult",
                    FCmpPredicateAttr::ULE => "ule",
                    FCmpPredicateAttr::UNE => "une",
                    FCmpPredicateAttr::UNO => "uno",
                    FCmpPredicateAttr::True => "true",
                };
                plain(format!(
                    "fcmp{} {predicate} {}, {}",
                    self.fast_math(op),
                    self.typed(op, names, 0)?,
                    self.operand(op, names, 1)?
                ))
            }
            "zext" | "sext" | "trunc" | "fpext" | "fptrunc" | "sitofp" | "uitofp" | "fptosi"
            | "fptoui" | "ptrtoint" | "inttoptr" | "addrspacecast" | "bitcast" => {
                let nneg = self
                    .attribute::<BoolAttr>(op, &ATTR_KEY_NNEG_FLAG)
                    .is_some_and(bool::from);
                plain(format!(
                    "{name}{}{} {} to {}",
                    if nneg { " nneg" } else { "" },
                    self.fast_math(op),
                    self.typed(op, names, 0)?,
                    self.result_type(op)?
                ))
            }
            "freeze" => plain(format!("freeze {}", self.typed(op, names, 0)?)),
            "select" => plain(format!(
                "select {}, {}, {}",
                self.typed(op, names, 0)?,
                self.typed(op, names, 1)?,
                self.typed(op, names, 2)?
            )),
            "br" => plain(format!("br label %{}", self.block(op, names, edges, 0)?)),
            "cond_br" => plain(format!(
                "br {}, label %{}, label %{}",
                self.typed(op, names, 0)?,
                self.block(op, names, edges, 0)?,
                self.block(op, names, edges, 1)?
            )),
            "switch" => {
                let switch = self.op::<SwitchOp>(op)?;
                let mut text = format!(
                    "switch {}, label %{} [",
                    self.typed(op, names, 0)?,
                    self.block(op, names, edges, 0)?
                );
                let ty = self.operand_type(op, 0)?;
                let values: Vec<IntegerAttr> = switch
                    .get_attr_llvm_switch_case_values(ctx)
                    .map(|values| values.0.clone())
                    .unwrap_or_default();
                for (index, value) in values.iter().enumerate() {
                    let value = self.constant(value)?;
                    let to = self.block(op, names, edges, index + 1)?;
                    push(&mut text, format_args!(" {ty} {value}, label %{to}"));
                }
                text += " ]";
                plain(text)
            }
            "return" => {
                let value = op.deref(ctx).get_num_operands() > 0;
                plain(if value {
                    format!("ret {}", self.typed(op, names, 0)?)
                } else {
                    "ret void".to_string()
                })
            }
            "unreachable" => plain("unreachable".to_string()),
            "alloca" => {
                let alloca = self.op::<AllocaOp>(op)?;
                let ty = alloca
                    .get_attr_llvm_alloca_element_type(ctx)
                    .map(|ty| TypedAttrInterface::get_type(&*ty, ctx));
                let Some(ty) = ty else {
                    return Err(self.unknown(op, "an alloca says its type"));
                };
                let count = self.operand(op, names, 0)?;
                let count = if count == "1" {
                    String::new()
                } else {
                    format!(", {}", self.typed(op, names, 0)?)
                };
                plain(format!("alloca {}{count}{}", self.ty(ty)?, self.align(op)))
            }
            "load" => plain(format!(
                "load {}{}, {}{}",
                self.volatile(op),
                self.result_type(op)?,
                self.typed(op, names, 0)?,
                self.align(op)
            )),
            "store" => plain(format!(
                "store {}{}, {}{}",
                self.volatile(op),
                self.typed(op, names, 0)?,
                self.typed(op, names, 1)?,
                self.align(op)
            )),
            "gep" => {
                let gep = self.op::<GetElementPtrOp>(op)?;
                let flags = gep.no_wrap_flags(ctx);
                let mut text = String::from("getelementptr");
                if flags.contains(GepNoWrapFlags::INBOUNDS) {
                    text += " inbounds";
                } else if flags.contains(GepNoWrapFlags::NUSW) {
                    text += " nusw";
                }
                if flags.contains(GepNoWrapFlags::NUW) {
                    text += " nuw";
                }
                push(
                    &mut text,
                    format_args!(
                        " {}, {}",
                        self.ty(gep.src_elem_type(ctx))?,
                        self.typed(op, names, 0)?
                    ),
                );
                for index in gep.indices(ctx) {
                    match index {
                        GepIndex::Constant(n) => push(&mut text, format_args!(", i32 {n}")),
                        GepIndex::Value(value) => {
                            let ty = self.ty(value.get_type(ctx))?;
                            let value = self.value(op, names, value)?;
                            push(&mut text, format_args!(", {ty} {value}"));
                        }
                    }
                }
                plain(text)
            }
            "atomic_load" => {
                let load = self.op::<AtomicLoadOp>(op)?;
                let ordering = self.ordering(op, load.get_attr_llvm_ld_ordering(ctx).as_deref())?;
                plain(format!(
                    "load atomic {}, {}{} {ordering}{}",
                    self.result_type(op)?,
                    self.typed(op, names, 0)?,
                    self.scope(op),
                    self.align(op)
                ))
            }
            "atomic_store" => {
                let store = self.op::<AtomicStoreOp>(op)?;
                let ordering =
                    self.ordering(op, store.get_attr_llvm_st_ordering(ctx).as_deref())?;
                plain(format!(
                    "store atomic {}, {}{} {ordering}{}",
                    self.typed(op, names, 0)?,
                    self.typed(op, names, 1)?,
                    self.scope(op),
                    self.align(op)
                ))
            }
            "atomicrmw" => {
                let rmw = self.op::<AtomicRmwOp>(op)?;
                let ordering = self.ordering(op, rmw.get_attr_llvm_rmw_ordering(ctx).as_deref())?;
                let Some(kind) = rmw.get_attr_llvm_rmw_kind(ctx).map(|kind| kind.clone()) else {
                    return Err(self.unknown(op, "an atomicrmw says what it does"));
                };
                let kind = match kind {
                    AtomicRmwKindAttr::Xchg => "xchg",
                    AtomicRmwKindAttr::Add => "add",
                    AtomicRmwKindAttr::Sub => "sub",
                    AtomicRmwKindAttr::And => "and",
                    AtomicRmwKindAttr::Nand => "nand",
                    AtomicRmwKindAttr::Or => "or",
                    AtomicRmwKindAttr::Xor => "xor",
                    AtomicRmwKindAttr::Max => "max",
                    AtomicRmwKindAttr::Min => "min",
                    AtomicRmwKindAttr::UMax => "umax",
                    AtomicRmwKindAttr::UMin => "umin",
                    AtomicRmwKindAttr::FAdd => "fadd",
                    AtomicRmwKindAttr::FSub => "fsub",
                    AtomicRmwKindAttr::FMax => "fmax",
                    AtomicRmwKindAttr::FMin => "fmin",
                };
                plain(format!(
                    "atomicrmw {kind} {}, {}{} {ordering}",
                    self.typed(op, names, 0)?,
                    self.typed(op, names, 1)?,
                    self.scope(op)
                ))
            }
            "cmpxchg" => {
                let cas = self.op::<AtomicCmpxchgOp>(op)?;
                let success =
                    self.ordering(op, cas.get_attr_llvm_cas_success_ordering(ctx).as_deref())?;
                let failure =
                    self.ordering(op, cas.get_attr_llvm_cas_failure_ordering(ctx).as_deref())?;
                plain(format!(
                    "cmpxchg {}, {}, {}{} {success} {failure}",
                    self.typed(op, names, 0)?,
                    self.typed(op, names, 1)?,
                    self.typed(op, names, 2)?,
                    self.scope(op)
                ))
            }
            "fence" => {
                let fence = self.op::<FenceOp>(op)?;
                let ordering =
                    self.ordering(op, fence.get_attr_llvm_fence_ordering(ctx).as_deref())?;
                plain(format!("fence{} {ordering}", self.scope(op)))
            }
            "extract_value" => {
                let extract = self.op::<ExtractValueOp>(op)?;
                plain(format!(
                    "extractvalue {}{}",
                    self.typed(op, names, 0)?,
                    indices(&extract.indices(ctx))
                ))
            }
            "insert_value" => {
                let insert = self.op::<InsertValueOp>(op)?;
                plain(format!(
                    "insertvalue {}, {}{}",
                    self.typed(op, names, 0)?,
                    self.typed(op, names, 1)?,
                    indices(&insert.indices(ctx))
                ))
            }
            "extractelement" => plain(format!(
                "extractelement {}, {}",
                self.typed(op, names, 0)?,
                self.typed(op, names, 1)?
            )),
            "insertelement" => plain(format!(
                "insertelement {}, {}, {}",
                self.typed(op, names, 0)?,
                self.typed(op, names, 1)?,
                self.typed(op, names, 2)?
            )),
            "call" => self.call(op, names),
            "call_intrinsic" => self.intrinsic(op, names),
            "inline_asm" => {
                let asm = self.op::<InlineAsmOp>(op)?;
                let text =
                    |attr: Option<std::cell::Ref<'_, pliron::builtin::attributes::StringAttr>>| {
                        attr.map_or(String::new(), |attr| names::escaped(attr.as_str()))
                    };
                let template = text(asm.get_attr_llvm_inline_asm_template(ctx));
                let constraints = text(asm.get_attr_llvm_inline_asm_constraints(ctx));
                let effects = asm
                    .get_attr_llvm_inline_asm_side_effects(ctx)
                    .is_some_and(|flag| flag.clone().into());
                let attrs = asm
                    .get_attr_llvm_inline_asm_attrs(ctx)
                    .map(|attrs| attrs.clone())
                    .unwrap_or_default();
                let suffix = self.call_attributes(&attrs)?;
                Ok(Line {
                    text: format!(
                        "call {} asm {}\"{template}\", \"{constraints}\"({}){suffix}",
                        self.result_type(op)?,
                        if effects { "sideeffect " } else { "" },
                        self.arguments(op, names, 0)?
                    ),
                    call: true,
                })
            }
            _ => Err(self.unknown(op, "the exporter does not know the operation")),
        }
    }

    fn op<T: Op>(&self, op: Ptr<Operation>) -> Result<T> {
        Operation::get_op::<T>(op, self.ctx)
            .ok_or_else(|| self.unknown(op, "the operation's name says another operation"))
    }

    fn arguments(&self, op: Ptr<Operation>, names: &Names, first: usize) -> Result<String> {
        let count = op.deref(self.ctx).get_num_operands();
        let attributes = dialect_llvm::attributes::param_attributes(self.ctx, op);
        let arguments = (first..count)
            .map(|index| {
                let ty = self.operand_type(op, index)?;
                let attributes = match attributes.get(index - first) {
                    Some(attributes) => self.attributes(attributes)?,
                    None => String::new(),
                };
                Ok(format!(
                    "{ty}{attributes} {}",
                    self.operand(op, names, index)?
                ))
            })
            .collect::<Result<Vec<_>>>()?;
        Ok(arguments.join(", "))
    }

    /// Attributes of a call, ` #0` for `convergent`.
    fn call_attributes(&mut self, attributes: &LlvmAttributesAttr) -> Result<String> {
        let mut rest = attributes.clone();
        let convergent = rest.has("convergent");
        rest.remove("convergent");
        let mut text = self.attributes(&rest)?;
        if convergent {
            self.convergent = true;
            text += " #0";
        }
        Ok(text)
    }

    fn call(&mut self, op: Ptr<Operation>, names: &Names) -> Result<Line> {
        let ctx = self.ctx;
        let call = self.op::<CallOp>(op)?;
        let ty = TypedHandle::<FuncType>::from_handle(call.callee_type(ctx), ctx)
            .map_err(|_| self.unknown(op, "a call says the type of its callee"))?;
        let (result, variadic) = {
            let ty = ty.deref(ctx);
            (ty.result_type(), ty.is_var_arg())
        };
        let signature = if variadic {
            self.ty(ty.to_handle())?
        } else {
            self.ty(result)?
        };
        let attrs = call
            .get_attr_llvm_call_attrs(ctx)
            .map(|attrs| attrs.clone())
            .unwrap_or_default();
        let suffix = self.call_attributes(&attrs)?;
        let flags = call
            .get_attr_llvm_call_fastmath_flags(ctx)
            .map_or(String::new(), |flags| fast_math(*flags));
        let (callee, first) = match call.callee(ctx) {
            CallOpCallable::Direct(name) => (self.symbol(name.as_ref()), 0),
            CallOpCallable::Indirect(value) => (self.value(op, names, value)?, 1),
        };
        Ok(Line {
            text: format!(
                "call{flags} {signature} {callee}({}){suffix}",
                self.arguments(op, names, first)?
            ),
            call: true,
        })
    }

    fn intrinsic(&mut self, op: Ptr<Operation>, names: &Names) -> Result<Line> {
        let ctx = self.ctx;
        let call = self.op::<CallIntrinsicOp>(op)?;
        let name = call
            .get_attr_llvm_intrinsic_name(ctx)
            .map(|name| names::intrinsic(name.as_str()));
        let ty: Option<TypeHandle> = call
            .get_attr_llvm_intrinsic_type(ctx)
            .map(|ty| TypedAttrInterface::get_type(&*ty, ctx));
        let ty = ty.and_then(|ty| TypedHandle::<FuncType>::from_handle(ty, ctx).ok());
        let (Some(name), Some(ty)) = (name, ty) else {
            return Err(self.unknown(op, "an intrinsic has a name and a type"));
        };
        let (result, arguments) = {
            let ty = ty.deref(ctx);
            (ty.result_type(), ty.arg_types())
        };
        let result = self.ty(result)?;
        let arguments = arguments
            .into_iter()
            .map(|ty| self.ty(ty))
            .collect::<Result<Vec<_>>>()?
            .join(", ");
        self.declare(
            format!("@{name}"),
            format!("declare {result} @{name}({arguments})"),
        )?;
        let attrs = call
            .get_attr_llvm_intrinsic_attrs(ctx)
            .map(|attrs| attrs.clone())
            .unwrap_or_default();
        let suffix = self.call_attributes(&attrs)?;
        let flags = call
            .get_attr_llvm_intrinsic_fastmath_flags(ctx)
            .map_or(String::new(), |flags| fast_math(*flags));
        Ok(Line {
            text: format!(
                "call{flags} {result} @{name}({}){suffix}",
                self.arguments(op, names, 0)?
            ),
            call: true,
        })
    }

    fn nvvm(&mut self, text: &mut String, op: Ptr<Operation>, names: &mut Names) -> Result<()> {
        let ctx = self.ctx;
        let Some(resolved) = Resolved::of(ctx, op) else {
            return Err(self.unknown(op, "it is in the table of dialect-nvvm"));
        };
        let count = op.deref(ctx).get_num_operands();
        let operands = (0..count)
            .map(|index| self.operand(op, names, index))
            .collect::<Result<Vec<_>>>()?;
        let result = op.deref(ctx).results().next();
        let expansion = dialect_nvvm::expand::expand(&resolved, &operands, &mut || names.fresh());
        for declaration in expansion.declarations {
            let name = declaration
                .split('@')
                .nth(1)
                .and_then(|rest| rest.split(['(', ' ']).next())
                .unwrap_or_default();
            self.declare(format!("@{name}"), declaration.clone())?;
        }
        if let Some(helper) = expansion.helper {
            self.helpers.insert(resolved.extern_name(), helper);
        }
        let suffix = self.dbg(op, true);
        let mut lines = expansion.lines;
        // The value has its name already: a phi before may have used it.
        if let (Some(result), Some(last)) = (result, &expansion.result) {
            let name = self.value(op, names, result)?;
            for line in &mut lines {
                if let Some(rest) = line.strip_prefix(&format!("{last} = ")) {
                    *line = format!("{name} = {rest}");
                }
            }
        }
        for line in lines {
            self.convergent |= line.ends_with(" #0");
            push(text, format_args!("  {line}{suffix}\n"));
        }
        Ok(())
    }

    fn asm_multi(
        &mut self,
        text: &mut String,
        op: Ptr<Operation>,
        names: &mut Names,
    ) -> Result<()> {
        let ctx = self.ctx;
        let Some(asm) = self.op::<InlineAsmMultiOp>(op)?.asm(ctx) else {
            return Err(self.unknown(op, "inline assembly has a template and constraints"));
        };
        let results: Vec<Value> = op.deref(ctx).results().collect();
        let types = results
            .iter()
            .map(|value| self.ty(value.get_type(ctx)))
            .collect::<Result<Vec<_>>>()?;
        let ty = match types.as_slice() {
            [] => "void".to_string(),
            [one] => one.clone(),
            many => format!("{{ {} }}", many.join(", ")),
        };
        let mut suffix = String::new();
        if asm.convergent {
            self.convergent = true;
            suffix += " #0";
        }
        suffix += &self.dbg(op, true);
        let call = format!(
            "call {ty} asm {}\"{}\", \"{}\"({}){suffix}",
            if asm.side_effects { "sideeffect " } else { "" },
            names::escaped(&asm.template),
            names::escaped(&asm.constraints),
            self.arguments(op, names, 0)?
        );
        match results.as_slice() {
            [] => push(text, format_args!("  {call}\n")),
            [one] => {
                let name = self.value(op, names, *one)?;
                push(text, format_args!("  {name} = {call}\n"));
            }
            many => {
                let whole = names.fresh();
                push(text, format_args!("  {whole} = {call}\n"));
                let suffix = self.dbg(op, false);
                for (index, value) in many.iter().enumerate() {
                    let name = self.value(op, names, *value)?;
                    push(
                        text,
                        format_args!("  {name} = extractvalue {ty} {whole}, {index}{suffix}\n"),
                    );
                }
            }
        }
        Ok(())
    }

    fn fast_math(&self, op: Ptr<Operation>) -> String {
        self.attribute::<FastmathFlagsAttr>(op, &ATTR_KEY_FAST_MATH_FLAGS)
            .map_or(String::new(), fast_math)
    }

    fn align(&self, op: Ptr<Operation>) -> String {
        use dialect_llvm::llvm::attributes::AlignmentAttr;
        self.attribute::<AlignmentAttr>(op, &ATTR_KEY_LLVM_ALIGNMENT)
            .map_or(String::new(), |align| format!(", align {}", align.0))
    }

    fn volatile(&self, op: Ptr<Operation>) -> &'static str {
        let volatile = self
            .attribute::<BoolAttr>(op, &ATTR_KEY_LLVM_VOLATILE)
            .is_some_and(bool::from);
        if volatile { "volatile " } else { "" }
    }

    fn scope(&self, op: Ptr<Operation>) -> String {
        match self.attribute::<SyncScopeAttr>(op, &ATTR_KEY_SYNC_SCOPE) {
            None | Some(SyncScopeAttr::System) => String::new(),
            Some(scope) => format!(" syncscope(\"{}\")", names::escaped(&scope.to_name())),
        }
    }

    fn ordering(
        &self,
        op: Ptr<Operation>,
        ordering: Option<&AtomicOrderingAttr>,
    ) -> Result<&'static str> {
        Ok(match ordering {
            Some(AtomicOrderingAttr::Monotonic) => "monotonic",
            Some(AtomicOrderingAttr::Acquire) => "acquire",
            Some(AtomicOrderingAttr::Release) => "release",
            Some(AtomicOrderingAttr::AcqRel) => "acq_rel",
            Some(AtomicOrderingAttr::SeqCst) => "seq_cst",
            None => return Err(self.unknown(op, "an atomic access has an ordering")),
        })
    }
}

fn indices(indices: &[u32]) -> String {
    indices.iter().map(|index| format!(", {index}")).collect()
}

fn fast_math(flags: FastmathFlagsAttr) -> String {
    let names = [
        (FastmathFlags::REASSOC, " reassoc"),
        (FastmathFlags::NNAN, " nnan"),
        (FastmathFlags::NINF, " ninf"),
        (FastmathFlags::NSZ, " nsz"),
        (FastmathFlags::ARCP, " arcp"),
        (FastmathFlags::CONTRACT, " contract"),
        (FastmathFlags::AFN, " afn"),
    ];
    names
        .iter()
        .filter(|(flag, _)| flags.0.contains(*flag))
        .map(|(_, name)| *name)
        .collect()
}
