// wgmma.mma_async and wgmma.mma_async.sp (PTX ISA §9.7.15): every width, type, layout and modifier, by four warps.
// Where an element is comes from the ISA's figures and tables, here from row and column to warp, lane and register, or
// to a byte of shared memory. Sums are exact whole numbers of 2^-60, rounded once.
#include "check.h"
#include "ptx/unit.h"

#include "exec/ops_test.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { M = 64, MOST_N = 256, MOST_K = 256, WARPS = 4, SHARED = 192 << 10, POINT = 60 };
typedef __int128 Fixed;

typedef enum Swizzle { NONE, BY_128, BY_64, BY_32 } Swizzle;  // as descriptors have them
typedef struct GroupForm {
    const char *d, *a, *b;  // types
    bool sparse, limited;
    int n;
    bool a_memory, a_turned, b_turned, a_negative, b_negative;
    Swizzle a_swizzle, b_swizzle;
    enum { ADD_TRUE, ADD_FALSE, ADD_PRED, ADD_NOT, ADD_KINDS } adds;
    int kind;  // of values
} GroupForm;

static int bits_of(const char *type)
{
    if (!strcmp(type, "f32") || !strcmp(type, "tf32") || !strcmp(type, "s32")) return 32;
    if (!strcmp(type, "f16") || !strcmp(type, "bf16")) return 16;
    return !strcmp(type, "b1") ? 1 : 8;
}

static bool is_whole(const char *type) { return type[0] == 's' || type[0] == 'u' || !strcmp(type, "b1"); }
static int deep_of(const GroupForm *f) { return 256 / bits_of(f->a) * (f->sparse ? 2 : 1); }
static int stored_of(const GroupForm *f) { return 256 / bits_of(f->a); }

// --- where an element is ---------------------------------------------------------------------------------------------
typedef struct Spot {
    int warp, lane, reg, shift;
} Spot;

// Figures 146 to 154: four lanes share a row; register pairs alternate between rows r and r + 8.
static Spot spot_d(const GroupForm *f, int row, int column)
{
    const int lane = row % 8 * 4 + column % 8 / 2, pair = column / 8 * 2 + row % 16 / 8;
    if (bits_of(f->d) == 16) return (Spot){row / 16, lane, pair, column % 2 * 16};
    return (Spot){row / 16, lane, 2 * pair + column % 2, 0};
}

static Spot spot_a(const GroupForm *f, int row, int stored)
{
    const int bits = bits_of(f->a), per = 32 / bits;
    return (Spot){row / 16, row % 8 * 4 + stored / per % 4, row % 16 / 8 + 2 * (stored / (4 * per)),
                  stored % per * bits};
}

// §9.7.15.6.2: as of mma.sp with the same types. Of 16 bits and .tf32, rows r and r + 8 share a word, and the selector
// says which two lanes of four have it; of 8 bits all four do.
static Spot spot_metadata(const GroupForm *f, int selector, int row, int group)
{
    const int quad = row % 8 * 4;
    if (bits_of(f->a) >= 16)
        return (Spot){row / 16, quad + 2 * selector + group / 4, 0, row % 16 / 8 * 16 + group % 4 * 4};
    return (Spot){row / 16, quad + row % 16 / 8 + 2 * (group / 8), 0, group % 8 * 4};
}

// A matrix in shared memory. `tile` is the pattern's start; first: 16-byte columns of the swizzled rows before it.
typedef struct Matrix {
    Swizzle swizzle;
    bool turned;  // neighbours are along M or N
    int bits;
    uint32_t tile, first, lead, stride;
} Matrix;

static uint32_t row_bytes(Swizzle s) { return s == BY_128 ? 128 : s == BY_64 ? 64 : s == BY_32 ? 32 : 16; }

// Which 16 bytes of a row of an atom of eight rows those are that would be number `chunk`: Figures 156 to 163.
static uint32_t swizzled(Swizzle s, uint32_t row, uint32_t chunk)
{
    switch (s) {
    case BY_128: return chunk ^ row % 8;
    case BY_64: return chunk ^ row / 2 % 4;
    case BY_32: return chunk ^ row / 4 % 2;
    default: return chunk;
    }
}

// The bit at which element (across, k) begins; across: its row in A, its column in B (§9.7.15.5.1.2.1, canonical
// layouts).
static uint64_t bit_of(const Matrix *m, uint32_t across, uint32_t k)
{
    const uint32_t per = 128 / (uint32_t)m->bits, wide = row_bytes(m->swizzle) / 16;
    const uint32_t line = m->turned ? k : across, inner = m->turned ? across : k, chunk = inner / per;
    uint64_t atom = m->tile;
    uint32_t in = chunk;
    if (m->swizzle == NONE) {
        atom += (uint64_t)(line / 8) * (m->turned ? m->lead : m->stride) +
                (uint64_t)chunk * (m->turned ? m->stride : m->lead);
        in = 0;
    } else if (m->turned) {
        atom += (uint64_t)(line / 8) * m->stride + (uint64_t)(chunk / wide) * m->lead;
        in = chunk % wide;
    } else {
        atom += (uint64_t)(line / 8) * m->stride;
        in += m->first;
    }
    const uint64_t byte = atom + line % 8 * 16 * wide + 16 * swizzled(m->swizzle, line % 8, in);
    return 8 * byte + inner % per * (uint32_t)m->bits;
}

