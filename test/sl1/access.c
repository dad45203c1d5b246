// access.c: addresses, loads and stores. An address is made from an argument, from the thread's base, from a copy of it
// in local memory, by choice between two bases, or is itself loaded; elements are accessed in any width that they have.
#include "maker.h"

#include <stdarg.h>

void put(Maker *m, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    text_put(&m->body, format[0] == '$' ? "" : "    ");
    text_vprintf(&m->body, format, args);
    text_put(&m->body, "\n");
    va_end(args);
}

uint32_t temp(Maker *m) { return m->temps++; }

void put_condition(Maker *m, uint32_t q, uint32_t one_in)
{
    uint32_t t = temp(m), bits = 1;
    while (bits < one_in) bits *= 2;
    put(m, "xor.b32 %%t%u, %%a%u, %u;", t, pick(m, A), pick(m, 1000));
    if (once_in(m, 4)) put(m, "xor.b32 %%t%u, %%t%u, %%rank;", t, t);
    put(m, "and.b32 %%t%u, %%t%u, %u;", t, t, (bits - 1) << pick(m, 4));
    put(m, "setp.eq.u32 %%q%u, %%t%u, 0;", q, t);
}

// --- addresses -------------------------------------------------------------------------------------------------------
uint32_t draw_index(Maker *m, uint32_t n)
{
    uint32_t t = temp(m), kind = pick(m, 8);
    if (kind < 5 && m->depth) {
        put(m, "shr.u32 %%t%u, %%t%u, %u;", t, m->counters[pick(m, m->depth)], once_in(m, 3) ? pick(m, 3) : 0);
        if (n & (n - 1))
            put(m, "rem.u32 %%t%u, %%t%u, %u;", t, t, n);
        else
            put(m, "and.b32 %%t%u, %%t%u, %u;", t, t, n - 1);
    } else if (kind == 5) {
        put(m, "rem.u32 %%t%u, %%a%u, %u;", t, pick(m, A), n);
    } else {
        put(m, "mov.u32 %%t%u, %u;", t, pick(m, n));
    }
    return t;
}

int draw_view(Maker *m, bool written)
{
    for (int tries = 0; tries < 12; tries++) {
        uint32_t v = pick(m, (uint32_t)m->views.n);
        Kind k = section_of(m, v)->kind;
        if (written ? writable(m, v) : k == READ || k == OWN || k == LIST) return (int)v;
    }
    return -1;
}

int draw_twin(Maker *m, uint32_t view)
{
    const Section *a = section_of(m, view);
    uint32_t n = (uint32_t)m->views.n, first = pick(m, n);
    for (uint32_t k = 0; k < n; k++) {
        uint32_t v = (first + k) % n;
        const Section *b = section_of(m, v);
        bool alike = a->kind == b->kind && a->element == b->element && a->align == b->align && a->count == b->count;
        if (v != view && alike && a->thread == b->thread && a->step == b->step) return (int)v;
    }
    return -1;
}

// The thread's first element, in a %x register that is a global address. *known: whether it is clear from which
// argument.
static uint32_t draw_base(Maker *m, uint32_t view, bool *known)
{
    const View *v = &m->views.v[view];
    *known = false;
    int twin = !m->plain && once_in(m, 3) ? draw_twin(m, view) : -1;
    if (twin >= 0) {
        uint32_t x = temp(m), q = temp(m);
        put_condition(m, q, 2);
        put(m, "selp.b64 %%x%u, %%x%u, %%x%u, %%q%u;", x, v->base, m->views.v[twin].base, q);
        return x;
    }
    if (v->spilled && !m->plain && once_in(m, 2)) {
        uint32_t x = temp(m);
        put(m, "ld.local.u64 %%x%u, [spill+%u];", x, 8 * view);
        return x;
    }
    *known = v->arg >= 0;
    if (v->arg < 0 || !once_in(m, 5)) return v->base;
    uint32_t x = temp(m), y = temp(m);
    put(m, "cvta.to.global.u64 %%x%u, %%p%d;", x, v->arg);
    put(m, "mul.wide.u32 %%x%u, %%rank, %u;", y, section_of(m, view)->thread);
    put(m, "add.s64 %%x%u, %%x%u, %%x%u;", x, x, y);
    put(m, "add.s64 %%x%u, %%x%u, %d;", x, x, v->start);
    return x;
}

