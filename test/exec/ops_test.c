// ops_test.c: see ops_test.h.
#include "check.h"
#include "ptx/ops.h"
#include "ptx/unit.h"

#include "exec/ops_test.h"

#include <stdlib.h>
#include <string.h>

// --- the builds ------------------------------------------------------------------------------------------------------
typedef ExecFn *PickFn(const Inst *i);
typedef struct Build {
    const char *name;
    PickFn *ints, *logic, *compare, *floats, *sfu, *half, *cvt, *video, *tensor;
    MultiplyFn *(*multiply)(const Inst *i);
} Build;
#define DECLARE(isa)                                                                                                \
    PickFn pick_int_##isa, pick_logic_##isa, pick_compare_##isa, pick_float_##isa, pick_sfu_##isa, pick_half_##isa, \
        pick_cvt_##isa, pick_video_##isa, pick_tensor_##isa;                                                        \
    MultiplyFn *pick_multiply_##isa(const Inst *i);
#define BUILD(isa)                                                                                                     \
    {                                                                                                                  \
#isa, pick_int_##isa, pick_logic_##isa, pick_compare_##isa, pick_float_##isa, pick_sfu_##isa, pick_half_##isa, \
            pick_cvt_##isa, pick_video_##isa, pick_tensor_##isa, pick_multiply_##isa                                   \
    }
#ifdef __x86_64__
DECLARE(sse2)
DECLARE(avx2)
DECLARE(avx512)
static const Build all_builds[] = {BUILD(sse2), BUILD(avx2), BUILD(avx512)};
int build_count(void)
{
    if (!__builtin_cpu_supports("avx2") || !__builtin_cpu_supports("fma") || !__builtin_cpu_supports("bmi2")) return 1;
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
                   __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw")
               ? 3
               : 2;
}
#else
DECLARE(generic)
static const Build all_builds[] = {BUILD(generic)};
int build_count(void) { return 1; }
#endif
const char *build_name(int b) { return all_builds[b].name; }

MultiplyFn *build_multiply(int b, const Inst *i) { return all_builds[b].multiply(i); }

ExecFn *build_pick(int b, const Inst *i)
{
    const Build *build = &all_builds[b];
    if (i->op == OP_CVT || i->op == OP_CVT_PACK) return build->cvt(i);
    if (op_has(i->op, P_VIDEO)) return build->video(i);
    if (op_has(i->op, P_FOUR)) return build->tensor(i);
    Kind kind = type_info[i->type].kind;
    bool integer = kind == K_UINT || kind == K_SINT || kind == K_BITS;
    bool half = kind == K_FLOAT && i->type != TY_F32 && i->type != TY_F64;
    ExecFn *fn = integer ? build->ints(i) : NULL;
    if (!fn && half) fn = build->half(i);
    if (!fn && !integer) fn = build->sfu(i);
    if (!fn && !integer && !half) fn = build->floats(i);
    if (!fn) fn = build->compare(i);
    return fn ? fn : build->logic(i);
}

// --- values ----------------------------------------------------------------------------------------------------------
static uint64_t seed = 0x9e3779b97f4a7c15ull;
uint64_t any(void)
{
    seed ^= seed << 13, seed ^= seed >> 7, seed ^= seed << 17;
    return seed * 0x2545f4914f6cdd1dull;
}
uint64_t low_bits(uint64_t x, int bits) { return bits >= 64 ? x : x & ((1ull << bits) - 1); }
int64_t sign_extended(uint64_t x, int bits)
{
    x = low_bits(x, bits);
    if (bits < 64 && x >> (bits - 1) & 1)
        for (int k = bits; k < 64; k++) x |= 1ull << k;
    return (int64_t)x;
}

void value_add(Values *v, uint64_t x)
{
    for (int k = 0; k < v->n; k++)
        if (v->v[k] == x) return;
    if (v->n < (int)COUNT(v->v)) v->v[v->n++] = x;
}

typedef struct Layout {
    int bits, mantissa, bias;
} Layout;
static Layout layout(Type t)
{
    switch (t) {
    case TY_F16: return (Layout){16, 10, 15};
    case TY_BF16: return (Layout){16, 7, 127};
    case TY_F32: return (Layout){32, 23, 127};
    default: return (Layout){64, 52, 1023};
    }
}

