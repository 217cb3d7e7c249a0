//! The inventory, round trips (print → parse → verify), verifiers, and `mem2reg`.

use pliron::{
    basic_block::BasicBlock,
    builtin::{
        op_interfaces::SingleBlockRegionInterface,
        ops::ModuleOp,
        types::{FP16Type, FP32Type, FP64Type, FunctionType},
    },
    context::{Context, Ptr},
    identifier::Identifier,
    irfmt::parsers::spaced,
    linked_list::ContainsLinkedList,
    location::erase_locations,
    op::Op,
    operation::{Operation, verify_operation},
    opts::mem2reg::mem2reg,
    parsable::parse_from_str,
    pass::AnalysisManager,
    printable::Printable,
    r#type::TypeHandle,
    value::Value,
};

use dialect_mir::{attributes::*, ops::*, table::*, types::*};

/// A module with one function whose entry block is being filled.
struct Build {
    ctx: Context,
    module: ModuleOp,
    func: FuncOp,
    block: Ptr<BasicBlock>,
}

impl Build {
    fn new(
        args: impl FnOnce(&Context) -> Vec<TypeHandle>,
        result: impl FnOnce(&Context) -> Vec<TypeHandle>,
    ) -> Self {
        let mut ctx = Context::new();
        let module = ModuleOp::new(&mut ctx, id("m"));
        let (args, result) = (args(&ctx), result(&ctx));
        let params = vec![Param::default(); args.len()];
        let ty = FunctionType::get(&ctx, args, result);
        let func = FuncOp::new(&mut ctx, id("f"), ty, params);
        module.append_operation(&mut ctx, func.get_operation(), 0);
        let block = func.create_entry(&mut ctx);
        Build {
            ctx,
            module,
            func,
            block,
        }
    }

    fn push(&mut self, op: &dyn Op) {
        op.get_operation().insert_at_back(self.block, &self.ctx);
    }

    fn arg(&self, i: usize) -> Value {
        self.func
            .entry(&self.ctx)
            .unwrap()
            .deref(&self.ctx)
            .get_argument(i)
    }

    fn new_block(&mut self) -> Ptr<BasicBlock> {
        let region = self.func.get_operation().deref(&self.ctx).get_region(0);
        let b = BasicBlock::new(&mut self.ctx, None, vec![]);
        b.insert_at_back(region, &self.ctx);
        b
    }

    fn text(&self) -> String {
        self.module.get_operation().disp(&self.ctx).to_string()
    }

    /// Verifies, prints, parses, verifies, prints the same.
    fn round_trip(&self) -> String {
        if let Err(e) = verify_operation(self.module.get_operation(), &self.ctx) {
            panic!("{}\n{}", e.disp(&self.ctx), self.text());
        }
        let text = self.text();
        let mut ctx = Context::new();
        let op = match parse_from_str(spaced(Operation::top_level_parser()), &mut ctx, &text) {
            Ok(op) => op,
            Err(e) => panic!("{}\n{text}", e.disp(&ctx)),
        };
        verify_operation(op, &ctx).unwrap_or_else(|e| panic!("{}\n{text}", e.disp(&ctx)));
        erase_locations(&ctx, op);
        let (again, first) = (strip(&op.disp(&ctx).to_string()), strip(&text));
        for (a, b) in again.lines().zip(first.lines()) {
            assert_eq!(a, b);
        }
        assert_eq!(again.lines().count(), first.lines().count());
        text
    }

    /// What the verifier says, once every block has an end.
    fn error(&mut self) -> String {
        let region = self.func.get_operation().deref(&self.ctx).get_region(0);
        let blocks: Vec<_> = region.deref(&self.ctx).iter(&self.ctx).collect();
        for block in blocks {
            if block.deref(&self.ctx).get_terminator(&self.ctx).is_none() {
                let end = UnreachableOp::new(&mut self.ctx);
                end.get_operation().insert_at_back(block, &self.ctx);
            }
        }
        match verify_operation(self.module.get_operation(), &self.ctx) {
            Ok(()) => panic!("verified:\n{}", self.text()),
            Err(e) => e.disp(&self.ctx).to_string(),
        }
    }
}

