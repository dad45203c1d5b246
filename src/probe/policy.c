// policy.c: infers which line is replaced when a set is full. Going round in a cycle can't tell FIFO from LRU, so a
// set's lines are touched again in random order. Every deterministic rule predicts which of these loads hit, and the
// rule whose predictions the latencies confirm is the answer. If random victims explain the latencies better (each miss
// of a set lowers the chance that a line is still there), victims are drawn at random. Then every trial fills an empty
// set in order, loads one line more, and looks which way was the victim.
#include "probe/infer.h"

#include <math.h>
#include <string.h>

static const double sure = 12;  // log odds, as in level.c

static uint64_t mix(uint64_t *seed)
{
    *seed += 0x9E3779B97F4A7C15ull;
    uint64_t z = (*seed ^ *seed >> 30) * 0xBF58476D1CE4E5B9ull;
    z = (z ^ z >> 27) * 0x94D049BB133111EBull;
    return z ^ z >> 31;
}

// --- foretelling -----------------------------------------------------------------------------------------------------
enum { SEQUENCE = 200000 };
typedef struct Sequence {
    Walk walk[CHASE_WALKS];
    uint64_t *line;  // in the order of loading, filler too: SEQUENCE at most
    bool *timed;
    size_t walks, n, looked;
} Sequence;

static bool put(const Level *l, Sequence *q, uint64_t from, uint32_t step, uint32_t count, bool timed)
{
    if (q->walks == subject_walks(l->subject) || q->n + count > SEQUENCE) return false;
    q->walk[q->walks++] = (Walk){.start = level_address(l, from),
                                 .stride = (int64_t)step * (int64_t)(l->unit + l->stagger),
                                 .count = count,
                                 .timed = timed};
    for (uint32_t k = 0; k < count; k++) q->line[q->n] = from + (uint64_t)k * step, q->timed[q->n++] = timed;
    q->looked += timed ? count : 0;
    return true;
}

static bool put_lines(const Level *l, Sequence *q, const Lines *x)
{
    bool more = true;
    for (size_t r = 0; r < x->range.n && more; r++)
        more = put(l, q, x->range.v[r].from, x->range.v[r].step, x->range.v[r].count, false);
    return more;
}

// Lists up to `most` of the lines 0 … span − 1 that are in set t; for t = set, lines that aren't in that set.
static void list_filler(const Shape *s, uint32_t set, uint32_t t, uint64_t span, uint64_t most, Lines *out)
{
    for (uint64_t k = 0, line = 0; out->n < most && line < span && k < span; k++) {
        line = t == set ? k : shape_line(s, t, k);
        if (line < span && (t != set || shape_set(s, line) != set)) lines_add(out, line, 1, 1);
    }
}

static void count_sets(const Shape *s, const Lines *x, uint64_t *count)
{
    for (size_t r = 0; r < x->range.n; r++)
        for (uint32_t k = 0; k < x->range.v[r].count; k++)
            count[shape_set(s, x->range.v[r].from + (uint64_t)k * x->range.v[r].step)]++;
}

// Chooses lines of other sets that make the level above forget the pool's lines: each of its sets in which these lie
// gets `times` as many lines as it has ways. The candidates are the lines of one other set, or all lines in a row. The
// one that covers most of the pool with few walks is taken; then again for the rest of the pool.
static void choose_filler(const Shape *s, uint32_t set, uint32_t pool, uint64_t span, const Shape *above,
                          uint64_t times, Lines *out)
{
    uint32_t ways = 0;
    for (uint32_t k = 0; k < above->sets; k++) ways = MAX(ways, above->ways[k]);
    uint64_t most = MIN(times * (ways + ways / 4 + 1) * above->sets, 2 * times * above->lines);
    uint64_t *had = mem_alloc(sizeof *had * above->sets), *count = mem_alloc(sizeof *count * above->sets);
    bool *taken = mem_alloc(sizeof *taken * s->sets);
    for (int part = 0; part < 4; part++) {
        double best = 0;
        uint32_t from = s->sets;
        for (uint32_t t = 0; t < s->sets; t++) {
            if (taken[t]) continue;
            Lines x = {0};
            list_filler(s, set, t, span, most, &x);
            memset(count, 0, sizeof *count * above->sets);
            count_sets(above, &x, count);
            double covered = -0.01 * (double)x.range.n * pool;
            for (uint32_t k = 0; k < pool; k++) {
                uint32_t in = shape_set(above, shape_line(s, set, k));
                covered += had[in] < times * above->ways[in] && had[in] + count[in] >= times * above->ways[in];
            }
            if (covered > best) best = covered, from = t;
            lines_free(&x);
        }
        if (from == s->sets) break;
        Lines x = {0};
        list_filler(s, set, from, span, most, &x);
        count_sets(above, &x, had);
        for (size_t r = 0; r < x.range.n; r++) {
            vec_push(&out->range, x.range.v[r]);
            out->n += x.range.v[r].count;
        }
        taken[from] = true;
        lines_free(&x);
    }
    mem_free(had), mem_free(count), mem_free(taken);
}

