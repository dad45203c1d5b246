// desc.c: how a GPU description is read: an INI file, and below it those that it is based on; above it the values of
// the command line. A later value replaces an earlier one. Latencies are described from issue to use; derive.c computes
// those of the links from them, so that an access on an idle GPU takes exactly what is described (mem.h,
// sm/transaction.c).
#include "gpu/unit.h"

#include <errno.h>
#include <string.h>

static bool unknown_key(const Gpu *g, const char *section, const char *key, const Source *s, size_t at, Diag *diag)
{
    char full[140], hint[160];
    const char *list[512];
    size_t n = 0;
    Arena arena = {0};
    snprintf(full, sizeof full, "%s.%s", section, key);
    for (size_t i = 0; i < gpu_key_count && n < COUNT(list); i++)
        list[n++] = arena_printf(&arena, "%s.%s", gpu_keys[i].section, gpu_keys[i].key);
    for (size_t p = 0; p <= policy_count; p++) {
        const oc_policy_type *t = p < policy_count ? policies[p] : g->sm.schedule;
        for (size_t i = 0; i < policy_params(t) && n < COUNT(list); i++)
            list[n++] = arena_printf(&arena, "sched.%s", t->params[i].name);
    }
    for (PlugPlace p = PLUG_L1; p < PLUGS; p++) {
        const oc_policy_param *params = plug_chosen(g, p).params;
        char name[PLUG_NAME];
        for (size_t i = 0; i < params_of(params) && n < COUNT(list); i++)
            plug_full_name(p, params[i].name, name), list[n++] = arena_copy(&arena, name);
    }
    const char *near = nearest_name(full, list, n);
    if (!strcmp(key, "policy"))
        snprintf(hint, sizeof hint, "which of a set's lines makes room is %s.replacement", section);
    else if (near)
        snprintf(hint, sizeof hint, "did you mean %s?", near);
    else
        snprintf(hint, sizeof hint, "doc/reference/gpu.md lists every key");
    diag_at(diag, s, at, hint, "unknown key %s", full);
    arena_free(&arena);
    return false;
}

static const GpuFile *shipped(const char *name)
{
    for (size_t i = 0; i < gpu_file_count; i++)
        if (!strcmp(gpu_files[i].name, name)) return &gpu_files[i];
    return NULL;
}

// Reads a description's text into an Ini; the caller frees it.
static bool read_ini(const char *name, Ini *ini, Diag *diag)
{
    const GpuFile *f = shipped(name);
    if (f) return ini_parse(ini, name, f->text, f->size, diag);
    Text text = {0};
    if (!strchr(name, '/') && !strchr(name, '.')) {
        const char *names[64];
        size_t n = 0;
        for (size_t i = 0; i < gpu_file_count && n < 64; i++) names[n++] = gpu_files[i].name;
        char hint[100];
        return diag_error(
            diag, "unknown GPU '%s'%s\nhint: onchip list gpus shows the shipped ones; a file is given by its path",
            name, did_you_mean(name, names, n, hint));
    }
    if (!text_read_file(&text, name))
        return diag_error(diag, "can't read the GPU description %s: %s", name, strerror(errno));
    bool ok = ini_parse(ini, name, text.v ? text.v : "", text.n, diag);
    text_free(&text);
    return ok;
}

// The descriptions that are being read: the one that was asked for, its base, the base of that, and so on.
enum { MOST_BASES = 1000 };
typedef struct Chain {
    const struct Chain *above;
    const char *name;
    int depth;
} Chain;

static void put_chain(const Chain *c, const char *last, Text *out)
{
    if (c->above && strcmp(c->name, last)) put_chain(c->above, last, out);
    text_printf(out, "%s, ", c->name);
}

// Refuses a base that leads back to itself. A base is looked for by its name alone, so that is one whose name was there
// before.
static bool check_base(const Chain *c, const IniEntry *e, const Source *source, Diag *diag)
{
    if (c->depth == MOST_BASES)
        return diag_at(diag, source, e->value_at, NULL, "more than %d descriptions that base on each other",
                       MOST_BASES);
    for (const Chain *up = c; up; up = up->above) {
        if (strcmp(up->name, e->value)) continue;
        Text circle = {0};
        put_chain(c, e->value, &circle);
        diag_at(diag, source, e->value_at, NULL, "GPU descriptions base on each other in a circle: %s%s", circle.v,
                e->value);
        text_free(&circle);
        return false;
    }
    return true;
}

// A parameter of a policy. On the command line it is known by now which policy.
static bool apply_param(Gpu *g, const IniEntry *e, const Source *s, bool command, Diag *diag)
{
    PlugPlace place;
    const oc_policy_param *p = plug_param(g, e->section, e->key, &place),
                          *chosen = param_called(plug_chosen(g, place).params, p->name);
    double v;
    Diag no = {0};
    bool ok = policy_param_read(p, e->value, &v);
    if (!ok && p->words)
        return diag_at(diag, s, e->value_at, p->doc, "%s.%s is one of: %s", e->section, e->key, p->words);
    const char *why = ok ? plug_set(g, place, p->name, v) : "a number is expected";
    if (why) return diag_at(diag, s, e->value_at, p->doc, "%s.%s: %s", e->section, e->key, why);
    if (command && chosen && !plug_fits(g, place, chosen, v, &no)) {
        diag_at(diag, s, e->value_at, chosen->doc, "%s", no.text.v);
        ok = false;
    }
    diag_free(&no);
    return ok;
}

