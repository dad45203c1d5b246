// odd.c: caches that break what the probe supposes (odd.h), and the score of what it says of them. Nothing here is
// from the simulator. All caches are LRU. At the start of a run everything is empty.
#include "odd.h"
#include "probe/infer.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static const char *const kinds[ODDITIES] = {"prefetch", "pairs", "victims", "slices", "behind", "near", "warps"};
typedef enum Parameter { SIZE, LINE, FILL, INDEX, WAYS, POLICY, PARAMETERS } Parameter;
static const char *const names[PARAMETERS] = {"size", "line", "fill", "index", "ways", "policy"};

typedef struct Entry {
    uint64_t line, used;  // line + 1; 0: empty
    uint32_t valid;       // sectors
} Entry;
typedef struct Odd {
    Oddity kind;
    uint64_t seed;
    uint32_t line, sector, sets, ways;
    uint32_t buffer;         // lines of the victim buffer
    uint32_t slices, apart;  // how many slices; cycles between a slice and the next
    uint32_t others;         // lines that the other warp goes round
    double busy;             // the chance that the other warp makes a load between two of ours
    double hit, miss, sigma, outliers;
    Entry *entry, *victim;
    uint64_t clock, random;
    Subject subject;
} Odd;

// --- numbers ---------------------------------------------------------------------------------------------------------
static uint64_t draw(uint64_t *s)  // xorshift64*
{
    *s ^= *s >> 12, *s ^= *s << 25, *s ^= *s >> 27;
    return *s * 0x2545F4914F6CDD1Dull;
}
static double unit(uint64_t *s) { return (double)(draw(s) >> 11) / 9007199254740992.0; }
static uint32_t between(uint64_t *s, uint32_t low, uint32_t high)
{
    return low + (uint32_t)(unit(s) * (high - low + 1));
}
static double normal(uint64_t *s) { return sqrt(-2 * log(1 - unit(s))) * cos(6.283185307179586 * unit(s)); }

// A hash of lines that no XOR of address bits is.
static uint32_t slice_of(const Odd *o, uint64_t line)
{
    uint64_t x = line * 0x9E3779B97F4A7C15ull;
    return (uint32_t)((x ^ x >> 29) % 1000003 % o->slices);
}

// --- drawing ---------------------------------------------------------------------------------------------------------
static void draw_odd(Odd *o, Oddity kind, uint64_t seed)
{
    uint64_t s = (seed * ODDITIES + kind + 1) * 0xD1342543DE82EF95ull;
    for (int k = 0; k < 8; k++) draw(&s);
    *o = (Odd){.kind = kind, .seed = seed, .random = s ^ 0x5DEECE66Dull, .slices = 1};
    o->line = 32u << between(&s, 0, 2);
    o->sector = kind == ODD_PAIR ? o->line / 4 : o->line;
    o->ways = 1u << between(&s, 1, 4);
    o->sets = 1u << between(&s, 2, 6);
    if (kind == ODD_VICTIM) o->buffer = between(&s, 1, 8);
    o->hit = between(&s, 20, 150);
    o->miss = o->hit * (1.6 + 2 * unit(&s));
    if (kind == ODD_NEAR) o->hit = between(&s, 60, 400), o->miss = o->hit * (1.02 + 0.58 * unit(&s));
    if (kind == ODD_SLICES || kind == ODD_BEHIND) o->slices = (uint32_t[]){3, 5, 6, 7, 12}[between(&s, 0, 4)];
    if (o->slices > 1) o->apart = between(&s, 1, (uint32_t)(0.3 * (o->miss - o->hit)) / o->slices + 1);
    if (kind == ODD_WARPS) o->others = between(&s, 1, 2 * o->sets * o->ways), o->busy = 0.02 + 0.5 * unit(&s);
    o->sigma = between(&s, 0, 3) ? 0.04 * unit(&s) : 0;
    o->outliers = o->sigma > 0 ? 0.002 * unit(&s) : 0;
}

// --- answering -------------------------------------------------------------------------------------------------------
static Entry *set_of(Odd *o, uint64_t line)
{
    if (o->kind != ODD_SLICES) return o->entry + line % o->sets * o->ways;
    return o->entry + (line % o->sets * o->slices + slice_of(o, line)) * o->ways;
}

