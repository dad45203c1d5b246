// onchip.h: the public interface of libonchip.
//
// A device is a simulated GPU built from a description, or a real one behind NVIDIA's driver. It owns memory, modules,
// streams and the record of every launch. Calls return OC_OK or a code; the text of the last error, with its place and
// a hint, is oc_error(device). Nothing here prints, exits or keeps state outside the device, and two devices never
// share anything. A device is used by one host thread at a time. A forked process has a copy of each simulated device,
// which works there as in its parent; a real one must be opened anew.
//
// A pointer may be null where that is said. Any other null pointer is OC_BAD_ARGUMENT; where a function has no status,
// nothing happens and 0, null or an empty name is returned. A function that makes something leaves null or 0 behind the
// pointer to it when it fails. A handle that was destroyed must not be used.
//
// config.progress and config.print are called while a launch is under way. They may ask the launch's device: oc_error,
// oc_describe, oc_kernel_get, oc_kernel_count, oc_kernel_at, oc_kernel_describe, oc_symbol, oc_stream_time,
// oc_event_seconds, oc_launches, oc_counter_name, oc_rate_name, oc_metric_name, and all that begins with oc_launch_.
// Every other call on this device is OC_BAD_ARGUMENT there. One without a status (oc_close, oc_unload,
// oc_stream_destroy, oc_event_destroy, oc_forget) does nothing, and oc_error says so. config.stop ends the launch.
// Other devices can be used as usual.
#ifndef ONCHIP_H
#define ONCHIP_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

// OC_VERSION is the version of this header, oc_version() that of the library a program runs with: 10000 times the major
// number, 100 times the minor one, and the last.
//
// Structures grow at their end. So a function that takes one, or fills one, hands its size on, as the program was
// compiled: oc_open calls oc_open_sized, which is what the library exports and what another language calls. (The last
// part of this header has all of them.) What an older program's structure lacks is taken as 0, and isn't filled. What a
// newer one's has beyond the library's is filled with 0, and must be 0 where it is taken: else OC_BAD_ARGUMENT.
// oc_dim3, oc_tex_level and oc_place never grow. When anything else changes, the library's SONAME does.
#define OC_VERSION 800
uint32_t oc_version(void);

typedef struct oc_device oc_device;
typedef struct oc_module oc_module;
typedef struct oc_kernel oc_kernel;
typedef struct oc_stream oc_stream;
typedef struct oc_event oc_event;
typedef uint64_t oc_ptr;  // an address in the device's global memory; 0 is null

typedef enum oc_status {
    OC_OK = 0,
    OC_BAD_ARGUMENT,   // a value out of range, an unknown name, a handle of another device
    OC_BAD_FILE,       // a file that can't be read or doesn't parse: the error carries file:line:col and a caret
    OC_UNSUPPORTED,    // PTX or a feature that isn't implemented; the error names it and its place
    OC_OUT_OF_MEMORY,  // the device's described memory, or the host's, is used up
    OC_FAULT,          // a kernel did something illegal: out of bounds, misaligned, write to const, trap, …
    OC_HANG,           // a kernel can't go on: the error says which warp waits for what
    OC_LIMIT,          // a limit the caller set (max_cycles, cap) was reached; what ran until then is in the record
    OC_STOPPED,        // the caller asked for it (stop); what ran until then is in the record
} oc_status;

typedef struct oc_dim3 {
    uint32_t x, y, z;
} oc_dim3;

// The GPU that is simulated where none is named: people have this card, and published times were compared on it
// (doc/results/stopwatch.md).
#define OC_DEFAULT_GPU "rtx3080"

