// Conversions that test_ops_float.c's reference doesn't know: cvt.pack, and the 8-bit floating-point types. Their
// values are written from the tables of their formats (PTX ISA §5.2.3, OCP FP8), and the nearest one is found by
// looking at all of them.
#include "check.h"

#include "exec/ops_test.h"

#include <math.h>
#include <string.h>

// --- the formats -----------------------------------------------------------------------------------------------------
// The numbers of a type in the order of their codes, from +0 on; the codes behind the last one aren't numbers.
typedef struct Eights {
    double value[128];
    int numbers;  // 127 of e4m3 (no infinities, one NaN), 124 of e5m2 (an infinity and three NaNs)
} Eights;
static Eights eights(Type t)
{
    Eights e = {.numbers = t == TY_E4M3X2 ? 127 : 124};
    int steps = t == TY_E4M3X2 ? 8 : 4,
        least = t == TY_E4M3X2 ? -9 : -16;  // numbers to a binade; the least one's exponent
    for (int k = 0; k < 128; k++) {
        int binade = k / steps, step = k % steps;
        e.value[k] = binade ? ldexp(steps + step, least + binade - 1) : ldexp(step, least);
    }
    return e;
}

static double half_value(uint32_t x)
{
    uint32_t e = x >> 10 & 31, m = x & 0x3ff;
    double size = e == 31 ? (m ? (double)NAN : (double)INFINITY) : e ? ldexp(1024 + m, (int)e - 25) : ldexp(m, -24);
    return x & 0x8000 ? -size : size;
}
static double float_value(uint32_t x)
{
    float f;
    memcpy(&f, &x, 4);
    return (double)f;
}

// The nearest code, of two the even one; beyond the largest number it stays (.satfinite), and a NaN is 0x7f.
static uint32_t nearest(const Eights *e, double d, bool relu)
{
    if (isnan(d)) return 0x7f;
    if (relu && signbit(d)) return 0;
    double size = fmin(fabs(d), e->value[e->numbers - 1]);  // what is larger would absorb the differences
    int best = 0;
    for (int k = 1; k < e->numbers; k++) {
        double now = fabs(e->value[k] - size), was = fabs(e->value[best] - size);
        if (now < was || (now == was && !(k & 1))) best = k;
    }
    return (uint32_t)best | (signbit(d) ? 0x80u : 0);
}

// A code as an f16, which holds them all
static uint32_t widened(const Eights *e, Type t, uint32_t code, bool relu)
{
    int size = (int)(code & 0x7f);
    if (size >= e->numbers && !(t == TY_E5M2X2 && size == 124)) return 0x7fff;
    if (relu && code & 0x80) return 0;
    uint32_t sign = (code & 0x80) << 8;
    if (size >= e->numbers) return sign | 0x7c00;
    uint32_t x = 0;
    while (half_value(x) != e->value[size]) x++;
    return sign | x;
}

// --- running ---------------------------------------------------------------------------------------------------------
typedef struct Open {
    Opened o;
    uint32_t d, a, b;
} Open;
static Open open_cvt(const char *form, int to_bits, int from_bits, bool two)
{
    Open x;
    Text t = {0};
    text_printf(&t, ".reg .b%d %%d;\n.reg .b%d %%a, %%b;\nmov.b%d %%b, %%a;\n%s %%d, %%a%s;", to_bits, from_bits,
                from_bits, form, two ? ", %b" : "");
    if (ptx_open(&x.o, 90, false, "", t.v) != ACCEPTED) fail_msg("%s: %s", form, x.o.diag.text.v);
    text_free(&t);
    x.d = reg_find(&x.o, "%d"), x.a = reg_find(&x.o, "%a"), x.b = reg_find(&x.o, "%b");
    return x;
}

static void run(const Open *x, Frame *w, int build)
{
    const Dinst *d = &x->o.code->insts[1];
    Lanes l = frame_lanes(&x->o, w);
    ExecFn *pick = build_pick(build, d->inst);
    assert_non_null(pick);
    pick(&l, d, 0xfffffffe);
}

