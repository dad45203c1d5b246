// ops_tensor.c: products of matrices, D = A · B + C (PTX ISA §9.7.14, §9.7.15). The fragments are gathered, multiplied
// as plain matrices, and handed out; lanes that take no part have zeros. wgmma.c multiplies its own by these functions.
//
// The ISA leaves the order of sums and their rounding open, and cards differ. A card takes the products of 4, 8 or 16
// elements along k, and the sum so far. It aligns them to the largest exponent, drops the lowest bits, and adds; how
// many it drops differs, too. Then it goes on with the next ones (Fasi et al. 2021, Khattak and Mikaitis 2025, for
// V100, A100 and H100). Here a result is the exact sum of C and all products, rounded once, to the nearest: it has no
// order, and is the same on every GPU that is described.
//
// Elements of .f64 are added along k by fused multiply-adds, whose precision the ISA asks for. Sums of integers are
// exact, and cut to 32 bits or limited (.satfinite) once, at the end. NaNs are canonical.
#include "exec/ops.h"

#include <math.h>
#if defined __AVX512F__ || (defined __AVX__ && defined __FMA__)
#include <immintrin.h>
#endif

enum { MOST = 1024, MOST_SUMS = 256 };        // elements of A or B; of C or D
enum { PANEL = 8, MOST_DEEP = 64 };           // columns that are multiplied at once; rows of B, of floats
enum { MOST_ROWS = 32, MOST_COLUMNS = 256 };  // of all products of an instruction

// --- gathering and handing out ---------------------------------------------------------------------------------------
static void gather(const Lanes *l, const Tensor *t, int which, uint32_t mask, uint32_t *out)
{
    const uint32_t bits = 32u / t->per[which], keep = bits == 32 ? FULL : (1u << bits) - 1;
    const uint16_t *lane = t->lane[which];
    for (uint32_t r = 0; r < t->used[which]; r++) {
        const uint32_t *from = row(l, t->row[which][r]);
        for (uint32_t e = 0; e < t->per[which]; e++) {
            const uint32_t at = t->element[which][r][e], shift = bits * e;
            for (uint32_t n = 0; n < LANES; n++) out[at + lane[n]] = mask >> n & 1 ? from[n] >> shift & keep : 0;
        }
    }
}

static void hand_out(const Lanes *l, const Tensor *t, uint32_t mask, const uint32_t *sums)
{
    const uint32_t per = t->per[MATRIX_D];
    for (uint32_t r = 0; r < t->used[MATRIX_D]; r++) {
        uint32_t *to = row(l, t->row[MATRIX_D][r]);
        const uint16_t *at = t->element[MATRIX_D][r];
        for (uint32_t n = 0; n < LANES; n++) {
            const uint32_t *own = sums + t->lane[MATRIX_D][n];
            if (mask >> n & 1) to[n] = per == 1 ? own[at[0]] : own[at[0]] | own[at[1]] << 16;
        }
    }
}

static void gather_wide(const Lanes *l, const Tensor *t, int which, uint32_t mask, double *out)
{
    for (uint32_t r = 0; r < t->used[which]; r++) {
        const double *from = row(l, t->row[which][r]);
        for (uint32_t n = 0; n < LANES; n++)
            out[t->element[which][r][0] + t->lane[which][n]] = mask >> n & 1 ? from[n] : 0;
    }
}

// --- floating point --------------------------------------------------------------------------------------------------
// .e5m2 is the upper half of an .f16; .e4m3 has one NaN of each sign, and no infinity (§5.2.3).
LANE_INLINE float e4m3(uint32_t x)
{
    uint32_t sign = (x & 0x80) << 24, magnitude = x & 0x7f;
    return magnitude == 0x7f ? NAN : as_f32(as_u32(as_f32(magnitude << 20) * 0x1p120f) | sign);
}

static void to_floats(Type t, const uint32_t *raw, float *out, uint32_t n)
{
    switch (t) {
    case TY_F16:
        for (uint32_t k = 0; k < n; k++) out[k] = as_f32(half_to_f32(raw[k]));
        break;
    case TY_BF16:
        for (uint32_t k = 0; k < n; k++) out[k] = as_f32(bf16_to_f32(raw[k]));
        break;
    case TY_TF32:  // the lower 13 bits aren't looked at
        for (uint32_t k = 0; k < n; k++) out[k] = as_f32(raw[k] & 0xffffe000u);
        break;
    case TY_E4M3:
        for (uint32_t k = 0; k < n; k++) out[k] = e4m3(raw[k]);
        break;
    case TY_E5M2:
        for (uint32_t k = 0; k < n; k++) out[k] = as_f32(half_to_f32(raw[k] << 8));
        break;
    default:
        for (uint32_t k = 0; k < n; k++) out[k] = as_f32(raw[k]);
    }
}

