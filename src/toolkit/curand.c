// curand.c: cuRAND's functions. A pseudo-random generator has its streams' states on the device (kernels/curand), the
// Mersenne Twister one state; a quasi-random one has direction vectors there, and its place. They are made when the
// first number is drawn, or by curandGenerateSeeds.
//
// A host generator draws on the device, too, and copies: its numbers are the same.
#include "toolkit/curand_unit.h"

enum { VERSION = 10300, THREADS = 256, MT_CHUNK = 1 << 18 };  // words of the Mersenne Twister at a time

struct curandGenerator_st {
    Kernels kernels;
    CUstream stream;
    curandRngType_t type;
    curandOrdering_t order;
    unsigned long long seed, offset;
    unsigned dimensions, turn;
    bool host, begun;
    CUdeviceptr states;  // or direction vectors
    CUdeviceptr more;    // of the Mersenne Twister: words; of a quasi-random one: its constants
};

static bool quasi(curandRngType_t t) { return t >= CURAND_RNG_QUASI_DEFAULT; }
static bool wide(curandRngType_t t) { return t == CURAND_RNG_QUASI_SOBOL64 || t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64; }
static bool scrambled(curandRngType_t t)
{
    return t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL32 || t == CURAND_RNG_QUASI_SCRAMBLED_SOBOL64;
}

// The file of kernels; null: there is no such generator.
static const char *file_of(curandRngType_t t)
{
    switch (t) {
    case CURAND_RNG_PSEUDO_DEFAULT:
    case CURAND_RNG_PSEUDO_XORWOW: return "xorwow";
    case CURAND_RNG_PSEUDO_MRG32K3A: return "mrg32k3a";
    case CURAND_RNG_PSEUDO_MT19937: return "mt19937";
    case CURAND_RNG_PSEUDO_PHILOX4_32_10: return "philox";
    case CURAND_RNG_QUASI_DEFAULT:
    case CURAND_RNG_QUASI_SOBOL32:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL32: return "sobol32";
    case CURAND_RNG_QUASI_SOBOL64:
    case CURAND_RNG_QUASI_SCRAMBLED_SOBOL64: return "sobol64";
    default: return NULL;
    }
}

// --- generators ------------------------------------------------------------------------------------------------------
static curandStatus_t create(curandGenerator_t *out, curandRngType_t type, bool host)
{
    if (!out || !file_of(type)) return CURAND_STATUS_TYPE_ERROR;
    if (kernels_begin() != CUDA_SUCCESS) return CURAND_STATUS_INITIALIZATION_FAILED;
    curandGenerator_t g = mem_alloc(sizeof *g);
    g->type = type, g->host = host, g->dimensions = 1;
    g->order = quasi(type) ? CURAND_ORDERING_QUASI_DEFAULT : CURAND_ORDERING_PSEUDO_DEFAULT;
    *out = g;
    return CURAND_STATUS_SUCCESS;
}
curandStatus_t curandCreateGenerator(curandGenerator_t *g, curandRngType_t type) { return create(g, type, false); }
curandStatus_t curandCreateGeneratorHost(curandGenerator_t *g, curandRngType_t type) { return create(g, type, true); }

static void forget(curandGenerator_t g)
{
    if (g->states) cuMemFree(g->states);
    if (g->more) cuMemFree(g->more);
    g->states = g->more = 0;
    g->begun = false;
}

