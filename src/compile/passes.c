// passes.c: what clang is called for: the device's pass, in two steps, the host's pass, and the link.
//
// The device's pass stops at LLVM's intermediate form, before any optimisation, since only there kernels' parameters
// have names; a second call makes PTX of it, as one call would.
#include "compile/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char libclc[] = "/usr/lib/clc/nvptx64--nvidiacl.bc";
static bool ends_in(const char *text, const char *end)
{
    const size_t n = strlen(text), m = strlen(end);
    return n >= m && !strcmp(text + n - m, end);
}

static bool has_standard(const WordList *w)
{
    for (size_t k = 0; k < w->n; k++)
        if (!strncmp(w->v[k], "-std=", 5)) return true;
    return false;
}

// What both passes of a .cu file are told.
static void add_both(const Tool *t, WordList *w)
{
    // A toolkit that is installed isn't looked at. The SDK's version says whose launches clang writes; all releases
    // from 14 on know this one.
    words_add(w, "-x", "cuda", "-nocudainc", "-nocudalib", "--cuda-path=/nonexistent", NULL);
    words_add(w, "-Wno-unknown-cuda-version", "-Xclang", "-target-sdk-version=11.5", NULL);
    // Declared only, and never called, by templates that ask what a type can do: libcu++ has them.
    words_add(w, "-Xclang", "-fcuda-allow-variadic-functions", NULL);
    if (!has_standard(&t->build->both)) words_add(w, "-std=c++17", NULL);
    words_add(w, "-D__NVCC__", NULL);  // by which sources know CUDA; -U__NVCC__ takes it back
    words_join(w, &t->build->both);
    words_add(w, "-isystem", t->headers, "-include", "cuda_runtime.h", NULL);
}

// What the host's pass is told; of other source than CUDA's, too.
static void add_host(const Tool *t, bool cuda, WordList *w)
{
    if (cuda)
        add_both(t, w), words_add(w, "--cuda-host-only", NULL);
    else
        words_join(w, &t->build->both), words_add(w, "-isystem", t->headers, NULL);
}

// With -rdc both passes name what is static alike, by the file.
enum { PART = 40 };
static void add_part(const Tool *t, const char *source, char part[PART], WordList *w)
{
    if (!t->build->parts) return;
    Text name = {0};
    char folder[4096];
    text_printf(&name, "%s/%s", getcwd(folder, sizeof folder) ? folder : "", source);
    snprintf(part, PART, "-cuid=%s", cache_key(&name).text);
    text_free(&name);
    words_add(w, "-fgpu-rdc", part, NULL);
}

// A target, and the version of the PTX ISA, as clang names them: "sm_90a", "+ptx85".
typedef struct TargetWords {
    char cpu[32], feature[32];
} TargetWords;
static TargetWords target_words(const Tool *t, Target target)
{
    TargetWords w;
    snprintf(w.cpu, sizeof w.cpu, "sm_%u%.1s", target.capability, target.kind ? &target.kind : "");
    snprintf(w.feature, sizeof w.feature, "+ptx%u", t->clang->ptx);
    return w;
}

// Runs clang, and releases its words.
static bool run_clang(const Tool *t, const char *source, const char *fails, WordList *w, Diag *diag)
{
    Text what = {0};
    text_printf(&what, "%s %s", source, fails);
    const bool ok = tool_run(t, what.v, t->clang->path, w, diag);
    vec_free(w), text_free(&what);
    return ok;
}

bool pass_ir(const Tool *t, const char *source, Target target, const char *ir, const char *depend, Diag *diag)
{
    WordList w = {0};
    char arch[64], part[PART];
    const TargetWords of = target_words(t, target);
    snprintf(arch, sizeof arch, "--cuda-gpu-arch=%s", of.cpu);
    add_both(t, &w);
    words_add(&w, "--cuda-device-only", arch, "-Xclang", "-target-feature", "-Xclang", of.feature, NULL);
    words_add(&w, t->build->device_debug ? "-O0" : "-O3", "-g1", NULL);
    // libclc's steps that are free of error mustn't be fused across statements (-ffp-contract=fast, clang's default).
    words_add(&w, "-ffp-contract=on", NULL);
    // CUDA programs shuffle values that one lane alone has set. By the rules of C++ no lane may be without one, and
    // clang would have all lanes set it: in `int r; if (lane == 0) r = atomicAdd(n, k); r = __shfl_sync(all, r, 0);`.
    words_add(&w, "-Xclang", t->clang->release < 15 ? "-disable-noundef-analysis" : "-no-enable-noundef-analysis",
              NULL);
    if (!access(libclc, R_OK)) words_add(&w, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc, NULL);
    words_add(&w, "-w", NULL);  // the host's pass warns
    words_join(&w, &t->build->device);
    add_part(t, source, part, &w);
    if (depend) words_add(&w, "-MD", "-MF", depend, NULL);
    words_add(&w, "-fno-builtin-malloc", NULL);  // which may fail on the device, also where nobody writes to it
    words_add(&w, "-fno-discard-value-names", "-Xclang", "-disable-llvm-passes", NULL);
    words_add(&w, "-emit-llvm", "-S", "-o", ir, source, NULL);
    return run_clang(t, source, "doesn't compile for the device", &w, diag);
}

// --- functions without a body --------------------------------------------------------------------------------------
// What the device itself offers to a program (CUDA C++ Programming Guide, "Formatted output", "Dynamic global memory",
// "Conditional Graph Nodes").
static bool is_of_device(const char *name, size_t n)
{
    static const char *const all[] = {"vprintf", "malloc", "free", "__assertfail", "cudaGraphSetConditional"};
    for (size_t k = 0; k < COUNT(all); k++)
        if (strlen(all[k]) == n && !memcmp(all[k], name, n)) return true;
    return false;
}

