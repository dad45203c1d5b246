// What src/serve needs of a device: its memory as a file that another process maps, which is as long as it is and can't
// be made shorter; launches that are refused before they begin; the fault that ended one; the time of copies that
// somebody else has made, and of streams that wait for events.
#include "check.h"

#include "device/device.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#define BASE 0x200000000ull
#define GPU_MEMORY ((size_t)64 << 20)

static const char ptx[] = ".version 7.0\n.target sm_20\n.address_size 64\n"
                          ".visible .entry raise(.param .u64 x) .maxntid 64\n{ .reg .b64 %d; .reg .b32 %r;\n"
                          "ld.param.u64 %d, [x]; ld.global.u32 %r, [%d]; add.u32 %r, %r, 1; st.global.u32 [%d], %r;\n"
                          "ret; }\n.visible .entry stop()\n{ trap; }\n";

static oc_device *opened(bool functional)
{
    oc_device *d;
    char message[1000];
    static const char *const sets[] = {"gpu.memory=64MiB", "host.call=0", NULL};
    oc_config config = {.gpu = "gtx480", .sets = sets, .functional = functional};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    return d;
}

static void memory(void **state)
{
    (void)state;
    oc_device *d = opened(true);
    oc_ptr p, q;
    oc_module *m;
    oc_kernel *k;
    uint32_t got = 0;
    int file = device_share(d);
    assert_true(file >= 0);
    assert_int_equal(lseek(file, 0, SEEK_END), GPU_MEMORY);
    assert_int_equal(ftruncate(file, 4096), -1);
    assert_int_equal(errno, EPERM);  // fcntl(2), F_SEAL_SHRINK
    uint8_t *mine = mmap(NULL, GPU_MEMORY, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
    assert_true(mine != MAP_FAILED);
    assert_int_equal(device_share(d), -1);  // it is already

    assert_int_equal(device_taken(d), 0);
    assert_int_equal(oc_malloc(d, 1000, NULL, &p), OC_OK);
    assert_int_equal(oc_malloc(d, 32 << 20, NULL, &q), OC_OK);
    assert_int_equal(device_taken(d), 1000 + (32 << 20));
    uint32_t *word = (uint32_t *)(void *)(mine + (p - BASE));
    *word = 41;
    assert_int_equal(oc_load(d, ptx, strlen(ptx), NULL, &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "raise", &k), OC_OK);
    const void *args[] = {&p};
    assert_int_equal(oc_launch(k, (oc_dim3){1, 1, 1}, (oc_dim3){1, 1, 1}, 0, NULL, args), OC_OK);
    assert_int_equal(*word, 42);
    assert_int_equal(oc_read(d, &got, p, 4, NULL), OC_OK);
    assert_int_equal(got, 42);

    // Whole pages go back to the host when they are freed, and read as zero. More than there is isn't given.
    mine[q - BASE + 8192] = 7;
    assert_int_equal(oc_free(d, q), OC_OK);
    assert_int_equal(mine[q - BASE + 8192], 0);
    assert_int_equal(oc_malloc(d, 64 << 20, NULL, &q), OC_OUT_OF_MEMORY);
    device_clear(d);
    assert_int_equal(device_taken(d), 0);
    assert_int_equal(oc_free(d, p), OC_BAD_ARGUMENT);
    oc_close(d);
    munmap(mine, GPU_MEMORY);
}

static void launches(void **state)
{
    (void)state;
    for (int functional = 0; functional < 2; functional++) {
        oc_device *d = opened(functional);
        oc_module *m;
        oc_kernel *raise, *stop;
        oc_ptr null = 0;
        const void *args[] = {&null};
        const oc_dim3 one = {1, 1, 1};
        assert_int_equal(oc_load(d, ptx, strlen(ptx), NULL, &m), OC_OK);
        assert_int_equal(oc_kernel_get(m, "raise", &raise), OC_OK);
        assert_int_equal(oc_kernel_get(m, "stop", &stop), OC_OK);
        assert_int_equal(device_admit(raise, one, (oc_dim3){64, 1, 1}, 0), OC_OK);
        assert_int_equal(device_admit(raise, one, (oc_dim3){65, 1, 1}, 0), OC_BAD_ARGUMENT);
        assert_non_null(strstr(oc_error(d), ".maxntid"));
        assert_int_equal(device_admit(stop, one, one, 48 << 10), OC_OK);
        assert_int_equal(device_admit(stop, one, one, (48 << 10) + 1), OC_BAD_ARGUMENT);
        assert_int_equal(device_fault(d), FAULT_NONE);
        assert_int_equal(oc_launch(raise, one, one, 0, NULL, args), OC_FAULT);
        assert_int_equal(device_fault(d), FAULT_NULL);
        assert_int_equal(oc_launch(stop, one, one, 0, NULL, NULL), OC_FAULT);
        assert_int_equal(device_fault(d), FAULT_TRAP);
        oc_close(d);
    }
}

// A copy that another process makes takes as long as one of ours. A stream begins after an event that it waits for.
static void times(void **state)
{
    (void)state;
    enum { BYTES = 1 << 20 };
    static uint8_t host[BYTES];
    oc_device *d = opened(false);
    oc_stream *a, *b;
    oc_event *e[3];
    oc_ptr p;
    double ours = 0, theirs = 0;
    assert_int_equal(oc_malloc(d, BYTES, NULL, &p), OC_OK);
    assert_int_equal(oc_stream_create(d, &a), OC_OK);
    assert_int_equal(oc_stream_create(d, &b), OC_OK);
    for (int k = 0; k < 3; k++) assert_int_equal(oc_event_create(d, &e[k]), OC_OK);
    for (int to_device = 0; to_device < 2; to_device++) {
        assert_int_equal(oc_event_record(e[0], a), OC_OK);
        if (to_device) assert_int_equal(oc_write(d, p, host, BYTES, a), OC_OK);
        if (!to_device) assert_int_equal(oc_read(d, host, p, BYTES, a), OC_OK);
        assert_int_equal(oc_event_record(e[1], a), OC_OK);
        assert_int_equal(device_moved(d, p, BYTES, to_device, a), OC_OK);
        assert_int_equal(oc_event_record(e[2], a), OC_OK);
        oc_event_seconds(e[0], e[1], &ours), oc_event_seconds(e[1], e[2], &theirs);
        assert_true(ours > 0 && ours < theirs * 1.000001 && theirs < ours * 1.000001);
    }
    assert_int_equal(device_moved(d, p + 1, BYTES, true, a), OC_BAD_ARGUMENT);
    assert_int_equal(oc_event_record(e[0], b), OC_OK);
    oc_event_seconds(e[2], e[0], &ours);
    assert_true(ours < 0);  // b has done nothing yet
    device_after(d, b, e[2]);
    device_after(d, b, e[1]);  // is earlier
    assert_int_equal(oc_event_record(e[0], b), OC_OK);
    oc_event_seconds(e[2], e[0], &ours);
    assert_true(ours == 0);
    oc_close(d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory), cmocka_unit_test(launches), cmocka_unit_test(times)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
