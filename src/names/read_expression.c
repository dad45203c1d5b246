// read_expression.c: values that stand in a mangled name (Itanium C++ ABI §5.1.6): literals, and the expressions of
// which the types of templates are made, such as what std::enable_if asks.
#include "names/unit.h"

#include <string.h>

// §5.1.4.3. operands: in an expression; 0: it stands in none that is read in this way.
static const struct {
    char code[3];
    const char *text;
    int operands;
} operators[] = {
    {"nw", "new", 0}, {"na", "new[]", 0}, {"dl", "delete", 0}, {"da", "delete[]", 0}, {"aw", "co_await", 0},
    {"cl", "()", 0},  {"ix", "[]", 0},    {"ps", "+", 1},      {"ng", "-", 1},        {"ad", "&", 1},
    {"de", "*", 1},   {"co", "~", 1},     {"nt", "!", 1},      {"pp", "++", 1},       {"mm", "--", 1},
    {"pl", "+", 2},   {"mi", "-", 2},     {"ml", "*", 2},      {"dv", "/", 2},        {"rm", "%", 2},
    {"an", "&", 2},   {"or", "|", 2},     {"eo", "^", 2},      {"aS", "=", 2},        {"pL", "+=", 2},
    {"mI", "-=", 2},  {"mL", "*=", 2},    {"dV", "/=", 2},     {"rM", "%=", 2},       {"aN", "&=", 2},
    {"oR", "|=", 2},  {"eO", "^=", 2},    {"ls", "<<", 2},     {"rs", ">>", 2},       {"lS", "<<=", 2},
    {"rS", ">>=", 2}, {"eq", "==", 2},    {"ne", "!=", 2},     {"lt", "<", 2},        {"gt", ">", 2},
    {"le", "<=", 2},  {"ge", ">=", 2},    {"ss", "<=>", 2},    {"aa", "&&", 2},       {"oo", "||", 2},
    {"cm", ",", 2},   {"pm", "->*", 2},   {"pt", "->", 2},
};

static int find_operator(Reader *r)
{
    for (size_t k = 0; k < COUNT(operators) && r->end - r->p > 1; k++)
        if (!memcmp(operators[k].code, r->p, 2)) return (int)k;
    return -1;
}

const char *read_operator(Reader *r)
{
    int k = find_operator(r);
    if (k >= 0) r->p += 2;
    return k < 0 ? NULL : operators[k].text;
}

static bool takes_mangled(Reader *r)
{
    bool found = r->end - r->p > 1 && (r->p[0] == 'Z' || (r->p[0] == '_' && r->p[1] == 'Z'));
    if (found) r->p += r->p[0] == '_' ? 2 : 1;
    return found;
}

// <expr-primary> ::= L <type> <value number> E, L <type> <value float> E, L <mangled-name> E
const Node *read_literal(Reader *r)
{
    if (takes_mangled(r)) {
        const Node *of = read_encoding(r, false);
        return of && take(r, 'E') ? of : NULL;
    }
    const Node *type = read_type(r);
    if (!type) return NULL;
    if (type->kind == N_TYPE && type->code == 'n' && !strcmp(type->text, "decltype(nullptr)") && take(r, 'E'))
        return type;
    const char *from = r->p;
    const bool floating = type->kind == N_TYPE && strchr("fdeg", type->code);
    take(r, 'n');
    const char *digits = r->p;
    while (is_digit(r) || (floating && r->p < r->end && *r->p >= 'a' && *r->p <= 'f')) r->p++;
    if (r->p == digits || (type->kind == N_TYPE && strchr("vz", type->code))) return NULL;
    Node *n = new_node(r, N_LITERAL, type, NULL, from);
    if (n) n->length = (size_t)(r->p - from), n->code = floating;
    return take(r, 'E') ? n : NULL;
}

// A name that may have template arguments.
static const Node *read_own(Reader *r)
{
    const Node *name = read_unqualified(r);
    return name && at(r, 'I') ? read_args(r, name) : name;
}

// <unresolved-name> ::= sr <unresolved-type> <base-unresolved-name>
//                   ::= sr <unresolved-qualifier-level>+ E <base-unresolved-name>, behind the sr
static const Node *read_level(Reader *r, const Node *of)
{
    const Node *own = of ? read_unqualified(r) : NULL;
    const Node *name = own ? new_node(r, N_SCOPE, of, own, NULL) : NULL;
    return name && at(r, 'I') ? read_args(r, name) : name;
}

static const Node *read_unresolved(Reader *r)
{
    if (!is_digit(r)) {
        const Node *type = read_type(r), *own = type ? read_own(r) : NULL;
        return own ? new_node(r, N_SCOPE, type, own, NULL) : NULL;
    }
    const Node *of = read_own(r);
    while (of && is_digit(r)) of = read_level(r, of);
    if (of && r->end - r->p > 1 && *r->p == 'E' && r->p[1] >= '0' && r->p[1] <= '9') r->p++, of = read_level(r, of);
    return of;
}

