// body.c: which names between a function's braces are symbols of the module. All names are looked up. One that the body
// declares itself hides the symbol: a label in the whole scope that has it, a variable or a register from there on.
// Such names are rare, so they are noted, and when the scope ends its marks are gone through once.
//
// Whatever stands where an instruction begins is an operation or a label, since a function may be called add or sin.
#include "link/unit.h"

#include <string.h>

enum { DEEPEST = 200 };  // scopes in one another, each of which may look at all marks

void body_open(Scan *s) { vec_push(&s->scopes, (uint32_t)s->o->marks.n); }

void body_close(Scan *s)
{
    const uint32_t scope = (uint32_t)s->scopes.n, first = s->scopes.v[--s->scopes.n];
    const size_t all = s->shadows.n;
    size_t own = all;
    while (own && s->shadows.v[own - 1].scope == scope) own--;
    if (own == all) return;
    // Where each hidden symbol is hidden from; the others have NONE.
    while (s->covered.n < s->o->symbols.n) vec_push(&s->covered, NONE);
    for (size_t k = own; k < all; k++) {
        uint32_t *from = &s->covered.v[s->shadows.v[k].symbol];
        *from = MIN(*from, s->shadows.v[k].from);
    }
    for (size_t k = first; k < s->o->marks.n; k++) {
        Mark *m = &s->o->marks.v[k];
        if (m->kind == MARK_SYMBOL && m->text.at >= s->covered.v[m->what]) m->kind = MARK_NOTHING;
    }
    for (size_t k = own; k < all; k++) s->covered.v[s->shadows.v[k].symbol] = NONE;
    s->shadows.n = own;
}

static void hide(Scan *s, uint32_t symbol, const char *from)
{
    vec_push(&s->shadows, ((Shadow){symbol, (uint32_t)(from - s->begin), (uint32_t)s->scopes.n}));
}

void body_hide(Scan *s, const char *at, uint32_t n, uint32_t hash, const char *from)
{
    if (*at == '%' && !s->o->percent) return;
    uint32_t symbol = symbol_find(s->o, at, n, hash);
    if (symbol != NONE) hide(s, symbol, from);
}

// name<n> declares name0 and so on.
static void hide_range(Scan *s, const char *at, uint32_t n)
{
    if (*at == '%' && !s->o->percent) return;
    for (uint32_t k = 0; k < s->o->symbols.n; k++) {
        const Symbol *y = &s->o->symbols.v[k];
        if (y->length <= n || memcmp(y->name, at, n)) continue;
        if (strspn(y->name + n, "0123456789") >= y->length - n) hide(s, k, at);
    }
}

void body_name(Scan *s, const char *at, uint32_t n, uint32_t hash)
{
    if (*at == '%' && !s->o->percent) return;
    uint32_t symbol = symbol_find(s->o, at, n, hash);
    if (symbol != NONE) scan_mark(s, at, n, MARK_SYMBOL, symbol);
}

static bool take_name(Scan *s)
{
    Slice name;
    uint32_t hash;
    if (!scan_name(s, &name, &hash)) return false;
    body_name(s, s->begin + name.at, name.n, hash);
    return true;
}

// The rest of an instruction, up to its ';'
static bool take_operands(Scan *s)
{
    const char *from = s->p;
    while (scan_space(s) && *s->p != ';') {
        if (s->p == s->end) return scan_fail(s, from, "';' expected, but the text ends");
        if (scan_starts(*s->p) ? !take_name(s) : !scan_skip(s)) return false;
    }
    return scan_punct(s, ';');
}

bool body_value(Scan *s)
{
    const char *from = s->p;
    int deep = 0;
    while (scan_space(s) && (deep || (*s->p != ',' && *s->p != ';'))) {
        if (s->p == s->end) return scan_fail(s, from, "';' expected, but the text ends");
        deep += (*s->p == '{' || *s->p == '(') - (*s->p == '}' || *s->p == ')');
        if (scan_starts(*s->p) ? !take_name(s) : !scan_skip(s)) return false;
    }
    return !s->diag->failed;
}

