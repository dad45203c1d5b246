// A run's key: the same for whatever means the same, another for whatever changes the result.
#include "sweep/sweep.h"

#include "gpu/gpu.h"
#include "sl1/sl1.h"

#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static Identity identified(Cell c)
{
    Planner *planner = planner_open(NULL);
    Plan plan;
    Diag d = {0};
    if (!c.verb) c.verb = "run";
    if (!c.program) c.program = "atax";
    if (!c.gpu) c.gpu = "gtx480";
    if (!plan_cell(planner, &c, &plan, &d)) fail_msg("%s", d.text.v);
    Identity id = plan.id;
    plan.id = (Identity){.program = NULL};
    plan_free(&plan);
    planner_close(planner);
    return id;
}

static bool same(Cell a, Cell b)
{
    Identity x = identified(a), y = identified(b);
    bool equal = !strcmp(x.key, y.key);
    assert_int_equal(strlen(x.key), KEY_DIGITS);
    assert_int_equal(strspn(x.key, "0123456789abcdef"), KEY_DIGITS);
    identity_free(&x), identity_free(&y);
    return equal;
}

#define LIST(...) \
    (const char *const[]) { __VA_ARGS__, NULL }
#define SETS(...) \
    (Cell) { .sets = LIST(__VA_ARGS__) }
#define PARAMS(...) \
    (Cell) { .params = LIST(__VA_ARGS__) }

static void stable(void **state)
{
    (void)state;
    assert_true(same(SETS("l1.size=32KiB"), SETS("l1.size=32768")));
    assert_true(same(SETS("l1.size=0x8000"), SETS("l1.size=0.03125MiB")));
    assert_true(same(SETS("l1.size=32KiB", "l2.latency=100"), SETS("l2.latency=100", "l1.size=32KiB")));
    assert_true(same(SETS("l1.size=8KiB", "l1.size=32KiB"), SETS("l1.size=32KiB")));  // the last one counts
    assert_true(same(SETS("storage.carveouts=24 17 17"), SETS("storage.carveouts=24,17, 17.0")));
    assert_true(same(PARAMS("nx=64", "ny=32"), PARAMS("ny=32", "nx=64")));
    assert_true(same(PARAMS("nx=1KiB"), PARAMS("nx=1024")));
    assert_true(same((Cell){.program = "atax"}, (Cell){.program = "polybench/atax"}));
    assert_true(same((Cell){.how = {.small = true}}, PARAMS("nx=200", "ny=150")));
}

static void defaults(void **state)
{
    (void)state;
    Gpu g;
    Diag d = {0};
    assert_true(gpu_load(&g, "gtx480", NULL, &d));
    char size[64], sms[64];
    snprintf(size, sizeof size, "l1.size=%llu", (unsigned long long)g.sm.l1.size);
    snprintf(sms, sizeof sms, "gpu.sms=%u", g.sms);
    assert_true(same((Cell){.sets = NULL}, SETS(size, sms)));
    Identity id = identified((Cell){.program = "atax"});
    Text name = {0}, value = {0};
    char spelled[MAX_PARAMS][64];
    const char *params[MAX_PARAMS + 1] = {0};
    size_t n = 0;
    for (const char *p = id.params; setting_next(&p, &name, &value); n++) {
        snprintf(spelled[n], sizeof spelled[n], "%s=%s", name.v, value.v);
        params[n] = spelled[n];
    }
    assert_int_equal(n, 2);
    assert_true(same((Cell){.params = NULL}, (Cell){.params = params}));
    text_free(&name), text_free(&value);
    identity_free(&id);
}

