// Where events lie in simulated time: chains of kernels, copies, waits and events over streams. The times are computed
// by hand, in us, from these rules. The host's clock H begins at 0. Each call that gives work to a stream, or waits,
// adds host.call to H when it returns, and a wait moves H on to the end of what it waits for. Work begins no earlier
// than H when its call began, than the end of what its stream had before, and than its engine is free; an event is
// at H when its call returns. The default stream waits for all, and all for it. A
// kernel begins host.launch later than that, or host.next later than its stream's kernel that still runs. A copy takes
// host.latency and its bytes by host.bandwidth.
#include "check.h"

#include "device/device.h"

#include <math.h>
#include <onchip.h>
#include <stdio.h>
#include <string.h>

static const char *const sets[] = {"host.call=1",      "host.launch=5",  "host.next=2", "host.latency=3",
                                   "host.bandwidth=1", "host.engines=2", NULL};
static const char ptx[] = ".version 7.0\n.target sm_70\n.address_size 64\n"
                          ".visible .entry busy(.param .u32 n)\n"
                          "{\n"
                          "    .reg .pred %p1;\n    .reg .b32 %r<4>;\n"
                          "    ld.param.u32 %r1, [n];\n"
                          "L:  sub.u32 %r1, %r1, 1;\n    setp.ne.u32 %p1, %r1, 0;\n    @%p1 bra L;\n"
                          "    ret;\n"
                          "}\n";

// A step. `of` is a stream, 0 the default one; of WAIT_EVENT and AFTER, `with` is an event: the chain's events are
// numbered from 0 on. Of copies, `with` is how many thousand bytes. An event lies `at` + `kernels` times a kernel's
// time behind event 0.
typedef enum TimeOp { END, EVENT, KERNEL, WRITE, READ, FILL, COPY, WAIT, WAIT_ALL, WAIT_EVENT, AFTER } TimeOp;
typedef struct TimeStep {
    TimeOp op;
    int of, with;
    double at, kernels;
} TimeStep;
enum { STEPS = 12, STREAMS = 3, BYTES = 10000, LOOPS = 30000 };
typedef struct Chain {
    const char *name;
    TimeStep steps[STEPS];
} Chain;
#define E(stream, at, kernels) ((TimeStep){EVENT, stream, 0, at, kernels})
#define DO(op, of, with) ((TimeStep){op, of, with, 0, 0})
#define LAST ((TimeStep){END, 0, 0, 0, 0})

static const Chain chains[] = {
    {"idle streams", {E(1, 0, 0), E(1, 1, 0), E(2, 2, 0), E(0, 3, 0), LAST}},
    // The first event is at 1, as in all chains. The kernel begins at 1 + 5. The other stream is idle: its event is H.
    {"a kernel", {E(1, 0, 0), DO(KERNEL, 1, 0), E(1, 5, 1), E(2, 3, 0), LAST}},
    // The wait moves H to 6 + K.
    {"an event behind a wait", {E(1, 0, 0), DO(KERNEL, 1, 0), DO(WAIT, 1, 0), E(2, 6, 1), E(1, 7, 1), LAST}},
    {"two kernels in a row", {E(1, 0, 0), DO(KERNEL, 1, 0), DO(KERNEL, 1, 0), E(1, 7, 2), LAST}},
    // The second is launched at 6 + K.
    {"two with a wait between", {E(1, 0, 0), DO(KERNEL, 1, 0), DO(WAIT, 1, 0), DO(KERNEL, 1, 0), E(1, 10, 2), LAST}},
    {"two of two streams", {E(1, 0, 0), DO(KERNEL, 1, 0), DO(KERNEL, 2, 0), E(1, 5, 1), E(2, 10, 2), LAST}},
    // The copies take from 2 to 15, and to 28.
    {"copies beside a kernel",
     {E(1, 0, 0), DO(KERNEL, 1, 0), DO(WRITE, 2, 10), E(2, 14, 0), E(1, 5, 1), DO(READ, 2, 10), E(2, 27, 0), LAST}},
    // To the device from 1 to 14, back from 2 to 15, to the device from 15 to 28.
    {"copies in both directions",
     {E(1, 0, 0), DO(WRITE, 1, 10), DO(READ, 2, 10), DO(WRITE, 2, 10), E(1, 13, 0), E(2, 27, 0), LAST}},
    // From 1 to 14, to 27, to 40. The event of the default stream is behind all, and what comes then is behind it.
    {"the default stream",
     {E(1, 0, 0), DO(WRITE, 1, 10), DO(WRITE, 0, 10), DO(READ, 2, 10), E(2, 39, 0), E(0, 39, 0), E(1, 39, 0), LAST}},
    {"a stream behind an event",
     {E(1, 0, 0), DO(KERNEL, 1, 0), E(1, 5, 1), DO(AFTER, 2, 1), DO(WRITE, 2, 10), E(2, 18, 1), E(0, 18, 1), LAST}},
    // The copy ends at 14, the kernel begins at 19. H is 14 when the first event has been waited for.
    {"a wait for an early event",
     {E(1, 0, 0), DO(WRITE, 1, 10), E(1, 13, 0), DO(KERNEL, 1, 0), DO(WAIT_EVENT, 0, 1), E(2, 14, 0), DO(WRITE, 2, 10),
      E(2, 27, 0), E(1, 18, 1), LAST}},
    // The copy without bytes ends at 4, when H is 3; then H goes on to 6.
    {"calls that outlast a copy",
     {E(1, 0, 0), DO(WRITE, 1, 0), E(2, 2, 0), E(2, 3, 0), E(1, 4, 0), E(2, 5, 0), DO(WRITE, 1, 0), E(1, 8, 0), LAST}},
    // They wait for the kernel on the chip, and take no time without bytes.
    {"a fill and a copy on the device",
     {E(1, 0, 0), DO(KERNEL, 1, 0), DO(FILL, 2, 0), E(2, 5, 1), DO(COPY, 2, 0), E(2, 5, 1), E(1, 5, 1), LAST}},
    // The kernel takes from 2 + 5 on, the copy to 14.
    {"a wait for all",
     {E(1, 0, 0), DO(WRITE, 1, 10), DO(KERNEL, 2, 0), DO(WAIT_ALL, 0, 0), E(0, 7, 1), E(1, 8, 1), DO(KERNEL, 1, 0),
      E(2, 10, 1), E(1, 13, 2), LAST}},
};

