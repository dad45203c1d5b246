// memory.c: memory, copies and fills. Device, pinned and managed memory are one thing: pieces of the GPU's memory,
// which this process has mapped at the same addresses. So a copy from or to the host is made here, once onchip has said
// that all work before it is done; onchip only takes its time. As with CUDA's unified addressing, the addresses tell
// what is copied from where to where; the direction that a program names isn't needed.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>

// How a piece was asked for, by its address: as cudaMemoryType counts, and above that the flags of pinned memory.
typedef enum Kind { UNREGISTERED, HOST, DEVICE, MANAGED, KINDS } Kind;
static struct {
    pthread_mutex_t lock;
    Map by_address;
} kinds = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool managed;
void managed_is_used(void) { atomic_store(&managed, true); }
bool managed_used(void) { return atomic_load(&managed); }

static cudaError_t allocate(void **p, size_t bytes, Kind kind, unsigned flags)
{
    Answer answer;
    Text calls = {0};
    if (!p) return noted(cudaErrorInvalidValue);
    *p = NULL;
    if (!bytes) return cudaSuccess;
    calls_here(&calls);
    const WireCall call = {.ask = ASK_ALLOC, .a = bytes, .b = kind != DEVICE, .bytes = calls.n};
    cudaError_t error = client_ask(&call, calls.v, &answer);
    text_free(&calls);
    if (error) return noted(error);
    *p = (void *)(uintptr_t)answer.of.a;
    pthread_mutex_lock(&kinds.lock);
    map_put(&kinds.by_address, (const char *)&answer.of.a, sizeof answer.of.a, kind + KINDS * (int64_t)flags);
    pthread_mutex_unlock(&kinds.lock);
    return cudaSuccess;
}

cudaError_t memory_free(void *p, bool waits)
{
    READY();
    const WireCall call = {.ask = ASK_FREE, .flags = waits ? WIRE_WAITS : 0, .a = (uintptr_t)p};
    if (!p) return cudaSuccess;
    bool known = false;
    if (!graph_memory_freed(p, &known) && known) return cudaSuccess;
    cudaError_t error = client_ask(&call, NULL, NULL);
    if (!error) pool_loses(p);
    return noted(error);
}

cudaError_t memory_take(void **p, size_t bytes) { return allocate(p, bytes, DEVICE, 0); }

cudaError_t cudaMalloc(void **p, size_t bytes)
{
    READY();
    cudaError_t error = capture_forbids_unsafe();
    return error ? noted(error) : memory_take(p, bytes);
}

cudaError_t cudaMallocManaged(void **p, size_t bytes, unsigned flags)
{
    READY();
    if (!bytes || (flags != 1 && flags != 2)) return noted(cudaErrorInvalidValue);
    cudaError_t error = capture_forbids_unsafe();
    if (error) return noted(error);
    managed_is_used();
    return allocate(p, bytes, MANAGED, 0);
}

cudaError_t cudaHostAlloc(void **p, size_t bytes, unsigned flags)
{
    enum { FLAGS = 7 };  // portable, mapped, write-combined: this memory is all of it
    READY();
    cudaError_t error = flags & ~(unsigned)FLAGS ? cudaErrorInvalidValue : capture_forbids_unsafe();
    return error ? noted(error) : allocate(p, bytes, HOST, flags);
}

cudaError_t cudaMallocHost(void **p, size_t bytes) { return cudaHostAlloc(p, bytes, 0); }

static cudaError_t free_and_wait(void *p)
{
    READY();
    cudaError_t error = capture_forbids_unsafe();
    return error ? noted(error) : memory_free(p, true);
}

cudaError_t cudaFree(void *p) { return free_and_wait(p); }
cudaError_t cudaFreeHost(void *p) { return free_and_wait(p); }

cudaError_t cudaHostGetDevicePointer(void **device, void *host, unsigned flags)
{
    Answer answer;
    READY();
    if (!device || flags) return noted(cudaErrorInvalidValue);
    *device = NULL;
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_RANGE, .a = (uintptr_t)host}, NULL, &answer);
    if (!error && answer.of.b) *device = host;
    if (!error && !answer.of.b) error = registered_map(host);
    if (!error && !answer.of.b) registered(host, NULL, device);
    return noted(error);
}

typedef struct PointerAttributes {  // cudaPointerAttributes
    int type, device;
    void *on_device, *on_host;
    long reserved[8];
} PointerAttributes;
_Static_assert(sizeof(PointerAttributes) == 88, "as in CUDA 13");

