// Growing texts, files, and independence of the host's locale.
#include "base/base.h"

#include "check.h"

#include <errno.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static void pieces_come_together(void **state)
{
    (void)state;
    Text text = {0};
    text_put(&text, "");
    assert_string_equal(text.v, "");
    text_put(&text, "block");
    text_add(&text, " (0,1)xyz", 6);
    text_printf(&text, " lane %02d %s %%", 7, "ok");
    assert_string_equal(text.v, "block (0,1) lane 07 ok %");
    assert_int_equal(text.n, 24);
    text_free(&text);
    assert_null(text.v);
    assert_int_equal(text.n, 0);
}

static void printf_at_every_length(void **state)
{
    (void)state;
    // Around every size at which the buffer grows, the text is whole.
    for (int width = 2; width < 600; width++) {
        Text text = {0};
        text_printf(&text, "%*d", width, 42);
        text_printf(&text, "<%*d>", width, 9);
        assert_int_equal(text.n, 2 * width + 2);
        assert_int_equal(strlen(text.v), text.n);
        assert_int_equal(text.v[text.n - 2], '9');
        assert_int_equal(text.v[width], '<');
        text_free(&text);
    }
}

static void numbers_ignore_the_locale(void **state)
{
    (void)state;
    if (!setlocale(LC_ALL, "de_DE.UTF-8") && !setlocale(LC_ALL, "fr_FR.UTF-8")) skip();
    Text text = {0};
    text_printf(&text, "%.2f", 1.5);
    assert_string_equal(text.v, "1.50");
    text_free(&text);
    double value;
    assert_true(parse_double("2.5", &value));
    assert_true(value == 2.5);
    assert_false(parse_double("2,5", &value));
    setlocale(LC_ALL, "C");
}

static void write_all(int fd, const char *bytes, size_t n)
{
    while (n) {
        ssize_t wrote = write(fd, bytes, n);
        assert_true(wrote > 0);
        bytes += wrote;
        n -= (size_t)wrote;
    }
}

static void files_are_read_whole(void **state)
{
    (void)state;
    char path[] = "/tmp/onchip-test-XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    Text text = {0};
    assert_true(text_read_file(&text, path));
    assert_int_equal(text.n, 0);
    assert_string_equal(text.v, "");

    enum { BYTES = 300001 };
    char *bytes = mem_alloc(BYTES);
    for (int i = 0; i < BYTES; i++) bytes[i] = (char)(i * 31 % 256);  // zero bytes too
    write_all(fd, bytes, BYTES);
    close(fd);
    text_put(&text, "> ");
    assert_true(text_read_file(&text, path));  // behind what is there
    assert_int_equal(text.n, BYTES + 2);
    assert_memory_equal(text.v, "> ", 2);
    assert_memory_equal(text.v + 2, bytes, BYTES);
    assert_int_equal(text.v[text.n], 0);
    text_free(&text);
    mem_free(bytes);
    unlink(path);

    assert_false(text_read_file(&text, path));
    assert_int_equal(errno, ENOENT);
    assert_false(text_read_file(&text, "/"));
    assert_int_equal(errno, EISDIR);
    assert_null(text.v);  // a caller that gives up has nothing to free
    text_put(&text, "kept");
    assert_false(text_read_file(&text, "/"));
    assert_string_equal(text.v, "kept");
    text_free(&text);
}

// What has no end is given up where no text file ends, or where memory does.
static void files_without_an_end(void **state)
{
    (void)state;
    Text text = {0};
    text_put(&text, "kept");
    assert_false(text_read_file(&text, "/dev/zero"));
    assert_true(errno == EFBIG || errno == ENOMEM);
    assert_string_equal(text.v, "kept");
    text_free(&text);
    assert_true(text_read_file(&text, "/dev/null"));
    assert_int_equal(text.n, 0);
    assert_string_equal(text.v, "");
    text_free(&text);
}

// What is written is read back, byte by byte; a longer file's end doesn't stay. A full disk is told.
static void files_are_written_whole(void **state)
{
    (void)state;
    setenv("TMPDIR", "/tmp", 1);
    Diag diag = {0};
    Text folder = {0}, path = {0}, text = {0}, back = {0};
    assert_true(folder_for_a_while(&folder, &diag));
    text_printf(&path, "%s/file", folder.v);
    for (int length = 100000; length >= 0; length -= 50000) {
        text.n = back.n = 0;
        for (int i = 0; i < length; i++) text_add(&text, &(char){(char)(i % 251)}, 1);
        assert_true(text_write_file(&text, path.v));
        assert_true(text_read_file(&back, path.v));
        assert_int_equal(back.n, length);
        assert_memory_equal(back.v, text.v, (size_t)length);
    }
    unlink(path.v), assert_int_equal(rmdir(folder.v), 0);
    assert_false(text_write_file(&text, path.v));
    assert_int_equal(errno, ENOENT);
    text_put(&text, "no room");
    assert_false(text_write_file(&text, "/dev/full"));
    assert_int_equal(errno, ENOSPC);
    setenv("TMPDIR", "/nowhere", 1);
    folder.n = 0;
    assert_false(folder_for_a_while(&folder, &diag));
    assert_non_null(strstr(diag.text.v, "can't make a folder like /nowhere/onchip-"));
    assert_non_null(strstr(diag.text.v, "set TMPDIR"));
    unsetenv("TMPDIR");
    text_free(&folder), text_free(&path), text_free(&text), text_free(&back), diag_free(&diag);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(pieces_come_together),      cmocka_unit_test(printf_at_every_length),
        cmocka_unit_test(numbers_ignore_the_locale), cmocka_unit_test(files_are_read_whole),
        cmocka_unit_test(files_without_an_end),      cmocka_unit_test(files_are_written_whole),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
