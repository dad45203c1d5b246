// matrix.c: axes and their product. What is written in a matrix stays text until a cell is made of it. Then each axis
// sets the one part of the cell that its name says. Each text's place in its file is kept, so that an error can show
// it. A cell that asks for a search becomes one cell for each candidate. Its texts and description alone decide which
// ones, so that every rank of mpirun has the same cells.
#include "driver/fatbin.h"
#include "gpu/gpu.h"
#include "sweep/unit.h"

#include <ctype.h>
#include <errno.h>
#include <string.h>

static char *copy(Matrix *m, const char *text, size_t n) { return arena_text(&m->arena, text, n); }

// --- where a text was written ----------------------------------------------------------------------------------------
static void note(Matrix *m, const char *text, Origin o)
{
    if (!o.source) return;
    map_put(&m->by_text, (const char *)&text, sizeof text, (int64_t)m->origins.n);
    vec_push(&m->origins, o);
}

static Origin origin(const Matrix *m, const char *text)
{
    int64_t at;
    return map_get(&m->by_text, (const char *)&text, sizeof text, &at) ? m->origins.v[at] : (Origin){.source = NULL};
}

// Notes that part stands in text at offset. Its name stands at the offset `name`; SIZE_MAX: it has the name of text.
static void note_part(Matrix *m, const char *part, const char *text, size_t name, size_t offset)
{
    Origin o = origin(m, text);
    if (name != SIZE_MAX) o.name_at = o.at + name;
    o.at += offset;
    note(m, part, o);
}

static bool refuse(Origin o, Diag *diag, const char *format, ...) __attribute__((format(printf, 3, 4)));
static bool refuse(Origin o, Diag *diag, const char *format, ...)
{
    va_list args;
    Text t = {0};
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    if (o.source)
        diag_at(diag, o.source, o.at, NULL, "%s", t.v);
    else
        diag_error(diag, "%s", t.v);
    text_free(&t);
    return false;
}

// --- axes ------------------------------------------------------------------------------------------------------------
static const char *plain(Matrix *m, const char *word, size_t n)
{
    Text t = {0};
    word_plain(&t, word, n);
    const char *text = copy(m, t.v, t.n);
    text_free(&t);
    return text;
}

// A value in quotes is what stands in them. But args has words, some of which may stand in quotes; and so have programs
// and settings together.
static const char *value_in(Matrix *m, const char *name, const char *text, size_t n)
{
    static const char *const words[] = {"args", "program", "measure", "with"};
    bool one = *text == '"' && word_length(text) >= n;
    for (size_t k = 0; k < COUNT(words); k++) one &= strcmp(name, words[k]) != 0;
    return one ? plain(m, text, n) : copy(m, text, n);
}

// Splits text into values at its commas. o: the origin of the whole text. Of autotune a number belongs to the value
// before: "threads=128,256, no" has two values.
static bool split(Matrix *m, Axis *a, const char *text, Origin o, Diag *diag)
{
    const char *start = text;
    size_t first = o.at;
    const char *from = NULL;  // of the value before
    bool lists = !strcmp(a->name, "autotune");
    ListValue v;
    if (!text[strspn(text, " \t")]) return refuse(o, diag, "%s has no value", a->name);
    while (list_next(&text, &v)) {
        bool more = lists && from && v.n && !isalpha((unsigned char)*v.at);
        o.at = first + (size_t)((v.wrong || !more ? v.at : from) - start);
        if (v.wrong) return refuse(o, diag, "%s: %s", a->name, v.wrong);
        if (!v.n) return refuse(o, diag, "%s has an empty value", a->name);
        if (!more) from = v.at;
        const char *value = value_in(m, a->name, from, (size_t)(v.at + v.n - from));
        if (more) a->values.n--;
        note(m, value, o);
        vec_push(&a->values, value);
    }
    return true;
}

static bool add_axis(Matrix *m, const char *name, const char *values, Origin o, Diag *diag)
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
    return split(m, a, values, o, diag);
}

bool matrix_axis(Matrix *m, const char *name, const char *values, Diag *diag)
{
    return add_axis(m, name, values, (Origin){.source = NULL}, diag);
}

