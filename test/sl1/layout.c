// layout.c: the generated kernel's memory: buffers, what belongs to whom in them, and the pointers that the kernel
// gets. Two pointers may lead into one buffer, to the same section or to its neighbour; a pointer may lead before, into
// or behind the section that is accessed by it. Half of the kernels are plain, with nothing that rules out lines of 24
// bytes, or lines looked up by their own structure alone.
#include "maker.h"
#include "random.h"

#include <string.h>

uint32_t pick(Maker *m, uint32_t n) { return random_below(&m->state, n); }

bool once_in(Maker *m, uint32_t n) { return pick(m, n) == 0; }

uint32_t range(Maker *m, uint32_t low, uint32_t high) { return low + pick(m, high - low + 1); }

Section *section_of(Maker *m, uint32_t view) { return &m->sections.v[m->views.v[view].section]; }

bool writable(Maker *m, uint32_t view)
{
    Kind k = section_of(m, view)->kind;
    return k == OWN || k == LIST;
}

// --- buffers ---------------------------------------------------------------------------------------------------------
static uint32_t add_buffer(Maker *m, const char *symbol)
{
    vec_push(&m->launch->buffers, ((Buffer){.symbol = symbol}));
    return (uint32_t)m->launch->buffers.n - 1;
}

// The section's place is behind what the buffer holds so far; gap: bytes between, before alignment.
static uint32_t add_section(Maker *m, uint32_t buffer, uint32_t gap, Section s)
{
    Buffer *b = &m->launch->buffers.v[buffer];
    bool own = s.kind == OWN || s.kind == LIST || s.kind == POST || s.kind == TABLE;
    s.buffer = buffer;
    if (!s.align) s.align = s.element;
    s.at = (b->bytes + gap + s.align - 1) / s.align * s.align;
    if (!s.step) s.step = s.element;
    b->bytes = s.at + s.element * s.count * (own ? m->ranks : 1);
    vec_push(&m->sections, s);
    return (uint32_t)m->sections.n - 1;
}

// Some have an earlier one's shape, so that one address may lead to either.
static Section draw_section(Maker *m)
{
    if (m->sections.n && once_in(m, 3)) {
        Section again = m->sections.v[pick(m, (uint32_t)m->sections.n)];
        if (again.kind == OWN) return again;
    }
    static const uint8_t sizes[][2] = {{1, 1},   {2, 2},  {4, 4},  {4, 4},   {8, 8},   {16, 16},
                                       {16, 16}, {7, 1},  {10, 2}, {12, 4},  {20, 4},  {36, 4},
                                       {24, 8},  {40, 8}, {56, 8}, {32, 16}, {48, 16}, {80, 16}};
    const uint8_t *size = sizes[pick(m, COUNT(sizes))];
    Section s = {.element = size[0], .align = size[1]};
    s.kind = once_in(m, 3) ? READ : !m->plain && once_in(m, 6) ? LIST : OWN;
    s.count = s.kind == READ ? range(m, 5, 300) : range(m, 2, once_in(m, 3) ? 40 : 12);
    if (s.kind == LIST) s.element = s.align = 16, s.low = 8;
    if (s.kind == OWN && s.count * s.element > 640) s.count = 640 / s.element;
    if (s.kind == READ) return s;
    bool together = !once_in(m, 3);  // a thread's elements lie together, else the threads' are interleaved
    s.thread = together ? s.element * s.count : s.element;
    s.step = together ? s.element : s.element * m->ranks;
    return s;
}

static void draw_buffers(Maker *m)
{
    uint32_t n = range(m, 1, 5);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t b = add_buffer(m, k == 1 && !m->plain && once_in(m, 4) ? "variable" : NULL),
                 sections = once_in(m, 3) ? 2 : 1;
        for (uint32_t s = 0; s < sections; s++) {
            Section drawn = draw_section(m);
            if (k == 0 && s == 0 && drawn.kind == READ)
                drawn = (Section){.kind = OWN, .element = 4, .count = 9, .thread = 36};
            add_section(m, b, s || once_in(m, 2) ? 0 : range(m, 1, 40), drawn);
        }
        m->launch->buffers.v[b].bytes += pick(m, 20);
    }
}

