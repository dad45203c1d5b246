// write.c: the linked text. Variables come first, then functions; both in the order of the objects, and in the order of
// each. PTX wants a declaration before a use, so before each definition stand declarations of what it names and what
// comes later: of a function its prototype, with the linkage that it will have (ptxas takes no other). A variable that
// another one's initial value names is moved before that one; where that can't be, as in a circle, an .extern
// declaration stands there. What only its object can see came before there, too.
#include "link/unit.h"

#include <string.h>

static void put_name(const Link *l, Place p, Text *out)
{
    const Symbol *y = symbol_at(l, p);
    text_add(out, y->name, y->length);
    if (y->renamed) text_printf(out, "%s%u", l->mark.v, p.object + 1);
}

// Marks of what is written as it was are the most.
static void put_mark(const Link *l, uint32_t object, const Mark *m, Text *out)
{
    const Object *o = l->objects.v[object];
    const char *text = o->source.text + m->text.at;
    switch ((MarkKind)m->kind) {
    case MARK_SYMBOL: put_name(l, (Place){object, m->what}, out); break;
    case MARK_FILE: text_printf(out, "%u", file_number(l, o, m->what)); break;
    case MARK_LABEL:
        text_add(out, text, m->text.n);
        if (object != l->first_strings) text_printf(out, "%s%u", l->mark.v, object + 1);
        break;
    case MARK_LINE: break;
    case MARK_NOTHING: text_add(out, text, m->text.n);
    }
}

// A place of an item
static void put_slice(const Link *l, uint32_t object, const Item *item, Slice slice, Text *out)
{
    const Object *o = l->objects.v[object];
    const char *text = o->source.text;
    uint32_t at = slice.at;
    const uint32_t end = slice.at + slice.n;
    for (uint32_t k = 0; k < item->marks; k++) {
        const Mark *m = &o->marks.v[item->mark + k];
        const bool same = m->kind == MARK_NOTHING || (m->kind == MARK_SYMBOL && !o->symbols.v[m->what].renamed);
        if (same || m->text.at < at || m->text.at >= end) continue;
        text_add(out, text + at, m->text.at - at);
        put_mark(l, object, m, out);
        at = m->text.at + m->text.n;
    }
    text_add(out, text + at, end - at);
}

static const char *const linkages[] = {
    [LOCAL] = "", [EXTERN] = ".extern ", [COMMON] = ".common ", [WEAK] = ".weak ", [STRONG] = ".visible "};

// What stands between two places, and a blank before it
static void put_words(const char *text, uint32_t from, uint32_t to, Text *out)
{
    while (from < to && scan_class[(uint8_t)text[from]] & C_SPACE) from++;
    while (to > from && scan_class[(uint8_t)text[to - 1]] & C_SPACE) to--;
    if (from == to) return;
    text_put(out, " ");
    text_add(out, text + from, to - from);
}

// A variable up to its initial value. The largest alignment of those that are .common is theirs.
static void put_variable(const Link *l, Place p, const char *linkage, const Item *item, Text *out)
{
    const char *text = l->objects.v[p.object]->source.text;
    const Symbol *y = symbol_at(l, p);
    const uint32_t behind = y->space.at + y->space.n, end = item->head.at + item->head.n;
    text_put(out, linkage);
    text_add(out, text + y->space.at, y->space.n);
    if (y->linkage == COMMON) {
        const Slice align = item->align.n ? item->align : (Slice){behind, 0};
        text_printf(out, " .align %u", l->names.v[y->of].align);
        put_words(text, behind, align.at, out);
        put_words(text, align.at + align.n, end, out);
    } else {
        put_words(text, behind, end, out);
    }
    text_put(out, " ");
    put_name(l, p, out);
    text_add(out, text + item->rest.at, item->rest.n);
}

// p: what the symbol means
static void put_declaration(const Link *l, Place p, Text *out)
{
    Symbol *y = symbol_at(l, p);
    const Object *o = l->objects.v[p.object];
    const Item *item = &o->items.v[y->item];
    if (y->told) return;
    y->told = true;
    if (y->kind == VARIABLE) {
        if (y->linkage == LOCAL) return;
        put_variable(l, p, linkages[EXTERN], item, out);
    } else {
        text_put(out, linkages[y->linkage]);
        put_slice(l, p.object, item, item->head, out);
        if (memmem(o->source.text + item->rest.at, item->rest.n, ".noreturn", 9)) text_put(out, " .noreturn");
    }
    text_put(out, ";\n");
}

enum { DEEPEST = 64 };  // variables that are moved before one another at a time
static void put_item(const Link *l, Place p, uint32_t deep, Text *out);

