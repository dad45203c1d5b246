// unit.h: what the files of sl1 ask of each other. What other parts call stands in sl1.h.
#ifndef SL1_UNIT_H
#define SL1_UNIT_H

#include "sl1/sl1.h"

// Lines of 24 bytes begin at the structure's pointer, so lines of two structures may overlap. They are used only where
// pointers lead to different allocations, and in kernels without pointers of unknown origin.
static inline bool sl1_needs_apart(const Sl1Options *o) { return o->line == 24; }

// --- prepare.c: what is planned and written from: copies, in which calls are inlined and local variables forwarded ---
// The caller frees the copy, after its plan and before its module. The original is left as it is.
Function *sl1_prepare(const Function *f);
void sl1_prepared_free(Function *copy);
typedef struct Sl1Names {
    Map taken;
    Module *m;
} Sl1Names;
void sl1_take_names(Sl1Names *n, const Function *f);  // takes the names that f and its module have
const char *sl1_name(Sl1Names *n, const char *stem,
                     int64_t number);  // stem$number, or stem with the next free number
void sl1_names_free(Sl1Names *n);
uint32_t sl1_reg(Function *f, const char *name, Type type);  // a new one
Type sl1_bits(uint64_t bytes);                               // .b8 … .b64
// An instruction for f with the source position of near. The caller sets its guard.
Inst sl1_inst(Function *f, const Inst *near, Op op, const uint16_t *suffix, int suffixes, const Operand *o,
              int operands);
// inline.c
Function *sl1_inline(const Function *f);  // makes the copy
// forward.c
void sl1_forward(Function *copy);  // in place

// --- graph.c: what a function does, together with the functions that it calls ----------------------------------------
enum {
    SL1_HIDES = 1,          // calls by address, or has instructions for which a warp must stay together
    SL1_MEMORY = 2,         // accesses memory that isn't its own
    SL1_ATOMIC = 4,         // has atomics, so that others may see its accesses
    SL1_TOGETHER = 8,       // a warp must stay together
    SL1_NO_COPY = 16,       // has no body, or has variables that exist once
    SL1_CYCLE = 32,         // calls itself, directly or through others
    SL1_STORES = 64,        // stores to memory that may be global
    SL1_TILE_LOADS = 128,   // loads from memory that may be shared
    SL1_TILE_STORES = 256,  // stores to memory that may be shared
};
Sl1Graph sl1_graph(const Function *f);
uint32_t sl1_facts(const Sl1Graph *g, const Function *f);
void sl1_graph_free(Sl1Graph *g);

// --- plan.c: what is to be rewritten ---------------------------------------------------------------------------------
typedef enum Sl1Access {
    SL1_OTHER = -2,
    SL1_UNKNOWN = -1
} Sl1Access;  // an access of other memory than global memory; one whose pointer is of unknown origin
enum { SL1_NOT_KNOWN = -1, SL1_NOT_USED = -2 };
typedef enum Sl1Call {
    SL1_NO_CALL = -1,
    SL1_HARMLESS = -2,
    SL1_OPAQUE = -3
} Sl1Call;                                            // accesses no memory but its own; it isn't known what it does
Sl1Plan *sl1_plan(const Function *f, bool lockstep);  // lockstep: silent loops are left alone
const Function *sl1_callee(const Inst *i);            // the function that a direct call calls, or null
uint32_t sl1_own_facts(const Function *f);            // SL1_… of f alone
bool sl1_is_static(const Symbol *s);                  // does this variable of a body exist once?
bool sl1_is_atomic(const Inst *i);                    // an atomic of memory that may be global
bool sl1_is_strong(const Inst *i);                    // volatile, relaxed, or with another memory order
void sl1_plan_free(Sl1Plan *p);
void sl1_plan_print(const Sl1Plan *p, Text *out);
// stride.c
void sl1_strides(Sl1Plan *p, uint32_t line);  // fills the loops' hits and weights, for lines of `line` bytes

// --- inner.c: copies of inner loops that aren't monitored ------------------------------------------------------------
void sl1_find_quiet(Sl1Plan *p);

