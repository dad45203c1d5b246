// demangle.c: C++ names as compilers mangle them (Itanium C++ ABI §5.1), as much of it as the names of kernels have:
// nested names, templates with types, whole numbers, functions and variables, fundamental types, pointers, references,
// arrays, functions, qualifiers and substitutions. Any other name is refused and stays as it is. The texts are those of
// c++filt.
//
// A name is read once, from left to right, into nodes; substitutions and template parameters are nodes that were read
// before, so that the nodes of a short name may stand for a very long text. Depth, steps and text are bounded.
#include "names/names.h"

#include <string.h>

enum { NAME_MOST = 1 << 14, TEXT_MOST = 1 << 14, DEPTH_MOST = 100, STEPS_MOST = 1 << 17 };

typedef enum NodeKind {
    N_NAME,       // text
    N_SCOPE,      // a::b
    N_TEMPLATE,   // a<b>, b a list
    N_POINTER,    // a*
    N_LREF,       // a&
    N_RREF,       // a&&
    N_QUALIFIED,  // a, then text
    N_ARRAY,      // a [text]
    N_FUNCTION,   // a (b), a the result
    N_LITERAL,    // text of type a
    N_LIST,       // a, then b
    N_PACK,       // of the parameters of a template: a is their list, or null
    N_TYPE,       // text: a fundamental type, whose code is code
    N_ENCODING,   // a: a variable, or a function, whose N_FUNCTION is b; it has a result (a) in a template alone
    N_ADDRESS,    // &a, an N_ENCODING
} NodeKind;
typedef struct Node Node;
struct Node {
    NodeKind kind;
    char code;
    int depth;
    const char *text;
    size_t length;
    const Node *a, *b;
};
typedef VEC(const Node *) Nodes;
typedef struct Reader {
    const char *p, *end;
    Arena arena;
    Nodes known;       // <substitution>, §5.1.10, in the order in which they were completed
    const Node *args;  // of the name, which <template-param> counts; null: none
    int depth;
} Reader;

// §5.1.5, <builtin-type>.
static const struct {
    char code;
    const char *name;
} builtins[] = {{'v', "void"},        {'w', "wchar_t"},
                {'b', "bool"},        {'c', "char"},
                {'a', "signed char"}, {'h', "unsigned char"},
                {'s', "short"},       {'t', "unsigned short"},
                {'i', "int"},         {'j', "unsigned int"},
                {'l', "long"},        {'m', "unsigned long"},
                {'x', "long long"},   {'y', "unsigned long long"},
                {'n', "__int128"},    {'o', "unsigned __int128"},
                {'f', "float"},       {'d', "double"},
                {'e', "long double"}, {'g', "__float128"},
                {'z', "..."}};
static const struct {
    char code;
    const char *name;
} long_builtins[] = {{'n', "decltype(nullptr)"}, {'i', "char32_t"}, {'s', "char16_t"}, {'u', "char8_t"}, {'h', "half"}};
// §5.1.10, the abbreviations of names in std.
static const struct {
    char code;
    const char *name;
} standard[] = {{'a', "std::allocator"}, {'b', "std::basic_string"}, {'s', "std::string"},
                {'i', "std::istream"},   {'o', "std::ostream"},      {'d', "std::iostream"}};

// --- reading ---------------------------------------------------------------------------------------------------------
// Each function returns null where it finds something else.
static const Node *read_type(Reader *r);

static const Node *new_node(Reader *r, NodeKind kind, const Node *a, const Node *b, const char *text, size_t length)
{
    NodeKind of = a ? a->kind : N_NAME;
    if (of == N_PACK && kind != N_LIST) return NULL;  // of each of them: not done
    if (of == N_FUNCTION && (kind == N_ARRAY || kind == N_QUALIFIED)) return NULL;
    if (of == N_ARRAY && kind == N_QUALIFIED) return NULL;
    if (of > N_TEMPLATE && kind == N_SCOPE) return NULL;
    if (of > N_SCOPE && kind == N_TEMPLATE) return NULL;
    if ((of == N_FUNCTION || of == N_ARRAY) && kind == N_FUNCTION) return NULL;
    Node *n = arena_alloc(&r->arena, sizeof *n);
    *n = (Node){.kind = kind, .a = a, .b = b, .text = text, .length = length};
    n->depth = 1 + MAX(a ? a->depth : 0, b && kind != N_LIST ? b->depth : 0);
    if (kind == N_LIST && b) n->depth = MAX(n->depth, b->depth);  // lists are gone along, not into
    return n->depth <= DEPTH_MOST ? n : NULL;
}

