// kernel.c: writes a kernel in which each main loop stands several times. Blocks outside of main loops are copied as
// they are. These replace a main loop: what the monitor needs first, the monitoring slice, the choice, the
// computing slice, and the plain slice, in which nothing is cached. All copies of a block use the same registers, so
// that control can go from the loop's head in one slice to its head in another. Every block gets a label, whose letter
// names the slice: o (original), m, c or n (plain). Ways out of a computing slice lead through a flush, whose label has
// an x; the way back to the monitoring slice has an r or, where there are no lines, an s.
#include "ptx/ops.h"
#include "sl1/unit.h"

#include <stdarg.h>
#include <string.h>

// --- registers -------------------------------------------------------------------------------------------------------
// Registers of each structure:
// - a: the tag, which is the address of the line that it has, or that the monitor supposes; where pointers don't alias
//   only the low half of that address
// - g: the high half, for as long as it is needed
// - h: what the monitor counts, hits and accesses in one register; c: slow loads minus those that would miss
// - n: accesses, while the choice is made
// - l: where the line is in shared memory, or −1
// - b: which bytes of the line were written
// - e: the low half of the next line's address, if that was loaded early; e…_0 and so on: its words
// - o: the low half of the pointer, where lines begin at it
// - u, f: where a leader's bytes are, and whether they or a neighbour's are elsewhere (neighbour.c)
// - w…_0 and so on: the words of a line that is in registers
// And %sl1_span is how many bytes of each structure a thread has: those of a line, or of two. %sl1_rounds counts rounds
// since the last choice, where there is another one.
static void add_registers(Sl1Writer *w)
{
    const Sl1Plan *p = w->plan;
    for (uint32_t k = 0; k < p->structures; k++) {
        if (p->structure[k].barred) continue;
        sl1_add_reg(w, w->alias ? TY_U64 : TY_U32, "%%sl1_a%u", k);
        if (sl1_has_high(w, k)) sl1_add_reg(w, TY_U32, "%%sl1_g%u", k);
        sl1_add_reg(w, TY_U32, "%%sl1_h%u", k), sl1_add_reg(w, TY_U32, "%%sl1_n%u", k),
            sl1_add_reg(w, TY_S32, "%%sl1_l%u", k);
        if (w->options->clock) sl1_add_reg(w, TY_U32, "%%sl1_c%u", k);
        if (sl1_has_bitmap(w, k)) sl1_add_reg(w, TY_B32, "%%sl1_b%u", k);
        if (w->options->line == 24) sl1_add_reg(w, TY_U32, "%%sl1_o%u", k);
        if (w->options->neighbours) sl1_add_reg(w, TY_B32, "%%sl1_u%u", k), sl1_add_reg(w, TY_PRED, "%%sl1_f%u", k);
        for (uint32_t word = 0; word < w->options->line / 4 && sl1_in_registers(w, k); word++)
            sl1_add_reg(w, TY_B32, "%%sl1_w%u_%u", k, word);
        if (!sl1_has_next(w, k)) continue;
        sl1_add_reg(w, TY_U32, "%%sl1_e%u", k);
        for (uint32_t word = 0; word < w->options->line / 4; word++) sl1_add_reg(w, TY_B32, "%%sl1_e%u_%u", k, word);
    }
    sl1_add_reg(w, TY_B32, "%%sl1_choice"), sl1_add_reg(w, TY_B32, "%%sl1_span");
    if (w->options->again) sl1_add_reg(w, TY_U32, "%%sl1_rounds");
    sl1_add_reg(w, TY_PRED, "%%sl1_p"), sl1_add_reg(w, TY_PRED, "%%sl1_q");
}

bool sl1_has_bitmap(const Sl1Writer *w, uint32_t structure)
{
    const Sl1Plan *p = w->plan;
    bool any = p->stores_unknown || p->structure[structure].written;
    for (uint32_t k = 0; k < p->structures && w->alias; k++) any |= p->structure[k].written;
    return any;
}

// The high half of a tag is needed to write the line back, and to tell the line from one that a pointer of unknown
// origin leads to.
bool sl1_has_high(const Sl1Writer *w, uint32_t structure)
{
    return !w->alias && (sl1_has_bitmap(w, structure) || w->plan->unknown);
}

