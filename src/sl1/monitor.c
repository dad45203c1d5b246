// monitor.c: the monitoring slice and the choice. simulateCache counts how many accesses a line per structure would
// serve (§3.2.1). calculateWhatToCache chooses structures by that (§3.2.2), or by their strides. Each thread chooses
// for itself. With decide=warp a warp chooses as one: the lanes that arrive first add up what they counted, and publish
// the choice as a word in shared memory. Lanes that arrive later read the word. So nothing depends on the lanes being
// together.
//
// A choice is a word that has bit 31 set, and 4 bits for each structure: 0 if it isn't cached, else its line's number
// plus one (1 if the line is in registers).
#include "ptx/ops.h"
#include "sl1/unit.h"

enum { ACCESS = 1 << 16 };  // hits are counted in the lower half of a register, accesses in the upper half

static bool may_cache(const Sl1Writer *w, uint32_t k) { return !w->plan->structure[k].barred; }

static void forget(Sl1Writer *w, bool written)
{
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!may_cache(w, k)) continue;
        sl1_forget(w, k);
        if (written && sl1_has_bitmap(w, k)) sl1_put(w, "mov.b32 %%sl1_b%u, 0;", k);
    }
}

// Sets what is counted to 0, but for `accesses` of the first structure.
static void count_from(Sl1Writer *w, uint32_t accesses)
{
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!may_cache(w, k)) continue;
        sl1_put(w, "mov.u32 %%sl1_h%u, %u;", k, accesses * ACCESS);
        if (w->options->clock) sl1_put(w, "mov.u32 %%sl1_c%u, 0;", k);
        accesses = 0;
    }
}

void sl1_begin_monitor(Sl1Writer *w)
{
    if (sl1_chooses_inside(w)) sl1_put(w, "mov.u32 %%sl1_choice, 0;");
    w->keeper = KEEPER_MONITOR;
    forget(w, false);
    count_from(w, 0);
}

bool sl1_chooses_inside(const Sl1Writer *w)
{
    const Sl1Body *kernel = w->plan->bodies.v[0];
    bool any = false;
    for (uint32_t k = 0; k < kernel->flow->loops.n; k++)
        any |= w->plan->quiet[k] && sl1_chooses_at(&kernel->flow->loops.v[k]) &&
               kernel->loop_of[kernel->flow->loops.v[k].head] == (int)w->loop;
    return any;
}

// A thread that has made its choice has made enough accesses, whatever was counted since. That isn't looked at.
void sl1_leave_inner(Sl1Writer *w)
{
    w->keeper = KEEPER_MONITOR;
    forget(w, false);
    count_from(w, w->options->threshold);
}

void sl1_simulate(Sl1Writer *w, uint32_t k)
{
    const char *line = sl1_line_of(w, k);
    sl1_put(w, "setp.eq.u%d %%sl1_p, %s, %%sl1_a%u;", w->alias ? 64 : 32, line, k);
    sl1_put(w, "selp.u32 %%sl1_m, %u, %u, %%sl1_p;", ACCESS + 1, ACCESS);
    sl1_put(w, "add.u32 %%sl1_h%u, %%sl1_h%u, %%sl1_m;", k, k);
    sl1_put(w, "mov.u%d %%sl1_a%u, %s;", w->alias ? 64 : 32, k, line);
}

static const Operand *loaded_register(const Inst *i)
{
    const Operand *value = &i->opnd[0], *items = value->kind == O_VEC ? value->items : value;
    for (uint32_t k = 0; k < i->vec && i->op == OP_LD && type_bytes(i->type) <= 8;
         k++)  // no part of a .b128 can be stored
        if (items[k].kind == O_REG) return &items[k];
    return NULL;
}

