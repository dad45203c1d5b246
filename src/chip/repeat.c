// repeat.c: a launch that repeats an earlier one isn't simulated again: its record is copied, and what it wrote is
// written. It repeats one if all that determines it is the same: the kernel, its arguments and the shape; the bytes of
// the device's memory and of the constants; the allocations; and the state that the chip keeps from launch to launch.
// All that is compared, or hashed with 128 bits, so a repeated launch is what a simulated one would have been.
//
// A launch is kept only if the chip's state after it is the one before it, as of the second of equal launches: then a
// repeated one changes nothing there. Launches that print, allocate, or read the time or their own number aren't kept.
//
// Looking costs a copy of memory. So it is done once the launches of a kernel with the same arguments have cost fifty
// times as much, by what they counted: where nothing repeats, less than 2 % is lost.
#define XXH_INLINE_ALL
#include "chip/unit.h"

#include <string.h>
#include <xxhash.h>

enum { MOST_PASTS = 1024 };               // kernels with their arguments that are told apart
#define MOST_MEMORY ((uint64_t)64 << 20)  // bytes of the device's memory; more of it isn't looked at
#define MOST_KEPT ((uint64_t)256 << 20)   // bytes of the host's that all that is kept may take
enum { PAGE = 4096, WORTH = 50 };         // a launch has to have cost so many times what looking costs

typedef struct Head {  // of what a launch is found by; its parameters follow
    const Kernel *kernel;
    uint64_t workspace;
    uint32_t grid[3], block[3], cluster[3], dynamic_shared;
} Head;
typedef struct Past {
    uint64_t cost;  // host instructions of its launches since it was looked at, roughly
    bool kept;      // the rest is there
    Record r;
    uint8_t *memory, *after;  // before it; after: the pages that it changed, as they were then
    uint64_t top;
    Allocation *alloc;
    size_t allocs;
    Division division, left;  // before and after it
    XXH128_hash_t state;
    uint32_t *page, pages;
    uint64_t bytes;  // of the host's memory
} Past;
struct Repeats {
    Map at;  // a launch's key → its place in past
    VEC(Past *) past;
    uint64_t bytes, repeated;
    uint64_t filled;  // lines that the chip held when its state was looked at last
    bool known;       // state is the chip's, after the launch or copy `version`
    uint64_t version;
    XXH128_hash_t state;
};

// --- the chip's state ------------------------------------------------------------------------------------------------
// What a set holds. Of the stamps only their order matters. Returns how many lines it holds.
static uint32_t hash_set(XXH3_state_t *x, const Cache *c, uint32_t set, bool owners)
{
    const uint32_t first = c->first[set], ways = c->ways[set];
    const uint64_t *tags = c->tags + first;
    uint64_t any = c->tree ? c->tree[set] : 0;
    for (uint32_t w = 0; w < ways; w++) any |= tags[w];
    if (!any) return 0;  // as most are
    uint32_t filled = 0;
    const uint64_t head[2] = {set, c->tree ? c->tree[set] : 0};
    XXH3_128bits_update(x, head, sizeof head);
    for (uint32_t w = 0; w < ways; w++) {
        const uint32_t at = first + w;
        if (!c->tags[at]) continue;
        filled++;
        const CacheLine *line = &c->lines[at];
        uint64_t rank = 0;
        for (uint32_t v = 0; v < ways; v++) rank += c->stamps[first + v] < c->stamps[at];
        const uint64_t it[6] = {(uint64_t)w << 32 | rank,
                                c->tags[at],
                                (uint64_t)line->valid << 32 | line->dirty,
                                line->pending,
                                c->state ? c->state[at] : 0,
                                owners ? line->owner : 0};
        XXH3_128bits_update(x, it, sizeof it);
    }
    return filled;
}

// owners: who brought a line is looked at in a later launch.
static uint64_t hash_cache(XXH3_state_t *x, const Cache *c, uint64_t place, bool owners)
{
    uint64_t filled = 0;
    if (!c->lines) return 0;
    const uint64_t head[2] = {place, c->random};
    XXH3_128bits_update(x, head, sizeof head);
    for (uint32_t s = 0; s < c->sets && c->cfg.keep && c->used; s++) filled += hash_set(x, c, s, owners);
    return filled;
}

