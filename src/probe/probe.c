// probe.c: measures everything about a device, part by part, the most useful parts first. A part that fails says why,
// and the others go on. A part for which the time isn't enough is left out and named. Nothing here knows what the
// device is made of.
#include "probe/infer.h"
#include "probe/measure.h"

#include <math.h>
#include <string.h>

// The estimated seconds of each part, on a simulated and on a real GPU. On a simulated one a load takes about a
// microsecond of host time. On a real one a launch takes some microseconds, and a load half a nanosecond.
const PartInfo part_info[PARTS] = {
    [PART_L1] = {"l1", "the cache that serves global loads first", CHASE_GLOBAL, 4, 4},
    [PART_READONLY] = {"readonly", "the cache that serves read-only loads (ld.global.nc) first", CHASE_READONLY, 4, 4},
    [PART_TEXTURE] = {"texture", "the cache that serves texture fetches first", CHASE_TEXTURE, 4, 4},
    [PART_CONST] = {"constant", "the cache that serves constant loads first", CHASE_CONST, 4, 4},
    [PART_LOCAL] = {"local", "the cache that serves local memory first", CHASE_LOCAL, 4, 4},
    [PART_L2] = {"l2",
                 "the L2's size, line and latency, and the latencies of a nearer and a farther half where it has them",
                 CHASE_L2, 9, 10},
    [PART_TLB] = {"tlb", "both TLBs, and the window: how much memory has its page-table entries active at a time",
                  CHASE_L2, 12, 60},
    [PART_SPECTRUM] = {"spectrum", "the latency of a load by where it finds its data and its page", CHASE_L2, 1, 1},
    [PART_FOOTPRINT] = {"footprint", "texels that a miss brings in from a 2D texture", CHASE_TEXTURE, 0.5, 1},
    [PART_SHARED] = {"shared", "shared memory's latency, banks and conflicts", CHASE_KINDS, 1, 1},
    [PART_OPS] = {"ops", "latency and rate of the main operations", CHASE_KINDS, 1, 1},
    [PART_THROUGHPUT] = {"throughput", "bytes a second by number of threads, number of blocks and coalescing",
                         CHASE_KINDS, 4, 10},
    [PART_HITS] = {"hits", "the hit rate of the first caches by number of threads on an SM", CHASE_KINDS, 4, 2},
};

const char *part_lack(const PartResult *r)
{
    switch (r->state) {
    case PART_DONE: return r->why ? "isn't complete" : NULL;
    case PART_LEFT_OUT: return "was left out";
    case PART_FAILED: return "failed";
    case PART_CUT: return "was cut short";
    default: return NULL;
    }
}

enum { REPLAYED = 16 << 20 };  // how many latencies are kept for the replay
// How many loads a part may execute. On a simulated GPU a million of them take 2 to 4 s. Part tlb of gtx560ti needs
// most, 3.4 million. A part with kernels of its own may launch THREADS times as many threads. Part throughput of h200
// launches most, 17 million.
enum { LOADS = 6 << 20, REAL = 1 << 30, THREADS = 4 };

typedef struct Work {
    const ProbeOptions *options;
    Probe *probe;
    oc_device *device;
    Chase chase;
    Subject subject;
    Bound bound;  // of the part under way
    Diag diag;
    Part part;
    // Began, part_began: seconds. all, over: estimated seconds of the parts that were asked for, and of those that are
    // over.
    double began, part_began, all, over;
} Work;

// --- time ------------------------------------------------------------------------------------------------------------
static double estimate(const Work *w, Part part)
{
    return w->probe->device.real ? part_info[part].real : part_info[part].simulated;
}

static void tell(const Work *w)
{
    double mine = estimate(w, w->part), spent = MIN(seconds_now() - w->part_began, mine);
    if (w->options->progress && w->all > 0)
        w->options->progress(w->options->user, part_info[w->part].name, MIN(1, (w->over + spent) / w->all));
}

static bool ask(void *of, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
                uint32_t *latency, Diag *diag)
{
    Work *w = of;
    w->probe->asked++;
    tell(w);
    return chase_run(&w->chase, kind, walks, n, rounds, first, latency, diag);
}

static size_t window(void *of, size_t n) { return chase_window(&((const Work *)of)->chase, n); }

// --- parts -----------------------------------------------------------------------------------------------------------
static void finish(Work *w, PartState state, const char *format, ...) __attribute__((format(printf, 3, 4)));
static void finish(Work *w, PartState state, const char *format, ...)
{
    PartResult *r = &w->probe->part[w->part];
    Text t = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&t, format, args);
    va_end(args);
    mem_free(r->why);
    r->state = state, r->why = mem_text(t.v ? t.v : "");
    text_free(&t);
}

