// The JSON writer: layout, escapes, and numbers that read back as themselves.
#include "base/base.h"

#include "check.h"

#include <float.h>
#include <math.h>
#include <string.h>

static void layout(void **state)
{
    (void)state;
    Json json = {0};
    json_open(&json, NULL, '{');
    json_string(&json, "name", "atax");
    json_open(&json, "kernels", '[');
    json_open(&json, NULL, '{');
    json_int(&json, "cycles", -5);
    json_uint(&json, "bytes", UINT64_MAX);
    json_close(&json, '}');
    json_open(&json, NULL, '{');
    json_close(&json, '}');
    json_double(&json, NULL, 0.5);
    json_bool(&json, NULL, true);
    json_string(&json, NULL, NULL);
    json_close(&json, ']');
    json_open(&json, "none", '[');
    json_close(&json, ']');
    json_bool(&json, "verified", false);
    json_close(&json, '}');
    assert_string_equal(json.text.v, "{\n"
                                     "  \"name\": \"atax\",\n"
                                     "  \"kernels\": [\n"
                                     "    {\n"
                                     "      \"cycles\": -5,\n"
                                     "      \"bytes\": 18446744073709551615\n"
                                     "    },\n"
                                     "    {},\n"
                                     "    0.5,\n"
                                     "    true,\n"
                                     "    null\n"
                                     "  ],\n"
                                     "  \"none\": [],\n"
                                     "  \"verified\": false\n"
                                     "}\n");
    assert_int_equal(json.depth, 0);
    json_free(&json);
}

static void written(const char *value, const char *want)
{
    Json json = {0};
    json_string(&json, NULL, value);
    assert_string_equal(json.text.v, want);
    json_free(&json);
}

static void escapes(void **state)
{
    (void)state;
    written("", "\"\"");
    written("a\"b\\c/d", "\"a\\\"b\\\\c/d\"");
    written("\n\t\r", "\"\\n\\t\\r\"");
    written("\x01\x1f\x7f", "\"\\u0001\\u001f\\u007f\"");
    written("ü→𝄞", "\"ü→𝄞\"");
    // Not UTF-8: a stray byte, a cut sequence, an overlong '/', a surrogate, past U+10FFFF. One U+FFFD a byte.
#define FFFD "\xef\xbf\xbd"
    written("a\xff"
            "b",
            "\"a" FFFD "b\"");
    written("\xe2\x86", "\"" FFFD FFFD "\"");
    written("\xc0\xaf", "\"" FFFD FFFD "\"");
    written("\xed\xa0\x80", "\"" FFFD FFFD FFFD "\"");
    written("\xf4\x90\x80\x80", "\"" FFFD FFFD FFFD FFFD "\"");
    Json json = {0};
    json_open(&json, NULL, '{');
    json_int(&json, "a\nb", 1);
    json_close(&json, '}');
    assert_string_equal(json.text.v, "{\n  \"a\\nb\": 1\n}\n");
    json_free(&json);
}

static void number_is(double value, const char *want)
{
    Json json = {0};
    json_double(&json, NULL, value);
    assert_string_equal(json.text.v, want);
    json_free(&json);
}

static void doubles(void **state)
{
    (void)state;
    number_is(0, "0");
    number_is(3, "3");
    number_is(0.1, "0.1");
    number_is(-2.5e-7, "-2.5e-07");
    number_is(1.0 / 3, "0.3333333333333333");
    number_is(0.1 + 0.2, "0.30000000000000004");
    number_is(1e22, "1e+22");
    number_is(DBL_MAX, "1.7976931348623157e+308");
    number_is(NAN, "null");
    number_is(INFINITY, "null");
    number_is(-INFINITY, "null");
    // Every double reads back as itself.
    uint64_t bits = 88172645463325252u;
    for (int i = 0; i < 20000; i++) {
        bits ^= bits << 13;
        bits ^= bits >> 7;
        bits ^= bits << 17;
        double value, back;
        memcpy(&value, &bits, sizeof value);
        if (!isfinite(value)) continue;
        Json json = {0};
        json_double(&json, NULL, value);
        assert_true(parse_double(json.text.v, &back));
        assert_memory_equal(&value, &back, sizeof value);
        json_free(&json);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(layout),
        cmocka_unit_test(escapes),
        cmocka_unit_test(doubles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
