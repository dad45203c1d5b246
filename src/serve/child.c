// child.c: starts a program so that the dynamic linker finds our libcuda and libcudart first. A program may also have
// CUDA's runtime inside of it, be a script that starts such a program, or open a library later: our libcuda is loaded
// in any case (cudart/redirect.c). Only the program's own environment is changed.
#include "serve/unit.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH "LD_LIBRARY_PATH"
#define PRELOAD "LD_PRELOAD"
#define TOOLKIT "CUDA_HOME"  // where Numba looks for libNVVM and libdevice
enum { MOST = 7 };           // variables that are changed
typedef struct Changes {
    const char *name[MOST];
    Text of[MOST];  // "NAME=value"
    size_t n;
} Changes;

// Sets a variable of the program; what it was before stands behind a colon if it is a list.
static void change(Changes *c, const char *name, const char *value, bool list)
{
    const char *before = list ? getenv(name) : NULL;
    bool some = before && *before;
    text_printf(&c->of[c->n], "%s=%s%s%s", name, value, some ? ":" : "", some ? before : "");
    c->name[c->n++] = name;
}

static bool is_changed(const Changes *c, const char *variable)
{
    for (size_t k = 0; k < c->n; k++) {
        size_t n = strlen(c->name[k]);
        if (!strncmp(variable, c->name[k], n) && variable[n] == '=') return true;
    }
    return false;
}

static char **make_environment(const Changes *c)
{
    size_t n = 0, kept = 0;
    while (environ[n]) n++;
    char **all = mem_alloc(sizeof *all * (n + MOST + 1));
    for (size_t k = 0; k < n; k++)
        if (!is_changed(c, environ[k])) all[kept++] = environ[k];
    for (size_t k = 0; k < c->n; k++) all[kept++] = c->of[k].v;
    return all;
}

// What the program's file says of the libraries that it needs. Its own sanitizer wants to be the first of them, in
// front of `first`. False, and why: one of NVIDIA's isn't there. Of a file that isn't ELF, nothing is known.
static bool read_needs(const char *path, const char *folder, Text *first, Diag *diag)
{
    Text file = {0};
    Elf elf;
    const bool known = text_read_file(&file, path) && elf_open(&elf, file.v, file.n);
    const char *name = known ? elf_needs(&elf, "libasan.so") : NULL;
    if (name) text_printf(first, "%s:", name);
    const bool met = !known || needs_met(&elf, path, folder, diag);
    text_free(&file);
    return met;
}

static void redirect(posix_spawn_file_actions_t *to, int output)
{
    posix_spawn_file_actions_addopen(to, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(to, output, STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(to, output, STDERR_FILENO);
}

pid_t child_start(const ServeOptions *o, const char *socket, uint64_t base, uint64_t bytes, Diag *diag)
{
    pid_t pid;
    const char *file = o->file ? o->file : o->words[0];
    Changes changes = {.n = 0};
    Text library = {0}, folder = {0}, first = {0};
    if (!own_find(&library, "cuda/libcuda.so.1")) {
        diag_error(diag, "there is no libcuda.so.1 beside this onchip; it isn't installed whole");
        return text_free(&library), -1;
    }
    text_add(&folder, library.v, (size_t)(base_name(library.v) - 1 - library.v));
    if (!read_needs(file, folder.v, &first, diag))
        return text_free(&library), text_free(&folder), text_free(&first), -1;
    change(&changes, PATH, folder.v, true);
    change(&changes, WIRE_VARIABLE, socket, false);
    char room[40];
    snprintf(room, sizeof room, "%" PRIx64 " %" PRIx64, base, bytes);
    change(&changes, ROOM_VARIABLE, room, false);
    change(&changes, TOOLKIT, folder.v, false);
    change(&changes, CLOCK_VARIABLE, o->clock ? o->clock : "", false);
    if (o->opened) change(&changes, OPENED_VARIABLE, o->opened, false);
    text_add(&first, library.v, library.n);
    change(&changes, PRELOAD, first.v, true);
    char **environment = make_environment(&changes);
    posix_spawn_file_actions_t files;
    posix_spawn_file_actions_init(&files);
    if (o->output >= 0) redirect(&files, o->output);
    int error = posix_spawn(&pid, file, &files, NULL, (char *const *)o->words, environment);
    posix_spawn_file_actions_destroy(&files);
    mem_free(environment);
    for (size_t k = 0; k < changes.n; k++) text_free(&changes.of[k]);
    text_free(&library), text_free(&folder), text_free(&first);
    if (!error) return pid;
    diag_error(diag, "can't start %s: %s", file, strerror(error));
    return -1;
}
