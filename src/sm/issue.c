// issue.c: which warp issues. issue_evaluate puts a warp where it belongs: among those that can issue, or among those
// that wait, with an event that will look again. issue_cycle lets each scheduler pick among the ready ones whose unit
// is free, executes the instruction and enters its results in the scoreboard: ready[] holds, per register of the frame,
// the cycle from which it can be read, times four, plus what produced it; UNKNOWN plus that while memory hasn't
// answered.
#include "sm/unit.h"

#include <string.h>

// The same code twice: QUIET for an SM whose schedulers issue one instruction a cycle, where no policy listens to that,
// nobody counts or audits the accesses of registers, and nobody checks the launch. That is known when it begins.
typedef enum Mode { LOUD, QUIET } Mode;

static bool is_memory(int class) { return MEMORY_CLASSES >> class & 1; }

// A ready warp leaves those of its class.
ALWAYS_INLINE void leave_class(SchedState *s, uint32_t class, uint64_t bit)
{
    uint64_t left = s->class_ready[class] & ~bit;
    s->class_ready[class] = left;
    if (!left) s->classes &= ~(1u << class);
}

ALWAYS_INLINE void leave_state(WarpSlot *ws, uint64_t bit)
{
    ws->home->view.in[ws->state] &= ~bit;
    if (ws->state == OC_WAIT_READY) leave_class(ws->home, ws->class, bit);
}

ALWAYS_INLINE void enter_state(Sm *sm, WarpSlot *ws, oc_wait state, Mode mode)
{
    uint64_t bit = 1ull << ws->bit;
    oc_wait from = ws->state;
    if (from == state) return;
    leave_state(ws, bit);
    ws->home->view.in[state] |= bit;
    ws->since = sm->now;
    ws->state = (uint8_t)state;
    if (mode == LOUD && sm->issue.listens & ON_WAITS)
        sm->issue.policy.type->waits(&sm->issue.policy, ws->slot, from, state);
}

ALWAYS_INLINE void tell_stall(Sm *sm, const WarpSlot *ws, Mode mode)
{
    if (mode == LOUD && sm->issue.listens & ON_STALL) sm->issue.policy.type->stall(&sm->issue.policy, ws->slot);
}

// Does it take no slot? Parameters are operands in machine code; and what another instruction does along (fuse.c).
static inline bool is_free(const Sm *sm, const Dinst *d)
{
    return !d->slots && (d->kind == X_LD_PARAM || (d->kind == X_LANES && sm->cfg.count == COUNT_SASS));
}

// What takes no slot runs at once with the instruction before.
static void run_free(Sm *sm, WarpSlot *ws)
{
    Warp *w = ws->warp;
    while (w->cur >= 0) {  // it stays so: these don't end lanes
        const Dinst *d = &w->code->insts[w->pc];
        if (!is_free(sm, d) || d->flags & (D_COMPUTED | D_WAITS) || d->slots || d->guard != PRED_TRUE) return;
        for (int k = 0; k < d->score_n; k++)
            if (ws->ready[d->score[k]] >> 2 > sm->now) return;
        sm->env.clock = sm->now;
        if (sm->cfg.audit && !exec_audit(&sm->env, w)) return;
        if (sm->storage.counts) operands_fetch(sm, ws, d);
        exec_step(&sm->env, w);
        sm->count[C_WARP_INSTS]++;
        sm->count[C_THREAD_INSTS] += (uint32_t)__builtin_popcount(sm->env.step.mask);
        InstStat *is = &sm->inst[w->code->stat_base + d->index];
        is->issued++;
        is->lanes += (uint32_t)__builtin_popcount(sm->env.step.mask);
    }
}

// Is a group of copies under way, `first` or more groups back from the open one? 16 are told apart.
static bool copies_pending(const uint16_t count[16], uint32_t open, uint64_t first)
{
    for (uint32_t back = (uint32_t)MIN(first, 16); back < 16; back++)
        if (count[(open - back) & 15]) return true;
    return false;
}

static bool must_wait(const WarpSlot *ws, const Dinst *d)
{
    if (d->kind == X_CP_WAIT) return copies_pending(ws->async_count, ws->async_group, d->imm);
    return copies_pending(d->mod == M_READ ? ws->bulk_unread : ws->bulk_count, ws->bulk_group, d->imm);
}

ALWAYS_INLINE void become_ready(Sm *sm, WarpSlot *ws, uint32_t class, Mode mode)
{
    uint64_t bit = 1ull << ws->bit;
    if (ws->state == OC_WAIT_READY) {
        if (ws->class == class) return;
        leave_class(ws->home, ws->class, bit);
    } else {
        enter_state(sm, ws, OC_WAIT_READY, mode);
        if (mode == LOUD && sm->issue.listens & ON_WAKE) sm->issue.policy.type->wake(&sm->issue.policy, ws->slot);
    }
    ws->class = (uint8_t) class;
    ws->home->class_ready[class] |= bit;
    ws->home->classes |= 1u << class;
}

