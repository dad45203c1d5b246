// A program that launches for ever and forgets: it doesn't grow, sees its recent launches, and the totals are those
// of a program that forgets nothing.
#include "check.h"

#include "device/device.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

// *out += 1; a second kernel does nothing.
static const char ptx[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                          ".visible .entry count(.param .u64 out)\n"
                          "{\n"
                          "    .reg .b32 %r1;\n    .reg .b64 %rd1;\n"
                          "    ld.param.u64 %rd1, [out];\n    ld.global.u32 %r1, [%rd1];\n    add.u32 %r1, %r1, 1;\n"
                          "    st.global.u32 [%rd1], %r1;\n    ret;\n"
                          "}\n"
                          ".visible .entry none() { ret; }\n";
static const oc_dim3 one = {1, 1, 1};

typedef struct Work {
    oc_device *device;
    oc_kernel *count, *none;
    oc_ptr out;
} Work;

static Work begin(bool functional, uint64_t interval)
{
    static const char *const sets[] = {"gpu.sms=1", "l2.partitions=1", "dram.slices=1", NULL};
    char message[1000];
    Work w;
    oc_module *m;
    oc_config config = {.gpu = "gtx480", .sets = sets, .functional = functional, .interval = interval};
    if (oc_open(&config, &w.device, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (oc_load(w.device, ptx, strlen(ptx), "count.ptx", &m) != OC_OK || oc_kernel_get(m, "count", &w.count) != OC_OK ||
        oc_kernel_get(m, "none", &w.none) != OC_OK || oc_malloc(w.device, 4, "out", &w.out) != OC_OK)
        fail_msg("%s", oc_error(w.device));
    return w;
}

static void launch(const Work *w, bool count)
{
    const void *args[] = {&w->out};
    if (oc_launch(count ? w->count : w->none, one, one, 0, NULL, count ? args : NULL) != OC_OK)
        fail_msg("%s", oc_error(w->device));
}

static long resident(void)  // KiB
{
    long pages = 0, unused;
    FILE *f = fopen("/proc/self/statm", "r");
    if (f && fscanf(f, "%ld %ld", &unused, &pages) != 2) pages = 0;
    if (f) fclose(f);
    return pages * (sysconf(_SC_PAGESIZE) / 1024);
}

// Unforgotten, 100,000 launches are 600 MB.
static void stays_small(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();  // they keep what was freed
#endif
    if (!resident()) skip();
    for (int functional = 0; functional < 2; functional++) {
        enum { WARM = 1000, ALL = 100000 };
        Work w = begin(functional, 0);
        long before = 0;
        for (int k = 0; k < (functional ? ALL : ALL / 5); k++) {
            oc_ptr p;
            assert_int_equal(oc_malloc(w.device, 256, "a label that is always the same", &p), OC_OK);
            launch(&w, true);
            oc_forget(w.device, 1);
            assert_int_equal(oc_free(w.device, p), OC_OK);
            if (k == WARM) before = resident();
        }
        long grown = resident() - before;
        if (grown > 16384) fail_msg("%ld KiB more", grown);
        oc_close(w.device);
    }
}

static void recent_ones(void **state)
{
    (void)state;
    Work w = begin(false, 0);
    uint64_t cycles[40];
    for (size_t k = 0; k < 40; k++) {
        launch(&w, k % 3 == 0);
        cycles[k] = oc_launch_counter(w.device, k, "cycles");
        assert_true(cycles[k] > 0);
        oc_forget(w.device, 5);
        assert_int_equal(oc_launches(w.device), k + 1);
        size_t kept = 0;
        for (size_t j = 0; j <= k; j++) {
            bool known = *oc_launch_kernel(w.device, j);
            assert_true(known || kept == 0);  // the last ones, without a gap
            assert_true(known || k - j >= 5);
            kept += known;
            assert_int_equal(oc_launch_counter(w.device, j, "cycles"), known ? cycles[j] : 0);
            assert_true((oc_launch_rate(w.device, j, "seconds") > 0) == known);
            if (known) assert_string_equal(oc_launch_kernel(w.device, j), j % 3 ? "none" : "count");
        }
        assert_true(kept <= 10);
    }
    oc_forget(w.device, SIZE_MAX);
    assert_string_not_equal(oc_launch_kernel(w.device, 39), "");
    oc_forget(w.device, 0);
    assert_int_equal(oc_launches(w.device), 40);
    assert_string_equal(oc_launch_kernel(w.device, 39), "");
    LaunchSums sums = {0};
    device_sums(w.device, &sums);
    assert_int_equal(sums.n, 2);
    sums_free(&sums);
    oc_forget(w.device, 0);
    launch(&w, true);
    assert_int_equal(oc_launch_counter(w.device, 40, "blocks"), 1);
    oc_close(w.device);
    oc_forget(NULL, 0);
}

static void assert_same(const LaunchSum *a, const LaunchSum *b)
{
    assert_string_equal(a->kernel, b->kernel);
    assert_true(a->launches == b->launches && a->seconds == b->seconds);
    assert_memory_equal(a->count, b->count, sizeof a->count);
    assert_int_equal(a->structures.n, b->structures.n);
    for (size_t k = 0; k < a->structures.n; k++) {
        const SumStructure *s = &a->structures.v[k], *t = &b->structures.v[k];
        assert_string_equal(s->name, t->name);
        assert_memory_equal(&s->stat, &t->stat, sizeof s->stat);
        assert_true(s->dram_bytes == t->dram_bytes);
    }
    assert_true(a->insts == b->insts && a->inst && b->inst);
    assert_memory_equal(a->inst, b->inst, sizeof *a->inst * a->insts);
    assert_true(a->samples.n == b->samples.n && a->samples.n);
    assert_memory_equal(a->samples.v, b->samples.v, sizeof *a->samples.v * a->samples.n);
}

static void totals(void **state)
{
    (void)state;
    Work w = begin(false, 50), all = begin(false, 50);
    LaunchSums a = {0}, b = {0};
    for (int k = 0; k < 30; k++) {
        launch(&w, k % 4 != 1), launch(&all, k % 4 != 1);
        oc_forget(w.device, (size_t)(k % 3));
    }
    device_sums(w.device, &a), device_sums(all.device, &b);
    assert_true(a.n == 2 && b.n == 2 && a.v[0].launches == 22 && a.v[1].launches == 8);
    for (size_t n = 0; n < 2; n++) assert_same(&a.v[n], &b.v[n]);
    sums_free(&a), sums_free(&b);
    uint32_t counted = 0;
    assert_int_equal(oc_read(w.device, &counted, w.out, 4, NULL), OC_OK);
    assert_int_equal(counted, 22);
    oc_close(w.device), oc_close(all.device);
}

// Every launch reads and writes its own array, of which there are more than a record tells apart, and each twice: first
// by a launch that is forgotten, then by one that isn't. By hand: a load and a store a launch.
static void names(void **state)
{
    (void)state;
    enum { ARRAYS = MAX_STRUCTURES + 10 };
    Work w = begin(false, 0);
    oc_ptr arrays[ARRAYS];
    LaunchSums sums = {0};
    for (int k = 0; k < ARRAYS; k++) {
        char label[32];
        snprintf(label, sizeof label, "array %d", k);
        assert_int_equal(oc_malloc(w.device, 4, label, &arrays[k]), OC_OK);
    }
    for (int round = 0; round < 2; round++) {
        for (int k = 0; k < ARRAYS; k++) w.out = arrays[k], launch(&w, true);
        if (!round) oc_forget(w.device, 0);
    }
    device_sums(w.device, &sums);
    assert_int_equal(sums.n, 1);
    assert_int_equal(sums.v[0].structures.n, ARRAYS);
    for (int k = 0; k < ARRAYS; k++) {
        char label[32];
        const SumStructure *s = &sums.v[0].structures.v[k];
        snprintf(label, sizeof label, "array %d", k);
        assert_string_equal(s->name, label);
        assert_true(s->stat.loads == 2 && s->stat.stores == 2 && s->stat.atomics == 0);
    }
    LineStats lines = {0};
    lines_of(sums.v[0].code, sums.v[0].inst, &lines);
    assert_true(lines.n > 0);
    for (size_t k = 0; k < lines.n; k++) assert_int_equal(lines.v[k].stat.issued, 2 * ARRAYS);
    vec_free(&lines);
    sums_free(&sums);
    oc_close(w.device);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(stays_small),
        cmocka_unit_test(recent_ones),
        cmocka_unit_test(totals),
        cmocka_unit_test(names),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
