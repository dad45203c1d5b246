// infer.c: infers the cache that serves loads of a kind first, and the TLBs. The measurements are made in order, and
// each builds on what the ones before it found.
#include "probe/infer.h"

#include <math.h>
#include <string.h>

void found_free(Found *f) { shape_free(&f->shape), shape_free(&f->nearest); }

static uint64_t until(const Subject *s) { return s->loads + (s->patience ? s->patience : 250000000); }

static const char front_unknown[] = "the L1 TLB in front of it isn't known";

void found_unknown(Found *f, Value why) { f->size = f->entries = f->sets = f->index = f->rule = why; }

// If no more can be asked, that is no failure: what isn't known by then stays undetermined.
static bool well(Level *l, Found *f)
{
    if (!l->spent) return !l->broken;
    if (f->index.verdict != MEASURED)
        found_unknown(f, f->line = undetermined(l->spent));
    else if (f->rule.verdict != MEASURED)
        f->rule = undetermined(l->spent);
    l->broken = false, l->spent = NULL;
    return true;
}

// --- what a miss brings in -------------------------------------------------------------------------------------------
// Makes pairs of loads, the first `from` bytes from a place, the second `to` bytes from there, and timed: it hits if
// the first one brought it in. Up to PLACES places are tried, each once.
enum { PLACES = 256, FEW_PLACES = 32 };
static bool pair(Level *l, uint64_t from, uint64_t to, uint32_t most, Sample *out)
{
    uint32_t places =
        (uint32_t)MIN((l->subject->span[l->kind] - l->base) / 8192, MIN(most, subject_walks(l->subject) / 2));
    Walk walks[2 * PLACES];
    uint32_t latency[PLACES];
    for (uint32_t k = 0; k < places; k++) {
        uint64_t at = l->base + (uint64_t)k * 8192;
        walks[2 * k] = (Walk){.start = at + from, .count = 1};
        walks[2 * k + 1] = (Walk){.start = at + to, .count = 1, .timed = true};
    }
    level_run(l, walks, 2 * places, 1, 0, latency);
    if (!l->broken) *out = sample_of(latency, places);
    return !l->broken;
}

static void pool(Sample *sum, const Sample *s)
{
    double n = (double)(sum->n + s->n);
    sum->mean = (sum->mean * (double)sum->n + s->mean * (double)s->n) / n;
    sum->sd = (sum->sd * (double)sum->n + s->sd * (double)s->n) / n;
    sum->n += s->n;
    sum->error = sum->sd / sqrt(n);
}

static bool pairs(Level *l, uint64_t from, uint64_t to, uint32_t most, uint32_t repeats, Sample *out)
{
    Sample s;
    *out = (Sample){0};
    for (uint32_t r = 0; r < repeats; r++) {
        if (!pair(l, from, to, most, &s)) return false;
        pool(out, &s);
    }
    return true;
}

// Does the second load of such pairs take longer than a hit? clear: cycles that it must take more at least.
static bool misses(Level *l, uint64_t from, uint64_t to, uint32_t repeats, const Sample *hit, double clear,
                   bool *answer)
{
    Sample at;
    if (!pairs(l, from, to, PLACES, repeats, &at)) return false;
    *answer = at.mean - hit->mean > MAX(5 * (hit->error + at.error), clear);
    return true;
}

