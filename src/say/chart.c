// chart.c: the memory chart of a kernel: from shared memory down to DRAM, what each part was asked for, how much
// of its peak that is, how often it had the data, and where accesses were made to wait. Below it the roofline (Williams
// et al., CACM 2009), with warp instructions in the place of floating-point operations (Ding and Williams, PMBS 2019):
// what the kernel reached, beside what each level's bandwidth would allow at the kernel's instructions a byte.
#include "say/say.h"

#include <math.h>
#include <string.h>

static double over(double a, double b) { return b > 0 ? a / b : 0; }

// --- the chart -------------------------------------------------------------------------------------------------------
static void put_count(Table *t, double v)
{
    char text[32];
    format_count(text, v);
    table_add(t, text);
}

static void put_share(Table *t, double v)
{
    char text[32] = "";
    if (!isnan(v)) snprintf(text, sizeof text, "%.1f %%", 100 * v);
    table_add(t, text);
}

static void put_part(Table *t, const ChartPart *p)
{
    char text[32] = "";
    Text waits = {0};
    if (!p->requests) return;
    for (size_t k = 0; k < p->waiting; k++)
        text_printf(&waits, "%s%s: %.0f %%", k ? ", " : "", p->waits[k].what, 100 * p->waits[k].share);
    if (p->waiting) text_printf(&waits, " of %s", p->of);
    table_add(t, p->name);
    put_count(t, p->requests);
    if (!isnan(p->bytes)) format_bytes(text, p->bytes);
    table_add(t, text);
    put_share(t, p->peak);
    put_share(t, p->hits);
    table_add(t, waits.n ? waits.v : "");
    text_free(&waits);
}

static void put_chart(const uint64_t *c, const double peak[ALL_PEAKS], FILE *out)
{
    static const char *const heads[] = {"part", "requests", "bytes", "of its peak", "hits", "waits for"};
    ChartPart part[CHART_PARTS];
    Table t = {.columns = COUNT(heads), .indent = 2, .width = SIZE_MAX};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    memory_chart(c, peak, part);
    for (size_t k = 0; k < CHART_PARTS; k++) put_part(&t, &part[k]);
    table_print(&t, out);
    table_free(&t);
}

// --- the roofline ----------------------------------------------------------------------------------------------------
enum { BAR = 40 };

static void put_roof(Table *t, const char *name, double intensity, double roof, double unit, double reached)
{
    char text[64] = "";
    table_add(t, name);
    if (intensity > 0) snprintf(text, sizeof text, "%.3g", intensity);
    table_add(t, text);
    snprintf(text, sizeof text, "%.3g", roof / unit);
    table_add(t, text);
    snprintf(text, sizeof text, "%.1f %%", 100 * over(reached, roof));
    table_add(t, text);
    int full = (int)(BAR * MIN(over(reached, roof), 1.0) + 0.5);
    Text bar = {0};
    for (int k = 0; k < BAR; k++) text_put(&bar, k < full ? "#" : ".");
    table_add(t, bar.v);
    text_free(&bar);
}

static void put_roofline(const uint64_t *c, const Gpu *g, const double peak[ALL_PEAKS], FILE *out)
{
    static const char *const heads[] = {"roof", "instr./byte", "G instr./s", "reached", ""};
    Roofline line;
    Table t = {.columns = COUNT(heads), .indent = 2, .width = SIZE_MAX};
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    roofline(c, peak, (double)c[C_CYCLES] / (g->core_mhz * 1e6), &line);
    for (size_t k = 0; k < ROOFS; k++)
        if (line.roof[k].roof > 0)
            put_roof(&t, line.roof[k].name, line.roof[k].intensity, line.roof[k].roof, 1e9, line.reached);
    table_print(&t, out);
    table_free(&t);
    char text[32];
    format_count(text, line.reached);
    fprintf(out, "  reached: %s warp instructions/s\n", text);
}

// The roofline of a kernel that multiplies matrices.
static void put_tensor_roofline(const uint64_t *c, const Gpu *g, const double peak[ALL_PEAKS], FILE *out)
{
    static const char *const heads[] = {"roof", "FLOP/byte", "TFLOP/s", "reached", ""};
    TensorRoofline line;
    Table t = {.columns = COUNT(heads), .indent = 2, .width = SIZE_MAX};
    tensor_roofline(c, peak, (double)c[C_CYCLES] / (g->core_mhz * 1e6), &line);
    if (!(line.reached > 0)) return;
    fprintf(out, "  roofline of products of matrices\n");
    for (size_t k = 0; k < COUNT(heads); k++) table_add(&t, heads[k]);
    for (size_t k = 0; k < TENSOR_ROOFS; k++)
        if (line.roof[k].roof > 0)
            put_roof(&t, line.roof[k].name, line.roof[k].intensity, line.roof[k].roof, 1e12, line.reached);
    table_print(&t, out);
    table_free(&t);
    fprintf(out, "  reached: %.3g TFLOP/s\n", line.reached / 1e12);
}

void chart_say(const uint64_t *c, const Gpu *g, FILE *out)
{
    double peak[ALL_PEAKS];
    find_peaks(c, g, peak);
    fprintf(out, "  memory chart\n");
    put_chart(c, peak, out);
    fprintf(out, "  roofline\n");
    put_roofline(c, g, peak, out);
    put_tensor_roofline(c, g, peak, out);
}
