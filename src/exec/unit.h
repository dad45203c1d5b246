// unit.h: what the files that execute share, and those that decode for them; no one else includes it.
#ifndef EXEC_UNIT_H
#define EXEC_UNIT_H

#include "exec/exec.h"
#include "ptx/flow.h"

#include <string.h>

// At most: bytes of the rows of all frames of a warp; registers of a thread, which no GPU has; rows of constants of a
// kernel.
#define MAX_STACK (1u << 30)
#define MAX_REGISTERS (1u << 16)
#define MAX_CONST_ROWS (1u << 23)
#define CODE_BASE 0x10u    // function pointers are CODE_BASE + index
#define CVT_SECOND_LONG 1  // imm of a cvt to a pair: the second source's register has 64 bits

static inline uint32_t get_pred_lanes(const Lanes *l, const Dinst *d)
{
    return d->psrc_negated ? ~l->pred[d->psrc] : l->pred[d->psrc];
}

// --- calls -----------------------------------------------------------------------------------------------------------
// What a call passes: words of .param variables (row numbers in the caller's and callee's frames), or a register or
// constant of the caller.
typedef struct CallArg {
    uint32_t here, there, words;
    Loc32 value;
    bool is_param, dropped;  // dropped: a result that nobody wants
} CallArg;
typedef struct CallSite {
    VEC(CallArg) args, rets;
    Code *callee;  // direct; null: by the address in Dinst.a
} CallSite;

// Words of a .param variable of a frame, and its rows: an even number, so that pairs of words are aligned.
static inline uint32_t param_words(const Symbol *s) { return (uint32_t)((s->bytes + 3) / 4); }
static inline uint32_t param_rows(const Symbol *s) { return (uint32_t)((s->bytes + 7) / 8 * 2); }

typedef struct LocalParam {
    uint32_t row, words, at;  // in the frame; in local memory
} LocalParam;

// --- log.c -----------------------------------------------------------------------------------------------------------
typedef struct LogLine {
    uint64_t line;  // address / 128
    uint64_t mask[2];
    uint8_t data[128];
    uint16_t stamp[32];  // window cycle of the last store to each word
} LogLine;
void log_store(Log *log, uint64_t address, const void *data, uint32_t bytes, uint32_t cycle);
void log_patch(const Log *log, uint64_t address, void *data, uint32_t bytes);  // overlays what the log holds
void log_defer(Log *log, const Deferred *d, uint32_t bytes);
static inline uint32_t log_hash(uint64_t line) { return (uint32_t)((line * 0x9E3779B97F4A7C15ull) >> 52); }
static inline bool log_has(const Log *log, uint64_t line)
{
    uint32_t h = log_hash(line);
    return log->filter[h >> 6] >> (h & 63) & 1;
}
static inline bool log_pending(const Log *log, uint64_t line)
{
    uint32_t h = log_hash(line);
    return log->pending[h >> 6] >> (h & 63) & 1;
}

// --- warps -----------------------------------------------------------------------------------------------------------
typedef enum SplitState {
    SPLIT_FREE,
    SPLIT_READY,
    SPLIT_KIDS,
    SPLIT_BARRIER,
    SPLIT_SYNC,
    SPLIT_SLEEP,
    SPLIT_MBAR,    // at an mbarrier, for a limited time
    SPLIT_CLUSTER  // at the barrier of the cluster
} SplitState;
#define NO_RPC UINT32_MAX
// split.c
enum { FIRST_SPLITS = 4 };  // that a warp has room for: the one it is, and a branch with its two sides
void split_init(Warp *w, Code *code, uint32_t mask);
int split_new(Warp *w);    // a free one's index, for the caller to fill
void split_load(Warp *w);  // caches splits[cur] in w
void split_save(Warp *w);
bool split_pick(Warp *w, bool its);  // none is current: makes a ready one so; false: none can run
void split_yield(Warp *w);           // the current one lets all others run (sm_70 on)
void split_branch(Warp *w, uint32_t taken, uint32_t target, uint32_t next, uint32_t reconverge);
// The lanes of `now` execute the instruction, and are current. The others of mask, whose guard is on as well,
// come to it next; lanes whose guard is off have passed it.
void split_part(Warp *w, uint32_t mask, uint32_t now);
void split_arrive(Warp *w);  // while the current split is at its rpc
void split_exit(Warp *w, uint32_t lanes);
void split_merge(Warp *w);