curandStatus_t curandDestroyGenerator(curandGenerator_t g)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    forget(g);
    kernels_free(&g->kernels);
    mem_free(g);
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetVersion(int *version)
{
    if (!version) return CURAND_STATUS_OUT_OF_RANGE;
    *version = VERSION;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandGetProperty(libraryPropertyType type, int *value)
{
    if (!value || type > PATCH_LEVEL) return CURAND_STATUS_OUT_OF_RANGE;
    *value = type == MAJOR_VERSION ? VERSION / 1000 : type == MINOR_VERSION ? VERSION / 100 % 10 : VERSION % 100;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetStream(curandGenerator_t g, cudaStream_t stream)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    g->stream = (CUstream)stream;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetPseudoRandomGeneratorSeed(curandGenerator_t g, unsigned long long seed)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (quasi(g->type)) return CURAND_STATUS_TYPE_ERROR;
    g->seed = seed, g->begun = false;
    return CURAND_STATUS_SUCCESS;
}

// Nothing of the Mersenne Twister's sequence can be left out.
curandStatus_t curandSetGeneratorOffset(curandGenerator_t g, unsigned long long offset)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (g->type == CURAND_RNG_PSEUDO_MT19937) return CURAND_STATUS_TYPE_ERROR;
    g->offset = offset, g->begun = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetGeneratorOrdering(curandGenerator_t g, curandOrdering_t order)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    const bool known = order >= CURAND_ORDERING_PSEUDO_BEST && order <= CURAND_ORDERING_PSEUDO_DYNAMIC;
    if (!known && order != CURAND_ORDERING_QUASI_DEFAULT) return CURAND_STATUS_OUT_OF_RANGE;
    if (known == quasi(g->type)) return CURAND_STATUS_OUT_OF_RANGE;
    g->order = order, g->begun = false;
    return CURAND_STATUS_SUCCESS;
}

curandStatus_t curandSetQuasiRandomGeneratorDimensions(curandGenerator_t g, unsigned dimensions)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if (!quasi(g->type)) return CURAND_STATUS_TYPE_ERROR;
    if (!dimensions || dimensions > SOBOL_DIMENSIONS) return CURAND_STATUS_OUT_OF_RANGE;
    forget(g);
    g->dimensions = dimensions;
    return CURAND_STATUS_SUCCESS;
}

// --- what is on the device -------------------------------------------------------------------------------------------
// Copies it there, and releases it; null: there was no memory.
static curandStatus_t upload(CUdeviceptr *to, void *from, size_t bytes)
{
    const bool done = from && (*to || cuMemAlloc(to, bytes) == CUDA_SUCCESS) && !cuMemcpyHtoD(*to, from, bytes);
    mem_free(from);
    return done ? CURAND_STATUS_SUCCESS : CURAND_STATUS_ALLOCATION_FAILED;
}

// Initialization by the paper's authors, of 2002: of a seed of 32 bits, or of an array of two.
static void seed_words(unsigned *w, unsigned seed)
{
    w[0] = seed;
    for (unsigned k = 1; k < DRAW_MT_WORDS; k++) w[k] = 1812433253u * (w[k - 1] ^ w[k - 1] >> 30) + k;
}
static void seed_array(unsigned *w, const unsigned *key, unsigned n)
{
    unsigned i = 1, j = 0;
    seed_words(w, 19650218);
    for (unsigned k = 0; k < DRAW_MT_WORDS; k++) {
        w[i] = (w[i] ^ (w[i - 1] ^ w[i - 1] >> 30) * 1664525u) + key[j] + j;
        j = (j + 1) % n;
        if (++i == DRAW_MT_WORDS) w[0] = w[DRAW_MT_WORDS - 1], i = 1;
    }
    for (unsigned k = 0; k < DRAW_MT_WORDS - 1; k++) {
        w[i] = (w[i] ^ (w[i - 1] ^ w[i - 1] >> 30) * 1566083941u) - i;
        if (++i == DRAW_MT_WORDS) w[0] = w[DRAW_MT_WORDS - 1], i = 1;
    }
    w[0] = 0x80000000;
}

static curandStatus_t begin_twister(curandGenerator_t g)
{
    const unsigned key[2] = {(unsigned)g->seed, (unsigned)(g->seed >> 32)};
    unsigned *w = mem_alloc((DRAW_MT_WORDS + 1) * sizeof *w);
    if (key[1])
        seed_array(w, key, 2);
    else
        seed_words(w, key[0]);
    w[DRAW_MT_WORDS] = DRAW_MT_WORDS;  // all are taken
    if (!g->more && cuMemAlloc(&g->more, MT_CHUNK * sizeof *w) != CUDA_SUCCESS) {
        mem_free(w);
        return CURAND_STATUS_ALLOCATION_FAILED;
    }
    return upload(&g->states, w, (DRAW_MT_WORDS + 1) * sizeof *w);
}

