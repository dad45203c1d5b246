// app.c: an application of the driver API that knows nothing of us: app HOW WHAT [IMAGE]. It loads a module, adds one
// to each byte of a buffer, 3 times, and prints what every call returned and a sum over the result. HOW it gets at the
// driver: dlsym, proc (cuGetProcAddress), ptsz (the same, for streams per thread), or linked, as it is when compiled
// with -DLINKED. WHAT it does: words below.
#include <dlfcn.h>
#include <malloc.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct Config {
    unsigned grid[3], block[3], smem;
    void *stream;
    const void *attrs;
    unsigned n;
} Config;

typedef struct Node {  // CUDA_KERNEL_NODE_PARAMS, version 2
    void *f;
    unsigned grid[3], block[3], smem;
    void **params, **extra, *kernel, *context;
} Node;

enum { THREADS = 64, BLOCKS = 4, EACH = 512, BYTES = THREADS * BLOCKS * EACH };

static const char *how, *what;
static int (*proc)(const char *, void **, int, uint64_t, int *);

#ifdef LINKED
#define NAMES(N)       \
    N(cuInit)          \
    N(cuMemAlloc_v2)   \
    N(cuMemcpyHtoD_v2) \
    N(cuMemcpyDtoH_v2) N(cuModuleLoadDataEx) N(cuModuleGetFunction) N(cuLaunchKernel) N(cuModuleUnload)
