// Which kernel a launch gets, against S-L1 §3: where pointers lead to allocations of their own, not all lines need be
// looked up; and what is handed to it. The device is a stand-in that writes down what it is asked.
#include "check.h"
#include "sl1/sl1.h"

#include <string.h>

typedef struct Device {
    uint32_t lines;  // that there is room for; 0: none
    bool lacks;      // the rewritten kernels
    char kernel[64];
    int asked;
} Device;

// Allocations of 4 KiB, at multiples of it from 64 KiB on.
static bool range(void *user, uint64_t p, uint64_t *base, uint64_t *bytes)
{
    (void)user;
    *base = p & ~4095ull, *bytes = 4096;
    return p >= 65536;
}

static bool kernel(void *user, bool apart, const char *name)
{
    Device *d = user;
    snprintf(d->kernel, sizeof d->kernel, "%s", name);
    assert_true(apart == !strcmp(name, "k" SL1_APART));
    return !d->lacks;
}

static Sl1Share share(void *user, bool apart)
{
    Device *d = user;
    (void)apart;
    d->asked++;
    return (Sl1Share){.region = 16, .lines = d->lines, .smem = 1024, .left = d->lines ? NULL : SL1_NO_ROOM};
}

// A kernel (x, n, y) of two structures, x and y.
static const Sl1Kernel two = {
    .name = "k", .params = 3, .structures = 2, .param = {0, 2}, .offset = {0, 16}, .param_bytes = 24};

static Sl1Choice choice(const Sl1Options *o, Device *d, uint64_t x, uint64_t y)
{
    uint32_t n = 7;
    const void *each[] = {&x, &n, &y};
    Sl1Host host = {range, kernel, share, d};
    Sl1Choice c = sl1_launch(&two, o, (Sl1Args){.each = each}, &host);
    // The same arguments in a buffer, as a driver may get them.
    uint8_t buffer[24] = {0};
    memcpy(buffer, &x, 8), memcpy(buffer + 8, &n, 4), memcpy(buffer + 16, &y, 8);
    Sl1Choice b = sl1_launch(&two, o, (Sl1Args){.buffer = buffer}, &host);
    assert_true(b.verdict == c.verdict && b.apart == c.apart && b.share.lines == c.share.lines);
    return c;
}

static void pointers(void **state)
{
    (void)state;
    Device d = {.lines = 2};
    Sl1Options o = sl1_defaults;
    Sl1Choice c = choice(&o, &d, 65536, 65536 + 4096);
    assert_true(c.verdict == SL1_REWRITTEN && !c.why && c.apart && c.share.lines == 2);
    assert_string_equal(d.kernel, "k" SL1_APART);
    c = choice(&o, &d, 65536, 65536 + 2048);  // two halves of one allocation
    assert_true(c.verdict == SL1_REWRITTEN && !c.why && !c.apart);
    assert_string_equal(d.kernel, "k" SL1_ALIAS);
    c = choice(&o, &d, 65536, 4096);  // into nothing that is known
    assert_true(c.verdict == SL1_REWRITTEN && !c.apart);
    o.apart = true;  // the user says that they don't alias
    c = choice(&o, &d, 65536, 65536 + 2048);
    assert_true(c.verdict == SL1_REWRITTEN && c.apart);
}

// Lines of 24 bytes have no kernel for pointers that may alias: nothing is asked of the device then.
static void left_alone(void **state)
{
    (void)state;
    Device d = {.lines = 2};
    Sl1Options o = sl1_defaults;
    o.line = 24;
    Sl1Choice c = choice(&o, &d, 65536, 65536);
    assert_true(c.verdict == SL1_POINTERS && c.why);
    assert_true(!d.asked && !*d.kernel);
    o = sl1_defaults;
    d.lacks = true;
    c = choice(&o, &d, 65536, 65536 + 4096);
    assert_true(c.verdict == SL1_NO_KERNEL && c.why && !d.asked);
    d = (Device){.lines = 0};
    c = choice(&o, &d, 65536, 65536 + 4096);
    assert_true(c.verdict == SL1_CROWDED);
    assert_string_equal(c.why, SL1_NO_ROOM);
}

static void arguments(void **state)
{
    (void)state;
    uint64_t x = 1, y = 3;
    uint32_t n = 2;
    const void *each[] = {&x, &n, &y}, *all[5];
    Sl1Share s = {.region = 48, .lines = 5};
    sl1_args(&two, each, &s, all);
    for (int k = 0; k < 3; k++) assert_ptr_equal(all[k], each[k]);
    assert_true(*(const uint32_t *)all[3] == 48 && *(const uint32_t *)all[4] == 5);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(pointers), cmocka_unit_test(left_alone),
                                       cmocka_unit_test(arguments)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
