// functional.c: a launch without time. Blocks run in turn, and the warps of a block run in turn. Memory is written at
// once.
//
// A block may wait for another one, as in a spin on a flag. That is no deadlock here: as many blocks are under way as
// the chip would hold, and each gets its turn. Most blocks end in their first turn, and the next block takes over their
// memory. A block whose warps only poll gives its turn away: what they wait for comes from another one.
//
// A warp runs for a stretch of instructions. The stretch ends before a store, so that the warps of a block come to that
// store at about the same time, as in a timed run. Suppose that several warps read a word and all write the same value
// back. Then all of them read before one of them writes.
//
// The same executes the blocks of a sampled launch that aren't timed, between two windows (sample.c). Then a block may
// also wait for one that is timed: when all that is left only polls, the others get their windows first.
#include "chip/unit.h"

#include <string.h>

enum { STRETCH = 256, TURN = 65536, STEP_TURN = 2048 };  // instructions of a warp, and of a block, at one go
enum { POLLS = 32 };  // strong accesses of a stretch, with nothing changed: the warp polls
enum {
    QUIET_ROUNDS = 4,
    SAME_ROUNDS = 64,
    POLLS_LIMIT = 20000000
};  // rounds without a change before the watch; instructions, of polling

struct Execution {
    Chip *c;
    const RunOptions *o;
    Env env;
    Cta **at;  // the block in each place of the chip; null: none runs there
    uint32_t slots, per_block;
    const Part *part;             // whose other blocks run; null: all do
    uint32_t turn, place;         // instructions of a block at one go; the place whose turn it is in beside_step
    uint64_t started, end, left;  // the next block; behind the last one to start; blocks that aren't over
    uint64_t finished, insts, threads;
    bool beside;               // others of the launch are timed
    Warmer *warmer;            // learns of the accesses; null: nobody does
    bool moved, sleeping;      // in this round: some warp did something; some sleeps
    bool works;                // some did more than poll
    uint32_t moving, polling;  // warps of a block, each time round: those that did something; of these, those that poll
    uint64_t quiet, watched;   // rounds without a change; the clock when the watch began
    uint32_t epoch;
};

static void wake(Env *env, Warp *w) { (void)env, (void)w; }

// Does the warp's next instruction store what other warps can see?
static bool will_store(const Warp *w)
{
    const Dinst *d = &w->code->insts[w->pc];
    return (d->kind == X_ST && d->space != SP_LOCAL) || d->kind == X_STMATRIX;
}

// Does the step look at global memory to see what others have written there?
static bool looks(const Env *env)
{
    const Dinst *d = env->step.d;
    return (d->kind == X_LD || d->kind == X_ATOM) && d->flags & D_STRONG && env->step.space != SP_SHARED;
}

static void warm(void *warmer, const Step *s) { warmer_take(warmer, s); }

// A stretch of one warp's instructions. checked: who checks them, or takes them, sees each.
ALWAYS_INLINE RunResult run_stretch(Execution *x, Warp *warp, Text *message, bool checked)
{
    Env *env = &x->env;
    uint64_t began = env->clock;
    int polls = 0;
    StraightFn *straight = warp->code->kernel->straight;
    StepTaker *take = x->warmer ? warm : NULL;
    for (uint32_t n = 0; n < STRETCH && warp->live; n++) {
        if (warp->cur < 0 && (exec_wake_time(warp) == UINT64_MAX || !exec_sleepers(env, warp))) {
            x->sleeping |= exec_wake_time(warp) != UINT64_MAX;
            return RUN_OK;
        }
        if (n && will_store(warp)) break;
        const uint32_t k = checked ? 0 : straight(env, warp, STRETCH - n, &x->threads, take, x->warmer);
        if (k) {
            if (!n) x->moved = true, x->moving++;
            x->insts += k;
            n += k - 1;
            if (env->step.result >= STEP_EXIT) break;
            continue;
        }
        if (checked && env->check && warp->products) check_before(env, warp);
        const uint8_t writes = warp->code->straight[warp->pc].writes;
        exec_step(env, warp);
        if (writes || warp->splits.n > 1) warp->bases_known = 0;
        env->clock++;
        x->insts++;
        x->threads += (uint32_t)__builtin_popcount(env->step.mask | env->step.other_mask);
        if (!n) x->moved = true, x->moving++;
        if (x->warmer) warmer_take(x->warmer, &env->step);
        if (checked && x->o->take) x->o->take(x->o->taker, &env->step);
        if (env->step.result >= STEP_EXIT) break;
        polls += looks(env);
        if (polls == POLLS && env->changed < began) {
            x->polling++;
            break;
        }
    }
    if (env->fault.kind == FAULT_NONE) return RUN_OK;
    exec_explain(&env->fault, x->c->gmem, message);
    return env->fault.kind == FAULT_HOST ? RUN_MEMORY : RUN_FAULT;
}

