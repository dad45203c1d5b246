// mutate.c: see mutate.h.
#include "mutate.h"
#include "ptx/ops.h"

#include "ptx/ptx.h"
#include "random.h"

#include <string.h>

typedef enum Sort { OPERATION, SUFFIX, REGISTER, SPECIAL, NUMBER, NAME, STRING, PUNCTUATION } Sort;
typedef struct Piece {
    size_t at, length;
    Sort sort;
} Piece;
typedef VEC(Piece) Pieces;

static uint32_t draw(uint64_t *state, size_t n) { return random_below(state, (uint32_t)n); }

// --- tokens ----------------------------------------------------------------------------------------------------------
static bool in_word(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '$';
}

static bool is_operation(const char *s, size_t n)
{
    for (int op = 0; op < OP_COUNT; op++)
        if (strcspn(op_info[op].name, ".") == n && !strncmp(op_info[op].name, s, n)) return true;
    return false;
}

static bool is_special(const char *s, size_t n)
{
    for (int r = 0; r < SR_COUNT; r++)
        if (strcspn(sreg_info[r].name, ".") == n && !strncmp(sreg_info[r].name, s, n)) return true;
    return false;
}

static size_t skip_blank(const char *s, size_t n, size_t p)
{
    while (p < n) {
        if (s[p] == ' ' || (s[p] >= '\t' && s[p] <= '\r'))
            p++;
        else if (p + 1 < n && s[p] == '/' && s[p + 1] == '/')
            while (p < n && s[p] != '\n') p++;
        else
            break;
    }
    return p;
}

static Pieces split(const char *s, size_t n)
{
    Pieces pieces = {0};
    for (size_t p = skip_blank(s, n, 0); p < n; p = skip_blank(s, n, p)) {
        Piece x = {.at = p};
        char c = s[p++];
        if (c == '"') {
            while (p < n && s[p] != '"') p++;
            p += p < n;
            x.sort = STRING;
        } else if (c == '%' || c == '.' || in_word(c)) {
            while (p < n &&
                   (in_word(s[p]) || (c == '.' && s[p] == ':' && p + 1 < n && (s[p + 1] == ':' || s[p - 1] == ':'))))
                p++;
            size_t length = p - x.at;
            x.sort = c == '.'                         ? SUFFIX
                     : c == '%'                       ? is_special(s + x.at, length) ? SPECIAL : REGISTER
                     : c >= '0' && c <= '9'           ? NUMBER
                     : is_operation(s + x.at, length) ? OPERATION
                                                      : NAME;
            if (x.sort == SPECIAL && p + 1 < n && s[p] == '.' && strchr("xyzw", s[p + 1])) p += 2;
        } else {
            x.sort = PUNCTUATION;
        }
        x.length = p - x.at;
        vec_push(&pieces, x);
    }
    return pieces;
}

static bool ends_statement(char c) { return c == ';' || c == '{' || c == '}' || c == ':'; }

// Where the statement begins that holds a piece, and the piece behind its end.
static void statement_of(const char *s, const Pieces *p, size_t k, size_t *first, size_t *end)
{
    size_t a = k, b = k;
    while (a > 0 && !ends_statement(s[p->v[a - 1].at])) a--;
    while (b < p->n && !ends_statement(s[p->v[b].at])) b++;
    *first = a, *end = MIN(b + 1, p->n);
}

// --- what a token becomes --------------------------------------------------------------------------------------------
static void put_number(uint64_t *state, const char *old, size_t length, Text *out)
{
    static const char *const odd[] = {"0f00000000",
                                      "0f80000000",
                                      "0f3F800000",
                                      "0f7F800000",
                                      "0fFF800000",
                                      "0f7FFFFFFF",
                                      "0f00000001",
                                      "0f4F000000",
                                      "0d7FF0000000000000",
                                      "0dFFF8000000000000",
                                      "0d0000000000000001",
                                      "0d43E0000000000000",
                                      "0.5",
                                      "1e400",
                                      "-0.0"};
    static const uint64_t edges[] = {0,          1ull << 7,  1ull << 8,  1ull << 15,
                                     1ull << 16, 1ull << 31, 1ull << 32, 1ull << 63};
    char text[32];
    switch (draw(state, 8)) {
    case 0: text_put(out, odd[draw(state, COUNT(odd))]); break;
    case 1:
    case 2: text_printf(out, "%lld", (long long)(edges[draw(state, COUNT(edges))] + draw(state, 5) - 2)); break;
    case 3:
        text_printf(out, "%llu", (unsigned long long)(edges[draw(state, COUNT(edges))] + draw(state, 5) - 2));
        break;
    case 4: text_printf(out, "%llu", 1ull << draw(state, 64)); break;
    case 5: text_printf(out, "%d", (int)draw(state, 70) - 3); break;
    default: {  // near what it was
        uint64_t v = 0;
        snprintf(text, sizeof text, "%.*s", (int)MIN(length, sizeof text - 1), old);
        if (!parse_size(text, &v)) v = draw(state, 256);
        static const int by[] = {-16, -8, -4, -1, 1, 4, 8, 16};
        text_printf(out, "%lld", (long long)(v + (uint64_t)by[draw(state, COUNT(by))]));
    }
    }
}