// None of the warp's lanes can go on by themselves: they sleep, or wait for others. False: some have woken up.
static bool all_wait(Sm *sm, WarpSlot *ws, uint64_t *until)
{
    Warp *w = ws->warp;
    *until = exec_wake_time(w);
    if (*until == UINT64_MAX) {
        enter_state(sm, ws, OC_WAIT_BARRIER, LOUD);
        tell_stall(sm, ws, LOUD);
        return true;
    }
    sm->env.clock = sm->now;
    if (*until <= sm->now && exec_sleepers(&sm->env, w)) return false;
    enter_state(sm, ws, w->cta->tries ? OC_WAIT_BARRIER : OC_WAIT_SLEEP, LOUD);
    issue_wake_at(sm, ws, *until);
    return true;
}

// Instructions that wait for more than their registers.
#define ORDERED                                                                                                    \
    (1ull << X_CALL | 1ull << X_RET | 1ull << X_FENCE | 1ull << X_CP_WAIT | 1ull << X_BULK_WAIT | 1ull << X_BULK | \
     1ull << X_WGMMA | 1ull << X_WGMMA_WAIT)

// A copy in bulk reads memory at its issue: not before the deferred operations of this window have run.
static uint64_t bulk_after(const Sm *sm, uint64_t t)
{
    return sm->log.deferred.n ? MAX(t, (sm->until + 1) << 2 | KIND_MEMORY) : t;
}

static uint64_t ordered_after(const Sm *sm, const WarpSlot *ws, const Dinst *d, uint64_t t)
{
    // Frames number their registers from 0: at a call everything under way is waited for.
    if (d->kind == X_CALL || d->kind == X_RET)
        return ws->outstanding ? UNKNOWN | KIND_MEMORY : MAX(t, ws->last_ready << 2 | KIND_ALU);
    // Fences and acquires: loads are answered from the window's start, deferred ones from its edge, so what comes
    // behind one of these must not be executed before those have their values.
    if ((d->kind == X_FENCE || d->flags & D_WAITS) && ws->outstanding) return UNKNOWN | KIND_MEMORY;
    if (d->kind == X_FENCE) t = MAX(t, ws->served << 2 | KIND_MEMORY);
    if (ws->acquires && is_memory(d->class)) return UNKNOWN | KIND_MEMORY;
    if (d->kind == X_WGMMA) {
        const GroupTensor *g = (const GroupTensor *)d->tensor;
        for (uint32_t k = 0; k < g->scores; k++) t = MAX(t, ws->ready[g->score[k]]);
    }
    if (d->kind == X_WGMMA_WAIT && d->imm != UINT64_MAX) t = MAX(t, tensor_done(sm, ws, d->imm) << 2 | KIND_ALU);
    if ((d->kind == X_CP_WAIT || d->kind == X_BULK_WAIT) && d->imm != UINT64_MAX && must_wait(ws, d))
        return UNKNOWN | KIND_MEMORY;
    return d->kind == X_BULK ? bulk_after(sm, t) : t;
}

static void come_to_line(Sm *sm, WarpSlot *ws, uint32_t line)
{
    const uint64_t from = fetch_line(sm, line);
    ws->line = line;
    if (from > ws->next_issue) ws->next_issue = from, ws->pause = OC_WAIT_BRANCH;
}

// A wait for memory that is longer is told to the policy even if its end is known, as that of a texture is. It's longer
// than an L1's hits take, which a warp waits for in the active set of two levels.
enum { LONG_WAIT = 50 };  // cycles

// The rows of a warp's next instruction are on their way to the host's first cache before it issues: between two
// instructions of a warp, others touch more than fits there.
ALWAYS_INLINE void ask_for_rows(const Lanes *l, const Dinst *d)
{
    const char *rows[] = {row(l, d->a), row(l, d->b), row(l, d->c)}, *to = row(l, d->dst);
    for (size_t k = 0; k < COUNT(rows); k++) __builtin_prefetch(rows[k]), __builtin_prefetch(rows[k] + HOST_LINE);
    __builtin_prefetch(to, 1), __builtin_prefetch(to + HOST_LINE, 1);
}

