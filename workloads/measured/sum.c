// sum: sums of the blocks' parts of a vector.
#include "measured.h"

static void run(Work *work)
{
    const uint32_t blocks = measured_blocks(work, ceil_div(work_param(work, "n"), 512));
    const int64_t n = blocks * 512ll < work_param(work, "n") ? blocks * 512ll : work_param(work, "n");
    float *x = measured_floats(work, n), *got = work_host(work, blocks * sizeof *got);
    float *want = work_host(work, blocks * sizeof *want);
    WorkBuf dx = work_upload(work, "X", x, (size_t)n * sizeof *x);
    WorkBuf dy = work_device(work, "Y", blocks * sizeof *got);
    measured_launch(work, "sum_block", dim1(blocks), dim1(256), 1024, ARGS(arg_buf(dx), arg_buf(dy), arg_i32(n)));
    work_read(work, got, dy, blocks * sizeof *got);
    if (!work_ok(work)) return;
    for (int64_t k = 0; k < n; k++) want[k / 512] += x[k];
    work_check_f32(work, "Y", got, want, blocks, 0);
}

static const WorkParam params[] = {
    {"n", "elements, 1 to 2^28", 5000, 1048576, 1, 1 << 28},
    MEASURED_PARAMS,
};

const Workload workload_measured_sum = {"sum", "measured",
                                        "Sums of blocks of 512 elements (Kernel Performance Prediction)", params, run};
