// Instructions that look at other lanes (PTX ISA §9.7.9.6, §9.7.13.9–13, §9.7.13.16): shfl, vote, match, redux,
// activemask, elect: the functions alone on every mode and mask, then whole warps that part and meet.
#include "check.h"
#include "ptx/ops.h"

#include "exec/ops_test.h"

#include <math.h>
#include <string.h>

static Census census;

// --- running ---------------------------------------------------------------------------------------------------------
// Returns how many lanes' results are undefined.
static uint32_t run_across(const Opened *o, Frame *w, uint32_t mask)
{
    Warp warp = {.l = frame_lanes(o, w), .code = (Code *)o->code};
    Env env = {0};
    exec_across(&env, &warp, &o->code->insts[0], mask);
    return (uint32_t)env.undefined.lanes;
}
static void open_one(Opened *o, const char *regs, const char *inst)
{
    Text t = {0};
    text_printf(&t, "%s\n%s", regs, inst);
    if (ptx_open(o, 100, false, "", t.v) != ACCEPTED) fail_msg("%s", o->diag.text.v);
    text_free(&t);
}

// --- shfl ------------------------------------------------------------------------------------------------------------
static const char *const shfl_modes[] = {"up", "down", "bfly", "idx"};

// The lane that this one reads, and whether it is in range: the ISA's pseudo-code, a bit at a time.
static int shfl_source(int mode, int lane, uint32_t b, uint32_t c, bool *in_range)
{
    int max_lane = 0, index = 0;
    for (int k = 0; k < 5; k++) {
        bool segment = c >> (8 + k) & 1, clamp = c >> k & 1, own = lane >> k & 1, value = b >> k & 1;
        max_lane += (segment ? own : clamp) << k;
        index += (segment ? own : value) << k;
    }
    int offset = (int)(b % 32), j = mode == 0   ? lane - offset
                                    : mode == 1 ? lane + offset
                                    : mode == 2 ? lane ^ offset
                                                : index;
    *in_range = mode == 0 ? j >= max_lane : j <= max_lane;
    return *in_range ? j : lane;
}

typedef struct Shfl {
    int mode;
    Opened o;
    uint32_t d, a, b, c, p;
    bool constant_b, constant_c, no_p;
    uint32_t vb, vc;
} Shfl;

// A lane that reads one outside the mask gets 0, and is counted.
static void shfl_check(const Shfl *s, const Frame *w, uint32_t mask)
{
    Frame want = *w, got = *w;
    uint32_t outside = 0;
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        bool in;
        uint32_t b = s->constant_b ? s->vb : (uint32_t)reg_get(&s->o, w, s->b, n),
                 c = s->constant_c ? s->vc : (uint32_t)reg_get(&s->o, w, s->c, n);
        int from = shfl_source(s->mode, n, b, c, &in);
        bool there = mask >> from & 1;
        outside += !there;
        reg_put(&s->o, &want, s->d, n, there ? reg_get(&s->o, w, s->a, from) : 0);
        if (!s->no_p) reg_put(&s->o, &want, s->p, n, in);
    }
    assert_int_equal(run_across(&s->o, &got, mask), outside);
    for (int n = 0; n < LANES; n++) {
        bool in;
        uint32_t b = s->constant_b ? s->vb : (uint32_t)reg_get(&s->o, w, s->b, n),
                 c = s->constant_c ? s->vc : (uint32_t)reg_get(&s->o, w, s->c, n);
        int from = shfl_source(s->mode, n, b, c, &in);
        census.values++;
        if (reg_get(&s->o, &want, s->d, n) == reg_get(&s->o, &got, s->d, n) &&
            reg_get(&s->o, &want, s->p, n) == reg_get(&s->o, &got, s->p, n))
            continue;
        fail_msg("shfl.%s, lane %d of %08x, b %u, c %x: lane %d, %s", shfl_modes[s->mode], n, mask, b, c, from,
                 in ? "in range" : "out of range");
    }
    assert_true(frame_same(&s->o, &want, &got));
}

