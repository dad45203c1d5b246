// The rule for noise, on traces made up: medians without outliers, and when to stop.
#include "check.h"
#include "probe/measure.h"

#include <stdlib.h>
#include <string.h>

static uint32_t value(const uint32_t *v, uint32_t n, uint32_t *rejected) { return settle_value(v, 1, n, rejected); }

static void values(void **state)
{
    (void)state;
    uint32_t rejected;
    assert_int_equal(value((const uint32_t[]){7}, 1, &rejected), 7);
    assert_int_equal(value((const uint32_t[]){9, 5, 7}, 3, &rejected), 7);
    assert_int_equal(value((const uint32_t[]){8, 5, 7, 6}, 4, NULL), 6);  // the lower of two
    // median 102, deviations 0 1 1 2 2 5 …: 2; 112 is 10 away and stays, 113 goes
    assert_int_equal(value((const uint32_t[]){100, 101, 102, 103, 104, 107, 97, 112, 92}, 9, &rejected), 102);
    assert_int_equal(rejected, 0);
    assert_int_equal(value((const uint32_t[]){100, 101, 102, 103, 104, 101, 103, 113, 102}, 9, &rejected), 102);
    assert_int_equal(rejected, 1);
    // all alike but one: a deviation of 0 counts as 1, so that 5 cycles away is still the same
    assert_int_equal(value((const uint32_t[]){50, 50, 50, 55, 50}, 5, &rejected), 50);
    assert_int_equal(rejected, 0);
    assert_int_equal(value((const uint32_t[]){50, 50, 50, 56, 50}, 5, &rejected), 50);
    assert_int_equal(rejected, 1);
    // what is thrown out moves the median: without the three slow ones, 3 is in the middle instead of 4
    assert_int_equal(value((const uint32_t[]){1, 2, 3, 4, 5, 900, 901, 3, 902}, 9, &rejected), 3);
    assert_int_equal(rejected, 3);
    // every other one of two traces
    assert_int_equal(settle_value((const uint32_t[]){1, 100, 2, 200, 3, 300} + 1, 2, 3, NULL), 200);
}

static void stopping(void **state)
{
    (void)state;
    uint32_t v[2];
    // two positions; the second's median moves until the last three repeats
    const uint32_t traces[] = {10, 20, 10, 30, 10, 30, 10, 30, 10, 30, 10, 30};
    Settled s = settle(traces, 2, 2, 1, v);
    assert_int_equal(s.moving, 2);  // fewer than three
    s = settle(traces, 3, 2, 1, v);
    assert_int_equal(s.moving, 1);  // 20, 20, 30
    assert_int_equal(v[0], 10);
    s = settle(traces, 4, 2, 1, v);
    assert_int_equal(s.moving, 1);  // 20, 30, 30
    s = settle(traces, 5, 2, 1, v);
    assert_int_equal(s.moving, 0);
    assert_int_equal(v[1], 30);
    assert_int_equal(s.rejected, 1);
    assert_int_equal(settle(traces, 3, 2, 11, v).moving, 0);  // 10 apart
    assert_int_equal(settle(traces, 3, 2, 10, v).moving, 1);
}

// Noise of 3 % and an outlier in 40: positions of three latencies are found within 2 cycles.
static void noise(void **state)
{
    (void)state;
    enum { N = 300, REPEATS = 25 };
    static const uint32_t truth[3] = {110, 230, 371};
    static uint32_t traces[REPEATS * N], v[N];
    uint32_t seed = 1, outliers = 0;
    for (int k = 0; k < REPEATS * N; k++) {
        double sum = -6;
        for (int j = 0; j < 12; j++) seed = seed * 1664525 + 1013904223, sum += seed / 4294967296.0;  // nearly normal
        seed = seed * 1664525 + 1013904223;
        bool out = (seed >> 8) % 40 == 0;
        uint32_t of = truth[k % N % 3];
        outliers += out;
        traces[k] = (uint32_t)(of * (1 + 0.03 * sum)) + (out ? 500 + (seed >> 20) : 0);
    }
    Settled s = settle(traces, REPEATS, N, 3, v);
    for (int p = 0; p < N; p++) assert_true(labs((long)v[p] - (long)truth[p % 3]) <= truth[p % 3] * 0.03);
    assert_in_range(s.rejected, outliers, outliers + REPEATS * N / 50);
    assert_true(s.moving < N / 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(values), cmocka_unit_test(stopping), cmocka_unit_test(noise)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
