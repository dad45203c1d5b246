// write.c: nodes of a mangled name, written as c++filt of binutils 2.40 does.
//
// A type has a part before what is declared with it, and one behind: "float (*" and ") [4]". A template's parameter is
// looked up in the arguments of the template that is written, and its argument in those around. Steps, depth and text
// are bounded.
#include "names/unit.h"

#include <string.h>

enum { STEPS_MOST = 1 << 17, DEEPEST = 600 };

typedef struct Scope Scope;
struct Scope {
    const Node *args;
    const Scope *outer;
};
typedef struct Writer {
    Text *out;
    size_t from;  // where the text begins
    int steps, depth;
    char last;            // that was written, though it may have been taken back
    const Scope *scope;   // null: outside of every template
    int place;            // in the pack that is gone along; -1: it is written as a whole
    int closures;         // around what is written, in whose parameters a template's parameter is "auto"
    const Node *heads;    // of these, the ones that have names: a list
    unsigned qualifiers;  // that are written behind the type: const twice is const
} Writer;
static void put(Writer *w, const Node *n);
static void put_left(Writer *w, const Node *n);
static void put_right(Writer *w, const Node *n);

static bool on(Writer *w) { return w->steps++ < STEPS_MOST && w->out->n - w->from <= TEXT_MOST; }
static void fail(Writer *w) { w->steps = STEPS_MOST; }

static void say_part(Writer *w, const char *text, size_t length)
{
    if (!length) return;
    text_add(w->out, text, length);
    w->last = text[length - 1];
}
static void say(Writer *w, const char *text) { say_part(w, text, strlen(text)); }
static void say_number(Writer *w, size_t number)
{
    text_printf(w->out, "%zu", number);
    w->last = w->out->v[w->out->n - 1];
}

// --- templates' parameters -------------------------------------------------------------------------------------------
static const Node *argument(const Scope *scope, size_t number)
{
    const Node *list = scope ? scope->args : NULL;
    for (; list && number; number--) list = list->b;
    return list ? list->a : NULL;
}

// What stands for a node, and the scope in which that stands. Null: nothing does.
static const Node *meant(Writer *w, const Node *n, const Scope **scope)
{
    while (n && n->kind == N_PARAM && !w->closures) {
        n = argument(*scope, n->number);
        if (!n) return NULL;
        *scope = (*scope)->outer;
        if (n->kind != N_PACK || w->place < 0) continue;
        n = n->a;
        for (int k = w->place; n && k; k--) n = n->b;
        n = n ? n->a : NULL;
    }
    return n;
}

// The first pack among the parameters of a pattern.
static const Node *pack_of(Writer *w, const Node *n)
{
    if (!n || !on(w) || n->kind == N_EXPANSION || n->kind == N_LAMBDA) return NULL;
    const Node *found = n->kind == N_PARAM ? argument(w->scope, n->number) : pack_of(w, n->a);
    if (n->kind == N_PARAM) return found && found->kind == N_PACK ? found : NULL;
    return found ? found : pack_of(w, n->b);
}

static size_t length_of(const Node *list)
{
    size_t n = 0;
    for (; list; list = list->b) n++;
    return n;
}

static void put_expansion(Writer *w, const Node *n)
{
    const Node *pack = w->closures ? NULL : pack_of(w, n->a);
    if (!pack) {
        const bool simple = n->a->kind == N_NAME || n->a->kind == N_SCOPE;
        say(w, simple ? "" : "("), put(w, n->a), say(w, simple ? "..." : ")...");
        return;
    }
    const int many = (int)length_of(pack->a);
    for (int k = 0; k < many && on(w); k++) {
        if (k) say(w, ", ");
        w->place = k;
        put(w, n->a);
    }
}

// An empty pack leaves no comma after it; one before it stays.
static void put_list(Writer *w, const Node *list)
{
    if (!list || !on(w)) return;
    put(w, list->a);
    if (!list->b) return;
    say(w, ", ");
    const size_t end = w->out->n;
    if (++w->depth > DEEPEST) fail(w);
    put_list(w, list->b);
    w->depth--;
    if (w->out->n == end) w->out->n -= 2, w->out->v[w->out->n] = 0;
}