/// Without the outlined locations, and with values and blocks numbered from 1 in order of appearance.
fn strip(text: &str) -> String {
    let body = text.split("outlined_attributes").next().unwrap_or("");
    let mut names: Vec<String> = vec![];
    let mut out = String::new();
    let mut word = String::new();
    for ch in body.chars().chain(['\n']) {
        if ch.is_alphanumeric() || ch == '_' {
            word.push(ch);
            continue;
        }
        // `v3` becomes `v3_v3` when it is read, because the name that was printed is then a given one.
        let value = word
            .strip_prefix('v')
            .is_some_and(|w| w.starts_with(|c: char| c.is_ascii_digit()));
        let renamed = value || word.contains("block");
        if renamed {
            let n = names.iter().position(|n| *n == word).unwrap_or_else(|| {
                names.push(word.clone());
                names.len() - 1
            });
            out.push_str(&format!("n{n}"));
        } else if !(word.starts_with('!') || word.is_empty()) {
            out.push_str(&word);
        }
        word.clear();
        out.push(ch);
    }
    // Outlined references (`!3`) are numbered anew by each printing.
    out.lines()
        .map(|l| {
            l.split(" !")
                .next()
                .unwrap_or("")
                .trim_end()
                .trim_end_matches([':', ';'])
        })
        .filter(|l| !l.is_empty())
        .collect::<Vec<_>>()
        .join("\n")
}

fn id(s: &str) -> Identifier {
    Identifier::try_new(s.to_string()).unwrap()
}

fn int(ctx: &Context, w: u32) -> TypeHandle {
    int_type(ctx, w).into()
}

fn ptr(ctx: &Context, to: TypeHandle, space: u32) -> TypeHandle {
    PtrType::get(ctx, to, true, space).into()
}

fn option_u32(ctx: &Context) -> TypeHandle {
    let none = Variant {
        name: "None".into(),
        discr: 0,
        fields: vec![],
        offsets: vec![],
    };
    let some = Variant {
        name: "Some".into(),
        discr: 1,
        fields: vec![int(ctx, 32)],
        offsets: vec![4],
    };
    let tag = TagEncoding::Direct {
        offset: 0,
        bits: 32,
    };
    EnumType::get(
        ctx,
        "Option<u32>".into(),
        vec![none, some],
        Layout::new(8, 4, vec![]),
        tag,
        64,
        true,
    )
    .into()
}

fn point(ctx: &Context) -> TypeHandle {
    let f = FP32Type::get(ctx).into();
    StructType::get(
        ctx,
        "Point".into(),
        vec![f, f],
        Layout::new(8, 4, vec![4, 0]),
    )
    .into()
}

#[test]
fn the_document_has_54_operations_in_11_groups() {
    let document: Vec<_> = OPERATIONS
        .iter()
        .filter(|o| o.2 == Origin::Document)
        .collect();
    assert_eq!(document.len(), 54);
    assert_eq!(DOCUMENT_GROUPS.len(), 11);
    for (group, count) in DOCUMENT_GROUPS {
        assert_eq!(
            document.iter().filter(|o| o.1 == *group).count(),
            *count,
            "{group:?}"
        );
    }
    let mut names: Vec<_> = OPERATIONS.iter().map(|o| o.0).collect();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), OPERATIONS.len(), "no name twice");
    assert_eq!(TYPES.len(), 7);
}

