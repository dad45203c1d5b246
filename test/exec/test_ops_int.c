// Integer arithmetic (PTX ISA §9.7.1, §9.7.2, §9.7.17.3) against a reference that adds, multiplies and divides bit by
// bit. Every type and modifier that ops.def allows is tried: what the ISA has must be right, the rest refused.
#include "check.h"
#include "ptx/ops.h"

#include "exec/ops_test.h"

#include <string.h>

typedef unsigned __int128 Wide;

#define T16 (T(U16) | T(S16))
#define T32 (T(U32) | T(S32))
#define T64 (T(U64) | T(S64))
#define T_SIGNED (T(S16) | T(S32) | T(S64))
#define T_NOT_FLOAT (T_INT | T_BIT | T_I16X2 | T(B8))

static bool is(const Form *f, uint64_t types) { return types >> f->type & 1; }
static bool is_signed(Type t) { return type_info[t].kind == K_SINT; }
static int bits_of(const Form *f) { return type_info[f->type].bits; }

// --- arithmetic by hand: 128 bits, two's complement, digit by digit in base 256 --------------------------------------
static int digit(Wide x, int k) { return (int)(x >> 8 * k) & 255; }
static Wide with_digit(int value, int k) { return (Wide)(uint8_t)value << 8 * k; }
static bool bit(Wide x, int k) { return x >> k & 1; }
static Wide extended(uint64_t x, int bits, bool sign)
{
    Wide r = low_bits(x, bits);
    if (sign && bit(r, bits - 1))
        for (int k = bits; k < 128; k++) r |= (Wide)1 << k;
    return r;
}
static Wide plus(Wide a, Wide b)
{
    Wide r = 0;
    for (int k = 0, sum = 0; k < 16; k++) {
        sum = digit(a, k) + digit(b, k) + sum / 256;
        r |= with_digit(sum, k);
    }
    return r;
}
static Wide minus(Wide a) { return plus(~a, 1); }
static Wide times(Wide a, Wide b)
{
    int column[16] = {0};
    Wide r = 0;
    for (int i = 0; i < 16; i++)
        for (int k = 0; i + k < 16; k++) column[i + k] += digit(a, i) * digit(b, k);
    for (int k = 0, sum = 0; k < 16; k++) {
        sum = column[k] + sum / 256;
        r |= with_digit(sum, k);
    }
    return r;
}
static bool less(Wide a, Wide b)
{
    if (bit(a, 127) != bit(b, 127)) return bit(a, 127);
    for (int k = 15; k >= 0; k--)
        if (digit(a, k) != digit(b, k)) return digit(a, k) < digit(b, k);
    return false;
}
static Wide distance(Wide a, Wide b) { return less(a, b) ? plus(b, minus(a)) : plus(a, minus(b)); }
// Long division of a by b in base 2, both at least 0 and of at most 64 bits
static void divide(Wide a, Wide b, Wide *quotient, Wide *remainder)
{
    *quotient = *remainder = 0;
    for (int k = 63; k >= 0; k--) {
        *remainder = *remainder << 1 | bit(a, k);
        if (less(*remainder, b)) continue;
        *remainder = plus(*remainder, minus(b));
        *quotient |= (Wide)1 << k;
    }
}
static uint64_t clamped(Wide x)
{
    if (less(extended(0x7fffffff, 32, true), x)) return 0x7fffffff;
    if (less(x, extended(0x80000000, 32, true))) return 0x80000000;
    return low_bits((uint64_t)x, 32);
}

