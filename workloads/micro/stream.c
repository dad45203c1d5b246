// stream: how fast elements of .f64 are moved between memory and SMs that hold few warps or many, after gpu-stream
// (github.com/te42kyfo/gpu-benches), where the blocks' shared memory lets two of them on an SM.
#include "../host.h"

static const char *const kernels[] = {"stream_init", "stream_read", "stream_scale", "stream_triad"};

static void run(Work *work)
{
    const int64_t way = work_param(work, "way"), block = work_param(work, "block");
    const size_t n = (size_t)work_share(work, work_param(work, "n"));
    double *in = work_host(work, 2 * n * sizeof *in), *got = work_host(work, n * sizeof *got);
    for (size_t k = 0; in && k < 2 * n; k++) in[k] = (double)(work_random(work) % 16);
    WorkBuf da = work_device(work, "A", n * 8), db = work_upload(work, "B", in, n * 8),
            dc = work_upload(work, "C", in ? in + n : NULL, n * 8);
    work_fill(work, da, 0);
    work_launch(work, kernels[way - 1], dim1(ceil_div((int64_t)n, block)), dim1((uint32_t)block),
                (uint32_t)work_param(work, "shared"),
                ARGS(arg_buf(da), arg_buf(db), arg_buf(dc), arg_u64(n), arg_i32(0)));
    work_read(work, got, da, n * 8);
    if (!work_ok(work)) return;
    for (size_t k = 0; k < n; k++) in[k] = way == 1 ? 0.25 : way == 2 ? 0 : in[k] * 1.25 + (way == 4 ? in[n + k] : 0);
    work_check_f64(work, "A", got, in, n, 0);
}

static const WorkParam params[] = {
    {"way", "1: a = 0.25; 2: read b; 3: a = 1.25 b; 4: a = 1.25 b + c", 4, 3, 1, 4},
    {"n", "elements, 1 to 2^28", 3000, 1 << 22, 1, 1 << 28},
    {"block", "threads of a block, 32 to 1024", 96, 1024, 32, 1024},
    {"shared", "bytes of shared memory of a block", 0, 0, 0, 1 << 18},
    {.name = NULL},
};

const Workload workload_micro_stream = {"stream", "micro", "Elements moved by few threads or many", params, run};