// Sets q to whether any (or all) of the active lanes have p set. Which lanes are active only affects time, not results.
// From sm_70 on a vote has to name the lanes that take part (PTX ISA, vote).
void sl1_vote(Sl1Writer *w, const char *mode, const char *q)
{
    bool sync = w->plan->f->module->sm >= 70;
    if (sync) sl1_put(w, "activemask.b32 %%sl1_m;");
    sl1_put(w, "vote%s.%s.pred %s, %%sl1_p%s;", sync ? ".sync" : "", mode, q, sync ? ", %sl1_m" : "");
}

// Times a load. %sl1_c counts the slow loads minus the loads for which some lane of the warp would miss its line
// (simulateCache left the lane's hit in p): a warp waits for its slowest lane, so a line would not make these faster.
// The clock is read again when the load has come back: a store of the loaded value has to wait for that.
void sl1_put_timed(Sl1Writer *w, const Inst *i, uint32_t k)
{
    const Operand *to = w->options->clock ? loaded_register(i) : NULL;
    if (to) sl1_vote(w, "all", "%sl1_q"), sl1_put(w, "mov.u32 %%sl1_v0, %%clock;");
    sl1_put_inst(w, i);
    if (!to) return;
    sl1_put(w, "st.volatile.shared.b8 [sl1_loaded], %s;", reg_name(&w->view, to->reg));
    sl1_put(w, "mov.u32 %%sl1_v1, %%clock;");
    sl1_put(w, "sub.u32 %%sl1_v1, %%sl1_v1, %%sl1_v0;");
    sl1_put(w, "setp.ge.u32 %%sl1_p, %%sl1_v1, %u;", w->options->clock);
    sl1_put(w, "@%%sl1_p add.s32 %%sl1_c%u, %%sl1_c%u, 1;", k, k);
    sl1_put(w, "@!%%sl1_q sub.s32 %%sl1_c%u, %%sl1_c%u, 1;", k, k);
}

// Sets p to whether a lane has made enough accesses of all structures together.
static void put_enough(Sl1Writer *w)
{
    uint32_t first = 0;
    while (!may_cache(w, first)) first++;
    const char *sum = "%sl1_m";
    char only[32];
    snprintf(only, sizeof only, "%%sl1_h%u", first);
    const char *so_far = only;
    sl1_next_site(w);
    for (uint32_t k = first + 1; k < w->plan->structures; k++)
        if (may_cache(w, k)) sl1_put(w, "add.u32 %s, %s, %%sl1_h%u;", sum, so_far, k), so_far = sum;
    sl1_put(w, "setp.ge.u32 %%sl1_p, %s, %u;", so_far, w->options->threshold * ACCESS);
    sl1_vote(w, "any", "%sl1_p");
}

// A warp leaves the monitoring slice as one, when the first of its lanes has made enough accesses: at the main loop's
// head, where all its lanes that are still in the loop are together. In the paper lanes leave one by one, but meet
// again before the next slice, which is a loop of its own; here both are one loop, which lanes leave at its exit alone.
void sl1_check_monitor(Sl1Writer *w)
{
    put_enough(w);
    sl1_put(w, "@%%sl1_p bra $sl1_h%u;", w->loop);
}

// At the head of an inner loop the choice is made as well, but only for the rest of that loop: inner.c.
void sl1_check_inner(Sl1Writer *w, uint32_t loop)
{
    put_enough(w);
    const Loop *l = &w->body->flow->loops.v[loop];
    if (sl1_chooses_at(l))
        sl1_put(w, "@%%sl1_p bra $sl1_j%u;", loop);
    else
        sl1_put(w, "@%%sl1_p bra $sl1_q%u_%u;", loop, l->head);
}

// --- the choice ------------------------------------------------------------------------------------------------------
static bool by_clock(const Sl1Writer *w, uint32_t k) { return w->options->clock && w->plan->structure[k].loaded; }

// Sets %sl1_n to the accesses, and leaves the hits in %sl1_h.
static void unpack(Sl1Writer *w)
{
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!may_cache(w, k)) continue;
        sl1_put(w, "shr.u32 %%sl1_n%u, %%sl1_h%u, 16;", k, k);
        sl1_put(w, "and.b32 %%sl1_h%u, %%sl1_h%u, %u;", k, k, ACCESS - 1);
    }
}

