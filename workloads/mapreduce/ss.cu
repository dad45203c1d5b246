// ss: similarity score. Each map gets two documents, and emits the cosine of the angle between their vectors of
// features, a·b / (|a| |b|), with the two. The pairs are grouped by score; there is no reduce.
#include "mapreduce.h"

// The data's own are the documents' vectors; their number is that of the features.
struct Ss {
    template <class Out>
    static __device__ __forceinline__ void map(const Data &data, const Words &first, const Words &second, Out &out) {
        out.emit(1, 2, [&](unsigned *key, unsigned *value) {
            const float *a = (const float *)data.own + (size_t)first[0] * data.number;
            const float *b = (const float *)data.own + (size_t)second[0] * data.number;
            float ab = 0, aa = 0, bb = 0;
            for (unsigned f = 0; f < data.number; f++) {
                const float x = a[f], y = b[f];
                ab += x * y;
                aa += x * x;
                bb += y * y;
            }
            // Who has no feature is like nobody.
            key[0] = __float_as_uint(ab > 0 ? ab / (sqrtf(aa) * sqrtf(bb)) : 0);
            value[0] = first[0];
            value[1] = second[0];
        });
    }

    static __device__ __forceinline__ int compare(const Data &, const unsigned *a, const unsigned *b) {
        const float x = __uint_as_float(*a), y = __uint_as_float(*b);
        return (x > y) - (x < y);
    }
};

MAPREDUCE_MAP(ss, Ss)
MAPREDUCE_GROUP(ss, Ss)
