// The INI reader: what is read, where it was, and each error's place.
#include "base/base.h"

#include "check.h"

#include <string.h>

static void entry_is(const Ini *ini, size_t i, const char *section, const char *key, const char *value,
                     const char *comment)
{
    assert_true(i < ini->entries.n);
    const IniEntry *e = &ini->entries.v[i];
    assert_string_equal(e->section, section);
    assert_string_equal(e->key, key);
    assert_string_equal(e->value, value);
    assert_string_equal(e->comment, comment);
    assert_memory_equal(ini->source.text + e->key_at, key, strlen(key));
    assert_memory_equal(ini->source.text + e->value_at, value, strlen(value));
}

static void everything_legal(void **state)
{
    (void)state;
    const char text[] = "\xef\xbb\xbf"
                        "; a whole line\n"
                        "name = GTX 480\t# NVIDIA's datasheet \r\n"
                        "\n"
                        "  [ l1.data ]  ; Fermi\n"
                        "size=48KiB\n"
                        "  index = xor #2 ; both\n"
                        "url = http://a/#b;c  # only after white space\n"
                        "empty =\n"
                        "bare = # nothing\n"
                        "[dram]\n"
                        "size = 1";
    Ini ini;
    Diag diag = {0};
    assert_true(ini_parse(&ini, "g.ini", text, sizeof text - 1, &diag));
    assert_false(diag.failed);
    assert_int_equal(ini.entries.n, 7);
    entry_is(&ini, 0, "", "name", "GTX 480", "NVIDIA's datasheet");
    entry_is(&ini, 1, "l1.data", "size", "48KiB", "");
    entry_is(&ini, 2, "l1.data", "index", "xor", "2 ; both");
    entry_is(&ini, 3, "l1.data", "url", "http://a/#b;c", "only after white space");
    entry_is(&ini, 4, "l1.data", "empty", "", "");
    entry_is(&ini, 5, "l1.data", "bare", "", "nothing");
    entry_is(&ini, 6, "dram", "size", "1", "");
    assert_string_equal(ini.source.name, "g.ini");
    ini_free(&ini);
    assert_int_equal(ini.entries.n, 0);
}

static void empty_files(void **state)
{
    (void)state;
    const char *const texts[] = {"", "\n", "  \t\n\r\n", "# only", "[s]"};
    for (size_t i = 0; i < COUNT(texts); i++) {
        Ini ini;
        Diag diag = {0};
        assert_true(ini_parse(&ini, "g.ini", texts[i], strlen(texts[i]), &diag));
        assert_int_equal(ini.entries.n, 0);
        ini_free(&ini);
    }
}

static void refused(const char *text, size_t length, const char *want)
{
    Ini ini;
    Diag diag = {0};
    assert_false(ini_parse(&ini, "g.ini", text, length, &diag));
    assert_string_equal(diag.text.v, want);
    ini_free(&ini);
    diag_free(&diag);
}

#define REFUSED(text, want) refused(text, sizeof text - 1, want)

static void errors_point_at_the_place(void **state)
{
    (void)state;
    REFUSED("[l1]\nsize 48\n", "g.ini:2:6: error: expected '=' after 'size'\n"
                               "    2 | size 48\n"
                               "      |      ^");
    REFUSED("  ??\n", "g.ini:1:3: error: expected 'key = value', '[section]' or a comment\n"
                      "    1 |   ??\n"
                      "      |   ^");
    REFUSED("= 4", "g.ini:1:1: error: expected 'key = value', '[section]' or a comment\n"
                   "    1 | = 4\n"
                   "      | ^");
    REFUSED("[]", "g.ini:1:2: error: expected a section's name after '['\n"
                  "    1 | []\n"
                  "      |  ^");
    REFUSED("[l1", "g.ini:1:4: error: expected ']' after the section's name\n"
                   "    1 | [l1\n"
                   "      |    ^");
    REFUSED("[l1] x", "g.ini:1:6: error: expected the end of the line after ']'\n"
                      "    1 | [l1] x\n"
                      "      |      ^");
    REFUSED("a = 1\0\n", "g.ini:1:6: error: a zero byte: this isn't a text file\n"
                         "    1 | a = 1?\n"
                         "      |      ^");
}

static void a_key_is_given_once(void **state)
{
    (void)state;
    REFUSED("[a]\nx = 1\n[b]\nx = 2\n[a]\n  x = 3\n", "g.ini:6:3: error: 'x' is given twice in [a]\n"
                                                      "    6 |   x = 3\n"
                                                      "      |   ^\n"
                                                      "hint: it was first given in line 2");
    REFUSED("x = 1\nx = 1\n", "g.ini:2:1: error: 'x' is given twice\n"
                              "    2 | x = 1\n"
                              "      | ^\n"
                              "hint: it was first given in line 1");
    // "a.b" outside a section and "b" inside [a] are two keys.
    Ini ini;
    Diag diag = {0};
    const char text[] = "a.b = 1\n[a]\nb = 2\n";
    assert_true(ini_parse(&ini, "g.ini", text, sizeof text - 1, &diag));
    assert_int_equal(ini.entries.n, 2);
    ini_free(&ini);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(everything_legal),
        cmocka_unit_test(empty_files),
        cmocka_unit_test(errors_point_at_the_place),
        cmocka_unit_test(a_key_is_given_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