// First come other lines of the set, then as many lines of a pool as the set has ways, in order. So what was in the set
// is gone, and the bits of a PLRU tree don't depend on the start. Then come lines of the pool at random, with filler in
// between.
static void draw_sequence(const Level *l, const Shape *s, uint32_t set, const Lines *filler, uint64_t *seed,
                          Sequence *q)
{
    uint32_t ways = s->ways[set], pool = ways + MAX(1, ways / 4);
    Lines before = {0};
    q->walks = q->n = q->looked = 0;
    for (uint32_t k = 0; k < ways; k++) lines_add(&before, shape_line(s, set, pool + k), 1, 1);
    for (uint32_t k = 0; k < ways; k++) lines_add(&before, shape_line(s, set, k), 1, 1);
    bool more = put_lines(l, q, &before) && put_lines(l, q, filler);
    while (more) more = put(l, q, shape_line(s, set, mix(seed) % pool), 1, 1, true) && put_lines(l, q, filler);
    lines_free(&before);
}

typedef struct Score {
    double rule[RULE_WEIGHTED];  // by Rule: log likelihood, minus that of "all hit"
} Score;

// The share of timed loads that the level above serves on average, if it draws its victims at random: after each load
// of its set a line is still there with probability 1 − 1/ways. The level below doesn't see the loads that the level
// above serves.
static double hidden_of(const Shape *above, const Sequence *q)
{
    uint32_t *loads = mem_alloc(sizeof *loads * above->sets), *since = mem_alloc(sizeof *since * q->n);
    double sum = 0;
    for (size_t k = 0; k < q->n; k++) {
        uint32_t in = shape_set(above, q->line[k]);
        since[k] = loads[in]++;
        if (!q->timed[k]) continue;
        size_t last = k;
        while (last && q->line[last - 1] != q->line[k]) last--;
        if (last) sum += pow(1 - 1.0 / above->ways[in], since[k] - since[last - 1] - 1);
    }
    mem_free(loads), mem_free(since);
    return sum / (double)q->looked;
}

// Does a load's latency tell that the level in front served it? Then this level didn't see the load.
static bool tells_front(const Level *l) { return l->front > 0 && l->low - l->front > 5 * l->low_sd; }
static bool in_front(const Level *l, uint32_t latency) { return tells_front(l) && latency < 0.5 * (l->front + l->low); }

static bool foretellable(const Shape *s, uint32_t set, Rule r)
{
    uint32_t ways = s->ways[set];
    return r == RULE_LRU || r == RULE_FIFO || (r == RULE_PLRU && ways > 2 && ways <= 32 && !(ways & (ways - 1)));
}

// Scores random victims: after each miss of its set a line is still there with probability 1 − 1/ways.
static double score_random(const Level *l, const Shape *s, uint32_t set, const Sequence *q, const uint32_t *latency)
{
    double misses = 0, sum = 0, stays = 1 - 1.0 / s->ways[set];
    size_t n = 0, at = 0;
    struct {
        uint64_t line;
        double since;
    } *known = mem_alloc(sizeof *known * 4 * SHAPE_WAYS);
    for (size_t k = 0; k < q->n; k++) {
        if (shape_set(s, q->line[k]) != set) continue;
        size_t f = 0;
        while (f < n && known[f].line != q->line[k]) f++;
        double p = f < n ? 1 - pow(stays, misses - known[f].since) : 1;
        p = MIN(MAX(p, 0.002), 0.998);
        if (q->timed[k]) {
            double odds = l->odds[MIN(latency[at], l->evidence_n - 1)];
            if (in_front(l, latency[at++])) continue;
            sum += log(1 - p + p * odds);
            p = p * odds / (1 - p + p * odds);
        }
        misses += p;
        if (f == n && n < 4 * SHAPE_WAYS) known[n++].line = q->line[k];
        if (f < n) known[f].since = misses;
    }
    mem_free(known);
    return sum;
}

