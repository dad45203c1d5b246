// numba.c: names that Numba makes of Python's functions. It mangles them as C++ (numba/cuda's "cudapy" names): a
// function has tags that tell its versions apart, and an array is a class with its properties, which a kernel gets as
// several parameters. People know the function and its arguments.
#include "names/unit.h"

#include <stdlib.h>
#include <string.h>

bool is_numba(const char *mangled) { return !strncmp(mangled, "_ZN6cudapy", 10); }

#define LOCALS "_3clocals_3e"  // what C++ can't have in a name stands there as its number

// Takes [abi:…] away: a bracket within it is escaped.
static const char *behind_tag(const char *p)
{
    const char *end = strchr(p, ']');
    return end ? end + 1 : p + 1;
}

// "cudapy::__main__::add[abi:v1](Array<float, 1, C, mutable, aligned>)" becomes "add(Array<float, 1, C>)".
void numba_tidy(Text *t, size_t from)
{
    static const char *const gone[] = {"cudapy::", "__main__::", ", mutable", ", aligned"};
    Text to = {0};
    for (const char *p = t->v + from; *p;) {
        size_t k = 0;
        while (k < COUNT(gone) && strncmp(p, gone[k], strlen(gone[k]))) k++;
        if (k < COUNT(gone))
            p += strlen(gone[k]);
        else if (!strncmp(p, LOCALS, strlen(LOCALS)))  // a function within a function
            text_put(&to, "<locals>"), p += strlen(LOCALS);
        else if (!strncmp(p, "[abi:", 5))
            p = behind_tag(p);
        else
            text_add(&to, p++, 1);
    }
    t->n = from;
    if (t->v) t->v[from] = '\0';
    text_add(t, to.v, to.n);
    text_free(&to);
}

// --- arguments -------------------------------------------------------------------------------------------------------
enum { ARRAY_HEAD = 5, DATA = 4 };  // of an array: five values, of which the last is where it lies; sizes and strides

// How many parameters a type takes; 0: it isn't known.
static uint32_t params_of(const char *type, size_t n)
{
    static const char *const plain[] = {
        "bool", "char",          "signed char", "unsigned char",      "short", "unsigned short", "int", "unsigned int",
        "long", "unsigned long", "long long",   "unsigned long long", "float", "double"};
    for (size_t k = 0; k < COUNT(plain); k++)
        if (strlen(plain[k]) == n && !memcmp(plain[k], type, n)) return 1;
    if (n < 8 || strncmp(type, "Array<", 6)) return 0;
    const char *comma = memchr(type, ',', n);
    const unsigned long dims = comma ? strtoul(comma + 1, NULL, 10) : 0;
    return dims && dims <= 32 ? ARRAY_HEAD + 2 * (uint32_t)dims : 0;
}

static size_t type_end(const char *p)
{
    int depth = 0;
    size_t n = 0;
    for (; p[n] && (depth || (p[n] != ',' && p[n] != ')')); n++) depth += p[n] == '<' ? 1 : p[n] == '>' ? -1 : 0;
    return n;
}

// Which argument parameter `param` belongs to, from 1 on; 0: it isn't known, or is no data.
uint32_t numba_argument(const char *mangled, uint32_t param)
{
    Text t = {0};
    uint32_t at = 0, argument = 0, found = 0;
    if (!is_numba(mangled) || !demangle(mangled, NAME_FULL, &t)) return 0;
    const char *p = strchr(t.v, '(');
    while (p && *p && *p != ')' && !found) {
        p += 1 + (p[1] == ' ');
        const size_t n = type_end(p);
        const uint32_t takes = params_of(p, n);
        argument++;
        if (!takes) break;
        if (param >= at && param < at + takes && (takes == 1 || param == at + DATA)) found = argument;
        at += takes, p += n;
    }
    text_free(&t);
    return found;
}