// A register that also holds something else is a pointer of unknown origin.
static uint32_t add_index(Maker *m, uint32_t base, const Section *s)
{
    uint32_t t = draw_index(m, s->count), x = temp(m), y = m->plain || once_in(m, 2) ? temp(m) : x;
    switch (pick(m, 3)) {
    case 0: put(m, "mad.wide.u32 %%x%u, %%t%u, %u, %%x%u;", x, t, s->step, base); break;
    case 1:
        put(m, "mul.wide.u32 %%x%u, %%t%u, %u;", y, t, s->step);
        put(m, "add.s64 %%x%u, %%x%u, %%x%u;", x, base, y);
        break;
    default:
        put(m, "cvt.u64.u32 %%x%u, %%t%u;", y, t);
        put(m, "mad.lo.u64 %%x%u, %%x%u, %u, %%x%u;", x, y, s->step, base);
    }
    return x;
}

// On to one of the nodes that follow.
static void follow(Maker *m, Place *p)
{
    uint32_t x = temp(m);
    put(m, "ld.global.u64 %%x%u, [%%x%u%+d];", x, p->x, p->offset);
    for (uint32_t n = pick(m, 3); n; n--) put(m, "ld.u64 %%x%u, [%%x%u];", x, x);
    p->x = x, p->offset = 0, p->generic = true;
}

Place draw_place(Maker *m, uint32_t view)
{
    const View *v = &m->views.v[view];
    bool known;
    Place p = {.section = v->section, .x = draw_base(m, view, &known)};
    const Section *s = section_of(m, view);
    if (once_in(m, 5))
        p.offset = (int32_t)(pick(m, s->count) * s->step);
    else
        p.x = add_index(m, p.x, s);
    if (s->kind == TABLE) {
        uint32_t x = temp(m);
        put(m, "ld.global.u64 %%x%u, [%%x%u%+d];", x, p.x, p.offset);
        p = (Place){.section = s->target, .x = x, .generic = true};
        known = false;
        s = &m->sections.v[s->target];
    }
    if (s->kind == LIST && once_in(m, 2)) follow(m, &p), known = false;
    if (p.generic && once_in(m, 2)) {
        uint32_t x = temp(m);
        put(m, "cvta.to.global.u64 %%x%u, %%x%u;", x, p.x);
        p.x = x, p.generic = false;
    } else if (!p.generic && once_in(m, 3)) {
        uint32_t x = temp(m);
        put(m, "cvta.global.u64 %%x%u, %%x%u;", x, p.x);
        p.x = x, p.generic = true;
    }
    if (s->kind == LIST && once_in(m, 4)) {  // an unknown pointer and an argument that is none
        uint32_t x = temp(m);
        put(m, "add.s64 %%x%u, %%x%u, %%far;", x, p.x);
        p.x = x, p.offset -= 8;
        known = false;
    }
    // What may touch anything makes the software L1 leave a kernel alone.
    p.strong = known ? v->strong : once_in(m, 600), p.atomic = known ? v->atomic : once_in(m, 600);
    return p;
}

void put_bases(Maker *m)
{
    for (uint32_t k = 0; k < m->views.n; k++) {
        const View *v = &m->views.v[k];
        const Section *s = section_of(m, k);
        uint32_t x = temp(m);
        if (v->arg >= 0)
            put(m, "cvta.to.global.u64 %%x%u, %%p%d;", x, v->arg);
        else
            put(m, "mov.u64 %%x%u, %s;", x, m->launch->buffers.v[s->buffer].symbol);
        if (v->start) put(m, "add.s64 %%x%u, %%x%u, %d;", x, x, v->start);
        if (s->thread)
            put(m, "mad.wide.u32 %%x%u, %%rank, %u, %%x%u;", v->base, s->thread, x);
        else
            put(m, "mov.b64 %%x%u, %%x%u;", v->base, x);
        if (v->spilled) put(m, "st.local.u64 [spill+%u], %%x%u;", 8 * k, v->base);
    }
}