// How many bytes a miss brings in, a power of two. Absent: a second load of the same word is no faster than a load of
// another word. Most places are new to the next level too, so a miss there may take as long as a load from DRAM. At a
// few places that were loaded before, a miss is as fast as it can be. What takes clearly longer than a hit is a miss,
// even if it takes no longer than that. A load of the block's last word must bring in the block as well, and nothing
// behind it: else more comes with a miss than it needs, as with a prefetch.
static bool find_fill(Level *l, Value *out)
{
    enum { MOST_REPEATS = 512 };
    Sample hit, miss, near;
    uint32_t repeats = 1, fill = 2;
    double gap = 0, noise = 0;
    bool missed = false, first = false, behind = true;
    for (bool more = true; more;) {
        if (!pairs(l, 0, 0, PLACES, repeats, &hit) || !pairs(l, 0, 2048, PLACES, repeats, &miss) ||
            !pair(l, 0, 2048, FEW_PLACES, &near) ||
            !pairs(l, 0, 2048, FEW_PLACES, repeats * (PLACES / FEW_PLACES), &near))
            return false;
        gap = MIN(miss.mean, near.mean) - hit.mean, noise = 5 * (hit.error + MAX(miss.error, near.error));
        bool noisy = hit.sd > 0.006 * hit.mean;
        more = noisy && (repeats < 8 || 2 * noise > gap) && repeats < MOST_REPEATS;
        if (more) repeats *= 8;
    }
    if (miss.mean - hit.mean < noise + 1) return *out = (Value){.verdict = ABSENT}, false;
    *out = undetermined("a miss takes hardly longer than a hit");
    if (gap < 1.5 * noise) return false;
    const double clear = MIN(0.1 * (miss.mean - hit.mean), 0.5 * gap);
    while (!missed && (fill *= 2) < 2048)
        if (!misses(l, 0, fill, repeats, &hit, clear, &missed)) return false;
    if (!misses(l, fill - 4, 0, repeats, &hit, clear, &first) ||
        !misses(l, fill - 4, fill, repeats, &hit, clear, &behind))
        return false;
    *out = first || !behind ? undetermined("what comes with a miss isn't an aligned block") : counted(fill);
    return out->verdict == MEASURED;
}

// --- a level ---------------------------------------------------------------------------------------------------------
// Sets the latencies of the level's hits and misses: of hits as given, of misses from the stair. Far enough above the
// foot of the stair, every sample that isn't a hit is a miss. The share of outliers is that among loads which the
// first level serves.
static bool set_latencies(Level *l, const Sample *low, Sample *high, uint64_t lines, const Sample *first)
{
    uint32_t rounds = (uint32_t)(1 + 20000 / lines);
    size_t n = lines * rounds, missed = 0;
    uint32_t *latency = mem_alloc(sizeof *latency * n);
    if (go_round(l, lines, 2, rounds, latency)) {
        double middle = 0.5 * (low->mean + high->mean);
        if (high->mean - low->mean > 3 * low->sd) {
            for (size_t k = 0; k < n; k++)
                if (latency[k] > middle) latency[missed++] = latency[k];
            // If there are several kinds of misses, the lower ones.
            if (missed) *high = sample_of(latency, missed);
        }
        l->low = low->mean, l->low_sd = low->sd;
        l->high = high->mean, l->high_sd = high->sd = MIN(high->sd, MAX(0.5, high->mean * low->sd / low->mean));
        // An upper bound: a load that looks like a miss once in a while must not count as one.
        double tail = first->tail * (double)first->n;
        l->outliers = (tail + 2 * sqrt(tail) + 3) / (double)first->n;
        level_learn(l, missed ? latency : NULL, missed);
    }
    mem_free(latency);
    return !l->broken;
}

// Learns how many loads of a round miss if one line too many goes round. Questions about the same set needn't look for
// fewer misses.
static void learn_least(Level *l, uint64_t prefix)
{
    uint32_t rounds = (uint32_t)(8 + 20000 / prefix), *latency = mem_alloc(sizeof *latency * (prefix + 1) * rounds);
    double more = 0;
    for (int one = 0; one < 2 && !l->broken; one++)
        if (go_round(l, prefix + (uint64_t)one, 4, rounds, latency))
            for (uint64_t k = 0; k < (prefix + (uint64_t)one) * rounds; k++)
                more += (l->odds[MIN(latency[k], l->evidence_n - 1)] > 1) * (one ? 1.0 : -1.0);
    l->least = (uint32_t)MAX(1, 0.5 * more / rounds);
    mem_free(latency);
}

// Below the capacity hardly a load may take longer than a hit. Otherwise another level lies in between, which the
// stair didn't show.
static bool is_flat(Level *l, uint64_t prefix)
{
    Sample s;
    if (prefix < 8 || !measure_round(l, prefix * 3 / 4, 20000, &s)) return !l->broken;
    return s.mean - l->low < 0.03 * (l->high - l->low) + 5 * s.error + 0.4;
}

static uint64_t span_of(uint64_t want, uint64_t room)
{
    uint64_t span = 1;
    while (span < want) span *= 2;
    while (span > room) span /= 2;
    return span;
}

