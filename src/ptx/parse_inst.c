// parse_inst.c: function bodies: scopes, registers, labels, instructions (PTX ISA §4.3, §5, §9). Scopes are flattened:
// if an inner scope declares a register or variable under a name that is taken, it gets a new name. A label belongs to
// the scope that defines it. If a scope refers to a label that it doesn't define, the label is looked for outside when
// the scope ends. Registers are numbered in the order of their declarations; unused registers of a range are left out.
#include "ptx/ops.h"
#include "ptx/parse.h"

#include <string.h>

static void scope_open(Parser *p)
{
    Scope s = {0};
    vec_push(&p->scopes, s);
}

// Label indices are stored in map values; iterating a Map isn't offered, so labels remember the scope by number.
static uint32_t label_index(Parser *p, const char *name, size_t n, uint32_t at)
{
    Scope *s = &p->scopes.v[p->scopes.n - 1];
    int64_t v;
    if (map_get(&s->labels, name, n, &v)) return (uint32_t)v;
    Label l = {.name = arena_text(&p->m->arena, name, n), .at = at};
    vec_push(&p->f->labels, l);
    uint32_t index = (uint32_t)p->f->labels.n - 1;
    vec_push(&p->alias, index);
    map_put(&s->labels, name, n, index);
    return index;
}

// Ends a scope: labels that it refers to and doesn't define are those of the scope around it.
static void scope_close(Parser *p, size_t first_label)
{
    Scope inner = p->scopes.v[--p->scopes.n];
    map_free(&inner.names);
    for (size_t i = first_label; i < p->f->labels.n; i++) {
        const Label *l = &p->f->labels.v[i];
        int64_t mine;
        if (l->defined || p->alias.v[i] != i || !map_get(&inner.labels, l->name, strlen(l->name), &mine) ||
            (size_t)mine != i)
            continue;
        uint32_t outer = label_index(p, l->name, strlen(l->name), l->at);
        p->alias.v[i] = outer;
    }
    map_free(&inner.labels);
}

#define MAX_ITEMS UINT16_MAX

// --- operands (§6.4) -------------------------------------------------------------------------------------------------
static bool parse_operand(Parser *p, Operand *o);

static bool parse_items(Parser *p, Operand *o, int close)
{
    VEC(Operand) items = {0};
    bool good = true;
    for (bool more = !is_punct(p, close); more; more = good && take_punct(p, ',')) {
        Operand item;
        if (items.n == MAX_ITEMS) good = parse_fail(p, tok(p)->at, NULL, "more than %d operands in a list", MAX_ITEMS);
        good = good && parse_operand(p, &item);
        if (good) vec_push(&items, item);
    }
    o->count = (uint16_t)items.n;
    o->items = arena_alloc(&p->m->arena, sizeof *o->items * MAX(items.n, 1));
    if (items.n) memcpy(o->items, items.v, sizeof *o->items * items.n);
    vec_free(&items);
    return good && expect_punct(p, close);
}

// '[' (register | symbol | integer) [('+' | '-') integer] ']', or '[' texture, [sampler,] '{' coordinates '}' ']'
static bool parse_address(Parser *p, Operand *o)
{
    Operand base;
    if (!parse_operand(p, &base)) return false;
    if (is_punct(p, ',')) {
        lex_next(&p->lex);
        Operand rest = {0};
        if (!parse_items(p, &rest, ']')) return false;
        if (!rest.count || rest.count == MAX_ITEMS) return parse_fail(p, o->at, NULL, "malformed texture address");
        o->kind = O_TEX;
        o->count = (uint16_t)(rest.count + 1);
        o->items = arena_alloc(&p->m->arena, sizeof *o->items * o->count);
        o->items[0] = base;
        memcpy(o->items + 1, rest.items, sizeof *o->items * rest.count);
        return true;
    }
    o->kind = O_ADDR;
    o->reg = NO_REG;
    if (base.kind == O_REG && !base.negated)
        o->reg = base.reg;
    else if (base.kind == O_SYM)
        o->sym = base.sym, o->imm = base.imm;
    else if (base.kind == O_IMM && base.imm_kind == IMM_INT)
        o->imm = base.imm;
    else
        return parse_fail(p, tok(p)->at, NULL, "an address is a register, a variable or an integer");
    if (is_punct(p, '+') || is_punct(p, '-')) {
        int64_t n;
        take_punct(p, '+');
        if (!parse_int(p, &n)) return false;
        o->imm += (uint64_t)n;
    }
    return expect_punct(p, ']');
}

