// array.c: arrays of one to three dimensions, of layers and of a cube's faces, which textures and surfaces read. A GPU
// lays an array out in blocks that no program sees; here it is rows in the GPU's memory, slice behind slice. Copies
// give places and widths in bytes, but for cudaMemcpy3D (pitch.c); those of two dimensions are of the first slice.
//
// Invariant: a copy stays inside the array's rows. What a program does with an array that is gone is an error.
#include "cudart/unit.h"

#include <pthread.h>

enum { ROW = 64 };                       // bytes that a row is a multiple of
enum { SIGNED, UNSIGNED, FLOAT, NONE };  // cudaChannelFormatKind
enum { FLAGS = LAYERED | SURFACE | CUBEMAP | GATHER };
static const cudaExtent most = {131072, 65536, 16384};  // elements (attributes 21 to 26)
enum { MOST_LAYERS = 2048 };                            // of layers (attribute 29)

static struct {
    pthread_mutex_t lock;
    Array *all;
} arrays = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- channels --------------------------------------------------------------------------------------------------------
ChannelDesc cudaCreateChannelDesc(int x, int y, int z, int w, int kind) { return (ChannelDesc){{x, y, z, w}, kind}; }

cudaError_t texel_of(const ChannelDesc *d, size_t *bytes)
{
    int channels = 1, bits = d->bits[0];
    if (d->kind > NONE) return client_missing("a channel that is normalized, compressed or of several planes");
    while (channels < 4 && d->bits[channels]) channels++;
    for (int k = 0; k < 4; k++)
        if (d->bits[k] != (k < channels ? bits : 0)) return cudaErrorInvalidChannelDescriptor;
    if (channels == 3 || d->kind < SIGNED || d->kind == NONE) return cudaErrorInvalidChannelDescriptor;
    if (bits != 16 && bits != 32 && (bits != 8 || d->kind == FLOAT)) return cudaErrorInvalidChannelDescriptor;
    *bytes = (size_t)(channels * bits / 8);
    return cudaSuccess;
}

// --- arrays ----------------------------------------------------------------------------------------------------------
bool array_find(const Array *handle, Array *found)
{
    Array *a;
    pthread_mutex_lock(&arrays.lock);
    HASH_FIND_PTR(arrays.all, &handle, a);
    if (a) *found = *a;
    pthread_mutex_unlock(&arrays.lock);
    return a;
}

void arrays_forget(void)
{
    Array *a, *next;
    pthread_mutex_lock(&arrays.lock);
    HASH_ITER(hh, arrays.all, a, next)
    {
        HASH_DEL(arrays.all, a);
        mem_free(a);
    }
    pthread_mutex_unlock(&arrays.lock);
}

// Are there such arrays? A cube has six faces of a square, or six for each layer.
static cudaError_t check_shape(cudaExtent e, unsigned flags)
{
    bool cube = flags & CUBEMAP, layered = flags & LAYERED;
    if (flags & ~(unsigned)FLAGS) return client_missing("an array that is sparse, of graphics, or mapped later");
    if (!e.width || e.width > most.width || e.height > most.height) return cudaErrorInvalidValue;
    if (cube && (e.width != e.height || (layered ? !e.depth || e.depth % 6 : e.depth != 6)))
        return cudaErrorInvalidValue;
    if (layered && (!e.depth || e.depth > MOST_LAYERS)) return cudaErrorInvalidValue;
    if (!cube && !layered && e.depth && (!e.height || e.depth > most.depth)) return cudaErrorInvalidValue;
    return cudaSuccess;
}

cudaError_t array_make(const Array **out, const ChannelDesc *desc, cudaExtent e, unsigned flags, bool level)
{
    size_t texel, bytes;
    void *at;
    READY();
    if (!out || !desc) return noted(cudaErrorInvalidValue);
    *out = NULL;
    cudaError_t error = check_shape(e, flags);
    if (!error) error = texel_of(desc, &texel);
    if (error) return noted(error);
    size_t pitch = (e.width * texel + ROW - 1) / ROW * ROW;
    if (__builtin_mul_overflow(pitch * MAX(e.height, 1u), MAX(e.depth, 1u), &bytes))
        return noted(cudaErrorMemoryAllocation);
    error = cudaMalloc(&at, bytes);
    if (error) return error;
    Array *a = mem_alloc(sizeof *a);
    *a = (Array){a, at, *desc, e.width, e.height, e.depth, texel, pitch, flags, level, {0}};
    pthread_mutex_lock(&arrays.lock);
    HASH_ADD_PTR(arrays.all, self, a);
    pthread_mutex_unlock(&arrays.lock);
    *out = a;
    return cudaSuccess;
}

