// Matrices: which cells a product has, and that whatever is wrong in a file is shown at its line and column.
#include "sweep/sweep.h"

#include "check.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void cell_text(const Cell *c, Text *out)
{
    text_printf(out, "%s", c->program);
    for (const char *const *p = c->params; p && *p; p++) text_printf(out, " %s", *p);
    text_printf(out, " on %s", c->gpu);
    for (const char *const *p = c->sets; p && *p; p++) text_printf(out, " %s", *p);
    if (c->how.small) text_put(out, " small");
    if (c->how.functional) text_put(out, " functional");
    if (c->how.max_cycles) text_printf(out, " max-cycles=%llu", (unsigned long long)c->how.max_cycles);
    text_put(out, "\n");
}

// The cells that a file makes, or what is wrong with it or them; the file's name is cut off.
static char *outcome(const char *text)
{
    char path[] = "/tmp/onchip-matrix-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0 && write(fd, text, strlen(text)) == (ssize_t)strlen(text));
    close(fd);
    Matrix m = {.arena = {0}};
    Diag d = {0};
    Text out = {0};
    text_put(&out, "");
    Planner *planner = planner_open(NULL);
    bool ok = matrix_read(&m, path, &d);
    for (size_t k = 0; k < m.cells.n && ok; k++) {
        Plan plan;
        ok = matrix_plan(&m, planner, &m.cells.v[k], &plan, &d);
        if (ok) cell_text(&m.cells.v[k], &out);
        plan_free(&plan);
    }
    if (!ok) out.n = 0, text_put(&out, strncmp(d.text.v, path, strlen(path)) ? d.text.v : d.text.v + strlen(path) + 1);
    planner_close(planner);
    matrix_free(&m);
    diag_free(&d);
    unlink(path);
    char *copy = mem_text(out.v);
    text_free(&out);
    return copy;
}

static void assert_outcome(const char *text, const char *want)
{
    char *got = outcome(text);
    if (strcmp(got, want)) fail_msg("of\n%s\nthis is wanted:\n%s\nand this is there:\n%s", text, want, got);
    mem_free(got);
}

// Only the beginning: hints that list what there is grow.
static void assert_begins(const char *text, const char *want)
{
    char *got = outcome(text);
    if (strncmp(got, want, strlen(want)))
        fail_msg("of\n%s\nthis is wanted:\n%s\nand this is there:\n%s", text, want, got);
    mem_free(got);
}

// Ten axes of a hundred values are 10^20 cells, more than 64 bits count; every product is checked before it is made.
static void sizes(void **state)
{
    (void)state;
    Text hundred = {0}, text = {0};
    for (int k = 0; k < 100; k++) text_printf(&hundred, "%s%d", k ? ", " : "", k + 1);
    text_put(&text, "[matrix]\nprogram = vectoradd\n");
    for (int k = 0; k < 10; k++) text_printf(&text, "x%d = %s\n", k, hundred.v);
    char *got = outcome(text.v);
    const char *want = "a matrix has 1000000 cells at most, not 1e+20: x0 (100) × x1 (100) × ";
    if (!strstr(got, want)) fail_msg("%s", got);
    mem_free(got);

    text.n = 0;
    text_printf(&text, "[matrix]\nprogram = vectoradd\nn = %s\nx0 = %s\n", hundred.v, hundred.v);
    text_printf(&text, "[matrix 2]\nprogram = saxpy\n");
    for (int k = 0; k < 3; k++) text_printf(&text, "x%d = %s\n", k, hundred.v);
    got = outcome(text.v);
    want = "not the 10000 of its other parts and 1000000 more: x0 (100) × x1 (100) × x2 (100)";
    if (!strstr(got, want)) fail_msg("%s", got);
    mem_free(got);

    // A limit of the caller's own, which both sides keep to.
    for (uint64_t most = 9999; most <= 10000; most++) {
        Matrix m = {.most = most};
        Diag d = {0};
        assert_true(matrix_axis(&m, "program", "vectoradd", &d) && matrix_axis(&m, "n", hundred.v, &d) &&
                    matrix_axis(&m, "l1.mshrs", hundred.v, &d));
        assert_true(matrix_product(&m, &d) == (most == 10000));
        assert_int_equal(m.cells.n, most == 10000 ? 10000 : 0);
        assert_true(most == 10000 || strstr(d.text.v, "9999 cells at most, not 10000: n (100) × l1.mshrs (100)"));
        matrix_free(&m), diag_free(&d);
    }
    text_free(&hundred), text_free(&text);
}

