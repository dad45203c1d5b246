// chip.c: a launch, window by window. Blocks are handed out at edges, then the SMs that have any and all partitions run
// the window side by side (what one sends the other in a window arrives in a later one), then what the SMs stored
// becomes visible. Windows in which nothing happens are jumped over. Nothing depends on the number of host threads:
// tasks share no data within a phase.
#include "chip/unit.h"
#include "names/names.h"

#include <string.h>

// --- data structures -------------------------------------------------------------------------------------------------
// Structure 0 is what nothing else is; 1 + k is the kernel's parameter k; then allocations that no parameter points to;
// the last is local memory.
typedef struct Structures {
    uint64_t start[MAX_STRUCTURES], end[MAX_STRUCTURES];
    uint8_t id[MAX_STRUCTURES];
    uint32_t n;
} Structures;

typedef struct Launch {
    Chip *c;
    const RunOptions *o;
    Record *r;
    Text *message;  // why it ended, unless it ran to its end
    uint64_t window, from, to;
    uint64_t blocks, started;  // in all, and that SMs have got
    uint32_t next_sm;          // which gets the next one, if it has room
    uint64_t sampled;          // intervals
    uint64_t told;             // the cycle of the last call of o->progress
    double told_at;            // and when that was, on the host
    Structures structures;
    uint64_t watched;  // the cycle in which the watch began
    bool no_room;      // the host has no memory for a partition that something was sent to
    uint32_t epoch;
    Tracer *tracer;        // null: nobody asks
    Stretches *stretches;  // null: all blocks are timed
    const Part *part;      // likewise: the others are executed by `beside`
    Execution *beside;
    PartTraffic traffic;
    bool given_up;  // no more of its blocks begin, and none is executed
} Launch;

static uint8_t structure_of(const Sm *sm, uint64_t address)
{
    const Launch *l = sm->owner;
    for (uint32_t k = 0; k < l->structures.n; k++)
        if (address - l->structures.start[k] < l->structures.end[k] - l->structures.start[k])
            return l->structures.id[k];
    return 0;
}

static void name_structures(Launch *l, const LaunchInfo *info, Record *r)
{
    const Function *f = info->kernel->f;
    const Gmem *g = l->c->gmem;
    Structures *s = &l->structures;
    r->structure_name[0] = mem_text("other");
    r->structure_name[MAX_STRUCTURES - 1] = mem_text("local memory");
    for (size_t p = 0; p < f->params.n && p + 2 < MAX_STRUCTURES; p++) {
        if (f->params.v[p]->bytes != 8) continue;
        uint64_t value;
        memcpy(&value, info->params + info->kernel->param_at.v[p], 8);
        const Allocation *a = gmem_find(g, value);
        if (!a) continue;
        r->structure_name[p + 1] = a->label ? mem_text(a->label) : param_shown(f->symbol->name, f->params.v[p]->name);
        bool known = false;
        for (uint32_t k = 0; k < s->n; k++) known |= s->start[k] == a->start;
        if (known || s->n == MAX_STRUCTURES) continue;
        s->start[s->n] = a->start, s->end[s->n] = a->end, s->id[s->n] = (uint8_t)(p + 1);
        s->n++;
    }
    uint32_t next = (uint32_t)f->params.n + 1;
    for (size_t k = 0; k < g->allocs.n && next < MAX_STRUCTURES - 1 && s->n < MAX_STRUCTURES; k++) {
        const Allocation *a = &g->allocs.v[k];
        bool known = a->freed;
        for (uint32_t m = 0; m < s->n; m++) known |= s->start[m] == a->start;
        if (known || !a->label) continue;
        r->structure_name[next] = mem_text(a->label);
        s->start[s->n] = a->start, s->end[s->n] = a->end, s->id[s->n] = (uint8_t)next++;
        s->n++;
    }
}

void chip_name(const Chip *c, const LaunchInfo *info, Record *r)
{
    Launch l = {.c = (Chip *)(uintptr_t)c};
    name_structures(&l, info, r);
}

bool structure_called(const char *name, const char *word, size_t n)
{
    return !strncmp(name, word, n) && (!name[n] || name[n] == ' ');
}