static bool at(const Reader *r, char c) { return r->p < r->end && *r->p == c; }
static bool take(Reader *r, char c) { return at(r, c) ? r->p++, true : false; }
static bool is_digit(const Reader *r) { return r->p < r->end && *r->p >= '0' && *r->p <= '9'; }

static const Node *known(Reader *r, const Node *n)
{
    if (n) vec_push(&r->known, n);
    return n;
}

// <source-name> ::= <positive length number> <identifier>, after an L of internal linkage.
static const Node *read_source_name(Reader *r)
{
    size_t n = 0;
    take(r, 'L');
    while (is_digit(r) && n < NAME_MOST) n = 10 * n + (size_t)(*r->p++ - '0');
    if (!n || n > (size_t)(r->end - r->p)) return NULL;
    const char *name = r->p;
    r->p += n;
    for (size_t k = 0; k < n; k++) {
        char c = name[k];
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$'))
            return NULL;
    }
    if (n > 9 && !memcmp(name, "_GLOBAL__N", 10)) name = "(anonymous namespace)", n = strlen(name);
    return new_node(r, N_NAME, NULL, NULL, name, n);
}

// The number before an underscore of S_, S0_, T_, T0_: the one without digits comes first.
static bool read_place(Reader *r, int base, size_t *place)
{
    *place = 0;
    if (take(r, '_')) return true;
    for (; r->p < r->end && *r->p != '_' && *place < NAME_MOST; r->p++) {
        int digit = is_digit(r) ? *r->p - '0' : *r->p >= 'A' && *r->p <= 'Z' ? *r->p - 'A' + 10 : base;
        if (digit >= base) return false;
        *place = *place * (size_t)base + (size_t)digit;
    }
    ++*place;
    return take(r, '_');
}

// <substitution>, behind its S.
static const Node *read_known(Reader *r)
{
    size_t place;
    for (size_t k = 0; k < COUNT(standard); k++)
        if (take(r, standard[k].code))
            return new_node(r, N_NAME, NULL, NULL, standard[k].name, strlen(standard[k].name));
    return read_place(r, 36, &place) && place < r->known.n ? r->known.v[place] : NULL;
}

// <template-param>, behind its T.
static const Node *read_param(Reader *r)
{
    size_t place;
    if (!read_place(r, 10, &place)) return NULL;
    const Node *list = r->args;
    for (; list && place; place--) list = list->b;
    return list ? list->a : NULL;
}

// <expr-primary> ::= L <type> <value number> E
static const Node *read_literal(Reader *r)
{
    const Node *type = read_type(r);
    const char *from = r->p;
    take(r, 'n');
    if (!type || !is_digit(r)) return NULL;
    while (is_digit(r)) r->p++;
    size_t n = (size_t)(r->p - from);
    if (type->kind == N_TYPE && strchr("fdegvz", type->code)) return NULL;
    return take(r, 'E') ? new_node(r, N_LITERAL, type, NULL, from, n) : NULL;
}

// A list of what read gives, up to an E, which is taken, or to the end of the name, or of what it had before somebody
// added a suffix with a dollar sign.
static bool read_list(Reader *r, const Node *(*read)(Reader *r), bool to_end, const Node **list)
{
    const Node *found[64];
    size_t n = 0;
    *list = NULL;
    while (to_end ? r->p < r->end && *r->p != '$' : !take(r, 'E')) {
        if (n == COUNT(found) || !(found[n] = read(r))) return false;
        n++;
    }
    while (n && (*list = new_node(r, N_LIST, found[n - 1], *list, NULL, 0))) n--;
    return !n;
}

static const Node *read_name(Reader *r, bool *whole);
static bool good_params(const Node *list);

// <expr-primary> ::= L <mangled-name> E, behind the Z. The template parameters of its types are those of its own name.
static const Node *read_encoding(Reader *r)
{
    bool whole;
    if (++r->depth > DEPTH_MOST) return NULL;
    const Node *outer = r->args, *result = NULL, *params = NULL, *function = NULL;
    r->args = NULL;
    const Node *name = read_name(r, &whole);
    bool data = name && !whole && take(r, 'E'), good = data;
    if (name && !whole && !data) {
        bool template = name->kind == N_TEMPLATE;
        if (template) r->args = name->b, result = read_type(r);
        good = (!template || result) && read_list(r, read_type, false, &params) && good_params(params) &&
               (function = new_node(r, N_FUNCTION, result, params, NULL, 0));
    }
    r->args = outer;
    r->depth--;
    return good ? new_node(r, N_ENCODING, name, function, NULL, 0) : NULL;
}

