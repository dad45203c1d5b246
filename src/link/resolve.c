// resolve.c: of each name the definition that is taken, and whether all objects say the same of it. What is allowed,
// and the words where it isn't, are those that nvlink 13.0 was seen to have. A strong definition goes before a weak
// one, a weak one before a .common, the first before the others; the largest of several .common is taken.
#include "link/unit.h"

#include <string.h>

// --- names -----------------------------------------------------------------------------------------------------------
static bool same_name(const void *user, uint32_t index, const char *text, uint32_t n, uint32_t hash)
{
    const Name *x = &((const Link *)user)->names.v[index];
    return x->hash == hash && x->length == n && !memcmp(x->v, text, n);
}

static uint32_t hash_of_name(const void *user, uint32_t index) { return ((const Link *)user)->names.v[index].hash; }

// The name of a symbol, which begins with it where no symbol had it before.
static Name *name_of(Link *l, Place p, bool *fresh)
{
    Symbol *y = symbol_at(l, p);
    uint32_t index = lookup_find(&l->table, y->name, y->length, y->hash, same_name, l);
    *fresh = index == NONE;
    if (*fresh) {
        const Place none = {NONE, NONE};
        index = (uint32_t)l->names.n;
        vec_push(&l->names, ((Name){.v = y->name,
                                    .length = y->length,
                                    .hash = y->hash,
                                    .first = p,
                                    .declaration = p,
                                    .definition = none,
                                    .sized = none,
                                    .align = y->align}));
        lookup_add(&l->table, index, y->hash, hash_of_name, l);
    }
    y->of = index;
    return &l->names.v[index];
}

Place link_meaning(const Link *l, Place p)
{
    const Symbol *y = symbol_at(l, p);
    if (y->linkage == LOCAL) return p;
    const Name *x = &l->names.v[y->of];
    return x->definition.object != NONE ? x->definition : x->declaration;
}

// --- agreement -------------------------------------------------------------------------------------------------------
static const char *object_name(const Link *l, Place p) { return l->objects.v[p.object]->name; }

// "… for 'x' in 'b.o', first … in 'a.o'"
static bool disagree(const Link *l, Place p, Place first, const char *what, const char *said, Diag *diag)
{
    return diag_error(diag, "%s for '%s' in '%s', first %s in '%s'", what, symbol_at(l, p)->name, object_name(l, p),
                      said, object_name(l, first));
}

static bool same_space(const Link *l, Place p, Place q)
{
    const Symbol *a = symbol_at(l, p), *b = symbol_at(l, q);
    const char *s = l->objects.v[p.object]->source.text + a->space.at;
    return a->space.n == b->space.n && !memcmp(s, l->objects.v[q.object]->source.text + b->space.at, a->space.n);
}

static bool same_shapes(const Link *l, Place p, Place q)
{
    const Symbol *a = symbol_at(l, p), *b = symbol_at(l, q);
    const uint64_t *x = l->objects.v[p.object]->shapes.v + a->params;
    return a->count == b->count && !memcmp(x, l->objects.v[q.object]->shapes.v + b->params, a->count * sizeof *x);
}

static uint64_t param_bytes(const Link *l, Place p)
{
    const Symbol *y = symbol_at(l, p);
    uint64_t sum = 0;
    for (uint32_t k = 0; k < y->count; k++)
        sum = most_plus(sum, l->objects.v[p.object]->shapes.v[y->params + k] & ((1ull << 48) - 1));
    return sum;
}

static bool kinds_agree(const Link *l, const Name *x, Place p, Diag *diag)
{
    const Symbol *y = symbol_at(l, p), *f = symbol_at(l, x->first);
    const bool variable = y->kind == VARIABLE;
    if (variable != (f->kind == VARIABLE) || (variable && !same_space(l, p, x->first)))
        return disagree(l, p, x->first, "Memory space doesn't match", "specified", diag);
    if (y->kind != f->kind)
        return diag_error(diag, "Function '%s' not declared __global__ in all source files", y->name);
    if (variable && y->managed != f->managed)
        return disagree(l, p, x->first, "Managed attribute doesn't match", "specified", diag);
    if (y->kind == FUNCTION && !same_shapes(l, p, x->first))
        return disagree(l, p, x->first, "Prototype doesn't match", "defined", diag);
    if (y->kind == ENTRY && y->defined && f->defined && param_bytes(l, p) != param_bytes(l, x->first))
        return diag_error(diag, "Duplicate weak parameter bank for '%s' is not the same size", y->name);
    return true;
}