// Lines that hashing the state looks at.
static uint64_t state_lines(const Chip *c)
{
    uint64_t n = 0;
    for (uint32_t k = 0; k < c->built.n && c->gpu.part.l2.keep; k++)
        n += (uint64_t)cache_line_count(&c->parts[c->built.v[k]].l2) * c->gpu.part.slices;
    for (uint32_t s = 0; s < c->opened; s++)
        for (int k = 0; k < PORT_COUNT; k++)
            if (c->sms[s].ports.port[k].cache.cfg.keep) n += cache_line_count(&c->sms[s].ports.port[k].cache);
    return n;
}

// Channels and SMs that aren't built add nothing to the hash: a launch that builds some counts as another state, once.
static XXH128_hash_t hash_state(Chip *c)
{
    struct Repeats *all = c->repeats;
    if (all->known && all->version == c->version) return all->state;
    XXH3_state_t x;
    XXH3_128bits_reset(&x);
    all->filled = 0;
    for (uint32_t p = 0; p < c->gpu.part.partitions; p++)
        if (c->stage[p % c->channels]) all->filled += hash_cache(&x, &c->parts[p].l2, p, false);
    XXH3_128bits_update(&x, &c->mmu.tlb.random, sizeof c->mmu.tlb.random);  // all that TLBs keep
    for (uint32_t s = 0; s < c->opened; s++) {
        const Ports *ports = &c->sms[s].ports;
        const uint64_t left[3] = {ports->left.n, c->sms[s].lsu.emptying, c->sms[s].links.tlb.random};
        XXH3_128bits_update(&x, left, sizeof left);
        for (int k = 0; k < PORT_COUNT; k++)
            all->filled += hash_cache(&x, &ports->port[k].cache, 1ull << 32 | (uint64_t)s << 8 | (uint64_t)k, true);
        for (uint32_t w = 0; ports->own && w < c->sms[s].cfg.max_warps; w++)
            all->filled += hash_cache(&x, &ports->own[w].cache, 2ull << 32 | (uint64_t)s << 8 | w, true);
    }
    all->state = XXH3_128bits_digest(&x);
    all->known = true, all->version = c->version;
    return all->state;
}

// --- what is kept ----------------------------------------------------------------------------------------------------
static void *copy_of(const void *from, size_t bytes)
{
    void *p = mem_try(1, bytes);
    if (p && bytes) memcpy(p, from, bytes);
    return p;
}

// All but its name, which `to` has.
static void copy_record(Record *to, const Record *from)
{
    Record r = *from;
    r.kernel = to->kernel;
    for (int k = 0; k < MAX_STRUCTURES; k++)
        if (from->structure_name[k]) r.structure_name[k] = mem_text(from->structure_name[k]);
    if (from->undefined) r.undefined = mem_text(from->undefined);
    r.inst = mem_alloc(sizeof *r.inst * r.insts);
    if (r.insts) memcpy(r.inst, from->inst, sizeof *r.inst * r.insts);
    r.samples.v = NULL, r.samples.n = r.samples.cap = 0;
    for (size_t k = 0; k < from->samples.n; k++) vec_push(&r.samples, from->samples.v[k]);
    r.pairs.v = NULL, r.pairs.n = r.pairs.cap = 0;
    for (size_t k = 0; k < from->pairs.n; k++) vec_push(&r.pairs, from->pairs.v[k]);
    *to = r;
}

static void past_drop(struct Repeats *all, Past *p)
{
    if (!p->bytes) return;
    all->bytes -= p->bytes;
    if (p->kept) record_free(&p->r);
    mem_free(p->memory), mem_free(p->after), mem_free(p->alloc), mem_free(p->page);
    *p = (Past){.cost = p->cost};
}

void repeats_close(struct Repeats *all)
{
    if (!all) return;
    for (size_t k = 0; k < all->past.n; k++) past_drop(all, all->past.v[k]), mem_free(all->past.v[k]);
    map_free(&all->at);
    vec_free(&all->past);
    mem_free(all);
}

