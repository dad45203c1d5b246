// redirect.c: programs and libraries that have CUDA's runtime inside of them, which is what nvcc links unless it is
// told otherwise. No other library can take the place of such functions, but the file's symbol table names them. Each
// of the runtime's functions gets a jump to ours.
//
// `onchip run` has this library loaded before the program's own constructors run, but a library's may have run before,
// and later ones are opened when the program likes (dlopen). What nvcc puts into a constructor of each object file ends
// in atexit, which comes to __cxa_atexit here: then new libraries are looked at. Those constructors are called once
// more for them, so that they register their device code here. With -rdc=true each counts itself, and the last one
// registers for all: while they are called once more, the count begins at 0 again.
//
// Invariant: nothing but the first bytes of a whole function is overwritten. A function that is shorter than the jump
// stays: those of CUDA 13 jump to one that is not (__cudaLaunchKernel to cudaLaunchKernel).
#include "cudart/unit.h"
#include "driver/fatbin.h"

#include <dlfcn.h>
#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <link.h>
#include <pthread.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

enum { JUMP = 13 };  // bytes: movabs $address, %r11; jmp *%r11
typedef struct Place {
    uint8_t *at;
    uint64_t to;
} Place;
typedef void Constructor(void);
typedef struct Object {  // a program or a library that is loaded
    char *name;
    uintptr_t base, lo, hi;  // where it lies, and its code
    uintptr_t data_lo, data_hi;
    bool program, uses;  // uses: it does itself use CUDA
    Place first;         // that was written; at null: none was
} Object;
typedef VEC(Object) Objects;
typedef struct Counter {
    int *at, was;
} Counter;
typedef struct Again {  // what is done once more
    VEC(Constructor *) constructors;
    VEC(Counter) counters;
} Again;

static struct {
    pthread_mutex_t lock;
    unsigned long long loads, unloads;  // when it was looked last
    Objects seen;
    Map ours;   // our functions' addresses by their names
    bool read;  // they are known
} redirection = {.lock = PTHREAD_MUTEX_INITIALIZER};

// --- files -----------------------------------------------------------------------------------------------------------
typedef struct File {
    void *bytes;
    size_t n;
    Elf elf;
} File;

static bool file_open(File *f, const char *path)
{
    struct stat info;
    *f = (File){.bytes = MAP_FAILED};
    int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    if (!fstat(file, &info) && S_ISREG(info.st_mode) && info.st_size > 0)
        f->bytes = mmap(NULL, f->n = (size_t)info.st_size, PROT_READ, MAP_PRIVATE, file, 0);
    close(file);
    if (f->bytes == MAP_FAILED) return false;
    if (elf_open(&f->elf, f->bytes, f->n) && f->elf.machine == EM_X86_64) return true;
    munmap(f->bytes, f->n);
    return false;
}

static void file_close(File *f) { munmap(f->bytes, f->n); }

// --- our functions ---------------------------------------------------------------------------------------------------
#define OURS "onchip_"  // what their exported names begin with
static void note_own(void *user, const char *name, uint64_t at, uint64_t bytes)
{
    const Object *own = user;
    const size_t n = strlen(OURS);
    (void)bytes;
    if (!strncmp(name, OURS, n)) map_put(&redirection.ours, name + n, strlen(name + n), (int64_t)(own->base + at));
}

// dlsym would wait for a thread that opens a library, which may wait for this one.
static uint64_t function_of(const char *name)
{
    int64_t at;
    return map_get(&redirection.ours, name, strlen(name), &at) ? (uint64_t)at : 0;
}

static bool is_own(const Object *o)
{
    const uintptr_t code = (uintptr_t)&note_own;
    return o->lo <= code && code < o->hi;
}

static void read_own(const Objects *all)
{
    File f;
    for (size_t k = 0; k < all->n && !redirection.read; k++) {
        if (!is_own(&all->v[k]) || !file_open(&f, all->v[k].name)) continue;
        redirection.read = elf_symbols(&f.elf, true, STT_FUNC, note_own, &all->v[k]);
        file_close(&f);
    }
}

