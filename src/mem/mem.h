// mem.h: the memory hierarchy as boxes: caches, links, partitions of L2 and DRAM, TLBs, shared-memory banks, and the
// coalescer. Nothing here knows a warp or an instruction: who waits is a number (tag) that comes back.
//
// Time is in core cycles. A port accepts a request or refuses it, and completes an accepted one later; a refusal says
// why. An SM and a partition share nothing within a window: packets leave through outboxes and arrive at least one
// window later (doc/extend/design.md, "A window").
#ifndef MEM_H
#define MEM_H

#include "base/counters.h"
#include "mem/cache.h"
#include "mem/wire.h"

// --- coalesce.c ------------------------------------------------------------------------------------------------------
typedef struct Segment {
    uint64_t address;  // of the segment
    uint32_t sectors;  // mask of 4
    uint32_t bytes;    // bytes that lanes touch, counted per lane
    uint32_t whole;    // mask of sectors whose every byte is touched (stores)
    uint32_t cycles;   // that an atomic takes at the L2, with PartitionCfg.atomic_sector
    uint32_t turn;     // in which it is looked up, where the L1 has banks of tags
} Segment;
// The segments of 128 bytes that lanes touch, in the order of their first lane; at most 64. lanes: bit mask. write: it
// matters what is touched whole; else that is left out.
uint32_t coalesce(const uint64_t *addr, uint32_t lanes, uint32_t bytes, bool write, Segment *out);
// The same for 32 lanes in runs of 8, 16 or 32 whose addresses step by stride, where that is 0, or bytes, or leaves
// each lane of a run of 32 a segment of its own. 0: it is anything else, and coalesce has to be asked.
uint32_t coalesce_runs(const uint64_t *addr, uint32_t run, uint32_t stride, uint32_t bytes, Segment *out);
// The same for neighbouring lanes that touch so many consecutive bytes: at most 32 of 16 bytes.
uint32_t coalesce_range(uint64_t first, uint32_t bytes, Segment *out);

// --- banks.c: shared memory ------------------------------------------------------------------------------------------
typedef struct BankCfg {
    uint32_t banks;  // 32
    uint32_t width;  // bytes a bank gives: 4 or 8
    uint32_t mode;   // bytes of consecutive addresses in a bank: 4 or 8
    // Arrays are laid out otherwise than in the program, to count what that would bring: pad_by bytes lie behind every
    // pad_row bytes (0: behind every row of all banks; 0: a word of `mode` bytes); or units of swizzle bytes (0: none)
    // change places within each row of all banks, by the XOR of their number and the row's.
    bool pad;
    uint32_t pad_row, pad_by, swizzle;
} BankCfg;
// The addresses of a shared array that is laid out so.
void bank_lay_out(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes, uint64_t *padded);
// Passes that an access of one lane or more takes: the most distinct rows any bank must give. Lanes that read the same
// row share it.
uint32_t bank_passes(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes, uint32_t bytes);
// The same of 32 lanes whose words of 4, 8 or 16 bytes step by stride, a multiple of that, from an address that is one;
// of 32 banks of 4 bytes.
uint32_t bank_passes_of_run(uint32_t stride, uint32_t bytes);
bool banks_free_of_runs(const uint64_t *addr, uint32_t run, uint32_t stride);  // banks_free of several runs
// Do 32 lanes' accesses of 4 bytes, in runs of 8, 16 or 32 lanes whose addresses step by stride (0 or 4), take one
// pass? May miss some that do.
static inline bool banks_free(const BankCfg *cfg, const uint64_t *addr, uint32_t run, uint32_t stride)
{
    if (cfg->banks != 32) return false;
    if (run == 32) return true;
    if (cfg->mode != 4 || cfg->width != 4) return false;
    if (run == 16 && (addr[0] == addr[16] || ((addr[16] - addr[0]) & 127) == 64)) return true;  // 16 banks each
    return banks_free_of_runs(addr, run, stride);
}
// Unified storage: banks of 16 bytes, four in each of eight clusters (unified-memory §4.2). Address / 16 gives the
// cluster, address / 128 the bank of it. Passes: a cluster gives one row a pass, from one bank; or, if it scatters, 16
// bytes from several. rows gets the rows that each bank gives, by 4 * cluster + bank.
enum { CLUSTERS = 8, CLUSTER_WAYS = 4, CLUSTER_BANKS = CLUSTERS * CLUSTER_WAYS };
uint32_t cluster_passes(const uint64_t *addr, uint32_t lanes, uint32_t bytes, bool scatters, uint8_t *rows);
// Passes of atomics, which lanes of one bank perform one after another.
uint32_t bank_passes_atomic(const BankCfg *cfg, const uint64_t *addr, uint32_t lanes);
// The distinct words of `width` bytes (4 or more) that lanes touch, with at most 32 bytes each.
uint32_t bank_words(const uint64_t *addr, uint32_t lanes, uint32_t bytes, uint32_t width);

