// needs.c: NVIDIA's libraries that a program asks for (DT_NEEDED), looked up before it is started. The dynamic linker
// would end it with a line that doesn't say what to do. A library is there if onchip has one of that name, or if the
// linker finds one where it looks (ld.so(8)): then the program has its own.
#include "driver/fatbin.h"
#include "serve/unit.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// How NVIDIA's names begin, in front of ".so".
static const char *const theirs[] = {
    "libcuda",           "libcudart",    "libcublas",     "libcublasLt",   "libcufft",     "libcufftw",  "libcurand",
    "libcusparse",       "libcusolver",  "libcusolverMg", "libcudnn",      "libcutensor",  "libnccl",    "libnvrtc",
    "libnvrtc-builtins", "libnvJitLink", "libnvjpeg",     "libnvToolsExt", "libnvidia-ml", "libcupti",   "libcufile",
    "libnppc",           "libnppial",    "libnppicc",     "libnppidei",    "libnppif",     "libnppig",   "libnppim",
    "libnppist",         "libnppisu",    "libnppitc",     "libnpps",       "libnvblas",    "libnvgraph", "libnvvm"};

static size_t stem_length(const char *name)
{
    const char *so = strstr(name, ".so");
    return so ? (size_t)(so - name) : strlen(name);
}

static bool is_theirs(const char *name)
{
    const size_t n = stem_length(name);
    for (size_t k = 0; k < COUNT(theirs); k++)
        if (strlen(theirs[k]) == n && !memcmp(theirs[k], name, n)) return true;
    return false;
}

static bool in_folder(const char *folder, size_t n, const char *name)
{
    Text path = {0};
    text_printf(&path, "%.*s/%s", (int)n, n ? folder : ".", name);
    const bool there = !access(path.v, R_OK);
    text_free(&path);
    return there;
}

// Is it in one of the folders of a list, between colons or semicolons? $ORIGIN is the program's own.
static bool in_list(const char *list, const char *program, const char *name)
{
    const size_t own = (size_t)(base_name(program) - program);
    for (const char *p = list; p && *p; p += strcspn(p, ":;"), p += *p != 0) {
        const size_t n = strcspn(p, ":;"), word = !strncmp(p, "${ORIGIN}", 9) ? 9 : !strncmp(p, "$ORIGIN", 7) ? 7 : 0;
        Text folder = {0};
        if (word) text_printf(&folder, "%.*s", (int)(own ? own : 1), own ? program : ".");
        text_add(&folder, p + word, n - MIN(word, n));
        const bool there = in_folder(folder.v ? folder.v : "", folder.n, name);
        text_free(&folder);
        if (there) return true;
    }
    return false;
}

// The linker's cache has paths of libraries, each with a zero byte at its end.
static bool in_cache(const char *name)
{
    Text cache = {0}, end = {0};
    bool there = text_read_file(&cache, "/etc/ld.so.cache");
    text_printf(&end, "/%s", name);
    there = there && memmem(cache.v, cache.n, end.v, end.n + 1);
    text_free(&cache), text_free(&end);
    return there;
}

static bool elsewhere(const Elf *e, const char *program, const char *name)
{
    static const char usual[] = "/lib:/usr/lib:/lib64:/usr/lib64";
    return in_list(getenv("LD_LIBRARY_PATH"), program, name) || in_list(elf_search(e), program, name) ||
           in_list(usual, program, name) || in_cache(name);
}

// The names of a library's other versions, which onchip has.
static void put_versions(const char *folder, const char *name, Text *out)
{
    enum { MOST = 16 };
    const size_t n = stem_length(name);
    struct dirent **all = NULL;
    const int count = scandir(folder, &all, NULL, alphasort);
    for (int k = 0, put = 0; k < count; k++) {
        const char *it = all[k]->d_name;
        if (put < MOST && stem_length(it) == n && !memcmp(it, name, n) && it[n] && it[n + 3])
            text_printf(out, "%s%s", put++ ? ", " : "", it);
        free(all[k]);
    }
    free(all);
}

bool needs_met(const Elf *e, const char *program, const char *folder, Diag *diag)
{
    const char *name;
    for (size_t k = 0; (name = elf_needed(e, k)); k++) {
        if (strchr(name, '/') || !is_theirs(name) || in_folder(folder, strlen(folder), name)) continue;
        if (elsewhere(e, program, name)) continue;
        Text versions = {0};
        put_versions(folder, name, &versions);
        if (versions.n)
            diag_error(
                diag,
                "%s needs %s, which isn't there: onchip stands in for %s\n"
                "hint: build the program with CUDA 11, 12 or 13; or LD_LIBRARY_PATH names the folder that has it",
                program, name, versions.v);
        else
            diag_error(diag,
                       "%s needs %s, which isn't there: onchip has none in its place (doc/use/libraries.md)\n"
                       "hint: LD_LIBRARY_PATH names the folder that has NVIDIA's; its kernels run if it has PTX",
                       program, name);
        text_free(&versions);
        return false;
    }
    return true;
}
