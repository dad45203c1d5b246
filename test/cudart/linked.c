// linked.c: a CUDA program without nvcc whose device code has several parts, as nvcc -rdc=true and its device linker
// make one: a wrapper of version 2, whose list of containers is filled before it is registered. It prints what kernels
// of the parts have computed together. With an argument two parts define one name.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct dim3 {
    unsigned x, y, z;
} dim3;
extern void **__cudaRegisterFatBinary(void *);
extern void __cudaRegisterFatBinaryEnd(void **), __cudaUnregisterFatBinary(void **);
extern void __cudaRegisterFunction(void **, const char *, char *, const char *, int, void *, void *, void *, void *,
                                   int *);
extern void __cudaRegisterVar(void **, char *, char *, const char *, int, size_t, int, int);
extern int cudaLaunchKernel(const void *, dim3, dim3, void **, size_t, void *), cudaGetLastError(void);
extern int cudaMalloc(void **, size_t), cudaMemcpy(void *, const void *, size_t, int);
extern int cudaMemcpyToSymbol(const void *, const void *, size_t, size_t, int);
extern int cudaMemcpyFromSymbol(void *, const void *, size_t, size_t, int);

#define HEAD(version, target) ".version " version "\n.target " target "\n.address_size 64\n"
// counter is one variable of both; each has a function own of its own; twice is the second one's.
#define SHARED ".weak .global .align 4 .u32 counter = 5;\n"
#define COUNT "ld.global.u32 c, [counter];\nadd.u32 c, c, 1;\nst.global.u32 [counter], c;\n"
static const char first[] = HEAD("7.0", "sm_75") SHARED
    ".extern .global .align 4 .b8 table[32];\n"
    ".extern .func (.reg .b32 r) twice(.reg .b32 x);\n"
    ".extern .func (.param .b64 b) __cudaCDP2GetParameterBufferV2(.param .b64 f);\n"
    ".func (.reg .b32 r) _ZN25_INTERNAL_c0ffee00_4_a_cu_ka3ownEi(.reg .b32 x) { add.u32 r, x, 1; ret; }\n"
    ".visible .entry ka(.param .u64 p)\n{\n"
    ".reg .b64 a, t;\n.reg .b32 i, v, c;\n" COUNT
    "ld.param.u64 a, [p];\nmov.u32 i, %tid.x;\nmov.u64 t, table;\nmad.wide.u32 t, i, 4, t;\n"
    "mad.wide.u32 a, i, 4, a;\nld.global.u32 v, [t];\ncall (v), twice, (v);\n"
    "call (v), _ZN25_INTERNAL_c0ffee00_4_a_cu_ka3ownEi, (v);\nst.global.u32 [a], v;\nret;\n}\n"
    ".visible .entry launches(.param .u64 p)\n{\n.reg .b64 b;\n{\n.param .b64 f;\n.param .b64 r;\n"
    "st.param.b64 [f], 0;\ncall (r), __cudaCDP2GetParameterBufferV2, (f);\nld.param.b64 b, [r];\n}\nret;\n}\n"
    ".weak .entry same(.param .u64 p) { .reg .b64 a; ld.param.u64 a, [p]; st.global.u32 [a], 77; ret; }\n";
static const char second[] = HEAD("8.0", "sm_80") SHARED
    ".visible .global .align 4 .b8 table[32];\n"
    ".visible .func (.reg .b32 r) twice(.reg .b32 x) { add.u32 r, x, x; ret; }\n"
    ".func (.reg .b32 r) own(.reg .b32 x) { add.u32 r, x, 1000; ret; }\n"
    ".visible .entry kb(.param .u64 p)\n{\n.reg .b64 a;\n.reg .b32 v, c;\n" COUNT
    "ld.param.u64 a, [p];\nmov.u32 v, 3;\ncall (v), own, (v);\nst.global.u32 [a], c;\nst.global.u32 [a + 4], v;\n"
    "ret;\n}\n"
    ".weak .entry same(.param .u64 p) { .reg .b64 a; ld.param.u64 a, [p]; st.global.u32 [a], 78; ret; }\n";