// --- kernel.c: a kernel's text ---------------------------------------------------------------------------------------
void sl1_put(Sl1Writer *w, const char *format, ...) __attribute__((format(printf, 2, 3)));  // a line of PTX
// With the functions that it calls. cap: the most registers of a thread; 0: it has no such limit.
void sl1_write_kernel(const Sl1Plan *p, const Sl1Options *o, bool alias, uint32_t cap, Text *out, LineOrigins *origins);
void sl1_write_slice(const Sl1Plan *p, const Sl1Options *o, bool alias, Slice slice,
                     Text *out);  // one slice alone, for the reader
// Sets %sl1_warp (where the warp's choices are), %sl1_lines (the thread's first line), %sl1_count (CLN).
void sl1_find_region(Sl1Writer *w);
void sl1_load_count(Sl1Writer *w);  // sets %sl1_count alone
void sl1_put_inst(Sl1Writer *w, const Inst *i);
// Where warps choose, each has sl1_warp_bytes before the lines in a block's shared memory: sl1_loop_bytes for each main
// loop. These hold the choice, then for each structure its hits and accesses; and, if loads are timed, its slow loads
// minus those that miss.
static inline uint32_t sl1_counts(const Sl1Options *o) { return o->clock ? 3 : 2; }  // of a structure
uint32_t sl1_warp_bytes(const Sl1Plan *p, const Sl1Options *o);
uint32_t sl1_loop_bytes(const Sl1Plan *p, const Sl1Options *o);
// The alignment of our part of dynamic shared memory, and of the lines in it.
static inline uint32_t sl1_align(const Sl1Options *o) { return o->pairs ? 32 : 16; }
bool sl1_has_bitmap(const Sl1Writer *w, uint32_t structure);
bool sl1_has_high(const Sl1Writer *w, uint32_t structure);
bool sl1_has_next(const Sl1Writer *w, uint32_t structure);

// --- temps.c: names of our registers ---------------------------------------------------------------------------------
void sl1_add_reg(Sl1Writer *w, Type type, const char *format, ...) __attribute__((format(printf, 3, 4)));
void sl1_next_site(Sl1Writer *w);                    // what is put from now on has temporaries of its own
uint32_t sl1_own(Sl1Writer *w, const char *name);    // the register that this name means here; NO_REG: there is none
void sl1_put_named(Sl1Writer *w, const char *line);  // puts the line, with the names of such registers

// --- neighbour.c: accesses that need no look at a tag of their own ---------------------------------------------------
void sl1_find_neighbours(Sl1Writer *w);

// --- pair.c: two lines of a structure --------------------------------------------------------------------------------
bool sl1_pairs(const Sl1Writer *w);                       // may structures of this kernel have two lines?
bool sl1_paired(const Sl1Writer *w, uint32_t structure);  // has it two lines, where there is room?
void sl1_move_pair(Sl1Writer *w, uint32_t structure);     // for an access of %sl1_low, with the whole address in w->x
void sl1_take_line(Sl1Writer *w, uint32_t structure, uint32_t half);  // the lower (0) or upper line into %sl1_v0 …
void sl1_put_span(Sl1Writer *w);

// --- registers.c: lines in registers ---------------------------------------------------------------------------------
bool sl1_in_registers(const Sl1Writer *w, uint32_t structure);
void sl1_line_words(const Sl1Writer *w, char letter, uint32_t structure,
                    char out[100]);  // the words of the line (letter w) or of the next line (e), as a vector
void sl1_access_words(Sl1Writer *w, const Inst *i,
                      uint32_t structure);  // accesses the line in registers at offset %sl1_t, which a store keeps

// --- calls.c: functions that a main loop calls -----------------------------------------------------------------------
// Declares the variables in which calls of a slice return their results and the cache's state.
void sl1_declare_results(Sl1Writer *w);
// Calls the slice's copy of the function, and passes the cache's state.
void sl1_call(Sl1Writer *w, const Inst *i, uint32_t body);
// Writes an access of a call's result, which now stands behind the state; false: it is no such access.
bool sl1_move_result(Sl1Writer *w, const Inst *i);
void sl1_state_in(Sl1Writer *w), sl1_state_out(Sl1Writer *w);  // at a function's beginning and where it returns
void sl1_write_head(Sl1Writer *w, uint32_t body, Text *out);   // a function's head, without its body

