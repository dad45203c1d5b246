// queue.c: the load-store unit's queue, from an instruction to its transactions. The head is served one transaction a
// cycle: a pass of shared memory, or a look-up in a port (transaction.c). A transaction that is refused stays at the
// head, and the unit sleeps until what it lacks may be there: a reply (an MSHR, a way, room to merge) or a credit.
// Loads leave a Tracker behind that counts the transactions still out; the last one makes the destination registers'
// time known.
#include "ptx/ops.h"
#include "sm/unit.h"

#include <assert.h>
#include <string.h>

enum { NONE = UINT32_MAX };

bool lsu_open(Sm *sm)
{
    sm->lsu.room = sm->cfg.lsu_queue + 2;
    sm->lsu.queue = mem_map(sm->lsu.room, sizeof *sm->lsu.queue);
    sm->lsu.trackers = sm->cfg.max_warps * 64;
    sm->lsu.tracker = mem_map(sm->lsu.trackers, sizeof *sm->lsu.tracker);
    sm->lsu.waiting_since = NEVER;
    return sm->lsu.queue && sm->lsu.tracker;
}

void lsu_close(Sm *sm)
{
    mem_unmap(sm->lsu.queue, sm->lsu.room, sizeof *sm->lsu.queue);
    mem_unmap(sm->lsu.tracker, sm->lsu.trackers, sizeof *sm->lsu.tracker);
}

void lsu_begin(Sm *sm)
{
    sm->lsu.other_banks = sm->cfg.banks.pad || sm->cfg.banks.swizzle || sm->cfg.ideal.conflicts;
    sm->lsu.free = 0;
    sm->lsu.waiting_since = NEVER;
}

void lsu_done(Sm *sm, uint32_t tracker, uint64_t time)
{
    Tracker *t = &sm->lsu.tracker[tracker];
    t->time = MAX(t->time, time);
    if (--t->left) return;
    sm->lsu.emptying |= t->empties;
    t->next_free = sm->lsu.free_tracker - (tracker + 1);
    sm->lsu.free_tracker = tracker;
    sm->lsu.stirred |= issue_ready(sm, t);
}

// --- the head --------------------------------------------------------------------------------------------------------
static void refuse_head(Sm *sm, Refusal r)
{
    sm->lsu.refused = r & REFUSED_WHY;
    sm->lsu.refused_since = sm->now;
    sm->lsu.refused_firmly = r & REFUSED_FIRMLY;
    sm->lsu.refused_ways = 0;
    if (r & REFUSED_OF_SET) {
        const Cache *c = &sm->lsu.queue[sm->lsu.head].port->cache;
        sm->lsu.refused_first = c->first[r >> REFUSED_PART], sm->lsu.refused_ways = c->ways[r >> REFUSED_PART];
    }
    if (sm->lsu.refused == C_L1_REFUSED_LINK) sm->lsu.refused_part = r >> REFUSED_PART;
}

static void unblock(Sm *sm)
{
    if (!sm->lsu.refused) return;
    sm->count[sm->lsu.refused] += sm->now - sm->lsu.refused_since;
    sm->lsu.refused = 0;
    sm->lsu.refused_firmly = false;
}

// May a reply let the refused head in?
static bool reply_helps(const Sm *sm, const Packet *r)
{
    const Lsu *l = &sm->lsu;
    if (l->refused_firmly || !l->refused_ways) return !l->refused_firmly;
    return port_fills(sm, r, l->queue[l->head].port, l->refused_first, l->refused_ways);
}

void lsu_reply(Sm *sm, const Packet *r)
{
    if (sm->lsu.refused && reply_helps(sm, r)) unblock(sm);
    port_reply(sm, r);
    engine_stir(sm);
}

void lsu_sent(Sm *sm)
{
    engine_stir(sm);
    if (links_drain(sm, sm->lsu.refused_part) && sm->lsu.refused == C_L1_REFUSED_LINK) unblock(sm);
}

void lsu_account(Sm *sm, uint64_t to)
{
    if (!sm->lsu.refused) return;
    sm->count[sm->lsu.refused] += to - sm->lsu.refused_since;
    sm->lsu.refused_since = to;
}

void lsu_explain(const Sm *sm, Text *out)
{
    if (sm->lsu.refused)
        text_printf(out, "  SM %u: the load-store unit is refused since cycle %llu: %s\n", sm->index,
                    (unsigned long long)sm->lsu.refused_since, counter_info[sm->lsu.refused].doc);
}

