// lex.c: PTX text → tokens (PTX ISA §4.1–4.5). A token is a slice of the source; numbers are converted here, so that
// the parser sees values. The lexer looks one token ahead: lex->tok is the current one.
#include "ptx/parse.h"

#include <string.h>

// Not <ctype.h>: the host's locale mustn't matter.
static bool is_digit(char c) { return c >= '0' && c <= '9'; }
static bool is_alpha(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
static bool is_space(char c) { return c == ' ' || (c >= '\t' && c <= '\r'); }
static int hex_digit(char c)
{
    return is_digit(c) ? c - '0' : c >= 'a' && c <= 'f' ? c - 'a' + 10 : c >= 'A' && c <= 'F' ? c - 'A' + 10 : 16;
}
static bool starts_name(char c) { return is_alpha(c) || c == '_' || c == '$' || c == '%'; }
static bool in_name(char c) { return is_alpha(c) || is_digit(c) || c == '_' || c == '$'; }

static void fail(Lexer *lex, size_t at, const char *hint, const char *message)
{
    if (!lex->failed) diag_at(lex->diag, lex->source, at, hint, "%s", message);
    lex->failed = true;
    lex->tok = (Token){.kind = TOK_END, .text = lex->source->text + at, .at = (uint32_t)at};
    lex->pos = lex->source->length;
}

// # 12 "file", or #line 12 "file": the next line is line 12 of that file, or of the one that was named last. Programs
// that write PTX from other texts leave such lines, as a C preprocessor does; ptxas reads them, too. Other lines that
// begin with # say nothing.
static void line_mark(Lexer *lex, size_t p)
{
    Module *m = lex->m;
    const char *s = lex->source->text, *end = memchr(s + p, '\n', lex->source->length - p), *digit, *close;
    if (!end || (m->marks.n && m->marks.v[m->marks.n - 1].at > p)) return;  // the lexer may have been here before
    p++;
    while (s + p < end && is_space(s[p])) p++;
    if (end - (s + p) > 4 && !memcmp(s + p, "line", 4)) p += 4;
    while (s + p < end && is_space(s[p])) p++;
    uint64_t line = 0;
    for (digit = s + p; s + p < end && is_digit(s[p]) && line <= INT32_MAX; p++)
        line = line * 10 + (uint64_t)(s[p] - '0');
    if (s + p == digit || line > INT32_MAX) return;
    const char *name = m->marks.n ? m->marks.v[m->marks.n - 1].name : lex->source->name;
    while (s + p < end && is_space(s[p])) p++;
    if (s + p < end && s[p] == '"') {
        close = memchr(s + p + 1, '"', (size_t)(end - (s + p + 1)));
        if (!close) return;
        size_t length = (size_t)(close - (s + p + 1));
        if (strlen(name) != length || memcmp(name, s + p + 1, length)) name = arena_text(&m->arena, s + p + 1, length);
    }
    LineMark mark = {(size_t)(end - s) + 1, name, (uint32_t)line};
    vec_push(&m->marks, mark);
    m->source.marks = m->marks.v, m->source.mark_count = m->marks.n;
}

// White space, // and /* */ comments, and lines that begin with #.
static bool skip_space(Lexer *lex)
{
    const char *s = lex->source->text;
    size_t n = lex->source->length, p = lex->pos;
    for (;;) {
        while (p < n && is_space(s[p])) p++;
        if (p < n && s[p] == '#' && (p == 0 || s[p - 1] == '\n')) {
            line_mark(lex, p);
            while (p < n && s[p] != '\n') p++;
        } else if (p + 1 < n && s[p] == '/' && s[p + 1] == '/') {
            while (p < n && s[p] != '\n') p++;
        } else if (p + 1 < n && s[p] == '/' && s[p + 1] == '*') {
            size_t start = p;
            for (p += 2; p + 1 < n && !(s[p] == '*' && s[p + 1] == '/'); p++) {
            }
            if (p + 1 >= n) {
                fail(lex, start, NULL, "comment without end");
                return false;
            }
            p += 2;
        } else {
            lex->pos = p;
            return true;
        }
    }
}

static void take(Lexer *lex, TokenKind kind, ImmKind imm_kind, uint64_t value, size_t end)
{
    lex->tok.kind = kind;
    lex->tok.imm_kind = imm_kind;
    lex->tok.value = value;
    lex->tok.length = (uint32_t)(end - lex->tok.at);
    lex->pos = end;
}

// 0f and 8 hexadecimal digits: a float's bits; 0d and 16: a double's
static void float_bits(Lexer *lex, bool is_double)
{
    const char *s = lex->source->text;
    size_t n = lex->source->length, at = lex->pos, p = at + 2;
    uint64_t v = 0;
    for (; p < n && hex_digit(s[p]) < 16; p++) v = v << 4 | (uint64_t)hex_digit(s[p]);
    if (p - at - 2 != (is_double ? 16u : 8u))
        fail(lex, at, "0f takes 8 hexadecimal digits, 0d takes 16", "malformed floating-point constant");
    else
        take(lex, TOK_FLOAT, is_double ? IMM_F64 : IMM_F32, v, p);
}

// digits ['.' digits] [('e' | 'E') ['+' | '-'] digits]; the first digits may be missing
static void decimal(Lexer *lex)
{
    const char *s = lex->source->text;
    size_t n = lex->source->length, at = lex->pos, p = at;
    while (p < n && is_digit(s[p])) p++;
    if (p < n && s[p] == '.') p++;
    while (p < n && is_digit(s[p])) p++;
    if (p < n && (s[p] == 'e' || s[p] == 'E')) {
        p++;
        if (p < n && (s[p] == '+' || s[p] == '-')) p++;
        while (p < n && is_digit(s[p])) p++;
    }
    Text text = {0};
    text_add(&text, s + at, p - at);
    double d;
    uint64_t bits;
    bool good = parse_double(text.v, &d);
    text_free(&text);
    if (!good) {
        fail(lex, at, "write infinities and NaNs as 0f… or 0d…",
             "malformed floating-point constant, or one that no double holds");
        return;
    }
    memcpy(&bits, &d, sizeof bits);
    take(lex, TOK_FLOAT, IMM_F64, bits, p);
}

// Integer: decimal, 0x…, 0b…, octal, with U behind it. Float: 0f…, 0d…, or a decimal (§4.5).
static void number(Lexer *lex)
{
    const char *s = lex->source->text;
    size_t n = lex->source->length, at = lex->pos, p = at;
    char mark = s[p] == '0' && p + 1 < n ? s[p + 1] : 0;
    if (mark == 'f' || mark == 'F' || mark == 'd' || mark == 'D') {
        float_bits(lex, mark == 'd' || mark == 'D');
        return;
    }
    unsigned base = 10;
    if (mark == 'x' || mark == 'X')
        base = 16, p += 2;
    else if (mark == 'b' || mark == 'B')
        base = 2, p += 2;
    else if (is_digit(mark))
        base = 8, p += 1;
    size_t digits = p;
    uint64_t v = 0;
    bool overflow = false;
    for (; p < n && (unsigned)hex_digit(s[p]) < base; p++) {
        overflow |= __builtin_mul_overflow(v, (uint64_t)base, &v);
        overflow |= __builtin_add_overflow(v, (uint64_t)hex_digit(s[p]), &v);
    }
    if ((base == 10 || base == 8) && p < n && (s[p] == '.' || s[p] == 'e' || s[p] == 'E')) {
        decimal(lex);
        return;
    }
    if (p == digits || (p < n && is_digit(s[p]))) {
        fail(lex, at, base == 8 ? "a number that begins with 0 is octal" : NULL, "malformed number");
        return;
    }
    if (overflow) {
        fail(lex, at, "integers are at most 64 bits", "integer constant too large");
        return;
    }
    if (p < n && (s[p] == 'U' || s[p] == 'u')) lex->tok.is_unsigned = true, p++;
    take(lex, TOK_INT, IMM_INT, v, p);
}

void lex_next(Lexer *lex)
{
    if (lex->failed || !skip_space(lex)) return;
    const char *s = lex->source->text;
    size_t n = lex->source->length, p = lex->pos;
    Token *t = &lex->tok;
    *t = (Token){.kind = TOK_END, .text = s + p, .at = (uint32_t)p};
    if (p >= n) return;
    if (starts_name(s[p])) {
        for (p++; p < n && in_name(s[p]); p++) {
        }
        t->kind = TOK_NAME;
    } else if (is_digit(s[p])) {
        number(lex);
        return;
    } else if (s[p] == '.' && p + 1 < n && is_digit(s[p + 1])) {
        decimal(lex);
        return;
    } else if (s[p] == '.' && p + 1 < n && in_name(s[p + 1])) {
        for (p++; p < n &&
                  (in_name(s[p]) || (s[p] == ':' && p + 1 < n && s[p + 1] == ':' && p + 2 < n && in_name(s[p + 2])) ||
                   (s[p] == ':' && s[p - 1] == ':' && p + 1 < n && in_name(s[p + 1])));
             p++) {
        }
        t->kind = TOK_DIRECTIVE;
    } else if (s[p] == '"') {
        for (p++; p < n && s[p] != '"' && s[p] != '\n' && s[p]; p++)
            if (s[p] == '\\' && p + 1 < n && s[p + 1] != '\n' && s[p + 1]) p++;
        if (p >= n || s[p] != '"') {
            fail(lex, lex->pos, NULL, "string without end");
            return;
        }
        p++;
        t->kind = TOK_STRING;
    } else {
        t->kind = TOK_PUNCT;
        t->punct = (unsigned char)s[p++];
    }
    t->length = (uint32_t)(p - lex->pos);
    lex->pos = p;
}

static size_t mnemonic_end(const Lexer *lex, size_t p)
{
    const char *s = lex->source->text;
    size_t n = lex->source->length;
    while (p < n &&
           (in_name(s[p]) || ((s[p] == '.' || s[p] == ':') && p + 1 < n && (in_name(s[p + 1]) || s[p + 1] == ':'))))
        p++;
    return p;
}

// White space may stand before a dot. Then the token's text is a copy without it.
void lex_mnemonic(Lexer *lex)
{
    const char *s = lex->source->text;
    Text joined = {0};
    size_t n = lex->source->length;
    lex->pos = mnemonic_end(lex, lex->pos);
    lex->tok.length = (uint32_t)(lex->pos - lex->tok.at);
    for (;;) {
        size_t end = lex->pos;
        if (!skip_space(lex)) break;
        if (lex->pos + 1 >= n || s[lex->pos] != '.' || !in_name(s[lex->pos + 1])) {
            lex->pos = end;  // a line mark that was passed is read only once
            break;
        }
        if (!joined.n) text_add(&joined, lex->tok.text, lex->tok.length);
        size_t from = lex->pos;
        lex->pos = mnemonic_end(lex, from);
        text_add(&joined, s + from, lex->pos - from);
    }
    if (joined.n) {
        lex->tok.text = arena_text(&lex->m->arena, joined.v, joined.n);
        lex->tok.length = (uint32_t)joined.n;
    }
    text_free(&joined);
}