// A number as a sum of digits of 32 bits: the first one's lowest bit is 2^-288, below all products of .tf32 (2^-272).
enum { DIGITS = 20, LOWEST = -288 };

static void add_exactly(int64_t *digit, double x)
{
    uint64_t bits = as_u64(x), significand = (bits & 0xfffffffffffffull) | 1ull << 52;
    int exponent = (int)(bits >> 52 & 0x7ff);
    if (!exponent) return;  // zero: no product is as small as a subnormal
    int zeros = __builtin_ctzll(significand), at = exponent - 1075 + zeros - LOWEST;
    unsigned __int128 v = (unsigned __int128)(significand >> zeros) << (at % 32);
    for (int k = at / 32; v; k++, v >>= 32) digit[k] += bits >> 63 ? -(int64_t)(uint32_t)v : (int64_t)(uint32_t)v;
}

// The digits' number, rounded to odd.
static double of_digits(int64_t *digit)
{
    for (int k = 0; k + 1 < DIGITS; k++) {
        int64_t carry = digit[k] >> 32;
        digit[k] -= carry * (1ll << 32);
        digit[k + 1] += carry;
    }
    const bool negative = digit[DIGITS - 1] < 0;
    for (int k = 0, borrow = 0; k < DIGITS && negative; k++) {
        int64_t v = -digit[k] - borrow;
        borrow = k + 1 < DIGITS && v < 0;
        digit[k] = borrow ? v + (1ll << 32) : v;
    }
    int top = DIGITS - 1;
    while (top >= 0 && !digit[top]) top--;
    if (top < 0) return 0;
    // the upper three digits have at least 65 bits; whether there is anything below goes into the last one
    unsigned __int128 v = 0;
    for (int k = 0; k < 3; k++) v = v << 32 | (uint32_t)(top >= k ? digit[top - k] : 0);
    bool more = false;
    for (int k = 0; k < top - 2; k++) more |= digit[k] != 0;
    int shift = 0;
    while (v >> 53) more |= v & 1, v >>= 1, shift++;
    const double r = ldexp((double)((uint64_t)v | more), LOWEST + 32 * (top - 2) + shift);
    return negative ? -r : r;
}

// The exact sum of c and products a[s] · b[column of s], rounded to odd. Infinities and NaNs as of any order of sums.
static double sum_exactly(double c, const double *a, const double *b, uint32_t stride, const uint16_t *column,
                          uint32_t n)
{
    int64_t digit[DIGITS] = {0};
    double special = 0;
    for (uint32_t s = 0; s <= n; s++) {
        double x = s == n ? c : a[s] * b[(column ? column[s] : s) * stride];
        if (isfinite(x))
            add_exactly(digit, x);
        else
            special += x;
    }
    return special == 0 ? of_digits(digit) : special;
}

LANE_INLINE uint32_t round_sum(Type t, double s)
{
    if (t == TY_F16) return f32_to_half_rn(as_u32(narrow_odd(s)));
    return canon32((float)s);
}

// Between which powers of two floats lie: each is a multiple of 2^low, and below 2^high. Zeros lie anywhere.
typedef struct Span {
    int low, high;
} Span;

// bits: of a significand, behind its first one; least: the type's least number is 2^least.
LANE_INLINE Span span_of(const float *v, uint32_t n, int bits, int least)
{
    uint32_t small = 0x7f800000u, large = 0;
    for (uint32_t k = 0; k < n; k++) {
        const uint32_t size = as_u32(v[k]) & 0x7fffffffu, nonzero = size ? size : 0x7f800000u;
        small = nonzero < small ? nonzero : small;
        large = size > large ? size : large;
    }
    const int low = (int)(small >> 23) - 127 - bits;
    return (Span){low > least ? low : least, (int)(large >> 23) - 126};  // above 128: infinities and NaNs
}

