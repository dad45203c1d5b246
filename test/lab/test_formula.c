// Formulas: precedence, functions, names, and errors that point at their place.
#include "check.h"
#include "store/query.h"

#include <math.h>
#include <string.h>

static bool name(void *user, const char *name, double *value)
{
    (void)user;
    *value = !strcmp(name, "l1.hits") ? 30 : !strcmp(name, "l1.accesses") ? 40 : 7;
    return name[0] == 'l' || !strcmp(name, "x");
}

static double of(const char *text)
{
    double v;
    Diag diag = {0};
    if (!formula(text, name, NULL, &v, &diag)) fail_msg("%s: %s", text, diag.text.v);
    return v;
}

static void values(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        double value;
    } cases[] = {
        {"1 + 2 * 3", 7},
        {"(1 + 2) * 3", 9},
        {"2 - 3 - 4", -5},
        {"24 / 4 / 2", 3},
        {"-2 * -3", 6},
        {"--2", 2},
        {"1e3 / 4", 250},
        {"100 * l1.hits / l1.accesses", 75},
        {"min(3, x) + max(3, x)", 10},
        {"abs(-x)", 7},
        {"sqrt(16) + log2(8)", 7},
        {" ( x ) ", 7},
        {"max(min(1, 2), -(3))", 1},
        {".5 * 4", 2},
        {"l2[ways=4 blocks=1] * l1.hits - (1)", 209},
    };
    for (size_t k = 0; k < COUNT(cases); k++)
        if (of(cases[k].text) != cases[k].value)
            fail_msg("%s: %g, not %g", cases[k].text, of(cases[k].text), cases[k].value);
    assert_true(isnan(of("1 / (x - 7)")));
    assert_true(isnan(of("1 + 1 / 0")));
}

static void errors(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", "formula:1:1:"},
        {"1 +", "formula:1:4:"},
        {"(1", "formula:1:3: error: ')'"},
        {"1 2", "formula:1:3: error: an operator"},
        {"1 + y", "formula:1:5: error: no counter"},
        {"cbrt(8)", "formula:1:1: error: no such function"},
        {"min(1)", "two values"},
        {"abs(1, 2)", "one value"},
        {"1 $ 2", "formula:1:3:"},
        {"1 + l2[ways=4", "formula:1:7: error: '[' without ']'"},
        {"1 + k2[ways=4]", "formula:1:5: error: no counter"},
    };
    for (size_t k = 0; k < COUNT(cases); k++) {
        double v;
        Diag diag = {0};
        assert_false(formula(cases[k][0], name, NULL, &v, &diag));
        if (!strstr(diag.text.v, cases[k][1])) fail_msg("'%s': %s", cases[k][0], diag.text.v);
        diag_free(&diag);
    }
    char deep[10001];
    memset(deep, '(', 10000), deep[10000] = 0;
    double v;
    Diag diag = {0};
    assert_false(formula(deep, name, NULL, &v, &diag));
    diag_free(&diag);
    memset(deep, '-', 10000);
    assert_false(formula(deep, name, NULL, &v, &diag));
    diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
