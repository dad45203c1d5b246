// chase_ptx.c: the kernels of a chase, one module for each kind of load. The kernel `chase` executes a sequence of
// walks. Its 256 threads copy the sequence into shared memory, one thread goes on alone, and all 256 write the
// latencies out.
//
// While the sequence runs, nothing but its loads uses a cache or a TLB. What the loop needs comes from registers and
// shared memory, not from parameters, which on a real GPU are operands in a constant cache. The value of each load is
// zero, which no compiler can know. It is added to the next address, so that a load can't start before the one before
// has come back. The clock is read when the address is ready, and again when a store of the loaded value has waited
// for it. A timed load does the same whether its latency is kept or not: the latency goes to its slot in the window,
// or to a spare slot behind the window. At the end the spare slot gets the cycles of the whole sequence, and is given
// to the host with the window.
//
// Shared memory holds: DeviceHead, the walks, the window, the spare slot, and a word to which stores go.
#include "probe/measure.h"

// The load of a kind is of address %a, or of an address that the text `address` computes from it; `ready` is the
// register that is computed last. The value goes to %x.
typedef struct KindText {
    const char *module, *home;  // declares a variable; code that puts its address into %home
    const char *address, *ready, *load, *after;
    int threads;  // how many threads of the block go on
} KindText;

// Consecutive words of local memory belong to consecutive lanes (CUDA C Programming Guide, "Local Memory"). So the
// whole warp goes on, and the lane whose word it is makes the load; the warp waits for the register as one. Local
// memory isn't zero on a real GPU, and storing zeros would fill the cache before the sequence. So the value is masked
// with a zero that the compiler doesn't know; a store that only happens if it isn't zero keeps the variable alive.
static const KindText kinds[CHASE_KINDS] = {
    [CHASE_GLOBAL] = {"", "", "", "%a", "ld.global.ca.u32 %x, [%a];", "", 1},
    [CHASE_L2] = {"", "", "", "%a", "ld.global.cg.u32 %x, [%a];", "", 1},
    [CHASE_READONLY] = {"", "", "", "%a", "ld.global.nc.u32 %x, [%a];", "", 1},
    [CHASE_TEXTURE] = {"", "", "shr.u64 %b, %a, 2;\n    cvt.u32.u64 %texel, %b;", "%b",
                       "tex.1d.v4.u32.s32 {%x, %y1, %y2, %y3}, [%texture, {%texel}];", "", 1},
    [CHASE_CONST] = {".const .align 256 .b8 bank[65536];\n", "mov.u64 %home, bank;", "add.u64 %b, %home, %a;", "%b",
                     "ld.const.u32 %x, [%b];", "", 1},
    [CHASE_LOCAL] = {"", "mov.u64 %home, own;\n    setp.ne.u32 %p, %never, 0;\n    @%p st.local.u32 [%home], %never;",
                     "shr.u64 %b, %a, 7;\n    shl.b64 %b, %b, 2;\n    add.u64 %b, %home, %b;\n    cvt.u32.u64 %low, "
                     "%a;\n    bfe.u32 %low, %low, 2, 5;\n    setp.eq.u32 %mine, %low, %lane;",
                     "%b", "@%mine ld.local.u32 %x, [%b];", "and.b32 %x, %x, %never;", 32},
};
_Static_assert(CONST_SPAN == 65536 && sizeof(DeviceHead) == 32 && sizeof(DeviceWalk) == 32 && CHASE_BLOCK == 256,
               "as in the text");

// Writes instructions and labels, one to a line. Empty texts are left out.
static void lines(Text *out, const char *const *text, size_t n)
{
    for (size_t k = 0; k < n; k++)
        if (text[k][0]) text_printf(out, "    %s\n", text[k]);
}
#define PUT(out, ...) lines(out, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

