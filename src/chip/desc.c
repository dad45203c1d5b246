// desc.c: GPU descriptions: the registry of keys, and how a description is read, checked and shown. A description is an
// INI file; the comment behind a value is its provenance. Latencies are described from issue to use; derive.c computes
// those of the links from them, so that an access on an idle GPU takes exactly what is described (mem.h, port.c).
#include "chip/chip.h"

#include <errno.h>
#include <math.h>
#include <string.h>

#define MOST_WEIGHT 1e9  // of a way: a sum of 65536 of them is exact enough
// What caches and TLBs share: their sets hold lines or entries, and a line's address or a page's number selects one.
#define SET_ROWS(section, field, unit, units, standard, kind, number, dealt, least)                                   \
    KEY(section, "ways", UINT, field.ways, 1, 65536, standard, unit, "number of " units " in a set")                  \
    KEY(section, "sets", SETS, field.sets, 1, 65536, 0, unit,                                                         \
        units " of each set, separated by commas, where sets are unequal; replaces ways, and decides the capacity")   \
    KEY(section, "index", INDEX, field.index, 0, 4, kind, "",                                                         \
        "how " number " selects a set: by some of its bits (bits), modulo the number of sets (modulo), by folded "    \
        "bits (xor), by index_bits (linear), or dealt (" dealt " go to the sets in turn)")                            \
    KEY(section, "index_bits", MASKS, field.index_bits, least, 63, 0, "bit",                                          \
        "with index = linear: for each bit of the set's number, the lowest first, the address bits whose XOR it is; " \
        "those within a line or page don't count")                                                                    \
    KEY(section, "policy", REPLACEMENT, field.policy, 0, REPLACE_COUNT, REPLACE_LRU, "",                              \
        "replacement policy: which of a full set's " units " makes room")                                             \
    KEY(section, "weights", WEIGHTS, field.weights, 0, 1, 0, "",                                                      \
        "with policy = weighted: relative probabilities with which the ways are chosen, separated by commas")
#define CACHE_ROWS(section, field)                                                                                  \
    KEY(section, "size", SIZE, field.size, 0, 1073741824, 0, "byte", "capacity of the cache; 0: there is no cache") \
    KEY(section, "line", UINT, field.line, 32, 4096, 128, "byte", "size of a line, which has one tag")              \
    KEY(section, "sector", UINT, field.sector, 32, 4096, 32, "byte",                                                \
        "size of a sector, the part of a line that can be valid alone")                                             \
    KEY(section, "fill", UINT, field.fill, 32, 4096, 32, "byte",                                                    \
        "how much a miss fetches: the line's size, or the sector's to fetch only the sectors that it needs")        \
    SET_ROWS(section, field, "line", "lines", 4, INDEX_BITS, "an address", "lines", 5)                              \
    KEY(section, "index_low", UINT, field.index_low, 0, 40, 0, "bit",                                               \
        "lowest address bit that the index looks at; 0: the first bit above the line")                              \
    KEY(section, "latency", UINT, field.latency, 1, 65536, 30, "cycle",                                             \
        "time from the issue of a load that hits to the use of its value")                                          \
    KEY(section, "mshrs", UINT, field.mshrs, 1, 4096, 32, "miss",                                                   \
        "most misses that can be under way, each from its look-up to its fill (MSHRs, which track misses)")         \
    KEY(section, "merges", UINT, field.merges, 1, 65536, 8, "request", "most requests that can wait for one miss")  \
    KEY(section, "keep", BOOL, field.keep, 0, 1, 0, "",                                                             \
        "yes: what is cached stays from one kernel to the next; no: every kernel begins with an empty cache")
#define TLB_ROWS(section, field, doc)                                                                             \
    KEY(section, "entries", UINT, field.entries, 0, 65536, 0, "entry", "capacity of the TLB; 0: there is no TLB") \
    KEY(section, "page", SIZE, field.page, 1024, 1ull << 40, 2097152, "byte",                                     \
        "memory that an entry covers, a power of two")                                                            \
    SET_ROWS(section, field, "entry", "entries", 16, INDEX_MODULO, "a page's number", "pages", 10)                \
    KEY(section, "penalty", UINT, field.penalty, 0, 60000, 0, "cycle", doc)
