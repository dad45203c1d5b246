// fault.c: what a kernel did wrong, in words: the kernel, the place in the PTX and the CUDA source, block, thread,
// address and the nearest allocation; and a warp's state for a hang.
#include "exec/unit.h"
#include "names/names.h"

#include <string.h>

Doer exec_doer(const Env *env, const Warp *w, uint32_t lane)
{
    const uint32_t *b = env->launch->block, t = w->tid0 + lane;
    return (Doer){.code = w->code,
                  .pc = w->pc,
                  .block = {w->cta->x, w->cta->y, w->cta->z},
                  .thread = {t % b[0], t / b[0] % b[1], t / b[0] / b[1]}};
}

void exec_fault_late(Env *env, const Doer *by, FaultKind kind, uint64_t cycle, uint64_t address, uint32_t bytes)
{
    if (env->fault.kind != FAULT_NONE) return;
    env->fault = (Fault){.kind = kind,
                         .cycle = cycle,
                         .address = address,
                         .bytes = bytes,
                         .pc = by->pc,
                         .code = by->code,
                         .block = {by->block[0], by->block[1], by->block[2]},
                         .thread = {by->thread[0], by->thread[1], by->thread[2]},
                         .write = true};
}

void exec_fault(Env *env, Warp *w, FaultKind kind, uint32_t lane, uint64_t address, uint32_t bytes, bool write)
{
    if (env->fault.kind != FAULT_NONE) return;
    const Doer by = exec_doer(env, w, lane);
    exec_fault_late(env, &by, kind, env->clock, address, bytes);
    env->fault.lane = lane;
    env->fault.write = write;
    const Dinst *d = &w->code->insts[w->pc];
    const Kernel *k = env->launch->kernel;
    if (d->prov >= 0 && k->f->params.v[d->prov]->bytes == 8)
        memcpy(&env->fault.from, env->launch->params + k->param_at.v[d->prov], 8);
}

void exec_place(const Code *code, uint32_t pc, Text *out)
{
    const Module *m = code->f->module;
    char *name = name_shown(code->f->symbol->name);
    text_put(out, name);
    mem_free(name);
    if (pc >= code->n) {
        text_put(out, " at its end");
        return;
    }
    const Inst *i = &code->f->insts.v[pc];
    SourcePlace place = source_place(&m->source, i->at);
    text_printf(out, " at %s:%d", place.name, place.line);
    const Loc *l = i->loc ? &m->locs.v[i->loc - 1] : NULL;
    if (l && l->line) {  // line 0: the compiler gave it none
        const char *file = file_named(m, l->file);
        text_printf(out, " (%s:%u)", file ? file : "?", l->line);
    }
}

static const struct {
    const char *text;
    bool place;
} faults[] = {
#define FAULT(id, place, cuda, text) [FAULT_##id] = {text, place},
#include "exec/faults.def"
#undef FAULT
};

// What a name in braces of faults.def stands for.
static void put_detail(const Fault *f, const char *name, size_t n, Text *out)
{
#define IS(text) (n == sizeof text - 1 && !memcmp(name, text, n))
    if (IS("access")) text_put(out, f->write ? "write" : "read");
    if (IS("bytes")) text_printf(out, "%u", f->bytes);
    if (IS("address")) text_printf(out, "0x%llx", (unsigned long long)f->address);
    if (IS("number")) text_printf(out, "%llu", (unsigned long long)f->address);
    if (IS("constant")) text_printf(out, "%u", f->code->kernel->image->const_bytes);
    if (IS("params")) text_printf(out, "%u", f->code->kernel->param_bytes);
    if (IS("note")) text_put(out, f->note[0] ? f->note : "trap");
#undef IS
}

static void put_origin(const Fault *f, Text *out)
{
    if (!f->from) return;
    const Symbol *p = f->code->kernel->f->params.v[f->code->insts[f->pc].prov];
    bool before = f->address < f->from;
    char *name = param_shown(f->code->kernel->f->symbol->name, p->name);
    text_printf(out, "\n  the address comes from parameter '%s' (0x%llx): offset %s%llu", name,
                (unsigned long long)f->from, before ? "-" : "",
                (unsigned long long)(before ? f->from - f->address : f->address - f->from));
    mem_free(name);
}

static void put_nearest(const Fault *f, const Gmem *g, Text *out)
{
    const Allocation *a = gmem_near(g, f->address);
    if (!a) return;
    text_printf(out, "\n  nearest allocation: %s%s%s [0x%llx, 0x%llx)%s, ", a->label ? "'" : "",
                a->label ? a->label : gmem_unlabelled(a), a->label ? "'" : "", (unsigned long long)a->start,
                (unsigned long long)a->end, a->freed ? " (freed)" : "");
    if (f->address < a->start)
        text_printf(out, "%llu bytes before its start", (unsigned long long)(a->start - f->address));
    else if (f->address >= a->end)
        text_printf(out, "%llu bytes past its end", (unsigned long long)(f->address - a->end));
    else
        text_printf(out, "at offset %llu", (unsigned long long)(f->address - a->start));
}