// --- dram.c: one channel ---------------------------------------------------------------------------------------------
enum { MOST_BANKS = 256 };
typedef struct DramCfg {
    bool simple;                // a fixed latency and a bandwidth instead of banks
    double bytes_per_cycle;     // of one channel, per core cycle
    uint32_t banks, row;        // row: bytes
    double clock_ratio;         // DRAM cycles per core cycle
    uint32_t cl, rcd, rp, ras;  // DRAM cycles; so are the next ones, where 0 is: not modelled
    uint32_t wl, rrd, wr, rtw, wtr, ccdl, refi, rfc;
    uint32_t groups, burst;               // bank groups; bytes that are moved at least, 0: as many as are asked for
    uint32_t request;                     // most bytes of a read, 0: all that a miss lacks
    uint64_t bank_bits[MOST_INDEX_BITS];  // address bits by bit of the bank's number; none: banks go by turns
    uint32_t bank_bit_count;
    uint32_t queue;    // requests
    uint32_t latency;  // cycles added to every access (controller), or the whole latency when simple
} DramCfg;
enum { DRAM_ALL, DRAM_BANK, DRAM_LISTS };  // lists that a request is in: all that wait, and those of its bank
typedef struct DramLinks {
    uint32_t older, newer;
} DramLinks;
typedef struct DramRequest {
    uint64_t arrival, row;  // arrival: 1/256 cycle
    uint64_t number;        // of all requests of the channel: the smaller one is older
    uint32_t tag, bytes, bank;
    uint32_t parts;  // to come; `number` is the next one's
    bool write;
    DramLinks in[DRAM_LISTS];
} DramRequest;
typedef struct DramEnds {
    uint32_t oldest, newest;
} DramEnds;
typedef struct DramBank {
    uint64_t row, ready, active;  // open row (~0: none); next column command; when the row was opened
    uint64_t written;             // end of the data of its last write
    DramEnds waiting;             // requests for this bank
    uint32_t hit[2];              // the oldest of them that read from, and that write to, the open row
    uint32_t group;
} DramBank;
typedef struct DramMove {  // of so many bytes, in 1/256 cycle
    uint32_t bytes;
    uint64_t busy, span, columns;  // the bus is used; from the first byte to the last; until its group's next column
} DramMove;
typedef struct DramDone {
    uint64_t time;
    uint32_t tag;
} DramDone;
typedef struct Dram {
    DramCfg cfg;
    DramRequest *request;  // places for cfg.queue of them
    uint32_t n, free;      // parts of requests that wait; the first free place
    uint64_t number;       // of the next request
    DramEnds all;          // the requests that wait
    DramBank *bank;
    uint64_t waits[MOST_BANKS / 64];    // banks with requests,
    uint64_t hits[2][MOST_BANKS / 64];  // and with requests that read from their open row, and that write to it
    uint64_t bus;                       // 1/256 cycle: when the data bus is free
    uint64_t starts;                    // 1/256 cycle: when the next request is chosen, or NEVER
    DramDone *done;                     // reads under way, by time: a ring
    uint32_t done_head, done_n, done_cap;
    uint32_t words;  // of `hits`, and of `waits`, that banks have
    uint32_t cost;   // 1/65536 cycle per byte
    uint64_t ahead;  // 1/256 cycle: from a column command to its data
    uint64_t t_cl, t_rcd, t_rp, t_ras, t_wl, t_rrd, t_wr, t_rtw, t_wtr, t_ccdl, t_refi, t_rfc;  // 1/256 cycle
    uint64_t active;                                                                            // the latest activation
    uint64_t turned[2];  // when the bus has turned after writes, for a read's column, and after reads
    DramMove move;       // the latest
    uint64_t group[16], refreshed, finished;  // when a group takes the next column; the latest refresh, completion
    uint32_t slow, wait;                      // as Partition.slow, and its wait[STANDS_DRAM]
    uint64_t stood;                           // as Partition.stood
    uint64_t *count;                          // the partition's counters
} Dram;