// Only a structure that nothing writes to is loaded early: memory must not change before the line is used.
bool sl1_has_next(const Sl1Writer *w, uint32_t structure)
{
    return w->options->prefetch && w->options->line != 24 && !w->alias && !sl1_has_bitmap(w, structure) &&
           !sl1_paired(w, structure);
}

uint32_t sl1_loop_bytes(const Sl1Plan *p, const Sl1Options *o) { return 4 * (1 + sl1_counts(o) * p->structures); }
uint32_t sl1_warp_bytes(const Sl1Plan *p, const Sl1Options *o)
{
    return o->per_warp ? p->loops * sl1_loop_bytes(p, o) : 0;
}

// --- lines of PTX ----------------------------------------------------------------------------------------------------
static void note_origin(Sl1Writer *w)
{
    origin_put(w->out == &w->aside ? &w->aside_origins : w->origins, w->out, w->source, w->loc);
}

// What is written from now on comes from this instruction; null: it is our own.
static void begin_origin(Sl1Writer *w, const Inst *i)
{
    w->source = i ? i->at : NO_ORIGIN;
    w->loc = i ? i->loc : 0;
}

void sl1_put(Sl1Writer *w, const char *format, ...)
{
    va_list args;
    Text line = {0};
    note_origin(w);
    va_start(args, format);
    text_vprintf(&line, format, args);
    va_end(args);
    text_put(w->out, format[0] == '$' ? "" : "    ");
    sl1_put_named(w, line.v);
    text_put(w->out, "\n");
    text_free(&line);
}

void sl1_put_inst(Sl1Writer *w, const Inst *i)
{
    note_origin(w);
    text_put(w->out, "    ");
    ptx_print_inst(&w->view, i, w->out);
    text_put(w->out, "\n");
}

// --- labels ----------------------------------------------------------------------------------------------------------
// The label of block b for jumps from the current slice.
static void name_block(const Sl1Writer *w, uint32_t b, Text *out)
{
    bool inside = w->slice != SLICE_ORIGINAL && w->body->loop_of[b] == (int)w->loop;
    static const char kinds[] = {'o', 'm', 'c', 'n', 'm'};
    if (w->inside && (w->inside[b] || w->slice == SLICE_COMPUTE))
        text_printf(out, "$sl1_%c%u_%u", w->slice == SLICE_QUIET ? 'q' : w->inside[b] ? 'i' : 'y', w->inner, b);
    else if (!inside && w->slice == SLICE_COMPUTE)
        text_printf(out, "$sl1_x%u_%u", w->loop, b);  // several loops may have a way out to the same block
    else
        text_printf(out, "$sl1_%c%u", inside ? kinds[w->slice] : 'o', b);
}

static uint32_t block_at(const Sl1Body *b, uint32_t inst)
{
    return inst < b->f->insts.n ? b->flow->block_of[inst] : (uint32_t)b->flow->blocks.n - 1;
}

// A block that can't be reached isn't written: it may branch into the middle of a main loop, where the slices have no
// label.
static bool is_reached(const Sl1Writer *w, uint32_t b) { return !b || w->body->flow->blocks.v[b].idom != NO_BLOCK; }

static bool is_plain(const Sl1Writer *w, uint32_t b) { return w->body->loop_of[b] < 0 && is_reached(w, b); }

static void free_labels(Sl1Writer *w)
{
    for (size_t k = 0; k < w->view.labels.n; k++) mem_free((char *)w->view.labels.v[k].name);
    vec_free(&w->view.labels);
}

static void enter_slice(Sl1Writer *w, Slice slice, uint32_t loop)
{
    const Function *f = w->body->f;
    free_labels(w);
    w->slice = slice, w->loop = loop;
    w->keeper = slice != SLICE_COMPUTE ? KEEPER_MONITOR : w->inside ? KEEPER_INNER : KEEPER_COMPUTE;
    for (size_t k = 0; k < f->labels.n; k++) {
        Text name = {0};
        name_block(w, block_at(w->body, f->labels.v[k].inst), &name);
        vec_push(&w->view.labels, ((Label){name.v, f->labels.v[k].inst, f->labels.v[k].at, true}));
    }
}

