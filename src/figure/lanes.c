// lanes.c: a picture of where a warp's lanes access memory. Each access has the 32 lanes in a row, and below them the
// lines that they touch, a row each: its words, with the number of the lane that touches each, and its sectors. Rows of
// shared memory have a column for each bank.
#include "figure/page.h"

#include <string.h>

enum { LEFT = 74, CELL = 9, ROW = 11, MOST_ROWS = 32, LANE_COUNT = 32, WORD = 4, MOST_CELLS = 32 };

// The lines that an access touches, by address.
typedef struct Touched {
    uint64_t row[2 * LANE_COUNT];  // numbers of lines
    uint32_t set[2 * LANE_COUNT];
    size_t n, units;  // lines; sectors of them
} Touched;

static bool takes_part(const LaneAccess *a, int lane) { return a->mask >> lane & 1; }

static void touch(Touched *t, uint64_t row, uint32_t set)
{
    size_t k = 0;
    while (k < t->n && t->row[k] < row) k++;
    if (k < t->n && t->row[k] == row) return;
    if (t->n == COUNT(t->row)) return;
    memmove(&t->row[k + 1], &t->row[k], sizeof *t->row * (t->n - k));
    memmove(&t->set[k + 1], &t->set[k], sizeof *t->set * (t->n - k));
    t->row[k] = row, t->set[k] = set, t->n++;
}

// Does some lane access bytes [at, at + bytes)? Returns the first such lane, or −1.
static int toucher(const LaneAccess *a, uint64_t at, uint32_t bytes)
{
    for (int n = 0; n < LANE_COUNT; n++)
        if (takes_part(a, n) && a->addr[n] < at + bytes && at < a->addr[n] + a->bytes) return n;
    return -1;
}

static void find_rows(const LaneAccess *a, Touched *t)
{
    *t = (Touched){0};
    for (int n = 0; n < LANE_COUNT; n++) {
        if (!takes_part(a, n)) continue;
        touch(t, a->addr[n] / a->row, a->set[n]);
        touch(t, (a->addr[n] + a->bytes - 1) / a->row, a->set[n]);
    }
    for (size_t k = 0; k < t->n; k++)
        for (uint32_t u = 0; u < a->row / a->unit; u++)
            t->units += toucher(a, t->row[k] * a->row + u * (uint64_t)a->unit, a->unit) >= 0;
}

static void put_cell(Text *out, double x, double y, int lane)
{
    text_printf(out, "<rect x=\"%.0f\" y=\"%.0f\" width=\"%d\" height=\"%d\" fill=\"hsl(%d 65%% 72%%)\"/>", x, y, CELL,
                CELL, lane * 11);
    text_printf(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"6\" text-anchor=\"middle\" fill=\"#111\">%d</text>\n",
                x + CELL / 2.0, y + 6.8, lane);
}

// The borders of a row's cells.
static void put_grid(Text *out, double y, uint32_t cells)
{
    text_printf(out, "<path fill=\"none\" stroke=\"var(--rule)\" stroke-width=\"0.4\" d=\"M%d %.0fh%uv%dH%dz", LEFT, y,
                cells * CELL, CELL, LEFT);
    for (uint32_t c = 1; c < cells; c++) text_printf(out, "M%u %.0fv%d", LEFT + c * CELL, y, CELL);
    text_put(out, "\"/>\n");
}

