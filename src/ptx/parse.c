// parse.c: modules: tokens' helpers, directives, functions' headers (PTX ISA §5, §11). Variables are in parse_var.c,
// bodies in parse_inst.c. The parser is recursive descent over a lexer with one token; the grammar rule stands above
// its function. Everything it builds lives in the module's arena or in vectors that ptx_free releases.
#include "ptx/parse.h"
#include "ptx/ops.h"

#include <string.h>

bool is_punct(const Parser *p, int c) { return tok(p)->kind == TOK_PUNCT && tok(p)->punct == c; }

bool take_punct(Parser *p, int c)
{
    if (!is_punct(p, c)) return false;
    lex_next(&p->lex);
    return true;
}

bool parse_fail(Parser *p, size_t at, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->lex.failed) diag_vat(p->diag, &p->m->source, at, hint, format, args);
    va_end(args);
    p->lex.failed = true;
    return false;
}

bool parse_unsupported(Parser *p, size_t at, const char *hint, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    if (!p->lex.failed) {
        diag_vat(p->diag, &p->m->source, at, hint, format, args);
        p->diag->unsupported = true;
    }
    va_end(args);
    p->lex.failed = true;
    return false;
}

bool expect_punct(Parser *p, int c)
{
    if (take_punct(p, c)) return true;
    if (tok(p)->kind == TOK_END) return parse_fail(p, tok(p)->at, NULL, "'%c' expected, but the text ends here", c);
    return parse_fail(p, tok(p)->at, NULL, "'%c' expected before '%.*s'", c, (int)tok(p)->length, tok(p)->text);
}

bool is_directive(const Parser *p, const char *name)
{
    size_t n = strlen(name);
    return tok(p)->kind == TOK_DIRECTIVE && tok(p)->length == n && !memcmp(tok(p)->text, name, n);
}

bool take_directive(Parser *p, const char *name)
{
    if (!is_directive(p, name)) return false;
    lex_next(&p->lex);
    return true;
}

char *token_text(Parser *p) { return arena_text(&p->m->arena, tok(p)->text, tok(p)->length); }

Type parse_type(Parser *p)
{
    if (tok(p)->kind != TOK_DIRECTIVE) return TY_NONE;
    int64_t v;
    if (!words_get(&p->suffixes, tok(p)->text + 1, tok(p)->length - 1, &v) || v < M_COUNT) return TY_NONE;
    if (T_ALTERNATE >> (v - M_COUNT) & 1) return TY_NONE;
    lex_next(&p->lex);
    return (Type)(v - M_COUNT);
}

Space parse_space(Parser *p)
{
    static const struct {
        const char *name;
        Space space;
    } spaces[] = {{".global", SP_GLOBAL}, {".const", SP_CONST}, {".shared", SP_SHARED}, {".local", SP_LOCAL},
                  {".param", SP_PARAM},   {".tex", SP_TEX},     {".reg", SP_REG}};
    for (size_t i = 0; i < COUNT(spaces); i++)
        if (take_directive(p, spaces[i].name)) return spaces[i].space;
    return SP_NONE;
}

static bool take_name(Parser *p, const char *name)
{
    if (tok(p)->kind != TOK_NAME || tok(p)->length != strlen(name) || memcmp(tok(p)->text, name, tok(p)->length))
        return false;
    lex_next(&p->lex);
    return true;
}

// The place into which code at an inlined place was inlined itself: compilers write its .loc right before.
static void find_outermost(const Module *m, const Loc *at, Loc *loc)
{
    enum { LOOKS = 64 };
    loc->at_file = at->file, loc->at_line = at->line;
    for (size_t k = m->locs.n; k && m->locs.n - k < LOOKS; k--) {
        const Loc *l = &m->locs.v[k - 1];
        if (l->file != at->file || l->line != at->line || l->column != at->column) continue;
        if (l->at_line) loc->at_file = l->at_file, loc->at_line = l->at_line;
        return;
    }
}

