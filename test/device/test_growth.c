// The device's memory on the host: as much is reserved as is allocated, it grows under the data that lies in it, on any
// number of threads, and addresses are those of a device that has all of it at once.
#include "check.h"

#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#define MIB ((size_t)1 << 20)
#define BASE 0x200000000ull

// Each block mallocs bytes, writes its number at both ends, and puts the address into out[block]; it does so rounds
// times, and checks the one before.
static const char ptx[] =
    ".version 7.0\n.target sm_70\n.address_size 64\n"
    ".extern .func (.param .b64 p) malloc(.param .b64 n);\n"
    ".visible .entry take(.param .u64 out, .param .u64 bytes, .param .u32 rounds)\n"
    "{\n"
    "    .reg .pred %p<4>;\n    .reg .b32 %r<12>;\n    .reg .b64 %rd<16>;\n"
    "    ld.param.u64 %rd1, [out];\n    ld.param.u64 %rd2, [bytes];\n    ld.param.u32 %r1, [rounds];\n"
    "    mov.u32 %r2, %ctaid.x;\n    mul.wide.u32 %rd3, %r2, 8;\n    add.u64 %rd3, %rd1, %rd3;\n"
    "    mov.u64 %rd4, 0;\n    mov.u32 %r3, 0;\n"
    "AGAIN:\n"
    "    {\n"
    "        .param .b64 n;\n        .param .b64 p;\n        st.param.b64 [n], %rd2;\n"
    "        call (p), malloc, (n);\n        ld.param.b64 %rd5, [p];\n"
    "    }\n"
    "    add.u64 %rd6, %rd5, %rd2;\n    add.u32 %r4, %r2, %r3;\n"
    "    st.u32 [%rd5], %r4;\n    st.u32 [%rd6+-4], %r4;\n"
    "    setp.eq.u64 %p1, %rd4, 0;\n    @%p1 bra FIRST;\n"
    "    ld.u32 %r5, [%rd4];\n    add.u64 %rd7, %rd4, %rd2;\n    ld.u32 %r6, [%rd7+-4];\n"
    "    add.u32 %r7, %r4, -1;\n    setp.ne.u32 %p2, %r5, %r7;\n    @%p2 trap;\n"
    "    setp.ne.u32 %p2, %r6, %r7;\n    @%p2 trap;\n"
    "FIRST:\n"
    "    mov.u64 %rd4, %rd5;\n    add.u32 %r3, %r3, 1;\n    setp.lt.u32 %p3, %r3, %r1;\n    @%p3 bra AGAIN;\n"
    "    st.global.u64 [%rd3], %rd5;\n    ret;\n"
    "}\n";

