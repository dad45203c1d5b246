// Thrust (libthrust-dev): a transform, a sum, a running sum, and a merge sort by a lambda, beside the host's.
#include <thrust/device_vector.h>
#include <thrust/host_vector.h>
#include <thrust/reduce.h>
#include <thrust/scan.h>
#include <thrust/sort.h>
#include <thrust/transform.h>

#include "../../programs/check.cuh"

#include <algorithm>
#include <numeric>
#include <vector>

int main()
{
    const int n = 20000;
    std::vector<int> h(n), want(n);
    unsigned state = 1;
    for (int &v : h) v = (int)((state = state * 1664525u + 1013904223u) >> 8) % 100000 - 50000;
    const thrust::device_vector<int> given = h;
    thrust::device_vector<int> d = given;

    thrust::transform(given.begin(), given.end(), d.begin(), [=] __device__(int v) { return 2 * v + 1; });
    std::transform(h.begin(), h.end(), want.begin(), [](int v) { return 2 * v + 1; });
    CHECK(thrust::host_vector<int>(d) == want);
    CHECK(thrust::reduce(given.begin(), given.end()) == std::accumulate(h.begin(), h.end(), 0));
    thrust::inclusive_scan(given.begin(), given.end(), d.begin());
    std::partial_sum(h.begin(), h.end(), want.begin());
    CHECK(thrust::host_vector<int>(d) == want);

    d = given, want = h;
    thrust::stable_sort(d.begin(), d.end(), [] __device__(int a, int b) { return a % 1000 > b % 1000; });
    std::stable_sort(want.begin(), want.end(), [](int a, int b) { return a % 1000 > b % 1000; });
    CHECK(thrust::host_vector<int>(d) == want);
    return verdict();
}
