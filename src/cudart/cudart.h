// cudart.h: the runtime of CUDA as a program finds it that `onchip run PROGRAM` has started. It asks onchip's process
// for everything (driver/wire.h). What the driver's functions call, too (src/libcuda), stands here. Names, values and
// layouts are those of the CUDA Runtime API reference; they are declared here so that nothing of NVIDIA's is needed to
// build.
//
// Invariant: no handle that a program gives is followed before it was found among those that were given out.
// State at file scope can't be avoided: CUDA's interface has no argument to keep it in.
#ifndef CUDART_CUDART_H
#define CUDART_CUDART_H

#include "base/base.h"
#include "driver/wire.h"

#include <stdatomic.h>
#include <stdlib.h>

#define uthash_malloc(bytes) mem_alloc(bytes)  // never fails; uthash's own would exit()
#define uthash_free(p, bytes) mem_free(p)
#define uthash_fatal(message) abort()
#include <uthash.h>

typedef int cudaError_t;
typedef struct Thing *cudaStream_t;
typedef struct Thing *cudaEvent_t;
typedef struct Pool *cudaMemPool_t;
typedef struct Graph *cudaGraph_t;
typedef struct Node *cudaGraphNode_t;
typedef struct Exec *cudaGraphExec_t;
typedef struct dim3 {
    unsigned x, y, z;
} dim3;
typedef struct cudaPitchedPtr {
    void *ptr;
    size_t pitch, xsize, ysize;
} cudaPitchedPtr;
typedef struct cudaExtent {
    size_t width, height, depth;  // bytes, where no array is in play; rows; slices
} cudaExtent;
typedef struct cudaPos {
    size_t x, y, z;
} cudaPos;
typedef struct ChannelDesc {  // cudaChannelFormatDesc
    int bits[4], kind;        // of each channel
} ChannelDesc;
typedef struct cudaMemLocation {
    int type, id;
} cudaMemLocation;
enum {  // cudaError_t
    cudaSuccess = 0,
    cudaErrorInvalidValue = 1,
    cudaErrorMemoryAllocation = 2,
    cudaErrorInvalidConfiguration = 9,
    cudaErrorInvalidPitchValue = 12,
    cudaErrorInvalidSymbol = 13,
    cudaErrorInvalidTexture = 18,
    cudaErrorInvalidChannelDescriptor = 20,
    cudaErrorInvalidMemcpyDirection = 21,
    cudaErrorInvalidSurface = 37,
    cudaErrorDevicesUnavailable = 46,
    cudaErrorMissingConfiguration = 52,
    cudaErrorInvalidDeviceFunction = 98,
    cudaErrorNoDevice = 100,
    cudaErrorInvalidDevice = 101,
    cudaErrorDeviceUninitialized = 201,
    cudaErrorNoKernelImageForDevice = 209,
    cudaErrorUnsupportedLimit = 215,
    cudaErrorInvalidResourceHandle = 400,
    cudaErrorSymbolNotFound = 500,
    cudaErrorLaunchOutOfResources = 701,
    cudaErrorHostMemoryAlreadyRegistered = 712,
    cudaErrorHostMemoryNotRegistered = 713,
    cudaErrorCooperativeLaunchTooLarge = 720,
    cudaErrorInvalidClusterSize = 912,
    cudaErrorNotSupported = 801
};

// --- client.c: a program's end of the wire ---------------------------------------------------------------------------
typedef struct Answer {
    WireAnswer of;
    Text text;
} Answer;
// Is onchip there? Every call begins so. If not, a line on stderr says why, once.
cudaError_t client_connect(void);
bool client_forked(void);               // this process was forked from one that is connected
const WireDevice *client_device(void);  // of a connected program
// Asks, and waits for the answer. What kernels have printed comes out before it returns, where the call waits for them.
// answer may be null; else its text is released with text_free.
cudaError_t client_ask(const WireCall *call, const void *text, Answer *answer);
// The memory at `from` is mapped at another address too, or nothing is any more, as onchip has agreed to.
bool client_map(uint64_t at, uint64_t bytes, uint64_t from, bool on);
void client_line(const char *format, ...) __attribute__((format(printf, 1, 2)));  // "onchip: …" on stderr
// The program has asked for what there isn't: a line names it, once. Returns cudaErrorNotSupported as the last error.
cudaError_t client_missing(const char *name);

