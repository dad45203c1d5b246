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
    bool eight = i->vec == 8 && type_info[i->type].bits == 16;
    return only_types(c, G_VEC, types) && only(c, G_VEC, i->space != SP_SHARED && (eight || vectors(c)));
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
    const uint16_t proxy = i->mod[G_PROXY], sem = i->mod[G_SEM];
    const bool async = proxy == M_P_ASYNC, maps = proxy == M_TENSORMAP_GENERIC, both = proxy == M_ASYNC_GENERIC,
               shared = i->mod[G_SPACE] == M_SHARED_CTA || i->mod[G_SPACE] == M_SHARED_CLUSTER;
    const Mod where = sem == M_ACQUIRE ? M_RESTRICT_CLUSTER : M_RESTRICT_CTA;
    if (!needs(c, has(c, G_PROXY), ".alias or .async") ||
        !only(c, G_SPACE, async && (i->space == SP_GLOBAL || shared)) ||
        !only(c, G_SEM, (maps || both) && (sem == M_ACQUIRE || sem == M_RELEASE)) || !only(c, G_SCOPE, maps || both) ||
        !only(c, G_MODE, both && i->mod[G_MODE] == where) || !needs(c, !(maps || both) || has(c, G_SCOPE), "a scope"))
        return false;
    if (both && !needs(c, has(c, G_MODE) && i->mod[G_SCOPE] == M_CLUSTER, ".sync_restrict and .cluster")) return false;
    const int operands = maps && sem == M_ACQUIRE ? 2 : 0;
    if (i->operands != operands) return wrong(c, i->at, "this 'fence.proxy' takes %d operands", operands);
    return !operands || (i->opnd[1].kind == O_IMM && i->opnd[1].imm == 128) ||
           wrong(c, i->opnd[1].at, "a tensor map has 128 bytes");
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
    if (i->mod[G_LEVEL] == M_TENSORMAP)
        return only(c, G_SPACE, i->space == SP_CONST || i->mod[G_SPACE] == M_PARAM) &&
               since(c, "a prefetch of a tensor map", 80, 90);
    return needs(c, has(c, G_LEVEL), ".L1 or .L2") && only(c, G_SPACE, i->space == SP_GLOBAL || i->space == SP_LOCAL) &&
           only(c, G_LEVEL, i->mod[G_LEVEL] <= M_L2 || i->space != SP_LOCAL);
}

static bool prefetchu(const Legal *c) { return needs(c, c->i->mod[G_LEVEL] == M_L1, ".L1"); }

// --- textures and surfaces -------------------------------------------------------------------------------------------
static bool texture(const Legal *c)
{
    const Inst *i = c->i;
    const TexShape shape = tex_shape(i->mod[G_GEOM]);
    bool pairs = i->type == TY_F16X2, gather = i->op == OP_TLD4, volume = i->mod[G_GEOM] == M_G3D;
    if (!needs(c, has(c, G_GEOM), ".1d or .2d") || !needs(c, i->vec == (pairs ? 2 : 4), pairs ? ".v2" : ".v4"))
        return false;
    if (!only(c, G_GEOM, i->mod[G_GEOM] <= M_GA2DMS)) return false;
    if (gather)
        return needs(c, shape.coordinates > 1 && !volume && !shape.samples, ".2d, .a2d, .cube or .acube") &&
               needs(c, has(c, G_COMP), "a component: .r, .g, .b or .a");
    if (shape.samples) return legal_refuse(c, mod_at(c, G_GEOM), FORM_TEX_SAMPLES);
    if (shape.cube && i->type2 != TY_F32) return fail(c, i->at, "coordinates of cubes are of type .f32");
    return true;
}

static bool texture_query(const Legal *c)
{
    uint16_t query = c->i->mod[G_QUERY];
    bool level = c->i->operands == 3;
    return needs(c, has(c, G_QUERY), "what it asks for, such as .width") && only(c, G_QUERY, query != M_Q_LAYOUT) &&
           only(c, G_MIP, c->i->mod[G_MIP] == M_AT_LEVEL && query <= M_Q_DEPTH) &&
           (level == has(c, G_MIP) || wrong(c, c->i->at, "'txq' takes a level exactly with .level"));
}

static bool surface_query(const Legal *c)
{
    uint16_t query = c->i->mod[G_QUERY];
    return needs(c, has(c, G_QUERY), "what it asks for, such as .width") &&
           only(c, G_QUERY, query <= M_Q_ARRAY_SIZE || query == M_Q_LAYOUT);
}

static bool surface(const Legal *c)
{
    const Inst *i = c->i;
    const TexShape shape = tex_shape(i->mod[G_GEOM]);
    bool load = i->op == OP_SULD, reduces = i->op == OP_SURED || i->op == OP_SURED_P;
    if (!needs(c, has(c, G_GEOM), ".1d, .2d or .3d") || !needs(c, has(c, G_OUTSIDE), ".trap, .clamp or .zero"))
        return false;
    if (!only(c, G_GEOM, !shape.cube && !shape.samples && !(reduces && shape.layered))) return false;
    uint16_t cache = i->mod[G_CACHE];
    bool kept = cache == M_CG || cache == M_CS || (load ? cache == M_CA || cache == M_CV : cache >= M_WB);
    return only(c, G_CACHE, kept) && only(c, G_VEC, i->vec * type_info[i->type].bits <= 128 && i->vec < 8);
}

// Which types go with which operation (§9.7.11.3)
static bool surface_sum(const Legal *c)
{
    const Inst *i = c->i;
    Mod op = (Mod)i->mod[G_ATOM];
    bool bytes = i->op == OP_SURED;
    uint64_t types = 0;
    if (op == M_A_ADD) types = bytes ? T(U32) | T(S32) | T(U64) : T(B32);
    if (op == M_A_MIN || op == M_A_MAX) types = bytes ? INT32_64 : T(B32) | T(B64);
    if (op == M_A_AND || op == M_A_OR) types = T(B32);
    return needs(c, has(c, G_ATOM), "an operation such as .add") && only_types(c, G_ATOM, types) && surface(c);
}

static bool membar(const Legal *c)
{
    return needs(c, has(c, G_SCOPE), ".cta, .gl or .sys") &&
           only(c, G_SCOPE, c->i->mod[G_SCOPE] != M_CLUSTER && c->i->mod[G_SCOPE] != M_GPU);
}

static bool fence(const Legal *c)
{
    uint16_t sem = c->i->mod[G_SEM];
    const Mod where = sem == M_ACQUIRE ? M_RESTRICT_CLUSTER : M_RESTRICT_CTA;
    const bool restricted = (sem == M_ACQUIRE || sem == M_RELEASE) && c->i->mod[G_SCOPE] == M_CLUSTER;
    return needs(c, has(c, G_SCOPE), "a scope such as .gpu") && only(c, G_SCOPE, c->i->mod[G_SCOPE] != M_GL) &&
           only(c, G_MODE, restricted && c->i->mod[G_MODE] == where) &&
           only(c, G_SEM, sem != M_WEAK && sem != M_RELAXED && sem != M_VOLATILE);
}

// It has one form only.
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
    [OP_TXQ] = texture_query,
    [OP_SUQ] = surface_query,
    [OP_SULD] = surface,
    [OP_SUST] = surface,
    [OP_SUST_P] = surface,
    [OP_SURED] = surface_sum,
    [OP_SURED_P] = surface_sum,
    [OP_MEMBAR] = membar,
    [OP_FENCE] = fence,
    [OP_FENCE_PROXY] = proxy_fence,
    [OP_MEMBAR_PROXY] = proxy_fence,
};