// --- tlb.c: address translation --------------------------------------------------------------------------------------
// Each SM has an L1 TLB, looked up by requests that leave it; all share an L2 TLB. A request that misses the L1 TLB
// goes by way of the L2 TLB and is late by tlb1.penalty; one that misses that too first reads its page-table entry
// through the L2 and DRAM (partition.c). Translations are entered when they are asked for, and requests for a page
// whose walk is under way walk too. Entries outside the active window of the page table (Kepler's 512 MB, mei §IV-A)
// cost a switch.
typedef struct TlbCfg {
    uint32_t entries;  // 0: there is none
    uint64_t page;     // bytes, a power of two
    uint32_t ways;
    uint32_t sets[64], set_count;
    uint32_t index, replacement;
    uint64_t index_bits[MOST_INDEX_BITS];  // INDEX_LINEAR: address bits, by bit of the set's number
    uint32_t index_bit_count;
    double weights[32];
    uint32_t penalty;    // cycles: L1: a miss that hits the L2 TLB; L2: a walk whose entry is in the L2 cache
    uint32_t far;        // L2: cycles more when the entry comes from DRAM
    uint64_t window;     // L2: bytes whose entries are active; 0: all
    uint32_t switching;  // L2: cycles to activate others
} TlbCfg;
bool tlb_check(const TlbCfg *cfg, const char **why);
bool tlb_open(Cache *c, const TlbCfg *cfg, uint64_t seed, const char **why);
uint64_t tlb_bytes(const TlbCfg *cfg);        // that tlb_open takes from the host
bool tlb_lookup(Cache *c, uint64_t address);  // true: hit; a miss enters the page
// The L2 TLB with the requests on their way to it.
typedef struct Mmu {
    TlbCfg cfg, first;  // of the L2 TLB, and of the SMs'
    Cache tlb;
    VEC(Packet) waiting;  // by (time, SM)
    uint64_t window;      // number of the active window of the page table
    uint64_t *walked;     // per TLB line: when its walk is over at the latest
    uint32_t walk_time;   // cycles a walk takes at most, unloaded
    uint64_t count[C_COUNT];
} Mmu;
bool mmu_open(Mmu *m, const TlbCfg *first, const TlbCfg *cfg, uint32_t walk_time, const char **why);
void mmu_close(Mmu *m);
void mmu_flush(Mmu *m);

