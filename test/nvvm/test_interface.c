// libNVVM's calls: their results for what is right, wrong or unknown, as NVIDIA's "libNVVM API" has them; what is part
// of the PTX and what isn't; and that nothing brings the caller down.
#include "check.h"

#include <dlfcn.h>
#include <nvvm/libnvvm.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Calls {
#define CALL(name) __typeof__(&nvvm##name) name;
#define CALLS                    \
    CALL(GetErrorString)         \
    CALL(Version)                \
    CALL(IRVersion)              \
    CALL(CreateProgram)          \
    CALL(DestroyProgram)         \
    CALL(AddModuleToProgram)     \
    CALL(LazyAddModuleToProgram) \
    CALL(CompileProgram)         \
    CALL(VerifyProgram)          \
    CALL(GetCompiledResultSize)  \
    CALL(GetCompiledResult) CALL(GetProgramLogSize) CALL(GetProgramLog)
    CALLS
#undef CALL
} Calls;

static int set_up(void **state)
{
    Calls *c = calloc(1, sizeof *c);
    char path[4096];
    snprintf(path, sizeof path, "%s/cuda/nvvm/lib64/libnvvm.so.4", getenv("ONCHIP_BUILD"));
    void *library = dlopen(path, RTLD_NOW);
    if (!library || !dlopen("libLLVM-14.so.1", RTLD_NOW)) exit(77);
#define CALL(name)                                     \
    *(void **)&c->name = dlsym(library, "nvvm" #name); \
    if (!c->name) return -1;
    CALLS
#undef CALL
    *state = c;
    return 0;
}

static int tear_down(void **state)
{
    free(*state);
    return 0;
}

// --- programs of one module, or two ----------------------------------------------------------------------------------
typedef struct Made {
    nvvmResult result;
    char *ptx, *log;
} Made;

static Made make(const Calls *c, const char *ir, const char *lazy, const char *option)
{
    Made m = {0};
    nvvmProgram p = NULL;
    size_t size = 0;
    const char *options[] = {"-arch=compute_75", option};
    assert_int_equal(c->CreateProgram(&p), NVVM_SUCCESS);
    assert_int_equal(c->AddModuleToProgram(p, ir, strlen(ir), "first"), NVVM_SUCCESS);
    if (lazy) assert_int_equal(c->LazyAddModuleToProgram(p, lazy, strlen(lazy), NULL), NVVM_SUCCESS);
    m.result = c->CompileProgram(p, option ? 2 : 1, options);
    if (!m.result) {
        assert_int_equal(c->GetCompiledResultSize(p, &size), NVVM_SUCCESS);
        c->GetCompiledResult(p, m.ptx = calloc(1, size));
    } else
        assert_int_equal(c->GetCompiledResultSize(p, &size), NVVM_ERROR_INVALID_PROGRAM);
    assert_int_equal(c->GetProgramLogSize(p, &size), NVVM_SUCCESS);
    c->GetProgramLog(p, m.log = calloc(1, size));
    assert_int_equal(strlen(m.log) + 1, size);
    assert_int_equal(c->DestroyProgram(&p), NVVM_SUCCESS);
    return m;
}

// It fails so, and the log has the words.
static void fails(const Calls *c, const char *ir, const char *option, nvvmResult result, const char *words)
{
    Made m = make(c, ir, NULL, option);
    if (m.result != result || !strstr(m.log, words)) fail_msg("%s: result %d, log:\n%s", ir, (int)m.result, m.log);
    free(m.ptx), free(m.log);
}

static const char good[] = "target triple = \"nvptx64-nvidia-cuda\"\n"
                           "define i32 @twice(i32 %x) {\n  %y = add i32 %x, %x\n  ret i32 %y\n}\n";

static void test_versions(void **state)
{
    const Calls *c = *state;
    int major, minor, debug, debug_minor;
    assert_int_equal(c->Version(&major, &minor), NVVM_SUCCESS);
    assert_in_range(major, 1, 2);
    assert_int_equal(c->IRVersion(&major, &minor, &debug, &debug_minor), NVVM_SUCCESS);
    assert_int_equal(major * 10 + minor, 16);
    assert_int_equal(c->IRVersion(&major, NULL, &debug, &debug_minor), NVVM_ERROR_INVALID_INPUT);
    assert_string_equal(c->GetErrorString(NVVM_ERROR_INVALID_OPTION), "NVVM_ERROR_INVALID_OPTION");
    assert_int_equal(NVVM_ERROR_COMPILATION, 9);
    assert_non_null(c->GetErrorString((nvvmResult)99));
}

static void test_handles(void **state)
{
    const Calls *c = *state;
    nvvmProgram p = NULL, stale, other = (nvvmProgram)(uintptr_t)16;
    size_t size;
    char text[8];
    assert_int_equal(c->CreateProgram(&p), NVVM_SUCCESS);
    stale = p;
    assert_int_equal(c->GetProgramLogSize(p, &size), NVVM_SUCCESS);
    assert_int_equal(size, 1);
    assert_int_equal(c->CompileProgram(p, 0, NULL), NVVM_ERROR_NO_MODULE_IN_PROGRAM);
    assert_int_equal(c->GetCompiledResultSize(p, &size), NVVM_ERROR_INVALID_PROGRAM);
    assert_int_equal(c->AddModuleToProgram(p, NULL, 3, "x"), NVVM_ERROR_INVALID_INPUT);
    assert_int_equal(c->AddModuleToProgram(p, good, 0, "x"), NVVM_ERROR_INVALID_INPUT);
    assert_int_equal(c->DestroyProgram(&p), NVVM_SUCCESS);
    assert_null(p);
    const nvvmProgram strangers[] = {NULL, stale, other};
    for (size_t k = 0; k < 3; k++) {
        nvvmProgram s = strangers[k];
        assert_int_equal(c->AddModuleToProgram(s, good, sizeof good - 1, "x"), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->CompileProgram(s, 0, NULL), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->VerifyProgram(s, 0, NULL), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->GetCompiledResultSize(s, &size), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->GetCompiledResult(s, text), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->GetProgramLogSize(s, &size), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->GetProgramLog(s, text), NVVM_ERROR_INVALID_PROGRAM);
        assert_int_equal(c->DestroyProgram(&s), NVVM_ERROR_INVALID_PROGRAM);
    }
    assert_int_equal(c->DestroyProgram(NULL), NVVM_ERROR_INVALID_PROGRAM);
}

static void test_options(void **state)
{
    static const char *const wrong[] = {
        "-made-up=2", "-ftz=2", "-ftz", "-arch=sm_75",       "-arch=compute_71", "-opt=4",
        "-opt=",      "-g=1",   "",     "-arch=compute_90a", "-fma=01",          "-opt=compute_7"};
    static const char *const right[] = {
        "-opt=0", "-g", "-ftz=1", "-prec-div=0", "-prec-sqrt=0", "-fma=0", "-generate-line-info"};
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; k++)
        fails(*state, good, wrong[k], NVVM_ERROR_INVALID_OPTION, "is an unsupported option");
    for (size_t k = 0; k < sizeof right / sizeof *right; k++) fails(*state, good, right[k], NVVM_SUCCESS, "");
    // A target that LLVM 14 doesn't know gets the code of the one below it, and one below none isn't there.
    Made m = make(*state, good, NULL, "-arch=compute_90");
    assert_int_equal(m.result, NVVM_SUCCESS);
    assert_non_null(strstr(m.ptx, ".target sm_86"));
    free(m.ptx), free(m.log);
    fails(*state, good, "-arch=compute_10", NVVM_ERROR_INVALID_OPTION, "-arch=compute_10");
}

