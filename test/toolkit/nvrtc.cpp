// nvrtc.cpp: a program that compiles kernels while it runs: with headers, a template whose lowered name it asks for, a
// constant, and mistakes. It prints how much was wrong.
#include <cuda.h>
#include <nvrtc.h>

#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

static int wrong;
#define IS(call, want) is(__LINE__, (int)(call), (int)(want))
static void is(int line, int got, int want)
{
    if (got != want) std::printf("line %d: %d, not %d\n", line, got, want), wrong++;
}

static const char source[] = "#include \"sub/add.h\"\n"
                             "template <class T> __global__ void axpy(T a, const T *x, T *y, int n)\n"
                             "{\n"
                             "    const int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
                             "    if (i < n) y[i] = add(a * x[i], y[i]) + shift;\n"
                             "}\n";
static const char add[] = "namespace far { __constant__ float shift; }\nusing far::shift;\n"
                          "template <class T> T add(T a, T b) { return a + b; }\n";

static std::string log_of(nvrtcProgram p)
{
    size_t n = 0;
    IS(nvrtcGetProgramLogSize(p, &n), NVRTC_SUCCESS);
    std::vector<char> text(n);
    IS(nvrtcGetProgramLog(p, text.data()), NVRTC_SUCCESS);
    return text.data();
}

// Runs the kernel of an image, and compares.
static void run(const void *image, const char *kernel, const char *constant)
{
    enum { N = 100 };
    CUmodule m;
    CUfunction f;
    CUdeviceptr x, y, c;
    size_t bytes;
    float h[N], a = 10, shift = 0.5f;
    int n = N;
    IS(cuModuleLoadData(&m, image), CUDA_SUCCESS);
    IS(cuModuleGetFunction(&f, m, kernel), CUDA_SUCCESS);
    IS(cuModuleGetGlobal(&c, &bytes, m, constant), CUDA_SUCCESS);
    IS(bytes, sizeof shift);
    for (int k = 0; k < N; k++) h[k] = (float)k;
    IS(cuMemAlloc(&x, sizeof h), CUDA_SUCCESS);
    IS(cuMemAlloc(&y, sizeof h), CUDA_SUCCESS);
    cuMemcpyHtoD(c, &shift, sizeof shift);
    cuMemcpyHtoD(x, h, sizeof h);
    cuMemcpyHtoD(y, h, sizeof h);
    void *args[] = {&a, &x, &y, &n};
    IS(cuLaunchKernel(f, 4, 1, 1, 32, 1, 1, 0, nullptr, args, nullptr), CUDA_SUCCESS);
    cuMemcpyDtoH(h, y, sizeof h);
    for (int k = 0; k < N; k++) IS(h[k] == 11.0f * (float)k + 0.5f, 1);
    cuModuleUnload(m);
}

int main()
{
    CUcontext context;
    nvrtcProgram p;
    int major = 0, minor = -1, count = 0;
    IS(cuInit(0), CUDA_SUCCESS);
    IS(cuDevicePrimaryCtxRetain(&context, 0), CUDA_SUCCESS);
    IS(cuCtxSetCurrent(context), CUDA_SUCCESS);
    IS(nvrtcVersion(&major, &minor), NVRTC_SUCCESS);
    IS(major >= 11 && minor >= 0, 1);
    IS(nvrtcGetNumSupportedArchs(&count), NVRTC_SUCCESS);
    std::vector<int> archs((size_t)count);
    IS(nvrtcGetSupportedArchs(archs.data()), NVRTC_SUCCESS);
    IS(archs.back() >= 80, 1);

    const char *headers[] = {add}, *names[] = {"sub/add.h"};
    IS(nvrtcCreateProgram(&p, source, "axpy.cu", 1, headers, names), NVRTC_SUCCESS);
    IS(nvrtcAddNameExpression(p, "axpy<float>"), NVRTC_SUCCESS);
    IS(nvrtcAddNameExpression(p, "&far::shift"), NVRTC_SUCCESS);
    const char *kernel = nullptr, *constant = nullptr;
    IS(nvrtcGetLoweredName(p, "axpy<float>", &kernel), NVRTC_ERROR_NO_LOWERED_NAMES_BEFORE_COMPILATION);
    for (int real = 0; real < 2; real++) {
        // A real GPU gives an object, too; a virtual one gives PTX alone.
        const char *options[] = {real ? "--gpu-architecture=sm_75" : "--gpu-architecture=compute_75", "--std=c++17",
                                 "-default-device", "--extra-device-vectorization"};
        const nvrtcResult result = nvrtcCompileProgram(p, 4, options);
        IS(result, NVRTC_SUCCESS);
        if (result != NVRTC_SUCCESS) std::printf("%s\n", log_of(p).c_str());
        IS(nvrtcGetLoweredName(p, "axpy<float>", &kernel), NVRTC_SUCCESS);
        IS(nvrtcGetLoweredName(p, "&far::shift", &constant), NVRTC_SUCCESS);
        IS(nvrtcGetLoweredName(p, "axpy<int>", &kernel), NVRTC_ERROR_NAME_EXPRESSION_NOT_VALID);
        IS(nvrtcGetLoweredName(p, "axpy<float>", &kernel), NVRTC_SUCCESS);
        size_t n = 0;
        IS(nvrtcGetPTXSize(p, &n), NVRTC_SUCCESS);
        std::vector<char> image(n);
        IS(nvrtcGetPTX(p, image.data()), NVRTC_SUCCESS);
        IS(image[n - 1] == 0 && std::strstr(image.data(), ".entry"), 1);
        IS(std::strstr(image.data(), "onchip_name") != nullptr, 0);
        run(image.data(), kernel, constant);
        IS(nvrtcGetCUBINSize(p, &n), NVRTC_SUCCESS);
        IS(n > 0, real);
        if (!real) continue;
        image.resize(n);
        IS(nvrtcGetCUBIN(p, image.data()), NVRTC_SUCCESS);
        run(image.data(), kernel, constant);
    }
    IS(nvrtcAddNameExpression(p, "axpy<double>"), NVRTC_ERROR_NO_NAME_EXPRESSIONS_AFTER_COMPILATION);
    IS(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    IS(p == nullptr, 1);

    // What is wrong is told, with its line.
    IS(nvrtcCreateProgram(&p, "\n__global__ void k() { nothing(); }", "bad.cu", 0, nullptr, nullptr), NVRTC_SUCCESS);
    IS(nvrtcCompileProgram(p, 0, nullptr), NVRTC_ERROR_COMPILATION);
    IS(log_of(p).find("bad.cu:2:23: error") != std::string::npos, 1);
    const char *unknown[] = {"--nonsense"};
    IS(nvrtcCompileProgram(p, 1, unknown), NVRTC_ERROR_INVALID_OPTION);
    IS(log_of(p).find("--nonsense") != std::string::npos, 1);
    IS(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    // A header's name that would lead out of the folder isn't written.
    const char *outside[] = {"../outside.h"};
    IS(nvrtcCreateProgram(&p, "", "k.cu", 1, headers, outside), NVRTC_SUCCESS);
    IS(nvrtcCompileProgram(p, 0, nullptr) != NVRTC_SUCCESS, 1);
    IS(nvrtcDestroyProgram(&p), NVRTC_SUCCESS);
    IS(nvrtcDestroyProgram(&p), NVRTC_ERROR_INVALID_PROGRAM);
    IS(nvrtcCreateProgram(nullptr, "", "", 0, nullptr, nullptr), NVRTC_ERROR_INVALID_INPUT);
    std::printf("%d wrong\n", wrong);
    return wrong != 0;
}
