// serve.h: a CUDA program runs on a simulated device. It is a separate process, which finds our libcudart before any
// other (src/cudart). Its requests come here through a socket (driver/wire.h). child.c starts the program,
// serve.c answers until it has ended, answers.c has an answer for each question.
//
// Invariant: nothing that comes through the socket is believed. Numbers are looked up, sizes are bounded, and the
// device checks addresses. Whoever waits for the program looks now and then whether it still lives, and whether the
// user wants to stop.
#ifndef SERVE_H
#define SERVE_H

#include "device/device.h"
#include "driver/fatbin.h"

typedef struct ServeOptions {
    const char *const *words;  // the program's file and its arguments; a null ends them
    const char *file;          // the file that is run, if words[0] is another name for it; may be null
    const char *opened;        // a file that gets the names of those that it opens (driver/wire.h); null: none
    Target target;             // the only one whose PTX is taken; capability 0: any
    const char *clock;         // which one the program reads (CLOCK_VARIABLE); null: each process decides
    int output;                // a file for what it writes, and its input is empty; −1: it has onchip's own
    size_t keep;               // so many launches are kept each by itself; the rest is summed by kernel (oc_forget)
    // Told in whole lines what the program doesn't learn, such as the place of a kernel's fault.
    void (*tell)(void *user, const char *line);
    void (*ran)(void *user);  // called after each launch; may be null
    // Names memory by the calls of the program that asked for it (cudart/callers.c); nothing is added: unknown.
    // taken(of, …) tells whether other calls have a name, as may be of one line: then the name is another if there is
    // one. May be null.
    void (*site)(void *user, const char *calls, bool (*taken)(const void *of, const char *name), const void *of,
                 Text *name);
    void *user;
} ServeOptions;
typedef struct Served {
    int status;      // of the process, as waitpid gives it
    bool connected;  // it has asked something: our library was loaded
    bool untold;     // a kernel failed, and no call came to which its error could be returned
    uint32_t read;   // WIRE_READ_…: which clocks it has read
} Served;

// --- serve.c ---------------------------------------------------------------------------------------------------------
// Runs a program to its end on a device that is as new. False, and why: it can't be started. The launches are in the
// device's record. What kernels print goes to the program: the device's config.print must add it to *printed.
bool serve(oc_device *d, const ServeOptions *o, Text *printed, Served *served, Diag *diag);

// --- for this folder's own files -------------------------------------------------------------------------------------
#include "driver/wire.h"

#include <sys/types.h>

typedef struct Waiting {  // a launch that is to be run, or what is to be done with a value (kernel null)
    oc_kernel *kernel;
    uint64_t at, value;
    uint32_t what;  // calls.def, VALUE
    oc_dim3 grid, block;
    uint32_t smem;
    bool cooperative;
    oc_dim3 cluster;
    oc_stream *stream;
    uint8_t *params;
    const void **args;
    bool node;     // of a graph, whose launch began at
    double graph;  // simulated seconds
} Waiting;
typedef struct Guest {  // a process of the program
    int socket;
    VEC(oc_module *) modules;
    VEC(oc_module *) gone;  // that the program has unloaded, the oldest first
    VEC(oc_kernel *) kernels;
    VEC(oc_stream *) streams;
    VEC(oc_event *) events;
    Map kernel_at;           // a kernel's pointer → its number
    VEC(uint64_t) memory;    // what it has allocated
    VEC(uint64_t) reserved;  // addresses that get memory later
    VEC(Waiting) waiting;
    uint64_t calls;      // of those that wait, the ones that take the host time: all but a graph's nodes
    bool held;           // those that wait can't run now: a value isn't there
    Text printed;        // by its kernels
    uint64_t workspace;  // by which blocks of cooperative launches wait for one another; 0: there was none yet
    int failed;          // a cudaError_t of an earlier launch, which the next call has; 0: none
    bool sticky;         // all further calls have it
    bool untold;         // no call has had it yet
    uint64_t nodes;      // what it asks for is nodes of a graph: 1 + how many; 0: it isn't
    double graph;        // when that graph's launch began, in simulated seconds
} Guest;
typedef struct Shared {  // an event that several processes may use
    uint64_t key;
    oc_event *event;
} Shared;
typedef struct Serving {
    oc_device *device;
    const ServeOptions *o;
    Served *served;
    Text *printed;     // by the kernel that runs
    int door, memory;  // where processes come in; the device's memory
    pid_t pid;
    bool ended;
    VEC(Guest *) guests;
    Guest *guest;  // that is being answered
    Text text;     // of its call
    Map site_at;   // calls that asked for memory → the place in sites
    VEC(char *) sites;
    VEC(Shared) shared;
    uint64_t keys;  // that were given
} Serving;

#endif
