// rows.c: a program that copies and fills rows and boxes, and uses pools, host functions and registered memory, as in
// CUDA. It prints what the CUDA Runtime API reference says must come of it. No kernel is needed.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct PitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} PitchedPtr;
typedef struct Extent {
    size_t width, height, depth;
} Extent;
typedef struct Pos {
    size_t x, y, z;
} Pos;
typedef struct Parms {
    void *from_array;
    Pos from_at;
    PitchedPtr from;
    void *to_array;
    Pos to_at;
    PitchedPtr to;
    Extent extent;
    int kind;
} Parms;
typedef struct Location {
    int type, id;
} Location;
typedef struct Attributes {
    int type, device;
    void *on_device, *on_host;
    long reserved[8];
} Attributes;
extern int cudaMalloc(void **, size_t), cudaFree(void *), cudaMemcpy(void *, const void *, size_t, int);
extern int cudaMallocPitch(void **, size_t *, size_t, size_t), cudaMalloc3D(PitchedPtr *, Extent);
extern int cudaMemcpy2D(void *, size_t, const void *, size_t, size_t, size_t, int), cudaMemcpy3D(const Parms *);
extern int cudaMemset2D(void *, size_t, int, size_t, size_t), cudaMemset3D(PitchedPtr, int, Extent);
extern int cudaMemcpy2D_ptds(void *, size_t, const void *, size_t, size_t, size_t, int);
extern int cudaMemcpyAsync_ptsz(void *, const void *, size_t, int, void *), cudaStreamSynchronize_ptsz(void *);
extern int cudaMemset_ptds(void *, int, size_t), cudaMemcpy_ptds(void *, const void *, size_t, int);
extern int cudaStreamCreate(void **), cudaStreamDestroy(void *);
extern int cudaMallocAsync(void **, size_t, void *), cudaFreeAsync(void *, void *);
extern int cudaDeviceGetDefaultMemPool(void **, int), cudaMemPoolTrimTo(void *, size_t);
extern int cudaMemPoolSetAttribute(void *, int, void *), cudaMemPoolGetAttribute(void *, int, void *);
extern int cudaMallocFromPoolAsync(void **, size_t, void *, void *);
extern int cudaLaunchHostFunc(void *, void (*)(void *), void *);
extern int cudaStreamAddCallback(void *, void (*)(void *, int, void *), void *, unsigned);
extern int cudaHostRegister(void *, size_t, unsigned), cudaHostUnregister(void *);
extern int cudaMallocHost(void **, size_t), cudaFreeHost(void *), cudaMallocManaged(void **, size_t, unsigned);
extern int cudaPointerGetAttributes(Attributes *, const void *), cudaMemAdvise(const void *, size_t, int, Location);
extern int cudaMemPrefetchAsync(const void *, size_t, Location, unsigned, void *);
extern int cudaProfilerStart(void), cudaProfilerStop(void);
extern const char *cudaGetErrorName(int);

enum { TO_DEVICE = 1, TO_HOST, ON_DEVICE, BY_ADDRESS };
#define SHOW(call) printf("%.*s: %s\n", (int)strcspn(#call, "("), #call, cudaGetErrorName(call))
#define MUST(call) must(__LINE__, call)
static void must(int line, int error)
{
    if (!error) return;
    printf("line %d: %s\n", line, cudaGetErrorName(error));
    exit(99);
}

static void print(const char *what, const uint8_t *v, int width, int rows)
{
    printf("%s", what);
    for (int y = 0; y < rows; y++) {
        printf(" ");
        for (int x = 0; x < width; x++) printf("%c", v[y * width + x] ? v[y * width + x] : '.');
    }
    printf("\n");
}

static void rows(void)
{
    uint8_t host[3][8], back[3][5];
    void *a, *b;
    size_t pitch;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 8; x++) host[y][x] = (uint8_t)('a' + 8 * y + x);
    MUST(cudaMallocPitch(&a, &pitch, 5, 3));
    printf("a pitch is at least the width, and rows begin at multiples of 256 bytes: %d\n",
           pitch >= 5 && pitch % 256 == 0);
    MUST(cudaMemset2D(a, pitch, '-', 5, 3));
    MUST(cudaMemcpy2D(a, pitch, host, 8, 3, 3, TO_DEVICE));
    MUST(cudaMemcpy2D(back, 5, a, pitch, 5, 3, TO_HOST));
    print("rows", &back[0][0], 5, 3);
    MUST(cudaMalloc(&b, 9));
    MUST(cudaMemcpy2D(b, 3, (char *)a + 1, pitch, 3, 3, ON_DEVICE));
    MUST(cudaMemcpy2D_ptds(back, 5, b, 3, 3, 3, BY_ADDRESS));
    print("shifted", &back[0][0], 5, 3);
    SHOW(cudaMemcpy2D(back, 4, a, pitch, 5, 3, TO_HOST));
    SHOW(cudaMemcpy2D(back, 5, a, 4, 5, 3, TO_HOST));
    SHOW(cudaMemcpy2D(back, 5, a, pitch, 0, 3, TO_HOST));
    SHOW(cudaMemcpy2D(back, 5, a, pitch, 5, 0, TO_HOST));
    SHOW(cudaMemcpy2D(back, 5, a, pitch, 5, 1, 9));
    SHOW(cudaMemcpy2D(b, 3, a, pitch, 3, 4, ON_DEVICE));  // b ends before
    SHOW(cudaMallocPitch(&b, &pitch, (size_t)1 << 40, (size_t)1 << 40));
    MUST(cudaFree(a));
}

