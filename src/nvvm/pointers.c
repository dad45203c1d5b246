// pointers.c: NVVM's intrinsics between address spaces, as casts, for which LLVM has an instruction. Through a cast
// LLVM sees which memory a pointer leads to: a load becomes ld.shared, else it is a generic one, which is slower.
//
// Arithmetic on a pointer's number, with which Numba finds an element of an array with strides, stays: by what Numba's
// tests expect of libNVVM, such accesses are generic there, too.
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

// A call of one of them becomes a cast.
static void cast(const Build *b, LLVMBuilderRef builder, LLVMValueRef f)
{
    const Llvm *l = b->l;
    for (LLVMUseRef use = l->GetFirstUse(f), next; use; use = next) {
        LLVMValueRef call = l->GetUser(use);
        next = l->GetNextUse(use);
        if (!l->IsACallInst(call) || l->GetCalledValue(call) != f) continue;
        l->PositionBuilderBefore(builder, call);
        l->ReplaceAllUsesWith(call, l->BuildAddrSpaceCast(builder, l->GetOperand(call, 0), l->TypeOf(call), ""));
        l->InstructionEraseFromParent(call);
    }
}

void lower_pointers(const Build *b, LLVMModuleRef m)
{
    LLVMBuilderRef builder = b->l->CreateBuilderInContext(b->context);
    for (LLVMValueRef f = b->l->GetFirstFunction(m); f; f = b->l->GetNextFunction(f)) {
        size_t n;
        if (converts(b->l->GetValueName2(f, &n))) cast(b, builder, f);
    }
    b->l->DisposeBuilder(builder);
}
