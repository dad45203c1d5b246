// work.h: the interface that a workload is written against. A workload is a program with device code, host code and a
// check of its result.
#ifndef WORK_H
#define WORK_H

#include "base/base.h"

#include <onchip.h>

// --- work.c: what a workload sees ------------------------------------------------------------------------------------
// A workload is two files, workloads/<suite>/<name>.cu (device code) and <name>.c (one WORKLOAD at its end). Its run
// function makes the input, launches, and checks the result against a CPU reference written from the definition.
// When a work_* call fails, the run has failed, and all later calls return at once. So run functions need no error
// paths. work_ok tells whether all is well; work_host returns null only when it isn't.

typedef struct Work Work;

typedef struct WorkParam {
    const char *name;  // as on the command line, "nx"
    const char *doc;   // one sentence, with unit and range
    int64_t small;     // value under --size small: a run of well under a second
    int64_t standard;  // the default: the source's standard size
    int64_t min, max;
} WorkParam;

typedef struct Workload {
    const char *name;         // "atax"
    const char *suite;        // "polybench"
    const char *doc;          // one sentence: what it computes and where the definition is from
    const WorkParam *params;  // ended by a null name
    void (*run)(Work *work);
} Workload;

typedef struct WorkBuf {
    oc_ptr ptr;
    size_t bytes;
} WorkBuf;

