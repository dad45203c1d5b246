// wgmma.c: products of matrices by four warps (PTX ISA §9.7.15): B lies in shared memory, A there or in registers, the
// sums in registers. A descriptor says where a matrix lies, and in which of eight layouts.
//
// The unit works while the warps go on, and the ISA says what is in D only behind wgmma.wait_group; until then nobody
// may touch D, A's registers or what is read. Here the product is computed when it is issued, by each warp for itself:
// its 16 of D's rows, from its own rows of A and all of B, as they are when this warp comes to it.
//
// In memory there are rows of 16 bytes, eight of which make a tile of 8 × 16 bytes: the elements of a row are
// neighbours along K, or (transposed) along M or N. Without swizzling the rows of a tile follow one another. With it 2,
// 4 or 8 tiles lie side by side, in rows of 32, 64 or 128 bytes, and the 16 bytes of a row are exchanged by the number
// of its 128 bytes in a pattern of 256, 512 or 1,024.
#include "exec/unit.h"

enum { GROUP = 128, WARPS = 4, ROW = 16, TILE = 8 };  // threads, warps; bytes of a row; rows of a tile
enum { MOST_A = 16 * 32, MOST_B = 64 * 256, MOST_D = 16 * 256 };

// --- matrices in shared memory (§9.7.15.5.1.2) -----------------------------------------------------------------------
typedef struct Place {
    uint32_t start, lead, stride;  // bytes; lead and stride: the leading and the stride dimension's offset
    uint32_t base, width;          // which 128 bytes, modulo 8, its pattern begins with; tiles side by side
} Place;

static Place read_descriptor(uint64_t v)
{
    static const uint8_t width[] = {1, 8, 4, 2};
    return (Place){.start = (uint32_t)(v & 0x3fff) << 4,
                   .lead = (uint32_t)(v >> 16 & 0x3fff) << 4,
                   .stride = (uint32_t)(v >> 32 & 0x3fff) << 4,
                   .base = v >> 49 & 7,
                   .width = width[v >> 62]};
}

// Where the 16 bytes with the number `along` of row `number` lie. across: rows are numbered along K.
static uint32_t address_of(const Place *p, bool across, uint32_t number, uint32_t along)
{
    const uint32_t in = number % TILE * p->width * ROW, tiles = number / TILE;
    uint32_t at = p->start + in;
    if (!across)
        at += tiles * p->stride + along * (p->width == 1 ? p->lead : ROW);
    else if (p->width == 1)
        at += tiles * p->lead + along * p->stride;
    else
        at += tiles * p->stride + along / p->width * p->lead + along % p->width * ROW;
    return at ^ (((at >> 7) - p->base) & (p->width - 1)) << 4;
}

typedef struct Reader {
    Env *env;
    Warp *w;
    const Dinst *d;
    Place place;
    bool across, good;  // good: there was no fault
    uint32_t bits;      // of an element; single bits come in words
    uint64_t addr[LANES];
    uint32_t n;  // that were read, and whoever checks (env->check) wasn't told
} Reader;

static Reader reader(Env *env, Warp *w, const Dinst *d, Loc32 descriptor, bool across, Type t)
{
    const uint64_t v = *(const uint64_t *)row(&w->l, descriptor);  // all lanes have it
    return (Reader){.env = env,
                    .w = w,
                    .d = d,
                    .place = read_descriptor(v),
                    .across = across,
                    .good = true,
                    .bits = t == TY_B1 ? 32 : (uint32_t)type_info[t].bits};
}

static void tell(Reader *r)
{
    if (r->good) check_group(r->env, r->w, r->d, r->addr, r->n, ROW);
    r->n = 0;
}

