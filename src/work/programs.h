// programs.h: programs, and what runs them on a device. A program is a workload, a kernel of a PTX file, or a
// measurement.
#ifndef WORK_PROGRAMS_H
#define WORK_PROGRAMS_H

#include "work/work.h"

// --- workloads.gen.c: the registry, generated from workloads/*/ ------------------------------------------------------
typedef struct WorkloadEntry {
    const Workload *workload;
    const char *ptx;
    size_t ptx_bytes;
} WorkloadEntry;
extern const WorkloadEntry workload_table[];
extern const size_t workload_count;

// --- work.c: a workload on a device ----------------------------------------------------------------------------------
const WorkloadEntry *workload_find(const char *name);  // "atax", or "polybench/atax" where a bare name is ambiguous
const char *workload_near(const char *name);           // the workload's name that is nearest to it, or null
typedef struct WorkOptions {
    bool small;                 // --size small
    const char *const *params;  // "nx=1024", null-terminated; may be null
    const int64_t *values;      // what workload_params gave, for who called it already; may be null
    const char *ptx;            // a file to take the device code from, instead of what was built in; may be null
    const Text *text;           // what that file has, for who read it already; may be null
    void (*run)(Work *work, void *user);  // in place of the workload's own; may be null
    void *user;
} WorkOptions;
typedef struct WorkResult {
    bool verified;     // the result was checked, and right
    char *error;       // else what is wrong; released with work_result_free
    oc_status status;  // OC_OK: the workload ran (its result may still be wrong)
    char *params;      // as they were used, "nx=1024 ny=1024"
} WorkResult;
enum { MAX_PARAMS = 32 };  // of a workload
// The parameters that options give it: values in the order of its table, and as text, "nx=1024 ny=1024". False, with
// the reason in error, when there is no such parameter or a value is out of its range.
bool workload_params(const WorkloadEntry *entry, const WorkOptions *options, int64_t *values, Text *params,
                     Text *error);
// Runs entry on device. False when something failed; the launches that ran are in the device's record.
bool workload_run(oc_device *device, const WorkloadEntry *entry, const WorkOptions *options, WorkResult *result);
void work_result_free(WorkResult *result);

// --- stream.c: the scenarios of input larger than the GPU's memory ---------------------------------------------------
typedef enum Scenario {
    SCENARIO_CPU,        // threads of this host's CPU: real time, whatever the device
    SCENARIO_SINGLE,     // one chunk buffer: copied, then computed on
    SCENARIO_DOUBLE,     // two: one is copied while the other is computed on
    SCENARIO_BIGKERNEL,  // what threads read is listed by the device, assembled by the CPU, copied, computed on
    SCENARIO_SL1,        // that, with the software L1
    SCENARIOS
} Scenario;
extern const char *const scenario_names[SCENARIOS + 1];  // "single"; ended by null
typedef enum StreamStage { STAGE_GATHER, STAGE_ASSEMBLE, STAGE_TRANSFER, STAGE_COMPUTE, STREAM_STAGES } StreamStage;
typedef struct StreamOptions {
    Scenario scenario;
    size_t chunk;               // bytes of the input at a time
    uint32_t buffers;           // chunks under way of BigKernel, 1 or more
    uint32_t unit;              // StreamChunk.unit: a power of two; 0: 4, and 16 with the software L1
    uint32_t threshold;         // of the software L1: accesses of a thread before it is chosen; 0: its own
    const char *const *params;  // the workload's
} StreamOptions;
typedef struct StreamReport {
    double seconds;  // the device's, simulated or real; of SCENARIO_CPU this host's
    double host_serial,
        host_parallel;  // on one and on all of this host's processors, real time; parallel: of SCENARIO_CPU only
    uint32_t processors;
    double stage[STREAM_STAGES];  // seconds a stage was worked on; on a real device also those it waited for its engine
    uint64_t input, to_device, to_host, buffers;  // bytes: of the input, copied, of device memory for chunks
    size_t chunks;
} StreamReport;
extern const StreamProgram *const stream_programs[];  // ended by null, as their names
extern const char *const stream_names[];
bool stream_run(oc_device *device, const StreamProgram *program, const StreamOptions *options, StreamReport *report,
                WorkResult *result);