/// Every operation of the table is built once, in one module that is printed, parsed and verified.
#[test]
fn every_operation_round_trips() {
    let mut b = Build::new(
        |ctx| {
            let f32_ty: TypeHandle = FP32Type::get(ctx).into();
            vec![
                int(ctx, 32),
                int(ctx, 1),
                f32_ty,
                ptr(ctx, int(ctx, 32), 0),
                SliceType::get(ctx, f32_ty, false, 0).into(),
                DisjointSliceType::get(ctx, f32_ty).into(),
                int(ctx, 64),
                ptr(ctx, StructType::opaque(ctx, "Point").into(), 0),
                int(ctx, 8),
            ]
        },
        |ctx| vec![int(ctx, 32)],
    );
    let (i, c, f, p, s, d, n, pp, byte) = (
        b.arg(0),
        b.arg(1),
        b.arg(2),
        b.arg(3),
        b.arg(4),
        b.arg(5),
        b.arg(6),
        b.arg(7),
        b.arg(8),
    );
    macro_rules! op {
        ($op:ident ( $($arg:expr),* )) => {{
            let op = $op::new(&mut b.ctx, $($arg),*);
            b.push(&op);
            op
        }};
    }
    macro_rules! val {
        ($op:ident ( $($arg:expr),* )) => { op!($op($($arg),*)).result(&b.ctx) };
    }
    let i32_ty = int(&b.ctx, 32);
    let (f16_ty, f64_ty): (TypeHandle, TypeHandle) =
        (FP16Type::get(&b.ctx).into(), FP64Type::get(&b.ctx).into());
    let (t32, t128) = (int_type(&b.ctx, 32), int_type(&b.ctx, 128));
    let (i8_ty, i64_ty, f32_ty): (TypeHandle, TypeHandle, TypeHandle) = (
        int(&b.ctx, 8),
        int(&b.ctx, 64),
        FP32Type::get(&b.ctx).into(),
    );
    let one = val!(ConstantOp(t32, 1));
    val!(ConstantOp(t128, u128::MAX));
    val!(FloatConstantOp(f16_ty, 0x7e01));
    val!(FloatConstantOp(f64_ty, f64::NAN.to_bits()));
    val!(UndefOp(i32_ty));
    let local = val!(AllocaOp(i32_ty, 4, Some("x")));
    op!(StorageLiveOp(local));
    op!(StoreOp(one, local, 4)).set_volatile(&b.ctx);
    op!(LoadOp(local, i32_ty, 4)).set_volatile(&b.ctx);
    let pt = point(&b.ctx);
    let place = val!(AllocaOp(pt, 4, None));
    op!(AssignOp(place, pp, pt, 4));
    val!(FieldAddrOp(place, f32_ty, 1, 0, None));
    let place_ty = pp_type(&b.ctx, place);
    val!(RefOp(place, place_ty));
    let next = val!(PtrOffsetOp(p, n, 4, true));
    let shared_ty = ptr(&b.ctx, FP32Type::get(&b.ctx).into(), 3);
    let shared = val!(SharedAllocOp("TILE", shared_ty));
    val!(ExternSharedOp(shared_ty, 16));
    let generic_ty = ptr(&b.ctx, FP32Type::get(&b.ctx).into(), 0);
    val!(CastOp(shared, generic_ty, CastKindAttr::AddrSpace));
    let global_ty = ptr(&b.ctx, int(&b.ctx, 8), 4);
    val!(GlobalAllocOp("TABLE", global_ty));
    let code_ty = ptr(&b.ctx, unit_type(&b.ctx).into(), 0);
    let code = val!(FuncAddrOp("g", code_ty));
    for signed in [false, true] {
        val!(AddOp(i, one, signed));
        val!(SubOp(i, one, signed));
        val!(MulOp(i, one, signed));
        val!(DivOp(i, one, signed));
        val!(RemOp(i, one, signed));
        val!(ShrOp(i, one, signed));
        val!(ShlOp(i, one, signed));
        val!(CheckedSubOp(i, one, signed));
        val!(CheckedMulOp(i, one, signed));
    }
    op!(AddOp(i, one, true)).set_nowrap(&b.ctx);
    val!(AddOp(f, f, false));
    let checked = val!(CheckedAddOp(i, one, true));
    let sum = val!(ExtractFieldOp(checked, 0));
    val!(InsertFieldOp(checked, one, 0));
    val!(NegOp(f));
    val!(NotOp(c));
    val!(BitAndOp(i, sum, false));
    val!(BitOrOp(i, sum, false));
    val!(BitXorOp(i, sum, false));
    val!(EqOp(p, next, false));
    val!(NeOp(f, f, false));
    val!(LtOp(i, sum, true));
    val!(LeOp(i, sum, false));
    val!(GtOp(f, f, false));
    val!(GeOp(i, sum, true));
    let fs = val!(ExtractFieldOp(s, 0));
    val!(ArrayElementAddrOp(fs, n, f32_ty, 4));
    val!(ExtractFieldOp(d, 0));
    let slice_ty = SliceType::get(&b.ctx, FP32Type::get(&b.ctx).into(), false, 0).into();
    val!(ConstructSliceOp(slice_ty, vec![fs, n]));
    val!(ConstructStructOp(pt, vec![f, f]));
    let pair = TupleType::get(&b.ctx, vec![i32_ty, i32_ty], Layout::new(8, 4, vec![0, 4])).into();
    val!(ConstructTupleOp(pair, vec![i, one]));
    let arr_ty = ArrayType::get(&b.ctx, i32_ty, 2, 4, 4).into();
    let arr = val!(ConstructArrayOp(arr_ty, vec![i, one]));
    val!(ExtractArrayElementOp(arr, n));
    let opt = option_u32(&b.ctx);
    let opt_place = val!(AllocaOp(opt, 4, None));
    op!(SetDiscriminantOp(opt_place, opt, 1));
    val!(GetDiscriminantOp(opt_place, opt));
    let some = val!(ConstructEnumOp(opt, 1, vec![i]));
    val!(EnumPayloadOp(some, 1, 0));
    val!(CastOp(i, i64_ty, CastKindAttr::SExt));
    val!(CastOp(f, i8_ty, CastKindAttr::FloatToUInt));
    val!(IntrinsicOp(IntrinsicAttr::Ctpop, vec![i], false));
    val!(IntrinsicOp(IntrinsicAttr::Fma, vec![f, f, f], false));
    val!(IntrinsicOp(IntrinsicAttr::ThreeWay, vec![i, one], true));
    val!(SelectOp(c, i, one));
    op!(AssumeOp(c));
    op!(MemcpyOp(p, next, n, 4));
    op!(MemmoveOp(p, next, n, 4));
    op!(MemsetOp(p, byte, n, 4));
    val!(MemcmpOp(p, next, n));
    val!(AtomicLoadOp(p, i32_ty, Ordering::Acquire));
    op!(AtomicStoreOp(i, p, Ordering::Release));
    val!(AtomicRmwOp(p, i, RmwKind::Add, Ordering::Relaxed));
    val!(AtomicCmpxchgOp(
        p,
        i,
        one,
        Ordering::SeqCst,
        Ordering::Relaxed
    ));
    op!(AtomicFenceOp(Ordering::SeqCst));
    op!(CallOp("__nvvm_barrier0", vec![], None));
    op!(CallIndirectOp(code, vec![i], Some(i32_ty)));
    let asm = PtxAsmAttr {
        template: "add.u32 $0, $1, $2;".into(),
        constraints: "=r,r,r".into(),
        side_effects: false,
        convergent: false,
    };
    op!(PtxAsmOp(asm, vec![i, one], vec![i32_ty]));
    op!(StorageDeadOp(local));
    let site = PanicSiteAttr {
        template: "index {0} \"x\"".into(),
        file: "a.rs".into(),
        line: 3,
        column: 9,
    };
    let blocks: Vec<_> = (0..5).map(|_| b.new_block()).collect();
    op!(AssertOp(c, false, site.clone(), vec![n], blocks[0]));
    b.block = blocks[0];
    op!(CondBrOp(c, (blocks[1], vec![]), (blocks[2], vec![])));
    b.block = blocks[1];
    let case = int_attr(&b.ctx, int_type(&b.ctx, 32), 0xffff_ffff);
    op!(SwitchOp(i, blocks[3], vec![(case, blocks[4])]));
    b.block = blocks[2];
    op!(PanicOp(site, vec![]));
    b.block = blocks[3];
    op!(UnreachableOp());
    b.block = blocks[4];
    let last = b.new_block();
    op!(GotoOp(last, vec![]));
    b.block = last;
    op!(ReturnOp(Some(i)));

    let data = GlobalAttr {
        size: 8,
        align: 8,
        addrspace: 4,
        mutable: false,
        hex: GlobalAttr::to_hex(&[0; 8]),
        relocations: vec![Relocation {
            offset: 0,
            symbol: "f".into(),
            addend: 0,
        }],
    };
    let global = GlobalOp::new(&mut b.ctx, id("TABLE"), data);
    b.module
        .append_operation(&mut b.ctx, global.get_operation(), 0);
    b.func.set_kernel(&b.ctx);
    let text = b.round_trip();
    for (name, ..) in OPERATIONS {
        assert!(
            text.contains(&format!("{name} ")),
            "{name} is not in the module"
        );
    }
    for name in TYPES {
        assert!(text.contains(name), "{name} is not in the module");
    }
}

