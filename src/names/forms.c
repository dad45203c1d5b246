// forms.c: the forms that a mangled name has for people, from the whole declaration to its last word.
#include "names/unit.h"

#include <stdlib.h>
#include <string.h>

bool demangle(const char *mangled, NameForm form, Text *out)
{
    size_t n = strlen(mangled), from = out->n;
    if (n < 4 || n > NAME_MOST || memcmp(mangled, "_Z", 2)) return false;
    Reader r = {.p = mangled + 2, .end = mangled + n};
    const Node *whole = read_mangled(&r);
    bool ok = whole && write_name(out, whole, form);
    if (ok) text_put(out, r.p);  // the suffix
    if (ok && is_numba(mangled)) numba_tidy(out, from);
    if (!ok && out->n > from) out->n = from, out->v[from] = 0;
    if (!ok && !from) text_free(out);
    vec_free(&r.known);
    arena_free(&r.arena);
    return ok;
}

char *name_shown(const char *name)
{
    Text t = {0};
    return demangle(name, NAME_FULL, &t) ? t.v : mem_text(name);
}

const char *param_own(const char *kernel, const char *param)
{
    const size_t n = strlen(kernel);
    return !strncmp(param, kernel, n) && param[n] == '_' && param[n + 1] ? param + n + 1 : param;
}

char *param_shown(const char *kernel, const char *param)
{
    static const char numbered[] = "param_";
    const char *own = param_own(kernel, param);
    char *end = NULL;
    const bool is_numbered = !strncmp(own, numbered, strlen(numbered));
    const unsigned long number = is_numbered ? strtoul(own + strlen(numbered), &end, 10) : 0;
    const uint32_t argument = end && !*end && number < UINT32_MAX ? numba_argument(kernel, (uint32_t)number) : 0;
    Text t = {0};
    if (!argument) return mem_text(own);
    text_printf(&t, "argument %u", argument);
    return t.v;
}

// Blanks don't count: "f(float *)" is "f(float*)".
static bool same_name(const char *a, const char *b)
{
    for (;; a++, b++) {
        a += strspn(a, " "), b += strspn(b, " ");
        if (*a != *b || !*a) return *a == *b;
    }
}

bool name_means(const char *name, const char *given)
{
    bool means = !strcmp(name, given);
    for (NameForm form = NAME_FULL; form <= NAME_PLAIN && !means; form++) {
        Text t = {0};
        if (demangle(name, form, &t))
            means =
                same_name(t.v, given) || (form == NAME_FULL && !strncmp(t.v, "void ", 5) && same_name(t.v + 5, given));
        text_free(&t);
    }
    return means;
}
