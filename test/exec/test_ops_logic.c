// Logic, shifts, moves and selections (PTX ISA §9.7.6.3–4, §9.7.8, §9.7.9.3, §9.7.9.7, §9.7.9.19–20) against references
// that go bit by bit or byte by byte. Forms that the ISA doesn't have must be refused.
#include "check.h"
#include "ptx/ops.h"

#include "exec/ops_test.h"

#include <string.h>

static Census census;
static bool is(const Form *f, uint64_t types) { return types >> f->type & 1; }
static bool is_signed(Type t) { return type_info[t].kind == K_SINT; }

#define T_LOGIC (T(PRED) | T_BIT)
#define T_WORDS \
    (T_BIT | T(U16) | T(S16) | T(U32) | T(S32) | T(U64) | T(S64))  // what instructions other than ld, st and cvt take

// --- and, or, xor, not, cnot, shl, shr, shf --------------------------------------------------------------------------
static bool legal_plain(const Form *f) { return form_only(f, 0); }
static bool legal_shr(const Form *f) { return form_only(f, 0) && is(f, T_WORDS); }
static bool legal_shf(const Form *f)
{
    return form_only(f, G(DIR) | G(OVER)) && form_has(f, G_DIR) && form_has(f, G_OVER);
}

static void ref_logic(const Form *f, const In *in, Out *out)
{
    static const bool and[2][2] = {{0, 0}, {0, 1}}, or [2][2] = {{0, 1}, {1, 1}},
                      xor[2][2] = {
                          {0, 1}, {1, 0}};
    int bits = type_info[f->type].bits;
    bool none = true;
    out->d = 0;
    for (int k = 0; k < bits; k++) {
        int a = in->x[0] >> k & 1, b = in->x[1] >> k & 1;
        bool r = f->op == OP_AND ? and[a][b] : f->op == OP_OR ? or [a][b] : f->op == OP_XOR ? xor[a][b] : !a;
        out->d |= (uint64_t)r << k;
        none &= !a;
    }
    if (f->op == OP_CNOT) out->d = none;
}

// One place at a time, at most the width and one
static void ref_shift(const Form *f, const In *in, Out *out)
{
    int bits = type_info[f->type].bits;
    bool sign = is_signed(f->type) && in->x[0] >> (bits - 1) & 1;
    uint64_t x = in->x[0];
    for (uint32_t n = 0; n < (uint32_t)in->x[1] && n <= 64; n++) {
        if (f->op == OP_SHL)
            x += x;
        else
            x = x / 2 + (sign ? 1ull << (bits - 1) : 0);
        x = low_bits(x, bits);
    }
    out->d = x;
}
static void ref_funnel(const Form *f, const In *in, Out *out)
{
    uint32_t n = (uint32_t)in->x[2], a = (uint32_t)in->x[0], b = (uint32_t)in->x[1];
    if (f->mod[G_OVER] == M_WRAP) n %= 32;
    for (uint32_t k = 0; k < n && k < 32; k++) {
        if (f->mod[G_DIR] == M_LEFT)
            b = b << 1 | a >> 31, a <<= 1;
        else
            a = a >> 1 | b << 31, b >>= 1;
    }
    out->d = f->mod[G_DIR] == M_LEFT ? b : a;
}

