// run_program.c: onchip run ./app args…: a CUDA program, on a simulated GPU. Its output is its own, and so is the exit
// status.
#include "cli/cli.h"
#include "device/device.h"
#include "driver/fatbin.h"
#include "serve/serve.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

// Scripts begin with #!, executables are ELF files that begin to run somewhere. Libraries, objects and cubins don't.
bool is_program(const char *path)
{
    enum { HEADER = 64 };
    struct stat info;
    char head[HEADER] = "";
    Elf elf;
    int file = stat(path, &info) || !S_ISREG(info.st_mode) ? -1 : open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return false;
    ssize_t n = read(file, head, sizeof head);
    close(file);
    return n >= 2 && (!memcmp(head, "#!", 2) || (elf_open(&elf, head, (size_t)n) && elf.entry));
}

// The folder of libcudart: in a build beside the executable; else where an installation puts it. False: in neither.
static bool find_libraries(Text *folder)
{
    static const char library[] = "/libcudart.so.13";
    char self[4096];
    ssize_t n = readlink("/proc/self/exe", self, sizeof self);
    while (n > 0 && self[n - 1] != '/') n--;
    for (int k = 0; k < 2; k++) {
        folder->n = 0;
        if (!k)
            text_printf(folder, "%.*scuda", (int)MAX(n, 0), self);
        else
            text_printf(folder, "%.*s%s/onchip/cuda", ONCHIP_LIBDIR[0] == '/' ? 0 : (int)MAX(n, 0), self,
                        ONCHIP_LIBDIR[0] == '/' ? ONCHIP_LIBDIR : "../" ONCHIP_LIBDIR);
        size_t length = folder->n;
        text_put(folder, library);
        bool there = access(folder->v, R_OK) == 0;
        folder->v[folder->n = length] = '\0';
        if (there) return true;
    }
    return false;
}

static void tell_line(void *user, const char *line)
{
    (void)user;
    tell(0, "%s", line);
}

int run_program(oc_device *d, const char *const *words, size_t keep, Text *printed, Text *error)
{
    Text folder = {0};
    Served served;
    int code = EXIT_FAILED;
    ServeOptions o = {.words = words, .keep = keep, .tell = tell_line};
    if (!find_libraries(&folder)) {
        text_put(error, "there is no libcudart.so.13 beside this onchip; it isn't installed whole");
        return text_free(&folder), code;
    }
    o.libraries = folder.v;
    if (serve(d, &o, printed, &served, error)) {
        code = WIFEXITED(served.status) ? WEXITSTATUS(served.status) : 128 + WTERMSIG(served.status);
        if (WIFSIGNALED(served.status) && !interrupted())
            tell(0, "%s was ended by signal %d (%s)", words[0], WTERMSIG(served.status),
                 strsignal(WTERMSIG(served.status)));
        if (!served.connected && !interrupted())
            tell(0,
                 "%s asked for no GPU. If it is stripped, CUDA's runtime inside of it can't be replaced: link it with "
                 "nvcc -cudart shared, or don't strip it",
                 words[0]);
        else if (!oc_launches(d))
            tell(0, "%s launched no kernel", words[0]);
    }
    text_free(&folder);
    return code;
}
