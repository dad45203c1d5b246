// dct8x8: the discrete cosine transform of a picture's 8x8 blocks, rounding of its coefficients, and the inverse.
#include "../host.h"

#include <math.h>

#define SIDE 8  // of a block
#define PIXELS (SIDE * SIDE)

typedef struct Picture {
    int64_t width, height;
    double basis[PIXELS];  // basis[SIDE * k + i]: what value i counts for in coefficient k
    float steps[PIXELS];   // of the coefficients
} Picture;

// The steps grow with the frequencies, as JPEG's do.
static void make_tables(Picture *p)
{
    for (int k = 0; k < SIDE; k++)
        for (int i = 0; i < SIDE; i++) {
            p->basis[SIDE * k + i] = (k ? 0.5 : sqrt(0.125)) * cos((2 * i + 1) * k * acos(-1) / (2 * SIDE));
            p->steps[SIDE * k + i] = (float)(8 + 4 * (k + i));
        }
}

// Eight values, `apart` from each other: their coefficients, or the values again of eight coefficients.
static void transform_line(const Picture *p, bool inverse, int apart, double *v)
{
    double sum[SIDE] = {0};
    for (int k = 0; k < SIDE; k++)
        for (int i = 0; i < SIDE; i++)
            if (inverse)
                sum[i] += p->basis[SIDE * k + i] * v[k * apart];
            else
                sum[k] += p->basis[SIDE * k + i] * v[i * apart];
    for (int i = 0; i < SIDE; i++) v[i * apart] = sum[i];
}

static void transform(const Picture *p, bool inverse, const float *from, float *to)
{
    for (int64_t top = 0; top < p->height; top += SIDE)
        for (int64_t left = 0; left < p->width; left += SIDE) {
            const int64_t corner = top * p->width + left;
            double block[PIXELS];
            for (int i = 0; i < PIXELS; i++) block[i] = from[corner + i / SIDE * p->width + i % SIDE];
            for (int i = 0; i < SIDE; i++) transform_line(p, inverse, 1, block + SIDE * i);
            for (int i = 0; i < SIDE; i++) transform_line(p, inverse, SIDE, block + i);
            for (int i = 0; i < PIXELS; i++) to[corner + i / SIDE * p->width + i % SIDE] = (float)block[i];
        }
}

static void quantize(const Picture *p, const float *from, float *to)
{
    for (int64_t y = 0; y < p->height; y++)
        for (int64_t x = 0; x < p->width; x++) {
            const float step = p->steps[SIDE * (y % SIDE) + x % SIDE];
            to[y * p->width + x] = rintf(from[y * p->width + x] / step) * step;
        }
}

static uint64_t texture_of(Work *work, const Picture *p, WorkBuf floats)
{
    return work_texture_of(work, &(oc_texture){.base = floats.ptr,
                                               .width = (uint32_t)p->width,
                                               .height = (uint32_t)p->height,
                                               .pitch = (uint32_t)p->width * (uint32_t)sizeof(float),
                                               .channels = 1,
                                               .format = OC_TEX_F32});
}

// Each part is checked from what the device made in the part before. So a coefficient that lies halfway between two
// multiples of its step, and goes up or down by an error of 1e-7, doesn't spoil the check.
static void run(Work *work)
{
    Picture p = {.width = work_param(work, "width"), .height = work_param(work, "height")};
    const size_t count = (size_t)(p.width * p.height), bytes = count * sizeof(float);
    const oc_dim3 grid = dim2((uint32_t)(p.width / SIDE), (uint32_t)(p.height / SIDE)), block = dim2(SIDE, SIDE);
    if (p.width % SIDE != 0) work_refuse(work, "width", "a multiple of 8, the block's side,");
    if (p.height % SIDE != 0) work_refuse(work, "height", "a multiple of 8, the block's side,");
    work_seed(work, work_param(work, "seed"));
    make_tables(&p);
    float *pixels = work_host(work, bytes), *got = work_host(work, bytes), *want = work_host(work, bytes);
    float basis[PIXELS];
    if (!work_ok(work)) return;
    for (size_t i = 0; i < count; i++) pixels[i] = (float)(work_random(work) % 256) - 128;
    for (int i = 0; i < PIXELS; i++) basis[i] = (float)p.basis[i];
    WorkBuf dpixels = work_upload(work, "pixels", pixels, bytes);
    WorkBuf dcoefficients = work_device(work, "coefficients", bytes);
    work_write(work, work_symbol(work, "basis"), basis, sizeof basis);
    work_write(work, work_symbol(work, "steps"), p.steps, sizeof p.steps);

    work_launch(work, "dct", grid, block, 0,
                ARGS(arg_i32(p.width), arg_u64(texture_of(work, &p, dpixels)), arg_buf(dcoefficients)));
    work_read(work, got, dcoefficients, bytes);
    if (!work_ok(work)) return;
    transform(&p, false, pixels, want);
    work_check_f32(work, "coefficients", got, want, count, 1e-5);

    work_launch(work, "quantize", grid, block, 0, ARGS(arg_i32(p.width), arg_buf(dcoefficients)));
    if (!work_ok(work)) return;
    quantize(&p, got, want);
    work_read(work, got, dcoefficients, bytes);
    work_check_f32(work, "quantized", got, want, count, 1e-6);

    work_launch(work, "idct", grid, block, 0,
                ARGS(arg_i32(p.width), arg_u64(texture_of(work, &p, dcoefficients)), arg_buf(dpixels)));
    if (!work_ok(work)) return;
    transform(&p, true, got, want);
    work_read(work, got, dpixels, bytes);
    work_check_f32(work, "pixels", got, want, count, 1e-5);
}

static const WorkParam params[] = {
    {"width", "width of the picture in pixels, a multiple of 8 up to 16384", 72, 512, SIDE, 16384},
    {"height", "height of the picture in pixels, a multiple of 8 up to 16384", 40, 512, SIDE, 16384},
    {"seed", "seed of the picture, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_sdk_dct8x8 = {
    "dct8x8", "sdk", "Cosine transform of a picture's 8x8 blocks, rounding, and the inverse (CUDA SDK)", params, run};
