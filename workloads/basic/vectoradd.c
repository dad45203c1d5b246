// vectoradd: c = a + b.
#include "../host.h"

static void run(Work *work)
{
    const int64_t n = work_param(work, "n");
    const size_t bytes = (size_t)n * sizeof(float);
    float *a = work_random_floats(work, (size_t)n, -1, 1), *b = work_random_floats(work, (size_t)n, -1, 1);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "a", a, bytes), db = work_upload(work, "b", b, bytes);
    WorkBuf dc = work_device(work, "c", bytes);

    work_launch(work, "vectoradd", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_buf(da), arg_buf(db), arg_buf(dc)));
    work_read(work, got, dc, bytes);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < n; i++) want[i] = a[i] + b[i];
    work_check_f32(work, "c", got, want, (size_t)n, 0);  // one IEEE addition: no error
}

static const WorkParam params[] = {
    {"n", "elements of each vector, 1 to 2^28", 1000, 1048576, 1, 1 << 28},
    {.name = NULL},
};

const Workload workload_basic_vectoradd = {
    "vectoradd", "basic", "c = a + b, one thread an element (CUDA C++ Programming Guide)", params, run};
