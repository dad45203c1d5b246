// wire.h: what passes between the processes of a sweep: from the child that runs a cell to its parent, and between the
// ranks of mpirun. It is between processes of one program and one version; no file has any of it.
#ifndef SWEEP_WIRE_H
#define SWEEP_WIRE_H

#include "sweep/sweep.h"

// --- job.c: a run in a process of its own ----------------------------------------------------------------------------
enum { MAX_JOBS = 1024 };  // of a process
typedef struct Job {
    const Plan *plan;  // the caller's, until it is over
    int pid, fd;       // of the child, and its end of the pipe; pid 0: none
    bool over;         // the child has ended, and result is whole
    Text result;       // as much of it as came
} Job;
bool job_start(Job *j, const Plan *plan, Diag *diag);
// Waits until some of jobs (at most MAX_JOBS) have written or ended, but not longer than that, and takes what came. A
// child that died without a result leaves in it a store with the run as failed.
bool jobs_wait(Job *const *jobs, size_t n, int milliseconds, Diag *diag);
void job_kill(Job *j);

// --- ranks.c: the processes that mpirun or srun started together -----------------------------------------------------
// They send each other messages of bytes, which arrive in order from one rank to another. MPI's functions are in a
// module that is loaded only under mpirun (ranks_mpi.c); a test puts pipes in their place.
typedef enum Heard { HEARD_NOTHING, HEARD_MESSAGE, HEARD_LOSS } Heard;
struct Ranks {
    int rank, size;
    int neighbours;  // ranks on this host, itself among them
    double silence;  // seconds without a message after which a rank counts as lost
    bool (*send)(Ranks *r, int to, const void *bytes,
                 size_t n);                         // copies and doesn't wait; false: there is no way to that rank
    Heard (*poll)(Ranks *r, int *from, size_t *n);  // doesn't wait: a message of n bytes, or a rank that is lost
    void (*take)(Ranks *r, void *bytes);            // the message that poll told of
    void (*close)(Ranks *r);                        // what was sent arrives first
};

// --- sweep.c ---------------------------------------------------------------------------------------------------------
typedef struct Room {  // for runs, of this process
    uint32_t jobs;
    double memory;
} Room;
Room sweep_room(const SweepOptions *options);

// --- sweep_ranks.c: what passes between the ranks of a sweep ---------------------------------------------------------
typedef enum NoteKind {
    NOTE_BEGIN,  // from rank 0: there is something to run
    NOTE_HELLO,  // to rank 0: the room here; with the version of onchip
    NOTE_RUN,    // from rank 0: the cell at place, if its key is the same there
    NOTE_PART,
    NOTE_RESULT,  // to rank 0: bytes of the result of the cell at place; the last of them
    NOTE_REFUSE,  // to rank 0: with the reason why nothing can run here
    NOTE_LEAVE,   // to rank 0: this rank was told to stop; its runs are free again
    NOTE_ALIVE,   // both ways, every second of a sweep
    NOTE_END,     // from rank 0: the sweep is over; what is still running is given up
    NOTE_HOME,    // from rank 0: and there is no other
    NOTE_LOST,    // isn't sent: the rank is gone
} NoteKind;
typedef struct Note {
    uint32_t kind, jobs;
    uint64_t sweep;  // its number
    uint64_t place;  // in its matrix, which every rank reads for itself
    double memory;
    char key[KEY_DIGITS + 8];
} Note;
bool note_send(Ranks *r, int to, const Note *note, const void *bytes, size_t n);
bool note_next(Ranks *r, int *from, Note *note, Text *bytes);  // replaces bytes; false: there is none
// Seconds that this process was there to listen: what it slept through, suspended with its host, counts little, so that
// the others aren't taken for silent.
typedef struct Awake {
    double at, seconds;
} Awake;
double awake(Awake *a);

#endif
