// written.cu: formulas that a user writes become kernels by NVRTC while the program runs. The driver's functions launch
// them on memory and in streams of the runtime, and between kernels that were compiled before.
#include "check.cuh"

#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char *source = R"(
__constant__ float scale;
template <class T> struct Formula { __device__ static T of(T x, T y); };
template <class T> __device__ T Formula<T>::of(T x, T y) { return FORMULA; }

template <class T, int BLOCK> __global__ void apply(const T *x, const T *y, T *out, T *sums, int n)
{
    __shared__ T part[BLOCK];
    const int i = blockIdx.x * BLOCK + threadIdx.x;
    const T value = i < n ? Formula<T>::of(x[i], y[i]) : 0;
    if (i < n) out[i] = value;
    part[threadIdx.x] = value;
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (threadIdx.x == 0) sums[blockIdx.x] = part[0];
}
)";

struct Written {
    CUmodule module;
    CUfunction kernel;
};

static Written compile(const char *formula, const char *name)
{
    int major, minor;
    MUST(cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, 0));
    MUST(cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, 0));
    const std::string arch = "--gpu-architecture=compute_" + std::to_string(major) + std::to_string(minor),
                      define = "-DFORMULA=" + std::string(formula);
    const char *options[] = {arch.c_str(), define.c_str(), "--std=c++17"}, *lowered;
    nvrtcProgram program;
    MUST(nvrtcCreateProgram(&program, source, "formula.cu", 0, nullptr, nullptr));
    MUST(nvrtcAddNameExpression(program, name));
    MUST(nvrtcAddNameExpression(program, "&scale"));
    const nvrtcResult result = nvrtcCompileProgram(program, 3, options);
    if (result != NVRTC_SUCCESS) {
        size_t n;
        MUST(nvrtcGetProgramLogSize(program, &n));
        std::vector<char> log(n);
        MUST(nvrtcGetProgramLog(program, log.data()));
        std::printf("%s\n", log.data());
    }
    MUST(result);
    size_t n, bytes;
    MUST(nvrtcGetPTXSize(program, &n));
    std::vector<char> ptx(n);
    MUST(nvrtcGetPTX(program, ptx.data()));
    Written w;
    CUdeviceptr at;
    const float half = 0.5f;
    MUST(cuModuleLoadDataEx(&w.module, ptx.data(), 0, nullptr, nullptr));
    MUST(nvrtcGetLoweredName(program, name, &lowered));
    MUST(cuModuleGetFunction(&w.kernel, w.module, lowered));
    MUST(nvrtcGetLoweredName(program, "&scale", &lowered));
    MUST(cuModuleGetGlobal(&at, &bytes, w.module, lowered));
    CHECK(bytes == sizeof half);
    MUST(cudaMemcpy((void *)at, &half, sizeof half, cudaMemcpyHostToDevice));
    MUST(nvrtcDestroyProgram(&program));
    return w;
}

template <class T> __global__ void prepare(T *x, T *y, int n)
{
    const int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) x[i] = (T)i / n, y[i] = 1 - (T)i / n;
}

template <class T> static void try_it(const char *formula, const char *name, int n, T (*same)(T, T), double bound)
{
    const int blocks = (n + 127) / 128;
    MUST(cudaFree(nullptr));  // now there is a context
    const Written w = compile(formula, name);
    cudaStream_t stream;
    MUST(cudaStreamCreate(&stream));
    Array<T> x(n), y(n), out(n), sums(blocks);
    T *px = x, *py = y, *po = out, *ps = sums;
    prepare<<<blocks, 128, 0, stream>>>(px, py, n);
    void *args[] = {&px, &py, &po, &ps, &n};
    MUST(cuLaunchKernel(w.kernel, blocks, 1, 1, 128, 1, 1, 0, stream, args, nullptr));
    MUST(cudaStreamSynchronize(stream));
    const std::vector<T> got = out.get(), parts = sums.get();
    double sum = 0, want = 0;
    for (int i = 0; i < n; i++) {
        const T value = same((T)i / n, 1 - (T)i / n);
        NEAR(got[i], value, bound);
        want += value;
    }
    for (T part : parts) sum += part;
    NEAR(sum, want, bound * n);
    MUST(cuModuleUnload(w.module));
    MUST(cudaStreamDestroy(stream));
}

int main(int argc, char **argv)
{
    const int n = size_of(argc, argv, 1000);
    try_it<float>(
        "scale*x*x+sinf(3*y)", "apply<float,128>", n, [](float x, float y) { return 0.5f * x * x + std::sin(3 * y); },
        2e-6);
    try_it<double>(
        "x>y?sqrt(x*x+y*y):exp(-x)*(double)scale", "&apply<double, 128>", n,
        [](double x, double y) { return x > y ? std::sqrt(x * x + y * y) : std::exp(-x) * 0.5; }, 1e-14);
    return verdict();
}
