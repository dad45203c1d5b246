// context.c: contexts. A real one has an address space; here all share the one that there is. A context is what was
// made while it was current, and goes with it. Each thread has a stack of contexts, whose top is the current one.
//
// Invariant: a context that was destroyed stays, marked as gone, since other threads may have it on their stacks.
#include "libcuda/unit.h"

#include <pthread.h>
#include <string.h>

enum { FLAGS = 0xff, LIMITS = 8 };  // CU_CTX_FLAGS_MASK; CUlimit
typedef struct Context {
    struct Context *self;  // the key
    unsigned flags, id;
    unsigned attached;  // how often an old program has said that it uses it, too
    bool primary, gone;
    UT_hash_handle hh;
} Context;
typedef struct Owned {
    struct {
        uint64_t handle, kind;
    } key;
    Context *of;
    UT_hash_handle hh;
} Owned;
static struct {
    pthread_mutex_t lock;
    Context *all;
    Owned *owned;
    unsigned made;
    // The primary context, and how often it is retained.
    Context *primary;
    unsigned retained, flags;
} contexts = {.lock = PTHREAD_MUTEX_INITIALIZER};

static void enter(void) { pthread_mutex_lock(&contexts.lock); }
static void leave(void) { pthread_mutex_unlock(&contexts.lock); }

// --- the stack of a thread -------------------------------------------------------------------------------------------
typedef VEC(Context *) Stack;
static pthread_key_t key;
static pthread_once_t once = PTHREAD_ONCE_INIT;

static void drop_stack(void *stack)
{
    vec_free((Stack *)stack);
    mem_free(stack);
}

static void make_key(void)
{
    if (pthread_key_create(&key, drop_stack)) abort();  // a process has 1024 of them
}

static Stack *stack_of(void)
{
    pthread_once(&once, make_key);
    Stack *s = pthread_getspecific(key);
    if (s) return s;
    s = mem_alloc(sizeof *s);
    pthread_setspecific(key, s);
    return s;
}

static void push(Context *c) { vec_push(stack_of(), c); }

static Context *find(CUcontext handle)
{
    Context *c, *of = (Context *)handle;
    HASH_FIND_PTR(contexts.all, &of, c);
    return c;
}

static Context *make(unsigned flags, bool primary)
{
    Context *c = mem_alloc(sizeof *c);
    *c = (Context){.self = c, .flags = flags, .id = ++contexts.made, .primary = primary};
    HASH_ADD_PTR(contexts.all, self, c);
    return c;
}

static Context *primary(void)
{
    if (!contexts.primary) contexts.primary = make(contexts.flags, true);
    contexts.primary->gone = false;
    return contexts.primary;
}

// The runtime makes the primary context current by itself.
static Context *current(void)
{
    Stack *s = stack_of();
    if (s->n) return s->v[s->n - 1];
    if (!runtime_used()) return NULL;
    enter();
    Context *c = primary();
    if (!contexts.retained) contexts.retained = 1;
    leave();
    return c;
}

