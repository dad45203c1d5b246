// refuse.c: functions that use something that isn't implemented. Such a function blocks itself and its callers, but not
// its module. It is left out, its text is kept, and its refusal is the error that would have refused the module. An
// error in the PTX does refuse the module, as in ptxas. A combination of modifiers and types that isn't known counts as
// not implemented, since the ISA gets new ones.
#include "ptx/parse.h"

#include <string.h>

// What was parsed of f's body so far.
static void drop_body(Parser *p, Function *f)
{
    for (size_t k = 0; k < p->scopes.n; k++) map_free(&p->scopes.v[k].names), map_free(&p->scopes.v[k].labels);
    for (size_t k = 0; k < f->protos.n; k++) {
        vec_free(&f->protos.v[k]->rets);
        vec_free(&f->protos.v[k]->params);
        vec_free(&f->protos.v[k]->targets);
    }
    p->scopes.n = 0;
    f->locals.n = f->regs.n = f->labels.n = f->tables.n = f->table_names.n = f->protos.n = f->insts.n = f->pragmas.n =
        0;
    f->has_body = false;
    p->f = NULL;
    p->depth = 0;
}

// Skips from the item's beginning to behind its body, or behind the ';' of a prototype.
static bool skip_function(Parser *p)
{
    p->lex.failed = false;
    p->lex.pos = p->item_at;
    lex_next(&p->lex);
    int depth = 0;
    while (tok(p)->kind != TOK_END) {
        bool closes = is_punct(p, '}'), ends = (closes && depth == 1) || (is_punct(p, ';') && !depth);
        depth += is_punct(p, '{') - closes;
        if (ends) return true;
        lex_next(&p->lex);
    }
    return false;
}

bool leave_out(Parser *p, Function *f)
{
    if (!p->partly || !p->diag->unsupported) return false;
    Diag why = *p->diag;
    *p->diag = (Diag){0};
    drop_body(p, f);
    bool good = skip_function(p);
    if (good) {
        f->refusal = arena_text(&p->m->arena, why.text.v, why.text.n);
        f->text_end = tok(p)->at + tok(p)->length;
        lex_next(&p->lex);
        diag_free(&why);
    } else {  // the first error is the one to tell
        diag_free(p->diag);
        *p->diag = why;
        p->lex.failed = true;
    }
    return good;
}

typedef VEC(const Function *) Functions;

static void name_functions(const Operand *o, Functions *out)
{
    if (o->kind == O_SYM && o->sym->function) vec_push(out, o->sym->function);
    for (int k = 0; k < o->count; k++) name_functions(&o->items[k], out);
}

const Function *ptx_blocked(const Function *f)
{
    const Function *found = NULL;
    Functions todo = {0};
    Map seen = {0};
    vec_push(&todo, f);
    for (size_t k = 0; k < todo.n && !found; k++) {
        const Function *g = todo.v[k];
        if (map_get(&seen, (const char *)&g, sizeof g, NULL)) continue;
        map_put(&seen, (const char *)&g, sizeof g, 1);
        if (g->refusal) found = g;
        for (size_t n = 0; n < g->insts.n; n++)
            for (int i = 0; i < g->insts.v[n].operands; i++) name_functions(&g->insts.v[n].opnd[i], &todo);
    }
    vec_free(&todo);
    map_free(&seen);
    return found;
}
