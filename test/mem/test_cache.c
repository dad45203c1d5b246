// Caches against scripts of accesses worked out by hand (data/*.cache), against a naive model on random accesses, and
// against the described probabilities of replacement.
#include "check.h"
#include "mem/mem.h"
#include "mem/replacement.h"
#include "random.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

// --- driving a cache as its users do ---------------------------------------------------------------------------------
// An access of a reader whose misses are filled at once, or (stay) stay under way until arrive().
static Lookup read_cache(Cache *c, uint64_t address, uint32_t bytes, bool stay, uint64_t *victim)
{
    CacheLine *line;
    uint32_t want = cache_sectors(c, address, bytes);
    Lookup found = cache_lookup(c, address, want, &line);
    *victim = ~0ull;
    if (found != MISS && found != MISS_SECTOR) return found;
    if (found == MISS) {
        *victim = cache_take(c, line, address).address;
    }
    uint32_t fetch = cache_fetch(c, want & ~(line->valid | line->pending)) & ~(line->valid | line->pending);
    *(stay ? &line->pending : &line->valid) |= fetch;
    return found;
}

static void arrive(Cache *c, uint64_t address)
{
    CacheLine *line = cache_peek(c, address);
    assert_non_null(line);
    line->valid |= line->pending;
    line->pending = 0;
}

// --- scripts ---------------------------------------------------------------------------------------------------------
//   cache size= line= sector= fill= ways= sets=n,m,… replacement= index= low= unlocked=
//   r ADDRESS[+BYTES] H|M|S|P|N [VICTIM|-]    b: the same, the miss staying under way
//   f ADDRESS        the fill of that line arrives
//   set ADDRESS N    the address belongs to set N
//   flush
static uint32_t name_of(const char *name, const char *const *names, uint32_t n)
{
    for (uint32_t k = 0; k < n; k++)
        if (!strcmp(name, names[k])) return k;
    fail_msg("unknown name %s", name);
    return 0;
}

static CacheCfg read_geometry(char *line)
{
    static const char *const index_names[] = {"bits", "modulo", "xor", "dealt"};
    const char *replacement_names[REPLACE_COUNT];
    for (int p = 0; p < REPLACE_COUNT; p++) replacement_names[p] = replacements[p].name;
    CacheCfg g = {.latency = 1, .mshrs = 1, .merges = 1};
    for (char *save, *word = strtok_r(line, " \n", &save); word; word = strtok_r(NULL, " \n", &save)) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        uint64_t v = strtoull(value, NULL, 0);
        if (!strcmp(word, "size"))
            g.size = v;
        else if (!strcmp(word, "line"))
            g.line = (uint32_t)v;
        else if (!strcmp(word, "sector"))
            g.sector = (uint32_t)v;
        else if (!strcmp(word, "fill"))
            g.fill = (uint32_t)v;
        else if (!strcmp(word, "ways"))
            g.ways = (uint32_t)v;
        else if (!strcmp(word, "low"))
            g.index_low = (uint32_t)v;
        else if (!strcmp(word, "unlocked"))
            g.unlocked = v != 0;
        else if (!strcmp(word, "replacement"))
            g.replacement = name_of(value, replacement_names, REPLACE_COUNT);
        else if (!strcmp(word, "index"))
            g.index = name_of(value, index_names, 3);
        else if (!strcmp(word, "sets"))
            for (char *s = value; *s; s += *s == ',') g.sets[g.set_count++] = (uint32_t)strtoul(s, &s, 0);
        else
            fail_msg("unknown key %s", word);
    }
    return g;
}

