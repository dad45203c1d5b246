// mma and mma.sp (PTX ISA §9.7.14.5, §9.7.14.6): every shape, type, layout and modifier. Where an element is comes from
// the ISA's formulas, here from row and column to lane, register and bits, not the other way round. Sums of floats are
// MPFR's: all products and C exactly, rounded once. Those of .f64 are chains of fused multiply-adds along k.
#include "check.h"

#include "exec/ops_test.h"

#include <math.h>
#include <mpfr.h>
#include <string.h>

enum { EXACT = 1400, MOST_K = 256 };  // bits that hold any sum of products of .tf32

typedef struct Shape {
    int m, n, k;
    bool sparse;
    const char *d, *a, *b, *c;      // types
    const char *alayout, *blayout;  // "row", "col"
    const char *more;               // modifiers behind the types
    const char *before;             // and before them
} Shape;

static int bits_of(const char *type)
{
    if (!strcmp(type, "f64")) return 64;
    if (!strcmp(type, "f32") || !strcmp(type, "tf32") || !strcmp(type, "s32")) return 32;
    if (!strcmp(type, "f16") || !strcmp(type, "bf16")) return 16;
    if (!strcmp(type, "s4") || !strcmp(type, "u4")) return 4;
    return !strcmp(type, "b1") ? 1 : 8;
}

// --- where an element is ---------------------------------------------------------------------------------------------
typedef struct Spot {
    int lane, reg, shift;
} Spot;

static bool is_quads(const Shape *s) { return s->m == 8 && s->k == 4 && !strcmp(s->a, "f16"); }

// §9.7.14.5.1: the q-th of four products
static Spot quad_a(const Shape *s, int q, int row, int k)
{
    int base = 4 * q + 16 * (row / 4), number = !strcmp(s->alayout, "row") ? k : row % 4;
    return (Spot){base + (!strcmp(s->alayout, "row") ? row % 4 : k), number / 2, number % 2 * 16};
}

static Spot quad_b(const Shape *s, int q, int k, int column)
{
    int base = 4 * q + 16 * (column / 4), number = !strcmp(s->blayout, "row") ? column % 4 : k;
    return (Spot){base + (!strcmp(s->blayout, "row") ? k : column % 4), number / 2, number % 2 * 16};
}

static Spot quad_c(const char *type, int q, int row, int column)
{
    int base = 4 * q + 16 * (row / 4);
    if (bits_of(type) == 16) return (Spot){base + row % 4, column / 2, column % 2 * 16};
    return (Spot){base + (row & 1) + (column & 2), (column & 4) | (row & 2) | (column & 1), 0};
}

// §9.7.14.5.2–13: column is the place among the stored elements.
static Spot spot_a(const Shape *s, int q, int row, int column)
{
    int bits = bits_of(s->a), per = bits == 64 ? 1 : 32 / bits;
    if (is_quads(s)) return quad_a(s, q, row, column);
    int lane = row % 8 * 4 + column / per % 4, upper = row / 8, further = column / (4 * per);
    return (Spot){lane, s->m == 16 ? upper + 2 * further : further, column % per * (bits % 64)};
}

static Spot spot_b(const Shape *s, int q, int k, int column)
{
    int bits = bits_of(s->b), per = bits == 64 ? 1 : 32 / bits;
    if (is_quads(s)) return quad_b(s, q, k, column);
    return (Spot){column * 4 + k / per % 4, k / (4 * per), k % per * (bits % 64)};
}

static Spot spot_c(const Shape *s, const char *type, int q, int row, int column)
{
    if (is_quads(s)) return quad_c(type, q, row, column);
    int lane = row % 8 * 4 + column / 2, upper = row / 8, odd = column % 2;
    return bits_of(type) == 16 ? (Spot){lane, upper, 16 * odd} : (Spot){lane, 2 * upper + odd, 0};
}