static bool special_register(Parser *p, const Token *t, Operand *o)
{
    char name[64];
    size_t n = MIN(t->length, 40u);
    int64_t v;
    memcpy(name, t->text, n);
    if (tok(p)->kind == TOK_DIRECTIVE && tok(p)->length == 2) {
        const char *letter = strchr("xyzwrgba", tok(p)->text[1]);
        name[n++] = '.';
        name[n++] = letter ? "xyzwxyzw"[letter - "xyzwrgba"] : '?';
        lex_next(&p->lex);
    } else if (!words_get(&p->sregs, name, n, &v)) {
        memcpy(name + n, ".x", 2);
        n += 2;
        o->whole = true;
    }
    o->kind = O_SREG;
    if (words_get(&p->sregs, name, n, &v)) {
        o->reg = (uint32_t)v;
        return true;
    }
    return parse_fail(p, t->at, NULL, "register '%.*s' is not declared", (int)t->length, t->text);
}

// A vector register as a whole, or one element of it: .x .y .z .w, or .r .g .b .a (§6.4.3)
static bool parse_vector(Parser *p, const Vector *v, Operand *o)
{
    const Token *t = tok(p);
    const char *letter = t->kind == TOK_DIRECTIVE && t->length == 2 ? strchr("xyzwrgba", t->text[1]) : NULL;
    if (letter) {
        int k = (int)(letter - "xyzwrgba") % 4;
        if (k >= v->n) return parse_fail(p, t->at, NULL, "this vector has %d elements", v->n);
        o->kind = O_REG;
        o->reg = v->first + (uint32_t)k;
        lex_next(&p->lex);
        return true;
    }
    o->kind = O_VEC;
    o->count = (uint16_t)v->n;
    o->items = arena_alloc(&p->m->arena, sizeof *o->items * (size_t)v->n);
    for (int k = 0; k < v->n; k++) o->items[k] = (Operand){.kind = O_REG, .reg = v->first + (uint32_t)k, .at = o->at};
    return true;
}

// ('+' constant | '-' constant) behind a variable's name or, in an operand that stands alone, behind a register
static bool parse_sum(Parser *p, Operand *o)
{
    int64_t n;
    take_punct(p, '+');
    if (!parse_int(p, &n)) return false;
    o->imm = (uint64_t)n;
    o->sum = true;
    return true;
}

static bool parse_name_operand(Parser *p, Operand *o)
{
    const Token t = *tok(p);
    int64_t v;
    lex_next(&p->lex);
    if (t.length == 1 && t.text[0] == '_') {
        o->kind = O_SINK;
        return true;
    }
    if (lookup_name(p, t.text, t.length, &v)) {
        uint32_t index = (uint32_t)v;
        switch ((NameKind)(v >> 32)) {
        case NAME_REG:
            o->kind = O_REG, o->reg = index;
            return p->depth || p->video || !is_punct(p, '+') || parse_sum(p, o);
        case NAME_VECTOR: return parse_vector(p, &p->vectors.v[index], o);
        case NAME_SYMBOL: o->kind = O_SYM, o->sym = p->f->locals.v[index]; break;
        case NAME_TABLE: *o = *p->f->tables.v[index], o->at = t.at; return true;
        default: o->kind = O_PROTO, o->reg = index; return true;
        }
    } else {
        size_t n = p->f->params.n;
        if (map_get(&p->params, t.text, t.length, &v))
            o->kind = O_SYM, o->sym = (size_t)v < n ? p->f->params.v[v] : p->f->rets.v[(size_t)v - n];
        if (!o->sym && map_get(&p->m->symbol_map, t.text, t.length, &v)) o->kind = O_SYM, o->sym = p->m->symbols.v[v];
        if (!o->sym && t.text[0] == '%') return special_register(p, &t, o);
        if (!o->sym) return parse_fail(p, t.at, NULL, "'%.*s' is not declared", (int)t.length, t.text);
    }
    if (o->sym->missing)
        return parse_unsupported(p, t.at, NULL, "'%s' has %s, which is not implemented", o->sym->name, o->sym->missing);
    if (is_punct(p, '[') && !p->depth) return parse_index(p, o);
    return (!is_punct(p, '+') && !is_punct(p, '-')) || parse_sum(p, o);
}

