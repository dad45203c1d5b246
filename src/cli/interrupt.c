// interrupt.c: handles Ctrl-C, and SIGTERM, which mpirun and batch systems send. The first signal asks the program to
// end in order, with what is done by then. The second one ends it at once.
#include "cli/unit.h"

#include <signal.h>

// A signal handler has no argument, so this is the one place that needs a variable at file scope.
static volatile struct {
    bool pressed;
    int number;  // of the signal
} caught;

static void on_interrupt(int number)
{
    caught.number = number;
    caught.pressed = true;
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

const volatile bool *interrupt_catch(void)
{
    struct sigaction action = {.sa_handler = on_interrupt};
    sigaddset(&action.sa_mask, SIGINT), sigaddset(&action.sa_mask, SIGTERM);  // the first one is told
    caught.pressed = false;
    sigaction(SIGINT, &action, NULL);
    sigaction(SIGTERM, &action, NULL);
    return &caught.pressed;
}

void interrupt_release(void)
{
    signal(SIGINT, SIG_DFL);
    signal(SIGTERM, SIG_DFL);
}

bool interrupted(void) { return caught.pressed; }

int interrupt_status(void) { return 128 + caught.number; }
