// job.c: a run in a process of its own, so that one which crashes, or is killed for its memory, costs only itself. The
// child puts its result into a store in memory and writes that store's bytes into a pipe; what the parent has read when
// the pipe ends is whole if it ends with the mark, since nothing else of the child's is believed.
#include "sl1/sl1.h"
#include "sweep/wire.h"

#include "device/device.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

static const char mark[16] = "onchip: complete";

static uint64_t peak_memory(void)
{
    struct rusage r;
    return getrusage(RUSAGE_SELF, &r) ? 0 : (uint64_t)r.ru_maxrss * 1024;
}

// --- verbs -----------------------------------------------------------------------------------------------------------
// A kernel of a PTX file: nobody knows what its result should be.
static oc_status run_file_cell(const Cell *c, oc_device *d, char **error)
{
    Arena arena = {0};
    FileRun run;
    FileLaunch l = {.values = NULL};
    Text why = {0};
    oc_status status = OC_BAD_ARGUMENT;
    if (file_options(&run, c->program, c->params, &arena, &why))
        run.rewritten = c->sl1, status = file_prepare(d, &run, &l, &why);
    if (status == OC_OK) status = file_launch(&l, &why);
    if (status != OC_OK && status != OC_LIMIT) *error = mem_text(why.v ? why.v : "");
    file_free(&l);
    vec_free(&run.args);
    arena_free(&arena);
    text_free(&why);
    return status;
}

static bool run_workload(const Cell *c, const Identity *id, Store *store, Diag *diag)
{
    char message[4096] = "";
    oc_device *d;
    oc_config config = {.gpu = c->gpu,
                        .sets = c->sets,
                        .threads = 1,
                        .functional = c->functional,
                        .no_lowering = c->no_lowering,
                        .max_cycles = c->max_cycles,
                        .interval = c->interval};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK)
        return store_put(store, id, &(RunOutcome){.error = message}, diag);
    WorkResult result = {0};
    bool ok = false;
    char *error = NULL;
    Text why = {0};
    Sl1Options sl1 = sl1_defaults;
    bool fine = !c->sl1 || sl1_read(&sl1, c->sl1, &why);
    SoftL1 *software = c->sl1 && fine ? soft_l1_open(d, &sl1) : NULL;
    if (!fine)
        error = mem_text(why.v);
    else if (!device_select(d, c->kernels, c->skip))
        error = mem_text("kernels: malformed regular expression");
    else if (cell_is_file(c))
        result.status = run_file_cell(c, d, &error);
    else
        ok = workload_run(d, workload_find(c->program),
                          &(WorkOptions){.small = c->small, .params = c->params, .ptx = c->ptx}, &result);
    if (!ok && result.status != OC_LIMIT && result.error && !error) error = mem_text(result.error);
    Findings found = {.names = {0}};
    if (software)
        findings_put(&found, "sl1.structures", "", soft_l1_structures(software)),
            findings_put(&found, "sl1.registers", "", soft_l1_registers(software));
    RunOutcome o = {.device = d,
                    .error = error,
                    .verified = result.verified,
                    .findings = &found,
                    .wall_seconds = device_wall_seconds(d),
                    .memory_bytes = peak_memory()};
    ok = store_put(store, id, &o, diag);
    findings_free(&found);
    work_result_free(&result);
    mem_free(error);
    text_free(&why);
    soft_l1_close(software);
    oc_close(d);
    return ok;
}

static bool run_measurement(const Cell *c, const Identity *id, Store *store, Diag *diag)
{
    const Measurement *m = measurement_find(c->program);
    char message[4096] = "";
    const char *wrong;
    double values[MEASURE_PARAMS];
    Text params = {0};
    Findings found = {.names = {0}};
    Diag why = {0};
    oc_device *d;
    oc_config config = {.gpu = c->gpu, .sets = c->sets, .threads = 1, .no_lowering = c->no_lowering};
    if (oc_open(&config, &d, message, sizeof message) != OC_OK)
        return store_put(store, id, &(RunOutcome){.error = message}, diag);
    bool ok = measurement_params(m, c->params, values, &params, &wrong, &why) && m->run(d, values, &found, &why);
    RunOutcome o = {.device = d,
                    .error = ok ? NULL : why.text.v,
                    .findings = &found,
                    .wall_seconds = device_wall_seconds(d),
                    .memory_bytes = peak_memory()};
    ok = store_put(store, id, &o, diag);
    text_free(&params);
    findings_free(&found);
    diag_free(&why);
    oc_close(d);
    return ok;
}

typedef bool VerbFn(const Cell *c, const Identity *id, Store *store, Diag *diag);
static const struct {
    const char *name;
    VerbFn *run;
} verbs[] = {
    {"run", run_workload},
    {"probe", run_measurement},
};