static bool takes_mangled(Reader *r)
{
    bool found = r->end - r->p > 1 && (r->p[0] == 'Z' || (r->p[0] == '_' && r->p[1] == 'Z'));
    if (found) r->p += r->p[0] == '_' ? 2 : 1;
    return found;
}

// <expression> ::= ad <expr-primary>, behind the X, up to the E: the address of a function or a variable
static const Node *read_expression(Reader *r)
{
    bool address = take(r, 'a') && take(r, 'd') && take(r, 'L') && takes_mangled(r);
    const Node *of = address ? read_encoding(r) : NULL;
    return of && take(r, 'E') ? new_node(r, N_ADDRESS, of, NULL, NULL, 0) : NULL;
}

// <template-arg> ::= <type> | <expr-primary> | X <expression> E | J <template-arg>* E, of which the last is a pack.
static const Node *read_arg(Reader *r)
{
    const Node *list;
    if (take(r, 'L')) return takes_mangled(r) ? read_encoding(r) : read_literal(r);
    if (take(r, 'X')) return read_expression(r);
    if (!take(r, 'J')) return read_type(r);
    return ++r->depth < DEPTH_MOST && read_list(r, read_arg, false, &list) ? r->depth--,
           new_node(r, N_PACK, list, NULL, NULL, 0)                        : NULL;
}

// <template-args> ::= I <template-arg>+ E, behind the name.
static const Node *read_args(Reader *r, const Node *name)
{
    const Node *list;
    return take(r, 'I') && read_list(r, read_arg, false, &list) && list ? new_node(r, N_TEMPLATE, name, list, NULL, 0)
                                                                        : NULL;
}

// <nested-name> ::= N <prefix> <unqualified-name> E, or with <template-args> at its end. Each prefix can be
// substituted; the whole isn't one.
static const Node *read_nested(Reader *r)
{
    const Node *name = NULL;
    bool added = false;  // the last of known is the name as far as it was read
    while (!take(r, 'E')) {
        if (!name && take(r, 'S')) {
            name = take(r, 't') ? new_node(r, N_NAME, NULL, NULL, "std", 3) : read_known(r);
            if (!name) return NULL;
            continue;
        }
        if (!name && take(r, 'T')) {
            name = read_param(r);
        } else if (at(r, 'I') && name && name->kind != N_TEMPLATE) {
            name = read_args(r, name);
        } else {
            const Node *own = read_source_name(r);
            name = own && name ? new_node(r, N_SCOPE, name, own, NULL, 0) : own;
        }
        if (!known(r, name)) return NULL;
        added = true;
    }
    if (added) r->known.n--;
    return added ? name : NULL;
}

// <name>. *whole: what was read is a substitution and nothing else.
static const Node *read_name(Reader *r, bool *whole)
{
    const Node *name;
    *whole = false;
    if (take(r, 'N')) return read_nested(r);
    if (!take(r, 'S')) {
        name = read_source_name(r);
    } else if (take(r, 't')) {
        const Node *std = new_node(r, N_NAME, NULL, NULL, "std", 3), *own = read_source_name(r);
        name = own ? new_node(r, N_SCOPE, std, own, NULL, 0) : NULL;
    } else {
        name = read_known(r);
        if (name && at(r, 'I') && name->kind != N_TEMPLATE) return read_args(r, name);
        *whole = true;
        return name && name->kind != N_PACK ? name : NULL;
    }
    return name && at(r, 'I') ? known(r, name), read_args(r, name) : name;
}

// A reference to a reference is one, §[dcl.ref] of the C++ standard.
static const Node *new_reference(Reader *r, NodeKind kind, const Node *to)
{
    if (to && to->kind == N_LREF) return to;
    if (to && to->kind == N_RREF) return kind == N_RREF ? to : new_node(r, N_LREF, to->a, NULL, NULL, 0);
    return to ? new_node(r, kind, to, NULL, NULL, 0) : NULL;
}

// A type that is const already, such as a template's parameter may stand for, isn't made so twice.
static const Node *qualify(Reader *r, const Node *n, const char *text)
{
    for (const Node *k = n; k && k->kind == N_QUALIFIED; k = k->a)
        if (k->text == text) return n;
    return n ? new_node(r, N_QUALIFIED, n, NULL, text, strlen(text)) : NULL;
}

