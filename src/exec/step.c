// step.c: one instruction of one warp. exec_step is the architecture of a thread block's execution: control flow
// changes the tree of splits, everything else computes on the lanes of the current one. When it returns, the warp's
// current split is not at its reconvergence point, or there is none.
#include "exec/unit.h"

#include <stdlib.h>
#include <string.h>

// Back edges after which a spinning split lets others run (sm_70 on): soon once it has done something that others can
// see or change, such as an atomic in a spin loop; late otherwise, since ordinary loops gain from reconvergence.
enum { PATIENCE_SYNCED = 16, PATIENCE = 4096 };

static void wake_sleepers(const Env *env, Warp *w)
{
    for (size_t k = 0; k < w->splits.n; k++) {
        Split *s = &w->splits.v[k];
        if ((s->state != SPLIT_SLEEP && s->state != SPLIT_MBAR) || s->until > env->clock) continue;
        w->cta->tries -= s->state == SPLIT_MBAR;
        s->state = SPLIT_READY;
    }
}

static void back_edge(const Env *env, Warp *w)
{
    if (env->watch) watch_edge(env, w);
    Split *s = &w->splits.v[w->cur];
    if (++s->backs <= (s->synced ? PATIENCE_SYNCED : PATIENCE)) return;
    s->backs = 0;
    if (!w->code->kernel->its) return;
    wake_sleepers(env, w);
    split_yield(w);
}

static uint32_t first_u32(const Lanes *l, Loc32 at, uint32_t mask)
{
    return ((const uint32_t *)row(l, at))[mask ? __builtin_ctz(mask) : 0];
}

// --- special registers -----------------------------------------------------------------------------------------------
static void thread_ids(const Env *env, const Warp *w, int axis, uint32_t *out)
{
    const uint32_t *b = env->launch->block;
    uint32_t t = w->tid0;
    if (b[1] == 1 && b[2] == 1) {
        for (int n = 0; n < LANES; n++) out[n] = axis ? 0 : t + (uint32_t)n;
        return;
    }
    uint32_t x = t % b[0], y = t / b[0] % b[1], z = t / b[0] / b[1];
    if (b[0] - x >= LANES) {  // all in one row
        uint32_t first = axis == 0 ? x : axis == 1 ? y : z, step = axis == 0;
        for (uint32_t n = 0; n < LANES; n++) out[n] = first + n * step;
        return;
    }
    for (int n = 0; n < LANES; n++) {
        out[n] = axis == 0 ? x : axis == 1 ? y : z;
        if (++x == b[0]) {
            x = 0;
            if (++y == b[1]) y = 0, z++;
        }
    }
}

static uint32_t in_cluster(const LaunchInfo *l, int axis) { return l->cluster[0] ? l->cluster[axis] : 1; }

