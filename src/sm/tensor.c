// tensor.c: how long a product of matrices takes. A scheduler's tensor unit is busy for the product's multiply-adds at
// its rate for these types. The result is there after latency.tensor, and tensor.step more for each further 16 bytes
// that A's rows have; but not before the unit is free. Without a unit the multiply-add lanes do the work.
#include "sm/sm.h"

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

static uint32_t busy_for(const SmCfg *cfg, const Tensor *t)
{
    if (!(cfg->tensor.rate > 0)) return t->fmas / LANES * MAX(cfg->unit[CLASS_FMA].interval, 1);
    double cycles = t->fmas * (double)cfg->schedulers / (cfg->tensor.rate * factor(&cfg->tensor, &t->x));
    return (uint32_t)MAX(1.0, MIN(ceil(cycles - 1e-6), 1e6));
}

void tensor_start(Sm *sm, WarpSlot *ws, const Dinst *d)
{
    const SmCfg *cfg = &sm->cfg;
    const Tensor *t = d->tensor;
    const uint32_t busy = busy_for(cfg, t),
                   late = sm->storage.counts && sm->storage.fetch.most ? sm->storage.fetch.most - 1 : 0;
    uint32_t latency = cfg->unit[CLASS_FMA].latency + busy;
    if (cfg->tensor.rate > 0) {
        const uint32_t steps =
            ((uint32_t)(t->x.k >> t->x.sparse) * (uint32_t)type_info[t->x.type[MATRIX_A]].bits + 127) / 128;
        latency = MAX(cfg->unit[CLASS_TENSOR].latency + cfg->tensor.step * (steps - 1), busy + 1);
    }
    const uint64_t done = sm->now + latency + late;
    for (int k = 0; k < d->score_dst; k++) ws->ready[d->score[k]] = done << 2 | KIND_ALU;
    ws->last_ready = MAX(ws->last_ready, done);
    ws->home->unit_free[CLASS_TENSOR] = sm->now + busy;
    ws->home->held |= 1u << CLASS_TENSOR;
    sm->count[C_TENSOR_FMAS] += t->fmas;
}