static uint64_t descriptor_of(const Matrix *m)
{
    const uint64_t start = m->tile + 16 * m->first, base = m->swizzle == NONE ? 0 : m->tile >> 7 & 7;
    return (start & 0x3ffff) >> 4 | (uint64_t)((m->lead & 0x3ffff) >> 4) << 16 |
           (uint64_t)((m->stride & 0x3ffff) >> 4) << 32 | base << 49 | (uint64_t)m->swizzle << 62;
}

// Lays a matrix of so many rows (or columns) and elements along K out from *at on, in one of several ways.
static Matrix lay_out(Swizzle s, bool turned, int bits, uint32_t across, uint32_t deep, uint32_t *at)
{
    const uint32_t per = 128 / (uint32_t)bits, wide = row_bytes(s) / 16, atom = 128 * wide;
    Matrix m = {.swizzle = s, .turned = turned, .bits = bits};
    const uint32_t lines = ((turned ? deep : across) + 7) / 8, chunks = (turned ? across : deep) / per;
    const uint32_t blocks = s == NONE ? chunks : (chunks + wide - 1) / wide, pad = (uint32_t)(any() % 3);
    uint32_t big, small = atom * (1 + (uint32_t)(any() % 2));
    if (s == NONE) small = 128 + 16 * pad;
    const bool lines_far = any() & 1;
    big = small * (lines_far ? blocks : lines);
    if (s == NONE) big += 16 * (uint32_t)(any() % 3);
    const uint32_t line_step = lines_far ? big : small, chunk_step = lines_far ? small : big;
    if (s == NONE ? turned : !turned)
        m.lead = s == NONE ? line_step : 16, m.stride = s == NONE ? chunk_step : line_step;
    else
        m.lead = chunk_step, m.stride = line_step;
    if (s != NONE && !turned) {
        m.stride = small;
        m.first = 2 * (uint32_t)(any() % ((wide - chunks) / 2 + 1));
    }
    // Patterns begin at multiples of their size, or, with a base offset, at any of 128 bytes.
    const uint32_t align = s == NONE ? 16 : any() % 3 ? atom : 128;
    m.tile = (*at + align - 1) / align * align;
    *at = m.tile + line_step * lines + chunk_step * blocks + atom;
    return m;
}

// --- numbers ---------------------------------------------------------------------------------------------------------
typedef struct Format {
    int exponent, fraction, bias;  // bits
} Format;
static Format format_of(const char *type)
{
    if (!strcmp(type, "f16")) return (Format){5, 10, 15};
    if (!strcmp(type, "bf16")) return (Format){8, 7, 127};
    if (!strcmp(type, "e4m3")) return (Format){4, 3, 7};
    if (!strcmp(type, "e5m2")) return (Format){5, 2, 15};
    return (Format){8, 23, 127};
}

// A finite number as 2^-fraction_bits of its last bit: its significand, and by what power of two.
static Fixed whole_of(const char *type, uint32_t bits, int point)
{
    const Format x = format_of(type);
    if (!strcmp(type, "tf32")) bits &= ~0x1fffu;
    const int exponent = (int)(bits >> x.fraction & ((1u << x.exponent) - 1));
    Fixed v = bits & ((1u << x.fraction) - 1);
    if (exponent) v |= (Fixed)1 << x.fraction;
    const int power = MAX(exponent, 1) - x.bias - x.fraction + point;
    assert_true(v == 0 || (power < 110 && (power >= 0 || !(v & (((Fixed)1 << -power) - 1)))));
    if (v) v = power >= 0 ? v << power : v >> -power;
    return bits >> (x.exponent + x.fraction) & 1 ? -v : v;
}

static bool is_negative(const char *type, uint32_t bits) { return bits >> (bits_of(type) - 1) & 1; }

// The nearest number of the format, even on a tie.
static uint32_t rounded(const char *type, Fixed v, bool negative_zero)
{
    const Format x = format_of(type);
    const uint32_t sign = 1u << (x.exponent + x.fraction), top = ((1u << x.exponent) - 1) << x.fraction;
    if (v == 0) return negative_zero ? sign : 0;
    const uint32_t s = v < 0 ? sign : 0;
    unsigned __int128 m = (unsigned __int128)(v < 0 ? -v : v);
    int high = 127;
    while (!(m >> high & 1)) high--;
    const int least = 1 - x.bias - x.fraction + POINT, last = MAX(high - x.fraction, least);  // the last bit's place
    unsigned __int128 kept = last > 0 ? m >> last : m << -last;
    if (last > 0) {
        const unsigned __int128 rest = m - (kept << last), half = (unsigned __int128)1 << (last - 1);
        kept += rest > half || (rest == half && kept & 1);
    }
    // kept carries into the exponent by itself
    const uint32_t code = (uint32_t)kept + (last > least ? (uint32_t)(last - least) << x.fraction : 0);
    return s | MIN(code, top);
}