// §9.7.14.6.1 and the figures of §9.7.14.6.2: lane and lowest bit of four bits of metadata. Of elements of 16 bits and
// of .tf32, rows r and r + 8 share a word; of others rows have words of their own.
static Spot spot_metadata(const Shape *s, int selector, int row, int group, int groups)
{
    int quad = row % 8 * 4;
    if (bits_of(s->a) >= 16)
        return (Spot){quad + (groups == 4 ? selector : 2 * selector + group / 4), 0, row / 8 * 16 + group % 4 * 4};
    return (Spot){quad + row / 8 + 2 * (groups == 8 ? selector : group / 8), 0, group % 8 * 4};
}

// --- numbers ---------------------------------------------------------------------------------------------------------
typedef struct Format {
    int exponent, fraction, bias;  // bits
} Format;
static Format format_of(const char *type)
{
    if (!strcmp(type, "f64")) return (Format){11, 52, 1023};
    if (!strcmp(type, "f16")) return (Format){5, 10, 15};
    if (!strcmp(type, "bf16")) return (Format){8, 7, 127};
    if (!strcmp(type, "e4m3")) return (Format){4, 3, 7};
    if (!strcmp(type, "e5m2")) return (Format){5, 2, 15};
    return (Format){8, 23, 127};
}

static double value_of(const char *type, uint64_t bits)
{
    const Format x = format_of(type);
    if (!strcmp(type, "tf32")) bits &= ~0x1fffull;
    bool negative = bits >> (x.exponent + x.fraction) & 1;
    int exponent = (int)(bits >> x.fraction & ((1u << x.exponent) - 1)), top = (1 << x.exponent) - 1;
    double fraction = (double)low_bits(bits, x.fraction), v;
    if (!strcmp(type, "e4m3") ? exponent == top && fraction == 7 : exponent == top)
        v = fraction > 0 ? (double)NAN : (double)INFINITY;
    else
        v = exponent ? ldexp(1 + ldexp(fraction, -x.fraction), exponent - x.bias)
                     : ldexp(fraction, 1 - x.bias - x.fraction);
    return negative ? -v : v;
}

// The bits of a number that the format has as a normal one, or of zero.
static uint64_t bits_for(const char *type, double v)
{
    const Format x = format_of(type);
    uint64_t sign = signbit(v) ? 1ull << (x.exponent + x.fraction) : 0;
    if (v == 0) return sign;
    int e = ilogb(v);
    return sign | (uint64_t)(e + x.bias) << x.fraction | (uint64_t)ldexp(ldexp(fabs(v), -e) - 1, x.fraction);
}

static int64_t whole_of(const char *type, uint64_t bits)
{
    return type[0] == 's' ? sign_extended(bits, bits_of(type)) : (int64_t)bits;
}

// The nearest .f16, even on a tie: found among all.
static uint32_t half_of(mpfr_t x)
{
    if (mpfr_nan_p(x)) return 0x7fff;
    uint32_t sign = mpfr_signbit(x) ? 0x8000 : 0, low = 0, high = 0x7c00;  // magnitudes
    mpfr_t v;
    mpfr_init2(v, EXACT);
    mpfr_abs(v, x, MPFR_RNDN);
    while (high - low > 1) {
        uint32_t middle = (low + high) / 2;
        *(mpfr_cmp_d(v, value_of("f16", middle)) >= 0 ? &low : &high) = middle;
    }
    // between low and high; above the largest finite number the next one would be 65536
    double a = value_of("f16", low), b = high == 0x7c00 ? 65536 : value_of("f16", high);
    int beyond = mpfr_cmp_d(v, (a + b) / 2);
    if (beyond > 0 || (!beyond && low & 1)) low = high;
    mpfr_clear(v);
    return low | sign;
}

static uint64_t rounded(const char *type, mpfr_t x)
{
    if (!strcmp(type, "f16")) return half_of(x);
    if (mpfr_nan_p(x)) return 0x7fffffff;
    float f = mpfr_get_flt(x, MPFR_RNDN);
    uint32_t bits;
    memcpy(&bits, &f, 4);
    return bits;
}

