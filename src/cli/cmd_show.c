// cmd_show.c: onchip show: prints what onchip understood of a file. show ptx prints a module back, or one view of its
// functions.
#include "cli/unit.h"
#include "device/device.h"
#include "driver/fatbin.h"
#include "exec/code.h"
#include "gpu/gpu.h"
#include "names/names.h"
#include "ptx/strands.h"

#include <errno.h>
#include <string.h>

static const Option options[] = {
    {"--help", NULL, "this text"},
    {NULL, NULL, "onchip show ptx"},
    {"--view", "VIEW",
     "what to print: ir (the module as PTX, the default), text (the file as it is), cfg (the flow graph, as input of "
     "dot), loops, live (which registers are alive where), registers (the hardware register that each virtual one "
     "got, and how many a thread needs), strands (the PTX after lowering in strands, and the register file in which "
     "each word is found: the main one, the operand register file or the last-result file), lowered, or counts (the "
     "machine instructions that stand in the lowered code, by timing class)"},
    {"--after", "PASS",
     "print each function as a pass of lowering leaves it ("
#define PASS(name, level, when, call, files, doc) #name ", "
#include "ptx/passes.def"
#undef PASS
     "or all, for each pass that runs); onchip show passes says what each does"},
    {"--kernel", "NAME", "print only this function"},
    {"--gpu", "NAME|FILE",
     "the GPU for which a .cu file is compiled (default: " OC_DEFAULT_GPU
     "), and for which code is lowered (default: none)"},
    {"-D", "NAME[=TEXT]", "of a .cu file, define a macro for the compiler; may come several times"},
    {"-I", "FOLDER", "of a .cu file, look for headers there; may come several times"},
    {NULL, NULL, "onchip show gpu"},
    {"--set", "KEY=VALUE", "change a key of the description first"},
    {"--defaults", NULL, "list the keys that the description leaves at their defaults, with what each says"},
    {NULL, NULL, "onchip show options"},
    {"--man", NULL, "as the source of the manual page"},
};
enum {
    O_HELP,
    O_OF_PTX,
    O_VIEW,
    O_AFTER,
    O_KERNEL,
    O_FOR_GPU,
    O_DEFINE,
    O_INCLUDE,
    O_OF_GPU,
    O_SET_,
    O_DEFAULTS,
    O_OF_OPTIONS,
    O_MAN
};
const char *const show_views[] = {"ir",        "text",    "cfg",     "loops",  "live",
                                  "registers", "strands", "lowered", "counts", NULL};

// --- passes of lowering ----------------------------------------------------------------------------------------------
static const char *const pass_when[] = {[PASS_ALWAYS] = "always",
                                        [PASS_SASS] = "with sm.count = sass",
                                        [PASS_ORDERED] = "with registers.reorder",
                                        [PASS_VECTORS] = "with sm.vectors",
                                        [PASS_ASYNC] = "with sm.async",
                                        [PASS_BOUND] = "if a thread's registers are bounded"};

static void passes_manual(Text *out)
{
    text_put(out, "| pass | from level | when | file | what |\n|---|--:|---|---|---|\n");
    for (size_t k = 0; k < lower_pass_count; k++) {
        const PassInfo *p = &lower_passes[k];
        text_printf(out, "| `%s` | %u | %s | `%s` | %s |\n", p->name, p->level, pass_when[p->when], p->files, p->doc);
    }
}

// Null: the name is "all", or no pass has it.
static const PassInfo *find_pass(const char *name)
{
    size_t k = 0;
    while (k < lower_pass_count && strcmp(lower_passes[k].name, name)) k++;
    return k < lower_pass_count ? &lower_passes[k] : NULL;
}

static int no_pass(const char *name)
{
    const char *names[64];
    char hint[100];
    Text list = {0};
    size_t n = 0;
    for (; n < MIN(lower_pass_count, COUNT(names)); n++) {
        names[n] = lower_passes[n].name;
        text_printf(&list, "%s, ", names[n]);
    }
    tell(0, "no pass '%s'%s\nthey are %sor all", name, did_you_mean(name, names, n, hint), list.v);
    text_free(&list);
    return EXIT_USAGE;
}