static void put_params(Writer *w, const Node *list)
{
    const bool none = list && !list->b && list->a->kind == N_TYPE && list->a->code == 'v';
    say(w, "(");
    if (!none) put_list(w, list);
    say(w, ")");
}

// --- values ----------------------------------------------------------------------------------------------------------
// What a literal of this type has behind it, as in 8ul; null: the type stands before it, as in (char)8.
static const char *suffix(const Node *type)
{
    static const struct {
        char code;
        const char *text;
    } suffixes[] = {{'i', ""}, {'j', "u"}, {'l', "l"}, {'m', "ul"}, {'x', "ll"}, {'y', "ull"}};
    for (size_t k = 0; k < COUNT(suffixes) && type->kind == N_TYPE; k++)
        if (suffixes[k].code == type->code && strcmp(type->text, "char32_t")) return suffixes[k].text;
    return NULL;
}

static void put_literal(Writer *w, const Node *n)
{
    const bool minus = *n->text == 'n';
    const char *behind = suffix(n->a);
    if (n->a->kind == N_TYPE && n->a->code == 'b' && n->length == 1 && (*n->text == '0' || *n->text == '1')) {
        say(w, *n->text == '0' ? "false" : "true");
        return;
    }
    if (!behind) say(w, "("), put(w, n->a), say(w, ")");
    say(w, minus ? "-" : "");
    say(w, n->code ? "[" : "");
    say_part(w, n->text + minus, n->length - minus);
    say(w, n->code ? "]" : "");
    if (behind) say(w, behind);
}

static void put_operand(Writer *w, const Node *n)
{
    const bool simple = n->kind == N_NAME || n->kind == N_SCOPE || n->kind == N_BRACES || n->kind == N_FUNCTION_PARAM ||
                        (n->kind == N_ENCODING && !n->b && (n->a->kind == N_NAME || n->a->kind == N_SCOPE));
    say(w, simple ? "" : "(");
    put(w, n);
    say(w, simple ? "" : ")");
}

static void put_unary(Writer *w, const Node *n)
{
    const bool address = !strcmp(n->text, "&"), bare = address && n->a->kind == N_ENCODING && n->a->a->kind == N_SCOPE;
    const bool parens = !strcmp(n->text, "sizeof ") || !strcmp(n->text, "noexcept");
    say(w, n->text);
    if (parens)
        say(w, "("), put(w, n->a), say(w, ")");
    else
        put_operand(w, bare ? n->a->a : n->a);  // of a function whose name is qualified only this name is written
}

// What is larger is in parentheses of its own, since > ends a template's arguments.
static void put_binary(Writer *w, const Node *n)
{
    const bool larger = !strcmp(n->text, ">");
    if (larger) say(w, "(");
    put_operand(w, n->a);
    say(w, n->text);
    put_operand(w, n->b);
    if (larger) say(w, ")");
}

static void put_fold(Writer *w, const Node *n)
{
    const int place = w->place;
    w->place = -1;
    say(w, "(");
    if (n->code == 'l') say(w, "..."), say(w, n->text);
    put_operand(w, n->a);
    if (n->code == 'r') say(w, n->text), say(w, "...");
    if (n->b) say(w, n->text), say(w, "..."), say(w, n->text), put_operand(w, n->b);
    say(w, ")");
    w->place = place;
}

static void put_length(Writer *w, const Node *n)
{
    const Node *pack = argument(w->scope, n->a->number);
    if (!pack) fail(w);
    say_number(w, pack && pack->kind == N_PACK ? length_of(pack->a) : 0);
}

// False: it is no value.
static bool put_value(Writer *w, const Node *n)
{
    switch (n->kind) {
    case N_LITERAL: put_literal(w, n); break;
    case N_UNARY: put_unary(w, n); break;
    case N_SUFFIX: put_operand(w, n->a), say(w, n->text); break;
    case N_BINARY: put_binary(w, n); break;
    case N_CHOICE:
        put_operand(w, n->a), say(w, "?"), put_operand(w, n->b->a);
        say(w, " : "), put_operand(w, n->b->b);
        break;
    case N_CAST: say(w, "("), put(w, n->a), say(w, ")"), put_operand(w, n->b); break;
    case N_CAST_TO: say(w, n->text), say(w, "<"), put(w, n->a), say(w, ">("), put(w, n->b), say(w, ")"); break;
    case N_CALL:
        if (n->a->kind == N_ENCODING && n->a->b)
            put_operand(w, n->a->a);
        else
            put_operand(w, n->a);
        say(w, "("), put_list(w, n->b), say(w, ")");
        break;
    case N_INDEX: put_operand(w, n->a), say(w, "["), put(w, n->b), say(w, "]"); break;
    case N_BRACES:
        if (n->a) put(w, n->a);
        say(w, "{"), put_list(w, n->b), say(w, "}");
        break;
    case N_FUNCTION_PARAM: say(w, "{parm#"), say_number(w, n->number), say(w, "}"); break;
    case N_LENGTH: put_length(w, n); break;
    case N_FOLD: put_fold(w, n); break;
    default: return false;
    }
    return true;
}