enum { PATIENCE = 1 << 15 };  // cycles that the head may wait for a policy

// False: the policy says not yet; it is asked again in the next cycle.
static bool ask_policy(Sm *sm, const LsuOp *op, oc_route *to)
{
    oc_access a = {.store = op->write,
                   .local = op->space == SP_LOCAL,
                   .address = op->seg[0].address,
                   .pc = op->stat,
                   .transactions = op->count};
    *to = sm->issue.policy.type->route(&sm->issue.policy, op->warp, &a);
    if (*to != OC_ROUTE_WAIT) return sm->lsu.waiting_since = NEVER, true;
    if (sm->lsu.waiting_since == NEVER) sm->lsu.waiting_since = sm->now;
    if (sm->now - sm->lsu.waiting_since >= PATIENCE) {
        sm->count[C_FED]++;
        *to = OC_TO_L1;
        return sm->lsu.waiting_since = NEVER, true;
    }
    sm->count[C_L1_REFUSED_POLICY]++;
    sm->lsu.free = sm->now + 1;
    return false;
}

// Settles where an access goes that the L1 would serve. False: not yet.
static bool route(Sm *sm, LsuOp *op)
{
    const WarpSlot *ws = &sm->issue.slots[op->warp];
    oc_route to = sm->issue.policy.isolated[ws->sched] >> ws->bit & 1 ? OC_TO_SCRATCH : OC_TO_L1;
    if (sm->issue.policy.type->route && !ask_policy(sm, op, &to)) return false;
    op->keep_out = to == OC_TO_L1_NO_ALLOCATE;
    if (to == OC_PAST_L1) op->port = &sm->ports.port[PORT_PAST];
    bool stays = op->space == SP_LOCAL ? sm->cfg.l1_local_back : op->write && sm->cfg.l1.write_back;  // becomes dirty
    if (to == OC_TO_SCRATCH && sm->issue.view.scratch_lines && !stays) op->port = &sm->ports.port[PORT_SCRATCH];
    return true;
}

// Lines smaller than a segment are looked up one by one.
static uint32_t split_lines(const Cache *c, Segment *seg, uint32_t n)
{
    Segment out[MAX_SEGMENTS];
    uint32_t m = 0, per = MAX(c->cfg.line / SECTOR, 1u);
    for (uint32_t k = 0; k < n; k++)
        for (uint32_t from = 0; from < 4; from += per) {
            uint32_t part = seg[k].sectors & ((1u << per) - 1) << from;
            if (!part) continue;
            assert(m < MAX_SEGMENTS);  // a lane touches one sector, or one with each of four words
            out[m++] = (Segment){seg[k].address, part, seg[k].bytes, seg[k].whole & part, seg[k].cycles, 0};
        }
    memcpy(seg, out, m * sizeof *seg);
    return m;
}

static uint32_t tag_bank(const SmCfg *cfg, uint64_t address)
{
    uint32_t bank = 0;
    for (uint32_t k = 0; k < cfg->tag_bit_count; k++)
        bank |= (uint32_t)__builtin_parityll(address & cfg->tag_bits[k]) << k;
    return bank;
}

// Deals an access's lines to turns, in each of which a bank of the L1's tags looks one up (l1.tag_bits), and sorts them
// so; those of a turn keep the order of their first lanes. Returns how many turns there are.
static uint32_t deal(const SmCfg *cfg, LsuOp *op)
{
    uint8_t next[1 << COUNT(cfg->tag_bits)] = {0}, at[MAX_SEGMENTS + 1] = {0};
    uint32_t turns = 0;
    for (uint32_t k = 0; k < op->count; k++) {
        Segment *s = &op->seg[k];
        s->turn = op->count > 1 ? next[tag_bank(cfg, s->address)]++ : 0;
        turns = MAX(turns, s->turn + 1);
        at[s->turn + 1]++;
    }
    if (turns == 1) return 1;
    Segment all[MAX_SEGMENTS];
    for (uint32_t t = 1; t < turns; t++) at[t + 1] += at[t];
    memcpy(all, op->seg, op->count * sizeof *all);
    for (uint32_t k = 0; k < op->count; k++) op->seg[at[all[k].turn]++] = all[k];
    return turns;
}