static uint64_t uniform_sreg(Env *env, const Warp *w, Sreg r)
{
    const LaunchInfo *i = env->launch;
    uint64_t ns = env->nanoseconds + (uint64_t)((double)env->clock * env->ns_per_clock);
    env->dated |= r == SR_GRIDID || r == SR_GLOBALTIMER || r == SR_GLOBALTIMER_LO || r == SR_GLOBALTIMER_HI;
    switch (r) {
    case SR_NTID_X: return i->block[0];
    case SR_NTID_Y: return i->block[1];
    case SR_NTID_Z: return i->block[2];
    case SR_CTAID_X: return w->cta->x;
    case SR_CTAID_Y: return w->cta->y;
    case SR_CTAID_Z: return w->cta->z;
    case SR_NCTAID_X: return i->grid[0];
    case SR_NCTAID_Y: return i->grid[1];
    case SR_NCTAID_Z: return i->grid[2];
    case SR_CLUSTERID_X: return w->cta->x / in_cluster(i, 0);
    case SR_CLUSTERID_Y: return w->cta->y / in_cluster(i, 1);
    case SR_CLUSTERID_Z: return w->cta->z / in_cluster(i, 2);
    case SR_NCLUSTERID_X: return i->grid[0] / in_cluster(i, 0);
    case SR_NCLUSTERID_Y: return i->grid[1] / in_cluster(i, 1);
    case SR_NCLUSTERID_Z: return i->grid[2] / in_cluster(i, 2);
    case SR_CLUSTER_CTAID_X: return w->cta->x % in_cluster(i, 0);
    case SR_CLUSTER_CTAID_Y: return w->cta->y % in_cluster(i, 1);
    case SR_CLUSTER_CTAID_Z: return w->cta->z % in_cluster(i, 2);
    case SR_CLUSTER_NCTAID_X: return in_cluster(i, 0);
    case SR_CLUSTER_NCTAID_Y: return in_cluster(i, 1);
    case SR_CLUSTER_NCTAID_Z: return in_cluster(i, 2);
    case SR_CLUSTER_CTARANK: return w->cta->rank;
    case SR_CLUSTER_NCTARANK: return w->cta->cluster->n;
    case SR_IS_EXPLICIT_CLUSTER: return i->cluster[0] != 0;
    case SR_WARPID: return w->slot;
    case SR_NWARPID: return env->max_warps;
    case SR_SMID: return env->sm;
    case SR_NSMID: return env->sm_count;
    case SR_GRIDID: return i->id;
    case SR_ENVREG1: return i->workspace >> 32;
    case SR_ENVREG2: return (uint32_t)i->workspace;
    case SR_CLOCK: return (uint32_t)env->clock;
    case SR_CLOCK_HI: return env->clock >> 32;
    case SR_CLOCK64: return env->clock;
    case SR_GLOBALTIMER: return ns;
    case SR_GLOBALTIMER_LO: return (uint32_t)ns;
    case SR_GLOBALTIMER_HI: return ns >> 32;
    case SR_DYNAMIC_SMEM: return i->dynamic_shared;
    case SR_TOTAL_SMEM:
    case SR_AGGR_SMEM: {  // in allocation units (§10.31); nothing is reserved for the system
        int sm = i->kernel->image->module->sm;
        uint32_t unit = sm < 30 || sm >= 80 ? 128 : 256;
        return (w->cta->shared_bytes + unit - 1) / unit * unit;
    }
    default: return 0;  // what there is none of
    }
}

static void special(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    uint32_t v[LANES];
    Sreg r = (Sreg)d->imm;
    if (!sreg_info[r].per_lane) {
        if (env->watch && sreg_info[r].clock) watch_clock(env, w);
        uint64_t u = uniform_sreg(env, w, r);
        if (sreg_info[r].type == TY_PRED) {
            w->l.pred[d->pdst] = (w->l.pred[d->pdst] & ~mask) | (u ? mask : 0);
            return;
        }
        if (d->flags & D_LONG) {
            uint64_t *to = row(&w->l, d->dst);
            for (int n = 0; n < LANES; n++)
                if (mask >> n & 1) to[n] = u;
            return;
        }
        for (int n = 0; n < LANES; n++) v[n] = (uint32_t)u;
    } else if (r <= SR_TID_Z) {
        thread_ids(env, w, (int)(r - SR_TID_X), v);
    } else {
        for (uint32_t n = 0; n < LANES; n++) {
            uint32_t eq = 1u << n, lt = eq - 1;
            v[n] = r == SR_LANEID        ? n
                   : r == SR_LANEMASK_EQ ? eq
                   : r == SR_LANEMASK_LT ? lt
                   : r == SR_LANEMASK_LE ? lt | eq
                   : r == SR_LANEMASK_GT ? ~(lt | eq)
                                         : ~lt;
        }
    }
    if (mask == FULL && !(d->flags & D_LONG)) {
        memcpy(row(&w->l, d->dst), v, sizeof v);
        return;
    }
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        if (d->flags & D_LONG)
            ((uint64_t *)row(&w->l, d->dst))[n] = v[n];
        else
            ((uint32_t *)row(&w->l, d->dst))[n] = v[n];
    }
}

