// surface.c: surface objects over arrays that were made for them.
#include "cudart/unit.h"

#include <pthread.h>

typedef struct Surface {
    uint64_t handle;  // the key
    Resource resource;
    UT_hash_handle hh;
} Surface;
static struct {
    pthread_mutex_t lock;
    Surface *all;
} surfaces = {.lock = PTHREAD_MUTEX_INITIALIZER};

void surfaces_forget(void)
{
    Surface *s, *next;
    pthread_mutex_lock(&surfaces.lock);
    HASH_ITER(hh, surfaces.all, s, next)
    {
        HASH_DEL(surfaces.all, s);
        mem_free(s);
    }
    pthread_mutex_unlock(&surfaces.lock);
}

cudaError_t surface_describe(const Array *array, TextureCall *call)
{
    const Resource r = {.type = ARRAY, .of.array = array};
    Array a;
    if (!array_find(array, &a) || !(a.flags & SURFACE)) return cudaErrorInvalidValue;
    return texture_describe(&r, NULL, NULL, call);
}

cudaError_t cudaCreateSurfaceObject(uint64_t *handle, const Resource *r)
{
    TextureCall call;
    Answer answer;
    READY();
    if (!handle || !r || r->type != ARRAY) return noted(cudaErrorInvalidValue);
    cudaError_t error = surface_describe(r->of.array, &call);
    if (!error) error = client_ask(&(WireCall){.ask = ASK_SURFACE, .bytes = texture_bytes_of(&call)}, &call, &answer);
    if (error) return noted(error);
    text_free(&answer.text);
    Surface *s = mem_alloc(sizeof *s);
    *s = (Surface){.handle = answer.of.a, .resource = *r};
    pthread_mutex_lock(&surfaces.lock);
    HASH_ADD(hh, surfaces.all, handle, sizeof s->handle, s);
    pthread_mutex_unlock(&surfaces.lock);
    *handle = s->handle;
    return cudaSuccess;
}

// The handle goes from the list before onchip gives it to another object.
cudaError_t cudaDestroySurfaceObject(uint64_t handle)
{
    Surface *s;
    READY();
    pthread_mutex_lock(&surfaces.lock);
    HASH_FIND(hh, surfaces.all, &handle, sizeof handle, s);
    if (s) HASH_DEL(surfaces.all, s);
    pthread_mutex_unlock(&surfaces.lock);
    if (!s) return noted(cudaErrorInvalidValue);
    mem_free(s);
    return noted(client_ask(&(WireCall){.ask = ASK_SURFACE_END, .a = handle}, NULL, NULL));
}

cudaError_t cudaGetSurfaceObjectResourceDesc(Resource13 *to, uint64_t handle)
{
    Surface *s;
    Resource r = {0};
    READY();
    pthread_mutex_lock(&surfaces.lock);
    HASH_FIND(hh, surfaces.all, &handle, sizeof handle, s);
    if (s) r = s->resource;
    pthread_mutex_unlock(&surfaces.lock);
    if (!to || !s) return noted(cudaErrorInvalidValue);
    if (runtime_major() == 13) *to = (Resource13){.r = r};
    to->r = r;  // all that older ones have
    return cudaSuccess;
}
