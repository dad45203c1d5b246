// limit.c: runs a command with a limit on processor time, that of all processes it starts counted together. Every test
// goes through it, so that a busy machine makes tests slow and none fail.
//
//   limit SECONDS COMMAND [ARGUMENT …]
//
// The exit status is the command's, 128 + n when signal n ended it, and 124 at the limit. What the command leaves
// behind is killed when it ends, or when this process is told to end or loses its parent: orphans become children of
// this process (PR_SET_CHILD_SUBREAPER), so that all are found.
#include <dirent.h>
#include <errno.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { PERIOD_MS = 200, MOST = 4096 };

typedef struct Process {
    int pid, parent;
    bool ours;
    unsigned long long ticks;  // its own, and those of its children that it has waited for
} Process;

// Reads /proc/PID/stat: proc(5). The name may have anything in it, so fields are counted from its last parenthesis.
static bool process_read(int pid, Process *p)
{
    char path[64], text[1024];
    snprintf(path, sizeof path, "/proc/%d/stat", pid);
    FILE *f = fopen(path, "r");
    if (!f) return false;
    size_t n = fread(text, 1, sizeof text - 1, f);
    fclose(f);
    text[n] = 0;
    const char *rest = strrchr(text, ')');
    unsigned long long user, system, children_user, children_system;
    *p = (Process){.pid = pid};
    if (!rest || sscanf(rest + 1, " %*c %d %*d %*d %*d %*d %*u %*u %*u %*u %*u %llu %llu %llu %llu", &p->parent, &user,
                        &system, &children_user, &children_system) != 5)
        return false;
    p->ticks = user + system + children_user + children_system;
    return true;
}

// All descendants of this process; their number. Beyond MOST processes on the machine some may be missed.
static int descendants(Process *all)
{
    int n = 0;
    DIR *folder = opendir("/proc");
    if (!folder) return 0;
    for (struct dirent *entry; n < MOST && (entry = readdir(folder));) {
        int pid = atoi(entry->d_name);
        if (pid > 0 && pid != getpid()) n += process_read(pid, all + n);
    }
    closedir(folder);
    for (bool found = true; found;) {
        found = false;
        for (int k = 0; k < n; k++) {
            if (all[k].ours) continue;
            bool ours = all[k].parent == getpid();
            for (int j = 0; j < n && !ours; j++) ours = all[j].ours && all[j].pid == all[k].parent;
            found |= all[k].ours = ours;
        }
    }
    int kept = 0;
    for (int k = 0; k < n; k++)
        if (all[k].ours) all[kept++] = all[k];
    return kept;
}

static double seconds_used(const Process *all, int n)
{
    Process own;
    unsigned long long ticks = 0;
    for (int k = 0; k < n; k++) ticks += all[k].ticks;
    if (process_read(getpid(), &own)) ticks += own.ticks;  // orphans that this process has waited for
    return (double)ticks / (double)sysconf(_SC_CLK_TCK);
}

// Until none is left: a process can start another while it is being killed.
static void kill_all(Process *all)
{
    for (int n; (n = descendants(all));) {
        for (int k = 0; k < n; k++) kill(all[k].pid, SIGKILL);
        while (waitpid(-1, NULL, WNOHANG) > 0) {
        }
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
}

// For the log: which tests are the longest. All descendants were waited for, here or by their parents.
static void tell_used(void)
{
    struct rusage used;
    getrusage(RUSAGE_CHILDREN, &used);
    fprintf(stderr, "limit: %.2f s of processor time\n",
            (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
                (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec) / 1e6);
}

int main(int argc, char **argv)
{
    static Process all[MOST];
    double limit = argc > 2 ? atof(argv[1]) : 0;
    if (!(limit > 0)) return fprintf(stderr, "usage: limit SECONDS COMMAND [ARGUMENT …]\n"), 2;
    prctl(PR_SET_CHILD_SUBREAPER, 1);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    sigset_t signals;
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD), sigaddset(&signals, SIGTERM), sigaddset(&signals, SIGINT),
        sigaddset(&signals, SIGHUP);
    sigprocmask(SIG_BLOCK, &signals, NULL);  // before the fork: a signal stays pending
    pid_t command = fork();
    if (command < 0) return perror("limit: fork"), 125;
    if (!command) {
        sigprocmask(SIG_UNBLOCK, &signals, NULL);
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        execvp(argv[2], argv + 2);
        fprintf(stderr, "limit: %s: %s\n", argv[2], strerror(errno));
        _exit(127);
    }
    for (;;) {
        int status, ended;
        while ((ended = waitpid(-1, &status, WNOHANG)) > 0)
            if (ended == command) {
                kill_all(all);
                tell_used();
                if (WIFEXITED(status)) return WEXITSTATUS(status);
                fprintf(stderr, "limit: %s was ended by signal %d\n", argv[2], WTERMSIG(status));
                return 128 + WTERMSIG(status);
            }
        double used = seconds_used(all, descendants(all));
        if (used > limit) {
            fprintf(stderr, "limit: more than %g s of processor time: killed\n", limit);
            kill_all(all);
            return 124;
        }
        int got = sigtimedwait(&signals, NULL, &(struct timespec){.tv_nsec = PERIOD_MS * 1000000L});
        if (got > 0 && got != SIGCHLD) {
            kill_all(all);
            return 128 + got;
        }
    }
}
