// lab.h: experiments. A workload is a program with device code, host code and a check; a cell is one run of a program
// on a described GPU; a matrix is many of them; a sweep runs those of a matrix that the store doesn't have yet.
#ifndef LAB_H
#define LAB_H

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
typedef struct WorkOptions {
    bool small;                 // --size small
    const char *const *params;  // "nx=1024", null-terminated; may be null
    const char *ptx;            // a file to take the device code from, instead of what was built in; may be null
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
uint64_t work_moved(const Work *work, bool to_device);  // bytes copied so far
void work_good(Work *work, oc_status status);           // fails with the device's error unless it is OC_OK

// --- stream.c, assemble.c: the scenarios -----------------------------------------------------------------------------
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
// Of lists of what threads read of a chunk: a thread's is every threads-th word, where it begins, then pairs of bytes
// to skip (high half) and to take, then 0. measure gives the bytes of what will be assembled, and its head; crew may be
// null.
struct Crew;
size_t assemble_head(uint32_t threads);  // bytes
size_t assemble_measure(struct Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, uint32_t *head);
void assemble(struct Crew *crew, const uint32_t *lists, uint32_t threads, uint32_t unit, const uint8_t *chunk,
              uint32_t *head, uint8_t *feed);

// --- file.c: a kernel of a bare PTX file -----------------------------------------------------------------------------
typedef VEC(const char *) TextList;
typedef struct FileRun {  // as on the command line; null: its only kernel, grid 1, block 32, no shared memory
    const char *path, *kernel, *grid, *block, *smem;
    TextList args;   // "i32:7", "buf:4KiB:rand:f32"
    bool rewritten;  // with the software L1: kernels that it adds aren't the file's
} FileRun;
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

// --- cell.c: one run, and the key it is stored under -----------------------------------------------------------------
// What determines a run's result. Lists end with a null pointer and may be null; texts belong to the caller.
typedef struct Cell {
    const char *verb;           // "run", "probe"
    const char *program;        // a workload, or a PTX file: a name that ends in .ptx; of the verb probe a measurement
    const char *gpu;            // a description's name or file
    const char *const *params;  // "nx=64"
    const char *const *sets;    // "l1.size=16KiB"
    const char *ptx;            // a file with the workload's device code; null: what is built in
    const char *sl1;            // the software L1: "yes", or settings between +, "line=8+decide=thread"; null: none
    const char *kernels;        // only these are timed (POSIX extended regular expression); null: all
    uint64_t skip, max_cycles, interval;
    bool small, functional, no_lowering;
    const char *const *labels;  // "l1.size=16KiB": its values on the axes of its matrix; no part of the key
} Cell;
enum { KEY_DIGITS = 32 };
// A cell as the store knows it; owned texts, released with identity_free.
typedef struct Identity {
    char key[KEY_DIGITS + 1];  // hexadecimal: XXH128 of all that determines the result
    char *program, *params, *gpu, *overrides, *options;
    const char *wrong;  // of a cell that can't run: which of its texts; null: not known
    bool wrong_name;    // and there its name
} Identity;
// Identities of many cells share what they have in common: descriptions are read and device code is hashed once.
typedef struct Identities Identities;
Identities *identities_open(void);
void identities_close(Identities *ids);
bool cell_is_file(const Cell *cell);   // its program is a PTX file
bool cell_is_probe(const Cell *cell);  // its program is a measurement
// False, with the reason, when a cell can't run: no such verb, program or description, a parameter out of range.
bool identify(Identities *ids, const Cell *cell, Identity *id, Diag *diag);
void identity_free(Identity *id);
// The next setting of a list as an identity has them, "nx=64 ny=64"; *list moves behind it. False at the end.
bool setting_next(const char **list, Text *name, Text *value);
const char *setting_name(const char *name);  // "sched" is short for "sched.policy"

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
// measure_stream.c: a program in a scenario of stream.c. Its parameters' places:
enum {
    STREAM_APP,
    STREAM_SCENARIO,
    STREAM_BYTES,
    STREAM_CHUNK,
    STREAM_BLOCKS,
    STREAM_THREADS,
    STREAM_BUFFERS,
    STREAM_UNIT,
    STREAM_THRESHOLD
};
bool measure_bigkernel(oc_device *device, const double *params, Findings *found, Diag *diag);
const Measurement *measurement_find(const char *name);
// Its parameters as a cell gives them, also as text, "scale=0.5". False, with the reason and which of them is *wrong.
bool measurement_params(const Measurement *m, const char *const *given, double values[MEASURE_PARAMS], Text *params,
                        const char **wrong, Diag *diag);
bool measurement_unknown(const char *name, Diag *diag);  // tells which there are

// --- matrix.c: products of cells -------------------------------------------------------------------------------------
// An axis has a name and values. Names: verb, program, measure (a program of the verb probe), gpu, sched, size (small,
// standard), ptx, sl1 (no, yes or settings), kernels, skip, max-cycles, interval, functional, lowering (yes, no); one
// with a dot is a key of the description; any other a parameter of the program. A value of program or measure may have
// parameters of its own behind it: "atax nx=64". A value of `with` is several at once, with a label in front: "large:
// l1.size=48KiB shared.size=16KiB". Values stand between commas; one with commas in it is put in braces.
typedef struct Axis {
    const char *name;
    VEC(const char *) values;
} Axis;
typedef struct Origin {    // of a text in a file, for diagnostics
    const Source *source;  // null: it is from a command line
    size_t at, name_at;    // of the value, and of the name it was given
} Origin;
typedef struct Matrix {
    Arena arena;  // of all texts and lists
    VEC(Origin) origins;
    Map by_text;     // the address of a cell's text → place in origins
    VEC(Axis) axes;  // of the product that is being built
    VEC(Cell) cells;
    uint64_t most;  // cells; 0: MOST_CELLS
} Matrix;
enum { MOST_CELLS = 1000000 };                                                  // a cell takes about 1 KiB
bool matrix_axis(Matrix *m, const char *name, const char *values, Diag *diag);  // replaces an axis of the same name
bool matrix_pair(Matrix *m, const char *text, Diag *diag);  // an axis as it is written: "l1.size=16KiB,48KiB"
bool matrix_product(Matrix *m, Diag *diag);  // adds the cells of the axes, last axis fastest, and forgets the axes
// Sections [KIND] or [KIND NAME] are products: the matrix is their union. A sweep's KIND is "matrix".
bool matrix_take(Matrix *m, const Ini *ini, const char *kind, Diag *diag);
bool matrix_read(Matrix *m, const char *path, Diag *diag);
// identify() for a cell of m; what is wrong is shown where it was written.
bool matrix_identify(const Matrix *m, Identities *ids, const Cell *cell, Identity *id, Diag *diag);
void matrix_free(Matrix *m);

// --- sums.c: a kernel's launches as one ------------------------------------------------------------------------------
typedef struct RunStructure {
    const char *name;
    uint64_t loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes;
} RunStructure;
typedef struct LaunchSum {
    const struct Record *first;    // whose grid, block and occupancy are shown
    uint64_t launches, *count;     // count: by Counter
    VEC(RunStructure) structures;  // that the launches accessed; those of one name are one
    struct InstStat *inst;         // of first->code; null: none
    bool partial;                  // one of them is
    double seconds;
    VEC(uint64_t) samples;  // those of all launches one after the other
} LaunchSum;
typedef VEC(LaunchSum) LaunchSums;
// The launches of a device, in the order of each kernel's first; timed ones and others are apart.
void launches_sum(const oc_device *d, LaunchSums *out);
void launches_free(LaunchSums *sums);

// --- store.c: results that are kept ----------------------------------------------------------------------------------
typedef struct SchemaFile {
    const char *name, *text;  // "1": the statements that make version 1 of a store of version 0
    size_t size;
} SchemaFile;
extern const SchemaFile schema_files[];  // schema/*.sql, generated
extern const size_t schema_file_count;
typedef struct Store Store;
// path: null is the default, onchip/results.db under $XDG_DATA_HOME or ~/.local/share; ":memory:" is a store that is
// lost when closed. Folders and file are made where they lack; an older store is brought up to date.
Store *store_open(const char *path, Diag *diag);
// One that is there, for reading; also where nothing can be written.
Store *store_read(const char *path, Diag *diag);
void store_close(Store *s);
const char *store_path(const Store *s);
typedef enum Stored { STORED_NOT, STORED_DONE, STORED_FAILED } Stored;
Stored store_find(Store *s, const char *key);
// What a run of the same program with the same parameters took, on whatever GPU: host seconds and bytes; false:
// unknown.
bool store_estimate(Store *s, const Identity *id, double *seconds, double *bytes);
typedef struct RunOutcome {
    const oc_device *device;  // what ran; null when nothing did
    const char *error;        // null when the run is done
    bool verified;
    const Findings *findings;  // null: none
    double wall_seconds;
    uint64_t memory_bytes;
} RunOutcome;
bool store_put(Store *s, const Cell *cell, const Identity *id, const RunOutcome *outcome, Diag *diag);
typedef struct MergeCount {
    uint64_t added, known;
} MergeCount;
// Takes over the runs that s lacks, or has as failed while the other has them done or failed later.
bool store_merge(Store *s, const char *path, MergeCount *count, Diag *diag);
bool store_absorb(Store *s, const void *bytes, size_t size, MergeCount *count,
                  Diag *diag);              // a store as store_bytes gave it
void *store_bytes(Store *s, size_t *size);  // the whole store; released with mem_free
struct sqlite3 *store_sqlite(Store *s);     // for queries

// --- query.c: stored runs as rows ------------------------------------------------------------------------------------
typedef struct Filter {        // null: any
    const char *const *keys;   // beginnings of keys, null-terminated
    const char *const *where;  // "name=value", null-terminated: a setting or a column of run; an empty value: not set
    const char *program, *gpu, *model;  // model: a number, or "old": any but this program's
    bool failed;
} Filter;
typedef VEC(int64_t) RunIds;
// Ids of the runs that a filter lets through, ordered by program, parameters, description, overrides, options and
// model.
bool store_select(Store *s, const Filter *filter, RunIds *ids, Diag *diag);
// Deletes them; ids may be a selection's.
bool store_delete(Store *s, const RunIds *ids, Diag *diag);

typedef struct Datum {
    enum { DATUM_NONE, DATUM_INT, DATUM_REAL, DATUM_TEXT } kind;
    int64_t whole;
    double real;
    const char *text;
} Datum;
// The runs of a selection one after the other, with what a column's name stands for, in this order: a counter (summed
// over kernels) or rate (of the sums), a column of run, with kernels one of kernel (its name is "kernel"), a setting, a
// measure. "setting.NAME" and "measure.NAME" say which. Rates are of timed kernels alone.
typedef struct Rows Rows;
// kernels: a row for each kernel; a run without kernels has one row. Null, with the reason, when a column is unknown.
Rows *rows_open(Store *s, const RunIds *ids, const char *const *columns, size_t n, bool kernels, Diag *diag);
bool rows_next(Rows *r, Diag *diag);      // false: at the end, or (diag->failed) the store failed
const Datum *rows_values(const Rows *r);  // of the row, valid until the next
int64_t rows_id(const Rows *r);           // of the row's run
void rows_close(Rows *r);
typedef struct StoredStructure {  // columns of structure
    const char *kernel, *name;
    int64_t loads, stores, atomics, transactions, sectors, l1_accesses, l1_hits, dram_bytes;
} StoredStructure;
typedef VEC(StoredStructure) StoredStructures;
bool store_structures(Store *s, int64_t run, Arena *arena, StoredStructures *out, Diag *diag);
bool datum_number(const Datum *v, double *out);  // false: it isn't a number
void datum_text(const Datum *v, Text *out);      // as it is written in CSV and on the terminal; reals to the last digit

// --- compare.c: runs in pairs ----------------------------------------------------------------------------------------
// Two selections, of one store or two. Runs are a pair when verb, program, parameters, description, overrides and
// options are the same, however they were written; the model may differ, and a later one counts.
typedef struct Side {
    Store *store;
    const RunIds *ids;
} Side;
typedef struct RunPair {
    const char *program, *what;  // what: "nx=64 on gtx480 l1.size=16KiB"
    const char *key[2];
    double value[2];
    bool equal;    // exactly
    double ratio;  // second / first; 0: there is none, since one value is 0 or below
} RunPair;
typedef struct PairMean {         // geometric mean of ratios
    const char *program;          // null: all; over the programs' means when there are several, since a program's
                                  // pairs don't tell of others
    size_t pairs, equal, ratios;  // in the mean: ratios
    double ratio, low, high;      // 95 % confidence interval from the logarithms' Student t; none below two ratios
    bool significant;             // the interval excludes 1
} PairMean;
typedef struct Comparison {
    Arena arena;
    const char *column;  // what is compared
    bool clocks;         // those of some pairs differ
    VEC(RunPair) pairs;
    VEC(PairMean) means;            // a program each, and last that of all
    uint64_t alone[2], without[2];  // runs without partner; without a value (failed)
} Comparison;
// setting: null, or what differs between the sides ("gpu", "l1.size") and so doesn't tell pairs apart. column: null is
// cycles, or seconds (simulated) where clocks differ: then cycles are of different lengths.
bool compare_runs(const Side sides[2], const char *setting, const char *column, Comparison *out, Diag *diag);
void comparison_free(Comparison *c);
bool clocks_differ(const double cycles[2], const double seconds[2]);  // of two runs; false where either isn't known

typedef struct Difference {     // of a counter, a measure, or the status
    const char *kernel, *name;  // kernel: empty, of the run
    const char *text[2];        // "-": not there
    double relative;            // |difference| / the larger of both
} Difference;
typedef VEC(Difference) Differences;
typedef struct Change {  // of a run between two models
    const char *program, *what, *key[2];
    double cycles[2];
    size_t counters;  // that differ
    Difference largest;
} Change;
typedef struct Regression {
    Arena arena;
    VEC(Change) changes;  // largest first
    uint64_t pairs, alone[2];
} Regression;
bool compare_models(const Side sides[2], Regression *out, Diag *diag);
void regression_free(Regression *r);
// Largest first. Counters that only one of the versions of onchip had don't count.
bool compare_two(Store *store[2], const int64_t id[2], Arena *arena, Differences *out, Diag *diag);

// --- export.c: stored runs for other programs; doc/results.md --------------------------------------------------------
enum { EXPORT_VERSION = 1 };  // of the JSON: raised when a field goes or changes its meaning
// Every column that runs of a selection have, with a row for each kernel; texts belong to arena.
typedef VEC(const char *) ColumnNames;
bool export_columns(Store *s, const RunIds *ids, Arena *arena, ColumnNames *out, Diag *diag);
// Rows as CSV (RFC 4180); with tabs between fields and no quotes, a tab or line's end within one as \t or \n; or as
// JSON: an object for each, in the array "rows".
typedef enum ExportForm { EXPORT_CSV, EXPORT_TABS, EXPORT_JSON } ExportForm;
bool export_rows(Store *s, const RunIds *ids, const ColumnNames *columns, bool kernels, ExportForm form, FILE *out,
                 Diag *diag);
// Everything that is stored of the runs, nested: an object for each, in the array "runs".
bool export_runs(Store *s, const RunIds *ids, FILE *out, Diag *diag);

// --- job.c: a run in a process of its own ----------------------------------------------------------------------------
bool verb_known(const char *verb);
// Runs a cell here and puts it into store. False when the store failed; a run that fails is put there as failed.
bool cell_run(const Cell *cell, const Identity *id, Store *store, Diag *diag);
enum { MAX_JOBS = 1024 };  // of a process
typedef struct Job {
    const Cell *cell;  // the caller's, until it is over
    const Identity *id;
    int pid, fd;  // of the child, and its end of the pipe; pid 0: none
    bool over;    // the child has ended, and result is whole
    Text result;  // as much of it as came
} Job;
bool job_start(Job *j, const Cell *cell, const Identity *id, Diag *diag);
// Waits until some of jobs (at most MAX_JOBS) have written or ended, but not longer than that, and takes what came. A
// child that died without a result leaves in it a store with the run as failed.
bool jobs_wait(Job *const *jobs, size_t n, int milliseconds, Diag *diag);
void job_kill(Job *j);

// --- ranks.c: the processes that mpirun or srun started together -----------------------------------------------------
// They send each other messages of bytes, which arrive in order from one rank to another. MPI's functions are in a
// module that is loaded only under mpirun (ranks_mpi.c); a test puts pipes in their place.
typedef enum Heard { HEARD_NOTHING, HEARD_MESSAGE, HEARD_LOSS } Heard;
typedef struct Ranks Ranks;
struct Ranks {
    int rank, size;
    int neighbours;  // ranks on this host, itself among them
    double silence;  // seconds without a message after which a rank counts as lost
    bool (*send)(Ranks *r, int to, const void *bytes,
                 size_t n);                         // copies and doesn't wait; false: there is no way to that rank
    Heard (*poll)(Ranks *r, int *from, size_t *n);  // doesn't wait: a message of n bytes, or a rank that is lost
    void (*take)(Ranks *r, void *bytes);            // the message that poll told of
    void (*close)(Ranks *r);                        // what was sent arrives first
};
// *ranks: null when this process was started alone.
bool ranks_open(Ranks **ranks, Diag *diag);
void ranks_close(Ranks *ranks);  // rank 0 sends the others home

// --- sweep.c: those of a matrix that aren't stored yet ---------------------------------------------------------------
typedef struct Sweep {
    uint64_t cells, distinct;  // of the matrix (this shard's); with different keys
    uint64_t stored, to_run, done, failed, running;
    double seconds, left;  // since the start; estimated to the end, negative: unknown
} Sweep;
typedef struct SweepOptions {
    uint32_t jobs;              // runs at a time; 0: as many as the host has processors. Of a rank; 0: one
    uint64_t memory;            // bytes they may take together on a host; 0: seven eighths of what is available now
    uint32_t shard, shards;     // only cells whose place is shard modulo shards; shards 0: all
    bool retry;                 // failed ones again
    const volatile bool *stop;  // set: no new runs, and the running ones are given up; may be null
    // Called when a run ended and some times a second; may be null.
    void (*progress)(void *user, const Sweep *sweep);
    void *user;
    Ranks *ranks;     // runs go to these too; null: none
    uint64_t number;  // of this sweep, when these ranks have several
} SweepOptions;
// Runs what store lacks of m, longest first as far as its time is known, and keeps each result as it comes. A run that
// fails is kept as failed while the rest goes on. False: a cell can't run at all (nothing was run), or the store
// failed.
bool sweep_run(const Matrix *m, Store *store, const SweepOptions *options, Sweep *sweep, Diag *diag);
typedef struct Room {  // for runs, of this process
    uint32_t jobs;
    double memory;
} Room;
Room sweep_room(const SweepOptions *options);

// --- sweep_ranks.c: what passes between the ranks of a sweep, and what the others do ---------------------------------
typedef enum NoteKind {
    NOTE_BEGIN,  // from rank 0: there is something to run
    NOTE_HELLO,  // to rank 0: the room here; with the version of onchip
    NOTE_RUN,    // from rank 0: the cell at place, if its key is the same there
    NOTE_PART,
    NOTE_RESULT,  // to rank 0: bytes of the result of the cell at place; the last of them
    NOTE_REFUSE,  // to rank 0: with the reason why nothing can run here
    NOTE_LEAVE,   // to rank 0: this rank was told to stop; its runs are free again
    NOTE_ALIVE,   // both ways, every second of a sweep
    NOTE_END,     // from rank 0: the sweep is over; what is still running is given up
    NOTE_HOME,    // from rank 0: and there is no other
    NOTE_LOST,    // isn't sent: the rank is gone
} NoteKind;
typedef struct Note {
    uint32_t kind, jobs;
    uint64_t sweep;  // its number
    uint64_t place;  // in its matrix, which every rank reads for itself
    double memory;
    char key[KEY_DIGITS + 8];
} Note;
bool note_send(Ranks *r, int to, const Note *note, const void *bytes, size_t n);
bool note_next(Ranks *r, int *from, Note *note, Text *bytes);  // replaces bytes; false: there is none
// Seconds that this process was there to listen: what it slept through, suspended with its host, counts little, so that
// the others aren't taken for silent.
typedef struct Awake {
    double at, seconds;
} Awake;
double awake(Awake *a);
// On the other ranks: sweep_called waits for the next sweep and gives its number, negative when there is none any more.
// Only then is the command line to be read. Either sweep_serve runs what rank 0 gives, until the sweep is over (false:
// there is no other); or sweep_refuse says why not.
int64_t sweep_called(Ranks *r);
bool sweep_serve(const Matrix *m, const SweepOptions *options);
void sweep_refuse(const SweepOptions *options, const char *why);

// --- formula.c: arithmetic over named values -------------------------------------------------------------------------
// The value of a name, such as "l1.hits"; false: there is none.
typedef bool FormulaName(void *user, const char *name, double *value);
// Evaluates text. False, with the place, when it isn't a formula or a name is unknown; NaN for a division by zero.
bool formula(const char *text, FormulaName *name, void *user, double *value, Diag *diag);

// --- values.c: what a stored run gave, by name -----------------------------------------------------------------------
// Counters summed over the run's kernels, rates of those sums, what its verb measured, the program's parameters, the
// description's keys, and cycles, launches, seconds (simulated), wall_seconds and occupancy.warps (that an SM has room
// for).
typedef struct Values Values;
typedef VEC(const char *) Places;
Values *values_load(Store *s, const Cell *cell, const Identity *id, Diag *diag);  // null: not stored, or it failed
Values *values_given(const char *list);  // the numbers of a list, "gflops=345.6 gbs=86.4", and no others
bool values_get(void *values, const char *name, double *value);  // a FormulaName
// A name that stands for a curve has a value only at a place of it. values_places gives those of the first curve in a
// formula, "stride=2", numbers in order; values_at says at which place names are looked up (null: none).
void values_places(Values *v, const char *formula, Places *places);
void values_at(Values *v, const char *place);
void values_free(Values *v);

// --- reproduce.c: a figure or table of a paper, ours beside theirs ---------------------------------------------------
// A reproduction is an INI file, reproduce/<paper>/<figure>.ini; doc/reproduce.md describes its sections.
struct Figure;
typedef struct ReproduceFile {
    const char *name, *text;  // "sl1/fig1"
    size_t size;
} ReproduceFile;
extern const ReproduceFile reproduce_files[];  // generated
extern const size_t reproduce_file_count;
typedef struct Point {
    char *x, *series;     // where it is in the figure; series may be empty
    double ours, theirs;  // NaN: none
    double tolerance;     // how far ours may be from theirs, in units of y
    bool single;          // of [values]: x is its name
} Point;
typedef struct Reproduction {
    Ini ini;
    Matrix matrix;
    const char *title, *from, *kind, *x, *series, *y, *unit, *where, *axis, *baseline, *best,
        *note;          // keys of [figure]; null: not given
    bool several;       // [series] has the formulas: one for each series
    bool absent;        // it has other sizes than this, and no runs
    VEC(Point) points;  // series by series, x in the matrix's order
    size_t missing;     // runs that failed
} Reproduction;
// size: one of reproduce_sizes, which choose among the sections [small …], [medium …], [paper …] and, where there is
// none, [matrix …]. A figure of [data] has an empty matrix: its rows stand for runs.
extern const char *const reproduce_sizes[3];
bool reproduce_open(Reproduction *r, const char *name, const char *text, size_t length, const char *size, Diag *diag);
bool reproduce_fill(Reproduction *r, Store *store, Diag *diag);  // when the matrix has been swept
void reproduce_figure(const Reproduction *r, struct Figure *f);  // to be drawn: ours, and theirs where there are any
void reproduce_free(Reproduction *r);

// --- figure.c: a figure as numbers -----------------------------------------------------------------------------------
typedef enum FigureKind {
    FIGURE_BARS,    // for each point a group of bars, one a series
    FIGURE_CURVE,   // lines through points at numbers
    FIGURE_HEAT,    // a field for each point (down) and series (across)
    FIGURE_SERIES,  // lines over time, many points
    FIGURE_STACK,   // for each point one bar, of the series' parts
} FigureKind;
typedef struct FigureValue {
    double y, low, high;  // NAN: none
} FigureValue;
typedef struct FigurePoint {
    const char *name;  // may be null where x is a number
    double x;          // NAN: only named
} FigurePoint;
typedef struct FigureSeries {
    const char *name;
    uint32_t colour;          // of the palette
    bool apart;               // of a curve: points that no line joins
    VEC(FigureValue) values;  // one for each point
} FigureSeries;
typedef struct Figure {
    Arena arena;  // of all texts
    FigureKind kind;
    const char *name;  // of its files: lower-case letters, digits, hyphens
    const char *title, *note;
    const char *x, *y, *of;  // what points, values and series are, with units
    bool linear;             // of a curve: the axis of points isn't logarithmic, however far they reach
    double baseline, top;    // a line at this value; where the axis of values ends; NAN: none
    VEC(FigurePoint) points;
    VEC(FigureSeries) series;
} Figure;
void figure_open(Figure *f, FigureKind kind, const char *name, const char *title);
void figure_free(Figure *f);
void figure_axes(Figure *f, const char *x, const char *y, const char *of);
void figure_note(Figure *f, const char *note);
size_t figure_series(Figure *f, const char *name);  // its place
// Sets the series' value at a point, which is made where it lacks; a range may be set in what is returned, until the
// next call. A figure's points are all names or all numbers.
FigureValue *figure_text(Figure *f, size_t series, const char *name, double y);
FigureValue *figure_number(Figure *f, size_t series, double x, const char *name,
                           double y);  // name: of the axis' tick; may be null
// Adds the geometric mean of the points at which every series has a positive value, as a last point. Returns their
// number.
size_t figure_means(Figure *f);
bool figure_ranged(const FigureSeries *s);    // has a low or high
void figure_csv(const Figure *f, Text *out);  // RFC 4180

// --- plot.c: figures drawn by gnuplot --------------------------------------------------------------------------------
void figure_script(const Figure *f, Text *out);  // makes NAME.svg of NAME.csv in the folder it is run in
// Writes NAME.csv and NAME.gp into folder, which is made if need be, and, if svg isn't null, runs gnuplot there, which
// makes NAME.svg, and gives that too. A null folder is one for the time of the call.
bool figure_draw(const Figure *f, const char *folder, Text *svg, Diag *diag);
// The SVG as part of a page: without a size of its own, its names made unique by the figure's, its colours turned into
// the page's: --ink, --rule, --paper and --s0, --s1, ….
void figure_inline(const Figure *f, const char *svg, Text *out);
void figure_palette(Text *out);  // those of the light page: "--s0:#4477aa;…"

// --- html.c: a page --------------------------------------------------------------------------------------------------
typedef struct PageFile {
    const char *name, *text;  // "style"
    size_t size;
} PageFile;
extern const PageFile page_files[];  // page/*, generated
extern const size_t page_file_count;
// Adds format, in which each %s stands for a text that is escaped and %r for one that is HTML already; nothing else is
// special. The page is well-formed XML too.
void html_put(Text *out, const char *format, ...);
void html_open(Text *out, const char *title);
void html_close(Text *out);
// A table in a box of its own that scrolls sideways, with buttons for those who have scripts. Columns whose names begin
// with # have numbers. A cell's value is what is sorted and copied; null: the text.
void html_table(Text *out, const char *id, const char *caption, const char *const *columns, size_t count);
void html_row(Text *out);
void html_cell(Text *out, const char *text);
void html_number(Text *out, const char *text, double value);
void html_count(Text *out, uint64_t value);
void html_table_end(Text *out);

// --- runs.c: runs of a store, read back ------------------------------------------------------------------------------
typedef struct RunSetting {
    const char *name, *value;  // "l1.size", "16KiB"
} RunSetting;
typedef struct RunKernel {
    const char *name, *grid, *block, *limit;
    uint64_t launches, warps;  // warps: that an SM has room for
    bool functional, partial;
    uint64_t *count;  // by Counter
    double *rate;     // as rates[]; NAN: none
    VEC(RunStructure) structures;
    VEC(uint64_t) samples;  // counters at the end of each interval, all counters of the first, of the second, …
} RunKernel;
typedef struct StoredRun {
    const char *key, *program, *params, *gpu, *overrides, *options, *error, *version, *finished,
        *host;  // error null: done
    bool verified;
    int64_t model;
    uint64_t cycles, warp_instructions;
    double seconds;  // simulated, of the kernels that were timed: cycles over the description's clock
    double wall_seconds;
    uint64_t order;            // among the runs read: as runs_read was given them, then as they came into the store
    uint64_t *count;           // of all kernels that were timed, summed
    VEC(RunSetting) settings;  // the GPU, overrides, options, and last the parameters
    size_t params_at;          // where those begin
    VEC(RunKernel) kernels;
} StoredRun;
typedef struct Runs {
    Arena arena;
    VEC(StoredRun) v;
} Runs;
// Runs of the verb run, of these programs on these GPUs (names between commas; null: all), in the order of their
// programs and then of their settings' texts, so that it doesn't depend on which was ready first. keys: of runs in the
// order in which they were asked for; may be null.
typedef struct RunsWanted {
    const char *programs, *gpus;
    const TextList *keys;
} RunsWanted;
bool runs_read(Runs *runs, Store *s, const RunsWanted *wanted, Diag *diag);
void runs_free(Runs *runs);

// --- swept.c: what differs between runs ------------------------------------------------------------------------------
// A setting that has several values in a group of runs. Settings that only change together are one ("nx, ny").
typedef struct Swept {
    const char *name;
    VEC(const char *) values;  // in order: the one left as described, numbers, texts as they were given
    VEC(double) numbers;       // of each value, NAN: none
    uint32_t base;             // the value that others are compared with
    bool numeric;              // all but the one left as described are numbers
} Swept;
typedef struct RunGroup {
    Arena arena;
    VEC(const StoredRun *) runs;  // in the order of their values, first setting first
    VEC(Swept) swept;
    VEC(uint32_t) at;  // of each run, for each swept setting: the place of its value
    size_t base;       // the run that others are compared with: it has the most base values
    bool clocks;       // the runs' clocks differ, so that only times compare, not cycles
} RunGroup;
// Groups the runs that are done. params: their parameters count as settings. baseline, "l1.size=16KiB,…", may be null:
// base values. Where it names none, that is the description's own value of a key; else, the first that was given.
void group_open(RunGroup *g, const StoredRun *const *runs, size_t count, bool params, const char *baseline);
void group_free(RunGroup *g);
uint32_t group_at(const RunGroup *g, size_t run, size_t swept);
size_t group_bases(const RunGroup *g, size_t run);  // of how many swept settings the run has the base value
// The values of a run's swept settings, without that of the one to leave out (or SIZE_MAX): "8KiB, gto".
const char *group_label(RunGroup *g, size_t run, size_t except);
const char *group_names(RunGroup *g, size_t except);  // of the settings, likewise: "l1.size, sched.policy"
// Whether the run's settings, those two apart (or SIZE_MAX), have the values of the run base.
bool group_near(const RunGroup *g, size_t run, size_t base, size_t except, size_t also);
bool group_varies(const RunGroup *g, const char *name);  // whether the setting is one of the swept

// --- charts.c, report.c: a page over a store -------------------------------------------------------------------------
typedef struct ReportOptions {
    const char *programs, *gpus;  // names between commas; null: all
    const char *baseline;         // as group_open
    const TextList *keys;         // as runs_read
    const char *folder;           // for the figures' files; null: none
    bool no_figures;
} ReportOptions;
typedef struct Report {
    const ReportOptions *options;
    Text *out;
    Diag *diag;
    Map names;  // of figures
    uint64_t runs, figures;
} Report;
// The report as one HTML page. False, with the reason: nothing to report, gnuplot lacks, the store or a file fails.
bool report_page(Store *s, const ReportOptions *options, Report *made, Text *html, Diag *diag);
// Figures over all programs, and over the runs of one. False when one couldn't be drawn.
bool charts_overview(Report *r, const StoredRun *const *runs, size_t count);
bool charts_program(Report *r, RunGroup *g);

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
