// interrupt.c: Ctrl-C, and SIGTERM as mpirun and batch systems send it. The first one asks for an end in order, with
// what there is by then; the second one ends the program at once.
#include "cli/cli.h"

#include <signal.h>

// A handler has no argument: this is the one place that needs a variable of the program's own.
static volatile bool pressed;

static void on_interrupt(int number)
{
    (void)number;
    pressed = true;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

const volatile bool *interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    pressed = false;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &pressed;
}

void interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

bool interrupted(void) { return pressed; }
