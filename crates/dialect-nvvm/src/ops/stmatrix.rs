//! Matrices from registers to shared memory.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Stmatrix:
    StmatrixM8n8X2Op "nvvm.stmatrix_m8n8_x2" (Ptr, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %s, i32 {1}, i32 {2})
ret void" => "stmatrix.sync.aligned.m8n8.x2.shared.b16";
    StmatrixM8n8X2TransOp "nvvm.stmatrix_m8n8_x2_trans" (Ptr, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %s, i32 {1}, i32 {2})
ret void" => "stmatrix.sync.aligned.m8n8.x2.trans.shared.b16";
    StmatrixM8n8X4Op "nvvm.stmatrix_m8n8_x4" (Ptr, I32, I32, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s, i32 {1}, i32 {2}, i32 {3}, i32 {4})
ret void" => "stmatrix.sync.aligned.m8n8.x4.shared.b16";
    StmatrixM8n8X4TransOp "nvvm.stmatrix_m8n8_x4_trans" (Ptr, I32, I32, I32, I32) [document, Sm(90), Memory, convergent] "%s = addrspacecast ptr {0} to ptr addrspace(3)
call void @llvm.nvvm.stmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %s, i32 {1}, i32 {2}, i32 {3}, i32 {4})
ret void" => "stmatrix.sync.aligned.m8n8.x4.trans.shared.b16";
    CvtRnBf16x2F32Op "nvvm.cvt_rn_bf16x2_f32" (F32, F32) -> I32 [document, Sm(80), Pure, plain] "%v = call <2 x bfloat> @llvm.nvvm.ff2bf16x2.rn(float {0}, float {1})
%r = bitcast <2 x bfloat> %v to i32
ret i32 %r" => "cvt.rn.bf16x2.f32";
}
