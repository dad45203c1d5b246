// generate.c: the kernel around the statements: loops, and the order of it all. Each outermost loop is one
// that the software L1 may rewrite. Threads leave early only behind the last place where all are needed.
#include "maker.h"

// --- loops -----------------------------------------------------------------------------------------------------------
// Rounds of a loop, at most `most`, into a %t register. Even: the same for all threads.
static uint32_t put_trips(Maker *m, uint32_t most, bool even, bool may_be_none)
{
    uint32_t t = temp(m), number = (uint32_t)m->launch->args.v[m->number].value, kind = even ? pick(m, 2) : pick(m, 4);
    if (kind == 1 && number <= most) {
        put(m, "ld.param.u32 %%t%u, [k_%d];", t, m->number);
    } else if (kind < 2) {
        put(m, "mov.u32 %%t%u, %u;", t, most);
    } else {
        uint32_t least = may_be_none && once_in(m, 2) ? 0 : once_in(m, 2) ? (most + 1) / 2 : 1;
        if (kind == 2)
            put(m, "rem.u32 %%t%u, %%rank, %u;", t, most - least + 1);
        else
            put(m, "rem.u32 %%t%u, %%a%u, %u;", t, pick(m, A), most - least + 1);
        put(m, "add.u32 %%t%u, %%t%u, %u;", t, t, least);
    }
    return t;
}

// A pointer that moves on with the loop, or two that change places.
typedef struct Walk {
    int view;           // −1: there is none
    uint32_t x, other;  // %x registers
    bool swap;
} Walk;

static Walk begin_walk(Maker *m, bool even)
{
    Walk w = {.view = once_in(m, 2) ? draw_view(m, once_in(m, 2)) : -1};
    if (w.view < 0 || (even && section_of(m, (uint32_t)w.view)->kind != READ)) return (Walk){.view = -1};
    uint32_t other = pick(m, (uint32_t)m->views.n);
    const Section *a = section_of(m, (uint32_t)w.view), *b = section_of(m, other);
    w.x = temp(m), w.other = temp(m);
    bool alike = a->kind == b->kind && a->align == b->align && a->element == b->element;
    w.swap = !m->plain && alike && a->count == b->count && a->step == b->step;
    put(m, "mov.b64 %%x%u, %%x%u;", w.x, m->views.v[w.view].base);
    if (w.swap) put(m, "mov.b64 %%x%u, %%x%u;", w.other, m->views.v[other].base);
    return w;
}

static void put_walk(Maker *m, const Walk *w)
{
    Place p = {.section = m->views.v[w->view].section, .x = w->x, .keep = true};
    put_load(m, &p);
    if (writable(m, (uint32_t)w->view) && once_in(m, 2)) put_store(m, &p);
}

static void move_walk(Maker *m, const Walk *w)
{
    uint32_t x = temp(m), step = section_of(m, (uint32_t)w->view)->step;
    put(m, "add.s64 %%x%u, %%x%u, %u;", w->x, w->x, step);
    if (!w->swap) return;
    put(m, "add.s64 %%x%u, %%x%u, %u;", x, w->other, step);
    put(m, "mov.b64 %%x%u, %%x%u;", w->other, w->x);
    put(m, "mov.b64 %%x%u, %%x%u;", w->x, x);
}