// CUDA's own object of what launches from the device; without a body that onchip could run.
static const char runtime[] =
    HEAD("9.0", "sm_121") ".extern .func (.param .b64 b) __cuda_syscall_any(.param .b64 f);\n"
                          ".visible .func (.param .b64 b) __cudaCDP2GetParameterBufferV2(.param .b64 f)\n"
                          "{\n.reg .b64 v;\nld.param.b64 v, [f];\nst.param.b64 [b], v;\nret;\n}\n"
                          ".visible .func (.reg .b32 r) twice(.reg .b32 x) { mov.u32 r, 0; ret; }\n";
static const char again[] =
    HEAD("7.0", "sm_75") ".func _ZN25_INTERNAL_c0ffee01_4_b_cu_kb3ownEi() { ret; }\n"
                         ".visible .func (.reg .b32 r) twice(.reg .b32 x) { mov.u32 r, 0; ret; }\n";

typedef struct Container {
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
    char text[4096];
} Container;
enum { PTX = 1, MACHINE_CODE = 2, PARTS = 4 };
static Container containers[PARTS];
static const void *list[PARTS + 1];
static struct {
    uint32_t magic, version;
    const void *container, *const *list;
} wrapper = {0x466243b1, 2, NULL, list};
static void **handle;

static void put(size_t k, uint16_t kind, uint32_t capability, const char *text)
{
    Container *c = &containers[k];
    *c = (Container){.magic = 0xba55ed50, .version = 1, .bytes = 16, .rest = 64 + sizeof c->text, .kind = kind};
    c->form = 0x101, c->header = 64, c->contents = sizeof c->text, c->major = 7, c->capability = capability;
    c->flags = 0x11;
    strcpy(c->text, text);
    list[k] = c;
}

static void launch(const char *kernel, unsigned threads, void *p)
{
    printf("%s %d\n", kernel,
           cudaLaunchKernel(kernel, (dim3){1, 1, 1}, (dim3){threads, 1, 1}, (void *[]){&p}, 0, NULL));
}

int main(int argc, char **argv)
{
    (void)argv;
    static char ka[] = "ka", kb[] = "kb", launches[] = "launches", same[] = "same", lost[] = "lost", counter[4];
    static char table[32];
    char *kernels[] = {ka, kb, launches, same, same, lost};
    int values[8], count = 0, *p = NULL;
    put(0, PTX, 75, first), put(1, PTX, 80, second), put(2, MACHINE_CODE, 75, "");
    put(3, PTX, 121, argc > 1 ? again : runtime);
    handle = __cudaRegisterFatBinary(&wrapper);
    for (size_t k = 0; k < sizeof kernels / sizeof *kernels; k++)
        __cudaRegisterFunction(handle, kernels[k], kernels[k], kernels[k], -1, NULL, NULL, NULL, NULL, NULL);
    for (int k = 0; k < 2; k++) __cudaRegisterVar(handle, counter, counter, "counter", 0, 4, 0, 0);
    __cudaRegisterVar(handle, table, table, "table", 0, 32, 0, 0);
    __cudaRegisterFatBinaryEnd(handle);

    for (int k = 0; k < 8; k++) values[k] = 10 * k;
    printf("table %d\n", cudaMemcpyToSymbol(table, values, 32, 0, 1));
    cudaMalloc((void **)&p, 32);
    launch(ka, 8, p);
    if (!cudaMemcpy(values, p, 32, 2))
        for (int k = 0; k < 8; k++) printf("%d%c", values[k], k < 7 ? ' ' : '\n');
    launch(kb, 1, p);
    if (!cudaMemcpy(values, p, 8, 2)) printf("%d %d\n", values[0], values[1]);
    launch(same, 1, p);
    if (!cudaMemcpy(values, p, 4, 2)) printf("%d\n", values[0]);
    launch(lost, 1, p);
    launch(launches, 1, p);
    cudaGetLastError();
    cudaMemcpyFromSymbol(&count, counter, 4, 0, 2);
    printf("counter %d\n", count);
    __cudaUnregisterFatBinary(handle);
}
