// parse_var.c: variables: declarations, initialisers, parameters (PTX ISA §5.2, §5.4).
#include "ptx/parse.h"

#include <string.h>

// A flattened function has one name space, in which no name of the module or of a parameter may be hidden. If a body
// declares something under a name that is taken, it gets a new name.
char *unique_name(Parser *p, const char *name)
{
    size_t n = strlen(name);
    int64_t old;
    bool used = map_get(&p->taken, name, n, &old) || map_get(&p->m->symbol_map, name, n, &old);
    char *own = used ? NULL : arena_text(&p->m->arena, name, n);
    for (size_t k = 1; !own; k++) {
        char *next = arena_printf(&p->m->arena, "%s$%zu", name, p->renamed + k);
        if (!map_get(&p->taken, next, strlen(next), &old) && !map_get(&p->m->symbol_map, next, strlen(next), &old))
            own = next, p->renamed += k;
    }
    map_put(&p->taken, own, strlen(own), 1);
    return own;
}

static bool declare_local(Parser *p, Symbol *s)
{
    Scope *scope = &p->scopes.v[p->scopes.n - 1];
    if (scope_has(p, scope, s->name, strlen(s->name)))
        return parse_fail(p, s->at, NULL, "'%s' is declared twice", s->name);
    vec_push(&p->f->locals, s);
    map_put(&scope->names, s->name, strlen(s->name), (int64_t)NAME_SYMBOL << 32 | (int64_t)(p->f->locals.n - 1));
    s->name = unique_name(p, s->name);
    return true;
}

// A variable of the module may be declared .extern any number of times, and defined once.
static bool declare_symbol(Parser *p, Symbol *s)
{
    if (p->f) return declare_local(p, s);
    int64_t old;
    Item item = {.symbol = s, .declares = s->linkage == LINK_EXTERN};
    if (map_get(&p->m->symbol_map, s->name, strlen(s->name), &old)) {
        Symbol *was = item.symbol = p->m->symbols.v[old];
        if (was->function || (was->linkage != LINK_EXTERN && s->linkage != LINK_EXTERN))
            return parse_fail(p, s->at, NULL, "'%s' is declared twice", s->name);
        if (was->space != s->space || was->type != s->type || (was->bytes && s->bytes && was->bytes != s->bytes))
            return parse_fail(p, s->at, NULL, "'%s' was declared otherwise before", s->name);
        if (s->linkage != LINK_EXTERN) *was = *s;
    } else {
        vec_push(&p->m->symbols, s);
        map_put(&p->m->symbol_map, s->name, strlen(s->name), (int64_t)(p->m->symbols.n - 1));
    }
    vec_push(&p->m->items, item);
    return true;
}

// --- initialisers (§5.4.4) -------------------------------------------------------------------------------------------
#define MAX_DIMS 8
#define MAX_INIT (256ull << 20)  // bytes of all initialised variables of a module

typedef struct Init {
    Symbol *s;
    uint64_t dims[MAX_DIMS + 1];  // .v2 and .v4 are one more
    int n;
    bool vector;  // the last dimension is a vector's
    Reloc **last;
} Init;

// address = (name | 'generic' '(' name ')') [('+' | '-') constant]
static bool put_address(Parser *p, Init *init, uint64_t at, uint8_t bytes, uint8_t shift)
{
    bool generic = tok(p)->length == 7 && !memcmp(tok(p)->text, "generic", 7);
    if (generic) {
        lex_next(&p->lex);
        if (!expect_punct(p, '(')) return false;
    }
    int64_t index, offset = 0;
    if (tok(p)->kind != TOK_NAME || !map_get(&p->m->symbol_map, tok(p)->text, tok(p)->length, &index))
        return parse_fail(p, tok(p)->at, "declare the variable or function before its address is taken",
                          "'%.*s' is not a symbol of this module", (int)tok(p)->length, tok(p)->text);
    lex_next(&p->lex);
    if (generic && !expect_punct(p, ')')) return false;
    if (is_punct(p, '+') || is_punct(p, '-')) {
        take_punct(p, '+');
        if (!parse_int(p, &offset)) return false;
    }
    Reloc *r = arena_alloc(&p->m->arena, sizeof *r);
    *r = (Reloc){NULL, (uint32_t)at, p->m->symbols.v[index], offset, generic, bytes, shift};
    *init->last = r;
    init->last = &r->next;
    return true;
}

