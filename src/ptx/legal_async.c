// legal_async.c: which forms of asynchronous copies, of mbarrier and of what clusters need are legal (PTX ISA
// §9.7.9.25, §9.7.13.15, §9.7.13.3).
#include "ptx/legal.h"

static bool shared(uint16_t space) { return space == M_SHARED || space == M_SHARED_CTA || space == M_SHARED_CLUSTER; }

// --- mbarrier --------------------------------------------------------------------------------------------------------
static bool object(const Legal *c, bool remote)
{
    const uint16_t space = c->i->mod[G_SPACE];
    return only(c, G_SPACE, shared(space) && (remote || space != M_SHARED_CLUSTER)) &&
           (space != M_SHARED_CLUSTER || since(c, ".shared::cluster", 80, 90));
}

static bool scoped(const Legal *c, Mod sem)
{
    const Inst *i = c->i;
    if (!only(c, G_SEM, i->mod[G_SEM] == sem || i->mod[G_SEM] == M_RELAXED)) return false;
    if (i->mod[G_SEM] == M_RELAXED && sem != M_RELAXED && !since(c, ".relaxed", 80, 90)) return false;
    return only(c, G_SCOPE, is(c, G_SCOPE, M_CTA, M_CLUSTER)) &&
           needs(c, !has(c, G_SEM) || has(c, G_SCOPE), "a scope beside its order");
}

static bool mbar_object(const Legal *c) { return object(c, false) && since(c, "'mbarrier'", 70, 80); }

static bool mbar_bytes(const Legal *c)
{
    return object(c, true) && scoped(c, M_RELAXED) && since(c, "transactions of 'mbarrier'", 80, 90);
}

static bool mbar_arrive(const Legal *c)
{
    const Inst *i = c->i;
    const bool some = i->op == OP_MBAR_ARRIVE_SOME || i->op == OP_MBAR_DROP_SOME,
               expects = i->op == OP_MBAR_ARRIVE_EXPECT || i->op == OP_MBAR_DROP_EXPECT;
    if (!object(c, !some) || !scoped(c, M_RELEASE) || !only(c, G_SEM, !some || i->mod[G_SEM] != M_RELAXED) ||
        !only(c, G_SCOPE, !some || i->mod[G_SCOPE] == M_CTA))
        return false;
    if (i->mod[G_SPACE] == M_SHARED_CLUSTER && i->opnd[0].kind != O_SINK)
        return wrong(c, i->opnd[0].at, "an arrival at another block's barrier gives no state: write _");
    if (expects) return since(c, ".expect_tx", 80, 90);
    return i->operands == 3 && !some ? since(c, "an arrival with a count", 78, 90) : since(c, "'mbarrier'", 70, 80);
}

static bool mbar_wait(const Legal *c)
{
    const Inst *i = c->i;
    const bool tries = i->op == OP_MBAR_TRY || i->op == OP_MBAR_TRY_PARITY, parity = i->op == OP_MBAR_TEST_PARITY;
    if (i->opnd[0].kind == O_SINK) return wrong(c, i->opnd[0].at, "'%s' gives a predicate", name(c));
    return object(c, false) && scoped(c, M_ACQUIRE) &&
           (tries ? since(c, "'mbarrier.try_wait'", 78, 90)
                  : since(c, parity ? ".parity" : "'mbarrier'", parity ? 71 : 70, 80));
}

static bool mbar_copies(const Legal *c)
{
    return object(c, false) && only(c, G_MODE, c->i->mod[G_MODE] == M_NOINC) && since(c, "'mbarrier'", 70, 80);
}

static bool mbar_pending(const Legal *c) { return since(c, "'mbarrier'", 70, 80); }

// --- copies ----------------------------------------------------------------------------------------------------------
// The spaces that a copy names: shared memory to and from global memory, or to that of another block.
typedef enum Way { WAY_IN, WAY_OUT, WAY_ACROSS, WAY_NONE } Way;

static Way way_of(const Inst *i)
{
    uint16_t space[2] = {M_NONE, M_NONE};
    int n = 0;
    for (int k = 0; k < i->suffixes; k++)
        if (i->suffix[k] < M_COUNT && mod_info[i->suffix[k]].group == G_SPACE && n++ < 2) space[n - 1] = i->suffix[k];
    if (n != 2) return WAY_NONE;
    const bool to_shared = space[0] == M_SHARED_CLUSTER || space[0] == M_SHARED_CTA;
    if (to_shared && space[1] == M_GLOBAL) return WAY_IN;
    if (space[0] == M_GLOBAL && space[1] == M_SHARED_CTA) return WAY_OUT;
    return space[0] == M_SHARED_CLUSTER && space[1] == M_SHARED_CTA ? WAY_ACROSS : WAY_NONE;
}

