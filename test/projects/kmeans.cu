// kmeans.cu: k-means with device code in two files: the distance, the search for the nearest centre, the centres and a
// counter are in kmeans_two.cu. All is of integers, so the host must come to the very same.
#include "check.cuh"
#include "kmeans.cuh"

__global__ void assign(const Point *points, int *owners, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i >= n) return;
    const int owner = nearest(points[i]);
    if (owners[i] != owner) atomicAdd(&moved, 1);
    owners[i] = owner;
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1500), width = DIMENSIONS + 1;
    std::vector<Point> points(n), host_centres(CLUSTERS), device_centres;
    for (int i = 0; i < n; i++)
        for (int d = 0; d < DIMENSIONS; d++)
            points[i].x[d] = (int)(random_bits() % 2000) - 1000 + (i % CLUSTERS == d ? 3000 : i % 7 * 150);
    for (int k = 0; k < CLUSTERS; k++) host_centres[k] = points[k * 11];
    device_centres = host_centres;
    Array<Point> p(points);
    Array<int> owners(std::vector<int>(n, -1));
    std::vector<int> host_owners(n, -1);
    Array<unsigned long long> sums(CLUSTERS * width);

    for (int round = 0; round < 50; round++) {
        unsigned host_moved = 0, zero = 0, device_moved;
        std::vector<long long> host_sums(CLUSTERS * width);
        for (int i = 0; i < n; i++) {
            int best = 0;
            for (int k = 1; k < CLUSTERS; k++)
                if (distance(points[i], host_centres[k]) < distance(points[i], host_centres[best])) best = k;
            host_moved += host_owners[i] != best;
            host_owners[i] = best;
            for (int d = 0; d < DIMENSIONS; d++) host_sums[best * width + d] += points[i].x[d];
            host_sums[best * width + DIMENSIONS]++;
        }
        MUST(cudaMemcpyToSymbol(centres, device_centres.data(), sizeof(Point) * CLUSTERS));
        MUST(cudaMemcpyToSymbol(moved, &zero, sizeof zero));
        MUST(cudaMemset(sums, 0, CLUSTERS * width * sizeof(long long)));
        assign<<<(n + 127) / 128, 128>>>(p, owners, n);
        sum_up<<<8, 64>>>(p, owners, n, sums);
        MUST(cudaGetLastError());
        MUST(cudaMemcpyFromSymbol(&device_moved, moved, sizeof device_moved));
        CHECK(device_moved == host_moved);
        const std::vector<unsigned long long> s = sums.get();
        for (size_t k = 0; k < s.size(); k++) CHECK((long long)s[k] == host_sums[k]);
        for (int k = 0; k < CLUSTERS; k++)
            for (int d = 0; d < DIMENSIONS; d++) {
                const long long count = (long long)s[k * width + DIMENSIONS];
                if (count) device_centres[k].x[d] = (int)((long long)s[k * width + d] / count);
                if (host_sums[k * width + DIMENSIONS])
                    host_centres[k].x[d] = (int)(host_sums[k * width + d] / host_sums[k * width + DIMENSIONS]);
            }
        if (!host_moved) break;
        if (round == 49) CHECK(false);
    }
    const std::vector<int> got = owners.get();
    for (int i = 0; i < n; i++) CHECK(got[i] == host_owners[i]);
    return verdict();
}
