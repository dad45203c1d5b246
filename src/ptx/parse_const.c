// parse_const.c: constants and constant expressions (PTX ISA §4.5). An expression is computed as it is read: in 64-bit
// integers, signed or unsigned as §4.5.5 says, or in doubles. The two don't mix. Where ptxas doesn't follow §4.5.5, the
// ISA is followed: (1 ? -2 : 1U) is unsigned here.
#include "ptx/parse.h"

#include <string.h>

#define MAX_NESTING 64  // of parentheses, signs and ?:, each of which takes host stack

typedef struct Value {
    ImmKind kind;
    bool is_unsigned;  // of an integer
    uint64_t bits;     // as Operand.imm
    uint32_t at;
} Value;

static Value integer(const Value *like, bool is_unsigned, uint64_t bits)
{
    return (Value){.kind = IMM_INT, .is_unsigned = is_unsigned, .bits = bits, .at = like->at};
}

static double to_double(const Value *v)
{
    double d;
    memcpy(&d, &v->bits, sizeof d);
    return d;
}

static Value from_double(const Value *like, double d)
{
    Value v = {.kind = IMM_F64, .at = like->at};
    memcpy(&v.bits, &d, sizeof d);
    return v;
}

// --- operators (§4.5.3, table 4) ------------------------------------------------------------------------------------
typedef enum Operator {
    CONST_OR,
    CONST_AND,
    CONST_BIT_OR,
    CONST_BIT_XOR,
    CONST_BIT_AND,
    CONST_EQ,
    CONST_NE,
    CONST_LE,
    CONST_GE,
    CONST_SHL,
    CONST_SHR,
    CONST_LT,
    CONST_GT,
    CONST_ADD,
    CONST_SUB,
    CONST_MUL,
    CONST_DIV,
    CONST_REM,
    CONST_NONE,
} Operator;
// How tightly one binds, larger being tighter. One that begins like another comes behind it.
static const struct {
    const char *text;
    int level;
} operators[] = {
    [CONST_OR] = {"||", 1},     [CONST_AND] = {"&&", 2}, [CONST_BIT_OR] = {"|", 3}, [CONST_BIT_XOR] = {"^", 4},
    [CONST_BIT_AND] = {"&", 5}, [CONST_EQ] = {"==", 6},  [CONST_NE] = {"!=", 6},    [CONST_LE] = {"<=", 7},
    [CONST_GE] = {">=", 7},     [CONST_SHL] = {"<<", 8}, [CONST_SHR] = {">>", 8},   [CONST_LT] = {"<", 7},
    [CONST_GT] = {">", 7},      [CONST_ADD] = {"+", 9},  [CONST_SUB] = {"-", 9},    [CONST_MUL] = {"*", 10},
    [CONST_DIV] = {"/", 10},    [CONST_REM] = {"%", 10}};

// The binary operator that the current token begins. A % is a name's first character to the lexer.
static Operator operator_here(const Parser *p)
{
    const Token *t = tok(p);
    if (t->kind != TOK_PUNCT && !(t->kind == TOK_NAME && t->length == 1)) return CONST_NONE;
    size_t left = p->m->source.length - t->at;
    for (int k = 0; k < CONST_NONE; k++) {
        size_t n = strlen(operators[k].text);
        if (n <= left && !memcmp(t->text, operators[k].text, n)) return (Operator)k;
    }
    return CONST_NONE;
}

static bool compare(Operator op, bool less, bool equal, bool ordered)
{
    switch (op) {
    case CONST_EQ: return equal;
    case CONST_NE: return !equal;
    case CONST_LT: return less;
    case CONST_LE: return less || equal;
    case CONST_GT: return ordered && !less && !equal;
    default: return ordered && !less;
    }
}

static bool apply_double(Parser *p, Operator op, uint32_t at, Value *a, const Value *b)
{
    double x = to_double(a), y = to_double(b);
    switch (op) {
    case CONST_ADD: *a = from_double(a, x + y); return true;
    case CONST_SUB: *a = from_double(a, x - y); return true;
    case CONST_MUL: *a = from_double(a, x * y); return true;
    case CONST_DIV:
        if (y == 0)
            return parse_fail(p, at, "write infinities and NaNs as 0f… or 0d…", "a constant is divided by zero");
        *a = from_double(a, x / y);
        return true;
    case CONST_EQ:
    case CONST_NE:
    case CONST_LT:
    case CONST_LE:
    case CONST_GT:
    case CONST_GE: *a = integer(a, false, compare(op, x < y, x == y, x == x && y == y)); return true;
    default:
        return parse_fail(p, at, NULL, "operator %s takes integers, not floating-point constants", operators[op].text);
    }
}