bool structure_next(const char **list, const char **word, size_t *n)
{
    *word = *list + strspn(*list, " ,");
    *n = strcspn(*word, ",");
    *list = *word + *n;
    while (*n && (*word)[*n - 1] == ' ') --*n;
    return *n;
}

// The data structures of a list of names, a bit each.
static uint64_t listed(const Record *r, const char *names)
{
    uint64_t bits = 0;
    const char *word;
    for (size_t n; structure_next(&names, &word, &n);)
        for (int k = 0; k < MAX_STRUCTURES; k++)
            if (r->structure_name[k] && structure_called(r->structure_name[k], word, n)) bits |= 1ull << k;
    return bits;
}

static void route_structures(Launch *l, const Record *r)
{
    const SmCfg *cfg = &l->c->gpu.sm;
    uint64_t past = listed(r, cfg->past), take = listed(r, cfg->take);
    for (uint32_t s = 0; s < l->c->used; s++) l->c->sms[s].past = past, l->c->sms[s].take = take;
}

// --- phases ----------------------------------------------------------------------------------------------------------
// The tasks of a window, in their order: the crossbar, partitions, SMs. SMs take what the crossbar lets pass in this
// window. It takes long, and the partitions run beside it, whose replies of the window before it has.
static void phase(void *user, uint32_t k)
{
    Launch *l = user;
    Chip *c = l->c;
    const uint32_t crossbar = c->gpu.part.ordered;
    if (k < crossbar)
        crossbar_run(&c->crossbar, c->parts, l->window, l->from + c->gpu.to_sm);
    else if ((k -= crossbar) < c->awake.n)
        partition_run(&c->parts[c->awake.v[k]], l->window, l->to);
    else if (c->sms[k -= c->awake.n].env.fault.kind == FAULT_NONE)
        sm_run(&c->sms[k], c->from_part + k * c->gpu.part.partitions, c->credit + k * c->gpu.part.partitions, l->window,
               l->from, l->to);
}

static void edge_done(void *user, uint32_t sm, const Deferred *d)
{
    Launch *l = user;
    if (l->c->sms[sm].env.fault.kind == FAULT_NONE) sm_edge_done(&l->c->sms[sm], d, l->to);
}

void chip_collect(const Chip *c, uint64_t *count)
{
    memset(count, 0, sizeof(uint64_t) * C_COUNT);
    for (uint32_t s = 0; s < c->used; s++)
        for (int k = 0; k < C_COUNT; k++) count[k] += c->sms[s].count[k];
    EACH_AWAKE(c, p)
    for (int k = 0; k < C_COUNT; k++) count[k] += p->count[k];
    for (int k = 0; k < C_COUNT; k++) count[k] += c->mmu.count[k];
    count[C_DRAM_BUSY] >>= 8;
}

static bool all_idle(const Chip *c)
{
    for (uint32_t s = 0; s < c->used; s++)
        if (!sm_quiet(&c->sms[s])) return false;
    EACH_AWAKE(c, p)
    if (!partition_idle(p)) return false;
    return !c->mmu.waiting.n;
}

// Hangs. Nothing can ever happen again, though blocks are running: a deadlock. Or nothing that others can see has
// changed for some time: then the warps are watched (exec's watch.c) for a quarter of as long as it has been quiet,
// again at twice that time, and so on; if all of them wait or come back to the states they were in, they go round for
// ever.
enum { QUIET = 1 << 18 };

static bool hangs(Launch *l, uint64_t now, uint64_t limit)
{
    const Chip *c = l->c;
    uint64_t changed = 0;
    bool running = false, events = false;
    if (l->stretches) changed = stretches_changed(l->stretches);
    for (uint32_t s = 0; s < c->used; s++) {
        const Sm *sm = &c->sms[s];
        running |= sm->running > 0;
        changed = MAX(changed, sm->env.changed);
        events |= !sm_stuck(sm);
    }
    if (!running) return false;
    if (!events) return true;
    uint64_t quiet = now - MIN(now, changed), from = QUIET;
    for (uint32_t s = 0; s < c->used && quiet >= QUIET / 2; s++) issue_feed(&c->sms[s], QUIET / 8);
    while (from * 2 <= quiet) from *= 2;
    bool watching = c->sms[0].env.watch,
         watch = quiet >= from && quiet - from < from / 4 && !(watching && changed > l->watched);
    if (watching && changed <= l->watched) {
        WatchVerdict all = WATCH_STUCK;
        for (uint32_t s = 0; s < c->used && all != WATCH_WORKS; s++) all = MIN(all, sm_judge(&c->sms[s], l->watched));
        if (all == WATCH_STUCK || (all == WATCH_POLLS && quiet > limit)) return true;
    }
    if (watch && !watching) l->epoch++, l->watched = now;
    for (uint32_t s = 0; s < c->used && watch != watching; s++) c->sms[s].env.watch = watch ? l->epoch : 0;
    return false;
}

