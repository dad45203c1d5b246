// parse.h: what the files of the parser and of the check share; no one else includes it.
#ifndef PTX_PARSE_H
#define PTX_PARSE_H

#include "ptx/pass.h"

#define MAX_PARAM_OLD 4352u     // bytes of a kernel's parameters before sm_70 or PTX 8.1 (PTX ISA 5.1.6)
#define MAX_FRAME (1u << 20)    // bytes of parameters, results and .param variables of a function's body together
#define MAX_LIVE (1ull << 30)   // basic blocks times registers of a function: how many bits its liveness has
#define MOST_NAMES (1u << 18)   // variables that name<n> declares, of a module
#define MAX_EDGES (1ull << 24)  // of a function's flow graph

// --- lex.c -----------------------------------------------------------------------------------------------------------
typedef enum TokenKind { TOK_END, TOK_NAME, TOK_INT, TOK_FLOAT, TOK_STRING, TOK_DIRECTIVE, TOK_PUNCT } TokenKind;
typedef struct Token {
    TokenKind kind;
    const char *text;  // into the source; a directive's text includes its dot
    uint32_t length, at;
    int punct;
    uint64_t value;  // integer, or the bits of a float
    ImmKind imm_kind;
    bool is_unsigned;
} Token;
typedef struct Lexer {
    const Source *source;  // of m
    Module *m;             // takes the line marks
    size_t pos;
    Token tok;  // the current token
    Diag *diag;
    bool failed;
} Lexer;
void lex_next(Lexer *lex);
// Takes the current name and everything attached to it (dots, colons) as one token: an instruction's mnemonic.
void lex_mnemonic(Lexer *lex);

// --- the parser ------------------------------------------------------------------------------------------------------
typedef enum NameKind {
    NAME_REG = 1,
    NAME_VECTOR,
    NAME_SYMBOL,
    NAME_TABLE,
    NAME_PROTO,
    NAME_RANGE,
    NAME_LEAST,
} NameKind;
typedef struct Scope {
    Map names;   // NameKind << 32 | index. "%r<": the range %r<n>; "%r>": the least n of a %rn declared singly
    Map labels;  // index into Function.labels
    bool has_ranges;
} Scope;

// .reg type name<n>: its registers come to be when they are first named, so that a million of them cost nothing.
typedef struct Range {
    Type type;
    uint32_t n, order;
    int vec;  // elements of each, 1: no vectors
} Range;

// .reg .v2 or .v4: its elements are registers of their own, one behind the other.
typedef struct Vector {
    uint32_t first;
    int n;
} Vector;

typedef struct Result {  // of the function whose body is parsed, in a register
    uint32_t reg;
    Type type;
    Symbol *symbol;
    uint64_t offset;
} Result;

// --- vocabulary.c ----------------------------------------------------------------------------------------------------
typedef struct Word {
    const char *text;  // null: a free place
    uint32_t length, value;
} Word;
typedef struct Words {
    Word *place;
    uint32_t mask;  // places - 1
} Words;
void words_open(Words *w, size_t most);                      // with room for so many
void words_put(Words *w, const char *text, uint32_t value);  // the text stays; its value is the last one given
bool words_get(const Words *w, const char *text, size_t n, int64_t *value);  // text may lie within a longer one
void words_free(Words *w);

typedef struct Parser {
    Lexer lex;
    Module *m;
    Diag *diag;
    Function *f;  // the function whose body is parsed
    VEC(Scope) scopes;
    VEC(Range) ranges;     // of f
    VEC(Vector) vectors;   // of f
    VEC(Result) results;   // of f
    VEC(uint64_t) places;  // per register of f: its declaration's number << 32 | its number in the range
    uint32_t order;        // declarations of registers so far
    VEC(uint32_t) alias;   // per label: the label that a nested scope's undefined one turned out to be, or itself
    Map taken;             // names of f that are used up: nested scopes may reuse a name, the flat IR may not
    size_t renamed;
    Words mnemonics;  // operation by name
    Words suffixes;   // modifier or type by name: the first Mod of that spelling, or M_COUNT + Type
    Words sregs;
    bool partly;                        // functions that aren't implemented are left out
    size_t item_at;                     // where the current item of the module begins
    uint64_t init_bytes;                // of all initialisers so far
    uint32_t names;                     // variables that name<n> declared so far
    uint64_t const_bytes;               // of the module's .const variables so far
    uint64_t frame_bytes, local_bytes;  // of f's parameters and .param variables, and of its .local ones
    Map params;                         // of f: index in params, or behind them in rets
    uint32_t loc;                       // the current .loc, as in Inst.loc
    int depth, nesting;                 // of operands, of a constant expression
    bool video;                         // of a video instruction: registers may have selectors and signs
    bool lists;                         // of a call: an operand in parentheses is a list, not a constant
} Parser;

