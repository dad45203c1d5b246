// keys.c: the keys of a GPU description, and the values that they can have: how each kind is written, in which field of
// a Gpu it is kept, and how it is refused. A key is a row of desc.def; a list of numbers is its field and a count.
#include "gpu/unit.h"
#include "mem/replacement.h"

#include <math.h>
#include <string.h>

#define MOST_WEIGHT 1e9  // of a way: a sum of 65536 of them is exact enough
// What caches and TLBs share: their sets hold lines or entries, and a line's address or a page's number selects one.
#define SET_ROWS(section, field, unit, units, standard, kind, number, dealt, least)                                   \
    KEY(section, "ways", UINT, field.ways, 1, 65536, standard, unit, "number of " units " in a set")                  \
    KEY(section, "sets", SETS, field.sets, 1, 65536, 0, unit,                                                         \
        units " of each set, separated by commas, where sets are unequal; replaces ways, and settles the capacity, "  \
              "which may then be left out")                                                                           \
    KEY(section, "index", INDEX, field.index, 0, 4, kind, "",                                                         \
        "how " number " selects a set: by some of its bits (bits), modulo the number of sets (modulo), by folded "    \
        "bits (xor), by index_bits (linear), or dealt (" dealt " go to the sets in turn)")                            \
    KEY(section, "index_bits", MASKS, field.index_bits, least, 63, 0, "bit",                                          \
        "with index = linear: for each bit of the set's number, the lowest first, the address bits whose XOR it is; " \
        "those within a line or page don't count")                                                                    \
    KEY(section, "replacement", REPLACEMENT, field.replacement, 0, REPLACE_COUNT, REPLACE_LRU, "",                    \
        "which of a full set's " units " makes room")                                                                 \
    KEY(section, "weights", WEIGHTS, field.weights, 0, 1, 0, "",                                                      \
        "with replacement = weighted: relative probabilities with which the ways are chosen, separated by commas")
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
        "yes: cached lines stay from one kernel to the next; no: every kernel begins with an empty cache")
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
#include "gpu/desc.def"
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
static const char *const interleave_names[] = {"no", "yes", "spills"};
static const char *const reorder_names[] = {"no", "yes", "occupancy"};
static const char *const gather_names[] = {"no", "constant", "lanes"};
static const char *const fence_names[] = {"keep", "empty"};
static const char *const hierarchy_names[] = {"none", "recent", "strands"};
static const char *const counting_names[] = {"lowered", "ptx", "sass"};

const char *key_name(KeyKind kind, uint32_t k)
{
    switch (kind) {
    case KEY_POLICY: return k < policy_count ? policies[k]->name : NULL;
    case KEY_REPLACEMENT: return k < REPLACE_COUNT ? replacements[k].name : NULL;
    case KEY_PREFETCH: return !k ? "none" : k <= prefetcher_count ? prefetchers[k - 1]->name : NULL;
    case KEY_INDEX: return k < COUNT(index_names) ? index_names[k] : NULL;
    case KEY_COUNTING: return k < COUNT(counting_names) ? counting_names[k] : NULL;
    case KEY_HIERARCHY: return k < COUNT(hierarchy_names) ? hierarchy_names[k] : NULL;
    case KEY_STORAGE: return k < COUNT(storage_names) ? storage_names[k] : NULL;
    case KEY_REPARTITION: return k < COUNT(repartition_names) ? repartition_names[k] : NULL;
    case KEY_PER: return k < COUNT(per_names) ? per_names[k] : NULL;
    case KEY_REORDER: return k < COUNT(reorder_names) ? reorder_names[k] : NULL;
    case KEY_GATHER: return k < COUNT(gather_names) ? gather_names[k] : NULL;
    case KEY_FENCE: return k < COUNT(fence_names) ? fence_names[k] : NULL;
    case KEY_INTERLEAVE: return k < COUNT(interleave_names) ? interleave_names[k] : NULL;
    case KEY_BOOL: return k == 0 ? "no" : k == 1 ? "yes" : NULL;
    default: return NULL;
    }
}

