// What the policies' parameters are and take. Standard values are the papers'; the least and the most follow from what
// a parameter counts: an SM has 64 warps at most and a warp 64 tags, an epoch or interval has a length, a switch is 0
// or 1.
#include "check.h"
#include "gpu/unit.h"

#include <string.h>

static const struct {
    const char *policies[3], *name;
    double standard, least, most;
    bool whole;
} params[] = {
    {{"ciao-t", "ciao-p", "ciao-c"}, "victims", 8, 1, 64, true},    // ciao Table I
    {{"ciao-t", "ciao-p", "ciao-c"}, "high", 0.01, 0, 1e9, false},  // ciao §IV-A, as the next three
    {{"ciao-t", "ciao-p", "ciao-c"}, "low", 0.005, 0, 1e9, false},
    {{"ciao-t", "ciao-p", "ciao-c"}, "high_epoch", 5000, 1, 1e9, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "low_epoch", 100, 1, 1e9, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "literal", 0, 0, 1, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "per_epoch", 0, 0, 1, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "eager", 0, 0, 1, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "epochs", 1, 0, 1, true},  // Figure 11a
    {{"ciao-t", "ciao-p", "ciao-c"}, "score", 0, 0, 1, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "reverse", 1, 0, 1, true},
    {{"ciao-t", "ciao-p", "ciao-c"}, "front", 0, 0, 1, true},
    {{"ccws"}, "victims", 16, 1, 64, true},  // ciao §V-F
    {{"ccws"}, "base", 100, 1, 1e6, true},   // gpgpusim.config of ccws-2012, as the rest
    {{"ccws"}, "k", 8, 0, 1e6, false},
    {{"ccws"}, "decay", 1, 0.001, 1e6, false},
    {{"statpcal"}, "tokens", 8, 1, 64, true},
    {{"statpcal"}, "use", 0.7, 0, 1, false},
    {{"statpcal"}, "interval", 1000, 1, 1e9, true},
    {{"swl"}, "limit", 64, 1, 64, true},
    {{"two-level"}, "active", 8, 1, 64, true},  // unified-memory §2.1
    {{"two-level"}, "greedy", 0, 0, 1, true},
    {{"trial"}, "warm", 1000, 1, 1e9, true},
    {{"trial"}, "sample", 2000, 1, 1e9, true},
    {{"trial"}, "hold", 4, 1, 1e9, true},
    {{"trial"}, "gain", 0.02, 0, 10, false},
};

static bool fits(const oc_policy_type *t, const oc_policy_param *p, double value)
{
    Diag why = {0};
    bool ok = plug_fits(&(Gpu){.sm.schedule = t}, PLUG_SCHED, p, value, &why);
    assert_true(ok == (!why.failed));
    diag_free(&why);
    return ok;
}

static void ranges(void **state)
{
    (void)state;
    size_t checked = 0, all = 0;
    for (size_t k = 0; k < COUNT(params); k++)
        for (size_t n = 0; n < COUNT(params[k].policies) && params[k].policies[n]; n++, checked++) {
            const oc_policy_type *t = policy_named(params[k].policies[n]);
            const oc_policy_param *p = policy_param(t, params[k].name);
            double least = params[k].least, most = params[k].most, step = params[k].whole ? 1 : 0.001;
            assert_non_null(p);
            if (p->standard != params[k].standard) fail_msg("sched.%s of %s is %g", p->name, t->name, p->standard);
            if (!fits(t, p, least) || !fits(t, p, most)) fail_msg("sched.%s of %s refuses an end", p->name, t->name);
            if (fits(t, p, least - step) || fits(t, p, most + step))
                fail_msg("sched.%s of %s takes what is beyond its ends", p->name, t->name);
            if (fits(t, p, (least + most) / 2 + 0.25) == params[k].whole)
                fail_msg("sched.%s of %s: parts of a whole", p->name, t->name);
        }
    for (size_t k = 0; k < policy_count; k++) all += policy_params(policies[k]);
    assert_int_equal(checked, all);  // none is missing above
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(ranges)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