// A cell is a word, or more where a line has more than 32 words: where each bank gives 8 bytes, it is a bank.
static void put_row(const LaneAccess *a, const Touched *t, size_t k, double y, Text *out)
{
    const uint32_t bytes = MAX(WORD, a->row / MOST_CELLS), cells = a->row / bytes;
    const uint64_t at = t->row[k] * a->row;
    char text[48];
    snprintf(text, sizeof text, "%+lld", (long long)(at - a->start));
    svg_text(out, LEFT - 5, y + 7.5, 8, SVG_END, text);
    put_grid(out, y, cells);
    for (uint32_t c = 0; c < cells; c++) {
        const int lane = toucher(a, at + c * (uint64_t)bytes, bytes);
        if (lane >= 0) put_cell(out, LEFT + c * CELL, y, lane);
    }
    for (uint32_t u = 0; a->array && u < a->row / a->unit; u++)
        if (toucher(a, at + u * (uint64_t)a->unit, a->unit) >= 0)
            text_printf(out,
                        "<rect x=\"%.1f\" y=\"%.1f\" width=\"%u\" height=\"%d\" fill=\"none\" "
                        "stroke=\"var(--ink)\" stroke-width=\"1\"/>\n",
                        LEFT + (double)u * a->unit / bytes * CELL, y, MAX(1u, a->unit / bytes) * CELL, CELL);
    if (!a->sets) return;
    snprintf(text, sizeof text, "set %u", t->set[k]);
    svg_text(out, LEFT + cells * CELL + 5, y + 7.5, 8, SVG_START, text);
}

static void put_words(const LaneAccess *a, const Touched *t, double y, Text *out)
{
    enum { LONGEST = 66 };
    Text head = {0}, said = {0}, shown = {0};
    const char *slash = a->file ? strrchr(a->file, '/') : NULL;
    text_printf(&head, "%s: %s of %s", a->kernel, a->what, a->array ? a->array : "shared memory");
    if (a->file) text_printf(&head, ", %s:%u", slash ? slash + 1 : a->file, a->line);
    const uint32_t lanes = (uint32_t)__builtin_popcount(a->mask);
    text_printf(&said, "%u lane%s, %u byte%s each: ", lanes, lanes == 1 ? "" : "s", a->bytes, a->bytes == 1 ? "" : "s");
    if (a->array)
        text_printf(&said, "%zu line%s, %zu sector%s", t->n, t->n == 1 ? "" : "s", t->units, t->units == 1 ? "" : "s");
    else
        text_printf(&said, "%u pass%s; a column is a bank", a->passes, a->passes == 1 ? "" : "es");
    svg_short(&shown, head.v, LONGEST);
    svg_text(out, 8, y, 11, SVG_START, shown.v);
    svg_text(out, 8, y + 14, 10, SVG_START, said.v);
    text_free(&head), text_free(&said), text_free(&shown);
}

// Returns where the next one may begin.
static double put_access(const LaneAccess *a, double y, Text *out)
{
    Touched t;
    find_rows(a, &t);
    put_words(a, &t, y, out);
    y += 24;
    svg_text(out, LEFT - 5, y + 7.5, 8, SVG_END, "lanes");
    put_grid(out, y, LANE_COUNT);
    for (int n = 0; n < LANE_COUNT; n++)
        if (takes_part(a, n)) put_cell(out, LEFT + n * CELL, y, n);
    y += ROW + 6;
    for (size_t k = 0; k < MIN(t.n, (size_t)MOST_ROWS); k++, y += ROW) put_row(a, &t, k, y, out);
    if (t.n > MOST_ROWS) {
        char text[48];
        snprintf(text, sizeof text, "and %zu more", t.n - MOST_ROWS);
        svg_text(out, LEFT, y + 8, 8, SVG_START, text);
        y += ROW;
    }
    return y + 22;
}

void figure_lanes(const LaneAccess *all, size_t n, uint64_t left, Text *out)
{
    static const char title[] = "Which lanes of a warp touch which lines";
    Figure f = {.title = title};
    Text body = {0};
    double y = 20;
    for (size_t k = 0; k < n; k++) y = put_access(&all[k], y, &body);
    if (left) {
        char text[64];
        snprintf(text, sizeof text, "%llu more instructions aren't drawn", (unsigned long long)left);
        svg_text(&body, 8, y, 10, SVG_START, text);
        y += 18;
    }
    svg_open(&f, y - 8, true, out);
    text_put(out, body.v);
    text_put(out, "</svg>\n");
    text_free(&body);
}
