// kmeans: one step of Lloyd's algorithm.
#include "stream.h"

#define DIMENSIONS 8  // as in kmeans.cu

typedef struct Particle {
    float x[DIMENSIONS];
    uint32_t cluster;
} Particle;

typedef struct Centre {
    float x[DIMENSIONS], sum[DIMENSIONS];
    uint32_t members;
} Centre;

static double distance(const Particle *p, const Centre *c)
{
    double sum = 0;
    for (int d = 0; d < DIMENSIONS; d++) sum += ((double)p->x[d] - c->x[d]) * ((double)p->x[d] - c->x[d]);
    return sum;
}

static void run(Work *work)
{
    const Shape shape = work_shape(work);
    const int64_t n = work_shared(work, "n"), k = work_param(work, "k");
    const size_t of_particles = (size_t)n * sizeof(Particle), of_centres = (size_t)k * sizeof(Centre);
    Particle *particles = work_host(work, of_particles);
    Centre *centres = work_host(work, of_centres);
    const size_t results = (size_t)k * (DIMENSIONS + 1);
    float *got = work_host(work, results * sizeof(float)), *want = work_host(work, results * sizeof(float));
    double *sums = work_host(work, results * sizeof(double));
    if (!work_ok(work)) return;
    // Centres anywhere, particles near one of them.
    for (int64_t c = 0; c < k; c++)
        for (int d = 0; d < DIMENSIONS; d++) centres[c].x[d] = work_random_float(work);
    for (int64_t i = 0; i < n; i++) {
        const Centre *near = &centres[work_random(work) % (uint32_t)k];
        for (int d = 0; d < DIMENSIONS; d++) particles[i].x[d] = near->x[d] + work_random_float(work) - 0.5f;
    }

    WorkBuf dparticles = work_upload(work, "particles", particles, of_particles);
    WorkBuf dcentres = work_upload(work, "centres", centres, of_centres);
    work_launch(work, "kmeans", shape.grid, shape.block, (uint32_t)of_centres,
                ARGS(arg_i32(n), arg_i32(chunk_of(shape, n)), arg_buf(dparticles), arg_i32(k), arg_buf(dcentres)));
    work_read(work, particles, dparticles, of_particles);
    work_read(work, centres, dcentres, of_centres);
    if (!work_ok(work)) return;

    // No centre is nearer than the one chosen, but for rounding; a cluster's sum is that of who chose it.
    for (int64_t i = 0; i < n; i++) {
        const Particle *p = &particles[i];
        double least = distance(p, &centres[0]);
        for (int64_t c = 1; c < k; c++) {
            const double other = distance(p, &centres[c]);
            if (other < least) least = other;
        }
        if (p->cluster >= k || distance(p, &centres[p->cluster]) > least * 1.00001) {
            work_fail(work, "particle %lld isn't of cluster %u: another centre is nearer", (long long)i, p->cluster);
            return;
        }
        for (int d = 0; d < DIMENSIONS; d++) sums[p->cluster * (DIMENSIONS + 1) + d] += p->x[d];
        sums[p->cluster * (DIMENSIONS + 1) + DIMENSIONS] += 1;
    }
    for (size_t r = 0; r < results; r++) {
        const Centre *c = &centres[r / (DIMENSIONS + 1)];
        const size_t d = r % (DIMENSIONS + 1);
        got[r] = d < DIMENSIONS ? c->sum[d] : (float)c->members;
        want[r] = (float)sums[r];
    }
    work_check_f32(work, "sums", got, want, results, 1e-4);
}

static const WorkParam params[] = {
    SHAPE_PARAMS,
    {"n", "particles, 1 to 2^24", 1000, 1 << 16, 1, 1 << 24},
    {"k", "clusters, 1 to 1024, of 68 bytes of shared memory each; 720 leave 192 bytes of 48 KiB", 10, 720, 1, 1024},
    {.name = NULL},
};

const Workload workload_streaming_kmeans = {
    "kmeans", "streaming", "The nearest of k centres for n particles (S-L1, Table 1; Lloyd's algorithm, one step)",
    params, run};
