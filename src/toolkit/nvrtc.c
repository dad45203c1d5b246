// nvrtc.c: NVRTC, over `onchip cc`, which compiles with clang. A program's source and headers are written into a folder
// for a while. What a program asks the lowered name of is compiled into a variable that points to it, whose value in
// the PTX is that name.
#include "base/base.h"
#include "driver/fatbin.h"

#include <dlfcn.h>
#include <errno.h>
#include <ftw.h>
#include <limits.h>
#include <nvrtc.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

typedef struct Part {
    char *name, *text;  // of a header; an expression, and its lowered name, null: not known
} Part;
struct _nvrtcProgram {
    char *source, *name;
    VEC(Part) headers;
    VEC(Part) expressions;
    bool tried, compiled;
    uint32_t capability;  // of real GPUs that were asked for; 0: a virtual one was
    Text log, ptx, cubin;
};
typedef struct _nvrtcProgram Program;

const char *nvrtcGetErrorString(nvrtcResult result)
{
    static const char *const texts[] = {"NVRTC_SUCCESS",
                                        "NVRTC_ERROR_OUT_OF_MEMORY",
                                        "NVRTC_ERROR_PROGRAM_CREATION_FAILURE",
                                        "NVRTC_ERROR_INVALID_INPUT",
                                        "NVRTC_ERROR_INVALID_PROGRAM",
                                        "NVRTC_ERROR_INVALID_OPTION",
                                        "NVRTC_ERROR_COMPILATION",
                                        "NVRTC_ERROR_BUILTIN_OPERATION_FAILURE",
                                        "NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION",
                                        "NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION",
                                        "NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID",
                                        "NVRTC_ERROR_INTERNAL_ERROR",
                                        "NVRTC_ERROR_TIME_FILE_WRITE_FAILED"};
    return (unsigned)result < COUNT(texts) ? texts[result] : "NVRTC_ERROR unknown";
}

// The name of the file says for which version of CUDA this is: libnvrtc.so.13.
nvrtcResult nvrtcVersion(int *major, int *minor)
{
    enum { OLDEST = 11, LAST_OF_OLDEST = 8 };
    Dl_info info;
    char path[PATH_MAX];
    if (!major || !minor) return NVRTC_ERROR_INVALID_INPUT;
    const bool found = dladdr((void *)nvrtcVersion, &info) && info.dli_fname && realpath(info.dli_fname, path);
    const char *number = found ? strstr(path, ".so.") : NULL;
    *major = number ? atoi(number + strlen(".so.")) : 0;
    if (*major < OLDEST) *major = OLDEST + 1;
    *minor = *major == OLDEST ? LAST_OF_OLDEST : 0;
    return NVRTC_SUCCESS;
}

