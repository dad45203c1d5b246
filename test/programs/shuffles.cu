// What the threads of a warp tell one another: shuffles of each kind, width and type, by their definition (CUDA C++
// Programming Guide, "Warp Shuffle Functions").
#include "check.cuh"

template <typename T> __global__ void shuffle(T *out, int width)
{
    int t = threadIdx.x;
    T v = (T)(t * 3 + 1);
    out[t] = __shfl_sync(0xffffffff, v, t * 7, width);
    out[t + 32] = __shfl_up_sync(0xffffffff, v, 3, width);
    out[t + 64] = __shfl_down_sync(0xffffffff, v, 5, width);
    out[t + 96] = __shfl_xor_sync(0xffffffff, v, 9, width);
    if (t % 2) out[t + 128] = __shfl_sync(0xaaaaaaaa, v, t - t % width % 8 + 1, width);
    T sum = v;
    for (int d = 16; d; d /= 2) sum += __shfl_xor_sync(0xffffffff, sum, d);
    out[t + 160] = sum;
}

template <typename T> static void test()
{
    T *out = shared_array<T>(192);
    for (int width : {32, 16, 8, 4}) {
        shuffle<<<1, 32>>>(out, width);
        MUST(cudaDeviceSynchronize());
        for (int t = 0; t < 32; t++) {
            int first = t / width * width, last = first + width - 1;
            auto of = [](int lane) { return (T)(lane * 3 + 1); };
            CHECK(out[t] == of(first + t * 7 % width));
            CHECK(out[t + 32] == of(t - 3 < first ? t : t - 3));
            CHECK(out[t + 64] == of(t + 5 > last ? t : t + 5));
            CHECK(out[t + 96] == of((t ^ 9) > last ? t : t ^ 9));
            if (t % 2) CHECK(out[t + 128] == of(first + (t - t % width % 8 + 1) % width));
            CHECK(out[t + 160] == (T)(3 * 31 * 32 / 2 + 32));
        }
    }
}

int main()
{
    test<int>(), test<float>(), test<double>(), test<unsigned long long>(), test<long>();
    return verdict();
}
