// json.c: JSON, written as it comes.
//
// The writer keeps only its depth and whether a value stands before the next one; the caller opens and closes in
// pairs and gives keys inside objects alone. What comes out is always valid: bytes that aren't UTF-8 become U+FFFD,
// NaN and infinities null, and a double is written with the fewest digits that read back as the same double.
#include "base/unit.h"

#include <assert.h>
#include <math.h>
#include <string.h>

static void put_escaped(Text *out, const char *value)
{
    const unsigned char *s = (const unsigned char *)value;
    size_t left = strlen(value);
    text_put(out, "\"");
    while (left) {
        size_t n = utf8_sequence((const char *)s, left);
        if (n == 0) {
            text_put(out, "\xef\xbf\xbd");
            n = 1;
        } else if (*s == '"' || *s == '\\') {
            text_printf(out, "\\%c", *s);
        } else if (*s == '\n') {
            text_put(out, "\\n");
        } else if (*s == '\t') {
            text_put(out, "\\t");
        } else if (*s == '\r') {
            text_put(out, "\\r");
        } else if (*s < 0x20 || *s == 0x7f) {
            text_printf(out, "\\u%04x", *s);
        } else {
            text_add(out, (const char *)s, n);
        }
        s += n;
        left -= n;
    }
    text_put(out, "\"");
}

static void new_line(Json *json)
{
    text_put(&json->text, "\n");
    for (int i = 0; i < json->depth; i++) text_put(&json->text, "  ");
}

// What stands before every value: the comma of the one before, the line, the key.
static void begin(Json *json, const char *key)
{
    if (json->comma && json->depth) text_put(&json->text, ",");
    if (json->depth) new_line(json);
    if (key) {
        put_escaped(&json->text, key);
        text_put(&json->text, ": ");
    }
    json->comma = true;
}

void json_open(Json *json, const char *key, char bracket)
{
    assert(bracket == '{' || bracket == '[');
    begin(json, key);
    text_add(&json->text, &bracket, 1);
    json->depth++;
    json->comma = false;
}

void json_close(Json *json, char bracket)
{
    assert(json->depth > 0 && (bracket == '}' || bracket == ']'));
    json->depth--;
    if (json->comma) new_line(json);
    text_add(&json->text, &bracket, 1);
    if (json->depth == 0) text_put(&json->text, "\n");
    json->comma = true;
}

void json_string(Json *json, const char *key, const char *value)
{
    begin(json, key);
    if (value)
        put_escaped(&json->text, value);
    else
        text_put(&json->text, "null");
}

void json_int(Json *json, const char *key, int64_t value)
{
    begin(json, key);
    text_printf(&json->text, "%lld", (long long)value);
}

void json_uint(Json *json, const char *key, uint64_t value)
{
    begin(json, key);
    text_printf(&json->text, "%llu", (unsigned long long)value);
}

void json_double(Json *json, const char *key, double value)
{
    begin(json, key);
    if (!isfinite(value)) {
        text_put(&json->text, "null");
        return;
    }
    text_number(&json->text, value);
}

void json_bool(Json *json, const char *key, bool value)
{
    begin(json, key);
    text_put(&json->text, value ? "true" : "false");
}

void json_free(Json *json)
{
    text_free(&json->text);
    *json = (Json){0};
}
