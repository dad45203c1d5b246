// job.c: a run in a process of its own, so that a run which crashes or is killed for its memory costs only itself. The
// child puts its result into a store in memory and writes that store's bytes into a pipe, with a mark behind them. The
// parent believes nothing but the mark: bytes without one aren't a result, whatever the child's exit status. A child
// that makes no progress is given up, so that no sweep waits for ever.
#include "sl1/sl1.h"
#include "sweep/wire.h"

#include "device/device.h"
#include "serve/serve.h"

#define XXH_INLINE_ALL
#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <xxhash.h>

static const char mark[16] = "onchip: complete";

static uint64_t peak_memory(void)
{
    struct rusage r;
    return getrusage(RUSAGE_SELF, &r) ? 0 : (uint64_t)r.ru_maxrss * 1024;
}

// --- a run here ------------------------------------------------------------------------------------------------------
// What a program's kernels print waits until the program asks for it.
static void keep_text(void *user, const char *text, size_t length) { text_add(user, text, length); }

static oc_device *open_device(const Plan *plan, Text *printed, Diag *diag)
{
    oc_device *d;
    oc_config config = {.threads = 1, .print = plan->words ? keep_text : NULL, .user = printed};
    setup_config(&plan->cell->how, &config);
    return device_open(&config, plan->gpu, &d, diag) == OC_OK ? d : NULL;
}

// Puts a hash of what buffers have in them, so that two runs can be compared.
static void put_result(oc_device *d, const FileBuffer *buffers, size_t n, Findings *found)
{
    enum { PART = 1 << 20 };
    XXH3_state_t *state = XXH3_createState();
    uint8_t *part = mem_alloc(PART);
    bool ok = state && XXH3_128bits_reset(state) == XXH_OK;
    for (size_t k = 0; k < n; k++)
        for (size_t at = 0; ok && buffers[k].ptr && at < buffers[k].bytes; at += PART) {
            const size_t bytes = MIN(buffers[k].bytes - at, (size_t)PART);
            ok = oc_read(d, part, buffers[k].ptr + at, bytes, NULL) == OC_OK;
            if (ok) XXH3_128bits_update(state, part, bytes);
        }
    const XXH128_hash_t hash = ok ? XXH3_128bits_digest(state) : (XXH128_hash_t){0, 0};
    char text[KEY_DIGITS + 1];
    snprintf(text, sizeof text, "%016llx%016llx", (unsigned long long)hash.high64, (unsigned long long)hash.low64);
    if (ok) findings_put_text(found, RESULT_MEASURE, "", text);
    if (state) XXH3_freeState(state);
    mem_free(part);
}

// Runs a kernel of a PTX file, or those of an argument file. The result isn't checked: nobody knows what it should be.
static void run_file(const Plan *plan, oc_device *d, RunOutcome *o, Findings *found, Diag *diag)
{
    FileLaunch l = {.values = NULL};
    Script s = {.arena = {0}};
    const bool script = plan->file->script;
    oc_status status = script ? script_run(d, plan->file, &s, diag) : file_prepare(d, plan->file, &l, diag);
    if (status == OC_OK && !script) status = file_launch(&l, diag);
    if (status == OC_OK)
        put_result(d, script ? s.buffers.v : l.buffers, script ? s.buffers.n : plan->file->args.n, found);
    if (status != OC_OK && status != OC_LIMIT) o->error = diag->text.v ? diag->text.v : "";
    file_free(&l), script_free(&s);
}

static void run_workload(const Plan *plan, oc_device *d, RunOutcome *o, Diag *diag)
{
    WorkResult result;
    WorkOptions options = {.values = plan->params, .ptx = plan->cell->how.ptx, .text = plan->ptx};
    workload_run(d, plan->workload, &options, &result);
    o->verified = result.verified;
    if (result.error && result.status != OC_LIMIT) diag_error(diag, "%s", result.error), o->error = diag->text.v;
    work_result_free(&result);
}