bool parse_register(Parser *p, Operand *o)
{
    size_t at = tok(p)->at;
    if (!parse_operand(p, o)) return false;
    return (o->kind == O_REG && !o->negated) || parse_fail(p, at, NULL, "a register is expected here");
}

// pair = name '|' name
static bool parse_pair(Parser *p, Operand *o)
{
    Operand pair[2] = {*o, {.reg = NO_REG, .at = tok(p)->at}};
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "a register is expected behind '|'");
    if (!parse_name_operand(p, &pair[1])) return false;
    if (o->sum || pair[1].sum) return parse_fail(p, o->at, NULL, "a constant can't be added to a pair");
    *o = (Operand){
        .kind = O_PAIR, .count = 2, .reg = NO_REG, .at = o->at, .items = arena_alloc(&p->m->arena, sizeof pair)};
    memcpy(o->items, pair, sizeof pair);
    return true;
}

// operand = ['!'] name | pair | constant | '{' items '}' | '(' items ')' | '[' address ']'
static bool parse_nested(Parser *p, Operand *o)
{
    if (take_punct(p, '{')) {
        o->kind = O_VEC;
        return parse_items(p, o, '}');
    }
    if (take_punct(p, '(')) {
        o->kind = O_LIST;
        return parse_items(p, o, ')');
    }
    return expect_punct(p, '[') && parse_address(p, o);
}

// .b0, .h1, .b7652 behind a register (§9.7.17): which digits are good is checked later
static void parse_select(Parser *p, Operand *o)
{
    const Token *t = tok(p);
    bool good = t->kind == TOK_DIRECTIVE && t->length > 2 && t->length <= 6 && (t->text[1] == 'b' || t->text[1] == 'h');
    unsigned digits = 0;
    for (uint32_t k = 2; good && k < t->length; k++) {
        good = t->text[k] >= '0' && t->text[k] <= '7';
        digits = digits << 3 | (unsigned)(t->text[k] - '0');
    }
    if (!good) return;
    o->select = (uint16_t)(digits | (t->length - 2) << 12 | (t->text[1] == 'h' ? SELECT_HALVES : 0));
    lex_next(&p->lex);
}

static bool parse_operand(Parser *p, Operand *o)
{
    *o = (Operand){.reg = NO_REG, .at = tok(p)->at};
    if (is_punct(p, '{') || is_punct(p, '[') || (is_punct(p, '(') && p->lists && !p->depth)) {
        if (++p->depth > 8) return parse_fail(p, o->at, NULL, "operands are nested too deeply");
        bool good = parse_nested(p, o);
        p->depth--;
        return good && (o->kind != O_VEC || !take_punct(p, '|') || parse_pair(p, o));
    }
    Lexer back = p->lex;
    bool minus = p->video && take_punct(p, '-'), negated = !minus && take_punct(p, '!');
    if ((minus || negated) && (tok(p)->kind != TOK_NAME || begins_constant(p))) {  // a sign, but not of a register
        p->lex = back;
        minus = negated = false;
    }
    o->minus = minus;
    if (!minus && !negated && begins_constant(p)) return parse_constant(p, o);
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, o->at, NULL, "an operand is expected here");
    if (!parse_name_operand(p, o)) return false;
    if (negated && o->kind != O_REG) return parse_fail(p, o->at, NULL, "only a predicate register can be negated");
    o->negated = negated;
    if (o->minus && o->kind != O_REG) return parse_fail(p, o->at, NULL, "only a register can have a sign");
    if (p->video && o->kind == O_REG) parse_select(p, o);
    return !take_punct(p, '|') || parse_pair(p, o);
}