// §4.5.5, table 5. The usual arithmetic conversions: both operands are unsigned where one is. Overflow wraps.
static bool apply_integer(Parser *p, Operator op, uint32_t at, Value *a, const Value *b)
{
    bool both = a->is_unsigned || b->is_unsigned;
    uint64_t x = a->bits, y = b->bits;
    int64_t sx = (int64_t)x, sy = (int64_t)y;
    if ((op == CONST_DIV || op == CONST_REM) && !y) return parse_fail(p, at, NULL, "a constant is divided by zero");
    if ((op == CONST_SHL || op == CONST_SHR) && y > 63)
        return parse_fail(p, b->at, "constants have 64 bits", "a shift is from 0 to 63 bits");
    switch (op) {
    case CONST_OR: *a = integer(a, false, x || y); break;
    case CONST_AND: *a = integer(a, false, x && y); break;
    case CONST_BIT_OR: *a = integer(a, both, x | y); break;
    case CONST_BIT_XOR: *a = integer(a, both, x ^ y); break;
    case CONST_BIT_AND: *a = integer(a, both, x & y); break;
    case CONST_SHL: a->bits = x << y; break;
    case CONST_SHR: a->bits = a->is_unsigned ? x >> y : (uint64_t)(sx >> y); break;
    case CONST_ADD: *a = integer(a, both, x + y); break;
    case CONST_SUB: *a = integer(a, both, x - y); break;
    case CONST_MUL: *a = integer(a, both, x * y); break;
    case CONST_DIV: *a = integer(a, both, both ? x / y : sy == -1 ? 0 - x : (uint64_t)(sx / sy)); break;
    case CONST_REM: *a = integer(a, false, x % y); break;
    default: *a = integer(a, false, compare(op, both ? x < y : sx < sy, x == y, true));
    }
    return true;
}

// --- grammar ---------------------------------------------------------------------------------------------------------
static bool parse_choice(Parser *p, Value *v);

static bool is_warp_size(const Parser *p)
{
    return tok(p)->kind == TOK_NAME && tok(p)->length == 7 && !memcmp(tok(p)->text, "WARP_SZ", 7);
}

bool begins_constant(const Parser *p)
{
    const Token *t = tok(p);
    if (t->kind == TOK_PUNCT && t->punct && strchr("-+~!(", t->punct)) return true;
    return t->kind == TOK_INT || t->kind == TOK_FLOAT || is_warp_size(p);
}

static bool need_integer(Parser *p, const Value *v)
{
    return v->kind == IMM_INT || parse_fail(p, v->at, NULL, "an integer is expected here");
}

// primary = integer | float | 'WARP_SZ' | '(' choice ')'
static bool parse_primary(Parser *p, Value *v)
{
    const Token *t = tok(p);
    if (take_punct(p, '(')) {
        p->nesting++;
        if (!parse_choice(p, v)) return false;
        p->nesting--;
        return expect_punct(p, ')');
    }
    if (is_warp_size(p))
        *v = (Value){.kind = IMM_INT, .bits = 32, .at = t->at};
    else if (t->kind == TOK_INT)  // signed where it can be (§4.5.5)
        *v = (Value){.kind = IMM_INT, .bits = t->value, .is_unsigned = t->is_unsigned || t->value >> 63, .at = t->at};
    else if (t->kind == TOK_FLOAT)
        *v = (Value){.kind = t->imm_kind, .bits = t->value, .at = t->at};
    else
        return parse_fail(p, t->at, NULL, "a number is expected here");
    lex_next(&p->lex);
    return true;
}

