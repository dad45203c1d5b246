// A sweep over ranks, with sockets in MPI's place: each worker is a process, and some of them do what workers
// shouldn't. Whatever they do, the store has in the end what one process alone puts there, every run once.
#include "check.h"
#include "store/sql.h"
#include "sweep/wire.h"

#include <errno.h>
#include <poll.h>
#include <signal.h>
#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

enum { RANKS = 3, RUNS = 8 };

// --- ranks over sockets, a star around rank 0 ------------------------------------------------------------------------
typedef struct Fake {
    Ranks ranks;
    int fd[RANKS];
    bool gone[RANKS], waited;
    Text in[RANKS];  // not yet taken: a size, then so many bytes
    int current;     // what poll told of is from this rank
    pid_t pid[RANKS];
    uint32_t results[RANKS];  // that were taken
} Fake;

static bool fake_send(Ranks *r, int to, const void *bytes, size_t n)
{
    Fake *f = (Fake *)r;
    Text t = {0};
    text_add(&t, (const char *)&n, sizeof n);
    text_add(&t, bytes, n);
    size_t at = 0;
    while (at < t.n) {
        ssize_t k = send(f->fd[to], t.v + at, t.n - at, MSG_NOSIGNAL);
        if (k < 0 && errno == EINTR) continue;
        if (k <= 0) break;
        at += (size_t)k;
    }
    bool all = at == t.n;
    text_free(&t);
    return all;
}

static size_t message_size(const Text *in)
{
    size_t n = 0;
    if (in->n >= sizeof n) memcpy(&n, in->v, sizeof n);
    return n && in->n >= sizeof n + n ? n : 0;
}

// Rank 0 listens when every worker has said something, so that each takes part, however busy the machine is.
static void wait_for_all(Fake *f)
{
    for (int k = 1; k < RANKS && !f->ranks.rank && !f->waited; k++)
        poll(&(struct pollfd){.fd = f->fd[k], .events = POLLIN}, 1, 20000);
    f->waited = true;
}

static Heard fake_poll(Ranks *r, int *from, size_t *n)
{
    Fake *f = (Fake *)r;
    wait_for_all(f);
    for (int k = 0; k < RANKS; k++) {
        char part[65536];
        ssize_t got = 1;
        if (f->fd[k] < 0 || f->gone[k]) continue;
        while (!message_size(&f->in[k]) && (got = recv(f->fd[k], part, sizeof part, MSG_DONTWAIT)) > 0)
            text_add(&f->in[k], part, (size_t)got);
        *from = f->current = k;
        if ((*n = message_size(&f->in[k]))) return HEARD_MESSAGE;
        if (!got || (got < 0 && errno == ECONNRESET)) return f->gone[k] = true, HEARD_LOSS;
    }
    return HEARD_NOTHING;
}

static void fake_take(Ranks *r, void *bytes)
{
    Fake *f = (Fake *)r;
    Text *in = &f->in[f->current];
    size_t n = message_size(in);
    memcpy(bytes, in->v + sizeof n, n);
    memmove(in->v, in->v + sizeof n + n, in->n - sizeof n - n);
    in->n -= sizeof n + n;
    f->results[f->current] += ((const Note *)bytes)->kind == NOTE_RESULT;
}

static void fake_close(Ranks *r)
{
    Fake *f = (Fake *)r;
    for (int k = 0; k < RANKS; k++) {
        if (f->fd[k] >= 0) close(f->fd[k]);
        text_free(&f->in[k]);
    }
}

typedef void Worker(Ranks *r);
static void fake_open(Fake *f, double silence, Worker *const *workers)
{
    *f = (Fake){.ranks = {.size = RANKS,
                          .neighbours = RANKS,
                          .silence = silence,
                          .send = fake_send,
                          .poll = fake_poll,
                          .take = fake_take,
                          .close = fake_close},
                .fd = {-1, -1, -1}};
    for (int k = 1; k < RANKS; k++) {
        int ends[2];
        assert_int_equal(socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, ends), 0);
        f->pid[k] = fork();
        assert_true(f->pid[k] >= 0);
        if (!f->pid[k]) {
            for (int j = 0; j < k; j++)
                if (f->fd[j] >= 0) close(f->fd[j]);
            Fake mine = {.ranks = f->ranks, .fd = {ends[1], -1, -1}};
            mine.ranks.rank = k;
            close(ends[0]);
            workers[k - 1](&mine.ranks);
            mine.ranks.close(&mine.ranks);
            _exit(0);
        }
        close(ends[1]);
        f->fd[k] = ends[0];
    }
}

// Sends everyone home; each must go.
static void fake_end(Fake *f)
{
    for (int k = 1; k < RANKS; k++) note_send(&f->ranks, k, &(Note){.kind = NOTE_HOME}, NULL, 0);
    for (int k = 1; k < RANKS; k++) {
        int status;
        assert_int_equal(waitpid(f->pid[k], &status, 0), f->pid[k]);
        assert_int_equal(status, 0);
    }
    f->ranks.close(&f->ranks);
}