// --- instructions ----------------------------------------------------------------------------------------------------
// The operation is the longest sequence of the mnemonic's dotted parts that names one. The rest are modifiers and
// types.
static bool parse_mnemonic(Parser *p, Inst *i)
{
    lex_mnemonic(&p->lex);
    const Token t = *tok(p);
    int64_t op = -1;
    size_t n = MIN(t.length, 48u);  // no operation's name is longer
    for (; n; n--) {
        if ((n == t.length || t.text[n] == '.') && words_get(&p->mnemonics, t.text, n, &op)) break;
    }
    size_t word = 0;
    while (word < t.length && t.text[word] != '.') word++;
    if (op < 0) {
        const char *names[OP_COUNT];
        for (int k = 0; k < OP_COUNT; k++) names[k] = op_info[k].name;
        char head[32];
        snprintf(head, sizeof head, "%.*s", (int)word, t.text);
        const char *near = nearest_name(head, names, OP_COUNT);
        p->diag->unsupported = !p->lex.failed;
        return parse_fail(p, t.at, near ? arena_printf(&p->m->arena, "did you mean '%s'?", near) : LIST_OPS,
                          "unknown instruction '%s'", head);
    }
    if (op >= OP_COUNT)
        return parse_unsupported(p, t.at, LIST_OPS, "instruction '%.*s' is not implemented: %s", (int)t.length, t.text,
                                 op_missing[op - OP_COUNT].why);
    i->op = (uint16_t)op;
    for (size_t at = n; at < t.length;) {
        size_t start = ++at;
        while (at < t.length && t.text[at] != '.') at++;
        int64_t v;
        bool known = words_get(&p->suffixes, t.text + start, at - start, &v);
        FormId form = known ? FORMS : form_of((Op)op, t.text + start, at - start);
        if (form != FORMS)
            return parse_unsupported(p, suffix_at(p->m, i, i->suffixes), LIST_OPS, FORM_REFUSED, op_info[op].name,
                                     form_info[form].written, form_info[form].why);
        if (!known)
            return parse_unsupported(p, suffix_at(p->m, i, i->suffixes), LIST_OPS,
                                     "modifier '.%.*s' of '%s' is not implemented", (int)(at - start), t.text + start,
                                     op_info[op].name);
        if (i->suffixes == MAX_SUFFIX) return parse_unsupported(p, t.at, NULL, "too many modifiers");
        i->suffix[i->suffixes++] = (uint16_t)v;
    }
    lex_next(&p->lex);
    return true;
}

// cvt may read a special register (§10), though not to or from floats. A mov into a new register then comes before it.
static void cvt_sreg(Parser *p, Inst *i)
{
    const Operand *o = &i->opnd[1];
    for (int k = 0; k < i->suffixes; k++)
        if (i->suffix[k] < M_COUNT || type_info[i->suffix[k] - M_COUNT].kind == K_FLOAT) return;
    if (i->operands != 2 || o->kind != O_SREG || sreg_info[o->reg].type == TY_PRED) return;
    Type t = sreg_info[o->reg].type;
    Operand *mov = arena_alloc(&p->m->arena, 2 * sizeof *mov);
    mov[0] = (Operand){.kind = O_REG, .reg = new_reg(p, "%sreg", t), .at = o->at};
    mov[1] = *o;
    Inst read = *i;
    read.op = OP_MOV;
    read.suffixes = 1;
    read.suffix[0] = (uint16_t)(M_COUNT + t);
    read.opnd = mov;
    read.origin = (uint32_t)p->f->insts.n;
    vec_push(&p->f->insts, read);
    i->opnd[1] = mov[0];
}

// A name that is a label and nothing else
static bool parse_label(Parser *p, Operand *o)
{
    *o = (Operand){.kind = O_LABEL, .at = tok(p)->at};
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "a label is expected here");
    o->reg = label_index(p, tok(p)->text, tok(p)->length, tok(p)->at);
    lex_next(&p->lex);
    return true;
}