// The elements of 16 bytes, to every step-th of out.
static void read_row(Reader *r, uint32_t number, uint32_t along, uint32_t *out, uint32_t step)
{
    const Cta *cta = r->w->cta;
    const uint32_t at = address_of(&r->place, r->across, number, along);
    if (at >= cta->shared_bytes || ROW > cta->shared_bytes - at) {
        exec_fault(r->env, r->w, FAULT_SHARED, 0, at, ROW, false);
        r->good = false;
        return;
    }
    if (r->env->check) {
        r->addr[r->n++] = at;
        if (r->n == LANES) tell(r);
    }
    const uint8_t *p = cta->shared + at;
    if (r->bits == 16) {
        uint16_t v[ROW / 2];
        memcpy(v, p, sizeof v);
        for (uint32_t e = 0; e < ROW / 2; e++) out[e * step] = v[e];
        return;
    }
    for (uint32_t e = 0; e < 8u * ROW / r->bits; e++)
        out[e * step] = (uint32_t)lane_fetch(p + e * r->bits / 8, r->bits / 8);
}

// Rows from `first` on, of `deep` elements each, as a matrix by rows.
static void read_a(Reader *r, uint32_t first, uint32_t rows, uint32_t deep, uint32_t *a)
{
    const uint32_t per = 8 * ROW / r->bits;
    if (r->across) {
        for (uint32_t k = 0; k < deep; k++)
            for (uint32_t m = 0; m < rows && r->good; m += per)
                read_row(r, k, (first + m) / per, a + m * deep + k, deep);
        return;
    }
    for (uint32_t m = 0; m < rows; m++)
        for (uint32_t k = 0; k < deep && r->good; k += per) read_row(r, first + m, k / per, a + m * deep + k, 1);
}

static void read_b(Reader *r, uint32_t deep, uint32_t columns, uint32_t *b)
{
    const uint32_t per = 8 * ROW / r->bits;
    if (r->across) {
        for (uint32_t k = 0; k < deep; k++)
            for (uint32_t n = 0; n < columns && r->good; n += per) read_row(r, k, n / per, b + k * columns + n, 1);
        return;
    }
    for (uint32_t n = 0; n < columns; n++)
        for (uint32_t k = 0; k < deep && r->good; k += per) read_row(r, n, k / per, b + k * columns + n, columns);
}

// --- registers (§9.7.15.5.1.1) ---------------------------------------------------------------------------------------
static void gather_a(const Lanes *l, const Tensor *t, uint32_t *a)
{
    const uint32_t bits = 32u / t->per[MATRIX_A], keep = bits == 32 ? FULL : (1u << bits) - 1;
    for (uint32_t r = 0; r < t->used[MATRIX_A]; r++) {
        const uint32_t *from = row(l, t->row[MATRIX_A][r]);
        for (uint32_t e = 0; e < t->per[MATRIX_A]; e++)
            for (uint32_t n = 0; n < LANES; n++)
                a[t->element[MATRIX_A][r][e] + t->lane[MATRIX_A][n]] = from[n] >> bits * e & keep;
    }
}

// Where element e of D's register r lies for lane 0. Lane n's is n / 4 rows below it and 2 (n % 4) to its right.
static uint32_t sum_place(const Product *x, uint32_t r, uint32_t e)
{
    const Element at = matrix_element(x, MATRIX_D, 0, r, e);
    return (uint32_t)at.row * x->n + at.column;
}

// Two neighbouring elements of each lane between a row of D and two rows of registers: r and r + 1.
static void gather_pairs(const uint32_t *left, const uint32_t *right, uint32_t *to, uint32_t columns)
{
    for (uint32_t y = 0; y < LANES / 4; y++, to += columns, left += 4, right += 4)
        for (uint32_t k = 0; k < 4; k++) to[2 * k] = left[k], to[2 * k + 1] = right[k];
}

static void put_pairs(uint32_t *left, uint32_t *right, const uint32_t *from, uint32_t columns)
{
    for (uint32_t y = 0; y < LANES / 4; y++, from += columns, left += 4, right += 4)
        for (uint32_t k = 0; k < 4; k++) left[k] = from[2 * k], right[k] = from[2 * k + 1];
}

static void gather_sums(const Lanes *l, const GroupTensor *g, uint32_t *c)
{
    const Product *x = &g->tensor.x;
    for (uint32_t r = 0; r < x->registers[MATRIX_D]; r += 2) {
        const uint32_t *from = row(l, g->sum[r]);
        if (g->tensor.per[MATRIX_D] == 1) {
            gather_pairs(from, row(l, g->sum[r + 1]), c + sum_place(x, r, 0), x->n);
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t *to = c + sum_place(x, r + k, 0);
            from = row(l, g->sum[r + k]);
            for (uint32_t n = 0; n < LANES; n++) {
                to[n / 4 * x->n + 2 * (n % 4)] = from[n] & 0xffff;
                to[n / 4 * x->n + 2 * (n % 4) + 1] = from[n] >> 16;
            }
        }
    }
}