// --- add, sub, mul, mad, with and without carry ----------------------------------------------------------------------
static bool legal_add(const Form *f)
{
    if (!form_only(f, G(SAT) | G(CC)) || (form_has(f, G_SAT) && form_has(f, G_CC))) return false;
    if (form_has(f, G_SAT)) return f->mod[G_SAT] == M_SAT && f->type == TY_S32;
    if (form_has(f, G_CC)) return is(f, T32 | T64);
    return is(f, T16 | T32 | T64) || (f->op == OP_ADD && is(f, T_I16X2));
}
static bool legal_mul(const Form *f)
{
    if (!form_only(f, G(MUL)) || !form_has(f, G_MUL)) return false;
    return is(f, f->mod[G_MUL] == M_WIDE ? T16 | T32 : T16 | T32 | T64);
}
static bool legal_mad(const Form *f)
{
    if (!form_only(f, G(MUL) | G(SAT) | G(CC)) || !form_has(f, G_MUL) || (form_has(f, G_SAT) && form_has(f, G_CC)))
        return false;
    if (form_has(f, G_SAT)) return f->mod[G_SAT] == M_SAT && f->mod[G_MUL] == M_HI && f->type == TY_S32;
    if (form_has(f, G_CC)) return f->mod[G_MUL] != M_WIDE && is(f, T32 | T64);
    return is(f, f->mod[G_MUL] == M_WIDE ? T16 | T32 : T16 | T32 | T64);
}
static bool legal_addc(const Form *f) { return form_only(f, G(CC)) && is(f, T32 | T64); }
static bool legal_madc(const Form *f)
{
    return form_only(f, G(CC) | G(MUL)) && form_has(f, G_MUL) && f->mod[G_MUL] != M_WIDE && is(f, T32 | T64);
}

static void ref_arithmetic(const Form *f, const In *in, Out *out)
{
    int bits = bits_of(f);
    bool sign = is_signed(f->type), with_carry = f->op == OP_ADDC || f->op == OP_SUBC || f->op == OP_MADC;
    if (is(f, T_I16X2)) {  // add, min, max of halves
        out->d = 0;
        for (int h = 0; h < 2; h++) {
            Wide a = extended(in->x[0] >> 16 * h, 16, sign), b = extended(in->x[1] >> 16 * h, 16, sign), r = plus(a, b);
            if (f->op == OP_MIN) r = less(b, a) ? b : a;
            if (f->op == OP_MAX) r = less(a, b) ? b : a;
            if (form_has(f, G_RELU) && bit(r, 127)) r = 0;
            out->d |= low_bits((uint64_t)r, 16) << 16 * h;
        }
        return;
    }
    Wide a = extended(in->x[0], bits, sign), b = extended(in->x[1], bits, sign), c = extended(in->x[2], bits, sign), r,
         product;
    if (form_has(f, G_CC) || with_carry) {
        // sums of words as they are; the carry is the sum's next bit, and of a difference the absence of a borrow
        Wide x = extended(in->x[0], bits, false), y = extended(in->x[1], bits, false), one = with_carry && in->cc;
        product = times(a, b);
        switch (f->op) {
        case OP_ADD:
        case OP_ADDC: r = plus(plus(x, y), one); break;
        case OP_SUB:
        case OP_SUBC: r = plus(x, minus(plus(y, with_carry && !in->cc))); break;
        default:
            x = extended((uint64_t)(f->mod[G_MUL] == M_HI ? product >> bits : product), bits, false);
            r = plus(plus(x, extended(in->x[2], bits, false)), one);
        }
        out->d = (uint64_t)r;
        bool difference = f->op == OP_SUB || f->op == OP_SUBC;
        if (form_has(f, G_CC)) out->cc = bit(r, bits) != difference;
        return;
    }
    switch (f->op) {
    case OP_ADD: r = plus(a, b); break;
    case OP_SUB: r = plus(a, minus(b)); break;
    case OP_MUL24:
    case OP_MAD24:
        a = extended(in->x[0], 24, sign), b = extended(in->x[1], 24, sign);
        r = times(a, b);
        if (f->mod[G_MUL] == M_HI) r = extended((uint64_t)(r >> 16), 32, sign);
        if (f->op == OP_MAD24) r = plus(r, c);
        break;
    default:
        r = times(a, b);
        if (f->mod[G_MUL] == M_HI) r = extended((uint64_t)(r >> bits), bits, sign);
        if (f->mod[G_MUL] == M_WIDE) c = extended(in->x[2], 64, false);
        if (f->op == OP_MAD) r = plus(r, c);
    }
    out->d = form_has(f, G_SAT) ? clamped(r) : (uint64_t)r;
}

// --- sad, div, rem, abs, neg, min, max -------------------------------------------------------------------------------
static bool legal_six(const Form *f) { return form_only(f, 0) && is(f, T16 | T32 | T64); }
static bool legal_signed(const Form *f) { return form_only(f, 0) && is(f, T_SIGNED); }
static bool legal_min(const Form *f)
{
    if (!form_only(f, G(RELU))) return false;
    return is(f, form_has(f, G_RELU) ? T(S32) | T(S16X2) : T16 | T32 | T64 | T_I16X2);
}