static void options(void **state)
{
    (void)state;
    const Cell plain = {.how = {.small = true}};
    const Cell others[] = {{.how = {.small = false}},
                           {.how = {.small = true, .functional = true}},
                           {.how = {.small = true, .sample = true}},
                           {.how = {.small = true, .no_lowering = true}},
                           {.how = {.small = true, .kernels = "kernel1"}},
                           {.how = {.small = true, .skip = 1}},
                           {.how = {.small = true, .max_cycles = 1000}},
                           {.how = {.small = true, .interval = 100}},
                           {.how = {.small = true}, .gpu = "titan_black"},
                           {.how = {.small = true}, .program = "bicg"}};
    for (size_t k = 0; k < COUNT(others); k++) {
        assert_false(same(plain, others[k]));
        for (size_t j = 0; j < k; j++) assert_false(same(others[j], others[k]));
    }
}

// A name alone means the same workload as ever when another suite has the name too: keys and stored names stay.
static void names(void **state)
{
    (void)state;
    for (size_t k = 0; k < workload_count; k++) {
        Text name = {0}, full = {0};
        const Workload *w = workload_table[k].workload;
        workload_name(w, &name);
        text_printf(&full, "%s/%s", w->suite, w->name);
        assert_ptr_equal(workload_find(name.v), &workload_table[k]);
        assert_ptr_equal(workload_find(full.v), &workload_table[k]);
        assert_non_null(workload_find(w->name));
        assert_true(same((Cell){.program = name.v}, (Cell){.program = full.v}));
        Identity a = identified((Cell){.program = name.v}), b = identified((Cell){.program = full.v});
        assert_string_equal(a.program, name.v);
        assert_string_equal(b.program, name.v);
        identity_free(&a), identity_free(&b);
        text_free(&name), text_free(&full);
    }
    assert_ptr_equal(workload_find("kmeans"), workload_find("streaming/kmeans"));
    assert_false(same((Cell){.program = "kmeans"}, (Cell){.program = "rodinia/kmeans"}));
    assert_null(workload_find("rodinia/atax"));
    assert_null(workload_find("/kmeans"));
    assert_null(workload_find("stream/kmeans"));
}

// A measurement is no workload; what its parameters mean counts, not how they are written.
static void measurements(void **state)
{
    (void)state;
    const Cell plain = {.verb = "probe", .program = "throughput"},
               whole = {.verb = "probe", .program = "throughput", .params = LIST("scale=1")},
               half = {.verb = "probe", .program = "throughput", .params = LIST("scale=0.5")},
               spelled = {.verb = "probe", .program = "throughput", .params = LIST("scale=5e-1")};
    assert_true(same(plain, whole));
    assert_true(same(half, spelled));
    assert_false(same(plain, half));
    assert_false(same(plain, (Cell){.verb = "probe", .program = "shared"}));
    assert_false(same(plain, (Cell){.verb = "probe", .program = "throughput", .gpu = "titan_black"}));
    assert_false(same(plain, (Cell){.verb = "probe", .program = "throughput", .sets = LIST("l2.latency=200")}));
    assert_false(same(plain, (Cell){.verb = "probe", .program = "throughput", .how = {.no_lowering = true}}));
    Identity id = identified(plain);
    assert_string_equal(id.params, "scale=1");
    identity_free(&id);
}

// Every key of the description: a value that the description accepts and that isn't the one it has changes the key.
static void overrides(void **state)
{
    (void)state;
    size_t changed = 0;
    for (size_t k = 0; k < gpu_key_count; k++) {
        const Key *key = &gpu_keys[k];
        const double steps[] = {key->min,          key->max,          key->standard,    key->min + 1,
                                key->standard + 1, key->standard * 2, key->standard / 2};
        Gpu was, g;
        Diag d = {0};
        Text before = {0}, after = {0};
        assert_true(gpu_canonical(&was, "gtx480", NULL, &before, &d));
        for (size_t s = 0; s < COUNT(steps); s++) {
            char set[160];
            snprintf(set, sizeof set, "%s.%s=%.17g", key->section, key->key, steps[s]);
            Diag why = {0};
            bool fits = gpu_load(&g, "gtx480", LIST(set), &why);
            diag_free(&why);
            if (!fits || !memcmp(&g, &was, sizeof g)) continue;
            assert_true(gpu_canonical(NULL, "gtx480", LIST(set), &after, &d));
            if (!strcmp(before.v, after.v) ||
                same((Cell){.how = {.small = true}}, (Cell){.how = {.small = true}, .sets = LIST(set)}))
                fail_msg("%s doesn't change the key", set);
            changed++;
            break;
        }
        text_free(&before), text_free(&after);
    }
    assert_true(changed * 10 > gpu_key_count * 7);  // the others have names for values, or fit only together
    assert_false(same(SETS("sched.policy=lrr"), SETS("sched.policy=gto")));
    assert_false(same(SETS("l1.replacement=lru"), SETS("l1.replacement=fifo")));
    assert_false(same(SETS("storage.carveouts=24 17 17"), SETS("storage.carveouts=24 17 18")));
}