// The steps may make as many loads as the part did. What they leave open isn't the part's.
static bool do_book(Work *w, ChaseKind kind, int tlb)
{
    Probe *p = w->probe;
    Book *b = &p->book[tlb < 0 ? (int)w->part : CACHES + tlb];
    const Bound before = w->bound;
    if (!w->options->book) return true;
    w->bound = (Bound){.most = before.most};
    const bool ok = tlb < 0 ? book_cache(&w->subject, kind, &p->cache[w->part], b, &w->diag)
                            : book_tlb(&w->subject, kind, &p->tlbs, (uint32_t)tlb, b, &w->diag);
    w->bound = before;
    return ok;
}

static bool do_cache(Work *w)
{
    ChaseKind kind = part_info[w->part].kind;
    Found *f = &w->probe->cache[w->part];
    Presence p;
    if (!w->subject.span[kind]) return finish(w, PART_ABSENT, "the device has no such loads"), true;
    if (!find_presence(&w->subject, kind, &p, &w->diag)) return false;
    if (p.there.verdict != MEASURED) return found_unknown(f, f->line = f->fill = p.there), true;
    if (!p.there.value)
        return finish(w, PART_ABSENT,
                      "loads of this kind take %.0f cycles even when they are repeated, and loads past the L1 take "
                      "%.0f: no cache in front of the L2 serves them",
                      p.own, p.past),
               true;
    w->subject.cold = true;
    bool ok = infer_cache(&w->subject, kind, 0, f, &w->diag) &&
              curve_cache(&w->subject, kind, f, &w->probe->misses[w->part], &w->diag) && do_book(w, kind, -1);
    w->subject.cold = !w->probe->device.real;
    if (ok && f->size.verdict == ABSENT && f->line.verdict == ABSENT)
        finish(w, PART_ABSENT, "a word that was just loaded is loaded no faster than a new one");
    return ok;
}

static bool do_l2(Work *w)
{
    FoundL2 *l2 = &w->probe->l2;
    if (!w->subject.span[CHASE_L2]) return finish(w, PART_ABSENT, "the device has no loads past the L1"), true;
    const uint64_t loads = w->probe->device.real ? 100u << 20 : 4u << 20;
    if (!l2_infer(&w->subject, w->probe->device.l2_bytes, loads, l2, &w->diag)) return false;
    if (l2->size.verdict == ABSENT) return finish(w, PART_ABSENT, "%s", l2->size.why), true;
    return l2_halves(w->device, &w->bound, l2, &w->diag);
}

static bool do_tlb(Work *w)
{
    Probe *p = w->probe;
    if (!w->subject.span[CHASE_L2]) return finish(w, PART_ABSENT, "the device has no loads past the L1"), true;
    if (!infer_tlbs(&w->subject, CHASE_L2, &p->tlbs, &w->diag)) return false;
    if (p->tlbs.page.verdict == ABSENT)
        return finish(w, PART_ABSENT, "no distance between two loads makes the second one slower"), true;
    for (uint32_t t = 0; t < 2; t++)
        if (!curve_tlb(&w->subject, CHASE_L2, &p->tlbs, t, &p->tlb_misses[t], &w->diag) ||
            !do_book(w, CHASE_L2, (int)t))
            return false;
    p->window = p->switching = undetermined("to empty the L2 it needs the L2's size, which part l2 finds");
    return p->part[PART_L2].state != PART_DONE ||
           window_infer(&w->subject, &p->tlbs, &p->l2, &p->window, &p->switching, &w->diag);
}

static bool do_spectrum(Work *w)
{
    static const Part front[SPECTRA] = {PART_L1, PARTS, PART_TEXTURE};
    static const ChaseKind kinds[SPECTRA] = {CHASE_GLOBAL, CHASE_L2, CHASE_TEXTURE};
    Probe *p = w->probe;
    if (p->l2.size.verdict != MEASURED)
        return finish(w, PART_ABSENT, "to empty the L2 it needs the L2's size, which part l2 finds"), true;
    for (int k = 0; k < SPECTRA; k++) {
        const Found *cache = front[k] == PARTS ? NULL : &p->cache[front[k]];
        if (cache && cache->size.verdict != MEASURED) continue;
        Spectrum *s = &p->spectrum[p->spectra];
        if (spectrum_measure(&w->subject, kinds[k], cache, &p->tlbs, &p->l2, p->window, s, &w->diag))
            p->spectra += s->modes > 0;
        else if (w->diag.failed)
            return false;
    }
    return true;
}