static void shfl_open(Shfl *s, bool sync, const char *to, const char *b, const char *c, const char *member)
{
    Text t = {0};
    text_printf(&t, "shfl%s.%s.b32 %s, %%a, %s, %s%s%s;", sync ? ".sync" : "", shfl_modes[s->mode], to, b, c,
                sync ? ", " : "", sync ? member : "");
    open_one(&s->o, ".reg .b32 %d, %a, %b, %c, %m;\n.reg .pred %p;\n", t.v);
    text_free(&t);
    s->no_p = !strchr(to, '|');
    const char *d = to[1] == 'd' ? "%d" : to[1] == 'a' ? "%a" : to[1] == 'b' ? "%b" : "%c";
    s->d = reg_find(&s->o, d), s->a = reg_find(&s->o, "%a"), s->b = reg_find(&s->o, "%b"), s->c = reg_find(&s->o, "%c"),
    s->p = reg_find(&s->o, "%p");
}

static void shuffles(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Shfl s = {.mode = mode};
        shfl_open(&s, true, "%d|%p", "%b", "%c", "%m");
        Frame w;
        frame_fill(&s.o, &w);
        // every clamp value with every segment mask; every distance, the same in all lanes, or of their own
        for (uint32_t c = 0; c < 1024; c++) {
            for (uint32_t k = 0; k < 8; k++) {
                for (int n = 0; n < LANES; n++) {
                    reg_put(&s.o, &w, s.b, n, k < 4 ? (c * 4 + k + (k == 3 ? any() << 5 : 0)) : any());
                    reg_put(&s.o, &w, s.c, n, (c & 31) | (c >> 5) << 8 | (k == 6 ? any() & 0xffffe0e0 : 0));
                    if (k == 7) reg_put(&s.o, &w, s.c, n, any());
                }
                shfl_check(&s, &w, some_mask((c + k) % 40));
            }
        }
        for (uint32_t b = 0; b < 32; b++)
            for (uint32_t c = 0; c < 1024; c += 33) {
                for (int n = 0; n < LANES; n++)
                    reg_put(&s.o, &w, s.b, n, b), reg_put(&s.o, &w, s.c, n, (c & 31) | (c >> 5) << 8);
                shfl_check(&s, &w, FULL);
            }
        ptx_close(&s.o);
        // other ways to write it
        static const char *const to[] = {"%d", "%d|_", "%a|%p", "%b|%p", "%c", "%d|%p", "%a"};
        for (size_t k = 0; k < COUNT(to); k++) {
            char b[8], c[8];
            Shfl v = {.mode = mode,
                      .constant_b = k % 3 == 0,
                      .constant_c = k % 4 == 0 || k == 5,
                      .vb = (uint32_t)any() & 31,
                      .vc = (uint32_t)any() & 0x1f1f};
            snprintf(b, sizeof b, "%u", v.vb), snprintf(c, sizeof c, "0x%x", v.vc);
            if (to[k][1] == 'b') v.constant_b = false;
            if (to[k][1] == 'c') v.constant_c = false;
            shfl_open(&v, k % 2, to[k], v.constant_b ? b : "%b", v.constant_c ? c : "%c", k % 3 ? "0xffffffff" : "-1");
            if (!strcmp(to[k], "%d|_")) v.no_p = true;
            for (unsigned round = 0; round < 50; round++) {
                frame_fill(&v.o, &w);
                shfl_check(&v, &w, some_mask(round));
            }
            ptx_close(&v.o);
        }
    }
}

// CUDA's __shfl functions with a width, by their own definition (CUDA C++ Programming Guide, warp shuffle functions)
static void shuffle_widths(void **state)
{
    (void)state;
    for (int mode = 0; mode < 4; mode++) {
        Shfl s = {.mode = mode};
        shfl_open(&s, true, "%d|%p", "%b", "%c", "0xffffffff");
        for (int width = 1; width <= 32; width *= 2)
            for (int delta = 0; delta < 40; delta++) {
                if ((mode == 0 || mode == 1 || mode == 2) && delta >= 32) continue;
                Frame w, got;
                frame_fill(&s.o, &w);
                for (int n = 0; n < LANES; n++)
                    reg_put(&s.o, &w, s.b, n, (uint64_t)delta),
                        reg_put(&s.o, &w, s.c, n, (uint64_t)((32 - width) << 8 | (mode == 0 ? 0 : 31)));
                got = w;
                run_across(&s.o, &got, FULL);
                for (int n = 0; n < LANES; n++) {
                    int group = n / width * width, at = n % width, from = n;
                    if (mode == 0 && at >= delta) from = n - delta;
                    if (mode == 1 && at + delta < width) from = n + delta;
                    if (mode == 2 && (n ^ delta) < group + width) from = n ^ delta;  // earlier groups can be read
                    if (mode == 3) from = group + delta % width;
                    assert_int_equal(reg_get(&s.o, &got, s.d, n), reg_get(&s.o, &w, s.a, from));
                    census.values++;
                }
            }
        ptx_close(&s.o);
    }
}

