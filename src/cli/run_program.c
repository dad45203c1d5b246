// run_program.c: onchip run ./app args…: a CUDA program, on a simulated GPU. Its output and its exit status are
// unchanged, unless a kernel failed and the program never asked.
#include "cli/unit.h"
#include "device/device.h"
#include "serve/serve.h"
#include "sweep/sweep.h"

#include <string.h>
#include <sys/wait.h>

static void tell_line(void *user, const char *line)
{
    (void)user;
    tell(0, "%s", line);
}

int run_program(oc_device *d, const ProgramRun *run, Text *printed, Diag *diag)
{
    Served served;
    int code = EXIT_FAILED;
    ServeOptions o = {.words = run->words,
                      .file = run->file,
                      .keep = run->keep,
                      .target = run->target,
                      .clock = run->clock,
                      .output = -1,
                      .tell = tell_line,
                      .ran = run->ran,
                      .site = site_name,
                      .user = run->user};
    if (serve(d, &o, printed, &served, diag)) {
        if (served.read)
            *run->read = served.read == WIRE_READ_SIMULATED ? CLOCK_SIMULATED
                         : served.read == WIRE_READ_HOST    ? CLOCK_HOST
                                                            : "both";
        code = WIFEXITED(served.status) ? WEXITSTATUS(served.status) : 128 + WTERMSIG(served.status);
        if (WIFSIGNALED(served.status) && !interrupted())
            tell(0, "%s was ended by signal %d (%s)", run->words[0], WTERMSIG(served.status),
                 strsignal(WTERMSIG(served.status)));
        if (!code && served.untold)
            code = tell(EXIT_FAILED, "the exit status is 1: a kernel failed, and %s didn't ask whether one had",
                        run->words[0]);
        if (!served.connected && !interrupted())
            tell(0,
                 "%s asked for no GPU. If it is stripped, CUDA's runtime inside of it can't be replaced: link it with "
                 "nvcc -cudart shared, or don't strip it",
                 run->words[0]);
        else if (!oc_launches(d))
            tell(0, "%s launched no kernel", run->words[0]);
    }
    return code;
}