// A file counts by its name and by what is in it: files of equal contents are runs of their own, and the store has the
// name of each. That holds for device code of a workload, and for a file that is the program.
static void files(void **state)
{
    (void)state;
    const WorkloadEntry *e = workload_find("atax");
    char path[2][40] = {"/tmp/onchip-key-XXXXXX.ptx", "/tmp/onchip-key-XXXXXX.ptx"};
    int fd[2];
    for (int k = 0; k < 2; k++) {
        fd[k] = mkstemps(path[k], 4);
        assert_true(fd[k] >= 0 && write(fd[k], e->ptx, e->ptx_bytes) == (ssize_t)e->ptx_bytes);
    }
    Cell of_workload[2], of_file[2];
    const char *const *const kernel = LIST("kernel=atax_kernel1");
    for (int k = 0; k < 2; k++) {
        of_workload[k] = (Cell){.how = {.small = true, .ptx = path[k]}};
        of_file[k] = (Cell){.program = path[k], .params = kernel};
        Identity a = identified(of_workload[k]), b = identified(of_file[k]);
        assert_true(!strncmp(a.options, "ptx=", 4) && !strcmp(a.options + 4, path[k]));
        assert_string_equal(b.program, path[k]);
        assert_true(a.checked && !b.checked);  // nobody knows what a file's kernel should compute
        identity_free(&a), identity_free(&b);
    }
    assert_false(same(of_workload[0], of_workload[1]));
    assert_false(same(of_file[0], of_file[1]));
    assert_false(same((Cell){.how = {.small = true}}, of_workload[0]));
    assert_true(same(of_workload[0], of_workload[0]));
    assert_true(same(of_file[0], of_file[0]));
    Identity before[2] = {identified(of_workload[0]), identified(of_file[0])};
    assert_true(write(fd[0], "// changed\n", 11) == 11);
    Identity after[2] = {identified(of_workload[0]), identified(of_file[0])};
    for (int k = 0; k < 2; k++) {
        assert_string_not_equal(before[k].key, after[k].key);
        identity_free(&before[k]), identity_free(&after[k]);
        close(fd[k]);
        unlink(path[k]);
    }
}

// What isn't set of the software L1 is as s-l1 has it: lines of 16 bytes, a choice after 300 accesses (§3.2.1).
static void software_l1(void **state)
{
    (void)state;
    Planner *planner = planner_open(NULL);
    Plan plan;
    Diag d = {0};
    const Cell c = {.verb = "run", .program = "atax", .gpu = "gtx480", .how = {.sl1 = "line=8"}};
    if (!plan_cell(planner, &c, &plan, &d)) fail_msg("%s", d.text.v);
    assert_int_equal(plan.sl1->line, 8);
    assert_int_equal(plan.sl1->threshold, 300);
    plan_free(&plan);
    planner_close(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(stable),       cmocka_unit_test(defaults),
                                       cmocka_unit_test(options),      cmocka_unit_test(names),
                                       cmocka_unit_test(measurements), cmocka_unit_test(overrides),
                                       cmocka_unit_test(files),        cmocka_unit_test(software_l1)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