// --- blocks ----------------------------------------------------------------------------------------------------------
static bool makes_visible(const Inst *i)
{
    return op_has(i->op, P_ORDER) || (sl1_is_strong(i) && i->mod[G_SEM] != M_RELAXED && i->mod[G_SEM] != M_VOLATILE);
}

// What is written instead of an instruction, or before it, must not happen if its guard is false: a branch leads
// around it.
static uint32_t begin_guard(Sl1Writer *w, const Inst *i)
{
    if (!i->guarded) return 0;
    sl1_put(w, "@%s%s bra $sl1_g%u;", i->guard_negated ? "" : "!", reg_name(&w->view, i->guard), ++w->labels);
    return w->labels;
}

static void end_guard(Sl1Writer *w, uint32_t label)
{
    if (label) sl1_put(w, "$sl1_g%u:", label);
}

// Where pointers may alias, a structure that is never cached may still be in the lines of others. Its plain accesses
// look them up. Before its atomics and volatile accesses such lines are written back, so that memory is as the thread
// left it.
static bool goes_past(const Sl1Writer *w, const Inst *i, int s)
{
    return w->alias && w->slice == SLICE_COMPUTE && (sl1_is_atomic(i) || (s != SL1_OTHER && sl1_is_strong(i)));
}

static int looked_up_as(const Sl1Writer *w, int s)
{
    return s >= 0 && w->plan->structure[s].barred && w->alias && w->slice == SLICE_COMPUTE ? SL1_UNKNOWN : s;
}

static void write_inst(Sl1Writer *w, const Inst *i, uint32_t n)
{
    int s = looked_up_as(w, w->body->access[n]), call = w->body->call[n];
    bool copied = w->slice == SLICE_MONITOR || w->slice == SLICE_COMPUTE, function = !w->body->f->entry;
    bool cached = s != SL1_OTHER && !sl1_is_poor(w, s) && !(s >= 0 && w->plan->structure[s].barred) &&
                  (w->slice == SLICE_COMPUTE || s >= 0);
    bool returns = i->op == OP_RET && function, ends = op_has(i->op, P_LEAVE) && !returns && (i->guarded || function);
    bool flush = w->slice == SLICE_COMPUTE && (makes_visible(i) || call == SL1_OPAQUE || ends),
         past = goes_past(w, i, s) && !flush;
    if (copied && sl1_move_result(w, i)) return;
    if (!copied || !(cached || flush || past || call > 0 || returns)) {
        sl1_put_inst(w, i);
        return;
    }
    sl1_next_site(w);
    uint32_t skip = begin_guard(w, i);
    Inst plain = *i;
    plain.guarded = false;
    if (flush) sl1_flush(w);
    if (returns) sl1_state_out(w);
    if (past) {
        sl1_address(w, i);
        sl1_go_past(w, &plain, SL1_UNKNOWN);
    } else if (call > 0) {
        sl1_call(w, &plain, (uint32_t)call);
    } else if (!cached) {
        sl1_put_inst(w, &plain);
    } else if (w->slice == SLICE_MONITOR) {
        sl1_address(w, i);
        sl1_simulate(w, (uint32_t)s);  // before the access itself, since a load may overwrite its address
        sl1_put_timed(w, &plain, (uint32_t)s);
    } else {
        sl1_access(w, &plain, s, &w->near[n]);
    }
    end_guard(w, skip);
}

// Writes block b of the current slice. next: the block that is written behind it, or NO_BLOCK.
static void write_block(Sl1Writer *w, uint32_t b, uint32_t next)
{
    const Block *block = &w->body->flow->blocks.v[b];
    Text name = {0};
    name_block(w, b, &name);
    text_printf(w->out, "%s:\n", name.v);
    text_free(&name);
    bool head = w->body->f->entry && b == w->plan->loop[w->loop].head;
    if (w->slice == SLICE_MONITOR && head) sl1_check_monitor(w);
    if ((w->slice == SLICE_COMPUTE || w->slice == SLICE_PLAIN) && !w->inside && head) sl1_check_rounds(w);
    if (w->slice == SLICE_MONITOR && w->body->f->entry && w->plan->quiet[block->loop] &&
        b == w->body->flow->loops.v[block->loop].head)
        sl1_check_inner(w, block->loop);
    for (uint32_t n = block->first; n < block->last; n++) {
        const Inst *i = &w->body->f->insts.v[n];
        begin_origin(w, i);
        write_inst(w, i, n);
    }
    begin_origin(w, NULL);
    const Inst *last = &w->body->f->insts.v[block->last - 1];
    bool ends = op_has(last->op, P_BRANCH | P_LEAVE) && !last->guarded;
    if (ends || b + 1 == next) return;
    name_block(w, b + 1, &name);
    sl1_put(w, "bra %s;", name.v);
    text_free(&name);
}