static void test_wrong(void **state)
{
    fails(*state, "define i32 @f() {\n  ret i32 %x\n}\n", NULL, NVVM_ERROR_COMPILATION, "first:2:11");
    fails(*state, "BC\xc0\xde is no bitcode", NULL, NVVM_ERROR_COMPILATION, "error");
    fails(*state, "!nvvmir.version = !{!0}\n!0 = !{i32 3, i32 0}\n", NULL, NVVM_ERROR_IR_VERSION_MISMATCH, "version 3");
    fails(*state, "target triple = \"nvptx-nvidia-cuda\"\n", NULL, NVVM_ERROR_COMPILATION, "32-bit");
    fails(*state,
          "declare void @llvm.nvvm.made.up()\ndefine void @f() {\n  call void @llvm.nvvm.made.up()\n  ret void\n}\n",
          NULL, NVVM_ERROR_COMPILATION, "the intrinsic llvm.nvvm.made.up isn't known");
    // LLVM 14 ends the process here: it has no stack whose size is known at run time.
    fails(*state,
          "define void @f(i32 %n) {\n  %x = alloca i32, i32 %n\n  store volatile i32 1, i32* %x\n  ret void\n}\n", NULL,
          NVVM_ERROR_COMPILATION, "LLVM");
    // A name that two modules define.
    Made m = make(*state, good, NULL, NULL);
    assert_int_equal(m.result, NVVM_SUCCESS);
    free(m.ptx), free(m.log);
    const Calls *c = *state;
    nvvmProgram p;
    c->CreateProgram(&p);
    c->AddModuleToProgram(p, good, sizeof good - 1, "one"), c->AddModuleToProgram(p, good, sizeof good - 1, "two");
    assert_int_equal(c->CompileProgram(p, 0, NULL), NVVM_ERROR_COMPILATION);
    assert_int_equal(c->VerifyProgram(p, 0, NULL), NVVM_SUCCESS);  // each by itself is right
    c->DestroyProgram(&p);
    static const char bad[] = "define i32 @f() {\n  %x = add i32 0, 1\n}\n";
    c->CreateProgram(&p);
    c->AddModuleToProgram(p, bad, sizeof bad - 1, "bad");
    assert_int_equal(c->VerifyProgram(p, 0, NULL), NVVM_ERROR_INVALID_IR);
    c->DestroyProgram(&p);
}

