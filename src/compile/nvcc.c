// nvcc.c: nvcc's command line, as a Build. Its options are rows of nvcc.def. Their names may have one dash or two, and
// their values stand behind a blank or an equals sign.
#include "compile/unit.h"
#include "work/programs.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum NvccId {
#define OPTION(id, name, short, takes, doc) N_##id,
#include "compile/nvcc.def"
#undef OPTION
    NVCC_OPTIONS
} NvccId;
static const OptionRow options[] = {
#define OPTION(id, name, brief, takes, doc) {name, brief, takes, doc},
#include "compile/nvcc.def"
#undef OPTION
};

enum { DEEPEST = 8 };  // files of options that name files of options
typedef struct Reader {
    Build *b;
    NvccWord *word;
    Text *said;
    Diag *diag;
    bool forward;  // unknown options go to the host's compiler
    int depth;     // files of options that are open
} Reader;

bool nvcc_option(size_t k, Text *names, const char **doc)
{
    return k < COUNT(options) && option_put(&options[k], names, doc);
}

// --- values --------------------------------------------------------------------------------------------------------
// Adds the parts of a value that stand between commas and blanks.
static void add_parts(Build *b, WordList *to, const char *value)
{
    for (const char *p = value; *p;) {
        const size_t n = strcspn(p, ", ");
        if (n) vec_push(to, arena_text(&b->arena, p, n));
        p += n + (p[n] != '\0');
    }
}

static void add_joined(Build *b, WordList *to, const char *head, const char *value)
{
    vec_push(to, arena_printf(&b->arena, "%s%s", head, value));
}

static bool read_truth(const Reader *r, const char *option, const char *value, bool *truth)
{
    *truth = !strcmp(value, "true") || !strcmp(value, "1");
    return *truth || !strcmp(value, "false") || !strcmp(value, "0") ||
           diag_error(r->diag, "-%s takes true or false, not '%s'", option, value);
}

// "sm_80", "compute_80", "lto_80"; words for what the machine has are left to onchip.
static bool read_target(const Reader *r, const char *text, size_t n)
{
    Target t;
    char word[32];
    static const char *const any[] = {"native", "all", "all-major"};
    snprintf(word, sizeof word, "%.*s", (int)MIN(n, sizeof word - 1), text);
    for (size_t k = 0; k < COUNT(any); k++)
        if (!strcmp(word, any[k])) return true;
    const char *number = !strncmp(word, "lto_", 4) ? word + 4 : word;
    if (!target_read(number, &t))
        return diag_error(r->diag, "'%s' is no target of device code; they are such as sm_80 and compute_90a", word);
    for (size_t k = 0; k < r->b->targets.n; k++)
        if (r->b->targets.v[k].capability == t.capability && r->b->targets.v[k].kind == t.kind) return true;
    vec_push(&r->b->targets, t);
    return true;
}

// "sm_80,compute_80", in brackets or quotes, too.
static bool read_targets(const Reader *r, const char *p)
{
    static const char between[] = "[],\"' ";
    for (p += strspn(p, between); *p; p += strspn(p, between)) {
        const size_t n = strcspn(p, between);
        if (!read_target(r, p, n)) return false;
        p += n;
    }
    return true;
}

// "arch=compute_80,code=[sm_80,compute_80]": what PTX is made for is the architecture.
static bool read_generate(const Reader *r, const char *value)
{
    const char *at = strstr(value, "arch=");
    if (!at) return diag_error(r->diag, "-gencode takes arch=compute_80,code=sm_80, not '%s'", value);
    at += strlen("arch=");
    return read_target(r, at, strcspn(at, ", \"'"));
}

static void take_compiler(const Reader *r, const char *value)
{
    if (strstr(base_name(value), "clang"))
        r->b->clang = value;
    else
        text_printf(r->said, "-ccbin %s has no effect: clang compiles for the host, too\n", value);
}