// The kind of memory at p, and what it was asked for with. What no call of ours has given is the program's own memory,
// or a variable of a module.
static cudaError_t kind_at(const void *p, Kind *kind, unsigned *flags)
{
    Answer answer;
    int64_t is = DEVICE;
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_RANGE, .a = (uintptr_t)p}, NULL, &answer);
    pthread_mutex_lock(&kinds.lock);
    if (!error && answer.of.b) map_get(&kinds.by_address, (const char *)&answer.of.a, sizeof answer.of.a, &is);
    pthread_mutex_unlock(&kinds.lock);
    *kind = error || !answer.of.b ? UNREGISTERED : (Kind)(is % KINDS), *flags = (unsigned)(is / KINDS);
    return error;
}

cudaError_t memory_range(uint64_t p, uint64_t *start, uint64_t *bytes)
{
    Answer answer;
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_RANGE, .a = p}, NULL, &answer);
    *start = answer.of.a, *bytes = error ? 0 : answer.of.b;
    return error;
}

cudaError_t memory_type(const void *p, int *type)
{
    Kind kind;
    unsigned flags;
    cudaError_t error = kind_at(p, &kind, &flags);
    *type = (int)kind;
    return error;
}

cudaError_t cudaPointerGetAttributes(PointerAttributes *to, const void *p)
{
    enum { NOWHERE = -2 };  // cudaInvalidDeviceId
    Kind kind;
    unsigned flags;
    READY();
    if (!to) return noted(cudaErrorInvalidValue);
    cudaError_t error = kind_at(p, &kind, &flags);
    if (error) return noted(error);
    size_t size = runtime_major() < 13 ? offsetof(PointerAttributes, reserved) : sizeof *to;
    memset(to, 0, size);
    to->type = (int)kind, to->device = kind == UNREGISTERED ? NOWHERE : 0;
    void *there = (void *)(uintptr_t)p;
    if (kind != UNREGISTERED) to->on_device = there;
    if (kind == HOST || kind == MANAGED) to->on_host = there;
    if (kind == UNREGISTERED && registered(p, NULL, &to->on_device))
        to->type = HOST, to->device = 0, to->on_host = there;
    return cudaSuccess;
}

cudaError_t cudaHostGetFlags(unsigned *flags, const void *p)
{
    Kind kind;
    unsigned given;
    READY();
    if (!flags) return noted(cudaErrorInvalidValue);
    cudaError_t error = kind_at(p, &kind, &given);
    if (!error && kind != HOST && !registered(p, &given, NULL)) error = cudaErrorInvalidValue;
    if (!error) *flags = given;
    return noted(error);
}

cudaError_t cudaMemGetInfo(size_t *room, size_t *total)
{
    Answer answer;
    READY();
    if (!room || !total) return noted(cudaErrorInvalidValue);
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_ROOM}, NULL, &answer);
    *room = answer.of.a, *total = answer.of.b;
    return noted(error);
}

// --- copies ----------------------------------------------------------------------------------------------------------
bool memory_reachable(uint64_t p) { return client_mapped(p, 0); }

static _Thread_local bool waits;
void memory_waits(bool on) { waits = on; }
cudaError_t memory_waited(cudaError_t error) { return waits = false, error; }

static uint32_t flags_of(bool waiting, bool more) { return (waiting ? WIRE_WAITS : 0) | (more ? WIRE_MORE : 0); }

// Both ends may lie on the GPU or on the host. onchip checks the GPU's end before a byte is touched.
//
// A copy to pageable memory returns when it is done, also one in a stream; one between two places of the host, too
// (CUDA Runtime API, "API synchronization behavior"). One from pageable memory in a stream returns once the bytes are
// staged, which takes no time here.
static cudaError_t copy(uint64_t to, uint64_t from, uint64_t bytes, uint64_t stream, bool more)
{
    bool in = client_mapped(to, 0), out = client_mapped(from, 0);
    const bool pageable = !in && !registered((void *)(uintptr_t)to, NULL, NULL);
    WireCall call = {.ask = ASK_MOVED, .a = stream, .b = in ? to : from, .c = bytes, .d = in};
    if (in && out)
        call = (WireCall){.ask = ASK_COPY, .a = stream, .b = to, .c = from, .d = bytes};
    else if (!in && !out)
        call = (WireCall){.ask = ASK_WAIT, .a = 1, .b = stream};
    call.flags = flags_of(waits || (pageable && !graph_running()), more);
    cudaError_t error = client_ask(&call, NULL, NULL);
    if (!error && call.ask != ASK_COPY) memmove((void *)(uintptr_t)to, (const void *)(uintptr_t)from, bytes);
    return error;
}

