// assemble.c: ptxas and nvlink, as compilers call them that write PTX and expect machine code. What they get is PTX
// again, checked, in an object of ours: no machine code is made.
#include "compile/unit.h"
#include "exec/code.h"
#include "link/link.h"
#include "ptx/ptx.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

typedef enum PtxasId {
#define OPTION(id, name, short, takes, doc) P_##id,
#include "compile/ptxas.def"
#undef OPTION
    PTXAS_OPTIONS
} PtxasId;
typedef enum NvlinkId {
#define OPTION(id, name, short, takes, doc) L_##id,
#include "compile/nvlink.def"
#undef OPTION
    NVLINK_OPTIONS
} NvlinkId;
static const OptionRow ptxas[] = {
#define OPTION(id, name, brief, takes, doc) {name, brief, takes, doc},
#include "compile/ptxas.def"
#undef OPTION
};
static const OptionRow nvlink[] = {
#define OPTION(id, name, brief, takes, doc) {name, brief, takes, doc},
#include "compile/nvlink.def"
#undef OPTION
};
enum { REGISTERS_MOST = 255 };  // of a thread, in all machine code

// What each tool's command line may have, and which of its options are those that both have.
static const struct {
    const char *name, *output, *joined;
    const OptionRow *rows;
    int n, to, architecture, registers, version, help, quiet;
} tools[] = {
    [TOOL_PTXAS] = {"ptxas", "elf.o", "Om", ptxas, PTXAS_OPTIONS, P_OUTPUT, P_ARCHITECTURE, P_REGISTERS, P_VERSION,
                    P_HELP, P_WARN_NOT},
    [TOOL_NVLINK] = {"nvlink", "a.out", "Llm", nvlink, NVLINK_OPTIONS, L_OUTPUT, L_ARCHITECTURE, L_REGISTERS, L_VERSION,
                     L_HELP, L_WARN_NOT},
};

typedef struct Order {
    MachineTool tool;
    const char *output;
    Target of;
    uint32_t registers;
    bool verbose, quiet;  // of ptxas; of nvlink
    WordList inputs;
} Order;

bool machine_option(MachineTool tool, size_t k, Text *names, const char **doc)
{
    return k < (size_t)tools[tool].n && option_put(&tools[tool].rows[k], names, doc);
}

static bool take(Order *o, int option, const char *value, NvccWord *word, Diag *diag)
{
    char *end = NULL;
    if (option == tools[o->tool].to) {
        o->output = value;
    } else if (option == tools[o->tool].architecture) {
        if (!target_read(value, &o->of))
            return diag_error(diag, "'%s' is no GPU's code; they are such as sm_80 and sm_90a", value);
    } else if (option == tools[o->tool].registers) {
        const unsigned long n = strtoul(value, &end, 10);
        o->registers = (uint32_t)n;
        if (!n || n > REGISTERS_MOST || *end)
            return diag_error(diag, "-maxrregcount takes a number of registers from 1 to %d, not '%s'", REGISTERS_MOST,
                              value);
    } else if (option == tools[o->tool].version) {
        *word = NVCC_VERSION;
    } else if (option == tools[o->tool].help) {
        *word = NVCC_HELP;
    } else if (option == tools[o->tool].quiet) {
        o->quiet = true;
    } else if (o->tool == TOOL_PTXAS && option == P_VERBOSE) {
        o->verbose = true;
    }
    return true;
}

static bool read_order(Order *o, int argc, char **argv, NvccWord *word, Diag *diag)
{
    const OptionRow *rows = tools[o->tool].rows;
    const size_t n = (size_t)tools[o->tool].n;
    char help[40];
    snprintf(help, sizeof help, "onchip cc --as-%s --help", tools[o->tool].name);
    for (int k = 0; k < argc; k++) {
        const char *value;
        if (*argv[k] != '-') {
            vec_push(&o->inputs, argv[k]);
            continue;
        }
        const int option = option_find(rows, n, tools[o->tool].joined, argv[k], &value);
        if (option < 0) return option_unknown(rows, n, argv[k], help, diag);
        if (rows[option].takes && !value && ++k < argc) value = argv[k];
        if (rows[option].takes && !value)
            return diag_error(diag, "-%s lacks its value, %s", rows[option].brief, rows[option].takes);
        if (!take(o, option, value, word, diag)) return false;
    }
    return true;
}

