// process.c: functions by their names. A name had several meanings over the years: the symbol cuMemAlloc_v2 is what
// cuMemAlloc has meant since CUDA 3.2. Whoever asks says for which version of CUDA it was built.
#include "libcuda/unit.h"

#include <string.h>

// Each under another name, so that its type need not be known.
typedef void Any(void);
#define PART(title)
#define DONE(name, since, what) extern Any at_##name __asm__(#name);
#define MISSING(name, since) DONE(name, since, "")
#include "driver/names.def"
#undef PART
#undef DONE
#undef MISSING

static const struct {
    const char *symbol;
    int since;  // 12030: CUDA 12.3
    Any *function;
} symbols[] = {
#define PART(title)
#define DONE(name, since, what) {#name, since, at_##name},
#define MISSING(name, since) DONE(name, since, "")
#include "driver/names.def"
#undef PART
#undef DONE
#undef MISSING
};

// Does a symbol stand for a name? Behind it may be _v2 and so on, and the ending of those that use the thread's own
// stream in place of stream 0.
static bool stands_for(const char *symbol, const char *name, bool *own_stream)
{
    const size_t n = strlen(name);
    if (strncmp(symbol, name, n)) return false;
    const char *rest = symbol + n;
    if (rest[0] == '_' && rest[1] == 'v' && rest[2] >= '2' && rest[2] <= '9') rest += 3;
    *own_stream = !strcmp(rest, "_ptsz") || !strcmp(rest, "_ptds");
    return !*rest || *own_stream;
}

Lookup driver_function(const char *name, int version, bool own_stream, void **function)
{
    int newest = -1;
    bool known = false, best_own = false;
    *function = NULL;
    // From CUDA 12 on the short name means a function that has another one.
    if (version >= 12000 && !strcmp(name, "cuGraphInstantiate")) name = "cuGraphInstantiateWithFlags";
    for (size_t k = 0; k < COUNT(symbols); k++) {
        bool own;
        if (!stands_for(symbols[k].symbol, name, &own) || (own && !own_stream)) continue;
        known = true;
        // If two are of one age, the one with the wanted stream is taken.
        if (symbols[k].since > version || symbols[k].since < newest) continue;
        if (symbols[k].since == newest && best_own && !own) continue;
        newest = symbols[k].since, best_own = own;
        memcpy(function, &symbols[k].function, sizeof *function);
    }
    return *function ? FOUND : known ? TOO_NEW : NO_SUCH;
}

CUresult cuGetProcAddress_v2(const char *name, void **function, int version, uint64_t flags, int *status)
{
    enum { FLAGS = 3 };
    if (!name || !function || flags > FLAGS) return CUDA_ERROR_INVALID_VALUE;
    const Lookup found = driver_function(name, version, flags & PER_THREAD_STREAM, function);
    if (status) *status = (int)found;
    return found == FOUND || status ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

// As CUDA 11.3 to 11.8 had it.
CUresult cuGetProcAddress(const char *name, void **function, int version, uint64_t flags)
{
    return cuGetProcAddress_v2(name, function, version, flags, NULL);
}
