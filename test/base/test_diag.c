// Diagnostics: the place, the caret under tabs, wide characters and long lines, and the nearest name.
#include "base/base.h"

#include "check.h"

#include <string.h>

static Source source_of(const char *text) { return (Source){.name = "k.ptx", .text = text, .length = strlen(text)}; }

static void places(void **state)
{
    (void)state;
    Source source = source_of("ab\ncd\n\nx");
    const int want[][2] = {{1, 1}, {1, 2}, {1, 3}, {2, 1}, {2, 2}, {2, 3}, {3, 1}, {4, 1}, {4, 2}};
    for (size_t i = 0; i < COUNT(want); i++) {
        SourcePlace place = source_place(&source, i);
        assert_int_equal(place.line, want[i][0]);
        assert_int_equal(place.column, want[i][1]);
    }
    SourcePlace place = source_place(&source, 1000);  // past the end: the end
    assert_int_equal(place.line, 4);
    assert_int_equal(place.column, 2);
    place = source_place(&(Source){.name = "e"}, 0);
    assert_int_equal(place.line, 1);
    assert_int_equal(place.column, 1);
}

// Lines of other texts: before the first mark the text's own; from each mark on its lines count on.
static void marks(void **state)
{
    (void)state;
    static const LineMark mark[] = {{4, "a.ptx", 70}, {11, "b.ptx", 4}, {13, "b.ptx", INT32_MAX}};
    Source source = source_of("0\n#\nab\nc\n#\nd\ne\n");
    source.marks = mark, source.mark_count = COUNT(mark);
    const struct {
        size_t at;
        const char *name;
        int line, column;
    } want[] = {{0, "k.ptx", 1, 1},  {3, "k.ptx", 2, 2},          {4, "a.ptx", 70, 1},
                {5, "a.ptx", 70, 2}, {7, "a.ptx", 71, 1},         {10, "a.ptx", 72, 2},
                {11, "b.ptx", 4, 1}, {13, "b.ptx", INT32_MAX, 1}, {99, "b.ptx", INT32_MAX, 1}};
    for (size_t k = 0; k < COUNT(want); k++) {
        SourcePlace place = source_place(&source, want[k].at);
        assert_string_equal(place.name, want[k].name);
        assert_int_equal(place.line, want[k].line);
        assert_int_equal(place.column, want[k].column);
    }
    Diag diag = {0};
    diag_at(&diag, &source, 7, NULL, "unknown thing");
    assert_string_equal(diag.text.v, "a.ptx:71:1: error: unknown thing\n   71 | c\n      | ^");
    diag_free(&diag);
}

static void expect(const char *text, size_t offset, const char *hint, const char *want)
{
    Source source = source_of(text);
    Diag diag = {0};
    assert_false(diag_at(&diag, &source, offset, hint, "unknown %s", "thing"));
    assert_true(diag.failed);
    assert_string_equal(diag.text.v, want);
    diag_free(&diag);
    assert_false(diag.failed);
}

static void carets(void **state)
{
    (void)state;
    expect("mov.u32 r, 1;\nadd.x32 r, r;\n", 18, NULL,
           "k.ptx:2:5: error: unknown thing\n"
           "    2 | add.x32 r, r;\n"
           "      |     ^");
    expect("a b", 2, "try c",
           "k.ptx:1:3: error: unknown thing\n"
           "    1 | a b\n"
           "      |   ^\n"
           "hint: try c");
    // At the end of a line, of a line with CR LF, of the text, and in an empty text.
    expect("ab\ncd", 2, NULL, "k.ptx:1:3: error: unknown thing\n    1 | ab\n      |   ^");
    expect("ab\r\ncd", 2, NULL, "k.ptx:1:3: error: unknown thing\n    1 | ab\n      |   ^");
    expect("ab\n", 3, NULL, "k.ptx:2:1: error: unknown thing\n    2 | \n      | ^");
    expect("", 99, NULL, "k.ptx:1:1: error: unknown thing\n    1 | \n      | ^");
    // Tabs stay tabs; a character of several bytes takes one column; what isn't text becomes '?'.
    expect("\tx\ty", 3, NULL, "k.ptx:1:4: error: unknown thing\n    1 | \tx\ty\n      | \t \t^");
    expect("ü→y", 5, NULL, "k.ptx:1:6: error: unknown thing\n    1 | ü→y\n      |   ^");
    expect("\x1b[\xff\xe2\x86y", 5, NULL, "k.ptx:1:6: error: unknown thing\n    1 | ?[???y\n      |      ^");
}

static void long_lines_are_cut_around_the_caret(void **state)
{
    (void)state;
    char text[1001];
    memset(text, 'a', 1000);
    text[1000] = 0;
    for (size_t at = 0; at <= 1000; at++) {
        if (at < 1000) text[at] = 'X';
        Source source = source_of(text);
        Diag diag = {0};
        diag_at(&diag, &source, at, NULL, "m");
        char *line = strchr(diag.text.v, '\n') + 1, *caret = strchr(line, '\n') + 1;
        assert_true(caret - line < 130);
        assert_true(strlen(caret) < 130);
        // "…" is three bytes and one column.
        size_t column = strlen(caret) - 1 + (strncmp(line + 8, "…", 3) == 0 ? 2 : 0);
        assert_int_equal(caret[strlen(caret) - 1], '^');
        if (at < 1000) assert_int_equal(line[column], 'X');
        diag_free(&diag);
        if (at < 1000) text[at] = 'a';
    }
}

static void the_first_error_wins(void **state)
{
    (void)state;
    Source source = source_of("abc");
    Diag diag = {0};
    assert_false(diag_error(&diag, "no %s", "file"));
    assert_false(diag_error(&diag, "second"));
    assert_false(diag_at(&diag, &source, 1, NULL, "third"));
    assert_string_equal(diag.text.v, "no file");
    diag_free(&diag);
}

static void nearest(void **state)
{
    (void)state;
    const char *const names[] = {"atax", "bicg", "gesummv", "syrk", "syr2k", "vectoradd"};
#define NEAR(word) nearest_name(word, names, COUNT(names))
    assert_string_equal(NEAR("atax"), "atax");
    assert_string_equal(NEAR("atxa"), "atax");
    assert_string_equal(NEAR("syr"), "syrk");  // 1 away; syr2k is 2
    assert_string_equal(NEAR("gesumv"), "gesummv");
    assert_string_equal(NEAR("vectorad"), "vectoradd");
    assert_string_equal(NEAR("vector_adds"), "vectoradd");
    assert_null(NEAR("histogram"));
    assert_null(NEAR("xyz"));  // syrk is 3 away, but that is most of it
    assert_null(NEAR(""));
    assert_null(nearest_name("atax", names, 0));
    assert_null(NEAR("a-very-long-word-that-is-longer-than-any-name-could-be-in-this-program-at-all"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(places),
        cmocka_unit_test(marks),
        cmocka_unit_test(carets),
        cmocka_unit_test(long_lines_are_cut_around_the_caret),
        cmocka_unit_test(the_first_error_wins),
        cmocka_unit_test(nearest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
