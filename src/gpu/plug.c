// plug.c: what a description chooses by name, or the command line by the path of a shared object: the warp scheduler,
// what replaces the lines of L1 and L2, and the L1's prefetcher. Their parameters are keys, too. A parameter may be
// given for any scheduler or prefetcher that is known, whichever is chosen in the end: a description can carry the
// parameters of several. The chosen one's have their standard values unless they are given.
#include "gpu/unit.h"
#include "mem/replacement.h"

#include <math.h>
#include <string.h>

static const struct {
    const char *section, *key;
    const char *prefix;  // of its parameters' and counters' names
    const char *what;
    PluginKind kind;
    KeyKind of;    // the names that the key takes
    uint32_t own;  // where its counters begin in a record
} places[PLUGS] = {
    [PLUG_SCHED] = {"sched", "policy", "sched.", "policy", PLUGIN_POLICY, KEY_POLICY, OWN_POLICY},
    [PLUG_L1] = {"l1", "replacement", "l1.replacement.", "replacement policy", PLUGIN_REPLACEMENT, KEY_REPLACEMENT,
                 OWN_L1},
    [PLUG_L2] = {"l2", "replacement", "l2.replacement.", "replacement policy", PLUGIN_REPLACEMENT, KEY_REPLACEMENT,
                 OWN_L2},
    [PLUG_PREFETCH] = {"l1", "prefetch", "l1.prefetch.", "prefetcher", PLUGIN_PREFETCHER, KEY_PREFETCH, OWN_PREFETCHER},
};

// --- what is chosen --------------------------------------------------------------------------------------------------
static PlugFace face_of_policy(const oc_policy_type *t) { return (PlugFace){t->name, t->params, t->counters}; }
static PlugFace face_of_replacement(const oc_replacement_type *t)
{
    return t ? (PlugFace){t->name, t->params, t->counters} : (PlugFace){0};
}
static PlugFace face_of_prefetcher(const oc_prefetcher_type *t)
{
    return t ? (PlugFace){t->name, t->params, t->counters} : (PlugFace){0};
}

PlugFace plug_chosen(const Gpu *g, PlugPlace place)
{
    switch (place) {
    case PLUG_SCHED: return face_of_policy(g->sm.schedule);
    case PLUG_L1: return face_of_replacement(g->sm.l1.plug);
    case PLUG_L2: return face_of_replacement(g->part.l2.plug);
    default: return face_of_prefetcher(g->sm.prefetch);
    }
}

// What a shared object brought, chosen or not.
static PlugFace face_of_plugin(const Plugin *p)
{
    if (!p) return (PlugFace){0};
    return p->policy        ? face_of_policy(p->policy)
           : p->replacement ? face_of_replacement(p->replacement)
                            : face_of_prefetcher(p->prefetcher);
}

static double *values_of(Gpu *g, PlugPlace place)
{
    return place == PLUG_SCHED ? g->sm.param
           : place == PLUG_L1  ? g->sm.l1.plug_param
           : place == PLUG_L2  ? g->part.l2.plug_param
                               : g->sm.prefetch_param;
}

bool plug_is_loaded(const Gpu *g, PlugPlace place)
{
    switch (place) {
    case PLUG_SCHED: return g->sm.policy == policy_count;
    case PLUG_L1: return g->sm.l1.plug;
    case PLUG_L2: return g->part.l2.plug;
    default: return g->sm.prefetcher > prefetcher_count;
    }
}

PlugPlace plug_place(const Key *k)
{
    PlugPlace p = 0;
    while (p < PLUGS && (strcmp(places[p].section, k->section) || strcmp(places[p].key, k->key))) p++;
    return p;
}

PlugPlace plug_place_of_set(const char *set)
{
    for (PlugPlace p = 0; p < PLUGS; p++) {
        const size_t n = strlen(places[p].section), m = strlen(places[p].key);
        if (!strncmp(set, places[p].section, n) && set[n] == '.' && !strncmp(set + n + 1, places[p].key, m) &&
            set[n + 1 + m] == '=')
            return p;
    }
    return PLUGS;
}

// The number of a name among those of a key; UINT32_MAX: it is none of them.
static uint32_t number_of(KeyKind kind, const char *name)
{
    const char *one;
    for (uint32_t n = 0; (one = key_name(kind, n)); n++)
        if (!strcmp(one, name)) return n;
    return UINT32_MAX;
}