// --- vote, match, redux, activemask ----------------------------------------------------------------------------------
// The lanes of a mask execute; the others of the membermask have exited.
static void votes(void **state)
{
    (void)state;
    static const char *const modes[] = {"all", "any", "uni", "ballot"};
    for (int mode = 0; mode < 4; mode++)
        for (int form = 0; form < 8; form++) {
            bool sync = form & 1, negated = form & 2;
            int constant = form >= 6 ? form - 6 : -1;
            Text t = {0};
            text_printf(&t, "vote%s.%s.%s %s, ", sync ? ".sync" : "", modes[mode], mode == 3 ? "b32" : "pred",
                        mode == 3 ? "%d" : "%p");
            if (constant >= 0)
                text_printf(&t, "%d", constant);
            else
                text_printf(&t, "%s%%s", negated ? "!" : "");
            text_printf(&t, "%s;", sync ? form & 4 ? ", 0xffffffff" : ", %m" : "");
            Opened o;
            open_one(&o, ".reg .b32 %d, %m;\n.reg .pred %p, %s;\n", t.v);
            uint32_t d = reg_find(&o, "%d"), m = reg_find(&o, "%m"), p = reg_find(&o, "%p"), q = reg_find(&o, "%s");
            for (unsigned round = 0; round < 400; round++) {
                Frame w, want, got;
                uint32_t mask = some_mask(round % 60), source = round % 4 == 0   ? FULL
                                                                : round % 4 == 1 ? 0
                                                                                 : (uint32_t)any();
                frame_fill(&o, &w);
                if (round % 4 == 2) source = round % 8 == 2 ? mask : ~mask;  // what the others have doesn't count
                uint32_t member = mask | (round % 3 ? (uint32_t)any() : FULL);
                for (int n = 0; n < LANES; n++) reg_put(&o, &w, m, n, member), reg_put(&o, &w, q, n, source >> n & 1);
                uint32_t ballot = 0;
                int yes = 0, no = 0;
                for (int n = 0; n < LANES; n++) {
                    if (!(mask >> n & 1)) continue;
                    bool v = constant >= 0 ? constant : (source >> n & 1) != negated;
                    if (v)
                        yes++, ballot += 1u << n;
                    else
                        no++;
                }
                bool result = mode == 0 ? !no : mode == 1 ? yes > 0 : !yes || !no;
                want = w;
                for (int n = 0; n < LANES; n++) {
                    if (!(mask >> n & 1)) continue;
                    if (mode == 3)
                        reg_put(&o, &want, d, n, ballot);
                    else
                        reg_put(&o, &want, p, n, result);
                    census.values++;
                }
                got = w;
                run_across(&o, &got, mask);
                if (!frame_same(&o, &want, &got)) fail_msg("%s mask %08x source %08x", t.v, mask, source);
            }
            ptx_close(&o);
            text_free(&t);
        }
}

