// probe_json.c: writes what onchip probe found as JSON. doc/reference/json.md describes the schema. Its version
// goes up when a field is removed or changes its meaning.
#include "cli/unit.h"
#include "probe/probe.h"

#include <string.h>

enum { PROBE_JSON_VERSION = 1 };

static const char *verdict_name(Verdict v)
{
    static const char *const names[] = {"absent", "measured", "undetermined"};
    return names[v];
}

static const char *state_name(PartState s)
{
    static const char *const names[] = {"not asked for", "measured", "absent", "left out", "failed", "cut short"};
    return names[s];
}

// --- values ----------------------------------------------------------------------------------------------------------
static void put_end(Json *j, const Value *v)
{
    json_string(j, "verdict", verdict_name(v->verdict));
    if (v->verdict != MEASURED && v->why) json_string(j, "why", v->why);
    json_close(j, '}');
}

void probe_json_value(Json *j, const char *key, const Value *v)
{
    json_open(j, key, '{');
    if (v->verdict == MEASURED) {
        json_double(j, "value", v->value);
        json_double(j, "low", v->low);
        json_double(j, "high", v->high);
    }
    put_end(j, v);
}

static void put_word(Json *j, const char *key, const Value *v, const char *word)
{
    json_open(j, key, '{');
    if (v->verdict == MEASURED) json_string(j, "value", word);
    put_end(j, v);
}

// --- memories --------------------------------------------------------------------------------------------------------
static void put_state(Json *j, const PartResult *r)
{
    json_string(j, "state", state_name(r->state));
    if (r->why && *r->why) json_string(j, "why", r->why);
}

static void open_memory(Json *j, const Probe *p, const char *name, Part part)
{
    json_open(j, NULL, '{');
    json_string(j, "name", name);
    put_state(j, &p->part[part]);
}

static void put_ways(Json *j, const Found *f)
{
    json_open(j, "ways", '{');
    if (f->index.verdict == MEASURED && f->shape.ways) {
        json_open(j, "value", '[');
        for (uint32_t k = 0; k < f->shape.sets; k++) json_uint(j, NULL, f->shape.ways[k]);
        json_close(j, ']');
    }
    put_end(j, &f->index);
}

static void put_index(Json *j, const Found *f, uint64_t line)
{
    json_open(j, "index", '{');
    if (f->index.verdict == MEASURED) {
        json_string(j, "value", form_name(&f->shape));
        json_uint(j, "low_bit", shape_low_bit(&f->shape, line));
        json_uint(j, "span_lines", f->span);
        if (f->shape.form == FORM_LINEAR) {
            json_open(j, "kernel", '[');
            for (int b = 0; b < SHAPE_BITS; b++)
                if (f->shape.kernel[b]) json_uint(j, NULL, f->shape.kernel[b]);
            json_close(j, ']');
        }
    }
    put_end(j, &f->index);
}

static void put_policy(Json *j, const Found *f)
{
    put_word(j, "policy", &f->rule, rule_name(f->shape.rule));
    if (f->rule.verdict != MEASURED || (f->shape.rule != RULE_RANDOM && f->shape.rule != RULE_WEIGHTED) ||
        f->weight[0].verdict != MEASURED)
        return;
    json_double(j, "equal_weights_p", f->rule_p);
    if (f->again.verdict == MEASURED) {
        json_uint(j, "likeliest_way", f->heavy);
        probe_json_value(j, "likeliest_again", &f->again);
        json_double(j, "independent_draws_p", f->draws_p);
    }
    json_open(j, "weights", '[');
    for (uint32_t w = 0; w < f->shape.ways[0] && w < 32; w++) probe_json_value(j, NULL, &f->weight[w]);
    json_close(j, ']');
}

static void put_found(Json *j, const Found *f)
{
    probe_json_value(j, "size_bytes", &f->size);
    probe_json_value(j, "line_bytes", &f->line);
    probe_json_value(j, "fill_bytes", &f->fill);
    probe_json_value(j, "entries", &f->entries);
    probe_json_value(j, "sets", &f->sets);
    put_ways(j, f);
    put_index(j, f, f->line.verdict == MEASURED ? (uint64_t)f->line.value : 1);
    put_policy(j, f);
    if (!f->accesses) return;
    json_uint(j, "replayed", f->accesses);
    json_uint(j, "mismatches", f->mismatches);
    if (f->index.verdict == MEASURED) return;
    json_open(j, "nearest", '{');
    json_uint(j, "sets", f->nearest.sets);
    json_open(j, "ways", '[');
    for (uint32_t k = 0; k < f->nearest.sets; k++) json_uint(j, NULL, f->nearest.ways[k]);
    json_close(j, ']');
    json_string(j, "policy", rule_name(f->nearest.rule));
    json_close(j, '}');
}