// Ready is what can issue at cycle `by`: now, or the next one for a warp that has just issued and whose scheduler won't
// pick again before; that saves most warps an event. Returns when it can issue, NEVER: nobody knows yet.
ALWAYS_INLINE uint64_t evaluate(Sm *sm, WarpSlot *ws, uint64_t by, Mode mode)
{
    Warp *w = ws->warp;
    uint64_t until;
    if (!w) return NEVER;
    ws->ready_at = NEVER;
    if (w->cur < 0 && all_wait(sm, ws, &until)) return until;
    const Dinst *d = &w->code->insts[w->pc];
    if (is_free(sm, d)) {
        run_free(sm, ws);
        d = &w->code->insts[w->pc];
    }
    if (sm->front.sets[0] && w->code->line[d->index] != ws->line) come_to_line(sm, ws, w->code->line[d->index]);
    ask_for_rows(&w->l, d);
    uint64_t t = ws->next_issue << 2 | KIND_BRANCH;
    for (int k = 0; k < d->score_n; k++) t = MAX(t, ws->ready[d->score[k]]);
    if (ORDERED >> d->kind & 1 || ws->acquires || d->flags & D_WAITS) t = ordered_after(sm, ws, d, t);
    ws->wait_pc = w->code->stat_base + d->index;
    if (t >= UNKNOWN) {
        bool shared = (t & 3) == KIND_SHARED;
        enter_state(sm, ws, shared ? OC_WAIT_SHARED : OC_WAIT_MEMORY, mode);
        if (!shared) tell_stall(sm, ws, mode), ws->recent_n = 0;
        return NEVER;
    }
    if (t >> 2 > (d->slots ? by : sm->now)) {
        const oc_wait of[4] = {OC_WAIT_ALU, ws->pause, OC_WAIT_SHARED, OC_WAIT_MEMORY};
        enter_state(sm, ws, of[t & 3], mode);
        issue_wake_at(sm, ws, t >> 2);
        if ((t & 3) == KIND_MEMORY && (t >> 2) - sm->now > LONG_WAIT) tell_stall(sm, ws, mode), ws->recent_n = 0;
        if (!is_free(sm, d)) ws->ready_at = t >> 2;
        return t >> 2;
    }
    become_ready(sm, ws, d->class, mode);
    return t >> 2;
}

void issue_evaluate(Sm *sm, uint32_t slot) { evaluate(sm, &sm->issue.slots[slot], sm->now, LOUD); }

// The cycle that a warp waited for has come.
ALWAYS_INLINE void wake(Sm *sm, uint32_t slot)
{
    WarpSlot *ws = &sm->issue.slots[slot];
    if (!ws->warp || ws->state == OC_WAIT_READY) return;
    if (ws->ready_at == sm->now)
        become_ready(sm, ws, ws->warp->code->insts[ws->warp->pc].class, LOUD);
    else
        issue_evaluate(sm, slot);
}

void issue_wake_due(Sm *sm)
{
    uint32_t at = sm->now % WHEEL;
    if (!(sm->issue.wheel_used[at / 64] &= ~(1ull << (at % 64)))) sm->issue.wheel_words &= ~(1u << at / 64);
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        uint64_t m = sm->issue.wheel[at][k];
        sm->issue.wheel[at][k] = 0;
        for (; m; m &= m - 1) wake(sm, (uint32_t)__builtin_ctzll(m) * sm->cfg.schedulers + k);
    }
}

// What an instruction counts as, by its kind and, where it accesses memory, the space.
ALWAYS_INLINE void count_kind(Sm *sm, const Dinst *d, const Step *s)
{
    static const uint8_t counter_of[][SP_TEX + 1] = {
        [X_BRA] = {[SP_NONE] = C_BRANCHES},
        [X_BRX] = {[SP_NONE] = C_BRANCHES},
        [X_BARRIER] = {[SP_NONE] = C_BARRIERS},
        [X_TEX] = {[SP_TEX] = C_TEX_INSTS},
        [X_LD] = {[SP_GLOBAL] = C_LD_GLOBAL,
                  [SP_SHARED] = C_LD_SHARED,
                  [SP_LOCAL] = C_LD_LOCAL,
                  [SP_CONST] = C_LD_CONST,
                  [SP_PARAM] = C_LD_CONST},
        [X_CP_ASYNC] = {[SP_GLOBAL] = C_LD_GLOBAL},
        [X_PREFETCH] = {[SP_GLOBAL] = C_LD_GLOBAL},
        [X_ST] = {[SP_GLOBAL] = C_ST_GLOBAL, [SP_SHARED] = C_ST_SHARED, [SP_LOCAL] = C_ST_LOCAL},
        [X_ATOM] = {[SP_GLOBAL] = C_ATOMICS, [SP_SHARED] = C_AT_SHARED},
        [X_LDMATRIX] = {[SP_SHARED] = C_LD_SHARED},
        [X_STMATRIX] = {[SP_SHARED] = C_ST_SHARED},
        [X_WGMMA] = {[SP_NONE] = C_LD_SHARED},
        [X_FREE] = {0},
    };
    if (d->soft && d->soft != SOFT_AHEAD)
        sm->count[d->soft == SOFT_FILL ? C_SL1_FILLS : C_SL1_ACCESSES] += (uint32_t)__builtin_popcount(s->mask);
    uint32_t c = counter_of[d->kind][s->space];
    if (c) sm->count[c]++;
}

