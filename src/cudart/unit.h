// unit.h: what the files of cudart ask of each other. What the driver's functions call too stands in cudart.h.
#ifndef CUDART_UNIT_H
#define CUDART_UNIT_H

#include "cudart/cudart.h"

// --- client.c --------------------------------------------------------------------------------------------------------
// Does [address, address + bytes) lie in the device's memory, which this process has mapped?
bool client_mapped(uint64_t address, uint64_t bytes);

// --- clock.c: the program's own clock --------------------------------------------------------------------------------
void clock_begin(bool uses_cuda);  // the process's image is looked at, and does itself use CUDA; the first call counts
void clock_start(double now);      // this process has connected, and the simulated host's clock is at so many seconds
void clock_move(double now);       // it has come there
// The program's own function is called: its time is its own again. Returns what clock_inside takes behind it.
int clock_outside(void);
void clock_inside(int depth);
void clock_nap(unsigned microseconds);  // of the host
uint32_t clock_said(void);              // WIRE_READ_…: which clocks were read, if onchip is to be told
bool clock_unsaid(void);                // onchip doesn't know all of them
// For reads.c and waits.c:
typedef struct Elapsed {  // nanoseconds since the clock began
    int64_t all, busy;    // busy: without what it has slept
} Elapsed;
bool clock_is_simulated(void);  // to this thread here: inside of CUDA's functions it isn't
void clock_was_read(bool simulated);
Elapsed clock_elapsed(void);
int64_t clock_base(int id);  // what clock id, a CLOCK_…, showed when it began; −1: it isn't one of ours
int64_t clock_lag(void);     // how far the program's clock lies behind the host's
void clock_sleeps(int by);   // one more (1) or one less (−1) thread sleeps, by its own wish
bool clock_stands(void);     // a thread is in a function of CUDA's

// --- reads.c: the functions that read it -----------------------------------------------------------------------------
int64_t clock_host(int id);  // what the host's clock id shows, in nanoseconds

// --- callers.c: where a program asks for memory ----------------------------------------------------------------------
// The calls of the program that led here, the innermost first: for each a line with the place behind it in its file, in
// hexadecimal, and the file's name. Empty: unknown.
void calls_here(Text *lines);

// --- older.c: programs of CUDA 12 and 11 -----------------------------------------------------------------------------
int runtime_major(void);  // the version of CUDA whose runtime this is to the program: 13, 12 or 11
void runtime_is(int major);

// --- error.c ---------------------------------------------------------------------------------------------------------
cudaError_t runtime_begin(void);  // runtime_ready, of a function that needs no context

// --- device.c --------------------------------------------------------------------------------------------------------
cudaError_t device_properties(void *properties, int device, int major);  // as that version of CUDA lays them out
cudaError_t cudaDeviceReset(void);

// --- registered.c: memory of the program -----------------------------------------------------------------------------
cudaError_t registered_map(const void *p);  // from now on it has an address for kernels
void registered_forget(void);               // none is left; before the device is as new

// --- launch.c --------------------------------------------------------------------------------------------------------
cudaError_t launch_check(const Config *c, const Entry *e);         // may the kernel be launched so?
void launch_values(const Entry *e, const Values *v, uint8_t *to);  // its param_bytes; what v lacks is zero
cudaError_t cudaLaunchHostFunc(cudaStream_t s, void (*function)(void *), void *data);  // host.c

// --- module.c: a program's device code -------------------------------------------------------------------------------
cudaError_t variable_of(const void *symbol, uint64_t *at, size_t *bytes);
// The module of a binary that was registered, which is loaded by that.
cudaError_t module_of(void **handle, uint64_t *module);
void modules_forget(void);  // the device is as new: what is used later is loaded again

// --- parts.c: the PTX of a program's image ---------------------------------------------------------------------------
// For this device; of several objects that belong together (nvcc -rdc=true) it is linked. False, and why.
bool parts_ptx(const void *image, Text *ptx, Diag *diag);

// --- memory.c --------------------------------------------------------------------------------------------------------
void managed_is_used(void);
bool managed_used(void);  // has the program managed memory, which it may read without any call?
cudaError_t cudaMallocHost(void **p, size_t bytes);
cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s);
cudaError_t memory_take(void **p, size_t bytes);  // cudaMalloc, also while a stream is captured
cudaError_t memory_free(void *p, bool waits);     // waits: for all work, in simulated time
// The same for a piece of several; more: it isn't the first one.
cudaError_t memory_copy(void *to, const void *from, size_t bytes, int kind, cudaStream_t s, bool more);
cudaError_t memory_fill(void *to, int value, size_t bytes, cudaStream_t s, bool more);
// Where bytes of a variable are, from offset on.
cudaError_t symbol_place(const void *symbol, size_t offset, size_t bytes, void **at);

// --- pool.c: memory in the order of a stream -------------------------------------------------------------------------
typedef struct PoolProps {  // cudaMemPoolProps
    int kind, handles;
    cudaMemLocation at;
    void *security;
    size_t most;
    unsigned short usage;
    unsigned char reserved[54];
} PoolProps;
_Static_assert(sizeof(PoolProps) == 88, "as in CUDA 13");
void pool_loses(const void *p);  // the memory is freed