// .loc file line column [',' function_name label ['+' n]] [',' inlined_at file line column]
bool parse_loc(Parser *p)
{
    Loc loc = {0}, outer;
    int64_t n;
    if (!parse_range(p, "a file's number", 0, INT32_MAX, &loc.file) ||
        !parse_range(p, "a line", 0, INT32_MAX, &loc.line) || !parse_range(p, "a column", 0, INT32_MAX, &loc.column))
        return false;
    while (take_punct(p, ',')) {
        if (take_name(p, "function_name")) {
            if (tok(p)->kind != TOK_NAME)
                return parse_fail(p, tok(p)->at, NULL, "a label is expected behind function_name");
            lex_next(&p->lex);
            if (take_punct(p, '+') && !parse_int(p, &n)) return false;
        } else if (take_name(p, "inlined_at")) {
            if (!parse_range(p, "a file's number", 0, INT32_MAX, &outer.file) ||
                !parse_range(p, "a line", 0, INT32_MAX, &outer.line) ||
                !parse_range(p, "a column", 0, INT32_MAX, &outer.column))
                return false;
            find_outermost(p->m, &outer, &loc);
        } else {
            return parse_fail(p, tok(p)->at, NULL, "function_name or inlined_at is expected here");
        }
    }
    vec_push(&p->m->locs, loc);
    p->loc = (uint32_t)p->m->locs.n;
    return true;
}

// .section name { … }: debug information, which nothing here reads
bool parse_skip_section(Parser *p)
{
    size_t at = tok(p)->at;
    while (tok(p)->kind != TOK_END && !is_punct(p, '{')) lex_next(&p->lex);
    int depth = 0;
    do {
        if (is_punct(p, '{')) depth++;
        if (is_punct(p, '}')) depth--;
        if (tok(p)->kind == TOK_END) return parse_fail(p, at, NULL, "section without end");
        lex_next(&p->lex);
    } while (depth > 0);
    return true;
}

// .pragma "text" (',' "text")* ';': its text from the directive on, or null
const char *parse_pragma(Parser *p)
{
    Text text = {0};
    text_put(&text, ".pragma ");
    bool good = true;
    for (bool first = true; good && (first || take_punct(p, ',')); first = false) {
        if (tok(p)->kind != TOK_STRING) {
            good = parse_fail(p, tok(p)->at, NULL, "a string is expected behind .pragma");
            continue;
        }
        if (!first) text_put(&text, ", ");
        text_add(&text, tok(p)->text, tok(p)->length);
        lex_next(&p->lex);
    }
    text_put(&text, ";");
    good = good && expect_punct(p, ';');
    const char *copy = good ? arena_text(&p->m->arena, text.v, text.n) : NULL;
    text_free(&text);
    return copy;
}

// .file index "name" [',' timestamp ',' size]
static bool parse_file(Parser *p)
{
    FileName f;
    int64_t ignored;
    if (!parse_range(p, "a file's number", 0, INT32_MAX, &f.index)) return false;
    if (tok(p)->kind != TOK_STRING) return parse_fail(p, tok(p)->at, NULL, "a file name is expected here");
    f.name = arena_text(&p->m->arena, tok(p)->text + 1, tok(p)->length - 2);
    vec_push(&p->m->files, f);
    lex_next(&p->lex);
    while (take_punct(p, ','))
        if (!parse_int(p, &ignored)) return false;
    return true;
}

// Does what stands at module scope begin here?
static bool begins_item(const Parser *p)
{
    static const char *const names[] = {".visible", ".extern", ".weak", ".common", ".entry",   ".func", ".global",
                                        ".const",   ".shared", ".tex",  ".file",   ".section", ".alias"};
    bool found = tok(p)->kind == TOK_END;
    for (size_t k = 0; k < COUNT(names); k++) found |= is_directive(p, names[k]);
    return found;
}

// .maxntid x[,y[,z]] and the other directives between a function's header and its body (§11.4)
static bool parse_directives(Parser *p, Function *f)
{
    while (tok(p)->kind == TOK_DIRECTIVE && !begins_item(p)) {
        const Token t = *tok(p);
        uint32_t *triple = is_directive(p, ".maxntid")             ? f->maxntid
                           : is_directive(p, ".reqntid")           ? f->reqntid
                           : is_directive(p, ".reqnctapercluster") ? f->cluster
                                                                   : NULL;
        uint32_t ignored, *one = is_directive(p, ".minnctapersm")     ? &f->minnctapersm
                                 : is_directive(p, ".maxnreg")        ? &f->maxnreg
                                 : is_directive(p, ".maxclusterrank") ? &f->maxclusterrank
                                 : is_directive(p, ".maxnctapersm")   ? &ignored
                                                                      : NULL;
        const bool explicit = is_directive(p, ".explicitcluster");
        if (!triple && !one && !explicit && !is_directive(p, ".noreturn") && !is_directive(p, ".pragma"))
            return parse_unsupported(p, t.at, NULL, "directive '%.*s' is not implemented", (int)t.length, t.text);
        lex_next(&p->lex);
        const char *text;
        if (triple) {
            int n = 0;
            triple[0] = triple[1] = triple[2] = 1;
            do
                if (!parse_range(p, "a block's size", 1, INT32_MAX, &triple[n++])) return false;
            while (n < 3 && take_punct(p, ','));
            text =
                arena_printf(&p->m->arena, "%.*s %u, %u, %u", (int)t.length, t.text, triple[0], triple[1], triple[2]);
        } else if (one) {
            if (!parse_range(p, "this directive's number", 0, INT32_MAX, one)) return false;
            text = arena_printf(&p->m->arena, "%.*s %u", (int)t.length, t.text, *one);
        } else if (t.text[1] == 'p') {
            text = parse_pragma(p);
            if (!text) return false;
        } else {
            text = explicit ? ".explicitcluster" : ".noreturn";
        }
        vec_push(&f->directives, text);
    }
    return true;
}