static void matches(void **state)
{
    (void)state;
    for (int form = 0; form < 6; form++) {
        bool all = form >= 2, with_p = form >= 4, wide = form & 1;
        Text t = {0}, regs = {0};
        text_printf(&t, "match.%s.sync.b%d %%d%s, %%a, %%m;", all ? "all" : "any", wide ? 64 : 32, with_p ? "|%p" : "");
        text_printf(&regs, ".reg .b32 %%d, %%m;\n.reg .b%d %%a;\n.reg .pred %%p;\n", wide ? 64 : 32);
        Opened o;
        open_one(&o, regs.v, t.v);
        uint32_t d = reg_find(&o, "%d"), m = reg_find(&o, "%m"), a = reg_find(&o, "%a"), p = reg_find(&o, "%p");
        for (unsigned round = 0; round < 600; round++) {
            Frame w, want, got;
            uint32_t mask = some_mask(round % 60), member = mask | (round % 3 ? (uint32_t)any() : FULL);
            uint64_t values[4] = {any(), any(), 0, 0};
            values[2] = values[0] ^ 1ull << 40, values[3] = values[0] ^ 1;  // equal in 32 bits; nearly equal
            frame_fill(&o, &w);
            for (int n = 0; n < LANES; n++) {
                reg_put(&o, &w, m, n, member);
                reg_put(&o, &w, a, n, round % 5 == 0 && mask >> n & 1 ? values[0] : values[any() % (round % 4 + 1)]);
            }
            want = w;
            for (int n = 0; n < LANES; n++) {
                if (!(mask >> n & 1)) continue;
                uint32_t same = 0;
                for (int k = 0; k < LANES; k++)
                    if (mask >> k & 1 && reg_get(&o, &w, a, k) == reg_get(&o, &w, a, n)) same += 1u << k;
                if (all) same = same == mask ? mask : 0;
                reg_put(&o, &want, d, n, same);
                if (with_p) reg_put(&o, &want, p, n, same != 0);
                census.values++;
            }
            got = w;
            run_across(&o, &got, mask);
            if (!frame_same(&o, &want, &got)) fail_msg("%s mask %08x", t.v, mask);
        }
        ptx_close(&o);
        text_free(&t), text_free(&regs);
    }
}

static void reductions(void **state)
{
    (void)state;
    static const char *const forms[] = {"add.u32", "add.s32", "min.u32", "min.s32", "max.u32",
                                        "max.s32", "and.b32", "or.b32",  "xor.b32"};
    for (size_t form = 0; form < COUNT(forms); form++) {
        Text t = {0};
        text_printf(&t, "redux.sync.%s %%d, %s, %%m;", forms[form], form % 2 ? "%a" : "%d");
        Opened o;
        open_one(&o, ".reg .b32 %d, %a, %m;\n", t.v);
        uint32_t d = reg_find(&o, "%d"), m = reg_find(&o, "%m"), a = form % 2 ? reg_find(&o, "%a") : d;
        Values edges = {.n = 0};
        value_edges(&edges, TY_U32);
        for (unsigned round = 0; round < 600; round++) {
            Frame w, want, got;
            uint32_t mask = some_mask(round % 60), member = mask | (round % 3 ? (uint32_t)any() : FULL), bits = 0;
            frame_fill(&o, &w);
            for (int n = 0; n < LANES; n++) {
                reg_put(&o, &w, m, n, member);
                reg_put(&o, &w, a, n,
                        round % 2   ? edges.v[any() % (uint64_t)edges.n]
                        : round % 4 ? any() | any() | any()
                                    : any() & any() & any());
            }
            int64_t sum = 0, least = INT64_MAX, most = INT64_MIN;
            int ones[32] = {0}, lanes = 0;
            for (int n = 0; n < LANES; n++) {
                if (!(mask >> n & 1)) continue;
                uint64_t raw = reg_get(&o, &w, a, n);
                int64_t v = forms[form][4] == 's' ? sign_extended(raw, 32) : (int64_t)raw;
                sum += v, lanes++;
                least = v < least ? v : least, most = v > most ? v : most;
                for (int k = 0; k < 32; k++) ones[k] += raw >> k & 1;
            }
            for (int k = 0; k < 32; k++)
                bits |= (uint32_t)(form == 6 ? ones[k] == lanes : form == 7 ? ones[k] > 0 : ones[k] & 1) << k;
            uint64_t result = form < 2 ? (uint64_t)sum : form < 4 ? (uint64_t)least : form < 6 ? (uint64_t)most : bits;
            want = w;
            for (int n = 0; n < LANES; n++)
                if (mask >> n & 1) reg_put(&o, &want, d, n, result), census.values++;
            got = w;
            run_across(&o, &got, mask);
            if (!frame_same(&o, &want, &got)) fail_msg("%s mask %08x", t.v, mask);
        }
        ptx_close(&o);
        text_free(&t);
    }
}