// --- widths ----------------------------------------------------------------------------------------------------------
typedef struct Form {
    uint32_t bytes, vector;  // of an element of the vector; its elements
    const char *type;
} Form;
static const Form forms[] = {
    {1, 1, "u8"},  {1, 1, "s8"},  {1, 1, "b8"},  {1, 2, "u8"},  {1, 4, "u8"},  {1, 4, "b8"},  {2, 1, "u16"},
    {2, 1, "s16"}, {2, 1, "b16"}, {2, 2, "u16"}, {2, 4, "b16"}, {4, 1, "u32"}, {4, 1, "s32"}, {4, 1, "b32"},
    {4, 1, "f32"}, {4, 2, "u32"}, {4, 2, "f32"}, {4, 4, "b32"}, {4, 4, "f32"}, {4, 4, "s32"}, {8, 1, "u64"},
    {8, 1, "s64"}, {8, 1, "b64"}, {8, 1, "f64"}, {8, 2, "b64"}, {8, 2, "f64"},
};

// A form that fits into an element from byte low on, and where in it.
static const Form *draw_form(Maker *m, const Section *s, uint32_t low, int32_t *at)
{
    for (;;) {
        const Form *f = &forms[pick(m, COUNT(forms))];
        uint32_t bytes = f->bytes * f->vector;
        if (bytes > s->align || bytes > s->element - low || low % bytes ||
            (bytes < s->element && bytes < 4 && once_in(m, 2)))
            continue;
        *at = (int32_t)(low + pick(m, (s->element - low) / bytes) * bytes);
        return f;
    }
}

// The class of register that takes a value of the type, or a wider one.
static char draw_class(Maker *m, const Form *f, bool vector)
{
    if (f->type[0] == 'f') return f->bytes == 4 ? 'g' : 'e';
    if (f->bytes == 8) return 'x';
    if (f->bytes <= 2 && once_in(m, 3)) return 'i';
    return !vector && once_in(m, 8) ? 'x' : 't';
}

static void put_initial(Maker *m, char c, uint32_t n)
{
    switch (c) {
    case 'g': put(m, "mov.f32 %%g%u, 0f3F800000;", n); break;
    case 'e': put(m, "mov.f64 %%e%u, 0d3FF0000000000000;", n); break;
    case 'x': put(m, "mov.u64 %%x%u, %u;", n, pick(m, 99)); break;
    case 'i': put(m, "mov.u16 %%i%u, %u;", n, pick(m, 99)); break;
    default: put(m, "mov.u32 %%t%u, %u;", n, pick(m, 99));
    }
}

// What was loaded goes into the accumulators.
static void put_fold(Maker *m, char c, uint32_t n)
{
    uint32_t a = pick(m, A), t = temp(m);
    switch (c) {
    case 'g':
        if (once_in(m, 3)) put(m, "add.f32 %%f%u, %%f%u, %%g%u;", a % F, a % F, n);
        put(m, "mov.b32 %%t%u, %%g%u;", t, n);
        break;
    case 'e':
        if (once_in(m, 3)) put(m, "add.f64 %%d%u, %%d%u, %%e%u;", a % D, a % D, n);
        put(m, "mov.b64 %%x%u, %%e%u;", t, n);
        put(m, "cvt.u32.u64 %%t%u, %%x%u;", t, t);
        break;
    case 'x':
        put(m, "add.s64 %%w%u, %%w%u, %%x%u;", a % W, a % W, n);
        put(m, "cvt.u32.u64 %%t%u, %%x%u;", t, n);
        break;
    case 'i': put(m, "cvt.u32.u16 %%t%u, %%i%u;", t, n); break;
    default: put(m, "mov.b32 %%t%u, %%t%u;", t, n);
    }
    if (once_in(m, 2))
        put(m, "mad.lo.u32 %%a%u, %%a%u, %u, %%t%u;", a, a, 2 * pick(m, 500) + 1, t);
    else
        put(m, "%s %%a%u, %%a%u, %%t%u;", once_in(m, 2) ? "add.u32" : "xor.b32", a, a, t);
}