// --- lop3 ------------------------------------------------------------------------------------------------------------
static uint64_t lop3_table;
static void ref_lop3(const Form *f, const In *in, Out *out)
{
    (void)f;
    out->d = 0;
    for (int k = 0; k < 32; k++) {  // 0xf0, 0xcc and 0xaa are a, b and c as tables of themselves
        uint32_t cell = 0xff;
        cell &= in->x[0] >> k & 1 ? 0xf0 : 0x0f;
        cell &= in->x[1] >> k & 1 ? 0xcc : 0x33;
        cell &= in->x[2] >> k & 1 ? 0xaa : 0x55;
        if (lop3_table & cell) out->d |= 1ull << k;
    }
    out->p = f->mod[G_BOOL] == M_AND ? out->d && in->q : out->d || in->q;
}
static void lop3(void **state)
{
    (void)state;
    Rule r = {OP_LOP3, "daaai", legal_plain, NULL, ref_lop3};
    Rule both = {OP_LOP3, "Haaaiq", legal_plain, NULL, ref_lop3};
    Form f = {.op = OP_LOP3, .type = TY_B32};
    for (lop3_table = 0; lop3_table < 256; lop3_table++)
        for (int m = 0; m < 3; m++) {
            f.mod[G_BOOL] = m ? m == 1 ? M_AND : M_OR : M_NONE;
            form_test(&census, m ? &both : &r, &f, lop3_table % 16 ? TRY_BRIEFLY : TRY_BRIEFLY | TRY_SHAPES,
                      lop3_table);
        }
    static const char *const wrong[] = {"lop3.or.b32 %d, %d, %d, %d, 1;", "lop3.xor.b32 %d|%p, %d, %d, %d, 1, %p;",
                                        "lop3.b32 %d|%p, %d, %d, %d, 1, %p;", "lop3.or.b32 %d|_, %d, %d, %d, 1, %p;",
                                        "lop3.or.b32 %d, %d, %d, %d, 1, %p;"};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Opened o;
        Text t = {0};
        text_printf(&t, ".reg .b32 %%d;\n.reg .pred %%p;\n%s", wrong[k]);
        if (ptx_open(&o, 90, false, "", t.v) == ACCEPTED) print_error("%s is accepted\n", wrong[k]), census.wrong++;
        text_free(&t);
        ptx_close(&o);
    }
    Opened o;
    assert_int_equal(ptx_open(&o, 90, true, "", ".reg .b32 %d;\n.reg .pred %p;\nlop3.or.b32 _|%p, %d, %d, %d, 1, !%p;"),
                     ACCEPTED);
    ptx_close(&o);
}

// --- prmt ------------------------------------------------------------------------------------------------------------
static void ref_prmt(const Form *f, const In *in, Out *out)
{
    // §9.7.9.7's table: for each mode and value of c's low two bits, the bytes of d from the highest on
    static const uint8_t f4e[4][4] = {{3, 2, 1, 0}, {4, 3, 2, 1}, {5, 4, 3, 2}, {6, 5, 4, 3}};
    static const uint8_t b4e[4][4] = {{5, 6, 7, 0}, {6, 7, 0, 1}, {7, 0, 1, 2}, {0, 1, 2, 3}};
    static const uint8_t rc8[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 1}, {2, 2, 2, 2}, {3, 3, 3, 3}};
    static const uint8_t ecl[4][4] = {{3, 2, 1, 0}, {3, 2, 1, 1}, {3, 2, 2, 2}, {3, 3, 3, 3}};
    static const uint8_t ecr[4][4] = {{0, 0, 0, 0}, {1, 1, 1, 0}, {2, 2, 1, 0}, {3, 2, 1, 0}};
    static const uint8_t rc16[4][4] = {{1, 0, 1, 0}, {3, 2, 3, 2}, {1, 0, 1, 0}, {3, 2, 3, 2}};
    uint8_t mode = f->mod[G_PRMT], bytes[8];
    for (int k = 0; k < 8; k++) bytes[k] = (uint8_t)((k < 4 ? in->x[0] : in->x[1]) >> 8 * (k % 4));
    const uint8_t(*table)[4] = mode == M_F4E   ? f4e
                               : mode == M_B4E ? b4e
                               : mode == M_RC8 ? rc8
                               : mode == M_ECL ? ecl
                               : mode == M_ECR ? ecr
                                               : rc16;
    out->d = 0;
    for (int k = 3; k >= 0; k--) {
        unsigned s = mode ? table[in->x[2] % 4][3 - k] : (unsigned)(in->x[2] >> 4 * k) % 16;
        unsigned byte = bytes[s % 8];
        if (s >= 8) byte = byte >= 128 ? 255 : 0;
        out->d = out->d * 256 + byte;
    }
}
static bool legal_prmt(const Form *f) { return form_only(f, G(PRMT)); }

