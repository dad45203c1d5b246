// The public interface (include/onchip.h): memory, modules and symbols, errors that leave the device usable, faults
// after which the next launch works, streams and their timeline. What is expected follows from the interface's comments
// and from the description's keys, which the tests set themselves.
#include "check.h"

#include <math.h>
#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define HEADER ".version 7.0\n.target sm_70\n.address_size 64\n"

// out[i] = in[i] + add, for n threads in blocks of 32; a wild index when add is 0
static const char add_ptx[] =
    HEADER ".visible .global .align 4 .u32 calls = 3;\n"
           ".visible .const .align 4 .u32 scale[2] = {10, 20};\n"
           ".visible .entry add(.param .u64 in, .param .u64 out, .param .u32 add)\n"
           "{\n"
           "    .reg .pred %p1;\n    .reg .b32 %r<12>;\n    .reg .b64 %rd<12>;\n"
           "    ld.param.u64 %rd1, [in];\n    ld.param.u64 %rd2, [out];\n    ld.param.u32 %r1, [add];\n"
           "    mov.u32 %r2, %tid.x;\n    mov.u32 %r3, %ctaid.x;\n    mad.lo.u32 %r4, %r3, 32, %r2;\n"
           "    setp.eq.u32 %p1, %r1, 0;\n    @%p1 add.u32 %r4, %r4, 1000000;\n"
           "    mul.wide.u32 %rd3, %r4, 4;\n    add.u64 %rd4, %rd1, %rd3;\n    add.u64 %rd5, %rd2, %rd3;\n"
           "    ld.global.u32 %r5, [%rd4];\n    add.u32 %r5, %r5, %r1;\n    st.global.u32 [%rd5], %r5;\n"
           "    red.global.add.u32 [calls], 1;\n    ret;\n"
           "}\n"
           ".visible .entry constants(.param .u64 out, .param .u64 where)\n"
           "{\n"
           "    .reg .b32 %r<8>;\n    .reg .b64 %rd<8>;\n"
           "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [where];\n"
           "    ld.u32 %r1, [%rd2];\n    ld.const.u32 %r2, [scale+4];\n"
           "    mov.u64 %rd3, scale;\n    cvta.const.u64 %rd3, %rd3;\n    ld.u32 %r3, [%rd3];\n"
           "    st.global.v2.u32 [%rd1], {%r1, %r2};\n    st.global.u32 [%rd1+8], %r3;\n    ret;\n"
           "}\n";

