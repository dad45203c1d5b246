// pool.c: memory that is allocated and freed in the order of a stream. Launches are simulated in the order in which
// they are asked for, so that memory is there at once, and freed once all launches before are done. A pool keeps no
// memory: it counts what was allocated from it.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>

enum { SET_LAST = 4, THRESHOLD = 4, RESERVED = 5, RESERVED_HIGH, USED, USED_HIGH, ATTRIBUTES };  // cudaMemPoolAttr
typedef struct Pool {
    struct Pool *self;  // the key
    // As set: 1 to 3 what may be used again, 4 from how many bytes on the pool gives back; used, and the most so far.
    uint64_t attribute[ATTRIBUTES];
    UT_hash_handle hh;
} Pool;
typedef struct Piece {
    void *at;  // the key
    Pool *of;
    size_t bytes;
    UT_hash_handle hh;
} Piece;
enum { READ_WRITE = 3 };
static struct {
    pthread_mutex_t lock;
    Pool *all, *own, *current;  // the device's own, and the one that is used where none is named
    Piece *pieces;
} pools = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(void) { pthread_mutex_lock(&pools.lock); }
static void leave(void) { pthread_mutex_unlock(&pools.lock); }

static Pool *make(void)
{
    Pool *p = mem_alloc(sizeof *p);
    *p = (Pool){.self = p, .attribute = {0, 1, 1, 1}};
    HASH_ADD_PTR(pools.all, self, p);
    return p;
}

static Pool *own(void)
{
    if (!pools.own) pools.own = pools.current = make();
    return pools.own;
}

// Null: there is no such pool.
static Pool *find(const Pool *handle)
{
    Pool *p;
    HASH_FIND_PTR(pools.all, &handle, p);
    return p;
}

// --- allocations -----------------------------------------------------------------------------------------------------
static void count(Pool *p, void *at, size_t bytes)
{
    Piece *piece = mem_alloc(sizeof *piece);
    *piece = (Piece){.at = at, .of = p, .bytes = bytes};
    HASH_ADD_PTR(pools.pieces, at, piece);
    uint64_t *a = p->attribute;
    a[RESERVED] = a[USED] += bytes;
    a[RESERVED_HIGH] = a[USED_HIGH] = MAX(a[USED_HIGH], a[USED]);
}

static void discount(const void *at)
{
    Piece *piece;
    HASH_FIND_PTR(pools.pieces, &at, piece);
    if (!piece) return;
    if (piece->of) piece->of->attribute[RESERVED] = piece->of->attribute[USED] -= piece->bytes;
    HASH_DEL(pools.pieces, piece);
    mem_free(piece);
}

static cudaError_t allocate(void **p, size_t bytes, Pool *from, cudaStream_t s)
{
    uint64_t number;
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    bool taken = false;
    cudaError_t error = capture_on() ? capture_allocate(p, bytes, s, &taken) : cudaSuccess;
    if (error || taken) return noted(error);
    error = memory_take(p, bytes);
    enter();
    if (!error && *p && find(from)) count(from, *p, bytes);
    leave();
    return error;
}

cudaError_t cudaMallocAsync(void **p, size_t bytes, cudaStream_t s)
{
    READY();
    enter();
    own();
    Pool *current = pools.current;
    leave();
    return allocate(p, bytes, current, s);
}

cudaError_t cudaMallocFromPoolAsync(void **p, size_t bytes, cudaMemPool_t from, cudaStream_t s)
{
    READY();
    enter();
    const bool known = find(from);
    leave();
    return known ? allocate(p, bytes, from, s) : noted(cudaErrorInvalidValue);
}

cudaError_t cudaFreeAsync(void *p, cudaStream_t s)
{
    uint64_t number;
    READY();
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    bool taken = false;
    cudaError_t error = capture_on() ? capture_free(p, s, &taken) : cudaSuccess;
    return error || taken ? noted(error) : memory_free(p, false);
}

void pool_loses(const void *p)
{
    enter();
    discount(p);
    leave();
}

// --- pools -----------------------------------------------------------------------------------------------------------