// --- what they run ---------------------------------------------------------------------------------------------------
static void make(Matrix *m, const char *first)
{
    Diag diag = {0};
    char sizes[256] = "";
    for (int k = 0, n = 0; k < RUNS; k++)
        n += snprintf(sizes + n, sizeof sizes - (size_t)n, "%s%d", k ? "," : first, 64 * (k + 1));
    assert_true(matrix_axis(m, "program", "vectoradd", &diag) && matrix_axis(m, "n", sizes, &diag) &&
                matrix_product(m, &diag));
}

// Everything that a run is, but for when, where and how long.
static char *content(Store *s)
{
    static const char *const queries[] = {
        "SELECT key, program, params, gpu, overrides, options, status, error, verified, cycles FROM run ORDER BY key",
        "SELECT r.key, k.name, k.launches, c.name, c.value FROM run r JOIN kernel k ON k.run_id = r.id JOIN counter c "
        "ON c.kernel_id = k.id ORDER BY 1, 2, 4",
    };
    Text t = {0};
    for (size_t k = 0; k < COUNT(queries); k++) {
        sqlite3_stmt *q;
        assert_int_equal(sqlite3_prepare_v2(store_sqlite(s), queries[k], -1, &q, NULL), SQLITE_OK);
        while (sqlite3_step(q) == SQLITE_ROW) {
            for (int c = 0; c < sqlite3_column_count(q); c++)
                text_printf(&t, "%s ", sqlite3_column_text(q, c) ? (const char *)sqlite3_column_text(q, c) : "-");
            text_put(&t, "\n");
        }
        sqlite3_finalize(q);
    }
    return t.v;
}

// What a process alone stores: once for all tests, which have the same matrix.
static const char *alone(const Matrix *m)
{
    static char *text;
    Diag diag = {0};
    if (text) return text;
    Sweep sweep;
    Store *s = store_open(":memory:", &diag);
    assert_true(s && sweep_run(m, s, &(SweepOptions){.jobs = 1}, &sweep, &diag));
    assert_int_equal(sweep.done, RUNS);
    text = content(s);
    store_close(s);
    return text;
}

static void serve(Ranks *r, const volatile bool *told, const char *first)
{
    Matrix m = {0};
    make(&m, first);
    for (int64_t k; (k = sweep_called(r)) >= 0;)
        if (!sweep_serve(&m, &(SweepOptions){.ranks = r, .stop = told, .number = (uint64_t)k})) break;
    matrix_free(&m);
}

// A sweep with these workers gives what one gives alone.
static void assert_same(double silence, Worker *first, Worker *second, uint32_t least_first, uint32_t least_second)
{
    Matrix m = {0};
    make(&m, "");
    const char *want = alone(&m);
    Fake f;
    fake_open(&f, silence, (Worker *const[]){first, second});
    Diag diag = {0};
    Sweep sweep;
    Store *s = store_open(":memory:", &diag);
    if (!sweep_run(&m, s, &(SweepOptions){.ranks = &f.ranks}, &sweep, &diag)) fail_msg("%s", diag.text.v);
    assert_int_equal(sweep.done, RUNS);
    assert_int_equal(sweep.failed, 0);
    assert_int_equal(sweep.running, 0);
    assert_true(f.results[1] >= least_first && f.results[2] >= least_second);
    fake_end(&f);
    char *got = content(s);
    assert_string_equal(got, want);
    store_close(s);
    matrix_free(&m);
    mem_free(got);
}

// --- workers ---------------------------------------------------------------------------------------------------------
static void good(Ranks *r) { serve(r, NULL, ""); }

// Until rank 0 says that; its place.
static uint64_t wait_for(Ranks *r, NoteKind kind)
{
    Note note = {.kind = NOTE_ALIVE};
    Text bytes = {0};
    int from;
    while (note.kind != kind && note.kind != NOTE_LOST)
        if (!note_next(r, &from, &note, &bytes)) usleep(1000), note.kind = NOTE_ALIVE;
    text_free(&bytes);
    return note.place;
}

static uint64_t take_a_run(Ranks *r)
{
    wait_for(r, NOTE_BEGIN);
    note_send(r, 0, &(Note){.kind = NOTE_HELLO, .jobs = 1, .memory = 1e12}, ONCHIP_VERSION, strlen(ONCHIP_VERSION));
    return wait_for(r, NOTE_RUN);
}

static void vanishes(Ranks *r) { take_a_run(r); }

static void vanishes_while_telling(Ranks *r)
{
    uint64_t place = take_a_run(r);
    note_send(r, 0, &(Note){.kind = NOTE_PART, .place = place}, "SQLite format 3", 16);
}

static void never_comes(Ranks *r) { wait_for(r, NOTE_BEGIN); }

// Says nothing for longer than rank 0 waits, and then what isn't a result.
static void is_silent(Ranks *r)
{
    uint64_t place = take_a_run(r);
    usleep(3000000);
    note_send(r, 0, &(Note){.kind = NOTE_RESULT, .place = place}, "rubbish", 7);
    wait_for(r, NOTE_END);
}

