//! Branches, panics, calls; and the table of who lowers what.

use crate::{LowerError, Result, function::Lowering, module::identifier, op_error, types};
use dialect_llvm::{
    llvm::{
        attributes::GepNoWrapFlags,
        llvm_attrs::{LlvmAttrValue, LlvmAttributesAttr},
        ops::*,
        types::{FuncType, VoidType},
    },
    ops::{Asm, InlineAsmMultiOp},
};
use dialect_mir::{
    attributes::{self as mir, PanicSiteAttr, PtxAsmAttr},
    ops as m,
};
use pliron::{
    basic_block::BasicBlock,
    builtin::{
        op_interfaces::{BranchOpInterface, CallOpCallable},
        type_interfaces::FunctionTypeInterface,
    },
    context::Ptr,
    op::{Op, op_cast},
    operation::Operation,
    r#type::{TypeHandle, Typed},
    value::Value,
};

type Target = (Ptr<BasicBlock>, Vec<Value>);

impl Lowering<'_, '_> {
    /// Lowers one operation.
    pub fn operation(&mut self, op: Ptr<Operation>) -> Result<()> {
        let id = Operation::get_opid(op, self.ctx()).to_string();
        let Some(name) = id.strip_prefix("mir.") else {
            return Err(op_error(
                self.ctx(),
                op,
                "a function of dialect-mir holds operations of dialect-mir",
            ));
        };
        match name {
            "goto" => self.goto(op),
            "cond_br" => self.mir_cond_br(op),
            "switch" => self.switch(op),
            "return" => self.mir_return(op),
            "unreachable" => self.unreachable(),
            "assert" => self.assert(op),
            "panic" => self.panic(op),
            "call" => self.call(op),
            "call_indirect" => self.call_indirect(op),
            "ptx_asm" => self.ptx_asm(op),

            "constant" => self.constant(op),
            "float_constant" => self.float_constant(op),
            "undef" => self.undefined(op),
            "add" | "sub" | "mul" | "div" | "rem" | "shl" | "shr" | "bitand" | "bitor"
            | "bitxor" => self.arithmetic(op, name),
            "checked_add" | "checked_sub" | "checked_mul" => {
                self.checked(op, name.trim_start_matches("checked_"))
            }
            "neg" => self.neg(op),
            "not" => self.not(op),
            "eq" | "ne" | "lt" | "le" | "gt" | "ge" => self.compare(op, name),
            "cast" => self.mir_cast(op),
            "intrinsic" => self.mir_intrinsic(op),
            "select" => self.mir_select(op),
            "assume" => self.assume(op),

            "alloca" => self.mir_alloca(op),
            "load" => self.mir_load(op),
            "store" => self.mir_store(op),
            "assign" => self.assign(op),
            "memcpy" | "memmove" => self.copy(op, name, None),
            "memset" => self.memset(op),
            "memcmp" => self.memcmp(op),
            "ref" => self.same_address(op),
            "ptr_offset" => self.ptr_offset(op),
            "array_element_addr" => {
                self.indexed(op, GepNoWrapFlags::INBOUNDS | GepNoWrapFlags::NUW)
            }
            "field_addr" => self.field_addr(op),
            "global_alloc" | "shared_alloc" | "func_addr" => self.symbol_address(op),
            "extern_shared" => self.extern_shared(op),
            // LLVM finds lifetimes itself where it matters; a marker that is wrong would be a miscompile.
            "storage_live" | "storage_dead" => Ok(()),
            "atomic_load" | "atomic_store" | "atomic_rmw" => {
                self.atomic(op, name.trim_start_matches("atomic_"))
            }
            "atomic_cmpxchg" => self.atomic_cmpxchg(op),
            "atomic_fence" => self.atomic_fence(op),

            "extract_field" => self.extract_field(op),
            "insert_field" => self.insert_field(op),
            "construct_struct" | "construct_tuple" | "construct_array" | "construct_slice" => {
                self.mir_construct(op)
            }
            "extract_array_element" => self.extract_array_element(op),
            "construct_enum" => self.construct_enum(op),
            "enum_payload" => self.enum_payload(op),
            "get_discriminant" => self.get_discriminant(op),
            "set_discriminant" => self.set_discriminant(op),
            _ => Err(op_error(
                self.ctx(),
                op,
                "the lowering does not know the operation",
            )),
        }
    }