fn pp_type(ctx: &Context, v: Value) -> TypeHandle {
    pliron::r#type::Typed::get_type(&v, ctx)
}

#[test]
fn verifiers_say_what_is_wrong() {
    let two = |ctx: &Context| vec![int(ctx, 32), FP32Type::get(ctx).into()];
    let none = |_: &Context| vec![];

    let mut b = Build::new(two, none);
    let (i, f) = (b.arg(0), b.arg(1));
    let op = AddOp::new(&mut b.ctx, i, f, false);
    b.push(&op);
    let e = b.error();
    assert!(e.contains("operands must have the same type"), "{e}");

    let mut b = Build::new(two, none);
    let f = b.arg(1);
    let dest = b.new_block();
    let op = CondBrOp::new(&mut b.ctx, f, (dest, vec![]), (dest, vec![]));
    b.push(&op);
    let e = b.error();
    assert!(e.contains("operand 0 must be i1"), "{e}");

    let mut b = Build::new(two, none);
    let f = b.arg(1);
    let ty = int(&b.ctx, 32);
    let place = AllocaOp::new(&mut b.ctx, ty, 4, None);
    b.push(&place);
    let place = place.result(&b.ctx);
    let op = StoreOp::new(&mut b.ctx, f, place, 4);
    b.push(&op);
    let e = b.error();
    assert!(e.contains("does not match the pointer's pointee"), "{e}");

    let mut b = Build::new(two, none);
    let i = b.arg(0);
    let op = CheckedAddOp::new(&mut b.ctx, i, i, false);
    b.push(&op);
    let sum = op.result(&b.ctx);
    let op = ExtractFieldOp::new(&mut b.ctx, sum, 1);
    b.push(&op);
    set(&b.ctx, op.get_operation(), &INDEX, U64Attr(2));
    let e = b.error();
    assert!(e.contains("field 2 is out of bounds"), "{e}");

    let mut b = Build::new(two, none);
    let i = b.arg(0);
    let ty = int(&b.ctx, 64);
    let op = CastOp::new(&mut b.ctx, i, ty, CastKindAttr::Trunc);
    b.push(&op);
    let e = b.error();
    assert!(e.contains("Trunc cannot take these types"), "{e}");
}

