// reach.c: what is needed, and not there. A function that neither a kernel nor a variable's initial value leads to is
// left out, and what it alone would call needs no definition (nvlink does the same). A variable needs one whenever it
// is declared, except dynamic shared memory, which has none.
#include "link/unit.h"

#include <string.h>

typedef struct Reach {
    Link *l;
    Diag *diag;
    VEC(Place) todo;
} Reach;

// Functions that the driver or the simulator has: nvlink 13.0 leaves these open.
static bool is_system(const char *name)
{
    static const char *const names[] = {"vprintf",
                                        "malloc",
                                        "free",
                                        "__assertfail",
                                        "cudaGraphLaunch",
                                        "cudaGraphSetConditional",
                                        "cudaGraphKernelNodeSetParam",
                                        "cudaGraphKernelNodeSetEnabled",
                                        "cudaGraphKernelNodeSetGridDim",
                                        "cudaGraphKernelNodeUpdatesApply"};
    static const char *const begin[] = {"__cuda_syscall_", "cnp"};
    bool found = false;
    for (size_t k = 0; k < COUNT(names); k++) found |= !strcmp(name, names[k]);
    for (size_t k = 0; k < COUNT(begin); k++) found |= !strncmp(name, begin[k], strlen(begin[k]));
    return found;
}

static bool undefined(const Reach *r, Place p)
{
    return diag_error(r->diag, "Undefined reference to '%s' in '%s'", symbol_at(r->l, p)->name,
                      r->l->objects.v[p.object]->name);
}

// p: the symbol as the object that needs it has it
static bool need(Reach *r, Place p)
{
    const Place to = link_meaning(r->l, p);
    Symbol *y = symbol_at(r->l, to);
    if (y->reached) return true;
    if (y->kind != VARIABLE && !y->defined && !r->l->open && !is_system(y->name)) return undefined(r, p);
    y->reached = true;
    if (y->defined) vec_push(&r->todo, to);
    return true;
}

static bool go_on(Reach *r)
{
    bool ok = true;
    while (ok && r->todo.n) {
        const Place p = r->todo.v[--r->todo.n];
        const Object *o = r->l->objects.v[p.object];
        const Symbol *y = symbol_at(r->l, p);
        const Item *item = &o->items.v[y->item];
        if (y->alias) ok = need(r, (Place){p.object, y->aliasee});
        for (uint32_t k = 0; ok && k < item->marks; k++) {
            const Mark *m = &o->marks.v[item->mark + k];
            if (m->kind == MARK_SYMBOL && m->what != p.symbol) ok = need(r, (Place){p.object, m->what});
        }
    }
    return ok;
}

bool link_reach(Link *l, Diag *diag)
{
    Reach r = {.l = l, .diag = diag};
    bool ok = true;
    for (uint32_t k = 0; ok && k < l->objects.n; k++)
        for (uint32_t j = 0; ok && j < l->objects.v[k]->symbols.n; j++) {
            const Place p = {k, j};
            const Symbol *y = symbol_at(l, p);
            const bool is_defined = symbol_at(l, link_meaning(l, p))->defined;
            const bool dynamic = y->kind == VARIABLE && y->open && y->space.n == strlen(".shared") &&
                                 !memcmp(l->objects.v[k]->source.text + y->space.at, ".shared", y->space.n);
            if (y->kind == VARIABLE && !is_defined && !dynamic && !l->open) ok = undefined(&r, p);
            if (ok && y->kind != FUNCTION && y->defined && same_place(p, link_meaning(l, p))) ok = need(&r, p);
        }
    ok = ok && go_on(&r);
    vec_free(&r.todo);
    return ok;
}