static void run_script(const char *path)
{
    static const char letters[] = "HMSPN";  // in the order of Lookup
    Text text = {0};
    Cache c = {0};
    const char *why;
    int number = 0, accesses = 0;
    assert_true(text_read_file(&text, path));
    for (char *save, *line = strtok_r(text.v, "\n", &save); line; line = strtok_r(NULL, "\n", &save)) {
        char copy[512], op[16], where[64] = "", expect[64] = "", gone[64] = "";
        snprintf(copy, sizeof copy, "%s", line);
        number++;  // of the lines that aren't empty
        copy[strcspn(copy, "#")] = 0;
        if (sscanf(copy, "%15s %63s %63s %63s", op, where, expect, gone) < 1) continue;
        if (!strcmp(op, "cache")) {
            CacheCfg g = read_geometry(copy);
            cache_close(&c);
            if (!cache_open(&c, &g, 1, &why)) fail_msg("%s: %s", path, why);
            continue;
        }
        char *plus;
        uint64_t address = strtoull(where, &plus, 0), victim;
        uint32_t bytes = *plus == '+' ? (uint32_t)strtoul(plus + 1, NULL, 0) : 4;
        if (!strcmp(op, "r") || !strcmp(op, "b")) {
            Lookup got = read_cache(&c, address, bytes, *op == 'b', &victim);
            if (letters[got] != *expect) fail_msg("%s: '%s': got %c", path, line, letters[got]);
            uint64_t want = *gone && *gone != '-' ? strtoull(gone, NULL, 0) : ~0ull;
            if (*gone && victim != want) fail_msg("%s: '%s': 0x%llx went", path, line, (unsigned long long)victim);
            accesses++;
        } else if (!strcmp(op, "f")) {
            arrive(&c, address);
        } else if (!strcmp(op, "set")) {
            uint32_t got = cache_set(&c, address);
            if (got != strtoul(expect, NULL, 0)) fail_msg("%s: '%s': it is %u", path, line, got);
            accesses++;
        } else if (!strcmp(op, "flush")) {
            cache_flush(&c);
        } else {
            fail_msg("%s: unknown line '%s'", path, line);
        }
    }
    assert_true(accesses > 0);
    cache_close(&c);
    text_free(&text);
}

static void scripts(void **state)
{
    (void)state;
    DIR *folder = opendir("test/mem/data");
    assert_non_null(folder);
    int n = 0;
    for (struct dirent *e; (e = readdir(folder));) {
        char path[512];
        size_t length = strlen(e->d_name);
        if (length < 6 || strcmp(e->d_name + length - 6, ".cache")) continue;
        snprintf(path, sizeof path, "test/mem/data/%s", e->d_name);
        run_script(path);
        n++;
    }
    closedir(folder);
    assert_true(n >= 14);
}

// --- a naive model ---------------------------------------------------------------------------------------------------
// Sets are lists of lines. LRU and FIFO keep them old to young and move or leave what is hit; PLRU keeps ways and, for
// every half of the tree, which side was used last; SRRIP keeps the paper's values and ages them step by step. Sets are
// computed from the line's number by division alone.
enum { MOST = 64 };
typedef struct NaiveLine {
    uint64_t line;
    bool there;
    uint32_t valid, pending;
} NaiveLine;
typedef struct Naive {
    const CacheCfg *cfg;
    uint32_t sets, sectors;
    NaiveLine way[MOST][MOST];   // by way
    uint32_t order[MOST][MOST];  // ways, old to young
    uint32_t used[MOST];         // of order
    bool last_right[MOST][128];  // PLRU: by node, root 1
    int far[MOST][MOST];         // SRRIP: re-reference prediction values, by way
} Naive;

static uint32_t naive_ways(const Naive *n, uint32_t set)
{
    return n->cfg->set_count ? n->cfg->sets[set] : n->cfg->ways;
}

static uint32_t naive_set(const Naive *n, uint64_t address)
{
    uint64_t x = n->cfg->index_low ? address / (1ull << n->cfg->index_low) : address / n->cfg->line;
    if (n->cfg->index == INDEX_DEALT) {  // sets pick lines in turn until all have as many as ways
        uint32_t total = 0, left[MOST] = {0};
        for (uint32_t s = 0; s < n->sets; s++) total += left[s] = naive_ways(n, s);
        x %= total;
        for (uint32_t s = 0;; s = (s + 1) % n->sets)
            if (left[s] && left[s]--)
                if (!x--) return s;
    }
    if (n->cfg->index != INDEX_XOR) return (uint32_t)(x % n->sets);
    uint32_t h = 0;  // four fields, a bit of each at a time
    for (uint32_t bit = 1, at = 0; bit < n->sets; bit *= 2, at++)
        for (uint32_t field = 0; field < 4; field++) {
            uint64_t low = x;
            for (uint32_t k = 0; k < field; k++) low /= n->sets;
            if (low / bit % 2) h = h & bit ? h - bit : h + bit;
        }
    return h;
}