static bool write_object(const Order *o, const Text *ptx, Diag *diag)
{
    Text object = {0};
    object_write(ptx->v, ptx->n, o->of.capability, &object);
    const bool ok = write_file(&object, o->output ? o->output : tools[o->tool].output, diag);
    text_free(&object);
    return ok;
}

// --- ptxas -----------------------------------------------------------------------------------------------------------
// As ptxas says it, which tools read. A kernel that can't be run by itself, since it calls what another file has, has
// no numbers yet.
static void put_usage(const Order *o, Module *m, Text *said)
{
    for (size_t k = 0; k < m->symbols.n; k++) {
        const Function *f = m->symbols.v[k]->function;
        Image image = {.module = m, .lower = true, .reg_limit = o->registers};
        Diag why = {0};
        if (!f || !f->entry || !f->has_body) continue;
        Kernel *kernel = exec_decode(&image, f, &why);
        text_printf(said, "ptxas info    : Compiling entry function '%s'\n", f->symbol->name);
        if (kernel) text_printf(said, "ptxas info    : Used %u registers", kernel->registers);
        if (kernel && kernel->static_shared) text_printf(said, ", %u bytes smem", kernel->static_shared);
        if (kernel) text_put(said, "\n");
        exec_kernel_free(kernel);
        diag_free(&why);
    }
}

// A function with an instruction that isn't known would be refused when a kernel calls it; here is the place to say so.
static bool all_known(const Module *m, Diag *diag)
{
    for (size_t k = 0; k < m->symbols.n; k++) {
        const Function *f = m->symbols.v[k]->function;
        if (f && f->refusal) return diag_error(diag, "%s", f->refusal);
    }
    return true;
}

static bool assemble(const Order *o, Text *said, Diag *diag)
{
    Text ptx = {0};
    if (o->inputs.n != 1) return diag_error(diag, "ptxas makes an object of one file of PTX, not of %zu", o->inputs.n);
    const char *path = o->inputs.v[0];
    bool ok = text_read_file(&ptx, path) || diag_error(diag, "can't read %s: %s", path, strerror(errno));
    Module *m = ok ? ptx_parse_partly(ptx.v ? ptx.v : "", ptx.n, path, diag) : NULL;
    ok = m && all_known(m, diag);
    if (ok && o->verbose) put_usage(o, m, said);
    if (ok && o->registers) directives_limit(o->registers, &ptx);
    ok = ok && write_object(o, &ptx, diag);
    ptx_free(m);
    text_free(&ptx);
    return ok;
}

// --- nvlink ----------------------------------------------------------------------------------------------------------
static bool add(const Order *o, Link *l, const char *path, Diag *diag)
{
    Text file = {0}, ptx = {0};
    Diag why = {0};
    const Wish wish = {.capability = o->of.capability};
    bool ok = text_read_file(&file, path) || diag_error(diag, "can't read %s: %s", path, strerror(errno));
    if (ok && !binary_ptx(&file, NULL, &wish, &ptx, &why)) ok = diag_error(diag, "%s: %s", path, why.text.v);
    ok = ok && link_add(l, path, ptx.v, ptx.n, diag);
    text_free(&file), text_free(&ptx), diag_free(&why);
    return ok;
}

static bool join(const Order *o, Text *said, Diag *diag)
{
    Text ptx = {0}, warnings = {0};
    Link *l = link_new();
    bool ok = o->inputs.n || diag_error(diag, "nvlink has no object to link");
    for (size_t k = 0; ok && k < o->inputs.n; k++) ok = add(o, l, o->inputs.v[k], diag);
    link_bound(l, o->registers);
    ok = ok && link_finish(l, &ptx, &warnings, diag) && write_object(o, &ptx, diag);
    if (warnings.n && !o->quiet) text_put(said, warnings.v);
    link_free(l);
    text_free(&ptx), text_free(&warnings);
    return ok;
}

bool machine_run(MachineTool tool, int argc, char **argv, NvccWord *word, Text *said, Diag *diag)
{
    Order o = {.tool = tool};
    *word = NVCC_BUILD;
    bool ok = read_order(&o, argc, argv, word, diag);
    if (ok && *word == NVCC_BUILD) ok = tool == TOOL_PTXAS ? assemble(&o, said, diag) : join(&o, said, diag);
    vec_free(&o.inputs);
    return ok;
}
