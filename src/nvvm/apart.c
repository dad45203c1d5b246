// apart.c: a compilation in a process of its own. LLVM ends the process where it can't go on, and a program of
// strangers may bring it there; what it holds is its process's, and the caller may use the same LLVM (llvmlite does).
//
// Invariant: the child writes into files without a name, and leaves by _exit. What it hasn't written whole counts as
// nothing.
#include "nvvm/unit.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

// The result stands before the log and the PTX.
typedef struct Head {
    uint64_t done, result, log, ptx;
} Head;

static bool write_all(int fd, const void *from, size_t n)
{
    for (const char *p = from; n;) {
        const ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        p += k, n -= (size_t)k;
    }
    return true;
}

static bool read_all(int fd, void *to, size_t n, size_t at)
{
    for (char *p = to; n;) {
        const ssize_t k = pread(fd, p, n, (off_t)at);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        p += k, n -= (size_t)k, at += (size_t)k;
    }
    return true;
}

static bool read_text(int fd, Text *text, size_t n, size_t at)
{
    char *v = mem_try(n + 1, 1);
    const bool ok = v && read_all(fd, v, n, at);
    if (ok && n) text_add(text, v, n);
    mem_free(v);
    return ok;
}

// LLVM's own end of a program would run what the caller has asked for at its exit.
static void ended(const char *why)
{
    static const char head[] = "error: LLVM: ";
    write_all(STDERR_FILENO, head, strlen(head)), write_all(STDERR_FILENO, why, strlen(why));
    _exit(1);
}

static _Noreturn void be_child(const Llvm *l, const Program *p, const Options *options, int made, int said)
{
    static const int crashes[] = {SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGFPE};
    Outcome out = {0};
    for (size_t k = 0; k < COUNT(crashes); k++) signal(crashes[k], SIG_DFL);
    dup2(said, STDOUT_FILENO), dup2(said, STDERR_FILENO);
    l->ResetFatalErrorHandler(), l->InstallFatalErrorHandler(ended);
    compile(l, p, options, &out);
    const Head head = {1, out.result, out.log.n, out.ptx.n};
    _exit(!(write_all(made, &head, sizeof head) && write_all(made, out.log.v, out.log.n) &&
            write_all(made, out.ptx.v, out.ptx.n)));
}

static void take_result(int made, int said, int status, Outcome *out)
{
    Head head = {0};
    const off_t words = lseek(said, 0, SEEK_END);
    out->result = NVVM_ERROR_COMPILATION;
    if (read_all(made, &head, sizeof head, 0) && head.done && read_text(made, &out->log, head.log, sizeof head) &&
        read_text(made, &out->ptx, head.ptx, sizeof head + head.log))
        out->result = (nvvmResult)head.result;
    if (words > 0) read_text(said, &out->log, (size_t)words, 0);
    if (WIFSIGNALED(status))
        text_printf(&out->log, "error: LLVM has ended while it compiled: %s\n", strsignal(WTERMSIG(status)));
}

void compile_apart(const Llvm *l, const Program *p, const Options *options, Outcome *out)
{
    int status = 0;
    const int made = memfd_create("onchip-ptx", MFD_CLOEXEC), said = memfd_create("onchip-log", MFD_CLOEXEC);
    const pid_t child = made >= 0 && said >= 0 ? fork() : -1;
    if (!child) be_child(l, p, options, made, said);
    out->result = NVVM_ERROR_OUT_OF_MEMORY;
    if (child < 0)
        text_printf(&out->log, "error: no process can be begun: %s\n", strerror(errno));
    else {
        // Where the caller ignores its children, it fails once the child has ended.
        while (waitpid(child, &status, 0) < 0)
            if (errno != EINTR) break;
        take_result(made, said, status, out);
    }
    if (made >= 0) close(made);
    if (said >= 0) close(said);
}