// --- loads and stores ------------------------------------------------------------------------------------------------
static const char *draw_guard(Maker *m, Text *guard)
{
    if (!once_in(m, 5)) return "";
    uint32_t q = temp(m);
    put_condition(m, q, 2);
    text_printf(guard, "@%s%%q%u ", once_in(m, 2) ? "!" : "", q);
    return guard->v;
}

// What stands between ld or st and the type.
static void draw_modifiers(Maker *m, const Place *p, bool load, Text *out)
{
    static const char *const cached[2][4] = {{".wb", ".cg", ".cs", ".wt"}, {".ca", ".cg", ".cs", ".cv"}};
    bool strong = p->strong && once_in(m, 2), read = m->sections.v[p->section].kind == READ;
    if (strong && m->sm >= 70 && once_in(m, 2))
        text_put(out, once_in(m, 2) ? ".relaxed.gpu" : load ? ".acquire.gpu" : ".release.sys");
    else if (strong)
        text_put(out, ".volatile");
    if (!p->generic) text_put(out, ".global");
    if (!strong && once_in(m, 8))
        text_put(out, cached[load][pick(m, 4)]);
    else if (load && read && !strong && !p->generic && m->sm >= 35 && once_in(m, 2))
        text_put(out, ".nc");
}

static void put_operation(Maker *m, const Place *p, bool load, const Form *f, const char *guard, int32_t at,
                          const char *values)
{
    Text modifiers = {0}, address = {0}, vector = {0};
    draw_modifiers(m, p, load, &modifiers);
    if (p->offset + at)
        text_printf(&address, "[%%x%u%+d]", p->x, p->offset + at);
    else
        text_printf(&address, "[%%x%u]", p->x);
    text_put(&vector, "");
    if (f->vector > 1) text_printf(&vector, ".v%u", f->vector);
    const char *mods = modifiers.v ? modifiers.v : "";
    if (load)
        put(m, "%sld%s%s.%s %s, %s;", guard, mods, vector.v, f->type, values, address.v);
    else
        put(m, "%sst%s%s.%s %s, %s;", guard, mods, vector.v, f->type, address.v, values);
    text_free(&modifiers), text_free(&address), text_free(&vector);
}

static bool is_base(Maker *m, uint32_t x)
{
    for (size_t k = 0; k < m->views.n; k++)
        if (m->views.v[k].base == x) return true;
    return false;
}

void put_load(Maker *m, const Place *p)
{
    int32_t at;
    const Form *f = draw_form(m, &m->sections.v[p->section], 0, &at);
    Text guard = {0}, values = {0};
    const char *guarded = draw_guard(m, &guard);
    char c = draw_class(m, f, f->vector > 1);
    uint32_t first = m->temps;
    bool over = c == 'x' && f->vector == 1 && !m->plain && !p->keep && !is_base(m, p->x) && once_in(m, 2),
         sink[4] = {false};
    m->temps += f->vector;
    for (uint32_t k = 0; k < f->vector && guarded[0] && !over; k++) put_initial(m, c, first + k);
    if (f->vector > 1) text_put(&values, "{");
    for (uint32_t k = 0; k < f->vector; k++) {
        sink[k] = k && once_in(m, 10);
        text_put(&values, k ? ", " : "");
        if (sink[k])
            text_put(&values, "_");
        else
            text_printf(&values, "%%%c%u", c, over ? p->x : first + k);
    }
    if (f->vector > 1) text_put(&values, "}");
    put_operation(m, p, true, f, guarded, at, values.v);
    for (uint32_t k = 0; k < f->vector; k++)
        if (!sink[k]) put_fold(m, c, over ? p->x : first + k);
    text_free(&guard), text_free(&values);
}