// How a device is opened. Zero-initialise, then set what differs.
typedef struct oc_config {
    const char *device;       // "cuda:0": the first real GPU, to which the rest doesn't apply; null: a simulated one
    const char *gpu;          // a shipped description's name or a path to an .ini file; null: OC_DEFAULT_GPU
    const char *const *sets;  // overrides, "l1.size=48KiB"; null-terminated list, may be null
    uint32_t threads;         // host threads that simulate; 0: one. Results don't depend on it
    bool functional;          // execute only: no cycles, no memory hierarchy
    bool no_lowering;         // execute the PTX as written: no dead-code removal, no copy propagation
    bool strict;              // oc_load refuses a module that has a kernel which can't be run
    uint64_t max_cycles;      // per launch; 0: no limit
    uint64_t cap;             // warp instructions of all launches together, to a window's edge; 0: no limit
    uint64_t interval;        // cycles between samples of every counter; 0: none
    bool why;                 // find out why loads miss in the L1; a run takes longer then
    bool check;   // find races, uninitialised reads and the like (doc/use/check.md); a run takes longer then
    bool sample;  // time a part of the launches and blocks, and estimate the rest (doc/use/sample.md)
    // Called between windows and where a launch begins, at most some times a second, so that a program can show
    // progress; may be null. What it may ask the device is said above.
    void (*progress)(void *user, const char *kernel, uint64_t cycles, uint64_t instructions, uint64_t blocks_done,
                     uint64_t blocks);
    void *user;
    // Receives what kernels print with printf, in a deterministic order; null: it is dropped. What it may
    // ask the device is said above.
    void (*print)(void *user, const char *text, size_t length);
    // Set by the caller, also from a signal handler or another thread: the launch under way ends at the next window's
    // edge (on a real GPU at its own end), and none begins; may be null.
    const volatile bool *stop;
    // Simulate every launch. Else one that repeats an earlier one, down to the bytes of memory, isn't simulated again:
    // its results are copied, and are the same.
    bool simulate_all;
} oc_config;

// Opens a device. On failure *device is null and message (capacity bytes, may be null) holds the diagnostic.
static inline oc_status oc_open(const oc_config *config, oc_device **device, char *message, size_t capacity);
void oc_close(oc_device *device);               // null: nothing
const char *oc_error(const oc_device *device);  // owned by the device, valid until its next failing call

typedef struct oc_device_info {
    const char *name;  // "rtx3080", or what the driver calls it; owned by the device
    bool real;
    uint32_t sms;         // multiprocessors
    uint32_t capability;  // compute capability times ten
    double clock_mhz;
    uint64_t memory, l2_bytes;
    uint32_t shared_sm, shared_block;  // bytes of shared memory of an SM, and most of a block
    uint32_t driver;                   // version of CUDA the driver implements, 12040 for 12.4; 0 on a simulated one
} oc_device_info;
static inline oc_device_info oc_describe(const oc_device *device);

// Memory. Addresses are 256-byte aligned; bytes is at least 1. label (may be null) names the allocation in reports.
oc_status oc_malloc(oc_device *device, size_t bytes, const char *label, oc_ptr *ptr);
oc_status oc_free(oc_device *device, oc_ptr ptr);  // 0: nothing
// Copies take the host link's simulated time on their stream (null: the default stream). The host's pointer may
// be null where bytes is 0.
oc_status oc_write(oc_device *device, oc_ptr to, const void *from, size_t bytes, oc_stream *stream);
oc_status oc_read(oc_device *device, void *to, oc_ptr from, size_t bytes, oc_stream *stream);
oc_status oc_copy(oc_device *device, oc_ptr to, oc_ptr from, size_t bytes, oc_stream *stream);
oc_status oc_fill(oc_device *device, oc_ptr to, uint8_t value, size_t bytes, oc_stream *stream);

// Modules are PTX text. name (may be null) is what diagnostics call it; the text need not outlive the call. A kernel
// that uses what isn't implemented blocks itself alone: oc_kernel_info.refusal says why, and oc_launch fails with that.
oc_status oc_load(oc_device *device, const char *ptx, size_t length, const char *name, oc_module **module);
oc_status oc_load_file(oc_device *device, const char *path, oc_module **module);
// name: as in the PTX, or in C++ ("scale", "void scale<int>(int*)") where that means one kernel alone.
oc_status oc_kernel_get(oc_module *module, const char *name, oc_kernel **kernel);
size_t oc_kernel_count(const oc_module *module);
oc_kernel *oc_kernel_at(oc_module *module, size_t index);
// A .global or .const variable; bytes may be null.
oc_status oc_symbol(oc_module *module, const char *name, oc_ptr *ptr, size_t *bytes);
void oc_unload(oc_module *module);  // null: nothing

typedef struct oc_kernel_info {
    const char *name;
    uint32_t params;           // number of parameters
    uint32_t registers;        // per thread, 32-bit, after lowering
    uint32_t shared_bytes;     // static shared memory of a block
    uint32_t local_bytes;      // local memory of a thread
    uint32_t max_threads;      // threads of the largest block it can be launched with; registers count if it is timed
    const uint32_t *sizes;     // bytes of each parameter
    const char *const *names;  // of each parameter, as in the PTX
    const char *const *types;  // of each parameter: "u32", "b8[16]"; "u64 .ptr .shared": an address in shared memory
    const char *refusal;       // why the kernel can't be launched; null: it can
    const char *const *declared;  // of each parameter, its type in C++ as the kernel's name has it, "float*", without
                                  // const; null instead of the array: the name is none of C++
} oc_kernel_info;
static inline oc_kernel_info oc_kernel_describe(const oc_kernel *kernel);
// How much of an SM's storage should be shared memory when this kernel runs, in percent: a hint to a real GPU; a
// simulated one has what its description says.
oc_status oc_kernel_carveout(oc_kernel *kernel, int percent);

