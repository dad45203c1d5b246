// show_registers.c: onchip show registers: how many registers the kernels of a workload need, and what it costs to have
// fewer (unified-memory Table 1, columns 2 to 8). Each count is tried by running the program with registers.max: what
// doesn't fit is spilled, and the loads and stores of spilled values are counted as they are executed. Where
// ptxas is installed, its own count follows ours.
#include "cli/unit.h"
#include "device/device.h"
#include "exec/code.h"
#include "ptx/flow.h"

#include <onchip.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const uint32_t counts[] = {18, 24, 32, 40, 64};  // Table 1
enum { FULL_THREADS = 1024, PTXAS_LEAST = 75 };         // of an SM; the oldest target that today's ptxas takes

typedef struct KernelRow {
    const char *name;
    uint32_t values;            // registers, if each held a value of any width
    uint32_t registers, ptxas;  // 0: not known
    uint64_t instructions[COUNT(counts)];
} KernelRow;
typedef VEC(KernelRow) KernelRows;

// As PTX counts registers, where one holds an address of 64 bits, and parameters have been loaded into some.
static uint32_t count_values(const Function *f)
{
    Function *g = ptx_lower(f, 0);
    Flow *w = flow_build(g);
    flow_live(w);
    uint32_t n = alloc_values(w);
    flow_free(w);
    ptx_lowered_free(g);
    return n;
}

// Registers without a limit, of the kernels that can be run.
static void find_registers(Module *m, KernelRows *rows)
{
    for (size_t k = 0; k < m->symbols.n; k++) {
        const Function *f = m->symbols.v[k]->function;
        Diag diag = {0};
        Image image = {.module = m, .lower = true};
        if (!f || !f->entry || !f->has_body) continue;
        Kernel *kernel = exec_decode(&image, f, &diag);
        if (kernel)
            vec_push(rows,
                     ((KernelRow){.name = f->symbol->name, .values = count_values(f), .registers = kernel->registers}));
        exec_kernel_free(kernel);
        diag_free(&diag);
    }
}

// Runs the program with so many registers a thread at most; false, with the reason told: it failed.
static bool run_with(const WorkloadEntry *e, const char *const *params, size_t at, KernelRows *rows)
{
    char limit[40], message[1000];
    oc_device *d;
    snprintf(limit, sizeof limit, "registers.max=%u", counts[at]);
    const char *const sets[] = {limit, NULL};
    if (oc_open(&(oc_config){.gpu = "sm32", .sets = sets, .functional = true}, &d, message, sizeof message) != OC_OK)
        return tell(0, "%s", message), false;
    WorkResult result = {0};
    bool right = workload_run(d, e, &(WorkOptions){.small = true, .params = params}, &result);
    if (!right) tell(0, "with %u registers: %s", counts[at], result.error);
    for (size_t l = 0; right && l < oc_launches(d); l++)
        for (size_t k = 0; k < rows->n; k++)
            if (!strcmp(oc_launch_kernel(d, l), rows->v[k].name))
                rows->v[k].instructions[at] += oc_launch_counter(d, l, "warp_instructions");
    work_result_free(&result);
    oc_close(d);
    return right;
}

// --- ptxas -----------------------------------------------------------------------------------------------------------
// The module without debug sections, for a target that ptxas knows.
static void put_ptx(const Module *m, const char *text, Text *out)
{
    while (*text) {
        size_t n = strcspn(text, "\n"), blank = strspn(text, " \t");
        if (!strncmp(text + blank, ".section", 8)) break;
        bool old = m->sm < PTXAS_LEAST;
        if (old && !strncmp(text, ".version", 8))
            text_put(out, ".version 6.3\n");
        else if (old && !strncmp(text, ".target", 7))
            text_printf(out, ".target sm_%d\n", PTXAS_LEAST);
        else if (strncmp(text + blank, ".loc", 4) || text[blank + 4] == 'a')
            text_printf(out, "%.*s\n", (int)n, text);
        text += n + (text[n] != 0);
    }
}

// What ptxas -v says: "Compiling entry function 'k' for …", and below it "Used 26 registers, …".
static void read_counts(const char *said, KernelRows *rows)
{
    KernelRow *row = NULL;
    for (const char *line = said, *end; *line; line = *end ? end + 1 : end) {
        end = line + strcspn(line, "\n");
        const char *name = strstr(line, "entry function '"), *used = strstr(line, "Used ");
        if (name && name < end) {
            row = NULL;
            name += strlen("entry function '");
            size_t n = strcspn(name, "'");
            for (size_t k = 0; k < rows->n; k++)
                if (strlen(rows->v[k].name) == n && !strncmp(name, rows->v[k].name, n)) row = &rows->v[k];
        }
        if (row && used && used < end) row->ptxas = (uint32_t)strtoul(used + 5, NULL, 10);
    }
}

