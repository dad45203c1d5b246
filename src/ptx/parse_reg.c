// parse_reg.c: names of a body: registers, and ranges of them, whose registers come to be when they are first named.
#include "ptx/parse.h"

#include <stdlib.h>
#include <string.h>

// The ways to read a name as a stem and a number without needless zeros, longest stem first: calls with the stem and
// mark in key, and the number, until use returns true.
typedef bool UseStem(void *user, const char *key, size_t n, uint32_t number);
static bool each_stem(const char *name, size_t n, char mark, UseStem *use, void *user)
{
    char key[128];
    uint32_t number = 0, scale = 1;
    if (n >= sizeof key) return false;
    memcpy(key, name, n);
    for (size_t k = n; k-- > 1 && name[k] >= '0' && name[k] <= '9' && scale <= 10000000; scale *= 10) {
        number += (uint32_t)(name[k] - '0') * scale;
        if (name[k] == '0' && k + 1 < n) continue;
        key[k] = mark;
        if (use(user, key, k + 1, number)) return true;
    }
    return false;
}

typedef struct Found {
    const Parser *p;
    const Scope *s;
    uint32_t range, number;
} Found;

static bool find_range(void *user, const char *key, size_t n, uint32_t number)
{
    Found *f = user;
    int64_t v;
    if (!map_get(&f->s->names, key, n, &v) || number >= f->p->ranges.v[(uint32_t)v].n) return false;
    f->range = (uint32_t)v;
    f->number = number;
    return true;
}

bool scope_has(const Parser *p, const Scope *s, const char *name, size_t n)
{
    Found found = {.p = p, .s = s};
    return map_get(&s->names, name, n, NULL) || (s->has_ranges && each_stem(name, n, '<', find_range, &found));
}

static uint32_t add_reg(Parser *p, Scope *s, const char *name, size_t n, Type type, uint32_t order, uint32_t number)
{
    uint32_t index = (uint32_t)p->f->regs.n;
    map_put(&s->names, name, n, (int64_t)NAME_REG << 32 | index);
    Reg r = {unique_name(p, arena_text(&p->m->arena, name, n)), type};
    vec_push(&p->f->regs, r);
    vec_push(&p->places, (uint64_t)order << 32 | number);
    return index;
}

uint32_t new_reg(Parser *p, const char *name, Type type)
{
    uint32_t index = (uint32_t)p->f->regs.n;
    Reg r = {unique_name(p, name), type};
    vec_push(&p->f->regs, r);
    vec_push(&p->places, (uint64_t)p->order++ << 32);
    return index;
}

// The elements of a vector are named as they are written, but for the dot, which no name may have.
static int64_t add_vector(Parser *p, Scope *s, const char *name, size_t n, Type type, int count, uint32_t order,
                          uint32_t number)
{
    Vector v = {(uint32_t)p->f->regs.n, count};
    for (int k = 0; k < count; k++) {
        Reg r = {unique_name(p, arena_printf(&p->m->arena, "%.*s$%c", (int)n, name, "xyzw"[k])), type};
        vec_push(&p->f->regs, r);
        vec_push(&p->places, (uint64_t)order << 32 | (uint64_t)(number * 4 + (uint32_t)k));
    }
    vec_push(&p->vectors, v);
    int64_t found = (int64_t)NAME_VECTOR << 32 | (int64_t)(p->vectors.n - 1);
    map_put(&s->names, name, n, found);
    return found;
}

uint32_t declare_reg(Parser *p, const char *name, Type type)
{
    return add_reg(p, &p->scopes.v[p->scopes.n - 1], name, strlen(name), type, p->order++, 0);
}

uint32_t declare_vector(Parser *p, const char *name, Type type, int count)
{
    add_vector(p, &p->scopes.v[p->scopes.n - 1], name, strlen(name), type, count, p->order++, 0);
    return p->vectors.v[p->vectors.n - 1].first;
}

bool lookup_name(Parser *p, const char *name, size_t n, int64_t *v)
{
    for (size_t i = p->scopes.n; i-- > 0;) {
        Scope *s = &p->scopes.v[i];
        if (map_get(&s->names, name, n, v)) return true;
        Found found = {.p = p, .s = s};
        if (!s->has_ranges || !each_stem(name, n, '<', find_range, &found)) continue;
        const Range *r = &p->ranges.v[found.range];
        if (r->vec > 1)
            *v = add_vector(p, s, name, n, r->type, r->vec, r->order, found.number);
        else
            *v = (int64_t)NAME_REG << 32 | add_reg(p, s, name, n, r->type, r->order, found.number);
        return true;
    }
    return false;
}

static bool note_least(void *user, const char *key, size_t n, uint32_t number)
{
    Scope *s = user;
    int64_t v;
    if (!map_get(&s->names, key, n, &v) || (uint32_t)v > number)
        map_put(&s->names, key, n, (int64_t)NAME_LEAST << 32 | number);
    return false;
}

