// The reader of JSON takes any bytes, and so does what makes a version of them: what isn't a run's JSON has a reason. A
// version doesn't differ from itself, however strange it is.
#include "compare/compare.h"

#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void walk(const JsonNode *n, size_t size, int depth)
{
    for (; n; n = n->next) {
        if (n->at >= size || depth > 64) abort();
        if (n->kind == JSON_TEXT && !n->text) abort();
        walk(n->first, size, depth + 1);
    }
}

static void compare(const Version *v)
{
    Changes c;
    Gate g = {.limits = {0}};
    GateFailures failures = {0};
    Diag diag = {0};
    changes_find(v, v, &c);
    if (c.pairs.n != v->kernels.n) abort();
    for (size_t k = 0; k < c.pairs.n; k++)
        if (c.pairs.v[k].differs || c.pairs.v[k].match != MATCH_NAME) abort();
    if (!gate_read(&g, "0%,l1_hit_rate=0%,dram__bytes.sum=-0%", &diag)) abort();
    if (gate_judge(&g, &c, &failures, &diag) == diag.failed || failures.n) abort();
    vec_free(&failures);
    gate_free(&g);
    changes_free(&c);
    diag_free(&diag);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    JsonDocument json;
    Version v = {.input = "fuzz"};
    Diag diag = {0}, why = {0};
    bool read = json_read(&json, "fuzz.json", (const char *)data, size, &diag);
    if (read == diag.failed) abort();
    if (read) walk(json.nodes, size, 0);
    json_close_document(&json);
    bool good = version_document(&v, "fuzz.json", (const char *)data, size, &why);
    if (good == why.failed || (good && !read)) abort();
    if (good) compare(&v);
    version_free(&v);
    diag_free(&diag), diag_free(&why);
    return 0;
}