CUresult context_ready(void)
{
    if (!initialised() && !runtime_used()) return CUDA_ERROR_NOT_INITIALIZED;
    const Context *c = current();
    return !c ? CUDA_ERROR_INVALID_CONTEXT : c->gone ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

// --- what belongs to a context ---------------------------------------------------------------------------------------
static Owned *owned(Kind kind, uint64_t handle)
{
    Owned *o, like;
    like.key.handle = handle, like.key.kind = kind;
    HASH_FIND(hh, contexts.owned, &like.key, sizeof like.key, o);
    return o;
}

void context_gets(Kind kind, uint64_t handle)
{
    Context *c = current();
    enter();
    Owned *o = owned(kind, handle);
    if (!o) {
        o = mem_alloc(sizeof *o);
        o->key.handle = handle, o->key.kind = kind;
        HASH_ADD(hh, contexts.owned, key, sizeof o->key, o);
    }
    o->of = c;
    leave();
}

void context_loses(Kind kind, uint64_t handle)
{
    enter();
    Owned *o = owned(kind, handle);
    if (o) {
        HASH_DEL(contexts.owned, o);
        mem_free(o);
    }
    leave();
}

CUcontext context_of(Kind kind, uint64_t handle)
{
    enter();
    const Owned *o = owned(kind, handle);
    Context *c = o ? o->of : NULL;
    leave();
    return (CUcontext)c;
}

static void end_thing(Kind kind, uint64_t handle)
{
    void *p = pointer(handle);
    switch (kind) {
    case A_MODULE: module_end(handle); break;
    case A_STREAM: cudaStreamDestroy(p); break;
    case AN_EVENT: cudaEventDestroy(p); break;
    case SOME_MEMORY: cudaFree(p); break;
    case HOST_MEMORY: cudaFreeHost(p); break;
    case AN_ARRAY: cudaFreeArray(p); break;
    case A_MIPMAP: cudaFreeMipmappedArray(p); break;
    case A_TEXTURE: cudaDestroyTextureObject(handle); break;
    case A_SURFACE: cudaDestroySurfaceObject(handle); break;
    case A_REFERENCE: reference_end(handle); break;
    }
}

static void end_things(Context *c)
{
    Owned *o, *next, *own = NULL;
    enter();
    HASH_ITER(hh, contexts.owned, o, next)
    {
        if (o->of != c) continue;
        HASH_DEL(contexts.owned, o);
        HASH_ADD(hh, own, key, sizeof o->key, o);
    }
    leave();
    errors_hush(true);
    cudaDeviceSynchronize();
    HASH_ITER(hh, own, o, next)
    {
        end_thing((Kind)o->key.kind, o->key.handle);
        HASH_DEL(own, o);
        mem_free(o);
    }
    errors_hush(false);
}

static void end(Context *c)
{
    end_things(c);
    enter();
    c->gone = true;
    leave();
}

// --- contexts --------------------------------------------------------------------------------------------------------
CUresult cuCtxCreate_v2(CUcontext *out, unsigned flags, CUdevice d)
{
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!out || flags & ~(unsigned)FLAGS) return CUDA_ERROR_INVALID_VALUE;
    if (d) return CUDA_ERROR_INVALID_DEVICE;
    if (client_connect() != cudaSuccess) return of_runtime(client_connect());
    enter();
    Context *c = make(flags, false);
    leave();
    push(c);
    *out = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxCreate(CUcontext *out, unsigned flags, CUdevice d) { return cuCtxCreate_v2(out, flags, d); }

// A share of the SMs, which a context of CUDA's service for several processes may have.
CUresult cuCtxCreate_v3(CUcontext *out, const void *shares, int n, unsigned flags, CUdevice d)
{
    (void)shares;
    return n ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(out, flags, d);
}

CUresult cuCtxCreate_v4(CUcontext *out, const void *parameters, unsigned flags, CUdevice d)
{
    const struct {
        const void *shares;
        int n;
        const void *graphics;
    } *p = parameters;
    return p && (p->n || p->graphics) ? CUDA_ERROR_NOT_SUPPORTED : cuCtxCreate_v2(out, flags, d);
}

CUresult cuCtxDestroy_v2(CUcontext handle)
{
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    Stack *s = stack_of();
    enter();
    Context *c = find(handle);
    leave();
    if (!c || c->primary) return CUDA_ERROR_INVALID_CONTEXT;
    if (c->gone) return CUDA_ERROR_CONTEXT_IS_DESTROYED;
    if (s->n && s->v[s->n - 1] == c) s->n--;
    end(c);
    return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext c) { return cuCtxDestroy_v2(c); }

static CUresult known(CUcontext handle, Context **c)
{
    if (!initialised() && !runtime_used()) return CUDA_ERROR_NOT_INITIALIZED;
    enter();
    *c = handle ? find(handle) : NULL;
    leave();
    if (!*c) return CUDA_ERROR_INVALID_CONTEXT;
    return (*c)->gone ? CUDA_ERROR_CONTEXT_IS_DESTROYED : CUDA_SUCCESS;
}

CUresult cuCtxPushCurrent_v2(CUcontext handle)
{
    Context *c;
    CUresult result = known(handle, &c);
    if (result == CUDA_SUCCESS) push(c);
    return result;
}

CUresult cuCtxPushCurrent(CUcontext c) { return cuCtxPushCurrent_v2(c); }

CUresult cuCtxPopCurrent_v2(CUcontext *out)
{
    if (!initialised() && !runtime_used()) return CUDA_ERROR_NOT_INITIALIZED;
    Stack *s = stack_of();
    if (!s->n) return CUDA_ERROR_INVALID_CONTEXT;
    Context *c = s->v[--s->n];
    if (out) *out = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxPopCurrent(CUcontext *out) { return cuCtxPopCurrent_v2(out); }

// In place of the top of the stack; null takes it away.
CUresult cuCtxSetCurrent(CUcontext handle)
{
    Context *c = NULL;
    Stack *s = stack_of();
    CUresult result = handle ? known(handle, &c) : initialised() ? CUDA_SUCCESS : CUDA_ERROR_NOT_INITIALIZED;
    if (result != CUDA_SUCCESS) return result;
    if (s->n) s->n--;
    if (c) push(c);
    return CUDA_SUCCESS;
}

CUresult cuCtxGetCurrent(CUcontext *out)
{
    if (!initialised() && !runtime_used()) return CUDA_ERROR_NOT_INITIALIZED;
    if (!out) return CUDA_ERROR_INVALID_VALUE;
    *out = (CUcontext)current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *d)
{
    CONTEXT();
    if (!d) return CUDA_ERROR_INVALID_VALUE;
    *d = 0;
    return CUDA_SUCCESS;
}

// CUDA 13's have a context behind their arguments. Clients that know only older ones leave it out (Numba 0.56), so that
// it can't be looked at. With one GPU the answer is the same.
CUresult cuCtxGetDevice_v2(CUdevice *d, CUcontext unseen)
{
    (void)unseen;
    return cuCtxGetDevice(d);
}

CUresult cuCtxSynchronize(void)
{
    CONTEXT();
    return ASKED(cudaDeviceSynchronize());
}

CUresult cuCtxSynchronize_v2(CUcontext unseen)
{
    (void)unseen;
    return cuCtxSynchronize();
}

// Old programs count who uses a context, and the last one destroys it.
CUresult cuCtxAttach(CUcontext *out, unsigned flags)
{
    CONTEXT();
    if (!out || flags) return CUDA_ERROR_INVALID_VALUE;
    Context *c = current();
    c->attached++;
    *out = (CUcontext)c;
    return CUDA_SUCCESS;
}

CUresult cuCtxDetach(CUcontext handle)
{
    Context *c;
    CUresult result = known(handle, &c);
    if (result != CUDA_SUCCESS) return result;
    if (!c->attached) return cuCtxDestroy_v2(handle);
    c->attached--;
    return CUDA_SUCCESS;
}

// --- questions -------------------------------------------------------------------------------------------------------
// The context that is named, or else the current one.
static CUresult named(CUcontext handle, Context **c)
{
    if (handle) return known(handle, c);
    CONTEXT();
    *c = current();
    return CUDA_SUCCESS;
}

CUresult cuCtxGetFlags(unsigned *flags)
{
    CONTEXT();
    if (!flags) return CUDA_ERROR_INVALID_VALUE;
    *flags = current()->flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxSetFlags(unsigned flags)
{
    CONTEXT();
    if (flags & ~(unsigned)FLAGS) return CUDA_ERROR_INVALID_VALUE;
    current()->flags = flags;
    return CUDA_SUCCESS;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *id)
{
    Context *c;
    CUresult result = named(handle, &c);
    if (result == CUDA_SUCCESS && !id) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *id = c->id;
    return result;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned *version)
{
    enum { OF_V2 = 3020 };
    Context *c;
    CUresult result = named(handle, &c);
    if (result == CUDA_SUCCESS && !version) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) *version = OF_V2;
    return result;
}

CUresult cuCtxGetLimit(size_t *value, int limit)
{
    CONTEXT();
    return ASKED(cudaDeviceGetLimit(value, limit));
}

CUresult cuCtxSetLimit(int limit, size_t value)
{
    CONTEXT();
    return ASKED(cudaDeviceSetLimit(limit, value));
}

CUresult cuCtxGetCacheConfig(int *config)
{
    CONTEXT();
    return ASKED(cudaDeviceGetCacheConfig(config));
}

CUresult cuCtxSetCacheConfig(int config)
{
    CONTEXT();
    return ASKED(cudaDeviceSetCacheConfig(config));
}

cudaError_t cudaDeviceGetSharedMemConfig(int *width);
CUresult cuCtxGetSharedMemConfig(int *config)
{
    CONTEXT();
    return ASKED(cudaDeviceGetSharedMemConfig(config));
}

cudaError_t cudaDeviceSetSharedMemConfig(int width);
CUresult cuCtxSetSharedMemConfig(int config)
{
    CONTEXT();
    return ASKED(cudaDeviceSetSharedMemConfig(config));
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest);
CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest)
{
    CONTEXT();
    return ASKED(cudaDeviceGetStreamPriorityRange(least, greatest));
}

// No line of the L2 is kept longer than others.
CUresult cuCtxResetPersistingL2Cache(void)
{
    CONTEXT();
    return CUDA_SUCCESS;
}

CUresult cuCtxEnablePeerAccess(CUcontext peer, unsigned flags)
{
    Context *c;
    CONTEXT();
    if (flags) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = known(peer, &c);
    return result == CUDA_SUCCESS ? CUDA_ERROR_INVALID_CONTEXT : result;  // of the same device
}

CUresult cuCtxDisablePeerAccess(CUcontext peer)
{
    enum { NOT_ENABLED = 705 };
    Context *c;
    CONTEXT();
    CUresult result = known(peer, &c);
    return result == CUDA_SUCCESS ? NOT_ENABLED : result;
}

// --- the primary context ---------------------------------------------------------------------------------------------
// Its handle stays the same. A reset takes away what it has, and leaves who retains it.
static CUresult of_device(CUdevice d)
{
    if (!initialised()) return CUDA_ERROR_NOT_INITIALIZED;
    return d ? CUDA_ERROR_INVALID_DEVICE : CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *out, CUdevice d)
{
    CUresult result = of_device(d);
    if (result == CUDA_SUCCESS && !out) result = CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS) result = of_runtime(client_connect());
    if (result != CUDA_SUCCESS) return result;
    enter();
    *out = (CUcontext)primary();
    contexts.retained++;
    leave();
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice d)
{
    CUresult result = of_device(d);
    if (result != CUDA_SUCCESS) return result;
    enter();
    const bool held = contexts.retained, last = contexts.retained == 1;
    if (held) contexts.retained--;
    leave();
    if (last) end(contexts.primary);
    return held ? CUDA_SUCCESS : CUDA_ERROR_INVALID_CONTEXT;
}

