// jit.c: options of loading and linking. A driver compiles PTX for its GPU; here there is nothing to choose but the
// most registers, and the logs are what the program wants.
#include "libcuda/unit.h"

#include <string.h>

enum {  // CUjit_option
    MAX_REGISTERS = 0,
    WALL_TIME = 2,
    INFO_LOG = 3,
    INFO_BYTES = 4,
    ERROR_LOG = 5,
    ERROR_BYTES = 6,
    OPTIONS = 64  // numbers from here on are errors
};

// A value stands in the place of a pointer. Sizes are replaced by what was written.
CUresult jit_read(unsigned n, const int *options, void **values, Jit *jit)
{
    *jit = (Jit){0};
    if (n && (!options || !values)) return CUDA_ERROR_INVALID_VALUE;
    for (unsigned k = 0; k < n; k++) {
        switch (options[k]) {
        case MAX_REGISTERS: jit->registers = (unsigned)(uintptr_t)values[k]; break;
        case WALL_TIME: memcpy(&values[k], &(float){0}, sizeof(float)); break;
        case INFO_LOG: jit->info = values[k]; break;
        case INFO_BYTES: jit->info_room = (unsigned)(uintptr_t)values[k], jit->info_used = &values[k]; break;
        case ERROR_LOG: jit->error = values[k]; break;
        case ERROR_BYTES: jit->error_room = (unsigned)(uintptr_t)values[k], jit->error_used = &values[k]; break;
        default:
            if (options[k] < 0 || options[k] >= OPTIONS) return CUDA_ERROR_INVALID_VALUE;
        }
    }
    return CUDA_SUCCESS;
}

static void put(char *to, size_t room, void **used, const char *text)
{
    size_t n = 0;
    if (to && room) {
        n = MIN(text ? strlen(text) : 0, room - 1);
        memcpy(to, text ? text : "", n);
        to[n] = '\0';
    }
    if (used) *used = (void *)(uintptr_t)n;
}

void jit_refuse(const Jit *jit, const char *what, const char *why)
{
    if (!jit->error || !jit->error_room) client_line("%s: %s", what, why ? why : "");
    jit_tell(jit, NULL, why);
}

void jit_tell(const Jit *jit, const char *info, const char *error)
{
    put(jit->info, jit->info_room, jit->info_used, info);
    put(jit->error, jit->error_room, jit->error_used, error);
}