static inline const Token *tok(const Parser *p) { return &p->lex.tok; }
// parse.c: tokens, directives
bool is_punct(const Parser *p, int c);
bool take_punct(Parser *p, int c);
bool expect_punct(Parser *p, int c);
bool is_directive(const Parser *p, const char *name);
bool take_directive(Parser *p, const char *name);
bool parse_fail(Parser *p, size_t at, const char *hint, const char *format, ...) __attribute__((format(printf, 4, 5)));
bool parse_unsupported(Parser *p, size_t at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
#define FORM_REFUSED "'%s' with %s is not implemented: %s"  // the operation, FormInfo.written and .why
#define LIST_OPS "onchip list ops shows what is implemented"
char *token_text(Parser *p);                            // the current token, copied
Type parse_type(Parser *p);                             // TY_NONE: the current token is no type
Space parse_space(Parser *p);                           // SP_NONE: the current token names no space
bool same_symbols(const Symbols *a, const Symbols *b);  // as many, of the same types and sizes
bool parse_loc(Parser *p);
bool parse_skip_section(Parser *p);
const char *parse_pragma(Parser *p);  // its text, or null

// parse_const.c: constant expressions
bool begins_constant(const Parser *p);       // may one begin at the current token?
bool parse_constant(Parser *p, Operand *o);  // into an O_IMM
bool parse_int(Parser *p, int64_t *value);   // one whose value is an integer
bool parse_range(Parser *p, const char *what, int64_t low, int64_t high, uint32_t *value);  // what: for the message

// parse_var.c
bool parse_variables(Parser *p, Space space, Linkage linkage);  // from the token behind the state space on; declared
bool parse_params(Parser *p, Symbols *out, bool named);         // ( … ), the current token being the parenthesis
bool parse_attribute(Parser *p, Symbol *s);                     // behind .attribute
bool params_within_bounds(Parser *p, const Function *f);
bool frame_within_bounds(Parser *p, const Symbols *list, uint64_t *bytes);  // with *bytes before them
char *unique_name(Parser *p, const char *name);  // one that nothing in the body has yet: name itself, or name$1

// parse_alias.c
bool parse_alias(Parser *p);   // behind .alias
bool join_aliases(Parser *p);  // when the module ends: aliases get their aliasees' functions

// parse_inst.c
bool parse_body(Parser *p, Function *f);
bool parse_register(Parser *p, Operand *o);  // a register, into an O_REG

// parse_expand.c: what stands for several instructions
bool parse_index(Parser *p, Operand *o);           // a[…]: o has the variable
void expand_arrays(Parser *p, Inst *i);            // before i is taken up
bool expand_sums(Parser *p, Inst *i);              // likewise; false: an error
bool expand_vector_mov(Parser *p, const Inst *i);  // instead of i; false: it is none, or an error
bool expand_store(Parser *p, const Inst *i);       // likewise
bool join_results(Parser *p, Symbols *rets);       // of a function or prototype
void open_registers(Parser *p);                    // when a body begins
void store_results(Parser *p, const Inst *like);   // where it ends
bool expand_call(Parser *p, Inst *i);              // takes i up, and what must follow it

// refuse.c
bool leave_out(Parser *p,
               Function *f);  // after an error in f: is it one that f may be left out for? p goes on behind f

// parse_reg.c
bool parse_regs(Parser *p);                                    // behind .reg
bool fits_vector(Parser *p, size_t at, Type type, int n);      // may a vector have n elements of this type?
uint32_t declare_reg(Parser *p, const char *name, Type type);  // in the innermost scope
uint32_t declare_vector(Parser *p, const char *name, Type type, int count);  // likewise: its first element
bool scope_has(const Parser *p, const Scope *s, const char *name, size_t n);
bool lookup_name(Parser *p, const char *name, size_t n, int64_t *v);  // NameKind << 32 | index, innermost scope first
uint32_t new_reg(Parser *p, const char *name, Type type);             // the parser's own
void order_regs(Parser *p);                                           // when a body ends: numbers as declared

typedef struct Check {
    const Module *m;
    const Function *f;
    Inst *i;
    Diag *diag;
    int three;  // types beyond the second
} Check;
// suffix.c
size_t suffix_at(const Module *m, const Inst *i, int k);  // where suffix k of the mnemonic stands
bool check_form(const Module *m, Inst *i, Diag *diag);    // modifiers and types that the operation has
bool sort_suffixes(Check *c);
// check.c
// They tell what is wrong, with its place; false.
bool check_fail(const Check *c, size_t at, const char *hint, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
bool check_refuse(const Check *c, size_t at, FormId id);
bool check_source(const Check *c, int n, const Operand *o, Type t, bool relaxed);  // n: the operand's number

// texture.c: operand n, of which ops.def says the letter t, X or o
bool check_texture(const Check *c, char letter, int n);

// legal.c
bool check_legal(const Module *m, const Inst *i, Diag *diag);  // modifiers that go together

#endif