// --- pointers --------------------------------------------------------------------------------------------------------
static int add_view(Maker *m, uint32_t section, bool exact)
{
    const Section *s = &m->sections.v[section];
    const Buffer *b = &m->launch->buffers.v[s->buffer];
    View v = {.section = section, .arg = -1, .start = (int32_t)s->at};
    if (!b->symbol || once_in(m, 2)) {
        uint32_t offset = exact || once_in(m, 2) ? s->at : once_in(m, 2) ? 0 : pick(m, b->bytes);
        if (m->plain && !once_in(m, 10)) offset = once_in(m, 3) ? offset & ~15u : 0;
        v.arg = (int)m->launch->args.n, v.start = (int32_t)s->at - (int32_t)offset;
        vec_push(&m->launch->args, ((Argument){8, (int)s->buffer, offset}));
    }
    vec_push(&m->views, v);
    return (int)m->views.n - 1;
}

static bool buffer_has_view(Maker *m, uint32_t buffer)
{
    for (uint32_t k = 0; k < m->views.n; k++)
        if (section_of(m, k)->buffer == buffer) return true;
    return false;
}

static void draw_views(Maker *m, uint32_t most)
{
    uint32_t sections = (uint32_t)m->sections.n, n = range(m, 1, once_in(m, 6) ? 8 : 5);
    bool apart = m->plain || once_in(m, 3), same = !apart && !once_in(m, 4);
    if (n > most) n = most;
    add_view(m, 0, once_in(m, 2));
    for (uint32_t tries = 0; m->views.n < n && tries < 30; tries++) {
        uint32_t s = same && !once_in(m, 3) ? m->views.v[pick(m, (uint32_t)m->views.n)].section : pick(m, sections);
        if (apart && buffer_has_view(m, m->sections.v[s].buffer)) continue;
        add_view(m, s, once_in(m, 2));
    }
    for (uint32_t k = 0; k < m->views.n; k++) {
        View *v = &m->views.v[k];
        v->atomic = once_in(m, 8), v->strong = once_in(m, 8), v->spilled = once_in(m, 4);
    }
}

// Per thread some pointers to its own elements of a section that is also reached directly.
static void draw_table(Maker *m)
{
    uint32_t target = m->views.v[pick(m, (uint32_t)m->views.n)].section, count = range(m, 1, 6);
    const Kind kind = m->sections.v[target].kind;
    if (kind != OWN && kind != LIST) return;
    uint32_t s =
        add_section(m, add_buffer(m, NULL), 0,
                    (Section){.kind = TABLE, .element = 8, .count = count, .thread = 8 * count, .target = target});
    const Section *table = &m->sections.v[s], *t = &m->sections.v[target];
    for (uint32_t r = 0; r < m->ranks; r++)
        for (uint32_t k = 0; k < count; k++)
            vec_push(&m->launch->pointers, ((Pointer){table->buffer, table->at + r * table->thread + k * 8, t->buffer,
                                                      t->at + r * t->thread + pick(m, t->count) * t->step}));
    m->table = add_view(m, s, false);
}

// Each node of a thread's list leads to another one of its own.
static void link_lists(Maker *m)
{
    for (uint32_t k = 0; k < m->sections.n; k++) {
        const Section *s = &m->sections.v[k];
        for (uint32_t n = 0; s->kind == LIST && n < m->ranks * s->count; n++) {
            uint32_t first = s->at + n / s->count * s->thread;
            vec_push(&m->launch->pointers, ((Pointer){s->buffer, first + n % s->count * s->step, s->buffer,
                                                      first + pick(m, s->count) * s->step}));
        }
    }
}

