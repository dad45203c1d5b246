// Latencies of operations come out of simulated GPUs as their descriptions have them, to the cycle; rates within two
// percent.
#include "check.h"
#include "probe/probe.h"

#include <math.h>

static void measure(const char *gpu, const char *set, OpTiming t[OPS_KINDS])
{
    oc_device *d;
    Diag diag = {0};
    char message[500];
    const char *sets[] = {set, NULL};
    if (oc_open(&(oc_config){.gpu = gpu, .sets = set ? sets : NULL}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    if (!ops_measure(d, t, &diag)) fail_msg("%s: %s", gpu, diag.text.v);
    oc_close(d);
}

// rate: thread operations a cycle and SM; 0: not compared.
static void recovered(const char *gpu, const char *set, const double latency[OPS_KINDS], const double rate[OPS_KINDS])
{
    OpTiming t[OPS_KINDS];
    measure(gpu, set, t);
    for (int k = 0; k < OPS_KINDS; k++) {
        if (t[k].latency.verdict != MEASURED || t[k].rate.verdict != MEASURED)
            fail_msg("%s, %s: not measured", gpu, t[k].name);
        if (t[k].latency.value != latency[k] || t[k].latency.low != latency[k] || t[k].latency.high != latency[k])
            fail_msg("%s, %s: %g cycles (%g to %g), described %g", gpu, t[k].name, t[k].latency.value, t[k].latency.low,
                     t[k].latency.high, latency[k]);
        if (rate[k] && fabs(t[k].rate.value / rate[k] - 1) > 0.02)
            fail_msg("%s, %s: %g a cycle, described %g", gpu, t[k].name, t[k].rate.value, rate[k]);
    }
}

// alu mul fma f64 sfu cvt shuffle branch barrier
static void fermi(void **state)
{
    (void)state;
    recovered("gtx560ti", NULL, (const double[]){18, 18, 18, 18, 22, 18, 50, 16, 16},
              (const double[OPS_KINDS]){64, 64, 64, 64, 64, 64, 64});
    // gtx480 starts a double every 16 cycles, which is more than the 14 that one takes.
    recovered("gtx480", NULL, (const double[]){10, 10, 11, 16, 24, 10, 38, 6, 6},
              (const double[OPS_KINDS]){64, 64, 64, 4, 4, 64, 64});
}
static void kepler(void **state)
{
    (void)state;
    recovered("gtx780", NULL, (const double[]){10, 10, 10, 10, 18, 10, 24, 8, 10},
              (const double[OPS_KINDS]){160, 32, 192, 32, 32, 128, 32});
    recovered("titan_black", NULL, (const double[]){10, 10, 10, 10, 18, 10, 24, 8, 10},
              (const double[OPS_KINDS]){160, 32, 192, 64, 32, 128, 32});
}
static void changed(void **state)
{
    (void)state;
    recovered("gtx780", "latency.cvt=37", (const double[]){10, 10, 10, 10, 18, 37, 24, 8, 10},
              (const double[OPS_KINDS]){160});
    recovered("gtx780", "latency.branch=3", (const double[]){10, 10, 10, 10, 18, 10, 24, 3, 10},
              (const double[OPS_KINDS]){160});
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(fermi), cmocka_unit_test(kepler), cmocka_unit_test(changed)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