// All selectors of the generic form, on bytes with and without sign
static void permutations(void **state)
{
    (void)state;
    Opened o;
    assert_int_equal(ptx_open(&o, 90, false, "", ".reg .b32 %d, %a, %b, %c;\nprmt.b32 %d, %a, %b, %c;"), ACCEPTED);
    uint32_t d = reg_find(&o, "%d"), a = reg_find(&o, "%a"), b = reg_find(&o, "%b"), c = reg_find(&o, "%c");
    Form f = {.op = OP_PRMT, .type = TY_B32};
    Frame w, got;
    frame_fill(&o, &w);
    for (int n = 0; n < LANES; n++) reg_put(&o, &w, a, n, 0x817203f4), reg_put(&o, &w, b, n, 0x05e687d6);
    for (uint32_t selectors = 0; selectors < 0x10000; selectors += LANES) {
        for (int n = 0; n < LANES; n++) reg_put(&o, &w, c, n, selectors + (uint32_t)n + (any() & 0xffff0000));
        got = w;
        frame_run(&o, &got, FULL, (int)(selectors / LANES) % build_count());
        for (int n = 0; n < LANES; n++) {
            In in = {.x = {0x817203f4, 0x05e687d6, reg_get(&o, &w, c, n)}};
            Out out;
            ref_prmt(&f, &in, &out);
            assert_int_equal(reg_get(&o, &got, d, n), out.d);
        }
        census.values += LANES;
    }
    ptx_close(&o);
}

// --- selp, slct ------------------------------------------------------------------------------------------------------
static bool legal_selp(const Form *f) { return form_only(f, 0) && is(f, T_WORDS | T_FLT); }
static bool legal_slct(const Form *f)
{
    return form_only(f, G(FTZ)) && is(f, T_WORDS | T_FLT) && (!form_has(f, G_FTZ) || f->type2 == TY_F32);
}
static void ref_select(const Form *f, const In *in, Out *out)
{
    bool first = in->q;
    if (f->op == OP_SLCT) {
        uint32_t c = (uint32_t)in->x[2], e = c >> 23 & 0xff, fraction = c & 0x7fffff;
        bool negative = c >> 31, nan = e == 255 && fraction, zero = !e && (!fraction || form_has(f, G_FTZ));
        first = f->type2 == TY_S32 ? !negative : !nan && (zero || !negative);
    }
    out->d = first ? in->x[0] : in->x[1];
}

// --- cvta, isspacep --------------------------------------------------------------------------------------------------
static uint64_t window(const Form *f)
{
    switch (f->mod[G_SPACE]) {
    case M_SHARED:
    case M_SHARED_CTA:
    case M_SHARED_CLUSTER: return SHARED_WINDOW;
    case M_LOCAL: return LOCAL_WINDOW;
    case M_CONST: return BANK;
    case M_PARAM:
    case M_PARAM_ENTRY: return PARAM_WINDOW;
    default: return 0;
    }
}
static bool legal_space(const Form *f)
{
    return form_has(f, G_SPACE) && f->mod[G_SPACE] != M_PARAM_FUNC && (f->op == OP_ISSPACEP || is(f, T(U32) | T(U64)));
}
static bool missing_cvta(const Form *f) { return f->type == TY_U32; }  // generic addresses have 64 bits
static void ref_cvta(const Form *f, const In *in, Out *out)
{
    out->d = form_has(f, G_TO) ? in->x[0] - window(f) : in->x[0] + window(f);
}
// A generic address is in global memory unless it falls into the window of const, local or shared memory; that of
// kernel parameters is part of global memory (§6.4.1.1, §9.7.9.19). The window of const is the module's bank.
static void ref_isspacep(const Form *f, const In *in, Out *out)
{
    bool in_const = in->x[0] >= BANK && in->x[0] - BANK < BANK_BYTES;
    bool in_local = in->x[0] >= LOCAL_WINDOW && in->x[0] - LOCAL_WINDOW < WINDOW_BYTES;
    bool in_shared = in->x[0] >= SHARED_WINDOW && in->x[0] - SHARED_WINDOW < WINDOW_BYTES;
    bool in_param = in->x[0] >= PARAM_WINDOW && in->x[0] - PARAM_WINDOW < WINDOW_BYTES;
    uint64_t w = window(f);
    out->p = w == BANK            ? in_const
             : w == LOCAL_WINDOW  ? in_local
             : w == SHARED_WINDOW ? in_shared
             : w == PARAM_WINDOW  ? in_param
                                  : !in_const && !in_local && !in_shared;
}
static void windows(void **state)
{
    (void)state;
    static const char *const names[] = {"const",           "local", "shared",       "shared::cta",
                                        "shared::cluster", "param", "param::entry", "global"};
    static const uint8_t mods[] = {M_CONST,          M_LOCAL, M_SHARED,      M_SHARED_CTA,
                                   M_SHARED_CLUSTER, M_PARAM, M_PARAM_ENTRY, M_GLOBAL};
    for (size_t k = 0; k < COUNT(names); k++) {
        Text t = {0};
        text_printf(&t, ".reg .b64 %%a;\n.reg .pred %%p;\nisspacep.%s %%p, %%a;", names[k]);
        Opened o;
        assert_int_equal(ptx_open(&o, 90, false, "", t.v), ACCEPTED);
        uint32_t a = reg_find(&o, "%a"), p = reg_find(&o, "%p");
        Form f = {.op = OP_ISSPACEP};
        f.mod[G_SPACE] = mods[k];
        for (int build = 0; build < build_count(); build++) {
            static const uint64_t bases[] = {0,         GLOBAL_BASE,       SHARED_WINDOW, LOCAL_WINDOW,
                                             BANK,      BANK + BANK_BYTES, PARAM_WINDOW,  PARAM_WINDOW + WINDOW_BYTES,
                                             UINT64_MAX};
            Frame w, got;
            frame_fill(&o, &w);
            for (int n = 0; n < LANES; n++) reg_put(&o, &w, a, n, bases[n / 3 % COUNT(bases)] + (uint64_t)(n % 3) - 1);
            got = w;
            frame_run(&o, &got, FULL, build);
            for (int n = 0; n < LANES; n++) {
                In in = {.x = {reg_get(&o, &w, a, n)}};
                Out out;
                ref_isspacep(&f, &in, &out);
                if (reg_get(&o, &got, p, n) != out.p)
                    fail_msg("isspacep.%s of %llx is not %d", names[k], (unsigned long long)in.x[0], out.p);
            }
        }
        census.values += LANES;
        text_free(&t);
        ptx_close(&o);
    }
}

