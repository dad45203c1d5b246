// expect.c: how far a kernel's simulated time may be from the card's, said beside it. The tree has the times that were
// measured on some cards beside the simulated ones (doc/results/measurements/measured.csv). A kernel is of one of their
// classes by what limits it, and what 90 % of that class's times are within is what is to be expected of it.
#include "cli/cli.h"
#include "device/device.h"
#include "reproduce/reproduce.h"

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

bool expect_of(const uint64_t *count, const Gpu *g, Expected *out)
{
    const PointsFile *f = &points_files[0];
    const Source csv = {.name = f->name, .text = f->text, .length = f->size};
    out->class = class_of(count, g);
    return measured_within(&csv, g->name, out->class, &out->launches, &out->within);
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
    expect_of(count, g, &e);
    json_open(j, "expected", '{');
    json_string(j, "class", e.class);
    json_uint(j, "launches", e.launches);
    if (e.launches) json_double(j, "within", e.within);
    json_close(j, '}');
}