// Filler only matters to the level above; in this level it is in other sets.
static void score(const Level *l, const Shape *s, uint32_t set, const Shape *above, Rule above_rule, const Sequence *q,
                  const uint32_t *latency, Score *score)
{
    bool seen = above && above_rule < RULE_RANDOM;  // what the level in front does can be foretold
    double slack = above && !seen ? 0.03 : 0.003;
    for (Rule r = RULE_LRU; r < RULE_RANDOM; r++) {
        if (!foretellable(s, set, r)) continue;
        Tags tags, front;
        tags_open(&tags, s);
        if (seen) tags_open(&front, above);
        size_t at = 0;
        for (size_t k = 0; k < q->n; k++) {
            if (!seen && q->timed[k] && in_front(l, latency[at])) {
                at++;
                continue;
            }
            bool hit = seen && tags_touch(&front, above_rule, q->line[k], NULL);
            hit = hit || tags_touch(&tags, r, q->line[k], NULL);
            if (!q->timed[k]) continue;
            double odds = l->odds[MIN(latency[at], l->evidence_n - 1)];
            at++;
            score->rule[r] += log(hit ? 1 - slack + slack * odds : (1 - slack) * odds + slack);
        }
        tags_close(&tags);
        if (seen) tags_close(&front);
    }
    score->rule[RULE_RANDOM] += score_random(l, s, set, q, latency);
}

// Returns the best rule, and by how much its score is better than the next.
static Rule best_of(const Shape *s, uint32_t set, const Score *c, double *margin)
{
    double best = c->rule[RULE_RANDOM], second = -1e300;
    Rule rule = RULE_RANDOM;
    for (Rule r = RULE_LRU; r < RULE_RANDOM; r++) {
        if (!foretellable(s, set, r)) continue;
        if (c->rule[r] > best)
            second = best, best = c->rule[r], rule = r;
        else
            second = MAX(second, c->rule[r]);
    }
    *margin = best - second;
    return rule;
}

// --- drawn victims ---------------------------------------------------------------------------------------------------
// One launch, with trials in as many sets as there is room for walks. Counts in drawn[way] which way was the victim.
static uint32_t draw_victims(Level *l, const Shape *s, uint32_t ways, uint32_t *at, uint64_t *seed, uint32_t *drawn)
{
    Walk walk[CHASE_WALKS];
    uint32_t turn[CHASE_WALKS], trials = 0, found = 0;
    size_t walks = 0;
    for (uint32_t tried = 0; tried < s->sets && walks + 2 * ways + 3 < subject_walks(l->subject);
         tried++, *at = (*at + 1) % s->sets) {
        if (s->ways[*at] != ways) continue;
        Lines fill = {0}, look = {0};
        turn[trials] = (uint32_t)(mix(seed) % ways);
        for (uint32_t k = 0; k <= ways; k++) lines_add(&fill, shape_line(s, *at, k), 1, 1);
        for (uint32_t k = 0; k < ways; k++) lines_add(&look, shape_line(s, *at, (turn[trials] + k) % ways), 1, 1);
        walks = level_walks(l, &fill, false, walk, walks);
        walks = level_walks(l, &look, true, walk, walks);
        lines_free(&fill), lines_free(&look);
        trials++;
    }
    uint32_t *latency = mem_alloc(sizeof *latency * trials * ways);
    level_run(l, walk, walks, 1, 0, latency);
    for (uint32_t t = 0; t < trials && !l->broken; t++) {
        uint32_t k = 0;
        while (k < ways && l->odds[MIN(latency[t * ways + k], l->evidence_n - 1)] < 1) k++;
        if (k < ways) drawn[(turn[t] + k) % ways]++, found++;
    }
    mem_free(latency);
    return found;
}

