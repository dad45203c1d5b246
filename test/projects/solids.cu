// solids.cu: device code in three files: classes with virtual functions that one file makes and another asks, a table
// whose first values are functions of both, dynamic shared memory that all name, and counters that are one file's own.
#include "check.cuh"
#include "solids.cuh"

__device__ int sum(int a, int b) { return a + b; }

__global__ void build(Solid **solids, int n)
{
    for (int k = 0; k < n; k++) solids[k] = make(k % 3, k + 2, k % 5), made++;
}

__global__ void shoot(Solid *const *solids, int n, int side, int how, int *rows)
{
    const Ray r = {(int)threadIdx.x, (int)blockIdx.x};
    int heights = 0;
    for (int k = 0; k < n; k++) heights = combines[SUM](heights, solids[k]->weight * solids[k]->height(r));
    const int all = block_combine(heights, combines[how]);
    if (threadIdx.x == 0) rows[blockIdx.x] = all;
    if (threadIdx.x < side && blockIdx.x == 0) atomicAdd(&counts<Ray>, 1);
}

__global__ void clear(Solid **solids, int n, int *told)
{
    told[0] = made, told[1] = counts<Ray>, told[2] = solids[0]->name()[0], told[3] = solids[2]->name()[0];
    for (int k = 0; k < n; k++) delete solids[k];
}
__global__ void other_told(int *told);

// The same solids, by their formulas.
static int height(int kind, int a, int b, int x, int y)
{
    switch (kind) {
    case 0: return x >= b && x < a + b && y < a ? a : 0;
    case 1: return std::max(0, a * a - (x - b) * (x - b) - y * y);
    default: return std::max(0, a - std::abs(x - b) - y);
    }
}

int main(int argc, char **argv)
{
    const int side = size_of(argc, argv, 64), n = 20;
    Array<Solid *> solids(n);
    Array<int> rows(side), told(8);
    build<<<1, 1>>>(solids, n);
    for (int how = 0; how < COMBINES; how++) {
        shoot<<<side, side, side * sizeof(int)>>>(solids, n, side, how, rows);
        MUST(cudaGetLastError());
        const std::vector<int> got = rows.get();
        for (int y = 0; y < side; y++) {
            int all = 0;
            for (int x = 0; x < side; x++) {
                int heights = 0;
                for (int k = 0; k < n; k++) heights += (k % 3 == 1 ? 1 : k % 3 + 2) * height(k % 3, k + 2, k % 5, x, y);
                if (how == SUM) all += heights;
                if (how == LARGEST) all = x ? std::max(all, heights) : heights;
                if (how == MIXED) all = all ^ heights;
            }
            CHECK(got[y] == all);
        }
    }
    clear<<<1, 1>>>(solids, n, told);
    other_told<<<1, 1>>>(told + 4);
    MUST(cudaGetLastError());
    const std::vector<int> t = told.get();
    CHECK(t[0] == n && t[1] == 10 + COMBINES * side + n && t[2] == 'b' && t[3] == 's');
    CHECK(t[4] == n + 1000 && t[5] == 10 + COMBINES * side + n && t[6] == n);
    Combine table[COMBINES];
    MUST(cudaMemcpyFromSymbol(table, combines, sizeof table));
    CHECK(table[SUM] && table[LARGEST] && table[MIXED] && table[SUM] != table[LARGEST]);
    return verdict();
}
