// ptxas.c: see ptxas.h.
#include "ptxas.h"
#include "called.h"
#include "check.h"
#include "equal.h"
#include "ptx/unit.h"
#include "work/programs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const Sl1Options settings[SETTINGS_OF_PTXAS] = {
    {.line = 16, .threshold = 300, .per_warp = true},
    {.line = 24, .threshold = 300},
    {.line = 8, .threshold = 300},
    {.line = 16, .threshold = 300, .banks = true, .prefetch = true, .scattered = true},
    {.line = 24, .threshold = 300, .banks = true},
    {.line = 8, .threshold = 300, .banks = true},
    {.line = 8, .threshold = 300, .prefetch = true},
    {.line = 16, .threshold = 300, .pairs = true, .strides = true},
    {.line = 8, .threshold = 300, .pairs = true, .banks = true},
    {.line = 16, .threshold = 300, .cache_nothing = true},
    {.line = 16, .threshold = 300, .clock = 100, .per_warp = true},
};

typedef struct Count {
    uint32_t modules, rewritten, refused;
    char folder[40];
} Count;

const char *find_ptxas(void)
{
    if (!access("/usr/local/cuda/bin/ptxas", X_OK)) return "/usr/local/cuda/bin/ptxas";
    return system("command -v ptxas >/dev/null 2>&1") == 0 ? "ptxas" : NULL;
}

// ptxas of CUDA 13 knows sm_75 and later: what is for older ones is called PTX 6.3 for sm_75.
static void put_header(Module *m)
{
    if (m->sm >= 75) return;
    m->sm = 75, m->target = "sm_75";
    if (m->version_major * 10 + m->version_minor < 63) m->version_major = 6, m->version_minor = 3;
}

static bool accepted(const char *name, const Text *ptx, const char *folder)
{
    char path[100], command[400];
    Text log = {0};
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(ptx->v, 1, ptx->n, f);
    fclose(f);
    const char *target = strstr(ptx->v, ".target sm_") + strlen(".target ");
    snprintf(command, sizeof command, "%s -O0 -arch=%.*s %s -o %s/k.cubin >%s/log 2>&1", find_ptxas(),
             (int)strcspn(target, " ,\n"), target, path, folder, folder);
    bool ok = system(command) == 0;
    snprintf(path, sizeof path, "%s/log", folder);
    if (!ok && text_read_file(&log, path)) printf("ptxas refuses %s: %.500s\n", name, log.v ? log.v : "");
    text_free(&log);
    return ok;
}

// With every setting, or those whose turn it is.
static void rewrite(const char *name, const char *ptx, size_t length, uint64_t turn, uint32_t one_in, Count *count)
{
    for (size_t s = turn % one_in; s < COUNT(settings); s += one_in) {
        Diag diag = {0};
        Text out = {0};
        Sl1Module of;
        Module *m = ptx_parse(ptx, length, name, &diag);
        if (!m) fail_msg("%s", diag.text.v);
        put_header(m);
        sl1_rewrite(m, &settings[s], &out, NULL, &of);
        bool any = false;
        for (size_t k = 0; k < of.kernels.n; k++) any |= !of.kernels.v[k].left;
        count->modules++, count->rewritten += any;
        if (any) count->refused += !accepted(name, &out, count->folder);
        sl1_module_free(&of);
        ptx_free(m);
        text_free(&out), diag_free(&diag);
    }
}

void give_to_ptxas(uint32_t seeds, uint32_t one_in)
{
    Count count = {.folder = "/tmp/onchip-sl1-XXXXXX"};
    assert_non_null(mkdtemp(count.folder));
    for (size_t k = 0; k < workload_count; k++) {
        const WorkloadEntry *e = &workload_table[k];
        rewrite(e->workload->name, e->ptx, e->ptx_bytes, k, one_in, &count);
    }
    for (size_t k = 0; k < called_count; k++) {
        Text ptx = {0};
        put_called(&called[k], 90, &ptx);
        rewrite(called[k].name, ptx.v, ptx.n, k, one_in, &count);
        text_free(&ptx);
    }
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        Text ptx = {0};
        Launch l;
        char name[40];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        generate(seed, machines[seed % COUNT(machines)].sm, &ptx, &l);
        rewrite(name, ptx.v, ptx.n, seed, one_in, &count);
        launch_free(&l);
        text_free(&ptx);
    }
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", count.folder);
    printf("%u modules, %u of them rewritten, of which ptxas refuses %u\n", count.modules, count.rewritten,
           count.refused);
    assert_int_equal(system(command), 0);
    assert_int_equal(count.refused, 0);
    assert_true(count.rewritten * 2 > count.modules);
}
