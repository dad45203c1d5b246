// Names of C++, with any bytes: each form of a name is a text of a bounded length, and a name means itself.
//
// The first byte cuts the rest in two: a name, and what somebody calls it.
#include "names/names.h"

#include <assert.h>
#include <string.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *text_of(const uint8_t *data, size_t size)
{
    char *text = mem_alloc(size + 1);
    memcpy(text, data, size);
    return text;  // it may end earlier, at a null byte
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (!size) return 0;
    const size_t cut = MIN(size - 1, (size_t)data[0] * (data[0] < 128 ? 1 : 64));
    char *name = text_of(data + 1, size - 1 - cut), *given = text_of(data + size - cut, cut);
    for (NameForm form = NAME_FULL; form <= NAME_PLAIN; form++) {
        Text t = {0};
        if (demangle(name, form, &t))
            assert(t.n && t.n <= 1 << 15 && strlen(t.v) == t.n && !strncmp(name, "_Z", 2));
        else
            assert(!t.n);
        if (t.n) assert(name_means(name, t.v));
        text_free(&t);
    }
    char *shown = name_shown(name);
    assert(*shown || !*name);
    assert(name_means(name, name));
    name_means(name, given);
    char *param = param_shown(name, given);
    assert(*param || !*given);
    mem_free(param);
    const char *const both[] = {shown, given};
    char *shorter[2];
    names_shorten(both, 2, 1 + data[0] % 100, shorter);
    assert(!strcmp(shown, given) || strcmp(shorter[0], shorter[1]) || data[0] % 100 < 2);
    mem_free(shorter[0]), mem_free(shorter[1]);
    mem_free(shown), mem_free(name), mem_free(given);
    return 0;
}
