// runs.c: which runs a figure has. They are those of its own matrices; of its rows of [data]; or, with `runs`, those of
// other figures of the same paper or folder, in which its own axes replace theirs. So a list of programs stands once,
// and figures try their own settings with it.
#include "reproduce/unit.h"

#include <string.h>

typedef struct Sections {
    bool data, matrix, sized, other;  // other: of another size than the one asked for
} Sections;

static Sections find_sections(const Ini *ini, const char *size)
{
    Sections s = {.data = false};
    for (size_t k = 0; k < ini->entries.n; k++) {
        const IniEntry *e = &ini->entries.v[k];
        s.data |= !strcmp(e->section, "data");
        s.matrix |= ini_within(e, "matrix");
        s.sized |= ini_within(e, size);
        for (size_t n = 0; n < COUNT(reproduce_sizes); n++) s.other |= ini_within(e, reproduce_sizes[n]);
    }
    return s;
}

// Reads figure `name` of r's folder into *ini. at: where r's file names it.
static bool read_beside(const Reproduction *r, const char *name, size_t at, Ini *ini, Diag *diag)
{
    const char *mine = r->ini.source.name, *slash = strrchr(mine, '/');
    size_t folder = slash ? (size_t)(slash + 1 - mine) : 0, n = strlen(mine);
    bool file = n > 4 && !strcmp(mine + n - 4, ".ini"), found = false;
    Text path = {0}, text = {0};
    text_printf(&path, "%.*s%s%s", (int)folder, mine, name, file ? ".ini" : "");
    if (file && !strchr(name, '/')) found = text_read_file(&text, path.v);
    for (size_t k = 0; k < reproduce_file_count && !file && !found; k++)
        if ((found = !strcmp(reproduce_files[k].name, path.v)))
            text_add(&text, reproduce_files[k].text, reproduce_files[k].size);
    bool ok =
        found || diag_at(diag, &r->ini.source, at, "name a figure of the same folder", "there is no figure '%s'", name);
    ok = ok && ini_parse(ini, path.v, text.n ? text.v : "", text.n, diag);
    text_free(&path), text_free(&text);
    return ok;
}

static const char *kind_of(Sections s, const char *size) { return s.sized ? size : "matrix"; }

// Adds the runs of the figure `name`, in which r's own axes replace its axes.
static bool take_beside(Reproduction *r, const char *name, size_t at, const char *size, Diag *diag)
{
    Ini ini = {0};
    bool ok = read_beside(r, name, at, &ini, diag);
    Sections s = ok ? find_sections(&ini, size) : (Sections){.data = false}, own = find_sections(&r->ini, size);
    if (ok && (s.data || !(s.sized || s.matrix || s.other)))
        ok = diag_at(diag, &r->ini.source, at, "name a figure with a matrix", "figure '%s' has no matrix of its own",
                     name);
    r->absent &= !s.sized && !s.matrix;
    ok = ok &&
         (!(s.sized || s.matrix) || matrix_over(&r->matrix, &ini, kind_of(s, size), &r->ini, kind_of(own, size), diag));
    ini_free(&ini);
    return ok;
}

// Takes those of all figures that `runs` names.
static bool take_named(Reproduction *r, const IniEntry *runs, const char *size, Diag *diag)
{
    const char *list = runs->value;
    ListValue v;
    bool ok = true;
    r->absent = true;
    while (ok && list_next(&list, &v)) {
        size_t at = runs->value_at + (size_t)(v.at - runs->value);
        Text name = {0};
        text_add(&name, v.at, v.n);
        if (v.wrong || !v.n) ok = diag_at(diag, &r->ini.source, at, NULL, "runs: %s", v.wrong ? v.wrong : "empty name");
        ok = ok && take_beside(r, name.v, at, size, diag);
        text_free(&name);
    }
    return ok;
}

bool runs_take(Reproduction *r, const char *size, Diag *diag)
{
    const char *name = r->ini.source.name;
    const IniEntry *runs = NULL;
    Sections s = find_sections(&r->ini, size);
    if (s.data && (s.sized || s.matrix))
        return diag_error(diag, "%s: [data] replaces [%s]", name, s.sized ? size : "matrix");
    r->absent = !s.sized && !s.matrix && s.other;
    if (!figure_key(&r->ini, "runs", &runs))
        return s.data || r->absent || matrix_take(&r->matrix, &r->ini, kind_of(s, size), diag);
    if (s.data)
        return diag_at(diag, &r->ini.source, runs->value_at, NULL, "[data] replaces the runs of '%s'", runs->value);
    return r->absent || take_named(r, runs, size, diag);
}
