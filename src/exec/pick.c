// pick.c: which build of the lane functions this host runs. The choice is made per call from the processor's flags, so
// nothing is kept.
#include "exec/unit.h"
#include "ptx/ops.h"

#define DECLARE(isa)                                                                                             \
    AddressFn *pick_address_##isa(void);                                                                         \
    StraightFn *pick_straight_##isa(void);                                                                       \
    ExecFn *pick_int_##isa(const Inst *i);                                                                       \
    ExecFn *pick_logic_##isa(const Inst *i);                                                                     \
    ExecFn *pick_compare_##isa(const Inst *i);                                                                   \
    ExecFn *pick_float_##isa(const Inst *i);                                                                     \
    ExecFn *pick_sfu_##isa(const Inst *i);                                                                       \
    ExecFn *pick_half_##isa(const Inst *i);                                                                      \
    ExecFn *pick_cvt_##isa(const Inst *i);                                                                       \
    ExecFn *pick_video_##isa(const Inst *i);                                                                     \
    ExecFn *pick_tensor_##isa(const Inst *i);                                                                    \
    MultiplyFn *pick_multiply_##isa(const Inst *i);                                                              \
    static ExecFn *pick_##isa(const Inst *i)                                                                     \
    {                                                                                                            \
        ExecFn *f = NULL;                                                                                        \
        bool integer = type_info[i->type].kind == K_UINT || type_info[i->type].kind == K_SINT ||                 \
                       type_info[i->type].kind == K_BITS;                                                        \
        bool half =                                                                                              \
            type_info[i->type].kind == K_FLOAT && i->type != TY_F32 && i->type != TY_F64 && i->type != TY_F32X2; \
        if (i->op == OP_CVT || i->op == OP_CVT_PACK) return pick_cvt_##isa(i);                                   \
        if (op_has(i->op, P_VIDEO)) return pick_video_##isa(i);                                                  \
        if (op_has(i->op, P_FOUR)) return pick_tensor_##isa(i);                                                  \
        if (integer) f = pick_int_##isa(i);                                                                      \
        if (!f && half) f = pick_half_##isa(i);                                                                  \
        if (!f && !integer) f = pick_sfu_##isa(i);                                                               \
        if (!f && !integer && !half) f = pick_float_##isa(i);                                                    \
        if (!f) f = pick_compare_##isa(i);                                                                       \
        if (!f) f = pick_logic_##isa(i);                                                                         \
        return f;                                                                                                \
    }

#if defined(__x86_64__)
DECLARE(sse2)
DECLARE(avx2)
DECLARE(avx512)

// 2: avx512, 1: avx2, 0: neither.
static int level(void)
{
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") && __builtin_cpu_supports("avx512dq") &&
        __builtin_cpu_supports("avx512vl"))
        return 2;
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi2");
}

ExecFn *exec_pick(const Inst *i)
{
    int l = level();
    return l == 2 ? pick_avx512(i) : l ? pick_avx2(i) : pick_sse2(i);
}

MultiplyFn *exec_pick_multiply(const Inst *i)
{
    int l = level();
    return l == 2 ? pick_multiply_avx512(i) : l ? pick_multiply_avx2(i) : pick_multiply_sse2(i);
}

AddressFn *exec_pick_address(void)
{
    int l = level();
    return l == 2 ? pick_address_avx512() : l ? pick_address_avx2() : pick_address_sse2();
}

StraightFn *exec_pick_straight(void)
{
    int l = level();
    return l == 2 ? pick_straight_avx512() : l ? pick_straight_avx2() : pick_straight_sse2();
}
#else
DECLARE(generic)

ExecFn *exec_pick(const Inst *i) { return pick_generic(i); }
MultiplyFn *exec_pick_multiply(const Inst *i) { return pick_multiply_generic(i); }
AddressFn *exec_pick_address(void) { return pick_address_generic(); }
StraightFn *exec_pick_straight(void) { return pick_straight_generic(); }
#endif