static void ref_order(const Form *f, const In *in, Out *out)
{
    if (is(f, T_I16X2)) {
        ref_arithmetic(f, in, out);
        return;
    }
    int bits = bits_of(f);
    bool sign = is_signed(f->type);
    Wide a = extended(in->x[0], bits, sign), b = extended(in->x[1], bits, sign), q, r;
    switch (f->op) {
    case OP_SAD: out->d = (uint64_t)plus(distance(a, b), in->x[2]); return;
    case OP_ABS: out->d = (uint64_t)(bit(a, 127) ? minus(a) : a); return;  // the most negative number is its own
    case OP_NEG: out->d = (uint64_t)minus(a); return;
    case OP_MIN:
    case OP_MAX:
        r = less(a, b) == (f->op == OP_MIN) ? a : b;
        out->d = form_has(f, G_RELU) && bit(r, 127) ? 0 : (uint64_t)r;
        return;
    default: break;
    }
    if (!b) {  // left to the machine: ptxas 13 makes all ones of the quotient and of the remainder, for all types
        out->d = UINT64_MAX;
        return;
    }
    divide(bit(a, 127) ? minus(a) : a, bit(b, 127) ? minus(b) : b, &q, &r);
    if (bit(a, 127) != bit(b, 127)) q = minus(q);
    if (bit(a, 127)) r = minus(r);
    out->d = (uint64_t)(f->op == OP_DIV ? q : r);
}

// --- bits and fields: the ISA's pseudo-code --------------------------------------------------------------------------
static bool legal_bits(const Form *f) { return form_only(f, 0); }
static bool legal_bfind(const Form *f) { return form_only(f, G(SHIFTAMT)); }
static bool legal_over(const Form *f) { return form_only(f, G(OVER)) && form_has(f, G_OVER); }
static bool legal_mul24(const Form *f)
{
    return form_only(f, G(MUL)) && (f->mod[G_MUL] == M_LO || f->mod[G_MUL] == M_HI);
}
static bool legal_mad24(const Form *f)
{
    if (!form_only(f, G(MUL) | G(SAT)) || (f->mod[G_MUL] != M_LO && f->mod[G_MUL] != M_HI)) return false;
    return !form_has(f, G_SAT) || (f->mod[G_SAT] == M_SAT && f->mod[G_MUL] == M_HI && f->type == TY_S32);
}

static uint32_t ref_fns(uint32_t mask, uint32_t base, int32_t offset)
{
    if (offset == 0) return base < 32 && mask >> base & 1 ? base : UINT32_MAX;
    int64_t pos = base, count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    for (; pos >= 0 && pos<32; pos += offset> 0 ? 1 : -1) {
        if (!(mask >> pos & 1)) continue;
        if (count-- == 0) return (uint32_t)pos;
    }
    return UINT32_MAX;
}

static uint32_t ref_bmsk(uint32_t a, uint32_t b, bool clamp)
{
    uint32_t d = 0, from = a, n = b;
    if (clamp && a >= 32) return 0;
    if (!clamp) from &= 31, n &= 31;
    for (uint32_t k = 0; k < 32; k++)
        if (k >= from && k - from < n) d |= 1u << k;
    return d;
}

static uint32_t ref_szext(uint32_t a, uint32_t b, bool clamp, bool sign)
{
    if (clamp && b >= 32) return a;
    uint32_t n = b & 31, d = 0;
    for (uint32_t k = 0; k < 32 && n; k++)
        if (k < n ? a >> k & 1 : sign && a >> (n - 1) & 1) d |= 1u << k;
    return d;
}