// --- one case --------------------------------------------------------------------------------------------------------
typedef struct Case {
    const Shape *s;
    Opened o;
    uint32_t reg[4][8], metadata;
    int counts[4];
    int selector;
    uint64_t a[4][16][MOST_K], b[4][MOST_K][8], c[4][16][8], want[4][16][8];  // bits of elements
    int place[16][MOST_K];                                                    // of stored elements
} Case;

static int registers(const Shape *s, const char *type, int elements)
{
    int bits = bits_of(type), products = is_quads(s) ? 4 : 1;
    return bits == 64 ? elements / 32 : elements * products * bits / 1024;
}

static void put_list(Text *t, char name, int n)
{
    text_put(t, "{");
    for (int k = 0; k < n; k++) text_printf(t, "%s%%%c%d", k ? ", " : "", name, k);
    text_put(t, "}");
}

static void case_text(const Case *x, Text *t)
{
    const Shape *s = x->s;
    const char *types[4] = {s->d, s->a, s->b, s->c};
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < x->counts[k]; r++)
            text_printf(t, ".reg .%s %%%c%d;\n",
                        !strcmp(types[k], "f64")   ? "f64"
                        : !strcmp(types[k], "f32") ? "f32"
                                                   : "b32",
                        "dabc"[k], r);
    text_put(t, ".reg .b32 %e0;\n");
    text_printf(t, "mma%s.sync.aligned.m%dn%dk%d.%s.%s%s.%s.%s.%s.%s%s ", s->sparse ? ".sp" : "", s->m, s->n, s->k,
                s->alayout, s->blayout, s->before, s->d, s->a, s->b, s->c, s->more);
    for (int k = 0; k < 4; k++) {
        if (k) text_put(t, ", ");
        put_list(t, "dabc"[k], x -> counts[k]);
    }
    if (s->sparse) text_printf(t, ", %%e0, %d", x->selector);
    text_put(t, ";");
}

static void case_open(Case *x)
{
    const Shape *s = x->s;
    x->counts[0] = registers(s, s->d, s->m * s->n), x->counts[3] = registers(s, s->c, s->m * s->n);
    x->counts[1] = registers(s, s->a, s->m * s->k / (s->sparse ? 2 : 1));
    x->counts[2] = registers(s, s->b, s->k * s->n);
    Text t = {0};
    case_text(x, &t);
    if (ptx_open(&x->o, 100, false, "", t.v) != ACCEPTED) fail_msg("%s: %s", t.v, x->o.diag.text.v);
    text_free(&t);
    for (int k = 0; k < 4; k++)
        for (int r = 0; r < x->counts[k]; r++) {
            char name[4] = {'%', "dabc"[k], (char)('0' + r)};
            x->reg[k][r] = reg_find(&x->o, name);
        }
    x->metadata = reg_find(&x->o, "%e0");
}

// Numbers of several kinds: around one, of any size, with infinities and NaNs, tiny, few different ones that cancel.
static uint64_t some_bits(const char *type, int kind)
{
    int bits = bits_of(type);
    uint64_t x = low_bits(any(), bits);
    bool whole = type[0] == 's' || type[0] == 'u' || type[0] == 'b';
    if ((whole && strcmp(type, "bf16")) || kind == 4) {
        if (strcmp(type, "s32")) return x;
        static const uint32_t ends[] = {0x7fffffff, 0x80000000, 0x7fffff00, 0x80000100};
        return kind == 1 ? ends[x % 4] : kind == 0 ? low_bits(x, 16) : x;
    }
    static const double few[] = {0, -0.0, 1, -1, 1.5, -1.5, 2, -2};
    if (kind == 3) return bits_for(type, few[any() % 8]);
    for (;; x = low_bits(any(), bits)) {
        double v = value_of(type, x);
        if (!isfinite(v)) continue;
        if (kind == 0 && bits > 8 && (fabs(v) > 4 || fabs(v) < 0x1p-6)) continue;
        if (kind == 2 && bits > 8 && fabs(v) > 0x1p-12) continue;
        return x;
    }
}

