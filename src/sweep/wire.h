// wire.h: what the processes of a sweep send each other: a child that runs a cell sends its parent the result, and the
// ranks of mpirun exchange notes. All are processes of the same version of onchip, and no file has any of these
// messages.
#ifndef SWEEP_WIRE_H
#define SWEEP_WIRE_H

#include "sweep/unit.h"

// sweep_ranks.c
// A clock for deciding that another process is silent. It runs only while this process listens: a pause of more than a
// second between two calls, such as a suspended host, counts as one second. So others aren't blamed for the pause.
typedef struct Awake {
    double at, seconds;
} Awake;
double awake(Awake *a);  // seconds

// --- job.c: a run in a process of its own ----------------------------------------------------------------------------
enum { MAX_JOBS = 1024 };  // that one process can have at a time
typedef struct Job {
    const Plan *plan;  // the caller's; it must last as long as the job
    int pid;           // of the child; 0: there is none
    int fd;            // the end of the pipe from which the result is read
    bool over;         // the child has ended, and result is whole
    Text result;       // a store's bytes, as far as they came
    double patience;   // seconds that it may pass without processor time; 0: 60
    bool again;        // the first process was given up
    Awake clock;
    double moved;  // when it was seen to have more processor time than before, by the clock
    uint64_t cpu;  // nanoseconds of it then
} Job;
bool job_start(Job *j, const Plan *plan, Diag *diag);  // starts a child that runs plan
// Waits until some of the n jobs (at most MAX_JOBS) have written or ended, but not longer than milliseconds, and takes
// what came. Where a child died without a result, the result becomes a store that has the run as failed. A child that
// gets no processor time for long is killed and made once more; after that its run has failed.
bool jobs_wait(Job *const *jobs, size_t n, int milliseconds, Diag *diag);
void job_kill(Job *j);

// --- ranks.c: the processes that mpirun or srun started together -----------------------------------------------------
// Ranks send each other messages of bytes. Those from one rank to another arrive in the order in which they were sent.
// MPI's functions are in a module that is loaded only under mpirun (ranks_mpi.c). A test puts pipes in their place.
typedef enum Heard { HEARD_NOTHING, HEARD_MESSAGE, HEARD_LOSS } Heard;
struct Ranks {
    int rank, size;
    int neighbours;  // ranks on this host, itself among them
    double silence;  // seconds without a message after which a rank counts as lost
    // Copies the bytes and doesn't wait. False: the rank can't be reached.
    bool (*send)(Ranks *r, int to, const void *bytes, size_t n);
    // Doesn't wait. Says whether a message of *n bytes is here, or a rank is lost; *from is the rank.
    Heard (*poll)(Ranks *r, int *from, size_t *n);
    void (*take)(Ranks *r, void *bytes);  // copies the message that poll told of
    void (*close)(Ranks *r);              // what was sent arrives first, unless a rank is gone
};

// --- sweep.c ---------------------------------------------------------------------------------------------------------
typedef struct Room {  // what a process has for runs
    uint32_t jobs;     // at a time
    double memory;     // bytes
} Room;
Room sweep_room(const SweepOptions *options);

// --- sweep_ranks.c: what the ranks of a sweep send each other --------------------------------------------------------
// A message is a note with bytes behind it.
typedef enum NoteKind {
    NOTE_BEGIN,   // from rank 0: a sweep begins that has cells to run
    NOTE_HELLO,   // to rank 0: the room that this rank has; the bytes are its version of onchip
    NOTE_RUN,     // from rank 0: run the cell at place, whose key must be the same here
    NOTE_PART,    // to rank 0: bytes of the result of the cell at place, and there are more to come
    NOTE_RESULT,  // to rank 0: the last bytes of that result
    NOTE_REFUSE,  // to rank 0: nothing can run here; the bytes say why
    NOTE_LEAVE,   // to rank 0: this rank was told to stop; others can have its runs
    NOTE_ALIVE,   // both ways, every second of a sweep
    NOTE_END,     // from rank 0: the sweep is over; give up what still runs
    NOTE_HOME,    // from rank 0: there is no further sweep
    NOTE_LOST,    // never sent; note_next gives it when a rank is gone
} NoteKind;
typedef struct Note {
    uint32_t kind;
    uint32_t jobs;             // with NOTE_HELLO
    uint64_t sweep;            // the sweep's number
    uint64_t place;            // of a cell in the matrix, which every rank reads for itself
    double memory;             // bytes, with NOTE_HELLO
    char key[KEY_DIGITS + 8];  // with NOTE_RUN
} Note;
bool note_send(Ranks *r, int to, const Note *note, const void *bytes, size_t n);  // false: the rank can't be reached
bool note_next(Ranks *r, int *from, Note *note, Text *bytes);  // replaces bytes; false: there is no note

#endif