// --- file.c: a kernel of a bare PTX file -----------------------------------------------------------------------------
typedef VEC(const char *) TextList;
typedef struct FileRun {  // a file's only kernel, grid 1, block 32, no shared memory, unless something else is set
    const char *path, *kernel;  // kernel null: its only one
    const Text *text;           // what the file has, for who read it already; may be null
    oc_dim3 grid, block;
    uint32_t smem;
    TextList args;   // "i32:7", "buf:4KiB:rand:f32"
    bool rewritten;  // with the software L1: kernels that it adds aren't the file's
} FileRun;
FileRun file_run(const char *path);
// Sets what has this name on the command line: kernel, grid, block or smem, from a text that stays the caller's. False,
// with the reason, when it has another form.
bool file_set(FileRun *run, const char *name, const char *value, Text *error);
typedef struct FileBuffer {
    const char *name;  // the parameter's
    oc_ptr ptr;        // 0: the argument is a value
    size_t bytes;
} FileBuffer;
typedef struct FileLaunch {
    oc_device *device;
    oc_kernel *kernel;
    oc_kernel_info info;
    oc_dim3 grid, block;
    uint32_t smem;
    Arena arena;
    void **values;        // of the arguments
    FileBuffer *buffers;  // one for each argument
} FileLaunch;
// For file.c and argument.c: adds the reason to error, and returns status.
oc_status file_fail(Text *error, oc_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Loads the file, finds the kernel, makes its arguments. OC_BAD_ARGUMENT: what was asked for is wrong; error says why.
oc_status file_prepare(oc_device *d, const FileRun *run, FileLaunch *l, Text *error);
oc_status file_launch(FileLaunch *l, Text *error);
void file_free(FileLaunch *l);
// A run described as a cell's parameters are: kernel=, grid=, block=, smem=, and args= with all arguments between
// blanks. Texts go to arena; false, with the reason, for any other name. run->args is released with vec_free.
bool file_options(FileRun *run, const char *path, const char *const *params, Arena *arena, Text *error);

// --- argument.c: an argument of a kernel from a text -----------------------------------------------------------------
// Makes the value of the parameter at index: "i32:7", "f32:1.5", "hex:00ff" (all bytes of an array or a structure), or
// a buffer in the device's memory, "buf:4KiB:rand:f32". value has room for the parameter. OC_BAD_ARGUMENT: the text
// isn't of the parameter's type, or malformed.
oc_status argument_make(oc_device *d, const char *text, const oc_kernel_info *info, size_t index, void *value,
                        FileBuffer *buffer, Text *error);
// Are there as many arguments as parameters?
oc_status argument_count(const oc_kernel_info *info, const char *const *given, size_t n, Text *error);
const char *argument_name(const oc_kernel_info *info, size_t index);  // of a parameter, without its kernel's
char *argument_params(const oc_kernel_info *info);  // "n (.u32), x (.u64)", for messages; released with mem_free

// --- measure.c: the programs of the verb probe: measurements of src/probe --------------------------------------------
// What is measured has a name with its unit, "shared.latency_cycles"; a point of a curve has its place behind it, a
// list of settings: "shared.stride_cycles[stride=2]".
typedef struct Finding {
    char *name, *text;  // text: why there is no value; null: there is one
    double value;
} Finding;
typedef struct Findings {
    VEC(Finding) all;
    Map names;
} Findings;
void findings_put(Findings *f, const char *name, const char *place, double value);
void findings_put_text(Findings *f, const char *name, const char *place, const char *text);
void findings_free(Findings *f);
typedef struct MeasureParam {
    const char *name;
    double otherwise, min, max;  // otherwise: where it isn't given
    const char *const *names;    // of the values 0, 1, …, ended by null; or null
} MeasureParam;
enum { MEASURE_PARAMS = 10 };  // of a measurement, at most
typedef struct Measurement {
    const char *name;
    int version;  // part of the key: raised when the same device gives other values
    bool (*run)(oc_device *device, const double *params, Findings *found, Diag *diag);
    MeasureParam params[MEASURE_PARAMS + 1];  // ended by a null name
} Measurement;
const Measurement *measurement_find(const char *name);
// Its parameters as a cell gives them, also as text, "scale=0.5". False, with the reason and which of them is *wrong.
bool measurement_params(const Measurement *m, const char *const *given, double values[MEASURE_PARAMS], Text *params,
                        const char **wrong, Diag *diag);
bool measurement_unknown(const char *name, Diag *diag);  // tells which there are

// --- soft_l1.c: the software L1 on a device --------------------------------------------------------------------------
struct Sl1Options;
typedef struct SoftL1 SoftL1;
// From now on modules are rewritten when the device loads them, and launches get the rewritten kernels where there is
// room for lines. Close it before the device.
SoftL1 *soft_l1_open(oc_device *device, const struct Sl1Options *options);
// Data structures in the main loops of a launched kernel that has a rewritten form, whichever was launched: of the one
// with most.
uint32_t soft_l1_structures(const SoftL1 *s);
// Registers of a thread that a rewritten kernel that was launched has beyond its original's: of the one with most.
uint32_t soft_l1_registers(const SoftL1 *s);
bool soft_l1_made(const char *kernel);  // by its name: it is a rewritten one
void soft_l1_close(SoftL1 *s);

#endif