// The cycles that an access takes: a turn of the tags each, or one for each row of the banks of shared memory that its
// words lie in, whichever are more.
static void settle_turns(Sm *sm, LsuOp *op)
{
    const uint32_t turns = deal(&sm->cfg, op), cycles = MAX(turns, MAX(op->passes, sm->cfg.lsu_interval));
    op->dealt = true;
    op->late += cycles - turns;
    op->extra = (uint8_t)(MAX(op->passes, turns) - turns);
    for (op->last = op->count - 1; op->last && op->seg[op->last - 1].turn == turns - 1;) op->last--;
    sm->count[C_L1_CYCLES] += MAX(op->passes, turns);
}

// Tells the plug-in that replaces the L1's lines whose accesses come next.
static void tell_plug(Sm *sm, const LsuOp *op)
{
    Cache *c = sm->ports.own ? &sm->ports.own[op->warp].cache : &sm->ports.port[PORT_L1].cache;
    if (c->plug) c->plug->now = (oc_cache_access){.warp = op->warp, .pc = op->stat, .store = op->write};
}

// An instruction comes to the head: which port it goes to is settled, and with it how many transactions it takes.
static bool settle(Sm *sm, LsuOp *op)
{
    bool routes = sm->issue.policy.type->route || sm->issue.view.scratch_lines;
    if (routes && op->port == &sm->ports.port[PORT_L1] && !route(sm, op)) return false;
    if (sm->ports.own && op->port == &sm->ports.port[PORT_L1]) op->port = &sm->ports.own[op->warp];
    op->settled = true;
    if (sm->cfg.l1.plug) tell_plug(sm, op);
    const Cache *c = &op->port->cache;
    const bool turns = op->passes && c->lines && (op->port == &sm->ports.port[PORT_L1] || sm->ports.own);
    if (!turns && op->count < sm->cfg.lsu_interval) op->late += sm->cfg.lsu_interval - op->count;
    if (c->lines && c->cfg.line < SEGMENT) {
        uint32_t more = split_lines(c, op->seg, op->count) - op->count;
        op->count += more;
        sm->inst[op->stat].transactions += more;
        if (op->tracker != NONE) sm->lsu.tracker[op->tracker].left += more;
    }
    op->last = op->count - 1;
    if (turns)
        settle_turns(sm, op);
    else if (op->port->counts && op->port->counts->accesses == C_L1_ACCESSES)
        sm->count[C_L1_CYCLES] += op->count;
    return true;
}

static uint32_t turn_of(const LsuOp *op, uint32_t k) { return op->dealt ? op->seg[k].turn : k; }

// The transactions of a turn. One that is refused is the next one.
static Refusal turn(Sm *sm, LsuOp *op)
{
    const uint32_t now = turn_of(op, op->next);
    do {
        const Refusal r = port_access(sm, op, &op->seg[op->next]);
        if (r) return r;
    } while (++op->next < op->count && turn_of(op, op->next) == now);
    return SERVED;
}

// Cycles from an access's service in shared memory to its results.
static uint32_t shared_latency(const SmCfg *cfg, uint32_t passes)
{
    return cfg->shared_latency - 1 + (uint32_t)((uint64_t)(passes - 1) * cfg->shared_conflict >> 8);
}

// Cycles until the next instruction may begin behind an access of shared memory, which has the banks for its passes.
static uint32_t shared_time(const SmCfg *cfg, uint32_t passes)
{
    return MAX(cfg->shared_blocks ? passes : 1, cfg->lsu_interval);
}

void lsu_tick(Sm *sm)
{
    if (lsu_credit(sm) <= sm->now) unblock(sm);
    if (sm->lsu.refused || sm->lsu.free > sm->now) return;
    LsuOp *op = &sm->lsu.queue[sm->lsu.head];
    if (op->space == SP_SHARED) {
        sm->lsu.free = sm->now + op->busy;
        if (op->tracker != NONE) lsu_done(sm, op->tracker, sm->now + op->latency);
    } else {
        Refusal r = op->emptied ? ports_empty(sm) : SERVED;
        if (!r) {
            op->emptied = false;
            if (!op->settled && !settle(sm, op)) return;
            r = turn(sm, op);
        }
        if (r) {
            refuse_head(sm, r);
            return;
        }
        sm->lsu.free = sm->now + 1 + op->late;
        op->late = 0;
        if (op->next < op->count) return;
    }
    if (++sm->lsu.head == sm->lsu.room) sm->lsu.head = 0;
    sm->lsu.n--;
}

