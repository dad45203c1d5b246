// The streaming programs take any shape of launch and any size of input: chunks that aren't all alike, lines that cross
// them or are longer than they are, threads that get nothing. The results are right in every one.
#include "check.h"
#include "device/device.h"
#include "workload.h"

#include <string.h>

static void assert_right(const char *name, const char *shape, const char *size)
{
    char params[256];
    snprintf(params, sizeof params, "%s %s", shape, size);
    oc_close(run_workload(workload_find(name), params, true, &(oc_config){.gpu = "gtx480", .functional = true}));
}

static void shapes(void **state)
{
    (void)state;
    static const char *const shape[] = {"blocks=1 threads=32", "blocks=3 threads=96", "blocks=9 threads=1024"};
    static const struct {
        const char *name, *sizes[4];
    } programs[] = {
        {"streaming/upper", {"size=1", "size=31", "size=4999"}},
        {"streaming/wordcount", {"size=1", "size=31", "size=4999"}},
        {"streaming/dna", {"fragments=1", "fragments=33 length=64", "fragments=997 length=101"}},
        {"streaming/opinion", {"size=1024", "size=9999", "size=90001"}},
        {"streaming/index", {"size=16384", "size=19997", "size=30011"}},
        {"streaming/pageview", {"size=1024", "size=9999", "size=30011"}},
        {"streaming/affinity", {"size=1024", "size=9999 target=0", "size=30011 target=77"}},
        {"streaming/matmul", {"n=1", "n=7", "n=41", "rows=41 inner=13 n=3"}},
        {"streaming/grep", {"size=1", "size=60001 pattern=1", "size=30001 pattern=2", "size=60001 pattern=3"}},
        {"streaming/kmeans", {"n=1 k=1", "n=31 k=3", "n=1001 k=37"}},
    };
    size_t suite = 0;
    for (size_t k = 0; k < workload_count; k++) suite += strcmp(workload_table[k].workload->suite, "streaming") == 0;
    assert_int_equal(suite, COUNT(programs));  // Table 1 of S-L1
    for (size_t p = 0; p < COUNT(programs); p++)
        for (size_t s = 0; s < COUNT(shape); s++)
            for (size_t z = 0; z < COUNT(programs[p].sizes) && programs[p].sizes[z]; z++)
                assert_right(programs[p].name, shape[s], programs[p].sizes[z]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
