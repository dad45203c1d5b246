// probe_text.c: prints what onchip probe found, in tables and sentences. A number without an interval is the only one
// that the observations allow. "?" is undetermined; the reason stands below. "-" is a value that doesn't apply.
#include "cli/unit.h"
#include "probe/probe.h"

#include <math.h>
#include <string.h>

// --- values ----------------------------------------------------------------------------------------------------------
static void number(Text *t, double v, bool bytes)
{
    char text[32];
    if (bytes)
        format_bytes(text, v), text_put(t, text);
    else
        text_printf(t, fabs(v - round(v)) < 0.005 || v >= 1000 ? "%.0f" : v >= 100 ? "%.1f" : "%.2f", v);
}

// Adds "110", "110–112", "?" or "-"; the reason for a "?" is added to why.
static void add_value(Table *table, const char *name, const Value *v, bool bytes, Text *why)
{
    Text t = {0};
    if (v->verdict != MEASURED) {
        text_put(&t, v->verdict == UNDETERMINED ? "?" : "-");
        if (v->why && why && !(why->v && strstr(why->v, v->why)))
            text_printf(why, "%s%s: %s", why->n ? "\n" : "", name, v->why);
    } else if (v->high - v->low <= MAX(0.005, 0.006 * fabs(v->value)) || bytes) {
        number(&t, v->value, bytes);
    } else {
        number(&t, v->low, bytes), text_put(&t, "–"), number(&t, v->high, bytes);
    }
    table_add(table, t.v);
    text_free(&t);
}

const char *index_text(const Found *f, char out[100])
{
    const Shape *s = &f->shape;
    uint64_t line = f->line.verdict == MEASURED ? (uint64_t)f->line.value : 1;
    uint32_t low = shape_low_bit(s, line), bits = 0;
    while (2ull << bits <= s->sets) bits++;
    if (s->form == FORM_MODULO && !(s->sets & (s->sets - 1)) && bits) {
        if (bits > 1)
            snprintf(out, 100, "bits %u to %u", low, low + bits - 1);
        else
            snprintf(out, 100, "bit %u", low);
    } else if (s->form == FORM_MODULO) {
        snprintf(out, 100, "modulo %u from bit %u on", s->sets, low);
    } else {
        snprintf(out, 100, "%s", form_name(s));
    }
    return out;
}

static void add_ways(Table *table, const Found *f, Text *why)
{
    Text t = {0};
    const Shape *s = &f->shape;
    bool equal = true;
    for (uint32_t k = 1; s->ways && k < s->sets; k++) equal = equal && s->ways[k] == s->ways[0];
    if (f->index.verdict != MEASURED || !s->ways) {
        add_value(table, "sets", &f->index, false, why);
        return;
    }
    if (equal) text_printf(&t, "%u × %u", s->sets, s->ways[0]);
    // Equal sets that follow each other are joined: "17 + 6 × 8".
    for (uint32_t k = 0, n; !equal && k < s->sets; k += n) {
        for (n = 1; k + n < s->sets && s->ways[k + n] == s->ways[k];) n++;
        text_put(&t, k ? " + " : "");
        if (n > 1) text_printf(&t, "%u × ", n);
        text_printf(&t, "%u", s->ways[k]);
    }
    table_add(table, t.v);
    text_free(&t);
}

static void add_policy(Table *table, const Found *f, Text *why)
{
    if (f->rule.verdict != MEASURED)
        add_value(table, "policy", &f->rule, false, why);
    else
        table_add(table, rule_name(f->shape.rule));
    if (f->rule.verdict != MEASURED || f->weight[0].verdict != MEASURED) return;
    double half = 0;
    text_printf(why, "%sa way is the victim with probability", why->n ? "\n" : "");
    for (uint32_t w = 0; w < f->shape.ways[0] && w < 32; w++) {
        text_printf(why, "%s %.3f", w ? "," : "", f->weight[w].value);
        half = MAX(half, 0.5 * (f->weight[w].high - f->weight[w].low));
    }
    text_printf(why, ", each ± %.3f; p-value of equal probabilities: %.2g", half, f->rule_p);
    if (f->again.verdict != MEASURED) return;
    text_printf(
        why,
        "\nafter way %u the next victim is way %u again in %.3f (%.3f to %.3f) of cases; p-value of independent "
        "draws: %.2g",
        f->heavy, f->heavy, f->again.value, f->again.low, f->again.high, f->draws_p);
}

