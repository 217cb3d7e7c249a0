; The panic function of the device, linked into modules that call it.
; Layout of the record and order of the writes: ARCHITECTURE.md, "Panics".

@__oxide_panic_record = addrspace(1) externally_initialized global i64 0, align 8

declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.x()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.y()
declare i32 @llvm.nvvm.read.ptx.sreg.tid.z()
declare i64 @llvm.umin.i64(i64, i64)
declare void @llvm.trap()

; Bytes from generic to global memory.
define internal void @__oxide_panic_copy_bytes(ptr addrspace(1) %to, ptr %from, i64 %count) noinline nounwind {
entry:
  br label %head
head:
  %i = phi i64 [ 0, %entry ], [ %next, %body ]
  %more = icmp ult i64 %i, %count
  br i1 %more, label %body, label %done
body:
  %source = getelementptr i8, ptr %from, i64 %i
  %byte = load i8, ptr %source, align 1
  %target = getelementptr i8, ptr addrspace(1) %to, i64 %i
  store i8 %byte, ptr addrspace(1) %target, align 1
  %next = add i64 %i, 1
  br label %head
done:
  ret void
}

; The record, for the first thread that asks; null for the others, or where there is none.
define internal ptr addrspace(1) @__oxide_panic_claim() noinline cold nounwind {
entry:
  %address = load i64, ptr addrspace(1) @__oxide_panic_record, align 8
  %absent = icmp eq i64 %address, 0
  br i1 %absent, label %none, label %claim
claim:
  %record = inttoptr i64 %address to ptr addrspace(1)
  ; No sync scope named: the host is in it too.
  %pair = cmpxchg ptr addrspace(1) %record, i32 0, i32 1 acq_rel monotonic
  %won = extractvalue { i32, i1 } %pair, 1
  br i1 %won, label %mine, label %none
mine:
  ret ptr addrspace(1) %record
none:
  ret ptr addrspace(1) null
}

; All of a claimed record but the arguments themselves.
define internal void @__oxide_panic_fill(ptr addrspace(1) %record, ptr %msg, i64 %msg_len, ptr %file, i64 %file_len, i32 %line, i32 %col, i64 %n) noinline cold nounwind {
entry:
  %n32 = trunc i64 %n to i32
  %p.nargs = getelementptr i8, ptr addrspace(1) %record, i64 4
  store i32 %n32, ptr addrspace(1) %p.nargs, align 4
  %p.line = getelementptr i8, ptr addrspace(1) %record, i64 56
  store i32 %line, ptr addrspace(1) %p.line, align 4
  %p.col = getelementptr i8, ptr addrspace(1) %record, i64 60
  store i32 %col, ptr addrspace(1) %p.col, align 4
  %bx = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.x()
  %p.bx = getelementptr i8, ptr addrspace(1) %record, i64 64
  store i32 %bx, ptr addrspace(1) %p.bx, align 4
  %by = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.y()
  %p.by = getelementptr i8, ptr addrspace(1) %record, i64 68
  store i32 %by, ptr addrspace(1) %p.by, align 4
  %bz = call i32 @llvm.nvvm.read.ptx.sreg.ctaid.z()
  %p.bz = getelementptr i8, ptr addrspace(1) %record, i64 72
  store i32 %bz, ptr addrspace(1) %p.bz, align 4
  %tx = call i32 @llvm.nvvm.read.ptx.sreg.tid.x()
  %p.tx = getelementptr i8, ptr addrspace(1) %record, i64 76
  store i32 %tx, ptr addrspace(1) %p.tx, align 4
  %ty = call i32 @llvm.nvvm.read.ptx.sreg.tid.y()
  %p.ty = getelementptr i8, ptr addrspace(1) %record, i64 80
  store i32 %ty, ptr addrspace(1) %p.ty, align 4
  %tz = call i32 @llvm.nvvm.read.ptx.sreg.tid.z()
  %p.tz = getelementptr i8, ptr addrspace(1) %record, i64 84
  store i32 %tz, ptr addrspace(1) %p.tz, align 4
  %m = call i64 @llvm.umin.i64(i64 %msg_len, i64 1024)
  %m32 = trunc i64 %m to i32
  %p.msg_len = getelementptr i8, ptr addrspace(1) %record, i64 88
  store i32 %m32, ptr addrspace(1) %p.msg_len, align 4
  %f = call i64 @llvm.umin.i64(i64 %file_len, i64 512)
  %f32 = trunc i64 %f to i32
  %p.file_len = getelementptr i8, ptr addrspace(1) %record, i64 92
  store i32 %f32, ptr addrspace(1) %p.file_len, align 4
  %p.msg = getelementptr i8, ptr addrspace(1) %record, i64 96
  call void @__oxide_panic_copy_bytes(ptr addrspace(1) %p.msg, ptr %msg, i64 %m)
  %p.file = getelementptr i8, ptr addrspace(1) %record, i64 1120
  call void @__oxide_panic_copy_bytes(ptr addrspace(1) %p.file, ptr %file, i64 %f)
  fence seq_cst
  store atomic i32 2, ptr addrspace(1) %record monotonic, align 4
  fence seq_cst
  ret void
}

define void @__oxide_panic(ptr %msg, i64 %msg_len, ptr %file, i64 %file_len, i32 %line, i32 %col, ptr %args, i64 %nargs) noinline cold noreturn nounwind {
entry:
  %record = call ptr addrspace(1) @__oxide_panic_claim()
  %lost = icmp eq ptr addrspace(1) %record, null
  br i1 %lost, label %stop, label %fill
fill:
  %n = call i64 @llvm.umin.i64(i64 %nargs, i64 6)
  %p.args = getelementptr i8, ptr addrspace(1) %record, i64 8
  %args.bytes = shl i64 %n, 3
  call void @__oxide_panic_copy_bytes(ptr addrspace(1) %p.args, ptr %args, i64 %args.bytes)
  call void @__oxide_panic_fill(ptr addrspace(1) %record, ptr %msg, i64 %msg_len, ptr %file, i64 %file_len, i32 %line, i32 %col, i64 %n)
  br label %stop
stop:
  call void @llvm.trap()
  unreachable
}

; The same for up to two integers, which most panics have: passed by value, so that no kernel needs a stack frame for them.
define void @__oxide_panic2(ptr %msg, i64 %msg_len, ptr %file, i64 %file_len, i32 %line, i32 %col, i64 %first, i64 %second, i64 %nargs) noinline cold noreturn nounwind {
entry:
  %record = call ptr addrspace(1) @__oxide_panic_claim()
  %lost = icmp eq ptr addrspace(1) %record, null
  br i1 %lost, label %stop, label %fill
fill:
  %p.first = getelementptr i8, ptr addrspace(1) %record, i64 8
  store i64 %first, ptr addrspace(1) %p.first, align 8
  %p.second = getelementptr i8, ptr addrspace(1) %record, i64 16
  store i64 %second, ptr addrspace(1) %p.second, align 8
  call void @__oxide_panic_fill(ptr addrspace(1) %record, ptr %msg, i64 %msg_len, ptr %file, i64 %file_len, i32 %line, i32 %col, i64 %nargs)
  br label %stop
stop:
  call void @llvm.trap()
  unreachable
}
