// stencil3d: a step of diffusion in a volume.
#include "ai.h"

static double place(const float *v, const int64_t size[3], int64_t x, int64_t y, int64_t z)
{
    if (x < 0 || y < 0 || z < 0 || x >= size[0] || y >= size[1] || z >= size[2]) return 0;
    return (double)v[(z * size[1] + y) * size[0] + x];
}

static void run(Work *work)
{
    const int64_t size[3] = {work_shared(work, "n"), work_param(work, "m"), work_param(work, "depth")};
    const float part = 0.125f;
    if (size[0] * size[1] * size[2] > MATRIX_MOST) work_refuse(work, "n", "at most 2^30 elements");
    const size_t count = (size_t)(size[0] * size[1] * size[2]);
    float *v = work_random_floats(work, count, 0, 1), *got = work_host(work, count * 4),
          *want = work_host(work, count * 4);
    if (!work_ok(work)) return;
    WorkBuf dv = work_upload(work, "volume", v, count * 4), out = work_device(work, "out", count * 4);
    const oc_texture volume = {.base = dv.ptr,
                               .width = (uint32_t)size[0],
                               .height = (uint32_t)size[1],
                               .depth = (uint32_t)size[2],
                               .pitch = (uint32_t)size[0] * 4,
                               .slice = (uint64_t)(size[0] * size[1]) * 4,
                               .channels = 1,
                               .format = OC_TEX_F32,
                               .address = OC_TEX_BORDER};
    const uint64_t texture = work_texture_of(work, &volume);
    const oc_dim3 grid = {(uint32_t)(size[0] + 31) / 32, (uint32_t)(size[1] + 7) / 8, 1}, block = {32, 8, 1};
    work_launch(
        work, "stencil3d", grid, block, 0,
        ARGS(arg_i32(size[0]), arg_i32(size[1]), arg_i32(size[2]), arg_f32(part), arg_u64(texture), arg_buf(out)));
    work_read(work, got, out, count * 4);
    if (!work_ok(work)) return;
    for (int64_t z = 0; z < size[2]; z++)
        for (int64_t y = 0; y < size[1]; y++)
            for (int64_t x = 0; x < size[0]; x++) {
                const double here = place(v, size, x, y, z);
                const double all = place(v, size, x - 1, y, z) + place(v, size, x + 1, y, z) +
                                   place(v, size, x, y - 1, z) + place(v, size, x, y + 1, z) +
                                   place(v, size, x, y, z - 1) + place(v, size, x, y, z + 1);
                want[(z * size[1] + y) * size[0] + x] = (float)(here + (double)part * (all - 6 * here));
            }
    work_check_f32(work, "out", got, want, count, 1e-6);
}

static const WorkParam params[] = {
    {"n", "width of the volume, 1 to 16384", 64, 192, 1, 16384},
    {"m", "its height, 1 to 16384", 20, 96, 1, 16384},
    {"depth", "its depth, 1 to 16384", 12, 64, 1, 16384},
    {.name = NULL},
};

const Workload workload_ai_stencil3d = {"stencil3d", "ai",
                                        "a step of diffusion in a volume, which is read as a 3D texture", params, run};
