// stream.c: streams and events. onchip does what one program asks in the order in which it asks, so that a stream or an
// event only has a place in simulated time: whoever asks whether its work is done waits for all launches, and in
// simulated time for that stream or event alone.
#include "cudart/unit.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>

typedef enum Sort { STREAM, EVENT } Sort;
typedef struct Thing {
    struct Thing *self;  // the key
    Sort sort;
    uint64_t number;  // onchip's
    unsigned flags;
    int priority;
    atomic_bool recorded;  // threads may share an event
    UT_hash_handle hh;
} Thing;
enum {
    NON_BLOCKING = 1,
    EVENT_FLAGS = 7,
    NO_TIMING = 2,
    SHARED = 4,
    GREATEST = -5
};                      // cudaStream*, cudaEvent*; a priority
enum { EXTERNAL = 1 };  // cudaEventRecordExternal, cudaEventWaitExternal

static struct {
    pthread_mutex_t lock;
    Thing *all;
} things = {.lock = PTHREAD_MUTEX_INITIALIZER};
static _Thread_local Thing *own;  // the thread's own default stream

static Thing *find(const Thing *handle, Sort sort)
{
    Thing *t;
    pthread_mutex_lock(&things.lock);
    HASH_FIND_PTR(things.all, &handle, t);
    pthread_mutex_unlock(&things.lock);
    return t && t->sort == sort ? t : NULL;
}

static cudaError_t make_by(const WireCall *call, Sort sort, unsigned flags, int priority, Thing **out)
{
    Answer answer;
    *out = NULL;
    cudaError_t error = client_ask(call, NULL, &answer);
    if (error) return error;
    Thing *t = mem_alloc(sizeof *t);
    t->self = t, t->sort = sort, t->number = answer.of.a, t->flags = flags, t->priority = priority;
    pthread_mutex_lock(&things.lock);
    HASH_ADD_PTR(things.all, self, t);
    pthread_mutex_unlock(&things.lock);
    *out = t;
    return cudaSuccess;
}

static cudaError_t make(Sort sort, unsigned flags, int priority, Thing **out)
{
    return make_by(&(WireCall){.ask = sort == STREAM ? ASK_STREAM : ASK_EVENT}, sort, flags, priority, out);
}

static cudaError_t end(Thing *handle, Sort sort)
{
    Thing *t = find(handle, sort);
    if (!t) return cudaErrorInvalidResourceHandle;
    if (capture_on()) capture_forgets(sort == STREAM ? t : NULL, sort == EVENT ? t : NULL);
    cudaError_t error =
        client_ask(&(WireCall){.ask = sort == STREAM ? ASK_STREAM_END : ASK_EVENT_END, .a = t->number}, NULL, NULL);
    pthread_mutex_lock(&things.lock);
    HASH_DEL(things.all, t);
    pthread_mutex_unlock(&things.lock);
    mem_free(t);
    return error;
}

void things_forget(void)
{
    Thing *t, *next;
    pthread_mutex_lock(&things.lock);
    HASH_ITER(hh, things.all, t, next)
    {
        HASH_DEL(things.all, t);
        mem_free(t);
    }
    pthread_mutex_unlock(&things.lock);
}

// 0 and 1 are the default stream, 2 is the thread's own one (cudaStreamLegacy, cudaStreamPerThread).
bool stream_number(cudaStream_t s, uint64_t *number)
{
    uintptr_t value = (uintptr_t)s;
    *number = 0;
    if (value < 2) return true;
    if (value == 2) {
        if (!find(own, STREAM) && make(STREAM, 0, 0, &own)) return false;
        s = own;
    }
    const Thing *t = find(s, STREAM);
    if (t) *number = t->number;
    return t != NULL;
}

bool event_known(cudaEvent_t e) { return find(e, EVENT); }

bool stream_blocks(cudaStream_t s)
{
    const Thing *t = find(s, STREAM);
    return !t || !(t->flags & NON_BLOCKING);
}

