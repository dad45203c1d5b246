// one: all threads add to one counter.
#include "measured.h"

static void run(Work *work)
{
    const int64_t m = work_param(work, "iters");
    const uint32_t blocks = measured_blocks(work, ceil_div(work_param(work, "n"), 256));
    uint32_t got = 0, want = (uint32_t)(blocks * 256ll * m * work_param(work, "launches"));
    WorkBuf dc = work_device(work, "c", sizeof got);
    measured_launch(work, "atomic_one", dim1(blocks), dim1(256), 0, ARGS(arg_buf(dc), arg_i32(m)));
    work_read(work, &got, dc, sizeof got);
    if (work_ok(work)) work_check_u32(work, "c", &got, &want, 1);
}

static const WorkParam params[] = {
    {"n", "threads, a multiple of 256 up to 2^26", 512, 262144, 256, 1 << 26},
    {"iters", "additions of a thread, 0 to 1000", 5, 50, 0, 1000},
    MEASURED_PARAMS,
};

const Workload workload_measured_one = {"one", "measured", "Additions to one counter (Kernel Performance Prediction)",
                                        params, run};
