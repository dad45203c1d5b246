// kmeans: Lloyd's algorithm. The device finds each point's nearest centre, the host moves the centres.
#include "../host.h"

#include <string.h>

#define BLOCK 256    // Rodinia's
#define FEATURES 34  // of a point, at most, as in kmeans.cu

// What is clustered: points[i * features + f], centres[c * features + f].
typedef struct Clusters {
    int64_t n, k, features;
    const float *points;
    float *centres;
    int32_t *membership;
} Clusters;

// Points near one of k places.
static void scatter(Work *work, const Clusters *s, float *points)
{
    float *places = work_random_floats(work, (size_t)(s->k * s->features), 0, 1);
    for (int64_t i = 0; places && i < s->n; i++) {
        const float *place = places + s->features * (work_random(work) % (uint32_t)s->k);
        for (int64_t f = 0; f < s->features; f++)
            points[i * s->features + f] = place[f] + work_random_float(work) - 0.5f;
    }
}

static double distance(const Clusters *s, int64_t i, int64_t c)
{
    const float *point = s->points + i * s->features, *centre = s->centres + c * s->features;
    double sum = 0;
    for (int64_t f = 0; f < s->features; f++) sum += ((double)point[f] - centre[f]) * ((double)point[f] - centre[f]);
    return sum;
}

// No centre is nearer than the one that the device chose, but for its rounding: 1e-5 of the squared distance.
static void check_membership(Work *work, const Clusters *s)
{
    for (int64_t i = 0; i < s->n && work_ok(work); i++) {
        const int32_t of = s->membership[i];
        double least = distance(s, i, 0);
        for (int64_t c = 1; c < s->k; c++) {
            const double other = distance(s, i, c);
            if (other < least) least = other;
        }
        if (of < 0 || of >= s->k || distance(s, i, of) > least * 1.00001)
            work_fail(work, "wrong result: centre %d isn't the nearest to point %lld", of, (long long)i);
    }
}

// Each centre becomes the mean of its points; one without points stays. sums: room for k · (features + 1).
static void move_centres(const Clusters *s, double *sums)
{
    const int64_t features = s->features;
    memset(sums, 0, (size_t)(s->k * (features + 1)) * sizeof *sums);
    for (int64_t i = 0; i < s->n; i++) {
        double *sum = sums + s->membership[i] * (features + 1);
        for (int64_t f = 0; f < features; f++) sum[f] += s->points[i * features + f];
        sum[features]++;
    }
    for (int64_t c = 0; c < s->k; c++) {
        const double *sum = sums + c * (features + 1);
        for (int64_t f = 0; f < features && sum[features]; f++)
            s->centres[c * features + f] = (float)(sum[f] / sum[features]);
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), features = work_param(work, "features"), loops = work_param(work, "loops");
    const int64_t k = work_param(work, "k") < n ? work_param(work, "k") : n;
    const size_t count = (size_t)(n * features), of_points = count * sizeof(float);
    const size_t of_centres = (size_t)(k * features) * sizeof(float), of_membership = (size_t)n * sizeof(int32_t);
    float *points = work_host(work, of_points), *got = work_host(work, of_points), *want = work_host(work, of_points);
    int32_t *before = work_host(work, of_membership);
    double *sums = work_host(work, (size_t)(k * (features + 1)) * sizeof(double));
    const Clusters s = {n, k, features, points, work_host(work, of_centres), work_host(work, of_membership)};
    if (!work_ok(work)) return;
    work_seed(work, work_param(work, "seed"));
    scatter(work, &s, points);
    memcpy(s.centres, points, of_centres);  // the first k points, as in Rodinia
    for (int64_t i = 0; i < n; i++) before[i] = -1;

    WorkBuf dpoints = work_upload(work, "points", points, of_points);
    WorkBuf dinverted = work_device(work, "inverted", of_points);
    WorkBuf dmembership = work_device(work, "membership", of_membership), dcentres = work_symbol(work, "centres");
    const oc_dim3 grid = dim1(ceil_div(n, BLOCK)), block = dim1(BLOCK);
    const bool texture = work_param(work, "texture"), inverts = work_param(work, "invert");
    if (texture && !inverts) work_refuse(work, "texture", "0 where invert=0,");
    if (inverts)
        work_launch(work, "invert_mapping", grid, block, 0,
                    ARGS(arg_i32(n), arg_i32(features), arg_buf(dpoints), arg_buf(dinverted)));
    const char *kernel = texture ? "kmeans_point_texture" : inverts ? "kmeans_point" : "kmeans_point_rows";
    const WorkArg source = texture ? arg_u64(work_texture(work, dinverted)) : arg_buf(inverts ? dinverted : dpoints);
    for (int64_t loop = 0; loop < loops; loop++) {
        work_write(work, dcentres, s.centres, of_centres);
        work_launch(work, kernel, grid, block, 0,
                    ARGS(arg_i32(n), arg_i32(k), arg_i32(features), source, arg_buf(dmembership)));
        work_read(work, s.membership, dmembership, of_membership);
        if (!work_ok(work)) return;
        check_membership(work, &s);
        if (!work_ok(work) || !memcmp(before, s.membership, of_membership)) break;
        memcpy(before, s.membership, of_membership);
        move_centres(&s, sums);
    }

    work_read(work, got, inverts ? dinverted : dpoints, of_points);
    if (!work_ok(work)) return;
    if (inverts) transpose_into(want, points, n, features);
    work_check_f32(work, inverts ? "inverted" : "points", got, inverts ? want : points, count, 0);
}

static const WorkParam params[] = {
    {"n", "points, 1 to 2^21", 500, 10000, 1, 1 << 21},
    {"k", "clusters, 1 to 32; no more than points", 5, 5, 1, 32},
    {"features", "numbers that a point has, 1 to 34", FEATURES, FEATURES, 1, FEATURES},
    {"loops", "steps at most, 1 to 1000; the step that changes no point's cluster is the last", 2, 2, 1, 1000},
    {"invert", "1: the points are transposed first; 0: the step's kernel reads them as they are", 1, 1, 0, 1},
    {"texture", "1: the step's kernel reads points through a texture; 0: through the L1", 0, 0, 0, 1},
    {"seed", "seed of the points, 0 to 2^32 - 1", 0, 0, 0, UINT32_MAX},
    {.name = NULL},
};

const Workload workload_rodinia_kmeans = {
    "kmeans", "rodinia", "The nearest of k centres for n points, which are transposed first (Rodinia)", params, run};