// --- mov -------------------------------------------------------------------------------------------------------------
static bool legal_mov(const Form *f) { return form_only(f, 0) && is(f, T(PRED) | T_WORDS | T_FLT); }
static void ref_mov(const Form *f, const In *in, Out *out) { (void)f, out->d = in->x[0]; }

typedef struct Pack {
    int bits, count;
} Pack;
static const Pack packs[] = {{16, 2}, {32, 2}, {32, 4}, {64, 2}, {64, 4}};

// mov d, {…} and mov {…}, a, with constants, sinks, and a register twice
static void pack(const Pack *p, int shape)
{
    int each = p->bits / p->count;
    Text t = {0};
    text_printf(&t, ".reg .b%d %%e<4>, %%f<4>;\n.reg .b%d %%w;\n", each, p->bits);
    text_printf(&t, "mov.b%d %%w, {", p->bits);
    for (int k = 0; k < p->count; k++) {
        if (shape == 1 && k == p->count - 1)
            text_printf(&t, "%s%d", k ? ", " : "", -2);
        else
            text_printf(&t, "%s%%e%d", k ? ", " : "", shape == 2 ? 0 : k);
    }
    text_printf(&t, "};\nmov.b%d {", p->bits);
    for (int k = 0; k < p->count; k++) {
        if (shape == 1 && k == 0)
            text_put(&t, "_");
        else
            text_printf(&t, "%s%%f%d", k ? ", " : "", k);
    }
    text_put(&t, "}, %w;");
    Opened o;
    if (ptx_open(&o, 90, false, "", t.v) != ACCEPTED) fail_msg("%s", o.diag.text.v);
    uint32_t e[4], f[4], w = reg_find(&o, "%w");
    for (int k = 0; k < p->count; k++) {
        char name[16];
        snprintf(name, sizeof name, "%%e%d", k);
        if ((shape != 1 || k < p->count - 1) && (shape != 2 || k == 0)) e[k] = reg_find(&o, name);
        snprintf(name, sizeof name, "%%f%d", k);
        if (shape != 1 || k) f[k] = reg_find(&o, name);
    }
    for (unsigned round = 0; round < 40; round++) {
        Frame before, want, got;
        uint32_t mask = some_mask(round);
        frame_fill(&o, &before);
        want = before;
        for (int n = 0; n < LANES; n++) {
            if (!(mask >> n & 1)) continue;
            uint8_t bytes[8] = {0};
            for (int k = 0; k < p->count; k++) {
                uint64_t x =
                    shape == 1 && k == p->count - 1 ? (uint64_t)-2 : reg_get(&o, &before, e[shape == 2 ? 0 : k], n);
                memcpy(bytes + k * each / 8, &x, (size_t)each / 8);
            }
            uint64_t whole;
            memcpy(&whole, bytes, 8);
            reg_put(&o, &want, w, n, whole);
            for (int k = shape == 1; k < p->count; k++) {
                uint64_t x = 0;
                memcpy(&x, bytes + k * each / 8, (size_t)each / 8);
                reg_put(&o, &want, f[k], n, x);
            }
        }
        census.values += (uint64_t)__builtin_popcount(mask) * 2;
        for (int build = 0; build < build_count(); build++) {
            got = before;
            frame_run(&o, &got, mask, build);
            if (!frame_same(&o, &want, &got)) fail_msg("%s: build %s is wrong", t.v, build_name(build));
        }
    }
    ptx_close(&o);
    text_free(&t);
}

