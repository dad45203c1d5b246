// source.c: what a .cu file says of itself before it is compiled.
#include "compile/compile.h"

#include <ctype.h>
#include <string.h>

bool is_cuda_source(const char *path)
{
    const char *dot = strrchr(path, '.');
    return dot && !strcmp(dot, ".cu");
}

static bool in_name(char c) { return isalnum((unsigned char)c) || c == '_'; }

// Steps over a comment, a literal, or one character (C++17 5.3).
static const char *step(const char *p)
{
    if (p[0] == '/' && p[1] == '/') {
        while (*p && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
        return p;
    }
    if (p[0] == '/' && p[1] == '*') {
        const char *end = strstr(p + 2, "*/");
        return end ? end + 2 : p + strlen(p);
    }
    if (*p == '"' || *p == '\'') {
        const char quote = *p++;
        while (*p && *p != quote && *p != '\n') p += p[0] == '\\' && p[1] ? 2 : 1;
        return p + (*p == quote);
    }
    return p + 1;
}

bool has_main(const char *path)
{
    Text text = {0};
    bool found = false, word = false;  // word: a name stands in front, as int does
    if (!text_read_file(&text, path)) return text_free(&text), false;
    for (const char *p = text.v ? text.v : ""; *p && !found;) {
        if (!in_name(*p)) {
            word = word && (isspace((unsigned char)*p) || *p == '/');
            p = step(p);
            continue;
        }
        const char *name = p;
        while (in_name(*p)) p++;
        const size_t n = (size_t)(p - name);
        const char *after = p + strspn(p, " \t\r\n");
        found = word && n == 4 && !memcmp(name, "main", 4) && *after == '(';
        // "return main(…)" and "else main(…)" call it.
        word = !(n == 6 && !memcmp(name, "return", 6)) && !(n == 4 && !memcmp(name, "else", 4));
    }
    text_free(&text);
    return found;
}