// --- control flow ----------------------------------------------------------------------------------------------------
static void branch(Env *env, Warp *w, const Dinst *d, uint32_t taken)
{
    if (taken == w->mask || d->target == w->pc + 1) {
        w->pc = d->target;
    } else {
        env->step.parted = true;
        split_branch(w, taken, d->target, w->pc + 1, d->reconverge);
    }
    if (d->flags & D_BACK && (w->splits.n > 1 || env->watch) && w->cur >= 0) back_edge(env, w);
}

// brx.idx: lanes with the first lane's target go there; the others stay at the instruction and come next.
static void branch_indexed(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const Operand *table = &d->inst->opnd[1];
    const uint32_t *index = row(&w->l, d->a);
    uint32_t first = index[__builtin_ctz(mask)], same = 0;
    for (int n = 0; n < LANES; n++)
        if (mask >> n & 1 && index[n] == first) same |= 1u << n;
    if (first >= table->count) {
        exec_fault(env, w, FAULT_TABLE, (uint32_t)__builtin_ctz(mask), first, table->count, false);
        return;
    }
    uint32_t target = w->code->f->labels.v[table->items[first].reg].inst, from = w->pc;
    env->step.parted = same != w->mask;
    if (same == w->mask)
        w->pc = target;
    else if (mask != w->mask && same == mask)
        split_branch(w, same, target, w->pc + 1, d->reconverge);
    else
        split_branch(w, same, target, w->pc, d->reconverge);
    if (target <= from && (w->splits.n > 1 || env->watch) && w->cur >= 0) back_edge(env, w);
}

// --- waiting for other lanes: .sync (sm_70 on) -----------------------------------------------------------------------
// Splits that wait with the same mask at the same instruction, or at another one of its kind, execute it together once
// all live lanes of the mask are there ("the same qualifiers and the same membermask", PTX ISA §9.7.9.6); each then
// goes on by itself, so that the tree needn't know.
static bool meet(const Split *s, const Split *o)
{
    const Dinst *d = &s->code->insts[s->pc], *e = &o->code->insts[o->pc];
    return o->state == SPLIT_SYNC && o->wait == s->wait && d->kind == e->kind && d->type == e->type &&
           !memcmp(d->inst->mod, e->inst->mod, sizeof d->inst->mod);
}

static void try_sync(Env *env, Warp *w, size_t at)
{
    Split s = w->splits.v[at];
    AcrossPart part[LANES];
    uint32_t there = 0, parts = 0;
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *o = &w->splits.v[k];
        if (!meet(&s, o)) continue;
        there |= o->mask;
        uint32_t p = 0;
        while (p < parts && (part[p].pc != o->pc || part[p].code != o->code || part[p].base != o->base)) p++;
        if (p == parts) part[parts++] = (AcrossPart){.pc = o->pc, .code = o->code, .base = o->base};
        part[p].mask |= o->mask;
    }
    uint32_t need = s.wait & w->live;
    if ((there & need) != need) return;
    const bool orders = s.code->insts[s.pc].kind == X_WARP_SYNC;  // no other one orders memory
    if (env->check && orders) check_sync(env, w, there);
    if (!orders) exec_across_parts(env, w, part, parts);
    for (size_t k = 0; k < w->splits.n; k++) {
        Split *o = &w->splits.v[k];
        if (o->state != SPLIT_SYNC || o->wait != s.wait) continue;
        for (uint32_t p = 0; p < parts; p++)
            if (part[p].pc == o->pc && part[p].code == o->code && part[p].base == o->base) {
                o->state = SPLIT_READY, o->pc++;
                break;
            }
    }
}

// Instructions that are .aligned, too, are executed by the whole warp ("all threads in the warp must execute the same
// instruction", PTX ISA §9.7.14.5.14 and others). Does o wait at the one of s?
static bool waits_with(const Split *o, const Split *s)
{
    return o->state == SPLIT_SYNC && o->pc == s->pc && o->code == s->code && o->base == s->base;
}

