// What oc_launch_words says of launches. Counts are worked out by hand: 64 threads are two warps, each of which loads a
// line of 128 bytes and writes it.
#include "check.h"

#include <math.h>
#include <onchip.h>
#include <string.h>

static const char ptx[] = ".version 7.0\n"
                          ".target sm_35\n"
                          ".address_size 64\n"
                          ".visible .entry one(.param .u64 p)\n"
                          "{\n"
                          ".reg .b32 %t, %x;\n"
                          ".reg .b64 %a, %o;\n"
                          "ld.param.u64 %a, [p];\n"
                          "mov.u32 %t, %tid.x;\n"
                          "mul.wide.u32 %o, %t, 4;\n"
                          "add.s64 %a, %a, %o;\n"
                          "ld.global.u32 %x, [%a];  // größer\n"
                          "st.global.u32 [%a], %x;\n"
                          "ret;\n"
                          "}\n";

typedef struct State {
    oc_device *d;
    oc_module *m;
    char text[8192];
} State;

static void launched(State *s, const oc_config *config)
{
    oc_kernel *k;
    oc_ptr p;
    const void *args[] = {&p};
    if (oc_open(config, &s->d, s->text, sizeof s->text) != OC_OK) fail_msg("%s", s->text);
    if (oc_load(s->d, ptx, strlen(ptx), "words.ptx", &s->m) != OC_OK) fail_msg("%s", oc_error(s->d));
    assert_int_equal(oc_malloc(s->d, 256, "mine", &p), OC_OK);
    assert_int_equal(oc_kernel_get(s->m, "one", &k), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_OK);
}

static const char *said(State *s, oc_words words)
{
    const size_t n = oc_launch_words(s->d, 0, words, s->text, sizeof s->text);
    assert_int_equal(n, strlen(s->text));
    return s->text;
}

static void has(State *s, oc_words words, const char *wanted)
{
    if (!strstr(said(s, words), wanted)) fail_msg("'%s' isn't in: %s", wanted, s->text);
}

static void words(void **state)
{
    (void)state;
    State s;
    launched(&s, &(oc_config){.gpu = "gtx480"});
    has(&s, OC_WORDS_LIMITS, "the grid: 1 block for 15 SMs");
    assert_null(strchr(s.text, '\n'));
    has(&s, OC_WORDS_PEAKS, "DRAM ");
    has(&s, OC_WORDS_CHART, "memory chart\n");
    // The module's own text, which no file has, with the counts beside the line.
    has(&s, OC_WORDS_SOURCE, "    12  ld.global.u32 %x, [%a];  // größer\n");
    assert_null(strstr(s.text, "can't be read"));
    has(&s, OC_WORDS_SOURCE, "load of mine: 2, 4 sectors each");
    has(&s, OC_WORDS_SOURCE, "store of mine: 2, 4 sectors each");
    assert_string_equal(said(&s, OC_WORDS_WHY), "");  // nobody asked
    oc_unload(s.m);
    assert_string_equal(said(&s, OC_WORDS_SOURCE), "");
    oc_close(s.d);
}

static void nothing(void **state)
{
    (void)state;
    State s;
    launched(&s, &(oc_config){.gpu = "gtx480", .why = true});
    has(&s, OC_WORDS_WHY, "mine");
    strcpy(s.text, "x");
    assert_int_equal(oc_launch_words(s.d, 1, OC_WORDS_LIMITS, s.text, sizeof s.text), 0);
    assert_string_equal(s.text, "");
    assert_int_equal(oc_launch_words(s.d, 0, (oc_words)77, s.text, sizeof s.text), 0);
    assert_int_equal(oc_launch_words(NULL, 0, OC_WORDS_LIMITS, s.text, sizeof s.text), 0);
    oc_close(s.d);
    launched(&s, &(oc_config){.gpu = "gtx480", .functional = true});
    assert_string_equal(said(&s, OC_WORDS_LIMITS), "");
    assert_string_equal(said(&s, OC_WORDS_KERNEL), "one");
    oc_close(s.d);
}

// Each cut ends in a zero byte, in no part of a letter, and writes no byte behind its room.
static void cut(void **state)
{
    (void)state;
    State s;
    char part[8192];
    launched(&s, &(oc_config){.gpu = "gtx480"});
    const size_t all = strlen(said(&s, OC_WORDS_SOURCE));
    assert_int_equal(oc_launch_words(s.d, 0, OC_WORDS_SOURCE, NULL, 0), all);
    for (size_t room = 1; room <= all + 1; room++) {
        memset(part, '#', sizeof part);
        assert_int_equal(oc_launch_words(s.d, 0, OC_WORDS_SOURCE, part, room), all);
        const size_t n = strlen(part);
        assert_true(n < room && n + 4 >= room && part[room] == '#' && !memcmp(part, s.text, n));
        assert_true(((unsigned char)s.text[n] & 0xc0) != 0x80);
    }
    oc_close(s.d);
}

// Nsight Compute's names; the time is that of 700 MHz.
static void metrics(void **state)
{
    (void)state;
    State s;
    double value = 0, cycles = 0;
    launched(&s, &(oc_config){.gpu = "gtx480"});
    assert_int_equal(oc_launch_value(s.d, 0, "cycles", &cycles), OC_OK);
    assert_int_equal(oc_launch_value(s.d, 0, "gpu__time_duration.sum", &value), OC_OK);
    assert_true(fabs(value - cycles / 0.7) < 1e-6 * value);
    const char *sectors = "l1tex__average_t_sectors_per_request_pipe_lsu_mem_global_op_ld.ratio";
    assert_int_equal(oc_launch_value(s.d, 0, sectors, &value), OC_OK);
    assert_true(value == 4);
    assert_int_equal(oc_launch_value(s.d, 0, "gpu__time", &value), OC_BAD_ARGUMENT);
    oc_close(s.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(words), cmocka_unit_test(nothing), cmocka_unit_test(cut),
                                       cmocka_unit_test(metrics)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