// Turns %sl1_n of each structure into its worth. The worth is its hits if more than half of its accesses hit, twice as
// much if it is only read, and 0 otherwise. With the clock setting it is also 0 unless %sl1_c is more than an eighth of
// the accesses. The structures worth most get the lines; there are %sl1_count (CLN) of them.
static void rank(Sl1Writer *w)
{
    const Sl1Plan *p = w->plan;
    for (uint32_t k = 0; k < p->structures; k++) {
        if (!may_cache(w, k)) continue;
        sl1_put(w, "shl.b32 %%sl1_m, %%sl1_h%u, 1;", k);
        sl1_put(w, "setp.gt.u32 %%sl1_p, %%sl1_m, %%sl1_n%u;", k);
        if (by_clock(w, k))
            sl1_put(w, "shl.b32 %%sl1_v0, %%sl1_c%u, 3;", k),
                sl1_put(w, "setp.gt.and.s32 %%sl1_p, %%sl1_v0, %%sl1_n%u, %%sl1_p;", k);
        if (p->structure[k].written) sl1_put(w, "mov.u32 %%sl1_m, %%sl1_h%u;", k);
        sl1_put(w, "selp.b32 %%sl1_n%u, %%sl1_m, 0, %%sl1_p;", k);
    }
}

static void rank_written(Sl1Writer *w, uint32_t k)
{
    const Sl1Plan *p = w->plan;
    bool own = sl1_in_registers(w, k);
    sl1_put(w, "mov.u32 %%sl1_m, 1;");  // its line's number plus one
    for (uint32_t j = 0; j < p->structures; j++) {
        if (j == k || !may_cache(w, j) || own || sl1_in_registers(w, j)) continue;
        sl1_put(w, "setp.%s.u32 %%sl1_p, %%sl1_n%u, %%sl1_n%u;", j < k ? "ge" : "gt", j, k);
        sl1_put(w, "@%%sl1_p add.u32 %%sl1_m, %%sl1_m, 1;");
    }
    sl1_put(w, "setp.gt.u32 %%sl1_p, %%sl1_n%u, 0;", k);
    if (!own) sl1_put(w, "setp.le.and.u32 %%sl1_p, %%sl1_m, %%sl1_count, %%sl1_p;");
    sl1_put(w, "shl.b32 %%sl1_m, %%sl1_m, %u;", 4 * k);
    sl1_put(w, "@%%sl1_p or.b32 %%sl1_choice, %%sl1_choice, %%sl1_m;");
}

// A structure is worth nothing if most of the active lanes accessed the same line of it last as the first lane did: the
// hardware makes one access of theirs, while lines of their own would make many.
static void refuse_shared(Sl1Writer *w)
{
    sl1_put(w, "activemask.b32 %%sl1_v0;");
    sl1_put(w, "popc.b32 %%sl1_v1, %%sl1_v0;");
    sl1_put(w, "brev.b32 %%sl1_v2, %%sl1_v0;");
    sl1_put(w, "clz.b32 %%sl1_v2, %%sl1_v2;");  // the first lane
    for (uint32_t k = 0; k < w->plan->structures; k++) {
        if (!may_cache(w, k)) continue;
        char tag[32];
        snprintf(tag, sizeof tag, w->alias ? "%%sl1_low" : "%%sl1_a%u", k);
        if (w->alias) sl1_put(w, "cvt.u32.u64 %%sl1_low, %%sl1_a%u;", k);
        sl1_put(w, "shfl.sync.idx.b32 %%sl1_m, %s, %%sl1_v2, 31, %%sl1_v0;", tag);
        sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_m, %s;", tag);
        sl1_put(w, "vote.sync.ballot.b32 %%sl1_m, %%sl1_p, %%sl1_v0;");
        sl1_put(w, "popc.b32 %%sl1_m, %%sl1_m;");
        sl1_put(w, "shl.b32 %%sl1_m, %%sl1_m, 1;");
        sl1_put(w, "setp.gt.u32 %%sl1_p, %%sl1_m, %%sl1_v1;");
        sl1_put(w, "@%%sl1_p mov.u32 %%sl1_n%u, 0;", k);
    }
}

