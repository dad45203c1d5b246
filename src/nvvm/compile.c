// compile.c: a program's modules to PTX: read, checked, lowered, linked, optimised, written.
//
// This runs in a process of its own (apart.c), which ends afterwards: nothing of LLVM's is released.
#include "nvvm/unit.h"

#include <string.h>

static const char lazy_mark[] = "onchip-lazy";

static bool fail(const Build *b, const char *what, char *why)
{
    text_printf(b->log, "error: %s%s%s\n", what, why ? ": " : "", why ? why : "");
    return false;
}

static void heard(LLVMDiagnosticInfoRef info, void *user)
{
    const Build *b = user;
    char *text = b->l->GetDiagInfoDescription(info);
    text_printf(b->log, "%s: %s\n", b->l->GetDiagInfoSeverity(info) == LLVM_SEVERITY_ERROR ? "error" : "warning", text);
    b->l->DisposeMessage(text);
}

// --- one module -----------------------------------------------------------------------------------------------------
static LLVMModuleRef parse(const Build *b, const char *code, size_t size, const char *name, bool lazy)
{
    const Llvm *l = b->l;
    LLVMModuleRef m = NULL;
    char *why = NULL;
    const bool bitcode = size >= 4 && (!memcmp(code, "BC\xc0\xde", 4) || !memcmp(code, "\xde\xc0\x17\x0b", 4));
    LLVMMemoryBufferRef buffer = l->CreateMemoryBufferWithMemoryRangeCopy(code, size, name);
    // If it is lazy, and bitcode, bodies that nobody uses aren't even read.
    if (lazy && bitcode) {
        if (!l->GetBitcodeModuleInContext2(b->context, buffer, &m)) return m;
        fail(b, "a module that is added lazily can't be read", NULL);
        return NULL;
    }
    if (!l->ParseIRInContext(b->context, buffer, &m, &why)) return m;
    text_printf(b->log, "%s\n", why ? why : "error: a module can't be read");
    return NULL;
}

// In LLVM 14 this intrinsic has another type, and a module with it isn't taken.
static void hide_typed(const Text *code, Text *to)
{
    static const char name[] = "llvm.nvvm.match.any.sync.i64";
    const char *p = code->v, *end = p + code->n;
    for (const char *at; (at = memmem(p, (size_t)(end - p), name, strlen(name))); p = at + strlen(name)) {
        text_add(to, p, (size_t)(at - p));
        if (at > code->v && strchr("@\"", at[-1])) text_put(to, "onchip.");
        text_put(to, name);
    }
    text_add(to, p, (size_t)(end - p));
}

static bool check_version(const Build *b, LLVMModuleRef m)
{
    static const char name[] = "nvvmir.version";
    LLVMValueRef node = NULL, parts[8];
    if (b->l->GetNamedMetadataNumOperands(m, name) != 1) return true;  // none is taken for the newest
    b->l->GetNamedMetadataOperands(m, name, &node);
    const unsigned n = node ? b->l->GetMDNodeNumOperands(node) : 0;
    if (n < 2 || n > COUNT(parts)) return true;
    b->l->GetMDNodeOperands(node, parts);
    if (!parts[0] || !b->l->IsAConstantInt(parts[0])) return true;
    const unsigned long long major = b->l->ConstIntGetZExtValue(parts[0]);
    if (major == 1 || major == 2) return true;
    text_printf(b->log, "error: a module is of version %llu of NVVM IR; 1 and 2 are known\n", major);
    return false;
}

static LLVMModuleRef change_lines(const Build *b, LLVMModuleRef m)
{
    char *ir = b->l->PrintModuleToString(m);
    Text changed = {0};
    if (lines_change(ir, b->options, &changed)) {
        b->l->DisposeModule(m);
        m = parse(b, changed.v, changed.n, "changed", false);
    }
    b->l->DisposeMessage(ir), text_free(&changed);
    return m;
}

// Definitions that nobody uses are left out by the link, and those that it takes are the program's own.
static void set_lazy(const Build *b, LLVMModuleRef m)
{
    const Llvm *l = b->l;
    LLVMAttributeRef mark = l->CreateStringAttribute(b->context, lazy_mark, (unsigned)strlen(lazy_mark), "", 0);
    for (LLVMValueRef f = l->GetFirstFunction(m); f; f = l->GetNextFunction(f))
        if (!l->IsDeclaration(f) && l->GetLinkage(f) == LLVM_EXTERNAL) {
            l->SetLinkage(f, LLVM_LINK_ONCE_ODR);
            l->AddAttributeAtIndex(f, LLVM_OF_FUNCTION, mark);
        }
    for (LLVMValueRef g = l->GetFirstGlobal(m); g; g = l->GetNextGlobal(g))
        if (!l->IsDeclaration(g) && l->GetLinkage(g) == LLVM_EXTERNAL) l->SetLinkage(g, LLVM_LINK_ONCE_ODR);
}

static bool check_module(const Build *b, LLVMModuleRef m, const char *name, nvvmResult *result)
{
    char *why = NULL;
    if (strstr(b->l->GetTarget(m), "nvptx-")) return fail(b, "32-bit code isn't made", NULL);
    *result = NVVM_ERROR_IR_VERSION_MISMATCH;
    if (!check_version(b, m)) return false;
    *result = b->options ? NVVM_ERROR_COMPILATION : NVVM_ERROR_INVALID_IR;
    return !b->l->VerifyModule(m, LLVM_RETURN_STATUS, &why) || fail(b, name, why);
}

