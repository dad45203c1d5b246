// show.c: how a GPU description is shown: with every value's unit and where it comes from (the comment behind it), in
// the form that a run's key is made of, and as the page of all keys.
#include "gpu/unit.h"

#include <string.h>

typedef struct Origins {
    Arena arena;
    const char *text[512], *value[512];
    Map params;  // of policies: the comment behind each that is given
    VEC(const char *) comments;
} Origins;
static void origins_free(Origins *o)
{
    arena_free(&o->arena);
    map_free(&o->params);
    vec_free(&o->comments);
}

static void note_origin(void *user, const Key *k, const IniEntry *e)
{
    Origins *o = user;
    if (!k) {
        char full[PLUG_NAME];
        snprintf(full, sizeof full, "%s.%s", e->section, e->key);
        map_put(&o->params, full, strlen(full), (int64_t)o->comments.n);
        vec_push(&o->comments, arena_copy(&o->arena, e->comment));
        return;
    }
    size_t i = (size_t)(k - gpu_keys);
    if (i >= COUNT(o->text)) return;
    o->text[i] = arena_copy(&o->arena, e->comment);
    o->value[i] = arena_copy(&o->arena, e->value);
}

typedef struct Show {
    Gpu gpu;
    Origins origins;
    bool defaults;        // only keys that the description leaves at their defaults, with their sentences
    const char *section;  // whose head is to come before its first key; null: it is there
    Text *out;
} Show;

static void show_head(void *user, const char *section) { ((Show *)user)->section = section; }

static void show_value(Show *s, const char *key, const char *value, const char *unit, const char *from)
{
    size_t n = strlen(unit);  // some comments begin with it
    bool told = !n || (!strncmp(from, unit, n) && from[n] == ',');
    if (s->section) text_printf(s->out, "%s[%s]\n", s->out->n ? "\n" : "", s->section);
    s->section = NULL;
    text_printf(s->out, "%-14s = %-12s # %s%s%s\n", key, value, told ? "" : unit, told ? "" : "; ", from);
}

// The parameters of what a key chose.
static void show_params(Show *s, PlugPlace place)
{
    const oc_policy_param *params = plug_chosen(&s->gpu, place).params;
    for (size_t k = 0; k < params_of(params); k++) {
        const oc_policy_param *p = &params[k];
        Text value = {0};
        char full[PLUG_NAME];
        int64_t at;
        plug_full_name(place, p->name, full);
        bool given = map_get(&s->origins.params, full, strlen(full), &at);
        policy_param_write(p, plug_value(&s->gpu, place, p), &value);
        const char *from = s->defaults ? p->doc : given ? s->origins.comments.v[at] : p->source;
        if (!given || !s->defaults)
            show_value(s, plug_key_of(place, full), value.v, p->unit, *from ? from : "no provenance given");
        text_free(&value);
    }
}

static void show_row(void *user, const Key *k)
{
    Show *s = user;
    size_t i = (size_t)(k - gpu_keys);
    const char *given = s->origins.value[i], *from = s->origins.text[i];
    char value[128];
    if (given)
        snprintf(value, sizeof value, "%s", given);
    else if (key_is_list(k->kind) && !s->defaults)
        return;
    else if (key_is_list(k->kind))
        snprintf(value, sizeof value, "none");
    else if (key_name(k->kind, 0))
        snprintf(value, sizeof value, "%s", key_name(k->kind, (uint32_t)key_get(&s->gpu, k)));
    else
        snprintf(value, sizeof value, "%.15g", key_get(&s->gpu, k));
    from = s->defaults ? k->doc : !from ? "default" : *from ? from : "no provenance given";
    if (!given || !s->defaults) show_value(s, k->key, value, k->unit, from);
    if (plug_place(k) < PLUGS) show_params(s, plug_place(k));
}

bool gpu_show(const char *name, const char *const *sets, bool defaults, Text *out, Diag *diag)
{
    Show s = {.out = out, .defaults = defaults};
    bool ok = desc_load(&s.gpu, name, sets, diag, note_origin, &s.origins);
    Gpu g = s.gpu;  // what is derived isn't shown
    ok = ok && gpu_derive(&g, diag);
    if (ok) keys_by_section(show_head, show_row, &s);
    origins_free(&s.origins);
    gpu_free(&s.gpu);
    return ok;
}

