// parse_alias.c: .alias, a second name of a function (PTX ISA §11.2.3). Once the module is parsed, the alias's
// symbol has its aliasee's function, so that calls and addresses need not know of it. The directives stand in any
// order. Invariant: after join_aliases, Symbol.alias is a function that is no alias itself.
#include "ptx/parse.h"

#include <string.h>

static Symbol *take_function(Parser *p)
{
    const Token *t = tok(p);
    int64_t index;
    if (t->kind != TOK_NAME) return parse_fail(p, t->at, NULL, "a function's name is expected here"), NULL;
    Symbol *s = map_get(&p->m->symbol_map, t->text, t->length, &index) ? p->m->symbols.v[index] : NULL;
    if (!s)
        return parse_fail(p, t->at, "declare it before, as .func …;", "'%.*s' is not declared", (int)t->length,
                          t->text),
               NULL;
    if (!s->function || s->function->entry)
        return parse_fail(p, t->at, NULL, "'%s' is no .func, and only these have aliases", s->name), NULL;
    lex_next(&p->lex);
    return s;
}

static bool same_prototype(const Symbol *a, const Symbol *b)
{
    return same_symbols(&a->function->params, &b->function->params) &&
           same_symbols(&a->function->rets, &b->function->rets);
}

// alias = '.alias' name ',' name ';'
bool parse_alias(Parser *p)
{
    size_t at = tok(p)->at;
    if (p->m->version_major * 10 + p->m->version_minor < 63)
        return parse_fail(p, p->item_at, NULL, "'.alias' needs .version 6.3");
    Symbol *s = take_function(p);
    if (!s || !expect_punct(p, ',')) return false;
    size_t behind = tok(p)->at;
    Symbol *named = take_function(p);
    if (!named || !expect_punct(p, ';')) return false;
    if (s->alias) return parse_fail(p, at, NULL, "'%s' is an alias of '%s' already", s->name, s->alias->name);
    if (s == named) return parse_fail(p, behind, NULL, "'%s' can't be an alias of itself", s->name);
    if (s->function->has_body || s->function->refusal)
        return parse_fail(p, at, NULL, "'%s' has a body, so it can't be an alias", s->name);
    if (named->linkage == LINK_WEAK || named->linkage == LINK_EXTERN)
        return parse_fail(p, behind, NULL, "'%s' is %s, so it can't have an alias", named->name,
                          named->linkage == LINK_WEAK ? ".weak" : ".extern");
    if (!same_prototype(s, named))
        return parse_fail(p, behind, NULL, "'%s' and '%s' have different parameters or results", s->name, named->name);
    s->alias = named;
    Item item = {.symbol = s, .aliasee = named, .at = (uint32_t)p->item_at};
    vec_push(&p->m->items, item);
    return true;
}

// The function at the end of s's chain of aliases, to which all of the chain points from now on. Null: it is a circle.
static Symbol *end_of_chain(Symbol *s, size_t most)
{
    Symbol *end = s;
    for (size_t steps = 0; end->alias; end = end->alias)
        if (steps++ > most) return NULL;
    for (Symbol *next; s->alias; s = next) next = s->alias, s->alias = end;
    return end;
}

bool join_aliases(Parser *p)
{
    for (size_t k = 0; k < p->m->items.n; k++) {
        const Item *item = &p->m->items.v[k];
        if (!item->aliasee) continue;
        Symbol *to = end_of_chain(item->symbol, p->m->items.n);
        if (!to) return parse_fail(p, item->at, NULL, "'%s' is an alias of itself", item->symbol->name);
        if (!to->function->has_body && !to->function->refusal)
            return parse_fail(p, item->at, NULL, "'%s', of which '%s' is an alias, has no body", to->name,
                              item->symbol->name);
        item->symbol->function = to->function;
    }
    return true;
}
