// vector_add.cpp: the sum of two vectors by the driver's functions, in the manner of samples for it: the kernel comes
// out of a file, and is launched with a list of parameters and with a buffer of them.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#define check(call) check_of((call), #call, __LINE__)
static void check_of(CUresult result, const char *call, int line)
{
    if (result == CUDA_SUCCESS) return;
    const char *name = nullptr;
    cuGetErrorName(result, &name);
    std::fprintf(stderr, "line %d: %s: %s (%d)\n", line, call, name ? name : "unknown", static_cast<int>(result));
    std::exit(EXIT_FAILURE);
}

int main(int argc, char **argv)
{
    if (argc < 2) return EXIT_FAILURE;
    const int n = 5000, threads = 256, blocks = (n + threads - 1) / threads;
    const size_t size = n * sizeof(float);
    int count = 0, major = 0, minor = 0;
    CUdevice device;
    CUcontext context;
    char name[100];
    check(cuInit(0));
    check(cuDeviceGetCount(&count));
    if (!count) return EXIT_FAILURE;
    check(cuDeviceGet(&device, 0));
    check(cuDeviceGetName(name, sizeof name, device));
    check(cuDeviceGetAttribute(&major, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR, device));
    check(cuDeviceGetAttribute(&minor, CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR, device));
    check(cuCtxCreate(&context, 0, device));

    std::ifstream file(argv[1], std::ios::binary);
    std::ostringstream image;
    image << file.rdbuf();
    CUmodule module;
    CUfunction kernel;
    check(cuModuleLoadData(&module, image.str().c_str()));
    check(cuModuleGetFunction(&kernel, module, "vector_add"));

    std::vector<float> a(n), b(n), c(n);
    for (int i = 0; i < n; i++) a[i] = i * 0.5f, b[i] = 1.0f / (i + 1);
    CUdeviceptr on_a, on_b, on_c;
    check(cuMemAlloc(&on_a, size));
    check(cuMemAlloc(&on_b, size));
    check(cuMemAlloc(&on_c, size));
    check(cuMemcpyHtoD(on_a, a.data(), size));
    check(cuMemcpyHtoD(on_b, b.data(), size));

    int wrong = 0, length = n;
    for (bool packed : {false, true}) {
        check(cuMemsetD32(on_c, 0, n));
        if (packed) {
            char buffer[64];
            size_t used = 0;
            for (CUdeviceptr p : {on_a, on_b, on_c}) std::memcpy(buffer + used, &p, sizeof p), used += sizeof p;
            std::memcpy(buffer + used, &length, sizeof length), used += sizeof length;
            void *extra[] = {CU_LAUNCH_PARAM_BUFFER_POINTER, buffer, CU_LAUNCH_PARAM_BUFFER_SIZE, &used,
                             CU_LAUNCH_PARAM_END};
            check(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, nullptr, extra));
        } else {
            void *params[] = {&on_a, &on_b, &on_c, &length};
            check(cuLaunchKernel(kernel, blocks, 1, 1, threads, 1, 1, 0, nullptr, params, nullptr));
        }
        check(cuCtxSynchronize());
        check(cuMemcpyDtoH(c.data(), on_c, size));
        for (int i = 0; i < n; i++) wrong += c[i] != a[i] + b[i];
    }
    check(cuMemFree(on_a));
    check(cuMemFree(on_b));
    check(cuMemFree(on_c));
    check(cuModuleUnload(module));
    check(cuCtxDestroy(context));
    std::printf("%d.%d, %s: %d wrong\n", major, minor, *name ? "named" : "nameless", wrong);
    return wrong != 0;
}