// redux of .f32 (§9.7.13.13), by its text: NaNs count with .NaN alone, of zeros the negative one is less, and what
// comes of NaNs is 0x7fffffff. The reference goes through the lanes from the last on, and compares as floats.
static uint32_t float_extreme(const uint32_t *a, uint32_t mask, bool most, bool absolute, bool nan)
{
    bool found = false, nans = false;
    float best = 0;
    for (int n = LANES; n-- > 0;) {
        if (!(mask >> n & 1)) continue;
        uint32_t bits = absolute ? a[n] & 0x7fffffffu : a[n];
        float v;
        memcpy(&v, &bits, 4);
        if (isnan(v)) {
            nans = true;
            continue;
        }
        bool less = v < best || (v == best && signbit(v) && !signbit(best));
        bool same = v == best && !signbit(v) == !signbit(best);
        if (!found || (!same && less != most)) best = v;
        found = true;
    }
    uint32_t r;
    memcpy(&r, &best, 4);
    return !found || (nan && nans) ? 0x7fffffffu : r;
}

static void float_reductions(void **state)
{
    (void)state;
    static const uint32_t some[] = {0,           0x80000000u, 1,           0x80000001u, 0x7f800000u,
                                    0xff800000u, 0x3f800000u, 0xbf800000u, 0x7fc00000u, 0xffc00001u,
                                    0x7f7fffffu, 0xff7fffffu, 0x7f800001u};
    for (int form = 0; form < 8; form++) {
        bool most = form & 1, absolute = form & 2, nan = form & 4;
        Text t = {0};
        text_printf(&t, "redux.sync.%s%s%s.f32 %%d, %%a, %%m;", most ? "max" : "min", absolute ? ".abs" : "",
                    nan ? ".NaN" : "");
        Opened o;
        open_one(&o, ".reg .f32 %d, %a;\n.reg .b32 %m;\n", t.v);
        uint32_t d = reg_find(&o, "%d"), m = reg_find(&o, "%m"), a = reg_find(&o, "%a");
        for (unsigned round = 0; round < 600; round++) {
            Frame w, want, got;
            uint32_t mask = some_mask(round % 60), member = mask | (round % 3 ? (uint32_t)any() : FULL);
            uint32_t v[LANES];
            frame_fill(&o, &w);
            for (int n = 0; n < LANES; n++) {  // often few different ones; in some rounds no NaN
                v[n] = round % 4 ? some[any() % (round % 4 == 1   ? 2
                                                 : round % 4 == 2 ? 8
                                                                  : COUNT(some))]
                                 : (uint32_t)any();
                reg_put(&o, &w, m, n, member), reg_put(&o, &w, a, n, v[n]);
            }
            want = w;
            for (int n = 0; n < LANES; n++)
                if (mask >> n & 1)
                    reg_put(&o, &want, d, n, float_extreme(v, mask, most, absolute, nan)), census.values++;
            got = w;
            run_across(&o, &got, mask);
            if (!frame_same(&o, &want, &got)) fail_msg("%s mask %08x", t.v, mask);
        }
        ptx_close(&o);
        text_free(&t);
    }
}

static void active(void **state)
{
    (void)state;
    Opened o;
    open_one(&o, ".reg .b32 %d;\n", "activemask.b32 %d;");
    for (unsigned round = 0; round < 100; round++) {
        Frame w, want, got;
        uint32_t mask = some_mask(round);
        frame_fill(&o, &w);
        want = got = w;
        for (int n = 0; n < LANES; n++)
            if (mask >> n & 1) reg_put(&o, &want, reg_find(&o, "%d"), n, mask), census.values++;
        assert_int_equal(run_across(&o, &got, mask), 0);
        assert_true(frame_same(&o, &want, &got));
    }
    ptx_close(&o);
}

