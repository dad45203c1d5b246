// device.h: what is behind onchip.h: one interface over two back ends, the simulated GPU (sim.c, module.c) and a real
// one behind its driver (cuda*.c).
#ifndef DEVICE_H
#define DEVICE_H

#include "base/tensor_map.h"
#include "chip/record.h"

#include <onchip.h>

// The functions of a back end. Each does what onchip.h says of the function of that name. The back end's device,
// module, kernel, stream and event begin with the structs below.
typedef struct DeviceOps {
    void (*close)(oc_device *d);
    oc_device_info (*info)(const oc_device *d);
    oc_status (*alloc)(oc_device *d, size_t bytes, const char *label, oc_ptr *ptr);
    oc_status (*release)(oc_device *d, oc_ptr ptr);
    oc_status (*write)(oc_device *d, oc_ptr to, const void *from, size_t bytes, oc_stream *s);
    oc_status (*read)(oc_device *d, void *to, oc_ptr from, size_t bytes, oc_stream *s);
    oc_status (*copy)(oc_device *d, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *s);
    oc_status (*fill)(oc_device *d, oc_ptr to, uint8_t value, size_t bytes, oc_stream *s);
    oc_status (*load)(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **m);
    void (*unload)(oc_module *m);
    oc_status (*kernel_get)(oc_module *m, const char *name, oc_kernel **k);
    size_t (*kernel_count)(const oc_module *m);
    oc_kernel *(*kernel_at)(oc_module *m, size_t index);
    oc_kernel_info (*kernel_describe)(const oc_kernel *k);
    const char *(*kernel_name)(const oc_kernel *k);
    uint32_t (*params)(const oc_kernel *k);
    oc_status (*carveout)(oc_kernel *k, int percent);
    oc_status (*symbol)(oc_module *m, const char *name, oc_ptr *ptr, size_t *bytes);
    oc_status (*tensor_map)(oc_device *d, const TensorMap *t, void *map);
    oc_status (*texture_create)(oc_device *d, const oc_texture *t, uint64_t *handle);
    oc_status (*texture_destroy)(oc_device *d, uint64_t handle);
    oc_status (*surface_create)(oc_device *d, const oc_texture *t, uint64_t *handle);
    oc_status (*surface_destroy)(oc_device *d, uint64_t handle);
    oc_status (*reference_bind)(oc_module *m, const char *name, const oc_texture *t, uint64_t *handle);
    oc_status (*stream_create)(oc_device *d, oc_stream **s);
    void (*stream_destroy)(oc_stream *s);
    double (*stream_time)(const oc_stream *s);
    oc_status (*event_create)(oc_device *d, oc_event **e);
    void (*event_destroy)(oc_event *e);
    oc_status (*event_record)(oc_event *e, oc_stream *s);
    oc_status (*event_seconds)(oc_event *from, oc_event *to, double *seconds);
    oc_status (*occupancy)(oc_kernel *k, oc_dim3 block, uint32_t smem, uint32_t *blocks);
    bool (*range)(oc_device *d, oc_ptr ptr, oc_ptr *base, uint64_t *bytes);
    oc_status (*pin)(oc_device *d, size_t bytes, void **memory);
    void (*unpin)(oc_device *d, void *memory);
    void (*queue)(oc_device *d, bool on);
    oc_status (*wait)(oc_device *d, oc_stream *s);
    oc_status (*event_wait)(oc_event *e);
    void (*gather)(oc_device *d, size_t bytes, oc_stream *s);
    oc_status (*launch)(oc_kernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *s,
                        const void *const *args);
    size_t (*launches)(const oc_device *d);
    const char *(*launch_kernel)(const oc_device *d, size_t launch);
    uint64_t (*launch_counter)(const oc_device *d, size_t launch, const char *name);
    double (*launch_rate)(const oc_device *d, size_t launch, const char *name);
    const char *(*counter_name)(const oc_device *d, size_t index);
    const char *(*rate_name)(const oc_device *d, size_t index);
    const char *(*metric_name)(const oc_device *d, size_t index);  // may be null: there are none
    bool (*launch_structure)(const oc_device *d, size_t launch, size_t index, oc_structure *out);
    // The next six may be null: there are none.
    bool (*launch_misses)(const oc_device *d, size_t launch, size_t index, oc_misses *out);
    bool (*launch_finding)(const oc_device *d, size_t launch, size_t index, oc_finding *out);
    const char *(*launch_unchecked)(const oc_device *d, size_t launch);
    bool (*launch_line)(const oc_device *d, size_t launch, size_t index, oc_line *out);
    size_t (*launch_series)(const oc_device *d, size_t launch, const char *counter, uint64_t *values, size_t capacity);
    oc_status (*trace)(oc_device *d, const char *path, uint64_t interval, const char *what);
    bool (*launch_value)(const oc_device *d, size_t launch, const char *name, double *value);
    void (*forget)(oc_device *d, size_t keep);
} DeviceOps;
// A transform of modules and launches, such as the software L1. rewrite is called before a module is loaded; it returns
// the new text (released with mem_free), or null to leave the module alone. loaded is called after that. launch may
// change what is launched; what it puts into the change must last until it is called again.
typedef struct LaunchChange {
    oc_kernel *kernel;
    uint32_t smem;
    const void *const *args;
} LaunchChange;
typedef struct Transform {
    char *(*rewrite)(void *user, const char *ptx, size_t length, const char *name);
    void (*loaded)(void *user, oc_module *m);
    oc_status (*launch)(void *user, oc_dim3 grid, oc_dim3 block, LaunchChange *change);
    void *user;
} Transform;
struct oc_device {
    const DeviceOps *ops;
    char *error;
    const volatile bool *stop;  // of oc_config
    Transform transform;
    bool calling;  // the caller's progress or print is running
};
struct oc_module {
    oc_device *device;
};
struct oc_kernel {
    oc_module *module;
    oc_dim3 cluster;  // blocks; 0: as its PTX says
};
struct oc_stream {
    oc_device *device;
};
struct oc_event {
    oc_device *device;
};

