// index.c: infers which lines share a set. The lines of one set are listed, from the start of the region on. If they
// recur with a period, lines go to the sets in turn: in blocks (by a bit field, or modulo), or passing over full sets.
// If they don't, a linear map over address bits is solved for. The result must then predict lines all over the span
// that it wasn't made from.
#include "probe/infer.h"

#include <stdlib.h>

// --- periods ---------------------------------------------------------------------------------------------------------
static uint64_t period_of(const LineVec *in, uint64_t length)
{
    char *member = mem_alloc(length);
    uint64_t period = 0;
    for (size_t k = 0; k < in->n; k++) member[in->v[k]] = 1;
    // A period is a distance from the first line to another.
    for (size_t k = 1; k < in->n && !period; k++) {
        uint64_t p = in->v[k] - in->v[0];
        if (p > length / 2) break;
        bool same = true;
        for (uint64_t x = 0; x + p < length && same; x++) same = member[x] == member[x + p];
        if (same) period = p;
    }
    mem_free(member);
    return period;
}

static void set_modulo(Shape *s, uint64_t sets, uint32_t block)
{
    s->form = sets == 1 ? FORM_ONE : FORM_MODULO;
    s->sets = (uint32_t)sets;
    s->block = sets == 1 ? 0 : block;
}

// Are the set's lines of the first period an aligned block of 2^d lines?
static bool is_block(const LineVec *in, uint64_t period, uint32_t *block)
{
    size_t n = 0;
    while (n < in->n && in->v[n] < period) n++;
    if (!n || n & (n - 1) || in->v[0] % n || period % n || in->v[n - 1] != in->v[0] + n - 1) return false;
    *block = (uint32_t)__builtin_ctzll(n);
    return true;
}

// --- dealt -----------------------------------------------------------------------------------------------------------
// One period has a line for every entry, so all its lines fit. The k-th line behind it is again of set k, and makes
// that set overflow.
static bool solve_dealt(Level *l, const LineVec *in, uint64_t period, Shape *s)
{
    if (in->n < 2 || period > SHAPE_SETS) return false;
    uint64_t sets = in->v[1] - in->v[0], sum = 0;
    if (sets < 2 || sets > period || sets > 256) return false;
    s->form = FORM_DEALT;
    s->sets = (uint32_t)sets;
    s->ways = mem_alloc(sizeof *s->ways * sets);
    for (uint32_t k = 0; k < sets && sum <= period && !l->broken; k++) {
        LineVec of = {0};
        uint32_t units;
        if (find_conflict(l, period, period + k, &of, &units))
            sum += s->ways[k] = (uint32_t)of.n - 1;
        else
            sum = ~0ull;
        vec_free(&of);
    }
    if (sum == period) shape_deal(s);
    return sum == period;
}

