// cufft.c: cuFFT's functions. A plan's handle is a number, so the library has a table of its plans; any thread may use
// a plan, one at a time.
#include "toolkit/cufft_plan.h"

#include <pthread.h>

enum { VERSION = 12000, PLANS_MOST = 1 << 20 };
static const long long largest = 0x7fffffff;

static struct {
    pthread_mutex_t lock;
    VEC(FftPlan *) plans;  // a handle is its place here, and 1
} all = {.lock = PTHREAD_MUTEX_INITIALIZER};

static FftPlan *find(cufftHandle handle)
{
    pthread_mutex_lock(&all.lock);
    const bool known = handle > 0 && (size_t)handle <= all.plans.n;
    FftPlan *p = known ? all.plans.v[handle - 1] : NULL;
    pthread_mutex_unlock(&all.lock);
    return p;
}

cufftResult cufftCreate(cufftHandle *handle)
{
    if (!handle) return CUFFT_INVALID_VALUE;
    if (kernels_begin() != CUDA_SUCCESS) return CUFFT_SETUP_FAILED;
    FftPlan *p = mem_alloc(sizeof *p);
    size_t at = 0;
    p->own_area = true;
    pthread_mutex_lock(&all.lock);
    while (at < all.plans.n && all.plans.v[at]) at++;
    const bool room = at < PLANS_MOST;
    if (room && at == all.plans.n) vec_push(&all.plans, p);
    if (room) all.plans.v[at] = p;
    pthread_mutex_unlock(&all.lock);
    if (!room)
        mem_free(p);
    else
        *handle = (cufftHandle)at + 1;
    return room ? CUFFT_SUCCESS : CUFFT_ALLOC_FAILED;
}

cufftResult cufftDestroy(cufftHandle handle)
{
    pthread_mutex_lock(&all.lock);
    const bool known = handle > 0 && (size_t)handle <= all.plans.n;
    FftPlan *p = known ? all.plans.v[handle - 1] : NULL;
    if (p) all.plans.v[handle - 1] = NULL;
    pthread_mutex_unlock(&all.lock);
    if (!p) return CUFFT_INVALID_PLAN;
    if (p->own_area && p->area) cuMemFree(p->area);
    fft_tables_free(p);
    kernels_free(&p->kernels);
    mem_free(p);
    return CUFFT_SUCCESS;
}

// --- what is asked for -----------------------------------------------------------------------------------------------
typedef struct Asked {
    int rank;
    const long long *n, *inembed, *onembed;
    long long istride, idist, ostride, odist, batch;
    cufftType type;
} Asked;

static bool known(cufftType t)
{
    return t == CUFFT_C2C || t == CUFFT_R2C || t == CUFFT_C2R || t == CUFFT_Z2Z || t == CUFFT_D2Z || t == CUFFT_Z2D;
}

static bool layout(FftLayout *l, int rank, const long long *embed, long long stride, long long dist)
{
    l->dist = dist;
    for (int d = rank - 1; d >= 0; d--) {
        l->stride[d] = stride;
        if (embed[d] < 1 && d) return false;
        if (d && __builtin_mul_overflow(stride, embed[d], &stride)) return false;
    }
    return true;
}

// Sets what describes the transform, and nothing else.
static cufftResult describe(FftPlan *p, const Asked *a)
{
    long long elements = a->batch;
    if (!known(a->type)) return CUFFT_INVALID_TYPE;
    if (a->rank < 1 || a->rank > FFT_RANK || !a->n) return CUFFT_INVALID_VALUE;
    if (a->batch < 1) return CUFFT_INVALID_SIZE;
    p->type = a->type, p->rank = a->rank, p->batch = a->batch;
    for (int d = 0; d < a->rank; d++) {
        p->n[d] = a->n[d];
        if (a->n[d] < 1 || a->n[d] > largest) return CUFFT_INVALID_SIZE;
        // A work area has room for a chirp's four times as many, in 16 bytes each.
        if (__builtin_mul_overflow(elements, a->n[d] + 2, &elements) || elements >> 52) return CUFFT_INVALID_SIZE;
    }
    p->usual = !a->inembed || !a->onembed;
    if (p->usual) return CUFFT_SUCCESS;
    const bool laid = layout(&p->in, a->rank, a->inembed, a->istride, a->idist) &&
                      layout(&p->out, a->rank, a->onembed, a->ostride, a->odist);
    return laid ? CUFFT_SUCCESS : CUFFT_INVALID_VALUE;
}

