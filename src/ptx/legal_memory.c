// legal_memory.c: which forms of loads, stores, atomics, copies, hints, fences and textures are legal (PTX ISA §9.7.9,
// §9.7.10, §9.7.13).
#include "ptx/legal.h"

// --- accesses --------------------------------------------------------------------------------------------------------
static bool ordering(const Legal *c)
{
    const Inst *i = c->i;
    Mod sem = (Mod)i->mod[G_SEM];
    bool load = i->op == OP_LD, atomic = i->op == OP_ATOM || i->op == OP_RED,
         acquires = sem == M_ACQUIRE || sem == M_ACQ_REL;
    bool ordered = sem == M_RELAXED || acquires || sem == M_RELEASE;
    bool fits = atomic
                    ? ordered && !(acquires && i->op == OP_RED)
                    : sem == M_WEAK || sem == M_VOLATILE || sem == M_RELAXED || sem == (load ? M_ACQUIRE : M_RELEASE);
    bool shared = i->space == SP_GENERIC || i->space == SP_GLOBAL || i->space == SP_SHARED;
    if (!only(c, G_MMIO, sem == M_RELAXED && i->mod[G_SCOPE] == M_SYS && shared && i->space != SP_SHARED)) return false;
    if (!only(c, G_SEM, fits && (shared || sem == M_WEAK || (sem == M_VOLATILE && i->space != SP_PARAM)))) return false;
    if (!only(c, G_SCOPE, i->mod[G_SCOPE] != M_GL && (atomic || ordered))) return false;
    return needs(c, atomic || !ordered || has(c, G_SCOPE), "a scope such as .gpu");
}

static bool caching(const Legal *c)
{
    const Inst *i = c->i;
    bool load = i->op == OP_LD, global = i->space == SP_GLOBAL || i->space == SP_GENERIC;
    Mod cache = (Mod)i->mod[G_CACHE];
    bool fits = load ? cache <= M_CV : cache == M_CG || cache == M_CS || cache >= M_WB;
    bool weak = !has(c, G_SEM) || i->mod[G_SEM] == M_WEAK;
    if (!only(c, G_CACHE, fits && weak) || !apart(c, G_CACHE, G_EVICT)) return false;
    if (!only(c, G_NC, i->space == SP_GLOBAL && weak && cache != M_LU && cache != M_CV)) return false;
    bool wide = i->vec * type_info[i->type].bits == 256;
    return only(c, G_EVICT, global && i->mod[G_SEM] != M_VOLATILE) && only(c, G_EVICT2, global && wide) &&
           only(c, G_HINT, global) && only(c, G_PREFETCH, global);
}

static bool vectors(const Legal *c)
{
    const Inst *i = c->i;
    int bits = i->vec * type_info[i->type].bits;
    bool wide =
        bits == 256 && i->type != TY_B128 && i->op != OP_LDU && (i->space == SP_GLOBAL || i->space == SP_GENERIC);
    if (has(c, G_VEC) && wide && c->m->sm < 100)
        return wrong(c, mod_at(c, G_VEC), "vectors of 32 bytes need .target sm_100");
    return only(c, G_VEC, (bits <= 128 && i->vec < 8) || wide);
}

// Vectors of atomics are of .f32, which is added, and of halves; they lie in global memory (§9.7.13.5, §9.7.13.7).
static bool atomic_vectors(const Legal *c)
{
    const Inst *i = c->i;
    if (!has(c, G_VEC)) return true;
    if (!since(c, "a vector of atomics", 81, 90)) return false;
    Mod op = (Mod)i->mod[G_ATOM];
    uint64_t types = op == M_A_ADD ? T(F32) | HALF | BRAIN : op == M_A_MIN || op == M_A_MAX ? HALF | BRAIN : 0;
    return only_types(c, G_VEC, types) && only(c, G_VEC, i->space != SP_SHARED && vectors(c));
}