// Those that hit, behind one that did, up to the last turn. A turn that others are left of isn't over.
static void hits(Sm *sm, LsuOp *op, uint64_t to)
{
    const uint32_t first = turn_of(op, op->next);
    const uint64_t from = sm->lsu.free;
    uint32_t most = op->dealt ? 0 : (uint32_t)MIN(op->last - op->next, to - from);
    while (op->dealt && op->next + most < op->last && from + turn_of(op, op->next + most) - first < to) most++;
    const uint32_t n = port_hits(sm, op, most);
    sm->ports.hit = false;
    if (!n) return;
    op->next += n;
    sm->now = from + turn_of(op, op->next - 1) - first;
    sm->lsu.free = from + turn_of(op, op->next) - first;
    if (op->tracker == NONE) return;
    Tracker *t = &sm->lsu.tracker[op->tracker];
    t->left -= n;
    t->time = MAX(t->time, sm->now + op->port->cache.cfg.latency - 1 + op->extra);
}

void lsu_go_on(Sm *sm, uint64_t to)
{
    LsuOp *op = &sm->lsu.queue[sm->lsu.head];
    if (!sm->lsu.n || sm->lsu.refused || op->space == SP_SHARED || !op->next) return;
    while (sm->lsu.free < to && op->next < op->last) {
        if (sm->ports.hit) {
            hits(sm, op, to);
            continue;
        }
        sm->now = sm->lsu.free;
        const Refusal r = turn(sm, op);
        if (r) {
            refuse_head(sm, r);
            return;
        }
        sm->lsu.free = sm->now + 1;
        to = MIN(to, links_due(&sm->links));
    }
}

// --- from the instruction to the queue -------------------------------------------------------------------------------
static uint8_t structure_of(const Sm *sm, const Step *s)
{
    if (s->space == SP_LOCAL) return MAX_STRUCTURES - 1;
    if (s->d->prov >= 0 && s->d->prov < MAX_STRUCTURES - 2) return (uint8_t)(s->d->prov + 1);
    return sm->structure_of(sm, s->addr[__builtin_ctz(s->mask)]);
}

// The port that an access goes to, unless a policy sends it elsewhere.
static Port *port_for(Sm *sm, const LsuOp *op, const Dinst *d)
{
    PortId id = PORT_L1;
    bool l1 = true, ro = sm->ports.port[PORT_READONLY].cache.lines;
    switch (op->space) {
    case SP_GLOBAL:
        if (op->atomic || d->flags & D_UNCACHED)
            id = PORT_PAST;
        else if (!op->write && ro && ((d->flags & D_READONLY && sm->cfg.ro_nc) || sm->take >> op->structure & 1))
            id = PORT_READONLY;
        else if (!op->write && sm->past >> op->structure & 1)
            id = PORT_PAST;
        else
            l1 = sm->cfg.l1_global;
        break;
    case SP_LOCAL: l1 = sm->cfg.l1_local; break;
    case SP_TEX: id = sm->cfg.ro_texture && ro ? PORT_READONLY : PORT_L1; break;
    default: id = PORT_CONSTANT;
    }
    return &sm->ports.port[sm->ports.port[id].cache.lines && (l1 || id != PORT_L1) ? id : PORT_PAST];
}

// The next place in the queue.
static inline LsuOp *enter(Sm *sm, Space space, uint32_t tracker)
{
    uint32_t places = sm->lsu.room, at = sm->lsu.head + sm->lsu.n++;
    assert(sm->lsu.n <= places);
    LsuOp *op = &sm->lsu.queue[at < places ? at : at - places];
    op->tracker = tracker;
    op->space = (uint8_t)space;
    op->next = 0;
    return op;
}

// The accesses of 16 bytes that an access of shared memory takes. Narrow banks are accessed by words of their width,
// of which four make up such an access; those of unified storage have 16 bytes (unified-memory §4.2), and
// operands_shared has counted their rows.
static void count_banks(Sm *sm, const Step *s, uint32_t mask)
{
    uint32_t width = sm->cfg.banks.width, n = sm->storage.fetch.rows;
    if (sm->cfg.storage != STORAGE_UNIFIED) n = (bank_words(s->addr, mask, s->bytes, width) * width + 15) / 16;
    const bool store = s->d->class == CLASS_STORE, load = s->d->class == CLASS_LOAD;
    if (!store) sm->count[C_SHARED_BANK_READS] += n;
    if (!load) sm->count[C_SHARED_BANK_WRITES] += n;
}