static void float_edges(Values *v, Type t)
{
    Layout f = layout(t);
    uint64_t one = 1ull << f.mantissa, top = (uint64_t)(2 * f.bias + 1) * one, sign = 1ull << (f.bits - 1);
    const uint64_t edges[] = {0,
                              1,
                              2,
                              one / 2,
                              one - 1,
                              one,
                              one + 1,
                              2 * one,
                              (uint64_t)f.bias * one - 1,
                              (uint64_t)f.bias * one,
                              (uint64_t)f.bias * one + 1,
                              (uint64_t)(f.bias + 1) * one,
                              top - 1,
                              top,
                              top + 1,
                              top + one / 2,
                              top + one - 1};
    for (size_t k = 0; k < COUNT(edges); k++) value_add(v, edges[k]), value_add(v, edges[k] | sign);
}

void value_edges(Values *v, Type t)
{
    int bits = type_info[t].bits;
    if (t == TY_F16X2 || t == TY_BF16X2) {  // every edge in the low half, some with another above
        Values half = {.n = 0};
        float_edges(&half, t == TY_F16X2 ? TY_F16 : TY_BF16);
        for (int k = 0; k < half.n; k++) value_add(v, half.v[k] | half.v[(7 * k + 3) % half.n] << 16);
        return;
    }
    if (type_info[t].kind == K_FLOAT) {
        float_edges(v, t);
        return;
    }
    if (bits == 1) {
        value_add(v, 0), value_add(v, 1);
        return;
    }
    const uint64_t edges[] = {0,
                              1,
                              2,
                              3,
                              7,
                              0x55,
                              0x7f,
                              0x80,
                              0xff,
                              0x100,
                              0x7fff,
                              0x8000,
                              0xffff,
                              0x10000,
                              0x7fffff,
                              0x800000,
                              0xffffff,
                              0x1000000,
                              0x7fffffff,
                              0x80000000,
                              0xffffffff,
                              0x100000000,
                              0x7fffffffffffffff,
                              0x8000000000000000,
                              0x5555555555555555,
                              0x8080808080808080,
                              0x7fff7fff80008000,
                              0x0123456789abcdef};
    for (size_t k = 0; k < COUNT(edges); k++) {
        value_add(v, low_bits(edges[k], bits));
        value_add(v, low_bits(k & 1 ? ~edges[k] : 0 - edges[k], bits));
    }
}

void value_amounts(Values *v)
{
    static const uint32_t edges[] = {
        0,   1,   2,   7,   8,       9,        15,         16,         17,         23,         24,         30,
        31,  32,  33,  47,  48,      62,       63,         64,         65,         127,        128,        255,
        256, 257, 288, 320, 0x10000, 0x10001f, 0x7fffffff, 0x80000000, 0x80000001, 0xffffffe0, 0xfffffffe, 0xffffffff};
    for (size_t k = 0; k < COUNT(edges); k++) value_add(v, edges[k]);
}

uint64_t value_any(Type t)
{
    int bits = type_info[t].bits;
    uint64_t r = any(), x = any();
    if (type_info[t].kind != K_FLOAT && r & 1) {  // of any length
        x >>= r >> 8 & 63;
        if (r & 2) x = 0 - x;
    }
    return low_bits(x, bits);
}

// --- one instruction -------------------------------------------------------------------------------------------------
Verdict ptx_open(Opened *o, int sm, bool lower, const char *head, const char *body)
{
    *o = (Opened){0};
    Text t = {0};
    bool special = sm >= 100;  // what came with it, some of it for sm_100a alone
    text_printf(&t, ".version %s\n.target sm_%d%s\n.address_size 64\n%s\n.visible .entry test()\n{\n%s\nret;\n}\n",
                special ? "8.8" : "8.0", sm, special ? "a" : "", head, body);
    o->module = ptx_parse(t.v, t.n, "test.ptx", &o->diag);
    text_free(&t);
    if (!o->module) return ILLEGAL;
    const Function *f = NULL;
    for (size_t k = 0; k < o->module->functions.n; k++)
        if (o->module->functions.v[k]->entry) f = o->module->functions.v[k];
    o->image = (Image){.module = o->module, .lower = lower, .const_base = BANK, .const_bytes = BANK_BYTES};
    o->kernel = exec_decode(&o->image, f, &o->diag);
    if (!o->kernel) return REFUSED;
    o->code = o->kernel->code;
    o->f = o->code->f;
    assert_true(o->code->rows <= FRAME_ROWS && o->code->preds <= FRAME_PREDS);
    return ACCEPTED;
}

