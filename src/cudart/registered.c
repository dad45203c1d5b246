// registered.c: memory of the program that it lets the GPU reach (cudaHostRegister). Kernels only reach memory that
// onchip's process has mapped, too. So where a kernel's address for such memory is asked for, its pages move: their
// contents go to a piece of the GPU's memory, which is mapped in their place as well as in its own. Then both addresses
// mean the same bytes, and the program's pointers stay good.
//
// The host's address isn't the kernel's: canUseHostPointerForRegisteredMem is 0.
#include "cudart/unit.h"

#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

typedef struct Range {
    uintptr_t from, to;
    unsigned flags;
    uintptr_t first, pages;  // once it has moved: where its pages begin, and their bytes
    uintptr_t there;         // where the first page lies in the GPU's memory; 0: it hasn't moved
    void *piece;             // of the GPU's memory, with all pages
} Range;
static struct {
    pthread_mutex_t lock;
    VEC(Range) all;
} ranges = {.lock = PTHREAD_MUTEX_INITIALIZER};

static Range *at(uintptr_t p)
{
    for (size_t k = 0; k < ranges.all.n; k++)
        if (ranges.all.v[k].from <= p && p < ranges.all.v[k].to) return &ranges.all.v[k];
    return NULL;
}

// A page can't move that another range has moved, nor one that holds this thread's stack, which the move itself uses.
static bool can_move(const Range *r, uintptr_t page)
{
    uintptr_t here = (uintptr_t)__builtin_frame_address(0);
    if (here + page > r->first && here - page < r->first + r->pages) return false;
    for (size_t k = 0; k < ranges.all.n; k++) {
        const Range *o = &ranges.all.v[k];
        if (o->there && r->first < o->first + o->pages && o->first < r->first + r->pages) return false;
    }
    return true;
}

// The program gets pages of its own again.
static bool own_pages(Range *r)
{
    void *own = mmap(NULL, r->pages, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (own == MAP_FAILED) return false;
    memcpy(own, (void *)r->first, r->pages);
    if (mremap(own, r->pages, r->pages, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)r->first) != MAP_FAILED) return true;
    munmap(own, r->pages);
    return false;
}

// A child of this process shares no memory with it.
static void forked(void)
{
    for (size_t k = 0; k < ranges.all.n; k++)
        if (ranges.all.v[k].there) own_pages(&ranges.all.v[k]);
}

static void watch_forks(void) { pthread_atfork(NULL, NULL, forked); }

static cudaError_t move_in(Range *r)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    const uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE);
    if (r->there) return cudaSuccess;
    r->first = r->from / page * page;
    r->pages = (r->to - r->first + page - 1) / page * page;
    if (!can_move(r, page))
        return client_missing("cudaHostGetDevicePointer of memory on a stack, or beside other such memory");
    cudaError_t error = cudaMallocHost(&r->piece, r->pages + page);  // a piece may begin within a page
    if (error) return error;
    uintptr_t there = ((uintptr_t)r->piece + page - 1) / page * page;
    memcpy((void *)there, (void *)r->first, r->pages);
    // A shared mapping is mapped once more where its old size is 0 (mremap(2)).
    if (mremap((void *)there, 0, r->pages, MREMAP_MAYMOVE | MREMAP_FIXED, (void *)r->first) == MAP_FAILED) {
        cudaFreeHost(r->piece);
        return cudaErrorMemoryAllocation;
    }
    r->there = there;
    pthread_once(&once, watch_forks);
    return cudaSuccess;
}

static cudaError_t move_out(Range *r)
{
    if (!r->there) return cudaSuccess;
    cudaError_t error = cudaDeviceSynchronize();
    if (!own_pages(r)) return cudaErrorMemoryAllocation;
    r->there = 0;
    cudaError_t freed = cudaFreeHost(r->piece);
    return error ? error : freed;
}

cudaError_t cudaHostRegister(void *p, size_t bytes, unsigned flags)
{
    enum { FLAGS = 15, FOREIGN = 4 };  // cudaHostRegister…: portable, mapped, of a device, read only
    cudaError_t error = cudaSuccess;
    READY();
    uintptr_t from = (uintptr_t)p;
    if (!p || !bytes || flags & ~(unsigned)FLAGS || bytes > UINTPTR_MAX - from) return noted(cudaErrorInvalidValue);
    if (flags & FOREIGN) return client_missing("cudaHostRegister of another device's memory");
    pthread_mutex_lock(&ranges.lock);
    for (size_t k = 0; k < ranges.all.n; k++)
        if (from < ranges.all.v[k].to && ranges.all.v[k].from < from + bytes)
            error = cudaErrorHostMemoryAlreadyRegistered;
    if (!error) vec_push(&ranges.all, ((Range){.from = from, .to = from + bytes, .flags = flags}));
    pthread_mutex_unlock(&ranges.lock);
    return noted(error);
}

cudaError_t cudaHostUnregister(void *p)
{
    cudaError_t error = cudaErrorHostMemoryNotRegistered;
    READY();
    pthread_mutex_lock(&ranges.lock);
    Range *r = at((uintptr_t)p);
    if (r && r->from == (uintptr_t)p) {
        error = move_out(r);
        if (!r->there) *r = ranges.all.v[--ranges.all.n];
    }
    pthread_mutex_unlock(&ranges.lock);
    return noted(error);
}

bool registered(const void *p, unsigned *flags, void **on_device)
{
    pthread_mutex_lock(&ranges.lock);
    const Range *r = at((uintptr_t)p);
    if (r && flags) *flags = r->flags;
    if (r && on_device) *on_device = r->there ? (void *)(r->there + ((uintptr_t)p - r->first)) : NULL;
    pthread_mutex_unlock(&ranges.lock);
    return r;
}

cudaError_t registered_map(const void *p)
{
    pthread_mutex_lock(&ranges.lock);
    Range *r = at((uintptr_t)p);
    cudaError_t error = r ? move_in(r) : cudaErrorInvalidValue;
    pthread_mutex_unlock(&ranges.lock);
    return error;
}

void registered_forget(void)
{
    pthread_mutex_lock(&ranges.lock);
    for (size_t k = 0; k < ranges.all.n; k++) move_out(&ranges.all.v[k]);
    ranges.all.n = 0;
    pthread_mutex_unlock(&ranges.lock);
}
