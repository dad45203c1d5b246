// nn: the distance of each record (a hurricane's latitude and longitude) from a place; the host picks the nearest.
// Rodinia's definition. A record is two floats, read apart as there.
#include "cuda.h"

typedef struct Record {
    float lat, lng;
} Record;

extern "C" __global__ void nn_distance(int n, const Record *records, float lat, float lng, float *distance) {
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) {
        const float dy = lat - records[i].lat, dx = lng - records[i].lng;
        distance[i] = sqrtf(dy * dy + dx * dx);
    }
}