void ptx_close(Opened *o)
{
    if (o->kernel) o->kernel->image = &o->image;  // it may have been copied since
    exec_kernel_free(o->kernel);
    if (o->module) ptx_free(o->module);
    diag_free(&o->diag);
}

uint32_t reg_find(const Opened *o, const char *name)
{
    for (size_t r = 0; r < o->f->regs.n; r++)
        if (!strcmp(o->f->regs.v[r].name, name)) return (uint32_t)r;
    fail_msg("there is no register %s", name);
    return 0;
}

static int reg_bits(const Opened *o, uint32_t reg) { return type_info[o->f->regs.v[reg].type].bits; }

void reg_put(const Opened *o, Frame *w, uint32_t reg, int lane, uint64_t x)
{
    uint32_t slot = o->code->alloc->place[reg], narrow = (uint32_t)low_bits(x, reg_bits(o, reg));
    if (slot == NO_REG) return;
    if (reg_bits(o, reg) == 1) {
        uint32_t bit = 1u << lane, *p = &w->pred[slot + PRED_FIRST];
        *p = x & 1 ? *p | bit : *p & ~bit;
    } else if (reg_bits(o, reg) == 64) {
        memcpy(w->rows + slot * ROW_BYTES + 8 * lane, &x, 8);
    } else {
        memcpy(w->rows + slot * ROW_BYTES + 4 * lane, &narrow, 4);
    }
}

uint64_t reg_get(const Opened *o, const Frame *w, uint32_t reg, int lane)
{
    uint32_t slot = o->code->alloc->place[reg], narrow;
    uint64_t x;
    if (reg_bits(o, reg) == 1) return w->pred[slot + PRED_FIRST] >> lane & 1;
    memcpy(&x, w->rows + slot * ROW_BYTES + 8 * lane, 8);
    memcpy(&narrow, w->rows + slot * ROW_BYTES + 4 * lane, 4);
    return reg_bits(o, reg) == 64 ? x : narrow;
}

void frame_fill(const Opened *o, Frame *w)
{
    for (size_t k = 0; k < sizeof w->rows; k += 8) {
        uint64_t x = any();
        memcpy(w->rows + k, &x, 8);
    }
    for (int k = 0; k < FRAME_PREDS; k++) w->pred[k] = (uint32_t)any();
    w->pred[PRED_TRUE] = FULL;
    w->cc = (uint32_t)any();
    for (uint32_t r = 0; r < o->f->regs.n; r++)
        for (int n = 0; n < LANES && reg_bits(o, r) > 1 && reg_bits(o, r) < 32; n++) reg_put(o, w, r, n, any());
}

Lanes frame_lanes(const Opened *o, Frame *w)
{
    return (Lanes){.bank = {w->rows, o->kernel->consts}, .pred = w->pred, .cc = w->cc};
}

bool frame_same(const Opened *o, const Frame *a, const Frame *b)
{
    if (memcmp(a->rows, b->rows, (o->code->rows - 2) * ROW_BYTES) || a->cc != b->cc) return false;
    for (uint32_t k = 0; k < FRAME_PREDS; k++)
        if (k != PRED_SINK && a->pred[k] != b->pred[k]) return false;
    return !memcmp(a->rows + o->code->rows * ROW_BYTES, b->rows + o->code->rows * ROW_BYTES,
                   sizeof a->rows - o->code->rows * ROW_BYTES);
}