// The memory of the earlier chase was freed before, since the texture may need it.
static bool do_footprint(Work *w)
{
    Footprint *f = &w->probe->footprint;
    const uint64_t span = MIN(1u << 20, w->probe->device.memory / 2);
    bool ok = chase_open(&w->chase, w->device, span, &w->diag) && footprint_measure(&w->chase, f, &w->diag);
    w->probe->loads += w->chase.loads;
    if (ok && f->width.verdict == ABSENT) finish(w, PART_ABSENT, "none, since %s", f->width.why);
    return ok;
}

static bool do_shared(Work *w)
{
    if (!shared_measure(w->device, &w->probe->shared, &w->diag)) return false;
    shared_infer(&w->probe->shared);
    return true;
}

// Measures fewer points if little time is left.
static bool do_throughput(Work *w)
{
    double left = w->options->budget > 0 ? w->options->budget - (seconds_now() - w->began) : INFINITY;
    double scale = MIN(1, left / estimate(w, w->part) / 4);
    return throughput_measure(w->device, w->probe->device.real ? scale : MIN(scale, 0.4), &w->bound,
                              &w->probe->throughput, &w->diag);
}

static bool do_hits(Work *w)
{
    for (int k = 0; k < HIT_KINDS; k++) {
        tell(w);
        if (!hits_measure(w->device, (HitKind)k, &w->bound, &w->probe->hits[k], &w->diag)) return false;
    }
    return true;
}

static bool run_part(Work *w)
{
    switch (w->part) {
    case PART_L2: return do_l2(w);
    case PART_TLB: return do_tlb(w);
    case PART_SPECTRUM: return do_spectrum(w);
    case PART_FOOTPRINT: return do_footprint(w);
    case PART_SHARED: return do_shared(w);
    case PART_OPS: return ops_measure(w->device, w->probe->ops, &w->diag);
    case PART_THROUGHPUT: return do_throughput(w);
    case PART_HITS: return do_hits(w);
    default: return do_cache(w);
    }
}

static const char *reason(const Diag *diag) { return diag->text.v ? diag->text.v : "the device failed"; }

static bool launches(Part part) { return part > PART_SPECTRUM; }  // has it kernels of its own, and no chase?

static Bound bound_of(const Work *w)
{
    const uint64_t loads = w->options->most ? w->options->most : w->probe->device.real ? REAL : LOADS;
    return (Bound){.most = launches(w->part) ? THREADS * loads : loads};
}

// What the bound left open is no failure: the part says what isn't known.
static void tell_bound(Work *w)
{
    Text names = {0};
    bound_names(w->probe, w->part, &names);
    if (names.n)
        finish(w, PART_DONE, "it needs more than the %.3g million %s that a part may %s. Not known: %s",
               1e-6 * (double)w->bound.most, launches(w->part) ? "threads" : "loads",
               launches(w->part) ? "launch" : "make", names.v);
    text_free(&names);
}

static bool stopped(const Work *w) { return w->options->stop && *w->options->stop; }

static void do_part(Work *w)
{
    PartResult *r = &w->probe->part[w->part];
    const double budget = w->options->budget, gone = seconds_now() - w->began, mine = estimate(w, w->part);
    if (stopped(w)) {
        finish(w, PART_LEFT_OUT, "the probe was interrupted before it");
        return;
    }
    if (budget > 0 && gone + mine > budget) {
        const int digits = budget < 10;
        finish(w, PART_LEFT_OUT, "it takes about %.*f s, and %.*f s of %.*f were left", digits, mine, digits,
               MAX(0, budget - gone), digits, budget);
        return;
    }
    w->part_began = seconds_now();
    tell(w);
    r->state = PART_DONE;
    w->bound = bound_of(w);
    bool ok = run_part(w);
    if (!ok && stopped(w))
        finish(w, PART_CUT, "it was interrupted");
    else if (!ok && (w->diag.failed || !w->bound.spent))
        finish(w, PART_FAILED, "%s", reason(&w->diag));
    else if (r->state == PART_DONE && w->bound.spent)
        tell_bound(w);
    diag_free(&w->diag);
    w->diag = (Diag){.failed = false};
    r->seconds = seconds_now() - w->part_began;
}

// --- the whole -------------------------------------------------------------------------------------------------------
// As much memory as it takes to overflow the TLBs. A simulated device's memory takes no host memory until it is used.
static uint64_t span_of(const oc_device_info *info)
{
    uint64_t keep = 64u << 20, most = info->real ? 16ull << 30 : 2ull << 30;
    return info->memory > 2 * keep ? MIN(info->memory - keep - (info->real ? info->memory / 8 : 0), most) / 4096 * 4096
                                   : info->memory / 2;
}

