// ipc.c: memory and events that one process of the program gives to another. All have the device's memory at the same
// addresses, so that a handle is an address, with what tells that it is one. An event's is a key, which onchip gives.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>
#include <unistd.h>

#define MARK "onchip memory"
typedef struct IpcHandle {
    union {
        struct {
            char mark[16];
            uint64_t at, bytes;
            int64_t owner;  // a process
        } of;
        char room[64];
    };
} cudaIpcMemHandle_t;
_Static_assert(sizeof(cudaIpcMemHandle_t) == 64, "as in CUDA 13");

typedef struct Opened {
    void *at;  // the key
    int times;
    UT_hash_handle hh;
} Opened;
static struct {
    pthread_mutex_t lock;
    Opened *all;
} opened = {.lock = PTHREAD_MUTEX_INITIALIZER};

static atomic_bool given;
bool memory_given(void) { return atomic_load(&given); }

cudaError_t cudaIpcGetMemHandle(cudaIpcMemHandle_t *h, void *p)
{
    enum { DEVICE = 2 };  // cudaMemoryType
    uint64_t start, bytes;
    int type;
    READY();
    if (!h || !p) return noted(cudaErrorInvalidValue);
    cudaError_t error = memory_type(p, &type);
    if (!error) error = memory_range((uintptr_t)p, &start, &bytes);
    if (error) return noted(error);
    if (type != DEVICE || !bytes) return noted(cudaErrorInvalidValue);
    atomic_store(&given, true);
    *h = (cudaIpcMemHandle_t){.of = {.mark = MARK, .at = start, .bytes = bytes, .owner = getpid()}};
    return cudaSuccess;
}

// A process can't open what is its own (CUDA Runtime API, cudaIpcOpenMemHandle).
cudaError_t cudaIpcOpenMemHandle(void **p, cudaIpcMemHandle_t h, unsigned flags)
{
    enum { LAZY_PEERS = 1 };
    uint64_t start, bytes;
    READY();
    if (!p || flags != LAZY_PEERS || strncmp(h.of.mark, MARK, sizeof h.of.mark)) return noted(cudaErrorInvalidValue);
    if (h.of.owner == getpid()) return noted(cudaErrorDeviceUninitialized);
    cudaError_t error = memory_range(h.of.at, &start, &bytes);
    if (!error && (start != h.of.at || bytes != h.of.bytes)) error = cudaErrorInvalidResourceHandle;
    if (error) return noted(error);
    void *at = (void *)(uintptr_t)start;
    pthread_mutex_lock(&opened.lock);
    Opened *o;
    HASH_FIND_PTR(opened.all, &at, o);
    if (!o) {
        o = mem_alloc(sizeof *o);
        o->at = at;
        HASH_ADD_PTR(opened.all, at, o);
    }
    o->times++;
    pthread_mutex_unlock(&opened.lock);
    *p = at;
    return cudaSuccess;
}

cudaError_t cudaIpcCloseMemHandle(void *p)
{
    READY();
    pthread_mutex_lock(&opened.lock);
    Opened *o;
    HASH_FIND_PTR(opened.all, &p, o);
    const bool known = o;
    if (o && !--o->times) {
        HASH_DEL(opened.all, o);
        mem_free(o);
    }
    pthread_mutex_unlock(&opened.lock);
    return noted(known ? cudaSuccess : cudaErrorInvalidValue);
}

// --- events ----------------------------------------------------------------------------------------------------------
#define EVENT_MARK "onchip event"
typedef struct EventHandle {
    union {
        struct {
            char mark[16];
            uint64_t key;
            int64_t owner;  // a process
        } of;
        char room[64];
    };
} cudaIpcEventHandle_t;
_Static_assert(sizeof(cudaIpcEventHandle_t) == 64, "as in CUDA 13");

cudaError_t cudaIpcGetEventHandle(cudaIpcEventHandle_t *h, cudaEvent_t event)
{
    uint64_t key;
    READY();
    if (!h) return noted(cudaErrorInvalidValue);
    cudaError_t error = event_share(event, &key);
    if (!error) *h = (cudaIpcEventHandle_t){.of = {.mark = EVENT_MARK, .key = key, .owner = getpid()}};
    return noted(error);
}

// As with memory, not in the process that has given the handle.
cudaError_t cudaIpcOpenEventHandle(cudaEvent_t *event, cudaIpcEventHandle_t h)
{
    READY();
    if (!event || strncmp(h.of.mark, EVENT_MARK, sizeof h.of.mark)) return noted(cudaErrorInvalidValue);
    if (h.of.owner == getpid()) return noted(cudaErrorDeviceUninitialized);
    return noted(event_open(h.of.key, event));
}
