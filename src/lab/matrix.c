// matrix.c: axes and their product. Everything that is written in a matrix is text until a cell is made of it, and then
// each axis changes one thing: what its name says.
#include "lab/lab.h"

#include <ctype.h>
#include <string.h>

static char *copy(Matrix *m, const char *text, size_t n) { return arena_text(&m->arena, text, n); }

// Values between commas, without the blanks around them; braces hold one together that has commas.
static bool split(Matrix *m, Axis *a, const char *text, Diag *diag)
{
    while (*text) {
        while (isspace((unsigned char)*text)) text++;
        const char *end = text;
        int depth = 0;
        for (; *end && (*end != ',' || depth); end++) depth += (*end == '{') - (*end == '}');
        if (depth) return diag_error(diag, "%s: '{' without '}' in '%s'", a->name, text);
        size_t n = (size_t)(end - text);
        while (n && isspace((unsigned char)text[n - 1])) n--;
        if (n >= 2 && text[0] == '{' && text[n - 1] == '}') text++, n -= 2;
        if (!n) return diag_error(diag, "%s has an empty value", a->name);
        vec_push(&a->values, copy(m, text, n));
        text = *end ? end + 1 : end;
    }
    return a->values.n || diag_error(diag, "%s has no value", a->name);
}

bool matrix_axis(Matrix *m, const char *name, const char *values, Diag *diag)
{
    if (!strcmp(name, "workload")) name = "program";
    Axis *a = NULL;
    for (size_t k = 0; k < m->axes.n; k++)
        if (!strcmp(m->axes.v[k].name, name)) a = &m->axes.v[k];
    if (a) {
        a->values.n = 0;
    } else {
        Axis fresh = {.name = copy(m, name, strlen(name))};
        vec_push(&m->axes, fresh);
        a = &m->axes.v[m->axes.n - 1];
    }
    return split(m, a, values, diag);
}

typedef VEC(const char *) Texts;
static bool number(const char *name, const char *text, uint64_t *out, Diag *diag)
{
    return parse_size(text, out) || diag_error(diag, "%s: a whole number is expected, not '%s'", name, text);
}
static bool choice(const char *name, const char *text, const char *no, const char *yes, bool *out, Diag *diag)
{
    *out = !strcmp(text, yes);
    return *out || !strcmp(text, no) || diag_error(diag, "%s is %s or %s, not '%s'", name, no, yes, text);
}

// "atax nx=64": the program and parameters of its own.
static void program(Matrix *m, Cell *c, const char *value, Texts *params)
{
    size_t n = strcspn(value, " \t");
    c->program = copy(m, value, n);
    for (const char *p = value + n; *(p += strspn(p, " \t"));) {
        size_t length = strcspn(p, " \t");
        vec_push(params, copy(m, p, length));
        p += length;
    }
}

static bool apply(Matrix *m, Cell *c, const char *name, const char *value, Texts *params, Texts *sets, Diag *diag);

// "large: l1.size=48KiB n=64": its label and what it stands for. Without a label the text is its own.
static bool together(Matrix *m, Cell *c, const char *value, Texts *params, Texts *sets, Diag *diag)
{
    const char *colon = strchr(value, ':');
    for (const char *p = colon ? colon + 1 : value; *(p += strspn(p, " \t"));) {
        size_t n = strcspn(p, " \t"), equals = strcspn(p, "=");
        if (equals >= n) return diag_error(diag, "with: name=value is expected, not '%.*s'", (int)n, p);
        if (!apply(m, c, copy(m, p, equals), copy(m, p + equals + 1, n - equals - 1), params, sets, diag)) return false;
        p += n;
    }
    return true;
}

