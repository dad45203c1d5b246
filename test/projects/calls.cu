// calls.cu: calls from one file's device code to another's: structs, unions, references, small integers, addresses of
// functions, recursion over both files, classes with two bases, textures, and a grid that meets in the other file.
#include "calls.cuh"
#include "check.cuh"

extern __device__ int anchor[4];
__device__ int *pointer = anchor;  // an address of the other file

__device__ int even(int n) { return n == 0 ? 1 : odd(n - 1); }

enum { RESULTS = 18 };

__global__ void call(double *out, cudaTextureObject_t t)
{
    Big b = {{0.5, 1.5, 2.5, 3.5, 4.5}, 'x', {1, -2, 3}};
    const Big r = exchange(b, 2, 'q', Vector{1, 2, 3, 4});
    out[0] = r.a[0], out[1] = r.c, out[2] = r.s[1], out[3] = r.a[4];
    const Vector v = product(Vector{1, 2, 3, 4}, vectors[1]);
    out[4] = v.x + 10 * v.y + 100 * v.z + 1000 * v.w;
    out[5] = (double)factorial(15);
    out[6] = even(10) * 10 + odd(7);
    int many[8], sum = 0;
    fill(many, 3);
    for (int x : many) sum += x;
    out[7] = sum;
    Either e;
    e.f = 1;
    out[8] = all_right(true, Kind::HIGH, e, -5, 65000) + 2 * all_right(false, Kind::LOW, e, 5, 1);
    out[9] = pick(0)(5) * 100 + pick(1)(5);
    out[10] = one_more(3) + one_more(4.5);
    out[11] = by_lambda(6);
    out[12] = texel(t, 1.5f);
    long long room[8];
    Base *base = make_derived(room);
    Other *other = static_cast<Derived *>(base);
    out[13] = base->f(2), out[14] = other->g(4);
    out[15] = numbers[0] + numbers[3], out[16] = pointer[2];
    out[17] = shared_count() * 10 + other_count();
}

__global__ void meet(int *sum, int *out)
{
    const int total = grid_total(cooperative_groups::this_grid(), sum);
    out[blockIdx.x * blockDim.x + threadIdx.x] = total;
}

int main()
{
    const double want[RESULTS] = {2.5,  'q', -2, 14.5, 34225, 1307674368000.0, 11, 84, 1, 650, 9.5, 43, 20,
                                  1003, 54,  55, 77,   55};
    const float texels[] = {10, 20, 30, 40};
    enum { BLOCKS = 4, THREADS = 64 };
    cudaArray_t array;
    cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaResourceDesc resource = {};
    cudaTextureDesc how = {};
    cudaTextureObject_t texture;
    MUST(cudaMallocArray(&array, &format, 4));
    MUST(cudaMemcpy2DToArray(array, 0, 0, texels, sizeof texels, sizeof texels, 1, cudaMemcpyHostToDevice));
    resource.resType = cudaResourceTypeArray, resource.res.array.array = array;
    how.filterMode = cudaFilterModeLinear, how.addressMode[0] = cudaAddressModeClamp;
    MUST(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    Array<double> results(RESULTS);
    Array<int> sum(1), totals(BLOCKS * THREADS);
    call<<<1, 1>>>(results, texture);
    MUST(cudaGetLastError());
    const std::vector<double> got = results.get();
    for (int k = 0; k < RESULTS; k++) NEAR(got[k], want[k], 0);

    int *sum_at = sum, *totals_at = totals;
    void *args[] = {&sum_at, &totals_at};
    MUST(cudaLaunchCooperativeKernel((void *)meet, dim3(BLOCKS), dim3(THREADS), args, 0, 0));
    for (int total : totals.get()) CHECK(total == BLOCKS * THREADS);
    MUST(cudaDestroyTextureObject(texture));
    MUST(cudaFreeArray(array));
    return verdict();
}