// --- for the program's own folders -----------------------------------------------------------------------------------
// sim.c
// A simulated device of a description that was read already; config's own isn't looked at.
oc_status device_open(const oc_config *config, const Gpu *gpu, oc_device **device, Diag *diag);

// device.c
void device_transform(oc_device *d, const Transform *transform);
// How many blocks of a kernel an SM has room for at a time.
oc_status device_occupancy(oc_kernel *k, oc_dim3 block, uint32_t smem, uint32_t *blocks);
// Its name in the PTX; oc_kernel_describe makes the kernel first, which takes time.
const char *device_kernel_name(const oc_kernel *k);
// Finds the allocation in which an address lies; false: there is none.
bool device_range(oc_device *d, oc_ptr ptr, oc_ptr *base, uint64_t *bytes);
// For work that overlaps: pinned host memory, which a real device copies without the host's help. On a simulated device
// it is ordinary memory.
oc_status device_pin(oc_device *d, size_t bytes, void **memory);
void device_unpin(oc_device *d, void *memory);
// Waits for a stream as oc_synchronize does, in a thread of its own: on a simulated device the host's clock stays.
oc_status device_wait(oc_device *d, oc_stream *s);
// While this is on, launches and copies of pinned memory on a real device return before they are done. On a simulated
// device they always overlap in simulated time.
void device_queue(oc_device *d, bool on);
// Tells the device that the host's CPU has assembled so many bytes, in the stream's order. On a simulated device that
// takes the described time (host.gather). On a real one the time has already passed.
void device_gather(oc_device *d, size_t bytes, oc_stream *s);