static int forms;
static void widening(void **state)
{
    (void)state;
    for (int form = 0; form < 4; form++) {
        Type t = form & 1 ? TY_E5M2X2 : TY_E4M3X2;
        bool relu = form & 2;
        Eights e = eights(t);
        Text text = {0};
        text_printf(&text, "cvt.rn%s.f16x2.%s", relu ? ".relu" : "", type_info[t].name);
        Open x = open_cvt(text.v, 32, 16, false);
        uint32_t want[256];
        for (uint32_t k = 0; k < 256; k++) want[k] = widened(&e, t, k, relu);
        for (int build = 0; build < build_count(); build++)
            for (uint32_t at = 0; at < 0x10000; at += LANES) {
                Frame w;
                frame_fill(&x.o, &w);
                uint64_t kept = reg_get(&x.o, &w, x.d, 0);
                for (uint32_t n = 0; n < LANES; n++) reg_put(&x.o, &w, x.a, (int)n, at + n);
                run(&x, &w, build);
                assert_int_equal(reg_get(&x.o, &w, x.d, 0), kept);
                for (uint32_t n = 1; n < LANES; n++)
                    assert_int_equal(reg_get(&x.o, &w, x.d, (int)n), want[(at + n) >> 8] << 16 | want[(at + n) & 0xff]);
            }
        ptx_close(&x.o);
        text_free(&text);
        forms++;
    }
}

// An f32 that is a number of the type, a middle of two, or next to one of these; sometimes anything
static uint32_t any_near(const Eights *e)
{
    uint64_t r = any();
    int code = (int)(r % 127);
    float f = (float)(r >> 8 & 1 ? e->value[code] : (e->value[code] + e->value[code + 1]) / 2);
    uint32_t x;
    memcpy(&x, &f, 4);
    x += (uint32_t)(r >> 9 & 3) - 1;
    if ((r >> 16 & 15) == 0) x = (uint32_t)(r >> 32);
    return r >> 20 & 1 ? x ^ 0x80000000u : x;
}

// Every f16, and f32 around every number and every middle of two
static void narrowing(void **state)
{
    (void)state;
    for (int form = 0; form < 8; form++) {
        Type t = form & 1 ? TY_E5M2X2 : TY_E4M3X2;
        bool relu = form & 2, wide = form & 4;
        Eights e = eights(t);
        Text text = {0};
        text_printf(&text, "cvt.rn%s.satfinite.%s.%s", relu ? ".relu" : "", type_info[t].name, wide ? "f32" : "f16x2");
        Open x = open_cvt(text.v, 16, 32, wide);
        for (int round = 0; round < (wide ? 300 : 2048); round++) {
            Frame before;
            frame_fill(&x.o, &before);
            for (int n = 0; n < LANES; n++) {
                uint32_t half = (uint32_t)(round * LANES + n);
                reg_put(&x.o, &before, x.a, n, wide ? any_near(&e) : half | (half * 0x9e37u) << 16);
                reg_put(&x.o, &before, x.b, n, any_near(&e));
            }
            uint32_t want[LANES];
            for (int n = 0; n < LANES; n++) {
                uint32_t a = (uint32_t)reg_get(&x.o, &before, x.a, n), b = (uint32_t)reg_get(&x.o, &before, x.b, n);
                uint32_t upper = nearest(&e, wide ? float_value(a) : half_value(a >> 16), relu);
                want[n] = upper << 8 | nearest(&e, wide ? float_value(b) : half_value(a & 0xffff), relu);
            }
            for (int build = 0; build < build_count(); build++) {
                Frame w = before;
                run(&x, &w, build);
                for (int n = 1; n < LANES; n++)
                    if (reg_get(&x.o, &w, x.d, n) != want[n])
                        fail_msg("%s of %08x, %08x is %04x, not %04x", text.v, (unsigned)reg_get(&x.o, &before, x.a, n),
                                 (unsigned)reg_get(&x.o, &before, x.b, n), (unsigned)reg_get(&x.o, &w, x.d, n),
                                 want[n]);
            }
        }
        ptx_close(&x.o);
        text_free(&text);
        forms++;
    }
}