// Adds the end of what a program has written, since that says most about why it failed.
static void put_end(FILE *written, Text *out)
{
    enum { MOST = 400 };
    char part[MOST + 1];
    long n = fseek(written, 0, SEEK_END) ? 0 : ftell(written);
    if (n <= 0 || fseek(written, MAX(n - MOST, 0), SEEK_SET)) return;
    size_t got = fread(part, 1, MOST, written);
    while (got && strchr(" \n", part[got - 1])) got--;
    if (got) text_printf(out, "; it wrote last: %.*s", (int)got, part);
}

// Keeps the first line, which says why it failed: the program learns no more.
static void tell_line(void *user, const char *line)
{
    Text *told = user;
    if (!told->n) text_put(told, line);
}

static void put_status_of(const Served *served, const Text *told, FILE *written, Diag *diag)
{
    int status = served->status;
    const bool good = WIFEXITED(status) && !WEXITSTATUS(status);
    if (good && !served->untold) return;
    if (good)
        diag_error(diag, "a kernel failed, and the program didn't ask whether one had");
    else if (WIFEXITED(status))
        diag_error(diag, "the program's exit status is %d", WEXITSTATUS(status));
    else
        diag_error(diag, "the program was ended by signal %d (%s)", WTERMSIG(status), strsignal(WTERMSIG(status)));
    if (told->n)
        text_printf(&diag->text, "; %s", told->v);
    else
        put_end(written, &diag->text);
}

// Runs a CUDA program. What it writes is kept only until its end. It has failed where its exit status isn't 0, or where
// it ran no kernel.
static void run_program(const Plan *plan, Identity *id, oc_device *d, RunOutcome *o, Findings *found, Text *printed,
                        Diag *diag)
{
    enum { KEPT = 64 };
    FILE *written = tmpfile();
    char opened[] = "/tmp/onchip-XXXXXX";
    int names = mkstemp(opened);
    Text told = {0};
    ServeOptions options = {.words = plan->words,
                            .opened = opened,
                            .output = written ? fileno(written) : -1,
                            .keep = KEPT,
                            .tell = tell_line,
                            .site = site_name,
                            .user = &told};
    Served served;
    if (!written || names < 0)
        diag_error(diag, "can't make a file for a while: %s", strerror(errno));
    else if (serve(d, &options, printed, &served, diag)) {
        put_status_of(&served, &told, written, diag);
        if (!diag->failed && !served.connected)
            diag_error(diag, "it asked for no GPU; if it is stripped, link it with nvcc -cudart shared");
        else if (!diag->failed && !oc_launches(d))
            diag_error(diag, "it launched no kernel");
    }
    if (diag->failed) o->error = diag->text.v;
    inputs_end(opened, found, id);
    text_free(&told);
    if (names >= 0) close(names), unlink(opened);
    if (written) fclose(written);
}

static void run_measurement(const Plan *plan, oc_device *d, RunOutcome *o, Findings *found, Diag *diag)
{
    if (!plan->measurement->run(d, plan->numbers, found, diag)) o->error = diag->text.v;
}

// Puts which warps took whose lines, then the least and the most of any two different warps.
static void put_interference(const oc_device *d, Findings *f)
{
    LaunchSums sums = {0};
    Interference x;
    device_sums(d, &sums);
    sums_interference(&sums, &x);
    sums_free(&sums);
    for (uint32_t warp = 0; warp < x.slots; warp++)
        for (uint32_t by = 0; by < x.slots; by++) {
            char place[64];
            snprintf(place, sizeof place, "warp=%u by=%u", warp, by);
            findings_put(f, "interference.misses", place, (double)x.misses[warp][by]);
        }
    findings_put(f, "interference.least", "", (double)x.least);
    findings_put(f, "interference.most", "", (double)x.most);
}