static void choose_number(Gpu *g, PlugPlace place, uint32_t n)
{
    switch (place) {
    case PLUG_SCHED: g->sm.policy = n, g->sm.schedule = policies[n]; break;
    case PLUG_L1: g->sm.l1.replacement = n, g->sm.l1.plug = NULL; break;
    case PLUG_L2: g->part.l2.replacement = n, g->part.l2.plug = NULL; break;
    default: g->sm.prefetcher = n, g->sm.prefetch = n ? prefetchers[n - 1] : NULL;
    }
}

// With a plug-in a cache's own replacement is lru, for what asks without knowing of plug-ins.
static void choose_plugin(Gpu *g, PlugPlace place, Plugin *p)
{
    plugin_drop(g->plugin[place]);
    g->plugin[place] = p;
    switch (place) {
    case PLUG_SCHED: g->sm.policy = (uint32_t)policy_count, g->sm.schedule = p->policy; break;
    case PLUG_L1: g->sm.l1.replacement = REPLACE_LRU, g->sm.l1.plug = p->replacement; break;
    case PLUG_L2: g->part.l2.replacement = REPLACE_LRU, g->part.l2.plug = p->replacement; break;
    default: g->sm.prefetcher = (uint32_t)prefetcher_count + 1, g->sm.prefetch = p->prefetcher;
    }
}

bool plug_choose(Gpu *g, PlugPlace place, const char *name, bool plugins, Diag *diag)
{
    const KeyKind kind = places[place].of;
    const uint32_t n = number_of(kind, name);
    if (n != UINT32_MAX) return choose_number(g, place, n), true;
    if (!policy_is_path(name)) {
        Text names = {0};
        for (uint32_t k = 0; key_name(kind, k); k++)
            text_printf(&names, "%s%s", !k ? "" : key_name(kind, k + 1) ? ", " : " and ", key_name(kind, k));
        diag_error(diag, "'%s' is none of %s", name, names.v);
        text_free(&names);
        return false;
    }
    if (!plugins)
        return diag_error(diag, "a description can't name a shared object, whose code would run; the command line can");
    Plugin *plugin = plugin_open(places[place].kind, name, diag);
    if (plugin) choose_plugin(g, place, plugin);
    return plugin;
}

const char *plug_near(PlugPlace place, const char *name)
{
    const char *names[64];
    uint32_t n = 0;
    while (n < COUNT(names) && (names[n] = key_name(places[place].of, n))) n++;
    return nearest_name(name, names, n);
}

bool gpu_has_plugin(const Gpu *g)
{
    bool any = false;
    for (PlugPlace p = 0; p < PLUGS; p++) any |= g->plugin[p] != NULL;
    return any;
}

void gpu_hold(const Gpu *g)
{
    for (PlugPlace p = 0; p < PLUGS; p++) plugin_hold(g->plugin[p]);
}

void gpu_free(Gpu *g)
{
    for (PlugPlace p = 0; p < PLUGS; p++) plugin_drop(g->plugin[p]), g->plugin[p] = NULL;
}

// --- what it is known by ---------------------------------------------------------------------------------------------
static void put_known(PlugPlace place, const Plugin *p, Text *out)
{
    const bool taken = number_of(places[place].of, plugin_name(p)) != UINT32_MAX;
    text_printf(out, "%s%s", taken ? "plug-in:" : "", plugin_name(p));
}

bool gpu_known_set(const Gpu *g, const char *set, Text *out)
{
    const PlugPlace p = plug_place_of_set(set);
    const char *equals = strchr(set, '=');
    if (p == PLUGS || !g->plugin[p] || !policy_is_path(equals + 1)) return false;
    text_add(out, set, (size_t)(equals + 1 - set));
    put_known(p, g->plugin[p], out);
    return true;
}

bool plug_known_path(const char *key, const char *path, Text *out, Diag *diag)
{
    PlugPlace place = 0;
    char set[160];
    snprintf(set, sizeof set, "%s=", key);
    if ((place = plug_place_of_set(set)) == PLUGS) return text_put(out, path), true;
    Plugin *p = plugin_open(places[place].kind, path, diag);
    if (p) put_known(place, p, out);
    plugin_drop(p);
    return p;
}

bool plug_is_built_in(const char *key, const char *value)
{
    char set[160];
    snprintf(set, sizeof set, "%s=", key);
    const PlugPlace p = plug_place_of_set(set);
    return p == PLUGS || number_of(places[p].of, value) != UINT32_MAX;
}