static void naive_use(Naive *n, uint32_t set, uint32_t way, bool fill)
{
    uint32_t ways = naive_ways(n, set), k = 0;
    n->far[set][way] = fill ? 2 : 0;
    if (n->cfg->replacement == REPLACE_PLRU) {
        uint32_t from = 0, to = ways, node = 1;
        while (to - from > 1) {
            uint32_t middle = (from + to) / 2;
            bool right = way >= middle;
            n->last_right[set][node] = right;
            node = node * 2 + right;
            if (right)
                from = middle;
            else
                to = middle;
        }
        return;
    }
    while (k < n->used[set] && n->order[set][k] != way) k++;
    if (k < n->used[set]) {
        if (n->cfg->replacement == REPLACE_FIFO && !fill) return;
        for (; k + 1 < n->used[set]; k++) n->order[set][k] = n->order[set][k + 1];
        n->used[set]--;
    }
    n->order[set][n->used[set]++] = way;
}

static uint32_t naive_victim(Naive *n, uint32_t set)
{
    uint32_t ways = naive_ways(n, set);
    for (uint32_t w = 0; w < ways; w++)
        if (!n->way[set][w].there) return w;
    if (n->cfg->replacement == REPLACE_PLRU) {
        uint32_t from = 0, to = ways, node = 1;
        while (to - from > 1) {
            uint32_t middle = (from + to) / 2;
            bool right = !n->last_right[set][node];
            node = node * 2 + right;
            if (right)
                from = middle;
            else
                to = middle;
        }
        for (uint32_t k = 0; k < ways; k++)
            if (!n->way[set][(from + k) % ways].pending) return (from + k) % ways;
        return MOST;
    }
    bool open = false;
    for (uint32_t w = 0; w < ways; w++) open |= !n->way[set][w].pending;
    while (open && n->cfg->replacement == REPLACE_SRRIP) {
        for (uint32_t w = 0; w < ways; w++)
            if (n->far[set][w] == 3 && !n->way[set][w].pending) return w;
        for (uint32_t w = 0; w < ways; w++) n->far[set][w] += n->far[set][w] < 3;
    }
    for (uint32_t k = 0; k < n->used[set]; k++)
        if (!n->way[set][n->order[set][k]].pending) return n->order[set][k];
    return MOST;
}

static Lookup naive_read(Naive *n, uint64_t address, uint32_t bytes, bool stay, uint64_t *victim)
{
    uint64_t line = address / n->cfg->line;
    uint32_t set = naive_set(n, address), want = 0;
    for (uint64_t b = address; b < address + bytes; b++) want |= 1u << (uint32_t)(b % n->cfg->line / n->cfg->sector);
    *victim = ~0ull;
    uint32_t way = MOST;
    for (uint32_t w = 0; w < naive_ways(n, set); w++)
        if (n->way[set][w].there && n->way[set][w].line == line) way = w;
    Lookup result = MISS;
    if (way != MOST) {
        const NaiveLine *l = &n->way[set][way];
        result = (want & l->valid) == want ? HIT : (want & (l->valid | l->pending)) == want ? PENDING : MISS_SECTOR;
        naive_use(n, set, way, false);
        if (result != MISS_SECTOR) return result;
    } else {
        way = naive_victim(n, set);
        if (way == MOST) return NO_WAY;
        if (n->way[set][way].there) *victim = n->way[set][way].line * n->cfg->line;
        n->way[set][way] = (NaiveLine){.line = line, .there = true};
        naive_use(n, set, way, true);
    }
    NaiveLine *l = &n->way[set][way];
    uint32_t all = n->sectors == 32 ? ~0u : (1u << n->sectors) - 1;
    uint32_t fetch = (n->cfg->fill == n->cfg->line ? all : want) & ~(l->valid | l->pending);
    *(stay ? &l->pending : &l->valid) |= fetch;
    return result;
}