// --- one program or library ------------------------------------------------------------------------------------------
typedef struct Found {
    const Object *of;
    bool runtime;  // it has a function that only the runtime has
    int major;     // of CUDA: 11 and 12 have functions that later ones don't have
    VEC(Place) places;
    Again again;
} Found;

static void note(void *user, const char *name, uint64_t at, uint64_t bytes)
{
    Found *f = user;
    const Object *o = f->of;
    uintptr_t there = o->base + at;
    if (there < o->lo || there >= o->hi || o->hi - there < bytes) return;
    if (strstr(name, "__sti____cudaRegisterAll")) vec_push(&f->again.constructors, (Constructor *)there);
    if (strncmp(name, "cuda", 4) && strncmp(name, "__cuda", 6)) return;
    if (!strcmp(name, "cudaGetDeviceProperties_v2")) f->major = 12;
    if (!strcmp(name, "__cudaRegisterTexture")) f->major = 11;
    const uint64_t ours = bytes < JUMP ? 0 : function_of(name);
    if (!ours) return;
    f->runtime |= !strcmp(name, "__cudaRegisterFatBinary");
    vec_push(&f->places, ((Place){(uint8_t *)there, ours}));
}

// nvcc's stub of a device link has static int __i in the function __cudaRegisterLinkedBinary.
static void note_counter(void *user, const char *name, uint64_t at, uint64_t bytes)
{
    Found *f = user;
    const uintptr_t there = f->of->base + at;
    const char *function = strstr(name, "__cudaRegisterLinkedBinary");
    if (bytes != sizeof(int) || there < f->of->data_lo || there > f->of->data_hi - bytes) return;
    if (function && strstr(function, "E3__i")) vec_push(&f->again.counters, ((Counter){(int *)there, 0}));
}

static void make_jump(const Place *p, uint8_t code[JUMP])
{
    memcpy(code, (const uint8_t[JUMP]){0x49, 0xbb, [10] = 0x41, 0xff, 0xe3}, JUMP);
    memcpy(code + 2, &p->to, sizeof p->to);
}

static bool write_all(const Found *f)
{
    uintptr_t page = (uintptr_t)sysconf(_SC_PAGESIZE), from = f->of->lo & ~(page - 1);
    size_t bytes = f->of->hi - from;
    if (mprotect((void *)from, bytes, PROT_READ | PROT_WRITE | PROT_EXEC)) {
        client_line("the CUDA runtime inside of %s can't be replaced: %s; nvcc -cudart shared leaves it out",
                    f->of->name, strerror(errno));
        return false;
    }
    for (size_t k = 0; k < f->places.n; k++) {
        uint8_t code[JUMP];
        make_jump(&f->places.v[k], code);
        memcpy(f->places.v[k].at, code, sizeof code);
    }
    mprotect((void *)from, bytes, PROT_READ | PROT_EXEC);
    return true;
}

static void again_free(Again *a) { vec_free(&a->constructors), vec_free(&a->counters); }

// Adds what is to be done once more.
static void look_into(Object *o, Again *again)
{
    File file;
    Found f = {.of = o, .major = 13};
    if (!file_open(&file, o->name)) return;
    o->uses = elf_needs(&file.elf, "libcudart.so") || elf_needs(&file.elf, "libcuda.so");
    const bool named = elf_symbols(&file.elf, false, STT_FUNC, note, &f);
    if (!named && !o->program && elf_has(&file.elf, ".nvFatBinSegment") && !elf_needs(&file.elf, "libcudart.so"))
        client_line(
            "%s is stripped, so that the CUDA runtime inside of it can't be replaced: link it with nvcc -cudart "
            "shared, or don't strip it",
            o->name);
    o->uses |= f.runtime;
    if (f.runtime && write_all(&f)) {
        runtime_is(f.major);
        o->first = f.places.v[0];
        if (!o->program) elf_symbols(&file.elf, false, STT_OBJECT, note_counter, &f);
        for (size_t k = 0; k < f.again.constructors.n && !o->program; k++)
            vec_push(&again->constructors, f.again.constructors.v[k]);
        for (size_t k = 0; k < f.again.counters.n; k++) vec_push(&again->counters, f.again.counters.v[k]);
    }
    file_close(&file);
    vec_free(&f.places), again_free(&f.again);
}

