// The machine code that ptxas makes of the chase reads the clock when a load is done: between two readings there is the
// load, and before the second one an instruction has waited for its value. Skipped where there is no ptxas.
//
// Instructions of capability 7.0 and later have 128 bits. The opcode is in the lowest 12. Bits 105 to 125 say how an
// instruction is issued: 110 to 112 are the number of the barrier that its result will clear (7: none), 116 to 121 the
// barriers that it waits for (Jia et al., "Dissecting the NVIDIA Volta GPU Architecture via Microbenchmarking", §2.1).
// A result that takes a fixed time has no barrier; those of loads and textures have.
#include "check.h"
#include "probe/measure.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { CLOCK = 0x50 };  // SR_CLOCKLO

typedef struct Inst {
    uint64_t low, high;
} Inst;

static bool reads_clock(const Inst *i)
{
    uint32_t op = i->low & 0xfff;
    return (op == 0x805 || op == 0x919 || op == 0x9c3) && (i->high >> 8 & 0xff) == CLOCK;  // CS2R, S2R, S2UR
}

static bool ends_stretch(const Inst *i)
{
    uint32_t op = i->low & 0xfff;
    return op == 0x947 || op == 0x94d || op == 0x941 || op == 0xb1d;  // BRA, EXIT, BSYNC, BAR
}

// Counts loads between two readings of the clock in a row. Fails if the second reading doesn't wait for one.
static uint32_t timed_loads(const Inst *code, size_t n, const char *what)
{
    uint32_t pending = 0, loads = 0, timed = 0;  // pending: barriers of loads since the last reading
    bool read = false;
    for (size_t k = 0; k < n; k++) {
        const Inst *i = &code[k];
        uint32_t barrier = i->high >> 46 & 7, waits = i->high >> 52 & 63;
        pending &= ~waits;
        if (reads_clock(i)) {
            if (read && pending) fail_msg("%s: instruction %zu reads the clock before a load is done", what, k);
            timed += read ? loads : 0;
            read = true, loads = pending = 0;
        } else if (ends_stretch(i)) {
            read = false, loads = pending = 0;
        } else if (read && barrier != 7) {
            loads++, pending |= 1u << barrier;
        }
    }
    return timed;
}

// The instructions of `chase` in an ELF file of 64 bits.
static Inst *code_of(const char *path, size_t *n)
{
    static uint8_t file[1 << 20];
    FILE *f = fopen(path, "rb");
    assert_non_null(f);
    size_t size = fread(file, 1, sizeof file, f);
    fclose(f);
    assert_true(size > 64 && size < sizeof file);
    uint64_t at, names, from, bytes;
    uint16_t count, strings;
    memcpy(&at, file + 40, 8), memcpy(&count, file + 60, 2), memcpy(&strings, file + 62, 2);
    memcpy(&names, file + at + 64u * strings + 24, 8);
    for (uint16_t k = 0; k < count; k++) {
        const uint8_t *section = file + at + 64u * k;
        uint32_t name;
        memcpy(&name, section, 4), memcpy(&from, section + 24, 8), memcpy(&bytes, section + 32, 8);
        if (strcmp((const char *)file + names + name, ".text.chase")) continue;
        Inst *code = mem_alloc(bytes);
        memcpy(code, file + from, bytes);
        return *n = bytes / sizeof *code, code;
    }
    return *n = 0, NULL;
}

static void order(void **state)
{
    (void)state;
    static const char *const archs[] = {"sm_75", "sm_80", "sm_90", "sm_100", "sm_120"};
    char folder[] = "/tmp/onchip-sass-XXXXXX", ptx[80], cubin[80], command[400], what[80];
    if (system("PATH=$PATH:/usr/local/cuda/bin; command -v ptxas >/dev/null")) skip();
    assert_non_null(mkdtemp(folder));
    snprintf(ptx, sizeof ptx, "%s/chase.ptx", folder), snprintf(cubin, sizeof cubin, "%s/chase.cubin", folder);
    uint32_t compiled = 0;
    for (int kind = 0; kind < CHASE_KINDS; kind++)
        for (size_t a = 0; a < COUNT(archs); a++) {
            Text text = {0};
            chase_ptx((ChaseKind)kind, 16 << 10, &text);
            FILE *f = fopen(ptx, "w");
            assert_true(f && fwrite(text.v, 1, text.n, f) == text.n && !fclose(f));
            text_free(&text);
            snprintf(command, sizeof command, "PATH=$PATH:/usr/local/cuda/bin ptxas -arch=%s %s -o %s 2>/dev/null",
                     archs[a], ptx, cubin);
            if (system(command)) continue;  // this ptxas doesn't know the architecture
            size_t n;
            Inst *code = code_of(cubin, &n);
            snprintf(what, sizeof what, "loads of kind %d, %s", kind, archs[a]);
            if (!timed_loads(code, n, what)) fail_msg("%s: no load between two readings of the clock", what);
            mem_free(code);
            compiled++;
        }
    unlink(ptx), unlink(cubin), rmdir(folder);
    assert_true(compiled >= CHASE_KINDS);
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(order)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