static bool atomics(const Legal *c)
{
    const Inst *i = c->i;
    if (!needs(c, has(c, G_ATOM), "an operation such as .add") || !ordering(c)) return false;
    if (i->space != SP_GENERIC && i->space != SP_GLOBAL && i->space != SP_SHARED)
        return fail(c, mod_at(c, G_SPACE), "'%s' works on global and shared memory, not on .%s", name(c),
                    space_names[i->space]);
    const TypeInfo *t = &type_info[i->type];
    Mod op = (Mod)i->mod[G_ATOM];
    uint64_t types = 0;
    switch (op) {
    case M_A_AND:
    case M_A_OR:
    case M_A_XOR: types = T(B32) | T(B64); break;
    case M_A_EXCH: types = i->op == OP_ATOM ? T(B32) | T(B64) | T(B128) : 0; break;
    case M_A_CAS: types = i->op == OP_ATOM ? T_BIT | T(B128) : 0; break;
    case M_A_INC:
    case M_A_DEC: types = T(U32); break;
    case M_A_ADD: types = T(U32) | T(S32) | T(U64) | T_FLT | HALF | BRAIN; break;
    case M_A_MIN:
    case M_A_MAX: types = has(c, G_VEC) ? HALF | BRAIN : INT32_64; break;
    default: return fail(c, mod_at(c, G_ATOM), "modifier .%s does not apply to '%s' here", mod_info[op].name, name(c));
    }
    if (!only_types(c, G_ATOM, types) || !atomic_vectors(c)) return false;
    bool half = t->kind == K_FLOAT && i->type != TY_F32 && i->type != TY_F64;
    if (!only(c, G_NOFTZ, half) || !needs(c, !half || has(c, G_NOFTZ), ".noftz for half-precision types")) return false;
    int values = i->operands - (i->op == OP_ATOM) - 1 - has(c, G_HINT);
    if (values != (op == M_A_CAS ? 2 : 1))
        return wrong(c, i->at, "'%s.%s' takes %s", name(c), mod_info[op].name,
                     op == M_A_CAS ? "a comparison and a value" : "one value");
    return only(c, G_HINT, i->space != SP_SHARED);
}

static bool copies(const Legal *c)
{
    const Inst *i = c->i;
    int spaces = 0, good = 0;
    for (int k = 0; k < i->suffixes; k++) {
        Mod m = i->suffix[k] < M_COUNT ? (Mod)i->suffix[k] : M_NONE;
        if (mod_info[m].group != G_SPACE) continue;
        good += spaces++ ? m == M_GLOBAL : m == M_SHARED || m == M_SHARED_CTA;
    }
    if (spaces != 2 || good != 2) return fail(c, i->at, "'cp.async' copies .shared.global");
    if (!needs(c, has(c, G_CACHE), ".ca or .cg") || !only(c, G_CACHE, is(c, G_CACHE, M_CA, M_CG))) return false;
    uint64_t n = i->operands > 2 && i->opnd[2].kind == O_IMM ? i->opnd[2].imm : 0;
    bool fits = n == 16 || (i->mod[G_CACHE] == M_CA && (n == 4 || n == 8));
    return fits || i->operands < 3 ||
           wrong(c, i->opnd[2].at,
                 i->mod[G_CACHE] == M_CA ? "cp.async.ca copies 4, 8 or 16 bytes" : "cp.async.cg copies 16 bytes");
}

// --- what says how memory is used, and changes nothing of what is in it ----------------------------------------------
static bool hints(const Legal *c)
{
    const Inst *i = c->i;
    switch (i->op) {
    case OP_POLICY_CVT: return needs(c, i->mod[G_LEVEL] == M_L2, ".L2");
    case OP_POLICY_FRACTION:
    case OP_POLICY_RANGE:
        return needs(c, has(c, G_POLICY), "a priority such as .L2::evict_last") &&
               only(c, G_SPACE, i->space == SP_GLOBAL);
    case OP_DISCARD:
        if (!needs(c, i->mod[G_LEVEL] == M_L2, ".L2")) return false;
        break;
    default:
        if (!needs(c, i->mod[G_LEVEL] == M_L2_EVICT_NORMAL, ".L2::evict_normal")) return false;
    }
    bool size = i->operands != 2 || i->opnd[1].kind != O_IMM || i->opnd[1].imm == 128;
    return only(c, G_SPACE, i->space == SP_GLOBAL) &&
           (size || wrong(c, i->opnd[1].at, "'%s' works on 128 bytes", name(c)));
}

