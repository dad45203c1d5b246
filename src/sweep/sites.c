// sites.c: names a CUDA program's memory by the line that asked for it, and by the variable that got its address there.
// addr2line (binutils) finds the line in the debug information. It is a process of its own, with limits: the program is
// a stranger's, and so is that information. The variable is read from the source, if that is still there:
//
//     cudaMalloc(&d_x, n)           d_x
//     d_x = allocate<float>(n)      d_x; inside of allocate, `cudaMalloc(&p, n); return p;` names nothing
#include "sweep/sweep.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { CALLS = 8 };  // lines of the source that are looked at, those of inlined functions too
typedef struct Places {
    Arena arena;
    size_t n;
    const char *file[CALLS];
    unsigned long line[CALLS];
} Places;

// Is it of CUDA's headers, or of the compiler's and the system's?
static bool is_foreign(const char *file)
{
    static const char *const parts[] = {"/usr/include/", "/include/c++/", "/targets/", "/cuda_runtime",
                                        "/crt/",         "/thrust/",      "/cub/"};
    bool found = false;
    for (size_t k = 0; k < COUNT(parts); k++) found |= strstr(file, parts[k]) != NULL;
    return found || *file == '?';
}

// Adds the places of calls in a file, the innermost first. addr2line says FILE:LINE, or FILE:LINE (discriminator 3).
static void find_places(const char *file, const char *const *addresses, Places *p)
{
    const off_t most = 256 << 20;  // addr2line reads all of it
    struct stat info;
    Text said = {0};
    int status = -1;
    if (!strncmp(file, "/usr/", 5) || !strncmp(file, "/lib", 4)) return;  // the system's, such as what calls main
    if (stat(file, &info) || info.st_size > most) return;
    TextList words = {0};
    const char *const first[] = {"timeout", "10", "addr2line", "-i", "-e", file};
    for (size_t k = 0; k < COUNT(first); k++) vec_push(&words, first[k]);
    for (; *addresses; addresses++) vec_push(&words, *addresses);
    vec_push(&words, NULL);
    if (program_run(words.v, "/", &said, &status) && !status)
        for (const char *line = said.v ? said.v : ""; *line && p->n < CALLS;) {
            size_t n = strcspn(line, "\n");
            const char *text = arena_text(&p->arena, line, n);
            char *colon = strrchr(text, ':'), *end = NULL;
            unsigned long number = colon ? strtoul(colon + 1, &end, 10) : 0;
            if (number && end > colon + 1 && !is_foreign(text)) {
                *colon = '\0';
                p->file[p->n] = text, p->line[p->n++] = number;
            }
            line += n + (line[n] == '\n');
        }
    text_free(&said);
    vec_free(&words);
}

// The length of what is assigned to: names, members, and elements, "p->x[k + 1]".
static size_t place_length(const char *p)
{
    size_t n = 0;
    for (int depth = 0; p[n]; n++) {
        if (p[n] == '[') depth++;
        if (p[n] == ']' && --depth < 0) break;
        if (depth || isalnum((unsigned char)p[n]) || strchr("_.]", p[n]) || !strncmp(p + n, "->", 2)) continue;
        if (p[n] == '>' && n && p[n - 1] == '-') continue;
        break;
    }
    return n;
}

// Reads the variable of the call whose arguments begin at p, "&x, …)" or "(void **)&x, …)".
static bool from_argument(const char *p, Text *name)
{
    for (; *p && *p != ',' && *p != ';'; p++) {
        size_t n = *p == '&' && p[1] != '&' ? place_length(p + 1) : 0;
        if (n && !isdigit((unsigned char)p[1])) return text_add(name, p + 1, n), true;
    }
    return false;
}

// Reads the variable of the nth "…alloc…(&x, …)" of a line, counted from 0, or of the last that there is.
static bool from_alloc(const char *line, uint32_t nth, Text *name)
{
    bool found = false;
    for (const char *p = line; (p = strcasestr(p, "alloc")) && (p = strchr(p, '(')); p++) {
        Text one = {0};
        if (from_argument(p + 1, &one)) {
            name->n = 0, found = true;
            text_put(name, one.v);
        }
        text_free(&one);
        if (found && !nth--) break;
    }
    return found;
}

