// nn: the k records nearest to a place.
#include "../host.h"

#include <math.h>
#include <stdlib.h>

typedef struct Record {
    float lat, lng;
} Record;

static int by_value(const void *a, const void *b)
{
    const float x = *(const float *)a, y = *(const float *)b;
    return (x > y) - (x < y);
}

static void run(Work *work)
{
    const int64_t n = work_param(work, "n"), k = work_param(work, "k") < n ? work_param(work, "k") : n;
    const float lat = 30, lng = 90;  // Rodinia's example
    const size_t of_distance = (size_t)n * sizeof(float);
    Record *records = work_host(work, (size_t)n * sizeof(Record));
    float *got = work_host(work, of_distance), *want = work_host(work, of_distance);
    for (int64_t i = 0; records && i < n; i++)
        records[i] = (Record){.lat = 7 + 63 * work_random_float(work), .lng = 360 * work_random_float(work)};
    WorkBuf drecords = work_upload(work, "records", records, (size_t)n * sizeof(Record));
    WorkBuf ddistance = work_device(work, "distance", of_distance);

    work_launch(work, "nn_distance", dim1(ceil_div(n, 256)), dim1(256), 0,
                ARGS(arg_i32(n), arg_buf(drecords), arg_f32(lat), arg_f32(lng), arg_buf(ddistance)));
    work_read(work, got, ddistance, of_distance);
    if (!work_ok(work)) return;

    for (int64_t i = 0; i < n; i++) want[i] = (float)hypot((double)lat - records[i].lat, (double)lng - records[i].lng);
    work_check_f32(work, "distance", got, want, (size_t)n, 1e-6);
    qsort(got, (size_t)n, sizeof *got, by_value);
    qsort(want, (size_t)n, sizeof *want, by_value);
    work_check_f32(work, "nearest", got, want, (size_t)k, 1e-6);
}

static const WorkParam params[] = {
    {"n", "records, 1 to 2^27", 1000, 42764, 1, 1 << 27},
    {"k", "nearest records that are wanted, 1 to 1000", 5, 5, 1, 1000},
    {.name = NULL},
};

const Workload workload_rodinia_nn = {"nn", "rodinia", "Distances of records from a place, and the k nearest (Rodinia)",
                                      params, run};
