//! Matrix products of a warp: fragments from shared memory, and `D = A B + D`.
//!
//! `ldmatrix_*`: destination of 1, 2 or 4 registers (`u32`) of the thread, and its row's address in shared memory. `mma_*`: the accumulator of four `f32`, `A` of four and
//! `B` of two registers that hold two 16-bit elements each, all by address.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Matrix:
    LdmatrixM8n8X1Op "nvvm.ldmatrix_m8n8_x1" (Ptr, Ptr) [ours, Sm(75), Memory, convergent] "%s = addrspacecast ptr {1} to ptr addrspace(3)
%r = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.b16.p3(ptr addrspace(3) %s)
store i32 %r, ptr {0}, align 4
ret void" => "ldmatrix.sync.aligned.m8n8.x1.shared.b16";
    LdmatrixM8n8X2Op "nvvm.ldmatrix_m8n8_x2" (Ptr, Ptr) [ours, Sm(75), Memory, convergent] "%s = addrspacecast ptr {1} to ptr addrspace(3)
%r = call {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.b16.p3(ptr addrspace(3) %s)
store {i32, i32} %r, ptr {0}, align 4
ret void" => "ldmatrix.sync.aligned.m8n8.x2.shared.b16";
    LdmatrixM8n8X4Op "nvvm.ldmatrix_m8n8_x4" (Ptr, Ptr) [ours, Sm(75), Memory, convergent] "%s = addrspacecast ptr {1} to ptr addrspace(3)
%r = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.b16.p3(ptr addrspace(3) %s)
store {i32, i32, i32, i32} %r, ptr {0}, align 4
ret void" => "ldmatrix.sync.aligned.m8n8.x4.shared.b16";
    LdmatrixM8n8X1TransOp "nvvm.ldmatrix_m8n8_x1_trans" (Ptr, Ptr) [ours, Sm(75), Memory, convergent] "%s = addrspacecast ptr {1} to ptr addrspace(3)
%r = call i32 @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x1.trans.b16.p3(ptr addrspace(3) %s)
store i32 %r, ptr {0}, align 4
ret void" => "ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16";
    LdmatrixM8n8X2TransOp "nvvm.ldmatrix_m8n8_x2_trans" (Ptr, Ptr) [ours, Sm(75), Memory, convergent] "%s = addrspacecast ptr {1} to ptr addrspace(3)
%r = call {i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x2.trans.b16.p3(ptr addrspace(3) %s)
store {i32, i32} %r, ptr {0}, align 4
ret void" => "ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16";
    LdmatrixM8n8X4TransOp "nvvm.ldmatrix_m8n8_x4_trans" (Ptr, Ptr) [ours, Sm(75), Memory, convergent] "%s = addrspacecast ptr {1} to ptr addrspace(3)
%r = call {i32, i32, i32, i32} @llvm.nvvm.ldmatrix.sync.aligned.m8n8.x4.trans.b16.p3(ptr addrspace(3) %s)
store {i32, i32, i32, i32} %r, ptr {0}, align 4
ret void" => "ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16";
    MmaM16n8k16F32F16Op "nvvm.mma_m16n8k16_f32_f16" (Ptr, Ptr, Ptr) [ours, Sm(80), Memory, plain] "%x = load {<2 x half>, <2 x half>, <2 x half>, <2 x half>}, ptr {1}, align 4
%x0 = extractvalue {<2 x half>, <2 x half>, <2 x half>, <2 x half>} %x, 0
%x1 = extractvalue {<2 x half>, <2 x half>, <2 x half>, <2 x half>} %x, 1
%x2 = extractvalue {<2 x half>, <2 x half>, <2 x half>, <2 x half>} %x, 2
%x3 = extractvalue {<2 x half>, <2 x half>, <2 x half>, <2 x half>} %x, 3
%y = load {<2 x half>, <2 x half>}, ptr {2}, align 4
%y0 = extractvalue {<2 x half>, <2 x half>} %y, 0
%y1 = extractvalue {<2 x half>, <2 x half>} %y, 1
%z = load {float, float, float, float}, ptr {0}, align 4
%z0 = extractvalue {float, float, float, float} %z, 0
%z1 = extractvalue {float, float, float, float} %z, 1
%z2 = extractvalue {float, float, float, float} %z, 2
%z3 = extractvalue {float, float, float, float} %z, 3
%r = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.f32.f32(<2 x half> %x0, <2 x half> %x1, <2 x half> %x2, <2 x half> %x3, <2 x half> %y0, <2 x half> %y1, float %z0, float %z1, float %z2, float %z3)
store {float, float, float, float} %r, ptr {0}, align 4
ret void" => "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32";
    MmaM16n8k16F32Bf16Op "nvvm.mma_m16n8k16_f32_bf16" (Ptr, Ptr, Ptr) [ours, Sm(80), Memory, plain] "%x = load {i32, i32, i32, i32}, ptr {1}, align 4
%x0 = extractvalue {i32, i32, i32, i32} %x, 0
%x1 = extractvalue {i32, i32, i32, i32} %x, 1
%x2 = extractvalue {i32, i32, i32, i32} %x, 2
%x3 = extractvalue {i32, i32, i32, i32} %x, 3
%y = load {i32, i32}, ptr {2}, align 4
%y0 = extractvalue {i32, i32} %y, 0
%y1 = extractvalue {i32, i32} %y, 1
%z = load {float, float, float, float}, ptr {0}, align 4
%z0 = extractvalue {float, float, float, float} %z, 0
%z1 = extractvalue {float, float, float, float} %z, 1
%z2 = extractvalue {float, float, float, float} %z, 2
%z3 = extractvalue {float, float, float, float} %z, 3
%r = call {float, float, float, float} @llvm.nvvm.mma.m16n8k16.row.col.bf16(i32 %x0, i32 %x1, i32 %x2, i32 %x3, i32 %y0, i32 %y1, float %z0, float %z1, float %z2, float %z3)
store {float, float, float, float} %r, ptr {0}, align 4
ret void" => "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32";
}
