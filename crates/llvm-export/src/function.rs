//! Functions: value names, phis, blocks.

use crate::{Exporter, Result, push};
use dialect_llvm::{
    attributes,
    llvm::{
        llvm_attrs::LlvmAttributesAttr,
        ops::{AddressOfOp, ConstantOp, FuncOp, PoisonOp, UndefOp, ZeroOp},
        types::{PointerType, VoidType},
    },
};
use pliron::{
    attribute::Attribute,
    basic_block::BasicBlock,
    builtin::op_interfaces::{AtMostOneRegionInterface, BranchOpInterface, SymbolOpInterface},
    context::Ptr,
    linked_list::ContainsLinkedList,
    op::{Op, op_cast},
    operation::Operation,
    r#type::Typed,
    value::Value,
};
use std::collections::HashMap;

/// The names of one function.
#[derive(Default)]
pub(crate) struct Names {
    values: HashMap<Value, String>,
    pub blocks: HashMap<Ptr<BasicBlock>, String>,
    next: usize,
}

impl Names {
    /// `%vN`, a new one each time.
    pub fn fresh(&mut self) -> String {
        self.next += 1;
        format!("%v{}", self.next - 1)
    }

    /// What a value is called: a name, or a constant.
    pub fn set(&mut self, value: Value, name: String) {
        self.values.insert(value, name);
    }

    pub fn get(&self, value: Value) -> Option<&str> {
        self.values.get(&value).map(String::as_str)
    }
}

/// One way into a block: the label that the phi names, and the values.
struct Edge {
    label: String,
    values: Vec<Value>,
}

/// Where the branches of the function lead, and the blocks that stand between two blocks.
#[derive(Default)]
pub(crate) struct Edges {
    into: HashMap<Ptr<BasicBlock>, Vec<Edge>>,
    /// Label of the block between, for the successor of that number.
    pub split: HashMap<(Ptr<BasicBlock>, usize), String>,
}

