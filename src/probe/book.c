// book.c: the four steps of Mei et al., §3.2, as they are written, beside our own search (infer.c). An array of N
// elements is walked round with stride s, every load is timed, and the steps read the cache from which loads miss:
//
// 1. s = 1: C is the largest N at which all loads hit.
// 2. s = 1, from N = C + 1 on: more lines miss at N = C + b + 1. That gives the line b.
// 3. s = b, from N = C on in steps of b: each step makes a further set miss, until all miss. That gives a, the number
//    of sets, and C / (a b) is the number of ways.
// 4. Is each load always a hit or always a miss, round after round? If not, the policy isn't LRU, and N = C + b shows
//    which line each miss replaces.
//
// The steps suppose equal sets to which lines go in turn, lines that come whole, and LRU (§2). Each step keeps what it
// sees that contradicts this (odd), and what the search found that the step can't know (cause). An element is a word;
// of a TLB it is a quarter of a page. The search's latencies tell hits from misses.
// Invariant: a larger array has all lines of a smaller one, so misses don't go away as N grows. So steps 1 and 2 look
// for their N by doubling and halving, and find the same N as with one element after the other.
#include "probe/infer.h"

#include <math.h>
#include <string.h>

enum { QUIET = 24, ROUNDS = 768, SEEN = 8, DRAWS = 800, LAUNCHES = 64 };

typedef struct Look {
    Subject *subject;
    Diag *diag;
    ChaseKind kind;
    uint64_t start, word, pitch;  // of the array, in bytes; of an element: its size, its distance from the next
    uint64_t most;                // elements for which there is memory
    uint32_t warm;                // rounds before the first that is looked at
    double middle;                // cycles; a load that takes more is a miss
    const char *spent;            // nothing failed, but no more can be asked, for this reason
    bool broken;                  // the subject failed
} Look;

// One array, walked round.
typedef struct Pass {
    uint64_t loads, ever;  // loads of a round; how many of them miss in some round
    double mean;           // cycles of a load
    bool periodic;         // the same loads miss in all rounds
} Pass;

// --- going round -----------------------------------------------------------------------------------------------------
static bool go(Look *l, uint64_t n, uint64_t stride, uint32_t warm, uint32_t rounds, uint32_t *latency)
{
    const uint64_t loads = (n + stride - 1) / stride;
    const Walk walk = {
        .start = l->start, .stride = (int64_t)(stride * l->pitch), .count = (uint32_t)loads, .timed = true};
    const Bound *bound = l->subject->bound;
    if (l->broken || l->spent) return false;
    if (n > l->most) return l->spent = "the device has too little memory to ask", false;
    if (subject_run(l->subject, l->kind, &walk, 1, warm + rounds, warm, latency, l->diag)) return true;
    if (bound && bound->spent && !l->diag->failed)
        l->spent = bound_why;
    else
        l->broken = true;
    return false;
}

static bool all_hit(Look *l, uint64_t n)
{
    uint32_t *latency = mem_alloc(sizeof *latency * n);
    bool hit = go(l, n, 1, l->warm, 1, latency);
    for (uint64_t k = 0; k < n && hit; k++) hit = latency[k] <= l->middle;
    mem_free(latency);
    return hit;
}

// Goes round in launches of two rounds, so that shared memory has room for most arrays' latencies at once. Where not
// the same loads miss in both rounds, launches are added until QUIET rounds, or as many as there were before, have
// brought no further load that misses.
static bool watch(Look *l, uint64_t n, uint64_t stride, Pass *p)
{
    const uint64_t loads = (n + stride - 1) / stride;
    uint32_t *latency = mem_alloc(sizeof *latency * 2 * loads), rounds = 0, last = 0;
    bool *ever = mem_alloc(sizeof *ever * loads), ok = true;
    double sum = 0;
    *p = (Pass){.loads = loads, .periodic = true};
    do {
        ok = go(l, n, stride, l->warm, 2, latency);
        rounds += 2;
        for (uint64_t k = 0; k < 2 * loads && ok; k++) {
            const bool miss = latency[k] > l->middle;
            sum += latency[k];
            if (k < loads) p->periodic = p->periodic && miss == (latency[k + loads] > l->middle);
            if (miss && !ever[k % loads]) ever[k % loads] = true, p->ever++, last = rounds;
        }
    } while (ok && !p->periodic && rounds < last + MAX(last, QUIET) && rounds < ROUNDS);
    p->mean = ok ? sum / (double)(rounds * loads) : 0;
    mem_free(latency), mem_free(ever);
    return ok;
}