static const char registers[] =
    "    .reg .pred %p, %timed, %mine;\n"
    "    .reg .b32 %thread, %lane, %x, %y1, %y2, %y3, %low, %texel, %never, %t0, %t1, %walks, %rounds, %left, %k, %n, "
    "%w, %v, %at, %room, %slot, %took, %wait, %count, %begin, %ta, %tb, %tc;\n"
    "    .reg .b64 %a, %b, %home, %texture, %list, %out, %from, %to, %base, %off, %step, %wrap;\n";

// A timed load: %t0 is read when the address is ready, %t1 when the value is.
static void timed_load(const KindText *k, const char *more, Text *out)
{
    PUT(out, k->address);
    text_printf(out, "    cvt.u32.u64 %%low, %s;\n", k->ready);
    PUT(out, "st.shared.u32 [%wait], %low;", "mov.u32 %t0, %clock;", k->load, more, "st.shared.u32 [%wait], %x;",
        "mov.u32 %t1, %clock;", k->after);
}

// %at is the distance of a timed load from the window's start: negative before it, which as an unsigned number is as
// far beyond its end as what comes behind it, and the slot at the end, %room, takes both. %off is k·stride mod wrap.
static void sequence(const KindText *k, Text *out)
{
    PUT(out, "mov.u32 %w, shared;", "ld.shared.u64 %texture, [%w];", "ld.shared.u32 %rounds, [%w+12];",
        "ld.shared.u32 %at, [%w+16];", "ld.shared.u32 %never, [%w+24];", "mov.u32 %x, 0;", k->home,
        "mov.u32 %begin, %clock;");
    PUT(out, "ROUND:", "setp.eq.u32 %p, %rounds, 0;", "@%p bra LAST;", "sub.u32 %rounds, %rounds, 1;",
        "mov.u32 %w, shared;", "mov.u32 %left, %walks;");
    PUT(out, "WALK:", "setp.eq.u32 %p, %left, 0;", "@%p bra ROUND;", "sub.u32 %left, %left, 1;", "add.u32 %w, %w, 32;",
        "ld.shared.u64 %base, [%w];", "ld.shared.u64 %step, [%w+8];", "ld.shared.u64 %wrap, [%w+16];",
        "ld.shared.u32 %count, [%w+24];", "ld.shared.u32 %v, [%w+28];", "mad.wide.u32 %base, %x, 1, %base;",
        "mov.u64 %off, 0;", "setp.ne.u32 %timed, %v, 0;", "@%timed bra TIMED;");
    static const char *const step[] = {"add.u64 %off, %off, %step;",        "setp.ge.u64 %p, %off, %wrap;",
                                       "@%p sub.u64 %off, %off, %wrap;",    "sub.u32 %count, %count, 1;",
                                       "mad.wide.u32 %base, %x, 1, %base;", "setp.ne.u32 %p, %count, 0;"};
    PUT(out, "FREE:", "add.u64 %a, %base, %off;", k->address, k->load, k->after);
    lines(out, step, COUNT(step));
    PUT(out, "@%p bra FREE;", "bra WALK;", "TIMED:", "add.u64 %a, %base, %off;");
    timed_load(k, "", out);
    PUT(out, "sub.u32 %v, %t1, %t0;", "min.u32 %slot, %at, %room;", "add.u32 %slot, %slot, %took;",
        "st.shared.u32 [%slot], %v;", "add.u32 %at, %at, 4;");
    lines(out, step, COUNT(step));
    PUT(out, "@%p bra TIMED;", "bra WALK;", "LAST:", "st.shared.u32 [%wait], %x;", "mov.u32 %t1, %clock;",
        "sub.u32 %t1, %t1, %begin;", "add.u32 %slot, %took, %room;", "st.shared.u32 [%slot], %t1;");
}

