// pitch.c: rows and boxes of memory: allocations whose rows begin at multiples of a pitch, copies and fills of them. A
// box is slices of `height` rows of `pitch` bytes. Rows that follow one another without a gap are copied as one piece.
#include "cudart/unit.h"

#include <string.h>

enum { PITCH = 512 };  // bytes: what rows' addresses are multiples of

static cudaError_t allocate(void **p, size_t *pitch, size_t width, size_t rows)
{
    size_t wide = (width + PITCH - 1) / PITCH * PITCH, bytes;
    if (wide < width || __builtin_mul_overflow(wide, rows, &bytes)) return noted(cudaErrorMemoryAllocation);
    *pitch = wide;
    return cudaMalloc(p, bytes);
}

cudaError_t cudaMallocPitch(void **p, size_t *pitch, size_t width, size_t height)
{
    READY();
    return p && pitch ? allocate(p, pitch, width, height) : noted(cudaErrorInvalidValue);
}

cudaError_t cudaMalloc3D(cudaPitchedPtr *p, cudaExtent e)
{
    size_t rows;
    READY();
    if (!p) return noted(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(e.height, e.depth, &rows)) return noted(cudaErrorMemoryAllocation);
    *p = (cudaPitchedPtr){.xsize = e.width, .ysize = e.height};
    return allocate(&p->ptr, &p->pitch, e.width, rows);
}

// --- boxes -----------------------------------------------------------------------------------------------------------
typedef cudaError_t Piece(void *user, uint8_t *to, const uint8_t *from, size_t bytes, bool more);

// Does a row fit its pitch, and the box the address space?
static cudaError_t check(const Box *b, cudaExtent e)
{
    size_t slice, all;
    if (e.width > b->pitch && (e.height > 1 || e.depth > 1)) return cudaErrorInvalidPitchValue;
    if (!b->at || (e.height > b->height && e.depth > 1)) return cudaErrorInvalidValue;
    if (__builtin_mul_overflow(b->pitch, b->height, &slice) || __builtin_mul_overflow(slice, e.depth, &all))
        return cudaErrorInvalidValue;
    return all > UINTPTR_MAX - (uintptr_t)b->at ? cudaErrorInvalidValue : cudaSuccess;
}

static uint8_t *row_of(const Box *b, size_t slice, size_t row) { return b->at + (slice * b->height + row) * b->pitch; }

// from may be null: there is none.
static cudaError_t go(const Box *to, const Box *from, cudaExtent e, Piece *piece, void *user)
{
    if (!e.width || !e.height || !e.depth) return cudaSuccess;
    cudaError_t error = check(to, e);
    if (!error && from) error = check(from, e);
    bool dense = to->pitch == e.width && (!from || from->pitch == e.width);  // a slice is one piece
    size_t rows = dense ? 1 : e.height, bytes = dense ? e.width * e.height : e.width;
    for (size_t z = 0; z < e.depth; z++)
        for (size_t y = 0; y < rows && !error; y++)
            error = piece(user, row_of(to, z, y), from ? row_of(from, z, y) : NULL, bytes, z || y);
    return error;
}

// --- copies ----------------------------------------------------------------------------------------------------------
typedef struct Way {
    int kind, value;
    cudaStream_t stream;
} Way;

static cudaError_t copy_piece(void *user, uint8_t *to, const uint8_t *from, size_t bytes, bool more)
{
    const Way *way = user;
    return memory_copy(to, from, bytes, way->kind, way->stream, more);
}

cudaError_t box_copy(const Box *to, const Box *from, cudaExtent e, int kind, cudaStream_t s)
{
    if (capture_on() && e.width && e.height && e.depth) {
        bool taken = false;
        cudaError_t error = check(to, e);
        if (!error) error = check(from, e);
        if (!error) error = capture_copy(to, from, e, kind, s, &taken);
        if (error || taken) return error;
    }
    return go(to, from, e, copy_piece, &(Way){.kind = kind, .stream = s});
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, int kind, cudaStream_t s)
{
    const Box box = {to, to_pitch, height}, source = {(uint8_t *)(uintptr_t)from, from_pitch, height};
    READY();
    if (width > to_pitch || width > from_pitch) return noted(cudaErrorInvalidPitchValue);
    return noted(box_copy(&box, &source, (cudaExtent){width, height, 1}, kind, s));
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         int kind)
{
    return WAITING(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, NULL));
}

