// nbody: bodies that attract each other.
#include "../host.h"

#include <math.h>

#define SOFTENING 0.1f  // these three are the SDK's
#define TIME 0.016f
#define DAMPING 0.995f

// As the device's float4: three coordinates of a place and the mass there, or of a velocity.
typedef struct Body {
    float v[3], mass;
} Body;

static void make_bodies(Work *work, Body *at, Body *velocity, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        for (int k = 0; k < 3; k++) at[i].v[k] = 2 * work_random_float(work) - 1;
        for (int k = 0; k < 3; k++) velocity[i].v[k] = 0.1f * (work_random_float(work) - 0.5f);
        at[i].mass = (0.5f + work_random_float(work)) / (float)n;  // all together some 1
    }
}

static void step(const Body *from, const Body *velocity, Body *to, Body *to_velocity, int64_t n)
{
    for (int64_t i = 0; i < n; i++) {
        double sum[3] = {0, 0, 0};
        for (int64_t j = 0; j < n; j++) {
            double apart[3], square = (double)SOFTENING * SOFTENING;
            for (int k = 0; k < 3; k++) {
                apart[k] = (double)from[j].v[k] - from[i].v[k];
                square += apart[k] * apart[k];
            }
            const double pull = from[j].mass / (square * sqrt(square));
            for (int k = 0; k < 3; k++) sum[k] += pull * apart[k];
        }
        to[i].mass = from[i].mass;
        for (int k = 0; k < 3; k++) {
            const double faster = (velocity[i].v[k] + sum[k] * TIME) * DAMPING;
            to_velocity[i].v[k] = (float)faster;
            to[i].v[k] = (float)(from[i].v[k] + faster * TIME);
        }
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), steps = work_param(work, "steps"), threads = work_param(work, "threads");
    const bool tiled = work_param(work, "tiled");
    const size_t bytes = (size_t)n * sizeof(Body), count = bytes / sizeof(float);
    const float squared = SOFTENING * SOFTENING;
    Body *at = work_host(work, bytes), *velocity = work_host(work, bytes);
    Body *want = work_host(work, bytes), *want_velocity = work_host(work, bytes);
    if (!work_ok(work)) return;
    work_seed(work, work_param(work, "seed"));
    make_bodies(work, at, velocity, n);
    WorkBuf from = work_upload(work, "from", at, bytes), dvelocity = work_upload(work, "velocity", velocity, bytes);
    WorkBuf to = work_device(work, "to", bytes), to_velocity = work_device(work, "to_velocity", bytes);
    work_write(work, work_symbol(work, "softening"), &squared, sizeof squared);

    // A step is checked from where the device was before it: bodies that come close make much of the smallest error.
    for (int64_t s = 0; s < steps && work_ok(work); s++) {
        work_launch(work, tiled ? "nbody_tiled" : "nbody", dim1(ceil_div(n, threads)), dim1((uint32_t)threads),
                    tiled ? (uint32_t)threads * (uint32_t)sizeof(Body) : 0,
                    ARGS(arg_i32(n), arg_f32(TIME), arg_f32(DAMPING), arg_buf(from), arg_buf(dvelocity), arg_buf(to),
                         arg_buf(to_velocity)));
        step(at, velocity, want, want_velocity, n);
        work_read(work, at, to, bytes);
        work_read(work, velocity, to_velocity, bytes);
        work_check_f32(work, "positions", at[0].v, want[0].v, count, 5e-6);
        work_check_f32(work, "velocities", velocity[0].v, want_velocity[0].v, count, 5e-6);
        const WorkBuf older = from, older_velocity = dvelocity;
        from = to, dvelocity = to_velocity;
        to = older, to_velocity = older_velocity;
    }
}

static const WorkParam params[] = {
    {"n", "bodies, 1 to 65536", 300, 4096, 1, 65536},
    {"steps", "steps of time, 1 to 100", 2, 1, 1, 100},
    {"threads", "threads of a block, 1 to 1024", 256, 256, 1, 1024},
    {"tiled", "1: blocks bring bodies to shared memory; 0: threads read them from global memory", 0, 0, 0, 1},
    {"seed", "seed of the bodies, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_sdk_nbody = {
    "nbody", "sdk", "Steps in time of bodies that attract each other, all pairs (CUDA SDK)", params, run};
