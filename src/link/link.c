// link.c: a link from its beginning to its end. A module is scanned when it is added, once; what depends on the others
// comes when the link is finished, in this order: of each name a definition, what is needed, the text.
#include "link/unit.h"

#include <string.h>

Link *link_new(void) { return mem_alloc(sizeof(Link)); }

void link_bound(Link *l, uint32_t registers) { l->bound = registers; }

void link_open(Link *l) { l->open = true; }

void link_free(Link *l)
{
    if (!l) return;
    for (size_t k = 0; k < l->objects.n; k++) module_free(l->objects.v[k]);
    vec_free(&l->objects);
    vec_free(&l->names);
    lookup_free(&l->table);
    text_free(&l->mark);
    arena_free(&l->arena);
    mem_free(l);
}

// --- modules ---------------------------------------------------------------------------------------------------------
static bool add_object(Link *l, const char *name, const char *text, size_t n, Diag *diag)
{
    static const char mark[3] = {'\xef', '\xbb', '\xbf'};  // the byte-order mark, with which editors begin a file
    if (n >= sizeof mark && !memcmp(text, mark, sizeof mark)) text += sizeof mark, n -= sizeof mark;
    Object *o = mem_alloc(sizeof *o);
    o->name = name;
    o->source = (Source){.name = name, .text = arena_text(&l->arena, text, n), .length = n};
    vec_push(&l->objects, o);
    return module_scan(o, &l->arena, diag);
}

static bool is_blank(const char *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (!strchr(" \t\r\n", text[k])) return false;
    return true;
}

bool link_add(Link *l, const char *name, const char *text, size_t n, Diag *diag)
{
    enum { ROOM = 24 };  // bytes of memory that a byte of text may take here, and in the result
    const size_t before = l->objects.n;
    name = name ? arena_copy(&l->arena, name) : arena_printf(&l->arena, "input %u", l->inputs + 1);
    if (n >= UINT32_MAX / 2) return diag_error(diag, "%s: PTX text of more than 2 GiB", name);
    if (n > MEM_SPARE / ROOM && !mem_room((uint64_t)n * ROOM)) {
        diag->memory = true;
        return diag_error(diag, "%s: %s", name, mem_none);
    }
    bool ok = true;
    for (size_t at = 0, end; ok && at < n; at = end + 1) {
        end = at + strnlen(text + at, n - at);
        if (!is_blank(text + at, end - at)) ok = add_object(l, name, text + at, end - at, diag);
    }
    if (ok && l->objects.n == before) ok = diag_error(diag, "%s: there is no PTX in it", name);
    while (!ok && l->objects.n > before) module_free(l->objects.v[--l->objects.n]);
    l->inputs += ok;
    return ok;
}

// --- the link --------------------------------------------------------------------------------------------------------
// A new name is the old one, this, and its object's number. No text has this with a digit behind it, so a new name is
// no other's, and nothing in a body hides it.
static void choose_mark(Link *l)
{
    size_t most = 0;
    for (size_t k = 0; k < l->objects.n; k++) {
        const char *at = l->objects.v[k]->source.text, *end = at + l->objects.v[k]->source.length;
        while ((at = memchr(at, '$', (size_t)(end - at)))) {
            const size_t n = strspn(++at, "o");
            at += n;
            if (n && *at >= '0' && *at <= '9') most = MAX(most, n);
        }
    }
    text_put(&l->mark, "$");
    for (size_t k = 0; k <= most; k++) text_put(&l->mark, "o");
}

static void begin(Link *l)
{
    vec_free(&l->names);
    lookup_free(&l->table);
    text_free(&l->mark);
    l->first_strings = NONE;
    for (uint32_t k = 0; k < l->objects.n; k++) {
        Object *o = l->objects.v[k];
        if (o->strings.n && l->first_strings == NONE) l->first_strings = k;
        for (size_t j = 0; j < o->symbols.n; j++) {
            Symbol *y = &o->symbols.v[j];
            y->renamed = y->reached = y->begun = y->told = false;
        }
    }
    choose_mark(l);
}

bool link_finish(Link *l, Text *out, Text *warnings, Diag *diag)
{
    if (!l->objects.n) return diag_error(diag, "nothing was added that could be linked");
    begin(l);
    const size_t before = out->n;
    bool ok = link_resolve(l, warnings, diag) && link_reach(l, diag) && head_write(l, out, warnings, diag);
    if (ok) link_write(l, out);
    if (!ok && out->v) out->v[out->n = before] = 0;
    return ok;
}
