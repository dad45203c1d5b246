// functions.c: device functions, each made for the call that follows. They take a generic pointer to a thread's first
// element, and an index or a number of elements, alone or in an array by value; what they return is a word, an array,
// or nothing. Some have a variable that there is once: the software L1 calls these as they are, behind a flush.
#include "maker.h"

typedef enum Form { WORD, ARRAY, NOTHING } Form;  // of what goes in and comes out
typedef enum Body { ELEMENT, ITSELF, ROUNDS, EARLY, OTHERS } Body;
typedef struct Callee {
    uint32_t number;
    Form form;
    bool carried;  // the pointer that counts is in the array
} Callee;

static const char *type_for(const Section *s) { return s->align == 1 ? "u8" : s->align == 2 ? "u16" : "u32"; }

// p, n and r are registers, as is spare; r gets the result, and keeps what it has if the guard is false. (Of the
// instructions of a call ptxas lets the call alone have a guard.)
static void write_call(Text *t, const Callee *c, const char *guard, const char *suffix, const char *p, const char *n,
                       const char *r, const char *spare)
{
    const char *out = c->form == NOTHING ? "" : "(r0), ";
    text_put(t, "    {\n    .param .b64 p0;\n");
    text_put(t, c->form == ARRAY ? "    .param .align 8 .b8 p1[24];\n" : "    .param .b32 p1;\n");
    if (c->form != NOTHING)
        text_put(t, c->form == ARRAY ? "    .param .align 8 .b8 r0[16];\n" : "    .param .b32 r0;\n");
    text_printf(t, "    st.param.b64 [p0], %s;\n", p);
    if (c->form == ARRAY)
        text_printf(t,
                    "    st.param.v2.b32 [p1], {%s, %s};\n    st.param.b64 [p1+8], %s;\n"
                    "    st.param.b64 [p1+16], %s;\n",
                    n, n, p, p);
    else
        text_printf(t, "    st.param.b32 [p1], %s;\n", n);
    text_printf(t, "    %scall%s %sf%u, (p0, p1);\n", guard, suffix, out, c->number);
    if (c->form != NOTHING)
        text_printf(t, "    ld.param.b32 %s, [r0%s];\n    %smov.b32 %s, %s;\n", spare, c->form == ARRAY ? "+12" : "",
                    guard, r, spare);
    text_put(t, "    }\n");
}

// --- functions -------------------------------------------------------------------------------------------------------
static void put_result(Text *f, const Callee *c)
{
    uint32_t n = c->number;
    if (c->form == WORD) text_printf(f, "    st.param.b32 [f%u_r], %%r2;\n", n);
    if (c->form == ARRAY)
        text_printf(f,
                    "    st.param.v2.b32 [f%u_r], {%%r0, %%r2};\n    st.param.b32 [f%u_r+8], %%r0;\n"
                    "    st.param.b32 [f%u_r+12], %%r2;\n",
                    n, n, n);
}

// A variable that there is once: the function is called as it is.
static void put_once(Text *f, const Callee *c)
{
    text_printf(f, "    .shared .b32 f%u_once;\n    mov.u32 %%r4, f%u_once;\n", c->number, c->number);
}

static void put_head(Maker *m, Text *f, const Callee *c)
{
    static const char *const results[] = {"(.param .b32 f%u_r) ", "(.param .align 8 .b8 f%u_r[16]) "},
                             *const numbers[] = {".param .b32 f%u_n", ".param .align 8 .b8 f%u_n[24]"};
    text_put(f, ".func ");
    if (c->form != NOTHING) text_printf(f, results[c->form == ARRAY], c->number);
    text_printf(f, "f%u(.param .b64 f%u_p, ", c->number, c->number);
    text_printf(f, numbers[c->form == ARRAY], c->number);
    text_put(f, ")\n{\n    .reg .b32 %r<6>;\n    .reg .b64 %rd<3>;\n    .reg .pred %q;\n");
    if (c->carried)
        text_printf(f, "    ld.param.u64 %%rd0, [f%u_n+16];\n", c->number);
    else
        text_printf(f, "    ld.param.u64 %%rd0, [f%u_p];\n", c->number);
    text_printf(f, "    ld.param.u32 %%r0, [f%u_n%s];\n    mov.u32 %%r2, %u;\n", c->number,
                c->form == ARRAY ? "+4" : "", pick(m, 100));
}