static cufftResult size_of(const Asked *a, size_t *bytes)
{
    FftPlan p = {0};
    FftSteps steps = {0};
    const FftRun run = {0};
    if (!bytes) return CUFFT_INVALID_VALUE;
    cufftResult r = describe(&p, a);
    if (r == CUFFT_SUCCESS) r = fft_steps(&p, &run, false, &steps, bytes);
    vec_free(&steps);
    return r;
}

static cufftResult make(cufftHandle handle, const Asked *a, size_t *bytes)
{
    FftPlan *p = find(handle);
    FftSteps steps = {0};
    const FftRun run = {0};
    if (!p || p->made) return CUFFT_INVALID_PLAN;
    cufftResult r = describe(p, a);
    if (r == CUFFT_SUCCESS) r = fft_steps(p, &run, true, &steps, &p->area_bytes);
    vec_free(&steps);
    if (r != CUFFT_SUCCESS) return r;
    if (p->own_area && p->area_bytes && cuMemAlloc(&p->area, p->area_bytes) != CUDA_SUCCESS) return CUFFT_ALLOC_FAILED;
    if (bytes) *bytes = p->area_bytes;
    p->made = true;
    return CUFFT_SUCCESS;
}

static cufftResult plan(cufftHandle *handle, const Asked *a)
{
    cufftHandle made;
    if (!handle) return CUFFT_INVALID_VALUE;
    cufftResult r = cufftCreate(&made);
    if (r != CUFFT_SUCCESS) return r;
    r = make(made, a, NULL);
    if (r == CUFFT_SUCCESS)
        *handle = made;
    else
        cufftDestroy(made);
    return r;
}

// --- the ways to ask -------------------------------------------------------------------------------------------------
#define ONE(nx, type, batch) (&(Asked){.rank = 1, .n = (long long[]){nx}, .type = type, .batch = batch})
#define TWO(nx, ny, type) (&(Asked){.rank = 2, .n = (long long[]){nx, ny}, .type = type, .batch = 1})
#define THREE(nx, ny, nz, type) (&(Asked){.rank = 3, .n = (long long[]){nx, ny, nz}, .type = type, .batch = 1})
#define MANY64 (&(Asked){rank, n, inembed, onembed, istride, idist, ostride, odist, batch, type})

// Sizes that come as ints are widened into `room`.
typedef struct Wide {
    long long n[FFT_RANK], in[FFT_RANK], out[FFT_RANK];
} Wide;
static const long long *widen(long long *to, const int *from, int rank)
{
    for (int d = 0; from && d < MIN(rank, FFT_RANK); d++) to[d] = from[d];
    return from ? to : NULL;
}
#define MANY                                                                                                        \
    (&(Asked){rank, widen(room.n, n, rank), widen(room.in, inembed, rank), widen(room.out, onembed, rank), istride, \
              idist, ostride, odist, batch, type})
#define LAYOUT int *inembed, int istride, int idist, int *onembed, int ostride, int odist
#define LAYOUT64 \
    long long *inembed, long long istride, long long idist, long long *onembed, long long ostride, long long odist