static bool refuse_choice(const Key *k, const IniEntry *e, const Source *s, const char *why, Diag *diag)
{
    const char *near = plug_near(plug_place(k), e->value);
    char hint[80] = "a shared object is given by its path, such as ./mine.so";
    if (near) snprintf(hint, sizeof hint, "did you mean %s?", near);
    return diag_at(diag, s, e->value_at, policy_is_path(e->value) ? NULL : hint, "%s.%s: %s", k->section, k->key, why);
}

// k: the entry's key, or null. command: it stands on the command line, or the caller of the library gave it.
static bool apply_entry(Gpu *g, const IniEntry *e, const Key *k, const Source *s, bool command, Given *given,
                        Diag *diag, EntryFn *seen, void *user)
{
    PlugPlace place = k ? plug_place(k) : PLUGS;
    if (!k && !plug_param(g, e->section, e->key, &place)) return unknown_key(g, e->section, e->key, s, e->key_at, diag);
    if (!k) {
        if (!apply_param(g, e, s, command, diag)) return false;
    } else if (place < PLUGS) {
        Diag no = {0};
        bool ok = plug_choose(g, place, e->value, command, &no) || refuse_choice(k, e, s, no.text.v, diag);
        diag_free(&no);
        if (!ok) return false;
    } else if (!key_set(g, k, e->value, s, e->value_at, diag)) {
        return false;
    } else {
        capacity_note(given, k, s, e->value_at);
    }
    if (seen) seen(user, k, e);
    return true;
}

static bool apply_file(Gpu *g, const char *name, const Chain *above, Diag *diag, EntryFn *seen, void *user)
{
    Ini ini = {0};
    Given given[CAPACITIES] = {0};
    Chain chain = {above, name, above ? above->depth + 1 : 0};
    const Key *last = gpu_keys;  // files give keys in about the table's order
    bool ok = read_ini(name, &ini, diag);
    for (size_t i = 0; ok && i < ini.entries.n; i++) {
        const IniEntry *e = &ini.entries.v[i];
        if (!strcmp(e->section, "gpu") && !strcmp(e->key, "base")) {
            if (i)
                ok = diag_at(diag, &ini.source, e->key_at, NULL, "gpu.base must be the first key");
            else
                ok = check_base(&chain, e, &ini.source, diag) && apply_file(g, e->value, &chain, diag, seen, user);
            continue;
        }
        if (!strcmp(e->section, "gpu") && !strcmp(e->key, "title")) continue;
        const Key *k = key_behind(last, e->section, e->key);
        if (k) last = k;
        ok = apply_entry(g, e, k, &ini.source, false, given, diag, seen, user);
    }
    ok = ok && capacity_settle(g, given, diag, seen, user);
    ini_free(&ini);
    return ok;
}

static bool apply_set(Gpu *g, const char *set, Given *given, Diag *diag, EntryFn *seen, void *user)
{
    Source s = {.name = "--set", .text = set, .length = strlen(set)};
    const char *equals = strchr(set, '='), *dot = strchr(set, '.');
    if (!equals || !dot || dot > equals) return diag_at(diag, &s, 0, NULL, "section.key=value is expected");
    char section[64], key[64];
    snprintf(section, sizeof section, "%.*s", (int)(dot - set), set);
    snprintf(key, sizeof key, "%.*s", (int)(equals - dot - 1), dot + 1);
    IniEntry e = {.section = section,
                  .key = key,
                  .value = equals + 1,
                  .comment = "set on the command line",
                  .value_at = (size_t)(equals + 1 - set)};
    return apply_entry(g, &e, key_find(section, key), &s, true, given, diag, seen, user);
}

bool desc_load(Gpu *g, const char *name, const char *const *sets, Diag *diag, EntryFn *seen, void *user)
{
    *g = (Gpu){.name = "", .sm.schedule = policies[0]};
    const char *slash = strrchr(name, '/');
    snprintf(g->name, sizeof g->name, "%s", slash ? slash + 1 : name);
    for (size_t i = 0; i < gpu_key_count; i++)
        if (!key_is_list(gpu_keys[i].kind)) key_put(g, &gpu_keys[i], gpu_keys[i].standard);
    CacheCfg *caches[] = {&g->sm.l1, &g->sm.ro, &g->sm.cst, &g->part.l2};
    for (size_t c = 0; c < COUNT(caches); c++)
        for (int w = 0; w < 32; w++) caches[c]->weights[w] = 1;
    for (int w = 0; w < 32; w++) g->sm.tlb.weights[w] = g->tlb2.weights[w] = 1;
    if (!apply_file(g, name, NULL, diag, seen, user)) return false;
    Given given[CAPACITIES] = {0};
    for (int first = 1; first >= 0; first--)  // plug-ins come first, since parameters may be theirs
        for (const char *const *set = sets; set && *set; set++)
            if ((plug_place_of_set(*set) < PLUGS) == first && !apply_set(g, *set, given, diag, seen, user))
                return false;
    return capacity_settle(g, given, diag, seen, user) && conflict_check(g, sets, diag);
}

bool gpu_load(Gpu *g, const char *name, const char *const *sets, Diag *diag)
{
    bool ok = desc_load(g, name, sets, diag, NULL, NULL) && gpu_derive(g, diag);
    if (!ok) gpu_free(g);
    return ok;
}
