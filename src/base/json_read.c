// json_read.c: JSON, read into a tree (RFC 8259).
//
// A document is a stranger's: it may be anything. All values lie in one array, whose size is known before the first is
// read, since a value stands behind a comma, a bracket or nothing; so the host is asked for memory once. Invariant: a
// text of the tree is well-formed UTF-8 without a NUL, and no value is deeper than DEEPEST.
#include "base/unit.h"

#include <errno.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { DEEPEST = 64 };

typedef struct Reader {
    JsonDocument *d;
    const char *text;
    size_t at, size;
    char *string;  // where the next text goes
    size_t nodes;
    Diag *diag;
} Reader;

static bool wrong(Reader *r, size_t at, const char *what)
{
    return diag_at(r->diag, &r->d->source, MIN(at, r->size), NULL, "this isn't JSON: %s", what);
}

static void skip(Reader *r)
{
    while (r->at < r->size && strchr(" \t\r\n", r->text[r->at]) && r->text[r->at]) r->at++;
}

static int peek(const Reader *r) { return r->at < r->size ? (unsigned char)r->text[r->at] : -1; }

// --- texts -----------------------------------------------------------------------------------------------------------
static bool hex(Reader *r, uint32_t *out)
{
    *out = 0;
    for (int k = 0; k < 4; k++, r->at++) {
        int c = peek(r);
        int digit = c >= '0' && c <= '9'   ? c - '0'
                    : c >= 'a' && c <= 'f' ? c - 'a' + 10
                    : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                           : -1;
        if (digit < 0) return wrong(r, r->at, "\\u has four hexadecimal digits behind it");
        *out = *out * 16 + (uint32_t)digit;
    }
    return true;
}

static void put_code(Reader *r, uint32_t c)
{
    if (c < 0x80) {
        *r->string++ = (char)c;
    } else if (c < 0x800) {
        *r->string++ = (char)(0xc0 | c >> 6), *r->string++ = (char)(0x80 | (c & 63));
    } else if (c < 0x10000) {
        *r->string++ = (char)(0xe0 | c >> 12), *r->string++ = (char)(0x80 | (c >> 6 & 63));
        *r->string++ = (char)(0x80 | (c & 63));
    } else {
        *r->string++ = (char)(0xf0 | c >> 18), *r->string++ = (char)(0x80 | (c >> 12 & 63));
        *r->string++ = (char)(0x80 | (c >> 6 & 63)), *r->string++ = (char)(0x80 | (c & 63));
    }
}

// What stands behind a backslash. It never takes more bytes than it is written with.
static bool escape(Reader *r)
{
    static const char from[] = "\"\\/bfnrt", to[] = "\"\\/\b\f\n\r\t";
    size_t at = r->at - 1;
    int c = peek(r);
    r->at++;
    const char *plain = c > 0 ? strchr(from, c) : NULL;
    if (plain) return *r->string++ = to[plain - from], true;
    uint32_t code, low;
    if (c != 'u') return wrong(r, at, "no such character behind a backslash");
    if (!hex(r, &code)) return false;
    if (code >= 0xd800 && code < 0xdc00) {
        if (peek(r) != '\\' || r->at + 1 >= r->size || r->text[r->at + 1] != 'u')
            return wrong(r, at, "half of a pair of \\u");
        r->at += 2;
        if (!hex(r, &low)) return false;
        if (low < 0xdc00 || low > 0xdfff) return wrong(r, at, "half of a pair of \\u");
        code = 0x10000 + ((code - 0xd800) << 10) + (low - 0xdc00);
    }
    if (!code || (code >= 0xdc00 && code < 0xe000)) return wrong(r, at, "\\u of what is no character of a text");
    return put_code(r, code), true;
}

static bool read_text(Reader *r, const char **out)
{
    size_t from = r->at++;
    *out = r->string;
    while (peek(r) != '"') {
        if (r->at >= r->size) return wrong(r, from, "a text without an end");
        int c = peek(r);
        if (c == '\\') {
            r->at++;
            if (!escape(r)) return false;
            continue;
        }
        size_t n = utf8_sequence(r->text + r->at, r->size - r->at);
        if (!n || c < 0x20) return wrong(r, r->at, "a text has a byte that no text may have");
        memcpy(r->string, r->text + r->at, n);
        r->string += n, r->at += n;
    }
    r->at++;
    *r->string++ = 0;
    return true;
}

// --- values ----------------------------------------------------------------------------------------------------------
static bool digits(Reader *r)
{
    size_t from = r->at;
    while (peek(r) >= '0' && peek(r) <= '9') r->at++;
    return r->at > from || wrong(r, r->at, "a digit is missing");
}