// Numbers of several kinds: any, whose sums differ in size; small ones; few that cancel.
static uint32_t some_bits(const char *type, int kind)
{
    static const int few[] = {0, 1, 2, 3, 4, 5, 6, 7};
    const Format x = format_of(type);
    const int bits = bits_of(type);
    if (is_whole(type)) {
        static const uint32_t ends[] = {0x7fffffff, 0x80000000, 0x7fffff00, 0x80000100};
        if (bits == 32) return kind == 1 ? ends[any() % 4] : (uint32_t)any() >> (any() % 32);
        return (uint32_t)low_bits(any(), bits);
    }
    if (kind == 2) {  // ±0, ±1, ±1.5, ±2
        const int k = few[any() % COUNT(few)];
        const uint32_t one = (uint32_t)x.bias << x.fraction, half = 1u << (x.fraction - 1);
        const uint32_t v = k / 2 == 0 ? 0 : k / 2 == 1 ? one : k / 2 == 2 ? one | half : one + (1u << x.fraction);
        return v | (k % 2 ? 1u << (bits - 1) : 0);
    }
    const int most = x.exponent == 8 ? 8 : (1 << x.exponent) - 2 - x.bias, least = x.exponent == 8 ? -8 : -x.bias;
    const int range = kind == 1 ? 2 : most - least + 1;
    const uint32_t exponent = (uint32_t)((kind == 1 ? 0 : least) + (int)(any() % (unsigned)range) + x.bias);
    return (uint32_t)low_bits(any(), x.fraction) | exponent << x.fraction | (any() & 1 ? 1u << (bits - 1) : 0);
}

// --- one case --------------------------------------------------------------------------------------------------------
typedef struct Case {
    const GroupForm *f;
    Module *module;
    Image image;
    Kernel *kernel;
    const Code *code;
    Diag diag;
    int selector;
    uint8_t *rows[WARPS], *shared;
    uint32_t a[M][MOST_K], b[MOST_K][MOST_N], c[M][MOST_N], want[M][MOST_N];
    int64_t va[M][MOST_K], vb[MOST_K][MOST_N];
    bool na[M][MOST_K], nb[MOST_K][MOST_N];
    uint16_t place[M][MOST_K / 2];
    uint64_t metadata[WARPS][LANES];
    Matrix left, right;
} Case;

static int counts_d(const GroupForm *f) { return f->n * bits_of(f->d) / 64; }

static const char *reg_type(const char *type) { return !strcmp(type, "f32") ? "f32" : "b32"; }

static void form_text_of(const GroupForm *f, int selector, Text *t)
{
    static const char *const adds[] = {"1", "0", "%p", "!%p"};
    const bool bits = !strcmp(f->a, "b1"), whole = is_whole(f->a), halves = bits_of(f->a) == 16;
    text_printf(t, "wgmma.mma_async%s.sync.aligned.m64n%dk%d%s.%s.%s.%s%s {", f->sparse ? ".sp" : "", f->n, deep_of(f),
                f->limited ? ".satfinite" : "", f->d, f->a, f->b, bits ? ".and.popc" : "");
    for (int k = 0; k < counts_d(f); k++) text_printf(t, "%s%%d%d", k ? ", " : "", k);
    text_printf(t, "}, %s, %%y", f->a_memory ? "%x" : "{%a0, %a1, %a2, %a3}");
    if (f->sparse) text_printf(t, ", %%e, %d", selector);
    text_printf(t, ", %s", adds[f->adds]);
    if (!whole) text_printf(t, ", %d, %d", f->a_negative ? -1 : 1, f->b_negative ? -1 : 1);
    if (halves && f->a_memory) text_printf(t, ", %d", f->a_turned);
    if (halves) text_printf(t, ", %d", f->b_turned);
    text_put(t, ";");
}

static void open_case(Case *x)
{
    Text t = {0};
    text_printf(&t,
                ".version 9.0\n.target sm_90a\n.address_size 64\n.visible .entry k()\n{\n.reg .%s %%d<%d>;\n"
                ".reg .b32 %%a<4>, %%e;\n.reg .b64 %%x, %%y;\n.reg .pred %%p;\n",
                reg_type(x->f->d), counts_d(x->f));
    form_text_of(x->f, x->selector, &t);
    text_put(&t, "\nret;\n}\n");
    x->module = ptx_parse(t.v, t.n, "wgmma.ptx", &x->diag);
    if (!x->module) fail_msg("%s", x->diag.text.v);
    x->image = (Image){.module = x->module};
    x->kernel = exec_decode(&x->image, x->module->functions.v[0], &x->diag);
    if (!x->kernel) fail_msg("%s", x->diag.text.v);
    x->code = x->kernel->code;
    text_free(&t);
}

static void close_case(Case *x)
{
    for (int w = 0; w < WARPS; w++) exec_rows_free(x->rows[w]);
    exec_kernel_free(x->kernel);
    ptx_free(x->module);
    mem_free(x->shared);
    diag_free(&x->diag);
}

