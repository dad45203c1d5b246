// llvm.h: LLVM 14, as Debian's package libllvm14 has it. It is opened when a program is compiled; nothing of it is
// needed to build this library.
#ifndef NVVM_LLVM_H
#define NVVM_LLVM_H

#include "base/base.h"

typedef int LLVMBool;
#define LLVM_TYPE(name) typedef struct LLVM##name *LLVM##name##Ref;
LLVM_TYPE(Context)
LLVM_TYPE(DiagnosticInfo)
LLVM_TYPE(Error)
LLVM_TYPE(MemoryBuffer)
LLVM_TYPE(Module)
LLVM_TYPE(Value)
LLVM_TYPE(Type)
LLVM_TYPE(Use)
LLVM_TYPE(BasicBlock)
LLVM_TYPE(Attribute)
LLVM_TYPE(Builder)
LLVM_TYPE(Target)
LLVM_TYPE(TargetData)
LLVM_TYPE(TargetMachine)
LLVM_TYPE(PassBuilderOptions)
#undef LLVM_TYPE

// Numbers of LLVM's interface.
enum {
    LLVM_EXTERNAL = 0,  // linkages
    LLVM_LINK_ONCE_ODR = 3,
    LLVM_INTERNAL = 8,
    LLVM_RETURN_STATUS = 2,  // of a verification that fails
    LLVM_SEVERITY_ERROR = 0,
    LLVM_CODEGEN_NONE = 0,
    LLVM_CODEGEN_AGGRESSIVE = 3,
    LLVM_RELOC_PIC = 2,
    LLVM_CODE_MODEL_DEFAULT = 0,
    LLVM_ASSEMBLY_FILE = 0,
};
#define LLVM_OF_FUNCTION UINT32_MAX  // the index of its attributes

// --- llvm.c: its functions -------------------------------------------------------------------------------------------
typedef struct Llvm {
#define LLVM(type, name, parameters) type(*name) parameters;
#include "nvvm/llvm.def"
#undef LLVM
} Llvm;
bool llvm_open(Llvm *l, Diag *diag);

#endif
