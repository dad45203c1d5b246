// recursivegaussian: a picture is blurred by a recursive filter. Each launch is checked by itself, with what the launch
// before it left as its input: bytes are cut off between the launches, and errors would add up.
#include "paint.h"

#include <math.h>

#define TILE 16
#define THREADS 64  // the SDK's
#define CHANNELS 4

typedef struct Blur {
    double alpha, ema, scale;
    float a0, a1, a2, a3, b1, b2, above, below;
} Blur;

// Deriche's filter: a pixel at a distance of d counts with scale·(1 + alpha·d)·e^(-alpha·d); all together count 1.
static Blur blur_of(int64_t sigma)
{
    Blur b = {.alpha = 1.695 / (double)sigma};  // the SDK's
    b.ema = exp(-b.alpha);
    b.scale = (1 - b.ema) * (1 - b.ema) / (1 + 2 * b.alpha * b.ema - b.ema * b.ema);
    b.a0 = (float)b.scale;
    b.a1 = (float)(b.scale * (b.alpha - 1) * b.ema);
    b.a2 = (float)(b.scale * (b.alpha + 1) * b.ema);
    b.a3 = (float)(-b.scale * b.ema * b.ema);
    b.b1 = (float)(-2 * b.ema);
    b.b2 = (float)(b.ema * b.ema);
    const double all = (1 - b.ema) * (1 - b.ema);
    b.above = (float)(b.scale * (1 + (b.alpha - 1) * b.ema) / all);
    b.below = (float)(b.scale * ((b.alpha + 1) * b.ema - b.ema * b.ema) / all);
    return b;
}

// The share of the values from the first to this one, column[y * step]: the sums of e^(-alpha·d) and d·e^(-alpha·d)
// times the value at distance d grow from one to the next.
static void sum_up(const Blur *b, const uint8_t *column, int64_t step, int64_t height, double *share)
{
    const double first = column[0], rest = 1 - b->ema;
    double sum = first / rest, sum_of_d = first * b->ema / (rest * rest);
    for (int64_t y = 0; y < height; y++) {
        sum_of_d = b->ema * (sum_of_d + sum);
        sum = column[y * step] + b->ema * sum;
        share[y] = b->scale * (sum + b->alpha * sum_of_d);
    }
}

static double limit(double level) { return level < 0 ? 0 : level > 255 ? 255 : level; }

// The device's levels have an error of up to 0.1 each time before they are cut to integers, once on the way down and
// once on the way up. So there may be some that are right, and want becomes the one that is nearest to what the device
// got. down, up: room for height numbers.
static void blur(const Blur *b, int64_t width, int64_t height, const uint8_t *from, double *down, double *up,
                 const uint8_t *got, uint8_t *want)
{
    const int64_t step = CHANNELS * width;
    for (int64_t x = 0; x < step; x++) {
        sum_up(b, from + x, step, height, down);
        sum_up(b, from + (height - 1) * step + x, -step, height, up);
        for (int64_t y = 0; y < height; y++) {
            const double below = up[height - 1 - y] - b->scale * from[y * step + x];  // up has the pixel itself, too
            const double least = floor(limit(floor(limit(down[y] - 0.1)) + below - 0.1));
            const double most = floor(limit(floor(limit(down[y] + 0.1)) + below + 0.1));
            want[y * step + x] = (uint8_t)fmin(fmax(got[y * step + x], least), most);
        }
    }
}

// What transpose should leave.
static void turn(const uint32_t *from, int64_t width, int64_t height, uint32_t *to)
{
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) to[x * height + y] = from[y * width + x];
}

static void run(Work *work)
{
    const int64_t width = work_param(work, "width"), height = work_param(work, "height");
    const int64_t longer = width > height ? width : height;
    const size_t count = (size_t)(width * height), bytes = CHANNELS * count,
                 of_shares = (size_t)longer * sizeof(double);
    const Blur b = blur_of(work_param(work, "sigma"));
    work_seed(work, work_param(work, "seed"));
    uint8_t *from = paint(work, width, height, CHANNELS, CHANNELS * width), *blurred = work_host(work, bytes);
    uint8_t *turned = work_host(work, bytes), *want = work_host(work, bytes);
    double *down = work_host(work, of_shares), *up = work_host(work, of_shares);
    WorkBuf dfrom = work_upload(work, "picture", from, bytes);
    WorkBuf dblurred = work_device(work, "blurred", bytes), dturned = work_device(work, "turned", bytes);

    for (int pass = 0; pass < 2 && work_ok(work); pass++) {
        const int64_t w = pass ? height : width, h = pass ? width : height;
        work_launch(work, "recursivegaussian", dim1(ceil_div(w, THREADS)), dim1(THREADS), 0,
                    ARGS(arg_i32(w), arg_i32(h), arg_f32(b.a0), arg_f32(b.a1), arg_f32(b.a2), arg_f32(b.a3),
                         arg_f32(b.b1), arg_f32(b.b2), arg_f32(b.above), arg_f32(b.below),
                         arg_buf(pass ? dturned : dfrom), arg_buf(dblurred)));
        work_read(work, blurred, dblurred, bytes);
        if (!work_ok(work)) return;
        blur(&b, w, h, pass ? turned : from, down, up, blurred, want);
        work_check_u32(work, "blurred", (const uint32_t *)blurred, (const uint32_t *)want, count);

        work_launch(work, "transpose", dim2(ceil_div(w, TILE), ceil_div(h, TILE)), dim2(TILE, TILE), 0,
                    ARGS(arg_i32(w), arg_i32(h), arg_buf(dblurred), arg_buf(dturned)));
        work_read(work, turned, dturned, bytes);
        if (!work_ok(work)) return;
        turn((const uint32_t *)blurred, w, h, (uint32_t *)want);
        work_check_u32(work, "transposed", (const uint32_t *)turned, (const uint32_t *)want, count);
    }
}

static const WorkParam params[] = {
    {"width", "pixels in a row of the picture, 1 to 8192", 70, 512, 1, 8192},
    {"height", "rows, 1 to 8192", 45, 512, 1, 8192},
    {"sigma", "sigma of the blur in pixels, 1 to 50", 10, 10, 1, 50},
    {"seed", "seed of the picture, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_sdk_recursivegaussian = {
    "recursivegaussian", "sdk", "A picture blurred by a recursive filter, columns, then rows (CUDA SDK)", params, run};