// What one thread of a group reads of all: see put_gather. The group is everybody, or a few, and there are as many in
// each.
static void draw_post(Maker *m)
{
    uint32_t rounds = range(m, 3, 20), bytes = 1u << pick(m, 3), buffer = add_buffer(m, NULL);
    Section post = {.kind = POST, .element = bytes, .count = rounds, .thread = bytes * rounds};
    if (!once_in(m, 3)) post.thread = bytes, post.step = bytes * m->ranks;
    m->post = add_view(m, add_section(m, buffer, pick(m, 20), post), false);
    m->group = once_in(m, 4) ? m->ranks : range(m, 2, 8), m->near = !once_in(m, 3);
    while (m->ranks % m->group) m->group++;
    m->groups = m->ranks / m->group;
    uint32_t of_all = m->groups * rounds, same = !m->plain && once_in(m, 2),
             result = same ? buffer : add_buffer(m, NULL);
    m->result = add_view(m, add_section(m, result, 0, (Section){.kind = RESULT, .element = 4, .count = of_all}), false);
    m->counter = add_view(
        m, add_section(m, add_buffer(m, NULL), 0, (Section){.kind = COUNTER, .element = 4, .count = of_all}), false);
    m->baton = add_view(
        m, add_section(m, add_buffer(m, NULL), 0, (Section){.kind = BATON, .element = 4, .count = m->groups}), false);
}

static void fill_buffers(Maker *m)
{
    for (size_t k = 0; k < m->launch->buffers.n; k++) {
        Buffer *b = &m->launch->buffers.v[k];
        b->data = mem_alloc(b->bytes);
        for (uint32_t n = 0; n < b->bytes; n++) b->data[n] = (uint8_t)pick(m, 256);
    }
    for (size_t k = 0; k < m->sections.n; k++) {
        const Section *s = &m->sections.v[k];
        if (s->kind == COUNTER) memset(m->launch->buffers.v[s->buffer].data + s->at, 0, s->element * s->count);
    }
}

static bool pointers_apart(const Launch *l)
{
    for (size_t a = 0; a < l->args.n; a++)
        for (size_t b = 0; b < a; b++)
            if (l->args.v[a].buffer >= 0 && l->args.v[a].buffer == l->args.v[b].buffer) return false;
    return true;
}

// Until the last line of 24 bytes from each pointer on ends within the allocation's padding to 256.
static void make_room(Maker *m)
{
    for (size_t k = 0; k < m->launch->args.n; k++) {
        const Argument *a = &m->launch->args.v[k];
        if (a->buffer < 0) continue;
        uint32_t *bytes = &m->launch->buffers.v[a->buffer].bytes, start = (uint32_t)a->value;
        while (start + (*bytes - start + 23) / 24 * 24 > (*bytes + 255) / 256 * 256) ++*bytes;
    }
}

void draw_layout(Maker *m)
{
    m->table = m->post = m->result = m->counter = m->baton = m->sum = -1;
    m->plain = once_in(m, 2);
    draw_buffers(m);
    bool posts = once_in(m, 2);
    draw_views(m, !m->plain ? 8 : posts ? 2 : 4);  // seven are told apart, with those below
    m->out = add_view(
        m, add_section(m, add_buffer(m, NULL), 0, (Section){.kind = OWN, .element = 16, .count = 3, .thread = 48}),
        true);
    if (!m->plain && once_in(m, 3)) draw_table(m);
    if (posts) draw_post(m);
    if (!(m->plain && posts) && once_in(m, 4)) {
        Section sum = {.kind = SUM, .element = 4, .count = range(m, 1, 9)};
        m->sum = add_view(m, add_section(m, add_buffer(m, NULL), 0, sum), false);
    }
    m->number = (int)m->launch->args.n;
    vec_push(&m->launch->args, ((Argument){4, -1, range(m, 3, 12)}));
    m->far = (int)m->launch->args.n;
    vec_push(&m->launch->args, ((Argument){8, -1, 8}));
    link_lists(m);
    if (m->plain && !once_in(m, 10)) make_room(m);
    fill_buffers(m);
    m->launch->apart = pointers_apart(m->launch), m->launch->plain = m->plain;
}

void launch_free(Launch *l)
{
    for (size_t k = 0; k < l->buffers.n; k++) mem_free(l->buffers.v[k].data);
    vec_free(&l->buffers), vec_free(&l->pointers), vec_free(&l->args);
}