// Can it stand here? What only its object can see must have been written.
static bool can_move(const Link *l, Place p, uint32_t deep)
{
    const Object *o = l->objects.v[p.object];
    const Symbol *y = symbol_at(l, p);
    const Item *item = &o->items.v[y->item];
    if (y->kind != VARIABLE || !y->defined || y->begun || deep == DEEPEST) return false;
    for (uint32_t k = 0; k < item->marks; k++) {
        const Mark *m = &o->marks.v[item->mark + k];
        const Symbol *z = m->kind == MARK_SYMBOL ? &o->symbols.v[m->what] : NULL;
        if (z && z->kind == VARIABLE && z->linkage == LOCAL && !z->told) return false;
    }
    return true;
}

// Makes all known that an item names.
static void put_needed(const Link *l, uint32_t object, const Item *item, uint32_t deep, Text *out)
{
    const Object *o = l->objects.v[object];
    for (uint32_t k = 0; k < item->marks; k++) {
        const Mark *m = &o->marks.v[item->mark + k];
        if (m->kind != MARK_SYMBOL || m->what == item->symbol) continue;
        const Place to = link_meaning(l, (Place){object, m->what});
        if (symbol_at(l, to)->told) continue;
        can_move(l, to, deep) ? put_item(l, to, deep + 1, out) : put_declaration(l, to, out);
    }
}

// p: a definition
static void put_item(const Link *l, Place p, uint32_t deep, Text *out)
{
    Symbol *y = symbol_at(l, p);
    const Item *item = &l->objects.v[p.object]->items.v[y->item];
    y->begun = true;
    put_needed(l, p.object, item, deep, out);
    y->told = true;
    if (item->kind == ITEM_VARIABLE) {
        put_variable(l, p, linkages[y->linkage], item, out);
        if (item->body.n) text_put(out, " ");
        put_slice(l, p.object, item, item->body, out);
        text_put(out, ";\n");
        return;
    }
    text_put(out, linkages[y->linkage]);
    put_slice(l, p.object, item, item->head, out);
    text_put(out, "\n");
    put_slice(l, p.object, item, item->rest, out);
    if (item->rest.n) text_put(out, "\n");
    const char *text = l->objects.v[p.object]->source.text;
    if (l->bound && y->kind == ENTRY && !memmem(text + item->rest.at, item->rest.n, ".maxnreg", 8))
        text_printf(out, ".maxnreg %u\n", l->bound);
    put_slice(l, p.object, item, item->body, out);
    text_put(out, "\n");
}

static void put_object(const Link *l, uint32_t object, ItemKind kind, Text *out)
{
    const Object *o = l->objects.v[object];
    for (uint32_t k = 0; k < o->items.n; k++) {
        const Item *item = &o->items.v[k];
        if (item->kind != kind) continue;
        const Place p = {object, item->symbol};
        const Symbol *y = symbol_at(l, p);
        const bool taken = item->defines && y->reached && y->item == k && same_place(p, link_meaning(l, p));
        if (taken && !y->begun) put_item(l, p, 0, out);
    }
}

static void put_aliases(const Link *l, uint32_t object, Text *out)
{
    const Object *o = l->objects.v[object];
    for (uint32_t j = 0; j < o->symbols.n; j++) {
        const Place p = {object, j};
        const Symbol *y = symbol_at(l, p);
        if (!y->alias || !y->reached || !same_place(p, link_meaning(l, p))) continue;
        put_declaration(l, p, out);
        text_put(out, ".alias ");
        put_name(l, p, out);
        text_put(out, ", ");
        put_name(l, (Place){object, y->aliasee}, out);
        text_put(out, ";\n");
    }
}

// The names of inlined functions, which .loc refers to
static void put_strings(const Link *l, Text *out)
{
    bool needed = false;
    for (uint32_t k = 0; k < l->objects.n; k++) needed |= l->objects.v[k]->labels && l->objects.v[k]->strings.n;
    if (!needed) return;
    text_put(out, ".section .debug_str\n{\n");
    for (uint32_t k = 0; k < l->objects.n; k++)
        for (size_t j = 0; j < l->objects.v[k]->strings.n; j++) {
            const Item *item = &l->objects.v[k]->strings.v[j];
            put_slice(l, k, item, item->body, out);
            text_put(out, "\n");
        }
    text_put(out, "}\n");
}

void link_write(Link *l, Text *out)
{
    for (uint32_t k = 0; k < l->objects.n; k++) put_object(l, k, ITEM_VARIABLE, out);
    for (uint32_t k = 0; k < l->objects.n; k++) put_object(l, k, ITEM_FUNCTION, out);
    for (uint32_t k = 0; k < l->objects.n; k++) put_aliases(l, k, out);
    put_strings(l, out);
}