typedef VEC(const char *) Texts;
bool matrix_pair(Matrix *m, const char *text, Diag *diag)
{
    const char *equals = strchr(text, '=');
    if (!equals) return diag_error(diag, "'%s': name=value,… is expected", text);
    return matrix_axis(m, copy(m, text, (size_t)(equals - text)), equals + 1, diag);
}

// Sets a field of run.def. The software L1 is off where its axis says no.
static bool set_field(const Matrix *m, Cell *c, const SetupOption *o, const char *value, Diag *diag)
{
    Diag why = {0};
    const bool off = o == &setup_options[OPT_SL1] && !strcmp(value, "no");
    bool ok =
        setup_set(&c->how, o, off ? NULL : value, NAMES_AXIS, &why) || refuse(origin(m, value), diag, "%s", why.text.v);
    diag_free(&why);
    return ok;
}

// Reads "./app -n 64": a CUDA program with its arguments, whatever they look like. False: there is no such program.
static bool cuda_program(Matrix *m, Cell *c, const char *value, Texts *params)
{
    size_t n = word_length(value);
    const char *name = plain(m, value, n);
    if (!strchr(name, '/') || !elf_program(name)) return false;
    c->program = name;
    note_part(m, name, value, SIZE_MAX, 0);
    const char *rest = value + n + strspn(value + n, " \t");
    if (!*rest) return true;
    const char *param = arena_printf(&m->arena, "args=%s", rest);
    note_part(m, param, value, (size_t)(rest - value), (size_t)(rest - value));
    vec_push(params, param);
    return true;
}

// Reads "atax nx=64": a program, with parameters that it alone has.
static void program(Matrix *m, Cell *c, const char *value, Texts *params)
{
    if (cuda_program(m, c, value, params)) return;
    size_t n = setting_length(value);
    c->program = plain(m, value, n);
    note_part(m, c->program, value, SIZE_MAX, 0);
    for (const char *p = value + n; *(p += strspn(p, " \t"));) {
        size_t length = setting_length(p), at = (size_t)(p - value), equals = strcspn(p, "=");
        const char *name = copy(m, p, equals);
        const char *param =
            arena_printf(&m->arena, "%s=%s", name, value_in(m, name, p + equals + 1, length - equals - 1));
        note_part(m, param, value, at, at + equals + 1);
        vec_push(params, param);
        p += length;
    }
}

static bool apply(Matrix *m, Cell *c, const char *name, const char *value, Texts *params, Texts *sets, Diag *diag);

// Reads "large: l1.size=48KiB n=64": a label and the settings it stands for. Without a label the settings' text is it.
static bool together(Matrix *m, Cell *c, const char *value, Texts *params, Texts *sets, Diag *diag)
{
    const char *colon = strchr(value, ':');
    for (const char *p = colon ? colon + 1 : value; *(p += strspn(p, " \t"));) {
        size_t n = setting_length(p), equals = strcspn(p, "=");
        size_t at = (size_t)(p - value);
        Origin o = origin(m, value);
        o.at += at;
        if (equals >= n) return refuse(o, diag, "with: name=value is expected, not '%.*s'", (int)n, p);
        const char *name = copy(m, p, equals), *one = value_in(m, name, p + equals + 1, n - equals - 1);
        note_part(m, one, value, at, at + equals + 1);
        if (!apply(m, c, name, one, params, sets, diag)) return false;
        p += n;
    }
    return true;
}

// Notes that a cell asks for a search.
static bool ask(Matrix *m, Cell *c, const Knob *knob, const char *value, Texts *sets, Diag *diag)
{
    if (c->knob && c->knob != knob)
        return refuse(origin(m, value), diag, "%s=%s and %s=%s don't go together: one thing is tuned at a time",
                      c->knob->axis, c->knob->value, knob->axis, knob->value);
    c->knob = knob, c->asked = value;
    if (!knob->set) return true;
    const char *set = copy(m, knob->set, strlen(knob->set));
    note_part(m, set, value, SIZE_MAX, 0);
    vec_push(sets, set);
    return true;
}

static bool no_knob(const Matrix *m, const char *axis, const char *value, Diag *diag)
{
    Text names = {0};
    for (size_t k = 0; k < knob_count; k++)
        if (!strcmp(knobs[k].axis, axis)) text_printf(&names, "%s%s", names.n ? ", " : "", knobs[k].value);
    refuse(origin(m, value), diag, "%s takes %s, with =N,… behind it or without, or no; not '%s'", axis, names.v,
           value);
    text_free(&names);
    return false;
}