cudaError_t memory_copy(void *to, const void *from, size_t bytes, int kind, cudaStream_t s, bool more)
{
    enum { BY_ADDRESS = 4 };  // cudaMemcpyDefault, the last of them
    uint64_t stream;
    READY();
    if (kind < 0 || kind > BY_ADDRESS) return noted(cudaErrorInvalidMemcpyDirection);
    if (!stream_number(s, &stream)) return noted(cudaErrorInvalidResourceHandle);
    if (!bytes) return cudaSuccess;
    if (!to || !from) return noted(cudaErrorInvalidValue);
    if (capture_on()) {
        const Box into = {to, bytes, 1}, out_of = {(uint8_t *)(uintptr_t)from, bytes, 1};
        bool taken;
        cudaError_t error = capture_copy(&into, &out_of, (cudaExtent){bytes, 1, 1}, kind, s, &taken);
        if (error || taken) return noted(error);
    }
    return noted(copy((uintptr_t)to, (uintptr_t)from, bytes, stream, more));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t bytes, int kind, cudaStream_t s)
{
    return memory_copy(to, from, bytes, kind, s, false);
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t bytes, int kind)
{
    return WAITING(cudaMemcpyAsync(to, from, bytes, kind, NULL));
}

cudaError_t memory_fill(void *to, int value, size_t bytes, cudaStream_t s, bool more)
{
    uint64_t stream;
    READY();
    if (!stream_number(s, &stream)) return noted(cudaErrorInvalidResourceHandle);
    if (capture_on() && bytes) {
        bool taken;
        cudaError_t error = capture_fill(to, bytes, (unsigned char)value, 1, bytes, 1, s, &taken);
        if (error || taken) return noted(error);
    }
    WireCall call = {.ask = ASK_FILL, .a = stream, .b = (uintptr_t)to, .c = bytes, .d = (unsigned char)value};
    call.flags = flags_of(waits, more);
    return bytes ? noted(client_ask(&call, NULL, NULL)) : cudaSuccess;
}

cudaError_t cudaMemsetAsync(void *to, int value, size_t bytes, cudaStream_t s)
{
    return memory_fill(to, value, bytes, s, false);
}

cudaError_t cudaMemset(void *to, int value, size_t bytes) { return WAITING(cudaMemsetAsync(to, value, bytes, NULL)); }

// --- variables -------------------------------------------------------------------------------------------------------
cudaError_t symbol_place(const void *symbol, size_t offset, size_t bytes, void **at)
{
    uint64_t start;
    size_t all;
    cudaError_t error = variable_of(symbol, &start, &all);
    if (error) return error;
    *at = (void *)(uintptr_t)(start + offset);
    return offset > all || bytes > all - offset ? cudaErrorInvalidValue : cudaSuccess;
}

cudaError_t cudaMemcpyToSymbolAsync(const void *symbol, const void *from, size_t bytes, size_t offset, int kind,
                                    cudaStream_t s)
{
    void *at;
    READY();
    cudaError_t error = symbol_place(symbol, offset, bytes, &at);
    return error ? noted(error) : cudaMemcpyAsync(at, from, bytes, kind, s);
}

cudaError_t cudaMemcpyToSymbol(const void *symbol, const void *from, size_t bytes, size_t offset, int kind)
{
    return WAITING(cudaMemcpyToSymbolAsync(symbol, from, bytes, offset, kind, NULL));
}

cudaError_t cudaMemcpyFromSymbolAsync(void *to, const void *symbol, size_t bytes, size_t offset, int kind,
                                      cudaStream_t s)
{
    void *at;
    READY();
    cudaError_t error = symbol_place(symbol, offset, bytes, &at);
    return error ? noted(error) : cudaMemcpyAsync(to, at, bytes, kind, s);
}

cudaError_t cudaMemcpyFromSymbol(void *to, const void *symbol, size_t bytes, size_t offset, int kind)
{
    return WAITING(cudaMemcpyFromSymbolAsync(to, symbol, bytes, offset, kind, NULL));
}
