// check.h: what the files of --check share: check_order.c (who is ordered before whom), check_memory.c (what was
// accessed, and by whom), check_flaw.c (what was found), check_local.c (which variable an access of local memory is
// about).
//
// Invariant: with Env.check null nothing here is called. With it, one host thread runs all SMs, so that accesses come
// in one order, and findings don't depend on the number of threads.
#ifndef EXEC_CHECK_H
#define EXEC_CHECK_H

#include "exec/unit.h"

// The last access of a word. From the top: 32 bits that say when, 10 which thread of the block, 1 whether it was a
// strong one, 4 which bytes, 17 which instruction (its number among the kernel's). When: in shared memory the clock of
// the thread's warp; in global memory, and where other blocks of a cluster see shared memory, the number of a Segment.
typedef uint64_t Touch;
enum { TOUCH_INSTS = 17, TOUCH_BYTES = TOUCH_INSTS, TOUCH_STRONG = 21, TOUCH_THREAD = 22, TOUCH_WHEN = 32 };
static inline uint32_t touch_inst(Touch t) { return (uint32_t)t & ((1u << TOUCH_INSTS) - 1); }
static inline uint32_t touch_bytes(Touch t) { return (uint32_t)t >> TOUCH_BYTES & 15; }
static inline bool touch_strong(Touch t) { return t >> TOUCH_STRONG & 1; }
static inline uint32_t touch_thread(Touch t) { return (uint32_t)t >> TOUCH_THREAD; }
static inline uint32_t touch_when(Touch t) { return (uint32_t)(t >> TOUCH_WHEN); }
static inline Touch touch_by(uint32_t thread) { return (Touch)thread << TOUCH_THREAD; }

typedef enum FlightKind { FLIGHT_COPY, FLIGHT_BULK, FLIGHT_STORE, FLIGHT_PRODUCT } FlightKind;
typedef struct Flight Flight;
typedef struct Mbar Mbar;
typedef struct Sums Sums;

// The last accesses of each word of a stretch of memory: who wrote it, the last two that read it, and what was written.
typedef struct Cells {
    Touch *write, *read, *other;
    uint32_t *value;
} Cells;

// What a warp does between two events that order it, for those of other blocks. Or what an asynchronous copy writes.
enum { UNDER_WAY = UINT32_MAX };
typedef struct Segment {
    uint64_t cta;
    uint32_t clock;   // of its warp; UNDER_WAY: nobody has waited for the copy
    uint32_t fences;  // Check.fences when it began
} Segment;
typedef struct CheckWarp {
    uint32_t clock;          // of what it does now
    uint32_t safe;           // what any warp of the block did at this clock or before is ordered before it
    uint32_t segment;        // 0: it has none yet
    uint32_t released;       // CheckCta.releases that it has seen
    uint32_t *known;         // [warp]: what that warp did at this clock or before is ordered before it; and behind that
                             // [warp], likewise, for the asynchronous proxy (fence.proxy.async)
    uint32_t synced[LANES];  // the clock that a lane's last bar.warp.sync, fence or strong read began
    bool heard;              // a strong read that isn't an acquire came since the last fence
    uint32_t copies[LANES], stores[LANES], products;  // groups that were closed: of cp.async, of copies in bulk; wgmma
    uint32_t latest, settled;                         // flights: the last one; those before `settled` are over
    uint32_t open[4];                                 // by FlightKind: the one that others join; 0: there is none
    uint64_t *local;                                  // a bit for each byte of its local memory that was written
    uint32_t local_words;
    struct Sums *sums;                        // of products under way; null: there were none
    uint32_t sum_count, resized, resized_pc;  // resized: how often setmaxnreg was executed, and where last
    const Code *resized_code;
    const Code *left;  // where lanes exited last; null: none has
    uint32_t left_pc, left_lane;
} CheckWarp;
typedef struct CheckCta {
    uint32_t warps, room;  // warps of the block; that there is room for
    uint32_t clock;
    CheckWarp *warp;
    uint32_t *clocks;             // what warp[].known point into, and behind that the next three
    uint32_t *fenced, *released;  // [warp]: what was done before the last fences, and what strong writes then told
    uint32_t *arrived;            // [barrier][warp]: what was done by those that have arrived
    uint32_t releases;
    uint32_t fence, heard, acquired;  // Check.fences at its last fence; that a strong read has seen, before a fence
    bool fresh;                       // a fence came since the last release
    Cells shared;
    uint64_t *written;  // a bit for each byte of shared memory
    uint32_t shared_bytes, shared_room;
    uint32_t born;   // the clock that the block began with
    bool segmented;  // the touches of its shared memory are by segments
    // check_async.c
    struct Flight *flights;  // null: nothing was asynchronous yet
    uint32_t first, last;    // of this block: the number of the first one, of the last one of all
    uint32_t *into, *out;    // of each word: the flight that writes it, the last one that reads it; null as flights
    uint32_t async_words;
    VEC(struct Mbar) bars;
    uint32_t bar_count;  // of this block
} CheckCta;