static Span span(Type t, const float *v, uint32_t n)
{
    switch (t) {
    case TY_F16: return span_of(v, n, 10, -24);
    case TY_BF16: return span_of(v, n, 7, -133);
    case TY_TF32: return span_of(v, n, 10, -136);
    case TY_E4M3: return span_of(v, n, 3, -9);
    case TY_E5M2: return span_of(v, n, 2, -16);
    default: return span_of(v, n, 23, -149);
    }
}

// Is every sum of a number and of n products a double, in whatever order they are added? Then nothing is rounded.
static bool sums_are_exact(Span a, Span b, Span c, uint32_t n)
{
    const int doublings = 32 - __builtin_clz(n), products = a.high + b.high + doublings;
    const int high = (products > c.high ? products : c.high) + 1, low = a.low + b.low < c.low ? a.low + b.low : c.low;
    return a.high <= 128 && b.high <= 128 && c.high <= 128 && high - low <= 53;
}

typedef double Panel __attribute__((vector_size(PANEL * sizeof(double))));
typedef float Floats __attribute__((vector_size(PANEL * sizeof(float)), aligned(4), may_alias));

// As many doubles as a register of the host has, and a · b + c where nothing is rounded.
#if defined __AVX512F__
enum { WIDE = 8 };
#elif defined __AVX__ && defined __FMA__
enum { WIDE = 4 };
#else
enum { WIDE = 2 };
#endif
enum { PIECES = PANEL / WIDE, BLOCK = WIDE };  // of a panel's row; rows of D that are made together
typedef double Wide __attribute__((vector_size(WIDE * sizeof(double)), may_alias));
typedef float Narrow __attribute__((vector_size(WIDE * sizeof(float)), aligned(4), may_alias));
LANE_INLINE Wide add_product(double a, Wide b, Wide c)
{
#if defined __AVX512F__
    return _mm512_fmadd_pd(_mm512_set1_pd(a), b, c);
#elif defined __AVX__ && defined __FMA__
    return _mm256_fmadd_pd(_mm256_set1_pd(a), b, c);
#else
    return a * b + c;
#endif
}

// BLOCK rows of D, a panel's columns, in doubles, where nothing is rounded before the end: d has C's elements before.
// A, with n elements in a row, is read along its rows, and D's rows lie x->n apart.
LANE_INLINE void block_sums(const Product *x, const double *a, const Panel *b, uint32_t n, uint32_t *d)
{
    Wide sum[BLOCK][PIECES];
    const bool plain_c = x->type[MATRIX_C] == TY_F32, plain_d = x->type[MATRIX_D] == TY_F32;
    for (uint32_t r = 0; r < BLOCK; r++) {
        float c[PANEL];
        if (!plain_c) to_floats(x->type[MATRIX_C], d + r * x->n, c, PANEL);
        const Narrow *from = (const Narrow *)(plain_c ? (const void *)(d + r * x->n) : c);
        for (int p = 0; p < PIECES; p++) sum[r][p] = __builtin_convertvector(from[p], Wide);
    }
    for (uint32_t s = 0; s < n; s++)
        for (int p = 0; p < PIECES; p++) {
            const Wide y = ((const Wide *)&b[s])[p];
            for (uint32_t r = 0; r < BLOCK; r++) sum[r][p] = add_product(a[r * n + s], y, sum[r][p]);
        }
    for (uint32_t r = 0; r < BLOCK; r++)
        for (int p = 0; p < PIECES; p++)
            if (plain_d)  // no sum is a NaN
                *(Narrow *)(d + r * x->n + p * WIDE) = __builtin_convertvector(sum[r][p], Narrow);
            else
                for (int j = 0; j < WIDE; j++)
                    d[r * x->n + (uint32_t)(p * WIDE + j)] = round_sum(x->type[MATRIX_D], sum[r][p][j]);
}

// One row of D, a panel's columns, in doubles: d has C's elements before. Where the numbers' span doesn't tell that
// nothing is rounded, the errors of all sums are added up; a sum that wasn't exact, which is seldom, is made again.
LANE_INLINE void row_sums(const Product *x, const double *a, const Panel *b, bool exact, const uint16_t *column,
                          uint32_t n, uint32_t *d)
{
    float c[PANEL];
    double error[PANEL] = {0};
    Panel sum;
    to_floats(x->type[MATRIX_C], d, c, PANEL);
    for (int j = 0; j < PANEL; j++) sum[j] = c[j];
    if (exact) {
        for (uint32_t s = 0; s < n; s++) sum += a[s] * b[column ? column[s] : s];
        for (int j = 0; j < PANEL; j++) d[j] = round_sum(x->type[MATRIX_D], sum[j]);
        return;
    }
    for (uint32_t s = 0; s < n; s++) {
        const double v = a[s];
        const Panel y = b[column ? column[s] : s];
        for (int j = 0; j < PANEL; j++) {
            double p = v * y[j], next = sum[j] + p, back = next - sum[j];
            error[j] += fabs((sum[j] - (next - back)) + (p - back));
            sum[j] = next;
        }
    }
    for (int j = 0; j < PANEL; j++) {
        const double s = error[j] == 0 ? sum[j] : sum_exactly(c[j], a, (const double *)b + j, PANEL, column, n);
        d[j] = round_sum(x->type[MATRIX_D], s);
    }
}