static Entry *find(Entry *e, uint32_t n, uint64_t line)
{
    for (uint32_t k = 0; k < n; k++)
        if (e[k].line == line + 1) return &e[k];
    return NULL;
}

static Entry *oldest(Entry *e, uint32_t n)
{
    Entry *old = e;
    for (uint32_t k = 1; k < n; k++)
        if (e[k].used < old->used) old = &e[k];
    return old;
}

static void put(Odd *o, uint64_t line, uint32_t valid)
{
    Entry *e = find(set_of(o, line), o->ways, line);
    if (!e) {
        e = oldest(set_of(o, line), o->ways);
        if (o->buffer && e->line) {
            Entry *v = oldest(o->victim, o->buffer);
            *v = *e, v->used = ++o->clock;
        }
        *e = (Entry){.line = line + 1};
    }
    e->valid |= valid, e->used = ++o->clock;
}

// Does the load hit?
static bool touch(Odd *o, uint64_t address)
{
    uint64_t line = address / o->line;
    uint32_t sector = 1u << address % o->line / o->sector, all = (1u << o->line / o->sector) - 1;
    Entry *e = find(set_of(o, line), o->ways, line);
    if (e && e->valid & sector) return e->used = ++o->clock, true;
    Entry *back = o->buffer ? find(o->victim, o->buffer, line) : NULL;
    if (back) *back = (Entry){.line = 0};
    put(o, line, o->kind == ODD_PAIR ? (sector | sector << 1) & all : all);
    if (o->kind == ODD_PREFETCH) put(o, line + 1, all);
    return back;
}

static uint32_t load(Odd *o, ChaseKind kind, uint64_t address)
{
    if (o->busy > 0 && unit(&o->random) < o->busy)
        touch(o, (1ull << 36) + (uint64_t)between(&o->random, 0, o->others - 1) * o->line);
    bool hit = kind != CHASE_L2 && touch(o, address);
    double cycles = hit ? o->hit : o->miss;
    if (o->kind == ODD_BEHIND && !hit) cycles += o->apart * slice_of(o, address / o->line);
    if (o->kind == ODD_SLICES) cycles += o->apart * slice_of(o, address / o->line);
    if (o->sigma > 0) cycles *= 1 + o->sigma * normal(&o->random);
    if (o->outliers > 0 && unit(&o->random) < o->outliers) cycles += 200 + 2000 * unit(&o->random);
    return cycles < 1 ? 1 : (uint32_t)(cycles + 0.5);
}

static uint32_t entries(const Odd *o) { return o->sets * o->ways * (o->kind == ODD_SLICES ? o->slices : 1); }

static bool run(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                uint32_t *latency, Diag *diag)
{
    (void)diag;
    Odd *o = of;
    memset(o->entry, 0, sizeof *o->entry * entries(o));
    memset(o->victim, 0, sizeof *o->victim * (o->buffer + 1));
    for (uint32_t r = 0; r < rounds; r++)
        for (size_t w = 0; w < n; w++)
            for (uint64_t k = 0, off = 0; k < walks[w].count; k++) {
                uint32_t cycles = load(o, kind, walks[w].start + off);
                if (walks[w].timed && r >= first) *latency++ = cycles;
                off += (uint64_t)walks[w].stride;
                if (walks[w].wrap && off >= walks[w].wrap) off -= walks[w].wrap;
            }
    return true;
}

// --- the score -------------------------------------------------------------------------------------------------------
typedef struct Row {
    uint32_t right[PARAMETERS], open[PARAMETERS], wrong[PARAMETERS];
    double residual, most;  // sum, and largest: shares of accesses that come out otherwise than what was inferred
    uint32_t residuals;
} Row;

