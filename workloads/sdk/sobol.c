// sobol: points of Sobol's quasi-random sequence, in [0, 1).
#include "../host.h"

#define BLOCK 64  // the SDK's
#define DIRECTIONS 32

// Whether a polynomial over the integers modulo 2 is primitive: the powers of x modulo it are all 2^degree - 1
// polynomials of lower degree, except 0. Its coefficients are the bits; the last one is 1.
static bool is_primitive(uint32_t polynomial, int degree)
{
    uint32_t power = 1, count = 0;
    do {
        power <<= 1;
        if (power >> degree & 1) power ^= polynomial;
        count++;
    } while (power != 1);
    return count == (1u << degree) - 1;
}

// The direction numbers of a dimension. Number k has its last 1 in bit 31 - k. The bits above it are free in the first
// `degree` numbers; the polynomial makes the other numbers of these. Joe and Kuo searched for good ones; here they are
// random.
static void make_directions(Work *work, uint32_t polynomial, int degree, uint32_t *v)
{
    for (int k = 0; k < degree; k++) v[k] = (work_random(work) << 1 | 1) << (31 - k);
    for (int k = degree; k < DIRECTIONS; k++) {
        v[k] = v[k - degree] ^ v[k - degree] >> degree;
        for (int j = 1; j < degree; j++)
            if (polynomial >> (degree - j) & 1) v[k] ^= v[k - j];
    }
}

// The first dimension is van der Corput's sequence. Each further one has a primitive polynomial of its own, in the
// order of their degrees.
static void make_dimensions(Work *work, int64_t dimensions, uint32_t *directions)
{
    for (int k = 0; k < DIRECTIONS; k++) directions[k] = UINT32_C(1) << (31 - k);
    int64_t done = 1;
    for (int degree = 1; done < dimensions; degree++)
        for (uint32_t p = (1u << degree) + 1; p < 2u << degree && done < dimensions; p += 2)
            if (is_primitive(p, degree)) make_directions(work, p, degree, directions + DIRECTIONS * done++);
}

// The points one after the other (Antonov, Saleev): point i + 1 is point i and the direction number of i's lowest 0.
static void follow(int64_t n, const uint32_t *v, float *points)
{
    uint32_t x = 0;
    for (int64_t i = 0; i < n; i++) {
        points[i] = (float)x * 0x1p-32f;
        int lowest = 0;
        while (i >> lowest & 1) lowest++;
        x ^= v[lowest];
    }
}

static void run(Work *work)
{
    const int64_t vectors = work_param(work, "vectors"), dimensions = work_param(work, "dimensions");
    const int64_t blocks = work_param(work, "blocks");
    const size_t count = (size_t)(vectors * dimensions), bytes = count * sizeof(float);
    const size_t of_directions = (size_t)dimensions * DIRECTIONS * sizeof(uint32_t);
    if (power_of_two(blocks) != blocks) work_refuse(work, "blocks", "a power of two");
    work_seed(work, work_param(work, "seed"));
    uint32_t *directions = work_host(work, of_directions);
    float *got = work_host(work, bytes), *want = work_host(work, bytes);
    if (!work_ok(work)) return;
    make_dimensions(work, dimensions, directions);
    WorkBuf ddirections = work_upload(work, "directions", directions, of_directions);
    WorkBuf dpoints = work_device(work, "points", bytes);

    work_launch(work, "sobol", dim2((uint32_t)blocks, (uint32_t)dimensions), dim1(BLOCK), 0,
                ARGS(arg_i32(vectors), arg_buf(ddirections), arg_buf(dpoints)));
    work_read(work, got, dpoints, bytes);
    if (!work_ok(work)) return;

    for (int64_t d = 0; d < dimensions; d++) follow(vectors, directions + d * DIRECTIONS, want + d * vectors);
    work_check_f32(work, "points", got, want, count, 0);
}

static const WorkParam params[] = {
    {"vectors", "points of each dimension, 1 to 2^21", 3000, 100000, 1, 1 << 21},
    {"dimensions", "dimensions of the sequence, 1 to 1000", 10, 100, 1, 1000},
    {"blocks", "blocks of 64 threads for a dimension, a power of two up to 1024", 2, 1, 1, 1024},
    {"seed", "seed of the direction numbers, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_sdk_sobol = {
    "sobol", "sdk", "Sobol's quasi-random numbers, from direction numbers in shared memory (CUDA SDK)", params, run};