// --- steps 1 and 2 ---------------------------------------------------------------------------------------------------
static Value unknown(const Look *l, const char *why) { return undetermined(l->spent ? l->spent : why); }

static uint64_t find_size(Look *l, Book *b)
{
    uint64_t low = 0, high = 1;
    while (high <= l->most && all_hit(l, high)) low = high, high *= 2;
    while (low + 1 < high && high <= l->most && !l->spent && !l->broken) {
        const uint64_t middle = (low + high) / 2;
        if (all_hit(l, middle))
            low = middle;
        else
            high = middle;
    }
    const bool known = low && high <= l->most && !l->spent && !l->broken;
    b->step[BOOK_SIZE] = known ? counted((double)(low * l->word)) : unknown(l, "the largest array still fits");
    return known ? low : 0;
}

// Where all lines miss at C + 1 already, there is no second set, and the next line adds its own miss alone.
static uint64_t find_line(Look *l, uint64_t size, Book *b)
{
    Pass first, more = {0};
    uint64_t low = 1, high = 2;
    bool ok = watch(l, size + 1, 1, &first);
    while (ok && high <= size && (ok = watch(l, size + high, 1, &more)) && more.ever <= first.ever)
        low = high, high *= 2;
    while (ok && high <= size && low + 1 < high) {
        const uint64_t middle = (low + high) / 2;
        if ((ok = watch(l, size + middle, 1, &more)) && more.ever <= first.ever)
            low = middle;
        else
            high = middle;
    }
    ok = ok && high <= size && watch(l, size + low + 1, 1, &more);
    b->step[BOOK_LINE] = ok ? counted((double)(low * l->word)) : unknown(l, "no array makes further lines miss");
    if (!ok) return 0;
    b->first = first.ever, b->more = more.ever - first.ever;
    if (b->more != b->first && first.ever * low < size)
        b->odd[BOOK_LINE] = "the next line doesn't make a whole second set miss";
    return low;
}

// --- step 3 ----------------------------------------------------------------------------------------------------------
static void find_sets(Look *l, uint64_t size, uint64_t line, Book *b)
{
    uint64_t sets = 0, first = 0, last = 0;
    Pass p;
    bool regular = true, periodic = true;
    for (uint64_t k = 0; !sets && k * line <= size; k++) {
        if (!watch(l, size + k * line, line, &p)) break;
        vec_push(&b->points, ((BookPoint){(size + k * line) * l->word, p.ever, p.mean}));
        if (k == 1) first = p.ever;
        if (k > 1) regular = regular && p.ever - last == first;
        periodic = periodic && p.periodic;
        if (k && p.ever == p.loads) sets = k;
        last = p.ever;
    }
    b->smooth = periodic;
    b->step[BOOK_SETS] = sets ? counted((double)sets) : unknown(l, "no array up to twice C makes all lines miss");
    b->ways = sets ? undetermined("C / (a b) isn't a whole number") : b->step[BOOK_SETS];
    if (sets && size % (sets * line) == 0) b->ways = counted((double)(size / (sets * line)));
    if (!regular) b->odd[BOOK_SETS] = "a further line doesn't make a whole further set miss, as the one before did";
    if (regular && sets && b->ways.verdict != MEASURED) b->odd[BOOK_SETS] = b->ways.why;
}

// --- step 4 ----------------------------------------------------------------------------------------------------------
// Follows the draws from an empty cache on. The lines that ever miss again after the first round are those of the first
// set, one more than it has ways, and one of them is out at any time: the next miss is of the last victim. The first
// round fills the ways in order.
static bool follow(Look *l, uint64_t n, uint64_t line, uint32_t rounds, uint32_t drawn[32], uint32_t *ways)
{
    const uint64_t loads = (n + line - 1) / line;
    uint32_t *latency = mem_alloc(sizeof *latency * loads * rounds), *way = mem_alloc(sizeof *way * loads), lines = 0;
    bool ok = go(l, n, line, 0, rounds, latency);
    uint64_t in = 0;
    for (uint64_t k = 0; k < loads && ok; k++) {
        bool again = false;
        for (uint32_t r = 1; r < rounds; r++) again |= latency[r * loads + k] > l->middle;
        way[k] = again ? lines++ : UINT32_MAX;
        if (again) in = k;
    }
    *ways = lines ? lines - 1 : 0;
    for (uint64_t k = loads; k < loads * rounds && ok && *ways && *ways <= 32; k++) {
        const uint64_t out = k % loads;
        if (latency[k] <= l->middle || out == in) continue;
        drawn[way[in] = way[out]]++;
        in = out;
    }
    mem_free(latency), mem_free(way);
    return ok;
}