// --- partition.c: a slice of L2 with its DRAM channel ----------------------------------------------------------------
typedef struct PartitionCfg {
    CacheCfg l2;  // of one slice
    bool absent;  // there is no L2: what DRAM brings isn't kept
    DramCfg dram;
    uint32_t interval;           // cycles between look-ups
    double bytes_in, bytes_out;  // of the partition's ports, per core cycle
    uint32_t to_sm;              // cycles from partition to SM
    uint32_t far;                // cycles more, there and back together, between an SM and the L2's other half
    uint32_t credits;            // requests an SM can have waiting here
    uint32_t partitions, chunk;  // interleaving: bytes of consecutive addresses in one partition, a power of two
    uint32_t chunk_shift;        // set by partition_prepare
    uint64_t reciprocal;
    bool hash;  // hash the choice of partition
    uint64_t
        slice_bits[MOST_INDEX_BITS];  // address bits by bit of the partition's number, or of how far it is moved on
    uint32_t slice_bit_count;
    bool slices_by_number;     // set by partition_prepare: they are the number
    uint32_t header;           // bytes of a packet's header
    uint32_t flit;             // a packet is as long as a multiple of so many bytes
    bool ordered;              // replies keep their order: crossbar.c
    bool duplex;               // both links of a partition pass bytes at the same time
    bool acks;                 // stores are acknowledged, sector by sector
    bool copies;               // copies from the host fill the L2
    uint32_t slices;           // partitions that share a DRAM channel: those of equal number modulo the channels
    uint32_t atomic_interval;  // cycles of the unit that executes atomics, per lane
    uint32_t atomic_sector;    // the same per sector, unless more lanes meet at one address; 0: lanes count alone
    uint32_t partial;          // cycles of the port for a sector of which a part is written
    bool masks;                // a part of a sector that is written fetches nothing
    uint32_t sms;
    uint64_t page;            // bytes of a page, for walks
    uint32_t walk, walk_far;  // cycles: TlbCfg.penalty and far of the L2 TLB
} PartitionCfg;
// The length of a packet on a link, with so many bytes of data.
static inline uint32_t packet_bytes(const PartitionCfg *cfg, uint32_t data)
{
    uint32_t bytes = cfg->header + data;
    return cfg->flit > 1 ? (bytes + cfg->flit - 1) / cfg->flit * cfg->flit : bytes;
}
// The same of a reply, or of the acknowledgements of a store's sectors.
static inline uint32_t reply_bytes(const PartitionCfg *cfg, const Packet *r)
{
    uint32_t sectors = (uint32_t)__builtin_popcount(r->sectors);
    return r->quiet ? sectors * packet_bytes(cfg, 0) : packet_bytes(cfg, SECTOR * sectors);
}
typedef struct Waiter {
    Packet p;
    uint32_t next;  // chain of requests that wait for one miss, or free list
} Waiter;
typedef struct Miss {
    CacheLine *line;
    uint32_t fetching;            // DRAM reads under way
    uint32_t first, last, count;  // waiters: first is of no meaning while there is none
    uint32_t next_free;           // as in sm's Tracker: 0 is the following one, so memory of zeros is a list
} Miss;
typedef struct Pieces {  // a request of several lines, until all of them have answered
    Packet p;
    uint32_t left;  // lines that haven't
    uint32_t next_free;
} Pieces;
// A request to the L2, and what its look-up found. Sectors are the line's.
typedef struct L2Access {
    const Packet *r;
    uint64_t local;  // in the partition's addresses
    uint64_t key;    // what its line is looked up by: that; without an L2 each request has a line of its own
    bool write, atomic, through;
    uint32_t asked;              // sectors of 32 bytes
    uint32_t want, whole, need;  // what it touches, overwrites, and can't do without
    Lookup found;
    CacheLine *line;
    bool fresh;        // the line is to be replaced
    uint32_t missing;  // sectors to fetch
} L2Access;
enum { NO_ROOM_HELPS = UINT32_MAX, ANY_SET = UINT32_MAX };
enum { STANDS_IN, STANDS_OUT, STANDS_PORT, STANDS_DRAM, STANDS };
typedef struct Partition {
    PartitionCfg cfg;
    uint32_t index;
    Cache l2;
    struct Partition *first_slice, *next_slice;  // of its DRAM channel; the first one has the channel
    Dram channel, *dram;
    uint32_t slice;  // of the channel
    Link in, out;
    Wire *const *from;  // [SM]: to this partition; whoever opens it sets this
    uint32_t sms;       // that send requests in this launch: the first ones
    uint32_t room;      // SMs that inbox, reply and credit have room for: as many as any launch used
    uint32_t launch;
    uint64_t requests;     // without an L2: so many have come
    Fifo *inbox;           // per SM: requests on their way or waiting; then those that come by way of the L2 TLB;
                           // then those whose walk is over
    First first;           // of them, set whenever one of their heads changes
    uint64_t due;          // nothing happens before this cycle unless a request arrives
    uint64_t sent;         // the earliest arrival of what was sent in this window, or NEVER
    Wire *reply, *credit;  // per SM; replies that keep their order are all in the first one
    Miss *miss;
    uint32_t free_miss, misses;
    Waiter *waiter;
    uint32_t free_waiter, waiter_cap;
    Pieces *pieces;
    uint32_t free_pieces, pieces_cap;
    uint64_t port_free, atomics_free;
    // Where a part of a launch is timed (chip/part.c): its requests stand for slow/256 times as many (256: all are
    // there); what they stand for in 1/256 cycle of each unit since that was taken; cycles that each is behind.
    uint32_t slow;
    uint64_t stood[STANDS];
    uint32_t wait[STANDS];
    uint64_t passed_read, passed_written, passed_misses;  // by partition_pass, in this launch: bytes of DRAM; requests
    uint64_t port_at, atomics_at;  // 1/256 cycle: when the port, and the unit of atomics, have done what they stand for
    uint64_t refused_since;        // NEVER: the head isn't refused
    uint32_t lacks;                // places in the channel's queue that it needs; NO_ROOM_HELPS: it waits for a fill
    uint32_t wants;                // the set whose fill may let it in, or ANY_SET
    bool filled;                   // one was, since it was last tried
    bool holds;                    // the head's look-up does: it is `refused`
    L2Access refused;
    uint64_t window, last_event;  // last_event: when the last request was served, and the last atomic executed
    uint64_t count[C_COUNT];
    uint64_t dram_bytes[MAX_STRUCTURES];
} Partition;
void partition_prepare(PartitionCfg *cfg);  // fills what is computed from the other fields; before partition_of
bool partition_check(const PartitionCfg *cfg, const char **why);  // of a prepared one; false: slice_bits that can't be
// before: another slice of its DRAM channel, the one opened last; null: it is the first one. like: another partition,
// as in cache_open_like; or null.
bool partition_open(Partition *p, const PartitionCfg *cfg, uint32_t index, Partition *before, const Partition *like,
                    const char **why);