// One lane of each membermask is the leader, always the same; all are told its number, it alone the predicate.
static void leaders(void **state)
{
    (void)state;
    for (int sink = 0; sink < 2; sink++) {
        Opened o;
        open_one(&o, ".reg .b32 %d, %m;\n.reg .pred %p;\n", sink ? "elect.sync _|%p, %m;" : "elect.sync %d|%p, %m;");
        uint32_t m = reg_find(&o, "%m"), p = reg_find(&o, "%p"), d = sink ? 0 : reg_find(&o, "%d");
        for (unsigned round = 0; round < 200; round++) {
            Frame w, got, again;
            uint32_t mask = some_mask(round), halves[2] = {mask & 0x0ff0f00f, mask & ~0x0ff0f00fu};
            frame_fill(&o, &w);
            for (int n = 0; n < LANES; n++) reg_put(&o, &w, m, n, round & 1 ? halves[!(halves[0] >> n & 1)] : mask);
            got = again = w;
            run_across(&o, &got, mask);
            run_across(&o, &again, mask);
            assert_true(frame_same(&o, &got, &again));
            for (int h = 0; h < 2; h++) {
                uint32_t group = round & 1 ? halves[h] : h ? 0 : mask, chosen = 0;
                for (int n = 0; n < LANES; n++)
                    if (group >> n & 1 && reg_get(&o, &got, p, n)) chosen |= 1u << n;
                if (!group) continue;
                assert_true(chosen && !(chosen & (chosen - 1)));
                for (int n = 0; n < LANES && !sink; n++)
                    if (group >> n & 1) assert_int_equal(1u << reg_get(&o, &got, d, n), chosen);
                census.values++;
            }
            for (int n = 0; n < LANES; n++) {
                if (mask >> n & 1) continue;
                assert_int_equal(reg_get(&o, &got, p, n), reg_get(&o, &w, p, n));
                if (!sink) assert_int_equal(reg_get(&o, &got, d, n), reg_get(&o, &w, d, n));
            }
        }
        ptx_close(&o);
        census.tested++;
    }
    Opened o;
    assert_int_equal(ptx_open(&o, 90, false, "", ".reg .b32 %d;\nelect.sync %d, 1;"), ILLEGAL);
    ptx_close(&o);
}

// --- which forms there are -------------------------------------------------------------------------------------------
static bool legal(const Form *f)
{
    uint8_t op = f->mod[G_ATOM];
    switch (f->op) {
    case OP_SHFL: return form_only(f, G(SYNC) | G(SHFL)) && form_has(f, G_SHFL);
    case OP_VOTE: return form_has(f, G_VOTE) && (f->mod[G_VOTE] == M_BALLOT) == (f->type == TY_B32);
    case OP_MATCH: return form_has(f, G_SYNC) && (f->mod[G_VOTE] == M_ALL || f->mod[G_VOTE] == M_ANY);
    case OP_REDUX:
        if (!form_has(f, G_SYNC)) return false;
        if (f->type == TY_F32) return op == M_A_MIN || op == M_A_MAX;
        if (form_has(f, G_ABS) || form_has(f, G_NAN)) return false;
        if (f->type == TY_B32) return op == M_A_AND || op == M_A_OR || op == M_A_XOR;
        return op == M_A_ADD || op == M_A_MIN || op == M_A_MAX;
    default: return true;
    }
}
static void visit(void *user, const Form *f)
{
    (void)user;
    Text t = {0};
    const char *a = f->type == TY_B64 ? "%x" : "%a";
    text_put(&t, ".reg .b32 %d, %a, %b, %c, %m;\n.reg .b64 %x;\n.reg .pred %p, %s;\n");
    size_t start = t.n;
    form_text(f, &t);
    switch (f->op) {
    case OP_SHFL: text_printf(&t, " %%d, %%a, %%b, %%c%s;", form_has(f, G_SYNC) ? ", %m" : ""); break;
    case OP_VOTE:
        text_printf(&t, " %s, %%s%s;", f->type == TY_PRED ? "%p" : "%d", form_has(f, G_SYNC) ? ", %m" : "");
        break;
    case OP_ACTIVEMASK: text_put(&t, " %d;"); break;
    default: text_printf(&t, " %%d, %s, %%m;", a);
    }
    Opened o;
    Verdict v = ptx_open(&o, 100, false, "", t.v);
    ptx_close(&o);
    if (legal(f) && v == ACCEPTED) {
        census.tested++;
    } else if (legal(f)) {
        census.missing++;
        text_put(&census.missing_text, " "), form_text(f, &census.missing_text);
        print_error("%s is refused\n", t.v + start), census.wrong++;
    } else if (v == ACCEPTED) {
        print_error("%s isn't in the PTX ISA, and is accepted\n", t.v + start);
        census.wrong++;
    } else {
        census.outside++;
    }
    text_free(&t);
}
static void forms(void **state)
{
    (void)state;
    static const Op ops[] = {OP_SHFL, OP_VOTE, OP_MATCH, OP_REDUX, OP_ACTIVEMASK};
    for (size_t k = 0; k < COUNT(ops); k++) form_each(ops[k], 0, visit, NULL);
}

