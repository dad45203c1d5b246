// Texts that are made narrower stay apart, are as wide as they may be, and are whole where they fit.
#include "base/base.h"
#include "check.h"
#include "random.h"

#include <string.h>

// The names, shortened; what they become is expected if given.
static void shortens(size_t width, const char *const (*pairs)[2], size_t n)
{
    const char *names[64];
    char *out[64];
    for (size_t k = 0; k < n; k++) names[k] = pairs[k][0];
    names_shorten(names, n, width, out);
    for (size_t k = 0; k < n; k++) {
        if (pairs[k][1]) assert_string_equal(out[k], pairs[k][1]);
        if (text_width(out[k], strlen(out[k])) > width) fail_msg("%s is wider than %zu", out[k], width);
        for (size_t j = 0; j < k; j++)
            if (!strcmp(names[k], names[j]) != !strcmp(out[k], out[j]))
                fail_msg("%s and %s: %s, %s", names[k], names[j], out[k], out[j]);
    }
    for (size_t k = 0; k < n; k++) mem_free(out[k]);
}
#define SHORTENS(width, ...)                                  \
    do {                                                      \
        static const char *const pairs[][2] = {__VA_ARGS__};  \
        shortens(width, pairs, sizeof pairs / sizeof *pairs); \
    } while (0)

static void places(void **state)
{
    (void)state;
    SHORTENS(9, {"whole", "whole"}, {"nine wide", "nine wide"}, {"ten is too", "ten … too"});
    SHORTENS(9, {"abcdefghijkl", "abcd…ijkl"}, {"abcdefghijkl", "abcd…ijkl"}, {"", ""});
    SHORTENS(9, {"äöüäöüäöüäöü", "äöüä…üäöü"});
    // Where the middle would make them the same, more of the end or of the beginning stays.
    SHORTENS(9, {"kernel_1_of_the_file", "kernel_1…"}, {"kernel_2_of_the_file", NULL});
    SHORTENS(9, {"a_long_name_1_abcd", NULL}, {"a_long_name_2_abcd", NULL}, {"a_long_name_1_abce", NULL});
    // Neither does; they are shown from where they differ.
    SHORTENS(13, {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "aaa…1bbbbbbb…"},
             {"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "aaa…2bbbbbbb…"});
    // Numbers are the last resort.
    SHORTENS(3, {"abcdef", NULL}, {"abxdef", NULL}, {"abydef", NULL}, {"abcdef", NULL});
    SHORTENS(1, {"abcdef", "…"});
}

// Names of C++, up to 3,000 letters, in columns of any width, differing anywhere.
static void apart(void **state)
{
    (void)state;
    enum { NAMES = 40 };
    static char text[NAMES][3100];
    const char *names[NAMES];
    char *out[NAMES];
    uint64_t seed = 7;
    for (int round = 0; round < 60; round++) {
        const size_t n = 1 + random_below(&seed, NAMES), length = random_below(&seed, round % 2 ? 60 : 3000);
        const size_t width = 5 + random_below(&seed, 60);
        for (size_t k = 0; k < n; k++) {
            memset(text[k], 'x', length);
            text[k][length] = 0;
            for (int change = 0; change < 2 && length; change++)
                text[k][random_below(&seed, length)] = (char)('a' + random_below(&seed, 3));
            names[k] = text[k];
        }
        names_shorten(names, n, width, out);
        for (size_t k = 0; k < n; k++) {
            const size_t wide = text_width(out[k], strlen(out[k]));
            if (wide > width || (length <= width && strcmp(out[k], names[k]))) fail_msg("%zu: %s", width, out[k]);
            for (size_t j = 0; j < k; j++)
                if (strcmp(names[k], names[j]) && !strcmp(out[k], out[j])) fail_msg("twice %s", out[k]);
        }
        for (size_t k = 0; k < n; k++) mem_free(out[k]);
    }
    char *one = name_shorten("abcdefghijkl", 9);
    assert_string_equal(one, "abcd…ijkl");
    mem_free(one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(places), cmocka_unit_test(apart)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
