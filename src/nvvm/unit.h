// unit.h: what the files of this folder share.
#ifndef NVVM_UNIT_H
#define NVVM_UNIT_H

#include "base/base.h"
#include "nvvm/libnvvm.h"
#include "nvvm/llvm.h"

// --- options.c: what a compilation is told ---------------------------------------------------------------------------
typedef struct Options {
    uint32_t arch;  // 75: of -arch=compute_75
    bool optimise, debug, lines;
    bool ftz, prec_div, prec_sqrt, fma;
} Options;
bool options_read(Options *o, int count, const char *const *words, Diag *diag);
uint32_t options_target(const Options *o);  // the highest that LLVM 14 knows, up to arch

// --- program.c -------------------------------------------------------------------------------------------------------
typedef struct Input {
    Text code;  // text or bitcode
    char *name;
    bool lazy;
} Input;
typedef struct Program {
    VEC(Input) inputs;
    Text ptx, log;
    bool compiled;
    struct Program *next;
} Program;

// --- compile.c: modules to PTX ---------------------------------------------------------------------------------------
typedef struct Outcome {
    nvvmResult result;
    Text ptx, log;
} Outcome;
// Verifies only: options may be null.
void compile(const Llvm *l, const Program *p, const Options *options, Outcome *out);

// --- apart.c: a compilation in a process of its own ------------------------------------------------------------------
// As compile; a crash of LLVM, and what it writes, become an error with a log.
void compile_apart(const Llvm *l, const Program *p, const Options *options, Outcome *out);

// --- lines.c: what LLVM's C interface can't change, changed in the module's text -------------------------------------
// Changes a text that LLVM has printed. True: it has changed.
bool lines_change(const char *ir, const Options *o, Text *to);

// --- lower.c: NVVM's dialect to what LLVM 14 has ---------------------------------------------------------------------
typedef struct Build {
    const Llvm *l;
    LLVMContextRef context;
    LLVMModuleRef module;
    LLVMTargetMachineRef machine;
    const Options *options;
    Text *log;
} Build;
bool is_libdevice(const Llvm *l, LLVMModuleRef m);
void lower_module(const Build *b, LLVMModuleRef m);  // before it is linked
// After all are linked: definitions of what LLVM doesn't know. False: an intrinsic is unknown; the log names it.
bool lower_intrinsics(const Build *b);
void lower_inline(const Build *b);   // a function that is called in one place becomes part of it
void lower_options(const Build *b);  // what asks for an option becomes a constant

// --- pointers.c ------------------------------------------------------------------------------------------------------
void lower_pointers(const Build *b, LLVMModuleRef m);  // casts that LLVM sees through

// --- intrinsics.c: what LLVM 14 lacks, as a module in its intermediate form ------------------------------------------
extern const char nvvm_intrinsics[];

#endif