// --- whole warps -----------------------------------------------------------------------------------------------------
// Runs one warp of a kernel to its end; what is in its registers then is looked at.
static void run_warp(Opened *o, uint32_t threads, uint32_t *values, const char *const *names, int n)
{
    LaunchInfo launch = {.kernel = o->kernel, .grid = {1, 1, 1}, .block = {threads, 1, 1}, .local_limit = 1 << 16};
    Cta cta = {.warps = NULL};
    Env env = {.launch = &launch, .ns_per_clock = 1};
    exec_cta_start(&env, &cta, 0, NULL, 0);
    int steps = 0;
    for (; cta.warps[0].live && steps < 100000; steps++, env.clock++) {
        exec_step(&env, &cta.warps[0]);
        assert_int_equal(env.fault.kind, FAULT_NONE);
        assert_true(env.step.result != STEP_WAIT);
    }
    assert_true(steps < 100000);
    for (int k = 0; k < n; k++) {
        uint32_t slot = o->code->alloc->place[reg_find(o, names[k])];
        memcpy(values + k * LANES, cta.warps[0].rows + slot * ROW_BYTES, LANES * 4);
    }
    exec_cta_free(&cta);
    text_free(&env.printed);
}
static const char *const result_names[] = {"%r0", "%r1", "%r2", "%r3"};
static void warp(int sm, uint32_t threads, const char *body, uint32_t r[4][LANES])
{
    Opened o;
    Text t = {0};
    text_printf(&t, ".reg .b32 %%r<4>, %%lane, %%n, %%t;\n.reg .pred %%p, %%q;\nmov.u32 %%lane, %%laneid;\n%s", body);
    if (ptx_open(&o, sm, false, "", t.v) != ACCEPTED) fail_msg("%s", o.diag.text.v);
    run_warp(&o, threads, r[0], result_names, 4);
    ptx_close(&o);
    text_free(&t);
}

static void guarded(void **state)
{
    (void)state;
    uint32_t r[4][LANES];
    warp(90, 32,
         "setp.lt.u32 %p, %lane, 12;\nmov.b32 %r0, 7;\n@%p activemask.b32 %r0;\n@!%p activemask.b32 %r1;\n@%p "
         "vote.sync.ballot.b32 %r2, %p, 0xfff;\n"
         "@!%p redux.sync.add.u32 %r3, %lane, 0xfffff000;",
         r);
    for (uint32_t n = 0; n < LANES; n++) {
        assert_int_equal(r[0][n], n < 12 ? 0xfff : 7);
        if (n >= 12) assert_int_equal(r[1][n], 0xfffff000);
        if (n < 12) assert_int_equal(r[2][n], 0xfff);
        if (n >= 12) assert_int_equal(r[3][n], 31 * 32 / 2 - 11 * 12 / 2);
    }
}

// The sides of a branch; before sm_70 and after
static void branches(void **state)
{
    (void)state;
    for (int sm = 60; sm <= 90; sm += 30) {
        uint32_t r[4][LANES];
        warp(sm, 32,
             "setp.lt.u32 %p, %lane, 8;\nand.b32 %t, %lane, 3;\nsetp.eq.u32 %q, %t, 1;\n@%p bra L1;\nactivemask.b32 "
             "%r0;\nvote.sync.ballot.b32 %r1, %q, 0xffffff00;\nbra L2;\n"
             "L1:\nactivemask.b32 %r0;\nvote.sync.ballot.b32 %r1, !%q, 0xff;\nL2:\nshfl.sync.idx.b32 %r2, %lane, 5, "
             "0x1f, -1;\nshfl.sync.bfly.b32 %r3, %r1, 31, 0x1f, -1;",
             r);
        for (uint32_t n = 0; n < LANES; n++) {
            assert_int_equal(r[0][n], n < 8 ? 0xff : 0xffffff00);
            assert_int_equal(r[1][n], n < 8 ? 0xdd : 0x22222200);
            assert_int_equal(r[2][n], 5);
            assert_int_equal(r[3][n], n > 23 ? 0xdd : 0x22222200);
        }
    }
}

