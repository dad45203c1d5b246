// launch.c: launches, also those of CUDA 3 and before, which keep a function's shape and parameters in it.
#include "libcuda/unit.h"

#include <pthread.h>
#include <string.h>

enum { MOST_BYTES = 4096 };  // of parameters that are set one by one

// Parameters come one by one, or as bytes in a buffer that extra names.
static CUresult values_of(void **params, void **extra, Values *v)
{
    *v = (Values){.args = params};
    if (!extra) return CUDA_SUCCESS;
    if (params) return CUDA_ERROR_INVALID_VALUE;
    for (; *extra != (void *)PARAM_END; extra += 2) {
        if (*extra == (void *)PARAM_BUFFER)
            v->packed = extra[1];
        else if (*extra == (void *)PARAM_BYTES && extra[1])
            memcpy(&v->bytes, extra[1], sizeof v->bytes);
        else
            return CUDA_ERROR_INVALID_VALUE;
    }
    if (!v->packed) v->packed = "", v->bytes = 0;
    return CUDA_SUCCESS;
}

static CUresult of_kernel(CUresult result)
{
    return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_HANDLE : result;
}

static CUresult run(const void *f, const Config *c, const Values *v) { return of_kernel(ASKED(launch_run(f, c, v))); }

CUresult cuLaunchKernel LAUNCH_PARAMETERS
{
    Values v;
    CONTEXT();
    CUresult result = values_of(params, extra, &v);
    if (result != CUDA_SUCCESS) return result;
    return run(f, &(Config){{gx, gy, gz}, {bx, by, bz}, smem, (cudaStream_t)s, false, {0, 0, 0}}, &v);
}

cudaError_t cudaLaunchCooperativeKernel(const void *f, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t s);
CUresult cuLaunchCooperativeKernel COOPERATIVE_PARAMETERS
{
    CONTEXT();
    return ASKED(cudaLaunchCooperativeKernel(f, (dim3){gx, gy, gz}, (dim3){bx, by, bz}, params, smem, (cudaStream_t)s));
}

_Static_assert(sizeof(CUlaunchAttribute) == sizeof(Attribute), "the runtime's has the same layout");
CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction f, void **params, void **extra)
{
    Values v;
    CONTEXT();
    if (!config) return CUDA_ERROR_INVALID_VALUE;
    CUresult result = values_of(params, extra, &v);
    if (result != CUDA_SUCCESS) return result;
    const Config c = {.grid = {config->grid[0], config->grid[1], config->grid[2]},
                      .block = {config->block[0], config->block[1], config->block[2]},
                      .shared = config->smem,
                      .stream = (cudaStream_t)config->stream};
    return of_kernel(ASKED(launch_attributed(f, &c, (const Attribute *)config->attrs, config->n, &v)));
}

// --- as CUDA 3 launched ----------------------------------------------------------------------------------------------
typedef struct Shape {
    CUfunction f;  // the key
    dim3 block;
    unsigned shared;
    size_t bytes;
    uint8_t params[MOST_BYTES];
    UT_hash_handle hh;
} Shape;
static struct {
    pthread_mutex_t lock;
    Shape *all;
} shapes = {.lock = PTHREAD_MUTEX_INITIALIZER};

// Returns with the lock, if there is such a function.
static CUresult shape_of(CUfunction f, Shape **shape)
{
    Entry *e;
    CONTEXT();
    CUresult result = ASKED(kernel_of(f, &e));
    if (result != CUDA_SUCCESS) return result == CUDA_ERROR_NOT_FOUND ? CUDA_ERROR_INVALID_HANDLE : result;
    pthread_mutex_lock(&shapes.lock);
    HASH_FIND_PTR(shapes.all, &f, *shape);
    if (!*shape) {
        *shape = mem_alloc(sizeof **shape);
        (*shape)->f = f;
        HASH_ADD_PTR(shapes.all, f, *shape);
    }
    return CUDA_SUCCESS;
}
#define SHAPE(f, shape)                    \
    Shape *shape;                          \
    do {                                   \
        CUresult r_ = shape_of(f, &shape); \
        if (r_ != CUDA_SUCCESS) return r_; \
    } while (0)
static CUresult done(CUresult result) { return pthread_mutex_unlock(&shapes.lock), result; }

CUresult cuFuncSetBlockShape(CUfunction f, int x, int y, int z)
{
    SHAPE(f, shape);
    if (x < 1 || y < 1 || z < 1) return done(CUDA_ERROR_INVALID_VALUE);
    shape->block = (dim3){(unsigned)x, (unsigned)y, (unsigned)z};
    return done(CUDA_SUCCESS);
}

CUresult cuFuncSetSharedSize(CUfunction f, unsigned bytes)
{
    SHAPE(f, shape);
    shape->shared = bytes;
    return done(CUDA_SUCCESS);
}

CUresult cuParamSetSize(CUfunction f, unsigned bytes)
{
    SHAPE(f, shape);
    if (bytes > MOST_BYTES) return done(CUDA_ERROR_INVALID_VALUE);
    shape->bytes = bytes;
    return done(CUDA_SUCCESS);
}

CUresult cuParamSetv(CUfunction f, int at, const void *from, unsigned bytes)
{
    SHAPE(f, shape);
    if (at < 0 || at > MOST_BYTES || bytes > MOST_BYTES - (unsigned)at || (bytes && !from))
        return done(CUDA_ERROR_INVALID_VALUE);
    memcpy(shape->params + at, from, bytes);
    shape->bytes = MAX(shape->bytes, (size_t)at + bytes);
    return done(CUDA_SUCCESS);
}

CUresult cuParamSeti(CUfunction f, int at, unsigned value) { return cuParamSetv(f, at, &value, sizeof value); }
CUresult cuParamSetf(CUfunction f, int at, float value) { return cuParamSetv(f, at, &value, sizeof value); }

CUresult cuLaunchGridAsync(CUfunction f, int width, int height, CUstream s)
{
    SHAPE(f, shape);
    const Shape copy = *shape;
    done(CUDA_SUCCESS);
    if (width < 1 || height < 1) return CUDA_ERROR_INVALID_VALUE;
    const Config c = {
        {(unsigned)width, (unsigned)height, 1}, copy.block, copy.shared, (cudaStream_t)s, false, {0, 0, 0}};
    return run(f, &c, &(Values){.packed = copy.params, .bytes = copy.bytes});
}

CUresult cuLaunchGrid(CUfunction f, int width, int height) { return cuLaunchGridAsync(f, width, height, NULL); }
CUresult cuLaunch(CUfunction f) { return cuLaunchGrid(f, 1, 1); }