void frame_run(const Opened *o, Frame *w, uint32_t mask, int build)
{
    Lanes l = frame_lanes(o, w);
    for (uint32_t k = 0; k < o->code->n; k++) {
        const Dinst *d = &o->code->insts[k];
        uint32_t lanes = mask & (d->guard_negated ? ~w->pred[d->guard] : w->pred[d->guard]);
        if (d->kind == X_LANES && lanes) build_pick(build, d->inst)(&l, d, lanes);
    }
    w->cc = l.cc;
}

uint32_t some_mask(unsigned k)
{
    static const uint32_t masks[] = {FULL,       1,          0x80000000, 0x7fffffff, 0xfffffffe,
                                     0xaaaaaaaa, 0x0000ffff, 0x00010000, 0xf0f00f0f};
    if (k < COUNT(masks)) return masks[k];
    uint32_t m = (uint32_t)any();
    if (k % 3 == 0) m &= (uint32_t)any();
    return m ? m : 1u << (k & 31);
}

// --- forms -----------------------------------------------------------------------------------------------------------
void form_text(const Form *f, Text *out)
{
    static const uint8_t order[] = {G_RND,     G_APPROX,   G_CMP,  G_BOOL, G_MUL,  G_DIR,  G_OVER, G_TO,
                                    G_SPACE,   G_SHIFTAMT, G_SYNC, G_SHFL, G_VOTE, G_ATOM, G_ABS,  G_NAN,
                                    G_XORSIGN, G_RELU,     G_FTZ,  G_SAT,  G_CC,   G_PRMT};
    text_put(out, op_info[f->op].name);
    for (size_t k = 0; k < COUNT(order); k++) {
        if (f->op == OP_MATCH && order[k] == G_SYNC && form_has(f, G_VOTE))
            text_printf(out, ".%s", mod_info[f->mod[G_VOTE]].name);
        if (f->op == OP_MATCH && order[k] == G_VOTE) continue;
        if (order[k] != G_PRMT && f->mod[order[k]]) text_printf(out, ".%s", mod_info[f->mod[order[k]]].name);
    }
    if (f->type) text_printf(out, ".%s", type_info[f->type].name);
    if (f->type2) text_printf(out, ".%s", type_info[f->type2].name);
    if (form_has(f, G_PRMT)) text_printf(out, ".%s", mod_info[f->mod[G_PRMT]].name);
}

bool form_only(const Form *f, uint64_t groups)
{
    for (int g = 0; g < G_COUNT; g++)
        if (f->mod[g] && !(groups >> g & 1)) return false;
    return true;
}

// --- a form's operands -----------------------------------------------------------------------------------------------
typedef struct Place {
    char letter;
    Type type;  // of the values that it is tried with
    int bits;
    char name;     // of its register; 0: a constant
    bool negated;  // a predicate
    uint64_t constant;
    uint32_t reg;
} Place;
enum { MAX_SOURCES = 5 };
typedef struct Shape {
    Place dst, src[MAX_SOURCES];
    int sources;
    bool typed;  // registers are declared with the instruction's types, not .b…
    bool has_q, q_negated;
    int q_constant;      // -1: a register
    bool first, second;  // p, q of p|q; false: _
    uint32_t p, q, s;
} Shape;

static Type product_type(const Form *f)
{
    if (f->mod[G_MUL] != M_WIDE) return f->type;
    return f->type == TY_U16   ? TY_U32
           : f->type == TY_S16 ? TY_S32
           : f->type == TY_U32 ? TY_U64
           : f->type == TY_S32 ? TY_S64
                               : f->type;
}

static Type letter_type(const Form *f, char letter)
{
    switch (letter) {
    case 'd':
    case 'a': return f->type;
    case 'D':
    case 'A': return product_type(f);
    case 'b': return f->type2 ? f->type2 : f->type;
    case 'l': return TY_B64;
    case 'p':
    case 'P': return TY_PRED;
    default: return TY_B32;
    }
}

