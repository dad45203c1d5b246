// sim.h: the simulated device's parts, which its files share: sim.c (opening), sim_memory.c, sim_launch.c,
// timeline.c (streams, events, copies), stub.c, module.c, launches.c, trace.c.
#ifndef DEVICE_SIM_H
#define DEVICE_SIM_H

#include "chip/chip.h"
#include "device/unit.h"

typedef struct SimStream {
    oc_stream base;
    double end;
    bool behind;  // its last work is a kernel
} SimStream;
typedef struct SimEvent {
    oc_event base;
    double at;  // seconds
} SimEvent;
typedef struct SimKernel {
    oc_kernel base;
    const Function *f;
    Kernel *kernel;    // null: nobody has asked for it yet (sim_kernel), it was dropped, or it can't be run
    uint64_t turn;     // when it was asked for last
    char *refusal;     // why it can't be run
    oc_status status;  // what its launches return in that case
    ParamTable params;
    bool asked, taken;  // by the device's filter
} SimKernel;
typedef struct SimModule {
    oc_module base;
    Image image;
    VEC(SimKernel *) kernels;
} SimModule;
typedef struct Sim {
    oc_device base;
    oc_config config;
    Gpu gpu;
    Gmem memory;
    Chip chip;
    VEC(SimModule *) modules;
    uint64_t decoded, turns;  // bytes of all kernels that are decoded; how often kernels were asked for
    VEC(SimStream *) streams;
    VEC(SimEvent *) events;
    VEC(Record) records;  // of the launches from number forgotten on
    LaunchSums sums;      // of those before
    size_t forgotten;
    LineStats lines;      // of the launch that was asked for last
    size_t lines_launch;  // its number + 1; 0: none was, or its code may be gone
    VEC(Texture) textures;
    VEC(char *) labels;
    Map label_at;  // a label's text → its place in labels
    Map on_host;   // numbers of allocations that are the host's memory
    SimStream standard;
    double host;                               // the host's clock, in simulated seconds
    bool goes_on;                              // with the call before
    bool node;                                 // of a graph
    double graph;                              // when that one's launch began
    double copy_free[2], chip_free, cpu_free;  // when each engine is free, in seconds
    double busy;                               // how long all of them have worked, in seconds
    double value_put;                          // when the last value was written in the order of a stream
    uint64_t held;                             // launches that only waited for other streams' work on the chip
    double held_seconds;                       // how long, together
    double wall;
    double told;  // when config.progress was last called, on the host
    uint64_t peak;
    const KernelFilter *only;  // null: all kernels
    struct Trace *trace;       // null: nobody asked for one
    uint64_t skip, matched;
    uint64_t workspace;       // of cooperative launches; 0: they aren't
    uint32_t stated;          // registers of a thread, as a workload states them (device_state_registers)
    uint32_t bound;           // the most of a thread (device_bound_registers); 0: as the description says
    Foretell *foretell;       // null: all launches are timed
    struct LaneWatch *lanes;  // null: nobody asked for accesses
    uint64_t executed;  // warp instructions of all launches that config.cap is about: the timed ones, unless none is
} Sim;

static inline Sim *sim_of(const oc_device *d) { return (Sim *)(uintptr_t)d; }
static inline SimStream *stream_of(oc_stream *s) { return (SimStream *)s; }
#define fail(d, ...) device_fail(&(d)->base, __VA_ARGS__)

// stub.c: after a fault of k, with what it printed: is k a stub of its library? Then message says so, instead of both.
bool sim_stub(const Kernel *k, Text *printed, Text *message);

// module.c
oc_status sim_load(oc_device *d, const char *ptx, size_t length, const char *name, oc_module **module);
void sim_unload(oc_module *m);
oc_status sim_kernel_get(oc_module *m, const char *name, oc_kernel **kernel);
size_t sim_kernel_count(const oc_module *m);
oc_kernel *sim_kernel_at(oc_module *m, size_t index);
oc_status sim_symbol(oc_module *m, const char *name, oc_ptr *ptr, size_t *bytes);
oc_kernel_info sim_kernel_describe(const oc_kernel *k);
const char *sim_kernel_name(const oc_kernel *k);
// The kernel as it is executed, made when it is asked for: a module may have hundreds, of which one is run. Null: it
// can't be run; with refusal and status. It is there until another kernel is asked for.
const SimKernel *sim_kernel(const oc_kernel *k);

// names.c
// Gives parameters that the compiler has numbered the names that the source has, where its lines lead to it.
void names_of_source(Module *m);

