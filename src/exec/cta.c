// cta.c: a CTA's memory: its warps with their registers, splits and local memory, and its shared memory. It stays when
// the CTA is over, for the next one and for later launches: the host clears each page that it gives.
// Invariant: a CTA finds what it would find in new memory. What its warps see at once is cleared when it starts; frames
// of calls (call.c) and local memory (memory.c) are cleared as they come into use.
#include "exec/unit.h"

#include <stdlib.h>

enum { ALIGN = HOST_LINE };  // of rows

uint8_t *exec_rows(uint32_t bytes)
{
    void *p = NULL;
    return posix_memalign(&p, ALIGN, bytes) ? NULL : p;
}

void exec_rows_free(uint8_t *rows) { free(rows); }

static uint32_t warps_of(const LaunchInfo *l) { return (l->block[0] * l->block[1] * l->block[2] + LANES - 1) / LANES; }

static uint32_t shared_of(const LaunchInfo *l) { return l->kernel->static_shared + l->dynamic_shared; }

uint64_t exec_cta_lacks(const Cta *cta, const LaunchInfo *l)
{
    uint32_t warps = warps_of(l), rows = l->kernel->code->frame_bytes;
    uint64_t bytes = 0;
    if (!cta->shared || shared_of(l) > cta->shared_room) bytes += shared_of(l) + ALIGN;
    if (warps > cta->warp_room) bytes += warps * sizeof(Warp) + (warps - cta->warp_room) * FIRST_SPLITS * sizeof(Split);
    for (uint32_t w = 0; w < warps; w++)
        if (w >= cta->warp_room || rows > cta->warps[w].rows_room) bytes += rows + ALIGN;
    return bytes;
}

// Whoever starts a CTA has asked for what it lacks (mem_room).
static void make_room(Cta *cta, const LaunchInfo *l)
{
    uint32_t warps = warps_of(l), rows = l->kernel->code->frame_bytes;
    if (!cta->shared || shared_of(l) > cta->shared_room) {
        mem_free(cta->shared);
        cta->shared = mem_alloc(shared_of(l) + 16);
        cta->shared_room = shared_of(l);
    }
    if (warps > cta->warp_room) {
        Warp *more = mem_lines(sizeof(Warp) * warps);
        if (cta->warp_room) memcpy(more, cta->warps, sizeof(Warp) * cta->warp_room);
        mem_free(cta->warps);
        cta->warps = more, cta->warp_room = warps;
    }
    for (uint32_t w = 0; w < warps; w++) {
        Warp *warp = &cta->warps[w];
        if (rows <= warp->rows_room) continue;
        exec_rows_free(warp->rows);
        warp->rows = exec_rows(rows);
        if (!warp->rows) abort();
        warp->rows_room = rows;
    }
}

void exec_cta_start(Env *env, Cta *cta, uint64_t number, Cluster *cluster, uint32_t rank)
{
    const LaunchInfo *i = env->launch;
    const Kernel *k = i->kernel;
    make_room(cta, i);
    cta->number = number;
    cta->x = (uint32_t)(number % i->grid[0]);
    cta->y = (uint32_t)(number / i->grid[0] % i->grid[1]);
    cta->z = (uint32_t)(number / i->grid[0] / i->grid[1]);
    cta->threads = cta->live_threads = i->block[0] * i->block[1] * i->block[2];
    cta->warp_count = warps_of(i);
    cta->env = env;
    cta->running = true;
    env->changed = env->clock;
    memset(cta->barrier, 0, sizeof cta->barrier);
    cta->tries = 0;
    cluster_leave(cta);
    cta->alone = (Cluster){.n = 1, .members = 1};
    cta->cluster = cluster ? cluster : &cta->alone;
    cta->rank = rank;
    cta->cluster->cta[rank] = cta;
    cta->cluster->live += cta->threads;
    cta->shared_bytes = shared_of(i);
    memset(cta->shared, 0, cta->shared_bytes);
    for (uint32_t n = 0; n < cta->warp_count; n++) {
        Warp *w = &cta->warps[n];
        w->rows_cap = k->code->frame_bytes;
        w->local_cap = 0;
        // By kilobytes: a host that clears long stretches by a string instruction is slow where they are this short.
        for (uint32_t at = 0; at < w->rows_cap; at += 1024) memset(w->rows + at, 0, MIN(w->rows_cap - at, 1024u));
        w->cta = cta;
        w->in_cta = n;
        w->tid0 = n * LANES;
        w->l.bank[1] = k->consts;
        w->l.cc = 0;
        w->bases_known = 0;
        uint32_t threads = cta->threads - w->tid0;
        split_init(w, k->code, threads >= LANES ? FULL : (1u << threads) - 1);
        w->l.pred[PRED_TRUE] = FULL;
    }
    if (env->check) check_cta_start(env, cta);
}

void exec_cta_free(Cta *cta)
{
    for (uint32_t n = 0; n < cta->warp_room; n++) {
        exec_rows_free(cta->warps[n].rows);
        mem_free(cta->warps[n].local);
        vec_free(&cta->warps[n].splits);
        exec_audit_free(&cta->warps[n]);
        mem_free(cta->warps[n].bases);
    }
    cluster_leave(cta);
    mem_free(cta->warps);
    mem_free(cta->shared);
    check_cta_free(cta);
    *cta = (Cta){0};
}

void exec_env_free(Env *env)
{
    for (size_t k = 0; k < env->copies.n; k++) vec_free(&env->copies.v[k].rows);
    for (size_t k = 0; k < env->late.n; k++) mem_free(env->late.v[k].data);
    vec_free(&env->copies);
    vec_free(&env->arrivals);
    vec_free(&env->late);
    text_free(&env->printed);
}