    /// Block and arguments of successor `index`.
    fn target(&self, op: Ptr<Operation>, index: usize) -> Result<Target> {
        let ctx = self.ctx();
        let object = Operation::get_op_dyn(op, ctx);
        let branch = op_cast::<dyn BranchOpInterface>(object.op_ref());
        let to = op.deref(ctx).successors().nth(index);
        let to = to.and_then(|to| self.blocks.get(&to));
        let (Some(branch), Some(to)) = (branch, to) else {
            return Err(op_error(ctx, op, format!("successor {index} is missing")));
        };
        let arguments = branch
            .successor_operands(ctx, index)
            .into_iter()
            .map(|value| self.value(op, value))
            .collect::<Result<Vec<_>>>()?;
        Ok((*to, arguments))
    }

    fn goto(&mut self, op: Ptr<Operation>) -> Result<()> {
        let (to, arguments) = self.target(op, 0)?;
        self.branch(to, arguments);
        Ok(())
    }

    fn mir_cond_br(&mut self, op: Ptr<Operation>) -> Result<()> {
        let condition = self.operand(op, 0)?;
        let (yes, no) = (self.target(op, 0)?, self.target(op, 1)?);
        self.cond_branch(condition, yes, no);
        Ok(())
    }

    fn switch(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operand(op, 0)?;
        let cases = Operation::get_op::<m::SwitchOp>(op, self.ctx())
            .map(|switch| switch.cases(self.ctx()))
            .unwrap_or_default();
        let (default, arguments) = self.target(op, 0)?;
        let mut targets = Vec::new();
        for (index, value) in cases.into_iter().enumerate() {
            let (dest, dest_opds) = self.target(op, index + 1)?;
            targets.push(SwitchCase {
                value,
                dest,
                dest_opds,
            });
        }
        let switch = SwitchOp::new(self.ctx_mut(), value, default, arguments, targets);
        self.emit(switch.get_operation());
        Ok(())
    }

    fn mir_return(&mut self, op: Ptr<Operation>) -> Result<()> {
        let value = self.operands(op)?.first().copied();
        let ret = ReturnOp::new(self.ctx_mut(), value);
        self.emit(ret.get_operation());
        Ok(())
    }

    fn unreachable(&mut self) -> Result<()> {
        let op = UnreachableOp::new(self.ctx_mut());
        self.emit(op.get_operation());
        Ok(())
    }

    fn assert(&mut self, op: Ptr<Operation>) -> Result<()> {
        let condition = self.operand(op, 0)?;
        let Some(assert) = Operation::get_op::<m::AssertOp>(op, self.ctx()) else {
            return Err(op_error(self.ctx(), op, "it is an assert"));
        };
        let expected = assert.expected(self.ctx());
        let Some(site) = assert.site(self.ctx()) else {
            return Err(op_error(self.ctx(), op, "an assert has a message"));
        };
        let arguments = assert
            .message_args(self.ctx())
            .into_iter()
            .map(|value| self.value(op, value))
            .collect::<Result<Vec<_>>>()?;
        let go_on = self.target(op, 0)?;
        let fail = self.new_block(vec![]);
        if expected {
            self.cond_branch(condition, go_on, (fail, vec![]));
        } else {
            self.cond_branch(condition, (fail, vec![]), go_on);
        }
        self.block = fail;
        self.panic_call(op, &site, arguments)
    }

    fn panic(&mut self, op: Ptr<Operation>) -> Result<()> {
        let site = Operation::get_op::<m::PanicOp>(op, self.ctx())
            .and_then(|panic| panic.site(self.ctx()));
        let Some(site) = site else {
            return Err(op_error(self.ctx(), op, "a panic has a message"));
        };
        let arguments = self.operands(op)?;
        self.panic_call(op, &site, arguments)
    }