bool probe_device(oc_device *device, const ProbeOptions *o, Probe *p, Diag *diag)
{
    *p = (Probe){.device = oc_describe(device)};
    p->name = mem_text(p->device.name);
    p->device.name = p->name;
    Work w = {.options = o, .probe = p, .device = device, .began = seconds_now()};
    const uint32_t parts = o->parts ? o->parts : (1u << PARTS) - 1;
    bool ok = chase_open(&w.chase, device, span_of(&p->device), diag);
    if (!ok && stopped(&w)) ok = true, diag_free(diag), *diag = (Diag){.failed = false};  // parts say so
    w.subject = (Subject){.of = &w,
                          .run = ask,
                          .bound = &w.bound,
                          .window = window,
                          .stagger = 128,
                          .cold = !p->device.real,
                          .keep = MAX(o->keep, REPLAYED)};
    memcpy(w.subject.span, w.chase.span, sizeof w.subject.span);
    w.subject.walks = chase_walks(&w.chase);
    p->base = w.chase.memory;
    for (int k = 0; k < PARTS; k++) w.all += parts >> k & 1 ? estimate(&w, (Part)k) : 0;
    for (int k = 0; ok && k < PARTS; k++) {
        if (!(parts >> k & 1)) continue;
        w.part = (Part)k;
        if (launches(w.part)) chase_close(&w.chase);  // from here on other parts need the memory
        do_part(&w);
        w.over += estimate(&w, w.part);
    }
    p->loads += w.subject.loads;
    p->runs.v = w.subject.runs.v, p->runs.n = w.subject.runs.n, p->runs.cap = w.subject.runs.cap;
    chase_close(&w.chase);
    p->seconds = seconds_now() - w.began;
    return ok;
}

void probe_free(Probe *p)
{
    Subject kept = {.of = NULL};
    kept.runs.v = p->runs.v, kept.runs.n = p->runs.n, kept.runs.cap = p->runs.cap;
    subject_close(&kept);
    for (int k = 0; k < CACHES; k++) found_free(&p->cache[k]);
    for (int k = 0; k < 2; k++) found_free(&p->tlbs.level[k]);
    for (int k = 0; k < BOOKS; k++) book_free(&p->book[k]);
    for (int k = 0; k < PARTS; k++) mem_free(p->part[k].why);
    l2_free(&p->l2);
    throughput_free(&p->throughput);
    mem_free(p->name);
}

// --- names -----------------------------------------------------------------------------------------------------------
const char *form_name(const Shape *s)
{
    switch (s->form) {
    case FORM_ONE: return "one set";
    case FORM_MODULO: return s->sets & (s->sets - 1) ? "modulo" : "bits";
    case FORM_DEALT: return "dealt";
    case FORM_LINEAR: return shape_folds(s) >= 0 ? "xor" : "linear";
    default: return "unknown";
    }
}

const char *rule_name(Rule r)
{
    static const char *const names[] = {"unknown", "any", "lru", "fifo", "plru", "random", "weighted"};
    return names[r];
}

const char *pattern_name(Pattern q)
{
    static const char *const names[] = {"cache hit",
                                        "L2 hit",
                                        "L2 hit, L1 TLB miss",
                                        "L2 hit, both TLBs miss",
                                        "DRAM",
                                        "DRAM, both TLBs miss",
                                        "DRAM, both TLBs miss, window switched"};
    return names[q];
}

uint32_t shape_low_bit(const Shape *s, uint64_t line)
{
    uint32_t bit = 0, fold = s->form == FORM_LINEAR && shape_folds(s) > 0 ? (uint32_t)shape_folds(s) : 0;
    while (2ull << bit <= line) bit++;
    return bit + s->block + fold;
}

// Two lines share a set just if these bits of their numbers, folded by XOR, are equal.
static uint64_t fold(uint64_t line, uint32_t low, uint32_t bits)
{
    uint64_t x = line >> low;
    return (x ^ x >> bits ^ x >> 2 * bits ^ x >> 3 * bits) & ((1ull << bits) - 1);
}

int shape_folds(const Shape *s)
{
    uint32_t bits = 0;
    while (2ull << bits <= s->sets) bits++;
    for (uint32_t low = 0; low < 8 && bits; low++) {
        bool same = true;
        // Beyond the bits that were looked at, a map has no kernel vectors.
        for (uint32_t b = 0; b < SHAPE_BITS && same; b++) same = !s->kernel[b] || !fold(s->kernel[b], low, bits);
        uint32_t free_bits = 0;
        for (uint32_t b = 0; b < low + bits; b++) free_bits += !s->kernel[b];
        if (same && free_bits == bits) return (int)low;
    }
    return -1;
}
