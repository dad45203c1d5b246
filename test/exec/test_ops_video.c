// Video instructions (PTX ISA §9.7.17). A form is drawn as data, written as PTX, and computed from the data: sources as
// lists of bytes, numbers as 128-bit ones, clamps by comparing with the type's ends.
#include "check.h"
#include "ptx/ops.h"

#include "exec/ops_test.h"

#include <string.h>

typedef __int128 Wide;

// --- forms -----------------------------------------------------------------------------------------------------------
typedef struct Video {
    Op op;
    int parts;     // elements of a word: 1, 2, 4
    bool sign[3];  // of the result's type, a's, b's
    bool sat, wrap, plus;
    int second;  // 0, or '+', '<', '>'
    int cmp, scale;
    char to[6], a[6], b[6];  // selectors as written, without the dot
    int minus;               // of vmad: 0, or which operand is negated: 1, 2, 3
} Video;
static const char *const cmp_names[] = {"eq", "ne", "lt", "le", "gt", "ge"};
static bool sets(const Video *v) { return v->op == OP_VSET || v->op == OP_VSET2 || v->op == OP_VSET4; }
static bool shifts(const Video *v) { return v->op == OP_VSHL || v->op == OP_VSHR; }

static void draw_selector(char *out, char kind, int digits, int most)
{
    *out++ = kind;
    for (int k = 0; k < digits; k++) *out++ = (char)('0' + any() % (unsigned)most);
    *out = 0;
}
static void draw_part(char *out)
{
    if (any() % 3 == 0) return;
    bool half = any() & 1;
    draw_selector(out, half ? 'h' : 'b', 1, half ? 2 : 4);
}

static Video draw(Op op)
{
    Video v = {.op = op, .parts = op <= OP_VSET ? 1 : op <= OP_VSET2 ? 2 : 4};
    for (int k = 0; k < 3; k++) v.sign[k] = any() & 1;
    v.cmp = (int)(any() % 6), v.wrap = any() & 1;
    if (sets(&v)) v.sign[0] = false;
    if (shifts(&v)) v.sign[2] = false;
    if (op == OP_VMAD) {
        static const int scales[] = {0, 7, 15};
        v.sat = any() & 1, v.scale = scales[any() % 3];
        v.plus = any() % 4 == 0, v.minus = v.plus ? 0 : (int)(any() % 4);
        draw_part(v.a), draw_part(v.b);
        return v;
    }
    int tail = (int)(any() % 5);
    if (v.parts == 1) {
        v.sat = !sets(&v) && any() & 1;
        if (tail >= 2)
            v.second = "+<>"[tail - 2];
        else if (tail)
            draw_selector(v.to, any() & 1 ? 'h' : 'b', 1, 2);
        draw_part(v.a), draw_part(v.b);
        return v;
    }
    if (tail == 1) v.second = '+';
    v.sat = tail == 2 && !sets(&v);
    char kind = v.parts == 2 ? 'h' : 'b';
    if (any() & 1) {  // a mask: digits in descending order
        char *out = v.to;
        *out++ = kind;
        unsigned mask = 1 + (unsigned)(any() % ((1u << v.parts) - 1));
        for (int k = v.parts; k-- > 0;)
            if (mask >> k & 1) *out++ = (char)('0' + k);
        *out = 0;
    }
    if (any() & 1) draw_selector(v.a, kind, v.parts, 2 * v.parts);
    if (any() & 1) draw_selector(v.b, kind, v.parts, 2 * v.parts);
    return v;
}

