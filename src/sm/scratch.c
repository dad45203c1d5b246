// scratch.c: shared memory that no CTA uses, as a direct-mapped cache of 128-byte blocks (ciao §IV-B, Figure 7). Which
// space is unused is known when a CTA starts: from the shared memory management table (SMMT), that is from where the
// running CTAs' shared memory lies, the largest gap is found. A CTA that starts takes its space back, and what the
// cache had there is dropped: nothing is dirty, since stores go through.
//
// A row of shared memory is 32 banks of 8 bytes, two groups of 16. A block fills a row of one group. Its tag and that
// of another block lie in a bank of the other group, so that one access reads both; so 64 tags fill a row. Tags lie
// behind the data. Rows are as many as fit, since "CIAO-P fully utilizes the unused space" (§V-B). With the mask of
// §IV-B they are a power of two.
#include "mem/replacement.h"
#include "sm/unit.h"

static uint32_t tag_rows(uint32_t rows) { return (2 * rows + ROW_TAGS - 1) / ROW_TAGS; }

uint32_t scratch_rows(const SmCfg *cfg, uint32_t bytes)
{
    uint32_t room = bytes / SCRATCH_ROW, rows = 0;
    if (cfg->scratch_modulo) {
        rows = room * 32 / 33;  // 32 rows of data have a row of tags
        while (rows + tag_rows(rows) > room) rows--;
        while (rows + 1 + tag_rows(rows + 1) <= room) rows++;
        return rows;
    }
    for (uint32_t bit = 0; bit <= cfg->scratch_bits; bit++)
        if ((1u << bit) + tag_rows(1u << bit) <= room) rows = 1u << bit;
    return rows;
}

// As large as it can become: like the L1 but for its size, its sets and where its data lie.
void scratch_configure(SmCfg *s)
{
    uint64_t room = MAX(s->shared_size, s->storage_size);
    uint32_t rows = scratch_rows(s, (uint32_t)MIN(room, UINT32_MAX));
    s->scratch = (CacheCfg){0};
    if (!(s->schedule->wants & OC_WANTS_SCRATCH) || !s->l1.size) return;
    s->scratch = s->l1;
    s->scratch.size = (uint64_t)rows * SCRATCH_ROW;
    s->scratch.line = SCRATCH_LINE;
    s->scratch.sector = MIN(s->l1.sector, SCRATCH_LINE);
    s->scratch.fill = s->l1.fill == s->l1.sector ? s->scratch.sector : SCRATCH_LINE;
    s->scratch.ways = 1, s->scratch.set_count = 0;
    s->scratch.index = INDEX_MODULO, s->scratch.index_low = 0, s->scratch.index_bit_count = 0;
    s->scratch.replacement = REPLACE_LRU, s->scratch.plug = NULL;
    s->scratch.latency = s->scratch_look + s->shared_latency;
    s->scratch.write_back = s->scratch.write_allocate = s->scratch.keep = false;
    s->scratch.unlocked = false;  // scratch_load sees to that
}

// The largest gap between the running CTAs' shared memory: its bytes, and where it begins in *at.
static uint32_t largest_gap(const Sm *sm, uint32_t *at)
{
    uint32_t best = 0, from = 0;
    for (uint32_t c = 0; c <= sm->issue.view.ctas; c++) {
        const oc_cta_view *cta = &sm->issue.view.cta[c];
        bool end = c == sm->issue.view.ctas;
        if (!end && (!cta->running || !cta->shared_size)) continue;
        uint32_t to = end ? sm->cfg.shared_size : cta->shared_at;
        uint32_t start = (from + SCRATCH_ROW - 1) / SCRATCH_ROW * SCRATCH_ROW;
        if (to > start && to - start > best) best = to - start, *at = start;
        if (!end) from = cta->shared_at + cta->shared_size;
    }
    return best;
}

// Drops the lines of some sets.
static void drop_sets(Sm *sm, Port *port, uint32_t from, uint32_t to)
{
    for (uint32_t set = from; set < to; set++)
        if (port->cache.tags[set]) port_forget(sm, port, &port->cache.lines[set]);
}