typedef enum Wait { NOTHING, FOR_STREAM, FOR_EVENT } Wait;  // calls.def, WAIT
static cudaError_t wait(Wait what, uint64_t number)
{
    return client_ask(&(WireCall){.ask = ASK_WAIT, .a = what, .b = number}, NULL, NULL);
}

cudaError_t launches_done(cudaStream_t s)
{
    uint64_t number;
    return noted(stream_number(s, &number) ? wait(NOTHING, number) : cudaErrorInvalidResourceHandle);
}

cudaError_t stream_value(cudaStream_t s, uint64_t at, uint64_t value, uint32_t what)
{
    uint64_t number;
    READY();
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    const cudaError_t error = capture_forbids(s);  // there are no nodes for values
    if (error) return noted(error);
    const WireCall call = {.ask = ASK_VALUE, .a = number, .b = at, .c = value, .d = what};
    return noted(client_ask(&call, NULL, NULL));
}

// --- streams ---------------------------------------------------------------------------------------------------------
cudaError_t cudaStreamCreateWithPriority(cudaStream_t *s, unsigned flags, int priority)
{
    READY();
    if (!s || flags > NON_BLOCKING) return noted(cudaErrorInvalidValue);
    return noted(make(STREAM, flags, MAX(MIN(priority, 0), GREATEST), s));
}

cudaError_t cudaStreamCreateWithFlags(cudaStream_t *s, unsigned flags)
{
    return cudaStreamCreateWithPriority(s, flags, 0);
}

cudaError_t cudaStreamCreate(cudaStream_t *s) { return cudaStreamCreateWithPriority(s, 0, 0); }

cudaError_t cudaStreamDestroy(cudaStream_t s)
{
    READY();
    return noted(end(s, STREAM));
}

cudaError_t cudaStreamSynchronize(cudaStream_t s)
{
    uint64_t number;
    READY();
    cudaError_t error = capture_on() ? capture_forbids(s) : cudaSuccess;
    if (error) return noted(error);
    return noted(stream_number(s, &number) ? wait(FOR_STREAM, number) : cudaErrorInvalidResourceHandle);
}

cudaError_t cudaStreamQuery(cudaStream_t s) { return cudaStreamSynchronize(s); }

cudaError_t cudaStreamGetFlags(cudaStream_t s, unsigned *flags)
{
    uint64_t number;
    READY();
    if (!flags) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    const Thing *t = find(s, STREAM);
    *flags = t ? t->flags : 0;
    return cudaSuccess;
}