static bool proxy_fence(const Legal *c)
{
    const Inst *i = c->i;
    bool async = i->mod[G_PROXY] == M_P_ASYNC,
         shared = i->mod[G_SPACE] == M_SHARED_CTA || i->mod[G_SPACE] == M_SHARED_CLUSTER;
    return needs(c, has(c, G_PROXY), ".alias or .async") &&
           only(c, G_SPACE, async && (i->space == SP_GLOBAL || shared));
}

static bool of_space(const Legal *c)
{
    return needs(c, has(c, G_SPACE), "a state space") && only(c, G_SPACE, c->i->mod[G_SPACE] != M_PARAM_FUNC);
}

static bool load(const Legal *c) { return ordering(c) && caching(c) && vectors(c); }

static bool store(const Legal *c)
{
    return only(c, G_SPACE, c->i->space != SP_CONST && c->i->mod[G_SPACE] != M_PARAM_ENTRY) && load(c);
}

static bool ldu(const Legal *c) { return only(c, G_SPACE, c->i->space == SP_GLOBAL) && vectors(c); }

static bool prefetch(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, has(c, G_LEVEL), ".L1 or .L2") && only(c, G_SPACE, i->space == SP_GLOBAL || i->space == SP_LOCAL) &&
           only(c, G_LEVEL, i->mod[G_LEVEL] <= M_L2 || i->space != SP_LOCAL);
}

static bool prefetchu(const Legal *c) { return needs(c, c->i->mod[G_LEVEL] == M_L1, ".L1"); }

static bool texture(const Legal *c)
{
    const Inst *i = c->i;
    return needs(c, has(c, G_GEOM), ".1d or .2d") && needs(c, i->vec == 4, ".v4") &&
           needs(c, i->op == OP_TEX || i->mod[G_GEOM] == M_G2D, ".2d") &&
           needs(c, i->op == OP_TEX || has(c, G_COMP), "a component: .r, .g, .b or .a");
}

static bool membar(const Legal *c)
{
    return needs(c, has(c, G_SCOPE), ".cta, .gl or .sys") &&
           only(c, G_SCOPE, c->i->mod[G_SCOPE] != M_CLUSTER && c->i->mod[G_SCOPE] != M_GPU);
}

static bool fence(const Legal *c)
{
    uint16_t sem = c->i->mod[G_SEM];
    return needs(c, has(c, G_SCOPE), "a scope such as .gpu") && only(c, G_SCOPE, c->i->mod[G_SCOPE] != M_GL) &&
           only(c, G_SEM, sem != M_WEAK && sem != M_RELAXED && sem != M_VOLATILE);
}

// It has one form only.
static bool init_fence(const Legal *c)
{
    return needs(c, c->i->mod[G_SEM] == M_RELEASE, ".release") && needs(c, c->i->mod[G_SCOPE] == M_CLUSTER, ".cluster");
}

LegalRule *const legal_memory[OP_COUNT] = {
    [OP_CVTA] = of_space,
    [OP_ISSPACEP] = of_space,
    [OP_LD] = load,
    [OP_ST] = store,
    [OP_LDU] = ldu,
    [OP_ATOM] = atomics,
    [OP_RED] = atomics,
    [OP_CP_ASYNC] = copies,
    [OP_DISCARD] = hints,
    [OP_APPLYPRIORITY] = hints,
    [OP_POLICY_FRACTION] = hints,
    [OP_POLICY_RANGE] = hints,
    [OP_POLICY_CVT] = hints,
    [OP_PREFETCH] = prefetch,
    [OP_PREFETCHU] = prefetchu,
    [OP_TEX] = texture,
    [OP_TLD4] = texture,
    [OP_MEMBAR] = membar,
    [OP_FENCE] = fence,
    [OP_FENCE_INIT] = init_fence,
    [OP_FENCE_PROXY] = proxy_fence,
    [OP_MEMBAR_PROXY] = proxy_fence,
};
