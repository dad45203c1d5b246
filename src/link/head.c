// head.c: what the objects say of the whole module: for which PTX and which architecture it is, which files its lines
// are of, pragmas. The highest version and architecture are taken, since what is for lower ones goes on to work.
#include "link/unit.h"

#include <stdlib.h>
#include <string.h>

// --- .version, .target -----------------------------------------------------------------------------------------------
typedef struct Target {
    uint32_t sm;
    char kind;  // 'a': that alone; 'f': its family; 0: later ones, too
    const Object *from;
} Target;

static bool has_option(const Object *o, const char *word)
{
    const char *text = o->source.text + o->options.at, *end = text + o->options.n;
    const size_t n = strlen(word);
    for (const char *at = text; (at = memmem(at, (size_t)(end - at), word, n)); at += n)
        if ((at + n == end || !scan_within(at[n])) && !scan_within(at[-1])) return true;
    return false;
}

static Target find_target(const Link *l)
{
    Target t = {.sm = 0};
    for (uint32_t k = 0; k < l->objects.n; k++) {
        const Object *o = l->objects.v[k];
        const bool closer = o->sm == t.sm && (o->kind == 'a' || (o->kind == 'f' && !t.kind));
        if (o->sm > t.sm || closer) t = (Target){o->sm, o->kind, o};
    }
    return t;
}

// What is for one architecture alone isn't for a later one.
static void warn(const Link *l, const Target *t, Text *warnings)
{
    for (uint32_t k = 0; k < l->objects.n; k++) {
        const Object *o = l->objects.v[k];
        const bool fits = !o->kind || (o->kind == 'f' && o->sm / 10 == t->sm / 10);
        if (o->sm == t->sm || fits) continue;
        text_printf(warnings, "'%s' is for sm_%u%c, and '%s' for sm_%u: no card takes both\n", o->name, o->sm, o->kind,
                    t->from->name, t->sm);
    }
}

// Textures are addressed in one way in all of a module.
static bool put_options(const Link *l, Text *out, Diag *diag)
{
    static const char *const words[] = {"texmode_independent", "map_f64_to_f32"};
    for (size_t w = 0; w < COUNT(words); w++) {
        const Object *with = NULL, *without = NULL;
        for (uint32_t k = 0; k < l->objects.n; k++) {
            const Object *o = l->objects.v[k];
            *(has_option(o, words[w]) ? &with : &without) = o;
        }
        if (with && without)
            return diag_error(diag, "'%s' has the option %s of .target, and '%s' hasn't", with->name, words[w],
                              without->name);
        if (with) text_printf(out, ", %s", words[w]);
    }
    return true;
}

// --- .file -----------------------------------------------------------------------------------------------------------
static int by_index(const void *a, const void *b)
{
    const uint32_t x = ((const FileName *)a)->index, y = ((const FileName *)b)->index;
    return (x > y) - (x < y);
}

// One that several objects name has one number, and keeps its own where that is free.
static void put_files(Link *l, Text *out)
{
    Map files = {0}, numbers = {0};
    uint32_t next = 1;
    for (uint32_t k = 0; k < l->objects.n; k++) {
        Object *o = l->objects.v[k];
        if (o->files.n) qsort(o->files.v, o->files.n, sizeof *o->files.v, by_index);
        for (size_t j = 0; j < o->files.n; j++) {
            FileName *f = &o->files.v[j];
            const char *text = o->source.text + f->rest.at;
            int64_t number = f->index;
            if (!map_get(&files, text, f->rest.n, &number)) {
                for (uint32_t n = f->index; map_get(&numbers, (const char *)&n, sizeof n, NULL); n = (uint32_t)number)
                    number = next++;
                map_put(&numbers, (const char *)&(uint32_t){(uint32_t)number}, sizeof(uint32_t), 1);
                map_put(&files, text, f->rest.n, number);
                text_printf(out, ".file %u %.*s\n", (uint32_t)number, (int)f->rest.n, text);
            }
            f->to = (uint32_t)number;
        }
    }
    while (map_get(&numbers, (const char *)&next, sizeof next, NULL)) next++;
    l->no_file = next;
    map_free(&files), map_free(&numbers);
}

uint32_t file_number(const Link *l, const Object *o, uint32_t index)
{
    const FileName key = {.index = index};
    const FileName *f = o->files.n ? bsearch(&key, o->files.v, o->files.n, sizeof key, by_index) : NULL;
    return f ? f->to : l->no_file;
}

static void put_pragmas(const Link *l, Text *out)
{
    Map seen = {0};
    for (uint32_t k = 0; k < l->objects.n; k++) {
        const Object *o = l->objects.v[k];
        for (size_t j = 0; j < o->pragmas.n; j++) {
            const char *text = o->source.text + o->pragmas.v[j].at;
            const uint32_t n = o->pragmas.v[j].n;
            if (map_get(&seen, text, n, NULL)) continue;
            map_put(&seen, text, n, 1);
            text_printf(out, "%.*s\n", (int)n, text);
        }
    }
    map_free(&seen);
}

bool head_write(Link *l, Text *out, Text *warnings, Diag *diag)
{
    const Target t = find_target(l);
    uint32_t version[2] = {0, 0};
    for (uint32_t k = 0; k < l->objects.n; k++) {
        const uint32_t *v = l->objects.v[k]->version;
        if (v[0] > version[0] || (v[0] == version[0] && v[1] > version[1])) memcpy(version, v, sizeof version);
    }
    if (warnings) warn(l, &t, warnings);
    text_printf(out, ".version %u.%u\n.target sm_%u%.1s", version[0], version[1], t.sm, t.kind ? &t.kind : "");
    if (!put_options(l, out, diag)) return false;
    text_put(out, "\n.address_size 64\n");
    put_files(l, out);
    put_pragmas(l, out);
    return true;
}