// --- all of them -----------------------------------------------------------------------------------------------------
typedef struct Loaded {
    Objects all;
    unsigned long long loads, unloads;
    size_t n;
} Loaded;

// The first object is the program.
static int collect(struct dl_phdr_info *info, size_t size, void *user)
{
    Loaded *l = user;
    (void)size;
    l->loads = info->dlpi_adds, l->unloads = info->dlpi_subs;
    if (!l->n && l->loads == redirection.loads && l->unloads == redirection.unloads) return 1;
    Object o = {.base = info->dlpi_addr, .program = !l->n++};
    for (int k = 0; k < info->dlpi_phnum; k++) {
        const ElfW(Phdr) *p = &info->dlpi_phdr[k];
        if (p->p_type == PT_LOAD && (p->p_flags & PF_W)) {
            if (!o.data_hi) o.data_lo = o.base + p->p_vaddr;
            o.data_hi = o.base + p->p_vaddr + p->p_memsz;
        }
        if (p->p_type != PT_LOAD || !(p->p_flags & PF_X) || p->p_filesz < o.hi - o.lo) continue;
        o.lo = o.base + p->p_vaddr, o.hi = o.lo + p->p_filesz;
    }
    o.name = mem_text(o.program ? "/proc/self/exe" : info->dlpi_name ? info->dlpi_name : "");
    vec_push(&l->all, o);
    return 0;
}

// Another library may lie where one has been.
static bool is_seen(Object *o)
{
    for (size_t k = 0; k < redirection.seen.n; k++) {
        const Object *s = &redirection.seen.v[k];
        uint8_t code[JUMP];
        if (s->base != o->base || strcmp(s->name, o->name)) continue;
        o->first = s->first;
        make_jump(&s->first, code);
        return !s->first.at || !memcmp(s->first.at, code, sizeof code);
    }
    return false;
}

static void forget(Objects *all)
{
    for (size_t k = 0; k < all->n; k++) mem_free(all->v[k].name);
    vec_free(all);
}

static void look(Again *again)
{
    Loaded l = {.n = 0};
    dl_iterate_phdr(collect, &l);
    if (!l.n) return;
    read_own(&l.all);
    bool uses = false;
    for (size_t k = 0; k < l.all.n; k++) {
        if (!is_own(&l.all.v[k]) && !is_seen(&l.all.v[k])) look_into(&l.all.v[k], again);
        uses |= l.all.v[k].uses;
    }
    clock_begin(uses);
    forget(&redirection.seen);
    redirection.seen = l.all, redirection.loads = l.loads, redirection.unloads = l.unloads;
}

__attribute__((constructor)) static void redirect(void)
{
    const char *wire = getenv(WIRE_VARIABLE);
    Again again = {.constructors = {0}};
    if (!wire || !*wire) return;
    pthread_mutex_lock(&redirection.lock);
    look(&again);
    pthread_mutex_unlock(&redirection.lock);
    for (size_t k = 0; k < again.counters.n; k++) {
        Counter *c = &again.counters.v[k];
        c->was = *c->at, *c->at = 0;
    }
    for (size_t k = 0; k < again.constructors.n; k++) again.constructors.v[k]();
    for (size_t k = 0; k < again.counters.n; k++) *again.counters.v[k].at = again.counters.v[k].was;
    again_free(&again);
}

int __cxa_atexit(void (*function)(void *), void *argument, void *object)
{
    static int (*own)(void (*)(void *), void *, void *);
    const int before = errno;
    redirect();
    if (!own) own = (__typeof__(own))dlsym(RTLD_NEXT, "__cxa_atexit");
    errno = before;
    return own ? own(function, argument, object) : -1;
}
