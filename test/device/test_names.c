// Kernels by their C++ names, the names of counters and rates, and what launches did with data structures. The counts
// are worked out by hand from the kernel.
#include "check.h"

#include <onchip.h>
#include <stdio.h>
#include <string.h>

// void scale<int>(int*) and void scale<float>(float*), which reads and writes a word in each thread; and one(int*).
#define BODY                                                                                                         \
    "{\n.reg .b32 %t, %x;\n.reg .b64 %a, %o;\nld.param.u64 %a, [p];\nmov.u32 %t, %tid.x;\nmul.wide.u32 %o, %t, 4;\n" \
    "add.s64 %a, %a, %o;\nld.global.u32 %x, [%a];\nst.global.u32 [%a], %x;\nret;\n}\n"
static const char ptx[] =
    ".version 7.0\n.target sm_35\n.address_size 64\n"
    ".visible .entry _Z5scaleIiEvPT_(.param .u64 p)\n" BODY ".visible .entry _Z5scaleIfEvPT_(.param .u64 p)\n" BODY
    ".visible .entry _Z3onePi(.param .u64 p)\n" BODY;

static oc_device *opened(oc_module **m, const char *const *sets)
{
    oc_device *d;
    char message[500];
    if (oc_open(&(oc_config){.gpu = "gtx480", .sets = sets}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    if (oc_load(d, ptx, strlen(ptx), "names.ptx", m) != OC_OK) fail_msg("%s", oc_error(d));
    return d;
}

static void kernels(void **state)
{
    (void)state;
    oc_module *m;
    oc_kernel *k;
    oc_device *d = opened(&m, NULL);
    static const char *const good[][2] = {{"_Z3onePi", "_Z3onePi"},
                                          {"one", "_Z3onePi"},
                                          {"one(int*)", "_Z3onePi"},
                                          {"scale<float>", "_Z5scaleIfEvPT_"},
                                          {"void scale<int>(int*)", "_Z5scaleIiEvPT_"}};
    for (size_t n = 0; n < sizeof good / sizeof *good; n++) {
        if (oc_kernel_get(m, good[n][0], &k) != OC_OK) fail_msg("%s: %s", good[n][0], oc_error(d));
        assert_string_equal(oc_kernel_describe(k).name, good[n][1]);
    }
    assert_int_equal(oc_kernel_get(m, "scale", &k), OC_BAD_ARGUMENT);
    assert_null(k);
    assert_non_null(strstr(oc_error(d), "2 kernels are 'scale'"));
    assert_non_null(strstr(oc_error(d), "scale<float>("));
    assert_int_equal(oc_kernel_get(m, "two", &k), OC_BAD_ARGUMENT);
    assert_null(k);
    assert_non_null(strstr(oc_error(d), "no kernel 'two'"));
    oc_close(d);
}

// What a kernel's name says of its parameters: const is left out, commas within a type don't part.
static void declared(void **state)
{
    (void)state;
    static const struct {
        const char *name, *types[3];
    } cases[] = {
        {"_Z5scalePKffPf", {"float*", "float", "float*"}},
        {"_Z5applyIN3lib4pairIiPKcEEEvT_PKS4_j", {"lib::pair<int, char*>", "lib::pair<int, char*>*", "unsigned int"}},
        {"plain", {NULL}},     // a name of C
        {"_Z3onePi", {NULL}},  // it has one, of three
    };
    for (size_t n = 0; n < sizeof cases / sizeof *cases; n++) {
        oc_module *m;
        oc_kernel *k;
        char text[500], message[500];
        oc_device *d;
        snprintf(text, sizeof text,
                 ".version 7.0\n.target sm_35\n.address_size 64\n"
                 ".visible .entry %s(.param .u64 a, .param .u64 b, .param .u64 c)\n{\nret;\n}\n",
                 cases[n].name);
        if (oc_open(&(oc_config){.gpu = "gtx480", .functional = true}, &d, message, sizeof message) != OC_OK)
            fail_msg("%s", message);
        if (oc_load(d, text, strlen(text), "declared.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
        assert_int_equal(oc_kernel_get(m, cases[n].name, &k), OC_OK);
        const oc_kernel_info info = oc_kernel_describe(k);
        assert_int_equal(info.declared != NULL, cases[n].types[0] != NULL);
        for (size_t p = 0; p < 3 && info.declared; p++) assert_string_equal(info.declared[p], cases[n].types[p]);
        oc_close(d);
    }
}

// A counter's series: as many values as whole intervals of cycles, and none falls.
static void series(void **state)
{
    (void)state;
    oc_module *m;
    oc_kernel *k;
    oc_ptr p;
    char message[500];
    oc_device *d;
    const void *args[] = {&p};
    if (oc_open(&(oc_config){.gpu = "gtx480", .interval = 50}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    if (oc_load(d, ptx, strlen(ptx), "names.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
    assert_int_equal(oc_malloc(d, 256, NULL, &p), OC_OK);
    assert_int_equal(oc_kernel_get(m, "one", &k), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_OK);
    uint64_t values[512] = {0};
    const uint64_t end = oc_launch_counter(d, 0, "cycles");
    const size_t n = oc_launch_series(d, 0, "cycles", values, 512);
    assert_true(n >= 2 && n <= end / 50 + 1 && n < 512);
    for (size_t v = 1; v < n; v++) assert_true(values[v] > values[v - 1]);
    uint64_t one = 7, two[2] = {7, 7};
    assert_int_equal(oc_launch_series(d, 0, "cycles", two, 1), n);
    assert_true(two[0] == values[0] && two[1] == 7);
    assert_int_equal(oc_launch_series(d, 0, "no such", &one, 1), 0);
    assert_int_equal(oc_launch_series(d, 1, "cycles", &one, 1), 0);
    assert_int_equal(one, 7);
    oc_close(d);
}

static bool listed(const oc_device *d, const char *(*name)(const oc_device *, size_t), const char *wanted)
{
    for (size_t n = 0; name(d, n); n++)
        if (!strcmp(name(d, n), wanted)) return true;
    return false;
}

static void names(void **state)
{
    (void)state;
    oc_module *m;
    oc_device *d = opened(&m, NULL), *ciao = opened(&m, (const char *[]){"sched.policy=ciao-p", NULL});
    assert_true(listed(d, oc_counter_name, "cycles") && listed(d, oc_counter_name, "dram.read_bytes"));
    assert_true(listed(d, oc_metric_name, "dram__bytes.sum") && !listed(d, oc_metric_name, "ipc"));
    assert_true(!listed(d, oc_metric_name, "cycles"));
    assert_null(oc_metric_name(NULL, 0));
    assert_true(listed(d, oc_rate_name, "ipc") && !listed(d, oc_counter_name, "ipc"));
    bool own = false;
    for (size_t n = 0; oc_counter_name(ciao, n); n++) own |= !strncmp(oc_counter_name(ciao, n), "sched.", 6);
    assert_true(own);
    assert_null(oc_counter_name(NULL, 0));
    assert_null(oc_rate_name(NULL, 0));
    oc_close(d), oc_close(ciao);
}

// 64 threads are two warps; each loads a line of 128 bytes, and writes it.
static void structures(void **state)
{
    (void)state;
    oc_module *m;
    oc_kernel *k;
    oc_ptr p;
    oc_structure s, more;
    oc_device *d = opened(&m, NULL);
    const void *args[] = {&p};
    assert_int_equal(oc_malloc(d, 256, "mine", &p), OC_OK);
    assert_int_equal(oc_kernel_get(m, "one", &k), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_OK);
    assert_true(oc_launch_structure(d, 0, 0, &s));
    assert_string_equal(s.name, "mine");
    assert_int_equal(s.loads, 2);
    assert_int_equal(s.stores, 2);
    assert_int_equal(s.atomics, 0);
    assert_int_equal(s.transactions, 4);
    assert_int_equal(s.sectors, 16);
    assert_false(oc_launch_structure(d, 0, 1, &more));
    assert_false(oc_launch_structure(d, 1, 0, &more));
    assert_false(oc_launch_structure(d, 0, 0, NULL) || oc_launch_structure(NULL, 0, 0, &more));

    // The lines of the launch have all that the structure has; an unknown name is an error.
    oc_line line;
    oc_misses misses;
    uint64_t sectors = 0, issued = 0;
    size_t lines = 0;
    for (; oc_launch_line(d, 0, lines, &line); lines++) sectors += line.sectors, issued += line.issued;
    assert_true(lines > 0 && !oc_launch_line(d, 1, 0, &line) && !oc_launch_line(d, 0, 0, NULL));
    assert_int_equal(sectors, 16);
    assert_int_equal(issued, oc_launch_counter(d, 0, "warp_instructions"));
    assert_false(oc_launch_misses(d, 0, 0, &misses));  // nobody asked
    double value = -1;
    assert_int_equal(oc_launch_value(d, 0, "warp_instructions", &value), OC_OK);
    assert_true(value == (double)issued);
    assert_int_equal(oc_launch_value(d, 0, "ipc", &value), OC_OK);
    assert_true(value == oc_launch_rate(d, 0, "ipc"));
    assert_int_equal(oc_launch_value(d, 0, "no such", &value), OC_BAD_ARGUMENT);
    assert_int_equal(oc_launch_value(d, 1, "ipc", &value), OC_BAD_ARGUMENT);
    assert_int_equal(oc_launch_value(NULL, 0, "ipc", &value), OC_BAD_ARGUMENT);
    oc_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(kernels), cmocka_unit_test(declared), cmocka_unit_test(series),
                                       cmocka_unit_test(names), cmocka_unit_test(structures)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