// The registers that an instruction writes are known to be there from a cycle on.
ALWAYS_INLINE void results(Sm *sm, WarpSlot *ws, const Dinst *d, uint32_t slots, Mode mode)
{
    uint64_t done = sm->now + sm->cfg.unit[d->class].latency + slots - 1;
    if (mode == LOUD && sm->issue.at_once) done = sm->now;
    if (mode == LOUD && sm->storage.counts) done += sm->storage.fetch.most > 1 ? sm->storage.fetch.most - 1 : 0;
    if (d->kind != X_LANES && sm->env.step.deferred) done = MAX(done, sm->until + 1);
    uint64_t mark = done << 2 | (d->class == CLASS_SHARED ? KIND_SHARED : KIND_ALU);
    for (int k = 0; k < d->score_dst; k++) ws->ready[d->score[k]] = mark;
    ws->last_ready = MAX(ws->last_ready, done);
}

// What instructions do besides that don't just compute on lanes.
static void others(Sm *sm, WarpSlot *ws, const Dinst *d, uint32_t slots)
{
    const Step *s = &sm->env.step;
    count_kind(sm, d, s);
    if (d->class == CLASS_BRANCH || d->class == CLASS_FENCE || d->class == CLASS_BARRIER) {
        ws->next_issue = sm->now + MAX(sm->cfg.unit[d->class].latency, slots);
        ws->pause = d->class == CLASS_BARRIER ? OC_WAIT_BARRIER : OC_WAIT_BRANCH;
        sm->count[C_DIVERGED] += s->parted;
    }
    if (d->kind == X_FENCE && s->mask) lsu_fence(sm, d);
    if (d->kind == X_CP_WAIT && d->imm == UINT64_MAX) ws->async_group++;
    if (d->kind == X_BULK_WAIT && d->imm == UINT64_MAX) ws->bulk_group++;
    if (d->kind == X_BULK && sm->env.copies.n) engine_start(sm, ws);
    if (d->kind == X_MBAR_COPIES && s->mask) engine_await(sm, ws);  // at another block's barrier
    if (d->kind == X_TENSOR && s->mask) tensor_start(sm, ws, d);
    if (d->kind == X_WGMMA && s->mask && s->result != STEP_FAULT) tensor_group(sm, ws, d);
    if (d->kind == X_WGMMA_WAIT && s->mask && d->imm == UINT64_MAX) tensor_commit(sm, ws);
    if (d->kind == X_MALLOC) ws->next_issue = sm->until + 1;  // its result comes at the edge, and not in a register
    if (s->result == STEP_EXIT) {
        leave_state(ws, 1ull << ws->bit);
        issue_stop(sm, ws);
    }
}

// An atomic of shared memory that is a loop: each turn takes the slots of its instructions, and the warp goes on behind
// the last one, whether it reads the result or not. Two instructions stand around the loop.
static uint32_t go_round(Sm *sm, WarpSlot *ws, const Dinst *d)
{
    const uint32_t turns = sm->env.step.mask ? sm->lsu.turns : 0, slots = 2 + turns * d->slots;
    ws->next_issue = sm->now + MAX(slots, turns * (2 * sm->cfg.shared_latency + sm->lsu.turn));
    ws->pause = OC_WAIT_SHARED;
    return slots;
}

// With ideal.divergence: whether a diverged warp's instruction takes no slot, since the lanes of those after the last
// one that did are still fewer than the warp's; and whether its result is there at once, as other lanes of the warp
// still have to go another way, which they would go at the same time. The last of several ways takes its time.
static void idealise(Sm *sm, WarpSlot *ws, uint32_t lanes, uint32_t slots)
{
    const Warp *w = ws->warp;
    const uint32_t all = (uint32_t)__builtin_popcount(w->live);
    sm->issue.free = sm->issue.at_once = false;
    if (!sm->cfg.ideal.divergence || slots > 1 || lanes >= all) return;
    sm->issue.at_once = exec_goes_apart(w);
    ws->owed = (uint8_t)(ws->owed + lanes);
    sm->issue.free = ws->owed < all;
    if (!sm->issue.free) ws->owed = (uint8_t)(ws->owed - all);
}

ALWAYS_INLINE void count_issued(Sm *sm, InstStat *is, uint32_t lanes)
{
    sm->count[C_WARP_INSTS]++;
    sm->count[C_THREAD_INSTS] += lanes;
    is->issued++;
    is->lanes += lanes;
}