static void ref_bits(const Form *f, const In *in, Out *out)
{
    int bits = bits_of(f), msb = bits - 1;
    bool sign = is_signed(f->type), clamp = f->mod[G_OVER] == M_CLAMP;
    uint64_t a = in->x[0], d = 0;
    uint32_t pos, len;
    switch (f->op) {
    case OP_POPC:
        for (int k = 0; k < bits; k++) d += a >> k & 1;
        break;
    case OP_CLZ:
        while (d < (uint64_t)bits && !(a >> (msb - (int)d) & 1)) d++;
        break;
    case OP_BFIND:
        if (sign && a >> msb & 1) a = low_bits(~a, bits);
        d = UINT32_MAX;
        for (int k = 0; k < bits; k++)
            if (a >> k & 1) d = (uint64_t)k;
        if (form_has(f, G_SHIFTAMT) && d != UINT32_MAX) d = (uint64_t)msb - d;
        break;
    case OP_BREV:
        for (int k = 0; k < bits; k++) d |= (a >> k & 1) << (msb - k);
        break;
    case OP_BFE: {
        pos = in->x[1] & 0xff, len = in->x[2] & 0xff;
        uint32_t top = pos + len - 1 < (uint32_t)msb ? pos + len - 1 : (uint32_t)msb;
        uint64_t fill = sign && len ? a >> top & 1 : 0;
        for (uint32_t k = 0; k < (uint32_t)bits; k++)
            d |= (k < len && pos + k <= (uint32_t)msb ? a >> (pos + k) & 1 : fill) << k;
        break;
    }
    case OP_BFI:
        pos = in->x[2] & 0xff, len = in->x[3] & 0xff;
        d = in->x[1];
        for (uint32_t k = 0; k < len && pos + k <= (uint32_t)msb; k++)
            d = (d & ~(1ull << (pos + k))) | (a >> k & 1) << (pos + k);
        break;
    case OP_SZEXT: d = ref_szext((uint32_t)a, (uint32_t)in->x[1], clamp, sign); break;
    case OP_BMSK: d = ref_bmsk((uint32_t)a, (uint32_t)in->x[1], clamp); break;
    default: d = ref_fns((uint32_t)a, (uint32_t)in->x[1], (int32_t)in->x[2]); break;
    }
    out->d = d;
}

// --- dot products and differences of packed values -------------------------------------------------------------------
static int64_t part(uint64_t x, int width, int k, Type t)
{
    uint64_t v = low_bits(x >> width * k, width);
    return is_signed(t) ? sign_extended(v, width) : (int64_t)v;
}
static bool legal_dp2a(const Form *f)
{
    return form_only(f, G(MUL)) && (f->mod[G_MUL] == M_LO || f->mod[G_MUL] == M_HI);
}
static void ref_dot(const Form *f, const In *in, Out *out)
{
    int64_t sum = (int64_t)in->x[2];
    int select = f->mod[G_MUL] == M_HI ? 2 : 0;
    if (f->op == OP_DP4A)
        for (int k = 0; k < 4; k++) sum += part(in->x[0], 8, k, f->type) * part(in->x[1], 8, k, f->type2);
    else
        for (int k = 0; k < 2; k++) sum += part(in->x[0], 16, k, f->type) * part(in->x[1], 8, k + select, f->type2);
    out->d = (uint64_t)sum;
}

// --- the rules -------------------------------------------------------------------------------------------------------
static const Rule rules[] = {
    {OP_ADD, "daa", legal_add, NULL, ref_arithmetic},      {OP_SUB, "daa", legal_add, NULL, ref_arithmetic},
    {OP_MUL, "Daa", legal_mul, NULL, ref_arithmetic},      {OP_MAD, "DaaA", legal_mad, NULL, ref_arithmetic},
    {OP_ADDC, "daa", legal_addc, NULL, ref_arithmetic},    {OP_SUBC, "daa", legal_addc, NULL, ref_arithmetic},
    {OP_MADC, "daaa", legal_madc, NULL, ref_arithmetic},   {OP_MUL24, "daa", legal_mul24, NULL, ref_arithmetic},
    {OP_MAD24, "daaa", legal_mad24, NULL, ref_arithmetic}, {OP_SAD, "daaa", legal_six, NULL, ref_order},
    {OP_DIV, "daa", legal_six, NULL, ref_order},           {OP_REM, "daa", legal_six, NULL, ref_order},
    {OP_ABS, "da", legal_signed, NULL, ref_order},         {OP_NEG, "da", legal_signed, NULL, ref_order},
    {OP_MIN, "daa", legal_min, NULL, ref_order},           {OP_MAX, "daa", legal_min, NULL, ref_order},
    {OP_POPC, "ha", legal_bits, NULL, ref_bits},           {OP_CLZ, "ha", legal_bits, NULL, ref_bits},
    {OP_BFIND, "ha", legal_bfind, NULL, ref_bits},         {OP_FNS, "dann", legal_bits, NULL, ref_bits},
    {OP_BREV, "da", legal_bits, NULL, ref_bits},           {OP_BFE, "dann", legal_bits, NULL, ref_bits},
    {OP_BFI, "daann", legal_bits, NULL, ref_bits},         {OP_SZEXT, "dan", legal_over, NULL, ref_bits},
    {OP_BMSK, "dnn", legal_over, NULL, ref_bits},          {OP_DP4A, "duuu", legal_bits, NULL, ref_dot},
    {OP_DP2A, "duuu", legal_dp2a, NULL, ref_dot},
};

