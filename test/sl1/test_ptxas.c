// What the rewriting makes of random kernels, of those with calls and of the workloads is PTX that ptxas takes, where there is one;
// without, this is skipped (exit status 77).
#include "called.h"
#include "check.h"
#include "generate.h"
#include "lab/lab.h"
#include "sl1/sl1.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SEEDS = 40 };

static const Sl1Options settings[] = {
    {.line = 16, .threshold = 300},
    {.line = 8, .threshold = 300, .per_thread = true},
    {.line = 16, .threshold = 300, .banks = true, .prefetch = true, .scattered = true},
};
static char folder[] = "/tmp/onchip-sl1-XXXXXX";

static const char *ptxas(void)
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

static bool accepted(const char *name, const Text *ptx)
{
    char path[100], command[400];
    Text log = {0};
    snprintf(path, sizeof path, "%s/k.ptx", folder);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fwrite(ptx->v, 1, ptx->n, f);
    fclose(f);
    const char *target = strstr(ptx->v, ".target sm_") + strlen(".target ");
    snprintf(command, sizeof command, "%s -O0 -arch=%.*s %s -o %s/k.cubin >%s/log 2>&1", ptxas(), (int)strcspn(target, " ,\n"), target, path, folder, folder);
    bool ok = system(command) == 0;
    snprintf(path, sizeof path, "%s/log", folder);
    if (!ok && text_read_file(&log, path)) printf("ptxas refuses %s: %.500s\n", name, log.v ? log.v : "");
    text_free(&log);
    return ok;
}

typedef struct Count { uint32_t modules, rewritten, refused; } Count;

static void rewrite(const char *name, const char *ptx, size_t length, Count *count)
{
    for (size_t s = 0; s < COUNT(settings); s++) {
        Diag diag = {0};
        Text out = {0};
        Sl1Module of;
        Module *m = ptx_parse(ptx, length, name, &diag);
        if (!m) fail_msg("%s", diag.text.v);
        put_header(m);
        sl1_rewrite(m, &settings[s], &out, &of);
        bool any = false;
        for (size_t k = 0; k < of.kernels.n; k++) any |= !of.kernels.v[k].left;
        count->modules++, count->rewritten += any;
        if (any) count->refused += !accepted(name, &out);
        sl1_module_free(&of);
        ptx_free(m);
        text_free(&out), diag_free(&diag);
    }
}

static void all(void **state)
{
    (void)state;
    Count count = {0};
    for (size_t k = 0; k < workload_count; k++) rewrite(workload_table[k].workload->name, workload_table[k].ptx, workload_table[k].ptx_bytes, &count);
    for (size_t k = 0; k < called_count; k++) {
        Text ptx = {0};
        put_called(&called[k], 90, &ptx);
        rewrite(called[k].name, ptx.v, ptx.n, &count);
        text_free(&ptx);
    }
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        Text ptx = {0};
        Launch l;
        char name[40];
        snprintf(name, sizeof name, "seed %llu", (unsigned long long)seed);
        generate(seed, seed % 2 ? 75 : 90, &ptx, &l);
        rewrite(name, ptx.v, ptx.n, &count);
        launch_free(&l);
        text_free(&ptx);
    }
    printf("%u modules, %u of them rewritten, of which ptxas refuses %u\n", count.modules, count.rewritten, count.refused);
    assert_int_equal(count.refused, 0);
    assert_true(count.rewritten * 2 > count.modules);
}

int main(void)
{
    if (!ptxas()) return 77;
    if (!mkdtemp(folder)) return 1;
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    int failed = cmocka_run_group_tests(tests, NULL, NULL);
    char command[100];
    snprintf(command, sizeof command, "rm -rf %s", folder);
    return system(command) || failed;
}