// unary = ('+' | '-' | '!' | '~' | '(' '.s64' ')' | '(' '.u64' ')') unary | primary
static bool parse_unary(Parser *p, Value *v)
{
    const Token t = *tok(p);
    if (++p->nesting > MAX_NESTING) return parse_fail(p, t.at, NULL, "this constant is nested too deeply");
    Lexer back = p->lex;
    bool sign = is_punct(p, '+') || is_punct(p, '-'), flips = is_punct(p, '!') || is_punct(p, '~'), cast = false;
    if (take_punct(p, '(')) cast = tok(p)->kind == TOK_DIRECTIVE;
    if (!sign && !flips && !cast) {
        p->lex = back;
        p->nesting--;
        return parse_primary(p, v);
    }
    bool to_unsigned = is_directive(p, ".u64");
    if (cast && !to_unsigned && !is_directive(p, ".s64"))
        return parse_fail(p, tok(p)->at, "casts are (.s64) and (.u64)", "constants aren't cast to %.*s",
                          (int)tok(p)->length, tok(p)->text);
    lex_next(&p->lex);
    if (cast && !expect_punct(p, ')')) return false;
    if (!cast && !begins_constant(p))
        return parse_fail(p, tok(p)->at, NULL, "a number is expected behind '%c'", t.punct);
    if (!parse_unary(p, v) || (!sign && !need_integer(p, v))) return false;
    v->at = t.at;
    if (cast)
        v->is_unsigned = to_unsigned;
    else if (t.punct == '!')
        *v = integer(v, false, !v->bits);
    else if (t.punct == '~')
        *v = integer(v, true, ~v->bits);
    else if (t.punct == '-')
        v->bits = v->kind == IMM_INT ? 0 - v->bits : v->bits ^ (v->kind == IMM_F32 ? 1ull << 31 : 1ull << 63);
    p->nesting--;
    return true;
}

// binary = unary (operator unary)*, of operators that bind at least so tightly, all from left to right
static bool parse_binary(Parser *p, Value *v, int level)
{
    bool good = parse_unary(p, v);
    for (Operator op; good && (op = operator_here(p)) != CONST_NONE && operators[op].level >= level;) {
        uint32_t at = tok(p)->at;
        for (size_t n = strlen(operators[op].text); n; n--) lex_next(&p->lex);
        Value b;
        good = parse_binary(p, &b, operators[op].level + 1);
        if (good && (v->kind == IMM_F32 || b.kind == IMM_F32))
            good = parse_fail(p, at, "write it as 0d… or as a decimal", "a 0f… constant can't be computed with");
        if (good && v->kind != b.kind)
            good = parse_fail(p, at, NULL, "an integer and a floating-point constant can't be mixed");
        good = good && (v->kind == IMM_INT ? apply_integer(p, op, at, v, &b) : apply_double(p, op, at, v, &b));
    }
    return good;
}

// choice = binary ['?' choice ':' choice]
static bool parse_choice(Parser *p, Value *v)
{
    Value a, b;
    if (++p->nesting > MAX_NESTING) return parse_fail(p, tok(p)->at, NULL, "this constant is nested too deeply");
    if (!parse_binary(p, v, 1)) return false;
    if (is_punct(p, '?')) {
        uint32_t at = tok(p)->at;
        lex_next(&p->lex);
        if (!need_integer(p, v) || !parse_choice(p, &a) || !expect_punct(p, ':') || !parse_choice(p, &b)) return false;
        if (a.kind != b.kind)
            return parse_fail(p, at, NULL, "both sides of ?: must be integers, or both floating-point constants");
        bool is_unsigned = a.is_unsigned || b.is_unsigned;
        *v = v->bits ? a : b;
        v->is_unsigned = is_unsigned;
    }
    p->nesting--;
    return true;
}

static bool parse_value(Parser *p, Value *v)
{
    p->nesting = 0;
    v->at = tok(p)->at;
    if (!parse_choice(p, v)) return false;
    if (tok(p)->kind == TOK_NAME && tok(p)->text[0] == '%')
        return parse_fail(p, tok(p)->at, "the operator % needs a space behind it",
                          "a register can't follow a constant");
    return true;
}

bool parse_constant(Parser *p, Operand *o)
{
    Value v;
    if (!parse_value(p, &v)) return false;
    o->kind = O_IMM;
    o->imm = v.bits;
    o->imm_kind = (uint8_t)v.kind;
    return true;
}

bool parse_int(Parser *p, int64_t *value)
{
    Value v;
    if (!begins_constant(p)) return parse_fail(p, tok(p)->at, NULL, "an integer is expected here");
    if (!parse_value(p, &v) || !need_integer(p, &v)) return false;
    *value = (int64_t)v.bits;
    return true;
}

bool parse_range(Parser *p, const char *what, int64_t low, int64_t high, uint32_t *value)
{
    size_t at = tok(p)->at;
    int64_t n;
    if (!parse_int(p, &n)) return false;
    if (n < low || n > high)
        return parse_fail(p, at, NULL, "%s is from %lld to %lld", what, (long long)low, (long long)high);
    *value = (uint32_t)n;
    return true;
}
