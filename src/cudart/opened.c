// opened.c: which files a program reads and writes, since a run's result depends on what it reads (sweep/inputs.c). The
// C library's functions that open files have their names here too. They call the library's own, and note the name.
// Executables and shared libraries count as well: they may have device code. Devices and files of the system don't.
//
// Invariant: nothing here allocates or waits, and a program's errno stays as the library's function left it. These
// functions may be called before any other of this library, by several threads, and by processes that use no GPU.
#include "cudart/unit.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <link.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

static bool is_systems(const char *name)
{
    static const char *const folders[] = {"/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib/", "/lib64/"};
    for (size_t k = 0; k < COUNT(folders); k++)
        if (!strncmp(name, folders[k], strlen(folders[k]))) return true;
    return false;
}

// Adds a line in one write, so that those of several processes don't mix. A name with a line's end in it can't be told.
static void note(const char *full, bool written)
{
    const char *to = getenv(OPENED_VARIABLE);
    struct stat info;
    char line[PATH_MAX + 2];
    if (!to || !*to || is_systems(full) || strchr(full, '\n')) return;
    int n = snprintf(line, sizeof line, "%c%s\n", written ? 'w' : 'r', full);
    int file = (int)syscall(SYS_openat, AT_FDCWD, to, O_WRONLY | O_APPEND | O_CLOEXEC);
    if (file < 0) return;
    ssize_t put = !fstat(file, &info) && info.st_size < OPENED_MOST ? write(file, line, (size_t)n) : 0;
    (void)put;
    close(file);
}

// The system knows the full name of what was opened.
static void note_file(int file, bool written)
{
    const int before = errno;
    struct stat info;
    char link[32], full[PATH_MAX];
    if (file >= 0 && getenv(OPENED_VARIABLE) && !fstat(file, &info) && S_ISREG(info.st_mode)) {
        snprintf(link, sizeof link, "/proc/self/fd/%d", file);
        ssize_t n = readlink(link, full, sizeof full - 1);
        if (n > 0) full[n] = '\0', note(full, written);
    }
    errno = before;
}

static int note_library(struct dl_phdr_info *info, size_t size, void *user)
{
    (void)size, (void)user;
    char full[PATH_MAX];
    const char *slash = strrchr(info->dlpi_name ? info->dlpi_name : "", '/');
    const bool ours = slash && (!strncmp(slash, "/libcudart.so", 13) || !strncmp(slash, "/libcuda.so", 11));
    if (slash && !ours && realpath(info->dlpi_name, full)) note(full, false);
    return 0;
}

// Those that are loaded later aren't noted.
__attribute__((constructor)) static void note_code(void)
{
    char full[PATH_MAX];
    if (!getenv(OPENED_VARIABLE)) return;
    if (realpath("/proc/self/exe", full)) note(full, false);
    dl_iterate_phdr(note_library, NULL);
}

// --- the C library's functions ---------------------------------------------------------------------------------------
// Two threads may look a function up at the same time; they find the same.
#define OWN(name)                                             \
    static __typeof__(&name) own;                             \
    if (!own) own = (__typeof__(own))dlsym(RTLD_NEXT, #name); \
    if (!own) return errno = ENOSYS, NONE

// Only with these flags is there a third argument.
#define MODE(flags)                                         \
    mode_t mode = 0;                                        \
    if ((flags) & (O_CREAT | (O_TMPFILE & ~O_DIRECTORY))) { \
        va_list args;                                       \
        va_start(args, flags);                              \
        mode = va_arg(args, mode_t);                        \
        va_end(args);                                       \
    }

static int seen(int file, int flags)
{
    if (!(flags & O_PATH)) note_file(file, (flags & O_ACCMODE) != O_RDONLY);
    return file;
}

#define NONE (-1)
#undef open
#undef open64
#undef openat
#undef openat64
int open(const char *name, int flags, ...)
{
    OWN(open);
    MODE(flags)
    return seen(own(name, flags, mode), flags);
}

int open64(const char *name, int flags, ...)
{
    OWN(open64);
    MODE(flags)
    return seen(own(name, flags, mode), flags);
}

int openat(int folder, const char *name, int flags, ...)
{
    OWN(openat);
    MODE(flags)
    return seen(own(folder, name, flags, mode), flags);
}

int openat64(int folder, const char *name, int flags, ...)
{
    OWN(openat64);
    MODE(flags)
    return seen(own(folder, name, flags, mode), flags);
}

// What _FORTIFY_SOURCE makes of calls without a mode.
int __open_2(const char *name, int flags);
int __open_2(const char *name, int flags)
{
    OWN(__open_2);
    return seen(own(name, flags), flags);
}

int __open64_2(const char *name, int flags);
int __open64_2(const char *name, int flags)
{
    OWN(__open64_2);
    return seen(own(name, flags), flags);
}

int __openat_2(int folder, const char *name, int flags);
int __openat_2(int folder, const char *name, int flags)
{
    OWN(__openat_2);
    return seen(own(folder, name, flags), flags);
}

int __openat64_2(int folder, const char *name, int flags);
int __openat64_2(int folder, const char *name, int flags)
{
    OWN(__openat64_2);
    return seen(own(folder, name, flags), flags);
}
#undef NONE

static FILE *seen_stream(FILE *f, const char *how)
{
    if (f) note_file(fileno(f), *how != 'r' || strchr(how, '+'));
    return f;
}

#define NONE NULL
FILE *fopen(const char *name, const char *how)
{
    OWN(fopen);
    return seen_stream(own(name, how), how);
}

FILE *fopen64(const char *name, const char *how)
{
    OWN(fopen64);
    return seen_stream(own(name, how), how);
}

FILE *freopen(const char *name, const char *how, FILE *f)
{
    OWN(freopen);
    return seen_stream(own(name, how, f), how);
}

FILE *freopen64(const char *name, const char *how, FILE *f)
{
    OWN(freopen64);
    return seen_stream(own(name, how, f), how);
}