static const int archs[] = {50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
nvrtcResult nvrtcGetNumSupportedArchs(int *count)
{
    if (!count) return NVRTC_ERROR_INVALID_INPUT;
    *count = COUNT(archs);
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetSupportedArchs(int *list)
{
    if (!list) return NVRTC_ERROR_INVALID_INPUT;
    memcpy(list, archs, sizeof archs);
    return NVRTC_SUCCESS;
}

// --- programs --------------------------------------------------------------------------------------------------------
static void part_free(Part *p) { mem_free(p->name), mem_free(p->text); }

nvrtcResult nvrtcDestroyProgram(nvrtcProgram *program)
{
    if (!program || !*program) return NVRTC_ERROR_INVALID_PROGRAM;
    Program *p = *program;
    for (size_t k = 0; k < p->headers.n; k++) part_free(&p->headers.v[k]);
    for (size_t k = 0; k < p->expressions.n; k++) part_free(&p->expressions.v[k]);
    vec_free(&p->headers), vec_free(&p->expressions);
    text_free(&p->log), text_free(&p->ptx), text_free(&p->cubin);
    mem_free(p->source), mem_free(p->name), mem_free(p);
    *program = NULL;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcCreateProgram(nvrtcProgram *program, const char *source, const char *name, int n,
                               const char *const *headers, const char *const *names)
{
    if (!program || !source || n < 0 || (n && (!headers || !names))) return NVRTC_ERROR_INVALID_INPUT;
    Program *p = mem_alloc(sizeof *p);
    p->source = mem_text(source), p->name = mem_text(name && *name ? name : "default_program");
    for (int k = 0; k < n; k++) vec_push(&p->headers, ((Part){mem_text(names[k]), mem_text(headers[k])}));
    *program = p;
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcAddNameExpression(nvrtcProgram p, const char *expression)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression) return NVRTC_ERROR_INVALID_INPUT;
    if (p->tried) return NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION;
    vec_push(&p->expressions, ((Part){mem_text(expression), NULL}));
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetLoweredName(nvrtcProgram p, const char *expression, const char **name)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!expression || !name) return NVRTC_ERROR_INVALID_INPUT;
    if (!p->compiled) return NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION;
    *name = NULL;
    for (size_t k = 0; k < p->expressions.n; k++)
        if (!strcmp(p->expressions.v[k].name, expression)) *name = p->expressions.v[k].text;
    return *name ? NVRTC_SUCCESS : NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID;
}

// --- files -----------------------------------------------------------------------------------------------------------
// A name as it stands in #include: folders in it are made. One that leads out of the folder isn't written.
static bool write_part(const char *folder, const char *name, const char *text, Text *log)
{
    Text path = {0}, all = {0};
    bool ok = *name && *name != '/' && !strstr(name, "..");
    text_printf(&path, "%s/%s", folder, name);
    for (size_t k = strlen(folder) + 1; ok && k < path.n; k++) {
        if (path.v[k] != '/') continue;
        path.v[k] = '\0';
        ok = !mkdir(path.v, 0700) || errno == EEXIST;
        path.v[k] = '/';
    }
    text_put(&all, text);
    ok = ok && text_write_file(&all, path.v);
    if (!ok) text_printf(log, "the header %s can't be written\n", name);
    text_free(&path), text_free(&all);
    return ok;
}

static int remove_one(const char *path, const struct stat *s, int kind, struct FTW *at)
{
    (void)s, (void)kind, (void)at;
    return remove(path);
}

// The source's file has the program's name without folders, which messages then show.
static const char *file_name(const Program *p)
{
    const char *slash = strrchr(p->name, '/');
    return slash && slash[1] ? slash + 1 : p->name;
}

static bool write_all(const Program *p, const char *folder, bool all_of_device, Text *log)
{
    Text source = {0};
    bool ok = true;
    for (size_t k = 0; k < p->headers.n && ok; k++)
        ok = write_part(folder, p->headers.v[k].name, p->headers.v[k].text, log);
    if (all_of_device) text_put(&source, "#pragma clang force_cuda_host_device begin\n#line 1\n");
    text_put(&source, p->source);
    if (all_of_device) text_put(&source, "\n#pragma clang force_cuda_host_device end\n");
    for (size_t k = 0; k < p->expressions.n; k++) {
        const char *e = p->expressions.v[k].name;
        text_printf(&source, "\nextern \"C\" __device__ const void *onchip_name_%zu = (const void *)&(%s);", k,
                    e + strspn(e, " &"));
    }
    text_put(&source, "\n");
    ok = ok && write_part(folder, file_name(p), source.v, log);
    text_free(&source);
    return ok;
}

// --- options ---------------------------------------------------------------------------------------------------------
typedef VEC(const char *) Words;
// Options that NVRTC has, and that nothing here depends on. Those that end in = have a value.
static const char *const without_effect[] = {
    "extra-device-vectorization",
    "pch",
    "create-pch=",
    "use-pch=",
    "pch-dir=",
    "pch-verbose=",
    "pch-messages=",
    "instantiate-templates-in-pch=",
    "split-compile=",
    "fdevice-syntax-only",
    "minimal",
    "no-source-include",
    "builtin-move-forward=",
    "builtin-initializer-list=",
    "modify-stack-limit=",
    "optimization-info=",
    "dopt=",
    "dopt",
    "jump-table-density=",
    "brief-diagnostics=",
    "ewp",
    "extensible-whole-program",
    "device-int128",
    "version-ident=",
    "disable-warnings",
    "dlink-time-opt",
    "gen-opt-lto",
    "time=",
    "no-cache",
    "device-stack-protector=",
    "optimize-unsupported=",
    "frandom-seed=",
    "arch-specific=",
    "random-seed=",
    "Ofast-compile=",
    "device-float128",
};

static bool has_no_effect(const char *word)
{
    const char *name = word + strspn(word, "-");
    for (size_t k = 0; k < COUNT(without_effect); k++) {
        const size_t n = strlen(without_effect[k]);
        const bool value = without_effect[k][n - 1] == '=';
        if (value ? !strncmp(name, without_effect[k], n) : !strcmp(name, without_effect[k])) return true;
    }
    return false;
}

static void take_architecture(Program *p, const char *word)
{
    Target t;
    const char *at = strstr(word, "sm_");
    const bool is = !strncmp(word, "--gpu-architecture", 18) || !strncmp(word, "-arch", 5) || !strncmp(word, "sm_", 3);
    if (is && at && target_read(at, &t)) p->capability = t.capability;
}

// To nvcc -dc also says that an object is made.
static const char *parts_option(const char *name)
{
    if (!strcmp(name, "device-c") || !strcmp(name, "dc")) return "-rdc=true";
    return !strcmp(name, "device-w") || !strcmp(name, "dw") ? "-rdc=false" : NULL;
}

static void take_options(Program *p, int n, const char *const *options, Words *words, bool *all_of_device)
{
    for (int k = 0; k < n; k++) {
        const char *o = options[k] + strspn(options[k], " ");
        if (!*o) continue;
        const char *name = o + strspn(o, "-");
        if (!strcmp(name, "default-device") || !strcmp(name, "device-as-default-execution-space")) {
            *all_of_device = true;
        } else if (parts_option(name)) {
            vec_push(words, parts_option(name));
        } else if (*o != '-' || !has_no_effect(o)) {
            take_architecture(p, o);
            vec_push(words, o);
        }
    }
}

// --- compiling -------------------------------------------------------------------------------------------------------
// bin/nvcc beside this library is onchip cc.
static bool find_compiler(Text *path)
{
    Dl_info info;
    if (!dladdr((void *)find_compiler, &info) || !info.dli_fname) return false;
    const char *slash = strrchr(info.dli_fname, '/');
    text_add(path, info.dli_fname, slash ? (size_t)(slash - info.dli_fname) : 0);
    text_put(path, slash ? "/bin/nvcc" : "./bin/nvcc");
    return true;
}

// ".visible .global .align 8 .u64 onchip_name_0 = generic(_Z1k);": takes the line out, and gives the name.
static char *take_name(Text *ptx, size_t which)
{
    Text mark = {0};
    text_printf(&mark, " onchip_name_%zu = ", which);
    char *at = ptx->n ? strstr(ptx->v, mark.v) : NULL, *name = NULL;
    if (at) {
        char *from = at + mark.n, *line = at, *end = strchr(at, '\n');
        if (!strncmp(from, "generic(", 8)) from += 8;
        const size_t n = strcspn(from, ");+\n");
        name = mem_alloc(n + 1);
        memcpy(name, from, n);
        while (line > ptx->v && line[-1] != '\n') line--;
        if (end) {
            memmove(line, end + 1, ptx->n - (size_t)(end + 1 - ptx->v) + 1);
            ptx->n -= (size_t)(end + 1 - line);
        }
    }
    text_free(&mark);
    return name;
}

static nvrtcResult run(Program *p, const char *folder, const Words *options)
{
    Words words = {0};
    Text compiler = {0}, made = {0}, here = {0};
    int status = -1;
    text_printf(&made, "%s/onchip.ptx", folder);
    text_printf(&here, "-I%s", folder);
    if (!find_compiler(&compiler)) text_put(&p->log, "onchip cc isn't beside this library\n");
    // What `onchip run` puts in front of a program isn't for its compiler.
    const char *const head[] = {"env", "-u",   "LD_PRELOAD",       compiler.v, "-ptx",
                                "-o",  made.v, "-D__CUDACC_RTC__", here.v};
    for (size_t k = 0; k < COUNT(head); k++) vec_push(&words, head[k]);
    for (size_t k = 0; k < options->n; k++) vec_push(&words, options->v[k]);
    vec_push(&words, "-x");
    vec_push(&words, "cu");
    vec_push(&words, file_name(p));
    vec_push(&words, NULL);
    const bool ran = compiler.n && program_run(words.v, folder, &p->log, &status);
    nvrtcResult result = !ran ? NVRTC_ERROR_BUILTIN_OPERATION_FAILURE : NVRTC_SUCCESS;
    if (ran && status)
        result = p->log.n && strstr(p->log.v, "unknown option") ? NVRTC_ERROR_INVALID_OPTION : NVRTC_ERROR_COMPILATION;
    if (result == NVRTC_SUCCESS && !text_read_file(&p->ptx, made.v)) result = NVRTC_ERROR_INTERNAL_ERROR;
    vec_free(&words), text_free(&compiler), text_free(&made), text_free(&here);
    return result;
}

nvrtcResult nvrtcCompileProgram(nvrtcProgram p, int n, const char *const *options)
{
    Text folder = {0};
    Words words = {0};
    Diag why = {0};
    bool all_of_device = false;
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (n < 0 || (n && !options)) return NVRTC_ERROR_INVALID_INPUT;
    p->tried = true, p->capability = 0, p->log.n = p->ptx.n = p->cubin.n = 0;
    take_options(p, n, options, &words, &all_of_device);
    nvrtcResult result = NVRTC_ERROR_BUILTIN_OPERATION_FAILURE;
    if (!folder_for_a_while(&folder, &why)) {
        text_put(&p->log, why.text.v);
    } else {
        if (write_all(p, folder.v, all_of_device, &p->log)) result = run(p, folder.v, &words);
        nftw(folder.v, remove_one, 8, FTW_DEPTH | FTW_PHYS);
    }
    for (size_t k = 0; k < p->expressions.n && result == NVRTC_SUCCESS; k++) {
        mem_free(p->expressions.v[k].text);
        p->expressions.v[k].text = take_name(&p->ptx, k);
    }
    p->compiled = result == NVRTC_SUCCESS;
    if (p->compiled && p->capability) object_write(p->ptx.v, p->ptx.n, p->capability, &p->cubin);
    text_free(&folder), vec_free(&words), diag_free(&why);
    return result;
}

// --- results ---------------------------------------------------------------------------------------------------------
static nvrtcResult size_of(nvrtcProgram p, const Text *t, bool text, size_t *bytes)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!bytes) return NVRTC_ERROR_INVALID_INPUT;
    *bytes = t->n + text;
    return NVRTC_SUCCESS;
}