CUresult cuDevicePrimaryCtxRelease(CUdevice d) { return cuDevicePrimaryCtxRelease_v2(d); }

CUresult cuDevicePrimaryCtxReset_v2(CUdevice d)
{
    CUresult result = of_device(d);
    if (result == CUDA_SUCCESS && contexts.primary) end_things(contexts.primary);
    return result;
}

CUresult cuDevicePrimaryCtxReset(CUdevice d) { return cuDevicePrimaryCtxReset_v2(d); }

CUresult cuDevicePrimaryCtxGetState(CUdevice d, unsigned *flags, int *active)
{
    CUresult result = of_device(d);
    if (result == CUDA_SUCCESS && (!flags || !active)) result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return result;
    enter();
    *active = contexts.retained > 0;
    *flags = contexts.flags;
    leave();
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags_v2(CUdevice d, unsigned flags)
{
    CUresult result = of_device(d);
    if (result == CUDA_SUCCESS && flags & ~(unsigned)FLAGS) result = CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS) return result;
    enter();
    contexts.flags = flags;
    if (contexts.primary) contexts.primary->flags = flags;
    leave();
    return CUDA_SUCCESS;
}

CUresult cuDevicePrimaryCtxSetFlags(CUdevice d, unsigned flags) { return cuDevicePrimaryCtxSetFlags_v2(d, flags); }