// --- names -----------------------------------------------------------------------------------------------------------
static void put_template(Writer *w, const Node *n)
{
    put(w, n->a);
    say(w, w->last == '<' ? " <" : "<");
    put_list(w, n->b);
    say(w, w->last == '>' ? " >" : ">");
}

// A parameter of a closure's template.
static void put_auto(Writer *w, size_t number)
{
    const Node *head = w->heads;
    for (size_t k = number; head && k; k--) head = head->b;
    say(w, !head ? "auto:" : head->a->a ? "$N" : "$T");
    say_number(w, head ? number : number + 1);
}

static void put_closure(Writer *w, const Node *n)
{
    const Node *heads = w->heads;
    w->closures++, w->heads = n->b;
    say(w, n->b ? "{lambda<" : "{lambda");
    size_t number = 0;
    for (const Node *k = n->b; k; k = k->b) {
        if (number) say(w, ", ");
        if (k->a->a)
            put(w, k->a->a);
        else
            say(w, k->a->text);
        say(w, " "), put_auto(w, number++);
    }
    if (n->b) say(w, ">");
    put_params(w, n->a);
    say(w, "#"), say_number(w, n->number), say(w, "}");
    w->closures--, w->heads = heads;
}

static void put_operator(Writer *w, const char *text)
{
    say(w, "operator"), say(w, *text >= 'a' && *text <= 'z' ? " " : ""), say(w, text);
}

// A function's parameters, and what stands behind them. Returns the function.
static const Node *put_tail(Writer *w, const Node *n)
{
    if (n->kind != N_METHOD) return put_params(w, n->b), n;
    const Node *function = put_tail(w, n->a);
    say(w, n->text);
    if (n->b) say(w, "("), put(w, n->b), say(w, ")");
    return function;
}

static void put_method_qualifiers(Writer *w, const Node *name)
{
    if (name->kind == N_LOCAL) name = name->b;
    if (name->kind != N_METHOD) return;
    put_method_qualifiers(w, name->a);
    say(w, name->text);
}

// A function's name without what stands behind its parameters; bare: nor the arguments of its template.
static void put_own_name(Writer *w, const Node *name, bool bare);

// own, bare: b is written so.
static void put_local(Writer *w, const Node *n, bool own, bool bare)
{
    const Node *in = n->a;
    Node alone, function;
    if (in->b && in->b->a) {  // without its result
        function = *in->b, function.a = NULL;
        alone = *in, alone.b = &function, in = &alone;
    }
    put(w, in);
    say(w, "::");
    if (n->number) say(w, "{default arg#"), say_number(w, n->number), say(w, "}::");
    if (own)
        put_own_name(w, n->b, bare);
    else
        put(w, n->b);
}

static void put_own_name(Writer *w, const Node *name, bool bare)
{
    while (name->kind == N_METHOD) name = name->a;
    if (bare && name->kind == N_TEMPLATE) name = name->a;
    if (name->kind == N_LOCAL)
        put_local(w, name, true, bare);
    else
        put(w, name);
}

// Does the type have a part behind what is declared with it?
static bool stands_around(Writer *w, const Node *n)
{
    const Scope *scope = w->scope;
    while ((n = meant(w, n, &scope)) && (n->kind == N_POINTER || n->kind == N_LREF || n->kind == N_RREF ||
                                         n->kind == N_QUALIFIED || n->kind == N_MEMBER || n->kind == N_VENDOR))
        n = n->a;
    return n && (n->kind == N_FUNCTION || n->kind == N_METHOD || n->kind == N_ARRAY);
}