    /// Calls the runtime, which does not return.
    fn panic_call(
        &mut self,
        op: Ptr<Operation>,
        site: &PanicSiteAttr,
        arguments: Vec<Value>,
    ) -> Result<()> {
        let generic = types::ptr(self.ctx(), 0);
        let word: TypeHandle = types::int(self.ctx(), 64).into();
        let int: TypeHandle = types::int(self.ctx(), 32).into();
        let void: TypeHandle = VoidType::get(self.ctx()).into();
        let count = arguments.len();
        // Most panics have at most two integers (an index and a length): those go by value, because an array for them would give
        // each kernel with a bounds check a stack frame.
        let by_value = (1..=2).contains(&count)
            && arguments
                .iter()
                .all(|argument| argument.get_type(self.ctx()) == word);
        let mut parameters = vec![generic, word, generic, word, int, int];
        let name = match by_value {
            true => {
                parameters.extend([word, word, word]);
                "__oxide_panic2"
            }
            false => {
                parameters.extend([generic, word]);
                "__oxide_panic"
            }
        };
        let ty = FuncType::get(self.ctx(), void, parameters, false);
        if !self.module.runtime(name, ty, true)? {
            let rule = format!("`{name}` has the runtime's type");
            return Err(op_error(self.ctx(), op, rule));
        }
        let mut operands = Vec::new();
        for text in [&site.template, &site.file] {
            let symbol = self.module.text(text);
            let address = self.address(symbol, 1);
            operands.push(self.generic(address));
            operands.push(self.int(64, text.len() as u128));
        }
        operands.push(self.int(32, u128::from(site.line)));
        operands.push(self.int(32, u128::from(site.column)));
        if by_value {
            operands.extend(&arguments);
            if count == 1 {
                operands.push(self.int(64, 0));
            }
        } else if arguments.is_empty() {
            let null = ZeroOp::new(self.ctx_mut(), generic);
            operands.push(self.emit_value(null.get_operation()));
        } else {
            let room = match self.panic_arguments {
                Some(room) => room,
                None => {
                    let bytes = types::bytes(self.ctx(), 48);
                    let room = self.alloca(bytes, 8);
                    self.panic_arguments = Some(room);
                    room
                }
            };
            for (index, argument) in arguments.into_iter().enumerate() {
                let address = self.offset(room, index as u64 * 8);
                self.store(argument, address, 8, false);
            }
            operands.push(room);
        }
        operands.push(self.int(64, count as u128));
        let callee = CallOpCallable::Direct(identifier(name)?);
        let call = CallOp::new(self.ctx_mut(), callee, ty, operands);
        self.emit(call.get_operation());
        self.unreachable()
    }

    fn call(&mut self, op: Ptr<Operation>) -> Result<()> {
        let Some(call) = Operation::get_op::<m::CallOp>(op, self.ctx()) else {
            return Err(op_error(self.ctx(), op, "it is a call"));
        };
        let symbol = call.symbol(self.ctx());
        let inline_ptx = dialect_nvvm::asm::is(&symbol);
        if symbol.starts_with("__nvvm_") && !inline_ptx {
            return self.nvvm(op, &symbol);
        }
        let mut arguments = self.arguments(op, 0)?;
        if inline_ptx {
            for argument in &mut arguments {
                let ty = argument.get_type(self.ctx());
                if ty
                    .deref(self.ctx())
                    .is::<dialect_llvm::llvm::types::PointerType>()
                {
                    *argument = self.generic(*argument);
                }
            }
        }
        let ty = match self.module.functions.get(&symbol) {
            Some(callee) => callee.ty,
            None if inline_ptx || symbol.starts_with("__oxide_") => {
                let ty = self.call_type(op, &arguments)?;
                self.module.runtime(&symbol, ty, false)?;
                ty
            }
            None => {
                return Err(op_error(
                    self.ctx(),
                    op,
                    format!("`{symbol}` is a function of the module"),
                ));
            }
        };
        let found = self.call_type(op, &arguments)?;
        let (same, result) = {
            let (expected, found) = (ty.deref(self.ctx()), found.deref(self.ctx()));
            // A call whose result is not used may say that there is none.
            let unused = op.deref(self.ctx()).get_num_results() == 0;
            (
                expected.arg_types() == found.arg_types()
                    && (unused || expected.result_type() == found.result_type()),
                !unused,
            )
        };
        if !same {
            return Err(op_error(
                self.ctx(),
                op,
                format!("the call has the type of `{symbol}`"),
            ));
        }
        let callee = CallOpCallable::Direct(identifier(&symbol)?);
        let call = CallOp::new(self.ctx_mut(), callee, ty, arguments);
        let value = self.emit(call.get_operation());
        if let (Some(value), true) = (value, result) {
            self.define(op, value);
        }
        Ok(())
    }

    /// The arguments of a call from operand `first` on, pairs as two.
    fn arguments(&mut self, op: Ptr<Operation>, first: usize) -> Result<Vec<Value>> {
        let count = op.deref(self.ctx()).get_num_operands();
        let mut arguments = Vec::new();
        for index in first..count {
            let value = self.operand(op, index)?;
            let ty = self.mir_type(op, index)?;
            if types::is_pair(self.ctx(), ty) {
                arguments.push(self.extract(value, 0));
                arguments.push(self.extract(value, 1));
            } else {
                arguments.push(value);
            }
        }
        Ok(arguments)
    }

