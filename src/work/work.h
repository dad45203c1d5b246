// work.h: the interface that a workload is written against. A workload is a program with device code, host code and a
// check.
#ifndef WORK_H
#define WORK_H

#include "base/base.h"

#include <onchip.h>

// --- work.c: what a workload sees -----------------------------------------------------------------------------------
// A workload is two files, workloads/<suite>/<name>.cu (device code) and <name>.c (one WORKLOAD at its end). Its run
// function makes the input, launches, and checks the result against a CPU reference written from the definition.
// Every work_* call that can fail makes the run fail and later calls return at once, so that run functions need no
// error paths: work_host returns null only then, and work_ok tells.

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

int64_t work_param(Work *work, const char *name);
int64_t work_param_or(Work *work, const char *name,
                      int64_t otherwise);  // 0 stands for otherwise, which is then reported
// Fails for a value within the parameter's range that can't be run with, as a mistake of who chose it; expected: "a
// multiple of 16".
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
void work_on(Work *work,
             oc_stream *stream);  // where copies, fills and launches go from now on; null: the default stream

// Seeded generators, the same on every host: u32 from a PCG stream, floats in [0, 1).
uint32_t work_random(Work *work);
float work_random_float(Work *work);
float *work_random_floats(Work *work, size_t count, float low, float high);  // an array of them, of [low, high)

// An argument of a launch, by value. ARGS collects them.
typedef struct WorkArg {
    uint32_t bytes;
    union {
        uint64_t u64;
        uint32_t u32;
        int32_t s32;
        float f32;
    } v;
} WorkArg;
static inline WorkArg arg_buf(WorkBuf b) { return (WorkArg){8, {.u64 = b.ptr}}; }
static inline WorkArg arg_u64(uint64_t x) { return (WorkArg){8, {.u64 = x}}; }
static inline WorkArg arg_i32(int64_t x) { return (WorkArg){4, {.s32 = (int32_t)x}}; }
static inline WorkArg arg_f32(float x) { return (WorkArg){4, {.f32 = x}}; }
#define ARGS(...) (const WorkArg[]){__VA_ARGS__}, sizeof((WorkArg[]){__VA_ARGS__}) / sizeof(WorkArg)

void work_launch(Work *work, const char *kernel, oc_dim3 grid, oc_dim3 block, uint32_t smem, const WorkArg *args,
                 size_t count);

// Checks. Integers must be equal; floats must agree within tolerance · max(|want|, floor), where floor is the mean
// magnitude of want. The first differing element is reported. The host link's and the check's time are not simulated.
void work_check_u32(Work *work, const char *what, const uint32_t *got, const uint32_t *want, size_t count);
void work_check_f32(Work *work, const char *what, const float *got, const float *want, size_t count, double tolerance);

// --- stream.c: input larger than the GPU's memory -------------------------------------------------------------------
// A workload that takes its input in chunks fills in a StreamProgram and is a row of stream.def; stream.c runs it in
// the scenarios of S-L1, §4.3, and has the results compared with the CPU's. Whatever the scenario, a chunk's threads
// have an equal share of its elements each: lines if the input has an index of them, else bytes.
typedef struct StreamInput {
    const uint8_t *bytes;  // in host memory
    size_t size;
    const uint32_t *lines;  // of each line STREAM_LINE; null: the input can be cut anywhere
    size_t line_count;
    size_t result_bytes;   // of a result, as the CPU makes it and as the device's are put together; starts as zeros
    size_t partial_bytes;  // of what a thread of the CPU finds, until it is merged; starts as zeros
    void *own;             // the program's
} StreamInput;
// A line in the index: its bytes, of which the program needs `count` from `from` on.
#define STREAM_LINE(bytes, from, count) ((uint32_t)(bytes) | (uint32_t)(from) << 12 | (uint32_t)(count) << 20)
enum { STREAM_LINE_MAX = 4095, STREAM_FROM_MAX = 255 };  // that an index has room for
typedef struct StreamChunk {
    int pass;
    size_t at, bytes;    // of the input
    size_t line, lines;  // the first, and how many
    oc_dim3 grid, block;
    uint32_t threads, each;  // elements of a thread: the last ones may have fewer
    bool assembled;          // data is as compute gets it; else as plain does
    uint32_t unit;           // bytes of a thread that stand together in assembled data
    WorkBuf data, results;
} StreamChunk;
typedef struct StreamProgram {
    const char *workload;  // its name
    int passes;            // over the input
    const char *gather;    // the kernel that lists what a chunk's threads read (workloads/streaming/feed.h)
    uint8_t blank;         // results are filled with it before a chunk; 0: they needn't be
    void (*make)(Work *work, StreamInput *in);
    void (*plain)(Work *work, const StreamInput *in,
                  const StreamChunk *chunk);  // launches on a chunk as it is in the input,
    void (*compute)(Work *work, const StreamInput *in,
                    const StreamChunk *chunk);                        // and on what was assembled for its threads
    size_t (*room)(const StreamInput *in, const StreamChunk *chunk);  // bytes of a chunk's results; null: none
    void (*take)(const StreamInput *in, const StreamChunk *chunk, const void *results,
                 void *got);                                       // in the input's order
    void (*finish)(Work *work, const StreamInput *in, void *got);  // reads what stayed on the device; or null
    // The same on the CPU, from byte `from` to `to`, both where a line begins. Other threads have other ranges: they
    // may write result where nobody else does; merge adds what is in partial.
    void (*cpu)(const StreamInput *in, int pass, size_t from, size_t to, void *result, void *partial);
    void (*merge)(const StreamInput *in, int pass, const void *partial, void *result);
    void (*check)(Work *work, const StreamInput *in, const void *got, const void *want);
} StreamProgram;

#endif