void scratch_begin(Sm *sm)
{
    Cache *c = &sm->ports.port[PORT_SCRATCH].cache;
    issue_scratch(sm, 0);
    sm->ports.scratch.at = sm->ports.scratch.rows = 0, sm->ports.scratch.since = 0;
    if (!c->lines) return;
    cache_narrow(c, (uint32_t)(c->cfg.size / c->cfg.line));
    cache_flush(c);
    cache_narrow(c, 0);
}

void scratch_count(Sm *sm, uint64_t now)
{
    uint64_t bytes = (uint64_t)(sm->ports.scratch.rows + tag_rows(sm->ports.scratch.rows)) * SCRATCH_ROW;
    sm->count[C_SCRATCH_HELD] += bytes * (now - sm->ports.scratch.since);
    sm->ports.scratch.since = now;
}

void scratch_arrange(Sm *sm)
{
    Port *port = &sm->ports.port[PORT_SCRATCH];
    Cache *c = &port->cache;
    if (!c->lines) return;
    uint32_t at = 0, most = (uint32_t)(c->cfg.size / SCRATCH_ROW), had = 2 * sm->ports.scratch.rows;
    uint32_t rows = MIN(scratch_rows(&sm->cfg, largest_gap(sm, &at)), most);
    if (rows == sm->ports.scratch.rows && (at == sm->ports.scratch.at || !rows)) return;
    scratch_count(sm, sm->now);
    // The offset registers move the whole cache; a row's number is what a block's is, masked by fewer or more bits.
    if (at != sm->ports.scratch.at || sm->cfg.scratch_modulo) drop_sets(sm, port, 0, had);
    cache_narrow(c, 2 * rows);
    if (2 * rows < had) drop_sets(sm, port, 2 * rows, had);
    for (uint32_t set = 0; set < MIN(had, 2 * rows); set++)
        if (c->tags[set] && cache_set(c, cache_tagged(c, set)) != set) port_forget(sm, port, &c->lines[set]);
    sm->ports.scratch.at = at, sm->ports.scratch.rows = rows;
    issue_scratch(sm, 2 * rows);
}

// --- one copy --------------------------------------------------------------------------------------------------------
// A line is in the L1 or here, never in both (ciao §IV-B): a load whose line the other one has moves it. The L1's dirty
// lines (of one that writes back) stay where they are. A line that lacks what is asked for is fetched anew. A miss of
// the scratch cache gets the place of a line that is under way, too, whatever l1.unlocked says, and though it may be
// refused: the tag is the newcomer's.
Refusal scratch_load(Sm *sm, const LsuOp *op, const Segment *s)
{
    Port *port = op->port, *other;
    Cache *c = &port->cache;
    uint64_t at = s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR;
    if (cache_peek(c, at)) return port_load(sm, op, s, port);
    if (c == &sm->ports.port[PORT_SCRATCH].cache) port_abandon(sm, &c->lines[cache_set(c, at)]);
    CacheLine *copy = scratch_copy(sm, port, at, &other);
    if (!copy) return port_load(sm, op, s, port);
    if (copy->dirty || op->keep_out) return port_load(sm, op, s, other);
    bool like = other->cache.cfg.line == c->cfg.line;
    if (copy->pending || (like && !(port_sectors(c, s) & ~copy->valid))) return port_move(sm, op, s, other, copy);
    cache_drop(&other->cache, copy);
    return port_load(sm, op, s, port);
}

// What a store does to a copy in the other one of L1 and scratch cache: it is updated there, or goes.
void scratch_store(Sm *sm, const LsuOp *op, const Segment *s, bool takes)
{
    Port *other;
    uint64_t at = s->address + (uint32_t)__builtin_ctz(s->sectors) * SECTOR;
    CacheLine *copy = scratch_copy(sm, op->port, at, &other);
    if (copy && !copy->dirty && (takes || (other->cache.cfg.write_evict && !copy->pending)))
        port_forget(sm, other, copy);
}