static RunResult run_warp(Execution *x, Warp *warp, Text *message)
{
    return x->env.check || x->o->take ? run_stretch(x, warp, message, true) : run_stretch(x, warp, message, false);
}

// A block's turn: until it is over, or none of its warps can go on, or all that can only poll, or others have waited
// long enough.
static RunResult run_block(Execution *x, Cta *cta, Text *message)
{
    uint64_t end = x->env.clock + x->turn;
    for (bool moved = true; moved && cta->running && x->env.clock < end;) {
        x->moving = x->polling = 0;
        for (uint32_t w = 0; w < x->per_block && cta->running; w++) {
            RunResult r = run_warp(x, &cta->warps[w], message);
            if (r != RUN_OK) return r;
            if (!cta->live_threads) cta->running = false, x->finished++, x->left--;
        }
        moved = x->moving > x->polling;
        x->works |= moved;
        if (x->o->max_cycles && x->env.clock > x->o->max_cycles) return RUN_LIMIT;
        if (x->o->max_insts && x->insts >= x->o->max_insts) return RUN_LIMIT;
        if (x->o->stop && *x->o->stop) return RUN_STOPPED;
    }
    return RUN_OK;
}

// After a round: nothing moved, or all go round loops in which nothing changes (exec's watch.c; chip.c does the same in
// cycles). The warps are watched for a sixteenth of as long as it has been quiet, then again when that has doubled.
static bool hangs(Execution *x, uint64_t round_began)
{
    Env *env = &x->env;
    if (!x->moved) return !x->sleeping;
    x->quiet = env->changed >= round_began ? 0 : x->quiet + 1;
    uint64_t from = QUIET_ROUNDS;
    while (from * 2 <= x->quiet) from *= 2;
    if (env->watch && env->changed < x->watched) {
        WatchVerdict all = WATCH_STUCK;
        for (uint32_t k = 0; k < x->slots; k++)
            for (uint32_t w = 0; x->at[k] && w < x->per_block; w++)
                if (x->at[k]->warps[w].live) all = MIN(all, watch_judge(env, &x->at[k]->warps[w], x->watched));
        if (all == WATCH_STUCK || (all == WATCH_POLLS && env->clock - env->changed > POLLS_LIMIT)) return true;
    }
    bool watch = x->quiet >= from && x->quiet - from < from / 16;
    if (watch && !env->watch) x->watched = env->clock, x->epoch++;
    env->watch = watch ? x->epoch : 0;
    return false;
}

static void explain_hang(const Execution *x, Text *message)
{
    text_put(message, "the kernel hangs: every warp waits, or goes round a loop that nothing will end\n");
    for (uint32_t k = 0; k < x->slots && message->n < 20000; k++)
        for (uint32_t w = 0; x->at[k] && w < x->per_block; w++) {
            const Cta *cta = x->at[k];
            if (!cta->warps[w].live) continue;
            text_printf(message, "  block (%u,%u,%u), warp %u\n", cta->x, cta->y, cta->z, w);
            if (cta->env->check) check_stuck(&cta->warps[w]);
            exec_dump_warp(&cta->warps[w], message);
        }
}

// Sees to it that there is a CTA for the next block. False: the host has no memory for more.
static bool more_ctas(Execution *x)
{
    Chip *c = x->c;
    if (c->idle) return true;
    uint32_t n = (uint32_t)MIN(MAX(c->ctas.n, 1), x->slots - c->ctas.n);
    if (!mem_room(n * (sizeof(Cta) + exec_cta_lacks(&(Cta){0}, x->env.launch)))) return false;
    for (; n; n--) {
        vec_push(&c->ctas, NULL);
        c->ctas.v[c->idle++] = mem_alloc(sizeof(Cta));
    }
    return true;
}

