// symbols.c: how calls get here. There are three ways to the driver's functions, and each ends in the same table:
// - a program linked with libcuda finds the first definition in the order of loading, which is ours, being preloaded;
// - CUDA's runtime, static or shared, and most other programs dlopen libcuda.so.1 and ask dlsym, with its handle;
// - both then ask cuGetProcAddress for everything else.
//
// For the second, dlsym itself is ours. (Giving out a handle of our own from dlopen instead would need dlopen to be
// ours, whose search depends on the caller's RUNPATH; LD_AUDIT's la_symbind sees these bindings, but isn't LD_PRELOAD
// and takes a second C library.) Two things must be right about it:
// - The C library's dlsym is asked for with dlvsym, which isn't ours; __libc_dlsym, which older interposers use, is
//   gone since
//   glibc 2.34.
// - RTLD_NEXT and RTLD_DEFAULT mean something relative to the caller, whom glibc knows by the return address. So
//   dlsym ends in
//   a jump to the real one, not in a call: this file is compiled with -O2 in any build, and a test looks whether it
//   holds.
//
// Only the driver's own functions are replaced, not functions of the same name in another library, such as a stub.
#include "preload/unit.h"

#include <dlfcn.h>
#include <stdatomic.h>
#include <string.h>

typedef struct Row {
    const char *name;
    void *ours;
    size_t real;  // offset of its field in Driver
} Row;
// Ours; cuda.h isn't there to declare them.
#define NONE(name)
#define CALL(name)
#define FRONT(name) name##_fn name;
#define DRIVER(name, device, preload, parameters) preload(name)
#include "driver/driver.def"
#undef FRONT
static const Row rows[] = {
#define FRONT(name) {#name, (void *)name, offsetof(Driver, name)},
#include "driver/driver.def"
#undef FRONT
#undef CALL
};

// ThreadSanitizer's runtime itself calls dlsym before it is initialised, so this function must not be instrumented.
#define EARLY __attribute__((no_sanitize("thread")))

EARLY static void *(*real_dlsym(void))(void *, const char *)
{
    static const char *const versions[] = {"GLIBC_2.34", "GLIBC_2.17",
                                           "GLIBC_2.2.5"};  // of which a glibc has the later ones it is old enough for
    void *(*real)(void *, const char *) = preload.dlsym;
    for (size_t k = 0; !real && k < COUNT(versions); k++) *(void **)&real = dlvsym(RTLD_NEXT, "dlsym", versions[k]);
    preload.dlsym = real;
    return real;
}

// Several threads may do this at the same time. They find the same functions, and the table of the first one stays. (A
// lock would be held while the driver's constructors run, which may call dlsym.)
const Driver *driver(void)
{
    static const struct {
        const char *name;
        size_t at;
    } functions[] = {
#define CALL(name) {#name, offsetof(Driver, name)},
#define FRONT(name) CALL(name)
#include "driver/driver.def"
#undef DRIVER
#undef FRONT
#undef CALL
#undef NONE
    };
    static const Driver none;
    Driver *d = preload.driver, *before = NULL;
    if (d) return d;
    void *library = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_NOLOAD);
    if (!library) library = dlopen("libcuda.so.1", RTLD_LAZY);
    if (!library) return &none;
    d = mem_alloc(sizeof *d);
    for (size_t k = 0; k < COUNT(functions); k++) {
        void *f = real_dlsym()(library, functions[k].name);
        memcpy((char *)d + functions[k].at, &f, sizeof f);
    }
    if (!atomic_compare_exchange_strong(&preload.driver, &before, d)) {
        mem_free(d);
        return before;
    }
    return d;
}

static const Row *find(const char *name)
{
    for (size_t k = 0; k < COUNT(rows); k++)
        if (!strcmp(rows[k].name, name)) return &rows[k];
    return NULL;
}

static void *real_of(const Row *row)
{
    void *f;
    memcpy(&f, (const char *)driver() + row->real, sizeof f);
    return f;
}

static void *in_front_of(void *handle, const char *name)
{
    if (handle == RTLD_DEFAULT || handle == RTLD_NEXT) return NULL;  // these find our functions by the order of loading
    const Row *row = find(name);
    void *found = row ? real_dlsym()(handle, name) : NULL;
    return found && found == real_of(row) ? row->ours : NULL;
}

EARLY void *dlsym(void *restrict handle, const char *restrict name)
{
    void *ours = name[0] == 'c' && name[1] == 'u' ? in_front_of(handle, name) : NULL;
    if (ours) return ours;
    return real_dlsym()(handle, name);
}

// The names that are asked for have no suffixes for versions or for the meaning of stream 0: the version of the
// interface and flags choose these.
static void replace(const char *name, void **to, int version, uint64_t flags)
{
    Text full = {0};
    text_printf(&full, "%s%s", name,
                flags & PER_THREAD_STREAM                               ? "_ptsz"
                : !strcmp(name, "cuGetProcAddress") && version >= 12000 ? "_v2"
                                                                        : "");
    const Row *row = find(full.v);
    if (!row && flags & PER_THREAD_STREAM && !strcmp(name, "cuGetProcAddress") && version >= 12000)
        row = find("cuGetProcAddress_v2");
    if (!row) row = find(name);
    if (row && *to && real_of(row)) *to = row->ours;
    text_free(&full);
}

CUresult cuGetProcAddress(const char *name, void **to, int version, uint64_t flags)
{
    CUresult r = REAL(cuGetProcAddress, name, to, version, flags);
    if (r == CUDA_SUCCESS && name && to) replace(name, to, version, flags);
    return r;
}

CUresult cuGetProcAddress_v2(const char *name, void **to, int version, uint64_t flags, int *status)
{
    CUresult r = REAL(cuGetProcAddress_v2, name, to, version, flags, status);
    if (r == CUDA_SUCCESS && name && to) replace(name, to, version, flags);
    return r;
}
