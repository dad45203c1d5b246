// What the host leaves this process, from files as the kernel writes them (cgroups(7), proc(5)): of nested control
// groups the least counts, and their cache of files that nobody uses is free.
#include "base/base.h"
#include "check.h"

#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

static char root[] = "/tmp/onchip-room-XXXXXX";

static void file(const char *path, const char *text)
{
    char name[600];
    snprintf(name, sizeof name, "%s/%s", root, path);
    for (char *p = name + strlen(root) + 1; (p = strchr(p, '/')); *p++ = '/') *p = 0, mkdir(name, 0700);
    FILE *f = fopen(name, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void expect(uint64_t bytes, const char *limit)
{
    HostRoom r = mem_left(root);
    assert_true(r.bytes == bytes);
    assert_non_null(strstr(r.limit, limit));
}

static void all(void **state)
{
    (void)state;
    assert_non_null(mkdtemp(root));
    file("proc/meminfo", "MemTotal:  9000 kB\nMemFree:  100 kB\nMemAvailable:    8000 kB\n");
    expect(8000 * 1024, "free memory");
    // Version 2: the group has no limit, the one above leaves 1000000 - (700000 - 200000).
    file("proc/self/cgroup", "0::/work/job\n");
    file("sys/fs/cgroup/work/job/memory.max", "max\n");
    file("sys/fs/cgroup/work/job/memory.current", "600000\n");
    file("sys/fs/cgroup/work/memory.max", "1000000\n");
    file("sys/fs/cgroup/work/memory.current", "700000\n");
    file("sys/fs/cgroup/work/memory.stat", "anon 500000\ninactive_file 200000\nactive_file 7\n");
    expect(500000, "memory.max");
    // Version 1: the path is one outside of the container, whose root has the limit.
    file("proc/self/cgroup", "9:name=systemd:/\n4:memory:/docker/abc\n0::/\n");
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "400000\n");
    file("sys/fs/cgroup/memory/memory.usage_in_bytes", "300000\n");
    file("sys/fs/cgroup/memory/memory.stat", "inactive_file 1\ntotal_inactive_file 50000\n");
    expect(150000, "memory.limit_in_bytes");
    // No limit, as version 1 writes it.
    file("sys/fs/cgroup/memory/memory.limit_in_bytes", "9223372036854771712\n");
    expect(8000 * 1024, "free memory");
    char command[100];
    snprintf(command, sizeof command, "rm -r %s", root);
    assert_int_equal(system(command), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(all)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