// As many passes as the bytes fill, which no order of words in banks saves: what is left with ideal.conflicts.
static uint32_t least_passes(const BankCfg *banks, const Step *s, uint32_t mask, uint32_t passes)
{
    const uint32_t row = banks->banks * banks->width, bytes = (uint32_t)__builtin_popcount(mask) * s->bytes;
    return MIN(passes, MAX((bytes + row - 1) / row, 1u));
}

// An atomic that is a loop (sass.def): in each turn a load, the operation, and a store for one lane of those at an
// address. The store passes as the load does, since of a word's lanes it stores one: assumed. Returns the passes.
static uint32_t put_loop(Sm *sm, const Step *s, const uint64_t *addr, uint32_t mask, LsuOp *op)
{
    const SmCfg *cfg = &sm->cfg;
    const Type type = (Type)s->d->type;
    const bool whole = type == TY_U64 || type == TY_S64 || type == TY_B64;
    const Class unit = type == TY_F64 ? CLASS_F64 : whole ? CLASS_ALU : CLASS_FMA;
    uint32_t all = 0, turns = 0, wide = 0;
    op->busy = op->latency = 0;
    for (uint32_t left = mask, won = 0; left; left &= ~won, turns++) {
        const uint32_t passes = bank_passes(&cfg->banks, addr, left, s->bytes);
        won = 0;
        for (uint32_t m = left; m; m &= m - 1) {
            const uint32_t lane = (uint32_t)__builtin_ctz(m);
            uint32_t same = won;
            while (same && s->addr[__builtin_ctz(same)] != s->addr[lane]) same &= same - 1;
            if (!same) won |= 1u << lane;
        }
        wide += 2 * (least_passes(&cfg->banks, s, left, passes) - 1);
        all += 2 * passes, op->busy += 2 * shared_time(cfg, passes);
        op->latency += 2 * (shared_latency(cfg, passes) + 1);
    }
    sm->lsu.turns = turns;
    sm->lsu.turn = cfg->unit[unit].latency + cfg->unit[CLASS_ALU].latency + cfg->unit[CLASS_BRANCH].latency;
    op->latency += turns * sm->lsu.turn - 1;
    sm->count[C_SHARED_CONFLICTS] += all - 2 * turns, sm->count[C_SHARED_WIDE] += wide;
    return all;
}

// Passes that lanes' words take in the banks of shared memory.
ALWAYS_INLINE uint32_t words_pass(const BankCfg *banks, const Step *s, uint32_t mask)
{
    const bool usual = banks->banks == 32 && banks->width == 4 && banks->mode == 4;
    if (s->run && s->bytes == 4 && s->stride <= 4 && banks_free(banks, s->addr, s->run, s->stride)) return 1;
    // Two halves that share no word, but a bank.
    const uint64_t between = s->addr[16] > s->addr[0] ? s->addr[16] - s->addr[0] : s->addr[0] - s->addr[16];
    if (usual && s->run == 16 && s->bytes == 4 && s->stride <= 4 && between >= 64) return 2;
    // Lanes that pass together, a half or a quarter of the warp where words are wider, are of one run.
    const bool whole = s->run * s->bytes >= LANES * 4 && s->bytes <= 16;
    if (usual && whole && !((s->addr[0] | s->addr[8] | s->addr[16] | s->addr[24] | s->stride) % s->bytes))
        return bank_passes_of_run(s->stride, s->bytes);
    return bank_passes(banks, s->addr, mask, s->bytes);
}