static oc_device *open_device(const char *const *sets, bool functional)
{
    oc_device *d;
    char message[1000];
    oc_config config = {.gpu = "gtx480", .sets = sets, .functional = functional};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

static oc_kernel *load(oc_device *d, const char *ptx, const char *kernel, oc_module **module)
{
    oc_kernel *k;
    oc_module *m;
    if (oc_load(d, ptx, strlen(ptx), "test.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
    if (oc_kernel_get(m, kernel, &k) != OC_OK) fail_msg("%s", oc_error(d));
    if (module) *module = m;
    return k;
}

static oc_ptr allocate(oc_device *d, size_t bytes, const char *label)
{
    oc_ptr p;
    if (oc_malloc(d, bytes, label, &p) != OC_OK) fail_msg("%s", oc_error(d));
    return p;
}

static oc_status launch_add(oc_kernel *k, oc_ptr in, oc_ptr out, uint32_t add, uint32_t blocks, oc_stream *s)
{
    const void *args[] = {&in, &out, &add};
    return oc_launch(k, (oc_dim3){blocks, 1, 1}, (oc_dim3){32, 1, 1}, 0, s, args);
}

#define assert_has(text, part)                                            \
    do {                                                                  \
        if (!strstr(text, part)) fail_msg("'%s' lacks '%s'", text, part); \
    } while (0)

// --- opening ---------------------------------------------------------------------------------------------------------
static void opening(void **state)
{
    (void)state;
    oc_device *d = (oc_device *)1;
    char message[1000] = "";
    assert_int_not_equal(oc_open(&(oc_config){.gpu = "gtx48"}, &d, message, sizeof message), OC_OK);
    assert_null(d);
    assert_has(message, "gtx480");  // what was meant
    assert_int_not_equal(oc_open(&(oc_config){.gpu = "gtx480", .sets = (const char *const[]){"l1.sise=1KiB", NULL}}, &d,
                                 message, sizeof message),
                         OC_OK);
    assert_has(message, "l1.sise");
    assert_int_not_equal(oc_open(&(oc_config){.gpu = "gtx480", .sets = (const char *const[]){"gpu.sms=0", NULL}}, &d,
                                 message, sizeof message),
                         OC_OK);
    assert_has(message, "gpu.sms");
    assert_int_not_equal(oc_open(&(oc_config){.gpu = "nothing"}, &d, NULL, 0), OC_OK);
    assert_int_not_equal(oc_open(&(oc_config){.gpu = "nothing"}, &d, message, 8), OC_OK);
    assert_true(strlen(message) < 8);
}

// --- memory ----------------------------------------------------------------------------------------------------------
static void memory(void **state)
{
    (void)state;
    oc_device *d = open_device((const char *const[]){"gpu.memory=1MiB", NULL}, false);
    oc_ptr a, b, c;
    assert_int_equal(oc_malloc(d, 0, NULL, &a), OC_BAD_ARGUMENT);
    assert_int_equal(oc_malloc(d, 1, "a", &a), OC_OK);
    assert_int_equal(oc_malloc(d, 1000, NULL, &b), OC_OK);
    assert_true(a && b && a % 256 == 0 && b % 256 == 0);
    assert_true(b >= a + 1 || a >= b + 1000);
    assert_int_equal(oc_malloc(d, 2 << 20, "large", &c), OC_OUT_OF_MEMORY);
    assert_has(oc_error(d), "memory");
    assert_int_equal(oc_malloc(d, SIZE_MAX - 100, "larger", &c), OC_OUT_OF_MEMORY);
    assert_int_equal(oc_malloc(d, SIZE_MAX, "largest", &c), OC_OUT_OF_MEMORY);
    // What is freed is used again, also in parts and joined.
    oc_ptr p[100];
    size_t n = 0;
    while (n < 100 && oc_malloc(d, 100000, NULL, &p[n]) == OC_OK) n++;
    assert_true(n >= 5 && n <= 10);
    for (size_t k = 0; k < n; k++) assert_int_equal(oc_free(d, p[k]), OC_OK);
    assert_int_equal(oc_malloc(d, 400000, NULL, &c), OC_OK);
    for (size_t k = 0; k < 5; k++) assert_int_equal(oc_malloc(d, 60000, NULL, &p[k]), OC_OK);
    for (size_t i = 0; i < 5; i++) {
        assert_true(p[i] >= c + 400000 || p[i] + 60000 <= c);
        for (size_t k = 0; k < i; k++) assert_true(p[i] >= p[k] + 60000 || p[k] >= p[i] + 60000);
    }
    assert_int_equal(oc_free(d, c + 256), OC_BAD_ARGUMENT);
    assert_int_equal(oc_free(d, c), OC_OK);
    assert_int_equal(oc_free(d, c), OC_BAD_ARGUMENT);
    assert_int_equal(oc_free(d, 0), OC_OK);
    assert_int_equal(oc_free(d, 12345), OC_BAD_ARGUMENT);
    // Copies stay inside one allocation.
    uint8_t buffer[1000], back[1000];
    for (int k = 0; k < 1000; k++) buffer[k] = (uint8_t)(k * 7);
    assert_int_equal(oc_write(d, b, buffer, 1000, NULL), OC_OK);
    assert_int_equal(oc_read(d, back, b, 1000, NULL), OC_OK);
    assert_memory_equal(buffer, back, 1000);
    assert_int_equal(oc_write(d, b + 1, buffer, 1000, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_write(d, b - 1, buffer, 1, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_read(d, back, b + 1000, 1, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_read(d, back, b + 8, SIZE_MAX - 3, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_read(d, back, c, 1, NULL), OC_BAD_ARGUMENT);  // freed
    assert_int_equal(oc_copy(d, b + 500, b, 500, NULL), OC_OK);
    assert_int_equal(oc_fill(d, b, 0xab, 10, NULL), OC_OK);
    assert_int_equal(oc_read(d, back, b, 1000, NULL), OC_OK);
    for (int k = 0; k < 1000; k++) assert_int_equal(back[k], k < 10 ? 0xab : buffer[k % 500]);
    assert_int_equal(oc_copy(d, b, b + 1, 1000, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(oc_fill(d, b, 0, 1001, NULL), OC_BAD_ARGUMENT);
    oc_close(d);
}

// --- modules ---------------------------------------------------------------------------------------------------------
static void modules(void **state)
{
    (void)state;
    oc_device *d = open_device(NULL, *(bool *)*state);
    oc_module *first, *second, *third;
    oc_kernel *k;
    load(d, add_ptx, "add", &first);
    // Three copies of a module have variables of their own; .const ones are reached through oc_symbol's pointers.
    load(d, add_ptx, "add", &second);
    oc_kernel *constants = load(d, add_ptx, "constants", &third);
    assert_int_equal(oc_kernel_count(third), 2);
    assert_string_equal(oc_kernel_describe(oc_kernel_at(third, 0)).name, "add");
    assert_string_equal(oc_kernel_describe(oc_kernel_at(third, 1)).name, "constants");
    assert_null(oc_kernel_at(third, 2));
    assert_int_equal(oc_kernel_get(third, "constant", &k), OC_BAD_ARGUMENT);
    assert_null(k);
    assert_has(oc_error(d), "'constants'");
    oc_kernel_info info = oc_kernel_describe(oc_kernel_at(third, 0));
    assert_int_equal(info.params, 3);
    assert_int_equal(info.sizes[0], 8);
    assert_int_equal(info.sizes[2], 4);
    assert_string_equal(info.types[1], "u64");
    assert_string_equal(info.types[2], "u32");
    assert_true(info.registers >= 4 && info.registers <= 24);
    oc_ptr symbol[3], scale[3], out = allocate(d, 64, "out");
    oc_module *all[3] = {first, second, third};
    size_t bytes;
    for (int m = 0; m < 3; m++) {
        assert_int_equal(oc_symbol(all[m], "calls", &symbol[m], &bytes), OC_OK);
        assert_int_equal(bytes, 4);
        assert_int_equal(oc_symbol(all[m], "scale", &scale[m], &bytes), OC_OK);
        assert_int_equal(bytes, 8);
        uint32_t v[2];
        assert_int_equal(oc_read(d, v, scale[m], 8, NULL), OC_OK);
        assert_true(v[0] == 10 && v[1] == 20);
        v[0] = 100 + (uint32_t)m;
        assert_int_equal(oc_write(d, scale[m], v, 4, NULL), OC_OK);
        assert_int_equal(oc_read(d, v, symbol[m], 4, NULL), OC_OK);
        assert_int_equal(v[0], 3);
    }
    assert_true(symbol[0] != symbol[1] && scale[0] != scale[1]);
    assert_int_equal(oc_symbol(first, "nothing", &symbol[0], &bytes), OC_BAD_ARGUMENT);
    assert_int_equal(oc_symbol(first, "add", &symbol[0], &bytes), OC_BAD_ARGUMENT);
    // A kernel of the third module, before and after others are gone, with its own constants by pointer and by name.
    for (int round = 0; round < 2; round++) {
        const void *args[] = {&out, &scale[2]};
        uint32_t v[3];
        if (oc_launch(constants, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args) != OC_OK)
            fail_msg("%s", oc_error(d));
        assert_int_equal(oc_read(d, v, out, 12, NULL), OC_OK);
        assert_true(v[0] == 102 && v[1] == 20 && v[2] == 102);
        if (!round) oc_unload(first);
        assert_int_equal(oc_read(d, v, scale[1], 4, NULL), OC_OK);
        assert_int_equal(v[0], 101);
    }
    // What an unloaded module had is gone, and named as such.
    oc_kernel *add;
    assert_int_equal(oc_kernel_get(second, "add", &add), OC_OK);
    uint32_t v;
    assert_int_equal(oc_read(d, &v, symbol[0], 4, NULL), OC_BAD_ARGUMENT);
    assert_int_equal(launch_add(add, symbol[0], out, 1, 1, NULL), OC_FAULT);
    assert_has(oc_error(d), "memory that was freed");
    assert_int_equal(launch_add(add, out, out, 1, 2, NULL), OC_FAULT);  // 64 bytes are 16 words
    // Bad files.
    assert_int_equal(oc_load(d, "hello", 5, "hello.ptx", &first), OC_BAD_FILE);
    assert_null(first);
    assert_has(oc_error(d), "hello.ptx:1:1");
    assert_int_equal(oc_load_file(d, "/nonexistent/file.ptx", &first), OC_BAD_FILE);
    assert_has(oc_error(d), "/nonexistent/file.ptx");
    static const char tensor[] =
        HEADER ".visible .entry k() { .reg .b32 %r<20>;\ntcgen05.mma.sync.aligned.m64n8k16.f16.f16.f16 "
               "{%r0, %r1}, %r2, %r3, 1, 1, 1, 0, 0;\nret; }\n";
    // What isn't implemented blocks its kernel alone, unless the device is strict.
    oc_kernel *tensors;
    assert_int_equal(oc_load(d, tensor, strlen(tensor), NULL, &first), OC_OK);
    assert_int_equal(oc_kernel_count(first), 1);
    assert_int_equal(oc_kernel_get(first, "k", &tensors), OC_OK);
    assert_has(oc_kernel_describe(tensors).refusal, "module.ptx:5:1: error: instruction 'tcgen05");
    assert_int_equal(oc_launch(tensors, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, NULL), OC_UNSUPPORTED);
    assert_has(oc_error(d), "tcgen05");
    oc_unload(first);
    oc_close(d);
    oc_config strict = {.gpu = "gtx480", .strict = true};
    assert_int_equal(oc_open(&strict, &d, NULL, 0), OC_OK);
    assert_int_equal(oc_load(d, tensor, strlen(tensor), NULL, &first), OC_UNSUPPORTED);
    assert_has(oc_error(d), "tcgen05");
    oc_close(d);
}

// --- launches: what is refused, and what goes on after a fault -------------------------------------------------------
static void launches(void **state)
{
    bool functional = *(bool *)*state;
    oc_device *d = open_device(NULL, functional);
    oc_kernel *k = load(d, add_ptx, "add", NULL);
    oc_ptr in = allocate(d, 128, "numbers"), out = allocate(d, 128, "results");
    uint32_t v[32], r[32];
    for (uint32_t n = 0; n < 32; n++) v[n] = n * n;
    assert_int_equal(oc_write(d, in, v, sizeof v, NULL), OC_OK);
    const oc_dim3 bad_grid[] = {{0, 1, 1}, {1, 0, 1}, {1, 1, 0}, {0x80000000u, 1, 1}, {1, 65536, 1}, {1, 1, 65536}};
    const oc_dim3 bad_block[] = {{0, 1, 1}, {1025, 1, 1}, {32, 33, 1}, {1, 1, 65}, {0x80000000u, 2, 1}};
    const void *args[] = {&in, &out, v};
    for (size_t n = 0; n < sizeof bad_grid / sizeof *bad_grid; n++)
        assert_int_equal(oc_launch(k, bad_grid[n], (oc_dim3){32, 1, 1}, 0, NULL, args), OC_BAD_ARGUMENT);
    for (size_t n = 0; n < sizeof bad_block / sizeof *bad_block; n++)
        assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, bad_block[n], 0, NULL, args), OC_BAD_ARGUMENT);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 49153, NULL, args), OC_BAD_ARGUMENT);
    assert_has(oc_error(d), "shared");
    size_t before = oc_launches(d);
    for (uint32_t round = 1; round <= 3; round++) {
        assert_int_equal(launch_add(k, in, out, round, 1, NULL), OC_OK);
        assert_int_equal(oc_read(d, r, out, sizeof r, NULL), OC_OK);
        for (uint32_t n = 0; n < 32; n++) assert_int_equal(r[n], n * n + round);
        assert_int_equal(launch_add(k, in, out, 0, 2, NULL), OC_FAULT);  // 4,000,000 bytes beyond
        assert_has(oc_error(d), "kernel add: read of 4 bytes at 0x");
        assert_has(oc_error(d), "outside of every allocation");
        assert_has(oc_error(d), "'results'");
        assert_has(oc_error(d), "parameter 'in'");
        assert_has(oc_error(d), "test.ptx:");
        assert_has(oc_error(d), "thread (0,0,0)");
    }
    // Use after free: the buffer's name and offset.
    assert_int_equal(oc_free(d, in), OC_OK);
    assert_int_equal(launch_add(k, in, out, 1, 1, NULL), OC_FAULT);
    assert_has(oc_error(d), "in memory that was freed");
    assert_has(oc_error(d), "'numbers'");
    assert_has(oc_error(d), "(freed), at offset 0");
    assert_int_equal(launch_add(k, 0, out, 1, 1, NULL), OC_FAULT);
    assert_has(oc_error(d), "null");
    assert_int_equal(launch_add(k, out, out + 2, 1, 1, NULL), OC_FAULT);
    assert_has(oc_error(d), "not aligned");
    // The record: one entry for each launch that began.
    assert_int_equal(oc_launches(d), before + 9);
    assert_string_equal(oc_launch_kernel(d, before), "add");
    if (!functional) assert_true(oc_launch_counter(d, before, "cycles") > 0);
    assert_int_equal(oc_launch_counter(d, before, "no such counter"), 0);
    assert_int_equal(oc_launch_counter(d, before + 1000, "cycles"), 0);
    assert_true(oc_launch_rate(d, before, "no such rate") == 0);
    assert_string_equal(oc_launch_kernel(d, before + 1000), "");
    oc_close(d);
}

// --- a hang and a limit, and then a launch that works ----------------------------------------------------------------
static const char spin_ptx[] =
    HEADER ".visible .entry spin(.param .u64 flag)\n"
           "{\n"
           "    .reg .pred %p1;\n    .reg .b32 %r1;\n    .reg .b64 %rd1;\n"
           "    ld.param.u64 %rd1, [flag];\n"
           "L:  ld.volatile.global.u32 %r1, [%rd1];\n    setp.eq.u32 %p1, %r1, 0;\n    @%p1 bra L;\n"
           "    red.global.add.u32 [%rd1+4], 1;\n    ret;\n"
           "}\n";

static void hangs(void **state)
{
    oc_device *d = open_device(NULL, *(bool *)*state);
    oc_kernel *k = load(d, spin_ptx, "spin", NULL);
    oc_ptr flag = allocate(d, 8, "flag");
    const void *args[] = {&flag};
    uint32_t v[2] = {0, 0};
    for (uint32_t round = 1; round <= 2; round++) {
        v[0] = 0;
        assert_int_equal(oc_write(d, flag, v, 4, NULL), OC_OK);
        assert_int_equal(oc_launch(k, (oc_dim3){30, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_HANG);
        assert_has(oc_error(d), "kernel spin: the kernel hangs");
        v[0] = 1;
        assert_int_equal(oc_write(d, flag, v, 4, NULL), OC_OK);
        assert_int_equal(oc_launch(k, (oc_dim3){30, 1, 1}, (oc_dim3){64, 1, 1}, 0, NULL, args), OC_OK);
        assert_int_equal(oc_read(d, v, flag, 8, NULL), OC_OK);
        assert_int_equal(v[1], 1920 * round);
    }
    oc_close(d);
}

static void limit(void **state)
{
    oc_device *d;
    oc_config config = {.gpu = "gtx480", .max_cycles = 5000, .functional = *(bool *)*state};
    assert_int_equal(oc_open(&config, &d, NULL, 0), OC_OK);
    oc_kernel *k = load(d, spin_ptx, "spin", NULL);
    oc_ptr flag = allocate(d, 8, "flag");
    const void *args[] = {&flag};
    uint32_t one = 1;
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args), OC_LIMIT);
    assert_has(oc_error(d), "5000");
    assert_int_equal(oc_write(d, flag, &one, 4, NULL), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args), OC_OK);
    oc_close(d);
}

// Ctrl-C, as a program's handler would tell of it: the launch under way ends and is recorded, none begins until it is
// taken back.
static volatile bool stop_now;
static void stop_soon(void *user, const char *kernel, uint64_t cycles, uint64_t insts, uint64_t done, uint64_t blocks)
{
    (void)user, (void)kernel, (void)cycles, (void)insts, (void)done, (void)blocks;
    stop_now = true;
}

static void stopped(void **state)
{
    (void)state;
    oc_device *d;
    oc_config config = {.gpu = "gtx480", .stop = &stop_now, .progress = stop_soon};
    stop_now = false;
    assert_int_equal(oc_open(&config, &d, NULL, 0), OC_OK);
    oc_kernel *k = load(d, spin_ptx, "spin", NULL);
    oc_ptr flag = allocate(d, 8, "flag");
    const void *args[] = {&flag};
    uint32_t one = 1;
    for (int round = 0; round < 2; round++) {  // under way; and before
        assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args), OC_STOPPED);
        assert_has(oc_error(d), "interrupted");
        assert_int_equal(oc_launches(d), 1);
        assert_true(oc_launch_counter(d, 0, "cycles") > 20000);
    }
    stop_now = false;
    assert_int_equal(oc_write(d, flag, &one, 4, NULL), OC_OK);
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, NULL, args), OC_OK);
    assert_int_equal(oc_launches(d), 2);
    oc_close(d);
}