static void put_curve(Json *j, const MissCurve *c)
{
    json_open(j, "misses", '[');
    for (size_t k = 0; k < c->n; k++) {
        json_open(j, NULL, '{');
        json_uint(j, "array_bytes", c->point[k].bytes);
        json_double(j, "rate", c->point[k].misses);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_caches(Json *j, const Probe *p)
{
    for (int k = 0; k < CACHES; k++) {
        open_memory(j, p, part_info[k].name, (Part)k);
        if (p->part[k].state == PART_DONE) {
            const Found *f = &p->cache[k];
            put_found(j, f);
            probe_json_value(j, "hit_cycles", &f->low);
            probe_json_value(j, "miss_cycles", &f->high);
            put_curve(j, &p->misses[k]);
        }
        json_close(j, '}');
    }
}

static void put_l2(Json *j, const Probe *p)
{
    const FoundL2 *l2 = &p->l2;
    open_memory(j, p, "l2", PART_L2);
    if (p->part[PART_L2].state == PART_DONE) {
        probe_json_value(j, "size_bytes", &l2->size);
        probe_json_value(j, "line_bytes", &l2->line);
        probe_json_value(j, "fill_bytes", &l2->fill);
        probe_json_value(j, "hit_cycles", &l2->hit);
        probe_json_value(j, "miss_cycles", &l2->miss);
        probe_json_value(j, "near_cycles", &l2->near);
        probe_json_value(j, "far_cycles", &l2->far);
        json_open(j, "sms", '[');
        for (size_t k = 0; k < l2->sm.n; k++) {
            json_open(j, NULL, '{');
            json_uint(j, "sm", l2->sm.v[k].sm);
            json_double(j, "near_cycles", l2->sm.v[k].low);
            json_double(j, "far_cycles", l2->sm.v[k].high);
            json_double(j, "first_line_cycles", l2->sm.v[k].first);
            json_close(j, '}');
        }
        json_close(j, ']');
    }
    json_close(j, '}');
}

static void put_tlbs(Json *j, const Probe *p)
{
    const FoundTlbs *t = &p->tlbs;
    for (int k = 0; k < 2; k++) {
        open_memory(j, p, k ? "l2_tlb" : "l1_tlb", PART_TLB);
        if (p->part[PART_TLB].state == PART_DONE) {
            probe_json_value(j, "page_bytes", &t->page);
            put_found(j, &t->level[k]);
            probe_json_value(j, "penalty_cycles", k ? &t->walk : &t->late);
            if (k)
                probe_json_value(j, "window_bytes", &p->window), probe_json_value(j, "switching_cycles", &p->switching);
            put_curve(j, &p->tlb_misses[k]);
        }
        json_close(j, '}');
    }
}

static void put_numbers(Json *j, const char *name, const double *v, size_t n)
{
    json_open(j, name, '[');
    for (size_t k = 0; k < n; k++) json_double(j, NULL, v[k]);
    json_close(j, ']');
}

static void put_shared(Json *j, const Probe *p)
{
    const SharedResult *s = &p->shared;
    open_memory(j, p, "shared", PART_SHARED);
    if (p->part[PART_SHARED].state == PART_DONE) {
        json_uint(j, "sm_bytes", p->device.shared_sm);
        json_uint(j, "block_bytes", p->device.shared_block);
        probe_json_value(j, "hit_cycles", &s->latency);
        probe_json_value(j, "conflict_cycles", &s->conflict);
        probe_json_value(j, "banks", &s->banks);
        probe_json_value(j, "width_bytes", &s->width);
        probe_json_value(j, "mode_bytes", &s->mode);
        json_uint(j, "patterns_unexplained", s->wrong);
        put_numbers(j, "stride_cycles", s->stride, SHARED_STRIDES);
        put_numbers(j, "ways_cycles", s->ways, SHARED_WAYS);
    }
    json_close(j, '}');
}

// --- the rest --------------------------------------------------------------------------------------------------------
static void put_spectra(Json *j, const Probe *p)
{
    static const char *const loads[CHASE_KINDS] = {"global",  "past the L1", "read-only",
                                                   "texture", "constant",    "local"};
    json_open(j, "spectrum", '[');
    for (size_t k = 0; k < p->spectra; k++) {
        const Spectrum *s = &p->spectrum[k];
        json_open(j, NULL, '{');
        json_string(j, "loads", loads[s->kind]);
        json_open(j, "patterns", '[');
        for (int q = 0; q < PATTERN_KINDS; q++) {
            if (s->pattern[q].verdict != MEASURED) continue;
            json_open(j, NULL, '{');
            json_string(j, "pattern", pattern_name((Pattern)q));
            probe_json_value(j, "cycles", &s->pattern[q]);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_open(j, "modes", '[');
        for (size_t m = 0; m < s->modes; m++) {
            json_open(j, NULL, '{');
            json_double(j, "mean", s->mode[m].mean);
            json_double(j, "low", s->mode[m].low);
            json_double(j, "high", s->mode[m].high);
            json_uint(j, "loads", s->mode[m].n);
            json_string(j, "pattern", pattern_name(s->mode[m].pattern));
            json_double(j, "share", s->mode[m].share);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_footprint(Json *j, const Probe *p)
{
    const Footprint *f = &p->footprint;
    json_open(j, "footprint", '{');
    put_state(j, &p->part[PART_FOOTPRINT]);
    if (p->part[PART_FOOTPRINT].state == PART_DONE) {
        probe_json_value(j, "width_texels", &f->width);
        probe_json_value(j, "height_texels", &f->height);
        json_uint(j, "texel_bytes", FOOTPRINT_TEXEL);
        json_uint(j, "pairs", f->pairs);
    }
    json_close(j, '}');
}

static void put_ops(Json *j, const Probe *p)
{
    json_open(j, "ops", '[');
    for (int k = 0; p->part[PART_OPS].state == PART_DONE && k < OPS_KINDS; k++) {
        json_open(j, NULL, '{');
        json_string(j, "name", p->ops[k].name);
        probe_json_value(j, "latency_cycles", &p->ops[k].latency);
        probe_json_value(j, "rate", &p->ops[k].rate);
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_throughput(Json *j, const Probe *p)
{
    static const char *const kinds[] = {"l2", "dram", "shared"}, *const limits[] = {"unknown", "threads", "sm",
                                                                                    "memory"};
    json_open(j, "throughput", '[');
    for (size_t k = 0; k < p->throughput.curves.n; k++) {
        const FlowCurve *c = &p->throughput.curves.v[k];
        json_open(j, NULL, '{');
        json_string(j, "memory", kinds[c->kind]);
        json_string(j, "along", c->along_blocks ? "blocks" : "threads");
        json_uint(j, "ways", c->ways);
        probe_json_value(j, "saturation", &c->knee.at);
        probe_json_value(j, "peak_gbs", &c->knee.peak);
        json_double(j, "residual", c->knee.residual);
        json_string(j, "limit", limits[c->limit]);
        if (c->why) json_string(j, "limit_why", c->why);
        json_open(j, "points", '[');
        for (size_t q = 0; q < c->n; q++) {
            json_open(j, NULL, '{');
            json_uint(j, "blocks", c->points[q].blocks);
            json_uint(j, "threads", c->points[q].threads);
            if (c->points[q].why) {
                json_string(j, "why", c->points[q].why);
            } else {
                json_double(j, "useful_gbs", c->points[q].useful);
                json_double(j, "moved_gbs", c->points[q].moved);
            }
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_hits(Json *j, const Probe *p)
{
    static const char *const kinds[] = {"l1", "readonly", "texture"};
    json_open(j, "hits", '[');
    for (int k = 0; p->part[PART_HITS].state == PART_DONE && k < HIT_KINDS; k++) {
        const HitCurve *c = &p->hits[k];
        json_open(j, NULL, '{');
        json_string(j, "memory", kinds[c->kind]);
        if (c->why) json_string(j, "why", c->why);
        probe_json_value(j, "hit_cycles", &c->hit);
        probe_json_value(j, "miss_cycles", &c->miss);
        json_open(j, "points", '[');
        for (size_t q = 0; q < c->n; q++) {
            json_open(j, NULL, '{');
            json_uint(j, "threads", c->points[q].threads);
            probe_json_value(j, "rate", &c->points[q].rate);
            json_close(j, '}');
        }
        json_close(j, ']');
        json_close(j, '}');
    }
    json_close(j, ']');
}

static void put_parts(Json *j, const Probe *p)
{
    json_open(j, "parts", '[');
    for (int k = 0; k < PARTS; k++) {
        open_memory(j, p, part_info[k].name, (Part)k);
        json_double(j, "seconds", p->part[k].seconds);
        json_close(j, '}');
    }
    json_close(j, ']');
}

void probe_json(const Probe *p, const char *error, Json *j)
{
    json_string(j, "onchip", ONCHIP_VERSION);
    json_int(j, "schema", PROBE_JSON_VERSION);
    if (error) json_string(j, "error", error);
    json_open(j, "device", '{');
    if (p) {
        json_string(j, "name", p->name);
        json_bool(j, "real", p->device.real);
        json_uint(j, "driver", p->device.driver);
        json_uint(j, "capability", p->device.capability);
        json_double(j, "clock_mhz", p->device.clock_mhz);
        json_uint(j, "sms", p->device.sms);
        json_uint(j, "memory_bytes", p->device.memory);
        json_uint(j, "l2_bytes", p->device.l2_bytes);
    }
    json_close(j, '}');
    if (p) {
        json_double(j, "seconds", p->seconds);
        json_uint(j, "loads", p->loads);
        json_uint(j, "runs", p->asked);
        put_parts(j, p);
    }
    json_open(j, "memories", '[');
    if (p) put_caches(j, p), put_l2(j, p), put_tlbs(j, p), put_shared(j, p);
    json_close(j, ']');
    if (!p) return;
    probe_book_json(p, j);
    put_spectra(j, p);
    put_footprint(j, p);
    put_ops(j, p);
    put_throughput(j, p);
    put_hits(j, p);
}