static void test_parts(void **state)
{
    static const char user[] = "declare i32 @used(i32)\n@x = internal global i32 0\n"
                               "define i32 @seen(i32 %a) {\n  %b = call i32 @used(i32 %a)\n  ret i32 %b\n}\n"
                               "define internal i32 @unseen(i32 %a) {\n  ret i32 %a\n}\n"
                               "define void @k() {\n  ret void\n}\n"
                               "!nvvm.annotations = !{!0}\n!0 = !{void ()* @k, !\"kernel\", i32 1}\n";
    static const char lazy[] = "define i32 @used(i32 %a) noinline {\n  %b = call i32 @helper(i32 %a)\n  ret i32 %b\n}\n"
                               "define internal i32 @helper(i32 %a) noinline {\n  %b = mul i32 %a, 5\n  ret i32 %b\n}\n"
                               "define i32 @unused(i32 %a) noinline {\n  ret i32 %a\n}\n";
    Made m = make(*state, user, lazy, NULL);
    if (m.result) fail_msg("%s", m.log);
    assert_non_null(strstr(m.ptx, ".visible .entry k("));
    assert_non_null(strstr(m.ptx, ".visible .func  (.param .b32 func_retval0) seen("));
    assert_null(strstr(m.ptx, "unseen"));
    assert_null(strstr(m.ptx, "unused"));
    assert_non_null(strstr(m.ptx, "used"));
    assert_null(strstr(m.ptx, ".visible .func  (.param .b32 func_retval0) used("));
    free(m.ptx), free(m.log);
    // What no module has stays to be linked.
    m = make(*state, user, NULL, NULL);
    assert_non_null(strstr(m.ptx, ".extern .func  (.param .b32 func_retval0) used"));
    free(m.ptx), free(m.log);
}

