// kmn: k-means. Each map gets a point and assigns it to the nearest centre; the reduce makes a new centre of all points
// of one. Coordinates are whole numbers from 0 to 1023, so that a sum is the same in any order.
#include "mapreduce.h"

// The data's own are the centres, one behind the other; their number is that of the clusters. A point, the value, has
// a word for each dimension.
struct Kmn {
    template <class Out>
    static __device__ __forceinline__ void map(const Data &data, const Words &, const Words &point, Out &out) {
        out.emit(1, point.count, [&](unsigned *key, unsigned *value) {
            const int *centre = (const int *)data.own;
            int least = 0x7FFFFFFF;
            unsigned nearest = 0;
            for (unsigned c = 0; c < data.number; c++) {
                int distance = 0;
                for (unsigned d = 0; d < point.count; d++) {
                    const int by = *centre++ - (int)point[d];
                    distance += by * by;
                }
                if (distance < least) {
                    least = distance;
                    nearest = c;
                }
            }
            key[0] = nearest;
            for (unsigned d = 0; d < point.count; d++) value[d] = point[d];
        });
    }

    static __device__ __forceinline__ int compare(const Data &, const unsigned *a, const unsigned *b) {
        return (*a > *b) - (*a < *b);
    }

    template <class Out>
    static __device__ __forceinline__ void reduce(const Data &, const Words &cluster, const Group &points, Out &out) {
        const unsigned dimensions = points[0].count;
        out.emit(1, dimensions, [&](unsigned *key, unsigned *value) {
            key[0] = cluster[0];
            for (unsigned d = 0; d < dimensions; d++) {
                unsigned sum = 0;
                for (unsigned i = 0; i < points.count; i++) sum += points[i][d];
                value[d] = sum / points.count;
            }
        });
    }
};

MAPREDUCE_MAP(kmn, Kmn)
MAPREDUCE_GROUP(kmn, Kmn)
MAPREDUCE_REDUCE(kmn, Kmn)