// A box of 2 slices of 3 rows of 4 bytes, and one of 2×2×2 of it, from (1, 1, 0) on.
static void boxes(void)
{
    uint8_t host[2][3][4], back[2][2][2];
    PitchedPtr box;
    Extent all = {4, 3, 2}, part = {2, 2, 2};
    for (int k = 0; k < 24; k++) (&host[0][0][0])[k] = (uint8_t)('a' + k);
    MUST(cudaMalloc3D(&box, all));
    printf("a box of %zu by %zu: %d\n", box.xsize, box.ysize, box.ptr != NULL && box.pitch >= 4);
    Parms in = {.from = {host, 4, 4, 3}, .to = box, .extent = all, .kind = TO_DEVICE};
    MUST(cudaMemcpy3D(&in));
    Parms out = {.from = box, .from_at = {1, 1, 0}, .to = {back, 2, 2, 2}, .extent = part, .kind = TO_HOST};
    MUST(cudaMemcpy3D(&out));
    print("part", &back[0][0][0], 2, 4);
    MUST(cudaMemset3D((PitchedPtr){(char *)box.ptr + 2, box.pitch, 2, 3}, '#', (Extent){2, 1, 2}));
    Parms again = {.from = box, .to = {host, 4, 4, 3}, .extent = all, .kind = TO_HOST};
    MUST(cudaMemcpy3D(&again));
    print("filled", &host[0][0][0], 4, 6);
    in.from_array = host;
    SHOW(cudaMemcpy3D(&in));
    MUST(cudaFree(box.ptr));
}

static void add(void *data) { ++*(int *)data; }
static void add_more(void *stream, int error, void *data) { *(int *)data += stream && !error ? 10 : 100; }

static void streams(void)
{
    void *stream, *a, *pool;
    uint64_t threshold = (uint64_t)1 << 40, value = 0;
    int calls = 0, yes = 0;
    char got[4] = "";
    MUST(cudaStreamCreate(&stream));
    MUST(cudaMallocAsync(&a, 4, stream));
    MUST(cudaMemset_ptds(a, 'x', 4));
    MUST(cudaMemcpyAsync_ptsz(got, a, 2, TO_HOST, stream));
    MUST(cudaStreamSynchronize_ptsz(0));
    printf("%s\n", got);
    MUST(cudaFreeAsync(a, stream));
    SHOW(cudaFreeAsync(a, stream));
    MUST(cudaDeviceGetDefaultMemPool(&pool, 0));
    SHOW(cudaDeviceGetDefaultMemPool(&pool, 1));
    MUST(cudaMemPoolSetAttribute(pool, 4, &threshold));
    MUST(cudaMemPoolGetAttribute(pool, 4, &value));
    MUST(cudaMemPoolGetAttribute(pool, 1, &yes));
    printf("threshold %d, reuse %d\n", value == threshold, yes);
    SHOW(cudaMemPoolGetAttribute(&value, 4, &value));
    MUST(cudaMallocFromPoolAsync(&a, 100, pool, stream));
    MUST(cudaFreeAsync(a, 0));
    MUST(cudaMemPoolTrimTo(pool, 0));
    MUST(cudaLaunchHostFunc(stream, add, &calls));
    MUST(cudaStreamAddCallback(stream, add_more, &calls, 0));
    printf("%d\n", calls);
    SHOW(cudaStreamAddCallback(stream, add_more, &calls, 1));
    SHOW(cudaLaunchHostFunc(stream, NULL, &calls));
    MUST(cudaStreamDestroy(stream));
    SHOW(cudaLaunchHostFunc(stream, add, &calls));
}

static void kind(const char *what, const void *p)
{
    static const char *const names[] = {"unregistered", "host", "device", "managed"};
    Attributes a;
    MUST(cudaPointerGetAttributes(&a, p));
    printf("%s: %s, device pointer %d, host pointer %d\n", what, names[a.type], a.on_device == p, a.on_host == p);
}

static void pointers(void)
{
    static char own[64];
    void *device, *host, *managed;
    MUST(cudaMalloc(&device, 100));
    MUST(cudaMallocHost(&host, 100));
    MUST(cudaMallocManaged(&managed, 100, 1));
    kind("cudaMalloc", (char *)device + 50);
    kind("cudaMallocHost", host);
    kind("cudaMallocManaged", managed);
    kind("own", own);
    MUST(cudaFreeHost(host));
    SHOW(cudaHostRegister(own, sizeof own, 0));
    SHOW(cudaHostRegister(own + 8, 8, 0));
    SHOW(cudaHostUnregister(own + 8));
    SHOW(cudaHostUnregister(own));
    SHOW(cudaHostUnregister(own));
    SHOW(cudaMemPrefetchAsync(managed, 100, (Location){1, 0}, 0, NULL));
    SHOW(cudaMemPrefetchAsync(own, 64, (Location){1, 0}, 0, NULL));
    SHOW(cudaMemAdvise(managed, 100, 1, (Location){1, 0}));
    SHOW(cudaMemAdvise(managed, 100, 9, (Location){1, 0}));
    SHOW(cudaProfilerStart());
    SHOW(cudaProfilerStop());
}

int main(void)
{
    rows();
    boxes();
    streams();
    pointers();
    return 0;
}