static bool apply(Matrix *m, Cell *c, const char *name, const char *value, Texts *params, Texts *sets, Diag *diag)
{
    const Knob *knob = knob_named(name, value);
    if (knob) return ask(m, c, knob, value, sets, diag);
    if (!strcmp(name, "autotune")) return !strcmp(value, "no") || no_knob(m, name, value, diag);
    if (!strcmp(name, "verb")) return c->verb = value, true;
    if (!strcmp(name, "program")) return program(m, c, value, params), true;
    if (!strcmp(name, "measure")) return c->verb = "probe", program(m, c, value, params), true;
    if (!strcmp(name, "with")) return together(m, c, value, params, sets, diag);
    if (!strcmp(name, "gpu")) return c->gpu = value, true;
    const SetupOption *option = setup_axis(name);
    if (option && option->field) return set_field(m, c, option, value, diag);
    const char *text = arena_printf(&m->arena, "%s=%s", setting_name(name), value);
    note_part(m, text, value, SIZE_MAX, 0);
    if (strchr(setting_name(name), '.'))
        vec_push(sets, text);
    else
        vec_push(params, text);
    return true;
}

// --- cells -----------------------------------------------------------------------------------------------------------
static const char *const *list(Matrix *m, const Texts *t)
{
    if (!t->n) return NULL;
    const char **out = arena_alloc(&m->arena, sizeof *out * (t->n + 1));
    memcpy(out, t->v, sizeof *out * t->n);
    return out;
}

static uint64_t most_cells(const Matrix *m) { return m->most ? m->most : MOST_CELLS; }

// Checks that the product's cells, with those of earlier products, aren't too many to hold. Searches make more of them,
// which are checked when they are added.
static bool check_size(const Matrix *m, Diag *diag)
{
    uint64_t most = most_cells(m), cells = 1;
    double about = 1;  // the number of cells, which may be beyond 64 bits
    Text axes = {0}, count = {0};
    bool fits = true;
    for (size_t k = 0; k < m->axes.n; k++) {
        size_t values = m->axes.v[k].values.n;
        fits &= !__builtin_mul_overflow(cells, (uint64_t)values, &cells);
        about *= (double)values;
        if (values > 1) text_printf(&axes, "%s%s (%zu)", axes.n ? " × " : "", m->axes.v[k].name, values);
    }
    if (fits)
        text_printf(&count, "%llu", (unsigned long long)cells);
    else
        text_printf(&count, "%.3g", about);
    bool ok = fits && cells <= most && m->cells.n <= most - cells;
    if (!ok && m->cells.n)
        diag_error(diag,
                   "a matrix has %llu cells at most, not the %zu of its other parts and %s more: %s\nhint: "
                   "--cells allows more",
                   (unsigned long long)most, m->cells.n, count.v, axes.n ? axes.v : "of one value each");
    else if (!ok)
        diag_error(diag, "a matrix has %llu cells at most, not %s: %s\nhint: --cells allows more",
                   (unsigned long long)most, count.v, axes.n ? axes.v : "of one value each");
    text_free(&axes), text_free(&count);
    return ok;
}

// Finds the candidates that a cell asks for. Where the description can't be read, there are none.
static bool find_numbers(const Matrix *m, const Cell *c, Numbers *out, Diag *diag)
{
    const char *wrong = knob_list(c->knob, c->asked, out);
    if (wrong) {
        Origin o = origin(m, c->asked);
        o.at += (size_t)(wrong - c->asked);
        return refuse(o, diag, "%s %s: '%.*s' isn't a whole number", c->knob->axis, c->asked, (int)strcspn(wrong, ","),
                      wrong);
    }
    Gpu g;
    Diag why = {0};
    if (!out->n && gpu_load(&g, c->gpu, c->sets, &why)) c->knob->find(&g, out), gpu_free(&g);
    diag_free(&why);
    return true;
}

static bool is_set(const char *set, const char *key)
{
    size_t n = strlen(key);
    return !strncmp(set, key, n) && set[n] == '=';
}