// --- linear maps -----------------------------------------------------------------------------------------------------
static int compare(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

// Is line ^ s in the set for some sum s of free_bit[0..n)? *spread: these lines lie too far apart to go round them
// all.
static bool any_sum(Level *l, const LineVec *conflict, uint64_t line, const uint32_t *free_bit, uint32_t n,
                    bool *spread)
{
    uint64_t count = 1ull << n, *all = mem_alloc(sizeof *all * count);
    Lines x = {0};
    bool in = false;
    for (uint64_t c = 0; c < count; c++) {
        all[c] = line;
        for (uint32_t k = 0; k < n; k++) all[c] ^= (c >> k & 1) << free_bit[k];
    }
    qsort(all, count, sizeof *all, compare);
    for (uint64_t c = 0; c < count; c++) {
        for (size_t k = 0; k < conflict->n; k++) in |= conflict->v[k] == all[c];
        lines_add(&x, all[c], 1, 1);
    }
    *spread |= x.range.n > subject_walks(l->subject) / 2;
    in = in || (!*spread && any_in_set(l, conflict, &x));
    lines_free(&x);
    mem_free(all);
    return in;
}

static bool solve_linear(Level *l, const LineVec *conflict, uint64_t span, Shape *s)
{
    uint32_t free_bit[16], n = 0;
    uint64_t base = conflict->v[0];
    bool spread = false;
    s->form = FORM_LINEAR;
    for (uint32_t b = 0; 1ull << b < span && !l->broken && !spread; b++) {
        uint64_t line = base ^ 1ull << b;
        if (!any_sum(l, conflict, line, free_bit, n, &spread)) {
            if (n == 14) return false;
            free_bit[n++] = b;
            continue;
        }
        // Finds which of the sums it is, bit by bit.
        s->kernel[b] = 1ull << b;
        for (uint32_t k = n; k-- > 0;)
            if (!any_sum(l, conflict, line, free_bit, k, &spread))
                line ^= 1ull << free_bit[k], s->kernel[b] ^= 1ull << free_bit[k];
    }
    s->sets = 1u << n;
    return !l->broken && !spread;
}

// --- the whole -------------------------------------------------------------------------------------------------------
static uint64_t mix(uint64_t *seed)
{
    *seed += 0x9E3779B97F4A7C15ull;
    uint64_t z = (*seed ^ *seed >> 31) * 0x94D049BB133111EBull;
    return z ^ z >> 29;
}

// Foretells lines all over the span, half of them of the set.
static bool foretells(Level *l, const LineVec *conflict, uint64_t span, const Shape *s)
{
    uint64_t seed = span;
    uint32_t set = shape_set(s, conflict->v[0]), wrong = 0, trials = l->settle ? 16 : 40;
    for (size_t k = 0; k < conflict->n; k++)
        if (shape_set(s, conflict->v[k]) != set) return false;
    for (uint32_t k = 0; k < trials && !wrong && !l->broken; k++) {
        uint64_t line = mix(&seed) % span;
        if (k & 1) line = shape_line(s, set, line / s->sets);
        if (line < span) wrong += in_set(l, conflict, line) != (shape_set(s, line) == set);
    }
    return !wrong;
}

// A set that has other ways than most is asked twice, since the level in front may have hidden a miss.
static uint32_t ways_of(Level *l, const Shape *s, uint32_t set, uint32_t likely)
{
    uint32_t ways = find_ways(l, s, set, likely), before = likely;
    for (int k = 0; ways != before && ways != likely && k < 4; k++) before = ways, ways = find_ways(l, s, set, likely);
    return ways;
}

// Measures the ways of every set. If there are many sets, only some are asked: unequal sets have been seen only where
// there are few.
static void measure_ways(Level *l, uint32_t likely, Shape *s)
{
    lines_free(&l->filler);
    if (!s->ways) {
        s->ways = mem_alloc(sizeof *s->ways * s->sets);
        for (uint32_t k = 0; k < s->sets; k++) s->ways[k] = likely;
        for (uint32_t k = 0; k < s->sets; k += s->sets <= 64 ? 1 : 1 + s->sets / 24)
            s->ways[k] = ways_of(l, s, k, likely);
    }
    s->lines = 0;
    for (uint32_t k = 0; k < s->sets; k++) s->lines += s->ways[k];
}

// Adds n of the first `of` lines of a set: at equal distances, or anyhow. Lines at equal distances may be of several
// sets in turn that were taken for one. Anyhow takes a walk for each line, and there may be `most` of them.
static void add_lines(const Shape *s, uint32_t set, uint32_t n, uint64_t of, bool anyhow, uint32_t most, uint64_t *seed,
                      Lines *x)
{
    uint64_t first = mix(seed) % of, step = of / n, *taken = mem_alloc(sizeof *taken * n);
    anyhow = anyhow && n < most && of >= 2 * n;
    for (uint32_t w = 0; w < n;) {
        uint64_t k = anyhow ? mix(seed) % of : (first + w * step) % of;
        bool again = false;
        for (uint32_t v = 0; v < w && anyhow; v++) again |= taken[v] == k;
        if (again) continue;
        taken[w++] = k;
        lines_add(x, shape_line(s, set, k), 1, 1);
    }
    mem_free(taken);
}

// Checks random sets with lines from all over the span. As many lines as a set has ways must fit, also with a line of
// another set; with one more line of the same set they must not.
static bool holds(Level *l, uint64_t span, const Shape *s)
{
    uint64_t seed = span + 1;
    bool right = true;
    for (uint32_t k = 0; k < (l->settle ? 12 : 32) && right && !l->broken; k++) {
        uint32_t set = (uint32_t)(mix(&seed) % s->sets), ways = s->ways[set];
        uint64_t of = span / s->sets, other = mix(&seed) % span;
        bool own = k & 1, add = !own && shape_set(s, other) != set;
        if (of < ways + 1 || (!own && s->sets > 1 && l->above))
            continue;  // another line might overflow its set together with filler
        Lines x = {0};
        add_lines(s, set, ways + own, of, own ? k & 2 : k & 6, subject_walks(l->subject) / 2, &seed, &x);
        if (add) lines_add(&x, other, 1, 1);
        fill_for(l, s, set);
        right = level_fits(l, &x) != own;
        lines_free(&x);
    }
    lines_free(&l->filler);
    return right && !l->broken;
}

// A shape that doesn't hold. The first one is kept: it came nearest. What isn't known of its ways is taken from the
// set that overflowed.
static void reject(Shape *s, const LineVec *conflict, Shape *nearest)
{
    bool keep = nearest->form == FORM_NONE && s->form != FORM_NONE && s->sets && conflict->n > 1 &&
                (s->form != FORM_DEALT || s->dealt);
    if (keep && !s->ways) {
        s->ways = mem_alloc(sizeof *s->ways * s->sets);
        for (uint32_t k = 0; k < s->sets; k++) s->ways[k] = (uint32_t)conflict->n - 1;
    }
    for (uint32_t k = s->lines = 0; keep && k < s->sets; k++) s->lines += s->ways[k];
    if (keep)
        *nearest = *s;
    else
        shape_free(s);
    *s = (Shape){.form = FORM_NONE};
}

static bool stands(Level *l, const LineVec *conflict, uint64_t span, Shape *s)
{
    if (l->broken || !foretells(l, conflict, span, s)) return false;
    measure_ways(l, (uint32_t)conflict->n - 1, s);
    return !l->broken && holds(l, span, s);
}

Value find_index(Level *l, uint64_t prefix, const LineVec *conflict, uint64_t span, Shape *s, Shape *nearest)
{
    LineVec in = {0};
    uint64_t length = 0, period = 0;
    uint32_t block = 0;
    bool solved = false;
    shape_free(nearest);
    if (conflict->n - 1 == prefix) {  // all lines that fit are of one set
        set_modulo(s, 1, 0);
        solved = stands(l, conflict, span, s);
    }
    for (uint64_t to = MIN(prefix * 5 / 2 + 8, span); !solved && !period && length < span && !l->broken;
         to = MIN(2 * to, span)) {
        list_set(l, conflict, length, to, MAX(1, prefix / 2), &in);
        length = to;
        period = in.n > 1 ? period_of(&in, length) : 0;
        if (length > 8 * prefix && in.n > 40) break;
    }
    if (period && !l->broken) {
        reject(s, conflict, nearest);
        bool blocks = is_block(&in, period, &block);
        if (blocks) set_modulo(s, period >> block, block);
        solved = (blocks || (period >= prefix && solve_dealt(l, &in, period, s))) && stands(l, conflict, span, s);
    }
    if (!solved && !l->broken) {
        reject(s, conflict, nearest);
        solved = solve_linear(l, conflict, span, s) && stands(l, conflict, span, s);
    }
    vec_free(&in);
    if (!solved) reject(s, conflict, nearest);
    if (solved) shape_free(nearest);
    return solved ? counted(s->form)
                  : undetermined(
                        "neither a bit field, modulo, dealt sets nor a linear hash explains which lines share a set");
}
