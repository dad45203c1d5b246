// reference.c: see reference.h.
//
// A run is defined where no thread touches a byte that another one writes, whether or not a barrier or an atomic is
// between them, so that no order of threads matters; where shared memory is written before it is read, and what is read
// through the read-only path isn't written; and where no shuffle reads a lane that takes no part.
#include "reference.h"
#include "ptx/ops.h"

#include "device/sim.h"

#include <string.h>

// --- the text alone --------------------------------------------------------------------------------------------------
static const char *open_operand(const Inst *i, const Operand *o)
{
    const char *why = NULL;
    for (int k = 0; k < o->count && o->items && !why; k++) why = open_operand(i, &o->items[k]);
    if (why) return why;
    if (o->kind == O_SREG) {
        switch ((Sreg)o->reg) {
        case SR_CLOCK:
        case SR_CLOCK_HI:
        case SR_CLOCK64:
        case SR_GLOBALTIMER:
        case SR_GLOBALTIMER_LO:
        case SR_GLOBALTIMER_HI: return "it reads a clock";
        case SR_WARPID:
        case SR_NWARPID:
        case SR_SMID:
        case SR_GRIDID: return "it reads where it runs";
        case SR_DYNAMIC_SMEM:
        case SR_TOTAL_SMEM:
        case SR_AGGR_SMEM: return "it reads how much shared memory there is";
        default: return NULL;
        }
    }
    bool space = o->sym && (o->sym->space == SP_LOCAL || o->sym->space == SP_PARAM);
    if (o->kind == O_SYM && space) return "it takes the address of a local variable or a parameter";
    if (o->kind == O_ADDR && o->sym && o->sym->space == SP_LOCAL) {
        uint64_t bytes = (uint64_t)type_bytes(i->type) * MAX(i->vec, 1);
        if (o->imm > o->sym->bytes || bytes > o->sym->bytes - o->imm) return "it accesses past a local variable";
    }
    if (o->kind == O_ADDR && !o->sym && i->space == SP_LOCAL) return "it accesses local memory by number";
    return NULL;
}

static const char *open_inst(const Inst *i)
{
    switch ((Op)i->op) {
    case OP_CP_ASYNC:
    case OP_CP_ASYNC_COMMIT:
    case OP_CP_ASYNC_WAIT:
    case OP_CP_ASYNC_WAIT_ALL: return "it copies asynchronously";
    case OP_ACTIVEMASK:
    case OP_ELECT: return "it asks who is there";
    case OP_SHFL:
    case OP_VOTE:
    case OP_MATCH:
        if (!inst_has(i, G_SYNC)) return "lanes exchange with those that happen to be there";
        break;
    case OP_DISCARD: return "it leaves memory undefined";
    case OP_NANOSLEEP: return "it waits for time to pass";
    case OP_CVTA:
        if (i->space == SP_LOCAL || i->space == SP_PARAM) return "it makes addresses of local memory or parameters";
        break;
    default: break;
    }
    const char *why = NULL;
    for (int o = 0; o < i->operands && !why; o++) why = open_operand(i, &i->opnd[o]);
    return why;
}

const char *open_ended(const Module *m)
{
    for (size_t k = 0; k < m->functions.n; k++) {
        const Function *f = m->functions.v[k];
        if (!f->entry && !f->has_body) return "it calls what isn't there";
        for (size_t n = 0; n < f->insts.n; n++) {
            const char *why = open_inst(&f->insts.v[n]);
            if (why) return why;
        }
    }
    return NULL;
}

// --- everything set --------------------------------------------------------------------------------------------------
enum { MOST_BYTES = 64 };  // of a variable

static bool put_zeros(const Symbol *s, const char *space, Text *out)
{
    if (s->bytes > MOST_BYTES) return false;
    for (uint64_t k = 0; k < s->bytes; k++)
        text_printf(out, "    st.%s.b8 [%s+%llu], 0;\n", space, s->name, (unsigned long long)k);
    return true;
}

