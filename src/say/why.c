// why.c: why a kernel's loads missed in the L1 (sm/why.c), in words. A sentence for each data
// structure says what kind of L1 would serve more of its loads, and how many: all these numbers are counted.
#include "say/say.h"

static const char *const shadows[WHY_SHADOWS] = {  // %s: a size
    [WHY_FULL] = "a fully associative one",
    [WHY_TWICE] = "one of %s",
    [WHY_FOUR] = "one of %s",
    [WHY_HASHED] = "one with hashed sets",
    [WHY_ALONE] = "one without the other structures' loads"};

static double part(double of, uint64_t all) { return all ? 100 * of / (double)all : 0; }

static void add_percent(Table *t, double of, uint64_t all)
{
    char text[32] = "-";
    if (all) snprintf(text, sizeof text, "%.1f %%", part(of, all));
    table_add(t, text);
}

static void classes_text(const LaunchSum *sum, FILE *out)
{
    static const char *const heads[] = {"loads that miss", "loads",    "served", "first touch",
                                        "capacity",        "conflict", "dropped"};
    Table t = {.columns = COUNT(heads), .indent = 2};
    size_t rows = 0;
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < sum->structures.n; k++) {
        const WhyStat *w = &sum->structures.v[k].why;
        char reads[32];
        if (!w->reads) continue;
        format_count(reads, (double)w->reads);
        table_add(&t, sum->structures.v[k].name), table_add(&t, reads);
        add_percent(&t, (double)w->served, w->reads);
        for (int c = 0; c < WHY_CLASSES; c++) add_percent(&t, why_missed(w, (WhyClass)c), w->reads);
        rows++;
    }
    if (rows) table_print(&t, out);
    table_free(&t);
}

// Who pushed its lines out, the one that did most of it first.
static void evicted_text(const LaunchSum *sum, const SumStructure *s, Text *out)
{
    enum { SHOWN = 3 };
    uint64_t all = 0, before = UINT64_MAX;
    for (size_t k = 0; k < s->evicted.n; k++) all += s->evicted.v[k];
    for (int n = 0; n < SHOWN && all; n++) {
        size_t most = SIZE_MAX;
        for (size_t k = 0; k < s->evicted.n; k++)
            if (s->evicted.v[k] < before && (most == SIZE_MAX || s->evicted.v[k] > s->evicted.v[most])) most = k;
        if (most == SIZE_MAX || 50 * s->evicted.v[most] < all) break;  // less than 2 %
        before = s->evicted.v[most];
        bool own = &sum->structures.v[most] == s;
        text_printf(out, "%s%s %.0f %%", n ? ", " : "its lines are pushed out by ",
                    own ? "itself" : sum->structures.v[most].name, part((double)before, all));
    }
}

static void put_shadow(const LaunchSum *sum, WhyShadow k, Text *out)
{
    char size[32];
    format_bytes(size, (double)sum->why.l1 * (k == WHY_FOUR ? 4 : 2));
    text_printf(out, shadows[k], size);
}

// What another L1 would serve, where that is 1 % of the loads more or above; the best first, and of equal ones what is
// easier to get.
static bool others_text(const LaunchSum *sum, const WhyStat *w, Text *out)
{
    static const WhyShadow order[WHY_SHADOWS] = {WHY_ALONE, WHY_HASHED, WHY_TWICE, WHY_FULL, WHY_FOUR};
    const uint64_t least = w->served + MAX(w->reads / 100, 1u);
    uint32_t told = 0;
    for (int n = 0; n < WHY_SHADOWS; n++) {
        int best = -1;
        for (int k = 0; k < WHY_SHADOWS; k++) {
            uint64_t serves = sum->why.can[order[k]] ? w->shadow[order[k]] : 0;
            if (!(told >> k & 1) && serves >= least && (best < 0 || serves > w->shadow[order[best]])) best = k;
        }
        if (best < 0) break;
        text_put(out, told ? ", " : "");
        put_shadow(sum, order[best], out);
        text_printf(out, " %.1f %%", part((double)w->shadow[order[best]], w->reads));
        told |= 1u << best;
    }
    return told;
}

static void sentence(const LaunchSum *sum, const SumStructure *s, FILE *out)
{
    const WhyStat *w = &s->why;
    Text t = {0}, others = {0}, by = {0};
    double first = why_missed(w, WHY_FIRST);
    char size[32];
    format_bytes(size, (double)sum->why.l1);
    evicted_text(sum, s, &by);
    if (others_text(sum, w, &others))
        text_printf(&t, "the L1 of %s serves %.1f %% of its loads; %s", size, part((double)w->served, w->reads),
                    others.v);
    else if (first >= 0.5 * (double)(w->reads - w->served))
        text_put(&t, "no other L1 would serve more: most of what misses is loaded for the first time");
    else
        text_printf(&t, "no other L1 would serve 1 %% of its loads more, up to four times the size");
    if (by.n) text_printf(&t, "; %s", by.v);
    put_row(out, s->name, 12, BREAK_WORDS, t.v);
    text_free(&t), text_free(&others), text_free(&by);
}

void why_say(const LaunchSum *sum, FILE *out)
{
    classes_text(sum, out);
    for (size_t k = 0; k < sum->structures.n; k++) {
        const SumStructure *s = &sum->structures.v[k];
        if (s->why.reads > s->why.served) sentence(sum, s, out);
    }
    if (sum->why.lines > 1)
        put_row(out, "  sampled", 12, BREAK_WORDS,
                "of the lines that an SM loads, too many to be watched, a part tells first touch from capacity");
}