static void show_live(const Function *f, Text *out)
{
    Flow *w = flow_build(f);
    flow_live(w);
    for (size_t b = 0; b + 1 < w->blocks.n; b++) {
        text_printf(out, "b%zu [%u, %u) live in:", b, w->blocks.v[b].first, w->blocks.v[b].last);
        for (uint32_t r = 0; r < f->regs.n; r++)
            if (w->live_in[b * w->words + r / 64] >> (r % 64) & 1) text_printf(out, " %s", f->regs.v[r].name);
        text_put(out, "\n");
    }
    flow_free(w);
}

static void show_loops(const Function *f, Text *out)
{
    Flow *w = flow_build(f);
    for (size_t l = 0; l < w->loops.n; l++) {
        const Loop *loop = &w->loops.v[l];
        text_printf(out, "loop %zu: head b%u, depth %u, %zu blocks, %zu back edges\n", l, loop->head, loop->depth,
                    loop->blocks.n, loop->latches.n);
    }
    if (!w->loops.n) text_put(out, "no loops\n");
    flow_free(w);
}

static void show_registers(const Function *f, uint32_t limit, Text *out)
{
    Function *g = ptx_lower(f, limit);
    Flow *w = flow_build(g);
    flow_live(w);
    Alloc *a = alloc_colour(w);
    text_printf(out,
                "%zu virtual registers, %u 32-bit registers and %u predicates after lowering; %zu instructions, %zu "
                "after lowering\n",
                f->regs.n, a->slots, a->preds, f->insts.n, g->insts.n);
    for (uint32_t r = 0; r < g->regs.n; r++)
        if (a->slot[r] != NO_REG)
            text_printf(out, "  %s .%s → %s%u\n", g->regs.v[r].name, type_info[g->regs.v[r].type].name,
                        g->regs.v[r].type == TY_PRED ? "P" : "R",
                        g->regs.v[r].type == TY_PRED ? a->place[r] : a->slot[r]);
    alloc_free(a);
    flow_free(w);
    ptx_lowered_free(g);
}

static void show_strands(const Function *f, Text *out) { files_print(f, 1, 4, out); }

// What passes leave: of one, or of all that run.
typedef struct After {
    const PassInfo *pass;  // null: each
    Text *out;
} After;

static void show_pass(void *user, const PassInfo *pass, const Function *f)
{
    const After *after = user;
    if (after->pass && after->pass != pass) return;
    text_printf(after->out, "%s, after %s\n", f->symbol->name, pass->name);
    ptx_print_function(f, after->out);
}

// What to print of each function.
typedef struct View {
    const char *name;
    bool after;            // a pass, or all
    const PassInfo *pass;  // null: all
} View;

static void show_function(const Function *f, const View *what, uint32_t limit, Text *out)
{
    const char *view = what->name;
    if (what->after) {
        ptx_lowered_free(ptx_lower_seen(f, limit, show_pass, &(After){what->pass, out}));
        return;
    }
    if (!strcmp(view, "ir")) {
        ptx_print_function(f, out);
        return;
    }
    if (!strcmp(view, "cfg")) {
        Flow *w = flow_build(f);
        flow_dot(w, out);
        flow_free(w);
        return;
    }
    text_printf(out, "%s\n", f->symbol->name);
    if (!strcmp(view, "loops"))
        show_loops(f, out);
    else if (!strcmp(view, "live"))
        show_live(f, out);
    else if (!strcmp(view, "registers"))
        show_registers(f, limit, out);
    else if (!strcmp(view, "strands"))
        show_strands(f, out);
    else {
        Function *g = ptx_lower(f, limit);
        if (!strcmp(view, "counts"))
            ptx_counts(g, out);
        else
            ptx_print_function(g, out);
        ptx_lowered_free(g);
    }
}

