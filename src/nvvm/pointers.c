// pointers.c: pointers written so that LLVM sees which memory they lead to. Where it does, a load becomes ld.shared or
// ld.global; else it is a generic one, which is slower.
//
// Two forms hide it: NVVM's intrinsics between address spaces, for which LLVM has an instruction; and arithmetic on a
// pointer's number, with which Numba finds an element of an array with strides.
#include "nvvm/unit.h"

#include <string.h>

static bool converts(const char *name)
{
    static const char *const prefixes[] = {
        "llvm.nvvm.ptr.shared.to.gen.",   "llvm.nvvm.ptr.global.to.gen.", "llvm.nvvm.ptr.constant.to.gen.",
        "llvm.nvvm.ptr.local.to.gen.",    "llvm.nvvm.ptr.gen.to.shared.", "llvm.nvvm.ptr.gen.to.global.",
        "llvm.nvvm.ptr.gen.to.constant.", "llvm.nvvm.ptr.gen.to.local.",
    };
    for (size_t k = 0; k < COUNT(prefixes); k++)
        if (!strncmp(name, prefixes[k], strlen(prefixes[k]))) return true;
    return false;
}

static void replace(const Build *b, LLVMValueRef old, LLVMValueRef with)
{
    b->l->ReplaceAllUsesWith(old, with);
    b->l->InstructionEraseFromParent(old);
}

// A call of one of them becomes a cast.
static void cast(const Build *b, LLVMBuilderRef builder, LLVMValueRef f)
{
    const Llvm *l = b->l;
    for (LLVMUseRef use = l->GetFirstUse(f), next; use; use = next) {
        LLVMValueRef call = l->GetUser(use);
        next = l->GetNextUse(use);
        if (!l->IsACallInst(call) || l->GetCalledValue(call) != f) continue;
        l->PositionBuilderBefore(builder, call);
        replace(b, call, l->BuildAddrSpaceCast(builder, l->GetOperand(call, 0), l->TypeOf(call), ""));
    }
}

static bool is_made_by(const Llvm *l, LLVMValueRef v, int opcode)
{
    return l->IsAInstruction(v) && l->GetInstructionOpcode(v) == opcode;
}

// The pointer whose number, in all its 64 bits, v is; null: it is none's.
static LLVMValueRef pointer_of(const Llvm *l, LLVMValueRef v)
{
    const LLVMTypeRef type = l->TypeOf(v);
    if (!is_made_by(l, v, LLVM_POINTER_TO_INTEGER) || l->GetTypeKind(type) != LLVM_INTEGER_TYPE) return NULL;
    return l->GetIntTypeWidth(type) == 64 ? l->GetOperand(v, 0) : NULL;
}

// The pointer that is the number of another one and something becomes one so many bytes behind it.
static void step(const Build *b, LLVMBuilderRef builder, LLVMValueRef made)
{
    const Llvm *l = b->l;
    LLVMValueRef sum = l->GetOperand(made, 0);
    if (!is_made_by(l, sum, LLVM_ADD)) return;
    LLVMValueRef by = l->GetOperand(sum, 1), from = pointer_of(l, l->GetOperand(sum, 0));
    if (!from)
        from = pointer_of(l, by), by = l->GetOperand(sum, 0);
    else if (pointer_of(l, by))
        return;  // of two it isn't known which is the pointer
    if (!from || pointer_of(l, by)) return;
    const unsigned space = l->GetPointerAddressSpace(l->TypeOf(from));
    if (space != l->GetPointerAddressSpace(l->TypeOf(made))) return;
    const LLVMTypeRef byte = l->Int8TypeInContext(b->context);
    l->PositionBuilderBefore(builder, made);
    LLVMValueRef bytes = l->BuildBitCast(builder, from, l->PointerType(byte, space), "");
    LLVMValueRef at = l->BuildGEP2(builder, byte, bytes, &by, 1, "");
    replace(b, made, l->BuildBitCast(builder, at, l->TypeOf(made), ""));
}

static void step_all(const Build *b, LLVMBuilderRef builder, LLVMValueRef f)
{
    const Llvm *l = b->l;
    for (LLVMBasicBlockRef at = l->GetFirstBasicBlock(f); at; at = l->GetNextBasicBlock(at))
        for (LLVMValueRef i = l->GetFirstInstruction(at), next; i; i = next) {
            next = l->GetNextInstruction(i);
            // A vector of them has an operand that is no integer, and isn't made by an addition of integers.
            if (l->GetInstructionOpcode(i) == LLVM_INTEGER_TO_POINTER &&
                l->GetTypeKind(l->TypeOf(l->GetOperand(i, 0))) == LLVM_INTEGER_TYPE)
                step(b, builder, i);
        }
}

void lower_pointers(const Build *b, LLVMModuleRef m)
{
    LLVMBuilderRef builder = b->l->CreateBuilderInContext(b->context);
    for (LLVMValueRef f = b->l->GetFirstFunction(m); f; f = b->l->GetNextFunction(f)) {
        size_t n;
        if (converts(b->l->GetValueName2(f, &n))) cast(b, builder, f);
        step_all(b, builder, f);
    }
    b->l->DisposeBuilder(builder);
}