static curandStatus_t begin_quasi(curandGenerator_t g)
{
    if (g->states) return CURAND_STATUS_SUCCESS;
    const unsigned bits = wide(g->type) ? 64 : 32;
    const size_t bytes = (size_t)g->dimensions * bits / 8;
    void *constants = scrambled(g->type) ? sobol_constants(g->dimensions, bits) : mem_try(g->dimensions, bits / 8);
    const curandStatus_t r = upload(&g->states, sobol_vectors(g->dimensions, bits, scrambled(g->type)), bytes * bits);
    const curandStatus_t more = upload(&g->more, constants, bytes);
    return r == CURAND_STATUS_SUCCESS ? more : r;
}

static curandStatus_t begin_streams(curandGenerator_t g)
{
    enum { STATE_MOST = 128 };
    const Shape s = {.grid = {DRAW_STREAMS / THREADS}, .block = {THREADS}, .stream = g->stream};
    if (!g->states && cuMemAlloc(&g->states, DRAW_STREAMS * STATE_MOST) != CUDA_SUCCESS)
        return CURAND_STATUS_ALLOCATION_FAILED;
    g->turn = (unsigned)(g->offset % DRAW_STREAMS);
    const CUresult r =
        kernel_run(&g->kernels, file_of(g->type), "begin", &s, (void *[]){&g->states, &g->seed, &g->offset});
    return r == CUDA_SUCCESS ? CURAND_STATUS_SUCCESS : CURAND_STATUS_LAUNCH_FAILURE;
}

static curandStatus_t begin(curandGenerator_t g)
{
    if (g->begun) return CURAND_STATUS_SUCCESS;
    const curandStatus_t r = quasi(g->type)                         ? begin_quasi(g)
                             : g->type == CURAND_RNG_PSEUDO_MT19937 ? begin_twister(g)
                                                                    : begin_streams(g);
    g->begun = r == CURAND_STATUS_SUCCESS;
    return r;
}

curandStatus_t curandGenerateSeeds(curandGenerator_t g)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    return begin(g);
}

// --- drawing ---------------------------------------------------------------------------------------------------------
static bool paired(int kind) { return kind >= DRAW_NORMAL && kind <= DRAW_LOGNORMAL_WIDE; }
static bool of_doubles(int kind)
{
    return kind == DRAW_UNIFORM_WIDE || kind == DRAW_NORMAL_WIDE || kind == DRAW_LOGNORMAL_WIDE;
}
static size_t bytes_of(const curandGenerator_t g, int kind)
{
    return of_doubles(kind) || (kind <= DRAW_LONG && wide(g->type)) ? 8 : 4;
}

static CUresult draw_streams(curandGenerator_t g, Draw *d)
{
    const Shape s = {.grid = {DRAW_STREAMS / THREADS}, .block = {THREADS}, .stream = g->stream};
    d->turn = g->turn;
    g->turn = (unsigned)((g->turn + d->units) % DRAW_STREAMS);
    return kernel_run(&g->kernels, file_of(g->type), "draw", &s, (void *[]){&g->states, d});
}

static CUresult draw_twister(curandGenerator_t g, Draw *d, size_t unit_bytes)
{
    unsigned each = (paired(d->kind) ? 2 : 1) * (of_doubles(d->kind) || d->kind == DRAW_POISSON ? 2 : 1);
    CUresult r = CUDA_SUCCESS;
    const Shape one = {.block = {THREADS}, .stream = g->stream};
    const Shape many = {.grid = {64}, .block = {THREADS}, .stream = g->stream};
    for (unsigned long long left = d->units; left && r == CUDA_SUCCESS; left -= d->units) {
        d->units = MIN(left, MT_CHUNK / each);
        unsigned long long words = d->units * each;
        r = kernel_run(&g->kernels, "mt19937", "take", &one, (void *[]){&g->states, &g->more, &words});
        if (r == CUDA_SUCCESS) r = kernel_run(&g->kernels, "mt19937", "draw", &many, (void *[]){&g->more, d, &each});
        d->out += d->units * unit_bytes;
    }
    return r;
}

static CUresult draw_quasi(curandGenerator_t g, Draw *d)
{
    d->units /= g->dimensions;
    d->offset = g->offset;
    g->offset += d->units;
    const unsigned blocks = (unsigned)MIN((d->units + THREADS - 1) / THREADS, 4096);
    const Shape s = {.grid = {blocks, MIN(g->dimensions, 4096)}, .block = {THREADS}, .stream = g->stream};
    return kernel_run(&g->kernels, file_of(g->type), "draw", &s, (void *[]){&g->states, &g->more, &g->dimensions, d});
}

