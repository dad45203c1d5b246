// table.c: the score. What a machine is, is what loads can tell of it: sets are compared as a partition of the lines
// over the span that was looked at, whatever they are numbered; of policies those that no access tells apart are one. A
// value is separable where hits and misses lie d' standard deviations apart and REPEATS looks make six of them.
#include "table.h"
#include "machine.h"
#include "mem/replacement.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

enum { REPEATS = 64 };
typedef enum Parameter {
    SIZE,
    LINE,
    FILL,
    INDEX,
    WAYS,
    POLICY,
    WEIGHTS,
    HIT_TIME,
    PAGE,
    ENTRIES1,
    INDEX1,
    POLICY1,
    LATE,
    ENTRIES2,
    INDEX2,
    POLICY2,
    WALK_TIME,
    PARAMETERS
} Parameter;
static const char *const names[PARAMETERS] = {
    "size",           "line",           "fill",        "index",          "ways",          "policy",
    "weights",        "hit cycles",     "page",        "L1 TLB entries", "L1 TLB sets",   "L1 TLB policy",
    "L1 TLB penalty", "L2 TLB entries", "L2 TLB sets", "L2 TLB policy",  "L2 TLB penalty"};
typedef struct Row {
    uint32_t right, wrong, open, beyond,
        absent;  // open: undetermined though separable; beyond: undetermined, and not separable
} Row;
typedef struct Table {
    Row row[PARAMETERS];
    uint32_t covered, intervals;  // 95 % intervals, and those that hold the truth
    FILE *to;
    uint64_t seed;
} Table;

static void mark(Table *t, Parameter p, const Value *v, bool right, bool separable)
{
    Row *r = &t->row[p];
    if (v->verdict == MEASURED && right)
        r->right++;
    else if (v->verdict == MEASURED)
        r->wrong++, fprintf(t->to, "machine %llu: %s is wrong: %g\n", (unsigned long long)t->seed, names[p], v->value);
    else if (separable)
        r->open++, fprintf(t->to, "machine %llu: %s is open: %s\n", (unsigned long long)t->seed, names[p],
                           v->why ? v->why : "nothing was seen");
    else
        r->beyond++;
}

// A continuous value: an interval may miss, one in twenty; far off is wrong.
static void mark_interval(Table *t, Parameter p, const Value *v, double truth, bool separable)
{
    double half = 0.5 * (v->high - v->low);
    mark(t, p, v, fabs(v->value - truth) <= MAX(4 * half, 1e-9 + 0.01 * truth), separable);
    if (v->verdict != MEASURED) return;
    t->intervals++;
    t->covered += truth >= v->low - 1e-9 && truth <= v->high + 1e-9;
}

// Do both make the same sets of lines 0 … span − 1, and give them as many ways?
static bool same_sets(const Cache *c, uint64_t line, const Found *f, bool *ways)
{
    uint32_t *ours = mem_alloc(sizeof *ours * c->sets), *theirs = mem_alloc(sizeof *theirs * f->shape.sets);
    bool same = true;
    *ways = true;
    for (uint64_t x = 0; x < f->span && same; x++) {
        uint32_t a = cache_set(c, x * line), b = shape_set(&f->shape, x);
        if (!ours[a] && !theirs[b]) ours[a] = b + 1, theirs[b] = a + 1;
        same = ours[a] == b + 1 && theirs[b] == a + 1;
        *ways &= c->ways[a] == f->shape.ways[b];
    }
    mem_free(ours), mem_free(theirs);
    return same;
}

static Rule class_of(const Cache *c)
{
    uint32_t ways = 0;
    for (uint32_t k = 0; k < c->sets; k++) ways = MAX(ways, c->ways[k]);
    if (ways == 1) return RULE_ANY;
    bool equal = true;
    for (uint32_t k = 1; k < MIN(ways, 32); k++) equal &= c->cfg.weights[k] == c->cfg.weights[0];
    switch (c->cfg.replacement) {
    case REPLACE_FIFO: return RULE_FIFO;
    case REPLACE_RANDOM: return RULE_RANDOM;
    case REPLACE_WEIGHTED: return equal ? RULE_RANDOM : RULE_WEIGHTED;
    case REPLACE_PLRU: return ways == 2 ? RULE_LRU : RULE_PLRU;
    default: return RULE_LRU;
    }
}

static void mark_weights(Table *t, const Machine *m, const Found *f)
{
    double sum = 0, worst = 0;
    uint32_t ways = m->data.ways[0];
    for (uint32_t k = 0; k < ways; k++) sum += m->cache.weights[k];
    for (uint32_t k = 0; k < ways; k++)
        worst = MAX(worst, fabs(f->weight[k].value - m->cache.weights[k] / sum) /
                               MAX(1e-9, 0.5 * (f->weight[k].high - f->weight[k].low)));
    Value v = counted(worst);  // half widths of the interval of the worst one
    mark(t, WEIGHTS, &v, worst < 2.5, true);
}