// --- cvt.pack --------------------------------------------------------------------------------------------------------
// A number as digits of a type: counted down or up to its end, then to a remainder.
static uint64_t digits(int64_t x, int bits, bool is_signed)
{
    int64_t high = is_signed ? (1ll << (bits - 1)) - 1 : (1ll << bits) - 1, low = is_signed ? -high - 1 : 0;
    x = x < low ? low : x > high ? high : x;
    return (uint64_t)(x < 0 ? x + (1ll << bits) : x);
}
static void packing(void **state)
{
    (void)state;
    static const Type types[] = {TY_U16, TY_S16, TY_U8, TY_S8, TY_U4, TY_S4, TY_U2, TY_S2};
    for (size_t k = 0; k < COUNT(types); k++) {
        int bits = type_info[types[k]].bits;
        bool is_signed = type_info[types[k]].kind == K_SINT;
        Text t = {0};
        text_printf(&t, ".reg .b32 %%d, %%a, %%b, %%c;\nmov.b32 %%c, %%a;\ncvt.pack.sat.%s.s32%s %%d, %%a, %%b%s;",
                    type_info[types[k]].name, bits < 16 ? ".b32" : "", bits < 16 ? ", %c" : "");
        Opened o;
        if (ptx_open(&o, 90, false, "", t.v) != ACCEPTED) fail_msg("%s", o.diag.text.v);
        uint32_t d = reg_find(&o, "%d"), a = reg_find(&o, "%a"), b = reg_find(&o, "%b"), c = reg_find(&o, "%c");
        const Dinst *inst = &o.code->insts[1];
        Values edges = {.n = 0};
        value_edges(&edges, TY_S32);
        for (int p = 1; p < 32; p++)
            value_add(&edges, (1ull << p) + 1), value_add(&edges, low_bits(0 - (1ull << p) - 1, 32));
        for (unsigned round = 0; round < 400; round++) {
            Frame before;
            frame_fill(&o, &before);
            for (int n = 0; n < LANES; n++)
                reg_put(&o, &before, a, n, edges.v[any() % (unsigned)edges.n]),
                    reg_put(&o, &before, b, n, edges.v[any() % (unsigned)edges.n]);
            uint32_t mask = some_mask(round % 20);
            for (int build = 0; build < build_count(); build++) {
                Frame w = before;
                Lanes l = frame_lanes(&o, &w);
                build_pick(build, inst->inst)(&l, inst, mask);
                for (int n = 0; n < LANES; n++) {
                    uint64_t want = digits(sign_extended(reg_get(&o, &before, a, n), 32), bits, is_signed);
                    want =
                        want * (1ull << bits) + digits(sign_extended(reg_get(&o, &before, b, n), 32), bits, is_signed);
                    if (bits < 16) want += reg_get(&o, &before, c, n) * (1ull << 2 * bits);
                    if (!(mask >> n & 1)) want = reg_get(&o, &before, d, n);
                    assert_int_equal(reg_get(&o, &w, d, n), low_bits(want, 32));
                }
            }
        }
        ptx_close(&o);
        text_free(&t);
        forms++;
    }
}

// Constants of the formats, by hand: the largest and least numbers, one, a tie
static void by_hand(void **state)
{
    (void)state;
    Eights a = eights(TY_E4M3X2), b = eights(TY_E5M2X2);
    assert_true(a.value[0x7e] == 448 && a.value[1] == 0x1p-9 && a.value[0x38] == 1 && a.value[8] == 0x1p-6);
    assert_true(b.value[0x7b] == 57344 && b.value[1] == 0x1p-16 && b.value[0x3c] == 1 && b.value[4] == 0x1p-14);
    assert_int_equal(nearest(&a, 1.0625, false), 0x38);
    assert_int_equal(nearest(&a, -1e9, false), 0xfe);
}

static void nothing_lost(void **state)
{
    (void)state;
    print_message("cvt of 8-bit types, cvt.pack: covered %d combinations, each on %d builds\n", forms, build_count());
    assert_int_equal(forms, 20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(widening),
                                       cmocka_unit_test(narrowing), cmocka_unit_test(packing),
                                       cmocka_unit_test(nothing_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