// The chance of a χ² as large with n degrees of freedom (Wilson and Hilferty's approximation).
static double chance_of(double chi2, double n)
{
    double z = (cbrt(chi2 / n) - (1 - 2 / (9 * n))) / sqrt(2 / (9 * n));
    return 0.5 * erfc(z / sqrt(2));
}

static Value find_weights(Level *l, Shape *s, uint32_t set, Found *out)
{
    uint32_t ways = s->ways[set];
    uint32_t drawn[32] = {0}, n = 0, at = 0, want = MIN(MAX(80 * ways, 800), 4000);
    uint64_t seed = ways;
    for (int launches = 0; n < want && launches < 5000 && !l->broken; launches++)
        n += draw_victims(l, s, ways, &at, &seed, drawn);
    if (n < want) return undetermined("victims are drawn at random, but which way they were in doesn't show");
    double chi2 = 0, equal = (double)n / ways;
    for (uint32_t w = 0; w < ways; w++) {
        double p = (double)drawn[w] / n, error = 1.96 * sqrt(p * (1 - p) / n);
        chi2 += (drawn[w] - equal) * (drawn[w] - equal) / equal;
        out->weight[w] = measured(p, p - error, p + error);
        s->weight[w] = p;
    }
    out->rule_p = chance_of(chi2, ways - 1);
    test_draws(l, s, set, out);
    return counted(s->rule = out->rule_p < 1e-3 ? RULE_WEIGHTED : RULE_RANDOM);
}

// --- the whole -------------------------------------------------------------------------------------------------------
Value find_rule(Level *l, Shape *s, const Shape *above, Found *out)
{
    // The set with fewest ways shows the rule soonest, but one or two ways don't tell all rules apart.
    uint32_t set = 0;
    for (uint32_t k = 1; k < s->sets; k++)
        if (s->ways[set] < 3 ? s->ways[k] > s->ways[set] : s->ways[k] >= 3 && s->ways[k] < s->ways[set]) set = k;
    uint32_t ways = s->ways[set];
    if (ways == 1) return counted(s->rule = RULE_ANY);
    Sequence *q = mem_alloc(sizeof *q);
    q->line = mem_alloc(sizeof *q->line * SEQUENCE), q->timed = mem_alloc(sizeof *q->timed * SEQUENCE);
    Score c = {{0}};
    Lines filler = {0};
    uint32_t latency[CHASE_WALKS];
    double margin = 0, hidden = 0;
    uint64_t seed = 1, loads = 0;
    Rule rule = RULE_RANDOM;
    if (above)
        choose_filler(s, set, ways + MAX(1, ways / 4), out->span, above, above->rule >= RULE_RANDOM ? 6 : 2, &filler);
    while (margin < 4 * sure && loads < l->limit) {
        draw_sequence(l, s, set, &filler, &seed, q);
        level_run(l, q->walk, q->walks, 1, 0, latency);
        if (l->broken) break;
        if (above && above->rule >= RULE_RANDOM && !tells_front(l)) hidden = MAX(hidden, hidden_of(above, q));
        score(l, s, set, above, above ? above->rule : RULE_NONE, q, latency, &c);
        rule = best_of(s, set, &c, &margin);
        loads += q->n;
    }
    lines_free(&filler);
    mem_free(q->line), mem_free(q->timed), mem_free(q);
    // If some loads are hidden, PLRU looks like random victims. If most are hidden, any rule does.
    if (hidden > (foretellable(s, set, RULE_PLRU) ? 0.03 : 0.3) && rule == RULE_RANDOM)
        return undetermined("the level in front of it hides which loads hit and which miss");
    if (l->broken || margin < sure)
        return undetermined("no replacement policy explains the hits better than all others");
    if (rule == RULE_RANDOM && !above && ways <= 32 && l->subject->cold && l->warm == 1)
        return level_distance(l) > 5
                   ? find_weights(l, s, set, out)
                   : undetermined("victims are drawn at random, but which way they were in doesn't show");
    return counted(s->rule = rule);
}