static void explain_hang(const Chip *c, uint64_t now, Text *out)
{
    uint64_t changed = 0;
    for (uint32_t s = 0; s < c->used; s++) changed = MAX(changed, c->sms[s].env.changed);
    text_printf(out,
                "the kernel hangs: at cycle %llu every warp waits, or goes round a loop that nothing will end; nothing "
                "has changed since cycle %llu\n",
                (unsigned long long)now, (unsigned long long)changed);
    for (uint32_t s = 0; s < c->used && out->n < 20000; s++) sm_explain(&c->sms[s], out);
}

static const Fault *first_fault(const Chip *c)
{
    const Fault *f = NULL;
    for (uint32_t s = 0; s < c->used; s++) {
        const Fault *g = &c->sms[s].env.fault;
        if (g->kind != FAULT_NONE && (!f || g->cycle < f->cycle)) f = g;
    }
    return f;
}

// What the host has to give for the blocks of a launch; fit: an SM has room for so many. They come to the SMs in turn,
// so that no SM has more than its share at once.
static uint64_t blocks_lack(const Launch *l, const LaunchInfo *info, uint32_t fit)
{
    const Chip *c = l->c;
    uint32_t share = (uint32_t)MIN((l->blocks + c->used - 1) / c->used, fit);
    uint64_t bytes = 0;
    for (uint32_t s = 0; s < c->used; s++) bytes += sm_lacks(&c->sms[s], info, fit, share);
    return bytes;
}

// False: the host has no memory for it.
static bool begin(Launch *l, const LaunchInfo *info, const Texture *textures, uint32_t texture_count, const SmCfg *cfg,
                  uint32_t blocks)
{
    Chip *c = l->c;
    bool same = !c->opened || cfg->l1.size == c->sms[0].cfg.l1.size;
    uint64_t l1 = same ? 0 : most_plus(most_times(c->opened, cache_bytes(&cfg->l1)), cache_shape_bytes(&cfg->l1));
    if (l1 && !mem_room(l1)) return false;
    if (!chip_build_sms(c, c->used, cfg)) return false;
    for (uint32_t s = 0; s < c->opened; s++)  // of all: an L1 that is kept may lose its contents
        if (!sm_resize(&c->sms[s], cfg)) return false;
    uint64_t lack = blocks_lack(l, info, blocks);
    if (lack && !mem_room(lack)) {
        chip_spare(c);  // what other launches left may be what there is no room for
        if (!mem_room(blocks_lack(l, info, blocks))) return false;
    }
    for (uint32_t s = 0; s < c->used; s++) {
        Sm *sm = &c->sms[s];
        if (!watch_begin(sm, l->o->interval || l->o->trace) || !why_begin(sm, l->o->why)) return false;
        sm_flush(sm);
        sm->env.check = c->check;
        sm_begin(sm, info, blocks);
        sm->structure_of = structure_of;
        sm->owner = l;
        sm->env.textures = textures;
        sm->env.texture_count = texture_count;
        sm->env.nanoseconds = c->clock_ns;
        sm->env.watch = 0;
        sm->env.undefined = (Undefined){0};
        sm->env.overread = c->gpu.overread;
        sm->env.over = (Overread){0};
        sm->env.dated = false;
    }
    for (uint32_t s = 0; s < c->used; s++) c->sms[s].spans_kept = l->o->trace, c->sms[s].spans.n = 0;
    if (l->o->trace && !(l->tracer = tracer_open(l->o->trace, c))) return false;
    mmu_flush(&c->mmu);
    if (c->gpu.part.ordered) crossbar_begin(&c->crossbar);
    return chip_put_to_sleep(c, c->gpu.part.ordered || l->o->sample);
}

