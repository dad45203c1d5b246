// report.c: the walk over what a run launched, for any format: the start of a run, the rows of each launch that is
// shown, the end. Which launches those are is decided here, and nowhere else.
#include "cli/report.h"

static uint32_t has(const ReportRun *r, const LaunchSum *sum, const Record *record)
{
    const struct {
        bool holds;
        Has has;
    } all[] = {
        {!sum->functional, HAS_TIME},          {sum->functional, HAS_NO_TIME},
        {sum->sampled != NULL, HAS_SAMPLED},   {sum->count[C_ENERGY] != 0, HAS_ENERGY},
        {sum->why.l1 != 0, HAS_WHY},           {sum->checked, HAS_CHECK},
        {sum->overread != NULL, HAS_OVERREAD}, {record && record->undefined, HAS_UNDEFINED},
        {sum->samples.n != 0, HAS_SERIES},     {record && (record->samples.n || record->pairs.n), HAS_INTERFERENCE},
        {r->info->lines, WANTS_LINES},         {r->info->annotate, WANTS_SOURCE},
        {r->info->chart, WANTS_CHART}};
    uint32_t bits = 0;
    for (size_t k = 0; k < COUNT(all); k++) bits |= all[k].holds ? all[k].has : 0;
    return bits;
}

static void put_launch(const ReportFormat *f, ReportRun *r, const LaunchSum *sum, const Record *record,
                       const char *which)
{
    const ReportLaunch l = {.run = r, .sum = sum, .record = record, .which = which, .has = has(r, sum, record)};
    for (size_t k = 0; k < f->row_count; k++)
        if (!(f->rows[k].needs & ~l.has)) f->rows[k].put(&l);
    r->timed |= !sum->functional;
}

typedef struct Launched {  // a kernel
    size_t all, shown, slowest;
} Launched;
typedef VEC(Launched) LaunchedList;

static Launched *launched(Map *places, LaunchedList *all, const Record *r)
{
    Text name = {0};
    int64_t at = (int64_t)all->n;
    text_printf(&name, "%d%s", r->functional, r->kernel);  // timed launches and others are apart
    if (!map_get(places, name.v, name.n, &at)) {
        map_put(places, name.v, name.n, at);
        vec_push(all, (Launched){0});
    }
    text_free(&name);
    return &all->v[at];
}

static void put_launches(const ReportFormat *f, ReportRun *r, LaunchView view)
{
    const oc_device *d = r->device;
    Map places = {0};
    LaunchedList all = {0};
    for (size_t k = 0; k < oc_launches(d); k++) {
        const Record *record = device_record(d, k);
        Launched *l = record ? launched(&places, &all, record) : NULL;
        if (l && (!l->all++ || record->count[C_CYCLES] > device_record(d, l->slowest)->count[C_CYCLES])) l->slowest = k;
    }
    for (size_t k = 0; k < oc_launches(d); k++) {
        LaunchSums one = {0};
        char which[100];
        const Record *record = device_record(d, k);
        Launched *l = record ? launched(&places, &all, record) : NULL;
        if (!l) continue;
        l->shown++;
        if (view == LAUNCHES_FIRST ? l->shown > 1 : view == LAUNCHES_SLOWEST && l->slowest != k) continue;
        sums_add(&one, record);
        snprintf(which, sizeof which, "launch %zu of %zu", l->shown, l->all);
        put_launch(f, r, one.v, record, which);
        sums_free(&one);
    }
    map_free(&places), vec_free(&all);
}

void report_walk(const ReportFormat *f, ReportRun *r)
{
    const oc_device *d = r->device;
    const LaunchView view = f->each ? LAUNCHES_ALL : r->info->launches;
    if (d) r->gpu = device_gpu(d);
    if (d && !f->each) device_sums(d, &r->sums);
    f->begin(r);
    if (d && view != LAUNCHES_SUM) put_launches(f, r, view);
    for (size_t k = 0; view == LAUNCHES_SUM && k < r->sums.n; k++) put_launch(f, r, &r->sums.v[k], NULL, NULL);
    f->end(r);
    sums_free(&r->sums);
}