static Shape shape_plain(const Rule *r, const Form *f, uint64_t constant)
{
    Shape s = {.q_constant = -1, .first = true, .second = true};
    const char *at = r->operands;
    s.dst = (Place){.letter = *at, .type = letter_type(f, *at), .name = 'd'};
    if (s.dst.letter == 'P' && (f->type == TY_F16 || f->type == TY_BF16))
        s.dst.letter = 'p';  // these have no second one
    s.dst.bits = type_info[s.dst.type].bits;
    for (at++; *at; at++) {
        if (*at == 'q') {
            s.has_q = r->op == OP_SELP || form_has(f, G_BOOL);
            continue;
        }
        Place *p = &s.src[s.sources];
        *p = (Place){.letter = *at, .type = letter_type(f, *at), .name = (char)('a' + s.sources + (s.sources > 2))};
        if (*at == 'i') p->name = 0, p->constant = constant;
        p->bits = type_info[p->type].bits;
        s.sources++;
    }
    return s;
}

static void declare(Text *t, const Shape *s, const Place *p)
{
    Type type = p->type;
    if (type == TY_PRED ||
        (s->typed && type != TY_F16X2 && type != TY_BF16X2 && type != TY_U16X2 && type != TY_S16X2 && type != TY_BF16))
        text_printf(t, ".reg .%s %%%c;\n", type_info[type].name, p->name);
    else
        text_printf(t, ".reg .b%d %%%c;\n", p->bits, p->name);
}

static void put_place(Text *t, const Place *p)
{
    if (p->name)
        text_printf(t, "%s%%%c", p->negated ? "!" : "", p->name);
    else if (p->type == TY_F32)
        text_printf(t, "0f%08x", (unsigned)p->constant);
    else if (p->type == TY_F64)
        text_printf(t, "0d%016llx", (unsigned long long)p->constant);
    else if (type_info[p->type].kind == K_SINT)
        text_printf(t, "%lld", (long long)sign_extended(p->constant, p->bits));
    else if (p->constant & 1)
        text_printf(t, "0x%llx", (unsigned long long)p->constant);
    else
        text_printf(t, "%llu", (unsigned long long)p->constant);
}

static void shape_inst(const Form *f, const Shape *s, Text *t)
{
    form_text(f, t);
    if (s->dst.letter == 'P' || s->dst.letter == 'p') {
        text_printf(t, " %s", s->first ? "%p" : "_");
        if (s->dst.letter == 'P' && (s->second || !s->first)) text_printf(t, "|%s", s->second ? "%q" : "_");
    } else if (s->dst.letter != '-') {
        text_printf(t, " %%%c%s", s->dst.name, s->dst.letter == 'H' ? "|%p" : "");
    }
    for (int k = 0; k < s->sources; k++) {
        text_put(t, ", ");
        put_place(t, &s->src[k]);
    }
    if (s->has_q && s->q_constant >= 0)
        text_printf(t, ", %d", s->q_constant);
    else if (s->has_q)
        text_printf(t, ", %s%%s", s->q_negated ? "!" : "");
    text_put(t, ";");
}

static Verdict shape_open(const Form *f, Shape *s, Opened *o)
{
    Text t = {0};
    text_put(&t, ".reg .pred %p, %q, %s;\n");
    char known[8] = "";
    for (int k = -1; k < s->sources; k++) {
        const Place *p = k < 0 ? &s->dst : &s->src[k];
        if (!p->name || strchr(known, p->name) || strchr("pP-", p->letter)) continue;
        known[strlen(known)] = p->name;
        declare(&t, s, p);
    }
    shape_inst(f, s, &t);
    Verdict v = ptx_open(o, 90, false, "", t.v);
    text_free(&t);
    if (v != ACCEPTED) return v;
    s->p = reg_find(o, "%p"), s->q = reg_find(o, "%q"), s->s = reg_find(o, "%s");
    for (int k = -1; k < s->sources; k++) {
        Place *p = k < 0 ? &s->dst : &s->src[k];
        char name[3] = {'%', p->name};
        if (p->name && !strchr("pP-", p->letter)) p->reg = reg_find(o, name);
    }
    return v;
}

// --- running a form --------------------------------------------------------------------------------------------------
typedef struct Tuples {
    Values of[MAX_SOURCES];
    uint64_t total, next, budget;
} Tuples;