static bool parse_operands(Parser *p, Inst *i)
{
    Operand o[MAX_OPERANDS];
    int n = 0;
    p->video = op_has(i->op, P_VIDEO);
    p->lists = i->op == OP_CALL;
    bool none = is_punct(p, ';') || is_punct(p, '}') || tok(p)->kind == TOK_END;
    for (bool more = !none; more; more = take_punct(p, ',')) {
        if (n == MAX_OPERANDS) return parse_fail(p, tok(p)->at, NULL, "too many operands");
        if (!(i->op == OP_BRA ? parse_label(p, &o[n++]) : parse_operand(p, &o[n++]))) return false;
    }
    if (!expect_punct(p, ';')) return false;
    i->operands = (uint8_t)n;
    i->opnd = arena_alloc(&p->m->arena, sizeof *o * (size_t)MAX(n, 1));
    memcpy(i->opnd, o, sizeof *o * (size_t)n);
    return true;
}

static bool take_up(Parser *p, Inst *i)
{
    expand_arrays(p, i);
    if (!expand_sums(p, i)) return false;
    if (i->op == OP_CVT) cvt_sreg(p, i);
    if (i->op == OP_RET) store_results(p, i);
    if (expand_vector_mov(p, i) || expand_store(p, i)) return true;
    i->origin = (uint32_t)p->f->insts.n;
    if (i->op == OP_CALL) return expand_call(p, i);
    if (!p->lex.failed) vec_push(&p->f->insts, *i);
    return !p->lex.failed;
}

// After an error in an instruction's operands: a form that isn't implemented may have operands of a kind that no other
// has. Then the form is to blame, and it blocks its own function alone.
static void blame_form(Parser *p, const Inst *i)
{
    Inst form = *i;
    Diag why = {0};
    if (!p->diag->unsupported && !p->diag->memory && !check_form(p->m, &form, &why)) {
        diag_free(p->diag);
        *p->diag = why;
    } else {
        diag_free(&why);
    }
}

static bool parse_inst(Parser *p)
{
    Inst i = {.at = tok(p)->at, .loc = p->loc, .guard = NO_REG};
    if (take_punct(p, '@')) {
        Operand g;
        size_t at = tok(p)->at;
        if (!parse_operand(p, &g)) return false;
        if (g.kind != O_REG || g.sum || p->f->regs.v[g.reg].type != TY_PRED)
            return parse_fail(p, at, NULL, "a guard is a predicate register");
        i.guarded = true;
        i.guard = g.reg;
        i.guard_negated = g.negated;
        i.at = tok(p)->at;
    }
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "an instruction is expected here");
    if (!parse_mnemonic(p, &i)) return false;
    const Inst form = i;
    bool good = parse_operands(p, &i) && take_up(p, &i);
    if (!good) blame_form(p, &form);
    return good;
}