// Enters lanes' accesses of shared memory.
ALWAYS_INLINE const LsuOp *put_shared(Sm *sm, const Step *s, uint32_t mask, uint32_t tracker)
{
    const BankCfg *banks = &sm->cfg.banks;
    LsuOp *op = enter(sm, SP_SHARED, tracker);
    uint64_t laid[LANES];
    uint32_t passes = 1;
    bool loop = s->d->kind == X_ATOM && lsu_loops(sm, s->d);
    const bool other = __builtin_expect(sm->lsu.other_banks, 0);
    if (other) bank_lay_out(banks, s->addr, mask, laid);
    if (loop)
        passes = put_loop(sm, s, other ? laid : s->addr, mask, op);
    else if (s->d->kind == X_ATOM)
        passes = bank_passes_atomic(banks, other ? laid : s->addr, mask);
    else if (other)
        passes = bank_passes(banks, laid, mask, s->bytes);
    else
        passes = words_pass(banks, s, mask);
    if (other && sm->cfg.ideal.conflicts) passes = least_passes(banks, s, mask, passes);
    if (sm->storage.counts) passes = operands_shared(sm, s->addr, mask, s->bytes, passes);
    if (sm->cfg.energy) count_banks(sm, s, mask);
    if (s->away || !loop) {
        op->busy = shared_time(&sm->cfg, passes), op->latency = shared_latency(&sm->cfg, passes);
        sm->count[C_SHARED_CONFLICTS] += passes - 1;
        if (passes > 1) sm->count[C_SHARED_WIDE] += least_passes(banks, s, mask, passes) - 1;
    }
    if (s->away) {
        const double transfer = s->bytes * (uint32_t)__builtin_popcount(mask) / sm->cfg.cluster_bytes;
        op->busy = MAX(op->busy, (uint32_t)(transfer + 0.5)), op->latency = sm->cfg.cluster_latency - 1;
    }
    sm->count[C_SHARED_PASSES] += passes;
    sm->inst[s->stat].transactions += passes;
    if (tracker != NONE) sm->lsu.tracker[tracker].left++;
    return op;
}

static void count_structure(Sm *sm, const LsuOp *op, const Dinst *d)
{
    StructStat *st = &sm->structure[op->structure];
    st->loads += d->kind == X_LD || d->kind == X_TEX || d->kind == X_CP_ASYNC || d->kind == X_PREFETCH;
    st->stores += d->kind == X_ST;
    st->atomics += d->kind == X_ATOM;
    st->transactions += op->count;
    uint32_t sectors = 0;
    for (uint32_t k = 0; k < op->count; k++) sectors += (uint32_t)__builtin_popcount(op->seg[k].sectors);
    st->sectors += sectors, sm->inst[op->stat].sectors += sectors;
    if (op->space == SP_GLOBAL && !op->atomic) sm->count[op->write ? C_SECTORS_STORED : C_SECTORS_LOADED] += sectors;
}

uint32_t lsu_segments(const Step *s, uint32_t mask, bool write, bool atomic, Segment *out)
{
    uint32_t n = 0;
    // Atomics are counted lane by lane, which runs aren't.
    if (!atomic && s->run)
        n = coalesce_runs(s->addr, s->run, s->stride, s->bytes, out);
    else if (!atomic && s->part && s->stride == s->bytes)
        n = coalesce_range(s->addr[__builtin_ctz(mask)], s->part * s->bytes, out);
    return n ? n : coalesce(s->addr, mask, s->bytes, write, out);
}

// With ideal.coalesced: as few sectors as a warp's bytes fill, side by side. The lines that it touches are shared out
// among the warps that, together, would touch all of their bytes: each gets the part whose number its first word has
// between two words of a line. So every sector is fetched as often as if neighbouring threads took neighbouring words.
static uint32_t side_by_side(const Step *s, uint32_t mask, Segment *seg, uint32_t n)
{
    uint32_t words = 0, sectors = 0, here = 0, kept = 0;
    uint64_t first = NEVER, last = 0, line = n ? seg[0].address : 0;
    for (uint32_t m = mask; m; m &= m - 1) {
        const uint64_t at = s->addr[__builtin_ctz(m)];
        bool new = true;
        for (uint32_t before = mask & ((m & -m) - 1); before && new; before &= before - 1)
            new = s->addr[__builtin_ctz(before)] != at;
        words += new;
        if (at - line >= SEGMENT || !new) continue;
        here++, first = MIN(first, at), last = MAX(last, at);
    }
    for (uint32_t k = 0; k < n; k++) sectors += (uint32_t)__builtin_popcount(seg[k].sectors);
    const uint32_t least = MAX((words * s->bytes + SECTOR - 1) / SECTOR, 1u), all = n * (SEGMENT / SECTOR);
    if (sectors < 2 * least || !here) return n;
    const uint32_t parts = (all + least - 1) / least;
    const uint32_t apart = last - first + s->bytes == here * s->bytes ? SEGMENT : SEGMENT / here;
    const uint32_t from = MIN((uint32_t)(first % SEGMENT % apart) * parts / apart * least, all - least);
    for (uint32_t k = 0; k < n; k++) {
        Segment g = {.address = seg[k].address};
        for (uint32_t x = 0; x < SEGMENT / SECTOR; x++)
            if (4 * k + x >= from && 4 * k + x < from + least) g.sectors |= 1u << x;
        g.whole = g.sectors, g.bytes = (uint32_t)__builtin_popcount(g.sectors) * SECTOR;
        if (g.sectors) seg[kept++] = g;
    }
    return kept;
}