// The next values of the sources: all tuples of edges where they are few enough, else some of them; then random ones.
static void next_tuple(const Shape *s, Tuples *t, uint64_t x[MAX_SOURCES])
{
    uint64_t index = t->next++;
    for (int k = 0; k < s->sources; k++) {
        const Values *v = &t->of[k];
        bool edge = t->total <= t->budget ? index < t->total : any() % 8 != 0;
        bool systematic = t->total <= t->budget && edge;
        if (!v->n) continue;
        x[k] = systematic ? v->v[index % (uint64_t)v->n]
               : edge     ? v->v[any() % (uint64_t)v->n]
                          : value_any(s->src[k].type);
        if (systematic)
            index /= (uint64_t)v->n;
        else
            index = t->total <= t->budget ? UINT64_MAX : index;
    }
}

static void expected(const Rule *r, const Form *f, const Shape *s, const Opened *o, Frame *w, uint32_t mask)
{
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        In in = {.cc = w->cc >> n & 1};
        for (int k = 0; k < s->sources; k++)
            in.x[k] = s->src[k].name ? reg_get(o, w, s->src[k].reg, n) ^ s->src[k].negated : s->src[k].constant;
        in.q = s->q_constant >= 0 ? s->q_constant != 0 : (bool)reg_get(o, w, s->s, n) != s->q_negated;
        Out out = {.p = (bool)reg_get(o, w, s->p, n), .q = (bool)reg_get(o, w, s->q, n), .cc = in.cc};
        r->reference(f, &in, &out);
        if (strchr("dDhH", s->dst.letter)) reg_put(o, w, s->dst.reg, n, out.d);
        if (strchr("pPH", s->dst.letter) && s->first) reg_put(o, w, s->p, n, out.p);
        if (s->dst.letter == 'P' && s->second) reg_put(o, w, s->q, n, out.q);
        w->cc = (w->cc & ~(1u << n)) | (uint32_t)out.cc << n;
    }
}

static void explain(const Form *f, const Shape *s, const Opened *o, const Frame *before, const Frame *want,
                    const Frame *got, uint32_t mask, const char *build)
{
    Text t = {0};
    shape_inst(f, s, &t);
    print_error("%s (%s, mask %08x)\n", t.v, build, mask);
    text_free(&t);
    bool is_pred = strchr("pP", s->dst.letter) != NULL;
    for (int n = 0; n < LANES; n++) {
        uint64_t a = reg_get(o, want, is_pred ? s->p : s->dst.reg, n),
                 b = reg_get(o, got, is_pred ? s->p : s->dst.reg, n);
        uint64_t qa = reg_get(o, want, s->q, n), qb = reg_get(o, got, s->q, n);
        if (a == b && qa == qb && !((want->cc ^ got->cc) >> n & 1)) continue;
        print_error("  lane %d%s: ", n, mask >> n & 1 ? "" : " (not of the mask)");
        for (int k = 0; k < s->sources; k++)
            print_error("%llx, ", (unsigned long long)(s->src[k].name ? reg_get(o, before, s->src[k].reg, n)
                                                                      : s->src[k].constant));
        print_error("s %d, cc %d: %llx q %d cc %d, not %llx q %d cc %d\n", (int)reg_get(o, before, s->s, n),
                    before->cc >> n & 1, (unsigned long long)b, (int)qb, got->cc >> n & 1, (unsigned long long)a,
                    (int)qa, want->cc >> n & 1);
        return;
    }
    print_error("  writes what it mustn't\n");
}