void partition_close(Partition *p);
void partition_begin(Partition *p, uint32_t sms);  // a launch on the first `sms` SMs
// Sets what each request stands for, Partition.slow, and what each of a channel's does.
void partition_slow(Partition *p, uint32_t slow, uint32_t channel, const uint32_t wait[STANDS]);
// Between launches, a copy from the host: bytes at an address within the partition, all of one line, are in the L2 now.
void partition_copied(Partition *p, uint64_t local, uint32_t bytes);
// A request of which only the effect on the L2's tags is wanted: it takes no time and isn't counted.
void partition_pass(Partition *p, const Packet *r);
// The partition by slice_bits, which are a power of two's number itself, of the address; of other numbers they say how
// many partitions a row of chunks is moved on, of the address within a partition.
static inline uint32_t partition_by_bits(const PartitionCfg *cfg, uint64_t address, uint64_t row, uint32_t part)
{
    uint64_t of = cfg->slices_by_number ? address : row;
    uint32_t n = 0;
    for (uint32_t k = 0; k < cfg->slice_bit_count; k++)
        n |= (uint32_t)(__builtin_popcountll(of & cfg->slice_bits[k]) & 1) << k;
    return cfg->slices_by_number ? n : (part + n) % cfg->partitions;
}
// Which partition serves an address, and the address within it.
static inline uint32_t partition_of(const PartitionCfg *cfg, uint64_t address, uint64_t *local)
{
    // Division by the number of partitions is a multiplication by its reciprocal, exact for addresses below 2^56.
    uint64_t block = address >> cfg->chunk_shift,
             q = cfg->partitions == 1 ? block : (uint64_t)((unsigned __int128)block * cfg->reciprocal >> 64);
    uint32_t part = (uint32_t)(block - q * cfg->partitions);
    if (cfg->slice_bit_count) {
        part = partition_by_bits(cfg, address, q << cfg->chunk_shift, part);
    } else if (cfg->hash) {  // rows of blocks are rotated, so that strides of whole rows spread
        uint64_t h = q ^ q >> 5 ^ q >> 11;
        part = (uint32_t)((part + h) % cfg->partitions);
    }
    if (local) *local = q << cfg->chunk_shift | (address & (cfg->chunk - 1));
    return part;
}
// The L2 in two halves, each with every other SM. What the way to the other half takes more, there and back; it only
// adds to the links' latencies, so packets still arrive at least a window later. 0 within a half.
static inline bool partition_is_far(const PartitionCfg *cfg, uint32_t part, uint32_t sm)
{
    return cfg->far && (part >= cfg->partitions / 2) != (sm & 1);
}
static inline uint32_t far_there(const PartitionCfg *cfg, uint32_t part, uint32_t sm)
{
    return partition_is_far(cfg, part, sm) ? cfg->far / 2 : 0;
}
// Runs a channel through the window that ends at cycle `end`. p is the channel's first slice. Windows in which nothing
// is due may be left out; `window` counts those that aren't.
void partition_run(Partition *p, uint64_t window, uint64_t end);
bool partition_idle(const Partition *p);  // nothing waits, nothing is under way
// tlb.c: passes requests of the SMs' late wires that arrive before cycle `end` through the L2 TLB, to the partitions.
// At edges.
void mmu_run(Mmu *m, Wire *const *late, uint32_t sms, Partition *parts, uint64_t window, uint64_t end);
static inline uint64_t mmu_due(const Mmu *m) { return m->waiting.n ? m->waiting.v[0].time : NEVER; }