// The types of a template's function know its arguments, the name doesn't.
static void put_encoding(Writer *w, const Node *n)
{
    const Node *name = n->a, *function = n->b, *result = function ? function->a : NULL;
    if (!function) {
        put(w, name);
        return;
    }
    while (name->kind == N_METHOD || name->kind == N_LOCAL) name = name->kind == N_LOCAL ? name->b : name->a;
    const Scope inner = {name->kind == N_TEMPLATE ? name->b : NULL, w->scope}, *outer = w->scope;
    const Scope *own = inner.args ? &inner : outer;
    w->scope = own;
    if (result) put_left(w, result), say(w, stands_around(w, result) ? "" : " ");
    w->scope = outer;
    put_own_name(w, n->a, false);
    w->scope = own;
    put_params(w, function->b);
    put_method_qualifiers(w, n->a);
    if (result) put_right(w, result);
    w->scope = outer;
}

static void put_name(Writer *w, const Node *n)
{
    switch (n->kind) {
    case N_NAME: say(w, n->code == '~' ? "~" : ""), say_part(w, n->text, n->length); break;
    case N_TYPE: say(w, n->text); break;
    case N_SCOPE: put(w, n->a), say(w, "::"), put(w, n->b); break;
    case N_LOCAL: put_local(w, n, false, false); break;
    case N_TEMPLATE: put_template(w, n); break;
    case N_TAGGED: put(w, n->a), say(w, "[abi:"), say_part(w, n->text, n->length), say(w, "]"); break;
    case N_LAMBDA: put_closure(w, n); break;
    case N_UNNAMED: say(w, "{unnamed type#"), say_number(w, n->number), say(w, "}"); break;
    case N_OPERATOR: put_operator(w, n->text); break;
    case N_CONVERSION: say(w, "operator "), put(w, n->a); break;
    case N_ENCODING: put_encoding(w, n); break;
    case N_EXPANSION: put_expansion(w, n); break;
    case N_PACK: put_list(w, n->a); break;
    case N_DECLTYPE: say(w, "decltype ("), put(w, n->a), say(w, ")"); break;
    case N_PARAM: put_auto(w, n->number); break;
    default: fail(w);
    }
}

// --- types -----------------------------------------------------------------------------------------------------------
// What a pointer or a reference points to, and its sign. A reference to a reference is one, [dcl.ref] of the standard.
typedef struct Pointed {
    const Node *to;
    const Scope *scope;
    const char *sign;
} Pointed;

static Pointed pointed(Writer *w, const Node *n)
{
    Pointed p = {n->a, w->scope, n->kind == N_POINTER ? "*" : n->kind == N_LREF ? "&" : "&&"};
    const Scope *scope = w->scope;
    const Node *of = n->kind == N_POINTER ? NULL : meant(w, n->a, &scope);
    if (of && (of->kind == N_LREF || of->kind == N_RREF)) {
        p.to = of->a, p.scope = scope;
        p.sign = of->kind == N_LREF || n->kind == N_LREF ? "&" : "&&";
    }
    return p;
}

static NodeKind kind_meant(Writer *w, const Node *n)
{
    const Scope *scope = w->scope;
    const Node *array = n = meant(w, n, &scope);
    while (array && array->kind == N_QUALIFIED) array = meant(w, array->a, &scope);
    return array && array->kind == N_ARRAY ? N_ARRAY : n ? n->kind : N_NAME;
}

// The parenthesis before the sign of a pointer to an array or to a function.
static void open_paren(Writer *w, const Node *to, bool spaced)
{
    const NodeKind kind = kind_meant(w, to);
    if (kind == N_ARRAY) say(w, " (");
    if (kind != N_FUNCTION && kind != N_METHOD) return;
    if (w->last != ' ' && (spaced || (w->last != '(' && w->last != '*'))) say(w, " ");
    say(w, "(");
}

static void close_paren(Writer *w, const Node *to)
{
    const NodeKind kind = kind_meant(w, to);
    if (kind == N_ARRAY || kind == N_FUNCTION || kind == N_METHOD) say(w, ")");
    put_right(w, to);
}

static unsigned qualifier(const Node *n) { return n->text[1] == 'c' ? 1 : n->text[1] == 'v' ? 2 : 4; }