static inline uint32_t slots_of(const Sm *sm, const Dinst *d)
{
    return d->slots > 1 && sm->cfg.count != COUNT_PTX ? d->slots : 1;
}

// The same as issue_warp for one that just computes on lanes: nobody needs its step.
ALWAYS_INLINE uint32_t issue_lanes(Sm *sm, WarpSlot *ws, const Dinst *d)
{
    const uint32_t slots = slots_of(sm, d), mask = exec_lanes(&sm->env, ws->warp, d);
    count_issued(sm, &sm->inst[ws->wait_pc], (uint32_t)__builtin_popcount(mask));
    ws->next_issue = sm->now + slots;
    ws->pause = OC_WAIT_BRANCH;
    if (d->score_dst) results(sm, ws, d, slots, QUIET);
    return slots;
}

// Issues one instruction of a warp, which must be evaluated then; returns the slots it takes.
ALWAYS_INLINE uint32_t issue_warp(Sm *sm, WarpSlot *ws, const Dinst *d, Mode mode)
{
    Warp *w = ws->warp;
    if (mode == QUIET && d->kind == X_LANES && !d->soft) return issue_lanes(sm, ws, d);
    Env *env = &sm->env;
    env->clock = sm->now;
    env->window_cycle = (uint32_t)(sm->now - sm->window);
    size_t deferred = sm->log.deferred.n;
    const Step *s = &env->step;
    if (mode == LOUD && sm->cfg.audit && !exec_audit(env, w)) return 1;
    if (mode == LOUD && sm->storage.counts) operands_fetch(sm, ws, d);
    if (mode == LOUD && w->products) check_before(env, w);
    exec_step(env, w);
    const uint32_t lanes = (uint32_t)__builtin_popcount(s->mask), slots = slots_of(sm, d);
    count_issued(sm, &sm->inst[s->stat], lanes);
    if (s->result == STEP_FAULT) return 1;
    if (mode == LOUD) idealise(sm, ws, lanes, slots);
    ws->next_issue = sm->now + slots;
    ws->pause = OC_WAIT_BRANCH;
    if (s->space != SP_NONE) {
        uint32_t tracker = s->mask ? lsu_put(sm, ws->slot, s) : 0;
        for (; deferred < sm->log.deferred.n; deferred++) sm->log.deferred.v[deferred].tracker = tracker;
        if (s->mask) count_kind(sm, d, s);
        if (d->kind == X_MBAR_COPIES) engine_await(sm, ws);
        if (mode == LOUD && sm->storage.counts) operands_fetched(sm);
        return slots > 1 && lsu_loops(sm, d) ? go_round(sm, ws, d) : slots;
    }
    if (d->score_dst) results(sm, ws, d, slots, mode);
    if (d->kind != X_LANES || d->soft) others(sm, ws, d, slots);
    if (mode == LOUD && sm->storage.counts) operands_fetched(sm);
    return slots;
}

static inline Counter stall_cause(const oc_scheduler_view *v)
{
    if (!v->present) return C_STALL_EMPTY;
    if (v->in[OC_WAIT_READY]) return C_STALL_PIPE;
    if (v->in[OC_WAIT_MEMORY]) return C_STALL_MEMORY;
    if (v->in[OC_WAIT_SHARED]) return C_STALL_SHARED;
    if (v->in[OC_WAIT_ALU]) return C_STALL_ALU;
    if (v->in[OC_WAIT_BRANCH]) return C_STALL_BRANCH;
    if (v->in[OC_WAIT_BARRIER]) return C_STALL_BARRIER;
    return v->in[OC_WAIT_SLEEP] ? C_STALL_SLEEP : C_STALL_EMPTY;
}

// Empty slots of scheduler k. Those for memory belong to the instruction that its first waiting warp stands before,
// those for the load-store unit to that of the first which could go, those for a barrier to the one that it waits at:
// summed over a launch's instructions they are counters.
static uint64_t *stalled(const Sm *sm, uint32_t k, Counter cause)
{
    const uint64_t *in = sm->issue.sched[k].view.in;
    uint64_t warps;
    size_t at;
    switch (cause) {
    case C_STALL_MEMORY: warps = in[OC_WAIT_MEMORY], at = offsetof(InstStat, stalls); break;
    case C_STALL_LSU: warps = in[OC_WAIT_READY], at = offsetof(InstStat, queued); break;
    case C_STALL_BARRIER: warps = in[OC_WAIT_BARRIER], at = offsetof(InstStat, barrier); break;
    default: return NULL;
    }
    const uint32_t slot = (uint32_t)__builtin_ctzll(warps) * sm->cfg.schedulers + k;
    return (uint64_t *)((char *)&sm->inst[sm->issue.slots[slot].wait_pc] + at);
}