// .b128 from two and from four registers, copied, and back, with a sink
static void wide_moves(void **state)
{
    (void)state;
    Opened o;
    Verdict v = ptx_open(
        &o, 90, false, "",
        ".reg .b64 %x<4>;\n.reg .b32 %w<9>;\n.reg .b128 %q<4>;\nmov.b128 %q0, {%x0, %x1};\nmov.b128 %q1, %q0;\n"
        "mov.b128 {%w4, %w5, %w6, %w7}, %q1;\nmov.b128 %q2, {%w0, %w1, %w2, 77};\nmov.b128 {_, %x3}, %q2;\nmov.b128 "
        "{%x2, _}, %q2;");
    if (v != ACCEPTED) fail_msg("%s", o.diag.text.v);
    uint32_t x[4], w[8];
    for (int k = 0; k < 8; k++) {
        char name[8];
        if (k < 4) snprintf(name, sizeof name, "%%x%d", k), x[k] = reg_find(&o, name);
        snprintf(name, sizeof name, "%%w%d", k);
        if (k != 3) w[k] = reg_find(&o, name);
    }
    for (unsigned round = 0; round < 40; round++) {
        Frame before;
        uint32_t mask = some_mask(round);
        frame_fill(&o, &before);
        for (int build = 0; build < build_count(); build++) {
            Frame got = before;
            frame_run(&o, &got, mask, build);
            for (int n = 0; n < LANES; n++) {
                bool in = mask >> n & 1;
                uint64_t low = reg_get(&o, &before, x[0], n), high = reg_get(&o, &before, x[1], n);
                for (int k = 0; k < 4; k++) {
                    uint64_t want = (k < 2 ? low : high) >> (k & 1) * 32 & 0xffffffff;
                    assert_int_equal(reg_get(&o, &got, w[4 + k], n), in ? want : reg_get(&o, &before, w[4 + k], n));
                }
                low = reg_get(&o, &before, w[0], n) | reg_get(&o, &before, w[1], n) << 32;
                high = reg_get(&o, &before, w[2], n) | 77ull << 32;
                assert_true(reg_get(&o, &got, x[2], n) == (in ? low : reg_get(&o, &before, x[2], n)));
                assert_true(reg_get(&o, &got, x[3], n) == (in ? high : reg_get(&o, &before, x[3], n)));
            }
        }
    }
    ptx_close(&o);
    census.tested += 5;
    static const char *const refused[] = {"ld.global.b64 %q0, [%x0];", "st.global.b128 [%x0], 1;",
                                          "cvt.u64.u32 %q0, %w0;", "mov.b128 %q0, 1;"};
    for (size_t k = 0; k < COUNT(refused); k++) {
        Text t = {0};
        text_printf(&t, ".reg .b64 %%x<4>;\n.reg .b32 %%w<9>;\n.reg .b128 %%q<4>;\n%s", refused[k]);
        v = ptx_open(&o, 90, false, "", t.v);
        if (v != REFUSED) print_error("%s is %s\n", refused[k], v == ACCEPTED ? "accepted" : "illegal"), census.wrong++;
        text_free(&t);
        ptx_close(&o);
    }
}

