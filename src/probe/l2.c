// l2.c: infers the L2, by loads past the L1. Its sets aren't asked for one by one, since that would take hours. The
// capacity is how much can be walked round without a miss. The fill is found from pairs of loads, the line from an odd
// stride. For the capacity, lines that are walked round lie densely: if a hash chooses the slice, any stride wider than
// a line leaves out parts of some slices.
#include "probe/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// LEAST: bytes, of an L2 whose size nobody gave. QUESTIONS: it takes roughly as many times its lines in loads.
enum { UNIT = 128, LEAST = 1 << 16, QUESTIONS = 40, APARTS = 7, PLACES = 50, SETTLE = 16 };
static const double FEW = 0.01;  // share of loads: so many may miss though the lines fit

// --- capacity --------------------------------------------------------------------------------------------------------
typedef struct Round {
    Sample sample;
    double over;  // share of the loads that took longer than `middle`
    double top;   // latency that all but a fiftieth of the loads don't exceed
} Round;

static Value mean_of(const Sample *s) { return measured(s->mean, s->mean - 2 * s->error, s->mean + 2 * s->error); }

static int by_value(const void *a, const void *b)
{
    uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
    return (x > y) - (x < y);
}

static bool measure(Level *l, uint64_t n, double middle, Round *out)
{
    uint32_t rounds = (uint32_t)(1 + 2000 / n), *latency;
    if (l->subject->loads + n * (l->warm + rounds) > l->until)
        return l->broken = true, l->spent = "going round so much memory would take too long", false;
    latency = mem_alloc(sizeof *latency * n * rounds);
    bool ok = go_round(l, n, l->warm, rounds, latency);
    if (ok) {
        *out = (Round){.sample = sample_of(latency, n * rounds)};
        for (uint64_t k = 0; k < n * rounds; k++) out->over += (latency[k] > middle) / (double)(n * rounds);
        qsort(latency, n * rounds, sizeof *latency, by_value);
        out->top = latency[n * rounds - 1 - n * rounds / 50];
    }
    mem_free(latency);
    return ok;
}

// Finds the latencies of hits and misses, and two sizes between which hits turn into misses: n lines fit, and `past`
// lines don't. Some lines may be farther away than others. So a load is a hit if it takes no longer than the slowest
// load of lines that certainly fit.
static bool bracket(Level *l, FoundL2 *out, uint64_t lines, uint64_t most, uint64_t *n, uint64_t *past, double *middle)
{
    Round small, r;
    if (!measure(l, MAX(lines / 8, 16), 0, &small)) return false;
    out->hit = mean_of(&small.sample);
    *n = MAX(lines / 8, 16), *past = 0;
    for (uint64_t k = MAX(lines / 2, 32); k <= most; k += k / 2) {
        if (!measure(l, k, 1.04 * small.top, &r)) return false;
        if (r.over > 0.5) {
            *past = k;
            break;
        }
        if (r.over < FEW) *n = k;
    }
    if (!*past) return true;
    if (!measure(l, MIN(2 * *past, most), 1.04 * small.top, &r)) return false;
    out->miss = mean_of(&r.sample);
    *middle = 1.04 * small.top;
    return true;
}

// Where victims are drawn, what was cached before stays for many rounds. Lines that fit miss less and less until it is
// gone; lines that don't fit never stop. Goes round on until few loads miss or the misses no longer halve.
static bool settle_round(Level *l, uint64_t n, double middle, Round *out)
{
    const uint32_t warm = l->warm;
    double before = 2;
    bool ok = measure(l, n, middle, out);
    for (l->warm = SETTLE; ok && out->over > FEW && out->over < before / 2; ok = measure(l, n, middle, out))
        before = out->over;
    l->warm = warm;
    return ok;
}