cudaError_t cudaMemPoolCreate(cudaMemPool_t *p, const PoolProps *props)
{
    enum { PINNED = 1, ON_DEVICE = 1 };  // cudaMemAllocationType, cudaMemLocationType
    READY();
    if (!p || !props || props->kind != PINNED || props->at.type != ON_DEVICE) return noted(cudaErrorInvalidValue);
    if (props->at.id) return noted(cudaErrorInvalidDevice);
    if (props->handles) return client_missing("a pool of memory that other processes share");
    enter();
    *p = make();
    leave();
    return cudaSuccess;
}

// What was allocated from it stays.
cudaError_t cudaMemPoolDestroy(cudaMemPool_t handle)
{
    READY();
    enter();
    own();
    Pool *p = find(handle);
    if (p && p != pools.own) {
        for (Piece *piece = pools.pieces; piece; piece = piece->hh.next)
            if (piece->of == p) piece->of = NULL;
        if (pools.current == p) pools.current = pools.own;
        HASH_DEL(pools.all, p);
        mem_free(p);
    } else {
        p = NULL;
    }
    leave();
    return noted(p ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t the_pool(cudaMemPool_t *p, int device, bool current)
{
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    if (device) return noted(cudaErrorInvalidDevice);
    enter();
    own();
    *p = current ? pools.current : pools.own;
    leave();
    return cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *p, int device) { return the_pool(p, device, false); }
cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *p, int device) { return the_pool(p, device, true); }

cudaError_t cudaDeviceSetMemPool(int device, cudaMemPool_t handle)
{
    READY();
    if (device) return noted(cudaErrorInvalidDevice);
    enter();
    own();
    Pool *p = find(handle);
    if (p) pools.current = p;
    leave();
    return noted(p ? cudaSuccess : cudaErrorInvalidValue);
}

// The threshold and what is counted are numbers of 64 bits, the others are ints.
static size_t bytes_of(int attribute) { return attribute >= THRESHOLD ? sizeof(uint64_t) : sizeof(int); }

// What is counted may only be set to 0, and only its most.
cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t handle, int attribute, void *value)
{
    uint64_t given = 0;
    READY();
    if (!value || attribute < 1 || attribute >= ATTRIBUTES) return noted(cudaErrorInvalidValue);
    memcpy(&given, value, bytes_of(attribute));
    const bool high = attribute == RESERVED_HIGH || attribute == USED_HIGH;
    if (attribute > SET_LAST && (!high || given)) return noted(cudaErrorInvalidValue);
    enter();
    Pool *p = find(handle);
    if (p) p->attribute[attribute] = high ? p->attribute[attribute - 1] : given;
    leave();
    return noted(p ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t handle, int attribute, void *value)
{
    READY();
    if (!value || attribute < 1 || attribute >= ATTRIBUTES) return noted(cudaErrorInvalidValue);
    enter();
    const Pool *p = find(handle);
    if (p) memcpy(value, &p->attribute[attribute], bytes_of(attribute));
    leave();
    return noted(p ? cudaSuccess : cudaErrorInvalidValue);
}

static cudaError_t known(cudaMemPool_t handle)
{
    READY();
    enter();
    const bool is = find(handle);
    leave();
    return noted(is ? cudaSuccess : cudaErrorInvalidValue);
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t p, size_t keep)
{
    (void)keep;
    return known(p);
}

typedef struct Access {  // cudaMemAccessDesc
    cudaMemLocation at;
    int flags;
} Access;

// The one device has access to all pools.
cudaError_t cudaMemPoolSetAccess(cudaMemPool_t p, const Access *list, size_t n)
{
    cudaError_t error = known(p);
    if (error || (n && !list)) return error ? error : noted(cudaErrorInvalidValue);
    for (size_t k = 0; k < n; k++)
        if (list[k].at.id || list[k].flags != READ_WRITE) return noted(cudaErrorInvalidValue);
    return cudaSuccess;
}

cudaError_t cudaMemPoolGetAccess(int *flags, cudaMemPool_t p, const cudaMemLocation *at)
{
    cudaError_t error = known(p);
    if (error || !flags || !at) return error ? error : noted(cudaErrorInvalidValue);
    *flags = at->id ? 0 : READ_WRITE;
    return cudaSuccess;
}