static void put_type_left(Writer *w, const Node *n)
{
    const unsigned qualifiers = w->qualifiers;
    if (n->kind == N_QUALIFIED) {
        w->qualifiers |= qualifier(n);
        put_left(w, n->a);
        w->qualifiers = qualifiers;
        if (!(qualifiers & qualifier(n))) say(w, n->text);
        return;
    }
    if (n->kind != N_ARRAY) w->qualifiers = 0;
    if (n->kind == N_POINTER || n->kind == N_LREF || n->kind == N_RREF) {
        const Pointed p = pointed(w, n);
        w->scope = p.scope;
        put_left(w, p.to), open_paren(w, p.to, false), say(w, p.sign);
    } else if (n->kind == N_MEMBER) {
        put_left(w, n->a), open_paren(w, n->a, true);
        if (w->last != '(') say(w, " ");
        put(w, n->b), say(w, "::*");
    } else if (n->kind == N_VENDOR) {
        put_left(w, n->a), say(w, " "), say_part(w, n->text, n->length);
    } else if (n->kind == N_VECTOR) {
        put_left(w, n->a), say(w, " __vector("), put(w, n->b), say(w, ")");
    } else if (n->kind == N_ARRAY) {
        put_left(w, n->a);
    } else {
        while (n->kind == N_METHOD) n = n->a;
        if (n->kind != N_FUNCTION) fail(w);
        if (n->a) put_left(w, n->a), say(w, stands_around(w, n->a) ? "" : " ");
    }
    w->qualifiers = qualifiers;
}

static bool is_type(const Node *n) { return (n->kind >= N_POINTER && n->kind <= N_FUNCTION) || n->kind == N_METHOD; }

static void put_left(Writer *w, const Node *n)
{
    const Scope *hold = w->scope;
    if (!on(w) || ++w->depth > DEEPEST || !(n = meant(w, n, &w->scope))) {
        fail(w);
        return;
    }
    if (is_type(n)) {
        put_type_left(w, n);
    } else {
        const unsigned qualifiers = w->qualifiers;
        w->qualifiers = 0;
        if (!put_value(w, n)) put_name(w, n);
        w->qualifiers = qualifiers;
    }
    w->depth--;
    w->scope = hold;
}

// The dimensions of an array of arrays stand side by side.
static void put_dimensions(Writer *w, const Node *n)
{
    say(w, " ");
    for (;; n = meant(w, n->a, &w->scope)) {
        if (!n || n->kind != N_ARRAY || !on(w)) break;
        say(w, "[");
        if (n->b) put(w, n->b);
        say(w, "]");
        while (n->a->kind == N_QUALIFIED) n = n->a;
    }
    if (n) put_right(w, n);
}

static void put_right(Writer *w, const Node *n)
{
    const Scope *hold = w->scope;
    if (!on(w) || ++w->depth > DEEPEST || !(n = meant(w, n, &w->scope))) {
        fail(w);
        return;
    }
    if (n->kind == N_POINTER || n->kind == N_LREF || n->kind == N_RREF) {
        const Pointed p = pointed(w, n);
        w->scope = p.scope;
        close_paren(w, p.to);
    } else if (n->kind == N_MEMBER) {
        close_paren(w, n->a);
    } else if (n->kind == N_QUALIFIED || n->kind == N_VENDOR || n->kind == N_VECTOR) {
        put_right(w, n->a);
    } else if (n->kind == N_ARRAY) {
        put_dimensions(w, n);
    } else if (n->kind == N_FUNCTION || n->kind == N_METHOD) {
        const Node *function = put_tail(w, n);
        if (function->a) put_right(w, function->a);
    }
    w->depth--;
    w->scope = hold;
}

static void put(Writer *w, const Node *n) { put_left(w, n), put_right(w, n); }

bool write_name(Text *out, const Node *n, NameForm form)
{
    Writer w = {.out = out, .from = out->n};
    const Node *name = n->a;
    while (form == NAME_PLAIN &&
           (name->kind == N_SCOPE || name->kind == N_LOCAL || name->kind == N_METHOD || name->kind == N_TEMPLATE))
        name = name->kind == N_SCOPE || name->kind == N_LOCAL ? name->b : name->a;
    if (form == NAME_FULL)
        put_encoding(&w, n);
    else
        put_own_name(&w, name, form >= NAME_SCOPED);
    return on(&w);
}
