// page_advise.c: what onchip advise says, as a page: first the best changes and what to write, then what each change
// gains, what time is lost to at most, and what limits the kernels. Numbers are those that cmd_advise.c prints.
#include "cli/advise.h"
#include "figure/figure.h"
#include "names/names.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct Gain {
    const Trial *trial;
    const Remedy *change;
    double times;
} Gain;
typedef VEC(Gain) Gains;

static int by_times(const void *a, const void *b)
{
    const Gain *x = a, *y = b;
    return x->times > y->times ? -1 : x->times < y->times ? 1 : x->trial < y->trial ? -1 : 1;
}

// The best first: what it gains, what to write, and the command that shows it.
static void put_best(Page *p, const Advice *a, const char *command)
{
    const Trial *t = &a->trials.v[a->best];
    Text text = {0};
    if (!a->best) {
        page_answer(p, "No change gains 1 % or more.");
        return;
    }
    for (size_t k = 0; k < t->n; k++) text_printf(&text, "%s%s", k ? "; " : "", a->changes.v[t->change[k]].what);
    text_printf(&text, ": %.2f times as fast.", trial_times(a, t));
    page_answer(p, text.v);
    text.n = 0;
    for (size_t k = 0; k < t->n; k++) text_printf(&text, "%s%s", k ? "\n" : "", a->changes.v[t->change[k]].write);
    page_note(p, "What to write:");
    page_lines(p, text.v);
    page_note(p, "The run with these changes:");
    page_lines(p, command);
    text_free(&text);
}

// Every change that was run: as bars, and as a table.
static bool put_changes(Page *p, const Advice *a)
{
    static const char *const columns[] = {"change", "#times as fast", "#cycles", "since", "write"};
    enum { MOST_SHOWN = 20 };
    Gains all = {0};
    Figure f;
    for (size_t k = 1; k < a->singles; k++) {
        const double times = trial_times(a, &a->trials.v[k]);
        if (times > 0) vec_push(&all, ((Gain){&a->trials.v[k], &a->changes.v[k - 1], times}));
    }
    if (!all.n) {
        vec_free(&all);
        return true;
    }
    qsort(all.v, all.n, sizeof *all.v, by_times);
    page_heading(p, "What each change gains");
    figure_open(&f, FIGURE_BARS, "changes", "What each change gains alone");
    figure_axes(&f, "change", "times as fast as it is", "");
    size_t s = figure_series(&f, "times as fast");
    for (size_t k = 0; k < all.n && k < MOST_SHOWN; k++) figure_text(&f, s, all.v[k].change->what, all.v[k].times);
    figure_note(&f, all.n > MOST_SHOWN ? "1 is the run as it is. Only the best changes are shown."
                                       : "1 is the run as it is.");
    bool ok = page_figure(p, &f);
    page_table(p, "Every change that was run, the best first.", columns, COUNT(columns));
    for (size_t k = 0; k < all.n; k++) {
        Text why = {0};
        explain_trial(a->trials.v[0].run, all.v[k].trial->run, &why);
        page_row(p);
        page_cell(p, all.v[k].change->what);
        page_number(p, "%.2f", all.v[k].times), page_number(p, "%.0f", trial_cycles(all.v[k].trial));
        page_cell(p, why.n ? why.v : ""), page_cell(p, all.v[k].change->write);
        page_row_end(p);
        text_free(&why);
    }
    page_table_end(p);
    vec_free(&all);
    return ok;
}

static void put_losses(Page *p, const Advice *a)
{
    static const char *const columns[] = {"lost to", "#times as fast without it, at most"};
    size_t n = 0;
    for (size_t k = 0; k < a->ideals.n; k++) n += ideal_times(a, &a->ideals.v[k]) >= ADVISE_GAIN;
    if (!n) return;
    page_heading(p, "What time is lost to");
    page_table(p, "Each alone: losses hide each other, and don't add up.", columns, COUNT(columns));
    for (size_t k = 0; k < a->ideals.n; k++) {
        const Ideal *i = &a->ideals.v[k];
        Text text = {0};
        if (ideal_times(a, i) < ADVISE_GAIN) continue;
        text_put(&text, i->what);
        ideal_where(a->trials.v[0].run, i, &text);
        page_row(p);
        page_cell(p, text.v), page_number(p, "%.2f", ideal_times(a, i));
        page_row_end(p);
        text_free(&text);
    }
    page_table_end(p);
}

static void put_notes(Page *p, const Advice *a)
{
    static const char *const columns[] = {"what was found", "what to write"};
    if (!a->notes.n) return;
    page_heading(p, "What no run can try");
    page_table(p, "Nothing says what these gain.", columns, COUNT(columns));
    for (size_t k = 0; k < a->notes.n; k++) {
        page_row(p);
        page_cell(p, a->notes.v[k].what), page_cell(p, a->notes.v[k].write);
        page_row_end(p);
    }
    page_table_end(p);
}

static void put_kernels(Page *p, const StoredRun *run)
{
    static const char *const columns[] = {"kernel", "#of the time", "limited by"};
    page_heading(p, "What limits the kernels");
    page_table(p, "Of the run as it is.", columns, COUNT(columns));
    for (size_t k = 0; k < run->kernels.n; k++) {
        const RunKernel *one = &run->kernels.v[k];
        if (one->functional) continue;
        char *full = name_shown(one->name), *name = name_shorten(full, 80);
        page_row(p);
        page_cell(p, name);
        page_number(p, "%.1f %%", run->cycles ? 100.0 * (double)one->count[C_CYCLES] / (double)run->cycles : NAN);
        page_cell(p, one->limits ? one->limits : "–");
        page_row_end(p);
        mem_free(full), mem_free(name);
    }
    page_table_end(p);
}

bool advice_page(const Advice *a, const char *command, const char *file, Diag *diag)
{
    const StoredRun *run = a->trials.v[0].run;
    Text title = {0}, note = {0}, html = {0};
    text_printf(&title, "%s: what to change", base_name(run->program));
    text_printf(&note, "%s%son %s: %.0f cycles as it is. Each change was run.", run->params, *run->params ? ", " : "",
                base_name(run->gpu), trial_cycles(&a->trials.v[0]));
    if (a->left)
        text_printf(&note, " %zu of %zu runs weren't made, as the time was up; the same command goes on.", a->left,
                    a->trials.n);
    Page *p = page_open(title.v, note.v, true, diag);
    put_best(p, a, command);
    bool ok = put_changes(p, a);
    put_losses(p, a);
    put_notes(p, a);
    put_kernels(p, run);
    page_close(p, &html);
    ok = ok && write_out(&html, file, diag);
    text_free(&title), text_free(&note), text_free(&html);
    return ok;
}
