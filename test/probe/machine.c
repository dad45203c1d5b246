// machine.c: draws a hierarchy and answers a chase as it would (machine.h). Loads past the cache always miss it. As on
// the GPUs that have been measured, only loads that miss the cache ask the TLBs, and the L2 TLB is asked by those that
// miss the L1 TLB. At the start of a run all is empty but for two foreign pages in the TLBs, those of a kernel's
// parameters, say.
#include "machine.h"
#include "mem/replacement.h"
#include "random.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- numbers ---------------------------------------------------------------------------------------------------------
static uint32_t below(uint64_t *s, uint32_t n) { return (uint32_t)((next_random(s) >> 32) * n >> 32); }
static uint32_t between(uint64_t *s, uint32_t low, uint32_t high) { return low + below(s, high - low + 1); }
static double unit(uint64_t *s) { return (double)(next_random(s) >> 11) / 9007199254740992.0; }
static double normal(uint64_t *s)  // Marsaglia's polar method, one of the pair
{
    for (;;) {
        double x = 2 * unit(s) - 1, y = 2 * unit(s) - 1, r = x * x + y * y;
        if (r > 0 && r < 1) return x * sqrt(-2 * log(r) / r);
    }
}

// --- drawing ---------------------------------------------------------------------------------------------------------
static uint32_t draw_replacement(uint64_t *s, uint32_t *ways, bool unequal, bool weights)
{
    uint32_t p = below(s, 5);
    if (p == 3 && (!weights || *ways > 32)) p = 2;
    static const uint32_t policies_of[] = {REPLACE_LRU, REPLACE_FIFO, REPLACE_RANDOM, REPLACE_WEIGHTED, REPLACE_PLRU};
    if (policies_of[p] != REPLACE_PLRU) return policies_of[p];
    if (unequal) return REPLACE_LRU;
    while (*ways & (*ways - 1) || *ways > 32) *ways = *ways > 32 ? 32 : *ways + 1;
    return REPLACE_PLRU;
}

static void draw_weights(uint64_t *s, double *w, uint32_t ways)
{
    for (uint32_t k = 0; k < 32; k++) w[k] = k < ways ? between(s, 1, 4) : 0;
}

static void draw_cache(uint64_t *s, CacheCfg *c)
{
    *c = (CacheCfg){.line = 16u << below(s, 5)};
    c->sector = c->line >> below(s, 4);
    c->sector = MAX(c->sector, 8u);
    c->fill = below(s, 2) ? c->line : c->sector;
    uint64_t target = (uint64_t)(1024 * exp2(9 * unit(s)));
    uint32_t lines = (uint32_t)MAX(target / c->line, 4u), form = below(s, 4);
    c->ways = MIN((uint32_t)exp2(7.01 * unit(s)), lines);
    if (form == 3) {  // unequal sets
        c->set_count = MAX(MIN(lines / c->ways, 64u), 1u);
        c->index = INDEX_MODULO;
        uint32_t most = MIN(lines / c->set_count, 128u);
        uint64_t sum = 0;
        for (uint32_t k = 0; k < c->set_count; k++)
            sum += c->sets[k] = MAX(1, k == 0 ? most : between(s, (most + 1) / 2, most));
        c->replacement = draw_replacement(s, &c->ways, true, false);
        c->size = sum * c->line;
        return;
    }
    c->replacement = draw_replacement(s, &c->ways, false, true);
    uint32_t sets = MAX(lines / c->ways, 1u);
    c->index = form == 0 ? INDEX_BITS : form == 1 ? INDEX_MODULO : INDEX_XOR;
    while (c->index != INDEX_MODULO && sets & (sets - 1)) sets &= sets - 1;
    c->size = (uint64_t)sets * c->ways * c->line;
    while (c->size > 512 * 1024) c->size /= 2, sets /= 2;
    c->size = (uint64_t)MAX(sets, 1u) * c->ways * c->line;
    uint32_t shift = 31u - (uint32_t)__builtin_clz(c->line);
    c->index_low = below(s, 3) ? 0 : shift + below(s, 4);
    draw_weights(s, c->weights, c->ways);
}

