// say.h: launches in words and tables, for the program's reports and for oc_launch_words; and what such texts are made
// with: rows, tables, a terminal's colours.
#ifndef SAY_SAY_H
#define SAY_SAY_H

#include "device/device.h"

// --- columns.c: text in columns, no line wider than COLUMNS characters -----------------------------------------------
enum { COLUMNS = 80 };
typedef enum Break { BREAK_WORDS, BREAK_ITEMS } Break;  // lines may be broken at blanks, or at blanks behind commas
size_t page_width(FILE *out);                           // of a terminal; of anything else SIZE_MAX: it gets texts whole
size_t report_width(FILE *out);                         // of a terminal; of anything else COLUMNS
// Ends the line whose cursor stands at column with text; further lines begin at indent. A line break in text stays one.
void put_wrapped(FILE *out, size_t column, size_t indent, Break at, const char *text);
// A row of two columns: `left`, and `text` from column `indent` on; in the next line if `left` reaches into it.
void put_row(FILE *out, const char *left, size_t indent, Break at, const char *text);
// A row whose left text is a head, bold on a terminal.
void put_head(FILE *out, const char *left, size_t indent, Break at, const char *text);

// --- colour.c --------------------------------------------------------------------------------------------------------
typedef enum Paint { PAINT_END, PAINT_ERROR, PAINT_HEAD } Paint;
const char *paint(FILE *out, Paint p);  // what begins or ends a colour there; "" where there is to be none

// --- table.c: a table of any number of columns -----------------------------------------------------------------------
typedef struct Table {
    size_t columns;
    size_t indent;      // blanks before each row
    size_t width;       // of a row, at most; 0: report_width; SIZE_MAX: nothing is shortened
    size_t whole;       // so many columns in front are never shortened
    VEC(char *) cells;  // row after row, the heads first; released with table_free
    VEC(char *) notes;  // printed below a row, indented; null: none
} Table;
void table_add(Table *t, const char *text);
void table_note(Table *t, const char *text);  // below the row of the last cell
// Numbers stand on the right. The longest texts are shortened until a row fits, if it can; no two become the same.
void table_print(Table *t, FILE *out);
size_t table_least(const Table *t);  // the width below which it can't be shortened
void table_free(Table *t);

// --- limits.c: what limits a kernel ----------------------------------------------------------------------------------
void limits_say(const LaunchSum *sum, const Gpu *g, Text *out);
void peaks_say(const uint64_t *count, const Gpu *g, Text *out);  // the share of its peak that each unit reached

// --- units.c: how busy each of an SM's units was ---------------------------------------------------------------------
typedef enum Flops { FLOPS_F16, FLOPS_F32, FLOPS_F64, FLOPS_TENSOR, FLOPS } Flops;
typedef struct Units {
    double share[CLASS_COUNT];         // of the kernel's time, over all SMs, by Class; of those that compute
    double flops[FLOPS], peak[FLOPS];  // operations a second; peak 0: unknown
} Units;
void units_find(const LaunchSum *sum, const Gpu *g, Units *out);
const char *unit_name(int class);           // null: it isn't one that computes
const char *flops_name(int kind);           // of a Flops; null: there is none
void units_say(const Units *u, Text *out);  // "FMA 43.1 %, ALU 20.0 %", the busiest first
void flops_say(const Units *u, Text *out);  // "f32 12.3 of 29.77 TFLOP/s (41.3 %)"

// A share of an SM's units by Nsight Compute's name, in percent; false: it is none. sum null: only whether it is.
bool unit_metric(const char *name, const LaunchSum *sum, const Gpu *g, double *percent);
size_t unit_metrics(const char **names, size_t most);  // their names; returns how many there are

// --- waits.c: waits for copies ---------------------------------------------------------------------------------------
void waits_say(const LaunchSum *sum, Text *out);  // "at mbarriers 30.1 %", of the issue slots; nothing: there were none

// --- why.c, annotate.c, chart.c: a launch's longer texts, of lines ---------------------------------------------------
void why_say(const LaunchSum *sum, FILE *out);                   // why loads missed in the L1
void annotate_say(const LaunchSum *sum, FILE *out);              // the source with its counters
void chart_say(const uint64_t *count, const Gpu *g, FILE *out);  // the memory chart and the roofline

#endif