static bool completes(const Legal *c, Way way)
{
    const Mod how = way == WAY_OUT ? M_BULK_GROUP : M_COMPLETE_TX;
    if (way == WAY_NONE)
        return fail(c, c->i->at,
                    "'%s' copies .shared::cluster.global, .shared::cta.global, .global.shared::cta or "
                    ".shared::cluster.shared::cta",
                    name(c));
    if (!needs(c, has(c, G_COMPLETE), way == WAY_OUT ? ".bulk_group" : ".mbarrier::complete_tx::bytes")) return false;
    return only(c, G_COMPLETE, c->i->mod[G_COMPLETE] == how) && since(c, "a copy in bulk", 80, 90) &&
           (c->i->mod[G_SPACE] != M_SHARED_CTA || since(c, "a copy to .shared::cta", 86, 90));
}

// .multicast::cluster comes with a mask of blocks, at the end but for a cache policy.
static bool casts(const Legal *c, Way way, int operands)
{
    const bool all = has(c, G_MULTICAST);
    if (!only(c, G_MULTICAST, way == WAY_IN && c->i->mod[G_SPACE] == M_SHARED_CLUSTER)) return false;
    if (c->i->operands - has(c, G_HINT) == operands + all) return true;
    return wrong(c, c->i->at,
                 all ? "'%s' with .multicast::cluster takes a mask of blocks"
                     : "'%s' takes a mask of blocks with .multicast::cluster only",
                 name(c));
}

static bool bulk(const Legal *c)
{
    const Way way = way_of(c->i);
    return completes(c, way) && casts(c, way, way == WAY_OUT ? 3 : 4) && only(c, G_HINT, way != WAY_ACROSS);
}

static bool reduces(const Legal *c, uint64_t logic, uint64_t add, uint64_t extremes)
{
    switch (c->i->mod[G_ATOM]) {
    case M_A_AND:
    case M_A_OR:
    case M_A_XOR: return only_types(c, G_ATOM, logic);
    case M_A_ADD: return only_types(c, G_ATOM, add);
    case M_A_MIN:
    case M_A_MAX: return only_types(c, G_ATOM, extremes);
    case M_A_INC:
    case M_A_DEC: return only_types(c, G_ATOM, T(U32));
    default: return needs(c, false, "an operation such as .add");
    }
}

static bool bulk_reduce(const Legal *c)
{
    const Way way = way_of(c->i);
    const bool half = c->i->type == TY_F16 || c->i->type == TY_BF16, out = way == WAY_OUT;
    if (way == WAY_IN) return fail(c, c->i->at, "'%s' goes to .global or .shared::cluster", name(c));
    return completes(c, way) && casts(c, way, out ? 3 : 4) && only(c, G_HINT, out) &&
           reduces(c, T(B32) | (out ? T(B64) : 0), T(U32) | T(S32) | T(U64) | (out ? T(F16) | T(BF16) | T_FLT : 0),
                   T(U32) | T(S32) | (out ? T(U64) | T(S64) | T(F16) | T(BF16) : 0)) &&
           only(c, G_NOFTZ, half && c->i->mod[G_ATOM] == M_A_ADD) &&
           needs(c, !half || c->i->mod[G_ATOM] != M_A_ADD || has(c, G_NOFTZ), ".noftz for sums of half precision");
}

static bool bulk_prefetch(const Legal *c)
{
    return needs(c, c->i->mod[G_LEVEL] == M_L2, ".L2") && needs(c, c->i->space == SP_GLOBAL, ".global") &&
           since(c, "a prefetch in bulk", 80, 90);
}

static bool bulk_group(const Legal *c)
{
    return only(c, G_MODE, c->i->mod[G_MODE] == M_READ) && since(c, "a copy in bulk", 80, 90);
}

// --- tensors ---------------------------------------------------------------------------------------------------------
static bool dimensions(const Legal *c)
{
    const int n = ptx_dimensions(c->i);
    const Mod mode = (Mod)c->i->mod[G_MODE];
    if (!needs(c, n > 0, "the tensor's dimensions: .1d to .5d")) return false;
    return mode == M_NONE || mode == M_TILE || ((mode == M_IM2COL || mode == M_IM2COL_NO_OFFS) && n >= 3) ||
           fail(c, mod_at(c, G_MODE), "modifier .%s doesn't apply to this form of '%s'", mod_info[mode].name, name(c));
}