typedef struct Page {
    uint64_t *written;  // a bit for each byte; null: none was, or all were
    Cells cells;        // write null: no launch has touched it
    bool all;
} Page;
typedef struct Flag {  // an entry of a table by numbers: 0 is an empty one
    uint64_t key;
    uint32_t value;
} Flag;
typedef struct Flags {
    Flag *v;
    uint32_t n, size;
} Flags;
typedef struct LocalVar {  // which variable of the frame an instruction's address comes from; bytes 0: not known
    uint32_t at, bytes;
    const Symbol *sym;
} LocalVar;

struct Check {
    VEC(Page) pages;
    uint32_t touched;       // pages with cells
    uint8_t *cells;         // room for those of all pages; null: none has any
    uint32_t first, next;   // segments of this launch
    VEC(Segment) segments;  // number first is its element 0
    uint32_t fences;        // of all blocks so far
    Flags flags, released;  // by address / 4 + 1; by block + 1: Check.fences that a strong write has told
    Flaws flaws;            // of this launch
    uint32_t table[4096];   // of them, by kind and instructions: index + 1
    uint64_t found;         // accesses so far, over all launches
    const char *limit;      // what isn't checked for want of room; null: all is
    const LaunchInfo *launch;
    const Gmem *gmem;
    VEC(LocalVar) locals;  // by the instruction's number; empty: the kernel has no .local variables
};

// An access of a warp, in one space.
typedef struct Access {
    Env *env;
    Check *c;
    Warp *w;
    const Dinst *d;
    CheckCta *cta;
    const uint64_t *addr;
    uint32_t mask, bytes;
    const Cta *home;    // whose shared memory it is
    Touch mine, limit;  // mine: of thread 0; up to limit all touches are ordered before
    bool read, write, strong, global, races;
    bool segments;  // touches are by segments
    uint32_t copy;  // the segment of the copy that writes; 0: the thread itself accesses
} Access;

