// origin.c: notes of where lines come from, and the line marks (# 12 "file.ptx") that are made of them. lex.c and ptxas
// read such marks. One stands only where the line isn't the one that a reader would count.
#include "ptx/origin.h"

#include <string.h>

void origin_put(LineOrigins *o, const Text *out, uint32_t source, uint32_t loc)
{
    if (!o) return;
    LineOrigin *last = o->n ? &o->v[o->n - 1] : NULL;
    if (last && last->source == source && last->loc == loc) return;
    if (last && last->at == out->n)
        last->source = source, last->loc = loc;
    else
        vec_push(o, ((LineOrigin){out->n, source, loc}));
}

void origins_move(LineOrigins *to, LineOrigins *from, size_t by)
{
    for (size_t k = 0; to && k < from->n; k++) {
        from->v[k].at += by;
        vec_push(to, from->v[k]);
    }
    from->n = 0;
}

// --- marks -----------------------------------------------------------------------------------------------------------
typedef struct Marking {
    const Module *m;
    VEC(size_t) lines;  // where each line of the source begins
    const char *name;   // of the line that a reader would count now
    int line;
    uint32_t loc;
    Text *out;
} Marking;

// The place of a byte of the source. Its line is searched: counting from the beginning each time would take long.
static SourcePlace place_of(const Marking *g, uint32_t at)
{
    const Source *s = &g->m->source;
    if (s->mark_count) return source_place(s, at);
    size_t least = 0, most = g->lines.n;
    while (least + 1 < most) {
        size_t middle = (least + most) / 2;
        if (g->lines.v[middle] <= at)
            least = middle;
        else
            most = middle;
    }
    return (SourcePlace){s->name, (int)least + 1, 0};
}

static void put_name(const char *name, Text *out)
{
    for (; *name; name++) {
        char c = (unsigned char)*name < ' ' ? ' '
                 : *name == '"'             ? '\''
                 : *name == '\\'            ? '/'
                                            : *name;  // ptxas has no escapes
        text_add(out, &c, 1);
    }
}

static void put_loc(Marking *g, uint32_t loc)
{
    const Loc *was = g->loc ? &g->m->locs.v[g->loc - 1] : NULL, *l = loc ? &g->m->locs.v[loc - 1] : NULL;
    if (l)
        text_printf(g->out, "    .loc %u %u %u\n", l->file, l->line, l->column);
    else
        text_printf(g->out, "    .loc %u 0 0\n", was->file);
    g->loc = loc;
    if (g->line) g->line++;
}

void origins_mark(const LineOrigins *o, const Text *text, const Module *m, const char *own, Text *out)
{
    Marking g = {.m = m, .name = "", .out = out};
    const char *first = m->source.text, *end = first + m->source.length;
    vec_push(&g.lines, 0);
    for (const char *s = first; (s = memchr(s, '\n', (size_t)(end - s)));) vec_push(&g.lines, (size_t)(++s - first));
    size_t next = 0;
    int number = 1;
    for (size_t at = 0; at < text->n; number++) {
        while (next < o->n && o->v[next].at <= at) next++;
        const LineOrigin *from = next ? &o->v[next - 1] : NULL;
        bool mine = !from || from->source == NO_ORIGIN;
        uint32_t loc = mine ? 0 : from->loc;
        SourcePlace place = mine ? (SourcePlace){own, number, 0} : place_of(&g, from->source);
        if (loc != g.loc) put_loc(&g, loc);
        if (place.line != g.line || strcmp(place.name, g.name)) {
            text_printf(out, "# %d \"", place.line);
            put_name(place.name, out);
            text_put(out, "\"\n");
            g.name = place.name, g.line = place.line;
        }
        const char *newline = memchr(text->v + at, '\n', text->n - at);
        size_t behind = newline ? (size_t)(newline - text->v) + 1 : text->n;
        text_add(out, text->v + at, behind - at);
        g.line++;
        at = behind;
    }
    vec_free(&g.lines);
}
