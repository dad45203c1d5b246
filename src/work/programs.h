// programs.h: the programs that onchip can run on a device. A program is a workload, a kernel of a PTX file, or a
// measurement.
#ifndef WORK_PROGRAMS_H
#define WORK_PROGRAMS_H

#include "driver/fatbin.h"
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
// Finds a workload by its name, "atax", or by suite and name, "polybench/atax". Null: no workload has the name, or
// several suites have one, and work.c doesn't say which of them the name alone means.
const WorkloadEntry *workload_find(const char *name);
void workload_name(const Workload *workload, Text *name);  // the shortest name that workload_find finds it by
const char *workload_near(const char *name);               // the workload's name that is nearest to it, or null
typedef struct WorkOptions {
    bool small;                           // --size small
    const char *const *params;            // "nx=1024"; the list ends with null, and may be null
    const int64_t *values;                // what workload_params gave; null: params are read
    const char *ptx;                      // a file with device code that replaces the built-in one; may be null
    const Text *text;                     // that file's contents; null: the file is read
    void (*run)(Work *work, void *user);  // replaces the workload's own run function; may be null
    void *user;
} WorkOptions;
typedef struct WorkResult {
    bool verified;     // the result was checked, and it is right
    char *error;       // what is wrong; null when verified; released with work_result_free
    oc_status status;  // OC_OK: the workload ran (its result may still be wrong)
    char *params;      // the parameters that were used, "nx=1024 ny=1024"; null: they couldn't be read
} WorkResult;
enum { MAX_PARAMS = 32 };  // of a workload
// Reads the workload's parameters from options. values gets them in the order of the workload's table (room for
// MAX_PARAMS), params as text, "nx=1024 ny=1024". False, with the reason in error, when a name is unknown or a value is
// out of its range.
bool workload_params(const WorkloadEntry *entry, const WorkOptions *options, int64_t *values, Text *params, Diag *diag);
// Registers of a thread, as the workload's paper counts them (registers.def); 0: it doesn't.
uint32_t workload_registers(const WorkloadEntry *entry);
// Runs entry on device and frees the memory that it took. False when something failed or the result is wrong; result
// says what. The launches that ran are in the device's record.
bool workload_run(oc_device *device, const WorkloadEntry *entry, const WorkOptions *options, WorkResult *result);
void work_result_free(WorkResult *result);

// --- scenario.c: the scenarios of input larger than the GPU's memory -------------------------------------------------
typedef enum Scenario {
    SCENARIO_CPU,        // threads of the host's CPU do the work; its time is real, whatever the device
    SCENARIO_SINGLE,     // one buffer: a chunk is copied, then computed on
    SCENARIO_DOUBLE,     // two buffers: a chunk is copied while the device computes on the one before
    SCENARIO_BIGKERNEL,  // the device lists the bytes that its threads will read; the CPU assembles and copies those
    SCENARIO_SL1,        // BigKernel with the software L1
    SCENARIOS
} Scenario;
extern const char *const scenario_names[SCENARIOS + 1];  // "single"; ended by null
typedef enum StreamStage { STAGE_GATHER, STAGE_ASSEMBLE, STAGE_TRANSFER, STAGE_COMPUTE, STREAM_STAGES } StreamStage;
typedef struct StreamOptions {
    Scenario scenario;
    size_t chunk;               // bytes of input in a chunk, at most
    uint32_t buffers;           // chunks that BigKernel has under way at a time, 1 or more
    uint32_t unit;              // StreamChunk.unit, a power of two; 0: 4 bytes, with the software L1 16
    uint32_t threshold;         // accesses of a thread before the software L1 chooses; 0: that of sl1_defaults
    const char *const *params;  // the workload's, "size=1966080"; the list ends with null, and may be null
} StreamOptions;
typedef struct StreamReport {
    double seconds;               // the device's time, simulated or real; in SCENARIO_CPU the host's real time
    double host_serial;           // real seconds on one processor of the host
    double host_parallel;         // real seconds on all of its processors; in SCENARIO_CPU only
    uint32_t processors;          // of the host that this process may use
    double stage[STREAM_STAGES];  // seconds of work in a stage; on a real device its waiting for an engine counts too
    uint64_t input;               // bytes of the whole input
    uint64_t to_device, to_host;  // bytes that were copied
    uint64_t buffers;             // bytes of device memory that hold chunks and what belongs to them
    size_t chunks;                // of one pass over the input
} StreamReport;
extern const StreamProgram *const stream_programs[];  // ends with null
extern const char *const stream_names[];              // their names in the same order; ends with null
// Runs program in a scenario. The CPU's result is computed too, and both are compared. False as with workload_run.
bool stream_run(oc_device *device, const StreamProgram *program, const StreamOptions *options, StreamReport *report,
                WorkResult *result);