static uint8_t *reg_at(const Case *x, int warp, const char *name)
{
    const Function *f = x->code->f;
    uint32_t r = 0;
    while (strcmp(f->regs.v[r].name, name)) r++;
    const uint32_t at = x->code->alloc->place[r];
    assert_true(at != NO_REG);
    if (f->regs.v[r].type == TY_PRED) return x->rows[warp] + x->code->rows * ROW_BYTES + (at + PRED_FIRST) * 4;
    return x->rows[warp] + at * ROW_BYTES;
}

static void put_bits(uint8_t *to, Spot at, int bits, uint32_t v)
{
    uint32_t *word = (uint32_t *)to + at.lane, keep = bits == 32 ? 0 : ~(((1u << bits) - 1) << at.shift);
    *word = (*word & keep) | v << at.shift;
}

static void put_memory(uint8_t *shared, uint64_t bit, int bits, uint32_t v)
{
    assert_true(bit / 8 + 4 <= SHARED);
    if (bits == 1)
        shared[bit / 8] = (uint8_t)((shared[bit / 8] & ~(1 << bit % 8)) | v << bit % 8);
    else
        memcpy(shared + bit / 8, &v, (size_t)bits / 8);
}

static void put_name(char name[16], char letter, int n) { snprintf(name, 16, "%%%c%d", letter, n); }

static int stored_by_group(const GroupForm *f) { return !strcmp(f->a, "tf32") ? 1 : 2; }

static void choose_places(Case *x)
{
    const GroupForm *f = x->f;
    const int each = stored_by_group(f);
    for (int w = 0; w < WARPS; w++)
        for (int n = 0; n < LANES; n++) x->metadata[w][n] = (uint32_t)any();
    for (int r = 0; r < M; r++)
        for (int g = 0; g < stored_of(f) / each; g++) {
            int first = (int)(any() % 4), second = (first + 1 + (int)(any() % 3)) % 4, code = first | second << 2;
            if (each == 1) {
                const int odd = (int)(any() % 2);
                code = odd ? 14 : 4;
                x->place[r][g] = (uint16_t)(2 * g + odd);
            } else {
                x->place[r][2 * g] = (uint16_t)(4 * g + first), x->place[r][2 * g + 1] = (uint16_t)(4 * g + second);
            }
            const Spot at = spot_metadata(f, x->selector, r, g);
            uint64_t *word = &x->metadata[at.warp][at.lane];
            *word = (*word & ~(15ull << at.shift)) | (uint64_t)code << at.shift;
        }
}

static int64_t integer(const char *type, uint32_t v) { return type[0] == 's' ? sign_extended(v, bits_of(type)) : v; }

// A factor as a whole number, and whether its sign is set.
static int64_t factor(const char *type, uint32_t bits, bool *negative)
{
    *negative = !is_whole(type) && is_negative(type, bits);
    return is_whole(type) ? integer(type, bits) : (int64_t)whole_of(type, bits, POINT / 2);
}

static void find_factors(Case *x)
{
    const GroupForm *f = x->f;
    for (int k = 0; k < stored_of(f); k++)
        for (int r = 0; r < M; r++) x->va[r][k] = factor(f->a, x->a[r][k], &x->na[r][k]);
    for (int k = 0; k < deep_of(f); k++)
        for (int c = 0; c < f->n; c++) x->vb[k][c] = factor(f->b, x->b[k][c], &x->nb[k][c]);
}

static void choose_values(Case *x)
{
    const GroupForm *f = x->f;
    for (int r = 0; r < M; r++) {
        for (int k = 0; k < stored_of(f); k++) x->a[r][k] = some_bits(f->a, f->kind);
        for (int c = 0; c < f->n; c++) x->c[r][c] = some_bits(f->d, f->kind);
    }
    for (int k = 0; k < deep_of(f); k++)
        for (int c = 0; c < f->n; c++) x->b[k][c] = some_bits(f->b, f->kind);
    if (f->sparse) choose_places(x);
    find_factors(x);
}

static bool really_adds(const GroupForm *f, bool p)
{
    return f->adds == ADD_TRUE || (f->adds == ADD_PRED && p) || (f->adds == ADD_NOT && !p);
}

static uint32_t result(const Case *x, int r, int c, bool adds)
{
    const GroupForm *f = x->f;
    const bool whole = is_whole(f->a), minus = f->a_negative != f->b_negative;
    const int stored = stored_of(f);
    Fixed sum = 0;
    bool negative = true;
    for (int k = 0; k < stored; k++) {
        const int at = f->sparse ? x->place[r][k] : k;
        sum += (Fixed)x->va[r][k] * x->vb[at][c];
        negative &= (x->na[r][k] != x->nb[at][c]) != minus;
    }
    if (minus) sum = -sum;
    if (!whole) {
        if (adds) sum += whole_of(f->d, x->c[r][c], POINT);
        return rounded(f->d, sum, negative && adds && is_negative(f->d, x->c[r][c]));
    }
    if (adds) sum += integer("s32", x->c[r][c]);
    if (f->limited) sum = sum > INT32_MAX ? INT32_MAX : sum < INT32_MIN ? INT32_MIN : sum;
    return (uint32_t)sum;
}