// <CV-qualifiers> are one unit: what has none and what has all of them can be substituted.
static const Node *read_qualified(Reader *r)
{
    static const char *const texts[] = {" const", " volatile", " restrict"};
    bool restricts = take(r, 'r'), is_volatile = take(r, 'V'), constant = take(r, 'K');
    if (at(r, 'r') || at(r, 'V') || at(r, 'K')) return NULL;
    const Node *n = read_type(r);
    if (constant) n = qualify(r, n, texts[0]);
    if (is_volatile) n = qualify(r, n, texts[1]);
    if (restricts) n = qualify(r, n, texts[2]);
    return known(r, n);
}

// <array-type> ::= A <number> _ <type>
static const Node *read_array(Reader *r)
{
    const char *from = r->p;
    while (is_digit(r)) r->p++;
    size_t n = (size_t)(r->p - from);
    const Node *of = take(r, '_') ? read_type(r) : NULL;
    return of ? new_node(r, N_ARRAY, of, NULL, from, n) : NULL;
}

// <bare-function-type>: no parameters are written as one of type void.
static bool good_params(const Node *list)
{
    bool one = list && !list->b;
    for (const Node *k = list; k; k = k->b)
        if (k->a->kind == N_TYPE && k->a->code == 'v' && !one) return false;
    return list != NULL;
}

// <function-type> ::= F <result type> <parameter types> E
static const Node *read_function(Reader *r)
{
    const Node *result = read_type(r), *params;
    return result && read_list(r, read_type, false, &params) && good_params(params)
               ? new_node(r, N_FUNCTION, result, params, NULL, 0)
               : NULL;
}

static const Node *read_builtin(Reader *r)
{
    const char *name = NULL;
    char code = r->p < r->end ? *r->p : 0;
    if (code == 'D' && r->end - r->p > 1 && r->p[1] == 'p') {  // Dp <type>: what a pack stands for
        r->p += 2;
        const Node *pack = take(r, 'T') ? read_param(r) : NULL;
        return pack && pack->kind == N_PACK ? known(r, pack), known(r, pack) : NULL;
    }
    if (code == 'D') {
        for (size_t k = 0; k < COUNT(long_builtins) && r->end - r->p > 1; k++)
            if (long_builtins[k].code == r->p[1]) name = long_builtins[k].name;
        r->p++;
    }
    for (size_t k = 0; k < COUNT(builtins) && code && code != 'D'; k++)
        if (builtins[k].code == code) name = builtins[k].name;
    if (!name) return NULL;
    r->p++;
    Node *n = arena_alloc(&r->arena, sizeof *n);
    *n = (Node){.kind = N_TYPE, .code = code, .depth = 1, .text = name, .length = strlen(name)};
    return n;
}

static const Node *read_compound(Reader *r)
{
    bool whole;
    switch (r->p < r->end ? *r->p : 0) {
    case 'P': {
        r->p++;
        const Node *to = read_type(r);
        return known(r, to ? new_node(r, N_POINTER, to, NULL, NULL, 0) : NULL);
    }
    case 'R': r->p++; return known(r, new_reference(r, N_LREF, read_type(r)));
    case 'O': r->p++; return known(r, new_reference(r, N_RREF, read_type(r)));
    case 'r':
    case 'V':
    case 'K': return read_qualified(r);
    case 'A': r->p++; return known(r, read_array(r));
    case 'F': r->p++; return known(r, read_function(r));
    case 'T': {
        r->p++;
        const Node *param = read_param(r);
        return param && param->kind != N_PACK ? known(r, param) : NULL;
    }
    case 'N':
    case 'S':
    case 'L': break;
    default:
        if (!is_digit(r)) return read_builtin(r);
    }
    const Node *name = read_name(r, &whole);
    return whole ? name : known(r, name);
}

static const Node *read_type(Reader *r)
{
    if (++r->depth > DEPTH_MOST) return NULL;
    const Node *n = read_compound(r);
    r->depth--;
    return n;
}

// --- writing ---------------------------------------------------------------------------------------------------------
typedef struct Writer {
    Text *out;
    size_t from;  // where the text begins
    int steps;
} Writer;
static void put(Writer *w, const Node *n);
static void put_left(Writer *w, const Node *n);
static void put_right(Writer *w, const Node *n);

