// object.c: what stands at a module's scope (PTX ISA §5, §11): its header, and its functions, variables, aliases and
// files, each as a place in the text. Of debugging information only what .loc needs is kept: offsets into DWARF's
// sections would mean something else once several modules' stand behind one another.
#include "link/unit.h"

#include <string.h>

enum { MOST_NAMES = 1 << 18 };  // variables that name<n> declares, of a module

// --- symbols ---------------------------------------------------------------------------------------------------------
static bool same_symbol(const void *user, uint32_t index, const char *text, uint32_t n, uint32_t hash)
{
    const Symbol *y = &((const Object *)user)->symbols.v[index];
    return y->hash == hash && y->length == n && !memcmp(y->name, text, n);
}

static uint32_t hash_of_symbol(const void *user, uint32_t index)
{
    return ((const Object *)user)->symbols.v[index].hash;
}

uint32_t symbol_find(const Object *o, const char *text, uint32_t n, uint32_t hash)
{
    return lookup_find(&o->table, text, n, hash, same_symbol, o);
}

// What a later declaration says besides an earlier one. The size and the item are those of the definition.
static bool join(Scan *s, Symbol *was, const Symbol *y, const char *at)
{
    if (was->kind != y->kind || (was->defined && y->defined))
        return scan_fail(s, at, "'%.*s' is declared twice", (int)y->length, y->name);
    if (y->defined) {
        const uint8_t linkage = y->linkage == LOCAL && was->linkage != EXTERN ? was->linkage : y->linkage;
        *was = *y;
        was->linkage = linkage;
    } else if (y->linkage > EXTERN) {
        was->linkage = y->linkage;
    }
    return true;
}

// Makes a symbol known under its name, or joins it with the one that is. index gets its place.
static bool declare(Scan *s, const Symbol *y, const char *at, uint32_t *index)
{
    Object *o = s->o;
    *index = symbol_find(o, y->name, y->length, y->hash);
    if (*index != NONE) return join(s, &o->symbols.v[*index], y, at);
    *index = (uint32_t)o->symbols.n;
    vec_push(&o->symbols, *y);
    lookup_add(&o->table, *index, y->hash, hash_of_symbol, o);
    o->percent |= *y->name == '%';
    return true;
}

// --- functions -------------------------------------------------------------------------------------------------------
// Does what stands at module scope begin here? ptxas takes a prototype without ';' then.
static bool begins_item(const Scan *s)
{
    static const char *const names[] = {".visible", ".extern", ".weak", ".common", ".entry",   ".func", ".global",
                                        ".const",   ".shared", ".tex",  ".file",   ".section", ".alias"};
    bool found = s->p == s->end;
    for (size_t k = 0; k < COUNT(names); k++) found |= scan_is(s, names[k]);
    return found;
}

// .maxntid x[,y[,z]] and the other directives between a function's parameters and its body (§11.4)
static bool skip_directives(Scan *s)
{
    while (*s->p != '{' && *s->p != ';' && !begins_item(s)) {
        bool good = scan_is(s, ".pragma") ? scan_until(s, ';') : scan_skip(s) && scan_space(s);
        if (!good) return false;
    }
    return true;
}

static bool take_body(Scan *s)
{
    body_open(s);
    for (size_t k = 0; k < s->params.n; k++) {
        const Param *p = &s->params.v[k];
        body_hide(s, s->begin + p->name.at, p->name.n, p->hash, s->begin);
    }
    if (!body_scan(s)) return false;
    body_close(s);
    return true;
}