// PTX ISA §5.4.6
enum { MOST_REGS = 1 << 24 };  // of a range
#define RANGE_HINT "%r<4> declares the four registers %r0, %r1, %r2 and %r3"
static bool declare_range(Parser *p, const Token *name, Type type, int vec)
{
    Scope *s = &p->scopes.v[p->scopes.n - 1];
    size_t at = tok(p)->at;
    int64_t v;
    uint64_t n = tok(p)->value;  // a number alone: in a constant expression > would be an operator
    if (tok(p)->kind != TOK_INT)
        return parse_fail(p, at, RANGE_HINT, "behind '%.*s<' comes how many registers there are, a number from 0 to %d",
                          (int)name->length, name->text, MOST_REGS);
    lex_next(&p->lex);
    if (!expect_punct(p, '>')) return false;
    if (n > MOST_REGS)
        return parse_fail(p, at, RANGE_HINT, "'%.*s<%llu>' are more than %d registers", (int)name->length, name->text,
                          (unsigned long long)n, MOST_REGS);
    char *key = arena_printf(&p->m->arena, "%.*s<", (int)name->length, name->text);
    bool twice = map_get(&s->names, key, name->length + 1u, &v);
    key[name->length] = '>';
    twice |= map_get(&s->names, key, name->length + 1u, &v) && (uint32_t)v < n;
    key[name->length] = '<';
    if (twice)
        return parse_fail(p, name->at, NULL, "registers of '%.*s<%llu>' are declared twice", (int)name->length,
                          name->text, (unsigned long long)n);
    Range r = {type, (uint32_t)n, p->order++, vec};
    vec_push(&p->ranges, r);
    map_put(&s->names, key, name->length + 1u, (int64_t)NAME_RANGE << 32 | (int64_t)(p->ranges.n - 1));
    s->has_ranges = true;
    return true;
}

bool fits_vector(Parser *p, size_t at, Type type, int n)
{
    return n == 1 || (type != TY_PRED && n * type_info[type].bits <= 128) ||
           parse_fail(p, at, NULL, "a vector has at most 128 bits, and no predicates");
}

// .reg [.v2 | .v4] type (name | name '<' n '>') (',' …)* ';'
bool parse_regs(Parser *p)
{
    size_t at = tok(p)->at;
    int vec = take_directive(p, ".v2") ? 2 : take_directive(p, ".v4") ? 4 : 1;
    Type type = parse_type(p);
    if (type == TY_NONE || type_info[type].kind == K_OPAQUE)
        return parse_fail(p, at, NULL, "a register type is expected here");
    if (!fits_vector(p, at, type, vec)) return false;
    do {
        if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "a register's name is expected here");
        const Token name = *tok(p);
        lex_next(&p->lex);
        if (take_punct(p, '<')) {
            if (!declare_range(p, &name, type, vec)) return false;
            continue;
        }
        Scope *s = &p->scopes.v[p->scopes.n - 1];
        if (scope_has(p, s, name.text, name.length))
            return parse_fail(p, name.at, NULL, "'%.*s' is declared twice", (int)name.length, name.text);
        if (vec > 1)
            add_vector(p, s, name.text, name.length, type, vec, p->order++, 0);
        else
            add_reg(p, s, name.text, name.length, type, p->order++, 0);
        each_stem(name.text, name.length, '>', note_least, s);
    } while (take_punct(p, ','));
    return expect_punct(p, ';');
}

static void renumber(Operand *o, const uint32_t *number)
{
    if ((o->kind == O_REG || o->kind == O_ADDR) && o->reg != NO_REG) o->reg = number[o->reg];
    for (int k = 0; k < o->count; k++) renumber(&o->items[k], number);
}

typedef struct Place {
    uint64_t place;
    uint32_t reg;
} Place;

static int by_place(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    return x->place < y->place ? -1 : x->place > y->place;
}

// Registers came to be as they were named; this puts them into the order of their declarations.
void order_regs(Parser *p)
{
    Function *f = p->f;
    size_t n = f->regs.n;
    Place *place = mem_alloc(sizeof *place * n);
    Reg *regs = mem_alloc(sizeof *regs * n);
    uint32_t *number = mem_alloc(sizeof *number * n);
    for (size_t r = 0; r < n; r++) place[r] = (Place){p->places.v[r], (uint32_t)r};
    qsort(place, n, sizeof *place, by_place);
    for (size_t k = 0; k < n; k++) number[place[k].reg] = (uint32_t)k, regs[k] = f->regs.v[place[k].reg];
    if (n) memcpy(f->regs.v, regs, sizeof *regs * n);
    for (size_t i = 0; i < f->insts.n; i++) {
        Inst *inst = &f->insts.v[i];
        if (inst->guarded) inst->guard = number[inst->guard];
        for (int k = 0; k < inst->operands; k++) renumber(&inst->opnd[k], number);
    }
    mem_free(place), mem_free(regs), mem_free(number);
}
