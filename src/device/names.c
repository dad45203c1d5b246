// names.c: names of parameters as the source has them. nvcc numbers them in its PTX, _Z5saxpyifPf_param_0. Where it was
// asked for lines (-lineinfo), a kernel's first line stands in its file behind the parameters, so these can be read
// there. What is read is a stranger's text: of a file that has another kernel, or none, nothing is taken, and of a
// module no more is read than LOOKED bytes, however often.
#include "names/names.h"
#include "device/sim.h"
#include "ptx/ptx.h"

#include <ctype.h>
#include <string.h>

enum { MOST = 64, LOOKED = 64 << 20, LONGEST = 4096 };  // parameters of a kernel; bytes; those of its parentheses

static bool in_word(char c) { return isalnum((unsigned char)c) || c == '_'; }

// The bytes of comments become blanks, so that what is behind them is found as code.
static void without_comments(Text *source)
{
    char *p = source->n ? source->v : NULL;
    while (p && *p) {
        const bool line = p[0] == '/' && p[1] == '/', block = p[0] == '/' && p[1] == '*';
        char *end = line ? p + strcspn(p, "\n") : block ? strstr(p + 2, "*/") : NULL;
        if (block) end = end ? end + 2 : p + strlen(p);
        for (; end && p < end; p++)
            if (*p != '\n') *p = ' ';
        if (!end) p++;
    }
}

// The parenthesis that closes the one at p; null: none does within LONGEST bytes.
static const char *closing(const char *p)
{
    int depth = 0;
    for (const char *end = p + LONGEST; *p && p < end; p++) {
        depth += (*p == '(') - (*p == ')');
        if (!depth) return p;
    }
    return NULL;
}

// The parenthesis at which the parameters of the kernel begin that is nearest above a line, or in it.
static const char *find_head(const Text *source, const char *name, uint32_t line, size_t *looked)
{
    const size_t n = strlen(name);
    const char *found = NULL, *end = source->v;
    for (; end && line; line--) end = strchr(end, '\n'), end = end ? end + 1 : NULL;
    for (const char *at = source->v; (at = strstr(at, name)) && (!end || at < end); at += n) {
        const char *open = at + n + strspn(at + n, " \t\r\n"), *close;
        if ((*looked += LONGEST) > LOOKED) return NULL;
        if (in_word(at[n]) || *open != '(' || !(close = closing(open))) continue;
        if (close[1 + strspn(close + 1, " \t\r\n")] == '{') found = open;
    }
    return found;
}

static bool is_type(const char *word, size_t n)
{
    static const char *const types[] = {"void",  "bool",     "char",         "short",   "int",
                                        "long",  "float",    "double",       "signed",  "unsigned",
                                        "const", "volatile", "__restrict__", "restrict"};
    for (size_t k = 0; k < COUNT(types); k++)
        if (strlen(types[k]) == n && !memcmp(types[k], word, n)) return true;
    return false;
}

// The name in "float *__restrict__ x", "int n = 3" or "float m[4]": the last word that is no part of a type. False:
// there is none.
static bool own_name(const char *from, const char *to, const char **name, size_t *length)
{
    const char *end = memchr(from, '=', (size_t)(to - from));
    int words = 0;
    end = end ? end : memchr(from, '[', (size_t)(to - from));
    end = end ? end : to;
    *length = 0;
    for (const char *p = from; p < end;) {
        if (!in_word(*p)) {
            p++;
            continue;
        }
        const char *start = p;
        while (p < end && in_word(*p)) p++;
        words++;
        *length = is_type(start, (size_t)(p - start)) ? 0 : (size_t)(p - start), *name = start;
    }
    return words > 1 && *length && !isdigit((unsigned char)**name);
}

// Reads names between parentheses. Gives back how many parameters these are; 0: one has no name.
static uint32_t read_names(const char *open, const char **name, size_t *length)
{
    uint32_t n = 0;
    int depth = 0;
    const char *close = closing(open), *from = open + 1;
    for (const char *p = from; p <= close; p++) {
        if ((*p == ',' && !depth) || p == close) {
            if (n == MOST || !own_name(from, p, &name[n], &length[n])) return 0;
            n++, from = p + 1;
        }
        depth += (strchr("(<[{", *p) != NULL) - (strchr(")>]}", *p) != NULL);
    }
    return n;
}

static bool same_names(const char *const *name, const size_t *length, uint32_t a, uint32_t b)
{
    return length[a] == length[b] && !memcmp(name[a], name[b], length[a]);
}

// Has the compiler numbered all of them?
static bool numbered(const Function *f)
{
    for (size_t p = 0; p < f->params.n; p++) {
        char number[32];
        snprintf(number, sizeof number, "param_%zu", p);
        if (strcmp(param_own(f->symbol->name, f->params.v[p]->name), number)) return false;
    }
    return f->params.n && f->params.n <= MOST;
}

// The place of the function's first instruction that has one, outside of what was inlined.
static const char *first_line(const Module *m, const Function *f, uint32_t *line)
{
    for (size_t k = 0; k < f->insts.n; k++) {
        const Loc *l = f->insts.v[k].loc ? &m->locs.v[f->insts.v[k].loc - 1] : NULL;
        if (!l || !l->line) continue;
        *line = l->at_line ? l->at_line : l->line;
        return file_named(m, l->at_line ? l->at_file : l->file);
    }
    return NULL;
}

void names_of_source(Module *m)
{
    Text source = {0};
    const char *last = NULL;
    size_t looked = 0;
    for (size_t k = 0; k < m->symbols.n && looked < LOOKED; k++) {
        Function *f = m->symbols.v[k]->function;
        uint32_t line = 0;
        const char *file = f && f->entry && f->has_body && numbered(f) ? first_line(m, f, &line) : NULL;
        if (!file) continue;
        if (!last || strcmp(last, file)) {
            source.n = 0, last = file;
            if (source_read(file, &source)) without_comments(&source);
            looked += source.n;
        }
        Text plain = {0};
        const char *name[MOST], *open = NULL;
        size_t length[MOST];
        if (!demangle(f->symbol->name, NAME_PLAIN, &plain)) text_put(&plain, f->symbol->name);
        looked += source.n;
        if (source.n) open = find_head(&source, plain.v, line, &looked);
        bool good = open && read_names(open, name, length) == f->params.n;
        for (uint32_t a = 0; good && a < f->params.n; a++)
            for (uint32_t b = 0; b < a; b++) good = good && !same_names(name, length, a, b);
        for (size_t p = 0; good && p < f->params.n; p++)
            f->params.v[p]->name = arena_printf(&m->arena, "%s_%.*s", f->symbol->name, (int)length[p], name[p]);
        text_free(&plain);
    }
    text_free(&source);
}
