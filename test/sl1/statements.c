// statements.c: what the bodies of loops are made of: accesses, arithmetic, conditions, ways out, fences, calls, and
// the other kinds of memory.
#include "maker.h"

static void put_arithmetic(Maker *m)
{
    uint32_t a = pick(m, A), b = pick(m, A), t = temp(m);
    switch (pick(m, 6)) {
    case 0: put(m, "mad.lo.u32 %%a%u, %%a%u, %u, %%a%u;", a, a, 2 * pick(m, 100) + 1, b); break;
    case 1: put(m, "prmt.b32 %%a%u, %%a%u, %%a%u, 0x2147;", a, a, b); break;
    case 2: put(m, "fma.rn.f32 %%f%u, %%f%u, 0f3FC00000, 0f40490FDB;", a % F, b % F); break;
    case 3: put(m, "add.s64 %%w%u, %%w%u, %%w%u;", a % W, a % W, b % W); break;
    case 4:
        put(m, "cvt.u32.u64 %%t%u, %%w%u;", t, b % W);
        put(m, "xor.b32 %%a%u, %%a%u, %%t%u;", a, a, t);
        break;
    default: put(m, "add.f64 %%d%u, %%d%u, 0d3FF8000000000000;", a % D, b % D);
    }
}

// --- global memory ---------------------------------------------------------------------------------------------------
static void put_access(Maker *m)
{
    bool table = m->table >= 0 && once_in(m, 4), store = pick(m, 5) < 2;
    int v = table ? m->table : draw_view(m, store);
    if (v < 0 || (!table && !once_in(m, 4) && put_both(m, (uint32_t)v))) return;
    Place p = draw_place(m, (uint32_t)v);
    const Section *s = &m->sections.v[p.section];
    bool twice = once_in(m, 4);
    p.keep = twice;
    if (p.atomic && s->kind != READ && s->align >= 4 && once_in(m, 2)) {
        put_atomic(m, &p);
    } else if (s->align == 16 && s->kind == OWN && once_in(m, 2)) {
        put_halves(m, &p);
    } else if (store) {
        if (twice) put_load(m, &p);
        put_store(m, &p);
        if (once_in(m, 4)) put_load(m, &p);
    } else {
        put_load(m, &p);
        if (twice) p.keep = false, put_load(m, &p);
    }
}

// Into a sum of all threads: nobody looks at it before the end.
static void put_sum(Maker *m)
{
    if (m->sum < 0) return;
    const View *v = &m->views.v[m->sum];
    uint32_t t = draw_index(m, section_of(m, (uint32_t)m->sum)->count), x = temp(m);
    put(m, "mad.wide.u32 %%x%u, %%t%u, 4, %%x%u;", x, t, v->base);
    put(m, "red.global.add.u32 [%%x%u], %%a%u;", x, pick(m, A));
}

static void put_fence(Maker *m)
{
    static const char *const fences[] = {"membar.cta;",   "membar.gl;",         "membar.sys;",
                                         "fence.sc.cta;", "fence.acq_rel.gpu;", "fence.acq_rel.sys;"};
    put(m, "%s", fences[pick(m, m->sm >= 70 ? COUNT(fences) : 3)]);
}

// Asynchronous copies of elements that may just have been written.
static void put_copy(Maker *m)
{
    int v = draw_view(m, false);
    if (m->sm < 80 || v < 0) return;
    Place p = draw_place(m, (uint32_t)v);
    const Section *s = &m->sections.v[p.section];
    uint32_t bytes = s->align, t = temp(m), u = temp(m);
    if (p.generic || bytes < 4) return;
    put(m, "mov.u32 %%t%u, tile;", t);
    put(m, "add.u32 %%t%u, %%t%u, %%slot;", t, t);
    put(m, "cp.async.ca.shared.global [%%t%u], [%%x%u%+d], %u;", t, p.x, p.offset, bytes > 8 ? 8 : bytes);
    put(m, "%s", once_in(m, 2) ? "cp.async.wait_all;" : "cp.async.commit_group;\n    cp.async.wait_group 0;");
    put(m, "ld.shared.u32 %%t%u, [%%t%u];", u, t);
    put(m, "xor.b32 %%a0, %%a0, %%t%u;", u);
}