// A parameter and a result have two names. Kernels have their parameters in memory.
static bool check_params(Parser *p, const Function *f)
{
    for (size_t k = 0; k < f->params.n; k++) {
        const Symbol *s = f->params.v[k];
        if (f->entry && s->in_reg) return parse_fail(p, s->at, NULL, "a kernel's parameters are .param, not .reg");
        for (size_t r = 0; r < f->rets.n; r++)
            if (!strcmp(f->rets.v[r]->name, s->name))
                return parse_fail(p, s->at, NULL, "'%s' is declared twice", s->name);
    }
    return true;
}

bool same_symbols(const Symbols *a, const Symbols *b)
{
    for (size_t k = 0; k < a->n && k < b->n; k++)
        if (a->v[k]->type != b->v[k]->type || a->v[k]->bytes != b->v[k]->bytes) return false;
    return a->n == b->n;
}

// function = (.entry | .func ['(' return ')']) name [params] directive* ([';'] | '{' body '}'). A prototype may be
// repeated.
static bool parse_function(Parser *p, Linkage linkage, bool entry)
{
    Function *f = arena_alloc(&p->m->arena, sizeof *f);
    f->module = p->m;
    f->entry = entry;
    f->text_at = (uint32_t)p->item_at;
    vec_push(&p->m->functions, f);
    size_t at = tok(p)->at;
    Symbol head = {0};
    if (take_directive(p, ".attribute") && !parse_attribute(p, &head)) return false;
    if (!entry && is_punct(p, '(') && !parse_params(p, &f->rets, true)) return false;
    if (tok(p)->kind != TOK_NAME) return parse_fail(p, tok(p)->at, NULL, "a function's name is expected here");
    Symbol *s = arena_alloc(&p->m->arena, sizeof *s);
    *s = (Symbol){.name = token_text(p),
                  .space = SP_NONE,
                  .linkage = linkage,
                  .function = f,
                  .attributes = head.attributes,
                  .at = tok(p)->at};
    f->symbol = s;
    lex_next(&p->lex);
    if (is_punct(p, '(') && !parse_params(p, &f->params, true)) return false;
    if (!check_params(p, f) || !params_within_bounds(p, f) || !join_results(p, &f->rets)) return false;
    if (head.missing) parse_unsupported(p, at, NULL, "%s is not implemented", head.missing);
    bool known = !head.missing && parse_directives(p, f);
    f->has_body = is_punct(p, '{');
    int64_t old;
    if (map_get(&p->m->symbol_map, s->name, strlen(s->name), &old)) {
        Symbol *was = f->symbol = p->m->symbols.v[old];
        if (!was->function || ((was->function->has_body || was->alias) && f->has_body))
            return parse_fail(p, s->at, NULL, "'%s' is declared twice", s->name);
        if (was->function->entry != entry || !same_symbols(&was->function->params, &f->params) ||
            !same_symbols(&was->function->rets, &f->rets))
            return parse_fail(p, s->at, NULL, "'%s' was declared otherwise before", s->name);
        if (f->has_body || !known) was->function = f, was->at = s->at;
        if (f->has_body || linkage != LINK_EXTERN) was->linkage = linkage;
    } else {
        vec_push(&p->m->symbols, s);
        map_put(&p->m->symbol_map, s->name, strlen(s->name), (int64_t)(p->m->symbols.n - 1));
    }
    Item item = {.symbol = f->symbol, .function = f};
    vec_push(&p->m->items, item);
    if (!known) return leave_out(p, f);
    if (f->has_body) return parse_body(p, f) || leave_out(p, f);
    f->text_end = tok(p)->at + is_punct(p, ';');
    while (strchr(" \t\r\n", p->m->source.text[f->text_end - 1])) f->text_end--;
    // ptxas takes a .func prototype without ';', too
    return (!entry && begins_item(p)) || expect_punct(p, ';');
}

