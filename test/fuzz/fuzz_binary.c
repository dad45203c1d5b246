// Device code in files: a program, a library, an object, a fat binary, a cubin or PTX, with any bytes. Whatever is
// found in a file is read: each module's text, its kernels, and the module that has the first of them.
#include "driver/fatbin.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

typedef struct Seen {
    Text first;  // the first kernel's name
    size_t kernels;
} Seen;

static void see(void *user, const char *name, bool stub)
{
    Seen *s = user;
    (void)stub;
    assert(*name);
    if (!s->kernels++) text_put(&s->first, name);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    Text file = {0};
    Diag why = {0};
    BinaryModules all = {0};
    Seen seen = {.kernels = 0};
    text_add(&file, (const char *)data, size);  // it ends with a null byte
    bool ok = binary_modules(file.v, file.n, &all, &why);
    assert(ok ? all.n > 0 : why.failed);
    for (size_t k = 0; k < all.n; k++) {
        Text text = {0};
        Diag problem = {0};
        if (binary_text(&all.v[k], &text, &problem))
            binary_kernels(&all.v[k], &text, see, &seen);
        else
            assert(problem.failed);
        text_free(&text), diag_free(&problem);
    }
    Text ptx = {0};
    Diag reason = {0};
    const Wish wish = {.capability = size % 2 ? 90 : 0};
    if (!binary_ptx(&file, seen.kernels ? seen.first.v : NULL, &wish, &ptx, &reason)) assert(reason.failed);
    text_free(&ptx), diag_free(&reason), text_free(&file), diag_free(&why), text_free(&seen.first);
    vec_free(&all);
    return 0;
}
