// room.c: how much memory the host still gives this process: the least of what is free on the host, what its control
// groups leave, and what ulimit leaves. A process that passes a control group's limit is killed without a word, so the
// limit is read before memory is taken. Every group on the way up counts. A group's cache of files that nobody used
// lately counts as free.
#include "base/base.h"

#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

// The first number of a line that begins with a name, or of the first line. False: there is none; "max" is none.
static bool number_in(const char *folder, const char *file, const char *name, uint64_t *value)
{
    char path[4400], line[512], *end = NULL;
    size_t n = strlen(name);
    snprintf(path, sizeof path, "%s/%s", folder, file);
    FILE *f = fopen(path, "r");
    bool found = false;
    while (f && !found && fgets(line, sizeof line, f)) {
        if (strncmp(line, name, n) || (n && line[n] != ' ' && line[n] != ':')) continue;
        const char *from = line + n + (n > 0);
        *value = strtoull(from, &end, 10);
        found = end != from;
        if (!n) break;
    }
    if (f) fclose(f);
    return found;
}

static void lower(HostRoom *room, uint64_t bytes, const char *limit)
{
    if (bytes < room->bytes) *room = (HostRoom){bytes, limit};
}

// --- control groups --------------------------------------------------------------------------------------------------
#define NO_LIMIT (1ull << 62)
typedef struct GroupFiles {
    const char *limit, *used, *idle;  // idle: in memory.stat
    const char *word;
} GroupFiles;

static void ask_group(HostRoom *room, const char *folder, const GroupFiles *g)
{
    uint64_t limit, used, idle = 0;
    // Without a limit, version 1 writes the largest number. What is used needn't be read then, which takes long.
    if (!number_in(folder, g->limit, "", &limit) || limit >= NO_LIMIT) return;
    if (!number_in(folder, g->used, "", &used)) return;
    number_in(folder, "memory.stat", g->idle, &idle);
    used -= MIN(used, idle);
    lower(room, limit > used ? limit - used : 0, g->word);
}

// A group and all those above it. In a container the path may be one outside of it: then the root has the limit.
static void ask_groups(HostRoom *room, const char *root, const char *mount, char *path, const GroupFiles *g)
{
    char folder[4300];
    for (;;) {
        char *last = strrchr(path, '/');
        if (last && !last[1]) *last = 0;
        snprintf(folder, sizeof folder, "%s%s%s", root, mount, path);
        ask_group(room, folder, g);
        if (!(last = strrchr(path, '/'))) return;
        *last = 0;
    }
}

// A line of /proc/self/cgroup is number:controllers:path. Version 2 has no controllers there.
static void ask_all_groups(HostRoom *room, const char *root)
{
    static const GroupFiles v1 = {"memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file",
                                  "memory.limit_in_bytes of its control group"},
                            v2 = {"memory.max", "memory.current", "inactive_file", "memory.max of its control group"};
    char name[4096], line[4096];
    snprintf(name, sizeof name, "%s/proc/self/cgroup", root);
    FILE *f = fopen(name, "r");
    while (f && fgets(line, sizeof line, f)) {
        line[strcspn(line, "\n")] = 0;
        char *controllers = strchr(line, ':'), *path = controllers ? strchr(controllers + 1, ':') : NULL;
        if (!path) continue;
        *path++ = 0, controllers++;
        if (!*controllers) ask_groups(room, root, "/sys/fs/cgroup", path, &v2);
        if (!strcmp(controllers, "memory")) ask_groups(room, root, "/sys/fs/cgroup/memory", path, &v1);
    }
    if (f) fclose(f);
}

// --- all of them -----------------------------------------------------------------------------------------------------
HostRoom mem_left(const char *root)
{
    HostRoom room = {UINT64_MAX, "nothing"};
    char folder[4300];
    uint64_t kib, used;
    struct rlimit limit;
    snprintf(folder, sizeof folder, "%s/proc", root);
    if (number_in(folder, "meminfo", "MemAvailable", &kib))
        lower(&room, most_times(kib, 1024), "the host's free memory");
    snprintf(folder, sizeof folder, "%s/proc/self", root);
    if (!getrlimit(RLIMIT_AS, &limit) && limit.rlim_cur != RLIM_INFINITY && number_in(folder, "status", "VmSize", &kib))
        used = most_times(kib, 1024), lower(&room, limit.rlim_cur - MIN(limit.rlim_cur, used), "ulimit -v");
    if (!getrlimit(RLIMIT_DATA, &limit) && limit.rlim_cur != RLIM_INFINITY &&
        number_in(folder, "status", "VmData", &kib))
        used = most_times(kib, 1024), lower(&room, limit.rlim_cur - MIN(limit.rlim_cur, used), "ulimit -d");
    ask_all_groups(&room, root);
    return room;
}