// --- options -------------------------------------------------------------------------------------------------------
static bool take(Reader *r, int o, const char *v)
{
    Build *b = r->b;
    bool yes = true;
    switch (o) {
    case N_OUTPUT: b->output = v; break;
    case N_OBJECT: b->step = BUILD_OBJECT; break;
    case N_PARTS_OBJECT: b->step = BUILD_OBJECT, b->parts = true; break;
    case N_WHOLE_OBJECT: b->step = BUILD_OBJECT, b->parts = false; break;
    case N_PTX: b->step = BUILD_PTX; break;
    case N_FATBIN: b->step = BUILD_FATBIN; break;
    case N_DEVICE_LINK: b->step = BUILD_DEVICE_LINK; break;
    case N_MAKE_LIBRARY: b->step = BUILD_LIBRARY; break;
    case N_PREPROCESS: b->step = BUILD_PREPROCESS; break;
    case N_RULES: b->step = BUILD_RULES, words_add(&b->host, "-M", NULL); break;
    case N_OWN_RULES: b->step = BUILD_RULES, words_add(&b->host, "-MM", NULL); break;
    case N_WITH_RULES: vec_push(&b->host, "-MD"); break;
    case N_WITH_OWN_RULES: vec_push(&b->host, "-MMD"); break;
    case N_RULES_FILE: words_add(&b->host, "-MF", v, NULL); break;
    case N_RULES_TARGET: words_add(&b->host, "-MT", v, NULL); break;
    case N_RULES_PHONY: vec_push(&b->host, "-MP"); break;
    case N_DEFINE: add_joined(b, &b->both, "-D", v); break;
    case N_UNDEFINE: add_joined(b, &b->both, "-U", v); break;
    case N_INCLUDE: add_joined(b, &b->both, "-I", v); break;
    case N_SYSTEM_INCLUDE: words_add(&b->both, "-isystem", v, NULL); break;
    case N_PRE_INCLUDE: words_add(&b->both, "-include", v, NULL); break;
    case N_LIBRARY:
        // CUDA's runtime is linked in any case, and its other parts of that kind are in it.
        if (strcmp(v, "cudart") && strcmp(v, "cudart_static") && strcmp(v, "cudadevrt") && strcmp(v, "culibos"))
            add_joined(b, &b->link, "-l", v);
        break;
    case N_LIBRARY_PATH: add_joined(b, &b->link, "-L", v); break;
    case N_OPTIMIZE: add_joined(b, &b->host, "-O", v); break;
    case N_DEBUG: vec_push(&b->host, "-g"); break;
    case N_DEVICE_DEBUG: b->device_debug = true; break;
    case N_STANDARD: add_joined(b, &b->both, "-std=", v); break;
    case N_ARCHITECTURE:
    case N_CODE: return read_targets(r, v);
    case N_GENERATE: return read_generate(r, v);
    case N_TO_COMPILER: add_parts(b, &b->host, v); break;
    case N_TO_LINKER:
        for (const char *p = v; *p;) {
            const size_t n = strcspn(p, ",");
            if (n) add_joined(b, &b->link, "-Wl,", arena_text(&b->arena, p, n));
            p += n + (p[n] != '\0');
        }
        break;
    case N_PARTS:
        if (!read_truth(r, "rdc", v, &yes)) return false;
        b->parts = yes;
        break;
    case N_FAST_MATH:
        words_add(&b->both, "-DONCHIP_FAST_MATH", NULL), words_add(&b->device, "-fcuda-flush-denormals-to-zero", NULL);
        words_add(&b->codegen, "-mllvm", "-nvptx-prec-divf32=1", NULL);
        words_add(&b->codegen, "-mllvm", "-nvptx-prec-sqrtf32=0", NULL);
        break;
    case N_FLUSH:
        if (!read_truth(r, "ftz", v, &yes)) return false;
        if (yes) vec_push(&b->device, "-fcuda-flush-denormals-to-zero");
        break;
    case N_EXACT_DIVISION:
        if (!read_truth(r, "prec-div", v, &yes)) return false;
        if (!yes) words_add(&b->codegen, "-mllvm", "-nvptx-prec-divf32=1", NULL);
        break;
    case N_EXACT_ROOT:
        if (!read_truth(r, "prec-sqrt", v, &yes)) return false;
        if (!yes) words_add(&b->codegen, "-mllvm", "-nvptx-prec-sqrtf32=0", NULL);
        break;
    case N_FUSE:
        if (!read_truth(r, "fmad", v, &yes)) return false;
        if (!yes) vec_push(&b->device, "-ffp-contract=off");
        break;
    case N_COMPILER: take_compiler(r, v); break;
    case N_SHARED: b->shared = true; break;
    case N_LANGUAGE:
        b->language = !strcmp(v, "cu") || !strcmp(v, "cuda") ? LANGUAGE_CUDA : LANGUAGE_OTHER;
        if (strcmp(v, "cu") && strcmp(v, "cuda") && strcmp(v, "c") && strcmp(v, "c++"))
            return diag_error(r->diag, "-x takes cu, c or c++, not '%s'", v);
        break;
    case N_WARN_NOT: vec_push(&b->host, "-w"); break;
    case N_WERROR:
        if (strstr(v, "all-warnings")) vec_push(&b->host, "-Werror");
        break;
    case N_VERBOSE: b->show = true; break;
    case N_DRY: b->dry = true; break;
    case N_VERSION: *r->word = NVCC_VERSION; break;
    case N_HELP: *r->word = NVCC_HELP; break;
    case N_TOOLKIT: *r->word = NVCC_TOOLKIT; break;
    case N_FORWARD: r->forward = true; break;
    case N_DEFAULT_STREAM:
        if (!strcmp(v, "per-thread")) vec_push(&b->both, "-DCUDA_API_PER_THREAD_DEFAULT_STREAM");
        break;
    case N_MACHINE:
        if (strcmp(v, "64") && strcmp(v, "native")) return diag_error(r->diag, "-m%s: programs have 64 bits", v);
        break;
    case N_REGISTERS:
        b->registers = (uint32_t)strtoul(v, NULL, 10);
        if (!b->registers || b->registers > 255)
            return diag_error(r->diag, "-maxrregcount takes a number of registers from 1 to 255, not '%s'", v);
        break;
    default: break;
    }
    return true;
}

