// compare.c: whether two objects' bodies of one function are the same code. White space, comments and .loc don't count,
// nor how many registers a .reg has; and a name that isn't the module's may be another one, as long as it is the same
// other one wherever it stands. A compiler writes other names for one source where more stands before it.
#include "link/unit.h"
#include "ptx/tables.h"

#include <string.h>

typedef struct Side {
    Scan s;
    Object scratch;  // takes what the scanner notes
    const Object *o;
    Map names;  // of the body: how many names came before
    int64_t count;
    bool first, guard, vector;  // an operation may stand here; a predicate; within braces of a vector
    Slice token;
    bool exact;  // compared as text; else by number
    int64_t number;
} Side;

static bool is_special(const char *name, size_t n)
{
    bool found = false;
    for (size_t k = 0; k < SR_COUNT && *name == '%'; k++)
        found |= !strncmp(sreg_info[k].name, name, n) && (!sreg_info[k].name[n] || sreg_info[k].name[n] == '.');
    return found;
}

static void take_name(Side *x)
{
    const char *text = x->s.begin + x->token.at;
    const uint32_t symbol = symbol_find(x->o, text, x->token.n, hash_text(text, x->token.n));
    const bool shown = symbol != NONE && x->o->symbols.v[symbol].linkage != LOCAL;
    Scan ahead = x->s;
    scan_space(&ahead);
    const bool operation = x->first && !x->guard && *ahead.p != ':';
    if (!x->guard) x->first = false;
    x->guard = false;
    x->exact = operation || shown || is_special(text, x->token.n);
    if (x->exact) return;
    if (!map_get(&x->names, text, x->token.n, &x->number)) {
        x->number = x->count++;
        map_put(&x->names, text, x->token.n, x->number);
    }
}

static void take_punct(Side *x, char c)
{
    x->exact = true;
    if (c == '@') x->guard = true;
    if (c == '{' && !x->first) x->vector = true;
    if (c == ';' || c == ':' || (c == '}' && !x->vector)) x->first = true;
    if (c == '}') x->vector = false;
}

// The next token; false: the body has ended.
static bool next(Side *x)
{
    do
        if (!scan_space(&x->s)) return false;
    while (x->first && scan_take(&x->s, ".loc") && body_loc(&x->s));
    if (x->s.p >= x->s.end || x->s.diag->failed) return false;
    const char *from = x->s.p;
    if (!scan_skip(&x->s)) return false;
    x->token = (Slice){(uint32_t)(from - x->s.begin), (uint32_t)(x->s.p - from)};
    x->exact = true;
    if (scan_starts(*from))
        take_name(x);
    else if (*from == '.' || (*from >= '0' && *from <= '9'))
        x->first &= *from != '.';
    else
        take_punct(x, *from);
    if (*from == '<') {  // of registers
        uint64_t n;
        scan_number(&x->s, &n, NULL);
    }
    return true;
}

static void open_side(Side *x, const Object *o, const Symbol *y, Diag *diag)
{
    const Slice body = o->items.v[y->item].body;
    *x = (Side){.o = o, .first = true, .scratch = {.source = o->source}};
    x->s = (Scan){.o = &x->scratch, .diag = diag, .begin = o->source.text, .p = o->source.text + body.at};
    x->s.end = x->s.p + body.n;
}

static void close_side(Side *x)
{
    map_free(&x->names);
    vec_free(&x->scratch.marks);
}

bool bodies_differ(const Object *a, const Symbol *x, const Object *b, const Symbol *y)
{
    Diag unused = {0};
    Side p, q;
    bool differ = false, more = true;
    open_side(&p, a, x, &unused), open_side(&q, b, y, &unused);
    while (!differ && more) {
        more = next(&p);
        if (more != next(&q)) differ = true;
        if (differ || !more) break;
        differ = p.exact != q.exact;
        if (!differ && p.exact)
            differ = p.token.n != q.token.n || memcmp(p.s.begin + p.token.at, q.s.begin + q.token.at, p.token.n) != 0;
        else if (!differ)
            differ = p.number != q.number;
    }
    close_side(&p), close_side(&q);
    diag_free(&unused);
    return differ;
}