typedef struct World {
    oc_device *d;
    oc_kernel *k;
    oc_ptr p;
    oc_stream *streams[STREAMS];
    oc_event *events[STEPS];
    int n;
} World;

static World opened(void)
{
    World w = {.n = 0};
    oc_module *m;
    char message[1000];
    oc_config config = {.gpu = "gtx480", .sets = sets};
    if (oc_open(&config, &w.d, message, sizeof message) != OC_OK) fail_msg("%s", message);
    assert_int_equal(oc_load(w.d, ptx, strlen(ptx), "busy.ptx", &m), OC_OK);
    assert_int_equal(oc_kernel_get(m, "busy", &w.k), OC_OK);
    assert_int_equal(oc_malloc(w.d, BYTES, "p", &w.p), OC_OK);
    for (int k = 1; k < STREAMS; k++) assert_int_equal(oc_stream_create(w.d, &w.streams[k]), OC_OK);
    for (int k = 0; k < STEPS; k++) assert_int_equal(oc_event_create(w.d, &w.events[k]), OC_OK);
    return w;
}

static void go(World *w, const TimeStep *step)
{
    static uint8_t host[BYTES];
    const uint32_t loops = LOOPS;
    const void *args[] = {&loops};
    oc_stream *s = w->streams[step->of];
    const size_t bytes = (size_t)step->with * 1000;
    oc_status status = OC_OK;
    switch (step->op) {
    case END: break;
    case EVENT: status = oc_event_record(w->events[w->n++], s); break;
    case KERNEL: status = oc_launch(w->k, (oc_dim3){1, 1, 1}, (oc_dim3){32, 1, 1}, 0, s, args); break;
    case WRITE: status = oc_write(w->d, w->p, host, bytes, s); break;
    case READ: status = oc_read(w->d, host, w->p, bytes, s); break;
    case FILL: status = oc_fill(w->d, w->p, 1, bytes, s); break;
    case COPY: status = oc_copy(w->d, w->p, w->p, bytes, s); break;
    case WAIT: status = oc_synchronize(w->d, s); break;
    case WAIT_ALL: status = oc_synchronize(w->d, NULL); break;
    case WAIT_EVENT: status = oc_event_synchronize(w->events[step->with]); break;
    case AFTER: device_after(w->d, s, w->events[step->with]); break;
    }
    assert_int_equal(status, OC_OK);
}

static void in_order(void **state)
{
    (void)state;
    for (size_t c = 0; c < sizeof chains / sizeof *chains; c++) {
        World w = opened();
        for (const TimeStep *s = chains[c].steps; s->op != END; s++) go(&w, s);
        const double kernel = (double)oc_launch_counter(w.d, 0, "cycles") / 700;  // gtx480's clock, in MHz
        if (oc_launches(w.d)) assert_true(kernel > 50);
        int n = 0;
        for (const TimeStep *s = chains[c].steps; s->op != END; s++) {
            double seconds = -1;
            if (s->op != EVENT) continue;
            assert_int_equal(oc_event_seconds(w.events[0], w.events[n], &seconds), OC_OK);
            if (fabs(seconds * 1e6 - s->at - s->kernels * kernel) > 1e-6)
                fail_msg("%s: event %d is at %.6f, not %.6f", chains[c].name, n, seconds * 1e6,
                         s->at + s->kernels * kernel);
            n++;
        }
        oc_close(w.d);
    }
}

// A wait for an event that was never recorded, and one for work that has long been done, take a call.
static void nothing_to_wait_for(void **state)
{
    (void)state;
    World w = opened();
    double seconds = -1;
    go(&w, &E(1, 0, 0));
    go(&w, &DO(WAIT_EVENT, 0, 5));
    go(&w, &DO(WAIT_EVENT, 0, 0));
    go(&w, &DO(WAIT, 1, 0));
    go(&w, &E(1, 0, 0));
    assert_int_equal(oc_event_seconds(w.events[0], w.events[1], &seconds), OC_OK);
    assert_true(fabs(seconds * 1e6 - 4) < 1e-6);
    oc_close(w.d);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(in_order), cmocka_unit_test(nothing_to_wait_for)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
