// runs.c: which runs a figure has. They are those of its own matrices; of its rows of [data]; or, with `runs`, those of
// another figure of the same paper or folder. So two figures can show the same runs without two copies of a matrix.
//
// Invariant: the file that the matrices are read from stays open as long as the figure, since cells point into it.
#include "reproduce/parts.h"

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

// Reads the figure beside r, whose file's name differs from r's only behind the last slash.
static bool read_beside(Reproduction *r, const IniEntry *runs, Diag *diag)
{
    const char *mine = r->ini.source.name, *slash = strrchr(mine, '/');
    size_t folder = slash ? (size_t)(slash + 1 - mine) : 0, n = strlen(mine);
    bool file = n > 4 && !strcmp(mine + n - 4, ".ini"), found = false;
    Text name = {0}, text = {0};
    text_printf(&name, "%.*s%s%s", (int)folder, mine, runs->value, file ? ".ini" : "");
    if (file && !strchr(runs->value, '/')) found = text_read_file(&text, name.v);
    for (size_t k = 0; k < reproduce_file_count && !file && !found; k++)
        if ((found = !strcmp(reproduce_files[k].name, name.v)))
            text_add(&text, reproduce_files[k].text, reproduce_files[k].size);
    bool ok = found || diag_at(diag, &r->ini.source, runs->value_at, "name a figure of the same folder",
                               "there is no figure '%s'", runs->value);
    ok = ok && ini_parse(&r->beside, name.v, text.n ? text.v : "", text.n, diag);
    text_free(&name), text_free(&text);
    return ok;
}

bool runs_take(Reproduction *r, const char *size, Diag *diag)
{
    const char *name = r->ini.source.name;
    const Ini *ini = &r->ini;
    const IniEntry *runs = NULL;
    Sections s = find_sections(ini, size);
    if (s.data && (s.sized || s.matrix))
        return diag_error(diag, "%s: [data] replaces [%s]", name, s.sized ? size : "matrix");
    if (figure_key(ini, "runs", &runs)) {
        if (s.data || s.matrix || s.other)
            return diag_at(diag, &ini->source, runs->value_at, NULL, "the runs of '%s' replace those of a matrix here",
                           runs->value);
        if (!read_beside(r, runs, diag)) return false;
        ini = &r->beside;
        s = find_sections(ini, size);
        if (s.data || figure_key(ini, "runs", NULL))
            return diag_at(diag, &r->ini.source, runs->value_at, "name a figure with a matrix",
                           "figure '%s' has no matrix of its own", runs->value);
    }
    r->absent = !s.sized && !s.matrix && s.other;
    return s.data || r->absent || matrix_take(&r->matrix, ini, s.sized ? size : "matrix", diag);
}
