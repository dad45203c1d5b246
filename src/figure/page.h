// page.h: what the files of a report share: HTML, settings that differ between runs, charts.
#ifndef FIGURE_PAGE_H
#define FIGURE_PAGE_H

#include "figure/figure.h"

// --- html.c: a page --------------------------------------------------------------------------------------------------
typedef struct PageFile {
    const char *name, *text;  // "style"
    size_t size;
} PageFile;
extern const PageFile page_files[];  // page/*, generated
extern const size_t page_file_count;
// Adds format, in which each %s stands for a text that is escaped and %r for one that is HTML already; nothing else is
// special. The page is well-formed XML too.
void html_put(Text *out, const char *format, ...);
void html_open(Text *out, const char *title);
void html_close(Text *out);
// A table in a box of its own that scrolls sideways, with buttons for those who have scripts. Columns whose names begin
// with # have numbers. A cell's value is what is sorted and copied; null: the text.
void html_table(Text *out, const char *id, const char *caption, const char *const *columns, size_t count);
void html_row(Text *out);
void html_cell(Text *out, const char *text);
void html_number(Text *out, const char *text, double value);
void html_count(Text *out, uint64_t value);
void html_table_end(Text *out);

// --- plot.c: a figure in a page --------------------------------------------------------------------------------------
// The SVG as part of a page: without a size of its own, its names made unique by the figure's, its colours turned into
// the page's: --ink, --rule, --paper and --s0, --s1, ….
void figure_inline(const Figure *f, const char *svg, Text *out);
void figure_palette(Text *out);  // those of the light page: "--s0:#4477aa;…"

// --- swept.c: what differs between runs ------------------------------------------------------------------------------
// A setting that has several values in a group of runs. Settings that only change together are one ("nx, ny").
typedef struct Swept {
    const char *name;
    VEC(const char *) values;  // in order: the one left as described, numbers, texts as they were given
    VEC(double) numbers;       // of each value, NAN: none
    uint32_t base;             // the value that others are compared with
    bool numeric;              // all but the one left as described are numbers
} Swept;
typedef struct RunGroup {
    Arena arena;
    VEC(const StoredRun *) runs;  // in the order of their values, first setting first
    VEC(Swept) swept;
    VEC(uint32_t) at;  // of each run, for each swept setting: the place of its value
    size_t base;       // the run that others are compared with: it has the most base values
    bool clocks;       // the runs' clocks differ, so that only times compare, not cycles
} RunGroup;
// Groups the runs that are done. params: their parameters count as settings. baseline, "l1.size=16KiB,…", may be null:
// base values. Where it names none, that is the description's own value of a key; else, the first that was given.
void group_open(RunGroup *g, const StoredRun *const *runs, size_t count, bool params, const char *baseline);
void group_free(RunGroup *g);
uint32_t group_at(const RunGroup *g, size_t run, size_t swept);
size_t group_bases(const RunGroup *g, size_t run);  // of how many swept settings the run has the base value
// The values of a run's swept settings, without that of the one to leave out (or SIZE_MAX): "8KiB, gto".
const char *group_label(RunGroup *g, size_t run, size_t except);
const char *group_names(RunGroup *g, size_t except);  // of the settings, likewise: "l1.size, sched.policy"
// Whether the run's settings, those two apart (or SIZE_MAX), have the values of the run base.
bool group_near(const RunGroup *g, size_t run, size_t base, size_t except, size_t also);
bool group_varies(const RunGroup *g, const char *name);  // whether the setting is one of the swept

// --- charts.c: figures of a report -----------------------------------------------------------------------------------
typedef struct Report {  // as it is written
    const ReportOptions *options;
    Text *out;
    Diag *diag;
    Map names;  // of figures
    uint64_t figures;
} Report;
// Figures over all programs, and over the runs of one. False when one couldn't be drawn.
bool charts_overview(Report *r, const StoredRun *const *runs, size_t count);
bool charts_program(Report *r, RunGroup *g);

#endif