static Census census;
static void forms(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(rules); k++) rule_census(&census, &rules[k], T_NOT_FLOAT);
}

// --- chains of words -------------------------------------------------------------------------------------------------
enum { MAX_WORDS = 4 };
typedef struct Chain {
    int words, bytes;  // of a word
    char kind;         // + - *
    bool is_signed, lower;
} Chain;

static void chain_text(const Chain *c, Text *t)
{
    const char *ty = c->bytes == 8 ? (c->is_signed ? "s64" : "u64") : c->is_signed ? "s32" : "u32";
    int n = c->words, results = c->kind == '*' ? 2 * n : n + 1;
    text_printf(t, ".reg .b%d %%a<4>, %%b<4>, %%r<9>;\n.reg .b64 %%x;\n", 8 * c->bytes);
    for (int k = 0; k < n; k++)  // defined by what the test doesn't run
        text_printf(t, "mov.u%d %%a%d, %%clock%s;\nmov.u%d %%b%d, %%clock%s;\n", 8 * c->bytes, k,
                    c->bytes == 8 ? "64" : "", 8 * c->bytes, k, c->bytes == 8 ? "64" : "");
    text_put(t, "mov.u64 %x, %clock64;\n");
    if (c->kind == '*') {
        for (int k = 0; k < 2 * n; k++) text_printf(t, "mov.b%d %%r%d, 0;\n", 8 * c->bytes, k);
        for (int j = 0; j < n; j++)
            for (int hi = 0; hi < 2; hi++) {
                for (int i = 0; i < n; i++)
                    text_printf(t, "%s.%s.cc.%s %%r%d, %%a%d, %%b%d, %%r%d;\n", i ? "madc" : "mad", hi ? "hi" : "lo",
                                ty, i + j + hi, i, j, i + j + hi);
                if (n + j + hi < 2 * n) text_printf(t, "addc.%s %%r%d, %%r%d, 0;\n", ty, n + j + hi, n + j + hi);
            }
    } else {
        const char *op = c->kind == '+' ? "add" : "sub";
        for (int k = 0; k < n; k++) text_printf(t, "%s%s.cc.%s %%r%d, %%a%d, %%b%d;\n", op, k ? "c" : "", ty, k, k, k);
        text_printf(t, "%sc.%s %%r%d, 0, 0;\n", op, ty, n);  // the carry; all ones for a borrow
    }
    for (int k = 0; k < results; k++) text_printf(t, "st.global.b%d [%%x + %d], %%r%d;\n", 8 * c->bytes, 8 * k, k);
}

// On numbers of bytes, the lowest first
static void chain_reference(const Chain *c, const uint8_t *a, const uint8_t *b, uint8_t *r)
{
    int n = c->words * c->bytes;
    memset(r, 0, 2 * MAX_WORDS * 8);
    if (c->kind == '*') {
        for (int i = 0; i < n; i++)
            for (int j = 0; j < n; j++) {
                int carry = a[i] * b[j];
                for (int k = i + j; carry; k++) carry += r[k], r[k] = (uint8_t)carry, carry >>= 8;
            }
        return;
    }
    int carry = 0;
    for (int k = 0; k < n; k++) {
        int s = c->kind == '+' ? a[k] + b[k] + carry : a[k] - b[k] - carry;
        r[k] = (uint8_t)s;
        carry = s < 0 || s > 255;
    }
    for (int k = 0; k < c->bytes && carry; k++) r[n + k] = c->kind == '-' ? 0xff : k == 0;
}

