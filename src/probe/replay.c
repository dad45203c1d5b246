// replay.c: runs what was inferred on every access that was recorded. Hits and misses must come out as they were
// measured; if victims are drawn at random, some choice of victims must explain them (victims.c).
#include "probe/infer.h"

#include <string.h>

static Rule runnable(const Found *f)
{
    Rule r = f->shape.rule;
    if (f->index.verdict != MEASURED || f->rule.verdict != MEASURED) return RULE_NONE;
    return r == RULE_ANY ? RULE_LRU : r;
}

static Outcome outcome(bool hit) { return hit ? OUTCOME_HIT : OUTCOME_MISS; }

static void judge(Found *f, Outcome seen, bool hit)
{
    if (seen == OUTCOME_OPEN) return;
    f->accesses++;
    f->mismatches += seen != outcome(hit);
}

// The loads of a run, kept until the run ends. Only the first `left` timed loads are from one execution of the
// sequence. What comes later is of other draws, and is left open.
typedef struct Kept {
    VEC(Seen) seen;
    size_t left;
    const Shape *shape;
    Found *found;
} Kept;

static void keep(Kept *k, uint64_t line, Outcome seen, bool timed)
{
    if (timed && !k->left) seen = OUTCOME_OPEN;
    if (timed && k->left) k->left--;
    vec_push(&k->seen, ((Seen){line, seen}));
    k->found->accesses += seen != OUTCOME_OPEN;
}

static void explain(Kept *k, uint32_t strangers)
{
    k->found->mismatches += explain_victims(k->shape, k->seen.v, k->seen.n, strangers);
    k->seen.n = 0;
}

static size_t window_of(const Subject *s, const Run *r) { return s->window ? s->window(s->of, r->n) : SIZE_MAX; }

// Is called for every access of a run, in order. latency: what the access took; null: it wasn't timed.
typedef void Access(void *user, uint64_t address, const uint32_t *latency);

static void each_access(const Run *run, Access *access, void *user)
{
    const uint32_t *x = run->latency;
    for (uint32_t r = 0; r < run->rounds; r++)
        for (size_t w = 0; w < run->n; w++) {
            const Walk *walk = &run->walks[w];
            uint64_t offset = 0;
            for (uint32_t k = 0; k < walk->count; k++) {
                access(user, walk->start + offset, walk->timed && r >= run->first ? x++ : NULL);
                offset += (uint64_t)walk->stride;
                if (walk->wrap && offset >= walk->wrap) offset -= walk->wrap;
            }
        }
}

// --- a cache ---------------------------------------------------------------------------------------------------------
typedef struct CacheReplay {
    const Level *level;
    Found *found;
    const Shape *shape;
    Tags tags;
    Rule rule;
    uint64_t *valid;  // per tag: which fills of the line are there
    uint8_t *loaded;  // lines below LOADED: has the run loaded it?
    Kept kept;
} CacheReplay;
enum { LOADED = 1 << 20 };

static void touch_line(void *user, uint64_t address, const uint32_t *latency)
{
    CacheReplay *c = user;
    const Level *l = c->level;
    uint64_t fill = (uint64_t)c->found->fill.value, offset = address - l->base, part = 1ull << offset % l->unit / fill;
    Outcome seen = latency ? outcome(l->evidence[MIN(*latency, l->evidence_n - 1)] < 0) : OUTCOME_OPEN;
    uint32_t slot;
    if (c->rule >= RULE_RANDOM) {
        // Whether other parts of the line are there depends on several draws.
        keep(&c->kept, offset / l->unit, part == 1 ? seen : OUTCOME_OPEN, latency);
        return;
    }
    const uint64_t line = offset / l->unit;
    if (!tags_touch(&c->tags, c->rule, line, &slot)) c->valid[slot] = 0;
    const bool hit = c->valid[slot] & part;
    judge(c->found, seen, hit);
    if (seen != OUTCOME_OPEN && seen != outcome(hit) && (line >= LOADED || c->loaded[line]))
        c->found->against++, c->found->hits_against += !hit;
    if (line < LOADED) c->loaded[line] = 1;
    c->valid[slot] |= part;
}