static LLVMModuleRef take(const Build *b, const Input *in, nvvmResult *result)
{
    Text code = {0};
    hide_typed(&in->code, &code);
    LLVMModuleRef m = parse(b, code.v, code.n, in->name, in->lazy);
    text_free(&code);
    if (!m) return NULL;
    const bool ours = is_libdevice(b->l, m);
    if (!ours && !in->lazy && !check_module(b, m, in->name, result)) return NULL;
    if (!b->options) return m;
    if (!b->options->debug && !b->options->lines) b->l->StripModuleDebugInfo(m);
    if (!ours && !in->lazy && !(m = change_lines(b, m))) return NULL;
    b->l->SetTarget(m, "nvptx64-nvidia-cuda");
    b->l->SetModuleDataLayout(m, b->l->CreateTargetDataLayout(b->machine));
    lower_module(b, m);
    if (ours || in->lazy) set_lazy(b, m);
    return m;
}

// --- all of them ----------------------------------------------------------------------------------------------------
static bool link_module(Build *b, LLVMModuleRef m)
{
    if (!b->module) return (b->module = m) != NULL;
    return !b->l->LinkModules2(b->module, m) || fail(b, "the modules can't be linked", NULL);
}

static bool link_intrinsics(Build *b)
{
    Text code = {0};
    for (const char *p = nvvm_intrinsics; *p;) {
        const size_t n = strcspn(p, "$");
        text_add(&code, p, n), p += n;
        if (*p && p[1] == 'F')
            text_put(&code, b->options->ftz ? ".ftz" : ""), p += 2;
        else if (*p)
            text_add(&code, p++, 1);
    }
    LLVMModuleRef m = parse(b, code.v, code.n, "intrinsics", false);
    text_free(&code);
    if (!m) return false;
    b->l->SetTarget(m, "nvptx64-nvidia-cuda");
    b->l->SetModuleDataLayout(m, b->l->CreateTargetDataLayout(b->machine));
    set_lazy(b, m);
    return link_module(b, m);
}

static bool link_all(Build *b, const Program *p, nvvmResult *result)
{
    // What is added lazily comes last: then it is known what the others use.
    for (int lazy = 0; lazy < 2; lazy++)
        for (size_t k = 0; k < p->inputs.n; k++) {
            const Input *in = &p->inputs.v[k];
            if (in->lazy != (lazy != 0)) continue;
            LLVMModuleRef m = take(b, in, result);
            if (!m || (b->options && !link_module(b, m))) return false;
        }
    return !b->options || link_intrinsics(b);
}

static void set_internal(const Build *b)
{
    const Llvm *l = b->l;
    for (LLVMValueRef f = l->GetFirstFunction(b->module); f; f = l->GetNextFunction(f))
        if (!l->IsDeclaration(f) &&
            l->GetStringAttributeAtIndex(f, LLVM_OF_FUNCTION, lazy_mark, (unsigned)strlen(lazy_mark)))
            l->SetLinkage(f, LLVM_INTERNAL);
}

// --- optimised, and written -----------------------------------------------------------------------------------------
static bool open_machine(Build *b)
{
    const Llvm *l = b->l;
    LLVMTargetRef target;
    char *why = NULL, cpu[16];
    l->InitializeNVPTXTargetInfo(), l->InitializeNVPTXTarget();
    l->InitializeNVPTXTargetMC(), l->InitializeNVPTXAsmPrinter();
    if (l->GetTargetFromTriple("nvptx64-nvidia-cuda", &target, &why)) return fail(b, "this LLVM writes no PTX", why);
    snprintf(cpu, sizeof cpu, "sm_%u", options_target(b->options));
    b->machine = l->CreateTargetMachine(target, "nvptx64-nvidia-cuda", cpu, "+ptx75",
                                        b->options->optimise ? LLVM_CODEGEN_AGGRESSIVE : LLVM_CODEGEN_NONE,
                                        LLVM_RELOC_PIC, LLVM_CODE_MODEL_DEFAULT);
    return b->machine || fail(b, "this LLVM writes no PTX", NULL);
}

static bool write_ptx(const Build *b, Text *ptx)
{
    const Llvm *l = b->l;
    LLVMMemoryBufferRef buffer = NULL;
    char *why = NULL;
    LLVMErrorRef error = l->RunPasses(b->module, b->options->optimise ? "default<O3>" : "default<O0>", b->machine,
                                      l->CreatePassBuilderOptions());
    if (error) return fail(b, "LLVM's passes", l->GetErrorMessage(error));
    if (l->TargetMachineEmitToMemoryBuffer(b->machine, b->module, LLVM_ASSEMBLY_FILE, &why, &buffer))
        return fail(b, "no PTX can be written", why);
    text_add(ptx, l->GetBufferStart(buffer), l->GetBufferSize(buffer));
    return true;
}

void compile(const Llvm *l, const Program *p, const Options *options, Outcome *out)
{
    Build b = {.l = l, .options = options, .log = &out->log};
    char *why = NULL;
    b.context = l->ContextCreate();
    l->ContextSetDiagnosticHandler(b.context, heard, &b);
    out->result = options ? NVVM_ERROR_COMPILATION : NVVM_ERROR_INVALID_IR;
    if (options && !open_machine(&b)) return;
    if (!link_all(&b, p, &out->result)) return;
    if (options) {
        set_internal(&b), lower_options(&b);
        if (options->optimise) lower_inline(&b);
        if (!lower_intrinsics(&b)) return;
        if (l->VerifyModule(b.module, LLVM_RETURN_STATUS, &why)) {
            fail(&b, "the linked program", why);
            return;
        }
        if (!write_ptx(&b, &out->ptx)) return;
    }
    out->result = NVVM_SUCCESS;
}