// scalar = constant | address | mask '(' address ')'
static bool put_scalar(Parser *p, Init *init, uint64_t at)
{
    const Symbol *s = init->s;
    const TypeInfo *t = &type_info[s->type];
    size_t where = tok(p)->at;
    if (tok(p)->kind == TOK_NAME && !begins_constant(p)) {
        if (t->kind == K_FLOAT || t->bits < 32 || t->bits > 64)
            return parse_fail(p, where, t->bits == 8 ? "a byte of it is 0xFF(name), 0xFF00(name), …" : NULL,
                              "an address doesn't fit type .%s", t->name);
        return put_address(p, init, at, (uint8_t)(t->bits / 8), 0);
    }
    Operand o = {0};
    if (!parse_constant(p, &o)) return false;
    if (o.imm_kind == IMM_INT && take_punct(p, '(')) {  // 0xFF00(symbol): one byte of an address
        uint8_t shift = 0;
        while (shift < 56 && !(o.imm >> shift & 1)) shift = (uint8_t)(shift + 8);
        if (o.imm != 0xffull << shift || t->bits != 8)
            return parse_fail(p, where, NULL, "a mask must select one byte of an address, and the type be .u8 or .b8");
        return put_address(p, init, at, 1, shift) && expect_punct(p, ')');
    }
    bool fits = imm_fits(&o, s->type) && !(t->kind == K_FLOAT && t->bits < 32);
    if (!fits)
        return parse_fail(p, where,
                          t->kind == K_FLOAT && t->bits >= 32 ? "write it as 0f… or 0d…"
                          : t->kind == K_FLOAT                ? "initialise a .b16 variable"
                                                              : NULL,
                          "this constant doesn't fit type .%s", t->name);
    uint64_t bits = imm_bits(&o, s->type);
    memcpy(s->init + at, &bits, (size_t)MIN(type_bytes(s->type), 8));
    return true;
}

// value = scalar | '{' value (',' value)* '}', nested as the dimensions are; what is left out is zero
static bool put_value(Parser *p, Init *init, int level, uint64_t at)
{
    if (level == init->n) return put_scalar(p, init, at);
    uint64_t step = (uint64_t)type_bytes(init->s->type), n = 0;
    for (int k = level + 1; k < init->n; k++) step *= init->dims[k];
    if (!expect_punct(p, '{')) return false;
    do {
        if (n == init->dims[level])
            return parse_fail(p, tok(p)->at, NULL, "more initial values than '%s' has elements", init->s->name);
        if (!put_value(p, init, level + 1, at + n++ * step)) return false;
    } while (take_punct(p, ','));
    if (init->vector && level + 1 == init->n && n != init->dims[level])
        return parse_fail(p, tok(p)->at, NULL, "a vector's initial value has %d elements", (int)init->dims[level]);
    return expect_punct(p, '}');
}

// The number of values in the list that begins here: the size of an array declared with [].
static uint64_t count_values(Parser *p)
{
    Lexer back = p->lex;
    Diag unused = {0};
    p->lex.diag = &unused;
    uint64_t n = 1;
    for (int depth = 0; tok(p)->kind != TOK_END && !is_punct(p, ';'); lex_next(&p->lex)) {
        if (is_punct(p, '{')) depth++;
        if (is_punct(p, '}')) depth--;
        if (is_punct(p, ',') && depth == 1) n++;
        if (depth == 0 && !is_punct(p, '=')) break;
    }
    diag_free(&unused);
    p->lex = back;
    return n;
}

static bool parse_init(Parser *p, Init *init)
{
    Symbol *s = init->s;
    if (s->space != SP_GLOBAL && s->space != SP_CONST)
        return parse_fail(p, s->at, NULL, "only .global and .const variables can be initialised");
    p->init_bytes += s->bytes;
    if (p->init_bytes > MAX_INIT)
        return parse_fail(p, s->at, NULL, "the initialised variables are larger than %llu MiB", MAX_INIT >> 20);
    if (!mem_room(s->bytes)) {
        p->diag->memory = true;
        return parse_fail(p, s->at, NULL, "%s", mem_none);
    }
    s->init = arena_alloc(&p->m->arena, s->bytes + 8);
    init->last = &s->relocs;
    return put_value(p, init, 0, 0);
}

static bool is_opaque(const Symbol *s) { return type_info[s->type].kind == K_OPAQUE; }