static void find_victims(Look *l, uint64_t n, uint64_t line, Book *b)
{
    const uint64_t loads = (n + line - 1) / line,
                   window = l->subject->window ? l->subject->window(l->subject->of, 1) : 0;
    const uint32_t rounds = (uint32_t)MIN(window ? window / loads : 64, 64);
    uint32_t drawn[32] = {0}, most = 0, sum = 0;
    for (int k = 0; k < LAUNCHES && sum < DRAWS && rounds >= SEEN; k++) {
        uint32_t now[32] = {0}, ways;
        if (!follow(l, n, line, rounds, now, &ways)) return;
        // Where a line of the set never missed again, ways have other numbers.
        if (!ways || ways > 32 || ways < most) continue;
        if (ways > most) memset(drawn, 0, sizeof drawn), most = ways, sum = 0;
        for (uint32_t w = 0; w < ways; w++) drawn[w] += now[w], sum += now[w];
    }
    for (uint32_t w = 0; w < most && sum >= DRAWS / 4; w++) {
        const double p = (double)drawn[w] / sum, error = 1.96 * sqrt(p * (1 - p) / sum);
        b->weight[w] = measured(p, p - error, p + error);
    }
}

static void find_policy(Look *l, uint64_t size, uint64_t line, Book *b)
{
    const uint64_t n = size + line, loads = (n + line - 1) / line;
    uint32_t *latency = mem_alloc(sizeof *latency * loads * SEEN);
    bool ok = go(l, n, line, l->warm, SEEN, latency), periodic = true;
    for (uint64_t k = loads; k < loads * SEEN && ok; k++)
        periodic = periodic && (latency[k] > l->middle) == (latency[k % loads] > l->middle);
    mem_free(latency);
    b->step[BOOK_POLICY] = ok ? counted(periodic) : unknown(l, "");
    if (ok && !periodic) b->odd[BOOK_POLICY] = "the same load now hits and now misses", find_victims(l, n, line, b);
}

// --- the methods of others -------------------------------------------------------------------------------------------
static bool average(Look *l, uint64_t n, uint64_t stride, double *mean)
{
    enum { LOOKED = 2 };
    const uint64_t loads = (n + stride - 1) / stride;
    uint32_t *latency = mem_alloc(sizeof *latency * loads * LOOKED);
    const bool ok = go(l, n, stride, l->warm, LOOKED, latency);
    double sum = 0;
    for (uint64_t k = 0; k < loads * LOOKED && ok; k++) sum += latency[k];
    *mean = sum / (double)(loads * LOOKED);
    mem_free(latency);
    return ok;
}

// Both read averages. Saavedra et al. vary the stride too: in an array of twice C the average rises until each load is
// of another line. Wong et al. vary N alone: each set that overflows is a step of the curve, as wide as a line.
static void read_averages(Look *l, uint64_t size, Book *b)
{
    double least = 0, most = 0, mean;
    b->saavedra = b->wong = b->wong_sets = unknown(l, "the average doesn't rise");
    for (uint64_t s = 1; s <= size && b->strides < BOOK_STRIDES; s *= 2) {
        if (!average(l, 2 * size, s, &mean)) break;
        b->stride_mean[b->strides++] = mean;
        least = s == 1 ? mean : MIN(least, mean), most = MAX(most, mean);
    }
    if (l->spent) b->saavedra = unknown(l, "");
    for (uint32_t k = 0; k < b->strides && !l->spent && most > least; k++)
        if (b->stride_mean[k] - least >= 0.97 * (most - least)) {
            b->saavedra = counted((double)(l->word << k));
            break;
        }
    double rise = 0;
    uint64_t steps = 0, from = 0, to = 0;
    for (size_t k = 1; k < b->points.n; k++) rise = MAX(rise, b->points.v[k].mean - b->points.v[k - 1].mean);
    for (size_t k = 1; k < b->points.n && rise > 0; k++) {
        if (b->points.v[k].mean - b->points.v[k - 1].mean < rise / 4) continue;
        steps++, to = b->points.v[k].bytes;
        if (steps == 1) from = to;
    }
    if (!b->smooth)
        b->wong = b->wong_sets = undetermined("misses differ from round to round: the average has no clear steps");
    else if (steps && b->step[BOOK_SETS].verdict == MEASURED)
        b->wong_sets = counted((double)steps), b->wong = steps > 1
                                                             ? counted((double)(to - from) / (double)(steps - 1))
                                                             : undetermined("there is one step, so it has no width");
}

