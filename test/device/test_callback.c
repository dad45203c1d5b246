// The device called from config.progress and config.print, while a launch is under way: what only asks is answered, and
// everything else is refused by name, as the head of onchip.h says. The launch ends as it would have, and afterwards
// all handles are still there. Every function of onchip.h has a row.
#include "check.h"

#include <onchip.h>
#include <stdio.h>
#include <string.h>

// Each thread counts to n and stores n at out. It prints once where asked to.
static const char ptx[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                          ".visible .global .align 4 .u32 there;\n"
                          ".global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
                          ".extern .func (.param .b32 r) vprintf (.param .b64 f, .param .b64 v);\n"
                          ".visible .entry count(.param .u64 out, .param .u32 n) {\n"
                          "    .reg .b64 %d<2>; .reg .b32 %r<3>; .reg .pred %p<2>;\n"
                          "    ld.param.u64 %d1, [out]; ld.param.u32 %r2, [n]; mov.u32 %r1, 0;\n"
                          "again: add.u32 %r1, %r1, 1; setp.lt.u32 %p1, %r1, %r2; @%p1 bra again;\n"
                          "    st.global.u32 [%d1], %r1; ret;\n"
                          "}\n"
                          ".visible .entry say() {\n"
                          "    .reg .b64 %d<3>;\n"
                          "    mov.u64 %d1, text; cvta.global.u64 %d1, %d1; mov.u64 %d2, 0;\n"
                          "    {.param .b64 f; .param .b64 v; .param .b32 r;\n"
                          "     st.param.b64 [f], %d1; st.param.b64 [v], %d2; call.uni (r), vprintf, (f, v);}\n"
                          "    ret;\n"
                          "}\n";
enum { COUNT_TO = 100000 };
static const oc_dim3 one = {1, 1, 1};
static const oc_texture texels = {.width = 4, .channels = 1};

typedef struct State {
    oc_device *d, *other;
    oc_module *m;
    oc_kernel *count, *say;
    oc_stream *stream;
    oc_event *from, *to;
    oc_ptr p;
    uint64_t texture;
    uint32_t word;
    int called;
    bool in_print;
} State;

static oc_status launch(State *s, oc_kernel *k)
{
    uint32_t n = COUNT_TO;
    return oc_launch(k, one, one, 0, NULL, (const void *[]){&s->p, &n});
}

// --- what is refused -------------------------------------------------------------------------------------------------
#define REFUSED(function, ...) \
    static oc_status try_##function(State *s) { return function(__VA_ARGS__); }
// A function without a status: what it would have given up is checked after the launch.
#define IGNORED(function, ...)                \
    static oc_status try_##function(State *s) \
    {                                         \
        function(__VA_ARGS__);                \
        return OC_BAD_ARGUMENT;               \
    }
// A function that makes something leaves null behind the pointer to it.
#define MAKES(function, type, ...)                           \
    static oc_status try_##function(State *s)                \
    {                                                        \
        type made;                                           \
        memset(&made, 1, sizeof made);                       \
        oc_status status = function(__VA_ARGS__);            \
        if (made) fail_msg(#function " has left something"); \
        return status;                                       \
    }
static const oc_dim3 two_blocks = {2, 1, 1};
MAKES(oc_malloc, oc_ptr, s->d, 64, "more", &made)
REFUSED(oc_free, s->d, s->p)
REFUSED(oc_write, s->d, s->p, &s->word, 4, NULL)
REFUSED(oc_read, s->d, &s->word, s->p, 4, NULL)
REFUSED(oc_copy, s->d, s->p, s->p + 4, 4, NULL)
REFUSED(oc_fill, s->d, s->p, 1, 4, NULL)
MAKES(oc_load, oc_module *, s->d, ptx, sizeof ptx - 1, "again.ptx", &made)
MAKES(oc_load_file, oc_module *, s->d, "/dev/null", &made)
REFUSED(oc_kernel_carveout, s->count, 50)
REFUSED(oc_cluster, s->count, two_blocks)
REFUSED(oc_tensor_map, s->d, &(oc_tensor){.rank = 1}, &s->word)
MAKES(oc_texture_create, uint64_t, s->d, &texels, &made)
REFUSED(oc_texture_destroy, s->d, s->texture)
MAKES(oc_surface_create, uint64_t, s->d, &texels, &made)
REFUSED(oc_surface_destroy, s->d, s->texture)
MAKES(oc_reference_bind, uint64_t, s->m, "there", &texels, &made)
MAKES(oc_stream_create, oc_stream *, s->d, &made)
MAKES(oc_event_create, oc_event *, s->d, &made)
REFUSED(oc_event_record, s->to, s->stream)
REFUSED(oc_event_synchronize, s->to)
REFUSED(oc_synchronize, s->d, s->stream)
static oc_status try_oc_launch(State *s) { return launch(s, s->count); }
REFUSED(oc_trace, s->d, "/dev/null", 0, NULL)
IGNORED(oc_close, s->d)
IGNORED(oc_unload, s->m)
IGNORED(oc_stream_destroy, s->stream)
IGNORED(oc_event_destroy, s->from)
IGNORED(oc_forget, s->d, 0)

// --- what is answered ------------------------------------------------------------------------------------------------
#define ANSWERED(function, holds) \
    static bool ask_##function(State *s) { return holds; }
ANSWERED(oc_version, s &&oc_version() == OC_VERSION)
ANSWERED(oc_error, oc_error(s->d) != NULL)
ANSWERED(oc_describe, !strcmp(oc_describe(s->d).name, "gtx480"))
ANSWERED(oc_kernel_count, oc_kernel_count(s->m) == 2)
ANSWERED(oc_kernel_at, oc_kernel_at(s->m, 0) == s->count && oc_kernel_at(s->m, 1) == s->say)
ANSWERED(oc_kernel_describe, oc_kernel_describe(s->count).params == 2)
ANSWERED(oc_stream_time, oc_stream_time(s->stream) > 0)
// One launch ended before; when something is printed, the launch that printed it has ended, too.
ANSWERED(oc_launches, oc_launches(s->d) == (s->in_print ? 2 : 1))
ANSWERED(oc_launch_kernel, !strcmp(oc_launch_kernel(s->d, 0), "say"))
ANSWERED(oc_launch_counter, oc_launch_counter(s->d, 0, "blocks") == 1)
ANSWERED(oc_launch_rate, oc_launch_rate(s->d, 0, "ipc") > 0)
ANSWERED(oc_counter_name, !strcmp(oc_counter_name(s->d, 0), "cycles"))
ANSWERED(oc_metric_name, oc_metric_name(s->d, 0) != NULL)
ANSWERED(oc_rate_name, oc_rate_name(s->d, 0) != NULL)
static bool ask_oc_launch_misses(State *s)
{
    oc_misses misses;
    return !oc_launch_misses(s->d, 0, SIZE_MAX, &misses);
}

static bool ask_oc_launch_finding(State *s)
{
    oc_finding finding;
    return !oc_launch_finding(s->d, 0, 0, &finding);
}
ANSWERED(oc_launch_unchecked, !oc_launch_unchecked(s->d, 0))
static bool ask_oc_launch_line(State *s)
{
    oc_line line;
    return oc_launch_line(s->d, 0, 0, &line);
}

ANSWERED(oc_launch_series, oc_launch_series(s->d, 0, "blocks", NULL, 0) == 0)  // nobody asked
ANSWERED(oc_launch_words, oc_launch_words(s->d, 0, OC_WORDS_LIMITS, NULL, 0) > 0)
static bool ask_oc_launch_value(State *s)
{
    double value = 0;
    return oc_launch_value(s->d, 0, "blocks", &value) == OC_OK && value == 1;
}

static bool ask_oc_launch_structure(State *s)
{
    oc_structure structure;
    return !oc_launch_structure(s->d, 0, SIZE_MAX, &structure);
}
static bool ask_oc_kernel_get(State *s)
{
    oc_kernel *k;
    return oc_kernel_get(s->m, "say", &k) == OC_OK && k == s->say;
}
static bool ask_oc_symbol(State *s)
{
    oc_ptr p;
    return oc_symbol(s->m, "there", &p, NULL) == OC_OK && p;
}
static bool ask_oc_event_seconds(State *s)
{
    double seconds = 1;
    return oc_event_seconds(s->from, s->to, &seconds) == OC_OK && seconds == 0;
}
// Another device is opened, used and closed.
static bool ask_oc_open(State *s)
{
    oc_ptr p;
    if (oc_open(&(oc_config){.gpu = "gtx480", .functional = true}, &s->other, NULL, 0) != OC_OK) return false;
    bool ok = oc_malloc(s->other, 64, NULL, &p) == OC_OK && oc_free(s->other, p) == OC_OK;
    oc_close(s->other);
    return ok;
}

typedef struct Row {
    const char *name;
    oc_status (*refused)(State *s);
    bool (*answered)(State *s);
} Row;
#define NO(function)                    \
    {                                   \
#function, try_##function, NULL \
    }
#define YES(function)                   \
    {                                   \
#function, NULL, ask_##function \
    }
static const Row rows[] = {
    YES(oc_version),
    YES(oc_open),
    NO(oc_close),
    YES(oc_error),
    YES(oc_describe),
    NO(oc_malloc),
    NO(oc_free),
    NO(oc_write),
    NO(oc_read),
    NO(oc_copy),
    NO(oc_fill),
    NO(oc_load),
    NO(oc_load_file),
    YES(oc_kernel_get),
    YES(oc_kernel_count),
    YES(oc_kernel_at),
    YES(oc_symbol),
    NO(oc_unload),
    YES(oc_kernel_describe),
    NO(oc_kernel_carveout),
    NO(oc_cluster),
    NO(oc_tensor_map),
    NO(oc_texture_create),
    NO(oc_texture_destroy),
    NO(oc_surface_create),
    NO(oc_surface_destroy),
    NO(oc_reference_bind),
    NO(oc_stream_create),
    NO(oc_stream_destroy),
    YES(oc_stream_time),
    NO(oc_synchronize),
    NO(oc_event_create),
    NO(oc_event_destroy),
    NO(oc_event_record),
    NO(oc_event_synchronize),
    YES(oc_event_seconds),
    NO(oc_launch),
    YES(oc_launches),
    YES(oc_launch_kernel),
    YES(oc_launch_counter),
    YES(oc_launch_rate),
    YES(oc_counter_name),
    YES(oc_rate_name),
    YES(oc_metric_name),
    YES(oc_launch_structure),
    YES(oc_launch_misses),
    YES(oc_launch_finding),
    YES(oc_launch_unchecked),
    YES(oc_launch_line),
    YES(oc_launch_series),
    YES(oc_launch_words),
    NO(oc_trace),
    YES(oc_launch_value),
    NO(oc_forget),
};
enum { ROWS = sizeof rows / sizeof *rows };

static void try_all(State *s)
{
    for (int k = 0; k < ROWS; k++) {
        char expected[64];
        if (rows[k].answered) {
            if (!rows[k].answered(s)) fail_msg("%s: isn't answered: %s", rows[k].name, oc_error(s->d));
            continue;
        }
        if (rows[k].refused(s) != OC_BAD_ARGUMENT) fail_msg("%s: isn't refused", rows[k].name);
        snprintf(expected, sizeof expected, "%s: ", rows[k].name);
        if (strncmp(oc_error(s->d), expected, strlen(expected)) || !strstr(oc_error(s->d), "callback"))
            fail_msg("%s: '%s'", rows[k].name, oc_error(s->d));
    }
    s->called++;
}

static void on_progress(void *user, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    (void)kernel, (void)cycles, (void)insts, (void)done, (void)blocks;
    try_all(user);
}

static void on_print(void *user, const char *text, size_t length)
{
    State *s = user;
    assert_true(length == 3 && !memcmp(text, "hi\n", 3));
    s->in_print = true;
    if (s->count && oc_launches(s->d) == 2) try_all(s);
    s->in_print = false;
}

static void open_all(State *s, bool progress)
{
    char why[500];
    oc_config config = {
        .gpu = "gtx480", .print = on_print, .progress = progress ? on_progress : NULL, .user = s, .threads = 2};
    if (oc_open(&config, &s->d, why, sizeof why) != OC_OK) fail_msg("%s", why);
    assert_int_equal(oc_load(s->d, ptx, sizeof ptx - 1, "callback.ptx", &s->m), OC_OK);
    assert_int_equal(oc_kernel_get(s->m, "say", &s->say), OC_OK);
    if (launch(s, s->say) != OC_OK) fail_msg("%s", oc_error(s->d));
    assert_int_equal(oc_kernel_get(s->m, "count", &s->count), OC_OK);
    assert_int_equal(oc_stream_create(s->d, &s->stream), OC_OK);
    assert_int_equal(oc_event_create(s->d, &s->from), OC_OK);
    assert_int_equal(oc_event_create(s->d, &s->to), OC_OK);
    assert_int_equal(oc_malloc(s->d, 64, "numbers", &s->p), OC_OK);
    oc_texture t = texels;
    t.base = s->p;
    assert_int_equal(oc_texture_create(s->d, &t, &s->texture), OC_OK);
}

// Everything is still there, and works again.
static void close_all(State *s)
{
    assert_int_equal(oc_launches(s->d), 2);
    assert_int_equal(oc_launch_counter(s->d, 0, "blocks"), 1);
    assert_int_equal(oc_fill(s->d, s->p, 7, 4, s->stream), OC_OK);
    assert_int_equal(oc_event_record(s->from, s->stream), OC_OK);
    assert_int_equal(oc_texture_destroy(s->d, s->texture), OC_OK);
    assert_int_equal(launch(s, s->say), OC_OK);
    oc_event_destroy(s->from);
    oc_stream_destroy(s->stream);
    assert_int_equal(oc_free(s->d, s->p), OC_OK);
    oc_forget(s->d, 0);
    assert_int_equal(oc_launch_counter(s->d, 0, "blocks"), 0);
    oc_unload(s->m);
    oc_close(s->d);
}

static void from_progress(void **state)
{
    (void)state;
    State s = {.called = 0};
    uint32_t word = 0;
    open_all(&s, true);
    if (launch(&s, s.count) != OC_OK) fail_msg("%s", oc_error(s.d));
    assert_true(s.called >= 2);
    assert_int_equal(oc_read(s.d, &word, s.p, 4, NULL), OC_OK);
    assert_int_equal(word, COUNT_TO);
    close_all(&s);
}

static void from_print(void **state)
{
    (void)state;
    State s = {.called = 0};
    open_all(&s, false);
    assert_int_equal(launch(&s, s.say), OC_OK);
    assert_int_equal(s.called, 1);
    close_all(&s);
}

// Every function that onchip.h declares has a row: what is followed by a parenthesis, outside of comments. That of
// oc_open is also that of oc_open_sized, which it calls.
static void all_functions(void **state)
{
    (void)state;
    FILE *f = fopen("include/onchip.h", "r");
    char line[512];
    int functions = 0;
    bool seen[ROWS] = {false};
    assert_non_null(f);
    while (fgets(line, sizeof line, f)) {
        char *comment = strstr(line, "//");
        if (comment) *comment = 0;
        for (char *at = line; (at = strstr(at, "oc_")); at++) {
            size_t n = strspn(at, "abcdefghijklmnopqrstuvwxyz_0123456789");
            if (at[n] != '(') continue;
            if (n > 6 && !strncmp(at + n - 6, "_sized", 6)) n -= 6;
            int k = 0;
            while (k < ROWS && (strlen(rows[k].name) != n || strncmp(rows[k].name, at, n))) k++;
            if (k == ROWS) fail_msg("%.*s has no row", (int)n, at);
            functions += !seen[k];
            seen[k] = true;
        }
    }
    fclose(f);
    assert_int_equal(functions, ROWS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_progress),
        cmocka_unit_test(from_print),
        cmocka_unit_test(all_functions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