// Texture and surface objects over memory (PTX unified mode: a handle passed as a 64-bit kernel argument). Rows of
// texels lie pitch bytes apart. Slices, of which each has height rows, lie slice bytes apart: the depth of a 3D
// texture, or the layers of a layered one, or a cube's faces in the order +x, -x, +y, -y, +z, -z. What is 0 in all
// fields behind unit_float is a texture of one or two dimensions without levels.
typedef enum oc_tex_format {
    OC_TEX_F32,
    OC_TEX_U32,
    OC_TEX_S32,
    OC_TEX_U8,
    OC_TEX_S8,
    OC_TEX_U16,
    OC_TEX_S16,
    OC_TEX_F16  // read as floats of 32 bits
} oc_tex_format;
typedef enum oc_tex_address { OC_TEX_CLAMP, OC_TEX_BORDER, OC_TEX_WRAP, OC_TEX_MIRROR } oc_tex_address;
typedef struct oc_tex_level {
    oc_ptr base;
    uint32_t pitch;
    uint64_t slice;
} oc_tex_level;
typedef struct oc_texture {
    oc_ptr base;
    uint32_t width, height;  // texels; height 0: 1D over linear memory
    uint32_t pitch;          // bytes from row to row
    uint32_t channels;       // 1, 2 or 4
    oc_tex_format format;
    oc_tex_address address;                  // out-of-range coordinates
    bool linear;                             // bilinear filtering (float results)
    bool normalized;                         // coordinates in [0, 1); without it, wrap and mirror are clamp
    bool unit_float;                         // 8- and 16-bit texels are read as [0,1] or [-1,1] floats
    uint32_t depth, layers;                  // of 3D textures, and of layered ones; 0: it isn't one
    uint64_t slice;                          // bytes from slice to slice, where there are several
    bool cube;                               // each layer, or the whole, is six faces of height = width
    uint32_t levels;                         // of a mipmap, of which each has half the size of the one before; 0 is 1
    const oc_tex_level *mipmap;              // levels - 1: where those behind the first lie
    bool linear_levels;                      // filtering between two levels, too
    float level_bias, level_min, level_max;  // added to the level that is asked for, which is then brought in between
    bool by_axis;                            // address is that of x alone, and these are those of y and z
    oc_tex_address address_y, address_z;
    float border[4];  // what OC_TEX_BORDER reads outside
    bool srgb;        // of 8 bits and unit_float: red, green and blue are sRGB, and read as linear
} oc_texture;
static inline oc_status oc_texture_create(oc_device *device, const oc_texture *texture, uint64_t *handle);
oc_status oc_texture_destroy(oc_device *device, uint64_t handle);
// Only the first level's memory, size and format count for a surface; unit_float is for sust.p, which converts.
static inline oc_status oc_surface_create(oc_device *device, const oc_texture *surface, uint64_t *handle);
oc_status oc_surface_destroy(oc_device *device, uint64_t handle);
// Binds a .texref, .samplerref or .surfref variable of a module; of a sampler, only how it reads counts. of null: from
// now on nothing is bound. handle (may be null) gets the variable's handle, which &variable is in a kernel.
static inline oc_status oc_reference_bind(oc_module *module, const char *name, const oc_texture *of, uint64_t *handle);

