// ops_straight.c: many instructions of one warp at one go. Where nobody asks for time, most instructions need no step
// record: they compute on lanes, or load and store words at regular addresses. They run one after the other here,
// through branches that all lanes take, up to a barrier, a strong access or the next store.
//
// The addresses of a base register are looked at once: until it is written, accesses at other offsets from it are as
// regular, and still are when a constant was added to it. Invariant: what isn't surely regular, whole, aligned and
// inside goes through exec_step, which tells faults.
#include "exec/ops.h"

static void base_find(const Warp *w, const Dinst *d, Base *b)
{
    uint64_t a[LANES];
    b->at = d->a;
    b->run = w->code->kernel->address(&w->l, d, 0, a);
    b->stride = a[1] - a[0];
    if (b->stride >> 31 || (a[0] | a[8] | a[16] | a[24]) >> 63) b->run = 0;
    if (!b->run) return;
    b->low = b->high = a[0];
    for (uint32_t g = 0; g < 4; g++) {
        b->first[g] = a[8 * g];
        b->low = MIN(b->low, a[8 * g]);
        b->high = MAX(b->high, a[8 * g + 7]);
    }
    b->bits = a[0] | a[8] | a[16] | a[24] | b->stride;
}

// A constant is added to the register. False: its lanes aren't known any more.
static bool base_add(const Lanes *l, const Dinst *d, Base *b)
{
    const bool wide = type_info[d->type].bits == 64;
    const uint64_t by = wide ? *(const uint64_t *)row(l, d->b) : (uint64_t)(int64_t) * (const int32_t *)row(l, d->b);
    if (b->at != d->dst) return true;  // another one has the slot
    if (!b->run) return false;
    b->low += by, b->high += by;
    b->bits = b->stride;
    for (uint32_t g = 0; g < 4; g++) b->first[g] += by, b->bits |= b->first[g];
    return !(b->bits >> 63) && !(b->high >> (wide ? 63 : 32));
}

// Half a row, in a register and in memory
typedef uint32_t Half __attribute__((vector_size(64), may_alias));
typedef uint32_t FreeHalf __attribute__((vector_size(64), aligned(4), may_alias));

// Values of 4 bytes, side by side or one for all lanes of a run of 16 or more. False: it is anything else.
ALWAYS_INLINE bool move_words(const Base *b, uint32_t *r, uint8_t *p, bool write)
{
    Half *half = (Half *)r;
    if (b->run < 16) return false;
    if (b->stride == 4 && write) {
        *(FreeHalf *)(p + b->first[0]) = half[0];
        *(FreeHalf *)(p + b->first[2]) = half[1];
        return true;
    }
    if (b->stride == 4) {
        const Half low = *(const FreeHalf *)(p + b->first[0]), high = *(const FreeHalf *)(p + b->first[2]);
        half[0] = low, half[1] = high;
        return true;
    }
    if (b->stride || write) return false;
    uint32_t low, high;
    memcpy(&low, p + b->first[0], 4);
    memcpy(&high, p + b->first[2], 4);
    half[0] = low - (Half){0}, half[1] = high - (Half){0};
    return true;
}

// Any regular addresses, of values of 4 or 8 bytes
static __attribute__((noinline)) void move_steps(const Base *b, uint8_t *r, uint8_t *p, uint32_t size, bool write)
{
    for (uint32_t g = 0; g < 4; g++) {
        uint8_t *m = p + b->first[g];
        for (uint32_t n = 0; n < 8; n++, r += size, m += b->stride) {
            if (size == 4 && write)
                memcpy(m, r, 4);
            else if (size == 4)
                memcpy(r, m, 4);
            else if (write)
                memcpy(m, r, 8);
            else
                memcpy(r, m, 8);
        }
    }
}

// An access of all lanes. False: it isn't surely inside and aligned, and nothing has happened.
ALWAYS_INLINE bool access_base(const Env *env, Warp *w, const Dinst *d, const Base *b, bool shared, bool write)
{
    const uint32_t total = (uint32_t)d->bytes * d->vec;
    const uint64_t low = b->low + d->imm, high = b->high + d->imm;
    uint8_t *p;
    if (!b->run || low > high || (b->bits | d->imm) & (total - 1)) return false;
    if (shared) {
        const uint64_t size = w->cta->shared_bytes;
        if (size < total || high > size - total) return false;
        p = w->cta->shared + d->imm;
    } else {
        const __typeof__(env->near[0]) *near = &env->near[d->index & 63];
        if (low < near->start || high >= near->end || total > near->end - high) return false;
        p = (uint8_t *)((uintptr_t)env->gmem->host - GLOBAL_BASE + d->imm);
    }
    for (uint32_t e = 0; e < d->vec; e++, p += d->bytes) {
        void *r = row(&w->l, d->vector[e]);
        if (d->bytes != 4 || !move_words(b, r, p, write)) move_steps(b, r, p, d->bytes, write);
    }
    return true;
}