// Do the lines that were looked at share sets as they do in this cache, and has each set as many ways?
static bool same_sets(const Odd *o, const Found *f, bool *ways)
{
    uint32_t *ours = mem_alloc(sizeof *ours * o->sets), *theirs = mem_alloc(sizeof *theirs * f->shape.sets);
    bool same = true;
    *ways = true;
    for (uint64_t x = 0; x < f->span && same; x++) {
        uint32_t a = (uint32_t)(x % o->sets), b = shape_set(&f->shape, x);
        if (!ours[a] && !theirs[b]) ours[a] = b + 1, theirs[b] = a + 1;
        same = ours[a] == b + 1 && theirs[b] == a + 1;
        *ways &= f->shape.ways[b] == o->ways;
    }
    mem_free(ours), mem_free(theirs);
    return same;
}

static void mark(Row *r, const Odd *o, Parameter p, const Value *v, bool right, FILE *to)
{
    if (v->verdict != MEASURED)
        r->open[p]++;
    else if (right)
        r->right[p]++;
    else
        r->wrong[p]++,
            fprintf(to, "%s %llu: %s is wrong: %g\n", kinds[o->kind], (unsigned long long)o->seed, names[p], v->value);
}

static void score(Row *r, Odd *o, FILE *to)
{
    Found f;
    Diag diag = {0};
    o->entry = mem_alloc(sizeof *o->entry * entries(o)), o->victim = mem_alloc(sizeof *o->victim * (o->buffer + 1));
    o->subject = (Subject){.of = o, .run = run, .cold = true, .keep = 16 << 20, .patience = 60 << 20};
    o->subject.span[CHASE_GLOBAL] = o->subject.span[CHASE_L2] = 1ull << 32;
    if (!infer_cache(&o->subject, CHASE_GLOBAL, 0, &f, &diag)) fprintf(to, "%s\n", diag.text.v), abort();
    bool ways = false, sets = f.index.verdict == MEASURED && o->kind != ODD_SLICES && f.line.value == o->line &&
                              same_sets(o, &f, &ways);
    Value counts = f.index.verdict == MEASURED ? f.sets : f.index;
    mark(r, o, SIZE, &f.size, f.size.value == (double)o->line * entries(o), to);
    mark(r, o, LINE, &f.line, f.line.value == o->line, to);
    // What comes with a miss is no aligned block if the next line or sector comes.
    mark(r, o, FILL, &f.fill, o->kind != ODD_PREFETCH && o->kind != ODD_PAIR && f.fill.value == o->sector, to);
    mark(r, o, INDEX, &f.index, sets, to);
    mark(r, o, WAYS, &counts, sets && ways, to);
    mark(r, o, POLICY, &f.rule, f.rule.value == RULE_LRU, to);
    if (f.accesses) {
        double share = (double)f.mismatches / (double)f.accesses;
        r->residual += share, r->most = fmax(r->most, share), r->residuals++;
    }
    found_free(&f);
    diag_free(&diag);
    subject_close(&o->subject);
    mem_free(o->entry), mem_free(o->victim);
}

bool score_odd(uint64_t first, uint32_t count, uint32_t wrong, double found, FILE *to)
{
    uint32_t bad = 0, right = 0, all = 0;
    Row rows[ODDITIES] = {{.residual = 0}};
    for (int k = 0; k < ODDITIES; k++)
        for (uint64_t seed = first; seed < first + count; seed++) {
            Odd o;
            draw_odd(&o, (Oddity)k, seed);
            score(&rows[k], &o, to);
            fflush(to);
        }
    fprintf(to, "right/undetermined/wrong\n%-10s", "");
    for (int p = 0; p < PARAMETERS; p++) fprintf(to, " %10s", names[p]);
    fprintf(to, "   residual: mean, most\n");
    for (int k = 0; k < ODDITIES; k++) {
        const Row *r = &rows[k];
        fprintf(to, "%-10s", kinds[k]);
        for (int p = 0; p < PARAMETERS; p++) {
            char text[40];
            snprintf(text, sizeof text, "%u/%u/%u", r->right[p], r->open[p], r->wrong[p]);
            fprintf(to, " %10s", text);
            bad += r->wrong[p];
            if (k == ODD_BEHIND || k == ODD_NEAR) right += r->right[p], all += count;
        }
        fprintf(to, "   %.2g %.2g of %u\n", r->residuals ? r->residual / r->residuals : 0, r->most, r->residuals);
    }
    return bad <= wrong && right >= found * all;
}