static Callee put_function(Maker *m, const Section *s, Body body, bool writes)
{
    Text text = {0}, *f = &text;
    const char *type = type_for(s);
    Callee c = {.form = once_in(m, 3) ? ARRAY : writes && once_in(m, 5) ? NOTHING : WORD}, inner = {0};
    if (body == OTHERS) inner = put_function(m, s, (Body)pick(m, OTHERS), writes);
    uint32_t n = c.number = m->function_count++;
    c.carried = c.form == ARRAY && !m->plain && once_in(m, 2);
    put_head(m, f, &c);
    if (once_in(m, 3)) put_once(f, &c);
    switch (body) {
    case ELEMENT:
        text_printf(f,
                    "    mad.wide.u32 %%rd1, %%r0, %u, %%rd0;\n    ld.%s %%r1, [%%rd1+%u];\n"
                    "    mad.lo.u32 %%r2, %%r1, 33, %%r0;\n",
                    s->step, type, s->low);
        if (writes) text_printf(f, "    st.%s [%%rd1+%u], %%r2;\n", type, s->low);
        break;
    case ITSELF:
        text_printf(f, "    setp.eq.u32 %%q, %%r0, 0;\n    @%%q bra $end%u;\n    ld.%s %%r1, [%%rd0+%u];\n", n, type,
                    s->low);
        if (writes) text_printf(f, "    st.%s [%%rd0+%u], %%r0;\n", type, s->low);
        text_printf(f, "    add.s64 %%rd1, %%rd0, %u;\n    sub.u32 %%r3, %%r0, 1;\n", s->step);
        write_call(f, &c, "", "", "%rd1", "%r3", "%r2", "%r4");
        text_put(f, "    mad.lo.u32 %r2, %r2, 31, %r1;\n");
        if (writes) text_printf(f, "    st.%s [%%rd0+%u], %%r2;\n", type, s->low);
        text_printf(f, "$end%u:\n", n);
        break;
    case ROUNDS:
        text_printf(f,
                    "    setp.eq.u32 %%q, %%r0, 0;\n    @%%q bra $end%u;\n$again%u:\n    ld.%s %%r1, [%%rd0+%u];\n"
                    "    mad.lo.u32 %%r2, %%r2, 31, %%r1;\n",
                    n, n, type, s->low);
        if (writes) text_printf(f, "    st.%s [%%rd0+%u], %%r2;\n", type, s->low);
        text_printf(f,
                    "    add.s64 %%rd0, %%rd0, %u;\n    sub.u32 %%r0, %%r0, 1;\n    setp.ne.u32 %%q, %%r0, 0;\n"
                    "    @%%q bra $again%u;\n$end%u:\n",
                    s->step, n, n);
        break;
    case EARLY:
        put_result(f, &c);
        text_printf(f,
                    "    setp.eq.u32 %%q, %%r0, 1;\n    @%%q ret;\n    ld.%s %%r1, [%%rd0+%u];\n"
                    "    and.b32 %%r3, %%r1, 3;\n    setp.ne.u32 %%q, %%r3, 1;\n    @%%q bra $end%u;\n",
                    type, s->low, n);
        if (writes) text_printf(f, "    st.%s [%%rd0+%u], %%r0;\n", type, s->low);
        text_put(f, "    mov.u32 %r2, %r1;\n");
        put_result(f, &c);
        text_printf(f, "    ret;\n$end%u:\n    mad.wide.u32 %%rd1, %%r0, %u, %%rd0;\n    ld.%s %%r2, [%%rd1+%u];\n", n,
                    s->step, type, s->low);
        if (writes) text_printf(f, "    st.%s [%%rd1+%u], %%r1;\n", type, s->low);
        break;
    case OTHERS:
        write_call(f, &inner, "", "", "%rd0", "%r0", "%r2", "%r4");
        text_printf(f, "    mov.u32 %%r5, %%r2;\n    setp.lt.u32 %%q, %%r0, %u;\n    shr.u32 %%r3, %%r0, 1;\n",
                    pick(m, 6));
        write_call(f, &inner, once_in(m, 2) ? "@%q " : "", "", "%rd0", "%r3", "%r2", "%r4");
        text_put(f, "    mad.lo.u32 %r2, %r5, 7, %r2;\n");
    }
    put_result(f, &c);
    text_put(f, "    ret;\n}\n\n");
    text_add(&m->functions, text.v, text.n);
    text_free(&text);
    return c;
}