static void products(void **state)
{
    (void)state;
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = atax, mvt n=64\nl1.size = 16KiB , 32KiB\nsize = small\n",
                   "atax on gtx480 l1.size=16KiB small\natax on gtx480 l1.size=32KiB small\n"
                   "mvt n=64 on gtx480 l1.size=16KiB small\nmvt n=64 on gtx480 l1.size=32KiB small\n");
    assert_outcome("[matrix]\nworkload = vectoradd\nn = 8\ngpu = gtx480, titan_black\nsched = lrr\nmax-cycles = "
                   "1000\n[matrix two]\nprogram = saxpy\nfunctional = yes\n",
                   "vectoradd n=8 on gtx480 sched.policy=lrr max-cycles=1000\nvectoradd n=8 on titan_black "
                   "sched.policy=lrr max-cycles=1000\n"
                   "saxpy on " OC_DEFAULT_GPU " functional\n");
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = vectoradd\nstorage.carveouts = {24, 17, 17}, 16\n",
                   "vectoradd on gtx480 storage.carveouts=24, 17, 17\nvectoradd on gtx480 storage.carveouts=16\n");
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = vectoradd\nwith = large: n=64 l1.size=32KiB, n=8\n",
                   "vectoradd n=64 on gtx480 l1.size=32KiB\nvectoradd n=8 on gtx480\n");
    assert_outcome("[matrix]\nmeasure = shared, throughput scale=0.50\ngpu = gtx780\nshared.mode = 4, 8\n",
                   "shared on gtx780 shared.mode=4\nshared on gtx780 shared.mode=8\nthroughput scale=0.50 on gtx780 "
                   "shared.mode=4\n"
                   "throughput scale=0.50 on gtx780 shared.mode=8\n");
    assert_outcome("[matrix]\nverb = probe\nprogram = ops\n", "ops on " OC_DEFAULT_GPU "\n");
    assert_outcome("[matrix]\nprogram = \"atax\" nx=\"8\" ny=9, vectoradd\ngpu = \"gtx480\"\n",
                   "atax nx=8 ny=9 on gtx480\nvectoradd on gtx480\n");
    assert_outcome(
        "[matrix]\nprogram = vectoradd\nwith = \"a b\": gpu=\"gtx480\" n=5 tlb1.sets=24 17 17 l1.size=16KiB\n",
        "vectoradd n=5 on gtx480 tlb1.sets=24 17 17 l1.size=16KiB\n");
    assert_outcome("[notes]\nx = 1\n[matrix]\ngpu = gtx480\nprogram = vectoradd\nn = 8\n", "vectoradd n=8 on gtx480\n");
}

