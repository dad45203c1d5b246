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

Status product(cublasHandle_t h, Product *p, Types t)
{
    if (p->m <= 0 || p->n <= 0 || p->count <= 0) return CUBLAS_STATUS_SUCCESS;
    p->d_type = t.c;
    p->plain = t.a == t.c && !p->half && !p->real && !p->bias && !p->action && !p->c_in && !p->scale_a && !p->scale_b &&
               !p->scale_c && !p->scale_d;
    return ordinary(h, p, t);
}