// How long stores take can't be measured. If no structure that is loaded is worth a line, one that is only stored to
// gets none.
static void follow_loads(Sl1Writer *w, uint32_t none)
{
    sl1_put(w, "mov.u32 %%sl1_v0, 0;");
    bool any = false;
    for (uint32_t k = 0; k < w->plan->structures; k++)
        if (may_cache(w, k) && by_clock(w, k)) sl1_put(w, "or.b32 %%sl1_v0, %%sl1_v0, %%sl1_n%u;", k), any = true;
    if (any) sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_v0, 0;"), sl1_put(w, "@%%sl1_p bra $sl1_g%u;", none);
}

// Adds up what the active lanes counted.
static void add_up(Sl1Writer *w, uint32_t at)
{
    uint32_t counts = sl1_counts(w->options);
    for (int read = 0; read < 2; read++)
        for (uint32_t k = 0; k < w->plan->structures; k++)
            for (uint32_t c = 0; c < counts && may_cache(w, k); c++) {
                uint32_t place = at + 4 + 4 * (counts * k + c);
                if (read)
                    sl1_put(w, "ld.volatile.shared.u32 %%sl1_%c%u, [%%sl1_warp+%u];", "hnc"[c], k, place);
                else
                    sl1_put(w, "red.shared.add.u32 [%%sl1_warp+%u], %%sl1_%c%u;", place, "hnc"[c], k);
            }
}

// Two lines for each structure, if there are as many. The lanes of a warp must agree on that, whatever each of them
// chose and in whichever loop it is, since where a lane's windows lie depends on it. So all structures count.
static void put_span_of_all(Sl1Writer *w)
{
    uint32_t all = 0;
    for (uint32_t k = 0; k < w->plan->structures; k++) all += may_cache(w, k) && sl1_paired(w, k);
    if (all) sl1_put(w, "setp.ge.u32 %%sl1_p, %%sl1_count, %u;", 2 * all), sl1_put_span(w);
}

// Goes on in a copy of the loop in which nothing is cached, if nothing was chosen.
static void go_on_plain(Sl1Writer *w, uint32_t inner)
{
    sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_choice, 0x80000000;");
    if (!w->options->per_warp) sl1_vote(w, "all", "%sl1_p");  // lanes that chose nothing stay with the others
    if (inner == NO_BLOCK) {
        sl1_put(w, "@%%sl1_p bra $sl1_n%u;", w->plan->loop[w->loop].head);
        return;
    }
    uint32_t cached = ++w->labels;
    sl1_put(w, "@!%%sl1_p bra $sl1_g%u;", cached);
    sl1_leave_inner(w);  // what was counted need not be kept during the choice
    sl1_put(w, "bra $sl1_q%u_%u;", inner, w->body->flow->loops.v[inner].head);
    sl1_put(w, "$sl1_g%u:", cached);
}