// --- monitor.c, access.c, flush.c: what is put into the slices -------------------------------------------------------
// Sets q to whether any (or all) of the active lanes have %sl1_p set.
void sl1_vote(Sl1Writer *w, const char *mode, const char *q);
void sl1_begin_monitor(Sl1Writer *w);               // before a main loop
void sl1_check_monitor(Sl1Writer *w);               // at its head: were enough accesses made?
void sl1_check_inner(Sl1Writer *w, uint32_t loop);  // at the head of an inner loop that has copies
// Is a choice made at the head of this inner loop?
static inline bool sl1_chooses_at(const Loop *l) { return l->depth == 2; }
bool sl1_chooses_inside(const Sl1Writer *w);  // has the slice's main loop such inner loops?
void sl1_leave_inner(Sl1Writer *w);           // behind the cached copy of one, whose lines were flushed
// At the head of a slice that isn't monitored: were enough rounds made? And the way back to the monitoring slice.
void sl1_check_rounds(Sl1Writer *w);
void sl1_monitor_again(Sl1Writer *w);
bool sl1_monitors_again(const Sl1Writer *w);          // is this loop monitored more than once?
void sl1_simulate(Sl1Writer *w, uint32_t structure);  // simulateCache (§3.2.1) for the address w->x
void sl1_put_timed(Sl1Writer *w, const Inst *i,
                   uint32_t structure);  // the access itself, timed if the clock setting asks for it
// CalculateWhatToCache (§3.2.2); then on to the computing slice, or to a copy of this inner loop (else NO_BLOCK).
void sl1_choose(Sl1Writer *w, uint32_t inner);
void sl1_choose_by_strides(Sl1Writer *w);     // the same, without a monitor
bool sl1_strides_choose(const Sl1Writer *w);  // this loop has no monitor, its strides choose
// Its strides are known not to be worth a line, and no line may hold its bytes.
bool sl1_is_poor(const Sl1Writer *w, int structure);
// Computes the line of w->x in the form that tags have; returns its register.
const char *sl1_line_of(Sl1Writer *w, uint32_t structure);
void sl1_address(Sl1Writer *w, const Inst *i);  // sets w->x
// AccessThroughCache (§3.2.3), with the computation of the address.
void sl1_access(Sl1Writer *w, const Inst *i, int structure, const Sl1Near *near);
// Does an access of this structure only look at the structure's own line, which is in shared memory?
bool sl1_through_own(const Sl1Writer *w, const Inst *i, int structure);
const Operand *sl1_address_of(const Inst *i);  // the operand of a load, store or reduction
// An access of memory itself; what lines hold of its bytes is written back first.
void sl1_go_past(Sl1Writer *w, const Inst *i, int structure);
void sl1_flush(Sl1Writer *w);                           // all lines are written back and forgotten
void sl1_write_back(Sl1Writer *w, uint32_t structure);  // writes its lines back, if they were written to
// The same for one of a pair's lines: 0 or 1. What was written to is still marked then.
void sl1_write_half(Sl1Writer *w, uint32_t structure, uint32_t half);
void sl1_move_line(Sl1Writer *w, uint32_t structure, bool load,
                   const char *address);  // loads or stores a whole line of global memory
void sl1_forget(Sl1Writer *w, uint32_t structure);
void sl1_put_high(Sl1Writer *w, uint32_t structure);  // sets %sl1_g…, the high half of the line's address
void sl1_put_tag(Sl1Writer *w, uint32_t structure);   // sets %sl1_z, the line's address

// --- cap.c: the most registers of a rewritten kernel -----------------------------------------------------------------
// 32-bit registers of a thread, with those of the functions along the deepest chain of calls, if nothing is spilled.
uint32_t sl1_need(const Function *f);
// The most registers with which a multiprocessor of compute capability sm holds as many warps as it can, where no more
// than `state` are spilled, nor more than rewriting added; 0: it does without a cap. Both needs are those of sl1_need.
uint32_t sl1_cap(uint32_t sm, uint32_t original, uint32_t rewritten, uint32_t state);

// --- launch.c: which kernel is launched, and room for lines ----------------------------------------------------------
// Does each structure's pointer (pointer[i]) lead to an allocation, and, unless the user promised that pointers don't
// alias, to one of its own?
bool sl1_apart(const Sl1Kernel *k, const Sl1Options *o, const uint64_t *pointer, Sl1Range *range, void *user);

#endif