static void put_sums(const Lanes *l, const GroupTensor *g, const uint32_t *d)
{
    const Product *x = &g->tensor.x;
    for (uint32_t r = 0; r < x->registers[MATRIX_D]; r += 2) {
        if (g->tensor.per[MATRIX_D] == 1) {
            put_pairs(row(l, g->sum[r]), row(l, g->sum[r + 1]), d + sum_place(x, r, 0), x->n);
            continue;
        }
        for (uint32_t k = 0; k < 2; k++) {
            uint32_t *to = row(l, g->sum[r + k]);
            const uint32_t *from = d + sum_place(x, r + k, 0);
            for (uint32_t n = 0; n < LANES; n++) {
                const uint32_t at = n / 4 * x->n + 2 * (n % 4);
                to[n] = from[at] | from[at + 1] << 16;
            }
        }
    }
}

void exec_columns(const Lanes *l, const Tensor *t, uint32_t mask, uint16_t *column)
{
    const uint32_t *word = row(l, t->metadata), deep = t->x.k / 2u;
    for (uint32_t r = 0; r < t->x.m; r++)
        for (uint32_t s = 0; s < deep; s++) {
            uint32_t shift, lane = matrix_metadata(&t->x, t->selector, r, s, &shift);
            column[r * deep + s] = (uint16_t)matrix_place(&t->x, s, (mask >> lane & 1 ? word[lane] : 0) >> shift & 15);
        }
}

// --- one warp's part -------------------------------------------------------------------------------------------------
static uint32_t sign_of(Type t) { return 1u << (type_info[t].bits - 1); }

// False, with a fault: something lies outside of shared memory.
static bool read_matrices(Env *env, Warp *w, const Dinst *d, const GroupTensor *g, uint32_t *a, uint32_t *b)
{
    const Product *x = &g->tensor.x;
    const Type ta = x->type[MATRIX_A], tb = x->type[MATRIX_B];
    const uint32_t pack = ta == TY_B1 ? 32 : 1, deep = (uint32_t)(x->k >> x->sparse) / pack;
    if (g->a_memory) {
        Reader r = reader(env, w, d, d->a, g->a_across, ta);
        read_a(&r, w->in_cta % WARPS * x->m, x->m, deep, a);
        if (env->check) tell(&r);
        if (!r.good) return false;
    } else {
        gather_a(&w->l, &g->tensor, a);
    }
    for (uint32_t k = 0; g->minus && k < x->m * deep; k++) a[k] ^= sign_of(ta);
    Reader r = reader(env, w, d, d->b, g->b_across, tb);
    read_b(&r, x->k / pack, x->n, b);
    if (env->check) tell(&r);
    return r.good;
}

void exec_group(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const GroupTensor *g = (const GroupTensor *)d->tensor;
    const Product *x = &g->tensor.x;
    const uint32_t first = w->in_cta / WARPS * GROUP, have = MIN(w->cta->threads - first, (uint32_t)GROUP);
    uint32_t a[MOST_A], b[MOST_B], c[MOST_D];
    uint16_t columns[MOST_A];
    if (mask != FULL || have < GROUP) {
        uint32_t threads = have < GROUP ? have : (uint32_t)__builtin_popcount(mask);
        exec_fault(env, w, FAULT_WARPGROUP, (uint32_t)__builtin_ctz(mask), threads, 0, false);
        return;
    }
    if (!read_matrices(env, w, d, g, a, b)) return;
    if (get_pred_lanes(&w->l, d) & 1)
        gather_sums(&w->l, g, c);
    else
        memset(c, 0, sizeof *c * x->m * x->n);
    if (x->sparse) exec_columns(&w->l, &g->tensor, mask, columns);
    g->multiply(&g->tensor, d->inst, a, b, x->sparse ? columns : NULL, c);
    put_sums(&w->l, g, c);
}
