// gate.c: how much may change. A limit is so many percent of the old value: above it, the comparison fails. A limit
// below 0 says by how much a value may fall, for those of which more is better. A kernel that only one version has
// fails nothing by itself; what it took counts in the whole.
#include "compare/unit.h"

#include <math.h>
#include <string.h>

static bool known_metric(const char *name, Diag *diag)
{
    const char *names[METRIC_NAMES];
    char hint[160];
    Metric m;
    if (!strcmp(name, "time") || metric_find(name, NULL, NULL, &m)) return true;
    return diag_error(diag, "--fail-above: no metric '%s'%s (onchip list counters; doc/use/metrics.md)", name,
                      did_you_mean(name, names, metric_names(names), hint));
}

static bool read_percent(const char *text, double *percent)
{
    char copy[64];
    size_t n = strlen(text);
    if (!n || n >= sizeof copy || text[n - 1] != '%') return false;
    memcpy(copy, text, n), copy[n - 1] = 0;
    return parse_double(copy, percent) && fabs(*percent) <= 1e9;
}

bool gate_read(Gate *g, const char *list, Diag *diag)
{
    for (const char *p = list; p;) {
        size_t n = strcspn(p, ",");
        char *word = arena_text(&g->arena, p, n), *equals = strchr(word, '=');
        GateLimit l = {.metric = "time"};
        if (equals) *equals = 0, l.metric = word;
        if (!read_percent(equals ? equals + 1 : word, &l.percent))
            return diag_error(diag,
                              "--fail-above takes percents, not '%.*s'\nhint: --fail-above 5%%, or of metrics "
                              "--fail-above cycles=3%%,dram.bytes=10%%",
                              (int)MIN(n, 100), p);
        if (!known_metric(l.metric, diag)) return false;
        vec_push(&g->limits, l);
        p = p[n] ? p + n + 1 : NULL;
    }
    return true;
}

static bool judge(const GateLimit *l, const Changes *c, const KernelPair *pair, GateFailures *out, Diag *diag)
{
    GateFailure f = {.limit = l, .pair = pair};
    if (pair && (!pair->of[0] || !pair->of[1] || !pair->of[0]->timed)) return true;
    change_values(c, pair, l->metric, f.value);
    const bool time = !strcmp(l->metric, "time");
    for (int s = 0; s < 2 && !time; s++)
        if (!version_tells(c->of[s], pair ? pair->of[s] : &c->of[s]->whole, l->metric))
            return diag_error(diag, "--fail-above: %s isn't known in the %s version: its file lacks what it is made of",
                              l->metric, s ? "new" : "old");
    if (isnan(f.value[0]) && isnan(f.value[1]) && !time) return true;  // such as a share of nothing, twice
    if (isnan(f.value[0]) || isnan(f.value[1]))
        return diag_error(diag, "--fail-above: %s of %s isn't known in the %s version", l->metric,
                          pair ? pair->of[0]->shown : "all kernels", isnan(f.value[0]) ? "old" : "new");
    double by[2] = {f.value[0], f.value[1]};  // of a time whole cycles, which aren't rounded
    if (time && !c->clocks) {
        double cycles[2];
        change_values(c, pair, counter_info[C_CYCLES].name, cycles);
        if (cycles[0] > 0 && cycles[1] > 0) by[0] = cycles[0], by[1] = cycles[1];
    }
    const double change = 100 * (by[1] - by[0]), allowed = l->percent * fabs(by[0]);
    if (l->percent < 0 ? change < allowed : change > allowed) vec_push(out, f);
    return true;
}

bool gate_judge(const Gate *g, const Changes *c, GateFailures *out, Diag *diag)
{
    bool ok = !g->limits.n || (c->of[0]->whole.launches && c->of[1]->whole.launches) ||
              diag_error(diag, "--fail-above has nothing to judge: one of the versions has no kernel that was timed");
    for (size_t k = 0; k < g->limits.n && ok; k++) {
        ok = judge(&g->limits.v[k], c, NULL, out, diag);
        for (size_t n = 0; n < c->pairs.n && ok; n++) ok = judge(&g->limits.v[k], c, &c->pairs.v[n], out, diag);
    }
    return ok;
}

void gate_free(Gate *g)
{
    vec_free(&g->limits);
    arena_free(&g->arena);
}