// Puts how many loads of each data structure the L1 served, and how many missed of each class; of all kernels.
static void put_why(const oc_device *d, Findings *f)
{
    static const char *const names[WHY_CLASSES] = {[WHY_FIRST] = "why.first_touch",
                                                   [WHY_CAPACITY] = "why.capacity",
                                                   [WHY_CONFLICT] = "why.conflict",
                                                   [WHY_DROPPED] = "why.dropped"};
    typedef struct Missing {
        const char *name;
        double served, missed[WHY_CLASSES];
    } Missing;
    LaunchSums sums = {0};
    VEC(Missing) all = {0};
    device_sums(d, &sums);
    for (size_t k = 0; k < sums.n; k++)
        for (size_t n = 0; n < sums.v[k].structures.n; n++) {
            const SumStructure *s = &sums.v[k].structures.v[n];
            size_t at = 0;
            if (!s->why.reads) continue;
            while (at < all.n && strcmp(all.v[at].name, s->name)) at++;
            if (at == all.n) vec_push(&all, ((Missing){.name = s->name}));
            all.v[at].served += (double)s->why.served;
            for (int c = 0; c < WHY_CLASSES; c++) all.v[at].missed[c] += why_missed(&s->why, (WhyClass)c);
        }
    for (size_t k = 0; k < all.n; k++) {
        Text place = {0};
        text_printf(&place, "structure=%s", all.v[k].name);
        findings_put(f, "why.served", place.v, all.v[k].served);
        for (int c = 0; c < WHY_CLASSES; c++) findings_put(f, names[c], place.v, all.v[k].missed[c]);
        text_free(&place);
    }
    vec_free(&all);
    sums_free(&sums);
}

bool plan_run(const Plan *plan, Store *store, Diag *diag)
{
    Findings found = {.names = {0}};
    Text printed = {0};
    Diag error = {0};
    RunOutcome o = {.findings = &found};
    Identity id = plan->id;  // of a CUDA program, the run says what its key is
    oc_device *d = open_device(plan, &printed, &error);
    if (!d) {
        bool ok = store_put(store, &plan->id, &(RunOutcome){.error = error.text.v}, diag);
        diag_free(&error);
        return ok;
    }
    SoftL1 *software = plan->sl1 && !plan->measurement ? soft_l1_open(d, plan->sl1) : NULL;
    device_select(d, regex_filter(plan->kernels), plan->cell->how.skip);
    if (plan->measurement)
        run_measurement(plan, d, &o, &found, &error);
    else if (plan->file)
        run_file(plan, d, &o, &found, &error);
    else if (plan->words)
        run_program(plan, &id, d, &o, &found, &printed, &error);
    else
        run_workload(plan, d, &o, &error);
    if (software)
        findings_put(&found, "sl1.structures", "", soft_l1_structures(software)),
            findings_put(&found, "sl1.registers", "", soft_l1_registers(software));
    if (plan->cell->how.interval) put_interference(d, &found);
    if (plan->cell->how.why) put_why(d, &found);
    o.device = d, o.lines = plan->cell->how.lines;
    o.wall_seconds = device_wall_seconds(d);
    o.memory_bytes = peak_memory();
    bool ok = store_put(store, &id, &o, diag);
    findings_free(&found);
    diag_free(&error), text_free(&printed);
    soft_l1_close(software);
    oc_close(d);
    return ok;
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

static void child(int fd, const Plan *plan)
{
    Diag diag = {0};
    Store *s = store_open(":memory:", &diag);
    size_t n = 0;
    bool ok = s && plan_run(plan, s, &diag);
    void *bytes = ok ? store_bytes(s, &n) : NULL;
    ok = bytes && write_all(fd, bytes, n) && write_all(fd, mark, sizeof mark);
    if (!ok && diag.text.n) write_all(fd, diag.text.v, diag.text.n);
    close(fd);
    _exit(ok ? 0 : 1);
}

static bool start(Job *j, Diag *diag)
{
    int ends[2];
    if (pipe(ends)) return diag_error(diag, "can't make a pipe: %s", strerror(errno));
    pid_t parent = getpid(), pid = fork();
    if (pid < 0) {
        close(ends[0]), close(ends[1]);
        return diag_error(diag, "can't make a process: %s", strerror(errno));
    }
    if (!pid) {
        signal(SIGINT, SIG_IGN);  // Ctrl-C in a terminal and the end of mpirun are the parent's matter
        signal(SIGTERM, SIG_IGN);
        setpgid(0, 0);                      // with the CUDA program that it may start
        prctl(PR_SET_PDEATHSIG, SIGKILL);   // when the parent dies, nobody waits for the result any more
        if (getppid() != parent) _exit(1);  // it died before that call
        close(ends[0]);
        child(ends[1], j->plan);
    }
    close(ends[1]);
    setpgid(pid, pid);  // whoever comes first
    j->pid = pid, j->fd = ends[0];
    j->moved = awake(&j->clock), j->cpu = 0;
    return true;
}

bool job_start(Job *j, const Plan *plan, Diag *diag)
{
    *j = (Job){.plan = plan};
    return start(j, diag);
}

static void stop(Job *j)
{
    kill(-j->pid, SIGKILL);
    close(j->fd);
    while (waitpid(j->pid, NULL, 0) < 0 && errno == EINTR) continue;
    j->pid = 0;
}

static bool whole(const Text *t) { return t->n > sizeof mark && !memcmp(t->v + t->n - sizeof mark, mark, sizeof mark); }

// Makes a store that has the run as failed, for a child that left no result.
static bool put_failed(Job *j, const char *why, Diag *diag)
{
    Store *s = store_open(":memory:", diag);
    bool ok = s && store_put(s, &j->plan->id, &(RunOutcome){.error = why}, diag);
    text_free(&j->result);
    size_t size = 0;
    void *bytes = ok ? store_bytes(s, &size) : NULL;
    if (bytes) text_add(&j->result, bytes, size);
    mem_free(bytes);
    store_close(s);
    return ok;
}

static bool put_status(Job *j, int status, Diag *diag)
{
    char why[256];
    if (WIFSIGNALED(status))
        snprintf(why, sizeof why, "the process of this run was killed by signal %d (%s)", WTERMSIG(status),
                 strsignal(WTERMSIG(status)));
    else
        snprintf(why, sizeof why, "the process of this run ended without a result: %.*s", (int)MIN(j->result.n, 180),
                 j->result.v ? j->result.v : "");
    return put_failed(j, why, diag);
}

// Reads what the child has written; at the end of its pipe, takes its exit status.
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
    if (!whole(&j->result)) return put_status(j, status, diag);
    j->result.n -= sizeof mark;
    return true;
}