    fn call_type(
        &self,
        op: Ptr<Operation>,
        arguments: &[Value],
    ) -> Result<pliron::r#type::TypedHandle<FuncType>> {
        let ctx = self.ctx();
        let parameters = arguments.iter().map(|value| value.get_type(ctx)).collect();
        let result = if op.deref(ctx).get_num_results() == 0 {
            VoidType::get(ctx).into()
        } else {
            self.result_type(op)?
        };
        Ok(FuncType::get(ctx, result, parameters, false))
    }

    fn call_indirect(&mut self, op: Ptr<Operation>) -> Result<()> {
        let callee = self.operand(op, 0)?;
        let arguments = self.arguments(op, 1)?;
        let ty = self.call_type(op, &arguments)?;
        let call = CallOp::new(
            self.ctx_mut(),
            CallOpCallable::Indirect(callee),
            ty,
            arguments,
        );
        let mut attrs = LlvmAttributesAttr::new();
        attrs.set("convergent", LlvmAttrValue::Unit);
        call.set_attr_llvm_call_attrs(self.ctx(), attrs);
        let result = op.deref(self.ctx()).get_num_results() > 0;
        let value = self.emit(call.get_operation());
        if let (Some(value), true) = (value, result) {
            self.define(op, value);
        }
        Ok(())
    }

    /// A device function of `dialect-nvvm` becomes its operation.
    fn nvvm(&mut self, op: Ptr<Operation>, symbol: &str) -> Result<()> {
        let Some(resolved) = dialect_nvvm::lookup(symbol) else {
            return Err(op_error(
                self.ctx(),
                op,
                format!("`{symbol}` is in the table of dialect-nvvm"),
            ));
        };
        if let Some((number, specific)) = self.module.options.target
            && !resolved.minimum_sm().allows(number, specific)
        {
            let location = self.location.clone();
            return Err(LowerError::Target {
                op: resolved.spec().name.to_string(),
                kernel: self.name.clone(),
                location: dialect_llvm::location_text(self.ctx(), &location),
                position: Box::new(location),
                needs: resolved.minimum_sm(),
                target: format!("sm_{number}{}", if specific { "a" } else { "" }),
            });
        }
        let mut operands = self.operands(op)?;
        let expected = resolved.operands();
        if operands.len() != expected.len() {
            return Err(op_error(
                self.ctx(),
                op,
                format!("`{symbol}` takes {} arguments", expected.len()),
            ));
        }
        for (operand, expected) in operands.iter_mut().zip(expected) {
            if *expected == dialect_nvvm::Ty::Ptr {
                *operand = self.generic(*operand);
            }
            let ty = expected.get(self.ctx());
            if operand.get_type(self.ctx()) != ty {
                return Err(op_error(
                    self.ctx(),
                    op,
                    format!("`{symbol}` takes {}", resolved.spec().prototype()),
                ));
            }
        }
        let results = op.deref(self.ctx()).get_num_results();
        let new = resolved.build(self.ctx_mut(), operands);
        let value = self.emit(new);
        match value {
            Some(value) if results > 0 => {
                let to = self.result_type(op)?;
                let value = if value.get_type(self.ctx()) == to {
                    value
                } else if resolved.result() == Some(dialect_nvvm::Ty::Ptr) {
                    self.cast::<AddrSpaceCastOp>(value, to)
                } else {
                    return Err(op_error(
                        self.ctx(),
                        op,
                        format!("`{symbol}` gives {}", resolved.spec().prototype()),
                    ));
                };
                self.define(op, value);
            }
            None if results > 0 => {
                return Err(op_error(
                    self.ctx(),
                    op,
                    format!("`{symbol}` gives no result"),
                ));
            }
            _ => {}
        }
        Ok(())
    }

    fn ptx_asm(&mut self, op: Ptr<Operation>) -> Result<()> {
        let Some(asm) = mir::get::<PtxAsmAttr>(self.ctx(), op, &mir::PTX_ASM) else {
            return Err(op_error(self.ctx(), op, "inline PTX has a template"));
        };
        let inputs = self.operands(op)?;
        let results: Vec<_> = op.deref(self.ctx()).results().collect();
        let outputs = results
            .iter()
            .map(|value| types::lower(self.ctx(), value.get_type(self.ctx())))
            .collect::<Result<Vec<_>>>()?;
        let asm = Asm {
            template: asm.template,
            constraints: asm.constraints,
            side_effects: asm.side_effects,
            convergent: asm.convergent,
        };
        let new = InlineAsmMultiOp::new(self.ctx_mut(), asm, inputs, outputs).get_operation();
        self.emit(new);
        let values: Vec<_> = new.deref(self.ctx()).results().collect();
        self.values.extend(results.into_iter().zip(values));
        Ok(())
    }
}
