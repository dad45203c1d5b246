// unit.h: what the files of names share; no one else includes it.
#ifndef NAMES_UNIT_H
#define NAMES_UNIT_H

#include "names/names.h"

enum { NAME_MOST = 1 << 14, TEXT_MOST = 1 << 14, DEPTH_MOST = 150 };

typedef enum NodeKind {
    N_NAME,        // text
    N_SCOPE,       // a::b
    N_LOCAL,       // a::b, a an N_ENCODING; in the default argument `number` of a, where it isn't 0
    N_TEMPLATE,    // a<b>, b a list
    N_TAGGED,      // a[abi:text]
    N_LAMBDA,      // the closure `number`, of the parameters a; b: a list of N_HEAD of its own template parameters
    N_HEAD,        // text: "typename", or a: the type of a value
    N_UNNAMED,     // the type `number` without a name
    N_OPERATOR,    // operator text
    N_CONVERSION,  // operator a
    N_POINTER,     // a*
    N_LREF,        // a&
    N_RREF,        // a&&
    N_MEMBER,      // a b::*
    N_QUALIFIED,   // a, then text
    N_VENDOR,      // a, a blank, then text
    N_VECTOR,      // a __vector(b)
    N_ARRAY,       // a [b]
    N_FUNCTION,    // a (b), a the result, or null
    N_METHOD,      // a, a function or its name, then text; noexcept (b)
    N_LITERAL,     // text of type a
    N_LIST,        // a, then b
    N_PACK,        // of the parameters of a template: a is their list, or null
    N_TYPE,        // text: a fundamental type, whose code is code
    N_ENCODING,    // a: a variable, or a function, whose N_FUNCTION is b
    N_PARAM,       // the template's argument `number`
    N_EXPANSION,   // a, for each of a pack
    N_DECLTYPE,    // decltype (a)
    N_FUNCTION_PARAM,
    N_UNARY,    // text a
    N_SUFFIX,   // a text
    N_BINARY,   // a text b
    N_CHOICE,   // a ? b->a : b->b
    N_CAST,     // (a)b
    N_CAST_TO,  // text<a>(b)
    N_CALL,     // a(b)
    N_INDEX,    // a[b]
    N_BRACES,   // a{b}
    N_LENGTH,   // sizeof...(a)
    N_FOLD,     // code l, r, L or R: of a, and b in the last two, by the operator text
} NodeKind;
typedef struct Node Node;
struct Node {
    NodeKind kind;
    char code;
    int depth;
    const char *text;
    size_t length, number;
    const Node *a, *b;
};
typedef VEC(const Node *) Nodes;

// --- read.c: a mangled name, read into nodes -------------------------------------------------------------------------
typedef struct Reader {
    const char *p, *end;
    Arena arena;
    Nodes known;       // <substitution>, §5.1.10, in the order in which they were completed
    const Node *last;  // the name that was read last, which constructors have, too
    int depth;
} Reader;
// Each function returns null where it finds something else.
const Node *read_mangled(Reader *r);  // behind _Z, up to the end, or to a suffix with a dollar sign
const Node *read_type(Reader *r);
const Node *read_encoding(Reader *r, bool to_end);
const Node *read_unqualified(Reader *r);
const Node *read_args(Reader *r, const Node *name);  // with what stands behind the name
const Node *read_param(Reader *r);                   // behind its T
Node *new_node(Reader *r, NodeKind kind, const Node *a, const Node *b, const char *text);
bool read_list(Reader *r, const Node *(*read)(Reader *r), bool to_end, const Node **list);
bool at(const Reader *r, char c);
bool take(Reader *r, char c);
bool takes(Reader *r, const char *two);
bool is_digit(const Reader *r);
bool read_count(Reader *r, size_t *count);  // the number before an underscore: the one without digits comes first

// --- read_expression.c: values that stand in a name ------------------------------------------------------------------
const Node *read_expression(Reader *r);
const Node *read_literal(Reader *r);   // behind its L
const char *read_operator(Reader *r);  // its text, of an operator that a function can be

// --- write.c: nodes, written as c++filt does -------------------------------------------------------------------------
bool write_name(Text *out, const Node *n,
                NameForm form);  // n: an N_ENCODING. False: it can't be written, or is too long

// --- numba.c: names of Python's functions ----------------------------------------------------------------------------
bool is_numba(const char *mangled);
void numba_tidy(Text *t, size_t from);  // of a demangled name that begins there
uint32_t numba_argument(const char *mangled, uint32_t param);

#endif