// The largest size that fits between n, which does, and past, which doesn't. The likely size is tried first, then
// the next larger one, a `step` farther.
static bool search(Level *l, uint64_t likely, uint64_t n, uint64_t past, uint64_t step, double few, double middle,
                   bool drawn, uint64_t *fits)
{
    Round r;
    uint64_t low = n, high = past;
    for (uint64_t k = likely; low + step < high; k = k == likely && low == k ? k + step : (low + high) / 2) {
        if (k <= low || k >= high) k = (low + high) / 2;
        if (!(drawn ? settle_round : measure)(l, k, middle, &r)) return false;
        if (r.over <= few)
            low = k;
        else
            high = k;
    }
    *fits = low;
    return true;
}

// n lines fitted when the search began. If some of them miss now, after more lines were walked round, victims aren't
// the lines that were used least recently: they are drawn.
static bool find_size(Level *l, FoundL2 *out, uint64_t likely, uint64_t n, uint64_t past, double middle)
{
    Round r;
    uint64_t low;
    if (!measure(l, n, middle, &r)) return false;
    const bool drawn = r.over > FEW;
    if (drawn && !settle_round(l, n, middle, &r)) return false;
    if (drawn && r.over > FEW)
        return out->size = undetermined("lines that fitted once miss again and again after others were loaded"), true;
    if (!search(l, likely, n, past, drawn ? MAX(n / 32, 1) : 1, drawn ? FEW : 3 * r.over, middle, drawn, &low))
        return false;
    // If there were much more room than for the lines that fit from the start on, most of a few lines more would still
    // hit. Of drawn victims 1 − exp(−m · n / capacity) = m miss: 0.2 of an eighth too many, a half only of 1.4 times.
    const uint64_t more = low + low / (drawn ? 8 : 16);
    if (!(drawn ? settle_round : measure)(l, more, middle, &r)) return false;
    uint64_t full = r.over > (drawn ? 0.15 : 0.5) ? more : MAX(past, more);
    out->size = measured((double)(low * l->unit), (double)(low * l->unit), (double)(full * l->unit));
    return true;
}

// --- what a miss brings in, what a tag stands for --------------------------------------------------------------------
// After everything was evicted, makes pairs of loads, of which the second is timed. It is 4 · 2^k bytes behind the
// first, for k from 3 to 9.
static bool find_fill(Level *l, const FoundL2 *f, double middle, Value *fill)
{
    Walk walks[1 + 2 * APARTS * PLACES];
    uint32_t latency[APARTS * PLACES], one[PLACES];
    uint64_t evict = 2 * (uint64_t)f->size.high, from = evict + 65536;
    const uint32_t places = MIN(PLACES, (subject_walks(l->subject) - 1) / (2 * APARTS));
    size_t n = 0;
    *fill = undetermined("the device has too little memory to empty the L2");
    if (l->base + from + (uint64_t)APARTS * places * 8192 > l->subject->span[l->kind] || evict / 32 > UINT32_MAX)
        return true;
    walks[n++] = (Walk){.start = l->base, .stride = 32, .count = (uint32_t)(evict / 32)};
    for (uint32_t k = 0; k < APARTS * places; k++) {
        uint64_t at = l->base + from + (uint64_t)k * 8192;
        walks[n++] = (Walk){.start = at, .count = 1};
        walks[n++] = (Walk){.start = at + (32u << k / places), .count = 1, .timed = true};
    }
    level_run(l, walks, n, 1, 0, latency);
    if (l->broken) return false;
    for (uint32_t a = 0; a < APARTS; a++) {
        memcpy(one, latency + (size_t)a * places, sizeof *one * places);
        if (sample_of(one, places).mean <= middle) continue;
        *fill = a ? counted(32 << a) : measured(32, 4, 32);
        return true;
    }
    *fill = undetermined("a miss brings in more than 2 KiB");
    return true;
}

