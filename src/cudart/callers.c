// callers.c: where a program asks for memory: that place names the memory in reports (sweep/sites.c). The C library
// walks the stack, by the tables that every program has for exceptions.
#include "cudart/unit.h"

#include <dlfcn.h>
#include <execinfo.h>
#include <limits.h>
#include <link.h>

void calls_here(Text *lines)
{
    enum { DEPTH = 12, MOST = 4 };  // frames that are looked at; calls of the program that are told
    void *frames[DEPTH];
    Dl_info own, at;
    struct link_map *of;  // has what was added to the file's addresses when it was loaded
    int n = backtrace(frames, DEPTH), told = 0;
    char name[PATH_MAX];
    if (!dladdr((void *)(uintptr_t)&calls_here, &own)) return;
    for (int k = 0; k < n && told < MOST; k++) {
        if (!dladdr1(frames[k], &at, (void **)&of, RTLD_DL_LINKMAP) || at.dli_fbase == own.dli_fbase) continue;
        // The executable has an empty name there.
        if (!realpath(of->l_name && *of->l_name ? of->l_name : "/proc/self/exe", name)) return;
        text_printf(lines, "%llx %s\n", (unsigned long long)((uintptr_t)frames[k] - of->l_addr), name);
        told++;
    }
}