static bool put_setup(const Function *f, Text *out)
{
    const char *carry = NULL;
    for (size_t r = 0; r < f->regs.n; r++) {
        const char *name = f->regs.v[r].name;
        int bits = type_info[f->regs.v[r].type].bits, value = (int)(r * 37 % 61);
        switch (bits) {
        case 1: text_printf(out, "    setp.eq.u32 %s, %d, 0;\n", name, value % 2); break;
        case 8: return false;
        case 16:
        case 32:
        case 64: text_printf(out, "    mov.b%d %s, %d;\n", bits, name, value); break;
        default: return false;
        }
        if (f->regs.v[r].type == TY_B32 || f->regs.v[r].type == TY_U32) carry = name;
    }
    if (carry) text_printf(out, "    add.cc.u32 %s, 7, 0;\n", carry);
    for (size_t n = 0; n < f->insts.n; n++)
        if (!carry && (inst_has(&f->insts.v[n], G_CC) || f->insts.v[n].op == OP_ADDC || f->insts.v[n].op == OP_SUBC ||
                       f->insts.v[n].op == OP_MADC))
            return false;
    for (size_t k = 0; k < f->rets.n; k++)
        if (f->rets.v[k]->space == SP_PARAM && !put_zeros(f->rets.v[k], "param", out)) return false;
    for (size_t k = 0; k < f->locals.n; k++) {
        const Symbol *s = f->locals.v[k];
        if (s->space == SP_PARAM && !put_zeros(s, "param", out)) return false;
        if (s->space == SP_LOCAL && !put_zeros(s, "local", out)) return false;
    }
    return true;
}

bool put_initialised(const Module *m, Text *out)
{
    bool good = true;
    ptx_print(m, out);
    for (size_t k = 0; k < m->items.n && good; k++) {
        const Function *f = m->items.v[k].function;
        if (!f || !f->has_body) continue;
        Text whole = {0}, head = {0}, setup = {0}, next = {0};
        ptx_print_function(f, &whole);
        ptx_print_head(f, "", "", &head);
        text_put(&head, "\n{\n");
        ptx_print_declarations(f, &head);
        good = put_setup(f, &setup);
        const char *at = strstr(out->v, whole.v);
        good = good && at;
        if (good) {
            text_add(&next, out->v, (size_t)(at - out->v) + head.n);
            if (setup.n) text_add(&next, setup.v, setup.n);
            text_put(&next, at + head.n);
            text_free(out);
            *out = next;
        }
        text_free(&whole), text_free(&head), text_free(&setup);
    }
    return good;
}

// --- who touched what ------------------------------------------------------------------------------------------------
enum { NOBODY, SEVERAL = 254, READ_ONLY = 255 };  // else a thread's number + 1
typedef struct Cell {                             // 8 bytes of global memory, or of a block's shared memory
    uint64_t key;                                 // its number + 1; 0: free
    uint8_t writer[8], reader[8];
} Cell;
typedef struct Trace {
    Cell *cells;
    size_t n, size;
    const char *undefined;
} Trace;

static Cell *cell_of(Trace *t, uint64_t key)
{
    if (2 * t->n >= t->size) {
        Trace old = *t;
        t->size = MAX(2 * old.size, 4096), t->n = 0;
        t->cells = mem_alloc(t->size * sizeof *t->cells);
        for (size_t k = 0; k < old.size; k++)
            if (old.cells[k].key) *cell_of(t, old.cells[k].key) = old.cells[k];
        mem_free(old.cells);
    }
    size_t at = (key * 0x9e3779b97f4a7c15u >> 20) & (t->size - 1);
    while (t->cells[at].key && t->cells[at].key != key) at = (at + 1) & (t->size - 1);
    if (!t->cells[at].key) t->n++, t->cells[at].key = key;
    return &t->cells[at];
}