// The decimal digits at *s as a number; *s is left behind them.
static int digits(const char **s)
{
    int n = 0;
    for (; **s >= '0' && **s <= '9'; ++*s) n = MIN(n * 10 + (**s - '0'), 99999);
    return n;
}

// .version 7.8 .target sm_35[, option]* [.address_size 64]. Of the options, debug isn't kept: what it asks for, debug
// sections, isn't either.
static bool parse_header(Parser *p)
{
    Module *m = p->m;
    if (!take_directive(p, ".version"))
        return parse_fail(p, tok(p)->at, "PTX text begins with .version, .target and .address_size",
                          "this isn't a PTX module");
    size_t at = tok(p)->at;
    const char *s = tok(p)->text, *end = s + tok(p)->length;
    if (tok(p)->kind != TOK_FLOAT) return parse_fail(p, at, NULL, "malformed .version");
    m->version_major = digits(&s);
    s += *s == '.';
    m->version_minor = digits(&s);
    if (s != end) return parse_fail(p, at, NULL, "malformed .version");
    lex_next(&p->lex);
    if (m->version_major > 9)
        return parse_unsupported(p, at, NULL, "PTX %d.%d is newer than this onchip knows (9.x)", m->version_major,
                                 m->version_minor);
    if (!take_directive(p, ".target")) return parse_fail(p, tok(p)->at, NULL, ".target is expected behind .version");
    at = tok(p)->at;
    Text target = {0};
    text_put(&target, "");
    bool good = true;
    do {
        s = tok(p)->text, end = s + tok(p)->length;
        bool arch = tok(p)->kind == TOK_NAME && end - s > 3 && !memcmp(s, "sm_", 3);
        bool debug = end - s == 5 && !memcmp(s, "debug", 5);
        if (arch) {
            s += 3;
            m->sm = digits(&s);
            good &= m->sm >= 10 && m->sm < 1000 && (s == end || (s + 1 == end && (*s == 'a' || *s == 'f')));
        }
        good &= arch || debug || tok(p)->kind == TOK_NAME;
        if (!debug) text_printf(&target, "%s%.*s", target.n ? ", " : "", (int)tok(p)->length, tok(p)->text);
        m->separate_samplers |= end - s == 19 && !memcmp(s, "texmode_independent", 19);
        m->maps_f64 |= end - s == 14 && !memcmp(s, "map_f64_to_f32", 14);
        lex_next(&p->lex);
    } while (take_punct(p, ','));
    m->target = arena_text(&m->arena, target.v, target.n);
    text_free(&target);
    if (!good || !m->sm) return parse_fail(p, at, "such as sm_35", "unknown target '%s'", m->target);
    m->address_bits = 64;
    if (take_directive(p, ".address_size")) {
        int64_t bits;
        at = tok(p)->at;
        if (!parse_int(p, &bits)) return false;
        if (bits != 64)
            return parse_unsupported(p, at, NULL, "%lld-bit addresses are not implemented", (long long)bits);
    }
    return true;
}

static bool parse_item(Parser *p)
{
    static const struct {
        const char *name;
        Linkage linkage;
    } links[] = {{".extern", LINK_EXTERN}, {".visible", LINK_VISIBLE}, {".weak", LINK_WEAK}, {".common", LINK_COMMON}};
    Linkage linkage = LINK_NONE;
    p->item_at = tok(p)->at;
    for (size_t i = 0; i < COUNT(links); i++)
        if (take_directive(p, links[i].name)) linkage = links[i].linkage;
    size_t at = tok(p)->at;
    if (take_directive(p, ".entry")) return parse_function(p, linkage, true);
    if (take_directive(p, ".func")) return parse_function(p, linkage, false);
    if (linkage == LINK_NONE) {
        if (take_directive(p, ".file")) return parse_file(p);
        if (take_directive(p, ".loc")) return parse_loc(p);
        if (take_directive(p, ".section")) return parse_skip_section(p);
        if (take_directive(p, ".pragma")) return parse_pragma(p) != NULL;
        if (take_directive(p, ".alias")) return parse_alias(p);
    }
    Space space = parse_space(p);
    if (space == SP_REG || space == SP_LOCAL || space == SP_PARAM)
        return parse_fail(p, at, NULL, ".%s variables can't stand outside a function", space_names[space]);
    if (space != SP_NONE) return parse_variables(p, space, linkage);
    if (tok(p)->kind == TOK_DIRECTIVE)
        return parse_unsupported(p, at, NULL, "directive '%.*s' is not implemented", (int)tok(p)->length, tok(p)->text);
    return parse_fail(p, at, NULL, "a variable, a function or a directive is expected here");
}