// B's columns from `first` on.
static Span take_panel(const Product *x, const uint32_t *b, uint32_t first, Panel *out)
{
    const uint32_t n = x->k * (uint32_t)PANEL;
    uint32_t raw[MOST_DEEP * PANEL];
    float v[MOST_DEEP * PANEL];
    for (uint32_t k = 0; k < x->k; k++) memcpy(raw + k * PANEL, b + k * x->n + first, sizeof *raw * PANEL);
    to_floats(x->type[MATRIX_B], raw, v, n);
    for (uint32_t k = 0; k < x->k; k++) out[k] = __builtin_convertvector(*(const Floats *)(v + k * PANEL), Panel);
    return span(x->type[MATRIX_B], v, n);
}

static Span row_span(const Product *x, const uint32_t *c)
{
    float v[MOST_COLUMNS];
    to_floats(x->type[MATRIX_C], c, v, x->n);
    return span(x->type[MATRIX_C], v, x->n);
}

static void multiply_floats(const Tensor *t, const Inst *i, uint32_t *a, uint32_t *b, const uint16_t *columns,
                            uint32_t *c)
{
    const Product *x = &t->x;
    const uint32_t products = x->quads ? 4 : 1, deep = (uint32_t)(x->k >> x->sparse);
    float v[MOST];
    double left[MOST];
    Panel panel[MOST_DEEP];
    Span of_a[MOST_ROWS], of_c[MOST_ROWS];
    (void)i;
    to_floats(x->type[MATRIX_A], a, v, products * x->m * deep);
    for (uint32_t k = 0; k < products * x->m * deep; k++) left[k] = v[k];
    for (uint32_t r = 0; r < products * x->m; r++) {
        of_a[r] = span(x->type[MATRIX_A], v + r * deep, deep);
        of_c[r] = row_span(x, c + r * x->n);
    }
    for (uint32_t q = 0; q < products; q++)
        for (uint32_t j = 0; j < x->n; j += PANEL) {
            const Span of_b = take_panel(x, b + q * x->k * x->n, j, panel);
            for (uint32_t r = q * x->m; r < (q + 1) * x->m;) {
                const uint32_t most = columns ? 0 : MIN((q + 1) * x->m - r, BLOCK);
                uint32_t exact = 0;
                while (exact < most && sums_are_exact(of_a[r + exact], of_b, of_c[r + exact], deep)) exact++;
                if (exact == BLOCK) {
                    block_sums(x, left + r * deep, panel, deep, c + r * x->n + j);
                    r += BLOCK;
                    continue;
                }
                row_sums(x, left + r * deep, panel, sums_are_exact(of_a[r], of_b, of_c[r], deep),
                         columns ? columns + r * deep : NULL, deep, c + r * x->n + j);
                r++;
            }
        }
}

static void doubles(Lanes *l, const Dinst *i, uint32_t mask)
{
    const Tensor *t = i->tensor;
    const Product *x = &t->x;
    double a[16 * 16], b[16 * 8], sum[16 * 8];
    gather_wide(l, t, MATRIX_A, mask, a);
    gather_wide(l, t, MATRIX_B, mask, b);
    gather_wide(l, t, MATRIX_C, mask, sum);
    const int old = round_enter(i, sum);
    for (uint32_t r = 0; r < x->m; r++)
        for (uint32_t s = 0; s < x->k; s++)
            for (uint32_t j = 0; j < x->n; j++)
                sum[r * x->n + j] = __builtin_fma(a[r * x->k + s], b[s * x->n + j], sum[r * x->n + j]);
    round_leave(old, sum);
    for (uint32_t r = 0; r < t->used[MATRIX_D]; r++) {
        uint64_t *to = row(l, t->row[MATRIX_D][r]);
        for (uint32_t n = 0; n < LANES; n++)
            if (mask >> n & 1) to[n] = canon64(sum[t->element[MATRIX_D][r][0] + t->lane[MATRIX_D][n]]);
    }
}