static void refusals(void **state)
{
    (void)state;
    assert_outcome("[matrix]\nprogram =\n", "2:10: error: program has no value\n    2 | program =\n      |          ^");
    assert_outcome("[matrix]\nprogram = atax, ,mvt\n",
                   "2:17: error: program has an empty value\n    2 | program = atax, ,mvt\n      |                 ^");
    assert_outcome("[matrix]\nprogram = atax,\n",
                   "2:16: error: program has an empty value\n    2 | program = atax,\n      |                ^");
    assert_outcome("[matrix]\nprogram = {}\n",
                   "2:12: error: program has an empty value\n    2 | program = {}\n      |            ^");
    assert_outcome("[matrix]\ntlb2.sets = 8,{24, 17\n",
                   "2:15: error: tlb2.sets: '{' without '}'\n    2 | tlb2.sets = 8,{24, 17\n      |               ^");
    assert_outcome("[matrix]\ntlb2.sets = 24}, 17\n",
                   "2:15: error: tlb2.sets: '}' without '{'\n    2 | tlb2.sets = 24}, 17\n      |               ^");
    assert_outcome(
        "[matrix]\nprogram = atax\nsize = small, tiny\n",
        "3:15: error: size is small or standard, not 'tiny'\n    3 | size = small, tiny\n      |               ^");
    assert_outcome("[matrix]\nprogram = atax\nskip = two\n",
                   "3:8: error: skip takes a whole number, not 'two'\n    3 | skip = two\n      |        ^");
    assert_outcome("[matrix]\nprogram = atax\nwith = a: n\n",
                   "3:11: error: with: name=value is expected, not 'n'\n    3 | with = a: n\n      |           ^");
    assert_outcome("[matrix]\ngpu = gtx480\n", "which program? a matrix needs program = NAME, … or measure = NAME, …");
    assert_outcome("[matrix]\nprogram = atax\nprogram = mvt\n",
                   "3:1: error: 'program' is given twice in [matrix]\n    3 | program = mvt\n      | ^\nhint: it was "
                   "first given in line 2");
    assert_outcome("[matrix]\nprogram = bicg, atex\n", "2:17: error: no workload 'atex'; did you mean 'atax'?\n    2 | "
                                                       "program = bicg, atex\n      |                 ^");
    assert_outcome("[matrix]\nprogram = atax\nverb = rum\n",
                   "3:8: error: no verb 'rum'\n    3 | verb = rum\n      |        ^");
    assert_outcome("[matrix]\nprogram = atax\nkernels = k(\n",
                   "3:11: error: kernels: malformed regular expression 'k(': missing closing parenthesis (character "
                   "2)\n    3 | kernels = k(\n      |           ^");
    assert_begins("[matrix]\nprogram = mvt\nm = 4\n",
                  "3:1: error: mvt has no parameter 'm'; it has: n, rows\n    3 | m = 4\n      | ^");
    assert_begins("[matrix]\nprogram = mvt\nn = 4, -4\n", "3:8: error: mvt: n=-4 is refused: ");
    assert_begins("[matrix]\nprogram = atax nx=4 nz=4, mvt\n",
                  "2:21: error: atax has no parameter 'nz'; it has: nx, ny\n    2 | program = atax nx=4 nz=4, mvt\n    "
                  "  |                     ^");
    assert_begins("[matrix]\nprogram = atax nx=4 ny=0, mvt\n", "2:24: error: atax: ny=0 is refused: ");
    assert_outcome("[matrix]\nprogram = mvt\nl1.sice = 16KiB\n",
                   "3:1: error: unknown key l1.sice\n    3 | l1.sice = 16KiB\n      | ^\nhint: did you mean l1.size?");
    assert_begins("[matrix]\nprogram = mvt\nl1.size = 16KiB, 16KB\n", "3:18: error: l1.size");
    assert_begins("[matrix]\nprogram = mvt\nwith = a: n=5 l1.sice=16KiB\n", "3:15: error: unknown key l1.sice");
    assert_begins("[matrix]\nmeasure = shared, shard\n",
                  "2:19: error: no measurement 'shard'; did you mean 'shared'? There are shared, ops, ");
    assert_begins("[matrix]\nverb = probe\nprogram = atax\n", "3:11: error: no measurement 'atax'; there are ");
    assert_begins("[matrix]\nmeasure = shared\nprogram = atax\n", "program and measure don't go together");
    assert_outcome("[matrix]\nmeasure = throughput\nscale = 0.5, 2\n",
                   "3:14: error: throughput: scale=2 is refused: a number from 0.25 to 1 is expected\n    3 | scale = "
                   "0.5, 2\n      |              ^");
    assert_begins("[matrix]\nmeasure = throughput scale=x\n", "2:28: error: throughput: scale=x is refused");
    assert_outcome("[matrix]\nmeasure = throughput\nn = 8\n",
                   "3:1: error: throughput has no parameter 'n'; it has: scale\n    3 | n = 8\n      | ^");
    assert_begins("[matrix]\nmeasure = shared\nn = 8\n", "3:1: error: shared has no parameter 'n'; it has: none");
    assert_begins("[matrix]\nmeasure = shared\nkernels = k\n", "3:11: error: a measurement can't have kernels");
    assert_begins("[matrix]\ngpu = gtx480\nmeasure = shared\nfunctional = yes\n",
                  "shared on gtx480: a measurement can't have functional");
    assert_begins("[matrix]\nprogram = mvt\ngpu = gtx480, gtx481\n", "3:15: error: ");
    // A name with blanks, and one with whatever else divides words and lists.
    assert_begins("[matrix]\nprogram = mvt, my file.ptx block=8, saxpy\n",
                  "2:16: error: can't read my file.ptx: No such file or directory\n");
    assert_begins("[matrix]\nprogram = mvt, \"a, b=\"\"c\"\"}.ptx\" block=8\n",
                  "2:16: error: can't read a, b=\"c\"}.ptx: No such file or directory\n");
    assert_begins("[matrix]\nprogram = mvt\nwith = a: n=5 gpu=\"my gpu.ini\" l1.size=4KiB\n",
                  "3:19: error: can't read the GPU description my gpu.ini");
    assert_begins("[matrix]\nprogram = atax nx=4 n\n", "2:19: error: atax: nx=4 n is refused");
    // A file's parameters, even before there is the file.
    assert_begins("[matrix]\nprogram = none.ptx\ngrid = {4,4,4,4}\n",
                  "3:9: error: none.ptx: grid 4,4,4,4: X, X,Y or X,Y,Z is expected: blocks, such as 16 or 4,4\n");
    assert_begins("[matrix]\nprogram = none.ptx\nblock = 32\nsmem = 1KB\n", "4:8: error: none.ptx: smem 1KB: ");
    assert_begins("[matrix]\nprogram = none.ptx\ngrit = 4\n",
                  "3:1: error: none.ptx: a PTX file has no parameter 'grit'");
}

