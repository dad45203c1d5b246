// tlb.c: translation look-aside buffers: caches whose lines are pages, and the shared one with its queue (mem.h). The
// L2 TLB is served at windows' edges, in the order of arrival: what it lets through arrives within the window.
#include "mem/mem.h"

#include <string.h>

// The tags of a cache whose lines are single bytes, looked up by page number.
static CacheCfg tags_of(const TlbCfg *cfg)
{
    CacheCfg t = {.size = cfg->entries,
                  .line = 1,
                  .sector = 1,
                  .fill = 1,
                  .ways = cfg->ways,
                  .set_count = cfg->set_count,
                  .index = cfg->index,
                  .replacement = cfg->replacement};
    memcpy(t.sets, cfg->sets, sizeof t.sets);
    memcpy(t.weights, cfg->weights, sizeof t.weights);
    t.index_bit_count = cfg->index_bit_count;
    for (uint32_t k = 0; k < MOST_INDEX_BITS && cfg->page; k++) t.index_bits[k] = cfg->index_bits[k] / cfg->page;
    return t;
}

bool tlb_check(const TlbCfg *cfg, const char **why)
{
    CacheCfg t = tags_of(cfg);
    if (cfg->entries && (!cfg->page || cfg->page & (cfg->page - 1))) return *why = "a page is a power of two", false;
    return cache_check(&t, why);
}

bool tlb_open(Cache *c, const TlbCfg *cfg, uint64_t seed, const char **why)
{
    CacheCfg t = tags_of(cfg);
    *c = (Cache){.cfg = t};
    if (!tlb_check(cfg, why) || !cache_open(c, &t, seed, why)) return false;
    if (cfg->entries) c->page_shift = 63u - (uint32_t)__builtin_clzll(cfg->page);
    return true;
}

uint64_t tlb_bytes(const TlbCfg *cfg)
{
    CacheCfg t = tags_of(cfg);
    return cache_bytes(&t) + cache_shape_bytes(&t);
}

bool tlb_lookup(Cache *c, uint64_t address)
{
    CacheLine *line;
    uint64_t page = address >> c->page_shift;
    if (cache_lookup(c, page, 1, &line) == HIT) return true;
    cache_take(c, line, page);
    line->valid = 1;
    return false;
}

bool mmu_open(Mmu *m, const TlbCfg *first, const TlbCfg *cfg, uint32_t walk_time, const char **why)
{
    *m = (Mmu){.cfg = *cfg, .first = *first, .walk_time = walk_time};
    if (!tlb_open(&m->tlb, cfg, 77, why)) return false;
    if (m->tlb.lines) m->walked = mem_alloc(sizeof *m->walked * cache_line_count(&m->tlb));
    return true;
}

void mmu_close(Mmu *m)
{
    cache_close(&m->tlb);
    vec_free(&m->waiting);
    mem_free(m->walked);
    *m = (Mmu){0};
}

void mmu_flush(Mmu *m)
{
    cache_flush(&m->tlb);
    memset(m->count, 0, sizeof m->count);
    m->waiting.n = 0;
    m->window = 0;
    if (m->walked) memset(m->walked, 0, sizeof *m->walked * cache_line_count(&m->tlb));
}

static bool before(const Packet *a, const Packet *b) { return a->time != b->time ? a->time < b->time : a->sm < b->sm; }

static void translate(Mmu *m, Packet *p)
{
    p->translate = KNOWN;
    uint64_t now = p->time;
    p->time += m->first.penalty;
    if (!m->tlb.lines) return;
    m->count[C_TLB2_ACCESSES]++;
    bool hit = tlb_lookup(&m->tlb, p->address);
    const CacheLine *line = cache_peek(&m->tlb, p->address >> m->tlb.page_shift);
    uint64_t *walked = &m->walked[line - m->tlb.lines];
    bool under_way = hit && *walked > now;
    m->count[!hit ? C_TLB2_MISSES : under_way ? C_TLB2_MERGES : C_TLB2_HITS]++;
    if (hit && !under_way) return;
    p->translate = WALK;
    if (hit) return;
    *walked = now + m->walk_time;
    if (!m->cfg.window || p->address / m->cfg.window == m->window) return;
    m->window = p->address / m->cfg.window;
    p->extra = (uint16_t)MIN(m->cfg.switching, 65535u);
}

void mmu_run(Mmu *m, Wire *const *late, uint32_t sms, Partition *parts, uint64_t window, uint64_t end)
{
    for (uint32_t s = 0; s < sms; s++) {
        Fifo *from = &late[s]->box[(window & 1) ^ 1];
        for (size_t k = 0; k < from->n; k++) {
            vec_push(&m->waiting, from->v[k]);
            for (size_t at = m->waiting.n - 1; at && before(&m->waiting.v[at], &m->waiting.v[at - 1]); at--) {
                Packet swap = m->waiting.v[at];
                m->waiting.v[at] = m->waiting.v[at - 1];
                m->waiting.v[at - 1] = swap;
            }
        }
        from->n = 0;
    }
    size_t done = 0;
    for (; done < m->waiting.n && m->waiting.v[done].time < end; done++) {
        Packet p = m->waiting.v[done];
        translate(m, &p);
        Partition *part = &parts[partition_of(&parts[0].cfg, p.address, NULL)];
        Fifo *to = &part->inbox[part->sms];
        if (to->head == to->n) to->head = to->n = 0;
        fifo_put(to, &p);
        first_set(&part->first, part->sms, to);
        part->first_slice->due = MIN(part->first_slice->due, p.time);  // of all that share its channel
    }
    if (!done) return;
    memmove(m->waiting.v, m->waiting.v + done, (m->waiting.n - done) * sizeof *m->waiting.v);
    m->waiting.n -= done;
}
