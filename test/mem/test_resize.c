// A cache that gets another size: what it still holds is worked out from a list of who used which line when, by
// counting for each line how many of its new set were used after it.
#include "check.h"
#include "mem/mem.h"
#include "mem/replacement.h"

#include <string.h>

enum { LINES = 4096 };    // that accesses choose from
typedef struct Known {    // of a line, by its number
    uint64_t used, came;  // the numbers of its latest access, and of the access that brought it
    uint32_t valid, dirty;
    bool lost;
} Known;
typedef struct Model {
    Known line[LINES];
    uint64_t accesses, state;
} Model;

static uint64_t draw(Model *m, uint64_t below)
{
    m->state = m->state * 6364136223846793005u + 1442695040888963407u;
    return (m->state >> 33) % below;
}

static void use_line(Cache *c, Model *m, uint64_t number)
{
    CacheLine *line;
    Known *k = &m->line[number];
    uint64_t address = number * c->cfg.line;
    uint32_t sectors = 1 + (uint32_t)draw(m, 15), dirty = draw(m, 4) ? 0 : sectors;
    m->accesses++;
    if (cache_lookup(c, address, sectors, &line) == MISS) {
        Victim gone = cache_take(c, line, address);
        if (gone.address != NO_LINE) memset(&m->line[gone.address / c->cfg.line], 0, sizeof *k);
        *k = (Known){.came = m->accesses};
        line->owner = number * 7;
    }
    k->used = m->accesses;
    k->valid = line->valid |= sectors;
    k->dirty = line->dirty |= dirty;
}

static uint64_t set_of(const CacheCfg *cfg, uint64_t number)
{
    uint64_t sets = cfg->size / cfg->line / cfg->ways;
    return (cfg->index_low ? number * cfg->line / (1ull << cfg->index_low) : number) % sets;
}

// What a line's place in the order is: fifo goes by when it came.
static uint64_t rank(const CacheCfg *cfg, const Known *k)
{
    return cfg->replacement == REPLACE_FIFO ? k->came : k->used;
}

static bool survives(const Model *m, const CacheCfg *cfg, uint64_t number)
{
    uint32_t later = 0;
    for (uint64_t k = 0; k < LINES; k++)
        later += m->line[k].used && set_of(cfg, k) == set_of(cfg, number) &&
                 rank(cfg, &m->line[k]) > rank(cfg, &m->line[number]);
    return later < cfg->ways;
}

// Forgets what doesn't survive; returns how many lines do.
static uint32_t shrink(Model *m, const CacheCfg *cfg)
{
    static bool stays[LINES];
    uint32_t n = 0;
    for (uint64_t k = 0; k < LINES; k++) n += stays[k] = m->line[k].used && survives(m, cfg, k);
    for (uint64_t k = 0; k < LINES; k++)
        if (!stays[k]) m->line[k] = (Known){0};
    return n;
}

static void compare(const Cache *c, const Model *m)
{
    for (uint64_t k = 0; k < LINES; k++) {
        const CacheLine *line = cache_peek(c, k * c->cfg.line);
        if (!line != !m->line[k].used) fail_msg("line %u is%s there", (unsigned)k, line ? "" : "n't");
        if (!line) continue;
        assert_int_equal(line->valid, m->line[k].valid);
        assert_int_equal(line->dirty, m->line[k].dirty);
        assert_int_equal(line->pending, 0);
        assert_int_equal(line->owner, k * 7);
    }
}

// Lines that nobody used push out those that the replacement finds oldest, one after the other.
static void push_out(Cache *c, const Model *m)
{
    uint64_t set = set_of(&c->cfg, 0), last = 0, strange = LINES;
    uint32_t held = 0, gone = 0;
    for (uint64_t k = 0; k < LINES; k++) held += m->line[k].used && set_of(&c->cfg, k) == set;
    for (uint32_t w = 0; w < c->cfg.ways; strange++) {
        if (set_of(&c->cfg, strange) != set) continue;
        CacheLine *line;
        assert_int_equal(cache_lookup(c, strange * c->cfg.line, 1, &line), MISS);
        Victim v = cache_take(c, line, strange * c->cfg.line);
        w++;
        if (v.address == NO_LINE) continue;
        uint64_t now = rank(&c->cfg, &m->line[v.address / c->cfg.line]);
        assert_true(now > last);
        last = now, gone++;
    }
    assert_int_equal(gone, held);
}

