// emit.c: writes what was found as a GPU description, which onchip run takes. It has every value that was measured,
// with its interval, and everything else that a simulation needs, marked as "the device says" or "assumed". A key that
// isn't written has the library's default. A value that no key can hold becomes a comment.
#include "probe/infer.h"

#include <math.h>
#include <string.h>

enum { INDENT = 10, COMMENT = 12 };

// --- lines -----------------------------------------------------------------------------------------------------------
static void section(Text *out, const char *name) { text_printf(out, "\n[%s]\n", name); }
static void key(Text *out, const char *name, const char *from, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
static void key(Text *out, const char *name, const char *from, const char *format, ...)
{
    Text value = {0};
    va_list args;
    va_start(args, format);
    text_vprintf(&value, format, args);
    va_end(args);
    text_printf(out, "%-*s = %-*s # %s\n", INDENT, name, COMMENT, value.v, from);
    text_free(&value);
}

static void put_number(Text *out, double v)
{
    if (v >= 1024 && fmod(v, 1024) == 0)
        text_printf(out, "%.0fKiB", v / 1024);
    else
        text_printf(out, "%.6g", v);
}

// Writes where a value comes from: "measured, 110–112 cycles", or why it is assumed.
static void provenance(Text *out, const Value *v, const char *unit)
{
    if (v->verdict != MEASURED) {
        text_printf(out, "assumed%s%s", v->why ? ": " : "", v->why ? v->why : "");
        return;
    }
    text_put(out, "measured");
    if (v->low >= v->high) return;
    text_put(out, ", ");
    bool bytes = !strcmp(unit, "bytes"), kib = bytes && v->low >= 1024;
    if (bytes)
        put_number(out, v->low), text_put(out, "–"), put_number(out, v->high);
    else
        text_printf(out, "%.6g–%.6g", v->low, v->high);
    if (!kib && *unit) text_printf(out, " %s", unit);
}

// Writes a whole number; if it wasn't measured, what is assumed (negative: the key is left out).
static void whole(Text *out, const char *name, const Value *v, double assumed, const char *unit)
{
    double n = v->verdict == MEASURED ? round(v->value) : assumed;
    Text from = {0}, value = {0};
    if (n < 0) return;
    provenance(&from, v, unit);
    if (!strcmp(unit, "bytes"))
        put_number(&value, n);
    else
        text_printf(&value, "%.0f", n);
    key(out, name, from.v, "%s", value.v);
    text_free(&from), text_free(&value);
}

// --- caches and TLBs -------------------------------------------------------------------------------------------------
static bool equal_sets(const Shape *s)
{
    for (uint32_t k = 1; k < s->sets; k++)
        if (s->ways[k] != s->ways[0]) return false;
    return true;
}

static bool is_power(uint64_t x) { return x && !(x & (x - 1)); }

// A description numbers lines from address 0, and an inferred shape from the region's start, which is line `first`. So
// both have the same sets in the same order, but begin with another one. Returns by how many sets they differ. For
// dealt sets this is found by trying.
static uint32_t turn_of(const Shape *s, uint64_t first)
{
    if (s->form == FORM_MODULO) return (uint32_t)((s->sets - (first >> s->block) % s->sets) % s->sets);
    Shape t = *s;
    uint32_t turn = 0;
    bool same = false;
    t.ways = mem_alloc(sizeof *t.ways * s->sets);
    for (; turn < s->sets && !same; turn += !same) {
        for (uint32_t k = 0; k < s->sets; k++) t.ways[k] = s->ways[(k + turn) % s->sets];
        t.dealt = NULL;
        shape_deal(&t);
        same = true;
        for (uint64_t x = 0; x < s->lines && same; x++)
            same = (t.dealt[(x + first) % s->lines] + turn) % s->sets == s->dealt[x];
        mem_free(t.dealt);
    }
    mem_free(t.ways);
    return same ? turn : 0;
}

// Sizes of unequal sets, as many as the key can have. first: the number of the region's line 0, counted from address 0.
// Returns how many lines these sets have; 0: ways says it all, or nothing is known.
static uint64_t list_sets(const Found *f, uint64_t first, Text *out)
{
    const Shape *s = &f->shape;
    uint64_t sum = 0;
    if (f->index.verdict != MEASURED || !s->ways || (s->form != FORM_DEALT && equal_sets(s))) return 0;
    uint32_t turn = turn_of(s, first);
    for (uint32_t k = 0; k < s->sets && k < 64; k++) {
        uint32_t ways = s->ways[(k + turn) % s->sets];
        text_printf(out, "%s%u", k ? ", " : "", ways);
        sum += ways;
    }
    return sum;
}

// Writes which address bits make each bit of the set's number. unit: bytes of a line or page.
static void put_bits(const Shape *s, uint64_t unit, Text *out)
{
    Text list = {0};
    for (uint32_t k = 0; 1ull << k < s->sets; k++) {
        const char *before = k ? ", " : "";
        for (uint32_t b = 0; b < SHAPE_BITS; b++) {
            if (!(shape_set(s, 1ull << b) >> k & 1)) continue;
            text_printf(&list, "%s%u", before, b + (uint32_t)__builtin_ctzll(unit));
            before = "^";
        }
    }
    key(out, "index_bits", shape_folds(s) < 0 ? "measured" : "measured; index = xor says the same", "%s", list.v);
    text_free(&list);
}

// Writes sets, ways and index. unit: bytes of a line or, with is_tlb, of a page; a TLB's index has no low bit. first:
// the number of the region's line 0, counted from address 0.
static void put_shape(const Found *f, uint64_t unit, bool is_tlb, uint64_t first, Text *out)
{
    const Shape *s = &f->shape;
    if (f->index.verdict != MEASURED || !s->ways) {
        text_printf(out, "# sets, ways and index: %s\n", f->index.why ? f->index.why : "not measured");
        return;
    }
    Text list = {0};
    if (list_sets(f, first, &list))
        key(out, "sets", s->sets > 64 ? "measured; the first 64" : "measured", "%s", list.v);
    else
        key(out, "ways", "measured", "%u", s->ways[0]);
    text_free(&list);
    const char *name = s->form == FORM_LINEAR               ? "linear"
                       : s->form == FORM_DEALT              ? "dealt"
                       : is_power(s->sets) && equal_sets(s) ? "bits"
                                                            : "modulo";
    if (s->form != FORM_ONE) key(out, "index", "measured", "%s", name);
    if (s->form == FORM_LINEAR)
        put_bits(s, MAX(unit, 1u), out);
    else if (!is_tlb && s->form != FORM_ONE && s->block)
        key(out, "index_low", "measured", "%u", shape_low_bit(s, unit));
    else if (s->block)
        text_printf(out, "# blocks of %u lines go to the sets in turn\n", 1u << s->block);
}

// Writes the capacity, which is that of the sets where these are written. unit: bytes of a line, or 1.
static void put_capacity(const char *name, const Found *f, const Value *v, uint64_t unit, uint64_t first, Text *out)
{
    Text list = {0};
    uint64_t listed = list_sets(f, first, &list) * unit;
    text_free(&list);
    if (listed && (double)listed != v->value)
        key(out, name, "assumed: that of the sets below", "%llu", (unsigned long long)listed);
    else
        whole(out, name, v, -1, unit > 1 ? "bytes" : "entries");
}

static void put_rule(const Found *f, Text *out)
{
    const char *name = f->rule.verdict != MEASURED || f->shape.rule == RULE_ANY ? "lru" : rule_name(f->shape.rule);
    Text from = {0};
    if (f->shape.rule == RULE_ANY && f->rule.verdict == MEASURED)
        text_put(&from, "assumed: with one way there is no choice");
    else
        provenance(&from, &(Value){f->rule.verdict, 0, 0, 0, f->rule.why}, "");
    key(out, "replacement", from.v, "%s", name);
    text_free(&from);
    if (f->rule.verdict != MEASURED || f->shape.rule != RULE_WEIGHTED || !f->shape.ways) return;
    Text list = {0};
    for (uint32_t w = 0; w < f->shape.ways[0] && w < 32; w++) {
        text_printf(&list, "%s%.4f", w ? ", " : "", f->weight[w].value);
        text_printf(&from, "%s%.3f–%.3f", w ? ", " : "measured, ", f->weight[w].low, f->weight[w].high);
    }
    key(out, "weights", from.v, "%s", list.v);
    text_free(&list), text_free(&from);
}

static void put_cache(const Found *f, uint64_t base, Text *out)
{
    uint64_t line = f->line.verdict == MEASURED ? (uint64_t)f->line.value : 0,
             fill = f->fill.verdict == MEASURED ? (uint64_t)f->fill.value : line;
    put_capacity("size", f, &f->size, line >= 32 ? line : 128, line ? base / line : 0, out);
    if (line >= 32) {
        whole(out, "line", &f->line, -1, "bytes");
        if (fill >= 32 && fill <= line)
            key(out, "sector", fill < line ? "measured, as fill" : "assumed: as fill", "%llu",
                (unsigned long long)fill),
                whole(out, "fill", &f->fill, -1, "bytes");
    }
    put_shape(f, line, false, line ? base / line : 0, out);
    put_rule(f, out);
    whole(out, "latency", &f->low, -1, "cycles");
}

static bool known(const Probe *p, Part part)
{
    return p->part[part].state == PART_DONE && p->cache[part].size.verdict == MEASURED;
}

// There is a cache or not, and which of both is known.
static bool settled(const Probe *p, Part part) { return known(p, part) || p->part[part].state == PART_ABSENT; }

// Why a cache that was measured isn't known all the same; null: it is, or it wasn't measured.
static const char *unknown_why(const Probe *p, Part part)
{
    return p->part[part].state == PART_DONE ? p->cache[part].size.why : NULL;
}

// Writes that there is no cache; `from` says where that comes from. why: the reason if there may be one; or null.
static void put_none(const char *from, const char *why, Text *out)
{
    Text t = {0};
    text_put(&t, why ? "assumed, since its size isn't known: " : from);
    if (why) text_put(&t, why);
    key(out, "size", t.v, "0");
    text_free(&t);
}

// Do loads of both kinds find the same cache, as far as it was measured?
static bool same(const Found *a, const Found *b)
{
    return a->size.value == b->size.value && a->line.value == b->line.value && a->sets.value == b->sets.value &&
           fabs(a->low.value - b->low.value) < 1;
}

// The L1 as global loads show it; as local loads do if it serves only these.
static void put_l1(const Probe *p, Text *out)
{
    bool global = known(p, PART_L1), local = known(p, PART_LOCAL);
    const char *why = unknown_why(p, PART_L1);
    section(out, "l1");
    if (!global && !local)
        put_none(settled(p, PART_L1) ? "measured: none" : "assumed: none", why ? why : unknown_why(p, PART_LOCAL), out);
    else
        put_cache(&p->cache[global ? PART_L1 : PART_LOCAL], global ? p->base : 0, out);
    key(out, "global", settled(p, PART_L1) ? "measured" : "assumed", global ? "yes" : "no");
    if (global || local) key(out, "local", local ? "measured" : "assumed", "yes");
}

static void put_readonly(const Probe *p, Text *out)
{
    bool nc = known(p, PART_READONLY) && !(known(p, PART_L1) && same(&p->cache[PART_READONLY], &p->cache[PART_L1])),
         tex = known(p, PART_TEXTURE);
    section(out, "readonly");
    if (!nc && !tex) {
        const char *why = unknown_why(p, PART_TEXTURE);
        put_none("assumed: none was found", why ? why : unknown_why(p, PART_READONLY), out);
        return;
    }
    const Found *f = &p->cache[tex ? PART_TEXTURE : PART_READONLY];
    put_cache(f, p->base, out);
    key(out, "texture", settled(p, PART_TEXTURE) ? "measured" : "assumed", tex ? "yes" : "no");
    key(out, "nc",
        !settled(p, PART_READONLY) ? "assumed"
        : nc                       ? "measured"
                                   : "measured: no cache serves these loads, or the L1 does",
        nc ? "yes" : "no");
    // If a miss takes longer than a load past the L1, the rest is `extra`. If it takes less, the rest is lsu.extra.
    if (f->high.verdict == MEASURED && p->l2.hit.verdict == MEASURED)
        key(out, "extra", "measured: a miss takes so much longer than a load past the L1", "%.0f",
            MAX(0, round(f->high.value - p->l2.hit.value)));
}

static void put_tlbs(const Probe *p, Text *out)
{
    const FoundTlbs *t = &p->tlbs;
    const Spectrum *s = NULL;
    uint64_t page = t->page.value > 0 ? (uint64_t)t->page.value : 0;
    for (size_t k = 0; k < p->spectra; k++)
        if (p->spectrum[k].kind == CHASE_L2) s = &p->spectrum[k];
    for (int k = 0; k < 2; k++) {
        const Found *f = &t->level[k];
        if (f->entries.verdict == UNDETERMINED)
            text_printf(out, "\n# [tlb%d] isn't known: %s\n", k + 1, f->entries.why);
        if (f->entries.verdict != MEASURED) continue;
        uint64_t first = page ? p->base / page : 0;
        section(out, k ? "tlb2" : "tlb1");
        put_capacity("entries", f, &f->entries, 1, first, out);
        whole(out, "page", &t->page, -1, "bytes");
        put_shape(f, page, true, first, out);
        put_rule(f, out);
        whole(out, "penalty", k ? &t->walk : &t->late, -1, "cycles");
    }
    if (t->level[1].entries.verdict != MEASURED) return;
    if (s && s->pattern[PATTERN_DRAM_WALK].verdict == MEASURED && s->pattern[PATTERN_DRAM].verdict == MEASURED &&
        p->l2.hit.verdict == MEASURED && p->l2.miss.verdict == MEASURED && t->late.verdict == MEASURED &&
        t->walk.verdict == MEASURED) {
        double rest = s->pattern[PATTERN_DRAM_WALK].value - 2 * s->pattern[PATTERN_DRAM].value + p->l2.hit.value -
                      t->late.value - t->walk.value;
        key(out, "far", "measured: what a walk to DRAM takes besides the entry's own latency", "%.0f",
            MAX(0, round(rest)));
    }
    if (p->window.verdict != MEASURED) return;
    whole(out, "window", &p->window, -1, "bytes");
    whole(out, "switching", &p->switching, -1, "cycles");
}

// --- the L2 and DRAM -------------------------------------------------------------------------------------------------
// The number of an interval that has the most trailing zero bits.
static uint64_t roundest(double low, double high)
{
    uint64_t from = (uint64_t)low, to = (uint64_t)high;
    for (uint64_t step = 1ull << 40; step > 1; step /= 2) {
        uint64_t x = (from + step - 1) / step * step;
        if (x && x <= to) return x;
    }
    return from;
}

static double peak_of(const Probe *p, FlowKind kind)
{
    double peak = 0;
    for (size_t c = 0; c < p->throughput.curves.n; c++)
        for (size_t k = 0; p->throughput.curves.v[c].kind == kind && k < p->throughput.curves.v[c].n; k++)
            peak = MAX(peak, p->throughput.curves.v[c].points[k].moved);
    return peak;
}

static void put_l2(const Probe *p, Text *out)
{
    enum { WAYS = 16 };
    const FoundL2 *l2 = &p->l2;
    bool sized = l2->size.verdict == MEASURED, lined = l2->line.verdict == MEASURED && l2->line.value >= 32,
         global = known(p, PART_L1);
    uint64_t size = sized ? roundest(l2->size.low, l2->size.high) : MAX(p->device.l2_bytes, 65536),
             line = lined ? (uint64_t)l2->line.value : 128, parts = size / (line * WAYS);
    // As many slices that the number of sets of each is a power of two.
    while (parts && parts % 2 == 0) parts /= 2;
    bool halves = l2->far.verdict == MEASURED;  // which need an even number
    while ((parts < 6 || (halves && parts % 2)) && size / (line * WAYS) % (2 * parts) == 0) parts *= 2;
    Text from = {0}, value = {0};
    section(out, "l2");
    if (p->part[PART_L2].state == PART_ABSENT) {
        key(out, "size", "measured: none", "0");
        return;
    }
    if (sized) provenance(&from, &l2->size, "bytes");
    put_number(&value, (double)size);
    key(out, "size", sized ? from.v : p->device.l2_bytes >= 65536 ? "the device says" : "assumed", "%s", value.v);
    text_free(&from), text_free(&value);
    key(out, "partitions", "assumed, so that the sets of each are a power of two", "%llu",
        (unsigned long long)MIN(MAX(parts, 1), 128));
    if (parts > 128) key(out, "index", "assumed", "modulo");
    key(out, "line", lined ? "measured" : "assumed", "%llu", (unsigned long long)line);
    whole(out, "fill", &l2->fill, -1, "bytes");
    if (l2->fill.verdict == MEASURED && l2->fill.value > 32)
        key(out, "sector", "assumed: as fill", "%.0f", l2->fill.value);
    key(out, "ways", "assumed", "%d", WAYS);
    // If the L1 serves global loads, the latency is that through the L1, whose fills take longer on the links.
    const Value *latency = global ? &p->cache[PART_L1].high : l2->near.verdict == MEASURED ? &l2->near : &l2->hit;
    whole(out, "latency", latency, 250, "cycles");
    if (halves && (parts % 2 || parts > 128))
        text_printf(out, "# far = %.0f: measured, but halves need an even number of partitions\n",
                    round(l2->far.value - l2->near.value));
    else if (halves)
        key(out, "far", "measured: a hit in the farther half takes so much longer", "%.0f",
            round(l2->far.value - l2->near.value));
    key(out, "keep", "assumed", "yes");

    Value dram = l2->miss, beside = {ABSENT, 0, 0, 0, NULL};
    if (global && (latency->verdict != MEASURED || l2->hit.verdict != MEASURED)) dram = beside;
    if (global && dram.verdict == MEASURED)
        dram.value += latency->value - l2->hit.value, dram.low += latency->value - l2->hit.value,
            dram.high += latency->value - l2->hit.value;
    if (dram.verdict != MEASURED) dram = beside;
    double peak = peak_of(p, FLOW_DRAM);
    section(out, "dram");
    key(out, "simple", "assumed: rows and banks aren't measured", "yes");
    whole(out, "latency", &dram, (latency->verdict == MEASURED ? round(latency->value) : 250) + 250, "cycles");
    if (peak > 0) key(out, "bandwidth", "measured: the most that SMs moved; there may be more", "%.4g", peak);
}

// --- the SM ----------------------------------------------------------------------------------------------------------
static void put_shared(const Probe *p, Text *out)
{
    const SharedResult *s = &p->shared;
    section(out, "shared");
    key(out, "size", "the device says", "%u", p->device.shared_sm);
    key(out, "max", "the device says", "%u", p->device.shared_block);
    whole(out, "latency", &s->latency, -1, "cycles");
    whole(out, "banks", &s->banks, -1, "banks");
    whole(out, "width", &s->width, -1, "bytes");
    whole(out, "mode", &s->mode, -1, "bytes");
    if (s->conflict.verdict != MEASURED) return;
    Text from = {0};
    provenance(&from, &s->conflict, "cycles");
    key(out, "conflict", from.v, "%.4g", s->conflict.value);
    text_free(&from);
}

// Warps, schedulers and dispatch slots are those of the GPU's generation: nothing here measures them.
static int schedulers_of(const Probe *p) { return p->device.capability < 30 ? 2 : 4; }

static void put_ops(const Probe *p, Text *out)
{
    if (p->part[PART_OPS].state != PART_DONE) return;
    section(out, "latency");
    for (int k = 0; k < OPS_KINDS; k++)
        if (p->ops[k].latency.verdict == MEASURED) whole(out, p->ops[k].name, &p->ops[k].latency, -1, "cycles");
    // If fewer threads than a warp start a cycle, each scheduler waits between two.
    section(out, "interval");
    for (int k = 0; k < OPS_KINDS; k++) {
        double r = p->ops[k].rate.value;
        if (p->ops[k].rate.verdict != MEASURED) continue;
        if (r > 0 && r < 24)
            key(out, p->ops[k].name, "measured: as [rate]", "%.0f", MIN(256, round(schedulers_of(p) * 32 / r)));
        else
            key(out, p->ops[k].name, "assumed: [rate] is the limit", "0");
    }
    section(out, "rate");
    for (int k = 0; k < OPS_KINDS; k++) {
        const Value *r = &p->ops[k].rate;
        Text from = {0};
        if (r->verdict != MEASURED) continue;
        text_printf(&from, "measured: %.4g operations of threads a cycle", r->value);
        key(out, p->ops[k].name, from.v, "%.0f", MIN(64, MAX(1, round(r->value / 32))));
        text_free(&from);
    }
}

static void put_sm(const Probe *p, Text *out)
{
    bool fermi = p->device.capability < 30;
    section(out, "sm");
    key(out, "schedulers", "assumed", "%d", schedulers_of(p));
    key(out, "issue", "assumed", "%d", p->device.capability < 70 ? 2 : 1);
    key(out, "warps", "assumed", "%d", fermi ? 48 : 64);
    key(out, "threads", "assumed", "%d", fermi ? 1536 : 2048);
    key(out, "blocks", "assumed", "%d", fermi ? 8 : p->device.capability < 50 ? 16 : 32);
    section(out, "registers");
    key(out, "count", "assumed", "%d", fermi ? 32768 : 65536);
}

void probe_emit(const Probe *p, Text *out)
{
    char name[200];
    size_t n = 0;
    for (const char *c = p->name; *c && n + 1 < sizeof name; c++)
        if ((unsigned char)*c >= ' ' && *c != '#' && *c != ';') name[n++] = *c;
    name[n] = 0;
    text_printf(out, "# %s as onchip probe found it: %.3g million loads in %.0f s.\n", name, 1e-6 * (double)p->loads,
                p->seconds);
    for (int k = 0; k < PARTS; k++) {
        const PartResult *r = &p->part[k];
        const char *lack = part_lack(r);
        if (!lack) continue;
        text_printf(out, "# Part %s %s: %.*s.\n", part_info[k].name, lack, (int)strcspn(r->why, "\n"), r->why);
    }
    text_put(out, "[gpu]\n");
    text_printf(out, "title = %s, measured\n", name);
    key(out, "capability", "the device says", "%u", p->device.capability);
    key(out, "clock", "the device says", "%.6g", p->device.clock_mhz);
    key(out, "memory", "the device says", "%llu", (unsigned long long)p->device.memory);
    key(out, "sms", "the device says", "%u", p->device.sms);
    put_sm(p, out);
    put_shared(p, out);
    put_l1(p, out);
    put_readonly(p, out);
    if (known(p, PART_CONST)) section(out, "const"), put_cache(&p->cache[PART_CONST], 0, out);
    if (unknown_why(p, PART_CONST)) text_printf(out, "\n# [const] isn't known: %s\n", unknown_why(p, PART_CONST));
    put_tlbs(p, out);
    if (known(p, PART_TEXTURE) && p->cache[PART_TEXTURE].high.verdict == MEASURED && p->l2.hit.verdict == MEASURED) {
        section(out, "lsu");
        key(out, "extra", "measured: a load past the L1 takes so much longer than a texture's miss", "%.0f",
            MAX(0, round(p->l2.hit.value - p->cache[PART_TEXTURE].high.value)));
    }
    put_l2(p, out);
    put_ops(p, out);
}
