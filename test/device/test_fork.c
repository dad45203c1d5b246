// A device in a forked process: it works there as in the process that opened it, and gives the same results.
#include "check.h"

#include <onchip.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

// out[i] = out[i] · 3 + 1, 64 times, on 30 blocks of 64 threads
static const char ptx[] = ".version 7.0\n.target sm_35\n.address_size 64\n"
                          ".visible .entry turn(.param .u64 out)\n"
                          "{\n"
                          "    .reg .pred %p1;\n    .reg .b32 %r<8>;\n    .reg .b64 %rd<4>;\n"
                          "    ld.param.u64 %rd1, [out];\n    mov.u32 %r1, %tid.x;\n    mov.u32 %r2, %ctaid.x;\n"
                          "    mad.lo.u32 %r3, %r2, 64, %r1;\n    mul.wide.u32 %rd2, %r3, 4;\n"
                          "    add.u64 %rd3, %rd1, %rd2;\n    mov.u32 %r4, 0;\n"
                          "AGAIN:\n"
                          "    ld.global.u32 %r5, [%rd3];\n    mad.lo.u32 %r5, %r5, 3, 1;\n"
                          "    st.global.u32 [%rd3], %r5;\n    add.u32 %r4, %r4, 1;\n"
                          "    setp.lt.u32 %p1, %r4, 64;\n    @%p1 bra AGAIN;\n    ret;\n"
                          "}\n";
enum { BLOCKS = 30, THREADS = 64, N = BLOCKS * THREADS };

typedef struct Work {
    oc_device *device;
    oc_kernel *kernel;
    oc_ptr out;
} Work;
typedef struct Outcome {
    uint64_t cycles, misses;
    uint32_t sum;
    oc_status status;
} Outcome;

static Work begin(uint32_t threads)
{
    char message[1000];
    oc_config config = {.gpu = "gtx480", .threads = threads};
    Work w;
    oc_module *m;
    if (oc_open(&config, &w.device, message, sizeof message) != OC_OK) fail_msg("%s", message);
    if (oc_malloc(w.device, N * 4, "out", &w.out) != OC_OK || oc_fill(w.device, w.out, 1, N * 4, NULL) != OC_OK ||
        oc_load(w.device, ptx, strlen(ptx), "turn.ptx", &m) != OC_OK || oc_kernel_get(m, "turn", &w.kernel) != OC_OK)
        fail_msg("%s", oc_error(w.device));
    return w;
}

static Outcome turn(const Work *w)
{
    const void *args[] = {&w->out};
    uint32_t values[N];
    Outcome o = {.status = oc_launch(w->kernel, (oc_dim3){BLOCKS, 1, 1}, (oc_dim3){THREADS, 1, 1}, 0, NULL, args)};
    size_t last = oc_launches(w->device) - 1;
    o.cycles = oc_launch_counter(w->device, last, "cycles");
    o.misses = oc_launch_counter(w->device, last, "l1.misses");
    if (o.status == OC_OK) o.status = oc_read(w->device, values, w->out, sizeof values, NULL);
    for (int k = 0; k < N; k++) o.sum = o.sum * 31 + values[k];
    return o;
}

// Three launches: what the last one gave.
static Outcome turns(const Work *w)
{
    turn(w), turn(w);
    return turn(w);
}

// What a forked process makes of the device; it ends with oc_close. Before the fork the device's threads are given the
// time to fall asleep. A limit on the child's CPU time ends one that hangs while it spins, the alarm one that sleeps.
static Outcome in_child(const Work *w, bool use)
{
    int pipe_of[2];
    Outcome o = {.status = OC_HANG};
    assert_int_equal(pipe(pipe_of), 0);
    usleep(100000);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        setrlimit(RLIMIT_CPU, &(struct rlimit){60, 60});
        alarm(300);
        if (use) o = turns(w);
        oc_close(w->device);
        _exit(write(pipe_of[1], &o, sizeof o) != sizeof o);
    }
    close(pipe_of[1]);
    bool whole = read(pipe_of[0], &o, sizeof o) == sizeof o;
    close(pipe_of[0]);
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(whole && WIFEXITED(status) && WEXITSTATUS(status) == 0);
    return o;
}

static void assert_same(const Outcome *a, const Outcome *b)
{
    assert_int_equal(a->status, OC_OK);
    assert_int_equal(b->status, OC_OK);
    assert_true(a->cycles == b->cycles && a->misses == b->misses && a->sum == b->sum);
}

// The fork may come before the first launch or after some; the parent goes on as if there had been none.
static void after_a_fork(void **state)
{
    (void)state;
    for (uint32_t threads = 1; threads <= 4; threads += 3) {
        Work w = begin(threads), alone = begin(1);
        for (int k = 0; k < 3; k++) {
            Outcome child = in_child(&w, true), parent = turns(&w), want = turns(&alone);
            assert_same(&child, &want);
            assert_same(&parent, &want);
            in_child(&w, false);
        }
        oc_close(w.device), oc_close(alone.device);
    }
}

// A child's child, and a device that is first opened in a child.
static void children_of_children(void **state)
{
    (void)state;
    Work w = begin(4);
    Outcome want = in_child(&w, true);
    pid_t child = fork();
    assert_true(child >= 0);
    if (!child) {
        Outcome o = in_child(&w, true);
        Work own = begin(4);
        Outcome p = turns(&own), q = turns(&w);
        oc_close(own.device), oc_close(w.device);
        _exit(memcmp(&o, &want, sizeof o) || memcmp(&p, &want, sizeof p) || memcmp(&q, &want, sizeof q));
    }
    int status = 0;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 0);
    oc_close(w.device);
}

int main(void)
{
#if defined(__SANITIZE_THREAD__)
    return 77;  // ThreadSanitizer ends a child that begins threads
#endif
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(after_a_fork),
        cmocka_unit_test(children_of_children),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
