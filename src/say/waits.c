// waits.c: how much warps waited for copies that they had begun, of the empty issue slots. It follows from the
// instructions that they waited at: one of copies in groups waits for these alone; at an mbarrier a phase ends when
// its threads have arrived and its bytes are there, so that what of it was for a copy isn't known.
#include "exec/code.h"
#include "ptx/ops.h"
#include "say/unit.h"

typedef enum CopyWait { WAIT_MBARRIER, WAIT_BULK, WAIT_COPY, COPY_WAITS, WAIT_NONE = COPY_WAITS } CopyWait;
static const char *const texts[COPY_WAITS] = {[WAIT_MBARRIER] = "at mbarriers",
                                              [WAIT_BULK] = "for groups of copies in bulk",
                                              [WAIT_COPY] = "for groups of cp.async"};

static CopyWait kind_of(Op op)
{
    switch (op) {
    case OP_MBAR_TEST:
    case OP_MBAR_TEST_PARITY:
    case OP_MBAR_TRY:
    case OP_MBAR_TRY_PARITY: return WAIT_MBARRIER;
    case OP_BULK_WAIT: return WAIT_BULK;
    case OP_CP_ASYNC_WAIT:
    case OP_CP_ASYNC_WAIT_ALL: return WAIT_COPY;
    default: return WAIT_NONE;
    }
}

const char *wait_for_copies(Op op)
{
    static const char *const words[COPY_WAITS] = {[WAIT_MBARRIER] = "at barriers are at an mbarrier:",
                                                  [WAIT_BULK] = "for memory are for copies in bulk:",
                                                  [WAIT_COPY] = "for memory are for copies:"};
    const CopyWait kind = kind_of(op);
    return kind == WAIT_NONE ? NULL : words[kind];
}

void waits_say(const LaunchSum *sum, Text *out)
{
    uint64_t slots[COPY_WAITS] = {0};
    for (size_t c = 0; sum->code && sum->inst && c < sum->code->codes.n; c++) {
        const Code *code = sum->code->codes.v[c];
        for (uint32_t i = 0; i < code->n; i++) {
            const CopyWait kind = kind_of((Op)code->insts[i].op);
            const InstStat *s = &sum->inst[code->stat_base + i];
            if (kind != WAIT_NONE) slots[kind] += kind == WAIT_MBARRIER ? s->barrier : s->stalls;
        }
    }
    for (int k = 0; k < COPY_WAITS; k++) {
        const double share = sum->count[C_ISSUE_SLOTS] ? (double)slots[k] / (double)sum->count[C_ISSUE_SLOTS] : 0;
        if (share >= 0.0005) text_printf(out, "%s%s %.1f %%", out->n ? ", " : "", texts[k], 100 * share);
    }
}