// Runs an accepted shape on many values; false at the first wrong result.
static bool shape_run(Census *c, const Rule *r, const Form *f, Shape *s, const Opened *o, uint64_t budget)
{
    const Dinst *d = &o->code->insts[0];
    ExecFn *fn[MAX_BUILDS];
    assert_int_equal(d->kind, X_LANES);
    assert_int_equal(d->guard, PRED_TRUE);
    for (int b = 0; b < build_count(); b++) {
        fn[b] = build_pick(b, d->inst);
        assert_non_null(fn[b]);
    }
    assert_true(d->fn == fn[build_count() - 1]);
    Tuples t = {.total = 1, .budget = budget};
    for (int k = 0; k < s->sources; k++) {
        if (!s->src[k].name) continue;
        if (s->src[k].letter == 'n')
            value_amounts(&t.of[k]);
        else
            value_edges(&t.of[k], s->src[k].type);
        t.total = t.total > budget ? t.total : t.total * (uint64_t)t.of[k].n;
    }
    uint64_t end = (t.total <= budget ? t.total : budget) + budget / 8;
    for (unsigned batch = 0; t.next < end; batch++) {
        Frame w, want, got;
        frame_fill(o, &w);
        for (int n = 0; n < LANES; n++) {
            uint64_t x[MAX_SOURCES] = {0};
            next_tuple(s, &t, x);
            for (int k = 0; k < s->sources; k++)
                if (s->src[k].name) reg_put(o, &w, s->src[k].reg, n, x[k]);
        }
        for (int pass = 0; pass < 2; pass++) {
            uint32_t mask = pass ? some_mask(1 + batch % 24) : FULL;
            want = w;
            expected(r, f, s, o, &want, mask);
            c->values += (uint64_t)__builtin_popcount(mask);
            for (int b = 0; b < build_count(); b++) {
                got = w;
                Lanes l = frame_lanes(o, &got);
                fn[b](&l, d, mask);
                got.cc = l.cc;
                if (frame_same(o, &want, &got)) continue;
                explain(f, s, o, &w, &want, &got, mask, build_name(b));
                return false;
            }
        }
    }
    return true;
}

// Other ways to write the operands: k counts them. False: there are no more.
static bool shape_vary(const Shape *plain, Shape *s, int k)
{
    *s = *plain;
    int last = s->sources - 1;
    bool writes = s->dst.letter != '-' && s->dst.letter != 'p' && s->dst.letter != 'P';
    switch (k) {
    case 0: s->typed = true, s->q_negated = true; return true;
    case 1:  // the destination is a source too
    case 2: {
        const Place *p = &s->src[k == 1 ? 0 : last];
        if (writes && p->name && p->bits == s->dst.bits && (k == 1 || last))
            s->dst.name = p->name;
        else if (s->dst.letter == 'P')
            s->second = k == 2, s->first = k == 1;
        s->q_negated = k == 1;
        return true;
    }
    case 3:  // one register for all
        for (int n = 1; n < s->sources; n++)
            if (s->src[n].name && s->src[n].bits == s->src[0].bits) s->src[n].name = s->src[0].name;
        s->q_constant = 1;
        return true;
    default:
        k -= 4;
        if (k >= 2 * s->sources) return false;
        Place *p = &s->src[k % s->sources];
        if (!p->name || (type_info[p->type].kind == K_FLOAT && p->type != TY_F32 && p->type != TY_F64)) return true;
        if (p->type == TY_PRED && k < s->sources) {
            p->negated = true;
            return true;
        }
        Values v = {.n = 0};
        if (p->letter == 'n')
            value_amounts(&v);
        else
            value_edges(&v, p->type);
        p->name = 0;
        p->constant = v.v[any() % (uint64_t)v.n];
        s->q_constant = k & 1 ? -1 : 0;
        return true;
    }
}

static void note_form(const Form *f, Shape *s, Verdict v, bool legal)
{
    const char *path = getenv("ONCHIP_FORMS");  // for holding the lists of legal forms against ptxas
    FILE *out = path ? fopen(path, "a") : NULL;
    if (!out) return;
    Text t = {0};
    for (int k = -1; k < s->sources; k++) {
        const Place *p = k < 0 ? &s->dst : &s->src[k];
        if (!p->name || strchr("pP-", p->letter)) continue;
        if (p->bits == 1)
            text_printf(&t, ".reg .pred %%%c;", p->name);
        else
            text_printf(&t, ".reg .b%d %%%c;", p->bits, p->name);
    }
    text_put(&t, ".reg .pred %p,%q,%s;|");
    shape_inst(f, s, &t);
    fprintf(out, "%d|%d|%s\n", legal, v == ACCEPTED, t.v);
    text_free(&t);
    fclose(out);
}