static void touch(Trace *t, Space space, uint64_t block, uint64_t address, uint32_t bytes, uint8_t who, bool reads,
                  bool writes, bool read_only)
{
    for (uint64_t a = address; a < address + bytes; a++) {
        Cell *c = cell_of(t, space == SP_SHARED ? ~(a / 8 | block << 40) : a / 8 + 1);
        uint8_t *writer = &c->writer[a % 8], *reader = &c->reader[a % 8];
        if (*writer && *writer != who) t->undefined = "threads meet in memory";
        if (writes && *reader && *reader != who) t->undefined = "threads meet in memory";
        if (reads && !*writer && space == SP_SHARED) t->undefined = "it reads shared memory that nobody wrote";
        if (read_only && *writer) t->undefined = "it reads what it wrote through the read-only path";
        if (reads)
            *reader = read_only                    ? READ_ONLY
                      : !*reader || *reader == who ? who
                      : *reader == READ_ONLY       ? READ_ONLY
                                                   : SEVERAL;
        if (writes) *writer = who;
    }
}

static void look(Trace *t, const Env *env, const Warp *w)
{
    const Step *s = &env->step;
    if (s->result == STEP_FAULT || s->space == SP_NONE || s->d->kind == X_LD_PARAM || s->d->kind == X_PREFETCH) return;
    if (s->space == SP_LOCAL && s->d->space == SP_GENERIC) t->undefined = "it accesses local memory by number";
    if (s->other_mask) t->undefined = "lanes access several spaces at once";
    if (s->space != SP_GLOBAL && s->space != SP_SHARED) return;
    bool atomic = s->d->kind == X_ATOM, store = s->d->kind == X_ST;
    for (uint32_t m = s->mask; m; m &= m - 1) {
        uint32_t lane = (uint32_t)__builtin_ctz(m);
        uint64_t block = w->cta->number;
        touch(t, (Space)s->space, block, s->addr[lane], s->bytes,
              (uint8_t)(block * w->cta->threads + w->tid0 + lane + 1), !store, store || atomic,
              s->d->flags & D_READONLY);
    }
}

// --- the run ---------------------------------------------------------------------------------------------------------
static void wake(Env *env, Warp *w) { (void)env, (void)w; }

enum { TURN = 64 };  // instructions of a warp at one go

static void run_block(Env *env, Cta *cta, Trace *t, uint64_t limit)
{
    for (bool moved = true; moved && cta->live_threads && env->clock < limit;) {
        moved = false;
        for (uint32_t k = 0; k < cta->warp_count; k++) {
            Warp *w = &cta->warps[k];
            for (int n = 0; n < TURN && w->live && w->cur >= 0; n++) {
                exec_step(env, w);
                env->clock++;
                moved = true;
                look(t, env, w);
                if (env->fault.kind != FAULT_NONE) return;
            }
        }
    }
}

Reference reference_run(oc_device *device, oc_kernel *kernel, uint32_t blocks, oc_dim3 block, const void *const *args,
                        uint64_t limit)
{
    Sim *d = sim_of(device);
    const Kernel *k = device_kernel(kernel);
    oc_kernel_info described = oc_kernel_describe(kernel);
    LaunchInfo info = {.kernel = (Kernel *)k,
                       .grid = {blocks, 1, 1},
                       .block = {block.x, block.y, block.z},
                       .id = 1,
                       .params = mem_alloc(k->param_bytes + 16),
                       .local_limit = d->gpu.sm.local_limit};
    for (uint32_t p = 0; p < described.params; p++) memcpy(info.params + k->param_at.v[p], args[p], described.sizes[p]);
    Env env = {.gmem = &d->memory,
               .launch = &info,
               .sm_count = 1,
               .max_warps = d->gpu.sm.max_warps,
               .ns_per_clock = 1,
               .wake = wake};
    Cta cta = {.warps = NULL};
    Trace t = {.undefined = NULL};
    bool ended = true;
    for (uint32_t b = 0; b < blocks && ended; b++) {
        exec_cta_start(&env, &cta, b, NULL, 0);
        run_block(&env, &cta, &t, limit);
        ended = !cta.live_threads && env.fault.kind == FAULT_NONE;
    }
    Reference r = {.ended = ended,
                   .faulted = env.fault.kind != FAULT_NONE,
                   .undefined = env.undefined.lanes ? "a shuffle reads a lane that takes no part" : t.undefined,
                   .insts = env.clock};
    text_free(&env.printed);
    exec_cta_free(&cta);
    mem_free(t.cells);
    mem_free(info.params);
    return r;
}