// sim.c
// Says whose mistake a refused description is: OC_BAD_FILE if it is in the file, OC_BAD_ARGUMENT if it is in the file's
// name or an override.
oc_status device_blame(const char *gpu, const Diag *diag);
// For a simulated device only:
const Gpu *device_gpu(const oc_device *d);
uint64_t device_repeated(const oc_device *d);    // launches that repeated an earlier one, and weren't simulated
double device_wall_seconds(const oc_device *d);  // host time spent simulating launches
// How many launches only waited for kernels and copies of other streams to leave the chip, beside which a GPU may run
// them; and how long, together.
uint64_t device_held(const oc_device *d, double *seconds);
// The launches that follow are cooperative: their blocks find this address in %envreg1 and %envreg2 (code.h). 0: they
// aren't.
void device_cooperate(oc_device *d, uint64_t workspace);
// Timed launches that follow end with an error where the scheduling policy takes one warp's number for another's.
void device_check_policy(oc_device *d);
// Kernels of modules that are loaded from now on take so many registers a thread at least, where the description has
// registers.stated. 0: as many as they need.
void device_state_registers(oc_device *d, uint32_t count);
// Kernels of modules that are loaded from now on take so many at most, and spill the rest. 0: as the description says.
void device_bound_registers(oc_device *d, uint32_t most);
// What ended the last launch, if that was a fault.
FaultKind device_fault(const oc_device *d);
// lanes.c
// The first access of an instruction that loads from global or shared memory, stores there or is an atomic: of a warp's
// 32 lanes, where each one's is.
typedef struct LaneAccess {
    char *kernel, *array;  // array: the allocation's name; null: shared memory
    char *file;            // of the source; null: it isn't known
    uint32_t line;
    const char *what;    // "load", "store", "atomic"
    uint32_t mask;       // the lanes that take part
    uint32_t bytes;      // of a lane
    uint64_t start;      // of the array; of shared memory: 0
    uint64_t addr[32];   // of shared memory: from its start
    uint32_t set[32];    // of the L1, in which each lane's line lies
    uint32_t sets;       // that the L1 has; 0: the access doesn't go there
    uint32_t row, unit;  // bytes of a line and of a sector; of all banks' words and of one
    uint32_t passes;     // of shared memory, which the access takes
} LaneAccess;
enum { MOST_LANE_ACCESSES = 24 };
// From now on launches are executed without time, and the first accesses of their instructions are kept, so many at
// most. They are the device's. Returns how many there are; *left: how many there was no room for.
void device_lanes(oc_device *d);
size_t device_lane_accesses(const oc_device *d, const LaneAccess **all, uint64_t *left);
// sim_memory.c
// Addresses that get memory later, on a device whose memory is shared: a multiple of 4096 of them, at a multiple of
// align. Then, of [at, at + bytes): the memory at `from`, of an allocation, is mapped there, or none any more; kernels
// and copies may use it (from 1) or not (0); the addresses are given up, also with what is mapped there (dropped).
typedef enum Mapped { MAPPED_MEMORY, MAPPED_NOT, MAPPED_ALLOWED, MAPPED_GIVEN_UP, MAPPED_DROPPED } Mapped;
oc_status device_reserve(oc_device *d, uint64_t bytes, uint64_t align, oc_ptr *at);
oc_status device_map(oc_device *d, Mapped what, oc_ptr at, uint64_t bytes, oc_ptr from);
// The memory as a file, which other processes can map: a descriptor, which is the device's. Before anything is
// allocated. −1, with errno set: the host can't.
int device_share(oc_device *d);
void device_clear(oc_device *d);                              // frees all memory that its caller allocated
void device_zeroed(oc_device *d, oc_ptr at, uint64_t bytes);  // its caller counts on new memory being zero, as it is
uint64_t device_taken(const oc_device *d);                    // bytes that are allocated now
// sim_launch.c
// Can a launch of this shape begin? If not, oc_error says why.
oc_status device_admit(oc_kernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem);
// The size of a kernel's clusters as its PTX says; 0: it says none. And the most blocks that one may have.
oc_dim3 device_cluster(const oc_kernel *k);
uint32_t device_most_cluster(const oc_kernel *k);
// How many clusters of so many blocks have room at a time.
oc_status device_clusters(oc_kernel *k, oc_dim3 block, uint32_t smem, uint32_t blocks, uint32_t *clusters);
// timeline.c
// Takes the time that a copy between host and device takes, and does what it does to the L2; another process has made
// it (device_share).
oc_status device_moved(oc_device *d, oc_ptr at, uint64_t bytes, bool to_device, oc_stream *s);
// The memory at an address is the host's, which kernels reach: copies and fills of it cross the link. Is it so?
void device_shares(oc_device *d, oc_ptr at);
bool device_on_host(const oc_device *d, oc_ptr at);
// Work that comes to a stream (null: the default one) later begins after the event.
void device_after(oc_device *d, oc_stream *s, const oc_event *event);
// A value of 4 or 8 bytes, at a multiple of them: what is there; it becomes another in a stream's order; work of a
// stream has waited for it.
oc_status device_value(oc_device *d, oc_ptr at, uint32_t bytes, uint64_t *value);
oc_status device_value_put(oc_device *d, oc_ptr at, uint32_t bytes, uint64_t value, oc_stream *s);
void device_value_met(oc_device *d, oc_stream *s);
double device_now(const oc_device *d, uint64_t calls);  // the host's clock after so many calls, in simulated seconds
// The host's last call is one that returns when the stream's work is done; null: all work.
void device_until(oc_device *d, oc_stream *s);
// Whether the copies and fills that follow go on with the one before: they are one call, and have one latency.
void device_goes_on(oc_device *d, bool on);
// The host launches a graph of so many nodes, which takes it time. Returns the call's beginning, for device_node.
double device_graph(oc_device *d, uint64_t nodes);
// What follows are nodes of the graph whose launch began then: they take no time of the host, and each kernel begins
// host.next after what it waits for. Null: what follows is none.
void device_node(oc_device *d, const double *began);
// textures.c
// What a module's variable refers to: 1 a texture, 2 a surface, 0 neither.
int device_reference(oc_module *m, const char *name);
// module.c
const char *device_left_out(const oc_kernel *k);  // why its PTX can't be run, before it is made ready; null: it can
// sim.c
bool device_samples(const oc_device *d);  // it was opened with oc_config.sample
// How long its engines and the CPU have worked so far, without waiting.
double device_busy_seconds(const oc_device *d);
uint64_t device_bytes(const oc_device *d);  // the most memory that was allocated at a time so far
// Chooses which launches are timed: those of the kernels that a filter takes (null: all), without the first `skip` of
// them. The others are executed without time. The filter must outlive the device.
typedef struct KernelFilter {
    // shown: the C++ name of a mangled one; else name. False, and why: it can't be known, and the launch fails.
    bool (*takes)(void *user, const char *name, const char *shown, bool *taken, Diag *diag);
    void *user;
} KernelFilter;
void device_select(oc_device *d, const KernelFilter *kernels, uint64_t skip);
const Kernel *device_kernel(const oc_kernel *k);

