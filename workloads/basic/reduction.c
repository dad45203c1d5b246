// reduction: the sum of a vector, by two launches of one kernel.
#include "../host.h"

#define BLOCK 256
#define PER_THREAD 8  // elements a thread adds before the tree

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t bytes = (size_t)n * sizeof(float);
    const uint32_t blocks = ceil_div(n, BLOCK * PER_THREAD);
    float *in = work_random_floats(work, (size_t)n, 0, 1), got = 0;
    WorkBuf din = work_upload(work, "in", in, bytes);
    WorkBuf dpart = work_device(work, "part", blocks * sizeof(float));
    WorkBuf dout = work_device(work, "out", sizeof(float));

    work_launch(work, "reduce", dim1(blocks), dim1(BLOCK), 0, ARGS(arg_i32(n), arg_buf(din), arg_buf(dpart)));
    work_launch(work, "reduce", dim1(1), dim1(BLOCK), 0, ARGS(arg_i32(blocks), arg_buf(dpart), arg_buf(dout)));
    work_read(work, &got, dout, sizeof got);
    if (!work_ok(work)) return;

    double sum = 0;
    for (int64_t i = 0; i < n; i++) sum += in[i];
    const float want = (float)sum;
    work_check_f32(work, "sum", &got, &want, 1, 1e-5);
}

static const WorkParam params[] = {
    {"n", "elements of the vector, 1 to 2^28", 10000, 1048576, 1, 1 << 28},
    {.name = NULL},
};

const Workload workload_basic_reduction = {
    "reduction", "basic", "Sum of a vector by trees in shared memory (Harris, Optimizing Parallel Reduction in CUDA)",
    params, run};
