// metrics.c: onchip run --metrics: numbers of each kernel by name (gpu/metrics.c).
#include "cli/report.h"
#include "names/names.h"
#include "say/say.h"

#include <math.h>
#include <string.h>

bool metrics_read(const char *list, Diag *diag)
{
    const char *names[METRIC_NAMES];
    char word[128], hint[160];
    Metric m;
    for (const char *p = list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
        if (metric_find(word, NULL, NULL, &m) || unit_metric(word, NULL, NULL, &m.value)) continue;
        size_t n = metric_names(names);
        n += unit_metrics(names + n, METRIC_NAMES - n);
        diag_error(diag, "no metric '%s'%s (onchip list counters; doc/use/metrics.md)", word,
                   did_you_mean(word, names, n, hint));
        return false;
    }
    return true;
}

// As RFC 4180 has it, and as Nsight Compute quotes: every field.
static void put_field(const char *text, bool last, FILE *out)
{
    fputc('"', out);
    for (; *text; text++) {
        if (*text == '"') fputc('"', out);
        fputc(*text, out);
    }
    fputs(last ? "\"\n" : "\",", out);
}

// --- a format, which has a row for each number -----------------------------------------------------------------------
typedef struct Metrics {
    const char *list;
    bool csv;
    Table table;  // where it isn't CSV
} Metrics;

static void put_fields(const ReportRun *r, const char *const *fields, size_t n)
{
    Metrics *m = r->own;
    for (size_t k = 0; k < n; k++) m->csv ? put_field(fields[k], k + 1 == n, r->out) : table_add(&m->table, fields[k]);
}

static void begin(const ReportRun *r)
{
    static const char *const heads[] = {"Kernel Name", "Launches", "Metric Name", "Metric Unit", "Metric Value"};
    Metrics *m = r->own;
    m->table = (Table){.columns = COUNT(heads), .width = SIZE_MAX};
    put_fields(r, heads, COUNT(heads));
}

static void numbers(const ReportLaunch *l)
{
    const Metrics *all = l->run->own;
    char *name = name_shown(l->sum->kernel), launches[32];
    snprintf(launches, sizeof launches, "%llu", (unsigned long long)l->sum->launches);
    for (const char *p = all->list; p; p = strchr(p, ',') ? strchr(p, ',') + 1 : NULL) {
        char word[128], value[64] = "n/a";
        Metric m = {0};
        snprintf(word, sizeof word, "%.*s", (int)strcspn(p, ","), p);
        if (unit_metric(word, l->sum, l->run->gpu, &m.value))
            m.name = word, m.unit = "%";
        else if (!metric_find(word, l->sum->count, l->run->gpu, &m))
            continue;
        if (!isnan(m.value)) snprintf(value, sizeof value, "%.15g", m.value);
        const char *const fields[] = {name, l->which ? l->which : launches, m.name, m.unit, value};
        put_fields(l->run, fields, COUNT(fields));
    }
    mem_free(name);
}

static void end(const ReportRun *r)
{
    Metrics *m = r->own;
    if (!m->csv) table_print(&m->table, r->out);
    table_free(&m->table);
}

void metrics_put(const oc_device *d, const ReportInfo *info, const char *list, bool csv, FILE *out)
{
    static const ReportRow rows[] = {{HAS_TIME, numbers}};
    static const ReportFormat format = {.begin = begin, .rows = rows, .row_count = COUNT(rows), .end = end};
    Metrics m = {.list = list, .csv = csv};
    report_walk(&format, &(ReportRun){.device = d, .info = info, .out = out, .own = &m});
}
