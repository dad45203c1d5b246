// graph.c: graphs by the driver's functions: a stream that is captured, and a graph made node by node. It prints how
// much was wrong. Structures are declared as the CUDA Driver API reference has them.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

typedef int R;
typedef uint64_t P;  // CUdeviceptr
typedef struct Handle *H;
typedef struct Kernel {  // CUDA_KERNEL_NODE_PARAMS_v2
    H f;
    unsigned grid[3], block[3], shared;
    void **args, **extra;
    H kernel, context;
} Kernel;
typedef struct End {
    size_t x, y, z, level;
    int type;
    const void *host;
    P device;
    H array;
    void *reserved;
    size_t pitch, height;
} End;
typedef struct Copy {  // CUDA_MEMCPY3D
    End from, to;
    size_t width, height, depth;
} Copy;
typedef struct Fill {  // CUDA_MEMSET_NODE_PARAMS
    P at;
    size_t pitch;
    unsigned value, element;
    size_t width, height;
} Fill;
typedef struct Update {
    int result;
    H node, from;
} Update;
typedef struct Any {  // CUgraphNodeParams
    int kind, reserved[3];
    union {
        Kernel kernel;
        struct {
            int flags, reserved;
            H context;
            Copy copy;
        } copy;
        char room[232];
    };
    long long last;
} Any;
R cuInit(unsigned), cuDevicePrimaryCtxRetain(H *, int), cuCtxSetCurrent(H), cuModuleLoadData(H *, const void *);
R cuModuleGetFunction(H *, H, const char *), cuMemAlloc_v2(P *, size_t), cuMemcpyDtoH_v2(void *, P, size_t);
R cuStreamCreate(H *, unsigned), cuStreamSynchronize(H), cuMemsetD32Async(P, unsigned, size_t, H);
R cuLaunchKernel(H, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, H, void **, void **);
R cuMemcpyDtoHAsync_v2(void *, P, size_t, H), cuCtxSynchronize(void);
R cuStreamBeginCapture_v2(H, int), cuStreamEndCapture(H, H *), cuStreamIsCapturing(H, int *);
R cuStreamGetCaptureInfo_v2(H, int *, uint64_t *, H *, const H **, size_t *);
R cuGraphCreate(H *, unsigned), cuGraphDestroy(H), cuGraphGetNodes(H, H *, size_t *), cuGraphClone(H *, H);
R cuGraphNodeGetType(H, int *), cuGraphInstantiateWithFlags(H *, H, unsigned long long), cuGraphLaunch(H, H);
R cuGraphExecDestroy(H), cuGraphExecUpdate_v2(H, H, Update *), cuGraphAddEmptyNode(H *, H, const H *, size_t);
R cuGraphAddKernelNode_v2(H *, H, const H *, size_t, const Kernel *), cuGraphKernelNodeGetParams_v2(H, Kernel *);
R cuGraphExecKernelNodeSetParams_v2(H, H, const Kernel *);
R cuGraphAddMemcpyNode(H *, H, const H *, size_t, const Copy *, H), cuGraphMemcpyNodeGetParams(H, Copy *);
R cuGraphAddMemsetNode(H *, H, const H *, size_t, const Fill *, H), cuGraphAddNode(H *, H, const H *, size_t, Any *);
R cuGraphAddDependencies(H, const H *, const H *, size_t), cuGraphGetEdges(H, H *, H *, size_t *);

static const char ptx[] = ".version 6.0\n.target sm_50\n.address_size 64\n"
                          ".visible .entry add(.param .u64 p, .param .u32 by)\n{\n"
                          ".reg .b64 %a;\n.reg .b32 %i, %v, %b;\n"
                          "ld.param.u64 %a, [p];\nld.param.u32 %b, [by];\nmov.u32 %i, %tid.x;\n"
                          "mad.wide.u32 %a, %i, 4, %a;\nld.global.u32 %v, [%a];\nadd.u32 %v, %v, %b;\n"
                          "st.global.u32 [%a], %v;\nret;\n}\n";
enum { N = 64 };
static int wrong;
#define MUST(call) must(__LINE__, call, 0)
#define IS(call, error) must(__LINE__, call, error)
#define CHECK(condition) must(__LINE__, !(condition), 0)
static void must(int line, int got, int want)
{
    if (got != want) printf("line %d: %d\n", line, got), wrong++;
}

static H add, s;
static P d;
static unsigned h[N];

static void run(H x, unsigned want)
{
    memset(h, 0, sizeof h);
    MUST(cuGraphLaunch(x, s));
    MUST(cuStreamSynchronize(s));
    CHECK(h[0] == want && h[N - 1] == want);
}

