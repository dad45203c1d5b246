// child.c: starts a program so that the dynamic linker finds our libcudart first. Only the program's own environment is
// changed.
#include "serve/serve.h"

#include <errno.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PATH "LD_LIBRARY_PATH="
#define WIRE WIRE_VARIABLE "="

// The environment with two variables changed.
static char **make_environment(const ServeOptions *o, const char *socket, Text *path, Text *wire)
{
    const char *before = getenv("LD_LIBRARY_PATH");
    size_t n = 0, kept = 0;
    text_printf(path, PATH "%s%s%s", o->libraries, before && *before ? ":" : "", before ? before : "");
    text_printf(wire, WIRE "%s", socket);
    while (environ[n]) n++;
    char **all = mem_alloc(sizeof *all * (n + 3));
    for (size_t k = 0; k < n; k++)
        if (strncmp(environ[k], PATH, strlen(PATH)) && strncmp(environ[k], WIRE, strlen(WIRE)))
            all[kept++] = environ[k];
    all[kept++] = path->v;
    all[kept++] = wire->v;
    return all;
}

pid_t child_start(const ServeOptions *o, const char *socket, Text *why)
{
    pid_t pid;
    Text path = {0}, wire = {0};
    char **environment = make_environment(o, socket, &path, &wire);
    int error = posix_spawn(&pid, o->words[0], NULL, NULL, (char *const *)o->words, environment);
    mem_free(environment);
    text_free(&path), text_free(&wire);
    if (!error) return pid;
    text_printf(why, "can't start %s: %s", o->words[0], strerror(error));
    return -1;
}
