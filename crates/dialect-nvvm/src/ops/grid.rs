//! The barrier of a cooperative launch.
//!
//! The driver gives a cooperative launch a workspace, whose address is in `%envreg1` (high half) and `%envreg2` (low half); the
//! word at offset 4 is the barrier. Each block adds 1, the first one `0x8000_0000 - (blocks - 1)`, so that the top bit turns when all
//! have come. Without a workspace (an ordinary launch) the operation traps.

use crate::{ops::nvvm_ops, table::MinimumSm::Sm};

nvvm_ops! { Grid:
    GridSyncOp "nvvm.grid_sync" () [document, Sm(70), Memory, convergent] "%hi = call i32 @llvm.nvvm.read.ptx.sreg.envreg1()
%lo = call i32 @llvm.nvvm.read.ptx.sreg.envreg2()
%hi64 = zext i32 %hi to i64
%lo64 = zext i32 %lo to i64
%high = shl i64 %hi64, 32
%workspace = or i64 %high, %lo64
%address = add i64 %workspace, 4
%word = inttoptr i64 %address to ptr addrspace(1)
call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
%tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
%ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
%tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
%txy = or i32 %tx, %ty
%t = or i32 %txy, %tz
%first = icmp eq i32 %t, 0
br i1 %first, label %arrive, label %done
arrive:
%launched = icmp ne i64 %workspace, 0
br i1 %launched, label %count, label %absent
absent:
call void @llvm.trap()
unreachable
count:
%gx = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.x()
%gy = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.y()
%gz = call i32 @llvm.nvvm.read.ptx.sreg.nctaid.z()
%gxy = mul i32 %gx, %gy
%blocks = mul i32 %gxy, %gz
%others = sub i32 %blocks, 1
%last = sub i32 -2147483648, %others
%bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
%by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
%bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
%bxy = or i32 %bx, %by
%b = or i32 %bxy, %bz
%master = icmp eq i32 %b, 0
%step = select i1 %master, i32 %last, i32 1
call void @llvm.nvvm.membar.gl()
%old = call i32 asm sideeffect \"atom.relaxed.gpu.global.add.u32 $0, [$1], $2;\", \"=r,l,r,~{memory}\"(ptr addrspace(1) %word, i32 %step)
br label %wait
wait:
%now = load atomic i32, ptr addrspace(1) %word syncscope(\"device\") acquire, align 4
%change = xor i32 %old, %now
%turned = icmp slt i32 %change, 0
br i1 %turned, label %passed, label %wait
passed:
call void @llvm.nvvm.membar.gl()
br label %done
done:
call void @llvm.nvvm.barrier.cta.sync.aligned.all(i32 0)
ret void" => "%envreg2";
}
