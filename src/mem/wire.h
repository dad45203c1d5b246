// wire.h: what passes between SMs and partitions: packets, the queues and wires they wait in, links of a bandwidth.
#ifndef WIRE_H
#define WIRE_H

#include "base/base.h"

#define SEGMENT 128u  // the coalescer's unit, in bytes
#define SECTOR 32u
#define MAX_STRUCTURES 64  // data structures told apart in statistics
#define NEVER UINT64_MAX

// --- packets ---------------------------------------------------------------------------------------------------------
typedef enum PacketKind { PACKET_READ, PACKET_WRITE, PACKET_ATOMIC, PACKET_REPLY, PACKET_WALK } PacketKind;
typedef struct Packet {
    uint64_t time;     // arrival
    uint64_t address;  // of the segment
    uint32_t tag;      // comes back in the reply
    uint16_t sm;
    uint8_t kind;
    uint8_t sectors;    // mask of 4
    uint8_t structure;  // data structure, for statistics
    uint8_t whole;      // writes: sectors whose every byte is written
    uint8_t ops;        // atomics: lanes; with atomic_sector, cycles; writes: bytes that are written, of 128
    bool quiet : 1;     // no reply is wanted
    bool piece : 1;    // the sectors of one line, of a request that is looked up line by line; tag: in Partition.pieces
    bool walking : 1;  // stands for the read of its page-table entry
    uint8_t translate;  // a Translate
    uint16_t extra;     // cycles that its walk takes besides
} Packet;
typedef enum Translate { KNOWN, ASK_TLB2, WALK } Translate;  // missed the L1 TLB; missed the L2 TLB too
// A queue of packets in order of time, written at one end and read at the other.
typedef struct Fifo {
    Packet *v;
    size_t head, n, cap;  // valid: [head, n)
} Fifo;
// partition.c
void fifo_grow(Fifo *f);                   // room for one more
void fifo_sort(Fifo *f, const Packet *p);  // for fifo_put_sorted: it has a place before the last one
static inline void fifo_put(Fifo *f, const Packet *p)
{
    if (f->n == f->cap) fifo_grow(f);
    f->v[f->n++] = *p;
}
static inline void fifo_put_sorted(Fifo *f, const Packet *p)  // behind those that are not later
{
    if (f->n == f->head || f->v[f->n - 1].time <= p->time)
        fifo_put(f, p);
    else
        fifo_sort(f, p);
}
// Replies to all SMs in one queue: of those that arrive at once, the ones to the SM with the lowest number come first.
static inline void fifo_put_by_sm(Fifo *f, const Packet *p)
{
    fifo_put(f, p);
    size_t k = f->n - 1;
    for (; k > f->head; k--) {
        const Packet *before = &f->v[k - 1];
        if (before->time < p->time || (before->time == p->time && before->sm <= p->sm)) break;
        f->v[k] = *before;
    }
    f->v[k] = *p;
}
// What one side sends to the other, in the order of arrival. Window w writes box[w & 1] while the other side takes what
// window w − 1 wrote, so neither waits for the other. Windows are counted as they are run: those that are jumped over
// have no number.
typedef struct Wire {
    Fifo box[2];
} Wire;
static inline void wire_clear(Wire *w) { w->box[0].n = w->box[1].n = 0; }  // nobody takes what is in it
static inline void wire_close(Wire *w) { mem_free(w->box[0].v), mem_free(w->box[1].v); }
static inline void fifo_move(Fifo *from, Fifo *to)
{
    if (to->head == to->n) {  // which happens most
        Fifo empty = *to;
        *to = *from, *from = empty;
        from->head = 0;
    } else {
        for (size_t k = 0; k < from->n; k++) fifo_put_sorted(to, &from->v[k]);
    }
    from->n = 0;
}
static inline bool wire_take(Wire *w, uint64_t window, Fifo *to)  // at the start of a window; false: there was nothing
{
    Fifo *from = &w->box[(window & 1) ^ 1];
    if (!from->n) return false;
    fifo_move(from, to);
    return true;
}

// Finds the queue whose head arrives first; where several heads arrive at once, the queue with the lowest number. It is
// a binary tree. A leaf is the arrival time of a queue's head · 2^16 + the queue's number, or NEVER if the queue is
// empty. Each node above is the smaller of the two nodes below it.
typedef struct First {
    uint64_t *node;   // the root is 1; leaves come last
    uint32_t leaves;  // a power of two
} First;
static inline void first_open(First *f, uint32_t queues)
{
    for (f->leaves = 1; f->leaves < queues;) f->leaves *= 2;
    f->node = mem_alloc(sizeof *f->node * 2 * f->leaves);
    for (uint32_t k = 0; k < 2 * f->leaves; k++) f->node[k] = NEVER;
}
static inline void first_close(First *f) { mem_free(f->node); }
static inline void first_set(First *f, uint32_t queue, const Fifo *q)
{
    uint64_t *node = f->node, least = q->head < q->n ? q->v[q->head].time << 16 | queue : NEVER;
    uint32_t k = f->leaves + queue;
    for (node[k] = least; k > 1; node[k] = least) {
        uint64_t other = node[k ^ 1];
        least = MIN(least, other);
        k /= 2;
        if (node[k] == least) return;  // nothing changes above an equal one
    }
}
static inline uint64_t first_time(const First *f) { return f->node[1] == NEVER ? NEVER : f->node[1] >> 16; }
static inline bool first_due(const First *f, uint64_t now) { return f->node[1] >> 16 <= now; }
static inline uint32_t first_queue(const First *f) { return f->node[1] & 0xffff; }

// A link of fixed bandwidth: reservation arithmetic. Times in 1/256 cycle, so that fractional bandwidths add up.
typedef struct Link {
    uint64_t free;  // 1/256 cycle
    uint32_t cost;  // 1/65536 cycle per byte
} Link;
static inline uint32_t link_cost(double bytes_per_cycle) { return (uint32_t)(65536 / bytes_per_cycle + 0.5); }
static inline uint64_t link_time(uint32_t cost, uint32_t bytes) { return ((uint64_t)cost * bytes + 128) >> 8; }
static inline uint64_t link_pass(Link *l, uint64_t now, uint32_t bytes)  // the cycle at which the last byte is through
{
    uint64_t t = now << 8;
    if (l->free > t) t = l->free;
    l->free = t + link_time(l->cost, bytes);
    return (l->free + 255) >> 8;
}
// Where a part of all packets is simulated, which stands for slow/256 times as many: a packet is through after its own
// bytes, once it has waited as packets do (wait, in cycles). It keeps the link busy for all that it stands for, which
// holds up others where that is more than SLOW_CREDIT such packets.
enum { ALL_THERE = 256, SLOW_CREDIT = 24 };
static inline uint64_t link_pass_for(Link *l, uint64_t now, uint32_t bytes, uint32_t slow, uint32_t wait)
{
    const uint64_t t = now << 8, own = link_time(l->cost, bytes), all = own * slow >> 8, credit = SLOW_CREDIT * all;
    const uint64_t from = l->free > t + credit ? l->free - credit : t, waited = t + ((uint64_t)wait << 8);
    l->free = (l->free > t ? l->free : t) + all;
    return ((from > waited ? from : waited) + own + 255) >> 8;
}

#endif