static void score_cache(Table *t, Machine *m)
{
    Found f;
    Diag diag = {0};
    bool ways = false,
         apart = (m->miss - m->hit) / (MAX(m->sigma, 0.005) * 0.5 * (m->miss + m->hit)) * sqrt(REPEATS) >= 6;
    if (!infer_cache(&m->subject, CHASE_GLOBAL, 0, &f, &diag))
        fprintf(t->to, "machine %llu: %s\n", (unsigned long long)m->seed, diag.text.v), f.size.verdict = UNDETERMINED;
    bool same = f.index.verdict == MEASURED && same_sets(&m->data, m->cache.line, &f, &ways);
    Value counts = f.index.verdict == MEASURED ? f.sets : f.index;
    mark(t, SIZE, &f.size, f.size.value == (double)m->cache.size, apart);
    mark(t, LINE, &f.line, f.line.value == m->cache.line, apart);
    mark(t, FILL, &f.fill, f.fill.value == m->cache.fill, apart);
    mark(t, INDEX, &f.index, same, apart);
    mark(t, WAYS, &counts, ways, apart);
    mark(t, POLICY, &f.rule, f.rule.value == class_of(&m->data), apart);
    if (class_of(&m->data) != RULE_WEIGHTED || f.rule.value != RULE_WEIGHTED)
        t->row[WEIGHTS].absent++;
    else
        mark_weights(t, m, &f);
    mark_interval(t, HIT_TIME, &f.low, m->hit, apart);
    found_free(&f);
    diag_free(&diag);
}

static void score_level(Table *t, const Cache *c, const Found *f, bool apart, Parameter entries, Parameter index,
                        Parameter policy)
{
    bool ways = false, same = f->index.verdict == MEASURED && same_sets(c, 1, f, &ways);
    mark(t, entries, &f->entries, f->entries.value == c->first[c->sets - 1] + c->ways[c->sets - 1], apart);
    mark(t, index, &f->index, same && ways, apart);
    mark(t, policy, &f->rule, f->rule.value == class_of(c), apart);
}

static void score_tlbs(Table *t, Machine *m)
{
    FoundTlbs f;
    Diag diag = {0};
    double sigma = MAX(m->sigma, 0.005);
    bool apart1 = m->late / (sigma * (m->miss + 0.5 * m->late)) * sqrt(REPEATS) >= 6,
         apart2 = apart1 && m->walk / (sigma * (m->miss + m->late + 0.5 * m->walk)) * sqrt(REPEATS) >= 6;
    if (!infer_tlbs(&m->subject, CHASE_L2, &f, &diag))
        fprintf(t->to, "machine %llu: %s\n", (unsigned long long)m->seed, diag.text.v);
    mark(t, PAGE, &f.page, f.page.value == (double)m->first.page, apart1);
    score_level(t, &m->tlb[0], &f.level[0], apart1, ENTRIES1, INDEX1, POLICY1);
    score_level(t, &m->tlb[1], &f.level[1], apart2, ENTRIES2, INDEX2, POLICY2);
    mark_interval(t, LATE, &f.late, m->late, apart1);
    mark_interval(t, WALK_TIME, &f.walk, m->walk, apart2);
    found_free(&f.level[0]), found_free(&f.level[1]);
    diag_free(&diag);
}

// The chance of so few of n intervals holding the truth, or fewer, when each does with 95 %.
static double chance_of(uint32_t held, uint32_t n)
{
    double sum = 0;
    for (uint32_t k = 0; k <= held; k++)
        sum += exp(lgamma(n + 1.0) - lgamma(k + 1.0) - lgamma(n - k + 1.0) + k * log(0.95) + (n - k) * log(0.05));
    return sum;
}

bool score_machines(uint64_t first, uint32_t count, uint32_t wrong, double open, FILE *to)
{
    Table t = {.to = to};
    for (t.seed = first; t.seed < first + count; t.seed++) {
        Machine m;
        machine_draw(&m, t.seed);
        machine_open(&m);
        score_cache(&t, &m);
        score_tlbs(&t, &m);
        machine_close(&m);
        fflush(to);
    }
    bool good = true;
    fprintf(to, "%-16s %6s %6s %6s %14s %14s\n", "parameter", "right", "wrong", "open", "not separable",
            "not applicable");
    for (int p = 0; p < PARAMETERS; p++) {
        const Row *r = &t.row[p];
        fprintf(to, "%-16s %6u %6u %6u %14u %14u\n", names[p], r->right, r->wrong, r->open, r->beyond, r->absent);
        good &= r->wrong <= wrong && r->open <= open * (r->right + r->wrong + r->open);
    }
    fprintf(to, "95 %% intervals: %u of %u hold the truth, p = %.3g\n", t.covered, t.intervals,
            chance_of(t.covered, t.intervals));
    return good && chance_of(t.covered, t.intervals) > 0.001;
}
