// tensor.c: how long a product of matrices takes. A scheduler's tensor unit is busy for the product's multiply-adds at
// its rate for these types. The result is there after latency.tensor, and tensor.step more for each further 16 bytes
// that A's rows have; but not before the unit is free. Without a unit the multiply-add lanes do the work.
//
// Products of wgmma queue up at the unit, and the warp goes on. One that adds to the sums of the warp's product before
// it begins when that is done. A unit takes no less time than shared memory needs to give it A's rows and a fourth of
// B, which the four warps read together: a row of all banks a cycle, to an SM's units in the order of their products.
#include "sm/unit.h"

#include <math.h>

// What the rate for .f16 and sums of .f16 is multiplied with.
static double factor(const TensorCfg *t, const Product *x)
{
    const Type a = x->type[MATRIX_A];
    const double sum = x->type[MATRIX_D] == TY_F32 ? t->f32 : 1, sparse = x->sparse ? t->sparse : 1;
    switch (a) {
    case TY_TF32: return t->tf32 * sparse;
    case TY_F64: return t->f64;
    case TY_B1: return t->b1;
    case TY_S8:
    case TY_U8: return t->s8 * sparse;
    case TY_S4:
    case TY_U4: return t->s4 * sparse;
    case TY_E4M3:
    case TY_E5M2: return t->f8 * sum * sparse;
    default: return sum * sparse;
    }
}

// Pieces of 16 bytes that a row of A has.
static uint32_t steps_of(const Tensor *t)
{
    return ((uint32_t)(t->x.k >> t->x.sparse) * (uint32_t)type_info[t->x.type[MATRIX_A]].bits + 127) / 128;
}

static uint32_t busy_for(const SmCfg *cfg, const Tensor *t, double rate)
{
    if (!(cfg->tensor.rate > 0)) return t->fmas / LANES * MAX(cfg->unit[CLASS_FMA].interval, 1);
    double cycles = t->fmas * (double)cfg->schedulers / (rate * factor(&cfg->tensor, &t->x));
    return (uint32_t)MAX(1.0, MIN(ceil(cycles - 1e-6), 1e6));
}

// What a result takes that needn't wait for the unit.
static uint32_t latency_of(const SmCfg *cfg, const Tensor *t)
{
    return cfg->unit[CLASS_TENSOR].latency + cfg->tensor.step * (steps_of(t) - 1);
}

void tensor_start(Sm *sm, WarpSlot *ws, const Dinst *d)
{
    const SmCfg *cfg = &sm->cfg;
    const Tensor *t = d->tensor;
    const uint32_t busy = busy_for(cfg, t, cfg->tensor.rate * (steps_of(t) == 1 ? cfg->tensor.shallow : 1)),
                   late = sm->storage.counts && sm->storage.fetch.most ? sm->storage.fetch.most - 1 : 0;
    uint32_t latency = cfg->unit[CLASS_FMA].latency + busy;
    if (cfg->tensor.rate > 0) latency = MAX(latency_of(cfg, t), busy + 1);
    const uint64_t start = MAX(sm->now, ws->home->products), done = start + latency + late;
    for (int k = 0; k < d->score_dst; k++) ws->ready[d->score[k]] = done << 2 | KIND_ALU;
    ws->last_ready = MAX(ws->last_ready, done);
    ws->home->unit_free[CLASS_TENSOR] = ws->home->products = start + busy;
    ws->home->held |= 1u << CLASS_TENSOR;
    sm->count[C_TENSOR_FMAS] += t->fmas;
}

// --- wgmma -----------------------------------------------------------------------------------------------------------
// Shared memory reads for the units of an SM one behind the other. Returns the cycle in which these bytes are there.
static uint64_t read_operands(Sm *sm, uint32_t bytes)
{
    const uint32_t row = sm->cfg.banks.banks * sm->cfg.banks.width;
    const uint64_t from = MAX(sm->issue.operands, sm->now * row), to = from + bytes;
    const uint64_t passes = (to + row - 1) / row - (from + row - 1) / row;
    sm->issue.operands = to;
    sm->count[C_SHARED_PASSES] += passes;
    if (sm->cfg.energy) sm->count[C_SHARED_BANK_READS] += bytes / 16;
    sm->inst[sm->env.step.stat].transactions += passes;
    return (to + row - 1) / row;
}

void tensor_group(Sm *sm, WarpSlot *ws, const Dinst *d)
{
    const SmCfg *cfg = &sm->cfg;
    const GroupTensor *g = (const GroupTensor *)d->tensor;
    const Tensor *t = &g->tensor;
    Products *p = &sm->issue.products[ws->slot];
    SchedState *s = ws->home;
    const double rate = cfg->tensor.wgmma > 0 ? cfg->tensor.wgmma : cfg->tensor.rate;
    const uint32_t busy = busy_for(cfg, t, rate), sum = g->scores ? g->score[0] + 1u : 0;
    const uint64_t there = read_operands(sm, g->bytes);
    uint64_t start = MAX(sm->now, s->products);
    if (sum && sum == p->sum) start = MAX(start, p->done);
    s->products = MAX(start + busy, there);
    p->done = MAX(MAX(start + latency_of(cfg, t), s->products), p->done);
    p->sum = sum;
    ws->last_ready = MAX(ws->last_ready, p->done);
    sm->count[C_TENSOR_FMAS] += t->fmas;
}

void tensor_commit(Sm *sm, const WarpSlot *ws)
{
    Products *p = &sm->issue.products[ws->slot];
    p->group[p->groups++ % GROUPS] = p->done;
}

uint64_t tensor_done(const Sm *sm, const WarpSlot *ws, uint64_t most)
{
    const Products *p = &sm->issue.products[ws->slot];
    if (p->groups <= most) return 0;
    const uint32_t back = (uint32_t)MIN(most + 1, (uint64_t)GROUPS);  // further back none is told apart
    return p->group[(p->groups - MIN(back, p->groups)) % GROUPS];
}