static void compare(const CacheCfg *g, bool locks, uint64_t seed)
{
    Cache c;
    const char *why;
    Naive *n = calloc(1, sizeof *n);
    assert_non_null(n);
    n->cfg = g;
    n->sectors = g->line / g->sector;
    if (!cache_open(&c, g, 1, &why)) fail_msg("%s", why);
    n->sets = g->set_count ? g->set_count : (uint32_t)(g->size / g->line / g->ways);
    uint64_t span = g->size * 3, under_way[8];
    uint32_t waiting = 0, seen[5] = {0};
    for (int step = 0; step < 12000; step++) {
        uint64_t r = next_random(&seed), address = r % span, victim, naive_victim;
        if (r >> 60 < 4) address = (r >> 8) % (span / 8);                          // some lines are popular
        if ((r >> 56 & 15) == 0) address += (uint64_t)1 << (20 + (r >> 52 & 15));  // and high bits count
        uint32_t bytes = 1 + (uint32_t)(r >> 40 & 127);
        if (address % g->line + bytes > g->line) bytes = g->line - (uint32_t)(address % g->line);
        if (waiting && (waiting == 8 || !(r >> 32 & 7))) {
            uint64_t at = under_way[--waiting];
            CacheLine *line = cache_peek(&c, at);
            assert_non_null(line);  // a locked line stays
            arrive(&c, at);
            uint32_t set = naive_set(n, at);
            for (uint32_t w = 0; w < naive_ways(n, set); w++) {
                NaiveLine *l = &n->way[set][w];
                if (l->there && l->line == at / g->line) l->valid |= l->pending, l->pending = 0;
            }
        }
        bool stay = locks && waiting < 8 && (r >> 36 & 3) == 0;
        Lookup want = naive_read(n, address, bytes, stay, &naive_victim);
        Lookup got = read_cache(&c, address, bytes, stay, &victim);
        assert_int_equal(cache_set(&c, address), naive_set(n, address));
        assert_int_equal(got, want);
        assert_int_equal(victim, naive_victim);
        bool known = false;
        for (uint32_t k = 0; k < waiting; k++) known |= under_way[k] / g->line == address / g->line;
        if (stay && !known && (got == MISS || got == MISS_SECTOR)) under_way[waiting++] = address;
        seen[got]++;
    }
    assert_true(seen[HIT] > 300 && seen[MISS] > 300);
    if (g->fill < g->line) assert_true(seen[MISS_SECTOR] > 30);
    if (locks) assert_true(seen[PENDING] > 0);
    cache_close(&c);
    free(n);
}

static void random_accesses(void **state)
{
    (void)state;
    static const uint32_t of[] = {REPLACE_LRU, REPLACE_FIFO, REPLACE_PLRU, REPLACE_SRRIP};
    int n = 0;
    for (uint32_t p = 0; p < COUNT(of); p++)
        for (uint32_t ways = 1; ways <= 32; ways *= 2)
            for (uint32_t index = INDEX_BITS; index <= INDEX_DEALT; index++)
                for (uint32_t fill = 0; fill < 2; fill++)
                    for (uint32_t locks = 0; locks < 2; locks++) {
                        uint32_t sets = index == INDEX_MODULO || index == INDEX_DEALT ? 13 : 16;
                        CacheCfg g = {.size = (uint64_t)sets * ways * 128,
                                      .line = 128,
                                      .sector = 32,
                                      .fill = fill ? 32 : 128,
                                      .ways = ways,
                                      .index = index,
                                      .replacement = of[p],
                                      .index_low = index == INDEX_BITS && ways == 4 ? 9 : 0,
                                      .mshrs = 1,
                                      .merges = 1};
                        if (ways == 8) g.line = 256, g.fill = fill ? 32 : 256, g.size *= 2;
                        if (ways == 2) g.line = g.sector = g.fill = 64, g.size /= 2;
                        if (ways == 2 && fill) continue;
                        compare(&g, locks, ++n);
                    }
    CacheCfg unequal = {.size = 20 * 128,
                        .line = 128,
                        .sector = 32,
                        .fill = 32,
                        .index = INDEX_MODULO,
                        .sets = {3, 1, 7, 4, 5},
                        .set_count = 5,
                        .mshrs = 1,
                        .merges = 1};
    compare(&unequal, false, 1000);
    compare(&unequal, true, 1001);
    unequal.replacement = REPLACE_FIFO;
    compare(&unequal, true, 1002);
    unequal.index = INDEX_DEALT;
    compare(&unequal, true, 1003);
    unequal.replacement = REPLACE_LRU;
    compare(&unequal, false, 1004);
    unequal.replacement = REPLACE_SRRIP;
    compare(&unequal, true, 1005);
}

