// cublas_call.c: what is between a function's arguments and a kernel's.
#include "toolkit/cublas.h"

#include <math.h>
#include <string.h>

size_t bytes_of(int type)
{
    switch (type) {
    case CUDA_R_8I: return 1;
    case CUDA_R_16F:
    case CUDA_R_16BF: return 2;
    case CUDA_R_32F:
    case CUDA_R_32I: return 4;
    case CUDA_R_64F:
    case CUDA_C_32F: return 8;
    case CUDA_C_64F: return 16;
    default: return 0;
    }
}

char letter_of(int type)
{
    switch (type) {
    case CUDA_R_32F: return 's';
    case CUDA_R_64F: return 'd';
    case CUDA_C_32F: return 'c';
    case CUDA_C_64F: return 'z';
    case CUDA_R_16F: return 'h';
    case CUDA_R_16BF: return 'b';
    case CUDA_R_32I: return 'i';
    case CUDA_R_8I: return 'g';
    default: return 0;
    }
}

cudaDataType parts_of(int type)
{
    return type == CUDA_C_32F ? CUDA_R_32F : type == CUDA_C_64F ? CUDA_R_64F : (cudaDataType)type;
}

// --- numbers ---------------------------------------------------------------------------------------------------------
static double half_value(unsigned bits)
{
    const unsigned exponent = bits >> 10 & 31, rest = bits & 1023;
    const double sign = bits >> 15 ? -1 : 1;
    if (exponent == 31) return rest ? NAN : sign * INFINITY;
    return sign * (exponent ? ldexp(1024 + rest, (int)exponent - 25) : ldexp(rest, -24));
}

static double bfloat_value(uint16_t bits)
{
    const uint32_t wide = (uint32_t)bits << 16;
    float f;
    memcpy(&f, &wide, sizeof f);
    return f;
}

static Scalar read_number(const void *at, int type)
{
    Scalar s = {.type = type};
    const float *f = at;
    const double *d = at;
    const uint16_t *h = at;
    const int *i = at;
    switch (type) {
    case CUDA_R_32F: s.re = f[0]; break;
    case CUDA_R_64F: s.re = d[0]; break;
    case CUDA_C_32F: s.re = f[0], s.im = f[1]; break;
    case CUDA_C_64F: s.re = d[0], s.im = d[1]; break;
    case CUDA_R_16F: s.re = half_value(*h); break;
    case CUDA_R_16BF: s.re = bfloat_value(*h); break;
    default: s.re = i[0]; break;
    }
    return s;
}

Scalar scalar(cublasHandle_t h, const void *at, int type)
{
    if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) return (Scalar){.at = at, .type = type};
    return read_number(at, type);
}
Scalar number(double value) { return (Scalar){.re = value, .type = CUDA_R_64F}; }
bool is_number(Scalar s, double value) { return !s.at && s.re == value && s.im == 0; }

Vector vector(const void *x, Count n, Count inc, int type)
{
    const ptrdiff_t start = inc < 0 && n > 0 ? (ptrdiff_t)((1 - n) * inc) : 0;
    return (Vector){(char *)(uintptr_t)x + start * (ptrdiff_t)bytes_of(type), inc};
}

// --- kernels ---------------------------------------------------------------------------------------------------------
Shape shape_for(cublasHandle_t h, Count n)
{
    const Count most = 8 * MAX(h->processors, 1), wanted = (n + 255) / 256;
    return (Shape){.grid = {(unsigned)MAX(MIN(wanted, most), 1)}, .block = {256}, .stream = h->stream};
}

Status run(cublasHandle_t h, const char *file, const char *name, char letter, const Shape *s, void *const *args)
{
    char whole[64];
    snprintf(whole, sizeof whole, "%s_%c", name, letter);
    return status_of(kernel_run(&h->kernels, file, whole, s, args));
}

// --- values of the host or the device --------------------------------------------------------------------------------
Status places_begin(cublasHandle_t h, Place *p, int n, size_t before, bool read)
{
    enum { STEP = 64 };  // the largest, five doubles, takes 40 bytes
    CUdeviceptr room;
    CUresult result = CUDA_SUCCESS;
    if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) {
        for (int j = 0; j < n; j++) p[j].device = (CUdeviceptr)(uintptr_t)p[j].user;
        return CUBLAS_STATUS_SUCCESS;
    }
    const Status status = workspace(h, before + (size_t)n * STEP, &room);
    if (status) return status;
    for (int j = 0; j < n && result == CUDA_SUCCESS; j++) {
        p[j].device = room + before + (size_t)j * STEP;
        if (read) result = cuMemcpyHtoDAsync(p[j].device, p[j].user, p[j].bytes, h->stream);
    }
    return status_of(result);
}

Status places_end(cublasHandle_t h, const Place *p, int n)
{
    CUresult result = CUDA_SUCCESS;
    if (h->pointers == CUBLAS_POINTER_MODE_DEVICE) return CUBLAS_STATUS_SUCCESS;
    for (int j = 0; j < n && result == CUDA_SUCCESS; j++)
        if (!p[j].read_only) result = cuMemcpyDtoHAsync(p[j].user, p[j].device, p[j].bytes, h->stream);
    if (result == CUDA_SUCCESS) result = cuStreamSynchronize(h->stream);
    return status_of(result);
}
