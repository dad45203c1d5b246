// expect.c: how far a kernel's simulated time may be from the card's, said beside it. The tree has the times that were
// measured on some cards beside the simulated ones (doc/results/measurements/measured.csv). What limits a kernel puts
// it into one of their classes; the error that 90 % of that class's times stay within is the one to expect. If there
// are no such times, the sentence says so. expect_words makes the sentence for the text, JSON, advise and the page.
#include "cli/unit.h"
#include "device/device.h"
#include "reproduce/reproduce.h"

#define WHERE "doc/results/stopwatch.md"
enum { VOLTA = 70 };

// The class of a launch, by its counters and its shares of the peaks.
static const char *class_of(const uint64_t *c, const double *peak)
{
    const uint64_t global = c[C_LD_GLOBAL] + c[C_ST_GLOBAL], shared = c[C_LD_SHARED] + c[C_ST_SHARED],
                   atomics = c[C_ATOMICS] + c[C_AT_SHARED];
    if (c[C_TENSOR_FMAS]) return "tensor";
    if (atomics && atomics * 4 >= global + shared) return "atomics";
    if (MAX(peak[PEAK_DRAM], MAX(peak[PEAK_L2], peak[PEAK_LINK])) >= 0.5) return "bandwidth";
    if (shared > global) return "shared";
    if (peak[PEAK_LSU] >= 0.5 && peak[PEAK_LSU] > peak[PEAK_ISSUE]) return "L1";
    return peak[PEAK_ISSUE] >= 0.25 ? "compute" : "latency";
}

void expect_find(const uint64_t *count, const double *peak, const char *gpu, Expected *out)
{
    const PointsFile *f = &points_files[0];
    const Source csv = {.name = f->name, .text = f->text, .length = f->size};
    out->class = class_of(count, peak);
    out->card = measured_within(&csv, gpu, out->class, &out->launches, &out->within);
}

void expect_words(const Expected *e, Text *out)
{
    if (e->launches)
        text_printf(out, "%s: within %.0f %% in 90 %% of %zu launches that were measured on the card", e->class,
                    100 * e->within, e->launches);
    else if (e->card)
        text_printf(out, "%s: not measured: no launch of this class was measured on the card (" WHERE ")", e->class);
    else
        text_put(out, "not measured on this card; compare runs with each other (" WHERE ")");
}

void expect_say(const uint64_t *count, const double *peak, const char *gpu, Text *out)
{
    Expected e;
    expect_find(count, peak, gpu, &e);
    expect_words(&e, out);
}

void expect_text(const uint64_t *count, const Gpu *g, FILE *out)
{
    double peak[ALL_PEAKS];
    Text t = {0};
    if (g->capability < VOLTA) return;
    find_peaks(count, g, peak);
    expect_say(count, peak, g->name, &t);
    put_head(out, "  how sure", 16, BREAK_WORDS, t.v);
    text_free(&t);
}