// --- pitch.c ---------------------------------------------------------------------------------------------------------
cudaError_t cudaMemcpy3DAsync(const CopyParams *c, cudaStream_t s);
cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t s);

// --- capture.c: streams whose work becomes a graph -------------------------------------------------------------------
// Something is asked for in a stream. *taken: the stream is captured, and a kernel, a copy, a fill or a function is a
// node now, and isn't to be done. Else the error is that of what breaks a capture, or there is none.
cudaError_t capture_kernel(const void *f, const Config *c, const Values *v, bool *taken);
cudaError_t capture_copy(const Box *to, const Box *from, cudaExtent e, int kind, cudaStream_t s, bool *taken);
cudaError_t capture_fill(void *to, size_t pitch, unsigned word, size_t size, size_t width, size_t height,
                         cudaStream_t s, bool *taken);
cudaError_t capture_allocate(void **p, size_t bytes, cudaStream_t s, bool *taken);
cudaError_t capture_free(void *p, cudaStream_t s, bool *taken);
cudaError_t capture_record(cudaEvent_t e, cudaStream_t s, bool external, bool *taken);
cudaError_t capture_wait(cudaEvent_t e, cudaStream_t s, bool external, bool *taken);
cudaError_t capture_forbids(cudaStream_t s);             // to wait for a stream
cudaError_t capture_forbids_event(const cudaEvent_t e);  // to wait for an event
cudaError_t capture_forbids_unsafe(void);             // what a captured thread may not do: to allocate, to wait for all
void capture_forgets(cudaStream_t s, cudaEvent_t e);  // either may be null: it ends

// --- exec.c: executable graphs ---------------------------------------------------------------------------------------
bool graph_running(void);  // this thread launches one, whose work it asks for

// --- graph_memory.c: memory that graphs allocate ---------------------------------------------------------------------
bool graph_memory_freed(void *p, bool *known);  // the program frees it: known; true: it may go now

// --- array.c: arrays, mipmaps.c: arrays of several levels ------------------------------------------------------------
cudaError_t array_make(const Array **out, const ChannelDesc *desc, cudaExtent e, unsigned flags, bool level);
cudaError_t array_free(const Array *array, bool level);
cudaError_t texel_of(const ChannelDesc *d, size_t *bytes);  // of an element, which has 1, 2 or 4 channels
void arrays_forget(void);                                   // none of them is left

// --- mipmaps.c -------------------------------------------------------------------------------------------------------
void mipmaps_forget(void);

// --- texture.c: texture objects --------------------------------------------------------------------------------------
// What is asked of onchip: a texture, with its levels behind it.
typedef struct TextureCall {
    WireTexture w;
    WireLevel rest[MOST_LEVELS];
} TextureCall;
// view may be null. How it is read stays empty where t is null.
cudaError_t texture_describe(const Resource *r, const TextureDesc *t, const View *view, TextureCall *call);
size_t texture_bytes_of(const TextureCall *call);  // of the call's text
void textures_forget(void);

// --- surface.c -------------------------------------------------------------------------------------------------------
void surfaces_forget(void);
cudaError_t surface_describe(const Array *array, TextureCall *call);

// --- reference.c: references of old programs -------------------------------------------------------------------------
typedef struct TextureReference {  // textureReference, of CUDA 11 and before
    int normalized, filter, address[3];
    ChannelDesc desc;
    int srgb;
    unsigned anisotropy;
    int mipmap_filter;
    float mipmap_bias, mipmap_least, mipmap_most;
    int no_trilinear_shortcut, reserved[14];
} TextureReference;
// A variable of the program, which is its own symbol, and its name in the PTX. What binds is named as in CUDA's
// runtime.
void reference_register(void **binary, const void *host, const char *name, int normalized_read);
void references_unregister(void **binary);
cudaError_t reference_bind_linear(size_t *offset, const TextureReference *t, const void *at, const ChannelDesc *desc,
                                  size_t bytes);
cudaError_t reference_bind_rows(size_t *offset, const TextureReference *t, const void *at, const ChannelDesc *desc,
                                size_t width, size_t height, size_t pitch);
cudaError_t reference_bind_array(const TextureReference *t, const Array *array);
cudaError_t reference_bind_mipmap(const TextureReference *t, const Mipmap *mipmap);
cudaError_t reference_bind_surface(const void *surface, const Array *array);
cudaError_t reference_unbind(const TextureReference *t);
cudaError_t reference_offset(size_t *offset, const TextureReference *t);
cudaError_t reference_of(const void **reference, const void *symbol, cudaError_t none);  // none: the error

// --- ipc.c -----------------------------------------------------------------------------------------------------------
bool memory_given(void);  // another process may have some of this one's memory

// --- stream.c: streams and events ------------------------------------------------------------------------------------
void things_forget(void);  // none of them is left
bool event_known(cudaEvent_t e);
bool stream_blocks(cudaStream_t s);  // does the default stream wait for it?
// An event that was made for it gets a key, by which another process opens it.
cudaError_t event_share(cudaEvent_t event, uint64_t *key);
cudaError_t event_open(uint64_t key, cudaEvent_t *event);

#endif
