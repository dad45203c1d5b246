// mipmaps.c: mipmapped arrays: an array for each level, of half the size of the one before.
#include "cudart/unit.h"

#include <pthread.h>

static struct {
    pthread_mutex_t lock;
    Mipmap *all;
} mipmaps = {.lock = PTHREAD_MUTEX_INITIALIZER};

bool mipmap_find(const Mipmap *handle, Mipmap *found)
{
    Mipmap *m;
    pthread_mutex_lock(&mipmaps.lock);
    HASH_FIND_PTR(mipmaps.all, &handle, m);
    if (m) *found = *m;
    pthread_mutex_unlock(&mipmaps.lock);
    return m;
}

void mipmaps_forget(void)
{
    Mipmap *m, *next;
    pthread_mutex_lock(&mipmaps.lock);
    HASH_ITER(hh, mipmaps.all, m, next)
    {
        HASH_DEL(mipmaps.all, m);
        mem_free(m);
    }
    pthread_mutex_unlock(&mipmaps.lock);
}

static size_t half(size_t size, unsigned level) { return size ? MAX(size >> level, 1u) : 0; }

static unsigned most_levels(cudaExtent e, unsigned flags)
{
    size_t most = MAX(e.width, e.height);
    unsigned n = 1;
    if (!(flags & (LAYERED | CUBEMAP))) most = MAX(most, e.depth);
    while (most >>= 1) n++;
    return n;
}

static void drop(Mipmap *m)
{
    for (unsigned k = 0; k < m->levels; k++) array_free(m->level[k], true);
    mem_free(m);
}

// If more levels are asked for than there are halves, it has as many as there are.
cudaError_t cudaMallocMipmappedArray(const Mipmap **out, const ChannelDesc *desc, cudaExtent e, unsigned levels,
                                     unsigned flags)
{
    READY();
    if (!out) return noted(cudaErrorInvalidValue);
    *out = NULL;
    Mipmap *m = mem_alloc(sizeof *m);
    *m = (Mipmap){.self = m};
    levels = MAX(1u, MIN(levels, MIN(most_levels(e, flags), (unsigned)MOST_LEVELS)));
    for (; m->levels < levels; m->levels++) {
        unsigned k = m->levels;
        size_t depth = flags & (LAYERED | CUBEMAP) ? e.depth : half(e.depth, k);
        const cudaExtent of = {half(e.width, k), half(e.height, k), depth};
        cudaError_t error = array_make(&m->level[k], desc, of, flags, true);
        if (error) return drop(m), noted(error);
    }
    pthread_mutex_lock(&mipmaps.lock);
    HASH_ADD_PTR(mipmaps.all, self, m);
    pthread_mutex_unlock(&mipmaps.lock);
    *out = m;
    return cudaSuccess;
}

cudaError_t cudaFreeMipmappedArray(const Mipmap *mipmap)
{
    Mipmap *m;
    READY();
    if (!mipmap) return cudaSuccess;
    pthread_mutex_lock(&mipmaps.lock);
    HASH_FIND_PTR(mipmaps.all, &mipmap, m);
    if (m) HASH_DEL(mipmaps.all, m);
    pthread_mutex_unlock(&mipmaps.lock);
    if (!m) return noted(cudaErrorInvalidResourceHandle);
    drop(m);
    return cudaSuccess;
}

cudaError_t cudaGetMipmappedArrayLevel(const Array **array, const Mipmap *mipmap, unsigned level)
{
    Mipmap m;
    READY();
    if (!array) return noted(cudaErrorInvalidValue);
    *array = NULL;
    if (!mipmap_find(mipmap, &m)) return noted(cudaErrorInvalidResourceHandle);
    if (level >= m.levels) return noted(cudaErrorInvalidValue);
    *array = m.level[level];
    return cudaSuccess;
}

// None is sparse, or mapped later.
static cudaError_t has_none(const Mipmap *mipmap)
{
    Mipmap m;
    READY();
    return noted(mipmap_find(mipmap, &m) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaMipmappedArrayGetMemoryRequirements(void *to, const Mipmap *mipmap, int device)
{
    (void)to, (void)device;
    return has_none(mipmap);
}

cudaError_t cudaMipmappedArrayGetSparseProperties(void *to, const Mipmap *mipmap)
{
    (void)to;
    return has_none(mipmap);
}