impl Exporter<'_> {
    pub(crate) fn function(&mut self, text: &mut String, func: FuncOp) -> Result<()> {
        let ctx = self.ctx;
        let op = func.get_operation();
        let Some(region) = func.get_region(ctx) else {
            return self.declare_function(func);
        };
        let blocks: Vec<_> = region.deref(ctx).iter(ctx).collect();
        let Some(entry) = blocks.first().copied() else {
            return Err(self.unknown(op, "a function that is defined has a block"));
        };
        let mut names = Names::default();
        for (index, block) in blocks.iter().enumerate() {
            let label = if index == 0 {
                "entry".to_string()
            } else {
                format!("bb{index}")
            };
            names.blocks.insert(*block, label);
        }

        let symbol = func.get_symbol_name(ctx).to_string();
        let kernel = attributes::is_kernel(ctx, op);
        let result = func.get_type(ctx).deref(ctx).result_type();
        let result = self.ty(result)?;
        let attributes = attributes::param_attributes(ctx, op);
        let none = LlvmAttributesAttr::new();
        let mut parameters = Vec::new();
        for (index, argument) in entry.deref(ctx).arguments().enumerate() {
            let ty = self.ty(argument.get_type(ctx))?;
            let attributes = self.attributes(attributes.get(index).unwrap_or(&none))?;
            let name = names.fresh();
            parameters.push(format!("{ty}{attributes} {name}"));
            names.set(argument, name);
        }
        let attrs = func
            .get_attr_llvm_func_attrs(ctx)
            .map(|attrs| attrs.clone())
            .unwrap_or_default();
        let attrs = self.attributes(&attrs)?;
        let debug = match &mut self.debug {
            Some(debug) => {
                let source = attributes::source_name(ctx, op).unwrap_or_else(|| symbol.clone());
                let location = op.deref(ctx).loc().clone();
                let id = debug.function(ctx, &mut self.metadata, &source, &symbol, &location);
                format!(" !dbg !{id}")
            }
            None => String::new(),
        };
        let linkage = self.linkage(op, func.get_attr_llvm_function_linkage(ctx).as_deref())?;
        if !text.is_empty() {
            text.push('\n');
        }
        push(
            text,
            format_args!(
                "define {linkage}{}{result} {}({}){attrs}{debug} {{\n",
                if kernel { "ptx_kernel " } else { "" },
                self.symbol(&symbol),
                parameters.join(", "),
            ),
        );

        let edges = self.edges(&blocks, &names);
        self.name_values(&blocks, &mut names)?;
        for (index, block) in blocks.iter().enumerate() {
            if index > 0 {
                text.push('\n');
            }
            push(text, format_args!("{}:\n", names.blocks[block]));
            if index > 0 {
                self.phis(text, *block, &names, &edges)?;
            }
            let ops: Vec<_> = block.deref(ctx).iter(ctx).collect();
            for op in &ops {
                self.instruction(text, *op, &mut names, &edges)?;
            }
            let Some(terminator) = ops.last() else {
                return Err(self.unknown(op, "a block has a terminator"));
            };
            let successors: Vec<_> = terminator.deref(ctx).successors().collect();
            for (successor, to) in successors.iter().enumerate() {
                if let Some(label) = edges.split.get(&(*block, successor)) {
                    push(
                        text,
                        format_args!("\n{label}:\n  br label %{}\n", names.blocks[to]),
                    );
                }
            }
        }
        text.push_str("}\n");
        Ok(())
    }

    /// Names every value before anything is printed, because a phi names values of blocks that come later.
    fn name_values(&mut self, blocks: &[Ptr<BasicBlock>], names: &mut Names) -> Result<()> {
        let ctx = self.ctx;
        for (index, block) in blocks.iter().enumerate() {
            if index > 0 {
                for argument in block.deref(ctx).arguments() {
                    let name = names.fresh();
                    names.set(argument, name);
                }
            }
            let ops: Vec<_> = block.deref(ctx).iter(ctx).collect();
            for op in ops {
                if let Some(literal) = self.literal(op)? {
                    let value = op.deref(ctx).get_result(0);
                    names.set(value, literal);
                    continue;
                }
                let results: Vec<_> = op.deref(ctx).results().collect();
                for result in results {
                    if result.get_type(ctx).deref(ctx).is::<VoidType>() {
                        continue;
                    }
                    let name = names.fresh();
                    names.set(result, name);
                }
            }
        }
        Ok(())
    }

    /// The text of an operation that is a constant in LLVM IR.
    fn literal(&self, op: Ptr<Operation>) -> Result<Option<String>> {
        let ctx = self.ctx;
        if let Some(constant) = Operation::get_op::<ConstantOp>(op, ctx) {
            let value = constant.get_value(ctx);
            let value: &dyn Attribute = &*value;
            return self.constant(value).map(Some);
        }
        if Operation::is_op::<ZeroOp>(op, ctx) {
            let ty = op.deref(ctx).get_type(0);
            let ty = ty.deref(ctx);
            let literal = if ty.downcast_ref::<PointerType>().is_some() {
                "null"
            } else if ty.is::<pliron::builtin::types::IntegerType>() {
                "0"
            } else {
                "zeroinitializer"
            };
            return Ok(Some(literal.to_string()));
        }
        if Operation::is_op::<UndefOp>(op, ctx) {
            return Ok(Some("undef".to_string()));
        }
        if Operation::is_op::<PoisonOp>(op, ctx) {
            return Ok(Some("poison".to_string()));
        }
        if let Some(address) = Operation::get_op::<AddressOfOp>(op, ctx) {
            return Ok(Some(self.symbol(address.get_global_name(ctx).as_ref())));
        }
        Ok(None)
    }

    /// Finds the ways into each block. Two from one branch that carry different values need a block between.
    fn edges(&self, blocks: &[Ptr<BasicBlock>], names: &Names) -> Edges {
        let ctx = self.ctx;
        let mut edges = Edges::default();
        for block in blocks {
            let Some(terminator) = block.deref(ctx).get_terminator(ctx) else {
                continue;
            };
            let successors: Vec<_> = terminator.deref(ctx).successors().collect();
            let object = Operation::get_op_dyn(terminator, ctx);
            let branch = op_cast::<dyn BranchOpInterface>(object.op_ref());
            let mut seen: Vec<(Ptr<BasicBlock>, Vec<Value>)> = Vec::new();
            for (index, to) in successors.iter().enumerate() {
                let values = branch.map_or(vec![], |branch| branch.successor_operands(ctx, index));
                let differs = seen
                    .iter()
                    .any(|(other, others)| other == to && *others != values);
                let label = if differs {
                    let label = format!("{}.to{index}", names.blocks[block]);
                    edges.split.insert((*block, index), label.clone());
                    label
                } else {
                    names.blocks[block].clone()
                };
                seen.push((*to, values.clone()));
                edges
                    .into
                    .entry(*to)
                    .or_default()
                    .push(Edge { label, values });
            }
        }
        edges
    }

    fn phis(
        &self,
        text: &mut String,
        block: Ptr<BasicBlock>,
        names: &Names,
        edges: &Edges,
    ) -> Result<()> {
        let ctx = self.ctx;
        let arguments: Vec<_> = block.deref(ctx).arguments().collect();
        for (index, argument) in arguments.into_iter().enumerate() {
            let ty = self.ty(argument.get_type(ctx))?;
            let ways = edges.into.get(&block).map_or(&[][..], Vec::as_slice);
            let name = names.get(argument).unwrap_or("?");
            if ways.is_empty() {
                // Nothing leads here; a phi without entries is not legal.
                push(text, format_args!("  {name} = freeze {ty} poison\n"));
                continue;
            }
            let mut incoming = Vec::new();
            for way in ways {
                let value = way.values.get(index).and_then(|value| names.get(*value));
                let Some(value) = value else {
                    let terminator = block.deref(ctx).get_terminator(ctx);
                    let op = terminator.unwrap_or_else(|| argument_owner(self, block));
                    return Err(
                        self.unknown(op, "a branch gives a value to each argument of its block")
                    );
                };
                incoming.push(format!("[ {value}, %{} ]", way.label));
            }
            push(
                text,
                format_args!("  {name} = phi {ty} {}\n", incoming.join(", ")),
            );
        }
        Ok(())
    }
}

/// The operation that holds the block, to have something to point to.
fn argument_owner(exporter: &Exporter<'_>, block: Ptr<BasicBlock>) -> Ptr<Operation> {
    block
        .deref(exporter.ctx)
        .get_parent_op(exporter.ctx)
        .expect("a block that is exported is in a function")
}
