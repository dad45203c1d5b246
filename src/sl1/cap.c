// cap.c: the most registers that a rewritten kernel may have. A few registers more than the original has can cost a
// multiprocessor a fourth of its warps, since a warp's registers are allocated in large units. If a rewritten kernel
// misses the number of warps that it had with at most SPILLED registers less, it gets .maxnreg, and the compiler keeps
// what is used least in local memory. A kernel that has such a directive of its own is left as it is. So is one with
// calls, whose need isn't that of its own text alone.
#include "ptx/flow.h"
#include "sl1/sl1.h"

enum { SPILLED = 4 };

// Warps that a multiprocessor has room for by registers alone. From sm_30 on it has 65536 registers in four parts, and
// a warp gets them in units of 256 (CUDA occupancy calculator). The most warps are those of the CUDA C++ Programming
// Guide, "Technical Specifications per Compute Capability".
static uint32_t warps(uint32_t sm, uint32_t registers)
{
    enum { PARTS = 4, PART = 65536 / PARTS, UNIT = 256, LANES = 32 };
    uint32_t most = sm == 75 ? 32 : sm == 86 || sm == 87 || sm == 88 || sm == 89 || sm >= 120 ? 48 : 64;
    uint32_t warp = (registers * LANES + UNIT - 1) / UNIT * UNIT;
    return warp ? MIN(PARTS * (PART / warp), most) : most;
}

uint32_t sl1_need(const Function *f)
{
    Function *lowered = ptx_lower(f, 0);
    Flow *flow = flow_build(lowered);
    flow_live(flow);
    Alloc *a = alloc_colour(flow);
    uint32_t need = a->slots;
    alloc_free(a), flow_free(flow);
    ptx_lowered_free(lowered);
    return need;
}

uint32_t sl1_cap(uint32_t sm, uint32_t original, uint32_t rewritten)
{
    if (sm < 30) return 0;  // in its small units a few registers are a warp or two
    for (uint32_t less = 1; less <= SPILLED && less < rewritten; less++)
        if (rewritten - less >= original && warps(sm, rewritten - less) > warps(sm, rewritten)) return rewritten - less;
    return 0;
}