// Adds the cells of a search. A candidate's setting takes the place of an earlier one for the same key. Where there are
// no candidates, one cell stays, so that matrix_plan says what is wrong with its description.
static void add_search(Matrix *m, Cell *c, const Texts *sets, const Numbers *numbers)
{
    const char *key = c->knob->key;
    Texts own = {0};
    vec_push(&m->searches, ((Search){c->knob, m->cells.n, MAX(numbers->n, 1u)}));
    if (!numbers->n) vec_push(&m->cells, *c);
    for (size_t k = 0; k < sets->n; k++)
        if (!is_set(sets->v[k], key)) vec_push(&own, sets->v[k]);
    vec_push(&own, NULL);
    for (size_t k = 0; k < numbers->n; k++) {
        const Number *n = &numbers->v[k];
        const char *set = own.v[own.n - 1] = arena_printf(&m->arena, "%s=%u", key, n->value);
        note_part(m, set, c->asked, SIZE_MAX, n->at);
        c->sets = list(m, &own), c->number = n->value;
        vec_push(&m->cells, *c);
    }
    vec_free(&own);
}

static bool add_cells(Matrix *m, Cell *c, const Texts *sets, Diag *diag)
{
    Numbers numbers = {0};
    c->sets = list(m, sets);
    bool ok = !c->knob || !strcmp(c->verb, "run") ||
              refuse(origin(m, c->asked), diag, "%s=%s compares cycles of kernels, which a measurement doesn't have",
                     c->knob->axis, c->knob->value);
    ok = ok && (!c->knob || find_numbers(m, c, &numbers, diag));
    if (ok && MAX(numbers.n, 1u) > most_cells(m) - m->cells.n)
        ok = diag_error(diag,
                        "a matrix has %llu cells at most, and a search has one for each number that it tries\n"
                        "hint: --cells allows more",
                        (unsigned long long)most_cells(m));
    if (ok && c->knob) add_search(m, c, sets, &numbers);
    if (ok && !c->knob) vec_push(&m->cells, *c);
    vec_free(&numbers);
    return ok;
}

static bool has_axis(const Matrix *m, const char *name)
{
    for (size_t k = 0; k < m->axes.n; k++)
        if (!strcmp(m->axes.v[k].name, name)) return true;
    return false;
}

bool matrix_product(Matrix *m, Diag *diag)
{
    if (!check_size(m, diag)) return false;
    size_t n = m->axes.n;
    size_t *at = mem_alloc(sizeof *at * (n + 1));
    bool ok = true, more = n > 0;
    while (ok && more) {
        Cell c = {.verb = "run", .gpu = OC_DEFAULT_GPU};
        Texts params = {0}, sets = {0}, labels = {0};
        for (size_t k = 0; k < n && ok; k++) {
            const char *name = m->axes.v[k].name, *value = m->axes.v[k].values.v[at[k]];
            ok = apply(m, &c, name, value, &params, &sets, diag);
            size_t label = strcmp(name, "with") || !strchr(value, ':') ? strlen(value) : strcspn(value, ":");
            vec_push(&labels, arena_printf(&m->arena, "%s=%.*s", name, (int)label, value));
        }
        if (ok && has_axis(m, "program") && has_axis(m, "measure"))
            ok = diag_error(diag, "program and measure don't go together: a run is one of a program or a measurement\n"
                                  "hint: two sections [matrix], or two sweeps");
        if (ok && !c.program)
            ok = diag_error(diag, "which program? a matrix needs program = NAME, … or measure = NAME, …");
        c.params = list(m, &params);
        c.labels = list(m, &labels);
        ok = ok && add_cells(m, &c, &sets, diag);
        vec_free(&params), vec_free(&sets), vec_free(&labels);
        size_t k = n;
        while (k > 0 && ++at[k - 1] == m->axes.v[k - 1].values.n) at[--k] = 0;
        more = k > 0;
    }
    mem_free(at);
    for (size_t k = 0; k < n; k++) vec_free(&m->axes.v[k].values);
    m->axes.n = 0;
    return ok;
}

// --- files -----------------------------------------------------------------------------------------------------------
// A copy of where a file's texts stand. It outlives the file, for cells that turn out to be wrong.
static Source *keep_source(Matrix *m, const Ini *ini)
{
    Source *source = arena_alloc(&m->arena, sizeof *source);
    *source = (Source){.name = copy(m, ini->source.name, strlen(ini->source.name)),
                       .text = copy(m, ini->source.text, ini->source.length),
                       .length = ini->source.length};
    return source;
}