// --- state of a replacement's own ------------------------------------------------------------------------------------
// Only what moves in ages the others, not what was looked up and left outside: a store that isn't allocated, a load
// that is refused. And a line that was dropped leaves nothing behind for the next one in its way. Values in brackets
// are SRRIP's, as in srrip.cache.
static void only_what_moves_in_ages(void **state)
{
    (void)state;
    CacheCfg g = {.size = 512, .line = 128, .sector = 32, .fill = 128, .ways = 4, .replacement = REPLACE_SRRIP};
    Cache c;
    CacheLine *line;
    const char *why;
    uint64_t victim;
    assert_true(cache_open(&c, &g, 1, &why));
    for (uint64_t round = 0; round < 2; round++)  // [0 0 0 0]
        for (uint64_t k = 0; k < 4; k++) read_cache(&c, k * 128, 4, false, &victim);
    for (int k = 0; k < 3; k++) {
        assert_int_equal(cache_lookup(&c, 4 * 128, 1, &line), MISS);
        assert_int_equal(line - c.lines, 0);
    }
    read_cache(&c, 0, 4, false, &victim);  // [0 0 0 0]; with ageing it would be [0 3 3 3]
    read_cache(&c, 4 * 128, 4, false, &victim);
    assert_int_equal(victim, 0);  // [2 3 3 3]
    read_cache(&c, 128, 4, false, &victim);
    read_cache(&c, 2 * 128, 4, false, &victim);
    read_cache(&c, 3 * 128, 4, false, &victim);  // [2 0 0 0]
    cache_drop(&c, cache_peek(&c, 3 * 128));
    read_cache(&c, 5 * 128, 4, false, &victim);  // [2 0 0 2]
    assert_int_equal(victim, NO_LINE);
    read_cache(&c, 4 * 128, 4, false, &victim);  // [0 0 0 2]
    read_cache(&c, 6 * 128, 4, false, &victim);  // the one that moved in last
    assert_int_equal(victim, 5 * 128);
    cache_close(&c);
}

// --- linear indices --------------------------------------------------------------------------------------------------
#define A(bit) (1ull << (bit))
// Fermi's L1 (Nugteren et al., HPCA 2014, as GPGPU-Sim has it): bits 7 to 11 XOR bits 13, 14, 15, 17 and 19; of 48 KiB,
// with 64 sets, bit 12 comes before these.
static const CacheCfg fermi = {
    .size = 16 << 10,
    .line = 128,
    .sector = 32,
    .fill = 128,
    .ways = 4,
    .index = INDEX_LINEAR,
    .index_bits = {A(7) | A(13), A(8) | A(14), A(9) | A(15), A(10) | A(17), A(11) | A(19), A(12)},
    .index_bit_count = 6,
    .mshrs = 1,
    .merges = 1};

static void fermi_sets(void **state)
{
    (void)state;
    CacheCfg large = fermi;
    large.size = 48 << 10, large.ways = 6;
    Cache small_cache, large_cache;
    const char *why;
    assert_true(cache_open(&small_cache, &fermi, 1, &why));
    assert_true(cache_open(&large_cache, &large, 1, &why));
    uint64_t seed = 5;
    for (int k = 0; k < 100000; k++) {
        uint64_t a = next_random(&seed) >> 20;
        uint32_t upper = (uint32_t)(a / 0x2000 % 8 + a / 0x20000 % 2 * 8 + a / 0x80000 % 2 * 16);
        uint32_t set = (uint32_t)(a / 128 % 32) ^ upper;
        assert_int_equal(cache_set(&small_cache, a), set);
        assert_int_equal(cache_set(&large_cache, a), set + a / 0x1000 % 2 * 32);
    }
    cache_close(&small_cache), cache_close(&large_cache);
}

// Sets that the bits can't number: 96, and 128, which is a power of two but too many. Rows of as many lines as there
// are sets are moved on, each as a whole: each of its lines lies in another set.
static void too_many_sets(void **state)
{
    (void)state;
    for (uint32_t sets = 96; sets <= 128; sets += 32) {
        CacheCfg g = fermi;
        g.size = sets * 512ull;
        Cache c;
        const char *why;
        assert_true(cache_open(&c, &g, 1, &why));
        uint32_t used[32] = {0};
        for (uint64_t row = 0; row < 1024; row++) {
            uint64_t a = row * sets * 128;
            uint32_t by = (uint32_t)(a / 0x2000 % 8 + a / 0x20000 % 2 * 8 + a / 0x80000 % 2 * 16);
            for (uint32_t line = 0; line < sets; line++)
                assert_int_equal(cache_set(&c, a + line * 128 + 77), (line + by) % sets);
            used[cache_set(&c, a) % 32]++;
        }
        for (uint32_t k = 0; k < 32; k++) assert_true(used[k] <= 128);  // a column of a matrix spreads
        cache_close(&c);
    }
}