// Where ptxas isn't installed, or no file can be made for it, its column is missing.
static void ask_ptxas(const Module *m, const char *text, KernelRows *rows)
{
    Text folder = {0}, path = {0}, ptx = {0}, said = {0};
    Diag diag = {0};
    char arch[32];
    int status;
    const char *ptxas = access("/usr/local/cuda/bin/ptxas", X_OK) ? "ptxas" : "/usr/local/cuda/bin/ptxas";
    snprintf(arch, sizeof arch, "-arch=sm_%d", MAX(m->sm, PTXAS_LEAST));
    const char *const words[] = {ptxas, "-v", arch, "-o", "/dev/null", "module.ptx", NULL};
    bool made = folder_for_a_while(&folder, &diag);
    put_ptx(m, text, &ptx);
    text_printf(&path, "%s/module.ptx", folder.v);
    if (made && text_write_file(&ptx, path.v) && program_run(words, folder.v, &said, &status) && said.n)
        read_counts(said.v, rows);
    if (made) unlink(path.v), rmdir(folder.v);
    text_free(&folder), text_free(&path), text_free(&ptx), text_free(&said), diag_free(&diag);
}

// --- the table -------------------------------------------------------------------------------------------------------
static void print_rows(const KernelRows *rows, bool ptxas)
{
    Table t = {.columns = 4 + COUNT(counts) + ptxas};
    char cell[40];
    table_add(&t, "kernel");
    table_add(&t, "registers");
    table_add(&t, "values");
    if (ptxas) table_add(&t, "ptxas");
    for (size_t n = 0; n < COUNT(counts); n++) {
        snprintf(cell, sizeof cell, "%u", counts[n]);
        table_add(&t, cell);
    }
    table_add(&t, "file, KB");
    for (size_t k = 0; k < rows->n; k++) {
        const KernelRow *r = &rows->v[k];
        uint64_t most = r->instructions[COUNT(counts) - 1];
        table_add(&t, r->name);
        snprintf(cell, sizeof cell, "%u", r->registers);
        table_add(&t, cell);
        snprintf(cell, sizeof cell, "%u", r->values);
        table_add(&t, r->values ? cell : "-");
        snprintf(cell, sizeof cell, "%u", r->ptxas);
        if (ptxas) table_add(&t, r->ptxas ? cell : "-");
        for (size_t n = 0; n < COUNT(counts); n++) {
            snprintf(cell, sizeof cell, "%.3f", most ? (double)r->instructions[n] / (double)most : 0);
            table_add(&t, most ? cell : "-");
        }
        snprintf(cell, sizeof cell, "%u", r->registers * 4 * FULL_THREADS / 1024);
        table_add(&t, cell);
    }
    table_print(&t, stdout);
    table_free(&t);
}

int show_program_registers(const char *name, const char *const *params)
{
    const WorkloadEntry *e = workload_find(name);
    char hint[100];
    const char *near = workload_near(name);
    if (!e)
        return tell(EXIT_USAGE, "no workload '%s'%s (onchip list workloads)", name,
                    did_you_mean(name, &near, near != NULL, hint));
    Diag diag = {0};
    KernelRows rows = {0};
    Module *m = ptx_parse_partly(e->ptx, e->ptx_bytes, name, &diag);
    bool ok = m != NULL, ptxas = false;
    if (!m) tell(0, "%s", diag.text.v);
    if (m) m->free_params = true;
    if (m) find_registers(m, &rows);
    for (size_t n = 0; ok && n < COUNT(counts); n++) ok = run_with(e, params, n, &rows);
    if (ok) {
        ask_ptxas(m, e->ptx, &rows);
        for (size_t k = 0; k < rows.n; k++) ptxas |= rows.v[k].ptxas != 0;
        print_rows(&rows, ptxas);
        printf("\nregisters: 32 bits each, none spilled. values: if a register held a value of any width, parameters "
               "too. %sAt 18 to 64 registers: executed instructions, those at 64 "
               "being "
               "1.\nfile: of %u threads. The small size of the workload was run.\n",
               ptxas ? "ptxas: its own count. " : "", FULL_THREADS);
    }
    vec_free(&rows), diag_free(&diag);
    ptx_free(m);
    return ok ? EXIT_OK : EXIT_FAILED;
}