// name ':' .branchtargets l, … ; | .calltargets f, … ; | .callprototype [(rets)] _ (params) ;
static bool parse_table(Parser *p, const Token *name)
{
    Scope *scope = &p->scopes.v[p->scopes.n - 1];
    bool branches = is_directive(p, ".branchtargets"), calls = is_directive(p, ".calltargets");
    size_t index = branches ? p->f->tables.n : p->f->protos.n;
    if (scope_has(p, scope, name->text, name->length))
        return parse_fail(p, name->at, NULL, "'%.*s' is declared twice", (int)name->length, name->text);
    map_put(&scope->names, name->text, name->length,
            (int64_t)(branches ? NAME_TABLE : NAME_PROTO) << 32 | (int64_t)index);
    char *text = unique_name(p, arena_text(&p->m->arena, name->text, name->length));
    lex_next(&p->lex);
    if (branches) {
        Operand *o = arena_alloc(&p->m->arena, sizeof *o), item;
        VEC(Operand) items = {0};
        bool good = true;
        do {
            if (items.n == MAX_ITEMS) good = parse_fail(p, tok(p)->at, NULL, "more than %d branch targets", MAX_ITEMS);
            good = good && parse_label(p, &item);
            if (good) vec_push(&items, item);
        } while (good && take_punct(p, ','));
        *o = (Operand){.kind = O_LABELS, .reg = (uint32_t)index, .count = (uint16_t)items.n};
        o->items = arena_alloc(&p->m->arena, sizeof item * MAX(items.n, 1));
        if (items.n) memcpy(o->items, items.v, sizeof item * items.n);
        vec_free(&items);
        vec_push(&p->f->tables, o);
        vec_push(&p->f->table_names, text);
        return good && expect_punct(p, ';');
    }
    Proto *proto = arena_alloc(&p->m->arena, sizeof *proto);
    proto->name = text;
    vec_push(&p->f->protos, proto);
    if (calls) {
        do {
            int64_t v;
            Symbol *s = map_get(&p->m->symbol_map, tok(p)->text, tok(p)->length, &v) ? p->m->symbols.v[v] : NULL;
            if (!s || !s->function || s->function->entry)
                return parse_fail(p, tok(p)->at, NULL, ".calltargets lists functions");
            const Function *first = proto->targets.n ? proto->targets.v[0]->function : s->function;
            if (!same_symbols(&first->params, &s->function->params) || !same_symbols(&first->rets, &s->function->rets))
                return parse_fail(p, tok(p)->at, "all functions of a .calltargets have the same parameters and results",
                                  "'%s' is declared otherwise than '%s'", s->name, proto->targets.v[0]->name);
            vec_push(&proto->targets, s);
            lex_next(&p->lex);
        } while (take_punct(p, ','));
        return expect_punct(p, ';');
    }
    if (is_punct(p, '(') && !(parse_params(p, &proto->rets, false) && join_results(p, &proto->rets))) return false;
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "'_' is expected here");
    lex_next(&p->lex);
    if (is_punct(p, '(') && !parse_params(p, &proto->params, false)) return false;
    uint64_t bytes = 0;
    if (!frame_within_bounds(p, &proto->rets, &bytes) || !frame_within_bounds(p, &proto->params, &bytes)) return false;
    proto->noreturn = take_directive(p, ".noreturn");
    return expect_punct(p, ';');
}

static bool parse_statement(Parser *p)
{
    size_t at = tok(p)->at;
    if (p->lex.failed) return false;  // it stands still
    if (take_punct(p, '{')) {
        if (p->scopes.n > 64) return parse_fail(p, at, NULL, "scopes are nested too deeply");
        size_t first = p->f->labels.n;
        scope_open(p);
        while (!is_punct(p, '}')) {
            if (tok(p)->kind == TOK_END) return parse_fail(p, at, NULL, "'{' without '}'");
            if (!parse_statement(p)) return false;
        }
        scope_close(p, first);
        return expect_punct(p, '}');
    }
    if (take_directive(p, ".reg")) return parse_regs(p);
    if (take_directive(p, ".loc")) return parse_loc(p);
    if (take_directive(p, ".section")) return parse_skip_section(p);
    if (take_directive(p, ".pragma")) {
        uint32_t at = (uint32_t)tok(p)->at;
        Pragma pragma = {parse_pragma(p), (uint32_t)p->f->insts.n, at};
        vec_push(&p->f->pragmas, pragma);
        return pragma.text != NULL;
    }
    Space space = parse_space(p);
    if (space != SP_NONE) return parse_variables(p, space, LINK_NONE);
    if (tok(p)->kind == TOK_DIRECTIVE)
        return parse_unsupported(p, at, NULL, "directive '%.*s' is not implemented", (int)tok(p)->length, tok(p)->text);
    if (tok(p)->kind == TOK_NAME) {
        Lexer back = p->lex;
        const Token name = *tok(p);
        lex_next(&p->lex);
        if (take_punct(p, ':')) {
            if (is_directive(p, ".branchtargets") || is_directive(p, ".calltargets") ||
                is_directive(p, ".callprototype"))
                return parse_table(p, &name);
            uint32_t l = label_index(p, name.text, name.length, name.at);
            if (p->f->labels.v[l].defined)
                return parse_fail(p, name.at, NULL, "label '%s' is defined twice", p->f->labels.v[l].name);
            p->f->labels.v[l].defined = true;
            p->f->labels.v[l].at = (uint32_t)name.at;
            p->f->labels.v[l].inst = (uint32_t)p->f->insts.n;
            return true;
        }
        p->lex = back;
    }
    if (take_punct(p, ';')) return true;
    return parse_inst(p);
}