// Another piece of the text with the same sort; one in three of registers and names is of the same stem, too.
static const Piece *another(uint64_t *state, const char *s, const Pieces *p, const Piece *like)
{
    bool stem = draw(state, 3) > 0 && like->length > 1;
    for (int tries = 0; tries < 40; tries++) {
        const Piece *x = &p->v[draw(state, p->n)];
        if (x->sort == like->sort && (!stem || !strncmp(s + x->at, s + like->at, 2))) return x;
    }
    return like;
}

static void put_other(uint64_t *state, const char *s, const Pieces *p, const Piece *x, Text *out)
{
    bool tables = draw(state, 2);
    if (x->sort == NUMBER && tables) {
        put_number(state, s + x->at, x->length, out);
    } else if (x->sort == OPERATION && tables) {
        text_put(out, op_info[draw(state, OP_COUNT)].name);
    } else if (x->sort == SPECIAL && tables) {
        text_put(out, sreg_info[draw(state, SR_COUNT)].name);
    } else if (x->sort == SUFFIX && tables) {
        bool type = false;
        for (int t = 1; t < TY_COUNT; t++)
            type |=
                strlen(type_info[t].name) == x->length - 1 && !strncmp(type_info[t].name, s + x->at + 1, x->length - 1);
        text_printf(out, ".%s",
                    type ? type_info[1 + draw(state, TY_COUNT - 1)].name : mod_info[1 + draw(state, M_COUNT - 1)].name);
    } else if (x->sort == PUNCTUATION && tables) {
        static const char marks[] = ",;:[]{}()+-!|@<>=_";
        text_add(out, &marks[draw(state, sizeof marks - 1)], 1);
    } else {
        const Piece *other = another(state, s, p, x);
        text_add(out, s + other->at, other->length);
    }
}

// --- one change ------------------------------------------------------------------------------------------------------
static size_t end_of(const Piece *x) { return x->at + x->length; }

// The text with [a, b) replaced with what is between c and d of it.
static void put_moved(const char *s, size_t n, size_t a, size_t b, size_t c, size_t d, Text *out)
{
    text_add(out, s, a);
    text_add(out, s + c, d - c);
    text_add(out, s + b, n - b);
}

static void put_swapped(const char *s, size_t n, size_t a, size_t b, size_t c, size_t d, Text *out)
{
    if (a > c) {
        size_t t = a;
        a = c, c = t, t = b, b = d, d = t;
    }
    if (c < b) return;  // one is within the other
    text_add(out, s, a);
    text_add(out, s + c, d - c);
    text_add(out, s + b, c - b);
    text_add(out, s + a, b - a);
    text_add(out, s + d, n - d);
}

static void change(uint64_t *state, const char *s, size_t n, Text *out)
{
    Pieces p = split(s, n);
    if (!p.n) {
        text_put(out, ".version 7.0\n.target sm_70\n.address_size 64\n");
        vec_free(&p);
        return;
    }
    size_t k = draw(state, p.n), first, end, first2, end2;
    const Piece *x = &p.v[k], *y = another(state, s, &p, x);
    statement_of(s, &p, k, &first, &end);
    statement_of(s, &p, draw(state, p.n), &first2, &end2);
    size_t a = p.v[first].at, b = end_of(&p.v[end - 1]), c = p.v[first2].at, d = end_of(&p.v[end2 - 1]);
    switch (draw(state, 16)) {
    case 0: put_moved(s, n, x->at, end_of(x), 0, 0, out); break;
    case 1: put_moved(s, n, x->at, x->at, x->at, end_of(x), out); break;
    case 2: put_swapped(s, n, x->at, end_of(x), y->at, end_of(y), out); break;
    case 3: put_moved(s, n, a, b, 0, 0, out); break;
    case 4:
    case 5: put_moved(s, n, c, c, a, b, out); break;
    case 6: put_swapped(s, n, a, b, c, d, out); break;
    case 7: put_moved(s, n, end_of(x), end_of(x), y->at, end_of(y), out); break;
    default:
        text_add(out, s, x->at);
        put_other(state, s, &p, x, out);
        text_add(out, s + end_of(x), n - end_of(x));
    }
    vec_free(&p);
}

void mutate_ptx(const char *text, size_t size, size_t max_size, uint32_t seed, Text *out)
{
    uint64_t state = seed;
    text_add(out, text, size);
    for (uint32_t times = draw(&state, 4) ? 1 : 1 + draw(&state, 5); times; times--) {
        Text next = {0};
        change(&state, out->v ? out->v : "", out->n, &next);
        if (next.n && next.n <= max_size) {
            text_free(out);
            *out = next;
        } else {
            text_free(&next);
        }
    }
}

size_t mutate_input(uint8_t *data, size_t size, size_t max_size, uint32_t seed)
{
    Text out = {0};
    mutate_ptx((const char *)data, size, max_size, seed, &out);
    size_t n = MIN(out.n, max_size);
    if (n) memcpy(data, out.v, n);
    text_free(&out);
    return n;
}
