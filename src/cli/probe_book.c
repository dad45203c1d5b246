// probe_book.c: what the four steps of Mei et al., §3.2, give (onchip probe --by-the-book), beside what the search
// found of the same cache, and what a simulated GPU's description has. Each step that saw or met something that it
// supposes not to be says so.
#include "cli/unit.h"
#include "gpu/gpu.h"
#include "mem/replacement.h"
#include "probe/probe.h"

static const char *const steps[BOOK_STEPS] = {"step 1 (C)", "step 2 (b)", "step 3 (a)", "step 4 (policy)"};

static const char *name_of(int k) { return k < CACHES ? part_info[k].name : k == CACHES ? "l1_tlb" : "l2_tlb"; }
static const Found *found_of(const Probe *p, int k) { return k < CACHES ? &p->cache[k] : &p->tlbs.level[k - CACHES]; }

// --- text ------------------------------------------------------------------------------------------------------------
static void add(Table *t, const Value *v, bool bytes)
{
    char text[32] = "?";
    if (v->verdict == MEASURED && bytes) format_bytes(text, v->value);
    if (v->verdict == MEASURED && !bytes) snprintf(text, sizeof text, "%.0f", v->value);
    table_add(t, text);
}

static void add_search(Table *t, const Found *f)
{
    Text ways = {0};
    table_add(t, ""), table_add(t, "search");
    add(t, &f->size, true), add(t, &f->line, true), add(t, &f->sets, false);
    const Shape *s = &f->shape;
    uint32_t least = UINT32_MAX, most = 0;
    for (uint32_t k = 0; f->index.verdict == MEASURED && k < s->sets; k++)
        least = MIN(least, s->ways[k]), most = MAX(most, s->ways[k]);
    text_printf(&ways, most > least ? "%u to %u" : most ? "%u" : "?", least, most);
    table_add(t, ways.v);
    table_add(t, f->rule.verdict == MEASURED ? rule_name(s->rule) : "?");
    text_free(&ways);
}

// What a description has. Equal sets: one number of ways.
static void add_described(Table *t, uint64_t size, uint64_t line, uint32_t sets, uint32_t least, uint32_t most,
                          uint32_t policy)
{
    char text[32];
    table_add(t, ""), table_add(t, "description");
    add(t, &(Value){.verdict = MEASURED, .value = (double)size}, true);
    add(t, &(Value){.verdict = MEASURED, .value = (double)line}, true);
    add(t, &(Value){.verdict = MEASURED, .value = sets}, false);
    snprintf(text, sizeof text, most > least ? "%u to %u" : "%u", least, most);
    table_add(t, text), table_add(t, replacements[policy].name);
}

static void put_described(Table *t, const Gpu *g, int k)
{
    const CacheCfg *const of[CACHES] = {[PART_L1] = &g->sm.l1,
                                        [PART_READONLY] = &g->sm.ro,
                                        [PART_TEXTURE] = &g->sm.ro,
                                        [PART_CONST] = &g->sm.cst,
                                        [PART_LOCAL] = &g->sm.l1};
    const CacheCfg *c = k < CACHES ? of[k] : NULL;
    const TlbCfg *tlb = k == CACHES ? &g->sm.tlb : &g->tlb2;
    if (c && !c->size) c = &g->sm.l1;  // which serves such loads, too
    // The L1's size is chosen for each launch.
    if (c == &g->sm.l1 && g->sm.storage != STORAGE_PARTITIONED) return;
    const uint32_t count = c ? c->set_count : tlb->set_count, *sets = c ? c->sets : tlb->sets,
                   ways = c ? c->ways : tlb->ways;
    const uint64_t line = c ? c->line : tlb->page, size = c ? c->size : tlb->entries * tlb->page;
    uint32_t least = count ? UINT32_MAX : ways, most = count ? 0 : ways;
    for (uint32_t s = 0; s < count; s++) least = MIN(least, sets[s]), most = MAX(most, sets[s]);
    if (!size || (!count && !ways)) return;
    add_described(t, size, line, count ? count : (uint32_t)(size / line / ways), least, most,
                  c ? c->replacement : tlb->replacement);
}

static void put_line(Text *out, const char *text) { text_printf(out, "%s%s", out->n ? "\n" : "", text); }

static void put_steps(Text *out, const Book *b)
{
    for (int k = 0; k < BOOK_STEPS; k++) {
        const bool open = b->step[k].verdict != MEASURED;
        if (!open && !b->odd[k] && !b->cause[k]) continue;
        put_line(out, steps[k]), text_put(out, ": ");
        if (open) text_put(out, b->step[k].why);
        if (b->odd[k]) text_printf(out, "%s%s", open ? "; " : "", b->odd[k]);
        if (b->odd[k] && k == BOOK_LINE)
            text_printf(out, ": %llu loads miss at C + 1, and %llu more at C + b + 1", (unsigned long long)b->first,
                        (unsigned long long)b->more);
        if (b->odd[k] && k == BOOK_SETS) {
            text_put(out, " (lines that miss:");
            for (size_t q = 1; q < b->points.n && q < 6; q++)
                text_printf(out, "%s %llu", q > 1 ? "," : "", (unsigned long long)b->points.v[q].missed);
            text_put(out, b->points.n > 6 ? ", …)" : ")");
        }
        if (b->cause[k]) text_printf(out, "%s%s", open || b->odd[k] ? ". The search: " : "", b->cause[k]);
    }
}

