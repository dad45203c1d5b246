// program.c: another program's run, and what it says.
//
// Invariant: no shell reads the words, so a name may hold any character. The program gets nothing to read.
#include "base/base.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

bool program_run(const char *const *words, const char *folder, Text *said, int *status)
{
    extern char **environ;
    int ends[2];
    pid_t pid;
    if (pipe2(ends, O_CLOEXEC)) return false;
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    posix_spawn_file_actions_addchdir_np(&actions, folder);
    posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_adddup2(&actions, ends[1], STDERR_FILENO);
    int error = posix_spawnp(&pid, words[0], &actions, NULL, (char *const *)words, environ);
    posix_spawn_file_actions_destroy(&actions);
    close(ends[1]);
    char part[4096];
    for (ssize_t n; !error && ((n = read(ends[0], part, sizeof part)) > 0 || (n < 0 && errno == EINTR));)
        if (n > 0) text_add(said, part, (size_t)n);
    close(ends[0]);
    errno = error;
    if (error) return false;
    while (waitpid(pid, status, 0) < 0 && errno == EINTR) continue;
    return true;
}

static bool is_program(const char *path)
{
    struct stat s;
    return !stat(path, &s) && S_ISREG(s.st_mode) && !access(path, X_OK);
}

bool program_find(const char *name, char *path, size_t size)
{
    if (strchr(name, '/')) return snprintf(path, size, "%s", name) < (int)size && is_program(path);
    const char *folders = getenv("PATH");
    for (const char *p = folders ? folders : "/usr/local/bin:/usr/bin:/bin"; *p;) {
        const size_t n = strcspn(p, ":");
        if (n && snprintf(path, size, "%.*s/%s", (int)n, p, name) < (int)size && is_program(path)) return true;
        p += n + (p[n] == ':');
    }
    return false;
}