// Accesses say which memory they are of where the pointer's intrinsic tells. What is called in one place becomes part
// of it, however large, unless it may not.
static void test_code(void **state)
{
    static const char ir[] =
        "@s = internal addrspace(3) global [32 x i32] undef\n"
        "declare i8* @llvm.nvvm.ptr.shared.to.gen.p0i8.p3i8(i8 addrspace(3)*)\n"
        "define linkonce_odr i32 @apart(i32 %a) noinline {\n  %b = mul i32 %a, 88\n  ret i32 %b\n}\n"
        "define void @k(i32* %out, i64 %n) {\n"
        "  %g = call i8* @llvm.nvvm.ptr.shared.to.gen.p0i8.p3i8(i8 addrspace(3)* bitcast "
        "([32 x i32] addrspace(3)* @s to i8 addrspace(3)*))\n"
        "  %p = bitcast i8* %g to i32*\n  %q = getelementptr i32, i32* %p, i64 %n\n"
        "  %a = load volatile i32, i32* %q\n  %b = call i32 @once(i32 %a)\n  %c = call i32 @apart(i32 %b)\n"
        "  store i32 %c, i32* %out\n  ret void\n}\n"
        "!nvvm.annotations = !{!0}\n!0 = !{void (i32*, i64)* @k, !\"kernel\", i32 1}\n";
    static char all[1 << 18];
    char *end = all + sprintf(all, "%sdefine linkonce_odr i32 @once(i32 %%a) {\n", ir);
    for (int k = 0; k < 3000; k++) end += sprintf(end, "  store volatile i32 %d, i32 addrspace(1)* @words\n", k);
    strcpy(end, "  %b = mul i32 %a, 77\n  ret i32 %b\n}\n@words = addrspace(1) global i32 0\n");
    Made m = make(*state, all, NULL, NULL);
    if (m.result) fail_msg("%s", m.log);
    if (!strstr(m.ptx, "ld.volatile.shared.u32") || !strstr(m.ptx, "st.global.u32")) fail_msg("%s", m.ptx);
    assert_null(strstr(m.ptx, "once"));
    assert_non_null(strstr(m.ptx, "apart"));
    free(m.ptx), free(m.log);
}

static void test_debug(void **state)
{
    static const char ir[] =
        "define i32 @f(i32 %a) !dbg !2 {\n  %b = mul i32 %a, %a, !dbg !5\n  ret i32 %b, !dbg !5\n}\n"
        "!llvm.dbg.cu = !{!0}\n!llvm.module.flags = !{!6, !7}\n"
        "!0 = distinct !DICompileUnit(language: DW_LANG_C_plus_plus, file: !1, emissionKind: FullDebug)\n"
        "!1 = !DIFile(filename: \"a.py\", directory: \"/tmp\")\n"
        "!2 = distinct !DISubprogram(name: \"f\", file: !1, line: 7, type: !3, unit: !0, spFlags: DISPFlagDefinition)\n"
        "!3 = !DISubroutineType(types: !4)\n!4 = !{null}\n!5 = !DILocation(line: 8, column: 3, scope: !2)\n"
        "!6 = !{i32 2, !\"Dwarf Version\", i32 2}\n!7 = !{i32 2, !\"Debug Info Version\", i32 3}\n";
    static const struct {
        const char *option;
        bool debug, lines;
    } rows[] = {{NULL, false, false}, {"-generate-line-info", false, true}, {"-g", true, true}};
    for (size_t k = 0; k < 3; k++) {
        Made m = make(*state, ir, NULL, rows[k].option);
        if (m.result) fail_msg("%s", m.log);
        assert_int_equal(strstr(m.ptx, ".target sm_75, debug") != NULL, rows[k].debug);
        assert_int_equal(strstr(m.ptx, ".debug_info") != NULL, rows[k].debug);
        assert_int_equal(strstr(m.ptx, ".loc\t1 8 3") != NULL, rows[k].lines);
        free(m.ptx), free(m.log);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_versions), cmocka_unit_test(test_handles), cmocka_unit_test(test_options),
        cmocka_unit_test(test_wrong),    cmocka_unit_test(test_parts),   cmocka_unit_test(test_code),
        cmocka_unit_test(test_debug),
    };
    return cmocka_run_group_tests(tests, set_up, tear_down);
}
