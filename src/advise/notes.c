// notes.c: what a programmer could write that no run can try: the launches are the program's own, or the compiler's
// part in it isn't simulated. Each note says what speaks for it.
#include "advise/unit.h"
#include "exec/launch.h"
#include "names/names.h"

#include <inttypes.h>
#include <string.h>

typedef struct Noting {
    const Plan *plan;
    const StoredRun *run;
    Arena *arena;
    Notes *out;
} Noting;

static void add(const Noting *x, const char *kind, const char *what, const char *write)
{
    vec_push(x->out, ((Note){.kind = kind, .what = what, .write = write}));
}

// The kernel's name without its parameters, and the first of its lines: "saxpy at saxpy.cu:3".
static const char *kernel_place(const Noting *x, const RunKernel *r)
{
    const RunLine *first = NULL;
    char *shown = name_shown(r->name);
    for (size_t k = 0; k < r->lines.n; k++) {
        const RunLine *l = &r->lines.v[k];
        if (l->line && l->file && *l->file && !l->at_line && (!first || l->line < first->line)) first = l;
    }
    const char *place = arena_printf(x->arena, "%.*s", (int)strcspn(shown, "("), shown);
    if (first) place = arena_printf(x->arena, "%s at %s:%" PRIu64, place, base_name(first->file), first->line);
    mem_free(shown);
    return place;
}

// --- the block's size ------------------------------------------------------------------------------------------------
// The warps of an SM with blocks of so many threads, as far as their number alone bounds them.
static uint32_t room(const SmCfg *s, uint32_t threads)
{
    const uint32_t warps = (threads + LANES - 1) / LANES;
    return MIN(MIN(s->max_warps / warps, s->max_threads / threads), s->max_blocks) * warps;
}

// Where the block's own size bounds the warps of an SM. The runs of a file's kernel try it (find_shapes).
static void note_blocks(const Noting *x, const RunKernel *r)
{
    static const uint32_t sizes[] = {128, 256, 64, 512};
    const SmCfg *s = &x->plan->gpu->sm;
    uint32_t b[3], best = 0;
    if (x->plan->workload || (x->plan->file && !x->plan->file->script) || !shape_read(r->block, b)) return;
    const uint64_t threads = (uint64_t)b[0] * b[1] * b[2];
    const bool by_size =
        r->limit && (!strcmp(r->limit, "blocks") || !strcmp(r->limit, "warps") || !strcmp(r->limit, "threads"));
    for (size_t k = 0; by_size && k < COUNT(sizes); k++)
        if (sizes[k] <= s->max_threads && (!best || room(s, sizes[k]) > room(s, best))) best = sizes[k];
    if (!best || room(s, best) * 10 <= r->warps * 11) return;
    add(x, "block",
        arena_printf(x->arena,
                     "blocks of %u threads instead of %" PRIu64 " for %s: an SM would have room for up to %u "
                     "warps instead of %" PRIu64,
                     best, threads, kernel_place(x, r), room(s, best), r->warps),
        arena_printf(x->arena,
                     "launch blocks of %u threads, and as many threads in all; what registers and shared "
                     "memory leave room for: onchip show occupancy",
                     best));
}

// --- what the kernels' text shows ------------------------------------------------------------------------------------
static double waits(const StoredRun *run)
{
    const uint64_t slots = run->count[C_ISSUE_SLOTS];
    return slots ? 100.0 * (double)run->count[C_STALL_MEMORY] / (double)slots : 0;
}

static void note_fact(const Noting *x, const Fact *o)
{
    const char *at = *o->place ? arena_printf(x->arena, " at %s", o->place) : "";
    if (o->kind == FACT_AGAIN)
        add(x, "restrict",
            arena_printf(x->arena, "%s is loaded again%s, since a store in between may have changed it", o->array, at),
            "declare the pointers const … __restrict__, if they don't overlap, or keep the value in a variable");
    if (o->kind == FACT_COPY && !o->runs && x->plan->gpu->capability >= ASYNC_CAPABILITY)
        add(x, "cp.async",
            arena_printf(x->arena,
                         "loads of %s%s go through a register to shared memory, and the warp waits for them "
                         "there; of all issue slots %.0f %% wait for memory",
                         o->array, at, waits(x->run)),
            arena_printf(x->arena,
                         "__pipeline_memcpy_async(&tile[…], &%s[…], %u); and __pipeline_commit(); "
                         "__pipeline_wait_prior(0); before the barrier",
                         o->array, o->bytes));
}

void notes_find(const Plan *plan, const StoredRun *run, const Facts *facts, Arena *arena, Notes *out)
{
    const Noting x = {plan, run, arena, out};
    for (size_t k = 0; k < run->kernels.n; k++)
        if (!run->kernels.v[k].functional) note_blocks(&x, &run->kernels.v[k]);
    for (size_t k = 0; k < facts->n; k++) note_fact(&x, &facts->v[k]);
}