// A tensor map describes a tensor in device memory, and the box of it that one instruction copies between there and a
// block's shared memory (cp.async.bulk.tensor, PTX ISA §5.5). A kernel gets its 128 bytes by value, as a parameter
// `.param .align 64 .b8 name[128]`. The first dimension is the one whose elements lie side by side.
enum { OC_TENSOR_RANK = 5, OC_TENSOR_MAP = 128 };  // most dimensions; bytes of a map
typedef enum oc_tensor_type {
    OC_TENSOR_U8,
    OC_TENSOR_U16,
    OC_TENSOR_U32,
    OC_TENSOR_S32,
    OC_TENSOR_U64,
    OC_TENSOR_S64,
    OC_TENSOR_F16,
    OC_TENSOR_F32,
    OC_TENSOR_F64,
    OC_TENSOR_BF16
} oc_tensor_type;
typedef struct oc_tensor {
    oc_ptr base;  // a multiple of 16
    oc_tensor_type type;
    uint32_t rank;                    // dimensions, 1 to 5
    uint64_t size[OC_TENSOR_RANK];    // elements, 1 to 2^32
    uint64_t stride[OC_TENSOR_RANK];  // bytes from one to the next, multiples of 16; the first isn't looked at
    uint32_t box[OC_TENSOR_RANK];     // elements that one instruction copies, 1 to 256
    uint32_t step[OC_TENSOR_RANK];    // 1 to 8: only every so many of them; 0 counts as 1
    uint32_t swizzle;                 // 0, or 32, 64 or 128: bytes within which units of 16 change places
    bool nan;                         // what lies outside of the tensor reads as NaN, else as 0
} oc_tensor;
static inline oc_status oc_tensor_map(oc_device *device, const oc_tensor *tensor, void *map);

// Streams order what is put on them; different streams overlap in simulated time.
oc_status oc_stream_create(oc_device *device, oc_stream **stream);
void oc_stream_destroy(oc_stream *stream);       // null: nothing
double oc_stream_time(const oc_stream *stream);  // seconds from the device's opening to the end of the stream's work
// Waits until a stream's work is done; null: all work. Calls that give work to a stream return before it is done, in
// simulated time: the host has a clock there, which each such call and each wait moves on by host.call, and a wait
// moves to the end of what it waits for. Work begins no earlier than its call.
oc_status oc_synchronize(oc_device *device, oc_stream *stream);

// Events mark a moment of a stream (null: the default stream); times are simulated seconds, or the real GPU's own. In a
// stream without work an event marks the host's present, when its call returns.
oc_status oc_event_create(oc_device *device, oc_event **event);
void oc_event_destroy(oc_event *event);  // null: nothing
oc_status oc_event_record(oc_event *event, oc_stream *stream);
oc_status oc_event_synchronize(oc_event *event);  // until that moment; of an event that was never recorded: not at all
oc_status oc_event_seconds(oc_event *from, oc_event *to, double *seconds);

// Later launches of the kernel have clusters of so many blocks, at most 16, which divide the grid: the blocks of a
// cluster run side by side and see each other's shared memory. {0, 0, 0}: as the kernel's .reqnctapercluster says, or
// none.
oc_status oc_cluster(oc_kernel *kernel, oc_dim3 blocks);

// Launches a kernel and simulates it to its end. args[i] points to the value of parameter i (as cuLaunchKernel's
// kernelParams); args may be null for a kernel without parameters. smem is the block's dynamic shared memory in bytes.
oc_status oc_launch(oc_kernel *kernel, oc_dim3 grid, oc_dim3 block, uint32_t smem, oc_stream *stream,
                    const void *const *args);

