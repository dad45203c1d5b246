// compare_input.c: makes a version of what a word on the command line names: a file of JSON.
#include "cli/compare.h"

#include <errno.h>
#include <string.h>

static int read_file(const char *path, Version *v, Diag *diag)
{
    Text text = {0};
    if (!text_read_file(&text, path)) return diag_error(diag, "can't read %s: %s", path, strerror(errno)), EXIT_FAILED;
    bool ok = version_document(v, path, text.v ? text.v : "", text.n, diag);
    text_free(&text);
    return ok ? EXIT_OK : EXIT_FAILED;
}

int input_read(const Input *in, Version *v, Diag *diag)
{
    (void)in;
    return read_file(v->input, v, diag);
}
