// clusters.c: how many clusters of blocks have room, and that a launch takes what is answered. Calls and errors are
// those of the CUDA Driver API reference and of the runtime's. The GPU is an H200: 132 SMs, of which 16 and 16 are a
// group, and 4 the last one; a block with WIDE shared memory fills an SM, or two with SLIM do.
#include "wants.h"

#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef int R;
typedef struct Handle *H;
typedef struct Attribute {  // CUlaunchAttribute
    int id, pad;
    union {
        unsigned cluster[3];
        char room[64];
    } value;
} Attribute;
typedef struct Config {  // CUlaunchConfig
    unsigned grid[3], block[3], shared;
    H stream;
    Attribute *list;
    unsigned n;
} Config;
typedef struct RuntimeConfig {  // cudaLaunchConfig_t
    unsigned grid[3], block[3];
    size_t shared;
    H stream;
    Attribute *list;
    unsigned n;
} RuntimeConfig;
R cuInit(unsigned);
R cuCtxCreate_v2(H *, unsigned, int);
R cuCtxSynchronize(void);
R cuDeviceGetAttribute(int *, int, int);
R cuModuleLoadData(H *, const void *);
R cuModuleGetFunction(H *, H, const char *);
R cuFuncSetAttribute(H, int, int);
R cuFuncGetAttribute(int *, int, H);
R cuLaunchKernelEx(const Config *, H, void **, void **);
R cuOccupancyMaxActiveClusters(int *, H, const Config *);
R cuOccupancyMaxPotentialClusterSize(int *, H, const Config *);
R cudaOccupancyMaxActiveClusters(int *, H, const RuntimeConfig *);
R cudaOccupancyMaxPotentialClusterSize(int *, H, const RuntimeConfig *);