static bool on(Writer *w) { return w->steps++ < STEPS_MOST && w->out->n - w->from <= TEXT_MOST; }
static char last(const Writer *w) { return w->out->n > w->from ? w->out->v[w->out->n - 1] : 0; }

static bool put_items(Writer *w, const Node *list, bool first)
{
    for (const Node *k = list; k && on(w); k = k->b) {
        if (k->a->kind == N_PACK) {
            first = put_items(w, k->a->a, first);
            continue;
        }
        if (!first) text_put(w->out, ", ");
        put(w, k->a);
        first = false;
    }
    return first;
}

// An empty pack comes last. Then c++filt puts no blank between two >.
static bool ends_in_nothing(const Node *list)
{
    while (list && list->b) list = list->b;
    return list && list->a->kind == N_PACK && !list->a->a;
}

static void put_params(Writer *w, const Node *list)
{
    bool none = list && !list->b && list->a->kind == N_TYPE && list->a->code == 'v';
    if (!none) put_items(w, list, true);
}

// What a literal of this type has behind it, as in 8ul; null: the type stands before it, as in (char)8.
static const char *suffix(const Node *type)
{
    static const struct {
        char code;
        const char *text;
    } suffixes[] = {{'i', ""}, {'j', "u"}, {'l', "l"}, {'m', "ul"}, {'x', "ll"}, {'y', "ull"}};
    for (size_t k = 0; k < COUNT(suffixes) && type->kind == N_TYPE; k++)
        if (suffixes[k].code == type->code) return suffixes[k].text;
    return NULL;
}

static void put_literal(Writer *w, const Node *n)
{
    bool minus = *n->text == 'n';
    const char *behind = suffix(n->a);
    if (n->a->kind == N_TYPE && n->a->code == 'b' && n->length == 1 && (*n->text == '0' || *n->text == '1')) {
        text_put(w->out, *n->text == '0' ? "false" : "true");
        return;
    }
    if (!behind) text_put(w->out, "("), put(w, n->a), text_put(w->out, ")");
    text_put(w->out, minus ? "-" : "");
    text_add(w->out, n->text + minus, n->length - minus);
    if (behind) text_put(w->out, behind);
}

static void put_encoding(Writer *w, const Node *n)
{
    const Node *function = n->b, *result = function ? function->a : NULL;
    if (result) put_left(w, result), text_put(w->out, " ");
    put(w, n->a);
    if (function) text_put(w->out, "("), put_params(w, function->b), text_put(w->out, ")");
    size_t end = w->out->n;
    if (result) put_right(w, result);
    if (w->out->n != end) w->steps = STEPS_MOST;  // a result that stands around the name: refused
}

// Of a function whose name is qualified only this name is written, as c++filt does.
static void put_address(Writer *w, const Node *of)
{
    bool alone = of->a->kind == N_SCOPE || (of->a->kind == N_NAME && !of->b);
    text_put(w->out, alone ? "&" : "&(");
    if (alone)
        put(w, of->a);
    else
        put_encoding(w, of);
    if (!alone) text_put(w->out, ")");
}

// Does the type have a part behind what is declared with it?
static bool stands_around(const Node *n)
{
    while (n->kind == N_POINTER || n->kind == N_LREF || n->kind == N_RREF || n->kind == N_QUALIFIED) n = n->a;
    return n->kind == N_FUNCTION || n->kind == N_ARRAY;
}

// A type has a part before what is declared with it, and one behind: "float (*" and ") [4]".
static void put_left(Writer *w, const Node *n)
{
    if (!on(w)) return;
    switch (n->kind) {
    case N_NAME:
    case N_TYPE: text_add(w->out, n->text, n->length); break;
    case N_SCOPE: put_left(w, n->a), text_put(w->out, "::"), put_left(w, n->b); break;
    case N_TEMPLATE:
        put_left(w, n->a);
        text_put(w->out, "<");
        put_items(w, n->b, true);
        text_put(w->out, last(w) == '>' && !ends_in_nothing(n->b) ? " >" : ">");
        break;
    case N_POINTER:
    case N_LREF:
    case N_RREF:
        put_left(w, n->a);
        if (n->a->kind == N_ARRAY) text_put(w->out, " (");
        if (n->a->kind == N_FUNCTION) text_put(w->out, "(");
        text_put(w->out, n->kind == N_POINTER ? "*" : n->kind == N_LREF ? "&" : "&&");
        break;
    case N_QUALIFIED:
        put_left(w, n->a);
        text_add(w->out, n->text, n->length);
        break;
    case N_ARRAY: put_left(w, n->a); break;
    case N_FUNCTION:
        put_left(w, n->a);
        if (!stands_around(n->a) || last(w) != '*') text_put(w->out, " ");
        break;
    case N_LITERAL: put_literal(w, n); break;
    case N_ENCODING: put_encoding(w, n); break;
    case N_ADDRESS: put_address(w, n->a); break;
    case N_LIST:
    case N_PACK: break;
    }
}

