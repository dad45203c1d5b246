// show_occupancy.c: onchip show occupancy: how many blocks of a kernel an SM has room for, and what more or fewer
// registers, shared memory or threads would change. The numbers are those of a launch (sm_organise, sm_occupancy), with
// the carve-out that it would choose. Neighbouring values that give the same stand in one row.
#include "cli/unit.h"
#include "exec/code.h"
#include "gpu/gpu.h"
#include "sm/sm.h"

#include <inttypes.h>
#include <string.h>

enum { REGISTERS, SHARED, BLOCK, NEEDS };
typedef struct Need {
    const char *name, *head, *unit;
    uint64_t otherwise, least, step;
} Need;
static const Need needs[NEEDS] = {[REGISTERS] = {"registers", "registers of a thread", "", 32, 8, 8},
                                  [SHARED] = {"shared", "shared memory of a block", "byte", 0, 0, 1024},
                                  [BLOCK] = {"block", "threads of a block", "", 256, 32, 32}};

typedef struct Fit {
    uint32_t blocks, warps;
    const char *limit;
} Fit;

static Fit fit_of(const Gpu *g, const uint64_t value[NEEDS])
{
    SmCfg cfg = g->sm;
    Kernel kernel = {.registers = (uint32_t)value[REGISTERS]};
    const LaunchInfo l = {.kernel = &kernel,
                          .grid = {UINT32_MAX, 1, 1},
                          .block = {(uint32_t)value[BLOCK], 1, 1},
                          .dynamic_shared = (uint32_t)value[SHARED]};
    Fit f = {0};
    sm_organise(&cfg, &l, NULL);
    f.blocks = sm_occupancy(&cfg, &l, &f.limit);
    f.warps = f.blocks * (((uint32_t)value[BLOCK] + LANES - 1) / LANES);
    return f;
}

static uint64_t most_of(const Gpu *g, int need)
{
    const uint64_t registers = g->sm.reg_max ? g->sm.reg_max : 255;
    return need == REGISTERS ? registers : need == SHARED ? g->sm.shared_max : MIN(g->sm.max_threads, 1024);
}

static void put_bar(const Gpu *g, uint32_t warps, Text *out)
{
    enum { WIDE = 24 };
    const uint32_t full = (warps * WIDE + g->sm.max_warps / 2) / g->sm.max_warps;
    for (uint32_t k = 0; k < WIDE; k++) text_put(out, k < full ? "█" : "·");
}

// A row for each stretch of values with the same room; the kernel's own is marked.
static void put_table(const Gpu *g, const uint64_t at[NEEDS], int need)
{
    const Need *n = &needs[need];
    const uint64_t most = most_of(g, need);
    Table table = {.columns = 5, .indent = 2, .width = SIZE_MAX};
    const char *const heads[] = {n->head, "blocks", "warps", "", "limited by"};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&table, heads[k]);
    for (uint64_t from = n->least, to; from <= most; from = to + n->step) {
        uint64_t value[NEEDS];
        memcpy(value, at, sizeof value);
        value[need] = from;
        const Fit f = fit_of(g, value);
        Text row = {0};
        for (to = from; to + n->step <= most; to += n->step) {
            value[need] = to + n->step;
            const Fit next = fit_of(g, value);
            if (next.blocks != f.blocks || next.warps != f.warps) break;
        }
        const bool own = at[need] >= from && (at[need] < to + n->step || to + n->step > most);
        text_printf(&row, "%s%" PRIu64, own ? "→ " : "", from);
        if (to > from) text_printf(&row, " to %" PRIu64, to);
        table_add(&table, row.v);
        row.n = 0, text_printf(&row, "%u", f.blocks), table_add(&table, row.v);
        row.n = 0, text_printf(&row, "%u", f.warps), table_add(&table, row.v);
        row.n = 0, put_bar(g, f.warps, &row), table_add(&table, row.v);
        table_add(&table, f.blocks ? f.limit : "no block fits");
        text_free(&row);
    }
    printf("\n");
    table_print(&table, stdout);
    table_free(&table);
}

// Reads "registers=40". False, with the reason told: it isn't one of these.
static bool read_need(const Gpu *g, const char *word, uint64_t value[NEEDS])
{
    const char *names[NEEDS], *sign = strchr(word, '=');
    char hint[100];
    for (int k = 0; k < NEEDS; k++) {
        const size_t n = strlen(names[k] = needs[k].name);
        if (!sign || (size_t)(sign - word) != n || strncmp(word, names[k], n)) continue;
        const uint64_t least = k == SHARED ? 0 : 1;
        if (parse_size(sign + 1, &value[k]) && value[k] >= least && value[k] <= most_of(g, k)) return true;
        return tell(0, "%s: from %" PRIu64 " to %" PRIu64 " on this GPU", word, least, most_of(g, k)), false;
    }
    return tell(0, "show occupancy: '%s' is no need of a kernel%s; they are registers=, shared= and block=", word,
                did_you_mean(word, names, NEEDS, hint)),
           false;
}

int show_occupancy(const char *gpu, const char *const *words)
{
    Gpu g;
    Diag diag = {0};
    uint64_t value[NEEDS];
    bool ok = gpu_load(&g, gpu, NULL, &diag);
    if (!ok) tell(0, "%s", diag.text.v);
    diag_free(&diag);
    if (!ok) return EXIT_USAGE;
    for (int k = 0; k < NEEDS; k++) value[k] = needs[k].otherwise;
    for (; ok && *words; words++) ok = read_need(&g, *words, value);
    if (ok) {
        const Fit f = fit_of(&g, value);
        printf("%s: %u block%s of %" PRIu64 " threads on an SM, %u of %u warps (%.0f %%), limited by %s\n", g.name,
               f.blocks, f.blocks == 1 ? "" : "s", value[BLOCK], f.warps, g.sm.max_warps,
               100.0 * f.warps / g.sm.max_warps, f.limit);
        printf("a thread has %" PRIu64 " registers, a block %" PRIu64 " bytes of shared memory\n", value[REGISTERS],
               value[SHARED]);
        for (int k = 0; k < NEEDS; k++) put_table(&g, value, k);
    }
    gpu_free(&g);
    return ok ? EXIT_OK : EXIT_USAGE;
}