// function = (.entry | .func) [attribute] ['(' results ')'] name ['(' parameters ')'] directives (';' | body)
static bool take_function(Scan *s, Linkage linkage, SymbolKind kind)
{
    Object *o = s->o;
    const char *from = s->p;
    Symbol y = {.kind = (uint8_t)kind, .linkage = (uint8_t)linkage, .params = (uint32_t)o->shapes.n};
    Item item = {.kind = ITEM_FUNCTION, .mark = (uint32_t)o->marks.n};
    Slice name;
    uint32_t results = 0;
    scan_word(s);
    if (!scan_space(s)) return false;
    s->params.n = 0;
    if (scan_take(s, ".attribute") && !scan_until(s, ')')) return false;
    if (*s->p == '(' && !declare_params(s, &results)) return false;
    if (!scan_name(s, &name, &y.hash)) return false;
    const char *at = s->begin + name.at;
    const size_t mark = o->marks.n;
    scan_mark(s, at, name.n, MARK_SYMBOL, 0);
    if (!scan_space(s)) return false;
    if (*s->p == '(' && !declare_params(s, &y.count)) return false;
    item.head = scan_slice(s, from, s->p);
    const char *rest = s->p;
    if (!skip_directives(s)) return false;
    item.rest = scan_slice(s, rest, s->p);
    y.name = arena_text(s->arena, at, name.n), y.length = name.n;
    // The results' number follows that of the parameters.
    vec_push(&o->shapes, results);
    y.count = (uint32_t)(o->shapes.n - y.params);
    y.item = (uint32_t)o->items.n;
    y.defined = item.defines = *s->p == '{';
    if (!declare(s, &y, at, &item.symbol)) return false;
    o->marks.v[mark].what = item.symbol;
    const char *body = s->p;
    if (item.defines && !take_body(s)) return false;
    item.body = scan_slice(s, body, s->p);
    item.marks = (uint32_t)(o->marks.n - item.mark);
    vec_push(&o->items, item);
    return scan_space(s) && (item.defines || scan_punct(s, ';') || begins_item(s) ||
                             scan_fail(s, s->p, "';' or a body is expected here"));
}

// --- variables -------------------------------------------------------------------------------------------------------
// Reads what follows name '<': name<3> declares name0, name1 and name2.
static bool take_range(Scan *s, Symbol *y, Item *item, const char *at, uint32_t *names)
{
    uint64_t n;
    if (!scan_number(s, &n, NULL)) return false;
    if (!scan_punct(s, '>')) return scan_fail(s, s->p, "'>' is expected here");
    if (n > MOST_NAMES - *names) return scan_fail(s, at, "more than %d variables are declared in ranges", MOST_NAMES);
    *names += (uint32_t)n;
    const char *stem = y->name;
    const uint32_t length = y->length;
    for (uint64_t k = 0; k < n; k++) {
        y->name = arena_printf(s->arena, "%.*s%llu", (int)length, stem, (unsigned long long)k);
        y->length = (uint32_t)strlen(y->name);
        y->hash = hash_text(y->name, y->length);
        y->item = (uint32_t)s->o->items.n;
        if (!declare(s, y, at, &item->symbol)) return false;
        vec_push(&s->o->items, *item);
    }
    return true;
}

// declarator = name ('<' n '>' | dims ['=' value])
static bool take_declarator(Scan *s, const Shape *shape, Symbol y, Item item, uint32_t *names)
{
    Object *o = s->o;
    Slice name;
    bool array;
    if (!scan_name(s, &name, &y.hash) || !scan_space(s)) return false;
    const char *at = s->begin + name.at;
    y.name = arena_text(s->arena, at, name.n), y.length = name.n;
    y.bytes = most_times(shape->bytes, shape->elements);
    y.defined = item.defines = y.linkage != EXTERN;
    item.mark = (uint32_t)o->marks.n;
    if (scan_punct(s, '<')) return take_range(s, &y, &item, at, names);
    const char *rest = s->p;
    if (!declare_dims(s, shape, &y.bytes, &array, &y.open)) return false;
    item.rest = scan_slice(s, rest, s->p);
    y.initialised = *s->p == '=';
    const char *body = s->p;
    bool names_in = y.initialised && !shape->opaque;  // a sampler's settings aren't symbols
    const size_t before = o->marks.n;
    if (y.initialised && !body_value(s)) return false;
    for (size_t k = before; k < o->marks.n && !names_in; k++)
        if (o->marks.v[k].kind == MARK_SYMBOL) o->marks.v[k].kind = MARK_NOTHING;
    item.body = scan_slice(s, body, s->p);
    item.marks = (uint32_t)(o->marks.n - item.mark);
    y.item = (uint32_t)o->items.n;
    if (!declare(s, &y, at, &item.symbol)) return false;
    vec_push(&o->items, item);
    return true;
}