// --- memories --------------------------------------------------------------------------------------------------------
static void add_found(Table *table, const char *name, const Found *f, const Value *size, const Value *hit,
                      const Value *miss)
{
    char index[100];
    Text why = {0};
    table_add(table, name);
    add_value(table, "size", size, true, &why);
    add_value(table, "line", &f->line, true, &why);
    add_value(table, "fill", &f->fill, true, &why);
    add_ways(table, f, &why);
    if (f->index.verdict == MEASURED)
        table_add(table, index_text(f, index));
    else
        add_value(table, "index", &f->index, false, &why);
    add_policy(table, f, &why);
    add_value(table, "hit", hit, false, &why);
    add_value(table, "miss", miss, false, &why);
    if (f->accesses)
        text_printf(&why, "%s%llu accesses replayed; %llu come out otherwise than measured", why.n ? "\n" : "",
                    (unsigned long long)f->accesses, (unsigned long long)f->mismatches);
    if (f->accesses && f->index.verdict != MEASURED)
        text_printf(&why, ", with the nearest model: %u sets of %u ways, %s", f->nearest.sets, f->nearest.ways[0],
                    rule_name(f->nearest.rule));
    if (why.n) table_note(table, why.v);
    text_free(&why);
}

static void head(Table *table, const char *const *names, size_t n)
{
    table->columns = n;
    for (size_t k = 0; k < n; k++) table_add(table, names[k]);
}

// False: no part about a memory is done, so nothing is printed.
static bool memories(const Probe *p, FILE *out)
{
    static const char *const names[] = {"memory", "size",   "line", "fill", "sets × ways",
                                        "index",  "policy", "hit",  "miss"};
    Table t = {.whole = 1};
    Text why = {0};
    head(&t, names, COUNT(names));
    for (int k = 0; k < CACHES; k++)
        if (p->part[k].state == PART_DONE)
            add_found(&t, part_info[k].name, &p->cache[k], &p->cache[k].size, &p->cache[k].low, &p->cache[k].high);
    if (p->part[PART_L2].state == PART_DONE) {
        const FoundL2 *l2 = &p->l2;
        table_add(&t, "l2");
        add_value(&t, "size", &l2->size, true, &why);
        add_value(&t, "line", &l2->line, true, &why);
        add_value(&t, "fill", &l2->fill, true, &why);
        for (int k = 0; k < 3; k++) table_add(&t, "-");
        add_value(&t, "hit", &l2->hit, false, &why);
        add_value(&t, "miss", &l2->miss, false, &why);
        if (l2->size.verdict == MEASURED && l2->size.high > l2->size.low) {
            char low[32], high[32];
            format_bytes(low, l2->size.low), format_bytes(high, l2->size.high);
            text_printf(&why, "%ssize: %s fit; of %s most doesn't", why.n ? "\n" : "", low, high);
        }
        if (l2->near.verdict == MEASURED)
            text_printf(&why, "%sa hit takes %.0f cycles in the nearer half, %.0f in the farther; %zu SMs were asked",
                        why.n ? "\n" : "", l2->near.value, l2->far.value, l2->sm.n);
        if (why.n) table_note(&t, why.v);
        text_free(&why);
    }
    const FoundTlbs *tlbs = &p->tlbs;
    if (p->part[PART_TLB].state == PART_DONE) {
        add_found(&t, "l1_tlb", &tlbs->level[0], &tlbs->level[0].size, &(Value){ABSENT, 0, 0, 0, NULL}, &tlbs->late);
        add_found(&t, "l2_tlb", &tlbs->level[1], &tlbs->level[1].size, &(Value){ABSENT, 0, 0, 0, NULL}, &tlbs->walk);
    }
    const bool any = t.cells.n > COUNT(names);
    if (any)
        fputc('\n', out), table_print(&t, out),
            fprintf(out, "hit, miss: cycles that a load takes; of a TLB, cycles that a miss adds\n");
    if (p->window.verdict == UNDETERMINED) {
        text_printf(&why, "how much memory has its page-table entries active at a time isn't known: %s", p->window.why);
        put_wrapped(out, 0, 2, BREAK_WORDS, why.v);
    }
    if (p->window.verdict == MEASURED) {
        char size[32];
        format_bytes(size, p->window.value);
        fprintf(out,
                "the page-table entries of %s of memory are active at a time; activating others takes %.0f cycles\n",
                size, p->switching.value);
    }
    table_free(&t);
    text_free(&why);
    return any;
}

