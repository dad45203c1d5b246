// read.c: C++ names as compilers mangle them (Itanium C++ ABI §5.1), as much of it as the names of kernels have: nested
// and local names, templates, closures, types, values. Any other name is refused. Where c++filt reads something in
// another way than the ABI has it, a comment says so: names are read as it does.
//
// A name is read once, from left to right, into nodes; substitutions are nodes that were read before, so that the nodes
// of a short name may stand for a very long text. Depth is bounded.
#include "names/unit.h"

#include <string.h>

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
} long_builtins[] = {{'n', "decltype(nullptr)"}, {'i', "char32_t"}, {'s', "char16_t"},
                     {'u', "char8_t"},           {'h', "half"},     {'a', "auto"},
                     {'c', "decltype(auto)"}};
// §5.1.10, the abbreviations of names in std, and the last part of each.
#define CHARS "char, std::char_traits<char>"
static const struct {
    char code;
    const char *name, *last;
} standard[] = {{'t', "std", NULL},
                {'a', "std::allocator", "allocator"},
                {'b', "std::basic_string", "basic_string"},
                {'s', "std::basic_string<" CHARS ", std::allocator<char> >", "basic_string"},
                {'i', "std::basic_istream<" CHARS " >", "basic_istream"},
                {'o', "std::basic_ostream<" CHARS " >", "basic_ostream"},
                {'d', "std::basic_iostream<" CHARS " >", "basic_iostream"}};

// --- characters and nodes --------------------------------------------------------------------------------------------
bool at(const Reader *r, char c) { return r->p < r->end && *r->p == c; }
bool take(Reader *r, char c) { return at(r, c) ? r->p++, true : false; }
bool takes(Reader *r, const char *two)
{
    bool found = r->end - r->p > 1 && !memcmp(r->p, two, 2);
    if (found) r->p += 2;
    return found;
}
bool is_digit(const Reader *r) { return r->p < r->end && *r->p >= '0' && *r->p <= '9'; }

Node *new_node(Reader *r, NodeKind kind, const Node *a, const Node *b, const char *text)
{
    Node *n = arena_alloc(&r->arena, sizeof *n);
    *n = (Node){.kind = kind, .a = a, .b = b, .text = text, .length = text ? strlen(text) : 0};
    n->depth = 1 + MAX(a ? a->depth : 0, b && kind != N_LIST ? b->depth : 0);
    if (kind == N_LIST && b) n->depth = MAX(n->depth, b->depth);  // lists are gone along, not into
    return n->depth <= DEPTH_MOST ? n : NULL;
}

static const Node *known(Reader *r, const Node *n)
{
    if (n) vec_push(&r->known, n);
    return n;
}

// A list of what read gives, up to an E, which is taken, or to the end of the name, or of what it had before somebody
// added a suffix with a dollar sign.
bool read_list(Reader *r, const Node *(*read)(Reader *r), bool to_end, const Node **list)
{
    const Node *found[256];
    size_t n = 0;
    *list = NULL;
    while (to_end ? r->p < r->end && *r->p != '$' : !take(r, 'E')) {
        if (n == COUNT(found) || !(found[n] = read(r))) return false;
        n++;
    }
    while (n && (*list = new_node(r, N_LIST, found[n - 1], *list, NULL))) n--;
    return !n;
}

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

bool read_count(Reader *r, size_t *count) { return read_place(r, 10, count); }

