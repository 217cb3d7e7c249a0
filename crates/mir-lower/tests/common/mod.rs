//! Modules of dialect-mir for tests, and what becomes of them.

#![allow(dead_code)]

use dialect_mir::{
    attributes::Param,
    ops::FuncOp,
    types::{self, int_type},
};
use pliron::{
    basic_block::BasicBlock,
    builtin::{op_interfaces::SingleBlockRegionInterface, ops::ModuleOp, types::FunctionType},
    combine::stream::position::SourcePosition,
    context::{Context, Ptr},
    identifier::Identifier,
    location::{Location, Source},
    op::Op,
    operation::{Operation, verify_operation},
    printable::Printable,
    r#type::TypeHandle,
    value::Value,
};

pub fn ident(name: &str) -> Identifier {
    Identifier::try_new(name.to_string()).unwrap()
}

/// A module that is being built: operations go to the end of `block`.
pub struct Build {
    pub ctx: Context,
    pub module: ModuleOp,
    pub block: Option<Ptr<BasicBlock>>,
    pub func: Option<FuncOp>,
    pub location: Location,
}

impl Build {
    pub fn new() -> Self {
        let mut ctx = Context::new();
        let module = ModuleOp::new(&mut ctx, ident("test"));
        Build {
            ctx,
            module,
            block: None,
            func: None,
            location: Location::Unknown,
        }
    }

    pub fn int(&self, bits: u32) -> TypeHandle {
        int_type(&self.ctx, bits).into()
    }

    pub fn f32(&self) -> TypeHandle {
        pliron::builtin::types::FP32Type::get(&self.ctx).into()
    }

    pub fn f64(&self) -> TypeHandle {
        pliron::builtin::types::FP64Type::get(&self.ctx).into()
    }

    pub fn f16(&self) -> TypeHandle {
        pliron::builtin::types::FP16Type::get(&self.ctx).into()
    }

    pub fn ptr(&self, pointee: TypeHandle, space: u32) -> TypeHandle {
        types::PtrType::get(&self.ctx, pointee, true, space).into()
    }

    pub fn slice(&self, elem: TypeHandle) -> TypeHandle {
        types::SliceType::get(&self.ctx, elem, false, 0).into()
    }

    /// Adds an operation to the module.
    pub fn top(&mut self, op: Ptr<Operation>) {
        let body = self.module.get_body(&self.ctx, 0);
        op.insert_at_back(body, &self.ctx);
    }

    /// Begins a function; gives its arguments.
    pub fn func(
        &mut self,
        name: &str,
        args: Vec<(TypeHandle, Param)>,
        result: Option<TypeHandle>,
    ) -> Vec<Value> {
        let (types, params) = args.into_iter().unzip();
        let ty = FunctionType::get(&self.ctx, types, result.into_iter().collect());
        let func = FuncOp::new(&mut self.ctx, ident(name), ty, params);
        func.get_operation()
            .deref_mut(&self.ctx)
            .set_loc(self.location.clone());
        self.top(func.get_operation());
        let entry = func.create_entry(&mut self.ctx);
        self.func = Some(func);
        self.block = Some(entry);
        entry.deref(&self.ctx).arguments().collect()
    }

    pub fn kernel(&mut self, name: &str, args: Vec<(TypeHandle, Param)>) -> Vec<Value> {
        let values = self.func(name, args, None);
        self.func.unwrap().set_kernel(&self.ctx);
        values
    }

    pub fn new_block(&mut self, args: Vec<TypeHandle>) -> Ptr<BasicBlock> {
        let region = self
            .func
            .unwrap()
            .get_operation()
            .deref(&self.ctx)
            .get_region(0);
        let block = BasicBlock::new(&mut self.ctx, None, args);
        block.insert_at_back(region, &self.ctx);
        block
    }

    /// Adds an operation to the block; gives its first result.
    pub fn add(&mut self, op: Ptr<Operation>) -> Option<Value> {
        op.deref_mut(&self.ctx).set_loc(self.location.clone());
        op.insert_at_back(self.block.unwrap(), &self.ctx);
        op.deref(&self.ctx).results().next()
    }

    pub fn val(&mut self, op: Ptr<Operation>) -> Value {
        self.add(op).unwrap()
    }

    pub fn ret(&mut self) {
        let op = dialect_mir::ops::ReturnOp::new(&mut self.ctx, None);
        self.add(op.get_operation());
    }

    pub fn ret_value(&mut self, value: Value) {
        let op = dialect_mir::ops::ReturnOp::new(&mut self.ctx, Some(value));
        self.add(op.get_operation());
    }

    pub fn const_int(&mut self, bits: u32, value: u128) -> Value {
        let ty = int_type(&self.ctx, bits);
        let op = dialect_mir::ops::ConstantOp::new(&mut self.ctx, ty, value);
        self.val(op.get_operation())
    }

    pub fn at(&mut self, line: i32, column: i32) {
        self.location = Location::SrcPos {
            src: Source::new_from_file(&self.ctx, "/src/kernel.rs"),
            pos: SourcePosition { line, column },
        };
    }

    /// Verifies, lowers, verifies again, exports.
    pub fn export_with(
        &mut self,
        options: &mir_lower::LowerOptions,
        export: &llvm_export::ExportOptions,
    ) -> String {
        if let Err(err) = verify_operation(self.module.get_operation(), &self.ctx) {
            panic!("{}", err.disp(&self.ctx));
        }
        let lowered = mir_lower::lower_with(&mut self.ctx, self.module, options)
            .unwrap_or_else(|err| panic!("{err}"));
        if let Err(err) = verify_operation(lowered.get_operation(), &self.ctx) {
            panic!("{}", err.disp(&self.ctx));
        }
        llvm_export::export(&self.ctx, lowered, export).unwrap_or_else(|err| panic!("{err}"))
    }

    pub fn export(&mut self) -> String {
        let export = llvm_export::ExportOptions {
            locations: false,
            ..Default::default()
        };
        self.export_with(&Default::default(), &export)
    }
}

/// The PTX of a module that LLVM must accept.
pub fn ptx(ll: &str) -> String {
    let llvm = llvm_backend::Llvm::load().unwrap_or_else(|err| panic!("{err}"));
    let options = llvm_backend::Options::default();
    match llvm.compile(&[("test.ll", ll)], &options) {
        Ok(emitted) => emitted.ptx,
        Err(err) => panic!("{err}\n{ll}"),
    }
}

/// The instructions of the only function, for expectations: no header, no declarations.
pub fn body(ll: &str) -> String {
    let start = ll.find("define ").expect("a definition");
    let end = start + ll[start..].find("\n}\n").expect("an end") + 3;
    ll[start..end].to_string()
}
