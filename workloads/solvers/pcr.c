// pcr: many tridiagonal systems. The host solves them by elimination and substitution (Thomas), in double.
#include "../host.h"

// Where a system's elements are in each of the arrays: element i at first + i * stride.
typedef struct Place {
    int64_t first, stride;
} Place;

// c and d become those of the equations x[i] + c x[i + 1] = d.
static void solve(int64_t n, Place at, const float *a, const float *b, const float *c, const float *d, double *scratch,
                  float *x)
{
    double *upper = scratch, *right = scratch + n;
    for (int64_t i = 0; i < n; i++) {
        const int64_t k = at.first + i * at.stride;
        const double pivot = i ? b[k] - a[k] * upper[i - 1] : b[k];
        upper[i] = c[k] / pivot;
        right[i] = (i ? d[k] - a[k] * right[i - 1] : d[k]) / pivot;
    }
    for (int64_t i = n - 1; i >= 0; i--) {
        if (i + 1 < n) right[i] -= upper[i] * right[i + 1];
        x[at.first + i * at.stride] = (float)right[i];
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), systems = work_param(work, "systems");
    const bool interleaved = work_param(work, "interleaved");
    const int64_t stride = interleaved ? systems : 1, pitch = interleaved ? 1 : n;
    const size_t count = (size_t)(n * systems), bytes = count * sizeof(float);
    work_seed(work, work_param(work, "seed"));
    // |b| > |a| + |c| needs no pivoting, and keeps errors from growing.
    float *a = work_random_floats(work, count, -1, 1), *b = work_random_floats(work, count, 2.1f, 4);
    float *c = work_random_floats(work, count, -1, 1), *d = work_random_floats(work, count, -1, 1);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    double *scratch = work_host(work, 2 * (size_t)n * sizeof(double));
    if (!work_ok(work)) return;
    for (int64_t s = 0; s < systems; s++) a[s * pitch] = c[s * pitch + (n - 1) * stride] = 0;
    WorkBuf da = work_upload(work, "lower", a, bytes), db = work_upload(work, "middle", b, bytes);
    WorkBuf dc = work_upload(work, "upper", c, bytes), dd = work_upload(work, "right", d, bytes);
    WorkBuf dx = work_device(work, "solution", bytes);

    for (int64_t times = work_param(work, "times"); times > 0; times--)
        work_launch(work, "pcr", dim1((uint32_t)systems), dim1((uint32_t)n), (uint32_t)n * 5 * sizeof(float),
                    ARGS(arg_i32(n), arg_i32(stride), arg_i32(pitch), arg_buf(da), arg_buf(db), arg_buf(dc),
                         arg_buf(dd), arg_buf(dx)));
    work_read(work, got, dx, bytes);
    if (!work_ok(work)) return;

    for (int64_t s = 0; s < systems; s++) solve(n, (Place){s * pitch, stride}, a, b, c, d, scratch, want);
    work_check_f32(work, "solution", got, want, count, 1e-5);
}

static const WorkParam params[] = {
    {"n", "equations of a system, which are as many as threads of a block, 1 to 1024", 100, 512, 1, 1024},
    {"systems", "systems that are solved, 1 to 65535", 20, 512, 1, 65535},
    {"interleaved", "0: a system's elements stand together; 1: element i of all systems do", 0, 0, 0, 1},
    {"times", "how often all are solved, as a program that takes the time does, 1 to 1000", 1, 1, 1, 1000},
    {"seed", "seed of the systems, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_solvers_pcr = {
    "pcr", "solvers", "Tridiagonal systems by parallel cyclic reduction (Zhang, Cohen, Owens, PPoPP 2010)", params,
    run};