// Adds up which warps took whose lines, over the SMs.
static void collect_pairs(const Chip *c, Record *r)
{
    for (uint32_t warp = 0; warp < OC_MOST_WARPS; warp++)
        for (uint32_t by = 0; by < OC_MOST_WARPS; by++) {
            uint64_t n = 0;
            for (uint32_t s = 0; s < c->used; s++) n += watch_pair(&c->sms[s], warp, by);
            if (n) vec_push(&r->pairs, ((WarpPair){warp, by, n}));
        }
}

static void finish(Launch *l, Record *r)
{
    Chip *c = l->c;
    chip_collect(c, r->count);
    r->count[C_CYCLES] = l->to;
    r->sm_least = c->used < c->gpu.sms ? 0 : UINT64_MAX;
    for (uint32_t s = 0; s < c->used; s++) {
        r->sm_most = MAX(r->sm_most, c->sms[s].count[C_SM_CYCLES]);
        r->sm_least = MIN(r->sm_least, c->sms[s].count[C_SM_CYCLES]);
    }
    r->insts = r->info.kernel->insts;
    r->inst = mem_alloc(sizeof *r->inst * r->insts);
    Undefined first = {0};
    Overread over = {0};
    for (uint32_t s = 0; s < c->used; s++) {
        const Sm *sm = &c->sms[s];
        record_undefined(r, &sm->env.undefined, &first);
        record_overread(r, &sm->env.over, c->gmem, &over);
        for (int k = 0; k < MAX_STRUCTURES; k++) {
            const StructStat *f = &sm->structure[k];
            StructStat *t = &r->structure[k];
            add_structure(t, f);
        }
        for (uint32_t k = 0; k < r->insts; k++) add_inst(&r->inst[k], &sm->inst[k]);
        sm_add_counters(sm, r->own);
    }
    if (c->used && watch_on(&c->sms[0])) collect_pairs(c, r);
    if (c->used && c->sms[0].why) r->why = mem_alloc(sizeof *r->why);
    for (uint32_t s = 0; r->why && s < c->used; s++) why_add(&c->sms[s], r->why);
    EACH_AWAKE(c, p)
    plug_add(&p->l2, r->own + OWN_L2);
    EACH_AWAKE(c, p)
    for (int k = 0; k < MAX_STRUCTURES; k++) r->structure_dram[k] += p->dram_bytes[k];
}

// Room for another sample.
static bool sample_room(Record *r)
{
    if (r->samples.n + C_COUNT <= r->samples.cap) return true;
    size_t cap = MAX(r->samples.cap * 2, (size_t)64 * C_COUNT);
    uint64_t *v = mem_try_resize(r->samples.v, cap * sizeof *v);
    if (!v) return false;
    r->samples.v = v, r->samples.cap = cap;
    return true;
}

enum { CHECKED = 256 };  // every so many windows hangs are looked for
static uint64_t check_every(const Chip *c) { return (uint64_t)CHECKED * c->gpu.window; }

// Where the next window begins: those in which nothing is due are jumped over. Those at whose end something is looked
// at whether or not anything happened (a sample, the limit, hangs) are run, and in them all SMs are accounted up to
// there.
static uint64_t next_window(const Launch *l)
{
    const Chip *c = l->c;
    const RunOptions *o = l->o;
    uint64_t due = MIN(mmu_due(&c->mmu), l->to / check_every(c) * check_every(c) + check_every(c) - 1);
    if (c->gpu.part.ordered) due = MIN(due, c->crossbar.due);
    if (o->interval) due = MIN(due, (l->sampled + 1) * o->interval - 1);
    if (o->trace) due = MIN(due, (l->to / o->trace->interval + 1) * o->trace->interval - 1);
    if (o->max_cycles) due = MIN(due, o->max_cycles - 1);
    for (uint32_t s = 0; s < c->used; s++) due = MIN(due, sm_due(&c->sms[s]));
    EACH_AWAKE(c, p)
    due = MIN(due, MIN(p->due, p->sent));
    return due < l->to + c->gpu.window ? l->to : due - due % c->gpu.window;
}