// --- the rest --------------------------------------------------------------------------------------------------------
static void spectra(const Probe *p, FILE *out)
{
    static const char *const names[CHASE_KINDS] = {"global",  "past the L1", "read-only",
                                                   "texture", "constant",    "local"};
    Table t = {.columns = p->spectra + 1, .whole = 1};
    if (!p->spectra) return;
    table_add(&t, "cycles of a load, by what it finds");
    for (size_t k = 0; k < p->spectra; k++) table_add(&t, names[p->spectrum[k].kind]);
    for (int q = 0; q < PATTERN_KINDS; q++) {
        bool any = false;
        for (size_t k = 0; k < p->spectra; k++) any |= p->spectrum[k].pattern[q].verdict == MEASURED;
        if (!any) continue;
        table_add(&t, pattern_name((Pattern)q));
        for (size_t k = 0; k < p->spectra; k++) add_value(&t, "", &p->spectrum[k].pattern[q], false, NULL);
    }
    fputc('\n', out);
    table_print(&t, out);
    table_free(&t);
}

// Compares the footprint with the texture cache's fill, which another part finds, if both are known.
static void footprint(const Probe *p, FILE *out)
{
    const Footprint *f = &p->footprint;
    const Value *fill = &p->cache[PART_TEXTURE].fill;
    double bytes = FOOTPRINT_TEXEL * f->width.value * f->height.value;
    char size[32];
    Text t = {0};
    if (p->part[PART_FOOTPRINT].state != PART_DONE) return;
    if (f->width.verdict == MEASURED) {
        format_bytes(size, bytes);
        text_printf(&t, "2D textures: a miss brings in %.0f × %.0f texels of %d bytes, %s", f->width.value,
                    f->height.value, FOOTPRINT_TEXEL, size);
        if (f->height.value == 1)
            text_put(&t, " of one row");
        else
            text_printf(&t, " of %.0f rows", f->height.value);
        if (fill->verdict == MEASURED && fill->value == bytes)
            text_put(&t, ": the texture cache's fill");
        else if (fill->verdict == MEASURED)
            format_bytes(size, fill->value), text_printf(&t, "; the texture cache's fill is %s", size);
    } else {
        text_printf(&t, "2D textures: what a miss brings in is undetermined: %s", f->width.why);
    }
    fputc('\n', out);
    put_wrapped(out, 0, 2, BREAK_WORDS, t.v);
    text_free(&t);
}

static void shared(const Probe *p, FILE *out)
{
    const SharedResult *s = &p->shared;
    Text t = {0};
    if (p->part[PART_SHARED].state != PART_DONE) return;
    text_printf(&t, "shared memory: a load takes %.0f cycles", s->latency.value);
    if (s->conflict.verdict == MEASURED)
        text_printf(&t, ", and %.4g more for each further way of a bank conflict", s->conflict.value);
    if (s->conflict.verdict == MEASURED && s->conflict.high - s->conflict.low > 1e-3 * s->conflict.value)
        text_printf(&t, " (%.4g–%.4g)", s->conflict.low, s->conflict.high);
    if (s->banks.verdict == MEASURED && s->width.verdict == MEASURED && s->mode.verdict == MEASURED)
        text_printf(&t, "; %.0f banks of %.0f bytes, %.0f-byte mode", s->banks.value, s->width.value, s->mode.value);
    else
        text_printf(&t, "; banks undetermined: %s",
                    s->banks.why   ? s->banks.why
                    : s->width.why ? s->width.why
                    : s->mode.why  ? s->mode.why
                                   : "");
    fputc('\n', out);
    put_wrapped(out, 0, 2, BREAK_WORDS, t.v);
    text_free(&t);
}

static void ops(const Probe *p, FILE *out)
{
    static const char *const names[] = {"operation", "latency, cycles", "threads per cycle and SM"};
    Table t = {.whole = 1};
    Text why = {0};
    if (p->part[PART_OPS].state != PART_DONE) return;
    head(&t, names, COUNT(names));
    for (int k = 0; k < OPS_KINDS; k++) {
        table_add(&t, p->ops[k].name);
        add_value(&t, "latency", &p->ops[k].latency, false, &why);
        add_value(&t, "rate", &p->ops[k].rate, false, &why);
    }
    fputc('\n', out);
    table_print(&t, out);
    table_free(&t), text_free(&why);
}

