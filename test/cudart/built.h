// built.h: what nvcc makes of a program's device code: a fat binary with PTX in it, and its registration. Include it
// behind `static const char ptx[]`. Layouts and the order of the calls are those that nvcc 13.0 was seen to use.
#include <stdlib.h>
#include <string.h>

extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
                                   int *);

static struct {
    uint32_t magic;
    uint16_t version, bytes;
    uint64_t rest;
    uint16_t kind, form;
    uint32_t header;
    uint64_t contents;
    uint32_t packed, options;
    uint16_t minor, major;
    uint32_t capability, name_at, name_bytes;
    uint64_t flags, reserved, unpacked;
    char text[(sizeof ptx + 7) / 8 * 8];
} container = {
    0xba55ed50, 1, 16, 64 + sizeof container.text, 1, 0x101, 64, sizeof container.text, 0, 0, 0, 7, 75, 0, 0, 0x11,
    0,          0, {0}};
static struct {
    uint32_t magic, version;
    void *container, *list;
} wrapper = {0x466243b1, 1, &container, NULL};
static void **handle;

static void unregister(void) { __cudaUnregisterFatBinary(handle); }

// The kernels of a program; at is the host counterpart, whose address the runtime knows it by.
typedef struct Registered {
    char *at;
    const char *name;
} Registered;

// Variables may be registered between both.
static void register_kernels(const Registered *kernels, size_t n)
{
    memcpy(container.text, ptx, sizeof ptx);
    handle = __cudaRegisterFatBinary(&wrapper);
    for (size_t k = 0; k < n; k++)
        __cudaRegisterFunction(handle, kernels[k].at, kernels[k].at, kernels[k].name, -1, NULL, NULL, NULL, NULL, NULL);
}

static void register_end(void)
{
    __cudaRegisterFatBinaryEnd(handle);
    atexit(unregister);
}