static void captured(void)
{
    H g, x, of;
    unsigned by = 3;
    void *args[] = {&d, &by};
    uint64_t id = 0;
    size_t n = 0;
    int status = -1;
    MUST(cuStreamBeginCapture_v2(s, 0));
    MUST(cuMemsetD32Async(d, 1000, N, s));
    MUST(cuLaunchKernel(add, 1, 1, 1, N, 1, 1, 0, s, args, NULL));
    MUST(cuMemcpyDtoHAsync_v2(h, d, sizeof h, s));
    MUST(cuStreamGetCaptureInfo_v2(s, &status, &id, &of, NULL, &n));
    CHECK(status == 1 && id && n == 1);
    IS(cuStreamBeginCapture_v2(s, 0), 401);
    MUST(cuStreamEndCapture(s, &g));
    CHECK(g == of && h[0] == 0);
    MUST(cuGraphInstantiateWithFlags(&x, g, 0));
    run(x, 1003);
    H list[8];
    Kernel k;
    n = 8;
    MUST(cuGraphGetNodes(g, list, &n));
    CHECK(n == 3);
    MUST(cuGraphKernelNodeGetParams_v2(list[1], &k));
    CHECK(k.f == add && k.block[0] == N && *(unsigned *)k.args[1] == 3);
    by = 4, k.args = args;
    MUST(cuGraphExecKernelNodeSetParams_v2(x, list[1], &k));
    run(x, 1004);
    Update update;
    H clone;
    MUST(cuGraphClone(&clone, g));
    MUST(cuGraphExecUpdate_v2(x, clone, &update));
    CHECK(update.result == 0);
    run(x, 1003);
    H more;
    MUST(cuGraphAddEmptyNode(&more, clone, NULL, 0));
    IS(cuGraphExecUpdate_v2(x, clone, &update), 910);
    CHECK(update.result == 2);
    MUST(cuGraphDestroy(clone));
    MUST(cuGraphDestroy(g));
    MUST(cuGraphExecDestroy(x));
    IS(cuGraphLaunch(x, s), 1);
    IS(cuGraphDestroy(g), 1);
}

static void by_hand(void)
{
    H g, x, fill, kernel, copy, copied, from[4], to[4];
    unsigned by = 5;
    void *args[] = {&d, &by};
    size_t n = 4;
    int kind = -1;
    MUST(cuGraphCreate(&g, 0));
    const Fill zero = {d, 0, 7, 4, N, 1};
    MUST(cuGraphAddMemsetNode(&fill, g, NULL, 0, &zero, NULL));
    const Kernel k = {.kernel = add, .grid = {1, 1, 1}, .block = {N, 1, 1}, .args = args};
    MUST(cuGraphAddKernelNode_v2(&kernel, g, NULL, 0, &k));
    MUST(cuGraphAddDependencies(g, &fill, &kernel, 1));
    Any any = {.kind = 1};
    any.copy.copy = (Copy){.from = {.type = 2, .device = d}, .to = {.type = 1, .host = h}};
    any.copy.copy.width = sizeof h, any.copy.copy.height = any.copy.copy.depth = 1;
    MUST(cuGraphAddNode(&copy, g, &kernel, 1, &any));
    MUST(cuGraphNodeGetType(copy, &kind));
    Copy got;
    MUST(cuGraphMemcpyNodeGetParams(copy, &got));
    CHECK(kind == 1 && got.from.device == d && got.width == sizeof h);
    Copy half = any.copy.copy;  // the upper half of what the host has, by its rows: two of them
    half.width = sizeof h / 4, half.height = 2, half.to.host = h + N / 2,
    half.to.pitch = half.from.pitch = sizeof h / 4;
    MUST(cuGraphAddMemcpyNode(&copied, g, &copy, 1, &half, NULL));
    MUST(cuGraphGetEdges(g, from, to, &n));
    CHECK(n == 3 && from[0] == fill && to[0] == kernel && to[2] == copied);
    MUST(cuGraphInstantiateWithFlags(&x, g, 0));
    run(x, 12);
    MUST(cuGraphExecDestroy(x));
    half.width = 0;
    half.from.type = 9;
    IS(cuGraphAddMemcpyNode(&copied, g, NULL, 0, &half, NULL), 1);
    MUST(cuGraphDestroy(g));
}

int main(void)
{
    H context, module;
    MUST(cuInit(0));
    MUST(cuDevicePrimaryCtxRetain(&context, 0));
    MUST(cuCtxSetCurrent(context));
    MUST(cuModuleLoadData(&module, ptx));
    MUST(cuModuleGetFunction(&add, module, "add"));
    MUST(cuMemAlloc_v2(&d, sizeof h));
    MUST(cuStreamCreate(&s, 0));
    captured();
    by_hand();
    printf("%d wrong\n", wrong);
    return wrong != 0;
}
