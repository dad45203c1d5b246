// libone_thread.c: a pthread_create that ends a program of ours. Every test runs with it but for those that are said to
// begin threads (test/CMakeLists.txt). So that list is complete, and `./dev tsan` runs no other. Programs of others
// that a test calls, such as mpirun or a browser, begin what they like.
#include <dlfcn.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Is this program in the build folder?
static bool ours(void)
{
    char path[4096];
    const char *build = getenv("ONCHIP_BUILD");
    size_t length = build ? strlen(build) : 0;
    ssize_t n = readlink("/proc/self/exe", path, sizeof path);
    return length && n > (ssize_t)length && !strncmp(path, build, length) && path[length] == '/';
}

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static const char says[] = "a thread is begun: the list `threads` of test/CMakeLists.txt lacks this test\n";
    if (ours()) {
        if (write(STDERR_FILENO, says, sizeof says - 1) < 0) _exit(1);
        abort();
    }
    __typeof__(&pthread_create) real;
    *(void **)&real = dlsym(RTLD_NEXT, "pthread_create");
    return real(thread, attributes, body, argument);
}