static void write_aside(Sl1Writer *w)
{
    origins_move(w->origins, &w->aside_origins, w->out->n);
    if (w->aside.n) text_add(w->out, w->aside.v, w->aside.n);
    text_free(&w->aside), vec_free(&w->aside_origins);
}

// --- a main loop -----------------------------------------------------------------------------------------------------
static bool is_in_slice(const Sl1Writer *w, uint32_t b)
{
    return w->inside ? w->inside[b] : w->body->loop_of[b] == (int)w->loop;
}

static void write_loop_slice(Sl1Writer *w, Slice slice, uint32_t loop)
{
    const Flow *flow = w->body->flow;
    enter_slice(w, slice, loop);
    for (uint32_t b = 0; b + 1 < flow->blocks.n; b++) {
        if (!is_in_slice(w, b)) continue;
        bool more = b + 2 < flow->blocks.n && is_in_slice(w, b + 1);
        write_block(w, b, more ? b + 1 : NO_BLOCK);
    }
    write_aside(w);
}

// Ways out of the cached copy of an inner loop, to the rest of the round. Lines end, since that is monitored.
static void write_inner_exits(Sl1Writer *w, uint32_t loop)
{
    const Flow *flow = w->body->flow;
    for (uint32_t b = 0; b < flow->blocks.n; b++) {
        bool exit = false;
        for (size_t k = 0; k < flow->blocks.v[b].pred.n && !w->inside[b]; k++)
            exit |= w->inside[flow->blocks.v[b].pred.v[k]];
        if (!exit) continue;
        bool stays = w->body->loop_of[b] == (int)loop;
        sl1_put(w, "$sl1_y%u_%u:", w->inner, b);
        sl1_next_site(w);
        w->keeper = KEEPER_INNER;
        sl1_flush(w);
        if (stays) sl1_leave_inner(w);
        sl1_put(w, "bra $sl1_%c%u;", stays ? 'm' : 'o', b);
    }
}

// Copies of the inner loops, with a choice in front: inner.c.
static void write_inner(Sl1Writer *w, uint32_t loop)
{
    const Flow *flow = w->body->flow;
    for (uint32_t k = 0; k < flow->loops.n; k++) {
        if (!w->plan->quiet[k] || w->body->loop_of[flow->loops.v[k].head] != (int)loop) continue;
        const Loop *l = &flow->loops.v[k];
        w->inner = k, w->inside = mem_alloc(flow->blocks.n);
        for (size_t j = 0; j < l->blocks.n; j++) w->inside[l->blocks.v[j]] = true;
        bool chooses = sl1_chooses_at(l);
        if (chooses) sl1_choose(w, k), write_loop_slice(w, SLICE_COMPUTE, loop), write_inner_exits(w, loop);
        if (!chooses || !w->options->cache_nothing) write_loop_slice(w, SLICE_QUIET, loop);
        mem_free(w->inside), w->inside = NULL;
        enter_slice(w, SLICE_ORIGINAL, loop);
    }
}

static void write_exits(Sl1Writer *w, uint32_t loop)
{
    const Flow *flow = w->body->flow;
    for (uint32_t b = 0; b < flow->blocks.n; b++) {
        bool exit = false;
        for (size_t k = 0; k < flow->blocks.v[b].pred.n && w->body->loop_of[b] != (int)loop; k++)
            exit |= w->body->loop_of[flow->blocks.v[b].pred.v[k]] == (int)loop;
        if (!exit || (b + 1 == flow->blocks.n && !flow->blocks.v[b].pred.n)) continue;
        sl1_put(w, "$sl1_x%u_%u:", loop, b);
        sl1_next_site(w);
        sl1_flush(w);
        sl1_put(w, "bra $sl1_o%u;", b);
    }
}