void sl1_choose(Sl1Writer *w, uint32_t inner)
{
    const Sl1Plan *p = w->plan;
    uint32_t at = w->loop * sl1_loop_bytes(p, w->options), chosen = ++w->labels, none = ++w->labels;
    bool warp = w->options->per_warp, chose = !warp && sl1_chooses_inside(w);
    if (inner == NO_BLOCK)
        sl1_put(w, "$sl1_h%u:", w->loop);
    else
        sl1_put(w, "$sl1_j%u:", inner);
    sl1_next_site(w);
    w->keeper = KEEPER_MONITOR;
    if (warp) sl1_find_region(w);
    if (inner == NO_BLOCK && w->options->again) sl1_put(w, "mov.u32 %%sl1_rounds, 0;");
    if (chose) {
        sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_choice, 0;");
        sl1_put(w, "@%%sl1_p bra $sl1_g%u;", chosen);
    }
    if (warp) {
        sl1_put(w, "ld.volatile.shared.u32 %%sl1_choice, [%%sl1_warp+%u];", at);
        sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_choice, 0;");
        sl1_put(w, "@%%sl1_p bra $sl1_g%u;", chosen);
    }
    unpack(w);
    if (warp) add_up(w, at);
    rank(w);
    if (!warp) sl1_load_count(w);
    if (w->options->scattered && p->f->module->sm >= 30) refuse_shared(w);
    sl1_put(w, "mov.b32 %%sl1_choice, 0x80000000;");
    if (w->options->clock) follow_loads(w, none);
    for (uint32_t k = 0; k < p->structures && !w->options->cache_nothing; k++)
        if (may_cache(w, k)) rank_written(w, k);
    if (w->options->clock) sl1_put(w, "$sl1_g%u:", none);
    if (warp) {
        sl1_put(w, "atom.shared.cas.b32 %%sl1_m, [%%sl1_warp+%u], 0, %%sl1_choice;", at);
        sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_m, 0;");
        sl1_put(w, "@%%sl1_p mov.b32 %%sl1_choice, %%sl1_m;");
    }
    if (warp || chose) sl1_put(w, "$sl1_g%u:", chosen);
    if (!w->options->cache_nothing) go_on_plain(w, inner);
    w->keeper = inner == NO_BLOCK ? KEEPER_COMPUTE : KEEPER_INNER;
    if (!warp) sl1_find_region(w);  // not before: what was counted takes registers until then
    put_span_of_all(w);
    for (uint32_t k = 0; k < p->structures; k++) {
        if (!may_cache(w, k)) continue;
        if (w->plan->f->module->sm < 20)  // without bfe
            sl1_put(w, "shr.u32 %%sl1_m, %%sl1_choice, %u;", 4 * k), sl1_put(w, "and.b32 %%sl1_m, %%sl1_m, 15;");
        else
            sl1_put(w, "bfe.u32 %%sl1_m, %%sl1_choice, %u, 4;", 4 * k);
        sl1_put(w, "setp.ne.u32 %%sl1_p, %%sl1_m, 0;");
        sl1_put(w, "sub.u32 %%sl1_m, %%sl1_m, 1;");
        if (sl1_paired(w, k)) sl1_put(w, "mul.lo.u32 %%sl1_m, %%sl1_m, %%sl1_span;");
        if (!sl1_in_registers(w, k))
            sl1_put(w, "mad.lo.u32 %%sl1_m, %%sl1_m, %u, %%sl1_lines;", sl1_paired(w, k) ? 32 : 32 * w->options->line);
        sl1_put(w, "selp.b32 %%sl1_l%u, %%sl1_m, -1, %%sl1_p;", k);
    }
    forget(w, true);
    if (inner == NO_BLOCK)
        sl1_put(w, "bra $sl1_c%u;", p->loop[w->loop].head);
    else
        sl1_put(w, "bra $sl1_i%u_%u;", inner, w->body->flow->loops.v[inner].head);
}

// --- monitoring again ------------------------------------------------------------------------------------------------
bool sl1_monitors_again(const Sl1Writer *w) { return w->options->again && !sl1_strides_choose(w); }

// A warp goes back as one, too.
void sl1_check_rounds(Sl1Writer *w)
{
    if (!sl1_monitors_again(w)) return;
    sl1_next_site(w);
    sl1_put(w, "add.u32 %%sl1_rounds, %%sl1_rounds, 1;");
    sl1_put(w, "setp.gt.u32 %%sl1_p, %%sl1_rounds, %u;", w->options->again);
    sl1_vote(w, "any", "%sl1_p");
    sl1_put(w, "@%%sl1_p bra $sl1_%c%u;", w->slice == SLICE_COMPUTE ? 'r' : 's', w->loop);
}