static void fill(Case *x, int kind)
{
    const Shape *s = x->s;
    const int stored = s->sparse ? s->k / 2 : s->k;
    for (int q = 0; q < (is_quads(s) ? 4 : 1); q++) {
        for (int r = 0; r < s->m; r++)
            for (int k = 0; k < stored; k++) x->a[q][r][k] = some_bits(s->a, kind);
        for (int k = 0; k < s->k; k++)
            for (int c = 0; c < s->n; c++) x->b[q][k][c] = some_bits(s->b, kind);
        for (int r = 0; r < s->m; r++)
            for (int c = 0; c < s->n; c++) x->c[q][r][c] = some_bits(s->c, kind == 2 && any() % 2 ? 0 : kind);
    }
}

// Which elements are stored, and the metadata that says so.
static int stored_by_group(const Shape *s) { return !strcmp(s->a, "tf32") ? 1 : bits_of(s->a) == 4 ? 4 : 2; }

static void choose(Case *x, Frame *w)
{
    const Shape *s = x->s;
    const int each = stored_by_group(s), groups = s->k / 2 / each;
    uint64_t words[LANES];
    for (int n = 0; n < LANES; n++) words[n] = low_bits(any(), 32);
    for (int r = 0; r < s->m; r++)
        for (int g = 0; g < groups; g++) {
            int first = (int)(any() % 4), second = (first + 1 + (int)(any() % 3)) % 4, code = first | second << 2;
            int *place = &x->place[r][g * each];
            if (each == 1) {
                int odd = (int)(any() % 2);
                code = odd ? 14 : 4;
                place[0] = 2 * g + odd;
            } else if (each == 2) {
                place[0] = 4 * g + first, place[1] = 4 * g + second;
            } else {
                for (int e = 0; e < 4; e++) place[e] = 8 * g + 2 * (e < 2 ? first : second) + e % 2;
            }
            Spot at = spot_metadata(s, x->selector, r, g, groups);
            words[at.lane] = (words[at.lane] & ~(15ull << at.shift)) | (uint64_t)code << at.shift;
        }
    for (int n = 0; n < LANES; n++) reg_put(&x->o, w, x->metadata, n, words[n]);
}

static uint64_t exact_sum(const Case *x, int q, int r, int c)
{
    const Shape *s = x->s;
    mpfr_t sum, p;
    mpfr_inits2(EXACT, sum, p, (mpfr_ptr)NULL);
    double start = value_of(s->c, x->c[q][r][c]);
    bool negative = signbit(start);  // every term
    mpfr_set_d(sum, start, MPFR_RNDN);
    for (int k = 0; k < (s->sparse ? s->k / 2 : s->k); k++) {
        double v = value_of(s->a, x->a[q][r][k]), y = value_of(s->b, x->b[q][s->sparse ? x->place[r][k] : k][c]);
        mpfr_set_d(p, v, MPFR_RNDN);
        mpfr_mul_d(p, p, y, MPFR_RNDN);
        negative &= signbit(v) != signbit(y);
        mpfr_add(sum, sum, p, MPFR_RNDN);
    }
    if (mpfr_zero_p(sum)) mpfr_set_zero(sum, negative ? -1 : 1);
    uint64_t out = rounded(s->d, sum);
    mpfr_clears(sum, p, (mpfr_ptr)NULL);
    return out;
}