static void start_block(Execution *x, uint32_t k, uint64_t number, Cluster *cluster, uint32_t rank)
{
    uint32_t sms = x->c->gpu.sms;
    Cta *cta = x->at[k] = x->c->ctas.v[--x->c->idle];
    exec_cta_start(&x->env, cta, number, cluster, rank);
    x->started++;
    for (uint32_t w = 0; w < x->per_block; w++) cta->warps[w].slot = k / sms * x->per_block + w;
}

static uint64_t next_block(const Execution *x) { return x->part ? part_other(x->part, x->started) : x->started; }

static void end_block(Execution *x, uint32_t k)
{
    x->c->ctas.v[x->c->idle++] = x->at[k];
    x->at[k] = NULL;
}

static RunResult no_room(const Execution *x, Text *message)
{
    chip_no_room(x->env.launch, MAX(x->c->ctas.n, 1), message);
    return RUN_MEMORY;
}

// The blocks of a cluster start together, where there are places for all of them. False: the host has no memory.
static bool start_clusters(Execution *x)
{
    const LaunchInfo *l = x->env.launch;
    const uint32_t n = exec_cluster_blocks(l);
    uint32_t places = 0;
    for (uint32_t k = 0; k < x->slots; k++) places += !x->at[k];
    for (; places >= n && x->started < x->end; places -= n) {
        Cluster *c = exec_cluster(n);
        const uint64_t number = x->started / n;
        for (uint32_t k = 0, rank = 0; rank < n; k++) {
            if (x->at[k]) continue;
            if (!more_ctas(x)) return false;
            x->env.sm = k % x->c->gpu.sms;
            start_block(x, k, exec_cluster_member(l, number, rank), c, rank);
            rank++;
        }
    }
    return true;
}

// Blocks may wait for one that is timed: for some rounds all have polled, or nothing has changed for many.
static bool waits(Execution *x, uint64_t round_began, uint32_t *polled, uint32_t *same)
{
    *polled = x->works ? 0 : *polled + 1;
    *same = x->env.changed >= round_began ? 0 : *same + 1;
    return x->beside && (*polled >= QUIET_ROUNDS || *same >= SAME_ROUNDS);
}

// The turn of the block in place k, or of the next one, if none is there.
static RunResult run_place(Execution *x, uint32_t k, Text *message)
{
    if (!x->at[k] && !more_ctas(x)) return no_room(x, message);
    x->env.sm = k % x->c->gpu.sms;
    if (!x->at[k]) start_block(x, k, next_block(x), NULL, 0);
    RunResult r = run_block(x, x->at[k], message);
    if (r == RUN_OK && !x->at[k]->running) end_block(x, k);
    return r;
}

static RunResult run_blocks(Execution *x, Text *message)
{
    for (uint32_t polled = 0, same = 0; x->left;) {
        uint64_t began = x->env.clock;
        x->moved = x->sleeping = x->works = false;
        if (x->env.launch->cluster[0] && !start_clusters(x)) return no_room(x, message);
        for (uint32_t k = 0; k < x->slots; k++) {
            if (!x->at[k] && (x->started == x->end || x->env.launch->cluster[0])) continue;
            RunResult r = run_place(x, k, message);
            if (r != RUN_OK) return r;
        }
        if (waits(x, began, &polled, &same)) return RUN_OK;
        if (!x->beside && hangs(x, began)) {
            explain_hang(x, message);
            return RUN_HANG;
        }
        if (x->sleeping) x->env.clock += 1000;
    }
    return RUN_OK;
}

// fit: so many blocks are under way on each SM.
static void open_places(Execution *x, Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count,
                        const RunOptions *o, uint32_t fit)
{
    const uint64_t blocks = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    *x = (Execution){.c = c,
                     .o = o,
                     .turn = TURN,
                     .per_block = (info->block[0] * info->block[1] * info->block[2] + LANES - 1) / LANES};
    x->env = (Env){.gmem = c->gmem,
                   .textures = textures,
                   .texture_count = texture_count,
                   .launch = info,
                   .sm_count = c->gpu.sms,
                   .max_warps = c->gpu.sm.max_warps,
                   .ns_per_clock = 1e3 / c->gpu.core_mhz,
                   .nanoseconds = c->clock_ns,
                   .check = c->check,
                   .overread = c->gpu.overread,
                   .wake = wake};
    x->slots = (uint32_t)MIN(blocks, (uint64_t)fit * c->gpu.sms);
    uint64_t lack = 0;
    for (uint32_t k = 0; k < MIN(c->idle, x->slots); k++) lack += exec_cta_lacks(c->ctas.v[c->idle - 1 - k], info);
    if (lack && !mem_room(lack)) chip_spare(c);
    x->at = mem_alloc(sizeof *x->at * x->slots);
}