// The record: one entry per launch, in order. A real GPU's has no counters, and of the rates only "seconds". An entry
// takes 6 KB and more, and stays until the device is closed or oc_forget is called.
size_t oc_launches(const oc_device *device);
const char *oc_launch_kernel(const oc_device *device, size_t launch);
uint64_t oc_launch_counter(const oc_device *device, size_t launch, const char *name);  // 0 for an unknown name
double oc_launch_rate(const oc_device *device, size_t launch, const char *name);       // formulas, e.g. "ipc"
// The value of a counter, of a rate, or of what Nsight Compute calls by that name (doc/use/metrics.md); NAN: it is a
// share of nothing. Of one that is estimated (oc_config.sample) "NAME.low" and "NAME.high" are the ends of
// the interval in which it lies with a probability of 95 %. OC_BAD_ARGUMENT, and nothing is written: there is no such
// name, or no such launch.
oc_status oc_launch_value(const oc_device *device, size_t launch, const char *name, double *value);
// The names of the device's counters and rates, counted from 0; null: there are no more. Those of a warp scheduler's
// own counters begin with "sched.". They stay valid until the device is closed.
const char *oc_counter_name(const oc_device *device, size_t index);
const char *oc_rate_name(const oc_device *device, size_t index);
const char *oc_metric_name(const oc_device *device, size_t index);  // the same of Nsight Compute's, for oc_launch_value
// What a launch did with one of its data structures: an allocation, "local memory", or "other", what can't be told
// apart. name stays valid until the device is closed or oc_forget is called.
typedef struct oc_structure {
    const char *name;                 // the allocation's label, or the parameter's name
    uint64_t loads, stores, atomics;  // instructions of warps
    uint64_t transactions, sectors;   // segments of 128 bytes, and of 32, that these touched
    uint64_t l1_accesses, l1_hits;    // look-ups in the L1, or in the cache that serves it
    uint64_t dram_bytes;              // read from DRAM and written to it
} oc_structure;
// False, and nothing is written: there are no more. They are counted from 0.
static inline bool oc_launch_structure(const oc_device *device, size_t launch, size_t index, oc_structure *structure);
// Why its loads of that structure missed in the L1, where config.why was set (doc/use/why.md). All count transactions:
// a line that a load instruction of a warp touches.
typedef struct oc_misses {
    uint64_t loads, served;                             // served: hits, and merges with misses under way
    uint64_t first_touch, capacity, conflict, dropped;  // why the others missed
    // So many another L1 would have served: a fully associative one, one of twice and of four times the size, one with
    // hashed sets, one without the other structures' loads.
    uint64_t full, twice, four, hashed, alone;
} oc_misses;
// False, and nothing is written: there are no more, or nobody asked. index counts as in oc_launch_structure.
static inline bool oc_launch_misses(const oc_device *device, size_t launch, size_t index, oc_misses *misses);
// What config.check found in a launch (doc/use/check.md): all of one kind at the same instructions is one finding, and
// what it says is of the first. Names and texts stay valid until the device is closed or oc_forget is called.
typedef struct oc_place {
    const char *access;       // "write"; null: there is no such place
    const char *where;        // "kernel at file.ptx:12 (file.cu:5)"
    const char *instruction;  // as the PTX has it
    oc_dim3 block, thread;    // who it was
} oc_place;
typedef struct oc_finding {
    const char *kind;       // "race", "uninitialised", "incomplete" and so on (doc/reference/json.md)
    const char *space;      // "global", "shared memory" and the like; null: it is about no memory
    const char *structure;  // the data structure; null: there is none
    int64_t offset;         // in it, bytes
    uint32_t bytes;         // of the access
    uint64_t count;         // how often it happened
    oc_place at[2];         // of a race, the earlier access first
    const char *cure;       // what orders such accesses rightly, or what to write
} oc_finding;
// False, and nothing is written: there are no more, or nobody asked. They are counted from 0.
static inline bool oc_launch_finding(const oc_device *device, size_t launch, size_t index, oc_finding *finding);
// What the check left out of the launch, in words, for want of room; null: nothing.
const char *oc_launch_unchecked(const oc_device *device, size_t launch);
// What a launch did at a line of its source, the hottest first: the line of the PTX's .loc, or of the PTX itself. The
// names stay valid until the device is closed.
typedef struct oc_line {
    const char *file, *at_file;  // at: where the function that has the line was inlined in the kernel; null: it wasn't
    uint32_t line, at_line;
    uint64_t issued;                 // instructions of warps
    uint64_t memory, queue;          // issue slots lost to waiting for memory, and for the load-store unit
    uint64_t transactions, sectors;  // as in oc_structure; of shared memory, passes
    uint64_t l1_accesses, l1_hits;
} oc_line;
// False, and nothing is written: there are no more. They are counted from 0.
static inline bool oc_launch_line(const oc_device *device, size_t launch, size_t index, oc_line *line);
// The values that a counter had after each config.interval cycles of a launch, at the next window's edge, which may lie
// behind its end; they begin at 0. values gets the first `capacity` of them, and may be null where that is 0. Returns
// how many there are; 0 also of an unknown name.
size_t oc_launch_series(const oc_device *device, size_t launch, const char *counter, uint64_t *values, size_t capacity);
// What a launch's report says, in the words of `onchip run`.
typedef enum oc_words {
    OC_WORDS_LIMITS,  // what limits it, without a line's end (doc/use/run.md)
    OC_WORDS_PEAKS,   // the share of its peak that each unit reached, the same
    OC_WORDS_WHY,     // why its loads missed in the L1, in lines, where config.why was set (doc/use/why.md)
    OC_WORDS_SOURCE,  // the source with its counters, in lines (doc/use/metrics.md)
    OC_WORDS_CHART,   // the memory chart and the roofline, in lines
    OC_WORDS_KERNEL   // the kernel's name in C++, in full; as it is, if it is none; also where it wasn't timed
} oc_words;
// Writes them and a zero byte into text (may be null where capacity is 0), cut where they are longer than capacity, in
// UTF-8. Returns the length of all of them without the zero byte. 0, and an empty text: there is no such launch or no
// such text, the launch wasn't timed, or the device is a real GPU. The source's files are read by this call, and its
// module must be loaded still.
size_t oc_launch_words(const oc_device *device, size_t launch, oc_words words, char *text, size_t capacity);
// Begins a file into which the device's launches and copies go from now on, over time, in the trace event format that
// Perfetto and Chrome open. interval: cycles between samples of the curves; 0: 1000. title may be null. path null: only
// ends the file that was begun before, as the device's closing does. OC_BAD_FILE: it can't be written.
oc_status oc_trace(oc_device *device, const char *path, uint64_t interval, const char *title);
// For a program that launches often, such as after every launch: forgets entries, but not the last keep ones. Launches
// keep their numbers, and oc_launches goes on counting; one that is forgotten has no name, and 0 for every counter.
void oc_forget(oc_device *device, size_t keep);

