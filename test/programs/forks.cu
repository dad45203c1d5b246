// A program that forks: a child that was made before the GPU was used may use it when nobody else does; a child of one
// that uses it can't; the parent goes on.
#include "check.cuh"

#include <sys/wait.h>
#include <unistd.h>

__global__ void add(int *x) { atomicAdd(x, 1); }

// Runs in a child, whose exit status it returns.
template <typename F> static int in_child(F run)
{
    int status = 0;
    pid_t child = fork();
    if (child == 0) _exit(run());
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

static int use()
{
    int *x, host = 0;
    if (cudaMalloc(&x, sizeof *x) != cudaSuccess) return 50;
    MUST(cudaMemset(x, 0, sizeof *x));
    add<<<2, 32>>>(x);
    MUST(cudaMemcpy(&host, x, sizeof host, cudaMemcpyDeviceToHost));
    return host;
}

int main()
{
    CHECK(in_child(use) == 64);
    CHECK(in_child(use) == 64);
    CHECK(use() == 64);
    CHECK(in_child(use) == 50);
    CHECK(in_child([] { return 7; }) == 7);
    CHECK(use() == 64);
    return verdict();
}