static void draw_tlb(uint64_t *s, TlbCfg *t, uint64_t page, uint32_t least, uint32_t most)
{
    *t = (TlbCfg){.page = page};
    uint32_t entries = (uint32_t)(least * exp2(unit(s) * log2((double)most / least))), form = below(s, 5);
    t->ways = form == 0 ? entries : MIN((uint32_t)exp2(1 + 4 * unit(s)), entries);
    if (form >= 3) {  // unequal sets
        t->set_count = MAX(MIN(entries / t->ways, 16u), 2u);
        t->index = form == 3 ? INDEX_DEALT : INDEX_MODULO;
        uint32_t each = MAX(entries / t->set_count, 1u);
        for (uint32_t k = 0; k < t->set_count; k++)
            t->entries += t->sets[k] = k == 0 ? each * 2 : between(s, (each + 1) / 2, each);
        t->replacement = draw_replacement(s, &t->ways, true, false);
        return;
    }
    t->replacement = draw_replacement(s, &t->ways, false, false);
    uint32_t sets = MAX(entries / t->ways, 1u);
    t->index = form == 0 || form == 1 ? INDEX_BITS : form == 2 && below(s, 2) ? INDEX_XOR : INDEX_MODULO;
    while (t->index != INDEX_MODULO && sets & (sets - 1)) sets &= sets - 1;
    t->entries = sets * t->ways;
}

void machine_draw(Machine *m, uint64_t seed)
{
    uint64_t s = seed * 0xD1342543DE82EF95ull + 1;
    *m = (Machine){.seed = seed};
    draw_cache(&s, &m->cache);
    uint64_t page = 4096ull << below(&s, 10);
    draw_tlb(&s, &m->first, page, 8, 64);
    draw_tlb(&s, &m->second, page, 5 * m->first.entries, 8 * m->first.entries);
    m->hit = between(&s, 20, 150);
    m->miss = m->hit + (uint32_t)(m->hit * (0.6 + 3 * unit(&s)));
    m->late = (uint32_t)(m->miss * (0.05 + 0.6 * unit(&s)));
    m->walk = (uint32_t)(m->miss * (0.15 + 1.5 * unit(&s)));
    m->sigma = below(&s, 4) ? 0.08 * unit(&s) : 0;
    m->outliers = m->sigma > 0 ? 0.003 * unit(&s) : 0;
}

// --- answering -------------------------------------------------------------------------------------------------------
static uint32_t noisy(Machine *m, double cycles)
{
    if (m->sigma > 0) cycles *= 1 + m->sigma * normal(&m->random);
    if (m->outliers > 0 && unit(&m->random) < m->outliers) cycles += 200 + 2000 * unit(&m->random);
    return cycles < 1 ? 1 : (uint32_t)(cycles + 0.5);
}

static uint32_t past(Machine *m, uint64_t address)
{
    if (!m->tlb[0].lines || tlb_lookup(&m->tlb[0], address)) return m->miss;
    return m->miss + m->late + (tlb_lookup(&m->tlb[1], address) ? 0 : m->walk);
}

static uint32_t load(Machine *m, ChaseKind kind, uint64_t address)
{
    m->loads++;
    if (kind == CHASE_L2) return past(m, address);
    CacheLine *line;
    uint32_t want = cache_sectors(&m->data, address, 4);
    Lookup found = cache_lookup(&m->data, address, want, &line);
    if (found == HIT) return m->hit;
    if (found == MISS) {
        cache_take(&m->data, line, address);
        vec_push(&m->touched, cache_set(&m->data, address));
    }
    line->valid |= cache_fetch(&m->data, want);
    return past(m, address);
}

