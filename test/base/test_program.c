// program_run: a program's words, its folder and its output.
#include "base/base.h"
#include "check.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>

// No shell reads the words, both outputs arrive, there is nothing to read, and the program works in the folder.
static void a_program_says(void **state)
{
    (void)state;
    Text said = {0};
    int status = -1;
    const char *const words[] = {"sh", "-c", "pwd; cat; echo \"$1\" >&2; exit 3", "sh", "a 'b\" $c", NULL};
    assert_true(program_run(words, "/usr", &said, &status));
    assert_string_equal(said.v, "/usr\na 'b\" $c\n");
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 3);
    text_free(&said);
}

// More than a pipe holds.
static void much_is_said(void **state)
{
    (void)state;
    Text said = {0};
    int status = -1;
    const char *const words[] = {"head", "-c", "1000000", "/dev/zero", NULL};
    assert_true(program_run(words, ".", &said, &status));
    assert_int_equal(said.n, 1000000);
    assert_int_equal(status, 0);
    text_free(&said);
}

static void no_such_program(void **state)
{
    (void)state;
    Text said = {0};
    int status = -1;
    const char *const words[] = {"onchip-has-no-such-program", NULL};
    assert_false(program_run(words, ".", &said, &status));
    assert_int_equal(errno, ENOENT);
    const char *const there[] = {"true", NULL};
    assert_false(program_run(there, "/onchip-has-no-such-folder", &said, &status));
    assert_int_equal(errno, ENOENT);
    assert_int_equal(said.n, 0);
    text_free(&said);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_says),
        cmocka_unit_test(much_is_said),
        cmocka_unit_test(no_such_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