// The segments of lanes' accesses.
static uint32_t segments(const Sm *sm, LsuOp *op, const Step *s, uint32_t mask, uint32_t slot)
{
    uint64_t addr[LANES];
    if (op->space == SP_LOCAL) return local_segments(sm, slot, s, mask, op->seg);
    if (op->space == SP_GLOBAL) {
        const uint32_t n = lsu_segments(s, mask, op->write, op->atomic, op->seg);
        return sm->cfg.ideal.coalesced && !op->atomic ? side_by_side(s, mask, op->seg, n) : n;
    }
    if (op->space != SP_CONST) return coalesce(s->addr, mask, s->bytes, op->write, op->seg);
    for (uint32_t k = 0; k < LANES; k++) addr[k] = sm->launch->kernel->image->const_base + s->addr[k];
    return coalesce(addr, mask, s->bytes, op->write, op->seg);
}

// Whether one lane's atomic stands for those of its warp.
static bool gathers(const Sm *sm, const Dinst *d)
{
    bool constant = d->inst->opnd[d->op == OP_ATOM ? 2 : 1].kind == O_IMM;
    return sm->cfg.gather == GATHER_LANES || (sm->cfg.gather == GATHER_CONSTANT && constant);
}

// The time that an atomic's transactions take at the L2, sector by sector: that of the lanes which meet at one of its
// addresses, and where they have several, at least that of a sector.
static void atomic_cycles(const PartitionCfg *cfg, LsuOp *op, const Step *s, uint32_t mask)
{
    for (uint32_t k = 0; k < op->count; k++) {
        uint32_t most[SEGMENT / SECTOR] = {0}, all[SEGMENT / SECTOR] = {0}, cycles = 0;
        for (uint32_t m = mask; m; m &= m - 1) {
            uint64_t at = s->addr[__builtin_ctz(m)];
            uint32_t there = 0;
            if ((at & ~(uint64_t)(SEGMENT - 1)) != op->seg[k].address) continue;
            for (uint32_t others = mask; others; others &= others - 1) there += s->addr[__builtin_ctz(others)] == at;
            uint32_t n = (uint32_t)(at % SEGMENT / SECTOR);
            most[n] = MAX(most[n], there), all[n]++;
        }
        for (uint32_t n = 0; n < COUNT(most); n++)
            cycles += MAX(all[n] > most[n] ? cfg->atomic_sector : 0, cfg->atomic_interval * most[n]);
        op->seg[k].cycles = MIN(cycles, UINT8_MAX);
    }
}

// Whether the L1 is empty behind it. ptxas of CUDA 13 writes CCTL.IVALL behind a fence of more than a block, and behind
// what acquires at such a scope; one that only releases needs none. Of clusters nothing is known.
static bool empties(const Sm *sm, const Dinst *d)
{
    const Inst *i = d->inst;
    if (sm->cfg.l1_fence != FENCE_EMPTIES || i->mod[G_SCOPE] == M_CTA || i->mod[G_SCOPE] == M_CLUSTER) return false;
    if (d->kind != X_FENCE) return d->flags & D_ACQUIRE && i->space != SP_SHARED;
    return i->op == OP_MEMBAR || (i->op == OP_FENCE && i->mod[G_SEM] != M_RELEASE);
}

// What stands in the queue came before.
void lsu_fence(Sm *sm, const Dinst *d) { sm->lsu.emptying |= empties(sm, d); }

// Passes that the words of an access of the L1 take, whose data lie in the banks of shared memory; 0: it has no such
// access. In local memory they lie side by side, as far as one can.
static uint32_t line_passes(const Sm *sm, const LsuOp *op, const Step *s, uint32_t mask)
{
    if (op->space == SP_GLOBAL && !op->atomic && sm->cfg.ideal.coalesced)
        return ((uint32_t)__builtin_popcount(mask) * s->bytes + SEGMENT - 1) / SEGMENT;
    if (op->space == SP_GLOBAL && !op->atomic) return words_pass(&sm->cfg.banks, s, mask);
    uint32_t bytes = 0;
    for (uint32_t k = 0; k < op->count && op->space == SP_LOCAL; k++) bytes += op->seg[k].bytes;
    return (bytes + SEGMENT - 1) / SEGMENT;
}

