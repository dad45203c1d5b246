// strides: how many cycles a load takes that hits in the L1, by the distance between its lanes: a block of 1024 threads
// on one SM. The published times are those of gpu-strides (github.com/te42kyfo/gpu-benches).
#include "../host.h"

static void run(Work *work)
{
    enum { THREADS = 1024, ROW = 64, REACH = 29 };
    const int64_t stride = work_param(work, "stride"), turns = work_param(work, "turns");
    const bool wide = work_param(work, "bytes") == 8;
    const size_t n = (size_t)(stride * (ROW - 1) + REACH), size = wide ? 8 : 4;
    float *a = work_host(work, n * 4), got[THREADS], want[THREADS];
    double *b = work_host(work, n * 8), got_wide[THREADS];
    for (size_t k = 0; a && b && k < n; k++) b[k] = a[k] = (float)(work_random(work) % 4);
    WorkBuf da = work_upload(work, "A", wide ? (void *)b : a, n * size);
    WorkBuf dout = work_device(work, "out", THREADS * size);
    work_launch(work, wide ? "strides_f64" : "strides_f32", dim1(1), dim1(THREADS), 0,
                ARGS(arg_buf(da), arg_buf(dout), arg_i32(stride), arg_i32(0), arg_i32(turns)));
    work_read(work, wide ? (void *)got_wide : got, dout, THREADS * size);
    if (!work_ok(work)) return;
    for (int t = 0; t < THREADS; t++) {
        const float *x = a + t % ROW * stride;
        want[t] = (float)turns * (x[0] * x[4] + x[8] * x[12] + x[20] * x[16] + x[24] * x[28]);
        if (wide) got[t] = (float)got_wide[t];
    }
    work_check_f32(work, "out", got, want, THREADS, 1e-6);
}

static const WorkParam params[] = {
    {"stride", "elements from a lane to the next, 0 to 4096", 3, 1, 0, 4096},
    {"bytes", "4: elements of .f32; 8: of .f64", 4, 4, 4, 8},
    {"turns", "eight loads each, 1 to 10000", 8, 200, 1, 10000},
    {.name = NULL},
};

const Workload workload_micro_strides = {"strides", "micro", "Loads that hit in the L1, by the distance between lanes",
                                         params, run};