static void write_operand(Text *t, const char *name, const char *selector, bool minus)
{
    text_printf(t, "%s%%%s%s%s", minus ? "-" : "", name, *selector ? "." : "", selector);
}
static void write_form(const Video *v, Text *t)
{
    text_put(t, op_info[v->op].name);
    for (int k = sets(v); k < 3; k++) text_put(t, v->sign[k] ? ".s32" : ".u32");
    if (sets(v)) text_printf(t, ".%s", cmp_names[v->cmp]);
    if (v->plus) text_put(t, ".po");
    if (v->sat) text_put(t, ".sat");
    if (shifts(v)) text_put(t, v->wrap ? ".wrap" : ".clamp");
    if (v->scale) text_printf(t, ".shr%d", v->scale);
    if (v->second) text_put(t, v->second == '+' ? ".add" : v->second == '<' ? ".min" : ".max");
    text_put(t, " ");
    write_operand(t, "d", v->to, false), text_put(t, ", ");
    write_operand(t, "a", v->a, v->minus == 1), text_put(t, ", ");
    write_operand(t, "b", v->b, v->minus == 2);
    if (v->parts > 1 || v->op == OP_VMAD || v->second || *v->to)
        text_put(t, ", "), write_operand(t, "c", "", v->minus == 3);
    text_put(t, ";");
}

// --- what they compute -----------------------------------------------------------------------------------------------
// Bytes of a word, or of two, from at on: a number of that many bytes
static Wide number_at(const uint8_t *bytes, int at, int size, bool is_signed)
{
    Wide x = 0, scale = 1;
    for (int k = 0; k < size; k++, scale *= 256) x += bytes[at + k] * scale;
    return is_signed && bytes[at + size - 1] >= 128 ? x - scale : x;
}
static Wide power(int n)
{
    Wide x = 1;
    while (n-- > 0) x *= 2;
    return x;
}
static Wide floor_divide(Wide x, Wide by) { return x >= 0 || x % by == 0 ? x / by : x / by - 1; }
static Wide clamped(Wide x, int bits, bool is_signed)
{
    Wide high = is_signed ? power(bits - 1) - 1 : power(bits) - 1, low = is_signed ? -power(bits - 1) : 0;
    return x < low ? low : x > high ? high : x;
}
static uint32_t word(Wide x) { return (uint32_t)(x - floor_divide(x, power(32)) * power(32)); }

static Wide compute(const Video *v, Wide a, Wide b)
{
    char name[16];
    snprintf(name, sizeof name, "%s", op_info[v->op].name + 1);
    size_t n = strlen(name);
    if (name[n - 1] == '2' || name[n - 1] == '4') name[n - 1] = 0;
    if (!strcmp(name, "add")) return a + b;
    if (!strcmp(name, "sub")) return a - b;
    if (!strcmp(name, "absdiff")) return a < b ? b - a : a - b;
    if (!strcmp(name, "min")) return a < b ? a : b;
    if (!strcmp(name, "max")) return a < b ? b : a;
    if (!strcmp(name, "avrg")) return floor_divide(a + b + (a + b >= 0), 2);  // halves go away from zero
    if (!strcmp(name, "set")) {
        const bool holds[] = {a == b, a != b, a<b, a <= b, a> b, a >= b};
        return holds[v->cmp];
    }
    int by = v->wrap ? (int)(b % 32) : b > 32 ? 32 : (int)b;
    return !strcmp(name, "shl") ? a * power(by) : floor_divide(a, power(by));
}