// --- streams ---------------------------------------------------------------------------------------------------------
static const char busy_ptx[] = HEADER ".visible .entry busy(.param .u32 n)\n"
                                      "{\n"
                                      "    .reg .pred %p1;\n    .reg .b32 %r<4>;\n"
                                      "    ld.param.u32 %r1, [n];\n"
                                      "L:  sub.u32 %r1, %r1, 1;\n    setp.ne.u32 %p1, %r1, 0;\n    @%p1 bra L;\n"
                                      "    ret;\n"
                                      "}\n";

static bool close_to(double a, double b) { return fabs(a - b) <= 1e-9 + 1e-9 * fabs(b); }

static void streams(void **state)
{
    (void)state;
    // 1 GB/s and no latency: a copy of 1 MB takes a millisecond. Two engines: one each way.
    oc_device *d = open_device((const char *const[]){"host.bandwidth=1", "host.latency=0", "host.launch=0",
                                                     "host.call=0", "host.engines=2", NULL},
                               false);
    enum { N = 1000000 };
    uint8_t *bytes = calloc(1, N);
    oc_stream *a, *b;
    assert_int_equal(oc_stream_create(d, &a), OC_OK);
    assert_int_equal(oc_stream_create(d, &b), OC_OK);
    oc_ptr p = allocate(d, N, "p"), q = allocate(d, N, "q");
    // Copies in one direction share the engine, in the other they don't.
    assert_int_equal(oc_write(d, p, bytes, N, a), OC_OK);
    assert_true(close_to(oc_stream_time(a), 1e-3));
    assert_int_equal(oc_write(d, q, bytes, N, b), OC_OK);
    assert_true(close_to(oc_stream_time(b), 2e-3));
    assert_int_equal(oc_read(d, bytes, p, N, a), OC_OK);
    assert_true(close_to(oc_stream_time(a), 2e-3));
    // A kernel of stream a runs beside a copy of stream b.
    oc_kernel *k = load(d, busy_ptx, "busy", NULL);
    uint32_t n = 20000;
    const void *args[] = {&n};
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, a, args), OC_OK);
    double kernel = (double)oc_launch_counter(d, oc_launches(d) - 1, "cycles") / 700e6;  // gtx480's clock
    assert_true(kernel > 2e-5);
    assert_true(close_to(oc_stream_time(a), 2e-3 + kernel));
    assert_int_equal(oc_write(d, q, bytes, N, b), OC_OK);
    assert_true(close_to(oc_stream_time(b), 3e-3));
    // Kernels of two streams follow one another on the chip.
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, a, args), OC_OK);
    double second = oc_stream_time(a);
    assert_true(close_to(second, 2e-3 + 2 * kernel));
    // The default stream waits for all, and all for it.
    assert_int_equal(oc_write(d, p, bytes, N, NULL), OC_OK);
    assert_int_equal(oc_write(d, p, bytes, N, a), OC_OK);
    double all = second > 3e-3 ? second : 3e-3;
    assert_true(close_to(oc_stream_time(a), all + 2e-3));
    assert_int_equal(oc_read(d, bytes, p, N, b), OC_OK);
    assert_true(close_to(oc_stream_time(b), all + 2e-3));
    oc_stream *c;
    assert_int_equal(oc_stream_create(d, &c), OC_OK);
    oc_stream_destroy(a);
    assert_int_equal(oc_read(d, bytes, p, N, c), OC_OK);
    assert_true(close_to(oc_stream_time(c), all + 3e-3));
    oc_close(d);  // destroys b and c
    // One engine: copies of both directions follow one another; latency and launch overhead count.
    d = open_device((const char *const[]){"host.bandwidth=1", "host.latency=100", "host.launch=50", "host.call=0",
                                          "host.engines=1", NULL},
                    false);
    k = load(d, busy_ptx, "busy", NULL);
    p = allocate(d, N, "p");
    assert_int_equal(oc_stream_create(d, &a), OC_OK);
    assert_int_equal(oc_stream_create(d, &b), OC_OK);
    assert_int_equal(oc_write(d, p, bytes, N, a), OC_OK);
    assert_int_equal(oc_read(d, bytes, p, N, b), OC_OK);
    assert_true(close_to(oc_stream_time(b), 2.2e-3));
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, a, args), OC_OK);
    assert_true(close_to(oc_stream_time(a), 1.15e-3 + (double)oc_launch_counter(d, 0, "cycles") / 700e6));
    free(bytes);
    oc_close(d);
}