// check_order.c
// Is a touch before the lane's access that comes now?
bool check_ordered(const Access *x, uint32_t lane, Touch before);
const Segment *check_when(const Check *c, Touch t);  // of a touch by segments
// Does what a thread of the block did at a clock come before the thread that comes now?
bool check_in_cta(const Check *c, const CheckCta *cta, uint32_t warp, uint32_t thread, uint32_t by, uint32_t clock);
void check_tick(CheckCta *c, CheckWarp *w);
void check_join(uint32_t *to, const uint32_t *from, uint32_t n);  // what one vector knows, the other does, too
uint32_t check_segment(Check *c, const Cta *cta, CheckWarp *w);   // the warp's; 0: there are too many
uint32_t check_new_segment(Check *c, const Cta *cta, uint32_t clock);
void check_strong(Check *c, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t mask, bool global);
void check_tell(Check *c, Warp *w, uint32_t lanes);  // it fences, and tells other blocks
// check_async.c
void async_start(CheckCta *c);  // a block begins
void async_free(CheckCta *c);
void async_access(const Access *x);  // a thread's own access of shared memory; only while CheckCta.into is there
// Lanes' cp.async are issued; a lane's copy in bulk into its block's shared memory, which tells an mbarrier, or out of
// it: returns the segment of what it writes, 0 if nobody follows it.
void async_copy(Env *env, Warp *w, const Dinst *d, const uint64_t *to, uint32_t mask);
void async_bulk_in(Env *env, Warp *w, const Dinst *d, uint32_t lane, uint32_t at, uint32_t bytes, uint32_t barrier);
uint32_t async_bulk_out(Env *env, Warp *w, const Dinst *d, uint32_t lane, uint32_t at, uint32_t bytes);
void async_given(Env *env, const Late *x);  // what another block's copy writes, or adds to
void async_product(Env *env, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t n, uint32_t bytes);  // wgmma reads
void async_group(Env *env, Warp *w, const Dinst *d);    // a group is closed or waited for
void async_barrier(Env *env, Warp *w, const Dinst *d);  // an instruction of mbarriers
// Before a lane arrives at an mbarrier of its block, at another block's; before the mbarrier is told to wait for the
// lane's copies.
void check_arrived(Warp *w, uint32_t at);
void check_sent(Env *env, Warp *w, const Dinst *d, uint32_t lane, const Cta *to, uint32_t at);
void check_tied(Warp *w, uint32_t at, uint32_t lanes);
// A lane arrives at an mbarrier that expects no more arrivals in this phase.
void check_too_many(const Warp *w, const Dinst *d, uint32_t lane, uint32_t at);
// check_registers.c
void sums_begin(Warp *w, const Dinst *d);                       // a wgmma is issued
void sums_over(Warp *w, int64_t limit);                         // those of groups up to limit are
void check_resized(Warp *w, const Dinst *d);                    // setmaxnreg was executed
void check_warpgroup(Env *env, const Warp *w, uint32_t lanes);  // these lanes of a warp leave
// check_memory.c
Access access_by(Env *env, Warp *w, const Dinst *d);  // of its own block, until more is said
void check_touch(Access *x);                          // fills in what says who accesses shared memory, and when
// An asynchronous instruction of a lane will write or read word k: it is judged as the lane's own access. What was
// known of a word that is written is forgotten.
void check_issued(const Access *x, uint32_t lane, uint64_t k, bool writes);
void check_access(Env *env, Warp *w, const Dinst *d);
bool check_shared_room(CheckCta *c, uint32_t bytes);
void check_begin_memory(Check *c);
void check_free_cells(Check *c);
void check_frame(Warp *w, uint32_t from, uint32_t bytes, uint32_t mask, bool written);
// A lane's copy in bulk reads, writes or adds to bytes of global memory; segment: as async_bulk_out says. What another
// block's copy has written into shared memory is known.
void check_bulk(Env *env, Warp *w, const Dinst *d, uint32_t lane, const CopyRow *r, CopyWay way, uint32_t segment);
void check_overread(Env *env, Warp *w, Space space, uint32_t lane, uint64_t address, uint32_t bytes);
void check_given(Cta *cta, uint32_t at, uint32_t bytes);
// check_flaw.c
typedef struct Found {
    FlawKind kind;
    Space space;
    uint64_t address;
    uint32_t bytes;
    const Symbol *sym;    // of local memory
    const Code *code[2];  // [0]: the earlier of two; [1]: where it was found
    uint32_t pc[2], thread[2];
    uint64_t block[2];
    bool none;         // there is no [0]
    bool exited;       // of a barrier: [1] has exited there
    const char *cure;  // what to write, in a sentence; null: what the kind says
} Found;
// What is found at an instruction of a warp's lane, by itself; and what came before it: the kernel's instruction of
// that number, by a thread of a block.
Found found_at(FlawKind kind, const Warp *w, uint32_t pc, uint32_t lane);
void found_after(Found *f, const Kernel *k, uint32_t inst, uint32_t thread, uint64_t block);
void check_found(Check *c, const Found *f);
extern const char *const flaw_cures[FLAW_KINDS];  // what to write, by kind, in a sentence
const Code *check_code(const Kernel *k, uint32_t inst, uint32_t *pc);
// The asynchronous proxy will read what was written there. Did a thread of the block write it, without a fence of the
// proxy since (PTX ISA §8.11)? x: as check_touch fills it.
static inline bool check_unfenced(const Access *x, Touch wrote)
{
    const CheckCta *c = x->cta;
    uint32_t when = touch_when(wrote);
    if (x->segments) {
        const Segment *s = when < x->c->first ? NULL : check_when(x->c, wrote);
        when = s && s->cta == x->w->cta->number && s->clock != UNDER_WAY ? s->clock : 0;
    }
    return when > c->born && c->warp[x->w->in_cta].known[c->warps + touch_thread(wrote) / LANES] < when;
}
bool check_proxy(const Access *x, uint32_t lane, Touch wrote, uint64_t address);  // reports that it did, if it is known
// check_local.c
void check_locals(Check *c, const Kernel *k);

#endif
