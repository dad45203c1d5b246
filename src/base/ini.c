// ini.c: sections, keys, values, and the comments behind them.
//
// A reader of our own, although there are libraries: the comment behind a value is its provenance, which `onchip show
// gpu` prints, and an error must point at the byte that is wrong; inih and its kin give neither.
//
//   file    = { line }
//   line    = [ "[" name [ text ] "]" | name "=" [ value ] ] [ comment ]
//   name    = letters, digits, '_', '.', '-'
//   text    = anything but brackets: "matrix small"
//   comment = ('#' | ';') up to the end of the line; behind a value only after white space
//
// Keys before the first section belong to the section "". A key may be given once in a section, even when the section
// is opened twice. Entries keep the file's order.
#include "base/base.h"

#include <string.h>

typedef struct Reader {
    Ini *ini;
    Diag *diag;
    size_t at, end;  // the unread part of the current line
    const char *section;
    Map seen;   // section, newline, key → index of the entry
    Text full;  // the same of the current entry
} Reader;

static bool is_space(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

static bool is_name(char c)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '.' ||
           c == '-' || c == '/';
}

static void skip_space(Reader *r)
{
    while (r->at < r->end && is_space(r->ini->source.text[r->at])) r->at++;
}

static bool at_char(const Reader *r, char c) { return r->at < r->end && r->ini->source.text[r->at] == c; }

static bool at_comment(const Reader *r) { return at_char(r, '#') || at_char(r, ';'); }

static const char *read_name(Reader *r)
{
    const char *text = r->ini->source.text;
    size_t from = r->at;
    while (r->at < r->end && is_name(text[r->at])) r->at++;
    return arena_text(&r->ini->arena, text + from, r->at - from);
}

// The part of [from, to) without the white space around it.
static const char *trimmed(Reader *r, size_t from, size_t to)
{
    const char *text = r->ini->source.text;
    while (from < to && is_space(text[from])) from++;
    while (to > from && is_space(text[to - 1])) to--;
    return arena_text(&r->ini->arena, text + from, to - from);
}

static bool read_section(Reader *r)
{
    const Source *source = &r->ini->source;
    r->at++;
    skip_space(r);
    size_t name_at = r->at;
    r->section = read_name(r);
    if (!*r->section) return diag_at(r->diag, source, name_at, NULL, "expected a section's name after '['");
    size_t end = r->at;
    skip_space(r);
    if (r->at > end) {  // a second word, up to the bracket: which of several such sections
        size_t more = r->at;
        while (r->at < r->end && !at_char(r, ']') && !at_char(r, '[')) r->at++;
        const char *which = trimmed(r, more, r->at);
        if (*which) r->section = arena_printf(&r->ini->arena, "%s %s", r->section, which);
    }
    if (!at_char(r, ']')) return diag_at(r->diag, source, r->at, NULL, "expected ']' after the section's name");
    r->at++;
    skip_space(r);
    if (r->at < r->end && !at_comment(r))
        return diag_at(r->diag, source, r->at, NULL, "expected the end of the line after ']'");
    return true;
}

static bool add_entry(Reader *r, IniEntry entry)
{
    Ini *ini = r->ini;
    r->full.n = 0;
    text_put(&r->full, entry.section), text_put(&r->full, "\n"), text_put(&r->full, entry.key);
    int64_t index;
    if (map_get(&r->seen, r->full.v, r->full.n, &index)) {
        int line = source_place(&ini->source, ini->entries.v[index].key_at).line;
        const char *hint = arena_printf(&ini->arena, "it was first given in line %d", line);
        if (!*entry.section)
            return diag_at(r->diag, &ini->source, entry.key_at, hint, "'%s' is given twice", entry.key);
        return diag_at(r->diag, &ini->source, entry.key_at, hint, "'%s' is given twice in [%s]", entry.key,
                       entry.section);
    }
    map_put(&r->seen, r->full.v, r->full.n, (int64_t)ini->entries.n);
    vec_push(&ini->entries, entry);
    return true;
}

static bool read_entry(Reader *r)
{
    const Source *source = &r->ini->source;
    IniEntry entry = {.section = r->section, .key_at = r->at, .comment = ""};
    entry.key = read_name(r);
    if (!*entry.key) return diag_at(r->diag, source, r->at, NULL, "expected 'key = value', '[section]' or a comment");
    skip_space(r);
    if (!at_char(r, '=')) return diag_at(r->diag, source, r->at, NULL, "expected '=' after '%s'", entry.key);
    r->at++;
    skip_space(r);
    entry.value_at = r->at;
    while (r->at < r->end && !(at_comment(r) && (r->at == entry.value_at || is_space(source->text[r->at - 1]))))
        r->at++;
    entry.value = trimmed(r, entry.value_at, r->at);
    if (r->at < r->end) entry.comment = trimmed(r, r->at + 1, r->end);
    return add_entry(r, entry);
}

static bool read_line(Reader *r)
{
    const Source *source = &r->ini->source;
    const char *zero = memchr(source->text + r->at, 0, r->end - r->at);
    if (zero)
        return diag_at(r->diag, source, (size_t)(zero - source->text), NULL, "a zero byte: this isn't a text file");
    skip_space(r);
    if (r->at == r->end || at_comment(r)) return true;
    return at_char(r, '[') ? read_section(r) : read_entry(r);
}

bool ini_within(const IniEntry *e, const char *kind)
{
    size_t n = strlen(kind);
    return !strncmp(e->section, kind, n) && (!e->section[n] || e->section[n] == ' ');
}

bool ini_parse(Ini *ini, const char *name, const char *text, size_t length, Diag *diag)
{
    *ini = (Ini){0};
    ini->source = (Source){
        .name = arena_copy(&ini->arena, name), .text = arena_text(&ini->arena, text, length), .length = length};
    text = ini->source.text;
    Reader r = {.ini = ini, .diag = diag, .section = ""};
    // Editors on Windows put a byte order mark in front.
    size_t start = length >= 3 && memcmp(text, "\xef\xbb\xbf", 3) == 0 ? 3 : 0;
    bool good = true;
    while (good && start < length) {
        const char *newline = memchr(text + start, '\n', length - start);
        r.at = start;
        r.end = newline ? (size_t)(newline - text) : length;
        start = r.end + 1;
        good = read_line(&r);
    }
    map_free(&r.seen);
    text_free(&r.full);
    return good;
}

void ini_free(Ini *ini)
{
    vec_free(&ini->entries);
    arena_free(&ini->arena);
    *ini = (Ini){0};
}