static void throughput(const Probe *p, FILE *out)
{
    static const char *const names[] = {"throughput", "ways", "GB/s", "saturates at", "limit", ""}, *const kinds[] = {
                                                                                                        "L2", "DRAM",
                                                                                                        "shared"};
    static const char *const limits[] = {"unknown", "threads", "SM", "memory"};
    Table t = {.whole = 1};
    if (!p->throughput.curves.n) return;
    head(&t, names, COUNT(names));
    for (size_t k = 0; k < p->throughput.curves.n; k++) {
        const FlowCurve *c = &p->throughput.curves.v[k];
        Text name = {0}, ways = {0}, most = {0};
        double peak = 0;
        for (size_t q = 0; q < c->n; q++) peak = MAX(peak, c->points[q].moved);
        if (c->along_blocks)
            text_printf(&name, "%s by blocks", kinds[c->kind]);
        else
            text_printf(&name, "%s by threads, %u block%s", kinds[c->kind], c->points[0].blocks,
                        c->points[0].blocks == 1 ? "" : "s");
        text_printf(&ways, "%u", c->ways), text_printf(&most, "%.1f", peak);
        table_add(&t, name.v), table_add(&t, ways.v), table_add(&t, most.v);
        add_value(&t, "", &c->knee.at, false, NULL);
        table_add(&t, limits[c->limit]), table_add(&t, c->why);
        text_free(&name), text_free(&ways), text_free(&most);
    }
    fputc('\n', out);
    table_print(&t, out);
    put_wrapped(
        out, 0, 2, BREAK_WORDS,
        "ways: how many threads of a warp read words of the same 128-byte segment; GB/s: the most on the curve, "
        "counting whole 32-byte sectors; saturates at: the number of blocks, or of threads of a block, beyond "
        "which there is no gain; limit: what limits at the curve's end: too few threads, the SMs, or the memory");
    table_free(&t);
}

static void hits(const Probe *p, FILE *out)
{
    static const char *const kinds[] = {"L1", "read-only", "texture"};
    if (p->part[PART_HITS].state == PART_DONE) fprintf(out, "\nhit rate of all loads, by number of threads on an SM\n");
    for (int k = 0; p->part[PART_HITS].state == PART_DONE && k < HIT_KINDS; k++) {
        const HitCurve *c = &p->hits[k];
        Text t = {0};
        for (size_t q = 0; q < c->n; q++) {
            const HitPoint *at = &c->points[q];
            if (at->rate.verdict == MEASURED)
                text_printf(&t, "%s%u: %.1f %%", t.n ? ", " : "", at->threads, 100 * at->rate.value);
            else
                text_printf(&t, "%s%u: ?", t.n ? ", " : "", at->threads);
        }
        if (!c->n) text_printf(&t, "%s", c->why ? c->why : "nothing was measured");
        put_row(out, kinds[c->kind], 11, BREAK_ITEMS, t.v);
        text_free(&t);
    }
}

// Prints why parts have no result. A blank line comes first, unless they belong to what stands above.
static void reasons(const Probe *p, bool none, bool below, FILE *out)
{
    for (int k = 0; k < PARTS; k++) {
        const PartResult *r = &p->part[k];
        const char *lack = none ? r->state == PART_ABSENT ? "" : NULL : part_lack(r);
        Text t = {0};
        if (!lack) continue;
        text_printf(&t, "%s%s%s: %s", part_info[k].name, none ? "" : " ", lack, r->why);
        if (!below) fputc('\n', out);
        put_wrapped(out, 0, 4, BREAK_WORDS, t.v);
        text_free(&t);
        below = true;
    }
}

void probe_text(const Probe *p, const struct Gpu *gpu, FILE *out)
{
    char loads[32];
    format_count(loads, (double)p->loads);
    fprintf(out, "%s, %s: %u SMs at %.0f MHz", p->name, p->device.real ? "a real GPU" : "simulated", p->device.sms,
            p->device.clock_mhz);
    if (p->device.real) fprintf(out, ", driver for CUDA %u.%u", p->device.driver / 1000, p->device.driver % 1000 / 10);
    fputc('\n', out);
    reasons(p, true, memories(p, out), out);
    probe_book_text(p, gpu, out);
    spectra(p, out), footprint(p, out), shared(p, out), ops(p, out), throughput(p, out), hits(p, out);
    reasons(p, false, false, out);
    fprintf(out, "\n%s loads\n%s in %.1f s\n", loads, p->device.real ? "measured" : "simulated", p->seconds);
}