// The lanes of the splits that do, and its own.
static uint32_t aligned_there(const Warp *w, const Split *s)
{
    uint32_t there = s->mask;
    for (size_t k = 0; k < w->splits.n; k++) {
        const Split *o = &w->splits.v[k];
        if (waits_with(o, s)) there |= o->mask;
    }
    return there;
}

// The lanes of mask have come to such an instruction. False: they wait for the others of the warp. True: all are there,
// mask has them, and the splits of those that waited have it behind them: who came last executes it for all.
static bool aligned_meet(Env *env, Warp *w, uint32_t *mask)
{
    if (*mask != w->mask) split_part(w, *mask, *mask);
    split_save(w);
    Split *s = &w->splits.v[w->cur];
    const uint32_t there = aligned_there(w, s);
    if (w->live & ~there) {
        s->state = SPLIT_SYNC;
        s->wait = FULL;
        s->since = env->clock;
        w->cur = -1;
        env->step.mask = 0;
        if (!split_pick(w, w->code->kernel->its)) env->step.result = STEP_WAIT;
        return false;
    }
    for (size_t k = 0; k < w->splits.n; k++) {
        Split *o = &w->splits.v[k];
        if (waits_with(o, s)) o->state = SPLIT_READY, o->pc++;
    }
    env->step.mask = *mask = there;
    return true;
}

static bool whole_warp(const Dinst *d);

// Lanes have left, for which others may have waited.
static void check_syncs(Env *env, Warp *w)
{
    for (size_t k = 0; k < w->splits.n; k++) {
        Split *s = &w->splits.v[k];
        if (s->state != SPLIT_SYNC) continue;
        if (!whole_warp(&s->code->insts[s->pc]))
            try_sync(env, w, k);
        else if (!(w->live & ~aligned_there(w, s)))
            s->state = SPLIT_READY;  // it comes to the instruction again, and meets those that wait
    }
    if (w->cur < 0) split_pick(w, w->code->kernel->its);
}

static const uint32_t *members(const Warp *w, const Dinst *d)
{
    return row(&w->l, d->kind == X_WARP_SYNC ? d->a : d->vector[3]);
}

// The lanes whose membermask is that of the first one, and (all) whether each lane's mask has all its live lanes here.
static uint32_t same_members(const Warp *w, const Dinst *d, uint32_t mask, bool *all)
{
    const uint32_t *member = members(w, d);
    uint32_t first = 0;
    *all = true;
    for (uint32_t rest = mask; rest;) {
        uint32_t value = member[__builtin_ctz(rest)], same = 0;
        for (uint32_t m = rest; m; m &= m - 1)
            if (member[__builtin_ctz(m)] == value) same |= m & -m;
        if (value & w->live & ~same) *all = false;
        if (!first) first = same;
        rest &= ~same;
    }
    return first;
}

// The result may be in the register that had the membermask, and another split may be the current one afterwards:
// membermasks are checked before.
static void across(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Step *s = &env->step;
    if (d->flags & D_SYNC) {
        bool all;
        uint32_t same = same_members(w, d, mask, &all);
        if (env->check) check_members(env, w, d, members(w, d), all ? mask : same);
        if (!all) {
            split_part(w, mask, same);
            split_save(w);
            s->mask = same;
            Split *p = &w->splits.v[w->cur];
            p->state = SPLIT_SYNC;
            p->wait = members(w, d)[__builtin_ctz(same)];
            p->since = env->clock;
            int at = w->cur;
            w->cur = -1;
            try_sync(env, w, (size_t)at);
            split_pick(w, w->code->kernel->its);
            if (w->cur < 0) s->result = STEP_WAIT;
            return;
        }
    }
    if (env->check && d->flags & D_SYNC && d->kind == X_WARP_SYNC) check_sync(env, w, mask);
    if (d->kind != X_WARP_SYNC) exec_across(env, w, d, mask);
    w->pc++;
}

static void leave_function(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env, (void)d;
    if (mask == w->mask)
        w->pc = w->code->n;
    else
        split_branch(w, mask, w->code->n, w->pc + 1, w->code->n);
}

