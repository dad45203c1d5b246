// graph_memory.c: memory that a graph's nodes allocate and free. Its address is the node's from the beginning on, so
// the memory is taken when the node is made. What a launch and the program do to it is counted, and tells when it can
// go: once no node has it, and no launch has allocated it that nothing has freed.
#include "cudart/graph.h"

#include <pthread.h>

typedef struct Held {
    void *at;  // the key
    size_t bytes;
    uint32_t nodes;
    bool live;
    UT_hash_handle hh;
} Held;
static struct {
    pthread_mutex_t lock;
    Held *all;
    uint64_t bytes, most;  // that are live
} held = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Held *find(const void *p)
{
    Held *h;
    HASH_FIND_PTR(held.all, &p, h);
    return h;
}

static void be_live(Held *h, bool live)
{
    if (h->live == live) return;
    h->live = live;
    held.bytes += live ? h->bytes : -h->bytes;
    held.most = MAX(held.most, held.bytes);
}

cudaError_t graph_allocate(void **p, size_t bytes)
{
    cudaError_t error = memory_take(p, bytes);
    if (error) return error;
    Held *h = mem_alloc(sizeof *h);
    h->at = *p, h->bytes = bytes, h->nodes = 1;
    pthread_mutex_lock(&held.lock);
    HASH_ADD_PTR(held.all, at, h);
    pthread_mutex_unlock(&held.lock);
    return cudaSuccess;
}

void graph_holds(void *p, bool on)
{
    pthread_mutex_lock(&held.lock);
    Held *h = find(p);
    if (h) h->nodes += on ? 1 : -1u;
    const bool gone = h && !h->nodes && !h->live;
    if (gone) HASH_DEL(held.all, h);
    pthread_mutex_unlock(&held.lock);
    if (gone) memory_free(p, false), mem_free(h);
}

cudaError_t graph_memory_run(void *p, bool alloc)
{
    pthread_mutex_lock(&held.lock);
    Held *h = find(p);
    if (h) be_live(h, alloc);
    pthread_mutex_unlock(&held.lock);
    return h ? cudaSuccess : alloc ? cudaErrorInvalidValue : memory_free(p, false);
}

bool graph_memory_live(const void *p)
{
    pthread_mutex_lock(&held.lock);
    const Held *h = find(p);
    const bool live = h && h->live;
    pthread_mutex_unlock(&held.lock);
    return live;
}

bool graph_memory_freed(void *p, bool *known)
{
    pthread_mutex_lock(&held.lock);
    Held *h = find(p);
    *known = h;
    const bool was = h && h->live, gone = h && !h->nodes;
    if (h) be_live(h, false);
    if (gone) HASH_DEL(held.all, h);
    pthread_mutex_unlock(&held.lock);
    if (gone) mem_free(h);
    return was && gone;
}

// --- what the device says of it --------------------------------------------------------------------------------------
typedef enum MemoryAttribute { USED, USED_HIGH, RESERVED, RESERVED_HIGH } MemoryAttribute;  // cudaGraphMemAttributeType

cudaError_t cudaDeviceGetGraphMemAttribute(int device, int attribute, uint64_t *value)
{
    READY();
    if (device) return noted(cudaErrorInvalidDevice);
    if (!value || attribute < USED || attribute > RESERVED_HIGH) return noted(cudaErrorInvalidValue);
    pthread_mutex_lock(&held.lock);
    *value = attribute == USED || attribute == RESERVED ? held.bytes : held.most;
    pthread_mutex_unlock(&held.lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceSetGraphMemAttribute(int device, int attribute, const uint64_t *value)
{
    READY();
    if (device) return noted(cudaErrorInvalidDevice);
    if (!value || *value || (attribute != USED_HIGH && attribute != RESERVED_HIGH)) return noted(cudaErrorInvalidValue);
    pthread_mutex_lock(&held.lock);
    held.most = held.bytes;
    pthread_mutex_unlock(&held.lock);
    return cudaSuccess;
}

cudaError_t cudaDeviceGraphMemTrim(int device)
{
    READY();
    return noted(device ? cudaErrorInvalidDevice : cudaSuccess);
}