// textures.c: textures, surfaces, and the references of modules
oc_status sim_texture_create(oc_device *d, const oc_texture *t, uint64_t *handle);
oc_status sim_texture_destroy(oc_device *d, uint64_t handle);
oc_status sim_surface_create(oc_device *d, const oc_texture *t, uint64_t *handle);
oc_status sim_surface_destroy(oc_device *d, uint64_t handle);
oc_status sim_reference_bind(oc_module *m, const char *name, const oc_texture *t, uint64_t *handle);
bool references_open(Sim *d, Symbol *s, Diag *diag, const Source *source);  // gives a module's variable its handles
void references_close(Sim *d, const Symbol *s);
void textures_clear(Sim *d, bool all);  // all: with the references of modules

// timeline.c
oc_status sim_write(oc_device *d, oc_ptr to, const void *from, size_t bytes, oc_stream *s);
oc_status sim_read(oc_device *d, void *to, oc_ptr from, size_t bytes, oc_stream *s);
oc_status sim_copy(oc_device *d, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *s);
oc_status sim_fill(oc_device *d, oc_ptr to, uint8_t value, size_t bytes, oc_stream *s);
void sim_gather(oc_device *d, size_t bytes, oc_stream *s);
oc_status sim_stream_create(oc_device *d, oc_stream **stream);
void sim_stream_destroy(oc_stream *s);
double sim_stream_time(const oc_stream *s);
oc_status sim_wait(oc_device *d, oc_stream *s);
oc_status sim_event_create(oc_device *d, oc_event **event);
void sim_event_destroy(oc_event *e);
oc_status sim_event_record(oc_event *e, oc_stream *s);
oc_status sim_event_wait(oc_event *e);
oc_status sim_event_seconds(oc_event *from, oc_event *to, double *seconds);
// When work that is given to a stream now can begin, if its engine is free from then on.
double sim_free_from(const Sim *d, oc_stream *stream, double engine);
void sim_call(Sim *d);  // the host makes a call: what this gives to a stream begins before, at the earliest

// sim_memory.c
oc_status sim_alloc(oc_device *d, size_t bytes, const char *label, oc_ptr *ptr);
oc_status sim_release(oc_device *d, oc_ptr ptr);
oc_status sim_pin(oc_device *d, size_t bytes, void **memory);
void sim_unpin(oc_device *d, void *memory);
bool sim_range(oc_device *d, oc_ptr ptr, oc_ptr *start, uint64_t *bytes);
void *sim_locate(Sim *d, oc_ptr ptr, size_t bytes);  // its host address; null, with an error: not all of it is there
const char *sim_keep_label(Sim *d, const char *label);

// sim_launch.c
oc_status sim_launch(oc_kernel *k, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *stream,
                     const void *const *args);
oc_status sim_occupancy(oc_kernel *k, oc_dim3 block, uint32_t smem, uint32_t *blocks);
uint32_t sim_most_threads(const SimKernel *k);  // that a block of it may have; functional: whatever its registers take

// trace.c
typedef struct Trace Trace;
oc_status sim_trace(oc_device *d, const char *path, uint64_t interval, const char *what);
oc_status sim_trace_end(Sim *d);                // nothing, if there is none
const TraceSink *sim_trace_sink(const Sim *d);  // null: there is none

// lines.c
LineStat inst_place(const Module *m, const Inst *i);  // of an instruction in its source

// lanes.c
typedef struct LaneWatch LaneWatch;
void lanes_begin(Sim *d, const Kernel *k);  // a launch begins
void lanes_take(void *lanes, const Step *s);
void lanes_close(LaneWatch *lanes);  // null: nothing

// sums.c
void sums_copy(LaunchSums *to, const LaunchSums *from);  // to is empty

// launches.c
size_t sim_launches(const oc_device *d);
const char *sim_launch_kernel(const oc_device *d, size_t launch);
uint64_t sim_launch_counter(const oc_device *d, size_t launch, const char *name);
double sim_launch_rate(const oc_device *d, size_t launch, const char *name);
const char *sim_counter_name(const oc_device *d, size_t index);
const char *sim_rate_name(const oc_device *d, size_t index);
const char *sim_metric_name(const oc_device *d, size_t index);
bool sim_launch_structure(const oc_device *d, size_t launch, size_t index, oc_structure *out);
bool sim_launch_misses(const oc_device *d, size_t launch, size_t index, oc_misses *out);
bool sim_launch_finding(const oc_device *d, size_t launch, size_t index, oc_finding *out);
const char *sim_launch_unchecked(const oc_device *d, size_t launch);
bool sim_launch_line(const oc_device *d, size_t launch, size_t index, oc_line *out);
bool sim_launch_value(const oc_device *d, size_t launch, const char *name, double *value);
size_t sim_launch_series(const oc_device *d, size_t launch, const char *counter, uint64_t *values, size_t capacity);
void sim_forget(oc_device *d, size_t keep);
void sim_free_launches(Sim *d);

#endif