static void chase(const KindText *k, const char *own, Text *out)
{
    text_put(out, ".visible .entry chase(.param .u64 list, .param .u64 out)\n{\n");
    text_put(out, registers);
    PUT(out, own, "ld.param.u64 %list, [list];", "ld.param.u64 %out, [out];", "mov.u32 %thread, %tid.x;",
        "and.b32 %lane, %thread, 31;");
    PUT(out, "ld.global.cg.u32 %walks, [%list+8];", "ld.global.cg.u32 %room, [%list+20];", "shl.b32 %n, %walks, 5;",
        "add.u32 %n, %n, 32;", "mov.u32 %took, shared;", "add.u32 %took, %took, %n;", "add.u32 %wait, %took, %room;",
        "add.u32 %wait, %wait, 4;", "shl.b32 %k, %thread, 2;");
    PUT(out, "COPY:", "setp.ge.u32 %p, %k, %n;", "@%p bra COPIED;", "cvt.u64.u32 %from, %k;",
        "add.u64 %from, %list, %from;", "ld.global.cg.u32 %v, [%from];", "mov.u32 %w, shared;", "add.u32 %w, %w, %k;",
        "st.shared.u32 [%w], %v;", "add.u32 %k, %k, 1024;", "bra COPY;");
    PUT(out, "COPIED:", "bar.sync 0;");
    text_printf(out, "    setp.ge.u32 %%p, %%thread, %d;\n    @%%p bra DONE;\n", k->threads);
    sequence(k, out);
    PUT(out, "DONE:", "bar.sync 0;", "shl.b32 %k, %thread, 2;", "add.u32 %n, %room, 4;");
    PUT(out, "GIVE:", "setp.ge.u32 %p, %k, %n;", "@%p bra OVER;", "add.u32 %w, %took, %k;", "ld.shared.u32 %v, [%w];",
        "cvt.u64.u32 %to, %k;", "add.u64 %to, %out, %to;", "st.global.u32 [%to], %v;", "add.u32 %k, %k, 1024;",
        "bra GIVE;", "OVER:", "ret;", "}");
}

// The timer: a load (A), a load and arithmetic on its value (B), the arithmetic alone (C). B - C is the load's
// latency, and A less that is what the clock and the store cost. The load hits after the first time.
static void timer(const KindText *k, const char *own, Text *out)
{
    static const char again[] = "mad.wide.u32 %a, %x, 1, %a;";
    text_put(
        out,
        ".visible .entry timer(.param .u64 address, .param .u64 texture, .param .u32 never, .param .u64 out)\n{\n");
    text_put(out, registers);
    PUT(out, own, "ld.param.u64 %a, [address];", "ld.param.u64 %texture, [texture];", "ld.param.u32 %never, [never];",
        "ld.param.u64 %out, [out];", "mov.u32 %lane, %tid.x;", "mov.u32 %wait, shared;", "mov.u32 %x, 0;",
        "mov.u32 %k, 0;", k->home);
    PUT(out, "AGAIN:", again);
    timed_load(k, "", out);
    PUT(out, "sub.u32 %ta, %t1, %t0;", again);
    timed_load(k, "mad.lo.u32 %x, %x, %x, %x;", out);
    PUT(out, "sub.u32 %tb, %t1, %t0;", again);
    timed_load(&(KindText){.address = k->address, .ready = k->ready, .load = "", .after = k->after},
               "mad.lo.u32 %x, %x, %x, %x;", out);
    PUT(out, "sub.u32 %tc, %t1, %t0;", "add.u32 %k, %k, 1;", "setp.lt.u32 %p, %k, 4;", "@%p bra AGAIN;",
        "st.global.u32 [%out], %ta;", "st.global.u32 [%out+4], %tb;", "st.global.u32 [%out+8], %tc;", "ret;", "}");
}

void chase_ptx(ChaseKind kind, uint32_t local, Text *out)
{
    const KindText *k = &kinds[kind];
    char own[80] = "";
    if (kind == CHASE_LOCAL) snprintf(own, sizeof own, ".local .align 16 .b8 own[%u];", local);
    text_put(out, ".version 6.0\n.target sm_35\n.address_size 64\n");
    text_put(out, k->module);
    text_put(out, ".extern .shared .align 16 .b8 shared[];\n");
    chase(k, own, out);
    timer(k, own, out);
}