// --- sums.c: a kernel's launches as one ------------------------------------------------------------------------------
typedef struct SumStructure {
    char *name;
    StructStat stat;
    StructEnergy energy;
    uint64_t dram_bytes;
    WhyStat why;
    VEC(uint64_t) evicted;  // lines of it that accesses of the structures at these places pushed out; may be shorter
} SumStructure;
// The misses of a class. Those of which it isn't sure are shared out as the watched lines are.
static inline double why_missed(const WhyStat *w, WhyClass k)
{
    uint64_t sure = w->missed[WHY_FIRST] + w->missed[WHY_CAPACITY] + w->missed[WHY_DROPPED];
    double own = (double)w->missed[k];
    return k == WHY_CONFLICT || !sure ? own : own + own / (double)sure * (double)w->unsure;
}
typedef struct LaunchSum {
    char *kernel;
    LaunchInfo info;  // grid, block and occupancy are those of the first
    uint32_t occupancy_blocks, occupancy_warps;
    const char *occupancy_limit;
    bool functional, partial;  // partial: one of them is
    uint64_t launches, count[C_COUNT], own[OWN_COUNTERS];
    uint64_t sm_most, sm_least;    // as in a record
    VEC(SumStructure) structures;  // that the launches accessed; those of one name are one
    Map places;                    // of names in them
    InstStat *inst;                // of code; null: none
    uint32_t insts;
    const Kernel *code;  // valid as long as its module is loaded
    char **names;        // MAX_STRUCTURES: of the data structures, as the first launch has them; null: none
    double seconds;
    VEC(uint64_t) samples;  // those of all launches one after the other
    WhySums why;            // l1 0: nobody asked; what is of structures stands there
    bool checked;           // --check looked at them
    Flaws flaws;            // what it found; those at the same instructions are one
    const char *unchecked;  // what it left out; null: nothing
    char *overread;         // as in a record, of the first launch that has one
    uint64_t overreads;
    Sampled *sampled;  // of its launches; null: all were timed whole
    uint64_t *pairs;   // [warp · OC_MOST_WARPS + by]: misses of the records' pairs; null: none
} LaunchSum;
typedef VEC(LaunchSum) LaunchSums;
void sums_add(LaunchSums *sums, const Record *r);  // one launch more
void sums_free(LaunchSums *sums);
// Which warps took whose lines (ciao §III-A, Fig. 4), by their slots, of all kernels and SMs. Slots above the last one
// that has any are left out: maybe no warp lay there.
typedef struct Interference {
    uint32_t slots;
    uint64_t misses[OC_MOST_WARPS][OC_MOST_WARPS];  // [warp][by]
    uint64_t least, most;                           // of any two different warps; 0 where there is one slot or none
} Interference;
void sums_interference(const LaunchSums *sums, Interference *out);