static uint32_t reference(const Video *v, uint32_t a, uint32_t b, uint32_t c)
{
    uint8_t from[8], third[4];
    memcpy(from, &a, 4), memcpy(from + 4, &b, 4), memcpy(third, &c, 4);
    if (v->parts > 1) {
        int size = 4 / v->parts;
        Wide sum = number_at(third, 0, 4, false);
        for (int k = 0; k < v->parts; k++) {
            char digit = (char)('0' + k);
            if (*v->to && !strchr(v->to + 1, digit)) continue;
            int at_a = *v->a ? v->a[v->parts - k] - '0' : k, at_b = *v->b ? v->b[v->parts - k] - '0' : v->parts + k;
            Wide x = compute(v, number_at(from, at_a * size, size, v->sign[1]),
                             number_at(from, at_b * size, size, v->sign[2]));
            if (v->sat) x = clamped(x, 8 * size, v->sign[0]);
            sum += x;
            for (int n = 0; n < size && !v->second; n++) third[k * size + n] = (uint8_t)(word(x) >> 8 * n);
        }
        return v->second ? word(sum) : word(number_at(third, 0, 4, false));
    }
    Wide x[2];
    for (int k = 0; k < 2; k++) {
        const char *s = k ? v->b : v->a;
        int size = *s == 'b' ? 1 : *s == 'h' ? 2 : 4;
        x[k] = number_at(from, 4 * k + (*s ? (s[1] - '0') * size : 0), size, v->sign[1 + k]);
    }
    if (v->op == OP_VMAD) {  // signed in the end if any source is, or anything is negated
        bool is_signed = v->sign[1] || v->sign[2] || v->minus;
        Wide r = x[0] * x[1] * (v->minus == 1 || v->minus == 2 ? -1 : 1), add = number_at(third, 0, 4, is_signed);
        r = floor_divide(r + (v->minus == 3 ? -add : add) + v->plus, power(v->scale));
        return word(v->sat ? clamped(r, 32, is_signed) : r);
    }
    int size = *v->to == 'b' ? 1 : *v->to == 'h' ? 2 : 4;
    Wide r = compute(v, x[0], x[1]), other = number_at(third, 0, 4, v->sign[0]);
    if (v->sat) r = clamped(r, 8 * size, v->sign[0]);
    if (v->second == '+') return word(r + other);
    if (v->second) return word((v->second == '<') == (r < other) ? r : other);
    if (!*v->to) return word(r);
    for (int n = 0; n < size; n++) third[(v->to[1] - '0') * size + n] = (uint8_t)(word(r) >> 8 * n);
    return word(number_at(third, 0, 4, false));
}

// --- running ---------------------------------------------------------------------------------------------------------
static int forms;
static uint64_t values;
static void try_form(const Video *v)
{
    Text t = {0};
    Opened o;
    text_put(&t, ".reg .b32 %d, %a, %b, %c;\nmov.b32 %c, %a;\n");
    size_t start = t.n;
    write_form(v, &t);
    if (ptx_open(&o, 90, false, "", t.v) != ACCEPTED) fail_msg("%s: %s", t.v + start, o.diag.text.v);
    uint32_t d = reg_find(&o, "%d"), a = reg_find(&o, "%a"), b = reg_find(&o, "%b"), c = reg_find(&o, "%c");
    const Dinst *inst = &o.code->insts[1];
    Values edges = {.n = 0};
    value_edges(&edges, TY_S32);
    for (unsigned round = 0; round < 24; round++) {
        Frame before;
        uint32_t mask = round % 3 ? some_mask(round) : FULL;
        frame_fill(&o, &before);
        for (int n = 0; n < LANES; n++) {
            const uint32_t regs[] = {a, b, c};
            for (int k = 0; k < 3; k++)
                if (any() & 1) reg_put(&o, &before, regs[k], n, edges.v[any() % (unsigned)edges.n]);
            if (shifts(v) && any() & 1) reg_put(&o, &before, b, n, any() % 40 * 0x01010101);
        }
        values += (uint64_t)__builtin_popcount(mask);
        for (int build = 0; build < build_count(); build++) {
            Frame got = before;
            Lanes l = frame_lanes(&o, &got);
            build_pick(build, inst->inst)(&l, inst, mask);
            for (int n = 0; n < LANES; n++) {
                uint32_t x = (uint32_t)reg_get(&o, &before, a, n), y = (uint32_t)reg_get(&o, &before, b, n),
                         z = (uint32_t)reg_get(&o, &before, c, n);
                uint32_t want = mask >> n & 1 ? reference(v, x, y, z) : (uint32_t)reg_get(&o, &before, d, n);
                if (reg_get(&o, &got, d, n) != want)
                    fail_msg("%s of %x, %x, %x is %x, not %x (%s)", t.v + start, x, y, z,
                             (unsigned)reg_get(&o, &got, d, n), want, build_name(build));
            }
        }
    }
    ptx_close(&o);
    text_free(&t);
    forms++;
}