cufftResult cufftPlan1d(cufftHandle *h, int nx, cufftType type, int batch) { return plan(h, ONE(nx, type, batch)); }
cufftResult cufftPlan2d(cufftHandle *h, int nx, int ny, cufftType type) { return plan(h, TWO(nx, ny, type)); }
cufftResult cufftPlan3d(cufftHandle *h, int nx, int ny, int nz, cufftType type)
{
    return plan(h, THREE(nx, ny, nz, type));
}
cufftResult cufftPlanMany(cufftHandle *h, int rank, int *n, LAYOUT, cufftType type, int batch)
{
    Wide room;
    return plan(h, MANY);
}
cufftResult cufftMakePlan1d(cufftHandle h, int nx, cufftType type, int batch, size_t *bytes)
{
    return make(h, ONE(nx, type, batch), bytes);
}
cufftResult cufftMakePlan2d(cufftHandle h, int nx, int ny, cufftType type, size_t *bytes)
{
    return make(h, TWO(nx, ny, type), bytes);
}
cufftResult cufftMakePlan3d(cufftHandle h, int nx, int ny, int nz, cufftType type, size_t *bytes)
{
    return make(h, THREE(nx, ny, nz, type), bytes);
}
cufftResult cufftMakePlanMany(cufftHandle h, int rank, int *n, LAYOUT, cufftType type, int batch, size_t *bytes)
{
    Wide room;
    return make(h, MANY, bytes);
}
cufftResult cufftMakePlanMany64(cufftHandle h, int rank, long long *n, LAYOUT64, cufftType type, long long batch,
                                size_t *bytes)
{
    return make(h, MANY64, bytes);
}
cufftResult cufftEstimate1d(int nx, cufftType type, int batch, size_t *bytes)
{
    return size_of(ONE(nx, type, batch), bytes);
}
cufftResult cufftEstimate2d(int nx, int ny, cufftType type, size_t *bytes) { return size_of(TWO(nx, ny, type), bytes); }
cufftResult cufftEstimate3d(int nx, int ny, int nz, cufftType type, size_t *bytes)
{
    return size_of(THREE(nx, ny, nz, type), bytes);
}
cufftResult cufftEstimateMany(int rank, int *n, LAYOUT, cufftType type, int batch, size_t *bytes)
{
    Wide room;
    return size_of(MANY, bytes);
}
#define KNOWN(h, then) (find(h) ? (then) : CUFFT_INVALID_PLAN)
cufftResult cufftGetSize1d(cufftHandle h, int nx, cufftType type, int batch, size_t *bytes)
{
    return KNOWN(h, cufftEstimate1d(nx, type, batch, bytes));
}
cufftResult cufftGetSize2d(cufftHandle h, int nx, int ny, cufftType type, size_t *bytes)
{
    return KNOWN(h, cufftEstimate2d(nx, ny, type, bytes));
}
cufftResult cufftGetSize3d(cufftHandle h, int nx, int ny, int nz, cufftType type, size_t *bytes)
{
    return KNOWN(h, cufftEstimate3d(nx, ny, nz, type, bytes));
}
cufftResult cufftGetSizeMany(cufftHandle h, int rank, int *n, LAYOUT, cufftType type, int batch, size_t *bytes)
{
    Wide room;
    return KNOWN(h, size_of(MANY, bytes));
}
cufftResult cufftGetSizeMany64(cufftHandle h, int rank, long long *n, LAYOUT64, cufftType type, long long batch,
                               size_t *bytes)
{
    return KNOWN(h, size_of(MANY64, bytes));
}

// The type of transform from one type of data to another. Both sides, and what is computed in, have the same precision.
static bool type_between(cudaDataType in, cudaDataType out, cudaDataType within, cufftType *type)
{
    static const struct {
        cudaDataType in, out, within;
        cufftType type;
    } types[] = {{CUDA_C_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_C2C}, {CUDA_R_32F, CUDA_C_32F, CUDA_C_32F, CUFFT_R2C},
                 {CUDA_C_32F, CUDA_R_32F, CUDA_C_32F, CUFFT_C2R}, {CUDA_C_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_Z2Z},
                 {CUDA_R_64F, CUDA_C_64F, CUDA_C_64F, CUFFT_D2Z}, {CUDA_C_64F, CUDA_R_64F, CUDA_C_64F, CUFFT_Z2D}};
    for (size_t j = 0; j < COUNT(types); j++) {
        *type = types[j].type;
        if (types[j].in == in && types[j].out == out && types[j].within == within) return true;
    }
    return false;
}

cufftResult cufftXtMakePlanMany(cufftHandle h, int rank, long long *n, long long *inembed, long long istride,
                                long long idist, cudaDataType in, long long *onembed, long long ostride,
                                long long odist, cudaDataType out, long long batch, size_t *bytes, cudaDataType within)
{
    cufftType type;
    if (!find(h)) return CUFFT_INVALID_PLAN;
    if (!type_between(in, out, within, &type)) return CUFFT_NOT_SUPPORTED;
    return make(h, MANY64, bytes);
}
cufftResult cufftXtGetSizeMany(cufftHandle h, int rank, long long *n, long long *inembed, long long istride,
                               long long idist, cudaDataType in, long long *onembed, long long ostride, long long odist,
                               cudaDataType out, long long batch, size_t *bytes, cudaDataType within)
{
    cufftType type;
    if (!find(h)) return CUFFT_INVALID_PLAN;
    if (!type_between(in, out, within, &type)) return CUFFT_NOT_SUPPORTED;
    return size_of(MANY64, bytes);
}