// Variables or registers of the body, behind their space
static bool take_variables(Scan *s)
{
    Slice name;
    uint32_t hash;
    bool named = false;
    while (scan_space(s) && *s->p != ';') {
        if (s->p == s->end) return scan_fail(s, s->p, "';' expected, but the text ends");
        if (*s->p == '=') {
            if (!body_value(s)) return false;
        } else if (scan_starts(*s->p) && !named) {
            if (!scan_name(s, &name, &hash) || !scan_space(s)) return false;
            const char *at = s->begin + name.at;
            *s->p == '<' ? hide_range(s, at, name.n) : body_hide(s, at, name.n, hash, at);
            named = true;
        } else {
            named &= *s->p != ',';
            if (!scan_skip(s)) return false;
        }
    }
    return scan_punct(s, ';');
}

// file line column
static bool take_place(Scan *s)
{
    uint64_t n;
    Slice at;
    const size_t mark = s->o->marks.n;  // of a line that begins with # behind the number comes later
    scan_mark(s, s->p, 0, MARK_FILE, 0);
    if (!scan_number(s, &n, &at)) return false;
    s->o->marks.v[mark].text = at, s->o->marks.v[mark].what = (uint32_t)MIN(n, UINT32_MAX);
    return scan_number(s, &n, NULL) && scan_number(s, &n, NULL);
}

// .loc file line column [',' function_name label ['+' n]] [',' inlined_at file line column]
bool body_loc(Scan *s)
{
    Slice word;
    uint32_t hash;
    if (!take_place(s)) return false;
    while (scan_punct(s, ',')) {
        if (!scan_name(s, &word, &hash) || !scan_space(s)) return false;
        const char *text = s->begin + word.at;
        if (word.n == 10 && !memcmp(text, "inlined_at", 10)) {
            if (!take_place(s)) return false;
        } else if (word.n == 13 && !memcmp(text, "function_name", 13)) {
            if (!scan_name(s, &word, &hash)) return false;
            scan_mark(s, s->begin + word.at, word.n, MARK_LABEL, 0);
            s->o->labels = true;
            uint64_t n;
            if (!scan_space(s) || (scan_punct(s, '+') && !scan_number(s, &n, NULL))) return false;
        } else {
            return scan_fail(s, text, "function_name or inlined_at is expected here");
        }
    }
    return !s->diag->failed;
}

static bool take_directive(Scan *s)
{
    static const char *const declare[] = {".reg", ".param", ".local", ".shared", ".global", ".const", ".tex"};
    static const char *const prefix[] = {".extern", ".visible", ".weak", ".common"};
    if (scan_take(s, ".loc")) return body_loc(s);
    for (size_t k = 0; k < COUNT(prefix); k++)
        if (scan_take(s, prefix[k])) return true;
    for (size_t k = 0; k < COUNT(declare); k++) {
        size_t n = strlen(declare[k]);
        if (s->p[1] != declare[k][1] || strncmp(s->p, declare[k], n) || (scan_within(s->p[n]) || s->p[n] == ':'))
            continue;
        s->p += n;
        return take_variables(s);
    }
    if (scan_is(s, ".callprototype") || scan_is(s, ".pragma")) return scan_until(s, ';');
    return take_operands(s);
}

// '@' ['!'] predicate
static bool take_guard(Scan *s)
{
    s->p++;
    if (!scan_space(s)) return false;
    if (*s->p == '!') s->p++;
    if (!scan_space(s)) return false;
    if (scan_starts(*s->p)) scan_word(s);
    return scan_space(s);
}

// An operation, or a label
static bool take_first(Scan *s)
{
    Slice name;
    uint32_t hash;
    if (!scan_name(s, &name, &hash) || !scan_space(s)) return false;
    if (*s->p != ':' || s->p[1] == ':') return take_operands(s);
    s->p++;
    body_hide(s, s->begin + name.at, name.n, hash, s->begin);
    return true;
}

bool body_scan(Scan *s)
{
    const char *from = s->p;
    const size_t outside = s->scopes.n;
    do {
        if (s->p == s->end) return scan_fail(s, from, "'}' expected, but the text ends");
        if (*s->p == '{') {
            if (s->scopes.n - outside == DEEPEST) return scan_fail(s, s->p, "scopes are nested too deeply");
            body_open(s);
            s->p++;
        } else if (*s->p == '}') {
            body_close(s);
            s->p++;
        } else if (*s->p == '.') {
            if (!take_directive(s)) return false;
        } else if (*s->p == '@') {
            if (!take_guard(s)) return false;
        } else if (scan_starts(*s->p)) {
            if (!take_first(s)) return false;
        } else if (!scan_skip(s)) {
            return false;
        }
    } while (s->scopes.n > outside && scan_space(s));
    return !s->diag->failed;
}