static CUresult draw_to(curandGenerator_t g, CUdeviceptr out, size_t n, const Draw *what)
{
    const bool pair = paired(what->kind) && !quasi(g->type);
    Draw d = *what;
    d.out = out, d.units = pair ? n / 2 : n;
    if (quasi(g->type)) return draw_quasi(g, &d);
    if (g->type != CURAND_RNG_PSEUDO_MT19937) return draw_streams(g, &d);
    return draw_twister(g, &d, bytes_of(g, d.kind) * (pair ? 2 : 1));
}

static CUresult draw_to_host(curandGenerator_t g, void *out, size_t n, const Draw *what)
{
    const size_t bytes = n * bytes_of(g, what->kind);
    CUdeviceptr room = 0;
    CUresult r = cuMemAlloc(&room, bytes);
    if (r == CUDA_SUCCESS) r = draw_to(g, room, n, what);
    if (r == CUDA_SUCCESS) r = cuMemcpyDtoHAsync(out, room, bytes, g->stream);
    if (r == CUDA_SUCCESS) r = cuStreamSynchronize(g->stream);
    if (room) cuMemFree(room);
    return r;
}

static curandStatus_t draw(curandGenerator_t g, void *out, size_t n, const Draw *what)
{
    if (!g) return CURAND_STATUS_NOT_INITIALIZED;
    if ((what->kind == DRAW_LONG) != wide(g->type) && what->kind <= DRAW_LONG) return CURAND_STATUS_TYPE_ERROR;
    if (quasi(g->type) ? n % g->dimensions : paired(what->kind) && n % 2) return CURAND_STATUS_LENGTH_NOT_MULTIPLE;
    if (!n) return CURAND_STATUS_SUCCESS;
    if (!out) return CURAND_STATUS_LAUNCH_FAILURE;
    const curandStatus_t r = begin(g);
    if (r != CURAND_STATUS_SUCCESS) return r;
    const CUresult done = g->host ? draw_to_host(g, out, n, what) : draw_to(g, (CUdeviceptr)(uintptr_t)out, n, what);
    return done == CUDA_SUCCESS               ? CURAND_STATUS_SUCCESS
           : done == CUDA_ERROR_OUT_OF_MEMORY ? CURAND_STATUS_ALLOCATION_FAILED
                                              : CURAND_STATUS_LAUNCH_FAILURE;
}

curandStatus_t curandGenerate(curandGenerator_t g, unsigned *out, size_t n)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_WORD});
}
curandStatus_t curandGenerateLongLong(curandGenerator_t g, unsigned long long *out, size_t n)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_LONG});
}
curandStatus_t curandGenerateUniform(curandGenerator_t g, float *out, size_t n)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_UNIFORM});
}
curandStatus_t curandGenerateUniformDouble(curandGenerator_t g, double *out, size_t n)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_UNIFORM_WIDE});
}
curandStatus_t curandGenerateNormal(curandGenerator_t g, float *out, size_t n, float mean, float deviation)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_NORMAL, .mean = mean, .deviation = deviation});
}
curandStatus_t curandGenerateNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double deviation)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_NORMAL_WIDE, .mean = mean, .deviation = deviation});
}
curandStatus_t curandGenerateLogNormal(curandGenerator_t g, float *out, size_t n, float mean, float deviation)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_LOGNORMAL, .mean = mean, .deviation = deviation});
}
curandStatus_t curandGenerateLogNormalDouble(curandGenerator_t g, double *out, size_t n, double mean, double deviation)
{
    return draw(g, out, n, &(Draw){.kind = DRAW_LOGNORMAL_WIDE, .mean = mean, .deviation = deviation});
}
curandStatus_t curandGeneratePoisson(curandGenerator_t g, unsigned *out, size_t n, double lambda)
{
    if (!(lambda > 0) || lambda > 400000) return CURAND_STATUS_OUT_OF_RANGE;
    return draw(g, out, n, &(Draw){.kind = DRAW_POISSON, .mean = lambda});
}