// With .im2col offsets are given, one for each dimension between the first and the last two.
static bool offsets(const Legal *c, int at)
{
    const Inst *i = c->i;
    if (i->mod[G_MODE] != M_IM2COL) return true;
    const Operand *o = at < i->operands ? &i->opnd[at] : NULL;
    const int want = ptx_dimensions(i) - 2, have = !o ? 0 : o->kind == O_VEC ? o->count : 1;
    return have == want ||
           wrong(c, o ? o->at : i->at, "'%s' with .im2col takes %d offset%s", name(c), want, want == 1 ? "" : "s");
}

static bool tensor(const Legal *c)
{
    const Way way = way_of(c->i);
    const bool offset = c->i->mod[G_MODE] == M_IM2COL;
    if (way == WAY_ACROSS) return fail(c, c->i->at, "'%s' copies from or to .global", name(c));
    return dimensions(c) && completes(c, way) &&
           only(c, G_MODE, c->i->mod[G_MODE] != (way == WAY_OUT ? M_IM2COL : M_IM2COL_NO_OFFS)) &&
           casts(c, way, way == WAY_OUT ? 2 : 3 + offset) && offsets(c, 3);
}

static bool tensor_reduce(const Legal *c)
{
    return dimensions(c) && completes(c, way_of(c->i)) && needs(c, way_of(c->i) == WAY_OUT, ".global.shared::cta") &&
           only(c, G_MODE, c->i->mod[G_MODE] != M_IM2COL) && needs(c, has(c, G_ATOM), "an operation such as .add") &&
           only(c, G_ATOM, c->i->mod[G_ATOM] <= M_A_MAX);
}

static bool tensor_prefetch(const Legal *c)
{
    const bool offset = c->i->mod[G_MODE] == M_IM2COL;
    return dimensions(c) && bulk_prefetch(c) && only(c, G_MODE, c->i->mod[G_MODE] != M_IM2COL_NO_OFFS) &&
           casts(c, WAY_IN, 1 + offset) && offsets(c, 1);
}

// A field changes of the map in shared or global memory. Fields of each dimension say which.
static bool map_replace(const Legal *c)
{
    const Inst *i = c->i;
    const uint16_t field = i->mod[G_MODE];
    const bool wide = field == M_MAP_ADDRESS || field == M_MAP_STRIDE, each = field >= M_MAP_BOX && field <= M_MAP_STEP,
               number = field == M_MAP_RANK || (field >= M_MAP_TYPE && field <= M_MAP_FILL);
    const Operand *value = &i->opnd[i->operands - 1];
    if (!needs(c, wide || each || number, "a field such as .box_dim") ||
        !needs(c, i->mod[G_COMPLETE] == M_B1024, ".b1024"))
        return false;
    if (!only(c, G_SPACE, i->mod[G_SPACE] == M_SHARED_CTA || i->space == SP_GLOBAL) ||
        !only_types(c, G_MODE, wide ? T(B64) : T(B32)))
        return false;
    if (i->operands != 2 + each) return wrong(c, i->at, "'%s' takes %d operands here", name(c), 2 + each);
    if (each && i->opnd[1].imm > 4) return wrong(c, i->opnd[1].at, "a tensor has at most 5 dimensions");
    return (value->kind == O_IMM || field < M_MAP_TYPE || wrong(c, value->at, "this field's value is a constant")) &&
           since(c, "'tensormap.replace'", 83, 90) &&
           needs(c, is_special(c->m), "a target of one architecture alone, such as sm_90a");
}

static bool map_copy(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, i->mod[G_SPACE] == M_GLOBAL && inst_from_space(i) == SP_SHARED, ".global.shared::cta") &&
           needs(c, i->mod[G_PROXY] == M_TENSORMAP_GENERIC, ".tensormap::generic") &&
           needs(c, i->mod[G_SEM] == M_RELEASE && has(c, G_SCOPE), ".release and a scope") &&
           needs(c, has(c, G_SYNC) && has(c, G_ALIGNED), ".sync.aligned") &&
           (i->opnd[2].imm == 128 || wrong(c, i->opnd[2].at, "a tensor map has 128 bytes")) &&
           since(c, "'tensormap.cp_fenceproxy'", 83, 90);
}

