// resident: how fast the L2 serves data that it holds, after gpu-l2-cache and gpu-small-kernels
// (github.com/te42kyfo/gpu-benches). All blocks read the same data, or they read an array and write another, again and
// again, without a launch between.
#include "../host.h"

static void run(Work *work)
{
    enum { BLOCK = 1024, ROWS = 32, AGAIN = 20 };
    const bool scale = work_param(work, "way") == 2;
    const int64_t rows = work_share(work, work_param(work, "kib") * 128 / BLOCK), n = rows * BLOCK;
    const uint32_t blocks = work_blocks(work, "blocks");
    double *in = work_host(work, (size_t)n * 8), *got = work_host(work, (size_t)n * 8);
    for (int64_t k = 0; in && k < n; k++) in[k] = (double)(work_random(work) % 16);
    WorkBuf da = work_device(work, "A", (size_t)n * 8), db = work_upload(work, "B", in, (size_t)n * 8);
    work_fill(work, da, 0);
    const int64_t run = rows / ROWS ? rows / ROWS : 1;
    if (scale)
        work_launch(work, "resident_scale", dim1(blocks), dim1(BLOCK), 0,
                    ARGS(arg_buf(da), arg_buf(db), arg_i32(n), arg_i32(AGAIN)));
    else
        work_launch(work, "resident_read", dim1(run * AGAIN), dim1(BLOCK), 0,
                    ARGS(arg_buf(da), arg_buf(db), arg_i32(run)));
    work_read(work, got, da, (size_t)n * 8);
    if (!work_ok(work)) return;
    for (int64_t k = 0; k < n; k++) in[k] = scale ? in[k] * 1.25 : 0;
    work_check_f64(work, "A", got, in, (size_t)n, 0);
}

static const WorkParam params[] = {
    {"way", "1: read; 2: read an array and write another", 2, 1, 1, 2},
    {"kib", "KiB of an array, 256 to 2^20", 256, 2048, 256, 1 << 20},
    {"blocks", "blocks of the second way, 1 to 65535", 2, 216, 1, 65535},
    {.name = NULL},
};

const Workload workload_micro_resident = {"resident", "micro", "Data in the L2, read or read and written", params, run};