// limit: registers of a thread; 0: none.
static int show_functions(const Module *m, const char *path, const View *view, const char *kernel, uint32_t limit,
                          Text *out)
{
    const char *names[64];
    char hint[100];
    size_t n = 0;
    bool found = false;
    for (size_t k = 0; k < m->symbols.n; k++) {
        const Function *f = m->symbols.v[k]->function;
        if (m->symbols.v[k]->alias && !kernel) continue;
        if (!f || !(f->has_body || (f->refusal && !view->after && !strcmp(view->name, "ir")))) continue;
        if (n < COUNT(names)) names[n++] = m->symbols.v[k]->name;
        if (kernel && !name_means(m->symbols.v[k]->name, kernel)) continue;
        found = true;
        show_function(f, view, limit, out);
    }
    if (found && !out->n && view->pass)
        return tell(EXIT_USAGE, "%s doesn't run here: it does from sm.lower = %u on, %s (--gpu says for which card)",
                    view->pass->name, view->pass->level, pass_when[view->pass->when]);
    if (out->n) return EXIT_OK;
    if (!kernel) return tell(EXIT_FAILED, "no function with a body in %s", path);
    return tell(EXIT_USAGE, "no function '%s' with a body in %s%s", kernel, path, did_you_mean(kernel, names, n, hint));
}

// Tells of the kernels that can't be run, and why.
static void show_refused(Module *m)
{
    for (size_t k = 0; k < m->symbols.n; k++) {
        const Function *f = m->symbols.v[k]->function;
        Diag diag = {0};
        Image image = {.module = m, .lower = true};
        if (!f || !f->entry || !(f->has_body || f->refusal)) continue;
        Kernel *kernel = exec_decode(&image, f, &diag);
        if (!kernel) tell(0, "kernel '%s' can't be run: %s", f->symbol->name, diag.text.v);
        exec_kernel_free(kernel);
        diag_free(&diag);
    }
}

// If the file isn't PTX itself, takes the PTX that is in it.
static bool take_ptx(Text *text, const char *path, const char *kernel)
{
    Text ptx = {0};
    Diag why = {0};
    if (!text->n || image_kind(text->v) == IMAGE_PTX || image_kind(text->v) == IMAGE_UNKNOWN) return true;
    bool ok = binary_ptx(text, kernel, &(Wish){.capability = 0}, &ptx, &why);
    if (!ok) tell(EXIT_FAILED, "%s: %s", path, why.text.v);
    text_free(text), diag_free(&why);
    *text = ptx;
    return ok;
}

