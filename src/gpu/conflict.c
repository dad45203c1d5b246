// conflict.c: settings of the command line that overrule each other. A description may carry values that another of its
// keys leaves without effect. Whoever gives both by hand wants both, so that is refused, unless they agree.
#include "gpu/unit.h"
#include "mem/replacement.h"

#include <string.h>

// A key that counts only with some values of another.
typedef struct Rule {
    const char *section, *key;
    const char *by;       // "section.key"; without a dot: of the same section
    uint32_t with;        // a bit for each value of `by` with which it counts
    const char *instead;  // what to do
} Rule;
#define BIT(value) (1u << (value))
#define OF_STORAGE "storage.kind lets each launch choose this size; it divides storage.size"
#define OF_INDEX(section)                                                                           \
    {                                                                                               \
        section, "index_bits", "index", BIT(INDEX_LINEAR), "index_bits are those of index = linear" \
    }
#define OF_WEIGHTS(section)                                                                                     \
    {                                                                                                           \
        section, "weights", "replacement", BIT(REPLACE_WEIGHTED), "weights are those of replacement = weighted" \
    }
#define OF_SETS(section) OF_INDEX(section), OF_WEIGHTS(section)
#define OF_DRAM(key)                                                                                   \
    {                                                                                                  \
        "dram", key, "simple", BIT(0), "dram.simple = yes leaves no timings but latency and bandwidth" \
    }
#define OF_FILES(key)                                                                  \
    {                                                                                  \
        "registers", key, "hierarchy", BIT(HIERARCHY_RECENT) | BIT(HIERARCHY_STRANDS), \
            "without small files it has no size"                                       \
    }
static const Rule rules[] = {
    {"l1", "size", "storage.kind", BIT(STORAGE_PARTITIONED), OF_STORAGE},
    {"shared", "size", "storage.kind", BIT(STORAGE_PARTITIONED), OF_STORAGE},
    {"registers", "count", "storage.kind", (uint32_t)~BIT(STORAGE_UNIFIED), OF_STORAGE},
    {"storage", "carveouts", "kind", BIT(STORAGE_CARVED), "carveouts are those of storage.kind = carved"},
    {"storage", "kernels", "kind", BIT(STORAGE_CARVED), "kernels prefer one of storage.carveouts"},
    OF_SETS("l1"),
    OF_SETS("readonly"),
    OF_SETS("const"),
    OF_SETS("l2"),
    OF_SETS("tlb1"),
    OF_SETS("tlb2"),
    OF_FILES("lrf"),
    OF_FILES("orf"),
    OF_DRAM("banks"),
    OF_DRAM("bank_bits"),
    OF_DRAM("row"),
    OF_DRAM("cl"),
    OF_DRAM("rcd"),
    OF_DRAM("rp"),
    OF_DRAM("ras"),
    OF_DRAM("wl"),
    OF_DRAM("rrd"),
    OF_DRAM("rtw"),
    OF_DRAM("wtr"),
    OF_DRAM("wr"),
    OF_DRAM("groups"),
    OF_DRAM("ccdl"),
    OF_DRAM("burst"),
};

// The last of sets that gives this key; null: none does.
static const char *given(const char *const *sets, const char *section, const char *key)
{
    const char *last = NULL;
    size_t n = strlen(section), m = strlen(key);
    for (; sets && *sets; sets++)
        if (!strncmp(*sets, section, n) && (*sets)[n] == '.' && !strncmp(*sets + n + 1, key, m) &&
            (*sets)[n + 1 + m] == '=')
            last = *sets;
    return last;
}

static bool refuse(const char *set, const char *other, const char *hint, Diag *diag)
{
    Source s = {.name = "--set", .text = set, .length = strlen(set)};
    return diag_at(diag, &s, strcspn(set, "=") + 1, hint, "%s has no effect beside %s", set, other);
}

// Ways are overruled by sets, which agree where each set has that many.
static bool sets_agree(const Gpu *g, const char *const *sets, int level, Diag *diag)
{
    const CacheCfg *const caches[] = {&g->sm.l1, &g->sm.ro, &g->sm.cst, &g->part.l2};
    static const char *const section[CAPACITIES] = {"l1", "readonly", "const", "l2", "tlb1", "tlb2"};
    const char *ways = given(sets, section[level], "ways"), *of = given(sets, section[level], "sets");
    bool cache = level < (int)COUNT(caches), agree = true;
    const TlbCfg *t = level == COUNT(caches) ? &g->sm.tlb : &g->tlb2;
    const uint32_t *sizes = cache ? caches[level]->sets : t->sets, n = cache ? caches[level]->set_count : t->set_count,
                   each = cache ? caches[level]->ways : t->ways;
    for (uint32_t k = 0; k < n; k++) agree &= sizes[k] == each;
    return !ways || !of || agree ||
           refuse(ways, of, "sets says how many each set has, and ways is for sets alike: give one of them", diag);
}

// The other key of a rule: its section, and the key itself.
static const Key *ruler(const Rule *r, char section[32])
{
    const char *dot = strchr(r->by, '.');
    snprintf(section, 32, "%.*s", dot ? (int)(dot - r->by) : 31, dot ? r->by : r->section);
    return key_find(section, dot ? dot + 1 : r->by);
}

static bool counts(const Gpu *g, const Rule *r, const Key *by) { return r->with >> (uint32_t)key_get(g, by) & 1; }

static bool rule_kept(const Gpu *g, const char *const *sets, const Rule *r, Diag *diag)
{
    char section[32];
    const Key *other = ruler(r, section);
    const char *set = given(sets, r->section, r->key), *by = given(sets, section, other->key);
    return !set || !by || counts(g, r, other) || refuse(set, by, r->instead, diag);
}

bool gpu_unused(const Gpu *g, const char *const *sets, Text *out)
{
    for (size_t k = 0; k < COUNT(rules); k++) {
        const Rule *r = &rules[k];
        const char *set = given(sets, r->section, r->key);
        if (!set || strcmp(r->by, "storage.kind") != 0) continue;
        char section[32];
        const Key *kind = ruler(r, section);
        if (counts(g, r, kind)) continue;
        text_printf(out, "%s has no effect on %s: storage.kind = %s lets each launch choose this size, of storage.size",
                    set, g->name, key_name(kind->kind, (uint32_t)key_get(g, kind)));
        return true;
    }
    return false;
}

bool conflict_check(const Gpu *g, const char *const *sets, Diag *diag)
{
    for (int level = 0; level < CAPACITIES; level++)
        if (!sets_agree(g, sets, level, diag)) return false;
    for (size_t k = 0; k < COUNT(rules); k++)
        if (!rule_kept(g, sets, &rules[k], diag)) return false;
    return true;
}
