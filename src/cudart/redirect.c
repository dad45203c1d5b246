// redirect.c: programs that have CUDA's runtime inside of them, which is what nvcc links unless it is told otherwise.
// No other library can take the place of such functions, but the program's symbol table names them. `onchip run` has
// this library loaded before the program's own constructors run: each of the runtime's functions gets a jump to ours.
//
// Invariant: nothing but the first bytes of a whole function is overwritten. A function that is shorter than the jump
// stays: those of CUDA 13 jump to one that is not (__cudaLaunchKernel to cudaLaunchKernel).
#include "cudart/cudart.h"
#include "driver/fatbin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JUMP = 13 };  // bytes: movabs $address, %r11; jmp *%r11
typedef struct Place {
    uint8_t *at;
    uint64_t to;
} Place;
typedef struct Found {
    void *own;         // this library
    uintptr_t base;    // where the program was loaded
    uintptr_t lo, hi;  // its code
    bool runtime;      // it has a function that only the runtime has
    int major;         // of CUDA: 11 and 12 have functions that later ones don't have
    VEC(Place) places;
} Found;

// The first object is the program.
static int find_code(struct dl_phdr_info *info, size_t size, void *user)
{
    Found *f = user;
    (void)size;
    f->base = info->dlpi_addr;
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || p->p_filesz < f->hi - f->lo) continue;
        f->lo = f->base + p->p_vaddr, f->hi = f->lo + p->p_filesz;
    }
    return 1;
}

static void note(void *user, const char *name, uint64_t at, uint64_t bytes)
{
    Found *f = user;
    uintptr_t there = f->base + at;
    if (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6)) return;
    if (bytes < JUMP || there < f->lo || there >= f->hi || f->hi - there < bytes) return;
    void *ours = dlsym(f->own, name);
    if (!strcmp(name, "cudaGetDeviceProperties_v2")) f->major = 12;
    if (!strcmp(name, "__cudaRegisterTexture")) f->major = 11;
    if (!ours) ours = older_function(name);
    if (!ours) return;
    f->runtime |= !strcmp(name, "__cudaRegisterFatBinary");
    vec_push(&f->places, ((Place){(uint8_t *)there, (uint64_t)(uintptr_t)ours}));
}

static void write_jump(const Place *p)
{
    uint8_t code[JUMP] = {0x49, 0xbb, [10] = 0x41, 0xff, 0xe3};
    memcpy(code + 2, &p->to, sizeof p->to);
    memcpy(p->at, code, sizeof code);
}

static void write_all(const Found *f)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = f->lo & ~(page - 1);
    size_t bytes = f->hi - from;
    if (mprotect((void *)from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        client_line("the CUDA runtime inside of this program can't be replaced: %s; nvcc -cudart shared leaves it out",
                    strerror(errno));
        return;
    }
    for (size_t k = 0; k < f->places.n; k++) write_jump(&f->places.v[k]);
    mprotect((void *)from, bytes, PROT_READ | PROT_EXEC);
}

static void look_into(const void *bytes, size_t n)
{
    Elf elf;
    Dl_info self;
    Found f = {.major = 13};
    if (!elf_open(&elf, bytes, n) || elf.machine != EM_X86_64 || !dladdr((const void *)look_into, &self)) return;
    f.own = dlopen(self.dli_fname, RTLD_LAZY | RTLD_NOLOAD);
    dl_iterate_phdr(find_code, &f);
    if (f.own && elf_symbols(&elf, note, &f) && f.runtime) runtime_is(f.major), write_all(&f);
    if (f.own) dlclose(f.own);
    vec_free(&f.places);
}

__attribute__((constructor)) static void redirect(void)
{
    const char *wire = getenv(WIRE_VARIABLE);
    struct stat info;
    int file = wire && *wire ? open("/proc/self/exe", O_RDONLY | O_CLOEXEC) : -1;
    if (file < 0) return;
    bool ok = !fstat(file, &info) && info.st_size > 0;
    void *bytes = ok ? mmap(NULL, (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0) : MAP_FAILED;
    close(file);
    if (bytes == MAP_FAILED) return;
    look_into(bytes, (size_t)info.st_size);
    munmap(bytes, (size_t)info.st_size);
}