// Only what was used: most runs are short beside the cache.
static void flush(Machine *m)
{
    Cache *c = &m->data;
    for (size_t k = 0; k < m->touched.n; k++) {
        uint32_t set = m->touched.v[k];
        for (uint32_t w = 0; w < c->ways[set]; w++) cache_drop(c, &c->lines[c->first[set] + w]);
        if (c->tree) c->tree[set] = 0;
    }
    m->touched.n = 0;
}

static bool run(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                uint32_t *latency, Diag *diag)
{
    Machine *m = of;
    if (n > CHASE_WALKS) return diag_error(diag, "a sequence has at most %d walks", CHASE_WALKS);
    flush(m);
    for (int t = 0; t < 2; t++) {
        cache_flush(&m->tlb[t]);
        for (int k = 0; k < 2 && m->tlb[t].lines; k++)
            tlb_lookup(&m->tlb[t], (1ull << 45) + (uint64_t)k * m->first.page);
    }
    for (uint32_t r = 0; r < rounds; r++)
        for (size_t w = 0; w < n; w++) {
            uint64_t offset = 0, step = (uint64_t)walks[w].stride;
            for (uint32_t k = 0; k < walks[w].count; k++) {
                uint64_t address = walks[w].start + offset;
                if (address >= m->subject.span[kind])
                    return diag_error(diag, "address %llu is outside", (unsigned long long)address);
                uint32_t cycles = load(m, kind, address);
                if (walks[w].timed && r >= first) *latency++ = noisy(m, cycles);
                offset += step;
                if (walks[w].wrap && offset >= walks[w].wrap) offset -= walks[w].wrap;
            }
        }
    return true;
}

void machine_open(Machine *m)
{
    const char *why;
    m->random = m->seed + 77;
    if (!cache_open(&m->data, &m->cache, m->seed, &why) || !tlb_open(&m->tlb[0], &m->first, m->seed + 1, &why) ||
        !tlb_open(&m->tlb[1], &m->second, m->seed + 2, &why))
        fprintf(stderr, "machine %llu: %s\n", (unsigned long long)m->seed, why), abort();
    m->subject = (Subject){.of = m, .run = run, .cold = true, .keep = 1 << 20};
    m->subject.span[CHASE_GLOBAL] = m->subject.span[CHASE_L2] = 1ull << 40;
}

void machine_close(Machine *m)
{
    cache_close(&m->data), cache_close(&m->tlb[0]), cache_close(&m->tlb[1]);
    vec_free(&m->touched);
    subject_close(&m->subject);
}

// --- showing ---------------------------------------------------------------------------------------------------------
static void print_sets(uint32_t ways, const uint32_t *sets, uint32_t count, uint32_t index, uint32_t policy, FILE *to)
{
    static const char *const names[] = {"bits", "modulo", "xor", "dealt"};
    fprintf(to, " %s %s", names[index], replacements[policy].name);
    if (!count) fprintf(to, " %u ways", ways);
    for (uint32_t k = 0; k < count; k++) fprintf(to, "%s%u", k ? "," : " sets of ", sets[k]);
}

void machine_print(const Machine *m, FILE *to)
{
    const CacheCfg *c = &m->cache;
    fprintf(to, "machine %llu: %llu B line %u sector %u fill %u low %u", (unsigned long long)m->seed,
            (unsigned long long)c->size, c->line, c->sector, c->fill, c->index_low);
    print_sets(c->ways, c->sets, c->set_count, c->index, c->replacement, to);
    fprintf(to, "; %u/%u cycles sigma %.3f outliers %.4f; page %llu, L1 TLB %u", m->hit, m->miss, m->sigma, m->outliers,
            (unsigned long long)m->first.page, m->first.entries);
    print_sets(m->first.ways, m->first.sets, m->first.set_count, m->first.index, m->first.replacement, to);
    fprintf(to, " +%u; L2 TLB %u", m->late, m->second.entries);
    print_sets(m->second.ways, m->second.sets, m->second.set_count, m->second.index, m->second.replacement, to);
    fprintf(to, " +%u\n", m->walk);
}