static void chain(const Chain *c)
{
    Text t = {0};
    Opened o;
    chain_text(c, &t);
    if (ptx_open(&o, 90, c->lower, "", t.v) != ACCEPTED) fail_msg("%s", o.diag.text.v);
    text_free(&t);
    uint32_t a[MAX_WORDS], b[MAX_WORDS], r[2 * MAX_WORDS];
    int n = c->words, results = c->kind == '*' ? 2 * n : n + 1;
    for (int k = 0; k < results; k++) {
        char name[16];
        snprintf(name, sizeof name, "%%r%d", k), r[k] = reg_find(&o, name);
        if (k >= n) continue;
        snprintf(name, sizeof name, "%%a%d", k), a[k] = reg_find(&o, name);
        snprintf(name, sizeof name, "%%b%d", k), b[k] = reg_find(&o, name);
    }
    for (unsigned round = 0; round < 60; round++) {
        Frame w, got;
        uint32_t mask = round % 3 ? some_mask(round) : FULL;
        frame_fill(&o, &w);
        for (int lane = 0; lane < LANES; lane++)
            for (int k = 0; k < n; k++) {  // words of all zeros and all ones carry on
                static const uint64_t often[] = {0, UINT64_MAX, 1, 0x8000000080000000, 0x7fffffffffffffff};
                reg_put(&o, &w, a[k], lane, any() & 1 ? often[any() % 5] : any());
                reg_put(&o, &w, b[k], lane, any() & 1 ? often[any() % 5] : any());
            }
        for (int build = 0; build < build_count(); build++) {
            got = w;
            frame_run(&o, &got, mask, build);
            for (int lane = 0; lane < LANES; lane++) {
                uint8_t x[MAX_WORDS * 8] = {0}, y[MAX_WORDS * 8] = {0}, z[2 * MAX_WORDS * 8];
                for (int k = 0; k < n; k++) {
                    uint64_t u = reg_get(&o, &w, a[k], lane), v = reg_get(&o, &w, b[k], lane);
                    memcpy(x + k * c->bytes, &u, (size_t)c->bytes), memcpy(y + k * c->bytes, &v, (size_t)c->bytes);
                }
                chain_reference(c, x, y, z);
                for (int k = 0; k < results; k++) {
                    uint64_t want = 0;
                    memcpy(&want, z + k * c->bytes, (size_t)c->bytes);
                    if (!(mask >> lane & 1) && c->lower) continue;  // registers share rows then
                    if (!(mask >> lane & 1)) want = reg_get(&o, &w, r[k], lane);
                    if (want != reg_get(&o, &got, r[k], lane))
                        fail_msg("word %d of a%cb, %d words of %d bytes, build %s", k, c->kind, n, c->bytes,
                                 build_name(build));
                    census.values += build == 0;
                }
                if (!(mask >> lane & 1)) assert_int_equal(got.cc >> lane & 1, w.cc >> lane & 1);
            }
        }
    }
    ptx_close(&o);
}

static void chains(void **state)
{
    (void)state;
    int count = 0;
    for (int words = 2; words <= MAX_WORDS; words++)
        for (int form = 0; form < 3 * 2 * 2 * 2; form++) {
            Chain c = {words, form & 1 ? 8 : 4, "+-*"[form / 8], form & 2, form & 4};
            if (c.kind == '*' && c.is_signed) continue;  // only the top word of a product would be signed
            chain(&c);
            count++;
        }
    print_message("%d chains of 2 to %d words\n", count, MAX_WORDS);
}