static void open_words(Parser *p)
{
    words_open(&p->mnemonics, OP_COUNT + op_missing_count);
    for (uint32_t i = 0; i < OP_COUNT; i++) words_put(&p->mnemonics, op_info[i].name, i);
    for (uint32_t i = 0; i < op_missing_count; i++) words_put(&p->mnemonics, op_missing[i].name, OP_COUNT + i);
    words_open(&p->suffixes, M_COUNT + TY_COUNT);
    for (uint32_t i = M_COUNT - 1; i > M_NONE; i--) words_put(&p->suffixes, mod_info[i].name, i);
    for (uint32_t i = 1; i < TY_COUNT; i++) words_put(&p->suffixes, type_info[i].name, M_COUNT + i);
    words_open(&p->sregs, SR_COUNT);
    for (uint32_t i = 0; i < SR_COUNT; i++) words_put(&p->sregs, sreg_info[i].name, i);
}

static Module *parse_module(const char *text, size_t length, const char *name, bool partly, Diag *diag)
{
    if (length >= UINT32_MAX / 2) {
        diag_error(diag, "%s: PTX text of more than 2 GiB", name);
        return NULL;
    }
    while (length && !text[length - 1]) length--;          // what comes out of a fat binary may be padded
    static const char mark[3] = {'\xef', '\xbb', '\xbf'};  // the byte-order mark, with which editors begin a file
    if (length >= sizeof mark && !memcmp(text, mark, sizeof mark)) text += sizeof mark, length -= sizeof mark;
    Module *m = mem_alloc(sizeof *m);
    m->source.name = arena_copy(&m->arena, name);
    m->source.text = arena_text(&m->arena, text, length);
    m->source.length = length;
    Parser p = {.lex = {.source = &m->source, .m = m, .diag = diag}, .m = m, .diag = diag, .partly = partly};
    open_words(&p);
    lex_next(&p.lex);
    bool ok = parse_header(&p);
    while (ok && tok(&p)->kind != TOK_END) ok = parse_item(&p);
    ok = ok && join_aliases(&p) && !p.lex.failed;
    words_free(&p.mnemonics), words_free(&p.suffixes), words_free(&p.sregs);
    map_free(&p.taken);
    map_free(&p.params);
    for (size_t i = 0; i < p.scopes.n; i++) map_free(&p.scopes.v[i].names), map_free(&p.scopes.v[i].labels);
    vec_free(&p.scopes);
    vec_free(&p.alias);
    vec_free(&p.ranges);
    vec_free(&p.places);
    vec_free(&p.vectors);
    vec_free(&p.results);
    if (ok) return m;
    ptx_free(m);
    return NULL;
}

Module *ptx_parse(const char *text, size_t length, const char *name, Diag *diag)
{
    return parse_module(text, length, name, false, diag);
}

Module *ptx_parse_partly(const char *text, size_t length, const char *name, Diag *diag)
{
    return parse_module(text, length, name, true, diag);
}

Symbol *ptx_find(const Module *m, const char *name)
{
    int64_t i;
    return map_get(&m->symbol_map, name, strlen(name), &i) ? m->symbols.v[i] : NULL;
}

static void function_free(Function *f)
{
    vec_free(&f->rets);
    vec_free(&f->params);
    vec_free(&f->locals);
    vec_free(&f->regs);
    vec_free(&f->labels);
    vec_free(&f->tables);
    vec_free(&f->table_names);
    for (size_t i = 0; i < f->protos.n; i++) {
        vec_free(&f->protos.v[i]->rets);
        vec_free(&f->protos.v[i]->params);
        vec_free(&f->protos.v[i]->targets);
    }
    vec_free(&f->protos);
    vec_free(&f->insts);
    vec_free(&f->directives);
    vec_free(&f->pragmas);
}

void ptx_free(Module *m)
{
    if (!m) return;
    for (size_t i = 0; i < m->functions.n; i++) function_free(m->functions.v[i]);
    vec_free(&m->functions);
    vec_free(&m->items);
    vec_free(&m->symbols);
    map_free(&m->symbol_map);
    vec_free(&m->locs);
    vec_free(&m->marks);
    vec_free(&m->files);
    arena_free(&m->arena);
    mem_free(m);
}
