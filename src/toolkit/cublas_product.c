// cublas_product.c: which kernel computes a product of matrices.
#include "toolkit/cublas.h"

// --- by ordinary instructions ----------------------------------------------------------------------------------------
static Count tiles(const Product *p, int tile) { return (p->m + tile - 1) / tile * ((p->n + tile - 1) / tile); }

// Neighbours of it in memory are neighbours along the first index of op(a), or the second; and nothing else matters.
static bool is_simple(const Matrix *a) { return a->layout == WHOLE && a->form == GENERAL; }
static bool is_turned(const Matrix *a) { return a->op == CUBLAS_OP_T || a->op == CUBLAS_OP_C; }

static Status launch(cublasHandle_t h, const char *file, const char *name, char letter, int tile, int threads,
                     unsigned shared, Product *p)
{
    enum { MOST = 65535 };
    const Count blocks = tiles(p, tile);
    if (blocks > INT32_MAX) return CUBLAS_STATUS_INVALID_VALUE;
    const Shape s = {.grid = {(unsigned)blocks, 1, (unsigned)MIN(p->count, MOST)},
                     .block = {(unsigned)threads},
                     .shared = shared,
                     .stream = h->stream};
    return run(h, file, name, letter, &s, (void *[]){p});
}

static Status ordinary(cublasHandle_t h, Product *p, Types t)
{
    char file[] = "gemm_?", name[] = "gemm128_??";
    const char letter = t.a != CUDA_R_8I ? letter_of(t.a) : t.c == CUDA_R_32I ? 'g' : 'f';
    file[5] = letter == 'f' ? 'g' : letter;
    const Count enough = MAX(h->processors, 1) / 2;
    if (t.a == CUDA_R_32F && tiles(p, 128) * p->count >= enough && is_simple(&p->a) && is_simple(&p->b)) {
        name[8] = is_turned(&p->a) ? 't' : 'n';
        name[9] = is_turned(&p->b) ? 't' : 'n';
        return launch(h, file, name, letter, 128, 256, 0, p);
    }
    if (tiles(p, 64) * p->count >= enough) return launch(h, file, "gemm64", letter, 64, 256, 0, p);
    return launch(h, file, "gemm32", letter, 32, 256, 0, p);
}

// --- by warps, from sm_80 on -----------------------------------------------------------------------------------------
// Copies of 16 bytes reach all of it.
static bool is_even(const Matrix *a, Count count)
{
    const char *const at = (const char *)a->at + a->offset * 2;
    return is_simple(a) && (uintptr_t)at % 16 == 0 && a->ld % 8 == 0 && (count == 1 || a->stride % 8 == 0);
}
static bool warps(cublasHandle_t h, Product *p, Types t, Status *status)
{
    enum { TILE = 128, LEAST = 32 };
    char name[] = "mma_??";
    if (h->capability < 80 || p->pointers || !p->k || p->k > INT32_MAX) return false;
    if (p->m < LEAST || p->n < LEAST || !is_even(&p->a, p->count) || !is_even(&p->b, p->count)) return false;
    name[4] = is_turned(&p->a) ? 't' : 'n', name[5] = is_turned(&p->b) ? 't' : 'n';
    *status = launch(h, "gemm_mma", name, letter_of(t.a), TILE, 256, 0, p);
    return true;
}

// --- by warpgroups, from sm_90a on -----------------------------------------------------------------------------------
// A box of 64 elements along the matrix's columns in memory, and so many columns. False: copies can't read it.
static bool map_of(CUtensorMap *map, const Matrix *a, int type, Count count, unsigned high)
{
    const char *const at = (const char *)a->at + a->offset * 2;
    const Count stride = count > 1 ? a->stride : a->ld * a->columns;
    if ((uintptr_t)at % 16 || a->ld % 8 || stride % 8 || stride <= 0) return false;
    const cuuint64_t sizes[] = {(cuuint64_t)a->rows, (cuuint64_t)a->columns, (cuuint64_t)count};
    const cuuint64_t strides[] = {(cuuint64_t)a->ld * 2, (cuuint64_t)stride * 2};
    const cuuint32_t box[] = {64, high, 1}, step[] = {1, 1, 1};
    const CUtensorMapDataType t =
        type == CUDA_R_16F ? CU_TENSOR_MAP_DATA_TYPE_FLOAT16 : CU_TENSOR_MAP_DATA_TYPE_BFLOAT16;
    return cuTensorMapEncodeTiled(map, t, 3, (void *)(uintptr_t)at, sizes, strides, box, step,
                                  CU_TENSOR_MAP_INTERLEAVE_NONE, CU_TENSOR_MAP_SWIZZLE_128B,
                                  CU_TENSOR_MAP_L2_PROMOTION_L2_128B,
                                  CU_TENSOR_MAP_FLOAT_OOB_FILL_NONE) == CUDA_SUCCESS;
}

static bool warpgroups(cublasHandle_t h, Product *p, Types t, Status *status)
{
    enum { COLUMNS = 128, ROWS = 256, SHARED = 4 * (COLUMNS + ROWS) * 128 + 64 + 1024, MOST = 65535 };
    CUtensorMap a, b;
    char name[] = "wgmma_??_?";
    const bool turned_a = is_turned(&p->a), turned_b = is_turned(&p->b);
    const Count high = (p->n + COLUMNS - 1) / COLUMNS, wide = (p->m + ROWS - 1) / ROWS;
    if (h->capability != 90 || p->pointers || p->half || p->count > MOST || p->k > INT32_MAX) return false;
    if (!is_simple(&p->a) || !is_simple(&p->b) || !p->k || p->alpha.at || high * wide > INT32_MAX) return false;
    if (p->m < 64 || p->n < 64 || p->m > INT32_MAX || p->n > INT32_MAX) return false;
    if (!map_of(&a, &p->a, t.a, p->count, turned_a ? ROWS : 64) ||
        !map_of(&b, &p->b, t.a, p->count, turned_b ? 64 : COLUMNS))
        return false;
    name[6] = turned_a ? 't' : 'n', name[7] = turned_b ? 't' : 'n', name[9] = letter_of(t.a);
    const Shape s = {.grid = {(unsigned)(high * wide), 1, (unsigned)p->count},
                     .block = {288},
                     .shared = SHARED,
                     .stream = h->stream};
    *status = status_of(kernel_run(&h->kernels, "gemm_wgmma", name, &s, (void *[]){p, &a, &b}));
    return true;
}

Status product(cublasHandle_t h, Product *p, Types t)
{
    Status status;
    if (p->m <= 0 || p->n <= 0 || p->count <= 0) return CUBLAS_STATUS_SUCCESS;
    p->d_type = t.c;
    if (!p->half && !p->real && !p->bias && !p->action && !p->c_in && !p->scale_a && !p->scale_b && !p->scale_c &&
        !p->scale_d)
        p->plain = t.a == t.c ? 1 : t.c == CUDA_R_32F ? 2 : 0;
    const bool narrow = t.a == CUDA_R_16F || t.a == CUDA_R_16BF;
    if (narrow && (warpgroups(h, p, t, &status) || warps(h, p, t, &status))) return status;
    return ordinary(h, p, t);
}
