// lps: Laplace's equation on a grid of three dimensions.
#include "../host.h"

#define TILE_X 32
#define TILE_Y 4

// One step of Jacobi's iteration on points that stand side by side along x.
static void step(int64_t nx, int64_t ny, int64_t nz, const float *from, float *to)
{
    for (int64_t z = 0; z < nz; z++)
        for (int64_t y = 0; y < ny; y++)
            for (int64_t x = 0; x < nx; x++) {
                const int64_t at = (z * ny + y) * nx + x;
                to[at] = from[at];
                if (x == 0 || x == nx - 1 || y == 0 || y == ny - 1 || z == 0 || z == nz - 1) continue;
                const double along_x = (double)from[at - 1] + from[at + 1];
                const double along_y = (double)from[at - nx] + from[at + nx];
                const double along_z = (double)from[at - nx * ny] + from[at + nx * ny];
                to[at] = (float)((along_x + along_y + along_z) / 6);
            }
}

// Copies rows of nx points into rows that begin every `to_pitch` points, or out of such.
static void copy_rows(float *to, int64_t to_pitch, const float *from, int64_t from_pitch, int64_t nx, int64_t rows)
{
    for (int64_t r = 0; r < rows; r++)
        for (int64_t x = 0; x < nx; x++) to[r * to_pitch + x] = from[r * from_pitch + x];
}

static void run(Work *work)
{
    const int64_t nx = work_param(work, "nx"), ny = work_param(work, "ny"), nz = work_param(work, "nz");
    const int64_t steps = work_param(work, "steps"), pitch = (nx + 63) / 64 * 64;  // rows begin at 256 bytes
    const size_t count = (size_t)(nx * ny * nz), bytes = count * sizeof(float);
    const size_t device_bytes = (size_t)(pitch * ny * nz) * sizeof(float);
    float *u = work_random_floats(work, count, 0, 1), *next = work_host(work, bytes), *got = work_host(work, bytes);
    float *rows = work_host(work, device_bytes);
    if (!work_ok(work)) return;
    copy_rows(rows, pitch, u, nx, nx, ny * nz);
    WorkBuf du = work_upload(work, "u", rows, device_bytes), dnext = work_device(work, "next", device_bytes);

    const oc_dim3 grid = dim2(ceil_div(nx, TILE_X), ceil_div(ny, TILE_Y));
    for (int64_t s = 0; s < steps && work_ok(work); s++) {
        work_launch(work, "lps_step", grid, dim2(TILE_X, TILE_Y), 0,
                    ARGS(arg_i32(nx), arg_i32(ny), arg_i32(nz), arg_i32(pitch), arg_buf(du), arg_buf(dnext)));
        const WorkBuf newer = dnext;
        dnext = du;
        du = newer;
    }
    work_read(work, rows, du, device_bytes);
    if (!work_ok(work)) return;

    copy_rows(got, nx, rows, pitch, nx, ny * nz);
    for (int64_t s = 0; s < steps; s++) {
        step(nx, ny, nz, u, next);
        float *older = u;
        u = next;
        next = older;
    }
    work_check_f32(work, "u", got, u, count, 1e-6 + 1e-7 * (double)steps);
}

static const WorkParam params[] = {
    {"nx", "points along x, 1 to 512", 45, 100, 1, 512},
    {"ny", "points along y, 1 to 512", 18, 100, 1, 512},
    {"nz", "points along z, 1 to 512", 20, 100, 1, 512},
    {"steps", "steps of the iteration, 1 to 1000", 2, 1, 1, 1000},
    {.name = NULL},
};

const Workload workload_ispass_lps = {
    "lps", "ispass", "Laplace's equation on a 3D grid, 32x4 tiles going along z (ISPASS 2009)", params, run};