#define IS(want, got)                                                                                   \
    do {                                                                                                \
        if ((got) != (want)) printf("line %d: %s is %d, not %d\n", __LINE__, #got, got, want), wrong++; \
    } while (0)

enum { INVALID_VALUE = 1, INVALID_HANDLE = 400, INVALID_CLUSTER = 912 };
enum { MAX_DYNAMIC = 8, WIDTH = 11, HEIGHT, DEPTH, NON_PORTABLE };  // CUfunction_attribute
enum { CLUSTER = 4, CLUSTER_LAUNCH = 120 };                         // CUlaunchAttributeID, CUdevice_attribute
enum { WIDE = 200 << 10, SLIM = 100 << 10 };  // bytes of shared memory, of which an SM has 227 KiB

#define KERNEL(name, says) ".visible .entry " name "()" says "\n{ ret; }\n"
static const char ptx[] = ".version 8.0\n.target sm_90\n.address_size 64\n" KERNEL("plain", "")
    KERNEL("fours", ".explicitcluster\n.reqnctapercluster 2, 2, 1") KERNEL("six", ".maxclusterrank 6")
        KERNEL("sixteen", ".explicitcluster\n.reqnctapercluster 16, 1, 1");
static H module, plain, fours, six, sixteen;
static Attribute attribute = {.id = CLUSTER};

static H kernel(const char *name)
{
    H f;
    OK(cuModuleGetFunction(&f, module, name));
    OK(cuFuncSetAttribute(f, MAX_DYNAMIC, WIDE));
    return f;
}

// x 0: no cluster is said.
static const Config *config(unsigned x, unsigned y, unsigned z, unsigned shared)
{
    static Config c;
    attribute.value.cluster[0] = x, attribute.value.cluster[1] = y, attribute.value.cluster[2] = z;
    c = (Config){
        .grid = {2 * 3 * 5 * 7 * 16, 4, 4}, .block = {32, 1, 1}, .shared = shared, .list = &attribute, .n = x > 0};
    return &c;
}

static int active(H f, unsigned x, unsigned y, unsigned z, unsigned shared)
{
    int n = -1;
    OK(cuOccupancyMaxActiveClusters(&n, f, config(x, y, z, shared)));
    return n;
}

static int largest(H f, unsigned shared)
{
    int n = -1;
    OK(cuOccupancyMaxPotentialClusterSize(&n, f, config(0, 0, 0, shared)));
    return n;
}

static void launches(R error, H f, unsigned x, unsigned y, unsigned z)
{
    WANT(error, cuLaunchKernelEx(config(x, y, z, 0), f, NULL, NULL));
    OK(cuCtxSynchronize());
}

// groups: SMs of a group, 16 or as a changed description says.
static int room(unsigned group, unsigned fit, unsigned blocks)
{
    unsigned n = 0;
    for (unsigned from = 0; from < 132; from += group) n += (from + group > 132 ? 132 - from : group) * fit / blocks;
    return (int)n;
}

static void groups(unsigned group)
{
    for (unsigned blocks = 1; blocks <= 8; blocks++) {
        IS(room(group, 1, blocks), active(plain, blocks, 1, 1, WIDE));
        IS(room(group, 2, blocks), active(plain, 1, blocks, 1, SLIM));
    }
    IS((int)(group < 8 ? group : 8), largest(plain, WIDE));
    IS(8, largest(plain, SLIM));
}

static void refusals(void)
{
    int n, value;
    Config c = *config(2, 1, 1, 0);
    WANT(INVALID_CLUSTER, cuOccupancyMaxActiveClusters(&n, plain, config(9, 1, 1, 0)));
    WANT(INVALID_CLUSTER, cuOccupancyMaxActiveClusters(&n, plain, config(0xffffffff, 0xffffffff, 2, 0)));
    WANT(INVALID_CLUSTER, cuOccupancyMaxActiveClusters(&n, plain, config(2, 0, 1, 0)));
    WANT(INVALID_CLUSTER, cuOccupancyMaxActiveClusters(&n, plain, config(0, 0, 0, 0)));
    WANT(INVALID_CLUSTER, cuOccupancyMaxActiveClusters(&n, fours, config(4, 1, 1, 0)));
    WANT(INVALID_CLUSTER, cuOccupancyMaxActiveClusters(&n, six, config(7, 1, 1, 0)));
    WANT(INVALID_VALUE, cuOccupancyMaxActiveClusters(NULL, plain, &c));
    WANT(INVALID_VALUE, cuOccupancyMaxActiveClusters(&n, plain, NULL));
    WANT(INVALID_HANDLE, cuOccupancyMaxActiveClusters(&n, module, &c));
    WANT(INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(NULL, plain, &c));
    WANT(INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(&n, plain, NULL));
    c.block[0] = 2000;
    WANT(INVALID_VALUE, cuOccupancyMaxPotentialClusterSize(&n, plain, &c));
    WANT(INVALID_VALUE, cuFuncSetAttribute(plain, NON_PORTABLE, 2));
    OK(cuFuncGetAttribute(&value, NON_PORTABLE, plain));
    IS(0, value);
    launches(INVALID_CLUSTER, plain, 9, 1, 1);
    launches(INVALID_CLUSTER, plain, 16, 1, 1);
    launches(INVALID_CLUSTER, sixteen, 0, 0, 0);
    launches(INVALID_CLUSTER, six, 7, 1, 1);
    launches(INVALID_CLUSTER, plain, 1, 1, 3);  // the grid isn't a multiple
    launches(0, plain, 4, 2, 1);
    launches(0, plain, 0, 0, 0);
    launches(0, six, 6, 1, 1);
    launches(0, fours, 0, 0, 0);
}

static void own_sizes(void)
{
    int value;
    IS(room(16, 1, 4), active(fours, 0, 0, 0, WIDE));
    IS(room(16, 1, 4), active(fours, 2, 2, 1, WIDE));
    IS(4, largest(fours, 0));
    IS(6, largest(six, 0));
    OK(cuFuncGetAttribute(&value, WIDTH, fours));
    IS(2, value);
    OK(cuFuncGetAttribute(&value, DEPTH, fours));
    IS(1, value);
    OK(cuFuncGetAttribute(&value, HEIGHT, plain));
    IS(0, value);
}

// The largest clusters are for kernels that ask for them.
static void large(void)
{
    int value;
    H both[2] = {plain, sixteen};
    for (int k = 0; k < 2; k++) OK(cuFuncSetAttribute(both[k], NON_PORTABLE, 1));
    OK(cuFuncGetAttribute(&value, NON_PORTABLE, plain));
    IS(1, value);
    IS(16, largest(plain, WIDE));
    IS(16, largest(sixteen, WIDE));
    IS(room(16, 1, 16), active(plain, 16, 1, 1, WIDE));
    IS(room(16, 2, 12), active(plain, 4, 3, 1, SLIM));
    IS(room(16, 1, 16), active(sixteen, 0, 0, 0, WIDE));
    launches(0, plain, 16, 1, 1);
    launches(0, sixteen, 0, 0, 0);
    OK(cuFuncSetAttribute(plain, NON_PORTABLE, 0));
    launches(INVALID_CLUSTER, plain, 16, 1, 1);
}

static void runtime(void)
{
    int n;
    RuntimeConfig c = {.grid = {64, 1, 1}, .block = {64, 1, 1}, .shared = WIDE, .list = &attribute, .n = 1};
    config(8, 1, 1, 0);
    OK(cudaOccupancyMaxActiveClusters(&n, plain, &c));
    IS(16, n);
    OK(cudaOccupancyMaxPotentialClusterSize(&n, plain, &c));
    IS(8, n);
    config(9, 1, 1, 0);
    WANT(INVALID_CLUSTER, cudaOccupancyMaxActiveClusters(&n, plain, &c));
    WANT(INVALID_VALUE, cudaOccupancyMaxActiveClusters(NULL, plain, &c));
    WANT(INVALID_VALUE, cudaOccupancyMaxPotentialClusterSize(&n, plain, NULL));
}

int main(int n, char **words)
{
    H context;
    int value;
    OK(cuInit(0));
    OK(cuCtxCreate_v2(&context, 0, 0));
    OK(cuDeviceGetAttribute(&value, CLUSTER_LAUNCH, 0));
    IS(1, value);
    OK(cuModuleLoadData(&module, ptx));
    plain = kernel("plain"), fours = kernel("fours"), six = kernel("six"), sixteen = kernel("sixteen");
    groups(n > 1 ? (unsigned)atoi(words[1]) : 16);
    if (n == 1) refusals(), own_sizes(), large(), runtime();
    printf("%d wrong\n", wrong);
    return wrong > 0;
}