#[test]
fn scalars_become_block_arguments_and_volatile_ones_stay() {
    let mut b = Build::new(
        |ctx| vec![int(ctx, 1), int(ctx, 32)],
        |ctx| vec![int(ctx, 32)],
    );
    let (c, i) = (b.arg(0), b.arg(1));
    let i32_ty = int(&b.ctx, 32);
    let mut locals = vec![];
    for _ in 0..2 {
        let op = AllocaOp::new(&mut b.ctx, i32_ty, 4, None);
        b.push(&op);
        locals.push(op.result(&b.ctx));
    }
    let i32_int = int_type(&b.ctx, 32);
    let zero = ConstantOp::new(&mut b.ctx, i32_int, 0);
    b.push(&zero);
    let zero = zero.result(&b.ctx);
    let st = StoreOp::new(&mut b.ctx, zero, locals[0], 4);
    b.push(&st);
    let st = StoreOp::new(&mut b.ctx, zero, locals[1], 4);
    st.set_volatile(&b.ctx);
    b.push(&st);
    let (yes, join) = (b.new_block(), b.new_block());
    let br = CondBrOp::new(&mut b.ctx, c, (yes, vec![]), (join, vec![]));
    b.push(&br);
    b.block = yes;
    let st = StoreOp::new(&mut b.ctx, i, locals[0], 4);
    b.push(&st);
    let go = GotoOp::new(&mut b.ctx, join, vec![]);
    b.push(&go);
    b.block = join;
    let ld = LoadOp::new(&mut b.ctx, locals[0], i32_ty, 4);
    b.push(&ld);
    let v = ld.result(&b.ctx);
    let ret = ReturnOp::new(&mut b.ctx, Some(v));
    b.push(&ret);

    mem2reg(
        b.module.get_operation(),
        &mut b.ctx,
        &mut AnalysisManager::default(),
    )
    .unwrap();
    let text = b.round_trip();
    assert_eq!(text.matches("mir.alloca").count(), 1, "{text}");
    assert_eq!(text.matches("mir.load").count(), 0, "{text}");
    assert_eq!(text.matches("mir.store").count(), 1, "{text}");
    assert_eq!(join.deref(&b.ctx).get_num_arguments(), 1, "{text}");
}
