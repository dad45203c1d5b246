// maker.h: what the parts of the generator share. layout.c draws buffers and pointers, access.c writes addresses, loads
// and stores, statements.c what a loop's body is made of, functions.c what it calls, together.c what takes several
// threads, generate.c loops and the kernel.
#ifndef MAKER_H
#define MAKER_H

#include "generate.h"

typedef enum Kind { READ, OWN, LIST, TABLE, POST, RESULT, COUNTER, BATON, SUM } Kind;
// Elements of one kind in a buffer. Thread rank r's element i lies at byte at + r·thread + i·step.
typedef struct Section {
    Kind kind;
    uint32_t buffer, at;
    uint32_t element,
        count;       // bytes of an element; elements of a thread, or of all (READ, RESULT, COUNTER, BATON, SUM)
    uint32_t align;  // of an element, of which accesses are as wide at most
    uint32_t thread, step;
    uint32_t low;     // the first byte of an element that may be written: behind a LIST's pointer
    uint32_t target;  // TABLE: the section its pointers lead to
} Section;
typedef struct View {  // a pointer of the kernel
    uint32_t section;
    int arg;              // the argument it is; −1: the address of a variable
    int32_t start;        // bytes from it to where the section begins
    bool atomic, strong;  // whether atomics and volatile accesses use it
    bool spilled;         // a copy lies in local memory
    uint32_t base;        // the %x register that leads to this thread's first element
} View;
typedef struct Place {  // where an access goes
    uint32_t section;
    uint32_t x;           // the %x register with its address
    int32_t offset;       // and what is to be added
    bool generic;         // the address may be used without a space only
    bool strong, atomic;  // how it may be accessed
    bool keep;            // x is needed later on: not to be overwritten
} Place;

enum { DEPTH = 3 };                   // loops within each other
enum { A = 6, W = 3, F = 2, D = 2 };  // accumulators of 32 and 64 bits, and in floating point

typedef struct Maker {
    uint64_t state;
    Launch *launch;
    uint32_t sm, version;     // version: ten times PTX's
    uint32_t threads, ranks;  // of a block; of the grid
    VEC(Section) sections;
    VEC(View) views;
    int out, table, post, result, counter, baton, sum;  // views; −1: there is none
    uint32_t group, groups;  // threads that publish for each other, and how many such groups: see put_gather
    bool near;               // a group's ranks follow each other
    bool plain;              // each pointer leads to a buffer of its own, each access derives from one: see draw_layout
    int number, far;         // arguments: a small count; an offset of 64 bits, which is 8
    Text body, functions;
    uint32_t temps, labels, function_count;
    // where the text is
    bool uniform;  // all threads of the block are here together
    bool returns;  // threads may have left, or may leave
    uint32_t depth, statements;
    uint32_t times;  // how often this place is run at most
    uint32_t most_times;
    uint32_t counters[DEPTH];               // of the loops around it: %t registers,
    uint32_t exits[DEPTH], latches[DEPTH];  // labels,
    bool uneven[DEPTH];                     // whether threads may leave one by one
    bool tested[DEPTH];                     // whether the next round would end in any case
    bool posted;                            // there is a gather already
} Maker;

uint32_t pick(Maker *m, uint32_t n);  // 0 … n−1
bool once_in(Maker *m, uint32_t n);
uint32_t range(Maker *m, uint32_t low, uint32_t high);
void put(Maker *m, const char *format, ...) __attribute__((format(printf, 2, 3)));
uint32_t temp(Maker *m);  // a new register: %t 32 bits, %x 64, %q predicate, …

void draw_layout(Maker *m);
Section *section_of(Maker *m, uint32_t view);
bool writable(Maker *m, uint32_t view);

uint32_t draw_index(Maker *m, uint32_t n);  // a loop's counter, a datum or a constant, less than n: a %t register
int draw_view(Maker *m, bool written);      // −1: there is none
int draw_twin(Maker *m, uint32_t view);     // another pointer whose elements lie in the same way, or −1
Place draw_place(Maker *m, uint32_t view);  // an element of this thread, or what a table leads to
void put_condition(Maker *m, uint32_t q, uint32_t one_in);  // sets %q by data
void put_load(Maker *m, const Place *p);
void put_store(Maker *m, const Place *p);
bool put_both(Maker *m, uint32_t view);     // an element through this pointer and another; false: there is none
void put_halves(Maker *m, const Place *p);  // of an element of 16 bytes or more that may be written
void put_atomic(Maker *m, const Place *p);  // of an element of 4 bytes or more
void put_bases(Maker *m);                   // %v of each view, from the rank

void put_block(Maker *m, uint32_t statements);
void put_loop(Maker *m);
void put_leave(Maker *m);  // some threads leave the kernel
void put_call(Maker *m);
void put_rank(Maker *m);      // %rank, and all that follows from it
void put_together(Maker *m);  // where all threads are: across a barrier or a warp
void put_gather(Maker *m);    // in an outermost loop: a group's last thread reads of all

#endif