// --- bare.c: a kernel of a bare PTX file -----------------------------------------------------------------------------
typedef VEC(const char *) TextList;
typedef struct FileRun {
    const char *path;
    const char *kernel;  // its name; null: the file has only one
    const Text *text;    // the file's contents; null: the file is read
    Target target;       // which PTX of several is taken; capability 0: the one that fits the GPU best
    oc_dim3 grid, block;
    uint32_t smem;            // dynamic shared memory of a block, bytes
    TextList args;            // "i32:7", "buf:4KiB:rand:f32"
    TextList names;           // of the first parameters, in place of the PTX'; may be empty
    bool rewritten;           // the software L1 adds kernels to the module: those can't be chosen
    const char *script;       // an argument file, which says kernels, shapes and arguments; null: there is none
    const Text *script_text;  // its contents; null: it is read
} FileRun;
// A run of the file's only kernel with grid 1, block 32 and no dynamic shared memory.
FileRun file_run(const char *path);
// Sets kernel, grid, block or smem, whichever is name, from value as the command line has it. value stays the caller's
// and must outlive run. False, with the reason, when value is malformed.
bool file_set(FileRun *run, const char *name, const char *value, Diag *diag);
typedef struct FileBuffer {
    const char *name;  // of the parameter
    oc_ptr ptr;        // of device memory; 0: the argument is a value, not a buffer, or lies in shared memory
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
// For bare.c and argument.c: adds the reason to error, and returns status.
oc_status file_fail(Diag *diag, oc_status status, const char *format, ...) __attribute__((format(printf, 3, 4)));
// Loads the file, finds the kernel and makes its arguments. Whatever it returns, file_free releases l. OC_BAD_FILE: the
// file can't be read or isn't PTX. OC_UNSUPPORTED: the kernel can't run. OC_BAD_ARGUMENT: run asks for what isn't there
// or doesn't fit.
oc_status file_prepare(oc_device *d, const FileRun *run, FileLaunch *l, Diag *diag);
oc_status file_launch(FileLaunch *l, Diag *diag);
// The steps of file_prepare: the PTX of the file, for that device; its module; the kernel that run names; its
// arguments, for which l has the device and the shape.
oc_status file_ptx(const oc_device *d, const FileRun *run, Text *ptx, Diag *diag);
oc_status file_load(oc_device *d, const FileRun *run, const Text *ptx, oc_module **module, Diag *diag);
oc_status file_choose(const FileRun *run, oc_module *module, oc_kernel **kernel, Diag *diag);
oc_status file_arguments(const FileRun *run, oc_kernel *kernel, FileLaunch *l, Diag *diag);
void file_free(FileLaunch *l);
// Makes run from the parameters of a cell: "kernel=", "grid=", "block=", "smem=", and "args=" with all arguments, each
// a word; or "args=@FILE" alone, an argument file. Arguments are copied into arena. False, with the reason, for another
// name or a malformed value. The caller releases run->args with vec_free.
bool file_options(FileRun *run, const char *path, const char *const *params, Arena *arena, Diag *diag);

// --- script.c: several kernels of a file, from an argument file ------------------------------------------------------
typedef struct Script {
    Arena arena;
    Ini ini;
    VEC(FileBuffer) buffers;  // in the order of the file
    bool filled;              // all have their addresses
} Script;
// Reads run's argument file, makes its buffers, and runs its launches one after the other: kernels of run's file.
// Whatever it returns, script_free releases the script.
oc_status script_run(oc_device *d, const FileRun *run, Script *script, Diag *diag);
// Adds the files that an argument file of this text fills buffers from. Names are copied into arena. A malformed text
// has none: script_run says what is wrong.
void script_files(const char *path, const Text *text, Arena *arena, TextList *files);
void script_free(Script *script);

// --- words.c: words between blanks, and lists of values between commas -----------------------------------------------
// A text in quotes is one word, "my file.ptx", and two quotes in it are one.
size_t word_length(const char *p);                       // of the word at p: bytes up to a blank outside of quotes
void word_plain(Text *out, const char *word, size_t n);  // adds the n bytes of a word without its quotes
// Finds the next word of a line, moves *line behind it, and makes plain of it. False: there is none.
bool word_next(const char **line, Text *plain);
void word_quoted(Text *out, const char *text);  // adds a text as one word, in quotes where it needs them
typedef struct ListValue {
    const char *at;     // in the list; without the blanks around the value, and without its braces
    size_t n;           // its bytes
    const char *wrong;  // what is wrong at the place `at`: "'{' without '}'"; null: nothing
} ListValue;
// Finds the next value of a list such as "16KiB,{32,8}", and moves *list behind it: behind the last value *list becomes
// null. A value with commas stands in braces or in quotes. False when *list is null.
bool list_next(const char **list, ListValue *v);

// --- argument.c: an argument of a kernel from a text -----------------------------------------------------------------
typedef enum ArgumentKind {  // what the source says of a parameter
    ARGUMENT_UNKNOWN,        // nothing
    ARGUMENT_INTEGER,
    ARGUMENT_FLOAT,
    ARGUMENT_POINTER,
    ARGUMENT_BYTES,  // none of these
} ArgumentKind;
ArgumentKind argument_kind(const char *word);  // "integer" and the like
// Makes the argument for the parameter at index from text: a number, "i32:7" or "f32:1.5", or without its type where
// the source says that the parameter is a number; the bytes of an array or a structure, "hex:00ff"; or a buffer in the
// device's memory, "buf:4KiB:rand:f32". value has room for the parameter and gets its bytes. OC_BAD_ARGUMENT: the text
// is malformed or isn't of the parameter's type.
oc_status argument_make(oc_device *d, const char *text, const oc_kernel_info *info, size_t index, ArgumentKind kind,
                        void *value, FileBuffer *buffer, uint32_t *smem,
                        Diag *diag);  // smem: dynamic shared memory, may grow
// Makes a buffer with b's name from "4KiB:rand:f32" or "@FILE"; index: tells its random numbers from those of others.
oc_status argument_buffer(oc_device *d, const char *text, size_t index, FileBuffer *b, Diag *diag);
// Reads a number, "f32:1.5", as its bytes. False: it is none, or doesn't fit its type.
bool argument_number(const char *text, uint8_t value[8], uint32_t *bytes);
// OC_OK when the kernel has n parameters; else OC_BAD_ARGUMENT, with the reason.
oc_status argument_count(const oc_kernel_info *info, const char *const *given, size_t n, Diag *diag);
const char *argument_name(const oc_kernel_info *info,
                          size_t index);            // a parameter's name without the kernel's in front
char *argument_params(const oc_kernel_info *info);  // "n (.u32), x (.u64)", for messages; released with mem_free

// --- measure.c: measurements of src/probe as programs of the verb probe ----------------------------------------------
// A finding is a named number. The name ends with the unit: "shared.latency_cycles". A point of a curve has its place
// behind the name, a list of settings: "shared.stride_cycles[stride=2]".
typedef struct Finding {
    char *name;
    char *text;    // the reason why there is no value; null: there is a value
    double value;  // 0 where there is none
} Finding;
typedef struct Findings {
    VEC(Finding) all;
    Map names;
} Findings;
// Both copy their texts. place: "stride=2"; empty: name isn't a curve. Of several findings of one name the first stays.
void findings_put(Findings *f, const char *name, const char *place, double value);
void findings_put_text(Findings *f, const char *name, const char *place, const char *text);
void findings_free(Findings *f);
typedef struct MeasureParam {
    const char *name;
    double otherwise;          // the default
    double min, max;           // the range, both included
    const char *const *names;  // names of the values 0, 1, …, ended by null; null: the values are numbers
} MeasureParam;
enum { MEASURE_PARAMS = 10 };  // of a measurement, at most
typedef struct Measurement {
    const char *name;
    int version;  // part of a stored run's key: raised when the same device gives other values than before
    bool (*run)(oc_device *device, const double *params, Findings *found, Diag *diag);
    MeasureParam params[MEASURE_PARAMS + 1];  // ended by a null name
} Measurement;
const Measurement *measurement_find(const char *name);  // null: there is none
// Reads the parameters that a cell gives, "scale=0.5", into values, in the order of m->params, and all of them as text
// into params. False, with the reason, when one is unknown or out of range: *wrong is that one.
bool measurement_params(const Measurement *m, const char *const *given, double values[MEASURE_PARAMS], Text *params,
                        const char **wrong, Diag *diag);
bool measurement_unknown(const char *name, Diag *diag);  // an error that lists the measurements; always false

// --- soft_l1.c: the software L1 on a device --------------------------------------------------------------------------
struct Sl1Options;
typedef struct SoftL1 SoftL1;
// From now on the device rewrites each module that it loads. A launch gets the rewritten kernel where shared memory has
// room for lines. Close it before the device.
SoftL1 *soft_l1_open(oc_device *device, const struct Sl1Options *options);
// The launched kernels that have a rewritten form count, whichever form ran. Returns the most data structures that the
// main loops of one of them have.
uint32_t soft_l1_structures(const SoftL1 *s);
// A rewritten kernel may need more registers for a thread than its original. Returns the most that it needed more,
// among the rewritten kernels that were launched.
uint32_t soft_l1_registers(const SoftL1 *s);
// A kernel that was rewritten under an assumption (sl1_silent), or null.
const char *soft_l1_silent(const SoftL1 *s);
bool soft_l1_made(const char *kernel);  // its name tells: the software L1 wrote this kernel
void soft_l1_close(SoftL1 *s);

#endif