bool plug_is_param(const char *key)
{
    for (PlugPlace p = PLUG_L1; p < PLUGS; p++)
        if (!strncmp(key, places[p].prefix, strlen(places[p].prefix))) return true;
    return false;
}

// The policy is known by its name, a plug-in by what its file holds; with it go the values of its parameters. A cache
// without a prefetcher is one as there were before there were any.
void plug_canonical(const Gpu *g, const Key *k, Text *out)
{
    const PlugPlace p = plug_place(k);
    const PlugFace f = plug_chosen(g, p);
    if (!f.name) return;
    text_printf(out, "%s.%s=%s", k->section, k->key, f.name);
    if (plug_is_loaded(g, p))
        text_printf(out, " %016llx%016llx", (unsigned long long)g->plugin[p]->hash[0],
                    (unsigned long long)g->plugin[p]->hash[1]);
    text_put(out, "\n");
    const double *v = values_of((Gpu *)(uintptr_t)g, p);
    for (size_t n = 0; n < params_of(f.params); n++)
        text_printf(out, "%s%s=%.17g\n", places[p].prefix, f.params[n].name, v[n]);
}

// --- parameters ------------------------------------------------------------------------------------------------------
const oc_policy_param *plug_param(const Gpu *g, const char *section, const char *key, PlugPlace *place)
{
    char full[140];
    snprintf(full, sizeof full, "%s.%s", section, key);
    for (PlugPlace k = 0; k < PLUGS; k++) {
        const size_t n = strlen(places[k].prefix);
        if (strncmp(full, places[k].prefix, n)) continue;
        const oc_policy_param *p = param_called(plug_chosen(g, k).params, full + n);
        if (!p) p = param_called(face_of_plugin(g->plugin[k]).params, full + n);
        for (size_t i = 0; i < policy_count && !p && k == PLUG_SCHED; i++) p = policy_param(policies[i], full + n);
        for (size_t i = 0; i < prefetcher_count && !p && k == PLUG_PREFETCH; i++)
            p = param_called(prefetchers[i]->params, full + n);
        if (p) return *place = k, p;
    }
    return NULL;
}

void plug_full_name(PlugPlace place, const char *name, char full[PLUG_NAME])
{
    snprintf(full, PLUG_NAME, "%s%s", places[place].prefix, name);
}

const char *plug_key_of(PlugPlace place, const char *full) { return full + strlen(places[place].section) + 1; }

const char *plug_set(Gpu *g, PlugPlace place, const char *name, double value)
{
    char full[PLUG_NAME];
    uint32_t k = 0;
    plug_full_name(place, name, full);
    while (k < g->set_n && strcmp(g->set[k].name, full)) k++;
    if (k == COUNT(g->set)) return "there are more than 32 parameters of schedulers, replacement and prefetchers";
    snprintf(g->set[k].name, sizeof g->set[k].name, "%s", full);
    g->set[k].value = value;
    if (k == g->set_n) g->set_n++;
    return NULL;
}

bool plug_fits(const Gpu *g, PlugPlace place, const oc_policy_param *p, double v, Diag *diag)
{
    if (v >= p->least && v <= p->most && (!p->whole || v == floor(v))) return true;
    diag_error(diag, "%s%s: %.15g is out of range with %s %s: %s%.15g to %.15g%s%s", places[place].prefix, p->name, v,
               places[place].what, plug_chosen(g, place).name, p->whole ? "a whole number, " : "", p->least, p->most,
               *p->unit ? " " : "", p->unit);
    return false;
}

double plug_value(const Gpu *g, PlugPlace place, const oc_policy_param *p)
{
    char full[PLUG_NAME];
    plug_full_name(place, p->name, full);
    for (uint32_t k = 0; k < g->set_n; k++)
        if (!strcmp(g->set[k].name, full)) return g->set[k].value;
    return p->standard;
}

bool plug_settle(Gpu *g, Diag *diag)
{
    for (PlugPlace place = 0; place < PLUGS; place++) {
        const PlugFace f = plug_chosen(g, place);
        for (size_t k = 0; k < params_of(f.params); k++) {
            double v = plug_value(g, place, &f.params[k]);
            if (!plug_fits(g, place, &f.params[k], v, diag)) return false;
            values_of(g, place)[k] = v;
        }
    }
    return true;
}

