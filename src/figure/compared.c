// compared.c: the page of a comparison: two versions side by side. Each table has a column for the old version, one for
// the new, and the share of the old value that it changed by; rows come in the order of their differences.
#include "figure/page.h"

#include "compare/compare.h"

#include <math.h>

static void put_real(Text *out, const char *format, double value)
{
    Text t = {0};
    text_printf(&t, format, value);
    html_number(out, t.v, value);
    text_free(&t);
}

static void put_change(Text *out, double a, double b)
{
    double share = change_share((double[]){a, b});
    Text t = {0};
    if (share == 0)
        text_put(&t, "no change");
    else
        text_printf(&t, "%+.1f %%", 100 * share);
    html_number(out, t.v, share);
    text_free(&t);
}

static void put_counts(Text *out, const uint64_t *a, const uint64_t *b)
{
    a ? html_count(out, *a) : html_number(out, "", NAN);
    b ? html_count(out, *b) : html_number(out, "", NAN);
    put_change(out, a ? (double)*a : 0, b ? (double)*b : 0);
}

static void put_times(Text *out, const double time[2])
{
    for (int s = 0; s < 2; s++) put_real(out, "%.6g", 1e6 * time[s]);
    put_change(out, time[0], time[1]);
}

static const char *name_of(const KernelPair *p) { return (p->of[1] ? p->of[1] : p->of[0])->shown; }

// --- the whole -------------------------------------------------------------------------------------------------------
static void head(Text *out, const Changes *c)
{
    static const char *const sides[] = {"old", "new"};
    html_put(out, "<header>\n<h1>onchip compare</h1>\n<dl>\n");
    for (int s = 0; s < 2; s++)
        html_put(out, "<dt>%s</dt><dd>%s: %s</dd>\n", sides[s], c->of[s]->input, c->of[s]->about);
    html_put(out,
             "</dl>\n<p class=\"note\">Percents are of the old value. The sign is a stopwatch's: + is slower.</p>\n"
             "</header>\n");
}

static void lacking(Text *out, const Changes *c)
{
    enum { MOST_NAMES = 8 };
    Text names = {0};
    const size_t n = changes_lacking(c, MOST_NAMES, &names);
    if (n) {
        text_printf(out, "<p>%zu counter%s that a version's file lacks %s compared: ", n, n == 1 ? "" : "s",
                    n == 1 ? "isn't" : "aren't");
        html_put(out, "%s%s</p>\n", names.v, n > MOST_NAMES ? ", …" : "");
    }
    text_free(&names);
}

static void judged(Text *out, const Gate *g, const GateFailures *failures)
{
    if (!g->limits.n) return;
    html_put(out, "<section id=\"limits\">\n<h2>Limits</h2>\n");
    if (!failures->n) html_put(out, "<p>Nothing is above what --fail-above allows.</p>\n");
    for (size_t k = 0; k < failures->n; k++) {
        const GateFailure *f = &failures->v[k];
        Text t = {0};
        text_printf(&t, "%+.1f %%, and %+g %% is allowed", 100 * change_share(f->value), f->limit->percent);
        html_put(out, "<p><span class=\"bad\">failed</span> %s: %s %s</p>\n",
                 f->pair ? name_of(f->pair) : "all kernels", f->limit->metric, t.v);
        text_free(&t);
    }
    html_put(out, "</section>\n");
}

static void times_row(Text *out, const Changes *c, const KernelPair *p)
{
    double time[2], cycles[2];
    change_values(c, p, "time", time), change_values(c, p, counter_info[C_CYCLES].name, cycles);
    html_row(out);
    html_cell(out, p ? name_of(p) : "all kernels");
    put_times(out, time);
    for (int s = 0; s < 2; s++) put_real(out, "%.0f", cycles[s]);
    put_change(out, cycles[0], cycles[1]);
    text_put(out, "</tr>");
}

static void times_table(Text *out, const Changes *c)
{
    static const char *const columns[] = {"kernel",      "#old µs",     "#new µs", "#time",
                                          "#old cycles", "#new cycles", "#cycles"};
    html_put(out, "<section id=\"times\">\n<h2>Time</h2>\n");
    html_table(out, "table-times", "Time and cycles, the largest difference first.", columns, COUNT(columns));
    times_row(out, c, NULL);
    for (size_t k = 0; k < c->pairs.n; k++)
        if ((c->pairs.v[k].of[0] ? c->pairs.v[k].of[0] : c->pairs.v[k].of[1])->timed) times_row(out, c, &c->pairs.v[k]);
    html_table_end(out);
    html_put(out, "</section>\n");
}

// --- a kernel --------------------------------------------------------------------------------------------------------
static void limits_table(Text *out, const KernelPair *p)
{
    static const char *const sides[] = {"old", "new"};
    if (!p->of[0]->limited && !p->of[1]->limited) return;
    html_put(out, "<p>%s</p>\n<dl>\n", p->limits ? "What limits it has changed." : "The same limits it.");
    for (int s = 0; s < 2; s++)
        html_put(out, "<dt>%s</dt><dd>%s</dd>\n", sides[s], p->of[s]->limited ? p->of[s]->limited : "not known");
    html_put(out, "</dl>\n");
}