// Enters lanes' accesses of a space that is served by a port.
static void put_port(Sm *sm, uint32_t slot, const Step *s, Space space, uint32_t mask, uint32_t tracker)
{
    const Dinst *d = s->d;
    LsuOp *op = enter(sm, space, tracker);
    op->warp = slot;
    op->write = d->kind == X_ST;
    op->atomic = d->kind == X_ATOM;
    op->settled = op->keep_out = false;
    op->emptied = sm->lsu.emptying;
    sm->lsu.emptying = tracker == NONE && empties(sm, d);
    op->bytes = (uint8_t)s->bytes;
    op->stat = s->stat;
    if (d->flags & D_SAME && gathers(sm, d)) mask &= -mask;
    op->count = segments(sm, op, s, mask, slot);
    if (op->atomic && sm->links.part->atomic_sector) atomic_cycles(sm->links.part, op, s, mask);
    op->structure = structure_of(sm, s);
    op->port = port_for(sm, op, d);
    op->late = sm->storage.counts ? operands_lines(sm, op) : 0;
    op->dealt = false, op->extra = 0;
    op->passes = sm->cfg.tag_bit_count ? line_passes(sm, op, s, mask) : 0;
    count_structure(sm, op, d);
    sm->inst[op->stat].transactions += op->count;
    if (tracker != NONE) sm->lsu.tracker[tracker].left += op->count;
}

// Enters lanes' accesses of a space; gives back the cycles that they take in shared memory.
static uint32_t put_part(Sm *sm, uint32_t slot, const Step *s, Space space, uint32_t mask, uint32_t tracker)
{
    if (space == SP_SHARED) return put_shared(sm, s, mask, tracker)->busy;
    put_port(sm, slot, s, space, mask, tracker);
    return 1;
}

static uint32_t new_tracker(Sm *sm, uint32_t slot, const Step *s)
{
    const WarpSlot *ws = &sm->issue.slots[slot];
    const Dinst *d = s->d;
    uint32_t tracker = sm->lsu.free_tracker;
    assert(tracker < sm->lsu.trackers);
    Tracker *t = &sm->lsu.tracker[tracker];
    sm->lsu.free_tracker = tracker + 1 + t->next_free;
    *t = (Tracker){.d = d,
                   .slot = slot,
                   .started = ws->started,
                   .left = s->deferred,
                   .shared = s->space == SP_SHARED && !s->other_mask,
                   .async = d->kind == X_CP_ASYNC,
                   .acquire = d->flags & D_ACQUIRE,
                   .empties = empties(sm, d),
                   .group = (uint8_t)(ws->async_group & 15),
                   .begun = ws->async_begun};
    issue_await(sm, slot, t);
    return tracker;
}

// Nothing refuses accesses of shared memory. Behind these alone it is known when an access will be served.
static uint64_t service_time(const Sm *sm) { return sm->lsu.n ? sm->lsu.sure_free : MAX(sm->lsu.free, sm->now + 1); }

uint32_t lsu_put(Sm *sm, uint32_t slot, const Step *s)
{
    const Dinst *d = s->d;
    if (s->space == SP_PARAM ||
        (s->space == SP_CONST && !sm->ports.port[PORT_CONSTANT].cache.lines)) {  // operands from the constant bank
        issue_known(sm, slot, d, sm->now + sm->cfg.unit[CLASS_ALU].latency, KIND_ALU);
        return NONE;
    }
    uint64_t served = service_time(sm);
    bool shared = s->space == SP_SHARED && !s->other_mask && served != NEVER;
    if (shared && !s->deferred && !(d->flags & D_ACQUIRE)) {
        const LsuOp *op = put_shared(sm, s, s->mask, NONE);
        issue_known(sm, slot, d, served + op->latency, KIND_SHARED);
        issue_served(sm, slot, d, served);
        sm->lsu.sure_free = served + op->busy;
        return NONE;
    }
    bool waits = d->score_dst || d->kind == X_CP_ASYNC;
    uint32_t tracker = waits ? new_tracker(sm, slot, s) : NONE;
    uint32_t busy = put_part(sm, slot, s, s->space, s->mask, tracker);
    if (s->other_mask) put_part(sm, slot, s, s->other_space, s->other_mask, tracker);
    sm->lsu.sure_free = shared ? served + busy : NEVER;
    return tracker;
}
