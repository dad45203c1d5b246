// ranks_mpi.c: ranks that talk over MPI. This is a module of its own, which ranks.c loads, so that nothing else needs
// MPI. It knows nothing of the program but the struct Ranks. A message is copied when it is sent, and the copy is
// kept until MPI has delivered it. Nothing waits inside MPI, since MPI's waiting takes a whole processor.
//
// Limit: Open MPI 4.1 tells nobody that a rank has died. By default mpirun then ends the whole job. With
// --enable-recovery the other ranks go on, and only the dead one's silence tells.
#include "sweep/wire.h"

#include <mpi.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <time.h>

enum { TAG = 1, SILENCE = 120, GRACE_MS = 5000 };

typedef struct Parcel {  // a message on its way
    struct Parcel *next;
    MPI_Request request;
    char bytes[];
} Parcel;

typedef struct MpiRanks {
    Ranks ranks;  // the first member, since the program sees only this one
    Parcel *sent;
    MPI_Message message;  // the one that poll told of
    int size;
} MpiRanks;

static void release_delivered(MpiRanks *m)
{
    for (Parcel **at = &m->sent; *at;) {
        Parcel *p = *at;
        int done = 0;
        if (MPI_Test(&p->request, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS || done)
            *at = p->next, free(p);
        else
            at = &p->next;
    }
}

static bool send_bytes(Ranks *r, int to, const void *bytes, size_t n)
{
    MpiRanks *m = (MpiRanks *)r;
    Parcel *p = malloc(sizeof *p + n);
    if (!p) return false;
    memcpy(p->bytes, bytes, n);
    if (MPI_Isend(p->bytes, (int)n, MPI_BYTE, to, TAG, MPI_COMM_WORLD, &p->request) != MPI_SUCCESS)
        return free(p), false;
    p->next = m->sent;
    m->sent = p;
    return true;
}

static Heard poll_messages(Ranks *r, int *from, size_t *n)
{
    MpiRanks *m = (MpiRanks *)r;
    MPI_Status status;
    int there = 0;
    release_delivered(m);
    if (MPI_Improbe(MPI_ANY_SOURCE, TAG, MPI_COMM_WORLD, &there, &m->message, &status) != MPI_SUCCESS || !there)
        return HEARD_NOTHING;
    MPI_Get_count(&status, MPI_BYTE, &m->size);
    *from = status.MPI_SOURCE;
    *n = (size_t)m->size;
    return HEARD_MESSAGE;
}

static void take_message(Ranks *r, void *bytes)
{
    MpiRanks *m = (MpiRanks *)r;
    MPI_Mrecv(bytes, m->size, MPI_BYTE, &m->message, MPI_STATUS_IGNORE);
}

// Says whether all ranks are still there: only then they all get through a barrier. MPI_Finalize waits for every rank,
// and for ever when one has died.
static bool all_there(MpiRanks *m)
{
    MPI_Request barrier;
    int done = 0;
    if (MPI_Ibarrier(MPI_COMM_WORLD, &barrier) != MPI_SUCCESS) return false;
    for (int k = 0; k < GRACE_MS && !(done && !m->sent); k++) {
        release_delivered(m);
        if (!done && MPI_Test(&barrier, &done, MPI_STATUS_IGNORE) != MPI_SUCCESS) return false;
        nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
    }
    return done && !m->sent;
}

static void close_ranks(Ranks *r)
{
    MpiRanks *m = (MpiRanks *)r;
    if (!all_there(m)) return;  // the process ends without MPI_Finalize; until then MPI may still use m's memory
    MPI_Finalize();
    free(m);
}

// Makes settings of Open MPI that suit a program that forks. Those that the user made stay.
static void suit(void)
{
    setenv("OMPI_MCA_opal_signal", "", 0);  // a run that crashes is a failed run; Open MPI prints no stack trace of it
    setenv("OMPI_MCA_btl_vader_single_copy_mechanism", "none", 0);  // containers forbid it, and it gains nothing here
    setenv("RDMAV_FORK_SAFE", "1", 0);
}

Ranks *onchip_ranks_open(const char *version, char *message, size_t size)
{
    if (strcmp(version, ONCHIP_VERSION))
        return snprintf(message, size, "it belongs to onchip %s", ONCHIP_VERSION), NULL;
    suit();
    if (MPI_Init(NULL, NULL) != MPI_SUCCESS) return snprintf(message, size, "MPI_Init failed"), NULL;
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
    prctl(PR_SET_PDEATHSIG, SIGTERM);  // when mpirun dies nobody else ends the ranks
    MpiRanks *m = calloc(1, sizeof *m);
    if (!m) return snprintf(message, size, "no memory"), NULL;
    const char *silence = getenv("ONCHIP_MPI_SILENCE");
    m->ranks = (Ranks){.silence = silence && atof(silence) > 0 ? atof(silence) : SILENCE,
                       .send = send_bytes,
                       .poll = poll_messages,
                       .take = take_message,
                       .close = close_ranks};
    MPI_Comm_rank(MPI_COMM_WORLD, &m->ranks.rank);
    MPI_Comm_size(MPI_COMM_WORLD, &m->ranks.size);
    MPI_Comm host;
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, 0, MPI_INFO_NULL, &host);
    MPI_Comm_size(host, &m->ranks.neighbours);
    MPI_Comm_free(&host);
    return &m->ranks;
}
