// joined.cu: two texts that NVRTC compiles as parts, one to PTX and one to an object, are linked by the driver
// (cuLink…). The kernel of the one calls a function and reads a constant of the other. It is captured from a stream of
// the runtime.
#include "check.cuh"

#include <cuda.h>
#include <nvrtc.h>
#include <string>

static const char *kernel_text = R"(
extern __device__ float helper(float);
extern __constant__ float table[4];
__device__ int counter = 3;
template <class T, int N> __global__ void apply(T *p)
{
    const int i = threadIdx.x;
    p[i] = helper(p[i]) + table[i % N];
    atomicAdd(&counter, 1);
}
)";
static const char *helper_text = R"(
__constant__ float table[4] = {1, 2, 3, 4};
static __device__ float factor = 2;
__device__ float helper(float x) { return factor * x; }
)";

// PTX, or the object of a real GPU; lowered: gets the name of what the expression names.
static std::vector<char> compile(const char *text, const char *part, bool object, const char *expression,
                                 std::string *lowered)
{
    nvrtcProgram program;
    size_t n;
    const char *options[] = {object ? "--gpu-architecture=sm_75" : "--gpu-architecture=compute_75", part}, *name;
    MUST(nvrtcCreateProgram(&program, text, "part.cu", 0, nullptr, nullptr));
    if (expression) MUST(nvrtcAddNameExpression(program, expression));
    MUST(nvrtcCompileProgram(program, 2, options));
    MUST(object ? nvrtcGetCUBINSize(program, &n) : nvrtcGetPTXSize(program, &n));
    std::vector<char> image(n);
    MUST(object ? nvrtcGetCUBIN(program, image.data()) : nvrtcGetPTX(program, image.data()));
    if (expression) {
        MUST(nvrtcGetLoweredName(program, expression, &name));
        *lowered = name;
    }
    MUST(nvrtcDestroyProgram(&program));
    return image;
}

int main()
{
    enum { N = 32, ROUNDS = 2, LAUNCHES = 2 };
    std::string name;
    CUlinkState link;
    CUmodule module;
    CUfunction kernel;
    void *whole;
    size_t size;
    MUST(cudaFree(nullptr));
    std::vector<char> first = compile(kernel_text, "-rdc=true", false, "apply<float, 4>", &name),
                      second = compile(helper_text, "--device-c", true, nullptr, nullptr);
    MUST(cuLinkCreate(0, nullptr, nullptr, &link));
    MUST(cuLinkAddData(link, CU_JIT_INPUT_PTX, first.data(), first.size(), "first", 0, nullptr, nullptr));
    MUST(cuLinkAddData(link, CU_JIT_INPUT_CUBIN, second.data(), second.size(), "second", 0, nullptr, nullptr));
    MUST(cuLinkComplete(link, &whole, &size));
    MUST(cuModuleLoadData(&module, whole));
    MUST(cuLinkDestroy(link));
    MUST(cuModuleGetFunction(&kernel, module, name.c_str()));

    std::vector<float> values(N);
    for (int i = 0; i < N; i++) values[i] = (float)i;
    Array<float> data(values);
    float *p = data;
    void *args[] = {&p};
    cudaStream_t stream;
    cudaGraph_t graph;
    cudaGraphExec_t exec;
    MUST(cudaStreamCreate(&stream));
    MUST(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal));
    for (int k = 0; k < LAUNCHES; k++) MUST(cuLaunchKernel(kernel, 1, 1, 1, N, 1, 1, 0, stream, args, nullptr));
    MUST(cudaStreamEndCapture(stream, &graph));
    MUST(cudaGraphInstantiate(&exec, graph, 0));
    for (int k = 0; k < ROUNDS; k++) MUST(cudaGraphLaunch(exec, stream));
    MUST(cudaStreamSynchronize(stream));
    const std::vector<float> got = data.get();
    for (int i = 0; i < N; i++) {
        for (int k = 0; k < ROUNDS * LAUNCHES; k++) values[i] = 2 * values[i] + (float)(i % 4 + 1);
        CHECK(got[i] == values[i]);
    }
    CUdeviceptr counter;
    int count;
    MUST(cuModuleGetGlobal(&counter, &size, module, "counter"));
    MUST(cuMemcpyDtoH(&count, counter, sizeof count));
    CHECK(size == sizeof count && count == 3 + ROUNDS * LAUNCHES * N);
    MUST(cudaGraphExecDestroy(exec));
    MUST(cudaGraphDestroy(graph));
    MUST(cuModuleUnload(module));
    return verdict();
}
