// flow.h: a function's basic blocks, what is live in them, and where its registers lie.
#ifndef PTX_FLOW_H
#define PTX_FLOW_H

#include "ptx/ptx.h"

// --- flow.c, live.c: basic blocks, dominators, loops; liveness -------------------------------------------------------
typedef struct Block {
    uint32_t first, last;  // instructions [first, last)
    VEC(uint32_t) succ, pred;
    uint32_t idom, ipdom;           // NO_BLOCK: none
    uint32_t dom_first, dom_count;  // what it dominates: the blocks numbered dom_first to dom_first + dom_count - 1
    uint32_t loop;                  // innermost loop, or NO_BLOCK
} Block;
#define NO_BLOCK UINT32_MAX
typedef struct Loop {
    uint32_t head;           // block
    uint32_t parent, depth;  // enclosing loop or NO_BLOCK; 1 is outermost
    VEC(uint32_t) latches;
    struct {
        const uint32_t *v;  // of Flow.loop_blocks, where those of loops inside it are among them
        size_t n;
    } blocks;
} Loop;
typedef struct Flow {
    const Function *f;
    VEC(Block) blocks;
    uint32_t *block_of;   // per instruction
    VEC(uint32_t) order;  // reverse post-order
    VEC(Loop) loops;      // outermost first
    uint32_t *loop_blocks;
    // liveness: bit sets of words 64-bit words each
    uint32_t words;
    uint64_t *live_in;  // [block][word]
} Flow;
Flow *flow_build(const Function *f);                            // blocks, edges, dominators, post-dominators, loops
void flow_live(Flow *flow);                                     // liveness
bool flow_dominates(const Flow *flow, uint32_t a, uint32_t b);  // block a dominates block b
void flow_free(Flow *flow);
// The instruction at which lanes that part at branch i meet again, or the function's end.
uint32_t flow_reconvergence(const Flow *flow, uint32_t i);
void flow_dot(const Flow *flow, Text *out);  // Graphviz

// --- alloc.c: registers ----------------------------------------------------------------------------------------------
typedef struct Alloc {
    uint32_t *slot;        // per register: first 32-bit slot of the register file; NO_REG: never used
    uint32_t *place;       // per register: first row of its value, or predicate number; NO_REG: never used
    uint32_t slots;        // 32-bit registers a thread needs, in this function alone
    uint32_t rows, preds;  // of values: rows of 32 bits, predicates
} Alloc;
Alloc *alloc_colour(const Flow *flow);                 // needs liveness
Alloc *alloc_limited(const Flow *flow, size_t edges);  // the same, scanning beyond so many edges
Alloc *alloc_identity(const Flow *flow);  // every register a place of its own: the PTX as written; needs liveness
uint32_t alloc_values(const Flow *flow);  // registers, if each held a value of any width; 0: too many to tell
void alloc_free(Alloc *alloc);

#endif