// --- calls -----------------------------------------------------------------------------------------------------------
// Through a pointer: the software L1 leaves such kernels alone.
static void put_indirect(Maker *m, const Callee *c, uint32_t x, uint32_t t)
{
    uint32_t label = m->labels++, to = temp(m);
    put(m, "mov.u64 %%x%u, f%u;", to, c->number);
    put(m, "{");
    put(m, ".param .b64 p0;");
    put(m, ".param .b32 p1;");
    put(m, ".param .b32 r0;");
    put(m, "st.param.b64 [p0], %%x%u;", x);
    put(m, "st.param.b32 [p1], %%t%u;", t);
    put(m, "$L%u: .callprototype (.param .b32 _) _ (.param .b64 _, .param .b32 _);", label);
    put(m, "call (r0), %%x%u, (p0, p1), $L%u;", to, label);
    put(m, "ld.param.b32 %%t%u, [r0];", t);
    put(m, "}");
}

static void put_direct(Maker *m, const Callee *c, uint32_t base, uint32_t most)
{
    uint32_t t = draw_index(m, most), x = temp(m), r = temp(m), q = temp(m), u = temp(m);
    Text guard = {0}, p = {0}, n = {0}, to = {0}, spare = {0};
    bool guarded = once_in(m, 5);
    text_put(&guard, "");
    if (guarded) put_condition(m, q, 2), text_printf(&guard, "@%s%%q%u ", once_in(m, 2) ? "!" : "", q);
    text_printf(&p, "%%x%u", x), text_printf(&n, "%%t%u", t), text_printf(&to, "%%t%u", r),
        text_printf(&spare, "%%t%u", u);
    put(m, "cvta.global.u64 %%x%u, %%x%u;", x, base);
    put(m, "mov.u32 %%t%u, %u;", r, pick(m, 99));
    write_call(&m->body, c, guarded ? guard.v : "", !guarded && m->uniform && once_in(m, 2) ? ".uni" : "", p.v, n.v,
               to.v, spare.v);
    put(m, "add.u32 %%a%u, %%a%u, %%t%u;", t % A, t % A, r);
    text_free(&guard), text_free(&p), text_free(&n), text_free(&to), text_free(&spare);
}

void put_call(Maker *m)
{
    int v = draw_view(m, false);
    if (v < 0) return;
    const Section *s = section_of(m, (uint32_t)v);
    uint32_t most = s->count < 8 ? s->count : 8;
    Callee c = put_function(m, s, (Body)pick(m, OTHERS + 1), writable(m, (uint32_t)v) && once_in(m, 2));
    if (!m->plain && c.form == WORD && once_in(m, 20)) {
        uint32_t t = draw_index(m, most), x = temp(m);
        put(m, "cvta.global.u64 %%x%u, %%x%u;", x, m->views.v[v].base);
        put_indirect(m, &c, x, t);
        put(m, "add.u32 %%a%u, %%a%u, %%t%u;", t % A, t % A, t);
        return;
    }
    for (uint32_t k = once_in(m, 3) ? 3 : 1; k; k--) {
        int twin = m->plain || !once_in(m, 3) ? -1 : draw_twin(m, (uint32_t)v);
        const View *to = &m->views.v[twin < 0 ? v : twin];
        Place first = {.section = to->section, .x = to->base, .keep = true};
        if (writable(m, (uint32_t)v) && once_in(m, 2)) put_store(m, &first);  // which it finds, and may change
        put_direct(m, &c, to->base, most);
        if (once_in(m, 2)) put_load(m, &first);
    }
}