static void refused(const CacheCfg *g, const char *part)
{
    const char *why = "";
    if (cache_check(g, &why) || !strstr(why, part)) fail_msg("'%s' is expected, not '%s'", part, why);
}

// An address bit within a line says nothing about the line.
static void bits_within_a_line(void **state)
{
    (void)state;
    CacheCfg more = fermi;
    Cache a, b;
    const char *why;
    for (uint32_t k = 0; k < more.index_bit_count; k++) more.index_bits[k] |= A(k + 2);
    assert_true(cache_open(&a, &fermi, 1, &why) && cache_open(&b, &more, 1, &why));
    for (uint64_t address = 0; address < 1 << 20; address += 36)
        assert_int_equal(cache_set(&a, address), cache_set(&b, address));
    cache_close(&a), cache_close(&b);
}

// One set has all lines, whatever the bits say. Bits that can't number 96 sets, and have no second address bit, move
// nothing on.
static void bits_that_say_nothing(void **state)
{
    (void)state;
    CacheCfg one = fermi, single = fermi;
    Cache a, b;
    const char *why;
    one.ways = 128;
    single.size = 96 * 512, single.index_bits[0] = A(13), single.index_bit_count = 1;
    assert_true(cache_open(&a, &one, 1, &why) && cache_open(&b, &single, 1, &why));
    for (uint64_t address = 0; address < 1 << 20; address += 36) {
        assert_int_equal(cache_set(&a, address), 0);
        assert_int_equal(cache_set(&b, address), address / 128 % 96);
    }
    cache_close(&a), cache_close(&b);
}

static void no_index(void **state)
{
    (void)state;
    CacheCfg g = fermi;
    g.index_bit_count = 0;
    refused(&g, "needs index_bits");
    g = fermi;
    g.index_bits[2] = A(6);
    refused(&g, "not independent");
    g = fermi;
    g.index_bits[3] = g.index_bits[0] ^ g.index_bits[1] ^ g.index_bits[2];
    refused(&g, "not independent");
    g.index_bits[3] = A(30), g.index_bits[4] = A(30) | g.index_bits[1];
    refused(&g, "not independent");
    g.ways = 128;  // one set: no bit counts
    const char *why;
    assert_true(cache_check(&g, &why));
}

// --- random replacement ----------------------------------------------------------------------------------------------
// Counts which way goes in n misses of one set; `locked` has its miss under way. pairs: victim after victim.
static void count_victims(const CacheCfg *g, int locked, uint32_t n, uint64_t seed, uint32_t *count,
                          uint32_t (*pairs)[8])
{
    Cache c;
    const char *why;
    assert_true(cache_open(&c, g, seed, &why));
    uint64_t victim;
    for (uint32_t w = 0; w < g->ways; w++)
        assert_int_equal(read_cache(&c, w * 128ull, 4, (int)w == locked, &victim), MISS);
    uint32_t before = 0;
    for (uint32_t k = 0; k < n; k++) {
        CacheLine *line;
        uint64_t address = (g->ways + k) * 128ull;
        assert_int_equal(cache_lookup(&c, address, 1, &line), MISS);
        uint32_t way = (uint32_t)(line - c.lines);
        cache_take(&c, line, address);
        line->valid = 15;
        count[way]++;
        if (pairs && k) pairs[before][way]++;
        before = way;
        CacheLine *again;
        if (k % 3 == 0) assert_int_equal(cache_lookup(&c, address, 1, &again), HIT);  // a hit changes nothing
    }
    cache_close(&c);
}

// Within five standard deviations of n·p: by chance once in two million.
static void assert_share(uint32_t count, uint32_t n, double p)
{
    double difference = (double)count - n * p;
    if (difference * difference > 25 * n * p * (1 - p) + 1e-9) fail_msg("%u of %u, expected %g", count, n, n * p);
}

