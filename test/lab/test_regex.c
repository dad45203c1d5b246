// Regular expressions over kernels' names: the usual ones find what libc's POSIX extended expressions find in the same
// names. What takes too many steps is given up in bounded processor time, whatever the name's length.
#include "check.h"

#include "device/device.h"
#include "sweep/sweep.h"

#include <regex.h>
#include <string.h>
#include <sys/resource.h>

static const char *const usual[] = {
    "",
    "kernel1",
    "^atax",
    "kernel[12]$",
    "atax_kernel1|bicg_kernel2",
    "(atax|bicg)_kernel(1|2)",
    ".*_k.*",
    "[[:digit:]]{2,}",
    "^.{4}$",
    "x*y+z?",
    "\\(",
    "[^a-z_]",
    "a{3}",
    "(ab|a)(c|bcd)*$",
    "K",
    "^$",
    "float\\*",
    "^(a+)+$",
};
static const char *const names[] = {
    "",
    "atax_kernel1",
    "atax_kernel2",
    "bicg_kernel2",
    "saxpy",
    "_Z4axpyPfi",
    "axpy(float*, int)",
    "kernel12",
    "aaa",
    "abcd",
    "abc",
    "xyz",
    "yz",
    "gemm",
    "K",
    "aaaaaaaaaaaaaaaaaaaa",
    "aaaaaaaaaaaab",
};

static bool taken(const Regex *p, const char *name, const char *shown, bool *out, Diag *diag)
{
    const KernelFilter *f = regex_filter(p);
    return f->takes(f->user, name, shown, out, diag);
}

static void as_posix(void **state)
{
    (void)state;
    for (size_t e = 0; e < COUNT(usual); e++) {
        regex_t r;
        Diag why = {0};
        Regex *p = regex_open(usual[e], &why);
        if (!p) fail_msg("%s", why.text.v);
        assert_int_equal(regcomp(&r, *usual[e] ? usual[e] : "()", REG_EXTENDED | REG_NOSUB), 0);
        for (size_t n = 0; n < COUNT(names); n++)
            for (size_t s = 0; s < COUNT(names); s++) {
                bool out, either = !regexec(&r, names[n], 0, NULL, 0) || !regexec(&r, names[s], 0, NULL, 0);
                assert_true(taken(p, names[n], names[s], &out, &why));
                if (out != either) fail_msg("'%s' in '%s' or '%s': %d", usual[e], names[n], names[s], out);
            }
        regfree(&r);
        regex_close(p);
    }
    assert_null(regex_filter(NULL));
    regex_close(NULL);
}

static double cpu(void)
{
    struct rusage u;
    getrusage(RUSAGE_SELF, &u);
    return (double)(u.ru_utime.tv_sec + u.ru_stime.tv_sec) + 1e-6 * (double)(u.ru_utime.tv_usec + u.ru_stime.tv_usec);
}

// The number of ways to divide the a's grows as 2^n in the first, and each step of the second looks at the whole name.
static void bounded(void **state)
{
    (void)state;
    static const char *const slow[] = {"^(a+)+[b]c?$", "^(([a-y]*+z|a)+)+[b]$", "((a?){200}){3}[b]$"};
    for (size_t e = 0; e < COUNT(slow); e++)
        for (size_t n = 40; n <= 4000000; n *= 10) {
            Diag why = {0};
            bool out = true;
            double began = cpu();
            char *name = mem_alloc(n + 1);
            memset(name, 'a', n);
            Regex *p = regex_open(slow[e], &why);
            if (!p) fail_msg("%s", why.text.v);
            if (!taken(p, name, name, &out, &why)) assert_non_null(strstr(why.text.v, "too many steps"));
            assert_false(out);
            if (cpu() - began > 20) fail_msg("'%s' over %zu characters takes %g s", slow[e], n, cpu() - began);
            regex_close(p);
            mem_free(name);
            diag_free(&why);
        }
}

static void refused(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "(", "a)", "[a", "a{2,1}", "*a", "((a{255}){255}){255}", "(?<n>a)(?<n>b)", "\\C*", "(*UTF)a", "(?P>x)"};
    for (size_t k = 0; k < COUNT(bad); k++) {
        Diag why = {0};
        if (regex_open(bad[k], &why)) fail_msg("'%s' is taken", bad[k]);
        if (!strstr(why.text.v, bad[k]) || !strstr(why.text.v, "malformed")) fail_msg("%s", why.text.v);
        diag_free(&why);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(as_posix),
        cmocka_unit_test(bounded),
        cmocka_unit_test(refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