// --- clock.c: the program's own clock --------------------------------------------------------------------------------
// A function of CUDA's runs from here to its end, for which the program's clock moves on in simulated time alone.
#define IN_CALL() CALL_NAMED(__LINE__)
#define CALL_NAMED(line) CALL_IN(line)
#define CALL_IN(line) __attribute__((cleanup(call_ends), unused)) const bool in_call_##line = call_begins()
extern atomic_bool clock_on;  // it is simulated
void clock_enter(void), clock_leave(void);
static inline bool call_begins(void)
{
    const bool on = atomic_load_explicit(&clock_on, memory_order_relaxed);
    if (on) clock_enter();
    return on;
}
static inline void call_ends(const bool *on)
{
    if (*on) clock_leave();
}

// --- error.c ---------------------------------------------------------------------------------------------------------
cudaError_t noted(cudaError_t error);  // keeps an error as this thread's last one, and returns it
void errors_hush(bool on);             // this thread's calls are the driver's, whose errors aren't the runtime's
cudaError_t runtime_ready(void);       // is onchip there? Each of the runtime's functions begins so
const char *cudaGetErrorString(cudaError_t error);
bool runtime_used(void);   // has this thread called one that isn't the driver's?
bool runtime_begun(void);  // has any thread?
#define READY()                                  \
    IN_CALL();                                   \
    do {                                         \
        cudaError_t r_ = runtime_ready();        \
        if (r_ != cudaSuccess) return noted(r_); \
    } while (0)

// --- device.c --------------------------------------------------------------------------------------------------------
cudaError_t cudaDeviceSetLimit(int limit, size_t value);
cudaError_t cudaDeviceGetLimit(size_t *value, int limit);
cudaError_t cudaDeviceSetCacheConfig(int cache);

// --- about.c ---------------------------------------------------------------------------------------------------------
cudaError_t cudaDeviceGetCacheConfig(int *cache);

// --- host.c ----------------------------------------------------------------------------------------------------------
cudaError_t memory_prefetch(const void *p, size_t bytes, cudaStream_t s);
cudaError_t cudaMemAdvise(const void *p, size_t bytes, int advice, cudaMemLocation to);

// --- registered.c: memory of the program -----------------------------------------------------------------------------
// Is the program's memory at p registered? What isn't null gets its flags, and a kernel's address for it (null: none).
bool registered(const void *p, unsigned *flags, void **on_device);

// --- module.c: a program's device code -------------------------------------------------------------------------------
typedef struct Entry {  // a kernel
    const void *host;   // the address of its host function
    struct Binary *of;
    const char *name;
    bool found;  // what follows is known
    uint64_t number;
    WireKernel info;
    WireParam *params;
    atomic_int most_dynamic, carveout, large_clusters;  // what the program has set, from any thread
    UT_hash_handle hh;
} Entry;
// The kernel that a program names by the address of its host function, or by a handle.
cudaError_t kernel_of(const void *function, Entry **kernel);
// For the driver: a module that onchip has loaded; a kernel of it, whose handle is its entry. cudaErrorSymbolNotFound:
// there is no such kernel; why gets what keeps another from being run. The name must stay as long as the module.
struct Binary *binary_of(uint64_t module);
cudaError_t binary_kernel(struct Binary *b, const char *name, Entry **kernel, Text *why);
void binary_end(struct Binary *b);  // with its kernels; onchip isn't told

// --- launch.c --------------------------------------------------------------------------------------------------------
typedef struct Config {
    dim3 grid, block;
    size_t shared;
    cudaStream_t stream;
    bool cooperative;
    dim3 cluster;  // blocks; 0: as the kernel says
} Config;
// The parameters' values: args points to each, or packed has so many bytes as the kernel has them.
typedef struct Values {
    void **args;
    const void *packed;
    size_t bytes;
} Values;
cudaError_t launch_run(const void *f, const Config *c, const Values *v);
typedef struct Attribute {  // cudaLaunchAttribute, CUlaunchAttribute
    int id, reserved;
    union {
        int cooperative;
        dim3 cluster;
        char room[64];
    } value;
} Attribute;
// The same as n attributes say: cooperative, and a cluster's size. The others are hints, or order launches that run one
// after the other anyway.
cudaError_t launch_attributed(const void *f, const Config *c, const Attribute *list, unsigned n, const Values *v);
// How many clusters of such a launch have room at a time; or (largest) the most blocks of a cluster that has.
cudaError_t launch_clusters(const void *f, const Config *c, const Attribute *list, unsigned n, bool largest, int *out);
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *f, int threads,
                                                                   size_t dynamic, unsigned flags);