static uint64_t double_sum(const Case *x, int r, int c)
{
    const Shape *s = x->s;
    mpfr_rnd_t how = strstr(s->more, ".rz")   ? MPFR_RNDZ
                     : strstr(s->more, ".rm") ? MPFR_RNDD
                     : strstr(s->more, ".rp") ? MPFR_RNDU
                                              : MPFR_RNDN;
    mpfr_t sum, v, y;
    mpfr_inits2(53, sum, v, y, (mpfr_ptr)NULL);
    mpfr_set_emin(-1073), mpfr_set_emax(1024);
    mpfr_set_d(sum, value_of("f64", x->c[0][r][c]), how);
    for (int k = 0; k < s->k; k++) {
        mpfr_set_d(v, value_of("f64", x->a[0][r][k]), how), mpfr_set_d(y, value_of("f64", x->b[0][k][c]), how);
        int inexact = mpfr_fma(sum, v, y, sum, how);
        mpfr_subnormalize(sum, inexact, how);
    }
    double d = mpfr_get_d(sum, how);
    bool nan = mpfr_nan_p(sum);
    mpfr_set_emin(mpfr_get_emin_min()), mpfr_set_emax(mpfr_get_emax_max());
    mpfr_clears(sum, v, y, (mpfr_ptr)NULL);
    uint64_t bits;
    memcpy(&bits, &d, 8);
    return nan ? 0x7ff8000000000000 : bits;
}

static uint64_t whole_sum(const Case *x, int r, int c)
{
    const Shape *s = x->s;
    int64_t sum = whole_of("s32", x->c[0][r][c]);
    for (int k = 0; k < (s->sparse ? s->k / 2 : s->k); k++) {
        uint64_t v = x->a[0][r][k], y = x->b[0][s->sparse ? x->place[r][k] : k][c];
        if (bits_of(s->a) == 1)
            sum += strstr(s->more, "xor") ? (int64_t)(v != y) : (int64_t)(v && y);
        else
            sum += whole_of(s->a, v) * whole_of(s->b, y);
    }
    if (strstr(s->before, "satfinite")) {
        if (sum > INT32_MAX) sum = INT32_MAX;
        if (sum < INT32_MIN) sum = INT32_MIN;
    }
    return low_bits((uint64_t)sum, 32);
}

static void put_bits(const Case *x, Frame *w, int which, Spot at, int bits, uint64_t v)
{
    uint32_t reg = x->reg[which][at.reg];
    uint64_t keep = bits == 64 ? 0 : ~(((1ull << bits) - 1) << at.shift);
    reg_put(&x->o, w, reg, at.lane, (reg_get(&x->o, w, reg, at.lane) & keep) | v << at.shift);
}

static int cases, results;

static void case_run(const Shape *s, int kind)
{
    static Case x;
    x = (Case){.s = s};
    const int stored = s->sparse ? s->k / 2 : s->k, products = is_quads(s) ? 4 : 1;
    if (s->sparse) x.selector = (int)(any() % (uint64_t)(32 * stored_by_group(s) / s->k));
    case_open(&x);
    Frame w;
    frame_fill(&x.o, &w);
    if (s->sparse) choose(&x, &w);
    fill(&x, kind);
    for (int q = 0; q < products; q++) {
        for (int r = 0; r < s->m; r++)
            for (int k = 0; k < stored; k++) put_bits(&x, &w, 1, spot_a(s, q, r, k), bits_of(s->a), x.a[q][r][k]);
        for (int k = 0; k < s->k; k++)
            for (int c = 0; c < s->n; c++) put_bits(&x, &w, 2, spot_b(s, q, k, c), bits_of(s->b), x.b[q][k][c]);
        for (int r = 0; r < s->m; r++)
            for (int c = 0; c < s->n; c++) put_bits(&x, &w, 3, spot_c(s, s->c, q, r, c), bits_of(s->c), x.c[q][r][c]);
    }
    Frame want = w;
    for (int q = 0; q < products; q++)
        for (int r = 0; r < s->m; r++)
            for (int c = 0; c < s->n; c++) {
                uint64_t v = !strcmp(s->d, "s32")   ? whole_sum(&x, r, c)
                             : !strcmp(s->d, "f64") ? double_sum(&x, r, c)
                                                    : exact_sum(&x, q, r, c);
                x.want[q][r][c] = v;
                put_bits(&x, &want, 0, spot_c(s, s->d, q, r, c), bits_of(s->d), v);
                results++;
            }
    for (int b = 0; b < build_count(); b++) {
        Frame got = w;
        Lanes l = frame_lanes(&x.o, &got);
        const Dinst *d = &x.o.code->insts[0];
        build_pick(b, d->inst)(&l, d, FULL);
        if (frame_same(&x.o, &want, &got)) continue;
        Text t = {0};
        case_text(&x, &t);
        for (int q = 0; q < products; q++)
            for (int r = 0; r < s->m; r++)
                for (int c = 0; c < s->n; c++) {
                    Spot at = spot_c(s, s->d, q, r, c);
                    uint64_t v = reg_get(&x.o, &got, x.reg[0][at.reg], at.lane) >> at.shift;
                    v = low_bits(v, bits_of(s->d));
                    if (v != x.want[q][r][c])
                        fail_msg("%s\n(%s, kind %d) product %d, row %d, column %d: %llx, not %llx", t.v, build_name(b),
                                 kind, q, r, c, (unsigned long long)v, (unsigned long long)x.want[q][r][c]);
                }
        fail_msg("%s: writes what it mustn't", t.v);
    }
    cases++;
    ptx_close(&x.o);
}

