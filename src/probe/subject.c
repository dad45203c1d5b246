// subject.c: runs a sequence on a subject, and keeps the latencies (probe.h).
#include "probe/infer.h"

#include <string.h>

bool walk_inside(const Walk *w, uint64_t span)
{
    if (!w->count) return true;
    uint64_t steps = w->count - 1;
    if (w->start >= span || (w->start | (uint64_t)w->stride | w->wrap) % 4) return false;
    if (w->wrap)
        return w->stride >= 0 && (uint64_t)w->stride < w->wrap &&
               (steps <= (w->wrap - 1) / MAX((uint64_t)w->stride, 1u) ? steps * (uint64_t)w->stride : w->wrap - 4) <
                   span - w->start;
    uint64_t most = w->stride < 0 ? w->start : span - 1 - w->start,
             step = w->stride < 0 ? 0 - (uint64_t)w->stride : (uint64_t)w->stride;
    return !step || steps <= most / step;
}

static size_t timed_loads(const Walk *walks, size_t n, uint32_t rounds)
{
    size_t sum = 0;
    for (size_t w = 0; w < n; w++) sum += walks[w].timed ? walks[w].count : 0;
    return sum * rounds;
}

bool subject_run(Subject *s, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                 uint32_t *latency, Diag *diag)
{
    const size_t timed = timed_loads(walks, n, rounds - first), window = s->window ? s->window(s->of, n) : 0;
    const uint64_t executions = window && timed ? (timed + window - 1) / window : 1;
    uint64_t loads = 0;
    for (size_t w = 0; w < n; w++) loads += (uint64_t)walks[w].count * rounds;
    if (!bound_take(s->bound, loads * executions)) return false;
    if (!s->run(s->of, kind, walks, n, rounds, first, latency, diag)) return false;
    s->loads += loads;
    if (timed > s->keep) return true;
    s->keep -= timed;
    Run r = {.kind = kind,
             .n = n,
             .rounds = rounds,
             .first = first,
             .timed = timed,
             .walks = mem_alloc(n * sizeof *walks),
             .latency = mem_alloc(timed * sizeof *latency)};
    memcpy(r.walks, walks, n * sizeof *walks);
    memcpy(r.latency, latency, timed * sizeof *latency);
    vec_push(&s->runs, r);
    return true;
}

uint32_t subject_walks(const Subject *s) { return s->walks ? MIN(s->walks, CHASE_WALKS) : CHASE_WALKS; }

void subject_close(Subject *s)
{
    for (size_t r = 0; r < s->runs.n; r++) mem_free(s->runs.v[r].walks), mem_free(s->runs.v[r].latency);
    vec_free(&s->runs);
}
