fn main() {
    for spec in dialect_nvvm::table::specs() {
        if spec.body.is_empty() { continue; }
        println!("===\t{}\t{}\t{}\t{}\t{}", spec.extern_name(), spec.minimum_sm.target(), spec.ptx, spec.convergent, spec.intrinsics().join(","));
        print!("{}", dialect_nvvm::llvm_definition(&spec.extern_name()).unwrap());
    }
    for atomic in dialect_nvvm::atomic::Atomic::all() {
        let name = format!("__nvvm_{}", atomic.op());
        println!("===\t{name}\tsm_80\tatomic\tfalse\t");
        print!("{}", dialect_nvvm::llvm_definition(&name).unwrap());
    }
}
