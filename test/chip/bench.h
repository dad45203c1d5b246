// bench.h: what the tests of the chip share: a device from a description, PTX put together from a body, a launch whose
// counters must keep the conservation laws, and what it left in memory.
#ifndef BENCH_H
#define BENCH_H

#include "check.h"
#include "device/device.h"

typedef struct Bench {
    oc_device *d;
    const Gpu *gpu;
    oc_ptr out, data;  // arguments 0 and 1: 64 KiB of results, and data
    size_t data_bytes;
} Bench;

// gpu: a shipped description or a file; sets: "key=value key=value …", or null.
void bench_open(Bench *b, const char *gpu, const char *sets);
// The same with settings of its own: no_lowering, threads …; gpu and sets are filled in.
void bench_open_config(Bench *b, oc_config config, const char *gpu, const char *sets);
void bench_close(Bench *b);
void bench_data(Bench *b, const void *data, size_t bytes);  // fills `data`; null: zeroes
void bench_read(Bench *b, void *to, size_t bytes);          // from `out`

typedef struct Shape {
    uint32_t grid, block, shared;  // 0: one block, 32 threads, no dynamic shared memory
} Shape;
// Runs a kernel whose body is given, with
//   %out, %in   64-bit: the two arguments          %n          32-bit: the third argument
//   %t          tid.x     %g  ctaid.x · ntid.x + tid.x
//   %r0 … %r63, %rd0 … %rd63, %f0 … %f31, %d0 … %d31, %p0 … %p7; shared memory `smem` of 48 KiB as .extern
// `ret` is added. Before a line ---, if there is one, the body has variables of the module. The launch's record;
// checked against the laws.
const Record *bench_run(Bench *b, const char *body, Shape shape, uint32_t n);
const Record *bench_run_sm70(Bench *b, const char *body, Shape shape, uint32_t n);
oc_kernel *bench_load(Bench *b, const char *body, const char *target);
oc_kernel *bench_load_bounded(Bench *b, const char *body, const char *target, const char *bounds);  // .maxntid …
const Record *bench_launch(Bench *b, oc_kernel *k, Shape shape, uint32_t n);
#define COUNT_OF(record, counter) ((record)->count[C_##counter])
#define CYCLES(record) ((record)->count[C_CYCLES])

// Text: bench_text(&t, "…%d…", …) appends; repeat() appends a line n times, with %k standing for 0, 1, … modulo `mod`.
void repeat(Text *t, uint32_t n, uint32_t mod, const char *line);

void assert_within(double got, double want, double part, const char *what);
#endif