void put_loop(Maker *m)
{
    uint32_t room = m->most_times / m->times, times = m->times, form = pick(m, 3), q = temp(m), c = temp(m);
    if (m->depth == DEPTH || room < 2) return;
    bool uniform = m->uniform, even = uniform && once_in(m, 2);
    uint32_t most = m->depth == 0 && once_in(m, 2) ? room : range(m, 2, room < 20 ? room : 20);
    Walk w = begin_walk(m, even);
    if (w.view >= 0 && section_of(m, (uint32_t)w.view)->count < most) most = section_of(m, (uint32_t)w.view)->count;
    uint32_t trips = put_trips(m, most, even, form > 0), head = m->labels++, latch = m->labels++, exit = m->labels++;
    m->counters[m->depth] = c, m->exits[m->depth] = exit, m->latches[m->depth] = latch, m->uneven[m->depth] = !even;
    m->uniform = even, m->times *= most, m->depth++;
    put(m, "mov.u32 %%t%u, 0;", c);
    put(m, "$L%u:", head);
    m->tested[m->depth - 1] = form != 2;
    if (form == 2) put_block(m, 1);
    m->tested[m->depth - 1] = true;
    if (form > 0) {
        put(m, "setp.ge.u32 %%q%u, %%t%u, %%t%u;", q, c, trips);
        put(m, "@%%q%u bra $L%u;", q, exit);
    }
    if (w.view >= 0) put_walk(m, &w);
    if (m->returns && once_in(m, 3)) put_leave(m);
    if (m->post >= 0 && m->depth == 1 && !m->posted && once_in(m, 2)) put_gather(m);
    put_block(m, range(m, 1, m->depth == 1 ? 6 : 4));
    put(m, "$L%u:", latch);
    put(m, "add.u32 %%t%u, %%t%u, 1;", c, c);
    if (w.view >= 0) move_walk(m, &w);
    if (form > 0) {
        put(m, "bra $L%u;", head);
    } else {
        put(m, "setp.lt.u32 %%q%u, %%t%u, %%t%u;", q, c, trips);
        put(m, "@%%q%u bra $L%u;", q, head);
    }
    put(m, "$L%u:", exit);
    m->uniform = uniform, m->times = times, m->depth--;
}

// --- the kernel ------------------------------------------------------------------------------------------------------
static void draw_launch(Maker *m)
{
    static const oc_dim3 blocks[] = {{32, 1, 1}, {64, 1, 1}, {40, 1, 1}, {33, 1, 1}, {96, 1, 1},
                                     {8, 8, 1},  {7, 5, 1},  {4, 3, 5},  {1, 50, 1}, {100, 1, 1}};
    static const oc_dim3 grids[] = {{1, 1, 1}, {2, 1, 1}, {3, 1, 1}, {2, 2, 1}, {1, 1, 2}};
    oc_dim3 b = blocks[pick(m, COUNT(blocks))], g = grids[pick(m, COUNT(grids))];
    m->launch->block = b, m->launch->grid = g;
    m->threads = b.x * b.y * b.z, m->ranks = m->threads * g.x * g.y * g.z;
    m->launch->smem = 8 * m->threads + 4 * pick(m, 3);
}

static void put_beginning(Maker *m)
{
    for (int k = 0; k < (int)m->launch->args.n; k++)
        if (m->launch->args.v[k].buffer >= 0) put(m, "ld.param.u64 %%p%d, [k_%d];", k, k);
    put(m, "ld.param.u64 %%far, [k_%d];", m->far);
    static const char *const linear[2][6] = {{"tid.z", "ntid.y", "tid.y", "ntid.x", "tid.x", "first"},
                                             {"ctaid.z", "nctaid.y", "ctaid.y", "nctaid.x", "ctaid.x", "block"}};
    for (int k = 0; k < 2; k++) {
        uint32_t t = m->temps;
        m->temps += 5;
        for (uint32_t j = 0; j < 5; j++) put(m, "mov.u32 %%t%u, %%%s;", t + j, linear[k][j]);
        put(m, "mad.lo.u32 %%t%u, %%t%u, %%t%u, %%t%u;", t, t, t + 1, t + 2);
        put(m, "mad.lo.u32 %%%s, %%t%u, %%t%u, %%t%u;", linear[k][5], t, t + 3, t + 4);
    }
    put(m, "mul.lo.u32 %%block, %%block, %u;", m->threads);
    put(m, "mul.lo.u32 %%slot, %%first, 8;");
    put(m, "and.b32 %%lane, %%first, 31;");
    put(m, "sub.u32 %%first, %%first, %%lane;");
    put(m, "sub.u32 %%lanes, %u, %%first;", m->threads);
    put(m, "min.u32 %%lanes, %%lanes, 32;");
    put(m, "shl.b32 %%mask, 1, %%lanes;");
    put(m, "sub.u32 %%mask, %%mask, 1;");
    put(m, "mov.u32 %%shift, 0;");
    put(m, "mov.u32 %%turn, 0;");
    for (uint32_t k = 0; k < m->views.n; k++) m->views.v[k].base = temp(m);
    put_rank(m);
    for (uint32_t k = 0; k < A; k++) put(m, "mad.lo.u32 %%a%u, %%rank, %u, %u;", k, pick(m, 10000), pick(m, 10000));
    for (uint32_t k = 0; k < W; k++) put(m, "mul.wide.u32 %%w%u, %%rank, %u;", k, pick(m, 100000));
    for (uint32_t k = 0; k < F; k++) put(m, "cvt.rn.f32.u32 %%f%u, %%a%u;", k, k);
    for (uint32_t k = 0; k < D; k++) put(m, "cvt.rn.f64.u32 %%d%u, %%a%u;", k, k);
}