int64_t work_param(Work *work, const char *name);  // its value
// The parameter's value; where that is 0, otherwise, which the report then shows as the value.
int64_t work_param_or(Work *work, const char *name, int64_t otherwise);
// A part of the GPU (gpu.slice) takes the same share of a program's work: a whole number of its blocks, and so many of
// its elements, rounded up. A workload that asks for no share is refused there.
uint32_t work_blocks(Work *work, const char *name);  // of a parameter; refused unless it is a multiple of gpu.slice
int64_t work_share(Work *work, int64_t elements);    // of so many elements
int64_t work_shared(Work *work, const char *name);   // of as many as a parameter says
// Makes the run fail because the user chose a value that is within the parameter's range but can't be run with.
// expected: "a multiple of 16".
void work_refuse(Work *work, const char *name, const char *expected);
bool work_ok(const Work *work);
void work_fail(Work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *work_host(Work *work, size_t bytes);                         // zeroed; freed with the run
WorkBuf work_device(Work *work, const char *label, size_t bytes);  // device memory, zeroed
WorkBuf work_upload(Work *work, const char *label, const void *host,
                    size_t bytes);  // device memory with a copy of host
void work_write(Work *work, WorkBuf to, const void *from, size_t bytes);
void work_read(Work *work, void *to, WorkBuf from, size_t bytes);
void work_fill(Work *work, WorkBuf buffer, uint8_t value);
WorkBuf work_symbol(Work *work, const char *name);           // a __device__ or __constant__ variable of the device code
uint64_t work_texture(Work *work, WorkBuf floats);           // a 1D texture object over the buffer's floats
uint64_t work_texture_of(Work *work, const oc_texture *of);  // any other
// Writes a tensor's map (onchip.h) into a __constant__ variable of the device code, of 128 bytes.
void work_tensor(Work *work, const char *name, const oc_tensor *tensor);
uint32_t work_block_shared(const Work *work);  // bytes of shared memory that a block may have
void work_on(Work *work,
             oc_stream *stream);  // where copies, fills and launches go from now on; null: the default stream

// Random numbers from one seeded PCG generator, the same on every host.
void work_seed(Work *work, int64_t seed);  // starts the generator anew; without a call its seed is 0
uint32_t work_random(Work *work);          // all 32 bits
float work_random_float(Work *work);       // of [0, 1)
float *work_random_floats(Work *work, size_t count, float low, float high);  // count of [low, high), freed with the run

// An argument of a launch, by value. ARGS collects them.
typedef struct WorkArg {
    uint32_t bytes;
    union {
        uint64_t u64;
        uint32_t u32;
        int32_t s32;
        float f32;
        double f64;
    } v;
} WorkArg;
static inline WorkArg arg_buf(WorkBuf b) { return (WorkArg){8, {.u64 = b.ptr}}; }
static inline WorkArg arg_u64(uint64_t x) { return (WorkArg){8, {.u64 = x}}; }
static inline WorkArg arg_i32(int64_t x) { return (WorkArg){4, {.s32 = (int32_t)x}}; }
static inline WorkArg arg_f32(float x) { return (WorkArg){4, {.f32 = x}}; }
static inline WorkArg arg_f64(double x) { return (WorkArg){8, {.f64 = x}}; }
#define ARGS(...) (const WorkArg[]){__VA_ARGS__}, sizeof((WorkArg[]){__VA_ARGS__}) / sizeof(WorkArg)

void work_launch(Work *work, const char *kernel, oc_dim3 grid, oc_dim3 block, uint32_t smem, const WorkArg *args,
                 size_t count);

// Checks. Integers must be equal; floats must agree within tolerance · max(|want|, floor), where floor is the mean
// magnitude of want's finite elements. The first element that differs is reported. Checking takes no simulated time.
void work_check_u32(Work *work, const char *what, const uint32_t *got, const uint32_t *want, size_t count);
void work_check_f32(Work *work, const char *what, const float *got, const float *want, size_t count, double tolerance);
void work_check_f64(Work *work, const char *what, const double *got, const double *want, size_t count,
                    double tolerance);

// --- products.c ------------------------------------------------------------------------------------------------------
// c[m][n] = a[m][k] b[n][k]^T, as a check wants it: sums in double, rounded once. Needs room for 8 k doubles.
void work_products(Work *work, float *c, const float *a, const float *b, int64_t m, int64_t n, int64_t k);

// --- scenario.c: input larger than the GPU's memory ------------------------------------------------------------------
// A workload that takes its input in chunks fills in a StreamProgram and is a row of stream.def. scenario.c runs it in
// the scenarios of S-L1, §4.3, and has its result compared with the CPU's. A chunk's elements are shared evenly among
// its threads. Elements are the lines of assembled data whose input has an index of lines; else they are bytes.
typedef struct StreamInput {
    const uint8_t *bytes;  // in host memory
    size_t size;
    const uint32_t *lines;  // the index: a STREAM_LINE for each line; null: the input can be cut anywhere
    size_t line_count;
    size_t result_bytes;   // of the whole result, the CPU's or the device's; it starts as zeros
    size_t partial_bytes;  // of what one thread of the CPU finds until it is merged; it starts as zeros
    void *own;             // the program's own data
} StreamInput;
// A line in the index: its bytes, of which the program needs `count` from `from` on.
#define STREAM_LINE(bytes, from, count) ((uint32_t)(bytes) | (uint32_t)(from) << 12 | (uint32_t)(count) << 20)
enum { STREAM_LINE_MAX = 4095, STREAM_FROM_MAX = 255 };  // the largest bytes and from that STREAM_LINE has room for
typedef struct StreamChunk {
    int pass;
    size_t at, bytes;    // where it begins in the input, and how long it is
    size_t line, lines;  // its first line, and how many it has; with an index only
    oc_dim3 grid, block;
    uint32_t threads;  // of the grid
    uint32_t each;     // elements of a thread; the last threads may have fewer
    bool assembled;    // data was assembled for the threads; else it is the input's bytes
    uint32_t unit;     // bytes of one thread that stand together in assembled data
    WorkBuf data, results;
} StreamChunk;
typedef struct StreamProgram {
    const char *workload;  // its name
    int passes;            // over the input
    const char *gather;    // the kernel that lists what a chunk's threads read (workloads/streaming/feed.h)
    uint8_t blank;         // results are filled with this byte before each chunk; 0: they are left as they are
    void (*make)(Work *work, StreamInput *in);                                     // makes the input
    void (*plain)(Work *work, const StreamInput *in, const StreamChunk *chunk);    // launches on the input's bytes
    void (*compute)(Work *work, const StreamInput *in, const StreamChunk *chunk);  // launches on assembled data
    size_t (*room)(const StreamInput *in, const StreamChunk *chunk);  // bytes of a chunk's results; null: none
    // Puts a chunk's results into got, the whole result. Chunks come in the input's order.
    void (*take)(const StreamInput *in, const StreamChunk *chunk, const void *results, void *got);
    void (*finish)(Work *work, const StreamInput *in, void *got);  // reads what stayed on the device; may be null
    // Computes on the CPU what the device does with the bytes from `from` to `to`. A line begins at both, where there
    // is an index. Several threads call it, with ranges of their own: it may write to result only what no other range
    // writes. The rest goes into partial, which merge adds to result.
    void (*cpu)(const StreamInput *in, int pass, size_t from, size_t to, void *result, void *partial);
    void (*merge)(const StreamInput *in, int pass, const void *partial, void *result);
    void (*check)(Work *work, const StreamInput *in, const void *got, const void *want);
} StreamProgram;

#endif
