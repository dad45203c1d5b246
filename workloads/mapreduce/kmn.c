// kmn: k-means, iterated.
#include "job.h"

enum { COORDINATES = 1024 };

// Points lie around as many places as there are clusters, nearer than farther.
static void make_points(Work *work, uint32_t *points, int64_t n, int64_t dimensions, int64_t clusters)
{
    uint32_t *places = work_host(work, (size_t)(clusters * dimensions) * 4);
    if (!points || !places) return;
    for (int64_t k = 0; k < clusters * dimensions; k++) places[k] = work_random(work) % COORDINATES;
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *place = places + work_random(work) % (uint32_t)clusters * dimensions;
        for (int64_t d = 0; d < dimensions; d++) {
            const uint32_t r = work_random(work);
            const int32_t x =
                (int32_t)place[d] + (int32_t)((r & 63) + (r >> 8 & 63) + (r >> 16 & 63) + (r >> 24 & 63)) - 126;
            points[i * dimensions + d] = (uint32_t)(x < 0 ? 0 : x < COORDINATES ? x : COORDINATES - 1);
        }
    }
}

// One round of Lloyd's algorithm: centres become new ones, and members the points of each. A centre without any stays.
static void lloyd(const uint32_t *points, int64_t n, int64_t dimensions, int64_t clusters, uint32_t *centres,
                  uint32_t *members, uint64_t *sums)
{
    memset(members, 0, (size_t)clusters * sizeof *members);
    memset(sums, 0, (size_t)(clusters * dimensions) * sizeof *sums);
    for (int64_t i = 0; i < n; i++) {
        const uint32_t *point = points + i * dimensions;
        int64_t nearest = 0, least = INT64_MAX;
        for (int64_t k = 0; k < clusters; k++) {
            int64_t square = 0;
            for (int64_t d = 0; d < dimensions; d++) {
                const int64_t by = (int64_t)point[d] - (int64_t)centres[k * dimensions + d];
                square += by * by;
            }
            if (square < least) nearest = k, least = square;
        }
        members[nearest]++;
        for (int64_t d = 0; d < dimensions; d++) sums[nearest * dimensions + d] += point[d];
    }
    for (int64_t k = 0; k < clusters; k++)
        for (int64_t d = 0; d < dimensions && members[k] > 0; d++)
            centres[k * dimensions + d] = (uint32_t)(sums[k * dimensions + d] / members[k]);
}

// How many pairs the groups have, by their keys.
static void count_members(Work *work, Groups groups, const uint32_t *rows, int64_t row, uint32_t *members,
                          int64_t clusters)
{
    const uint32_t *starts = read_words(work, groups.starts, groups.count + 1);
    memset(members, 0, (size_t)clusters * sizeof *members);
    for (int64_t g = 0; g < groups.count && work_ok(work); g++) {
        const uint32_t cluster = rows[g * row];
        if (cluster >= clusters || members[cluster] > 0)
            work_fail(work, "wrong result: group %lld is of cluster %u, which isn't one or was there before",
                      (long long)g, cluster);
        else
            members[cluster] = starts[g + 1] - starts[g];
    }
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "points"), dimensions = work_param(work, "dimensions");
    const int64_t clusters = work_param(work, "clusters"), rounds = work_param(work, "rounds");
    const int64_t row = 1 + dimensions, size = clusters * dimensions;
    Job job = job_open(work, true);
    uint32_t *points = work_host(work, (size_t)(n * dimensions) * 4), *numbers = work_host(work, (size_t)n * 4);
    uint32_t *got = work_host(work, (size_t)size * 4), *want = work_host(work, (size_t)size * 4);
    uint32_t *got_members = work_host(work, (size_t)clusters * 4), *members = work_host(work, (size_t)clusters * 4);
    uint64_t *sums = work_host(work, (size_t)size * sizeof *sums);
    make_points(work, points, n, dimensions, clusters);
    if (!work_ok(work)) return;
    for (int64_t i = 0; i < n; i++) numbers[i] = (uint32_t)i;
    for (int64_t k = 0; k < clusters; k++)  // the first points are the first centres
        memcpy(got + k * dimensions, points + k % n * dimensions, (size_t)dimensions * 4);
    memcpy(want, got, (size_t)size * 4);

    const Pairs input = upload_pairs(work, numbers, 1, points, dimensions, n);
    const WorkBuf centres = work_upload(work, "centres", got, (size_t)size * 4);
    job_data(&job, (WorkBuf){0}, centres, clusters);
    for (int64_t round = 0; round < rounds; round++) {
        const Groups groups = group_pairs(&job, "kmn", map_pairs(&job, "kmn", input));
        const Pairs means = reduce_groups(&job, "kmn", groups);
        const uint32_t *rows = read_pairs(work, means, 1, (uint32_t)dimensions);
        if (work_ok(work) && means.count != groups.count)
            work_fail(work, "wrong result: %lld centres of %lld groups", (long long)means.count,
                      (long long)groups.count);
        if (!work_ok(work)) return;
        count_members(work, groups, rows, row, got_members, clusters);
        if (!work_ok(work)) return;
        for (int64_t g = 0; g < means.count; g++)
            memcpy(got + rows[g * row] * dimensions, rows + g * row + 1, (size_t)dimensions * 4);
        work_write(work, centres, got, (size_t)size * 4);

        lloyd(points, n, dimensions, clusters, want, members, sums);
        work_check_u32(work, "members", got_members, members, (size_t)clusters);
        work_check_u32(work, "centres", got, want, (size_t)size);
    }
}

static const WorkParam params[] = {
    {"points", "points, 1 to 2^21", 1000, 4096, 1, 1 << 21},
    {"dimensions", "coordinates of a point, 1 to 64", 3, 3, 1, 64},
    {"clusters", "clusters, 1 to 1024", 8, 24, 1, 1024},
    {"rounds", "rounds of map and reduce, 1 to 100", 2, 2, 1, 100},
    GROUP_PARAMS,
    JOB_PARAMS,
    {.name = NULL},
};

const Workload workload_mapreduce_kmn = {"kmn", "mapreduce", "Points in clusters around centres: k-means (Mars)",
                                         params, run};