// launches.c
// For a simulated device only. Null: there is no such launch, or it was forgotten.
const Record *device_record(const oc_device *d, size_t launch);
// All launches of a device, in the order of each kernel's first; timed ones and others are apart.
void device_sums(const oc_device *d, LaunchSums *out);

// --- lines.c: lines of the source ------------------------------------------------------------------------------------
typedef struct LineStat {
    const char *file, *at_file;  // at: where the function that has the line was inlined; null: it wasn't
    uint32_t line, at_line;
    const char *array;  // of accesses of memory: what is accessed; null: it isn't known, or all of the line counts
    const char *what;   // "load", "store", "atomic"; null: no access
    InstStat stat;
} LineStat;
typedef VEC(LineStat) LineStats;
// Lines that had an instruction issued, the hottest first. Either may be null: none. out is released with vec_free.
void lines_of(const Kernel *kernel, const InstStat *inst, LineStats *out);
// The accesses of memory alone, a row for each line and array, in the order of files and lines. names: of the data
// structures by the kernel's parameters (LaunchSum.names).
void accesses_of(const Kernel *kernel, const InstStat *inst, char *const *names, LineStats *out);
struct Function;
struct Inst;
// Each instruction that was issued, with its place and what it did.
typedef void InstFn(void *user, const LineStat *l, const struct Function *f, const struct Inst *i);
void insts_of(const Kernel *kernel, const InstStat *inst, InstFn *fn, void *user);
// The lines of the kernel's own text alone, the hottest first: what was inlined at a line counts there.
void own_lines_of(const Kernel *kernel, const InstStat *inst, LineStats *out);

// --- source.c: the text of lines -------------------------------------------------------------------------------------
bool source_read(const char *file, Text *text);  // replaces text; false: the file can't be read
// The same of a file that a kernel's lines name. A module that names no files shows its own text, as it was loaded.
bool source_of(const Kernel *kernel, const char *file, Text *text);
// A line's text, without what a terminal would take for a command; released with mem_free. Null: there is none.
char *source_line(const Text *source, uint32_t line);

#endif