cudaError_t cudaStreamGetPriority(cudaStream_t s, int *priority)
{
    uint64_t number;
    READY();
    if (!priority) return noted(cudaErrorInvalidValue);
    if (!stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    const Thing *t = find(s, STREAM);
    *priority = t ? t->priority : 0;
    return cudaSuccess;
}

cudaError_t cudaDeviceGetStreamPriorityRange(int *least, int *greatest)
{
    READY();
    if (least) *least = 0;
    if (greatest) *greatest = GREATEST;
    return cudaSuccess;
}

// Another process may have recorded one that it shares.
static bool was_recorded(const Thing *e) { return e->recorded || e->flags & SHARED; }

cudaError_t cudaStreamWaitEvent(cudaStream_t s, cudaEvent_t event, unsigned flags)
{
    uint64_t number;
    READY();
    const Thing *e = find(event, EVENT);
    if (!e || !stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    if (flags > EXTERNAL) return noted(cudaErrorInvalidValue);
    bool taken = false;
    cudaError_t error = capture_on() ? capture_wait(event, s, flags == EXTERNAL, &taken) : cudaSuccess;
    if (error || taken) return noted(error);
    if (!was_recorded(e)) return cudaSuccess;
    return noted(client_ask(&(WireCall){.ask = ASK_STREAM_AFTER, .a = number, .b = e->number}, NULL, NULL));
}

cudaError_t cudaDeviceSynchronize(void)
{
    READY();
    cudaError_t error = capture_forbids_unsafe();
    return noted(error ? error : wait(FOR_STREAM, 0));
}

// --- events ----------------------------------------------------------------------------------------------------------
cudaError_t cudaEventCreateWithFlags(cudaEvent_t *e, unsigned flags)
{
    READY();
    if (!e || flags > EVENT_FLAGS || (flags & SHARED && !(flags & NO_TIMING))) return noted(cudaErrorInvalidValue);
    return noted(make(EVENT, flags, 0, e));
}

cudaError_t cudaEventCreate(cudaEvent_t *e) { return cudaEventCreateWithFlags(e, 0); }

cudaError_t cudaEventDestroy(cudaEvent_t e)
{
    READY();
    return noted(end(e, EVENT));
}

cudaError_t cudaEventRecordWithFlags(cudaEvent_t event, cudaStream_t s, unsigned flags)
{
    uint64_t number;
    READY();
    Thing *e = find(event, EVENT);
    if (flags > EXTERNAL) return noted(cudaErrorInvalidValue);
    if (!e || !stream_number(s, &number)) return noted(cudaErrorInvalidResourceHandle);
    bool taken = false;
    cudaError_t error = capture_on() ? capture_record(event, s, flags == EXTERNAL, &taken) : cudaSuccess;
    if (error || taken) return noted(error);
    error = client_ask(&(WireCall){.ask = ASK_EVENT_RECORD, .a = e->number, .b = number}, NULL, NULL);
    if (!error) e->recorded = true;
    return noted(error);
}

cudaError_t cudaEventRecord(cudaEvent_t e, cudaStream_t s) { return cudaEventRecordWithFlags(e, s, 0); }

cudaError_t cudaEventSynchronize(cudaEvent_t e)
{
    READY();
    const Thing *event = find(e, EVENT);
    if (!event) return noted(cudaErrorInvalidResourceHandle);
    cudaError_t error = capture_on() ? capture_forbids_event(e) : cudaSuccess;
    if (error) return noted(error);
    return noted(was_recorded(event) ? wait(FOR_EVENT, event->number) : wait(NOTHING, 0));
}

cudaError_t cudaEventQuery(cudaEvent_t e) { return cudaEventSynchronize(e); }

cudaError_t cudaEventElapsedTime(float *milliseconds, cudaEvent_t from, cudaEvent_t to)
{
    Answer answer;
    double seconds;
    READY();
    const Thing *a = find(from, EVENT), *b = find(to, EVENT);
    if (!milliseconds) return noted(cudaErrorInvalidValue);
    if (!a || !b || !a->recorded || !b->recorded || (a->flags | b->flags) & NO_TIMING)
        return noted(cudaErrorInvalidResourceHandle);
    cudaError_t error =
        client_ask(&(WireCall){.ask = ASK_EVENT_BETWEEN, .a = a->number, .b = b->number}, NULL, &answer);
    memcpy(&seconds, &answer.of.a, sizeof seconds);
    if (!error) *milliseconds = (float)(seconds * 1e3);
    return noted(error);
}

// --- events that several processes use -------------------------------------------------------------------------------
cudaError_t event_share(cudaEvent_t event, uint64_t *key)
{
    Answer answer;
    const Thing *e = find(event, EVENT);
    if (!e || !(e->flags & SHARED)) return cudaErrorInvalidResourceHandle;
    cudaError_t error = client_ask(&(WireCall){.ask = ASK_EVENT_SHARE, .a = e->number}, NULL, &answer);
    if (!error) *key = answer.of.a;
    return error;
}

cudaError_t event_open(uint64_t key, cudaEvent_t *event)
{
    return make_by(&(WireCall){.ask = ASK_EVENT_OPEN, .a = key}, EVENT, SHARED | NO_TIMING, 0, event);
}