void form_test(Census *c, const Rule *r, const Form *f, int how, uint64_t constant)
{
    Shape plain = shape_plain(r, f, constant), s = plain;
    Opened o;
    Verdict v = shape_open(f, &s, &o);
    bool ok = v == ACCEPTED && shape_run(c, r, f, &s, &o, how & TRY_BRIEFLY ? 384 : 8000);
    if (v != ACCEPTED) print_error("%s\n", o.diag.text.v);
    ptx_close(&o);
    for (int k = 0; ok && how & TRY_SHAPES && shape_vary(&plain, &s, k); k++) {
        v = shape_open(f, &s, &o);
        ok = v == ACCEPTED && shape_run(c, r, f, &s, &o, 320);
        if (v != ACCEPTED) print_error("%s\n", o.diag.text.v);
        ptx_close(&o);
    }
    c->tested++;
    c->wrong += !ok;
}

typedef struct Walk {
    Census *census;
    const Rule *rule;
} Walk;
static void visit(void *user, const Form *f)
{
    Census *c = ((Walk *)user)->census;
    const Rule *r = ((Walk *)user)->rule;
    Shape s = shape_plain(r, f, 0);
    Opened o;
    Verdict v = shape_open(f, &s, &o);
    bool legal = r->legal(f);
    Text t = {0};
    form_text(f, &t);
    note_form(f, &s, v, legal);
    ptx_close(&o);
    if (legal && v == ACCEPTED) {
        int before = c->wrong;
        bool brief = type_info[f->type].kind == K_FLOAT || r->op == OP_SET || r->op == OP_SETP;
        form_test(c, r, f, brief ? TRY_SHAPES | TRY_BRIEFLY : TRY_SHAPES, 0);
        if (c->wrong > before + 20) fail_msg("too many errors");
    } else if (legal) {
        c->missing++;
        text_printf(&c->missing_text, " %s", t.v);
        if (!r->missing || !r->missing(f)) print_error("%s is refused\n", t.v), c->wrong++;
    } else {
        c->outside++;
        if (v == ACCEPTED) print_error("%s isn't in the PTX ISA, and is accepted\n", t.v), c->wrong++;
    }
    text_free(&t);
}

static void each_mod(Form *f, int group, void (*visit)(void *user, const Form *f), void *user)
{
    while (group < G_COUNT && !(op_info[f->op].groups >> group & 1)) group++;
    if (group == G_COUNT) {
        visit(user, f);
        return;
    }
    for (int m = 0; m < M_COUNT; m++) {
        if (m != M_NONE && mod_info[m].group != (Group)group) continue;
        f->mod[group] = (uint8_t)m;
        each_mod(f, group + 1, visit, user);
    }
    f->mod[group] = M_NONE;
}

void form_each(Op op, uint64_t types, void (*visit)(void *user, const Form *f), void *user)
{
    const OpInfo *info = &op_info[op];
    for (int t = 0; t < TY_COUNT; t++) {
        if (info->types ? !(info->types >> t & 1) || (types && !(types >> t & 1)) : t != TY_NONE) continue;
        for (int t2 = 0; t2 < TY_COUNT; t2++) {
            if (info->types2 ? !(info->types2 >> t2 & 1) : t2 != TY_NONE) continue;
            Form f = {.op = op, .type = (Type)t, .type2 = (Type)t2};
            each_mod(&f, 0, visit, user);
        }
    }
}

void rule_census(Census *c, const Rule *r, uint64_t types) { form_each(r->op, types, visit, &(Walk){c, r}); }

void census_print(const char *what, const Census *c, int builds)
{
    print_message("%s: covered %d combinations, %llu values", what, c->tested, (unsigned long long)c->values);
    print_message(builds > 1 ? ", each on %d builds\n" : "\n", builds);
    print_message("%s: %d combinations refused though legal:%.400s%s\n", what, c->missing,
                  c->missing_text.n ? c->missing_text.v : " none", c->missing_text.n > 400 ? " …" : "");
    print_message("%s: %d combinations that aren't PTX refused\n", what, c->outside);
}