// --- names -----------------------------------------------------------------------------------------------------------
// <source-name> ::= <positive length number> <identifier>, after an L of internal linkage.
static bool read_identifier(Reader *r, const char **name, size_t *length)
{
    size_t n = 0;
    while (is_digit(r) && n < NAME_MOST) n = 10 * n + (size_t)(*r->p++ - '0');
    if (!n || n > (size_t)(r->end - r->p)) return false;
    *name = r->p, *length = n;
    r->p += n;
    for (size_t k = 0; k < n; k++) {
        char c = (*name)[k];
        if (!((c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z') || c == '_' || c == '$'))
            return false;
    }
    return true;
}

static const Node *read_source_name(Reader *r)
{
    const char *name;
    size_t n;
    take(r, 'L');
    if (!read_identifier(r, &name, &n)) return NULL;
    Node *node = new_node(r, N_NAME, NULL, NULL, "(anonymous namespace)");
    if (node && (n < 10 || memcmp(name, "_GLOBAL__N", 10))) node->text = name, node->length = n;
    return r->last = node;
}

// Ty, or Tn <type>: a parameter of its own that a closure's template has.
static const Node *read_head(Reader *r)
{
    if (takes(r, "Ty")) return new_node(r, N_HEAD, NULL, NULL, "typename");
    const Node *type = takes(r, "Tn") ? read_type(r) : NULL;
    return type ? new_node(r, N_HEAD, type, NULL, NULL) : NULL;
}

// <closure-type-name> ::= Ul <lambda-sig> E [<number>] _, behind the Ul
static const Node *read_closure(Reader *r)
{
    const Node *heads[16], *list = NULL, *params;
    size_t n = 0, number;
    while (n < COUNT(heads) && r->end - r->p > 1 && r->p[0] == 'T' && (r->p[1] == 'y' || r->p[1] == 'n'))
        if (!(heads[n++] = read_head(r))) return NULL;
    while (n && (list = new_node(r, N_LIST, heads[n - 1], list, NULL))) n--;
    if (n || !read_list(r, read_type, false, &params) || !params || !read_count(r, &number)) return NULL;
    Node *node = new_node(r, N_LAMBDA, params, list, NULL);
    if (node) node->number = number + 1;
    return node;
}

// <unnamed-type-name>. c++filt counts a type without a name among what can be substituted, once more than the ABI does.
static const Node *read_unnamed(Reader *r)
{
    size_t number;
    if (takes(r, "Ul")) return read_closure(r);
    if (!takes(r, "Ut") || !read_count(r, &number)) return NULL;
    Node *node = new_node(r, N_UNNAMED, NULL, NULL, NULL);
    if (node) node->number = number + 1;
    return known(r, node);
}

// <ctor-dtor-name>: named as the class.
static const Node *read_structor(Reader *r)
{
    const char *from = r->p;
    const bool destructor = take(r, 'D');
    if (!r->last || (!destructor && !take(r, 'C')) || r->p == r->end || !strchr(destructor ? "012345" : "12345", *r->p))
        return r->p = from, NULL;
    r->p++;
    Node *node = new_node(r, N_NAME, NULL, NULL, r->last->text);
    if (!node) return NULL;
    node->length = r->last->length, node->code = destructor ? '~' : 'C';
    return node;
}

const Node *read_unqualified(Reader *r)
{
    const Node *name;
    if (at(r, 'U'))
        name = read_unnamed(r);
    else if (at(r, 'C') || at(r, 'D'))
        name = read_structor(r);
    else if (takes(r, "cv"))
        name = (name = read_type(r)) ? new_node(r, N_CONVERSION, name, NULL, NULL) : NULL;
    else if (r->p < r->end && *r->p >= 'a' && *r->p <= 'z')
        name = new_node(r, N_OPERATOR, NULL, NULL, read_operator(r));
    else
        name = read_source_name(r);
    if (name && name->kind == N_OPERATOR && !name->text) return NULL;
    const Node *last = r->last;
    while (name && take(r, 'B')) {  // <abi-tag>
        const char *tag;
        size_t n;
        Node *tagged = read_identifier(r, &tag, &n) ? new_node(r, N_TAGGED, name, NULL, NULL) : NULL;
        if (tagged) tagged->text = tag, tagged->length = n;
        name = tagged;
    }
    r->last = last;
    return name;
}

// <substitution>, behind its S. c++filt writes abbreviations in full.
static const Node *read_known(Reader *r)
{
    size_t place;
    for (size_t k = 0; k < COUNT(standard); k++) {
        if (!take(r, standard[k].code)) continue;
        if (standard[k].last) r->last = new_node(r, N_NAME, NULL, NULL, standard[k].last);
        return new_node(r, N_NAME, NULL, NULL, standard[k].name);
    }
    return read_place(r, 36, &place) && place < r->known.n ? r->known.v[place] : NULL;
}

// <template-param>, behind its T.
const Node *read_param(Reader *r)
{
    size_t place;
    Node *node = read_count(r, &place) ? new_node(r, N_PARAM, NULL, NULL, NULL) : NULL;
    if (node) node->number = place;
    return node;
}

// <template-arg> ::= <type> | <expr-primary> | X <expression> E | J <template-arg>* E, which began with I once
static const Node *read_arg(Reader *r)
{
    const Node *list = NULL;
    if (take(r, 'L')) return read_literal(r);
    if (take(r, 'X')) {
        const Node *value = read_expression(r);
        return value && take(r, 'E') ? value : NULL;
    }
    if (!take(r, 'J') && !take(r, 'I')) return read_type(r);
    const bool good = ++r->depth < DEPTH_MOST && read_list(r, read_arg, false, &list);
    r->depth--;
    return good ? new_node(r, N_PACK, list, NULL, NULL) : NULL;
}

// <template-args> ::= I <template-arg>+ E, behind the name.
const Node *read_args(Reader *r, const Node *name)
{
    const Node *list, *last = r->last;
    const bool good = take(r, 'I') && read_list(r, read_arg, false, &list) && list;
    r->last = last;
    return good ? new_node(r, N_TEMPLATE, name, list, NULL) : NULL;
}

// <CV-qualifiers> are one unit: what has none and what has all of them can be substituted.
static const Node *qualify(Reader *r, const Node *n, const char *codes, NodeKind kind)
{
    static const char *const texts[][2] = {{"K", " const"}, {"V", " volatile"}, {"r", " restrict"}};
    for (size_t k = 0; k < COUNT(texts) && n; k++)
        if (strchr(codes, *texts[k][0])) n = new_node(r, kind, n, NULL, texts[k][1]);
    return n;
}

static void take_qualifiers(Reader *r, char codes[4])
{
    size_t n = 0;
    for (const char *code = "rVK"; *code; code++)
        if (take(r, *code)) codes[n++] = *code;
    codes[n] = 0;
}

// <nested-name> ::= N [<CV-qualifiers>] [<ref-qualifier>] <prefix> <unqualified-name> E, or with <template-args> at its
// end. Each prefix can be substituted; the whole isn't one.
static const Node *read_nested(Reader *r)
{
    const Node *name = NULL;
    char codes[4];
    bool added = false;  // the last of known is the name as far as it was read
    take_qualifiers(r, codes);
    const char *reference = take(r, 'R') ? " &" : take(r, 'O') ? " &&" : NULL;
    while (!take(r, 'E')) {
        if (!name && take(r, 'S')) {
            if (!(name = read_known(r))) return NULL;
            continue;
        }
        if (name && take(r, 'M')) continue;  // <data-member-prefix>: a closure in what initialises it
        if (!name && take(r, 'T')) {
            name = read_param(r);
        } else if (at(r, 'I') && name && name->kind != N_TEMPLATE) {
            name = read_args(r, name);
        } else {
            const Node *own = read_unqualified(r);
            name = own && name ? new_node(r, N_SCOPE, name, own, NULL) : own;
        }
        if (!known(r, name)) return NULL;
        added = true;
    }
    if (!added) return NULL;
    r->known.n--;
    name = qualify(r, name, codes, N_METHOD);
    return name && reference ? new_node(r, N_METHOD, name, NULL, reference) : name;
}

// <discriminator> ::= _ <digit> | __ <number> _: it isn't written.
static bool take_discriminator(Reader *r)
{
    if (!take(r, '_')) return true;
    const bool longer = take(r, '_');
    if (!is_digit(r)) return false;
    r->p++;
    while (longer && is_digit(r)) r->p++;
    return !longer || take(r, '_');
}

static const Node *read_name(Reader *r, bool *whole);

// <local-name> ::= Z <encoding> E <entity name> [<discriminator>] | Z <encoding> E s [<discriminator>]
//              ::= Z <encoding> E d [<number>] _ <entity name>, behind the Z
static const Node *read_local(Reader *r)
{
    bool whole;
    size_t number = 0;
    const Node *in = read_encoding(r, false), *name;
    if (!in || !take(r, 'E')) return NULL;
    if (take(r, 's')) {
        name = new_node(r, N_NAME, NULL, NULL, "string literal");
        if (!take_discriminator(r)) return NULL;
    } else {
        if (take(r, 'd')) {
            if (!read_count(r, &number)) return NULL;
            number++;
        }
        name = read_name(r, &whole);
        const Node *own = name;
        while (own && own->kind == N_METHOD) own = own->a;
        if (own && own->kind != N_LAMBDA && own->kind != N_UNNAMED && !take_discriminator(r)) return NULL;
    }
    Node *local = name ? new_node(r, N_LOCAL, in, name, NULL) : NULL;
    if (local) local->number = number;
    return local;
}

// <name>. *whole: what was read is a substitution and nothing else.
static const Node *read_name(Reader *r, bool *whole)
{
    const Node *name;
    *whole = false;
    if (++r->depth > DEPTH_MOST) return NULL;
    if (take(r, 'N')) {
        name = read_nested(r);
    } else if (take(r, 'Z')) {
        name = read_local(r);
    } else if (take(r, 'S')) {
        const bool std = at(r, 't');
        name = read_known(r);
        if (name && std) {
            const Node *own = read_unqualified(r);
            name = own ? new_node(r, N_SCOPE, name, own, NULL) : NULL;
            if (name && at(r, 'I')) known(r, name), name = read_args(r, name);
        } else if (name && at(r, 'I') && name->kind != N_TEMPLATE) {
            name = read_args(r, name);
        } else {
            *whole = true;
        }
    } else {
        name = read_unqualified(r);
        if (name && at(r, 'I')) known(r, name), name = read_args(r, name);
    }
    r->depth--;
    return name;
}

// Whether a function of this name has its result in front of its parameters: templates do, but for constructors and
// conversions.
static bool has_result(const Node *name)
{
    while (name->kind == N_METHOD || name->kind == N_LOCAL) name = name->kind == N_LOCAL ? name->b : name->a;
    if (name->kind != N_TEMPLATE) return false;
    name = name->a;
    while (name->kind == N_SCOPE || name->kind == N_LOCAL) name = name->b;
    return name->kind != N_CONVERSION && !(name->kind == N_NAME && name->code);
}

// A function returns neither a function nor an array.
static const Node *read_result(Reader *r)
{
    const Node *n = read_type(r), *of = n;
    while (of && of->kind == N_QUALIFIED) of = of->a;
    return of && (of->kind == N_FUNCTION || of->kind == N_METHOD || of->kind == N_ARRAY) ? NULL : n;
}

// <bare-function-type>: no parameters are written as one of type void.
static bool good_params(const Node *list)
{
    bool one = list && !list->b;
    for (const Node *k = list; k; k = k->b)
        if (k->a->kind == N_TYPE && k->a->code == 'v' && !one) return false;
    return list != NULL;
}

// <encoding> ::= <function name> <bare-function-type> | <data name>; up to an E, which isn't taken, or to the end. A
// function in a function is written without its result.
const Node *read_encoding(Reader *r, bool to_end)
{
    bool whole;
    const Node *result = NULL, *params, *function;
    if (++r->depth > DEPTH_MOST) return NULL;
    const Node *name = read_name(r, &whole);
    if (!name || whole) return NULL;
    if (to_end ? r->p == r->end || at(r, '$') : at(r, 'E'))
        return r->depth--, new_node(r, N_ENCODING, name, NULL, NULL);
    if (has_result(name) && !(result = read_result(r))) return NULL;
    if (!read_list(r, read_type, to_end, &params) || !good_params(params)) return NULL;
    if (!to_end) r->p--;
    if (!to_end && name->kind == N_LOCAL) result = NULL;
    r->depth--;
    function = new_node(r, N_FUNCTION, result, params, NULL);
    return function ? new_node(r, N_ENCODING, name, function, NULL) : NULL;
}

const Node *read_mangled(Reader *r) { return read_encoding(r, true); }

// --- types -----------------------------------------------------------------------------------------------------------
// <array-type> ::= A <number> _ <type> | A [<expression>] _ <type>
static const Node *read_array(Reader *r)
{
    const char *from = r->p;
    const Node *length = NULL;
    if (is_digit(r)) {
        while (is_digit(r)) r->p++;
        Node *n = new_node(r, N_NAME, NULL, NULL, from);
        if (n) n->length = (size_t)(r->p - from);
        length = n;
    } else if (!at(r, '_') && !(length = read_expression(r))) {
        return NULL;
    }
    const Node *of = take(r, '_') ? read_type(r) : NULL;
    return of ? new_node(r, N_ARRAY, of, length, NULL) : NULL;
}

// <function-type> ::= [<CV-qualifiers>] [<exception-spec>] F <result type> <parameter types> [<ref-qualifier>] E,
// behind the F.
static const Node *read_function(Reader *r, const char *codes, bool quiet, const Node *if_true)
{
    const Node *params[256], *list = NULL;
    size_t n = 0;
    const char *reference = NULL;
    const Node *result = read_result(r);
    if (!result) return NULL;
    while (!take(r, 'E')) {
        if (takes(r, "RE") || takes(r, "OE")) {
            reference = r->p[-2] == 'R' ? " &" : " &&";
            break;
        }
        if (n == COUNT(params) || !(params[n] = read_type(r))) return NULL;
        n++;
    }
    while (n && (list = new_node(r, N_LIST, params[n - 1], list, NULL))) n--;
    if (n || !good_params(list)) return NULL;
    const Node *f = new_node(r, N_FUNCTION, result, list, NULL);
    if (f && quiet) f = new_node(r, N_METHOD, f, if_true, " noexcept");
    f = f ? qualify(r, f, codes, N_METHOD) : NULL;
    return f && reference ? new_node(r, N_METHOD, f, NULL, reference) : f;
}

static const Node *read_qualified(Reader *r)
{
    char codes[4];
    const Node *if_true = NULL;
    take_qualifiers(r, codes);
    if (at(r, 'r') || at(r, 'V') || at(r, 'K')) return NULL;
    const bool computed = takes(r, "DO"), quiet = computed || takes(r, "Do");
    if (computed && (!(if_true = read_expression(r)) || !take(r, 'E'))) return NULL;
    if (take(r, 'F')) return known(r, read_function(r, codes, quiet, if_true));
    if (quiet) return NULL;
    const Node *n = read_type(r);
    return n ? known(r, qualify(r, n, codes, N_QUALIFIED)) : NULL;
}

// <vector-type> ::= Dv <number> _ <type> | Dv _ <expression> _ <type>, behind the Dv
static const Node *read_vector(Reader *r)
{
    const char *from = r->p;
    const Node *length;
    if (take(r, '_')) {
        length = read_expression(r);
    } else {
        while (is_digit(r)) r->p++;
        Node *n = new_node(r, N_NAME, NULL, NULL, from);
        if (n) n->length = (size_t)(r->p - from);
        length = n && n->length ? n : NULL;
    }
    const Node *of = length && take(r, '_') ? read_type(r) : NULL;
    return of ? new_node(r, N_VECTOR, of, length, NULL) : NULL;
}

static const Node *new_type(Reader *r, char code, const char *name)
{
    Node *n = new_node(r, N_TYPE, NULL, NULL, name);
    if (n) n->code = code;
    return n;
}

// DF <number> _, and DF16b, behind the DF
static const Node *read_float(Reader *r)
{
    const char *from = r->p;
    while (is_digit(r)) r->p++;
    const size_t n = (size_t)(r->p - from);
    if (n && take(r, '_')) return new_type(r, 'F', arena_printf(&r->arena, "_Float%.*s", (int)n, from));
    return n == 2 && !memcmp(from, "16", 2) && take(r, 'b') ? new_type(r, 'F', "std::bfloat16_t") : NULL;
}

// Types that begin with a D, behind it.
static const Node *read_d(Reader *r)
{
    const Node *of;
    if (take(r, 'p')) return (of = read_type(r)) ? known(r, new_node(r, N_EXPANSION, of, NULL, NULL)) : NULL;
    if (take(r, 'v')) return known(r, read_vector(r));
    if (take(r, 'F')) return read_float(r);
    if (take(r, 'T') || take(r, 't')) {
        of = read_expression(r);
        return of && take(r, 'E') ? known(r, new_node(r, N_DECLTYPE, of, NULL, NULL)) : NULL;
    }
    for (size_t k = 0; k < COUNT(long_builtins); k++)
        if (take(r, long_builtins[k].code)) return new_type(r, long_builtins[k].code, long_builtins[k].name);
    return NULL;
}

// U <source-name> <type>: what a compiler adds, behind the U
static const Node *read_vendor(Reader *r)
{
    const char *name;
    size_t length;
    const Node *of = read_identifier(r, &name, &length) ? read_type(r) : NULL;
    Node *n = of ? new_node(r, N_VENDOR, of, NULL, NULL) : NULL;
    if (n) n->text = name, n->length = length;
    return n;
}

static const Node *read_complex(Reader *r, const char *text)
{
    const Node *of = read_type(r);
    return of ? known(r, new_node(r, N_VENDOR, of, NULL, text)) : NULL;
}

static const Node *read_wrapped(Reader *r, NodeKind kind)
{
    const Node *of = read_type(r);
    return of ? known(r, new_node(r, kind, of, NULL, NULL)) : NULL;
}

static const Node *read_compound(Reader *r)
{
    bool whole;
    const Node *n, *of;
    const char c = r->p < r->end ? *r->p : 0, next = r->end - r->p > 1 ? r->p[1] : 0;
    if (c == 'r' || c == 'V' || c == 'K' || (c == 'D' && (next == 'o' || next == 'O'))) return read_qualified(r);
    if (c >= '0' && c <= '9') return known(r, read_name(r, &whole));
    if (!c) return NULL;
    r->p++;
    switch (c) {
    case 'P': return read_wrapped(r, N_POINTER);
    case 'R': return read_wrapped(r, N_LREF);
    case 'O': return read_wrapped(r, N_RREF);
    case 'A': return known(r, read_array(r));
    case 'F': return known(r, read_function(r, "", false, NULL));
    case 'M':
        of = read_type(r), n = of ? read_type(r) : NULL;
        return n ? known(r, new_node(r, N_MEMBER, n, of, NULL)) : NULL;
    case 'T': n = known(r, read_param(r)); return n && at(r, 'I') ? known(r, read_args(r, n)) : n;
    case 'D': return read_d(r);
    case 'C': return read_complex(r, "_Complex");
    case 'G': return read_complex(r, "_Imaginary");
    case 'U': return known(r, read_vendor(r));
    case 'u': return (n = read_source_name(r)) ? known(r, n) : NULL;
    case 'N':
    case 'Z':
    case 'S':
    case 'L': break;
    default:
        for (size_t k = 0; k < COUNT(builtins); k++)
            if (builtins[k].code == c) return new_type(r, c, builtins[k].name);
        return NULL;
    }
    r->p--;
    n = read_name(r, &whole);
    return whole ? n : known(r, n);
}

const Node *read_type(Reader *r)
{
    if (++r->depth > DEPTH_MOST) return NULL;
    const Node *n = read_compound(r);
    r->depth--;
    return n;
}
