// Lists between commas. The values come from the rules: commas divide, but for those in braces and in quotes; braces
// around a whole value and blanks around it are no part of it.
#include "work/programs.h"

#include "check.h"

#include <string.h>

// The values, each between brackets; behind them what is wrong, and the byte at which.
static void values(const char *list, Text *out)
{
    const char *start = list;
    ListValue v;
    out->n = 0;
    text_put(out, "");
    while (list_next(&list, &v)) {
        if (v.wrong)
            text_printf(out, "%s at %d", v.wrong, (int)(v.at - start));
        else
            text_printf(out, "[%.*s]", (int)v.n, v.at);
    }
}

static void lists(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"16KiB", "[16KiB]"},
        {"", "[]"},
        {"a,b", "[a][b]"},
        {" a b ,\tc\n", "[a b][c]"},
        {",a,,b,", "[][a][][b][]"},
        {"{32,8}", "[32,8]"},
        {"{32,8},{16,16},4", "[32,8][16,16][4]"},
        {" {a, b} ", "[a, b]"},
        {"{}", "[]"},
        {"{a{b,c},d},e", "[a{b,c},d][e]"},
        {"k{1,2}", "[k{1,2}]"},
        {"{1,2}k", "[{1,2}k]"},
        {"{1,2}k{3,4}", "[{1,2}k{3,4}]"},
        {"\"a,b\",c", "[\"a,b\"][c]"},
        {"{\"}\",1},2", "[\"}\",1][2]"},
        {"\"a\"\",b\",c", "[\"a\"\",b\"][c]"},
        {"a\"b,c\",d", "[a\"b,c\"][d]"},
        {"a\"b,c", "[a\"b][c]"},
        {"a{", "'{' without '}' at 1"},
        {"a,{b,c", "[a]'{' without '}' at 2"},
        {"{a{b}", "'{' without '}' at 0"},
        {"a,b}", "[a]'}' without '{' at 3"},
        {"{a}},b", "'}' without '{' at 3"},
    };
    Text out = {0};
    for (size_t k = 0; k < COUNT(cases); k++) {
        values(cases[k][0], &out);
        if (strcmp(out.v, cases[k][1])) fail_msg("'%s' gives %s, not %s", cases[k][0], out.v, cases[k][1]);
    }
    text_free(&out);
    const char *none = NULL;
    ListValue v;
    assert_false(list_next(&none, &v));
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
