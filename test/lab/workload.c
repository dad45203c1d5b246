// workload.c: see workload.h.
#include "workload.h"
#include "check.h"

#include <stdio.h>
#include <string.h>

oc_device *run_workload(const WorkloadEntry *entry, const char *params, bool small, const oc_config *config)
{
    char text[256], message[1000] = "";
    const char *list[16] = {0};
    size_t n = 0;
    assert_non_null(entry);
    snprintf(text, sizeof text, "%s", params);
    for (char *save, *word = strtok_r(text, " ", &save); word; word = strtok_r(NULL, " ", &save)) list[n++] = word;
    oc_device *d;
    if (oc_open(config, &d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    WorkResult result;
    if (!workload_run(d, entry, &(WorkOptions){.small = small, .params = list}, &result))
        fail_msg("%s/%s %s: %s", entry->workload->suite, entry->workload->name, params, result.error);
    assert_true(result.verified);
    work_result_free(&result);
    return d;
}
