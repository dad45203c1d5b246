// opened.c: see opened.h.
#include "opened.h"
#include "check.h"

oc_device *open_device(const char *gpu, const char *const *sets, uint32_t threads)
{
    oc_device *d;
    char message[500];
    if (oc_open(&(oc_config){.gpu = gpu, .sets = sets, .threads = threads}, &d, message, sizeof message) != OC_OK)
        fail_msg("%s", message);
    return d;
}

bool run_chase(void *chase, ChaseKind kind, const Walk *walks, size_t n, uint32_t rounds, uint32_t first,
               uint32_t *latency, Diag *diag)
{
    return chase_run(chase, kind, walks, n, rounds, first, latency, diag);
}

size_t window_of_chase(void *chase, size_t n) { return chase_window(chase, n); }
