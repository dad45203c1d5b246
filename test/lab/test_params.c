// Workloads' parameters: a value out of range is refused before anything is launched, by a message with name, value and
// range, as a mistake of who chose it; the least value of each, and what 0 stands for, can be run with.
#include "check.h"
#include "device/device.h"
#include "work/programs.h"

#include <string.h>

typedef struct Outcome {
    bool ok, bad_argument;
    size_t launches;
    char error[500], params[300];
} Outcome;

static Outcome run(const Workload *w, const char *param)
{
    char name[100], message[1000] = "";
    oc_device *d;
    oc_config config = {.gpu = "gtx480", .functional = true};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    snprintf(name, sizeof name, "%s/%s", w->suite, w->name);
    const char *params[] = {param, NULL};
    WorkOptions options = {.small = true, .params = params};
    WorkResult result;
    Outcome o = {.ok = workload_run(d, workload_find(name), &options, &result)};
    o.bad_argument = result.status == OC_BAD_ARGUMENT;
    o.launches = oc_launches(d);
    snprintf(o.error, sizeof o.error, "%s", result.error ? result.error : "");
    snprintf(o.params, sizeof o.params, "%s", result.params ? result.params : "");
    work_result_free(&result);
    oc_close(d);
    return o;
}

static void assert_refused(const Workload *w, const WorkParam *p, const char *value)
{
    char param[100], low[32], high[32];
    snprintf(param, sizeof param, "%s=%s", p->name, value);
    snprintf(low, sizeof low, "from %lld ", (long long)p->min);
    snprintf(high, sizeof high, "to %lld ", (long long)p->max);
    const Outcome o = run(w, param);
    if (o.ok || !o.bad_argument || o.launches)
        fail_msg("%s %s: not refused as an argument: %s", w->name, param, o.error);
    if (!strstr(o.error, param) || !strstr(o.error, low) || !strstr(o.error, high) || !strstr(o.error, w->name))
        fail_msg("%s %s: no name, value and range: %s", w->name, param, o.error);
}

static void out_of_range(void **state)
{
    (void)state;
    for (size_t k = 0; k < workload_count; k++)
        for (const WorkParam *p = workload_table[k].workload->params; p->name; p++) {
            char value[32];
            assert_true(p->min <= p->small && p->small <= p->max && p->min <= p->standard && p->standard <= p->max &&
                        p->min >= 0);
            snprintf(value, sizeof value, "%lld", (long long)p->min - 1);
            assert_refused(workload_table[k].workload, p, value);
            snprintf(value, sizeof value, "%lld", (long long)p->max + 1);
            assert_refused(workload_table[k].workload, p, value);
            static const char *const odd[] = {
                "", "many", "1.5", "18446744073709551615", "9223372036854775808", "99999999999999999999", "0x"};
            for (size_t o = 0; o < COUNT(odd); o++) assert_refused(workload_table[k].workload, p, odd[o]);
        }
}

static void least(void **state)
{
    (void)state;
    for (size_t k = 0; k < workload_count; k++)
        for (const WorkParam *p = workload_table[k].workload->params; p->name; p++) {
            char param[64];
            snprintf(param, sizeof param, "%s=%lld", p->name, (long long)p->min);
            const Outcome o = run(workload_table[k].workload, param);
            if (!o.ok) fail_msg("%s %s: %s", workload_table[k].workload->name, param, o.error);
        }
}

static void settled(void **state)
{
    (void)state;
    assert_string_equal(run(workload_find("corr")->workload, "m=0").params, "n=40 m=40");
    assert_string_equal(run(workload_find("syrk")->workload, "m=0").params, "n=48 m=48");
    assert_string_equal(run(workload_find("syr2k")->workload, "m=7").params, "n=48 m=7");
}

// Within the range, but nothing to run with.
static void refused(void **state)
{
    (void)state;
    static const char *const odd[][2] = {
        {"matmul-tiled", "n=17"}, {"wordcount", "bytes=129"}, {"wordcount", "bytes=255"},
        {"upper", "threads=33"},  {"backprop", "n=17"},       {"lud", "n=33"},
        {"nw", "n=100"}};
    for (size_t k = 0; k < COUNT(odd); k++) {
        const Outcome o = run(workload_find(odd[k][0])->workload, odd[k][1]);
        if (o.ok || !o.bad_argument || o.launches || !strstr(o.error, odd[k][1]) || !strstr(o.error, "multiple of"))
            fail_msg("%s %s: %s", odd[k][0], odd[k][1], o.error);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(out_of_range),
        cmocka_unit_test(least),
        cmocka_unit_test(settled),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