// variables = space attribute* type declarator (',' declarator)* ';'
static bool take_variables(Scan *s, Linkage linkage, uint32_t *names)
{
    const char *from = s->p;
    Symbol y = {.kind = VARIABLE, .linkage = (uint8_t)linkage};
    Item item = {.kind = ITEM_VARIABLE};
    Shape shape;
    scan_word(s);
    y.space = scan_slice(s, from, s->p);
    if (!scan_space(s) || !declare_type(s, &shape)) return false;
    item.head = scan_slice(s, from, s->p);
    item.align = shape.align_at;
    y.managed = shape.managed, y.align = shape.align;
    do
        if (!take_declarator(s, &shape, y, item, names)) return false;
    while (scan_punct(s, ','));
    return scan_punct(s, ';') || scan_fail(s, s->p, "';' is expected here");
}

// --- other directives ------------------------------------------------------------------------------------------------
static bool take_symbol(Scan *s, uint32_t *index)
{
    Slice name;
    uint32_t hash;
    if (!scan_name(s, &name, &hash)) return false;
    const char *at = s->begin + name.at;
    *index = symbol_find(s->o, at, name.n, hash);
    if (*index == NONE || s->o->symbols.v[*index].kind != FUNCTION)
        return scan_fail(s, at, "'%.*s' is no function that is declared here", (int)name.n, at);
    return scan_space(s);
}

// alias = '.alias' name ',' name ';'
static bool take_alias(Scan *s)
{
    const char *from = s->p;
    uint32_t a, b;
    if (!take_symbol(s, &a) || !scan_punct(s, ',') || !take_symbol(s, &b))
        return scan_fail(s, from, "malformed .alias");
    Symbol *y = &s->o->symbols.v[a];
    if (y->defined || a == b) return scan_fail(s, from, "'%.*s' is declared twice", (int)y->length, y->name);
    if (s->o->symbols.v[b].alias) return scan_fail(s, from, "an alias of an alias can't be linked");
    y->defined = y->alias = true;
    y->aliasee = b;
    if (y->linkage == EXTERN) y->linkage = STRONG;
    return scan_punct(s, ';') || scan_fail(s, s->p, "';' is expected here");
}

// .file number "name" [',' time ',' size]
static bool take_file(Scan *s)
{
    uint64_t n, ignored;
    if (!scan_number(s, &n, NULL)) return false;
    const char *from = s->p, *to;
    if (*from != '"') return scan_fail(s, from, "a file's name is expected here");
    if (!scan_string(s)) return false;
    to = s->p;
    if (!scan_space(s)) return false;
    while (scan_punct(s, ',')) {
        if (!scan_number(s, &ignored, NULL)) return false;
        to = s->p;
    }
    vec_push(&s->o->files, ((FileName){(uint32_t)MIN(n, UINT32_MAX), scan_slice(s, from, to), 0}));
    return true;
}

// .section name '{' … '}'
static bool take_section(Scan *s)
{
    const char *from = s->p;
    bool strings = scan_is(s, ".debug_str");
    Item item = {.mark = (uint32_t)s->o->marks.n};
    while (*s->p != '{') {
        if (s->p == s->end || !scan_skip(s) || !scan_space(s)) return scan_fail(s, from, "section without end");
    }
    const char *begin = s->p + 1;
    int deep = 0;
    do {
        if (s->p == s->end) return scan_fail(s, from, "section without end");
        deep += (*s->p == '{') - (*s->p == '}');
        const char *at = s->p;
        if (!scan_skip(s)) return false;
        if (strings && scan_starts(*at)) scan_mark(s, at, (uint32_t)(s->p - at), MARK_LABEL, 0);
    } while (deep && scan_space(s));
    if (s->diag->failed) return false;
    while (scan_class[(uint8_t)*begin] & C_SPACE) begin++;
    item.body = scan_slice(s, begin, s->p - 1);
    item.marks = (uint32_t)(s->o->marks.n - item.mark);
    if (strings) vec_push(&s->o->strings, item);
    return scan_space(s);
}