// '{' name '=' value (',' …)* '}' of a texture, sampler or surface (§5.3), as text: nothing reads it, since who names
// such a variable is refused.
static bool parse_settings(Parser *p, Symbol *s)
{
    const Token from = *tok(p);
    if (s->space != SP_GLOBAL)
        return parse_fail(p, s->at, NULL, "only .global and .const variables can be initialised");
    if (!expect_punct(p, '{')) return false;
    while (!is_punct(p, '}')) {
        bool part = tok(p)->kind == TOK_NAME || tok(p)->kind == TOK_INT || is_punct(p, '=') || is_punct(p, ',');
        if (!part) return parse_fail(p, tok(p)->at, NULL, "name = value, … is expected here");
        lex_next(&p->lex);
    }
    s->settings = arena_text(&p->m->arena, from.text, tok(p)->at + 1 - from.at);
    lex_next(&p->lex);
    return true;
}

// variables = attribute* type declarator (',' declarator)* ';'      declarator = name dim* ['=' value]
// attribute = .align n | .attribute(…) | .v2 | .v4
static bool parse_declarator(Parser *p, Symbol proto, Symbol **out)
{
    Symbol *s = arena_alloc(&p->m->arena, sizeof *s);
    *s = proto;
    Init init = {.s = s};
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "a variable's name is expected here");
    s->name = token_text(p);
    s->at = tok(p)->at;
    lex_next(&p->lex);
    bool open = false;
    uint64_t elements = proto.elements;  // 2 or 4: a vector
    while (take_punct(p, '[')) {
        size_t at = tok(p)->at;
        int64_t n = 0;
        if (init.n == MAX_DIMS)
            return parse_fail(p, at, NULL, "arrays of more than %d dimensions are not implemented", MAX_DIMS);
        if (!s->array && take_punct(p, ']')) {
            open = true;
        } else {
            if (!parse_int(p, &n) || !expect_punct(p, ']')) return false;
            if (n < 0 || (n && elements > (1ull << 40) / (uint64_t)n))
                return parse_fail(p, at, NULL, "array too large");
            elements *= (uint64_t)n;
        }
        s->array = true;
        init.dims[init.n++] = (uint64_t)n;
    }
    if (proto.elements > 1) init.dims[init.n++] = proto.elements, init.vector = true;
    if (open) {
        init.dims[0] = is_punct(p, '=') ? count_values(p) : 0;
        if (init.dims[0] && elements > (1ull << 40) / init.dims[0])
            return parse_fail(p, s->at, NULL, "array too large");
        elements *= init.dims[0];
    }
    s->elements = elements;
    s->bytes = elements * (uint64_t)type_bytes(s->type);
    if (!s->align) s->align = (uint32_t)(type_bytes(s->type) * (int)proto.elements);
    if (take_punct(p, '=') && !(is_opaque(s) ? parse_settings(p, s) : parse_init(p, &init))) return false;
    *out = s;
    return true;
}

// attribute = '(' .managed | .unified '(' integer ',' integer ')' | … ')': of a variable or a function (§5.4.8, §11.4).
// These two change nothing here. The text is kept, to be printed again. Where another stands, missing says so.
bool parse_attribute(Parser *p, Symbol *s)
{
    const Token from = *tok(p);
    int depth = 0;
    do {
        if (is_punct(p, '(')) depth++;
        if (is_punct(p, ')')) depth--;
        if (tok(p)->kind == TOK_END || is_punct(p, ';') || is_punct(p, '{') || (depth && p->lex.failed))
            return parse_fail(p, from.at, NULL, ".attribute without end");
        if (tok(p)->kind == TOK_DIRECTIVE && !is_directive(p, ".managed") && !is_directive(p, ".unified"))
            s->missing = arena_printf(&p->m->arena, "attribute '%.*s'", (int)tok(p)->length, tok(p)->text);
        lex_next(&p->lex);
    } while (depth > 0);
    size_t end = tok(p)->at;
    while (end > from.at && p->m->source.text[end - 1] != ')') end--;
    s->attributes = arena_printf(&p->m->arena, ".attribute%.*s", (int)(end - from.at), from.text);
    return true;
}

