// Numbers with units: what is read exactly, what is refused, and how numbers are shown.
#include "base/base.h"

#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void sizes(void **state)
{
    (void)state;
    const struct {
        const char *text;
        uint64_t want;
    } good[] = {
        {"0", 0},
        {"64", 64},
        {"0x40", 64},
        {"0XfF", 255},
        {"007", 7},
        {"64B", 64},
        {"48KiB", 49152},
        {"48 KiB", 49152},
        {"1.5MiB", 1572864},
        {"0.5KiB", 512},
        {"1.0", 1},
        {"2.000000000000000000000000", 2},
        {"3GiB", 3221225472},
        {"1TiB", 1099511627776},
        {"0.0009765625KiB", 1},
        {"0.5000000000000000000000TiB", 549755813888},
        {"18446744073709551615", UINT64_MAX},
        {"0xffffffffffffffff", UINT64_MAX},
        {"16777215.5TiB", UINT64_MAX - (((uint64_t)1 << 39) - 1)},
    };
    for (size_t i = 0; i < COUNT(good); i++) {
        uint64_t value = 12345;
        if (!parse_size(good[i].text, &value) || value != good[i].want)
            fail_msg("%s gives %llu", good[i].text, (unsigned long long)value);
    }
    const char *const bad[] = {"",
                               " ",
                               "KiB",
                               "-1",
                               "+1",
                               " 1",
                               "1 ",
                               "1  KiB",
                               "48KB",
                               "48K",
                               "48kib",
                               "48KiBs",
                               "48KiB ",
                               "1.",
                               ".5",
                               "1.5",
                               "1.5B",
                               "0.3KiB",
                               "1e3",
                               "0x",
                               "0x1g",
                               "0x1KiB",
                               "0x 1",
                               "1.2.3",
                               "1,5MiB",
                               "nan",
                               "16777216TiB",
                               "18446744073709551616",
                               "0x10000000000000000",
                               "0.0000000000000000001TiB"};
    for (size_t i = 0; i < COUNT(bad); i++) {
        uint64_t value = 12345;
        if (parse_size(bad[i], &value)) fail_msg("'%s' was taken as %llu", bad[i], (unsigned long long)value);
        assert_int_equal(value, 12345);
    }
}

static void doubles(void **state)
{
    (void)state;
    const struct {
        const char *text;
        double want;
    } good[] = {{"0", 0},
                {"-1.5", -1.5},
                {"+2", 2},
                {".5", 0.5},
                {"5.", 5},
                {"1e-3", 0.001},
                {"0x1p-3", 0.125},
                {"1.7976931348623157e308", DBL_MAX},
                {"5e-324", 0x1p-1074}};
    for (size_t i = 0; i < COUNT(good); i++) {
        double value = 77;
        if (!parse_double(good[i].text, &value) || value != good[i].want) fail_msg("%s gives %g", good[i].text, value);
        assert_true(parse_float(good[i].text, &value));
        assert_true(value == good[i].want);
    }
    const char *const bad[] = {"",    " 1",     "1 ",       "1x",    "e5",     ".",        "-", "--1",
                               "1,5", "nan(1)", "infinity", "1e999", "-1e400", "0x1p1024", "0x"};
    double value = 77;
    for (size_t i = 0; i < COUNT(bad); i++)
        if (parse_double(bad[i], &value) || parse_float(bad[i], &value))
            fail_msg("'%s' was taken as %g", bad[i], value);
}

// What isn't a finite number is an operand, but no setting; a setting has one zero.
static void settings_are_finite(void **state)
{
    (void)state;
    const char *const words[] = {"nan", "-nan", "+nan", "inf", "-inf", "+inf"};
    double value = 77;
    for (size_t i = 0; i < COUNT(words); i++) {
        if (parse_double(words[i], &value)) fail_msg("'%s' was taken as a setting", words[i]);
        assert_true(value == 77);
    }
    for (size_t i = 0; i < COUNT(words); i++) {
        assert_true(parse_float(words[i], &value));
        assert_true(i < 3 ? isnan(value) : isinf(value) && signbit(value) == (i == 4));
    }
    assert_true(parse_float("-0", &value) && signbit(value));
    assert_true(parse_double("-0", &value) && value == 0 && !signbit(value));
    assert_true(parse_double("-1e-400", &value) && value == 0 && !signbit(value));
}

static void lists(void **state)
{
    (void)state;
    const char *list = " 1, 2,,0x1p3 nan,";
    char item[64];
    const char *const want[] = {"1", "2", "0x1p3", "nan"};
    for (size_t i = 0; i < COUNT(want); i++) {
        assert_true(list_word(&list, item));
        assert_string_equal(item, want[i]);
    }
    assert_false(list_word(&list, item));
    char longest[65] = {0};
    memset(longest, '1', 64);
    const char *text = longest;
    assert_false(list_word(&text, item));
    text = longest + 1;
    assert_true(list_word(&text, item));
    assert_int_equal(strlen(item), 63);
}

static void shown(void **state)
{
    (void)state;
    const struct {
        double value;
        const char *count, *bytes;
    } cases[] = {
        {0, "0", "0 B"},
        {-0.0, "0", "0 B"},
        {1, "1", "1 B"},
        {0.25, "0.25", "0.25 B"},
        {1.5, "1.5", "1.5 B"},
        {9.999, "10", "10 B"},
        {99.96, "100", "100 B"},
        {999.4, "999", "999 B"},
        {999.6, "1 k", "1000 B"},
        {1000, "1 k", "1000 B"},
        {1023, "1.02 k", "1023 B"},
        {1024, "1.02 k", "1 KiB"},
        {49152, "49.2 k", "48 KiB"},
        {999999, "1 M", "977 KiB"},
        {1234567, "1.23 M", "1.18 MiB"},
        {-1234567, "-1.23 M", "-1.18 MiB"},
        {3221225472.0, "3.22 G", "3 GiB"},
        {2.5e15, "2.5 P", "2.22 PiB"},
        {1e20, "100000 P", "88818 PiB"},
        {INFINITY, "inf", "inf"},
        {-INFINITY, "-inf", "-inf"},
        {NAN, "nan", "nan"},
    };
    for (size_t i = 0; i < COUNT(cases); i++) {
        char out[32];
        format_count(out, cases[i].value);
        assert_string_equal(out, cases[i].count);
        format_bytes(out, cases[i].value);
        assert_string_equal(out, cases[i].bytes);
    }
    char out[32];
    format_count(out, DBL_MAX);
    assert_string_equal(out, "1.8e+293 P");
    format_count(out, -DBL_MIN);
    assert_string_equal(out, "0");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sizes), cmocka_unit_test(doubles), cmocka_unit_test(settings_are_finite),
        cmocka_unit_test(lists), cmocka_unit_test(shown),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