static void put_matrices(Case *x)
{
    const GroupForm *f = x->f;
    uint32_t at = 16 * (uint32_t)(any() % 8);
    const int bits = bits_of(f->a);
    for (uint32_t k = 0; k < SHARED; k += 8) {
        const uint64_t v = any();
        memcpy(x->shared + k, &v, 8);
    }
    if (f->a_memory) {
        x->left = lay_out(f->a_swizzle, f->a_turned, bits, M, (uint32_t)stored_of(f), &at);
        for (uint32_t r = 0; r < M; r++)
            for (uint32_t k = 0; k < (uint32_t)stored_of(f); k++)
                put_memory(x->shared, bit_of(&x->left, r, k), bits, x->a[r][k]);
    }
    x->right = lay_out(f->b_swizzle, f->b_turned, bits, (uint32_t)f->n, (uint32_t)deep_of(f), &at);
    for (uint32_t k = 0; k < (uint32_t)deep_of(f); k++)
        for (uint32_t c = 0; c < (uint32_t)f->n; c++) put_memory(x->shared, bit_of(&x->right, c, k), bits, x->b[k][c]);
}

static bool put_registers(Case *x)
{
    const GroupForm *f = x->f;
    const uint32_t bytes = x->code->frame_bytes;
    const bool p = any() & 1;
    char name[16];
    for (int w = 0; w < WARPS; w++) {
        x->rows[w] = exec_rows(bytes);
        for (uint32_t k = 0; k + 8 <= bytes; k += 8) {
            const uint64_t v = any();
            memcpy(x->rows[w] + k, &v, 8);
        }
        const uint32_t all = FULL, one = p ? FULL : 0;
        memcpy(x->rows[w] + x->code->rows * ROW_BYTES, &all, 4);
        if (f->adds >= ADD_PRED) memcpy(reg_at(x, w, "%p"), &one, 4);
        const uint64_t left = descriptor_of(&x->left), right = descriptor_of(&x->right);
        for (int n = 0; n < LANES; n++) {
            if (f->a_memory) memcpy(reg_at(x, w, "%x") + 8 * n, &left, 8);
            memcpy(reg_at(x, w, "%y") + 8 * n, &right, 8);
            if (f->sparse) memcpy(reg_at(x, w, "%e") + 4 * n, &x->metadata[w][n], 4);
        }
    }
    for (int r = 0; r < M; r++) {
        for (int k = 0; k < stored_of(f) && !f->a_memory; k++) {
            const Spot at = spot_a(f, r, k);
            put_name(name, 'a', at.reg);
            put_bits(reg_at(x, at.warp, name), at, bits_of(f->a), x->a[r][k]);
        }
    }
    return p;
}

static void find_sums(const Case *x, uint8_t *reg[WARPS][128])
{
    char name[16];
    for (int w = 0; w < WARPS; w++)
        for (int k = 0; k < counts_d(x->f); k++) put_name(name, 'd', k), reg[w][k] = reg_at(x, w, name);
}

static void put_sums(Case *x, uint32_t (*from)[MOST_N])
{
    uint8_t *reg[WARPS][128];
    find_sums(x, reg);
    for (int r = 0; r < M; r++)
        for (int c = 0; c < x->f->n; c++) {
            const Spot at = spot_d(x->f, r, c);
            put_bits(reg[at.warp][at.reg], at, bits_of(x->f->d), from[r][c]);
        }
}

static Fault run_warp(Case *x, int w, uint32_t mask, uint32_t threads, uint32_t bytes)
{
    Cta cta = {.shared = x->shared, .shared_bytes = bytes, .threads = threads};
    LaunchInfo launch = {.kernel = x->kernel, .grid = {1, 1, 1}, .block = {threads, 1, 1}};
    Env env = {.launch = &launch};
    Warp warp = {.code = (Code *)x->code, .cta = &cta, .in_cta = (uint32_t)w, .tid0 = 32 * (uint32_t)w};
    warp.l = (Lanes){.bank = {x->rows[w % WARPS], x->kernel->consts},
                     .pred = (uint32_t *)(x->rows[w % WARPS] + x->code->rows * ROW_BYTES)};
    exec_group(&env, &warp, &x->code->insts[0], mask);
    return env.fault;
}

static int cases;
static long results;

static void told(const Case *x, int r, int c, uint32_t got)
{
    Text t = {0};
    form_text_of(x->f, x->selector, &t);
    fail_msg("%s\nA %s swizzle %d turned %d, B swizzle %d turned %d, kind %d: row %d, column %d: %x, not %x", t.v,
             x->f->a_memory ? "in memory" : "in registers", x->f->a_swizzle, x->f->a_turned, x->f->b_swizzle,
             x->f->b_turned, x->f->kind, r, c, got, x->want[r][c]);
}