// The box of an end of a copy; a slice of it has ysize rows.
static Box box_of(const cudaPitchedPtr *p, const cudaPos *at, size_t rows)
{
    size_t height = p->ysize ? p->ysize : rows;
    return (Box){p->ptr ? (uint8_t *)p->ptr + (at->z * height + at->y) * p->pitch + at->x : NULL, p->pitch, height};
}

cudaError_t cudaMemcpy3DAsync(const CopyParams *c, cudaStream_t s)
{
    READY();
    if (!c) return noted(cudaErrorInvalidValue);
    // Where an array is in play, the extent's width is in its elements.
    Array a = {.texel = 1}, b = a;
    if ((c->to_array && !array_find(c->to_array, &a)) || (c->from_array && !array_find(c->from_array, &b)))
        return noted(cudaErrorInvalidValue);
    if (c->to_array && c->from_array && a.texel != b.texel) return noted(cudaErrorInvalidValue);
    cudaExtent e = c->extent;
    if (__builtin_mul_overflow(e.width, c->to_array ? a.texel : b.texel, &e.width)) return noted(cudaErrorInvalidValue);
    Box to = box_of(&c->to, &c->to_at, e.height), from = box_of(&c->from, &c->from_at, e.height);
    cudaError_t error = c->to_array ? array_box(&a, c->to_at, e, &to) : cudaSuccess;
    if (!error && c->from_array) error = array_box(&b, c->from_at, e, &from);
    return noted(error ? error : box_copy(&to, &from, e, c->kind, s));
}

cudaError_t cudaMemcpy3D(const CopyParams *c) { return WAITING(cudaMemcpy3DAsync(c, NULL)); }

// --- fills -----------------------------------------------------------------------------------------------------------
static cudaError_t fill_piece(void *user, uint8_t *to, const uint8_t *from, size_t bytes, bool more)
{
    const Way *way = user;
    (void)from;
    return memory_fill(to, way->value, bytes, way->stream, more);
}

cudaError_t cudaMemset2DAsync(void *to, size_t pitch, int value, size_t width, size_t height, cudaStream_t s)
{
    const Box box = {to, pitch, height};
    READY();
    if (width > pitch) return noted(cudaErrorInvalidValue);
    if (capture_on() && width && height) {
        bool taken = false;
        cudaError_t error = capture_fill(to, pitch, (unsigned char)value, 1, width, height, s, &taken);
        if (error || taken) return noted(error);
    }
    return noted(go(&box, NULL, (cudaExtent){width, height, 1}, fill_piece, &(Way){.value = value, .stream = s}));
}

// The fill takes its time and checks the place; then words of several bytes are written here.
cudaError_t rows_fill(void *to, size_t pitch, unsigned word, size_t size, size_t width, size_t height, cudaStream_t s)
{
    size_t bytes;
    if (!width || !height) return cudaSuccess;
    if (!to || (uintptr_t)to % size || (height > 1 && pitch % size)) return noted(cudaErrorInvalidValue);
    if (__builtin_mul_overflow(width, size, &bytes)) return noted(cudaErrorInvalidValue);
    if (capture_on() && size > 1) {
        bool taken = false;
        cudaError_t error = capture_fill(to, pitch, word, size, width, height, s, &taken);
        if (error || taken) return noted(error);
    }
    const int byte = (uint8_t)word;
    cudaError_t error =
        height == 1 ? cudaMemsetAsync(to, byte, bytes, s) : cudaMemset2DAsync(to, pitch, byte, bytes, height, s);
    for (size_t y = 0; y < height && size > 1 && !error; y++) {
        uint8_t *row = (uint8_t *)to + y * pitch;
        if (!client_mapped((uintptr_t)row, bytes)) return noted(cudaErrorInvalidValue);
        for (size_t x = 0; x < width; x++) memcpy(row + x * size, &word, size);  // the low bytes come first
    }
    return error;
}

cudaError_t cudaMemset2D(void *to, size_t pitch, int value, size_t width, size_t height)
{
    return WAITING(cudaMemset2DAsync(to, pitch, value, width, height, NULL));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr p, int value, cudaExtent e, cudaStream_t s)
{
    const Box box = {p.ptr, p.pitch, p.ysize ? p.ysize : e.height};
    READY();
    return noted(go(&box, NULL, e, fill_piece, &(Way){.value = value, .stream = s}));
}

cudaError_t cudaMemset3D(cudaPitchedPtr p, int value, cudaExtent e)
{
    return WAITING(cudaMemset3DAsync(p, value, e, NULL));
}