static void drawn(void **state)
{
    (void)state;
    for (int op = OP_VADD; op <= OP_VSET4; op++)
        for (int k = 0; k < 120; k++) {
            Video v = draw((Op)op);
            try_form(&v);
        }
}

// Worked out by hand from the formulas of the ISA
static void by_hand(void **state)
{
    (void)state;
    static const struct {
        const char *inst;
        uint32_t a, b, c, want;
    } table[] = {
        {"vadd.s32.s32.s32.sat %d, %a, %b;", 0x7fffffff, 1, 0, 0x7fffffff},
        {"vadd.u32.s32.s32.sat %d, %a, %b;", 0xfffffffe, 1, 0, 0},
        {"vsub.s32.u32.s32.sat %d.b1, %a.b0, %b.h1, %c;", 0x12345605, 0x0fff0000, 0xaabbccdd, 0xaabb80dd},
        {"vabsdiff.u32.u32.u32.add %d, %a.b3, %b.b0, %c;", 0x10000000, 0x13, 100, 103},
        {"vmin.s32.s32.u32 %d, %a, %b;", 0xffffffff, 1, 0, 0xffffffff},
        {"vshl.u32.u32.u32.sat.clamp %d, %a, %b;", 3, 40, 0, 0xffffffff},
        {"vshl.u32.u32.u32.wrap %d, %a, %b;", 3, 33, 0, 6},
        {"vshr.s32.s32.u32.clamp %d, %a.h1, %b;", 0x80001234, 4, 0, 0xfffff800},
        {"vmad.u32.u32.u32.shr15 %d, %a, %b, %c;", 0x8000, 0x30000, 0x8000, 0x30001},
        {"vmad.s32.s32.u32.sat %d, -%a, %b, %c;", 0x80000000, 2, 5, 0x7fffffff},
        {"vmad.u32.u32.u32.po %d, %a.b0, %b.b1, %c;", 7, 0x900, 1, 65},
        {"vset.s32.u32.lt.add %d, %a, %b, %c;", 0xffffffff, 0, 41, 42},
        {"vadd2.s32.s32.s32.sat %d, %a, %b, %c;", 0x7fff8000, 0x0001ffff, 0, 0x7fff8000},
        {"vsub2.u32.u32.u32.sat %d.h0, %a.h10, %b.h10, %c;", 0x00050003, 0x11112222, 0x99998888, 0x99990000},
        {"vavrg4.u32.u32.u32 %d, %a, %b, %c;", 0x01020304, 0x02020202, 0, 0x02020303},
        {"vavrg2.s32.s32.s32 %d, %a, %b, %c;", 0xfffefffd, 0xffffffff, 0, 0xfffefffe},
        {"vmax4.s32.s32.s32 %d.b20, %a.b0123, %b, %c;", 0x80017f05, 0x00000000, 0x11223344, 0x117f3300},
        {"vset4.u32.u32.ge.add %d, %a, %b, %c;", 0x01020304, 0x01030204, 10, 13},
    };
    for (size_t k = 0; k < COUNT(table); k++) {
        Opened o;
        Text t = {0};
        text_printf(&t, ".reg .b32 %%d, %%a, %%b, %%c;\nmov.b32 %%c, %%a;\n%s", table[k].inst);
        if (ptx_open(&o, 90, false, "", t.v) != ACCEPTED) fail_msg("%s: %s", table[k].inst, o.diag.text.v);
        Frame w;
        frame_fill(&o, &w);
        reg_put(&o, &w, reg_find(&o, "%a"), 3, table[k].a), reg_put(&o, &w, reg_find(&o, "%b"), 3, table[k].b),
            reg_put(&o, &w, reg_find(&o, "%c"), 3, table[k].c);
        Lanes l = frame_lanes(&o, &w);
        o.code->insts[1].fn(&l, &o.code->insts[1], 8);
        if (reg_get(&o, &w, reg_find(&o, "%d"), 3) != table[k].want)
            fail_msg("%s is %x, not %x", table[k].inst, (unsigned)reg_get(&o, &w, reg_find(&o, "%d"), 3),
                     table[k].want);
        ptx_close(&o);
        text_free(&t);
    }
}