static void compare(const Case *x, uint8_t *before[WARPS])
{
    const GroupForm *f = x->f;
    uint8_t *reg[WARPS][128];
    find_sums(x, reg);
    for (int r = 0; r < M; r++)
        for (int c = 0; c < f->n; c++) {
            const Spot at = spot_d(f, r, c);
            const uint32_t got = ((uint32_t *)reg[at.warp][at.reg])[at.lane] >> at.shift;
            const uint32_t v = (uint32_t)low_bits(got, bits_of(f->d));
            if (v != x->want[r][c]) told(x, r, c, v);
        }
    for (int w = 0; w < WARPS; w++)
        if (memcmp(before[w], x->rows[w], x->code->frame_bytes)) fail_msg("a register that isn't D's changed");
}

static void run_case(const GroupForm *f, int builds)
{
    static Case x;
    x = (Case){.f = f};
    if (f->sparse && bits_of(f->a) >= 16) x.selector = (int)(any() % 2);
    x.shared = mem_alloc(SHARED);
    open_case(&x);
    choose_values(&x);
    put_matrices(&x);
    const bool adds = really_adds(f, put_registers(&x));
    for (int r = 0; r < M; r++)
        for (int c = 0; c < f->n; c++) x.want[r][c] = result(&x, r, c, adds), results++;
    uint8_t *want[WARPS];
    put_sums(&x, x.want);
    for (int w = 0; w < WARPS; w++)
        want[w] = mem_alloc(x.code->frame_bytes), memcpy(want[w], x.rows[w], x.code->frame_bytes);
    GroupTensor *g = (GroupTensor *)x.code->insts[0].tensor;
    for (int b = 0; b < MIN(builds, build_count()); b++) {
        if (builds > 1) g->multiply = build_multiply(b, x.code->insts[0].inst);
        put_sums(&x, x.c);
        for (int w = 0; w < WARPS; w++) {
            const Fault fault = run_warp(&x, w, FULL, 128, SHARED);
            assert_int_equal(fault.kind, FAULT_NONE);
        }
        compare(&x, want);
    }
    for (int w = 0; w < WARPS; w++) mem_free(want[w]);
    close_case(&x);
    cases++;
}

// --- all forms -------------------------------------------------------------------------------------------------------
static bool one_in(unsigned n) { return any() % n == 0; }

// What the row of types leaves open.
static void choose_rest(GroupForm *f)
{
    const bool halves = bits_of(f->a) == 16, whole = is_whole(f->a);
    f->a_memory = !one_in(3);
    f->a_swizzle = (Swizzle)(any() % 4), f->b_swizzle = (Swizzle)(any() % 4);
    f->a_turned = halves && f->a_memory && one_in(2), f->b_turned = halves && one_in(2);
    f->a_negative = !whole && one_in(3), f->b_negative = !whole && one_in(3);
    f->adds = any() % ADD_KINDS;
    f->kind = (int)(any() % 3);
    // Four chunks of 16 bytes along K don't fit into rows of 32 bytes.
    if (f->sparse && !f->b_turned && f->b_swizzle == BY_32) f->b_swizzle = BY_64;
}

static void all_widths(const char *d, const char *a, const char *b, bool sparse, bool limited)
{
    for (int n = 8; n <= MOST_N; n += is_whole(a) && n >= 32 ? 16 : 8) {
        GroupForm f = {.d = d, .a = a, .b = b, .sparse = sparse, .limited = limited, .n = n};
        choose_rest(&f);
        run_case(&f, n <= 24 ? MAX_BUILDS : 1);
    }
}

static void floats(void **state)
{
    (void)state;
    static const char *const f8[] = {"e4m3", "e5m2"}, *const sums[] = {"f16", "f32"};
    for (int sparse = 0; sparse < 2; sparse++) {
        for (int s = 0; s < 2; s++) all_widths(sums[s], "f16", "f16", sparse, false);
        all_widths("f32", "bf16", "bf16", sparse, false);
        all_widths("f32", "tf32", "tf32", sparse, false);
        for (int k = 0; k < 8; k++) all_widths(sums[k / 4], f8[k / 2 % 2], f8[k % 2], sparse, false);
    }
}

static void integers(void **state)
{
    (void)state;
    static const char *const s8[] = {"s8", "u8"};
    for (int k = 0; k < 16; k++) all_widths("s32", s8[k / 2 % 2], s8[k % 2], k / 8, k / 4 % 2);
    all_widths("s32", "b1", "b1", false, false);
}

// Each layout of A with each of B.
static void layouts(void **state)
{
    (void)state;
    static const char *const types[] = {"f16", "bf16", "tf32", "e4m3", "s8", "b1"};
    for (size_t t = 0; t < COUNT(types); t++)
        for (int k = 0; k < 4 * 4 * 4 * 2; k++) {
            const bool whole = is_whole(types[t]);
            GroupForm f = {.d = whole ? "s32" : "f32", .a = types[t], .b = types[t], .a_memory = true};
            f.n = 8 << any() % 4;
            f.a_swizzle = (Swizzle)(k % 4), f.b_swizzle = (Swizzle)(k / 4 % 4);
            f.a_turned = k / 16 % 2, f.b_turned = k / 32 % 2, f.sparse = k / 64;
            f.adds = any() % ADD_KINDS, f.kind = (int)(any() % 3);
            if (bits_of(types[t]) != 16 && (f.a_turned || f.b_turned)) continue;
            if (f.sparse && (!strcmp(types[t], "b1") || (f.b_swizzle == BY_32 && !f.b_turned))) continue;
            run_case(&f, 1);
        }
    print_message("%d products of matrices, %ld results\n", cases, results);
    assert_true(cases >= 1200);
}

