// called.h: kernels with calls and local variables, what inlining and forwarding are to leave of them, and what they
// compute.
#ifndef CALLED_H
#define CALLED_H

#include "base/base.h"

enum { THREADS = 64, OWN = 64, BYTES = 8192 };  // of the only block; bytes of a thread in either buffer; of a buffer

typedef struct Called {
    const char *name;
    uint32_t sm;  // at least
    const char *functions,
        *body;  // the kernel's: %a and %b lead to the thread's bytes, %r1 is the result, 0 at first; %t is the thread
    uint32_t (*want)(uint32_t t);
    uint32_t calls, variables;  // that stay; local ones and those of calls
    uint32_t structures;        // of the plan
    bool unknown;               // accesses of its main loops
} Called;
extern const Called called[];
extern const size_t called_count;
uint8_t called_byte(int buffer, uint32_t at);              // what the buffers hold at first
void put_called(const Called *c, uint32_t sm, Text *out);  // a module with kernel "k" of two pointers

// A loop, with %r0 counting its rounds; a function of a pointer and a number.
#define LOOP(rounds, ...)                                                                                     \
    "    mov.u32 %r0, 0;\n$loop:\n" __VA_ARGS__ "    add.u32 %r0, %r0, 1;\n    setp.lt.u32 %p, %r0, " #rounds \
    ";\n    @%p bra $loop;\n"
#define FUNCTION(name, ...)                                                                                    \
    ".func (.param .b32 r) " name                                                                              \
    "(.param .b64 p, .param .b32 n)\n{\n    .reg .b32 %r<9>;\n    .reg .b64 %rd<9>;\n    .reg .pred %q, %p;\n" \
    "    ld.param.u64 %rd0, [p];\n    ld.param.u32 %r0, [n];\n" __VA_ARGS__ "}\n"

#endif