cudaError_t cudaMallocArray(const Array **array, const ChannelDesc *desc, size_t width, size_t height, unsigned flags)
{
    return flags & (LAYERED | CUBEMAP) ? noted(cudaErrorInvalidValue)
                                       : array_make(array, desc, (cudaExtent){width, height, 0}, flags, false);
}

cudaError_t cudaMalloc3DArray(const Array **array, const ChannelDesc *desc, cudaExtent e, unsigned flags)
{
    return array_make(array, desc, e, flags, false);
}

// An array that is a mipmap's level goes with that alone.
cudaError_t array_free(const Array *array, bool level)
{
    Array *a;
    READY();
    if (!array) return cudaSuccess;
    pthread_mutex_lock(&arrays.lock);
    HASH_FIND_PTR(arrays.all, &array, a);
    if (a && a->level != level) a = NULL;
    if (a) HASH_DEL(arrays.all, a);
    pthread_mutex_unlock(&arrays.lock);
    if (!a) return noted(cudaErrorInvalidResourceHandle);
    cudaError_t error = cudaFree(a->at);
    mem_free(a);
    return error;
}

cudaError_t cudaFreeArray(const Array *array) { return array_free(array, false); }

cudaError_t cudaArrayGetInfo(ChannelDesc *desc, cudaExtent *e, unsigned *flags, const Array *array)
{
    Array a;
    READY();
    if (!array_find(array, &a)) return noted(cudaErrorInvalidResourceHandle);
    if (desc) *desc = a.desc;
    if (e) *e = (cudaExtent){a.width, a.height, a.depth};
    if (flags) *flags = a.flags;
    return cudaSuccess;
}

cudaError_t cudaGetChannelDesc(ChannelDesc *desc, const Array *array)
{
    READY();
    return desc ? cudaArrayGetInfo(desc, NULL, NULL, array) : noted(cudaErrorInvalidValue);
}