// --- looking ---------------------------------------------------------------------------------------------------------
// Null: no more can be told apart.
static Past *past_of(Chip *c, const LaunchInfo *l)
{
    if (!c->repeats) c->repeats = mem_alloc(sizeof *c->repeats);
    struct Repeats *all = c->repeats;
    uint8_t key[sizeof(Head) + MAX_PARAM];
    const size_t bytes = sizeof(Head) + l->kernel->param_bytes;
    if (bytes > sizeof key) return NULL;
    Head head;
    memset(&head, 0, sizeof head);
    head.kernel = l->kernel, head.workspace = l->workspace, head.dynamic_shared = l->dynamic_shared;
    memcpy(head.grid, l->grid, sizeof head.grid), memcpy(head.block, l->block, sizeof head.block);
    memcpy(head.cluster, l->cluster, sizeof head.cluster);
    memcpy(key, &head, sizeof head);
    if (l->kernel->param_bytes) memcpy(key + sizeof head, l->params, l->kernel->param_bytes);
    int64_t at;
    if (map_get(&all->at, (const char *)key, bytes, &at)) return all->past.v[at];
    if (all->past.n == MOST_PASTS) return NULL;
    map_put(&all->at, (const char *)key, bytes, (int64_t)all->past.n);
    Past *p = mem_alloc(sizeof *p);
    vec_push(&all->past, p);
    return p;
}

static bool same_allocs(const Past *p, const Gmem *g)
{
    if (p->allocs != g->allocs.n) return false;
    for (size_t k = 0; k < p->allocs; k++) {
        const Allocation *a = &p->alloc[k], *b = &g->allocs.v[k];
        if (a->start != b->start || a->end != b->end || a->label != b->label || a->freed != b->freed ||
            a->internal != b->internal)
            return false;
    }
    return true;
}

// Where what an SM or a launch finds depends on how storage was shared out before.
static bool division_matters(const Chip *c) { return c->gpu.sm.l1.keep || c->gpu.sm.per == PER_PROGRAM; }
static bool same_division(const Division *a, const Division *b)
{
    return a->registers == b->registers && a->shared_size == b->shared_size && a->l1_size == b->l1_size;
}

static bool repeats(Chip *c, const Past *p)
{
    const Gmem *g = c->gmem;
    if (!p->kept || p->top != g->top || !same_allocs(p, g)) return false;
    if (division_matters(c) && !same_division(&p->division, &c->division)) return false;
    if (g->top && memcmp(p->memory, g->host, g->top) != 0) return false;
    return XXH128_isEqual(hash_state(c), p->state);
}

static void repeat(Chip *c, const Past *p, const LaunchInfo *l, Record *r)
{
    copy_record(r, &p->r);
    r->info = *l;
    for (uint32_t k = 0; k < p->pages; k++) {
        const uint64_t at = (uint64_t)p->page[k] * PAGE;
        memcpy(c->gmem->host + at, p->after + (uint64_t)k * PAGE, MIN(PAGE, p->top - at));
    }
    c->division = p->left;
    c->clock_ns += (uint64_t)((double)r->count[C_CYCLES] * 1e3 / c->gpu.core_mhz);
    c->repeats->repeated++;
}

// --- keeping ---------------------------------------------------------------------------------------------------------
// Before a launch that may be kept. False: the host has no memory for it, or it would be too much.
static bool past_begin(Chip *c, Past *p)
{
    const Gmem *g = c->gmem;
    p->top = g->top, p->allocs = g->allocs.n;
    p->bytes = g->top + sizeof *p->alloc * p->allocs;
    c->repeats->bytes += p->bytes;
    if (c->repeats->bytes > MOST_KEPT || !mem_room(p->bytes)) return false;
    p->memory = copy_of(g->host, g->top);
    p->alloc = copy_of(g->allocs.v, sizeof *p->alloc * p->allocs);
    p->division = c->division;
    if (!p->memory || !p->alloc) return false;
    p->state = hash_state(c);
    return true;
}