// call.c
void exec_call(Env *env, Warp *w, const Dinst *d, uint32_t mask);

// stack.c: alloca and what belongs to it
void exec_alloca(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_stack_save(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_stack_restore(Env *env, Warp *w, const Dinst *d, uint32_t mask);
uint32_t stack_end(const Warp *w, uint32_t mask);  // where the callee's local memory begins for these lanes
void stack_open(const Warp *w, uint32_t mask);     // they are in a new frame

// barrier.c
uint32_t barrier_lanes(const Warp *w, const Dinst *d, uint32_t mask);  // those that arrive together
bool barrier_arrive(Env *env, Warp *w, const Dinst *d);                // the current split; true: it must wait
void barrier_check(Env *env, Cta *cta);                                // after threads exited

// --- memory ----------------------------------------------------------------------------------------------------------
// Puts a loaded element into a register lane, extended as its type says.
static inline void lane_put(const Lanes *l, const Dinst *d, Loc32 to, int n, uint64_t v)
{
    if (type_info[d->type].kind == K_SINT && d->bytes < 8) {
        int s = 64 - 8 * d->bytes;
        v = (uint64_t)((int64_t)(v << s) >> s);
    }
    if (d->flags & D_LONG)
        ((uint64_t *)row(l, to))[n] = v;
    else
        ((uint32_t *)row(l, to))[n] = (uint32_t)v;
}

static inline uint64_t lane_get(const Lanes *l, const Dinst *d, Loc32 from, int n)
{
    return d->flags & D_LONG ? ((const uint64_t *)row(l, from))[n] : ((const uint32_t *)row(l, from))[n];
}

static inline uint64_t lane_fetch(const void *p, uint32_t bytes)
{
    uint64_t v = 0;
    switch (bytes) {
    case 1: return *(const uint8_t *)p;
    case 2: memcpy(&v, p, 2); return v;
    case 4: memcpy(&v, p, 4); return v;
    default: memcpy(&v, p, 8); return v;
    }
}

// deferred.c: what a lane's access does to bytes
void lane_store(const Lanes *l, const Dinst *d, int n, uint8_t *out);  // the bytes that it stores
uint64_t lane_operand(const Lanes *l, const Dinst *d, Loc32 at, int n);
// An atomic, with its operands. Whether it changed memory; global: not shared memory.
bool lane_atom(const Lanes *l, const Dinst *d, uint8_t *p, int n, uint64_t x, uint64_t y, bool global);
// Those of a vector or of .b128: its operands are so many bytes, at most.
enum { OPERANDS = 32 };
void lane_operands(const Lanes *l, const Dinst *d, int n, uint8_t *out);
bool lane_atoms(const Lanes *l, const Dinst *d, uint8_t *p, int n, const uint8_t *operands, bool global);
bool bytes_put(uint8_t *p, const uint8_t *data, uint32_t bytes);  // whether they changed memory
void lane_copy(Cta *cta, const Dinst *d, uint64_t to, const void *from, uint64_t have);
// Does a deferred operation of this window touch a line that these lanes touch?
bool overlaps_pending(const Log *log, const uint64_t *addr, uint32_t mask, uint32_t bytes);
// cluster: addresses are of the cluster's shared memory. Without a log it is executed at once.
void exec_defer(Env *env, Warp *w, const Dinst *d, uint32_t mask, bool cluster);
Deferred deferred_begin(const Env *env, Warp *w, const Dinst *d, uint32_t mask);  // without operands
void exec_deferred(Env *env, const Deferred *d);  // runs a deferred operation on memory now
// overread.c: do so many bytes, which don't lie in one allocation, pass as on a card? What lies there; and that a lane
// reads it. kind: the fault that it would be.
bool overread_passes(const Env *env, uint64_t address, uint64_t bytes);
void overread_fetch(const Env *env, uint64_t address, void *to, uint64_t bytes);
void overread_note(Env *env, Warp *w, FaultKind kind, uint32_t lane, uint64_t address, uint32_t bytes);
// memory.c
void exec_memory(Env *env, Warp *w, const Dinst *d, uint32_t mask);
// Room for bytes of local memory per lane; false, with a fault of a lane of mask: the host has none.
bool exec_local_room(Env *env, Warp *w, uint32_t bytes, uint32_t mask);
// system.c: printf, malloc and free of device code
void exec_system(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_heap(Env *env, const Deferred *d);
void exec_trap(Env *env, Warp *w, const Dinst *d, uint32_t mask);
// texel.c: objects and their texels. A Texel says where one is: the directions that a texture hasn't are 0.
typedef struct Texel {
    int64_t x, y, z;
    uint64_t slice;  // a layer or a face
} Texel;
// The object that a lane's handle means; null, with a fault: there is none, or it isn't of that kind.
const Texture *object_find(Env *env, Warp *w, uint32_t lane, uint64_t handle, ObjectKind kind);
bool object_lives(Env *env, Warp *w, uint32_t lane, const Texture *t, const TexLevel *l);  // false, with a fault
bool texel_outside(int mode, int64_t *i, int64_t n);  // texel_wrap of a coordinate that is out of range
// Brings a coordinate into range; false: the border.
static inline bool texel_wrap(int mode, int64_t *i, int64_t n)
{
    return (uint64_t)*i < (uint64_t)n || texel_outside(mode, i, n);
}
static inline uint64_t texel_address(const Texture *t, const TexLevel *l, const Texel *at)  // of one that is inside
{
    return l->base + ((uint64_t)at->z + at->slice) * l->slice + (uint64_t)at->y * l->pitch +
           (uint64_t)at->x * texel_bytes(t);
}
// The channels of a texel as 32 bits: floats, or integers extended; and the bytes of a texel that a channel becomes.
void texel_read(const Texture *t, const uint8_t *p, uint32_t out[4]);
void texel_write(const Texture *t, uint8_t *p, int channel, uint32_t value);
// The rows that an instruction of textures or surfaces reads and writes (Dinst.results); NO_ROW: it has none.
#define NO_ROW UINT32_MAX
// sust.p and sured.p come after them: the same instruction with the size of a texel, or with the sign of its numbers.
enum {
    TEX_HANDLE,
    TEX_SAMPLER,
    TEX_LAYER,
    TEX_AT,
    TEX_LOD = TEX_AT + 3,
    TEX_DDX,
    TEX_DDY = TEX_DDX + 3,
    TEX_OFF = TEX_DDY + 3,
    TEX_OUT = TEX_OFF + 3,
    TEX_ROWS = TEX_OUT + 4,
    TEX_VARIANTS_AT = 32
};
enum { TEX_VARIANTS = 5 };
static inline const Dinst *tex_variant(const Dinst *d, int k)
{
    return (const Dinst *)(const void *)(d->results + TEX_VARIANTS_AT) + k;
}
// texture.c, surface.c
void exec_texture(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_query(Env *env, Warp *w, const Dinst *d, uint32_t mask);  // txq, suq, istypep
bool exec_surface(Env *env, Warp *w, const Dinst *d, uint64_t *addr, uint32_t mask);
// across.c: instructions across lanes; of lanes that are at different instructions of one kind, or in different frames
typedef struct AcrossPart {
    const Code *code;
    uint32_t pc, base, mask;
} AcrossPart;
void exec_across(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_across_parts(Env *env, Warp *w, const AcrossPart *part, uint32_t parts);

// mbarrier.c
void exec_mbar(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_mbar_try(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_mbar_copies(Env *env, Warp *w, const Dinst *d, uint32_t mask);
typedef enum MbarChange { MBAR_ARRIVES = 1, MBAR_DROPS = 2, MBAR_EXPECTS = 4, MBAR_COMPLETES = 8 } MbarChange;
// False: there is no barrier at that place of a block's shared memory, or it can't count so far.
bool mbar_change(Cta *cta, uint32_t at, uint32_t change, uint32_t count, uint64_t *before);
void mbar_lacks(const Cta *cta, uint32_t at, uint32_t *arrivals, int32_t *bytes);  // that are to come
// bulk.c: where the operands of a copy are; of those that it doesn't have, a row of zeros
enum { BULK_SHARED, BULK_OTHER, BULK_BARRIER, BULK_PLACES };  // its own block's memory; the other side; an mbarrier
typedef struct BulkForm {
    CopyWay way;
    bool reduces, casts, tensor;
    uint8_t rank, offsets;
    struct {
        Loc32 base, offset;
        bool wide;  // base is
    } at[BULK_PLACES];
    Loc32 size, blocks, value[4];  // value: of st.async and red.async
    Loc32 map, coordinate[MAX_RANK], offset[3];
    bool map_wide;
} BulkForm;
// Bytes into shared memory, or out of it: in units of 16, whose places a swizzle changes.
void bulk_put(uint8_t *shared, uint32_t at, const uint8_t *data, uint32_t bytes, uint8_t swizzle);
void exec_tensor_map(Env *env, Warp *w, const Dinst *d, uint32_t mask);  // tensormap.replace, .cp_fenceproxy
void exec_bulk(Env *env, Warp *w, const Dinst *d, uint32_t mask);
// late.c
void late_do(Env *env, const Late *x);           // now, if there is no log, else at the edge; takes x->data
void late_apply(struct Env **envs, uint32_t n);  // at the edge
bool global_inside(const Gmem *g, uint64_t address, uint64_t bytes);
// cluster.c
Cta *cluster_block(const Warp *w, uint64_t *at);  // whose shared memory an address means, and the place there; or null
uint32_t cluster_away(const Warp *w, uint64_t addr[LANES], uint32_t mask);  // lanes that mean another block's
void exec_cluster_barrier(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_cluster_map(Env *env, Warp *w, const Dinst *d, uint32_t mask);  // mapa, getctarank
void cluster_leave(Cta *cta);                                             // it starts anew, or is freed
void cluster_exit(Env *env, Cta *cta, uint32_t threads);
void cluster_arrive(Cta *cta, uint32_t threads, bool exit);  // at the edge
#define BLOCK_SHIFT 24  // an address in another block's shared memory is its rank + 1 above so many bits of offset

// ldmatrix.c: matrices between shared memory and lanes
void exec_load_matrix(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_store_matrix(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_move_matrix(Env *env, Warp *w, const Dinst *d, uint32_t mask);

// wgmma.c: products of matrices of four warps; the column of each stored element of a sparse A
void exec_group(Env *env, Warp *w, const Dinst *d, uint32_t mask);
void exec_columns(const Lanes *l, const Tensor *t, uint32_t mask, uint16_t *column);

// pick.c: the lane function for an instruction, built for this host's best instruction set; null: not implemented.
ExecFn *exec_pick(const Inst *i);
MultiplyFn *exec_pick_multiply(const Inst *i);
AddressFn *exec_pick_address(void);
StraightFn *exec_pick_straight(void);
// straight.c, ops_straight.c: Straight.how and Straight.writes, the latter plus the slot
enum { HOW_STOP, HOW_STEP, HOW_LANES, HOW_BRANCH, HOW_LOAD, HOW_STORE, HOW_LOAD_SHARED, HOW_STORE_SHARED };
enum { WRITES_NONE, WRITES_BASE = 1 << 4, WRITES_SUM = 1 << 5, WRITES_ANY = 1 << 6 };
enum { BASES = 8 };  // base registers that are known at a time
// What 32 lanes have in a register that addresses are made of: runs of lanes that step by stride from the first's.
typedef struct Base {
    Loc32 at;      // the register
    uint32_t run;  // 32, 16 or 8; 0: irregular
    uint64_t stride;
    uint64_t low, high, bits;  // the least, the greatest; bits that are set in any first or in stride
    uint64_t first[4];         // of lanes 0, 8, 16, 24
} Base;
typedef struct Bases {  // of a warp, by slot; Warp.bases_known says which of them hold
    Base base[BASES];
    const uint8_t *frame;
    const Code *code;
} Bases;
// cta.c: room for registers, aligned for vectors; null: the host has none.
uint8_t *exec_rows(uint32_t bytes);
void exec_rows_free(uint8_t *rows);
// fault.c: at once, of a lane of a warp; and at the window's edge. Of several the first one counts.
Doer exec_doer(const Env *env, const Warp *w, uint32_t lane);
void exec_fault_late(Env *env, const Doer *by, FaultKind kind, uint64_t cycle, uint64_t address, uint32_t bytes);
void exec_fault(Env *env, Warp *w, FaultKind kind, uint32_t lane, uint64_t address, uint32_t bytes, bool write);
// audit.c
void exec_audit_free(Warp *w);
// stuck.c
void watch_edge(const Env *env, Warp *w);   // it takes a back edge
void watch_poll(const Env *env, Warp *w);   // it reads memory that others may write
void watch_clock(const Env *env, Warp *w);  // it reads a clock
// atomic.c: the new value of a location that has old; x and y are the operands, global: not shared memory.
uint64_t exec_atom(const Dinst *d, uint64_t old, uint64_t x, uint64_t y, bool global);

// --- gmem.c: global memory -------------------------------------------------------------------------------------------

size_t gmem_below(const Gmem *g, uint64_t address);  // how many start at or below it

// --- texel.c, texture.c, surface.c: textures and surfaces ------------------------------------------------------------
uint64_t texture_bytes(const Texture *t, const TexLevel *l);  // from its base to behind its last texel

// --- check*.c: what a kernel does that PTX leaves undefined (onchip run --check) -------------------------------------

void check_cta_start(Env *env, Cta *cta);
void check_cta_free(Cta *cta);
void check_step(Env *env, Warp *w, const Dinst *d);  // a memory instruction or a fence was executed
// wgmma reads n times so many bytes of shared memory, at most one for each lane.
void check_group(Env *env, Warp *w, const Dinst *d, const uint64_t *addr, uint32_t n, uint32_t bytes);
void check_cluster_arrive(Env *env, Warp *w, uint32_t lanes, bool relaxed);  // before the barrier of the cluster hears
void check_met(Env *env, Warp *w);                                           // it goes on from there
void check_deferred(Env *env, const Deferred *x);
// Lanes will execute a .sync instruction, whose membermasks are member[lane].
void check_members(Env *env, Warp *w, const Dinst *d, const uint32_t *member, uint32_t lanes);
void check_sync(Env *env, Warp *w, uint32_t members);  // lanes have met at a bar.warp.sync
void check_phase(Cta *cta, uint32_t at);               // a phase of an mbarrier is over
void check_arrive(Env *env, Warp *w, uint32_t id);     // the current split arrives at a barrier
void check_release(Env *env, Cta *cta, uint32_t id);   // a barrier's last thread has arrived
void check_exit(Env *env, Warp *w, uint32_t lanes);
void check_call(Env *env, Warp *w, uint32_t mask);  // they are in a new frame

#endif
