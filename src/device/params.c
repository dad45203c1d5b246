// params.c: a kernel's parameters as oc_kernel_info has them: of the PTX, and of the kernel's name in C++.
#include "device/unit.h"
#include "names/names.h"
#include "ptx/ir.h"

#include <string.h>

// "float*" of "float const*": const says nothing of what an argument is.
static const char *without_const(Arena *arena, const char *type, size_t n)
{
    Text t = {0};
    const char *word = "const";
    for (size_t k = 0; k < n;) {
        const bool here = n - k >= 5 && !memcmp(type + k, word, 5) && (n - k == 5 || strchr(" *&", type[k + 5])) &&
                          (!k || type[k - 1] == ' ');
        if (here && t.n && t.v[t.n - 1] == ' ') t.n--;
        if (here) k += 5;
        if (here && !t.n) k += k < n && type[k] == ' ';
        if (!here) text_add(&t, &type[k++], 1);
    }
    const char *kept = arena_text(arena, t.n ? t.v : "", t.n);
    text_free(&t);
    return kept;
}

// The types of "void saxpy<float>(int, float, float const*)". They are kept if there is one for each parameter.
static void params_declared(ParamTable *t, const char *kernel)
{
    Text shown = {0};
    const char **types = arena_alloc(&t->arena, sizeof *types * (t->n + 1));
    uint32_t n = 0;
    int depth = 0;
    const char *open = NULL, *from = NULL;
    if (demangle(kernel, NAME_FULL, &shown))
        for (const char *p = shown.v; *p; p++) {  // the last parenthesis at the outermost level
            if (*p == '(' && !depth) open = p;
            depth += (strchr("(<[", *p) != NULL) - (strchr(")>]", *p) != NULL);
        }
    depth = 0;
    for (const char *p = open ? from = open + 1 : NULL; p && *p && n <= t->n; p++) {
        const bool ends = !depth && (*p == ',' || *p == ')');
        if (ends && p > from && n++ < t->n) types[n - 1] = without_const(&t->arena, from, (size_t)(p - from));
        if (ends && *p == ')') break;
        if (ends) from = p + 1 + (p[1] == ' ');
        depth += (strchr("(<[", *p) != NULL) - (strchr(")>]", *p) != NULL);
    }
    t->declared = open && n == t->n ? types : NULL;
    text_free(&shown);
}

void params_read(ParamTable *t, const Function *f)
{
    t->n = (uint32_t)f->params.n;
    t->sizes = arena_alloc(&t->arena, sizeof *t->sizes * (t->n + 1));
    t->names = arena_alloc(&t->arena, sizeof *t->names * (t->n + 1));
    t->types = arena_alloc(&t->arena, sizeof *t->types * (t->n + 1));
    for (uint32_t p = 0; p < t->n; p++) {
        const Symbol *s = f->params.v[p];
        const char *type = type_info[s->type].name;
        t->sizes[p] = (uint32_t)s->bytes, t->names[p] = s->name;
        bool shared = s->ptr && !strncmp(s->attributes, ".ptr .shared", 12);
        t->types[p] = s->array ? arena_printf(&t->arena, "%s[%llu]", type, (unsigned long long)s->elements)
                      : shared ? arena_printf(&t->arena, "%s .ptr .shared", type)
                               : type;
    }
    params_declared(t, f->symbol->name);
}

void params_free(ParamTable *t) { arena_free(&t->arena); }
