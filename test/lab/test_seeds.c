// The workloads that take a seed are right with any of them, and at their odd sizes: few of something, one more or one
// less than fills a block, textures. Each checks its own result.
#include "check.h"
#include "device/device.h"
#include "workload.h"

#include <string.h>

// words: parameters, separated by blanks.
static void assert_right(const WorkloadEntry *entry, const char *words)
{
    oc_close(run_workload(entry, words, true, &(oc_config){.gpu = "gtx480", .functional = true}));
}

static void seeds(void **state)
{
    (void)state;
    size_t seeded = 0;
    for (size_t k = 0; k < workload_count; k++)
        for (const WorkParam *p = workload_table[k].workload->params; p->name; p++) {
            if (strcmp(p->name, "seed")) continue;
            seeded++;
            assert_right(&workload_table[k], "seed=1");
            assert_right(&workload_table[k], "seed=2718281828");
            assert_right(&workload_table[k], "seed=4294967295");
        }
    assert_true(seeded >= 4);
}

static void sizes(void **state)
{
    (void)state;
    static const struct {
        const char *name, *sizes[6];
    } odd[] = {
        {"rodinia/kmeans",
         {"n=1 texture=1", "n=255 k=31 features=33 loops=1000", "n=256 k=1", "n=257 k=32 features=1 texture=1",
          "n=3 k=3 loops=9", "n=4099 k=2 loops=1"}},
        {"backprop", {"n=32", "n=4080", "n=65536"}},
        {"lud", {"n=32", "n=48", "n=208"}},
        {"nw", {"n=32", "n=48 penalty=1000", "n=176 penalty=1"}},
    };
    for (size_t k = 0; k < COUNT(odd); k++)
        for (size_t s = 0; s < COUNT(odd[k].sizes) && odd[k].sizes[s]; s++)
            assert_right(workload_find(odd[k].name), odd[k].sizes[s]);
}

enum { DRAWS = 64 };

typedef struct Drawn {
    int64_t seed;  // -1: none
    uint32_t numbers[DRAWS];
} Drawn;

static void draw(Work *work, void *user)
{
    Drawn *drawn = user;
    if (drawn->seed >= 0) work_seed(work, drawn->seed);
    for (int k = 0; k < DRAWS; k++) drawn->numbers[k] = work_random(work);
}

// A seed's numbers are the same each time and those of no other seed. Seed 0 is that of a workload that has none.
static void numbers(void **state)
{
    (void)state;
    Drawn r[] = {{-1, {0}}, {0, {0}}, {1, {0}}, {1, {0}}, {2, {0}}, {UINT32_MAX, {0}}};
    for (size_t k = 0; k < COUNT(r); k++) {
        char message[1000];
        oc_device *d;
        if (oc_open(&(oc_config){.gpu = "gtx480", .functional = true}, &d, message, sizeof message) != OC_OK)
            fail_msg("%s", message);
        WorkResult result;
        workload_run(d, workload_find("atax"), &(WorkOptions){.run = draw, .user = &r[k]}, &result);
        assert_int_equal(result.status, OC_OK);
        work_result_free(&result);
        oc_close(d);
        for (size_t j = 0; j < k; j++) {
            size_t equal = 0;
            for (int i = 0; i < DRAWS; i++) equal += r[k].numbers[i] == r[j].numbers[i];
            assert_int_equal(equal, r[k].seed == r[j].seed || (r[k].seed <= 0 && r[j].seed <= 0) ? DRAWS : 0);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(numbers), cmocka_unit_test(seeds), cmocka_unit_test(sizes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