#define PORT_ROWS(name, id)                                                                         \
    KEY("interval", name, UINT, sm.unit[CLASS_##id].interval, 0, 256, 1, "cycle",                   \
        "least time between two instructions of this class that one scheduler issues; 0: no limit") \
    KEY("rate", name, UINT, sm.unit[CLASS_##id].per_cycle, 0, 64, 0, "instruction/cycle",           \
        "most instructions of this class that an SM starts in a cycle; 0: no limit")
#define UNIT_ROWS(name, id)                                                             \
    KEY("latency", name, UINT, sm.unit[CLASS_##id].latency, 1, 4096, 4, "cycle",        \
        "time from the issue of an instruction of this class to the use of its result") \
    PORT_ROWS(name, id)

const Key gpu_keys[] = {
#define KEY(section, key, kind, field, min, max, standard, unit, doc) \
    {section, key, KEY_##kind, offsetof(Gpu, field), sizeof(((Gpu *)0)->field), min, max, standard, unit, doc},
#define CACHE(section, field) CACHE_ROWS(section, field)
#define UNIT(name, id) UNIT_ROWS(name, id)
#define TLB(section, field, doc) TLB_ROWS(section, field, doc)
#define PORT(name, id) PORT_ROWS(name, id)
#include "chip/desc.def"
#undef KEY
#undef CACHE
#undef UNIT
#undef PORT
#undef TLB
};
const size_t gpu_key_count = COUNT(gpu_keys);

static const char *const index_names[] = {"bits", "modulo", "xor", "dealt", "linear"};
static const char *const storage_names[] = {"partitioned", "fermi", "unified", "carved"};
static const char *const repartition_names[] = {"drop", "keep"};
static const char *const per_names[] = {"kernel", "program"};
static const char *const hierarchy_names[] = {"none", "recent", "strands"};
static const char *const counting_names[] = {"lowered", "ptx"};

static const char *enum_name(KeyKind kind, uint32_t k)
{
    switch (kind) {
    case KEY_POLICY: return k < policy_count ? policies[k]->name : NULL;
    case KEY_REPLACEMENT: return k < REPLACE_COUNT ? replacements[k].name : NULL;
    case KEY_INDEX: return k < COUNT(index_names) ? index_names[k] : NULL;
    case KEY_COUNTING: return k < COUNT(counting_names) ? counting_names[k] : NULL;
    case KEY_HIERARCHY: return k < COUNT(hierarchy_names) ? hierarchy_names[k] : NULL;
    case KEY_STORAGE: return k < COUNT(storage_names) ? storage_names[k] : NULL;
    case KEY_REPARTITION: return k < COUNT(repartition_names) ? repartition_names[k] : NULL;
    case KEY_PER: return k < COUNT(per_names) ? per_names[k] : NULL;
    case KEY_BOOL: return k == 0 ? "no" : k == 1 ? "yes" : NULL;
    default: return NULL;
    }
}

static void set_number(Gpu *g, const Key *k, double v)
{
    char *p = (char *)g + k->offset;
    if (k->kind == KEY_FIXED) v = floor(v * 256 + 0.5);
    if (k->kind == KEY_REAL)
        *(double *)(void *)p = v;
    else if (k->width == sizeof(bool))
        *(bool *)p = v != 0;
    else if (k->width == sizeof(uint64_t))
        *(uint64_t *)(void *)p = (uint64_t)v;
    else
        *(uint32_t *)(void *)p = (uint32_t)v;
}

static double get_number(const Gpu *g, const Key *k)
{
    const char *p = (const char *)g + k->offset;
    if (k->kind == KEY_REAL) return *(const double *)(const void *)p;
    double v = k->width == sizeof(bool)       ? *(const bool *)p
               : k->width == sizeof(uint64_t) ? (double)*(const uint64_t *)(const void *)p
                                              : *(const uint32_t *)(const void *)p;
    return k->kind == KEY_FIXED ? v / 256 : v;
}

static const Key *find_key(const char *section, const char *key)
{
    for (size_t i = 0; i < gpu_key_count; i++)
        if (!strcmp(gpu_keys[i].key, key) && !strcmp(gpu_keys[i].section, section))
            return &gpu_keys[i];  // sections repeat
    return NULL;
}

static bool is_list(KeyKind kind) { return kind >= KEY_WEIGHTS; }

// Reads bits of an address, such as 7^13, from a list and moves *list behind them. A bit that comes twice cancels
// itself.
static bool next_mask(const char **list, const Key *k, uint64_t *mask)
{
    const char *text = *list + strspn(*list, " ,");
    for (*mask = 0;; text++) {
        char item[8] = {0};
        size_t n = strcspn(text, "^ ,");
        uint64_t bit;
        if (n >= sizeof item) return false;
        memcpy(item, text, n);
        if (!parse_size(item, &bit) || (double)bit < k->min || (double)bit > k->max) return false;
        *mask ^= 1ull << bit;
        text += n;
        if (*text == '^') continue;
        *list = text + strspn(text, " ,");
        return *mask != 0;
    }
}

// Reads a list into its field. Weights and reals are doubles, masks have 64 bits, sets are whole numbers. Masks and
// sets have their count behind them, in CacheCfg, TlbCfg and SmCfg alike; behind the last real there are zeros.
static bool set_list(Gpu *g, const Key *k, const char *text)
{
    char *p = (char *)g + k->offset, item[64];
    size_t n = 0, most = k->width / (k->kind == KEY_SETS ? sizeof(uint32_t) : sizeof(uint64_t));
    bool real = k->kind == KEY_WEIGHTS || k->kind == KEY_REALS;
    if (k->kind == KEY_REALS) memset(p, 0, k->width);
    while (*text) {
        uint64_t u;
        double v;
        if (n == most || !(k->kind == KEY_MASKS ? next_mask(&text, k, &u) : list_word(&text, item))) return false;
        if (real) {
            if (!parse_double(item, &v) || v < 0 || v > MOST_WEIGHT) return false;
            ((double *)(void *)p)[n++] = v;
        } else if (k->kind == KEY_MASKS) {
            ((uint64_t *)(void *)p)[n++] = u;
        } else {
            if (!parse_size(item, &u) || (double)u < k->min || (double)u > k->max) return false;
            ((uint32_t *)(void *)p)[n++] = (uint32_t)u;
        }
    }
    if (!real) *(uint32_t *)(void *)(p + k->width) = (uint32_t)n;
    return n > 0 || k->kind == KEY_MASKS;  // without masks: as if the key weren't there
}

static bool set_value(Gpu *g, const Key *k, const char *text, const char **why)
{
    double v = 0;
    uint64_t u;
    *why = NULL;
    switch (k->kind) {
    case KEY_UINT:
    case KEY_SIZE:
        if (!parse_size(text, &u)) *why = "a whole number is expected, such as 16 or 48KiB";
        v = (double)u;
        break;
    case KEY_REAL:
    case KEY_FIXED:
        if (!parse_double(text, &v)) *why = "a number is expected";
        break;
    case KEY_WEIGHTS:
    case KEY_REALS:
    case KEY_SETS:
        if (!set_list(g, k, text)) *why = "a list of numbers is expected, such as 1, 3, 1, 1";
        return !*why;
    case KEY_MASKS:
        if (!set_list(g, k, text)) *why = "a list of address bits is expected, such as 7^13, 8^14, 9";
        return !*why;
    default: {
        uint32_t n = 0;
        const char *name;
        while ((name = enum_name(k->kind, n)) && strcmp(name, text)) n++;
        if (!name) *why = "";
        v = n;
    }
    }
    if (!*why && !enum_name(k->kind, 0) && !(v >= k->min && v <= k->max)) *why = "";
    if (*why) return false;
    set_number(g, k, v);
    return true;
}

static void put_range(const Key *k, Text *out)
{
    char low[32], high[32];
    if (k->kind == KEY_SIZE)
        format_bytes(low, k->min), format_bytes(high, k->max), text_printf(out, "%s to %s", low, high);
    else
        text_printf(out, "%.15g to %.15g%s%s", k->min, k->max, *k->unit ? " " : "", k->unit);
}

// Reports a bad value. why: what was expected; "": one of a table's names, or a number in the key's range.
static bool bad_value(const Key *k, const char *text, const char *why, const Source *s, size_t at, Diag *diag)
{
    if (*why) return diag_at(diag, s, at, k->doc, "%s.%s: %s", k->section, k->key, why);
    Text message = {0}, hint = {0};
    text_printf(&message, "%s.%s: '%s' is ", k->section, k->key, text);
    text_put(&hint, k->doc);
    if (enum_name(k->kind, 0)) {
        const char *names[64];
        uint32_t n = 0;
        while (n < COUNT(names) && (names[n] = enum_name(k->kind, n))) n++;
        const char *near = nearest_name(text, names, n);
        if (near) hint.n = 0, text_printf(&hint, "did you mean %s?", near);
        text_put(&message, "none of ");
        for (uint32_t i = 0; i < n; i++) text_printf(&message, "%s%s", !i ? "" : i + 1 < n ? ", " : " and ", names[i]);
    } else {
        text_put(&message, "out of range: ");
        put_range(k, &message);
    }
    diag_at(diag, s, at, hint.v, "%s", message.v);
    text_free(&message), text_free(&hint);
    return false;
}

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
    const char *near = nearest_name(full, list, n);
    if (near)
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
        const char *near = nearest_name(name, names, n);
        return diag_error(
            diag, "unknown GPU '%s'%s%s%s\nhint: onchip list gpus shows the shipped ones; a file is given by its path",
            name, near ? "; did you mean '" : "", near ? near : "", near ? "'?" : "");
    }
    if (!text_read_file(&text, name))
        return diag_error(diag, "can't read the GPU description %s: %s", name, strerror(errno));
    bool ok = ini_parse(ini, name, text.v ? text.v : "", text.n, diag);
    text_free(&text);
    return ok;
}

typedef bool EntryFn(void *user, const Key *k, const IniEntry *e, const Source *s);  // k null: a policy's parameter

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

// Where one file, or the command line, gives the capacity of tlb1 and of tlb2; without a text: it doesn't.
typedef struct Capacities {
    Source source[2];
    size_t at[2];
} Capacities;

static void note_capacity(Capacities *c, const Key *k, const Source *source, size_t at)
{
    static const char *const sections[] = {"tlb1", "tlb2"};
    for (int n = 0; n < 2; n++)
        if (!strcmp(k->section, sections[n]) && !strcmp(k->key, "entries")) c->source[n] = *source, c->at[n] = at;
}

// Sizes of unequal sets settle the capacity of a TLB that there is. Who gives the capacity too, of sets given here or
// in the base, must give the same.
static bool settle_capacities(Gpu *g, const Capacities *c, Diag *diag, EntryFn *seen, void *user)
{
    TlbCfg *const tlbs[] = {&g->sm.tlb, &g->tlb2};
    for (int n = 0; n < 2; n++) {
        TlbCfg *t = tlbs[n];
        const Key *k = find_key(n ? "tlb2" : "tlb1", "entries");
        uint64_t sum = 0;
        for (uint32_t s = 0; s < t->set_count; s++) sum += t->sets[s];
        if (!t->entries || !sum || t->entries == sum) continue;
        if (c->source[n].text)
            return diag_at(diag, &c->source[n], c->at[n],
                           "the sets settle the capacity: give the sets alone, or both alike",
                           "%s.entries is %u, and %s.sets add up to %llu", k->section, t->entries, k->section,
                           (unsigned long long)sum);
        char value[32];
        const char *why;
        IniEntry e = {.section = k->section, .key = k->key, .value = value, .comment = "the sum of the sets"};
        Source s = {"the sum of the sets", value,
                    (size_t)snprintf(value, sizeof value, "%llu", (unsigned long long)sum)};
        if (!set_value(g, k, value, &why)) return bad_value(k, value, why, &s, 0, diag);
        if (seen) seen(user, k, &e, &s);
    }
    return true;
}

// A parameter of a policy. On the command line it is known by now which policy.
static bool apply_param(Gpu *g, const IniEntry *e, const Source *s, bool command, Diag *diag)
{
    const oc_policy_param *p = sched_param(g, e->key), *chosen = policy_param(g->sm.schedule, e->key);
    uint64_t whole;
    double v;
    Text no = {0};
    bool ok = p->whole && parse_size(e->value, &whole) ? (v = (double)whole, true) : parse_double(e->value, &v);
    const char *why = ok ? sched_set(g, e->key, v) : "a number is expected";
    if (why) return diag_at(diag, s, e->value_at, p->doc, "sched.%s: %s", e->key, why);
    if (command && chosen && !sched_fits(g->sm.schedule, chosen, v, &no)) {
        diag_at(diag, s, e->value_at, chosen->doc, "%s", no.v);
        ok = false;
    }
    text_free(&no);
    return ok;
}

static bool refuse_policy(const IniEntry *e, const Source *s, const char *why, Diag *diag)
{
    const char *near = policy_near(e->value);
    char hint[80] = "a shared object is given by its path, such as ./mine.so";
    if (near) snprintf(hint, sizeof hint, "did you mean %s?", near);
    return diag_at(diag, s, e->value_at, policy_is_path(e->value) ? NULL : hint, "sched.policy: %s", why);
}

// command: it stands on the command line, or the caller of the library gave it.
static bool apply_entry(Gpu *g, const IniEntry *e, const Source *s, bool command, Capacities *given, Diag *diag,
                        EntryFn *seen, void *user)
{
    const Key *k = find_key(e->section, e->key);
    const char *why;
    if (!k && (strcmp(e->section, "sched") || !sched_param(g, e->key)))
        return unknown_key(g, e->section, e->key, s, e->key_at, diag);
    if (!k) {
        if (!apply_param(g, e, s, command, diag)) return false;
    } else if (k->kind == KEY_POLICY) {
        Text no = {0};
        bool ok = sched_choose(g, e->value, command, &no) || refuse_policy(e, s, no.v, diag);
        text_free(&no);
        if (!ok) return false;
    } else if (!set_value(g, k, e->value, &why)) {
        return bad_value(k, e->value, why, s, e->value_at, diag);
    } else {
        note_capacity(given, k, s, e->value_at);
    }
    if (seen) seen(user, k, e, s);
    return true;
}

static bool apply_file(Gpu *g, const char *name, const Chain *above, Diag *diag, EntryFn *seen, void *user)
{
    Ini ini = {0};
    Capacities given = {.at = {0}};
    Chain chain = {above, name, above ? above->depth + 1 : 0};
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
        ok = apply_entry(g, e, &ini.source, false, &given, diag, seen, user);
    }
    ok = ok && settle_capacities(g, &given, diag, seen, user);
    ini_free(&ini);
    return ok;
}

static bool apply_set(Gpu *g, const char *set, Capacities *given, Diag *diag, EntryFn *seen, void *user)
{
    Source s = {"--set", set, strlen(set)};
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
    return apply_entry(g, &e, &s, true, given, diag, seen, user);
}

// --- reading ---------------------------------------------------------------------------------------------------------
static bool load(Gpu *g, const char *name, const char *const *sets, Diag *diag, EntryFn *seen, void *user)
{
    *g = (Gpu){.name = "", .sm.schedule = policies[0]};
    const char *slash = strrchr(name, '/');
    snprintf(g->name, sizeof g->name, "%s", slash ? slash + 1 : name);
    for (size_t i = 0; i < gpu_key_count; i++)
        if (!is_list(gpu_keys[i].kind)) set_number(g, &gpu_keys[i], gpu_keys[i].standard);
    CacheCfg *caches[] = {&g->sm.l1, &g->sm.ro, &g->sm.cst, &g->part.l2};
    for (size_t c = 0; c < COUNT(caches); c++)
        for (int w = 0; w < 32; w++) caches[c]->weights[w] = 1;
    for (int w = 0; w < 32; w++) g->sm.tlb.weights[w] = g->tlb2.weights[w] = 1;
    if (!apply_file(g, name, NULL, diag, seen, user)) return false;
    Capacities given = {.at = {0}};
    static const char policy[] = "sched.policy=";  // first, since parameters may be a plug-in's
    for (int first = 1; first >= 0; first--)
        for (const char *const *set = sets; set && *set; set++)
            if ((strncmp(*set, policy, sizeof policy - 1) == 0) == first &&
                !apply_set(g, *set, &given, diag, seen, user))
                return false;
    return settle_capacities(g, &given, diag, seen, user);
}

bool gpu_load(Gpu *g, const char *name, const char *const *sets, Diag *diag)
{
    bool ok = load(g, name, sets, diag, NULL, NULL) && gpu_derive(g, diag);
    if (!ok) gpu_free(g);
    return ok;
}

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

static bool note_origin(void *user, const Key *k, const IniEntry *e, const Source *s)
{
    Origins *o = user;
    (void)s;
    if (!k) {
        map_put(&o->params, e->key, strlen(e->key), (int64_t)o->comments.n);
        vec_push(&o->comments, arena_copy(&o->arena, e->comment));
        return true;
    }
    size_t i = (size_t)(k - gpu_keys);
    if (i >= COUNT(o->text)) return true;
    o->text[i] = arena_copy(&o->arena, e->comment);
    o->value[i] = arena_copy(&o->arena, e->value);
    return true;
}

// The rows of a section may stand apart in the registry, as those of [latency], a row for each unit. Calls row for
// every key, a section at a time, in the order in which sections first come; head before its first.
static void by_section(void (*head)(void *user, const char *section), void (*row)(void *user, const Key *k), void *user)
{
    for (size_t i = 0; i < gpu_key_count; i++) {
        const char *section = gpu_keys[i].section;
        bool seen = false;
        for (size_t j = 0; j < i; j++) seen |= !strcmp(gpu_keys[j].section, section);
        if (seen) continue;
        head(user, section);
        for (size_t j = i; j < gpu_key_count; j++)
            if (!strcmp(gpu_keys[j].section, section)) row(user, &gpu_keys[j]);
    }
}

typedef struct Show {
    Gpu gpu;
    Origins origins;
    Text *out;
} Show;

static void show_head(void *user, const char *section)
{
    Text *out = ((Show *)user)->out;
    text_printf(out, "%s[%s]\n", out->n ? "\n" : "", section);
}

static void show_value(Text *out, const char *key, const char *value, const char *unit, const char *from)
{
    size_t n = strlen(unit);  // some comments begin with it
    bool told = !n || (!strncmp(from, unit, n) && from[n] == ',');
    text_printf(out, "%-14s = %-12s # %s%s%s\n", key, value, told ? "" : unit, told ? "" : "; ", from);
}

// The chosen policy's parameters.
static void show_params(const Show *s)
{
    const oc_policy_type *t = s->gpu.sm.schedule;
    for (size_t k = 0; k < policy_params(t); k++) {
        const oc_policy_param *p = &t->params[k];
        char value[32];
        int64_t at;
        bool given = map_get(&s->origins.params, p->name, strlen(p->name), &at);
        snprintf(value, sizeof value, "%.15g", sched_value(&s->gpu, p));
        const char *from = given ? s->origins.comments.v[at] : p->source;
        show_value(s->out, p->name, value, p->unit, *from ? from : "no provenance given");
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
    else if (is_list(k->kind))
        return;
    else if (enum_name(k->kind, 0))
        snprintf(value, sizeof value, "%s", enum_name(k->kind, (uint32_t)get_number(&s->gpu, k)));
    else
        snprintf(value, sizeof value, "%.15g", get_number(&s->gpu, k));
    from = !from ? "default" : *from ? from : "no provenance given";
    show_value(s->out, k->key, value, k->unit, from);
    if (k->kind == KEY_POLICY) show_params(s);
}

bool gpu_show(const char *name, const char *const *sets, Text *out, Diag *diag)
{
    Show s = {.out = out};
    bool ok = load(&s.gpu, name, sets, diag, note_origin, &s.origins);
    Gpu g = s.gpu;  // what is derived isn't shown
    ok = ok && gpu_derive(&g, diag);
    if (ok) by_section(show_head, show_row, &s);
    origins_free(&s.origins);
    gpu_free(&s.gpu);
    return ok;
}

// As set_list reads it.
static void canonical_list(const Key *k, const char *text, Text *out)
{
    char item[64];
    double v;
    uint64_t u;
    while (text && k->kind == KEY_MASKS && *text && next_mask(&text, k, &u))
        text_printf(out, "%llx ", (unsigned long long)u);
    while (text && k->kind != KEY_MASKS && list_word(&text, item))
        text_printf(out, "%.17g ", parse_size(item, &u) ? (double)u : parse_double(item, &v) ? v : 0);
    text_put(out, "\n");
}

// The policy is known by its name, a plug-in by what its file holds; with it go the values of its parameters.
static void canonical_policy(const Gpu *g, Text *out)
{
    const oc_policy_type *t = g->sm.schedule;
    text_printf(out, "sched.policy=%s", t->name);
    if (g->sm.policy == policy_count)
        text_printf(out, " %016llx%016llx", (unsigned long long)g->plugin->hash[0],
                    (unsigned long long)g->plugin->hash[1]);
    text_put(out, "\n");
    for (size_t k = 0; k < policy_params(t); k++)
        text_printf(out, "sched.%s=%.17g\n", t->params[k].name, g->sm.param[k]);
}

bool gpu_canonical(Gpu *gpu, const char *name, const char *const *sets, Text *out, Diag *diag)
{
    Gpu own, *g = gpu ? gpu : &own;
    Origins o = {0};
    bool ok = load(g, name, sets, diag, note_origin, &o) && sched_settle(g, diag);
    for (size_t i = 0; ok && i < gpu_key_count; i++) {
        const Key *k = &gpu_keys[i];
        bool list = is_list(k->kind);
        double v = list ? 0 : get_number(g, k);
        if (k->kind == KEY_POLICY)
            canonical_policy(g, out);
        else if (list)
            text_printf(out, "%s.%s=", k->section, k->key), canonical_list(k, o.value[i], out);
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

bool gpu_number(const Gpu *g, const char *name, double *value)
{
    const char *dot = strchr(name, '.');
    char section[64];
    if (!dot || (size_t)(dot - name) >= sizeof section) return false;
    snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
    const Key *k = find_key(section, dot + 1);
    for (size_t n = 0; !k && !strcmp(section, "sched") && n < policy_params(g->sm.schedule); n++)
        if (!strcmp(g->sm.schedule->params[n].name, dot + 1)) return *value = g->sm.param[n], true;
    if (!k || is_list(k->kind)) return false;
    *value = get_number(g, k);
    if (!strcmp(name, "l2.size")) *value *= g->part.absent ? 0 : g->part.partitions;  // kept per slice
    return true;
}

static void manual_head(void *user, const char *section)
{
    text_printf(user, "\n## [%s]\n\n| key | range | default | unit | |\n|---|---|---|---|---|\n", section);
}

static void manual_row(void *user, const Key *k)
{
    Text *out = user;
    text_printf(out, "| `%s` | ", k->key);
    if (is_list(k->kind))
        text_put(out, "list | none");
    else if (enum_name(k->kind, 0)) {
        for (uint32_t n = 0; enum_name(k->kind, n); n++) text_printf(out, "%s%s", n ? ", " : "", enum_name(k->kind, n));
        text_printf(out, " | %s", enum_name(k->kind, (uint32_t)k->standard));
    } else
        text_printf(out, "%.15g … %.15g | %.15g", k->min, k->max, k->standard);
    text_printf(out, " | %s | %s |\n", k->unit, k->doc);
    if (k->kind == KEY_POLICY) sched_manual(out);
}

void gpu_manual(Text *out)
{
    text_put(out,
             "# Keys of a GPU description\n\nA GPU description is an INI file. Each key below stands in the section "
             "that its heading names. The comment behind\n"
             "a value says where the value comes from (its provenance). A description can start from another one: "
             "its first key is\nthen `[gpu] base = NAME`. A key that is missing has its default. Any key can be set "
             "on the command line, too:\n`--set l1.size=48KiB`.\n\n`onchip show keys` prints this page from "
             "src/chip/desc.def and src/chip/desc.c.\n");
    by_section(manual_head, manual_row, out);
}