static nvrtcResult give(nvrtcProgram p, const Text *t, bool text, char *to)
{
    if (!p) return NVRTC_ERROR_INVALID_PROGRAM;
    if (!to) return NVRTC_ERROR_INVALID_INPUT;
    if (t->n) memcpy(to, t->v, t->n);
    if (text) to[t->n] = '\0';
    return NVRTC_SUCCESS;
}

nvrtcResult nvrtcGetPTXSize(nvrtcProgram p, size_t *bytes) { return size_of(p, p ? &p->ptx : NULL, true, bytes); }
nvrtcResult nvrtcGetPTX(nvrtcProgram p, char *ptx) { return give(p, p ? &p->ptx : NULL, true, ptx); }
nvrtcResult nvrtcGetCUBINSize(nvrtcProgram p, size_t *bytes) { return size_of(p, p ? &p->cubin : NULL, false, bytes); }
nvrtcResult nvrtcGetCUBIN(nvrtcProgram p, char *cubin) { return give(p, p ? &p->cubin : NULL, false, cubin); }
nvrtcResult nvrtcGetProgramLogSize(nvrtcProgram p, size_t *bytes)
{
    return size_of(p, p ? &p->log : NULL, true, bytes);
}
nvrtcResult nvrtcGetProgramLog(nvrtcProgram p, char *log) { return give(p, p ? &p->log : NULL, true, log); }

// Forms of NVIDIA's own, of which there are none.
static nvrtcResult none(nvrtcProgram p, size_t *bytes)
{
    if (bytes) *bytes = 0;
    return p ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}
nvrtcResult nvrtcGetLTOIRSize(nvrtcProgram p, size_t *bytes) { return none(p, bytes); }
nvrtcResult nvrtcGetOptiXIRSize(nvrtcProgram p, size_t *bytes) { return none(p, bytes); }
nvrtcResult nvrtcGetLTOIR(nvrtcProgram p, char *ir) { return (void)ir, none(p, NULL); }
nvrtcResult nvrtcGetOptiXIR(nvrtcProgram p, char *ir) { return (void)ir, none(p, NULL); }

// Nobody asks it whether to go on.
nvrtcResult nvrtcSetFlowCallback(nvrtcProgram p, int (*callback)(void *, void *), void *data)
{
    (void)callback, (void)data;
    return p ? NVRTC_SUCCESS : NVRTC_ERROR_INVALID_PROGRAM;
}
