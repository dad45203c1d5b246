// presence.c: is there a cache in front of the L2 that serves loads of a kind? Two things tell. A load that is
// repeated is clearly faster than one past the L1. Or the first load of a line takes clearly longer than a repeated
// one, although the L2 has the line. Loads past the L1 are the control: what their first loads take longer, for
// example because a page isn't in a TLB, isn't due to such a cache. If neither can be seen, noise may hide it. Then
// the samples are enlarged, until the answer is clear or PATIENCE is at its end.
#include "probe/infer.h"

#include <math.h>

// Lines of one page, in most cases: LINES lines, STRIDE bytes apart, from FROM on.
enum { LINES = 32, STRIDE = 640, FROM = 4096, AGAIN = 100, PATIENCE = 256 };

// One word is loaded again and again.
static bool repeated(Subject *s, ChaseKind kind, uint32_t rounds, Sample *out, Diag *diag)
{
    const Walk walk = {.count = AGAIN, .timed = true};
    uint32_t *latency = mem_alloc(sizeof *latency * AGAIN * rounds);
    bool ok = subject_run(s, kind, &walk, 1, 2 + rounds, 2, latency, diag);
    if (ok) *out = sample_of(latency, (size_t)AGAIN * rounds);
    mem_free(latency);
    return ok;
}

// Lines are loaded for the first time in a run. A run before has brought them into the L2, if the L2 keeps them. The
// load of another line brings in their page.
static bool fresh(Subject *s, ChaseKind kind, uint32_t runs, Sample *out, Diag *diag)
{
    const Walk walks[] = {{.count = 1}, {.start = FROM, .stride = STRIDE, .count = LINES, .timed = true}};
    uint32_t *latency = mem_alloc(sizeof *latency * LINES * (runs + 1));
    bool ok = true;
    for (uint32_t r = 0; r <= runs && ok; r++)
        ok = subject_run(s, kind, walks, COUNT(walks), 1, 0, latency + (size_t)r * LINES, diag);
    if (ok) *out = sample_of(latency + LINES, (size_t)LINES * runs);
    mem_free(latency);
    return ok;
}

bool find_presence(Subject *s, ChaseKind kind, Presence *out, Diag *diag)
{
    Sample own, past, first, control;
    *out = (Presence){.past = INFINITY};
    for (uint32_t rounds = 4; rounds <= PATIENCE; rounds *= 4) {
        if (!repeated(s, kind, rounds, &own, diag)) return false;
        out->there = counted(1), out->own = own.mean;
        if (!s->span[CHASE_L2]) return true;  // there is nothing to compare with
        if (!repeated(s, CHASE_L2, rounds, &past, diag)) return false;
        out->past = past.mean;
        const double noise = 5 * (own.error + past.error) + 1 + 0.005 * past.mean, gain = past.mean - own.mean;
        if (own.mean < 0.9 * past.mean && gain > noise) return true;
        if (!fresh(s, kind, rounds, &first, diag) || !fresh(s, CHASE_L2, rounds, &control, diag)) return false;
        const double wait = first.mean - own.mean - (control.mean - past.mean);
        if (wait > noise + 5 * (first.error + control.error)) return true;
        out->there = gain < noise
                         ? counted(0)
                         : undetermined("repeated loads are faster than loads past the L1, but first loads are "
                                        "as fast: it may be a cache, or a shorter way to the L2");
        // With little noise more samples tell nothing new.
        if (noise < 2 + 0.01 * past.mean) return true;
    }
    out->there = undetermined("noise hides whether repeated loads are faster than others");
    return true;
}
