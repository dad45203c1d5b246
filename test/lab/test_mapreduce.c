// The MapReduce programs take any input: none at all, one byte, nothing that matches, keys that are all different or
// all the same, one line of everything, one thread in a block. The sort goes through global memory or through units in
// shared memory, with as many pairs as fill these, one more or one less. Each result is right, by the program's own
// reference; several inputs of each kind are tried.
#include "check.h"
#include "device/device.h"
#include "workload.h"

#include <string.h>

// How many launches it took, of kernels with this in their names.
static size_t assert_right(const char *name, const char *choice, const char *other, const char *kernels)
{
    char params[256];
    size_t launches = 0;
    snprintf(params, sizeof params, "%s %s", choice, other);
    oc_device *d = run_workload(workload_find(name), params, true, &(oc_config){.gpu = "gtx480", .functional = true});
    for (size_t k = 0; k < oc_launches(d); k++) launches += strstr(oc_launch_kernel(d, k), kernels) != NULL;
    oc_close(d);
    return launches;
}

static void inputs(void **state)
{
    (void)state;
    static const struct {
        const char *name, *choices[14];
    } programs[] = {
        {"mapreduce/kmn",
         {"points=1 clusters=1", "points=1 clusters=1024", "points=255 clusters=3 dimensions=1", "points=256",
          "points=257 clusters=256", "points=1000 clusters=1000 dimensions=64", "points=512 rounds=5 threads=1",
          "points=513 rounds=3 unit=1", "points=2049 threads=1000 unit=1", "points=511 threads=33 unit=257"}},
        {"mapreduce/ii",
         {"size=1", "size=70", "size=500", "size=20001 links=0", "size=20001 links=1", "size=30011 piece=1",
          "size=30011 piece=1000000000", "size=9999 threads=1", "size=100003 links=3 threads=1024 unit=1"}},
        {"mapreduce/pvc",
         {"size=1", "size=60", "size=130", "size=9999 repeats=0", "size=9999 repeats=100", "size=20011 urls=1",
          "size=20011 urls=16", "size=5003 threads=1", "size=40009 threads=1024 unit=1"}},
        {"mapreduce/ss",
         {"documents=1", "documents=2", "documents=3 features=1", "documents=23 words=0", "documents=24 words=1",
          "documents=33 features=1000", "documents=20 threads=1", "documents=65 threads=1024 unit=1"}},
        {"mapreduce/sm",
         {"size=1", "size=2", "size=7", "size=20001 keyword=0", "size=20001 keyword=4095", "size=20001 keyword=65535",
          "size=20001 line=300", "size=20001 line=1000000000", "size=20001 line=1000000000 keyword=0 piece=1",
          "size=30011 piece=1", "size=30011 piece=1000000000", "size=9999 threads=1", "size=100003 threads=1024"}},
        {"mapreduce/wc",
         {"size=1", "size=2", "size=3", "size=20001 words=0", "size=20001 words=1", "size=20001 words=16",
          "size=10007 piece=1", "size=10007 piece=1000000000", "size=9999 threads=1", "size=50003 threads=1024 unit=1",
          "size=50003 unit=1000000000"}},
    };
    static const char *const seeds[] = {"seed=0", "seed=1", "seed=4294967295"};
    size_t suite = 0;
    for (size_t k = 0; k < workload_count; k++) suite += strcmp(workload_table[k].workload->suite, "mapreduce") == 0;
    assert_int_equal(suite, COUNT(programs));  // Table II of CIAO
    for (size_t p = 0; p < COUNT(programs); p++)
        for (size_t s = 0; s < COUNT(seeds); s++)
            for (size_t c = 0; c < COUNT(programs[p].choices) && programs[p].choices[c]; c++)
                assert_right(programs[p].name, programs[p].choices[c], seeds[s], "");
}

// n points are n pairs. A bitonic sort of 2^k pairs has k (k + 1) / 2 steps. One of units of 2^8 has a launch for the
// 36 steps within these, and for each of the k − 8 merges behind them one for its last 8 steps and one for each other.
static void sorts(void **state)
{
    (void)state;
    static const struct {
        const char *points;
        size_t steps, unit_steps, units;
    } sizes[] = {
        {"points=1", 0, 0, 1},      {"points=256", 0, 0, 1},    {"points=257", 45, 1, 2},
        {"points=512", 45, 1, 2},   {"points=513", 55, 3, 3},   {"points=1024", 55, 3, 3},
        {"points=4096", 78, 10, 5}, {"points=4097", 91, 15, 6}, {"points=8192", 91, 15, 6},
    };
    for (size_t k = 0; k < COUNT(sizes); k++) {
        const char *points = sizes[k].points;
        assert_int_equal(assert_right("kmn", points, "rounds=1 unit=100000", "_sort_step"), sizes[k].steps);
        assert_int_equal(assert_right("kmn", points, "rounds=1 unit=1", "_sort_step"), sizes[k].unit_steps);
        assert_int_equal(assert_right("kmn", points, "rounds=1 unit=1", "_sort_unit"), sizes[k].units);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(inputs),
        cmocka_unit_test(sorts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