bool verb_known(const char *verb)
{
    for (size_t k = 0; k < COUNT(verbs); k++)
        if (!strcmp(verbs[k].name, verb)) return true;
    return false;
}

bool cell_run(const Cell *c, const Identity *id, Store *store, Diag *diag)
{
    for (size_t k = 0; k < COUNT(verbs); k++)
        if (!strcmp(verbs[k].name, c->verb)) return verbs[k].run(c, id, store, diag);
    return diag_error(diag, "no verb '%s'", c->verb);
}

// --- processes -------------------------------------------------------------------------------------------------------
static bool write_all(int fd, const void *bytes, size_t n)
{
    for (const char *p = bytes; n;) {
        ssize_t k = write(fd, p, n);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) return false;
        p += k, n -= (size_t)k;
    }
    return true;
}

static void child(int fd, const Cell *cell, const Identity *id)
{
    Diag diag = {0};
    Store *s = store_open(":memory:", &diag);
    size_t n = 0;
    bool ok = s && cell_run(cell, id, s, &diag);
    void *bytes = ok ? store_bytes(s, &n) : NULL;
    ok = bytes && write_all(fd, bytes, n) && write_all(fd, mark, sizeof mark);
    if (!ok && diag.text.n) write_all(fd, diag.text.v, diag.text.n);
    close(fd);
    _exit(ok ? 0 : 1);
}

bool job_start(Job *j, const Cell *cell, const Identity *id, Diag *diag)
{
    int ends[2];
    *j = (Job){.cell = cell, .id = id};
    if (pipe(ends)) return diag_error(diag, "can't make a pipe: %s", strerror(errno));
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        close(ends[0]), close(ends[1]);
        return diag_error(diag, "can't make a process: %s", strerror(errno));
    }
    if (!pid) {
        signal(SIGINT, SIG_IGN);  // a terminal's Ctrl-C and mpirun's end are the parent's matter
        signal(SIGTERM, SIG_IGN);
        prctl(PR_SET_PDEATHSIG, SIGKILL);   // nobody waits for the result of an orphan,
        if (getppid() != parent) _exit(1);  // nor of one that was it already
        close(ends[0]);
        child(ends[1], cell, id);
    }
    close(ends[1]);
    j->pid = pid, j->fd = ends[0];
    return true;
}

static bool whole(const Text *t) { return t->n > sizeof mark && !memcmp(t->v + t->n - sizeof mark, mark, sizeof mark); }

// A store with the run as failed, for a child that left none.
static bool put_failed(Job *j, int status, Diag *diag)
{
    char why[256];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "the process of this run was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why, "the process of this run ended without a result: %.*s", (int)MIN(j->result.n, 180),
                 j->result.v ? j->result.v : "");
    Store *s = store_open(":memory:", diag);
    bool ok = s && store_put(s, j->id, &(RunOutcome){.error = why}, diag);
    text_free(&j->result);
    size_t size = 0;
    void *bytes = ok ? store_bytes(s, &size) : NULL;
    if (bytes) text_add(&j->result, bytes, size);
    mem_free(bytes);
    store_close(s);
    return ok;
}

// Takes what the child has written, or that it has ended.
static bool take(Job *j, Diag *diag)
{
    char part[65536];
    ssize_t n = read(j->fd, part, sizeof part);
    if (n < 0 && errno == EINTR) return true;
    if (n > 0) return text_add(&j->result, part, (size_t)n), true;
    int status = 0;
    close(j->fd);
    while (waitpid(j->pid, &status, 0) < 0 && errno == EINTR) continue;
    j->pid = 0;
    j->over = true;
    if (!whole(&j->result)) return put_failed(j, status, diag);
    j->result.n -= sizeof mark;
    return true;
}

bool jobs_wait(Job *const *jobs, size_t n, int milliseconds, Diag *diag)
{
    struct pollfd fds[MAX_JOBS];
    for (size_t k = 0; k < n; k++) fds[k] = (struct pollfd){.fd = jobs[k]->fd, .events = POLLIN};
    int ready = poll(fds, n, milliseconds);
    if (ready < 0 && errno != EINTR) return diag_error(diag, "poll: %s", strerror(errno));
    for (size_t k = 0; ready > 0 && k < n; k++)
        if (fds[k].revents && !take(jobs[k], diag)) return false;
    return true;
}

void job_kill(Job *j)
{
    if (j->pid) {
        kill(j->pid, SIGKILL);
        close(j->fd);
        while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR) continue;
    }
    text_free(&j->result);
    *j = (Job){.pid = 0};
}