// --- memory.c --------------------------------------------------------------------------------------------------------
cudaError_t cudaMalloc(void **p, size_t bytes);
cudaError_t cudaFree(void *p);
cudaError_t cudaFreeHost(void *p);
cudaError_t cudaMemGetInfo(size_t *room, size_t *total);
cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t s);
// A function that copies or fills, and that returns when this is done, in simulated time.
#define WAITING(call) (memory_waits(true), memory_waited(call))
void memory_waits(bool on);  // this thread's copies and fills, until memory_waited, which returns what it is given
cudaError_t memory_waited(cudaError_t error);
cudaError_t memory_range(uint64_t p, uint64_t *start, uint64_t *bytes);  // of what holds an address; bytes 0: nothing
cudaError_t memory_type(const void *p, int *type);                       // a cudaMemoryType
bool memory_reachable(uint64_t p);                                       // is it an address of the device's memory?

// --- pitch.c: rows and boxes of memory -------------------------------------------------------------------------------
typedef struct Box {
    uint8_t *at;
    size_t pitch, height;  // of a slice: rows, with those that aren't in the box
} Box;
typedef struct CopyParams {  // cudaMemcpy3DParms
    const struct Array *from_array;
    cudaPos from_at;
    cudaPitchedPtr from;
    const struct Array *to_array;
    cudaPos to_at;
    cudaPitchedPtr to;
    cudaExtent extent;
    int kind;
} CopyParams;
_Static_assert(sizeof(CopyParams) == 160, "as in CUDA 13");
// The extent is in bytes.
cudaError_t box_copy(const Box *to, const Box *from, cudaExtent e, int kind, cudaStream_t s);
// Fills rows with words of 1, 2 or 4 bytes; width counts words.
cudaError_t rows_fill(void *to, size_t pitch, unsigned word, size_t size, size_t width, size_t height, cudaStream_t s);

// --- exec.c: executable graphs ---------------------------------------------------------------------------------------
// cudaGraphExecUpdate: has an executable graph do what another graph's nodes do. What isn't null gets how that went,
// and the node and the one that it needs where they differ.
cudaError_t graph_update(cudaGraphExec_t exec, cudaGraph_t graph, int *result, void **node, void **from);

// --- capture.c: streams whose work becomes a graph -------------------------------------------------------------------
bool capture_on(void);  // is any stream captured?
// A function of the host that a stream is to call. *taken: the stream is captured, and the function is a node now.
cudaError_t capture_host(void (*function)(void *), void *data, cudaStream_t s, bool *taken);

// --- array.c: arrays, mipmaps.c: arrays of several levels ------------------------------------------------------------
enum { LAYERED = 1, SURFACE = 2, CUBEMAP = 4, GATHER = 8 };  // cudaArrayLayered and so on
typedef struct Array {
    const struct Array *self;  // the key
    uint8_t *at;
    ChannelDesc desc;
    size_t width, height, depth, texel, pitch;  // elements; height, depth 0: it hasn't that dimension; bytes of an
                                                // element, of a row. depth counts layers and faces, too
    unsigned flags;
    bool level;  // of a mipmap, which it goes with
    UT_hash_handle hh;
} Array;
bool array_find(const Array *handle, Array *found);
static inline size_t array_rows(const Array *a) { return MAX(a->height, 1u); }
// The box at a position in elements; an error: it doesn't lie in the array. The extent is in bytes.
cudaError_t array_box(const Array *a, cudaPos at, cudaExtent e, Box *box);

// --- mipmaps.c -------------------------------------------------------------------------------------------------------
enum { MOST_LEVELS = 32 };
typedef struct Mipmap {
    const struct Mipmap *self;  // the key
    unsigned levels;
    const Array *level[MOST_LEVELS];
    UT_hash_handle hh;
} Mipmap;
bool mipmap_find(const Mipmap *handle, Mipmap *found);

// --- texture.c: texture objects --------------------------------------------------------------------------------------
typedef struct Linear {
    void *at;
    ChannelDesc desc;
    size_t bytes;
} Linear;
typedef struct Rows {
    void *at;
    ChannelDesc desc;
    size_t width, height, pitch;  // texels; bytes
} Rows;
typedef struct Resource {  // cudaResourceDesc, as far as all versions of CUDA have it
    int type;
    union {
        const Array *array;
        const Mipmap *mipmap;
        Linear linear;
        Rows rows;
    } of;
} Resource;
enum { ARRAY, MIPMAPS, LINEAR, ROWS, RESOURCES };  // cudaResourceType
typedef struct Resource13 {
    Resource r;
    int reserved[18];
    unsigned flags;
} Resource13;
typedef struct TextureDesc {  // cudaTextureDesc
    int address[3], filter, read, srgb;
    float border[4];
    int normalized;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int no_trilinear_shortcut, seamless;
} TextureDesc;
typedef struct View {  // cudaResourceViewDesc, as far as all versions of CUDA have it
    int format;
    size_t width, height, depth;
    unsigned first_level, last_level, first_layer, last_layer;
} View;