// --- vabsdiff4, which has three types --------------------------------------------------------------------------------
// With .add d = c + the sum of |a_k - b_k|, whatever the destination's sign; without, d's bytes are the differences,
// with .sat clamped to a byte of the destination's sign. Masks and other orders of bytes are in
// test_ops_video.c.
static Verdict open_packed(Opened *o, const char *op)
{
    Text t = {0};
    text_printf(&t, ".reg .b32 %%d, %%a, %%b, %%c;\n%s %%d, %%a, %%b, %%c;", op);
    Verdict v = ptx_open(o, 90, false, "", t.v);
    text_free(&t);
    return v;
}
static void packed_differences(void **state)
{
    (void)state;
    static const char *const wrong[] = {"vabsdiff4.u32.u32.add", "vabsdiff4.u32.u32", "vabsdiff4.u32.u32.u32.sat.add",
                                        "vabsdiff4.u32.u32.u32.min", "vabsdiff4.u32.u32.u32.u32.add"};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Opened o;
        if (open_packed(&o, wrong[k]) == ACCEPTED) print_error("%s is accepted\n", wrong[k]), census.wrong++;
        ptx_close(&o);
    }
    static const char *const sign[] = {"u32", "s32"}, *const tail[] = {".add", "", ".sat"};
    for (int form = 0; form < 3 * 8; form++) {
        Text t = {0};
        text_printf(&t, "vabsdiff4.%s.%s.%s%s", sign[form & 1], sign[form >> 1 & 1], sign[form >> 2 & 1],
                    tail[form / 8]);
        Opened o;
        Verdict v = open_packed(&o, t.v);
        if (v != ACCEPTED) census.missing++, text_printf(&census.missing_text, " %s", t.v);
        for (int round = 0; round < 40 && v == ACCEPTED; round++) {
            Frame w, got;
            uint32_t a = reg_find(&o, "%a"), b = reg_find(&o, "%b"), c = reg_find(&o, "%c"), d = reg_find(&o, "%d"),
                     mask = some_mask((unsigned)round);
            Type ta = form & 2 ? TY_S32 : TY_U32, tb = form & 4 ? TY_S32 : TY_U32;
            frame_fill(&o, &w);
            for (int build = 0; build < build_count(); build++) {
                got = w;
                frame_run(&o, &got, mask, build);
                for (int n = 0; n < LANES; n++) {
                    uint64_t x = reg_get(&o, &w, a, n), y = reg_get(&o, &w, b, n), want = reg_get(&o, &w, c, n);
                    uint64_t bytes = 0;
                    for (int k = 3; k >= 0; k--) {
                        int64_t p = part(x, 8, k, ta), q = part(y, 8, k, tb), apart = p > q ? p - q : q - p,
                                most = form & 1 ? 127 : 255;
                        want += (uint64_t)apart;
                        if (form >= 16 && apart > most) apart = most;
                        bytes = bytes * 256 + (uint64_t)apart % 256;
                    }
                    if (form >= 8) want = bytes;
                    if (!(mask >> n & 1)) want = reg_get(&o, &w, d, n);
                    assert_int_equal(reg_get(&o, &got, d, n), low_bits(want, 32));
                }
            }
            census.values += LANES;
        }
        census.tested += v == ACCEPTED;
        ptx_close(&o);
        text_free(&t);
    }
}

