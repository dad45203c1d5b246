// config.h: what an SM is built from: its part of a GPU's description, in which storage.c sets the sizes for a launch.
#ifndef SM_CONFIG_H
#define SM_CONFIG_H

#include "mem/mem.h"
#include "policy/policy.h"
#include "ptx/tables.h"

typedef enum Hierarchy { HIERARCHY_NONE, HIERARCHY_RECENT, HIERARCHY_STRANDS } Hierarchy;
typedef enum StorageKind { STORAGE_PARTITIONED, STORAGE_FERMI, STORAGE_UNIFIED, STORAGE_CARVED } StorageKind;
typedef enum Repartition { REPARTITION_DROP, REPARTITION_KEEP } Repartition;
typedef enum Per { PER_KERNEL, PER_PROGRAM } Per;
typedef enum Counting { COUNT_LOWERED, COUNT_PTX, COUNT_SASS } Counting;    // issue slots of an instruction
typedef enum Gather { GATHER_NONE, GATHER_CONSTANT, GATHER_LANES } Gather;  // whose atomics one lane does
typedef enum Reorder { REORDER_NONE, REORDER_FREE, REORDER_OCCUPANCY } Reorder;
typedef enum FenceDoes { FENCE_KEEPS, FENCE_EMPTIES } FenceDoes;  // to the L1, of more than a block's threads
// What lies side by side for the lanes of a warp in local memory; the rest lies in one piece.
typedef enum Interleave { INTERLEAVE_NONE, INTERLEAVE_ALL, INTERLEAVE_SPILLS } Interleave;
typedef struct ClassCfg {
    uint32_t latency;    // cycles from issue to the result's use
    uint32_t interval;   // cycles between issues of this class by one scheduler
    uint32_t per_cycle;  // warp instructions of this class an SM starts a cycle; 0: no limit
} ClassCfg;
typedef struct TensorCfg {
    double rate;                                    // multiply-adds of .f16 a cycle, of the SM; 0: there is no unit
    double wgmma;                                   // that of wgmma; 0: the same
    double f32, tf32, f64, f8, s8, s4, b1, sparse;  // times that
    double shallow;                                 // of products of one step, times these
    uint32_t step;                                  // cycles
} TensorCfg;
typedef struct SmCfg {
    uint32_t schedulers, issue, max_warps, max_blocks, max_threads;
    uint32_t start;                          // cycles from a block's place on the SM to its warps' first instructions
    uint32_t registers, reg_unit, reg_max;   // 32-bit registers; allocation unit of a warp; most per thread
    uint32_t reg_partitions;                 // equal parts of the registers; a warp's lie in one
    uint32_t reg_banks, reg_ports;           // 0 banks: no conflicts
    bool reg_stated;                         // at least as many a thread as a workload's paper counts
    bool reg_params;                         // a kernel's parameters take registers
    uint32_t reorder;                        // Reorder: order_blocks
    uint32_t lower;                          // ptx_lower; 0: code stays as it is
    bool async;                              // copy_async
    bool vectors;                            // merge_global
    bool reg_values;                         // a value of any width takes one register
    bool reg_spread;                         // files_spread
    uint32_t hierarchy, lrf, orf;            // Hierarchy; words per thread in the last-result and operand register file
    bool audit;                              // exec_audit before each instruction
    bool energy;                             // accesses of banks are counted for it
    uint32_t storage, storage_size;          // StorageKind; bytes that it shares out
    uint32_t repartition, per;               // Repartition; Per: what keeps the sizes of its first launch
    bool scatter;                            // unified: an access may take several banks of a cluster
    uint32_t carveouts[64], carveout_count;  // KiB of shared memory to choose from
    char preferred[256];                     // by kernels: "scale:8,axpy:100"
    uint32_t shared_size, shared_unit, shared_reserved, shared_max;  // bytes; of an SM, per block, a block's most
    uint32_t shared_latency, shared_conflict;                        // cycles; 1/256 cycle per pass beyond the first
    bool shared_blocks;  // passes beyond the first hold up the accesses behind
    BankCfg banks;
    ClassCfg unit[CLASS_COUNT];
    uint64_t icache, icache_second;          // bytes
    double icache_second_rate, icache_rate;  // bytes per cycle of lines from the second one, from the L2
    uint32_t icache_latency;
    TensorCfg tensor;
    uint32_t count;                  // Counting
    bool laws;                       // whoever asks the policy's view about a warp that isn't meant is told
    uint32_t policy;                 // its place in policies[], or policy_count: a plug-in
    const oc_policy_type *schedule;  // that policy
    double param[OC_MOST_PARAMS];    // its parameters' values
    CacheCfg l1, ro, cst;
    CacheCfg scratch;       // scratch.c: as large as it can become; size 0: the policy wants none
    uint32_t scratch_bits;  // of the mask of its rows
    bool scratch_modulo;    // its rows are as many as fit, no power of two
    uint32_t scratch_look;  // cycles, for the L1's tags before an access of it
    TlbCfg tlb;
    uint64_t tag_bits[5];                // of the L1: address bits by bit of the number of a bank of tags
    uint32_t tag_bit_count;              // 0: it looks a line up in each cycle
    bool l1_private;                     // each warp has an L1 of its own
    uint32_t prefetcher;                 // of the L1: 0 for none, or 1 + its place in prefetchers[]; behind: a plug-in
    const oc_prefetcher_type *prefetch;  // that one; null: none
    double prefetch_param[OC_MOST_PARAMS];
    bool l1_global, l1_local;      // the spaces the L1 serves
    uint32_t l1_fence;             // FenceDoes
    bool l1_local_back;            // local stores stay in the L1 until their lines are replaced
    bool ro_texture, ro_nc;        // what the read-only cache serves besides
    char past[256], take[256];     // data structures whose loads go past the L1, to the read-only cache: names
    uint32_t lsu_queue;            // memory instructions
    uint32_t lsu_interval;         // cycles, from one to the next
    uint32_t pending;              // uncached requests under way
    uint32_t lsu_extra, ro_extra;  // cycles from a reply to its use
    double bytes_out, bytes_in;    // of the SM's ports, per cycle
    uint32_t out_queue;            // packets that can wait for one partition's credits
    uint32_t to_partition;         // cycles
    uint32_t copy_requests, copy_latency, copy_interval;  // of the copy engine
    uint32_t cluster_latency;
    double cluster_bytes;  // per cycle, of accesses of other blocks' shared memory
    uint32_t local_limit;
    uint32_t interleave;  // Interleave
    uint32_t gather;      // Gather
    // What a launch would take if one thing weren't: each is a mechanism that costs nothing.
    struct {
        bool coalesced, conflicts, divergence, spills;
    } ideal;
} SmCfg;

#endif