// --- integers and single bits ----------------------------------------------------------------------------------------
static void extend(Type t, uint32_t *v, uint32_t n)
{
    const int above = 32 - type_info[t].bits;
    for (uint32_t k = 0; k < n && type_info[t].kind == K_SINT; k++)
        v[k] = (uint32_t)((int32_t)(v[k] << above) >> above);
}

static void multiply_integers(const Tensor *t, const Inst *i, uint32_t *a, uint32_t *b, const uint16_t *columns,
                              uint32_t *c)
{
    const Product *x = &t->x;
    const bool limited = inst_has(i, G_SAT);
    const uint32_t deep = (uint32_t)(x->k >> x->sparse);
    extend(x->type[MATRIX_A], a, x->m * deep);
    extend(x->type[MATRIX_B], b, (uint32_t)x->k * x->n);
    for (uint32_t r = 0; r < x->m; r++)
        for (uint32_t j = 0; j < x->n; j += 8) {
            int32_t sum[8] = {0};  // at most 128 · 2^16
            for (uint32_t s = 0; s < deep; s++) {
                const int32_t v = (int32_t)a[r * deep + s];
                const uint32_t *y = b + (columns ? columns[r * deep + s] : s) * x->n + j;
                for (int k = 0; k < 8; k++) sum[k] += v * (int32_t)y[k];
            }
            for (int k = 0; k < 8; k++) {
                uint32_t *to = &c[r * x->n + j + (uint32_t)k];
                int64_t exact = (int64_t)(int32_t)*to + sum[k];
                *to = (uint32_t)(limited ? MAX(MIN(exact, INT32_MAX), INT32_MIN) : exact);
            }
        }
}

// Bits that differ, or are both set, are counted in place of products.
static void multiply_bits(const Tensor *t, const Inst *i, uint32_t *a, uint32_t *b, const uint16_t *columns,
                          uint32_t *c)
{
    const Product *x = &t->x;
    const uint32_t words = x->k / 32u;
    const bool both = i->mod[G_ATOM] == M_A_AND;
    (void)columns;
    for (uint32_t r = 0; r < x->m; r++)
        for (uint32_t s = 0; s < words; s++)
            for (uint32_t j = 0; j < x->n; j++) {
                uint32_t v = a[r * words + s], y = b[s * x->n + j];
                c[r * x->n + j] += (uint32_t)__builtin_popcount(both ? v & y : v ^ y);
            }
}

// --- an instruction of a warp ----------------------------------------------------------------------------------------
LANE_INLINE void whole(const Lanes *l, const Dinst *i, uint32_t mask, MultiplyFn *multiply)
{
    const Tensor *t = i->tensor;
    uint32_t a[MOST], b[MOST], c[MOST_SUMS];
    uint16_t columns[MOST];
    gather(l, t, MATRIX_A, mask, a);
    gather(l, t, MATRIX_B, mask, b);
    gather(l, t, MATRIX_C, mask, c);
    if (t->x.sparse) exec_columns(l, t, mask, columns);
    multiply(t, i->inst, a, b, t->x.sparse ? columns : NULL, c);
    hand_out(l, t, mask, c);
}

static void floats(Lanes *l, const Dinst *i, uint32_t mask) { whole(l, i, mask, multiply_floats); }
static void integers(Lanes *l, const Dinst *i, uint32_t mask) { whole(l, i, mask, multiply_integers); }
static void bits(Lanes *l, const Dinst *i, uint32_t mask) { whole(l, i, mask, multiply_bits); }

ExecFn *OPS_NAME(pick_tensor)(const Inst *i)
{
    Product x;
    if (!ptx_matrix(i, &x)) return NULL;
    const Type a = x.type[MATRIX_A];
    return a == TY_B1 ? bits : a == TY_F64 ? doubles : type_info[a].kind == K_FLOAT ? floats : integers;
}

MultiplyFn *OPS_NAME(pick_multiply)(const Inst *i)
{
    Product x;
    if (!ptx_matrix(i, &x)) return NULL;
    const Type a = x.type[MATRIX_A];
    return a == TY_B1 ? multiply_bits : type_info[a].kind == K_FLOAT ? multiply_floats : multiply_integers;
}