// --- the thread's own shared and local memory ------------------------------------------------------------------------
static void put_own_memory(Maker *m)
{
    static const char *const names[] = {"tile", "dynamic", "scratch"};
    uint32_t kind = pick(m, 3), x = temp(m), y = temp(m), u = temp(m), a = pick(m, A);
    const char *space = kind == 2 ? "local" : "shared";
    put(m, "mov.u64 %%x%u, %s;", x, names[kind]);
    if (kind < 2) {
        put(m, "cvt.u64.u32 %%x%u, %%slot;", y);
        put(m, "add.s64 %%x%u, %%x%u, %%x%u;", x, x, y);
    }
    if (m->plain || once_in(m, 2)) {
        put(m, "st.%s.u32 [%%x%u], %%a%u;", space, x, a);
        if (once_in(m, 2)) put(m, "st.%s.u8 [%%x%u+3], %%a%u;", space, x, pick(m, A));
        put(m, "ld.%s.u32 %%t%u, [%%x%u];", space, u, x);
    } else {
        put(m, "cvta.%s.u64 %%x%u, %%x%u;", space, x, x);
        put(m, "st.u32 [%%x%u+4], %%a%u;", x, a);
        put(m, "ld.u32 %%t%u, [%%x%u+4];", u, x);
    }
    put(m, "mad.lo.u32 %%a%u, %%t%u, 17, %%a%u;", a, u, pick(m, A));
}

// --- control ---------------------------------------------------------------------------------------------------------
static void put_if(Maker *m)
{
    uint32_t q = temp(m), other = m->labels++, end = m->labels++;
    bool uniform = m->uniform, two = once_in(m, 2);
    put_condition(m, q, 2);
    put(m, "@%s%%q%u bra $L%u;", once_in(m, 2) ? "!" : "", q, two ? other : end);
    m->uniform = false;
    put_block(m, range(m, 1, 2));
    if (two) {
        put(m, "bra $L%u;", end);
        put(m, "$L%u:", other);
        put_block(m, range(m, 1, 2));
    }
    put(m, "$L%u:", end);
    m->uniform = uniform;
}

static void put_switch(Maker *m)
{
    uint32_t t = temp(m), first = m->labels, d = m->depth - 1;
    bool uniform = m->uniform;
    if (m->sm < 35 || m->version < 60 || !once_in(m, 4)) return;
    m->labels += 5;
    bool out = m->depth && m->uneven[d] && !m->uniform && once_in(m, 2);  // one way leads out of the loop
    put(m, "and.b32 %%t%u, %%a%u, 3;", t, pick(m, A));
    put(m, "$L%u: .branchtargets $L%u, $L%u, $L%u, $L%u;", first, first + 1, first + 2, first + 3,
        out ? m->exits[d] : first + 4);
    put(m, "brx.idx %%t%u, $L%u;", t, first);
    m->uniform = false;
    for (uint32_t k = 1; k <= 3; k++) {
        put(m, "$L%u:", first + k);
        put_block(m, 1);
        if (once_in(m, 2)) put(m, "bra $L%u;", first + 4);
    }
    put(m, "$L%u:", first + 4);
    m->uniform = uniform;
}

// Out of the kernel.
void put_leave(Maker *m)
{
    uint32_t q = temp(m), stay = m->labels++;
    const char *leave = once_in(m, 2) ? "ret" : "exit";
    put_condition(m, q, 32);
    if (once_in(m, 2)) {
        put(m, "@%%q%u %s;", q, leave);
        return;
    }
    put(m, "@!%%q%u bra $L%u;", q, stay);
    put(m, "st.global.v4.b32 [%%x%u], {%%a0, %%a1, %%a2, %%a3};", m->views.v[m->out].base);
    put(m, "%s;", leave);
    put(m, "$L%u:", stay);
}

// Out of some of the loops, or on to the next round.
static void put_way_out(Maker *m)
{
    if (!m->depth || !m->uneven[m->depth - 1] || m->uniform) return;
    uint32_t q = temp(m), d = m->depth - 1;
    while (d && m->uneven[d - 1] && once_in(m, 3)) d--;
    bool again = once_in(m, 3) && m->tested[m->depth - 1];
    if (m->returns && once_in(m, 4)) {
        put_leave(m);
        return;
    }
    put_condition(m, q, again ? 4 : 16);
    put(m, "@%%q%u bra $L%u;", q, again ? m->latches[m->depth - 1] : m->exits[d]);
}

static void put_statement(Maker *m)
{
    if (m->uniform && !m->returns && once_in(m, 6)) {
        put_together(m);
        return;
    }
    switch (pick(m, 30)) {
    case 0: put_arithmetic(m); break;
    case 1:
    case 2: put_if(m); break;
    case 3:
    case 4: put_way_out(m); break;
    case 5: put_fence(m); break;
    case 6: put_own_memory(m); break;
    case 7: put_call(m); break;
    case 8: put_sum(m); break;
    case 9: put_copy(m); break;
    case 10: put_switch(m); break;
    case 11:
    case 12:
    case 13:
    case 14: put_loop(m); break;
    case 15: put_call(m); break;
    case 16: put_way_out(m); break;
    default: put_access(m);
    }
}

void put_block(Maker *m, uint32_t statements)
{
    for (; statements; statements--) {
        if (!m->statements) return;
        m->statements--;
        put_statement(m);
    }
}