// Lines are written back, and what was counted and chosen is forgotten. The words of a warp that chooses as one are
// cleared by each lane. Lanes that come after others have chosen choose by what they counted themselves.
void sl1_monitor_again(Sl1Writer *w)
{
    uint32_t bytes = sl1_loop_bytes(w->plan, w->options), at = w->loop * bytes;
    sl1_put(w, "$sl1_r%u:", w->loop);
    sl1_next_site(w);
    w->keeper = KEEPER_COMPUTE;
    sl1_flush(w);
    sl1_put(w, "$sl1_s%u:", w->loop);
    sl1_next_site(w);
    if (w->options->per_warp) {
        sl1_find_region(w);
        sl1_put(w, "mov.u32 %%sl1_m, 0;");
        for (uint32_t k = 0; k < bytes; k += 4) sl1_put(w, "st.volatile.shared.u32 [%%sl1_warp+%u], %%sl1_m;", at + k);
    }
    sl1_begin_monitor(w);
    sl1_put(w, "bra $sl1_m%u;", w->plan->loop[w->loop].head);
}

// --- strides ---------------------------------------------------------------------------------------------------------
// Do this loop's strides choose? Not with the clock setting: strides don't say how long loads take.
bool sl1_strides_choose(const Sl1Writer *w)
{
    return w->options->strides && !w->options->clock && !w->options->cache_nothing && w->plan->loop[w->loop].known;
}

// Only in the kernel itself: functions may be called from more than one loop.
bool sl1_is_poor(const Sl1Writer *w, int k)
{
    if (!w->options->strides || w->alias || k < 0 || !w->body->f->entry) return false;
    int hits = w->plan->loop[w->loop].hits[k];
    return hits != SL1_NOT_KNOWN && hits <= 500;
}

static double worth(const Sl1Writer *w, uint32_t k)
{
    const Sl1Loop *l = &w->plan->loop[w->loop];
    if (!may_cache(w, k) || l->hits[k] <= 500) return 0;
    return l->weight[k] * l->hits[k] * (w->plan->structure[k].written ? 1 : 2);
}

// How many structures get a line in shared memory before k does.
static uint32_t ahead_of(const Sl1Writer *w, uint32_t k)
{
    uint32_t n = 0;
    double own = worth(w, k);
    for (uint32_t j = 0; j < w->plan->structures; j++)
        n += !sl1_in_registers(w, j) && (worth(w, j) > own || (j < k && worth(w, j) >= own));
    return n;
}

// The structures worth most get lines. Only how many lines there are isn't known before the launch.
void sl1_choose_by_strides(Sl1Writer *w)
{
    const Sl1Plan *p = w->plan;
    uint32_t head = p->loop[w->loop].head;
    bool any = false, registers = false;
    sl1_next_site(w);
    w->keeper = KEEPER_COMPUTE;
    sl1_find_region(w);
    put_span_of_all(w);
    for (uint32_t k = 0; k < p->structures; k++) {
        bool good = may_cache(w, k) && worth(w, k) > 0, own = good && sl1_in_registers(w, k);
        any |= good, registers |= own;
        if (may_cache(w, k)) sl1_put(w, "mov.s32 %%sl1_l%u, %d;", k, own ? 0 : -1);
        if (!good || own) continue;
        sl1_put(w, "setp.gt.u32 %%sl1_p, %%sl1_count, %u;", ahead_of(w, k));
        if (sl1_paired(w, k))
            sl1_put(w, "@%%sl1_p mad.lo.u32 %%sl1_l%u, %%sl1_span, %u, %%sl1_lines;", k, 32 * ahead_of(w, k));
        else
            sl1_put(w, "@%%sl1_p add.u32 %%sl1_l%u, %%sl1_lines, %u;", k, ahead_of(w, k) * 32 * w->options->line);
    }
    forget(w, true);
    if (any && !registers) sl1_put(w, "setp.eq.u32 %%sl1_p, %%sl1_count, 0;");
    if (any && !registers) sl1_put(w, "@%%sl1_p bra $sl1_n%u;", head);
    sl1_put(w, "bra $sl1_%c%u;", any ? 'c' : 'n', head);
}
