// bicubic: an enlarged part of a picture, by cubic B-splines.
#include "paint.h"

#include <math.h>

#define BLOCK 16
#define X_BY 9.0f  // how far the enlarged part lies from the middle, in texels: the SDK's
#define Y_BY 10.0f

// Grey levels, in rows of pitch bytes.
typedef struct Picture {
    int64_t width, height, pitch;
    const uint8_t *levels;
} Picture;

// The cubic B-spline: how much a texel counts at this distance.
static double spline(double distance)
{
    const double d = fabs(distance);
    return d < 1 ? (4 - 6 * d * d + 3 * d * d * d) / 6 : d < 2 ? (2 - d) * (2 - d) * (2 - d) / 6 : 0;
}

static int64_t clamp(int64_t i, int64_t count) { return i < 0 ? 0 : i < count ? i : count - 1; }

// The level at a place. Texel i has its centre at i + 0.5; outside there are more of those at the picture's edge.
static double level_at(const Picture *p, double x, double y)
{
    const int64_t i = (int64_t)floor(x), j = (int64_t)floor(y);
    double sum = 0;
    for (int64_t v = j - 3; v <= j + 3; v++)
        for (int64_t u = i - 3; u <= i + 3; u++)
            sum += spline(x - (double)u - 0.5) * spline(y - (double)v - 0.5) *
                   p->levels[clamp(v, p->height) * p->pitch + clamp(u, p->width)];
    return sum;
}

// The device's level has an error of up to `error` before it is cut to an integer. So there may be two that are right,
// and want becomes the one that is nearer to what the device got.
static void enlarge(const Picture *p, float scale, double error, const uint8_t *got, uint8_t *want)
{
    const float x_middle = (float)p->width / 2, y_middle = (float)p->height / 2;
    for (int64_t i = 0; i < p->width * p->height; i++) {
        const int64_t x = i % p->width, y = i / p->width;
        const double level = level_at(p, ((double)x - x_middle) * scale + x_middle + X_BY,
                                      ((double)y - y_middle) * scale + y_middle + Y_BY);
        const double least = floor(fmax(level - error, 0)), most = floor(fmin(level + error, 255));
        want[4 * i] = want[4 * i + 1] = want[4 * i + 2] = (uint8_t)fmin(fmax(got[4 * i], least), most);
    }
}

static void run(Work *work)
{
    const int64_t width = work_param(work, "width"), height = work_param(work, "height");
    const float scale = 1 / (float)work_param(work, "zoom");
    const bool filtered = work_param(work, "filtered");
    const int64_t pitch = (width + 31) / 32 * 32;  // a row begins where a texture's may on a GPU
    const size_t bytes = (size_t)(pitch * height), of_result = (size_t)(4 * width * height);
    work_seed(work, work_param(work, "seed"));
    const Picture picture = {width, height, pitch, paint(work, width, height, 1, pitch)};
    uint8_t *got = work_host(work, of_result), *want = work_host(work, of_result);
    WorkBuf dpicture = work_upload(work, "picture", picture.levels, bytes);
    WorkBuf dresult = work_device(work, "result", of_result);
    const oc_texture texture = {.base = dpicture.ptr,
                                .width = (uint32_t)width,
                                .height = (uint32_t)height,
                                .pitch = (uint32_t)pitch,
                                .channels = 1,
                                .format = OC_TEX_U8,
                                .linear = filtered,
                                .unit_float = true};

    work_launch(work, filtered ? "bicubic_filtered" : "bicubic", dim2(ceil_div(width, BLOCK), ceil_div(height, BLOCK)),
                dim2(BLOCK, BLOCK), 0,
                ARGS(arg_i32(width), arg_i32(height), arg_u64(work_texture_of(work, &texture)), arg_f32(scale),
                     arg_f32((float)width / 2), arg_f32((float)height / 2), arg_f32(X_BY), arg_f32(Y_BY),
                     arg_buf(dresult)));
    work_read(work, got, dresult, of_result);
    if (!work_ok(work)) return;

    // Floats know a place the less well the further out it is. Filters mix two levels in steps of 1/256: so a row is
    // half a step off, and a column.
    const double error = 0.02 + 5e-5 * (double)(width + height) + (filtered ? 1 : 0);
    enlarge(&picture, scale, error, got, want);
    work_check_u32(work, "result", (const uint32_t *)got, (const uint32_t *)want, of_result / 4);
}

static const WorkParam params[] = {
    {"width", "texels in a row of the picture, and pixels in one of the result, 1 to 8192", 60, 512, 1, 8192},
    {"height", "rows, 1 to 8192", 45, 512, 1, 8192},
    {"zoom", "pixels for the width of a texel, 1 to 1024", 16, 16, 1, 1024},
    {"filtered", "1: four fetches, which the texture unit filters; 0: 16 fetches", 0, 0, 0, 1},
    {"seed", "seed of the picture, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_sdk_bicubic = {
    "bicubic", "sdk", "A part of a picture enlarged by cubic B-splines, through a texture (CUDA SDK)", params, run};