static bool take_item(Scan *s, uint32_t *names)
{
    static const struct {
        const char *name;
        Linkage linkage;
    } links[] = {{".extern", EXTERN}, {".visible", STRONG}, {".weak", WEAK}, {".common", COMMON}};
    static const char *const spaces[] = {".global", ".const", ".shared", ".tex"};
    Linkage linkage = LOCAL;
    for (size_t k = 0; k < COUNT(links); k++)
        if (scan_take(s, links[k].name)) linkage = links[k].linkage;
    if (scan_is(s, ".func")) return take_function(s, linkage, FUNCTION);
    if (scan_is(s, ".entry")) return take_function(s, linkage, ENTRY);
    for (size_t k = 0; k < COUNT(spaces); k++) {
        const size_t n = strlen(spaces[k]);
        if (!strncmp(s->p, spaces[k], n) && !scan_within(s->p[n])) return take_variables(s, linkage, names);
    }
    if (linkage == LOCAL && scan_take(s, ".file")) return take_file(s);
    if (linkage == LOCAL && scan_take(s, ".loc")) return body_loc(s);
    if (linkage == LOCAL && scan_take(s, ".alias")) return take_alias(s);
    if (linkage == LOCAL && scan_take(s, ".section")) return take_section(s);
    const char *from = s->p;
    if (linkage == LOCAL && scan_take(s, ".pragma")) {
        if (!scan_until(s, ';')) return false;
        vec_push(&s->o->pragmas, scan_slice(s, from, s->p));
        return true;
    }
    return scan_fail(s, from, "a variable, a function or a directive is expected here");
}

// Digits, and what stands behind them
static bool take_digits(Scan *s, uint32_t *n)
{
    const char *from = s->p;
    for (*n = 0; *s->p >= '0' && *s->p <= '9' && *n < 1000; s->p++) *n = 10 * *n + (uint32_t)(*s->p - '0');
    return s->p > from || scan_fail(s, from, "malformed .version");
}

// .version 7.8 .target sm_35[, option]* [.address_size 64]
static bool take_header(Scan *s)
{
    Object *o = s->o;
    uint64_t bits;
    Slice name;
    uint32_t hash;
    if (!scan_take(s, ".version")) return scan_fail(s, s->p, "this isn't a PTX module");
    if (!take_digits(s, &o->version[0])) return false;
    if (*s->p++ != '.') return scan_fail(s, --s->p, "malformed .version");
    if (!take_digits(s, &o->version[1]) || !scan_space(s)) return false;
    const char *from = s->p;
    if (!scan_take(s, ".target")) return scan_fail(s, from, ".target is expected behind .version");
    from = s->p;
    if (!scan_name(s, &name, &hash)) return false;
    const char *digits = from + 3, *end = from + name.n;
    for (; digits < end && *digits >= '0' && *digits <= '9' && o->sm < 1000; digits++)
        o->sm = 10 * o->sm + (uint32_t)(*digits - '0');
    if (digits < end && (*digits == 'a' || *digits == 'f')) o->kind = *digits++;
    if (strncmp(from, "sm_", 3) || !o->sm || digits != end)
        return scan_fail(s, from, "unknown target '%.*s'", (int)name.n, from);
    if (!scan_space(s)) return false;
    from = s->p;
    while (scan_punct(s, ','))
        if (!scan_name(s, &name, &hash) || !scan_space(s)) return false;
    o->options = scan_slice(s, from, s->p);
    if (!scan_take(s, ".address_size")) return !s->diag->failed;
    from = s->p;
    if (!scan_number(s, &bits, NULL)) return false;
    return bits == 64 || scan_fail(s, from, "%llu-bit addresses are not implemented", (unsigned long long)bits);
}

// A function without a body is another object's, whatever its linkage says.
static void find_extern(Object *o)
{
    for (size_t k = 0; k < o->symbols.n; k++)
        if (!o->symbols.v[k].defined) o->symbols.v[k].linkage = EXTERN;
}

bool module_scan(Object *o, Arena *arena, Diag *diag)
{
    Scan s = {.o = o, .arena = arena, .diag = diag};
    uint32_t names = 0;
    s.p = s.begin = o->source.text, s.end = s.begin + o->source.length;
    bool ok = scan_space(&s) && take_header(&s);
    while (ok && s.p < s.end) ok = take_item(&s, &names);
    vec_free(&s.shadows), vec_free(&s.scopes), vec_free(&s.covered), vec_free(&s.params);
    find_extern(o);
    return ok && !diag->failed;
}

void module_free(Object *o)
{
    if (!o) return;
    vec_free(&o->symbols), vec_free(&o->items), vec_free(&o->marks), vec_free(&o->shapes);
    vec_free(&o->files), vec_free(&o->pragmas), vec_free(&o->strings);
    lookup_free(&o->table);
    mem_free(o);
}
