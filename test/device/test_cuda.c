// The real GPU's back end on the stand-in driver beside this file: every workload gives the right result through it,
// and errors say what they should. (The environment has the stand-in's folder in LD_LIBRARY_PATH.)
#include "check.h"
#include "device/device.h"
#include "work/programs.h"

#include <stdlib.h>
#include <string.h>

static oc_device *open_device(void)
{
    oc_device *d;
    char message[500];
    if (oc_open(&(oc_config){.device = "cuda:0"}, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

static void describes(void **state)
{
    (void)state;
    oc_device *d = open_device();
    oc_device_info i = oc_describe(d);
    assert_string_equal(i.name, "Stand-in");
    assert_true(i.real && i.sms == 15 && i.capability == 20 && i.driver == 12040 && i.clock_mhz == 700);
    oc_close(d);
}

static void workloads(void **state)
{
    (void)state;
    for (size_t k = 0; k < workload_count; k++) {
        oc_device *d = open_device();
        WorkResult result;
        const char *name = workload_table[k].workload->name;
        const bool right = workload_run(d, &workload_table[k], &(WorkOptions){.small = true}, &result);
        if (!strcmp(name, "stencil3d")) {  // its volume would have to be an array of the driver's
            assert_false(right);
            assert_non_null(strstr(result.error, "only textures of one or two dimensions"));
            work_result_free(&result);
            oc_close(d);
            continue;
        }
        if (!right) fail_msg("%s: %s", name, result.error);
        assert_true(oc_launches(d) > 0);
        assert_true(strlen(oc_launch_kernel(d, 0)) > 0);
        assert_int_equal(oc_launch_counter(d, 0, "cycles"), 0);  // there are none
        work_result_free(&result);
        oc_close(d);
    }
}

// Queued launches and copies, and pinned memory.
static void streams(void **state)
{
    (void)state;
    for (int k = 0; stream_programs[k]; k++)
        for (int s = 0; s < SCENARIOS; s++) {
            oc_device *d = open_device();
            StreamOptions o = {.scenario = (Scenario)s,
                               .chunk = 5000,
                               .buffers = 5,
                               .params = (const char *const[]){"size=50000", "blocks=2", "threads=64", NULL}};
            StreamReport r;
            WorkResult result;
            if (!stream_run(d, stream_programs[k], &o, &r, &result))
                fail_msg("%s, %s: %s", stream_names[k], scenario_names[s], result.error);
            assert_true(r.seconds > 0);
            if (s != SCENARIO_CPU)
                assert_true(r.stage[STAGE_TRANSFER] > 0 && oc_launch_rate(d, oc_launches(d) - 1, "seconds") > 0);
            work_result_free(&result);
            oc_close(d);
        }
}

static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n.visible .global .u32 v = 5;\n"
    ".visible .entry k(.param .u64 p, .param .u32 n)\n{\n.reg .b64 %a;\n.reg .b32 %r;\nld.param.u64 %a, "
    "[p];\nld.param.u32 %r, [n];\n"
    "st.global.u32 [%a], %r;\nret;\n}\n"
    ".visible .entry tex(.param .u64 p, .param .u64 t)\n{\n.reg .b64 %a, %t;\n.reg .b32 %r<5>;\nld.param.u64 %a, "
    "[p];\nld.param.u64 %t, [t];\n"
    "mov.u32 %r0, 3;\ntex.1d.v4.u32.s32 {%r1, %r2, %r3, %r4}, [%t, {%r0}];\nst.global.u32 [%a], %r1;\nret;\n}\n";

static void launches(void **state)
{
    (void)state;
    oc_device *d = open_device();
    oc_module *m;
    oc_kernel *k;
    oc_ptr p, v;
    size_t bytes;
    assert_int_equal(oc_load(d, ptx, strlen(ptx), "k.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_count(m), 2);
    assert_int_equal(oc_kernel_get(m, "nothing", &k), OC_BAD_ARGUMENT);
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    oc_kernel_info info = oc_kernel_describe(k);
    assert_true(info.params == 2 && info.sizes[0] == 8 && info.sizes[1] == 4 && info.max_threads == 1024);
    assert_string_equal(info.names[1], "n");
    assert_int_equal(oc_kernel_carveout(k, 50), OC_OK);
    assert_int_equal(oc_kernel_carveout(k, 101), OC_BAD_ARGUMENT);
    assert_int_equal(oc_symbol(m, "v", &v, &bytes), OC_OK);
    assert_int_equal(bytes, 4);
    assert_int_equal(oc_malloc(d, 64, "p", &p), OC_OK);
    assert_int_equal(oc_fill(d, p, 0, 64, NULL), OC_OK);
    oc_stream *s;
    oc_event *a, *b;
    assert_int_equal(oc_stream_create(d, &s), OC_OK);
    assert_int_equal(oc_event_create(d, &a), OC_OK);
    assert_int_equal(oc_event_create(d, &b), OC_OK);
    assert_int_equal(oc_event_record(a, s), OC_OK);
    uint32_t n = 42, back = 0;
    const void *args[] = {&p, &n};
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, s, args), OC_OK);
    assert_int_equal(oc_event_record(b, s), OC_OK);
    double seconds = -1;
    assert_int_equal(oc_event_seconds(a, b, &seconds), OC_OK);
    assert_true(seconds > 0);
    assert_true(oc_launch_rate(d, 0, "seconds") > 0);
    assert_true(oc_stream_time(s) >= seconds);
    assert_int_equal(oc_read(d, &back, p, 4, s), OC_OK);
    assert_int_equal(back, 42);
    assert_int_equal(oc_copy(d, p + 4, p, 4, NULL), OC_OK);
    assert_int_equal(oc_read(d, &back, p + 4, 4, NULL), OC_OK);
    assert_int_equal(back, 42);
    // A linear texture of words
    uint32_t words[16];
    uint64_t t;
    for (uint32_t w = 0; w < 16; w++) words[w] = 100 + w;
    assert_int_equal(oc_write(d, p, words, 64, NULL), OC_OK);
    assert_int_equal(
        oc_texture_create(d, &(oc_texture){.base = p, .width = 16, .channels = 1, .format = OC_TEX_U32}, &t), OC_OK);
    assert_int_equal(oc_kernel_get(m, "tex", &k), OC_OK);
    const void *tex_args[] = {&p, &t};
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, tex_args), OC_OK);
    assert_int_equal(oc_read(d, &back, p, 4, NULL), OC_OK);
    assert_int_equal(back, 103);
    assert_int_equal(oc_texture_destroy(d, t), OC_OK);
    assert_int_equal(oc_free(d, p), OC_OK);
    oc_unload(m);
    oc_close(d);
}

// Above 48 KiB a block's shared memory must be asked for: what the kernel has itself and what the launch adds,
// together.
static void shared_memory(void **state)
{
    (void)state;
    static const char text[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                               ".extern .shared .align 4 .b8 more[];\n"
                               ".visible .entry k(.param .u64 p)\n{\n.shared .align 4 .b8 own[40960];\n.reg .b64 %a;\n"
                               ".reg .b32 %r;\nmov.u32 %r, 7;\nst.shared.u32 [own+40956], %r;\n"
                               "ld.shared.u32 %r, [own+40956];\nst.shared.u32 [more+4], %r;\n"
                               "ld.shared.u32 %r, [more+4];\nld.param.u64 %a, [p];\nst.global.u32 [%a], %r;\nret;\n}\n";
    const oc_dim3 one = {1, 1, 1};
    oc_device *d = open_device();
    oc_module *m;
    oc_kernel *k;
    oc_ptr p;
    uint32_t back = 0, blocks;
    assert_true(oc_describe(d).shared_block == 96 << 10);
    assert_int_equal(oc_load(d, text, strlen(text), "shared.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    assert_int_equal(oc_malloc(d, 4, "p", &p), OC_OK);
    const void *args[] = {&p};
    assert_int_equal(oc_launch(k, one, one, 20 << 10, NULL, args), OC_OK);  // 40 + 20 KiB
    assert_int_equal(oc_read(d, &back, p, 4, NULL), OC_OK);
    assert_int_equal(back, 7);
    assert_int_equal(oc_launch(k, one, one, 56 << 10, NULL, args), OC_OK);  // all there is
    assert_int_equal(oc_launch(k, one, one, 57 << 10, NULL, args), OC_BAD_ARGUMENT);
    assert_int_equal(device_occupancy(k, one, 56 << 10, &blocks), OC_OK);
    assert_int_equal(blocks, 1);
    assert_int_equal(device_occupancy(k, one, 57 << 10, &blocks), OC_OK);
    assert_int_equal(blocks, 0);
    assert_int_equal(oc_launch(k, one, one, UINT32_MAX, NULL, args), OC_BAD_ARGUMENT);
    oc_close(d);
}

static void errors(void **state)
{
    (void)state;
    oc_device *d;
    char message[500];
    assert_int_equal(oc_open(&(oc_config){.device = "cuda:1"}, &d, message, sizeof message), OC_BAD_ARGUMENT);
    assert_non_null(strstr(message, "1 GPU"));
    assert_int_equal(oc_open(&(oc_config){.device = "cuda:x"}, &d, message, sizeof message), OC_BAD_ARGUMENT);
    assert_int_equal(oc_open(&(oc_config){.device = "opencl"}, &d, message, sizeof message), OC_BAD_ARGUMENT);
    assert_null(d);
    d = open_device();
    oc_module *m;
    assert_int_equal(oc_load(d, "nonsense", 8, "n.ptx", &m), OC_BAD_FILE);
    assert_non_null(strstr(oc_error(d), "n.ptx: ptxas:"));
    oc_ptr p;
    assert_int_equal(oc_malloc(d, (size_t)1 << 50, NULL, &p), OC_OUT_OF_MEMORY);
    assert_non_null(strstr(oc_error(d), "CUDA_ERROR_OUT_OF_MEMORY"));
    // A fault ends the context: what comes behind says so, and a device opened anew works.
    oc_kernel *k;
    assert_int_equal(oc_load(d, ptx, strlen(ptx), "k.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "k", &k), OC_OK);
    p = 0x10;
    uint32_t n = 1;
    const void *args[] = {&p, &n};
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args), OC_FAULT);
    assert_non_null(strstr(oc_error(d), "illegal memory access"));
    assert_int_equal(oc_malloc(d, 4, NULL, &p), OC_FAULT);
    assert_non_null(strstr(oc_error(d), "open it anew"));
    oc_close(d);
    d = open_device();
    assert_int_equal(oc_malloc(d, 4, NULL, &p), OC_OK);
    oc_close(d);
    setenv("STAND_IN_NO_GPU", "1", 1);
    assert_int_equal(oc_open(&(oc_config){.device = "cuda:0"}, &d, message, sizeof message), OC_UNSUPPORTED);
    assert_non_null(strstr(message, "finds no GPU"));
    unsetenv("STAND_IN_NO_GPU");
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(describes),     cmocka_unit_test(workloads),
                                       cmocka_unit_test(streams),       cmocka_unit_test(launches),
                                       cmocka_unit_test(shared_memory), cmocka_unit_test(errors)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
