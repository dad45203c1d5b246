// audit.c: does every read find its value in the register file that the compiler chose (ptx/files.c)? Each word of a
// frame has a version for each lane, which a write raises. Each file remembers which version of which word it holds. A
// read from a file must find the version that the word has now. The small files are empty where a strand starts, for
// all lanes of the warp, since that is where another warp may take them over.
#include <string.h>

#include "exec/unit.h"
#include "ptx/strands.h"

typedef struct AuditFrame {
    uint32_t base, slots;     // the frame's first row; words that it has room for
    uint32_t *now, *in_main;  // [word][lane]: its version; the one that the main file has
} AuditFrame;
typedef struct Held {  // an entry of a small file, of one lane
    uint32_t base, slot, version;
} Held;
typedef struct Audit {
    VEC(AuditFrame) frames;
    Held held[FILES_COUNT][LANES];
} Audit;

static void empty_files(Audit *a)
{
    for (int f = FILE_LAST; f < FILES_COUNT; f++)
        for (int n = 0; n < LANES; n++) a->held[f][n].slot = UINT32_MAX;
}

void exec_audit_free(Warp *w)
{
    Audit *a = w->audit;
    if (!a) return;
    for (size_t k = 0; k < a->frames.n; k++) mem_free(a->frames.v[k].now), mem_free(a->frames.v[k].in_main);
    vec_free(&a->frames);
    mem_free(a);
    w->audit = NULL;
}

void exec_audit_start(Warp *w)
{
    exec_audit_free(w);
    w->audit = mem_alloc(sizeof *w->audit);
    empty_files(w->audit);
}

static AuditFrame *frame_at(Audit *a, uint32_t base, uint32_t slots)
{
    size_t k = 0;
    while (k < a->frames.n && a->frames.v[k].base != base) k++;
    if (k == a->frames.n) vec_push(&a->frames, ((AuditFrame){.base = base}));
    AuditFrame *f = &a->frames.v[k];
    if (f->slots >= slots) return f;
    size_t old = sizeof *f->now * LANES * f->slots, all = sizeof *f->now * LANES * slots;
    f->now = mem_resize(f->now, all), f->in_main = mem_resize(f->in_main, all);
    memset((char *)f->now + old, 0, all - old), memset((char *)f->in_main + old, 0, all - old);
    f->slots = slots;
    return f;
}

// A call's frame begins with words that nobody has written.
static void forget_above(Audit *a, uint32_t base, uint32_t mask)
{
    for (size_t k = 0; k < a->frames.n; k++) {
        AuditFrame *f = &a->frames.v[k];
        for (uint32_t x = 0; f->base > base && x < f->slots * LANES; x++)
            if (mask >> x % LANES & 1) f->now[x] = f->in_main[x] = 0;
    }
}

static bool from_main(const RegAccess *x) { return x->file == FILE_MAIN || x->main; }

static bool missing(Env *env, Warp *w, const RegAccess *x, int lane)
{
    exec_fault(env, w, FAULT_AUDIT, (uint32_t)lane, 0, 0, false);
    char name[24] = "the main register file";
    if (!from_main(x) && x->file == FILE_LAST) snprintf(name, sizeof name, "the last-result file");
    if (!from_main(x) && x->file >= FILE_OPERAND)
        snprintf(name, sizeof name, "entry %d of the ORF", x->file - FILE_OPERAND);
    snprintf(env->fault.note, sizeof env->fault.note, "register %u isn't in %s, where the compiler put it", x->slot,
             name);
    return false;
}

static bool check_read(Env *env, Warp *w, const AuditFrame *f, const RegAccess *x, uint32_t mask)
{
    const Held *held = w->audit->held[x->file];
    for (; mask; mask &= mask - 1) {
        int n = __builtin_ctz(mask);
        uint32_t at = x->slot * LANES + (uint32_t)n, now = f->now[at];
        bool there = from_main(x) ? f->in_main[at] == now
                                  : held[n].base == f->base && held[n].slot == x->slot && held[n].version == now;
        if (!there) return missing(env, w, x, n);
    }
    return true;
}

// A write, or a read that leaves its word in a small file.
static void put_word(Audit *a, AuditFrame *f, const RegAccess *x, uint32_t mask)
{
    for (; mask; mask &= mask - 1) {
        int n = __builtin_ctz(mask);
        uint32_t at = x->slot * LANES + (uint32_t)n;
        if (x->write && ++f->now[at] && x->main) f->in_main[at] = f->now[at];
        if (x->file != FILE_MAIN) a->held[x->file][n] = (Held){f->base, x->slot, f->now[at]};
    }
}

bool exec_audit(Env *env, Warp *w)
{
    const Dinst *d = &w->code->insts[w->pc];
    const Files *f = w->code->files;
    if (!f || !w->audit) return true;
    uint32_t base = w->splits.v[w->cur].base;
    uint32_t mask = w->mask & (d->guard_negated ? ~w->l.pred[d->guard] : w->l.pred[d->guard]);
    AuditFrame *frame = frame_at(w->audit, base, w->code->alloc->slots + 1);
    if (f->start[d->index]) empty_files(w->audit);
    const RegAccess *first = f->access + f->first[d->index], *end = f->access + f->first[d->index + 1];
    for (const RegAccess *x = first; x < end; x++)
        if (!x->write && !check_read(env, w, frame, x, mask)) return false;
    for (const RegAccess *x = first; x < end; x++)  // an entry may be read for the last time and filled anew
        if (x->write || x->main) put_word(w->audit, frame, x, mask);
    if (d->kind == X_CALL) forget_above(w->audit, base, mask), empty_files(w->audit);
    return true;
}