// What the library exports of the functions that take or fill a structure: size is the caller's sizeof.
oc_status oc_open_sized(const oc_config *config, size_t size, oc_device **device, char *message, size_t capacity);
void oc_describe_sized(const oc_device *device, oc_device_info *info, size_t size);
void oc_kernel_describe_sized(const oc_kernel *kernel, oc_kernel_info *info, size_t size);
oc_status oc_texture_create_sized(oc_device *device, const oc_texture *texture, size_t size, uint64_t *handle);
oc_status oc_surface_create_sized(oc_device *device, const oc_texture *surface, size_t size, uint64_t *handle);
oc_status oc_reference_bind_sized(oc_module *module, const char *name, const oc_texture *of, size_t size,
                                  uint64_t *handle);
oc_status oc_tensor_map_sized(oc_device *device, const oc_tensor *tensor, size_t size, void *map);
bool oc_launch_structure_sized(const oc_device *device, size_t launch, size_t index, oc_structure *structure,
                               size_t size);
bool oc_launch_misses_sized(const oc_device *device, size_t launch, size_t index, oc_misses *misses, size_t size);
bool oc_launch_finding_sized(const oc_device *device, size_t launch, size_t index, oc_finding *finding, size_t size);
bool oc_launch_line_sized(const oc_device *device, size_t launch, size_t index, oc_line *line, size_t size);

static inline oc_status oc_open(const oc_config *config, oc_device **device, char *message, size_t capacity)
{
    return oc_open_sized(config, sizeof *config, device, message, capacity);
}

static inline oc_device_info oc_describe(const oc_device *device)
{
    oc_device_info info;
    oc_describe_sized(device, &info, sizeof info);
    return info;
}

static inline oc_kernel_info oc_kernel_describe(const oc_kernel *kernel)
{
    oc_kernel_info info;
    oc_kernel_describe_sized(kernel, &info, sizeof info);
    return info;
}

static inline oc_status oc_texture_create(oc_device *device, const oc_texture *texture, uint64_t *handle)
{
    return oc_texture_create_sized(device, texture, sizeof *texture, handle);
}

static inline oc_status oc_surface_create(oc_device *device, const oc_texture *surface, uint64_t *handle)
{
    return oc_surface_create_sized(device, surface, sizeof *surface, handle);
}

static inline oc_status oc_reference_bind(oc_module *module, const char *name, const oc_texture *of, uint64_t *handle)
{
    return oc_reference_bind_sized(module, name, of, sizeof *of, handle);
}

static inline oc_status oc_tensor_map(oc_device *device, const oc_tensor *tensor, void *map)
{
    return oc_tensor_map_sized(device, tensor, sizeof *tensor, map);
}

static inline bool oc_launch_structure(const oc_device *device, size_t launch, size_t index, oc_structure *structure)
{
    return oc_launch_structure_sized(device, launch, index, structure, sizeof *structure);
}

static inline bool oc_launch_misses(const oc_device *device, size_t launch, size_t index, oc_misses *misses)
{
    return oc_launch_misses_sized(device, launch, index, misses, sizeof *misses);
}

static inline bool oc_launch_finding(const oc_device *device, size_t launch, size_t index, oc_finding *finding)
{
    return oc_launch_finding_sized(device, launch, index, finding, sizeof *finding);
}

static inline bool oc_launch_line(const oc_device *device, size_t launch, size_t index, oc_line *line)
{
    return oc_launch_line_sized(device, launch, index, line, sizeof *line);
}

#ifdef __cplusplus
}
#endif
#endif