// Writes what stands before a computing slice: the monitoring slice with the choice, or the choice by strides alone.
static void write_choice(Sl1Writer *w, uint32_t loop)
{
    w->loop = loop;
    if (sl1_strides_choose(w)) {
        sl1_choose_by_strides(w);
        return;
    }
    sl1_begin_monitor(w);
    sl1_put(w, "bra $sl1_m%u;", w->plan->loop[loop].head);
    write_loop_slice(w, SLICE_MONITOR, loop);
    write_inner(w, loop);
    sl1_choose(w, NO_BLOCK);
}

static void write_loop(Sl1Writer *w, uint32_t loop)
{
    sl1_put(w, "$sl1_o%u:", w->plan->loop[loop].head);
    write_choice(w, loop);
    write_loop_slice(w, SLICE_COMPUTE, loop);
    write_exits(w, loop);
    if (!w->options->cache_nothing) write_loop_slice(w, SLICE_PLAIN, loop);
    if (sl1_monitors_again(w)) sl1_monitor_again(w);
    enter_slice(w, SLICE_ORIGINAL, 0);
}

// --- the kernel ------------------------------------------------------------------------------------------------------
static void load_param(Sl1Writer *w, const char *to, const char *param)
{
    const char *suffix = w->alias ? SL1_ALIAS : SL1_APART;
    sl1_put(w, "ld.param.u32 %s, [%s%s$%s];", to, w->plan->f->symbol->name, suffix, param);
}

void sl1_load_count(Sl1Writer *w) { load_param(w, "%sl1_count", "sl1_lines"); }

// With pairs %sl1_lines is the warp's first line, and %sl1_t the thread's lane. They are computed at a choice, and
// where warps choose at the kernel's beginning, too: registers that hold the result in between would cost more.
void sl1_find_region(Sl1Writer *w)
{
    uint32_t bytes = sl1_warp_bytes(w->plan, w->options), line = w->options->line, align = sl1_align(w->options);
    sl1_put(w, "mov.u32 %%sl1_t, %%tid.y;");
    sl1_put(w, "mov.u32 %%sl1_m, %%tid.z;");
    sl1_put(w, "mov.u32 %%sl1_v0, %%ntid.y;");
    sl1_put(w, "mad.lo.u32 %%sl1_t, %%sl1_m, %%sl1_v0, %%sl1_t;");
    sl1_put(w, "mov.u32 %%sl1_v1, %%ntid.x;");
    sl1_put(w, "mov.u32 %%sl1_m, %%tid.x;");
    sl1_put(w, "mad.lo.u32 %%sl1_t, %%sl1_t, %%sl1_v1, %%sl1_m;");  // %sl1_t is the thread's number in its block
    sl1_put(w, "mul.lo.u32 %%sl1_v1, %%sl1_v1, %%sl1_v0;");
    sl1_put(w, "mov.u32 %%sl1_v0, %%ntid.z;");
    sl1_put(w, "mad.lo.u32 %%sl1_v1, %%sl1_v1, %%sl1_v0, 31;");
    sl1_put(w, "shr.u32 %%sl1_v1, %%sl1_v1, 5;");  // warps of a block
    sl1_put(w, "shr.u32 %%sl1_v0, %%sl1_t, 5;");   // the thread's
    load_param(w, "%sl1_warp", "sl1_region");
    sl1_load_count(w);
    sl1_put(w, "mov.u32 %%sl1_m, sl1_shared;");
    sl1_put(w, "add.u32 %%sl1_warp, %%sl1_warp, %%sl1_m;");
    sl1_put(w, "mad.lo.u32 %%sl1_lines, %%sl1_v1, %u, %u;", bytes, align - 1);
    sl1_put(w, "and.b32 %%sl1_lines, %%sl1_lines, -%u;", align);
    sl1_put(w, "add.u32 %%sl1_lines, %%sl1_lines, %%sl1_warp;");
    sl1_put(w, "mad.lo.u32 %%sl1_warp, %%sl1_v0, %u, %%sl1_warp;", bytes);
    sl1_put(w, "mul.lo.u32 %%sl1_m, %%sl1_count, %u;", 32 * line);
    sl1_put(w, "mad.lo.u32 %%sl1_lines, %%sl1_v0, %%sl1_m, %%sl1_lines;");
    sl1_put(w, "and.b32 %%sl1_t, %%sl1_t, 31;");
    if (!sl1_pairs(w)) sl1_put(w, "mad.lo.u32 %%sl1_lines, %%sl1_t, %u, %%sl1_lines;", w->options->banks ? 4 : line);
}