static void refused(void **state)
{
    (void)state;
    static const char *const wrong[] = {
        "vadd.u32.u32 %d, %a, %b;",
        "vadd.u32.u32.u32.u32 %d, %a, %b;",
        "vadd.u32.u32.u32 %d, %a.b4, %b;",
        "vadd.u32.u32.u32 %d, %a.h2, %b;",
        "vadd.u32.u32.u32 %d, %a.b10, %b;",
        "vadd.u32.u32.u32 %d.b0, %a, %b;",
        "vadd.u32.u32.u32.add %d.b0, %a, %b, %c;",
        "vadd.u32.u32.u32.add %d, %a, %b;",
        "vadd.u32.u32.u32 %d, -%a, %b;",
        "vadd.u32.u32.u32.satfinite %d, %a, %b;",
        "vadd.u32.u32.u32.add %d, %a, %b, %c.b0;",
        "vshl.u32.u32.u32 %d, %a, %b;",
        "vshl.u32.u32.s32.clamp %d, %a, %b;",
        "vset.u32.u32 %d, %a, %b;",
        "vset.u32.u32.lo %d, %a, %b;",
        "vset.u32.u32.u32.lt %d, %a, %b;",
        "vmad.u32.u32.u32 %d.b0, %a, %b, %c;",
        "vmad.u32.u32.u32 %d, -%a, %b, -%c;",
        "vmad.u32.u32.u32.po %d, -%a, %b, %c;",
        "vmad.u32.u32.u32.shr7.shr15 %d, %a, %b, %c;",
        "vadd2.u32.u32.u32 %d, %a, %b;",
        "vadd2.u32.u32.u32 %d.h01, %a, %b, %c;",
        "vadd2.u32.u32.u32 %d, %a.h0, %b, %c;",
        "vadd2.u32.u32.u32 %d, %a.h04, %b, %c;",
        "vadd2.u32.u32.u32 %d, %a.b10, %b, %c;",
        "vadd2.u32.u32.u32.sat.add %d, %a, %b, %c;",
        "vadd2.u32.u32.u32.min %d, %a, %b, %c;",
        "vadd4.u32.u32.u32 %d.b13, %a, %b, %c;",
        "vadd4.u32.u32.u32 %d.b4, %a, %b, %c;",
        "vadd4.u32.u32.u32 %d, %a.b012, %b, %c;",
        "add.u32 %d, %a.b0, %b;",
        "sub.s32 %d, -%a, %b;",
        "vadd.u32.u32.u32 %d, {%a.b0}, %b;",
    };
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Opened o;
        Text t = {0};
        text_printf(&t, ".reg .b32 %%d, %%a, %%b, %%c;\n%s", wrong[k]);
        if (ptx_open(&o, 90, false, "", t.v) != ILLEGAL) fail_msg("%s is accepted", wrong[k]);
        text_free(&t);
        ptx_close(&o);
    }
}

static void nothing_lost(void **state)
{
    (void)state;
    print_message("video: covered %d drawn forms of 23 instructions, %llu values, each on %d builds\n", forms,
                  (unsigned long long)values, build_count());
    assert_int_equal(forms, 23 * 120);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(by_hand), cmocka_unit_test(drawn), cmocka_unit_test(refused),
                                       cmocka_unit_test(nothing_lost)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
