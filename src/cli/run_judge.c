// run_judge.c: what makes a run fail, beside its result: no launch was timed, counters that break a law, and what
// --check has found.
#include "cli/run.h"
#include "names/names.h"

#include <string.h>

static bool laws_hold(const oc_device *d, Run *r)
{
    Text all = {0};
    for (size_t k = 0; k < oc_launches(d); k++) {
        Text t = {0};
        const Record *record = device_record(d, k);
        char *name = name_shown(record->kernel);
        if (!record->functional && !record->partial && !record->sampled &&
            (counters_broken(record->count, &t) || gpu_own_broken(device_gpu(d), record->own, &t)))
            text_printf(&all, "%slaunch %zu of %s breaks a conservation law: %s", all.n ? "\n" : "", k, name, t.v);
        mem_free(name);
        text_free(&t);
    }
    bool ok = !all.n;
    if (!ok) run_refuse(r, EXIT_FAILED, "%s", all.v);
    text_free(&all);
    return ok;
}

// What --check has found is a failure: the report says what it is.
static bool nothing_found(const oc_device *d, Run *r)
{
    LaunchSums sums = {0};
    size_t found = 0;
    device_sums(d, &sums);
    for (size_t k = 0; k < sums.n; k++) found += sums.v[k].flaws.n;
    sums_free(&sums);
    if (found)
        run_refuse(r, EXIT_FAILED, "--check found %zu fault%s, which the report tells of (doc/use/check.md)", found,
                   found == 1 ? "" : "s");
    return !found;
}

// Tells, once for each kernel, what it does that PTX leaves undefined. This isn't an error, since the value may never
// be used.
static void report_undefined(const oc_device *d)
{
    for (size_t k = 0; k < oc_launches(d); k++) {
        const Record *r = device_record(d, k);
        bool told = !r->undefined;
        for (size_t j = 0; j < k && !told; j++)
            told = device_record(d, j)->undefined && !strcmp(device_record(d, j)->kernel, r->kernel);
        if (told) continue;
        char *name = name_shown(r->kernel);
        fprintf(stderr,
                "onchip: launch %zu of %s: %llu times a lane's shfl reads a lane that takes no part\n"
                "  first in %s\n"
                "  PTX leaves the value undefined; here it is 0. Let all lanes of the membermask execute the shfl.\n",
                k, name, (unsigned long long)r->count[C_SHFL_UNDEFINED], r->undefined);
        mem_free(name);
    }
}

// If --kernels and --skip leave no launch to time, that is a mistake, most likely in a name.
static bool something_timed(const oc_device *d, Run *r)
{
    size_t n = oc_launches(d);
    if (!n || r->lanes || (!r->how.kernels && !r->how.skip)) return true;
    Text names = {0}, by = {0};
    bool timed = false;
    for (size_t k = 0; k < n; k++) {
        const char *name = device_record(d, k)->kernel;
        bool seen = false;
        for (size_t j = 0; j < k; j++) seen |= !strcmp(device_record(d, j)->kernel, name);
        char *shown = name_shown(name);
        if (!seen) text_printf(&names, "%s%s", names.n ? ", " : "", shown);
        mem_free(shown);
        timed |= !device_record(d, k)->functional;
    }
    if (r->how.kernels) text_printf(&by, "--kernels '%s'", r->how.kernels);
    if (r->how.skip) text_printf(&by, "%s--skip %llu", by.n ? " with " : "", (unsigned long long)r->how.skip);
    if (!timed)
        run_refuse(r, EXIT_USAGE, "nothing was timed: %s leaves out every launch; the kernels are %s", by.v, names.v);
    text_free(&names), text_free(&by);
    return timed;
}

int run_judge(const oc_device *d, Run *r, int code)
{
    if (code == EXIT_OK && !something_timed(d, r)) code = EXIT_USAGE;
    if (r->laws && (!laws_hold(d, r) || !nothing_found(d, r)) && code == EXIT_OK) code = EXIT_FAILED;
    if (r->laws && !r->json) report_undefined(d);
    return code;
}