static void close_places(Execution *x)
{
    exec_env_free(&x->env);
    for (uint32_t k = 0; k < x->slots; k++)
        if (x->at[k]) end_block(x, k);
    mem_free(x->at);
}

RunResult chip_execute(Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, Record *r, Text *message)
{
    SmCfg organised = c->gpu.sm;
    r->functional = true;
    uint32_t fit = chip_fit(&organised, info, c->gpu.sms, NULL, r, message);
    if (!fit && strcmp(r->occupancy_limit, "registers")) return RUN_TOO_LARGE;
    if (!fit) message->n = 0, fit = 1;  // without time, registers are no limit
    Execution x;
    open_places(&x, c, info, textures, texture_count, o, fit);
    x.end = x.left = (uint64_t)info->grid[0] * info->grid[1] * info->grid[2];
    if (c->check) check_begin(c->check, info, c->gmem);
    if (o->warm && c->parts && c->gpu.part.l2.keep) x.warmer = warmer_open(c);
    RunResult result = run_blocks(&x, message);
    warmer_close(x.warmer);
    record_checked(r, c->check);
    r->fault = x.env.fault.kind;
    r->partial = result == RUN_LIMIT || result == RUN_STOPPED || result == RUN_MEMORY;
    r->count[C_WARP_INSTS] = x.insts;
    r->count[C_THREAD_INSTS] = x.threads;
    r->count[C_BLOCKS] = x.finished;
    record_undefined(r, &x.env.undefined, &(Undefined){0});
    record_overread(r, &x.env.over, x.env.gmem, &(Overread){0});
    if (o->printed && x.env.printed.n) text_add(o->printed, x.env.printed.v, x.env.printed.n);
    close_places(&x);
    return result;
}

// --- beside a timed launch -------------------------------------------------------------------------------------------
Execution *beside_open(Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, uint32_t fit)
{
    Execution *x = mem_alloc(sizeof *x);
    open_places(x, c, info, textures, texture_count, o, fit);
    x->beside = true;
    x->warmer = warmer_open(c);
    return x;
}

RunResult beside_run(Execution *x, uint64_t from, uint64_t to, Text *message)
{
    if (from < to) x->started = from, x->end = to, x->left += to - from;
    return run_blocks(x, message);
}

Execution *beside_part(Chip *c, const LaunchInfo *info, const Texture *textures, uint32_t texture_count,
                       const RunOptions *o, uint32_t fit, const Part *part)
{
    Execution *x = beside_open(c, info, textures, texture_count, o, fit);
    const uint64_t others = part->blocks - part->timed;
    x->part = part;
    x->turn = STEP_TURN;
    x->slots = (uint32_t)MIN(MIN(others, (uint64_t)fit * (part->row - part->run)), x->slots);
    x->end = x->left = others;
    return x;
}

// A round in which no place has a block that moves is the last.
RunResult beside_step(Execution *x, uint64_t to, Text *message)
{
    for (uint32_t still = 0; x->insts < to && x->left && still < x->slots; x->place = (x->place + 1) % x->slots) {
        const uint32_t k = x->place;
        const uint64_t before = x->insts;
        still++;
        if (!x->at[k] && x->started == x->end) continue;
        RunResult r = run_place(x, k, message);
        if (r != RUN_OK) return r;
        if (x->insts > before) still = 0;
    }
    return RUN_OK;
}

void beside_alone(Execution *x) { x->beside = false; }
uint64_t beside_changed(const Execution *x) { return x->env.changed; }
uint64_t beside_left(const Execution *x) { return x->left; }
Executed beside_done(const Execution *x)
{
    return (Executed){.blocks = x->finished,
                      .insts = x->insts,
                      .threads = x->threads,
                      .sectors = warmer_sectors(x->warmer),
                      .fault = x->env.fault.kind};
}

void beside_close(Execution *x, Record *r)
{
    record_undefined(r, &x->env.undefined, &(Undefined){0});
    record_overread(r, &x->env.over, x->env.gmem, &(Overread){0});
    warmer_close(x->warmer);
    close_places(x);
    mem_free(x);
}