// No array here is sparse, made of planes, or mapped later.
static cudaError_t has_none(const Array *array)
{
    Array a;
    READY();
    return noted(array_find(array, &a) ? cudaErrorInvalidValue : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaArrayGetPlane(const Array **plane, const Array *array, unsigned index)
{
    (void)plane, (void)index;
    return has_none(array);
}

cudaError_t cudaArrayGetMemoryRequirements(void *to, const Array *array, int device)
{
    (void)to, (void)device;
    return has_none(array);
}

cudaError_t cudaArrayGetSparseProperties(void *to, const Array *array)
{
    (void)to;
    return has_none(array);
}

// --- copies of boxes -------------------------------------------------------------------------------------------------
// The box of width bytes by height rows at (x bytes, y).
static cudaError_t part(const Array *a, size_t x, size_t y, size_t width, size_t height, Box *box)
{
    size_t row = a->width * a->texel, rows = array_rows(a);
    if (x > row || width > row - x || y > rows || height > rows - y) return cudaErrorInvalidValue;
    *box = (Box){a->at + y * a->pitch + x, a->pitch, height};
    return cudaSuccess;
}

// A slice of it has all the array's rows.
cudaError_t array_box(const Array *a, cudaPos at, cudaExtent e, Box *box)
{
    size_t rows = array_rows(a), slices = MAX(a->depth, 1u);
    if (at.z > slices || e.depth > slices - at.z || at.x > a->width) return cudaErrorInvalidValue;
    cudaError_t error = part(a, at.x * a->texel, at.y, e.width, e.height, box);
    if (!error) *box = (Box){box->at + at.z * rows * a->pitch, a->pitch, rows};
    return error;
}

cudaError_t cudaMemcpy2DToArrayAsync(const Array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                     size_t height, int kind, cudaStream_t s)
{
    const Box source = {(uint8_t *)(uintptr_t)from, pitch, height};
    Box box;
    Array a;
    READY();
    if (!array_find(to, &a)) return noted(cudaErrorInvalidResourceHandle);
    if (width > pitch) return noted(cudaErrorInvalidPitchValue);
    cudaError_t error = part(&a, x, y, width, height, &box);
    return noted(error ? error : box_copy(&box, &source, (cudaExtent){width, height, 1}, kind, s));
}

cudaError_t cudaMemcpy2DToArray(const Array *to, size_t x, size_t y, const void *from, size_t pitch, size_t width,
                                size_t height, int kind)
{
    return WAITING(cudaMemcpy2DToArrayAsync(to, x, y, from, pitch, width, height, kind, NULL));
}

cudaError_t cudaMemcpy2DFromArrayAsync(void *to, size_t pitch, const Array *from, size_t x, size_t y, size_t width,
                                       size_t height, int kind, cudaStream_t s)
{
    const Box box = {to, pitch, height};
    Box source;
    Array a;
    READY();
    if (!array_find(from, &a)) return noted(cudaErrorInvalidResourceHandle);
    if (width > pitch) return noted(cudaErrorInvalidPitchValue);
    cudaError_t error = part(&a, x, y, width, height, &source);
    return noted(error ? error : box_copy(&box, &source, (cudaExtent){width, height, 1}, kind, s));
}

cudaError_t cudaMemcpy2DFromArray(void *to, size_t pitch, const Array *from, size_t x, size_t y, size_t width,
                                  size_t height, int kind)
{
    return WAITING(cudaMemcpy2DFromArrayAsync(to, pitch, from, x, y, width, height, kind, NULL));
}

cudaError_t array_to_array(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                           size_t width, size_t height, int kind, cudaStream_t s)
{
    Box box, source;
    Array a, b;
    READY();
    if (!array_find(to, &a) || !array_find(from, &b)) return noted(cudaErrorInvalidResourceHandle);
    cudaError_t error = part(&a, x, y, width, height, &box);
    if (!error) error = part(&b, from_x, from_y, width, height, &source);
    return noted(error ? error : box_copy(&box, &source, (cudaExtent){width, height, 1}, kind, s));
}

cudaError_t cudaMemcpy2DArrayToArray(const Array *to, size_t x, size_t y, const Array *from, size_t from_x,
                                     size_t from_y, size_t width, size_t height, int kind)
{
    return WAITING(array_to_array(to, x, y, from, from_x, from_y, width, height, kind, NULL));
}

// --- copies of runs --------------------------------------------------------------------------------------------------
// A run of bytes goes on at the beginning of the next row. Of memory, it has one row.
typedef struct Run {
    uint8_t *at;
    size_t x, y, row, rows, pitch;
} Run;

static bool run_of(const Array *array, size_t x, size_t y, size_t bytes, Run *r)
{
    Array a;
    if (!array_find(array, &a)) return false;
    size_t row = a.width * a.texel, rows = array_rows(&a);
    *r = (Run){a.at, x, y, row, rows, a.pitch};
    if (x > row || y > rows || bytes > (rows - y) * row || x > (rows - y) * row - bytes) return false;
    if (row == a.pitch) *r = (Run){a.at, y * row + x, 0, rows * row, 1, a.pitch};  // one piece
    return true;
}

static Run run_at(const void *p, size_t bytes) { return (Run){(uint8_t *)(uintptr_t)p, 0, 0, bytes, 1, bytes}; }

static size_t left(Run *r)
{
    if (r->x == r->row) r->x = 0, r->y++;
    return r->row - r->x;
}

static cudaError_t copy(Run *to, Run *from, size_t bytes, int kind, cudaStream_t s)
{
    cudaError_t error = cudaSuccess;
    bool more = false;
    if (bytes && (!to->at || !from->at)) return noted(cudaErrorInvalidValue);
    while (bytes && !error) {
        size_t there = left(to), here = left(from), n = MIN(bytes, MIN(there, here));
        error = memory_copy(to->at + to->y * to->pitch + to->x, from->at + from->y * from->pitch + from->x, n, kind, s,
                            more);
        to->x += n, from->x += n, bytes -= n, more = true;
    }
    return error;
}

cudaError_t cudaMemcpyToArrayAsync(const Array *to, size_t x, size_t y, const void *from, size_t bytes, int kind,
                                   cudaStream_t s)
{
    Run a, b = run_at(from, bytes);
    READY();
    return run_of(to, x, y, bytes, &a) ? copy(&a, &b, bytes, kind, s) : noted(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyToArray(const Array *to, size_t x, size_t y, const void *from, size_t bytes, int kind)
{
    return WAITING(cudaMemcpyToArrayAsync(to, x, y, from, bytes, kind, NULL));
}

cudaError_t cudaMemcpyFromArrayAsync(void *to, const Array *from, size_t x, size_t y, size_t bytes, int kind,
                                     cudaStream_t s)
{
    Run a = run_at(to, bytes), b;
    READY();
    return run_of(from, x, y, bytes, &b) ? copy(&a, &b, bytes, kind, s) : noted(cudaErrorInvalidValue);
}

cudaError_t cudaMemcpyFromArray(void *to, const Array *from, size_t x, size_t y, size_t bytes, int kind)
{
    return WAITING(cudaMemcpyFromArrayAsync(to, from, x, y, bytes, kind, NULL));
}

cudaError_t array_run_to_array(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                               size_t bytes, int kind, cudaStream_t s)
{
    Run a, b;
    READY();
    if (!run_of(to, x, y, bytes, &a) || !run_of(from, from_x, from_y, bytes, &b)) return noted(cudaErrorInvalidValue);
    return copy(&a, &b, bytes, kind, s);
}

cudaError_t cudaMemcpyArrayToArray(const Array *to, size_t x, size_t y, const Array *from, size_t from_x, size_t from_y,
                                   size_t bytes, int kind)
{
    return WAITING(array_run_to_array(to, x, y, from, from_x, from_y, bytes, kind, NULL));
}