static bool fix_label(Parser *p, Operand *o)
{
    while (p->alias.v[o->reg] != o->reg) o->reg = p->alias.v[o->reg];
    const Label *l = &p->f->labels.v[o->reg];
    return l->defined || parse_fail(p, o->at, NULL, "label '%s' is not defined", l->name);
}

// Liveness has a bit for each register in each basic block; each brx.idx leads to all of its table.
static bool check_size(Parser *p, const Function *f)
{
    uint64_t blocks = f->labels.n + 1, edges = 0;
    for (size_t n = 0; n < f->insts.n; n++) {
        const Inst *i = &f->insts.v[n];
        blocks += op_info[i->op].class == CLASS_BRANCH;
        if (i->op == OP_BRX && i->operands == 2) edges += i->opnd[1].count;
    }
    if (blocks * f->regs.n > MAX_LIVE)
        return parse_fail(p, f->symbol->at, "split it into functions",
                          "'%s' is too large: %llu basic blocks times %zu registers are more than 2^30",
                          f->symbol->name, (unsigned long long)blocks, f->regs.n);
    return edges <= MAX_EDGES ||
           parse_fail(p, f->symbol->at, NULL, "'%s' is too large: its brx.idx have %llu targets, of at most %llu",
                      f->symbol->name, (unsigned long long)edges, MAX_EDGES);
}

// Labels of one spelling in different scopes get names of their own, so that the flat text parses back.
static void name_labels(Parser *p)
{
    for (size_t i = 0; i < p->f->labels.n; i++)
        if (p->f->labels.v[i].defined) p->f->labels.v[i].name = unique_name(p, p->f->labels.v[i].name);
}

bool parse_body(Parser *p, Function *f)
{
    p->f = f;
    p->loc = p->order = 0;
    p->renamed = p->alias.n = p->ranges.n = p->vectors.n = p->places.n = 0;
    map_free(&p->taken);
    map_free(&p->params);
    for (size_t i = 0; i < f->params.n + f->rets.n; i++) {
        const char *name = (i < f->params.n ? f->params.v[i] : f->rets.v[i - f->params.n])->name;
        map_put(&p->taken, name, strlen(name), 1);
        map_put(&p->params, name, strlen(name), (int64_t)i);
    }
    size_t at = tok(p)->at;
    if (!expect_punct(p, '{')) return false;
    scope_open(p);
    open_registers(p);
    while (!is_punct(p, '}')) {
        if (tok(p)->kind == TOK_END) return parse_fail(p, at, NULL, "function '%s' has no end", f->symbol->name);
        if (!parse_statement(p)) return false;
    }
    const Inst end = {.op = OP_RET, .at = tok(p)->at}, *last = f->insts.n ? &f->insts.v[f->insts.n - 1] : NULL;
    if (!last || last->op != OP_RET || last->guarded) store_results(p, &end);
    Scope outer = p->scopes.v[--p->scopes.n];
    map_free(&outer.names);
    map_free(&outer.labels);
    order_regs(p);
    if (!check_size(p, f)) return false;
    for (size_t i = 0; i < f->tables.n; i++)
        for (int k = 0; k < f->tables.v[i]->count; k++)
            if (!fix_label(p, &f->tables.v[i]->items[k])) return false;
    for (size_t i = 0; i < f->insts.n; i++) {
        Inst *inst = &f->insts.v[i];
        for (int k = 0; k < inst->operands; k++)
            if (inst->opnd[k].kind == O_LABEL && !fix_label(p, &inst->opnd[k])) return false;
        if (!check_inst(p->m, f, inst, p->diag)) return p->lex.failed = true, false;
    }
    name_labels(p);
    f->text_end = tok(p)->at + tok(p)->length;
    lex_next(&p->lex);
    p->f = NULL;
    return true;
}
