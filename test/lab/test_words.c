// Lists between commas, words between blanks, and settings. The values come from the rules. Commas divide, but for
// those in braces and in quotes; braces around a whole value and blanks around it are no part of it. A text in quotes
// is one word. A word without '=' belongs to the setting before it.
#include "store/store.h"

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

static void words(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        size_t length;
        const char *plain;
    } cases[] = {
        {"", 0, ""},
        {"word", 4, "word"},
        {"word next", 4, "word"},
        {"word\tnext", 4, "word"},
        {"\"my file\" next", 9, "my file"},
        {"buf:16:@\"my file\" next", 17, "buf:16:@my file"},
        {"\"a \"\"b\"\" c\" d", 11, "a \"b\" c"},
        {"\"\" a", 2, ""},
        {"\"\"\"\" a", 4, "\""},
        {"\"a\"\"b\"\"\" c", 8, "a\"b\""},
        {"\"open file", 5, "\"open"},
        {"a\"b.ptx", 7, "a\"b.ptx"},
        {"\"a\"b\"c d\"", 9, "abc d"},
    };
    Text out = {0};
    for (size_t k = 0; k < COUNT(cases); k++) {
        out.n = 0;
        assert_int_equal(word_length(cases[k].text), cases[k].length);
        word_plain(&out, cases[k].text, cases[k].length);
        assert_string_equal(out.v, cases[k].plain);
    }
    // What is quoted is one word, and its plain text is what was quoted.
    static const char *const texts[] = {"",        "word",    "my file", "a\"b",        "\"",    "\"\"",
                                        "\"a\" b", "{a,b}",   "a\tb",    "line\nline",  " ",     "a,b",
                                        "}",       "{\"} \"", "ü ü",     "\"\"\" \"\"", "a\"\"b"};
    for (size_t k = 0; k < COUNT(texts); k++) {
        Text quoted = {0};
        word_quoted(&quoted, texts[k]);
        const char *list = quoted.v;
        ListValue v;
        assert_true(list_next(&list, &v) && !v.wrong && (v.n == quoted.n || strchr(texts[k], ',')));
        assert_int_equal(word_length(quoted.v), quoted.n);
        out.n = 0;
        word_plain(&out, quoted.v, quoted.n);
        assert_string_equal(out.v, texts[k]);
        text_free(&quoted);
    }
    out.n = 0;
    word_quoted(&out, "buf:4KiB:rand:f32"), text_put(&out, " "), word_quoted(&out, "a,b");
    assert_string_equal(out.v, "buf:4KiB:rand:f32 a,b");
    text_free(&out);
}

static void settings(void **state)
{
    (void)state;
    static const char *const cases[][2] = {
        {"", ""},
        {"nx=64 ny=32", "[nx][64][ny][32]"},
        {" nx=64\t ny=32 ", "[nx][64][ny][32]"},
        {"tlb2.sets=24 17  17 l1.size=", "[tlb2.sets][24 17  17][l1.size][]"},
        {"args=i32:8 buf:4:@a=b block=8", "[args][i32:8 buf:4:@a=b][block][8]"},
        {"args=\"buf:4:@a b=c\" buf:4 block=8", "[args][\"buf:4:@a b=c\" buf:4][block][8]"},
        {"kernel=f<int, 2>(float*) grid=2", "[kernel][f<int, 2>(float*)][grid][2]"},
        {"bytes nx=64", ""},
    };
    Text name = {0}, value = {0}, out = {0};
    for (size_t k = 0; k < COUNT(cases); k++) {
        out.n = 0, text_put(&out, "");
        for (const char *list = cases[k][0]; setting_next(&list, &name, &value);)
            text_printf(&out, "[%s][%s]", name.v, value.v);
        assert_string_equal(out.v, cases[k][1]);
    }
    assert_int_equal(setting_length("my file.ptx  block=8"), 11);
    assert_int_equal(setting_length("\"a b=c\" block=8"), 7);
    text_free(&name), text_free(&value), text_free(&out);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(lists), cmocka_unit_test(words), cmocka_unit_test(settings)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