// A result of what it wasn't given.
static void meddles(Ranks *r)
{
    uint64_t place = take_a_run(r);
    note_send(r, 0, &(Note){.kind = NOTE_RESULT, .place = place + 1000}, "rubbish", 7);
    wait_for(r, NOTE_END);
}

static volatile bool told_to_stop;
static void on_alarm(int number)
{
    (void)number;
    told_to_stop = true;
}
static void leaves(Ranks *r)
{
    signal(SIGALRM, on_alarm);
    setitimer(ITIMER_REAL, &(struct itimerval){.it_value = {.tv_usec = 50000}}, NULL);
    serve(r, &told_to_stop, "");
}

static void reads_other_arguments(Ranks *r) { serve(r, NULL, "32,"); }

static void is_of_another_version(Ranks *r)
{
    wait_for(r, NOTE_BEGIN);
    note_send(r, 0, &(Note){.kind = NOTE_HELLO, .jobs = 1}, "0.0.7", 5);
    wait_for(r, NOTE_END);
}

static void cannot_read_its_arguments(Ranks *r)
{
    if (sweep_called(r) >= 0) sweep_refuse(&(SweepOptions){.ranks = r}, "can't read m.ini");
}

// --- tests -----------------------------------------------------------------------------------------------------------
static void all_take_part(void **state)
{
    (void)state;
    assert_same(60, good, good, 1, 1);
}

static void one_vanishes(void **state)
{
    (void)state;
    assert_same(60, good, vanishes, 1, 0);
    assert_same(60, vanishes_while_telling, good, 0, 1);
    assert_same(60, vanishes, vanishes_while_telling, 0, 0);
    assert_same(60, never_comes, good, 0, 1);
}

static void one_is_silent(void **state)
{
    (void)state;
    assert_same(0.3, vanishes, is_silent, 0, 0);
}

static void one_meddles_or_leaves(void **state)
{
    (void)state;
    assert_same(5, good, meddles, 1, 1);
    assert_same(60, leaves, good, 0, 1);
}

static void assert_refused(Worker *worker, const char *why)
{
    Matrix m = {0};
    make(&m, "");
    Fake f;
    fake_open(&f, 60, (Worker *const[]){good, worker});
    Diag diag = {0};
    Sweep sweep;
    Store *s = store_open(":memory:", &diag);
    assert_false(sweep_run(&m, s, &(SweepOptions){.ranks = &f.ranks}, &sweep, &diag));
    if (!strstr(diag.text.v, why)) fail_msg("'%s' isn't in: %s", why, diag.text.v);
    fake_end(&f);
    diag_free(&diag);
    store_close(s);
    matrix_free(&m);
}

static void one_is_different(void **state)
{
    (void)state;
    assert_refused(reads_other_arguments, "rank 2: vectoradd n=");
    assert_refused(is_of_another_version, "rank 2 is onchip 0.0.7, rank 0 is " ONCHIP_VERSION);
    assert_refused(cannot_read_its_arguments, "rank 2: can't read m.ini");
}

// Nothing to run: nobody is called, and all go home.
static void nothing_to_run(void **state)
{
    (void)state;
    Matrix m = {0};
    make(&m, "");
    Diag diag = {0};
    Sweep sweep;
    Store *s = store_open(":memory:", &diag);
    assert_true(sweep_run(&m, s, &(SweepOptions){.jobs = 2}, &sweep, &diag));
    Fake f;
    fake_open(&f, 60, (Worker *const[]){good, good});
    assert_true(sweep_run(&m, s, &(SweepOptions){.ranks = &f.ranks}, &sweep, &diag));
    assert_int_equal(sweep.stored, RUNS);
    fake_end(&f);
    assert_int_equal(f.results[1] + f.results[2], 0);
    store_close(s);
    matrix_free(&m);
}

// Several sweeps with the same ranks, and what one of them says too late.
static void tells_too_late(Ranks *r)
{
    uint64_t place = take_a_run(r);
    wait_for(r, NOTE_BEGIN);
    note_send(r, 0, &(Note){.kind = NOTE_RESULT, .place = place}, "rubbish", 7);
    wait_for(r, NOTE_HOME);
}

static void several_sweeps(void **state)
{
    (void)state;
    Matrix m = {0};
    make(&m, "");
    Fake f;
    fake_open(&f, 2, (Worker *const[]){good, tells_too_late});
    for (uint64_t k = 0; k < 3; k++) {
        Diag diag = {0};
        Sweep sweep;
        Store *s = store_open(":memory:", &diag);
        f.waited = k > 0;
        if (!sweep_run(&m, s, &(SweepOptions){.ranks = &f.ranks, .number = k}, &sweep, &diag))
            fail_msg("%s", diag.text.v);
        assert_int_equal(sweep.done, RUNS);
        store_close(s);
    }
    assert_true(f.results[1] > 0);
    fake_end(&f);
    matrix_free(&m);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_take_part),         cmocka_unit_test(one_vanishes),     cmocka_unit_test(one_is_silent),
        cmocka_unit_test(one_meddles_or_leaves), cmocka_unit_test(one_is_different), cmocka_unit_test(nothing_to_run),
        cmocka_unit_test(several_sweeps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
