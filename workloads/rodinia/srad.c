// srad: an ultrasound image without its speckle, in steps of anisotropic diffusion (Yu, Acton).
#include "../host.h"

#include <math.h>

#define BLOCK 16
#define REGION 128  // rows and columns of the region that has nothing but speckle, in the upper left; Rodinia's
#define RATE 0.5    // how far a step moves the pixels; Rodinia's lambda

// The squared variation of the region: variance / mean².
static double speckle_of(const float *image, int64_t rows, int64_t columns)
{
    const int64_t height = rows < REGION ? rows : REGION, width = columns < REGION ? columns : REGION;
    double sum = 0, squares = 0;
    for (int64_t y = 0; y < height; y++)
        for (int64_t x = 0; x < width; x++) {
            const double pixel = image[y * columns + x];
            sum += pixel;
            squares += pixel * pixel;
        }
    const double mean = sum / (double)(height * width);
    return (squares / (double)(height * width) - mean * mean) / (mean * mean);
}

// How far pixel (x, y) may move, from the gradient and the Laplacian around it.
static double coefficient_of(const float *image, int64_t rows, int64_t columns, int64_t x, int64_t y, double speckle)
{
    const float *row = image + y * columns;
    const double pixel = row[x];
    const double near[4] = {y > 0 ? row[x - columns] : pixel, y + 1 < rows ? row[x + columns] : pixel,
                            x > 0 ? row[x - 1] : pixel, x + 1 < columns ? row[x + 1] : pixel};
    double gradient = 0, laplacian = 0;
    for (int k = 0; k < 4; k++) {
        const double change = (near[k] - pixel) / pixel;
        gradient += change * change;
        laplacian += change;
    }
    const double variation = (gradient / 2 - laplacian * laplacian / 16) / pow(1 + laplacian / 4, 2);
    const double c = 1 / (1 + (variation - speckle) / (speckle * (1 + speckle)));
    return c < 0 ? 0 : c > 1 ? 1 : c;
}

// A step: what flows between two pixels goes by the coefficient of the one to the south or to the east.
static void step(int64_t rows, int64_t columns, const float *from, float *to, float *coefficient)
{
    const double speckle = speckle_of(from, rows, columns);
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++)
            coefficient[y * columns + x] = (float)coefficient_of(from, rows, columns, x, y, speckle);
    for (int64_t y = 0; y < rows; y++)
        for (int64_t x = 0; x < columns; x++) {
            const int64_t i = y * columns + x;
            double flow = 0;
            if (y > 0) flow += (double)coefficient[i] * ((double)from[i - columns] - from[i]);
            if (x > 0) flow += (double)coefficient[i] * ((double)from[i - 1] - from[i]);
            if (y + 1 < rows) flow += (double)coefficient[i + columns] * ((double)from[i + columns] - from[i]);
            if (x + 1 < columns) flow += (double)coefficient[i + 1] * ((double)from[i + 1] - from[i]);
            to[i] = (float)(from[i] + RATE / 4 * flow);
        }
}

static void run(Work *work)
{
    const int64_t rows = work_param(work, "rows"), columns = work_param(work, "columns");
    const int64_t steps = work_param(work, "steps");
    const size_t count = (size_t)(rows * columns), bytes = count * sizeof(float);
    if (rows % BLOCK != 0) work_refuse(work, "rows", "a multiple of 16, the tile,");
    if (columns % BLOCK != 0) work_refuse(work, "columns", "a multiple of 16, the tile,");
    work_seed(work, work_param(work, "seed"));
    float *image = work_random_floats(work, count, 0, 1), *got = work_host(work, bytes), *want = work_host(work, bytes);
    float *coefficient = work_host(work, bytes), *coefficient_want = work_host(work, bytes);
    if (!work_ok(work)) return;
    for (size_t i = 0; i < count; i++) got[i] = image[i] = expf(image[i]);  // scanners compress images by logarithms
    WorkBuf dimage = work_upload(work, "image", image, bytes), dnorth = work_device(work, "north", bytes);
    WorkBuf dsouth = work_device(work, "south", bytes), dwest = work_device(work, "west", bytes);
    WorkBuf deast = work_device(work, "east", bytes), dcoefficient = work_device(work, "coefficient", bytes);

    const oc_dim3 grid = dim2((uint32_t)(columns / BLOCK), (uint32_t)(rows / BLOCK)), block = dim2(BLOCK, BLOCK);
    for (int64_t s = 0; s < steps && work_ok(work); s++) {
        work_launch(work, "srad_coefficient", grid, block, 0,
                    ARGS(arg_i32(columns), arg_f32((float)speckle_of(got, rows, columns)), arg_buf(dimage),
                         arg_buf(dnorth), arg_buf(dsouth), arg_buf(dwest), arg_buf(deast), arg_buf(dcoefficient)));
        work_launch(work, "srad_move", grid, block, 0,
                    ARGS(arg_i32(columns), arg_f32((float)RATE), arg_buf(dimage), arg_buf(dnorth), arg_buf(dsouth),
                         arg_buf(dwest), arg_buf(deast), arg_buf(dcoefficient)));
        work_read(work, got, dimage, bytes);
    }
    work_read(work, coefficient, dcoefficient, bytes);
    if (!work_ok(work)) return;

    for (int64_t s = 0; s < steps; s++) {
        step(rows, columns, image, want, coefficient_want);
        float *older = image;
        image = want;
        want = older;
    }
    work_check_f32(work, "image", got, image, count, 1e-5);
    work_check_f32(work, "coefficient", coefficient, coefficient_want, count, 1e-4);
}

static const WorkParam params[] = {
    {"rows", "rows of the image, a multiple of 16 up to 8192", 96, 2048, BLOCK, 8192},
    {"columns", "columns of the image, a multiple of 16 up to 8192", 80, 2048, BLOCK, 8192},
    {"steps", "steps of diffusion, 1 to 1000", 2, 2, 1, 1000},
    {"seed", "seed of the image, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_srad = {
    "srad", "rodinia", "An image without its speckle, by anisotropic diffusion over tiles in shared memory (Rodinia)",
    params, run};
