// binary.c: finds device code in files. nvcc puts fat binaries into the sections .nv_fatbin and __nv_relfatbin of
// objects, and so of programs and libraries; containers follow one another there, each at a multiple of 8 bytes.
// Everything in a file is a stranger's: fatbin.c and elf.c check what they read.
#include "driver/fatbin.h"
#include "names/names.h"

#include <ctype.h>
#include <string.h>

enum { CUBIN = 190 };  // e_machine of machine code for NVIDIA's GPUs

// --- modules ---------------------------------------------------------------------------------------------------------
typedef struct Finding {
    BinaryModules *all;
    uint32_t containers;
} Finding;

static void note(void *user, const FatbinPart *part)
{
    Finding *f = user;
    vec_push(f->all, ((BinaryModule){.container = f->containers, .of = *part}));
}

// Containers, with zeros between them.
static bool look_through(Finding *f, const uint8_t *v, uint64_t n, Diag *diag)
{
    for (uint64_t at = 0; at < n;) {
        f->containers++;
        uint64_t bytes = fatbin_each(v + at, n - at, note, f, diag);
        if (diag->failed) return false;
        if (!bytes) f->containers--;
        at += bytes ? bytes : 8;
        at = (at + 7) & ~(uint64_t)7;
    }
    return true;
}

static bool look_into(Finding *f, const Elf *elf, Diag *diag)
{
    ElfSection names, s;
    if (!elf_section(elf, elf->names, &names)) return true;
    for (uint32_t k = 0; elf_section(elf, k, &s); k++) {
        const char *name = elf_text(&names, s.name);
        bool ours = name && s.v && (!strcmp(name, ".nv_fatbin") || !strcmp(name, "__nv_relfatbin"));
        if (ours && !look_through(f, s.v, s.n, diag)) return false;
    }
    return true;
}

static bool add_object(BinaryModules *all, const void *file, size_t n, Diag *diag)
{
    const char *ptx;
    size_t length;
    if (!object_read(file, n, &ptx, &length, diag)) return false;
    vec_push(all, ((BinaryModule){.of.ptx = true, .v = (const uint8_t *)ptx, .n = length}));
    return true;
}

bool binary_modules(const void *file, size_t n, BinaryModules *all, Diag *diag)
{
    Finding f = {.all = all};
    Elf elf;
    bool ok = true, is_elf = elf_open(&elf, file, n);
    ImageKind kind = is_elf || !n ? IMAGE_UNKNOWN : image_kind(file);
    if (is_elf && object_is(file))
        ok = add_object(all, file, n, diag);
    else if (kind == IMAGE_PTX || (is_elf && elf.machine == CUBIN))
        vec_push(all, ((BinaryModule){.of.ptx = kind == IMAGE_PTX, .v = file, .n = n}));
    else if (is_elf)
        ok = look_into(&f, &elf, diag);
    else if (kind == IMAGE_FATBIN)
        ok = look_through(&f, file, n, diag);
    if (ok && !all->n) diag_error(diag, "there is no device code in it");
    return ok && all->n;
}

bool binary_text(const BinaryModule *m, Text *out, Diag *diag)
{
    if (!m->v) return fatbin_unpack(&m->of, out, diag);
    return text_add(out, (const char *)m->v, m->n), true;
}

// --- kernels ---------------------------------------------------------------------------------------------------------
static bool is_name(char c) { return isalnum((unsigned char)c) || c == '_' || c == '$' || c == '%'; }

static bool has(const char *from, const char *end, const char *what)
{
    return memmem(from, (size_t)(end - from), what, strlen(what));
}

// Is what stands between a kernel's braces one path without a choice, which prints and traps?
static bool is_stub(const char *from, const char *end)
{
    return has(from, end, "vprintf") && has(from, end, "trap;") && !has(from, end, "bra") && !has(from, end, "@") &&
           !has(from, end, "st.global") && !has(from, end, "ld.global");
}

// The end of what stands in braces from *from on, or of the text.
static const char *end_of_body(const char *from, const char *end)
{
    int deep = 0;
    for (; from < end; from++) {
        deep += (*from == '{') - (*from == '}');
        if (*from == '}' && !deep) return from;
    }
    return end;
}

