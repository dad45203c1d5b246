// prefetch.c: a prefetcher of the L1 (onchip_cache.h). It hears of each load that the L1 has served, or has sent for,
// and the lines that it asks for are fetched at once, as far as there is room for a miss. Nothing waits for them, and a
// load that does merges. Conservation: asked = there + outside + dropped + issued. Each line that was issued is useful,
// late or unused at most once.
#include "sm/unit.h"

#include <string.h>

bool prefetch_open(Sm *sm)
{
    const oc_prefetcher_type *t = sm->cfg.prefetch;
    if (!t) return true;
    Prefetch *p = sm->ports.prefetch = mem_try(1, sizeof *p);
    return p && (p->own = mem_try(MAX(t->state, 1u), 1));
}

void prefetch_close(Sm *sm)
{
    if (sm->ports.prefetch) mem_free(sm->ports.prefetch->own);
    mem_free(sm->ports.prefetch);
}

// The view as it is, whatever the prefetcher wrote there.
static oc_prefetcher *view(Sm *sm)
{
    Prefetch *p = sm->ports.prefetch;
    const Cache *c = &sm->ports.port[PORT_L1].cache;
    p->view.type = sm->cfg.prefetch, p->view.own = p->own, p->view.param = sm->cfg.prefetch_param;
    p->view.count = p->own_count, p->view.now = &sm->now;
    p->view.sm = sm->index, p->view.warps = sm->cfg.max_warps;
    p->view.line_bytes = c->cfg.line, p->view.sectors = c->sectors;
    p->view.mshrs_free = &sm->ports.port[PORT_L1].free;
    p->view.fetches = 0;
    return &p->view;
}

void prefetch_begin(Sm *sm)
{
    Prefetch *p = sm->ports.prefetch;
    if (!p) return;
    memset(p->own, 0, sm->cfg.prefetch->state);
    memset(p->own_count, 0, sizeof p->own_count), memset(p->count, 0, sizeof p->count);
    if (sm->cfg.prefetch->open) sm->cfg.prefetch->open(view(sm));
}

// Is it memory that a load might read? The space is that of the load before.
static bool inside(const Sm *sm, const LsuOp *op, uint64_t address)
{
    const Gmem *g = sm->env.gmem;
    if (op->space == SP_LOCAL) return local_has(sm, address);
    if (address - GLOBAL_BASE < g->top) return true;
    for (size_t k = 0; k < g->maps.n; k++)
        if (address - g->maps.v[k].start < g->maps.v[k].end - g->maps.v[k].start) return true;
    return false;
}

static PrefetchCount fetch(Sm *sm, const LsuOp *op, Port *port, const oc_fetch *f)
{
    const Cache *c = &port->cache;
    const uint32_t all = (uint32_t)((1ull << c->sectors) - 1), asked = f->sectors & all;
    const uint64_t address = f->line << c->line_shift;
    if (address >> c->line_shift != f->line || !inside(sm, op, address)) return PREFETCH_OUTSIDE;
    if (f->sectors && !asked) return PREFETCH_OUTSIDE;
    return port_prefetch(sm, op, port, address, asked ? asked : all);
}

// A load touches a line of which a prefetcher asked for sectors that no load has touched. True: it is the first one.
static bool touch(Prefetch *p, CacheLine *line, uint32_t sectors)
{
    const uint32_t ahead = line ? owner_ahead(line->owner) & sectors : 0;
    if (!ahead) return false;
    p->count[ahead & ~line->valid ? PREFETCH_LATE : PREFETCH_USEFUL]++;
    line->owner &= UINT32_MAX;
    return true;
}

void prefetch_lost(Sm *sm, uint64_t owner) { sm->ports.prefetch->count[PREFETCH_UNUSED] += owner_ahead(owner) != 0; }

void prefetch_load(Sm *sm, const LsuOp *op, Port *port, uint64_t at, uint32_t sectors, CacheLine *line, Lookup found)
{
    Prefetch *p = sm->ports.prefetch;
    CachePlug *plug = port->cache.plug;
    const oc_load_event e = {.line = at >> port->cache.line_shift,
                             .sectors = sectors,
                             .warp = op->warp,
                             .pc = op->stat,
                             .outcome = found == HIT       ? OC_HIT
                                        : found == PENDING ? OC_MERGE
                                                           : OC_MISS,
                             .first = touch(p, line, sectors),
                             .local = op->space == SP_LOCAL};
    sm->cfg.prefetch->load(view(sm), &e);
    if (!p->view.fetches) return;
    // A copy: a line that is fetched may be told to a plug-in, which is the same shared object's code.
    oc_fetch fetches[OC_MOST_FETCHES];
    const uint32_t asked = p->view.fetches, n = MIN(asked, (uint32_t)OC_MOST_FETCHES);
    memcpy(fetches, p->view.fetch, n * sizeof *fetches);
    p->count[PREFETCH_ASKED] += asked, p->count[PREFETCH_DROPPED] += asked - n;
    if (plug) plug->now.prefetch = true;
    for (uint32_t k = 0; k < n; k++) p->count[fetch(sm, op, port, &fetches[k])]++;
    if (plug) plug->now.prefetch = false;
}
