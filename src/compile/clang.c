// clang.c: which clang is installed, and what its release can do (clangs.def).
#include "compile/unit.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

// Debian's default first, then the newest.
static const char *const names[] = {"clang",    "clang-22", "clang-21", "clang-20", "clang-19",
                                    "clang-18", "clang-17", "clang-16", "clang-15", "clang-14"};
static const struct {
    uint32_t release;
    Target most;
    uint32_t ptx;
} releases[] = {
#define CLANG(release, most, kind, ptx) {release, {most, kind}, ptx},
#include "compile/clangs.def"
#undef CLANG
};

// "Debian clang version 14.0.6"
static uint32_t read_release(const Text *said)
{
    const char *at = said->v ? strstr(said->v, "clang version ") : NULL;
    return at ? (uint32_t)strtoul(at + strlen("clang version "), NULL, 10) : 0;
}

static bool look(const char *name, Clang *c)
{
    Text said = {0};
    int status = -1;
    *c = (Clang){.release = 0};
    if (!program_find(name, c->path, sizeof c->path)) return false;
    const char *const words[] = {c->path, "--version", NULL};
    const uint32_t release = program_run(words, ".", &said, &status) && !status ? read_release(&said) : 0;
    text_free(&said);
    if (!release) return false;
    c->release = release;
    // A later one than the table has knows at least what the newest in it does.
    for (size_t k = 0; k < COUNT(releases); k++)
        if (k + 1 == COUNT(releases) || release >= releases[k].release) {
            c->most = releases[k].most, c->ptx = releases[k].ptx;
            break;
        }
    return true;
}

static bool knows(const Clang *c, Target t)
{
    return t.capability < c->most.capability || (t.capability == c->most.capability && (!t.kind || c->most.kind));
}

bool clang_find(const char *name, const Target *targets, size_t n, Clang *c, Diag *diag)
{
    Clang first = {.release = 0};
    if (name) return look(name, c) || diag_error(diag, "%s isn't clang, which compiles CUDA source", name);
    for (size_t k = 0; k < COUNT(names); k++) {
        bool all = true;
        if (!look(names[k], c)) continue;
        if (!first.release) first = *c;
        for (size_t t = 0; t < n; t++) all = all && knows(c, targets[t]);
        if (all) return true;
    }
    if (!first.release) return diag_error(diag, "clang compiles CUDA source, and isn't installed: apt install clang");
    *c = first;
    return true;
}

Target clang_target(const Clang *c, Target t)
{
    // What clang 14 knows; from sm_87 on, later ones.
    static const uint32_t known[] = {35, 37, 50, 52, 53, 60, 61, 62, 70, 72, 75, 80, 86, 87, 89, 90};
    Target of = {known[0], 0};
    if (knows(c, t) && t.kind) return t;
    for (size_t k = 0; k < COUNT(known); k++)
        if (known[k] <= t.capability && knows(c, (Target){known[k], 0})) of.capability = known[k];
    return of;
}

void clang_stamp(const char *name, Text *stamp)
{
    char path[4096];
    struct stat s;
    for (size_t k = 0; k < COUNT(names); k++) {
        if (!program_find(name ? name : names[k], path, sizeof path) || stat(path, &s)) continue;
        text_printf(stamp, "%s %lld %lld.%09ld\n", path, (long long)s.st_size, (long long)s.st_mtim.tv_sec,
                    s.st_mtim.tv_nsec);
        if (name) break;
    }
}