static void count_stall(Sm *sm, uint32_t k, Counter cause, uint64_t slots)
{
    uint64_t *stalls = stalled(sm, k, cause);
    sm->count[cause] += slots;
    if (stalls) *stalls += slots;
}

// Ready warps whose unit can't start now.
ALWAYS_INLINE uint64_t blocked(Sm *sm, SchedState *s, uint64_t ready, bool *lsu)
{
    const uint32_t full = s->classes & issue_full(sm);
    *lsu = full & MEMORY_CLASSES;
    if (full == s->classes) return ready;
    uint32_t spent = full | (sm->issue.spent_cycle == sm->now ? sm->issue.spent : 0);
    uint64_t mask = 0;
    for (uint32_t m = s->classes & (s->held | spent); m; m &= m - 1) {
        int c = __builtin_ctz(m);
        if (s->unit_free[c] > sm->now || spent >> c & 1)
            mask |= s->class_ready[c];
        else
            s->held &= ~(1u << c);
    }
    return mask;
}

// A policy that picks no ready warp broke its contract, and ends the launch.
static int wrong_pick(Sm *sm, uint32_t k, uint64_t ready, int bit)
{
    Fault *f = &sm->env.fault;
    const char *name = sm->issue.policy.type->name;
    unsigned long long cycle = sm->now, mask = ready;
    *f = (Fault){.kind = FAULT_POLICY, .cycle = sm->now};
    const uint32_t n = sm->cfg.schedulers, own = (uint32_t)bit / n;
    char slot[80] = "";
    if (bit >= 0 && (uint32_t)bit % n == k && own < 64 && ready >> own & 1)
        snprintf(slot, sizeof slot, "; it is the slot of the warp that has bit %u there", own);
    if (bit == -1)
        snprintf(f->note, sizeof f->note,
                 "policy %s picked no warp (-1) for scheduler %u in cycle %llu, though warps 0x%llx are ready; to hold "
                 "warps back, clear their bits in `issue`",
                 name, k, cycle, mask);
    else
        snprintf(f->note, sizeof f->note,
                 "policy %s picked bit %d for scheduler %u in cycle %llu, which isn't one of the ready warps 0x%llx%s",
                 name, bit, k, cycle, mask, slot);
    return -1;
}

// Bits that no warp of a scheduler has are alike in a mask that the policy has left alone, or set as a whole.
static bool odd_mask(const Sm *sm, uint64_t mask, uint32_t k, uint32_t *bits)
{
    *bits = (sm->issue.slot_count - k + sm->cfg.schedulers - 1) / sm->cfg.schedulers;
    const uint64_t beyond = *bits < 64 ? ~0ull << *bits : 0;
    return (mask & beyond) && (mask & beyond) != beyond;
}

static bool judge_masks(const Sm *sm, Text *why)
{
    const oc_policy *p = &sm->issue.policy;
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        const struct {
            const char *name;
            uint64_t mask;
        } masks[] = {{"issue", p->issue[k]}, {"load", p->load[k]}, {"isolated", p->isolated[k]}};
        for (size_t n = 0; n < COUNT(masks); n++) {
            uint32_t bits;
            if (k >= sm->issue.slot_count || !odd_mask(sm, masks[n].mask, k, &bits)) continue;
            text_printf(
                why,
                "policy %s made %s[%u] 0x%llx: scheduler %u has warps in bits 0 to %u alone. A warp's bit isn't "
                "its slot in the SM: oc_set knows both",
                p->type->name, masks[n].name, k, (unsigned long long)masks[n].mask, k, bits - 1);
            return false;
        }
    }
    return true;
}

static void explain_index(const Sm *sm, Text *why)
{
    static const char *const by[] = {
        [OC_ASKED_WARP] = "oc_warp", [OC_ASKED_WARP_OF] = "oc_warp_of", [OC_ASKED_SLOT] = "oc_slot",
        [OC_ASKED_SET] = "oc_set",   [OC_ASKED_HAS] = "oc_has",         [OC_ASKED_PRESENT] = "oc_present"};
    const oc_index_check *c = &sm->issue.indices;
    const uint32_t slots = sm->issue.slot_count, n = sm->cfg.schedulers;
    const char *name = c->by < COUNT(by) ? by[c->by] : "a function";
    text_printf(why, "policy %s gave %s ", sm->issue.policy.type->name, name);
    if (c->scheduler != OC_NO_WARP)
        text_printf(why,
                    "bit %u of scheduler %u, which has no such warp: the SM has %u slots for warps, and %u schedulers",
                    c->index, c->scheduler, slots, n);
    else if (c->index >= slots)
        text_printf(why, "slot %u, and the SM has slots 0 to %u", c->index, slots - 1);
    else
        text_printf(
            why,
            "slot %u while it picked for another scheduler: that warp is bit %u of scheduler %u. oc_warp_of takes "
            "a scheduler's bit",
            c->index, c->index / n, c->index % n);
}

