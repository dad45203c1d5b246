// victims.c: sets whose victims are drawn at random. No rule predicts which loads hit there, but not everything is
// possible: a line that missed must have been a victim since its last load, a line that hit can't have been, and each
// miss of a full set has exactly one victim. Victims are assigned to the misses in the order of time. Each miss gets,
// of the lines that may have gone, the one whose next load is nearest. This is a matching of points with intervals; it
// finds an assignment whenever there is one (Glover, 1967).
#include "probe/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- a heap of lines that may be victims, by their next load ---------------------------------------------------------
enum { NEVER = UINT32_MAX };
typedef struct Stay {   // of a line, from a load of it to the next
    uint32_t next, at;  // positions; NEVER: it isn't loaded again
} Stay;
typedef VEC(Stay) Heap;

static void heap_put(Heap *h, Stay s)
{
    size_t k = h->n;
    vec_push(h, s);
    for (; k && h->v[(k - 1) / 2].next > s.next; k = (k - 1) / 2) h->v[k] = h->v[(k - 1) / 2];
    h->v[k] = s;
}

static Stay heap_take(Heap *h)
{
    Stay least = h->v[0], last = h->v[--h->n];
    size_t k = 0;
    for (size_t child; (child = 2 * k + 1) < h->n; k = child) {
        child += child + 1 < h->n && h->v[child + 1].next < h->v[child].next;
        if (h->v[child].next >= last.next) break;
        h->v[k] = h->v[child];
    }
    if (h->n) h->v[k] = last;
    return least;
}

// --- an assignment ---------------------------------------------------------------------------------------------------
typedef struct Place {
    uint64_t line;
    uint32_t set, at;
} Place;

static int by_line(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    return x->line != y->line ? (x->line < y->line ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

static int by_set(const void *a, const void *b)
{
    const Place *x = a, *y = b;
    return x->set != y->set ? (x->set < y->set ? -1 : 1) : (x->at > y->at) - (x->at < y->at);
}

typedef struct Past {       // of a load
    uint32_t before, next;  // of the same line: positions, or NEVER
    bool gone;              // the line was a victim before `next`
} Past;

// Finds the line whose turn it is at a miss of a full set; false: every line that is there is seen to stay.
static bool give(Heap *h, uint32_t at, Past *past)
{
    while (h->n && h->v[0].next < at) heap_take(h);
    if (!h->n) return false;
    Stay s = heap_take(h);
    if (s.at != NEVER) past[s.at].gone = true;
    return true;
}

static uint64_t explain_set(const Seen *seen, const Place *p, size_t n, uint32_t ways, uint32_t strangers, Past *past)
{
    Heap heap = {0};
    uint64_t wrong = 0;
    uint32_t there = strangers = MIN(strangers, ways);
    for (uint32_t k = 0; k < strangers; k++) heap_put(&heap, (Stay){NEVER, NEVER});
    for (size_t k = 0; k < n; k++) {
        uint32_t at = p[k].at, before = past[at].before;
        Outcome o = seen[at].outcome;
        bool fresh = before == NEVER, gone = fresh || past[before].gone;
        if (o != OUTCOME_OPEN) wrong += gone != (o == OUTCOME_MISS);
        if (gone && o != OUTCOME_HIT) {
            if (there < ways)
                there++;
            else
                wrong += !give(&heap, at, past);
        }
        uint32_t next = past[at].next;
        if (next == NEVER || seen[next].outcome != OUTCOME_HIT) heap_put(&heap, (Stay){next, at});
    }
    vec_free(&heap);
    return wrong;
}

uint64_t explain_victims(const Shape *s, const Seen *seen, size_t n, uint32_t strangers)
{
    Place *place = mem_alloc(sizeof *place * n);
    Past *past = mem_alloc(sizeof *past * n);
    uint64_t wrong = 0;
    for (size_t k = 0; k < n; k++)
        place[k] = (Place){seen[k].line, shape_set(s, seen[k].line), (uint32_t)k},
        past[k] = (Past){NEVER, NEVER, false};
    qsort(place, n, sizeof *place, by_line);
    for (size_t k = 1; k < n; k++)
        if (place[k].line == place[k - 1].line)
            past[place[k].at].before = place[k - 1].at, past[place[k - 1].at].next = place[k].at;
    qsort(place, n, sizeof *place, by_set);
    for (size_t from = 0, to; from < n; from = to) {
        for (to = from; to < n && place[to].set == place[from].set; to++) {
        }
        wrong += explain_set(seen, place + from, to - from, s->ways[place[from].set], strangers, past);
    }
    mem_free(place), mem_free(past);
    return wrong;
}

// --- draws one after the other ---------------------------------------------------------------------------------------
// Starting from an empty set, one line more than it has ways goes round. Line k first lies in way k. At any time
// exactly one line is out, and the next miss is of that line, so every draw is seen. Runs are short, so that an outlier
// spoils few draws.
static bool follow_draws(Level *l, const Shape *s, uint32_t set, uint32_t heavy, uint32_t pairs[2][2])
{
    uint32_t ways = s->ways[set], lines = ways + 1, rounds = MAX(8, 64 / lines), way_of[33], latency[33 * 64];
    Lines x = {0};
    Walk walk[CHASE_WALKS];
    for (uint32_t k = 0; k < lines; k++) lines_add(&x, shape_line(s, set, k), 1, 1), way_of[k] = k;
    size_t walks = level_walks(l, &x, true, walk, 0);
    lines_free(&x);
    level_run(l, walk, walks, rounds, 0, latency);
    uint32_t in = ways;  // the line that the last miss brought in; line `ways` was the first to need a victim
    int before = -1;
    for (uint32_t k = lines; k < lines * rounds && !l->broken; k++) {
        if (l->odds[MIN(latency[k], l->evidence_n - 1)] < 1) continue;
        uint32_t out = k % lines;
        if (out == in) return true;  // an outlier: the line that came in last can't be its own victim
        uint32_t way = way_of[in] = way_of[out];
        if (before >= 0) pairs[before][way == heavy]++;
        before = way == heavy;
        in = out;
    }
    return !l->broken;
}

void test_draws(Level *l, const Shape *s, uint32_t set, Found *out)
{
    uint32_t heavy = 0, pairs[2][2] = {{0}};
    for (uint32_t w = 1; w < s->ways[set]; w++)
        if (out->weight[w].value > out->weight[heavy].value) heavy = w;
    double n = 0;
    for (int runs = 0; n < 1200 && runs < 1000; runs++) {
        if (!follow_draws(l, s, set, heavy, pairs)) return;
        n = pairs[0][0] + pairs[0][1] + pairs[1][0] + pairs[1][1];
    }
    double chi2 = 0, after = pairs[1][0] + pairs[1][1];
    for (int a = 0; a < 2; a++)
        for (int b = 0; b < 2; b++) {
            double expected = (double)(pairs[a][0] + pairs[a][1]) * (pairs[0][b] + pairs[1][b]) / n;
            if (expected > 0) chi2 += (pairs[a][b] - expected) * (pairs[a][b] - expected) / expected;
        }
    if (after < 20) return;
    double p = pairs[1][1] / after, error = 1.96 * sqrt(p * (1 - p) / after);
    out->heavy = heavy;
    out->again = measured(p, p - error, p + error);
    out->draws_p = erfc(sqrt(0.5 * chi2));
}
