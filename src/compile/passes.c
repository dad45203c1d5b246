// passes.c: what clang is called for: the device's pass, in two steps, the host's pass, and the link.
//
// The device's pass stops at LLVM's intermediate form, before any optimisation, since only there kernels' parameters
// have names; a second call makes PTX of it, as one call would.
#include "compile/unit.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

static const char libclc[] = "/usr/lib/clc/nvptx64--nvidiacl.bc";
static const char options_of_both[] =
    // The release of CUDA whose launches clang is to write (-target-sdk-version): all releases of clang from 14 on know
    // this one. A toolkit that is installed isn't looked at.
    "-x\0cuda\0-nocudainc\0-nocudalib\0--cuda-path=/nonexistent\0-Wno-unknown-cuda-version\0"
    "-Xclang\0-target-sdk-version=11.5\0";

static void add_all(WordList *w, const WordList *from)
{
    for (size_t k = 0; from && k < from->n; k++) vec_push(w, from->v[k]);
}

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
    for (const char *p = options_of_both; *p; p += strlen(p) + 1) words_add(w, p, NULL);
    if (!t->build || !has_standard(&t->build->both)) words_add(w, "-std=c++17", NULL);
    if (t->build) add_all(w, &t->build->both);
    words_add(w, "-isystem", t->headers, NULL);
    words_add(w, "-include", "cuda_runtime.h", NULL);
}

// With -rdc both passes name what is static alike, by the file.
enum { PART = 40 };
static void add_part(const Tool *t, const char *source, char part[PART], WordList *w)
{
    if (!t->build || !t->build->parts) return;
    Text name = {0};
    char folder[4096];
    text_printf(&name, "%s/%s", getcwd(folder, sizeof folder) ? folder : "", source);
    snprintf(part, PART, "-cuid=%s", cache_key(&name).text);
    text_free(&name);
    words_add(w, "-fgpu-rdc", part, NULL);
}

static void target_word(Target target, char *word, size_t size)
{
    snprintf(word, size, "sm_%u%.1s", target.capability, target.kind ? &target.kind : "");
}

bool pass_ir(const Tool *t, const char *source, Target target, const char *ir, const char *depend, Diag *diag)
{
    WordList w = {0};
    Text what = {0};
    char arch[64], ptx[32], cpu[32], part[PART];
    target_word(target, cpu, sizeof cpu);
    snprintf(arch, sizeof arch, "--cuda-gpu-arch=%s", cpu);
    snprintf(ptx, sizeof ptx, "+ptx%u", t->clang->ptx);
    text_printf(&what, "%s doesn't compile for the device", source);
    add_both(t, &w);
    words_add(&w, "--cuda-device-only", arch, NULL);
    words_add(&w, "-Xclang", "-target-feature", "-Xclang", ptx, NULL);
    words_add(&w, t->build && t->build->device_debug ? "-O0" : "-O3", "-g1", NULL);
    // libclc's steps that are free of error mustn't be fused across statements (-ffp-contract=fast, clang's default).
    words_add(&w, "-ffp-contract=on", NULL);
    if (!access(libclc, R_OK)) words_add(&w, "-Xclang", "-mlink-builtin-bitcode", "-Xclang", libclc, NULL);
    words_add(&w, "-w", NULL);  // the host's pass warns
    if (t->build) add_all(&w, &t->build->device);
    add_part(t, source, part, &w);
    if (depend) words_add(&w, "-MD", "-MF", depend, NULL);
    words_add(&w, "-fno-discard-value-names", "-Xclang", "-disable-llvm-passes", NULL);
    words_add(&w, "-emit-llvm", "-S", "-o", ir, source, NULL);
    const bool ok = tool_clang(t, what.v, &w, diag);
    vec_free(&w), text_free(&what);
    return ok;
}