static void shape_run(const Shape *s, int rounds)
{
    for (int k = 0; k < rounds; k++) case_run(s, k % 5);
}

// --- all forms -------------------------------------------------------------------------------------------------------
static void plain(int m, int n, int k, bool sparse, const char *d, const char *a, const char *b, const char *c,
                  const char *before, const char *more, int rounds)
{
    Shape s = {m, n, k, sparse, d, a, b, c, "row", "col", more, before};
    shape_run(&s, rounds);
}

static void halves(void **state)
{
    (void)state;
    static const char *const order[] = {"row", "col"}, *const sums[] = {"f16", "f32"};
    for (int layout = 0; layout < 4; layout++)
        for (int sum = 0; sum < 3; sum++) {  // C of .f32 goes to .f32
            Shape s = {
                8,  8, 4, false, sums[sum > 0], "f16", "f16", sums[sum > 1], order[layout / 2], order[layout % 2],
                "", ""};
            shape_run(&s, 25);
        }
    for (int sum = 0; sum < 2; sum++) {
        plain(16, 8, 8, false, sums[sum], "f16", "f16", sums[sum], "", "", 60);
        plain(16, 8, 16, false, sums[sum], "f16", "f16", sums[sum], "", "", 60);
        plain(16, 8, 16, true, sums[sum], "f16", "f16", sums[sum], "", "", 60);
        plain(16, 8, 32, true, sums[sum], "f16", "f16", sums[sum], "", "", 60);
    }
}

static void others(void **state)
{
    (void)state;
    static const char *const f8[] = {"e4m3", "e5m2"}, *const sums[] = {"f16", "f32"};
    plain(16, 8, 8, false, "f32", "bf16", "bf16", "f32", "", "", 60);
    plain(16, 8, 16, false, "f32", "bf16", "bf16", "f32", "", "", 60);
    plain(16, 8, 4, false, "f32", "tf32", "tf32", "f32", "", "", 60);
    plain(16, 8, 8, false, "f32", "tf32", "tf32", "f32", "", "", 60);
    plain(16, 8, 16, true, "f32", "bf16", "bf16", "f32", "", "", 50);
    plain(16, 8, 32, true, "f32", "bf16", "bf16", "f32", "", "", 50);
    plain(16, 8, 8, true, "f32", "tf32", "tf32", "f32", "", "", 50);
    plain(16, 8, 16, true, "f32", "tf32", "tf32", "f32", "", "", 50);
    for (int k = 0; k < 4; k++) {
        for (int sum = 0; sum < 2; sum++) {
            plain(16, 8, 16, false, sums[sum], f8[k / 2], f8[k % 2], sums[sum], "", "", 15);
            plain(16, 8, 32, false, sums[sum], f8[k / 2], f8[k % 2], sums[sum], "", "", 15);
        }
        plain(16, 8, 64, true, "f32", f8[k / 2], f8[k % 2], "f32", "", "", 15);
    }
}

