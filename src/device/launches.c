// launches.c: the record of a simulated device's launches. Records that are forgotten are summed by kernel. So the
// totals of a program that launches for ever stay known, and take no more room than one record for each kernel.
#include "device/sim.h"

#include <string.h>

size_t sim_launches(const oc_device *base)
{
    const Sim *d = sim_of(base);
    return d->forgotten + d->records.n;
}

const Record *device_record(const oc_device *base, size_t launch)
{
    const Sim *d = sim_of(base);
    return launch >= d->forgotten && launch - d->forgotten < d->records.n ? &d->records.v[launch - d->forgotten] : NULL;
}

void device_sums(const oc_device *base, LaunchSums *out)
{
    const Sim *d = sim_of(base);
    sums_copy(out, &d->sums);
    for (size_t k = 0; k < d->records.n; k++) sums_add(out, &d->records.v[k]);
}

const char *sim_launch_kernel(const oc_device *base, size_t launch)
{
    const Record *r = device_record(base, launch);
    return r ? r->kernel : "";
}

static const uint64_t *counter_of(const oc_device *base, const Record *r, const char *name)
{
    for (int c = 0; c < C_COUNT; c++)
        if (!strcmp(counter_info[c].name, name)) return &r->count[c];
    OwnCounter own;
    for (size_t c = 0; gpu_own(&sim_of(base)->gpu, c, &own); c++)
        if (!strcmp(own.name, name)) return &r->own[own.at];
    return NULL;
}

uint64_t sim_launch_counter(const oc_device *base, size_t launch, const char *name)
{
    const Record *r = device_record(base, launch);
    const uint64_t *counter = r ? counter_of(base, r, name) : NULL;
    return counter ? *counter : 0;
}

// "cycles.low", "ipc.high": an end of the interval in which a counter or a rate lies. Where it was counted, it is both.
static bool interval_end(const oc_device *d, const Record *r, const char *name, double *value)
{
    char of[100];
    const char *dot = strrchr(name, '.');
    const bool low = dot && !strcmp(dot, ".low");
    if ((!low && (!dot || strcmp(dot, ".high"))) || (size_t)(dot - name) >= sizeof of) return false;
    snprintf(of, sizeof of, "%.*s", (int)(dot - name), name);
    const uint64_t *counter = counter_of(d, r, of);
    const Rate *rate = rate_called(of);
    if (!counter && !rate) return false;
    const bool counted = counter >= r->count && counter < r->count + C_COUNT;
    *value = counter ? (double)*counter : rate->value(r->count, &sim_of(d)->gpu);
    if (!r->sampled || (counter && !counted)) return true;
    const Interval i = counter ? sampled_counter(r->sampled, r->count, (Counter)(counter - r->count))
                               : sampled_interval(r->sampled, r->count, &sim_of(d)->gpu, rate->value);
    return *value = low ? MAX(i.low, 0) : i.high, true;
}

bool sim_launch_value(const oc_device *base, size_t launch, const char *name, double *value)
{
    const Record *r = device_record(base, launch);
    const uint64_t *counter = r ? counter_of(base, r, name) : NULL;
    if (counter) return *value = (double)*counter, true;
    const Rate *rate = r ? rate_called(name) : NULL;
    if (rate) *value = rate->value(r->count, &sim_of(base)->gpu);
    Metric m;
    if (rate || (r && interval_end(base, r, name, value))) return true;
    return r && metric_find(name, r->count, &sim_of(base)->gpu, &m) && (*value = m.value, true);
}

double sim_launch_rate(const oc_device *base, size_t launch, const char *name)
{
    const Record *r = device_record(base, launch);
    const Rate *rate = r ? rate_called(name) : NULL;
    return rate ? rate->value(r->count, &sim_of(base)->gpu) : 0;
}

const char *sim_counter_name(const oc_device *base, size_t index)
{
    Sim *d = sim_of(base);
    OwnCounter own;
    if (index < C_COUNT) return counter_info[index].name;
    return gpu_own(&d->gpu, index - C_COUNT, &own) ? sim_keep_label(d, own.name) : NULL;
}

const char *sim_rate_name(const oc_device *d, size_t index)
{
    return (void)d, index < RATES ? rates[index].name : NULL;
}

const char *sim_metric_name(const oc_device *base, size_t index)
{
    const char *names[METRIC_NAMES];
    const size_t n = metric_names(names);
    (void)base;
    for (size_t k = 0; k < n; k++) {
        bool own = rate_called(names[k]) != NULL;
        for (int c = 0; c < C_COUNT && !own; c++) own = !strcmp(counter_info[c].name, names[k]);
        if (!own && !index--) return names[k];
    }
    return NULL;
}