static void distributions(void **state)
{
    (void)state;
    enum { N = 60000 };
    CacheCfg g = {.size = 512,
                  .line = 128,
                  .sector = 32,
                  .fill = 128,
                  .ways = 4,
                  .replacement = REPLACE_RANDOM,
                  .mshrs = 1,
                  .merges = 1};
    uint32_t even[4] = {0}, pairs[8][8] = {{0}};
    count_victims(&g, -1, N, 7, even, pairs);
    for (int w = 0; w < 4; w++) assert_share(even[w], N, 0.25);
    for (int v = 0; v < 4; v++)
        for (int w = 0; w < 4; w++) assert_share(pairs[v][w], N - 1, 1.0 / 16);  // no memory of the last one
    uint32_t three[4] = {0};
    count_victims(&g, 2, N, 8, three, NULL);
    assert_int_equal(three[2], 0);
    for (int w = 0; w < 4; w++)
        if (w != 2) assert_share(three[w], N, 1.0 / 3);

    // mei §IV-B: Fermi's L1 replaces its ways with 1/6, 1/2, 1/6, 1/6.
    g.replacement = REPLACE_WEIGHTED;
    g.weights[0] = g.weights[2] = g.weights[3] = 1, g.weights[1] = 3;
    static const double mei[] = {1.0 / 6, 1.0 / 2, 1.0 / 6, 1.0 / 6};
    uint32_t weighted[4] = {0}, twos[8][8] = {{0}};
    count_victims(&g, -1, N, 9, weighted, twos);
    for (int w = 0; w < 4; w++) assert_share(weighted[w], N, mei[w]);
    for (int v = 0; v < 4; v++)
        for (int w = 0; w < 4; w++) assert_share(twos[v][w], N - 1, mei[v] * mei[w]);
    uint32_t without[4] = {0};
    count_victims(&g, 1, N, 10, without, NULL);
    assert_int_equal(without[1], 0);
    for (int w = 0; w < 4; w++)
        if (w != 1) assert_share(without[w], N, 1.0 / 3);
    g.weights[0] = 0;  // never
    uint32_t never[4] = {0};
    count_victims(&g, -1, N, 11, never, NULL);
    assert_int_equal(never[0], 0);
    assert_share(never[1], N, 3.0 / 5);
}

static void seeds(void **state)
{
    (void)state;
    CacheCfg g = {.size = 512,
                  .line = 128,
                  .sector = 32,
                  .fill = 128,
                  .ways = 4,
                  .replacement = REPLACE_RANDOM,
                  .mshrs = 1,
                  .merges = 1};
    uint32_t a[4] = {0}, b[4] = {0}, c[4] = {0}, pa[8][8] = {{0}}, pb[8][8] = {{0}}, pc[8][8] = {{0}};
    count_victims(&g, -1, 1000, 5, a, pa);
    count_victims(&g, -1, 1000, 5, b, pb);
    count_victims(&g, -1, 1000, 6, c, pc);
    assert_memory_equal(pa, pb, sizeof pa);  // a run repeats
    assert_memory_not_equal(pa, pc, sizeof pa);
}

// --- what can't be a cache -------------------------------------------------------------------------------------------
static void refusals(void **state)
{
    (void)state;
    const CacheCfg good = {.size = 4096, .line = 128, .sector = 32, .fill = 128, .ways = 4, .mshrs = 1, .merges = 1};
    Cache c;
    const char *why;
    assert_true(cache_open(&c, &good, 1, &why));
    cache_close(&c);
#define REFUSED(...)                                 \
    do {                                             \
        CacheCfg bad = good;                         \
        __VA_ARGS__;                                 \
        why = NULL;                                  \
        assert_false(cache_open(&c, &bad, 1, &why)); \
        assert_non_null(why);                        \
        cache_close(&c);                             \
    } while (0)
    REFUSED(bad.line = 96);
    REFUSED(bad.sector = 48);
    REFUSED(bad.sector = 256);
    REFUSED(bad.line = 2048, bad.fill = 2048);  // 64 sectors
    REFUSED(bad.fill = 64);                     // neither line nor sector
    REFUSED(bad.size = 4000);
    REFUSED(bad.ways = 5);
    REFUSED(bad.size = 128 * 3 * 8, bad.ways = 3, bad.replacement = REPLACE_PLRU);
    CacheCfg none = {0};  // there is no cache: not an error
    assert_true(cache_open(&c, &none, 1, &why));
    cache_close(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(scripts),
        cmocka_unit_test(random_accesses),
        cmocka_unit_test(distributions),
        cmocka_unit_test(seeds),
        cmocka_unit_test(refusals),
        cmocka_unit_test(fermi_sets),
        cmocka_unit_test(too_many_sets),
        cmocka_unit_test(bits_within_a_line),
        cmocka_unit_test(bits_that_say_nothing),
        cmocka_unit_test(no_index),
        cmocka_unit_test(only_what_moves_in_ages),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