static void put_averages(Text *out, const Book *b)
{
    char line[32];
    const Value *const of[] = {&b->saavedra, &b->wong};
    put_line(out, "a line by averages: ");
    for (int k = 0; k < 2; k++) {
        if (of[k]->verdict == MEASURED) format_bytes(line, of[k]->value);
        text_printf(out, "%s%s over %s", k ? ", " : "", of[k]->verdict == MEASURED ? line : "?",
                    k ? "sizes" : "strides");
    }
}

void probe_book_text(const Probe *p, const Gpu *gpu, FILE *out)
{
    static const char *const names[] = {"by the book", "", "C", "b", "a (sets)", "ways", "policy"};
    Table t = {.columns = COUNT(names), .whole = 2};
    bool any = false;
    for (size_t k = 0; k < COUNT(names); k++) table_add(&t, names[k]);
    for (int k = 0; k < BOOKS; k++) {
        const Book *b = &p->book[k];
        Text notes = {0};
        if (!b->done) continue;
        any = true;
        table_add(&t, name_of(k)), table_add(&t, "steps");
        add(&t, &b->step[BOOK_SIZE], true), add(&t, &b->step[BOOK_LINE], true), add(&t, &b->step[BOOK_SETS], false);
        add(&t, &b->ways, false);
        table_add(&t, b->step[BOOK_POLICY].verdict != MEASURED ? "?" : b->step[BOOK_POLICY].value ? "lru" : "not lru");
        add_search(&t, found_of(p, k));
        if (gpu) put_described(&t, gpu, k);
        put_steps(&notes, b);
        for (int w = 0; w < 32 && b->weight[w].verdict == MEASURED; w++)
            text_printf(&notes, "%s %.3f", w ? "," : "\na way is replaced with probability", b->weight[w].value);
        if (b->step[BOOK_SETS].verdict == MEASURED) put_averages(&notes, b);
        if (notes.n) table_note(&t, notes.v);
        text_free(&notes);
    }
    if (any) fputc('\n', out), table_print(&t, out);
    if (any && p->part[PART_L2].state == PART_DONE)
        put_wrapped(out, 0, 2, BREAK_WORDS,
                    "l2: the steps aren't gone; its array's latencies don't fit into shared memory (mei §5)");
    table_free(&t);
}

// --- JSON ------------------------------------------------------------------------------------------------------------
static void put_arrays(Json *j, const Book *b)
{
    json_open(j, "weights", '[');
    for (int w = 0; w < 32 && b->weight[w].verdict == MEASURED; w++) probe_json_value(j, NULL, &b->weight[w]);
    json_close(j, ']');
    json_open(j, "points", '[');
    for (size_t k = 0; k < b->points.n; k++) {
        json_open(j, NULL, '{');
        json_uint(j, "array_bytes", b->points.v[k].bytes);
        json_uint(j, "missed_lines", b->points.v[k].missed);
        json_double(j, "mean_cycles", b->points.v[k].mean);
        json_close(j, '}');
    }
    json_close(j, ']');
    json_open(j, "stride_mean_cycles", '[');
    for (uint32_t k = 0; k < b->strides; k++) json_double(j, NULL, b->stride_mean[k]);
    json_close(j, ']');
}

void probe_book_json(const Probe *p, Json *j)
{
    static const char *const keys[BOOK_STEPS] = {"size_bytes", "line_bytes", "sets", "lru"};
    json_open(j, "by_the_book", '[');
    for (int k = 0; k < BOOKS; k++) {
        const Book *b = &p->book[k];
        if (!b->done) continue;
        json_open(j, NULL, '{');
        json_string(j, "name", name_of(k));
        for (int q = 0; q < BOOK_STEPS; q++) probe_json_value(j, keys[q], &b->step[q]);
        probe_json_value(j, "ways", &b->ways);
        json_open(j, "doubts", '[');
        for (int q = 0; q < BOOK_STEPS; q++) {
            if (!b->odd[q] && !b->cause[q]) continue;
            json_open(j, NULL, '{');
            json_int(j, "step", q + 1);
            if (b->odd[q]) json_string(j, "seen", b->odd[q]);
            if (b->cause[q]) json_string(j, "search", b->cause[q]);
            json_close(j, '}');
        }
        json_close(j, ']');
        probe_json_value(j, "line_by_strides", &b->saavedra);
        probe_json_value(j, "line_by_sizes", &b->wong);
        probe_json_value(j, "sets_by_sizes", &b->wong_sets);
        put_arrays(j, b);
        json_close(j, '}');
    }
    json_close(j, ']');
}