// .ptr [.space] [.align n]
static bool parse_ptr(Parser *p, Symbol *s)
{
    s->ptr = true;
    Text text = {0};
    uint32_t align = 0;
    Space space = parse_space(p);
    bool good = !take_directive(p, ".align") || parse_range(p, "an alignment", 1, 1 << 20, &align);
    text_put(&text, ".ptr");
    if (space != SP_NONE) text_printf(&text, " .%s", space_names[space]);
    if (align) text_printf(&text, " .align %u", align);
    s->attributes = arena_text(&p->m->arena, text.v, text.n);
    text_free(&text);
    return good;
}

static bool parse_attributes(Parser *p, Symbol *s)
{
    s->elements = 1;
    for (;;) {
        if (take_directive(p, ".align")) {
            size_t at = tok(p)->at;
            if (!parse_range(p, "an alignment", 1, 1 << 20, &s->align)) return false;
            if (s->align & (s->align - 1)) return parse_fail(p, at, NULL, "an alignment is a power of two");
        } else if (take_directive(p, ".attribute")) {
            if (!parse_attribute(p, s)) return false;
        } else if (take_directive(p, ".v2")) {
            s->elements = 2;
        } else if (take_directive(p, ".v4")) {
            s->elements = 4;
        } else {
            break;
        }
    }
    size_t at = tok(p)->at;
    s->type = parse_type(p);
    if (s->type == TY_NONE) return parse_fail(p, at, NULL, "a type is expected here");
    if (s->type == TY_PRED && !s->in_reg) return parse_fail(p, at, NULL, "predicates live in registers only");
    return !take_directive(p, ".ptr") || parse_ptr(p, s);
}

// Places a variable behind *bytes of earlier variables. Together they may have `most` bytes. where: what they belong
// to, for the error.
static bool take_room(Parser *p, const Symbol *s, uint64_t *bytes, uint64_t most, const char *hint, const char *where)
{
    uint64_t align = MAX(s->align, 1u), at = (*bytes + align - 1) / align * align;
    *bytes = at + s->bytes;
    if (at <= most && s->bytes <= most - at) return true;
    return parse_fail(p, s->at, hint, "with '%s' the %s have %llu bytes, of at most %llu", s->name, where,
                      (unsigned long long)*bytes, (unsigned long long)most);
}

#define FRAME "parameters and .param variables of the function"

// Checks the limits of ir.h. Two checks come later: whether a kernel's shared variables are too large together, when
// it is known which ones it uses; and whether there is enough global memory, when the module is loaded.
static bool within_bounds(Parser *p, const Symbol *s)
{
    uint64_t alone = 0;
    switch (s->space) {
    case SP_PARAM: return take_room(p, s, &p->frame_bytes, MAX_FRAME, NULL, FRAME);
    case SP_LOCAL: return take_room(p, s, &p->local_bytes, MAX_LOCAL, NULL, ".local variables of the function");
    case SP_CONST:
        return s->linkage == LINK_EXTERN ||
               take_room(p, s, &p->const_bytes, MAX_CONST, NULL, ".const variables of the module");
    case SP_SHARED: return take_room(p, s, &alone, MAX_SHARED, NULL, ".shared variables");
    default: return true;
    }
}

uint32_t ptx_most_params(const Module *m)
{
    return m->sm >= 70 && m->version_major * 10 + m->version_minor >= 81 ? MAX_PARAM : MAX_PARAM_OLD;
}

bool frame_within_bounds(Parser *p, const Symbols *list, uint64_t *bytes)
{
    for (size_t k = 0; k < list->n; k++)
        if (!take_room(p, list->v[k], bytes, MAX_FRAME, NULL, FRAME)) return false;
    return true;
}

// The parameters of a kernel lie in a bank of their own, those of a function in its frame.
bool params_within_bounds(Parser *p, const Function *f)
{
    uint64_t bytes = 0;
    uint32_t most = ptx_most_params(p->m);
    p->frame_bytes = p->local_bytes = 0;
    if (!f->entry)
        return frame_within_bounds(p, &f->rets, &p->frame_bytes) && frame_within_bounds(p, &f->params, &p->frame_bytes);
    for (size_t k = 0; k < f->params.n; k++) {
        const Symbol *s = f->params.v[k];
        if (!s->bytes) return parse_fail(p, s->at, NULL, "'%s' has no size", s->name);
        if (!take_room(p, s, &bytes, most,
                       most == MAX_PARAM ? NULL : "from .version 8.1 and .target sm_70 on they may have 32764",
                       "parameters of the kernel"))
            return false;
    }
    return true;
}