// The access of all lanes, if it is one of those.
ALWAYS_INLINE bool access(const Env *env, Warp *w, const Dinst *d, Straight s, Bases *known, bool shared, bool write)
{
    Base *b = &known->base[s.base];
    if (!(w->bases_known >> s.base & 1) || b->at != d->a) base_find(w, d, b), w->bases_known |= 1u << s.base;
    return access_base(env, w, d, b, shared, write);
}

// The step of such an access of global memory, for who takes it: where sectors follow from the runs alone, without the
// addresses of all lanes.
static void tell(Step *s, const Dinst *d, const Base *b, StepTaker *take, void *taker)
{
    const bool all = b->stride && b->stride != (uint32_t)d->bytes * d->vec;
    s->d = d;
    s->mask = FULL, s->other_mask = 0;
    s->space = SP_GLOBAL;
    s->bytes = (uint32_t)d->bytes * d->vec;
    s->run = (uint8_t)b->run, s->part = 0;
    s->stride = (uint32_t)b->stride;
    for (uint32_t g = 0; g < 4; g++) {
        s->addr[8 * g] = b->first[g] + d->imm;
        for (uint32_t n = 1; n < 8 && all; n++) s->addr[8 * g + n] = s->addr[8 * g] + n * b->stride;
    }
    take(taker, s);
}

// What an instruction of lanes has written; whole: all lanes of the warp.
ALWAYS_INLINE void forget(Warp *w, const Dinst *d, Straight s, Bases *known, bool whole)
{
    const uint32_t slot = s.writes & (BASES - 1), bit = 1u << slot;
    const bool sum = s.writes & WRITES_SUM && whole && w->bases_known & bit && base_add(&w->l, d, &known->base[slot]);
    if (!sum) w->bases_known &= s.writes & WRITES_ANY ? 0 : ~bit;
}

// Those of the warp's frame
static Bases *bases_of(Warp *w)
{
    if (!w->bases) w->bases = mem_alloc(sizeof *w->bases);
    if (w->bases->frame != w->l.bank[0] || w->bases->code != w->code) w->bases_known = 0;
    w->bases->frame = w->l.bank[0];
    w->bases->code = w->code;
    return w->bases;
}

static uint32_t straight(Env *env, Warp *w, uint32_t most, uint64_t *threads, StepTaker *take, void *taker)
{
    const Code *code = w->code;
    const uint64_t began = env->clock;
    const uint32_t all = w->mask, rpc = w->rpc;
    const bool branches = !env->watch && w->splits.n == 1;  // nobody counts back edges
    const Dinst *d = &code->insts[w->pc], *meet = rpc <= code->n ? &code->insts[rpc] : NULL;
    const Straight *s = &code->straight[w->pc];
    Bases *known = bases_of(w);
    uint32_t done = 0;
    uint64_t sum = 0;
    do {
        const uint32_t mask = exec_mask(w, d);
        switch (s->how) {
        case HOW_LANES:
            if (mask) d->fn(&w->l, d, mask);
            if (s->writes) forget(w, d, *s, known, mask == FULL);
            break;
        case HOW_BRANCH:
            if (!branches || (mask && mask != all)) goto step;
            sum += (uint32_t)__builtin_popcount(mask);
            done++;
            d = mask ? &code->insts[d->target] : d + 1;
            s = &code->straight[d - code->insts];
            continue;
        case HOW_LOAD_SHARED:
            if (mask != FULL || !access(env, w, d, *s, known, true, false)) goto step;
            if (s->writes) forget(w, d, *s, known, true);
            break;
        case HOW_LOAD:
            if (mask != FULL || !access(env, w, d, *s, known, false, false)) goto step;
            if (take) tell(&env->step, d, &known->base[s->base], take, taker);
            if (s->writes) forget(w, d, *s, known, true);
            break;
        case HOW_STORE_SHARED:
            if (done) goto out;
            if (mask != FULL || !access(env, w, d, *s, known, true, true)) goto step;
            env->changed = began;
            break;
        case HOW_STORE:
            if (done) goto out;
            if (mask != FULL || !access(env, w, d, *s, known, false, true)) goto step;
            if (take) tell(&env->step, d, &known->base[s->base], take, taker);
            env->changed = began;
            break;
        case HOW_STEP:
        step:
            w->pc = (uint32_t)(d - code->insts);
            env->clock = began + done;
            exec_step(env, w);
            if (take) take(taker, &env->step);
            if (s->writes) forget(w, d, *s, known, false);
            sum += (uint32_t)__builtin_popcount(env->step.mask | env->step.other_mask);
            done++, d++, s++;
            if (env->step.result != STEP_DONE || d != &code->insts[w->pc] || w->mask != all || w->rpc != rpc)
                goto stepped;
            continue;
        default: goto out;
        }
        sum += (uint32_t)__builtin_popcount(mask);
        done++, d++, s++;
    } while (d != meet && done < most);
out:
    env->step.result = STEP_DONE;
    w->pc = (uint32_t)(d - code->insts);
    if (d == meet) exec_came(env, w);
stepped:
    *threads += sum;
    env->clock = began + done;
    return done;
}

StraightFn *OPS_NAME(pick_straight)(void) { return straight; }