static void arrays_table(Text *out, const char *id, const KernelPair *p)
{
    static const char *const columns[] = {"array",          "#old DRAM bytes", "#new DRAM bytes", "#DRAM bytes",
                                          "#old L1 misses", "#new L1 misses",  "#L1 misses",      "#old sectors",
                                          "#new sectors",   "#sectors"};
    if (!p->arrays.n) return;
    html_table(out, id, "Arrays whose traffic or misses differ. Sectors are of 32 bytes, as the kernel asks for them.",
               columns, COUNT(columns));
    for (size_t k = 0; k < p->arrays.n; k++) {
        const VersionArray *a = p->arrays.v[k].of[0], *b = p->arrays.v[k].of[1];
        const uint64_t misses[2] = {a ? version_misses(a) : 0, b ? version_misses(b) : 0};
        html_row(out);
        html_cell(out, (a ? a : b)->name);
        put_counts(out, a ? &a->dram_bytes : NULL, b ? &b->dram_bytes : NULL);
        put_counts(out, a ? &misses[0] : NULL, b ? &misses[1] : NULL);
        put_counts(out, a ? &a->sectors : NULL, b ? &b->sectors : NULL);
        text_put(out, "</tr>");
    }
    html_table_end(out);
}

static void put_place(Text *out, const VersionLine *l)
{
    char text[32];
    snprintf(text, sizeof text, "%llu", l ? (unsigned long long)l->line : 0);
    html_number(out, text, l ? (double)l->line : NAN);
}

static void lines_table(Text *out, const char *id, const KernelPair *p)
{
    static const char *const columns[] = {
        "file", "#old line", "#new line", "text", "#old instructions", "#new instructions", "#instructions"};
    if (!p->lines.n) return;
    html_table(out, id, "Source lines that issued another number of instructions.", columns, COUNT(columns));
    for (size_t k = 0; k < p->lines.n; k++) {
        const VersionLine *a = p->lines.v[k].of[0], *b = p->lines.v[k].of[1], *any = b ? b : a;
        html_row(out);
        html_cell(out, base_name(any->file));
        put_place(out, a), put_place(out, b);
        html_cell(out, any->text ? any->text : "");
        put_counts(out, a ? &a->issued : NULL, b ? &b->issued : NULL);
        text_put(out, "</tr>");
    }
    html_table_end(out);
}

static void counters_table(Text *out, const char *id, const KernelPair *p)
{
    static const char *const columns[] = {"counter", "#old", "#new", "#change", "unit"};
    const uint64_t *a = p->of[0]->count, *b = p->of[1]->count;
    html_put(out, "<details><summary>Every counter that differs</summary>\n");
    html_table(out, id, "Counters.", columns, COUNT(columns));
    for (int k = 0; k < C_COUNT; k++) {
        if (!pair_differs(p, k)) continue;
        html_row(out);
        html_cell(out, counter_info[k].name);
        put_counts(out, &a[k], &b[k]);
        html_cell(out, counter_info[k].unit);
        text_put(out, "</tr>");
    }
    html_table_end(out);
    html_put(out, "</details>\n");
}

static void kernel(Text *out, const KernelPair *p, size_t number)
{
    static const char *const ways[] = {[MATCH_PLAIN] = "base name", [MATCH_PLACE] = "place"};
    char id[3][64];
    static const char *const tables[] = {"arrays", "lines", "counters"};
    for (size_t k = 0; k < COUNT(tables); k++) snprintf(id[k], sizeof id[k], "table-%zu-%s", number, tables[k]);
    html_put(out, "<section>\n<h2>%s</h2>\n", name_of(p));
    if (!p->of[0] || !p->of[1]) {
        html_put(out, "<p>Only the %s version has it.</p>\n</section>\n", p->of[0] ? "old" : "new");
        return;
    }
    if (p->match != MATCH_NAME)
        html_put(out, "<p>In the old version it was %s; it is matched by its %s.</p>\n", p->of[0]->shown,
                 ways[p->match]);
    limits_table(out, p);
    arrays_table(out, id[0], p), lines_table(out, id[1], p), counters_table(out, id[2], p);
    html_put(out, "</section>\n");
}

void compare_page(const Changes *c, const Gate *g, const GateFailures *failures, Text *html)
{
    Text same = {0};
    html_open(html, "onchip compare");
    head(html, c), lacking(html, c);
    judged(html, g, failures);
    times_table(html, c);
    for (size_t k = 0; k < c->pairs.n; k++) {
        if (c->pairs.v[k].differs)
            kernel(html, &c->pairs.v[k], k);
        else
            text_printf(&same, "%s%s", same.n ? ", " : "", name_of(&c->pairs.v[k]));
    }
    if (same.n) html_put(html, "<section>\n<h2>No change</h2>\n<p>%s</p>\n</section>\n", same.v);
    text_free(&same);
    html_close(html);
}
