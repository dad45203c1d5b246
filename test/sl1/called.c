// called.c: see called.h. What is expected is worked out here, by what PTX says of each instruction.
#include "called.h"

uint8_t called_byte(int buffer, uint32_t at) { return (uint8_t)(buffer ? at * 13 : at * 7 + (at >> 8)); }

static uint32_t word(int buffer, uint32_t t, uint32_t at)
{
    uint32_t v = 0;
    for (uint32_t k = 4; k-- > 0;) v = v << 8 | called_byte(buffer, t * OWN + at + k);
    return v;
}

// f(pointer, number) → number
#define CALL(guard, result, function, pointer, number)                                                                 \
    "    {\n    .param .b64 p0;\n    .param .b32 p1;\n    .param .b32 r0;\n    st.param.b64 [p0], " pointer            \
    ";\n    st.param.b32 [p1], " number ";\n    " guard "call (r0), " function ", (p0, p1);\n    ld.param.b32 " result \
    ", [r0];\n    }\n"
// Element n, three times, and n.
#define GET                                                                                                       \
    FUNCTION("get", "    mad.wide.u32 %rd1, %r0, 4, %rd0;\n    ld.u32 %r1, [%rd1];\n    mad.lo.u32 %r1, %r1, 3, " \
                    "%r0;\n    st.param.b32 [r], %r1;\n    ret;\n")
static uint32_t get(int buffer, uint32_t t, uint32_t n) { return word(buffer, t, 4 * n) * 3 + n; }

// --- calls -----------------------------------------------------------------------------------------------------------
static uint32_t want_several(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 20; k++) r = (r * 5 + get(0, t, k & 7)) ^ get(1, t, k & 7);
    return r + get(0, t, 9);
}

// Odd lanes have 0x11 where they don't call; 5 or more comes back at once.
static uint32_t want_guarded(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 9; k++) r = r * 5 + (t & 1 && k & 1 ? 0x11 : k >= 5 ? 77 : get(0, t, k));
    return r;
}

// Words up to a round that differs from lane to lane.
static uint32_t want_looping(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) {
        uint32_t sum = k;
        for (uint32_t n = 0; n < 8 && n != (t & 7); n++) sum = sum * 31 + word(0, t, 4 * n);
        r = r * 7 + sum;
    }
    return r;
}

static uint32_t want_byte(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + (word(0, t, 4) & 255);
    return r;
}

static uint32_t want_struct(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + word(1, t, 8) + k - (t + 1);
    return r;
}

// The function adds 999 to its copy's first word and adds up its four: the caller's are 1, 2, 3, k at each of the two
// calls.
static uint32_t want_own_copy(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + (1005 + k) + 2 * (1005 + k) + word(0, t, 4);
    return r;
}

static uint32_t want_nested(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + get(0, t, k & 3) * 2 + (get(0, t, (k & 3) + 1) ^ 5);
    return r;
}

static uint32_t want_table(uint32_t t)
{
    static const uint32_t to[] = {10, 20, 30};
    return to[t % 3] * 100 + to[(t + 1) % 3];
}

// f(n) = word 0 + f(n − 1), f(0) = 1.
static uint32_t want_recursive(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + 1 + (k & 3) * word(0, t, 0);
    return r;
}

// The function counts its calls by the thread in a variable that there is once.
static uint32_t want_static(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + k + 1 + word(0, t, 4) + word(1, t, 0);
    return r;
}

static uint32_t want_indirect(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + get(0, t, k) + get(1, t, k);
    return r;
}

static uint32_t want_same(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + (k + 5) * 2 + word(0, t, 0);
    return r;
}

// --- local variables -------------------------------------------------------------------------------------------------
static uint32_t want_spilled(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 20; k++) r = (r ^ word(0, t, 4)) * 3 + word(1, t, 8);
    return r;
}

static uint32_t want_widths(uint32_t t)
{
    uint32_t w = word(0, t, 4), r = 0;
    uint64_t wide = (uint64_t)w << 32 | word(0, t, 8);
    for (uint32_t k = 0; k < 10; k++) {
        r = r * 3 + (uint8_t)w;                                                 // u8 of 32 bits, into 32
        r = r * 3 + (uint32_t)(int32_t)(int8_t)w;                               // the same as s8
        r = r * 3 + (uint32_t)((int64_t)(int8_t)w >> 20);                       // and into 64
        r = r * 3 + (uint32_t)(uint16_t)(int16_t)(int8_t)w;                     // and into 16
        r = r * 3 + (uint8_t)w;                                                 // u8 into 16
        r = r * 3 + (uint16_t)w + (uint32_t)(int32_t)(int16_t)w;                // u16 and s16 of 32 bits
        r = r * 3 + (uint32_t)((int64_t)(int32_t)wide >> 31) + (uint32_t)wide;  // s32 and u32 of 64 bits, into 64
        r = r * 3 + 0x9c + (uint32_t)(int32_t)(int8_t)0x9c;                     // a constant of 8 bits, −100
        r = r * 3 + 0x3fc00000 + 0x3ff80000;                                    // 1.5f, and the upper half of 1.5
    }
    return r;
}