static void replay_runs(const Level *l, size_t from, const Shape *shape, Rule rule, Found *f)
{
    CacheReplay c = {.level = l, .found = f, .shape = shape, .rule = rule, .kept = {.found = f, .shape = shape}};
    const Subject *s = l->subject;
    c.loaded = mem_alloc(LOADED);
    for (size_t r = from; r < s->runs.n; r++) {
        if (s->runs.v[r].kind != l->kind) continue;
        tags_open(&c.tags, shape);
        c.kept.left = window_of(s, &s->runs.v[r]);
        c.valid = mem_alloc(sizeof *c.valid * shape->lines);
        if (rule < RULE_RANDOM) memset(c.loaded, 0, LOADED);
        each_access(&s->runs.v[r], touch_line, &c);
        explain(&c.kept, 0);
        mem_free(c.valid);
        tags_close(&c.tags);
    }
    vec_free(&c.kept.seen);
    mem_free(c.loaded);
    if (rule >= RULE_RANDOM) f->against = f->mismatches;
}

void replay_cache(const Level *l, size_t from, Found *f)
{
    const Rule rule = runnable(f);
    if (!l->subject->cold) return;
    if (rule != RULE_NONE) {
        replay_runs(l, from, &f->shape, rule, f);
    } else if (f->index.verdict != MEASURED && f->nearest.form != FORM_NONE) {
        for (Rule r = RULE_LRU; r <= RULE_FIFO; r++) {
            Found g = {.fill = f->fill};
            replay_runs(l, from, &f->nearest, r, &g);
            if (r > RULE_LRU && g.mismatches >= f->mismatches) continue;
            f->nearest.rule = r, f->accesses = g.accesses, f->mismatches = g.mismatches;
        }
    }
}

// --- the TLBs --------------------------------------------------------------------------------------------------------
enum { STRANGERS = 2 };  // pages that the launch itself may have in a set, for example of its code and parameters
typedef struct TlbReplay {
    FoundTlbs *found;
    Tags tags[2];
    Rule rule[2];
    Kept kept[2];
    int levels;
} TlbReplay;

static void touch_page(void *user, uint64_t address, const uint32_t *latency)
{
    TlbReplay *t = user;
    uint64_t page = address / (uint64_t)t->found->page.value;
    for (int k = 0; k < t->levels; k++) {
        Found *f = &t->found->level[k];
        // Is the latency nearer to that of a load that this level serves, or to one that it doesn't?
        Outcome seen = latency ? outcome(*latency < 0.5 * (f->low.value + f->high.value)) : OUTCOME_OPEN;
        if (t->rule[k] >= RULE_RANDOM) {  // the replay ends here: which loads this level passes on isn't known
            keep(&t->kept[k], page, seen, latency);
            return;
        }
        bool hit = tags_touch(&t->tags[k], t->rule[k], page, NULL);
        judge(f, seen, hit);
        if (hit) return;
    }
}

void replay_tlbs(const Subject *s, ChaseKind kind, size_t from, FoundTlbs *f)
{
    TlbReplay t = {.found = f,
                   .rule = {runnable(&f->level[0]), runnable(&f->level[1])},
                   .kept = {{.found = &f->level[0], .shape = &f->level[0].shape},
                            {.found = &f->level[1], .shape = &f->level[1].shape}}};
    t.levels = t.rule[0] == RULE_NONE ? 0 : t.rule[1] == RULE_NONE ? 1 : 2;
    for (size_t r = from; r < s->runs.n && t.levels && s->cold; r++) {
        if (s->runs.v[r].kind != kind) continue;
        for (int k = 0; k < t.levels; k++)
            tags_open(&t.tags[k], &f->level[k].shape), t.kept[k].left = window_of(s, &s->runs.v[r]);
        each_access(&s->runs.v[r], touch_page, &t);
        for (int k = 0; k < t.levels; k++) {
            if (t.kept[k].seen.n) explain(&t.kept[k], STRANGERS);
            tags_close(&t.tags[k]);
        }
    }
    vec_free(&t.kept[0].seen), vec_free(&t.kept[1].seen);
}