static bool apply(Matrix *m, Cell *c, const char *name, const char *value, Texts *params, Texts *sets, Diag *diag)
{
    bool yes;
    if (!strcmp(name, "verb")) return c->verb = value, true;
    if (!strcmp(name, "program")) return program(m, c, value, params), true;
    if (!strcmp(name, "with")) return together(m, c, value, params, sets, diag);
    if (!strcmp(name, "ptx")) return c->ptx = value, true;
    if (!strcmp(name, "gpu")) return c->gpu = value, true;
    if (!strcmp(name, "kernels")) return c->kernels = value, true;
    if (!strcmp(name, "skip")) return number(name, value, &c->skip, diag);
    if (!strcmp(name, "max-cycles")) return number(name, value, &c->max_cycles, diag);
    if (!strcmp(name, "interval")) return number(name, value, &c->interval, diag);
    if (!strcmp(name, "size")) return choice(name, value, "standard", "small", &c->small, diag);
    if (!strcmp(name, "functional")) return choice(name, value, "no", "yes", &c->functional, diag);
    if (!strcmp(name, "lowering")) {
        bool ok = choice(name, value, "no", "yes", &yes, diag);
        c->no_lowering = !yes;
        return ok;
    }
    const char *text = arena_printf(&m->arena, "%s=%s", setting_name(name), value);
    if (strchr(setting_name(name), '.')) vec_push(sets, text);
    else vec_push(params, text);
    return true;
}

static const char *const *list(Matrix *m, const Texts *t)
{
    if (!t->n) return NULL;
    const char **out = arena_alloc(&m->arena, sizeof *out * (t->n + 1));
    memcpy(out, t->v, sizeof *out * t->n);
    return out;
}

bool matrix_product(Matrix *m, Diag *diag)
{
    size_t n = m->axes.n;
    size_t *at = mem_alloc(sizeof *at * (n + 1));
    bool ok = true, more = n > 0;
    while (ok && more) {
        Cell c = {.verb = "run", .gpu = "gtx480"};
        Texts params = {0}, sets = {0}, labels = {0};
        for (size_t k = 0; k < n && ok; k++) {
            const char *name = m->axes.v[k].name, *value = m->axes.v[k].values.v[at[k]];
            ok = apply(m, &c, name, value, &params, &sets, diag);
            size_t label = strcmp(name, "with") || !strchr(value, ':') ? strlen(value) : strcspn(value, ":");
            vec_push(&labels, arena_printf(&m->arena, "%s=%.*s", name, (int)label, value));
        }
        if (ok && !c.program) ok = diag_error(diag, "which program? a matrix needs program = NAME, …");
        c.params = list(m, &params);
        c.sets = list(m, &sets);
        c.labels = list(m, &labels);
        vec_free(&params), vec_free(&sets), vec_free(&labels);
        if (ok) vec_push(&m->cells, c);
        size_t k = n;
        while (k > 0 && ++at[k - 1] == m->axes.v[k - 1].values.n) at[--k] = 0;
        more = k > 0;
    }
    mem_free(at);
    for (size_t k = 0; k < n; k++) vec_free(&m->axes.v[k].values);
    m->axes.n = 0;
    return ok;
}

bool matrix_take(Matrix *m, const Ini *ini, const char *kind, Diag *diag)
{
    const char *section = NULL;
    size_t n = strlen(kind);
    bool ok = true;
    for (size_t k = 0; ok && k < ini->entries.n; k++) {
        const IniEntry *e = &ini->entries.v[k];
        if (strncmp(e->section, kind, n) || (e->section[n] && e->section[n] != ' ')) continue;
        if (section && strcmp(section, e->section)) ok = matrix_product(m, diag);
        section = e->section;
        Diag inner = {0};
        if (ok && !matrix_axis(m, e->key, e->value, &inner)) ok = diag_at(diag, &ini->source, e->value_at, NULL, "%s", inner.text.v + strlen("error: "));
        diag_free(&inner);
    }
    if (ok && !section) ok = diag_error(diag, "%s has no [%s]", ini->source.name, kind);
    return ok && matrix_product(m, diag);
}

bool matrix_read(Matrix *m, const char *path, Diag *diag)
{
    Text text = {0};
    Ini ini = {0};
    if (!text_read_file(&text, path)) return diag_error(diag, "can't read %s", path);
    bool ok = ini_parse(&ini, path, text.v ? text.v : "", text.n, diag) && matrix_take(m, &ini, "matrix", diag);
    ini_free(&ini);
    text_free(&text);
    return ok;
}

void matrix_free(Matrix *m)
{
    for (size_t k = 0; k < m->axes.n; k++) vec_free(&m->axes.v[k].values);
    vec_free(&m->axes), vec_free(&m->cells);
    arena_free(&m->arena);
}