static void doubles(void **state)
{
    (void)state;
    static const char *const how[] = {"", ".rn", ".rz", ".rm", ".rp"};
    for (int k = 0; k < 5; k++) {
        plain(8, 8, 4, false, "f64", "f64", "f64", "f64", "", how[k], 10);
        for (int deep = 4; deep <= 16; deep *= 2) plain(16, 8, deep, false, "f64", "f64", "f64", "f64", "", how[k], 10);
    }
}

static void integers(void **state)
{
    (void)state;
    static const char *const s8[] = {"s8", "u8"}, *const s4[] = {"s4", "u4"};
    for (int k = 0; k < 8; k++) {
        const char *limit = k / 4 ? ".satfinite" : "", *a = s8[k / 2 % 2], *b = s8[k % 2];
        plain(8, 8, 16, false, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 16, false, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 32, false, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 32, true, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 64, true, "s32", a, b, "s32", limit, "", 10);
        a = s4[k / 2 % 2], b = s4[k % 2];
        plain(8, 8, 32, false, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 32, false, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 64, false, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 64, true, "s32", a, b, "s32", limit, "", 10);
        plain(16, 8, 128, true, "s32", a, b, "s32", limit, "", 10);
    }
    for (int k = 0; k < 2; k++) {
        const char *how = k ? ".and.popc" : ".xor.popc";
        plain(8, 8, 128, false, "s32", "b1", "b1", "s32", "", how, 20);
        plain(16, 8, 128, false, "s32", "b1", "b1", "s32", "", how, 20);
        plain(16, 8, 256, false, "s32", "b1", "b1", "s32", "", how, 20);
    }
    print_message("%d products of matrices, %d results\n", cases, results);
    assert_true(cases >= 2000);
}

// What the ISA doesn't have.
static void refused(void **state)
{
    (void)state;
    static const struct {
        const char *inst;
        Verdict verdict;
    } bad[] = {
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
         "{%f0, %f1, %f2, %f3};",
         ACCEPTED},
        {"mma.sync.aligned.m16n8k16.row.row.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
         "{%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.bf16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
         "{%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f16 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
         "{%r6, %r7};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k16.row.col.satfinite.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, "
         "{%r4, %r5}, {%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2}, {%r0, %r1, %r2, %r3}, {%r4, %r5}, "
         "{%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, {%r4, 5}, "
         "{%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k4.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4}, "
         "{%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, {%r4}, {%f0, %f1, %f2, %f3};",
         ILLEGAL},
        {"mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, %r4, "
         "{%f0, %f1, %f2, %f3};",
         ACCEPTED},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, "
         "{%r4, %r5, %r6, %r7}, {%f0, %f1, %f2, %f3}, %r0, 1;",
         ACCEPTED},
        {"mma.sp.sync.aligned.m16n8k32.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1, %r2, %r3}, "
         "{%r4, %r5, %r6, %r7}, {%f0, %f1, %f2, %f3}, %r0, 2;",
         ILLEGAL},
        {"mma.sp::ordered_metadata.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%f0, %f1, %f2, %f3}, {%r0, %r1}, "
         "{%r4, %r5}, {%f0, %f1, %f2, %f3}, %r0, 3;",
         ACCEPTED},
        {"mma.sync.aligned.m8n8k128.row.col.s32.b1.b1.s32.xor {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};", ILLEGAL},
        {"mma.sync.aligned.m8n8k16.row.col.s32.s8.s4.s32 {%r0, %r1}, {%r2}, {%r3}, {%r4, %r5};", ILLEGAL},
    };
    for (size_t k = 0; k < COUNT(bad); k++) {
        Opened o;
        Text t = {0};
        text_printf(&t, ".reg .b32 %%r<8>;\n.reg .f32 %%f<4>;\n%s", bad[k].inst);
        Verdict v = ptx_open(&o, 100, false, "", t.v);
        if (v != bad[k].verdict) fail_msg("%s: %d, %s", bad[k].inst, v, o.diag.failed ? o.diag.text.v : "accepted");
        ptx_close(&o);
        text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(halves),   cmocka_unit_test(others),  cmocka_unit_test(doubles),
        cmocka_unit_test(integers), cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