// --- what is refused -------------------------------------------------------------------------------------------------
static void faults(void **state)
{
    (void)state;
    static Case x;
    GroupForm f = {.d = "f32", .a = "f16", .b = "f16", .n = 64, .a_memory = true, .b_swizzle = BY_128};
    x = (Case){.f = &f, .shared = mem_alloc(SHARED)};
    open_case(&x);
    put_matrices(&x);
    x.left = (Matrix){.tile = 0, .lead = 128, .stride = 256, .bits = 16};
    x.right = (Matrix){.swizzle = BY_128, .tile = 4096, .lead = 16, .stride = 1024, .bits = 16};
    put_registers(&x);
    assert_int_equal(run_warp(&x, 0, FULL, 128, 4096 + 8 * 1024).kind, FAULT_NONE);
    // The last 16 bytes of B are those of row 63 that the swizzle moves furthest: chunk 1 goes to 6.
    Fault out = run_warp(&x, 0, FULL, 128, 4096 + 7 * 1024 + 7 * 128 + 6 * 16 + 16 - 1);
    assert_int_equal(out.kind, FAULT_SHARED);
    assert_int_equal(out.bytes, 16);
    assert_int_equal(run_warp(&x, 0, FULL, 128, 4096 + 8 * 1024 - 16).kind, FAULT_SHARED);
    assert_int_equal(run_warp(&x, 0, FULL, 128, 0).kind, FAULT_SHARED);
    assert_int_equal(run_warp(&x, 3, FULL, 128, 128).address, 6 * 256);  // A's row 48 is in its seventh eight
    assert_int_equal(run_warp(&x, 0, 0x7fffffff, 128, SHARED).address, 31);
    assert_int_equal(run_warp(&x, 0, 0x7fffffff, 128, SHARED).kind, FAULT_WARPGROUP);
    assert_int_equal(run_warp(&x, 4, FULL, 224, SHARED).kind, FAULT_WARPGROUP);
    assert_int_equal(run_warp(&x, 3, FULL, 224, SHARED).kind, FAULT_NONE);
    close_case(&x);
}