bool sim_launch_structure(const oc_device *d, size_t launch, size_t index, oc_structure *out)
{
    const Record *r = device_record(d, launch);
    for (int k = 0; r && k < MAX_STRUCTURES; k++) {
        const StructStat *s = &r->structure[k];
        if (!structure_used(r, k) || index--) continue;
        *out = (oc_structure){.name = r->structure_name[k] ? r->structure_name[k] : "?",
                              .loads = s->loads,
                              .stores = s->stores,
                              .atomics = s->atomics,
                              .transactions = s->transactions,
                              .sectors = s->sectors,
                              .l1_accesses = s->l1_accesses,
                              .l1_hits = s->l1_hits,
                              .dram_bytes = r->structure_dram[k]};
        return true;
    }
    return false;
}

bool sim_launch_misses(const oc_device *d, size_t launch, size_t index, oc_misses *out)
{
    const Record *r = device_record(d, launch);
    for (int k = 0; r && r->why && k < MAX_STRUCTURES; k++) {
        const WhyStat *w = &r->why->of[k];
        if (!structure_used(r, k) || index--) continue;
        *out = (oc_misses){.loads = w->reads,
                           .served = w->served,
                           .first_touch = w->missed[WHY_FIRST],
                           .capacity = w->missed[WHY_CAPACITY],
                           .conflict = w->missed[WHY_CONFLICT],
                           .dropped = w->missed[WHY_DROPPED],
                           .full = w->shadow[WHY_FULL],
                           .twice = w->shadow[WHY_TWICE],
                           .four = w->shadow[WHY_FOUR],
                           .hashed = w->shadow[WHY_HASHED],
                           .alone = w->shadow[WHY_ALONE]};
        return true;
    }
    return false;
}

static oc_place place_of(const FlawSide *s)
{
    return (oc_place){.access = s->access,
                      .where = s->access ? s->place : NULL,
                      .instruction = s->access ? s->inst : NULL,
                      .block = {s->block[0], s->block[1], s->block[2]},
                      .thread = {s->thread[0], s->thread[1], s->thread[2]}};
}

bool sim_launch_finding(const oc_device *d, size_t launch, size_t index, oc_finding *out)
{
    const Record *r = device_record(d, launch);
    if (!r || index >= r->flaws.n) return false;
    const Flaw *f = &r->flaws.v[index];
    *out = (oc_finding){.kind = flaw_names[f->kind],
                        .space = f->space,
                        .structure = f->name,
                        .offset = (int64_t)f->offset,
                        .bytes = f->bytes,
                        .count = f->count,
                        .at = {place_of(&f->side[0]), place_of(&f->side[1])},
                        .cure = f->cure};
    return true;
}

const char *sim_launch_unchecked(const oc_device *d, size_t launch)
{
    const Record *r = device_record(d, launch);
    return r ? r->unchecked : NULL;
}

bool sim_launch_line(const oc_device *base, size_t launch, size_t index, oc_line *out)
{
    Sim *d = sim_of(base);
    const Record *r = device_record(base, launch);
    if (r && d->lines_launch != launch + 1) {
        d->lines.n = 0, d->lines_launch = launch + 1;
        lines_of(r->code, r->inst, &d->lines);
    }
    bool ok = r && index < d->lines.n;
    if (ok) {
        const LineStat *l = &d->lines.v[index];
        *out = (oc_line){.file = sim_keep_label(d, l->file),
                         .at_file = l->at_file ? sim_keep_label(d, l->at_file) : NULL,
                         .line = l->line,
                         .at_line = l->at_line,
                         .issued = l->stat.issued,
                         .memory = l->stat.stalls,
                         .queue = l->stat.queued,
                         .transactions = l->stat.transactions,
                         .sectors = l->stat.sectors,
                         .l1_accesses = l->stat.l1_accesses,
                         .l1_hits = l->stat.l1_hits};
    }
    return ok;
}

size_t sim_launch_series(const oc_device *base, size_t launch, const char *name, uint64_t *values, size_t capacity)
{
    const Record *r = device_record(base, launch);
    const uint64_t *counter = r ? counter_of(base, r, name) : NULL;
    const size_t n = r ? r->samples.n / C_COUNT : 0;
    if (!counter || counter < r->count || counter >= r->count + C_COUNT) return 0;  // a policy's own has none
    for (size_t k = 0; k < n && k < capacity; k++) values[k] = r->samples.v[k * C_COUNT + (size_t)(counter - r->count)];
    return n;
}

// The kept records are moved to the front. So this is only done when there is as much to forget as to keep.
void sim_forget(oc_device *base, size_t keep)
{
    Sim *d = sim_of(base);
    if (d->records.n <= keep || d->records.n - keep < keep) return;
    size_t n = d->records.n - keep;
    for (size_t k = 0; k < n; k++) sums_add(&d->sums, &d->records.v[k]), record_free(&d->records.v[k]);
    memmove(d->records.v, d->records.v + n, keep * sizeof *d->records.v);
    d->records.n = keep;
    d->forgotten += n;
}

void sim_free_launches(Sim *d)
{
    for (size_t r = 0; r < d->records.n; r++) record_free(&d->records.v[r]);
    vec_free(&d->records);
    sums_free(&d->sums);
}