// Reads the variable of "float *x = …(…)".
static bool from_result(const char *line, Text *name)
{
    const char *equals = strchr(line, '=');
    if (!equals || equals[1] == '=' || !strchr(equals, '(')) return false;
    const char *end = equals;
    while (end > line && end[-1] == ' ') end--;
    const char *from = end;
    while (from > line && (isalnum((unsigned char)from[-1]) || strchr("_.]>[-", from[-1]))) from--;
    size_t n = place_length(from);
    return n && from + n == end && !isdigit((unsigned char)*from) && (text_add(name, from, n), true);
}

// Reads a line of the source. False: it isn't there.
static bool read_line(const char *file, unsigned long number, char line[512])
{
    FILE *f = fopen(file, "r");
    bool found = false;
    for (unsigned long k = 0; f && k < number; k += strchr(line, '\n') != NULL)
        if (!(found = fgets(line, 512, f) != NULL)) break;
    if (f) fclose(f);
    return found;
}

// Does a function end soon behind that line, and give the variable to its caller?
static bool is_returned(const char *file, unsigned long number, const Text *name)
{
    char line[512];
    for (unsigned long k = 0; k < 8 && read_line(file, number + k, line); k++) {
        for (const char *p = line; (p = strstr(p, "return ")) != NULL;)
            if (!strncmp(p += strlen("return "), name->v, name->n) && p[name->n] == ';') return true;
    }
    return false;
}

// A call of several lines has the number of one of them.
static bool find_variable(const char *file, unsigned long number, uint32_t nth, Text *name)
{
    static const int near[] = {-1, 1, -2, 2};
    char line[512];
    if (!read_line(file, number, line)) return false;
    if (strcasestr(line, "alloc")) {
        if (from_alloc(line, nth, name) && !is_returned(file, number, name)) return true;
        name->n = 0;
        return from_result(line, name);
    }
    if (from_argument(strchr(line, '(') ? strchr(line, '(') : "", name) || from_result(line, name)) return true;
    for (size_t k = 0; k < COUNT(near); k++)
        if ((long)number + near[k] > 0 && read_line(file, number + (unsigned long)near[k], line) &&
            from_alloc(line, 0, name))
            return true;
    return false;
}

// Reads lines "ADDRESS FILE", of which those of one file that follow one another are looked up at once.
static void read_calls(const char *calls, Places *p)
{
    TextList addresses = {0};
    const char *file = NULL;
    for (const char *line = calls; *line && p->n < CALLS;) {
        char *end;
        size_t n = strcspn(line, "\n");
        unsigned long long at = strtoull(line, &end, 16);
        if (*end == ' ' && end < line + n) {
            const char *of = arena_text(&p->arena, end + 1, (size_t)(line + n - end - 1));
            if (file && strcmp(file, of)) {
                vec_push(&addresses, NULL);
                find_places(file, addresses.v, p);
                addresses.n = 0;
            }
            file = of;
            vec_push(&addresses, arena_printf(&p->arena, "0x%llx", at - 1));  // a call's return address is behind it
        }
        line += n + (line[n] == '\n');
    }
    vec_push(&addresses, NULL);
    if (file) find_places(file, addresses.v, p);
    vec_free(&addresses);
}

void site_name(void *user, const char *calls, bool (*taken)(const void *of, const char *name), const void *of,
               Text *name)
{
    enum { ON_LINE = 4 };  // calls of one line
    Places p = {.n = 0};
    (void)user;
    read_calls(calls, &p);
    for (uint32_t nth = 0; p.n && (!nth || (nth < ON_LINE && taken(of, name->v))); nth++) {
        size_t k = 0;
        name->n = 0;
        while (k < p.n && !find_variable(p.file[k], p.line[k], nth, name)) k++;
        if (k == p.n) k = 0;  // no variable is known: the line alone
        text_printf(name, "%s%s:%lu", name->n ? " " : "", base_name(p.file[k]), p.line[k]);
    }
    arena_free(&p.arena);
}
