//! Texts of the stages in the artifact, for `cuda_host::reflect`: only when `CUDA_OXIDE_STAGES=1` asks for them, for they make
//! programs larger and builds slower.

use artifact::{Artifact, Stage};
use oxide_compiler::Compiler;

const KEPT: &[oxide_compiler::Stage] = &[
    oxide_compiler::Stage::Mir,
    oxide_compiler::Stage::DialectMir,
    oxide_compiler::Stage::DialectMirSsa,
    oxide_compiler::Stage::DialectLlvm,
    oxide_compiler::Stage::Llvm,
];

/// Whether the build is to keep them.
pub fn wanted() -> bool {
    std::env::var_os("CUDA_OXIDE_STAGES").is_some_and(|v| v == "1")
}

/// Puts the texts of every kernel into its artifact. A kernel that came from rustc's LLVM IR has fewer stages; the others it simply
/// has not.
pub fn keep(compiler: &Compiler, artifact: &mut Artifact) {
    if !wanted() {
        return;
    }
    for kernel in &artifact.kernels {
        for stage in KEPT {
            if let Ok(staged) = compiler.stage(Some(&kernel.key), *stage) {
                artifact.stages.push(Stage {
                    kernel: Some(kernel.key.clone()),
                    stage: stage.name().to_string(),
                    text: staged.text,
                });
            }
        }
    }
}
