// expect.c: how far a kernel's simulated time may be from the card's, said beside it. The tree has the times that were
// measured on some cards beside the simulated ones (doc/results/measurements/measured.csv). A kernel is of one of their
// classes by what limits it, and what 90 % of that class's times are within is what is to be expected of it.
#include "cli/cli.h"
#include "device/device.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

// The class of a launch, by its counters.
static const char *class_of(const uint64_t *c, const Gpu *g)
{
    const uint64_t global = c[C_LD_GLOBAL] + c[C_ST_GLOBAL], shared = c[C_LD_SHARED] + c[C_ST_SHARED],
                   atomics = c[C_ATOMICS] + c[C_AT_SHARED];
    double peak[ALL_PEAKS];
    find_peaks(c, g, peak);
    if (atomics && atomics * 4 >= global + shared) return "atomics";
    if (MAX(peak[PEAK_DRAM], MAX(peak[PEAK_L2], peak[PEAK_LINK])) >= 0.5) return "bandwidth";
    if (shared > global) return "shared";
    return peak[PEAK_ISSUE] >= 0.25 || peak[PEAK_LSU] >= 0.5 ? "compute" : "latency";
}

static int by_size(const void *a, const void *b)
{
    const double x = *(const double *)a, y = *(const double *)b;
    return (x > y) - (x < y);
}

// The field behind so many commas of a line, without its quotes; a program's text has none within.
static const char *field(const char *line, int commas, char out[64])
{
    bool quoted = false;
    for (; *line && *line != '\n' && commas; line++) quoted ^= *line == '"', commas -= *line == ',' && !quoted;
    size_t n = 0;
    for (; *line && *line != '\n' && (*line != ',' || quoted) && n < 63; line++)
        if (*line == '"')
            quoted = !quoted;
        else
            out[n++] = *line;
    out[n] = 0;
    return out;
}

bool expect_of(const uint64_t *count, const Gpu *g, Expected *out)
{
    VEC(double) errors = {0};
    char text[64], figure[80];
    *out = (Expected){.class = class_of(count, g)};
    snprintf(figure, sizeof figure, "measured/%s", g->name);
    bool card = false;
    for (const char *line = points_files[0].text; *line; line += *line == '\n') {
        if (!strcmp(field(line, 0, text), figure)) {
            card = true;
            if (!strcmp(field(line, 1, text), out->class)) {
                double ours = strtod(field(line, 3, text), NULL), theirs = strtod(field(line, 4, text), NULL);
                if (theirs > 0) vec_push(&errors, fabs(ours / theirs - 1));
            }
        }
        line += strcspn(line, "\n");
    }
    out->launches = errors.n;
    if (errors.n) {
        qsort(errors.v, errors.n, sizeof *errors.v, by_size);
        out->within = errors.v[(errors.n * 9 + 9) / 10 - 1];
    }
    vec_free(&errors);
    return card;
}

void expect_text(const uint64_t *count, const Gpu *g, FILE *out)
{
    Expected e;
    Text t = {0};
    if (!expect_of(count, g, &e)) return;
    if (e.launches)
        text_printf(&t, "%s: within %.0f %% in 90 %% of %zu launches that were measured on the card", e.class,
                    100 * e.within, e.launches);
    else
        text_printf(&t, "%s: no launch of this class was measured on the card", e.class);
    put_head(out, "  how sure", 16, BREAK_WORDS, t.v);
    text_free(&t);
}

void expect_json(const uint64_t *count, const Gpu *g, Json *j)
{
    Expected e;
    bool card = expect_of(count, g, &e);
    json_open(j, "expected", '{');
    json_string(j, "class", e.class);
    json_uint(j, "launches", card ? e.launches : 0);
    if (card && e.launches) json_double(j, "within", e.within);
    json_close(j, '}');
}