// Compiles a .cu file for a GPU.
static int compile(const char *path, const char *gpu, const TextList *options, Text *ptx)
{
    oc_device *d;
    char message[4000];
    Diag why = {0};
    int code = EXIT_OK;
    oc_status status = oc_open(&(oc_config){.gpu = gpu, .functional = true}, &d, message, sizeof message);
    if (status != OC_OK) return tell(status == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s", message);
    const CompileWish wish = {
        .capability = oc_describe(d).capability, .options = options->v, .option_count = options->n};
    if (!compile_cuda(path, wish, ptx, &why)) code = tell(EXIT_FAILED, "%s", why.text.v);
    oc_close(d);
    diag_free(&why);
    return code;
}

// False, with the reason told: there's no such GPU.
static bool lower_for(Module *m, const char *gpu, uint32_t *limit)
{
    Gpu g;
    Diag diag = {0};
    bool ok = gpu_load(&g, gpu, NULL, &diag);
    if (ok)
        gpu_lowering(&g, m), *limit = g.sm.reg_max, gpu_free(&g);
    else
        tell(0, "%s", diag.text.v);
    diag_free(&diag);
    return ok;
}

// Shows a PTX file, or the PTX of CUDA source or of a built-in workload.
static int show_ptx(const char *what, const View *view, const char *kernel, const char *gpu, const TextList *compiler)
{
    Text text = {0}, out = {0};
    Diag diag = {0};
    uint32_t limit = 0;
    const WorkloadEntry *entry = workload_find(what);
    bool source = !entry && is_cuda_source(what);
    if (compiler->n && !source)
        return tell(EXIT_USAGE, "%s is for the compiler of CUDA source, a .cu file, which %s isn't", compiler->v[0],
                    what);
    int code = source ? compile(what, gpu, compiler, &text) : EXIT_OK;
    if (code != EXIT_OK) return text_free(&text), code;
    if (entry)
        text_add(&text, entry->ptx, entry->ptx_bytes);
    else if (!source && !text_read_file(&text, what)) {
        text_free(&text);
        int problem = errno;
        const char *near = workload_near(what);
        char hint[100];
        return tell(EXIT_FAILED, "can't read %s: %s%s", what, strerror(problem),
                    did_you_mean(what, &near, near != NULL, hint));
    }
    if (!entry && !source && !take_ptx(&text, what, kernel)) return text_free(&text), EXIT_FAILED;
    Module *m = ptx_parse_partly(text.v ? text.v : "", text.n, what, &diag);
    if (!m)
        code = tell(EXIT_FAILED, "%s", diag.text.v);
    else if (gpu && !lower_for(m, gpu, &limit))
        code = EXIT_FAILED;
    else if (!view->after && !strcmp(view->name, "text"))
        text_add(&out, text.v, text.n);
    else if (!view->after && !strcmp(view->name, "ir") && !kernel)
        ptx_print(m, &out);
    else
        code = show_functions(m, what, view, kernel, limit, &out);
    if (m) show_refused(m);
    if (out.v) fputs(out.v, stdout);
    text_free(&out), text_free(&text), diag_free(&diag);
    ptx_free(m);
    return code;
}

static int show_gpu(const char *name, const char *const *sets, bool defaults)
{
    Text out = {0};
    Diag diag = {0};
    int code = EXIT_OK;
    if (gpu_show(name, sets, defaults, &out, &diag))
        fputs(out.v ? out.v : "", stdout);
    else
        code = tell(device_blame(name, &diag) == OC_BAD_ARGUMENT ? EXIT_USAGE : EXIT_FAILED, "%s", diag.text.v);
    text_free(&out), diag_free(&diag);
    return code;
}

static int show_manual(void (*manual)(Text *out))
{
    Text t = {0};
    manual(&t);
    fputs(t.v, stdout);
    text_free(&t);
    return EXIT_OK;
}

// --- calls -----------------------------------------------------------------------------------------------------------
static void put_refused(Text *out, const char *const *names, size_t count)
{
    enum { WIDE = 120 };
    text_put(out, "\n## What is refused\n\nThese return \"operation not supported\" (801), and a line on the standard "
                  "error names them:\n\n");
    for (size_t k = 0, at = 0; k < count; k++) {
        size_t n = strlen(names[k]) + 4;
        if (at + n > WIDE) text_put(out, "\n"), at = 0;
        text_printf(out, "%s`%s`%s", at ? " " : "", names[k], k + 1 == count ? ".\n" : ",");
        at += n;
    }
}

static void calls_manual(Text *out)
{
    static const char *const missing[] = {
#define RUNTIME_MISSING(name) #name,
#include "driver/runtime.def"
    };
    text_put(
        out,
        "# CUDA's runtime\n\nWhat each function of CUDA 13's runtime does where `onchip run` simulates a program "
        "([programs.md](../use/programs.md)). Functions\nwhose names end in `_ptsz` or `_ptds` do what the function "
        "without that ending does, in the thread's own stream in place of\nstream 0. This page is what `onchip show "
        "calls` prints.\n");
#define RUNTIME_PART(title) text_put(out, "\n## " title "\n\n| function | |\n|---|---|\n");
#define RUNTIME_INNER(name, doc) text_put(out, "| `" #name "` | " doc " |\n");
#define RUNTIME_CALL(name, params, doc) RUNTIME_INNER(name, doc)
#define RUNTIME_STREAM(name, params, args, doc) RUNTIME_INNER(name, doc)
#define RUNTIME_WAITS(name, async, params, args, doc) RUNTIME_INNER(name, doc)
#define RUNTIME_OWN(name, form, params, doc) RUNTIME_INNER(name, doc)
#include "driver/runtime.def"
    put_refused(out, missing, COUNT(missing));
}

// A symbol's name without its version.
static void put_function(Text *out, const char *symbol, const char *what)
{
    const char *version = strstr(symbol, "_v");
    const size_t n = version ? (size_t)(version - symbol) : strlen(symbol);
    if (*what) text_printf(out, "| `%.*s` | %s |\n", (int)n, symbol, what);
}

static void driver_manual(Text *out)
{
    static const char *const missing[] = {
#define PART(title)
#define DONE(symbol, since, what)
#define MISSING(symbol, since) #symbol,
#include "driver/names.def"
#undef PART
#undef DONE
#undef MISSING
    };
    text_put(out,
             "# CUDA's driver\n\nWhat each function of CUDA 13's driver does where `onchip run` simulates a program "
             "([drivers.md](../use/drivers.md)). Functions\nwhose names end in `_ptsz` or `_ptds` do what the "
             "function without that ending does, in the thread's own stream in place of\nstream 0. This page is "
             "what `onchip show driver` prints.\n");
#define PART(title) text_put(out, "\n## " title "\n\n| function | |\n|---|---|\n");
#define DONE(symbol, since, what) put_function(out, #symbol, what);
#define MISSING(symbol, since)
#include "driver/names.def"
#undef PART
#undef DONE
#undef MISSING
    put_refused(out, missing, COUNT(missing));
}

static void options_page(Text *out) { manual_options(false, out); }
static void options_roff(Text *out) { manual_options(true, out); }

// What can be shown. A page has a function that writes it, and takes no more words.
static const struct {
    const char *name, *takes, *doc;
    size_t least, most;   // words, the name among them
    const char *missing;  // what is said if there are too few
    void (*page)(Text *out);
} kinds[] = {
    {"ptx", "FILE|WORKLOAD [options]", "PTX as onchip reads it", 2, 2,
     "which file, or workload? (onchip list workloads)", NULL},
    {"gpu", "NAME|FILE [options]", "a description, with its origins", 2, 2, "which? (onchip list gpus)", NULL},
    {"registers", "WORKLOAD [NAME=VALUE …]", "what its kernels need", 2, SIZE_MAX,
     "which workload? (onchip list workloads)", NULL},
    {"occupancy", "GPU [registers=N] [shared=BYTES] [block=N]", "what an SM has room for", 2, SIZE_MAX,
     "of which GPU? (onchip list gpus)", NULL},
    {"keys", "", "the keys of a description", 1, 1, NULL, gpu_manual},
    {"counters", "", "counters and rates", 1, 1, NULL, counter_manual},
    {"fields", "", "the fields of the JSON that commands write", 1, 1, NULL, fields_manual},
    {"measures", "", "the values that measurements store", 1, 1, NULL, measures_manual},
    {"words", "", "what the field's words mean", 1, 1, NULL, words_manual},
    {"calls", "", "the functions of CUDA's runtime", 1, 1, NULL, calls_manual},
    {"driver", "", "the functions of CUDA's driver", 1, 1, NULL, driver_manual},
    {"passes", "", "the passes of lowering", 1, 1, NULL, passes_manual},
    {"options", "", "every command's options", 1, 1, NULL, options_page},
};
enum { K_PTX, K_GPU, K_REGISTERS, K_OCCUPANCY };  // the first of them

static const char *show_word(size_t k, const char **doc)
{
    *doc = k < COUNT(kinds) ? kinds[k].doc : NULL;
    return k < COUNT(kinds) ? kinds[k].name : NULL;
}
const CommandLine show_line = {options, COUNT(options), show_word};

static void put_usage(FILE *out)
{
    for (size_t k = 0; k < COUNT(kinds); k++) {
        char left[80];
        snprintf(left, sizeof left, "%s onchip show %s %s", k ? "      " : "usage:", kinds[k].name, kinds[k].takes);
        put_row(out, left, 48, BREAK_WORDS, kinds[k].doc);
    }
}

// words[0] says what to show; it is the first of n words.
static int show(Args *a, const char *const *words, size_t n, const char *view, const char *after, const char *kernel,
                const char *gpu, const TextList *compiler, const char *const *sets, bool defaults)
{
    const char *names[COUNT(kinds)];
    size_t kind = 0, v = 0;
    char hint[100], name[64], this[80];
    if (!n) return put_usage(stderr), EXIT_USAGE;
    for (size_t k = 0; k < COUNT(kinds); k++) names[k] = kinds[k].name;
    while (kind < COUNT(kinds) && strcmp(words[0], names[kind])) kind++;
    if (kind == COUNT(kinds)) {
        tell(0, "nothing called '%s' to show%s", words[0], did_you_mean(words[0], names, COUNT(names), hint));
        return put_usage(stderr), EXIT_USAGE;
    }
    if (n < kinds[kind].least) return tell(EXIT_USAGE, "show %s: %s", words[0], kinds[kind].missing);
    if (n > kinds[kind].most)
        return tell(EXIT_USAGE, "show %s: '%s' is one too many", words[0], words[kinds[kind].most]);
    snprintf(name, sizeof name, "onchip show %s", words[0]);
    snprintf(this, sizeof this, "this is %s", name);
    if (!args_fit(a, name, this)) return EXIT_USAGE;
    const View what = {view ? view : "ir", after != NULL, after ? find_pass(after) : NULL};
    if (view && after) return tell(EXIT_USAGE, "--after has a view of its own: it can't go with --view");
    if (after && !what.pass && strcmp(after, "all")) return no_pass(after);
    while (show_views[v] && strcmp(what.name, show_views[v])) v++;
    if (!show_views[v])
        return tell(EXIT_USAGE, "no view '%s'%s (onchip show --help)", view, did_you_mean(view, show_views, v, hint));
    switch (kind) {
    case K_PTX: return show_ptx(words[1], &what, kernel, gpu, compiler);
    case K_GPU: return show_gpu(words[1], sets, defaults);
    case K_REGISTERS: return show_program_registers(words[1], words + 2);
    case K_OCCUPANCY: return show_occupancy(words[1], words + 2);
    }
    return show_manual(a->given >> O_MAN & 1 ? options_roff : kinds[kind].page);
}

int cmd_show(int argc, char **argv)
{
    Args a = {.argc = argc, .argv = argv, .options = options, .option_count = COUNT(options)};
    const char *words[MAX_PARAMS + 3] = {NULL}, *view = NULL, *after = NULL, *kernel = NULL, *gpu = NULL;
    TextList sets = {0}, compiler = {0};
    Arena arena = {0};
    bool defaults = false;
    size_t n = 0;
    int o, code = -1;
    while (code < 0 && (o = args_next(&a)) != -2) {
        switch (o) {
        case -3: code = EXIT_USAGE; break;
        case -1:
            if (n + 1 < COUNT(words)) words[n++] = a.value;
            break;
        case O_VIEW: view = a.value; break;
        case O_AFTER: after = a.value; break;
        case O_KERNEL: kernel = a.value; break;
        case O_FOR_GPU: gpu = a.value; break;
        case O_DEFINE:
        case O_INCLUDE: vec_push(&compiler, arena_printf(&arena, "%s%s", options[o].name, a.value)); break;
        case O_SET_: vec_push(&sets, a.value); break;
        case O_DEFAULTS: defaults = true; break;
        case O_HELP:
            put_usage(stdout);
            printf("\n");
            print_options(options, COUNT(options));
            code = EXIT_OK;
            break;
        }
    }
    vec_push(&sets, NULL);
    if (code < 0) code = show(&a, words, n, view, after, kernel, gpu, &compiler, sets.v, defaults);
    vec_free(&sets), vec_free(&compiler);
    arena_free(&arena);
    return code;
}