void exec_explain(const Fault *f, const Gmem *g, Text *out)
{
    if (f->kind == FAULT_NONE) return;
    for (const char *p = faults[f->kind].text; *p;) {
        size_t plain = strcspn(p, "{"), name = p[plain] ? strcspn(p + plain, "}") - 1 : 0;
        text_add(out, p, plain);
        put_detail(f, p + plain + 1, name, out);
        p += plain + (p[plain] ? name + 2 : 0);
    }
    if (!f->code) return;
    text_put(out, "\n  in ");
    exec_place(f->code, f->pc, out);
    text_printf(out, "\n  block (%u,%u,%u), thread (%u,%u,%u)", f->block[0], f->block[1], f->block[2], f->thread[0],
                f->thread[1], f->thread[2]);
    if (f->pc < f->code->n) {
        text_put(out, "\n  ");
        ptx_print_inst(f->code->f, &f->code->f->insts.v[f->pc], out);
    }
    if (!faults[f->kind].place) return;
    put_origin(f, out);
    put_nearest(f, g, out);
}

static void dump_registers(const Warp *w, const Split *s, Text *out)
{
    const Code *c = s->code;
    Flow *flow = flow_build(c->f);
    flow_live(flow);
    uint32_t pc = MIN(s->pc, c->n ? c->n - 1 : 0);
    const uint64_t *live = c->n ? flow->live_in + flow->block_of[pc] * flow->words : NULL;
    int lane = s->mask ? __builtin_ctz(s->mask) : 0, shown = 0;
    for (uint32_t r = 0; live && r < c->f->regs.n; r++) {
        bool used = live[r >> 6] >> (r & 63) & 1;
        for (uint32_t i = flow->blocks.v[flow->block_of[pc]].first; !used && i <= pc; i++)
            for (int k = 0; k < c->f->insts.v[i].operands; k++)
                used |= c->f->insts.v[i].opnd[k].kind == O_REG && c->f->insts.v[i].opnd[k].reg == r;
        if (!used || c->alloc->place[r] == NO_REG) continue;
        if (!shown) text_printf(out, "    registers of lane %d:", lane);
        if (shown++ % 4 == 0) text_put(out, "\n     ");
        Type t = c->f->regs.v[r].type;
        const uint8_t *frame = w->rows + s->base;
        if (t == TY_PRED) {
            const uint32_t *pred = (const uint32_t *)(frame + c->rows * ROW_BYTES);
            text_printf(out, " %s=%u", c->f->regs.v[r].name, pred[c->alloc->place[r] + PRED_FIRST] >> lane & 1);
        } else if (type_info[t].bits == 64) {
            text_printf(out, " %s=0x%llx", c->f->regs.v[r].name,
                        (unsigned long long)((const uint64_t *)(frame + c->alloc->place[r] * ROW_BYTES))[lane]);
        } else {
            text_printf(out, " %s=0x%x", c->f->regs.v[r].name,
                        ((const uint32_t *)(frame + c->alloc->place[r] * ROW_BYTES))[lane]);
        }
        if (shown == 32) break;
    }
    if (shown) text_put(out, "\n");
    flow_free(flow);
}

// How far a barrier is: a count waits for so many threads, none for all that haven't exited.
static void barrier_text(const Cta *cta, uint32_t id, Text *out)
{
    const Barrier *b = &cta->barrier[id];
    text_printf(out, " %u (%u of %u threads arrived", id, b->arrived, b->expected ? b->expected : cta->live_threads);
    if (cta->live_threads < cta->threads) text_printf(out, ", %u have exited", cta->threads - cta->live_threads);
    text_put(out, ")");
}

static void mbarrier_text(const Cta *cta, uint32_t at, Text *out)
{
    uint32_t pending;
    int32_t bytes;
    mbar_lacks(cta, at, &pending, &bytes);
    text_printf(out, " 0x%x (%u arrivals and %d bytes are to come)", at, pending, bytes);
}

void exec_dump_warp(const Warp *w, Text *out)
{
    static const char *const states[] = {"",
                                         "can run",
                                         "waits for lanes to reconverge",
                                         "waits at barrier",
                                         "waits for lanes of a .sync mask",
                                         "sleeps",
                                         "waits at the mbarrier at shared-memory offset",
                                         "waits at the barrier of the cluster"};
    for (size_t k = 0; k < w->splits.n; k++) {
        Split s = w->splits.v[k];
        if (s.state == SPLIT_FREE || (s.state == SPLIT_KIDS && !s.arrived)) continue;
        if ((int)k == w->cur) s.pc = w->pc, s.mask = w->mask;
        uint32_t mask = s.state == SPLIT_KIDS ? s.arrived : s.mask;
        text_printf(out, "    lanes 0x%08x: %s", mask, states[s.state]);
        if (s.state == SPLIT_BARRIER) barrier_text(w->cta, s.wait, out);
        if (s.state == SPLIT_SYNC) text_printf(out, " 0x%08x", s.wait);
        if (s.state == SPLIT_MBAR) mbarrier_text(w->cta, s.wait, out);
        if (s.state == SPLIT_CLUSTER)
            text_printf(out, " (%u of %u threads arrived)", w->cta->cluster->arrived, w->cta->cluster->live);
        if (s.state >= SPLIT_BARRIER) text_printf(out, " since clock %llu", (unsigned long long)s.since);
        text_put(out, ", in ");
        exec_place(s.code, s.pc, out);
        text_put(out, "\n");
        if (s.pc < s.code->n) {
            text_put(out, "      ");
            ptx_print_inst(s.code->f, &s.code->f->insts.v[s.pc], out);
            text_put(out, "\n");
        }
        if (s.state != SPLIT_KIDS) dump_registers(w, &s, out);
    }
}
