// interrupt.c: handles Ctrl-C, and SIGTERM, which mpirun and batch systems send. The first signal asks the program to
// end in order, with what is done by then. The second one ends it at once.
#include "cli/cli.h"

#include <signal.h>

// A signal handler has no argument, so this is the one place that needs a variable at file scope.
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