// --- crossbar.c: the way back, where replies keep their order --------------------------------------------------------
typedef struct CrossbarHead {  // of a partition's queue
    uint64_t at;               // when it can pass, if its SM's link is free; NEVER: there is none
    uint32_t sm;
} CrossbarHead;
typedef struct Crossbar {
    PartitionCfg cfg;
    uint32_t cost;       // 1/65536 cycle per byte of an SM's link
    Fifo *queue;         // per partition: what is on its way or waits
    uint64_t *free;      // per partition: when its last reply is through, 1/256 cycle
    uint64_t *sm_free;   // per SM: the cycle from which its link is free
    CrossbarHead *head;  // per partition
    bool *came;          // per partition: it sent replies in the window before
    Wire *wire;          // per SM: what has passed
    uint64_t due;        // when the next one passes, or NEVER
} Crossbar;
bool crossbar_open(Crossbar *x, const PartitionCfg *cfg, double bytes_in);  // false: out of memory
void crossbar_close(Crossbar *x);
void crossbar_begin(Crossbar *x);  // time begins at 0 again
// Before window number `window`: replies that the partitions sent in the one before it join, and those that can pass
// before cycle `horizon` do.
// Partitions may run through this window at the same time: whether they had sent replies is looked at before.
void crossbar_look(Crossbar *x, const Partition *parts);
void crossbar_run(Crossbar *x, const Partition *parts, uint64_t window, uint64_t horizon);

#endif