// A warp's choices begin as zero, which means that they aren't made yet.
static void write_prologue(Sl1Writer *w)
{
    uint32_t bytes = sl1_warp_bytes(w->plan, w->options);
    if (bytes) sl1_find_region(w), sl1_put(w, "mov.u32 %%sl1_m, 0;");
    for (uint32_t at = 0; at < bytes; at += 4) sl1_put(w, "st.shared.u32 [%%sl1_warp+%u], %%sl1_m;", at);
    if (bytes) sl1_put(w, "bar.sync 0;");
    for (uint32_t k = 0; k < w->plan->structures && w->options->line == 24; k++) {
        if (w->plan->structure[k].barred) continue;
        sl1_put(w, "ld.param.u64 %%sl1_x, [%s];", w->plan->f->params.v[w->plan->structure[k].param]->name);
        sl1_put(w, "cvt.u32.u64 %%sl1_o%u, %%sl1_x;", k);
    }
}

// --- functions and the kernel ----------------------------------------------------------------------------------------
static void open_body(Sl1Writer *w, const Sl1Body *b)
{
    w->body = b;
    w->view = *b->f;
    memset(&w->view.regs, 0, sizeof w->view.regs), memset(&w->view.labels, 0, sizeof w->view.labels);
    for (size_t r = 0; r < b->f->regs.n; r++) vec_push(&w->view.regs, b->f->regs.v[r]);
    add_registers(w);
    w->place = "%sl1_s";
    sl1_find_neighbours(w);
}

static void close_body(Sl1Writer *w)
{
    for (size_t r = w->body->f->regs.n; r < w->view.regs.n; r++) mem_free((char *)w->view.regs.v[r].name);
    free_labels(w);
    map_free(&w->own);
    mem_free(w->near);
    vec_free(&w->view.regs), vec_free(&w->view.labels);
}

// A branch that can't be reached isn't written; its table is left out, too, since it may name labels that don't exist.
static void print_declarations(const Sl1Writer *w, Text *out)
{
    const Function *f = w->body->f;
    bool *used = mem_alloc(f->tables.n + 1);
    for (size_t n = 0; n < f->insts.n; n++)
        if (op_has(f->insts.v[n].op, P_TABLE) && is_reached(w, w->body->flow->block_of[n]))
            used[f->insts.v[n].opnd[1].reg] = true;
    Function view = w->view;
    memset(&view.tables, 0, sizeof view.tables), memset(&view.table_names, 0, sizeof view.table_names);
    for (size_t k = 0; k < f->tables.n; k++) {
        if (!used[k]) continue;
        vec_push(&view.tables, f->tables.v[k]);
        vec_push(&view.table_names, f->table_names.v[k]);
    }
    ptx_print_declarations(&view, out);
    vec_free(&view.tables), vec_free(&view.table_names);
    mem_free(used);
}

// A body is written before its declarations: only then is it known which temporaries it has.
typedef struct Held {
    Text body, *out;
    LineOrigins inside, *origins;
} Held;

static void hold_body(Sl1Writer *w, Held *h)
{
    *h = (Held){.out = w->out, .origins = w->origins};
    w->out = &h->body;
    if (w->origins) w->origins = &h->inside;
}

static void put_body(Sl1Writer *w, Held *h)
{
    w->out = h->out, w->origins = h->origins;
    print_declarations(w, w->out);
    origins_move(w->origins, &h->inside, w->out->n);
    text_add(w->out, h->body.v, h->body.n);
    text_free(&h->body), vec_free(&h->inside);
}