// --- the whole -------------------------------------------------------------------------------------------------------
// What the search found that the steps suppose not to be.
static void compare(const Found *f, Book *b)
{
    static const char unequal[] = "its sets are unequal", sectors[] = "a miss brings in a sector, and not its line",
                      hash[] = "a hash chooses the set, and no load of an array in order shows that",
                      blocks[] = "several neighbouring lines go to one set",
                      other[] = "the search found something else";
    const Shape *s = &f->shape;
    bool equal = true;
    if (f->index.verdict != MEASURED) return;
    for (uint32_t k = 1; k < s->sets; k++) equal = equal && s->ways[k] == s->ways[0];
    const char *why = !equal                                                         ? unequal
                      : f->fill.verdict == MEASURED && f->fill.value < f->line.value ? sectors
                      : s->form == FORM_LINEAR                                       ? hash
                      : s->form == FORM_MODULO && s->block                           ? blocks
                                                                                     : NULL;
    const Value *found[] = {&f->size, &f->line, &f->sets};
    for (int k = BOOK_SIZE; k <= BOOK_SETS; k++) {
        const Value *v = &b->step[k];
        const bool agrees = v->verdict == MEASURED && found[k]->verdict == MEASURED && v->value == found[k]->value;
        if (!agrees && v->verdict == MEASURED) b->cause[k] = why ? why : other;
    }
    if (s->form == FORM_LINEAR || b->odd[BOOK_SETS]) b->cause[BOOK_SETS] = why ? why : b->cause[BOOK_SETS];
    if (b->odd[BOOK_LINE] && why) b->cause[BOOK_LINE] = why;
    if (f->rule.verdict != MEASURED || b->step[BOOK_POLICY].verdict != MEASURED) return;
    if (b->step[BOOK_POLICY].value && s->rule == RULE_ANY)
        b->cause[BOOK_POLICY] = "there is one way, so nothing is chosen";
    else if (b->step[BOOK_POLICY].value && s->rule == RULE_FIFO)
        b->cause[BOOK_POLICY] = "FIFO is as periodic as LRU where an array is walked round";
    else if ((b->step[BOOK_POLICY].value != 0) != (s->rule == RULE_LRU))
        b->cause[BOOK_POLICY] = other;
}

static bool all_steps(Look *l, const Found *f, Book *b)
{
    for (int k = 0; k < BOOK_STEPS; k++) b->step[k] = undetermined("an earlier step has no result");
    b->ways = b->saavedra = b->wong = b->wong_sets = b->step[0];
    b->done = true, b->word = l->word;
    const uint64_t size = find_size(l, b), line = size ? find_line(l, size, b) : 0;
    if (line) find_sets(l, size, line, b), find_policy(l, size, line, b), read_averages(l, size, b);
    compare(f, b);
    return !l->broken;
}

bool book_cache(Subject *s, ChaseKind kind, const Found *f, Book *out, Diag *diag)
{
    *out = (Book){.done = false};
    if (f->low.verdict != MEASURED || f->high.verdict != MEASURED) return true;
    Look l = {.subject = s,
              .diag = diag,
              .kind = kind,
              .word = 4,
              .pitch = 4,
              .warm = s->cold ? 2 : 4,
              .most = MIN(s->span[kind], 1ull << 30) / 4,
              .middle = 0.5 * (f->low.value + f->high.value)};
    return all_steps(&l, f, out);
}

// The array begins at the page at which the curve of misses does (curve.c).
bool book_tlb(Subject *s, ChaseKind kind, const FoundTlbs *f, uint32_t level, Book *out, Diag *diag)
{
    enum { PART = 4 };  // of a page
    const Found *own = &f->level[level];
    const Value *penalty = level ? &f->walk : &f->late;
    uint32_t latency[256];
    const Walk one = {.count = 64, .timed = true};
    *out = (Book){.done = false};
    if (penalty->verdict != MEASURED || f->page.verdict != MEASURED) return true;
    if (!subject_run(s, kind, &one, 1, 5, 1, latency, diag)) return s->bound && s->bound->spent && !diag->failed;
    const uint64_t page = (uint64_t)f->page.value, pitch = page / PART + s->stagger / PART,
                   start = own->index.verdict == MEASURED ? curve_first(&own->shape) * PART * pitch : 0;
    Look l = {.subject = s,
              .diag = diag,
              .kind = kind,
              .start = start,
              .word = page / PART,
              .pitch = pitch,
              .warm = 4,
              .most = (s->span[kind] - MIN(start, s->span[kind])) / pitch,
              .middle = sample_of(latency, 256).mean + 0.5 * penalty->value +
                        (level && f->late.verdict == MEASURED ? f->late.value : 0)};
    return all_steps(&l, own, out);
}

void book_free(Book *b) { vec_free(&b->points); }
