// compiled.c: PTX that clang made before, under the hash of all that went into it: so a .cu file is compiled once. The
// folder is onchip under $XDG_CACHE_HOME, or under ~/.cache; it may be deleted at any time.
//
// Invariant: a file there is whole, since it is renamed when it is. Where nothing can be written, nothing is kept.
#include "cli/unit.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { KEPT = 256 };  // modules

static bool make_folder(const char *path) { return !mkdir(path, 0777) || errno == EEXIST; }

bool cache_folder(Text *path)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    bool own = cache && *cache == '/';
    if (!own && (!home || *home != '/')) return false;
    text_printf(path, "%s%s", own ? cache : home, own ? "" : "/.cache");
    if (!make_folder(path->v)) return false;
    text_put(path, "/onchip");
    return make_folder(path->v) && !access(path->v, R_OK | W_OK | X_OK);
}

static bool is_module(const char *name) { return strlen(name) == 36 && !strcmp(name + 32, ".ptx"); }

// Removes the module that was made or used longest ago, while there are too many.
static void forget(const char *folder)
{
    size_t n = 0;
    struct stat info;
    struct timespec least = {0};
    Text oldest = {0}, path = {0};
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        if (!is_module(e->d_name)) continue;
        path.n = 0;
        text_printf(&path, "%s/%s", folder, e->d_name);
        if (stat(path.v, &info)) continue;
        bool older = info.st_mtim.tv_sec < least.tv_sec ||
                     (info.st_mtim.tv_sec == least.tv_sec && info.st_mtim.tv_nsec < least.tv_nsec);
        if (n++ && !older) continue;
        least = info.st_mtim;
        oldest.n = 0;
        text_put(&oldest, path.v);
    }
    if (d) closedir(d);
    if (n > KEPT) unlink(oldest.v);
    text_free(&oldest), text_free(&path);
}

bool cache_get(const char *folder, const char *key, Text *ptx)
{
    Text path = {0};
    text_printf(&path, "%s/%s.ptx", folder, key);
    bool found = text_read_file(ptx, path.v);
    if (found) utimensat(AT_FDCWD, path.v, NULL, 0);
    text_free(&path);
    return found;
}

void cache_put(const char *folder, const char *key, const Text *ptx)
{
    Text path = {0}, part = {0};
    text_printf(&path, "%s/%s.ptx", folder, key);
    text_printf(&part, "%s.%ld", path.v, (long)getpid());
    if (!text_write_file(ptx, part.v) || rename(part.v, path.v)) unlink(part.v);
    forget(folder);
    text_free(&path), text_free(&part);
}