// A search's candidates are cells: limits that an SM's schedulers share evenly (gtx480 has two and 48 warps,
// titan_black four and 64), numbers that are written, or eighths of the description's threads in whole warps.
static void candidates(void **state)
{
    (void)state;
    static const struct {
        const char *gpu;
        unsigned step, most;
    } limits[] = {{"gtx480", 2, 48}, {"titan_black", 4, 64}};
    for (size_t k = 0; k < COUNT(limits); k++) {
        Text text = {0}, want = {0};
        text_printf(&text, "[matrix]\nprogram = mvt\nsched = gto, best-swl\ngpu = %s\nl1.mshrs = 8\n", limits[k].gpu);
        text_printf(&want, "mvt on %s sched.policy=gto l1.mshrs=8\n", limits[k].gpu);
        for (unsigned n = limits[k].step; n <= limits[k].most; n += limits[k].step)
            text_printf(&want, "mvt on %s sched.policy=swl l1.mshrs=8 sched.limit=%u\n", limits[k].gpu, n);
        assert_outcome(text.v, want.v);
        text_free(&text), text_free(&want);
    }
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = mvt\nautotune = no, threads=512,128, 512\n",
                   "mvt on gtx480\nmvt on gtx480 sm.threads=128\nmvt on gtx480 sm.threads=512\n");
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = mvt\nautotune = {threads=0x40}\nn = 8, 16\n",
                   "mvt n=8 on gtx480 sm.threads=64\nmvt n=16 on gtx480 sm.threads=64\n");
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = mvt\nautotune = threads\nsm.threads = 1000\n",
                   "mvt on gtx480 sm.threads=128\nmvt on gtx480 sm.threads=256\nmvt on gtx480 sm.threads=384\n"
                   "mvt on gtx480 sm.threads=512\nmvt on gtx480 sm.threads=640\nmvt on gtx480 sm.threads=768\n"
                   "mvt on gtx480 sm.threads=896\nmvt on gtx480 sm.threads=1000\n");
    assert_outcome("[matrix]\ngpu = gtx480\nprogram = mvt\nwith = some: sched.policy=best-swl sm.schedulers=1 "
                   "sm.warps=2 sched.limit=7\n",
                   "mvt on gtx480 sched.policy=swl sm.schedulers=1 sm.warps=2 sched.limit=1\n"
                   "mvt on gtx480 sched.policy=swl sm.schedulers=1 sm.warps=2 sched.limit=2\n");

    // Candidates count as cells.
    for (uint64_t most = 25; most <= 26; most++) {
        Matrix m = {.most = most};
        Diag d = {0};
        assert_true(matrix_axis(&m, "program", "mvt, atax", &d) && matrix_axis(&m, "sched", "best-swl, gto", &d) &&
                    matrix_axis(&m, "gpu", "titan_black", &d));
        assert_false(matrix_product(&m, &d));  // 2 × (16 + 1)
        assert_true(strstr(d.text.v, "cells at most, and a search has one for each number that it tries"));
        matrix_free(&m), diag_free(&d);
        m = (Matrix){.most = most}, d = (Diag){0};
        assert_true(matrix_axis(&m, "program", "mvt", &d) && matrix_axis(&m, "sched", "best-swl, gto, lrr", &d) &&
                    matrix_axis(&m, "gpu", "gtx480", &d));
        assert_true(matrix_product(&m, &d) == (most == 26));  // 24 + 1 + 1
        assert_int_equal(m.searches.n, 1);
        assert_true(most == 25 || (m.searches.v[0].first == 0 && m.searches.v[0].n == 24));
        matrix_free(&m), diag_free(&d);
    }

    assert_begins("[matrix]\nprogram = mvt\nautotune = no, warps\n",
                  "3:16: error: autotune takes threads, with =N,… behind it or without, or no; not 'warps'");
    assert_begins("[matrix]\nprogram = mvt\nautotune = threads=64, 5x, 7\n",
                  "3:24: error: autotune threads=64, 5x, 7: '5x' isn't a whole number");
    assert_begins("[matrix]\nprogram = mvt\nautotune = threads=64,\n", "3:23: error: autotune has an empty value");
    assert_begins("[matrix]\nprogram = mvt\nautotune = threads=\n",
                  "3:20: error: autotune threads=: '' isn't a whole number");
    assert_begins("[matrix]\nprogram = mvt\nautotune = threads=64, 4294967296\n",
                  "3:24: error: autotune threads=64, 4294967296: '4294967296' isn't a whole number");
    assert_begins("[matrix]\nprogram = mvt\nautotune = threads=64, 16\n",
                  "3:24: error: sm.threads: '16' is out of range");
    assert_begins("[matrix]\nprogram = mvt\nsched = best-swl\nautotune = threads\n",
                  "4:12: error: sched=best-swl and autotune=threads don't go together: one thing is tuned at a time");
    assert_begins("[matrix]\nmeasure = ops\nsched = gto, best-swl\n",
                  "3:14: error: sched=best-swl compares cycles of kernels, which a measurement doesn't have");
    assert_begins("[matrix]\nprogram = mvt\nsched = best-swl\nl1.sice = 1\n", "4:1: error: unknown key l1.sice");
    assert_begins("[matrix]\nprogram = mvt\nsched = best-swl=4\n", "3:9: error: ");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(products), cmocka_unit_test(sizes), cmocka_unit_test(refusals),
                                       cmocka_unit_test(candidates)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
