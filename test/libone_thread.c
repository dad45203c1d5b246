// libone_thread.c: a pthread_create that ends the program. Tests that are said to begin no thread run with it: what
// they say holds, and ThreadSanitizer, which could find nothing in them, can leave them out.
#include <pthread.h>
#include <stdlib.h>
#include <unistd.h>

int pthread_create(pthread_t *thread, const pthread_attr_t *attributes, void *(*body)(void *), void *argument)
{
    static const char says[] = "a thread is begun, and test/CMakeLists.txt says of this test that it begins none\n";
    (void)thread, (void)attributes, (void)body, (void)argument;
    if (write(STDERR_FILENO, says, sizeof says - 1) < 0) _exit(1);
    abort();
}