static void put_right(Writer *w, const Node *n)
{
    if (!on(w)) return;
    switch (n->kind) {
    case N_POINTER:
    case N_LREF:
    case N_RREF:
        if (n->a->kind == N_ARRAY || n->a->kind == N_FUNCTION) text_put(w->out, ")");
        put_right(w, n->a);
        break;
    case N_QUALIFIED: put_right(w, n->a); break;
    case N_ARRAY:
        text_put(w->out, last(w) == ']' ? "[" : " [");
        text_add(w->out, n->text, n->length);
        text_put(w->out, "]");
        put_right(w, n->a);
        break;
    case N_FUNCTION:
        text_put(w->out, "("), put_params(w, n->b), text_put(w->out, ")");
        put_right(w, n->a);
        break;
    default: break;
    }
}

static void put(Writer *w, const Node *n) { put_left(w, n), put_right(w, n); }

// --- names -----------------------------------------------------------------------------------------------------------
// <mangled-name> ::= _Z <encoding>; <encoding> ::= <function name> <bare-function-type> | <data name>. The type of a
// template has its result in front.
static bool read_all(Reader *r, const Node **name, const Node **result, const Node **params)
{
    bool whole;
    *result = *params = NULL;
    *name = read_name(r, &whole);
    if (!*name || whole) return false;
    if (r->p == r->end || at(r, '$')) return true;
    bool template = (*name)->kind == N_TEMPLATE;
    if (template) r->args = (*name)->b;
    if (template && !(*result = read_type(r))) return false;
    return read_list(r, read_type, true, params) && good_params(*params);
}

bool demangle(const char *mangled, NameForm form, Text *out)
{
    size_t n = strlen(mangled), from = out->n;
    if (n < 4 || n > NAME_MOST || memcmp(mangled, "_Z", 2)) return false;
    Reader r = {.p = mangled + 2, .end = mangled + n};
    Writer w = {.out = out, .from = from};
    const Node *name, *result, *params;
    bool ok = read_all(&r, &name, &result, &params);
    if (ok && form >= NAME_SCOPED && name->kind == N_TEMPLATE) name = name->a;
    if (ok && form == NAME_PLAIN && name->kind == N_SCOPE) name = name->b;
    if (ok) {
        if (form == NAME_FULL && result) put_left(&w, result), text_put(out, " ");
        put(&w, name);
        if (form == NAME_FULL && params) text_put(out, "("), put_params(&w, params), text_put(out, ")");
        size_t end = out->n;
        if (form == NAME_FULL && result) put_right(&w, result);
        ok = on(&w) && out->n == end;  // a result that stands around the name isn't one of a kernel
        text_put(out, r.p);            // the suffix
    }
    if (!ok && out->n > from) out->n = from, out->v[from] = 0;
    if (!ok && !from) text_free(out);
    vec_free(&r.known);
    arena_free(&r.arena);
    return ok;
}

char *name_shown(const char *name)
{
    Text t = {0};
    return demangle(name, NAME_FULL, &t) ? t.v : mem_text(name);
}

const char *param_shown(const char *kernel, const char *param)
{
    size_t n = strlen(kernel);
    return !strncmp(param, kernel, n) && param[n] == '_' && param[n + 1] ? param + n + 1 : param;
}

// Blanks don't count: "f(float *)" is "f(float*)".
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " "), b += strspn(b, " ");
        if (*a != *b || !*a) return *a == *b;
    }
}

bool name_means(const char *name, const char *given)
{
    bool means = !strcmp(name, given);
    for (NameForm form = NAME_FULL; form <= NAME_PLAIN && !means; form++) {
        Text t = {0};
        if (demangle(name, form, &t))
            means =
                same_name(t.v, given) || (form == NAME_FULL && !strncmp(t.v, "void ", 5) && same_name(t.v + 5, given));
        text_free(&t);
    }
    return means;
}