// Gives a child up that doesn't move: a run always computes. Such a child was seen once, under mpirun. It isn't known
// why; what a thread of MPI has locked when a child is made stays locked in the child.
static bool look_after(Job *j, Diag *diag)
{
    clockid_t clock;
    struct timespec t;
    double now = awake(&j->clock);
    if (clock_getcpuclockid(j->pid, &clock) || clock_gettime(clock, &t)) return true;
    uint64_t cpu = (uint64_t)t.tv_sec * 1000000000 + (uint64_t)t.tv_nsec;
    if (cpu != j->cpu) j->cpu = cpu, j->moved = now;
    if (now - j->moved < (j->patience > 0 ? j->patience : 60)) return true;
    stop(j);
    j->result.n = 0;
    if (!j->again) return j->again = true, start(j, diag);
    j->over = true;
    return put_failed(j, "the process of this run got no processor time for long, and so did a second one", diag);
}

bool jobs_wait(Job *const *jobs, size_t n, int milliseconds, Diag *diag)
{
    struct pollfd fds[MAX_JOBS];
    for (size_t k = 0; k < n; k++) fds[k] = (struct pollfd){.fd = jobs[k]->fd, .events = POLLIN};
    int ready = poll(fds, n, milliseconds);
    if (ready < 0 && errno != EINTR) return diag_error(diag, "poll: %s", strerror(errno));
    for (size_t k = 0; k < n; k++) {
        bool ok = ready > 0 && fds[k].revents ? take(jobs[k], diag) : look_after(jobs[k], diag);
        if (!ok) return false;
    }
    return true;
}

void job_kill(Job *j)
{
    if (j->pid) stop(j);
    text_free(&j->result);
    *j = (Job){.pid = 0};
}