static void kernels_of_ptx(const char *at, const char *end, BinaryKernel *each, void *user)
{
    static const char word[] = ".entry";
    while ((at = memmem(at, (size_t)(end - at), word, sizeof word - 1))) {
        at += sizeof word - 1;
        if (at == end || !isspace((unsigned char)*at)) continue;
        while (at < end && isspace((unsigned char)*at)) at++;
        const char *from = at;
        while (at < end && is_name(*at)) at++;
        Text name = {0};
        text_add(&name, from, (size_t)(at - from));
        const char *body = memchr(at, '{', (size_t)(end - at)), *closed = body ? end_of_body(body, end) : end;
        if (name.n && body) each(user, name.v, is_stub(body, closed));
        text_free(&name);
        at = closed;
    }
}

// Machine code has a section .text.KERNEL for each.
static void kernels_of_cubin(const Text *text, BinaryKernel *each, void *user)
{
    Elf elf;
    ElfSection names, s;
    if (!elf_open(&elf, text->v, text->n) || !elf_section(&elf, elf.names, &names)) return;
    for (uint32_t k = 0; elf_section(&elf, k, &s); k++) {
        const char *name = elf_text(&names, s.name);
        if (name && !strncmp(name, ".text.", 6)) each(user, name + 6, false);
    }
}

void binary_kernels(const BinaryModule *m, const Text *text, BinaryKernel *each, void *user)
{
    if (!text->n) return;
    if (m->of.ptx)
        kernels_of_ptx(text->v, text->v + text->n, each, user);
    else
        kernels_of_cubin(text, each, user);
}

// --- the module that has a kernel ------------------------------------------------------------------------------------
typedef struct Wanted {
    const char *kernel;
    bool found, stub;
} Wanted;

static void compare(void *user, const char *name, bool stub)
{
    Wanted *w = user;
    if (!name_means(name, w->kernel)) return;
    w->stub = stub && (w->stub || !w->found);
    w->found = true;
}

// How good a module is for the kernel; 0: it hasn't got it. text gets its PTX.
static uint64_t worth(const BinaryModule *m, const char *kernel, const Wish *wish, Text *text, Diag *diag)
{
    Wanted w = {.kernel = kernel};
    const uint64_t fits = m->of.ptx ? target_worth(m->of.of, wish) : 0;
    if (!fits || !binary_text(m, text, diag)) return 0;
    if (kernel) binary_kernels(m, text, compare, &w);
    if (kernel && !w.found) return 0;
    return fits + ((uint64_t)!w.stub << 62);
}

static bool choose(const BinaryModules *all, const char *kernel, const Wish *wish, Text *ptx, Diag *diag)
{
    uint64_t best = 0;
    uint32_t containers = 0, last = 0, ptxs = 0, fit = 0;  // containers that have PTX; PTX that fits
    for (size_t k = 0; k < all->n; k++) {
        const BinaryModule *m = &all->v[k];
        Text text = {0};
        containers += m->of.ptx && (!ptxs || m->container != last);
        if (m->of.ptx) last = m->container, ptxs++;
        fit += m->of.ptx && target_worth(m->of.of, wish);
        uint64_t now = worth(m, kernel, wish, &text, diag);
        if (now > best) {
            Text before = *ptx;
            *ptx = text, text = before, best = now;
        }
        text_free(&text);
    }
    if (!ptxs)
        diag_error(diag, "%s", "it is machine code alone; " NEEDS_PTX);
    else if (!fit)
        diag_error(diag, "it has no PTX for sm_%u%.1s", wish->only.capability, wish->only.kind ? &wish->only.kind : "");
    else if (!kernel && containers > 1)
        diag_error(diag, "it has %u modules; choose a kernel with --kernel", containers);
    else if (!best && !diag->failed)
        diag_error(diag, "no kernel '%s' in it", kernel ? kernel : "");
    return ptxs && best && (kernel || containers <= 1);
}

bool binary_ptx(const Text *file, const char *kernel, const Wish *wish, Text *ptx, Diag *diag)
{
    BinaryModules all = {0};
    bool ok = binary_modules(file->v, file->n, &all, diag) && choose(&all, kernel, wish, ptx, diag);
    vec_free(&all);
    return ok;
}
