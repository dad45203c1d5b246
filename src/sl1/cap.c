// cap.c: the most registers that a rewritten kernel may have. S-L1's state takes registers (§3.3), and a multiprocessor
// "will schedule fewer online threads to be able to provide them" (footnote 10). So a rewritten kernel that an SM would
// hold fewer warps of than of the original gets .maxnreg: the most registers with which there are as many, or as near
// to that as it gets without more than the cache's state in local memory. What is kept there is what is used least: the
// state of data structures that aren't cached, which the paper's compiler "might spill to memory, without accessing
// them later" (§3.3). Lines that the setting "registers" has in registers are no such state.
//
// Where the kernel calls functions, a callee saves registers on the stack instead, as the original's do: of grep, ptxas
// 13.0 takes 27 registers, of its rewritten kernel 32, and saves as many in the functions. A kernel that has such a
// directive of its own is left as it is.
#include "ptx/flow.h"
#include "sl1/unit.h"

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

static uint32_t own_need(const Function *f)
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

// What a function calls is left before it is, but for a call that leads back to it.
uint32_t sl1_need(const Function *f)
{
    Sl1Graph g = sl1_graph(f);
    uint32_t *order = mem_alloc(g.of.n * sizeof *order), *need = mem_alloc(g.of.n * sizeof *need);
    for (uint32_t k = 0; k < g.of.n; k++) order[g.of.v[k].left] = k;
    for (size_t n = 0; n < g.of.n; n++) {
        const Sl1Node *v = &g.of.v[order[n]];
        uint32_t most = 0;
        for (uint32_t c = v->first; c < v->last; c++) {
            const Sl1Node *to = &g.of.v[g.calls.v[c]];
            if (to->left < v->left) most = MAX(most, need[to->left]);
        }
        need[n] = most + (v->f->has_body ? own_need(v->f) : 0);
    }
    uint32_t all = need[g.of.n - 1];  // the kernel is left last
    mem_free(order), mem_free(need);
    sl1_graph_free(&g);
    return all;
}

uint32_t sl1_cap(uint32_t sm, uint32_t original, uint32_t rewritten, uint32_t state)
{
    if (sm < 30) return 0;  // in its small units a few registers are a warp or two
    uint32_t least = MAX(original, rewritten > state ? rewritten - state : 1), best = rewritten;
    for (uint32_t cap = rewritten; cap >= least; cap--)
        if (warps(sm, cap) > warps(sm, best)) best = cap;
    return best < rewritten ? best : 0;
}
