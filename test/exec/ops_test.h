// ops_test.h: what the tests of the lane functions share. A form is one operation with its types and modifiers. A test
// walks all forms that ops.def allows, says by the PTX ISA which of them are legal and what they compute, and the rest
// is done here: every legal form is written as PTX, parsed, decoded and run on edge values with each build of the lane
// functions, and every byte of the frame is compared, so that lanes outside the mask and other registers must keep
// their values.
#ifndef OPS_TEST_H
#define OPS_TEST_H

#include "exec/unit.h"
#include "ptx/pass.h"

// --- the builds of the lane functions --------------------------------------------------------------------------------
enum { MAX_BUILDS = 3 };
int build_count(void);  // those this host can run
const char *build_name(int b);
ExecFn *build_pick(int b, const Inst *i);  // as pick.c would for that build
MultiplyFn *build_multiply(int b, const Inst *i);

// --- values ----------------------------------------------------------------------------------------------------------
uint64_t any(void);  // pseudo-random, the same in every run
typedef struct Values {
    uint64_t v[128];
    int n;
} Values;
void value_add(Values *v, uint64_t x);
// The edges of a type: for integers 0, ±1, both ends, powers of two and their neighbours, alternating bits; for floats
// zeros, subnormals, ends, ones, infinities, NaNs.
void value_edges(Values *v, Type t);
void value_amounts(Values *v);  // what a shift or a bit position may be: around 8, 16, 32, 64, 256, and wild
uint64_t value_any(Type t);
uint64_t low_bits(uint64_t x, int bits);
int64_t sign_extended(uint64_t x, int bits);

// --- one instruction, parsed and decoded -----------------------------------------------------------------------------
#define BANK 0x300000000ull  // where its constants would lie
enum { BANK_BYTES = 4096 };
typedef enum Verdict { ILLEGAL, REFUSED, ACCEPTED } Verdict;  // by the parser; by decode; neither
typedef struct Opened {
    Module *module;
    Image image;
    Kernel *kernel;
    const Code *code;
    const Function *f;
    Diag diag;
} Opened;
// The instructions become the body of a kernel, head (which may be empty) stands before it.
Verdict ptx_open(Opened *o, int sm, bool lower, const char *head, const char *body);
void ptx_close(Opened *o);
uint32_t reg_find(const Opened *o, const char *name);  // fails the test when it isn't there

// The registers of a warp
enum { FRAME_ROWS = 64, FRAME_PREDS = 32 };
typedef struct Frame {
    _Alignas(128) uint8_t rows[FRAME_ROWS * ROW_BYTES];
    uint32_t pred[FRAME_PREDS];
    uint32_t cc;
} Frame;
void frame_fill(const Opened *o, Frame *w);  // random bits, narrow registers zero-extended
uint64_t reg_get(const Opened *o, const Frame *w, uint32_t reg, int lane);
void reg_put(const Opened *o, Frame *w, uint32_t reg, int lane, uint64_t x);
Lanes frame_lanes(const Opened *o, Frame *w);
bool frame_same(const Opened *o, const Frame *a, const Frame *b);  // but for what nobody reads
uint32_t some_mask(unsigned k);  // full for 0, then sparse ones and random ones; never empty
// Runs all lane instructions in order; others are left out.
void frame_run(const Opened *o, Frame *w, uint32_t mask, int build);

// --- forms -----------------------------------------------------------------------------------------------------------
typedef struct Form {
    Op op;
    Type type, type2;
    uint8_t mod[G_COUNT];
} Form;
void form_text(const Form *f, Text *out);  // "mad.hi.sat.s32"
static inline bool form_has(const Form *f, Group g) { return f->mod[g] != M_NONE; }
bool form_only(const Form *f, uint64_t groups);  // no modifiers but of these groups
// Calls visit for every combination of types and modifiers that op's row in ops.def has; types: only those, 0: all.
void form_each(Op op, uint64_t types, void (*visit)(void *user, const Form *f), void *user);

typedef struct In {
    uint64_t x[5];  // sources in order, as the register's or constant's bits
    bool q, cc;     // the predicate source (negation done); the carry flag
} In;
typedef struct Out {  // starts as what was there before
    uint64_t d;
    bool p, q, cc;
} Out;
typedef struct Census {
    int tested, missing, outside;  // legal and tested; legal and refused; not legal and refused
    int wrong;                     // legal and refused without being known, or not legal and accepted
    uint64_t values;               // results compared with the reference, of one build
    Text missing_text;
} Census;

// What a test says about an operation. operands is written from the ISA's syntax, one letter each, destination first:
//   d destination of type 1   D of the product's width   h of 32 bits   p predicate   P p|q   H d|p   (a leading - :
//   none)
//   a source of type 1        A of the product's width   b of type 2    u of 32 bits  n of 32 bits, an amount
//   l of 64 bits              q predicate, at the end    i the constant that form_test is given
typedef struct Rule {
    Op op;
    const char *operands;
    bool (*legal)(const Form *f);    // by the PTX ISA's syntax
    bool (*missing)(const Form *f);  // legal, and may be refused
    void (*reference)(const Form *f, const In *in, Out *out);
} Rule;
enum { TRY_SHAPES = 1, TRY_BRIEFLY = 2 };  // operands that share registers, constants; few values
// Tests all forms of ops.def's row; c counts.
void rule_census(Census *c, const Rule *r, uint64_t types);
// Tests one form; constant stands for i.
void form_test(Census *c, const Rule *r, const Form *f, int how, uint64_t constant);
void census_print(const char *what, const Census *c, int builds);

#endif
