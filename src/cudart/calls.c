// calls.c: where a program asks for memory: that place names the memory in reports (sweep/sites.c). The C library walks
// the stack, by the tables that every program has for exceptions.
#include "cudart/cudart.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>

void calls_here(Text *lines)
{
    enum { DEPTH = 12, MOST = 4 };  // frames that are looked at; calls of the program that are told
    void *frames[DEPTH];
    Dl_info own, at, program;
    int n = backtrace(frames, DEPTH), told = 0;
    char name[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)&calls_here, &own)) return;
    for (int k = 0; k < n && told < MOST; k++) {
        if (!dladdr(frames[k], &at) || at.dli_fbase == own.dli_fbase) continue;
        // The executable's name is as it was called; the system knows the file.
        bool main = at.dli_fname && dladdr(dlsym(RTLD_DEFAULT, "main"), &program) && program.dli_fbase == at.dli_fbase;
        if (main || !at.dli_fname || !realpath(at.dli_fname, name))
            if (!realpath("/proc/self/exe", name)) return;
        // An executable at fixed addresses has no offset.
        const unsigned char *head = at.dli_fbase;
        uintptr_t base = head[16] == 2 ? 0 : (uintptr_t)head;  // e_type: ET_EXEC
        text_printf(lines, "%llx %s\n", (unsigned long long)((uintptr_t)frames[k] - base), name);
        told++;
    }
}
