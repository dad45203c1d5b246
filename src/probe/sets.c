// sets.c: finds line, capacity, sets and ways by asking "do these lines fit?" (level.c).
//
// First it finds the n for which the lines 0 … n − 1 fit and the lines 0 … n don't. So line n made a set overflow. Then
// it leaves out one line at a time. If the others still don't fit, that line was of another set. If they fit, the line
// is of the set that overflowed. The lines of that set are the *conflict set*: one line more than the set has ways,
// whatever the policy and the index are. Any other line can then take the place of one of them. If they still don't
// fit, it is of that set, too.
#include "probe/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// --- capacity --------------------------------------------------------------------------------------------------------
static bool prefix_fits(Level *l, uint64_t n)
{
    Lines x = {0};
    lines_add(&x, 0, 1, (uint32_t)n);
    bool fits = level_fits(l, &x);
    lines_free(&x);
    return fits;
}

uint64_t find_prefix(Level *l, uint64_t low, uint64_t high, uint64_t most)
{
    low = MAX(low, 1), high = MAX(high, low + 1);
    while (low > 1 && !prefix_fits(l, low)) high = low, low /= 2;
    while (prefix_fits(l, high)) {
        if (l->broken || high >= most) return 0;
        low = high, high = MIN(2 * high, most);
    }
    while (low + 1 < high && !l->broken) {
        uint64_t middle = (low + high) / 2;
        if (prefix_fits(l, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

// --- the conflict set ------------------------------------------------------------------------------------------------
static void add_all(Lines *x, const uint64_t *line, size_t n)
{
    for (size_t k = 0; k < n; k++) lines_add(x, line[k], 1, 1);
}

static bool is_in(const LineVec *v, uint64_t line)
{
    for (size_t k = 0; k < v->n; k++)
        if (v->v[k] == line) return true;
    return false;
}

static bool all_fit(Level *l, const uint64_t *line, size_t n)
{
    Lines x = {0};
    add_all(&x, line, n);
    bool fits = level_fits(l, &x);
    lines_free(&x);
    return fits;
}

// So far a line was taken to be as long as what a miss brings in (a unit). A line may hold several units. They share a
// way, so a sibling of a unit can go round in its place, or with it.
static uint32_t find_line(Level *l, const LineVec *conflict)
{
    uint32_t units = 1;
    size_t n = conflict->n;
    uint64_t *x = mem_alloc(sizeof *x * (n + 1));
    for (; units < 64 && !l->broken; units *= 2) {
        memcpy(x, conflict->v, n * sizeof *x);
        x[0] ^= units;
        bool taken = false;
        for (size_t k = 1; k < n; k++) taken |= x[k] == x[0];
        bool same_set = !taken && !all_fit(l, x, n);
        x[n - 1] = conflict->v[0];  // now both siblings go round, and another line is left out
        if (!same_set || !all_fit(l, x, n)) break;
    }
    mem_free(x);
    return units;
}

// Do the lines fit without any one of them? Some are tried, from all over.
static bool none_spare(Level *l, const LineVec *v, uint32_t trials)
{
    uint64_t *x = mem_alloc(sizeof *x * v->n);
    bool fit = true;
    for (uint32_t k = 0; k < trials && fit && !l->broken; k++) {
        size_t out = (size_t)(0x9E3779B1u * (k + 1) >> 8) % v->n;  // at no regular distance
        memcpy(x, v->v, sizeof *x * v->n);
        x[out] = v->v[v->n - 1];
        fit = all_fit(l, x, v->n - 1);
    }
    mem_free(x);
    return fit;
}

// Tries the likely layouts first: equal sets, to which blocks of 2^d lines go in turn. This is cheap, since only the
// lines of one set go round.
static bool guess_conflict(Level *l, uint64_t n, LineVec *out)
{
    for (uint32_t ways = 1; ways <= 1024 && ways <= n; ways++) {
        if (n % ways) continue;
        for (uint32_t d = 0; d < 6 && ways >> d; d++) {
            uint64_t period = n / ways << d;
            if (ways & ((1u << d) - 1) || period * (ways >> d) > n) continue;
            out->n = 0;
            for (uint32_t k = 0; k <= ways; k++) vec_push(out, (k >> d) * period + (k & ((1u << d) - 1)));
            // If all lines go round, other lines can't check the guess later. With two sets, every second line can be
            // spared. So many are tried here.
            if (!all_fit(l, out->v, out->n) && none_spare(l, out, 40)) return true;
            if (l->broken) return false;
        }
    }
    return false;
}

// Is a line of [from, to) needed for lines 0 … n − 1 and `extra` to overflow? Then the others fit without this range.
static bool needed(Level *l, uint64_t n, uint64_t extra, uint64_t from, uint64_t to)
{
    Lines x = {0};
    lines_add(&x, 0, 1, (uint32_t)from);
    lines_add(&x, to, 1, (uint32_t)(n - to));
    lines_add(&x, extra, 1, 1);
    bool fits = level_fits(l, &x);
    lines_free(&x);
    return fits;
}

// Halves a range until what is left is only needed as a whole: that is a line. It may have several units, each of which
// is enough to keep the line in the set.
static bool find_needed(Level *l, uint64_t n, uint64_t extra, uint64_t from, uint64_t size, LineVec *out,
                        uint32_t *units)
{
    if (from >= n || l->broken || !needed(l, n, extra, from, MIN(from + size, n))) return false;
    bool lower = size > 1 && find_needed(l, n, extra, from, size / 2, out, units);
    bool upper = size > 1 && find_needed(l, n, extra, from + size / 2, size / 2, out, units);
    if (!lower && !upper) {
        vec_push(out, from);
        *units = (uint32_t)MIN(*units, size);
    }
    return true;
}

// If an answer takes many rounds, watching is cheaper than asking. Lines overflow one set by one line; then the lines
// of that set miss now and then, and no others do. They are walked round in several orders, since the bits of a PLRU
// tree can keep a line for ever in one order; and twice in each, since LRU keeps for ever what is always touched again
// soon.
// Each window of the latencies takes an execution of the whole sequence. So where that takes more than two windows, a
// sequence has one order and no more rounds than a window records.
// False: it didn't become clear.
static bool watch(Level *l, uint64_t n, uint64_t extra, LineVec *out)
{
    enum { ORDERS = 8 };
    const double share = 0.02, clear = 12, spared = -6;
    const uint64_t pitch = l->unit + l->stagger;
    uint64_t step[ORDERS], lines = n + 1;
    Walk walk[2 * ORDERS];
    for (uint64_t k = 0, a = 1; k < ORDERS; a++) {
        uint64_t x = a, y = n;
        while (y) x %= y, x ^= y, y ^= x, x ^= y;
        if (x != 1 && n > 1) continue;
        for (int twice = 0; twice < 2; twice++, k++) {
            step[k] = a % n;
            walk[2 * k] = (Walk){.start = level_address(l, 0),
                                 .stride = (int64_t)(step[k] * pitch),
                                 .wrap = n * pitch,
                                 .count = (uint32_t)n,
                                 .timed = true};
            walk[2 * k + 1] = (Walk){.start = level_address(l, extra), .count = 1, .timed = true};
        }
        a += n / 5;
    }
    double *evidence = mem_alloc(sizeof *evidence * lines);
    uint32_t rounds = l->settle ? 32 : 8, warm = l->settle ? (uint32_t)MIN(n, 64) : 1,
             *latency = mem_alloc(sizeof *latency * lines * ORDERS * rounds);
    const uint32_t most = 24 * ORDERS * rounds;  // loads of a line
    const uint64_t window = level_window(l, 2 * ORDERS);
    const uint32_t orders = lines * ORDERS * rounds <= 2 * window ? ORDERS : 2;
    if (orders < ORDERS) rounds = (uint32_t)MIN(rounds, MAX(1, window / (lines * orders)));
    bool open = true;
    for (uint32_t from = 0, made = 0; made < most && (open || from) && !l->broken; made += orders * rounds) {
        level_run(l, walk + 2 * from, 2 * (size_t)orders, warm + rounds, warm, latency);
        for (uint64_t at = 0; at < lines * orders * rounds && !l->broken; at++) {
            uint64_t place = at % lines, line = place == n ? n : place * step[from + at / lines % orders] % n;
            evidence[line] += log(1 - share + share * l->odds[MIN(latency[at], l->evidence_n - 1)]);
        }
        from = (from + orders) % ORDERS, open = false;
        for (uint64_t k = 0; k < lines; k++) open |= evidence[k] < clear && evidence[k] > spared;
    }
    out->n = 0;
    for (uint64_t k = 0; k < n; k++)
        if (evidence[k] >= clear) vec_push(out, k);
    vec_push(out, extra);
    mem_free(evidence), mem_free(latency);
    return !open && out->n >= 2 && !l->broken;
}

// What was watched are units that miss. Keeps one unit of each line: these overflow the set, and without any one of
// them they don't. With two units of a line, leaving one out would change nothing; without any unit of some line, they
// would fit.
static bool join_units(Level *l, LineVec *v, uint32_t *units)
{
    LineVec one = {0};
    bool found = false;
    for (*units = 1; *units <= 64 && !found && !l->broken; *units *= 2) {
        one.n = 0;
        for (size_t k = 0; k < v->n; k++)
            if (v->v[k] % *units == 0) vec_push(&one, v->v[k]);
        found = one.n > 1 && (one.n - 1) * *units == v->n - 1 && !all_fit(l, one.v, one.n) &&
                all_fit(l, one.v + 1, one.n - 1);
        if (found) break;
    }
    if (found) v->n = one.n, memcpy(v->v, one.v, sizeof *v->v * one.n);
    vec_free(&one);
    return found;
}

// Checks the set: without any one of its lines all must fit, without any other line they must not. Some are tried.
static bool bears_out(Level *l, uint64_t n, uint64_t extra, const LineVec *v, uint32_t units)
{
    bool right = true;
    for (uint32_t k = 0; k < (v->n > n ? 40 : 8) && right && !l->broken; k++) {
        uint64_t r = 0x9E3779B97F4A7C15ull * (k + 1) >> 20,
                 line = k & 1 ? v->v[r % (v->n - 1)] : r % n & ~(uint64_t)(units - 1);
        right = needed(l, n, extra, line, MIN(line + units, n)) == is_in(v, line);
    }
    return right;
}

bool find_conflict(Level *l, uint64_t n, uint64_t extra, LineVec *out, uint32_t *units)
{
    *units = 1;
    lines_free(&l->filler);
    if (!l->above && extra == n && guess_conflict(l, n, out)) return *units = find_line(l, out), !l->broken;
    bool watched = (l->settle || n > 512) && level_distance(l) > 5 && watch(l, n, extra, out) &&
                   (l->settle || join_units(l, out, units));
    if (watched && bears_out(l, n, extra, out, *units)) return !l->broken;
    out->n = 0;
    uint64_t part = 1;
    while (part * 16 < n) part *= 2;
    *units = (uint32_t)part;
    for (uint64_t from = 0; from < n && !l->broken; from += part) find_needed(l, n, extra, from, part, out, units);
    vec_push(out, extra);
    return !l->broken && out->n >= 2;
}

// A single set overflows with one line more than fits, wherever the lines are. Several sets are hardly ever filled
// evenly by random lines.
bool is_one_set(Level *l, uint64_t n, uint64_t span)
{
    enum { TRIALS = 12 };
    uint64_t seed = n, *line = mem_alloc(sizeof *line * (n + 1));
    bool one = n + 2 < subject_walks(l->subject) && span > 2 * n;
    for (int t = 0; t < TRIALS && one && !l->broken; t++) {
        LineVec v = {.v = line};
        while (v.n <= n) {
            seed = seed * 6364136223846793005ull + 1442695040888963407ull;
            uint64_t x = (seed >> 33) % span;
            if (!is_in(&v, x)) line[v.n++] = x;
        }
        one = all_fit(l, line, n) && !all_fit(l, line, n + 1);
    }
    mem_free(line);
    return one && !l->broken;
}

// --- filler ----------------------------------------------------------------------------------------------------------
// Filler are other lines that go round too, so that the level in front misses what is looked at: each of its sets gets
// twice as many lines as it has ways. Filler must not overflow a set of this level. Lines of a prefix that fits don't;
// if the sets are known, lines beyond the prefix are taken, too.
static bool of_set(const uint64_t *line, size_t n, const Shape *s, uint32_t set, uint64_t x)
{
    if (s) return shape_set(s, x) == set;
    for (size_t k = 0; k < n; k++)
        if (line[k] == x) return true;
    return false;
}

static void fill(Level *l, const uint64_t *line, size_t n, const Shape *s, uint32_t set)
{
    const Shape *above = l->above;
    lines_free(&l->filler);
    if (!above || (s && s->sets == 1)) return;
    bool known = s && s->lines;
    uint64_t lacking = 2 * above->lines + above->sets, to = known ? 8 * l->room : l->room;
    uint32_t *has = mem_alloc(sizeof *has * above->sets), *used = mem_alloc(sizeof *used * (s ? s->sets : 1));
    for (uint64_t x = 0; x < to && lacking; x++) {
        uint32_t in = shape_set(above, x);
        if (has[in] > 2 * above->ways[in] || of_set(line, n, s, set, x) ||
            (known && used[shape_set(s, x)] >= s->ways[shape_set(s, x)]))
            continue;
        if (known) used[shape_set(s, x)]++;
        has[in]++, lacking--;
        lines_add(&l->filler, x, 1, 1);
    }
    mem_free(has), mem_free(used);
}

void fill_without(Level *l, const uint64_t *line, size_t n) { fill(l, line, n, NULL, 0); }
void fill_for(Level *l, const Shape *s, uint32_t set) { fill(l, NULL, 0, s, set); }

// --- lines of the set ------------------------------------------------------------------------------------------------
// Do these lines fit, together with the conflict set except for its last `less` lines?
static bool fit_beside(Level *l, const LineVec *conflict, size_t less, const Lines *which)
{
    Lines x = {0};
    add_all(&x, conflict->v, conflict->n - less);
    for (size_t r = 0; r < which->range.n; r++)
        lines_add(&x, which->range.v[r].from, which->range.v[r].step, which->range.v[r].count);
    bool fits = level_fits(l, &x);
    lines_free(&x);
    return fits;
}

static void halve(const Lines *x, Lines *lower, Lines *upper)
{
    uint64_t left = x->n / 2;
    for (size_t r = 0; r < x->range.n; r++) {
        const Range *f = &x->range.v[r];
        uint32_t first = (uint32_t)MIN(left, f->count);
        lines_add(lower, f->from, f->step, first);
        lines_add(upper, f->from + (uint64_t)first * f->step, f->step, f->count - first);
        left -= first;
    }
}

bool any_in_set(Level *l, const LineVec *conflict, const Lines *which)
{
    if (l->above && !l->filler.n) fill_without(l, conflict->v, conflict->n);
    if (fit_beside(l, conflict, 1, which)) return false;
    if (!l->above || fit_beside(l, conflict, 2, which)) return true;
    // They don't fit, but perhaps for another reason: filler and these lines overflow another set. Or several of them
    // are of this set. Each half is asked then, down to single lines.
    if (which->n == 1) return false;
    Lines lower = {0}, upper = {0};
    halve(which, &lower, &upper);
    bool in = any_in_set(l, conflict, &lower) || any_in_set(l, conflict, &upper);
    lines_free(&lower), lines_free(&upper);
    return in;
}

bool in_set(Level *l, const LineVec *conflict, uint64_t line)
{
    Lines x = {0};
    lines_add(&x, line, 1, 1);
    bool in = is_in(conflict, line) || any_in_set(l, conflict, &x);
    lines_free(&x);
    return in;
}

static bool range_in_set(Level *l, const LineVec *conflict, uint64_t from, uint64_t to)
{
    Lines x = {0};
    for (uint64_t at = from; at < to;) {  // without the conflict set's lines, which go round anyway
        uint64_t end = at;
        while (end < to && !is_in(conflict, end)) end++;
        lines_add(&x, at, 1, (uint32_t)(end - at));
        at = end + 1;
    }
    bool in = x.n && any_in_set(l, conflict, &x);
    lines_free(&x);
    return in;
}

static void list_range(Level *l, const LineVec *conflict, uint64_t from, uint64_t to, LineVec *out)
{
    if (l->broken) return;
    if (to - from == 1) {
        if (is_in(conflict, from) || range_in_set(l, conflict, from, to)) vec_push(out, from);
        return;
    }
    if (!range_in_set(l, conflict, from, to)) {
        for (uint64_t k = from; k < to; k++)
            if (is_in(conflict, k)) vec_push(out, k);
        return;
    }
    uint64_t middle = (from + to) / 2;
    list_range(l, conflict, from, middle, out);
    list_range(l, conflict, middle, to, out);
}

void list_set(Level *l, const LineVec *conflict, uint64_t from, uint64_t to, uint64_t part, LineVec *out)
{
    for (part = MAX(part, 1); from < to && !l->broken; from += part)
        list_range(l, conflict, from, MIN(from + part, to), out);
}

// --- ways ------------------------------------------------------------------------------------------------------------
static bool first_fit(Level *l, const Shape *s, uint32_t set, uint32_t n)
{
    Lines x = {0};
    for (uint32_t k = 0; k < n; k++) lines_add(&x, shape_line(s, set, k), 1, 1);
    bool fits = level_fits(l, &x);
    lines_free(&x);
    return fits;
}

uint32_t find_ways(Level *l, const Shape *s, uint32_t set, uint32_t likely)
{
    uint32_t low = 0, high = likely, step = 1;
    fill_for(l, s, set);
    if (first_fit(l, s, set, likely)) {
        for (low = likely; !l->broken && low + step <= SHAPE_WAYS && first_fit(l, s, set, low + step); step *= 2)
            low += step;
        high = low + step;
    }
    while (low + 1 < high && !l->broken) {
        uint32_t middle = (low + high) / 2;
        if (first_fit(l, s, set, middle))
            low = middle;
        else
            high = middle;
    }
    lines_free(&l->filler);
    return low;
}
