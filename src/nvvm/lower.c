// lower.c: NVVM's dialect of LLVM's intermediate form to what LLVM 14's back end takes.
//
// NVVM lets no call that lanes do together move to where other lanes do it, without being told; LLVM asks for the
// attribute `convergent`. All of a program's functions get it, and LLVM takes it from those that need none.
#include "nvvm/unit.h"

#include <string.h>

static bool has_prefix(const char *name, const char *prefix) { return !strncmp(name, prefix, strlen(prefix)); }

bool is_libdevice(const Llvm *l, LLVMModuleRef m) { return l->GetNamedGlobal(m, "onchip_libdevice") != NULL; }

// --- attributes -----------------------------------------------------------------------------------------------------
static LLVMAttributeRef flag(const Build *b, const char *name)
{
    return b->l->CreateEnumAttribute(b->context, b->l->GetEnumAttributeKindForName(name, strlen(name)), 0);
}

static void add_flag(const Build *b, LLVMValueRef f, const char *name)
{
    b->l->AddAttributeAtIndex(f, LLVM_OF_FUNCTION, flag(b, name));
}

static void add_word(const Build *b, LLVMValueRef f, const char *name, const char *value)
{
    b->l->AddAttributeAtIndex(
        f, LLVM_OF_FUNCTION,
        b->l->CreateStringAttribute(b->context, name, (unsigned)strlen(name), value, (unsigned)strlen(value)));
}

static void set_attributes(const Build *b, LLVMValueRef f)
{
    // The code's own target would be kept apart from the program's, and neither would be inlined in the other.
    static const char *const own[] = {"target-cpu", "target-features"};
    for (size_t k = 0; k < COUNT(own); k++)
        b->l->RemoveStringAttributeAtIndex(f, LLVM_OF_FUNCTION, own[k], (unsigned)strlen(own[k]));
    if (b->options->ftz) add_word(b, f, "denormal-fp-math-f32", "preserve-sign,preserve-sign");
}

// What lanes do together: the calls of two sides of a branch, alike as they may be, are made by other lanes.
static bool is_of_lanes(const char *name)
{
    static const char *const kinds[] = {"activemask", "bar", "match.", "redux.", "shfl.", "vote."};
    const char *p = strstr(name, "llvm.nvvm.");
    for (size_t k = 0; p && k < COUNT(kinds); k++)
        if (has_prefix(p + strlen("llvm.nvvm."), kinds[k])) return true;
    return false;
}

// Calls of assembly have no function to carry the attribute. LLVM keeps `convergent` calls from other places, but takes
// two that are alike for one, unless they are `nomerge`.
static void set_calls(const Build *b, LLVMValueRef f)
{
    const Llvm *l = b->l;
    for (LLVMBasicBlockRef at = l->GetFirstBasicBlock(f); at; at = l->GetNextBasicBlock(at))
        for (LLVMValueRef i = l->GetFirstInstruction(at); i; i = l->GetNextInstruction(i)) {
            size_t n;
            if (!l->IsACallInst(i)) continue;
            LLVMValueRef called = l->GetCalledValue(i);
            const bool assembly = l->IsAInlineAsm(called);
            if (!assembly && !is_of_lanes(l->GetValueName2(called, &n))) continue;
            if (assembly) l->AddCallSiteAttribute(i, LLVM_OF_FUNCTION, flag(b, "convergent"));
            l->AddCallSiteAttribute(i, LLVM_OF_FUNCTION, flag(b, "nomerge"));
        }
}

// --- a module by itself ---------------------------------------------------------------------------------------------
// What only has NVVM's name, or another type than NVVM has.
static void rename_unknown(const Build *b, LLVMValueRef f)
{
    static const char other[] = "llvm.nvvm.match.any.sync.i64";
    Text name = {0};
    size_t n;
    const char *old = b->l->GetValueName2(f, &n);
    if (!b->l->GetIntrinsicID(f) || (n == strlen(other) && !memcmp(old, other, n))) {
        text_put(&name, "onchip."), text_add(&name, old, n);
        b->l->SetValueName2(f, name.v, name.n);
        add_flag(b, f, "convergent");
    }
    text_free(&name);
}

static void approximate_roots(const Build *b, LLVMModuleRef m)
{
    static const char *const roots[] = {"llvm.sqrt.f32", "llvm.nvvm.sqrt.f"};
    for (size_t k = 0; k < COUNT(roots); k++) {
        LLVMValueRef f = b->l->GetNamedFunction(m, roots[k]);
        if (!f) continue;
        LLVMValueRef to = b->l->GetNamedFunction(m, "onchip.sqrt.approx");
        if (!to) to = b->l->AddFunction(m, "onchip.sqrt.approx", b->l->GlobalGetValueType(f));
        b->l->ReplaceAllUsesWith(f, to);
    }
}