void issue_judge(Sm *sm)
{
    Text why = {0};
    if (sm->env.fault.kind != FAULT_NONE) return;
    if (sm->issue.indices.times)
        explain_index(sm, &why);
    else
        judge_masks(sm, &why);
    if (why.n) {
        sm->env.fault = (Fault){.kind = FAULT_POLICY, .cycle = sm->now};
        snprintf(sm->env.fault.note, sizeof sm->env.fault.note, "%s", why.v);
    }
    text_free(&why);
}

// Which warp of `ready` issues; −1: none does, and *cause says why.
ALWAYS_INLINE int choose_warp(Sm *sm, uint32_t k, uint64_t ready, Counter *cause, Mode mode)
{
    SchedState *s = &sm->issue.sched[k];
    bool lsu = false;
    uint64_t free = ready & ~blocked(sm, s, s->view.in[OC_WAIT_READY], &lsu), may;
    *cause = lsu ? C_STALL_LSU : C_STALL_PIPE;
    if (!free) return -1;
    if (s->starved & free) return sm->count[C_FED]++, __builtin_ctzll(s->starved & free);
    *cause = C_STALL_SCHED;
    if (!(may = free & issue_allowed(&sm->issue, k))) return -1;
    if (mode == LOUD && sm->issue.listens & ON_MEMORY) s->view.memory = issue_of_class(s, MEMORY_CLASSES);
    if (mode == LOUD) sm->issue.indices.picks = k;
    int bit = sm->issue.policy.type->pick(&sm->issue.policy, k, may);
    if (mode == LOUD) sm->issue.indices.picks = OC_NO_WARP;
    return (unsigned)bit < 64 && may >> bit & 1 ? bit : wrong_pick(sm, k, may, bit);
}

// Another instruction of a class of which an SM starts only so many a cycle.
static inline void count_start(Sm *sm, uint32_t class)
{
    if (sm->issue.start_cycle[class] != sm->now)
        sm->issue.start_cycle[class] = sm->now, sm->issue.started_per_cycle[class] = 0;
    if (++sm->issue.started_per_cycle[class] < sm->cfg.unit[class].per_cycle) return;
    if (sm->issue.spent_cycle != sm->now) sm->issue.spent_cycle = sm->now, sm->issue.spent = 0;
    sm->issue.spent |= 1u << class;
}

// A policy hears of an instruction that goes.
static void tell_issued(Sm *sm, const WarpSlot *ws, bool memory)
{
    if (sm->issue.listens & ON_COUNTS) sm->issue.view.by_slot[ws->slot].instructions++;
    if (sm->issue.listens & ON_ISSUED) sm->issue.policy.type->issued(&sm->issue.policy, ws->slot, memory);
}

static void end_epoch(Sm *sm)
{
    if (sm->count[C_WARP_INSTS] < sm->issue.policy.next_epoch) return;
    sm->issue.policy.next_epoch = NEVER;
    sm->issue.policy.type->epoch(&sm->issue.policy);
}

// Issues the next instruction of a scheduler's warp, which takes its unit. Returns the slots it takes.
ALWAYS_INLINE uint32_t go(Sm *sm, SchedState *s, WarpSlot *ws, Mode mode)
{
    const Warp *w = ws->warp;
    const Dinst *d = &w->code->insts[w->pc];
    uint32_t class = d->class;
    s->view.last = s->view.turn = ws->bit;
    if (s->starved) s->starved &= ~(1ull << ws->bit);
    if (sm->issue.limited >> class & 1) count_start(sm, class);
    if (mode == LOUD && sm->issue.listens & (ON_ISSUED | ON_COUNTS)) tell_issued(sm, ws, is_memory((int)class));
    uint32_t slots = issue_warp(sm, ws, d, mode);
    if (mode == LOUD && sm->issue.listens & ON_EPOCH) end_epoch(sm);
    uint32_t interval = sm->cfg.unit[class].interval;
    if (slots > 1) interval *= d->units;
    if (interval > (sm->cfg.issue == 1)) s->unit_free[class] = sm->now + interval, s->held |= 1u << class;
    sm->count[C_ISSUED]++;
    if (slots > 1) s->busy = sm->now + slots;
    return slots;
}