static void put_end(Maker *m)
{
    uint32_t x = m->views.v[m->out].base;
    put(m, "st.global.v4.b32 [%%x%u], {%%a0, %%a1, %%a2, %%a3};", x);
    put(m, "st.global.v2.b32 [%%x%u+16], {%%a4, %%a5};", x);
    put(m, "st.global.v2.f32 [%%x%u+24], {%%f0, %%f1};", x);
    put(m, "st.global.v2.b64 [%%x%u+32], {%%w0, %%d0};", x);
    put(m, "ret;");
}

static void draw_version(Maker *m)
{
    static const uint8_t old[] = {41, 43, 60, 63}, new[] = {78, 80, 84};
    m->version = m->sm >= 90 ? new[pick(m, 3)] : m->sm >= 70 ? 63 : old[pick(m, 4)];
}

static void put_variables(Maker *m, Text *out)
{
    for (size_t k = 0; k < m->launch->buffers.n; k++) {
        const Buffer *b = &m->launch->buffers.v[k];
        if (b->symbol) text_printf(out, ".visible .global .align 256 .b8 %s[%u];\n", b->symbol, b->bytes);
    }
    text_printf(out, ".extern .shared .align 8 .b8 dynamic[];\n\n");
    text_add(out, m->functions.v ? m->functions.v : "", m->functions.n);
    text_put(out, ".visible .entry k(");
    for (size_t k = 0; k < m->launch->args.n; k++)
        text_printf(out, "%s\n    .param .u%u k_%zu", k ? "," : "", 8 * m->launch->args.v[k].bytes, k);
    text_printf(out,
                "\n)\n{\n    .shared .align 8 .b8 tile[%u];\n    .local .align 8 .b8 spill[%zu];\n    .local .align 8 "
                ".b8 scratch[8];\n",
                8 * m->threads, 8 * m->views.n);
    text_printf(
        out,
        "    .reg .b32 %%a<%u>, %%rank, %%lane, %%lanes, %%first, %%block, %%shift, %%turn, %%slot, %%mask, %%t<%u>;\n",
        A, m->temps);
    text_printf(out, "    .reg .b64 %%w<%u>, %%p<%zu>, %%far, %%x<%u>;\n    .reg .b16 %%i<%u>;\n", W, m->launch->args.n,
                m->temps, m->temps);
    text_printf(out, "    .reg .f32 %%f<%u>, %%g<%u>;\n    .reg .f64 %%d<%u>, %%e<%u>;\n    .reg .pred %%q<%u>;\n", F,
                m->temps, D, m->temps, m->temps);
}

void generate(uint64_t seed, uint32_t sm, Text *ptx, Launch *launch)
{
    Maker maker = {.state = seed * 0x9e3779b97f4a7c15u, .launch = launch, .sm = sm, .uniform = true, .times = 1},
          *m = &maker;
    *launch = (Launch){.smem = 0};
    draw_version(m);
    draw_launch(m);
    draw_layout(m);
    m->most_times = once_in(m, 6) ? 300 : 64;
    put_beginning(m);
    uint32_t phases = range(m, 1, 4), leaves = once_in(m, 2) ? pick(m, phases) : phases;
    for (uint32_t k = 0; k < phases; k++) {
        if (k == leaves) m->returns = true, m->uniform = false;
        m->statements = 12;
        put_loop(m);
        if (once_in(m, 2)) m->statements = 3, put_block(m, range(m, 1, 3));
    }
    put_end(m);
    text_printf(ptx, ".version %u.%u\n.target sm_%u\n.address_size 64\n\n", m->version / 10, m->version % 10, sm);
    put_variables(m, ptx);
    text_add(ptx, m->body.v, m->body.n);
    text_put(ptx, "}\n");
    text_free(&m->body), text_free(&m->functions);
    vec_free(&m->sections), vec_free(&m->views);
}