// As ptxas of CUDA 13 takes them.
static void legal(void **state)
{
    (void)state;
#define WG "wgmma.mma_async.sync.aligned."
#define SP "wgmma.mma_async.sp.sync.aligned."
#define F4 " {%f0, %f1, %f2, %f3}, "
#define R4 " {%r0, %r1, %r2, %r3}, "
    static const struct {
        const char *inst, *error;  // error: a part of it; null: it is taken
        const char *version, *target;
    } forms[] = {
        {WG "m64n8k16.f32.f16.f16" F4 "%x, %y, 1, 1, 1, 0, 0;", NULL, NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "0, 0, !%p, 1, -1, 0, 1;", NULL, "8.0", NULL},
        {WG "m64n8k16.f32.f16.f16" R4 "%x, %y, %p, 1, 1, 0, 0;", NULL, NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "%x, %y, %p, 1, 1;", "8 operands", NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "{%r0, %r1, %r2, %r3}, %y, %p, 1, 1, 0;", NULL, NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "{%r0, %r1, %r2, %r3}, %y, %p, 1, 1, 0, 0;", "7 operands", NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "{%r0, %r1, %r2}, %y, %p, 1, 1, 0;", "vector of 4", NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "%r0, %y, %p, 1, 1, 0, 0;", "doesn't agree", NULL, NULL},
        {WG "m64n8k16.f32.f16.f16 {%f0, %f1, _, %f3}, %x, %y, %p, 1, 1, 0, 0;", "register is expected", NULL, NULL},
        {WG "m64n8k16.f16.f16.f16 {%r0, %r1}, %x, %y, %p, 1, 0, 0, 1;", "a sign", NULL, NULL},
        {WG "m64n8k16.f16.f16.f16 {%r0, %r1}, %x, %y, %p, 1, 1, 0, 2;", "a transposition", NULL, NULL},
        {WG "m64n8k16.f16.bf16.bf16 {%r0, %r1}, %x, %y, %p, 1, 1, 0, 0;", "there is no", NULL, NULL},
        {WG "m64n8k16.f32.f16.bf16" F4 "%x, %y, %p, 1, 1, 0, 0;", "same type", NULL, NULL},
        {WG "m64n8k8.f32.f16.f16" F4 "%x, %y, %p, 1, 1, 0, 0;", "there is no", NULL, NULL},
        {WG "m64n8k8.f32.tf32.tf32" F4 "%x, %y, %p, 1, 1;", NULL, NULL, NULL},
        {WG "m64n8k8.f32.tf32.tf32" F4 "%x, %y, %p, 1, 1, 0, 0;", "6 operands", NULL, NULL},
        {WG "m64n8k32.f16.e4m3.e5m2 {%r0, %r1}, %x, %y, %p, 1, 1;", NULL, NULL, NULL},
        {WG "m64n8k32.f32.e4m3.s8" F4 "%x, %y, %p, 1, 1;", "same type", NULL, NULL},
        {WG "m64n8k32.s32.s8.u8" R4 "%x, %y, %p;", NULL, NULL, NULL},
        {WG "m64n8k32.s32.s8.u8" R4 "%x, %y, %p;", "8.4", "8.0", NULL},
        {WG "m64n8k32.s32.s8.s8" R4 "%x, %y, %p;", NULL, "8.0", NULL},
        {WG "m64n8k32.satfinite.s32.s8.u8" R4 "%x, %y, %p;", NULL, NULL, NULL},
        {WG "m64n8k16.satfinite.f32.f16.f16" F4 "%x, %y, 1, 1, 1, 0, 0;", "satfinite", NULL, NULL},
        {WG "m64n8k32.s32.s8.u8" R4 "%x, %y, %p, 1, 1;", "4 operands", NULL, NULL},
        {WG "m64n40k32.s32.s8.s8" R4 "%x, %y, %p;", "there is no", NULL, NULL},
        {WG "m64n8k256.s32.b1.b1.and.popc" R4 "%x, %y, %p;", NULL, NULL, NULL},
        {WG "m64n8k256.s32.b1.b1.xor.popc" R4 "%x, %y, %p;", "xor", NULL, NULL},
        {WG "m64n8k256.s32.b1.b1" R4 "%x, %y, %p;", ".and.popc", NULL, NULL},
        {SP "m64n8k32.f32.f16.f16" F4 "%x, %y, %r0, 1, %p, 1, 1, 0, 0;", NULL, NULL, NULL},
        {SP "m64n8k32.f32.f16.f16" F4 "%x, %y, %r0, 1, %p, 1, 1, 0, 0;", "8.2", "8.0", NULL},
        {SP "m64n8k32.f32.f16.f16" F4 "%x, %y, %r0, 2, %p, 1, 1, 0, 0;", "selector", NULL, NULL},
        {SP "m64n8k32.f32.f16.f16" F4 "%x, %y, 5, 1, %p, 1, 1, 0, 0;", "metadata", NULL, NULL},
        {SP "m64n8k64.s32.s8.s8" R4 "%x, %y, %r0, 1, %p;", "selector", NULL, NULL},
        {SP "m64n8k64.s32.s8.s8" R4 "%x, %y, %r0, 0, %p;", NULL, NULL, NULL},
        {SP "m64n8k256.s32.b1.b1.and.popc" R4 "%x, %y, %r0, 0, %p;", "does not apply", NULL, NULL},
        {"wgmma.mma_async.aligned.m64n8k16.f32.f16.f16" F4 "%x, %y, 1, 1, 1, 0, 0;", ".sync", NULL, NULL},
        {WG "m64n8k16.f32.f16.f16" F4 "%x, %y, 1, 1, 1, 0, 0;", "sm_90a", NULL, "sm_90"},
        {WG "m64n8k16.f32.f16.f16" F4 "%x, %y, 1, 1, 1, 0, 0;", "sm_90a", NULL, "sm_100a"},
        {"wgmma.fence.sync.aligned;", NULL, NULL, NULL},
        {"wgmma.fence.sync.aligned;", "sm_90a", NULL, "sm_90"},
        {"wgmma.commit_group.sync.aligned;", "sm_90a", NULL, "sm_90"},
        {"wgmma.wait_group.sync.aligned 1000;", NULL, NULL, NULL},
        {"wgmma.wait_group.sync.aligned -1;", "negative", NULL, NULL},
        {"wgmma.wait_group.sync.aligned %r0;", "constant", NULL, NULL},
        {"wgmma.fence.aligned;", ".sync", NULL, NULL},
    };
    for (size_t k = 0; k < COUNT(forms); k++) {
        Text t = {0};
        Diag diag = {0};
        text_printf(&t,
                    ".version %s\n.target %s\n.address_size 64\n.visible .entry k()\n{\n.reg .f32 %%f<4>;\n"
                    ".reg .b32 %%r<4>;\n.reg .b64 %%x, %%y;\n.reg .pred %%p;\n%s\nret;\n}\n",
                    forms[k].version ? forms[k].version : "9.0", forms[k].target ? forms[k].target : "sm_90a",
                    forms[k].inst);
        Module *m = ptx_parse(t.v, t.n, "wgmma.ptx", &diag);
        if (!m != (forms[k].error != NULL)) fail_msg("%s: %s", forms[k].inst, m ? "is taken" : diag.text.v);
        if (forms[k].error && !strstr(diag.text.v, forms[k].error))
            fail_msg("%s: %s\n(not about '%s')", forms[k].inst, diag.text.v, forms[k].error);
        if (m) ptx_free(m);
        diag_free(&diag), text_free(&t);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(floats), cmocka_unit_test(integers), cmocka_unit_test(layouts),
        cmocka_unit_test(faults), cmocka_unit_test(legal),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
