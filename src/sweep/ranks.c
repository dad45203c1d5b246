// ranks.c: finds out whether mpirun or srun started this process together with others. The environment tells, before
// anything of MPI is loaded, so that a process without mpirun never touches MPI. Under mpirun, processes that can't
// load the module for MPI would each run the whole sweep. So that is an error.
#include "sweep/wire.h"

#include <dlfcn.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Variables that launchers set; number: the value is how many processes were started. Slurm sets variables of a job for
// a batch script, too, so that they are no sign. Variables of a step are set by srun alone.
static const struct {
    const char *variable;
    bool number;
} signs[] = {{"OMPI_COMM_WORLD_SIZE", true}, {"PMI_SIZE", true}, {"SLURM_STEP_NUM_TASKS", true}, {"PMIX_RANK", false}};

// Returns how many processes were started together; 0: unknown, maybe several.
static int started(void)
{
    for (size_t k = 0; k < COUNT(signs); k++) {
        const char *v = getenv(signs[k].variable);
        if (v && *v) return signs[k].number ? atoi(v) : 0;
    }
    return 1;
}

typedef Ranks *OpenFn(const char *version, char *message, size_t size);

static void *open_module(const char *path, Text *tried)
{
    void *m = dlopen(path, RTLD_NOW | RTLD_GLOBAL);  // Open MPI's own plug-ins look for it among the global symbols
    if (!m) text_printf(tried, "%s%s", tried->n ? "; " : "", dlerror());
    return m;
}

// Looks for the module where ONCHIP_MPI says; else beside the executable, where a build leaves both; else where an
// installation puts it.
static void *find_module(Text *tried)
{
    static const char file[] = "libonchip-mpi.so";
    const char *given = getenv("ONCHIP_MPI");
    if (given && *given) return open_module(given, tried);
    Text built = {0}, installed = {0};
    own_path(&built, file, false), own_path(&installed, file, true);
    void *m = open_module(built.v, tried);
    if (!m) m = open_module(installed.v, tried);
    text_free(&built), text_free(&installed);
    return m;
}

static Ranks *load(Diag *diag)
{
    Text tried = {0};
    char message[1024] = "";
    Ranks *ranks = NULL;
    void *m = find_module(&tried);
    OpenFn *open = m ? (OpenFn *)dlsym(m, "onchip_ranks_open") : NULL;
    if (open) ranks = open(ONCHIP_VERSION, message, sizeof message);
    if (!ranks) diag_error(diag, "the module for MPI can't be used: %s", m ? open ? message : dlerror() : tried.v);
    text_free(&tried);
    return ranks;
}

bool ranks_open(Ranks **ranks, Diag *diag)
{
    int expected = started();
    *ranks = NULL;
    if (expected == 1) return true;
    Diag why = {0};
    *ranks = load(&why);
    bool alone = *ranks && (*ranks)->size == 1;
    if (alone) (*ranks)->close(*ranks), *ranks = NULL;
    if (alone && expected)
        diag_error(&why, "MPI sees but one of the %d processes that were started together (with srun, try --mpi=pmix)",
                   expected);
    // Without its ranks each process would run the whole sweep.
    const char *hint = alone ? "" : "install onchip from a build that found libopenmpi-dev, or ";
    if (why.failed) diag_error(diag, "%s\n  hint: %sgive each onchip sweep its own --shard I/N", why.text.v, hint);
    diag_free(&why);
    return !diag->failed;
}

int ranks_rank(const Ranks *r) { return r ? r->rank : 0; }

void ranks_close(Ranks *r)
{
    if (!r) return;
    for (int k = 1; !r->rank && k < r->size; k++) note_send(r, k, &(Note){.kind = NOTE_HOME}, NULL, 0);
    r->close(r);
}