void put_store(Maker *m, const Place *p)
{
    int32_t at;
    const Section *s = &m->sections.v[p->section];
    const Form *f = draw_form(m, s, s->low, &at);
    Text guard = {0}, values = {0};
    const char *guarded = draw_guard(m, &guard);
    if (f->vector > 1) text_put(&values, "{");
    for (uint32_t k = 0; k < f->vector; k++) {
        text_put(&values, k ? ", " : "");
        if (f->type[0] == 'f')
            text_printf(&values, f->bytes == 4 ? "%%f%u" : "%%d%u", f->bytes == 4 ? pick(m, F) : pick(m, D));
        else if (f->bytes == 8)
            text_printf(&values, "%%w%u", pick(m, W));
        else if (f->vector == 1 && once_in(m, 6))
            text_printf(&values, "%u", pick(m, 100));
        else
            text_printf(&values, "%%a%u", pick(m, A));
    }
    if (f->vector > 1) text_put(&values, "}");
    put_operation(m, p, false, f, guarded, at, values.v);
    text_free(&guard), text_free(&values);
}

// Another pointer to the same section, or −1.
static int draw_other(Maker *m, uint32_t view)
{
    uint32_t n = (uint32_t)m->views.n, first = pick(m, n);
    for (uint32_t k = 0; k < n; k++)
        if ((first + k) % n != view && m->views.v[(first + k) % n].section == m->views.v[view].section)
            return (int)((first + k) % n);
    return -1;
}

bool put_both(Maker *m, uint32_t view)
{
    int other = draw_other(m, view);
    const Section *s = section_of(m, view);
    if (other < 0 || !writable(m, view)) return false;
    uint32_t t = draw_index(m, s->count), x[2] = {temp(m), temp(m)}, views[2] = {view, (uint32_t)other};
    for (uint32_t k = 0; k < 2; k++)
        put(m, "mad.wide.u32 %%x%u, %%t%u, %u, %%x%u;", x[k], t, s->step, m->views.v[views[k]].base);
    for (uint32_t n = range(m, 3, 6); n; n--) {
        uint32_t k = pick(m, 2);
        const View *v = &m->views.v[views[k]];
        Place p = {.section = v->section,
                   .x = x[k],
                   .keep = true,
                   .strong = v->strong && v->arg >= 0,
                   .atomic = v->atomic && v->arg >= 0};
        if (p.atomic && s->align >= 4 && once_in(m, 2))
            put_atomic(m, &p);
        else if (once_in(m, 2))
            put_store(m, &p);
        else
            put_load(m, &p);
    }
    return true;
}

// 16 bytes as a whole and by halves, in any order: a line of 24 bytes may end between the halves.
void put_halves(Maker *m, const Place *p)
{
    static const Form whole = {4, 4, "b32"}, half = {8, 1, "b64"};
    for (uint32_t n = range(m, 2, 5); n; n--) {
        bool wide = once_in(m, 2), load = once_in(m, 2);
        uint32_t first = m->temps, a = pick(m, A - 3);
        Text values = {0};
        m->temps += 4;
        if (wide && load)
            text_printf(&values, "{%%t%u, %%t%u, %%t%u, %%t%u}", first, first + 1, first + 2, first + 3);
        else if (wide)
            text_printf(&values, "{%%a%u, %%a%u, %%a%u, %%a%u}", a, a + 1, a + 2, a + 3);
        else if (load)
            text_printf(&values, "%%x%u", first);
        else
            text_printf(&values, "%%w%u", pick(m, W));
        put_operation(m, p, load, wide ? &whole : &half, "", wide || once_in(m, 3) ? 0 : 8, values.v);
        if (load && wide)
            put_fold(m, 't', first + 1), put_fold(m, 't', first + 2);
        else if (load)
            put_fold(m, 'x', first);
        text_free(&values);
    }
}

void put_atomic(Maker *m, const Place *p)
{
    static const char *const forms32[] = {"add.u32", "xor.b32", "min.s32", "exch.b32", "or.b32"};
    const char *form = forms32[pick(m, COUNT(forms32))], *space = p->generic ? "" : ".global";
    uint32_t t = temp(m), low = m->sections.v[p->section].low;
    if (once_in(m, 3))
        put(m, "red%s.add.u32 [%%x%u%+d], %%a%u;", space, p->x, p->offset + (int32_t)low, pick(m, A));
    else
        put(m, "atom%s.%s %%t%u, [%%x%u%+d], %%a%u;", space, form, t, p->x, p->offset + (int32_t)low, pick(m, A)),
            put_fold(m, 't', t);
}
