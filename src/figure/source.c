// source.c: the source of a kernel, with what each line did beside it. The lines stand as in their file, the file with
// the hottest line first. A bar says how hot a line is. Below a line stands a row for each of its accesses of memory.
// The text is what the store has of a line: a file isn't read.
#include "figure/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef VEC(const RunLine *) Lines;
typedef struct Shown {                // what the rows of a kernel's table have in common
    uint64_t issued, stalls, queued;  // of all lines
    uint64_t most;                    // the heat of the hottest line
    bool passes;                      // some access is of shared memory: there is a column of its passes
} Shown;

static double ratio(uint64_t a, uint64_t b) { return b ? (double)a / (double)b : NAN; }

static void real(Text *out, double value)
{
    char text[32];
    snprintf(text, sizeof text, "%.3g", value);
    html_number(out, text, value);
}

static void place_cell(Text *out, const char *file, uint64_t line)
{
    Text t = {0};
    text_printf(&t, "%s:%llu", base_name(file), (unsigned long long)line);
    html_cell(out, t.v);
    text_free(&t);
}

// Issue slots that the line's instructions took, or that were lost there to memory.
static uint64_t heat(const RunLine *l) { return l->issued + l->stalls + l->queued; }

// The share of the kernel's heat, with a bar; the longest bar is that of the hottest line.
static void heat_cell(Text *out, const RunLine *l, const Shown *of)
{
    const uint64_t all = of->issued + of->stalls + of->queued;
    if (l->what || !all) {
        text_put(out, "<td></td>");
        return;
    }
    text_put(out, "<td class=\"heat\" data-v=\"");
    text_number(out, ratio(heat(l), all));
    text_printf(out, "\"><i style=\"width:%.1f%%\"></i><span>%.1f %%</span></td>", 100 * ratio(heat(l), of->most),
                100 * ratio(heat(l), all));
}

static bool has_passes(const RunLine *l)
{
    return l->what && l->transactions && l->array && !strcmp(l->array, "shared memory");
}

// What onchip run --annotate has beside a line, or of an access. of: all lines.
static void line_numbers(Text *out, const RunLine *l, const Shown *of)
{
    html_count(out, l->issued);
    html_percent(out, l->what ? NAN : ratio(l->stalls, of->stalls));
    html_percent(out, l->what ? NAN : ratio(l->queued, of->queued));
    real(out, ratio(l->lanes, l->issued));
    real(out, l->what && l->sectors ? ratio(l->sectors, l->issued) : NAN);
    if (of->passes) real(out, has_passes(l) ? ratio(l->transactions, l->issued) : NAN);
    html_count(out, l->l1_accesses), html_percent(out, ratio(l->l1_hits, l->l1_accesses));
    text_put(out, "</tr>");
}

static bool same_place(const RunLine *line, const RunLine *access)
{
    uint64_t at = access->at_file ? access->at_line : access->line;
    return line->line == at && !strcmp(line->file, access->at_file ? access->at_file : access->file);
}

static bool has_access(const RunKernel *k, const RunLine *line)
{
    for (size_t n = 0; n < k->lines.n; n++)
        if (k->lines.v[n].what && same_place(line, &k->lines.v[n])) return true;
    return false;
}

// An access in words: what of which array, its sectors or passes, and where it stands if it was inlined.
static void access_cell(Text *out, const RunLine *a)
{
    Text t = {0};
    text_printf(&t, "↳ %s of %s", a->what, a->array ? a->array : "memory");
    if (a->issued && a->sectors)
        text_printf(&t, ": %.3g sectors a request", ratio(a->sectors, a->issued));
    else if (a->issued && has_passes(a))
        text_printf(&t, ": %.3g passes a request", ratio(a->transactions, a->issued));
    if (a->at_file) text_printf(&t, " (%s:%llu)", base_name(a->file), (unsigned long long)a->line);
    html_put(out, "<td>%s</td>", t.v);
    text_free(&t);
}

// A line, and below it a row for each of its accesses. A line that has neither text nor accesses says nothing.
static void line_rows(Text *out, const RunKernel *k, const RunLine *line, const Shown *of)
{
    if (!line->text && !has_access(k, line)) return;
    html_row(out);
    place_cell(out, line->file, line->line);
    heat_cell(out, line, of);
    html_put(out, "<td class=\"code\">%s</td>", line->text ? line->text : "");
    line_numbers(out, line, of);
    for (size_t n = 0; n < k->lines.n; n++) {
        const RunLine *a = &k->lines.v[n];
        if (!a->what || !same_place(line, a)) continue;
        html_row(out);
        place_cell(out, line->file, line->line);
        heat_cell(out, a, of);
        access_cell(out, a);
        line_numbers(out, a, of);
    }
}

static int by_line(const void *a, const void *b)
{
    const RunLine *x = *(const RunLine *const *)a, *y = *(const RunLine *const *)b;
    return x->line < y->line ? -1 : x->line > y->line;
}

// The lines of one file after the other. The store has the hottest line first, and so its file comes first here.
static void in_file_order(const RunKernel *k, Lines *out)
{
    for (size_t n = 0; n < k->lines.n; n++) {
        const RunLine *first = &k->lines.v[n];
        size_t from = out->n;
        bool seen = first->what != NULL;
        for (size_t m = 0; m < out->n && !seen; m++) seen = !strcmp(out->v[m]->file, first->file);
        if (seen) continue;
        for (size_t m = n; m < k->lines.n; m++)
            if (!k->lines.v[m].what && !strcmp(k->lines.v[m].file, first->file)) vec_push(out, &k->lines.v[m]);
        qsort(out->v + from, out->n - from, sizeof *out->v, by_line);
    }
}

void source_table(Report *r, const RunKernel *k, const char *label, const char *id, bool open)
{
    const char *columns[] = {"line",
                             "#issue slots",
                             "source",
                             "#instructions",
                             "#memory stalls",
                             "#LSU stalls",
                             "#lanes",
                             "#sectors a request",
                             "#passes a request",
                             "#L1 accesses",
                             "#L1 hits"};
    size_t width = COUNT(columns), pass = 8;
    Shown of = {.passes = false};
    Lines lines = {0};
    bool lost = false;
    in_file_order(k, &lines);
    for (size_t n = 0; n < lines.n; n++) {
        const RunLine *l = lines.v[n];
        of.issued += l->issued, of.stalls += l->stalls, of.queued += l->queued;
        of.most = MAX(of.most, heat(l));
        lost = lost || (!l->text && has_access(k, l));
    }
    for (size_t n = 0; n < k->lines.n; n++) of.passes |= has_passes(&k->lines.v[n]);
    for (width -= !of.passes; !of.passes && pass < width; pass++) columns[pass] = columns[pass + 1];
    html_put(r->out, "<details%r><summary>Source of %s%s%s</summary>\n<p class=\"note\">", open ? " open=\"open\"" : "",
             k->name, *label ? ", " : "", label);
    text_put(r->out,
             "The bars are issue slots that a line's instructions took, or that were lost there to waiting for "
             "memory or for a place in the load-store unit. Stalls are shares of the kernel's. What was inlined "
             "at a line counts there. Rows with ↳ are a line's accesses of memory.");
    if (lost) text_put(r->out, " The text of some lines couldn't be read when the run was made.");
    text_put(r->out, "</p>\n");
    html_table(r->out, id, "In the order of the file.", columns, width);
    for (size_t n = 0; n < lines.n; n++) line_rows(r->out, k, lines.v[n], &of);
    html_table_end(r->out);
    text_put(r->out, "</details>\n");
    vec_free(&lines);
}
