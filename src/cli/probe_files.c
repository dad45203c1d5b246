// probe_files.c: writes what onchip probe found as figures, which are drawn like the lab's, and the sequences of loads
// behind it as CSV.
#include "cli/unit.h"
#include "probe/probe.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>

// --- figures ---------------------------------------------------------------------------------------------------------
static bool draw(Figure *f, const char *folder, Diag *diag)
{
    Text svg = {0};
    bool ok = !f->points.n || figure_draw(f, folder, &svg, diag);
    text_free(&svg);
    figure_free(f);
    return ok;
}

// mei Fig. 5 and 7: latency against stride.
static bool conflicts(const Probe *p, const char *folder, Diag *diag)
{
    Figure f;
    if (p->part[PART_SHARED].state != PART_DONE) return true;
    figure_open(&f, FIGURE_CURVE, "shared-conflicts", "Shared memory: latency against stride");
    figure_axes(&f, "stride, words", "cycles", "");
    size_t s = figure_series(&f, "load of a warp");
    for (uint32_t k = 0; k < SHARED_STRIDES; k++) figure_number(&f, s, k, NULL, p->shared.stride[k]);
    return draw(&f, folder, diag);
}

// mei Fig. 8, 9 and 11: misses against the size of the array.
static bool misses(const MissCurve *c, const char *name, const char *title, bool pages, const char *folder, Diag *diag)
{
    Figure f;
    Text file = {0};
    if (!c->n) return true;
    text_printf(&file, "misses-%s", name);
    figure_open(&f, FIGURE_CURVE, file.v, title);
    figure_axes(&f, pages ? "array, MiB" : "array, KiB", "loads that miss, %", "");
    f.top = 100;
    size_t s = figure_series(&f, name);
    for (size_t k = 0; k < c->n; k++)
        figure_number(&f, s, (double)c->point[k].bytes / (pages ? 1048576 : 1024), NULL, 100 * c->point[k].misses);
    text_free(&file);
    return draw(&f, folder, diag);
}

// s-l1 Fig. 1: hit rate against threads.
static bool hits(const Probe *p, const char *folder, Diag *diag)
{
    static const char *const kinds[] = {"L1", "read-only", "texture"};
    Figure f;
    if (p->part[PART_HITS].state != PART_DONE) return true;
    figure_open(&f, FIGURE_CURVE, "hits", "Hit rate against threads of an SM");
    figure_axes(&f, "threads", "hits, %", "cache");
    f.top = 100;
    for (int k = 0; k < HIT_KINDS; k++) {
        const HitCurve *c = &p->hits[k];
        if (!c->n) continue;
        size_t s = figure_series(&f, kinds[c->kind]);
        for (size_t q = 0; q < c->n; q++)
            if (c->points[q].rate.verdict == MEASURED)
                figure_number(&f, s, c->points[q].threads, NULL, 100 * c->points[q].rate.value);
    }
    return draw(&f, folder, diag);
}

// s-l1 Fig. 5 and 6: throughput against threads of a block and against blocks, of 4-way coalesced loads, as in the
// paper.
static bool throughput(const Probe *p, FlowKind kind, bool blocks, const char *folder, Diag *diag)
{
    static const char *const names[] = {"l2", "dram", "shared"}, *const titles[] = {"L2", "DRAM", "Shared memory"};
    Figure f;
    Text name = {0}, title = {0};
    text_printf(&name, "%s-%s", names[kind], blocks ? "blocks" : "threads");
    text_printf(&title, "%s: throughput against %s", titles[kind],
                blocks ? "blocks of 1024 threads" : "threads of a block");
    figure_open(&f, FIGURE_CURVE, name.v, title.v);
    figure_axes(&f, blocks ? "blocks" : "threads of a block", "GB/s", blocks ? "" : "blocks");
    for (size_t k = 0; k < p->throughput.curves.n; k++) {
        const FlowCurve *c = &p->throughput.curves.v[k];
        if (c->kind != kind || c->along_blocks != blocks || c->ways != (kind == FLOW_SHARED ? 32 : 4)) continue;
        Text of = {0};
        if (blocks)
            text_put(&of, titles[kind]);
        else
            text_printf(&of, "%u", c->points[0].blocks);
        size_t s = figure_series(&f, of.v);
        for (size_t q = 0; q < c->n; q++)
            if (!c->points[q].why)
                figure_number(&f, s, blocks ? c->points[q].blocks : c->points[q].threads, NULL, c->points[q].moved);
        text_free(&of);
    }
    text_free(&name), text_free(&title);
    return draw(&f, folder, diag);
}