// How many lines fit from the start on, if sets are as in this shape.
static uint64_t prefix_of(const Shape *s)
{
    uint32_t *has = mem_alloc(sizeof *has * s->sets);
    uint64_t n = 0;
    for (uint32_t set; set = shape_set(s, n), has[set] < s->ways[set]; n++) has[set]++;
    mem_free(has);
    return n;
}

// The shape that was found isn't right after all.
static void refuse(Found *f, const char *why)
{
    shape_free(&f->nearest);
    f->nearest = f->shape;
    f->shape = (Shape){.form = FORM_NONE};
    f->index = undetermined(why);
}

static Value one_set(Shape *s, uint64_t lines)
{
    *s = (Shape){.form = FORM_ONE, .sets = 1, .lines = lines, .ways = mem_alloc(sizeof *s->ways)};
    s->ways[0] = (uint32_t)lines;
    return counted(FORM_ONE);
}

// Returns how many lines fit from the start on; 0: no group of lines was found that doesn't fit. flat: false if another
// level may lie in between. base and first are what set_latencies was given.
static uint64_t find_room(Level *l, Stair *stair, const Sample *base, const Sample *first, uint64_t most, bool *flat)
{
    uint64_t prefix = find_prefix(l, stair->below, stair->at, most);
    *flat = !prefix || is_flat(l, prefix);
    if (!*flat && first_misses(l, base, stair) && set_latencies(l, base, &stair->sample, stair->at, first)) {
        prefix = find_prefix(l, stair->below, stair->at, most);
        *flat = !prefix || is_flat(l, prefix);
    }
    l->room = prefix;
    if (prefix && !l->above) learn_least(l, prefix);
    return prefix;
}

// The index is looked at over eight times what fits. That may be more than the prefix if a set's lines are neighbours.
static uint64_t wanted(uint64_t prefix) { return MAX(8 * prefix, 4096); }
static uint64_t room_of(const Level *l) { return (l->subject->span[l->kind] - l->base) / (l->unit + l->stagger); }

static void find_sets(Level *l, uint64_t prefix, const LineVec *conflict, Found *out)
{
    const uint64_t room = room_of(l);
    for (uint64_t want = wanted(prefix), once = 1; !l->broken && want > once;) {
        out->span = span_of(want, room);
        once = want;
        shape_free(&out->shape);
        out->index = find_index(l, prefix, conflict, out->span, &out->shape, &out->nearest);
        if (out->index.verdict != MEASURED && prefix < 64 && want < 1u << 19)
            want *= 16;
        else if (out->index.verdict == MEASURED)
            want = MIN(MAX(want, 16 * shape_reach(&out->shape)), 1u << 20);
    }
    // Sets may be told apart well, and still not be all that decides, as where a buffer takes what is replaced.
    if (!l->above && out->index.verdict == MEASURED && prefix_of(&out->shape) != prefix)
        refuse(out, "the sets that were found don't explain how many lines fit together");
}

// overflows: is there a group of lines that doesn't fit?
static void conclude(Level *l, bool flat, bool overflows, Found *out)
{
    if (!flat)
        out->index = undetermined("latencies rise below its capacity already: another level may lie in between");
    else if (!overflows)
        out->index = undetermined("no group of lines was found that doesn't fit");
    if (out->index.verdict != MEASURED) {
        found_unknown(out, out->index);
    } else if (!l->broken) {
        out->sets = counted(out->shape.sets);
        out->entries = counted((double)out->shape.lines);
        out->size = counted((double)(out->shape.lines * l->unit));
    }
    lines_free(&l->filler);
}

// Infers a cache's line, sets, ways and index: everything that only asks whether lines fit. Until the size of a line is
// known, the level's lines are units of l->unit bytes, of which a line may have several.
static bool infer_cache_shape(Level *l, Stair *stair, const Sample *base, const Sample *first, uint64_t most,
                              Found *out)
{
    LineVec conflict = {0};
    uint32_t units = 1;
    bool flat;
    uint64_t prefix = find_room(l, stair, base, first, most, &flat);
    const uint32_t least = l->least;  // of units; until it is known how many a line has, one of each may go round
    l->least = MAX(1, least / 64);
    const bool overflows = prefix && flat && find_conflict(l, prefix, prefix, &conflict, &units);
    l->least = MAX(1, least / units);
    if (overflows && units > 1) {
        l->unit *= units;
        prefix /= units;
        l->room = prefix;
        for (size_t k = 0; k < conflict.n; k++) conflict.v[k] /= units;
    }
    out->line = counted((double)l->unit);
    if (overflows) find_sets(l, prefix, &conflict, out);
    conclude(l, flat, overflows, out);
    if (out->index.verdict != MEASURED) out->line = out->index;
    vec_free(&conflict);
    return !l->broken;
}