// A .common may be smaller than an initialised variable of its name; two may differ; all else must be of one size.
static bool sizes_agree(const Link *l, Name *x, Place p, Diag *diag)
{
    const Symbol *y = symbol_at(l, p);
    if (y->kind != VARIABLE || !y->bytes) return true;
    const Symbol *z = x->sized.object == NONE ? y : symbol_at(l, x->sized);
    const bool common = y->linkage == COMMON || z->linkage == COMMON;
    if (y->bytes != z->bytes && y->linkage != z->linkage && common) {
        const Symbol *c = y->linkage == COMMON ? y : z, *d = c == y ? z : y;
        if (d->initialised && c->bytes > d->bytes)
            return diag_error(diag, "Common symbol '%s' in file '%s' has larger size than initialization", y->name,
                              object_name(l, c == y ? p : x->sized));
        if (!d->initialised) return disagree(l, p, x->sized, "Size doesn't match", "specified", diag);
    } else if (y->bytes != z->bytes && !common) {
        return disagree(l, p, x->sized, "Size doesn't match", "specified", diag);
    }
    if (x->sized.object == NONE || (y->linkage >= z->linkage && y->bytes > z->bytes) || y->linkage > z->linkage)
        x->sized = p;
    return true;
}

// --- the choice ------------------------------------------------------------------------------------------------------
static bool merge(Link *l, Place p, Diag *diag)
{
    bool fresh;
    const Symbol *y = symbol_at(l, p);
    Name *x = name_of(l, p, &fresh);
    if (!kinds_agree(l, x, p, diag) || !sizes_agree(l, x, p, diag)) return false;
    // All variables of dynamic shared memory, which has a name in several objects, begin at one address.
    const Symbol *d = symbol_at(l, x->declaration);
    if (y->kind == VARIABLE && (y->align > d->align || (y->align == d->align && y->bytes > d->bytes)))
        x->declaration = p;
    if (!y->defined) return true;
    const Symbol *was = x->definition.object == NONE ? NULL : symbol_at(l, x->definition);
    if (was && was->linkage == STRONG && y->linkage == STRONG)
        return diag_error(diag, "Multiple definition of '%s' in '%s', first defined in '%s'", y->name,
                          object_name(l, p), object_name(l, x->definition));
    if (y->linkage == COMMON) x->align = !was || was->linkage != COMMON ? y->align : MAX(x->align, y->align);
    const bool larger = was && y->linkage == COMMON && was->linkage == COMMON && y->bytes > was->bytes;
    if (!was || y->linkage > was->linkage || larger) x->definition = p;
    return true;
}

// Two objects may have a name each for itself. The first keeps it, unless it is one that objects show to others.
static void rename_local(Link *l, Place p)
{
    bool fresh;
    Name *x = name_of(l, p, &fresh);
    symbol_at(l, p)->renamed = !fresh;
    if (fresh) x->local = true;
}

static void warn(const Link *l, Place p, Text *warnings)
{
    const Symbol *y = symbol_at(l, p);
    const Place q = l->names.v[y->of].definition;
    if (y->kind == VARIABLE || y->linkage != WEAK || !y->defined || same_place(p, q) || y->alias) return;
    const Symbol *z = symbol_at(l, q);
    if (z->linkage != WEAK || z->alias) return;
    if (!bodies_differ(l->objects.v[q.object], z, l->objects.v[p.object], y)) return;
    text_printf(warnings,
                "'%s' is weak, and has other code in '%s' than in '%s': the first is taken, and cards take the one "
                "with fewer registers\n",
                y->name, object_name(l, p), object_name(l, q));
}

bool link_resolve(Link *l, Text *warnings, Diag *diag)
{
    for (uint32_t pass = 0; pass < 3; pass++)
        for (uint32_t k = 0; k < l->objects.n; k++)
            for (uint32_t j = 0; j < l->objects.v[k]->symbols.n; j++) {
                const Place p = {k, j};
                const bool local = symbol_at(l, p)->linkage == LOCAL;
                if (pass == 0 && !local && !merge(l, p, diag)) return false;
                if (pass == 1 && local) rename_local(l, p);
                if (pass == 2 && !local && warnings) warn(l, p, warnings);
            }
    return true;
}