void key_put(Gpu *g, const Key *k, double v)
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

double key_get(const Gpu *g, const Key *k)
{
    const char *p = (const char *)g + k->offset;
    if (k->kind == KEY_REAL) return *(const double *)(const void *)p;
    double v = k->width == sizeof(bool)       ? *(const bool *)p
               : k->width == sizeof(uint64_t) ? (double)*(const uint64_t *)(const void *)p
                                              : *(const uint32_t *)(const void *)p;
    return k->kind == KEY_FIXED ? v / 256 : v;
}

const Key *key_find(const char *section, const char *key) { return key_behind(gpu_keys, section, key); }

const Key *key_behind(const Key *first, const char *section, const char *key)
{
    const Key *k = first;
    for (size_t i = 0; i < gpu_key_count; i++, k++) {
        if (k == gpu_keys + gpu_key_count) k = gpu_keys;
        if (*k->key != *key || *k->section != *section) continue;  // most differ here, and no call is needed
        if (!strcmp(k->key, key) && !strcmp(k->section, section)) return k;
    }
    return NULL;
}

bool key_is_list(KeyKind kind) { return kind >= KEY_WEIGHTS; }

// The count of masks and sets lies right after the list.
#define COUNTED(type, list, count)                                                              \
    _Static_assert(offsetof(type, count) == offsetof(type, list) + sizeof(((type *)0)->list) && \
                       sizeof(((type *)0)->count) == sizeof(uint32_t),                          \
                   "set_list writes the count of " #type "." #list " behind it")
COUNTED(CacheCfg, sets, set_count);
COUNTED(CacheCfg, index_bits, index_bit_count);
COUNTED(TlbCfg, sets, set_count);
COUNTED(TlbCfg, index_bits, index_bit_count);
COUNTED(SmCfg, carveouts, carveout_count);
COUNTED(SmCfg, tag_bits, tag_bit_count);
COUNTED(PartitionCfg, slice_bits, slice_bit_count);
COUNTED(DramCfg, bank_bits, bank_bit_count);

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

static bool set_names(Gpu *g, const Key *k, const char *text, Diag *diag)
{
    if (strlen(text) >= k->width) return diag_error(diag, "names of at most %zu bytes are expected", k->width - 1);
    snprintf((char *)g + k->offset, k->width, "%s", text);
    return true;
}

// Reads a list into its field. Weights and reals are doubles, masks have 64 bits, sets are whole numbers. Masks and
// sets have their count behind them; behind the last real there are zeros.
static bool set_list(Gpu *g, const Key *k, const char *text, Diag *diag)
{
    char *p = (char *)g + k->offset, item[64];
    size_t n = 0, most = k->width / (k->kind == KEY_SETS ? sizeof(uint32_t) : sizeof(uint64_t));
    bool real = k->kind == KEY_WEIGHTS || k->kind == KEY_REALS, ok = true;
    if (k->kind == KEY_REALS) memset(p, 0, k->width);
    while (*text && ok) {
        uint64_t u = 0;
        double v = 0;
        if (n == most) return diag_error(diag, "a list of at most %zu values is expected", most);
        ok = k->kind == KEY_MASKS ? next_mask(&text, k, &u) : list_word(&text, item);
        if (!ok) break;
        if (real) {
            ok = parse_double(item, &v) && v >= 0 && v <= MOST_WEIGHT;
            ((double *)(void *)p)[n++] = v;
        } else if (k->kind == KEY_MASKS) {
            ((uint64_t *)(void *)p)[n++] = u;
        } else {
            ok = parse_size(item, &u) && (double)u >= k->min && (double)u <= k->max;
            ((uint32_t *)(void *)p)[n++] = (uint32_t)u;
        }
    }
    if (!real) *(uint32_t *)(void *)(p + k->width) = (uint32_t)n;
    if (ok && (n || k->kind == KEY_MASKS)) return true;  // without masks: as if the key weren't there
    diag_error(diag, k->kind == KEY_MASKS ? "a list of address bits is expected, such as 7^13, 8^14, 9"
                                          : "a list of numbers is expected, such as 1, 3, 1, 1");
    return false;
}

// Reads a value into its field. False, with what was expected in why; nothing: one of the names, or a number in range.
static bool read_value(Gpu *g, const Key *k, const char *text, Diag *diag)
{
    double v = 0;
    uint64_t u;
    uint32_t n = 0;
    const char *name;
    if (k->kind == KEY_NAMES) return set_names(g, k, text, diag);
    if (key_is_list(k->kind)) return set_list(g, k, text, diag);
    switch (k->kind) {
    case KEY_UINT:
    case KEY_SIZE:
        if (!parse_size(text, &u)) return diag_error(diag, "a whole number is expected, such as 16 or 48KiB");
        v = (double)u;
        break;
    case KEY_REAL:
    case KEY_FIXED:
        if (!parse_double(text, &v)) return diag_error(diag, "a number is expected");
        break;
    default:
        while ((name = key_name(k->kind, n)) && strcmp(name, text)) n++;
        if (!name) return false;
        v = n;
    }
    if (!key_name(k->kind, 0) && !(v >= k->min && v <= k->max)) return false;
    key_put(g, k, v);
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

// Reports what read_value refused; false.
static bool refuse_value(const Key *k, const char *text, const Diag *why, const Source *s, size_t at, Diag *diag)
{
    if (why->failed) return diag_at(diag, s, at, k->doc, "%s.%s: %s", k->section, k->key, why->text.v);
    Text message = {0}, hint = {0};
    text_printf(&message, "%s.%s: '%s' is ", k->section, k->key, text);
    text_put(&hint, k->doc);
    if (key_name(k->kind, 0)) {
        const char *names[64];
        uint32_t n = 0;
        while (n < COUNT(names) && (names[n] = key_name(k->kind, n))) n++;
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

bool key_set(Gpu *g, const Key *k, const char *text, const Source *s, size_t at, Diag *diag)
{
    Diag why = {0};
    bool ok = read_value(g, k, text, &why) || refuse_value(k, text, &why, s, at, diag);
    diag_free(&why);
    return ok;
}

// As set_list reads it.
void key_canonical_list(const Key *k, const char *text, Text *out)
{
    char item[64];
    double v;
    uint64_t u;
    if (text && k->kind == KEY_NAMES) text_put(out, text);
    while (text && k->kind == KEY_MASKS && *text && next_mask(&text, k, &u))
        text_printf(out, "%llx ", (unsigned long long)u);
    while (text && k->kind != KEY_MASKS && k->kind != KEY_NAMES && list_word(&text, item))
        text_printf(out, "%.17g ", parse_size(item, &u) ? (double)u : parse_double(item, &v) ? v : 0);
    text_put(out, "\n");
}

// The rows of a section may stand apart in the registry, as those of [latency], a row for each unit. Calls row for
// every key, a section at a time, in the order in which sections first come; head before its first.
void keys_by_section(void (*head)(void *user, const char *section), void (*row)(void *user, const Key *k), void *user)
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

bool gpu_number(const Gpu *g, const char *name, double *value)
{
    const char *dot = strchr(name, '.');
    char section[64];
    if (!dot || (size_t)(dot - name) >= sizeof section) return false;
    snprintf(section, sizeof section, "%.*s", (int)(dot - name), name);
    const Key *k = key_find(section, dot + 1);
    if (!k) return plug_number(g, section, dot + 1, value);
    if (key_is_list(k->kind)) return false;
    *value = key_get(g, k);
    if (!strcmp(name, "l2.size")) *value *= g->part.absent ? 0 : g->part.partitions;  // kept per slice
    return true;
}
