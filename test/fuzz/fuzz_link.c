// Modules that are linked: any bytes, where null bytes part modules. What is linked links again; and where the parser
// takes each module alone, it takes the linked text. seeds: test/link/data
#include "link/link.h"
#include "ptx/unit.h"

#include <assert.h>
#include <stdlib.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

// Does the parser take each module?
static bool all_parse(const char *text, size_t size)
{
    bool good = true;
    for (size_t at = 0, end; good && at < size; at = end + 1) {
        Diag diag = {0};
        end = at + strnlen(text + at, size - at);
        Module *m = strspn(text + at, " \t\r\n") >= end - at ? NULL : ptx_parse(text + at, end - at, "one", &diag);
        good = m || !diag.failed;
        ptx_free(m);
        diag_free(&diag);
    }
    return good;
}

static bool link_text(const char *text, size_t size, Text *out)
{
    Diag diag = {0};
    Text warnings = {0};
    Link *l = link_new();
    bool ok = link_add(l, "fuzz", text, size, &diag) && link_finish(l, out, &warnings, &diag);
    assert(ok != diag.failed);
    link_free(l);
    text_free(&warnings), diag_free(&diag);
    return ok;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Text text = {0}, out = {0}, again = {0};
    if (size > 1 << 16) return 0;
    text_add(&text, (const char *)data, size);
    if (link_text(text.v, text.n, &out)) {
        const bool twice = link_text(out.v, out.n, &again);
        if (!twice && all_parse(text.v, text.n)) fprintf(stderr, "%s\n", out.v), abort();
    }
    text_free(&text), text_free(&out), text_free(&again);
    return 0;
}
