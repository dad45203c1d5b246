// overread.c: reads behind the end of an allocation. A card gives memory in pages of 2 MiB, so such a read goes on
// there as long as its page has any memory: surplus threads read, and nobody uses what they got. It goes on here, too:
// what lies outside of allocations is zero. The first one of a launch is remembered with its place. Memory that was
// freed, and everything in front of an allocation at its page's start, is a fault as before; so is every write.
#include "exec/check.h"

#include <string.h>

enum { CARD_PAGE = 2 << 20 };

// Has the page any memory that lies in an allocation?
static bool page_lives(const Gmem *g, uint64_t page)
{
    for (size_t k = gmem_below(g, page + CARD_PAGE - 1); k; k--) {
        const Allocation *a = &g->allocs.v[k - 1];
        if (!a->freed && a->end > page) return true;
        if (a->start < page) return false;
    }
    return false;
}

bool overread_passes(const Env *env, uint64_t address, uint64_t bytes)
{
    const Gmem *g = env->gmem;
    if (!env->overread || address < GLOBAL_BASE || address >= SHARED_WINDOW || bytes > MAX_SHARED) return false;
    for (size_t k = gmem_below(g, address + bytes - 1); k; k--) {
        const Allocation *a = &g->allocs.v[k - 1];
        if (a->end <= address) break;
        if (a->freed) return false;
    }
    for (uint64_t page = address / CARD_PAGE * CARD_PAGE; page < address + bytes; page += CARD_PAGE)
        if (!page_lives(g, page)) return false;
    return true;
}

void overread_fetch(const Env *env, uint64_t address, void *to, uint64_t bytes)
{
    const Gmem *g = env->gmem;
    memset(to, 0, bytes);
    for (size_t k = gmem_below(g, address + bytes - 1); k; k--) {
        const Allocation *a = &g->allocs.v[k - 1];
        const uint64_t from = MAX(a->start, address), end = MIN(a->end, address + bytes);
        if (a->end <= address) break;
        memcpy((uint8_t *)to + (from - address), gmem_host(g, from), end - from);
    }
    if (env->log && env->log->lines.n) log_patch(env->log, address, to, (uint32_t)bytes);
}

void overread_note(Env *env, Warp *w, FaultKind kind, uint32_t lane, uint64_t address, uint32_t bytes)
{
    Overread *o = &env->over;
    if (!o->lanes++) {
        exec_fault(env, w, kind, lane, address, bytes, false);
        o->first = env->fault;
        env->fault = (Fault){0};
    }
    o->now |= 1u << lane;
    if (env->check) check_overread(env, w, kind == FAULT_CONST ? SP_CONST : SP_GLOBAL, lane, address, bytes);
}
