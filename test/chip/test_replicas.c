// Replicas: widths as in Student's table, orthogonal signs, and intervals that hold the truth as often as they say,
// of launches and of their sums.
#include "chip/unit.h"

#include "check.h"
#include "random.h"

#include <string.h>

// The quantiles of Abramowitz and Stegun, table 26.10, by that of the normal distribution, 1.959964.
static void student(void **state)
{
    (void)state;
    const struct {
        uint32_t freedom;
        double t;
    } table[] = {{1, 12.706}, {2, 4.303}, {5, 2.571}, {7, 2.365}, {10, 2.228}, {20, 2.086}, {29, 2.045}};
    for (size_t k = 0; k < COUNT(table); k++)
        assert_float_equal((float)sample_wider(table[k].freedom), (float)(table[k].t / 1.959964), 0.0003f);
}

static double product(uint64_t launch, uint32_t i, uint64_t other, uint32_t j)
{
    double sum = 0;
    for (uint32_t r = 0; r < REPLICAS; r++) sum += sample_sign(launch, r, i) * sample_sign(other, r, j);
    return sum;
}

// Within a launch any two differences are orthogonal; those of two launches are on average as near to it as signs that
// are thrown by a coin: the mean square of a sum of 32 of them is 32.
static void signs(void **state)
{
    (void)state;
    double squares = 0;
    const uint32_t last = REPLICAS - 2;
    for (uint32_t i = 0; i <= last; i++)
        for (uint32_t j = 0; j <= last; j++)
            for (uint64_t launch = 1; launch < 50; launch += 7)
                assert_true(product(launch, i, launch, j) == (i == j ? REPLICAS : 0));
    for (uint64_t launch = 1; launch <= 4000; launch++) {
        const double sum = product(launch, 3, launch + 1, 3);
        squares += sum * sum / 4000;
    }
    assert_true(squares > 0.85 * REPLICAS && squares < 1.15 * REPLICAS);
}

// What no difference shows of a counter has the sign that it had in the runs whose intervals are stored: the place that
// it had in counters.def then, counted there. A row more in that file moves none of these.
static void places(void **state)
{
    (void)state;
    const struct {
        Counter c;
        uint32_t place;
    } had[] = {{C_CYCLES, 0},       {C_WARP_INSTS, 1},   {C_ISSUED, 4},   {C_STALL_EMPTY, 14},
               {C_LD_GLOBAL, 39},   {C_L1_ACCESSES, 51}, {C_L1_HITS, 54}, {C_SECTORS_LOADED, 67},
               {C_DRAM_READS, 114}, {C_ENERGY_SRAM, 139}};
    for (size_t k = 0; k < COUNT(had); k++) assert_int_equal(sample_place(had[k].c), had[k].place);
}

static double ipc(const uint64_t *count, const Gpu *gpu)
{
    return (void)gpu, (double)count[C_ISSUED] / (double)count[C_CYCLES];
}

static double normal(uint64_t *seed)
{
    double sum = -6;  // of twelve uniform numbers, whose variances are a twelfth
    for (int k = 0; k < 12; k++) sum += (double)(next_random(seed) >> 11) * 0x1p-53;
    return sum;
}

// Launches of four differences, each worth some cycles and instructions: how many of 1,000 intervals hold the truth,
// which is off by as much at random.
static void assert_held(uint32_t launches)
{
    enum { TRIALS = 1000, EACH = 4 };
    uint64_t seed = 1, cycles = 0, rates = 0;
    for (uint64_t trial = 0; trial < TRIALS; trial++) {
        Sampled *sum = NULL;
        uint64_t count[C_COUNT] = {0}, truth[C_COUNT];
        double off = 0, more = 0;
        for (uint64_t n = 0; n < launches; n++) {
            Sampled one = {.launches = 1};
            for (uint32_t k = 0; k < EACH; k++) {
                const double z = normal(&seed), worth = 1000.0 * (1 + k), insts = 300;
                off += z * worth, more += z * insts;
                for (uint32_t r = 0; r < REPLICAS; r++) {
                    const double sign = sample_sign(trial * launches + n, r, k);
                    one.off[r][C_CYCLES] += (float)(sign * worth), one.off[r][C_ISSUED] += (float)(sign * insts);
                }
            }
            count[C_CYCLES] += 1000000, count[C_ISSUED] += 2000000;
            sampled_add(&sum, &one);
        }
        memcpy(truth, count, sizeof truth);
        truth[C_CYCLES] = (uint64_t)((double)count[C_CYCLES] + off);
        truth[C_ISSUED] = (uint64_t)((double)count[C_ISSUED] + more);
        const Interval i = sampled_counter(sum, count, C_CYCLES), j = sampled_interval(sum, count, NULL, ipc);
        cycles += i.low <= (double)truth[C_CYCLES] && (double)truth[C_CYCLES] <= i.high;
        rates += j.low <= ipc(truth, NULL) && ipc(truth, NULL) <= j.high;
        assert_int_equal(sum->launches, launches);
        mem_free(sum);
    }
    // 950 are expected, with a standard deviation of 7; the replicas of sums know their own spread to an eighth.
    assert_in_range(cycles, 920, 975);
    assert_in_range(rates, 920, 975);
}

static void held(void **state)
{
    (void)state;
    assert_held(1);
    assert_held(2);
    assert_held(20);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(student), cmocka_unit_test(signs), cmocka_unit_test(places),
                                       cmocka_unit_test(held)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
