// ldmatrix.c: matrices of 8 × 8 elements of 16 bits, which lie in shared memory by rows, and in a warp as one register
// a lane (PTX ISA §9.7.14.5.15–17): lane l has the elements 2 (l % 4) and 2 (l % 4) + 1 of row l / 4. Lane 8 m + r
// gives the address of row r of matrix m. Rows whose lanes take no part are zero, and nothing is stored to them: the
// ISA leaves that open.
//
// The rows of a warp are as many bytes as its lanes' registers. For who counts passes, lanes therefore access their
// share of the rows in order: of one matrix a word each, of four a row each. The 8 rows of a matrix then come to the
// banks together, as they do on cards.
#include "exec/unit.h"

enum { ROWS = 8, ROW = 16 };  // of a matrix; bytes of a row

typedef struct Tile {
    uint16_t at[ROWS][8];
} Tile;

static void put_element(const Lanes *l, Loc32 at, uint32_t lane, uint32_t half, uint16_t value)
{
    uint32_t *r = (uint32_t *)row(l, at) + lane;
    *r = half ? (*r & 0xffff) | (uint32_t)value << 16 : (*r & 0xffff0000u) | value;
}

static uint16_t get_element(const Lanes *l, Loc32 at, uint32_t lane, uint32_t half)
{
    return (uint16_t)(((const uint32_t *)row(l, at))[lane] >> 16 * half);
}

// Each lane's two elements, of the matrix or of its transpose.
static void give(const Lanes *l, Loc32 at, uint32_t mask, const Tile *t, bool transposed)
{
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t r = n / 4, c = 2 * (n % 4) + half;
            put_element(l, at, n, half, transposed ? t->at[c][r] : t->at[r][c]);
        }
    }
}

static Tile take(const Lanes *l, Loc32 at, uint32_t mask, bool transposed)
{
    Tile t = {0};
    for (uint32_t m = mask; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        for (uint32_t half = 0; half < 2; half++) {
            uint32_t r = n / 4, c = 2 * (n % 4) + half;
            *(transposed ? &t.at[c][r] : &t.at[r][c]) = get_element(l, at, n, half);
        }
    }
    return t;
}

// The addresses of rows, which their lanes give; they may be generic. False, with a fault: one is no row's.
static bool find_rows(Env *env, Warp *w, const Dinst *d, uint32_t lanes, uint64_t addr[LANES])
{
    const uint64_t size = w->cta->shared_bytes;
    const bool write = d->kind == X_STMATRIX;
    w->code->kernel->address(&w->l, d, d->imm, addr);
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        if (addr[n] >= SHARED_WINDOW && addr[n] < LOCAL_WINDOW) addr[n] -= SHARED_WINDOW;
        if (addr[n] < size && ROW <= size - addr[n] && addr[n] % ROW == 0) continue;
        bool outside = addr[n] >= size || ROW > size - addr[n];
        exec_fault(env, w, outside ? FAULT_SHARED : FAULT_MISALIGNED_SHARED, n, addr[n], ROW, write);
        return false;
    }
    return true;
}

// What each lane accesses, for those that count. A lane whose share lies in no row accesses the first one's again.
static void note_step(Env *env, const Dinst *d, uint32_t mask, uint32_t lanes, const uint64_t addr[LANES])
{
    Step *s = &env->step;
    const uint32_t bytes = (uint32_t)d->bytes * d->vec, each = ROW / bytes, first = (uint32_t)__builtin_ctz(lanes);
    for (uint32_t n = 0; n < LANES; n++)
        s->addr[n] = lanes >> n / each & 1 ? addr[n / each] + n % each * bytes : addr[first];
    s->mask = mask;
    s->bytes = bytes;
    s->space = SP_SHARED;
}

static uint32_t row_lanes(const Dinst *d) { return d->vec == 4 ? FULL : (1u << ROWS * d->vec) - 1; }

void exec_load_matrix(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const uint32_t lanes = row_lanes(d) & mask;
    uint64_t addr[LANES];
    Tile t[4] = {0};
    if (!find_rows(env, w, d, lanes, addr)) return;
    for (uint32_t m = lanes; m; m &= m - 1) {
        uint32_t n = (uint32_t)__builtin_ctz(m);
        memcpy(t[n / ROWS].at[n % ROWS], w->cta->shared + addr[n], ROW);
    }
    for (uint32_t k = 0; k < d->vec; k++) give(&w->l, d->vector[k], mask, &t[k], d->mod == M_TRANS);
    if (lanes) note_step(env, d, mask, lanes, addr);
}

void exec_store_matrix(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const uint32_t lanes = row_lanes(d) & mask;
    uint64_t addr[LANES];
    if (!find_rows(env, w, d, lanes, addr)) return;
    for (uint32_t k = 0; k < d->vec; k++) {
        const Tile t = take(&w->l, d->vector[k], mask, d->mod == M_TRANS);
        for (uint32_t r = 0; r < ROWS; r++)
            if (lanes >> (ROWS * k + r) & 1) memcpy(w->cta->shared + addr[ROWS * k + r], t.at[r], ROW);
    }
    env->changed = env->clock;
    if (lanes) note_step(env, d, mask, lanes, addr);
}

void exec_move_matrix(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env;
    const Tile t = take(&w->l, d->a, mask, true);
    give(&w->l, d->dst, mask, &t, false);
}