void lower_module(const Build *b, LLVMModuleRef m)
{
    const Llvm *l = b->l;
    const bool exact = is_libdevice(l, m);
    lower_pointers(b, m);
    if (!exact && !b->options->prec_sqrt) approximate_roots(b, m);
    for (LLVMValueRef f = l->GetFirstFunction(m); f; f = l->GetNextFunction(f)) {
        size_t n;
        if (has_prefix(l->GetValueName2(f, &n), "llvm.")) {
            rename_unknown(b, f);
            continue;
        }
        set_attributes(b, f);
        if (exact) continue;  // what its functions need, its compiler has said
        add_flag(b, f, "convergent");
        set_calls(b, f);
    }
}

// --- the whole program ----------------------------------------------------------------------------------------------
// The text that a call gives, a constant, by whatever casts; null: there is none.
static const char *text_of(const Llvm *l, LLVMValueRef v, size_t *n)
{
    while (v && (l->IsAConstantExpr(v) || (l->IsACallInst(v) && l->GetNumOperands(v) == 2))) v = l->GetOperand(v, 0);
    if (!v || !l->IsAGlobalVariable(v)) return NULL;
    LLVMValueRef value = l->GetInitializer(v);
    return value && l->IsConstantString(value) ? l->GetAsString(value, n) : NULL;
}

static unsigned asked(const Build *b, const char *name, size_t n)
{
    const Options *o = b->options;
    const struct {
        const char *name;
        unsigned value;
    } all[] = {{"__CUDA_FTZ", o->ftz},
               {"__CUDA_PREC_DIV", o->prec_div},
               {"__CUDA_PREC_SQRT", o->prec_sqrt},
               {"__CUDA_ARCH", o->arch * 10}};
    while (n && !name[n - 1]) n--;
    for (size_t k = 0; k < COUNT(all); k++)
        if (strlen(all[k].name) == n && !memcmp(all[k].name, name, n)) return all[k].value;
    return 0;
}

// Each call of f becomes a constant: what the text asks for that it has as its argument, or else `name`.
static void answer(const Build *b, LLVMValueRef f, const char *name)
{
    const Llvm *l = b->l;
    for (LLVMUseRef use = l->GetFirstUse(f), next; use; use = next) {
        LLVMValueRef call = l->GetUser(use);
        size_t n = name ? strlen(name) : 0;
        next = l->GetNextUse(use);
        if (!l->IsACallInst(call) || l->GetCalledValue(call) != f) continue;
        const char *text = name ? name : text_of(l, l->GetOperand(call, 0), &n);
        l->ReplaceAllUsesWith(call, l->ConstInt(l->TypeOf(call), text ? asked(b, text, n) : 0, 0));
        l->InstructionEraseFromParent(call);
    }
}

void lower_options(const Build *b)
{
    for (LLVMValueRef f = b->l->GetFirstFunction(b->module); f; f = b->l->GetNextFunction(f)) {
        size_t n;
        const char *name = b->l->GetValueName2(f, &n);
        if (!strcmp(name, "__nvvm_reflect") || has_prefix(name, "llvm.nvvm.reflect") ||
            has_prefix(name, "onchip.llvm.nvvm.reflect"))
            answer(b, f, NULL);
        if (!strcmp(name, "onchip_ftz")) answer(b, f, "__CUDA_FTZ");  // our libdevice.cu
        if (!strcmp(name, "onchip_prec_sqrt")) answer(b, f, "__CUDA_PREC_SQRT");
    }
}

bool lower_intrinsics(const Build *b)
{
    bool ok = true;
    for (LLVMValueRef f = b->l->GetFirstFunction(b->module); f; f = b->l->GetNextFunction(f)) {
        static const char ours[] = "onchip.";
        size_t n;
        const char *name = b->l->GetValueName2(f, &n);
        if (!has_prefix(name, "onchip.llvm.") || !b->l->IsDeclaration(f) || !b->l->GetFirstUse(f)) continue;
        text_printf(b->log, "error: the intrinsic %s isn't known\n", name + strlen(ours));
        ok = false;
    }
    return ok;
}

// --- calls ----------------------------------------------------------------------------------------------------------
static bool has_flag(const Build *b, LLVMValueRef f, const char *name)
{
    return b->l->GetEnumAttributeAtIndex(f, LLVM_OF_FUNCTION, b->l->GetEnumAttributeKindForName(name, strlen(name)));
}

static bool has_one_call(const Llvm *l, LLVMValueRef f)
{
    const LLVMUseRef use = l->GetFirstUse(f);
    if (!use || l->GetNextUse(use)) return false;
    LLVMValueRef call = l->GetUser(use);
    return l->IsACallInst(call) && l->GetCalledValue(call) == f;
}

// LLVM takes a large function that others might see for too large, though the code doesn't grow. Numba's kernels are
// such: each calls the function that was compiled. On a GPU a call costs registers.
void lower_inline(const Build *b)
{
    for (LLVMValueRef f = b->l->GetFirstFunction(b->module); f; f = b->l->GetNextFunction(f))
        if (!b->l->IsDeclaration(f) && has_one_call(b->l, f) && !has_flag(b, f, "noinline") &&
            !has_flag(b, f, "optnone"))
            add_flag(b, f, "alwaysinline");
}