// Further slots of a cycle go to the warp of the first: as long as its next instruction depends on none of this cycle.
static void go_on(Sm *sm, uint32_t k, int bit)
{
    uint32_t used = 0;
    WarpSlot *ws = &sm->issue.slots[(uint32_t)bit * sm->cfg.schedulers + k];
    Counter cause = C_COUNT;
    uint64_t can = NEVER;  // when it can issue again
    while (used < sm->cfg.issue) {
        uint32_t slots = go(sm, &sm->issue.sched[k], ws, LOUD);
        used++;
        if (sm->env.fault.kind != FAULT_NONE) break;
        bool more = used < sm->cfg.issue && slots == 1 && ws->next_issue == sm->now + 1;
        if (more) ws->next_issue = ws->since = sm->now;
        can = evaluate(sm, ws, sm->now, LOUD);
        // An event in the next cycle all the same: what an empty slot of another scheduler counts as can depend on it.
        if (more && can <= sm->now) issue_wake_at(sm, ws, sm->now + 1);
        uint64_t ready = sm->issue.sched[k].view.in[OC_WAIT_READY] & 1ull << bit;
        Counter why;
        if (slots > 1 || used == sm->cfg.issue || !ready) break;
        if (choose_warp(sm, k, ready, &why, LOUD) < 0) {
            cause = why;
            break;
        }
    }
    uint32_t left = sm->cfg.issue - used;
    if (left && cause != C_COUNT) count_stall(sm, k, cause, left);
    if (ws->warp && ws->next_issue <= sm->now) {
        ws->next_issue = sm->now + 1;
        if (can <= sm->now + 1) evaluate(sm, ws, sm->now, LOUD);
    }
    if (left && cause == C_COUNT) count_stall(sm, k, stall_cause(&sm->issue.sched[k].view), left);
}

// A scheduler's issue slots of this cycle.
ALWAYS_INLINE void issue_from(Sm *sm, uint32_t k, Mode mode)
{
    SchedState *s = &sm->issue.sched[k];
    oc_scheduler_view *v = &s->view;
    uint32_t width = mode == LOUD ? sm->cfg.issue : 1;
    if (s->busy > sm->now) {
        sm->count[C_ISSUED]++;
        sm->count[C_STALL_PIPE] += width - 1;
        return;
    }
    for (bool more = true; more;) {
        Counter cause = C_STALL_EMPTY;
        int bit = v->in[OC_WAIT_READY] ? choose_warp(sm, k, v->in[OC_WAIT_READY], &cause, mode) : -1;
        more = false;
        if (bit < 0) {
            count_stall(sm, k, v->in[OC_WAIT_READY] ? cause : stall_cause(v), width);
        } else if (width > 1) {
            go_on(sm, k, bit);
        } else {
            WarpSlot *ws = &sm->issue.slots[(uint32_t)bit * sm->cfg.schedulers + k];
            uint32_t slots = go(sm, s, ws, mode);
            if (sm->env.fault.kind != FAULT_NONE) return;
            more = mode == LOUD && sm->issue.free && slots == 1;
            if (more) sm->count[C_ISSUED]--, ws->next_issue = MIN(ws->next_issue, sm->now);
            evaluate(sm, ws, sm->now + !more, mode);
        }
    }
}

ALWAYS_INLINE void cycle(Sm *sm, Mode mode)
{
    uint32_t first = (uint32_t)(sm->now % sm->cfg.schedulers);
    for (uint32_t turn = 0; turn < sm->cfg.schedulers; turn++) {  // a shared unit is offered to each first in turn
        uint32_t k = first + turn < sm->cfg.schedulers ? first + turn : first + turn - sm->cfg.schedulers;
        if (sm->env.fault.kind == FAULT_NONE)
            issue_from(sm, k, mode);
        else
            sm->count[C_STALL_EMPTY] += sm->cfg.issue;
    }
}

void issue_cycle(Sm *sm)
{
    if (sm->issue.quiet)
        cycle(sm, QUIET);
    else
        cycle(sm, LOUD);
}

// What each scheduler lacks, if none can issue now.
void issue_idle_why(Sm *sm, Idle why[OC_MOST_SCHEDULERS])
{
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        const oc_scheduler_view *v = &sm->issue.sched[k].view;
        why[k].cause = stall_cause(v);
        if (why[k].cause == C_STALL_PIPE) {
            bool lsu = false;
            uint64_t free = v->in[OC_WAIT_READY] & ~blocked(sm, &sm->issue.sched[k], v->in[OC_WAIT_READY], &lsu);
            why[k].cause = free ? C_STALL_SCHED : lsu ? C_STALL_LSU : C_STALL_PIPE;
        }
        why[k].stalls = stalled(sm, k, why[k].cause);
    }
}

void issue_idle_for(Sm *sm, const Idle why[OC_MOST_SCHEDULERS], uint64_t cycles)
{
    for (uint32_t k = 0; k < sm->cfg.schedulers; k++) {
        sm->count[why[k].cause] += cycles * sm->cfg.issue;
        if (why[k].stalls) *why[k].stalls += cycles * sm->cfg.issue;
    }
}