static const Node *read_fold(Reader *r, char code)
{
    int k = find_operator(r);
    if (k < 0 || operators[k].operands != 2) return NULL;
    r->p += 2;
    const Node *a = read_expression(r), *b = a && (code == 'L' || code == 'R') ? read_expression(r) : NULL;
    if (!a || ((code == 'L' || code == 'R') && !b)) return NULL;
    Node *n = new_node(r, N_FOLD, a, b, operators[k].text);
    if (n) n->code = code;
    return n;
}

static const Node *read_cast(Reader *r)
{
    const Node *type = read_type(r), *value;
    if (!type) return NULL;
    if (!take(r, '_')) return (value = read_expression(r)) ? new_node(r, N_CAST, type, value, NULL) : NULL;
    return read_list(r, read_expression, false, &value) && (value = new_node(r, N_PACK, value, NULL, NULL))
               ? new_node(r, N_CAST, type, value, NULL)
               : NULL;
}

static const Node *read_operands(Reader *r, int k)
{
    const char *text = operators[k].text, *code = operators[k].code;
    r->p += 2;
    if (operators[k].operands == 1) {
        const bool steps = !strcmp(code, "pp") || !strcmp(code, "mm"), before = !steps || take(r, '_');
        const Node *a = read_expression(r);
        return a ? new_node(r, before ? N_UNARY : N_SUFFIX, a, NULL, text) : NULL;
    }
    const Node *a = read_expression(r), *b = !a ? NULL : !strcmp(code, "pt") ? read_own(r) : read_expression(r);
    return b ? new_node(r, N_BINARY, a, b, text) : NULL;
}

static const Node *read_inner(Reader *r)
{
    static const struct {
        char code[3];
        const char *text;
    } casts[] = {{"dc", "dynamic_cast"}, {"sc", "static_cast"}, {"cc", "const_cast"}, {"rc", "reinterpret_cast"}};
    const Node *a, *b, *c;
    size_t number;
    if (take(r, 'L')) return read_literal(r);
    if (take(r, 'T')) return read_param(r);
    if (is_digit(r)) return read_own(r);
    if (takes(r, "on")) return read_own(r);
    if (takes(r, "sr")) return read_unresolved(r);
    if (takes(r, "sp")) return (a = read_expression(r)) ? new_node(r, N_EXPANSION, a, NULL, NULL) : NULL;
    if (takes(r, "sZ")) return take(r, 'T') && (a = read_param(r)) ? new_node(r, N_LENGTH, a, NULL, NULL) : NULL;
    if (takes(r, "st")) return (a = read_type(r)) ? new_node(r, N_UNARY, a, NULL, "sizeof ") : NULL;
    if (takes(r, "sz")) return (a = read_expression(r)) ? new_node(r, N_UNARY, a, NULL, "sizeof ") : NULL;
    if (takes(r, "nx")) return (a = read_expression(r)) ? new_node(r, N_UNARY, a, NULL, "noexcept") : NULL;
    if (takes(r, "cv")) return read_cast(r);
    if (takes(r, "dt")) return (a = read_expression(r)) && (b = read_own(r)) ? new_node(r, N_BINARY, a, b, ".") : NULL;
    if (takes(r, "ix"))
        return (a = read_expression(r)) && (b = read_expression(r)) ? new_node(r, N_INDEX, a, b, NULL) : NULL;
    if (takes(r, "cl"))
        return (a = read_expression(r)) && read_list(r, read_expression, false, &b) ? new_node(r, N_CALL, a, b, "")
                                                                                    : NULL;
    if (takes(r, "tl"))
        return (a = read_type(r)) && read_list(r, read_expression, false, &b) ? new_node(r, N_BRACES, a, b, NULL)
                                                                              : NULL;
    if (takes(r, "il")) return read_list(r, read_expression, false, &b) ? new_node(r, N_BRACES, NULL, b, NULL) : NULL;
    if (takes(r, "qu")) {
        a = read_expression(r), b = a ? read_expression(r) : NULL, c = b ? read_expression(r) : NULL;
        return c && (b = new_node(r, N_LIST, b, c, NULL)) ? new_node(r, N_CHOICE, a, b, NULL) : NULL;
    }
    for (size_t k = 0; k < COUNT(casts); k++)
        if (takes(r, casts[k].code))
            return (a = read_type(r)) && (b = read_expression(r)) ? new_node(r, N_CAST_TO, a, b, casts[k].text) : NULL;
    if (takes(r, "fp")) {
        Node *n = read_count(r, &number) ? new_node(r, N_FUNCTION_PARAM, NULL, NULL, NULL) : NULL;
        if (n) n->number = number + 1;
        return n;
    }
    for (const char *code = "lrLR"; *code; code++)
        if (takes(r, (const char[]){'f', *code, 0})) return read_fold(r, *code);
    int k = find_operator(r);
    return k < 0 || !operators[k].operands ? NULL : read_operands(r, k);
}

const Node *read_expression(Reader *r)
{
    if (++r->depth > DEPTH_MOST) return NULL;
    const Node *n = read_inner(r);
    r->depth--;
    return n;
}