// Lanes come to one instruction at different times, and from different loops: .sync waits for all of the mask.
static void late_lanes(void **state)
{
    (void)state;
    uint32_t r[4][LANES];
    warp(70, 32,
         "mov.b32 %n, 0;\nL1:\nadd.u32 %n, %n, 1;\nsetp.ge.u32 %p, %n, %lane;\n@%p bra L3;\nbra L1;\n"
         "L3:\nmatch.any.sync.b32 %r0, %n, -1;\nmatch.all.sync.b32 %r1|%q, %n, -1;\nredux.sync.max.u32 %r2, %n, "
         "-1;\nshfl.sync.up.b32 %r3, %n, 1, 0, -1;",
         r);
    for (uint32_t n = 0; n < LANES; n++) {
        assert_int_equal(r[0][n], n < 2 ? 3 : 1u << n);
        assert_int_equal(r[1][n], 0);
        assert_int_equal(r[2][n], 31);
        assert_int_equal(r[3][n], n < 2 ? 1 : n - 1);
    }
}

// Lanes that have exited, and a warp that isn't full: they don't count.
static void exited_lanes(void **state)
{
    (void)state;
    uint32_t r[4][LANES];
    warp(70, 27,
         "setp.lt.u32 %p, %lane, 3;\n@%p ret;\nvote.sync.all.pred %q, !%p, -1;\nselp.b32 %r0, 1, 0, "
         "%q;\nredux.sync.or.b32 %r1, %lane, -1;\n"
         "match.all.sync.b32 %r2, 5, -1;\nvote.sync.ballot.b32 %r3, %q, -1;",
         r);
    for (uint32_t n = 0; n < LANES; n++) {
        bool runs = n >= 3 && n < 27;
        assert_int_equal(r[0][n], runs ? 1 : 0);
        assert_int_equal(r[1][n], runs ? 31 : 0);
        assert_int_equal(r[2][n], runs ? 0x07fffff8 : 0);
        assert_int_equal(r[3][n], runs ? 0x07fffff8 : 0);
    }
}

// The sides of a branch elect each its own, and wait for late lanes.
static void leaders_of_branches(void **state)
{
    (void)state;
    uint32_t r[4][LANES];
    warp(90, 32,
         "setp.lt.u32 %p, %lane, 8;\nmov.b32 %r2, 0;\n@%p bra L1;\nelect.sync %r0|%q, 0xffffff00;\n@%q mov.b32 %r2, "
         "1;\nbra L2;\n"
         "L1:\nelect.sync %r0|%q, 0xff;\n@%q mov.b32 %r2, 1;\nL2:\nelect.sync %r1|%q, -1;\nselp.b32 %r3, 1, 0, %q;",
         r);
    uint32_t sides[2] = {0}, all = 0;
    for (uint32_t n = 0; n < LANES; n++) {
        assert_int_equal(r[0][n], r[0][n < 8 ? 0 : 8]);
        assert_int_equal(r[1][n], r[1][0]);
        assert_int_equal(r[2][n], n == r[0][n]);
        assert_int_equal(r[3][n], n == r[1][n]);
        sides[n >= 8] += r[2][n], all += r[3][n];
    }
    assert_true(sides[0] == 1 && sides[1] == 1 && all == 1);
}

static void nothing_lost(void **state)
{
    (void)state;
    census_print("across lanes", &census, 1);
    text_free(&census.missing_text);
    assert_int_equal(census.wrong, 0);
    assert_true(census.tested >= 32);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shuffles),   cmocka_unit_test(shuffle_widths), cmocka_unit_test(votes),
        cmocka_unit_test(matches),    cmocka_unit_test(reductions),     cmocka_unit_test(float_reductions),
        cmocka_unit_test(active),     cmocka_unit_test(leaders),        cmocka_unit_test(leaders_of_branches),
        cmocka_unit_test(forms),      cmocka_unit_test(guarded),        cmocka_unit_test(branches),
        cmocka_unit_test(late_lanes), cmocka_unit_test(exited_lanes),   cmocka_unit_test(nothing_lost),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