static bool read_number(Reader *r, JsonNode *n)
{
    size_t from = r->at;
    bool whole = peek(r) != '-';
    r->at += !whole;
    bool zero = peek(r) == '0';
    size_t first = r->at;
    if (!digits(r)) return false;
    if (zero && r->at > first + 1) return wrong(r, first, "a number with a zero in front");
    if (peek(r) == '.') {
        whole = false, r->at++;
        if (!digits(r)) return false;
    }
    if (peek(r) == 'e' || peek(r) == 'E') {
        whole = false, r->at++;
        r->at += peek(r) == '+' || peek(r) == '-';
        if (!digits(r)) return false;
    }
    // The document ends with a NUL, and no character that may follow a number belongs to one.
    errno = 0;
    n->kind = JSON_NUMBER, n->number = strtod(r->text + from, NULL);
    if (!isfinite(n->number)) return wrong(r, from, "a number beyond all doubles");
    errno = 0;
    if (whole) n->whole = strtoull(r->text + from, NULL, 10);
    n->is_whole = whole && !errno;
    return true;
}

static bool read_word(Reader *r, JsonNode *n)
{
    static const struct {
        const char *word;
        JsonKind kind;
    } words[] = {{"null", JSON_NULL}, {"true", JSON_TRUE}, {"false", JSON_FALSE}};
    for (size_t k = 0; k < COUNT(words); k++) {
        size_t length = strlen(words[k].word);
        if (r->size - r->at < length || memcmp(r->text + r->at, words[k].word, length)) continue;
        return n->kind = words[k].kind, r->at += length, true;
    }
    return wrong(r, r->at, r->at >= r->size ? "it ends too early" : "no value begins like that");
}

static JsonNode *read_value(Reader *r, int depth);

static bool read_members(Reader *r, JsonNode *n, char end, int depth)
{
    JsonNode **last = &n->first;
    r->at++, skip(r);
    if (peek(r) == end) return r->at++, true;
    for (;; r->at++) {
        const char *key = NULL;
        skip(r);
        if (end == '}') {
            if (peek(r) != '"') return wrong(r, r->at, "a name in quotes is missing");
            if (!read_text(r, &key)) return false;
            skip(r);
            if (peek(r) != ':') return wrong(r, r->at, "a colon is missing");
            r->at++;
        }
        JsonNode *one = read_value(r, depth);
        if (!one) return false;
        one->key = key, *last = one, last = &one->next;
        skip(r);
        if (peek(r) == end) return r->at++, true;
        if (peek(r) != ',') return wrong(r, r->at, end == '}' ? "a comma or } is missing" : "a comma or ] is missing");
    }
}

static JsonNode *read_value(Reader *r, int depth)
{
    skip(r);
    JsonNode *n = &r->d->nodes[r->nodes++];
    n->at = r->at;
    int c = peek(r);
    bool ok;
    if (c == '{' || c == '[') {
        n->kind = c == '{' ? JSON_OBJECT : JSON_ARRAY;
        ok = depth < DEEPEST ? read_members(r, n, c == '{' ? '}' : ']', depth + 1)
                             : wrong(r, r->at, "it is nested more than 64 deep");
    } else if (c == '"') {
        n->kind = JSON_TEXT, ok = read_text(r, &n->text);
    } else {
        ok = c == '-' || (c >= '0' && c <= '9') ? read_number(r, n) : read_word(r, n);
    }
    return ok ? n : NULL;
}

bool json_read(JsonDocument *d, const char *name, const char *text, size_t size, Diag *diag)
{
    *d = (JsonDocument){.source = {.name = mem_text(name), .length = size}};
    size_t most = 2;
    for (size_t k = 0; k < size; k++) most += text[k] == ',' || text[k] == '[' || text[k] == '{';
    d->text = mem_try(size + 1, 1), d->strings = mem_try(size + 1, 1);
    if (d->text && d->strings && mem_room(most_times(most, sizeof *d->nodes)))
        d->nodes = mem_try(most, sizeof *d->nodes);
    if (!d->nodes) return diag->memory = true, diag_error(diag, "%s: %s", name, mem_none);
    memcpy(d->text, text, size);
    d->source.text = d->text;
    Reader r = {.d = d, .text = d->text, .size = size, .string = d->strings, .diag = diag};
    JsonNode *top = read_value(&r, 0);
    if (!top) return false;
    skip(&r);
    return r.at == r.size || wrong(&r, r.at, "something stands behind its end");
}

void json_close_document(JsonDocument *d)
{
    mem_free((char *)d->source.name), mem_free(d->text), mem_free(d->strings), mem_free(d->nodes);
    *d = (JsonDocument){.nodes = NULL};
}

const JsonNode *json_member(const JsonNode *object, const char *key)
{
    const JsonNode *n = object && object->kind == JSON_OBJECT ? object->first : NULL;
    while (n && strcmp(n->key, key)) n = n->next;
    return n;
}
