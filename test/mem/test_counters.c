// The registry of counters. A metric of Nsight Compute stands beside a counter where both count the same thing: so it
// stands beside one alone, and not beside a counter of another unit. What a metric counts is from Nsight's Kernel
// Profiling Guide: in inst_executed instructions, in sectors sectors, in requests of the L1 instructions of warps.
#include "check.h"
#include "mem/mem.h"

#include <string.h>

static bool has(const char *metrics, const char *one, size_t length)
{
    for (const char *p = metrics; (p = strstr(p, one)); p += length)
        if ((p == metrics || p[-1] == ' ') && (!p[length] || p[length] == ' ')) return true;
    return false;
}

static void one_metric_is_of_one_counter(void **state)
{
    (void)state;
    for (int c = 0; c < C_COUNT; c++)
        for (const char *p = counter_info[c].ncu; *p; p += strcspn(p, " "), p += strspn(p, " +")) {
            char one[128];
            snprintf(one, sizeof one, "%.*s", (int)strcspn(p, " "), p);
            if (!strstr(one, "__") || !strchr(one, '.')) fail_msg("%s: '%s' is no metric", counter_info[c].name, one);
            for (int d = 0; d < C_COUNT; d++)
                if (d != c && has(counter_info[d].ncu, one, strlen(one)))
                    fail_msg("%s stands beside %s and %s", one, counter_info[c].name, counter_info[d].name);
        }
}

static void units_agree(void **state)
{
    (void)state;
    static const struct {
        const char *part, *unit;
    } of[] = {{"inst_executed", "instruction"}, {"_sectors", "sector"},    {"cycles_", "cycle"},
              {"dram__bytes", "byte"},          {"wavefronts", "pass"},    {"ctas", "block"},
              {"l1tex__t_requests", "none"},    {"issue_stalled", "none"}, {"inst_issued", "none"}};
    for (int c = 0; c < C_COUNT; c++)
        for (size_t k = 0; k < COUNT(of); k++)
            if (strstr(counter_info[c].ncu, of[k].part) && strcmp(counter_info[c].unit, of[k].unit))
                fail_msg("%s counts %ss, %s doesn't", counter_info[c].name, counter_info[c].unit, counter_info[c].ncu);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_metric_is_of_one_counter),
        cmocka_unit_test(units_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