#define N(name) int name();
NAMES(N)
#undef N
static void *function(const char *name)
{
#define N(its) \
    if (!strncmp(#its, name, strlen(name)) && (!#its[strlen(name)] || #its[strlen(name)] == '_')) return (void *)its;
    NAMES(N)
#undef N
    abort();
}
#else
static void *function(const char *name)
{
    static const char *const suffixes[] = {"_v2", ""};
    void *driver = dlopen("libcuda.so.1", RTLD_NOW), *f = NULL;
    char full[100];
    if (!proc && strcmp(how, "dlsym")) {
        int (*first)(const char *, void **, int, uint64_t, int *);
        *(void **)&first = dlsym(driver, "cuGetProcAddress_v2");
        if (!first || first("cuGetProcAddress", (void **)&proc, 12000, 0, NULL)) abort();
    }
    if (proc) proc(name, &f, 12000, strcmp(how, "ptsz") ? 0 : 2, NULL);
    for (int s = 0; !proc && s < 2 && !f; s++)
        snprintf(full, sizeof full, "%s%s", name, suffixes[s]), f = dlsym(driver, full);
    if (!f) printf("no %s\n", name), exit(1);
    return f;
}
#endif
#define CALL(name, ...) said(#name, ((int (*)())function(#name))(__VA_ARGS__))

static int said(const char *name, int r)
{
    printf("%s: %d\n", name, r);
    return r;
}

static int is(const char *word) { return strstr(what, word) != NULL; }

static char *read_file(const char *path)
{
    FILE *f = fopen(path, "rb");
    char *all = calloc(1, 1 << 20);
    if (!f || !all) exit(1);
    size_t n = fread(all, 1, (1 << 20) - 1, f);
    fclose(f);
    (void)n;
    return all;
}

// How a module or library is loaded.
static void *load(const char *path, const void *image, void **library)
{
    struct {
        int magic, version;
        const void *container, *list;
    } wrapper = {0x466243b1, 1, image, NULL};
    void *m = NULL, *values[] = {(void *)(uintptr_t)4096};
    int options[] = {4};
    *library = NULL;
    if (is("wrapped")) image = &wrapper;
    if (is("library-file"))
        CALL(cuLibraryLoadFromFile, library, path, NULL, NULL, 0, NULL, NULL, 0);
    else if (is("library"))
        CALL(cuLibraryLoadData, library, image, NULL, NULL, 0, NULL, NULL, 0);
    else if (is("file"))
        CALL(cuModuleLoad, &m, path);
    else if (is("fatbinary"))
        CALL(cuModuleLoadFatBinary, &m, image);
    else if (is("data"))
        CALL(cuModuleLoadData, &m, image);
    else
        CALL(cuModuleLoadDataEx, &m, image, 1, options, values), printf("log: %zu bytes\n", (size_t)values[0]);
    if (is("library-module")) CALL(cuLibraryGetModule, &m, *library);
    return m;
}

static void launch(void *f, uint64_t in, uint64_t out, void *stream)
{
    unsigned n = EACH, smem = is("much") ? 60000 : is("some") ? 1000 : 0;
    struct {
        uint64_t in, out;
        unsigned n;
    } buffer = {in, out, n};
    size_t bytes = is("tight") ? 20 : sizeof buffer;
    void *params[] = {&in, &out, &n}, *extra[] = {(void *)1, &buffer, (void *)2, &bytes, NULL};
    struct {
        int id, pad, value[16];
    } attrs[] = {{.id = 8, .value = {0}}, {.id = is("cluster") ? 4 : is("updatable") ? 13 : 2, .value = {1, 1, 1}}};
    Config c = {{BLOCKS, 1, 1}, {THREADS, 1, 1}, smem, stream, attrs, is("ex-with-") ? 2 : 1};
    Node node = {f, {BLOCKS, 1, 1}, {THREADS, 1, 1}, smem, params, NULL, NULL, NULL};
    void *graph, *of, *ready;
    if (is("graph")) {
        CALL(cuGraphCreate, &graph, 0);
        CALL(cuGraphAddKernelNode, &of, graph, NULL, (size_t)0, &node);
        CALL(cuGraphInstantiateWithFlags, &ready, graph, (uint64_t)0);
        CALL(cuGraphLaunch, ready, stream);
    } else if (is("extra"))
        CALL(cuLaunchKernel, f, BLOCKS, 1, 1, THREADS, 1, 1, smem, stream, NULL, extra);
    else if (is("ex-"))
        CALL(cuLaunchKernelEx, &c, f, params, NULL);
    else if (is("cooperative"))
        CALL(cuLaunchCooperativeKernel, f, BLOCKS, 1, 1, THREADS, 1, 1, smem, stream, params);
    else
        CALL(cuLaunchKernel, f, BLOCKS, 1, 1, THREADS, 1, 1, smem, stream, params, NULL);
}

static void run(void *f, void *stream)
{
    static unsigned char bytes[BYTES];
    uint64_t in = 0, out = 0, sum = 1;
    size_t more = is("uneven") ? 16 : 0;  // so that lines of 24 bytes end where it does
    for (int k = 0; k < BYTES; k++) bytes[k] = (unsigned char)(k * 7 + k / 251);
    CALL(cuMemAlloc, &in, is("same") ? 2 * BYTES : BYTES + more);
    if (is("same"))
        out = in + BYTES;
    else
        CALL(cuMemAlloc, &out, BYTES + more);
    CALL(cuMemcpyHtoD, in, bytes, sizeof bytes);
    for (int k = 0; k < 3; k++) launch(f, k & 1 ? out : in, k & 1 ? in : out, stream);
    CALL(cuMemcpyDtoH, bytes, out, sizeof bytes);
    for (int k = 0; k < BYTES; k++) sum = sum * 31 + bytes[k];
    printf("sum %llx\n", (unsigned long long)sum);
}

int main(int argc, char **argv)
{
    if (argc < 4) return 1;
    how = argv[1], what = argv[2];
    void *m, *library, *f = NULL, *kernel = NULL, *stream = NULL, *graph;
    char *image = read_file(argv[3]);
    CALL(cuInit, 0);
    size_t before = 0;
    for (int k = 0; is("again") && k < 60; k++) {
        m = load(argv[3], image, &library);
        CALL(cuModuleGetFunction, &f, m, "add");
        CALL(cuModuleUnload, m);
        if (k == 20) before = mallinfo2().uordblks;
    }
    // The allocator keeps some small pieces back, and counts them; a module that is lost is more than 1000 bytes.
    if (before) printf("%s\n", mallinfo2().uordblks > before + 40000 ? "memory is lost" : "no memory is lost");
    m = load(argv[3], image, &library);
    memset(image, ' ', 100);  // the driver has its own copy
    if (!m && !library) return 0;
    if (m)
        CALL(cuModuleGetFunction, &f, m, is("plain") ? "plain" : "add");
    else
        CALL(cuLibraryGetKernel, &kernel, library, "add"), f = kernel;
    if (is("library-function")) CALL(cuKernelGetFunction, &f, kernel);
    if (is("much-asked")) {
        if (f == kernel)
            CALL(cuKernelSetAttribute, 8, 60000, kernel, 7);
        else
            CALL(cuFuncSetAttribute, f, 8, 60000);
    }
    if (!strcmp(what, "cluster")) CALL(cuFuncSetAttribute, f, 14, 1);
    if (is("stream") || is("capture")) CALL(cuStreamCreate, &stream, 0);
    if (is("capture")) CALL(cuStreamBeginCapture, stream, 0);
    run(f, stream);
    if (is("capture")) CALL(cuStreamEndCapture, stream, &graph);
    if (library)
        CALL(cuLibraryUnload, library);
    else
        CALL(cuModuleUnload, m);
    return 0;
}