// Each line that is lost is told once, with what was dirty in it.
typedef struct Lost {
    Model *m;
    uint32_t n;
} Lost;
static void lose(void *user, const Cache *before, const Victim *gone)
{
    Lost *l = user;
    Known *k = &l->m->line[gone->address / before->cfg.line];
    assert_int_equal(gone->address % before->cfg.line, 0);
    assert_true(k->used && !k->lost);
    assert_int_equal(gone->dirty, k->dirty);
    assert_int_equal(gone->owner, gone->address / before->cfg.line * 7);
    k->lost = true;
    l->n++;
}

static void resize_once(Model *m, const CacheCfg *from, const CacheCfg *to, uint32_t *lost)
{
    Cache c;
    const char *why;
    m->accesses = 0;
    memset(m->line, 0, sizeof m->line);
    if (!cache_open(&c, from, 1, &why)) fail_msg("%s", why);
    uint64_t n = draw(m, 3 * from->size / from->line) + 1, span = MIN(2 * from->size / from->line, (uint64_t)LINES);
    for (uint64_t k = 0; k < n; k++) use_line(&c, m, draw(m, draw(m, 2) ? span : span / 8 + 1));
    compare(&c, m);
    uint32_t before = 0;
    for (uint64_t k = 0; k < LINES; k++) before += m->line[k].used != 0;
    Lost gone = {m, 0};
    if (!cache_resize(&c, to, 1, NULL, lose, &gone, &why)) fail_msg("%s", why);
    uint32_t after = shrink(m, to);
    assert_true(after <= to->size / to->line);
    assert_int_equal(gone.n, before - after);
    for (uint64_t k = 0; k < LINES; k++) assert_false(m->line[k].used && m->line[k].lost);
    *lost += gone.n;
    compare(&c, m);
    if (to->replacement == REPLACE_LRU || to->replacement == REPLACE_FIFO) push_out(&c, m);
    cache_close(&c);
}

static CacheCfg shape(uint64_t sets, uint32_t ways, uint32_t index, uint32_t low, uint32_t replacement)
{
    return (CacheCfg){.size = sets * ways * 128,
                      .line = 128,
                      .sector = 32,
                      .fill = 32,
                      .ways = ways,
                      .index = index,
                      .index_low = low,
                      .replacement = replacement,
                      .weights = {1, 2, 3, 4}};
}

// Larger, smaller and equal sizes; modulo with any number of sets, bits with powers of two, above the line and higher.
static void survivors(void **unused)
{
    (void)unused;
    static Model m = {.state = 1};
    uint32_t lost[3] = {0};  // by smaller, equal, larger
    for (uint32_t replacement = 0; replacement < REPLACE_COUNT; replacement++)
        for (uint32_t round = 0; round < 120; round++) {
            bool bits = round & 1;
            uint32_t ways = 1u << draw(&m, 3), low = bits && draw(&m, 2) ? 8 + (uint32_t)draw(&m, 3) : 0;
            uint64_t a = bits ? 1u << draw(&m, 8) : 1 + draw(&m, 200), b = bits ? 1u << draw(&m, 8) : 1 + draw(&m, 200);
            if (round % 8 >= 6) b = a;
            CacheCfg from = shape(a, ways, bits ? INDEX_BITS : INDEX_MODULO, low, replacement), to = from;
            to.size = b * ways * to.line;
            resize_once(&m, &from, &to, &lost[a > b ? 0 : a == b ? 1 : 2]);
        }
    assert_true(lost[0] > 10000);
    assert_int_equal(lost[1], 0);
    assert_true(lost[2] > 0);  // no multiple of the sets: some sets have more than before
}

// Without staying, and where there was or is no cache at all.
static void nothing_stays(void **unused)
{
    (void)unused;
    static Model m = {.state = 2};
    static const Model empty;
    CacheCfg small = shape(4, 4, INDEX_MODULO, 0, REPLACE_LRU), none = small;
    const char *why;
    none.size = 0;
    for (int way = 0; way < 2; way++) {
        Cache c;
        assert_true(cache_open(&c, &small, 1, &why));
        memset(m.line, 0, sizeof m.line);
        for (int k = 0; k < 16; k++) use_line(&c, &m, draw(&m, 16));
        if (way) {
            Lost gone = {&m, 0};
            uint32_t held = 0;
            for (uint64_t k = 0; k < LINES; k++) held += m.line[k].used != 0;
            assert_true(cache_resize(&c, &none, 1, NULL, lose, &gone, &why));
            assert_null(c.lines);
            assert_int_equal(gone.n, held);
        }
        assert_true(cache_resize(&c, &small, 1, NULL, way ? lose : NULL, &m, &why));
        compare(&c, &empty);
        cache_close(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(survivors), cmocka_unit_test(nothing_stays)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