static uint32_t want_vectors(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + word(0, t, 4) + 7 * word(0, t, 12) + k;
    return r;
}

static uint32_t want_halves(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + word(0, t, 4) + (t + k);
    return r;
}

static uint32_t want_indexed(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + (k & 1 ? 22 : 11) + word(0, t, 0);
    return r;
}

// What was kept from the last round, which lanes whose bit of it is set replace.
static uint32_t want_kept(uint32_t t)
{
    uint32_t r = 0, kept = 9;
    for (uint32_t k = 0; k < 10; k++) {
        r = r * 3 + kept + word(0, t, 0);
        if (t >> (k & 3) & 1) kept = r;
    }
    return r;
}

static uint32_t want_sum(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + word(0, t, 4);
    return r;
}

static uint32_t want_reference(uint32_t t)
{
    uint32_t r = 0;
    for (uint32_t k = 0; k < 10; k++) r = r * 3 + word(0, t, 4) + k;
    return r;
}

const Called called[] = {
    {"several calls of one function", 20, GET,
     LOOP(20,
          "    and.b32 %r2, %r0, 7;\n" CALL("", "%r3", "get", "%a", "%r2") "    mad.lo.u32 %r1, %r1, 5, %r3;\n" CALL(
              "", "%r3", "get", "%b", "%r2") "    xor.b32 %r1, %r1, %r3;\n")
         CALL("", "%r3", "get", "%a", "9") "    add.u32 %r1, %r1, %r3;\n",
     want_several, 0, 0, 2, false},
    {"a guarded call, and a return", 20,
     FUNCTION("some", "    mov.u32 %r1, 77;\n    st.param.b32 [r], %r1;\n    setp.ge.u32 %q, %r0, 5;\n    @%q ret;\n"
                      "    mad.wide.u32 %rd1, %r0, 4, %rd0;\n    ld.u32 %r1, [%rd1];\n    mad.lo.u32 %r1, %r1, 3, "
                      "%r0;\n    st.param.b32 [r], %r1;\n"),
     LOOP(9, "    and.b32 %r2, %r0, %t;\n    and.b32 %r2, %r2, 1;\n    setp.eq.u32 %q, %r2, 0;\n"
             "    {\n    .param .b64 p0;\n    .param .b32 p1;\n    .param .b32 r0;\n    st.param.b64 [p0], %a;\n    "
             "st.param.b32 [p1], %r0;\n    @%q call (r0), some, (p0, p1);\n"
             "    ld.param.b32 %r3, [r0];\n    }\n    @!%q mov.u32 %r3, 17;\n    mad.lo.u32 %r1, %r1, 5, %r3;\n"),
     want_guarded, 0, 0, 1, false},
    {"a loop in the function, which lanes leave in different rounds", 20,
     FUNCTION("sum", "    mov.u32 %r1, %tid.x;\n    and.b32 %r1, %r1, 7;\n    mov.u32 %r2, 0;\n"
                     "$again:\n    st.param.b32 [r], %r0;\n    setp.eq.u32 %q, %r2, %r1;\n    @%q ret;\n    ld.u32 "
                     "%r3, [%rd0];\n    mad.lo.u32 %r0, %r0, 31, %r3;\n    add.s64 %rd0, %rd0, 4;\n"
                     "    add.u32 %r2, %r2, 1;\n    setp.lt.u32 %q, %r2, 8;\n    @%q bra $again;\n    st.param.b32 "
                     "[r], %r0;\n    ret;\n"),
     LOOP(10, CALL("", "%r3", "sum", "%a", "%r0") "    mad.lo.u32 %r1, %r1, 7, %r3;\n"), want_looping, 0, 0, 1, false},
    {"a structure by value, accessed by vectors", 20,
     ".func (.param .b32 r) take(.param .align 8 .b8 s[16])\n{\n    .reg .b32 %r<4>;\n    .reg .b64 %rd;\n    "
     "ld.param.u64 %rd, [s];\n    ld.param.v2.u32 {%r0, %r1}, [s+8];\n"
     "    ld.u32 %r2, [%rd+8];\n    add.u32 %r2, %r2, %r0;\n    sub.u32 %r2, %r2, %r1;\n    st.param.b32 [r], %r2;\n   "
     " ret;\n}\n",
     LOOP(10, "    add.u32 %r2, %t, 1;\n    {\n    .param .align 8 .b8 s[16];\n    .param .b32 r0;\n    st.param.b64 "
              "[s], %b;\n    st.param.b32 [s+8], %r0;\n    st.param.b32 [s+12], %r2;\n"
              "    call.uni (r0), take, (s);\n    ld.param.b32 %r3, [r0];\n    }\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_struct, 0, 0, 1, false},
    {"an array by value that the function changes", 20,
     ".func (.param .b32 r) total(.param .align 4 .b8 s[16])\n{\n    .reg .b32 %r<5>;\n    .reg .b64 %rd;\n    mov.b64 "
     "%rd, s;\n    ld.local.u32 %r0, [%rd];\n    add.u32 %r0, %r0, 999;\n    st.local.u32 [%rd], %r0;\n"
     "    ld.local.u32 %r1, [%rd+4];\n    add.u32 %r0, %r0, %r1;\n    ld.local.u32 %r1, [%rd+8];\n    add.u32 %r0, "
     "%r0, %r1;\n    ld.local.u32 %r1, [%rd+12];\n    add.u32 %r0, %r0, %r1;\n"
     "    st.param.b32 [r], %r0;\n    ret;\n}\n",
     LOOP(10, "    {\n    .param .align 4 .b8 s[16];\n    .param .b32 r0;\n    .param .b32 r1;\n    st.param.b32 [s], "
              "1;\n    st.param.b32 [s+4], 2;\n    st.param.b32 [s+8], 3;\n    st.param.b32 [s+12], %r0;\n"
              "    call (r0), total, (s);\n    ld.param.b32 %r3, [r0];\n    call (r1), total, (s);\n    ld.param.b32 "
              "%r4, [r1];\n    }\n"
              "    mad.lo.u32 %r1, %r1, 3, %r3;\n    mad.lo.u32 %r1, %r4, 2, %r1;\n    ld.global.u32 %r3, [%a+4];\n    "
              "add.u32 %r1, %r1, %r3;\n"),
     want_own_copy, 0, 0, 1, false},
    {"registers and constants in the call", 20, GET,
     LOOP(20, "    and.b32 %r2, %r0, 7;\n    call (%r3), get, (%a, %r2);\n    mad.lo.u32 %r1, %r1, 5, %r3;\n    call "
              "(%r3), get, (%b, %r2);\n    xor.b32 %r1, %r1, %r3;\n") "    call (%r3), get, (%a, 9);\n    add.u32 %r1, "
                                                                      "%r1, %r3;\n    call (_), get, (%a, 9);\n",
     want_several, 0, 0, 2, false},
    {"a function of a function, with a local variable of its own", 20,
     GET FUNCTION("both",
                  "    .local .align 8 .b8 own[16];\n    mov.u64 %rd1, own;\n    st.local.u64 [%rd1+8], %rd0;\n    "
                  "setp.ne.u32 %q, %r0, 100;\n    {\n    .param .b64 p0;\n    .param .b32 p1;\n"
                  "    .param .b32 r0;\n    st.param.b64 [p0], %rd0;\n    st.param.b32 [p1], %r0;\n    @%q call (r0), "
                  "get, (p0, p1);\n    ld.param.b32 %r2, [r0];\n    }\n    st.local.u32 [own], %r2;\n"
                  "    add.u32 %r0, %r0, 1;\n    ld.local.u64 %rd2, [%rd1+8];\n" CALL(
                      "", "%r3", "get", "%rd2",
                      "%r0") "    xor.b32 %r3, %r3, 5;\n    ld.local.u32 %r4, [own];\n"
                             "    mad.lo.u32 %r3, %r4, 2, %r3;\n    st.param.b32 [r], %r3;\n    ret;\n"),
     LOOP(10, "    and.b32 %r2, %r0, 3;\n" CALL("", "%r3", "both", "%a", "%r2") "    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_nested, 0, 0, 1, false},
    {"a table of branches, twice", 70,
     FUNCTION("choose", "    rem.u32 %r0, %r0, 3;\nwhere: .branchtargets $x, $y, $z;\n    brx.idx %r0, where;\n$x:\n   "
                        " mov.u32 %r1, 10;\n    bra $end;\n$y:\n    mov.u32 %r1, 20;\n    bra $end;\n"
                        "$z:\n    mov.u32 %r1, 30;\n$end:\n    st.param.b32 [r], %r1;\n    ret;\n"),
     LOOP(10, "    ld.global.u32 %r3, [%a];\n") "    add.u32 %r2, %t, 1;\n" CALL("", "%r3", "choose", "%a", "%t")
         CALL("", "%r4", "choose", "%a", "%r2") "    mad.lo.u32 %r1, %r3, 100, %r4;\n",
     want_table, 0, 0, 1, false},
    {"a function that calls itself stays", 20,
     ".func (.param .b32 r) down(.param .b64 p, .param .b32 n);\n" FUNCTION(
         "on", CALL("", "%r1", "down", "%rd0", "%r0") "    st.param.b32 [r], %r1;\n    ret;\n")
         FUNCTION(
             "down",
             "    mov.u32 %r1, 1;\n    st.param.b32 [r], %r1;\n    setp.eq.u32 %q, %r0, 0;\n    @%q ret;\n    sub.u32 "
             "%r0, %r0, 1;\n" CALL(
                 "", "%r1", "on", "%rd0",
                 "%r0") "    ld.u32 %r2, [%rd0];\n    add.u32 %r1, %r1, %r2;\n    st.param.b32 [r], %r1;\n    ret;\n"),
     LOOP(10, "    and.b32 %r2, %r0, 3;\n" CALL("", "%r3", "on", "%a", "%r2") "    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_recursive, 1, 3, 1, false},
    {"a function that calls itself, spills its pointer and calls another", 20,
     FUNCTION("at", "    ld.u32 %r1, [%rd0];\n    add.u32 %r1, %r1, %r0;\n    st.param.b32 [r], %r1;\n    ret;\n")
         FUNCTION("down", "    .local .align 8 .b8 __local_depot0[16];\n    mov.u64 %rd1, __local_depot0;\n    "
                          "cvta.local.u64 %rd2, %rd1;\n    st.local.u64 [%rd1+8], %rd0;\n    mov.u32 %r1, 1;\n"
                          "    st.param.b32 [r], %r1;\n    setp.eq.u32 %q, %r0, 0;\n    @%q ret;\n    sub.u32 %r0, "
                          "%r0, 1;\n    ld.u64 %rd3, [%rd2+8];\n" CALL("", "%r1", "down", "%rd3", "%r0")
                              CALL("", "%r2", "at", "%rd3", "%r1") "    st.param.b32 [r], %r2;\n    ret;\n"),
     LOOP(10, "    and.b32 %r2, %r0, 3;\n" CALL("", "%r3", "down", "%a", "%r2") "    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_recursive, 1, 3, 1, false},
    {"a function that calls itself, in a loop inside the loop", 20,
     FUNCTION("down",
              "    mov.u32 %r1, 1;\n    st.param.b32 [r], %r1;\n    setp.eq.u32 %q, %r0, 0;\n    @%q ret;\n    "
              "sub.u32 %r0, %r0, 1;\n" CALL(
                  "", "%r1", "down", "%rd0",
                  "%r0") "    ld.u32 %r2, [%rd0];\n    add.u32 %r1, %r1, %r2;\n    st.param.b32 [r], %r1;\n    ret;\n"),
     LOOP(10,
          "    and.b32 %r2, %r0, 3;\n    mov.u32 %r5, 0;\n$inner:\n" CALL(
              "", "%r3", "down", "%a", "%r5") "    add.u32 %r5, %r5, 1;\n    setp.le.u32 %q, %r5, %r2;\n    @%q bra "
                                              "$inner;\n    mad.lo.u32 %r1, %r1, "
                                              "3, %r3;\n"),
     want_recursive, 1, 3, 1, false},
    {"the same, and its result is looked at behind the inner loop", 20,
     FUNCTION("down",
              "    mov.u32 %r1, 1;\n    st.param.b32 [r], %r1;\n    setp.eq.u32 %q, %r0, 0;\n    @%q ret;\n    "
              "sub.u32 %r0, %r0, 1;\n" CALL(
                  "", "%r1", "down", "%rd0",
                  "%r0") "    ld.u32 %r2, [%rd0];\n    add.u32 %r1, %r1, %r2;\n    st.param.b32 [r], %r1;\n    ret;\n"),
     "    .param .b64 pointer;\n    .param .b32 number;\n    .param .b32 late;\n" LOOP(
         10,
         "    and.b32 %r2, %r0, 3;\n    mov.u32 %r5, 0;\n$inner:\n    st.param.b64 [pointer], %a;\n    st.param.b32 "
         "[number], %r5;\n    call (late), down, (pointer, number);\n"
         "    add.u32 %r5, %r5, 1;\n    setp.le.u32 %q, %r5, %r2;\n    @%q bra $inner;\n    ld.param.b32 %r3, "
         "[late];\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_recursive, 1, 3, 1, false},
    {"a function with a variable that there is once stays", 20,
     FUNCTION("count", "    .shared .align 4 .b8 counts[256];\n    mov.u32 %r1, %tid.x;\n    mul.lo.u32 %r1, %r1, 4;\n "
                       "   mov.u32 %r2, counts;\n    add.u32 %r1, %r1, %r2;\n    setp.eq.u32 %q, %r0, 0;\n"
                       "    @%q st.shared.u32 [%r1], 0;\n    ld.shared.u32 %r2, [%r1];\n    add.u32 %r2, %r2, 1;\n    "
                       "st.shared.u32 [%r1], %r2;\n    ld.u32 %r3, [%rd0+4];\n    add.u32 %r2, %r2, %r3;\n"
                       "    st.param.b32 [r], %r2;\n    ret;\n"),
     LOOP(10,
          CALL("", "%r3", "count", "%a",
               "%r0") "    ld.global.u32 %r2, [%b];\n    add.u32 %r3, %r3, %r2;\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_static, 1, 3, 1, false},
    {"a function that stays, whose result is called as the register for its variable would be", 20,
     ".func (.param .b32 %v$0) count(.param .b64 p, .param .b32 n)\n{\n    .reg .b32 %r<9>;\n    .reg .b64 %rd<9>;\n   "
     " .reg "
     ".pred %q;\n    .local .align 4 .b8 v[4];\n    .shared .align 4 .b8 counts[256];\n    ld.param.u64 %rd0, [p];\n   "
     " "
     "ld.param.u32 %r0, [n];\n    st.local.u32 [v], %r0;\n    mov.u32 %r1, %tid.x;\n    mul.lo.u32 %r1, %r1, 4;\n    "
     "mov.u32 %r2, counts;\n    add.u32 %r1, %r1, %r2;\n    ld.local.u32 %r4, [v];\n    setp.eq.u32 %q, %r4, 0;\n    "
     "@%q "
     "st.shared.u32 [%r1], 0;\n    ld.shared.u32 %r2, [%r1];\n    add.u32 %r2, %r2, 1;\n    st.shared.u32 [%r1], "
     "%r2;\n  "
     "  ld.u32 %r3, [%rd0+4];\n    add.u32 %r2, %r2, %r3;\n    st.param.b32 [%v$0], %r2;\n    ret;\n}\n",
     LOOP(10, CALL("", "%r3", "count", "%a", "%r0") "    ld.global.u32 %r2, [%b];\n    add.u32 %r3, %r3, %r2;\n    "
                                                    "mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_static, 1, 3, 1, false},
    {"a call through a register stays, and one that shares its variables", 20, GET,
     "    mov.u64 %d0, get;\n    .param .b64 p0;\n    .param .b32 p1;\n    .param .b32 r0;\n" LOOP(
         10, "    st.param.b64 [p0], %a;\n    st.param.b32 [p1], %r0;\n    call (r0), get, (p0, p1);\n    ld.param.b32 "
             "%r3, [r0];\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"
             "    st.param.b64 [p0], %b;\n    st.param.b32 [p1], %r0;\nlike: .callprototype (.param .b32 _) _ (.param "
             ".b64 _, .param .b32 _);\n    call (r0), %d0, (p0, p1), like;\n"
             "    ld.param.b32 %r3, [r0];\n    add.u32 %r1, %r1, %r3;\n"),
     want_indirect, 2, 3, 1, false},
    {"a variable for argument and result stays", 20,
     ".func (.param .b32 r) twice(.param .b32 n)\n{\n    .reg .b32 %r<2>;\n    st.param.b32 [r], 0;\n    ld.param.u32 "
     "%r0, [n];\n    add.u32 %r0, %r0, 5;\n    shl.b32 %r0, %r0, 1;\n    st.param.b32 [r], %r0;\n    ret;\n}\n",
     LOOP(10, "    {\n    .param .b32 x;\n    st.param.b32 [x], %r0;\n    call (x), twice, (x);\n    ld.param.b32 %r3, "
              "[x];\n    }\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"
              "    ld.global.u32 %r3, [%a];\n    add.u32 %r1, %r1, %r3;\n"),
     want_same, 1, 1, 1, false},
    {"a large array by value whose address is taken stays", 20,
     ".func (.param .b32 r) twice(.param .align 4 .b8 s[260])\n{\n    .reg .b32 %r<2>;\n    .reg .b64 %rd;\n    "
     "mov.b64 %rd, s;\n    ld.local.u32 %r0, [%rd+4];\n    add.u32 %r0, %r0, 5;\n    shl.b32 %r0, %r0, 1;\n"
     "    st.param.b32 [r], %r0;\n    ret;\n}\n",
     LOOP(10, "    {\n    .param .align 4 .b8 s[260];\n    .param .b32 x;\n    st.param.b32 [s+4], %r0;\n    call (x), "
              "twice, (s);\n    ld.param.b32 %r3, [x];\n    }\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"
              "    ld.global.u32 %r3, [%a];\n    add.u32 %r1, %r1, %r3;\n"),
     want_same, 1, 2, 1, false},
    {"pointers spilled to a depot, loaded in the loop", 20, "",
     "    .local .align 8 .b8 __local_depot0[32];\n    .reg .b64 %SP, %SPL, %copy, %copy2;\n    mov.u64 %SPL, "
     "__local_depot0;\n    cvta.local.u64 %SP, %SPL;\n    add.u64 %d0, %SP, 8;\n    st.u64 [%d0], %a;\n"
     "    add.u64 %d1, %SPL, 24;\n    mov.u64 %copy, %d1;\n    st.local.u64 [%copy+-8], %b;\n" LOOP(
         20, "    ld.local.u64 %d2, [%SPL+8];\n    ld.u32 %r2, [%d2+4];\n    xor.b32 %r1, %r1, %r2;\n    ld.u64 "
             "%copy2, [%SP+16];\n    ld.u32 %r2, [%copy2+8];\n    mad.lo.u32 %r1, %r1, 3, %r2;\n"),
     want_spilled, 0, 0, 2, false},
    {"a pointer in a variable whose address is passed", 20,
     FUNCTION("through", "    ld.u64 %rd1, [%rd0];\n    ld.u32 %r1, [%rd1+4];\n    add.u32 %r1, %r1, %r0;\n    "
                         "st.param.b32 [r], %r1;\n    ret;\n"),
     "    .local .align 8 .b8 here[8];\n    mov.u64 %d1, here;\n    cvta.local.u64 %d2, %d1;\n    st.local.u64 [%d1], "
     "%a;\n" LOOP(10, CALL("", "%r3", "through", "%d2", "%r0") "    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_reference, 0, 0, 1, false},
    {"or for add where the address has no such bits, and where it has", 20, "",
     "    .local .align 16 .b8 v[32];\n    .local .align 16 .b8 w[32];\n    .local .align 4 .b8 u[8];\n    .reg .b64 "
     "%both, %own, %there, %high;\n    mov.u64 %d1, u;\n    or.b64 %high, %d1, 4;\n    mov.u64 %d0, v;\n    or.b64 "
     "%own, %d0, 8;\n    st.local.u64 [%own], %a;\n    mov.u64 %d2, w+4;\n    or.b64 %both, %d2, 4;\n" LOOP(
         10, "    ld.local.u64 %there, [v+8];\n    ld.u32 %r2, [%there+4];\n    st.local.u32 [%both], %r2;\n    "
             "ld.local.u32 %r2, [w+4];\n    mad.lo.u32 %r1, %r1, 3, %r2;\n"),
     want_sum, 0, 2, 1, false},
    {"a register of a byte can't be moved: its variable stays beside one that doesn't", 20, "",
     "    .local .align 4 .b8 v[4];\n    .local .b32 w;\n    .reg .b8 %byte;\n" LOOP(
         10,
         "    ld.global.u8 %byte, [%a+4];\n    st.local.u8 [v], %byte;\n    ld.local.u8 %r2, [v];\n    st.local.u32 "
         "[w], %r2;\n    ld.local.u32 %r3, [w];\n    mad.lo.u32 %r1, %r1, 3, %r3;\n"),
     want_byte, 0, 1, 1, false},
    {"narrow and wide values", 20, "",
     "    .local .align 8 .b8 v[64];\n    .reg .b16 %h<4>;\n    .reg .f32 %f;\n    .reg .f64 %g;\n" LOOP(
         10, "    ld.global.u32 %r2, [%a+4];\n    ld.global.u32 %r3, [%a+8];\n    mov.b64 %d0, {%r3, %r2};\n    "
             "st.local.u8 [v], %r2;\n    st.local.b16 [v+2], %r2;\n    st.local.s32 [v+4], %d0;\n"
             "    st.local.u8 [v+8], -100;\n    st.local.f32 [v+12], 0f3FC00000;\n    st.local.f64 [v+16], "
             "0d3FF8000000000000;\n"
             "    ld.local.u8 %r4, [v];\n    mad.lo.u32 %r1, %r1, 3, %r4;\n    ld.local.s8 %r4, [v];\n    mad.lo.u32 "
             "%r1, %r1, 3, %r4;\n    ld.local.s8 %d1, [v];\n    shr.s64 %d1, %d1, 20;\n"
             "    cvt.u32.u64 %r4, %d1;\n    mad.lo.u32 %r1, %r1, 3, %r4;\n    ld.local.s8 %h0, [v];\n    cvt.u32.u16 "
             "%r4, %h0;\n    mad.lo.u32 %r1, %r1, 3, %r4;\n"
             "    ld.local.u8 %h0, [v];\n    cvt.u32.u16 %r4, %h0;\n    mad.lo.u32 %r1, %r1, 3, %r4;\n"
             "    ld.local.u16 %r4, [v+2];\n    mad.lo.u32 %r1, %r1, 3, %r4;\n    ld.local.s16 %r4, [v+2];\n    "
             "add.u32 %r1, %r1, %r4;\n"
             "    ld.local.s32 %d1, [v+4];\n    shr.s64 %d1, %d1, 31;\n    cvt.u32.u64 %r4, %d1;\n    mad.lo.u32 %r1, "
             "%r1, 3, %r4;\n    ld.local.u32 %d1, [v+4];\n    mov.b64 {%r4, %r5}, %d1;\n"
             "    add.u32 %r1, %r1, %r4;\n    add.u32 %r1, %r1, %r5;\n    ld.local.b8 %r4, [v+8];\n    mad.lo.u32 %r1, "
             "%r1, 3, %r4;\n    ld.local.s8 %r4, [v+8];\n    add.u32 %r1, %r1, %r4;\n"
             "    ld.local.f32 %f, [v+12];\n    mov.b32 %r4, %f;\n    mad.lo.u32 %r1, %r1, 3, %r4;\n    ld.local.f64 "
             "%g, [v+16];\n    mov.b64 {%r4, %r5}, %g;\n    add.u32 %r1, %r1, %r4;\n    add.u32 %r1, %r1, %r5;\n"),
     want_widths, 0, 0, 1, false},
    {"a floating-point register wider than the value: that stays", 20, "",
     "    .local .align 4 .b8 v[4];\n    .reg .f64 %g;\n" LOOP(
         10, "    ld.global.u32 %r2, [%a+4];\n    st.local.u32 [v], %r2;\n    ld.local.b32 %g, [v];\n    mov.b64 {%r2, "
             "%r3}, %g;\n"
             "    mad.lo.u32 %r1, %r1, 3, %r2;\n    add.u32 %r1, %r1, %r3;\n"),
     want_sum, 0, 1, 1, false},
    {"vectors, parts of which aren't wanted", 20, "",
     "    .local .align 16 .b8 v[32];\n" LOOP(
         10, "    ld.global.v4.u32 {%r2, %r3, %r4, %r5}, [%a];\n    st.local.v4.b32 [v+16], {%r2, %r3, %r4, %r0};\n    "
             "st.local.v2.u32 [v], {%r5, 7};\n    ld.local.v2.u32 {_, %r2}, [v+16];\n"
             "    ld.local.v2.b32 {%r3, %r4}, [v];\n    ld.local.u32 %r5, [v+28];\n    mad.lo.u32 %r1, %r1, 3, %r2;\n  "
             "  mad.lo.u32 %r1, %r3, %r4, %r1;\n    add.u32 %r1, %r1, %r5;\n"),
     want_vectors, 0, 0, 1, false},
    {"values that overlap stay, their neighbour doesn't", 20, "",
     "    .local .align 8 .b8 v[16];\n    st.local.u64 [v+8], %a;\n" LOOP(
         10, "    ld.local.u64 %d1, [v+8];\n    ld.u32 %r2, [%d1+4];\n    add.u32 %r3, %t, %r0;\n    mov.b64 %d0, "
             "{%r2, %r3};\n    st.local.u64 [v], %d0;\n    ld.local.u32 %r2, [v];\n    ld.local.u32 %r3, [v+4];\n"
             "    mad.lo.u32 %r1, %r1, 3, %r2;\n    add.u32 %r1, %r1, %r3;\n"),
     want_halves, 0, 1, 1, false},
    {"a vector of which a part overlaps stays, its neighbour doesn't", 20, "",
     "    .local .align 16 .b8 v[32];\n    st.local.u64 [v+16], %a;\n" LOOP(
         10, "    ld.local.u64 %d1, [v+16];\n    ld.u32 %r2, [%d1+4];\n    add.u32 %r3, %t, %r0;\n    shl.b32 %r4, "
             "%r3, 16;\n    st.local.v4.u32 [v], {%r2, %r4, %r4, %r4};\n    ld.local.u32 %r2, [v];\n"
             "    ld.local.u16 %r3, [v+6];\n    mad.lo.u32 %r1, %r1, 3, %r2;\n    add.u32 %r1, %r1, %r3;\n"),
     want_halves, 0, 1, 1, false},
    {"what nothing is stored to", 20, "",
     "    .local .align 8 .b8 v[16];\n" LOOP(
         10, "    ld.local.u32 %r2, [v];\n    ld.local.u8 %r3, [v+4];\n    ld.local.u64 %d0, [v+8];\n    cvt.u32.u64 "
             "%r4, %d0;\n    add.u32 %r2, %r2, %r3;\n    add.u32 %r2, %r2, %r4;\n"
             "    and.b32 %r2, %r2, 0;\n    ld.global.u32 %r3, [%a+4];\n    add.u32 %r3, %r3, %r2;\n    mad.lo.u32 "
             "%r1, %r1, 3, %r3;\n"),
     want_sum, 0, 0, 1, false},
    {"an access beyond the variable stays", 20, "",
     "    .local .align 4 .b8 v[8];\n    .local .align 4 .b8 w[8];\n" LOOP(
         10, "    ld.global.u32 %r2, [%a+4];\n    st.local.u32 [w], %r2;\n    @%p ld.local.u32 %r3, [v+8];\n    "
             "ld.local.u32 %r2, [w];\n"
             "    mad.lo.u32 %r1, %r1, 3, %r2;\n"),
     want_sum, 0, 1, 1, false},
    {"an array with an index stays", 20, "",
     "    .local .align 4 .b8 v[8];\n    mov.u64 %d0, v;\n    mov.u32 %r2, 11;\n    st.local.u32 [v], %r2;\n    "
     "mov.u32 %r2, 22;\n    st.local.u32 [%d0+4], %r2;\n" LOOP(
         10, "    and.b32 %r2, %r0, 1;\n    mad.wide.u32 %d1, %r2, 4, %d0;\n    ld.local.u32 %r2, [%d1];\n    "
             "mad.lo.u32 %r1, %r1, 3, %r2;\n    ld.global.u32 %r2, [%a];\n    add.u32 %r1, %r1, %r2;\n"),
     want_indexed, 0, 1, 1, false},
    {"an address that moves stays", 20, "",
     "    .local .align 4 .b8 v[64];\n    mov.u64 %d0, v;\n" LOOP(
         10, "    ld.global.u32 %r2, [%a+4];\n    st.local.u32 [%d0], %r2;\n    ld.local.u32 %r2, [%d0];\n    add.s64 "
             "%d0, %d0, 4;\n    mad.lo.u32 %r1, %r1, 3, %r2;\n"),
     want_sum, 0, 1, 1, false},
    {"an address that is stored stays", 20, "",
     "    .local .align 8 .b8 v[16];\n    mov.u64 %d0, v;\n    cvta.local.u64 %d1, %d0;\n    st.global.v2.u64 [%b+32], "
     "{%a, %d1};\n    ld.global.u64 %d2, [%b+40];\n" LOOP(
         10, "    ld.global.u32 %r2, [%a+4];\n    st.local.u32 [v+8], %r2;\n    ld.u32 %r2, [%d2+8];\n    mad.lo.u32 "
             "%r1, %r1, 3, %r2;\n    st.global.u32 [%b+48], %r1;\n") "    st.global.u64 [%b+40], %a;\n",
     want_sum, 0, 1, 2, true},
    {"a guarded store, and what was kept from the last round", 20, "",
     "    .local .align 4 .b8 v[4];\n    mov.u32 %r2, 9;\n    st.local.u32 [v], %r2;\n" LOOP(
         10, "    ld.local.u32 %r2, [v];\n    mad.lo.u32 %r1, %r1, 3, %r2;\n    ld.global.u32 %r2, [%a];\n    add.u32 "
             "%r1, %r1, %r2;\n    and.b32 %r2, %r0, 3;\n    shr.u32 %r2, %t, %r2;\n    and.b32 %r2, %r2, 1;\n"
             "    setp.eq.u32 %q, %r2, 0;\n    @!%q st.local.u32 [v], %r1;\n"),
     want_kept, 0, 0, 1, false},
    {"volatile accesses stay", 20, "",
     "    .local .align 4 .b8 v[8];\n    cvta.local.u64 %d0, v;\n" LOOP(
         10, "    ld.global.u32 %r2, [%a+4];\n    st.volatile.u32 [%d0], %r2;\n    ld.volatile.u32 %r2, [%d0];\n    "
             "mad.lo.u32 %r1, %r1, 3, %r2;\n"),
     want_sum, 0, 1, 1, true},
};

const size_t called_count = COUNT(called);

void put_called(const Called *c, uint32_t sm, Text *out)
{
    text_printf(
        out,
        ".version %s\n.target sm_%u\n.address_size 64\n%s.visible .entry k(.param .u64 k_0, .param .u64 k_1)\n{\n"
        "    .reg .b32 %%t, %%r<8>;\n    .reg .b64 %%a, %%b, %%d<4>;\n    .reg .pred %%p, %%q;\n",
        sm >= 70 ? "7.8" : "4.3", sm, c->functions);
    text_printf(out,
                "    mov.u32 %%t, %%tid.x;\n    mul.wide.u32 %%d3, %%t, %u;\n    ld.param.u64 %%a, [k_0];\n    "
                "ld.param.u64 %%b, [k_1];\n    add.s64 %%a, %%a, %%d3;\n    add.s64 %%b, %%b, %%d3;\n"
                "    mov.u32 %%r1, 0;\n%s    st.global.u32 [%%b+56], %%r1;\n    ret;\n}\n",
                OWN, c->body);
}