enum { TEXTURE_ALIGN = 256 };  // where a texture's memory begins: what cudaMalloc gives at least

// --- reference.c: references of old programs -------------------------------------------------------------------------
// What a variable of a module that onchip has loaded refers to from now on; r null: to nothing; how null: it is a
// surface's. Module 0 is none: what can't be is an error all the same.
cudaError_t reference_set(uint64_t module, const char *name, const Resource *r, const TextureDesc *how);
cudaError_t reference_kind(uint64_t module, const char *name, int *kind);  // calls.def, REFERENCE_KIND

// --- stream.c: streams and events ------------------------------------------------------------------------------------
bool stream_number(cudaStream_t s, uint64_t *number);  // false: there is no such stream
cudaError_t launches_done(cudaStream_t s);             // waits until all have run, but not in simulated time
// A value is written in the order of a stream, or waited for (calls.def, VALUE).
cudaError_t stream_value(cudaStream_t s, uint64_t at, uint64_t value, uint32_t what);
cudaError_t cudaStreamSynchronize(cudaStream_t s);
cudaError_t cudaDeviceSynchronize(void);

// --- the runtime's functions, as far as the driver's call them -------------------------------------------------------
cudaError_t cudaRuntimeGetVersion(int *version);
cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags);
cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height);
cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags);
cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags);
cudaError_t cudaHostGetFlags(unsigned *flags, const void *p);
cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags);
cudaError_t cudaHostUnregister(void *p);
cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind);
cudaError_t cudaMemcpyToArray(const Array *to, size_t x, size_t y, const void *from, size_t bytes, int kind);
cudaError_t cudaMemcpyToArrayAsync(const Array *to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                   cudaStream_t s);
cudaError_t cudaMemcpyFromArray(void *to, const Array *from, size_t x, size_t y, size_t bytes, int kind);
cudaError_t cudaMemcpyFromArrayAsync(void *to, const Array *from, size_t x, size_t y, size_t bytes, int kind,
                                     cudaStream_t s);
cudaError_t cudaMemcpyArrayToArray(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                                   size_t bytes, int kind);
cudaError_t cudaMalloc3DArray(const Array **array, const ChannelDesc *desc, cudaExtent e, unsigned flags);
cudaError_t cudaFreeArray(const Array *array);
cudaError_t cudaMallocMipmappedArray(const Mipmap **out, const ChannelDesc *desc, cudaExtent e, unsigned levels,
                                     unsigned flags);
cudaError_t cudaFreeMipmappedArray(const Mipmap *mipmap);
cudaError_t cudaGetMipmappedArrayLevel(const Array **array, const Mipmap *mipmap, unsigned level);
cudaError_t cudaCreateTextureObject(uint64_t *handle, const Resource *r, const TextureDesc *t, const View *view);
cudaError_t cudaDestroyTextureObject(uint64_t handle);
cudaError_t cudaGetTextureObjectResourceDesc(Resource13 *to, uint64_t handle);
cudaError_t cudaGetTextureObjectTextureDesc(TextureDesc *to, uint64_t handle);
cudaError_t cudaGetTextureObjectResourceViewDesc(View *to, uint64_t handle);
cudaError_t cudaCreateSurfaceObject(uint64_t *handle, const Resource *r);
cudaError_t cudaDestroySurfaceObject(uint64_t handle);
cudaError_t cudaGetSurfaceObjectResourceDesc(Resource13 *to, uint64_t handle);
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority);
cudaError_t cudaStreamDestroy(cudaStream_t s);
cudaError_t cudaStreamQuery(cudaStream_t s);
cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags);
cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags);
cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority);
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags);
cudaError_t cudaEventDestroy(cudaEvent_t e);
cudaError_t cudaEventRecord(cudaEvent_t event, cudaStream_t s);
cudaError_t cudaEventQuery(cudaEvent_t e);
cudaError_t cudaEventSynchronize(cudaEvent_t e);
cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to);
cudaError_t cudaFuncSetAttribute(const void *f, int attribute, int value);
cudaError_t cudaFuncSetCacheConfig(const void *f, int cache);

#endif