// Infers a TLB's sets, ways and index. A page is one unit. A single set is asked for directly where another TLB hides
// hits: the filler would fall into that set.
static bool infer_tlb_shape(Level *l, Stair *stair, const Sample *base, const Sample *first, uint64_t most, Found *out)
{
    LineVec conflict = {0};
    uint32_t units;
    bool flat;
    const uint64_t prefix = find_room(l, stair, base, first, most, &flat);
    const bool one =
                   prefix && flat && l->above && is_one_set(l, prefix, out->span = span_of(wanted(prefix), room_of(l))),
               overflows = prefix && flat && (one || find_conflict(l, prefix, prefix, &conflict, &units));
    if (l->settle && overflows && !one) l->settle = (uint32_t)MIN(8 * conflict.n, 1024);
    out->line = counted((double)l->unit);
    if (one)
        out->index = one_set(&out->shape, prefix);
    else if (overflows)
        find_sets(l, prefix, &conflict, out);
    conclude(l, flat, overflows, out);
    vec_free(&conflict);
    return !l->broken;
}

// --- what it takes ---------------------------------------------------------------------------------------------------
static Value interval(double mean, double error) { return measured(mean, mean - 1.96 * error, mean + 1.96 * error); }

static bool hit_time(Level *l, Sample *out)
{
    uint32_t *latency = mem_alloc(sizeof *latency * 20000);
    if (go_round(l, 1, 2, 20000, latency)) *out = sample_clean(latency, 20000);
    mem_free(latency);
    return !l->broken;
}

// The time of a miss, from an eighth of n lines. The others are walked round in between, `passes` times, so that hardly
// a line is still cached.
static bool miss_time(Level *l, uint64_t n, int passes, Sample *out)
{
    uint64_t part = MAX(1, n / 8), rounds = 1 + 20000 / part;
    uint32_t *latency = mem_alloc(sizeof *latency * part * rounds);
    Lines looked = {0}, others = {0};
    Walk walk[CHASE_WALKS];
    lines_add(&looked, 0, 1, (uint32_t)part);
    lines_add(&others, part, 1, (uint32_t)(n - part));
    size_t walks = level_walks(l, &looked, true, walk, 0);
    for (int k = 0; k < passes; k++) walks = level_walks(l, &others, false, walk, walks);
    level_run(l, walk, walks, (uint32_t)(2 + rounds), 2, latency);
    if (!l->broken) *out = sample_clean(latency, part * rounds);
    mem_free(latency);
    lines_free(&looked), lines_free(&others);
    return !l->broken;
}

// Does more come out otherwise than misread latencies and outliers explain? An outlier takes longer, so it never looks
// like a hit. Where victims are drawn, one access that is misread may spoil what others explain.
static bool is_refuted(const Level *l, const Found *f)
{
    const double misread = 0.5 * erfc(level_distance(l) / 2 / sqrt(2)), n = (double)f->accesses;
    return (double)f->against > 20 + 4 * (misread + l->outliers) * n || (double)f->hits_against > 3 + 4 * misread * n;
}