bool probe_figures(const Probe *p, const char *folder, Diag *diag)
{
    bool ok = conflicts(p, folder, diag) && hits(p, folder, diag);
    for (int k = 0; k < CACHES && ok; k++) {
        char title[100];
        snprintf(title, sizeof title, "%s: misses against the size of the array", part_info[k].name);
        ok = misses(&p->misses[k], part_info[k].name, title, false, folder, diag);
    }
    ok = ok && misses(&p->tlb_misses[0], "l1-tlb", "L1 TLB: misses against the size of the array", true, folder, diag);
    ok = ok && misses(&p->tlb_misses[1], "l2-tlb", "L2 TLB: misses against the size of the array", true, folder, diag);
    for (int k = FLOW_L2; k <= FLOW_SHARED && ok; k++)
        ok = throughput(p, (FlowKind)k, false, folder, diag) && throughput(p, (FlowKind)k, true, folder, diag);
    return ok;
}

// --- traces ----------------------------------------------------------------------------------------------------------
static FILE *open_file(const char *folder, const char *name, const char *head, Diag *diag)
{
    Text path = {0};
    text_printf(&path, "%s/%s", folder, name);
    FILE *f = fopen(path.v, "w");
    if (f)
        fputs(head, f);
    else
        diag_error(diag, "can't write %s: %s\nhint: --traces takes a folder in which files may be made", path.v,
                   strerror(errno));
    text_free(&path);
    return f;
}

static bool close_file(FILE *f, const char *folder, Diag *diag)
{
    bool bad = f && ferror(f);
    if (f && fclose(f)) bad = true;
    return !bad || diag_error(diag, "can't write into %s: %s", folder, strerror(errno));
}

bool probe_traces(const Probe *p, const char *folder, Diag *diag)
{
    static const char *const kinds[CHASE_KINDS] = {"global", "l2", "readonly", "texture", "constant", "local"};
    if (mkdir(folder, 0777) && errno != EEXIST)
        return diag_error(diag, "can't make the folder %s: %s", folder, strerror(errno));
    FILE *runs = open_file(folder, "runs.csv", "run,kind,rounds,first_timed_round,timed_loads\n", diag);
    FILE *walks = runs ? open_file(folder, "walks.csv", "run,walk,start,stride,wrap,loads,timed\n", diag) : NULL;
    FILE *latencies = walks ? open_file(folder, "latencies.csv", "run,load,cycles\n", diag) : NULL;
    for (size_t r = 0; latencies && r < p->runs.n; r++) {
        const Run *run = &p->runs.v[r];
        fprintf(runs, "%zu,%s,%u,%u,%zu\n", r, kinds[run->kind], run->rounds, run->first, run->timed);
        for (size_t w = 0; w < run->n; w++)
            fprintf(walks, "%zu,%zu,%llu,%lld,%llu,%u,%d\n", r, w, (unsigned long long)run->walks[w].start,
                    (long long)run->walks[w].stride, (unsigned long long)run->walks[w].wrap, run->walks[w].count,
                    run->walks[w].timed);
        for (size_t k = 0; k < run->timed; k++) fprintf(latencies, "%zu,%zu,%u\n", r, k, run->latency[k]);
    }
    bool ok = runs && walks && latencies;
    ok = close_file(runs, folder, diag) && ok;
    ok = close_file(walks, folder, diag) && ok;
    return close_file(latencies, folder, diag) && ok;
}