static oc_device *opened(const char *gpu, uint32_t threads, bool functional)
{
    oc_device *d;
    char message[1000];
    oc_config config = {.gpu = gpu, .threads = threads, .functional = functional};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

static void from_the_host(void **state)
{
    (void)state;
    oc_device *d = opened("h200", 1, true);
    oc_ptr p[11], at = BASE;
    // 1 KiB, 4 KiB, … 1 GiB: each past what was reserved before. More a host may not have while other tests run.
    for (int k = 0; k < 11; k++) {
        size_t bytes = (size_t)1024 << 2 * k;
        assert_int_equal(oc_malloc(d, bytes, NULL, &p[k]), OC_OK);
        assert_true(p[k] == at);
        at += bytes + 256;  // a guard lies between two
        for (int j = 0; j <= k; j++) {
            size_t last = ((size_t)1024 << 2 * j) - 1;
            uint8_t ends[2] = {(uint8_t)(j + 1), (uint8_t)(j + 101)}, back[2] = {0};
            if (j == k) {
                assert_int_equal(oc_write(d, p[j], &ends[0], 1, NULL), OC_OK);
                assert_int_equal(oc_write(d, p[j] + last, &ends[1], 1, NULL), OC_OK);
            }
            assert_int_equal(oc_read(d, &back[0], p[j], 1, NULL), OC_OK);
            assert_int_equal(oc_read(d, &back[1], p[j] + last, 1, NULL), OC_OK);
            assert_memory_equal(ends, back, 2);
        }
    }
    oc_close(d);
}

static void from_kernels(void **state)
{
    (void)state;
    enum { BLOCKS = 8, ROUNDS = 4 };
    uint64_t first[BLOCKS] = {0};
    for (int k = 0; k < 4; k++) {
        oc_device *d = opened("titan_black", k < 2 ? 1 + 3 * (uint32_t)k : 1, k == 3);
        oc_module *m;
        oc_kernel *take;
        oc_ptr out, room;
        uint64_t bytes = 24 * MIB, at[BLOCKS];
        uint32_t rounds = ROUNDS;
        const void *args[] = {&out, &bytes, &rounds};
        if (oc_load(d, ptx, sizeof ptx - 1, "take.ptx", &m) != OC_OK) fail_msg("%s", oc_error(d));
        assert_int_equal(oc_kernel_get(m, "take", &take), OC_OK);
        assert_int_equal(oc_malloc(d, sizeof at, "out", &out), OC_OK);
        if (k == 2) {  // one that has had more from the start
            assert_int_equal(oc_malloc(d, 2048 * MIB, "room", &room), OC_OK);
            assert_int_equal(oc_free(d, room), OC_OK);
        }
        if (oc_launch(take, (oc_dim3){BLOCKS, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args) != OC_OK)
            fail_msg("%s", oc_error(d));
        assert_int_equal(oc_read(d, at, out, sizeof at, NULL), OC_OK);
        if (k == 0) memcpy(first, at, sizeof at);
        if (k == 1) assert_memory_equal(at, first, sizeof at);
        for (int b = 0; b < BLOCKS; b++) {
            uint32_t ends[2];
            assert_int_equal(oc_read(d, &ends[0], at[b], 4, NULL), OC_OK);
            assert_int_equal(oc_read(d, &ends[1], at[b] + bytes - 4, 4, NULL), OC_OK);
            assert_true(ends[0] == (uint32_t)b + ROUNDS - 1 && ends[1] == ends[0]);
        }
        oc_close(d);
    }
}

// With fewer addresses than the device has memory: what fits works, what doesn't is told, and the device stays usable.
// How much is left when no more fits depends on where threads have put their heaps, and may be nothing. So there is
// some more for what comes then.
enum { SCARCE = 2048, MORE = 400 };  // MiB; more: what all of an h200 may take
static void limit_to(size_t now, size_t later)
{
    struct rlimit limit = {now * MIB, later * MIB};
    assert_int_equal(setrlimit(RLIMIT_AS, &limit), 0);
}
static void scarce(void)
{
    limit_to(SCARCE, SCARCE + MORE);
    oc_device *d = opened("h200", 4, false);
    oc_module *m;
    oc_kernel *take;
    oc_ptr out, p;
    uint64_t bytes = 300 * MIB, at;
    uint32_t rounds = 100;
    const void *args[] = {&out, &bytes, &rounds};
    assert_int_equal(oc_load(d, ptx, sizeof ptx - 1, "take.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "take", &take), OC_OK);
    assert_int_equal(oc_malloc(d, sizeof at, "out", &out), OC_OK);
    assert_int_equal(oc_malloc(d, 100000 * MIB, "too much", &p), OC_OUT_OF_MEMORY);
    assert_non_null(strstr(oc_error(d), "the host has no memory"));
    assert_int_equal(oc_launch(take, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args), OC_OUT_OF_MEMORY);
    if (!strstr(oc_error(d), "the host has no memory left for 314572800 bytes") || !strstr(oc_error(d), "take.ptx:"))
        fail_msg("%s", oc_error(d));
    limit_to(SCARCE + MORE, SCARCE + MORE);
    bytes = MIB, rounds = 1;
    if (oc_launch(take, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args) != OC_OK) fail_msg("%s", oc_error(d));
    assert_int_equal(oc_read(d, &at, out, sizeof at, NULL), OC_OK);
    assert_true(at > BASE);
    assert_int_equal(oc_malloc(d, 400000 * MIB, "too much", &p), OC_OUT_OF_MEMORY);
    assert_non_null(strstr(oc_error(d), "gpu.memory"));
    oc_close(d);
}

static void few_addresses(void **state)
{
    (void)state;
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
    skip();  // they take addresses of their own
#endif
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        scarce();
        _exit(0);
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(from_the_host),
        cmocka_unit_test(from_kernels),
        cmocka_unit_test(few_addresses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