bool gpu_canonical(Gpu *gpu, const char *name, const char *const *sets, Text *out, Diag *diag)
{
    Gpu own, *g = gpu ? gpu : &own;
    Origins o = {0};
    bool ok = desc_load(g, name, sets, diag, note_origin, &o) && plug_settle(g, diag);
    for (size_t i = 0; ok && i < gpu_key_count; i++) {
        const Key *k = &gpu_keys[i];
        bool list = key_is_list(k->kind);
        double v = list ? 0 : key_get(g, k);
        if (k->kind == KEY_NAMES && (!o.value[i] || !*o.value[i])) continue;  // as if the key weren't there
        const PlugPlace place = plug_place(k);
        if (place < PLUGS && (k->kind != KEY_REPLACEMENT || plug_is_loaded(g, place)))
            plug_canonical(g, k, out);
        else if (list)
            text_printf(out, "%s.%s=", k->section, k->key), key_canonical_list(k, o.value[i], out);
        else if (v >= 0 && v < 1e9 && v == (int)v)
            text_printf(out, "%s.%s=%d\n", k->section, k->key, (int)v);  // as below, but fast
        else
            text_printf(out, "%s.%s=%.17g\n", k->section, k->key, v);
    }
    ok = ok && gpu_derive(g, diag);
    origins_free(&o);
    if (g == &own || !ok) gpu_free(g);
    return ok;
}

static void manual_head(void *user, const char *section)
{
    text_printf(user, "\n## [%s]\n\n| key | range | default | unit | |\n|---|---|---|---|---|\n", section);
}

// Whether two keys mean the same: each of its own section, or each of its own name.
static bool same_text(const Key *a, const Key *b)
{
    return a->kind == b->kind && a->min == b->min && a->max == b->max && a->standard == b->standard &&
           !strcmp(a->unit, b->unit) && !strcmp(a->doc, b->doc);
}

// The first key that means the same as k: of its name in an earlier section, or of its section, perhaps k itself.
static const Key *manual_first(const Key *k)
{
    for (const Key *e = gpu_keys; e < k; e++)
        if (same_text(e, k) && (!strcmp(e->section, k->section) || !strcmp(e->key, k->key))) return e;
    return k;
}

// The keys of k's section, from k on, whose first is of another section, in one row: their text stands there.
static void manual_others(Text *out, const Key *k, const char *section)
{
    const char *comma = "| ";
    for (const Key *e = k; e < gpu_keys + gpu_key_count; e++) {
        if (strcmp(e->section, k->section) || strcmp(manual_first(e)->section, section)) continue;
        text_printf(out, "%s`%s`", comma, e->key);
        comma = ", ";
    }
    text_printf(out, " | | | | as in [%s] |\n", section);
}

static void manual_range(Text *out, const Key *k)
{
    if (key_is_list(k->kind))
        text_put(out, k->kind == KEY_NAMES ? "names | none" : "list | none");
    else if (key_name(k->kind, 0)) {
        for (uint32_t n = 0; key_name(k->kind, n); n++) text_printf(out, "%s%s", n ? ", " : "", key_name(k->kind, n));
        text_printf(out, " | %s", key_name(k->kind, (uint32_t)k->standard));
    } else
        text_printf(out, "%.15g … %.15g | %.15g", k->min, k->max, k->standard);
}

// Keys that mean the same stand in one row. Those that an earlier section has are named, and not explained again.
static void manual_row(void *user, const Key *k)
{
    Text *out = user;
    const Key *first = manual_first(k);
    bool elsewhere = strcmp(first->section, k->section) != 0, told = false;
    for (const Key *e = gpu_keys; e < k; e++)
        told |= elsewhere && !strcmp(e->section, k->section) && !strcmp(manual_first(e)->section, first->section);
    if (elsewhere && !told) manual_others(out, k, first->section);
    if (first != k) return;
    const char *comma = "| ";
    for (const Key *e = k; e < gpu_keys + gpu_key_count; e++)
        if (!strcmp(e->section, k->section) && manual_first(e) == k)
            text_printf(out, "%s`%s`", comma, e->key), comma = ", ";
    text_put(out, " | "), manual_range(out, k);
    text_printf(out, " | %s | %s |\n", k->unit, k->doc);
    if (plug_place(k) < PLUGS) plug_manual(k, out);
}

void gpu_manual(Text *out)
{
    text_put(out,
             "# Keys of a GPU description\n\nA GPU description is an INI file. Each key below stands in the section "
             "that its heading names. The comment behind\n"
             "a value says where the value comes from (its provenance). A description can start from another one: "
             "its first key is\nthen `[gpu] base = NAME`. Any key can be set on the command line, too: `--set "
             "l1.size=48KiB`.\n\n"
             "A key that is missing has its default, so no key is required. But a GPU has only the caches that have a "
             "`size` (or\n`sets`), and only the TLBs that have `entries` (or `sets`). The other defaults are those of "
             "no card. What a card's\ndescription can't do without: `gpu.sms` and `gpu.clock`; `sm.schedulers`, "
             "`sm.warps` and `registers.count`;\n`shared.size`; `size`, `line`, `ways` and `latency` of each cache; "
             "`l2.partitions`; `dram.bandwidth` and `dram.latency`.\n`onchip show gpu NAME --defaults` lists the "
             "keys that a description leaves at their defaults.\n\nKeys that mean the same stand in one row, and a row "
             "\"as in [l1]\" has the keys that [l1] explains. `onchip show keys`\nprints this page from "
             "src/gpu/desc.def and src/gpu/show.c.\n");
    keys_by_section(manual_head, manual_row, out);
}
