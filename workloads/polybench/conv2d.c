// conv2d: a 3x3 convolution, 2DCONV of PolyBench/GPU.
#include "../host.h"

static void run(Work *work)
{
    static const double weight[3][3] = {{0.2, 0.5, -0.8}, {-0.3, 0.6, -0.9}, {0.4, 0.7, 0.1}};  // [row][column]
    const int64_t n = work_param(work, "n");
    const size_t count = (size_t)(n * n), bytes = count * sizeof(float);
    float *a = work_random_floats(work, count, 0, 1), *got = work_host(work, bytes), *want = work_host(work, bytes);
    WorkBuf da = work_upload(work, "A", a, bytes), db = work_device(work, "B", bytes);

    work_launch(work, "conv2d_kernel", dim2(ceil_div(n, 32), ceil_div(n, 8)), dim2(32, 8), 0,
                ARGS(arg_i32(n), arg_buf(da), arg_buf(db)));
    work_read(work, got, db, bytes);
    if (!work_ok(work)) return;

    for (int64_t i = 1; i + 1 < n; i++)
        for (int64_t j = 1; j + 1 < n; j++) {
            double sum = 0;
            for (int r = 0; r < 3; r++) {
                const float *at = a + (i + r - 1) * n + j;
                sum = sum + weight[r][0] * at[-1] + weight[r][1] * at[0] + weight[r][2] * at[1];
            }
            want[i * n + j] = (float)sum;
        }
    work_check_f32(work, "B", got, want, count, 1e-5);
}

static const WorkParam params[] = {
    {"n", "rows and columns of the matrix, 3 to 32768", 100, 4096, 3, 32768},
    {.name = NULL},
};

const Workload workload_polybench_conv2d = {"conv2d", "polybench",
                                            "3x3 convolution of a matrix (2DCONV of PolyBench/GPU)", params, run};