// --- functions without a body --------------------------------------------------------------------------------------
// What the device itself offers to a program (CUDA C++ Programming Guide, "Formatted output", "Dynamic global memory").
static bool is_of_device(const char *name, size_t n)
{
    static const char *const all[] = {"vprintf", "malloc", "free", "__assertfail"};
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

bool pass_ptx(const Tool *t, const char *source, Target target, const char *ir, Text *ptx, Diag *diag)
{
    WordList w = {0};
    Text what = {0}, made = {0}, names = {0};
    char cpu[32], feature[32];
    target_word(target, cpu, sizeof cpu);
    snprintf(feature, sizeof feature, "+ptx%u", t->clang->ptx);
    text_printf(&what, "no PTX can be made of %s", source);
    text_printf(&made, "%s/device.ptx", t->folder);
    words_add(&w, "-cc1", "-triple", "nvptx64-nvidia-cuda", "-target-cpu", cpu, NULL);
    words_add(&w, "-target-feature", feature, "-ffp-contract=on", "-fno-dwarf-directory-asm", NULL);
    words_add(&w, t->build && t->build->device_debug ? "-O0" : "-O3", NULL);
    if (t->build) add_all(&w, &t->build->codegen);
    words_add(&w, "-vectorize-loops", "-vectorize-slp", NULL);  // as its driver asks for
    words_add(&w, "-x", "ir", "-S", "-o", made.v, ir, NULL);
    bool ok = tool_clang(t, what.v, &w, diag);
    if (ok && !(t->build && t->build->dry)) {
        ok = (text_read_file(ptx, made.v) && text_read_file(&names, ir)) ||
             diag_error(diag, "clang has left no PTX of %s", source);
        if (ok && ptx->n) signatures_put(names.v ? names.v : "", ptx);
        ok = ok && check_bodies(source, ptx, diag);
    }
    unlink(made.v);
    vec_free(&w), text_free(&what), text_free(&made), text_free(&names);
    return ok;
}

bool pass_host(const Tool *t, const char *source, const char *fatbin, const char *object, const char *depend,
               Diag *diag)
{
    WordList w = {0};
    Text what = {0};
    char part[PART];
    text_printf(&what, "%s doesn't compile for the host", source);
    if (fatbin) {
        add_both(t, &w);
        words_add(&w, "--cuda-host-only", "-Xclang", "-fcuda-include-gpubinary", "-Xclang", NULL);
        words_add(&w, fatbin, NULL);
        add_part(t, source, part, &w);
    } else if (t->build && !ends_in(source, ".s")) {
        add_all(&w, &t->build->both);
        words_add(&w, "-isystem", t->headers, NULL);
    }
    if (!t->build) words_add(&w, "-O2", NULL);
    if (t->build) add_all(&w, &t->build->host);
    if (depend) words_add(&w, "-MD", "-MF", depend, NULL);
    words_add(&w, ends_in(object, ".s") ? "-S" : "-c", "-o", object, source, NULL);
    const bool ok = tool_clang(t, what.v, &w, diag);
    vec_free(&w), text_free(&what);
    return ok;
}

bool pass_read(const Tool *t, const char *source, bool cuda, Diag *diag)
{
    WordList w = {0};
    Text what = {0};
    text_printf(&what, "%s can't be read", source);
    if (cuda)
        add_both(t, &w), words_add(&w, "--cuda-host-only", NULL);
    else
        add_all(&w, &t->build->both), words_add(&w, "-isystem", t->headers, NULL);
    add_all(&w, &t->build->host);
    if (t->build->step == BUILD_PREPROCESS) words_add(&w, "-E", NULL);
    if (t->build->output) words_add(&w, "-o", t->build->output, NULL);
    words_add(&w, source, NULL);
    const bool ok = tool_clang(t, what.v, &w, diag);
    vec_free(&w), text_free(&what);
    return ok;
}

bool pass_link(const Tool *t, const WordList *objects, const char *output, Diag *diag)
{
    WordList w = {0};
    Text what = {0}, library = {0}, path = {0}, folder = {0};
    bool ok = own_folder("cuda", &library, diag);
    if (ok) {
        text_printf(&what, "%s can't be linked", output);
        text_printf(&path, "-Wl,-rpath,%s", library.v);
        text_printf(&folder, "-L%s/lib64", library.v);
        add_all(&w, objects);
        if (t->build && t->build->shared) words_add(&w, "-shared", NULL);
        if (t->build) add_all(&w, &t->build->link);
        // The runtime's name brings libc in front of it (cuda/lib64/libcudart_static.a).
        words_add(&w, folder.v, "-lstdc++", "-lm", "-lcudadevrt", "-lcudart_static", "-lrt", "-lpthread", "-ldl", NULL);
        words_add(&w, path.v, "-o", output, NULL);
        ok = tool_clang(t, what.v, &w, diag);
    }
    vec_free(&w), text_free(&what), text_free(&library), text_free(&path), text_free(&folder);
    return ok;
}
