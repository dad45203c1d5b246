// Thrust (libthrust-dev): a radix sort, beside the host's.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/sort.h>

#include "../../programs/check.cuh"

#include <algorithm>
#include <vector>

int main()
{
    std::vector<int> h(20000);
    unsigned state = 1;
    for (int &v : h) v = (int)((state = state * 1664525u + 1013904223u) >> 8) % 100000 - 50000;
    thrust::device_vector<int> d = h;
    thrust::sort(d.begin(), d.end());
    std::sort(h.begin(), h.end());
    CHECK(thrust::host_vector<int>(d) == h);
    return verdict();
}
