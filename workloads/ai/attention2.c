// attention2: attention in the manner of FlashAttention-2.
#include "attention_host.h"

static void run(Work *work)
{
    const Attention a = attention_make(work);
    work_launch(work, a.dim == 64 ? "attention2_64" : "attention2_128",
                dim2((uint32_t)(a.length / 128), (uint32_t)a.heads), dim1(128), (uint32_t)(a.dim * 512),
                ARGS(arg_i32(a.length), arg_i32(a.causal), arg_f32(a.factor), arg_buf(a.q.device), arg_buf(a.k.device),
                     arg_buf(a.v.device), arg_buf(a.o)));
    attention_check(work, &a);
}

static const WorkParam params[] = {ATTENTION_PARAMS, {.name = NULL}};

const Workload workload_ai_attention2 = {
    "attention2", "ai", "attention of f16 by mma.sync with an online softmax (FlashAttention-2, Dao 2023)", params,
    run};