// With a stride of nine fills, each line that is touched gets one fill, and all sets are used. If a line is one fill,
// nine times the capacity can be walked round. If a tag stands for more fills, the others stay empty, and less can be
// walked round: a half, a quarter, an eighth. What doesn't fit is 1.4 times the capacity. If victims are drawn, half of
// that misses.
static bool find_line(Level *l, FoundL2 *f, double middle)
{
    f->line = undetermined("its size or its fill isn't known");
    if (f->fill.verdict != MEASURED || f->size.verdict != MEASURED) return true;
    uint64_t unit = l->unit, stride = 9 * (uint64_t)f->fill.value, lines = (uint64_t)(f->size.value / f->fill.value);
    f->line = undetermined("more than eight fills share a tag");
    l->unit = stride;
    for (uint32_t units = 8; units; units /= 2) {
        Round r;
        if (!measure(l, (uint64_t)(0.707 * (double)(lines / units)), middle, &r)) {
            if (l->spent) f->line = undetermined(l->spent);
            return false;
        }
        if (r.over > 0.4) break;
        f->line = counted(f->fill.value * units);
    }
    l->unit = unit;
    return true;
}

// Without an L2, lines that were just loaded are loaded no faster than new ones. New ones are lines at the end of the
// memory, whose pages other loads have brought in. They lie so far apart that a miss doesn't bring in two of them.
static bool is_there(Level *l, bool *there)
{
    enum { NEW = 8, APART = 4096 + UNIT };
    const uint64_t span = l->subject->span[l->kind], from = (span - NEW * APART) / 4096 * 4096;
    const Walk page = {.start = from + 2048, .stride = APART, .count = NEW},
               line = {.start = from, .stride = APART, .count = NEW, .timed = true};
    const Walk walks[] = {page, line, line, line};
    uint32_t latency[3 * NEW];
    *there = true;
    if (span < 1 << 20) return true;
    if (!level_run(l, walks, COUNT(walks), 1, 0, latency)) return false;
    const Sample first = sample_of(latency, NEW), last = sample_of(latency + 2 * (size_t)NEW, NEW);
    *there = first.mean > 1.02 * last.mean + 5 * (first.error + last.error);
    return true;
}

// If nobody gave its size, there may be none, and the search begins with little memory.
static bool infer(Level *l, uint64_t bytes, FoundL2 *out)
{
    uint64_t n, past;
    double middle = 0;
    bool there = true;
    Round r;
    if (!bytes && !is_there(l, &there)) return false;
    if (!there) {
        out->size = out->fill = out->line = absent("a line that was just loaded is loaded no faster than a new one");
        return measure(l, 256, 0, &r) && (out->miss = mean_of(&r.sample), true);
    }
    if (!bracket(l, out, MAX(bytes, LEAST) / UNIT, l->subject->span[CHASE_L2] / 2 / UNIT, &n, &past, &middle))
        return false;
    if (!past) out->size = out->fill = out->line = undetermined("the largest array that was tried still fits");
    if (past && !find_size(l, out, bytes / UNIT, n, past, middle)) return false;
    if (out->size.verdict != MEASURED) return out->fill = out->line = out->size, true;
    return find_fill(l, out, middle, &out->fill) && find_line(l, out, middle);
}

// No more can be asked. That is no failure: what isn't known by then stays undetermined.
static void lack(FoundL2 *f, const char *why)
{
    if (f->size.verdict == ABSENT) return;  // there is no L2
    if (f->size.verdict != MEASURED) f->size = undetermined(why);
    if (f->fill.verdict != MEASURED) f->fill = f->line = undetermined(why);
    if (f->hit.verdict != MEASURED) f->hit = undetermined(why);
    if (f->miss.verdict != MEASURED) f->miss = undetermined(why);
}

bool l2_infer(Subject *s, uint64_t bytes, uint64_t loads, FoundL2 *out, Diag *diag)
{
    Level l = {.subject = s, .diag = diag, .kind = CHASE_L2, .unit = UNIT, .warm = 2, .until = s->loads + 3 * loads};
    out->size = out->fill = out->line = undetermined("going round so much memory would take too long");
    if (bytes / UNIT * QUESTIONS > loads) {
        Round r;
        if (measure(&l, 256, 0, &r)) out->hit = mean_of(&r.sample);
        if (l.spent) lack(out, l.spent);
        return !l.broken || l.spent;
    }
    if (infer(&l, bytes, out)) return true;
    if (l.spent) lack(out, l.spent);
    return l.spent;
}

void l2_free(FoundL2 *f) { vec_free(&f->sm); }