// --- a plan's settings -----------------------------------------------------------------------------------------------
cufftResult cufftGetSize(cufftHandle h, size_t *bytes)
{
    const FftPlan *p = find(h);
    if (!p) return CUFFT_INVALID_PLAN;
    if (!bytes) return CUFFT_INVALID_VALUE;
    *bytes = p->area_bytes;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetAutoAllocation(cufftHandle h, int allocate)
{
    FftPlan *p = find(h);
    if (!p || p->made) return CUFFT_INVALID_PLAN;
    p->own_area = allocate != 0;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetWorkArea(cufftHandle h, void *area)
{
    FftPlan *p = find(h);
    if (!p) return CUFFT_INVALID_PLAN;
    if (p->own_area && p->area) cuMemFree(p->area);
    p->own_area = false;
    p->area = (CUdeviceptr)(uintptr_t)area;
    return CUFFT_SUCCESS;
}

cufftResult cufftSetStream(cufftHandle h, cudaStream_t stream)
{
    FftPlan *p = find(h);
    if (!p) return CUFFT_INVALID_PLAN;
    p->stream = (CUstream)stream;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetVersion(int *version)
{
    if (!version) return CUFFT_INVALID_VALUE;
    *version = VERSION;
    return CUFFT_SUCCESS;
}

cufftResult cufftGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL) return CUFFT_INVALID_VALUE;
    *value = type == MAJOR_VERSION ? VERSION / 1000 : type == MINOR_VERSION ? VERSION / 100 % 10 : VERSION % 100;
    return CUFFT_SUCCESS;
}

// --- transforms ------------------------------------------------------------------------------------------------------
static cufftResult launch(FftPlan *p, const Lines *l)
{
    const bool wide = fft_wide(p->type);
    const int all = l->points * l->together;
    Shape s = {.grid = {(unsigned)((l->lines + l->together - 1) / l->together)}, .stream = p->stream};
    s.shared = (unsigned)all * 2 * (wide ? 16 : 8);
    for (s.block[0] = 32; s.block[0] < 256 && (int)s.block[0] * 8 < all; s.block[0] *= 2) {
    }
    const CUresult r = kernel_run(&p->kernels, wide ? "double" : "float", wide ? "lines_d" : "lines_f", &s,
                                  (void *[]){(void *)(uintptr_t)l});
    return r == CUDA_SUCCESS ? CUFFT_SUCCESS : CUFFT_EXEC_FAILED;
}

static cufftResult execute(FftPlan *p, void *in, void *out, bool inverse)
{
    const FftRun run = {(CUdeviceptr)(uintptr_t)in, (CUdeviceptr)(uintptr_t)out, p->area, inverse};
    FftSteps steps = {0};
    size_t bytes;
    if (!p->made) return CUFFT_INVALID_PLAN;
    if (!in || !out) return CUFFT_INVALID_VALUE;
    if (p->area_bytes && !p->area) return CUFFT_NO_WORKSPACE;
    cufftResult r = fft_steps(p, &run, true, &steps, &bytes);
    for (size_t j = 0; r == CUFFT_SUCCESS && j < steps.n; j++) r = launch(p, &steps.v[j]);
    vec_free(&steps);
    return r;
}

static cufftResult typed(cufftHandle h, cufftType type, void *in, void *out, int direction)
{
    FftPlan *p = find(h);
    if (!p) return CUFFT_INVALID_PLAN;
    if (p->made && p->type != type) return CUFFT_INVALID_TYPE;
    if (direction != CUFFT_FORWARD && direction != CUFFT_INVERSE) return CUFFT_INVALID_VALUE;
    return execute(p, in, out, direction == CUFFT_INVERSE);
}

cufftResult cufftExecC2C(cufftHandle h, cufftComplex *in, cufftComplex *out, int direction)
{
    return typed(h, CUFFT_C2C, in, out, direction);
}
cufftResult cufftExecZ2Z(cufftHandle h, cufftDoubleComplex *in, cufftDoubleComplex *out, int direction)
{
    return typed(h, CUFFT_Z2Z, in, out, direction);
}
cufftResult cufftExecR2C(cufftHandle h, cufftReal *in, cufftComplex *out)
{
    return typed(h, CUFFT_R2C, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecD2Z(cufftHandle h, cufftDoubleReal *in, cufftDoubleComplex *out)
{
    return typed(h, CUFFT_D2Z, in, out, CUFFT_FORWARD);
}
cufftResult cufftExecC2R(cufftHandle h, cufftComplex *in, cufftReal *out)
{
    return typed(h, CUFFT_C2R, in, out, CUFFT_INVERSE);
}
cufftResult cufftExecZ2D(cufftHandle h, cufftDoubleComplex *in, cufftDoubleReal *out)
{
    return typed(h, CUFFT_Z2D, in, out, CUFFT_INVERSE);
}

// The direction of a transform from or to reals is known.
cufftResult cufftXtExec(cufftHandle h, void *in, void *out, int direction)
{
    const FftPlan *p = find(h);
    if (!p || !p->made) return CUFFT_INVALID_PLAN;
    if (fft_real_in(p->type)) direction = CUFFT_FORWARD;
    if (fft_real_out(p->type)) direction = CUFFT_INVERSE;
    return typed(h, p->type, in, out, direction);
}