// Ends a section: the axes of over's sections [KIND …] replace those of the same name.
static bool end_section(Matrix *m, const Ini *over, const Source *source, const char *kind, Diag *diag)
{
    bool ok = true;
    for (size_t k = 0; over && ok && k < over->entries.n; k++) {
        const IniEntry *e = &over->entries.v[k];
        if (ini_within(e, kind)) ok = add_axis(m, e->key, e->value, (Origin){source, e->value_at, e->key_at}, diag);
    }
    return ok && matrix_product(m, diag);
}

bool matrix_over(Matrix *m, const Ini *ini, const char *kind, const Ini *over, const char *over_kind, Diag *diag)
{
    const char *section = NULL;
    const Source *source = keep_source(m, ini), *above = over ? keep_source(m, over) : NULL;
    bool ok = true;
    for (size_t k = 0; ok && k < ini->entries.n; k++) {
        const IniEntry *e = &ini->entries.v[k];
        if (!ini_within(e, kind)) continue;
        if (section && strcmp(section, e->section)) ok = end_section(m, over, above, over_kind, diag);
        section = e->section;
        ok = ok && add_axis(m, e->key, e->value, (Origin){source, e->value_at, e->key_at}, diag);
    }
    if (ok && !section) ok = diag_error(diag, "%s has no [%s]", ini->source.name, kind);
    return ok && end_section(m, over, above, over_kind, diag);
}

bool matrix_take(Matrix *m, const Ini *ini, const char *kind, Diag *diag)
{
    return matrix_over(m, ini, kind, NULL, NULL, diag);
}

bool matrix_read(Matrix *m, const char *path, Diag *diag)
{
    Text text = {0};
    Ini ini = {0};
    if (!text_read_file(&text, path)) return diag_error(diag, "can't read %s: %s", path, strerror(errno));
    bool ok = ini_parse(&ini, path, text.v ? text.v : "", text.n, diag) && matrix_take(m, &ini, "matrix", diag);
    ini_free(&ini);
    text_free(&text);
    return ok;
}

// Returns the first line of a diagnostic, without its place and "error: ". *hint becomes its hint, or null. Both texts
// belong to arena.
static const char *message_of(const Diag *why, Arena *arena, const char **hint)
{
    const char *text = strstr(why->text.v, "error: "), *found = strstr(why->text.v, "\nhint: ");
    text = text ? text + strlen("error: ") : why->text.v;
    *hint = found ? found + strlen("\nhint: ") : NULL;
    return arena_text(arena, text, strcspn(text, "\n"));
}

// Reports a mistake in a cell: at the place in the file where it was written; where it is from a command line, with the
// cell that has it.
static bool blame(const Matrix *m, const Plan *plan, const Diag *why, Diag *diag)
{
    Arena arena = {0};
    Text t = {0};
    const char *hint, *message = message_of(why, &arena, &hint);
    const Cell *c = plan->cell;
    Origin o = plan->wrong ? origin(m, plan->wrong) : (Origin){.source = NULL};
    if (o.source) {
        diag_at(diag, o.source, plan->wrong_name ? o.name_at : o.at, hint, "%s", message);
    } else {
        text_put(&t, c->program);
        for (const char *const *p = c->params; p && *p; p++) text_printf(&t, " %s", *p);
        text_printf(&t, " on %s", c->gpu);
        for (const char *const *p = c->sets; p && *p; p++) text_printf(&t, " %s", *p);
        diag_error(diag, "%s: %s%s%s", t.v, message, hint ? "\nhint: " : "", hint ? hint : "");
    }
    text_free(&t);
    arena_free(&arena);
    return false;
}

bool matrix_plan(const Matrix *m, Planner *p, const Cell *c, Plan *plan, Diag *diag)
{
    Diag why = {0};
    bool ok = plan_cell(p, c, plan, &why) || blame(m, plan, &why, diag);
    diag_free(&why);
    return ok;
}

void matrix_free(Matrix *m)
{
    for (size_t k = 0; k < m->axes.n; k++) vec_free(&m->axes.v[k].values);
    vec_free(&m->axes), vec_free(&m->cells), vec_free(&m->searches), vec_free(&m->origins);
    map_free(&m->by_text);
    arena_free(&m->arena);
}
