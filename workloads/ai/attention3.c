// attention3: attention in the manner of FlashAttention-3.
#include "attention_host.h"

static int64_t bytes_of(int64_t dim, int64_t groups, int64_t stages)
{
    return groups * 128 * dim + stages * 512 * dim + 8 + stages * 32;
}

static void run(Work *work)
{
    const Attention a = attention_make(work);
    const int64_t room = work_block_shared(work),
                  groups = work_param_or(work, "groups", bytes_of(a.dim, 2, 1) <= room ? 2 : 1);
    const int64_t stages = work_param_or(work, "stages", bytes_of(a.dim, groups, 2) <= room ? 2 : 1);
    if (bytes_of(a.dim, groups, stages) > room)
        work_refuse(work, groups > 1 || stages > 1 ? "stages" : "dim",
                    "a size for which a block's shared memory has room");
    map_halves(work, "map_q", a.q.device, a.heads * a.length, a.dim, 64);
    map_halves(work, "map_k", a.k.device, a.heads * a.length, a.dim, 128);
    map_halves(work, "map_v", a.v.device, a.heads * a.length, a.dim, 128);
    static const char *const kernels[2][2] = {{"attention3_64_1", "attention3_64_2"},
                                              {"attention3_128_1", "attention3_128_2"}};
    work_launch(work, kernels[a.dim == 128][groups == 2], dim2((uint32_t)(a.length / (64 * groups)), (uint32_t)a.heads),
                dim1((uint32_t)groups * 128 + 128), (uint32_t)bytes_of(a.dim, groups, stages),
                ARGS(arg_i32(a.length), arg_i32(a.causal), arg_f32(a.factor), arg_i32(stages), arg_buf(a.o)));
    attention_check(work, &a);
}

static const WorkParam params[] = {
    ATTENTION_PARAMS,
    {"groups", "warpgroups of 64 rows of Q in a block, 1 or 2; 0: 2 where shared memory has room", 0, 0, 0, 2},
    {"stages", "tiles of K and of V that copies fill ahead; 0: 2 where shared memory has room, else 1", 0, 0, 0, 4},
    {.name = NULL},
};

const Workload workload_ai_attention3 = {"attention3", "ai",
                                         "attention of f16 by wgmma, with copies by a warp and groups that take turns "
                                         "(FlashAttention-3, Shah et al. 2024; sm_90a)",
                                         params, run};