// --- a cache ---------------------------------------------------------------------------------------------------------
bool infer_cache(Subject *s, ChaseKind kind, uint64_t base, Found *out, Diag *diag)
{
    *out = (Found){0};
    Level l = {.subject = s,
               .diag = diag,
               .kind = kind,
               .base = base,
               .until = until(s),
               .least = 1,
               .warm = s->cold ? 1 : 2,
               .limit = 4u << 20};
    if (!find_fill(&l, &out->fill)) return found_unknown(out, out->line = out->fill), well(&l, out);
    const uint64_t fill = l.unit = (uint64_t)out->fill.value;
    Stair stair;
    Sample hit;
    size_t from = s->runs.n;
    uint64_t most = MIN((s->span[kind] - base) / 2, 64u << 20) / fill;
    if (measure_round(&l, 1, 20000, &hit) && climb(&l, 2, &hit, most, &stair)) {
        out->distance = (stair.sample.mean - hit.mean) / hit.sd;
        if (set_latencies(&l, &hit, &stair.sample, stair.at, &hit) &&
            infer_cache_shape(&l, &stair, &hit, &hit, most, out) && out->index.verdict == MEASURED)
            out->rule = find_rule(&l, &out->shape, NULL, out);
        well(&l, out);
        if (hit_time(&l, &hit)) out->low = interval(hit.mean, hit.error);
        out->high = measured(l.high, l.high, l.high);
        out->distance = level_distance(&l);
        if (!l.broken && out->distance > 6) replay_cache(&l, from, out);
        if (out->index.verdict == MEASURED && is_refuted(&l, out)) {
            refuse(out, "too many accesses come out otherwise than with the sets and the policy that were found");
            found_unknown(out, out->line = out->index);
        }
    } else {
        found_unknown(out, out->line = undetermined("the largest array that was tried still fits"));
        well(&l, out);
    }
    level_close(&l);
    return !l.broken || l.spent;
}

// --- the TLBs --------------------------------------------------------------------------------------------------------
// A page is the memory whose translation one load brings in. If a cache keeps lines between runs, an earlier run has
// brought in the line of the second load.
static bool touch_at(Level *l, uint64_t apart, uint32_t repeats, Sample *out)
{
    uint64_t far = l->subject->span[l->kind] / 2;
    Walk walks[] = {
        // Other pages, to replace translations that are kept between runs.
        {.start = far, .stride = 2 << 20, .count = l->subject->cold ? 0 : (uint32_t)MIN(far >> 21, 4096)},
        {.start = l->base, .count = 1},
        {.start = l->base + apart, .count = 1, .timed = true},
    };
    size_t skip = l->subject->cold;
    uint32_t *latency = mem_alloc(sizeof *latency * (repeats + 1));
    for (uint32_t r = 0; r <= repeats && !l->broken; r++)
        level_run(l, walks + skip, COUNT(walks) - skip, 1, 0, latency + r);
    if (!l->broken) *out = sample_of(latency + 1, repeats);
    mem_free(latency);
    return !l->broken;
}

static uint64_t find_page(Level *l)
{
    Sample near, at;
    uint32_t repeats = 1;
    if (!touch_at(l, 1024, 30, &near)) return 0;
    if (near.sd > 0.006 * near.mean && !touch_at(l, 1024, repeats = 600, &near)) return 0;
    for (uint64_t page = 4096; page < l->subject->span[l->kind] / 2; page *= 2) {
        // Asked three times, since one answer may be an outlier.
        int farther = 0;
        for (; farther < 3; farther++)
            if (!touch_at(l, page, repeats, &at))
                return 0;
            else if (at.mean - near.mean <= 5 * (at.error + near.error) + 1 + 0.005 * near.mean)
                break;
        if (farther == 3) return page;
    }
    return 0;
}

// How many pages to go round so that all of them miss: four times as many as there is room for, or as many as there is
// memory for, if each set still gets twice as many as it has entries. Victims that are drawn at random need four
// times. 0: there is too little memory.
static uint64_t too_many(const Level *l, const Shape *s)
{
    uint64_t most = 0, room = l->subject->span[l->kind] / (l->unit + l->stagger);
    for (uint32_t k = 0; k < s->sets; k++) most = MAX(most, s->ways[k]);
    uint64_t want = MAX(4 * s->lines, 2 * most * s->sets), least = s->rule >= RULE_RANDOM ? want : 2 * most * s->sets;
    return room < least ? 0 : MIN(room, want);
}

// The penalty of the L1 TLB is measured with as many pages as the L2 TLB has room for, and the L1 TLB hasn't: these are
// known even if the L2 TLB's sets aren't. That of the L2 TLB is measured with more than it has room for. both: the
// steps of both TLBs were found.
static void measure_penalties(Level *l, bool both, FoundTlbs *out)
{
    Sample hit, late, walk;
    const Found *first = &out->level[0], *second = &out->level[1];
    out->late = out->walk = undetermined("it isn't known how many pages both TLBs hold");
    if (first->entries.verdict != MEASURED || !both) return;
    out->late = out->walk = undetermined("the device has too little memory to ask");
    // Where victims are drawn, many lines must pass before one is gone.
    const int few = 2, many = 12;
    if (!hit_time(l, &hit) || !miss_time(l, l->room, first->shape.rule >= RULE_RANDOM ? many : few, &late)) return;
    out->late = interval(late.mean - hit.mean, sqrt(late.error * late.error + hit.error * hit.error));
    if (second->entries.verdict != MEASURED) {
        out->walk = undetermined("it isn't known how many pages the L2 TLB holds");
        return;
    }
    const uint64_t around = too_many(l, &second->shape);
    if (!around || !miss_time(l, around, few, &walk)) return;
    out->walk = interval(walk.mean - late.mean, sqrt(late.error * late.error + walk.error * walk.error));
}

