// intrinsics.c: intrinsics of NVVM IR that LLVM 14 doesn't have, or has with another type (NVIDIA, "NVVM IR
// Specification"), as functions in LLVM's intermediate form. Each becomes part of a program only where it is used.
//
// A name has "onchip." before the intrinsic's own, since what begins with llvm. can have no body. $F is .ftz where
// -ftz=1 is given.
#include "nvvm/unit.h"

#define WARP " #0 {\n"
const char nvvm_intrinsics[] =
    // shfl.sync(mask, mode, value, lane, clamp); modes: idx, up, down, bfly.
    "declare {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32, i32, i32, i32)\n"
    "declare {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32, i32, i32, i32)\n"
    "declare {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32, i32, i32, i32)\n"
    "declare {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32, i32, i32, i32)\n"
    "define {i32, i1} @onchip.llvm.nvvm.shfl.sync.i32(i32 %m, i32 %mode, i32 %v, i32 %b, i32 %c)" WARP
    "  switch i32 %mode, label %idx [i32 1, label %up i32 2, label %down i32 3, label %bfly]\n"
    "idx:\n  %i = call {i32, i1} @llvm.nvvm.shfl.sync.idx.i32p(i32 %m, i32 %v, i32 %b, i32 %c) #1\n  ret {i32, i1} %i\n"
    "up:\n  %u = call {i32, i1} @llvm.nvvm.shfl.sync.up.i32p(i32 %m, i32 %v, i32 %b, i32 %c) #1\n  ret {i32, i1} %u\n"
    "down:\n  %d = call {i32, i1} @llvm.nvvm.shfl.sync.down.i32p(i32 %m, i32 %v, i32 %b, i32 %c) #1\n  ret {i32, i1} "
    "%d\n"
    "bfly:\n  %x = call {i32, i1} @llvm.nvvm.shfl.sync.bfly.i32p(i32 %m, i32 %v, i32 %b, i32 %c) #1\n  ret {i32, i1} "
    "%x\n"
    "}\n"
    // vote.sync(mask, mode, predicate); modes: all, any, eq, ballot. What a mode doesn't give is 0.
    "declare i1 @llvm.nvvm.vote.all.sync(i32, i1)\n"
    "declare i1 @llvm.nvvm.vote.any.sync(i32, i1)\n"
    "declare i1 @llvm.nvvm.vote.uni.sync(i32, i1)\n"
    "declare i32 @llvm.nvvm.vote.ballot.sync(i32, i1)\n"
    "define {i32, i1} @onchip.llvm.nvvm.vote.sync(i32 %m, i32 %mode, i1 %p)" WARP
    "  switch i32 %mode, label %all [i32 1, label %any i32 2, label %eq i32 3, label %ballot]\n"
    "all:\n  %a = call i1 @llvm.nvvm.vote.all.sync(i32 %m, i1 %p) #1\n  br label %end\n"
    "any:\n  %y = call i1 @llvm.nvvm.vote.any.sync(i32 %m, i1 %p) #1\n  br label %end\n"
    "eq:\n  %e = call i1 @llvm.nvvm.vote.uni.sync(i32 %m, i1 %p) #1\n  br label %end\n"
    "ballot:\n  %b = call i32 @llvm.nvvm.vote.ballot.sync(i32 %m, i1 %p) #1\n"
    "  %rb = insertvalue {i32, i1} zeroinitializer, i32 %b, 0\n  ret {i32, i1} %rb\n"
    "end:\n  %q = phi i1 [%a, %all], [%y, %any], [%e, %eq]\n"
    "  %r = insertvalue {i32, i1} zeroinitializer, i1 %q, 1\n  ret {i32, i1} %r\n}\n"
    // match(mask, value).
    "declare {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32, i32)\n"
    "define {i32, i1} @onchip.llvm.nvvm.match.all.sync.i32(i32 %m, i32 %v)" WARP
    "  %r = call {i32, i1} @llvm.nvvm.match.all.sync.i32p(i32 %m, i32 %v) #1\n  ret {i32, i1} %r\n}\n"
    "define {i32, i1} @onchip.llvm.nvvm.match.all.sync.i64(i32 %m, i64 %v)" WARP
    "  %a = call {i32, i32} asm sideeffect \"{ .reg .pred p; match.all.sync.b64 $0|p, $2, $3; selp.s32 $1, 1, 0, p; "
    "}\", "
    "\"=r,=r,l,r\"(i64 %v, i32 %m) #1\n"
    "  %l = extractvalue {i32, i32} %a, 0\n  %h = extractvalue {i32, i32} %a, 1\n  %p = trunc i32 %h to i1\n"
    "  %s = insertvalue {i32, i1} undef, i32 %l, 0\n  %r = insertvalue {i32, i1} %s, i1 %p, 1\n  ret {i32, i1} %r\n}\n"
    "define i32 @onchip.llvm.nvvm.match.any.sync.i64(i32 %m, i64 %v)" WARP
    "  %r = call i32 asm sideeffect \"match.any.sync.b64 $0, $1, $2;\", \"=r,l,r\"(i64 %v, i32 %m) #1\n"
    "  ret i32 %r\n}\n"
    // Registers and instructions without an operand.
    "define i32 @onchip.llvm.nvvm.activemask()" WARP
    "  %r = call i32 asm sideeffect \"activemask.b32 $0;\", \"=r\"() #1\n  ret i32 %r\n}\n"
    "define i64 @onchip.llvm.nvvm.read.ptx.sreg.globaltimer()" WARP
    "  %r = call i64 asm sideeffect \"mov.u64 $0, %globaltimer;\", \"=l\"()\n  ret i64 %r\n}\n"
    "define void @onchip.llvm.nvvm.nanosleep(i32 %t)" WARP
    "  call void asm sideeffect \"nanosleep.u32 $0;\", \"r\"(i32 %t)\n  ret void\n}\n"
    "define void @onchip.llvm.nvvm.exit()" WARP "  call void asm sideeffect \"exit;\", \"\"()\n  ret void\n}\n"
    // What options ask for (lines.c, lower.c).
    "define float @onchip.div.full(float %a, float %b) #2 {\n"
    "  %r = call float asm \"div.full$F.f32 $0, $1, $2;\", \"=f,f,f\"(float %a, float %b)\n  ret float %r\n}\n"
    "define float @onchip.div.approx(float %a, float %b) #2 {\n"
    "  %r = call float asm \"div.approx$F.f32 $0, $1, $2;\", \"=f,f,f\"(float %a, float %b)\n  ret float %r\n}\n"
    "define float @onchip.sqrt.approx(float %a) #2 {\n"
    "  %r = call float asm \"sqrt.approx$F.f32 $0, $1;\", \"=f,f\"(float %a)\n  ret float %r\n}\n"
    "attributes #0 = {alwaysinline convergent nounwind}\n"
    "attributes #1 = {convergent nomerge nounwind}\n"
    "attributes #2 = {alwaysinline nounwind readnone}\n";