static bool fence_mbar(const Legal *c)
{
    return needs(c, c->i->mod[G_SEM] == M_RELEASE && c->i->mod[G_SCOPE] == M_CLUSTER, ".release.cluster") &&
           since(c, "'fence.mbarrier_init'", 80, 90);
}

// --- single words ----------------------------------------------------------------------------------------------------
static bool remote(const Legal *c)
{
    return needs(c, has(c, G_COMPLETE), ".mbarrier::complete_tx::bytes") &&
           only(c, G_COMPLETE, c->i->mod[G_COMPLETE] == M_COMPLETE_TX) &&
           only(c, G_SPACE, is(c, G_SPACE, M_SHARED_CLUSTER, M_SHARED_CTA)) &&
           since(c, "an asynchronous store", 81, 90);
}

static bool st_async(const Legal *c)
{
    return remote(c) && only(c, G_SEM, c->i->mod[G_SEM] == M_WEAK) &&
           only(c, G_VEC, c->i->vec * type_info[c->i->type].bits <= 128);
}

static bool red_async(const Legal *c)
{
    const uint16_t op = c->i->mod[G_ATOM];
    return remote(c) &&
           needs(c, c->i->mod[G_SEM] == M_RELAXED && c->i->mod[G_SCOPE] == M_CLUSTER, ".relaxed.cluster") &&
           reduces(c, T(B32), T(U32) | T(S32) | T(U64) | T(S64), T(U32) | T(S32)) &&
           only(c, G_ATOM, op != M_A_EXCH && op != M_A_CAS);
}

// --- clusters --------------------------------------------------------------------------------------------------------
static bool cluster_barrier(const Legal *c)
{
    const Inst *i = c->i;
    const bool waits = i->op == OP_CLUSTER_WAIT;
    return only(c, G_SEM, waits ? i->mod[G_SEM] == M_ACQUIRE : is(c, G_SEM, M_RELEASE, M_RELAXED)) &&
           since(c, "'barrier.cluster'", 78, 90);
}

static bool maps(const Legal *c)
{
    const Inst *i = c->i;
    return only(c, G_SPACE, i->mod[G_SPACE] == M_SHARED_CLUSTER) && since(c, "an address of a cluster", 78, 90);
}

LegalRule *const legal_async[OP_COUNT] = {
    [OP_MBAR_INIT] = mbar_object,
    [OP_MBAR_INVAL] = mbar_object,
    [OP_MBAR_EXPECT] = mbar_bytes,
    [OP_MBAR_COMPLETE] = mbar_bytes,
    [OP_MBAR_ARRIVE] = mbar_arrive,
    [OP_MBAR_ARRIVE_SOME] = mbar_arrive,
    [OP_MBAR_ARRIVE_EXPECT] = mbar_arrive,
    [OP_MBAR_DROP] = mbar_arrive,
    [OP_MBAR_DROP_SOME] = mbar_arrive,
    [OP_MBAR_DROP_EXPECT] = mbar_arrive,
    [OP_MBAR_TEST] = mbar_wait,
    [OP_MBAR_TEST_PARITY] = mbar_wait,
    [OP_MBAR_TRY] = mbar_wait,
    [OP_MBAR_TRY_PARITY] = mbar_wait,
    [OP_MBAR_COPIES] = mbar_copies,
    [OP_MBAR_PENDING] = mbar_pending,
    [OP_BULK] = bulk,
    [OP_BULK_REDUCE] = bulk_reduce,
    [OP_BULK_PREFETCH] = bulk_prefetch,
    [OP_BULK_COMMIT] = bulk_group,
    [OP_BULK_WAIT] = bulk_group,
    [OP_TENSOR] = tensor,
    [OP_TENSOR_REDUCE] = tensor_reduce,
    [OP_TENSOR_PREFETCH] = tensor_prefetch,
    [OP_ST_ASYNC] = st_async,
    [OP_RED_ASYNC] = red_async,
    [OP_CLUSTER_ARRIVE] = cluster_barrier,
    [OP_CLUSTER_WAIT] = cluster_barrier,
    [OP_MAPA] = maps,
    [OP_MAP_REPLACE] = map_replace,
    [OP_MAP_COPY] = map_copy,
    [OP_FENCE_MBAR] = fence_mbar,
    [OP_GETCTARANK] = maps,
};
