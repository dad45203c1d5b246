// cache.c: what clang made before, so that a .cu file is compiled once. The folder is onchip under $XDG_CACHE_HOME, or
// under ~/.cache; it may be deleted at any time.
//
// KEY.ptx and KEY.program are results. KEY is the hash of all that a result depends on besides the files that it was
// made of. KEY.files has those, a line each: the hash of what the file held, and its path. So a change is seen without
// running the preprocessor.
//
// Invariant: a file there is whole, since it is renamed when it is. Where nothing can be written, nothing is kept.
#include "compile/unit.h"

#define XXH_INLINE_ALL
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <xxhash.h>

enum { KEPT = 256, HASH = 32 };  // results; letters of a hash

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

CacheKey cache_key(const Text *of)
{
    CacheKey key;
    const XXH128_hash_t h = XXH3_128bits(of->v, of->n);
    snprintf(key.text, sizeof key.text, "%016llx%016llx", (unsigned long long)h.high64, (unsigned long long)h.low64);
    return key;
}

static bool hash_file(const char *path, CacheKey *hash)
{
    Text text = {0};
    const bool ok = text_read_file(&text, path);
    if (ok) *hash = cache_key(&text);
    text_free(&text);
    return ok;
}

// --- finding -------------------------------------------------------------------------------------------------------
static bool same_files(const char *list)
{
    for (const char *line = list; *line;) {
        const size_t n = strcspn(line, "\n");
        CacheKey is;
        if (n <= HASH + 1 || n > HASH + 4096) return false;
        char path[4096];
        memcpy(path, line + HASH + 1, n - HASH - 1), path[n - HASH - 1] = '\0';
        if (!hash_file(path, &is) || memcmp(is.text, line, HASH)) return false;
        line += n + (line[n] == '\n');
    }
    return *list != '\0';
}

bool cache_find(const char *folder, const CacheKey *key, const char *kind, Text *path)
{
    Text list = {0}, name = {0};
    text_printf(&name, "%s/%s.files", folder, key->text);
    bool found = text_read_file(&list, name.v) && list.n && same_files(list.v);
    if (found) utimensat(AT_FDCWD, name.v, NULL, 0);
    name.n = 0;
    text_printf(&name, "%s/%s.%s", folder, key->text, kind);
    found = found && !utimensat(AT_FDCWD, name.v, NULL, 0);
    if (found) text_put(path, name.v);
    text_free(&list), text_free(&name);
    return found;
}

// --- keeping -------------------------------------------------------------------------------------------------------
// What a name in the folder ends in behind its key; null: it is none of ours.
static const char *kind_of(const char *name)
{
    static const char *const all[] = {".ptx", ".program", ".files"};
    if (strspn(name, "0123456789abcdef") != HASH) return NULL;
    for (size_t k = 0; k < COUNT(all); k++)
        if (!strcmp(name + HASH, all[k])) return all[k];
    return NULL;
}

static void remove_key(const char *folder, const char *key)
{
    static const char *const all[] = {"ptx", "program", "files"};
    Text path = {0};
    for (size_t k = 0; k < COUNT(all); k++) {
        path.n = 0;
        text_printf(&path, "%s/%.*s.%s", folder, HASH, key, all[k]);
        unlink(path.v);
    }
    text_free(&path);
}

// Removes the result that was made or used longest ago, while there are too many.
static void forget(const char *folder)
{
    size_t n = 0;
    struct stat info;
    struct timespec least = {0};
    Text path = {0};
    char oldest[HASH + 1] = "";
    DIR *d = opendir(folder);
    for (struct dirent *e; d && (e = readdir(d));) {
        const char *kind = kind_of(e->d_name);
        if (!kind || !strcmp(kind, ".files")) continue;
        path.n = 0;
        text_printf(&path, "%s/%s", folder, e->d_name);
        if (stat(path.v, &info)) continue;
        bool older = info.st_mtim.tv_sec < least.tv_sec ||
                     (info.st_mtim.tv_sec == least.tv_sec && info.st_mtim.tv_nsec < least.tv_nsec);
        if (n++ && !older) continue;
        least = info.st_mtim;
        snprintf(oldest, sizeof oldest, "%.*s", HASH, e->d_name);
    }
    if (d) closedir(d);
    if (n > KEPT) remove_key(folder, oldest);
    text_free(&path);
}

// The next file of a rule that make reads, without its escapes; false: there is none. *p stands behind its target
// at first.
static bool next_file(const char **p, Text *name)
{
    name->n = 0;
    while (**p && strchr(" \t\r\n\\", **p) && !((*p)[0] == '\\' && (*p)[1] == ' ')) ++*p;
    for (; **p && !strchr(" \t\r\n", **p); ++*p) {
        if (**p == '\\' && (*p)[1] && strchr(" #\\", (*p)[1])) ++*p;
        if (**p == '$' && (*p)[1] == '$') ++*p;
        text_add(name, *p, 1);
    }
    return name->n > 0;
}

// Adds a line for each file that the rules name. False: one can't be read, or was written since they were made.
static bool list_files(const Text *rules, const struct timespec *began, Text *list)
{
    Text name = {0}, here = {0};
    char folder[4096];
    bool ok = rules->n && getcwd(folder, sizeof folder);
    const char *p = ok ? strstr(rules->v, ": ") : NULL;
    for (p = p ? p + 1 : ""; ok && next_file(&p, &name);) {
        struct stat s;
        CacheKey hash;
        if (name.v[name.n - 1] == ':') continue;  // the next rule's target
        here.n = 0;
        text_printf(&here, "%s%s%s", *name.v == '/' ? "" : folder, *name.v == '/' ? "" : "/", name.v);
        ok = !stat(here.v, &s) && hash_file(here.v, &hash) && !strchr(here.v, '\n') && here.n < sizeof folder;
        ok = ok && (s.st_mtim.tv_sec < began->tv_sec ||
                    (s.st_mtim.tv_sec == began->tv_sec && s.st_mtim.tv_nsec <= began->tv_nsec));
        if (ok) text_printf(list, "%s %s\n", hash.text, here.v);
    }
    text_free(&name), text_free(&here);
    return ok && list->n;
}

// Writes a file whole, or not at all.
static bool put_file(const char *path, const Text *text)
{
    Text part = {0};
    text_printf(&part, "%s.%ld", path, (long)getpid());
    const bool ok = text_write_file(text, part.v) && !chmod(part.v, 0700) && !rename(part.v, path);
    if (!ok) unlink(part.v);
    text_free(&part);
    return ok;
}

bool cache_keep(const char *folder, const CacheKey *key, const char *kind, const char *file, const Text *rules,
                const struct timespec *began, Text *path)
{
    Text list = {0}, to = {0}, made = {0};
    bool ok = list_files(rules, began, &list) && text_read_file(&made, file);
    text_printf(&to, "%s/%s.%s", folder, key->text, kind);
    ok = ok && put_file(to.v, &made);
    if (ok) text_put(path, to.v);
    to.n = 0;
    text_printf(&to, "%s/%s.files", folder, key->text);
    ok = ok && put_file(to.v, &list);
    forget(folder);
    text_free(&list), text_free(&to), text_free(&made);
    return ok;
}
