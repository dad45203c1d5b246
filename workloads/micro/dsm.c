// dsm: how many bytes a cycle an SM moves from the shared memory of another one of its cluster, or to it, with blocks
// of 1024 threads that have four accesses each under way.
#include "../host.h"

static void run(Work *work)
{
    enum { BLOCKS = 4, THREADS = 1024, EACH = 4 };
    const bool store = work_param(work, "way") == 2;
    const uint32_t turns = (uint32_t)work_param(work, "turns");
    uint32_t got[BLOCKS * THREADS], want[BLOCKS * THREADS];
    WorkBuf out = work_device(work, "out", sizeof got);
    work_launch(work, store ? "dsm_store" : "dsm_load", dim1(BLOCKS), dim1(THREADS), 0,
                ARGS(arg_buf(out), arg_i32(turns)));
    work_read(work, got, out, sizeof got);
    if (!work_ok(work)) return;
    for (uint32_t b = 0; b < BLOCKS; b++)
        for (uint32_t t = 0; t < THREADS; t++) {
            const uint32_t other = b ^ 1, four = EACH * other + 6;  // 0 + 1 + 2 + 3
            want[b * THREADS + t] = store ? four + EACH * (turns - 1) : turns * (four + EACH * t);
        }
    work_check_u32(work, "out", got, want, BLOCKS * THREADS);
}

static const WorkParam params[] = {
    {"way", "1: loads; 2: stores", 1, 1, 1, 2},
    {"turns", "four accesses each, 1 to 100000", 2, 100, 1, 100000},
    {.name = NULL},
};

const Workload workload_micro_dsm = {"dsm", "micro", "Accesses of another block's shared memory", params, run};