static void penalties(Level *l, bool both, FoundTlbs *out)
{
    measure_penalties(l, both, out);
    if (l->spent && out->late.verdict != MEASURED) out->late = undetermined(l->spent);
    if (l->spent && out->walk.verdict != MEASURED) out->walk = undetermined(l->spent);
}

// A TLB of which no step was found, from number t on.
static void lacks_step(FoundTlbs *out, uint32_t t)
{
    const char *const none[] = {
        "latencies don't rise with the pages that are walked round: there is no such TLB, or it "
        "holds more than were tried",
        "latencies rise only once with the pages that are walked round: there is no such TLB, or "
        "it holds more than were tried"};
    for (uint32_t k = t; k < 2; k++) {
        Found *f = &out->level[k];
        if (f->index.verdict == ABSENT) found_unknown(f, f->line = undetermined(k > t ? front_unknown : none[k]));
    }
}

bool infer_tlbs(Subject *s, ChaseKind kind, FoundTlbs *out, Diag *diag)
{
    *out = (FoundTlbs){.page = {.verdict = ABSENT}};
    Level l = {.subject = s, .diag = diag, .kind = kind, .until = until(s), .least = 1, .warm = 2, .limit = 4u << 20};
    uint64_t page = find_page(&l);
    if (l.spent) out->page = undetermined(l.spent);
    if (!page) return !l.broken || l.spent;
    out->page = counted((double)page);
    l.unit = page, l.stagger = s->stagger;
    uint64_t most = MIN(s->span[kind] / 2 / (l.unit + l.stagger), 1u << 15);
    Sample first, base;
    uint64_t from = 2;
    size_t begun = s->runs.n;
    if (!measure_round(&l, 1, 20000, &first)) return false;
    base = first;
    // A step may be due to sets of the level before that overflow later, or to no level at all. Then the next step is
    // tried.
    uint32_t t = 0;
    for (int steps = 0; t < 2 && steps < 5 && !l.broken; steps++) {
        Found *f = &out->level[t];
        const Shape *above = t ? &out->level[0].shape : NULL;
        Stair stair;
        if (!climb(&l, from, &base, most, &stair)) break;
        l.least = 1, l.settle = 1024, l.until = until(s);
        if (t) l.above = above, l.hidden = 0.05, l.front = out->level[0].low.value;
        if (!set_latencies(&l, &base, &stair.sample, stair.at, &first)) break;
        from = stair.at;
        found_free(f);
        *f = (Found){.size = {.verdict = ABSENT}};
        bool known = !t || out->level[0].rule.verdict == MEASURED, same = t && stair.at <= above->lines;
        if (!known)
            found_unknown(f, undetermined(front_unknown));
        else if (!same && infer_tlb_shape(&l, &stair, &base, &first, most, f) && f->index.verdict == MEASURED)
            f->rule = find_rule(&l, &f->shape, above, f);
        well(&l, f);
        f->distance = level_distance(&l);
        f->low = measured(l.low, l.low, l.low), f->high = measured(l.high, l.high, l.high);
        same = same || (t && known &&
                        (f->index.verdict == MEASURED ? f->shape.lines <= above->lines : l.room <= 2 * above->lines));
        if (same) {
            shape_free(&f->shape);
            found_unknown(f, undetermined("it can't be told from the L1 TLB in front of it"));
        }
        if (l.room || same) base = stair.sample;
        t += l.room && !same;
    }
    if (t < 2) well(&l, &out->level[t]);
    lacks_step(out, t);
    if (!l.broken) penalties(&l, t == 2, out);
    if ((!l.broken || l.spent) && out->level[0].distance > 4) replay_tlbs(s, kind, begun, out);
    level_close(&l);
    return !l.broken || l.spent;
}