// The pages that the launch changed. False: as past_begin.
static bool keep_pages(Chip *c, Past *p)
{
    const uint8_t *now = c->gmem->host;
    const uint64_t all = (p->top + PAGE - 1) / PAGE;
    p->page = mem_try(all, sizeof *p->page);
    for (uint64_t k = 0; k < all && p->page; k++) {
        const uint64_t at = k * PAGE, n = MIN(PAGE, p->top - at);
        if (memcmp(p->memory + at, now + at, n) != 0) p->page[p->pages++] = (uint32_t)k;
    }
    const uint64_t bytes = (uint64_t)p->pages * PAGE + all * sizeof *p->page;
    p->bytes += bytes, c->repeats->bytes += bytes;
    if (!p->page || c->repeats->bytes > MOST_KEPT || !(p->after = mem_try(MAX(p->pages, 1u), PAGE))) return false;
    for (uint32_t k = 0; k < p->pages; k++) {
        const uint64_t at = (uint64_t)p->page[k] * PAGE;
        memcpy(p->after + (uint64_t)k * PAGE, now + at, MIN(PAGE, p->top - at));
    }
    return true;
}

// After it. False: another launch wouldn't be the same, or there is no room.
static bool past_end(Chip *c, Past *p, const Record *r)
{
    bool dated = false;
    for (uint32_t s = 0; s < c->used; s++) dated |= c->sms[s].env.dated;
    if (dated || p->top != c->gmem->top || !same_allocs(p, c->gmem)) return false;
    p->left = c->division;
    if (division_matters(c) && !same_division(&p->division, &p->left)) return false;
    if (!XXH128_isEqual(hash_state(c), p->state) || !keep_pages(c, p)) return false;
    p->kept = true;
    copy_record(&p->r, r);
    p->r.kernel = NULL, p->r.info.params = NULL;
    return true;
}

// Host instructions: of a launch, by what it counted; of looking whether it repeats one, from its copy to its replay.
static uint64_t cost_of(const uint64_t *count)
{
    return 100000 + 300 * count[C_WARP_INSTS] + 300 * count[C_L2_ACCESSES] + count[C_CYCLES];
}
static uint64_t cost_of_looking(const Chip *c)
{
    return 20000 + c->gmem->top * 5 / 4 + 10 * state_lines(c) + 150 * c->repeats->filled;
}

// Does nothing but what is compared here go into it, and nothing but what is kept come from it? Another process may
// write to memory that is shared while the launch runs.
static bool alone(const Chip *c, const LaunchInfo *l, uint32_t textures, const RunOptions *o)
{
    return c->sms && !gpu_has_plugin(&c->gpu) && !(o->stop && *o->stop) && l->kernel->image && !textures && !o->trace &&
           !o->why && !o->max_insts && !c->check && c->gmem->file < 0 && c->gmem->top <= MOST_MEMORY;
}

RunResult chip_launch(Chip *c, const LaunchInfo *l, const Texture *textures, uint32_t texture_count,
                      const RunOptions *o, Record *r, Text *message)
{
    Past *p = c->simulate_all ? NULL : past_of(c, l);
    const bool looks = p && alone(c, l, texture_count, o);
    if (looks && p->kept && repeats(c, p)) return repeat(c, p, l, r), RUN_OK;
    if (p && p->kept) past_drop(c->repeats, p);
    const bool keeps = looks && p->cost >= WORTH * cost_of_looking(c) && past_begin(c, p);
    const size_t printed = o->printed ? o->printed->n : 0;
    if (p && !keeps) past_drop(c->repeats, p);
    RunResult result = slices_run(c, l, textures, texture_count, o, r, message);
    if (!p) return result;
    if (keeps) p->cost = 0;
    p->cost += result == RUN_OK ? cost_of(r->count) : 0;
    if (keeps && (result != RUN_OK || (o->printed && o->printed->n != printed) || !past_end(c, p, r)))
        past_drop(c->repeats, p);
    return result;
}

uint64_t chip_repeated(const Chip *c) { return c->repeats ? c->repeats->repeated : 0; }