// --- two devices, callbacks ------------------------------------------------------------------------------------------
static const char hello_ptx[] = HEADER
    ".extern .func (.param .b32 r) vprintf(.param .b64 f, .param .b64 a);\n"
    ".visible .global .align 1 .b8 text[4] = {104, 105, 10, 0};\n"
    ".visible .entry hello()\n"
    "{\n"
    "    .reg .b32 %r1;\n    .reg .b64 %rd<3>;\n"
    "    mov.u64 %rd1, text;\n    cvta.global.u64 %rd1, %rd1;\n    mov.u64 %rd2, 0;\n"
    "    { .param .b64 f;\n .param .b64 a;\n .param .b32 q;\n st.param.b64 [f], %rd1;\n st.param.b64 [a], %rd2;\n"
    "      call.uni (q), vprintf, (f, a);\n ld.param.b32 %r1, [q]; }\n"
    "    ret;\n"
    "}\n";

static void take(void *user, const char *text, size_t length)
{
    char *to = user;
    strncat(to, text, length);
}

static void devices(void **state)
{
    oc_device *d[2];
    char said[2][64] = {"", ""};
    for (int n = 0; n < 2; n++) {
        oc_config config = {
            .gpu = "gtx480", .functional = *(bool *)*state, .print = take, .user = said[n], .threads = (uint32_t)n * 3};
        assert_int_equal(oc_open(&config, &d[n], NULL, 0), OC_OK);
    }
    oc_kernel *k[2] = {load(d[0], hello_ptx, "hello", NULL), load(d[1], hello_ptx, "hello", NULL)};
    assert_int_equal(oc_launch(k[0], (oc_dim3){2, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, NULL), OC_OK);
    assert_int_equal(oc_launch(k[1], (oc_dim3){1, 1, 1}, (oc_dim3){3, 1, 1}, 0, NULL, NULL), OC_OK);
    assert_string_equal(said[0], "hi\nhi\n");
    assert_string_equal(said[1], "hi\nhi\nhi\n");
    oc_close(d[0]);
    assert_int_equal(oc_launch(k[1], (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, NULL), OC_OK);
    oc_close(d[1]);
    oc_close(NULL);
}

// A launch that finds all caches cold takes as long as the first.
static void again(void **state)
{
    (void)state;
    oc_device *d = open_device((const char *const[]){"l2.keep=no", NULL}, false);
    oc_kernel *k = load(d, add_ptx, "add", NULL);
    oc_ptr in = allocate(d, 4096, "in"), out = allocate(d, 4096, "out");
    uint64_t cycles = 0;
    for (int n = 0; n < 4; n++) {
        assert_int_equal(launch_add(k, in, out, 1, 32, NULL), OC_OK);
        uint64_t c = oc_launch_counter(d, (size_t)n, "cycles");
        if (!c || (n && c != cycles)) fail_msg("launch %d took %d cycles, not %d", n, (int)c, (int)cycles);
        cycles = c;
    }
    oc_close(d);
}

int main(void)
{
    static bool timed = false, functional = true;
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(opening),
        cmocka_unit_test(memory),
        {"modules, timed", modules, NULL, NULL, &timed},
        {"modules, functional", modules, NULL, NULL, &functional},
        {"launches, timed", launches, NULL, NULL, &timed},
        {"launches, functional", launches, NULL, NULL, &functional},
        {"hangs, timed", hangs, NULL, NULL, &timed},
        {"hangs, functional", hangs, NULL, NULL, &functional},
        {"limit, timed", limit, NULL, NULL, &timed},
        {"limit, functional", limit, NULL, NULL, &functional},
        cmocka_unit_test(stopped),
        cmocka_unit_test(streams),
        {"devices, timed", devices, NULL, NULL, &timed},
        {"devices, functional", devices, NULL, NULL, &functional},
        cmocka_unit_test(again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