static void vectors(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(packs); k++)
        for (int shape = 0; shape < 3; shape++) pack(&packs[k], shape);
    census.tested += 2 * (int)COUNT(packs);
    static const char *const wrong[] = {// not in the ISA
                                        "mov.b32 %w, {%h0, %h1, %h2};",    "mov.b64 %x, {%h0, %h1};",
                                        "mov.b32 {%w, %w}, %x;",           "mov.pred %p, {%q, %q};",
                                        "mov.b32 {%h0, %h1}, {%h2, %h3};", "mov.u32 %w, {%h0, %h1};",
                                        "mov.f32 {%h0, %h1}, %w;",         "mov.b16 %h0, {%h1, %h2};"};
    for (size_t k = 0; k < COUNT(wrong); k++) {
        Opened o;
        Text t = {0};
        text_printf(&t, ".reg .b16 %%h<4>;\n.reg .b32 %%w;\n.reg .b64 %%x;\n.reg .pred %%p, %%q;\n%s", wrong[k]);
        if (ptx_open(&o, 90, false, "", t.v) == ACCEPTED) print_error("%s is accepted\n", wrong[k]), census.wrong++;
        text_free(&t);
        ptx_close(&o);
    }
}

// The address of a variable, in its space and generic
static void addresses(void **state)
{
    (void)state;
    Opened o;
    Verdict v = ptx_open(&o, 90, false,
                         ".global .align 16 .b8 g[64];\n.shared .align 16 .b8 s[64];\n.const .align 4 .b8 c[64];\n",
                         ".reg .b64 %r<7>;\n.reg .b32 %w;\nmov.u64 %r0, g;\nmov.b64 %r1, g+12;\nmov.u64 %r2, "
                         "s+8;\ncvta.shared.u64 %r3, s;\nmov.u32 %w, s;\n"
                         "cvta.to.shared.u64 %r4, %r3;\ncvta.global.u64 %r5, g;\ncvta.const.u64 %r6, c;");
    if (v != ACCEPTED) fail_msg("%s", o.diag.text.v);
    Frame w;
    frame_fill(&o, &w);
    frame_run(&o, &w, FULL, 0);
    uint64_t r[7];
    for (int k = 0; k < 7; k++) {
        char name[16];
        snprintf(name, sizeof name, "%%r%d", k), r[k] = reg_get(&o, &w, reg_find(&o, name), 17);
    }
    assert_int_equal(r[1], r[0] + 12);
    assert_int_equal(r[2], 8);
    assert_int_equal(r[3], SHARED_WINDOW);
    assert_int_equal(r[4], 0);
    assert_int_equal(r[5], r[0]);
    assert_int_equal(r[6], BANK + ptx_find(o.module, "c")->address);
    assert_int_equal(reg_get(&o, &w, reg_find(&o, "%w"), 17), 0);
    ptx_close(&o);
}

// --- the rules -------------------------------------------------------------------------------------------------------
static const Rule rules[] = {
    {OP_AND, "daa", legal_plain, NULL, ref_logic},        {OP_OR, "daa", legal_plain, NULL, ref_logic},
    {OP_XOR, "daa", legal_plain, NULL, ref_logic},        {OP_NOT, "da", legal_plain, NULL, ref_logic},
    {OP_CNOT, "da", legal_plain, NULL, ref_logic},        {OP_SHL, "dan", legal_plain, NULL, ref_shift},
    {OP_SHR, "dan", legal_shr, NULL, ref_shift},          {OP_SHF, "duun", legal_shf, NULL, ref_funnel},
    {OP_PRMT, "duuu", legal_prmt, NULL, ref_prmt},        {OP_SELP, "daaq", legal_selp, NULL, ref_select},
    {OP_SLCT, "daab", legal_slct, NULL, ref_select},      {OP_MOV, "da", legal_mov, NULL, ref_mov},
    {OP_CVTA, "da", legal_space, missing_cvta, ref_cvta}, {OP_ISSPACEP, "pl", legal_space, NULL, ref_isspacep},
};

static void forms(void **state)
{
    (void)state;
    for (size_t k = 0; k < COUNT(rules); k++)
        rule_census(&census, &rules[k], rules[k].op == OP_MOV ? ~T(B128) : 0);  // that one: wide_moves
}

static void nothing_lost(void **state)
{
    (void)state;
    census_print("logic", &census, build_count());
    text_free(&census.missing_text);
    assert_int_equal(census.wrong, 0);
    assert_true(census.tested >= 905);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(forms),      cmocka_unit_test(lop3),         cmocka_unit_test(permutations),
        cmocka_unit_test(windows),    cmocka_unit_test(vectors),      cmocka_unit_test(addresses),
        cmocka_unit_test(wide_moves), cmocka_unit_test(nothing_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