static void write_function(Sl1Writer *w, uint32_t body)
{
    const Sl1Body *b = w->plan->bodies.v[body];
    uint32_t blocks = (uint32_t)b->flow->blocks.n - 1;
    open_body(w, b);
    enter_slice(w, w->slice, 0);
    text_put(w->out, "\n");
    origin_put(w->origins, w->out, b->f->symbol->at, 0);
    sl1_write_head(w, body, w->out);
    text_put(w->out, "\n{\n");
    Held held;
    hold_body(w, &held);
    sl1_declare_results(w);
    sl1_state_in(w);
    for (uint32_t k = 0; k < blocks; k++)
        if (is_reached(w, k)) write_block(w, k, k + 1);
    text_printf(w->out, "$sl1_%c%u:\n", w->slice == SLICE_MONITOR ? 'm' : 'c', blocks);
    sl1_state_out(w);
    sl1_put(w, "ret;");
    write_aside(w);
    put_body(w, &held);
    text_put(w->out, "}\n");
    close_body(w);
}

// Writes the functions of a slice, and for each loop the slice with its ways in or out.
void sl1_write_slice(const Sl1Plan *p, const Sl1Options *o, bool alias, Slice slice, Text *out)
{
    Sl1Writer w = {.plan = p, .options = o, .alias = alias, .out = out, .source = NO_ORIGIN};
    for (uint32_t k = 1; k < p->bodies.n && slice != SLICE_PLAIN; k++) w.slice = slice, write_function(&w, k);
    open_body(&w, p->bodies.v[0]);
    for (uint32_t k = 0; k < p->loops; k++) {
        if (p->loop[k].left) continue;
        text_printf(out, "// loop %u\n", k);
        enter_slice(&w, SLICE_ORIGINAL, k);
        if (slice == SLICE_MONITOR)
            write_choice(&w, k);
        else
            write_loop_slice(&w, slice, k);
        if (slice == SLICE_COMPUTE) write_exits(&w, k);
    }
    close_body(&w);
}

static void write_functions(Sl1Writer *w)
{
    static const Slice slices[] = {SLICE_MONITOR, SLICE_COMPUTE};
    for (int body = 0; body < 2; body++)  // all heads first, since the functions call each other
        for (int s = 0; s < 2; s++)
            for (uint32_t k = 1; k < w->plan->bodies.n; k++) {
                w->slice = slices[s], w->body = w->plan->bodies.v[k];
                if (body)
                    write_function(w, k);
                else
                    sl1_write_head(w, k, w->out), text_put(w->out, ";\n");
            }
}

void sl1_write_kernel(const Sl1Plan *p, const Sl1Options *o, bool alias, uint32_t cap, Text *out, LineOrigins *origins)
{
    Sl1Writer w = {.plan = p, .options = o, .alias = alias, .out = out, .origins = origins, .source = NO_ORIGIN};
    const Function *f = p->f;
    const Sl1Body *kernel = p->bodies.v[0];
    const char *suffix = alias ? SL1_ALIAS : SL1_APART;
    Text params = {0}, own = {0};
    write_functions(&w);
    open_body(&w, kernel);
    text_printf(&own, "%s%s", f->symbol->name, suffix);
    text_printf(&params, ".param .u32 %s$sl1_region, .param .u32 %s$sl1_lines", own.v, own.v);
    origin_put(origins, out, f->symbol->at, 0);
    ptx_print_head(f, suffix, params.v, out);
    if (cap) text_printf(out, "\n.maxnreg %u", cap);
    text_put(out, "\n{\n");
    Held held;
    hold_body(&w, &held);
    for (int s = SLICE_MONITOR; s <= SLICE_COMPUTE; s++) w.slice = (Slice)s, sl1_declare_results(&w);
    enter_slice(&w, SLICE_ORIGINAL, 0);
    write_prologue(&w);
    uint32_t blocks = (uint32_t)kernel->flow->blocks.n - 1;
    bool *written = mem_alloc(p->loops + 1);
    for (uint32_t b = 0; b < blocks; b++) {
        int loop = kernel->loop_of[b];
        if (b == 0 && loop >= 0) sl1_put(&w, "bra $sl1_o0;");
        if (loop < 0 && is_reached(&w, b))
            write_block(&w, b, b + 1 == blocks || is_plain(&w, b + 1) ? b + 1 : NO_BLOCK);
        else if (loop >= 0 && !written[loop])
            written[loop] = true, write_loop(&w, (uint32_t)loop);
    }
    text_printf(w.out, "$sl1_o%u:\n", blocks);
    sl1_put(&w, "ret;");
    put_body(&w, &held);
    text_put(out, "}\n");
    mem_free(written);
    close_body(&w);
    text_free(&params), text_free(&own);
}