// Every operation of ops.def is in some test: a new row belongs into one of these lists, and into that test.
static void every_operation(void **state)
{
    (void)state;
    static const Op here[] = {OP_VABSDIFF4};
    static const Op video[] = {OP_VADD,  OP_VSUB,  OP_VABSDIFF, OP_VMIN,   OP_VMAX,      OP_VSHL,  OP_VSHR,  OP_VMAD,
                               OP_VSET,  OP_VADD2, OP_VSUB2,    OP_VAVRG2, OP_VABSDIFF2, OP_VMIN2, OP_VMAX2, OP_VSET2,
                               OP_VADD4, OP_VSUB4, OP_VAVRG4,   OP_VMIN4,  OP_VMAX4,     OP_VSET4};
    static const Op logic[] = {OP_AND,  OP_OR,   OP_XOR,  OP_NOT,  OP_CNOT, OP_SHL,  OP_SHR,     OP_SHF,
                               OP_LOP3, OP_PRMT, OP_SELP, OP_SLCT, OP_MOV,  OP_CVTA, OP_ISSPACEP};
    static const Op compare[] = {OP_SETP, OP_SET},
                    across[] = {OP_SHFL, OP_VOTE, OP_MATCH, OP_REDUX, OP_ELECT, OP_ACTIVEMASK};
    static const Op floats[] = {OP_TESTP, OP_COPYSIGN, OP_FMA, OP_RCP, OP_SQRT, OP_RSQRT,
                                OP_SIN,   OP_COS,      OP_LG2, OP_EX2, OP_TANH, OP_CVT};
    static const Op conversions[] = {OP_CVT_PACK};
    static const Op matrices[] = {OP_LDMATRIX,    OP_STMATRIX,    OP_MOVMATRIX,    OP_MMA,
                                  OP_MMA_SP,      OP_MMA_ORDERED, OP_WMMA_LOAD_A,  OP_WMMA_LOAD_B,
                                  OP_WMMA_LOAD_C, OP_WMMA_STORE,  OP_WMMA_MMA,     OP_WGMMA,
                                  OP_WGMMA_SP,    OP_WGMMA_FENCE, OP_WGMMA_COMMIT, OP_WGMMA_WAIT};
    static const Op memory_and_control[] = {OP_LD,
                                            OP_LDU,
                                            OP_ST,
                                            OP_PREFETCH,
                                            OP_PREFETCHU,
                                            OP_CP_ASYNC,
                                            OP_CP_ASYNC_COMMIT,
                                            OP_CP_ASYNC_WAIT,
                                            OP_CP_ASYNC_WAIT_ALL,
                                            OP_TEX,
                                            OP_TLD4,
                                            OP_BRA,
                                            OP_BRX,
                                            OP_CALL,
                                            OP_RET,
                                            OP_EXIT,
                                            OP_BAR,
                                            OP_BARRIER,
                                            OP_MEMBAR,
                                            OP_FENCE,
                                            OP_ATOM,
                                            OP_RED,
                                            OP_NANOSLEEP,
                                            OP_TRAP,
                                            OP_BRKPT,
                                            OP_PMEVENT,
                                            OP_ALLOCA,
                                            OP_STACKSAVE,
                                            OP_STACKRESTORE,
                                            OP_DISCARD,
                                            OP_APPLYPRIORITY,
                                            OP_POLICY_FRACTION,
                                            OP_POLICY_RANGE,
                                            OP_POLICY_CVT,
                                            OP_FENCE_MBAR,
                                            OP_FENCE_PROXY,
                                            OP_MEMBAR_PROXY,
                                            OP_GRIDDEPCONTROL,
                                            OP_SETMAXNREG};
    // test/run/test_texture_shapes.c, test_surface.c
    static const Op texels[] = {OP_TXQ, OP_ISTYPEP, OP_SULD, OP_SUST, OP_SUST_P, OP_SURED, OP_SURED_P, OP_SUQ};
    // test/programs/bulk.cu, clusters.cu; test/ptx/data/inst/async_*
    static const Op asynchronous[] = {
        OP_BULK,           OP_BULK_REDUCE,      OP_BULK_PREFETCH,    OP_BULK_COMMIT,        OP_BULK_WAIT,
        OP_TENSOR,         OP_TENSOR_REDUCE,    OP_TENSOR_PREFETCH,  OP_MAP_REPLACE,        OP_MAP_COPY,
        OP_ST_ASYNC,       OP_RED_ASYNC,        OP_MBAR_INIT,        OP_MBAR_INVAL,         OP_MBAR_EXPECT,
        OP_MBAR_COMPLETE,  OP_MBAR_ARRIVE,      OP_MBAR_ARRIVE_SOME, OP_MBAR_ARRIVE_EXPECT, OP_MBAR_DROP,
        OP_MBAR_DROP_SOME, OP_MBAR_DROP_EXPECT, OP_MBAR_COPIES,      OP_MBAR_TEST,          OP_MBAR_TEST_PARITY,
        OP_MBAR_TRY,       OP_MBAR_TRY_PARITY,  OP_MBAR_PENDING,     OP_CLUSTER_ARRIVE,     OP_CLUSTER_WAIT,
        OP_MAPA,           OP_GETCTARANK};
    int tests[OP_COUNT] = {0};
#define MARK(list) \
    for (size_t k = 0; k < COUNT(list); k++) tests[list[k]]++;
    MARK(here)
    MARK(conversions)
    MARK(matrices)
    MARK(texels)
    MARK(asynchronous)
    MARK(video)
    MARK(logic)
    MARK(compare)
    MARK(across) MARK(floats) MARK(memory_and_control) for (size_t k = 0; k < COUNT(rules); k++) tests[rules[k].op]++;
    for (int op = 0; op < OP_COUNT; op++)
        if (tests[op] != 1) fail_msg("'%s' is in %d tests", op_info[op].name, tests[op]);
}

static void nothing_lost(void **state)
{
    (void)state;
    census_print("integers", &census, build_count());
    text_free(&census.missing_text);
    assert_int_equal(census.wrong, 0);
    assert_true(census.tested >= 213);  // what there was; more is welcome
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),           cmocka_unit_test(chains),       cmocka_unit_test(packed_differences),
        cmocka_unit_test(every_operation), cmocka_unit_test(nothing_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