// Reads what follows name '<': name<3> declares name0, name1 and name2, which are no arrays and have no
// initialisers (§5.4.6). All ranges of a module together are limited, since a few bytes of text declare a lot.
static bool parse_names(Parser *p, const Symbol *one)
{
    size_t at = tok(p)->at;
    uint64_t n = tok(p)->value;  // a number alone: in a constant expression > would be an operator
    if (tok(p)->kind != TOK_INT)
        return parse_fail(p, at, NULL, "behind '%s<' comes how many variables there are", one->name);
    lex_next(&p->lex);
    if (!expect_punct(p, '>')) return false;
    if (n > MOST_NAMES - p->names)
        return parse_fail(p, at, NULL, "with '%s<%llu>' the module declares more than %u variables in ranges",
                          one->name, (unsigned long long)n, MOST_NAMES);
    p->names += (uint32_t)n;
    for (uint64_t k = 0; k < n; k++) {
        Symbol *s = arena_alloc(&p->m->arena, sizeof *s);
        *s = *one;
        s->name = arena_printf(&p->m->arena, "%s%llu", one->name, (unsigned long long)k);
        if (!within_bounds(p, s) || !declare_symbol(p, s)) return false;
    }
    return true;
}

bool parse_variables(Parser *p, Space space, Linkage linkage)
{
    Symbol proto = {.space = space, .linkage = linkage}, *s;
    if (!parse_attributes(p, &proto)) return false;
    do {
        if (!parse_declarator(p, proto, &s)) return false;
        if (!s->array && !s->init && !s->settings && take_punct(p, '<')) {
            if (!parse_names(p, s)) return false;
            continue;
        }
        if (s->bytes == 0 && linkage != LINK_EXTERN && !(space == SP_SHARED || space == SP_GLOBAL))
            return parse_fail(p, s->at, NULL, "'%s' has no size", s->name);
        if (!within_bounds(p, s) || !declare_symbol(p, s)) return false;
    } while (take_punct(p, ','));
    return expect_punct(p, ';');
}

// How a parameter or result in registers travels: a predicate as .b32, which is 0 or 1; a vector as bytes.
static void set_travel(Symbol *s)
{
    s->reg_type = (uint8_t)s->type;
    s->reg_count = (uint8_t)s->elements;
    if (s->type == TY_PRED) {
        s->type = TY_B32;
        s->bytes = s->align = 4;
    } else if (s->elements > 1) {
        s->type = TY_B8;
        s->array = true;
        s->elements = s->bytes;
    }
}

// param = (.param | .reg) attribute* type [.ptr …] [name dim*]: null, with the error, where there is none
static Symbol *parse_param(Parser *p, bool named)
{
    size_t at = tok(p)->at;
    Space space = parse_space(p);
    Symbol proto = {.space = SP_PARAM, .in_reg = space == SP_REG, .at = (uint32_t)at}, *s = NULL;
    if (space != SP_PARAM && space != SP_REG) return parse_fail(p, at, NULL, ".param or .reg is expected here"), NULL;
    if (!parse_attributes(p, &proto)) return NULL;
    if (proto.in_reg && !fits_vector(p, at, proto.type, (int)proto.elements)) return NULL;
    if (named || tok(p)->kind == TOK_NAME) {
        if (!parse_declarator(p, proto, &s)) return NULL;
    } else {
        s = arena_alloc(&p->m->arena, sizeof *s);
        *s = proto;
        s->name = "_";
        s->bytes = s->elements * (uint64_t)type_bytes(s->type);
        if (!s->align) s->align = (uint32_t)s->bytes;
    }
    if (s->in_reg && s->array) return parse_fail(p, s->at, NULL, "a register is no array"), NULL;
    if (s->in_reg) set_travel(s);
    return s;
}

// params = '(' [param (',' param)*] ')'
bool parse_params(Parser *p, Symbols *out, bool named)
{
    if (!expect_punct(p, '(')) return false;
    if (take_punct(p, ')')) return true;
    Map names = {0};
    bool good = true;
    do {
        Symbol *s = parse_param(p, named);
        if (s && named && map_get(&names, s->name, strlen(s->name), NULL))
            parse_fail(p, s->at, NULL, "'%s' is declared twice", s->name);
        good = s && !p->lex.failed;
        if (!good) continue;
        if (named) map_put(&names, s->name, strlen(s->name), 1);
        vec_push(out, s);
    } while (good && take_punct(p, ','));
    map_free(&names);
    return good && expect_punct(p, ')');
}