// ".extern .func (.param .b32 func_retval0) _Z3sinf" declares one. False, with the reason: one is missing.
static bool check_bodies(const char *source, const Text *ptx, Diag *diag)
{
    static const char head[] = "\n.extern .func";
    for (const char *p = ptx->v; (p = strstr(p, head));) {
        p += strlen(head);
        p += strspn(p, " \t\n");
        if (*p == '(') p += strcspn(p, ")") + 1;
        p += strspn(p, " \t\n");
        const size_t n = strcspn(p, " \t\n(;");
        if (is_of_device(p, n)) continue;
        // libclc's are mangled as OpenCL C's: _Z3sinf.
        if (!strncmp(p, "_Z", 2) && access(libclc, R_OK))
            return diag_error(diag,
                              "%s needs a function of mathematics that isn't installed (%.*s)\nhint: apt install "
                              "libclc-14, or libclc-16, libclc-19 for clang 16, 19",
                              source, (int)n, p);
        return diag_error(diag,
                          "%s calls the device function %.*s, which has no body in this file\nhint: -rdc=true links "
                          "device code of several files",
                          source, (int)n, p);
    }
    return true;
}

// Takes the kernels' directives out of the file; text gets what is left.
static bool take_directives(const char *ir, Text *text, Directives *all, Diag *diag)
{
    if (!text_read_file(text, ir)) return true;  // clang tells
    directives_take(text, all);
    return !all->taken || write_file(text, ir, diag);
}

bool pass_ptx(const Tool *t, const char *source, Target target, const char *ir, bool whole, Text *ptx, Diag *diag)
{
    WordList w = {0};
    Text made = {0}, text = {0};
    Directives directives = {0};
    const TargetWords of = target_words(t, target);
    text_printf(&made, "%s/device.ptx", t->folder);
    words_add(&w, "-cc1", "-triple", "nvptx64-nvidia-cuda", "-target-cpu", of.cpu, NULL);
    words_add(&w, "-target-feature", of.feature, "-ffp-contract=on", "-fno-dwarf-directory-asm", NULL);
    words_add(&w, t->build->device_debug ? "-O0" : "-O3", NULL);
    words_join(&w, &t->build->codegen);
    words_add(&w, "-vectorize-loops", "-vectorize-slp", NULL);  // as its driver asks for
    words_add(&w, "-w", NULL);  // of loops that aren't unrolled: many are in Thrust, and nvcc doesn't tell either
    words_add(&w, "-x", "ir", "-S", "-o", made.v, ir, NULL);
    bool ok = take_directives(ir, &text, &directives, diag) && run_clang(t, source, "gives no PTX", &w, diag);
    if (ok && !t->build->dry) {
        ok = text_read_file(ptx, made.v) || diag_error(diag, "clang has left no PTX of %s", source);
        if (ok) directives_put(&directives, ptx);
        if (ok && t->build->registers) directives_limit(t->build->registers, ptx);
        if (ok && ptx->n) signatures_put(text.v ? text.v : "", ptx);
        ok = ok && (!whole || check_bodies(source, ptx, diag));
    }
    unlink(made.v);
    text_free(&made), text_free(&text), directives_free(&directives);
    return ok;
}

bool pass_host(const Tool *t, const char *source, const char *fatbin, const char *object, const char *depend,
               Diag *diag)
{
    WordList w = {0};
    char part[PART];
    const bool made = ends_in(source, ".s") || ends_in(source, ".ll");  // by an earlier pass
    if (!made) add_host(t, fatbin != NULL, &w);
    if (fatbin) {
        words_add(&w, "-Xclang", "-fcuda-include-gpubinary", "-Xclang", fatbin, NULL);
        add_part(t, source, part, &w);
    }
    words_join(&w, &t->build->host);
    if (depend) words_add(&w, "-MD", "-MF", depend, NULL);
    // Assembly and what leads to it: shared variables are reached by way of pointers (managed.c).
    if (ends_in(object, ".ll")) words_add(&w, "-fPIC", "-Xclang", "-disable-llvm-passes", "-emit-llvm", NULL);
    if (ends_in(source, ".ll")) words_add(&w, "-fPIC", NULL);
    words_add(&w, ends_in(object, ".s") || ends_in(object, ".ll") ? "-S" : "-c", "-o", object, source, NULL);
    return run_clang(t, source, "doesn't compile for the host", &w, diag);
}

bool pass_read(const Tool *t, const char *source, bool cuda, Diag *diag)
{
    WordList w = {0};
    add_host(t, cuda, &w);
    words_join(&w, &t->build->host);
    if (t->build->step == BUILD_PREPROCESS) words_add(&w, "-E", NULL);
    if (t->build->output) words_add(&w, "-o", t->build->output, NULL);
    words_add(&w, source, NULL);
    return run_clang(t, source, "can't be read", &w, diag);
}

bool pass_link(const Tool *t, const WordList *objects, const char *output, Diag *diag)
{
    WordList w = {0};
    Text library = {0}, path = {0}, folder = {0};
    bool ok = own_folder("cuda", &library, diag);
    if (ok) {
        text_printf(&path, "-Wl,-rpath,%s", library.v);
        text_printf(&folder, "-L%s/lib64", library.v);
        words_join(&w, objects);
        if (t->build->shared) words_add(&w, "-shared", NULL);
        words_join(&w, &t->build->link);
        // The runtime's name brings libc in front of it (cuda/lib64/libcudart_static.a).
        words_add(&w, folder.v, "-lstdc++", "-lm", "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl", NULL);
        words_add(&w, path.v, "-o", output, NULL);
        ok = run_clang(t, output, "can't be linked", &w, diag);
    }
    text_free(&library), text_free(&path), text_free(&folder);
    return ok;
}
