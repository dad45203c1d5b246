// list_kernels.c: onchip list kernels FILE: what device code is in a file: a program, a library, an object, a fat
// binary, a cubin or PTX. For each container the targets of its modules, and the kernels of the newest PTX.
#include "cli/unit.h"
#include "driver/fatbin.h"
#include "names/names.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

static void add_kernel(void *user, const char *name, bool stub)
{
    char *shown = name_shown(name);
    text_printf(user, "  %s%s\n", shown, stub ? "  (a stub: it prints and traps)" : "");
    mem_free(shown);
}

// The module of a container that speaks for it: the newest PTX, or machine code where there is no PTX.
static const BinaryModule *speaker(const BinaryModules *all, size_t from, size_t to)
{
    const BinaryModule *best = &all->v[from];
    for (size_t k = from + 1; k < to; k++) {
        const BinaryModule *m = &all->v[k];
        const Wish newest = {.capability = 0};
        const bool newer = target_worth(m->of.of, &newest) > target_worth(best->of.of, &newest);
        if (m->of.ptx > best->of.ptx || (m->of.ptx == best->of.ptx && newer)) best = m;
    }
    return best;
}

static void put_targets(const BinaryModules *all, size_t from, size_t to, bool ptx, const char *what, Text *line)
{
    size_t n = 0;
    for (size_t k = from; k < to; k++) {
        if (all->v[k].of.ptx != ptx) continue;
        text_put(line, n++ ? ", " : what);
        target_put(all->v[k].of.of, line);
    }
}

// A container without kernels isn't told of: each program has one, which nvcc's device linker made.
static bool put_container(const BinaryModules *all, size_t from, size_t to, Diag *diag)
{
    const BinaryModule *m = speaker(all, from, to);
    Text line = {0}, text = {0}, kernels = {0};
    bool ok = binary_text(m, &text, diag);
    if (ok) binary_kernels(m, &text, add_kernel, &kernels);
    if (!m->container) {
        text_put(&line, m->of.ptx ? "PTX" : "machine code, which onchip doesn't run");
    } else {
        text_printf(&line, "container %u: ", m->container);
        if (m->of.ptx) put_targets(all, from, to, true, "PTX for sm_", &line);
        put_targets(all, from, to, false, m->of.ptx ? "; machine code for sm_" : "machine code for sm_", &line);
        if (!m->of.ptx) text_put(&line, "; onchip runs PTX alone");
    }
    if (kernels.n) printf("%s\n%s", line.v, kernels.v);
    text_free(&line), text_free(&text), text_free(&kernels);
    return ok;
}

static int list_all(const char *path, const void *file, size_t n)
{
    Diag why = {0};
    BinaryModules all = {0};
    bool ok = binary_modules(file, n, &all, &why);
    for (size_t from = 0, to; ok && from < all.n; from = to) {
        for (to = from + 1; to < all.n && all.v[to].container == all.v[from].container;) to++;
        ok = put_container(&all, from, to, &why);
    }
    int code = ok ? EXIT_OK : tell(EXIT_FAILED, "%s: %s", path, why.text.v);
    vec_free(&all), diag_free(&why);
    return code;
}

// A library may have gigabytes, of which little is read.
int list_kernels(const char *path)
{
    Text text = {0};
    Elf elf;
    struct stat info;
    int code = EXIT_FAILED, file = open(path, O_RDONLY | O_CLOEXEC);
    bool ok = file >= 0 && !fstat(file, &info) && S_ISREG(info.st_mode) && info.st_size > 0;
    size_t n = ok ? (size_t)info.st_size : 0;
    void *bytes = ok ? mmap(NULL, n, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    if (file >= 0) close(file);
    if (bytes != MAP_FAILED && elf_open(&elf, bytes, n))
        code = list_all(path, bytes, n);
    else if (text_read_file(&text, path))
        code = list_all(path, text.v ? text.v : "", text.n);
    else
        tell(EXIT_FAILED, "can't read %s: %s", path, strerror(errno));
    if (bytes != MAP_FAILED) munmap(bytes, n);
    text_free(&text);
    return code;
}
