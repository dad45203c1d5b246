// lab.h: experiments. A workload is a program with device code, host code and a check; the lab runs it on a device.
#ifndef LAB_H
#define LAB_H

#include <onchip.h>

// --- work.c: what a workload sees -----------------------------------------------------------------------------------
// A workload is two files, workloads/<suite>/<name>.cu (device code) and <name>.c (one WORKLOAD at its end). Its run
// function makes the input, launches, and checks the result against a CPU reference written from the definition.
// Every work_* call that can fail makes the run fail and later calls return at once, so that run functions need no
// error paths: work_host returns null only then, and work_ok tells.

typedef struct Work Work;

typedef struct WorkParam {
    const char *name;      // as on the command line, "nx"
    const char *doc;       // one sentence, with unit and range
    int64_t small;         // value under --size small: a run of well under a second
    int64_t standard;      // the default: the source's standard size
    int64_t min, max;
} WorkParam;

typedef struct Workload {
    const char *name;              // "atax"
    const char *suite;             // "polybench"
    const char *doc;               // one sentence: what it computes and where the definition is from
    const WorkParam *params;       // ended by a null name
    void (*run)(Work *work);
} Workload;

typedef struct WorkBuf {
    oc_ptr ptr;
    size_t bytes;
} WorkBuf;

int64_t work_param(Work *work, const char *name);
bool work_ok(const Work *work);
void work_fail(Work *work, const char *format, ...) __attribute__((format(printf, 2, 3)));

void *work_host(Work *work, size_t bytes);                                   // zeroed; freed with the run
WorkBuf work_device(Work *work, const char *label, size_t bytes);            // device memory, zeroed
WorkBuf work_upload(Work *work, const char *label, const void *host, size_t bytes);  // device memory with a copy of host
void work_write(Work *work, WorkBuf to, const void *from, size_t bytes);
void work_read(Work *work, void *to, WorkBuf from, size_t bytes);

// Seeded generators, the same on every host: u32 from a PCG stream, floats in [0, 1).
uint32_t work_random(Work *work);
float work_random_float(Work *work);

// An argument of a launch, by value. ARGS collects them.
typedef struct WorkArg {
    uint32_t bytes;
    union { uint64_t u64; uint32_t u32; int32_t s32; float f32; double f64; } v;
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
// magnitude of want. The first differing element is reported. The host link's and the check's time are not simulated.
void work_check_u32(Work *work, const char *what, const uint32_t *got, const uint32_t *want, size_t count);
void work_check_f32(Work *work, const char *what, const float *got, const float *want, size_t count, double tolerance);
void work_check_f64(Work *work, const char *what, const double *got, const double *want, size_t count, double tolerance);

// --- workloads.gen.c: the registry, generated from workloads/*/ -------------------------------------------------------
typedef struct WorkloadEntry {
    const Workload *workload;
    const char *ptx;
    size_t ptx_bytes;
} WorkloadEntry;
extern const WorkloadEntry workload_table[];
extern const size_t workload_count;

// --- work.c: a workload on a device --------------------------------------------------------------------------------------
const WorkloadEntry *workload_find(const char *name);    // "atax", or "polybench/atax" where a bare name is ambiguous
typedef struct WorkOptions {
    bool small;                        // --size small
    const char *const *params;         // "nx=1024", null-terminated; may be null
    const char *ptx;                   // a file to take the device code from, instead of what was built in; may be null
} WorkOptions;
typedef struct WorkResult {
    bool verified;                     // the result was checked, and right
    char *error;                       // else what is wrong; released with work_result_free
    oc_status status;                  // OC_OK: the workload ran (its result may still be wrong)
    char *params;                      // as they were used, "nx=1024 ny=1024"
} WorkResult;
// Runs entry on device. False when something failed; the launches that ran are in the device's record.
bool workload_run(oc_device *device, const WorkloadEntry *entry, const WorkOptions *options, WorkResult *result);
void work_result_free(WorkResult *result);

#endif