uint32_t chip_fit(SmCfg *organised, const LaunchInfo *info, uint32_t sms, const Division *before, Record *r,
                  Text *message)
{
    r->info = *info;
    sm_organise(organised, info, before);
    uint32_t fit = sm_occupancy(organised, info, &r->occupancy_limit);
    if (!fit)
        text_printf(message, UNFIT "%s (registers per thread %u, shared memory %u bytes)", r->occupancy_limit,
                    info->kernel->registers, info->kernel->static_shared + info->dynamic_shared);
    const uint32_t cluster = exec_cluster_blocks(info);
    if (fit && (uint64_t)fit * sms < cluster) {
        text_printf(message, UNFIT "the cluster's %u blocks: there is room for %u side by side", cluster, fit * sms);
        fit = 0;
    }
    r->occupancy_blocks = fit;
    r->occupancy_warps = fit * ((info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES);
    return fit;
}

void chip_no_room(const LaunchInfo *info, uint64_t blocks, Text *message)
{
    char bytes[32];
    format_bytes(bytes, (double)(exec_cta_lacks(&(Cta){0}, info) * blocks));
    text_printf(message, "the host has no memory for the %llu blocks that run side by side, %s",
                (unsigned long long)blocks, bytes);
}

// The first SM of the group that has places for all blocks of a cluster, and behind it; UINT32_MAX: none has.
static uint32_t find_group(const Launch *l, uint32_t blocks, uint32_t *end)
{
    const Chip *c = l->c;
    const uint32_t size = c->gpu.cluster_sms ? MIN(c->gpu.cluster_sms, c->used) : c->used,
                   groups = (c->used + size - 1) / size;
    for (uint32_t k = 0; k < groups; k++) {
        const uint32_t from = (l->next_sm / size + k) % groups * size, to = MIN(from + size, c->used);
        uint64_t places = 0;
        for (uint32_t s = from; s < to; s++) places += sm_places(&c->sms[s]);
        if (places >= blocks) return *end = to, from;
    }
    return UINT32_MAX;
}

// The blocks of a cluster go to the SMs of one group together, to those that have most room.
static void hand_out_clusters(Launch *l)
{
    Chip *c = l->c;
    const LaunchInfo *info = &l->r->info;
    const uint32_t n = exec_cluster_blocks(info);
    for (uint32_t from, to; l->started < l->blocks && (from = find_group(l, n, &to)) != UINT32_MAX;
         l->next_sm = to % c->used) {
        Cluster *cluster = exec_cluster(n);
        const uint64_t number = l->started / n;
        for (uint32_t rank = 0; rank < n; rank++, l->started++) {
            uint32_t best = from;
            for (uint32_t s = from + 1; s < to; s++)
                if (sm_places(&c->sms[s]) > sm_places(&c->sms[best])) best = s;
            sm_start_member(&c->sms[best], exec_cluster_member(info, number, rank), cluster, rank, l->to);
        }
    }
}

static void give_block(Launch *l, Sm *sm)
{
    sm_give_block(sm, l->part ? part_block(l->part, l->started) : l->started, l->to);
    l->started++;
}

// Blocks go to the SMs in turn, one each, as long as there is room.
static void hand_out(Launch *l)
{
    Chip *c = l->c;
    if (l->r->info.cluster[0]) {
        hand_out_clusters(l);
        return;
    }
    const uint64_t end = l->stretches ? stretches_end(l->stretches) : l->blocks;
    for (uint32_t tried = 0; l->started < end && tried < c->used;) {
        Sm *sm = &c->sms[l->next_sm];
        if (sm_has_room(sm))
            give_block(l, sm), tried = 0;
        else
            tried++;
        l->next_sm = (l->next_sm + 1) % c->used;
    }
}

static bool all_over(const Launch *l)  // the timed blocks
{
    bool running = l->started < l->blocks;
    for (uint32_t s = 0; s < l->c->used && !running; s++) running = l->c->sms[s].running > 0;
    return !running;
}

static uint64_t executed(const Chip *c)
{
    uint64_t insts = 0;
    for (uint32_t s = 0; s < c->used; s++) insts += c->sms[s].count[C_WARP_INSTS];
    return insts;
}

// An eighth of a part's blocks tell whether DRAM's channels are too busy for it.
static bool gives_up(const Launch *l)
{
    const Chip *c = l->c;
    const Part *part = l->part;
    if (!part || part->most_busy == 0 || l->window % 4) return false;
    uint64_t over = 0, busy = 0;
    for (uint32_t s = 0; s < c->used; s++) over += c->sms[s].count[C_BLOCKS];
    if (over < part->timed / 8) return false;
    EACH_AWAKE(c, p)
    busy += p->count[C_DRAM_BUSY];
    const double each = (double)part->blocks / (double)part->timed;
    return (double)busy / 256 * each > part->most_busy * (double)l->to * c->channels;
}

// At an edge: blocks that are timed begin, those of a sampled launch that aren't are executed.
static RunResult begin_blocks(Launch *l)
{
    if (!l->given_up && gives_up(l)) l->given_up = true, l->blocks = l->started;
    if (l->given_up) return RUN_OK;
    hand_out(l);
    RunResult result = RUN_OK;
    for (uint64_t before = 0; l->stretches && result == RUN_OK && before != l->started;) {
        before = l->started;
        result = stretches_edge(l->stretches, &l->started, l->to, all_over(l), l->message);
        hand_out(l);
    }
    if (!l->beside || result != RUN_OK) return result;
    part_slow(l->part, l->c, &l->traffic, l->to);
    const uint64_t insts = executed(l->c), others = l->part->blocks - l->part->timed;
    return beside_step(l->beside, (uint64_t)((double)insts * (double)others / (double)l->part->timed), l->message);
}

// Policies that look at it learn how busy L2 and DRAM were until now.
static void tell_use(Launch *l)
{
    Chip *c = l->c;
    uint64_t l2 = 0, dram = 0;
    if (!(c->gpu.sm.schedule->wants & OC_WANTS_USE)) return;
    EACH_AWAKE(c, p)
    l2 += p->count[C_L2_ACCESSES], dram += p->count[C_DRAM_BUSY];
    oc_memory_use use = {.cycles = (double)l->to,
                         .l2_busy = (double)(l2 * c->gpu.part.interval) / c->gpu.part.partitions,
                         .dram_busy = (double)dram / 256 / c->channels};
    for (uint32_t s = 0; s < c->used; s++) issue_use(&c->sms[s], &use);
}

static void run_window(Launch *l)
{
    Chip *c = l->c;
    if (!chip_wake_asked(c)) {
        l->no_room = true;
        return;
    }
    tell_use(l);
    l->from = next_window(l);
    l->to = l->from + c->gpu.window;
    if (c->gpu.sm.tlb.entries) mmu_run(&c->mmu, c->late, c->used, c->parts, l->window, l->to);
    const uint32_t parts = (uint32_t)c->awake.n, first = c->gpu.part.ordered ? 1 + parts : 0;
    if (first) crossbar_look(&c->crossbar, c->parts);
    crew_run(c->used > 1 && !c->check ? c->crew : NULL, first, c->used + (first ? 0 : parts), phase, l);
    log_apply(c->envs, c->used, c->gmem, edge_done, l);
    for (uint32_t s = 0; s < c->used && watch_on(&c->sms[s]); s++) watch_warps(&c->sms[s], l->to);
    if (l->tracer) tracer_edge(l->tracer, c, l->to, false);
    for (uint32_t s = 0; s < c->used; s++) {
        Text *printed = &c->sms[s].env.printed;
        if (printed->n && l->o->printed) text_add(l->o->printed, printed->v, printed->n);
        printed->n = 0;
    }
}

// Keeps the counters at the end of an interval. False: the host has no memory for it.
static bool keep_interval(Launch *l)
{
    uint64_t count[C_COUNT];
    if (!l->o->interval || l->to / l->o->interval == l->sampled) return true;
    if (!sample_room(l->r)) {
        text_printf(l->message, "the host has no memory for more than %zu samples", l->r->samples.n / C_COUNT);
        return false;
    }
    l->sampled = l->to / l->o->interval;
    chip_collect(l->c, count);
    count[C_CYCLES] = l->to;
    chip_account(&l->c->gpu, &l->c->sms[0].cfg, count);
    for (int k = 0; k < C_COUNT; k++) vec_push(&l->r->samples, count[k]);
    return true;
}

// Where a cycle takes long, the host's clock says when it is time again.
static void tell_progress(Launch *l)
{
    Chip *c = l->c;
    if (!l->o->progress || (l->to - l->told <= 20000 && seconds_now() - l->told_at < 0.2)) return;
    uint64_t done = 0;
    for (uint32_t s = 0; s < c->used; s++) done += c->sms[s].count[C_BLOCKS];
    l->o->progress(l->o->user, l->to, executed(c), done, l->blocks);
    l->told = l->to, l->told_at = seconds_now();
    crew_muster(c->crew);
}

// A plug-in that replaces the L2's lines did what it may not. *f: room for that.
static const Fault *l2_fault(const Chip *c, uint64_t now, Fault *f)
{
    Text why = {0};
    bool wrong = false;
    if (!c->gpu.part.l2.plug) return NULL;
    EACH_AWAKE(c, p)
    if (!wrong) {
        char where[40];
        snprintf(where, sizeof where, "slice %u of the L2", p->index);
        wrong = plug_wrong(&p->l2, where, &why);
    }
    *f = (Fault){.kind = FAULT_POLICY, .cycle = now};
    if (wrong) snprintf(f->note, sizeof f->note, "%s", why.v);
    text_free(&why);
    return wrong ? f : NULL;
}

// Is the launch over at a window's edge? Then *result says how.
static bool is_over(Launch *l, RunResult *result)
{
    Chip *c = l->c;
    const Fault *fault = first_fault(c);  // what was printed before it is kept
    Fault own;
    if (!fault) fault = l2_fault(c, l->to, &own);
    if (fault) {
        exec_explain(fault, c->gmem, l->message);
        l->r->fault = fault->kind;
        return *result = fault->kind == FAULT_HOST ? RUN_MEMORY : RUN_FAULT, true;
    }
    if (!keep_interval(l)) return *result = RUN_MEMORY, true;
    if (l->no_room) {
        text_put(l->message, mem_none);
        return *result = RUN_MEMORY, true;
    }
    bool running = !all_over(l) || (l->stretches && stretches_wait(l->stretches));
    if (!running && all_idle(c)) return true;
    if (l->o->max_cycles && l->to >= l->o->max_cycles) return *result = RUN_LIMIT, true;
    if (l->o->max_insts && executed(c) >= l->o->max_insts) return *result = RUN_LIMIT, true;
    if (l->o->stop && *l->o->stop) return *result = RUN_STOPPED, true;
    if (!running || l->to % check_every(c)) return false;
    if (hangs(l, l->to, l->o->hang_cycles ? l->o->hang_cycles : 20000000)) {
        explain_hang(c, l->to, l->message);
        return *result = RUN_HANG, true;
    }
    tell_progress(l);
    return false;
}

// The cycle after the last instruction, the last store that reached the L2 and the last atomic that was executed there:
// a launch ends then, not at the window's edge.
static uint64_t last_event(const Chip *c)
{
    uint64_t end = 0;
    for (uint32_t s = 0; s < c->used; s++) end = MAX(end, c->sms[s].last_event);
    EACH_AWAKE(c, p)
    end = MAX(end, p->last_event);
    return end;
}

// All that isn't timed is executed to its end.
static RunResult end_beside(Launch *l, RunResult result, Executed *other)
{
    if (!l->beside) return result;
    beside_alone(l->beside);
    const bool all = result == RUN_OK && !l->given_up;
    if (all) result = beside_run(l->beside, 0, 0, l->message);
    if (all && result == RUN_OK && beside_left(l->beside)) result = RUN_HANG;
    *other = beside_done(l->beside);
    beside_close(l->beside, l->r);
    return result;
}

RunResult chip_run(Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count,
                   const RunOptions *o, const Part *part, Executed *other, Record *r, Text *message)
{
    uint64_t blocks = part ? part->timed : (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    uint32_t sms = c->used = (uint32_t)MIN(blocks, part ? part->run : c->gpu.sms);
    Launch l = {.c = c, .o = o, .r = r, .message = message, .blocks = blocks, .part = part, .told_at = seconds_now()};
    SmCfg organised = c->gpu.sm;
    uint32_t fit =
        chip_fit(&organised, info, c->gpu.cluster_sms ? MIN(sms, c->gpu.cluster_sms) : sms, &c->division, r, message);
    if (!fit) return RUN_TOO_LARGE;
    r->code = info->kernel;
    if (!chip_built(c, message)) {
        r->partial = true;
        return RUN_MEMORY;
    }
    crew_muster(c->crew);
    c->used = sms;
    c->version++;
    if (!begin(&l, info, textures, texture_count, &organised, (uint32_t)MIN(fit, blocks))) {
        tracer_close(l.tracer);
        chip_no_room(info, (uint64_t)sms * MIN(fit, blocks), message);
        r->partial = true;
        chip_reset(c);
        return RUN_MEMORY;
    }
    c->division = sm_division(&organised);
    name_structures(&l, info, r);
    route_structures(&l, r);
    RunResult result = RUN_OK;
    if (c->check) check_begin(c->check, info, c->gmem);
    if (!part) l.stretches = stretches_open(c, info, textures, texture_count, o, fit);
    if (part && !part->alone) l.beside = beside_part(c, info, textures, texture_count, o, fit, part);
    if (part) part_slow(part, c, &l.traffic, 0);
    for (;; l.window++) {
        result = begin_blocks(&l);
        if (result != RUN_OK) break;
        run_window(&l);
        if (is_over(&l, &result)) break;
    }
    result = end_beside(&l, result, other);
    if (part) other->given_up = l.given_up;
    for (int k = 0; part && k < STANDS; k++) other->busy = MAX(other->busy, l.traffic.work[k] / (double)MAX(l.to, 1u));
    for (uint32_t s = 0; s < sms && result != RUN_OK; s++) sm_cut(&c->sms[s], l.to);
    for (uint32_t s = 0; s < sms; s++) scratch_count(&c->sms[s], MIN(l.to, c->sms[s].last_event));
    if (l.tracer) tracer_edge(l.tracer, c, l.to, true);
    tracer_close(l.tracer);
    r->partial = result != RUN_OK;
    finish(&l, r);
    record_checked(r, c->check);
    uint64_t end = last_event(c);
    if (result == RUN_OK && end) r->count[C_CYCLES] = end;
    if (l.stretches) stretches_close(l.stretches, r, result == RUN_OK);
    if (!part) record_account(r, &c->gpu, &organised);
    c->clock_ns += (uint64_t)((double)r->count[C_CYCLES] * 1e3 / c->gpu.core_mhz);
    if (result != RUN_OK) chip_reset(c);
    return result;
}

void record_undefined(Record *r, const Undefined *u, Undefined *first)
{
    if (!u->lanes) return;
    r->count[C_SHFL_UNDEFINED] += u->lanes;
    if (first->lanes && u->cycle >= first->cycle) return;
    *first = *u;
    Text place = {0};
    exec_place(u->code, u->pc, &place);
    mem_free(r->undefined);
    r->undefined = place.v;
}

void record_overread(Record *r, const Overread *o, const Gmem *g, Overread *first)
{
    if (!o->lanes) return;
    r->overreads += o->lanes;
    if (first->lanes && o->first.cycle >= first->first.cycle) return;
    *first = *o;
    Text what = {0};
    exec_explain(&o->first, g, &what);
    mem_free(r->overread);
    r->overread = what.v;
}

void record_checked(Record *r, Check *c)
{
    if (!c) return;
    r->checked = true;
    check_end(c, &r->flaws, &r->unchecked);
}

void record_free(Record *r)
{
    mem_free(r->kernel);
    mem_free(r->undefined), mem_free(r->overread);
    for (int k = 0; k < MAX_STRUCTURES; k++) mem_free(r->structure_name[k]);
    mem_free(r->inst), mem_free(r->why), mem_free(r->sampled);
    flaws_free(&r->flaws);
    vec_free(&r->samples), vec_free(&r->pairs);
    *r = (Record){0};
}