static void leave_kernel(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    Cta *cta = w->cta;
    (void)d;
    cta->live_threads -= (uint32_t)__builtin_popcount(mask);
    cluster_exit(env, cta, (uint32_t)__builtin_popcount(mask));
    if (env->check) check_exit(env, w, mask);
    env->changed = env->clock;
    bool some_stay = mask != w->mask;
    if (some_stay) w->pc++;
    split_exit(w, mask);
    if (!w->live)
        env->step.result = STEP_EXIT;
    else
        check_syncs(env, w);
    barrier_check(env, cta);
    if (w->live && w->cur < 0) env->step.result = STEP_WAIT;
}

static void sleep(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    if (!w->code->kernel->its) {
        w->pc++;
        return;
    }
    uint32_t ns = first_u32(&w->l, d->a, mask);
    split_save(w);
    Split *s = &w->splits.v[w->cur];
    s->pc++;
    s->state = SPLIT_SLEEP;
    s->since = env->clock;
    s->until = env->clock + 1 + (uint64_t)((double)ns / (env->ns_per_clock > 0 ? env->ns_per_clock : 1));
    w->cur = -1;
    if (!split_pick(w, w->code->kernel->its)) env->step.result = STEP_WAIT;
}

bool exec_sleepers(Env *env, Warp *w)
{
    wake_sleepers(env, w);
    if (w->cur < 0) split_pick(w, w->code->kernel->its);
    return w->cur >= 0;
}

uint64_t exec_wake_time(const Warp *w)
{
    uint64_t t = UINT64_MAX;
    for (size_t k = 0; k < w->splits.n; k++)
        if (w->splits.v[k].state == SPLIT_SLEEP || w->splits.v[k].state == SPLIT_MBAR) t = MIN(t, w->splits.v[k].until);
    return t;
}

// --- one instruction -------------------------------------------------------------------------------------------------
static void local_address(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env;
    uint64_t at = d->imm + w->splits.v[w->cur].local_base;
    for (int n = 0; n < LANES; n++) {
        if (!(mask >> n & 1)) continue;
        if (d->flags & D_LONG)
            ((uint64_t *)row(&w->l, d->dst))[n] = at;
        else
            ((uint32_t *)row(&w->l, d->dst))[n] = (uint32_t)at;
    }
}

static void barrier(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    uint32_t now = barrier_lanes(w, d, mask);
    if (now != w->mask) split_part(w, mask, now);
    env->step.mask = now;
    if (!barrier_arrive(env, w, d))
        w->pc++;
    else if (w->cur < 0)
        env->step.result = STEP_WAIT;
}

static void lanes(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    (void)env;
    d->fn(&w->l, d, mask);
}

static void nothing(Env *env, Warp *w, const Dinst *d, uint32_t mask) { (void)env, (void)w, (void)d, (void)mask; }

static const struct {
    void (*run)(Env *env, Warp *w, const Dinst *d, uint32_t mask);
    bool next;
} kinds[] = {
#define KIND(id, run, next) [X_##id] = {run, next},
#include "exec/kinds.def"
#undef KIND
};

// Does it wait for the whole warp, not for the lanes of a mask?
static bool whole_warp(const Dinst *d) { return d->flags & D_SYNC && kinds[d->kind].run != across; }

void exec_other(Env *env, Warp *w, const Dinst *d, uint32_t mask)
{
    const bool parted = d->flags & D_SYNC && mask != w->live && whole_warp(d);
    if (parted && !aligned_meet(env, w, &mask)) return;
    kinds[d->kind].run(env, w, d, mask);
    if (env->check) check_step(env, w, d);
    w->pc += kinds[d->kind].next;
    if (parted) split_save(w), split_merge(w), split_load(w);
    if (env->fault.kind != FAULT_NONE) env->step.result = STEP_FAULT;
    if (env->step.result == STEP_DONE) exec_came(env, w);
}

void exec_came(Env *env, Warp *w)
{
    if (w->cur >= 0 && w->pc == w->rpc) split_arrive(w);
    if (w->cur < 0 && w->live) env->step.result = STEP_WAIT;
}
