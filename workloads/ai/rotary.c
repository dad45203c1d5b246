// rotary: rotary position embedding.
#include "ai.h"

#include <complex.h>

static double angle_of(int64_t position, int64_t i, int64_t dim)
{
    return (double)position * pow(10000, -2.0 * (double)i / (double)dim);
}

static void run(Work *work)
{
    const int64_t length = work_shared(work, "length"), heads = work_param(work, "heads"),
                  dim = work_param(work, "dim");
    if (dim % 2) work_refuse(work, "dim", "an even number");
    if (length * heads * dim > MATRIX_MOST) work_refuse(work, "length", "at most 2^30 elements");
    const int64_t half = dim / 2;
    const size_t count = (size_t)(length * heads * dim), angles = (size_t)(length * half);
    float *x = work_random_floats(work, count, -1, 1), *got = work_host(work, count * 4),
          *want = work_host(work, count * 4);
    float *cosines = work_host(work, angles * 4), *sines = work_host(work, angles * 4);
    if (!work_ok(work)) return;
    for (int64_t p = 0; p < length; p++)
        for (int64_t i = 0; i < half; i++) {
            cosines[p * half + i] = (float)cos(angle_of(p, i, dim));
            sines[p * half + i] = (float)sin(angle_of(p, i, dim));
        }
    WorkBuf dx = work_upload(work, "x", x, count * 4), dc = work_upload(work, "cosines", cosines, angles * 4);
    WorkBuf ds = work_upload(work, "sines", sines, angles * 4);
    work_launch(work, "rotary", dim1((uint32_t)length), dim1(256), 0,
                ARGS(arg_i32(heads), arg_i32(dim), arg_buf(dc), arg_buf(ds), arg_buf(dx)));
    work_read(work, got, dx, count * 4);
    if (!work_ok(work)) return;
    for (int64_t h = 0; h < length * heads; h++)
        for (int64_t i = 0; i < half; i++) {
            const size_t at = (size_t)(h * dim + i);
            const double complex turned = (x[at] + x[at + (size_t)half] * I) * cexp(angle_of(h / heads, i, dim) * I);
            want[at] = (float)creal(turned), want[at + (size_t)half] = (float)cimag(turned);
        }
    work_check_f32(work, "x", got, want, count, 1e-6);
}

static const WorkParam params[] = {
    {"length", "positions, 1 to 2^20", 20, 512, 1, 1 << 20},
    {"heads", "heads of a position, 1 to 256", 5, 32, 1, 256},
    {"dim", "elements of a head, an even number up to 1024", 64, 128, 2, 1024},
    {.name = NULL},
};

const Workload workload_ai_rotary = {
    "rotary", "ai", "rotary position embedding of all heads (Su et al. 2021), with a table of cosines and sines",
    params, run};