bool plug_number(const Gpu *g, const char *section, const char *key, double *value)
{
    PlugPlace place = PLUGS;
    const oc_policy_param *p = plug_param(g, section, key, &place);
    const PlugFace f = p ? plug_chosen(g, place) : (PlugFace){0};
    for (size_t n = 0; n < params_of(f.params); n++)
        if (&f.params[n] == p) return *value = values_of((Gpu *)(uintptr_t)g, place)[n], true;
    return false;
}

// --- the page of keys ------------------------------------------------------------------------------------------------
static void put_words(const char *words, Text *out)
{
    for (; *words; words++) text_printf(out, *words == ' ' ? ", " : "%c", *words);
}

static bool same_param(const oc_policy_param *a, const oc_policy_param *b)
{
    return !strcmp(a->name, b->name) && !strcmp(a->doc, b->doc) && !strcmp(a->source, b->source) &&
           a->least == b->least && a->most == b->most && a->standard == b->standard;
}

static bool has_param(PlugFace f, const oc_policy_param *p)
{
    for (size_t n = 0; n < params_of(f.params); n++)
        if (same_param(&f.params[n], p)) return true;
    return false;
}

// The face of the k-th rule in the table of a key.
static PlugFace built_in(PlugPlace place, size_t k)
{
    if (place == PLUG_SCHED) return k < policy_count ? face_of_policy(policies[k]) : (PlugFace){0};
    return place == PLUG_PREFETCH && k < prefetcher_count ? face_of_prefetcher(prefetchers[k]) : (PlugFace){0};
}

// A parameter that several policies have stands in one row.
void plug_manual(const Key *key, Text *out)
{
    const PlugPlace place = plug_place(key);
    PlugFace f, other;
    for (size_t k = 0; (f = built_in(place, k)).name; k++)
        for (size_t n = 0; n < params_of(f.params); n++) {
            const oc_policy_param *p = &f.params[n];
            char full[PLUG_NAME];
            bool told = false;
            for (size_t j = 0; j < k; j++) told |= has_param(built_in(place, j), p);
            if (told) continue;
            plug_full_name(place, p->name, full);
            text_printf(out, "| `%s` | ", plug_key_of(place, full));
            if (p->words)
                put_words(p->words, out);
            else
                text_printf(out, "%.15g … %.15g", p->least, p->most);
            text_put(out, " | ");
            policy_param_write(p, p->standard, out);
            text_printf(out, " | %s | with %s = %s", p->unit, key->key, f.name);
            for (size_t j = k + 1; (other = built_in(place, j)).name; j++)
                if (has_param(other, p)) text_printf(out, ", %s", other.name);
            text_printf(out, ": %s (%s) |\n", p->doc, p->source);
        }
}

// --- their counters --------------------------------------------------------------------------------------------------
bool gpu_own(const Gpu *g, size_t n, OwnCounter *out)
{
    for (PlugPlace place = 0; place < PLUGS; place++) {
        const PlugFace f = plug_chosen(g, place);
        const size_t own = counters_of(f.counters), fixed = place == PLUG_PREFETCH && f.name ? PREFETCH_COUNTS : 0;
        if (n >= own + fixed) {
            n -= own + fixed;
            continue;
        }
        const bool ours = n < fixed;
        const oc_policy_counter *c = ours ? &prefetch_counters[n] : &f.counters[n - fixed];
        out->place = place, out->counter = c;
        out->at = ours ? OWN_PREFETCH + (uint32_t)n : places[place].own + (uint32_t)(n - fixed);
        snprintf(out->name, sizeof out->name, "%s%s", places[place].prefix, c->name);
        return true;
    }
    return false;
}

const char *gpu_own_broken(const Gpu *g, const uint64_t *own, Text *out)
{
    const uint64_t *c = own + OWN_PREFETCH;
    const uint64_t sum = c[PREFETCH_THERE] + c[PREFETCH_OUTSIDE] + c[PREFETCH_DROPPED] + c[PREFETCH_ISSUED];
    if (!g->sm.prefetch || c[PREFETCH_ASKED] == sum) return NULL;
    static const char law[] = "l1.prefetch.there + outside + dropped + issued = asked";
    text_printf(out, "%s: %llu ≠ %llu", law, (unsigned long long)sum, (unsigned long long)c[PREFETCH_ASKED]);
    return law;
}