static bool unknown(const Reader *r, const char *word)
{
    return option_unknown(options, COUNT(options), word, "onchip cc --help; -Xcompiler passes options on", r->diag);
}

static bool read_words(Reader *r, char **words, int n);

// Files with more words, whose names stand between commas.
static bool read_files(Reader *r, const char *names)
{
    WordList files = {0};
    bool ok = true;
    if (r->depth == DEEPEST)
        return diag_error(r->diag, "-optf %s: a file of options names another one, and so on", names);
    r->depth++;
    add_parts(r->b, &files, names);
    for (size_t k = 0; k < files.n && ok; k++) {
        VEC(char *) words = {0};
        Text text = {0}, word = {0};
        ok = text_read_file(&text, files.v[k]) || diag_error(r->diag, "can't read %s: %s", files.v[k], strerror(errno));
        for (const char *p = text.v; ok && p && word_next(&p, &word);)
            vec_push(&words, arena_copy(&r->b->arena, word.v ? word.v : ""));
        ok = ok && read_words(r, words.v, (int)words.n);
        vec_free(&words), text_free(&text), text_free(&word);
    }
    r->depth--;
    vec_free(&files);
    return ok;
}

static bool read_words(Reader *r, char **words, int n)
{
    Build *b = r->b;
    for (int at = 0; at < n; at++) {
        const char *w = words[at], *value;
        if (*w != '-' || !w[1]) {
            vec_push(&b->inputs, ((BuildInput){w, b->language}));
            continue;
        }
        const int o = option_find(options, COUNT(options), "ODUIlLmxt", w, &value);
        if (o < 0 && !r->forward) return unknown(r, w);
        if (o < 0) {
            vec_push(&b->host, w);
            continue;
        }
        if (options[o].takes && !value && ++at < n) value = words[at];
        if (options[o].takes && !value)
            return diag_error(r->diag, "-%s lacks its value, %s", options[o].brief, options[o].takes);
        if (!(o == N_OPTIONS_FILE ? read_files(r, value) : take(r, o, value))) return false;
    }
    return true;
}

bool nvcc_read(int argc, char **argv, Build *b, NvccWord *word, Text *said, Diag *diag)
{
    Reader r = {.b = b, .word = word, .said = said, .diag = diag};
    *word = NVCC_BUILD;
    for (int k = 0; k < argc; k++) r.forward |= !strcmp(argv[k] + strspn(argv[k], "-"), options[N_FORWARD].name);
    return read_words(&r, argv, argc);
}
